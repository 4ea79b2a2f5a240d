/* Reading the text form: characters, words, numbers, strings. */
#include "ir/parse.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool ir_text_fail(struct parser *p, const char *format, ...) {
    if (p->failed)
        return false;
    p->failed = true;
    if (!p->error || !p->size)
        return false;
    int n = snprintf(p->error, p->size, "line %u: ", p->line);
    if (n < 0 || (size_t)n >= p->size)
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(p->error + n, p->size - (size_t)n, format, args);
    va_end(args);
    return false;
}

/* --- characters and words ------------------------------------------------------------------------------- */

int ir_text_peek(const struct parser *p) {
    return p->at < p->end ? (unsigned char)*p->at : -1;
}

void ir_text_blanks(struct parser *p) {
    while (ir_text_peek(p) == ' ' || ir_text_peek(p) == '\t' || ir_text_peek(p) == '\r')
        p->at++;
    if (ir_text_peek(p) == ';')
        while (p->at < p->end && *p->at != '\n')
            p->at++;
}

bool ir_text_at_line_end(struct parser *p) {
    ir_text_blanks(p);
    return ir_text_peek(p) == -1 || ir_text_peek(p) == '\n';
}

bool ir_text_accept(struct parser *p, char c) {
    ir_text_blanks(p);
    if (ir_text_peek(p) != (unsigned char)c)
        return false;
    p->at++;
    return true;
}

bool ir_text_expect(struct parser *p, char c) {
    return ir_text_accept(p, c) || ir_text_fail(p, "expected '%c'", c);
}

/* A word: letters, digits, '_' and '.', begun by a letter or '_'. Empty where there is none. */
void ir_text_word(struct parser *p, char out[WORD]) {
    size_t n = 0;
    ir_text_blanks(p);
    const char *start = p->at;
    if (isalpha(ir_text_peek(p)) || ir_text_peek(p) == '_')
        while (n < WORD - 1 && (isalnum(ir_text_peek(p)) || ir_text_peek(p) == '_' || ir_text_peek(p) == '.'))
            out[n++] = *p->at++;
    if (n == WORD - 1) {
        n = 0;
        p->at = start;
    }
    out[n] = 0;
}

bool ir_text_accept_word(struct parser *p, const char *want) {
    char text[WORD];
    ir_text_blanks(p);
    const char *start = p->at;
    ir_text_word(p, text);
    if (strcmp(text, want) == 0)
        return true;
    p->at = start;
    return false;
}

bool ir_text_digits(struct parser *p, uint32_t *out) {
    uint64_t value = 0;
    if (!isdigit(ir_text_peek(p)))
        return ir_text_fail(p, "expected a number");
    while (isdigit(ir_text_peek(p))) {
        value = value * 10 + (uint64_t)(*p->at++ - '0');
        if (value > UINT32_MAX)
            return ir_text_fail(p, "number too large");
    }
    *out = (uint32_t)value;
    return true;
}

bool ir_text_number(struct parser *p, uint32_t *out) {
    ir_text_blanks(p);
    return ir_text_digits(p, out);
}

bool ir_text_hex(struct parser *p, uint32_t *out) {
    uint64_t value = 0;
    if (p->end - p->at < 3 || p->at[0] != '0' || (p->at[1] | 32) != 'x' || !isxdigit((unsigned char)p->at[2]))
        return ir_text_fail(p, "expected 0x and hexadecimal digits");
    for (p->at += 2; isxdigit(ir_text_peek(p)); p->at++) {
        int c = ir_text_peek(p);
        value = value * 16 + (uint64_t)(isdigit(c) ? c - '0' : (c | 32) - 'a' + 10);
        if (value > UINT32_MAX)
            return ir_text_fail(p, "number too large");
    }
    *out = (uint32_t)value;
    return true;
}

/* What follows a letter inside a word: "tex12" has 12 after "tex". */
bool ir_text_number_at(const char **text, uint32_t *out) {
    uint64_t value = 0;
    if (!isdigit((unsigned char)**text))
        return false;
    for (; isdigit((unsigned char)**text); ++*text) {
        value = value * 10 + (uint64_t)(**text - '0');
        if (value > UINT32_MAX)
            return false;
    }
    *out = (uint32_t)value;
    return true;
}

char *ir_text_string(struct parser *p) {
    if (!ir_text_expect(p, '"'))
        return NULL;
    const char *scan = p->at;
    while (scan < p->end && *scan != '"' && *scan != '\n')
        scan += *scan == '\\' && p->end - scan > 1 ? 2 : 1;
    if (scan >= p->end || *scan != '"') {
        ir_text_fail(p, "string without an end");
        return NULL;
    }
    char *text = ir_alloc(p->shader->arena, (size_t)(scan - p->at) + 1);
    size_t n = 0;
    while (p->at < scan) {
        int c = (unsigned char)*p->at++;
        if (c == '\\') {
            c = (unsigned char)*p->at++; /* there is one: the scan above stepped over both */
            if (c == 'x') {
                if (scan - p->at < 2 || !isxdigit((unsigned char)p->at[0]) ||
                    !isxdigit((unsigned char)p->at[1])) {
                    ir_text_fail(p, "bad escape");
                    return NULL;
                }
                char two[3] = {p->at[0], p->at[1], 0};
                c = (int)strtoul(two, NULL, 16);
                p->at += 2;
            }
        }
        if (c == 0) {
            ir_text_fail(p, "zero byte in a string");
            return NULL;
        }
        text[n++] = (char)c;
    }
    p->at = scan + 1;
    return text;
}

int ir_text_index_of(const char *text, const char *const *names, int count) {
    for (int k = 0; k < count; k++)
        if (names[k] && strcmp(text, names[k]) == 0)
            return k;
    return -1;
}

bool ir_text_type_named(const char *text, enum ir_type *out) {
    static const char *const names[] = {"void", "f32", "i32", "bool"};
    int k = ir_text_index_of(text, names, 4);
    if (k > 0)
        *out = (enum ir_type)k;
    return k > 0;
}

bool ir_text_loc(struct parser *p, struct ir_loc *out) { /* after the '@' */
    uint32_t file, line, column;
    if (!ir_text_number(p, &file) || !ir_text_expect(p, ':') || !ir_text_number(p, &line) ||
        !ir_text_expect(p, ':') || !ir_text_number(p, &column))
        return false;
    if (file > UINT16_MAX || column > UINT16_MAX)
        return ir_text_fail(p, "position out of range");
    *out = (struct ir_loc){.line = line, .column = (uint16_t)column, .file = (uint16_t)file};
    return true;
}

const char *const ir_text_precisions[3] = {"highp", "mediump", "lowp"};
