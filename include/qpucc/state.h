/* The state key: the part of GL's state that this chip does in shader code, and the values that such code
 * reads at each draw.
 *
 * A key selects code; a value only fills a word of a uniform stream. Changing a key needs qpucc_variant,
 * changing a value does not. A key of all zeros is GL's initial state: triangles, RGBA8888 target, no
 * blending, no tests, everything written. Members are bytes so that the struct has no padding: two keys are
 * the same when their bytes are, and a driver may hash them as they are. A key that contradicts itself or
 * holds a number out of range is refused with a diagnostic of code "state" that names the member. */
#ifndef QPUCC_STATE_H
#define QPUCC_STATE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QPUCC_MAX_TEXTURES 32       /* of both stages together */
#define QPUCC_MAX_STAGE_TEXTURES 16 /* of one, as GL's drivers for this chip announce it */
#define QPUCC_MAX_ATTRIBUTES 8
#define QPUCC_MAX_LEVELS 12 /* of a texture of 2048 texels */

/* --- primitives ----------------------------------------------------------------------------------------- */

enum qpucc_primitive { QPUCC_TRIANGLES, QPUCC_LINES, QPUCC_POINTS };

/* --- textures ------------------------------------------------------------------------------------------- */

/* How a texture's channels come out of its memory format. The texture unit delivers four bytes, red first
 * (guide section 4, table 18), whatever the format in memory; what follows says what they mean. Formats that
 * the unit filters wrongly, because a number reaches over several of those bytes, want nearest filters: they
 * are marked (nearest). `L` and `A` are the bytes of the hardware's LUMALPHA. */
enum qpucc_texture_format {
    QPUCC_TEX_RGBA,
    QPUCC_TEX_RGBX, /* alpha is 1 */
    QPUCC_TEX_BGRA,
    QPUCC_TEX_LUMINANCE,
    QPUCC_TEX_ALPHA,
    QPUCC_TEX_LUMINANCE_ALPHA,
    QPUCC_TEX_BGRX,
    QPUCC_TEX_INTENSITY,  /* the first byte in all four channels */
    QPUCC_TEX_RED,        /* stored as LUMINANCE: r, 0, 0, 1 */
    QPUCC_TEX_RG,         /* stored as LUMALPHA: L, A, 0, 1 */
    QPUCC_TEX_RGBA_SNORM, /* four signed bytes, -1..1 */
    QPUCC_TEX_RG_SNORM,   /* stored as LUMALPHA */
    QPUCC_TEX_RED_SNORM,  /* stored as LUMINANCE */
    QPUCC_TEX_R16,        /* stored as LUMALPHA, low byte first (nearest) */
    QPUCC_TEX_RG16,       /* two 16-bit numbers in a word (nearest) */
    QPUCC_TEX_R16F,       /* one half float, stored as LUMALPHA (nearest) */
    QPUCC_TEX_RG16F,      /* two half floats in a word (nearest) */
    QPUCC_TEX_R32F,       /* one float in a word (nearest) */
    QPUCC_TEX_RGB10_A2,   /* red in the low ten bits of a word (nearest) */
    /* Depth formats deliver d, 0, 0, 1; a swizzle makes luminance, intensity or alpha of it. */
    QPUCC_TEX_DEPTH16,  /* stored as LUMALPHA, low byte first (nearest) */
    QPUCC_TEX_DEPTH24,  /* in the upper 24 bits of a word, as the tile buffer stores depth (nearest) */
    QPUCC_TEX_DEPTH32F, /* one float in a word (nearest) */
    QPUCC_TEX_FORMAT_COUNT
};

/* Where a channel of the result comes from: GL's TEXTURE_SWIZZLE_R and so on, on top of the format. */
enum qpucc_swizzle {
    QPUCC_SWIZZLE_SAME, /* the channel of the same name, GL's initial state */
    QPUCC_SWIZZLE_RED,
    QPUCC_SWIZZLE_GREEN,
    QPUCC_SWIZZLE_BLUE,
    QPUCC_SWIZZLE_ALPHA,
    QPUCC_SWIZZLE_ZERO,
    QPUCC_SWIZZLE_ONE,
    QPUCC_SWIZZLE_COUNT
};

