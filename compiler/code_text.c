/* The library's entry points for code as text: assembler, disassembler, rule checker. They need the
 * instruction set alone, so a program that links only these gets nothing else of the compiler. */
#include "backend/isa/isa.h"

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

static void give(const struct qpu_violation *found, struct qpucc_rule_violation *out) {
    out->instruction = found->index;
    out->warning = found->warning;
    out->rule = found->rule;
    memcpy(out->text, found->text, sizeof out->text);
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
    for (size_t i = 0; i < total && i < max; i++)
        give(&found[i], &out[i]);
    free(found);
    return total;
}

size_t qpucc_check_chip(const uint64_t *code, size_t count, enum qpucc_stage stage,
                        const struct qpucc_chip *chip, struct qpucc_rule_violation *out, size_t max) {
    struct qpu_check_options options = {
        .stage = (unsigned)stage < QPUCC_STAGE_COUNT ? stage : QPUCC_FRAGMENT, .foreign = true, .chip = chip};
    /* the other rules may be broken, too, each once in an instruction */
    size_t expected = qpu_check(code, count, &options, NULL, 0), found_chip = 0;
    struct qpu_violation *found = malloc((expected + 1) * sizeof *found);
    size_t total = found ? qpu_check(code, count, &options, found, expected) : 0;
    for (size_t i = 0; i < total && i < expected; i++) {
        if (strncmp(found[i].rule, "chip-", 5) != 0)
            continue;
        if (found_chip < max)
            give(&found[i], &out[found_chip]);
        found_chip++;
    }
    free(found);
    return found_chip;
}
