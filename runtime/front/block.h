/* The 3D block's inside: two control threads, the binner, the renderer, and what they share. */
#ifndef SIM_BLOCK_H
#define SIM_BLOCK_H

#include <qpucc/lists.h>

#include "runtime/draw.h"
#include "runtime/machine.h"
#include "runtime/timing.h"

#define SIM_MAX_STREAM (1u << 24)   /* words */
#define SIM_MAX_VERTICES (1u << 24) /* an index is one of 24 bits at most */
#ifndef SIM_MAX_ITEMS
#define SIM_MAX_ITEMS (1u << 26) /* records and primitives that one run reads: a list may be endless */
#endif

enum { /* bits of INTCTL */
       SIM_INT_FRAME = 1,
       SIM_INT_FLUSHED = 2,
       SIM_INT_OUT_OF_MEMORY = 4,
       SIM_INT_OVERSPILL = 8,
};

/* --- shader state (shader.c) ---------------------------------------------------------------------------- */

/* A shader state record, read once a run, with its programs decoded. */
struct sim_shader {
    struct sim_shader *next;
    uint32_t packet; /* the 32 bits after the code: what it is found by */
    bool nv, point_size, clipping, clip_header, threaded;
    unsigned varyings;
    struct qpusim_shader stage[3]; /* by enum qpusim_stage; of NV only the fragment's */
    bool partial[3];               /* stream words may be left over: their number is not known */
    struct sim_attribute {
        uint32_t address, stride;
        unsigned bytes, offset[3]; /* offset by stage, in the VPM column */
    } attribute[QPUSIM_MAX_ATTRIBUTES];
    unsigned attribute_count, select[3], rows[3]; /* rows: of the stage's attributes */
    uint32_t vertices, stride;                    /* NV */
};

/* A program found in memory. Kept from run to run as long as its words stay the same. */
struct sim_code {
    struct sim_code *next;
    uint32_t address;
    unsigned run; /* number of the run that compared the words */
    struct qpusim_program *program;
};

/* A draw that brings its programs decoded and its own pixels (draw.c): whatever code the record names, and
 * wherever tiles are loaded from and stored to. */
struct sim_direct {
    struct qpusim_shader shader[3]; /* by enum qpusim_stage */
    bool partial;
    struct qpusim_target *target;
};

/* --- state that records set ----------------------------------------------------------------------------- */

enum sim_item {
    SIM_ITEM_FORMAT, /* first, and the shader state next: that is the order they are read in */
    SIM_ITEM_SHADER,
    SIM_ITEM_CONFIG,
    SIM_ITEM_FLAT,
    SIM_ITEM_POINT_SIZE,
    SIM_ITEM_LINE_WIDTH,
    SIM_ITEM_RHT,
    SIM_ITEM_DEPTH_OFFSET,
    SIM_ITEM_CLIP_WINDOW,
    SIM_ITEM_VIEWPORT,
    SIM_ITEM_Z_PLANES,
    SIM_ITEMS, /* in tile lists; what follows only the binner uses */
    SIM_ITEM_XY_SCALING = SIM_ITEMS,
    SIM_ITEM_Z_SCALING,
};

struct sim_gl_state {
    struct qpusim_cl_primitive_list_format format;
    struct qpusim_record shader_state; /* code 0: none yet */
    struct sim_shader *shader;         /* what it says; NULL: not read in this run */
    struct qpusim_cl_configuration_bits config;
    uint32_t flat;
    float point_size, line_width;
    struct qpusim_cl_depth_offset depth_offset;
    struct qpusim_cl_clip_window window;
    struct qpusim_cl_viewport_offset viewport;
    struct qpusim_cl_clipper_xy_scaling xy;
    struct qpusim_cl_clipper_z_scaling z;
    struct qpusim_cl_z_clip_planes z_planes;
    bool z_clip; /* z_planes were set */
};

/* --- control threads (control.c) ------------------------------------------------------------------------ */

enum { SIM_BIN, SIM_RENDER };

struct sim_control {
    uint32_t current, end, back[2];
    unsigned depth;
    bool running, halted, failed, stalled;
    unsigned semaphore, pending; /* pending: increments that wait for the frame's end */
    uint32_t flushes, returns, primitives_left;
    struct sim_gl_state state;
};

/* --- binner (bin.c, tile_list.c) ------------------------------------------------------------------------ */

struct sim_bin_tile {
    uint8_t *at, *end;
    uint32_t address; /* of `at` */
    uint32_t stamp;   /* state up to here is in the list */
    bool open;        /* in a compressed list */
    struct qpusim_primitive_coder coder;
};

/* A vertex as the binner sees it: the coordinate shader's output (guide figure 11). */
struct sim_coordinate {
    float clip[4];
    int16_t x, y;
    float z, inv_w, size;
    uint8_t outside; /* of the view volume: one bit a side */
    bool cut;        /* beyond a plane that clips */
};

struct sim_positions { /* what coordinate shaders said, for the vertex shaders to agree with */
    struct sim_position {
        uint32_t packet, index, word[4]; /* packet: of the shader state */
        bool used;
    } * entry;
    uint32_t count, mask;
};

