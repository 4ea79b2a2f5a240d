/* Varyings across the link: values that the fragment shader can know without interpolation.
 *
 * A word that the vertex shader sets to a constant becomes that constant; one that depends on uniforms alone
 * is computed from them where it is read, which is once a draw; words that carry the same value travel once;
 * and a word that differs from another by a constant or by uniforms (the neighbours of a texture coordinate)
 * becomes a sum: adding commutes with interpolation. Each saves the vertex shader a write and the fragment
 * shader two operations, or one.
 *
 * The plan is made once for a program, on its kept IR. It is then applied to the IR of the same sources under
 * other pass options, to each stage separately. */
#include "compiler/link.h"
#include "passes/passes.h"

#define MAX_TERMS 4  /* added to a common base */
#define MAX_NODES 64 /* of an expression that moves to the fragment shader */
#define NO_WORD UINT32_MAX

/* A varying word as the vertex shader makes it: base + sum of terms that are known per draw. */
struct word {
    const struct ir_symbol *input; /* NULL: leave alone */
    uint32_t output;               /* the word in the vertex shader's table */
    struct ir_inst *value, *base;  /* value NULL: never written */
    struct ir_inst *term[MAX_TERMS];
    bool minus[MAX_TERMS];
    uint32_t terms;
    bool bared; /* the base travels without the terms, and all that are made of it add their own */
};

/* Whether a value depends on uniforms and constants alone, in few enough steps. */
static bool known(const struct ir_inst *x, uint32_t *budget) {
    if (*budget == 0)
        return false;
    --*budget;
    if (x->op == IR_CONST)
        return true;
    if (x->op == IR_UNIFORM)
        return x->block->shader->slots[x->imm].kind != IR_SLOT_EXPR;
    if (!ir_op_info(x->op)->folds)
        return false;
    for (uint32_t k = 0; k < x->nsrc; k++)
        if (!known(x->src[k], budget))
            return false;
    return true;
}

static bool is_known(const struct ir_inst *x) {
    uint32_t budget = MAX_NODES;
    return known(x, &budget);
}

/* What is exact is not taken apart: it would be rounded in another place. */
static void decompose(struct word *w) {
    struct ir_inst *x = w->value;
    while (w->terms < MAX_TERMS && (x->op == IR_FADD || x->op == IR_FSUB) && !x->exact) {
        uint32_t at = is_known(x->src[1]) ? 1 : 0;
        if (!at && (x->op == IR_FSUB || !is_known(x->src[0])))
            break;
        w->term[w->terms] = x->src[at];
        w->minus[w->terms++] = x->op == IR_FSUB;
        x = x->src[1 - at];
    }
    w->base = x;
}

/* The last write of each output word, as lower_stage will see it. */
static void find_values(const struct ir_shader *vertex, struct ir_inst **value) {
    ir_for_blocks(vertex, block) ir_for_insts(block, inst) {
        if (inst->op == IR_OUTPUT && inst->imm < vertex->outputs.words)
            value[inst->imm] = inst->src[0];
    }
}

static struct word *list_words(const struct ir_shader *vertex, const struct ir_shader *fragment) {
    struct word *words = ir_alloc(fragment->arena, (fragment->inputs.words + 1) * sizeof *words);
    struct ir_inst **value = ir_alloc(fragment->arena, (vertex->outputs.words + 1) * sizeof *value);
    find_values(vertex, value);
    for (uint32_t w = 0; w < fragment->inputs.words; w++)
        words[w].output = NO_WORD;
    for (uint32_t i = 0; i < fragment->inputs.count; i++) {
        const struct ir_symbol *input = &fragment->inputs.sym[i],
                               *output = link_partner(&vertex->outputs, input);
        if (!output)
            continue;
        for (uint32_t w = 0; w < ir_symbol_words(input); w++) {
            struct word *word = &words[input->word + w];
            word->input = input;
            word->output = output->word + w;
            word->value = value[output->word + w];
            if (word->value && word->value->op == IR_UNDEF)
                word->value = NULL;
            if (word->value)
                decompose(word);
        }
    }
    /* words that a run-time index reaches have to stay where they are */
    ir_for_blocks(fragment, block) ir_for_insts(block, inst) {
        const struct ir_symbol *symbol =
            inst->op == IR_INPUT && inst->nsrc ? ir_symbol_of_word(&fragment->inputs, inst->imm) : NULL;
        for (uint32_t w = 0; symbol && w < ir_symbol_words(symbol); w++)
            words[symbol->word + w].input = NULL;
    }
    return words;
}

