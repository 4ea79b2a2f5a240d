/* Draws tiles: what a rendering list has made of each, on as many threads as the options say.
 *
 * A job runs up to its first store to memory on any thread, with a tile buffer, QPU threads, vertices and
 * counters of its own. The rest of it, in most lists its stores alone, is done when its turn comes, so
 * pictures, counters and errors do not depend on the number of threads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/front/block.h"
#include "runtime/jobs.h"

#define PARALLEL_JOBS 4     /* more threads than one pay from here on */
#define RUN_PRIMITIVES 4096 /* whose vertices are held at a time */

/* Vertices shaded for the tile, found by their index. */
struct cache {
    const struct sim_shader *shader;
    struct {
        uint32_t stamp, place;
    } * entry;
    uint32_t entries, stamp;
    struct sim_vertex *vertex;
    size_t count, capacity;
    uint32_t *fresh; /* indices that wait to be shaded */
    size_t fresh_capacity;
};

struct place {
    struct sim_thread thread[2];
    struct qpusim_vertices in;
    struct sim_tile tile;
    struct sim_batcher batcher;
    struct sim_clock clock;
    struct sim_shared shared;
    struct qpusim_counters counters;
    struct qpusim_error error;
    uint64_t count[QPUSIM_COUNTS];
    struct cache cache;
    struct sim_costs costs;
    uint32_t op, end; /* what is left of the job */
    uint32_t loads;   /* waiting ones, just before `op` */
    bool first;       /* continues with the tile buffer of the job before */
    struct sim_set_up set_up;
    struct sim_vertex clipped[3];
};

struct drawing {
    struct qpusim_block *b;
    struct place *place;
    size_t instructions[3]; /* of the programs that branches are counted in */
};

static bool fail(struct place *p, enum qpusim_status status, const char *rule, const char *text) {
    if (p->error.status == QPUSIM_OK) {
        p->error.status = status;
        p->error.rule = rule;
        p->error.lane = -1;
        snprintf(p->error.text, sizeof p->error.text, "%s", text);
    }
    return false;
}

static bool no_memory(struct place *p) {
    return fail(p, QPUSIM_NO_MEMORY, "memory", "out of memory");
}

static struct sim_worker worker(const struct qpusim_block *b, struct place *p) {
    return (struct sim_worker){
        b->memory, b->shader_memory, b->options,    &p->error, &p->counters,
        &p->clock, &p->shared,       &p->thread[0], &p->in,    b->timing ? &p->costs : NULL};
}

/* --- vertices ------------------------------------------------------------------------------------------- */

static void forget(struct cache *c, const struct sim_shader *shader) {
    c->shader = shader;
    c->count = 0;
    if (++c->stamp == 0) {
        memset(c->entry, 0, (size_t)c->entries * sizeof *c->entry);
        c->stamp = 1;
    }
}

static bool cache_room(struct cache *c, uint32_t index) {
    if (index < c->entries)
        return true;
    uint32_t n = c->entries ? c->entries : 1024;
    while (n <= index)
        n *= 2;
    void *grown = realloc(c->entry, (size_t)n * sizeof *c->entry);
    if (!grown)
        return false;
    c->entry = grown;
    memset(c->entry + c->entries, 0, (size_t)(n - c->entries) * sizeof *c->entry);
    c->entries = n;
    return true;
}

static void take_vertex(struct sim_vertex *v, const struct sim_shader *s, float size, const uint32_t *row,
                        size_t step) {
    v->x = (int16_t)(row[0] & 0xffff);
    v->y = (int16_t)(row[0] >> 16);
    v->z = sim_float(row[step]);
    v->inv_w = sim_float(row[2 * step]);
    v->size = s->point_size ? sim_float(row[3 * step]) : size;
    v->made = false;
    for (unsigned i = 0, at = 3 + s->point_size; i < s->varyings; i++)
        v->varying[i] = sim_float(row[(at + i) * step]);
}

