/* The direct draw entry: vertices through both vertex stages, primitive assembly, and on to the fixed
 * function. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/draw.h"

#define MAX_VERTICES (1u << 24)
#define MAX_STREAM (1u << 24) /* words */

struct context {
    const struct qpusim_draw_info *draw;
    const struct qpusim_options *options;
    struct qpusim_error *error;
    struct qpusim_counters *counters;
    struct sim_clock clock;
    struct sim_batcher batcher;
    struct sim_raster_state raster;
    uint32_t *slot;  /* vertex index - lowest -> place in vertices, UINT32_MAX: not shaded */
    uint32_t *index; /* place -> vertex index */
    struct sim_vertex *vertex;
    uint32_t lowest, range, count;
};

static enum qpusim_status fail(struct qpusim_error *e, enum qpusim_status status, const char *text) {
    e->status = status;
    e->lane = -1;
    e->rule = status == QPUSIM_NO_MEMORY ? "memory" : "argument";
    snprintf(e->text, sizeof e->text, "%s", text);
    return status;
}

static unsigned attribute_mask(const struct qpusim_draw_info *d, uint8_t mask) {
    unsigned all = (1u << d->attribute_count) - 1;
    return mask ? mask & all : all;
}

static unsigned mask_rows(const struct qpusim_draw_info *d, unsigned mask) {
    unsigned rows = 0;
    for (unsigned i = 0; i < d->attribute_count; i++)
        if (mask >> i & 1)
            rows += d->attributes[i].components;
    return rows;
}

static const char *check_draw(const struct qpusim_target *t, const struct qpusim_draw_info *d) {
    if (!t || !d)
        return "no target or draw";
    const struct qpusim_shader *shaders[3] = {&d->fragment, &d->vertex, &d->coordinate};
    for (unsigned i = 0; i < 3; i++)
        if (!shaders[i]->program || shaders[i]->program->stage != (enum qpusim_stage)i)
            return "a shader is missing or of another stage";
    for (unsigned i = 0; i < 3; i++)
        if (shaders[i]->uniforms.count > MAX_STREAM)
            return "a uniform stream is too long";
    if (!d->attributes || !d->attribute_count || d->attribute_count > QPUSIM_MAX_ATTRIBUTES)
        return "1 to 8 attributes are needed";
    for (unsigned i = 0; i < d->attribute_count; i++)
        if (!d->attributes[i].data || !d->attributes[i].components || d->attributes[i].components > 16)
            return "an attribute has no data, or not 1 to 16 components";
    for (unsigned i = 0; i < d->attribute_count; i++)
        if (d->attributes[i].bytes && (d->attributes[i].bytes + 3) / 4 != d->attributes[i].components)
            return "an attribute's bytes do not fill its components";
    if (mask_rows(d, attribute_mask(d, d->vertex_attributes)) > QPUSIM_MAX_VPM_ROWS ||
        mask_rows(d, attribute_mask(d, d->coordinate_attributes)) > QPUSIM_MAX_VPM_ROWS)
        return "more than 64 attribute words";
    if (d->varying_count > QPUSIM_MAX_VARYINGS - 2)
        return "more than 32 varyings";
    if ((unsigned)d->mode > QPUSIM_TRIANGLE_FAN)
        return "unknown mode";
    if (!d->indices && (d->first > MAX_VERTICES || d->count > MAX_VERTICES))
        return "too many vertices";
    if (d->viewport_width > 4096 || d->viewport_height > 4096 || d->viewport_x < -4096 ||
        d->viewport_x > 4096 || d->viewport_y < -4096 || d->viewport_y > 4096)
        return "the viewport is out of range";
    return NULL;
}

static uint32_t vertex_index(const struct qpusim_draw_info *d, unsigned i) {
    return d->indices ? d->indices[d->first + i] : d->first + i;
}

