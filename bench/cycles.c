/* Cycles of fragment shaders, ours and other compilers', on one machine and one model (runtime/cycles.c,
 * model.h).
 *
 *     bench_cycles dev-pairs.jsonl foreign-code.jsonl >cycles.tsv
 *
 * Every foreign fragment program whose name is a pair of the corpus runs, and so does what qpucc makes of
 * that pair. Where there are branches the numbers of ours and theirs are of one distribution, not the same;
 * integers are 5: loops that count to a uniform turn five times. A line: name, compiler, threads,
 * instructions, instructions executed for a batch, whether it branches, then slots for a batch under each
 * model, and with one batch at a time. */
#include "bench/model.h"

#include <jansson.h>
#include <qpucc/qpucc.h>
#include <stdlib.h>
#include <string.h>

static size_t our_stream(struct synthetic *inputs, struct qpusim_memory *memory, const void *user,
                         const struct foreign_needs *needs, uint32_t words[FOREIGN_MAX_UNIFORMS]) {
    const qpucc_program *program = user;
    size_t count = qpucc_program_uniform_words(program), size = qpucc_uniforms_size(program, QPUCC_FRAGMENT);
    static uint32_t uniforms[FOREIGN_MAX_UNIFORMS], textures[QPUCC_MAX_TEXTURES][4];
    (void)needs;
    if (count > FOREIGN_MAX_UNIFORMS || size > FOREIGN_MAX_UNIFORMS)
        return 0;
    for (size_t i = 0; i < count; i++)
        uniforms[i] = synthetic_bits(synthetic_float(inputs));
    for (size_t i = 0; i < qpucc_program_variable_count(program, QPUCC_UNIFORMS); i++) {
        const struct qpucc_variable *v = qpucc_program_variable(program, QPUCC_UNIFORMS, i);
        for (unsigned k = 0; v->base != QPUCC_FLOAT && k < v->rows * v->cols * v->array_length; k++)
            uniforms[v->word + k] = synthetic_integer(inputs) & (v->base == QPUCC_BOOL ? 1 : ~0u);
    }
    for (unsigned i = 0; i < QPUCC_MAX_TEXTURES; i++) {
        textures[i][0] = inputs->texture.p0;
        textures[i][1] = inputs->texture.p1;
        textures[i][2] = QPUSIM_P2_BSLOD;
    }
    struct qpucc_draw_values values = {.uniforms = uniforms,
                                       .textures = (const uint32_t(*)[4])textures,
                                       .viewport_width = 640,
                                       .viewport_height = 480,
                                       .depth_far = 1,
                                       .framebuffer_height = 480,
                                       .stream_address = QPUSIM_STREAM_ADDRESS,
                                       .uniform_address = qpusim_memory_alloc(memory, 4 * count + 4, 16)};
    if (values.uniform_address)
        memcpy(qpusim_memory_map(memory, values.uniform_address, 4 * count + 4), uniforms, 4 * count);
    qpucc_uniforms_fill(program, QPUCC_FRAGMENT, &values, words);
    return size;
}

static size_t their_stream(struct synthetic *inputs, struct qpusim_memory *memory, const void *user,
                           const struct foreign_needs *needs, uint32_t words[FOREIGN_MAX_UNIFORMS]) {
    (void)memory;
    return synthetic_stream(inputs, user, needs, words);
}

static void print(const char *name, const char *compiler, const struct model_figures *f) {
    printf("%s\t%s\t%u\t%zu\t%.1f\t%d", name, compiler, f->threads, f->instructions, f->executed,
           f->branches);
    for (unsigned m = 0; m < MODELS; m++)
        printf("\t%.1f", f->cycles[m]);
    printf("\t%.1f\n", f->alone);
}

static bool run_ours(struct model *model, const char *name, json_t *pair, struct model_figures *f,
                     struct qpusim_error *error) {
    json_t *vertex = json_object_get(pair, "vertex"), *fragment = json_object_get(pair, "fragment");
    struct qpucc_source sources[2] = {
        {name, json_string_value(vertex), json_string_length(vertex), QPUCC_VERTEX, QPUCC_GLSL},
        {name, json_string_value(fragment), json_string_length(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    qpucc_program *program = qpucc_compile(sources, 2, NULL, NULL);
    size_t count = 0;
    const uint64_t *code = program ? qpucc_program_code(program, QPUCC_FRAGMENT, &count) : NULL;
    bool ok = code && model_run(model, code, count, our_stream, program, f, error);
    if (!code)
        snprintf(error->text, sizeof error->text, "does not compile");
    qpucc_program_free(program);
    return ok;
}

static json_t *read_pairs(const char *path) {
    FILE *file = fopen(path, "r");
    json_t *pairs = json_object();
    char *line = NULL;
    size_t capacity = 0;
    while (file && getline(&line, &capacity, file) > 0) {
        json_t *pair = json_loads(line, 0, NULL);
        const char *name = json_string_value(json_object_get(pair, "name"));
        if (name)
            json_object_set(pairs, name, pair);
        json_decref(pair);
    }
    free(line);
    if (file)
        fclose(file);
    else
        perror(path);
    return pairs;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: %s dev-pairs.jsonl foreign-code.jsonl\n", argv[0]);
        return 1;
    }
    json_t *pairs = read_pairs(argv[1]);
    FILE *foreign = fopen(argv[2], "r");
    struct model *model = model_new();
    struct foreign_program *p = malloc(sizeof *p);
    int code = foreign && model && p ? 0 : 1;
    if (!foreign)
        perror(argv[2]);
    while (!code && foreign_next(foreign, p)) {
        struct model_figures f;
        struct qpusim_error error = {0};
        json_t *pair = json_object_get(pairs, p->name);
        if (p->stage != QPUSIM_FRAGMENT || !pair)
            continue;
        if (model_run(model, p->code, p->count, their_stream, p, &f, &error))
            print(p->name, p->compiler, &f);
        else
            fprintf(stderr, "%s %s: instruction %u: %s\n", p->compiler, p->name, error.instruction,
                    error.text);
        if (json_object_get(pair, "done"))
            continue;
        json_object_set_new(pair, "done", json_true());
        if (run_ours(model, p->name, pair, &f, &error))
            print(p->name, "qpucc", &f);
        else
            fprintf(stderr, "qpucc %s: instruction %u: %s\n", p->name, error.instruction, error.text);
    }
    if (foreign)
        fclose(foreign);
    json_decref(pairs);
    free(p);
    model_free(model);
    return code;
}