/* The comparison of a shadow sampler's lookup: reference OP texel. */
enum qpucc_compare {
    QPUCC_COMPARE_LEQUAL, /* GL's initial state */
    QPUCC_COMPARE_LESS,
    QPUCC_COMPARE_GEQUAL,
    QPUCC_COMPARE_GREATER,
    QPUCC_COMPARE_EQUAL,
    QPUCC_COMPARE_NOTEQUAL,
    QPUCC_COMPARE_ALWAYS,
    QPUCC_COMPARE_NEVER,
    QPUCC_COMPARE_COUNT
};

/* Pictures of luma and chroma. The planes are textures of their own, of any sizes and filters, looked up at
 * the same coordinates; the unit's own texture is the first. */
enum qpucc_yuv {
    QPUCC_YUV_NONE,
    QPUCC_YUV_3_PLANES, /* Y, U and V, each LUMINANCE; U and V are the units plane[0] and plane[1] */
    QPUCC_YUV_2_PLANES, /* Y as LUMINANCE; U and V as L and A of the LUMALPHA texture plane[0] (NV12) */
    QPUCC_YVU_2_PLANES, /* the same with V before U (NV21) */
    /* Two pixels in a word of an RGBA8888 or RGBA32R texture of half the width, nearest filters. */
    QPUCC_YUV_YUYV,
    QPUCC_YUV_UYVY,
    QPUCC_YUV_COUNT
};

enum qpucc_yuv_matrix {
    QPUCC_YUV_BT601_VIDEO, /* 16..235 and 16..240 */
    QPUCC_YUV_BT601_FULL,  /* 0..255 */
    QPUCC_YUV_BT709_VIDEO,
    QPUCC_YUV_BT709_FULL,
    QPUCC_YUV_MATRIX_COUNT
};

struct qpucc_texture_state {
    uint8_t format;     /* enum qpucc_texture_format; RGBA where yuv is not NONE */
    uint8_t swizzle[4]; /* enum qpucc_swizzle, of red, green, blue and alpha */
    uint8_t srgb;       /* 1: red, green and blue are sRGB and become linear, after any filter */
    uint8_t rectangle;  /* 1: coordinates of two-dimensional lookups count texels */
    uint8_t compare;    /* enum qpucc_compare */
    uint8_t border;     /* 1: a wrap mode is the border's, whose colour is a value of the draw */
    uint8_t yuv;        /* enum qpucc_yuv */
    uint8_t yuv_matrix; /* enum qpucc_yuv_matrix */
    uint8_t plane[2];   /* units of the other planes, as yuv says */
    /* n + 1: lookups take level n, whatever coordinates, bias or shader say, as where GL's base and maximum
     * level are the same and not the first; 0: as the sampler has it. The unit's filter has to be one that
     * knows levels. */
    uint8_t one_level;
};

/* --- vertex attributes ---------------------------------------------------------------------------------- */

/* What an attribute's components are in memory. */
enum qpucc_attribute_type {
    QPUCC_ATTR_FLOAT, /* for an integer attribute of the shader: 32 bits as they are */
    QPUCC_ATTR_HALF,
    QPUCC_ATTR_FIXED, /* 16.16 */
    QPUCC_ATTR_BYTE,
    QPUCC_ATTR_UBYTE,
    QPUCC_ATTR_SHORT,
    QPUCC_ATTR_USHORT,
    QPUCC_ATTR_INT,
    QPUCC_ATTR_UINT,
    QPUCC_ATTR_INT_2_10_10_10_REV, /* four components in a word, the first in the low bits */
    QPUCC_ATTR_UINT_2_10_10_10_REV,
    QPUCC_ATTR_TYPE_COUNT
};

/* What whole numbers become for a shader's float attribute; of other types it means nothing. */
enum qpucc_normalized {
    QPUCC_ATTR_AS_IS,             /* 3 becomes 3.0 */
    QPUCC_ATTR_NORMALIZED,        /* 0..1 or -1..1: signed c is max(c / (2^(b-1) - 1), -1) */
    QPUCC_ATTR_NORMALIZED_LEGACY, /* signed c is (2 c + 1) / (2^b - 1), as before GL 4.2 and ES 3.0 */
    QPUCC_ATTR_NORMALIZED_COUNT
};

