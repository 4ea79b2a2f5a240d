/* The binner: coordinate shading, clipping, and each primitive into the lists of the tiles that it may touch.
 *
 * What it needs of the state: the clip window (tiles outside get nothing), the viewport's centre and scale,
 * the shader state, point size and line width. Reversed primitives stay in: culling belongs to primitive
 * set-up, which each tile does. */
#include <math.h>
#include <stdlib.h>

#include "runtime/front/block.h"

enum { POINTS, LINES, LINE_LOOP, LINE_STRIP, TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN };

#define MAX_TILES (256u * 256u)

/* One primitive list on its way. */
struct list {
    struct qpusim_block *b;
    const struct sim_gl_state *state;
    const struct sim_shader *shader;
    struct sim_raster_state raster; /* the clipper's set-up */
    const uint8_t *indices;         /* NULL: `first` and on */
    unsigned index_bytes;
    uint32_t first, count, lowest;
    unsigned data;                  /* format of indices in tile lists */
    int min_x, min_y, max_x, max_y; /* clip window within the frame, pixels; max exclusive */
};

static uint32_t index_at(const struct list *l, uint32_t i) {
    if (!l->indices)
        return l->first + i;
    return l->index_bytes == 1
               ? l->indices[i]
               : (uint32_t)l->indices[2 * (size_t)i] | (uint32_t)l->indices[2 * (size_t)i + 1] << 8;
}

static const struct sim_coordinate *vertex(const struct list *l, uint32_t i) {
    return &l->b->bin.vertex[l->b->bin.slot[index_at(l, i) - l->lowest]];
}

/* --- vertices ------------------------------------------------------------------------------------------- */

static void classify(const struct list *l, struct sim_coordinate *v) {
    const float *c = v->clip;
    v->outside = (uint8_t)((c[0] > c[3]) | (c[0] < -c[3]) << 1 | (c[1] > c[3]) << 2 | (c[1] < -c[3]) << 3 |
                           (c[2] > c[3]) << 4 | (c[2] < -c[3]) << 5);
    v->cut = sim_clip_cuts(&l->raster, &(struct sim_vertex){.clip = {c[0], c[1], c[2], c[3]}});
}

static bool shade_batch(struct list *l, uint32_t base, unsigned count) {
    struct qpusim_block *b = l->b;
    struct sim_bin *bin = &b->bin;
    const struct sim_worker w = {
        b->memory, b->shader_memory, b->options, b->error, b->counters,
        &b->clock, &b->shared,       b->thread,  b->in,    b->timing ? &b->costs : NULL};
    if (!sim_shade_vertices(&w, l->shader, QPUSIM_COORDINATE, bin->index + base, count))
        return false;
    const struct sim_thread *t = b->thread;
    for (unsigned i = 0; i < count; i++) {
        struct sim_coordinate *v = &bin->vertex[base + i];
        uint32_t word[4] = {t->vpm.out[4][i], t->vpm.out[5][i], t->vpm.out[6][i],
                            l->shader->point_size ? t->vpm.out[7][i] : 0};
        for (unsigned k = 0; k < 4; k++)
            v->clip[k] = sim_float(t->vpm.out[k][i]);
        v->x = (int16_t)(word[0] & 0xffff);
        v->y = (int16_t)(word[0] >> 16);
        v->z = sim_float(word[1]);
        v->inv_w = sim_float(word[2]);
        v->size = l->shader->point_size ? sim_float(word[3]) : l->state->point_size;
        classify(l, v);
        if (!sim_positions_set(&bin->positions, l->shader, bin->index[base + i], word))
            return sim_block_no_memory(b);
    }
    return true;
}

/* Vertices shaded before, as they lie in memory (guide figure 12). */
static bool fetch_shaded(struct list *l, uint32_t base, unsigned count) {
    struct sim_bin *bin = &l->b->bin;
    const struct sim_shader *s = l->shader;
    unsigned header = s->clip_header ? 16 : 0, size = header + 12 + (s->point_size ? 4 : 0);
    for (unsigned i = 0; i < count; i++) {
        struct sim_coordinate *v = &bin->vertex[base + i];
        uint32_t address = s->vertices + bin->index[base + i] * s->stride, word[8];
        const uint8_t *p = sim_memory_at(l->b->memory, address, size);
        if (!p)
            return sim_block_fail_address(l->b, "a shaded vertex", address, size);
        memset(v, 0, sizeof *v);
        memcpy(word, p + header, size - header);
        memcpy(v->clip, p, header);
        v->x = (int16_t)(word[0] & 0xffff);
        v->y = (int16_t)(word[0] >> 16);
        v->z = sim_float(word[1]);
        v->inv_w = sim_float(word[2]);
        v->size = s->point_size ? sim_float(word[3]) : l->state->point_size;
        if (s->clip_header)
            classify(l, v);
    }
    return true;
}

