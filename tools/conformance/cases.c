/* Reads case files: JSON lines in the form of the Khronos ES 2 suite ("shaders", "use") or of the WebGL suite
 * ("vertex", "fragment", "vs_ok"). */
#include "cases.h"
#include "tools/file.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- memory --------------------------------------------------------------------------------------------- */

/* Everything of a case is allocated in blocks that hang on it, so that a line that turns out wrong half way
 * needs no undoing. */
struct case_block {
    struct case_block *next;
    max_align_t data[];
};

static void *take(struct test_case *c, size_t count, size_t each) {
    size_t bytes;
    if (__builtin_mul_overflow(count, each, &bytes) ||
        __builtin_add_overflow(bytes, sizeof(struct case_block), &bytes))
        return NULL;
    struct case_block *block = calloc(1, bytes);
    if (!block)
        return NULL;
    block->next = c->blocks;
    c->blocks = block;
    return block->data;
}

static char *take_text(struct test_case *c, const json_t *json) {
    size_t length = json_string_length(json);
    char *text = json_is_string(json) ? take(c, length + 1, 1) : NULL;
    if (text)
        memcpy(text, json_string_value(json), length);
    return text;
}

void case_free(struct test_case *c) {
    for (struct case_block *b = c->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    memset(c, 0, sizeof *c);
}

/* --- pieces --------------------------------------------------------------------------------------------- */

struct reader {
    struct test_case *c;
    const char *folder;
    char *error;
    size_t size;
};

static bool wrong(struct reader *r, const char *what) {
    if (!r->error[0])
        snprintf(r->error, r->size, "bad case line: %s", what);
    return false;
}

static unsigned number(const json_t *object, const char *key) {
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value < 0 || value > 0x7fffffff ? 0 : (unsigned)value;
}

/* A file named by `json`, whole; or the bytes of a list. */
static void *read_blob(struct reader *r, const json_t *json, size_t *bytes) {
    if (json_is_array(json)) {
        uint8_t *out = take(r->c, json_array_size(json) + 4, 1);
        for (size_t i = 0; out && i < json_array_size(json); i++)
            out[i] = (uint8_t)json_integer_value(json_array_get(json, i));
        *bytes = json_array_size(json);
        return out ? out : (wrong(r, "out of memory"), NULL);
    }
    char path[4096];
    struct file_data file;
    if (!json_is_string(json) ||
        snprintf(path, sizeof path, "%s/%s", r->folder, json_string_value(json)) >= (int)sizeof path) {
        wrong(r, "a data file's name is missing");
        return NULL;
    }
    if (!file_read(path, &file, r->error, r->size))
        return NULL;
    void *data = take(r->c, file.size + 4, 1);
    if (data)
        memcpy(data, file.data, file.size);
    else
        wrong(r, "out of memory");
    *bytes = file.size;
    file_free(&file);
    return data;
}

static bool read_numbers(struct reader *r, const json_t *json, struct case_uniform *u) {
    size_t index;
    const json_t *value;
    u->count = json_is_array(json) ? json_array_size(json) : 1;
    u->values = take(r->c, u->count ? u->count : 1, sizeof *u->values);
    if (!u->values)
        return wrong(r, "out of memory");
    for (index = 0; index < u->count; index++) {
        value = json_is_array(json) ? json_array_get(json, index) : json;
        if (!json_is_number(value) && !json_is_boolean(value))
            return wrong(r, "a uniform's value is not a number");
        u->values[index] = json_is_boolean(value) ? json_is_true(value) : json_number_value(value);
    }
    return true;
}

static bool read_attributes(struct reader *r, const json_t *object, struct case_draw *draw) {
    const char *name;
    json_t *value;
    draw->attributes = take(r->c, json_object_size(object) + 1, sizeof *draw->attributes);
    if (!draw->attributes)
        return wrong(r, "out of memory");
    json_object_foreach((json_t *)object, name, value) {
        struct case_attribute *a = &draw->attributes[draw->attribute_count++];
        size_t bytes = 0;
        char *copy = take(r->c, strlen(name) + 1, 1);
        a->components = number(value, "n");
        a->data = read_blob(r, json_object_get(value, "data"), &bytes);
        if (!copy || !a->data || a->components < 1 || a->components > 4)
            return wrong(r, "an attribute");
        a->name = strcpy(copy, name);
        a->vertices = bytes / 4 / a->components;
    }
    return true;
}

static bool read_uniforms(struct reader *r, const json_t *object, struct case_draw *draw) {
    const char *name;
    json_t *value;
    draw->uniforms = take(r->c, json_object_size(object) + 1, sizeof *draw->uniforms);
    if (!draw->uniforms)
        return wrong(r, "out of memory");
    json_object_foreach((json_t *)object, name, value) {
        struct case_uniform *u = &draw->uniforms[draw->uniform_count++];
        char *copy = take(r->c, strlen(name) + 1, 1);
        if (!copy || !read_numbers(r, json_object_get(value, "v"), u))
            return wrong(r, "a uniform");
        u->name = strcpy(copy, name);
    }
    return true;
}

/* --- textures ------------------------------------------------------------------------------------------- */

enum { /* of the GL headers */
       GL_UNSIGNED_BYTE = 0x1401,
       GL_USHORT_4444 = 0x8033,
       GL_USHORT_5551 = 0x8034,
       GL_USHORT_565 = 0x8363,
       GL_ALPHA_FORMAT = 0x1906,
       GL_RGB_FORMAT = 0x1907,
       GL_RGBA_FORMAT = 0x1908,
       GL_LUMINANCE_FORMAT = 0x1909,
       GL_LUMINANCE_ALPHA_FORMAT = 0x190a,
       GL_2D = 0x0de1,
       GL_CUBE_FACE = 0x8515, /* +x, then -x, +y, ... */
       GL_MAG = 0x2800,
       GL_MIN = 0x2801,
       GL_WRAP_S = 0x2802,
       GL_WRAP_T = 0x2803,
};

/* Bytes of a texel as GL takes it, 0 when this combination is none. */
static unsigned texel_bytes(unsigned format, unsigned type) {
    if (type != GL_UNSIGNED_BYTE)
        return type == GL_USHORT_4444 || type == GL_USHORT_5551 || type == GL_USHORT_565 ? 2 : 0;
    switch (format) {
    case GL_ALPHA_FORMAT:
    case GL_LUMINANCE_FORMAT: return 1;
    case GL_LUMINANCE_ALPHA_FORMAT: return 2;
    case GL_RGB_FORMAT: return 3;
    case GL_RGBA_FORMAT: return 4;
    default: return 0;
    }
}

static uint8_t widen(unsigned value, unsigned bits) {
    return (uint8_t)((value & ((1u << bits) - 1)) * 255 / ((1u << bits) - 1));
}

/* Every format becomes RGBA8888: what a shader reads is the same, and no state key is needed. */
static void expand_texel(unsigned format, unsigned type, const uint8_t *in, uint8_t out[4]) {
    unsigned v = in[0] | (type == GL_UNSIGNED_BYTE ? 0u : (unsigned)in[1] << 8);
    bool grey = format == GL_LUMINANCE_FORMAT || format == GL_LUMINANCE_ALPHA_FORMAT;
    if (type == GL_USHORT_4444) {
        for (unsigned i = 0; i < 4; i++)
            out[i] = widen(v >> (12 - 4 * i), 4);
    } else if (type == GL_USHORT_5551) {
        for (unsigned i = 0; i < 3; i++)
            out[i] = widen(v >> (11 - 5 * i), 5);
        out[3] = widen(v, 1);
    } else if (type == GL_USHORT_565) {
        out[0] = widen(v >> 11, 5);
        out[1] = widen(v >> 5, 6);
        out[2] = widen(v, 5);
        out[3] = 255;
    } else {
        for (unsigned i = 0; i < 3; i++)
            out[i] = format == GL_ALPHA_FORMAT ? 0 : grey ? in[0] : in[i];
        out[3] = format == GL_ALPHA_FORMAT             ? in[0]
                 : format == GL_LUMINANCE_ALPHA_FORMAT ? in[1]
                 : format == GL_RGBA_FORMAT            ? in[3]
                                                       : 255;
    }
}

static bool read_level(struct reader *r, const json_t *json, struct case_texture *texture) {
    unsigned target = number(json, "target"), level = number(json, "level"), width = number(json, "w"),
             height = number(json, "h"), format = number(json, "fmt"), type = number(json, "type");
    unsigned face = target == GL_2D ? 0 : target - GL_CUBE_FACE, each = texel_bytes(format, type);
    size_t bytes = 0, texels = (size_t)width * height;
    if (face >= CASE_FACES || level >= CASE_LEVELS || !each || !width || !height || width > 2048 ||
        height > 2048)
        return wrong(r, "a texture level's target, size, format or type");
    const uint8_t *data = read_blob(r, json_object_get(json, "data"), &bytes);
    struct case_image *image = &texture->images[face][level];
    uint8_t *out = data ? take(r->c, texels, 4) : NULL;
    if (!out)
        return wrong(r, "out of memory");
    /* rows start at multiples of four bytes where the file is long enough for that (GL's unpack alignment) */
    size_t row = (size_t)width * each, padded = (row + 3) & ~(size_t)3;
    size_t stride = bytes >= padded * height ? padded : row;
    if (bytes < row * height)
        return wrong(r, "a texture level's file is too short");
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++)
            expand_texel(format, type, data + y * stride + (size_t)x * each,
                         out + ((size_t)y * width + x) * 4);
    *image = (struct case_image){width, height, out};
    texture->cube |= target != GL_2D;
    if (texture->level_count <= level)
        texture->level_count = level + 1;
    return true;
}

