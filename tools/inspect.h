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

/* What became of a run at the pixel. */
enum inspect_fate {
    INSPECT_SEEN,      /* nothing was drawn over it */
    INSPECT_OVERDRAWN, /* a later run wrote the pixel, too; with blending it may still shine through */
    INSPECT_DISCARDED, /* it wrote no colour */
    INSPECT_DEPTH,     /* it fails the depth test */
    INSPECT_HELPER,    /* the pixel is beside the primitive, and has part in its derivatives */
    INSPECT_UNKNOWN,   /* there were more steps than are kept */
    INSPECT_CULLED,    /* the primitive's face is not drawn: nothing ran */
};

/* One run of the program on the batch that holds the target: as many as there are primitives at the pixel.
 * Those that are culled come last, in their own order; they have no steps. */
struct inspect_run {
    unsigned lane;
    unsigned draw;                       /* which of the scene's instances; 0 if there is one draw */
    bool covered;                        /* the pixel is to be written; false: a helper */
    enum inspect_fate fate;              /* of pixels, as what follows */
    uint8_t before[4], after[4];         /* the pixel's colour; equal if the run did not change it */
    uint32_t depth_before, depth_tested; /* 24 bits: what the pixel had, and the run's own, or 0 */
    struct inspect_step *step;
    size_t count, capacity;
};

struct inspection {
    struct inspect_target target;
    struct inspect_run *run;
    size_t count, steps;
    bool truncated;   /* there were more steps */
    bool failed;      /* the machine stopped; `error` of inspect_scene says why; what was done is there */
    uint8_t color[4]; /* the picture's pixel */
};

/* Draws the scene and keeps what is done to the target; where faces are culled, once more with the others, to
 * find those that would have had the pixel. `explained`: the target's stage of the program's
 * explanation, for names; NULL: no names. False: the reason is in `error`; free it in any case. */
bool inspect_scene(const struct scene *scene, const qpucc_program *program,
                   const struct qpucc_explain_stage *explained, const struct render_options *options,
                   const struct inspect_target *target, struct inspection *out, char *error, size_t size);
void inspect_free(struct inspection *inspection);
/* "seen", "drawn over", ... */
const char *inspect_fate_name(enum inspect_fate fate);

#endif
