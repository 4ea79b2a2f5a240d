/* Compressed primitive lists: the codings of tables 39 to 43, one way to look at all of them.
 *
 * The low two bits of the first byte say which coding it is; codings 2 and 3 of triangles, and the special
 * codes, need more of the byte. The special codes 128 to 130 are what coding 0 would be with the reserved
 * difference of 32 (indices), or of 64 and 65 in x (coordinates). */
#include <string.h>

#include "runtime/cl/cl.h"

enum { POINTS, LINES, TRIANGLES, RHTS };
enum { INDEX16 = 1, INDEX24 = 2, XY = 3 };
enum { ESCAPE = 128, ABSOLUTE = 129, BRANCH = 130 };

unsigned qpusim_primitive_vertices(const struct qpusim_primitive_coder *coder) {
    return coder->primitive == POINTS ? 1 : coder->primitive == TRIANGLES ? 3 : 2;
}

static unsigned index_bytes(const struct qpusim_primitive_coder *c) {
    return c->data == INDEX16 ? 2 : c->data == INDEX24 ? 3 : 4;
}

static bool valid(const struct qpusim_primitive_coder *c) {
    if (c->data == XY)
        return c->primitive == TRIANGLES || c->primitive == RHTS;
    return c->primitive <= RHTS && (c->data == INDEX16 || c->data == INDEX24);
}

static uint32_t little(const uint8_t *bytes, unsigned count) {
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value |= (uint32_t)bytes[i] << 8 * i;
    return value;
}

static int32_t bits_signed(uint32_t value, unsigned low, unsigned bits) {
    return (int32_t)(value >> low << (32 - bits)) >> (32 - bits);
}

/* Which vertices of the previous primitive begin the new one, by the number in coding 0. */
static const uint8_t shared[3][2] = {{2, 1}, {0, 2}, {1, 0}};

static bool share(const struct qpusim_primitive_coder *c, unsigned code, uint32_t index[3]) {
    if (c->primitive == TRIANGLES) {
        index[0] = c->previous[shared[code][0]];
        index[1] = c->previous[shared[code][1]];
    } else if (c->primitive != POINTS) {
        index[0] = c->previous[code == 1 ? 0 : 1];
    }
    return code < (c->primitive == TRIANGLES ? 3u : 2u);
}

/* The seven bits of a difference in x that begin at bit 2: its lowest bit comes last, in bit 8. */
static int32_t x_signed(uint32_t v) {
    return bits_signed((v >> 1 & 0x7e) | (v >> 8 & 1), 0, 7);
}

static uint32_t x_bits(int32_t dx) {
    return ((uint32_t)dx & 0x7e) << 1 | ((uint32_t)dx & 1) << 8;
}

static uint32_t xy_add(uint32_t xy, int32_t dx, int32_t dy) {
    return ((xy + (uint32_t)dx) & 0xffff) | ((xy >> 16) + (uint32_t)dy) << 16;
}

/* Bytes of the item that begins with `first`. */
static unsigned item_size(const struct qpusim_primitive_coder *c, unsigned first) {
    unsigned low = first & 3, each = index_bytes(c), vertices = qpusim_primitive_vertices(c);
    if (first == ESCAPE)
        return 1;
    if (first == BRANCH)
        return 3;
    if (first == ABSOLUTE)
        return 1 + vertices * each;
    if (c->data == XY) {
        if (low == 2 && c->primitive == RHTS)
            return 6;
        return low < 3 ? 2 : c->primitive == TRIANGLES && (first & 15) == 15 ? 8 : 3;
    }
    if (c->primitive == TRIANGLES)
        return low < 3 ? 1 : (first & 15) == 15 ? 2 + each : 2;
    if (c->primitive == POINTS)
        return low < 2 ? 1 : 2;
    return low < 2 ? 1 : low == 2 ? 1 + each : 2;
}

