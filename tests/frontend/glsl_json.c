/* glsl_json.c: see glsl_json.h. */
#include "glsl_json.h"

#include <stdlib.h>
#include <string.h>

struct text {
    const char *at, *end;
    bool bad;
};

static void space(struct text *t) {
    while (t->at < t->end && strchr(" \t\r\n", *t->at))
        t->at++;
}

static unsigned hex(struct text *t) {
    unsigned value = 0;
    for (int i = 0; i < 4; i++) {
        char c = t->at < t->end ? *t->at++ : 0;
        value = value * 16 + (unsigned)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    return value;
}

static char *string(struct text *t, size_t *length) {
    char *out = malloc((size_t)(t->end - t->at) + 4), *p = out;
    size_t capacity_hint = 0;
    t->at++;
    while (t->at < t->end && *t->at != '"') {
        char c = *t->at++;
        if (c != '\\') {
            *p++ = c;
            continue;
        }
        c = t->at < t->end ? *t->at++ : 0;
        switch (c) {
        case 'n': *p++ = '\n'; break;
        case 't': *p++ = '\t'; break;
        case 'r': *p++ = '\r'; break;
        case 'b': *p++ = '\b'; break;
        case 'f': *p++ = '\f'; break;
        case 'u': {
            unsigned u = hex(t);
            if (u >= 0x800) {
                *p++ = (char)(0xe0 | u >> 12);
                *p++ = (char)(0x80 | (u >> 6 & 63));
                *p++ = (char)(0x80 | (u & 63));
            } else if (u >= 0x80) {
                *p++ = (char)(0xc0 | u >> 6);
                *p++ = (char)(0x80 | (u & 63));
            } else {
                *p++ = (char)u;
            }
            break;
        }
        default: *p++ = c;
        }
    }
    (void)capacity_hint;
    t->bad |= t->at >= t->end;
    t->at++;
    *p = 0;
    *length = (size_t)(p - out);
    char *fit = realloc(out, *length + 1);
    return fit ? fit : out;
}

static struct json value(struct text *t) {
    struct json v = {0};
    space(t);
    if (t->at >= t->end) {
        t->bad = true;
        return v;
    }
    char c = *t->at;
    if (c == '"') {
        v.kind = JSON_STRING;
        v.string = string(t, &v.length);
    } else if (c == '{' || c == '[') {
        size_t capacity = 0;
        char close = c == '{' ? '}' : ']';
        v.kind = c == '{' ? JSON_OBJECT : JSON_ARRAY;
        t->at++;
        for (space(t); !t->bad && t->at < t->end && *t->at != close; space(t)) {
            if (*t->at == ',') {
                t->at++;
                continue;
            }
            char *key = NULL;
            size_t length;
            if (c == '{') {
                key = string(t, &length);
                space(t);
                t->at++; /* : */
            }
            if (v.count == capacity) {
                capacity = capacity ? capacity * 2 : 8;
                v.items = realloc(v.items, capacity * sizeof *v.items);
            }
            struct json item = value(t);
            item.key = key;
            v.items[v.count++] = item;
        }
        t->at++;
    } else if (c == 't' || c == 'f' || c == 'n') {
        v.kind = c == 't' ? JSON_TRUE : c == 'f' ? JSON_FALSE : JSON_NULL;
        t->at += c == 'f' ? 5 : 4;
    } else {
        const char *start = t->at;
        v.kind = JSON_NUMBER;
        while (t->at < t->end && strchr("+-.0123456789eE", *t->at))
            t->at++;
        t->bad |= t->at == start;
    }
    return v;
}

static void release(struct json *v) {
    for (size_t i = 0; i < v->count; i++)
        release(&v->items[i]);
    free(v->items);
    free(v->key);
    free(v->string);
}

struct json *json_parse(const char *text, size_t length) {
    struct text t = {.at = text, .end = text + length};
    struct json *v = malloc(sizeof *v);
    *v = value(&t);
    if (t.bad) {
        json_free(v);
        return NULL;
    }
    return v;
}

void json_free(struct json *v) {
    if (v)
        release(v);
    free(v);
}

const struct json *json_get(const struct json *object, const char *key) {
    for (size_t i = 0; object && object->kind == JSON_OBJECT && i < object->count; i++) {
        if (strcmp(object->items[i].key, key) == 0)
            return &object->items[i];
    }
    return NULL;
}

const char *json_string(const struct json *object, const char *key) {
    const struct json *v = json_get(object, key);
    return v && v->kind == JSON_STRING ? v->string : NULL;
}
