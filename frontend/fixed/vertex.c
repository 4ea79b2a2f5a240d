/* The vertex program: position, normal, colours, texture coordinates, fog coordinate, size of a point.
 *
 * It writes every output that a state key may ask for. One that is not used costs nothing, because the passes
 * remove it.
 *
 * The modelview matrix is assumed to be affine (its last row is 0 0 0 1) and a vertex's w to be 1, as GL
 * programs have them. So nothing divides eye coordinates by w, and a normal needs only the upper left 3 x 3
 * elements. */
#include "frontend/fixed/light.h"
#include "frontend/fixed/texcoord.h"

static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, white[4] = {1, 1, 1, 1},
                   up[3] = {0, 0, 1}, black[4] = {0, 0, 0, 1}, scalar_1[1] = {1}, scalar_256[1] = {256};

static const struct fixed_name modelview_name = {"gl_ModelViewMatrix", 4, 4, 0, identity},
                               projection_name = {"gl_ProjectionMatrix", 4, 4, 0, identity},
                               color_name = {"gl_Color", 4, 1, 0, white},
                               secondary_name = {"gl_SecondaryColor", 4, 1, 0, black},
                               normal_name = {"gl_Normal", 3, 1, 0, up},
                               size_name = {"gl_Point.size", 1, 1, 0, scalar_1},
                               range_name[2] = {{"gl_Point.sizeMin", 1, 1, 0, NULL},
                                                {"gl_Point.sizeMax", 1, 1, 0, scalar_256}},
                               threshold_name = {"gl_Point.fadeThresholdSize", 1, 1, 0, scalar_1},
                               distance_name[3] = {
                                   {"gl_Point.distanceConstantAttenuation", 1, 1, 0, scalar_1},
                                   {"gl_Point.distanceLinearAttenuation", 1, 1, 0, NULL},
                                   {"gl_Point.distanceQuadraticAttenuation", 1, 1, 0, NULL}};

/* The arrays of OES_matrix_palette. The one for normals holds the transposes of the other's inverses. The
 * driver computes them once for each change; a vertex program would have to for each vertex. */
