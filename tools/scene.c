/* Scenes from JSON files and command lines. */
#include "scene.h"
#include "file.h"
#include "scene_defaults.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void scene_init(struct scene *scene) {
    static const uint8_t clear[4] = {24, 26, 34, 255};
    memset(scene, 0, sizeof *scene);
    scene->width = 320;
    scene->height = 240;
    scene->time = 1;
    memcpy(scene->clear, clear, sizeof clear);
}

void scene_free(struct scene *scene) {
    free(scene->vertex);
    free(scene->fragment);
    free(scene->mesh_name);
    for (size_t i = 0; i < scene->value_count; i++) {
        free(scene->values[i].name);
        free(scene->values[i].values);
    }
    for (size_t i = 0; i < scene->texture_count; i++) {
        free(scene->textures[i].name);
        free(scene->textures[i].file);
    }
    free(scene->values);
    free(scene->textures);
    mesh_free(&scene->mesh);
    memset(scene, 0, sizeof *scene);
}

/* Takes `values` over, also when it fails. A later setting of the same name wins. */
static bool set_value(struct scene *scene, const char *name, size_t length, float *values, size_t count) {
    struct scene_value *slot = NULL;
    for (size_t i = 0; i < scene->value_count; i++)
        if (strlen(scene->values[i].name) == length && !strncmp(scene->values[i].name, name, length))
            slot = &scene->values[i];
    if (!slot) {
        struct scene_value *grown = realloc(scene->values, (scene->value_count + 1) * sizeof *grown);
        char *copy = strndup(name, length);
        if (grown)
            scene->values = grown;
        if (!grown || !copy || !values) {
            free(copy);
            free(values);
            return false;
        }
        slot = &scene->values[scene->value_count++];
        slot->name = copy;
        slot->values = NULL;
    }
    free(slot->values);
    slot->values = values;
    slot->count = count;
    if (count == 1 && !strcmp(slot->name, "time")) /* drives the model's rotation, too */
        scene->time = values[0];
    return true;
}

bool scene_uniform_option(struct scene *scene, const char *text, char *error, size_t size) {
    const char *equals = strchr(text, '=');
    float *values = malloc(SCENE_MAX_WORDS * sizeof *values);
    size_t count = 0;
    if (!values || !equals || equals == text)
        goto bad;
    for (const char *c = equals + 1;;) {
        char *end;
        float v = strtof(c, &end);
        if (!strncmp(c, "true", 4)) {
            v = 1;
            end = (char *)c + 4;
        } else if (!strncmp(c, "false", 5)) {
            v = 0;
            end = (char *)c + 5;
        }
        if (end == c || count == SCENE_MAX_WORDS || !isfinite(v))
            goto bad;
        values[count++] = v;
        if (!*end)
            break;
        if (*end != ',')
            goto bad;
        c = end + 1;
    }
    if (set_value(scene, text, (size_t)(equals - text), values, count))
        return true;
    snprintf(error, size, "out of memory");
    return false;
bad:
    free(values);
    snprintf(error, size, "'%s' is not name=number,number,...", text);
    return false;
}

static bool add_texture(struct scene *scene, const char *name, size_t length, const char *file) {
    struct scene_texture *grown = realloc(scene->textures, (scene->texture_count + 1) * sizeof *grown);
    char *copy = strndup(name, length), *path = strdup(file);
    if (grown)
        scene->textures = grown;
    if (!grown || !copy || !path) {
        free(copy);
        free(path);
        return false;
    }
    scene->textures[scene->texture_count].name = copy;
    scene->textures[scene->texture_count++].file = path;
    return true;
}

bool scene_texture_option(struct scene *scene, const char *text, char *error, size_t size) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) {
        snprintf(error, size, "'%s' is not name=file.png", text);
        return false;
    }
    if (add_texture(scene, text, (size_t)(equals - text), equals + 1))
        return true;
    snprintf(error, size, "out of memory");
    return false;
}

bool scene_size_option(struct scene *scene, const char *text, char *error, size_t size) {
    unsigned width, height;
    char rest;
    if (sscanf(text, "%ux%u%c", &width, &height, &rest) != 2 || !width || !height || width > 2048 ||
        height > 2048) {
        snprintf(error, size, "'%s' is not WIDTHxHEIGHT, each from 1 to 2048", text);
        return false;
    }
    scene->width = width;
    scene->height = height;
    return true;
}

