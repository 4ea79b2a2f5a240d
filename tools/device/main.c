/* qpusim-device: runs a program with the vc4 device in software.
 *
 *     qpusim-device [OPTIONS] -- PROGRAM ARGUMENTS...
 *
 * The program is unmodified: a library that is preloaded into it forwards its calls on /dev/dri to this
 * process, which owns buffers, machine and display. So the machine runs natively when the program runs under
 * qemu-user, and programs that the first one starts see the same device. docs/device.md has the options. */
#include "device.h"
#include "wire.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct owner {
    struct device_options options;
    struct gpu *gpu;
    struct recorder *recorder;
    struct qpusim_counters before;
    unsigned jobs, frames, failures;
    pid_t child;
};

/* --- the device's owner --------------------------------------------------------------------------------- */

static bool add_memory(void *user, uint32_t address, uint32_t size, void *bytes, const char *name) {
    struct owner *o = user;
    return qpusim_memory_add(gpu_memory(o->gpu), address, size, bytes, name) == QPUSIM_OK;
}

static void remove_memory(void *user, uint32_t address) {
    struct owner *o = user;
    qpusim_memory_remove(gpu_memory(o->gpu), address);
}

static bool run_lists(void *user, const struct qpusim_drm_lists *lists, char *error, size_t size) {
    struct owner *o = user;
    o->before = *gpu_counters(o->gpu);
    bool fine = gpu_run(o->gpu, lists, error, size);
    o->failures += !fine;
    if (o->options.stats) {
        const struct qpusim_counters *c = gpu_counters(o->gpu), *b = &o->before;
        fprintf(stderr, "job %u: %llu instructions, %llu cycles, %llu primitives, %llu pixels\n", o->jobs,
                (unsigned long long)(c->instructions - b->instructions),
                (unsigned long long)(c->cycles - b->cycles),
                (unsigned long long)(c->primitives - b->primitives),
                (unsigned long long)(c->pixels - b->pixels));
    }
    o->jobs++;
    return fine;
}

static uint32_t ident(void *user, unsigned number) {
    return gpu_ident(((struct owner *)user)->gpu, number);
}

static uint64_t count(void *user, unsigned counter) {
    return gpu_count(((struct owner *)user)->gpu, counter);
}

static void submitted(void *user, const struct qpusim_drm_submit *submit,
                      const struct qpusim_drm_view *views) {
    struct owner *o = user;
    if (o->recorder) {
        recorder_submit(o->recorder, submit, views);
    }
}

static void finished(void *user, const struct qpusim_drm_submit *submit,
                     const struct qpusim_drm_view *views) {
    struct owner *o = user;
    if (o->recorder) {
        recorder_done(o->recorder, submit, views);
    }
}

static void show_frame(void *user, const struct qpusim_drm_frame *frame) {
    struct owner *o = user;
    char error[512];
    o->frames++;
    if (o->recorder) {
        recorder_shown(o->recorder, frame);
    }
    if (o->options.frames &&
        !frame_write(o->options.frames, frame, o->options.raw_frames, error, sizeof error)) {
        fprintf(stderr, "qpusim-device: %s\n", error);
    }
    if (o->options.stats) {
        fprintf(stderr, "frame %u\n", frame->number);
    }
    if (o->options.frame_limit && o->frames >= o->options.frame_limit && o->child > 0) {
        kill(o->child, SIGTERM);
    }
}

static void write_log(void *user, const char *text) {
    (void)user;
    fprintf(stderr, "qpusim-device: %s\n", text);
}

/* --- the program ---------------------------------------------------------------------------------------- */

/* The preloaded library lies beside this program, in a folder for each architecture as the dynamic linker
 * names it. */
static bool find_preload(char path[PATH_MAX]) {
    static const char *const places[] = {"preload", "../lib/qpusim"};
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) {
        return false;
    }
    self[length] = 0;
    *strrchr(self, '/') = 0;
    for (size_t n = 0; n < sizeof places / sizeof *places; n++) {
        struct stat info;
        if (snprintf(path, PATH_MAX, "%s/%s", self, places[n]) < PATH_MAX && stat(path, &info) == 0 &&
            snprintf(path, PATH_MAX, "%s/%s/$LIB/libqpusim-preload.so", self, places[n]) < PATH_MAX) {
            return true;
        }
    }
    return false;
}

