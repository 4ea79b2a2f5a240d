#include "frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/isa/isa.h"

static void must(bool ok, const char *what) {
    if (!ok) {
        fprintf(stderr, "frame: %s\n", what);
        abort();
    }
}

void frame_open(struct frame *f, unsigned width, unsigned height, size_t textures) {
    memset(f, 0, sizeof *f);
    f->width = width;
    f->height = height;
    f->options.counters = &f->counters;
    f->memory = qpusim_memory_new(textures);
    must(f->memory, "no memory");
    const size_t tiles = (size_t)((width + 31) / 32) * ((height + 15) / 16);
    const struct {
        uint32_t address;
        size_t size;
        const char *owner;
    } buffers[] = {
        {FRAME_RECORD, 4096, "records"},          {FRAME_CODE, 1 << 16, "code"},
        {FRAME_UNIFORMS, 4096, "uniforms"},       {FRAME_VERTICES, 4 << 20, "vertices"},
        {FRAME_INDICES, 1 << 16, "indices"},      {FRAME_STATE, 48 * tiles, "tile state"},
        {FRAME_TILES, FRAME_TILE_BYTES, "tiles"}, {FRAME_PIXELS, (size_t)width * height * 4, "pixels"}};
    for (unsigned i = 0; i < sizeof buffers / sizeof *buffers; i++)
        must(qpusim_memory_add(f->memory, buffers[i].address, buffers[i].size, NULL, buffers[i].owner) ==
                 QPUSIM_OK,
             buffers[i].owner);
    f->block = qpusim_block_new(f->memory);
    must(f->block, "no block");
    f->code = FRAME_CODE;
}

static unsigned columns(const struct frame *f) {
    return (f->width + 63) / 64;
}
static unsigned rows(const struct frame *f) {
    return (f->height + 63) / 64;
}

void frame_close(struct frame *f) {
    qpusim_block_free(f->block);
    qpusim_memory_free(f->memory);
    qpusim_list_free(&f->bin);
    qpusim_list_free(&f->render);
}

void *frame_at(struct frame *f, uint32_t address, size_t size) {
    void *p = qpusim_memory_map(f->memory, address, size);
    must(p, "an address outside all buffers");
    return p;
}

uint32_t frame_program(struct frame *f, const char *text) {
    struct qpu_asm_result a = qpu_assemble(text, strlen(text));
    if (!a.code)
        fprintf(stderr, "line %u: %s in\n%s", a.line, a.error, text);
    must(a.code, "a program that does not assemble");
    uint32_t address = f->code;
    memcpy(frame_at(f, address, 8 * a.count), a.code, 8 * a.count);
    f->code += (uint32_t)(8 * a.count + 64);
    free(a.code);
    return address;
}

uint32_t frame_vertex_program(struct frame *f, unsigned varyings, bool sizes, bool coordinate) {
    char text[2000];
    size_t n = 0;
    unsigned words = 4 + sizes + (coordinate ? 0 : varyings);
#define EMIT(...) n += (size_t)snprintf(text + n, n < sizeof text ? sizeof text - n : 0, __VA_ARGS__)
    EMIT("movi vr_setup, 0x%x\nmovi vw_setup, 0x1a00\n", 0x1a00 | (words & 15) << 20);
    for (unsigned i = 0; i < words; i++)
        EMIT("mov ra%u, vpm\n", i);
    EMIT("nop\nmov recip, ra3\nnop\nnop\n"
         "mov r0, r4\nfmul r1, r0, ra3\nfsub r1, 2.0, r1\nfmul r3, r0, r1\n");
    for (unsigned i = 0; i < 2; i++) /* a large number added rounds down */
        EMIT("fmul r0, ra%u, r3\nfmul r0, r0, unif\nfadd r0, r0, 0.5\nfadd r0, r0, unif\nmov ra20.16%c, r0\n",
             i, "ab"[i]);
    EMIT("fmul r0, ra2, r3\nfmul r0, r0, unif\nfadd r2, r0, unif\n");
    for (unsigned i = 0; coordinate && i < 4; i++)
        EMIT("mov vpm, ra%u\n", i);
    EMIT("mov vpm, ra20\nmov vpm, r2\nmov vpm, r3\n");
    for (unsigned i = 4; i < words; i++)
        EMIT("mov vpm, ra%u\n", i);
    EMIT("nop; nop; thrend\nnop\nnop\n");
#undef EMIT
    must(n < sizeof text, "a program that is too long");
    return frame_program(f, text);
}

void frame_vertex_uniforms(uint32_t words[6], unsigned width, unsigned height) {
    const float values[6] = {(float)width * 8, 12582912, (float)height * 8, 12582912, 0.5f, 0.5f};
    memcpy(words, values, sizeof values);
}

