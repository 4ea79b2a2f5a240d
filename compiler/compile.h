/* What the files that carry out one compile share. */
#ifndef QPUCC_COMPILER_COMPILE_H
#define QPUCC_COMPILER_COMPILE_H

#include "compiler/front.h"
#include "compiler/program.h"
#include "passes/passes.h"

/* Which branches stay that could be selections (attempts.c): those that are worth it; only those that the
 * source wants; none. */
enum flat { NOT_FLAT, FLAT_UNLESS_ASKED, FLAT_ALL };

struct compile {
    struct qpucc_program *program;
    struct qpucc_options options;
    struct qpucc_state state;
    struct kept_ir *ir;    /* the program's */
    struct ir_arena *home; /* beside it lie the shaders of the compile itself */
    /* what `ir` is packed from, or has been unpacked to (compile_linked); NULL: nobody asked yet */
    struct ir_shader *linked[2];
    struct link_plan *plan;             /* of the varyings, made of those; NULL: not made, or there is none */
    const struct qpucc_program *parent; /* of a variant: attempts that it made need not be made again */
    uint8_t flat;                       /* enum flat */
    enum qpucc_stage current;           /* for the callbacks */
    /* sees the shader after each pass that changed it; NULL: nobody does (replay.c) */
    void (*trace)(void *user, const struct ir_shader *shader, const char *pass);
    void *trace_user;
    struct decisions *decisions; /* by stage; NULL: nobody asks (replay.c) */
    /* what the vertex shader has to know of the fragment shader */
    uint32_t varying_words[64]; /* its output words, in the fragment shader's order */
    uint32_t varying_count;
    uint64_t rough_varyings;
};

/* Runs passes with the compile's callbacks. False: diagnosed. */
bool compile_passes(struct compile *c, struct ir_shader *shader, struct pass_options options,
                    enum passes_list list);
/* The options of the user and the machine; no state, no varyings, nothing given up for registers. */
struct pass_options compile_pass_options(const struct compile *c);
/* From what was read to all of the kept IR. `again`: the program has been linked before, and has its warnings
 * and its reflection. False: diagnosed. */
bool compile_link(struct compile *c, bool again);
/* From the kept IR to code for c->state. False: diagnosed. */
bool compile_build(struct compile *c);
/* The stage as the linker left it, for reading only. NULL: there is none, or diagnosed. */
struct ir_shader *compile_linked(struct compile *c, enum qpucc_stage stage);
/* Goes from what was read to the linker's plan once more, where the program has one. False: diagnosed. */
bool compile_plan(struct compile *c);
/* The shaders of the compile itself; what the program keeps remains. */
void compile_close(struct compile *c);

/* --- from the entry points to the program, in order ----------------------------------------------------- */

/* A new program and a compile for it, with memory of the options' allocator, or where they have none, of
 * `otherwise`. False: no memory for a program that could say so. */
bool compile_begin(struct compile *c, const struct qpucc_state *state, const struct qpucc_options *options,
                   const struct qpucc_allocator *otherwise);
/* What the caller asks for is known. False: diagnosed. */
bool compile_check_options(struct compile *c, const struct qpucc_options *options);
/* Sources become the IR as read. False: diagnosed. */
bool compile_read(struct compile *c, const struct front_glsl *glsl, const struct front_source *sources,
                  size_t count);
/* One uniform storage and one numbering of units and attributes for what was read. False: diagnosed. */
bool compile_link_storage(struct compile *c, struct ir_shader *read[2]);
/* Packs that for the kept IR, if it is all right so far, and frees the shaders. False: diagnosed. */
bool compile_keep(struct compile *c, bool ok, struct ir_shader *read[2]);
/* What the kept IR has to be told before anybody else sees it. From here on the program's own store goes on
 * with the account. */
bool compile_complete(struct compile *c, bool ok);
/* From the IR as read, if sources could be read, to the program. */
qpucc_program *compile_on(struct compile *c, bool ok);
/* Before the program is given away: it says how it went and has either code or errors. */
qpucc_program *compile_finish(struct compile *c, bool ok);
/* Says which limit was met and what in the shader grew so (NULL: nothing to look at), or that the system had
 * no more memory; false. */
bool compile_stopped(struct compile *c, const struct ir_shader *shader);

#endif
