/* A draw as a driver makes it: a shader state record and two control lists, which the block then executes.
 *
 * Two things stay outside memory: the three programs, which come decoded, and the target, whose pixels are
 * copied where the rendering list loads and stores a tile (struct sim_direct). */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/front/block.h"

#define MAX_VERTICES SIM_MAX_VERTICES
#define MAX_STREAM SIM_MAX_STREAM
#define TILE 64

/* Where things lie in the address space of a draw's lists. */
#define RECORD_ADDRESS 0x00010000u
#define BIN_ADDRESS 0x00020000u
#define INDEX_ADDRESS 0x08000000u
#define TILE_ADDRESS 0x10000000u
#define RENDER_ADDRESS 0x14000000u
#define MORE_ADDRESS 0x18000000u      /* overspill memory */
#define ATTRIBUTE_ADDRESS 0x40000000u /* and above */
#define FIRST_POOL (32u << 10)        /* bytes of tile lists beyond the first block of each */

struct context {
    const struct qpusim_draw_info *draw;
    struct qpusim_target *target;
    struct qpusim_memory *memory;
    struct qpusim_block *block;
    struct qpusim_list record, bin, render;
    struct qpusim_attribute attributes[QPUSIM_MAX_ATTRIBUTES]; /* as the record has them */
    void *gathered[QPUSIM_MAX_ATTRIBUTES];
    uint16_t *indices; /* NULL: vertices in their order from `first` on */
    uint32_t first, vertices, max_index;
    uint32_t more, more_size; /* next overspill memory */
    unsigned columns, rows;   /* tiles */
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
    for (unsigned i = 0; i < d->attribute_count; i++)
        if (d->attributes[i].stride >= 1u << 26)
            return "an attribute's stride does not fit 26 bits";
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
    if (abs(2 * d->viewport_x + (int)d->viewport_width) >= 4096 ||
        abs(2 * d->viewport_y + (int)d->viewport_height) >= 4096)
        return "the viewport's centre is more than 2047 pixels away (record 103 has 16 bits of sixteenths)";
    return NULL;
}

/* --- vertices ------------------------------------------------------------------------------------------- */

/* Copies the attributes of the vertices in `index`, one after another. */
static bool gather(struct context *c, const uint32_t *index, uint32_t count) {
    for (unsigned a = 0; a < c->draw->attribute_count; a++) {
        struct qpusim_attribute *at = &c->attributes[a];
        size_t size = at->bytes ? at->bytes : 4 * at->components;
        uint8_t *to = malloc(size * count);
        c->gathered[a] = to;
        if (!to)
            return false;
        for (uint32_t i = 0; i < count; i++)
            memcpy(to + i * size, (const uint8_t *)at->data + (size_t)index[i] * at->stride, size);
        at->data = to;
        at->stride = (unsigned)size;
    }
    c->max_index = count - 1;
    return true;
}

/* Indices that a list cannot hold: the vertices are gathered, and numbered anew if few enough are
 * different. */
static bool renumber(struct context *c, uint32_t low, uint32_t high) {
    const struct qpusim_draw_info *d = c->draw;
    size_t range = (size_t)high - low + 1;
    uint32_t *number = malloc(range * sizeof *number), *index = malloc(d->count * sizeof *index), count = 0;
    bool ok = number && index;
    if (ok) {
        memset(number, 0xff, range * sizeof *number);
        for (unsigned i = 0; i < d->count; i++) {
            uint32_t v = d->indices[d->first + i];
            if (number[v - low] == UINT32_MAX) {
                number[v - low] = count;
                index[count++] = v;
            }
        }
        bool few = count <= 0x10000;
        for (unsigned i = 0; i < d->count; i++) {
            if (few)
                c->indices[i] = (uint16_t)number[d->indices[d->first + i] - low];
            else
                index[i] = d->indices[d->first + i];
        }
        ok = gather(c, index, few ? count : d->count);
        if (!few) {
            free(c->indices);
            c->indices = NULL;
            c->first = 0;
        }
    }
    free(number);
    free(index);
    return ok;
}

static const char no_memory[] = "out of memory";

