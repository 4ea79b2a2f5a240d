/* The text doors of the library: assembler, disassembler, rule checker, passes on IR text. */
#include "backend/isa/isa.h"
#include "ir/ir.h"
#include "passes/passes.h"

#include <qpucc/qpucc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t qpucc_disassemble(uint64_t instruction, unsigned index, char *buffer, size_t size) {
    return qpu_disassemble(instruction, index, buffer, size);
}

uint64_t *qpucc_assemble(const char *text, size_t length, size_t *count, char *error, size_t error_size) {
    struct qpu_asm_result result = qpu_assemble(text, length);
    *count = result.code ? result.count : 0;
    if (!result.code && error_size)
        snprintf(error, error_size, "line %u: %s", result.line, result.error);
    return result.code;
}

size_t qpucc_check(const uint64_t *code, size_t count, enum qpucc_stage stage, bool threaded,
                   bool linux_rules, struct qpucc_rule_violation *out, size_t max) {
    struct qpu_check_options options = {.stage = (unsigned)stage < QPUCC_STAGE_COUNT ? stage : QPUCC_FRAGMENT,
                                        .profile = linux_rules ? QPU_PROFILE_LINUX : QPU_PROFILE_HW,
                                        .threaded = threaded,
                                        .foreign = true};
    struct qpu_violation *found = malloc((max ? max : 1) * sizeof *found);
    if (!found)
        return 0;
    size_t total = qpu_check(code, count, &options, found, max);
    for (size_t i = 0; i < total && i < max; i++) {
        out[i].instruction = found[i].index;
        out[i].warning = found[i].warning;
        out[i].rule = found[i].rule;
        memcpy(out[i].text, found[i].text, sizeof out[i].text);
    }
    free(found);
    return total;
}

char *qpucc_opt(const char *text, size_t length, const char *passes, char *error, size_t error_size) {
    struct ir_shader *shader = ir_parse(text, length, error, error_size);
    if (!shader)
        return NULL;
    char *out = NULL;
    struct pass_options options = passes_default_options();
    options.verify = true;
    char fault[200];
    if (!ir_verify(shader, fault, sizeof fault)) {
        if (error_size)
            snprintf(error, error_size, "before any pass: %s", fault);
    } else if (passes_run_named(shader, passes, &options, error, error_size)) {
        out = ir_print_to_string(shader);
        if (!out && error_size)
            snprintf(error, error_size, "out of memory");
    }
    ir_shader_destroy(shader);
    return out;
}

const char *qpucc_stage_name(enum qpucc_stage stage) {
    return (unsigned)stage < QPUCC_STAGE_COUNT ? ir_stage_names[stage] : NULL;
}

const char *qpucc_pass_name(size_t index, const char **description) {
    size_t count;
    const struct pass_info *table = passes_table(&count);
    if (index >= count)
        return NULL;
    if (description)
        *description = table[index].description;
    return table[index].name;
}
