/* A worker process: jobs from its socket, one after another, behind the sandbox. */
#include "sandbox.h"
#include "wire.h"
#include "zygote.h"

#include <qpucc/qpucc.h>

#include <jansson.h>
#include <malloc.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <unistd.h>

enum { KEPT_MEMORY = 24 << 20 };

/* SIGPROF after so much CPU time, which ends the process; 0: none. */
static void set_timer(unsigned milliseconds) {
    struct itimerval timer = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000}};
    setitimer(ITIMER_PROF, &timer, NULL);
}

void worker_run(int fd, const struct worker_limits *limits) {
    unsigned seconds = limits->job.cpu_ms / 1000 + 1;
    signal(SIGPROF, SIG_DFL);
    if (!sandbox_drop_rights())
        _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* dropping rights clears it */
    mallopt(M_MMAP_THRESHOLD, KEPT_MEMORY);
    mallopt(M_TRIM_THRESHOLD, KEPT_MEMORY);
    mallopt(M_TOP_PAD, 1 << 20);
    json_object_seed(0); /* reads /dev/urandom, which is out of reach later; each worker has its own */
    if (!sandbox_enter(fd, limits->job.memory, seconds * limits->jobs + seconds))
        _exit(1);
    for (unsigned number = 0;; number++) {
        struct job job;
        if (wire_receive_job(fd, &job, limits->body, WIRE_NO_DEADLINE) != WIRE_DONE)
            _exit(0);
        set_timer(limits->job.cpu_ms);
        struct answer *answer = job_run(&job, &limits->job);
        set_timer(0);
        job_free(&job);
        if (!answer || wire_send_answer(fd, answer, WIRE_NO_DEADLINE) != WIRE_DONE)
            _exit(0);
        answer_release(answer);
        /* One large job does not keep its memory for the small ones that follow; a small one's is kept,
         * because the next would only have to fetch it from the kernel again. */
        if (number % 4 == 3 && mallinfo2().fordblks > KEPT_MEMORY)
            malloc_trim(KEPT_MEMORY / 4);
    }
}

/* Each version of GLSL has tables of its own. */
void worker_warm(void) {
    static const char *const versions[] = {"100", "300 es",           "110", "120", "130", "140", "150",
                                           "330", "330 compatibility"};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        char vertex[200], fragment[200];
        bool es = strstr(versions[i], "es") || i == 0;
        snprintf(vertex, sizeof vertex, "#version %s\nvoid main() { gl_Position = vec4(0.0); }\n",
                 versions[i]);
        snprintf(fragment, sizeof fragment, "#version %s\n%svoid main() {}\n", versions[i],
                 es ? "precision highp float;\n" : "");
        struct qpucc_source sources[] = {{"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                                         {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
        qpucc_program_free(qpucc_compile(sources, 2, NULL, NULL));
    }
}
