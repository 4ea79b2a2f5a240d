/* The rendering list: the program says which surfaces are loaded and stored, the driver writes the list.
 *
 * Requires: a checked binning list, or none. Keeps: the arguments.
 *
 * For each tile: load, run the tile's list, store. The tile buffer holds one load or store at a time and does
 * it when coordinates follow, so every one but the last before the tile's list or end is followed by
 * coordinates. A store clears what it stored unless told not to; only the last store of a tile clears, so
 * that the next tile begins cleared. The very last one carries the end of the frame. */
#include "runtime/drm/submit.h"

#include <errno.h>

enum {
    ID_WAIT_SEMAPHORE = 8,
    ID_BRANCH_SUB_LIST = 17,
    ID_STORE_MS = 24,
    ID_STORE_MS_END = 25,
    ID_STORE_FULL = 26,
    ID_LOAD_FULL = 27,
    ID_STORE_GENERAL = 28,
    ID_LOAD_GENERAL = 29,
    ID_RENDERING_MODE = 113,
    ID_CLEAR_COLORS = 114,
    ID_TILE_COORDINATES = 115,
};

enum { BUFFER_NONE, BUFFER_COLOR, BUFFER_ZS };
enum {
    KEEP_COLOR = 1 << 13,
    KEEP_ZS = 1 << 14,
    KEEP_VG = 1 << 15,
    KEEP_ALL = KEEP_COLOR | KEEP_ZS | KEEP_VG
};
enum { FULL_NO_COLOR = 1 << 0, FULL_NO_ZS = 1 << 1, FULL_KEEP = 1 << 2 };
enum { LAST_TILE = 1 << 3 }; /* in the address of general and full stores */
enum { MODE_MS = 1 << 0 };
enum { FULL_TILE_SIZE = 16384, FULL_TILE = 32, TILE = 64 };
enum { LARGEST_IMAGE = 4096 }; /* pixels in each direction */

struct surface {
    bool present, full;
    uint32_t address; /* of its first byte */
    uint32_t bits;
};

struct rendering {
    struct drm_submit *s;
    struct surface color_read, color_write, zs_read, zs_write, msaa_color_write, msaa_zs_write;
    uint32_t tiles_across; /* of full surfaces */
    bool has_bin;
    uint8_t *next; /* NULL: only count */
    uint32_t size;
};

/* --- surfaces ------------------------------------------------------------------------------------------- */

static int find_surface(struct rendering *r, const struct drm_vc4_submit_rcl_surface *in, const char *name,
                        struct surface *out, uint64_t *left) {
    *out = (struct surface){0};
    if (in->hindex == UINT32_MAX) {
        return 0;
    }
    const struct qpusim_drm_buffer *buffer = drm_data_buffer(r->s, in->hindex, name);
    if (!buffer) {
        return -EINVAL;
    }
    if (in->offset % 16 || in->offset > buffer->size) {
        return drm_refuse(r->s, "%s: offset %u in a buffer of %u", name, in->offset, buffer->size);
    }
    *out = (struct surface){.present = true, .address = buffer->address + in->offset, .bits = in->bits};
    *left = buffer->size - in->offset;
    return 0;
}

/* A dump of whole tiles, all samples. */
static int check_full(struct rendering *r, const struct drm_vc4_submit_rcl_surface *in, const char *name,
                      struct surface *out, uint64_t left) {
    const struct drm_vc4_submit_cl *args = r->s->args;
    if (in->bits) {
        return drm_refuse(r->s, "%s: bits 0x%x of a full-resolution surface", name, in->bits);
    }
    uint64_t last = (uint64_t)args->max_y_tile * r->tiles_across + args->max_x_tile;
    if ((last + 1) * FULL_TILE_SIZE > left) {
        return drm_refuse(r->s, "%s: tile %u, %u lies outside its buffer", name, args->max_x_tile,
                          args->max_y_tile);
    }
    out->full = true;
    return 0;
}

