/* Control flow: NIR's tree of blocks, ifs and loops as SPIR-V's structured blocks, SSA phis as OpPhi.
 *
 * A loop's first NIR block becomes a header with the phis and a body. Its back edges meet in the block that
 * continue leads to, which has phis of its own where there are several. */
#include "nir_translate.h"

#include "util/hash_table.h"

enum { MOST_EDGES = 1024 }; /* into one block */

void start_block(struct translation *t, uint32_t label) {
    SPIRV_PUT(&t->m, SECTION_CODE, SpvOpLabel, label);
    t->label = label;
    t->ended = false;
}

void branch_to(struct translation *t, uint32_t label) {
    if (!t->ended)
        SPIRV_PUT(&t->m, SECTION_CODE, SpvOpBranch, label);
    t->ended = true;
}

static void translate_list(struct translation *t, struct exec_list *list);

/* --- phis ----------------------------------------------------------------------------------------------- */

/* What this block hands to the phis of its successors, in the kinds that they have. */
static void prepare_phis(struct translation *t, nir_block *block) {
    for (int s = 0; s < 2; s++) {
        if (!block->successors[s])
            continue;
        nir_foreach_instr(instr, block->successors[s]) {
            if (instr->type != nir_instr_type_phi)
                break;
            nir_phi_instr *phi = nir_instr_as_phi(instr);
            nir_foreach_phi_src(src, phi) {
                if (src->pred != block)
                    continue;
                uint32_t id = use_src(t, &src->src, (enum spirv_kind)t->value[phi->dest.ssa.index].kind);
                _mesa_hash_table_insert(t->phi_source, src, (void *)(uintptr_t)id);
            }
        }
    }
}

static uint32_t phi_value(const struct translation *t, const nir_phi_src *src) {
    struct hash_entry *entry = _mesa_hash_table_search(t->phi_source, src);
    return entry ? (uint32_t)(uintptr_t)entry->data : 0;
}

static void relax_phi(struct translation *t, const nir_phi_instr *phi, uint32_t id) {
    if (is_relaxed(t, &phi->dest.ssa))
        SPIRV_PUT(&t->m, SECTION_DECORATIONS, SpvOpDecorate, id, SpvDecorationRelaxedPrecision);
}

static uint32_t phi_type(struct translation *t, const nir_phi_instr *phi) {
    return type_of(t, (enum spirv_kind)t->value[phi->dest.ssa.index].kind, phi->dest.ssa.num_components);
}

/* A phi that merges forward edges, at the beginning of a block; those in a loop's header are written with
 * it. */
static void translate_phi(struct translation *t, nir_phi_instr *phi) {
    uint32_t operand[2 * MOST_EDGES], count = 0;
    if (t->value[phi->dest.ssa.index].id)
        return;
    nir_foreach_phi_src(src, phi) {
        uint32_t id = phi_value(t, src);
        if (!id)
            continue;
        if (count == 2 * MOST_EDGES) {
            fail(t, "a block with more ways into it than are supported");
            return;
        }
        operand[count++] = id;
        operand[count++] = t->block[src->pred->index].last;
    }
    uint32_t id = count ? spirv_op(&t->m, SpvOpPhi, phi_type(t, phi), count, operand)
                        : spirv_undef(&t->m, (enum spirv_kind)t->value[phi->dest.ssa.index].kind,
                                      phi->dest.ssa.num_components);
    if (count)
        relax_phi(t, phi, id);
    define(t, &phi->dest.ssa, id, (enum spirv_kind)t->value[phi->dest.ssa.index].kind);
}

/* --- blocks --------------------------------------------------------------------------------------------- */

static void translate_jump(struct translation *t, const nir_jump_instr *jump) {
    switch (jump->type) {
    case nir_jump_break: branch_to(t, t->loop.merge); break;
    case nir_jump_continue: branch_to(t, t->loop.next); break;
    default: fail(t, "a jump out of the function");
    }
}

static void translate_block(struct translation *t, nir_block *block) {
    t->block[block->index].first = t->label;
    t->block[block->index].emitted = true;
    nir_jump_instr *jump = NULL;
    nir_foreach_instr(instr, block) {
        switch (instr->type) {
        case nir_instr_type_alu: translate_alu(t, nir_instr_as_alu(instr)); break;
        case nir_instr_type_tex: translate_tex(t, nir_instr_as_tex(instr)); break;
        case nir_instr_type_intrinsic: translate_intrinsic(t, nir_instr_as_intrinsic(instr)); break;
        case nir_instr_type_deref: translate_deref(t, nir_instr_as_deref(instr)); break;
        case nir_instr_type_phi: translate_phi(t, nir_instr_as_phi(instr)); break;
        case nir_instr_type_jump: jump = nir_instr_as_jump(instr); break;
        case nir_instr_type_load_const:
        case nir_instr_type_ssa_undef: break;
        default: fail(t, "an instruction of an unknown kind");
        }
    }
    prepare_phis(t, block);
    t->block[block->index].last = t->label;
    if (jump)
        translate_jump(t, jump);
}

static bool has_code(struct exec_list *list) {
    nir_cf_node *node = exec_node_data(nir_cf_node, exec_list_get_head(list), node);
    if (node->type != nir_cf_node_block || !exec_list_is_singular(list))
        return true;
    return !exec_list_is_empty(&nir_cf_node_as_block(node)->instr_list);
}

static bool reached(const nir_cf_node *node) {
    return node && node->type == nir_cf_node_block &&
           nir_cf_node_as_block((nir_cf_node *)node)->predecessors->entries > 0;
}