/* The vertex shader's expression again, before an instruction of the fragment shader. */
static struct ir_inst *repeat(struct ir_builder *b, const struct ir_inst *x) {
    if (x->op == IR_CONST)
        return ir_const(b, (enum ir_type)x->type, x->imm);
    if (x->op == IR_UNIFORM)
        return ir_uniform(b, (enum ir_type)x->type, ir_slot(b->shader, x->block->shader->slots[x->imm]));
    struct ir_inst *source[4];
    for (uint32_t k = 0; k < x->nsrc && k < 4; k++)
        source[k] = repeat(b, x->src[k]);
    return ir_emit(b, (enum ir_op)x->op, (enum ir_type)x->type, x->nsrc, source, x->imm, x->aux);
}

static struct ir_inst *add_terms(struct ir_builder *b, const struct word *w) {
    struct ir_inst *sum = NULL;
    for (uint32_t k = 0; k < w->terms; k++) {
        struct ir_inst *term = repeat(b, w->term[k]);
        if (sum)
            sum = ir_op2(b, w->minus[k] ? IR_FSUB : IR_FADD, sum, term);
        else
            sum = w->minus[k] ? ir_op1(b, IR_FNEG, term) : term;
    }
    return sum;
}

/* Whether no other input gets the same output (locations may coincide): then what is sent may change. */
static bool alone(const struct word *words, uint32_t count, const struct word *w) {
    for (uint32_t k = 0; k < count; k++)
        if (&words[k] != w && words[k].output == w->output)
            return false;
    return true;
}

/* Which word that stays this one can be had from: the same value, or else the same base; NO_WORD if from
 * none. */
static uint32_t find_twin(const struct word *words, uint32_t total, const uint32_t *kept, uint32_t count,
                          uint32_t word, bool expressions) {
    const struct word *w = &words[word];
    uint32_t found = NO_WORD;
    for (uint32_t k = 0; k < count; k++) {
        const struct word *other = &words[kept[k]];
        if (other->input->interp != w->input->interp || other->input->base != w->input->base)
            continue;
        if (other->value == w->value)
            return kept[k];
        /* A single word of the stream has to do for all that is added. */
        bool single = expressions || other->terms + w->terms == 1;
        if (found == NO_WORD && other->base == w->base && single && w->input->base == IR_BASE_FLOAT &&
            (other->terms == 0 || alone(words, total, other)))
            found = kept[k];
    }
    return found;
}

struct link_plan {
    struct word *words; /* by input word of the fragment shader */
    uint32_t count;
    uint32_t *from; /* by word: NO_WORD or the word it comes from */
    bool *direct;   /* by word: value is known per draw */
};

static bool concerns_word(const struct link_plan *plan, const struct qpucc_state *state, uint32_t word) {
    const struct ir_symbol *input = word == NO_WORD ? NULL : plan->words[word].input;
    return input && lower_stage_changes(state, input->name);
}

bool link_plan_concerns(const struct link_plan *plan, const struct qpucc_state *state) {
    for (uint32_t w = 0; w < plan->count; w++)
        if (concerns_word(plan, state, w))
            return true;
    return false;
}

static struct ir_inst *instead(const struct link_plan *plan, struct ir_inst *inst,
                               const struct qpucc_state *state) {
    struct ir_builder b = ir_builder_before(inst);
    if (concerns_word(plan, state, inst->imm) || concerns_word(plan, state, plan->from[inst->imm]))
        return NULL;
    const struct word *w = &plan->words[inst->imm];
    if (plan->direct[inst->imm]) {
        if (!w->value)
            return ir_const(&b, (enum ir_type)inst->type, 0);
        return w->value->type == inst->type ? repeat(&b, w->value) : NULL;
    }
    uint32_t from = plan->from[inst->imm];
    if (from == NO_WORD)
        return NULL;
    const struct word *other = &plan->words[from];
    struct ir_inst *read = ir_emit(&b, IR_INPUT, (enum ir_type)inst->type, 0, NULL, from, 0);
    if (other->value == w->value && !other->bared)
        return read;
    struct ir_inst *sum = add_terms(&b, w);
    return sum ? ir_op2(&b, IR_FADD, read, sum) : read;
}

