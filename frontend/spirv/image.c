/* Textures. A sampler value is one integer word, its number in the sampler table, and mostly a constant. A
 * TEX gives the raw texel word and four TEXELs unpack it; dce removes unused ones later.
 *
 * The hardware neither divides nor compares: projective coordinates are code here, and a shadow lookup is a
 * SHADOW of its texel, whose comparison the state key gives. */
#include "frontend/spirv/reader.h"

#include <string.h>

static bool is_image_sample(uint32_t op, bool *implicit, bool *dref, bool *proj) {
    *implicit = op == SpvOpImageSampleImplicitLod || op == SpvOpImageSampleDrefImplicitLod ||
                op == SpvOpImageSampleProjImplicitLod || op == SpvOpImageSampleProjDrefImplicitLod;
    *dref = op == SpvOpImageSampleDrefImplicitLod || op == SpvOpImageSampleDrefExplicitLod ||
            op == SpvOpImageSampleProjDrefImplicitLod || op == SpvOpImageSampleProjDrefExplicitLod;
    *proj = op >= SpvOpImageSampleProjImplicitLod && op <= SpvOpImageSampleProjDrefExplicitLod;
    return op >= SpvOpImageSampleImplicitLod && op <= SpvOpImageSampleProjDrefExplicitLod;
}

/* --- choosing among samplers ---------------------------------------------------------------------------- */

/* The samplers a number may mean: itself when it is known, else all of the array that was loaded from, or all
 * of the kind. */
struct choice {
    uint32_t count, number[FE_MAX_SAMPLERS];
    struct ir_inst *index; /* compared with each number but the last */
};

static bool choose(struct fe_reader *r, uint32_t id, const struct fe_type *image, struct ir_inst *index,
                   struct choice *choice) {
    const struct fe_id *sampler = &r->id[id];
    const struct ir_symtab *table = &r->shader->samplers;
    *choice = (struct choice){.index = index};
    if (ir_is_const(index)) {
        choice->number[choice->count++] = index->imm;
        return index->imm < table->words || fe_malformed(r);
    }
    for (uint32_t k = 0; k < table->count; k++) {
        const struct ir_symbol *symbol = &table->sym[k];
        bool cube = symbol->base == IR_BASE_SAMPLERCUBE || symbol->base == IR_BASE_SAMPLERCUBESHADOW,
             samples = symbol->base == IR_BASE_SAMPLER2DMS;
        if (cube != (image->dim == SpvDimCube) || samples != image->samples ||
            symbol->base == IR_BASE_UNIFORMBLOCK)
            continue;
        for (uint32_t n = 0; n < symbol->array_len; n++) {
            if (sampler->samplers && symbol->word + n - sampler->first_sampler >= sampler->samplers)
                continue;
            if (choice->count == FE_MAX_SAMPLERS)
                return fe_fail(r, "unsupported", "run-time index into more than %d samplers",
                               FE_MAX_SAMPLERS);
            choice->number[choice->count++] = symbol->word + n;
        }
    }
    return choice->count || fe_malformed(r);
}

/* out[] becomes other[] where the index is candidate n. */
static void select_if(struct fe_reader *r, const struct choice *choice, uint32_t n, struct ir_inst **out,
                      struct ir_inst *const *other, uint32_t words) {
    struct ir_inst *is = ir_op2(&r->b, IR_IEQ, choice->index, ir_const_i(&r->b, choice->number[n]));
    for (uint32_t k = 0; k < words; k++)
        out[k] = ir_op3(&r->b, IR_SELECT, is, other[k], out[k]);
}

/* Set-up word `param` of the texture. */
static struct ir_inst *setup_word(struct fe_reader *r, const struct choice *choice, uint32_t param) {
    struct ir_inst *word = NULL;
    for (uint32_t n = choice->count; n-- > 0;) {
        struct ir_slot slot = {
            .kind = IR_SLOT_TEX, .type = IR_I32, .value = choice->number[n], .param = param};
        struct ir_inst *other = ir_uniform(&r->b, IR_I32, ir_slot(r->shader, slot));
        if (word)
            select_if(r, choice, n, &word, &other, 1);
        else
            word = other;
    }
    return word;
}

