/* Control flow: a function's blocks become IR blocks at the call, with the same edges.
 *
 * The entry block of a function continues the caller's block. A return jumps to a block after the call; if
 * there is only one return, the caller simply continues there. OpKill sets a variable and jumps to the
 * shader's last block. Edges are recorded as they are created (a switch makes several blocks, a call splits
 * one), and phis are completed from them at the end of the function. */
#include "frontend/spirv/reader.h"

#include <stdio.h>
#include <string.h>

struct returned {
    struct ir_block *block;
    struct ir_inst **word;
    struct ir_loc loc;
};

struct instance {
    struct fe_function *function;
    struct returned *returns;
    uint32_t nreturns, cap_returns;
    const struct fe_inst **phis;
    uint32_t nphis, cap_phis;
    struct ir_block *head; /* that the block under way begins with: calls in it may have added others */
};

static struct fe_block *block_of(struct fe_reader *r, struct fe_function *f, uint32_t label) {
    if (label >= r->bound || r->id[label].op != SpvOpLabel || r->id[label].function != f) {
        fe_malformed(r);
        return NULL;
    }
    return &f->block[r->id[label].block];
}

/* Marks what the entry block reaches; a worklist, because chains of blocks may be long. */
static bool scan(struct fe_reader *r, struct fe_function *f) {
    uint32_t *work = ir_alloc(r->arena, (f->nblocks ? f->nblocks : 1) * sizeof *work);
    uint32_t pending = 0;
    if (!f->nblocks)
        return fe_fail(r, "unsupported", "function '%s' has no body", fe_name(r, f->id));
    f->block[0].reachable = true;
    work[pending++] = 0;
    while (pending) {
        const struct fe_block *block = &f->block[work[--pending]];
        const struct fe_inst *end = &f->inst[block->end - 1];
        const uint32_t *words = fe_operands(r, end);
        uint32_t first = end->count, step = 1;
        if (end->op == SpvOpBranch)
            first = 1;
        else if (end->op == SpvOpBranchConditional)
            first = 2;
        else if (end->op == SpvOpSwitch)
            first = 2, step = 2;
        uint32_t last =
            end->op == SpvOpBranchConditional && end->count > 4 ? 4u : end->count; /* weights follow */
        for (uint32_t k = first; k < last; k += step) {
            struct fe_block *to = block_of(r, f, words[k]);
            if (!to)
                return false;
            if (to == &f->block[0])
                return fe_malformed(r);
            to->preds++;
            to->pred = (uint32_t)(block - f->block);
            if (!to->reachable) {
                to->reachable = true;
                work[pending++] = (uint32_t)(to - f->block);
            }
        }
    }
    f->scanned = true;
    return true;
}

/* --- edges ---------------------------------------------------------------------------------------------- */

/* The IR block of a label in this instance, with the edge from the cursor's block noted. */
static struct ir_block *edge_to(struct fe_reader *r, struct fe_function *f, uint32_t from, uint32_t label) {
    struct fe_block *to = block_of(r, f, label);
    if (!to || !r->id[label].where) {
        fe_malformed(r);
        return NULL;
    }
    struct fe_edge *edge = ir_alloc(r->arena, sizeof *edge);
    *edge = (struct fe_edge){.next = to->edges, .from = from, .pred = r->b.block};
    to->edges = edge;
    return r->id[label].where;
}

/* The jump back in a loop stands for the loop: its place is the loop's. */
static void take_loop_place(struct fe_reader *r, const struct fe_function *f, const struct fe_block *header) {
    for (uint32_t i = header->first; i < header->end; i++)
        if (f->inst[i].loc.line) {
            r->b.loc = f->inst[i].loc;
            return;
        }
}

static bool jump(struct fe_reader *r, struct fe_function *f, uint32_t from, uint32_t label) {
    struct ir_block *to = edge_to(r, f, from, label);
    if (to && r->id[label].block <= r->id[from].block)
        take_loop_place(r, f, &f->block[r->id[label].block]);
    if (to)
        ir_jump(&r->b, to);
    return to;
}

