/* JSON as it is written, for answers of many lines: a tree of values would cost more than the compile. */
#ifndef SERVE_WRITER_H
#define SERVE_WRITER_H

#include <stdbool.h>
#include <stddef.h>

struct writer {
    char *text; /* malloc'ed; with a NUL after the last byte once something was written */
    size_t size, room;
    bool failed; /* memory ran out: what follows is dropped */
};

void write_text(struct writer *w, const char *text);
void write_bytes(struct writer *w, const char *text, size_t length);
/* A string with its quotes and escapes; what is not UTF-8 becomes a question mark. */
void write_string(struct writer *w, const char *text, size_t length);
void write_number(struct writer *w, long number);

#endif
