/* libqpusim: an exact VideoCore IV 3D machine in software.
 *
 * It executes QPU instruction words and is independent of any compiler. It runs one program on one batch of
 * 16 lanes (qpusim_run), or whole draws with vertex shading, clipping, rasterisation and a tile buffer
 * (qpusim_draw).
 *
 * Strict mode is the default: behaviour that the architecture guide, as corrected by measurements, leaves
 * undefined (register hazards, empty or overflowing FIFOs, values that were never written reaching a pixel,
 * ...) ends the run with a struct qpusim_error that names the instruction, the lane and the rule.
 *
 * Conventions
 * - "guide" is Broadcom's VideoCore IV 3D Architecture Reference Guide (AG100-R).
 * - Colours are packed 32-bit words, red in bits 7:0, alpha in bits 31:24 (guide section 4, table 18).
 * - Framebuffer and image row 0 is the bottom row (GL's origin); texture row 0 is t = 0.
 * - Lanes 4q..4q+3 are the pixels of quad q: upper left, upper right, lower left, lower right, where "upper"
 *   is the row with the smaller y.
 * - Depth is 24 bits, 0 near.
 * - Sizes and strides are in bytes unless the name says words, rows or pixels.
 * - Every function is thread-safe as long as two threads do not use one mutable object at a time. Programs
 * are
 *   immutable after creation and may be shared. Nothing here keeps global state; nothing aborts on bad input.
 * - Objects from *_new are released with the matching *_free; NULL may be freed. Pointers in parameter
 * structs are
 *   only borrowed for the call. Initialise parameter structs with {0}: zero is the default everywhere. */
#ifndef QPUSIM_H
#define QPUSIM_H

#include <qpucc/texture.h>
#include <qpucc/version.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QPUSIM_LANES 16
#define QPUSIM_MAX_VPM_ROWS 64  /* rows of 16 words that a batch of vertices may use (guide section 7) */
#define QPUSIM_MAX_VARYINGS 34  /* 32 varyings, and a point's S and T before them */
#define QPUSIM_MAX_ATTRIBUTES 8 /* guide table 41 */
#define QPUSIM_MAX_INSTRUCTIONS 65536
#define QPUSIM_SAMPLES 4    /* of a pixel, with multisampling */
#define QPUSIM_TILE_WORDS 8 /* of a pixel: four samples of 64 bits */
/* Where a uniform stream given as an array appears in the address space (for address register resets). */
#define QPUSIM_STREAM_ADDRESS 0xc0000000u

/* The version of the library in use, "major.minor.patch"; static storage. It may be newer than the header's
 * (qpucc/version.h). */
const char *qpusim_version(void);

enum qpusim_stage { QPUSIM_FRAGMENT, QPUSIM_VERTEX, QPUSIM_COORDINATE };

/* --- errors --------------------------------------------------------------------------------------------- */

enum qpusim_status {
    QPUSIM_OK = 0,
    QPUSIM_STRICT,       /* undefined behaviour or a hazard; see struct qpusim_error */
    QPUSIM_BUDGET,       /* instruction budget used up: an endless loop */
    QPUSIM_BAD_ARGUMENT, /* a parameter is out of range; text says which */
    QPUSIM_NO_MEMORY,
    QPUSIM_BAD_LIST,    /* a control list is malformed; see lists.h */
    QPUSIM_BAD_ADDRESS, /* an access outside all buffers; text names the address and the nearest buffer */
};

struct qpusim_error {
    enum qpusim_status status;
    enum qpusim_stage stage;
    unsigned thread;      /* hardware thread 0 or 1 */
    unsigned instruction; /* index of the instruction in its program */
    int lane;             /* 0..15, or -1 when the whole QPU is meant */
    uint32_t record;      /* address of the record of a control list that led to it; 0: none */
    const char *rule;     /* short stable name, e.g. "regfile-read-after-write"; static storage */
    char text[240];       /* reason, with the section that says so */
};

/* --- memory --------------------------------------------------------------------------------------------- */

/* Simulated memory: buffers at bus addresses, each with the name of its owner. Textures, uniform arrays and
 * (optionally) uniform streams live here, and for control lists everything else, too. An access that does not
 * lie in one buffer is an error that names the address and the owner of the nearest buffer. Little endian. */
struct qpusim_memory;
#define QPUSIM_MEMORY_BASE 0x00100000u