struct link_plan *link_plan_varyings(const struct ir_shader *vertex, const struct ir_shader *fragment,
                                     bool expressions) {
    struct ir_arena *arena = fragment->arena;
    uint32_t count = fragment->inputs.words, kept_count = 0;
    struct link_plan *plan = ir_alloc(arena, sizeof *plan);
    *plan = (struct link_plan){list_words(vertex, fragment), count,
                               ir_alloc(arena, (count + 1) * sizeof *plan->from),
                               ir_alloc(arena, (count + 1) * sizeof *plan->direct)};
    uint32_t *kept = ir_alloc(arena, (count + 1) * sizeof *kept);
    bool *read = ir_alloc(arena, (count + 1) * sizeof *read);
    if (ir_arena_oom(arena))
        return NULL;
    ir_for_blocks(fragment, block) ir_for_insts(block, inst) {
        if (inst->op == IR_INPUT && inst->imm < count)
            read[inst->imm] = true;
    }
    for (uint32_t w = 0; w < count; w++)
        plan->from[w] = NO_WORD;
    /* Bare bases first, so that the others are sums of them and not the other way round. */
    for (uint32_t terms = 0; terms <= MAX_TERMS; terms++)
        for (uint32_t w = 0; w < count; w++) {
            const struct word *word = &plan->words[w];
            if (!word->input || !read[w] || word->terms != terms)
                continue;
            if (!word->value || (is_known(word->value) && (expressions || word->value->nsrc == 0))) {
                plan->direct[w] = true;
                continue;
            }
            uint32_t twin = plan->from[w] = find_twin(plan->words, count, kept, kept_count, w, expressions);
            if (twin == NO_WORD)
                kept[kept_count++] = w;
            else if (plan->words[twin].value != word->value && plan->words[twin].terms) {
                plan->words[twin].bared = true;
                plan->from[twin] = twin;
            }
        }
    return plan;
}

bool link_plan_fragment(const struct link_plan *plan, struct ir_shader *fragment,
                        const struct qpucc_state *state) {
    bool changed = false;
    ir_for_blocks(fragment, block) ir_for_insts(block, inst) {
        struct ir_inst *by = inst->op == IR_INPUT && inst->nsrc == 0 ? instead(plan, inst, state) : NULL;
        if (by) {
            ir_replace(inst, by);
            changed = true;
        }
    }
    if (changed)
        ir_resolve(fragment);
    return changed;
}

/* The same expression of uniforms and constants, maybe in two shaders. */
static bool same_known(const struct ir_inst *x, const struct ir_inst *y) {
    if (x->op != y->op || x->type != y->type || x->nsrc != y->nsrc || x->aux != y->aux)
        return false;
    if (x->op == IR_UNIFORM) {
        const struct ir_slot *a = &x->block->shader->slots[x->imm], *b = &y->block->shader->slots[y->imm];
        return a->kind == b->kind && a->param == b->param && a->type == b->type && a->value == b->value;
    }
    for (uint32_t k = 0; k < x->nsrc; k++)
        if (!same_known(x->src[k], y->src[k]))
            return false;
    return x->imm == y->imm;
}

/* What is left of a value without the word's terms; NULL: it is not a sum of them. */
static struct ir_inst *base_of(const struct word *w, struct ir_inst *value) {
    for (uint32_t k = 0; k < w->terms && value; k++) {
        if (value->op != (w->minus[k] ? IR_FSUB : IR_FADD))
            return NULL;
        bool second = same_known(value->src[1], w->term[k]);
        bool first = !second && !w->minus[k] && same_known(value->src[0], w->term[k]);
        value = second ? value->src[0] : first ? value->src[1] : NULL;
    }
    return value;
}

/* Terms are never taken away again from a sum that travels: where they are large, the base's low bits are
 * gone with them. The vertex shader sends the base instead. */
static void send_base(struct ir_shader *vertex, uint32_t output, const struct ir_inst *value,
                      struct ir_inst *base) {
    ir_for_blocks(vertex, block) ir_for_insts(block, inst) {
        if (inst->op == IR_OUTPUT && inst->imm == output && inst->src[0] == value)
            inst->src[0] = base;
    }
}

bool link_plan_vertex(const struct link_plan *plan, struct ir_shader *vertex,
                      const struct qpucc_state *state) {
    struct ir_inst **value = ir_alloc(vertex->arena, (vertex->outputs.words + 1) * sizeof *value);
    if (ir_arena_oom(vertex->arena))
        return false;
    find_values(vertex, value);
    for (uint32_t w = 0; w < plan->count; w++) {
        const struct word *word = &plan->words[w];
        if (!word->bared || concerns_word(plan, state, w))
            continue;
        struct ir_inst *base = base_of(word, value[word->output]);
        if (!base)
            return false;
        send_base(vertex, word->output, value[word->output], base);
    }
    return true;
}
