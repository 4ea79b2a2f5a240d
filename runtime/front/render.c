/* The renderer's list: reads a rendering list with the tile lists that it links, and makes of it what happens
 * to the tile buffer from one clearing to the next. Such a job shares nothing with the others, so several are
 * drawn at a time (tile_job.c); what they say and store comes in the list's order. */
#include <stdlib.h>

#include "runtime/front/block.h"

#define FLUSH_PRIMITIVES (1u << 20) /* draw what is complete before the list takes more memory than this */

static struct sim_tile_op *add_op(struct qpusim_block *b, unsigned kind) {
    struct sim_render *r = &b->render;
    if (!sim_grow(&r->op, &r->op_capacity, r->ops, sizeof *r->op)) {
        sim_block_no_memory(b);
        return NULL;
    }
    struct sim_tile_op *op = &r->op[r->ops++];
    memset(op, 0, sizeof *op);
    op->kind = kind;
    op->record = b->record;
    return op;
}

/* --- primitives ----------------------------------------------------------------------------------------- */

/* The operation that further primitives of this type and the present state go to. */
static struct sim_tile_op *primitives(struct qpusim_block *b, unsigned type) {
    struct sim_render *r = &b->render;
    struct sim_tile_op *last = r->ops ? &r->op[r->ops - 1] : NULL;
    if (!r->tile_set) {
        sim_block_fail(b, QPUSIM_BAD_LIST, "tile", "primitives come before tile_coordinates");
        return NULL;
    }
    if (last && last->kind == SIM_OP_PRIMITIVES && last->type == type && !r->state_changed)
        return last;
    struct sim_gl_state *state = &b->control[SIM_RENDER].state;
    if (state->config.coverage_pipe && !r->mode.coverage) {
        sim_block_fail(b, QPUSIM_BAD_LIST, "coverage",
                       "primitives for the coverage pipe, and the frame has none");
        return NULL;
    }
    if (state->config.oversample == 3) {
        sim_block_fail(b, QPUSIM_BAD_LIST, "coverage", "there is no oversample mode 3");
        return NULL;
    }
    if (!sim_state_shader(b, state))
        return NULL;
    if (r->state_changed || !r->states) {
        if (!sim_grow(&r->state, &r->state_capacity, r->states, sizeof *r->state)) {
            sim_block_no_memory(b);
            return NULL;
        }
        r->state[r->states++] = *state;
        r->state_changed = false;
    }
    struct sim_tile_op *op = add_op(b, SIM_OP_PRIMITIVES);
    if (!op)
        return NULL;
    op->type = type;
    op->first = (uint32_t)r->primitives;
    op->state = (uint32_t)r->states - 1;
    return op;
}

static bool add_primitive(struct qpusim_block *b, struct sim_tile_op *op, const uint32_t index[3],
                          uint32_t clip) {
    struct sim_render *r = &b->render;
    if (!sim_block_item(b))
        return false;
    if (!sim_grow(&r->primitive, &r->primitive_capacity, r->primitives, sizeof *r->primitive))
        return sim_block_no_memory(b);
    r->primitive[r->primitives++] = (struct sim_render_primitive){{index[0], index[1], index[2]}, clip};
    op->count++;
    return true;
}

/* A compressed list, from where the thread is to its escape code. */
static bool compressed(struct qpusim_block *b, uint32_t clip) {
    struct sim_control *c = &b->control[SIM_RENDER];
    const struct qpusim_cl_primitive_list_format *f = &c->state.format;
    struct qpusim_primitive_coder coder = {.primitive = f->primitive, .data = f->data};
    if (f->primitive > 2 || f->data == 3)
        return sim_block_fail(b, QPUSIM_BAD_LIST, "vg",
                              "lists of %s belong to the VG mode, which this machine lacks",
                              f->primitive > 2 ? "RHTs" : "coordinates");
    struct sim_tile_op *op = primitives(b, f->primitive);
    if (!op)
        return false;
    const uint8_t *bytes = NULL, *end = NULL;
    for (;;) {
        uint32_t index[3];
        int32_t branch;
        unsigned used;
        if (!bytes) {
            size_t rest = sim_memory_rest(b->memory, c->current);
            if (!rest)
                return sim_block_fail_address(b, "a compressed list", c->current, 1);
            bytes = sim_memory_at(b->memory, c->current, 1);
            end = bytes + rest;
        }
        switch (qpusim_read_primitive(&coder, bytes, (size_t)(end - bytes), index, &branch, &used)) {
        case QPUSIM_ITEM_PRIMITIVE:
            if (!add_primitive(b, op, index, clip))
                return false;
            clip = 0;
            bytes += used;
            c->current += used;
            break;
        case QPUSIM_ITEM_BRANCH:
            c->current = (c->current & ~31u) + (uint32_t)branch;
            bytes = NULL;
            if (!sim_block_item(b))
                return false;
            break;
        case QPUSIM_ITEM_END: c->current += used; return true;
        default:
            return sim_block_fail(b, QPUSIM_BAD_LIST, "compressed",
                                  "the code 0x%02x at 0x%08x of a compressed list is reserved, cut off or "
                                  "relative to no primitive",
                                  bytes[0], (unsigned)c->current);
        }
    }
}

