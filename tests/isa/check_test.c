/* The rule checker: for every rule a program that breaks it, and nothing else, and one that just keeps all of
 * them. */
#include "backend/isa/isa.h"
#include "random.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define END "\nnop; nop; thrend\nnop\nnop\n"
#define NOP2 "nop\nnop\n"
#define NOP3 "nop\nnop\nnop\n"
/* A uniform address reset as the kernel wants it, its immediate given. */
#define RESET(offset) "movi r0, " #offset "\nadd unif_addr, r0, unif\n" NOP2
#define VR "movi vr_setup, 0x00101a00\n" /* one vector */

enum { FS = QPUCC_FRAGMENT, VS = QPUCC_VERTEX, CS = QPUCC_COORDINATE };
enum { HW = QPU_PROFILE_HW, LINUX = QPU_PROFILE_LINUX };

struct rule_case {
    const char *rule;
    int profile, stage;
    bool threaded;
    const char *breaks, *keeps;
};

static const struct rule_case cases[] = {
    /* one instruction */
    {"reserved-encoding", HW, FS, false, "aop9 r0, r1, r2" END, "v8subs r0, r1, r2" END},
    {"reserved-encoding", HW, FS, false, "movi r0, 1 [unpack=2]" END, "movis r0, 1" END},
    {"reserved-encoding", HW, FS, false, NOP2 "brr.br12 next\n" NOP3 "next: nop" END,
     NOP2 "brr.anync next\n" NOP3 "next: nop" END},
    {"reserved-encoding", HW, FS, false, "nop; mov r0, r1 [pm=1 pack=9]" END, "nop; mov r0.8d, r1" END},
    {"one-peripheral-access", HW, FS, false,
     NOP2 "mov t0s, r0; mov recip, r1\nnop\nnop\nnop; nop; ldtmu0" END,
     NOP2 "mov t0s, r0; mov r1, r1\nnop; nop; ldtmu0" END},
    {"one-peripheral-access", HW, FS, false, NOP2 "mov t0t, r0; mov t0s, r1\nnop; nop; ldtmu0" END,
     NOP2 "mov t0t, r0\nmov t0s, r1\nnop; nop; ldtmu0" END},
    {"one-peripheral-access", HW, FS, false, NOP2 "mov t0s, r0\nmov recip, r0; nop; ldtmu0" END,
     NOP2 "mov t0s, r0\nmov r0, r0; nop; ldtmu0" END},
    {"one-peripheral-access", HW, FS, false, NOP2 "mov tlbz, r0; mov tlbc, r1\nnop; nop; sbdone" END,
     NOP2 "mov tlbm, r0; nop; loadc\nnop; nop; sbdone" END},
    {"one-peripheral-access", HW, FS, false, NOP2 "mov tlbz, r0; nop; loadc\nnop; nop; sbdone" END,
     NOP2 "mov tlbc, r0; nop; loadc\nnop; nop; sbdone" END},
    {"one-peripheral-access", HW, FS, false, NOP2 "mov stencil, r0; mov tlbz, r1\nnop; nop; sbdone" END,
     NOP2 "mov stencil, r0; nop; loadc\nmov tlbz, r0; nop; sbdone" END},
    {"one-peripheral-access", HW, FS, false, "sacq recip, 3" END, "sacq 3" END},
    {"one-peripheral-access", HW, FS, false, "mov recip, mutex" END, "mov r0, mutex\nmov mutex, r0" END},
    {"same-destination", HW, FS, false, "fadd r0, r1, r2; fmul r0, r1, r2" END,
     "fadd r0, r1, r2; fmul r1, r1, r2" END},
    {"same-destination", HW, FS, false, "movi r0, 1; movi r0, 1" END, "movi r0, 1; movi r1, 1" END},
    {"idle-alu-writes", HW, FS, false, "fadd r0, r1, r2 [wm=3]" END, "fadd r0, r1, r2; mov rb3, r3" END},
    {"read-address", HW, FS, false, "mov r0, ra39" END, "mov r0, elem_num" END},
    {"read-address", HW, FS, false, "mov r0, rb60" END, "mov r0, qpu_num" END},
    {"unused-read", HW, FS, false, "mov r0, r1 [ra=32]" END, "mov r0, r1 [ra=31]" END},
    {"unused-read", HW, FS, false, "mov r0, r1 [rb=35]" END, "mov r0, vary" END},
    {"fifo-read-twice", HW, FS, false, "fadd r0, vary, vary [ab=7 rb=35]" END, "fadd r0, vary, vary" END},
    {"flags-of-never", HW, FS, false, "fadd.never.setf r0, r1, r2" END,
     "fadd.never r0, r1, r2; mov.setf r1, r2 [sf=0]" END},
    {"pack-destination", HW, FS, false, NOP2 "nop; mov t0s.8a, r1\nnop; nop; ldtmu0" END,
     "nop; mov r0.8a, r1" END},
    {"pack-destination", HW, FS, false, "mov r0, r1 [pack=1]" END, "mov ra0.16a, r1" END},
    {"rotate-operands", HW, FS, false, "nop; mov.rot3 r0, ra1" END, "nop; mov.rot3 r0, r1" END},
    {"rotate-operands", HW, FS, false, "nop; fmul.rot3 r0, r1, r4" END, "nop; fmul.rot3 r0, r1, r3" END},
    {"vpm-access", HW, VS, false, "mov vr_setup, r0; mov vw_setup, r0" END,
     "mov vr_setup, r0\nmov vw_setup, r0" END},
    {"vpm-access", HW, VS, false, "mov vr_setup, r0\nmov vr_setup, vpm" END,
     "mov vr_setup, r0\nmov vw_setup, vpm" END},
    {"vpm-access", HW, VS, false, "mov vw_setup, r0\nmov vpm, r0; mov vw_setup, r0" END,
     "mov vr_setup, r0\nmov vw_setup, r0\nmov vpm, vpm" END},
    {"conditional-peripheral", HW, FS, false, NOP2 "mov.zs t0s, r0\nnop; nop; ldtmu0" END,
     NOP2 "mov.zs tlbz, r0\nmov.zs tlbc, r0; nop; sbdone" END},
    {"conditional-peripheral", HW, VS, false, "mov vw_setup, r0\nmov.cc vpm, r0" END,
     "mov vw_setup, r0\nmov vpm, r0; mov.cc r1, r2" END},
    {"r5-written-twice", HW, FS, false, "mov r5rep, vary" END, "mov r0, vary\nmov r5rep, r0" END},
    {"branch-register", HW, FS, false, NOP2 "brr 0+ra2\n" NOP3, NOP2 "brr next\n" NOP3 "next: nop" END},
    /* neighbours */
    {"regfile-read-after-write", HW, FS, false, "mov ra1, r0\nmov r1, ra1" END,
     "mov ra1, r0\nmov r1, rb1" END},
    {"regfile-read-after-write", HW, FS, false, "mov rb1, r0\nnop; fmul r1, rb1, r2" END,
     "mov rb1, r0\nnop\nnop; fmul r1, rb1, r2" END},
    {"regfile-read-after-write", HW, FS, false, "movi ra1, 5\nmov r1, ra1" END,
     "movi.never ra1, 5\nmov r1, ra1" END},
    /* ... over a branch: the last slot and the target */
    {"regfile-read-after-write", HW, FS, false,
     NOP2 "brr.allz far\n" NOP2 "mov ra1, r0\nnop\nnop\nfar: mov r1, ra1" END,
     NOP2 "brr.allz far\nnop\nmov ra1, r0\nnop\nnop\nnop\nfar: mov r1, ra1" END},
    {"regfile-read-after-write", HW, FS, false,
     NOP2 "brr.allz far\n" NOP2 "mov ra1, r0\nmov r1, ra1\nfar: nop" END,
     /* an unconditional branch does not fall through */
     NOP2 "brr far\n" NOP2 "mov ra1, r0\nmov r1, ra1\nfar: nop" END},
    {"sfu-r4-read", HW, FS, false, "mov recip, r0\nnop\nmov r1, r4" END,
     "mov recip, r0\nnop\nnop\nmov r1, r4" END},
    {"sfu-r4-write", HW, FS, false, NOP2 "mov t0s, r0\nmov recip, r0\nnop\nnop; nop; ldtmu0" END,
     NOP2 "mov t0s, r0\nmov recip, r0\nnop\nnop\nnop; nop; ldtmu0" END},
    {"sfu-r4-write", HW, FS, false, "mov recip, r0\nmov rsqrt, r0" END,
     "mov recip, r0\nnop\nnop\nmov rsqrt, r0" END},
    {"rotate-r5-after-write", HW, FS, false, "mov r5rep, r0\nnop; mov.rotr5 r1, r0" END,
     "mov r5rep, r0\nnop\nnop; mov.rotr5 r1, r0" END},
    {"rotate-r5-after-write", HW, FS, false, "mov r2, vary\nnop; mov.rotr5 r1, r0" END,
     "mov r2, vary\nnop; mov.rot1 r1, r0" END},
    {"rotate-after-write", HW, FS, false, "mov r0, r1\nnop; mov.rot1 r1, r0" END,
     "mov r2, r1\nnop; mov.rot1 r1, r0" END},
    {"mask-after-tlb-z", HW, FS, false, NOP2 "mov tlbz, r0\nnop\nmov r1, ms_mask; nop; sbdone" END,
     NOP2 "mov tlbz, r0\nmov tlbc, r2\nmov r1, rev_flag\nmov r1, ms_mask; nop; sbdone" END},
    {"uniform-after-address", HW, FS, false, "mov unif_addr, r0\nnop\nmov r1, unif" END,
     "mov unif_addr, r0\nnop\nnop\nmov r1, unif" END},
    {"uniform-after-address", HW, FS, false, NOP2 "mov unif_addr, r0\nnop\nmov t0s, r0\nnop; nop; ldtmu0" END,
     NOP2 "mov unif_addr, r0\nnop\nnop\nmov t0s, r0\nnop; nop; ldtmu0" END},
    {"noswap-distance", HW, FS, false, "mov tmu_noswap, r0\nnop\nmov t0s, r0\nnop; nop; ldtmu0" END,
     "mov tmu_noswap, r0\nnop\nnop\nmov t0s, r0\nnop; nop; ldtmu0" END},
    /* start and end */
    {"program-end", HW, FS, false, "nop\nnop\nnop\n", "nop; nop; thrend\nnop\nnop\n"},
    {"program-end", HW, FS, false, "nop; nop; thrend\nnop\n", "nop; nop; thrend\nnop\nnop\nnop\n"},
    {"program-end", HW, FS, false, NOP2 "brr.allz 0x8\n" NOP3 "nop\nnop", NOP2 "brr 0x0\n" NOP3 END},
    {"program-end", HW, FS, false, "", "nop; nop; thrend\nnop\nnop\n"},
    {"end-slots", HW, FS, false, "nop; nop; thrend\nnop; nop; thrend\nnop\nnop",
     "nop; nop; thrend\nnop\nnop"},
    {"end-io", HW, FS, false, "nop; nop; thrend\nmov r0, unif\nnop",
     "mov r0, unif\nnop; nop; thrend\nnop\nnop"},
    {"end-io", HW, FS, false, "mov r0, vary; nop; thrend\nnop\nnop",
     "mov r0, vary\nnop; nop; thrend\nnop\nnop"},
    {"end-io", HW, VS, false, "mov vw_setup, r0\nnop; nop; thrend\nnop\nmov vpm, r0",
     "mov vw_setup, r0\nmov vpm, r0\nnop; nop; thrend\nnop\nnop"},
    {"end-regfile-write", HW, FS, false, "mov ra0, r0; nop; thrend\nnop\nnop",
     "mov r0, r0; nop; thrend\nmov ra0, r0\nnop"},
    {"end-address-14", HW, FS, false, "nop; nop; thrend\nmov rb14, r0\nnop",
     "mov rb14, r0\nnop; nop; thrend\nnop\nnop"},
    {"end-address-14", HW, FS, false, "nop; nop; thrend\nnop\nmov r0, ra14",
     "nop; nop; thrend\nnop\nmov r0, ra15"},
    {"end-tlb-z", HW, FS, false, NOP2 "nop; nop; thrend\nnop\nmov tlbz, r0; nop; sbdone",
     NOP2 "nop; nop; thrend\nmov tlbz, r0\nmov tlbc, r0; nop; sbdone"},
    {"end-scoreboard-wait", HW, FS, false, NOP2 "mov tlbc, r0; nop; thrend\nnop\nnop; nop; sbdone",
     NOP2 "nop; nop; sbwait\nmov tlbc, r0; nop; thrend\nnop\nnop; nop; sbdone"},
    {"scoreboard-wait-early", HW, FS, false, "nop\nnop; nop; sbwait\nmov tlbc, r0\nnop; nop; sbdone" END,
     "nop\nnop\nnop; nop; sbwait\nmov tlbc, r0\nnop; nop; sbdone" END},
    {"scoreboard-wait-early", HW, FS, false, "nop\nmov tlbc, r0\nnop; nop; sbdone" END,
     "nop\nnop\nmov tlbc, r0\nnop; nop; sbdone" END},
    {"tmu-write-early", HW, FS, false, "nop\nmov t0s, r0\nnop; nop; ldtmu0" END,
     "nop\nnop\nmov t0s, r0\nnop; nop; ldtmu0" END},
    {"tmu-write-early", HW, VS, false, "nop\nmov t0s, r0\nnop; nop; ldtmu0" END,
     "nop\nnop\nmov t0s, r0\nnop; nop; ldtmu0" END},
    /* branches */
    {"branch-slots", HW, FS, false, NOP2 "brr.allz next\nbrr.allz next\n" NOP3 "next: nop" END,
     NOP2 "brr.allz next\n" NOP3 "brr.allz next\n" NOP3 "next: nop" END},
    {"branch-slots", HW, FS, false, NOP2 "brr.allz next\nnop; nop; thrend\nnop\nnop\nnext: nop" END,
     NOP2 "brr.allz next\n" NOP3 "nop; nop; thrend\nnop\nnop\nnext: nop" END},
    {"branch-target", HW, FS, false, NOP2 "brr.allz 0x1000\n" NOP3 END, NOP2 "brr.allz 0x0\n" NOP3 END},
    {"branch-target", HW, FS, false, NOP2 "brr.allz 0x4\n" NOP3 END, NOP2 "brr.allz 0x8\n" NOP3 "nop" END},
    /* stages */
    {"tile-buffer-stage", HW, VS, false, NOP2 "mov tlbc, r0\nnop; nop; sbdone" END, NOP2 "mov r0, r0" END},
    {"tile-buffer-stage", HW, CS, false, "nop\nnop\nnop; nop; sbwait\nnop; nop; sbdone" END, "nop" END},
    {"vpm-stage", HW, FS, false, "mov vw_setup, r0" END, "mov r0, r0" END},
    {"varying-stage", HW, VS, false, "mov r0, vary" END, "mov r0, unif" END},
    {"scoreboard-unlock", HW, FS, false, NOP2 "mov tlbc, r0" END, NOP2 "mov tlbc, r0; nop; sbdone" END},
    {"scoreboard-unlock", HW, FS, false, NOP2 "mov tlbz, r0; nop; sbdone\nmov tlbc, r0; nop; sbdone" END,
     NOP2 "mov tlbz, r0\nmov tlbc, r0; nop; sbdone" END},
    {"z-after-colour", HW, FS, false, NOP2 "mov tlbc, r0\nmov tlbz, r0; nop; sbdone" END,
     NOP2 "mov tlbz, r0\nmov tlbc, r0; nop; sbdone" END},
    /* texture units */
    {"tmu-uniform-read", HW, FS, false, NOP2 "mov t0t, r0\nmov t0s, unif\nnop; nop; ldtmu0" END,
     NOP2 "add t0s, r0, unif\nnop; nop; ldtmu0" END},
    {"tmu-uniform-read", HW, FS, false, NOP2 "mov t0t, unif\nmov t0s, r0\nnop; nop; ldtmu0" END,
     NOP2 "mov t0t, r0\nmov t0s, r0; mov r1, vary\nnop; nop; ldtmu0" END},
    {"tmu-coordinates", HW, FS, false, NOP2 "mov t0t, r0\nmov t0t, r0\nmov t0s, r0\nnop; nop; ldtmu0" END,
     NOP2 "mov t0t, r0\nmov t1t, r0\nmov t0s, r0\nmov t1s, r0\nnop; nop; ldtmu0\nnop; nop; ldtmu1" END},
    {"tmu-coordinates", HW, FS, false, NOP2 "mov t0s, r0\nmov t0t, r0\nnop; nop; ldtmu0" END,
     NOP2 "mov t0t, r0\nmov t0s, r0\nnop; nop; ldtmu0" END},
    {"noswap-late", HW, FS, false, NOP2 "mov t0s, r0\nmov tmu_noswap, r0\nnop; nop; ldtmu0" END,
     "mov tmu_noswap, r0\n" NOP2 "mov t0s, r0\nnop; nop; ldtmu0" END},
    {"tmu-read-unrequested", HW, FS, false, NOP2 "mov t0s, r0\nnop; nop; ldtmu0\nnop; nop; ldtmu0" END,
     NOP2 "mov t0s, r0\nmov t0s, r0\nnop; nop; ldtmu0\nnop; nop; ldtmu0" END},
    {"tmu-read-unrequested", HW, FS, false, "nop; nop; ldtmu1" END, NOP2 "mov t1s, r0\nnop; nop; ldtmu1" END},
    {"tmu-unread", HW, FS, false, NOP2 "mov t0s, r0" END, NOP2 "mov t0s, r0\nnop; nop; ldtmu0" END},
    {"tmu-fifo", HW, FS, false,
     NOP2 "mov t0t, r0\nmov t0s, r0\nmov t0t, r0\nmov t0s, r0\nmov t0t, r0\nmov t0s, r0\nmov t0t, r0\nmov "
          "t0s, r0\n"
          "mov t0s, r0\nnop; nop; ldtmu0\nnop; nop; ldtmu0\nnop; nop; ldtmu0\nnop; nop; ldtmu0\nnop; nop; "
          "ldtmu0" END,
     NOP2 "mov t0t, r0\nmov t0s, r0\nmov t0t, r0\nmov t0s, r0\nmov t0t, r0\nmov t0s, r0\nmov t0t, r0\nmov "
          "t0s, r0\n"
          "mov t1s, r0\nnop; nop; ldtmu0\nnop; nop; ldtmu0\nnop; nop; ldtmu0\nnop; nop; ldtmu0\nnop; nop; "
          "ldtmu1" END},
    {"tmu-fifo", HW, FS, true,
     NOP2 "mov t0t, r0\nmov t0s, r0\nmov t0t, r0\nmov t0s, r0\nmov t0s, r0; nop; lthrsw\n" NOP2
          "nop; nop; ldtmu0\nnop; nop; ldtmu0\nnop; nop; ldtmu0" END,
     NOP2 "mov t0t, r0\nmov t0s, r0\nmov t0t, r0\nmov t0s, r0; nop; lthrsw\n" NOP2
          "nop; nop; ldtmu0\nnop; nop; ldtmu0" END},
    {"tmu-fifo", HW, FS, false,
     NOP2 "add t0s, r0, unif\nadd t0s, r0, unif\nadd t0s, r0, unif\nadd t0s, r0, unif\nadd t0s, r0, unif\n"
          "nop; nop; ldtmu0\nnop; nop; ldtmu0\nnop; nop; ldtmu0\nnop; nop; ldtmu0\nnop; nop; ldtmu0" END,
     NOP2 "add t0s, r0, unif\nadd t0s, r0, unif\nadd t0s, r0, unif\nadd t0s, r0, unif; nop; ldtmu0 [sig=1]\n"
          "nop; nop; ldtmu0\nnop; nop; ldtmu0\nnop; nop; ldtmu0\nnop; nop; ldtmu0" END},
    {"tmu-balance", HW, FS, false, NOP2 "brr.allz skip\n" NOP3 "mov t0s, r0\nskip: nop" END,
     NOP2 "brr.allz skip\n" NOP3 "mov t0s, r0\nnop; nop; ldtmu0\nskip: nop" END},
    /* varyings, VPM */
    {"varying-balance", HW, FS, false, NOP2 "brr.allz skip\n" NOP3 "mov r0, vary\nskip: nop" END,
     NOP2 "brr.allz other\n" NOP3 "mov r0, vary\nbrr join\n" NOP3 "other: mov r1, vary\njoin: nop" END},
    {"varying-balance", HW, FS, false, NOP2 "again: mov r0, vary\nbrr.allz again\n" NOP3 END,
     NOP2 "mov r0, vary\nagain: nop\nbrr.allz again\n" NOP3 END},
    /* ... an early end that leaves varyings unread */
    {"varying-balance", HW, FS, false,
     NOP2 "brr.allz more\n" NOP3 "nop; nop; thrend\n" NOP2 "more: mov r0, vary" END,
     NOP2 "brr.allz more\n" NOP3 "mov r1, vary\nnop; nop; thrend\n" NOP2 "more: mov r0, vary" END},
    {"vpm-read-queue", HW, VS, false,
     "movi vr_setup, 0x00201a00\n" VR NOP3 "mov r0, vpm\nmov r0, vpm\nmov r0, vpm" END,
     "movi vr_setup, 0x00201a00\n" NOP3 "mov r0, vpm\n" VR NOP3 "mov r0, vpm\nmov r0, vpm" END},
    {"vpm-read-count", HW, VS, false, VR NOP3 "mov r0, vpm\nmov r0, vpm" END, VR NOP3 "mov r0, vpm" END},
    {"vpm-read-count", HW, VS, false, VR NOP3 END, "movi vr_setup, 0x90000000" END},
    {"vpm-read-count", HW, VS, false, "mov r0, vpm" END, "mov vr_setup, unif\nnop\nmov r0, vpm" END},
    {"vpm-balance", HW, VS, false,
     "mov vr_setup, unif\nnop\nbrr.allz skip\n" NOP3 "mov r0, vpm\nskip: nop" END,
     "mov vr_setup, unif\nnop\nbrr.allz other\n" NOP3 "mov r0, vpm\nbrr join\n" NOP3
     "other: mov r1, vpm\njoin: nop" END},
    {"vpm-write-setup", HW, VS, false, "mov vpm, r0" END, "mov vw_setup, r0\nmov vpm, r0" END},
    {"vpm-write-setup", HW, VS, false, NOP2 "brr.allz skip\n" NOP3 "mov vw_setup, r0\nskip: mov vpm, r0" END,
     NOP2 "brr.allz skip\nmov vw_setup, r0\n" NOP2 "nop\nskip: mov vpm, r0" END},
    /* threads */
    {"switch-stage", HW, FS, false, "nop; nop; lthrsw\n" NOP2 END, "nop\n" NOP2 END},
    {"switch-stage", HW, VS, false, "nop; nop; lthrsw\n" NOP2 END, "nop\n" NOP2 END},
    {"switch-window", HW, FS, true, "nop; nop; thrsw\nnop\nnop; nop; lthrsw\n" NOP2 END,
     "nop; nop; thrsw\nnop\nnop\nnop; nop; lthrsw\n" NOP2 END},
    {"switch-window", HW, FS, true, "nop; nop; lthrsw\nnop\nbrr 0x0\n" NOP3 END,
     "nop; nop; lthrsw\nnop\nnop\nbrr 0x0\n" NOP3 END},
    {"switch-window", HW, FS, true, "nop; nop; lthrsw\nnop; nop; thrend\nnop\nnop",
     "nop; nop; lthrsw\nnop\nnop\nnop; nop; thrend\nnop\nnop"},
    {"last-switch", HW, FS, true, "nop; nop; thrsw\n" NOP2 END, "nop; nop; lthrsw\n" NOP2 END},
    {"last-switch", HW, FS, true, "nop; nop; lthrsw\n" NOP2 "nop; nop; thrsw\n" NOP2 END,
     "nop; nop; thrsw\n" NOP2 "nop; nop; lthrsw\n" NOP2 END},
    {"last-switch", HW, FS, true, NOP2 "brr.allz skip\n" NOP3 "nop; nop; lthrsw\n" NOP2 "skip: nop" END,
     NOP2 "brr.allz skip\n" NOP3 "nop\nskip: nop; nop; lthrsw\n" NOP2 END},
    {"accumulator-across-switch", HW, FS, true, "mov r0, r1; nop; lthrsw\n" NOP2 "mov ra0, r0" END,
     "mov ra0, r1; nop; lthrsw\nmov ra1, r0\nmov ra2, r0\nmov r0, ra0" END},
    {"accumulator-across-switch", HW, FS, true, "mov.setf nop, r1; nop; lthrsw\n" NOP2 "mov.zs ra0, ra1" END,
     "mov.setf nop, r1; nop; lthrsw\nmov.zs ra0, r0\nnop\nmov.setf nop, ra1\nmov.zs ra0, ra1" END},
    {"accumulator-across-switch", HW, FS, true,
     NOP2 "mov t0s, r0; nop; lthrsw\n" NOP2 "mov ra0, r4; nop; ldtmu0" END,
     NOP2 "mov t0s, r0; nop; lthrsw\n" NOP2 "nop; nop; ldtmu0\nmov ra0, r4" END},
    {"sfu-across-switch", HW, FS, true, "nop; nop; lthrsw\nmov recip, r0\n" NOP2 END,
     "mov recip, r0; nop; lthrsw\n" NOP2 END},
    {"tmu-without-switch", HW, FS, true, NOP2 "mov t0s, r0\nnop; nop; ldtmu0\nnop; nop; lthrsw\n" NOP2 END,
     NOP2 "mov t0s, r0\nnop; nop; lthrsw\n" NOP2 "nop; nop; ldtmu0" END},
    {"tmu-without-switch", HW, FS, true, NOP2 "nop; nop; lthrsw\n" NOP2 "mov t0s, ra0\nnop; nop; ldtmu0" END,
     /* the request itself may ride in the last slot */
     NOP2 "nop; nop; lthrsw\nnop\nmov t0s, ra0\nnop; nop; ldtmu0" END},
    {"tmu-left-at-switch", HW, FS, true,
     NOP2 "mov t0s, r0\nmov t0s, r0; nop; thrsw\n" NOP2 "nop; nop; ldtmu0\nnop; nop; lthrsw\n" NOP2
          "nop; nop; ldtmu0" END,
     NOP2 "mov t0s, r0\nmov t0s, r0; nop; thrsw\n" NOP2 "nop; nop; ldtmu0\nnop; nop; lthrsw\n"
          "nop; nop; ldtmu0\nnop" END},
    {"tile-access-before-switch", HW, FS, true,
     NOP2 "nop; nop; sbwait\nnop; nop; lthrsw\n" NOP2 "nop; nop; sbdone" END,
     NOP2 "nop; nop; lthrsw\n" NOP2 "nop; nop; sbwait\nmov tlbc, ra0; nop; sbdone" END},
    {"tile-access-before-switch", HW, FS, true,
     NOP2 "nop; nop; lthrsw\nnop\nmov tlbc, r0\nnop; nop; sbdone" END,
     NOP2 "nop; nop; lthrsw\nnop\nnop\nmov tlbc, ra0\nnop; nop; sbdone" END},
    {"threaded-registers", HW, FS, true, "mov ra16, r0; nop; lthrsw\n" NOP2 END,
     "mov ra15, r0; nop; lthrsw\n" NOP2 END},
    {"threaded-registers", HW, FS, true, "mov r0, rb31; nop; lthrsw\n" NOP2 END,
     "mov r0, rb15; nop; lthrsw\n" NOP2 END},
    /* profile linux */
    {"chip-rows-fall", HW, VS, false, "movi vw_setup, 0x3fa02\nmov vpm, r0" END,
     "movi vw_setup, 0x1fa02\nmov vpm, r0" END},
    {"chip-end-receives", HW, FS, false, NOP2 "mov t0s, r0\nnop; nop; thrend\nnop; nop; ldtmu0\nnop\n",
     NOP2 "mov t0s, r0\nnop; nop; ldtmu0\nnop; nop; thrend\nnop\nnop\n"},
    {"chip-end-receives", HW, FS, false,
     NOP3 "nop; nop; sbwait\nnop; nop; thrend\nnop; nop; loadc\nmov tlbc, r0; nop; sbdone\n",
     NOP3 "nop; nop; loadc\nnop; nop; thrend\nnop\nmov tlbc, r0; nop; sbdone\n"},
    {"linux-signal", LINUX, FS, false, "bkpt" END, "nop; nop; sbdone" END},
    {"linux-signal", LINUX, FS, false, NOP2 "mov tlbc, r0; nop; loadcv [sig=12 wa=32]\nnop; nop; sbdone" END,
     NOP2 "mov tlbc, r0; nop; loadc\nnop; nop; sbdone" END},
    {"linux-address", LINUX, FS, false, "mov tmu_noswap, r0" END, "mov r3, r0" END},
    {"linux-address", LINUX, FS, false, "mov irq, r0" END, "mov.setf nop, r0" END},
    {"linux-address", LINUX, FS, false, "mov mutex, r0" END, "mov r0, r0" END},
    {"linux-address", LINUX, VS, false, "mov vw_addr, r0" END, "mov vw_setup, r0" END},
    {"linux-branch-form", LINUX, FS, false, NOP2 "brr ra1, next\n" NOP3 "next: nop" END,
     NOP2 "brr next\n" NOP3 "next: nop" END},
    {"linux-branch-place", LINUX, FS, false, "nop\nbrr next\n" NOP3 "next: nop" END,
     NOP2 "brr next\n" NOP3 "next: nop" END},
    {"linux-branch-target", LINUX, FS, false,
     NOP2 "brr.allz L9\n" NOP3 "nop; nop; thrend\n" NOP2 "nop; nop; thrend\n" NOP2,
     NOP2 "brr.allz L6\n" NOP3 "nop; nop; thrend\n" NOP2 "nop; nop; thrend\n" NOP2},
    {"linux-branch-target", LINUX, FS, false, NOP2 "brr.allz L8\n" NOP3 "nop; nop; thrend\n" NOP2,
     NOP2 "brr.allz L6\n" NOP3 "nop; nop; thrend\n" NOP2},
    {"linux-branch-switch", LINUX, FS, true, "nop; nop; lthrsw\nnop\nbrr next\n" NOP3 "next: nop" END,
     "nop; nop; lthrsw\nnop\nnop\nbrr next\n" NOP3 "next: nop" END},
    {"linux-branch-tmu", LINUX, FS, false,
     NOP2 "brr.allz next\nmov t0t, r0\n" NOP2 "next: nop\n" RESET(8) "mov t0s, r0\nnop; nop; ldtmu0" END,
     NOP2 "brr.allz next\nmov t0t, r0\nmov t0s, r0\nnop\nnext: nop; nop; ldtmu0" END},
    {"linux-uniform-reset", LINUX, FS, false, NOP2 "brr.allz next\n" NOP3 "next: mov r0, unif" END,
     NOP2 "brr.allz next\n" NOP3 "next: " RESET(4) "mov r0, unif" END},
    {"linux-uniform-reset", LINUX, FS, false,
     NOP2 "brr.allz next\n" NOP3 RESET(4) "nop\nnext: mov r0, unif" END,
     NOP2 "brr.allz next\n" NOP3 RESET(4) "nop\nnext: " RESET(8) "mov r0, unif" END},
    {"linux-uniform-reset", LINUX, FS, false,
     NOP2 "brr.allz next\n" NOP3 "next: mov t0t, r0\nmov t0s, r0\nnop; nop; ldtmu0" END,
     NOP2 "mov t0t, r0\nmov t0s, r0\nbrr.allz next\n" NOP3 "next: nop; nop; ldtmu0" END},
    {"linux-reset-form", LINUX, FS, false, RESET(8), RESET(4)},
    {"linux-reset-form", LINUX, FS, false, "mov r1, unif\n" RESET(4), "mov r1, unif\n" RESET(8)},
    {"linux-reset-form", LINUX, FS, false, "movi r0, 4\nadd unif_addr, unif, r0\n" NOP2,
     "movi r0, 4\nadd unif_addr, r0, unif\n" NOP2},
    {"linux-reset-form", LINUX, FS, false, "movi.zs r0, 4\nadd unif_addr, r0, unif\n" NOP2,
     "movi ra0, 4\nnop\nadd unif_addr, ra0, unif\n" NOP2},
    {"linux-reset-form", LINUX, FS, false, "movi ra0.16a, 4\nnop\nadd unif_addr, ra0, unif\n" NOP2,
     "movi rb0, 4\nnop\nadd unif_addr, rb0, unif\n" NOP2},
    {"linux-reset-form", LINUX, FS, false, "movi r0, 4\nadd unif_addr_rel, r0, unif\n" NOP2, RESET(4)},
    {"linux-reset-form", LINUX, FS, false, "movi r0, 4\nadd.zs unif_addr, r0, unif\n" NOP2, RESET(4)},
    {"linux-reset-form", LINUX, FS, false, "movi r0, 4\nmov r0, r0\nadd unif_addr, r0, unif\n" NOP2,
     "movi r0, 4\nmov r1, r0\nadd unif_addr, r0, unif\n" NOP2},
    {"linux-reset-form", LINUX, FS, false,
     "movi r0, 8\nnop\nbrr.allz next\n" NOP3 "next: nop\nadd unif_addr, r0, unif\n" NOP2,
     "nop\nnop\nbrr.allz next\n" NOP3 "next: movi r0, 4\nadd unif_addr, r0, unif\n" NOP2},
    {"linux-reset-form", LINUX, FS, false,
     NOP2 "mov t0s, r1 [wa=57]\nmov t0s, r0\nmovi r0, 12\n"
          "add unif_addr, r0, unif; nop; sbwait\n" NOP2 "nop; nop; ldtmu0\nnop; nop; sbdone",
     NOP2 "mov t0s, r1 [wa=57]\nmov t0s, r0\nmovi r0, 12\n"
          "add unif_addr, r0, unif; nop; ldtmu0\n" NOP2 "nop; nop; sbdone"},
    {"linux-reset-form", LINUX, FS, false, "movi r0, 4\nadd unif_addr, r0, r1\n" NOP2, RESET(4)},
    {"linux-reset-form", LINUX, FS, false, "movi r0, 4\nadd unif_addr, r0, unif [pack=1]\n" NOP2,
     "movi r0, 4\nadd unif_addr, r0, unif; mov r1.8a, r1 [ws=0]\n" NOP2},
    {"linux-tmu-uniform", LINUX, FS, false,
     NOP2
     "mov t0t, r0\nmov t0s, r1\nmov t0t, r0 [ra=32]\nmov t0s, r0\nnop; nop; ldtmu0\nnop; nop; ldtmu0" END,
     NOP2
     "mov t0t, r0\nmov t0s, r1\nmov t0t, r0 [ra=38]\nmov t0s, r0\nnop; nop; ldtmu0\nnop; nop; ldtmu0" END},
    {"linux-tmu-both", LINUX, FS, false,
     NOP2 "mov t0t, r0; mov t1t, r1\nmov t0s, r0\nmov t1s, r0\nnop; nop; ldtmu0\nnop; nop; ldtmu1" END,
     NOP2 "mov t0t, r0\nmov t1t, r1\nmov t0s, r0\nmov t1s, r0\nnop; nop; ldtmu0\nnop; nop; ldtmu1" END},
    {"linux-tmu-parameters", LINUX, FS, false,
     NOP2 "mov t0t, r0\nmov t0r, r0\nmov t0b, r0\nmov t0b, r0\nmov t0s, r0\nnop; nop; ldtmu0" END,
     NOP2 "mov t0t, r0\nmov t0r, r0\nmov t0b, r0\nmov t0s, r0\nnop; nop; ldtmu0" END},
    {"linux-direct-lookup", LINUX, FS, false, NOP2 "mov t0s, r0\nnop; nop; ldtmu0" END,
     NOP2 "max r0, r0, 0\nmin r0, r0, unif\nadd t0s, r0, unif\nnop; nop; ldtmu0" END},
    {"linux-direct-lookup", LINUX, FS, false,
     NOP2 "max r0, r0, 0\nmin r0, unif, r0\nadd t0s, r0, unif\nnop; nop; ldtmu0" END,
     NOP2 "max ra0, r0, 0\nnop\nmin rb0, ra0, unif\nnop\nadd t0s, rb0, unif\nnop; nop; ldtmu0" END},
    {"linux-direct-lookup", LINUX, FS, false,
     NOP2 "max r0, r0, 0\nmin r0, r0, unif\nadd t0s, unif, r0\nnop; nop; ldtmu0" END,
     NOP2 "max r0, 0, r0\nmin r0, r0, unif\nadd t0s, r0, unif\nnop; nop; ldtmu0" END},
    {"linux-direct-lookup", LINUX, FS, false,
     NOP2 "max.zs r0, r0, 0\nmin r0, r0, unif\nadd t0s, r0, unif\nnop; nop; ldtmu0" END,
     NOP2 "max r0, r0, 0\nmin r0, r0, unif; mov r1, r0\nadd t1s, r0, unif\nnop; nop; ldtmu1" END},
    {"linux-direct-lookup", LINUX, FS, false,
     NOP2 "max r0, r0, 1\nmin r0, r0, unif\nadd t0s, r0, unif\nnop; nop; ldtmu0" END,
     NOP2 "max r0, r0, 0; mov r1, r2\nmin r2, r0, unif\nadd t0s, r2, unif\nnop; nop; ldtmu0" END},
    {"linux-direct-lookup", LINUX, FS, true,
     NOP2 "max r0, r0, 0\nmin r0, r0, unif; nop; thrsw\n" NOP2 "add t0s, r0, unif; nop; lthrsw\n" NOP2
          "nop; nop; ldtmu0" END,
     NOP2 "max r0, r0, 0\nmin ra0, r0, unif; nop; thrsw\n" NOP2 "add t0s, ra0, unif; nop; lthrsw\n" NOP2
          "nop; nop; ldtmu0" END},
    {"linux-direct-lookup", LINUX, FS, false, NOP2 "mov.never t0s, r0" END, NOP2 "mov.never r1, r0" END},
    {"linux-tmu-both", LINUX, FS, false,
     NOP2 "max r0, r0, 0\nmin r0, r0, unif\nadd t0s, r0, unif; mov.never t1t, r0\nnop; nop; ldtmu0" END,
     NOP2 "max r0, r0, 0\nmin r0, r0, unif\nadd t0s, r0, unif; mov.never r1, r0\nnop; nop; ldtmu0" END},
    {"linux-threaded-registers", LINUX, FS, true, "mov r0, r1 [ra=16]\nnop; nop; lthrsw\n" NOP2,
     "mov r0, r1 [ra=15]\nnop; nop; lthrsw\n" NOP2},
    {"linux-switch", LINUX, FS, false, "nop; nop; lthrsw\n" NOP2, "nop\n" NOP2},
    {"linux-end", LINUX, FS, false, "nop\nnop\n", "nop; nop; thrend\nnop\nnop"},
};