static int check_image(struct rendering *r, const char *name, unsigned layout, uint32_t cpp, uint64_t left) {
    const struct drm_vc4_submit_cl *args = r->s->args;
    if (layout > DRM_LT) {
        return drm_refuse(r->s, "%s: memory format %u", name, layout);
    }
    if (args->width > LARGEST_IMAGE || args->height > LARGEST_IMAGE) {
        return drm_refuse(r->s, "%s: %u x %u pixels, where %u is the most", name, args->width, args->height,
                          LARGEST_IMAGE);
    }
    if (drm_image_size(layout, args->width, args->height, cpp) > left) {
        return drm_refuse(r->s, "%s: %u x %u pixels of %u bytes do not fit %llu bytes", name, args->width,
                          args->height, cpp, (unsigned long long)left);
    }
    return 0;
}

/* What a general load or store moves. */
static int check_general(struct rendering *r, const struct drm_vc4_submit_rcl_surface *in, const char *name,
                         struct surface *out) {
    uint64_t left = 0;
    if (in->flags & ~VC4_SUBMIT_RCL_SURFACE_READ_IS_FULL_RES) { /* of an absent one, too */
        return drm_refuse(r->s, "%s: flags 0x%x", name, in->flags);
    }
    int status = find_surface(r, in, name, out, &left);
    if (status || !out->present) {
        return status;
    }
    if (in->flags) {
        return out == &r->zs_write ? drm_refuse(r->s, "%s: a store in full resolution", name)
                                   : check_full(r, in, name, out, left);
    }
    unsigned buffer = in->bits & 7, layout = in->bits >> 4 & 3, format = in->bits >> 8 & 3;
    if (in->bits & ~0x337u || buffer != (out == &r->color_read ? BUFFER_COLOR : BUFFER_ZS)) {
        return drm_refuse(r->s, "%s: bits 0x%x", name, in->bits);
    }
    if (format == 3 || (buffer == BUFFER_ZS && format)) {
        return drm_refuse(r->s, "%s: colour format %u", name, format);
    }
    return check_image(r, name, layout, format ? 2 : 4, left);
}

static int check_target(struct rendering *r) {
    const struct drm_vc4_submit_rcl_surface *in = &r->s->args->color_write;
    struct surface *out = &r->color_write;
    uint64_t left = 0;
    unsigned format = in->bits >> 2 & 3, layout = in->bits >> 6 & 3;
    if (in->flags || in->bits & ~0xddu) { /* four samples at most are decimated */
        return drm_refuse(r->s, "colour target: flags 0x%x, bits 0x%x", in->flags, in->bits);
    }
    int status = find_surface(r, in, "colour target", out, &left);
    out->bits = in->bits; /* the sample mode counts without a target, too */
    if (status || !out->present) {
        return status;
    }
    if (format == 3) {
        return drm_refuse(r->s, "colour target: format %u", format);
    }
    return check_image(r, "colour target", layout, format == 1 ? 4 : 2, left);
}

static int check_dump(struct rendering *r, const struct drm_vc4_submit_rcl_surface *in, const char *name,
                      struct surface *out) {
    uint64_t left = 0;
    if (in->flags || in->bits) { /* of an absent one, too */
        return drm_refuse(r->s, "%s: flags 0x%x, bits 0x%x", name, in->flags, in->bits);
    }
    int status = find_surface(r, in, name, out, &left);
    return status || !out->present ? status : check_full(r, in, name, out, left);
}