/* With one buffer of `size` bytes (4 KiB .. 1 GiB) at QPUSIM_MEMORY_BASE, which qpusim_memory_alloc divides;
 * with size 0 without buffers. NULL when there is no memory. */
struct qpusim_memory *qpusim_memory_new(size_t size);
void qpusim_memory_free(struct qpusim_memory *memory);
/* Adds a buffer at [address, address + size), which must not touch another one; `size` is 1 to 1 GiB. `bytes`
 * is borrowed until the buffer goes; NULL: the memory makes its own, zeroed. The owner's name is copied. */
enum qpusim_status qpusim_memory_add(struct qpusim_memory *memory, uint32_t address, size_t size, void *bytes,
                                     const char *owner);
/* Takes away the buffer that begins at `address`; false when there is none. */
bool qpusim_memory_remove(struct qpusim_memory *memory, uint32_t address);
/* The owner of the buffer that holds the address, where it begins and its size (both may be NULL); NULL
 * outside. Valid as long as the buffer. */
const char *qpusim_memory_owner(const struct qpusim_memory *memory, uint32_t address, uint32_t *start,
                                size_t *size);
/* Allocates `size` zeroed bytes aligned to `align`, a power of two, from the buffer that qpusim_memory_new
 * made. Returns the bus address, or 0 when full. */
uint32_t qpusim_memory_alloc(struct qpusim_memory *memory, size_t size, size_t align);
/* Releases everything that was allocated. The contents stay until they are allocated again. */
void qpusim_memory_reset(struct qpusim_memory *memory);
/* Host pointer to [address, address + size), NULL if any byte lies outside its buffer. Valid as long as the
 * buffer. */
void *qpusim_memory_map(struct qpusim_memory *memory, uint32_t address, size_t size);

/* --- textures ------------------------------------------------------------------------------------------- */

/* Their formats, and images as callers have them, are in texture.h. */

/* Stores an image with its mip levels in T or LT format (guide sections 4 and 11), level 0 on a 4 KiB
 * boundary and the smaller levels below it. */
enum qpusim_status qpusim_upload_texture(struct qpusim_memory *memory, const struct qpusim_texture_info *info,
                                         struct qpusim_texture *out);

/* Reads one level (and face: 0, of a cube 0..5) back as qpusim_upload_texture takes it. `size` bytes are at
 * `pixels`. */
enum qpusim_status qpusim_read_texture(const struct qpusim_memory *memory,
                                       const struct qpusim_texture *texture, unsigned face, unsigned level,
                                       void *pixels, size_t size);

/* --- programs ------------------------------------------------------------------------------------------- */

struct qpusim_program;

/* Decodes `count` instruction words once into the machine's own form. `threaded` marks a two-threaded
 * fragment shader. Returns NULL when the count is 0 or above QPUSIM_MAX_INSTRUCTIONS, or when memory runs
 * out. Invalid instruction words are an error only when they are executed. */
struct qpusim_program *qpusim_program_new(const uint64_t *code, size_t count, enum qpusim_stage stage,
                                          bool threaded);
void qpusim_program_free(struct qpusim_program *program);

/* A uniform stream: `count` words at `words`, which appear at QPUSIM_STREAM_ADDRESS for address register
 * resets (a word that must hold the stream's own address, the kernel's relocation, holds that constant plus
 * the offset); or, with words NULL, `count` words in simulated memory at `address`. */
struct qpusim_stream {
    const uint32_t *words;
    size_t count;
    uint32_t address;
};

/* --- counters and trace --------------------------------------------------------------------------------- */

/* Sums over the run or draw; functions add to them, callers clear them. Unit of cycles: one instruction slot,
 * the four clocks in which a QPU executes one instruction for 16 lanes. The model is documented in
 * runtime/cycles.c. */
struct qpusim_counters {
    uint64_t instructions, cycles;
    uint64_t stall_tmu, stall_fifo, stall_switch, stall_branch; /* cycles by cause, within `cycles` */
    uint64_t uniforms, varyings, vpm_reads, vpm_writes, sfu, tmu_requests, thread_switches, tlb_writes;
    uint64_t batches;                                                  /* program runs */
    uint64_t stage_instructions[3], stage_cycles[3], stage_batches[3]; /* by enum qpusim_stage */
    uint64_t primitives, primitives_culled, primitives_clipped,
        pixels;                   /* draws; pixels: covered, before depth */
    uint64_t position_mismatches; /* vertices where vertex and coordinate shader disagree on XY, 1/Wc or
                                size, or by more than 1/256 on Zs */
    /* By enum qpusim_stage: NULL, or a counter for each instruction of the stage's program, which counts how
     * often the branch there was reached, taken or not. */
    uint64_t *branches[3];
};

