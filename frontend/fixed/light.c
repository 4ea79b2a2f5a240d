/* Lighting, GL 2.1 section 2.14.1 (GLES 1.1 section 2.12.1), at a vertex.
 *
 *     colour = emission + ambient model ambient
 *            + sum over lights: attenuation spot (ambient + (n . l) diffuse + [n . l > 0] (n . h)^s specular)
 *
 * with each light's colour times the material's. Terms whose material is a uniform join the sum `own`, with
 * both colours' product a word of the stream; terms whose material is the vertex's colour join `tinted`,
 * which is multiplied by that colour once. What does not change from vertex to vertex is added up first, so
 * that it becomes one word as well. */
#include "frontend/fixed/light.h"

enum kind { AMBIENT, DIFFUSE, SPECULAR };

/* A sum's parts: what the vertex's colour multiplies; what joins after texturing. */
struct sums {
    val own[3], tinted[3];
    val own_late[3], tinted_late[3];
};

struct lighting {
    struct fixed_builder *f;
    const struct light_in *in;
    val view[3]; /* to the viewer, of length 1; NULL: along z */
    struct sums sum[2];
};

/* A light as the vertex sees it. */
struct ray {
    unsigned number;
    val to[3];      /* to the light, of length 1 */
    val brightness; /* attenuation and spot; NULL: 1 */
};

static const float grey2[4] = {0.2f, 0.2f, 0.2f, 1}, grey8[4] = {0.8f, 0.8f, 0.8f, 1},
                   black[4] = {0, 0, 0, 1}, white[4] = {1, 1, 1, 1}, toward_z[4] = {0, 0, 1, 0},
                   down_z[3] = {0, 0, -1}, half_turn[1] = {180}, unit[1] = {1};

static const struct fixed_name model_ambient = {"gl_LightModel.ambient", 4, 1, 0, grey2},
                               emission[2] = {{"gl_FrontMaterial.emission", 4, 1, 0, black},
                                              {"gl_BackMaterial.emission", 4, 1, 0, black}},
                               shininess[2] = {{"gl_FrontMaterial.shininess", 1, 1, 0, NULL},
                                               {"gl_BackMaterial.shininess", 1, 1, 0, NULL}},
                               position = {"gl_LightSource[%u].position", 4, 1, 0, toward_z},
                               spot_direction = {"gl_LightSource[%u].spotDirection", 3, 1, 0, down_z},
                               spot_exponent = {"gl_LightSource[%u].spotExponent", 1, 1, 0, NULL},
                               spot_cutoff = {"gl_LightSource[%u].spotCutoff", 1, 1, 0, half_turn},
                               attenuation[3] = {{"gl_LightSource[%u].constantAttenuation", 1, 1, 0, unit},
                                                 {"gl_LightSource[%u].linearAttenuation", 1, 1, 0, NULL},
                                                 {"gl_LightSource[%u].quadraticAttenuation", 1, 1, 0, NULL}};
/* by enum kind */
static const struct fixed_name material[2][3] = {{{"gl_FrontMaterial.ambient", 4, 1, 0, grey2},
                                                  {"gl_FrontMaterial.diffuse", 4, 1, 0, grey8},
                                                  {"gl_FrontMaterial.specular", 4, 1, 0, black}},
                                                 {{"gl_BackMaterial.ambient", 4, 1, 0, grey2},
                                                  {"gl_BackMaterial.diffuse", 4, 1, 0, grey8},
                                                  {"gl_BackMaterial.specular", 4, 1, 0, black}}};
static const char *const light_color[3] = {"gl_LightSource[%u].ambient", "gl_LightSource[%u].diffuse",
                                           "gl_LightSource[%u].specular"};

bool light_needs_eye(const struct qpucc_fixed *fixed) {
    bool any = false;
    for (unsigned n = 0; n < QPUCC_FIXED_LIGHTS; n++)
        any |= fixed->light[n].enabled && (fixed->light[n].positional || fixed->local_viewer);
    return fixed->lighting && any;
}

