/* One thread or two: what the compiler chose for every textured fragment shader, and what the machine says to
 * it.
 *
 *     bench_threads dev-pairs.jsonl >threads.tsv
 *
 * Both forms are built from the IR that selection saw. A line: name, threads chosen, then for one thread and
 * for two the modelled cycles that attempts are compared by and the slots for a batch on the machine
 * (model.h, typical), "-" where the program branches and inputs would decide; in place of both why there is
 * no such form. */
#include "backend/backend.h"
#include "bench/model.h"

#include <jansson.h>
#include <qpucc/qpucc.h>
#include <stdlib.h>
#include <string.h>

static size_t by_role(struct synthetic *inputs, struct qpusim_memory *memory, const void *user,
                      const struct foreign_needs *needs, uint32_t words[FOREIGN_MAX_UNIFORMS]) {
    static struct foreign_program none;
    (void)memory;
    (void)user;
    return synthetic_stream(inputs, &none, needs, words);
}

/* Prints the two columns of one form. */
static void print_form(struct model *model, const char *ir, unsigned threads) {
    char error[300];
    struct ir_shader *shader = ir_parse(ir, strlen(ir), error, sizeof error);
    struct be_options options = {.opt_level = 2, .threads = threads, .search = true, .linux_rules = true};
    struct be_result result;
    if (!shader) {
        printf("\t\t%s", error);
        return;
    }
    be_compile(shader, &options, &result);
    if (result.status != BE_OK)
        printf("\t\t%s", result.message);
    else {
        struct model_figures f = {.branches = true};
        struct qpusim_error wrong;
        bool straight = true;
        for (size_t i = 0; i < result.count; i++)
            straight = straight && result.code[i] >> 60 != 15;
        if (straight && model_run(model, result.code, result.count, by_role, NULL, &f, &wrong))
            printf("\t%u\t%.1f", result.cycles, f.cycles[MODEL_TYPICAL]);
        else
            printf("\t%u\t-", result.cycles);
    }
    be_result_free(&result);
    ir_shader_destroy(shader);
}

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    struct model *model = model_new();
    char *line = NULL;
    size_t capacity = 0;
    if (!file || !model) {
        fprintf(stderr, "usage: %s dev-pairs.jsonl\n", argv[0]);
        return 1;
    }
    while (getline(&line, &capacity, file) > 0) {
        json_t *pair = json_loads(line, 0, NULL);
        json_t *vertex = json_object_get(pair, "vertex"), *fragment = json_object_get(pair, "fragment");
        const char *name = json_string_value(json_object_get(pair, "name"));
        struct qpucc_source sources[2] = {
            {name, json_string_value(vertex), json_string_length(vertex), QPUCC_VERTEX, QPUCC_GLSL},
            {name, json_string_value(fragment), json_string_length(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
        struct qpucc_options options = qpucc_options_default();
        options.flags |= QPUCC_GENERATE_IR;
        qpucc_program *program = name ? qpucc_compile(sources, 2, NULL, &options) : NULL;
        const struct qpucc_stage_stats *stats = program ? qpucc_program_stats(program, QPUCC_FRAGMENT) : NULL;
        const char *ir = program ? qpucc_program_ir(program, QPUCC_FRAGMENT) : NULL;
        if (stats && stats->tmu && ir) {
            printf("%s\t%u", name, stats->threads);
            print_form(model, ir, 1);
            print_form(model, ir, 2);
            putchar('\n');
        }
        qpucc_program_free(program);
        json_decref(pair);
    }
    free(line);
    fclose(file);
    model_free(model);
    return 0;
}
