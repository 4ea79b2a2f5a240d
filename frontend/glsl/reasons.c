/* reasons.c: glslang's rendering of types as the user writes them.
 *
 * "temp highp 4-component vector of float" is vec4, "uniform 2-element array of structure{...}" what the
 * structure is called. Other text stays. Where types.c finds the reason itself this is not needed. */
#include "frontend/glsl/reasons.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const qualifiers[] = {"temp",
                                         "global",
                                         "const",
                                         "uniform",
                                         "in",
                                         "out",
                                         "inout",
                                         "smooth",
                                         "flat",
                                         "centroid",
                                         "lowp",
                                         "mediump",
                                         "highp",
                                         "invariant",
                                         "precise",
                                         "buffer",
                                         "shared",
                                         "fragColor",
                                         "position",
                                         "fragDepth",
                                         "noperspective",
                                         "vertexId",
                                         "instanceId",
                                         "pointSize",
                                         "fragCoord",
                                         "face",
                                         "pointCoord",
                                         "gl_Position",
                                         "nopersp",
                                         "(layout(",
                                         "readonly",
                                         "specialization-constant"};

static bool is_qualifier(const char *word, size_t length) {
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
        if (strlen(qualifiers[i]) == length && !strncmp(word, qualifiers[i], length))
            return true;
    return false;
}

/* The type in glslang's words between two places; NULL: something else. */
static const char *plain_type(struct run *run, const char *begin, const char *end) {
    unsigned rows = 1, columns = 1, length = 0;
    bool array = false, typed = false;
    const char *base = NULL, *name = NULL;
    size_t base_length = 0, name_length = 0;
    for (const char *p = begin; p < end;) {
        size_t n = 0;
        while (p + n < end && p[n] != ' ')
            n++;
        unsigned a = 0, b = 0;
        char word[40] = "";
        memcpy(word, p, n < sizeof word ? n : sizeof word - 1);
        if (sscanf(word, "%u-component", &a) == 1 && strstr(word, "-component")) {
            rows = a;
            typed = true;
        } else if (sscanf(word, "%uX%u", &a, &b) == 2) {
            columns = a;
            rows = b;
            typed = true;
        } else if (strstr(word, "-element") || !strcmp(word, "unsized") ||
                   !strcmp(word, "implicitly-sized")) {
            array = typed = true;
            length = (unsigned)strtoul(word, NULL, 10);
        } else if (!strncmp(word, "structure{", 10)) {
            const char *close = memchr(p, '}', (size_t)(end - p));
            base = "structure";
            base_length = 9;
            p = close ? close + 1 : end;
            while (p < end && *p == ' ')
                p++;
            continue;
        } else if (is_qualifier(p, n)) {
            typed = true;
        } else if (strcmp(word, "vector") && strcmp(word, "of") && strcmp(word, "matrix") &&
                   strcmp(word, "array") && n) {
            if (!base) {
                base = p;
                base_length = n;
            } else if (!name) {
                name = p;
                name_length = n;
            } else {
                return NULL;
            }
        }
        p += n;
        while (p < end && *p == ' ')
            p++;
    }
    if (!typed || !base)
        return NULL;
    if (!strncmp(base, "structure", base_length) && name) {
        base = name;
        base_length = name_length;
    }
    const char *text = run_format(run, "%.*s", (int)base_length, base);
    const char *prefix = !strcmp(text, "float")  ? ""
                         : !strcmp(text, "int")  ? "i"
                         : !strcmp(text, "bool") ? "b"
                         : !strcmp(text, "uint") ? "u"
                                                 : NULL;
    if (columns > 1)
        text =
            columns == rows ? run_format(run, "mat%u", columns) : run_format(run, "mat%ux%u", columns, rows);
    else if (rows > 1 && prefix)
        text = run_format(run, "%svec%u", prefix, rows);
    if (array)
        text = length ? run_format(run, "%s[%u]", text, length) : run_format(run, "%s[]", text);
    return text;
}

const char *reasons_plain(struct run *run, const char *text) {
    struct buffer out = {0};
    for (const char *p = text; *p;) {
        const char *close = *p == '\'' ? strchr(p + 1, '\'') : NULL;
        const char *type = close ? plain_type(run, p + 1, close) : NULL;
        if (!type) {
            buffer_add(run, &out, p++, 1);
            continue;
        }
        buffer_add_z(run, &out, type);
        p = close + 1;
    }
    const char *copy = run->failed || !out.text ? text : ir_strdup(run->arena, out.text);
    buffer_free(run, &out);
    return copy;
}