bool light_in_object(const struct qpucc_fixed *fixed) {
    return fixed->lighting && !light_needs_eye(fixed) && fixed->normals != QPUCC_NORMALS_NORMALIZED &&
           !fixed->palette_units;
}

static bool is_tinted(const struct qpucc_fixed *fixed, enum kind kind) {
    switch (fixed->color_material) {
    case QPUCC_MATERIAL_AMBIENT_AND_DIFFUSE: return kind == AMBIENT || kind == DIFFUSE;
    case QPUCC_MATERIAL_AMBIENT: return kind == AMBIENT;
    case QPUCC_MATERIAL_DIFFUSE: return kind == DIFFUSE;
    case QPUCC_MATERIAL_SPECULAR: return kind == SPECULAR;
    default: return false;
    }
}

static val sum_of(struct lighting *l, val sum, val term) {
    return sum ? add(l->f, sum, term) : term;
}

/* What a material does with light of a colour. */
static void reflect(struct lighting *l, unsigned face, enum kind kind, const val light[4], val out[3]) {
    val own[4];
    for (unsigned k = 0; k < 3; k++)
        out[k] = light[k];
    if (is_tinted(l->f->fixed, kind))
        return;
    fixed_uniform(l->f, &material[face][kind], 0, own);
    for (unsigned k = 0; k < 3; k++)
        out[k] = mul(l->f, light[k], own[k]);
}

static val *sum_for(struct lighting *l, unsigned face, enum kind kind) {
    struct sums *s = &l->sum[face];
    bool late = kind == SPECULAR && l->f->fixed->separate_specular;
    if (is_tinted(l->f->fixed, kind))
        return late ? s->tinted_late : s->tinted;
    return late ? s->own_late : s->own;
}

static void color_of(struct lighting *l, unsigned light, enum kind kind, val out[4]) {
    const struct fixed_name name = {light_color[kind], 4, 1, 0, kind != AMBIENT && !light ? white : black};
    fixed_uniform(l->f, &name, light, out);
}

/* --- where the light comes from ------------------------------------------------------------------------- */

/* The light's place or direction; of a place, divided by its w. */
static void direction(struct lighting *l, unsigned n, bool place, val out[3]) {
    val p[4];
    fixed_uniform(l->f, &position, n, p);
    for (unsigned k = 0; k < 3; k++)
        out[k] = place ? ir_op2(&l->f->b, IR_FDIV, p[k], p[3]) : p[k];
}

static val spot_of(struct lighting *l, const struct ray *ray) {
    struct fixed_builder *f = l->f;
    val axis[3], exponent, cutoff;
    fixed_uniform(f, &spot_direction, ray->number, axis);
    fixed_normalize(f, axis);
    val along = one(f, IR_FNEG, fixed_dot(f, ray->to, axis, 3));
    fixed_uniform(f, &spot_cutoff, ray->number, &cutoff);
    val edge = one(f, IR_FCOS, mul(f, cutoff, flt(f, 0.017453292519943295f)));
    fixed_uniform(f, &spot_exponent, ray->number, &exponent);
    /* A cutoff of 180 degrees, the only one beyond 90, is light on all sides, whatever the exponent. */
    val nothing = flt(f, 0), everywhere = ir_op2(&f->b, IR_FLT, flt(f, 90), cutoff);
    exponent = ir_op3(&f->b, IR_SELECT, everywhere, nothing, exponent);
    edge = ir_op3(&f->b, IR_SELECT, everywhere, flt(f, -2), edge);
    val power = ir_op2(&f->b, IR_FPOW, fixed_power_base(f, along), exponent);
    val inside = ir_op2(&f->b, IR_FGE, along, edge);
    return ir_op3(&f->b, IR_SELECT, inside, power, nothing);
}

/* 1 / (k0 + k1 d + k2 d^2); r = 1 / d */
static val attenuation_of(struct lighting *l, unsigned n, val square, val r) {
    struct fixed_builder *f = l->f;
    val k[3], d = mul(f, square, r);
    for (unsigned i = 0; i < 3; i++)
        fixed_uniform(f, &attenuation[i], n, &k[i]);
    val sum = add(f, k[0], mul(f, k[1], d));
    return one(f, IR_FRCP, add(f, sum, mul(f, k[2], square)));
}

