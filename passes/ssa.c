/* ssa: variables become values.
 *
 * requires: blocks in order, dominators.
 * keeps:    the CFG; variables that some load or store indexes at run time.
 * breaks:   nothing.
 *
 * This is the classical construction, for each word of a variable separately: liveness, phis on the dominance
 * frontiers of the definitions, then one traversal of the dominator tree that replaces each load by the
 * current value. Run-time offsets that have become constants are first added to the word number, so that a
 * second run after unrolling also removes arrays that loops index.
 *
 * Outputs are treated the same way unless they are written exactly once, in the last block: their words
 * become variables that the last block writes out. "The last write counts" then needs no control flow. */
#include "passes/passes.h"

#include <string.h>

struct word {
    uint8_t type, precision;
    bool exact, stored;
    uint16_t label;
    struct ir_loc loc;     /* outputs: of the last write in program order */
    struct ir_inst *value; /* while walking: what holds here */
};

/* Something to put back when the walk leaves a block of the dominator tree. */
struct undo {
    uint32_t word;
    struct ir_inst *value;
};

struct ssa {
    struct ir_shader *shader;
    uint32_t *first_word; /* by variable: its first word here, UINT32_MAX if it stays */
    uint32_t output_word; /* first word of the outputs, UINT32_MAX if they stay */
    struct word *words;
    uint32_t nwords;
    struct ir_block *end;
    uint32_t *phi_word; /* by id of the phis made here, minus first_phi */
    uint32_t first_phi;
    uint32_t **frontier; /* by block id: dominance frontier */
    uint32_t *nfrontier;
    struct ir_inst *undef[IR_BOOL + 1];
};

/* The word a load, store or output touches here, UINT32_MAX if none. */
static uint32_t word_of(const struct ssa *s, const struct ir_inst *inst) {
    if (inst->op == IR_VAR_LOAD || inst->op == IR_VAR_STORE)
        return s->first_word[inst->imm] == UINT32_MAX ? UINT32_MAX : s->first_word[inst->imm] + inst->aux;
    if (inst->op == IR_OUTPUT && s->output_word != UINT32_MAX)
        return s->output_word + inst->imm;
    return UINT32_MAX;
}

/* Takes a load's or store's constant offset into the word number. Out of the variable is undefined in GLSL;
 * here it is an end of it. */
static bool absorb_offset(const struct ir_shader *shader, struct ir_inst *inst) {
    uint32_t offset = inst->op == IR_VAR_LOAD ? 0 : 1;
    if (inst->nsrc <= offset || !ir_is_const(inst->src[offset]))
        return false;
    int64_t word = (int64_t)inst->aux + (int32_t)inst->src[offset]->imm,
            most = (int64_t)shader->vars[inst->imm].words - 1;
    inst->aux = (uint32_t)(word < 0 ? 0 : word > most ? most : word);
    inst->nsrc = offset;
    return true;
}

/* Which variables, and whether outputs, are to go; false if nothing is. *changed: an offset was absorbed. */
static bool choose(struct ssa *s, bool *changed) {
    struct ir_shader *shader = s->shader;
    bool touched = false, outputs = false;
    bool *stays = ir_alloc(shader->arena, shader->nvars + 1u),
         *used = ir_alloc(shader->arena, shader->nvars + 1u);
    bool *written = ir_alloc(shader->arena, shader->outputs.words + 1u);
    ir_for_blocks(shader, block) {
        if (block->last->op == IR_END)
            s->end = block;
        ir_for_insts(block, inst) {
            if (inst->op == IR_VAR_LOAD || inst->op == IR_VAR_STORE) {
                *changed |= absorb_offset(shader, inst);
                used[inst->imm] = true;
                stays[inst->imm] |= inst->nsrc > (inst->op == IR_VAR_STORE);
            } else if (inst->op == IR_OUTPUT) {
                outputs |= block->last->op != IR_END || written[inst->imm];
                written[inst->imm] = true;
            }
        }
    }
    s->first_word = ir_alloc(shader->arena, (shader->nvars + 1u) * sizeof *s->first_word);
    for (uint32_t v = 0; v < shader->nvars; v++) {
        s->first_word[v] = UINT32_MAX;
        if (stays[v] || !used[v])
            continue;
        s->first_word[v] = s->nwords;
        s->nwords += shader->vars[v].words;
        touched = true;
    }
    s->output_word = UINT32_MAX;
    if (outputs && s->end) {
        s->output_word = s->nwords;
        s->nwords += shader->outputs.words;
        touched = true;
    }
    return touched;
}

