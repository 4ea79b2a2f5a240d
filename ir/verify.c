/* The verifier: checks what must hold between passes.
 *
 * Requires: well-formed lists of blocks and instructions, nothing else. Keeps everything.
 *
 * Predecessors, order and dominators are computed again from the successors alone, so a pass that forgot
 * ir_cfg_update is judged by the IR it left and not by stale arrays. Values in unreachable blocks must have
 * the right types, but the rule of dominance does not apply to them. */
#include "ir/heap.h"
#include "ir/internal.h"

#include <stdarg.h>
#include <string.h>

struct verifier {
    struct ir_shader *shader;
    char *error;
    size_t size;
    const struct ir_inst **where;
    uint32_t *place_of;     /* block id to its place in shader->blocks; everything below goes by place */
    uint32_t *idom, *order; /* order: 1-based reverse post-order number, 0 unreachable */
    uint32_t *dom_first, *dom_last;
    uint32_t (*succ)[2], *npred, *first_pred, *preds;
    uint32_t *position; /* by instruction id: 1-based place in its block, 0 not in the shader */
    const struct ir_inst **owner;
};

__attribute__((format(printf, 3, 4))) static bool fail(struct verifier *v, const struct ir_inst *inst,
                                                       const char *format, ...) {
    if (v->where)
        *v->where = inst;
    if (!v->error || !v->size)
        return false;
    int n = 0;
    if (inst) {
        const struct ir_op_info *info = ir_op_info_of_any(inst->op);
        n = snprintf(v->error, v->size, "%%%u (%s) in b%u: ", inst->id, info ? info->text : "?",
                     inst->block ? inst->block->id : 0);
        if (n < 0 || (size_t)n >= v->size)
            return false;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(v->error + n, v->size - (size_t)n, format, args);
    va_end(args);
    return false;
}

#define NOWHERE UINT32_MAX

/* --- structure ------------------------------------------------------------------------------------------ */

static bool check_lists(struct verifier *v) {
    const struct ir_shader *shader = v->shader;
    uint32_t ends = 0, count = 0, nops[IR_OP_COUNT] = {0};
    if (shader->nblocks == 0)
        return fail(v, NULL, "no blocks");
    for (uint32_t k = 0; k < shader->nblocks; k++) {
        struct ir_block *block = shader->blocks[k];
        if (block->shader != shader)
            return fail(v, NULL, "block %u of another shader", k);
        if (block->id >= shader->next_block_id || v->place_of[block->id] != NOWHERE)
            return fail(v, NULL, "b%u: id used twice or out of range", block->id);
        v->place_of[block->id] = k;
        uint32_t position = 0;
        bool past_phis = false;
        const struct ir_inst *prev = NULL;
        for (const struct ir_inst *inst = block->first; inst; prev = inst, inst = inst->next) {
            const struct ir_op_info *info = ir_op_info_of_any(inst->op);
            if (!info)
                return fail(v, inst, "unknown operation %u", inst->op);
            if (inst->block != block || inst->prev != prev)
                return fail(v, inst, "badly linked");
            if (inst->id >= shader->next_id || v->position[inst->id])
                return fail(v, inst, "id used twice or out of range");
            v->position[inst->id] = ++position;
            count++;
            nops[inst->op]++;
            v->owner[inst->id] = inst;
            if (inst->mark)
                return fail(v, inst, "mark left set");
            if (inst->forward)
                return fail(v, inst, "replaced, but still here");
            if (inst->op == IR_PHI && past_phis)
                return fail(v, inst, "phi after other instructions");
            past_phis |= inst->op != IR_PHI;
            if (info->terminator != (inst->next == NULL))
                return fail(v, inst,
                            info->terminator ? "terminator before the end of its block"
                                             : "block ends without a terminator");
            if (inst->loc.file && inst->loc.file >= shader->nfiles)
                return fail(v, inst, "no file %u", inst->loc.file);
        }
        if (block->hint && !ir_is_loop_hint(block->hint))
            return fail(v, NULL, "b%u: no hint for a loop", block->id);
        if (!block->first || block->last != prev)
            return fail(v, NULL, "b%u: %s", block->id,
                        block->first ? "last is not the last" : "block without a terminator");
        int want = block->last->op == IR_BRANCH ? 2 : block->last->op == IR_JUMP ? 1 : 0;
        for (int s = 0; s < 2; s++)
            if ((s < want) != (block->succ[s] != NULL))
                return fail(v, block->last, "successors do not fit the terminator");
        if (want == 2 && block->succ[0] == block->succ[1])
            return fail(v, block->last, "both sides go to b%u", block->succ[0]->id);
        if (block->last->op == IR_END && ends++)
            return fail(v, block->last, "a second end");
    }
    if (count != shader->ninsts)
        return fail(v, NULL, "%u instructions, counted as %u", count, shader->ninsts);
    for (uint32_t op = 0; op < IR_OP_COUNT; op++)
        if (nops[op] != shader->nops[op])
            return fail(v, NULL, "%u of %s, counted as %u", nops[op], ir_ops[op].text, shader->nops[op]);
    for (uint32_t k = 0; k < shader->nblocks; k++)
        for (int s = 0; s < 2; s++) {
            const struct ir_block *to = shader->blocks[k]->succ[s];
            v->succ[k][s] = NOWHERE;
            if (!to)
                continue;
            if (to->id >= shader->next_block_id || v->place_of[to->id] == NOWHERE ||
                shader->blocks[v->place_of[to->id]] != to)
                return fail(v, shader->blocks[k]->last, "goes to a block that is not in the shader");
            v->succ[k][s] = v->place_of[to->id];
            if (v->succ[k][s] == 0)
                return fail(v, shader->blocks[k]->last, "goes to the entry block");
        }
    return true;
}

static void find_preds(struct verifier *v) {
    uint32_t n = v->shader->nblocks, sum = 0;
    for (uint32_t k = 0; k < n; k++)
        for (int s = 0; s < 2; s++)
            if (v->succ[k][s] != NOWHERE)
                v->npred[v->succ[k][s]]++;
    for (uint32_t k = 0; k < n; k++) {
        v->first_pred[k] = sum;
        sum += v->npred[k];
        v->npred[k] = 0;
    }
    for (uint32_t k = 0; k < n; k++)
        for (int s = 0; s < 2; s++)
            if (v->succ[k][s] != NOWHERE) {
                uint32_t to = v->succ[k][s];
                v->preds[v->first_pred[to] + v->npred[to]++] = k;
            }
}

/* Dominators over places. scratch: 4 arrays of nblocks. */
static void find_dominators(struct verifier *v, uint32_t *scratch) {
    uint32_t n = v->shader->nblocks, depth = 0, count = 0;
    uint32_t *stack = scratch, *next = scratch + n, *post = scratch + 2 * n, *size = scratch + 3 * n;
    stack[depth++] = 0;
    v->order[0] = NOWHERE; /* seen */
    while (depth) {
        uint32_t at = stack[depth - 1];
        if (next[at] == 2) {
            post[count++] = at;
            depth--;
            continue;
        }
        uint32_t to = v->succ[at][next[at]++];
        if (to != NOWHERE && !v->order[to]) {
            v->order[to] = NOWHERE;
            stack[depth++] = to;
        }
    }
    for (uint32_t k = 0; k < count; k++)
        v->order[post[k]] = count - k;
    for (uint32_t k = 0; k < n; k++)
        v->idom[k] = NOWHERE;
    v->idom[0] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t k = count - 1; k-- > 0;) {
            uint32_t at = post[k], idom = NOWHERE;
            for (uint32_t p = v->npred[at]; p-- > 0;) { /* the last first: see ir_dominators */
                uint32_t x = v->preds[v->first_pred[at] + p], y = idom;
                if (v->idom[x] == NOWHERE)
                    continue;
                while (y != NOWHERE && x != y) {
                    while (v->order[x] > v->order[y])
                        x = v->idom[x];
                    while (v->order[y] > v->order[x])
                        y = v->idom[y];
                }
                idom = x;
            }
            changed |= v->idom[at] != idom;
            v->idom[at] = idom;
        }
    }
    memset(next, 0, n * sizeof *next);
    for (uint32_t k = 0; k < count; k++) {
        size[post[k]]++;
        if (post[k] != 0)
            size[v->idom[post[k]]] += size[post[k]];
    }
    for (uint32_t k = count; k-- > 0;) {
        uint32_t at = post[k], up = v->idom[at];
        v->dom_first[at] = at ? v->dom_first[up] + next[up] : 0;
        v->dom_last[at] = v->dom_first[at] + size[at] - 1;
        if (at)
            next[up] += size[at];
    }
}