struct sample {
    const struct fe_type *image;
    struct choice choice;     /* of the sampler */
    struct ir_inst *coord[4]; /* s, t, (r) and the bias or level */
    uint32_t ncoord, flags;
    struct ir_inst *reference;
};

/* --- sizes ---------------------------------------------------------------------------------------------- */

static struct ir_inst *bits_of(struct fe_reader *r, struct ir_inst *word, uint32_t shift, uint32_t mask) {
    if (shift)
        word = ir_op2(&r->b, IR_USHR, word, ir_const_i(&r->b, shift));
    return ir_op2(&r->b, IR_IAND, word, ir_const_i(&r->b, mask));
}

/* Width and height of the texture's first level, from set-up word 1 (guide section 4, table 16): 11 bits
 * each, 0 is 2048. */
static void texture_size(struct fe_reader *r, const struct choice *choice, struct ir_inst **size) {
    static const uint32_t shift[2] = {8, 20};
    struct ir_inst *word = setup_word(r, choice, 1);
    for (int k = 0; k < 2; k++) {
        struct ir_inst *field = ir_op2(&r->b, IR_USHR, word, ir_const_i(&r->b, shift[k]));
        struct ir_inst *less = ir_op2(&r->b, IR_ISUB, field, ir_const_i(&r->b, 1));
        struct ir_inst *one = ir_const_i(&r->b, 1);
        size[k] = ir_op2(&r->b, IR_IADD, bits_of(r, less, 0, 0x7ff), one);
    }
}

static void size_of_level(struct fe_reader *r, struct ir_inst **size, struct ir_inst *level) {
    if (ir_is_const(level) && level->imm == 0)
        return;
    for (int k = 0; k < 2; k++) {
        struct ir_inst *least = ir_const_i(&r->b, 1);
        size[k] = ir_op2(&r->b, IR_IMAX, ir_op2(&r->b, IR_USHR, size[k], level), least);
    }
}

/* The texture's last level: 0 when the filter has no mipmaps (set-up word 1, minification filter 0 and 1),
 * else what set-up word 0 counts. */
static struct ir_inst *last_level(struct fe_reader *r, const struct choice *choice) {
    struct ir_inst *filter = bits_of(r, setup_word(r, choice, 1), 4, 7);
    struct ir_inst *plain = ir_op2(&r->b, IR_ULT, filter, ir_const_i(&r->b, 2));
    struct ir_inst *last = bits_of(r, setup_word(r, choice, 0), 0, 15);
    return ir_op3(&r->b, IR_SELECT, plain, ir_const_i(&r->b, 0), last);
}

/* --- operands ------------------------------------------------------------------------------------------- */

static uint32_t dimensions(const struct fe_type *image) {
    return image->dim == SpvDimCube ? 3 : image->dim == SpvDim1D ? 1 : 2;
}

/* The level that derivatives ask for: log2 of the longer one in texels (ES 3.0 section 3.8.10). On a cube the
 * coordinates are directions: a face is as wide as twice the major axis. */