static struct ray ray_of(struct lighting *l, unsigned n) {
    const struct qpucc_fixed_light *light = &l->f->fixed->light[n];
    struct fixed_builder *f = l->f;
    struct ray ray = {.number = n};
    direction(l, n, light->positional, ray.to);
    if (light->positional)
        for (unsigned k = 0; k < 3; k++)
            ray.to[k] = sub(f, ray.to[k], l->in->eye[k]);
    val square = fixed_dot(f, ray.to, ray.to, 3), r = one(f, IR_FRSQ, square);
    for (unsigned k = 0; k < 3; k++)
        ray.to[k] = mul(f, ray.to[k], r);
    if (light->positional && light->attenuation)
        ray.brightness = attenuation_of(l, n, square, r);
    if (light->spot) {
        val spot = spot_of(l, &ray);
        ray.brightness = ray.brightness ? mul(f, ray.brightness, spot) : spot;
    }
    return ray;
}

/* --- what the vertex makes of it ------------------------------------------------------------------------ */

/* Halfway between light and viewer. */
static void half_vector(struct lighting *l, const struct ray *ray, val out[3]) {
    struct fixed_builder *f = l->f;
    for (unsigned k = 0; k < 3; k++)
        out[k] = l->view[k] ? add(f, ray->to[k], l->view[k]) : ray->to[k];
    if (!l->view[0])
        out[2] = add(f, ray->to[2], flt(f, 1));
    fixed_normalize(f, out);
}

/* n . v for a direction; the transformation of n is done to v where n is the object's. */
static val along_normal(struct lighting *l, const val v[3]) {
    const struct light_in *in = l->in;
    val moved[3];
    for (unsigned k = 0; k < 3; k++) {
        if (in->matrix) {
            const val column[3] = {in->matrix[0][k], in->matrix[1][k], in->matrix[2][k]};
            moved[k] = fixed_dot(l->f, column, v, 3);
        } else
            moved[k] = v[k];
    }
    return fixed_dot(l->f, in->normal, moved, 3);
}

/* n . l and (n . h)^s of a face; the back's normal is the front's turned round. */
static void facing(struct lighting *l, unsigned face, val to_light, val to_half, val amount[3]) {
    struct fixed_builder *f = l->f;
    val zero = flt(f, 0), s;
    if (face) {
        to_light = one(f, IR_FNEG, to_light);
        to_half = one(f, IR_FNEG, to_half);
    }
    amount[AMBIENT] = NULL;
    amount[DIFFUSE] = ir_op2(&f->b, IR_FMAX, to_light, zero);
    fixed_uniform(f, &shininess[face], 0, &s);
    val power = ir_op2(&f->b, IR_FPOW, fixed_power_base(f, to_half), s);
    val lit = ir_op2(&f->b, IR_FLT, zero, to_light);
    amount[SPECULAR] = ir_op3(&f->b, IR_SELECT, lit, power, zero);
}

static void add_light(struct lighting *l, unsigned face, const struct ray *ray, const val amount[3]) {
    struct sums add_up = {{NULL}, {NULL}, {NULL}, {NULL}}, kept = l->sum[face];
    struct fixed_builder *f = l->f;
    l->sum[face] = add_up; /* this light's own sums, to be multiplied by its brightness */
    for (enum kind kind = AMBIENT; kind <= SPECULAR; kind++) {
        val color[4], reflected[3], *sum = sum_for(l, face, kind);
        if (kind == AMBIENT && !ray->brightness)
            continue; /* constant: add_constants has it */
        color_of(l, ray->number, kind, color);
        reflect(l, face, kind, color, reflected);
        for (unsigned k = 0; k < 3; k++)
            sum[k] = sum_of(l, sum[k], amount[kind] ? mul(f, amount[kind], reflected[k]) : reflected[k]);
    }
    add_up = l->sum[face];
    l->sum[face] = kept;
    val *const from[4] = {add_up.own, add_up.tinted, add_up.own_late, add_up.tinted_late};
    val *const to[4] = {l->sum[face].own, l->sum[face].tinted, l->sum[face].own_late,
                        l->sum[face].tinted_late};
    for (unsigned g = 0; g < 4; g++)
        for (unsigned k = 0; k < 3; k++)
            if (from[g][k])
                to[g][k] =
                    sum_of(l, to[g][k], ray->brightness ? mul(f, ray->brightness, from[g][k]) : from[g][k]);
}

