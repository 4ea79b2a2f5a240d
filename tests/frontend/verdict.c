/* verdict.c: makes the two shaders of a case and has them compiled. */
#include "tests/frontend/verdict.h"

#include "frontend/glsl/glsl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char at[8000];
};

static void put(struct text *t, const char *text) {
    size_t length = strlen(t->at);
    snprintf(t->at + length, sizeof t->at - length, "%s", text);
}

/* Splits at tabs and undoes the escapes, in place. */
void verdict_split(char *line, const char *fields[VERDICT_FIELDS]) {
    size_t n = 0;
    char *to = line;
    for (size_t i = 0; i < VERDICT_FIELDS; i++)
        fields[i] = "";
    fields[n++] = line;
    for (const char *p = line; *p && *p != '\r'; p++) {
        if (*p == '\t' && n < VERDICT_FIELDS) {
            *to++ = 0;
            fields[n++] = to;
        } else if (*p == '\\' && p[1]) {
            p++;
            *to++ = *p == 'n' ? '\n' : *p == 't' ? '\t' : *p;
        } else if (*p != '\n') {
            *to++ = *p;
        }
    }
    *to = 0;
}

bool verdict_is_right(const char *const fields[VERDICT_FIELDS], char *why, size_t size) {
    static struct text vertex, fragment;
    int version = atoi(fields[0]);
    bool es = version == 100 || version == 300, good = strcmp(fields[1], "bad") != 0;
    bool first = version < 130; /* attributes and gl_FragColor */
    char directive[40] = "";
    if (version != 100)
        snprintf(directive, sizeof directive, "#version %d%s\n", version, es ? " es" : "");
    bool colour = !strstr(fields[4], "gl_FragData") && !strstr(fields[4], "gl_FragColor");
    vertex.at[0] = fragment.at[0] = 0;
    put(&fragment, directive);
    put(&fragment, fields[2]);
    put(&fragment, es ? "\nprecision mediump float; precision mediump int;\n" : "\n");
    put(&fragment, first ? "" : "out vec4 color;\n");
    put(&fragment, fields[3]);
    put(&fragment, "\nvoid main() {\n");
    put(&fragment, !first ? "color = vec4(1.0);\n" : colour ? "gl_FragColor = vec4(1.0);\n" : "");
    put(&fragment, fields[4]);
    put(&fragment, "\n}\n");
    put(&vertex, directive);
    put(&vertex, fields[5]);
    put(&vertex, first ? "\nattribute vec4 a_position;\n" : "\nin vec4 a_position;\n");
    put(&vertex, "void main() {\ngl_Position = a_position;\n");
    put(&vertex, fields[6]);
    put(&vertex, "\n}\n");
    struct fe_source sources[] = {{"a.vert", vertex.at, strlen(vertex.at), QPUCC_VERTEX, NULL},
                                  {"a.frag", fragment.at, strlen(fragment.at), QPUCC_FRAGMENT, NULL}};
    struct fe_glsl_result *r = fe_glsl_compile(sources, 2, NULL);
    bool right = r && r->ok == good, warned = strcmp(fields[1], "warn") != 0;
    snprintf(why, size, "%s", r && r->ok ? "accepted" : "refused");
    for (size_t i = 0; r && i < r->diagnostic_count; i++) {
        const struct fe_diagnostic *d = &r->diagnostics[i];
        warned |= d->severity == FE_WARNING;
        bool placed = d->line && (d->column || strstr(d->file, "(")) && !strstr(d->text, "internal") &&
                      !strstr(d->text, "Linking");
        if (d->severity != FE_ERROR)
            continue;
        snprintf(why, size, "%s:%u:%u: %s", d->file, d->line, d->column, d->text);
        right &= placed && !good;
        if (!right)
            break;
    }
    if (right && !warned)
        snprintf(why, size, "accepted without a warning");
    fe_glsl_result_free(r);
    return right && warned;
}