/* What the module asks for at the branch or switch that ends the block. */
static uint32_t hint_of_selection(const struct fe_reader *r, const struct fe_function *f,
                                  const struct fe_block *block) {
    const struct fe_inst *merge = block->end > block->first + 1 ? &f->inst[block->end - 2] : NULL;
    if (!merge || merge->op != SpvOpSelectionMerge || merge->count < 3)
        return IR_HINT_NONE;
    uint32_t control = fe_operands(r, merge)[2];
    return control & SpvSelectionControlDontFlattenMask ? IR_HINT_DONT_FLATTEN
           : control & SpvSelectionControlFlattenMask   ? IR_HINT_FLATTEN
                                                        : IR_HINT_NONE;
}

/* And at the loop that begins with it. To unroll in part by one is not to unroll; what else the module says
 * of iterations is of no use here. */
static uint8_t hint_of_loop(const struct fe_reader *r, const struct fe_inst *merge) {
    enum { WITH_NUMBERS = 0xf8 }; /* bits below PartialCount that have one, which stands before its */
    const uint32_t *words = fe_operands(r, merge);
    uint32_t control = merge->count > 3 ? words[3] : 0;
    uint32_t number = 4 + (uint32_t)__builtin_popcount(control & WITH_NUMBERS);
    bool once = control & SpvLoopControlPartialCountMask && number < merge->count && words[number] == 1;
    return control & SpvLoopControlDontUnrollMask || once ? IR_HINT_DONT_UNROLL
           : control & SpvLoopControlUnrollMask           ? IR_HINT_UNROLL
                                                          : IR_HINT_NONE;
}

static void hinted_branch(struct fe_reader *r, uint32_t hint, struct ir_inst *cond, struct ir_block *yes,
                          struct ir_block *no) {
    ir_branch(&r->b, cond, yes, no);
    r->b.block->last->aux = hint;
}

static bool branch(struct fe_reader *r, struct fe_function *f, uint32_t from, struct ir_inst *cond,
                   uint32_t yes, uint32_t no) {
    if (yes == no)
        return jump(r, f, from, yes);
    if (cond->type != IR_BOOL)
        return fe_malformed(r);
    struct ir_block *a = edge_to(r, f, from, yes), *b = edge_to(r, f, from, no);
    if (a && b)
        hinted_branch(r, hint_of_selection(r, f, &f->block[r->id[from].block]), cond, a, b);
    return a && b;
}

static bool switch_to(struct fe_reader *r, struct fe_function *f, uint32_t from, const struct fe_inst *inst) {
    const uint32_t *words = fe_operands(r, inst);
    struct ir_inst **selector = fe_value_n(r, words[1], 1);
    if (!selector || selector[0]->type != IR_I32)
        return r->failed ? false : fe_malformed(r);
    uint32_t otherwise = words[2], k = 3;
    while (k + 1 < inst->count) {
        uint32_t target = words[k + 1];
        struct ir_inst *hit = NULL;
        /* Cases that share a target and stand together are one test. */
        for (; k + 1 < inst->count && words[k + 1] == target; k += 2) {
            struct ir_inst *is = ir_op2(&r->b, IR_IEQ, selector[0], ir_const_i(&r->b, words[k]));
            hit = hit ? ir_op2(&r->b, IR_BOR, hit, is) : is;
        }
        if (target == otherwise)
            continue;
        if (k + 1 >= inst->count)
            return branch(r, f, from, hit, target, otherwise);
        struct ir_block *next = ir_block_create(r->shader);
        struct ir_block *yes = edge_to(r, f, from, target);
        if (!yes)
            return false;
        hinted_branch(r, hint_of_selection(r, f, &f->block[r->id[from].block]), hit, yes, next);
        r->b.block = next;
    }
    return jump(r, f, from, otherwise);
}

static void drop_lanes(struct fe_reader *r) {
    if (!r->discard_var)
        r->discard_var = 1 + ir_add_var(r->shader, "$discard", IR_BOOL, 1);
    struct ir_inst *yes = ir_const_b(&r->b, true);
    ir_emit(&r->b, IR_VAR_STORE, IR_VOID, 1, &yes, r->discard_var - 1, 0);
}

