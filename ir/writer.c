/* Growing text: see writer.h. */
#include "ir/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIRST = 1024 };

/* So that `more` characters and a NUL fit. */
static bool make_room(struct ir_writer *out, size_t more) {
    if (out->failed || out->capacity - out->size > more)
        return !out->failed;
    size_t capacity = (out->capacity ? 2 * out->capacity : FIRST) + more;
    char *larger = ir_heap_resize(out->from, out->text, capacity);
    out->failed = !larger;
    if (!larger)
        return false;
    out->text = larger;
    out->capacity = capacity;
    return true;
}

void ir_write(struct ir_writer *out, const char *format, ...) {
    for (int again = 0; again < 2 && make_room(out, 64); again++) {
        size_t left = out->capacity - out->size;
        va_list list;
        va_start(list, format);
        int length = vsnprintf(out->text + out->size, left, format, list);
        va_end(list);
        if (length < 0)
            out->failed = true;
        else if ((size_t)length < left) {
            out->size += (size_t)length;
            return;
        } else if (!make_room(out, (size_t)length))
            return;
    }
}

void ir_write_text(struct ir_writer *out, const char *text) {
    size_t length = strlen(text);
    if (!make_room(out, length))
        return;
    memcpy(out->text + out->size, text, length + 1);
    out->size += length;
}

void ir_write_char(struct ir_writer *out, char c) {
    if (!make_room(out, 1))
        return;
    out->text[out->size++] = c;
    out->text[out->size] = 0;
}

char *ir_written(struct ir_writer *out) {
    char *text = make_room(out, 0) ? out->text : NULL;
    if (!text)
        ir_heap_free(out->text);
    else
        text[out->size] = 0;
    out->text = NULL;
    return text;
}