/* Primitives as an application gives them, without binning: nothing clips them. */
static bool direct(struct qpusim_block *b, const struct qpusim_record *r) {
    bool indexed = r->code == QPUSIM_CL_INDEXED_PRIMITIVES;
    const struct qpusim_cl_indexed_primitives *e = &r->u.indexed_primitives;
    const struct qpusim_cl_array_primitives *a = &r->u.array_primitives;
    uint32_t n = indexed ? e->count : a->count;
    unsigned mode = indexed ? e->mode : a->mode, size = indexed && e->index_type ? 2 : 1;
    if (mode > 6 || (indexed && e->index_type > 1))
        return sim_block_fail(b, QPUSIM_BAD_LIST, "mode", "there is no primitive mode %u or index type %u",
                              mode, indexed ? (unsigned)e->index_type : 0);
    if (!indexed && (a->first >= SIM_MAX_VERTICES || n > SIM_MAX_VERTICES - a->first))
        return sim_block_fail(b, QPUSIM_BAD_LIST, "index", "vertices beyond 24 bits of index");
    const uint8_t *indices = indexed ? sim_memory_at(b->memory, e->address, (size_t)n * size) : NULL;
    if (indexed && n && !indices)
        return sim_block_fail_address(b, "the indices", e->address, (size_t)n * size);
    unsigned type = mode == 0 ? 0 : mode < 4 ? 1 : 2, first = type == 2 ? 2 : type;
    struct sim_tile_op *op = n ? primitives(b, type) : NULL;
    if (!op)
        return !n;
    uint32_t last = mode == 2 && n > 1 ? n : n - 1; /* a loop has one line more */
    for (uint32_t i = first; i <= last && n > first; i++) {
        if ((mode == 1 && !(i & 1)) || (mode == 4 && i % 3 != 2))
            continue;
        uint32_t at[3] = {i, 0, 0}, index[3] = {0, 0, 0};
        if (type == 1) {
            at[0] = i - 1;
            at[1] = i % n;
        } else if (type == 2) {
            bool turned = mode == 5 && i & 1;
            at[0] = mode == 6 ? 0 : i - 2 + turned;
            at[1] = i - 1 - turned;
            at[2] = i;
        }
        for (unsigned k = 0; k <= type; k++) {
            index[k] = !indexed    ? a->first + at[k]
                       : size == 1 ? indices[at[k]]
                                   : (uint32_t)indices[2 * (size_t)at[k]] |
                                         (uint32_t)indices[2 * (size_t)at[k] + 1] << 8;
            if (indexed && index[k] > e->max_index)
                return sim_block_fail(b, QPUSIM_BAD_LIST, "index", "index %u is greater than the maximum, %u",
                                      (unsigned)index[k], (unsigned)e->max_index);
        }
        if (!add_primitive(b, op, index, 0))
            return false;
    }
    return true;
}

/* --- tiles ---------------------------------------------------------------------------------------------- */

static bool end_job(struct qpusim_block *b) {
    struct sim_render *r = &b->render;
    uint32_t first = r->jobs ? r->job[r->jobs - 1].first + r->job[r->jobs - 1].count : 0;
    if (first == r->ops)
        return true;
    if (!sim_grow(&r->job, &r->job_capacity, r->jobs, sizeof *r->job))
        return sim_block_no_memory(b);
    r->job[r->jobs++] = (struct sim_tile_job){first, (uint32_t)r->ops - first};
    return r->primitives < FLUSH_PRIMITIVES || sim_render_flush(b);
}

static bool store(struct qpusim_block *b, const struct qpusim_record *record) {
    struct sim_render *r = &b->render;
    bool clears = true, last = false;
    if (!r->tile_set)
        return sim_block_fail(b, QPUSIM_BAD_LIST, "tile", "a store comes before tile_coordinates");
    struct sim_tile_op *op = add_op(b, SIM_OP_STORE);
    if (!op)
        return false;
    op->what = *record;
    switch (record->code) {
    case QPUSIM_CL_STORE_RESOLVED_LAST: last = true; break;
    case QPUSIM_CL_STORE_FULL:
        clears = !record->u.store_full.no_clear;
        last = record->u.store_full.last;
        break;
    case QPUSIM_CL_STORE_GENERAL:
        clears = !record->u.store_general.no_color_clear && !record->u.store_general.no_zs_clear &&
                 (!r->mode.vg_mask || !record->u.store_general.no_vg_mask_clear);
        last = record->u.store_general.last;
        break;
    default: break;
    }
    if (clears && !r->loads && !end_job(b))
        return false;
    if (last) {
        if (!sim_render_flush(b))
            return false;
        b->frames_rendered++;
        b->interrupts |= SIM_INT_FRAME;
        r->in_frame = false;
        sim_control_frame_end(b, SIM_RENDER);
    }
    return true;
}

