/* Memory of live programs: what the allocator holds more for each pair of a file after a compile, with the IR
 * that variants start from, for a variant, for a program that was loaded without its IR, and for one that
 * gave it up, then SPIR-V, too.
 *
 *     bench_memory FILE.jsonl [LEVEL]
 *
 * The medians in bytes, then the sum for all pairs alive at once, and 2,000 variants of a small shader:
 * the address space that they take. GNU C library. */
#include <qpucc/qpucc.h>

#include <jansson.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096, VARIANTS = 2000 };

static size_t in_use(void) {
    struct mallinfo2 m = mallinfo2();
    return m.uordblks + m.hblkhd;
}

static int by_size(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

static size_t median(size_t *list, size_t count) {
    qsort(list, count, sizeof *list, by_size);
    return count ? list[count / 2] : 0;
}

/* Kilobytes of /proc/self/status. */
static long status(const char *key) {
    char line[200];
    long value = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key)))
            value = atol(line + strlen(key));
    if (file)
        fclose(file);
    return value;
}

static qpucc_program *load_bare(const qpucc_program *program) {
    size_t size = qpucc_program_save(program, 0, NULL, 0);
    void *bytes = malloc(size + 1);
    qpucc_program *loaded =
        bytes && qpucc_program_save(program, 0, bytes, size) == size ? qpucc_program_load(bytes, size) : NULL;
    free(bytes);
    return loaded;
}

static qpucc_program *live[MOST];
static size_t with_ir[MOST], of_variant[MOST], bare[MOST], without[2][MOST];

static void many_variants(const struct qpucc_options *options) {
    static const char text[] = "precision mediump float; uniform sampler2D s; varying vec2 v;\n"
                               "void main() { gl_FragColor = texture2D(s, v); }\n";
    struct qpucc_source source = {"a.frag", text, sizeof text - 1, QPUCC_FRAGMENT, QPUCC_GLSL};
    qpucc_program *program = qpucc_compile(&source, 1, NULL, options);
    struct qpucc_state state = {0};
    size_t made = 0;
    long before = status("VmSize:");
    for (unsigned i = 0; program && i < VARIANTS; i++) {
        state.texture[0].format = (uint8_t)(i % 6);
        made += (live[i] = qpucc_variant(program, &state)) != NULL;
    }
    printf("%zu variants: %ld kB of address space more, %ld in all\n", made, status("VmSize:") - before,
           status("VmSize:"));
    for (unsigned i = 0; i < VARIANTS; i++)
        qpucc_program_free(live[i]);
    qpucc_program_free(program);
}

int main(int argc, char **argv) {
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = argc > 2 ? atoi(argv[2]) : 1;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    char *text = NULL;
    size_t capacity = 0, count = 0;
    if (!file)
        return fprintf(stderr, "bench_memory FILE.jsonl [LEVEL]\n"), 1;
    while (count < MOST && getline(&text, &capacity, file) > 0) {
        json_t *line = json_loads(text, 0, NULL);
        struct qpucc_source sources[2] = {{.name = "a.vert", .stage = QPUCC_VERTEX},
                                          {.name = "a.frag", .stage = QPUCC_FRAGMENT}};
        static const char *const keys[] = {"vertex", "fragment"};
        for (int k = 0; k < 2; k++) {
            sources[k].data = json_string_value(json_object_get(line, keys[k]));
            sources[k].size = json_string_length(json_object_get(line, keys[k]));
        }
        struct qpucc_state state = {.depth_test = 1, .flip_y = 1};
        qpucc_program_free(qpucc_compile(sources, 2, NULL, &options)); /* what stays in tables is there now */
        size_t start = in_use();
        qpucc_program *program = qpucc_compile(sources, 2, NULL, &options);
        if (program && qpucc_program_status(program) == QPUCC_OK) {
            size_t one = in_use();
            qpucc_program *variant = qpucc_variant(program, &state);
            size_t two = in_use();
            qpucc_program *loaded = load_bare(program);
            size_t three = in_use();
            qpucc_program_free(loaded);
            qpucc_program_free(variant);
            size_t four = in_use();
            qpucc_program *again = qpucc_compile(sources, 2, NULL, &options);
            for (int k = 0; k < 2; k++) {
                qpucc_program_drop(again, k ? QPUCC_MEMORY_SPIRV : QPUCC_MEMORY_IR);
                without[k][count] = in_use() - four;
            }
            qpucc_program_free(again);
            with_ir[count] = one - start;
            of_variant[count] = two - one;
            bare[count] = three - two;
            live[count++] = program;
        } else
            qpucc_program_free(program);
        json_decref(line);
    }
    free(text);
    fclose(file);
    malloc_trim(0);
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += with_ir[i];
    printf("%zu programs: %zu bytes each with IR, %zu for a variant, %zu loaded without IR (medians)\n",
           count, median(with_ir, count), median(of_variant, count), median(bare, count));
    printf("after the IR is given up %zu, then SPIR-V %zu\n", median(without[0], count),
           median(without[1], count));
    printf("all of them alive: %zu bytes; the process has %ld kB resident\n", sum, status("VmRSS:"));
    for (size_t i = 0; i < count; i++)
        qpucc_program_free(live[i]);
    many_variants(&options);
    return 0;
}
