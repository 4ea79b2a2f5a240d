/* Sums over a stage, and over the lines of its source.
 *
 * Requires: all that the other files find. */
#include "explain/analysis.h"

#include <stdlib.h>
#include <string.h>

static const char *const unit_names[QPUCC_RESOURCE_COUNT] = {
    "add", "mul", "read_a", "read_b", "uniform", "varying", "sfu", "tmu", "vpm", "tlb", "signal"};

const char *qpucc_resource_name(enum qpucc_resource unit) {
    return (unsigned)unit < QPUCC_RESOURCE_COUNT ? unit_names[unit] : NULL;
}

const char *qpucc_idle_name(enum qpucc_idle idle, const char **text) {
    static const char *const names[QPUCC_IDLE_COUNT][2] = {
        [QPUCC_IDLE_NONE] = {"none", "in use"},
        [QPUCC_IDLE_CHOICE] = {"choice", "an operation fits, and is no better here than later"},
        [QPUCC_IDLE_REGISTER] = {"register", "the register of the result is still in use"},
        [QPUCC_IDLE_WRITE] = {"write", "both ALUs would write the same register file"},
        [QPUCC_IDLE_SMALL_IMM] = {"small_imm", "a small immediate takes read port B"},
        [QPUCC_IDLE_READ_A] = {"read_a", "read port A delivers another register"},
        [QPUCC_IDLE_READ_B] = {"read_b", "read port B delivers another register"},
        [QPUCC_IDLE_UNIFORM] = {"uniform", "one word of the uniform stream an instruction"},
        [QPUCC_IDLE_PACK] = {"pack", "one pack or unpack mode an instruction"},
        [QPUCC_IDLE_UNIT] = {"unit", "a unit outside the ALUs serves one access at a time, in order"},
        [QPUCC_IDLE_FLAGS] = {"flags", "the flags are in use"},
        [QPUCC_IDLE_LATENCY] = {"latency", "an operand was written too recently"},
        [QPUCC_IDLE_SFU] = {"sfu", "an operand comes from the special function unit"},
        [QPUCC_IDLE_TMU] = {"tmu", "an operand comes from a texture unit"},
        [QPUCC_IDLE_OPERANDS] = {"operands", "an operand is not computed yet"},
        [QPUCC_IDLE_OTHER_ALU] = {"other_alu", "all that is left is the other ALU's"},
        [QPUCC_IDLE_TAIL] = {"tail", "nothing is left but the end of the block"},
        [QPUCC_IDLE_ENCODING] = {"encoding", "a branch, semaphore or load immediate has no ALU free"},
    };
    bool known = (unsigned)idle < QPUCC_IDLE_COUNT;
    if (text)
        *text = known ? names[idle][1] : NULL;
    return known ? names[idle][0] : NULL;
}

/* --- lines ---------------------------------------------------------------------------------------------- */

static int by_place(const void *x, const void *y) {
    const struct qpucc_explain_line *a = x, *b = y;
    int files = a->file && b->file ? strcmp(a->file, b->file) : !a->file - !b->file;
    return files ? files : (a->line > b->line) - (a->line < b->line);
}

static int by_weight(const void *x, const void *y) {
    const struct qpucc_explain_line *a = x, *b = y;
    return a->weight != b->weight ? a->weight < b->weight ? 1 : -1 : by_place(x, y);
}

static void sum_lines(struct analysis *a) {
    struct qpucc_explain_stage *out = a->out;
    struct qpucc_explain_line *line = ir_alloc(a->arena, (a->count + 1) * sizeof *line);
    uint32_t lines = 0;
    double total = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const struct qpucc_explain_instruction *t = &a->text[i];
        double weight = (1 + t->stall) * explain_weight(&a->block[t->block]);
        unsigned operations = !!t->add.text + !!t->mul.text + !!t->signal.text;
        line[i] = (struct qpucc_explain_line){t->file, t->line, operations, 1, t->stall, weight};
        total += weight;
    }
    qsort(line, a->count, sizeof *line, by_place);
    for (uint32_t i = 0; i < a->count; i++) {
        if (lines && !by_place(&line[lines - 1], &line[i])) {
            struct qpucc_explain_line *sum = &line[lines - 1];
            sum->operations += line[i].operations;
            sum->instructions++;
            sum->stalls += line[i].stalls;
            sum->weight += line[i].weight;
        } else {
            line[lines++] = line[i];
        }
    }
    for (uint32_t k = 0; k < lines; k++)
        line[k].weight /= total;
    qsort(line, lines, sizeof *line, by_weight);
    out->line = line;
    out->line_count = lines;
}

/* --- the stage ------------------------------------------------------------------------------------------ */

/* What needs most instructions: the first among equals, dependencies before units. */
static const char *binding(const struct qpucc_explain_stage *out) {
    const char *name = "dependencies";
    unsigned most = out->dependency_bound;
    if (out->alu_bound > most)
        name = "alus", most = out->alu_bound;
    for (unsigned u = 0; u < QPUCC_RESOURCE_COUNT; u++)
        if (out->unit_bound[u] > most)
            name = unit_names[u], most = out->unit_bound[u];
    return name;
}

void explain_sums(struct analysis *a) {
    struct qpucc_explain_stage *out = a->out;
    double most = -1;
    for (uint32_t i = 0; i < a->count; i++) {
        for (unsigned u = 0; u < QPUCC_RESOURCE_COUNT; u++)
            out->used[u] += a->text[i].units >> u & 1;
        out->thread_switches += a->text[i].thread_switch;
        out->stalls += a->text[i].stall;
    }
    out->cycles = a->count + out->stalls;
    for (uint32_t b = 0; b < out->block_count; b++) {
        double weight = (a->block[b].count + a->block[b].stalls) * explain_weight(&a->block[b]);
        if (weight > most)
            most = weight, out->longest_block = b;
    }
    if (out->stats && out->stats->lower_bound > out->lower_bound)
        out->lower_bound = out->stats->lower_bound;
    out->gap = a->count > out->lower_bound ? a->count - out->lower_bound : 0;
    out->bound_by = binding(out);
    sum_lines(a);
}