static struct ir_inst *level_of(struct fe_reader *r, const struct sample *s, struct ir_inst **const d[2]) {
    uint32_t n = dimensions(s->image);
    struct ir_inst *size[2], *length[2], *texels[3];
    texture_size(r, &s->choice, size);
    for (int k = 0; k < 2; k++)
        size[k] = ir_op1(&r->b, IR_I2F, size[k]);
    for (int k = 0; k < 2; k++) {
        for (uint32_t c = 0; c < n; c++)
            texels[c] = ir_op2(&r->b, IR_FMUL, d[k][c], size[n == 2 ? c : 0]);
        length[k] = fe_dot(r, texels, texels, n);
    }
    struct ir_inst *longer = ir_op2(&r->b, IR_FMAX, length[0], length[1]);
    struct ir_inst *half = ir_const_f(&r->b, 0.5f),
                   *level = ir_op2(&r->b, IR_FMUL, ir_op1(&r->b, IR_FLOG2, longer), half);
    if (n == 3) {
        struct ir_inst *axis =
            ir_op2(&r->b, IR_FMAXABS, ir_op2(&r->b, IR_FMAXABS, s->coord[0], s->coord[1]), s->coord[2]);
        struct ir_inst *wide = ir_op1(&r->b, IR_FLOG2, ir_op2(&r->b, IR_FADD, axis, axis));
        level = ir_op2(&r->b, IR_FSUB, level, wide);
    }
    return level;
}

/* The level that the unit will choose by itself, but for the bias. */
static struct ir_inst *own_level(struct fe_reader *r, const struct sample *s) {
    struct ir_inst *dx[2], *dy[2], **const d[2] = {dx, dy};
    if (r->shader->stage != QPUCC_FRAGMENT)
        return ir_const_f(&r->b, 0);
    for (uint32_t k = 0; k < dimensions(s->image); k++) {
        dx[k] = ir_op1(&r->b, IR_DDX, s->coord[k]);
        dy[k] = ir_op1(&r->b, IR_DDY, s->coord[k]);
    }
    return level_of(r, s, d);
}

/* Moves the coordinates by whole texels of the level that is looked up: the nearest one where the filter
 * mixes two.
 */
static bool add_offset(struct fe_reader *r, struct sample *s, uint32_t id, struct ir_inst *level) {
    uint32_t n = dimensions(s->image);
    struct ir_inst **offset = fe_value_n(r, id, n), *size[2];
    if (!offset)
        return false;
    if (offset[0]->type != IR_I32 || n == 3)
        return fe_malformed(r);
    texture_size(r, &s->choice, size);
    if (!ir_is_const(level) || level->imm != 0) {
        struct ir_inst *whole = ir_op2(&r->b, IR_FADD, level, ir_const_f(&r->b, 0.5f));
        whole = ir_op1(&r->b, IR_F2I, ir_op2(&r->b, IR_FMAX, whole, ir_const_f(&r->b, 0)));
        size_of_level(r, size, ir_op2(&r->b, IR_IMIN, whole, last_level(r, &s->choice)));
    }
    for (uint32_t k = 0; k < n; k++) {
        struct ir_inst *texels = ir_op1(&r->b, IR_I2F, size[k]);
        struct ir_inst *part = ir_op2(&r->b, IR_FDIV, ir_op1(&r->b, IR_I2F, offset[k]), texels);
        s->coord[k] = ir_op2(&r->b, IR_FADD, s->coord[k], part);
    }
    return true;
}

