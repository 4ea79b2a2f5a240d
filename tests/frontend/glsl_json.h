/* glsl_json.h: just enough of a JSON reader for the shared case files. Values live until json_free(). */
#ifndef QPUCC_TESTS_GLSL_JSON_H
#define QPUCC_TESTS_GLSL_JSON_H

#include <stdbool.h>
#include <stddef.h>

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
    enum json_kind kind;
    char *key;    /* inside an object */
    char *string; /* UTF-8, NUL-terminated */
    size_t length;
    struct json *items;
    size_t count;
};

/* NULL when the text is not JSON. */
struct json *json_parse(const char *text, size_t length);
void json_free(struct json *value);
const struct json *json_get(const struct json *object, const char *key); /* NULL: absent */
const char *json_string(const struct json *object, const char *key);     /* NULL: absent or no string */

#endif
