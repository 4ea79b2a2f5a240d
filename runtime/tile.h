/* The tile buffer (guide section 5): colour, Z and stencil of one tile, and how they come from memory and go
 * there. Fragment shaders reach it through tlb.c; whoever renders a frame (qpusim_draw, a rendering control
 * list) configures a tile, clears or loads it, draws into it (draw.h) and stores it.
 *
 * A tile has 64x64 pixels; 32x32 with four samples a pixel; half as many rows with 64-bit colours. Row 0 is
 * the one that memory holds first. */
#ifndef SIM_TILE_H
#define SIM_TILE_H

#include "runtime/machine.h"

#define SIM_TILE_COLORS 4096 /* colour words in any configuration: 16 KiB */
#define SIM_TILE_SAMPLES 4   /* most of a pixel */
#define SIM_TILE_DUMP 16384u /* bytes of the colours of a full dump, and of Z and stencil behind them */

/* Values of the clear colours record (ID 114). The two colours are those of even and odd columns; with 64-bit
 * colours they are one, red and green first. */
struct sim_clear {
    uint32_t color[2], depth; /* depth: 24 bits */
    uint8_t stencil, alpha;
};

struct sim_tile {
    bool multisample, color64;
    /* The frame has an alpha mask; its Z and stencil are coverage, two bits for each of sixteen samples. */
    bool alpha_mask, coverage;
    unsigned width, height;         /* pixels */
    unsigned samples, sample_words; /* of a pixel; colour words of a sample */
    int x, y;                       /* the frame's pixel that is this tile's first */
    /* Tile rendering mode: early Z is off for the frame, or its values serve gt and ge instead of lt and
     * le. */
    bool early_off, early_greater;
    unsigned fault;
    struct sim_clear clear;
    uint32_t
        color[SIM_TILE_COLORS]; /* word w of sample s: (sim_tile_sample(t, x, y) + s) * sample_words + w */
    uint32_t depth[SIM_TILE_COLORS]; /* by sample; 24 bits */
    uint8_t stencil[SIM_TILE_COLORS];
    uint8_t alpha[SIM_TILE_COLORS];      /* by pixel */
    uint32_t early[SIM_TILE_COLORS / 4]; /* a bound for all samples of a quad */
};

/* Number of the first sample of pixel (x, y) of the tile. */
static inline unsigned sim_tile_sample(const struct sim_tile *t, unsigned x, unsigned y) {
    return (y * t->width + x) * t->samples;
}

/* The early Z value of the quad with pixel (x, y), and what its samples' depths make of it now. */
static inline uint32_t *sim_tile_early(struct sim_tile *t, unsigned x, unsigned y) {
    return &t->early[y / 2 * (t->width / 2) + x / 2];
}
uint32_t sim_tile_quad_bound(const struct sim_tile *t, unsigned x, unsigned y);

/* Pixels across and up of a tile of this configuration. */
void sim_tile_size(bool multisample, bool color64, unsigned *width, unsigned *height);
/* Sets configuration and size; everything else becomes 0. */
void sim_tile_configure(struct sim_tile *t, bool multisample, bool color64);
/* Fills the buffers named with the clear values. */
void sim_tile_clear(struct sim_tile *t, bool color, bool depth_stencil);
void sim_tile_clear_alpha(struct sim_tile *t);
/* Z for early rejection of quads follows from the depths; after a load of Z or of pixels by other means. */
void sim_tile_renew_early(struct sim_tile *t);

/* --- memory --------------------------------------------------------------------------------------------- */

/* Encodings of records 28 and 29. Records 24 and 25 and the rendering mode (113) say the same with others. */
enum sim_tile_buffer {
    SIM_BUFFER_NONE,
    SIM_BUFFER_COLOR,
    SIM_BUFFER_ZS,
    SIM_BUFFER_Z,
    SIM_BUFFER_ALPHA, /* the guide's VG mask */
    SIM_BUFFER_FULL,  /* sim_tile_dump */
};
enum sim_pixel_format { SIM_PIXEL_RGBA8888, SIM_PIXEL_BGR565_DITHERED, SIM_PIXEL_BGR565 };
enum sim_memory_format { SIM_MEMORY_RASTER, SIM_MEMORY_T, SIM_MEMORY_LT };
enum sim_decimate { SIM_DECIMATE_NONE, SIM_DECIMATE_4, SIM_DECIMATE_16 };

/* Where in memory a frame's image is. 64-bit tiles store and load 8 bytes a pixel, whatever `pixel` says. */
struct sim_surface {
    uint32_t address;
    unsigned width, height; /* pixels of the image; those of a tile that lie outside are left out */
    enum sim_memory_format format;
    enum sim_pixel_format pixel;
    enum sim_decimate decimate; /* stores of colours */
};

/* Stores or loads one buffer (COLOR, ZS, Z, ALPHA; NONE does nothing) of the tile. Samples: loads fill all of
 * a pixel's; stores take the first, or the mean as `decimate` says: x4 is a pixel's four samples or, without
 * multisampling, 2x2 pixels; x16 the samples of 2x2 pixels. The image is as much smaller. False with `error`
 * filled: outside of memory, or a combination that the hardware does not have. */
bool sim_tile_store(const struct sim_tile *t, struct qpusim_memory *memory, const struct sim_surface *surface,
                    enum sim_tile_buffer buffer, struct qpusim_error *error);
bool sim_tile_load(struct sim_tile *t, struct qpusim_memory *memory, const struct sim_surface *surface,
                   enum sim_tile_buffer buffer, struct qpusim_error *error);

/* Full resolution (records 26 and 27): every sample, in the machine's own order. Colours at `address`, Z and
 * stencil at `address` when alone, else behind the colours. */
bool sim_tile_dump(const struct sim_tile *t, struct qpusim_memory *memory, uint32_t address, bool color,
                   bool depth_stencil, struct qpusim_error *error);
bool sim_tile_reload(struct sim_tile *t, struct qpusim_memory *memory, uint32_t address, bool color,
                     bool depth_stencil, struct qpusim_error *error);

#endif