/* Emission, and ambient light that is the same everywhere. */
static void add_constants(struct lighting *l, unsigned face) {
    const struct qpucc_fixed *fixed = l->f->fixed;
    val light[4], reflected[3], *sum = sum_for(l, face, AMBIENT);
    if (fixed->color_material != QPUCC_MATERIAL_EMISSION) {
        fixed_uniform(l->f, &emission[face], 0, light);
        for (unsigned k = 0; k < 3; k++)
            l->sum[face].own[k] = light[k];
    } else
        for (unsigned k = 0; k < 3; k++)
            l->sum[face].own[k] = NULL;
    fixed_uniform(l->f, &model_ambient, 0, light);
    reflect(l, face, AMBIENT, light, reflected);
    for (unsigned k = 0; k < 3; k++)
        sum[k] = sum_of(l, sum[k], reflected[k]);
    for (unsigned n = 0; n < QPUCC_FIXED_LIGHTS; n++) {
        const struct qpucc_fixed_light *source = &fixed->light[n];
        if (!source->enabled || source->spot || (source->positional && source->attenuation))
            continue;
        color_of(l, n, AMBIENT, light);
        reflect(l, face, AMBIENT, light, reflected);
        for (unsigned k = 0; k < 3; k++)
            sum[k] = sum_of(l, sum[k], reflected[k]);
    }
}

static val tint(struct lighting *l, val own, val tinted, unsigned k) {
    val product = tinted ? mul(l->f, tinted, l->in->color[k]) : NULL;
    return product && own ? add(l->f, own, product) : product ? product : own;
}

static void finish(struct lighting *l, unsigned face, struct light_out *out) {
    struct fixed_builder *f = l->f;
    struct sums *s = &l->sum[face];
    val alpha[4];
    for (unsigned k = 0; k < 3; k++) {
        val c = tint(l, s->own[k], s->tinted[k], k), late = tint(l, s->own_late[k], s->tinted_late[k], k);
        if (f->fixed->color_material == QPUCC_MATERIAL_EMISSION)
            c = sum_of(l, c, l->in->color[k]);
        out->color[k] = one(f, IR_FSAT, c);
        out->secondary[k] = !f->fixed->separate_specular ? NULL : late ? one(f, IR_FSAT, late) : flt(f, 0);
    }
    fixed_uniform(f, &material[face][DIFFUSE], 0, alpha);
    out->color[3] = one(f, IR_FSAT, is_tinted(f->fixed, DIFFUSE) ? l->in->color[3] : alpha[3]);
}

void light_vertex(struct fixed_builder *f, const struct light_in *in, struct light_out out[2]) {
    struct lighting l = {.f = f, .in = in};
    if (f->fixed->local_viewer && light_needs_eye(f->fixed)) {
        for (unsigned k = 0; k < 3; k++)
            l.view[k] = one(f, IR_FNEG, in->eye[k]);
        fixed_normalize(f, l.view);
    }
    for (unsigned face = 0; face < 2; face++)
        add_constants(&l, face);
    for (unsigned n = 0; n < QPUCC_FIXED_LIGHTS; n++) {
        if (!f->fixed->light[n].enabled)
            continue;
        struct ray ray = ray_of(&l, n);
        val half[3], amount[3];
        half_vector(&l, &ray, half);
        val to_light = along_normal(&l, ray.to), to_half = along_normal(&l, half);
        for (unsigned face = 0; face < 2; face++) {
            facing(&l, face, to_light, to_half, amount);
            add_light(&l, face, &ray, amount);
        }
    }
    for (unsigned face = 0; face < 2; face++)
        finish(&l, face, &out[face]);
}
