/* The binning list: checked record by record, copied without those that are the driver's own.
 *
 * Requires: QPUSIM_DRM_EXEC placed. Keeps: the list as handed over. Fills: the records that are drawn with
 * and their highest vertex, the tile memory and its addresses in the configuration.
 *
 * A list configures binning, starts it, draws, increments the semaphore that the rendering list waits for,
 * and flushes. Whatever could make the hardware read or write elsewhere (branches, sub-lists, NV shaders,
 * compressed primitives) is refused. */
#include "runtime/drm/submit.h"

#include <errno.h>
#include <string.h>

enum {
    TILE_STATE_SIZE = 48, /* of a tile */
    TILE_FIRST_BLOCK = 32,
    TILE_ALLOC_ALIGN = 256,
    TILE_ALLOC_SPARE = 1 << 20, /* before the hardware asks for more */
};

enum {
    FLAG_MS = 1 << 0,
    FLAG_64_BIT = 1 << 1,
    FLAG_INIT = 1 << 2,
    FLAG_BLOCK_128 = 2 << 5,
    FLAG_DOUBLE = 1 << 7
};
enum { FLAG_BLOCK_SIZES = 0xf << 3 };

struct binning {
    struct drm_submit *s;
    uint32_t offset;   /* of the record in the list */
    const uint8_t *in; /* its bytes after the opcode */
    uint8_t *out;      /* ... in the copy */
    uint32_t indices;  /* handle index of the index buffer */
    uint32_t records;  /* bytes of the shader records so far, which lie one after the other */
    bool has_indices;
    bool configured, started, incremented, flushed, halted;
};

static int need_shader(struct binning *b, const char *name) {
    if (!b->started) {
        return drm_refuse(b->s, "list at %u: %s before the start of binning", b->offset, name);
    }
    if (b->s->record_count == 0) {
        return drm_refuse(b->s, "list at %u: %s without a shader state", b->offset, name);
    }
    return 0;
}

static void draw_up_to(struct binning *b, uint32_t index) {
    struct drm_record *r = &b->s->records[b->s->record_count - 1];
    r->max_index = index > r->max_index ? index : r->max_index;
}

static int check_indexed(struct binning *b) {
    int status = need_shader(b, "indexed primitives");
    if (status) {
        return status;
    }
    if (!b->has_indices) {
        return drm_refuse(b->s, "list at %u: indexed primitives without an index buffer", b->offset);
    }
    const struct qpusim_drm_buffer *buffer = drm_data_buffer(b->s, b->indices, "index buffer");
    if (!buffer) {
        return -EINVAL;
    }
    uint32_t size = b->in[0] >> 4 ? 2 : 1;
    uint32_t count = drm_get32(b->in + 1), offset = drm_get32(b->in + 5);
    if (offset > buffer->size || (buffer->size - offset) / size < count) {
        return drm_refuse(b->s, "list at %u: %u indices of %u bytes at %u of a buffer of %u", b->offset,
                          count, size, offset, buffer->size);
    }
    draw_up_to(b, drm_get32(b->in + 9));
    drm_put32(b->out + 5, buffer->address + offset);
    return 0;
}

static int check_array(struct binning *b) {
    int status = need_shader(b, "array primitives");
    if (status) {
        return status;
    }
    uint32_t count = drm_get32(b->in + 1), first = drm_get32(b->in + 5);
    if (count > UINT32_MAX - first) {
        return drm_refuse(b->s, "list at %u: vertices %u to %u + %u", b->offset, first, first, count);
    }
    draw_up_to(b, first + count - 1); /* no vertex at all is number -1, as the driver counts */
    return 0;
}

static int check_shader_state(struct binning *b) {
    struct drm_submit *s = b->s;
    uint32_t word = drm_get32(b->in);
    if (word & ~0xfu) {
        return drm_refuse(s, "list at %u: shader state 0x%x has more than a number of attributes and a bit",
                          b->offset, word);
    }
    if (s->record_count >= s->args->shader_rec_count) {
        return drm_refuse(s, "list at %u: shader state %u of %u", b->offset, s->record_count,
                          s->args->shader_rec_count);
    }
    struct drm_record *r = &s->records[s->record_count++];
    r->attributes = word & 7 ? word & 7 : 8;
    r->extended = word & 8;
    drm_put32(b->out, (s->out->memory[QPUSIM_DRM_EXEC].address + s->out->records_offset + b->records) | word);
    b->records += drm_round_up(drm_record_size(r), DRM_RECORD_ALIGN);
    return 0;
}