/* Rules that a word breaks at the same time because they say the same from two sides. */
static bool companions(const char *rule, const char *also) {
    static const char *const pairs[][2] = {
        {"linux-switch", "switch-stage"},
        {"linux-branch-switch", "switch-window"},
        {"linux-branch-target", "program-end"},
        {"linux-end", "program-end"},
        {"linux-tmu-uniform", "unused-read"},
        {"linux-tmu-uniform", "tmu-uniform-read"},
        {"linux-tmu-parameters", "tmu-coordinates"},
        {"linux-tmu-both", "one-peripheral-access"},
        {"linux-tmu-both", "linux-tmu-uniform"},
        {"linux-reset-form", "pack-destination"},
        {"linux-reset-form", "conditional-peripheral"},
        {"linux-direct-lookup", "accumulator-across-switch"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (strcmp(pairs[i][0], rule) == 0 && strcmp(pairs[i][1], also) == 0) {
            return true;
        }
    }
    return strcmp(rule, also) == 0;
}

static struct qpu_check_options options_of(const struct rule_case *test) {
    static const struct qpucc_chip shipped;
    return (struct qpu_check_options){.stage = (enum qpucc_stage)test->stage,
                                      .profile = (enum qpu_profile)test->profile,
                                      .chip = strncmp(test->rule, "chip-", 5) ? NULL : &shipped,
                                      .threaded = test->threaded};
}

/* Checks a program and lists what it breaks in `list`; true if that holds `rule`. Programs of profile linux
 * that end with a reset get the end that they lack. */
static size_t check_text(const struct rule_case *test, const char *text, struct qpu_violation *out,
                         size_t max) {
    char program[2048];
    bool ends = strstr(text, "thrend") || strcmp(test->rule, "program-end") == 0 ||
                strcmp(test->rule, "linux-end") == 0;
    snprintf(program, sizeof program, "%s%s", text, ends ? "" : END);
    struct qpu_asm_result result = qpu_assemble(program, strlen(program));
    ck_assert_msg(result.code != NULL, "%s line %u: %s in\n%s", test->rule, result.line, result.error,
                  program);
    struct qpu_check_options options = options_of(test);
    size_t n = qpu_check(result.code, result.count, &options, out, max);
    free(result.code);
    return n;
}

START_TEST(broken_rules_are_found) {
    const struct rule_case *test = &cases[_i];
    struct qpu_violation v[32];
    size_t n = check_text(test, test->breaks, v, 32);
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        found |= strcmp(v[i].rule, test->rule) == 0;
        ck_assert_msg(companions(test->rule, v[i].rule), "%s: also %u %s: %s in\n%s", test->rule, v[i].index,
                      v[i].rule, v[i].text, test->breaks);
        ck_assert_msg(strchr(v[i].text, '(') != NULL, "%s names no section", v[i].text);
    }
    ck_assert_msg(found, "%s is not found in\n%s", test->rule, test->breaks);
}
END_TEST

