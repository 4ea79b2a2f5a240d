/* libqpucc's part: GLSL becomes a container, SPIR-V, and the words that the other parts have to come to. */
#include "parts.h"

#include <string.h>

static const char text[] = "precision mediump float; uniform vec4 u; uniform sampler2D s;\n"
                           "void main() { gl_FragColor = texture2D(s, u.xy * 2.0) * (u.z + u.w); }\n";

int main(int argc, char **argv) {
    const struct qpucc_source source = {
        .name = "part.frag", .data = text, .size = strlen(text), .stage = QPUCC_FRAGMENT};
    part_expect(argc == 2, "parts_make FOLDER");
    part_expect(qpucc_has("glsl") && qpucc_has("compile") && qpucc_has("program_load"), "libqpucc has all");
    qpucc_program *program = qpucc_compile(&source, 1, NULL, NULL);
    part_expect(program && qpucc_program_status(program) == QPUCC_OK, "libqpucc compiles GLSL");

    size_t words, size = qpucc_program_save(program, QPUCC_SAVE_IR, NULL, 0);
    uint8_t *bytes = malloc(size);
    part_expect(bytes && qpucc_program_save(program, QPUCC_SAVE_IR, bytes, size) == size, "it is saved");
    part_write(argv[1], "program", bytes, size);
    const uint32_t *module = qpucc_program_spirv(program, QPUCC_FRAGMENT, &words);
    part_write(argv[1], "module", module, 4 * words);

    const struct qpucc_draw_values values = part_values();
    uint32_t stream[64];
    size_t count = qpucc_uniforms_size(program, QPUCC_FRAGMENT);
    part_expect(count && count <= 64 && qpucc_uniforms_fill(program, QPUCC_FRAGMENT, &values, stream),
                "a stream");
    part_write(argv[1], "stream", stream, 4 * count);
    free(bytes);
    qpucc_program_free(program);
    return 0;
}
