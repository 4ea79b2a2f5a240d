/* Which values are mediump.
 *
 * The state tracker could tell by 16-bit operations, but it rounds their constants to half floats on the way:
 * 1.0 / 289.0 comes as 0.0034599, and patterns that other drivers draw look different. So shaders come in 32
 * bits, and the precision of what they read travels through them as GLSL's rule has it: an operation has the
 * highest precision of its operands, constants have none. What is not declared mediump or lowp, as everything
 * of desktop GL, is highp. */
#include "nir_translate.h"

enum precision { NONE, MEDIUM, HIGH };

static enum precision declared(const nir_variable *var) {
    return var->data.precision == GLSL_PRECISION_MEDIUM || var->data.precision == GLSL_PRECISION_LOW ? MEDIUM
                                                                                                     : HIGH;
}

static enum precision of_input(const struct translation *t, const nir_intrinsic_instr *intr) {
    return t->fragment ? t->input_precision[nir_intrinsic_io_semantics(intr).location & (MAX_SLOTS - 1)]
                       : HIGH;
}

/* Of the variable that holds the vector; an index at run time stays in the variable that it begins in. */
static enum precision of_uniform(const struct translation *t, const nir_intrinsic_instr *intr) {
    unsigned vector = nir_intrinsic_base(intr);
    if (nir_src_is_const(intr->src[0]))
        vector += nir_src_as_uint(intr->src[0]);
    nir_foreach_uniform_variable(var, t->shader) {
        unsigned first = var->data.driver_location, count = glsl_count_attribute_slots(var->type, false);
        if (!glsl_type_is_sampler(glsl_without_array(var->type)) && vector >= first && vector < first + count)
            return declared(var);
    }
    return HIGH;
}

static enum precision of_texture(const struct translation *t, const nir_tex_instr *tex) {
    nir_foreach_uniform_variable(var, t->shader) {
        const struct glsl_type *type = glsl_without_array(var->type);
        unsigned count = glsl_type_is_array(var->type) ? glsl_get_aoa_size(var->type) : 1;
        if (glsl_type_is_sampler(type) && tex->texture_index >= (unsigned)var->data.binding &&
            tex->texture_index < (unsigned)var->data.binding + count)
            return declared(var);
    }
    return HIGH;
}

static enum precision of_intrinsic(const struct translation *t, const nir_intrinsic_instr *intr) {
    switch (intr->intrinsic) {
    case nir_intrinsic_load_input:
    case nir_intrinsic_load_interpolated_input: return of_input(t, intr);
    case nir_intrinsic_load_uniform: return of_uniform(t, intr);
    case nir_intrinsic_load_front_face: return NONE;
    default: return HIGH;
    }
}

/* A condition does not take part. */
static enum precision of_alu(const struct translation *t, const nir_alu_instr *alu) {
    bool choice = alu->op == nir_op_bcsel || alu->op == nir_op_fcsel || alu->op == nir_op_b32csel;
    enum precision p = NONE;
    for (unsigned i = choice ? 1 : 0; i < nir_op_infos[alu->op].num_inputs; i++)
        p = MAX2(p, t->precision[alu->src[i].src.ssa->index]);
    return p;
}

static enum precision of_phi(const struct translation *t, nir_phi_instr *phi) {
    enum precision p = NONE;
    nir_foreach_phi_src(src, phi) p = MAX2(p, t->precision[src->src.ssa->index]);
    return p;
}

static bool update(struct translation *t, nir_instr *instr) {
    const nir_ssa_def *def;
    enum precision p;
    switch (instr->type) {
    case nir_instr_type_alu:
        def = &nir_instr_as_alu(instr)->dest.dest.ssa;
        p = of_alu(t, nir_instr_as_alu(instr));
        break;
    case nir_instr_type_tex:
        def = &nir_instr_as_tex(instr)->dest.ssa;
        p = of_texture(t, nir_instr_as_tex(instr));
        break;
    case nir_instr_type_phi:
        def = &nir_instr_as_phi(instr)->dest.ssa;
        p = of_phi(t, nir_instr_as_phi(instr));
        break;
    case nir_instr_type_intrinsic:
        if (!nir_intrinsic_infos[nir_instr_as_intrinsic(instr)->intrinsic].has_dest)
            return false;
        def = &nir_instr_as_intrinsic(instr)->dest.ssa;
        p = of_intrinsic(t, nir_instr_as_intrinsic(instr));
        break;
    default: return false;
    }
    bool changed = p > t->precision[def->index];
    if (changed)
        t->precision[def->index] = (uint8_t)p;
    return changed;
}

void note_input_precision(struct translation *t) {
    memset(t->input_precision, HIGH, sizeof t->input_precision);
    nir_foreach_shader_in_variable(var, t->shader) for (unsigned i = 0;
                                                        i < glsl_count_attribute_slots(var->type, false); i++)
        t->input_precision[(var->data.location + i) & (MAX_SLOTS - 1)] = (uint8_t)declared(var);
}

/* Only upwards, so it ends. */
void gather_precision(struct translation *t) {
    bool changed;
    do {
        changed = false;
        nir_foreach_block(block, t->impl) nir_foreach_instr(instr, block) changed |= update(t, instr);
    } while (changed);
}

bool is_relaxed(const struct translation *t, const nir_ssa_def *def) {
    return t->precision[def->index] == MEDIUM;
}