static bool dominates(const struct verifier *v, uint32_t a, uint32_t b) {
    if (!v->order[b])
        return true; /* unreachable: never run */
    return v->order[a] && v->dom_first[a] <= v->dom_first[b] && v->dom_last[b] <= v->dom_last[a];
}

/* --- one instruction ------------------------------------------------------------------------------------ */

static bool kind_fits(char kind, enum ir_type type, enum ir_type star) {
    switch (kind) {
    case 'f': return type == IR_F32;
    case 'i': return type == IR_I32;
    case 'b': return type == IR_BOOL;
    case '*': return type == star && type != IR_VOID;
    case '?': return type != IR_VOID;
    default: return type == IR_VOID;
    }
}

static bool check_types(struct verifier *v, const struct ir_inst *inst) {
    const struct ir_op_info *info = ir_op_info(inst->op);
    if (inst->type > IR_BOOL)
        return fail(v, inst, "no type %u", inst->type);
    if (inst->precision > IR_LOWP)
        return fail(v, inst, "no precision %u", inst->precision);
    if (inst->nsrc < info->min_src || (info->max_src != 255 && inst->nsrc > info->max_src))
        return fail(v, inst, "%u sources", inst->nsrc);
    enum ir_type star = IR_VOID;
    if (info->result[0] == '*')
        star = inst->type;
    for (uint32_t k = 0; k < inst->nsrc; k++) {
        const struct ir_inst *src = inst->src[k];
        if (!src)
            return fail(v, inst, "source %u is missing", k);
        if (src->id >= v->shader->next_id || v->owner[src->id] != src)
            return fail(v, inst, "source %u (%%%u) is not in the shader", k, src->id);
        char kind = ir_source_kind(info, k);
        if (kind == '*' && star == IR_VOID)
            star = src->type;
        if (!kind_fits(kind, src->type, star))
            return fail(v, inst, "source %u (%%%u) has type %s", k, src->id, ir_type_name(src->type));
    }
    if (!kind_fits(info->result[0], inst->type, star))
        return fail(v, inst, "result has type %s", ir_type_name(inst->type));
    return true;
}