static enum qpusim_primitive_item read_xy(struct qpusim_primitive_coder *c, const uint8_t *b,
                                          uint32_t index[3]) {
    uint32_t v = little(b, 4 < item_size(c, b[0]) ? 4 : item_size(c, b[0]));
    unsigned last = qpusim_primitive_vertices(c) - 1, low = v & 3;
    if (c->primitive == TRIANGLES && (v & 15) == 15) {
        index[0] = little(b + 4, 4);
        index[1] = xy_add(index[0], bits_signed(v, 4, 7), bits_signed(v, 11, 7));
        index[2] = xy_add(index[0], bits_signed(v, 18, 7), bits_signed(v, 25, 7));
        return QPUSIM_ITEM_PRIMITIVE;
    }
    if (c->primitive == RHTS && low == 2) {
        index[0] = little(b + 2, 4);
        index[1] = xy_add(index[0], x_signed(v), bits_signed(v, 9, 7));
        return QPUSIM_ITEM_PRIMITIVE;
    }
    unsigned code = low < 3 ? low : v >> 2 & 3;
    if (low == 3 && c->primitive == RHTS)
        code = code == 2 ? 0 : code;
    if (!c->started || !share(c, code, index))
        return QPUSIM_ITEM_BAD;
    index[last] = low < 3 ? xy_add(c->previous[last], x_signed(v), bits_signed(v, 9, 7))
                          : xy_add(c->previous[last], bits_signed(v, 4, 10), bits_signed(v, 14, 10));
    return QPUSIM_ITEM_PRIMITIVE;
}

static enum qpusim_primitive_item read_index(struct qpusim_primitive_coder *c, const uint8_t *b,
                                             uint32_t index[3]) {
    unsigned last = qpusim_primitive_vertices(c) - 1, low = b[0] & 3;
    uint32_t v = little(b, item_size(c, b[0]) > 1 ? 2 : 1);
    if (low == 3 && c->primitive == TRIANGLES && (v & 15) == 15) {
        index[0] = little(b + 2, index_bytes(c));
        index[1] = index[0] + (uint32_t)bits_signed(v, 4, 6);
        index[2] = index[0] + (uint32_t)bits_signed(v, 10, 6);
    } else if (low == 2 && last == 1) {
        index[0] = little(b + 1, index_bytes(c));
        index[1] = index[0] + (uint32_t)bits_signed(v, 2, 6);
    } else if (!c->started) {
        return QPUSIM_ITEM_BAD;
    } else if (low == 3 && c->primitive == POINTS) {
        index[0] = c->previous[0] + (uint32_t)bits_signed(v, 2, 14);
    } else if (low == 3) {
        for (unsigned i = 0; i <= last; i++)
            index[i] = c->previous[i] + (uint32_t)bits_signed(v, 4 + 4 * i, 4);
    } else {
        if (!share(c, low, index))
            return QPUSIM_ITEM_BAD; /* points have no such run in the hardware (guide, section 9) */
        index[last] = c->previous[last] + (uint32_t)bits_signed(v, 2, 6);
    }
    uint32_t limit = c->data == INDEX16 ? 0xffff : 0xffffff;
    for (unsigned i = 0; i <= last; i++)
        index[i] &= limit;
    return QPUSIM_ITEM_PRIMITIVE;
}

enum qpusim_primitive_item qpusim_read_primitive(struct qpusim_primitive_coder *c, const uint8_t *bytes,
                                                 size_t size, uint32_t index[3], int32_t *branch,
                                                 unsigned *used) {
    if (!size || !valid(c))
        return QPUSIM_ITEM_BAD;
    *used = item_size(c, bytes[0]);
    if (*used > size)
        return QPUSIM_ITEM_BAD;
    index[0] = index[1] = index[2] = 0;
    unsigned count = qpusim_primitive_vertices(c);
    enum qpusim_primitive_item item = QPUSIM_ITEM_PRIMITIVE;
    switch (bytes[0]) {
    case ESCAPE: return QPUSIM_ITEM_END;
    case BRANCH: *branch = (int16_t)little(bytes + 1, 2) * 32; return QPUSIM_ITEM_BRANCH;
    case ABSOLUTE:
        for (unsigned i = 0; i < count; i++)
            index[i] = little(bytes + 1 + i * index_bytes(c), index_bytes(c));
        break;
    default: item = c->data == XY ? read_xy(c, bytes, index) : read_index(c, bytes, index);
    }
    if (item == QPUSIM_ITEM_PRIMITIVE) {
        memcpy(c->previous, index, sizeof c->previous);
        c->started = true;
    }
    return item;
}

/* --- writer --------------------------------------------------------------------------------------------- */

static bool fits(int32_t value, int32_t low, int32_t high) {
    return value >= low && value <= high;
}

static unsigned put(uint8_t *bytes, uint32_t value, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
    return count;
}

static void difference(uint32_t to, uint32_t from, int32_t d[2]) {
    d[0] = (int16_t)(uint16_t)(to - from);
    d[1] = (int16_t)(uint16_t)((to >> 16) - (from >> 16));
}