START_TEST(kept_rules_are_quiet) {
    const struct rule_case *test = &cases[_i];
    struct qpu_violation v[32];
    if (check_text(test, test->keeps, v, 32) > 0) {
        ck_abort_msg("%s: %u %s: %s in\n%s", test->rule, v[0].index, v[0].rule, v[0].text, test->keeps);
    }
}
END_TEST

START_TEST(every_rule_is_tested) {
    size_t count;
    const struct qpu_rule_info *rules = qpu_rules(&count);
    for (size_t r = 0; r < count; r++) {
        bool tested = false;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            if (strcmp(cases[i].rule, rules[r].name) == 0) {
                tested = true;
                ck_assert_msg(rules[r].linux_only == (cases[i].profile == LINUX), "%s: profile",
                              rules[r].name);
            }
        }
        ck_assert_msg(tested, "%s has no test", rules[r].name);
        ck_assert_uint_gt(strlen(rules[r].quote), 20);
        for (size_t other = 0; other < r; other++) {
            ck_assert_str_ne(rules[r].name, rules[other].name);
        }
    }
}
END_TEST

START_TEST(linux_rules_stay_out_of_hw) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rule_case test = cases[i];
        struct qpu_violation v[32];
        if (test.profile == LINUX) {
            test.profile = HW;
            size_t n = check_text(&test, test.breaks, v, 32);
            for (size_t k = 0; k < n; k++) {
                ck_assert_msg(strncmp(v[k].rule, "linux", 5) != 0, "%s under hw", v[k].rule);
            }
        }
    }
}
END_TEST

