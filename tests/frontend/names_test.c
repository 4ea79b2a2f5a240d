/* Names that look like something else: every word of a list (components, functions of the language, words
 * that other versions reserve, words that the compiler itself uses) is the name of a global of every kind,
 * and at the same time a structure's member, a parameter, a local, a type inside a function, a loop's counter
 * and a component, in ES 1.00, ES 3.00 and desktop GLSL 1.20 and 3.30, in both stages. The pair is compiled
 * and drawn, and every use checks its own value: white is right.
 *
 *     names_test [--all] [--print] [WORD]
 *
 * Without --all each word is tried with a few of the kinds, another few for each word. */
#include "execute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum language { ES100 = 1, ES300 = 2, GL120 = 4, GL330 = 8, EVERY = 15 };

static const struct word {
    const char *name;
    unsigned languages;
    const char *call, *value; /* of the language's function with that name */
} words[] = {
    {"x", EVERY, 0, 0},
    {"y", EVERY, 0, 0},
    {"z", EVERY, 0, 0},
    {"w", EVERY, 0, 0},
    {"r", EVERY, 0, 0},
    {"g", EVERY, 0, 0},
    {"b", EVERY, 0, 0},
    {"a", EVERY, 0, 0},
    {"s", EVERY, 0, 0},
    {"t", EVERY, 0, 0},
    {"p", EVERY, 0, 0},
    {"q", EVERY, 0, 0},
    {"xy", EVERY, 0, 0},
    {"rgb", EVERY, 0, 0},
    {"stpq", EVERY, 0, 0},
    {"wzyx", EVERY, 0, 0},
    {"aaa", EVERY, 0, 0},
    {"xx", EVERY, 0, 0},
    /* functions */
    {"abs", EVERY, "abs(-3.0)", "3.0"},
    {"dot", EVERY, "dot(vec2(1.0, 2.0), vec2(3.0, 4.0))", "11.0"},
    {"max", EVERY, "max(2.0, 5.0)", "5.0"},
    {"floor", EVERY, "floor(2.5)", "2.0"},
    {"length", EVERY, "length(vec2(3.0, 4.0))", "5.0"},
    {"any", EVERY, "float(any(bvec2(true, false)))", "1.0"},
    {"not", EVERY, "float(not(bvec2(false)).x)", "1.0"},
    {"equal", EVERY, "float(equal(vec2(1.0), vec2(1.0)).y)", "1.0"},
    {"mix", EVERY, "mix(2.0, 4.0, 0.5)", "3.0"},
    {"matrixCompMult", EVERY, "matrixCompMult(mat2(2.0), mat2(3.0))[0][0]", "6.0"},
    {"trunc", ES300 | GL330, "trunc(2.5)", "2.0"},
    {"transpose", ES300 | GL120 | GL330, "transpose(mat2(1.0, 2.0, 3.0, 4.0))[0][1]", "3.0"},
    /* its functions in ES 3.00 are in the scope of globals */
    {"dFdx", EVERY, 0, "3"},
    {"fwidth", EVERY, 0, "3"},
    {"texture2D", EVERY, 0, 0},
    {"textureCube", EVERY, 0, 0},
    {"texture2DLod", EVERY, 0, 0},
    {"texture2DProjLodEXT", EVERY, 0, 0},
    {"texture", EVERY, 0, "3"},
    {"ftransform", EVERY, 0, 0},
    {"shadow2D", EVERY, 0, 0},
    {"noise1", EVERY, 0, 0},
    {"round", EVERY, 0, "3"},
    {"inverse", EVERY, 0, "3"},
    {"fma", EVERY, 0, 0},
    {"textureSize", EVERY, 0, "3"},
    {"bitCount", EVERY, 0, 0},
    {"isnan", EVERY, 0, "3"},
    {"textureLod", EVERY, 0, "3"},
    {"modf", EVERY, 0, "3"},
    /* words of other versions */
    {"smooth", ES100 | GL120, 0, 0},
    {"layout", ES100, 0, 0},
    {"centroid", ES100, 0, 0},
    {"case", ES100, 0, 0},
    {"uint", ES100 | GL120, 0, 0},
    {"uvec3", ES100 | GL120, 0, 0},
    {"mat2x3", ES100, 0, 0},
    {"isampler2D", ES100, 0, 0},
    {"samplerBuffer", ES100, 0, 0},
    {"samplerExternalOES", EVERY, 0, 0},
    {"buffer", EVERY, 0, 0},
    {"shared", EVERY, 0, 0},
    {"precise", EVERY, 0, 0},
    {"coherent", ES100, 0, 0},
    {"patch", ES100, 0, 0},
    {"sample", ES100, 0, 0},
    {"subroutine", ES100, 0, 0},
    {"readonly", ES100, 0, 0},
    {"atomic_uint", ES100, 0, 0},
    {"filter", ES100, 0, 0},
    {"common", ES100, 0, 0},
    {"active", ES100, 0, 0},
    {"location", EVERY, 0, 0},
    {"binding", EVERY, 0, 0},
    {"std140", EVERY, 0, 0},
    {"packed", ES300, 0, 0},
    {"row_major", EVERY & ~GL330, 0, 0},
    {"index", EVERY, 0, 0},
    {"offset", EVERY, 0, 0},
    {"set", EVERY, 0, 0},
    {"push_constant", EVERY, 0, 0},
    {"defined", 0, 0, 0},
    {"float16_t", EVERY, 0, 0},
    {"int64_t", EVERY, 0, 0},
    {"f16vec2", EVERY, 0, 0},
    {"dmat2", EVERY & ~ES300, 0, 0},
    {"dmat4x3", EVERY & ~ES300, 0, 0},
    {"image2D", ES100 | GL120, 0, 0},
    {"uimageBuffer", ES100 | GL120, 0, 0},
    {"u64image2DMS", EVERY, 0, 0},
    {"f16sampler2D", EVERY, 0, 0},
    {"f16textureCube", EVERY, 0, 0},
    {"f16subpassInput", EVERY, 0, 0},
    {"icoopmatNV", EVERY, 0, 0},
    {"demote", EVERY, 0, 0},
    {"terminateInvocation", EVERY, 0, 0},
    {"nonuniformEXT", EVERY, 0, 0},
    {"lerp", EVERY, 0, 0},
    {"float4", EVERY, 0, 0},
    {"STDGL", EVERY, 0, 0},
    {"line", EVERY, 0, 0},
    {"all_", EVERY, 0, 0},
    /* what the compiler writes itself */
    {"Q", EVERY, 0, 0},
    {"Qx", EVERY, 0, 0},
    {"qpu_main", EVERY, 0, 0},
    {"qpu_FragColor", EVERY, 0, 0},
    {"qpud", EVERY, 0, 0},
    {"qpudx", EVERY, 0, 0},
    {"qpi_u", EVERY, 0, 0},
    {"_", EVERY, 0, 0},
    {"_1", EVERY, 0, 0},
};