/* The key has one of these for each column: of the attributes in the order of QPUCC_ATTRIBUTES, a matrix or
 * an array counting one for each column. qpucc_attribute_slot.number of the layout tells. */
struct qpucc_attribute_state {
    uint8_t type;       /* enum qpucc_attribute_type */
    uint8_t normalized; /* enum qpucc_normalized */
    uint8_t components; /* 1..4 in memory, the others are 0, 0, 0, 1; 0: as many as the shader reads */
    uint8_t bgra;       /* 1: memory has blue first; four components */
};

/* --- points, faces and clipping ------------------------------------------------------------------------- */

enum qpucc_point_size {
    QPUCC_POINT_SIZE_SHADER, /* gl_PointSize; FIXED in a shader that does not write it */
    /* the control list's point size (guide section 9): vertices have none, whatever the shader says */
    QPUCC_POINT_SIZE_FIXED,
    QPUCC_POINT_SIZE_COUNT
};

#define QPUCC_MAX_CLIP_PLANES 8

/* --- after the fragment shader -------------------------------------------------------------------------- */

/* The chip blends in shader code, and tests alpha, masks and fogs there, too. The order is GL's: fog, line
 * smoothing, stipples and chroma key, coverage, alpha test, then the hardware's stencil and depth test, then
 * blending, the target's format, logic operation and mask. docs/state-keys.md has the formulas and what each
 * costs. Members of a part that is off are not looked at, but they must be in range. */

/* Comparisons; the fragment's value stands on the left. */
enum qpucc_func {
    QPUCC_ALWAYS,
    QPUCC_NEVER,
    QPUCC_LESS,
    QPUCC_EQUAL,
    QPUCC_LEQUAL,
    QPUCC_GREATER,
    QPUCC_NOTEQUAL,
    QPUCC_GEQUAL,
    QPUCC_FUNC_COUNT
};

enum qpucc_blend_equation {
    QPUCC_BLEND_ADD,
    QPUCC_BLEND_SUBTRACT,
    QPUCC_BLEND_REVERSE_SUBTRACT,
    QPUCC_BLEND_MIN,
    QPUCC_BLEND_MAX,
    /* GL_KHR_blend_equation_advanced, of colours that are premultiplied with their alpha. They take colour
     * and alpha together, so both equations name the same one; they use no factors. */
    QPUCC_BLEND_MULTIPLY,
    QPUCC_BLEND_SCREEN,
    QPUCC_BLEND_OVERLAY,
    QPUCC_BLEND_DARKEN,
    QPUCC_BLEND_LIGHTEN,
    QPUCC_BLEND_COLORDODGE,
    QPUCC_BLEND_COLORBURN,
    QPUCC_BLEND_HARDLIGHT,
    QPUCC_BLEND_SOFTLIGHT,
    QPUCC_BLEND_DIFFERENCE,
    QPUCC_BLEND_EXCLUSION,
    QPUCC_BLEND_HSL_HUE,
    QPUCC_BLEND_HSL_SATURATION,
    QPUCC_BLEND_HSL_COLOR,
    QPUCC_BLEND_HSL_LUMINOSITY,
    QPUCC_BLEND_EQUATION_COUNT
};

enum qpucc_blend_factor {
    QPUCC_FACTOR_ZERO,
    QPUCC_FACTOR_ONE,
    QPUCC_FACTOR_SRC_COLOR,
    QPUCC_FACTOR_ONE_MINUS_SRC_COLOR,
    QPUCC_FACTOR_DST_COLOR,
    QPUCC_FACTOR_ONE_MINUS_DST_COLOR,
    QPUCC_FACTOR_SRC_ALPHA,
    QPUCC_FACTOR_ONE_MINUS_SRC_ALPHA,
    QPUCC_FACTOR_DST_ALPHA,
    QPUCC_FACTOR_ONE_MINUS_DST_ALPHA,
    QPUCC_FACTOR_CONSTANT_COLOR,
    QPUCC_FACTOR_ONE_MINUS_CONSTANT_COLOR,
    QPUCC_FACTOR_CONSTANT_ALPHA,
    QPUCC_FACTOR_ONE_MINUS_CONSTANT_ALPHA,
    /* the fragment shader's second colour: layout(location = 0, index = 1) */
    QPUCC_FACTOR_SRC1_COLOR,
    QPUCC_FACTOR_ONE_MINUS_SRC1_COLOR,
    QPUCC_FACTOR_SRC1_ALPHA,
    QPUCC_FACTOR_ONE_MINUS_SRC1_ALPHA,
    QPUCC_FACTOR_SRC_ALPHA_SATURATE,
    QPUCC_FACTOR_COUNT
};