/* Which vertices are used, each once, in order of first use. */
static bool collect_vertices(struct context *c) {
    const struct qpusim_draw_info *d = c->draw;
    uint32_t lo = UINT32_MAX, hi = 0;
    for (unsigned i = 0; i < d->count; i++) {
        uint32_t v = vertex_index(d, i);
        lo = v < lo ? v : lo;
        hi = v > hi ? v : hi;
    }
    if (hi - lo >= MAX_VERTICES) {
        fail(c->error, QPUSIM_BAD_ARGUMENT, "the indices span too wide a range");
        return false;
    }
    c->lowest = lo;
    c->range = hi - lo + 1;
    c->slot = malloc((size_t)c->range * sizeof *c->slot);
    size_t most = d->count < c->range ? d->count : c->range;
    c->index = malloc(most * sizeof *c->index);
    c->vertex = calloc(most, sizeof *c->vertex);
    if (!c->slot || !c->index || !c->vertex) {
        fail(c->error, QPUSIM_NO_MEMORY, "out of memory");
        return false;
    }
    memset(c->slot, 0xff, (size_t)c->range * sizeof *c->slot);
    for (unsigned i = 0; i < d->count; i++) {
        uint32_t v = vertex_index(d, i);
        if (c->slot[v - lo] != UINT32_MAX)
            continue;
        c->slot[v - lo] = c->count;
        c->index[c->count++] = v;
    }
    return true;
}

static void fetch_attributes(const struct context *c, unsigned mask, unsigned base, unsigned count,
                             struct qpusim_vertices *v) {
    const struct qpusim_draw_info *d = c->draw;
    v->count = count;
    v->row_count = 0;
    for (unsigned a = 0; a < d->attribute_count; a++) {
        if (!(mask >> a & 1))
            continue;
        const struct qpusim_attribute *at = &d->attributes[a];
        for (unsigned i = 0; i < count; i++) {
            const uint8_t *p = (const uint8_t *)at->data + (size_t)c->index[base + i] * at->stride;
            unsigned bytes = at->bytes ? at->bytes : 4 * at->components;
            for (unsigned k = 0; k < at->components; k++) {
                uint32_t word = 0x9e3779b9u * (i + k + 1); /* bits that nobody may rely on */
                memcpy(&word, p + 4 * k, bytes - 4 * k < 4 ? bytes - 4 * k : 4);
                v->rows[v->row_count + k][i] = word;
            }
        }
        v->row_count += at->components;
    }
}

/* One batch of one vertex stage. The thread's VPM holds the outputs afterwards. */
static bool shade(struct context *c, struct sim_thread *t, const struct qpusim_shader *shader,
                  const struct qpusim_vertices *in, unsigned outputs) {
    uint64_t start = c->clock.now;
    sim_thread_init(t, shader->program, c->options, c->error, &c->batcher.shared, &c->clock, c->counters);
    sim_thread_set_uniforms(t, &shader->uniforms, c->draw->memory);
    t->fragments = NULL;
    sim_thread_set_vertices(t, in);
    if (sim_thread_run(t) != SIM_STOP_END ||
        sim_thread_finish(t, outputs, c->draw->partial_uniforms) != SIM_STOP_END)
        return false;
    unsigned stage = shader->program->stage;
    c->counters->batches++;
    c->counters->stage_batches[stage]++;
    c->counters->instructions += t->executed;
    c->counters->stage_instructions[stage] += t->executed;
    c->counters->cycles += c->clock.now - start;
    c->counters->stage_cycles[stage] += c->clock.now - start;
    return true;
}

/* Figures 10 and 11 of the guide: what the two stages leave in the VPM. */
static void read_coordinate(const struct sim_thread *t, unsigned lane, struct sim_vertex *v) {
    for (unsigned i = 0; i < 4; i++)
        v->clip[i] = sim_float(t->vpm.out[i][lane]);
}

static void read_vertex(const struct context *c, const struct sim_thread *t, unsigned lane,
                        struct sim_vertex *v) {
    const struct qpusim_draw_info *d = c->draw;
    uint32_t xy = t->vpm.out[0][lane];
    v->x = (int16_t)(xy & 0xffff);
    v->y = (int16_t)(xy >> 16);
    v->z = sim_float(t->vpm.out[1][lane]);
    v->inv_w = sim_float(t->vpm.out[2][lane]);
    unsigned row = 3;
    v->size = d->point_size > 0 ? d->point_size : 1;
    if (d->point_size_written)
        v->size = sim_float(t->vpm.out[row++][lane]);
    for (unsigned i = 0; i < d->varying_count; i++)
        v->varying[i] = sim_float(t->vpm.out[row + i][lane]);
}

