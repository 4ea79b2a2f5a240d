/* The built-in meshes, the Wavefront reader, and the rules that match a shader's attribute names with a
 * mesh's data. */
#include "mesh.h"
#include "trig.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979f
#define MAX_VERTICES (3u << 20)

/* --- vectors -------------------------------------------------------------------------------------------- */

static void cross(const float a[3], const float b[3], float out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalize(float v[3]) {
    float length = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (length < 1e-12f) {
        v[0] = v[1] = 0;
        v[2] = 1;
        return;
    }
    for (int i = 0; i < 3; i++)
        v[i] /= length;
}

/* A direction in the surface: along growing u where that is not the normal's own direction. */
static void tangent_of(const float normal[3], float out[3]) {
    const float up[3] = {0, 1, 0}, side[3] = {1, 0, 0};
    cross(fabsf(normal[1]) < 0.99f ? up : side, normal, out);
    normalize(out);
}

static void color_of(struct mesh_vertex *v) {
    for (int i = 0; i < 3; i++)
        v->color[i] = 0.5f + 0.45f * fmaxf(-1, fminf(1, v->position[i]));
    v->color[3] = 1;
}

static bool push(struct mesh *mesh, size_t *capacity, struct mesh_vertex v) {
    if (mesh->count == *capacity) {
        size_t wanted = *capacity ? *capacity * 2 : 256;
        struct mesh_vertex *grown = realloc(mesh->vertices, wanted * sizeof *grown);
        if (!grown)
            return false;
        mesh->vertices = grown;
        *capacity = wanted;
    }
    tangent_of(v.normal, v.tangent);
    color_of(&v);
    mesh->vertices[mesh->count++] = v;
    return true;
}

/* --- built in ------------------------------------------------------------------------------------------- */

static bool make_quad(struct mesh *mesh) {
    static const float corner[6][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, -1}, {1, 1}, {-1, 1}};
    size_t capacity = 0;
    mesh->flat = true;
    for (int i = 0; i < 6; i++) {
        struct mesh_vertex v = {.position = {corner[i][0], corner[i][1], 0},
                                .normal = {0, 0, 1},
                                .texcoord = {corner[i][0] * 0.5f + 0.5f, corner[i][1] * 0.5f + 0.5f}};
        if (!push(mesh, &capacity, v))
            return false;
    }
    return true;
}

static bool make_cube(struct mesh *mesh) {
    static const float corner[6][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, -1}, {1, 1}, {-1, 1}};
    size_t capacity = 0;
    for (int face = 0; face < 6; face++) {
        int axis = face / 2;
        float sign = face % 2 ? -1.0f : 1.0f;
        for (int i = 0; i < 6; i++) {
            struct mesh_vertex v = {{0}, {0}, {0}, {0}, {0}};
            /* u runs so that every face is counter-clockwise from outside */
            float u = corner[i][0] * sign, t = corner[i][1];
            v.position[axis] = sign * 0.66f;
            v.position[(axis + 1) % 3] = u * 0.66f;
            v.position[(axis + 2) % 3] = t * 0.66f;
            v.normal[axis] = sign;
            v.texcoord[0] = corner[i][0] * 0.5f + 0.5f;
            v.texcoord[1] = corner[i][1] * 0.5f + 0.5f;
            if (!push(mesh, &capacity, v))
                return false;
        }
    }
    return true;
}

static struct mesh_vertex sphere_vertex(int ring, int segment, int rings, int segments) {
    float theta = PI * (float)ring / (float)rings, phi = 2 * PI * (float)segment / (float)segments;
    struct mesh_vertex v = {
        .normal = {sin_float(theta) * sin_float(phi), cos_float(theta), sin_float(theta) * cos_float(phi)},
        .texcoord = {(float)segment / (float)segments, 1 - (float)ring / (float)rings}};
    memcpy(v.position, v.normal, sizeof v.position);
    return v;
}