struct qpusim_write {
    char name[12];  /* "r0", "ra12", "rb3", "tmu0_s", "tlb_color", ... */
    uint16_t lanes; /* lanes written */
    uint32_t value[QPUSIM_LANES];
};

struct qpusim_trace {
    enum qpusim_stage stage;
    unsigned thread, instruction;
    uint64_t cycle, word;
    const char *text; /* disassembly; valid during the callback */
    /* What both ALUs write, and what arrives at the instruction's end: r5 of a varying, r4 of a signal or of
     * the special function that was begun two instructions before. */
    unsigned write_count; /* 0..5 */
    struct qpusim_write writes[5];
};
typedef void qpusim_trace_fn(void *user, const struct qpusim_trace *trace);

/* A batch that a draw starts: what its lanes are. */
struct qpusim_batch {
    enum qpusim_stage stage;
    unsigned thread;
    uint16_t live, coverage; /* lanes with a pixel or vertex; those whose pixel is to be written */
    const int32_t *x, *y;    /* fragments: the lanes' pixels, else NULL */
    const uint32_t *vertex;  /* vertices: the lanes' indices, else NULL */
};
typedef bool qpusim_select_fn(void *user, const struct qpusim_batch *batch);

/* Lenient mode went on where strict mode would have ended with `error`. Threads that draw tiles call it,
 * several at a time. */
typedef void qpusim_tolerated_fn(void *user, const struct qpusim_error *error);

/* Faults: one way in which the machine can be made wrong, as a chip might be that breaks an assumption. Tests
 * of chips must find them. */
struct qpusim_fault {
    const char *name;       /* letters, digits and underscores */
    const char *assumption; /* the row of qpucc/assumptions.def that does not hold then */
    const char *text;       /* what the machine does instead */
};
/* Fault number 1 and on, in static storage; NULL for 0 and beyond the last. */
const struct qpusim_fault *qpusim_fault_at(unsigned number);
/* The number of the fault of that name, for qpusim_options.fault; 0: there is none. */
unsigned qpusim_fault_find(const char *name);

/* How to run; shared by qpusim_run, qpusim_draw and qpusim_run_lists. */
struct qpusim_options {
    bool lenient; /* continue where strict mode would stop, with an arbitrary but repeatable value */
    bool ideal; /* round float results and screen coordinates to nearest and make special functions correct to
                     the last bit, which no chip does: what still differs from another renderer is not the
                     chip's rounding */
    bool nearest_positions; /* of `ideal` only the screen coordinates: where an ftoi of a vertex program is
                               packed into 16 bits, it rounds to the nearest sixteenth of a pixel */
    unsigned fault;         /* 0, or the machine has this fault. It is slower then, and never strict: no chip
                               is */
    unsigned threads;       /* that draw tiles; 0: the caller's alone. Pictures, counters and errors do not
                             depend on it. A trace is made by one thread */
    uint64_t budget;        /* instructions per batch; 0: 1,000,000 */
    uint32_t poison_seed;   /* pattern of undefined bits (unused lanes, registers at start) */
    qpusim_trace_fn *trace;
    qpusim_select_fn *select; /* draws: is this batch traced? NULL: all are. Others run as fast as without */
    void *trace_user;         /* of both */
    qpusim_tolerated_fn *tolerated; /* may be NULL */
    void *tolerated_user;
    struct qpusim_counters *counters; /* may be NULL */
    struct qpusim_timing *timing;     /* draws and lists: when each batch ran (lists.h); may be NULL */
};

/* --- one program on one batch --------------------------------------------------------------------------- */

/* Inputs of a fragment batch from the fixed-function hardware. Lanes of quads without a set bit in `live`
 * are given what the last quad that has one gets (a Pi ends loops whose number of turns is a varying in all
 * lanes, docs/hardware.md, Fragments); colours loaded from the tile buffer are arbitrary there. */