static const float identity_3[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static struct fixed_name palette_name(const struct qpucc_fixed *fixed, bool normals) {
    unsigned length = fixed->palette_size ? fixed->palette_size : 9;
    return normals ? (struct fixed_name){"gl_NormalPaletteOES", 3, 3, length, identity_3}
                   : (struct fixed_name){"gl_MatrixPaletteOES", 4, 4, length, identity};
}

struct vertex {
    struct fixed_builder f;
    val position[4];   /* in object coordinates */
    val modelview[16]; /* column by column; not with a palette */
    val eye[4];        /* the position in eye coordinates */
    val object_normal[3];
    val normal[3];           /* in eye coordinates */
    val normal_matrix[3][3]; /* row by row; not with a palette */
};

static val matrix_row(struct fixed_builder *f, const val matrix[16], unsigned row, const val v[4]) {
    const val m[4] = {matrix[row], matrix[4 + row], matrix[8 + row], matrix[12 + row]};
    return fixed_dot(f, m, v, 4);
}

static void read_position(struct vertex *v) {
    unsigned words = v->f.fixed->vertex_words ? v->f.fixed->vertex_words : 4;
    uint32_t word = fixed_input(&v->f, "gl_Vertex", words, 0);
    for (unsigned k = 0; k < 4; k++)
        v->position[k] = k < words ? fixed_read(&v->f, word + k) : flt(&v->f, k == 3 ? 1 : 0);
}

/* The vertex's own value if there is an array of them, else the current value, a uniform. */
static void read_current(struct vertex *v, const struct fixed_name *name, bool array, val *out) {
    if (!array) {
        fixed_uniform(&v->f, name, 0, out);
        return;
    }
    uint32_t word = fixed_input(&v->f, name->format, name->rows, 0);
    for (unsigned k = 0; k < name->rows; k++)
        out[k] = fixed_read(&v->f, word + k);
}

/* The product of the two matrices depends on uniforms alone, so it is computed once for each draw. What is
 * left for each vertex is one product of a matrix and a vector. */
static void write_position(struct vertex *v) {
    struct fixed_builder *f = &v->f;
    val projection[16], product[16];
    uint32_t word = fixed_output(f, "gl_Position", 4, 0);
    fixed_uniform(f, &projection_name, 0, projection);
    for (unsigned column = 0; column < 4; column++)
        for (unsigned row = 0; row < 4; row++)
            product[4 * column + row] = matrix_row(f, projection, row, v->modelview + 4 * column);
    for (unsigned row = 0; row < 4; row++)
        fixed_write(f, word + row, matrix_row(f, product, row, v->position));
}

/* --- the matrix palette --------------------------------------------------------------------------------- */

/* The weighted sum of the vector's products with the vertex's matrices. Their last rows are 0 0 0 1, so w
 * is only weighted. */
static void transform_weighted(struct vertex *v, bool normals, const val *in, val *out) {
    struct fixed_builder *f = &v->f;
    unsigned units = f->fixed->palette_units, words = normals ? 3 : 4;
    const struct fixed_name name = palette_name(f->fixed, normals);
    uint32_t indices = fixed_input(f, "gl_MatrixIndexOES", units, 0),
             weights = fixed_input(f, "gl_WeightOES", units, 0);
    for (unsigned u = 0; u < units; u++) {
        val weight = fixed_read(f, weights + u), at = one(f, IR_F2I, fixed_read(f, indices + u));
        for (unsigned row = 0; row < words; row++) {
            val term = row == 3 ? in[3] : mul(f, fixed_uniform_at(f, &name, at, row), in[0]);
            for (unsigned column = 1; row < 3 && column < words; column++)
                term = add(f, term, mul(f, fixed_uniform_at(f, &name, at, column * words + row), in[column]));
            term = mul(f, term, weight);
            out[row] = u ? add(f, out[row], term) : term;
        }
    }
}

static void transform_by_palette(struct vertex *v) {
    struct fixed_builder *f = &v->f;
    val projection[16];
    uint32_t word = fixed_output(f, "gl_Position", 4, 0);
    fixed_uniform(f, &projection_name, 0, projection);
    transform_weighted(v, false, v->position, v->eye);
    for (unsigned row = 0; row < 4; row++)
        fixed_write(f, word + row, matrix_row(f, projection, row, v->eye));
}

static void transform_normal_by_palette(struct vertex *v) {
    read_current(v, &normal_name, v->f.fixed->normal_array, v->object_normal);
    transform_weighted(v, true, v->object_normal, v->normal);
    if (v->f.fixed->normals == QPUCC_NORMALS_NORMALIZED)
        fixed_normalize(&v->f, v->normal);
}

/* --- normals -------------------------------------------------------------------------------------------- */

/* The cofactor of an element of the upper left 3 x 3. Rows and columns are taken in cyclic order, which
 * includes the sign. */
static val cofactor(struct vertex *v, unsigned row, unsigned column) {
    unsigned r0 = (row + 1) % 3, r1 = (row + 2) % 3, c0 = (column + 1) % 3, c1 = (column + 2) % 3;
    const val *m = v->modelview;
    val left = mul(&v->f, m[4 * c0 + r0], m[4 * c1 + r1]);
    return sub(&v->f, left, mul(&v->f, m[4 * c1 + r0], m[4 * c0 + r1]));
}

/* Normals are multiplied by the transpose of the modelview matrix's inverse: its cofactors divided by the
 * determinant. */
static void transform_normal(struct vertex *v) {
    struct fixed_builder *f = &v->f;
    val(*matrix)[3] = v->normal_matrix;
    for (unsigned row = 0; row < 3; row++)
        for (unsigned column = 0; column < 3; column++)
            matrix[row][column] = cofactor(v, row, column);
    const val first_row[3] = {v->modelview[0], v->modelview[4], v->modelview[8]};
    val scale = one(f, IR_FRCP, fixed_dot(f, first_row, matrix[0], 3));
    if (f->fixed->normals == QPUCC_NORMALS_RESCALED) { /* divide by the length of the inverse's third row */
        val third_row[3];
        for (unsigned k = 0; k < 3; k++)
            third_row[k] = mul(f, matrix[k][2], scale);
        scale = mul(f, scale, one(f, IR_FRSQ, fixed_dot(f, third_row, third_row, 3)));
    }
    read_current(v, &normal_name, f->fixed->normal_array, v->object_normal);
    for (unsigned row = 0; row < 3; row++) {
        for (unsigned column = 0; column < 3; column++)
            matrix[row][column] = mul(f, matrix[row][column], scale);
        v->normal[row] = fixed_dot(f, matrix[row], v->object_normal, 3);
    }
    if (f->fixed->normals == QPUCC_NORMALS_NORMALIZED)
        fixed_normalize(f, v->normal);
}

/* --- colours -------------------------------------------------------------------------------------------- */

static void write_color(struct vertex *v, const char *name, const val *color, unsigned count) {
    uint32_t word = fixed_output(&v->f, name, 4, 0);
    for (unsigned k = 0; k < 4; k++)
        fixed_write(&v->f, word + k, k < count ? color[k] : flt(&v->f, 0));
}

static void write_colors(struct vertex *v) {
    static const char *const primary[2] = {"gl_FrontColor", "gl_BackColor"}, *const secondary[2] = {
                                                                                 "gl_FrontSecondaryColor",
                                                                                 "gl_BackSecondaryColor"};
    const struct qpucc_fixed *fixed = v->f.fixed;
    bool object = light_in_object(fixed);
    struct light_in in = {.matrix = object ? (const val(*)[3])v->normal_matrix : NULL};
    struct light_out out[2];
    if (fixed->lighting) {
        bool tinted = fixed->color_material != QPUCC_MATERIAL_OWN;
        for (unsigned k = 0; k < 3; k++) {
            in.eye[k] = v->eye[k];
            in.normal[k] = object ? v->object_normal[k] : v->normal[k];
        }
        if (tinted)
            read_current(v, &color_name, fixed->color_array, in.color);
        light_vertex(&v->f, &in, out);
    } else {
        val sum[4];
        read_current(v, &color_name, fixed->color_array, out[0].color);
        for (unsigned k = 0; k < 4; k++)
            out[0].color[k] = one(&v->f, IR_FSAT, out[0].color[k]);
        if (fixed->color_sum)
            read_current(v, &secondary_name, fixed->secondary_array, sum);
        for (unsigned k = 0; k < 3 && fixed->color_sum; k++)
            out[0].secondary[k] = one(&v->f, IR_FSAT, sum[k]);
        out[1] = out[0];
    }
    for (unsigned face = 0; face < 2; face++) {
        write_color(v, primary[face], out[face].color, 4);
        if (fixed->lighting ? fixed->separate_specular : fixed->color_sum)
            write_color(v, secondary[face], out[face].secondary, 3);
    }
}

/* --- other outputs -------------------------------------------------------------------------------------- */

static void write_coordinates(struct vertex *v) {
    struct texcoord_in in = {.vertex = v->position, .eye = v->eye, .normal = v->normal};
    const struct qpucc_fixed *fixed = v->f.fixed;
    for (unsigned unit = 0; unit < QPUCC_FIXED_TEXTURES; unit++) {
        val c[4];
        bool divides;
        if (!fixed->texture[unit].target)
            continue;
        unsigned words = texcoord_words(&fixed->texture[unit], &divides);
        uint32_t word = fixed_output(&v->f, "gl_TexCoord", 4, QPUCC_FIXED_TEXTURES) + 4 * unit;
        texcoord_vertex(&v->f, &in, unit, c);
        for (unsigned k = 0; k < 4; k++)
            if (k < words || (k == 3 && divides))
                fixed_write(&v->f, word + k, c[k]);
    }
}

/* size / sqrt(a + b d + c d^2), where d is the distance from the eye. GL rounds the sizes of points that are
 * not sprites to whole pixels, at least one. Points that fade follow GL's rules for multisampling instead:
 * their sizes are clamped and not rounded. */
static void write_point_size(struct vertex *v) {
    static const struct fixed_name attribute = {"gl_PointSizeOES", 1, 1, 0, NULL};
    struct fixed_builder *f = &v->f;
    const struct qpucc_fixed *fixed = f->fixed;
    val size, k[3];
    uint32_t word = fixed_output(f, "gl_PointSize", 1, 0);
    read_current(v, fixed->point_size_array ? &attribute : &size_name, fixed->point_size_array, &size);
    if (fixed->point_attenuation) {
        val square = fixed_dot(f, v->eye, v->eye, 3), d = one(f, IR_FSQRT, square);
        for (unsigned i = 0; i < 3; i++)
            fixed_uniform(f, &distance_name[i], 0, &k[i]);
        val sum = add(f, k[0], mul(f, k[1], d));
        size = mul(f, size, one(f, IR_FRSQ, add(f, sum, mul(f, k[2], square))));
    }
    if (fixed->point_fade) {
        val min, max, threshold;
        fixed_uniform(f, &range_name[0], 0, &min);
        fixed_uniform(f, &range_name[1], 0, &max);
        fixed_uniform(f, &threshold_name, 0, &threshold);
        size = ir_op2(&f->b, IR_FMIN, ir_op2(&f->b, IR_FMAX, size, min), max);
        val ratio = mul(f, size, one(f, IR_FRCP, threshold));
        ratio = ir_op2(&f->b, IR_FMIN, ratio, flt(f, 1));
        fixed_write(f, fixed_output(f, FIXED_POINT_FADE, 1, 0), mul(f, ratio, ratio));
        size = ir_op2(&f->b, IR_FMAX, size, threshold);
    } else if (!fixed->point_sprite) {
        val rounded = one(f, IR_FFLOOR, add(f, size, flt(f, 0.5f)));
        size = ir_op2(&f->b, IR_FMAX, rounded, flt(f, 1));
    }
    fixed_write(f, word, size);
}

static void write_clip_vertex(struct vertex *v) {
    uint32_t word = fixed_output(&v->f, "gl_ClipVertex", 4, 0);
    for (unsigned k = 0; k < 4; k++)
        fixed_write(&v->f, word + k, v->eye[k]);
}

/* Only the fog coordinate. The code for the state key computes the fog from it, in either stage. */
static void write_fog(struct vertex *v) {
    struct fixed_builder *f = &v->f;
    static const struct fixed_name attribute = {"gl_FogCoord", 1, 1, 0, NULL};
    uint32_t word = fixed_output(f, "gl_FogFragCoord", 1, 0);
    val c;
    if (f->fixed->fog_coord == QPUCC_FOG_FROM_ARRAY)
        read_current(v, &attribute, true, &c);
    else if (f->fixed->fog_coord == QPUCC_FOG_FROM_DISTANCE)
        c = one(f, IR_FSQRT, fixed_dot(f, v->eye, v->eye, 3));
    else
        c = one(f, IR_FABS, v->eye[2]);
    fixed_write(f, word, c);
}

struct ir_shader *fixed_vertex(const struct qpucc_fixed *fixed, struct ir_arena *beside) {
    struct vertex v = {.position = {NULL}};
    if (!fixed_begin(&v.f, QPUCC_VERTEX, fixed, beside))
        return NULL;
    read_position(&v);
    if (fixed->palette_units) {
        transform_by_palette(&v);
    } else {
        fixed_uniform(&v.f, &modelview_name, 0, v.modelview);
        write_position(&v);
        for (unsigned row = 0; row < 4; row++)
            v.eye[row] = matrix_row(&v.f, v.modelview, row, v.position);
    }
    if (fixed->lighting || texcoord_needs_normal(fixed)) {
        if (fixed->palette_units)
            transform_normal_by_palette(&v);
        else
            transform_normal(&v);
    }
    write_colors(&v);
    write_coordinates(&v);
    write_clip_vertex(&v);
    write_fog(&v);
    write_point_size(&v);
    return fixed_end(&v.f);
}
