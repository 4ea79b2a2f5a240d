/* Reading the known causes, and taking them away. */
#include "gl_causes.h"

#include "gl_picture.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cause is its JSON object; its number is the index in the array. */
struct causes {
    json_t *array;
};

struct causes *causes_read(const char *path) {
    json_error_t error;
    struct causes *causes = calloc(1, sizeof *causes);
    json_t *array = json_load_file(path, 0, &error), *entry;
    size_t i;
    bool ok = causes && json_is_array(array);
    if (!array)
        fprintf(stderr, "%s:%d: %s\n", path, error.line, error.text);
    json_array_foreach(array, i, entry) {
        if (ok && (!json_is_string(json_object_get(entry, "cause")) ||
                   !json_is_array(json_object_get(entry, "pairs")) ||
                   json_object_set_new(entry, "number", json_integer((json_int_t)i)))) {
            fprintf(stderr, "%s: entry %zu has no cause or no pairs\n", path, i);
            ok = false;
        }
    }
    if (ok) {
        causes->array = array;
        return causes;
    }
    json_decref(array);
    free(causes);
    return NULL;
}

void causes_free(struct causes *causes) {
    if (causes)
        json_decref(causes->array);
    free(causes);
}

unsigned cause_count(const struct causes *causes) {
    return causes ? (unsigned)json_array_size(causes->array) : 0;
}

const char *cause_text(const struct causes *causes, unsigned number) {
    return json_string_value(json_object_get(json_array_get(causes->array, number), "cause"));
}

const struct cause *causes_find(const struct causes *causes, const char *name) {
    json_t *entry, *pair;
    size_t i, k;
    json_array_foreach(causes ? causes->array : NULL, i, entry) json_array_foreach(
        json_object_get(entry, "pairs"), k,
        pair) if (json_is_string(pair) &&
                  !strcmp(json_string_value(pair), name)) return (const struct cause *)entry;
    return NULL;
}

unsigned cause_number(const struct cause *cause) {
    return (unsigned)json_integer_value(json_object_get((const json_t *)cause, "number"));
}

/* Copies a shader, with `= vec4(0.0)` after every global vec4 that stands alone on its line. */
static char *with_defined_globals(const char *source, char *out) {
    int depth = 0;
    for (const char *line = source; *line;) {
        size_t length = strcspn(line, "\n"), name = 5;
        bool global = depth == 0 && !strncmp(line, "vec4 ", 5);
        while (global && (isalnum((unsigned char)line[name]) || line[name] == '_'))
            name++;
        global = global && line[name] == ';';
        out += global
                   ? sprintf(out, "%.*s = vec4(0.0)%.*s", (int)name, line, (int)(length - name), line + name)
                   : sprintf(out, "%.*s", (int)length, line);
        for (size_t i = 0; i < length; i++)
            depth += (line[i] == '{') - (line[i] == '}');
        line += length;
        if (*line)
            *out++ = *line++;
    }
    *out = 0;
    return out;
}

char *with_defined_output(const char *fragment) {
    static const char open[] = "#define main shader_main\n",
                      close[] = "\n#undef main\nvoid main() { %s = vec4(0.0); shader_main(); }\n";
    size_t head = gl_after_version(fragment), lines = 1;
    for (const char *c = fragment; *c; c++)
        lines += *c == '\n';
    char *out = malloc(strlen(fragment) + lines * 16 + sizeof open + sizeof close + 20);
    if (out) {
        char *end = out + sprintf(out, "%.*s%s", (int)head, fragment, open);
        end = with_defined_globals(fragment + head, end);
        sprintf(end, close, strstr(fragment, "gl_FragData") ? "gl_FragData[0]" : "gl_FragColor");
    }
    return out;
}

/* Every occurrence of `from`; NULL when there is none, or no memory. */
static char *with_replaced(const char *source, const char *from, const char *to) {
    size_t count = 0, from_length = strlen(from), to_length = strlen(to);
    for (const char *at = source; from_length && (at = strstr(at, from)); at += from_length)
        count++;
    char *out = count ? malloc(strlen(source) + count * to_length + 1) : NULL, *end = out;
    for (const char *at; out && (at = strstr(source, from)); source = at + from_length)
        end += sprintf(end, "%.*s%s", (int)(at - source), source, to);
    if (out)
        strcpy(end, source);
    return out;
}

static bool replace(char **source, const char *from, const char *to) {
    char *out = with_replaced(*source, from, to);
    if (!out)
        return false;
    free(*source);
    *source = out;
    return true;
}

static bool insert(char **source, const char *text) {
    size_t head = gl_after_version(*source);
    char *out = malloc(strlen(*source) + strlen(text) + 1);
    if (!out)
        return false;
    sprintf(out, "%.*s%s%s", (int)head, *source, text, *source + head);
    free(*source);
    *source = out;
    return true;
}

bool cause_remove(const struct cause *cause, struct scene *scene, const char *old_vertex,
                  const char *old_fragment, char **vertex, char **fragment, char *error, size_t size) {
    const json_t *entry = (const json_t *)cause;
    const json_t *texts = json_object_get(entry, "replace"), *sizes = json_object_get(entry, "size");
    const char *inserted = json_string_value(json_object_get(entry, "insert"));
    const char *mesh = json_string_value(json_object_get(entry, "mesh"));
    *vertex = strdup(old_vertex);
    *fragment = strdup(old_fragment);
    scene->nearest = json_is_true(json_object_get(entry, "nearest"));
    if (json_array_size(sizes) == 2) {
        scene->width = (unsigned)json_integer_value(json_array_get(sizes, 0));
        scene->height = (unsigned)json_integer_value(json_array_get(sizes, 1));
    }
    bool ok = *vertex && *fragment;
    ok = ok && (!inserted || (insert(vertex, inserted) && insert(fragment, inserted)));
    for (size_t i = 0; ok && i + 1 < json_array_size(texts); i += 2) {
        const char *from = json_string_value(json_array_get(texts, i)),
                   *to = json_string_value(json_array_get(texts, i + 1));
        bool both = from && to && replace(vertex, from, to);
        ok = (from && to && replace(fragment, from, to)) || both;
        if (!ok)
            snprintf(error, size, "'%.200s' is in neither shader", from ? from : "?");
    }
    if (ok && mesh) {
        free(scene->mesh_name);
        scene->mesh_name = strdup(mesh);
        mesh_free(&scene->mesh);
        ok = scene->mesh_name && scene_prepare(scene, error, size);
    }
    return ok;
}
