/* preset.c: reads a .glslp file: lines of `key = value`, values with or without quotes, # and // for
 * comments. */
#define _GNU_SOURCE /* asprintf, strchrnul */
#include "preset.h"
#include "file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_LINES = 2000, MOST_REFERENCES = 8 };

struct entry {
    char *key, *value;
    char *folder; /* of the file that it stands in */
    bool used;
};

struct reader {
    struct preset *preset;
    struct entry entry[MOST_LINES];
    size_t count;
    char *folder;             /* of the file, with its slash; "" */
    const char *value_folder; /* of the value that was asked for last */
    void (*warn)(const char *text);
    bool warned; /* of framebuffers */
    char *error;
    size_t size;
};

static bool fail(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct reader *r, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->error, r->size, format, arguments);
    va_end(arguments);
    return false;
}

/* --- lines ---------------------------------------------------------------------------------------------- */

static char *trimmed(char *begin, char *end) {
    while (begin < end && strchr(" \t\r\"", *begin))
        begin++;
    while (end > begin && strchr(" \t\r\"", end[-1]))
        end--;
    return strndup(begin, (size_t)(end - begin));
}

/* Without quotes around it a value ends at # or, behind a blank, at //. */
static char *end_of_value(char *value, char *end) {
    for (char *at = value; at < end; at++)
        if (*at == '#' ||
            (at > value && at + 1 < end && strchr(" \t", at[-1]) && at[0] == '/' && at[1] == '/'))
            return at;
    return end;
}

static bool take_line(struct reader *r, char *line, char *end) {
    char *equals = memchr(line, '=', (size_t)(end - line));
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    if (!equals || *line == '#' || !strncmp(line, "//", 2))
        return true;
    if (r->count == MOST_LINES)
        return fail(r, "more than %d lines", MOST_LINES);
    char *value = equals + 1;
    while (value < end && (*value == ' ' || *value == '\t'))
        value++;
    char *closing = value < end && *value == '"' ? memchr(value + 1, '"', (size_t)(end - value - 1)) : NULL;
    char *stop = closing ? closing : end_of_value(value, end);
    struct entry e = {trimmed(line, equals), trimmed(value, stop), strdup(r->folder), false};
    r->entry[r->count++] = e;
    return (e.key && e.value && e.folder) || fail(r, "out of memory");
}

/* The path that a line `#reference "other.glslp"` gives, from the preset's folder; NULL: none does. */
static char *reference(struct reader *r, const char *text) {
    const char *at = strstr(text, "#reference"), *line_end = at ? strchrnul(at, '\n') : NULL;
    const char *quote = at ? memchr(at, '"', (size_t)(line_end - at)) : NULL;
    const char *end = quote ? memchr(quote + 1, '"', (size_t)(line_end - quote - 1)) : NULL;
    char *path = NULL;
    if (end &&
        asprintf(&path, "%s%.*s", quote[1] == '/' ? "" : r->folder, (int)(end - quote - 1), quote + 1) < 0)
        path = NULL;
    return path;
}

static bool read_lines(struct reader *r, const char *path, unsigned depth) {
    struct file_data file;
    if (!file_read(path, &file, r->error, r->size))
        return false;
    const char *slash = strrchr(path, '/');
    free(r->folder);
    r->folder = slash ? strndup(path, (size_t)(slash - path + 1)) : strdup("");
    bool ok = r->folder || fail(r, "out of memory");
    char *text = strndup(file.data, file.size), *other = text && ok ? reference(r, text) : NULL;
    for (char *line = text, *end; ok && line && *line; line = *end ? end + 1 : end) {
        end = strchrnul(line, '\n');
        ok = take_line(r, line, end);
    }
    ok = ok && (text || fail(r, "out of memory"));
    if (ok && other)
        ok = depth ? read_lines(r, other, depth - 1) : fail(r, "presets refer to each other");
    free(other);
    free(text);
    file_free(&file);
    return ok;
}