/* Every vertex once, in the order of first use, sixteen at a time. */
static bool shade_vertices(struct list *l) {
    struct qpusim_block *b = l->b;
    struct sim_bin *bin = &b->bin;
    uint32_t low = UINT32_MAX, high = 0, count = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t v = index_at(l, i);
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    if (high >= SIM_MAX_VERTICES)
        return sim_block_fail(b, QPUSIM_BAD_LIST, "index", "index %u does not fit 24 bits", (unsigned)high);
    uint32_t range = high - low + 1, most = l->count < range ? l->count : range;
    if (range > bin->slots) {
        free(bin->slot);
        bin->slot = malloc((size_t)range * sizeof *bin->slot);
        bin->slots = bin->slot ? range : 0;
    }
    if (most > bin->vertices) {
        free(bin->index);
        free(bin->vertex);
        bin->index = malloc((size_t)most * sizeof *bin->index);
        bin->vertex = malloc((size_t)most * sizeof *bin->vertex);
        bin->vertices = bin->index && bin->vertex ? most : 0;
    }
    if (!bin->slots || !bin->vertices)
        return sim_block_no_memory(b);
    l->lowest = low;
    l->data = high > 0xffff ? 2 : 1;
    memset(bin->slot, 0xff, (size_t)range * sizeof *bin->slot);
    for (uint32_t i = 0; i < l->count; i++) {
        uint32_t v = index_at(l, i);
        if (bin->slot[v - low] != UINT32_MAX)
            continue;
        bin->slot[v - low] = count;
        bin->index[count++] = v;
    }
    for (uint32_t base = 0; base < count; base += SIM_LANES) {
        unsigned n = count - base < SIM_LANES ? count - base : SIM_LANES;
        if (!(l->shader->nv ? fetch_shaded(l, base, n) : shade_batch(l, base, n)))
            return false;
    }
    return true;
}

/* --- tiles ---------------------------------------------------------------------------------------------- */

struct box {
    int min_x, min_y, max_x, max_y; /* pixels, max exclusive */
};

static int least(int a, int b) {
    return a < b ? a : b;
}
static int most(int a, int b) {
    return a > b ? a : b;
}

/* Does any of the triangle's edges leave the whole tile outside? Coordinates are sixteenths of a pixel. */
static bool beyond(const int x[3], const int y[3], int left, int bottom, int width, int height) {
    int64_t twice = (int64_t)(x[1] - x[0]) * (y[2] - y[0]) - (int64_t)(x[2] - x[0]) * (y[1] - y[0]);
    for (unsigned i = 0; i < 3; i++) {
        unsigned p = i, q = (i + 1) % 3;
        int64_t a = y[p] - y[q], c = x[q] - x[p];
        if (twice < 0) {
            a = -a;
            c = -c;
        }
        int64_t at = a * (left - x[p]) + c * (bottom - y[p]);
        if (at + (a > 0 ? a * width : 0) + (c > 0 ? c * height : 0) < 0)
            return true;
    }
    return false;
}

/* Adds the primitive to each tile that its box touches; a triangle's corners, when given, rule more out. */
static bool add(struct list *l, struct box box, const struct sim_tile_primitive *p, const int *x,
                const int *y) {
    const struct sim_bin *bin = &l->b->bin;
    box.min_x = most(box.min_x, l->min_x);
    box.min_y = most(box.min_y, l->min_y);
    box.max_x = least(box.max_x, l->max_x);
    box.max_y = least(box.max_y, l->max_y);
    if (box.min_x >= box.max_x || box.min_y >= box.max_y)
        return true;
    int width = (int)bin->tile_width, height = (int)bin->tile_height;
    int left = box.min_x / width, right = (box.max_x - 1) / width;
    int low = box.min_y / height, high = (box.max_y - 1) / height;
    bool test = x && (right - left + 1) * (high - low + 1) > 2;
    for (int row = low; row <= high; row++)
        for (int column = left; column <= right; column++)
            if (!(test && beyond(x, y, column * width * 16, row * height * 16, width * 16, height * 16)) &&
                !sim_tile_list_add(l->b, (unsigned)row * bin->mode.width + (unsigned)column, p))
                return false;
    return true;
}

