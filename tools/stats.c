/* Programs as tables and as JSON. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* Backward branches (guide section 3, "Branch Instruction": a signed offset in the low half). */
size_t cli_loops(const qpucc_program *program, enum qpucc_stage stage, size_t *out, size_t max) {
    size_t count, loops = 0;
    const uint64_t *code = qpucc_program_code(program, stage, &count);
    for (size_t i = 0; code && i < count; i++)
        if (code[i] >> 60 == 15 && (code[i] & 0x80000000u)) {
            if (loops < max)
                out[loops] = i;
            loops++;
        }
    return loops;
}

size_t cli_branch_target(const qpucc_program *program, enum qpucc_stage stage, size_t index) {
    size_t count;
    const uint64_t *code = qpucc_program_code(program, stage, &count);
    return index + 4 +
           (size_t)((int32_t)(uint32_t)code[index] / 8); /* from the instruction after the delay slots */
}

json_t *cli_stage_json(const qpucc_program *program, enum qpucc_stage stage) {
    const struct qpucc_stage_stats *s = qpucc_program_stats(program, stage);
    if (!s)
        return NULL;
    int loops = (int)cli_loops(program, stage, NULL, 0);
    return json_pack("{s:s, s:i, s:i, s:i, s:{s:i, s:i, s:i}, s:i, s:s, s:i, s:i, s:i, s:i, s:i, s:i}",
                     "stage", qpucc_stage_name(stage), "instructions", (int)s->instructions, "uniforms",
                     (int)s->uniforms, "threads", (int)s->threads, "registers", "a", (int)s->regs_a, "b",
                     (int)s->regs_b, "acc", (int)s->accumulators, "cycles", (int)s->cycles, "cycles_of",
                     loops ? "iteration" : "batch", "lower_bound", (int)s->lower_bound, "tmu", (int)s->tmu,
                     "sfu", (int)s->sfu, "loops", loops, "blocks", (int)s->blocks, "blocks_optimal",
                     (int)s->blocks_optimal);
}

static json_t *code_json(const qpucc_program *program, enum qpucc_stage stage) {
    json_t *out = cli_stage_json(program, stage), *code = json_array(), *lines = json_array(),
           *stream = json_array();
    size_t count;
    const uint64_t *words = qpucc_program_code(program, stage, &count);
    const uint32_t *line = qpucc_program_lines(program, stage);
    for (size_t i = 0; i < count; i++) {
        char text[24];
        snprintf(text, sizeof text, "%016llx", (unsigned long long)words[i]);
        json_array_append_new(code, json_string(text));
        json_array_append_new(lines, json_integer(line ? line[i] : 0));
    }
    for (size_t i = 0; i < qpucc_uniforms_size(program, stage); i++)
        json_array_append_new(stream, cli_json_text(qpucc_uniform_text(program, stage, i)));
    json_object_set_new(out, "code", code);
    json_object_set_new(out, "lines", lines);
    json_object_set_new(out, "stream", stream);
    return out;
}

json_t *cli_stages_json(const qpucc_program *program, bool code) {
    json_t *list = json_array();
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        json_t *stage = !qpucc_program_stats(program, (enum qpucc_stage)s) ? NULL
                        : code ? code_json(program, (enum qpucc_stage)s)
                               : cli_stage_json(program, (enum qpucc_stage)s);
        if (stage)
            json_array_append_new(list, stage);
    }
    return list;
}

json_t *cli_json_text(const char *text) {
    json_t *json = json_string(text);
    return json ? json : json_string("(not UTF-8)");
}

json_t *cli_diagnostic_json(const struct qpucc_diagnostic *d, const char *severity) {
    json_t *file = json_string(d->file);
    return json_pack("{s:s, s:s, s:o, s:i, s:i, s:o}", "severity", severity, "code", d->code, "file",
                     file ? file : json_string("?"), "line", (int)d->line, "column", (int)d->column, "text",
                     cli_json_text(d->text));
}

