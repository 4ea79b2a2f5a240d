/* The attempts at one stage's code. */
#ifndef QPUCC_COMPILER_ATTEMPTS_H
#define QPUCC_COMPILER_ATTEMPTS_H

#include "backend/backend.h"
#include "compiler/stage.h"

/* What may be done to loops: most of it makes more values live at once. Without loops: another order in which
 * the words of a shaded vertex are written (pass outputs). */
enum loop_form { LOOPS_HOISTED, LOOPS_ROTATED, LOOPS_PLAIN, LOOP_FORMS, FORM_OUTPUTS = LOOP_FORMS, FORMS };

/* The passes that make a form of the plain one. False: diagnosed. */
bool attempts_make_form(struct compile *c, struct ir_shader *shader, enum loop_form form);

struct attempt {
    uint8_t level;     /* of pressure (compiler/stage.h) */
    uint8_t loops;     /* enum loop_form, or FORM_OUTPUTS */
    uint8_t threads;   /* that share the registers */
    uint8_t registers; /* 0: all; else values are rematerialised until that many do (backend/backend.h) */
    bool search;       /* all strategies, and what the level searches beyond them; else a few strategies */
    uint8_t flat;      /* enum flat */
};

/* What is known of a stage before the first attempt. */
struct attempt_facts {
    int opt_level;
    bool branches; /* control flow is left at run time */
    bool threads;  /* two threads may be worth while */
    bool small;    /* and are then what is best, if they fit */
    bool outputs;  /* the words of a shaded vertex may be written in two orders */
};

enum { ATTEMPTS_MAX = 2 * 3 * LOOP_FORMS + 4 };

/* All attempts that may be made, in order. */
size_t attempts_list(const struct attempt_facts *facts, struct attempt list[ATTEMPTS_MAX]);

/* An attempt that was made, and what it showed. The IR decides: on the same IR it shows the same again. */
struct trial {
    struct attempt attempt;
    uint64_t ir; /* fingerprint */
    enum be_status status;
    bool crossing;
    uint8_t regs; /* that the code takes, of both files */
    uint64_t cost;
    uint64_t work, search; /* what it took of the compile's account */
};

/* What an attempt came to. */
struct outcome {
    size_t trial; /* its place among the part's */
    /* its own, as selection saw it, with the slots that the code needs; NULL: another program has the code */
    struct ir_shader *shader;
    struct be_result code;
    const struct program_stage *from; /* whose attempts include this one; its code is the result */
    bool owed; /* an attempt of the parent's that it has no code of: only what that costs is known */
};

/* What became of a part of the stage. */
struct part_result {
    struct outcome best; /* the best attempt, or where none fits the closest one */
    struct trial *trials;
    size_t trial_count;
};

/* `ir` is what the parts were made from (after a failure: what the last ones were made from, or nothing). It
 * is the caller's to free, as the results are, which go first: some are made of it. False: diagnosed.
 * Attempts that the program has made that c->parent points to are not made again. */
bool attempts_run(struct compile *c, enum qpucc_stage stage, struct stage_ir *ir,
                  struct part_result results[2]);
void part_result_free(struct part_result *result);

#endif
