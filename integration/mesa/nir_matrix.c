/* Products of uniform matrices before they meet a vector.
 *
 * GLSL's P * M * v is (P * M) * v, whose product of matrices belongs to the draw: the library has the host
 * compute it. Mesa's GLSL compiler makes it P * (M * v), for processors on which that is cheaper, and so do
 * many authors. Here the vector forms that come of it are multiplied out: the sum of P[i] * t[i], t being the
 * sum of M[j] * a[j], becomes the sum of (P * M[j]) * a[j].
 *
 * It is done whether or not t is used elsewhere. So positions are the same in all shaders that write the same
 * expression, and it costs nothing: there are no more products than before. What GL wants exact stays. */
#include "nir_translate.h"

#include "compiler/nir/nir_builder.h"

enum { MOST_TERMS = 6, MOST_DEPTH = 16 };

/* A uniform vector, times one component of `factor` unless that is NULL. */
struct term {
    nir_ssa_def *vector, *factor;
    uint8_t swizzle[4], component;
};

struct form {
    unsigned size; /* components of the vectors */
    unsigned count, products;
    struct term term[MOST_TERMS];
};

enum { UNKNOWN, UNIFORM, VARIES }; /* nir_instr's pass_flags */

static bool is_uniform(const nir_ssa_def *def, unsigned depth);

static bool find_whether_uniform(nir_instr *instr, unsigned depth) {
    if (instr->type == nir_instr_type_load_const)
        return true;
    if (instr->type == nir_instr_type_intrinsic) {
        nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
        return intr->intrinsic == nir_intrinsic_load_uniform && nir_src_is_const(intr->src[0]);
    }
    if (instr->type != nir_instr_type_alu || depth == MOST_DEPTH)
        return false;
    const nir_alu_instr *alu = nir_instr_as_alu(instr);
    for (unsigned k = 0; k < nir_op_infos[alu->op].num_inputs; k++)
        if (!is_uniform(alu->src[k].src.ssa, depth + 1))
            return false;
    return true;
}

static bool is_uniform(const nir_ssa_def *def, unsigned depth) {
    nir_instr *instr = def->parent_instr;
    if (instr->pass_flags == UNKNOWN)
        instr->pass_flags = find_whether_uniform(instr, depth) ? UNIFORM : VARIES;
    return instr->pass_flags == UNIFORM;
}

static bool add_term(struct form *form, const nir_alu_src *vector, const nir_alu_src *factor) {
    if (form->count == MOST_TERMS)
        return false;
    struct term *term = &form->term[form->count++];
    *term = (struct term){.vector = vector->src.ssa};
    memcpy(term->swizzle, vector->swizzle, sizeof term->swizzle);
    if (factor) {
        term->factor = factor->src.ssa;
        term->component = factor->swizzle[0];
        form->products++;
    }
    return true;
}

static bool is_whole(const nir_alu_src *src, unsigned size) {
    for (unsigned k = 0; k < size; k++)
        if (src->swizzle[k] != k)
            return false;
    return src->src.ssa->num_components == size;
}

static bool is_spread(const nir_alu_src *src, unsigned size) {
    for (unsigned k = 1; k < size; k++)
        if (src->swizzle[k] != src->swizzle[0])
            return false;
    return true;
}

static bool add_def(struct form *form, const nir_ssa_def *def, unsigned depth);

static bool add_source(struct form *form, const nir_alu_src *src, unsigned depth) {
    if (is_uniform(src->src.ssa, 0))
        return add_term(form, src, NULL);
    return is_whole(src, form->size) && add_def(form, src->src.ssa, depth + 1);
}

static bool add_def(struct form *form, const nir_ssa_def *def, unsigned depth) {
    if (def->parent_instr->type != nir_instr_type_alu || depth == MOST_DEPTH)
        return false;
    const nir_alu_instr *alu = nir_instr_as_alu(def->parent_instr);
    if (alu->exact)
        return false;
    if (alu->op == nir_op_fadd)
        return add_source(form, &alu->src[0], depth) && add_source(form, &alu->src[1], depth);
    if (alu->op != nir_op_fmul)
        return false;
    for (unsigned k = 0; k < 2; k++)
        if (is_uniform(alu->src[k].src.ssa, 0) && is_spread(&alu->src[1 - k], form->size))
            return add_term(form, &alu->src[k], &alu->src[1 - k]);
    return false;
}

