/* What the machine does to one pixel or one vertex of a scene, instruction by instruction. */
#ifndef TOOLS_INSPECT_H
#define TOOLS_INSPECT_H

#include "render.h"

#include <qpucc/explain.h>

/* What is looked at. */
struct inspect_target {
    enum qpucc_stage stage; /* fragment: the pixel; vertex or coordinate: the vertex */
    unsigned x, y;          /* of the picture: y from its top */
    unsigned vertex;        /* index */
    size_t most;            /* steps that are kept; 0: INSPECT_STEPS */
};
enum { INSPECT_STEPS = 20000 };

struct inspect_write {
    char target[12]; /* "r0", "ra12", "tlbc" */
    bool written;    /* the lane's condition held; else `value` is what stays */
    uint32_t value;
    /* the part of the register that was written: "8a" to "8d", "8" for the same in all four bytes, "16a",
     * "16b"; empty: the value itself. A byte that the mul ALU packed is a number from 0 to 1 */
    char part[4];
    const char *name; /* of the variable, the explanation's; or NULL */
};

struct inspect_step {
    uint32_t instruction;
    uint64_t cycle;
    unsigned write_count;
    struct inspect_write write[5];
};

/* One run of the program on the batch that holds the target: as many as there are primitives at the pixel. */
struct inspect_run {
    unsigned lane;
    bool covered; /* the pixel is to be written; false: a helper */
    struct inspect_step *step;
    size_t count, room;
};

struct inspection {
    struct inspect_target target;
    struct inspect_run *run;
    size_t count, steps;
    bool truncated;   /* there were more steps */
    bool failed;      /* the machine stopped; `error` of inspect_scene says why; what was done is there */
    uint8_t color[4]; /* the picture's pixel */
};

/* Draws the scene and keeps what is done to the target. `explained`: the target's stage of the program's
 * explanation, for names; NULL: no names. False: the reason is in `error`; free it in any case. */
bool inspect_scene(const struct scene *scene, const qpucc_program *program,
                   const struct qpucc_explain_stage *explained, const struct render_options *options,
                   const struct inspect_target *target, struct inspection *out, char *error, size_t size);
void inspect_free(struct inspection *inspection);

#endif