/* Programs may compute Zs in another way in each stage, as long as both mean the same number. */
static bool same_depth(float z, float other) {
    float size = fmaxf(1, fmaxf(fabsf(z), fabsf(other)));
    return !isfinite(size) || fabsf(z - other) <= size / 256;
}

static bool shade(struct qpusim_block *b, struct place *p, const struct sim_gl_state *state, uint32_t base,
                  unsigned count) {
    const struct sim_worker w = worker(b, p);
    const struct sim_shader *s = state->shader;
    struct sim_vertex *v = p->cache.vertex + p->cache.count - count;
    if (!sim_shade_vertices(&w, s, QPUSIM_VERTEX, p->cache.fresh + base, count))
        return false;
    for (unsigned i = 0; i < count; i++) {
        const struct sim_position *said = sim_positions_get(&b->bin.positions, s, p->cache.fresh[base + i]);
        bool agree = true;
        for (unsigned k = 0; said && k < 3u + s->point_size; k++) {
            uint32_t word = p->thread[0].vpm.out[k][i];
            agree &=
                said->word[k] == word || (k == 1 && same_depth(sim_float(said->word[k]), sim_float(word)));
        }
        p->counters.position_mismatches += !agree;
        take_vertex(&v[i], s, state->point_size, &p->thread[0].vpm.out[0][i], SIM_LANES);
    }
    return true;
}

static bool fetch_shaded(struct qpusim_block *b, struct place *p, const struct sim_gl_state *state,
                         uint32_t index) {
    const struct sim_worker w = worker(b, p);
    const struct sim_shader *s = state->shader;
    uint32_t address = s->vertices + index * s->stride + (s->clip_header ? 16 : 0),
             word[4 + QPUSIM_MAX_VARYINGS];
    size_t size = 4 * (3 + (size_t)s->point_size + s->varyings);
    const uint8_t *bytes = sim_memory_at(b->memory, address, size);
    if (!bytes)
        return sim_worker_fail_address(&w, "a shaded vertex", address, size);
    memcpy(word, bytes, size);
    take_vertex(&p->cache.vertex[p->cache.count - 1], s, state->point_size, word, 1);
    return true;
}

/* Shades what the primitives need and the tile does not have yet. */
static bool shade_vertices(struct qpusim_block *b, struct place *p, const struct sim_tile_op *op,
                           uint32_t first, uint32_t count) {
    const struct sim_gl_state *state = &b->render.state[op->state];
    struct cache *c = &p->cache;
    size_t fresh = 0, most = (size_t)count * (op->type + 1);
    if (c->shader != state->shader)
        forget(c, state->shader);
    if (most > c->fresh_capacity) {
        free(c->fresh);
        c->fresh = malloc(most * sizeof *c->fresh);
        c->fresh_capacity = c->fresh ? most : 0;
    }
    if (!c->fresh)
        return no_memory(p);
    for (uint32_t i = first; i < first + count; i++) {
        for (unsigned k = 0; k <= op->type; k++) {
            uint32_t index = b->render.primitive[i].index[k];
            if (!cache_room(c, index))
                return no_memory(p);
            if (c->entry[index].stamp == c->stamp)
                continue;
            c->entry[index].stamp = c->stamp;
            c->entry[index].place = (uint32_t)(c->count + fresh);
            c->fresh[fresh++] = index;
        }
    }
    if (c->count + fresh > c->capacity) {
        size_t n = 2 * (c->count + fresh);
        struct sim_vertex *grown = realloc(c->vertex, n * sizeof *grown);
        if (!grown)
            return no_memory(p);
        c->vertex = grown;
        c->capacity = n;
    }
    unsigned batch = state->shader->nv ? 1 : SIM_LANES;
    for (size_t base = 0; base < fresh; base += batch) {
        unsigned n = fresh - base < batch ? (unsigned)(fresh - base) : batch;
        c->count += n;
        if (!(state->shader->nv ? fetch_shaded(b, p, state, c->fresh[base])
                                : shade(b, p, state, (uint32_t)base, n)))
            return false;
    }
    return true;
}

