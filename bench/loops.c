/* Cycles of the fragment shaders that loop at run time: what a pass does to them shows here and not in the
 * number of instructions, which counts a loop's body once.
 *
 *     bench_loops dev-pairs.jsonl [--against before.tsv] [--only TEXT] [--level N] >loops.tsv
 *
 * A line: name, threads, instructions, registers taken, instructions executed for a batch, slots for a batch
 * (model.h, typical), the same with one batch at a time. Inputs are synthetic and the same from run to run
 * (own.h), but the number of iterations can change with the last bits of what a loop computes. With --against
 * the changes follow each line, and their geometric means stand at the end. */
#include "backend/isa/isa.h"
#include "bench/own.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct before {
    char name[128];
    double instructions, executed, cycles;
};

struct means {
    double log[3];
    unsigned count, faster, slower;
};

static bool loops(const uint64_t *code, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct qpu_inst q;
        if (qpu_decode(code[i], &q) && q.type == QPU_BRANCH && (int32_t)q.imm < 0)
            return true;
    }
    return false;
}

static struct before *read_before(const char *path, size_t *count) {
    FILE *file = fopen(path, "r");
    struct before *list = NULL, b;
    char line[512];
    *count = 0;
    if (!file)
        perror(path);
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "%127[^\t] %*u %lf %*u %lf %lf", b.name, &b.instructions, &b.executed, &b.cycles) !=
            4)
            continue;
        struct before *more = realloc(list, (*count + 1) * sizeof *list);
        if (!more)
            break;
        list = more;
        list[(*count)++] = b;
    }
    if (file)
        fclose(file);
    return list;
}

static void compare(const struct before *list, size_t count, const char *name, const struct model_figures *f,
                    struct means *means) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(list[i].name, name))
            continue;
        double ratio[3] = {(double)f->instructions / list[i].instructions, f->executed / list[i].executed,
                           f->cycles[MODEL_TYPICAL] / list[i].cycles};
        for (int k = 0; k < 3; k++)
            means->log[k] += log(ratio[k]);
        means->count++;
        means->faster += ratio[2] < 0.9999;
        means->slower += ratio[2] > 1.0001;
        printf("\t%.3f\t%.3f\t%.3f", ratio[0], ratio[1], ratio[2]);
    }
}

int main(int argc, char **argv) {
    const char *only = "";
    struct qpucc_options options = qpucc_options_default();
    struct before *before = NULL;
    size_t before_count = 0, capacity = 0;
    struct means means = {0};
    double sum[3] = {0};
    for (int i = 2; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--against"))
            before = read_before(argv[i + 1], &before_count);
        else if (!strcmp(argv[i], "--only"))
            only = argv[i + 1];
        else if (!strcmp(argv[i], "--level"))
            options.opt_level = atoi(argv[i + 1]);
    }
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    struct model *model = model_new();
    char *line = NULL;
    if (!file || !model) {
        fprintf(stderr, "usage: %s dev-pairs.jsonl [--against before.tsv] [--only TEXT] [--level N]\n",
                argv[0]);
        return 1;
    }
    while (getline(&line, &capacity, file) > 0) {
        json_t *pair = json_loads(line, 0, NULL);
        const char *name = json_string_value(json_object_get(pair, "name"));
        qpucc_program *program = name && strstr(name, only) ? own_compile(pair, &options) : NULL;
        struct model_figures f;
        struct qpusim_error error = {0};
        size_t count = 0;
        const uint64_t *code = program ? qpucc_program_code(program, QPUCC_FRAGMENT, &count) : NULL;
        if (code && loops(code, count)) {
            const struct qpucc_stage_stats *stats = qpucc_program_stats(program, QPUCC_FRAGMENT);
            if (own_run(model, program, &f, &error)) {
                printf("%s\t%u\t%zu\t%u\t%.1f\t%.1f\t%.1f", name, f.threads, f.instructions,
                       stats->regs_a + stats->regs_b, f.executed, f.cycles[MODEL_TYPICAL], f.alone);
                compare(before, before_count, name, &f, &means);
                putchar('\n');
                fflush(stdout);
                sum[0] += (double)f.instructions, sum[1] += f.executed, sum[2] += f.cycles[MODEL_TYPICAL];
            } else
                fprintf(stderr, "%s: instruction %u: %s\n", name, error.instruction, error.text);
        }
        qpucc_program_free(program);
        json_decref(pair);
    }
    fprintf(stderr, "all: %.0f instructions, %.0f executed, %.0f slots\n", sum[0], sum[1], sum[2]);
    if (means.count)
        fprintf(stderr,
                "against before, %u: instructions %.4f, executed %.4f, slots %.4f; %u faster, %u slower\n",
                means.count, exp(means.log[0] / means.count), exp(means.log[1] / means.count),
                exp(means.log[2] / means.count), means.faster, means.slower);
    free(line);
    free(before);
    fclose(file);
    model_free(model);
    return 0;
}