/* lower_stage may look up units that the state key names and no sampler. */
static bool is_sampler(const struct ir_shader *shader, uint32_t number) {
    return number < shader->samplers.words || (shader->lowered && number < QPUCC_MAX_TEXTURES);
}

static bool check_tex(struct verifier *v, const struct ir_inst *inst) {
    if (!is_sampler(v->shader, inst->imm))
        return fail(v, inst, "no sampler %u", inst->imm);
    const uint32_t flags = IR_TEX_KIND | IR_TEX_BIAS | IR_TEX_LOD | (v->shader->lowered ? IR_TEX_BORDER : 0);
    uint32_t kind = inst->aux & IR_TEX_KIND, want = ir_tex_coordinates(inst);
    bool bias = inst->aux & IR_TEX_BIAS, lod = inst->aux & IR_TEX_LOD;
    if (kind > IR_TEX_CUBE || (inst->aux & ~flags) || (bias && lod) ||
        (kind == IR_TEX_CUBE && inst->aux & IR_TEX_BORDER))
        return fail(v, inst, "bad texture flags %u", inst->aux);
    if (inst->nsrc != want + (bias || lod))
        return fail(v, inst, "%u sources where the flags want %u", inst->nsrc, want + (bias || lod));
    return true;
}

/* lower_stage makes floats of floats, and words of all others. */
static bool check_input(struct verifier *v, const struct ir_inst *inst) {
    const struct ir_symbol *symbol = ir_symbol_of_word(&v->shader->inputs, inst->imm);
    if (!symbol)
        return fail(v, inst, "index %u out of range", inst->imm);
    return (symbol->base == IR_BASE_FLOAT) == (inst->type == IR_F32)
               ? true
               : fail(v, inst, "the input is a %s", ir_base_names[symbol->base]);
}

