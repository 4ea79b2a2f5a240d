/* Scenes, set by command lines, and the values of their uniforms and textures. */
#include "scene.h"
#include "scene_defaults.h"

#include <ctype.h>
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
    scene->primitive = SCENE_BY_MESH;
    scene->raster =
        (struct scene_raster){.depth_func = QPUSIM_FUNC_LEQUAL, .depth_test = true, .depth_write = true};
    memcpy(scene->clear, clear, sizeof clear);
}

void scene_free(struct scene *scene) {
    free(scene->vertex);
    free(scene->fragment);
    free(scene->mesh_name);
    free(scene->mesh_text);
    for (int i = 0; i < 2; i++) {
        free(scene->source[i].name);
        free(scene->source[i].text);
    }
    for (size_t i = 0; i < scene->value_count; i++) {
        free(scene->values[i].name);
        free(scene->values[i].values);
    }
    for (size_t i = 0; i < scene->texture_count; i++) {
        free(scene->textures[i].name);
        free(scene->textures[i].file);
        free(scene->textures[i].png);
    }
    for (size_t i = 0; i < scene->set_count; i++)
        free(scene->set[i]);
    free(scene->values);
    free(scene->textures);
    mesh_free(&scene->mesh);
    memset(scene, 0, sizeof *scene);
}

bool scene_set_value(struct scene *scene, const char *name, size_t length, float *values, size_t count) {
    struct scene_value value = {strndup(name, length), values, count};
    struct scene_value *grown = realloc(scene->values, (scene->value_count + 1) * sizeof *grown);
    if (grown)
        scene->values = grown;
    if (!grown || !value.name || !values) {
        free(value.name);
        free(values);
        return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < scene->value_count; i++)
        if (strcmp(scene->values[i].name, value.name))
            scene->values[kept++] = scene->values[i];
        else {
            free(scene->values[i].name);
            free(scene->values[i].values);
        }
    scene->values[kept++] = value;
    scene->value_count = kept;
    if (count == 1 && !strcmp(value.name, "time")) /* drives the model's rotation, too */
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
    if (scene_set_value(scene, text, (size_t)(equals - text), values, count))
        return true;
    snprintf(error, size, "out of memory");
    return false;
bad:
    free(values);
    snprintf(error, size, "'%s' is not name=number,number,...", text);
    return false;
}

bool scene_sampling_word(struct scene_texture *texture, const char *word) {
    static const char *const filters[] = {"nearest", "linear", "mipmap"}, *const wraps[] = {"repeat", "clamp",
                                                                                            "mirror"};
    for (int i = 0; i < 3; i++) {
        if (!strcmp(word, filters[i]))
            return texture->filter = (enum scene_filter)(SCENE_NEAREST + i), true;
        if (!strcmp(word, wraps[i]))
            return texture->wrap = (enum scene_wrap)(SCENE_REPEAT + i), true;
    }
    return false;
}

bool scene_add_texture(struct scene *scene, const char *name, size_t length, const char *file) {
    struct scene_texture *grown = realloc(scene->textures, (scene->texture_count + 1) * sizeof *grown);
    char *copy = strndup(name, length), *path = strdup(file);
    if (grown)
        scene->textures = grown;
    if (!grown || !copy || !path) {
        free(copy);
        free(path);
        return false;
    }
    struct scene_texture texture = {.name = copy, .file = path};
    char *comma;
    while ((comma = strrchr(path, ',')) && scene_sampling_word(&texture, comma + 1))
        *comma = 0;
    scene->textures[scene->texture_count++] = texture;
    return true;
}

bool scene_texture_option(struct scene *scene, const char *text, char *error, size_t size) {
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || !equals[1]) {
        snprintf(error, size, "'%s' is not name=file.png", text);
        return false;
    }
    if (scene_add_texture(scene, text, (size_t)(equals - text), equals + 1))
        return true;
    snprintf(error, size, "out of memory");
    return false;
}

bool scene_clear_option(struct scene *scene, const char *text, char *error, size_t size) {
    unsigned c[4] = {0, 0, 0, 255};
    char rest;
    int count = sscanf(text, "%u,%u,%u,%u%c", &c[0], &c[1], &c[2], &c[3], &rest);
    if ((count != 3 && count != 4) || c[0] > 255 || c[1] > 255 || c[2] > 255 || c[3] > 255 ||
        (count == 3 && strspn(text, "0123456789,") != strlen(text))) {
        snprintf(error, size, "'%s' is not RED,GREEN,BLUE or RED,GREEN,BLUE,ALPHA, each from 0 to 255", text);
        return false;
    }
    for (int i = 0; i < 4; i++)
        scene->clear[i] = (uint8_t)c[i];
    return true;
}