static bool make_sphere(struct mesh *mesh) {
    enum { RINGS = 24, SEGMENTS = 36 };
    size_t capacity = 0;
    for (int r = 0; r < RINGS; r++)
        for (int s = 0; s < SEGMENTS; s++) {
            struct mesh_vertex a = sphere_vertex(r, s, RINGS, SEGMENTS),
                               b = sphere_vertex(r + 1, s, RINGS, SEGMENTS),
                               c = sphere_vertex(r + 1, s + 1, RINGS, SEGMENTS),
                               d = sphere_vertex(r, s + 1, RINGS, SEGMENTS);
            struct mesh_vertex list[6] = {a, b, c, a, c, d};
            /* at the poles one of the two triangles has no area */
            int from = r == RINGS - 1 ? 3 : 0, to = r == 0 ? 3 : 6;
            for (int i = from; i < to; i++)
                if (!push(mesh, &capacity, list[i]))
                    return false;
        }
    return true;
}

/* A sunflower spiral: a disc of points, denser than a grid looks. */
/* A ring in the plane z = 0, of outer radius 1. */
static struct mesh_vertex torus_vertex(int along, int around, int segments, int sides) {
    const float ring = 0.68f, tube = 0.32f;
    float phi = 2 * PI * (float)along / (float)segments, theta = 2 * PI * (float)around / (float)sides;
    struct mesh_vertex v = {
        .normal = {cos_float(theta) * cos_float(phi), cos_float(theta) * sin_float(phi), sin_float(theta)},
        .texcoord = {(float)along / (float)segments * 3, (float)around / (float)sides}};
    v.position[0] = (ring + tube * cos_float(theta)) * cos_float(phi);
    v.position[1] = (ring + tube * cos_float(theta)) * sin_float(phi);
    v.position[2] = tube * sin_float(theta);
    return v;
}

static bool make_torus(struct mesh *mesh) {
    enum { SEGMENTS = 48, SIDES = 24 };
    size_t capacity = 0;
    for (int a = 0; a < SEGMENTS; a++)
        for (int s = 0; s < SIDES; s++) {
            struct mesh_vertex corner[4] = {
                torus_vertex(a, s, SEGMENTS, SIDES), torus_vertex(a + 1, s, SEGMENTS, SIDES),
                torus_vertex(a + 1, s + 1, SEGMENTS, SIDES), torus_vertex(a, s + 1, SEGMENTS, SIDES)};
            static const int order[6] = {0, 1, 2, 0, 2, 3};
            for (int i = 0; i < 6; i++)
                if (!push(mesh, &capacity, corner[order[i]]))
                    return false;
        }
    return true;
}

static bool make_points(struct mesh *mesh) {
    enum { POINTS = 120 };
    size_t capacity = 0;
    mesh->points = true;
    mesh->flat = true;
    for (int i = 0; i < POINTS; i++) {
        float t = ((float)i + 0.5f) / POINTS, radius = 0.92f * sqrtf(t), angle = 2.39996323f * (float)i;
        struct mesh_vertex v = {
            .position = {radius * cos_float(angle), radius * sin_float(angle), 0.8f * t - 0.4f},
            .normal = {0, 0, 1},
            .texcoord = {t, fmodf(angle / (2 * PI), 1)}};
        if (!push(mesh, &capacity, v))
            return false;
    }
    return true;
}

/* --- Wavefront ------------------------------------------------------------------------------------------ */

struct floats {
    float *data;
    size_t count, capacity;
};

static bool floats_push(struct floats *list, const float *v, size_t n) {
    if (list->count + n > list->capacity) {
        size_t wanted = list->capacity ? list->capacity * 2 : 768;
        float *grown = realloc(list->data, wanted * sizeof *grown);
        if (!grown)
            return false;
        list->data = grown;
        list->capacity = wanted;
    }
    memcpy(list->data + list->count, v, n * sizeof *v);
    list->count += n;
    return true;
}

/* "f" indices count from 1, or from the end when negative. */
static bool resolve(long index, const struct floats *list, size_t width, const float **out) {
    long total = (long)(list->count / width);
    long at = index > 0 ? index - 1 : total + index;
    if (at < 0 || at >= total)
        return false;
    *out = list->data + (size_t)at * width;
    return true;
}

