/* Cycles of fragment shaders, ours and other compilers', on one machine and one model (runtime/cycles.c,
 * model.h).
 *
 *     bench_cycles dev-pairs.jsonl foreign-code.jsonl >cycles.tsv
 *
 * Every foreign fragment program whose name is a pair of the corpus runs, and so does what qpucc makes of
 * that pair. Where there are branches the numbers of ours and theirs are of one distribution, not the same;
 * integers are 5: loops that count to a uniform run five iterations. A line: name, compiler, threads,
 * instructions, instructions executed for a batch, whether it branches, then slots for a batch under each
 * model, and with one batch at a time. */
#include "bench/own.h"

#include <stdlib.h>
#include <string.h>

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
        qpucc_program *ours = own_compile(pair, NULL);
        if (own_run(model, ours, &f, &error))
            print(p->name, "qpucc", &f);
        else
            fprintf(stderr, "qpucc %s: instruction %u: %s\n", p->name, error.instruction, error.text);
        qpucc_program_free(ours);
    }
    if (foreign)
        fclose(foreign);
    json_decref(pairs);
    free(p);
    model_free(model);
    return code;
}
