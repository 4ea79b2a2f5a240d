/* The state key: the part of GL's state that this chip does in shader code, and the values that such code
 * reads at each draw.
 *
 * A key selects code; a value only fills a word of a uniform stream. Changing a key needs qpucc_variant,
 * changing a value does not. A key of all zeros is GL's initial state: triangles, RGBA8888 target, no blending,
 * no tests, everything written. Members are bytes so that the struct has no padding: two keys are the same
 * when their bytes are, and a driver may hash them as they are. A key that contradicts itself or holds a
 * number out of range is refused with a diagnostic of code "state" that names the member. */
#ifndef QPUCC_STATE_H
#define QPUCC_STATE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QPUCC_MAX_TEXTURES 16
#define QPUCC_MAX_ATTRIBUTES 8

/* --- primitives ----------------------------------------------------------------------------------------- */

enum qpucc_primitive { QPUCC_TRIANGLES, QPUCC_LINES, QPUCC_POINTS };

/* --- textures ------------------------------------------------------------------------------------------- */

/* How a texture's channels come out of its memory format. */
enum qpucc_texture_format {
    QPUCC_TEX_RGBA,
    QPUCC_TEX_RGBX,
    QPUCC_TEX_BGRA,
    QPUCC_TEX_LUMINANCE,
    QPUCC_TEX_ALPHA,
    QPUCC_TEX_LUMINANCE_ALPHA,
    QPUCC_TEX_FORMAT_COUNT
};

struct qpucc_texture_state {
    uint8_t format; /* enum qpucc_texture_format */
};

/* --- the key -------------------------------------------------------------------------------------------- */

struct qpucc_state {
    uint8_t primitive;  /* enum qpucc_primitive */
    uint8_t depth_test; /* 1: the fragment shader writes Z to the tile buffer (guide section 5, "Z and
                           Stencil") */
    uint8_t flip_y;     /* 1: the framebuffer's first row in memory is the top row */
    struct qpucc_texture_state texture[QPUCC_MAX_TEXTURES];
};

/* --- values of a draw ----------------------------------------------------------------------------------- */

/* Every member is one 32-bit word or an array of them, so that a stream slot of kind QPUCC_SLOT_STATE can name
 * a word by its place in this struct. A value is read only by code whose state key or shader asks for it. */
struct qpucc_draw_state {
    /* Half the viewport's size in sixteenths of pixels for x and y, either may be negative; half of far - near
     * for z (guide section 9, "Shaded Vertex Format in Memory"). */
    float viewport_scale[3];
    float
        viewport_offset_z; /* half of far + near; x and y's is in the control list's viewport offset record */
    float depth_range[3];  /* near, far, far - near: gl_DepthRange */
    float framebuffer_height; /* pixels; gl_FragCoord.y of a flipped framebuffer is counted from there */
};

#define QPUCC_DRAW_STATE_WORDS (sizeof(struct qpucc_draw_state) / 4)

/* Sets the eight words above for a viewport of that size in pixels, a depth range and a framebuffer. With
 * `flip_y`, as in the key, y's scale is negative. */
void qpucc_draw_state_viewport(struct qpucc_draw_state *state, float width, float height, float near_depth,
                               float far_depth, float framebuffer_height, int flip_y);

#ifdef __cplusplus
}
#endif

#endif