static int check_configuration(struct binning *b) {
    struct drm_submit *s = b->s;
    if (b->configured) {
        return drm_refuse(s, "list at %u: a second binning configuration", b->offset);
    }
    b->configured = true;
    s->tiles_x = b->in[12];
    s->tiles_y = b->in[13];
    uint8_t flags = b->in[14];
    if (!s->tiles_x || !s->tiles_y) {
        return drm_refuse(s, "list at %u: %u x %u tiles", b->offset, s->tiles_x, s->tiles_y);
    }
    if (flags & (FLAG_64_BIT | FLAG_DOUBLE)) {
        return drm_refuse(s, "list at %u: 64-bit or double-buffered tiles (flags 0x%x)", b->offset, flags);
    }
    uint32_t tiles = s->tiles_x * s->tiles_y;
    uint32_t state_size = drm_round_up(TILE_STATE_SIZE * tiles, DRM_PAGE);
    uint32_t alloc_size = drm_round_up(TILE_FIRST_BLOCK * tiles, TILE_ALLOC_ALIGN) + TILE_ALLOC_SPARE;
    int status = drm_place(s, QPUSIM_DRM_TILES, state_size + alloc_size);
    if (status) {
        return status;
    }
    uint32_t state = s->out->memory[QPUSIM_DRM_TILES].address;
    s->out->tile_alloc_offset = state_size;
    s->tile_lists = state + state_size;
    drm_put32(b->out, s->tile_lists);
    drm_put32(b->out + 4, alloc_size);
    drm_put32(b->out + 8, state);
    b->out[14] = (uint8_t)((flags & ~FLAG_BLOCK_SIZES) | FLAG_INIT | FLAG_BLOCK_128);
    return 0;
}

static int check_start(struct binning *b) {
    if (!b->configured || b->started) {
        return drm_refuse(b->s, "list at %u: %s", b->offset,
                          b->started ? "binning starts twice" : "binning starts without a configuration");
    }
    b->started = true;
    return 0;
}

/* The list's last two bytes are an increment and a flush; nowhere else is either. */
static int check_increment(struct binning *b) {
    if (b->offset + 2 != b->s->args->bin_cl_size) {
        return drm_refuse(b->s, "list at %u: the semaphore is incremented before the last byte but one",
                          b->offset);
    }
    b->incremented = true;
    return 0;
}

static int check_flush(struct binning *b) {
    if (b->offset + 1 != b->s->args->bin_cl_size) {
        return drm_refuse(b->s, "list at %u: flushed before the last byte", b->offset);
    }
    b->flushed = true;
    return 0;
}

static int check_halt(struct binning *b) {
    b->halted = true;
    return 0;
}

static int check_handles(struct binning *b) {
    b->indices = drm_get32(b->in);
    b->has_indices = true;
    return 0;
}

enum { HANDLES = 254 };

struct packet {
    uint8_t id, size; /* size with the opcode */
    const char *name;
    int (*check)(struct binning *b); /* NULL: passed on unchanged */
};

static const struct packet packets[] = {
    {0, 1, "halt", check_halt},
    {1, 1, "nop", NULL},
    {4, 1, "flush", check_flush},
    {5, 1, "flush of all state", NULL},
    {6, 1, "start of binning", check_start},
    {7, 1, "increment of the semaphore", check_increment},
    {32, 14, "indexed primitives", check_indexed},
    {33, 10, "array primitives", check_array},
    {56, 2, "primitive list format", NULL},
    {64, 5, "GL shader state", check_shader_state},
    {96, 4, "configuration bits", NULL},
    {97, 5, "flat shade flags", NULL},
    {98, 5, "point size", NULL},
    {99, 5, "line width", NULL},
    {100, 3, "RHT boundary", NULL},
    {101, 5, "depth offset", NULL},
    {102, 9, "clip window", NULL},
    {103, 5, "viewport offset", NULL},
    {105, 9, "clipper XY scaling", NULL},
    {106, 9, "clipper Z scaling", NULL},
    {112, 16, "binning configuration", check_configuration},
    {HANDLES, 9, "handles", check_handles},
};

static const struct packet *find_packet(uint8_t id) {
    for (size_t n = 0; n < sizeof packets / sizeof *packets; n++) {
        if (packets[n].id == id) {
            return &packets[n];
        }
    }
    return NULL;
}

int drm_check_binning(struct drm_submit *s) {
    const uint8_t *list = s->in->bin_cl;
    uint32_t size = s->args->bin_cl_size, written = 0;
    const struct qpusim_drm_memory *exec = &s->out->memory[QPUSIM_DRM_EXEC];
    uint8_t *copy = exec->bytes;
    struct binning b = {.s = s};
    while (b.offset < size && !b.halted) {
        const struct packet *p = find_packet(list[b.offset]);
        if (!p) {
            return drm_refuse(s, "list at %u: record %u is not for programs", b.offset, list[b.offset]);
        }
        if (p->size > size - b.offset) {
            return drm_refuse(s, "list at %u: the %s is cut at the end", b.offset, p->name);
        }
        memcpy(copy + written, list + b.offset, p->size);
        b.in = list + b.offset + 1;
        b.out = copy + written + 1;
        int status = p->check ? p->check(&b) : 0;
        if (status) {
            return status;
        }
        if (p->id != HANDLES) {
            written += p->size;
        }
        b.offset += p->size;
    }
    memset(copy + written, 0, size - written);
    if (!b.started || !b.incremented || !b.flushed) {
        return drm_refuse(s, "the list ends without %s",
                          !b.started       ? "a start of binning"
                          : !b.incremented ? "an increment of the semaphore"
                                           : "a flush");
    }
    s->out->bin_start = exec->address;
    s->out->bin_end = exec->address + written;
    return 0;
}
