/* libqpucc_rt's part: what a driver does at a draw that has no compiler. */
#include "parts.h"

#include <qpucc/records.h>
#include <qpucc/texture.h>

#include <string.h>

int main(int argc, char **argv) {
    part_expect(argc == 2, "parts_rt FOLDER");
    part_expect(qpucc_has("program_load") && !qpucc_has("compile") && !qpucc_has("glsl"),
                "libqpucc_rt has no compiler");
    size_t size, wanted;
    void *bytes = part_read(argv[1], "program", &size), *words = part_read(argv[1], "stream", &wanted);
    qpucc_program *program = qpucc_program_load(bytes, size);
    part_expect(program && qpucc_program_status(program) == QPUCC_OK, "a container is loaded");
    const struct qpucc_draw_values values = part_values();
    uint32_t stream[64];
    part_expect(qpucc_uniforms_size(program, QPUCC_FRAGMENT) * 4 == wanted &&
                    qpucc_uniforms_fill(program, QPUCC_FRAGMENT, &values, stream) &&
                    !memcmp(stream, words, wanted),
                "its stream is the compiler's");
    struct qpucc_record_bytes record;
    part_expect(qpucc_record_fill(program, QPUCC_RECORD_NV, NULL, &record) && record.size == 16, "a record");
    qpucc_program_free(program);

    struct qpusim_list list = {0};
    qpusim_put_nv_shader_state(&list, &(struct qpusim_cl_nv_shader_state){.address = 0x1000});
    qpusim_put_flush(&list);
    part_expect(list.size == 6 && list.bytes[0] == 65 && list.bytes[5] == 4, "a list");
    qpusim_list_free(&list);

    static uint8_t texels[8 * 8 * 4], back[sizeof texels], buffer[1 << 16];
    const struct qpusim_image image = {texels, 8, 8};
    const struct qpusim_texture_info info = {.levels = &image, .level_count = 1};
    struct qpusim_texture_place place;
    for (size_t i = 0; i < sizeof texels; i++)
        texels[i] = (uint8_t)(i * 7);
    part_expect(qpusim_place_texture(&info, &place) && place.size <= sizeof buffer &&
                    qpusim_store_texture(&info, &place, buffer),
                "a texture is tiled");
    const struct qpusim_texture_part all = {.width = 8, .height = 8};
    part_expect(qpusim_load_part(&place, &all, buffer, back) && !memcmp(back, texels, sizeof texels),
                "and untiled");
    free(bytes);
    free(words);
    return 0;
}