/* What comes first counts: a preset sets what the one that it refers to sets, too. */
static const char *value_of(struct reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *value_of(struct reader *r, const char *format, ...) {
    char key[100];
    const char *value = NULL;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(key, sizeof key, format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < r->count; i++)
        if (!strcmp(r->entry[i].key, key)) {
            r->entry[i].used = true;
            if (value)
                continue;
            value = r->entry[i].value;
            r->value_folder = r->entry[i].folder;
        }
    return value;
}

static bool is_true(const char *value) {
    return value && (!strcasecmp(value, "true") || !strcmp(value, "1"));
}

static char *path_of(struct reader *r, const char *value) {
    char *path = NULL;
    return asprintf(&path, "%s%s", value[0] == '/' ? "" : r->value_folder, value) < 0 ? NULL : path;
}

/* --- members -------------------------------------------------------------------------------------------- */

static enum scene_filter filter_of(const char *linear, const char *mipmap) {
    return is_true(mipmap) ? SCENE_MIPMAP : !linear || is_true(linear) ? SCENE_LINEAR : SCENE_NEAREST;
}

/* Borders of a colour are none of GLES 2's: it repeats the edge. */
static enum scene_wrap wrap_of(const char *value) {
    return !value                                  ? SCENE_CLAMP
           : !strcasecmp(value, "repeat")          ? SCENE_REPEAT
           : !strcasecmp(value, "mirrored_repeat") ? SCENE_MIRROR
                                                   : SCENE_CLAMP;
}

static bool read_scale(struct reader *r, struct preset_pass *pass, unsigned index, unsigned axis) {
    static const char *const types[] = {"source", "viewport", "absolute"};
    const char letter = axis ? 'y' : 'x';
    const char *own = value_of(r, "scale_type_%c%u", letter, index),
               *both = value_of(r, "scale_type%u", index);
    const char *scale = value_of(r, "scale_%c%u", letter, index), *all = value_of(r, "scale%u", index);
    const char *type = own ? own : both;
    pass->type[axis] = PRESET_SOURCE;
    pass->scale[axis] = 1;
    pass->scaled |= type || scale || all;
    bool known = !type;
    for (unsigned k = 0; type && k < 3; k++)
        if (!strcasecmp(type, types[k])) {
            pass->type[axis] = (enum preset_scale)k;
            known = true;
        }
    if (!known)
        return fail(r, "scale_type%u: %s is not source, viewport or absolute", index, type);
    if (scale || all)
        pass->scale[axis] = strtof(scale ? scale : all, NULL);
    return pass->scale[axis] > 0 || fail(r, "scale%u: must be above 0", index);
}

static bool read_pass(struct reader *r, unsigned index) {
    struct preset_pass *pass = &r->preset->pass[r->preset->pass_count++];
    const char *shader = value_of(r, "shader%u", index);
    pass->shader = shader ? path_of(r, shader) : NULL;
    const char *alias = value_of(r, "alias%u", index);
    const char *modulus = value_of(r, "frame_count_mod%u", index);
    if (!shader)
        return fail(r, "shader%u is missing", index);
    pass->alias = alias && *alias ? strdup(alias) : NULL;
    pass->filter = filter_of(value_of(r, "filter_linear%u", index), value_of(r, "mipmap_input%u", index));
    pass->wrap = wrap_of(value_of(r, "wrap_mode%u", index));
    pass->frame_modulus = modulus ? (unsigned)strtoul(modulus, NULL, 10) : 0;
    bool wide = is_true(value_of(r, "float_framebuffer%u", index));
    wide |= is_true(value_of(r, "srgb_framebuffer%u", index));
    if (wide && !r->warned && r->warn)
        r->warn("framebuffers of floats or sRGB are no part of OpenGL ES 2: eight bits a channel are used");
    r->warned |= wide;
    return (pass->shader || fail(r, "out of memory")) && read_scale(r, pass, index, 0) &&
           read_scale(r, pass, index, 1);
}

static bool read_texture(struct reader *r, const char *name) {
    struct preset *p = r->preset;
    const char *file = value_of(r, "%s", name);
    if (p->texture_count == PRESET_MAX_LISTED)
        return fail(r, "more than %d textures", PRESET_MAX_LISTED);
    if (!file)
        return fail(r, "the texture %s has no file", name);
    struct preset_texture *t = &p->texture[p->texture_count++];
    t->name = strdup(name);
    t->file = path_of(r, file);
    t->filter = filter_of(value_of(r, "%s_linear", name), value_of(r, "%s_mipmap", name));
    t->wrap = wrap_of(value_of(r, "%s_wrap_mode", name));
    return (t->name && t->file) || fail(r, "out of memory");
}

static bool add_parameter(struct reader *r, const char *name, const char *value) {
    struct preset *p = r->preset;
    if (p->parameter_count == PRESET_MAX_LISTED)
        return fail(r, "more than %d parameters", PRESET_MAX_LISTED);
    struct preset_parameter *parameter = &p->parameter[p->parameter_count++];
    *parameter = (struct preset_parameter){strdup(name), strtof(value, NULL)};
    return parameter->name || fail(r, "out of memory");
}

/* `names`: separated by semicolons. */
static bool each_name(struct reader *r, const char *names, bool (*take)(struct reader *r, const char *name)) {
    char *copy = strdup(names ? names : ""), *rest = copy;
    bool ok = copy || fail(r, "out of memory");
    for (char *name; ok && rest && (name = strsep(&rest, ";"));)
        ok = !*name || take(r, name);
    free(copy);
    return ok;
}

static bool read_parameter(struct reader *r, const char *name) {
    const char *value = value_of(r, "%s", name);
    return !value || add_parameter(r, name, value);
}

/* Values of parameters may stand there without a list of their names. */
static bool read_rest(struct reader *r) {
    for (size_t i = 0; i < r->count; i++) {
        char *end;
        const struct entry *e = &r->entry[i];
        if (e->used || !*e->value)
            continue;
        strtof(e->value, &end);
        if (!*end && !add_parameter(r, e->key, e->value))
            return false;
    }
    return true;
}

static bool read_members(struct reader *r) {
    const char *shaders = value_of(r, "shaders");
    unsigned long count = shaders ? strtoul(shaders, NULL, 10) : 0;
    if (!count || count > PRESET_MAX_PASSES)
        return fail(r, "shaders = N is missing, or not 1 to %d", PRESET_MAX_PASSES);
    for (unsigned i = 0; i < count; i++)
        if (!read_pass(r, i))
            return false;
    value_of(r, "feedback_pass"); /* any pass can be read by the next frame here */
    return each_name(r, value_of(r, "textures"), read_texture) &&
           each_name(r, value_of(r, "parameters"), read_parameter) && read_rest(r);
}

bool preset_read(struct preset *preset, const char *path, void (*warn)(const char *text), char *error,
                 size_t size) {
    char why[400] = "";
    struct reader *r = calloc(1, sizeof *r);
    *preset = (struct preset){.pass_count = 0};
    if (!r)
        return snprintf(error, size, "out of memory"), false;
    *r = (struct reader){.preset = preset, .warn = warn, .error = why, .size = sizeof why};
    bool ok = read_lines(r, path, MOST_REFERENCES) && read_members(r);
    if (!ok)
        snprintf(error, size, "%s%s%s", strstr(why, path) ? "" : path, strstr(why, path) ? "" : ": ", why);
    for (size_t i = 0; i < r->count; i++) {
        free(r->entry[i].key);
        free(r->entry[i].value);
        free(r->entry[i].folder);
    }
    free(r->folder);
    free(r);
    return ok;
}

void preset_free(struct preset *preset) {
    for (size_t i = 0; i < preset->pass_count; i++) {
        free(preset->pass[i].shader);
        free(preset->pass[i].alias);
    }
    for (size_t i = 0; i < preset->texture_count; i++) {
        free(preset->texture[i].name);
        free(preset->texture[i].file);
    }
    for (size_t i = 0; i < preset->parameter_count; i++)
        free(preset->parameter[i].name);
    *preset = (struct preset){.pass_count = 0};
}

unsigned preset_extent(const struct preset *preset, size_t index, unsigned axis, unsigned source,
                       unsigned viewport) {
    const struct preset_pass *pass = &preset->pass[index];
    bool last = index + 1 == preset->pass_count;
    enum preset_scale type = last && !pass->scaled ? PRESET_VIEWPORT : pass->type[axis];
    float size = type == PRESET_ABSOLUTE
                     ? pass->scale[axis]
                     : pass->scale[axis] * (float)(type == PRESET_SOURCE ? source : viewport);
    return size < 1 ? 1 : size > PICTURE_MAX_PIXELS ? PICTURE_MAX_PIXELS : (unsigned)size;
}