/* $ is the word. */
static const struct role {
    const char *name, *declaration, *check; /* check: what has to be true wherever the global is seen */
    unsigned languages;
    bool varying, is_value; /* a number 7.0 */
    bool function;          /* not for the language's own functions: redefining those has rules of its own */
} roles[] = {
    {"nothing", "", "true", EVERY, false, false, false},
    {"varying", "VARYING float $;", "near($, 7.0)", EVERY, true, true, false},
    {"uniform", "uniform float $;", "near($, 7.0)", EVERY, false, true, false},
    {"const", "const float $ = 7.0;", "$ == 7.0", EVERY, false, true, false},
    {"global", "float $ = 7.0;", "$ == 7.0", EVERY, false, true, false},
    {"structure", "struct $ { float v; }; $ g_ = $(7.0);", "g_.v == 7.0 && $(7.0).v == 7.0", EVERY, false,
     false, false},
    {"function", "float $(float v) { return v + 7.0; }", "$(1.0) == 8.0", EVERY, false, false, true},
    {"array", "float $[2];", "true", EVERY, false, false, false},
    {"block", "uniform $ { float inside_; };", "inside_ != 8.0", ES300 | GL330, false, false, false},
    {"instance", "uniform block_ { float $; } instance_;", "instance_.$ != 8.0", ES300 | GL330, false, false,
     false},
    {"of a block", "layout(std140) uniform block_ { highp vec2 unused_; float $; };", "$ != 8.0",
     ES300 | GL330, false, false, false},
};

/* Each part is a function that says whether its uses of the word mean the right thing. It is tried with the
 * global seen and hidden. COMPONENT parts are for words that are components of a vec4. */