/* --- clipping ------------------------------------------------------------------------------------------- */

/* A vertex for clip.c. In place of varyings it has the weights of the primitive's vertices. */
static struct sim_vertex full_vertex(const struct sim_coordinate *c, unsigned number) {
    struct sim_vertex v = {.clip = {c->clip[0], c->clip[1], c->clip[2], c->clip[3]},
                           .x = c->x,
                           .y = c->y,
                           .z = c->z,
                           .inv_w = c->inv_w};
    v.varying[number] = 1;
    return v;
}

/* Writes those corners that clipping made (guide table 44) and returns where, with their mask; 0: none, or an
 * error. `number` is the vertex that each corner would be were it not clipped. */
static uint32_t write_clipped(struct list *l, const struct sim_vertex *const *v, unsigned count) {
    unsigned mask = 0, made = 0;
    for (unsigned i = 0; i < count; i++)
        if (v[i]->made || v[i]->varying[i] != 1)
            mask |= 1u << i;
    made = (unsigned)__builtin_popcount(mask);
    if (!made)
        return 0;
    uint32_t address;
    uint8_t *bytes = sim_tile_list_alloc(l->b, 32 * made, &address);
    if (!bytes)
        return 0;
    struct qpusim_list list = {.bytes = bytes, .capacity = (size_t)32 * made};
    for (unsigned i = 0; i < count; i++)
        if (mask >> i & 1)
            qpusim_put_clipped_vertex(&list, &(struct qpusim_cl_clipped_vertex){.x = v[i]->x,
                                                                                .y = v[i]->y,
                                                                                .z = (float)v[i]->z,
                                                                                .inv_w = (float)v[i]->inv_w,
                                                                                .weight0 = v[i]->varying[0],
                                                                                .weight1 = v[i]->varying[1],
                                                                                .weight2 = v[i]->varying[2]});
    return address | mask;
}

/* --- primitives ----------------------------------------------------------------------------------------- */

static bool outside(struct list *l) {
    l->b->counters->primitives_culled++;
    l->b->count[QPUSIM_COUNT_PRIMITIVES_OUTSIDE]++;
    return true;
}

static void count_clipped(struct list *l) {
    l->b->counters->primitives_clipped++;
    l->b->count[QPUSIM_COUNT_PRIMITIVES_CLIPPED] += !SIM_FAULT(l->b->options, count_clipped);
}

static bool add_triangle(struct list *l, struct sim_tile_primitive *p, const int32_t x[3],
                         const int32_t y[3]) {
    const struct qpusim_cl_viewport_offset *o = &l->state->viewport;
    const int px[3] = {x[0] + o->x, x[1] + o->x, x[2] + o->x},
              py[3] = {y[0] + o->y, y[1] + o->y, y[2] + o->y};
    const struct box box = {least(px[0], least(px[1], px[2])) >> 4, least(py[0], least(py[1], py[2])) >> 4,
                            (most(px[0], most(px[1], px[2])) >> 4) + 1,
                            (most(py[0], most(py[1], py[2])) >> 4) + 1};
    return add(l, box, p, px, py);
}

/* Counts what set-up will cull, once a primitive, for struct qpusim_counters. */
static void count_reversed(struct list *l, int64_t area) {
    const struct qpusim_cl_configuration_bits *c = &l->state->config;
    bool back = (area > 0) == c->clockwise;
    l->b->counters->primitives_culled += !area || !(back ? c->reverse_facing : c->front_facing);
}

static int64_t twice_area(const int32_t x[3], const int32_t y[3]) {
    return (int64_t)(x[1] - x[0]) * (y[2] - y[0]) - (int64_t)(x[2] - x[0]) * (y[1] - y[0]);
}

