/* Seeds for the targets that read bytes, made from shaders: SPIR-V, code and containers.
 *
 *     fuzz_seeds FOLDER SHADER.frag... */
#include <qpucc/lists.h>
#include <qpucc/qpucc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int save(const char *folder, const char *target, int number, const void *first, size_t first_size,
                const void *bytes, size_t size) {
    char path[1000];
    snprintf(path, sizeof path, "%s/%s/seed%d", folder, target, number);
    FILE *file = fopen(path, "wb");
    if (!file)
        return perror(path), 1;
    fwrite(first, 1, first_size, file);
    fwrite(bytes, 1, size, file);
    return fclose(file) != 0;
}

/* A frame of one tile: what fuzz_lists reads, with the binning list at `BIN` and the rest behind it. */
static int save_frame(const char *folder, int number, unsigned mode) {
    enum {
        BASE = 0x1000,
        BIN = 16,
        RENDER = 256,
        RECORD = 512,
        FLOATS = 640,
        CODE = 1024,
        TILES = 0x1800,
        STATE = 0x1fc0
    };
    static uint8_t image[0x2000];
    static const char *const texts[3] = {"nop; fmul r0, vary, ra15\nfadd r0, r0, r5\nmov tlbz, rb15\nmov "
                                         "tlbc, r0\nnop; nop; thrend\nnop\nnop; nop; sbdone\n",
                                         "movi vr_setup, 0x401a00\nmovi vw_setup, 0x1a00\nmov ra0, vpm\nmov "
                                         "ra1, vpm\nmov r0, ra0\nmov r1, vpm\nmov r2, vpm\n"
                                         "fmul r0, r0, unif\nftoi ra4.16a, r0\nfmul r1, ra1, unif\nftoi "
                                         "ra4.16b, r1\nnop\nmov vpm, ra4\nmov vpm, 0.5\n"
                                         "mov vpm, 1.0\nmov vpm, 1.0\nnop; nop; thrend\nnop\nnop\n",
                                         "movi vr_setup, 0x401a00\nmovi vw_setup, 0x1a00\nmov ra0, vpm\nmov "
                                         "ra1, vpm\nmov r2, vpm\nmov r3, vpm\n"
                                         "mov vpm, ra0\nmov vpm, ra1\nmov vpm, r2\nmov vpm, r3\n"
                                         "fmul r0, ra0, unif\nftoi ra4.16a, r0\nfmul r1, ra1, unif\nftoi "
                                         "ra4.16b, r1\nnop\nmov vpm, ra4\nmov vpm, 0.5\n"
                                         "mov vpm, 1.0\nnop; nop; thrend\nnop\nnop\n"};
    uint32_t code[3], at = CODE;
    char error[200];
    memset(image, 0, sizeof image);
    for (unsigned i = 0; i < 3; i++) {
        size_t count;
        uint64_t *words = qpucc_assemble(texts[i], strlen(texts[i]), &count, error, sizeof error);
        if (!words)
            return fprintf(stderr, "%s\n", error), 1;
        memcpy(image + at, words, 8 * count);
        code[i] = BASE + at;
        at += (uint32_t)(8 * count);
        free(words);
    }
    const float floats[18] = {512, 512, -1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1, 0.5f, -4, 2, 1};
    memcpy(image + FLOATS, floats, sizeof floats);
    struct qpusim_list l = {0};
    qpusim_put_binning_mode(&l, &(struct qpusim_cl_binning_mode){.allocation = BASE + TILES,
                                                                 .allocation_size = 1024,
                                                                 .tile_state = BASE + STATE,
                                                                 .width = 1,
                                                                 .height = 1,
                                                                 .initialise = true});
    qpusim_put_start_tile_binning(&l);
    qpusim_put_clip_window(&l, &(struct qpusim_cl_clip_window){.width = 64, .height = 64});
    qpusim_put_configuration_bits(&l, &(struct qpusim_cl_configuration_bits){
                                          .front_facing = true, .reverse_facing = true, .depth_func = 7});
    qpusim_put_viewport_offset(&l, &(struct qpusim_cl_viewport_offset){512, 512});
    qpusim_put_clipper_xy_scaling(&l, &(struct qpusim_cl_clipper_xy_scaling){512, 512});
    qpusim_put_gl_shader_state(
        &l, &(struct qpusim_cl_gl_shader_state){.attribute_count = 1, .address = BASE + RECORD});
    qpusim_put_array_primitives(&l, &(struct qpusim_cl_array_primitives){mode, 4, 0});
    qpusim_put_increment_semaphore(&l);
    qpusim_put_flush(&l);
    const uint16_t bin_end = (uint16_t)(BIN + l.size);
    memcpy(image + BIN, l.bytes, l.size);
    l.size = 0;
    qpusim_put_rendering_mode(
        &l, &(struct qpusim_cl_rendering_mode){.address = 0x10000, .width = 64, .height = 64, .pixel = 1});
    qpusim_put_clear_colors(&l, &(struct qpusim_cl_clear_colors){.color = 5, .color_high = 5, .z = 0xffffff});
    qpusim_put_load_general(&l, &(struct qpusim_cl_load_general){.buffer = 1, .address = 0x10000});
    qpusim_put_tile_coordinates(&l, &(struct qpusim_cl_tile_coordinates){0, 0});
    qpusim_put_wait_on_semaphore(&l);
    qpusim_put_branch_to_sub_list(&l, &(struct qpusim_cl_branch_to_sub_list){BASE + TILES});
    qpusim_put_store_full(&l, &(struct qpusim_cl_store_full){.no_clear = true, .address = 0x14000});
    qpusim_put_store_resolved_last(&l);
    const uint16_t ends[4] = {BIN, bin_end, RENDER, (uint16_t)(RENDER + l.size)};
    memcpy(image + RENDER, l.bytes, l.size);
    memcpy(image, ends, sizeof ends);
    l.size = 0;
    qpusim_put_gl_shader_record(&l,
                                &(struct qpusim_cl_gl_shader_record){.single_threaded = true,
                                                                     .clipping = true,
                                                                     .varyings = 1,
                                                                     .fragment_code = code[0],
                                                                     .vertex_attributes = 1,
                                                                     .vertex_size = 16,
                                                                     .vertex_code = code[1],
                                                                     .vertex_uniforms = BASE + FLOATS,
                                                                     .coordinate_attributes = 1,
                                                                     .coordinate_size = 16,
                                                                     .coordinate_code = code[2],
                                                                     .coordinate_uniforms = BASE + FLOATS});
    qpusim_put_attribute_record(&l, &(struct qpusim_cl_attribute_record){BASE + FLOATS + 8, 16, 16, 0, 0});
    memcpy(image + RECORD, l.bytes, l.size);
    qpusim_list_free(&l);
    return save(folder, "lists", number, "", 0, image, sizeof image);
}

