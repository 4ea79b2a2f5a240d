/* Seeds for the targets that read bytes, made from shaders: SPIR-V, code and containers.
 *
 *     fuzz_seeds FOLDER SHADER.frag... */
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
    return wrong;
}