/* --- JSON ----------------------------------------------------------------------------------------------- */

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
    return true;
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
        if (!set_value(scene, name, strlen(name), values, count))
            return false;
    }
    return true;
}

static bool read_textures(struct scene *scene, const char *path, json_t *object) {
    const char *name;
    json_t *value;
    json_object_foreach(object, name, value) {
        char *file = json_is_string(value) ? beside(path, json_string_value(value)) : NULL;
        bool ok = file && add_texture(scene, name, strlen(name), file);
        free(file);
        if (!ok)
            return false;
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
    if (!strcmp(key, "size"))
        return text && scene_size_option(scene, text, error, size);
    if (!strcmp(key, "uniforms"))
        return json_is_object(value) && read_uniforms(scene, value);
    if (!strcmp(key, "textures"))
        return json_is_object(value) && read_textures(scene, path, value);
    if (!strcmp(key, "clear")) {
        if (json_array_size(value) != 4)
            return false;
        for (size_t i = 0; i < 4; i++) {
            json_int_t channel = json_integer_value(json_array_get(value, i));
            if (channel < 0 || channel > 255)
                return false;
            scene->clear[i] = (uint8_t)channel;
        }
        return true;
    }
    return !strcmp(key, "title") || !strcmp(key, "about");
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

bool scene_prepare(struct scene *scene, char *error, size_t size) {
    return mesh_load(&scene->mesh, scene->mesh_name ? scene->mesh_name : "quad", error, size);
}

/* --- values --------------------------------------------------------------------------------------------- */

static size_t plain_length(const char *name) {
    size_t length = strlen(name);
    return length > 3 && !strcmp(name + length - 3, "[0]") ? length - 3 : length;
}

bool scene_uniform(const struct scene *scene, const char *name, enum qpucc_base_type base, unsigned rows,
                   unsigned cols, unsigned array_length, float *out) {
    size_t length = plain_length(name), words = (size_t)rows * cols * array_length;
    bool set = false;
    scene_default_uniform(scene, name, base, rows, cols, array_length, out);
    for (size_t i = 0; i < scene->value_count; i++) {
        const struct scene_value *v = &scene->values[i];
        if (plain_length(v->name) != length || strncmp(v->name, name, length))
            continue;
        memcpy(out, v->values, (v->count < words ? v->count : words) * sizeof *out);
        set = true;
    }
    return set;
}

const char *scene_unknown_uniform(const struct scene *scene, bool (*known)(void *user, const char *name),
                                  void *user) {
    for (size_t i = 0; i < scene->value_count; i++)
        if (strcmp(scene->values[i].name, "time") && !known(user, scene->values[i].name))
            return scene->values[i].name;
    for (size_t i = 0; i < scene->texture_count; i++)
        if (!known(user, scene->textures[i].name))
            return scene->textures[i].name;
    return NULL;
}

bool scene_texture(const struct scene *scene, const char *name, struct picture *out, char *error,
                   size_t size) {
    for (size_t i = scene->texture_count; i-- > 0;)
        if (!strcmp(scene->textures[i].name, name))
            return picture_read_png(out, scene->textures[i].file, error, size);
    if (picture_procedural(out, name))
        return true;
    snprintf(error, size, "out of memory");
    return false;
}

bool scene_cube(const struct scene *scene, const char *name, struct picture faces[6], char *error,
                size_t size) {
    memset(faces, 0, 6 * sizeof *faces);
    for (size_t i = scene->texture_count; i-- > 0;)
        if (!strcmp(scene->textures[i].name, name)) {
            bool ok = true;
            for (int face = 0; ok && face < 6; face++)
                ok = picture_read_png(&faces[face], scene->textures[i].file, error, size);
            if (ok && faces[0].width != faces[0].height) {
                snprintf(error, size, "%s: a cube map's face must be square", scene->textures[i].file);
                ok = false;
            }
            for (int face = 0; !ok && face < 6; face++)
                picture_free(&faces[face]);
            return ok;
        }
    if (picture_procedural_cube(faces, name))
        return true;
    snprintf(error, size, "out of memory");
    return false;
}
