/* Frames as data: see frame.h. Nothing here talks to a device. */
#include "frame.h"

#include <qpucc/qpucc.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void frame_fail(struct frame *f, const char *format, ...) {
    if (f->error[0]) {
        return;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(f->error, sizeof f->error, format, args);
    va_end(args);
}

void frame_init(struct frame *f) {
    const struct drm_vc4_submit_rcl_surface none = {.hindex = UINT32_MAX};
    *f = (struct frame){.args = {.color_read = none,
                                 .color_write = none,
                                 .zs_read = none,
                                 .zs_write = none,
                                 .msaa_color_write = none,
                                 .msaa_zs_write = none}};
}

void frame_free(struct frame *f) {
    for (unsigned n = 0; n < f->object_count; n++) {
        free(f->objects[n].bytes);
        free(f->objects[n].code);
        free(f->objects[n].text);
        qpusim_drm_shader_free(f->objects[n].scan);
    }
    qpusim_list_free(&f->bin);
    qpusim_list_free(&f->records);
    qpusim_list_free(&f->uniforms);
    free(f->split);
    *f = (struct frame){0};
}

void frame_split(struct frame *f, const char *text) {
    f->split = strdup(text);
    for (char *body = f->split ? strtok(f->split, "|") : NULL; body; body = strtok(NULL, "|")) {
        if (f->body_count == FRAME_MOST_OBJECTS) {
            frame_fail(f, "too many programs");
            return;
        }
        f->bodies[f->body_count++] = body;
    }
}

/* --- objects -------------------------------------------------------------------------------------------- */

static struct frame_object *add_object(struct frame *f, const char *name) {
    if (f->error[0]) {
        return NULL;
    }
    if (f->object_count == FRAME_MOST_OBJECTS) {
        frame_fail(f, "more than %d buffers and shaders", FRAME_MOST_OBJECTS);
        return NULL;
    }
    struct frame_object *o = &f->objects[f->object_count++];
    *o = (struct frame_object){.name = name};
    return o;
}

uint32_t frame_buffer(struct frame *f, const char *name, const void *bytes, size_t size) {
    struct frame_object *o = add_object(f, name);
    if (!o) {
        return FRAME_NONE;
    }
    o->size = (uint32_t)((size + 4095) & ~(size_t)4095);
    o->bytes = calloc(1, o->size);
    if (!o->bytes) {
        frame_fail(f, "out of memory");
    } else if (bytes) {
        memcpy(o->bytes, bytes, size);
    }
    return f->object_count - 1;
}

uint32_t frame_shader(struct frame *f, const char *name, const char *text) {
    for (unsigned n = 0; n < f->object_count; n++) {
        if (f->objects[n].text && !strcmp(f->objects[n].text, text)) {
            return n;
        }
    }
    struct frame_object *o = add_object(f, name);
    if (!o) {
        return FRAME_NONE;
    }
    char reason[QPUSIM_DRM_TEXT];
    size_t count;
    o->text = strdup(text);
    o->code = qpucc_assemble(text, strlen(text), &count, reason, sizeof reason);
    if (!o->code || !o->text) {
        frame_fail(f, "%s shader: %s", name, o->text ? reason : "out of memory");
        return FRAME_NONE;
    }
    o->size = (uint32_t)count * 8;
    o->scan = qpusim_drm_shader_new(o->code, o->size, reason);
    if (!o->scan) {
        frame_fail(f, "%s", reason);
        f->refused = true;
        return FRAME_NONE;
    }
    return f->object_count - 1;
}

/* --- lists ---------------------------------------------------------------------------------------------- */

static void put_word(struct qpusim_list *list, uint32_t word) {
    const uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                              (uint8_t)(word >> 24)};
    qpusim_put_bytes(list, bytes, sizeof bytes);
}

uint32_t frame_target(struct frame *f, unsigned width, unsigned height) {
    return frame_target_of(f, width, height, RASTER_RGBA8888_STORE);
}