static bool check_imm(struct verifier *v, const struct ir_inst *inst) {
    const struct ir_shader *shader = v->shader;
    uint32_t imm = inst->imm, aux = inst->aux, limit = 0;
    switch (ir_op_info(inst->op)->imm) {
    case IR_IMM_NONE:
        if (inst->op == IR_BRANCH && ir_is_branch_hint(aux))
            aux = IR_HINT_NONE;
        return imm == 0 && aux == 0 ? true : fail(v, inst, "has an immediate");
    case IR_IMM_BITS: return inst->type != IR_BOOL || imm <= 1 ? true : fail(v, inst, "boolean %u", imm);
    case IR_IMM_SLOT:
        if (imm >= shader->nslots)
            return fail(v, inst, "no slot %u", imm);
        return shader->slots[imm].type == inst->type ||
                       (inst->type == IR_BOOL && ir_slot_mask_of(shader, imm) != UINT32_MAX)
                   ? true
                   : fail(v, inst, "slot has type %s", ir_type_name(shader->slots[imm].type));
    case IR_IMM_VAR:
        if (imm >= shader->nvars || aux >= shader->vars[imm].words)
            return fail(v, inst, "no word v%u[%u]", imm, aux);
        return (inst->op == IR_VAR_LOAD ? inst->type : inst->src[0]->type) == shader->vars[imm].type
                   ? true
                   : fail(v, inst, "v%u has type %s", imm, ir_type_name(shader->vars[imm].type));
    case IR_IMM_BUILTIN:
        if (imm >= IR_BUILTIN_COUNT)
            return fail(v, inst, "no builtin %u", imm);
        return inst->type == ir_builtin_type(imm)
                   ? true
                   : fail(v, inst, "is a %s", ir_type_name(ir_builtin_type(imm)));
    case IR_IMM_RANGE:
        return aux >= 1 && imm < shader->uniforms.words && aux <= shader->uniforms.words - imm
                   ? true
                   : fail(v, inst, "uniform words %u+%u out of range", imm, aux);
    case IR_IMM_TEX: return check_tex(v, inst);
    case IR_IMM_SAMPLER: limit = shader->samplers.words; break;
    case IR_IMM_BYTE: limit = inst->op == IR_TEXEL ? 5 : 4; break;
    case IR_IMM_HALF: limit = 2; break;
    case IR_IMM_INPUT: return check_input(v, inst);
    case IR_IMM_OUTPUT:
        return ir_symbol_of_word(&shader->outputs, imm) ? true : fail(v, inst, "index %u out of range", imm);
    case IR_IMM_FIFO: limit = 64; break;
    case IR_IMM_ROW: limit = 512; break;
    }
    if (inst->op == IR_TEXEL && inst->src[0]->op != IR_TEX && inst->src[0]->op != IR_BUFFER_AT)
        return fail(v, inst, "source is not a texture lookup");
    return imm < limit ? true : fail(v, inst, "index %u out of range", imm);
}

static bool check_stage(struct verifier *v, const struct ir_inst *inst) {
    bool fragment = v->shader->stage == QPUCC_FRAGMENT, lowered = v->shader->lowered;
    enum ir_where here = fragment ? (lowered ? IR_WHERE_LOWERED_FRAGMENT : IR_WHERE_SOURCE_FRAGMENT)
                                  : (lowered ? IR_WHERE_LOWERED_VERTEX : IR_WHERE_SOURCE_VERTEX);
    if (!(ir_op_info(inst->op)->where & here))
        return fail(v, inst, "is not allowed in this stage%s", lowered ? " after lower_stage" : "");
    if (inst->op == IR_DISCARD && inst->block->last->op != IR_END)
        return fail(v, inst, "outside the last block");
    return true;
}

