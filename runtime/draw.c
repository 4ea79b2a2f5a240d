/* The direct draw entry: vertices through both vertex stages, primitive assembly, then tile by tile through the
 * fixed function and the fragment shader. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/draw.h"
#include "runtime/jobs.h"

#define MAX_VERTICES (1u << 24)
#define MAX_STREAM (1u << 24) /* words */

struct context {
    const struct qpusim_draw_info *draw;
    const struct qpusim_options *options;
    struct qpusim_error *error;
    struct qpusim_counters *counters;
    struct sim_clock clock;
    struct sim_shared shared;
    struct sim_raster_state raster;
    struct sim_assembly assembly;
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
                  const struct qpusim_vertices *in, const uint32_t *index, unsigned outputs) {
    uint64_t start = c->clock.now;
    sim_thread_init(t, shader->program, c->options, c->error, &c->shared, &c->clock, c->counters);
    sim_thread_set_uniforms(t, &shader->uniforms, c->draw->memory);
    t->fragments = NULL;
    sim_thread_set_vertices(t, in);
    sim_trace_select(t, NULL, index, in->count);
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
        ok = shade(c, t, &d->coordinate, in, &c->index[base], 7 + size);
        if (!ok)
            break;
        for (unsigned i = 0; i < n; i++)
            read_coordinate(t, i, &c->vertex[base + i]);
        memcpy(fixed, t->vpm.out[4], sizeof fixed);
        fetch_attributes(c, attribute_mask(d, d->vertex_attributes), base, n, in);
        ok = shade(c, t, &d->vertex, in, &c->index[base], 3 + size + d->varying_count);
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

static bool triangle(struct context *c, unsigned i0, unsigned i1, unsigned i2) {
    return sim_assemble_triangle(&c->raster, &c->assembly, vertex(c, i0), vertex(c, i1), vertex(c, i2));
}
static bool line(struct context *c, unsigned i0, unsigned i1) {
    return sim_assemble_line(&c->raster, &c->assembly, vertex(c, i0), vertex(c, i1));
}

static bool assemble(struct context *c) {
    unsigned n = c->draw->count;
    bool ok = true;
    switch (c->draw->mode) {
    case QPUSIM_POINTS:
        for (unsigned i = 0; i < n && ok; i++)
            ok = sim_assemble_point(&c->raster, &c->assembly, vertex(c, i));
        break;
    case QPUSIM_LINES:
        for (unsigned i = 0; i + 1 < n && ok; i += 2)
            ok = line(c, i, i + 1);
        break;
    case QPUSIM_LINE_STRIP:
    case QPUSIM_LINE_LOOP:
        for (unsigned i = 0; i + 1 < n && ok; i++)
            ok = line(c, i, i + 1);
        if (c->draw->mode == QPUSIM_LINE_LOOP && n >= 2 && ok)
            ok = line(c, n - 1, 0);
        break;
    case QPUSIM_TRIANGLES:
        for (unsigned i = 0; i + 2 < n && ok; i += 3)
            ok = triangle(c, i, i + 1, i + 2);
        break;
    case QPUSIM_TRIANGLE_STRIP: /* every other one turned, the last vertex stays last */
        for (unsigned i = 0; i + 2 < n && ok; i++)
            ok = triangle(c, i + (i & 1), i + 1 - (i & 1), i + 2);
        break;
    default:
        for (unsigned i = 1; i + 1 < n && ok; i++)
            ok = triangle(c, 0, i, i + 1);
        break;
    }
    if (!ok)
        fail(c->error, QPUSIM_NO_MEMORY, "out of memory");
    return ok;
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
}

/* --- tiles ---------------------------------------------------------------------------------------------- */

/* What one tile needs while it is drawn, and what comes of it. */
struct place {
    struct sim_thread thread[2];
    struct sim_tile tile;
    struct sim_batcher batcher;
    struct sim_clock clock;
    struct qpusim_counters counters;
    struct qpusim_error error;
};

/* All tiles that a draw touches, each with its primitives in drawing order. */
struct tiles {
    struct context *context;
    struct qpusim_target *target;
    unsigned columns, count;
    struct tile_list {
        unsigned tile, first, count; /* in `primitive` */
    } * list;
    unsigned *primitive;
    struct place *place;
};

static void set_batcher(const struct context *c, struct place *p) {
    const struct qpusim_draw_info *d = c->draw;
    struct sim_batcher *b = &p->batcher;
    memset(&b->shared, 0, sizeof b->shared);
    b->batch[0].live = b->batch[0].coverage = b->batch[0].back = 0;
    b->batch[1].live = b->batch[1].coverage = b->batch[1].back = 0;
    b->quads[0] = b->quads[1] = b->filling = 0;
    b->waiting = false;
    b->tile = &p->tile;
    b->program = d->fragment.program;
    b->uniforms = d->fragment.uniforms;
    b->memory = d->memory;
    b->options = c->options;
    b->error = &p->error;
    b->counters = &p->counters;
    b->clock = &p->clock;
    b->depth_test = d->depth_test;
    b->depth_write = d->depth_write;
    b->depth_func = d->depth_func;
    b->partial_uniforms = d->partial_uniforms;
    b->varying_words = d->varying_count + (d->mode == QPUSIM_POINTS       ? 2
                                           : d->mode <= QPUSIM_LINE_STRIP ? 1
                                                                          : 0);
    b->thread[0] = &p->thread[0];
    b->thread[1] = &p->thread[1];
}

/* Between the tile and the target's pixels. */
static void copy_tile(struct sim_tile *t, struct qpusim_target *target, bool store) {
    unsigned columns = target->width - (unsigned)t->x, rows = target->height - (unsigned)t->y;
    columns = columns < t->width ? columns : t->width;
    rows = rows < t->height ? rows : t->height;
    for (unsigned y = 0; y < rows; y++) {
        size_t at = (size_t)((unsigned)t->y + y) * target->width + (unsigned)t->x;
        unsigned i = sim_tile_sample(t, 0, y);
        if (store) {
            memcpy(&target->color[at], &t->color[i], columns * sizeof *t->color);
            memcpy(&target->depth[at], &t->depth[i], columns * sizeof *t->depth);
            memcpy(&target->stencil[at], &t->stencil[i], columns);
        } else {
            memcpy(&t->color[i], &target->color[at], columns * sizeof *t->color);
            memcpy(&t->depth[i], &target->depth[at], columns * sizeof *t->depth);
            memcpy(&t->stencil[i], &target->stencil[at], columns);
        }
    }
}

static void draw_tile(void *user, unsigned slot, unsigned index) {
    struct tiles *all = user;
    struct place *p = &all->place[slot];
    const struct tile_list *list = &all->list[index];
    struct sim_raster_state raster = all->context->raster;
    uint64_t *branches = p->counters.branches[QPUSIM_FRAGMENT];
    memset(&p->counters, 0, sizeof p->counters);
    p->counters.branches[QPUSIM_FRAGMENT] = branches;
    memset(&p->clock, 0, sizeof p->clock);
    memset(&p->error, 0, sizeof p->error);
    p->error.lane = -1;
    set_batcher(all->context, p);
    raster.batcher = &p->batcher;
    raster.counters = &p->counters;
    p->tile.x = (int)(list->tile % all->columns * p->tile.width);
    p->tile.y = (int)(list->tile / all->columns * p->tile.height);
    copy_tile(&p->tile, all->target, false);
    for (unsigned i = 0; i < list->count; i++)
        if (!sim_raster(&raster, &all->context->assembly.primitive[all->primitive[list->first + i]]))
            return;
    sim_batch_flush(&p->batcher);
}

static bool take_tile(void *user, unsigned slot, unsigned index) {
    struct tiles *all = user;
    struct place *p = &all->place[slot];
    struct context *c = all->context;
    (void)index;
    copy_tile(&p->tile, all->target, true);
    sim_counters_add(c->counters, &p->counters, (const size_t[3]){c->draw->fragment.program->count});
    if (p->error.status != QPUSIM_OK)
        *c->error = p->error;
    return p->error.status == QPUSIM_OK;
}

/* Which tiles have which primitives: counted first, then filled in. */
static bool bin(struct tiles *all, unsigned tile_width, unsigned tile_height) {
    const struct sim_assembly *a = &all->context->assembly;
    all->columns = (all->target->width + tile_width - 1) / tile_width;
    unsigned tiles = all->columns * ((all->target->height + tile_height - 1) / tile_height);
    size_t total = 0;
    all->list = calloc(tiles, sizeof *all->list);
    if (!all->list)
        return false;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < a->count; i++) {
            const struct sim_primitive *p = &a->primitive[i];
            for (unsigned y = (unsigned)p->min_y / tile_height; y <= (unsigned)(p->max_y - 1) / tile_height;
                 y++)
                for (unsigned x = (unsigned)p->min_x / tile_width; x <= (unsigned)(p->max_x - 1) / tile_width;
                     x++) {
                    struct tile_list *l = &all->list[y * all->columns + x];
                    if (pass)
                        all->primitive[l->first + l->count] = i;
                    l->count++;
                    total++;
                }
        }
        if (pass)
            break;
        all->primitive = total && total < UINT32_MAX ? malloc(total * sizeof *all->primitive) : NULL;
        if (!all->primitive)
            return !total;
        unsigned first = 0;
        for (unsigned i = 0; i < tiles; i++) {
            all->list[i].first = first;
            first += all->list[i].count;
            all->list[i].count = 0;
        }
    }
    for (unsigned i = 0; i < tiles; i++) {
        all->list[i].tile = i;
        if (all->list[i].count)
            all->list[all->count++] = all->list[i];
    }
    return true;
}