/* Bias, level or derivatives, and an offset; whatever else may stand there is refused by name. */
static bool image_operands(struct fe_reader *r, struct sample *s, const uint32_t *arg, uint32_t count,
                           bool implicit) {
    const uint32_t offsets = SpvImageOperandsConstOffsetMask | SpvImageOperandsOffsetMask,
                   levels = SpvImageOperandsBiasMask | SpvImageOperandsLodMask | SpvImageOperandsGradMask;
    uint32_t mask = count ? arg[0] : 0, kind = mask & levels, next = 1, n = dimensions(s->image);
    struct ir_inst *level = NULL;
    if (mask & ~(offsets | levels) || (mask & offsets) == offsets || (kind & (kind - 1)))
        return fe_unsupported(r, "this form of texture lookup");
    uint32_t wanted = (kind != 0) + (kind == SpvImageOperandsGradMask) + ((mask & offsets) != 0);
    if (implicit != (kind == 0 || kind == SpvImageOperandsBiasMask) || (mask && count <= wanted))
        return fe_malformed(r);
    if (kind == SpvImageOperandsGradMask) {
        struct ir_inst **const d[2] = {fe_value_n(r, arg[1], n), fe_value_n(r, arg[2], n)};
        if (!d[0] || !d[1])
            return false;
        if (d[0][0]->type != IR_F32 || d[1][0]->type != IR_F32)
            return fe_malformed(r);
        level = s->image->dim == SpvDimRect ? ir_const_f(&r->b, 0) : level_of(r, s, d);
        next = 3;
    } else if (kind) {
        struct ir_inst **value = fe_value_n(r, arg[next++], 1);
        if (!value)
            return false;
        if (value[0]->type != IR_F32)
            return fe_malformed(r);
        level = value[0];
    }
    if (mask & offsets) {
        struct ir_inst *at = level;
        if (implicit)
            at = own_level(r, s);
        if (kind == SpvImageOperandsBiasMask && r->shader->stage == QPUCC_FRAGMENT)
            at = ir_op2(&r->b, IR_FADD, at, level);
        if (!add_offset(r, s, arg[next], at))
            return false;
    }
    if (n == 1) /* a texture one texel high */
        s->coord[s->ncoord++] = ir_const_f(&r->b, 0.5f);
    if (level) {
        s->coord[s->ncoord++] = level;
        s->flags |= kind == SpvImageOperandsBiasMask ? IR_TEX_BIAS : IR_TEX_LOD;
    }
    return true;
}

/* A rectangle's coordinates count texels. */
static void normalise(struct fe_reader *r, struct sample *s) {
    struct ir_inst *size[2];
    texture_size(r, &s->choice, size);
    for (int k = 0; k < 2; k++)
        s->coord[k] = ir_op2(&r->b, IR_FDIV, s->coord[k], ir_op1(&r->b, IR_I2F, size[k]));
}

static bool coordinates(struct fe_reader *r, struct sample *s, uint32_t id, bool proj) {
    const struct fe_type *type = fe_value_type(r, id);
    struct ir_inst **word = type ? fe_value(r, id) : NULL;
    uint32_t want = dimensions(s->image);
    if (!word)
        return false;
    if (type->scalar != IR_F32 || type->kind > FE_VECTOR || type->words < want + proj)
        return fe_malformed(r);
    memcpy(s->coord, word, want * sizeof *word);
    s->ncoord = want;
    if (proj) {
        /* q is the last component that the dimension leaves. */
        struct ir_inst *by = ir_op1(&r->b, IR_FRCP, word[want]);
        for (uint32_t k = 0; k < want; k++)
            s->coord[k] = ir_op2(&r->b, IR_FMUL, s->coord[k], by);
        if (s->reference)
            s->reference = ir_op2(&r->b, IR_FMUL, s->reference, by);
    }
    if (s->image->dim == SpvDimRect)
        normalise(r, s);
    return true;
}

static void texel(struct fe_reader *r, const struct sample *s, uint32_t number, uint32_t channels,
                  struct ir_inst **out) {
    struct ir_inst *raw = ir_emit(&r->b, IR_TEX, IR_I32, s->ncoord, s->coord, number, s->flags);
    const struct ir_symbol *sampler = ir_symbol_of_word(&r->shader->samplers, number);
    uint8_t precision = r->b.precision;
    /* a lookup's result is as precise as its sampler (GLSL ES 4.5.2); SPIR-V does not tell lowp from mediump
     */
    if (precision == IR_MEDIUMP && sampler && sampler->precision == IR_LOWP)
        r->b.precision = IR_LOWP;
    for (uint32_t k = 0; k < channels; k++)
        out[k] = ir_emit(&r->b, IR_TEXEL, IR_F32, 1, &raw, s->reference ? 4 : k, 0);
    if (s->reference)
        out[0] = ir_emit(&r->b, IR_SHADOW, IR_F32, 2, (struct ir_inst *[]){out[0], s->reference}, number, 0);
    r->b.precision = precision;
}