/* `if (c) { ... discard; }`: the lanes may as well go on, as helpers, because nothing they do shows. Then
 * there is no edge to the end, the condition becomes a select, and texture lookups after it still find their
 * neighbours. Only where no loop might run on without end for a lane that the discard was meant to stop, and
 * only where the new edge changes no dominance: from a block whose one predecessor goes there, too. Returns
 * the label, or 0. */
static uint32_t after_discard(struct fe_reader *r, const struct fe_function *f,
                              const struct fe_block *block) {
    const struct fe_block *from = block->preds == 1 ? &f->block[block->pred] : NULL;
    if (r->loops || !from || from->end < from->first + 2)
        return 0;
    const struct fe_inst *merge = &f->inst[from->end - 2], *end = &f->inst[from->end - 1];
    if (merge->op != SpvOpSelectionMerge || end->op != SpvOpBranchConditional)
        return 0;
    uint32_t label = fe_operands(r, merge)[1], other = fe_operands(r, end)[2];
    if (other == block->label)
        other = fe_operands(r, end)[3];
    if (other != label || label == block->label || r->id[label].op != SpvOpLabel)
        return 0;
    const struct fe_block *to = &f->block[r->id[label].block];
    return to->first < to->end && f->inst[to->first].op != SpvOpPhi ? label : 0;
}

static void leave(struct fe_reader *r) {
    r->end_used = true;
    ir_jump(&r->b, r->end_block);
}

static bool add_return(struct fe_reader *r, struct instance *in, struct ir_inst **word) {
    in->returns = fe_grow(r, in->returns, in->nreturns, &in->cap_returns, sizeof *in->returns);
    in->returns[in->nreturns++] = (struct returned){.block = r->b.block, .word = word, .loc = r->b.loc};
    return true;
}

static bool terminator(struct fe_reader *r, struct instance *in, uint32_t label, const struct fe_inst *inst) {
    struct fe_function *f = in->function;
    const uint32_t *words = fe_operands(r, inst);
    struct ir_inst **value;
    switch (inst->op) {
    case SpvOpBranch: return jump(r, f, label, words[1]);
    case SpvOpBranchConditional:
        value = fe_value_n(r, words[1], 1);
        return value && branch(r, f, label, value[0], words[2], words[3]);
    case SpvOpSwitch: return switch_to(r, f, label, inst);
    case SpvOpReturn: return f->result->kind == FE_VOID ? add_return(r, in, NULL) : fe_malformed(r);
    case SpvOpReturnValue:
        value = fe_value_n(r, words[1], f->result->words);
        return value && add_return(r, in, value);
    case SpvOpKill:
    case SpvOpTerminateInvocation:
        if (r->shader->stage != QPUCC_FRAGMENT)
            return fe_malformed(r);
        drop_lanes(r);
        uint32_t next = after_discard(r, f, &f->block[r->id[label].block]);
        if (next)
            return jump(r, f, label, next);
        leave(r);
        return true;
    case SpvOpUnreachable: leave(r); return true;
    }
    return fe_malformed(r);
}

/* --- phis ----------------------------------------------------------------------------------------------- */

static bool start_phi(struct fe_reader *r, struct instance *in, const struct fe_inst *inst) {
    const struct fe_type *type = fe_type(r, inst->type);
    if (!type)
        return false;
    if (type->kind == FE_POINTER || type->kind == FE_SAMPLED_IMAGE || type->kind == FE_IMAGE)
        return fe_unsupported(r, "choice among pointers or textures");
    struct ir_inst **word = fe_words(r, type->words);
    if (r->failed)
        return false;
    for (uint32_t k = 0; k < type->words; k++)
        word[k] = ir_phi(&r->b, fe_word_type(type, k));
    fe_set(r, inst->result, type, word);
    in->phis = fe_grow(r, in->phis, in->nphis, &in->cap_phis, sizeof *in->phis);
    in->phis[in->nphis++] = inst;
    return true;
}

