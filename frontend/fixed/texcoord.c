/* Texture coordinates: the vertex's own, generated ones, texture matrices (GL 2.1 sections 2.11.4 and
 * 2.11.3; GLES 1.1 with OES_texture_cube_map has the last two forms of generation). */
#include "frontend/fixed/texcoord.h"

static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, along_s[4] = {1, 0, 0, 0},
                   along_t[4] = {0, 1, 0, 0}, origin[4] = {0, 0, 0, 1};

static const struct fixed_name matrix_name = {"gl_TextureMatrix", 4, 4, QPUCC_FIXED_TEXTURES, identity},
                               current = {"gl_MultiTexCoord%u", 4, 1, 0, origin};
/* by coordinate */
static const struct fixed_name object_plane[4] = {{"gl_ObjectPlaneS", 4, 1, QPUCC_FIXED_TEXTURES, along_s},
                                                  {"gl_ObjectPlaneT", 4, 1, QPUCC_FIXED_TEXTURES, along_t},
                                                  {"gl_ObjectPlaneR", 4, 1, QPUCC_FIXED_TEXTURES, NULL},
                                                  {"gl_ObjectPlaneQ", 4, 1, QPUCC_FIXED_TEXTURES, NULL}};
static const struct fixed_name eye_plane[4] = {{"gl_EyePlaneS", 4, 1, QPUCC_FIXED_TEXTURES, along_s},
                                               {"gl_EyePlaneT", 4, 1, QPUCC_FIXED_TEXTURES, along_t},
                                               {"gl_EyePlaneR", 4, 1, QPUCC_FIXED_TEXTURES, NULL},
                                               {"gl_EyePlaneQ", 4, 1, QPUCC_FIXED_TEXTURES, NULL}};

bool texcoord_needs_normal(const struct qpucc_fixed *fixed) {
    bool needed = false;
    for (unsigned n = 0; n < QPUCC_FIXED_TEXTURES; n++)
        for (unsigned k = 0; k < 4; k++)
            needed |= fixed->texture[n].target && fixed->texture[n].generate[k] >= QPUCC_GENERATE_SPHERE_MAP;
    return needed;
}

bool texcoord_generated(const struct qpucc_fixed_texture *texture) {
    bool all = true;
    for (unsigned k = 0; k < 4; k++)
        all &= texture->generate[k] != QPUCC_GENERATE_OFF;
    return all;
}

unsigned texcoord_words(const struct qpucc_fixed_texture *texture, bool *divides) {
    bool own_q = texture->coord_words == 4 || (texture->coord_words == 0 && !texture->generate[3]);
    bool q = own_q || texture->generate[3] || texture->matrix == QPUCC_MATRIX_ANY;
    *divides = q && texture->target == QPUCC_UNIT_2D;
    return texture->target == QPUCC_UNIT_CUBE ? 3 : 2;
}

/* From the eye to the vertex and off its surface: u - 2 n (n . u). */
static void make_reflection(struct fixed_builder *f, struct texcoord_in *in) {
    val u[3];
    if (in->reflection[0])
        return;
    for (unsigned k = 0; k < 3; k++)
        u[k] = in->eye[k];
    fixed_normalize(f, u);
    val along = fixed_dot(f, in->normal, u, 3), twice = add(f, along, along);
    for (unsigned k = 0; k < 3; k++)
        in->reflection[k] = sub(f, u[k], mul(f, in->normal[k], twice));
}

/* (r.x, r.y) / m + 1/2, m = 2 |r + (0, 0, 1)| */
static void make_sphere(struct fixed_builder *f, struct texcoord_in *in) {
    val half = flt(f, 0.5f);
    if (in->sphere[0])
        return;
    make_reflection(f, in);
    const val r[3] = {in->reflection[0], in->reflection[1], add(f, in->reflection[2], flt(f, 1))};
    val by = mul(f, one(f, IR_FRSQ, fixed_dot(f, r, r, 3)), half);
    for (unsigned k = 0; k < 2; k++)
        in->sphere[k] = mad(f, r[k], by, half);
}

static val generate(struct fixed_builder *f, struct texcoord_in *in, unsigned unit, unsigned k) {
    val plane[4];
    switch (f->fixed->texture[unit].generate[k]) {
    case QPUCC_GENERATE_OBJECT_LINEAR:
        fixed_uniform(f, &object_plane[k], unit, plane);
        return fixed_dot(f, plane, in->vertex, 4);
    case QPUCC_GENERATE_EYE_LINEAR:
        fixed_uniform(f, &eye_plane[k], unit, plane);
        return fixed_dot(f, plane, in->eye, 4);
    case QPUCC_GENERATE_SPHERE_MAP: make_sphere(f, in); return in->sphere[k & 1];
    case QPUCC_GENERATE_REFLECTION_MAP: make_reflection(f, in); return in->reflection[k];
    default: return in->normal[k];
    }
}

/* What the vertex has, before anything else is done to it. */
static void own_coordinates(struct fixed_builder *f, unsigned unit, val out[4]) {
    unsigned words = f->fixed->texture[unit].coord_words;
    char name[24];
    if (!words) {
        fixed_uniform(f, &current, unit, out);
        return;
    }
    snprintf(name, sizeof name, "gl_MultiTexCoord%u", unit);
    uint32_t word = fixed_input(f, name, words, 0);
    for (unsigned k = 0; k < 4; k++)
        out[k] = k < words ? fixed_read(f, word + k) : flt(f, origin[k]);
}

void texcoord_vertex(struct fixed_builder *f, struct texcoord_in *in, unsigned unit, val out[4]) {
    const struct qpucc_fixed_texture *texture = &f->fixed->texture[unit];
    val matrix[16], c[4];
    if (!texcoord_generated(texture))
        own_coordinates(f, unit, c);
    for (unsigned k = 0; k < 4; k++)
        if (texture->generate[k])
            c[k] = generate(f, in, unit, k);
    for (unsigned k = 0; k < 4; k++)
        out[k] = c[k];
    if (texture->matrix == QPUCC_MATRIX_IDENTITY)
        return;
    fixed_uniform(f, &matrix_name, unit, matrix);
    for (unsigned k = 0; k < (texture->matrix == QPUCC_MATRIX_ANY ? 4 : 3); k++) {
        const val row[4] = {matrix[k], matrix[4 + k], matrix[8 + k], matrix[12 + k]};
        out[k] = fixed_dot(f, row, c, 4);
    }
}