uint32_t frame_target_of(struct frame *f, unsigned width, unsigned height, uint16_t bits) {
    bool samples = bits & SAMPLES_STORE & 1;
    unsigned tile = samples ? FRAME_TILE / 2 : FRAME_TILE;
    uint32_t target = frame_buffer(f, "target", NULL, (size_t)width * height * 4);
    if (target == FRAME_NONE) {
        return target;
    }
    f->objects[target].result = true;
    f->args.width = (uint16_t)width;
    f->args.height = (uint16_t)height;
    f->args.max_x_tile = (uint8_t)((width - 1) / tile);
    f->args.max_y_tile = (uint8_t)((height - 1) / tile);
    f->args.color_write.hindex = target;
    f->args.color_write.bits = bits;
    f->args.clear_color[0] = f->args.clear_color[1] = FRAME_CLEAR;
    f->args.clear_z = 0xffffff;
    f->args.flags = VC4_SUBMIT_CL_USE_CLEAR_COLOR;
    qpusim_put_binning_mode(&f->bin, &(struct qpusim_cl_binning_mode){.width = f->args.max_x_tile + 1u,
                                                                      .height = f->args.max_y_tile + 1u,
                                                                      .multisample = samples});
    qpusim_put_start_tile_binning(&f->bin);
    qpusim_put_clip_window(&f->bin, &(struct qpusim_cl_clip_window){.width = width, .height = height});
    qpusim_put_viewport_offset(&f->bin, &(struct qpusim_cl_viewport_offset){(int)width * 8, (int)height * 8});
    qpusim_put_clipper_xy_scaling(
        &f->bin, &(struct qpusim_cl_clipper_xy_scaling){(float)width * 8, (float)height * 8});
    qpusim_put_clipper_z_scaling(&f->bin, &(struct qpusim_cl_clipper_z_scaling){0.5f, 0.5f});
    qpusim_put_configuration_bits(
        &f->bin, &(struct qpusim_cl_configuration_bits){
                     .front_facing = true, .reverse_facing = true, .depth_func = QPUSIM_FUNC_ALWAYS});
    qpusim_put_flat_shade_flags(&f->bin, &(struct qpusim_cl_flat_shade_flags){0});
    qpusim_put_point_size(&f->bin, &(struct qpusim_cl_point_size){1});
    qpusim_put_line_width(&f->bin, &(struct qpusim_cl_line_width){1});
    return target;
}

void frame_counters(struct frame *f, const uint8_t *events, unsigned count) {
    uint32_t buffer = frame_buffer(f, "counters", NULL, sizeof(uint64_t) * DRM_VC4_MAX_PERF_COUNTERS);
    if (buffer != FRAME_NONE) {
        f->objects[buffer].result = true;
        f->objects[buffer].event_count = count;
        memcpy(f->objects[buffer].events, events, count);
    }
}

static void put_stream(struct frame *f, uint32_t shader, const struct frame_stage *stage) {
    const struct frame_object *o = &f->objects[shader];
    if (qpusim_drm_shader_lookups(o->scan) != stage->texture_count ||
        qpusim_drm_shader_stream_size(o->scan) != 4 * stage->word_count) {
        frame_fail(f, "%s shader: %zu lookups and %zu words of uniforms, not %zu and %zu", o->name,
                   qpusim_drm_shader_lookups(o->scan), qpusim_drm_shader_stream_size(o->scan) / 4,
                   stage->texture_count, stage->word_count);
        return;
    }
    for (size_t n = 0; n < stage->texture_count; n++) {
        put_word(&f->uniforms, stage->textures[n]);
    }
    for (size_t n = 0; n < stage->word_count; n++) {
        put_word(&f->uniforms, stage->words[n]);
    }
}

void frame_draw(struct frame *f, const struct frame_draw *draw) {
    const struct frame_stage *const stages[] = {&draw->fragment, &draw->vertex, &draw->coordinate};
    static const char *const names[] = {"fragment", "vertex", "coordinate"};
    uint32_t shaders[3];
    for (unsigned s = 0; s < 3; s++) {
        shaders[s] = frame_shader(f, names[s], stages[s]->text);
        if (f->error[0]) {
            return;
        }
    }
    unsigned vertex = 0, coordinate = 0, vertex_bytes = 0, coordinate_bytes = 0;
    for (unsigned s = 0; s < 3; s++) {
        put_word(&f->records, shaders[s]);
        put_stream(f, shaders[s], stages[s]);
    }
    for (unsigned a = 0; a < draw->attribute_count; a++) {
        const struct frame_attribute *at = &draw->attributes[a];
        put_word(&f->records, at->buffer);
        vertex |= (unsigned)at->vertex << a;
        coordinate |= (unsigned)at->coordinate << a;
        vertex_bytes += at->vertex ? at->bytes : 0;
        coordinate_bytes += at->coordinate ? at->bytes : 0;
    }
    qpusim_put_gl_shader_record(
        &f->records, &(struct qpusim_cl_gl_shader_record){
                         .single_threaded = !qpusim_drm_shader_threaded(f->objects[shaders[0]].scan),
                         .point_size = draw->point_size,
                         .clipping = true,
                         .varyings = draw->varyings,
                         .vertex_attributes = vertex,
                         .vertex_size = vertex_bytes & 255,
                         .coordinate_attributes = coordinate,
                         .coordinate_size = coordinate_bytes & 255});
    vertex_bytes = coordinate_bytes = 0;
    for (unsigned a = 0; a < draw->attribute_count; a++) {
        const struct frame_attribute *at = &draw->attributes[a];
        qpusim_put_attribute_record(
            &f->records, &(struct qpusim_cl_attribute_record){.address = at->offset,
                                                              .bytes = at->bytes,
                                                              .stride = at->stride,
                                                              .vertex_offset = vertex_bytes & 255,
                                                              .coordinate_offset = coordinate_bytes & 255});
        vertex_bytes += at->vertex ? at->bytes : 0;
        coordinate_bytes += at->coordinate ? at->bytes : 0;
    }
    f->record_count++;
    qpusim_put_gl_shader_state(
        &f->bin, &(struct qpusim_cl_gl_shader_state){.attribute_count = draw->attribute_count & 7});
    qpusim_put_array_primitives(&f->bin, &(struct qpusim_cl_array_primitives){
                                             .mode = draw->mode, .count = draw->count, .first = draw->first});
}