/* A sum that is no part of another. */
static bool is_root(const nir_ssa_def *def) {
    if (!list_is_singular(&def->uses) || !list_is_empty(&def->if_uses))
        return true;
    nir_foreach_use(use, def) {
        const nir_instr *instr = use->parent_instr;
        if (instr->type == nir_instr_type_alu && nir_instr_as_alu(instr)->op == nir_op_fadd &&
            nir_instr_as_alu(instr)->dest.dest.ssa.num_components == def->num_components)
            return false;
    }
    return true;
}

static nir_ssa_def *sum(nir_builder *b, nir_ssa_def *a, nir_ssa_def *c) {
    return a ? nir_fadd(b, a, c) : c;
}

static nir_ssa_def *vector_of(nir_builder *b, const struct term *term, unsigned size) {
    unsigned swizzle[4];
    for (unsigned k = 0; k < 4; k++)
        swizzle[k] = term->swizzle[k];
    return nir_swizzle(b, term->vector, swizzle, size);
}

/* The matrix of `outer`'s products times a vector of `inner`. */
static nir_ssa_def *times(nir_builder *b, const struct form *outer, const struct term *inner) {
    nir_ssa_def *total = NULL;
    for (unsigned i = 0; i < outer->count; i++) {
        const struct term *term = &outer->term[i];
        if (!term->factor)
            continue;
        nir_ssa_def *column = vector_of(b, term, outer->size);
        nir_ssa_def *factor = nir_channel(b, inner->vector, inner->swizzle[term->component]);
        total = sum(b, total, nir_fmul(b, column, factor));
    }
    return total;
}

static bool multiply_out(nir_builder *b, nir_alu_instr *alu) {
    nir_ssa_def *def = &alu->dest.dest.ssa, *total = NULL;
    struct form outer = {.size = def->num_components};
    if (def->num_components < 2 || def->num_components > 4 || def->bit_size != 32 || !is_root(def) ||
        !add_def(&outer, def, 0) || outer.products < 2)
        return false;
    const nir_ssa_def *vector = NULL;
    for (unsigned i = 0; i < outer.count; i++) {
        if (outer.term[i].factor && vector && outer.term[i].factor != vector)
            return false;
        if (outer.term[i].factor)
            vector = outer.term[i].factor;
    }
    struct form inner = {.size = vector->num_components};
    if (vector->num_components < 2 || vector->num_components > 4 || !add_def(&inner, vector, 0) ||
        inner.products == 0 || inner.products > outer.products)
        return false;
    b->cursor = nir_before_instr(&alu->instr);
    for (unsigned j = 0; j < inner.count; j++) {
        nir_ssa_def *column = times(b, &outer, &inner.term[j]);
        if (inner.term[j].factor)
            column = nir_fmul(b, column, nir_channel(b, inner.term[j].factor, inner.term[j].component));
        total = sum(b, total, column);
    }
    for (unsigned i = 0; i < outer.count; i++)
        if (!outer.term[i].factor)
            total = sum(b, total, vector_of(b, &outer.term[i], outer.size));
    nir_ssa_def_rewrite_uses(def, total);
    return true;
}

bool multiply_matrices(nir_function_impl *impl) {
    nir_builder b;
    bool progress = false;
    nir_builder_init(&b, impl);
    nir_foreach_block(block, impl) {
        nir_foreach_instr(instr, block) {
            instr->pass_flags = UNKNOWN;
        }
    }
    nir_foreach_block(block, impl) {
        nir_foreach_instr_safe(instr, block) {
            if (instr->type == nir_instr_type_alu && nir_instr_as_alu(instr)->op == nir_op_fadd)
                progress |= multiply_out(&b, nir_instr_as_alu(instr));
        }
    }
    nir_metadata_preserve(impl, nir_metadata_block_index | nir_metadata_dominance);
    return progress;
}