struct sim_bin {
    bool configured, started;
    struct qpusim_cl_binning_mode mode;
    unsigned tile_width, tile_height;
    struct sim_bin_tile *tile;
    unsigned tiles;
    uint8_t *pool; /* what is left of the memory that blocks are taken from */
    uint32_t pool_address, pool_left, block_size;
    uint32_t stamp;
    struct {
        uint8_t bytes[10], size;
        uint32_t stamp;
    } item[SIM_ITEMS];
    uint32_t *slot, *index; /* of a primitive list: index - lowest -> place, place -> index */
    struct sim_coordinate *vertex;
    size_t slots, vertices; /* allocated */
    struct sim_positions positions;
};

/* --- renderer (render.c, tile_job.c) -------------------------------------------------------------------- */

struct sim_render_primitive {
    uint32_t index[3];
    uint32_t clip; /* address of its clipped vertices with their mask in the low bits; 0: none */
};

/* What happens to a tile buffer, in order. */
struct sim_tile_op {
    enum { SIM_OP_TILE, SIM_OP_PRIMITIVES, SIM_OP_LOAD, SIM_OP_STORE } kind;
    unsigned type;             /* PRIMITIVES: 0 points, 1 lines, 2 triangles */
    uint32_t first, count;     /* PRIMITIVES; of TILE column and row */
    uint32_t state;            /* PRIMITIVES: number of the state */
    uint32_t record;           /* address, for errors */
    struct qpusim_record what; /* LOAD, STORE */
};

/* From one clearing of the tile buffer to the next: nothing else connects the work on one tile and
 * another. */
struct sim_tile_job {
    uint32_t first, count; /* operations */
};

struct sim_render {
    bool configured, in_frame;
    struct qpusim_cl_rendering_mode mode;
    struct sim_clear clear;
    bool tile_set;
    unsigned loads; /* that wait for tile coordinates */
    struct sim_tile_op *op;
    struct sim_tile_job *job;
    struct sim_render_primitive *primitive;
    struct sim_gl_state *state;
    size_t ops, jobs, primitives, states;
    size_t op_capacity, job_capacity, primitive_capacity, state_capacity;
    bool state_changed, carried; /* carried: the next job continues with the tile buffer as it is */
};

/* --- user programs (user.c) ----------------------------------------------------------------------------- */

#define SIM_QPUS 12
#define SIM_REQUESTS 16

struct sim_user_queue {
    uint32_t uniforms, length; /* registers: of the next request */
    unsigned made, done, queued;
    bool full; /* a request found no room */
    struct sim_request {
        uint32_t code, uniforms, length;
    } queue[SIM_REQUESTS];
    struct sim_thread *thread[SIM_QPUS];
    uint32_t busy;
    struct sim_user vpm;
    struct sim_shared shared;
};

/* --- the block ------------------------------------------------------------------------------------------ */

struct qpusim_block {
    struct qpusim_memory *memory;
    struct qpusim_memory *shader_memory; /* textures and uniforms; the same unless draw.c says otherwise */
    struct sim_control control[2];
    struct sim_bin bin;
    struct sim_render render;
    struct sim_shader *shaders[256];
    struct sim_code *codes[64];
    const struct sim_direct *direct; /* or NULL */
    unsigned run;
    /* of the run that is under way */
    const struct qpusim_options *options;
    struct qpusim_error *error;
    struct qpusim_counters *counters, own_counters;
    struct qpusim_timing *timing; /* the options', or the block's own while counters of it are on; or NULL */
    struct sim_thread *thread;    /* of the binner */
    struct qpusim_vertices *in;   /* of the binner */
    struct sim_clock clock;
    struct sim_shared shared;
    struct sim_costs costs; /* of the binner */
    struct sim_tile *tile;  /* what the last job left, for one that continues */
    uint32_t record;        /* address of the record being executed */
    uint64_t items;
    /* registers */
    uint32_t scratch, interrupts, interrupt_mask, overflow_address, overflow_size, bxcf, reserve[2], sqcntl,
        vpacntl, vpmbase, l2, qpu_interrupts, qpu_interrupt_mask, counter_enable, counter_source[16], errstat;
    uint64_t counter_base[16], count[QPUSIM_COUNTS];
    struct qpusim_timing *own_timing;
    bool out_of_memory;
    uint8_t frames_binned, frames_rendered;
    qpusim_overflow_fn *overflow;
    void *overflow_user;
    struct sim_user_queue user;
};

/* Fills the error (the first one wins); returns false, for `return sim_block_fail(...)`. */
bool sim_block_fail(struct qpusim_block *b, enum qpusim_status status, const char *rule, const char *format,
                    ...) __attribute__((format(printf, 4, 5)));
/* The same for [address, address + size), which lies outside memory. */
bool sim_block_fail_address(struct qpusim_block *b, const char *what, uint32_t address, size_t size);
bool sim_block_no_memory(struct qpusim_block *b);
/* Counts one more record or primitive; false when the run has read too many. */
static inline bool sim_block_item(struct qpusim_block *b) {
    return ++b->items <= SIM_MAX_ITEMS ||
           sim_block_fail(b, QPUSIM_BUDGET, "items", "the lists have no end that the machine would reach");
}
/* Makes room for one more in an array that doubles. */
bool sim_grow(void *array, size_t *capacity, size_t count, size_t size);