static bool check_phi(struct verifier *v, const struct ir_inst *phi, uint32_t place) {
    if (phi->nsrc != v->npred[place])
        return fail(v, phi, "%u sources for %u predecessors", phi->nsrc, v->npred[place]);
    for (uint32_t p = 0; p < v->npred[place]; p++) {
        const struct ir_block *pred = v->shader->blocks[v->preds[v->first_pred[place] + p]];
        uint32_t found = 0;
        for (uint32_t k = 0; k < phi->nsrc; k++)
            found += phi->phi_block[k] == pred;
        if (found != 1)
            return fail(v, phi, "%u sources for predecessor b%u", found, pred->id);
    }
    return true;
}

static bool check_dominance(struct verifier *v, const struct ir_inst *inst, uint32_t place) {
    for (uint32_t k = 0; k < inst->nsrc; k++) {
        const struct ir_inst *src = inst->src[k];
        uint32_t from = v->place_of[src->block->id];
        bool fits;
        if (inst->op == IR_PHI)
            fits = dominates(v, from, v->place_of[inst->phi_block[k]->id]);
        else if (from == place)
            fits = v->position[src->id] < v->position[inst->id];
        else
            fits = dominates(v, from, place);
        if (!fits)
            return fail(v, inst, "used where its source %u (%%%u in b%u) is not there", k, src->id,
                        src->block->id);
    }
    return true;
}

/* --- tables --------------------------------------------------------------------------------------------- */

static bool check_slot(struct verifier *v, uint32_t index) {
    const struct ir_shader *shader = v->shader;
    const struct ir_slot *slot = &shader->slots[index];
    bool fits = slot->type == IR_F32 || slot->type == IR_I32 || slot->type == IR_BOOL;
    switch (slot->kind) {
    case IR_SLOT_CONST: fits &= slot->type != IR_BOOL || slot->value <= 1; break;
    case IR_SLOT_STREAM: break;
    case IR_SLOT_UNIFORM:
    case IR_SLOT_ARRAY: fits &= slot->value < shader->uniforms.words; break;
    case IR_SLOT_TEX: fits &= is_sampler(shader, slot->value) && slot->param < 4; break;
    case IR_SLOT_STATE: fits &= slot->value < IR_STATE_COUNT && ir_state_names[slot->value]; break;
    case IR_SLOT_EXPR: {
        const struct ir_op_info *info = ir_op_info_of_any(slot->op);
        if (!info || !info->folds || slot->narg == 0 || slot->narg > 4 || slot->narg < info->min_src ||
            slot->narg > info->max_src)
            return fail(v, NULL, "slot %u: bad expression", index);
        enum ir_type star = info->result[0] == '*' ? (enum ir_type)slot->type : IR_VOID;
        fits &= kind_fits(info->result[0], slot->type, star);
        for (uint32_t k = 0; k < slot->narg; k++) {
            if (slot->arg[k] >= index)
                return fail(v, NULL, "slot %u: refers to a later slot", index);
            fits &= kind_fits(ir_source_kind(info, k), shader->slots[slot->arg[k]].type, star);
        }
        fits &= info->imm != IR_IMM_NONE || slot->value == 0;
        break;
    }
    default: fits = false;
    }
    for (uint32_t k = slot->narg; k < 4; k++) /* slots are compared whole */
        fits &= slot->arg[k] == 0;
    return fits ? true : fail(v, NULL, "slot %u: type or value out of range", index);
}

enum { MAX_WORDS = 1 << 24 }; /* of a table: passes have arrays of so many */

static bool check_symbols(struct verifier *v, const struct ir_symtab *table, const char *what) {
    const bool samplers = table == &v->shader->samplers;
    uint32_t end = 0;
    if (table->words > MAX_WORDS)
        return fail(v, NULL, "%u words of %ss", table->words, what);
    for (uint32_t k = 0; k < table->count; k++) {
        const struct ir_symbol *symbol = &table->sym[k];
        if (!symbol->name || symbol->base >= IR_BASE_COUNT || symbol->precision > IR_LOWP ||
            symbol->interp > IR_LINEAR || symbol->rows > 4 || symbol->cols > 4 || symbol->array_len < 1 ||
            symbol->array_len > MAX_WORDS || symbol->rows < 1 || symbol->cols < 1 ||
            (symbol->base >= IR_BASE_SAMPLER2D) != samplers)
            return fail(v, NULL, "%s %u: field out of range", what, k);
        if (symbol->word > table->words || ir_symbol_words(symbol) > table->words - symbol->word)
            return fail(v, NULL, "%s %u: outside the %u words of its table", what, k, table->words);
        if (symbol->word < end)
            return fail(v, NULL, "%s %u: before the end of the one before it", what, k);
        end = symbol->word + ir_symbol_words(symbol);
    }
    return true;
}

