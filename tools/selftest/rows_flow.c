/* Rows of sections branch and thread. */
#include "rows.h"

#define ROW(name, assumptions, what, text, pattern)                                                          \
    { name, assumptions, what, build_bodies, text, pattern, OPERANDS_INTS, false }

/* Flags of a batch: in no lane, in lane 8 alone, in all but lane 8, in all; and by sums. */
#define FLAGS                                                                                                \
    "mov.setf nop, 1|mov.setf nop, 0|mov.setf nop, -1|sub.setf nop, elem_num, 8|xor.setf r3, elem_num, 8|"   \
    "add.setf nop, elem_num, -8|mov r3, 1\nsub.setf nop, r3, 2|add.setf nop, elem_num, -16"
#define TAKEN(condition)                                                                                     \
    "$\nmov r2, 1\nbrr." condition " there\nnop\nnop\nnop\nmov r2, 2\nnop\nnop\nthere:\nadd r2, r2, r0"
#define CONDITION(condition, what)                                                                           \
    ROW("branch.all." condition, "branch_over_all_lanes branch_conditions", "a branch where " what, FLAGS,   \
        TAKEN(condition))

static const struct row branches[] = {
    CONDITION("allz", "all lanes have Z"),
    CONDITION("allnz", "no lane has Z"),
    CONDITION("anyz", "any lane has Z"),
    CONDITION("anynz", "any lane lacks Z"),
    CONDITION("alln", "all lanes have N"),
    CONDITION("allnn", "no lane has N"),
    CONDITION("anyn", "any lane has N"),
    CONDITION("anynn", "any lane lacks N"),
    CONDITION("allc", "all lanes have C"),
    CONDITION("allnc", "no lane has C"),
    CONDITION("anyc", "any lane has C"),
    CONDITION("anync", "any lane lacks C"),
    ROW("branch.slots", "branch_slots", "three instructions after a branch are executed", "1|2|4|8",
        "mov r2, r0\nmov r3, 0\nnop\nbrr there\nadd r2, r2, $\nadd r2, r2, $\nadd r2, r2, $\nadd r2, r2, 15\n"
        "there:\nadd r2, r2, 1"),
    ROW("branch.slots.not_taken", "branch_slots", "and after one that is not taken", "1|2|4|8",
        "mov r2, r0\nmov.setf r3, 0\nnop\nbrr.allnz there\nadd r2, r2, $\nadd r2, r2, $\nadd r2, r2, $\n"
        "add r2, r2, 15\nthere:\nadd r2, r2, 1"),
    ROW("branch.loop", "branch_slots branch_over_all_lanes", "a loop until the last lane has done", "0|1|2|3",
        "movi r3, 7\nmov r2, 0\nand r3, r0, r3\nadd r3, r3, $\nagain:\nsub.setf r3, r3, 1\nbrr.anynn again\n"
        "add.nc r2, r2, r1\nnop\nnop"),
    ROW("branch.uniform", "branch_slots uniform_address_latency", "the stream behind a branch", "1|2",
        "mov.setf nop, 1\nnop\nbrr.allnz there\nnop\nnop\nnop\nmovi r3, 24\nadd unif_addr, r3, "
        "unif\nnop\nnop\n"
        "there:\nmovi r3, 28\nadd unif_addr, r3, unif\nnop\nnop\nmov r2, unif\nadd r2, r2, $"),
    ROW("branch.over", "branch_slots", "code that is jumped over",
        "mov.setf nop, 0\nmov r2, r0\nbrr.allz a\nnop\nnop\nnop\nmov r2, r1\nnop\nnop\na:\nbrr.anynz b\n"
        "nop\nnop\nnop\nadd r2, r2, 1\nb:\nadd r2, r2, 2",
        NULL),
};

/* Programs with two threads: both lookups, a switch, both results. */
#define REQUEST BODY_INDEX BODY_REQUEST("t0") BODY_REQUEST("t1")
#define END BODY_EPILOGUE
#define PROGRAM(name, assumptions, what, text)                                                               \
    { name, assumptions, what, build_programs, text, NULL, OPERANDS_INTS, false }
#define ROW_OF_FILES(n) "mov ra" #n ", r3; mov rb" #n ", r1\n"

