/* PNG files in and out, and the procedural textures. */
#include "picture.h"
#include "file.h"

#include <ctype.h>
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void picture_free(struct picture *picture) {
    free(picture->pixels);
    memset(picture, 0, sizeof *picture);
}

void picture_turn_over(struct picture *picture) {
    size_t row = (size_t)picture->width * 4;
    for (unsigned y = 0; y < picture->height / 2; y++) {
        uint8_t *a = picture->pixels + y * row, *b = picture->pixels + (picture->height - 1 - y) * row;
        for (size_t i = 0; i < row; i++) {
            uint8_t keep = a[i];
            a[i] = b[i];
            b[i] = keep;
        }
    }
}

bool picture_decode_png(struct picture *picture, const char *name, const void *data, size_t bytes,
                        char *error, size_t size) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    memset(picture, 0, sizeof *picture);
    bool ok = png_image_begin_read_from_memory(&image, data, bytes) != 0;
    if (ok && (image.width > 2048 || image.height > 2048)) {
        snprintf(error, size, "%s: %u x %u texels, but 2048 is the hardware's limit", name, image.width,
                 image.height);
        png_image_free(&image);
        return false;
    }
    if (ok) {
        image.format = PNG_FORMAT_RGBA;
        picture->width = image.width;
        picture->height = image.height;
        picture->pixels = malloc(PNG_IMAGE_SIZE(image));
        /* a negative stride reverses the rows: a PNG's first row is the top one */
        ok = picture->pixels &&
             png_image_finish_read(&image, NULL, picture->pixels, -(png_int_32)image.width * 4, NULL);
    }
    if (!ok) {
        snprintf(error, size, "%s: %s", name, image.message[0] ? image.message : "out of memory");
        picture_free(picture);
    }
    png_image_free(&image);
    return ok;
}

bool picture_read_png(struct picture *picture, const char *path, char *error, size_t size) {
    struct file_data file;
    memset(picture, 0, sizeof *picture);
    if (!file_read(path, &file, error, size))
        return false;
    bool ok = picture_decode_png(picture, path, file.data, file.size, error, size);
    file_free(&file);
    return ok;
}

struct encoder {
    jmp_buf failed;
    const char *message;
    uint8_t *bytes;
    size_t size, room;
};

static void encoder_fails(png_structp png, png_const_charp message) {
    struct encoder *e = png_get_error_ptr(png);
    e->message = message;
    longjmp(e->failed, 1);
}

static void encoder_writes(png_structp png, png_bytep bytes, size_t count) {
    struct encoder *e = png_get_io_ptr(png);
    if (count > e->room - e->size) {
        size_t room = 2 * e->room + count;
        uint8_t *grown = realloc(e->bytes, room);
        if (!grown)
            png_error(png, "out of memory");
        e->bytes = grown;
        e->room = room;
    }
    memcpy(e->bytes + e->size, bytes, count);
    e->size += count;
}

/* Differences of neighbours at zlib's first level: a fifth of the default's time, for about 1.2 times the
 * bytes. */
static void encode_rows(png_structp png, png_infop info, const struct picture *picture, bool alpha) {
    png_set_IHDR(png, info, picture->width, picture->height, 8,
                 alpha ? PNG_COLOR_TYPE_RGBA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, 1);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    if (!alpha)
        png_set_filler(png, 0, PNG_FILLER_AFTER);
    for (unsigned y = picture->height; y-- > 0;) /* a PNG's first row is the top one */
        png_write_row(png, picture->pixels + (size_t)y * picture->width * 4);
    png_write_end(png, info);
}

/* Apart from the caller, whose encoder changes between setjmp and longjmp. */
static bool encode(struct encoder *e, png_structp png, png_infop info, const struct picture *picture,
                   bool alpha) {
    if (setjmp(e->failed))
        return false;
    png_set_write_fn(png, e, encoder_writes, NULL);
    encode_rows(png, info, picture, alpha);
    return true;
}

uint8_t *picture_encode_png(const struct picture *picture, bool alpha, size_t *bytes, char *error,
                            size_t size) {
    struct encoder e = {.message = "out of memory"};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &e, encoder_fails, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool ok = info && encode(&e, png, info, picture, alpha);
    png_destroy_write_struct(&png, &info);
    if (!ok) {
        snprintf(error, size, "%s", e.message);
        free(e.bytes);
        return NULL;
    }
    *bytes = e.size;
    return e.bytes;
}

bool picture_write_png(const struct picture *picture, const char *path, bool alpha, char *error,
                       size_t size) {
    char reason[120];
    size_t bytes = 0;
    uint8_t *png = picture_encode_png(picture, alpha, &bytes, reason, sizeof reason);
    bool ok = png && file_write(path, png, bytes, error, size);
    if (!png)
        snprintf(error, size, "%s: %s", path, reason);
    free(png);
    return ok;
}

/* --- procedural ----------------------------------------------------------------------------------------- */