struct qpusim_fragments {
    uint16_t live;     /* lanes whose inputs are valid: whole quads, helper pixels included */
    uint16_t coverage; /* pixels to be written: the initial ms mask; subset of live */
    uint16_t back;     /* lanes on a back face (rev flag) */
    int32_t x[QPUSIM_LANES], y[QPUSIM_LANES]; /* pixel coordinates, 0..2047 */
    float w[QPUSIM_LANES];                    /* ra15 */
    uint32_t z[QPUSIM_LANES];                 /* rb15, 24 bits */
    unsigned varying_count;                   /* 0..QPUSIM_MAX_VARYINGS, in reading order */
    /* The value of varying v in lane l is vary[v][l] * w[l] + c[v][l]; the read delivers vary, r5 gets c. */
    float vary[QPUSIM_MAX_VARYINGS][QPUSIM_LANES];
    float c[QPUSIM_MAX_VARYINGS][QPUSIM_LANES];
    uint32_t color[QPUSIM_LANES];  /* tile buffer colours before the batch */
    uint32_t depth[QPUSIM_LANES];  /* tile buffer depths before the batch */
    uint8_t stencil[QPUSIM_LANES]; /* tile buffer stencils before the batch */
    /* The tile buffer's configurations: four samples a pixel, 64 bits a colour. With either, `tile` counts
     * instead of `color`: the words of a pixel in the order in which they are read and written, sample by
     * sample. With samples, `samples` has the covered ones in bits 0..3, and `sample_depth` and
     * `sample_stencil` count instead of `depth` and `stencil`. */
    bool multisample, color64;
    uint8_t samples[QPUSIM_LANES];
    uint32_t tile[QPUSIM_TILE_WORDS][QPUSIM_LANES];
    uint32_t sample_depth[QPUSIM_SAMPLES][QPUSIM_LANES];
    uint8_t sample_stencil[QPUSIM_SAMPLES][QPUSIM_LANES];
    /* The frame has an alpha mask, or its Z and stencil hold coverage (guide section 5): Z in bits 31:8 and
     * stencil in 7:0 are two bits for each of sixteen samples. A coverage read delivers the share of those
     * that are not 0 as a byte four times, or with `coverage_bits` one bit for each, and unless
     * `coverage_left` clears them. Strict mode stops at reads of what the frame does not have. */
    bool alpha_mask, coverage_buffer, coverage_bits, coverage_left;
    uint8_t alpha[QPUSIM_LANES];
    bool depth_test;     /* otherwise every written Z passes and none is stored */
    bool depth_write;    /* with depth_test: passing Z values are stored */
    unsigned depth_func; /* enum qpusim_func */
};

/* Vertices: attribute words as the vertex fetch stores them. Row r of the VPM block is word r of each vertex.
 * */
struct qpusim_vertices {
    unsigned count;     /* lanes in use, 1..16, from lane 0 */
    unsigned row_count; /* attribute words per vertex */
    uint32_t rows[QPUSIM_MAX_VPM_ROWS][QPUSIM_LANES];
};

struct qpusim_run_info {
    const struct qpusim_program *program;
    struct qpusim_memory *memory; /* may be NULL if no lookup is made */
    struct qpusim_stream uniforms;
    const struct qpusim_fragments *fragments; /* for QPUSIM_FRAGMENT */
    const struct qpusim_vertices *vertices;   /* for QPUSIM_VERTEX and QPUSIM_COORDINATE */
    unsigned expected_outputs;                /* rows that must be written to the VPM; 0: any number */
    bool partial_uniforms; /* do not complain about words of stream or attributes left over at thread end */
};

struct qpusim_result {
    uint16_t color_written, z_written; /* lanes whose pixel was changed (mask and depth test applied) */
    uint16_t discarded;                /* covered lanes that wrote no colour */
    uint32_t color[QPUSIM_LANES];      /* tile buffer colours after the batch */
    uint32_t depth[QPUSIM_LANES];      /* of sample 0, as is the stencil */
    uint8_t stencil[QPUSIM_LANES];
    uint32_t tile[QPUSIM_TILE_WORDS][QPUSIM_LANES]; /* word 0 is `color` */
    uint32_t sample_depth[QPUSIM_SAMPLES][QPUSIM_LANES];
    uint8_t sample_stencil[QPUSIM_SAMPLES][QPUSIM_LANES];
    uint8_t alpha[QPUSIM_LANES]; /* the alpha mask, when there is one */
    unsigned row_count;          /* VPM output rows: highest row written plus one */
    uint32_t rows[QPUSIM_MAX_VPM_ROWS][QPUSIM_LANES];
    uint64_t instructions, cycles;
    /* Final state, for tests of single instructions: accumulators r0..r5 and both files, bits as they are. */
    uint32_t acc[6][QPUSIM_LANES], ra[32][QPUSIM_LANES], rb[32][QPUSIM_LANES];
    uint16_t flag_z, flag_n, flag_c;
};