static bool triangle(struct list *l, uint32_t i0, uint32_t i1, uint32_t i2) {
    const struct sim_coordinate *v[3] = {vertex(l, i0), vertex(l, i1), vertex(l, i2)};
    struct sim_tile_primitive p = {2, l->data, {index_at(l, i0), index_at(l, i1), index_at(l, i2)}, 0};
    bool clipping = l->shader->clipping;
    l->b->counters->primitives++;
    l->b->costs.primitives++;
    if (clipping && v[0]->outside & v[1]->outside & v[2]->outside)
        return outside(l);
    if (!clipping || !(v[0]->cut | v[1]->cut | v[2]->cut)) {
        const int32_t x[3] = {v[0]->x, v[1]->x, v[2]->x}, y[3] = {v[0]->y, v[1]->y, v[2]->y};
        count_reversed(l, twice_area(x, y));
        return add_triangle(l, &p, x, y);
    }
    struct sim_vertex polygon[SIM_MAX_POLYGON] = {full_vertex(v[0], 0), full_vertex(v[1], 1),
                                                  full_vertex(v[2], 2)};
    bool clipped;
    unsigned n = sim_clip_polygon(&l->raster, polygon, 3, &clipped);
    if (!n)
        return outside(l);
    count_clipped(l);
    int64_t area = 0;
    for (unsigned i = 2; i < n; i++)
        area += twice_area((const int32_t[]){polygon[0].x, polygon[i - 1].x, polygon[i].x},
                           (const int32_t[]){polygon[0].y, polygon[i - 1].y, polygon[i].y});
    count_reversed(l, area);
    for (unsigned i = 2; i < n; i++) {
        const struct sim_vertex *const t[3] = {&polygon[0], &polygon[i - 1], &polygon[i]};
        const int32_t x[3] = {t[0]->x, t[1]->x, t[2]->x}, y[3] = {t[0]->y, t[1]->y, t[2]->y};
        /* Rounding can turn a sliver over. */
        if (!twice_area(x, y) || (twice_area(x, y) > 0) != (area > 0))
            continue;
        p.clip = write_clipped(l, t, 3);
        if (l->b->error->status != QPUSIM_OK || !add_triangle(l, &p, x, y))
            return false;
    }
    return true;
}

static bool line(struct list *l, uint32_t i0, uint32_t i1) {
    const struct sim_coordinate *c[2] = {vertex(l, i0), vertex(l, i1)};
    struct sim_tile_primitive p = {1, l->data, {index_at(l, i0), index_at(l, i1), 0}, 0};
    struct sim_vertex v[2] = {full_vertex(c[0], 0), full_vertex(c[1], 1)};
    bool clipped = false;
    l->b->counters->primitives++;
    l->b->costs.primitives++;
    if (l->shader->clipping) {
        if (c[0]->outside & c[1]->outside || !sim_clip_segment(&l->raster, v, &clipped))
            return outside(l);
        if (clipped)
            count_clipped(l);
    }
    p.clip = write_clipped(l, (const struct sim_vertex *const[]){&v[0], &v[1]}, 2);
    if (l->b->error->status != QPUSIM_OK)
        return false;
    int half = (int)(fmin(fmax(l->state->line_width, 0), SIM_MAX_LINE) * 8 + 0.5);
    const struct qpusim_cl_viewport_offset *o = &l->state->viewport;
    const struct box box = {
        (least(v[0].x, v[1].x) - half + o->x) >> 4, (least(v[0].y, v[1].y) - half + o->y) >> 4,
        ((most(v[0].x, v[1].x) + half + o->x) >> 4) + 1, ((most(v[0].y, v[1].y) + half + o->y) >> 4) + 1};
    return add(l, box, &p, NULL, NULL);
}

static bool point(struct list *l, uint32_t i) {
    const struct sim_coordinate *v = vertex(l, i);
    const struct sim_tile_primitive p = {0, l->data, {index_at(l, i), 0, 0}, 0};
    const struct qpusim_cl_viewport_offset *o = &l->state->viewport;
    l->b->counters->primitives++;
    l->b->costs.primitives++;
    /* Of a point whose centre is beyond the view's sides there may be something within: the guard band
     * cuts, and near and far planes. */
    bool gone = v->cut || (v->outside && SIM_FAULT(l->b->options, point_sides));
    if ((l->shader->clipping && gone) || !(v->size > 0) || !isfinite(v->size))
        return outside(l);
    double most = SIM_FAULT(l->b->options, point_large) ? 4 * SIM_MAX_POINT : SIM_MAX_POINT;
    double half = fmin(v->size, most) / 2, x = (v->x + o->x) / 16.0, y = (v->y + o->y) / 16.0;
    return add(l,
               (struct box){(int)floor(x - half), (int)floor(y - half), (int)ceil(x + half) + 1,
                            (int)ceil(y + half) + 1},
               &p, NULL, NULL);
}