static bool finish_phi(struct fe_reader *r, struct instance *in, const struct fe_inst *inst,
                       const struct fe_block *block) {
    const struct fe_type *type = fe_type(r, inst->type);
    const uint32_t *words = fe_operands(r, inst);
    if (!type)
        return false;
    struct ir_inst **phi = r->id[inst->result].word;
    for (uint32_t k = 3; k + 1 < inst->count; k += 2)
        if (block_of(r, in->function, words[k + 1]))
            r->id[words[k + 1]].phi_value = words[k];
        else
            return false;
    for (const struct fe_edge *edge = block->edges; edge; edge = edge->next) {
        uint32_t id = r->id[edge->from].phi_value;
        if (!id || !fe_step(r))
            return id ? fe_too_large(r) : fe_malformed(r);
        r->b = ir_builder_before(edge->pred->last);
        r->b.loc = inst->loc;
        r->b.precision = IR_HIGHP;
        r->b.exact = false;
        struct ir_inst **value = fe_value_n(r, id, type->words);
        if (!value)
            return false;
        for (uint32_t k = 0; k < type->words; k++) {
            if (value[k]->type != phi[k]->type)
                return fe_malformed(r);
            ir_phi_add(phi[k], edge->pred, value[k]);
        }
    }
    for (uint32_t k = 3; k + 1 < inst->count; k += 2)
        r->id[words[k + 1]].phi_value = 0;
    return true;
}

/* --- one instance of a function ------------------------------------------------------------------------- */

/* glslang's "param" is the copy that a call passes: the source knows it as the function's parameter. */
static void label_parameter(struct fe_reader *r, uint32_t parameter, const struct fe_pointer *argument) {
    struct fe_object *object = argument->object;
    if (r->options->labels && object->storage == SpvStorageClassFunction &&
        !strcmp(fe_name(r, object->id), "param"))
        for (uint32_t k = 0; k < object->nleaves; k++) {
            struct ir_labels *labels = ir_labels_of(r->shader, object->leaf[k].label);
            const char *member = labels ? strpbrk(labels->text, ".[") : NULL;
            char text[256];
            snprintf(text, sizeof text, "%s%s", fe_name(r, parameter), member ? member : "");
            if (labels)
                labels->text = ir_strdup(r->shader->arena, text);
        }
}

static bool call(struct fe_reader *r, const struct fe_inst *inst) {
    const uint32_t *words = fe_operands(r, inst);
    struct fe_function *callee =
        words[3] < r->bound && r->id[words[3]].op == SpvOpFunction ? r->id[words[3]].function : NULL;
    if (!callee || inst->count != callee->nparams + 4)
        return fe_malformed(r);
    if (callee->active)
        return fe_fail(r, "unsupported", "recursive call of '%s'", fe_name(r, words[3]));
    for (uint32_t k = 0; k < callee->nparams; k++) {
        uint32_t param = callee->param[k], arg = words[4 + k];
        const struct fe_type *type = r->id[param].type;
        if (type && type->why)
            return fe_unsupported(r, type->why);
        if (!type)
            return fe_malformed(r);
        if (type->kind == FE_POINTER) {
            struct fe_pointer *pointer = fe_get_pointer(r, arg);
            if (!pointer)
                return false;
            if (pointer->type->words != type->elem->words || pointer->type->leaves != type->elem->leaves)
                return fe_malformed(r);
            r->id[param].pointer = pointer;
            label_parameter(r, param, pointer);
        } else {
            struct ir_inst **value = fe_value_n(r, arg, type->words);
            if (!value)
                return false;
            fe_set(r, param, type, value);
        }
    }
    struct ir_inst **result = NULL;
    struct ir_loc loc = r->b.loc;
    if (!fe_inline(r, callee, &result))
        return false;
    r->b.loc = loc;
    if (result)
        fe_set(r, inst->result, callee->result, result);
    return true;
}