static int check_tiles(struct rendering *r) {
    const struct drm_vc4_submit_cl *args = r->s->args;
    if (args->min_x_tile > args->max_x_tile || args->min_y_tile > args->max_y_tile) {
        return drm_refuse(r->s, "tiles %u, %u to %u, %u", args->min_x_tile, args->min_y_tile,
                          args->max_x_tile, args->max_y_tile);
    }
    if (r->has_bin && (args->max_x_tile >= r->s->tiles_x || args->max_y_tile >= r->s->tiles_y)) {
        return drm_refuse(r->s, "tile %u, %u is rendered, %u x %u are binned", args->max_x_tile,
                          args->max_y_tile, r->s->tiles_x, r->s->tiles_y);
    }
    unsigned tile = args->color_write.bits & MODE_MS ? FULL_TILE : TILE;
    if (args->max_x_tile * tile >= args->width || args->max_y_tile * tile >= args->height) {
        return drm_refuse(r->s, "tile %u, %u of %u x %u pixels", args->max_x_tile, args->max_y_tile,
                          args->width, args->height);
    }
    if (!r->color_write.present && !r->zs_write.present && !r->msaa_color_write.present &&
        !r->msaa_zs_write.present) {
        return drm_refuse(r->s, "nothing is stored");
    }
    return 0;
}

static int check_surfaces(struct rendering *r) {
    const struct drm_vc4_submit_cl *args = r->s->args;
    int status = check_target(r);
    if (!status) {
        status = check_general(r, &args->color_read, "colour load", &r->color_read);
    }
    if (!status) {
        status = check_general(r, &args->zs_read, "Z and stencil load", &r->zs_read);
    }
    if (!status) {
        status = check_general(r, &args->zs_write, "Z and stencil store", &r->zs_write);
    }
    if (!status) {
        status = check_dump(r, &args->msaa_color_write, "multisample colour store", &r->msaa_color_write);
    }
    if (!status) {
        status = check_dump(r, &args->msaa_zs_write, "multisample Z and stencil store", &r->msaa_zs_write);
    }
    return status ? status : check_tiles(r);
}

/* --- the list ------------------------------------------------------------------------------------------- */

static void put8(struct rendering *r, uint32_t value) {
    if (r->next) {
        *r->next++ = (uint8_t)value;
    }
    r->size++;
}

static void put16(struct rendering *r, uint32_t value) {
    put8(r, value);
    put8(r, value >> 8);
}

static void put32(struct rendering *r, uint32_t value) {
    put16(r, value);
    put16(r, value >> 16);
}

static void put_coordinates(struct rendering *r, unsigned x, unsigned y) {
    put8(r, ID_TILE_COORDINATES);
    put8(r, x);
    put8(r, y);
}

static void put_general(struct rendering *r, unsigned id, uint32_t bits, uint32_t address) {
    put8(r, id);
    put16(r, bits);
    put32(r, address);
}

static uint32_t full_tile(const struct rendering *r, const struct surface *surface, unsigned x, unsigned y) {
    return surface->address + FULL_TILE_SIZE * (y * r->tiles_across + x);
}

static void put_load(struct rendering *r, const struct surface *surface, uint32_t full_bits, unsigned x,
                     unsigned y) {
    if (surface->full) {
        put8(r, ID_LOAD_FULL);
        put32(r, full_tile(r, surface, x, y) | full_bits);
    } else {
        put_general(r, ID_LOAD_GENERAL, surface->bits, surface->address);
    }
}

static void put_loads(struct rendering *r, unsigned x, unsigned y) {
    if (r->color_read.present) {
        put_load(r, &r->color_read, FULL_NO_ZS, x, y);
    }
    if (r->zs_read.present) {
        if (r->color_read.present) {
            put_coordinates(r, x, y);
            put_general(r, ID_STORE_GENERAL, KEEP_ALL, 0);
        }
        put_load(r, &r->zs_read, FULL_NO_COLOR, x, y);
    }
    put_coordinates(r, x, y);
}

static void put_full_store(struct rendering *r, const struct surface *surface, uint32_t bits, bool last,
                           bool end, unsigned x, unsigned y) {
    put8(r, ID_STORE_FULL);
    put32(r, full_tile(r, surface, x, y) | bits | (last ? 0 : FULL_KEEP) | (end ? LAST_TILE : 0));
}