/* Runs to the thread end. `result` is filled up to where the run ended, also on error. `error` may be NULL.
 * */
enum qpusim_status qpusim_run(const struct qpusim_run_info *run, const struct qpusim_options *options,
                              struct qpusim_result *result, struct qpusim_error *error);

/* --- render target -------------------------------------------------------------------------------------- */

struct qpusim_target;

struct qpusim_target *qpusim_target_new(unsigned width,
                                        unsigned height); /* 1..2048 each; cleared to 0, depth 1 */
void qpusim_target_free(struct qpusim_target *target);
/* color: packed, red in the low byte. depth: 0..1. */
void qpusim_target_clear(struct qpusim_target *target, uint32_t color, float depth, uint8_t stencil);
unsigned qpusim_target_width(const struct qpusim_target *target);
unsigned qpusim_target_height(const struct qpusim_target *target);
/* width * height packed colours, row 0 at the bottom; owned by the target, valid until it is freed. */
uint32_t *qpusim_target_pixels(struct qpusim_target *target);
/* Depths, 24 bits in the low end; same shape and ownership. */
uint32_t *qpusim_target_depths(struct qpusim_target *target);

/* --- draws ---------------------------------------------------------------------------------------------- */

enum qpusim_mode { /* as in the primitive list (guide section 9, ID 32) */
                   QPUSIM_POINTS,
                   QPUSIM_LINES,
                   QPUSIM_LINE_LOOP,
                   QPUSIM_LINE_STRIP,
                   QPUSIM_TRIANGLES,
                   QPUSIM_TRIANGLE_STRIP,
                   QPUSIM_TRIANGLE_FAN,
};
enum qpusim_func { /* depth test (configuration bits, guide section 9, ID 96) */
                   QPUSIM_FUNC_NEVER,
                   QPUSIM_FUNC_LESS,
                   QPUSIM_FUNC_EQUAL,
                   QPUSIM_FUNC_LEQUAL,
                   QPUSIM_FUNC_GREATER,
                   QPUSIM_FUNC_NOTEQUAL,
                   QPUSIM_FUNC_GEQUAL,
                   QPUSIM_FUNC_ALWAYS,
};
enum qpusim_cull { QPUSIM_CULL_NONE, QPUSIM_CULL_BACK, QPUSIM_CULL_FRONT, QPUSIM_CULL_BOTH };

struct qpusim_shader {
    const struct qpusim_program *program;
    struct qpusim_stream uniforms;
};

/* One attribute: `components` 32-bit words (floats, or raw words) per vertex at data + vertex * stride;
 * stride 0 gives every vertex the same value. Must cover all vertices drawn. */
struct qpusim_attribute {
    const void *data;
    unsigned components; /* 1..16 */
    unsigned stride;
    /* that are fetched of each vertex: the last word's rest is arbitrary, as on the chip; 0: whole words */
    unsigned bytes;
};

/* Everything a draw needs. The shaders transform and project: the coordinate shader writes Xc, Yc, Zc, Wc,
 * screen XY (two signed 12.4 numbers relative to the viewport's centre, X in the low half), Zs (float 0..1),
 * 1/Wc [, point size]; the vertex shader writes XY, Zs, 1/Wc [, point size], then the varyings (guide section
 * 9, "Shaded Vertex Format in Memory"). So the viewport's scale reaches them as uniforms: x scale = width / 2
 * * 16, y scale = height / 2 * 16 (row 0 at the bottom), z scale = (far - near) / 2, z offset = (far + near)
 * / 2. */