static bool local(struct fe_reader *r, const struct fe_inst *inst) {
    const struct fe_type *type = fe_type(r, inst->type);
    const uint32_t *words = fe_operands(r, inst);
    if (!type)
        return false;
    if (type->kind != FE_POINTER)
        return fe_malformed(r);
    if (type->elem->kind == FE_POINTER)
        return fe_unsupported(r, "pointer variable");
    struct fe_object *object = fe_new_local(r, type->elem, inst->result, fe_name(r, inst->result));
    if (!object)
        return false;
    if (object->why)
        return fe_unsupported(r, object->why);
    r->id[inst->result].pointer = fe_pointer_to(r, object);
    if (inst->count < 5)
        return true;
    struct ir_inst **value = fe_value_n(r, words[4], type->elem->words);
    return value && fe_store(r, r->id[inst->result].pointer, value);
}

/* The decoration says mediump at best; if all that goes in is lowp, so is what comes out (GLSL ES 4.5.2). */
static uint8_t relaxed_precision(struct fe_reader *r, const struct fe_inst *inst) {
    const uint32_t *words = fe_operands(r, inst);
    bool low = false;
    for (uint32_t k = 3; k < inst->count; k++) {
        if (words[k] >= r->bound || inst->op == SpvOpLoad || inst->op == SpvOpFunctionCall)
            return IR_MEDIUMP;
        const struct fe_id *id = &r->id[words[k]];
        if (!id->word || fe_is_constant_op(id->op) || !id->type || !id->type->words)
            continue;
        if (id->word[0]->op == IR_CONST)
            continue;
        if (id->word[0]->precision != IR_LOWP)
            return IR_MEDIUMP;
        low = true;
    }
    return low ? IR_LOWP : IR_MEDIUMP;
}

static bool one(struct fe_reader *r, struct instance *in, const struct fe_inst *inst) {
    in->function->steps++;
    if (!fe_step(r))
        return fe_too_large(r);
    if (inst->loc.line)
        r->b.loc = inst->loc;
    const struct fe_deco *deco = fe_deco(r, inst->result); /* of 0, where there is none: nothing */
    r->b.precision = deco->relaxed ? relaxed_precision(r, inst) : IR_HIGHP;
    r->b.exact = deco->no_contraction;
    switch (inst->op) {
    case SpvOpLoopMerge: in->head->hint = hint_of_loop(r, inst); return true;
    case SpvOpSelectionMerge:
    case SpvOpLine:
    case SpvOpNoLine: return true;
    case SpvOpPhi: return start_phi(r, in, inst);
    case SpvOpVariable: return local(r, inst);
    case SpvOpFunctionCall: return call(r, inst);
    case SpvOpDemoteToHelperInvocation:
        if (r->shader->stage != QPUCC_FRAGMENT)
            return fe_malformed(r);
        drop_lanes(r);
        return true;
    case SpvOpIsHelperInvocationEXT: return fe_unsupported(r, "helperInvocationEXT");
    }
    return fe_translate(r, inst);
}

static bool blocks(struct fe_reader *r, struct instance *in) {
    struct fe_function *f = in->function;
    for (uint32_t k = 0; k < f->nblocks; k++) {
        struct fe_block *block = &f->block[k];
        block->edges = NULL;
        if (block->reachable)
            r->id[block->label].where = k ? ir_block_create(r->shader) : r->b.block;
    }
    for (uint32_t k = 0; k < f->nblocks; k++) {
        struct fe_block *block = &f->block[k];
        if (!block->reachable)
            continue;
        in->head = r->b.block = r->id[block->label].where;
        for (uint32_t i = block->first; i + 1 < block->end; i++)
            if (!one(r, in, &f->inst[i]))
                return false;
        const struct fe_inst *end = &f->inst[block->end - 1];
        /* from glslang 15 the end of a function has a line; its outputs are not written there */
        if (end->loc.line && end->op != SpvOpReturn)
            r->b.loc = end->loc;
        r->b.precision = IR_HIGHP;
        r->b.exact = false;
        if (!fe_step(r))
            return fe_too_large(r);
        if (!terminator(r, in, block->label, end))
            return false;
    }
    return true;
}

static bool phis(struct fe_reader *r, struct instance *in) {
    struct ir_builder cursor = r->b;
    uint32_t next = 0;
    for (uint32_t k = 0; k < in->function->nblocks && next < in->nphis; k++) {
        const struct fe_block *block = &in->function->block[k];
        while (next < in->nphis && in->phis[next] >= &in->function->inst[block->first] &&
               in->phis[next] < in->function->inst + block->end)
            if (!finish_phi(r, in, in->phis[next++], block))
                return false;
    }
    r->b = cursor;
    return true;
}