/* The lookup, in each sampler that may be meant. */
static void texels(struct fe_reader *r, const struct sample *s, uint32_t channels, struct ir_inst **out) {
    struct ir_inst *other[4];
    texel(r, s, s->choice.number[s->choice.count - 1], channels, out);
    for (uint32_t n = s->choice.count - 1; n-- > 0;) {
        texel(r, s, s->choice.number[n], channels, other);
        select_if(r, &s->choice, n, out, other, channels);
    }
}

static struct ir_inst **sample(struct fe_reader *r, const struct fe_op *op, bool implicit, bool dref,
                               bool proj) {
    struct sample s = {0};
    uint32_t fixed = dref ? 3 : 2, channels = op->type->words;
    if (op->nargs < fixed)
        return fe_malformed(r), NULL;
    const struct fe_type *type = fe_value_type(r, op->arg[0]);
    struct ir_inst **sampler = type ? fe_value_n(r, op->arg[0], 1) : NULL;
    if (!sampler)
        return NULL;
    if (type->kind != FE_SAMPLED_IMAGE || type->elem->samples || channels > 4 || (dref && channels != 1) ||
        op->type->scalar != IR_F32 || op->type->kind > FE_VECTOR)
        return fe_malformed(r), NULL;
    s.image = type->elem;
    s.flags = s.image->dim == SpvDimCube ? IR_TEX_CUBE : IR_TEX_2D;
    if (!choose(r, op->arg[0], s.image, sampler[0], &s.choice))
        return NULL;
    if (dref) {
        struct ir_inst **reference = fe_value_n(r, op->arg[2], 1);
        if (!reference || reference[0]->type != IR_F32)
            return r->failed ? NULL : (fe_malformed(r), NULL);
        s.reference = reference[0];
    }
    if (!coordinates(r, &s, op->arg[1], proj) ||
        !image_operands(r, &s, op->arg + fixed, op->nargs - fixed, implicit))
        return NULL;
    struct ir_inst **out = fe_words(r, channels);
    if (r->failed)
        return NULL;
    texels(r, &s, channels, out);
    return out;
}

/* --- without a sampler ---------------------------------------------------------------------------------- */

static bool image_choice(struct fe_reader *r, uint32_t id, bool cube, const struct fe_type **image,
                         struct choice *choice) {
    const struct fe_type *type = fe_value_type(r, id);
    struct ir_inst **word = type ? fe_value_n(r, id, 1) : NULL;
    if (!word)
        return false;
    if (type->kind != FE_IMAGE || (type->dim == SpvDimCube && !cube))
        return fe_malformed(r);
    *image = type;
    return choose(r, id, type, word[0], choice);
}

/* --- multisample textures ------------------------------------------------------------------------------- */

/* Width and height: the halves of set-up word 2 (qpucc.h, QPUCC_SAMPLER2D_MS). */
static void size_of_samples(struct fe_reader *r, const struct choice *choice, struct ir_inst **size) {
    struct ir_inst *word = setup_word(r, choice, 2);
    size[0] = bits_of(r, word, 0, 0xffff);
    size[1] = ir_op2(&r->b, IR_USHR, word, ir_const_i(&r->b, 16));
}

static struct ir_inst *shifted(struct fe_reader *r, enum ir_op op, struct ir_inst *word, uint32_t by) {
    return ir_op2(&r->b, op, word, ir_const_i(&r->b, by));
}

/* Where a coordinate leads within its tile: `shift` is that of a row or column of quads, `odd` that of the
 * second pixel of a quad. */
static struct ir_inst *inside_tile(struct fe_reader *r, struct ir_inst *at, uint32_t shift, uint32_t odd) {
    struct ir_inst *quad = shifted(r, IR_ISHL, bits_of(r, at, 0, 30), shift);
    return ir_op2(&r->b, IR_IADD, quad, shifted(r, IR_ISHL, bits_of(r, at, 0, 1), odd));
}