bool scene_instances_option(struct scene *scene, const char *text, char *error, size_t size) {
    enum { MOST = 100000 };
    char *end;
    unsigned long count = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || !count || count > MOST) {
        snprintf(error, size, "'%s' is not a number of instances from 1 to %d", text, MOST);
        return false;
    }
    scene->instances = (unsigned)count;
    return true;
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

bool scene_prepare(struct scene *scene, char *error, size_t size) {
    if (scene->mesh_text)
        return mesh_parse(&scene->mesh, scene->mesh_text, strlen(scene->mesh_text), error, size);
    return mesh_load(&scene->mesh, scene->mesh_name ? scene->mesh_name : "quad", error, size);
}

bool scene_set_camera(struct scene *scene) {
    static const char *const names[] = {"gl_ModelViewMatrix", "gl_ProjectionMatrix"};
    for (int k = 0; k < 2; k++) {
        float *values = malloc(16 * sizeof *values);
        bool set = values && scene_uniform(scene, names[k], QPUCC_FLOAT, 4, 4, 1, values);
        if (!set && !scene_set_value(scene, names[k], strlen(names[k]), values, 16))
            return false;
        if (set)
            free(values);
    }
    return true;
}

enum qpucc_primitive scene_primitive(const struct scene *scene) {
    if (scene->primitive != SCENE_BY_MESH)
        return (enum qpucc_primitive)scene->primitive;
    return scene->mesh.points ? QPUCC_POINTS : QPUCC_TRIANGLES;
}

/* --- values --------------------------------------------------------------------------------------------- */

/* GL calls an array by its first element. */
static size_t plain_length(const char *name) {
    size_t length = strlen(name);
    return length > 3 && !strcmp(name + length - 3, "[0]") ? length - 3 : length;
}

/* The element of a variable that a setting means: "a" and "a[0]" the first of a, or its only one; "a[2]" the
 * third. -1 if the setting means another variable. */
static long element_meant(const char *setting, const char *name) {
    size_t length = plain_length(name);
    char *end;
    if (strncmp(setting, name, length))
        return -1;
    const char *rest = setting + length;
    if (!*rest)
        return 0;
    if (rest[0] != '[' || !isdigit((unsigned char)rest[1]) || strlen(rest) > 8)
        return -1;
    long element = strtol(rest + 1, &end, 10);
    return strcmp(end, "]") ? -1 : element;
}

bool scene_uniform(const struct scene *scene, const char *name, enum qpucc_base_type base, unsigned rows,
                   unsigned cols, unsigned array_length, float *out) {
    size_t each = (size_t)rows * cols, words = each * array_length;
    bool set = false;
    scene_default_uniform(scene, name, base, rows, cols, array_length, out);
    for (size_t i = 0; i < scene->value_count; i++) {
        const struct scene_value *v = &scene->values[i];
        long element = element_meant(v->name, name);
        if (element < 0 || element >= (long)array_length)
            continue;
        size_t left = words - (size_t)element * each;
        memcpy(out + (size_t)element * each, v->values, (v->count < left ? v->count : left) * sizeof *out);
        set = true;
    }
    return set;
}

/* The variable that a setting means, and which of its elements; NULL if the program has none. */
static const struct qpucc_variable *meant(const qpucc_program *program, enum qpucc_interface which,
                                          const char *setting, long *element) {
    for (size_t i = 0; i < qpucc_program_variable_count(program, which); i++) {
        const struct qpucc_variable *variable = qpucc_program_variable(program, which, i);
        *element = element_meant(setting, variable->name);
        if (*element >= 0)
            return variable;
    }
    return NULL;
}

/* `count` values for a setting: none for a picture. */
static bool check_setting(const struct qpucc_variable *variable, const char *setting, long element,
                          size_t count, scene_tell *tell) {
    char text[600];
    size_t each = (size_t)variable->rows * variable->cols;
    if (element >= (long)variable->array_length)
        snprintf(text, sizeof text, "'%s': '%s' has %u element%s", setting, variable->name,
                 variable->array_length, variable->array_length == 1 ? "" : "s");
    else if (count > each * (variable->array_length - (size_t)element))
        snprintf(text, sizeof text, "'%s' takes %zu value%s, not %zu", setting,
                 each * (variable->array_length - (size_t)element),
                 each * (variable->array_length - (size_t)element) == 1 ? "" : "s", count);
    else
        return true;
    tell(true, text);
    return false;
}