static void describe_words(struct ssa *s) {
    struct ir_shader *shader = s->shader;
    s->words = ir_alloc(shader->arena, s->nwords * sizeof *s->words);
    for (uint32_t v = 0; v < shader->nvars; v++)
        for (uint32_t w = 0; s->first_word[v] != UINT32_MAX && w < shader->vars[v].words; w++) {
            struct word *word = &s->words[s->first_word[v] + w];
            word->type = shader->vars[v].type;
            word->precision = shader->vars[v].precision;
            word->label = shader->vars[v].label ? (uint16_t)(shader->vars[v].label + w) : 0;
        }
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            uint32_t w = word_of(s, inst);
            if (w == UINT32_MAX)
                continue;
            struct word *word = &s->words[w];
            word->exact |= inst->exact;
            if (inst->op == IR_OUTPUT) {
                if (!word->stored || inst->precision < word->precision)
                    word->precision = inst->precision;
                word->type = inst->src[0]->type;
                word->loc = inst->loc;
            }
            word->stored |= inst->op != IR_VAR_LOAD;
        }
    }
}

/* Cooper, Harvey, Kennedy: each predecessor of a join runs up to the join's dominator, or to where another
 * has been. */
static void find_frontiers(struct ssa *s) {
    struct ir_shader *shader = s->shader;
    uint32_t n = shader->nblocks;
    s->frontier = ir_alloc(shader->arena, n * sizeof *s->frontier);
    s->nfrontier = ir_alloc(shader->arena, n * sizeof *s->nfrontier);
    for (int filling = 0; filling < 2; filling++) {
        uint32_t *last = ir_alloc(shader->arena, n * sizeof *last); /* the join last entered, plus one */
        ir_for_blocks(shader, join) {
            for (uint32_t p = 0; join->npred > 1 && p < join->npred; p++)
                for (struct ir_block *x = join->pred[p]; x && x != join->idom && last[x->id] != join->id + 1;
                     x = x->idom) {
                    last[x->id] = join->id + 1;
                    if (filling)
                        s->frontier[x->id][s->nfrontier[x->id]] = join->id;
                    s->nfrontier[x->id]++;
                }
        }
        for (uint32_t k = 0; !filling && k < n; k++) {
            s->frontier[k] = ir_alloc(shader->arena, s->nfrontier[k] * sizeof **s->frontier);
            s->nfrontier[k] = 0;
        }
    }
}

/* Accesses by word, in program order: a list of block ids with what happens there first. */
struct access {
    uint32_t block, next; /* next: index + 1 of the following one, 0 at the end */
    bool store;
};

struct accesses {
    struct access *list;
    uint32_t *head, *tail; /* by word: index + 1 */
    uint32_t count;
};

static void add_access(struct accesses *a, uint32_t word, uint32_t block, bool store) {
    uint32_t at = ++a->count;
    a->list[at - 1] = (struct access){.block = block, .store = store};
    *(a->tail[word] ? &a->list[a->tail[word] - 1].next : &a->head[word]) = at;
    a->tail[word] = at;
}

static void find_accesses(struct ssa *s, struct accesses *a) {
    struct ir_shader *shader = s->shader;
    uint32_t most = 0;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            most += word_of(s, inst) != UINT32_MAX;
        }
    }
    uint32_t outputs = s->output_word == UINT32_MAX ? 0 : shader->outputs.words;
    a->list = ir_alloc(shader->arena, (most + outputs) * sizeof *a->list);
    a->head = ir_alloc(shader->arena, s->nwords * sizeof *a->head);
    a->tail = ir_alloc(shader->arena, s->nwords * sizeof *a->tail);
    ir_for_blocks(shader, from) {
        ir_for_insts(from, inst) {
            uint32_t w = word_of(s, inst);
            if (w != UINT32_MAX)
                add_access(a, w, from->id, inst->op != IR_VAR_LOAD);
        }
        for (uint32_t w = 0; from == s->end && w < outputs; w++)
            if (s->words[s->output_word + w].stored)
                add_access(a, s->output_word + w, from->id, false);
    }
}

