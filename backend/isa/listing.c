/* Prints whole programs: the disassembler's lines with labels and, on request, the words. */
#include "backend/isa/isa.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 512 };

struct text {
    char *p;
    size_t length, capacity;
};

static bool append(struct text *text, const char *line) {
    size_t n = strlen(line);
    if (text->length + n + 1 > text->capacity) {
        size_t wanted = 2 * text->capacity + n + 1;
        char *grown = realloc(text->p, wanted);
        if (!grown) {
            return false;
        }
        text->p = grown;
        text->capacity = wanted;
    }
    memcpy(text->p + text->length, line, n + 1);
    text->length += n;
    return true;
}

/* Marks the instructions that a branch of the program goes to; place `count` is its end. */
static void mark_targets(const uint64_t *code, size_t count, uint8_t *target) {
    for (size_t i = 0; i < count; i++) {
        struct qpu_inst inst;
        qpu_decode(code[i], &inst);
        if (inst.type == QPU_BRANCH && inst.br_rel && !inst.br_reg && (int32_t)inst.imm % 8 == 0) {
            int64_t to = (int64_t)i + 1 + QPU_BRANCH_SLOTS + (int32_t)inst.imm / 8;
            if (to >= 0 && to <= (int64_t)count) {
                target[to] = 1;
            }
        }
    }
}

static bool append_line(struct text *text, const uint64_t *code, size_t i, bool hex) {
    char line[LINE_SIZE];
    if (hex) {
        snprintf(line, sizeof line, "%08zx: %08" PRIx32 " %08" PRIx32 " ", 2 * i, (uint32_t)code[i],
                 (uint32_t)(code[i] >> 32));
        if (!append(text, line)) {
            return false;
        }
    }
    qpu_disassemble(code[i], (unsigned)i, line, sizeof line);
    return append(text, line) && append(text, "\n");
}

char *qpu_list(const uint64_t *code, size_t count, bool hex) {
    struct text text = {0};
    uint8_t *target = calloc(count + 1, 1);
    bool fine = target && append(&text, "");
    if (fine) {
        mark_targets(code, count, target);
    }
    for (size_t i = 0; fine && i <= count; i++) {
        if (target[i]) {
            char label[32];
            snprintf(label, sizeof label, "L%zu:\n", i);
            fine = append(&text, label);
        }
        fine = fine && (i == count || append_line(&text, code, i, hex));
    }
    free(target);
    if (!fine) {
        free(text.p);
        return NULL;
    }
    return text.p;
}
