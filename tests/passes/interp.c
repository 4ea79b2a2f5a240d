/* One lane of IR, interpreted. */
#include "interp.h"

#include "passes/eval.h"
/* The simulator's vectors travel by pointer only; the note about their calling convention does not apply. */
#pragma GCC diagnostic ignored "-Wpsabi"
#include "runtime/alu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t magnitude(uint32_t x) {
    return x & 0x7fffffffu;
}

/* fmin and fmax: floats in order of their bits as signed magnitudes; of equals either. */
static bool less(uint32_t a, uint32_t b) {
    int64_t x = a >> 31 ? -(int64_t)magnitude(a) : (int64_t)a;
    int64_t y = b >> 31 ? -(int64_t)magnitude(b) : (int64_t)b;
    return x < y;
}

static bool is_zero(uint32_t f) {
    return !(f & 0x7f800000u);
}

/* A product as the machine makes it, or with PRODUCTS=cut in the environment rounded toward zero: what code
 * has to be right for, too (docs/numerics.md). Numbers that round beyond either end of the range do not
 * matter here. */
static uint32_t product(uint32_t a, uint32_t b) {
    static int cut = -1;
    if (cut < 0)
        cut = getenv("PRODUCTS") && !strcmp(getenv("PRODUCTS"), "cut");
    uint32_t r = sim_fmul(a, b);
    if (!cut || is_zero(r) || (r & 0x7f800000u) == 0x7f800000u)
        return r;
    double exact = (double)ir_bits_to_float(a) * (double)ir_bits_to_float(b);
    return fabs((double)ir_bits_to_float(r)) > fabs(exact) ? r - 1 : r;
}

bool interp_machine_op(enum ir_op op, uint32_t imm, const uint32_t *s, uint32_t *r) {
    uint32_t d;
    switch (op) {
    case IR_FADD: *r = sim_fadd(s[0], s[1]); return true;
    case IR_FSUB: *r = sim_fsub(s[0], s[1]); return true;
    case IR_FMUL: *r = product(s[0], s[1]); return true;
    case IR_FMIN: *r = less(s[0], s[1]) ? s[0] : s[1]; return true;
    case IR_FMAX: *r = less(s[0], s[1]) ? s[1] : s[0]; return true;
    case IR_FMINABS: *r = magnitude(s[0]) < magnitude(s[1]) ? magnitude(s[0]) : magnitude(s[1]); return true;
    case IR_FMAXABS: *r = magnitude(s[0]) < magnitude(s[1]) ? magnitude(s[1]) : magnitude(s[0]); return true;
    case IR_FBITS:
    case IR_IBITS: *r = s[0]; return true;
    case IR_FNEG: *r = sim_fsub(0, s[0]); return true;
    case IR_FABS: *r = magnitude(s[0]); return true;
    case IR_FSAT:
        d = less(s[0], 0) ? 0 : s[0];
        *r = less(d, 0x3f800000) ? d : 0x3f800000;
        return true;
    case IR_F2I: *r = sim_ftoi(s[0]); return true;
    case IR_I2F: *r = sim_itof(s[0]); return true;
    case IR_SFU_RCP: *r = sim_sfu_recip(s[0]); return true;
    case IR_SFU_RSQ: *r = sim_sfu_rsqrt(s[0]); return true;
    case IR_SFU_EXP2: *r = sim_sfu_exp2(s[0]); return true;
    case IR_SFU_LOG2: *r = sim_sfu_log2(s[0]); return true;
    /* Comparisons are the flags of a subtraction. */
    case IR_FLT: *r = (d = sim_fsub(s[0], s[1])) >> 31 && !is_zero(d); return true;
    case IR_FGE: *r = !((d = sim_fsub(s[0], s[1])) >> 31 && !is_zero(d)); return true;
    case IR_FEQ: *r = is_zero(sim_fsub(s[0], s[1])); return true;
    case IR_FNE: *r = !is_zero(sim_fsub(s[0], s[1])); return true;
    case IR_UNPACK_8F: *r = sim_byte_to_float((uint8_t)(s[0] >> 8 * (imm & 3))); return true;
    case IR_UNPACK_16F: *r = sim_half_to_float((uint16_t)(s[0] >> 16 * (imm & 1))); return true;
    case IR_PACK_16F: *r = sim_float_to_half(s[0]) | (uint32_t)sim_float_to_half(s[1]) << 16; return true;
    case IR_PACK_8F:
        *r = (s[0] & ~(255u << 8 * (imm & 3))) | (uint32_t)sim_float_to_byte(s[1]) << 8 * (imm & 3);
        return true;
    case IR_PACK_COLOR:
        *r = sim_float_to_byte(s[0]) | sim_float_to_byte(s[1]) << 8 | sim_float_to_byte(s[2]) << 16 |
             (uint32_t)sim_float_to_byte(s[3]) << 24;
        return true;
    default: return false;
    }
}

