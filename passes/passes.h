/* Passes: transformations of the IR, one per file, listed in passes.def, put in order by pipeline.c.
 *
 * A pass takes a shader that ir_verify accepts and leaves one, and says whether it changed anything. Each file opens
 * with what its pass requires, keeps and breaks; what the driver has to know of it are the flags in passes.def. */
#ifndef QPUCC_PASSES_PASSES_H
#define QPUCC_PASSES_PASSES_H

#include "ir/ir.h"

/* --- the state key of lower_stage ------------------------------------------------------------------------------------ */

enum lower_primitive { LOWER_TRIANGLES, LOWER_LINES, LOWER_POINTS };

/* Framebuffer colour as the tile buffer holds it: the byte order of the packed word, lowest byte first. */
enum lower_color_format { LOWER_COLOR_RGBA8888, LOWER_COLOR_BGRA8888, LOWER_COLOR_RGB565 };

/* What the channels of a texture's raw texel word mean. */
enum lower_texture_format {
    LOWER_TEXTURE_RGBA, /* byte 0 red .. byte 3 alpha */
    LOWER_TEXTURE_RGB,  /* alpha reads 1 */
    LOWER_TEXTURE_BGRA,
    LOWER_TEXTURE_LUMINANCE,       /* byte 0 in red, green and blue, alpha 1 */
    LOWER_TEXTURE_ALPHA,           /* byte 3 in alpha, the others 0 */
    LOWER_TEXTURE_LUMINANCE_ALPHA, /* bytes 0 and 3 */
    LOWER_TEXTURE_565,
    LOWER_TEXTURE_5551,
    LOWER_TEXTURE_4444,
    LOWER_TEXTURE_FLOAT16, /* 16-bit float pairs: two fetches a texel */
};

/* How an attribute's words lie in the vertex data: 0 is what the shader declares it as, in 32-bit floats. */
enum lower_attribute_format {
    LOWER_ATTRIBUTE_FLOAT,
    LOWER_ATTRIBUTE_UNORM8,
    LOWER_ATTRIBUTE_SNORM8,
    LOWER_ATTRIBUTE_USCALED8,
    LOWER_ATTRIBUTE_SSCALED8,
    LOWER_ATTRIBUTE_UNORM16,
    LOWER_ATTRIBUTE_SNORM16,
    LOWER_ATTRIBUTE_USCALED16,
    LOWER_ATTRIBUTE_SSCALED16,
    LOWER_ATTRIBUTE_FLOAT16,
    LOWER_ATTRIBUTE_FIXED, /* 16.16 */
};

enum lower_blend_factor {
    LOWER_BLEND_ZERO,
    LOWER_BLEND_ONE,
    LOWER_BLEND_SRC_COLOR,
    LOWER_BLEND_ONE_MINUS_SRC_COLOR,
    LOWER_BLEND_DST_COLOR,
    LOWER_BLEND_ONE_MINUS_DST_COLOR,
    LOWER_BLEND_SRC_ALPHA,
    LOWER_BLEND_ONE_MINUS_SRC_ALPHA,
    LOWER_BLEND_DST_ALPHA,
    LOWER_BLEND_ONE_MINUS_DST_ALPHA,
    LOWER_BLEND_CONSTANT_COLOR,
    LOWER_BLEND_ONE_MINUS_CONSTANT_COLOR,
    LOWER_BLEND_CONSTANT_ALPHA,
    LOWER_BLEND_ONE_MINUS_CONSTANT_ALPHA,
    LOWER_BLEND_SRC_ALPHA_SATURATE,
};

enum lower_blend_equation {
    LOWER_BLEND_ADD,
    LOWER_BLEND_SUBTRACT,
    LOWER_BLEND_REVERSE_SUBTRACT,
    LOWER_BLEND_MIN,
    LOWER_BLEND_MAX,
};

struct lower_blend {
    bool enable;
    uint8_t src_rgb, dst_rgb, src_alpha, dst_alpha; /* enum lower_blend_factor */
    uint8_t equation_rgb, equation_alpha;           /* enum lower_blend_equation */
};

/* GL's comparison functions, in GL's order. */
enum lower_compare {
    LOWER_NEVER,
    LOWER_LESS,
    LOWER_EQUAL,
    LOWER_LEQUAL,
    LOWER_GREATER,
    LOWER_NOTEQUAL,
    LOWER_GEQUAL,
    LOWER_ALWAYS,
};

struct lower_texture {
    uint8_t format; /* enum lower_texture_format */
};