struct qpusim_draw_info {
    struct qpusim_shader fragment, vertex, coordinate;
    const struct qpusim_attribute *attributes; /* in VPM order */
    unsigned attribute_count;                  /* 1..QPUSIM_MAX_ATTRIBUTES */
    uint8_t vertex_attributes;                 /* bit n: the vertex shader gets attribute n; 0: all */
    uint8_t coordinate_attributes;             /* the same for the coordinate shader; 0: all */
    unsigned varying_count; /* words after the fixed ones in the vertex shader's output; what the fragment
                               shader reads (a point's S and T come before them and are not counted) */
    /* Points get two words before their varyings, gl_PointCoord's s and t (t grows downwards, as in GL),
       lines one (0..1 across the line); the fragment shader must read them first. */
    uint32_t flat_varyings; /* bit n: varying n is the last vertex's value (flat shading) */
    enum qpusim_mode mode;
    unsigned first, count;        /* vertices, or places in `indices` */
    const uint32_t *indices;      /* NULL: 0, 1, 2, ... */
    bool point_size_written;      /* shaded vertices carry a point size (any mode) */
    float point_size, line_width; /* when not; 0 means 1 */
    /* Rectangle in pixels that -1..1 maps to, its centre less than 2048 pixels from 0; all 0: the whole
     * target. */
    int viewport_x, viewport_y;
    unsigned viewport_width, viewport_height;
    float depth_near, depth_far; /* glDepthRange, for vertices made by clipping; both 0: 0 and 1 */
    /* Clip window in pixels, within the target; all 0: the whole target. Viewport clipping happens in any
     * case. */
    unsigned scissor_x, scissor_y, scissor_width, scissor_height;
    enum qpusim_cull cull;
    bool clockwise_front; /* front faces are clockwise with y up; false: counter-clockwise (GL's default) */
    bool depth_test, depth_write;
    enum qpusim_func depth_func;                   /* with depth_test */
    float depth_offset_factor, depth_offset_units; /* polygon offset of filled primitives */
    struct qpusim_memory *memory;                  /* textures; may be NULL */
    bool partial_uniforms;                         /* as in struct qpusim_run_info */
};

/* Draws into the target. On error the target keeps what was drawn so far. `options` and `error` may be NULL.
 * */
enum qpusim_status qpusim_draw(struct qpusim_target *target, const struct qpusim_draw_info *draw,
                               const struct qpusim_options *options, struct qpusim_error *error);

#ifdef __cplusplus
}
#endif

/* --- guide: a textured triangle ------------------------------------------------------------------------- */

/*
 *     struct qpusim_memory *mem = qpusim_memory_new(16 << 20);
 *     struct qpusim_image image = {pixels, 256, 256};
 *     struct qpusim_texture_info info = {.levels = &image,
 *                                        .level_count = 1,
 *                                        .generate_mipmaps = true,
 *                                        .min = QPUSIM_MIN_LINEAR_MIP_LINEAR};
 *     struct qpusim_texture tex;
 *     qpusim_upload_texture(mem, &info, &tex);
 *     uint32_t fs_words[] = {tex.p0, tex.p1};
 *     struct qpusim_program *fs = qpusim_program_new(code, count, QPUSIM_FRAGMENT, false);
 *     struct qpusim_draw_info draw = {.fragment = {fs, {fs_words, 2, 0}},
 *                                     .vertex = ...,
 *                                     .coordinate = ...,
 *                                     .attributes = attributes,
 *                                     .attribute_count = 2,
 *                                     .varying_count = 2,
 *                                     .mode = QPUSIM_TRIANGLES,
 *                                     .count = 3,
 *                                     .memory = mem};
 *     struct qpusim_target *target = qpusim_target_new(640, 480);
 *     struct qpusim_error error;
 *     if (qpusim_draw(target, &draw, NULL, &error) != QPUSIM_OK)
 *         fprintf(stderr, "instruction %u: %s\n", error.instruction, error.text);
 *
 * --- guide: what strict mode checks -----------------------------------------------------------
 *
 * The machine tracks values from registers that were never written (poison), byte by byte and lane by lane.
 * Code may move poison about. It is an error when poison decides something: a branch, an address, a texture
 * coordinate, a pixel or vertex output of a lane in use. Inputs of unused lanes are different: they are
 * arbitrary but definite bits chosen by poison_seed, as on the chip, and code must work whatever they are.
 * Run with two seeds to check that it does. runtime/rules.def lists the names of all rules with their
 * sections. */
#endif
