/* libqpucc_core's part: SPIR-V becomes code, a container has variants, and GLSL is refused by name. */
#include "parts.h"

#include <string.h>

int main(int argc, char **argv) {
    part_expect(argc == 2, "parts_core FOLDER");
    part_expect(qpucc_has("compile") && qpucc_has("program_load") && !qpucc_has("glsl"),
                "libqpucc_core has no GLSL");
    size_t size;
    void *module = part_read(argv[1], "module", &size);
    struct qpucc_source source = {
        .name = "part.spv", .data = module, .size = size, .stage = QPUCC_FRAGMENT, .language = QPUCC_SPIRV};
    qpucc_program *program = qpucc_compile(&source, 1, NULL, NULL);
    part_expect(program && qpucc_program_status(program) == QPUCC_OK, "libqpucc_core compiles SPIR-V");
    part_expect(qpucc_program_code(program, QPUCC_FRAGMENT, NULL), "and the program has code");
    qpucc_program_free(program);

    void *bytes = part_read(argv[1], "program", &size);
    const struct qpucc_state state = {.blend = {.enable = 1, .rgb_source = QPUCC_FACTOR_ONE}};
    program = qpucc_program_load(bytes, size);
    qpucc_program *variant = qpucc_variant(program, &state);
    part_expect(variant && qpucc_program_status(variant) == QPUCC_OK,
                "a program that was loaded has variants");
    qpucc_program_free(variant);
    qpucc_program_free(program);

    source.language = QPUCC_GLSL;
    source.data = "void main() {}";
    source.size = strlen(source.data);
    program = qpucc_compile(&source, 1, NULL, NULL);
    part_expect(program && qpucc_program_status(program) == QPUCC_SOURCE_ERROR &&
                    qpucc_program_diagnostic_count(program) == 1,
                "GLSL is refused");
    const struct qpucc_diagnostic *said = qpucc_program_diagnostic(program, 0);
    part_expect(!strcmp(said->code, "usage") && strstr(said->text, "no GLSL front end"), said->text);
    qpucc_program_free(program);
    free(module);
    free(bytes);
    return 0;
}