/* --- primitives ----------------------------------------------------------------------------------------- */

/* The corners that clipping made; the other ones stay. */
static bool read_clipped(struct qpusim_block *b, struct place *p, uint32_t clip, unsigned count,
                         unsigned varyings, const struct sim_vertex *v[3]) {
    const struct sim_vertex *const own[3] = {v[0], v[1], v[2]};
    const struct sim_worker w = worker(b, p);
    uint32_t address = clip & ~7u;
    for (unsigned i = 0; i < count; i++) {
        struct qpusim_record r;
        if (!(clip >> i & 1))
            continue;
        const uint8_t *bytes = sim_memory_at(b->memory, address, 32);
        if (!qpusim_read_data(QPUSIM_CL_CLIPPED_VERTEX, bytes, bytes ? 32 : 0, &r))
            return sim_worker_fail_address(&w, "a clipped vertex", address, 32);
        const struct qpusim_cl_clipped_vertex *c = &r.u.clipped_vertex;
        struct sim_vertex *to = &p->clipped[i];
        address += 32;
        to->x = c->x;
        to->y = c->y;
        to->z = c->z;
        to->inv_w = c->inv_w;
        to->size = own[i]->size;
        to->made = true;
        for (unsigned k = 0; k < varyings; k++)
            to->varying[k] =
                (float)((double)c->weight0 * own[0]->varying[k] + (double)c->weight1 * own[1]->varying[k] +
                        (count > 2 ? (double)c->weight2 * own[2]->varying[k] : 0));
        v[i] = to;
    }
    return true;
}

static float number(float f) {
    return isfinite(f) ? f : 0;
}

static void set_state(struct qpusim_block *b, struct place *p, const struct sim_gl_state *s, unsigned type,
                      struct sim_raster_state *raster) {
    const struct sim_shader *shader = s->shader;
    *raster = (struct sim_raster_state){
        .batcher = &p->batcher,
        .center_x = s->viewport.x,
        .center_y = s->viewport.y,
        .min_x = (int)s->window.left,
        .min_y = (int)s->window.bottom,
        .max_x = (int)(s->window.left + s->window.width),
        .max_y = (int)(s->window.bottom + s->window.height),
        .cull = (s->config.front_facing ? 0 : QPUSIM_CULL_FRONT) |
                (s->config.reverse_facing ? 0 : QPUSIM_CULL_BACK),
        .clockwise_front = s->config.clockwise,
        .offset_factor = s->config.depth_offset ? number(s->depth_offset.factor) : 0,
        .offset_units = s->config.depth_offset ? number(s->depth_offset.units) : 0,
        .coverage = s->config.coverage_pipe,
        .oversample = s->config.oversample,
        .coverage_update = s->config.coverage_update,
        .z_clip = s->z_clip,
        .min_z = s->z_planes.min_zw,
        .max_z = s->z_planes.max_zw,
        .varyings = shader->varyings,
        .flat = s->flat,
        .line_width = number(s->line_width),
        .counters = &p->counters,
        .fault = b->options->fault,
        .ideal = b->options->ideal,
    };
    struct sim_batcher *t = &p->batcher;
    t->tile = &p->tile;
    t->program = shader->stage[QPUSIM_FRAGMENT].program;
    t->uniforms = shader->stage[QPUSIM_FRAGMENT].uniforms;
    t->partial_uniforms = shader->partial[QPUSIM_FRAGMENT];
    t->memory = b->shader_memory;
    t->options = b->options;
    t->error = &p->error;
    t->counters = &p->counters;
    t->clock = &p->clock;
    t->depth_test = true;
    t->depth_write = s->config.depth_write;
    t->depth_func = s->config.depth_func;
    t->coverage_bits = s->config.coverage_read;
    t->coverage_left = s->config.coverage_leave;
    t->early_test = s->config.early_z;
    t->early_update = s->config.early_z_updates;
    t->varying_words = shader->varyings + (type == 0 ? 2 : type == 1 ? 1 : 0);
    t->costs = b->timing ? &p->costs : NULL;
    t->thread[0] = &p->thread[0];
    t->thread[1] = &p->thread[1];
}