void frame_use_shader(struct frame *f, const char *fs, unsigned varyings, bool sizes, unsigned stride,
                      const uint32_t *words, unsigned count) {
    struct qpusim_list l = {0};
    if (count)
        memcpy(frame_at(f, FRAME_UNIFORMS + 64, 4 * count), words, 4 * count);
    const unsigned position = 16 + 4 * sizes, size = position + 4 * varyings;
    const struct qpusim_cl_gl_shader_record record = {
        .single_threaded = true,
        .point_size = sizes,
        .clipping = true,
        .varyings = varyings,
        .fragment_code = frame_program(f, fs),
        .fragment_uniforms = FRAME_UNIFORMS + 64,
        .vertex_attributes = 1,
        .vertex_size = size,
        .vertex_code = frame_vertex_program(f, varyings, sizes, false),
        .vertex_uniforms = FRAME_UNIFORMS,
        .coordinate_attributes = 1,
        .coordinate_size = position,
        .coordinate_code = frame_vertex_program(f, 0, sizes, true),
        .coordinate_uniforms = FRAME_UNIFORMS};
    qpusim_put_gl_shader_record(&l, &record);
    qpusim_put_attribute_record(&l, &(struct qpusim_cl_attribute_record){FRAME_VERTICES, size, stride, 0, 0});
    memcpy(frame_at(f, FRAME_RECORD, l.size), l.bytes, l.size);
    qpusim_list_free(&l);
    qpusim_put_gl_shader_state(
        &f->bin, &(struct qpusim_cl_gl_shader_state){.attribute_count = 1, .address = FRAME_RECORD});
}

enum qpusim_status frame_run(struct frame *f) {
    qpusim_memory_remove(f->memory, FRAME_BIN);
    qpusim_memory_remove(f->memory, FRAME_RENDER);
    if (f->bin.size)
        qpusim_memory_add(f->memory, FRAME_BIN, f->bin.size, f->bin.bytes, "bin list");
    if (f->render.size)
        qpusim_memory_add(f->memory, FRAME_RENDER, f->render.size, f->render.bytes, "render list");
    return qpusim_run_lists(f->block, FRAME_BIN, FRAME_BIN + (uint32_t)f->bin.size, FRAME_RENDER,
                            FRAME_RENDER + (uint32_t)f->render.size, &f->options, &f->error);
}

void frame_run_well(struct frame *f) {
    if (frame_run(f) == QPUSIM_OK)
        return;
    fprintf(stderr, "%s: %s (record %08x)\n", f->error.rule, f->error.text, (unsigned)f->error.record);
    must(false, "the lists fail");
}

void frame_begin_bin(struct frame *f, uint32_t allocation, unsigned block) {
    f->bin.size = 0;
    qpusim_put_binning_mode(&f->bin, &(struct qpusim_cl_binning_mode){.allocation = FRAME_TILES,
                                                                      .allocation_size = allocation,
                                                                      .tile_state = FRAME_STATE,
                                                                      .width = columns(f),
                                                                      .height = rows(f),
                                                                      .initialise = true,
                                                                      .block = block});
    qpusim_put_start_tile_binning(&f->bin);
    qpusim_put_clip_window(&f->bin, &(struct qpusim_cl_clip_window){.width = f->width, .height = f->height});
    qpusim_put_configuration_bits(&f->bin, &(struct qpusim_cl_configuration_bits){.front_facing = true,
                                                                                  .reverse_facing = true,
                                                                                  .depth_func = 7});
    qpusim_put_viewport_offset(&f->bin,
                               &(struct qpusim_cl_viewport_offset){(int)f->width * 8, (int)f->height * 8});
    qpusim_put_clipper_xy_scaling(
        &f->bin, &(struct qpusim_cl_clipper_xy_scaling){(float)f->width * 8, (float)f->height * 8});
    qpusim_put_clipper_z_scaling(&f->bin, &(struct qpusim_cl_clipper_z_scaling){0.5f, 0.5f});
    qpusim_put_point_size(&f->bin, &(struct qpusim_cl_point_size){3});
    qpusim_put_line_width(&f->bin, &(struct qpusim_cl_line_width){2});
    qpusim_put_flat_shade_flags(&f->bin, &(struct qpusim_cl_flat_shade_flags){0});
}

void frame_end_bin(struct frame *f) {
    qpusim_put_increment_semaphore(&f->bin);
    qpusim_put_flush(&f->bin);
}

void frame_write_render(struct frame *f, uint32_t clear) {
    f->render.size = 0;
    qpusim_put_rendering_mode(
        &f->render, &(struct qpusim_cl_rendering_mode){
                        .address = FRAME_PIXELS, .width = f->width, .height = f->height, .pixel = 1});
    qpusim_put_clear_colors(
        &f->render, &(struct qpusim_cl_clear_colors){.color = clear, .color_high = clear, .z = 0xffffff});
    qpusim_put_tile_coordinates(&f->render, &(struct qpusim_cl_tile_coordinates){0, 0});
    qpusim_put_store_general(&f->render, &(struct qpusim_cl_store_general){0});
    unsigned tiles = columns(f) * rows(f);
    for (unsigned tile = 0; tile < tiles; tile++) {
        qpusim_put_tile_coordinates(
            &f->render, &(struct qpusim_cl_tile_coordinates){tile % columns(f), tile / columns(f)});
        if (!tile)
            qpusim_put_wait_on_semaphore(&f->render);
        qpusim_put_branch_to_sub_list(&f->render,
                                      &(struct qpusim_cl_branch_to_sub_list){FRAME_TILES + 32 * tile});
        if (tile + 1 < tiles)
            qpusim_put_store_resolved(&f->render);
        else
            qpusim_put_store_resolved_last(&f->render);
    }
}