int main(int argc, char **argv) {
    static char text[1 << 16], container[1 << 20];
    int wrong = 0;
    for (int i = 2; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file)
            return perror(argv[i]), 1;
        size_t size = fread(text, 1, sizeof text, file), words = 0, count = 0;
        fclose(file);
        struct qpucc_source source = {argv[i], text, size, QPUCC_FRAGMENT, QPUCC_GLSL};
        qpucc_program *program = qpucc_compile(&source, 1, NULL, NULL);
        const uint32_t *spirv = qpucc_program_spirv(program, QPUCC_FRAGMENT, &words);
        const uint64_t *code = qpucc_program_code(program, QPUCC_FRAGMENT, &count);
        if (!code)
            return fprintf(stderr, "%s does not compile\n", argv[i]), 1;
        wrong |= save(argv[1], "glsl", i, "\x20", 1, text, size);
        wrong |= save(argv[1], "spirv", i, "\x20", 1, spirv, words * 4);
        wrong |= save(argv[1], "code", i, "", 0, code, count * 8);
        for (unsigned part = 0; part < 2; part++) {
            size_t bytes = qpucc_program_save(program, part, container, sizeof container);
            wrong |= save(argv[1], "program", i * 2 + (int)part, "", 0, container, bytes);
            wrong |= save(argv[1], "cache", i * 2 + (int)part, part ? "\1" : "", 1, container, bytes);
        }
        qpucc_program_free(program);
    }
    for (unsigned mode = 0; mode < 7; mode++)
        wrong |= save_frame(argv[1], (int)mode, mode);
    return wrong;
}