/* What of the GL state is compiled in. All zero but color_mask (see passes_default_state) is the plain case. */
struct lower_state {
    uint8_t primitive;        /* enum lower_primitive */
    uint8_t color_format;     /* enum lower_color_format */
    uint8_t color_mask;       /* bit 0 red .. bit 3 alpha */
    uint8_t logic_op;         /* GL's order from GL_CLEAR = 0; looked at only with logic_op_enable */
    bool logic_op_enable;
    bool depth_test, depth_write; /* with either, the fragment shader sends its depth to the tile buffer */
    bool stencil_test, stencil_two_sided;
    bool point_size_per_vertex; /* the shaded vertex carries gl_PointSize */
    bool flip_y;                /* the framebuffer's first row is the top one */
    bool multisample;
    bool alpha_to_coverage;
    uint8_t alpha_test;       /* enum lower_compare; LOWER_NEVER (0) with alpha_test_enable off means none */
    bool alpha_test_enable;
    struct lower_blend blend;
    uint8_t attribute_format[8]; /* enum lower_attribute_format, by attribute */
    struct lower_texture texture[16]; /* by texture unit */
    /* Vertex stage: the words of the varyings that the fragment stage reads, in its FIFO's order (words of this
     * shader's output table, UINT32_MAX: point coordinate). linked false: all outputs, in their own order. */
    bool linked;
    uint32_t vary_word[64];
    uint32_t nvary;
};

struct lower_state passes_default_state(void); /* triangles, RGBA8888, all channels written, no tests */

/* --- options ----------------------------------------------------------------------------------------------------------- */

#define PASSES_UNLIMITED UINT32_MAX

struct pass_options {
    int level;                       /* 0: only what is needed to get code, 1, 2: everything, 3: search */
    const struct lower_state *state; /* NULL: the default state */
    uint32_t ifconvert_limit;        /* instructions moved out of a conditional side, at most */
    uint32_t unroll_limit;           /* instructions that a loop may grow to when unrolled */
    uint32_t unroll_trips;           /* trips at most */
    bool verify;                     /* ir_verify after every pass */
    /* Called after every pass, if set. seconds: wall time the pass took. */
    void (*after)(void *user, const char *pass, struct ir_shader *shader, bool changed, double seconds);
    void *user;
};

/* Verification is on unless NDEBUG is defined. */
struct pass_options passes_default_options(void);

/* --- the registry -------------------------------------------------------------------------------------------------------- */

enum pass_flag {
    PASS_NEEDS_ORDER = 1,      /* ir_cfg_update has run */
    PASS_NEEDS_DOMINATORS = 2, /* and ir_dominators */
    PASS_NEEDS_LOOPS = 4,      /* and ir_loops; the driver sees to all three */
    PASS_NEEDS_SSA = 8,        /* no variables but run-time indexed ones */
    PASS_NEEDS_FLAT = 16,      /* one block */
    PASS_KEEPS_CFG = 32,       /* touches no edge: the analyses stay true */
    PASS_BREAKS_ANALYSES = 64, /* may leave them stale even when it reports no change */
};

typedef bool pass_function(struct ir_shader *shader, const struct pass_options *options);

struct pass_info {
    const char *name;
    pass_function *run;
    uint32_t flags; /* enum pass_flag */
    const char *description;
};

#define PASS(name, flags, description) pass_function pass_##name;
#include "passes/passes.def"
#undef PASS

const struct pass_info *passes_table(size_t *count);
const struct pass_info *passes_find(const char *name); /* NULL if there is none */

/* --- running --------------------------------------------------------------------------------------------------------------- */

/* Each returns false with a reason in error: an unknown name, a shader that no longer verifies (with the pass at fault),
 * memory that ran out. names: "a,b,c"; blanks are skipped. A name in parentheses with others, "(a,b)*8", is repeated
 * until nothing changes, eight times at most. */
bool passes_run_named(struct ir_shader *shader, const char *names, const struct pass_options *options, char *error, size_t size);

/* The compiler's own order. Generic: as the front end left it to the kept IR, from which all variants start; stage:
 * lower_stage with the state key, and optimisation up to what selection takes. Pipeline: both. */
bool passes_run_generic(struct ir_shader *shader, const struct pass_options *options, char *error, size_t size);
bool passes_run_stage(struct ir_shader *shader, const struct pass_options *options, char *error, size_t size);
bool passes_run_pipeline(struct ir_shader *shader, const struct pass_options *options, char *error, size_t size);

/* What the two run at this level, in the notation of passes_run_named. */
const char *passes_generic_list(const struct pass_options *options);
const char *passes_stage_list(const struct pass_options *options);

#endif
