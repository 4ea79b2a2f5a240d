/* JSON as it is written, for answers of many lines: a tree of values would cost more than the compile. */
#ifndef SERVE_WRITER_H
#define SERVE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct writer {
    char *text; /* malloc'ed; with a NUL after the last byte once something was written */
    size_t size, capacity;
    bool failed; /* memory ran out: what follows is dropped */
};

/* Makes room for `length` bytes more and a NUL. */
bool write_room(struct writer *w, size_t length);

static inline void write_bytes(struct writer *w, const char *text, size_t length) {
    if (w->size + length >= w->capacity && !write_room(w, length))
        return;
    memcpy(w->text + w->size, text, length);
    w->size += length;
    w->text[w->size] = 0;
}

/* Here, so that the length of a literal is known. */
static inline void write_text(struct writer *w, const char *text) {
    write_bytes(w, text, strlen(text));
}

/* A string with its quotes and escapes; what is not UTF-8 becomes a question mark. */
void write_string(struct writer *w, const char *text, size_t length);
void write_number(struct writer *w, long number);

#endif