struct qpucc_blend_state {
    uint8_t enable;                 /* 1: blend */
    uint8_t rgb_equation;           /* enum qpucc_blend_equation */
    uint8_t rgb_source, rgb_target; /* enum qpucc_blend_factor: of the fragment, of the tile's colour */
    uint8_t alpha_equation, alpha_source, alpha_target;
};

/* The operation's 16 results are GL's; copying is the one that needs no code. */
enum qpucc_logic_op {
    QPUCC_LOGIC_COPY,
    QPUCC_LOGIC_CLEAR,
    QPUCC_LOGIC_AND,
    QPUCC_LOGIC_AND_REVERSE,  /* fragment & ~tile */
    QPUCC_LOGIC_AND_INVERTED, /* ~fragment & tile */
    QPUCC_LOGIC_NOOP,
    QPUCC_LOGIC_XOR,
    QPUCC_LOGIC_OR,
    QPUCC_LOGIC_NOR,
    QPUCC_LOGIC_EQUIV,
    QPUCC_LOGIC_INVERT,     /* ~tile */
    QPUCC_LOGIC_OR_REVERSE, /* fragment | ~tile */
    QPUCC_LOGIC_COPY_INVERTED,
    QPUCC_LOGIC_OR_INVERTED, /* ~fragment | tile */
    QPUCC_LOGIC_NAND,
    QPUCC_LOGIC_SET,
    QPUCC_LOGIC_OP_COUNT
};

enum qpucc_fog { QPUCC_FOG_OFF, QPUCC_FOG_LINEAR, QPUCC_FOG_EXP, QPUCC_FOG_EXP2, QPUCC_FOG_COUNT };

/* What fog is a function of. */
enum qpucc_fog_source {
    QPUCC_FOG_EYE,        /* Wc, which under a usual projection is the distance from the eye's plane */
    QPUCC_FOG_COORDINATE, /* gl_FogFragCoord, which the vertex shader writes (compatibility profile) */
    QPUCC_FOG_DEPTH,      /* window Z, 0..1 */
    QPUCC_FOG_SOURCE_COUNT
};

enum qpucc_chroma_key {
    QPUCC_CHROMA_OFF,
    QPUCC_CHROMA_DISCARD_INSIDE, /* fragments whose four channels all lie in the range */
    QPUCC_CHROMA_DISCARD_OUTSIDE,
    QPUCC_CHROMA_COUNT
};

enum qpucc_stipple { QPUCC_STIPPLE_OFF, QPUCC_STIPPLE_8X8, QPUCC_STIPPLE_32X32, QPUCC_STIPPLE_COUNT };

/* How the fragment shader sets the stencil test up: qpucc_stencil chooses it. */
enum qpucc_stencil_setup {
    QPUCC_STENCIL_OFF,
    QPUCC_STENCIL_BOTH,     /* one word for front and back */
    QPUCC_STENCIL_SEPARATE, /* one for each */
    QPUCC_STENCIL_COUNT
};

/* What the tile buffer's words mean. The hardware stores 8888 words as they are, converts them to 565, with
 * or without dithering, and stores half floats in its 64-bit mode; all else is shader code. */
enum qpucc_target {
    QPUCC_TARGET_RGBA8888, /* red in the low byte */
    QPUCC_TARGET_BGRA8888, /* blue in the low byte */
    QPUCC_TARGET_ARGB8888, /* alpha in the low byte, then red */
    QPUCC_TARGET_ABGR8888, /* alpha in the low byte, then blue */
    QPUCC_TARGET_RGB565,   /* 8888 words that the store converts; no alpha */
    QPUCC_TARGET_RGBA4444, /* 8888 words that hold what four bits can; the store or the display converts */
    QPUCC_TARGET_RGBA5551,
    QPUCC_TARGET_RGBA16F, /* the tile buffer's 64-bit mode */
    QPUCC_TARGET_COUNT
};