/* Scratch for one word, by block id; stamps hold the word's number plus one. */
struct places {
    uint32_t *defined, *live, *has_phi, *work;
};

static void place_phis(struct ssa *s, const struct accesses *a, uint32_t w, struct places *p) {
    struct ir_shader *shader = s->shader;
    uint32_t stamp = w + 1, n = 0;
    /* Live where a load comes before any store, and from there up to the stores. */
    for (uint32_t at = a->head[w]; at; at = a->list[at - 1].next) {
        const struct access *x = &a->list[at - 1];
        if (x->store) {
            p->defined[x->block] = stamp;
        } else if (p->defined[x->block] != stamp && p->live[x->block] != stamp) {
            p->live[x->block] = stamp;
            p->work[n++] = x->block;
        }
    }
    while (n) {
        const struct ir_block *block = shader->blocks[p->work[--n]];
        for (uint32_t k = 0; k < block->npred; k++) {
            uint32_t pred = block->pred[k]->id;
            if (p->defined[pred] == stamp || p->live[pred] == stamp)
                continue;
            p->live[pred] = stamp;
            p->work[n++] = pred;
        }
    }
    for (uint32_t at = a->head[w]; at; at = a->list[at - 1].next) {
        if (!a->list[at - 1].store)
            continue;
        p->work[n++] = a->list[at - 1].block;
        while (n) {
            uint32_t from = p->work[--n];
            for (uint32_t k = 0; k < s->nfrontier[from]; k++) {
                uint32_t join = s->frontier[from][k];
                if (p->has_phi[join] == stamp || p->live[join] != stamp)
                    continue;
                p->has_phi[join] = stamp;
                struct ir_builder b = ir_builder_at_end(shader->blocks[join]);
                b.precision = s->words[w].precision;
                b.exact = s->words[w].exact;
                b.loc = shader->blocks[join]->first->loc;
                ir_label(ir_phi(&b, s->words[w].type), s->words[w].label);
                s->phi_word[shader->next_id - 1 - s->first_phi] = w;
                p->work[n++] = join;
            }
        }
    }
}

static struct ir_inst *undefined(struct ssa *s, uint8_t type) {
    if (!s->undef[type]) {
        struct ir_block *entry = s->shader->blocks[0];
        struct ir_builder b = ir_builder_at_end(entry);
        b.before = entry->first;
        s->undef[type] = ir_emit(&b, IR_UNDEF, type, 0, NULL, 0, 0);
    }
    return s->undef[type];
}

static struct ir_inst *current(struct ssa *s, uint32_t w) {
    struct ir_inst *value = ir_value(s->words[w].value);
    return value ? value : undefined(s, s->words[w].type);
}

struct walk {
    struct undo *undo;
    uint32_t nundo, cap_undo;
};

static void define(struct ssa *s, struct walk *k, uint32_t w, struct ir_inst *value) {
    if (k->nundo == k->cap_undo) {
        uint32_t want = k->cap_undo ? k->cap_undo * 2 : 256;
        struct undo *larger = ir_alloc_uncleared(s->shader->arena, want * sizeof *larger);
        if (k->nundo)
            memcpy(larger, k->undo, k->nundo * sizeof *larger);
        k->undo = larger;
        k->cap_undo = want;
    }
    k->undo[k->nundo++] = (struct undo){w, s->words[w].value};
    s->words[w].value = value;
}

/* The word of a phi made here, UINT32_MAX for older ones. */
static uint32_t made_for(const struct ssa *s, const struct ir_inst *phi, uint32_t count) {
    return phi->op == IR_PHI && phi->id >= s->first_phi && phi->id - s->first_phi < count
               ? s->phi_word[phi->id - s->first_phi]
               : UINT32_MAX;
}