static const struct row threads[] = {
    PROGRAM("thread.switch", "switch_latency", "a switch, two instructions after which the other thread runs",
            REQUEST "nop; nop; lthrsw\nnop\nnop\n" BODY_RECEIVE "add r2, r0, r1" END),
    PROGRAM("thread.switch.slots", "switch_latency", "what the two instructions behind a switch write",
            REQUEST "nop; nop; lthrsw\nmov ra5, r1\nmov rb5, r1\n" BODY_RECEIVE
                    "sub r3, ra5, rb5\nxor r2, r0, r3\nadd r2, r2, r1" END),
    PROGRAM("thread.switch.request", "switch_latency", "a request in the last instruction of a switch",
            BODY_INDEX BODY_REQUEST("t0") "max r2, r1, 0\nmin r2, r2, unif; nop; lthrsw\nnop\n"
                                          "add t1s, r2, unif\n" BODY_RECEIVE "sub r2, r0, r1" END),
    PROGRAM("thread.switch.twice", "switch_latency", "two switches",
            BODY_INDEX
            "mov ra9, r1\n" BODY_REQUEST("t0") "nop; nop; thrsw\nnop\nnop\nnop; nop; ldtmu0\n"
                                               "mov ra0, r4\nmov r1, ra9\n" BODY_REQUEST(
                                                   "t1") "nop; nop; lthrsw\nnop\nnop\nnop; nop; ldtmu1\n"
                                                         "sub r2, r4, ra0" END),
    PROGRAM("thread.switch.flow", "switch_in_flow", "a switch in what a branch skips",
            BODY_INDEX "mov ra9, r1\n" BODY_REQUEST(
                "t0") "nop; nop; thrsw\nnop\nnop\nnop; nop; ldtmu0\n"
                      "mov ra0, r4\nmov r1, ra9\n" BODY_REQUEST(
                          "t1") "nop; nop; thrsw\nnop\nnop\nnop; nop; ldtmu1\n"
                                "mov rb1, r4\nmov.setf nop, 1\n"
                                "brr.allz there\nnop\nnop\nnop\nnop; nop; thrsw\nnop\nnop\nnop\nthere:\nnop; "
                                "nop; lthrsw\nnop\nnop\n"
                                "sub r2, ra0, rb1" END),
    PROGRAM(
        "thread.files", "files_halved", "registers over a switch",
        BODY_INDEX
        "mov r3, r1\n" ROW_OF_FILES(1) ROW_OF_FILES(2) ROW_OF_FILES(3) ROW_OF_FILES(4) ROW_OF_FILES(
            5) ROW_OF_FILES(6) ROW_OF_FILES(7) ROW_OF_FILES(8) ROW_OF_FILES(9) ROW_OF_FILES(10)
            ROW_OF_FILES(11) ROW_OF_FILES(12) ROW_OF_FILES(13) BODY_REQUEST("t0") BODY_REQUEST(
                "t1") "nop; nop; lthrsw\nnop\nnop\n" BODY_RECEIVE
                      "add r2, r0, r1\nadd r2, r2, ra2\nxor r2, r2, rb2\nadd r2, r2, ra5\nxor r2, r2, rb5\n"
                      "add r2, r2, ra9\nxor r2, r2, rb9\nadd r2, r2, ra13\nxor r2, r2, rb13" END),
    PROGRAM("thread.end.load", "end_receives_load", "a texture's value behind the thread end",
            BODY_INDEX BODY_REQUEST("t0") "nop; nop; sbwait\nnop; nop; thrend\nnop; nop; ldtmu0\n"
                                          "mov tlbc, r4; nop; sbdone\n"),
    PROGRAM("thread.end.write", "end_slots_write_registers", "registers written behind the thread end",
            BODY_PROLOGUE
            "nop; nop; sbwait\nnop; nop; thrend\nadd r2, r0, r1\nmov tlbc, r2; nop; sbdone\n|" BODY_PROLOGUE
            "nop; nop; sbwait\nnop; nop; thrend\nadd ra5, r0, r1\nmov tlbc, r0; nop; sbdone\n"),
};

const struct row_section section_branch = SECTION("branch", "branches", branches);
const struct row_section section_thread = SECTION("thread", "two threads, and the program's end", threads);
