/* names300.c: the names that GLSL ES 3.00 adds to the closed list. */
#include "frontend/essl100/essl100.h"

#include <stdlib.h>
#include <string.h>

static const char *const words[] = {
    /* sorted by strcmp for bsearch; a test checks the order */
    "acosh",
    "asinh",
    "atanh",
    "case",
    "centroid",
    "cosh",
    "default",
    "determinant",
    "flat",
    "floatBitsToInt",
    "floatBitsToUint",
    "intBitsToFloat",
    "inverse",
    "isampler2D",
    "isampler2DArray",
    "isampler3D",
    "isamplerCube",
    "isinf",
    "isnan",
    "layout",
    "mat2x2",
    "mat2x3",
    "mat2x4",
    "mat3x2",
    "mat3x3",
    "mat3x4",
    "mat4x2",
    "mat4x3",
    "mat4x4",
    "modf",
    "outerProduct",
    "packHalf2x16",
    "packSnorm2x16",
    "packUnorm2x16",
    "round",
    "roundEven",
    "sampler2DArray",
    "sampler2DArrayShadow",
    "sampler2DShadow",
    "sampler3D",
    "samplerCubeShadow",
    "sinh",
    "smooth",
    "switch",
    "tanh",
    "texelFetch",
    "texelFetchOffset",
    "texture",
    "textureGrad",
    "textureGradOffset",
    "textureLod",
    "textureLodOffset",
    "textureOffset",
    "textureProj",
    "textureProjGrad",
    "textureProjGradOffset",
    "textureProjLod",
    "textureProjLodOffset",
    "textureProjOffset",
    "textureSize",
    "transpose",
    "trunc",
    "uint",
    "uintBitsToFloat",
    "unpackHalf2x16",
    "unpackSnorm2x16",
    "unpackUnorm2x16",
    "usampler2D",
    "usampler2DArray",
    "usampler3D",
    "usamplerCube",
    "uvec2",
    "uvec3",
    "uvec4",
};

static int compare(const void *key, const void *element) {
    return strcmp(key, *(const char *const *)element);
}

static bool only_in_100(const struct name *name) {
    const char *n = name->text;
    return !strcmp(n, "attribute") || !strcmp(n, "varying") || !strncmp(n, "texture", 7) ||
           !strcmp(n, "gl_FragColor") || !strcmp(n, "gl_FragData") || !strcmp(n, "gl_LastFragData") ||
           !strcmp(n, "gl_FragDepthEXT");
}

enum word_kind essl300_word(const struct name *name) {
    if (bsearch(name->text, words, sizeof words / sizeof *words, sizeof *words, compare)) {
        static const char *const types_and_keywords[] = {"case",   "centroid", "default", "flat",
                                                         "layout", "smooth",   "switch",  "uint"};
        bool keyword =
            bsearch(name->text, types_and_keywords, sizeof types_and_keywords / sizeof *types_and_keywords,
                    sizeof *types_and_keywords, compare) ||
            strstr(name->text, "sampler") || !strncmp(name->text, "uvec", 4) ||
            (!strncmp(name->text, "mat", 3) && name->length == 6);
        return keyword ? WORD_SAME : WORD_FUNCTION;
    }
    if (only_in_100(name))
        return WORD_USER;
    enum word_kind kind = essl_word(name);
    bool builtin = kind == WORD_USER && !strncmp(name->text, "gl_", 3); /* gl_FragDepth, gl_VertexID … */
    return builtin ? WORD_SAME : kind;
}