static enum qpusim_wrap wrap_of(json_int_t value) {
    return value == 0x812f ? QPUSIM_CLAMP : value == 0x8370 ? QPUSIM_MIRROR : QPUSIM_REPEAT;
}

static void read_parameter(struct case_texture *texture, json_int_t name, json_int_t value) {
    static const enum qpusim_min mips[] = {QPUSIM_MIN_NEAREST_MIP_NEAREST, QPUSIM_MIN_LINEAR_MIP_NEAREST,
                                           QPUSIM_MIN_NEAREST_MIP_LINEAR, QPUSIM_MIN_LINEAR_MIP_LINEAR};
    switch (name) {
    case GL_WRAP_S: texture->wrap_s = wrap_of(value); break;
    case GL_WRAP_T: texture->wrap_t = wrap_of(value); break;
    case GL_MAG: texture->mag = value == 0x2600 ? QPUSIM_MAG_NEAREST : QPUSIM_MAG_LINEAR; break;
    case GL_MIN:
        texture->mipmaps = value >= 0x2700 && value <= 0x2703;
        texture->min = texture->mipmaps  ? mips[value - 0x2700]
                       : value == 0x2600 ? QPUSIM_MIN_NEAREST
                                         : QPUSIM_MIN_LINEAR;
        break;
    default: break;
    }
}