static bool corner_of(const char **text, const struct floats *v, const struct floats *vt,
                      const struct floats *vn, struct mesh_vertex *out, bool *has_normal,
                      bool *has_texcoord) {
    char *end;
    const float *data;
    memset(out, 0, sizeof *out);
    *has_normal = *has_texcoord = false;
    long index = strtol(*text, &end, 10);
    if (end == *text || !resolve(index, v, 3, &data))
        return false;
    memcpy(out->position, data, sizeof out->position);
    *text = end;
    if (**text == '/') {
        index = strtol(*text + 1, &end, 10);
        if (end != *text + 1) {
            if (!resolve(index, vt, 2, &data))
                return false;
            memcpy(out->texcoord, data, sizeof out->texcoord);
            *has_texcoord = true;
        }
        *text = end;
        if (**text == '/') {
            index = strtol(*text + 1, &end, 10);
            if (end == *text + 1 || !resolve(index, vn, 3, &data))
                return false;
            memcpy(out->normal, data, sizeof out->normal);
            *has_normal = true;
            *text = end;
        }
    }
    return true;
}

static bool add_face(struct mesh *mesh, size_t *capacity, const char *text, const struct floats *v,
                     const struct floats *vt, const struct floats *vn) {
    struct mesh_vertex fan[3];
    bool normals[3], texcoords[3];
    int n = 0;
    for (;;) {
        while (isspace((unsigned char)*text))
            text++;
        if (!*text)
            return n == 3;
        int slot = n < 3 ? n : 2;
        if (n == 3) {
            fan[1] = fan[2];
            normals[1] = normals[2];
            texcoords[1] = texcoords[2];
        }
        if (!corner_of(&text, v, vt, vn, &fan[slot], &normals[slot], &texcoords[slot]))
            return false;
        if (n < 3)
            n++;
        if (n < 3)
            continue;
        float e1[3], e2[3], normal[3];
        for (int i = 0; i < 3; i++) {
            e1[i] = fan[1].position[i] - fan[0].position[i];
            e2[i] = fan[2].position[i] - fan[0].position[i];
        }
        cross(e1, e2, normal);
        normalize(normal);
        for (int i = 0; i < 3; i++) {
            struct mesh_vertex c = fan[i];
            if (!normals[i])
                memcpy(c.normal, normal, sizeof c.normal);
            normalize(c.normal);
            if (!texcoords[i]) {
                float p[3] = {c.position[0], c.position[1], c.position[2]};
                normalize(p);
                c.texcoord[0] = atan2_float(p[0], p[2]) / (2 * PI) + 0.5f;
                c.texcoord[1] = asin_float(fmaxf(-1, fminf(1, p[1]))) / PI + 0.5f;
            }
            if (mesh->count >= MAX_VERTICES || !push(mesh, capacity, c))
                return false;
        }
    }
}

/* Into the cube of half edge 1 around the origin, so that the default camera sees it. */
static void center(struct mesh *mesh) {
    float low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, reach = 0;
    for (size_t i = 0; i < mesh->count; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fminf(low[k], mesh->vertices[i].position[k]);
            high[k] = fmaxf(high[k], mesh->vertices[i].position[k]);
        }
    for (int k = 0; k < 3; k++)
        reach = fmaxf(reach, (high[k] - low[k]) / 2);
    for (size_t i = 0; i < mesh->count; i++) {
        for (int k = 0; k < 3; k++)
            mesh->vertices[i].position[k] =
                (mesh->vertices[i].position[k] - (low[k] + high[k]) / 2) / (reach > 0 ? reach : 1);
        color_of(&mesh->vertices[i]);
    }
}

/* `path` is for messages. */
static bool read_obj(struct mesh *mesh, FILE *file, const char *path, char *error, size_t size) {
    if (!file) {
        snprintf(error, size, "%s: %s", path, strerror(errno));
        return false;
    }
    struct floats v = {0}, vt = {0}, vn = {0};
    size_t capacity = 0, line_capacity = 0;
    char *line = NULL;
    unsigned number = 0;
    bool ok = true;
    while (ok && getline(&line, &line_capacity, file) >= 0) {
        float f[3] = {0, 0, 0};
        number++;
        if (!strncmp(line, "v ", 2))
            ok = sscanf(line + 2, "%f %f %f", &f[0], &f[1], &f[2]) == 3 && floats_push(&v, f, 3);
        else if (!strncmp(line, "vt ", 3))
            ok = sscanf(line + 3, "%f %f", &f[0], &f[1]) == 2 && floats_push(&vt, f, 2);
        else if (!strncmp(line, "vn ", 3))
            ok = sscanf(line + 3, "%f %f %f", &f[0], &f[1], &f[2]) == 3 && floats_push(&vn, f, 3);
        else if (!strncmp(line, "f ", 2))
            ok = add_face(mesh, &capacity, line + 2, &v, &vt, &vn);
    }
    if (!ok)
        snprintf(error, size, "%s:%u: not a Wavefront line that can be read", path, number);
    else if (ferror(file)) {
        snprintf(error, size, "%s: %s", path, strerror(errno));
        ok = false;
    } else if (!mesh->count) {
        snprintf(error, size, "%s: no faces", path);
        ok = false;
    } else
        center(mesh);
    free(line);
    free(v.data);
    free(vt.data);
    free(vn.data);
    fclose(file);
    return ok;
}