/* With what there is instead, as far as a line has room. */
static void tell_unknown(const qpucc_program *program, enum qpucc_interface kind, const char *name,
                         scene_tell *tell) {
    char text[600];
    const char *what = kind == QPUCC_SAMPLERS ? "sampler" : "uniform";
    size_t count = qpucc_program_variable_count(program, kind), listed = 0;
    int n = snprintf(text, sizeof text, "the shaders have no %s '%s'", what, name);
    for (size_t i = 0; i < count && n < 140; i++, listed++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s %s", i ? "," : "; they have",
                      qpucc_program_variable(program, kind, i)->name);
    if (n < (int)sizeof text)
        snprintf(text + n, sizeof text - (size_t)n, "%s",
                 !count           ? ", and need none"
                 : listed < count ? ", ..."
                                  : "");
    tell(false, text);
}

bool scene_check(const struct scene *scene, const qpucc_program *program, scene_tell *tell) {
    bool ok = true;
    long element;
    for (size_t i = 0; i < scene->value_count; i++) {
        const struct scene_value *v = &scene->values[i];
        const struct qpucc_variable *variable = meant(program, QPUCC_UNIFORMS, v->name, &element);
        if (variable)
            ok &= check_setting(variable, v->name, element, v->count, tell);
        else if (strcmp(v->name, "time"))
            tell_unknown(program, QPUCC_UNIFORMS, v->name, tell);
    }
    for (size_t i = 0; i < scene->texture_count; i++) {
        const char *name = scene->textures[i].name;
        const struct qpucc_variable *variable = meant(program, QPUCC_SAMPLERS, name, &element);
        if (variable)
            ok &= check_setting(variable, name, element, 0, tell);
        else
            tell_unknown(program, QPUCC_SAMPLERS, name, tell);
    }
    return ok;
}

/* The last setting of this element or of all. */
const struct scene_texture *scene_texture_setting(const struct scene *scene, const char *name,
                                                  unsigned element) {
    for (size_t i = scene->texture_count; i-- > 0;) {
        const char *setting = scene->textures[i].name;
        size_t length = plain_length(name);
        if ((!strncmp(setting, name, length) && !setting[length]) ||
            element_meant(setting, name) == (long)element)
            return &scene->textures[i];
    }
    return NULL;
}

static bool read_picture(const struct scene_texture *set, struct picture *out, char *error, size_t size) {
    return set->png ? picture_decode_png(out, set->file, set->png, set->png_size, error, size)
                    : picture_read_png(out, set->file, error, size);
}

/* The sampler's name decides what is shown: a variant of the scene shows another picture of the same kind. */
static const char *varied_name(const struct scene *scene, const char *name, char *out, size_t size) {
    if (!scene->variant)
        return name;
    snprintf(out, size, "%s %u", name, scene->variant);
    return out;
}

bool scene_texture(const struct scene *scene, const char *name, unsigned element, struct picture *out,
                   char *error, size_t size) {
    const struct scene_texture *set = scene_texture_setting(scene, name, element);
    if (set)
        return read_picture(set, out, error, size);
    char varied[200];
    if (picture_procedural(out, varied_name(scene, name, varied, sizeof varied)))
        return true;
    snprintf(error, size, "out of memory");
    return false;
}

bool scene_cube(const struct scene *scene, const char *name, unsigned element, struct picture faces[6],
                char *error, size_t size) {
    const struct scene_texture *set = scene_texture_setting(scene, name, element);
    bool ok = true;
    memset(faces, 0, 6 * sizeof *faces);
    if (!set) {
        char varied[200];
        ok = picture_procedural_cube(faces, varied_name(scene, name, varied, sizeof varied));
        if (!ok)
            snprintf(error, size, "out of memory");
        return ok;
    }
    for (int face = 0; ok && face < 6; face++)
        ok = read_picture(set, &faces[face], error, size);
    if (ok && faces[0].width != faces[0].height) {
        snprintf(error, size, "%s: a cube map's face must be square", set->file);
        ok = false;
    }
    for (int face = 0; !ok && face < 6; face++)
        picture_free(&faces[face]);
    return ok;
}