/* The byte that a sample begins at: the tile buffer's contents as they are dumped, tiles of 32 x 32 pixels
 * row after row (docs/hardware.md, "Scoreboard and tile buffer"). */
static struct ir_inst *sample_address(struct fe_reader *r, const struct choice *choice,
                                      struct ir_inst *const at[2], struct ir_inst *number) {
    enum { EDGE = 5, TILE = 14 }; /* of a tile: pixels and bytes, as powers of two */
    struct ir_builder *b = &r->b;
    struct ir_inst *size[2];
    size_of_samples(r, choice, size);
    struct ir_inst *most = ir_const_i(b, (1u << EDGE) - 1);
    struct ir_inst *across = shifted(r, IR_USHR, ir_op2(b, IR_IADD, size[0], most), EDGE);
    struct ir_inst *above = ir_op2(b, IR_UMUL24, shifted(r, IR_USHR, at[1], EDGE), across);
    struct ir_inst *tile = ir_op2(b, IR_IADD, above, shifted(r, IR_USHR, at[0], EDGE));
    struct ir_inst *x = inside_tile(r, at[0], 5, 2), *y = inside_tile(r, at[1], 9, 3);
    struct ir_inst *pixel = ir_op2(b, IR_IADD, shifted(r, IR_ISHL, tile, TILE), ir_op2(b, IR_IADD, y, x));
    return ir_op2(b, IR_IADD, pixel, shifted(r, IR_ISHL, bits_of(r, number, 0, 3), 4));
}

/* texelFetch of a sample: its colour as the tile buffer has it, four bytes. */
static struct ir_inst **fetch_sample(struct fe_reader *r, const struct fe_op *op,
                                     const struct choice *choice) {
    struct ir_inst **at = fe_value_n(r, op->arg[1], 2), **number, **out = fe_words(r, 4), *other[4];
    if (op->nargs != 4 || op->arg[2] != SpvImageOperandsSampleMask)
        return fe_unsupported(r, "this form of texelFetch"), NULL;
    number = fe_value_n(r, op->arg[3], 1);
    if (!at || !number || r->failed)
        return NULL;
    if (at[0]->type != IR_I32 || number[0]->type != IR_I32)
        return fe_malformed(r), NULL;
    uint8_t precision = r->b.precision;
    r->b.precision = IR_HIGHP;
    struct ir_inst *address = sample_address(r, choice, at, number[0]);
    r->b.precision = precision;
    for (uint32_t n = choice->count; n-- > 0;) {
        struct ir_inst *raw = ir_emit(&r->b, IR_BUFFER_AT, IR_I32, 1, &address, choice->number[n], 0);
        bool last = n == choice->count - 1;
        for (uint32_t k = 0; k < 4; k++)
            (last ? out : other)[k] = ir_emit(&r->b, IR_TEXEL, IR_F32, 1, &raw, k, 0);
        if (!last)
            select_if(r, choice, n, out, other, 4);
    }
    return out;
}