struct run {
    const struct ir_shader *shader;
    struct interp *in;
    uint32_t *value; /* by instruction id */
    uint32_t **var;
    char *error;
    size_t size;
};

static bool fail(struct run *r, const char *what, const struct ir_inst *inst) {
    if (r->error && r->size)
        snprintf(r->error, r->size, "%s: %%%u = %s", what, inst->id, ir_op_info((enum ir_op)inst->op)->text);
    return false;
}

static uint32_t slot_value(const struct ir_shader *shader, const struct interp *in, uint32_t index,
                           int depth) {
    const struct ir_slot *slot = &shader->slots[index];
    uint32_t s[4] = {0}, value = 0;
    switch (slot->kind) {
    case IR_SLOT_CONST: return slot->value;
    case IR_SLOT_UNIFORM: return slot->value < INTERP_WORDS ? in->uniform[slot->value] : 0;
    case IR_SLOT_STATE: return in->state[slot->value];
    case IR_SLOT_EXPR:
        if (depth == 0)
            return 0;
        for (uint32_t k = 0; k < slot->narg; k++)
            s[k] = slot_value(shader, in, slot->arg[k], depth - 1);
        return ir_eval((enum ir_op)slot->op, slot->value, s, slot->narg, &value) ? value : 0;
    default: return 0;
    }
}

uint32_t interp_slot(const struct ir_shader *shader, const struct interp *in, uint32_t index) {
    return slot_value(shader, in, index, 32);
}

static uint32_t hash_texel(uint32_t unit, const uint32_t *s, uint32_t n) {
    uint32_t h = 0x811c9dc5u ^ unit;
    for (uint32_t k = 0; k < n; k++)
        h = (h ^ s[k] >> 12) * 0x01000193u;
    return h ^ h >> 15;
}

static uint32_t *word_of(struct run *r, const struct ir_inst *inst, uint32_t offset) {
    uint32_t words = r->shader->vars[inst->imm].words, at = inst->aux + offset;
    return &r->var[inst->imm][at < words ? at : 0];
}

static void write_output(struct interp *in, uint32_t word, uint32_t value) {
    if (word < INTERP_WORDS) {
        in->output[word] = value;
        in->written[word] = true;
    }
}

/* Everything that is no pure function of its sources. */
static bool special(struct run *r, const struct ir_inst *inst, const uint32_t *s, uint32_t *result) {
    struct interp *in = r->in;
    uint32_t n = inst->nsrc, v = 0;
    switch (inst->op) {
    case IR_CONST: v = inst->imm; break;
    case IR_UNDEF: v = 0; break;
    case IR_UNIFORM: v = interp_slot(r->shader, in, inst->imm); break;
    case IR_UNIFORM_AT: {
        v = in->uniform[(inst->imm + ir_uniform_at_index(s[0], inst->aux)) % INTERP_WORDS];
        break;
    }
    case IR_BUFFER_AT: v = hash_texel(inst->imm, s, n); break;
    case IR_INPUT: v = in->input[(inst->imm + (n ? s[0] : 0)) % INTERP_WORDS]; break;
    case IR_ATTR: v = in->input[inst->imm % INTERP_WORDS]; break;
    case IR_BUILTIN: v = in->builtin[inst->imm]; break;
    case IR_TEX:
        v = in->texture ? in->texture(in->user, inst->imm, inst->aux, s, n) : hash_texel(inst->imm, s, n);
        break;
    case IR_TEXEL: v = sim_byte_to_float((uint8_t)(s[0] >> 8 * (inst->imm & 3))); break;
    case IR_FRAG_W: v = in->w; break;
    case IR_FRAG_Z: v = in->z; break;
    case IR_FRAG_X: v = in->x; break;
    case IR_FRAG_Y: v = in->y; break;
    case IR_FRAG_REV: v = in->back; break;
    case IR_FRAG_MASK: v = in->mask; break;
    case IR_VARY:
        v = in->vary[inst->imm % 64];
        v = sim_fadd(n ? product(v, s[0]) : v, in->c[inst->imm % 64]);
        break;
    case IR_TLB_READ: v = in->framebuffer; break;
    case IR_VAR_LOAD: v = *word_of(r, inst, n ? s[0] : 0); break;
    case IR_VAR_STORE: *word_of(r, inst, n > 1 ? s[1] : 0) = s[0]; break;
    case IR_OUTPUT:
    case IR_VPM_OUT: write_output(in, inst->imm, s[0]); break;
    case IR_DISCARD: in->discarded |= s[0] != 0; break;
    case IR_TLB_COLOR:
    case IR_TLB_SAMPLE:
        if (n < 2 || s[1]) {
            in->color = s[0];
            in->color_written = true;
        }
        break;
    case IR_TLB_Z:
        if (n < 2 || s[1]) {
            in->depth = s[0];
            in->depth_written = true;
        }
        break;
    case IR_TLB_STENCIL:
    case IR_TLB_MASK:
    case IR_JUMP:
    case IR_BRANCH:
    case IR_END: break;
    default: return false;
    }
    *result = v;
    return true;
}