static bool read_texture(struct reader *r, const json_t *json, struct case_texture *texture) {
    size_t index;
    json_t *value;
    texture->unit = number(json, "unit");
    texture->mipmaps = true;
    texture->min = QPUSIM_MIN_NEAREST_MIP_LINEAR; /* GL's default */
    json_array_foreach(json_object_get(json, "levels"), index, value) {
        if (!read_level(r, value, texture))
            return false;
    }
    json_array_foreach(json_object_get(json, "params"), index, value) read_parameter(
        texture, json_integer_value(json_array_get(value, 0)), json_integer_value(json_array_get(value, 1)));
    if (!texture->mipmaps && texture->level_count > 1)
        texture->level_count = 1;
    for (unsigned face = 0; face < (texture->cube ? CASE_FACES : 1); face++)
        for (unsigned level = 0; level < texture->level_count; level++)
            if (!texture->images[face][level].rgba)
                return wrong(r, "a texture lacks a level or a face");
    return texture->level_count > 0 || wrong(r, "a texture without levels");
}

/* --- the two forms -------------------------------------------------------------------------------------- */

static bool read_textures(struct reader *r, const json_t *list, struct case_draw *draw) {
    size_t index;
    json_t *value;
    draw->textures = take(r->c, json_array_size(list) + 1, sizeof *draw->textures);
    if (!draw->textures)
        return wrong(r, "out of memory");
    json_array_foreach(list, index, value) {
        if (!read_texture(r, value, &draw->textures[draw->texture_count++]))
            return false;
    }
    return true;
}