static bool has(const char *name, const char *part) {
    size_t length = strlen(part);
    for (; *name; name++) {
        size_t i = 0;
        while (i < length && tolower((unsigned char)name[i]) == part[i])
            i++;
        if (i == length)
            return true;
    }
    return false;
}

static uint8_t byte(float v) {
    return (uint8_t)lrintf(fmaxf(0, fminf(1, v)) * 255);
}

/* A repeating bumpy height, 0..1. */
static float height_at(float s, float t) {
    const float turn = 6.2831853f;
    return 0.5f + 0.25f * sinf(turn * s) * cosf(turn * t) +
           0.2f * sinf(turn * 2 * s + 1) * sinf(turn * 2 * t);
}

/* A checker board with soft edges over a slow change of hue. */
static void checker_at(float s, float t, unsigned hash, float out[4]) {
    const float turn = 6.2831853f;
    float board = sinf(turn * 2 * s) * sinf(turn * 2 * t) * 3;
    float k = 0.5f + 0.5f * fmaxf(-1, fminf(1, board));
    float hue = (float)(hash % 6) / 6;
    for (int i = 0; i < 3; i++) {
        float light = 0.72f + 0.22f * cosf(turn * (hue + (float)i / 3) + turn * s);
        float dark = 0.25f + 0.15f * cosf(turn * (hue + (float)i / 3 + 0.4f) + turn * t);
        out[i] = dark + (light - dark) * k;
    }
    out[3] = 1;
}

static unsigned hash_of(const char *name) {
    unsigned hash = 0;
    for (const char *c = name; *c; c++)
        hash = hash * 31 + (unsigned char)*c;
    return hash;
}

static bool is_height(const char *sampler) {
    return has(sampler, "height") || has(sampler, "displac") || has(sampler, "depth") ||
           has(sampler, "distance") || has(sampler, "shadow");
}

bool picture_procedural(struct picture *picture, const char *sampler) {
    enum { SIZE = 64 };
    unsigned hash = hash_of(sampler);
    bool normal = has(sampler, "normal"), height = is_height(sampler);
    picture->width = picture->height = SIZE;
    picture->pixels = malloc(SIZE * SIZE * 4);
    if (!picture->pixels)
        return false;
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) {
            float s = ((float)x + 0.5f) / SIZE, t = ((float)y + 0.5f) / SIZE, v[4];
            const float d = 1.0f / SIZE;
            if (normal) {
                float dx = (height_at(s + d, t) - height_at(s - d, t)) * 4,
                      dy = (height_at(s, t + d) - height_at(s, t - d)) * 4;
                float scale = 0.5f / sqrtf(dx * dx + dy * dy + 1);
                v[0] = 0.5f - dx * scale;
                v[1] = 0.5f - dy * scale;
                v[2] = 0.5f + scale;
                v[3] = 1;
            } else if (height) {
                v[0] = v[1] = v[2] = height_at(s, t);
                v[3] = 1;
            } else
                checker_at(s, t, hash, v);
            for (int i = 0; i < 4; i++)
                picture->pixels[(y * SIZE + x) * 4 + i] = byte(v[i]);
        }
    return true;
}

/* The direction in which (s, t), each -1..1, of a face lies (ES 2.0 table 3.21). */
static void cube_direction(int face, float s, float t, float out[3]) {
    const float sign = face & 1 ? -1 : 1;
    const float table[3][3] = {{sign, -t, -sign * s}, {s, sign, sign * t}, {sign * s, -t, sign}};
    float length = sqrtf(1 + s * s + t * t);
    for (int i = 0; i < 3; i++)
        out[i] = table[face / 2][i] / length;
}

bool picture_procedural_cube(struct picture faces[6], const char *sampler) {
    enum { SIZE = 64 };
    const float phase = (float)(hash_of(sampler) % 6);
    bool normal = has(sampler, "normal"), height = is_height(sampler);
    memset(faces, 0, 6 * sizeof *faces);
    for (int face = 0; face < 6; face++) {
        faces[face] = (struct picture){SIZE, SIZE, malloc(SIZE * SIZE * 4)};
        if (!faces[face].pixels) {
            for (int i = 0; i < face; i++)
                picture_free(&faces[i]);
            return false;
        }
        for (int y = 0; y < SIZE; y++)
            for (int x = 0; x < SIZE; x++) {
                float d[3], v[4] = {0, 0, 0, 1};
                cube_direction(face, ((float)x + 0.5f) * 2 / SIZE - 1, ((float)y + 0.5f) * 2 / SIZE - 1, d);
                for (int i = 0; i < 3; i++) {
                    if (normal)
                        v[i] = 0.5f + 0.5f * d[i];
                    else if (height)
                        v[i] = 0.5f + 0.4f * sinf(2 * d[0] + d[1] + phase) * cosf(d[2] - d[1]);
                    else
                        v[i] = 0.5f + 0.45f * sinf(2 * d[i] + d[(i + 1) % 3] + phase);
                }
                for (int i = 0; i < 4; i++)
                    faces[face].pixels[(y * SIZE + x) * 4 + i] = byte(v[i]);
            }
    }
    return true;
}