static bool draw_run(struct qpusim_block *b, struct place *p, const struct sim_tile_op *op,
                     const struct sim_raster_state *raster, uint32_t first, uint32_t count) {
    if (!shade_vertices(b, p, op, first, count))
        return false;
    const struct cache *c = &p->cache;
    for (uint32_t i = first; i < first + count; i++) {
        const struct sim_render_primitive *in = &b->render.primitive[i];
        const struct sim_vertex *v[3] = {NULL, NULL, NULL};
        for (unsigned k = 0; k <= op->type; k++)
            v[k] = &c->vertex[c->entry[in->index[k]].place];
        const float *flat = v[SIM_FAULT(raster, flat_first) ? 0 : op->type]->varying;
        if (in->clip && !read_clipped(b, p, in->clip, op->type + 1, raster->varyings, v))
            return false;
        unsigned n = sim_set_up(raster, op->type, v, flat, &p->set_up);
        p->count[QPUSIM_COUNT_PRIMITIVES]++;
        p->costs.primitives++;
        p->count[QPUSIM_COUNT_PRIMITIVES_REVERSED] += !n;
        uint64_t pixels = p->counters.pixels;
        for (unsigned k = 0; k < n; k++)
            if (!sim_raster(raster, &p->set_up.primitive[k]))
                return false;
        p->count[QPUSIM_COUNT_PRIMITIVES_WITHOUT_PIXELS] += pixels == p->counters.pixels;
    }
    return true;
}

static bool draw(struct qpusim_block *b, struct place *p, const struct sim_tile_op *op) {
    struct sim_raster_state raster;
    set_state(b, p, &b->render.state[op->state], op->type, &raster);
    for (uint32_t done = 0; done < op->count; done += RUN_PRIMITIVES) {
        uint32_t n = op->count - done < RUN_PRIMITIVES ? op->count - done : RUN_PRIMITIVES;
        if (!draw_run(b, p, op, &raster, op->first + done, n))
            return false;
        if (n == RUN_PRIMITIVES) /* the next run begins with no vertices: nothing waits that points at one */
            forget(&p->cache, NULL);
    }
    return sim_batch_flush(&p->batcher);
}

/* --- loads and stores ----------------------------------------------------------------------------------- */

static struct sim_surface surface(const struct qpusim_block *b, uint32_t address, unsigned format,
                                  unsigned pixel, unsigned decimate) {
    const struct qpusim_cl_rendering_mode *m = &b->render.mode;
    return (struct sim_surface){address,
                                m->width,
                                m->height,
                                (enum sim_memory_format)format,
                                (enum sim_pixel_format)pixel,
                                (enum sim_decimate)decimate};
}

/* Between the tile and a target's pixels, which are no image in memory. */
static void copy_target(struct sim_tile *t, struct qpusim_target *target, enum sim_tile_buffer buffer,
                        bool store) {
    unsigned columns = target->width - (unsigned)t->x, rows = target->height - (unsigned)t->y;
    columns = columns < t->width ? columns : t->width;
    rows = rows < t->height ? rows : t->height;
    for (unsigned y = 0; y < rows && buffer; y++) {
        size_t at = (size_t)((unsigned)t->y + y) * target->width + (unsigned)t->x;
        unsigned i = sim_tile_sample(t, 0, y);
        uint32_t *here = buffer == SIM_BUFFER_COLOR ? &t->color[i] : &t->depth[i];
        uint32_t *there = buffer == SIM_BUFFER_COLOR ? &target->color[at] : &target->depth[at];
        memcpy(store ? there : here, store ? here : there, columns * sizeof *here);
        if (buffer == SIM_BUFFER_ZS)
            memcpy(store ? &target->stencil[at] : &t->stencil[i],
                   store ? &t->stencil[i] : &target->stencil[at], columns);
    }
}

