/* The sandbox of worker processes. The filter is a list of what is allowed; the table says why. */
#define _GNU_SOURCE
#include "sandbox.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* These sanitizers reserve terabytes of addresses. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BOUND_ADDRESSES 0
#else
#define BOUND_ADDRESSES 1
#endif

static bool bound(int what, rlim_t value) {
    struct rlimit limit = {value, value};
    return setrlimit((__rlimit_resource_t)what, &limit) == 0;
}

/* --- rights --------------------------------------------------------------------------------------------- */

enum { NOBODY = 65534 };

/* Where this user's namespace knows no nobody, root of it is somebody without rights outside. */
static bool become_nobody(void) {
    if (geteuid() != 0 && getuid() != 0)
        return true;
    bool groups = setgroups(0, NULL) == 0 || getgroups(0, NULL) == 0;
    if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
        return errno == EINVAL;
    return groups && setuid(0) != 0;
}

bool sandbox_drop_rights(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}}, left[_LINUX_CAPABILITY_U32S_3];
    for (unsigned long cap = 0; prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
        prctl(PR_CAPBSET_DROP, cap, 0, 0, 0); /* refused to those who have none to drop */
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (!become_nobody() || syscall(SYS_capset, &header, none) || syscall(SYS_capget, &header, left))
        return false;
    for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
        if (left[i].effective | left[i].permitted | left[i].inheritable)
            return false;
    return true;
}

/* --- limits --------------------------------------------------------------------------------------------- */

/* Descriptors are few and known; none may stay open by accident. */
static bool close_others(int fd) {
    if (fd < 3)
        return false;
    for (int k = 0; k < 3; k++)
        if (k != fd)
            close(k);
    return (fd == 3 || syscall(SYS_close_range, 3u, (unsigned)fd - 1, 0u) == 0) &&
           syscall(SYS_close_range, (unsigned)fd + 1, ~0u, 0u) == 0;
}

static bool allow_memory(scmp_filter_ctx filter) {
    static const int calls[] = {SCMP_SYS(brk), SCMP_SYS(munmap), SCMP_SYS(mremap)};
    static const int advice[] = {
        MADV_DONTNEED,
        MADV_FREE,
#if !BOUND_ADDRESSES
        MADV_NOHUGEPAGE, /* what sanitizers say of their own memory */
        MADV_HUGEPAGE,
        MADV_DONTDUMP,
#endif
    };
    bool ok = true;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        ok = ok && seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0) == 0;
    /* to give pages back; other advice concerns pages that processes share, or damages them */
    for (size_t i = 0; i < sizeof advice / sizeof *advice; i++)
        ok = ok && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(madvise), 1,
                                    SCMP_A2(SCMP_CMP_EQ, (scmp_datum_t)advice[i])) == 0;
    /* anonymous memory that is not code: no files, nothing to jump to */
    ok = ok && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2,
                                SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0),
                                SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, MAP_ANONYMOUS)) == 0;
    return ok && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1,
                                  SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)) == 0;
}

static bool install_filter(int fd) {
    static const int calls[] = {
        SCMP_SYS(poll),          SCMP_SYS(ppoll),        SCMP_SYS(exit),           SCMP_SYS(exit_group),
        SCMP_SYS(futex),         SCMP_SYS(rt_sigreturn), SCMP_SYS(rt_sigprocmask), SCMP_SYS(restart_syscall),
        SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday), SCMP_SYS(getrandom),      SCMP_SYS(sysinfo),
        SCMP_SYS(sched_yield),   SCMP_SYS(setitimer),    SCMP_SYS(getpid),         SCMP_SYS(gettid),
        SCMP_SYS(sigaltstack),
    };
    static const int on_socket[] = {SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev)};
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    bool ok = filter != NULL;
    for (size_t i = 0; ok && i < sizeof calls / sizeof *calls; i++)
        ok = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0) == 0;
    for (size_t i = 0; ok && i < sizeof on_socket / sizeof *on_socket; i++)
        ok = seccomp_rule_add(filter, SCMP_ACT_ALLOW, on_socket[i], 1,
                              SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)fd)) == 0;
    /* abort(): a signal to itself and to nobody else */
    ok = ok && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1,
                                SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid())) == 0;
    ok = ok && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(rt_sigaction), 1,
                                SCMP_A0(SCMP_CMP_EQ, SIGABRT)) == 0;
    ok = ok && allow_memory(filter) && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return ok;
}

bool sandbox_enter(int fd, size_t memory, unsigned cpu_seconds) {
    return close_others(fd) && (!BOUND_ADDRESSES || bound(RLIMIT_AS, memory)) &&
           bound(RLIMIT_CPU, cpu_seconds) && bound(RLIMIT_CORE, 0) && bound(RLIMIT_FSIZE, 0) &&
           bound(RLIMIT_NPROC, 0) && bound(RLIMIT_NOFILE, (rlim_t)fd + 1) && prctl(PR_SET_DUMPABLE, 0) == 0 &&
           prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && install_filter(fd);
}
