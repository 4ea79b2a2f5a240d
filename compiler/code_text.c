/* The library's doors for code as text: assembler, disassembler, rule checker. They need the instruction set
 * alone, so a program that links only these gets nothing else of the compiler. */
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
