/* Textures as the TMUs read them: formats, tiling, set-up words.
 *
 *     struct qpusim_texture_place place;
 *     qpusim_place_texture(&info, &place);                   how large, and where level 0 begins
 *     ... a buffer of place.size bytes, on a page ...
 *     qpusim_store_texture(&info, &place, buffer);           all images, tiled
 *     words[0] = place.p0 | (address_of_buffer + place.base); words[1] = place.p1; words[2] = place.p2;
 *
 * These functions are in libqpucc_rt and need neither the compiler nor the machine. "Guide" is Broadcom's
 * VideoCore IV 3D Architecture Reference Guide. */
#ifndef QPUCC_TEXTURE_H
#define QPUCC_TEXTURE_H

#include <qpucc/allocator.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Encodings of the TMU set-up words (guide tables 15, 16, 18, 19). */
enum qpusim_wrap { QPUSIM_REPEAT, QPUSIM_CLAMP, QPUSIM_MIRROR, QPUSIM_BORDER };
enum qpusim_mag { QPUSIM_MAG_LINEAR, QPUSIM_MAG_NEAREST };
enum qpusim_min {
    QPUSIM_MIN_LINEAR,
    QPUSIM_MIN_NEAREST,
    QPUSIM_MIN_NEAREST_MIP_NEAREST,
    QPUSIM_MIN_NEAREST_MIP_LINEAR,
    QPUSIM_MIN_LINEAR_MIP_NEAREST,
    QPUSIM_MIN_LINEAR_MIP_LINEAR,
};
enum qpusim_format { /* guide table 18 */
                     QPUSIM_RGBA8888 = 0,
                     QPUSIM_RGBX8888 = 1,
                     QPUSIM_RGBA4444 = 2,
                     QPUSIM_RGBA5551 = 3,
                     QPUSIM_RGB565 = 4,
                     QPUSIM_LUMINANCE = 5,
                     QPUSIM_ALPHA = 6,
                     QPUSIM_LUMALPHA = 7,
                     QPUSIM_ETC1 = 8,
                     QPUSIM_S16F = 9, /* one 16-bit float: bits 15:0 of what a lookup returns */
                     QPUSIM_S8 = 10,  /* one byte: bits 7:0 */
                     QPUSIM_S16 = 11, /* one 16-bit integer: bits 15:0; never filtered */
                     QPUSIM_BW1 = 12,
                     QPUSIM_A4 = 13,
                     QPUSIM_A1 = 14,
                     QPUSIM_RGBA64 = 15, /* four 16-bit floats: lookups return red and green, then the rest */
                     QPUSIM_RGBA32R = 16,
                     QPUSIM_YUYV422R = 17, /* lookups return Y, U, V and 255 */
};

/* An image to be stored for the TMU. `pixels` points at width * height texels of `format`'s raw size
 * (RGBA8888: 4 bytes red first; 16-bit formats: little endian; ETC1: 8-byte blocks, row by row of ceil(width
 * / 4); less than 8 bits: first texel in the low bits, rows of whole bytes; YUYV: pairs), tightly packed, row
 * 0 = t 0. */
struct qpusim_image {
    const void *pixels;
    unsigned width, height; /* 1..2048 */
};

struct qpusim_texture_info {
    enum qpusim_format format;
    const struct qpusim_image
        *levels;           /* level_count images for 2D; 6 * level_count for a cube: +x, -x, +y, ... */
    unsigned level_count;  /* 1..12; level n is max(1, size >> n) */
    bool generate_mipmaps; /* 2D, formats of colours only: make all levels from levels[0] by 2x2 box filter */
    bool cube;
    enum qpusim_wrap wrap_s, wrap_t;
    enum qpusim_mag mag;
    enum qpusim_min min;
    /* of what generate_mipmaps needs while it lasts; NULL: the C library's */
    const struct qpucc_allocator *allocator;
};

/* TMU set-up words: p0 and p1 are written to the uniform stream for the first and second coordinate write of
 * each lookup, p2 for the third (cube maps: face stride; otherwise 0). For explicit level of detail set bit 0
 * of a p2 of type 1: p2 | QPUSIM_P2_BSLOD. */
struct qpusim_texture {
    uint32_t p0, p1, p2;
    uint32_t address; /* of level 0 */
};
#define QPUSIM_P2_BSLOD 0x40000001u

/* Bytes of a tightly packed image; 0 for an unknown format. */
size_t qpusim_image_size(enum qpusim_format format, unsigned width, unsigned height);
/* Converts between such an image and width * height RGBA8888 colours: to what a lookup of each texel returns
 * (16-bit values as 8 bits; single samples are red), and to the nearest that the format can say. False for an
 * unknown format. */
bool qpusim_image_unpack(enum qpusim_format format, unsigned width, unsigned height, const void *pixels,
                         uint32_t *colors);
bool qpusim_image_pack(enum qpusim_format format, unsigned width, unsigned height, const uint32_t *colors,
                       void *pixels);

/* --- storage -------------------------------------------------------------------------------------------- */

/* How a texture lies in a buffer (guide sections 4 and 11): of each face the smaller levels first, each in
 * T or LT format, then level 0 on a page. */
struct qpusim_texture_place {
    enum qpusim_format format;
    unsigned width, height; /* texels of level 0 */
    unsigned level_count, face_count;
    uint32_t size;        /* bytes of the whole; the buffer begins at a multiple of 4096 */
    uint32_t base;        /* bytes from the buffer's start to level 0, of a cube to that of face +x */
    uint32_t face_stride; /* bytes from one face's level 0 to the next one's, a multiple of 4096 */
    uint32_t p0, p1, p2;  /* set-up words; to p0 the bus address of the buffer and `base` are to be added */
};
/* Of the images only level_count and the size of levels[0] are looked at, so `pixels` may be NULL. False,
 * with nothing in `out`, if the format is unknown, a size is 0 or above 2048, there are more levels than
 * the size has, or mip levels shall be made of a format or of a cube that has none. */
bool qpusim_place_texture(const struct qpusim_texture_info *info, struct qpusim_texture_place *out);
/* Writes all images to `buffer` (place->size bytes), with what the levels' padding holds left as it is. False
 * if an image is missing or has another size than its level, or if memory runs out, which only the making of
 * mip levels needs. */
bool qpusim_store_texture(const struct qpusim_texture_info *info, const struct qpusim_texture_place *place,
                          void *buffer);

/* A rectangle of one level's texels. Where an element of the format holds several (ETC1 blocks, several
 * texels in a byte, pairs of YUYV) it begins at one and ends with one, or at the level's edge. */
struct qpusim_texture_part {
    unsigned face, level; /* face: 0 of no cube */
    unsigned x, y, width, height;
    size_t row_bytes; /* from one row of elements of `pixels` to the next; 0: tightly packed */
};
/* Tiles texels into a buffer, as glTexSubImage2D does, and takes them out of it again. False, with nothing
 * written, if the texture has no such part. */
bool qpusim_store_part(const struct qpusim_texture_place *place, const struct qpusim_texture_part *part,
                       const void *pixels, void *buffer);
bool qpusim_load_part(const struct qpusim_texture_place *place, const struct qpusim_texture_part *part,
                      const void *buffer, void *pixels);

#ifdef __cplusplus
}
#endif

#endif
