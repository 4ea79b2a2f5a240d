/* Lowered IR through the back end and onto the machine, against the interpreter lane by lane. */
#ifndef TESTS_BACKEND_RUN_IR_H
#define TESTS_BACKEND_RUN_IR_H

#include "ir/ir.h"

enum run_outcome {
    RUN_AGREES,
    RUN_DOES_NOT_FIT, /* some form of it with fewer registers: not a fault; the others agree */
    RUN_REFUSED,      /* there are no registers for it in a form that has all of them */
    RUN_NO_CODE,      /* the back end failed */
    RUN_RULES,        /* code against the rules, or a uniform stream of another length than what code reads */
    RUN_MACHINE,      /* strict mode stopped it, or it does not end */
    RUN_DIFFERS,
    RUN_INTERPRETER, /* the interpreter has no value for it: the test's fault */
    RUN_OUTCOMES,
    RUN_NOT_ASKED /* inside of run_ir.c */
};

/* Compiles the shader in every form (-O0, -O2; one thread, two) and runs each on several batches of lanes
 * with inputs that `seed` chooses. text: what went wrong, where. */
enum run_outcome run_ir(const struct ir_shader *shader, uint64_t seed, char *text, size_t size);

#endif
