/* Rows of section kernel: what the Linux driver refuses, so that no program on a Pi can find out about it. */
#include "rows.h"

#define ROW(name, assumptions, what, text)                                                                   \
    { "kernel." name, assumptions, what, build_bodies, text, NULL, OPERANDS_INTS, true }

static const struct row rows[] = {
    ROW("breakpoint", "", "the breakpoint signal", "nop; nop; bkpt"),
    ROW("coverage", "coverage_pipe", "the signal that loads coverage", "nop; nop; loadcv"),
    ROW("load_end", "", "the signal that loads a colour and ends the program", "nop; nop; ldcend"),
    ROW("alpha_mask", "", "the signal that loads the alpha mask", "nop; nop; loadam"),
    ROW("alpha_mask.write", "", "a write to the alpha mask", "mov tlbam, r0"),
    ROW("noswap", "", "the texture units' swap", "mov tmu_noswap, 1"),
    ROW("interrupt", "", "a host interrupt", "mov irq, 1"),
    ROW("mutex", "", "the mutex", "mov mutex, r0"),
    ROW("dma.read", "user_dma_rows", "the VPM's DMA from memory", "mov vr_addr, r0"),
    ROW("dma.write", "user_dma_rows", "the VPM's DMA to memory", "mov vw_addr, r0"),
    ROW("link", "link_when_taken", "a branch that writes a link register",
        "nop\nbrr.allz ra5, there\nnop\nnop\nnop\nthere:\nnop"),
    ROW("register", "register_branch_lane", "a branch to a register",
        "movi ra4, 8\nnop\nbrr.allz 0x10+ra4\nnop\nnop\nnop\nnop"),
    ROW("absolute", "", "an absolute branch", "nop\nbra 0x10\nnop\nnop\nnop\nnop"),
    ROW("branch.near", "", "two branches within three instructions",
        "mov.setf nop, 0\nnop\nbrr.allz a\nnop\nnop\nbrr.allz a\nnop\nnop\nnop\na:\nnop"),
    ROW("branch.uniform", "stream_prefetch_is_harmless", "a uniform behind a branch, without a reset",
        "mov.setf nop, 0\nnop\nbrr.allz a\nnop\nnop\nnop\na:\nmov r2, unif"),
    ROW("unif.lane", "uniform_address_of_lane_0", "an address of the stream that differs between lanes",
        "mov r3, elem_num\nadd unif_addr, r3, unif\nnop\nnop\nmov r2, unif"),
    ROW("direct", "", "a direct lookup without bounds", "mov t0s, r0\nnop; nop; ldtmu0\nmov r2, r4"),
    ROW("tmu.both", "", "coordinates of both texture units in one instruction",
        "mov t0s, r0; mov t1s, r1\nnop; nop; ldtmu0\nnop; nop; ldtmu1\nmov r2, r4"),
    ROW("tmu.uniform", "", "a coordinate beside a uniform", "add t0s, r0, unif; mov r2, r1"),
    ROW("threads.upper", "", "an upper register in a program with two threads",
        "mov ra20, r0\nnop; nop; lthrsw\nnop\nnop\nmov r2, 0"),
};

const struct row_section section_kernel =
    SECTION("kernel", "what the kernel's rules keep out of reach", rows);
