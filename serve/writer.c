/* A growing text, and what JSON asks of strings. */
#include "writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void write_bytes(struct writer *w, const char *text, size_t length) {
    if (w->failed)
        return;
    if (w->size + length + 1 > w->room) {
        size_t room = 2 * (w->size + length) + 4096;
        char *grown = realloc(w->text, room);
        if (!grown) {
            w->failed = true;
            return;
        }
        w->text = grown;
        w->room = room;
    }
    memcpy(w->text + w->size, text, length);
    w->size += length;
    w->text[w->size] = 0;
}

void write_text(struct writer *w, const char *text) {
    write_bytes(w, text, strlen(text));
}

void write_number(struct writer *w, long number) {
    char digits[24];
    write_bytes(w, digits, (size_t)snprintf(digits, sizeof digits, "%ld", number));
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

void write_string(struct writer *w, const char *text, size_t length) {
    const unsigned char *at = (const unsigned char *)text;
    size_t plain = 0; /* where what needs no escape begins */
    write_bytes(w, "\"", 1);
    for (size_t i = 0; i < length;) {
        size_t size = character(at + i, length - i);
        if (size > 1 || (size == 1 && at[i] >= 0x20 && at[i] != '"' && at[i] != '\\' && at[i] != 0x7f)) {
            i += size;
            continue;
        }
        char escape[8];
        write_bytes(w, text + plain, i - plain);
        if (!size)
            write_bytes(w, "?", 1);
        else if (at[i] == '"' || at[i] == '\\')
            write_bytes(w, escape, (size_t)snprintf(escape, sizeof escape, "\\%c", at[i]));
        else
            write_bytes(w, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", at[i]));
        plain = ++i;
    }
    write_bytes(w, text + plain, length - plain);
    write_bytes(w, "\"", 1);
}
