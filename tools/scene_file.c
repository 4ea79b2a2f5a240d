/* Scenes from JSON files, and the members that those have in common with scenes from memory. */
#include "file.h"
#include "scene_json.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A path as the scene's file means it. */
static char *beside(const char *scene_path, const char *path) {
    const char *slash = strrchr(scene_path, '/');
    size_t length = slash && path[0] != '/' ? (size_t)(slash - scene_path) + 1 : 0;
    char *out = malloc(length + strlen(path) + 1);
    if (out) {
        memcpy(out, scene_path, length);
        strcpy(out + length, path);
    }
    return out;
}

static bool read_number(const json_t *json, float *out) {
    if (!json_is_number(json) && !json_is_boolean(json))
        return false;
    *out = json_is_boolean(json) ? (float)json_is_true(json) : (float)json_number_value(json);
    return isfinite(*out);
}

static bool read_uniforms(struct scene *scene, json_t *object) {
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value) {
        size_t count = json_is_array(value) ? json_array_size(value) : 1;
        float *values = malloc((count ? count : 1) * sizeof *values);
        bool ok = values && count && count <= SCENE_MAX_WORDS;
        for (size_t i = 0; ok && i < count; i++)
            ok = read_number(json_is_array(value) ? json_array_get(value, i) : value, &values[i]);
        if (!ok) {
            free(values);
            return false;
        }
        if (!scene_set_value(scene, name, strlen(name), values, count))
            return false;
    }
    return true;
}

static bool read_textures(struct scene *scene, const char *path, json_t *object) {
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value) {
        char *file = json_is_string(value) ? beside(path, json_string_value(value)) : NULL;
        bool ok = file && scene_add_texture(scene, name, strlen(name), file);
        free(file);
        if (!ok)
            return false;
    }
    return true;
}

/* What is the same in files and in memory. */
bool scene_plain_member(struct scene *scene, const char *key, json_t *value, char *error, size_t size) {
    const char *text = json_string_value(value);
    if (!strcmp(key, "size"))
        return text && scene_size_option(scene, text, error, size);
    if (!strcmp(key, "instances")) {
        char number[32];
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        return scene_instances_option(scene, number, error, size);
    }
    if (!strcmp(key, "uniforms"))
        return json_is_object(value) && read_uniforms(scene, value);
    if (!strcmp(key, "clear")) {
        if (json_array_size(value) != 4)
            return false;
        for (size_t i = 0; i < 4; i++) {
            const json_t *number = json_array_get(value, i);
            json_int_t channel = json_integer_value(number);
            if (!json_is_integer(number) || channel < 0 || channel > 255)
                return false;
            scene->clear[i] = (uint8_t)channel;
        }
        return true;
    }
    return !strcmp(key, "title") || !strcmp(key, "about");
}

/* Names of uniforms for whose values in the scene the code is made. */
static bool read_set(struct scene *scene, json_t *list) {
    size_t i;
    json_t *name;
    if (!json_is_array(list) || json_array_size(list) > SCENE_MAX_SET - scene->set_count)
        return false;
    json_array_foreach(list, i, name) {
        char *copy = json_is_string(name) ? strdup(json_string_value(name)) : NULL;
        if (!copy)
            return false;
        scene->set[scene->set_count++] = copy;
    }
    return true;
}

static bool read_member(struct scene *scene, const char *path, const char *key, json_t *value, char *error,
                        size_t size) {
    const char *text = json_string_value(value);
    char **name = !strcmp(key, "vertex")     ? &scene->vertex
                  : !strcmp(key, "fragment") ? &scene->fragment
                                             : NULL;
    if (name || !strcmp(key, "mesh")) {
        if (!text)
            return false;
        if (!name)
            name = &scene->mesh_name;
        size_t length = strlen(text);
        bool file = name != &scene->mesh_name || (length > 4 && !strcmp(text + length - 4, ".obj"));
        free(*name);
        *name = file ? beside(path, text) : strdup(text);
        return *name != NULL;
    }
    if (!strcmp(key, "textures"))
        return json_is_object(value) && read_textures(scene, path, value);
    if (!strcmp(key, "set"))
        return read_set(scene, value);
    return scene_plain_member(scene, key, value, error, size);
}

bool scene_read(struct scene *scene, const char *path, char *error, size_t size) {
    struct file_data file;
    json_error_t where;
    if (!file_read(path, &file, error, size))
        return false;
    json_t *root = json_loadb(file.data, file.size, 0, &where), *value;
    const char *key;
    bool ok = json_is_object(root);
    file_free(&file);
    if (!root)
        snprintf(error, size, "%s:%d:%d: error: %s", path, where.line, where.column, where.text);
    else if (!ok)
        snprintf(error, size, "%s: not a JSON object", path);
    else
        json_object_foreach(root, key, value) {
            error[0] = 0;
            ok = read_member(scene, path, key, value, error, size);
            if (!ok) {
                if (!error[0])
                    snprintf(error, size, "%s: member '%s' is not what a scene can hold", path, key);
                break;
            }
        }
    json_decref(root);
    return ok;
}
