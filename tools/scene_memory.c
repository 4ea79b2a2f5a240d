/* Scenes from memory, which come from anybody: nothing in them names a file. */
#include "base64.h"
#include "builtin.h"
#include "scene_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool set_text(char **out, const json_t *value) {
    const char *text = json_string_value(value);
    free(*out);
    *out = text ? strdup(text) : NULL;
    return *out != NULL;
}

/* "text", or {"source": "text", "name": "a.vert"} */
static bool read_source(struct scene_source *source, json_t *value) {
    const char *key;
    json_t *member;
    if (json_is_string(value))
        return set_text(&source->text, value);
    json_object_foreach(value, key, member) {
        char **out = !strcmp(key, "source") ? &source->text : !strcmp(key, "name") ? &source->name : NULL;
        if (!out || !set_text(out, member))
            return false;
    }
    return source->text != NULL;
}

static bool read_mesh(struct scene *scene, json_t *value) {
    if (json_is_object(value) && json_object_size(value) == 1)
        return set_text(&scene->mesh_text, json_object_get(value, "obj"));
    const char *name = json_string_value(value);
    return name && !strstr(name, ".obj") && set_text(&scene->mesh_name, value);
}

/* --- textures ------------------------------------------------------------------------------------------- */

static bool use_builtin(struct scene_texture *texture, const char *name) {
    char file[64];
    snprintf(file, sizeof file, "%s%s", name, strstr(name, ".png") ? "" : ".png");
    const struct builtin_file *builtin = builtin_file(file);
    texture->png = builtin && strstr(builtin->name, ".png") ? malloc(builtin->size) : NULL;
    if (!texture->png)
        return false;
    texture->png_size = builtin->size;
    memcpy(texture->png, builtin->data, builtin->size);
    return true;
}

/* "balloons,nearest" */
static bool read_words(struct scene_texture *texture, const char *words) {
    char text[100], *comma;
    if (strlen(words) >= sizeof text)
        return false;
    strcpy(text, words);
    while ((comma = strrchr(text, ',')) && scene_sampling_word(texture, comma + 1))
        *comma = 0;
    return use_builtin(texture, text);
}

static bool read_texture(struct scene_texture *texture, json_t *value) {
    const char *key;
    json_t *member;
    if (json_is_string(value))
        return read_words(texture, json_string_value(value));
    json_object_foreach(value, key, member) {
        const char *text = json_string_value(member);
        bool source = !strcmp(key, "file") || !strcmp(key, "data");
        if (!text || (source && texture->png))
            return false;
        if (!strcmp(key, "file") ? !use_builtin(texture, text)
            : source ? !(texture->png = base64_decode(text, json_string_length(member), &texture->png_size))
                     : (strcmp(key, "filter") && strcmp(key, "wrap")) || !scene_sampling_word(texture, text))
            return false;
    }
    return texture->png != NULL;
}

static bool read_textures(struct scene *scene, json_t *object, char *error, size_t size) {
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value) {
        struct scene_texture *grown = realloc(scene->textures, (scene->texture_count + 1) * sizeof *grown);
        if (!grown)
            return false;
        scene->textures = grown;
        struct scene_texture *texture = &grown[scene->texture_count++];
        *texture = (struct scene_texture){.name = strdup(name), .file = strdup("texture")};
        if (!texture->name || !texture->file)
            return false;
        if (!read_texture(texture, value)) {
            snprintf(error, size,
                     "texture '%.60s' is not a built-in picture (balloons, crate) or a PNG in base64", name);
            return false;
        }
    }
    return json_is_object(object);
}

/* --- state of the control list -------------------------------------------------------------------------- */

static int word_of(const json_t *value, const char *const *words) {
    const char *text = json_string_value(value);
    for (int i = 0; text && words[i]; i++)
        if (!strcmp(words[i], text))
            return i;
    return -1;
}

static bool read_raster(struct scene_raster *raster, json_t *object) {
    static const char *const culls[] = {"none", "back", "front", "both", NULL};
    static const char *const fronts[] = {"ccw", "cw", NULL};
    static const char *const functions[] = {"never",    "less",   "equal",  "lequal", "greater",
                                            "notequal", "gequal", "always", NULL};
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value) {
        bool flag = !strncmp(key, "depth_", 6) && strcmp(key, "depth_func");
        const char *const *words = !strcmp(key, "cull")         ? culls
                                   : !strcmp(key, "front")      ? fronts
                                   : !strcmp(key, "depth_func") ? functions
                                                                : NULL;
        int word = words ? word_of(value, words) : -1;
        if (flag ? !json_is_boolean(value) : word < 0)
            return false;
        if (!strcmp(key, "depth_test"))
            raster->depth_test = json_is_true(value);
        else if (!strcmp(key, "depth_write"))
            raster->depth_write = json_is_true(value);
        else if (words == culls)
            raster->cull = (uint8_t)word;
        else if (words == fronts)
            raster->clockwise_front = word;
        else if (words == functions)
            raster->depth_func = (uint8_t)word;
        else
            return false;
    }
    return json_is_object(object);
}

/* --- the scene ------------------------------------------------------------------------------------------ */

static bool read_primitive(struct scene *scene, json_t *value) {
    static const char *const words[] = {"triangles", "lines", "points", NULL};
    static const enum qpucc_primitive primitives[] = {QPUCC_TRIANGLES, QPUCC_LINES, QPUCC_POINTS};
    int word = word_of(value, words);
    scene->primitive = word < 0 ? SCENE_BY_MESH : (int)primitives[word];
    return word >= 0;
}

static bool read_member(struct scene *scene, const char *key, json_t *value, scene_other *other, void *user,
                        char *error, size_t size) {
    if (!strcmp(key, "vertex"))
        return read_source(&scene->source[QPUCC_VERTEX], value);
    if (!strcmp(key, "fragment"))
        return read_source(&scene->source[QPUCC_FRAGMENT], value);
    if (!strcmp(key, "mesh"))
        return read_mesh(scene, value);
    if (!strcmp(key, "time")) {
        scene->time = (float)json_number_value(value);
        return json_is_number(value);
    }
    if (!strcmp(key, "textures"))
        return read_textures(scene, value, error, size);
    if (!strcmp(key, "raster"))
        return read_raster(&scene->raster, value);
    if (!strcmp(key, "primitive"))
        return read_primitive(scene, value);
    return scene_plain_member(scene, key, value, error, size) ||
           (!error[0] && other(user, key, value, error, size));
}

bool scene_parse(struct scene *scene, json_t *root, scene_other *other, void *user, char *error,
                 size_t size) {
    const char *key;
    json_t *value;
    if (!json_is_object(root)) {
        snprintf(error, size, "a scene is a JSON object");
        return false;
    }
    json_object_foreach(root, key, value) {
        error[0] = 0;
        if (read_member(scene, key, value, other, user, error, size))
            continue;
        if (!error[0])
            snprintf(error, size, "member '%.60s' is not what a scene can hold", key);
        return false;
    }
    return true;
}
