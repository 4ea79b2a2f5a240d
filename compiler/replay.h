/* The passes of a compile that is done, once more. */
#ifndef QPUCC_COMPILER_REPLAY_H
#define QPUCC_COMPILER_REPLAY_H

#include "compiler/program.h"

/* A pass has changed the shader. The first call is "source": what the front end made; "link" is what the kept
 * IR of the stage is. */
typedef void replay_function(void *user, const struct ir_shader *shader, const char *pass);

/* Repeats the passes that the program's code went through, and no other attempts. Either may be NULL: the
 * function, and the lists by stage of what was decided (passes/decisions.h), which have their arenas.
 * Requires: a program with code that was compiled here, or the variant of one. Keeps it. False: it has no IR
 * or its key is not known, or memory ran out. */
struct decisions;
bool replay_passes(const struct qpucc_program *program, replay_function *function, void *user,
                   struct decisions *decisions);

#endif