START_TEST(a_lost_accumulator_is_named) {
    static const char text[] = "nop\nnop\nmov r2, r1; nop; lthrsw\nnop\nnop\nmov ra0, r2" END;
    struct qpu_asm_result result = qpu_assemble(text, sizeof text - 1);
    struct qpu_check_options options = {.stage = QPUCC_FRAGMENT, .profile = QPU_PROFILE_HW, .threaded = true};
    struct qpu_violation v[4];
    ck_assert_msg(result.code != NULL, "%s", result.error);
    ck_assert_uint_eq(qpu_check(result.code, result.count, &options, v, 4), 1);
    ck_assert_str_eq(v[0].rule, "accumulator-across-switch");
    ck_assert_msg(strstr(v[0].text, "r2 is read"), "%s", v[0].text);
    free(result.code);
}
END_TEST

START_TEST(foreign_code_may_wait_in_instruction_1) {
    static const char text[] = "nop\nnop; nop; sbwait\nmov tlbc, r0\nnop; nop; sbdone" END;
    struct qpu_asm_result result = qpu_assemble(text, sizeof text - 1);
    struct qpu_check_options options = {.stage = QPUCC_FRAGMENT, .profile = QPU_PROFILE_HW, .foreign = true};
    struct qpu_violation v[4];
    ck_assert_uint_eq(qpu_check(result.code, result.count, &options, v, 4), 1);
    ck_assert(v[0].warning);
    ck_assert_str_eq(v[0].rule, "scoreboard-wait-early");
    options.foreign = false;
    ck_assert_uint_eq(qpu_check(result.code, result.count, &options, v, 4), 1);
    ck_assert(!v[0].warning);
    /* only as many as asked for are written, all are counted */
    ck_assert_uint_eq(qpu_check(result.code, result.count, &options, NULL, 0), 1);
    free(result.code);
}
END_TEST