/* NULL, or why not. */
static const char *number_vertices(struct context *c) {
    const struct qpusim_draw_info *d = c->draw;
    uint32_t low = UINT32_MAX, high = 0;
    memcpy(c->attributes, d->attributes, d->attribute_count * sizeof *c->attributes);
    c->first = d->first;
    c->max_index = d->first + d->count - 1;
    if (!d->indices)
        return c->max_index < MAX_VERTICES ? NULL : "too many vertices";
    for (unsigned i = 0; i < d->count; i++) {
        uint32_t v = d->indices[d->first + i];
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    if (high - low >= MAX_VERTICES)
        return "the indices span too wide a range";
    c->indices = malloc(d->count * sizeof *c->indices);
    if (!c->indices)
        return no_memory;
    c->max_index = high;
    if (high > 0xffff)
        return renumber(c, low, high) ? NULL : no_memory;
    for (unsigned i = 0; i < d->count; i++)
        c->indices[i] = (uint16_t)d->indices[d->first + i];
    return NULL;
}

/* Lends the attributes to the address space. NULL, or why not. */
static const char *place_attributes(struct context *c) {
    uint64_t address = ATTRIBUTE_ADDRESS;
    for (unsigned a = 0; a < c->draw->attribute_count; a++) {
        const struct qpusim_attribute *at = &c->attributes[a];
        unsigned bytes = at->bytes ? at->bytes : 4 * at->components;
        uint64_t size = (uint64_t)c->max_index * at->stride + bytes;
        if (size > 1u << 30 || address + size > 0xffffffffu)
            return "the attributes do not fit an address space of 32 bits";
        if (qpusim_memory_add(c->memory, (uint32_t)address, (size_t)size, (void *)at->data, "attribute") !=
            QPUSIM_OK)
            return no_memory;
        qpusim_put_attribute_record(
            &c->record,
            &(struct qpusim_cl_attribute_record){
                .address = (uint32_t)address,
                .bytes = bytes,
                .vertex_offset =
                    4 *
                    mask_rows(c->draw, ((1u << a) - 1) & attribute_mask(c->draw, c->draw->vertex_attributes)),
                .coordinate_offset =
                    4 * mask_rows(c->draw, ((1u << a) - 1) &
                                               attribute_mask(c->draw, c->draw->coordinate_attributes))});
        address = (address + size + 4095) & ~(uint64_t)4095;
    }
    return NULL;
}

/* --- lists ---------------------------------------------------------------------------------------------- */

static const char *write_record(struct context *c) {
    const struct qpusim_draw_info *d = c->draw;
    unsigned vertex = attribute_mask(d, d->vertex_attributes),
             coordinate = attribute_mask(d, d->coordinate_attributes);
    qpusim_put_gl_shader_record(&c->record, &(struct qpusim_cl_gl_shader_record){
                                                .single_threaded = !d->fragment.program->threaded,
                                                .point_size = d->point_size_written,
                                                .clipping = true,
                                                .varyings = d->varying_count,
                                                .vertex_attributes = vertex,
                                                .vertex_size = 4 * mask_rows(d, vertex) & 255,
                                                .coordinate_attributes = coordinate,
                                                .coordinate_size = 4 * mask_rows(d, coordinate) & 255});
    const char *bad = place_attributes(c);
    for (unsigned a = d->attribute_count; a < QPUSIM_MAX_ATTRIBUTES; a++)
        qpusim_put_attribute_record(&c->record, &(struct qpusim_cl_attribute_record){.bytes = 1});
    for (unsigned a = 0; a < QPUSIM_MAX_ATTRIBUTES; a++)
        qpusim_put_stride_record(&c->record, &(struct qpusim_cl_stride_record){c->attributes[a].stride});
    return bad;
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

static void put_window(struct context *c) {
    const struct qpusim_draw_info *d = c->draw;
    int vx = d->viewport_x, vy = d->viewport_y, width = (int)c->target->width,
        height = (int)c->target->height;
    int vw = (int)d->viewport_width, vh = (int)d->viewport_height, min_x, min_y, max_x, max_y;
    if (!vx && !vy && !vw && !vh) {
        vw = width;
        vh = height;
    }
    bool whole = !d->scissor_x && !d->scissor_y && !d->scissor_width && !d->scissor_height;
    intersect(vx, vw, d->scissor_x, whole ? c->target->width : d->scissor_width, width, &min_x, &max_x);
    intersect(vy, vh, d->scissor_y, whole ? c->target->height : d->scissor_height, height, &min_y, &max_y);
    qpusim_put_clip_window(
        &c->bin, &(struct qpusim_cl_clip_window){.left = (uint32_t)min_x,
                                                 .bottom = (uint32_t)min_y,
                                                 .width = (uint32_t)(max_x > min_x ? max_x - min_x : 0),
                                                 .height = (uint32_t)(max_y > min_y ? max_y - min_y : 0)});
    qpusim_put_viewport_offset(&c->bin,
                               &(struct qpusim_cl_viewport_offset){vx * 16 + vw * 8, vy * 16 + vh * 8});
    qpusim_put_clipper_xy_scaling(&c->bin,
                                  &(struct qpusim_cl_clipper_xy_scaling){(float)vw * 8, (float)vh * 8});
    float near = d->depth_near, far = d->depth_far;
    if (near == 0 && far == 0)
        far = 1;
    qpusim_put_clipper_z_scaling(&c->bin,
                                 &(struct qpusim_cl_clipper_z_scaling){(float)(((double)far - near) / 2),
                                                                       (float)(((double)far + near) / 2)});
}

static void write_bin_list(struct context *c) {
    const struct qpusim_draw_info *d = c->draw;
    unsigned tiles = c->columns * c->rows;
    c->more = MORE_ADDRESS;
    c->more_size = 1u << 18;
    qpusim_put_binning_mode(&c->bin,
                            &(struct qpusim_cl_binning_mode){.allocation = TILE_ADDRESS + 48 * 4096,
                                                             .allocation_size = 32 * tiles + FIRST_POOL,
                                                             .tile_state = TILE_ADDRESS,
                                                             .width = c->columns,
                                                             .height = c->rows,
                                                             .initialise = true,
                                                             .block = 2});
    qpusim_put_start_tile_binning(&c->bin);
    put_window(c);
    bool offset = d->depth_offset_factor != 0 || d->depth_offset_units != 0;
    qpusim_put_configuration_bits(
        &c->bin, &(struct qpusim_cl_configuration_bits){
                     .front_facing = d->cull != QPUSIM_CULL_FRONT && d->cull != QPUSIM_CULL_BOTH,
                     .reverse_facing = d->cull != QPUSIM_CULL_BACK && d->cull != QPUSIM_CULL_BOTH,
                     .clockwise = d->clockwise_front,
                     .depth_offset = offset,
                     .depth_func = d->depth_test ? d->depth_func : QPUSIM_FUNC_ALWAYS,
                     .depth_write = d->depth_test && d->depth_write});
    if (offset)
        qpusim_put_depth_offset(
            &c->bin, &(struct qpusim_cl_depth_offset){d->depth_offset_factor, d->depth_offset_units});
    qpusim_put_flat_shade_flags(&c->bin, &(struct qpusim_cl_flat_shade_flags){d->flat_varyings});
    qpusim_put_point_size(&c->bin, &(struct qpusim_cl_point_size){d->point_size > 0 ? d->point_size : 1});
    qpusim_put_line_width(&c->bin, &(struct qpusim_cl_line_width){d->line_width > 0 ? d->line_width : 1});
    qpusim_put_gl_shader_state(
        &c->bin, &(struct qpusim_cl_gl_shader_state){
                     .attribute_count = d->attribute_count, .extended = true, .address = RECORD_ADDRESS});
    if (c->indices)
        qpusim_put_indexed_primitives(&c->bin,
                                      &(struct qpusim_cl_indexed_primitives){.mode = d->mode,
                                                                             .index_type = 1,
                                                                             .count = d->count,
                                                                             .address = INDEX_ADDRESS,
                                                                             .max_index = c->max_index});
    else
        qpusim_put_array_primitives(&c->bin, &(struct qpusim_cl_array_primitives){
                                                 .mode = d->mode, .count = d->count, .first = c->first});
    qpusim_put_flush(&c->bin);
}

/* For each tile whose list has something in it: the target's pixels, the tile list, and back. A tile takes
 * one load at a time, which happens at its coordinates (guide section 9). */
static void write_render_list(struct context *c) {
    static const struct qpusim_cl_store_general keep = {
        .no_color_clear = true, .no_zs_clear = true, .no_vg_mask_clear = true};
    struct qpusim_list *l = &c->render;
    uint32_t first = TILE_ADDRESS + 48 * 4096;
    const uint8_t *lists = qpusim_memory_map(c->memory, first, 32 * (size_t)c->columns * c->rows);
    qpusim_put_rendering_mode(
        l, &(struct qpusim_cl_rendering_mode){
               .width = c->target->width, .height = c->target->height, .pixel = 1, .no_early_z = true});
    for (unsigned tile = 0; tile < c->columns * c->rows; tile++) {
        const struct qpusim_cl_tile_coordinates at = {tile % c->columns, tile / c->columns};
        struct qpusim_cl_store_general store = keep;
        if (lists[32 * tile] == QPUSIM_CL_RETURN)
            continue;
        qpusim_put_load_general(l, &(struct qpusim_cl_load_general){.buffer = SIM_BUFFER_COLOR});
        qpusim_put_tile_coordinates(l, &at);
        qpusim_put_store_general(l, &keep);
        qpusim_put_load_general(l, &(struct qpusim_cl_load_general){.buffer = SIM_BUFFER_ZS});
        qpusim_put_tile_coordinates(l, &at);
        qpusim_put_branch_to_sub_list(l, &(struct qpusim_cl_branch_to_sub_list){first + 32 * tile});
        store.buffer = SIM_BUFFER_ZS;
        qpusim_put_store_general(l, &store);
        qpusim_put_tile_coordinates(l, &at);
        qpusim_put_store_general(l, &(struct qpusim_cl_store_general){.buffer = SIM_BUFFER_COLOR});
    }
}

/* --- the draw ------------------------------------------------------------------------------------------- */

static bool more_memory(void *user, struct qpusim_block *block) {
    struct context *c = user;
    if (c->more_size > 1u << 28 || c->more > ATTRIBUTE_ADDRESS - c->more_size ||
        qpusim_memory_add(c->memory, c->more, c->more_size, NULL, "tile lists") != QPUSIM_OK)
        return false;
    qpusim_block_write(block, QPUSIM_BPOA, c->more, NULL, NULL);
    qpusim_block_write(block, QPUSIM_BPOS, c->more_size, NULL, NULL);
    c->more += c->more_size;
    c->more_size *= 2;
    return true;
}

static bool lend(struct context *c, uint32_t address, void *bytes, size_t size, const char *owner) {
    return qpusim_memory_add(c->memory, address, size, bytes, owner) == QPUSIM_OK;
}

static enum qpusim_status draw_lists(struct context *c, const struct qpusim_options *options,
                                     struct qpusim_error *error) {
    const char *bad = number_vertices(c);
    if (!bad)
        bad = write_record(c);
    if (bad)
        return fail(error, bad == no_memory ? QPUSIM_NO_MEMORY : QPUSIM_BAD_ARGUMENT, bad);
    c->columns = (c->target->width + TILE - 1) / TILE;
    c->rows = (c->target->height + TILE - 1) / TILE;
    write_bin_list(c);
    bool ok =
        !c->record.no_memory && !c->bin.no_memory &&
        lend(c, RECORD_ADDRESS, c->record.bytes, c->record.size, "shader state") &&
        lend(c, BIN_ADDRESS, c->bin.bytes, c->bin.size, "binning list") &&
        lend(c, TILE_ADDRESS, NULL, 48 * 4096 + 32 * (size_t)c->columns * c->rows + FIRST_POOL, "tiles") &&
        (!c->indices || lend(c, INDEX_ADDRESS, c->indices, c->draw->count * sizeof *c->indices, "indices"));
    if (!ok)
        return fail(error, QPUSIM_NO_MEMORY, no_memory);
    uint32_t end = BIN_ADDRESS + (uint32_t)c->bin.size;
    enum qpusim_status status = qpusim_run_lists(c->block, BIN_ADDRESS, end, 0, 0, options, error);
    if (status != QPUSIM_OK)
        return status;
    write_render_list(c);
    if (c->render.no_memory || !lend(c, RENDER_ADDRESS, c->render.bytes, c->render.size, "rendering list"))
        return fail(error, QPUSIM_NO_MEMORY, no_memory);
    return qpusim_run_lists(c->block, 0, 0, RENDER_ADDRESS, RENDER_ADDRESS + (uint32_t)c->render.size,
                            options, error);
}

enum qpusim_status qpusim_draw(struct qpusim_target *target, const struct qpusim_draw_info *draw,
                               const struct qpusim_options *options, struct qpusim_error *error) {
    struct qpusim_error local_error;
    if (!error)
        error = &local_error;
    memset(error, 0, sizeof *error);
    error->lane = -1;
    const char *bad = check_draw(target, draw);
    if (bad)
        return fail(error, QPUSIM_BAD_ARGUMENT, bad);
    if (!draw->count)
        return QPUSIM_OK;
    struct context c = {.draw = draw, .target = target, .memory = qpusim_memory_new(0)};
    const struct sim_direct direct = {
        {draw->fragment, draw->vertex, draw->coordinate}, draw->partial_uniforms, target};
    c.block = c.memory ? qpusim_block_new(c.memory) : NULL;
    if (c.block) {
        c.block->direct = &direct;
        c.block->shader_memory = draw->memory;
        qpusim_block_on_overflow(c.block, more_memory, &c);
        draw_lists(&c, options, error);
        error->record = 0; /* of a list that nobody sees */
    } else {
        fail(error, QPUSIM_NO_MEMORY, no_memory);
    }
    qpusim_block_free(c.block);
    qpusim_memory_free(c.memory);
    qpusim_list_free(&c.record);
    qpusim_list_free(&c.bin);
    qpusim_list_free(&c.render);
    for (unsigned a = 0; a < QPUSIM_MAX_ATTRIBUTES; a++)
        free(c.gathered[a]);
    free(c.indices);
    return error->status;
}