static pid_t start_program(char **argv, const char *folder, const char *preload, bool frame_clock) {
    pid_t child = fork();
    if (child != 0) {
        return child;
    }
    const char *others = getenv("LD_PRELOAD");
    char all[2 * PATH_MAX];
    snprintf(all, sizeof all, "%s%s%s", preload, others && *others ? ":" : "", others ? others : "");
    setenv("LD_PRELOAD", all, 1);
    setenv(WIRE_FOLDER_VARIABLE, folder, 1);
    if (frame_clock) {
        setenv(WIRE_CLOCK_VARIABLE, "1", 1);
    }
    execvp(argv[0], argv);
    fprintf(stderr, "qpusim-device: %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

/* Of the program and what it has started, the driver included, which is the part that a host would spend. */
static void print_processor_time(void) {
    struct rusage used;
    if (getrusage(RUSAGE_CHILDREN, &used) == 0) {
        fprintf(stderr, "the program took %.1f ms of processor time, and %.1f in the kernel\n",
                1000.0 * (double)used.ru_utime.tv_sec + (double)used.ru_utime.tv_usec / 1000.0,
                1000.0 * (double)used.ru_stime.tv_sec + (double)used.ru_stime.tv_usec / 1000.0);
    }
}

static int run_program(struct owner *o, char **argv) {
    char folder[PATH_MAX], preload[PATH_MAX], error[512];
    struct qpusim_drm_hooks hooks = {.user = o,
                                     .add_memory = add_memory,
                                     .remove_memory = remove_memory,
                                     .run = run_lists,
                                     .ident = ident,
                                     .count = count,
                                     .submit = submitted,
                                     .done = finished,
                                     .frame = show_frame,
                                     .log = write_log,
                                     .width = o->options.width,
                                     .height = o->options.height};
    if (!find_preload(preload)) {
        fprintf(stderr, "qpusim-device: the library to preload is missing\n");
        return 1;
    }
    if (!folder_make(folder, error, sizeof error)) {
        fprintf(stderr, "qpusim-device: %s\n", error);
        return 1;
    }
    int status = 1 << 8;
    struct qpusim_drm *device = qpusim_drm_new(&hooks);
    struct server *server = device ? server_new(folder, device, error, sizeof error) : NULL;
    if (!server) {
        fprintf(stderr, "qpusim-device: %s\n", device ? error : "no memory");
    } else {
        o->child = start_program(argv, folder, preload, o->options.frame_clock);
        status = o->child > 0 ? server_run(server, o->child) : status;
    }
    server_free(server);
    qpusim_drm_free(device);
    folder_remove(folder);
    if (o->options.stats) {
        const struct qpusim_counters *c = gpu_counters(o->gpu);
        fprintf(stderr, "%u jobs, %u failed, %u frames, %llu instructions, %llu cycles\n", o->jobs,
                o->failures, o->frames, (unsigned long long)c->instructions, (unsigned long long)c->cycles);
        print_processor_time();
    }
    bool at_limit = o->options.frame_limit && o->frames >= o->options.frame_limit;
    if (WIFSIGNALED(status) && !(at_limit && WTERMSIG(status) == SIGTERM)) {
        return 128 + WTERMSIG(status);
    }
    int own = WIFSIGNALED(status) ? 0 : WEXITSTATUS(status); /* ended at the limit it is well */
    return own ? own : o->failures ? 1 : 0;
}

/* --- options -------------------------------------------------------------------------------------------- */

static int usage(void) {
    fprintf(stderr, "usage: qpusim-device [--frames DIR] [--raw] [--frame-limit N] [--frame-clock] [--record "
                    "DIR] [--size WxH] "
                    "[--stats] [--lenient] [--ideal] [--fault NAME] [--threads N] -- PROGRAM ARGUMENTS...\n"
                    "       qpusim-device --list-faults\n");
    return 1;
}

static int list_faults(void) {
    const struct qpusim_fault *fault;
    for (unsigned n = 1; (fault = qpusim_fault_at(n)); n++) {
        printf("%-24s %-24s %s\n", fault->name, fault->assumption, fault->text);
    }
    return 0;
}

static bool read_number(const char *text, unsigned *number) {
    char rest;
    return *text >= '0' && *text <= '9' && sscanf(text, "%9u%c", number, &rest) == 1;
}

static bool read_size(const char *text, unsigned *width, unsigned *height) {
    enum { LARGEST = 2048 }; /* of frame buffers */
    char rest;
    return sscanf(text, "%4ux%4u%c", width, height, &rest) == 2 && *width && *width <= LARGEST && *height &&
           *height <= LARGEST;
}

/* Says what an option takes; always false. */
static bool refuse(const char *option, const char *takes, const char *text) {
    fprintf(stderr, "qpusim-device: --%s takes %s, not %s\n", option, takes, text);
    return false;
}

static bool read_options(int argc, char **argv, struct device_options *o) {
    static const struct option options[] = {{"frames", required_argument, NULL, 'f'},
                                            {"raw", no_argument, NULL, 'r'},
                                            {"frame-limit", required_argument, NULL, 'n'},
                                            {"record", required_argument, NULL, 'c'},
                                            {"size", required_argument, NULL, 'g'},
                                            {"frame-clock", no_argument, NULL, 'k'},
                                            {"stats", no_argument, NULL, 's'},
                                            {"ideal", no_argument, NULL, 'i'},
                                            {"lenient", no_argument, NULL, 'l'},
                                            {"fault", required_argument, NULL, 'F'},
                                            {"threads", required_argument, NULL, 't'},
                                            {0}};
    for (int c; (c = getopt_long(argc, argv, "+", options, NULL)) != -1;) {
        switch (c) {
        case 'f': o->frames = optarg; break;
        case 'r': o->raw_frames = true; break;
        case 'n':
            if (!read_number(optarg, &o->frame_limit)) {
                return refuse("frame-limit", "a number", optarg);
            }
            break;
        case 'c': o->record = optarg; break;
        case 'g':
            if (!read_size(optarg, &o->width, &o->height)) {
                return refuse("size", "1x1 to 2048x2048", optarg);
            }
            break;
        case 'k': o->frame_clock = true; break;
        case 's': o->stats = true; break;
        case 'i': o->gpu.ideal = true; break;
        case 'l': o->gpu.lenient = true; break;
        case 'F':
            o->gpu.fault = qpusim_fault_find(optarg);
            if (!o->gpu.fault) {
                fprintf(stderr, "qpusim-device: there is no fault %s; --list-faults prints all\n", optarg);
                return false;
            }
            break;
        case 't':
            if (!read_number(optarg, &o->gpu.threads)) {
                return refuse("threads", "a number", optarg);
            }
            break;
        default: return false;
        }
    }
    return optind < argc;
}

/* Every buffer has a descriptor. */
static void allow_descriptors(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

int main(int argc, char **argv) {
    struct owner o = {.options = {.gpu = {.log = stderr}}};
    char error[512];
    if (argc == 2 && !strcmp(argv[1], "--list-faults")) {
        return list_faults();
    }
    if (!read_options(argc, argv, &o.options)) {
        return usage();
    }
    allow_descriptors();
    if (o.options.frames && mkdir(o.options.frames, 0777) != 0 && errno != EEXIST) {
        perror(o.options.frames);
        return 1;
    }
    if (o.options.record && !(o.recorder = recorder_new(o.options.record, error, sizeof error))) {
        fprintf(stderr, "qpusim-device: %s\n", error);
        return 1;
    }
    o.gpu = gpu_new(&o.options.gpu);
    if (!o.gpu) {
        fprintf(stderr, "qpusim-device: no memory for the machine\n");
        return 1;
    }
    int status = run_program(&o, argv + optind);
    recorder_free(o.recorder);
    gpu_free(o.gpu);
    return status;
}
