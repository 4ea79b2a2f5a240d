/* The deep copy of a shader. */
#include "ir/internal.h"

#include <string.h>

static void *copy_array(struct ir_arena *arena, const void *array, uint32_t count, uint32_t *capacity,
                        size_t element) {
    *capacity = count;
    if (!count)
        return NULL;
    return memcpy(ir_alloc_uncleared(arena, count * element), array, count * element);
}

static void copy_symbols(struct ir_arena *arena, struct ir_symtab *table) {
    table->sym = copy_array(arena, table->sym, table->count, &table->capacity, sizeof *table->sym);
    for (uint32_t k = 0; k < table->count; k++) {
        struct ir_symbol *symbol = &table->sym[k];
        uint32_t words = ir_symbol_words(symbol);
        symbol->name = ir_strdup(arena, symbol->name);
        symbol->block = symbol->block ? ir_strdup(arena, symbol->block) : NULL;
        if (symbol->initial)
            symbol->initial = copy_array(arena, symbol->initial, words, &words, sizeof *symbol->initial);
    }
}

static void copy_tables(struct ir_shader *to) {
    struct ir_arena *arena = to->arena;
    copy_symbols(arena, &to->uniforms);
    copy_symbols(arena, &to->samplers);
    copy_symbols(arena, &to->inputs);
    copy_symbols(arena, &to->outputs);
    to->vars = copy_array(arena, to->vars, to->nvars, &to->cap_vars, sizeof *to->vars);
    for (uint32_t k = 0; k < to->nvars; k++)
        to->vars[k].name = ir_strdup(arena, to->vars[k].name);
    to->files = copy_array(arena, to->files, to->nfiles, &to->cap_files, sizeof *to->files);
    for (uint32_t k = 0; k < to->nfiles; k++)
        to->files[k] = ir_strdup(arena, to->files[k]);
    to->labels = copy_array(arena, to->labels, to->nlabels, &to->cap_labels, sizeof *to->labels);
    for (uint32_t k = 0; k < to->nlabels; k++)
        to->labels[k].text = ir_strdup(arena, to->labels[k].text);
    to->slots = copy_array(arena, to->slots, to->nslots, &to->cap_slots, sizeof *to->slots);
    to->slot_table =
        copy_array(arena, to->slot_table, to->slot_table_size, &to->slot_table_size, sizeof *to->slot_table);
}

/* From old to new: ids are unique. And where the next instructions and sources go. */
struct twins {
    struct ir_inst **value, *inst, **source;
    struct ir_block **place;
};

/* False: there is no memory. */
static bool make_room(const struct ir_shader *shader, struct ir_arena *arena, struct twins *t) {
    size_t sources = 0;
    ir_for_blocks(shader, block) {
        for (const struct ir_inst *inst = block->first; inst; inst = inst->next)
            sources += inst->nsrc;
    }
    t->inst = ir_alloc_uncleared(arena, shader->ninsts * sizeof *t->inst);
    t->source = ir_alloc_uncleared(arena, sources * sizeof *t->source);
    t->value = ir_alloc_uncleared(arena, shader->next_id * sizeof *t->value);
    t->place = ir_alloc_uncleared(arena, shader->next_block_id * sizeof *t->place);
    return !ir_arena_oom(arena);
}

static void copy_phi(struct ir_shader *to, const struct ir_inst *phi, struct twins *t) {
    struct ir_inst *twin = t->value[phi->id];
    ir_alloc_sources(to->arena, twin, phi->nsrc);
    for (uint32_t k = 0; k < phi->nsrc; k++) {
        twin->src[k] = t->value[phi->src[k]->id];
        twin->phi_block[k] = phi->phi_block[k] ? t->place[phi->phi_block[k]->id] : NULL;
    }
}

static inline void copy_sources(const struct ir_inst *inst, struct ir_inst *twin, struct twins *t) {
    twin->src = inst->nsrc ? t->source : NULL;
    for (uint32_t k = 0; k < inst->nsrc; k++)
        *t->source++ = t->value[inst->src[k]->id];
}

/* With what its instructions read if it is the only block, where that comes before them. */
static struct ir_block *copy_block(struct ir_shader *to, const struct ir_block *block, struct twins *t) {
    struct ir_block *copy = ir_alloc_uncleared(to->arena, sizeof *copy);
    struct ir_inst *last = NULL;
    *copy = *block;
    copy->shader = to;
    copy->first = block->first ? t->inst : NULL;
    copy->idom = copy->loop_header = copy->loop_parent = NULL; /* may be stale there; analyses are cheap */
    copy->loop_depth = copy->dom_first = copy->dom_last = 0;
    for (const struct ir_inst *inst = block->first; inst; inst = inst->next) {
        struct ir_inst *twin = t->value[inst->id] = t->inst++;
        *twin = *inst;
        twin->block = copy;
        twin->prev = last;
        twin->next = inst->next ? t->inst : NULL;
        last = twin;
        if (to->nblocks == 1)
            copy_sources(inst, twin, t);
    }
    copy->last = last;
    return copy;
}

/* What the copies of a block's instructions read, and where it leads. */
static void copy_edges(struct ir_shader *to, const struct ir_block *from, struct ir_block *copy,
                       struct twins *t) {
    for (int s = 0; s < 2; s++)
        copy->succ[s] = from->succ[s] ? t->place[from->succ[s]->id] : NULL;
    for (const struct ir_inst *inst = from->first; inst; inst = inst->next)
        if (inst->op == IR_PHI)
            copy_phi(to, inst, t);
        else
            copy_sources(inst, t->value[inst->id], t);
}

struct ir_shader *ir_shader_clone(const struct ir_shader *shader) {
    return ir_shader_clone_beside(shader, shader->arena);
}

struct ir_shader *ir_shader_clone_beside(const struct ir_shader *shader, struct ir_arena *other) {
    struct ir_arena *arena = ir_arena_beside(other);
    struct twins t;
    if (!arena)
        return NULL;
    struct ir_shader *to = ir_alloc_uncleared(arena, sizeof *to);
    *to = *shader;
    to->arena = arena;
    to->facts = (struct ir_facts){0}; /* their memory is the other one's */
    to->pred_pool = NULL;
    to->pred_pool_size = 0;
    copy_tables(to);
    to->blocks = copy_array(arena, shader->blocks, shader->nblocks, &to->cap_blocks, sizeof *to->blocks);
    if (!make_room(shader, arena, &t)) {
        ir_arena_destroy(arena);
        return NULL;
    }
    ir_for_blocks(shader, block) {
        to->blocks[block_i] = t.place[block->id] = copy_block(to, block, &t);
    }
    for (uint32_t k = 0; k < shader->nblocks && shader->nblocks > 1; k++)
        copy_edges(to, shader->blocks[k], to->blocks[k], &t);
    if (ir_arena_oom(arena)) {
        ir_arena_destroy(arena);
        return NULL;
    }
    ir_fill_preds(to);
    return to;
}
