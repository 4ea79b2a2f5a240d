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

/* A word followed by '(', outside of comments. */
static bool has_function(const char *text, size_t size, const char *name) {
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
                return true;
        }
    }
    return false;
}

bool shadertoy_is(const char *text, size_t size) {
    return has_function(text, size, "mainImage") && !has_function(text, size, "main");
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
    /* opaque, as Shadertoy shows pictures */
    static const char after[] = "\nvoid main() {\n"
                                "    vec4 shadertoy_result = vec4(0.0, 0.0, 0.0, 1.0);\n"
                                "    mainImage(shadertoy_result, gl_FragCoord.xy);\n"
                                "    shadertoy_color = vec4(shadertoy_result.rgb, 1.0);\n"
                                "}\n";
    char *out = malloc(sizeof before + size + sizeof after);
    if (!out)
        return NULL;
    memcpy(out, before, sizeof before - 1);
    memcpy(out + sizeof before - 1, text, size);
    memcpy(out + sizeof before - 1 + size, after, sizeof after);
    *wrapped = sizeof before - 1 + size + sizeof after - 1;
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