static bool read_draw(struct reader *r, const json_t *json, struct case_draw *draw) {
    const json_t *viewport = json_object_get(json, "viewport");
    size_t bytes = 0;
    draw->mode = number(json, "mode");
    draw->count = number(json, "n");
    draw->width = (unsigned)json_integer_value(json_array_get(viewport, 0));
    draw->height = (unsigned)json_integer_value(json_array_get(viewport, 1));
    draw->indices = read_blob(r, json_object_get(json, "indices"), &bytes);
    if (!draw->indices || bytes / 4 < draw->count || draw->mode > 6 || !draw->count ||
        draw->width - 1 >= 2048 || draw->height - 1 >= 2048)
        return wrong(r, "a draw's mode, viewport or indices");
    return read_textures(r, json_object_get(json, "textures"), draw) &&
           read_attributes(r, json_object_get(json, "attribs"), draw) &&
           read_uniforms(r, json_object_get(json, "uniforms"), draw);
}

static bool read_deqp(struct reader *r, const json_t *json) {
    static const uint8_t clear[4] = {32, 64, 128, 255}; /* 0.125, 0.25, 0.5, 1 */
    struct test_case *c = r->c;
    const char *use = json_string_value(json_object_get(json, "use"));
    const json_t *draws = json_object_get(json, "draws");
    size_t index;
    json_t *value;
    json_array_foreach(json_object_get(json, "shaders"), index, value) {
        const char *stage = json_string_value(json_object_get(value, "stage"));
        const char **source = stage && !strcmp(stage, "vertex") ? &c->vertex : &c->fragment;
        *source = take_text(c, json_object_get(value, "src"));
        if (!stage || !*source)
            return wrong(r, "a shader");
    }
    if (!use)
        return wrong(r, "no \"use\"");
    c->vertex_ok = c->fragment_ok = MAY;
    c->link_ok = strcmp(use, "must_fail") ? MUST : MUST_NOT;
    memcpy(c->clear, clear, sizeof clear);
    c->check = !strcmp(use, "image") ? CHECK_IMAGE : !strcmp(use, "white") ? CHECK_WHITE : CHECK_BUILD;
    if (c->check == CHECK_BUILD && strcmp(use, "must_fail") && strcmp(use, "must_build"))
        return wrong(r, "an unknown \"use\"");
    if (c->check == CHECK_BUILD)
        return true;
    c->draws = take(c, json_array_size(draws) + 1, sizeof *c->draws);
    if (!c->draws)
        return wrong(r, "out of memory");
    json_array_foreach(draws, index, value) {
        if (!read_draw(r, value, &c->draws[c->draw_count++]))
            return false;
    }
    if (c->check == CHECK_IMAGE) {
        const json_t *image = json_object_get(json_array_get(json_object_get(json, "refs"), 0), "image");
        size_t capacity = strlen(r->folder) + json_string_length(image) + 2;
        char *path = json_is_string(image) ? take(c, capacity, 1) : NULL;
        if (!path)
            return wrong(r, "no reference picture");
        snprintf(path, capacity, "%s/%s", r->folder, json_string_value(image));
        c->reference = path;
    }
    return c->draw_count > 0 || wrong(r, "nothing is drawn");
}

static enum verdict verdict_of(const json_t *json) {
    return json_is_boolean(json) ? (json_is_true(json) ? MUST : MUST_NOT) : MAY;
}

/* The quad that the WebGL suite draws: two triangles over the whole canvas of 32 x 32 pixels. */
static bool unit_quad(struct reader *r, struct case_draw *draw) {
    static const float corners[6][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, 1}, {-1, -1}, {1, -1}};
    struct test_case *c = r->c;
    float *position = take(c, 18, sizeof *position), *texture = take(c, 12, sizeof *texture);
    draw->attributes = take(c, 2, sizeof *draw->attributes);
    draw->indices = take(c, 6, sizeof *draw->indices);
    if (!position || !texture || !draw->attributes || !draw->indices)
        return wrong(r, "out of memory");
    for (unsigned v = 0; v < 6; v++) {
        draw->indices[v] = v;
        for (unsigned i = 0; i < 2; i++) {
            position[3 * v + i] = corners[v][i];
            texture[2 * v + i] = corners[v][i] > 0;
        }
    }
    draw->attributes[0] = (struct case_attribute){"vPosition", 3, position, 6};
    draw->attributes[1] = (struct case_attribute){"texCoord0", 2, texture, 6};
    draw->attribute_count = 2;
    draw->by_location = true; /* WebGL pages bind no names but these two; others get location 0 */
    draw->mode = 4;
    draw->count = 6;
    draw->width = draw->height = 32;
    return true;
}