/* --- the key -------------------------------------------------------------------------------------------- */

struct qpucc_state {
    uint8_t primitive;  /* enum qpucc_primitive */
    uint8_t depth_test; /* 1: the fragment shader writes Z to the tile buffer (guide section 5, "Z and
                           Stencil") */
    uint8_t flip_y;     /* 1: the framebuffer's first row in memory is the top row */
    struct qpucc_texture_state texture[QPUCC_MAX_TEXTURES];

    /* vertex attributes */
    struct qpucc_attribute_state attribute[QPUCC_MAX_ATTRIBUTES];

    /* points, faces and clipping */
    uint8_t point_size;       /* enum qpucc_point_size */
    uint8_t point_size_clamp; /* 1: the shader's size is clamped to the draw's point_size_range */
    uint8_t point_lower_left; /* 1: gl_PointCoord's t grows upwards (POINT_SPRITE_COORD_ORIGIN) */
    uint8_t coord_replace;    /* bit n: on points gl_TexCoord[n] is (s, t, 0, 1) of the sprite */
    /* 1: glShadeModel(GL_FLAT), for gl_FrontColor, gl_BackColor and the secondary colours. The hardware takes
     * a primitive's last vertex; docs/state-keys.md says what a driver does for the first. */
    uint8_t flat_shade;
    uint8_t two_sided; /* 1: on back faces gl_BackColor and gl_BackSecondaryColor are read for the front's */
    /* bit n: what is behind plane n is clipped: gl_ClipDistance[n] where the vertex shader writes it, else
     * the draw's clip_plane[n] on gl_ClipVertex, or on gl_Position if it writes neither */
    uint8_t clip_planes;

    /* after the fragment shader */
    uint8_t fog;            /* enum qpucc_fog */
    uint8_t fog_source;     /* enum qpucc_fog_source */
    uint8_t fog_per_vertex; /* 1: the factor is computed for vertices and interpolated */
    uint8_t line_smooth;    /* 1: alpha falls over the last pixel of a line's width; needs QPUCC_LINES */
    /* 1: discard by line_stipple_pattern; needs QPUCC_LINES and a vertex shader that writes a varying `float
     * qpucc_LineDistance`, the pixels since the pattern began: no vertex knows its neighbours */
    uint8_t line_stipple;
    uint8_t area_stipple;      /* enum qpucc_stipple: discard by stipple_pattern */
    uint8_t chroma_key;        /* enum qpucc_chroma_key: of the colour before fog */
    uint8_t multisample;       /* 1: the tile buffer holds four samples a pixel */
    uint8_t alpha_to_coverage; /* 1: alpha chooses samples; needs multisample, as do the next two */
    uint8_t alpha_to_one;      /* 1: alpha is 1 after that */
    uint8_t sample_mask;       /* 1: only the samples of sample_mask_bits */
    uint8_t alpha_func;    /* enum qpucc_func: discard where alpha compares otherwise to alpha_reference */
    uint8_t stencil;       /* enum qpucc_stencil_setup */
    uint8_t stencil_masks; /* 1: another word sets the write masks in full */
    struct qpucc_blend_state blend;
    uint8_t target;        /* enum qpucc_target */
    uint8_t target_opaque; /* 1: the target has no alpha and reads as 1 */
    uint8_t srgb_write;    /* 1: blending is linear, the target holds sRGB */
    uint8_t dither;        /* 1: ordered dithering to 4444 or 5551; to 565 it is the hardware's */
    uint8_t logic_op;      /* enum qpucc_logic_op; GL does not blend with one, so not with blend.enable */
    uint8_t keep_channels; /* bit 0 red .. bit 3 alpha: not written (GL's mask, inverted) */
};