static void translate_if(struct translation *t, nir_if *branch) {
    uint32_t condition = use_src(t, &branch->condition, KIND_BOOL);
    uint32_t yes = spirv_id(&t->m), merge = spirv_id(&t->m), no = merge;
    nir_block *else_block = nir_if_first_else_block(branch);
    if (has_code(&branch->else_list))
        no = spirv_id(&t->m);
    else { /* the edge comes from here */
        prepare_phis(t, else_block);
        t->block[else_block->index].last = t->label;
    }
    SPIRV_PUT(&t->m, SECTION_CODE, SpvOpSelectionMerge, merge, SpvSelectionControlMaskNone);
    SPIRV_PUT(&t->m, SECTION_CODE, SpvOpBranchConditional, condition, yes, no);
    start_block(t, yes);
    translate_list(t, &branch->then_list);
    branch_to(t, merge);
    if (no != merge) {
        start_block(t, no);
        translate_list(t, &branch->else_list);
        branch_to(t, merge);
    }
    start_block(t, merge);
}

/* --- loops ---------------------------------------------------------------------------------------------- */

/* The way into a loop, or one of the ways back. */
static bool comes_back(const nir_loop *loop, const nir_phi_src *src) {
    return src->pred != nir_cf_node_as_block(nir_cf_node_prev((nir_cf_node *)&loop->cf_node));
}

/* Header phis, as they are known before the body: the values that come back have ids already, one after the
 * other from the one that is returned. */
static uint32_t begin_phis(struct translation *t, nir_loop *loop, uint32_t next) {
    uint32_t back = t->m.next_id, count = 0;
    nir_foreach_instr(instr, nir_loop_first_block(loop)) {
        if (instr->type != nir_instr_type_phi)
            break;
        t->m.next_id++;
    }
    nir_foreach_instr(instr, nir_loop_first_block(loop)) {
        if (instr->type != nir_instr_type_phi)
            break;
        nir_phi_instr *phi = nir_instr_as_phi(instr);
        uint32_t operand[4] = {0, 0, back + count++, next};
        nir_foreach_phi_src(src, phi) {
            if (comes_back(loop, src))
                continue;
            operand[0] = phi_value(t, src);
            operand[1] = t->block[src->pred->index].last;
        }
        uint32_t id = spirv_op(&t->m, SpvOpPhi, phi_type(t, phi), 4, operand);
        relax_phi(t, phi, id);
        define(t, &phi->dest.ssa, id, (enum spirv_kind)t->value[phi->dest.ssa.index].kind);
    }
    return back;
}

/* In the block where the back edges meet. An OpPhi of a single edge serves as a copy. */
static void end_phis(struct translation *t, nir_loop *loop, uint32_t back) {
    nir_foreach_instr(instr, nir_loop_first_block(loop)) {
        if (instr->type != nir_instr_type_phi)
            break;
        nir_phi_instr *phi = nir_instr_as_phi(instr);
        uint32_t operand[2 + 2 * MOST_EDGES] = {phi_type(t, phi), back++}, count = 2;
        nir_foreach_phi_src(src, phi) {
            if (!comes_back(loop, src) || !phi_value(t, src))
                continue;
            if (count == 2 + 2 * MOST_EDGES) {
                fail(t, "a loop with more ways back than are supported");
                return;
            }
            operand[count++] = phi_value(t, src);
            operand[count++] = t->block[src->pred->index].last;
        }
        relax_phi(t, phi, operand[1]);
        spirv_put(&t->m, SECTION_CODE, count > 2 ? SpvOpPhi : SpvOpUndef, count, operand);
    }
}

static void translate_loop(struct translation *t, nir_loop *loop) {
    uint32_t header = spirv_id(&t->m), body = spirv_id(&t->m);
    struct loop outer = t->loop, own = {.merge = spirv_id(&t->m), .next = spirv_id(&t->m)};
    t->loop = own;
    branch_to(t, header);
    start_block(t, header);
    uint32_t back = begin_phis(t, loop, own.next);
    SPIRV_PUT(&t->m, SECTION_CODE, SpvOpLoopMerge, own.merge, own.next, SpvLoopControlMaskNone);
    branch_to(t, body);
    start_block(t, body);
    translate_list(t, &loop->body);
    branch_to(t, own.next);
    start_block(t, own.next);
    end_phis(t, loop, back);
    branch_to(t, header);
    start_block(t, own.merge);
    t->loop = outer;
}

/* --- lists ---------------------------------------------------------------------------------------------- */

static void translate_list(struct translation *t, struct exec_list *list) {
    foreach_list_typed(nir_cf_node, node, node, list) {
        if (t->ended)
            return;
        switch (node->type) {
        case nir_cf_node_block: translate_block(t, nir_cf_node_as_block(node)); break;
        case nir_cf_node_if: translate_if(t, nir_cf_node_as_if(node)); break;
        case nir_cf_node_loop: translate_loop(t, nir_cf_node_as_loop(node)); break;
        default: fail(t, "an unknown node of control flow");
        }
        if ((node->type == nir_cf_node_if || node->type == nir_cf_node_loop) &&
            !reached(nir_cf_node_next(node))) {
            SPIRV_PUT(&t->m, SECTION_CODE, SpvOpUnreachable);
            t->ended = true;
        }
    }
}

void translate_body(struct translation *t) {
    start_block(t, spirv_id(&t->m));
    nir_block *first = nir_start_block(t->impl);
    t->block[first->index].first = t->label;
    translate_list(t, &t->impl->body);
    if (!t->ended)
        SPIRV_PUT(&t->m, SECTION_CODE, SpvOpReturn);
}