static bool step(struct run *r, const struct ir_inst *inst) {
    uint32_t s[8] = {0}, *result = &r->value[inst->id];
    if (inst->nsrc > 8)
        return fail(r, "too many sources", inst);
    for (uint32_t k = 0; k < inst->nsrc; k++)
        s[k] = r->value[inst->src[k]->id];
    if (special(r, inst, s, result))
        return true;
    if (r->in->machine && interp_machine_op((enum ir_op)inst->op, inst->imm, s, result))
        return true;
    if (ir_eval((enum ir_op)inst->op, inst->imm, s, inst->nsrc, result))
        return true;
    if (ir_op_info((enum ir_op)inst->op)->pure && !ir_op_info((enum ir_op)inst->op)->gathers) {
        if (interp_machine_op((enum ir_op)inst->op, inst->imm, s, result)) /* raw SFU operations */
            return true;
        *result = 0; /* undefined, such as a division by zero */
        return true;
    }
    return fail(r, "no meaning for one lane", inst);
}

static bool phis(struct run *r, const struct ir_block *block, const struct ir_block *from) {
    uint32_t held[256], count = 0;
    for (const struct ir_inst *i = block->first; i && i->op == IR_PHI; i = i->next, count++)
        for (uint32_t k = 0; k < i->nsrc; k++)
            if (i->phi_block[k] == from) {
                if (count == 256)
                    return fail(r, "too many phis", i);
                held[count] = r->value[i->src[k]->id];
            }
    count = 0;
    for (const struct ir_inst *i = block->first; i && i->op == IR_PHI; i = i->next)
        r->value[i->id] = held[count++];
    return true;
}

static bool run_blocks(struct run *r, uint32_t steps) {
    const struct ir_block *block = r->shader->blocks[0], *from = NULL;
    for (; block; steps--) {
        if (!steps) {
            if (r->error && r->size)
                snprintf(r->error, r->size, "does not end");
            return false;
        }
        if (from && !phis(r, block, from))
            return false;
        const struct ir_inst *inst = block->first;
        while (inst && inst->op == IR_PHI)
            inst = inst->next;
        for (; inst; inst = inst->next)
            if (!step(r, inst))
                return false;
        from = block;
        const struct ir_inst *last = block->last;
        if (!last || last->op == IR_END)
            return true;
        block = last->op == IR_BRANCH && !r->value[last->src[0]->id] ? block->succ[1] : block->succ[0];
    }
    return true;
}

bool interp_run(const struct ir_shader *shader, struct interp *in, uint32_t steps, char *error, size_t size) {
    struct run r = {.shader = shader, .in = in, .error = error, .size = size};
    r.value = calloc(shader->next_id + 1, sizeof *r.value);
    r.var = calloc(shader->nvars + 1, sizeof *r.var);
    for (uint32_t k = 0; k < shader->nvars; k++)
        r.var[k] = calloc(shader->vars[k].words + 1, sizeof **r.var);
    memset(in->output, 0, sizeof in->output);
    memset(in->written, 0, sizeof in->written);
    in->color_written = in->depth_written = in->discarded = false;
    in->color = in->depth = 0;
    bool ok = run_blocks(&r, steps);
    for (uint32_t k = 0; k < shader->nvars; k++)
        free(r.var[k]);
    free(r.var);
    free(r.value);
    return ok;
}