static const struct part {
    const char *text;
    bool component, value; /* value: where the global is a number */
} parts[] = {
    {"struct M_ { float $; vec4 other; }; GLOBAL M_ m_ = M_(2.0, vec4(3.0)); GLOBAL float gm_ = m_.$;"
     "bool PART() { M_ m = m_; m.$ += 1.0; return gm_ == 2.0 && m.$ == 3.0; }",
     false, false},
    {"struct N_ { vec2 $[2]; }; bool PART() { N_ n; n.$[1] = vec2(4.0, 5.0); n.$[0].y = 3.0;"
     " return n.$[1].y == 5.0 && n.$[0].y == 3.0; }",
     false, false},
    {"float par_(float $) { $ += 1.0; return $; } bool PART() { return par_(2.0) == 3.0; }", false, false},
    {"void out_(out float $, in int n) { for (int i = 0; i < 3; i++) $ = float(n + i); }"
     "bool PART() { float v; out_(v, 4); return v == 6.0; }",
     false, false},
    {"float proto_(float $); bool PART() { return proto_(2.0) == 4.0; } float proto_(float v) { return v + "
     "v; }",
     false, false},
    {"bool PART() { float $ = 4.0; { float $ = 5.0; if ($ != 5.0) return false; $ = 1.0; } return $ == 4.0; "
     "}",
     false, false},
    {"bool PART() { int n = 0; for (int $ = 0; $ < 3; $++) n += $; for (int $ = 0; $ < 2; ++$) { n += 10; }"
     " return n == 23; }",
     false, false},
    {"bool PART() { struct $ { float m; }; $ v = $(6.0); v.m += 1.0; return v.m == 7.0; }", false, false},
    {"bool PART() { int $ = 1 + 1, third = $ + 1; return third == 3; }", false, false},
    {"bool PART() { vec4 $; $ = vec4(1.0, 2.0, 3.0, 4.0); $.x += $.w; $[1] = 0.0; return $.xy == vec2(5.0, "
     "0.0); }",
     false, false},
    {"bool PART() { int n = 0; if (n == 0) { bool $ = true; n = $ ? 1 : 2; } else { int $ = 3; n = $; }"
     " return n == 1; }",
     false, false},
    {"bool PART() { { float $ = 3.0; } return CHECK; }", false, false},
    {"bool PART() { for (int $ = 0; $ < 2; $++) { } return CHECK; }", false, false},
    {"bool PART() { float $ = $ + 1.0; return near($, 8.0); }", false, true},
    {"GLOBAL vec4 v_ = vec4(1.0, 2.0, 3.0, 4.0); GLOBAL vec4 gv_ = v_ + vec4(v_.$); bool PART() {"
     " vec4 $ = v_; return vec4($.$) == vec4(v_.$) && gv_ == v_ + vec4(v_.$); }",
     true, false},
};

enum { PARTS = sizeof parts / sizeof *parts, ROLES = sizeof roles / sizeof *roles };

struct text {
    char at[24000];
    size_t length;
};

static void add(struct text *t, const char *from) {
    size_t n = strlen(from);
    if (t->length + n + 1 > sizeof t->at) {
        fprintf(stderr, "the buffer is too small\n");
        exit(1);
    }
    memcpy(t->at + t->length, from, n + 1);
    t->length += n;
}

/* With $, VARYING, PART, CHECK and GLOBAL replaced. */
static void add_template(struct text *t, const char *from, const char *word, const char *varying,
                         const char *part, const char *check) {
    const char *global = strstr(t->at, " es\n") ? "const" : ""; /* ES 3.00 asks for constant initialisers */
    const char *const keys[][2] = {
        {"$", word}, {"VARYING", varying}, {"PART", part}, {"CHECK", check}, {"GLOBAL", global}};
    while (*from) {
        size_t k = 0;
        while (k < 5 && strncmp(from, keys[k][0], strlen(keys[k][0])))
            k++;
        if (k == 3)
            add_template(t, check, word, varying, part, "");
        else
            add(t, k < 5 ? keys[k][1] : (char[]){*from, 0});
        from += k < 5 ? strlen(keys[k][0]) : 1;
    }
}

/* Components of a scalar's swizzle are not what the parts with `component` ask for. */
static bool is_component(const char *word) {
    static const char *const sets[] = {"xyzw", "rgba", "stpq"};
    for (size_t i = 0; i < 3; i++)
        if (strlen(word) == 1 && strchr(sets[i], *word))
            return true;
    return false;
}

/* Nothing but the declaration before the parts, and a function that asks all of them after. */
static void add_parts(struct text *t, const struct word *word, const struct role *role,
                      enum language language, bool vertex) {
    char name[24];
    bool es3 = language & (ES300 | GL330);
    add(t, "bool near(float is_, float wanted_) { return is_ > wanted_ - 0.1 && is_ < wanted_ + 0.1; }\n");
    add_template(t, role->declaration, word->name, es3 ? vertex ? "out" : "in" : "varying", "", "");
    add(t, "\n");
    bool reads = !(vertex && role->varying);
    for (size_t i = 0; i < PARTS; i++) {
        if ((parts[i].component && !is_component(word->name)) ||
            (parts[i].value && !(role->is_value && reads)))
            continue;
        snprintf(name, sizeof name, "part%zu_", i);
        add_template(t, parts[i].text, word->name, "", name, reads ? role->check : "true");
        add(t, "\n");
    }
    /* the language's function is there again after a local of its name */
    bool calls = word->call && (!strcmp(role->name, "nothing") || !strcmp(role->name, "instance"));
    if (calls) {
        add_template(t, "bool call1_() { { float $ = 2.0; } return ", word->name, "", "", "");
        add(t, word->call);
        add(t, " == ");
        add(t, word->value);
        add_template(t, "; }\nbool call2_() { float $ = ", word->name, "", "", "");
        add(t, word->call);
        add_template(t, "; return $ == ", word->name, "", "", "");
        add(t, word->value);
        add(t, "; }\n");
    }
    add(t, "float all_parts_() {\n");
    for (size_t i = 0; i < PARTS; i++) {
        if ((parts[i].component && !is_component(word->name)) ||
            (parts[i].value && !(role->is_value && reads)))
            continue;
        snprintf(name, sizeof name, "part%zu_", i);
        add_template(t, "  if (!PART()) return 0.0;\n", "", "", name, "");
    }
    if (calls)
        add(t, "  if (!call1_() || !call2_()) return 0.0;\n");
    add_template(t, "  return CHECK ? 1.0 : 0.0;\n}\n", word->name, "", "", reads ? role->check : "true");
}

