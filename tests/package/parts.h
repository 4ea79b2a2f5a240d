/* What the programs of parts.sh share: files in a folder, and one draw's values. */
#ifndef TESTS_PACKAGE_PARTS_H
#define TESTS_PACKAGE_PARTS_H

#include <qpucc/qpucc.h>

#include <stdio.h>
#include <stdlib.h>

static inline FILE *part_open(const char *folder, const char *name, const char *mode) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, mode);
    if (!file) {
        perror(path);
        exit(2);
    }
    return file;
}

static inline void part_write(const char *folder, const char *name, const void *data, size_t size) {
    FILE *file = part_open(folder, name, "wb");
    if (fwrite(data, 1, size, file) != size || fclose(file))
        exit(2);
}

static inline void *part_read(const char *folder, const char *name, size_t *size) {
    enum { MOST = 1 << 20 };
    FILE *file = part_open(folder, name, "rb");
    void *data = malloc(MOST);
    if (!data)
        exit(2);
    *size = fread(data, 1, MOST, file);
    fclose(file);
    return data;
}

static inline void part_expect(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "%s\n", what);
        exit(1);
    }
}

static inline struct qpucc_draw_values part_values(void) {
    static const float uniforms[4] = {0.25f, 0.5f, 3, -7};
    static const uint32_t textures[QPUCC_MAX_TEXTURES][4] = {{0x1000, 0x2000}};
    return (struct qpucc_draw_values){.uniforms = (const uint32_t *)(const void *)uniforms,
                                      .textures = textures};
}

#endif
