/* Compilers and languages. */
#include "about.h"

#include <qpucc/version.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define VERSION TEXT(QPUCC_VERSION_MAJOR) "." TEXT(QPUCC_VERSION_MINOR) "." TEXT(QPUCC_VERSION_PATCH)

static json_t *compiler_json(void) {
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:[ssss], s:s, s:b, s:b, s:[s]}", "id", "qpucc", "name",
                     "qpucc " VERSION " (VideoCore IV)", "lang", "glsl", "compilerType", "qpucc", "semver",
                     VERSION, "instructionSet", "qpu", "extensions", ".frag", ".vert", ".glsl", ".fs",
                     "options", "-O2", "supportsBinary", 1, "supportsExecute", 0, "alias", "qpucc-trunk");
}

static json_t *language_json(void) {
    static const char example[] = "precision mediump float;\nvarying vec2 v_place;\n\nvoid main() {\n"
                                  "    gl_FragColor = vec4(v_place, 0.5, 1.0);\n}\n";
    return json_pack("{s:s, s:s, s:[ssss], s:s, s:s, s:s, s:[]}", "id", "glsl", "name", "GLSL", "extensions",
                     ".frag", ".vert", ".glsl", ".fs", "monaco", "glsl", "defaultCompiler", "qpucc",
                     "example", example, "alias");
}

bool about_is_compiler(const char *id) {
    return !strcmp(id, "qpucc") || !strcmp(id, "qpucc-trunk");
}

static bool is_listed(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at++)
        if ((at == list || at[-1] == ',') && (!at[length] || at[length] == ','))
            return true;
    return false;
}

/* Takes `object` over; leaves only the members that are asked for. */
static json_t *only(json_t *object, const char *fields) {
    const char *key;
    json_t *value, *out = json_object();
    json_object_foreach(object, key, value) if (!strcmp(fields, "all") || is_listed(fields, key))
        json_object_set(out, key, value);
    json_decref(object);
    return out;
}

static struct answer *list_answer(json_t *list, enum answer_type accept, const char *title) {
    char *text = NULL;
    size_t size = 0, index;
    json_t *entry;
    if (accept == ANSWER_TEXT) {
        FILE *out = open_memstream(&text, &size);
        if (out) {
            fprintf(out, "%-12s | Name\n", title);
            json_array_foreach(list, index, entry)
                fprintf(out, "%-12s | %s\n", json_string_value(json_object_get(entry, "id")),
                        json_string_value(json_object_get(entry, "name")));
            fclose(out);
        }
    } else
        text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return text ? answer_new(200, accept == ANSWER_TEXT ? ANSWER_TEXT : ANSWER_JSON, true, text, strlen(text))
                : NULL;
}

struct answer *about_compilers(const char *language, const char *fields, enum answer_type accept) {
    json_t *list = json_array();
    if (!language || !strcmp(language, "glsl"))
        json_array_append_new(list,
                              only(compiler_json(), fields && accept != ANSWER_TEXT
                                                        ? fields
                                                        : "id,name,lang,compilerType,semver,instructionSet,"
                                                          "extensions"));
    return list_answer(list, accept, "Compiler");
}

struct answer *about_languages(const char *fields, enum answer_type accept) {
    json_t *list = json_array();
    json_array_append_new(
        list, only(language_json(), fields && accept != ANSWER_TEXT ? fields : "id,name,extensions,monaco"));
    return list_answer(list, accept, "Language");
}

struct answer *about_arguments(const char *id) {
    static const char *const arguments[][2] = {
        {"-O0", "No optimisation"},
        {"-O1", "What is cheap to do"},
        {"-O2", "Optimise; the default"},
        {"-O3", "Optimise, and search longer for a short order of instructions"},
        {"-ffast-math",
         "Special functions refined only where positions, texture coordinates and whole numbers need it"},
        {"-fprecise", "Everything as highp, every special function refined, no other order of operations"},
        {"-fdefault-precision=mediump", "For fragment shaders without a precision statement"},
        {"-fdefault-precision=highp", "For fragment shaders without a precision statement"},
        {"-fno-unroll", "Loops stay loops"},
        {"-funroll=6000", "Loops become copies of up to this many instructions; 1200 without it"},
        {"-fno-uniform-expressions", "Arithmetic on uniforms stays in the shader"},
        {"-fno-uniform-branches", "No branches on uniforms where selections can do"},
        {"-funiform-precision=highp", "Uniforms of two precisions are highp"},
        {"-funiform-precision=warn", "The same, with a warning"},
        {"-fpermissive", "What other drivers accept"},
        {"-mchip=guide", "Rely on what only the chip's guide says, too"},
        {"-DNAME=VALUE", "Define a macro"},
        {"--depth", "The fragment shader also writes Z"},
        {"--primitive=points", "For points: with point size and gl_PointCoord"},
        {"-Wall", "More warnings"},
        {"-Wportability", "What other compilers may not take"},
        {"-Werror", "A warning is an error"},
        {"-w", "No warnings"},
    };
    if (!about_is_compiler(id))
        return answer_error(404, "unknown", "There is no compiler of this id.");
    json_t *list = json_object();
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        json_object_set_new(list, arguments[i][0],
                            json_pack("{s:s, s:i}", "description", arguments[i][1], "timesused", 0));
    char *text = json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return text ? answer_new(200, ANSWER_JSON, true, text, strlen(text)) : NULL;
}
