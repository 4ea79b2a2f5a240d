/* A program is saved with its IR and loaded; its variant for another state is what a compile makes for that
 * state, and what a variant of the program itself is. So is what is linked of its shaders, read one by one.
 *
 *     saved_variants [--part N/M] [--level N] [--state SEED] FILE.jsonl
 *
 * A file's name that begins with SHARED/ lies in QPUCC_SHARED; without that, 77 is returned. */
#include "tests/compiler/program_equal.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

static struct qpucc_options options;
static unsigned wrong, tried;

static uint32_t next(uint32_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    return *seed ^= *seed << 5;
}

static struct qpucc_state draw_state(uint32_t *seed) {
    struct qpucc_state state = {.primitive = (uint8_t)(next(seed) % 3),
                                .depth_test = (uint8_t)(next(seed) % 2),
                                .flat_shade = (uint8_t)(next(seed) % 4 == 0),
                                .flip_y = (uint8_t)(next(seed) % 2)};
    for (int i = 0; i < 3; i++)
        state.texture[i].format = (uint8_t)(next(seed) % 6);
    return state;
}

static qpucc_program *save_and_load(const qpucc_program *program) {
    size_t size = qpucc_program_save(program, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV, NULL, 0);
    void *bytes = size ? malloc(size) : NULL;
    qpucc_program *loaded = NULL;
    if (bytes && qpucc_program_save(program, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV, bytes, size) == size)
        loaded = qpucc_program_load(bytes, size);
    free(bytes);
    return loaded;
}

typedef const char *compare_function(const qpucc_program *a, const qpucc_program *b);

static void expect(const char *name, const char *what, const qpucc_program *got, const qpucc_program *want,
                   compare_function *compare) {
    const char *difference = got && want ? compare(got, want) : "no memory";
    tried++;
    wrong += difference != NULL;
    if (difference)
        printf("%s: %s: %s\n", name, what, difference);
}

/* Where each shader alone is right, so is or is not what is linked of them, in the same words. Locations in
 * SPIR-V are each shader's own. */
static void try_link(const char *name, const struct qpucc_source sources[2], const struct qpucc_state *state,
                     const qpucc_program *want) {
    qpucc_shader *shaders[2] = {qpucc_shader_compile(&sources[0], &options),
                                qpucc_shader_compile(&sources[1], &options)};
    bool right = true;
    for (int k = 0; k < 2; k++)
        right &= shaders[k] && qpucc_shader_status(shaders[k]) == QPUCC_OK;
    if (right) {
        qpucc_program *program = qpucc_link((const qpucc_shader *const *)shaders, 2, state, &options);
        expect(name, "linked", program, want, code_difference);
        qpucc_program_free(program);
    } else if (want && qpucc_program_status(want) == QPUCC_OK) {
        printf("%s: a shader is refused alone\n", name);
        wrong++;
    }
    for (int k = 0; k < 2; k++)
        qpucc_shader_free(shaders[k]);
}

static void try_pair(const json_t *line, uint32_t *seed) {
    static const char *const keys[] = {"vertex", "fragment"};
    const char *name = json_string_value(json_object_get(line, "name"));
    struct qpucc_source sources[2] = {{.name = "a.vert", .stage = QPUCC_VERTEX},
                                      {.name = "a.frag", .stage = QPUCC_FRAGMENT}};
    for (int k = 0; k < 2; k++) {
        sources[k].data = json_string_value(json_object_get(line, keys[k]));
        sources[k].size = json_string_length(json_object_get(line, keys[k]));
    }
    struct qpucc_state state = draw_state(seed);
    qpucc_program *program = qpucc_compile(sources, 2, NULL, &options),
                  *want = qpucc_compile(sources, 2, &state, &options);
    if (program && qpucc_program_status(program) == QPUCC_OK) {
        qpucc_program *variant = qpucc_variant(program, &state), *loaded = save_and_load(program),
                      *late = loaded ? qpucc_variant(loaded, &state) : NULL;
        expect(name, "variant", variant, want, program_difference);
        expect(name, "variant of what was loaded", late, want, program_difference);
        qpucc_program_free(variant);
        qpucc_program_free(late);
        qpucc_program_free(loaded);
    }
    try_link(name, sources, &state, want);
    qpucc_program_free(program);
    qpucc_program_free(want);
}

int main(int argc, char **argv) {
    const char *file = NULL, *shared = getenv("QPUCC_SHARED");
    unsigned part = 1, parts = 1, at = 0;
    uint32_t seed = 1;
    options = qpucc_options_default();
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--part") && sscanf(value, "%u/%u", &part, &parts) == 2 && parts)
            i++;
        else if (!strcmp(argv[i], "--level"))
            options.opt_level = atoi(value), i++;
        else if (!strcmp(argv[i], "--state"))
            seed = (uint32_t)atoi(value) | 1, i++;
        else
            file = argv[i];
    }
    if (!file)
        return fprintf(stderr, "saved_variants [--part N/M] [--level N] [--state SEED] FILE.jsonl\n"), 2;
    if (!strncmp(file, "SHARED/", 7) && (!shared || !*shared))
        return puts("QPUCC_SHARED names no folder"), 77;
    char path[1000];
    snprintf(path, sizeof path, "%s%s", strncmp(file, "SHARED/", 7) ? "" : shared,
             strncmp(file, "SHARED/", 7) ? file : file + 6);
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t capacity = 0;
    while (in && getline(&text, &capacity, in) > 0) {
        json_t *line = at++ % parts == part - 1 ? json_loads(text, 0, NULL) : NULL;
        if (json_is_string(json_object_get(line, "vertex")) &&
            json_is_string(json_object_get(line, "fragment")))
            try_pair(line, &seed);
        json_decref(line);
    }
    free(text);
    if (!in || fclose(in))
        return perror(path), 1;
    printf("%u variants, %u wrong\n", tried, wrong);
    return wrong || !tried;
}