/* control.c: runs a thread until it stops, stalls or fails. `moved` tells whether it did anything. */
bool sim_control_run(struct qpusim_block *b, unsigned thread, bool *moved);
/* The end of a frame: increments that waited for it happen. */
void sim_control_frame_end(struct qpusim_block *b, unsigned thread);
/* The item that the record sets, or -1; puts it into the state. */
int sim_state_set(struct sim_gl_state *state, const struct qpusim_record *record);
/* The shader state that primitives need; NULL after an error. */
struct sim_shader *sim_state_shader(struct qpusim_block *b, struct sim_gl_state *state);

/* shader.c */
struct sim_shader *sim_shader_find(struct qpusim_block *b, const struct qpusim_record *record);
/* The program at an address of memory; NULL after an error. */
struct qpusim_program *sim_program_find(struct qpusim_block *b, uint32_t address, enum qpusim_stage stage,
                                        bool threaded);
/* Where a program lies; 0 when it comes decoded. */
uint32_t sim_code_address(const struct qpusim_block *b, const struct qpusim_program *program);
void sim_shaders_forget(struct qpusim_block *b); /* records; programs stay */
void sim_codes_free(struct qpusim_block *b);

/* vertices.c: what QPU work needs; the binner has one, and so has each tile that is drawn. */
struct sim_worker {
    struct qpusim_memory *memory, *shader_memory;
    const struct qpusim_options *options;
    struct qpusim_error *error;
    struct qpusim_counters *counters;
    struct sim_clock *clock;
    struct sim_shared *shared;
    struct sim_thread *thread;
    struct qpusim_vertices *in;
    struct sim_costs *costs; /* NULL: nobody asks */
};
/* Fetches and shades up to 16 vertices of a GL shader state; the thread's VPM holds the outputs. */
bool sim_shade_vertices(const struct sim_worker *w, const struct sim_shader *shader, enum qpusim_stage stage,
                        const uint32_t *index, unsigned count);
bool sim_worker_fail_address(const struct sim_worker *w, const char *what, uint32_t address, size_t size);
bool sim_positions_set(struct sim_positions *p, const struct sim_shader *shader, uint32_t index,
                       const uint32_t word[4]);
const struct sim_position *sim_positions_get(const struct sim_positions *p, const struct sim_shader *shader,
                                             uint32_t index);

/* bin.c */
bool sim_bin_record(struct qpusim_block *b, const struct qpusim_record *record, const uint8_t *bytes);
void sim_bin_free(struct qpusim_block *b);
/* tile_list.c */
bool sim_tile_lists_begin(struct qpusim_block *b);
bool sim_tile_lists_end(struct qpusim_block *b, bool all_state);
struct sim_tile_primitive {
    unsigned type, data; /* 0 points, 1 lines, 2 triangles; index format 1 or 2 */
    uint32_t index[3];
    uint32_t clip; /* address of its clipped vertices with their mask in the low bits; 0: none */
};
bool sim_tile_list_add(struct qpusim_block *b, unsigned tile, const struct sim_tile_primitive *primitive);
/* Bytes of tile list memory, a multiple of 32, on such a boundary; NULL after an error. */
uint8_t *sim_tile_list_alloc(struct qpusim_block *b, uint32_t size, uint32_t *address);

/* render.c */
bool sim_render_record(struct qpusim_block *b, const struct qpusim_record *record);
/* Draws all jobs that are complete. */
bool sim_render_flush(struct qpusim_block *b);
void sim_render_free(struct qpusim_block *b);
/* tile_job.c */
bool sim_tile_jobs(struct qpusim_block *b);

/* user.c: queues a program (false: the queue is full), and lets all go on as far as they can */
bool sim_user_request(struct qpusim_block *b, uint32_t code);
bool sim_user_run(struct qpusim_block *b, bool wait);
void sim_user_free(struct qpusim_block *b);

/* timing.c: batches in their order, and a point that all of them end before */
void sim_timing_take(struct qpusim_timing *timing, const struct sim_costs *costs);
void sim_timing_barrier(struct qpusim_timing *timing);
/* A user program that has ended. */
void sim_timing_user(struct qpusim_timing *timing, unsigned qpu, uint64_t executed, uint32_t code);
/* A model without events; NULL when memory runs out. */
struct qpusim_timing *sim_timing_quiet(void);
/* What the binner has run so far, before anything is rendered. */
void sim_timing_binned(struct qpusim_block *b);

/* setup.c: primitive set-up. From shaded vertices, in the order of their list, to what the rasteriser takes;
 * returns how many (a line has two), 0 when the primitive is culled or empty. */
struct sim_set_up {
    struct sim_primitive primitive[2];
    struct sim_vertex corner[4]; /* of a line */
};
unsigned sim_set_up(const struct sim_raster_state *s, unsigned type, const struct sim_vertex *const v[3],
                    const float *flat, struct sim_set_up *out);

#endif