static const char *version_line(enum language language) {
    return language == ES300   ? "#version 300 es\n"
           : language == GL120 ? "#version 120\n"
           : language == GL330 ? "#version 330\n"
                               : "";
}

/* The parts run in one stage; the other one has the role's declaration alone. */
static bool try(const struct word *word, const struct role *role, enum language language, bool in_vertex,
                bool print) {
    static struct text vertex, fragment;
    bool es3 = language & (ES300 | GL330), es = language & (ES100 | ES300);
    vertex.length = fragment.length = 0;
    add(&vertex, version_line(language));
    add(&fragment, version_line(language));
    if (es)
        add(&fragment,
            language == ES100 ? "precision mediump float;\n" : "precision highp float;\nout vec4 color_;\n");
    else if (es3)
        add(&fragment, "out vec4 color_;\n");
    add(&vertex, es3 ? "in vec4 a_position;\nout " : "attribute vec4 a_position;\nvarying ");
    add(&vertex, "float result_;\n");
    add(&fragment, es3 ? "in float result_;\n" : "varying float result_;\n");
    if (in_vertex)
        add_parts(&vertex, word, role, language, true);
    else if (role->varying)
        add_template(&vertex, role->declaration, word->name, es3 ? "out" : "varying", "", "");
    if (!in_vertex)
        add_parts(&fragment, word, role, language, false);
    add(&vertex, "void main() {\n  gl_Position = a_position;\n");
    if (role->varying)
        add_template(&vertex, "  $ = 7.0;\n", word->name, "", "", "");
    add(&vertex, in_vertex ? "  result_ = all_parts_();\n}\n" : "  result_ = 1.0;\n}\n");
    add(&fragment, es3 ? "void main() { color_ = " : "void main() { gl_FragColor = ");
    add(&fragment, in_vertex ? "vec4(result_); }\n" : "vec4(result_ * all_parts_()); }\n");
    if (print)
        printf("// --- vertex\n%s// --- fragment\n%s", vertex.at, fragment.at);
    char uniform[80];
    snprintf(uniform, sizeof uniform, "%s=7", word->name);
    const char *const uniforms[] = {!strcmp(role->name, "uniform") ? uniform : NULL, NULL};
    struct executed result;
    execute_pair(vertex.at, fragment.at, uniforms, 1, &result);
    if (result.drawn && result.pixel[0] == 255 && result.pixel[3] == 255)
        return true;
    printf("'%s' as %s in the %s shader, %s: %s\n%s", word->name, role->name,
           in_vertex ? "vertex" : "fragment", language == ES100 ? "ES 1.00" : version_line(language),
           result.drawn ? "a wrong value" : "refused", result.drawn ? "" : result.text);
    return false;
}

int main(int argc, char **argv) {
    bool all = false, print = false;
    const char *only = NULL;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--all"))
            all = true;
        else if (!strcmp(argv[i], "--print"))
            print = true;
        else
            only = argv[i];
    }
    unsigned tried = 0, failed = 0, candidate = 0;
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        if (only && strcmp(only, words[w].name))
            continue;
        for (unsigned language = ES100; language <= GL330; language *= 2)
            for (size_t r = 0; r < ROLES; r++) {
                bool own =
                    words[w].call || strstr(words[w].name, "texture") || strstr(words[w].name, "shadow");
                bool global = strcmp(roles[r].name, "nothing") && strcmp(roles[r].name, "instance");
                bool fits = (words[w].languages & language) && (roles[r].languages & language) &&
                            !(roles[r].function && own) && !(language == ES300 && words[w].value && global);
                if (!fits || (!all && !only && candidate++ % 5))
                    continue;
                for (int stage = 0; stage < 2; stage++) {
                    if (!all && !only && stage != (int)(tried + r) % 2)
                        continue;
                    tried++;
                    failed += !try(&words[w], &roles[r], (enum language)language, stage, print);
                }
            }
    }
    printf("%u pairs, %u failed\n", tried, failed);
    return tried == 0 || failed != 0;
}