static bool check_tables(struct verifier *v) {
    const struct ir_shader *shader = v->shader;
    if (shader->stage >= QPUCC_STAGE_COUNT)
        return fail(v, NULL, "no stage %u", (unsigned)shader->stage);
    if (!check_symbols(v, &shader->uniforms, "uniform") || !check_symbols(v, &shader->samplers, "sampler") ||
        !check_symbols(v, &shader->inputs, "input") || !check_symbols(v, &shader->outputs, "output"))
        return false;
    for (uint32_t k = 0; k < shader->nvars; k++)
        if (shader->vars[k].type == IR_VOID || shader->vars[k].type > IR_BOOL ||
            shader->vars[k].precision > IR_LOWP)
            return fail(v, NULL, "variable %u: no such type", k);
    for (uint32_t k = 0; k < shader->nslots; k++)
        if (!check_slot(v, k))
            return false;
    if (shader->nattr > 8 || shader->nvary > 64)
        return fail(v, NULL, "too many attributes or varyings");
    return true;
}

static bool check_all(struct verifier *v, uint32_t *scratch) {
    struct ir_shader *shader = v->shader;
    if (!check_tables(v) || !check_lists(v))
        return false;
    find_preds(v);
    find_dominators(v, scratch);
    for (uint32_t k = 0; k < shader->nblocks; k++)
        for (const struct ir_inst *inst = shader->blocks[k]->first; inst; inst = inst->next)
            if (!check_types(v, inst) || !check_imm(v, inst) || !check_stage(v, inst) ||
                (inst->op == IR_PHI && !check_phi(v, inst, k)) || !check_dominance(v, inst, k))
                return false;
    return true;
}

bool ir_verify_where(struct ir_shader *shader, char *error, size_t size, const struct ir_inst **where) {
    struct verifier v = {.shader = shader, .error = error, .size = size, .where = where};
    if (where)
        *where = NULL;
    size_t n = shader->nblocks + 1u, ids = shader->next_id + 1u;
    const struct qpucc_allocator *from = ir_allocator(shader->arena);
    uint32_t *words = ir_heap_zeroed(from, (n * 16 + shader->next_block_id + ids) * sizeof *words);
    v.owner = ir_heap_zeroed(from, ids * sizeof *v.owner);
    bool good = false;
    if (words && v.owner) {
        uint32_t *at = words;
        v.idom = at, at += n;
        v.order = at, at += n;
        v.dom_first = at, at += n;
        v.dom_last = at, at += n;
        v.npred = at, at += n;
        v.first_pred = at, at += n;
        v.preds = at, at += 2 * n;
        v.succ = (uint32_t(*)[2])at, at += 2 * n;
        uint32_t *scratch = at;
        at += 4 * n;
        v.place_of = at, at += shader->next_block_id;
        v.position = at;
        memset(v.place_of, 0xff, shader->next_block_id * sizeof *v.place_of);
        good = check_all(&v, scratch);
    } else {
        fail(&v, NULL, "out of memory");
    }
    ir_heap_free(words);
    ir_heap_free(v.owner);
    return good;
}

bool ir_verify(struct ir_shader *shader, char *error, size_t size) {
    return ir_verify_where(shader, error, size, NULL);
}

bool ir_verify_slots(struct ir_shader *shader, char *error, size_t size) {
    struct verifier v = {.shader = shader, .error = error, .size = size};
    for (uint32_t k = 0; k < shader->nslots; k++)
        if (!check_slot(&v, k))
            return false;
    return true;
}