static bool load(struct qpusim_block *b, struct place *p, const struct sim_tile_op *op) {
    const struct qpusim_record *r = &op->what;
    if (r->code == QPUSIM_CL_LOAD_FULL) {
        const struct qpusim_cl_load_full *l = &r->u.load_full;
        return sim_tile_reload(&p->tile, b->memory, l->address, !l->no_color, !l->no_zs, &p->error);
    }
    const struct qpusim_cl_load_general *l = &r->u.load_general;
    if (b->direct) {
        copy_target(&p->tile, b->direct->target, (enum sim_tile_buffer)l->buffer, false);
        return true;
    }
    if (l->buffer == SIM_BUFFER_FULL)
        return sim_tile_reload(&p->tile, b->memory, l->address, !l->no_color, !l->no_zs, &p->error);
    const struct sim_surface s = surface(b, l->address, l->format, l->pixel, SIM_DECIMATE_NONE);
    return sim_tile_load(&p->tile, b->memory, &s, (enum sim_tile_buffer)l->buffer, &p->error);
}

static void clear(struct sim_tile *t) {
    sim_tile_clear(t, true, true);
    sim_tile_clear_alpha(t);
}

static bool store(struct qpusim_block *b, struct place *p, const struct sim_tile_op *op) {
    const struct qpusim_record *r = &op->what;
    const struct qpusim_cl_rendering_mode *m = &b->render.mode;
    if (r->code == QPUSIM_CL_STORE_FULL) {
        const struct qpusim_cl_store_full *s = &r->u.store_full;
        if (!sim_tile_dump(&p->tile, b->memory, s->address, !s->no_color, !s->no_zs, &p->error))
            return false;
        if (!s->no_clear)
            clear(&p->tile);
        return true;
    }
    if (r->code == QPUSIM_CL_STORE_GENERAL) {
        const struct qpusim_cl_store_general *s = &r->u.store_general;
        const struct sim_surface to = surface(b, s->address, s->format, s->pixel, s->decimate);
        bool ok = true;
        if (b->direct)
            copy_target(&p->tile, b->direct->target, (enum sim_tile_buffer)s->buffer, true);
        else
            ok = s->buffer == SIM_BUFFER_FULL
                     ? sim_tile_dump(&p->tile, b->memory, s->address, !s->no_color, !s->no_zs, &p->error)
                     : sim_tile_store(&p->tile, b->memory, &to, (enum sim_tile_buffer)s->buffer, &p->error);
        if (ok)
            sim_tile_clear(&p->tile, !s->no_color_clear, !s->no_zs_clear);
        if (ok && !s->no_vg_mask_clear)
            sim_tile_clear_alpha(&p->tile);
        return ok;
    }
    /* Records 24 and 25 store as the rendering mode says, whose formats have other numbers. */
    static const enum sim_pixel_format pixel[4] = {SIM_PIXEL_BGR565_DITHERED, SIM_PIXEL_RGBA8888,
                                                   SIM_PIXEL_BGR565, SIM_PIXEL_RGBA8888};
    enum sim_decimate decimate =
        m->multisample && m->decimate == SIM_DECIMATE_NONE ? SIM_DECIMATE_4 : (enum sim_decimate)m->decimate;
    const struct sim_surface to = surface(b, m->address, m->format, pixel[m->pixel & 3], decimate);
    if (!sim_tile_store(&p->tile, b->memory, &to, SIM_BUFFER_COLOR, &p->error))
        return false;
    clear(&p->tile);
    return true;
}