static bool primitives(struct list *l, unsigned mode) {
    uint32_t n = l->count;
    bool ok = true;
    switch (mode) {
    case POINTS:
        for (uint32_t i = 0; i < n && ok; i++)
            ok = point(l, i);
        return ok;
    case LINES:
        for (uint32_t i = 0; i + 1 < n && ok; i += 2)
            ok = line(l, i, i + 1);
        return ok;
    case LINE_LOOP:
    case LINE_STRIP:
        for (uint32_t i = 0; i + 1 < n && ok; i++)
            ok = line(l, i, i + 1);
        return ok && (mode == LINE_STRIP || n < 2 || line(l, n - 1, 0));
    case TRIANGLES:
        for (uint32_t i = 0; i + 2 < n && ok; i += 3)
            ok = triangle(l, i, i + 1, i + 2);
        return ok;
    case TRIANGLE_STRIP: /* every other one turned, the last vertex stays last */
        for (uint32_t i = 0; i + 2 < n && ok; i++)
            ok = triangle(l, i + (i & 1), i + 1 - (i & 1), i + 2);
        return ok;
    default:
        for (uint32_t i = 1; i + 1 < n && ok; i++)
            ok = triangle(l, 0, i, i + 1);
        return ok;
    }
}

static bool primitive_list(struct qpusim_block *b, const struct qpusim_record *r) {
    struct sim_bin *bin = &b->bin;
    struct sim_gl_state *state = &b->control[SIM_BIN].state;
    bool indexed = r->code == QPUSIM_CL_INDEXED_PRIMITIVES;
    const struct qpusim_cl_indexed_primitives *e = &r->u.indexed_primitives;
    const struct qpusim_cl_array_primitives *a = &r->u.array_primitives;
    struct list l = {.b = b, .state = state, .count = indexed ? e->count : a->count};
    unsigned mode = indexed ? e->mode : a->mode;
    if (mode > TRIANGLE_FAN)
        return sim_block_fail(b, QPUSIM_BAD_LIST, "mode", "there is no primitive mode %u", mode);
    if (!bin->started)
        return sim_block_fail(b, QPUSIM_BAD_LIST, "start", "primitives come before start_tile_binning");
    if (!(l.shader = sim_state_shader(b, state)))
        return false;
    if (!l.count)
        return true;
    if (indexed) {
        if (e->index_type > 1)
            return sim_block_fail(b, QPUSIM_BAD_LIST, "index", "there is no index type %u",
                                  (unsigned)e->index_type);
        l.index_bytes = e->index_type ? 2 : 1;
        uint64_t bytes = (uint64_t)l.count * l.index_bytes;
        l.indices = bytes <= SIZE_MAX / 2 ? sim_memory_at(b->memory, e->address, (size_t)bytes) : NULL;
        if (!l.indices)
            return sim_block_fail_address(b, "the indices", e->address, (size_t)bytes);
        for (uint32_t i = 0; i < l.count; i++)
            if (index_at(&l, i) > e->max_index)
                return sim_block_fail(b, QPUSIM_BAD_LIST, "index", "index %u is greater than the maximum, %u",
                                      (unsigned)index_at(&l, i), (unsigned)e->max_index);
    } else {
        l.first = a->first;
        if (l.first >= SIM_MAX_VERTICES || l.count > SIM_MAX_VERTICES - l.first)
            return sim_block_fail(b, QPUSIM_BAD_LIST, "index", "vertices beyond 24 bits of index");
    }
    b->items += l.count;
    if (!sim_block_item(b))
        return false;
    /* Half a viewport, from sixteenths, with its sign. One without extent clips everything to a line. */
    l.raster.half_width = (double)state->xy.half_width / 16;
    l.raster.half_height = (double)state->xy.half_height / 16;
    l.raster.half_width = isfinite(l.raster.half_width) && l.raster.half_width ? l.raster.half_width : 0.5;
    l.raster.half_height =
        isfinite(l.raster.half_height) && l.raster.half_height ? l.raster.half_height : 0.5;
    l.raster.z_scale = state->z.scale;
    l.raster.z_offset = state->z.offset;
    l.raster.varyings = 3; /* the weights */
    l.raster.fault = b->options->fault;
    l.raster.ideal = b->options->ideal;
    if (SIM_FAULT(&l.raster, clip_absolute))
        l.raster.half_height = fabs(l.raster.half_height);
    const struct qpusim_cl_clip_window *w = &state->window;
    l.min_x = (int)w->left;
    l.min_y = (int)w->bottom;
    l.max_x = least((int)(w->left + w->width), (int)(bin->mode.width * bin->tile_width));
    l.max_y = least((int)(w->bottom + w->height), (int)(bin->mode.height * bin->tile_height));
    return shade_vertices(&l) && primitives(&l, mode);
}

