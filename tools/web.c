/* Looks up the page's files and fills the report in. */
#include "web.h"

#include <stdlib.h>
#include <string.h>

const struct web_file *web_file(const char *path) {
    for (unsigned k = 0; k < web_file_count; k++)
        if (!strcmp(web_files[k].path, path))
            return &web_files[k];
    return NULL;
}

bool web_present(void) {
    return web_file_count > 0;
}

/* How `c` is written in a title, or in JSON within a script element; NULL: as it is. There only '<' could end
 * the element, and in JSON it stands in strings alone. */
static const char *escaped(char c, bool json) {
    if (json)
        return c == '<' ? "\\u003c" : NULL;
    return c == '<' ? "&lt;" : c == '&' ? "&amp;" : NULL;
}

static size_t escape(char *out, const char *text, bool json) {
    size_t size = 0;
    for (; *text; text++) {
        const char *other = escaped(*text, json);
        size_t length = other ? strlen(other) : 1;
        if (out)
            memcpy(out + size, other ? other : text, length);
        size += length;
    }
    return size;
}

static size_t put(char *out, struct web_piece piece) {
    memcpy(out, piece.data, piece.size);
    return piece.size;
}

char *web_report(const char *title, const char *data, bool machine, size_t *size) {
    const struct web_piece *piece = web_report_pieces;
    if (!web_present())
        return NULL;
    *size = escape(NULL, title, false) + escape(NULL, data, true);
    for (int i = 0; i < 5; i++)
        *size += i != 3 || machine ? piece[i].size : 0;
    char *out = malloc(*size + 1), *end = out;
    if (!out)
        return NULL;
    end += put(end, piece[0]);
    end += escape(end, title, false);
    end += put(end, piece[1]);
    end += escape(end, data, true);
    end += put(end, piece[2]);
    end += machine ? put(end, piece[3]) : 0;
    end += put(end, piece[4]);
    *end = 0;
    return out;
}
