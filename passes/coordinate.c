/* cut_vertex, cut_coordinate: a lowered vertex shader computes what both shaders need; each pass keeps its
 * half.
 *
 * requires: a vertex shader after lower_stage and after every pass that may change a value. The compiler
 *           clones the shader, then runs cut_vertex on one copy and cut_coordinate on the other.
 * keeps:    control flow and every value: the two must agree bit for bit on position and point size.
 * breaks:   leaves dead code for dce.
 *
 * Unused attributes, and unused words at an attribute's end, are no longer loaded, and the tables attr_* are
 * updated. Both shaders see the same sizes, because they share the hardware's attribute record (guide section
 * 9), but each selects its own attributes. */
#include "passes/lower_stage.h"

struct attributes {
    struct ir_inst *inst[64]; /* ATTR by position */
    bool live[64];
};

/* Marks what effects other than the attribute reads themselves need. */
static void mark_live(struct ir_shader *shader) {
    struct ir_inst **stack = ir_alloc_uncleared(shader->arena, (size_t)shader->next_id * sizeof *stack);
    uint32_t count = 0;
    if (ir_arena_oom(shader->arena))
        return;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (ir_ops[inst->op].effect && inst->op != IR_ATTR) {
                inst->mark = true;
                stack[count++] = inst;
            }
        }
    }
    while (count) {
        struct ir_inst *inst = stack[--count];
        for (uint32_t k = 0; k < inst->nsrc; k++)
            if (!inst->src[k]->mark) {
                inst->src[k]->mark = true;
                stack[count++] = inst->src[k];
            }
    }
}

static void find_attributes(struct ir_shader *shader, struct attributes *a) {
    *a = (struct attributes){0};
    mark_live(shader);
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (inst->op == IR_ATTR && inst->imm < 64) {
                a->inst[inst->imm] = inst;
                a->live[inst->imm] = inst->mark;
            }
            inst->mark = false;
        }
    }
}

/* Drops attributes without a live word and, with `shrink`, words after the last live one. One word stays
 * whatever happens: the hardware wants an attribute (docs/hardware.md, Vertices). */
static void trim(struct ir_shader *shader, bool shrink) {
    struct attributes a;
    find_attributes(shader, &a);
    uint32_t kept = 0, from = 0, to = 0;
    for (uint32_t i = 0; i < shader->nattr; i++) {
        uint32_t size = shader->attr_size[i], live = 0;
        for (uint32_t w = 0; w < size && from + w < 64; w++)
            if (a.live[from + w])
                live = w + 1;
        if (!live && kept == 0 && i + 1 == shader->nattr)
            live = 1;
        uint32_t keep = live == 0 ? 0 : shrink ? live : size;
        for (uint32_t w = 0; w < size && from + w < 64; w++) {
            struct ir_inst *inst = a.inst[from + w];
            if (inst && w < keep)
                inst->imm = to++;
            else if (inst)
                ir_remove(inst);
        }
        from += size;
        if (!keep)
            continue;
        shader->attr_size[kept] = (uint8_t)keep;
        shader->attr_bytes[kept] =
            shader->attr_bytes[i] < 4 * keep ? shader->attr_bytes[i] : (uint8_t)(4 * keep);
        shader->attr_symbol[kept] = shader->attr_symbol[i];
        shader->attr_column[kept++] = shader->attr_column[i];
    }
    for (uint32_t i = kept; i < 8; i++)
        shader->attr_size[i] = 0;
    shader->nattr = kept;
}

bool pass_cut_vertex(struct ir_shader *shader, const struct pass_options *options) {
    (void)options;
    if (!shader->lowered || shader->stage != QPUCC_VERTEX)
        return false;
    trim(shader, true);
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (inst->op == IR_VPM_OUT && inst->imm >= LOWER_STAGE_CLIP)
                ir_remove(inst);
        }
    }
    return true;
}

bool pass_cut_coordinate(struct ir_shader *shader, const struct pass_options *options) {
    if (!shader->lowered || shader->stage != QPUCC_VERTEX)
        return false;
    trim(shader, true);
    uint32_t fixed = shader->point_size ? 4 : 3; /* XY, Zs, 1/Wc and the size; after them varyings */
    bool own_zs = false;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (inst->op != IR_VPM_OUT)
                continue;
            own_zs |= inst->imm == LOWER_STAGE_OWN_ZS;
            if (inst->imm >= LOWER_STAGE_CLIP)
                inst->imm -= LOWER_STAGE_CLIP;
            else if (inst->imm < fixed && !(own_zs && inst->imm == 1))
                inst->imm += 4;
            else
                ir_remove(inst);
        }
    }
    pass_dce(shader, options); /* what computed varyings still names attributes that trim takes away */
    shader->stage = QPUCC_COORDINATE;
    trim(shader, false);
    return true;
}
