/* A growing text, and what JSON asks of strings. */
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>

bool write_room(struct writer *w, size_t length) {
    size_t capacity = 2 * (w->size + length) + 4096;
    char *grown = w->failed ? NULL : realloc(w->text, capacity);
    if (grown) {
        w->text = grown;
        w->capacity = capacity;
        return true;
    }
    w->failed = true;
    w->capacity = 0; /* nothing fits from now on */
    return false;
}

void write_number(struct writer *w, long number) {
    char digits[24], *at = digits + sizeof digits;
    unsigned long left = number < 0 ? 0ul - (unsigned long)number : (unsigned long)number;
    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (number < 0)
        *--at = '-';
    write_bytes(w, at, (size_t)(digits + sizeof digits - at));
}

/* Bytes of the character that begins here; 0: it is none (RFC 3629). */
static size_t character(const unsigned char *at, size_t left) {
    size_t length = at[0] < 0x80   ? 1
                    : at[0] < 0xc2 ? 0
                    : at[0] < 0xe0 ? 2
                    : at[0] < 0xf0 ? 3
                    : at[0] < 0xf5 ? 4
                                   : 0;
    if (length > left)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if (length < 3)
        return length;
    unsigned first = (unsigned)at[0] << 8 | at[1];
    bool wrong = (first >= 0xe080 && first < 0xe0a0) || (first >= 0xeda0 && first < 0xedc0) ||
                 (first >= 0xf080 && first < 0xf090) || (first >= 0xf490 && first < 0xf4c0);
    return wrong ? 0 : length;
}

static bool is_plain(unsigned char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

void write_string(struct writer *w, const char *text, size_t length) {
    const unsigned char *at = (const unsigned char *)text;
    size_t plain = 0; /* where what needs no escape begins */
    write_bytes(w, "\"", 1);
    for (size_t i = 0; i < length;) {
        if (is_plain(at[i])) {
            i++;
            continue;
        }
        size_t size = character(at + i, length - i);
        if (size > 1) {
            i += size;
            continue;
        }
        char escape[8];
        write_bytes(w, text + plain, i - plain);
        if (!size)
            write_text(w, "?");
        else if (at[i] == '"' || at[i] == '\\')
            write_bytes(w, escape, (size_t)snprintf(escape, sizeof escape, "\\%c", at[i]));
        else
            write_bytes(w, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", at[i]));
        plain = ++i;
    }
    write_bytes(w, text + plain, length - plain);
    write_bytes(w, "\"", 1);
}
