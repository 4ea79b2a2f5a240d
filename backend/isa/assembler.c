/* Assembles whole programs: lines, labels, comments and the sniffer's listings; parse_inst.c reads the
 * instructions.
 *
 * A listing line ("00000000: 15827d80 10020827 mov r0, unif") is assembled from its text like any other; its
 * words are then compared, low word first, and a difference is an error. */
#include "backend/isa/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct label {
    struct qpu_span name;
    int64_t index;
    unsigned line;
};

struct program {
    uint64_t *code;
    size_t count, capacity;
    struct label *labels;
    size_t label_count, label_capacity;
};

/* A line of the source: what is left of it after label, prefix and comment. */
struct line {
    struct qpu_span label, text;
    bool listed, raw;
    uint64_t word, raw_word; /* of a listing; of a .word */
};

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void skip_space(struct qpu_span *s) {
    while (s->n > 0 && qpu_is_space(s->p[0])) {
        s->p++;
        s->n--;
    }
}

/* Reads exactly `digits` hexadecimal digits that end there. */
static bool take_hex(struct qpu_span *s, unsigned digits, uint64_t *value) {
    *value = 0;
    if (s->n < digits) {
        return false;
    }
    for (unsigned i = 0; i < digits; i++) {
        char c = s->p[i];
        unsigned digit;
        if (c >= '0' && c <= '9') {
            digit = (unsigned)(c - '0');
        } else if (c >= 'a' && c <= 'f') {
            digit = (unsigned)(c - 'a' + 10);
        } else if (c >= 'A' && c <= 'F') {
            digit = (unsigned)(c - 'A' + 10);
        } else {
            return false;
        }
        *value = *value << 4 | digit;
    }
    if (s->n > digits && is_name(s->p[digits])) {
        return false;
    }
    s->p += digits;
    s->n -= digits;
    return true;
}

static bool take_listing_prefix(struct qpu_span *s, uint64_t *word) {
    struct qpu_span rest = *s;
    uint64_t address, low, high;
    if (!take_hex(&rest, 8, &address) || rest.n == 0 || rest.p[0] != ':') {
        return false;
    }
    rest.p++;
    rest.n--;
    skip_space(&rest);
    if (!take_hex(&rest, 8, &low)) {
        return false;
    }
    skip_space(&rest);
    if (!take_hex(&rest, 8, &high)) {
        return false;
    }
    *s = rest;
    *word = high << 32 | low;
    return true;
}

static void cut_comment(struct qpu_span *s) {
    for (size_t i = 0; i < s->n; i++) {
        if (s->p[i] == '#' || (s->p[i] == '/' && i + 1 < s->n && s->p[i + 1] == '/')) {
            s->n = i;
        }
    }
    while (s->n > 0 && qpu_is_space(s->p[s->n - 1])) {
        s->n--;
    }
    skip_space(s);
}

static struct line read_line(struct qpu_span s) {
    struct line line = {0};
    cut_comment(&s);
    line.listed = take_listing_prefix(&s, &line.word);
    skip_space(&s);
    size_t n = 0;
    while (n < s.n && is_name(s.p[n])) {
        n++;
    }
    if (!line.listed && n > 0 && n < s.n && s.p[n] == ':') {
        line.label = (struct qpu_span){s.p, n};
        s.p += n + 1;
        s.n -= n + 1;
        skip_space(&s);
    }
    if (s.n > 8 && memcmp(s.p, ".word 0x", 8) == 0) {
        struct qpu_span hex = {s.p + 8, s.n - 8};
        line.raw = take_hex(&hex, 16, &line.raw_word) && hex.n == 0;
    }
    line.text = s;
    return line;
}

static bool next_line(struct qpu_span *rest, struct qpu_span *line) {
    if (rest->n == 0) {
        return false;
    }
    const char *end = memchr(rest->p, '\n', rest->n);
    line->p = rest->p;
    line->n = end ? (size_t)(end - rest->p) : rest->n;
    size_t used = line->n + (end != NULL);
    rest->p += used;
    rest->n -= used;
    return true;
}

