/* Pictures, and the procedural textures. */
#include "picture.h"
#include "trig.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void picture_free(struct picture *picture) {
    free(picture->pixels);
    memset(picture, 0, sizeof *picture);
}

void picture_halve(struct picture *picture) {
    unsigned width = picture->width / 2 ? picture->width / 2 : 1,
             height = picture->height / 2 ? picture->height / 2 : 1;
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++)
            for (unsigned k = 0; k < 4; k++) {
                unsigned right = 2 * x + 1 < picture->width ? 2 * x + 1 : 2 * x,
                         above = 2 * y + 1 < picture->height ? 2 * y + 1 : 2 * y;
                const uint8_t *p = picture->pixels + k;
                size_t row = 4 * (size_t)picture->width;
                unsigned sum = p[2 * y * row + 8 * x] + p[2 * y * row + 4 * right] + p[above * row + 8 * x] +
                               p[above * row + 4 * right];
                picture->pixels[4 * ((size_t)y * width + x) + k] = (uint8_t)((sum + 2) / 4);
            }
    picture->width = width;
    picture->height = height;
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
    return 0.5f + 0.25f * sin_float(turn * s) * cos_float(turn * t) +
           0.2f * sin_float(turn * 2 * s + 1) * sin_float(turn * 2 * t);
}

/* A checker board with soft edges over a slow change of hue. */
static void checker_at(float s, float t, unsigned hash, float out[4]) {
    const float turn = 6.2831853f;
    float board = sin_float(turn * 2 * s) * sin_float(turn * 2 * t) * 3;
    float k = 0.5f + 0.5f * fmaxf(-1, fminf(1, board));
    float hue = (float)(hash % 6) / 6;
    for (int i = 0; i < 3; i++) {
        float light = 0.72f + 0.22f * cos_float(turn * (hue + (float)i / 3) + turn * s);
        float dark = 0.25f + 0.15f * cos_float(turn * (hue + (float)i / 3 + 0.4f) + turn * t);
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
                        v[i] = 0.5f + 0.4f * sin_float(2 * d[0] + d[1] + phase) * cos_float(d[2] - d[1]);
                    else
                        v[i] = 0.5f + 0.45f * sin_float(2 * d[i] + d[(i + 1) % 3] + phase);
                }
                for (int i = 0; i < 4; i++)
                    faces[face].pixels[(y * SIZE + x) * 4 + i] = byte(v[i]);
            }
    }
    return true;
}