bool mesh_load(struct mesh *mesh, const char *name, char *error, size_t size) {
    size_t length = strlen(name);
    bool ok;
    memset(mesh, 0, sizeof *mesh);
    snprintf(error, size, "out of memory");
    if (!strcmp(name, "quad"))
        ok = make_quad(mesh);
    else if (!strcmp(name, "cube"))
        ok = make_cube(mesh);
    else if (!strcmp(name, "sphere"))
        ok = make_sphere(mesh);
    else if (!strcmp(name, "points"))
        ok = make_points(mesh);
    else if (!strcmp(name, "torus"))
        ok = make_torus(mesh);
    else if (length > 4 && !strcmp(name + length - 4, ".obj"))
        ok = read_obj(mesh, fopen(name, "r"), name, error, size);
    else {
        snprintf(error, size, "no mesh called '%s' (quad, cube, sphere, torus, points, or a file.obj)", name);
        ok = false;
    }
    if (!ok)
        mesh_free(mesh);
    return ok;
}

bool mesh_parse(struct mesh *mesh, const char *text, size_t length, char *error, size_t size) {
    memset(mesh, 0, sizeof *mesh);
    bool ok = length ? read_obj(mesh, fmemopen((char *)text, length, "r"), "mesh", error, size) : false;
    if (!length)
        snprintf(error, size, "mesh: no faces");
    if (!ok)
        mesh_free(mesh);
    return ok;
}

void mesh_free(struct mesh *mesh) {
    free(mesh->vertices);
    memset(mesh, 0, sizeof *mesh);
}

/* --- attributes by name --------------------------------------------------------------------------------- */

static void lower(const char *name, char *out, size_t size) {
    size_t n = 0;
    for (; *name && n + 1 < size; name++)
        if (isalnum((unsigned char)*name))
            out[n++] = (char)tolower((unsigned char)*name);
    out[n] = 0;
}

static void set(float out[4], const float *v, int n) {
    static const float rest[4] = {0, 0, 0, 1};
    for (int i = 0; i < 4; i++)
        out[i] = i < n ? v[i] : rest[i];
}

/* "tex", but not the one in "vertex". */
static bool is_texcoord(const char *key) {
    for (const char *at = strstr(key, "tex"); at; at = strstr(at + 1, "tex"))
        if (at - key < 3 || strncmp(at - 3, "ver", 3))
            return true;
    return strstr(key, "uv") != NULL;
}

void mesh_attribute(const struct mesh *mesh, const char *name, size_t vertex, float out[4]) {
    const struct mesh_vertex *v = &mesh->vertices[vertex];
    char key[64];
    lower(name, key, sizeof key);
    const char *digits = strstr(key, "tvertex");
    if (digits && digits[7] >= '0' && digits[7] <= '2' &&
        !mesh->points) /* the triangle's corners (wireframes) */
        set(out, mesh->vertices[vertex - vertex % 3 + (size_t)(digits[7] - '0')].position, 3);
    else if (strstr(key, "tangent"))
        set(out, v->tangent, 3);
    else if (strstr(key, "normal"))
        set(out, v->normal, 3);
    else if (is_texcoord(key))
        set(out, v->texcoord, 2);
    else if (strstr(key, "color") || strstr(key, "colour"))
        set(out, v->color, 4);
    else if (strstr(key, "pos") || strstr(key, "vertex") || strstr(key, "coord") || strstr(key, "point"))
        set(out, v->position, 3);
    else {
        uint32_t hash = 2166136261u; /* FNV-1a: different names get different, repeatable data */
        for (const char *c = key; *c; c++)
            hash = (hash ^ (unsigned char)*c) * 16777619u;
        for (int i = 0; i < 4; i++)
            out[i] = 0.5f + 0.4f * sin_float((float)(hash % 7) + (float)i + v->position[i % 3] * 1.5f);
    }
}