/* --- jobs ----------------------------------------------------------------------------------------------- */

/* Does the store write memory? One that names no buffer stands between two loads (guide section 9). */
static bool writes(const struct sim_tile_op *op) {
    return op->kind == SIM_OP_STORE &&
           (op->what.code != QPUSIM_CL_STORE_GENERAL || op->what.u.store_general.buffer != SIM_BUFFER_NONE);
}

/* Goes on with the job; with `stores` false up to the first store that writes memory. */
static bool go_on(struct qpusim_block *b, struct place *p, bool stores) {
    for (; p->op < p->end; p->op++) {
        const struct sim_tile_op *op = &b->render.op[p->op];
        bool ok = true;
        if (!stores && writes(op))
            return true;
        switch (op->kind) {
        case SIM_OP_LOAD: p->loads++; continue;
        case SIM_OP_TILE:
            p->tile.x = (int)(op->first * p->tile.width);
            p->tile.y = (int)(op->count * p->tile.height);
            for (; p->loads && ok; p->loads--)
                ok = load(b, p, op - p->loads);
            break;
        case SIM_OP_PRIMITIVES: ok = draw(b, p, op); break;
        case SIM_OP_STORE: ok = store(b, p, op); break;
        }
        p->loads = 0;
        if (!ok) {
            p->error.record = op->record;
            return false;
        }
    }
    return true;
}

static void work(void *user, unsigned slot, unsigned index) {
    struct drawing *d = user;
    struct qpusim_block *b = d->b;
    struct place *p = &d->place[slot];
    const struct sim_tile_job *job = &b->render.job[index];
    uint64_t *branches[3];
    memcpy(branches, p->counters.branches, sizeof branches);
    memset(&p->counters, 0, sizeof p->counters);
    memcpy(p->counters.branches, branches, sizeof branches);
    memset(&p->clock, 0, sizeof p->clock);
    memset(&p->shared, 0, sizeof p->shared);
    memset(&p->batcher, 0, offsetof(struct sim_batcher, batch));
    p->batcher.batch[0].live = p->batcher.batch[0].coverage = p->batcher.batch[0].back = 0;
    p->batcher.batch[1].live = p->batcher.batch[1].coverage = p->batcher.batch[1].back = 0;
    p->batcher.filling = p->batcher.quads[0] = p->batcher.quads[1] = 0;
    p->batcher.waiting = false;
    sim_costs_clear(&p->costs);
    if (b->timing)
        p->shared.samplers.lines = p->batcher.shared.samplers.lines = &p->costs.lines;
    memset(&p->error, 0, sizeof p->error);
    memset(p->count, 0, sizeof p->count);
    p->error.lane = -1;
    p->op = job->first;
    p->end = job->first + job->count;
    p->loads = 0;
    forget(&p->cache, NULL);
    if (index == 0)
        p->tile = *b->tile;
    else
        clear(&p->tile);
    go_on(b, p, false);
}

static void take_costs(struct qpusim_block *b, struct place *p) {
    for (size_t i = 0; i < p->costs.count; i++) {
        struct sim_cost *c = &p->costs.cost[i];
        c->column = (uint16_t)(p->tile.x / (int)p->tile.width);
        c->row = (uint16_t)(p->tile.y / (int)p->tile.height);
        c->code = sim_code_address(b, c->program);
    }
    sim_timing_take(b->timing, &p->costs);
}

static void count_quads(const struct sim_batcher *t, uint64_t count[QPUSIM_COUNTS]) {
    count[QPUSIM_COUNT_QUADS_CLIPPED] += t->quads_clipped;
    count[QPUSIM_COUNT_QUADS] += t->quads_seen;
    count[QPUSIM_COUNT_QUADS_FAILING_STENCIL] += t->quads_tested.failing_stencil;
    count[QPUSIM_COUNT_QUADS_FAILING_Z] += t->quads_tested.failing_z;
    count[QPUSIM_COUNT_QUADS_PASSING] += t->quads_tested.passing;
    count[QPUSIM_COUNT_QUADS_UNCOVERED] += t->quads_tested.uncovered;
    count[QPUSIM_COUNT_QUADS_COVERED] += t->quads_tested.covered;
    count[QPUSIM_COUNT_QUADS_WRITTEN] += t->quads_tested.written;
}