void frame_finish(struct frame *f) {
    qpusim_put_increment_semaphore(&f->bin);
    qpusim_put_flush(&f->bin);
    if (f->bin.no_memory || f->records.no_memory || f->uniforms.no_memory) {
        frame_fail(f, "out of memory");
    }
}

/* --- rectangles ----------------------------------------------------------------------------------------- */

/* In blocks of as many as a read set-up takes. */
void frame_copy_text(char *text, size_t size, unsigned count) {
    enum { HORIZONTAL_32 = 0x1a00, MOST = 16 };
    size_t used = (size_t)snprintf(text, size, "movi vw_setup, 0x%x\n", HORIZONTAL_32);
    for (unsigned n = 0; n < count && used < size; n++) {
        if (n % MOST == 0) {
            unsigned block = count - n < MOST ? count - n : MOST;
            used += (size_t)snprintf(text + used, size - used, "movi vr_setup, 0x%x\nnop\nnop\nnop\n",
                                     (block & 15) << 20 | HORIZONTAL_32 | n);
        }
        used += used < size ? (size_t)snprintf(text + used, size - used, "mov vpm, vpm\n") : 0;
    }
    if (used < size) {
        snprintf(text + used, size - used, "nop; nop; thrend\nnop\nnop\n");
    }
}

void frame_rectangle(struct frame *f, const struct frame_rectangle *r, const struct frame_stage *fragment) {
    enum { CLIP = 4, FIXED = 3, CORNERS = 4, MOST_VARYINGS = 32 };
    unsigned words = CLIP + FIXED + r->varyings;
    uint32_t vertices[CORNERS * (CLIP + FIXED + MOST_VARYINGS)];
    char vertex_text[2048], coordinate_text[512];
    float half_x = (float)f->args.width / 2, half_y = (float)f->args.height / 2;
    if (r->varyings > MOST_VARYINGS) {
        frame_fail(f, "%u varyings", r->varyings);
        return;
    }
    for (unsigned c = 0; c < CORNERS; c++) {
        float w = r->w[c] != 0 ? r->w[c] : 1;
        float x = (float)(r->x + (int)(c & 1) * r->width) - half_x,
              y = (float)(r->y + (int)(c >> 1) * r->height) - half_y;
        float floats[CLIP + FIXED] = {x / half_x * w, y / half_y * w, (2 * r->z[c] - 1) * w, w, 0,
                                      r->z[c],        1 / w};
        uint32_t *to = vertices + c * words;
        memcpy(to, floats, sizeof floats);
        to[CLIP] = ((uint32_t)(int32_t)(x * 16) & 0xffff) | (uint32_t)(int32_t)(y * 16) << 16;
        for (unsigned v = 0; v < r->varyings; v++) {
            to[CLIP + FIXED + v] = r->varying_words[c * r->varyings + v];
        }
    }
    uint32_t buffer = frame_buffer(f, "vertices", vertices, sizeof *vertices * CORNERS * words);
    frame_copy_text(vertex_text, sizeof vertex_text, FIXED + r->varyings);
    frame_copy_text(coordinate_text, sizeof coordinate_text, CLIP + FIXED);
    /* Two attributes: what the binner alone needs, and what both want. The second one has the varyings, too,
     * for the vertex shader alone. */
    const struct frame_attribute attributes[] = {
        {buffer, 0, 4 * CLIP, 4 * words, false, true},
        {buffer, 4 * CLIP, 4 * FIXED, 4 * words, true, true},
        {buffer, 4 * (CLIP + FIXED), 4 * r->varyings, 4 * words, true, false},
    };
    frame_draw(f, &(struct frame_draw){.fragment = *fragment,
                                       .vertex = {.text = vertex_text},
                                       .coordinate = {.text = coordinate_text},
                                       .attributes = attributes,
                                       .attribute_count = r->varyings ? 3 : 2,
                                       .varyings = r->varyings,
                                       .mode = QPUSIM_TRIANGLE_STRIP,
                                       .count = CORNERS});
}