static bool grow(void **array, size_t *capacity, size_t item) {
    size_t wanted = *capacity ? *capacity * 2 : 64;
    void *grown = realloc(*array, wanted * item);
    if (!grown) {
        return false;
    }
    *array = grown;
    *capacity = wanted;
    return true;
}

static int compare_labels(const void *a, const void *b) {
    const struct label *x = a, *y = b;
    size_t n = x->name.n < y->name.n ? x->name.n : y->name.n;
    int order = memcmp(x->name.p, y->name.p, n);
    if (order != 0) {
        return order;
    }
    return x->name.n < y->name.n ? -1 : x->name.n > y->name.n;
}

static int64_t find_label(const void *data, struct qpu_span name) {
    const struct program *program = data;
    struct label key = {.name = name};
    const struct label *found = program->label_count ? bsearch(&key, program->labels, program->label_count,
                                                               sizeof key, compare_labels)
                                                     : NULL;
    return found ? found->index : -1;
}

/* First pass: where the labels are. */
static bool collect_labels(struct qpu_span text, struct program *program, struct qpu_asm_result *result) {
    struct qpu_span piece;
    int64_t index = 0;
    for (unsigned number = 1; next_line(&text, &piece); number++) {
        struct line line = read_line(piece);
        if (line.label.n > 0) {
            if (program->label_count == program->label_capacity &&
                !grow((void **)&program->labels, &program->label_capacity, sizeof *program->labels)) {
                result->line = number;
                snprintf(result->error, sizeof result->error, "out of memory");
                return false;
            }
            program->labels[program->label_count++] = (struct label){line.label, index, number};
        }
        index += line.text.n > 0 || line.listed;
    }
    if (program->label_count > 1) {
        qsort(program->labels, program->label_count, sizeof *program->labels, compare_labels);
    }
    for (size_t i = 1; i < program->label_count; i++) {
        if (compare_labels(&program->labels[i - 1], &program->labels[i]) == 0) {
            struct qpu_span name = program->labels[i].name;
            result->line = program->labels[i].line;
            snprintf(result->error, sizeof result->error, "label %.*s is defined twice",
                     (int)(name.n < 40 ? name.n : 40), name.p);
            return false;
        }
    }
    return true;
}

static bool assemble_line(struct program *program, const struct line *line, struct qpu_asm_result *result) {
    uint64_t word = line->raw ? line->raw_word : line->word;
    if (!line->raw && (line->text.n > 0 || !line->listed)) {
        const struct qpu_labels labels = {find_label, program};
        struct qpu_inst inst;
        if (!qpu_parse_inst(line->text, (unsigned)program->count, &labels, &inst, result->error,
                            sizeof result->error)) {
            return false;
        }
        word = qpu_encode(&inst);
    }
    if (line->listed && word != line->word) {
        snprintf(result->error, sizeof result->error,
                 "text assembles to %08" PRIx32 " %08" PRIx32 ", the listing says %08" PRIx32 " %08" PRIx32,
                 (uint32_t)word, (uint32_t)(word >> 32), (uint32_t)line->word, (uint32_t)(line->word >> 32));
        return false;
    }
    if (program->count == program->capacity &&
        !grow((void **)&program->code, &program->capacity, sizeof *program->code)) {
        snprintf(result->error, sizeof result->error, "out of memory");
        return false;
    }
    program->code[program->count++] = word;
    return true;
}

struct qpu_asm_result qpu_assemble(const char *text, size_t length) {
    struct qpu_asm_result result = {0};
    struct program program = {0};
    struct qpu_span rest = {text, length}, piece;
    bool fine = collect_labels(rest, &program, &result);
    /* An empty program still gets an array: NULL means failure. */
    if (fine && !grow((void **)&program.code, &program.capacity, sizeof *program.code)) {
        snprintf(result.error, sizeof result.error, "out of memory");
        fine = false;
    }
    for (unsigned number = 1; fine && next_line(&rest, &piece); number++) {
        struct line line = read_line(piece);
        if ((line.text.n > 0 || line.listed) && !assemble_line(&program, &line, &result)) {
            result.line = number;
            fine = false;
        }
    }
    free(program.labels);
    if (!fine) {
        free(program.code);
        return result;
    }
    result.code = program.code;
    result.count = program.count;
    return result;
}