/* Which number of coding 0 gives the primitive's first vertices; -1: none. */
static int sharing(const struct qpusim_primitive_coder *c, const uint32_t index[3]) {
    for (unsigned code = 0; code < (c->primitive == TRIANGLES ? 3u : 2u); code++) {
        uint32_t got[3] = {0};
        share(c, code, got);
        if (c->primitive == POINTS ||
            (got[0] == index[0] && (c->primitive != TRIANGLES || got[1] == index[1])))
            return (int)code;
    }
    return -1;
}

static unsigned write_xy(const struct qpusim_primitive_coder *c, const uint32_t index[3], uint8_t *b) {
    unsigned last = qpusim_primitive_vertices(c) - 1;
    int32_t d[2], e[2];
    difference(index[last], c->previous[last], d);
    int code = c->started ? sharing(c, index) : -1;
    if (code >= 0 && fits(d[0], -62, 63) && fits(d[1], -64, 63))
        return put(b, (uint32_t)code | x_bits(d[0]) | ((uint32_t)d[1] & 127) << 9, 2);
    if (code >= 0 && fits(d[0], -512, 511) && fits(d[1], -512, 511))
        return put(b, 3u | (uint32_t)code << 2 | ((uint32_t)d[0] & 1023) << 4 | ((uint32_t)d[1] & 1023) << 14,
                   3);
    difference(index[1], index[0], d);
    difference(index[2], index[0], e);
    if (c->primitive == RHTS && fits(d[0], -62, 63) && fits(d[1], -64, 63)) {
        put(b, 2u | x_bits(d[0]) | ((uint32_t)d[1] & 127) << 9, 2);
        return 2 + put(b + 2, index[0], 4);
    }
    if (c->primitive == TRIANGLES && fits(d[0], -64, 63) && fits(d[1], -64, 63) && fits(e[0], -64, 63) &&
        fits(e[1], -64, 63)) {
        put(b,
            15u | ((uint32_t)d[0] & 127) << 4 | ((uint32_t)d[1] & 127) << 11 | ((uint32_t)e[0] & 127) << 18 |
                ((uint32_t)e[1] & 127) << 25,
            4);
        return 4 + put(b + 4, index[0], 4);
    }
    return 0;
}

static unsigned write_index(const struct qpusim_primitive_coder *c, const uint32_t index[3], uint8_t *b) {
    unsigned last = qpusim_primitive_vertices(c) - 1;
    int32_t d[3], e1 = (int32_t)(index[1] - index[0]), e2 = (int32_t)(index[2] - index[0]);
    for (unsigned i = 0; i < 3; i++)
        d[i] = (int32_t)(index[i] - c->previous[i]);
    int code = c->started ? sharing(c, index) : -1;
    if (code >= 0 && fits(d[last], -31, 31))
        return put(b, (uint32_t)code | ((uint32_t)d[last] & 63) << 2, 1);
    if (c->started && c->primitive == POINTS && fits(d[0], -8192, 8191))
        return put(b, 3u | ((uint32_t)d[0] & 0x3fff) << 2, 2);
    if (c->started && c->primitive != POINTS && fits(d[0], -8, 7) && fits(d[1], -8, 7) &&
        (last == 1 || fits(d[2], -8, 7)))
        return put(b,
                   3u | ((uint32_t)d[0] & 15) << 4 | ((uint32_t)d[1] & 15) << 8 |
                       (last == 2 ? ((uint32_t)d[2] & 15) << 12 : 0),
                   2);
    if (c->primitive == TRIANGLES && fits(e1, -32, 31) && fits(e2, -32, 31)) {
        put(b, 15u | ((uint32_t)e1 & 63) << 4 | ((uint32_t)e2 & 63) << 10, 2);
        return 2 + put(b + 2, index[0], index_bytes(c));
    }
    if (last == 1 && fits(e1, -31, 31)) {
        put(b, 2u | ((uint32_t)e1 & 63) << 2, 1);
        return 1 + put(b + 1, index[0], index_bytes(c));
    }
    return 0;
}

unsigned qpusim_write_primitive(struct qpusim_primitive_coder *c, const uint32_t index[3],
                                uint8_t bytes[13]) {
    if (!valid(c))
        return 0;
    unsigned n = c->data == XY ? write_xy(c, index, bytes) : write_index(c, index, bytes);
    if (!n) {
        n = put(bytes, ABSOLUTE, 1);
        for (unsigned i = 0; i < qpusim_primitive_vertices(c); i++)
            n += put(bytes + n, index[i], index_bytes(c));
    }
    memcpy(c->previous, index, sizeof c->previous);
    c->started = true;
    return n;
}
