/* The sandbox of workers: what is allowed goes on, anything else ends the process with SIGSYS or fails. */
#define _GNU_SOURCE
#include "serve/sandbox.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <grp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MEMORY = 256 << 20, FINE = 42 };

static int channel;

/* --- what a worker does --- */

static int computes(void) {
    char *memory = malloc(64 << 20), byte = 'x';
    if (!memory)
        return 1;
    memset(memory, 1, 64 << 20);
    memory = realloc(memory, 100 << 20);
    free(memory);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return write(channel, &byte, 1) == 1 && read(channel, &byte, 1) == 1 && byte == 'x' ? FINE : 2;
}

static int runs_out_of_memory(void) {
    void *memory = malloc((size_t)4 << 30);
    return memory ? 1 : FINE;
}

/* --- what it must not --- */

static int opens(void) {
    return open("/etc/passwd", O_RDONLY);
}

static int creates(void) {
    return open("/tmp/qpucc-sandbox-test", O_CREAT | O_WRONLY, 0600);
}

static int makes_socket(void) {
    return socket(AF_INET, SOCK_STREAM, 0);
}

static int makes_pair(void) {
    int pair[2];
    return socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
}

static int forks(void) {
    return (int)syscall(SYS_fork);
}

static int clones(void) {
    return (int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static int executes(void) {
    return execl("/bin/true", "true", (char *)NULL);
}

static int kills(void) {
    return kill(getppid(), 0);
}

static int traces(void) {
    return (int)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
}

static int maps_code(void) {
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
           MAP_FAILED;
}

static int makes_code(void) {
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return mprotect(page, 4096, PROT_READ | PROT_EXEC);
}

static int maps_file(void) {
    return mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, channel, 0) == MAP_FAILED;
}

static int writes_elsewhere(void) {
    return (int)write(1, "x", 1);
}

static int writes_pieces_elsewhere(void) {
    struct iovec piece = {(char[]){"x"}, 1};
    return (int)writev(1, &piece, 1);
}

static int reads_elsewhere(void) {
    char byte;
    return (int)read(0, &byte, 1);
}

static int duplicates(void) {
    return dup(channel);
}

static int unlinks(void) {
    return unlink("/tmp/qpucc-sandbox-test");
}

static int loads_module(void) {
    return (int)syscall(SYS_io_uring_setup, 1, NULL);
}

static int advise(int advice) {
    void *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return madvise(pages, 8192, advice) == 0 ? FINE : 1;
}

static int gives_pages_back(void) {
    return advise(MADV_DONTNEED);
}

static int frees_pages(void) {
    return advise(MADV_FREE);
}

/* Whether another process has a page of the same contents shows in the time of a write. */
static int merges_pages(void) {
    return advise(MADV_MERGEABLE);
}

static int damages_pages(void) {
    return advise(MADV_HWPOISON);
}

static int pages_out(void) {
    return advise(MADV_PAGEOUT);
}

static const struct {
    const char *name;
    int (*run)(void);
    bool allowed;
} cases[] = {{"computes", computes, true},
             {"runs out of memory", runs_out_of_memory, true},
             {"gives pages back", gives_pages_back, true},
             {"frees pages", frees_pages, true},
             {"merges pages", merges_pages, false},
             {"damages pages", damages_pages, false},
             {"writes pages out", pages_out, false},
             {"opens a file", opens, false},
             {"creates a file", creates, false},
             {"makes a socket", makes_socket, false},
             {"makes a pair of sockets", makes_pair, false},
             {"forks", forks, false},
             {"clones", clones, false},
             {"executes", executes, false},
             {"sends a signal", kills, false},
             {"traces", traces, false},
             {"maps code", maps_code, false},
             {"makes code of data", makes_code, false},
             {"maps a file", maps_file, false},
             {"writes to another descriptor", writes_elsewhere, false},
             {"writes pieces to another descriptor", writes_pieces_elsewhere, false},
             {"reads from another descriptor", reads_elsewhere, false},
             {"duplicates a descriptor", duplicates, false},
             {"unlinks", unlinks, false},
             {"sets up a ring", loads_module, false}};

#if defined(__SANITIZE_ADDRESS__)
enum { BOUNDED = 0 }; /* the sanitizer needs terabytes of addresses */
#else
enum { BOUNDED = 1 };
#endif

static bool run(size_t number) {
    int pair[2], status;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || write(pair[0], "x", 1) != 1)
        return false;
    pid_t child = fork();
    if (child == 0) {
        channel = pair[1];
        if (!sandbox_enter(channel, MEMORY, 10))
            _exit(3);
        _exit(cases[number].run());
    }
    close(pair[1]);
    waitpid(child, &status, 0);
    close(pair[0]);
    bool ok = cases[number].allowed ? WIFEXITED(status) && WEXITSTATUS(status) == FINE
                                    : WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
    if (!ok)
        printf("FAILED: a worker that %s: status %#x\n", cases[number].name, (unsigned)status);
    return ok;
}

/* A process that root started, or whoever has rights to give up: nothing is left, and nothing comes back. */
static bool drops_rights(void) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        if (!sandbox_drop_rights() || setuid(0) == 0 || seteuid(0) == 0 || setgid(0) == 0 || getuid() == 0 ||
            geteuid() == 0 || getgid() == 0 || getgroups(0, NULL) != 0 || kill(getppid(), 0) == 0 ||
            open("/etc/shadow", O_RDONLY) >= 0)
            _exit(1);
        _exit(prctl(PR_CAPBSET_READ, 0, 0, 0, 0) == 0 ? FINE : 2);
    }
    waitpid(child, &status, 0);
    bool ok = WIFEXITED(status) && WEXITSTATUS(status) == FINE;
    if (!ok)
        printf("FAILED: rights that are left: status %#x\n", (unsigned)status);
    return ok;
}

int main(void) {
    size_t failed = 0, count = sizeof cases / sizeof *cases;
    for (size_t i = 0; i < count; i++)
        if (BOUNDED || cases[i].run != runs_out_of_memory)
            failed += !run(i);
    if (getuid() == 0) {
        failed += !drops_rights();
        count++;
    }
    printf("%zu cases, %zu failed\n", count, failed);
    return failed != 0;
}