json_t *cli_diagnostics_json(const qpucc_program *program) {
    static const char *const words[] = {"error", "warning", "note"};
    json_t *list = json_array();
    for (size_t i = 0; i < qpucc_program_diagnostic_count(program); i++) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, i);
        json_array_append_new(list, cli_diagnostic_json(d, words[d->severity]));
    }
    return list;
}

const char *cli_chip_name(const qpucc_program *program) {
    struct qpucc_chip chip = qpucc_program_chip(program);
    return qpucc_chip_name(&chip);
}

static json_t *shader_json(const qpucc_program *program, const char *name) {
    json_t *text = json_string(name);
    return json_pack("{s:o, s:o}", "name", text ? text : json_string("?"), "stages",
                     cli_stages_json(program, false));
}

json_t *cli_stats_json(const qpucc_program *program, const char *name) {
    json_t *shaders = json_array();
    if (qpucc_program_status(program) == QPUCC_OK)
        json_array_append_new(shaders, shader_json(program, name));
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "schema", CLI_STATS_SCHEMA, "compiler",
                     qpucc_version(), "policy", qpucc_policy_name(qpucc_program_policy(program)), "chip",
                     cli_chip_name(program), "shaders", shaders, "diagnostics",
                     cli_diagnostics_json(program));
}

/* --- the whole program ---------------------------------------------------------------------------------- */

static json_t *variables_json(const qpucc_program *program, enum qpucc_interface which) {
    json_t *list = json_array();
    for (size_t i = 0; i < qpucc_program_variable_count(program, which); i++) {
        const struct qpucc_variable *v = qpucc_program_variable(program, which, i);
        json_array_append_new(
            list, json_pack("{s:o, s:s, s:i, s:i, s:i, s:i, s:b}", "name", cli_json_text(v->name), "base",
                            qpucc_base_type_name(v->base), "rows", (int)v->rows, "columns", (int)v->cols,
                            "array", (int)v->array_length, "word", (int)v->word, "used", (int)v->used));
    }
    return list;
}

json_t *cli_program_json(const qpucc_program *program, const char *name) {
    static const char *const tables[] = {"uniforms", "samplers", "attributes", "varyings"};
    json_t *out = cli_stats_json(program, name);
    json_object_set_new(out, "schema", json_string(CLI_PROGRAM_SCHEMA));
    if (qpucc_program_status(program) != QPUCC_OK)
        return out;
    json_object_set_new(json_array_get(json_object_get(out, "shaders"), 0), "stages",
                        cli_stages_json(program, true));
    for (int t = 0; t < 4; t++)
        json_object_set_new(out, tables[t], variables_json(program, (enum qpucc_interface)t));
    cli_layout_json(program, out);
    return out;
}

/* --- text ----------------------------------------------------------------------------------------------- */

void cli_print_stats(const qpucc_program *program, FILE *out) {
    fprintf(out, "%-10s %12s %8s %7s %9s %6s %6s %4s %4s\n", "stage", "instructions", "uniforms", "threads",
            "registers", "cycles", "bound", "tmu", "sfu");
    for (int i = 0; i < QPUCC_STAGE_COUNT; i++) {
        const struct qpucc_stage_stats *s = qpucc_program_stats(program, (enum qpucc_stage)i);
        char registers[40];
        if (!s)
            continue;
        snprintf(registers, sizeof registers, "%u+%u+%u", s->regs_a, s->regs_b, s->accumulators);
        fprintf(out, "%-10s %12u %8u %7u %9s %6u %6u %4u %4u\n", qpucc_stage_name((enum qpucc_stage)i),
                s->instructions, s->uniforms, s->threads, registers, s->cycles, s->lower_bound, s->tmu,
                s->sfu);
    }
    for (int i = 0; i < QPUCC_STAGE_COUNT; i++) {
        size_t loops = cli_loops(program, (enum qpucc_stage)i, NULL, 0);
        if (loops)
            fprintf(out, "%s: %zu loop%s; the cycles are those of one iteration%s\n",
                    qpucc_stage_name((enum qpucc_stage)i), loops, loops == 1 ? "" : "s",
                    loops == 1 ? "" : " of each");
    }
}
