/* Mesa's vc4 driver with libqpucc for a compiler: what the files of this folder share, and what the driver
 * calls (prepare.py puts the calls in).
 *
 * - shaders.c: the driver's shader objects, which compiler a draw gets, and what that takes
 * - programs.c: programs of two shaders, and which code a draw gets
 * - state.c: Gallium's state as libqpucc's key and values
 * - cache.c: code on disk
 * - emit.c: shader record and uniform streams of a draw, as the kernel takes them
 * - nir_*.c, spirv_words.c: NIR to SPIR-V (nir_spirv.h for users, nir_translate.h between them) */
#ifndef QPUCC_GLUE_H
#define QPUCC_GLUE_H

#include "nir_spirv.h"

#include "util/list.h"
#include "util/u_queue.h"
#include "vc4_context.h"

#include <qpucc/cache.h>
#include <qpucc/qpucc.h>
#include <qpucc/tally.h>

/* --- the driver's calls --------------------------------------------------------------------------------- */

/* The screen is made: with VC4_COMPILER=qpucc in the environment, shaders are to arrive as we want them. */
void qpucc_glue_screen(struct pipe_screen *screen);
/* The context has its functions, and gives them up. There is a glue in every context: for Mesa's compiler it
 * counts what that takes. */
void qpucc_glue_init(struct pipe_context *pipe);
void qpucc_glue_fini(struct pipe_context *pipe);
/* Instead of vc4_update_compiled_shaders, which it calls where libqpucc does not compile. */
bool qpucc_glue_update(struct vc4_context *vc4, uint8_t mode);
/* Instead of the driver's own record and streams. False: the code is Mesa's, and so they have to be. */
bool qpucc_glue_emit(struct vc4_context *vc4, const struct pipe_draw_info *info,
                     const struct pipe_draw_start_count_bias *draw, uint32_t extra_index_bias);

/* --- shaders and programs ------------------------------------------------------------------------------- */

/* What create_vs_state and create_fs_state return. */
struct glue_shader {
    enum qpucc_stage stage;
    unsigned number;
    struct nir_shader *nir; /* prepared for nir_spirv_make; Mesa's compiler takes it, too */
    void *mesa;             /* that compiler's object; NULL until it is needed */
    struct nir_spirv facts; /* its words are gone */
    qpucc_shader *compiled; /* NULL: libqpucc does not take it */
    /* The same for other results of comparisons, without the shader's NIR; the first one is luminance. */
    struct glue_shader *other;
    struct nir_spirv_shadows shadows; /* of an other one */
};

/* What has a unit of the program's: where it is in Gallium. */
enum glue_unit_kind { GLUE_TEXTURE, GLUE_SAMPLES, GLUE_BLOCK }; /* sampler view, or constant buffer */
struct glue_unit {
    bool vertex;
    uint8_t kind; /* enum glue_unit_kind */
    uint8_t unit;
};

/* A vertex and a fragment shader together; `next` in the context's list. */
struct glue_program {
    struct list_head next;
    struct glue_shader *vertex, *fragment;
    struct list_head variants; /* the one that was drawn with last is the first */
    bool refused;              /* by the library, whatever the key */
    struct qpucc_tally *tally; /* NULL: no uniform is worth code of its own, or nothing is known yet */

    /* The numbers of the key, and places in uniform storage; the same in all variants. */
    unsigned unit_count, attribute_count;
    struct glue_unit unit[QPUCC_MAX_TEXTURES];
    uint8_t element[QPUCC_MAX_ATTRIBUTES]; /* of the vertex elements, by the attribute's number */
    uint32_t storage_words;
    uint32_t
        word[2]; /* where the fragment's and the vertex shader's constant buffer begin; UINT32_MAX: unread */
};

/* Code that a draw may have. */
struct glue_code {
    qpucc_program *program;
    struct vc4_compiled_shader stage[QPUCC_STAGE_COUNT]; /* what the driver's other files look at */
    struct qpucc_texture_sample *samples[QPUCC_STAGE_COUNT];
    uint32_t sample_count[QPUCC_STAGE_COUNT], stream_words[QPUCC_STAGE_COUNT];
    bool storage_lookups;
};

/* Draws after which code of level 2 is worth its time: a second of frames, for most code (docs/mesa.md). */
enum { GLUE_DRAWS_WORTH_MORE = 64 };