static bool shade_vertices(struct context *c, struct sim_thread *t) {
    const struct qpusim_draw_info *d = c->draw;
    struct qpusim_vertices *in = calloc(1, sizeof *in);
    if (!in) {
        fail(c->error, QPUSIM_NO_MEMORY, "out of memory");
        return false;
    }
    unsigned size = d->point_size_written;
    bool ok = true;
    for (unsigned base = 0; base < c->count && ok; base += SIM_LANES) {
        unsigned n = c->count - base < SIM_LANES ? c->count - base : SIM_LANES;
        uint32_t fixed[4][SIM_LANES];
        fetch_attributes(c, attribute_mask(d, d->coordinate_attributes), base, n, in);
        ok = shade(c, t, &d->coordinate, in, 7 + size);
        if (!ok)
            break;
        for (unsigned i = 0; i < n; i++)
            read_coordinate(t, i, &c->vertex[base + i]);
        memcpy(fixed, t->vpm.out[4], sizeof fixed);
        fetch_attributes(c, attribute_mask(d, d->vertex_attributes), base, n, in);
        ok = shade(c, t, &d->vertex, in, 3 + size + d->varying_count);
        for (unsigned i = 0; i < n && ok; i++) {
            read_vertex(c, t, i, &c->vertex[base + i]);
            for (unsigned r = 0; r < 3 + size; r++) {
                if (fixed[r][i] != t->vpm.out[r][i]) {
                    c->counters->position_mismatches++;
                    break;
                }
            }
        }
    }
    free(in);
    return ok;
}

static const struct sim_vertex *vertex(const struct context *c, unsigned i) {
    return &c->vertex[c->slot[vertex_index(c->draw, i) - c->lowest]];
}

static bool draw_primitives(struct context *c) {
    const struct sim_raster_state *s = &c->raster;
    unsigned n = c->draw->count;
    switch (c->draw->mode) {
    case QPUSIM_POINTS:
        for (unsigned i = 0; i < n; i++)
            if (!sim_draw_point(s, vertex(c, i)))
                return false;
        return true;
    case QPUSIM_LINES:
        for (unsigned i = 0; i + 1 < n; i += 2)
            if (!sim_draw_line(s, vertex(c, i), vertex(c, i + 1)))
                return false;
        return true;
    case QPUSIM_LINE_STRIP:
    case QPUSIM_LINE_LOOP:
        for (unsigned i = 0; i + 1 < n; i++)
            if (!sim_draw_line(s, vertex(c, i), vertex(c, i + 1)))
                return false;
        return c->draw->mode == QPUSIM_LINE_STRIP || n < 2 ||
               sim_draw_line(s, vertex(c, n - 1), vertex(c, 0));
    case QPUSIM_TRIANGLES:
        for (unsigned i = 0; i + 2 < n; i += 3)
            if (!sim_draw_triangle(s, vertex(c, i), vertex(c, i + 1), vertex(c, i + 2)))
                return false;
        return true;
    case QPUSIM_TRIANGLE_STRIP: /* every other one turned, the last vertex stays last */
        for (unsigned i = 0; i + 2 < n; i++)
            if (!sim_draw_triangle(s, vertex(c, i + (i & 1)), vertex(c, i + 1 - (i & 1)), vertex(c, i + 2)))
                return false;
        return true;
    default:
        for (unsigned i = 1; i + 1 < n; i++)
            if (!sim_draw_triangle(s, vertex(c, 0), vertex(c, i), vertex(c, i + 1)))
                return false;
        return true;
    }
}

/* Pixels that viewport, window and target have in common, along one axis. A window may end beyond what an int
 * holds. */
