/* How textures lie in memory (guide section 4, "Texture Data Storage", and section 11): shared by the TMU
 * that reads, the helpers that store them and read them back, and the tile buffer's images. */
#ifndef SIM_TEXTURE_H
#define SIM_TEXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_MAX_LEVELS 12
#define SIM_FORMATS 18

/* --- formats (texel.c; guide table 18) ------------------------------------------------------------------ */

/* An element is what is stored whole: a texel, an ETC1 block, bytes with several texels, a pair of YUYV. */
struct sim_format_info {
    uint8_t unit;                     /* bytes of an element */
    uint8_t log_block_w, log_block_h; /* texels of an element */
    uint8_t tile_w, tile_h;           /* elements of a micro-tile: 64 bytes */
    bool raster;                      /* in rows, never in T or LT format */
    bool halves;                      /* values are 16-bit floats */
    bool integer16;                   /* 16-bit integers: not filtered */
    uint8_t words;                    /* that a lookup returns */
};
/* NULL for a number that is no format. */
const struct sim_format_info *sim_format(unsigned format);
/* A texel as a lookup returns it: RGBA8888, or one (S16F, S16) or four 16-bit values (RGBA64). (x, y) is its
 * place in the element. */
uint64_t sim_texel_decode(unsigned format, const uint8_t *element, unsigned x, unsigned y, bool etc_flip);
/* 16-bit floats (1.5.10) as numbers and back, rounded to nearest. */
double sim_half_value(unsigned half);
unsigned sim_half_from(double value);

/* --- layouts (texture.c) -------------------------------------------------------------------------------- */

enum sim_tiling { SIM_TILING_T, SIM_TILING_LT, SIM_TILING_RASTER };

struct sim_level {
    unsigned width, height; /* texels that exist */
    uint32_t size;          /* bytes with padding */
    int32_t offset;         /* of the level from level 0, in bytes: negative from level 1 on */
    unsigned across;        /* units (T: 4 KiB tiles, LT: micro-tiles, raster: bytes) in a row */
    enum sim_tiling tiling;
};

struct sim_layout {
    unsigned format;
    const struct sim_format_info *info; /* NULL: a tile buffer's image */
    unsigned unit;                      /* bytes of an element */
    unsigned tile_w, tile_h;            /* elements of a micro-tile */
    unsigned log_w, log_h, log_unit, log_block_w, log_block_h;
    unsigned level_count;
    struct sim_level level[SIM_MAX_LEVELS];
};

/* False when there is no such format. */
bool sim_layout_init(struct sim_layout *l, unsigned format, unsigned width, unsigned height,
                     unsigned level_count);
/* One image of elements of `unit` bytes (1, 2, 4, 8) as frame buffers have them. */
void sim_layout_surface(struct sim_layout *l, unsigned unit, enum sim_tiling tiling, unsigned width,
                        unsigned height);
/* The bytes of a level that hold its elements [x, x + columns) by [y, y + rows), and perhaps some between
 * them. */
void sim_layout_extent(const struct sim_layout *l, unsigned level, unsigned x, unsigned y, unsigned columns,
                       unsigned rows, uint32_t *first, uint32_t *size);
/* Byte offset of element (x, y) from the level's start. */
static inline uint32_t sim_layout_offset(const struct sim_layout *l, unsigned level, unsigned x, unsigned y) {
    const struct sim_level *v = &l->level[level];
    if (v->tiling == SIM_TILING_RASTER)
        return y * v->across + (x << l->log_unit);
    unsigned ux = x >> l->log_w, uy = y >> l->log_h;
    uint32_t inside = ((y & (l->tile_h - 1)) << l->log_w | (x & (l->tile_w - 1))) << l->log_unit;
    if (v->tiling == SIM_TILING_LT)
        return (uy * v->across + ux) * 64 + inside;
    /* 4 KiB tiles of 2x2 sub-tiles of 4x4 micro-tiles; odd rows of tiles run right to left, and the order of
     * sub-tiles turns with them (figure 14): 0 3 1 2 and 2 1 3 0 for (0, 0), (1, 0), (0, 1), (1, 1). */
    unsigned tx = ux / 8, ty = uy / 8, odd = ty & 1;
    tx = odd ? v->across - 1 - tx : tx;
    unsigned sub = odd << 1 ^ (uy >> 2 & 1) ^ (ux >> 2 & 1) * 3;
    return (ty * v->across + tx) * 4096 + sub * 1024 + ((uy & 3) * 4 + (ux & 3)) * 64 + inside;
}

/* --- set-up words and sampling (tmu.c, sample.c) -------------------------------------------------------- */

struct sim_sampler {
    uint32_t param[4];
    bool used, refused; /* the words make no sense; `why` */
    const char *why;
    struct sim_layout layout;
    uint32_t base, cube_stride;
    bool cube, flip_y, etc_flip, bias_only, child;
    unsigned child_w, child_h, child_x, child_y;
    unsigned wrap[2], mag, min;
    unsigned fault;
};
/* Decodes the words in `param`. */
void sim_sampler_decode(struct sim_sampler *s, const uint32_t param[4]);

struct qpusim_memory;
#define SIM_SAMPLE_LANES 16
/* Sixteen places on a texture, and how each is sampled. */
struct sim_places {
    _Alignas(64) uint32_t c[2][SIM_SAMPLE_LANES]; /* s and t, as bits of floats */
    uint8_t face[SIM_SAMPLE_LANES], level[SIM_SAMPLE_LANES];
    unsigned linear;                    /* lanes with a bilinear filter */
    unsigned blended;                   /* lanes with a second level */
    uint8_t second[SIM_SAMPLE_LANES];   /* that level */
    uint8_t fraction[SIM_SAMPLE_LANES]; /* and its weight in 256ths */
    uint64_t border;
};
/* Colours; or where a lane's texel lies outside memory. */
struct sim_samples {
    _Alignas(64) uint32_t word[2][SIM_SAMPLE_LANES];
    unsigned lane;
    uint32_t address;
};
/* Cache lines that lookups read, in order, a line once in a row: address / 64, bit 31 is the TMU. */
#define SIM_LINE_UNIT 0x80000000u
struct sim_lines {
    uint32_t *line;
    size_t count, capacity;
    unsigned unit;
};
void sim_lines_add(struct sim_lines *lines, const uint32_t address[SIM_SAMPLE_LANES], unsigned lanes);
/* Colours of the lanes in `lanes`; the others' are 0. False when one lies outside memory: *lane and *address.
 * `lines` may be NULL. */
typedef bool sim_sample_fn(const struct sim_sampler *s, const struct qpusim_memory *memory,
                           const struct sim_places *at, unsigned lanes, struct sim_lines *lines,
                           struct sim_samples *out);
sim_sample_fn sim_sample, sim_sample_plain, sim_sample_faulty, sim_sample_avx2, sim_sample_avx512;

#endif