/* --- records -------------------------------------------------------------------------------------------- */

static bool configure(struct qpusim_block *b, const struct qpusim_cl_binning_mode *mode) {
    struct sim_bin *bin = &b->bin;
    unsigned tiles = mode->width * mode->height;
    if (!tiles || tiles > MAX_TILES)
        return sim_block_fail(b, QPUSIM_BAD_LIST, "tiles", "%u by %u tiles", (unsigned)mode->width,
                              (unsigned)mode->height);
    if (!sim_memory_at(b->memory, mode->tile_state, (size_t)48 * tiles))
        return sim_block_fail_address(b, "the tile state data array", mode->tile_state, (size_t)48 * tiles);
    if (tiles > bin->tiles) {
        free(bin->tile);
        bin->tile = malloc(tiles * sizeof *bin->tile);
    }
    bin->tiles = bin->tile ? tiles : 0;
    if (!bin->tile)
        return sim_block_no_memory(b);
    bin->mode = *mode;
    bin->configured = true;
    bin->started = false;
    sim_tile_size(mode->multisample, mode->color64, &bin->tile_width, &bin->tile_height);
    for (unsigned i = 0; i < SIM_ITEMS; i++)
        bin->item[i].stamp = 0;
    bin->stamp = 0;
    bin->positions.count = 0;
    if (bin->positions.entry)
        memset(bin->positions.entry, 0, ((size_t)bin->positions.mask + 1) * sizeof *bin->positions.entry);
    return sim_tile_lists_begin(b);
}

static bool flush(struct qpusim_block *b, bool all_state) {
    if (!b->bin.started)
        return sim_block_fail(b, QPUSIM_BAD_LIST, "start", "a flush comes before start_tile_binning");
    if (!sim_tile_lists_end(b, all_state))
        return false;
    b->bin.started = b->bin.configured = false;
    b->frames_binned++;
    b->control[SIM_BIN].flushes++;
    b->interrupts |= SIM_INT_FLUSHED;
    sim_control_frame_end(b, SIM_BIN);
    return true;
}

bool sim_bin_record(struct qpusim_block *b, const struct qpusim_record *r, const uint8_t *bytes) {
    struct sim_bin *bin = &b->bin;
    switch (r->code) {
    case QPUSIM_CL_BINNING_MODE: return configure(b, &r->u.binning_mode);
    case QPUSIM_CL_START_TILE_BINNING:
        if (!bin->configured)
            return sim_block_fail(b, QPUSIM_BAD_LIST, "start",
                                  "start_tile_binning comes before binning_mode");
        bin->started = true;
        return true;
    case QPUSIM_CL_INDEXED_PRIMITIVES:
    case QPUSIM_CL_ARRAY_PRIMITIVES: return primitive_list(b, r);
    case QPUSIM_CL_FLUSH: return flush(b, false);
    case QPUSIM_CL_FLUSH_ALL_STATE: return flush(b, true);
    default: break;
    }
    int item = sim_state_set(&b->control[SIM_BIN].state, r);
    if (item < 0)
        return sim_block_fail(b, QPUSIM_BAD_LIST, "where", "%s does not belong in a binning list",
                              qpusim_code_name(r->code));
    if (item < SIM_ITEMS) {
        memcpy(bin->item[item].bytes, bytes, r->size);
        bin->item[item].size = (uint8_t)r->size;
        /* State before the start is expected in the rendering list's own prefix. */
        bin->item[item].stamp = bin->started ? ++bin->stamp : 0;
    }
    return true;
}

void sim_bin_free(struct qpusim_block *b) {
    free(b->bin.tile);
    free(b->bin.slot);
    free(b->bin.index);
    free(b->bin.vertex);
    free(b->bin.positions.entry);
}