static void intersect(int viewport, int viewport_size, int64_t window, int64_t window_size, int size,
                      int *min, int *max) {
    int64_t from = viewport > window ? viewport : window, to = viewport + viewport_size;
    to = to < window + window_size ? to : window + window_size;
    *min = from < 0 ? 0 : from > size ? size : (int)from;
    *max = to < 0 ? 0 : to > size ? size : (int)to;
}

static void set_up(struct context *c, struct qpusim_target *target) {
    const struct qpusim_draw_info *d = c->draw;
    int vx = d->viewport_x, vy = d->viewport_y;
    int vw = (int)d->viewport_width, vh = (int)d->viewport_height;
    if (!vx && !vy && !vw && !vh) {
        vw = (int)target->width;
        vh = (int)target->height;
    }
    struct sim_raster_state *s = &c->raster;
    s->batcher = &c->batcher;
    s->counters = c->counters;
    s->center_x = vx * 16 + vw * 8;
    s->center_y = vy * 16 + vh * 8;
    s->half_width = vw ? vw / 2.0 : 0.5;
    s->half_height = vh ? vh / 2.0 : 0.5;
    double near = d->depth_near, far = d->depth_far;
    if (near == 0 && far == 0)
        far = 1;
    s->z_scale = (far - near) / 2;
    s->z_offset = (far + near) / 2;
    bool whole = !d->scissor_x && !d->scissor_y && !d->scissor_width && !d->scissor_height;
    intersect(vx, vw, d->scissor_x, whole ? target->width : d->scissor_width, (int)target->width, &s->min_x,
              &s->max_x);
    intersect(vy, vh, d->scissor_y, whole ? target->height : d->scissor_height, (int)target->height,
              &s->min_y, &s->max_y);
    s->cull = d->cull;
    s->clockwise_front = d->clockwise_front;
    s->offset_factor = d->depth_offset_factor;
    s->offset_units = d->depth_offset_units;
    s->varyings = d->varying_count;
    s->flat = d->flat_varyings;
    s->line_width = d->line_width > 0 ? d->line_width : 1;

    struct sim_batcher *b = &c->batcher;
    b->target = target;
    b->program = d->fragment.program;
    b->uniforms = d->fragment.uniforms;
    b->memory = d->memory;
    b->options = c->options;
    b->error = c->error;
    b->counters = c->counters;
    b->clock = &c->clock;
    b->depth_test = d->depth_test;
    b->depth_write = d->depth_write;
    b->depth_func = d->depth_func;
    b->partial_uniforms = d->partial_uniforms;
    b->varying_words = d->varying_count + (d->mode == QPUSIM_POINTS       ? 2
                                           : d->mode <= QPUSIM_LINE_STRIP ? 1
                                                                          : 0);
}

enum qpusim_status qpusim_draw(struct qpusim_target *target, const struct qpusim_draw_info *draw,
                               const struct qpusim_options *options, struct qpusim_error *error) {
    static const struct qpusim_options defaults;
    struct qpusim_error local_error;
    struct qpusim_counters local_counters = {0};
    if (!error)
        error = &local_error;
    memset(error, 0, sizeof *error);
    error->lane = -1;
    const char *bad = check_draw(target, draw);
    if (bad)
        return fail(error, QPUSIM_BAD_ARGUMENT, bad);
    if (!draw->count)
        return QPUSIM_OK;
    struct context *c = calloc(1, sizeof *c);
    struct sim_thread *threads = aligned_alloc(_Alignof(struct sim_thread), 2 * sizeof *threads);
    if (!c || !threads) {
        free(c);
        free(threads);
        return fail(error, QPUSIM_NO_MEMORY, "out of memory");
    }
    c->draw = draw;
    c->options = options ? options : &defaults;
    c->error = error;
    c->counters = c->options->counters ? c->options->counters : &local_counters;
    c->batcher.thread[0] = &threads[0];
    c->batcher.thread[1] = &threads[1];
    set_up(c, target);
    if (collect_vertices(c) && shade_vertices(c, &threads[0]) && draw_primitives(c))
        sim_batch_flush(&c->batcher);
    free(c->slot);
    free(c->index);
    free(c->vertex);
    free(c);
    free(threads);
    return error->status;
}