/* A member of a key, for whoever reads keys from text or prints them. */
struct qpucc_member {
    const char *array, *name;  /* "texture" and "format"; array is NULL for members of the struct itself */
    unsigned structs, count;   /* elements of the array of structs, and of the member itself; 1: no array */
    size_t offset, stride;     /* of the first element; bytes from one struct to the next */
    unsigned limit;            /* the largest value */
    const char *const *values; /* words for the values, limit + 1 of them; NULL: plain numbers */
};
/* The members of struct qpucc_state one by one; NULL after the last. Static storage. */
const struct qpucc_member *qpucc_state_member_at(size_t index);

/* --- values of a draw ----------------------------------------------------------------------------------- */

/* Every member is one 32-bit word or an array of them, so that a stream slot of kind QPUCC_SLOT_STATE can
 * name a word by its place in this struct. A value is read only by code whose state key or shader asks for
 * it. */
struct qpucc_draw_state {
    /* Half the viewport's size in sixteenths of pixels for x and y, either may be negative; half of far -
     * near for z (guide section 9, "Shaded Vertex Format in Memory"). */
    float viewport_scale[3];
    float
        viewport_offset_z; /* half of far + near; x and y's is in the control list's viewport offset record */
    float depth_range[3];  /* near, far, far - near: gl_DepthRange */
    float framebuffer_height; /* pixels; gl_FragCoord.y of a flipped framebuffer is counted from there */

    /* textures: the border's colour as the four bytes that the unit delivers, red in the low one */
    uint32_t border_color[QPUCC_MAX_TEXTURES];

    /* points and clipping */
    float point_size_range[2]; /* least and greatest, in pixels */
    /* coefficients of x, y, z and w of gl_ClipVertex or gl_Position; what gives less than 0 is clipped */
    float clip_plane[QPUCC_MAX_CLIP_PLANES][4];

    /* after the fragment shader */
    float blend_color[4]; /* red, green, blue, alpha; clamped to 0..1 except for float targets */
    float alpha_reference;
    float fog_color[3], fog_density, fog_start, fog_end;
    uint32_t chroma_low, chroma_high; /* red in the low byte; the range of each channel, ends included */
    /* Row y of the pattern is bit 31 (x = 0) to bit 0 (x = 31) of word y, from the bottom, as in GL; 8x8: row
     * y is byte y % 4 of word y / 4, its bit 7 is x = 0. A fragment is drawn where its bit is 1. */
    uint32_t stipple_pattern[32];
    uint32_t line_stipple_pattern; /* GL's 16 bits, bit 0 first */
    float line_stipple_scale;      /* 1 / GL's factor */
    float line_width;              /* pixels, as drawn: line_smooth wants GL's width and one more */
    uint32_t sample_mask_bits;     /* bits 0..3 */
    uint32_t stencil_setup[3];     /* front or both; back; masks (guide tables 27 and 28) */
};

#define QPUCC_DRAW_STATE_WORDS (sizeof(struct qpucc_draw_state) / 4)

/* Sets the eight words above for a viewport of that size in pixels, a depth range and a framebuffer. With
 * `flip_y`, as in the key, y's scale is negative. */
void qpucc_draw_state_viewport(struct qpucc_draw_state *state, float width, float height, float near_depth,
                               float far_depth, float framebuffer_height, int flip_y);

enum qpucc_stencil_op { /* as the hardware numbers them */
                        QPUCC_STENCIL_ZERO,
                        QPUCC_STENCIL_KEEP,
                        QPUCC_STENCIL_REPLACE,
                        QPUCC_STENCIL_INCREMENT, /* saturates */
                        QPUCC_STENCIL_DECREMENT,
                        QPUCC_STENCIL_INVERT,
                        QPUCC_STENCIL_INCREMENT_WRAP,
                        QPUCC_STENCIL_DECREMENT_WRAP
};

/* GL's stencil state of one side. */
struct qpucc_stencil_side {
    uint8_t func;                         /* enum qpucc_func: the reference stands on the left */
    uint8_t fail, depth_fail, depth_pass; /* enum qpucc_stencil_op */
    uint8_t reference, mask, write_mask;
};

/* The fewest words for two sides: sets the key's stencil and stencil_masks, and the draw's stencil_setup. */
void qpucc_stencil(const struct qpucc_stencil_side *front, const struct qpucc_stencil_side *back,
                   struct qpucc_state *state, struct qpucc_draw_state *draw);

#ifdef __cplusplus
}
#endif

#endif