/* The cursor after the call, and the result. */
static bool join(struct fe_reader *r, struct instance *in, struct ir_inst ***result) {
    const struct fe_type *type = in->function->result;
    bool value = type->kind != FE_VOID;
    if (in->nreturns == 1) {
        r->b.block = in->returns[0].block;
        *result = in->returns[0].word;
        return true;
    }
    struct ir_block *after = ir_block_create(r->shader);
    for (uint32_t k = 0; k < in->nreturns; k++) {
        struct ir_builder at = r->b;
        at.block = in->returns[k].block;
        at.before = NULL;
        at.loc = in->returns[k].loc;
        ir_jump(&at, after);
    }
    r->b.block = after;
    r->b.before = NULL;
    if (!value)
        return true;
    if (!in->nreturns) {
        *result = fe_undef(r, type);
        return *result;
    }
    struct ir_inst **word = fe_words(r, type->words);
    if (r->failed)
        return false;
    r->b.precision = fe_deco(r, in->function->id)->relaxed ? IR_MEDIUMP : IR_HIGHP;
    for (uint32_t k = 0; k < type->words; k++) {
        word[k] = ir_phi(&r->b, in->returns[0].word[k]->type);
        for (uint32_t n = 0; n < in->nreturns; n++) {
            if (in->returns[n].word[k]->type != word[k]->type)
                return fe_malformed(r);
            ir_phi_add(word[k], in->returns[n].block, in->returns[n].word[k]);
        }
    }
    r->b.precision = IR_HIGHP;
    *result = word;
    return true;
}

bool fe_inline(struct fe_reader *r, struct fe_function *function, struct ir_inst ***result) {
    struct instance in = {.function = function};
    *result = NULL;
    if (function->result->why)
        return fe_unsupported(r, function->result->why);
    if (function->result->kind == FE_POINTER)
        return fe_unsupported(r, "function that returns a pointer");
    if (r->call_depth >= FE_MAX_CALL_DEPTH)
        return fe_fail(r, "limit", "calls nested more than %d deep, in function '%s'", FE_MAX_CALL_DEPTH,
                       fe_name(r, function->id));
    if (!function->scanned && !scan(r, function))
        return false;
    function->active = true;
    function->instances++;
    r->call_depth++;
    bool ok = blocks(r, &in) && phis(r, &in) && join(r, &in, result);
    r->call_depth--;
    function->active = false;
    return ok && !r->failed;
}

/* --- what nothing reaches ------------------------------------------------------------------------------- */

/* Code after a call that never returns has no edge in, but may be named by phis: take it out of them. */
void fe_drop_unreachable(struct fe_reader *r) {
    struct ir_shader *shader = r->shader;
    bool *seen = ir_alloc(r->arena, shader->next_block_id * sizeof *seen);
    struct ir_block **work = ir_alloc(r->arena, shader->next_block_id * sizeof *work);
    uint32_t pending = 0;
    seen[shader->blocks[0]->id] = true;
    work[pending++] = shader->blocks[0];
    while (pending) {
        struct ir_block *block = work[--pending];
        for (int k = 0; k < 2; k++) {
            struct ir_block *to = block->succ[k];
            if (to && !seen[to->id]) {
                seen[to->id] = true;
                work[pending++] = to;
            }
        }
    }
    for (uint32_t n = 0; n < shader->nblocks; n++) {
        struct ir_block *block = shader->blocks[n];
        for (struct ir_inst *phi = block->first; phi && phi->op == IR_PHI; phi = phi->next) {
            uint32_t kept = 0;
            for (uint32_t k = 0; k < phi->nsrc; k++)
                if (seen[phi->phi_block[k]->id]) {
                    phi->phi_block[kept] = phi->phi_block[k];
                    phi->src[kept++] = phi->src[k];
                }
            phi->nsrc = kept;
        }
    }
}
