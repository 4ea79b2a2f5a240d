/* Shadertoy's shaders as whole ones. */
#define _GNU_SOURCE /* memmem, asprintf */
#include "shadertoy.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_part(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* A word followed by '(', outside of comments; NULL: there is none. */
static const char *find_function(const char *text, size_t size, const char *name) {
    size_t length = strlen(name);
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '/' && i + 1 < size && text[i + 1] == '/') {
            while (i < size && text[i] != '\n')
                i++;
        } else if (text[i] == '/' && i + 1 < size && text[i + 1] == '*') {
            const char *end = memmem(text + i + 2, size - i - 2, "*/", 2);
            i = end ? (size_t)(end - text) + 1 : size;
        } else if (is_part(text[i])) {
            size_t begin = i;
            while (i < size && is_part(text[i]))
                i++;
            size_t next = i--;
            while (next < size && isspace((unsigned char)text[next]))
                next++;
            if (i + 1 - begin == length && !memcmp(text + begin, name, length) && next < size &&
                text[next] == '(')
                return text + begin;
        }
    }
    return NULL;
}

bool shadertoy_is(const char *text, size_t size) {
    return find_function(text, size, "mainImage") && !find_function(text, size, "main");
}

char *shadertoy_wrap(const char *text, size_t size, size_t *wrapped) {
    static const char before[] = "#version 300 es\n"
                                 "precision highp float;\n"
                                 "precision highp int;\n"
                                 "uniform vec3 iResolution;\n"
                                 "uniform float iTime, iTimeDelta, iFrameRate, iSampleRate;\n"
                                 "uniform int iFrame;\n"
                                 "uniform vec4 iMouse, iDate;\n"
                                 "uniform float iChannelTime[4];\n"
                                 "uniform vec3 iChannelResolution[4];\n"
                                 "uniform sampler2D iChannel0, iChannel1, iChannel2, iChannel3;\n"
                                 "out vec4 shadertoy_color;\n"
                                 "#line 1\n";
    /* Opaque, as Shadertoy shows pictures. Whatever is said of these lines is said of the user's own: of the
     * place where mainImage is. */
    static const char after[] = "\n#line %u\n"
                                "void main() { vec4 shadertoy_result = vec4(0.0, 0.0, 0.0, 1.0);\n"
                                "#line %u\n"
                                "%*smainImage(shadertoy_result, gl_FragCoord.xy);\n"
                                "#line %u\n"
                                "shadertoy_color = vec4(shadertoy_result.rgb, 1.0); }\n";
    const char *place = find_function(text, size, "mainImage"), *start = place;
    unsigned line = 1;
    char *out = NULL, *end = NULL;
    for (const char *at = text; place && at < place; at++)
        line += *at == '\n';
    while (start && start > text && start[-1] != '\n')
        start--;
    if (!place || asprintf(&end, after, line, line, (int)(place - start), "", line) < 0)
        return NULL;
    size_t tail = strlen(end), head = sizeof before - 1;
    out = malloc(head + size + tail + 1);
    if (out) {
        memcpy(out, before, head);
        memcpy(out + head, text, size);
        memcpy(out + head + size, end, tail + 1);
        *wrapped = head + size + tail;
    }
    free(end);
    return out;
}

/* Both shaders have one version: the fragment shader's own line, if it has one. */
char *shadertoy_vertex(const char *fragment, size_t size) {
    const char *version = "#version 300 es", *begin = memmem(fragment, size, "#version", 8);
    int length = (int)strlen(version);
    char *text;
    if (!shadertoy_is(fragment, size)) {
        version = begin ? begin : "";
        size_t left = begin ? size - (size_t)(begin - fragment) : 0;
        length =
            begin && memchr(begin, '\n', left) ? (int)((const char *)memchr(begin, '\n', left) - begin) : 0;
    }
    return asprintf(&text,
                    "%.*s\n#if __VERSION__ >= 130\n#define attribute in\n#endif\n"
                    "attribute vec4 a_position;\nvoid main() { gl_Position = a_position; }\n",
                    length < 60 ? length : 0, version) < 0
               ? NULL
               : text;
}