/* More threads than one pay from here on. */
#define PARALLEL_TILES 4

static bool draw_tiles(struct context *c, struct qpusim_target *target) {
    struct tiles all = {.context = c, .target = target};
    unsigned width, height, slots = 1;
    sim_tile_size(false, false, &width, &height);
    bool ok = bin(&all, width, height);
    if (ok && all.count) {
        struct sim_jobs jobs = {.count = all.count, .user = &all, .work = draw_tile, .take = take_tile};
        jobs.threads = c->options->trace || all.count < PARALLEL_TILES ? 1 : c->options->threads;
        if (jobs.threads > 1)
            slots = jobs.threads < 16 ? 2 * jobs.threads : 32;
        jobs.slots = slots;
        size_t n = c->draw->fragment.program->count;
        all.place = aligned_alloc(_Alignof(struct place), slots * sizeof *all.place);
        for (unsigned i = 0; i < slots && all.place; i++) {
            struct place *p = &all.place[i];
            sim_tile_configure(&p->tile, false, false);
            p->tile.early_off = true;
            memset(&p->counters, 0, sizeof p->counters);
            if (c->counters->branches[QPUSIM_FRAGMENT])
                ok &= (p->counters.branches[QPUSIM_FRAGMENT] = calloc(n, sizeof(uint64_t))) != NULL;
        }
        ok &= all.place != NULL;
        if (ok)
            sim_jobs_run(&jobs);
        for (unsigned i = 0; i < slots && all.place; i++)
            free(all.place[i].counters.branches[QPUSIM_FRAGMENT]);
        free(all.place);
    }
    if (!ok)
        fail(c->error, QPUSIM_NO_MEMORY, "out of memory");
    free(all.list);
    free(all.primitive);
    return ok;
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
    struct sim_thread *thread = aligned_alloc(_Alignof(struct sim_thread), sizeof *thread);
    if (!c || !thread) {
        free(c);
        free(thread);
        return fail(error, QPUSIM_NO_MEMORY, "out of memory");
    }
    c->draw = draw;
    c->options = options ? options : &defaults;
    c->error = error;
    c->counters = c->options->counters ? c->options->counters : &local_counters;
    set_up(c, target);
    if (collect_vertices(c) && shade_vertices(c, thread) && assemble(c))
        draw_tiles(c, target);
    sim_assembly_free(&c->assembly);
    free(c->slot);
    free(c->index);
    free(c->vertex);
    free(c);
    free(thread);
    return error->status;
}
