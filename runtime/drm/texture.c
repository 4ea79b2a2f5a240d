/* The parameter words of lookups: the image that they describe has to lie in its buffer.
 *
 * Requires: words at the offsets that the scan of the code gave. Fills: the base address in P0.
 *
 * Level 0 begins at the base; the smaller levels lie below it, each directly below the one before, in the
 * sizes of the power of two at or above level 0's (guide, section 4). A cube map has six such images at a
 * constant stride, each with its levels below it. */
#include "runtime/drm/submit.h"

#include <errno.h>

enum { RGBA8888, RGBX8888, RGBA4444, RGBA5551, RGB565, LUMINANCE, ALPHA, LUMALPHA, ETC1, S16F, S8, S16 };
enum { RGBA32R = 16 };
enum { MICROTILE = 64, T_MICROTILES = 8, SMALL_MICROTILES = 4, CUBE_FACES = 6 };

/* Pixels of a microtile: 8x8 of one byte, 8x4 of two, 4x4 of four, 2x4 of eight. */
static uint32_t microtile_width(uint32_t cpp) {
    return cpp <= 2 ? 8 : cpp == 4 ? 4 : 2;
}

static uint32_t microtile_height(uint32_t cpp) {
    return MICROTILE / cpp / microtile_width(cpp);
}

uint64_t drm_image_size(enum drm_layout layout, uint32_t width, uint32_t height, uint32_t cpp) {
    uint32_t across = layout == DRM_T ? T_MICROTILES : 1, down = layout == DRM_LINEAR ? 0 : across;
    width = drm_round_up(width, microtile_width(cpp) * across);
    height = down ? drm_round_up(height, microtile_height(cpp) * down) : height;
    return (uint64_t)width * height * cpp;
}

bool drm_image_is_small(uint32_t width, uint32_t height, uint32_t cpp) {
    return width <= SMALL_MICROTILES * microtile_width(cpp) ||
           height <= SMALL_MICROTILES * microtile_height(cpp);
}

/* Bytes of a texel, or of a block of 4x4; 0 for types that the driver does not allow. */
static uint32_t texel_size(unsigned type) {
    switch (type) {
    case RGBA8888:
    case RGBX8888:
    case RGBA32R: return 4;
    case RGBA4444:
    case RGBA5551:
    case RGB565:
    case LUMALPHA:
    case S16F:
    case S16: return 2;
    case LUMINANCE:
    case ALPHA:
    case S8: return 1;
    case ETC1: return 8;
    default: return 0;
    }
}

static uint32_t power_of_two(uint32_t value) {
    uint32_t p = 1;
    while (p < value) {
        p *= 2;
    }
    return p;
}

static uint32_t extent(uint32_t field) {
    return field ? field : DRM_LARGEST_TEXTURE;
}

static int check_direct(const struct drm_submit *s, const struct qpu_lookup *lookup,
                        const struct qpusim_drm_buffer *buffer, uint8_t *stream) {
    uint32_t base = drm_get32(stream + lookup->word[0]), limit = drm_get32(stream + lookup->word[1]);
    if (base > buffer->size || buffer->size - base < 4 || limit > buffer->size - base - 4) {
        return drm_refuse(s, "direct lookup: up to %u after %u of a buffer of %u", limit, base, buffer->size);
    }
    drm_put32(stream + lookup->word[0], buffer->address + base);
    return 0;
}

/* The stride that P2 and P3 set for cube maps; 0: none. */
static int cube_stride(const struct drm_submit *s, const struct qpu_lookup *lookup, const uint8_t *stream,
                       uint32_t *stride) {
    *stride = 0;
    for (unsigned n = 2; n < 4; n++) {
        uint32_t word = lookup->word[n] == QPU_NO_WORD ? 0 : drm_get32(stream + lookup->word[n]);
        if (word >> 30 != 1) {
            continue;
        }
        if (*stride) {
            return drm_refuse(s, "texture: a second cube map stride");
        }
        *stride = word & 0x3ffff000;
    }
    return 0;
}

static int check_levels(const struct drm_submit *s, uint32_t base, uint32_t width, uint32_t height,
                        uint32_t cpp, unsigned levels, bool raster) {
    uint32_t wide = power_of_two(width), high = power_of_two(height), below = base;
    for (unsigned level = 1; level <= levels; level++) {
        uint32_t w = wide >> level ? wide >> level : 1, h = high >> level ? high >> level : 1;
        enum drm_layout layout = raster ? DRM_LINEAR : drm_image_is_small(w, h, cpp) ? DRM_LT : DRM_T;
        uint64_t size = drm_image_size(layout, w, h, cpp);
        if (size > below) {
            return drm_refuse(s, "texture: level %u begins before its buffer", level);
        }
        below -= (uint32_t)size;
    }
    return 0;
}

int drm_check_lookup(const struct drm_submit *s, const struct qpu_lookup *lookup,
                     const struct qpusim_drm_buffer *buffer, uint8_t *stream) {
    if (lookup->direct) {
        return check_direct(s, lookup, buffer, stream);
    }
    uint32_t p0 = drm_get32(stream + lookup->word[0]);
    uint32_t p1 = lookup->word[1] == QPU_NO_WORD ? 0 : drm_get32(stream + lookup->word[1]);
    uint32_t base = p0 & ~0xfffu;
    unsigned type = (p0 >> 4 & 15) | (p1 >> 31) << 4;
    bool cube = p0 >> 9 & 1;
    uint32_t width = extent(p1 >> 8 & 0x7ff), height = extent(p1 >> 20 & 0x7ff), cpp = texel_size(type);
    uint32_t stride = 0;
    int status = cube_stride(s, lookup, stream, &stride);
    if (status) {
        return status;
    }
    if (!cpp) {
        return drm_refuse(s, "texture: data type %u", type);
    }
    if (cube && (!stride || width != height)) {
        return drm_refuse(s, "texture: a cube map of %u x %u with stride %u", width, height, stride);
    }
    if (type == ETC1) {
        width = (width + 3) / 4;
        height = (height + 3) / 4;
    }
    bool raster = type == RGBA32R;
    enum drm_layout layout = raster ? DRM_LINEAR : drm_image_is_small(width, height, cpp) ? DRM_LT : DRM_T;
    uint64_t end =
        base + drm_image_size(layout, width, height, cpp) + (cube ? (CUBE_FACES - 1) * (uint64_t)stride : 0);
    if (end > buffer->size) {
        return drm_refuse(s, "texture: an image of %u x %u at %u ends at %llu of a buffer of %u", width,
                          height, base, (unsigned long long)end, buffer->size);
    }
    status = check_levels(s, base, width, height, cpp, p0 & 15, raster);
    if (status) {
        return status;
    }
    drm_put32(stream + lookup->word[0], p0 + buffer->address);
    return 0;
}