static bool take(void *user, unsigned slot, unsigned index) {
    struct drawing *d = user;
    struct qpusim_block *b = d->b;
    struct place *p = &d->place[slot];
    bool ok = p->error.status == QPUSIM_OK && go_on(b, p, true);
    sim_counters_add(b->counters, &p->counters, d->instructions);
    if (b->timing)
        take_costs(b, p);
    count_quads(&p->batcher, p->count);
    if (SIM_FAULT(b->options, count_pixels))
        p->count[QPUSIM_COUNT_QUADS] = p->counters.pixels;
    for (unsigned i = 0; i < QPUSIM_COUNTS; i++)
        b->count[i] += p->count[i];
    if (!ok)
        *b->error = p->error;
    if (index + 1 == b->render.jobs)
        *b->tile = p->tile;
    return ok;
}

/* The tile buffer in the frame's configuration; a new configuration finds it cleared. */
static void configure(struct qpusim_block *b) {
    const struct qpusim_cl_rendering_mode *m = &b->render.mode;
    if (b->tile->multisample != m->multisample || b->tile->color64 != m->color64 || !b->tile->width) {
        sim_tile_configure(b->tile, m->multisample, m->color64);
        b->tile->clear = b->render.clear;
        clear(b->tile);
    }
    b->tile->clear = b->render.clear;
    b->tile->alpha_mask = m->vg_mask;
    b->tile->coverage = m->coverage;
    b->tile->early_off = m->no_early_z;
    b->tile->early_greater = m->early_z_direction;
    b->tile->fault = b->options->fault;
}

bool sim_tile_jobs(struct qpusim_block *b) {
    struct drawing d = {.b = b};
    struct sim_jobs jobs = {
        .count = (unsigned)b->render.jobs, .slots = 1, .user = &d, .work = work, .take = take};
    bool ok = true;
    configure(b);
    jobs.threads = b->options->trace || jobs.count < PARALLEL_JOBS ? 1 : b->options->threads;
    if (jobs.threads > 1)
        jobs.slots = jobs.threads < 16 ? 2 * jobs.threads : 32;
    d.place = aligned_alloc(_Alignof(struct place), jobs.slots * sizeof *d.place);
    if (!d.place)
        return sim_block_no_memory(b);
    for (unsigned i = 0; b->direct && i < 3; i++)
        d.instructions[i] = b->direct->shader[i].program->count;
    for (unsigned i = 0; i < jobs.slots; i++) {
        struct place *p = &d.place[i];
        p->tile = *b->tile;
        memset(&p->cache, 0, sizeof p->cache);
        memset(&p->costs, 0, sizeof p->costs);
        memset(&p->counters, 0, sizeof p->counters);
        memset(&p->batcher, 0, sizeof p->batcher);
        for (unsigned s = 0; s < 3; s++)
            if (d.instructions[s] && b->counters->branches[s])
                ok &= (p->counters.branches[s] = calloc(d.instructions[s], sizeof(uint64_t))) != NULL;
    }
    if (ok)
        sim_jobs_run(&jobs);
    else
        sim_block_no_memory(b);
    for (unsigned i = 0; i < jobs.slots; i++) {
        struct place *p = &d.place[i];
        for (unsigned s = 0; s < 3; s++)
            free(p->counters.branches[s]);
        free(p->cache.entry);
        free(p->cache.vertex);
        free(p->cache.fresh);
        sim_costs_free(&p->costs);
    }
    free(d.place);
    return b->error->status == QPUSIM_OK;
}