/* texelFetch: the middle of the texel, by an ordinary lookup with an explicit level. */
static struct ir_inst **fetch(struct fe_reader *r, const struct fe_op *op) {
    struct sample s = {.flags = IR_TEX_2D | IR_TEX_LOD, .ncoord = 3};
    struct ir_inst *size[2], *level = ir_const_i(&r->b, 0);
    uint32_t mask = op->nargs > 2 ? op->arg[2] : 0, next = 3;
    if (op->nargs < 2 || op->type->words != 4 || op->type->scalar != IR_F32 ||
        !image_choice(r, op->arg[0], false, &s.image, &s.choice))
        return r->failed ? NULL : (fe_malformed(r), NULL);
    if (s.image->samples)
        return fetch_sample(r, op, &s.choice);
    uint32_t n = dimensions(s.image);
    struct ir_inst **at = fe_value_n(r, op->arg[1], n), *corner[2];
    if (!at)
        return NULL;
    if (mask & ~(uint32_t)(SpvImageOperandsLodMask | SpvImageOperandsConstOffsetMask))
        return fe_unsupported(r, "this form of texelFetch"), NULL;
    if (mask & SpvImageOperandsLodMask) {
        struct ir_inst **value = next < op->nargs ? fe_value_n(r, op->arg[next++], 1) : NULL;
        if (!value || value[0]->type != IR_I32)
            return r->failed ? NULL : (fe_malformed(r), NULL);
        level = value[0];
    }
    memcpy(corner, at, n * sizeof *corner);
    if (mask & SpvImageOperandsConstOffsetMask) {
        struct ir_inst **offset = next < op->nargs ? fe_value_n(r, op->arg[next], n) : NULL;
        if (!offset || offset[0]->type != IR_I32 || at[0]->type != IR_I32)
            return r->failed ? NULL : (fe_malformed(r), NULL);
        for (uint32_t k = 0; k < n; k++)
            corner[k] = ir_op2(&r->b, IR_IADD, at[k], offset[k]);
    }
    if (corner[0]->type != IR_I32)
        return fe_malformed(r), NULL;
    texture_size(r, &s.choice, size);
    size_of_level(r, size, level);
    s.coord[1] = ir_const_f(&r->b, 0.5f);
    for (uint32_t k = 0; k < n; k++) {
        struct ir_inst *half = ir_const_f(&r->b, 0.5f),
                       *middle = ir_op2(&r->b, IR_FADD, ir_op1(&r->b, IR_I2F, corner[k]), half);
        s.coord[k] = ir_op2(&r->b, IR_FDIV, middle, ir_op1(&r->b, IR_I2F, size[k]));
    }
    s.coord[2] = ir_op1(&r->b, IR_I2F, level);
    struct ir_inst **out = fe_words(r, 4);
    if (!r->failed)
        texels(r, &s, 4, out);
    return r->failed ? NULL : out;
}

static struct ir_inst **query_size(struct fe_reader *r, const struct fe_op *op) {
    const struct fe_type *image = NULL;
    struct choice choice;
    struct ir_inst **out = fe_words(r, 2), **level;
    if (op->nargs < 1 || op->type->scalar != IR_I32 || !image_choice(r, op->arg[0], true, &image, &choice) ||
        op->type->words != (image->dim == SpvDim1D ? 1 : 2))
        return r->failed ? NULL : (fe_malformed(r), NULL);
    if (r->failed)
        return NULL;
    if (image->samples)
        size_of_samples(r, &choice, out);
    else
        texture_size(r, &choice, out);
    if (op->op == SpvOpImageQuerySizeLod) {
        level = op->nargs > 1 ? fe_value_n(r, op->arg[1], 1) : NULL;
        if (!level || level[0]->type != IR_I32)
            return r->failed ? NULL : (fe_malformed(r), NULL);
        size_of_level(r, out, level[0]);
    }
    return out;
}

struct ir_inst **fe_image_op(struct fe_reader *r, const struct fe_op *op) {
    bool implicit, dref, proj;
    if (is_image_sample(op->op, &implicit, &dref, &proj))
        return sample(r, op, implicit, dref, proj);
    switch (op->op) {
    case SpvOpImage: return fe_value_n(r, op->arg[0], 1);
    case SpvOpSampledImage: return fe_unsupported(r, "texture apart from its sampler"), NULL;
    case SpvOpImageFetch: return fetch(r, op);
    case SpvOpImageQuerySize:
    case SpvOpImageQuerySizeLod: return query_size(r, op);
    case SpvOpImageGather:
    case SpvOpImageDrefGather: return fe_unsupported(r, "textureGather"), NULL;
    case SpvOpImageQueryLod: return fe_unsupported(r, "textureQueryLod"), NULL;
    case SpvOpImageQueryLevels: return fe_unsupported(r, "textureQueryLevels"), NULL;
    }
    fe_fail(r, "unsupported", "%s: not supported on this hardware", fe_opcode_name(op->op));
    return NULL;
}