static bool load(struct qpusim_block *b, const struct qpusim_record *record) {
    struct sim_render *r = &b->render;
    if (r->loads && !b->options->lenient)
        return sim_block_fail(b, QPUSIM_BAD_LIST, "load",
                              "a load waits for tile coordinates, and only one can (guide section 9)");
    struct sim_tile_op *op = add_op(b, SIM_OP_LOAD);
    if (!op)
        return false;
    op->what = *record;
    r->loads++;
    return true;
}

static bool configure(struct qpusim_block *b, const struct qpusim_cl_rendering_mode *mode) {
    struct sim_render *r = &b->render;
    if (mode->coverage && (mode->multisample || mode->color64))
        return sim_block_fail(b, QPUSIM_BAD_LIST, "coverage",
                              "a frame with coverage has one sample a pixel and 32 bits a colour");
    if (!sim_render_flush(b))
        return false;
    r->mode = *mode;
    r->configured = r->in_frame = true;
    r->tile_set = false;
    r->loads = 0;
    return true;
}

bool sim_render_record(struct qpusim_block *b, const struct qpusim_record *record) {
    struct sim_render *r = &b->render;
    struct sim_tile_op *op;
    switch (record->code) {
    case QPUSIM_CL_RENDERING_MODE: return configure(b, &record->u.rendering_mode);
    case QPUSIM_CL_CLEAR_COLORS:
        if (!sim_render_flush(b))
            return false;
        r->clear = (struct sim_clear){{record->u.clear_colors.color, record->u.clear_colors.color_high},
                                      record->u.clear_colors.z,
                                      (uint8_t)record->u.clear_colors.stencil,
                                      (uint8_t)record->u.clear_colors.vg_mask};
        return true;
    default: break;
    }
    int item = sim_state_set(&b->control[SIM_RENDER].state, record);
    if (item >= 0) {
        r->state_changed = true;
        return true;
    }
    if (!r->configured)
        return sim_block_fail(b, QPUSIM_BAD_LIST, "mode", "%s comes before rendering_mode",
                              qpusim_code_name(record->code));
    switch (record->code) {
    case QPUSIM_CL_TILE_COORDINATES:
        if (!(op = add_op(b, SIM_OP_TILE)))
            return false;
        op->first = record->u.tile_coordinates.column;
        op->count = record->u.tile_coordinates.row;
        r->tile_set = true;
        r->loads = 0;
        return true;
    case QPUSIM_CL_LOAD_FULL:
    case QPUSIM_CL_LOAD_GENERAL: return load(b, record);
    case QPUSIM_CL_STORE_RESOLVED:
    case QPUSIM_CL_STORE_RESOLVED_LAST:
    case QPUSIM_CL_STORE_FULL:
    case QPUSIM_CL_STORE_GENERAL: return store(b, record);
    case QPUSIM_CL_COMPRESSED_PRIMITIVES: return compressed(b, 0);
    case QPUSIM_CL_CLIPPED_PRIMITIVE:
        return compressed(b, record->u.clipped_primitive.address | record->u.clipped_primitive.clipped);
    case QPUSIM_CL_INDEXED_PRIMITIVES:
    case QPUSIM_CL_ARRAY_PRIMITIVES: return direct(b, record);
    default:
        return sim_block_fail(b, QPUSIM_BAD_LIST, "where", "%s does not belong in a rendering list",
                              qpusim_code_name(record->code));
    }
}

bool sim_render_flush(struct qpusim_block *b) {
    struct sim_render *r = &b->render;
    uint32_t first = r->jobs ? r->job[r->jobs - 1].first + r->job[r->jobs - 1].count : 0;
    bool open = first < r->ops; /* a job that is not complete: its tile buffer is carried on */
    if (open) {
        if (!sim_grow(&r->job, &r->job_capacity, r->jobs, sizeof *r->job))
            return sim_block_no_memory(b);
        r->job[r->jobs++] = (struct sim_tile_job){first, (uint32_t)r->ops - first};
    }
    bool ok = !r->jobs || sim_tile_jobs(b);
    if (r->jobs)
        r->carried = open;
    r->ops = r->jobs = r->primitives = r->states = 0;
    r->state_changed = true;
    return ok;
}

void sim_render_free(struct qpusim_block *b) {
    free(b->render.op);
    free(b->render.job);
    free(b->render.primitive);
    free(b->render.state);
}
