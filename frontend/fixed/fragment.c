/* The fragment program: colours from the vertices, textures and their environments, the colour sum. Fog and
 * the tests and operations after it are the state key's (qpucc/state.h). */
#include "frontend/fixed/combine.h"
#include "frontend/fixed/texcoord.h"

struct fragment {
    struct fixed_builder f;
    val texel[QPUCC_FIXED_TEXTURES][4];
};

/* A texture unit's number is its slot's: units before the last that is in use have a sampler, used or not. */
static void add_samplers(struct fixed_builder *f) {
    unsigned count = 0;
    for (unsigned n = 0; n < QPUCC_FIXED_TEXTURES; n++)
        count = f->fixed->texture[n].target ? n + 1 : count;
    for (unsigned n = 0; n < count; n++) {
        char name[24];
        snprintf(name, sizeof name, "gl_Texture%u", n);
        struct ir_symbol *s = ir_add_symbol(f->shader, &f->shader->samplers, name);
        bool cube = f->fixed->texture[n].target == QPUCC_UNIT_CUBE;
        s->base = cube ? IR_BASE_SAMPLERCUBE : IR_BASE_SAMPLER2D;
        s->rows = s->cols = 1;
        s->precision = IR_LOWP;
        s->used = f->fixed->texture[n].target != QPUCC_UNIT_OFF;
        f->shader->samplers.words++;
    }
}

/* Table 3.20: what the channels of a base format stand for. */
static void channels(struct fixed_builder *f, unsigned base, val raw, val out[4]) {
    static const int8_t from[QPUCC_BASE_COUNT][4] = {{0, 1, 2, 3},  {0, 1, 2, -1}, {-2, -2, -2, 3},
                                                     {0, 0, 0, -1}, {0, 0, 0, 3},  {0, 0, 0, 0}};
    for (unsigned k = 0; k < 4; k++) {
        int channel = from[base][k];
        out[k] = channel < 0 ? flt(f, channel == -1 ? 1 : 0)
                             : ir_emit(&f->b, IR_TEXEL, IR_F32, 1, &raw, (uint32_t)channel, 0);
    }
}

static void look_up(struct fragment *g, unsigned unit) {
    struct fixed_builder *f = &g->f;
    const struct qpucc_fixed_texture *texture = &f->fixed->texture[unit];
    bool divides;
    unsigned words = texcoord_words(texture, &divides);
    uint32_t word = fixed_input(f, "gl_TexCoord", 4, QPUCC_FIXED_TEXTURES) + 4 * unit;
    val c[3];
    f->b.precision = IR_HIGHP;
    for (unsigned k = 0; k < words; k++)
        c[k] = fixed_read(f, word + k);
    if (divides) {
        val by = one(f, IR_FRCP, fixed_read(f, word + 3));
        for (unsigned k = 0; k < words; k++)
            c[k] = mul(f, c[k], by);
    }
    uint32_t kind = texture->target == QPUCC_UNIT_CUBE ? IR_TEX_CUBE : IR_TEX_2D;
    val raw = ir_emit(&f->b, IR_TEX, IR_I32, words, c, unit, kind);
    f->b.precision = IR_LOWP;
    channels(f, texture->base_format, raw, g->texel[unit]);
}

struct ir_shader *fixed_fragment(const struct qpucc_fixed *fixed, struct ir_arena *beside) {
    struct fragment g = {.texel = {{NULL}}};
    struct fixed_builder *f = &g.f;
    val color[4], primary[4];
    if (!fixed_begin(f, QPUCC_FRAGMENT, fixed, beside))
        return NULL;
    f->b.precision = IR_LOWP;
    add_samplers(f);
    uint32_t word = fixed_input(f, "gl_FrontColor", 4, 0);
    for (unsigned k = 0; k < 4; k++)
        color[k] = primary[k] = fixed_read(f, word + k);
    for (unsigned n = 0; n < QPUCC_FIXED_TEXTURES; n++)
        if (fixed->texture[n].target)
            look_up(&g, n);
    const struct combine_in in = {.texel = g.texel, .primary = primary};
    for (unsigned n = 0; n < QPUCC_FIXED_TEXTURES; n++)
        if (fixed->texture[n].target)
            combine_unit(f, &in, n, color);
    if (fixed->lighting ? fixed->separate_specular : fixed->color_sum) {
        word = fixed_input(f, "gl_FrontSecondaryColor", 4, 0);
        for (unsigned k = 0; k < 3; k++) {
            val sum = add(f, color[k], fixed_read(f, word + k));
            color[k] = one(f, IR_FSAT, sum);
        }
    }
    if (fixed->point_fade) /* GL 2.1 section 3.12; what fog comes after leaves alpha alone */
        color[3] = mul(f, color[3], fixed_read(f, fixed_input(f, FIXED_POINT_FADE, 1, 0)));
    word = fixed_output(f, "gl_FragColor", 4, 0);
    for (unsigned k = 0; k < 4; k++)
        fixed_write(f, word + k, color[k]);
    return fixed_end(f);
}
