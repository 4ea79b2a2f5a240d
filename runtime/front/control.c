/* The control list executor (guide sections 8 and 9): reads records one after another, follows branches and
 * sub-lists, waits for semaphores, and hands everything else to the binner or the renderer. */
#include "runtime/front/block.h"

#define MAX_SEMAPHORE 7 /* three bits of CTnCS */

int sim_state_set(struct sim_gl_state *s, const struct qpusim_record *r) {
    switch (r->code) {
    case QPUSIM_CL_PRIMITIVE_LIST_FORMAT: s->format = r->u.primitive_list_format; return SIM_ITEM_FORMAT;
    case QPUSIM_CL_GL_SHADER_STATE:
    case QPUSIM_CL_NV_SHADER_STATE:
        s->shader_state = *r;
        s->shader = NULL;
        return SIM_ITEM_SHADER;
    case QPUSIM_CL_CONFIGURATION_BITS: s->config = r->u.configuration_bits; return SIM_ITEM_CONFIG;
    case QPUSIM_CL_FLAT_SHADE_FLAGS: s->flat = r->u.flat_shade_flags.varyings; return SIM_ITEM_FLAT;
    case QPUSIM_CL_POINT_SIZE: s->point_size = r->u.point_size.pixels; return SIM_ITEM_POINT_SIZE;
    case QPUSIM_CL_LINE_WIDTH: s->line_width = r->u.line_width.pixels; return SIM_ITEM_LINE_WIDTH;
    case QPUSIM_CL_RHT_X_BOUNDARY: return SIM_ITEM_RHT;
    case QPUSIM_CL_DEPTH_OFFSET: s->depth_offset = r->u.depth_offset; return SIM_ITEM_DEPTH_OFFSET;
    case QPUSIM_CL_CLIP_WINDOW: s->window = r->u.clip_window; return SIM_ITEM_CLIP_WINDOW;
    case QPUSIM_CL_VIEWPORT_OFFSET: s->viewport = r->u.viewport_offset; return SIM_ITEM_VIEWPORT;
    case QPUSIM_CL_Z_CLIP_PLANES:
        s->z_planes = r->u.z_clip_planes;
        s->z_clip = true;
        return SIM_ITEM_Z_PLANES;
    case QPUSIM_CL_CLIPPER_XY_SCALING: s->xy = r->u.clipper_xy_scaling; return SIM_ITEM_XY_SCALING;
    case QPUSIM_CL_CLIPPER_Z_SCALING: s->z = r->u.clipper_z_scaling; return SIM_ITEM_Z_SCALING;
    default: return -1;
    }
}

struct sim_shader *sim_state_shader(struct qpusim_block *b, struct sim_gl_state *s) {
    if (!s->shader_state.code)
        sim_block_fail(b, QPUSIM_BAD_LIST, "shader-state", "primitives need a shader state before them");
    else if (!s->shader)
        s->shader = sim_shader_find(b, &s->shader_state);
    return s->shader;
}

void sim_control_frame_end(struct qpusim_block *b, unsigned thread) {
    struct sim_control *c = &b->control[thread], *other = &b->control[1 - thread];
    other->semaphore += c->pending;
    if (other->semaphore > MAX_SEMAPHORE)
        other->semaphore = MAX_SEMAPHORE;
    c->pending = 0;
}

static bool in_frame(const struct qpusim_block *b, unsigned thread) {
    return thread == SIM_BIN ? b->bin.started : b->render.in_frame;
}

/* Records that steer the thread itself. 1: done, 0: another kind, -1: failed. */
static int steer(struct qpusim_block *b, unsigned thread, const struct qpusim_record *r) {
    struct sim_control *c = &b->control[thread];
    switch (r->code) {
    case QPUSIM_CL_HALT:
        c->running = false;
        c->halted = true;
        return 1;
    case QPUSIM_CL_NOP: return 1;
    case QPUSIM_CL_BRANCH: c->current = r->u.branch.address; return 1;
    case QPUSIM_CL_BRANCH_TO_SUB_LIST:
        if (c->depth == sizeof c->back / sizeof *c->back)
            return sim_block_fail(b, QPUSIM_BAD_LIST, "nesting", "sub-lists nest at most two levels deep")
                       ? 1
                       : -1;
        c->back[c->depth++] = c->current;
        c->current = r->u.branch_to_sub_list.address;
        return 1;
    case QPUSIM_CL_RETURN:
        c->returns++;
        if (c->depth)
            c->current = c->back[--c->depth];
        return 1;
    case QPUSIM_CL_INCREMENT_SEMAPHORE:
        c->pending++;
        if (!in_frame(b, thread))
            sim_control_frame_end(b, thread);
        return 1;
    case QPUSIM_CL_WAIT_ON_SEMAPHORE:
        if (c->semaphore) {
            c->semaphore--;
            return 1;
        }
        c->stalled = true;
        c->current -= r->size; /* again when it goes on */
        return 1;
    default: return 0;
    }
}

static bool step(struct qpusim_block *b, unsigned thread) {
    struct sim_control *c = &b->control[thread];
    struct qpusim_record record;
    b->record = c->current;
    size_t rest = sim_memory_rest(b->memory, c->current);
    if (!rest)
        return sim_block_fail_address(b, "the control list", c->current, 1);
    const uint8_t *bytes = sim_memory_at(b->memory, c->current, 1);
    unsigned size = qpusim_read_record(bytes, rest, &record);
    if (!size && qpusim_code_name(bytes[0]))
        return sim_block_fail_address(b, "a record", c->current, rest + 1);
    if (!size)
        return sim_block_fail(b, QPUSIM_BAD_LIST, "code", "no record has code %u", bytes[0]);
    enum qpusim_where where = qpusim_code_where(record.code);
    if (where == QPUSIM_WHERE_VG)
        return sim_block_fail(b, QPUSIM_BAD_LIST, "vg", "%s: this machine has no VG mode",
                              qpusim_code_name(record.code));
    if (where == (thread == SIM_BIN ? QPUSIM_WHERE_RENDER : QPUSIM_WHERE_BIN))
        return sim_block_fail(b, QPUSIM_BAD_LIST, "where", "%s does not belong in a %s list",
                              qpusim_code_name(record.code), thread == SIM_BIN ? "binning" : "rendering");
    if (!sim_block_item(b))
        return false;
    c->current += size;
    int steered = steer(b, thread, &record);
    if (steered)
        return steered > 0;
    return thread == SIM_BIN ? sim_bin_record(b, &record, bytes) : sim_render_record(b, &record);
}

bool sim_control_run(struct qpusim_block *b, unsigned thread, bool *moved) {
    struct sim_control *c = &b->control[thread];
    c->stalled = false;
    while (c->running && !c->stalled && (c->depth || c->current != c->end)) {
        uint32_t before = c->current;
        if (!step(b, thread)) {
            c->running = false;
            c->failed = true;
            return false;
        }
        *moved |= !c->stalled;
        if (!c->depth && before < c->end && c->current > c->end && c->current - before < 16)
            return sim_block_fail(b, QPUSIM_BAD_LIST, "end", "the list's end lies within a record");
    }
    if (!c->stalled)
        c->running = false;
    if (thread == SIM_BIN && b->timing)
        sim_timing_binned(b);
    return thread == SIM_BIN || sim_render_flush(b);
}