/* The stores of a tile; `end`: it is the last tile. */
static void put_stores(struct rendering *r, unsigned x, unsigned y, bool end) {
    unsigned left =
        r->msaa_color_write.present + r->msaa_zs_write.present + r->zs_write.present + r->color_write.present;
    if (r->msaa_color_write.present) {
        bool last = --left == 0;
        put_full_store(r, &r->msaa_color_write, FULL_NO_ZS, last, end && last, x, y);
        if (!last) {
            put_coordinates(r, x, y);
        }
    }
    if (r->msaa_zs_write.present) {
        bool last = --left == 0;
        put_full_store(r, &r->msaa_zs_write, FULL_NO_COLOR, last, end && last, x, y);
        if (!last) {
            put_coordinates(r, x, y);
        }
    }
    if (r->zs_write.present) {
        bool last = --left == 0;
        put_general(r, ID_STORE_GENERAL, r->zs_write.bits | (last ? 0 : KEEP_COLOR),
                    r->zs_write.address | (end && last ? LAST_TILE : 0));
        if (!last) {
            put_coordinates(r, x, y);
        }
    }
    if (r->color_write.present) {
        put8(r, end ? ID_STORE_MS_END : ID_STORE_MS);
    }
}

static void put_list(struct rendering *r) {
    const struct drm_vc4_submit_cl *args = r->s->args;
    put8(r, ID_RENDERING_MODE);
    put32(r, r->color_write.address);
    put16(r, args->width);
    put16(r, args->height);
    put16(r, r->color_write.bits);
    if (args->flags & VC4_SUBMIT_CL_USE_CLEAR_COLOR) {
        put8(r, ID_CLEAR_COLORS);
        put32(r, args->clear_color[0]);
        put32(r, args->clear_color[1]);
        put32(r, args->clear_z);
        put8(r, args->clear_s);
        put_coordinates(r, 0, 0);
        put_general(r, ID_STORE_GENERAL, BUFFER_NONE, 0);
    }
    bool fixed = args->flags & VC4_SUBMIT_CL_FIXED_RCL_ORDER;
    bool right = !fixed || args->flags & VC4_SUBMIT_CL_RCL_ORDER_INCREASING_X;
    bool down = !fixed || args->flags & VC4_SUBMIT_CL_RCL_ORDER_INCREASING_Y;
    unsigned columns = args->max_x_tile - args->min_x_tile + 1u,
             rows = args->max_y_tile - args->min_y_tile + 1u;
    for (unsigned n = 0; n < columns * rows; n++) {
        unsigned column = n % columns, row = n / columns;
        unsigned x = right ? args->min_x_tile + column : args->max_x_tile - column;
        unsigned y = down ? args->min_y_tile + row : args->max_y_tile - row;
        put_loads(r, x, y);
        if (r->has_bin) {
            if (n == 0) {
                put8(r, ID_WAIT_SEMAPHORE);
            }
            put8(r, ID_BRANCH_SUB_LIST);
            put32(r, r->s->tile_lists + 32 * (y * r->s->tiles_x + x));
        }
        put_stores(r, x, y, n == columns * rows - 1);
    }
}

int drm_write_rendering(struct drm_submit *s) {
    struct rendering r = {.s = s,
                          .tiles_across = ((uint32_t)s->args->width + FULL_TILE - 1) / FULL_TILE,
                          .has_bin = s->args->bin_cl_size > 0};
    int status = check_surfaces(&r);
    if (status) {
        return status;
    }
    put_list(&r);
    status = drm_place(s, QPUSIM_DRM_RENDERING, r.size);
    if (status) {
        return status;
    }
    const struct qpusim_drm_memory *memory = &s->out->memory[QPUSIM_DRM_RENDERING];
    r.next = memory->bytes;
    r.size = 0;
    put_list(&r);
    s->out->render_start = memory->address;
    s->out->render_end = memory->address + r.size;
    return 0;
}