static void rename_block(struct ssa *s, struct walk *k, struct ir_block *block, uint32_t nphis) {
    ir_for_insts(block, inst) {
        uint32_t w = made_for(s, inst, nphis);
        if (w != UINT32_MAX) {
            define(s, k, w, inst);
            continue;
        }
        w = word_of(s, inst);
        if (w == UINT32_MAX)
            continue;
        if (inst->op == IR_VAR_LOAD) {
            ir_replace(inst, current(s, w));
        } else {
            define(s, k, w, ir_value(inst->src[0]));
            ir_label(s->words[w].value, s->words[w].label);
            ir_remove(inst);
        }
    }
    if (block == s->end && s->output_word != UINT32_MAX) {
        struct ir_builder b = ir_builder_before(block->last);
        for (uint32_t w = 0; w < s->shader->outputs.words; w++) {
            struct word *word = &s->words[s->output_word + w];
            if (!word->stored)
                continue;
            b.loc = word->loc;
            b.precision = word->precision;
            b.exact = word->exact;
            ir_emit(&b, IR_OUTPUT, IR_VOID, 1, (struct ir_inst *[]){current(s, s->output_word + w)}, w, 0);
        }
    }
    for (int side = 0; side < 2; side++)
        for (struct ir_inst *phi = block->succ[side] ? block->succ[side]->first : NULL;
             phi && phi->op == IR_PHI; phi = phi->next) {
            uint32_t w = made_for(s, phi, nphis);
            if (w != UINT32_MAX)
                ir_phi_add(phi, block, current(s, w));
        }
}

/* Down the dominator tree and back up, without recursion: the tree may be as deep as the shader is long. */
static void rename_all(struct ssa *s, uint32_t nphis) {
    struct ir_shader *shader = s->shader;
    uint32_t n = shader->nblocks;
    uint32_t *child = ir_alloc(shader->arena, n * sizeof *child),
             *sibling = ir_alloc(shader->arena, n * sizeof *sibling);
    uint32_t *entered = ir_alloc(shader->arena, n * sizeof *entered); /* undo entries before the block */
    struct walk k = {0};
    for (uint32_t b = n; b-- > 1;) {
        uint32_t up = shader->blocks[b]->idom->id;
        sibling[b] = child[up];
        child[up] = b; /* 0 is the entry: nobody's child, so it can mean none */
    }
    uint32_t at = 0;
    bool down = true;
    for (;;) {
        if (down) {
            entered[at] = k.nundo;
            rename_block(s, &k, shader->blocks[at], nphis);
            if (child[at]) {
                at = child[at];
                continue;
            }
        }
        while (k.nundo > entered[at]) {
            k.nundo--;
            s->words[k.undo[k.nundo].word].value = k.undo[k.nundo].value;
        }
        if (at == 0)
            break;
        down = sibling[at] != 0;
        at = down ? sibling[at] : shader->blocks[at]->idom->id;
    }
}

static void place_all_phis(struct ssa *s) {
    struct ir_shader *shader = s->shader;
    struct accesses a = {0};
    find_frontiers(s);
    find_accesses(s, &a);
    uint32_t n = shader->nblocks;
    struct places p = {
        .defined = ir_alloc(shader->arena, n * sizeof *p.defined),
        .live = ir_alloc(shader->arena, n * sizeof *p.live),
        .has_phi = ir_alloc(shader->arena, n * sizeof *p.has_phi),
        .work = ir_alloc(shader->arena, (2 * n + 1) * sizeof *p.work),
    };
    /* How many phis there will be is known only afterwards: the map grows. */
    uint32_t capacity = 256;
    s->phi_word = ir_alloc(shader->arena, capacity * sizeof *s->phi_word);
    for (uint32_t w = 0; w < s->nwords && !ir_arena_oom(shader->arena); w++) {
        uint32_t made = shader->next_id - s->first_phi;
        if (made + n > capacity) { /* one word makes a phi a block at most */
            uint32_t want = (made + n) * 2;
            uint32_t *larger = ir_alloc(shader->arena, want * sizeof *larger);
            memcpy(larger, s->phi_word, made * sizeof *larger);
            s->phi_word = larger;
            capacity = want;
        }
        place_phis(s, &a, w, &p);
    }
}

bool pass_ssa(struct ir_shader *shader, const struct pass_options *options) {
    (void)options;
    struct ssa s = {.shader = shader};
    bool changed = false;
    if (!choose(&s, &changed))
        return changed;
    describe_words(&s);
    s.first_phi = shader->next_id;
    if (shader->nblocks > 1)
        place_all_phis(&s);
    rename_all(&s, shader->next_id - s.first_phi);
    ir_resolve(shader);
    while (shader->nvars && s.first_word[shader->nvars - 1] != UINT32_MAX)
        shader->nvars--; /* those before one that stays keep their number */
    return true;
}