/* Random programs: no crash, an index inside the program, and the same answer twice. */
START_TEST(random_programs_are_harmless) {
    uint64_t state = 4;
    static struct qpu_violation v[64], again[64];
    for (int n = 0; n < 3000; n++) {
        size_t count = 1 + random_word(&state) % 60;
        uint64_t *code = malloc(count * sizeof *code);
        for (size_t i = 0; i < count; i++) {
            code[i] = random_word(&state);
            uint64_t dice = random_word(&state);
            if (dice % 4 == 0) { /* a near branch */
                code[i] = UINT64_C(0xf00809e7) << 32 | (uint64_t)(dice >> 8 & 15) << 52 |
                          (uint32_t)((int32_t)(dice >> 16 & 127) - 64) * 8u;
            } else if (dice % 4 == 1) {
                code[i] = 0x100009e7009e7000u | (dice >> 8 & 15) << 60;
            }
        }
        struct qpu_check_options options = {.stage = (enum qpucc_stage)(n % 3),
                                            .profile = (enum qpu_profile)(n / 3 % 2),
                                            .threaded = n / 6 % 2};
        size_t found = qpu_check(code, count, &options, v, 64);
        for (size_t i = 0; i < found && i < 64; i++) {
            ck_assert_uint_lt(v[i].index, count);
            ck_assert(i == 0 || v[i].index >= v[i - 1].index);
        }
        ck_assert_uint_eq(qpu_check(code, count, &options, again, 64), found);
        for (size_t i = 0; i < found && i < 64; i++) {
            ck_assert_str_eq(v[i].text, again[i].text);
        }
        free(code);
    }
}
END_TEST

int main(void) {
    int count = (int)(sizeof cases / sizeof *cases);
    Suite *suite = suite_create("isa checker");
    TCase *tests = tcase_create("rules");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, broken_rules_are_found, 0, count);
    tcase_add_loop_test(tests, kept_rules_are_quiet, 0, count);
    tcase_add_test(tests, every_rule_is_tested);
    tcase_add_test(tests, linux_rules_stay_out_of_hw);
    tcase_add_test(tests, a_lost_accumulator_is_named);
    tcase_add_test(tests, foreign_code_may_wait_in_instruction_1);
    tcase_add_test(tests, random_programs_are_harmless);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
