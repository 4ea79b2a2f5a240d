/* Inside the parser of the text form: its state, and what its files share. */
#ifndef QPUCC_IR_PARSE_H
#define QPUCC_IR_PARSE_H

#include "ir/internal.h"

#define MAX_ID (1u << 22)
#define MAX_NESTING 64
#define WORD 80 /* longest word, with its zero */

struct line_of {
    const struct ir_inst *inst;
    uint32_t line;
};

/* Numbers in the text to what they name; outside the arena, where it can grow and go. */
struct map {
    void **entry;
    uint32_t capacity, next; /* next: one more than the largest number seen */
};

struct parser {
    const char *at, *end;
    uint32_t line;
    struct ir_shader *shader;
    struct ir_block *block; /* the one being filled */
    struct map values, places;
    struct line_of *lines;
    uint32_t nlines, cap_lines;
    uint32_t *slot, nslots, cap_slots; /* by number in the header */
    bool started, failed;
    char *error;
    size_t size;
};

/* Notes the first error with its line; returns false. */
__attribute__((format(printf, 2, 3))) bool ir_text_fail(struct parser *p, const char *format, ...);
/* The next character, -1 at the end. */
int ir_text_peek(const struct parser *p);
/* Steps over blanks and a comment, not over the end of the line. */
void ir_text_blanks(struct parser *p);
bool ir_text_at_line_end(struct parser *p);
/* After blanks: takes the character (the word) if it is there. expect: complains if it is not. */
bool ir_text_accept(struct parser *p, char c);
bool ir_text_expect(struct parser *p, char c);
/* A word: letters, digits, '_' and '.', begun by a letter or '_'. Empty where there is none. */
void ir_text_word(struct parser *p, char out[WORD]);
bool ir_text_accept_word(struct parser *p, const char *want);
/* A decimal number: digits right here, number after blanks, number_at inside a word ("12" after "tex"). */
bool ir_text_digits(struct parser *p, uint32_t *out);
bool ir_text_number(struct parser *p, uint32_t *out);
/* 0x and hexadecimal digits, right here. */
bool ir_text_hex(struct parser *p, uint32_t *out);
bool ir_text_number_at(const char **text, uint32_t *out);
/* A quoted string, into the arena; NULL on error. */
char *ir_text_string(struct parser *p);
/* Place of text among names, -1 if it is none of them. */
int ir_text_index_of(const char *text, const char *const *names, int count);
bool ir_text_type_named(const char *text, enum ir_type *out);
/* file:line:column, after the '@'. */
bool ir_text_loc(struct parser *p, struct ir_loc *out);
/* A slot; `expected`: its type if the text says no other. */
bool ir_text_slot(struct parser *p, enum ir_type expected, uint32_t *out);
extern const char *const ir_text_precisions[3];

/* parse_header.c: one line of the header, up to its end. */
bool ir_text_header_line(struct parser *p);

#endif