static bool read_webgl(struct reader *r, const json_t *json) {
    struct test_case *c = r->c;
    const json_t *color = json_object_get(json, "renderColor"), *uniforms = json_object_get(json, "uniforms");
    size_t index;
    json_t *value;
    c->vertex = take_text(c, json_object_get(json, "vertex"));
    c->fragment = take_text(c, json_object_get(json, "fragment"));
    if (!c->vertex || !c->fragment)
        return wrong(r, "neither \"shaders\" nor \"vertex\" and \"fragment\"");
    c->vertex_ok = verdict_of(json_object_get(json, "vs_ok"));
    c->fragment_ok = verdict_of(json_object_get(json, "fs_ok"));
    c->link_ok = verdict_of(json_object_get(json, "link_ok"));
    c->ignored = json_is_true(json_object_get(json, "ignore"));
    if (!json_is_true(json_object_get(json, "render")))
        return true;
    c->check = CHECK_COLOR;
    c->color[1] = c->color[3] = 255;
    c->tolerance = number(json, "renderTolerance");
    for (index = 0; index < 4 && json_is_array(color); index++)
        c->color[index] = (uint8_t)json_integer_value(json_array_get(color, index));
    c->draws = take(c, 1, sizeof *c->draws);
    if (!c->draws)
        return wrong(r, "out of memory");
    c->draw_count = 1;
    c->draws->uniforms = take(c, json_array_size(uniforms) + 1, sizeof *c->draws->uniforms);
    if (!c->draws->uniforms)
        return wrong(r, "out of memory");
    json_array_foreach(uniforms, index, value) {
        struct case_uniform *u = &c->draws->uniforms[c->draws->uniform_count++];
        u->name = take_text(c, json_object_get(value, "name"));
        if (!u->name || !read_numbers(r, json_object_get(value, "value"), u))
            return wrong(r, "a uniform");
    }
    /* "textures" is our own addition: the suite's pages make theirs by script */
    return read_textures(r, json_object_get(json, "textures"), c->draws) && unit_quad(r, c->draws);
}

/* "conformance/glsl/bugs/x.html" and "name" make "bugs/x/name", so that a pattern can pick a page. */
static char *full_name(const json_t *json) {
    const char *name = json_string_value(json_object_get(json, "name")),
               *file = json_string_value(json_object_get(json, "file"));
    if (!name)
        return NULL;
    if (!file)
        return strdup(name);
    const char *start = strstr(file, "glsl/");
    start = start ? start + 5 : file;
    size_t length = strlen(start), capacity = length + strlen(name) + 2;
    if (length > 5 && !strcmp(start + length - 5, ".html"))
        length -= 5;
    char *out = malloc(capacity);
    if (out)
        snprintf(out, capacity, "%.*s/%s", (int)length, start, name);
    return out;
}

char *case_line_name(const char *line, size_t length) {
    json_t *json = json_loadb(line, length, 0, NULL);
    char *name = full_name(json);
    json_decref(json);
    return name;
}

bool case_read(struct test_case *out, const char *line, size_t length, const char *folder, char *error,
               size_t size) {
    struct reader r = {out, folder, error, size};
    json_error_t where;
    memset(out, 0, sizeof *out);
    error[0] = 0;
    json_t *json = json_loadb(line, length, 0, &where);
    if (!json_is_object(json)) {
        json_decref(json);
        return wrong(&r, json ? "not an object" : where.text);
    }
    bool ok = json_object_get(json, "shaders") ? read_deqp(&r, json) : read_webgl(&r, json);
    json_decref(json);
    return ok;
}