/* Better code for a key, in the making. */
struct glue_job {
    struct util_queue_fence done;
    struct glue_variant *variant;
    const qpucc_program *from;
    qpucc_cache *cache; /* NULL: none, and from `from` it is faster than from the shaders */
    qpucc_program *better;
    struct qpucc_options options;
    /* For these values of uniforms; none: for all, and then what controls the program is found, too. */
    struct qpucc_constant constants[QPUCC_TALLY_WORDS];
    uint32_t constant_count;
    struct qpucc_control controls[QPUCC_TALLY_WORDS];
    size_t control_count;
    int cancel;
    uint64_t cpu;
};

struct glue_variant {
    struct list_head next;
    struct glue_program *program;
    struct qpucc_state key;
    int set; /* of the tally, and its age: for those values of uniforms alone; -1: for all */
    uint32_t age;
    struct glue_code code;
    unsigned draws; /* that have had it */
    bool settled;   /* the thread has answered: no other code will come */
    struct glue_job *job;
};

/* Of a context. */
struct qpucc_glue {
    struct vc4_context *vc4;
    struct list_head programs;
    struct glue_variant *active;  /* what vc4->prog has; NULL: code of Mesa's */
    struct glue_variant *general; /* the same, or the one for all values */
    bool mesa;                    /* the compiler is Mesa's */
    struct util_queue queue;
    struct disk_cache *disk; /* NULL, as is `cache`: Mesa's is off */
    qpucc_cache *cache;
    int level;   /* 0 to 3: of all code, at once; -1: what a draw needs at 1, then 2 from the queue */
    bool refuse; /* whatever the library says */
    bool wait;   /* the draw after waits for level 2, so that all but the first have it */
    uint32_t *storage;
    size_t storage_room;
    void *(*create_vs)(struct pipe_context *, const struct pipe_shader_state *);
    void *(*create_fs)(struct pipe_context *, const struct pipe_shader_state *);
    void (*delete_vs)(struct pipe_context *, void *);
    void (*delete_fs)(struct pipe_context *, void *);
    struct {
        unsigned shaders, programs, variants, better, special, again;
        unsigned refused;                      /* draws with code of Mesa's */
        uint64_t at_create, at_draw, in_queue; /* nanoseconds of processor time */
        uint64_t longest;                      /* of a draw that waited for code */
    } count;
};

/* --- shaders.c ------------------------------------------------------------------------------------------ */

struct qpucc_options glue_options(void);
uint64_t glue_processor_time(void); /* of the thread, in nanoseconds */
void glue_say(const char *what, unsigned number, const char *why);
/* What libqpucc has against a shader. */
void glue_say_why(const struct glue_shader *shader);

/* --- programs.c ----------------------------------------------------------------------------------------- */

/* Both are those that the context's textures want (shaders.c). NULL: no memory. */
struct glue_program *glue_program_of(struct qpucc_glue *glue, struct glue_shader *vertex,
                                     struct glue_shader *fragment);
void glue_program_free(struct qpucc_glue *glue, struct glue_program *p);
/* The code for the context's state. NULL: refused. */
struct glue_variant *glue_variant_for(struct qpucc_glue *glue, struct glue_program *p, uint8_t mode);
/* Counts a draw. True: the thread has made better code for this, which is in its place now. */
bool glue_take_better(struct qpucc_glue *glue, struct glue_variant *variant);
/* The code for the values that the uniforms have, or the same one. */
struct glue_variant *glue_specialised(struct qpucc_glue *glue, struct glue_variant *variant);

/* --- cache.c -------------------------------------------------------------------------------------------- */

void glue_cache_open(struct qpucc_glue *glue);
void glue_cache_close(struct qpucc_glue *glue);

/* --- emit.c --------------------------------------------------------------------------------------------- */

/* Both constant buffers, as the program's storage has them; until the next call. */
const uint32_t *glue_storage(struct qpucc_glue *glue, const struct glue_program *program);

/* --- state.c -------------------------------------------------------------------------------------------- */

/* The key for what the context is set to. */
void glue_key(const struct vc4_context *vc4, const struct glue_program *program, uint8_t mode,
              struct qpucc_state *key);
/* The values of a draw, and set-up words by unit of the program. */
void glue_values(const struct vc4_context *vc4, const struct glue_program *program,
                 struct qpucc_draw_values *values, uint32_t textures[QPUCC_MAX_TEXTURES][4]);
/* What holds a unit's texture or block. NULL: nothing is bound there. */
struct vc4_bo *glue_buffer(const struct vc4_context *vc4, struct glue_unit unit);
/* NULL: nothing is bound there. */
struct vc4_sampler_view *glue_view(const struct vc4_context *vc4, struct glue_unit unit);

#endif
