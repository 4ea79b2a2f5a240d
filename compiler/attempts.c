/* From a stage's IR to code, in as many ways as are worth trying.
 *
 * Requires: the stage's kept IR. Keeps: that; each attempt works on a copy of the level's IR and owns it.
 *
 * One function lists the attempts, from what is known before the first. One loop makes them, in order. Short
 * rules skip attempts that cannot win any more, judging by the earlier ones. Among the attempts that fit at
 * the lowest pressure level the objective (mir/objective.h) chooses, whatever their form of loops and number
 * of threads. If a part does not fit, all parts of the stage are compiled again at the next level, because
 * they have to compute the same bits. What fits in no other way has its values rematerialised until a given
 * number of registers does, which falls. If a stage fits nowhere, the diagnostics of its closest attempt are
 * reported. */
#include "compiler/attempts.h"
#include "compiler/chip.h"
#include "ir/heap.h"
#include "mir/objective.h"

#include <string.h>

/* --- the list ------------------------------------------------------------------------------------------- */

/* Of each file, for values between blocks, where others are rematerialised. FEWER: a block lacks a few. */
enum { FEWEST_REGISTERS = 1, FEWER_REGISTERS = 29, ALL_REGISTERS = 32 };

/* From -O2 on the scheduler searches. Where there is a choice of forms or threads, a quick attempt with few
 * strategies shows whether a form is worth a search. Two threads and the first form need no quick attempt:
 * most textured shaders are faster with two threads, and most shaders with loops are fastest in the first
 * form. Small ones are always faster with two: one thread comes in if they don't fit. */
static size_t list_forms(const struct attempt_facts *facts, uint8_t level, bool branches,
                         struct attempt *list) {
    const bool search = facts->opt_level > 1;
    const uint8_t first = branches ? LOOPS_HOISTED : LOOPS_PLAIN;
    size_t n = 0;
    for (uint8_t loops = first; loops < LOOP_FORMS; loops++) {
        if ((facts->threads && !facts->small) || loops > first || !search)
            list[n++] = (struct attempt){level, loops, .threads = 1};
        if (facts->threads)
            list[n++] = (struct attempt){level, loops, .threads = 2, .search = search};
        if (search)
            list[n++] = (struct attempt){level, loops, .threads = 1, .search = true};
    }
    if (facts->outputs && search && !branches)
        list[n++] = (struct attempt){level, FORM_OUTPUTS, .threads = 1, .search = true};
    return n;
}

/* -O0 has one attempt: if it does not fit, the stage is made again as at -O1, whose code is shorter and so
 * fits sooner. */
size_t attempts_list(const struct attempt_facts *facts, struct attempt list[ATTEMPTS_MAX]) {
    const bool search = facts->opt_level > 1;
    if (facts->opt_level == 0) {
        list[0] = (struct attempt){.loops = facts->branches ? LOOPS_HOISTED : LOOPS_PLAIN, .threads = 1};
        return 1;
    }
    size_t n = list_forms(facts, LEVEL_FIRST, facts->branches, list);
    if (facts->branches)
        list[n++] = (struct attempt){LEVEL_FIRST, LOOPS_PLAIN, 1, FEWER_REGISTERS, search};
    n += list_forms(facts, LEVEL_LEAN, true, list + n);
    list[n++] = (struct attempt){LEVEL_FIRST, LOOPS_PLAIN, 1, ALL_REGISTERS, search};
    list[n++] = (struct attempt){LEVEL_LATE, LOOPS_PLAIN, 1, FEWEST_REGISTERS, search};
    return n;
}

/* --- one part ------------------------------------------------------------------------------------------- */

struct part {
    struct ir_shader *form[FORMS]; /* of the level under way; PLAIN is the stage's */
    uint64_t ir[FORMS];            /* their fingerprints */
    struct outcome best, failure;  /* failure: the closest one so far */
    struct trial *made;            /* room for ATTEMPTS_MAX */
    size_t count;
    size_t n_lost;                      /* trials whose code has been given up for another level */
    const struct program_stage *parent; /* the same part of the program that this is a variant of, or NULL */
    bool borrowed_failure;              /* and of a failure of its attempts no more is known */
};

static bool is_there(const struct outcome *outcome) {
    return outcome->shader || outcome->from || outcome->owed;
}

static void outcome_free(struct outcome *outcome) {
    if (outcome->shader)
        be_result_free(&outcome->code);
    ir_shader_destroy(outcome->shader);
    *outcome = (struct outcome){0};
}

void part_result_free(struct part_result *result) {
    outcome_free(&result->best);
    ir_heap_free(result->trials);
}

static void replace(struct outcome *old, const struct outcome *by) {
    outcome_free(old);
    *old = *by;
}

static void drop_forms(struct part *part) {
    for (unsigned k = 0; k < FORMS; k++) {
        if (k != LOOPS_PLAIN && part->form[k])
            ir_shader_destroy(part->form[k]);
        part->form[k] = NULL;
        part->ir[k] = 0;
    }
}

bool attempts_make_form(struct compile *c, struct ir_shader *shader, enum loop_form form) {
    static const enum passes_list lists[FORMS] = {
        [LOOPS_HOISTED] = PASSES_HOISTED, [LOOPS_ROTATED] = PASSES_ROTATED, [FORM_OUTPUTS] = PASSES_OUTPUTS};
    struct pass_options options = compile_pass_options(c);
    options.other_outputs = form == FORM_OUTPUTS;
    return compile_passes(c, shader, options, lists[form]);
}

/* The part in that form. NULL: diagnosed. */
static const struct ir_shader *form_of(struct compile *c, struct part *part, enum loop_form loops) {
    if (part->form[loops])
        return part->form[loops];
    struct ir_shader *shader = part->form[loops] = ir_shader_clone(part->form[LOOPS_PLAIN]);
    if (!shader) {
        compile_stopped(c, part->form[LOOPS_PLAIN]);
        return NULL;
    }
    if (!attempts_make_form(c, shader, loops))
        return NULL;
    part->ir[loops] = ir_fingerprint(shader);
    return shader;
}

/* --- which attempts are left out ------------------------------------------------------------------------ */

/* No form of loops: no phi is written before it has to be. */
static bool is_tight(const struct attempt *a) {
    return a->loops >= LOOPS_PLAIN;
}

/* The same code would come out, and is of no use or at hand. */
static bool repeats(const struct part *part, const struct trial *t, const struct attempt *a) {
    uint64_t ir = part->ir[a->loops];
    bool lost = t->status == BE_OK && t < part->made + part->n_lost;
    return !lost && ir && t->ir == ir && t->attempt.threads == a->threads &&
           t->attempt.registers == a->registers && t->attempt.search >= a->search &&
           is_tight(&t->attempt) == is_tight(a);
}

/* A block lacks registers, what crosses blocks has enough. */
static bool is_close(const struct trial *t) {
    return t->status == BE_DOES_NOT_FIT && !t->crossing;
}

/* Nothing had to be given up for want of registers: no other form of the loops is better. */
static bool is_roomy(const struct be_result *code) {
    return code->threads > 1 || code->regs_a + code->regs_b < 60;
}

/* May a search bring it past the best? */
static bool is_near(const struct trial *quick, const struct be_result *best) {
    return quick->status == BE_OK && quick->cost * 4 < best->cost * 5;
}

static bool is_worth_making(const struct part *part, const struct attempt *a, int opt_level) {
    const struct trial *quick = NULL, *same = NULL;
    const struct outcome *best = is_there(&part->best) ? &part->best : NULL;
    if (a->loops == FORM_OUTPUTS)
        return best;
    for (size_t k = 0; k < part->count; k++) {
        const struct trial *t = &part->made[k];
        if (t->attempt.level != a->level || t->attempt.registers)
            continue;
        if (t->attempt.loops != a->loops || t->attempt.threads != a->threads)
            continue;
        same = t;
        if (!t->attempt.search)
            quick = t;
    }
    if (a->registers)
        return !best && (a->registers != FEWER_REGISTERS || (same && is_close(same)));
    if (best && part->made[best->trial].attempt.loops != a->loops && (opt_level < 2 || is_roomy(&best->code)))
        return false;
    if (!a->search || !quick)
        return !best || best->code.threads <= a->threads;
    return best && is_near(quick, &best->code);
}

/* --- the loop ------------------------------------------------------------------------------------------- */

static bool is_better(const struct part *part, uint64_t cost) {
    return !is_there(&part->best) || cost < part->best.code.cost;
}

/* The parent's trial: how an attempt failed, or what its code costs, which is the parent's own or owed. */
static bool borrow(struct compile *c, struct part *part, const struct attempt *a) {
    const struct program_stage *parent = part->parent;
    for (size_t k = 0; parent && k < parent->trial_count; k++) {
        const struct trial *t = &parent->trials[k];
        if (!t->ir || t->ir != part->ir[a->loops] || memcmp(&t->attempt, a, sizeof *a))
            continue;
        bool fits = t->status == BE_OK, own = k == parent->winner && parent->code;
        if (!fits && t->status != BE_DOES_NOT_FIT)
            return false;
        part->borrowed_failure |= !fits;
        ir_work(c->program->arena, t->work); /* limits are met where they would be met without a parent */
        ir_search(c->program->arena, t->search);
        part->made[part->count++] = *t;
        if (fits && is_better(part, t->cost)) {
            struct outcome now = {.trial = part->count - 1, .from = own ? parent : NULL, .owed = !own};
            now.code.cost = t->cost;
            now.code.threads = t->attempt.threads;
            now.code.regs_a = t->regs;
            replace(&part->best, &now);
        }
        return true;
    }
    return false;
}

/* Makes the attempt, unless it repeats another. False: something else than registers is wrong. */
static bool make(struct compile *c, struct part *part, const struct attempt *a) {
    const struct ir_shader *shader = form_of(c, part, a->loops);
    if (!shader)
        return false;
    for (size_t k = 0; k < part->count; k++)
        if (repeats(part, &part->made[k], a))
            return true;
    if (borrow(c, part, a))
        return true;
    struct outcome now = {.trial = part->count, .shader = ir_shader_clone(shader)};
    if (!now.shader)
        return compile_stopped(c, shader);
    /* The other order of a vertex' words is searched as at -O2 at most: -O3 would take twice the time. */
    int level = a->loops == FORM_OUTPUTS && c->options.opt_level > 2 ? 2 : stage_opt_level(c);
    struct be_options options = {.opt_level = level,
                                 .threads = a->threads,
                                 .search = a->search,
                                 .tight = is_tight(a),
                                 .registers = a->registers,
                                 .places = c->options.flags & QPUCC_GENERATE_NAMES,
                                 .chip = &c->options.chip,
                                 .linux_rules = true};
    struct qpucc_usage before = ir_usage(now.shader->arena);
    be_compile(now.shader, &options, &now.code);
    struct qpucc_usage after = ir_usage(now.shader->arena);
    if (ir_arena_oom(now.shader->arena)) {
        outcome_free(&now);
        return compile_stopped(c, shader);
    }
    part->made[part->count++] = (struct trial){.attempt = *a,
                                               .ir = part->ir[a->loops],
                                               .status = now.code.status,
                                               .crossing = now.code.crossing,
                                               .regs = (uint8_t)(now.code.regs_a + now.code.regs_b),
                                               .cost = now.code.cost,
                                               .work = after.work - before.work,
                                               .search = after.search - before.search};
    if (now.code.status == BE_OK) {
        if (is_better(part, now.code.cost))
            replace(&part->best, &now);
        else
            outcome_free(&now);
        return true;
    }
    bool broken = now.code.status == BE_INTERNAL, other = now.code.status != BE_DOES_NOT_FIT;
    if (broken ||
        (a->threads == 1 && (other || !part->failure.shader || now.code.needed < part->failure.code.needed)))
        replace(&part->failure, &now);
    else
        outcome_free(&now);
    return broken || !other ||
           a->threads > 1; /* a fault of ours in one form is no reason to refuse the others */
}

/* `fits`: there is code nevertheless. */
static void complain(struct qpucc_program *program, const struct outcome *failure, bool fits) {
    static const struct {
        enum qpucc_status status;
        const char *code;
    } kinds[] = {[BE_OK] = {QPUCC_INTERNAL, "internal"},
                 [BE_UNSUPPORTED] = {QPUCC_SOURCE_ERROR, "unsupported"},
                 [BE_DOES_NOT_FIT] = {QPUCC_DOES_NOT_FIT, "registers"},
                 [BE_INTERNAL] = {QPUCC_INTERNAL, "internal"}};
    const struct be_result *code = &failure->code;
    const struct ir_shader *shader = failure->shader;
    program_diagnose(program, fits ? QPUCC_OK : kinds[code->status].status,
                     fits ? QPUCC_WARNING : QPUCC_ERROR, kinds[code->status].code,
                     code->where.file < shader->nfiles ? shader->files[code->where.file] : NULL,
                     code->where.line, code->where.column, "%s shader%s: %s", ir_stage_names[shader->stage],
                     fits ? ", in a form that was given up for another" : "", code->message);
}

static bool all_fit(const struct part *parts, const struct stage_ir *ir) {
    for (unsigned k = 0; k < ir->parts; k++)
        if (!is_there(&parts[k].best))
            return false;
    return true;
}

/* The parts as they are at another level. False: diagnosed. *same: not that level, or no other IR than
 * before. */
static bool enter_level(struct compile *c, enum qpucc_stage stage, unsigned level, struct stage_ir *ir,
                        struct part *parts, bool *same) {
    struct stage_ir next;
    uint64_t number[2];
    if (!stage_lower(c, stage, level, &next))
        return false;
    *same = !next.parts || ir->parts;
    for (unsigned k = 0; k < next.parts; k++) {
        number[k] = ir_fingerprint(next.part[k]);
        *same &= number[k] == parts[k].ir[LOOPS_PLAIN];
    }
    if (*same) {
        stage_ir_free(&next);
        return true;
    }
    stage_ir_free(ir);
    *ir = next;
    for (unsigned k = 0; k < next.parts; k++) {
        struct part *part = &parts[k];
        drop_forms(part);
        outcome_free(&part->best);
        part->n_lost = part->count;
        part->ir[LOOPS_PLAIN] = number[k];
        part->form[LOOPS_PLAIN] = next.part[k];
    }
    return true;
}

static struct attempt_facts facts_of(const struct compile *c, const struct stage_ir *ir) {
    enum { SMALL = 80 }; /* instructions; one thread has won from 110 on */
    struct attempt_facts facts = {.opt_level = stage_opt_level(c)};
    for (unsigned k = 0; k < ir->parts; k++)
        facts.branches |= ir->part[k]->nblocks > 1;
    facts.threads = facts.opt_level > 0 && be_worth_threads(ir->part[0]);
    facts.outputs = ir->parts > 1 && !chip_relies_on(&c->options.chip, QPUCC_ASSUME_vpm_rows_fall);
    facts.small = facts.opt_level == 2 && !facts.branches && ir->part[0]->ninsts < SMALL;
    return facts;
}

/* False: diagnosed, or nothing fits. */
static bool walk(struct compile *c, enum qpucc_stage stage, struct stage_ir *ir, struct part *parts) {
    struct attempt list[ATTEMPTS_MAX];
    bool same = false;
    if (!enter_level(c, stage, 0, ir, parts, &same))
        return false;
    struct attempt_facts facts = facts_of(c, ir);
    size_t count = attempts_list(&facts, list);
    unsigned level = 0;
    for (size_t i = 0; i < count; i++)
        list[i].flat = c->flat;
    for (size_t i = 0; i < count; i++) {
        if (list[i].level != level) {
            if (all_fit(parts, ir))
                break;
            level = list[i].level;
            if (!enter_level(c, stage, level, ir, parts, &same))
                return false;
        }
        for (unsigned k = 0; k < ir->parts && (!same || list[i].registers); k++)
            if (is_worth_making(&parts[k], &list[i], facts.opt_level) && !make(c, &parts[k], &list[i]))
                return false;
    }
    return all_fit(parts, ir);
}

static void reset(struct part *parts, struct stage_ir *ir) {
    for (unsigned k = 0; k < 2; k++) {
        drop_forms(&parts[k]);
        outcome_free(&parts[k].best);
        outcome_free(&parts[k].failure);
        parts[k] = (struct part){.made = parts[k].made};
    }
    stage_ir_free(ir);
}

static void give(struct part *part, struct part_result *result) {
    bool fits = is_there(&part->best);
    result->best = fits ? part->best : part->failure;
    outcome_free(fits ? &part->failure : &part->best);
    drop_forms(part);
    result->trials = part->made;
    result->trial_count = part->count;
    part->made = NULL;
}

/* The parts of a stage at their best, and the IR they were made from. */
struct walked {
    struct part part[2];
    struct stage_ir ir;
    struct qpucc_usage before; /* of the account */
    enum flat flat;
    bool ok;
};

static void walk_form(struct compile *c, enum qpucc_stage stage, struct walked *w) {
    c->flat = (uint8_t)w->flat;
    w->ok = walk(c, stage, &w->ir, w->part);
    c->flat = NOT_FLAT;
}

/* False: no memory. */
static bool walk_all(struct compile *c, enum qpucc_stage stage, enum flat flat, struct walked *w) {
    static const enum qpucc_stage stage_of_part[2][2] = {
        [QPUCC_FRAGMENT] = {QPUCC_FRAGMENT}, [QPUCC_VERTEX] = {QPUCC_VERTEX, QPUCC_COORDINATE}};
    *w = (struct walked){.flat = flat, .before = ir_usage(c->program->arena)};
    bool has_memory = true;
    for (unsigned k = 0; k < 2; k++) { /* and for those of the other walk */
        w->part[k].made = ir_heap_get(c->program->kept->from, 2 * ATTEMPTS_MAX * sizeof(struct trial));
        w->part[k].parent = c->parent ? &c->parent->stages[stage_of_part[stage][k]] : NULL;
        has_memory &= w->part[k].made != NULL;
    }
    if (has_memory)
        walk_form(c, stage, w);
    return has_memory;
}

/* What was chosen is the parent's without its code, or fails without its messages: everything is made. It is
 * what a compile without a parent does, so it counts once. */
static void make_up(struct compile *c, enum qpucc_stage stage, struct walked *w) {
    bool lacks = false;
    for (unsigned k = 0; k < w->ir.parts; k++)
        lacks |= w->ok ? w->part[k].best.owed : w->part[k].borrowed_failure;
    if (!lacks || c->program->status != QPUCC_OK)
        return;
    struct qpucc_usage now = ir_usage(c->program->arena);
    reset(w->part, &w->ir);
    ir_account_rewind(c->program->arena, w->before.work, w->before.search);
    walk_form(c, stage, w);
    ir_account_rewind(c->program->arena, now.work, now.search);
}

static void walked_free(struct walked *w) {
    reset(w->part, &w->ir);
    ir_heap_free(w->part[0].made);
    ir_heap_free(w->part[1].made);
}

/* Expected cycles of all parts. */
static uint64_t cost_of(const struct walked *w) {
    uint64_t cost = 0;
    for (unsigned k = 0; k < w->ir.parts; k++)
        cost += w->part[k].best.code.cost;
    return cost;
}

/* Nothing else is wrong with it. */
static bool lacks_registers(const struct walked *w) {
    for (unsigned k = 0; k < w->ir.parts; k++)
        if (!is_there(&w->part[k].best) &&
            (w->part[k].borrowed_failure || w->part[k].failure.code.status == BE_DOES_NOT_FIT))
            return true;
    return false;
}

/* Where branches of all lanes were kept: the same stage without them, if that is expected to be faster. What
 * the branches cost is known here only, when their code is there. Where the source asks for branches and they
 * find no registers: without any. And what does not fit at -O0, as at -O1. What was not chosen is left in
 * *other. False: no memory. */
static bool try_flat(struct compile *c, enum qpucc_stage stage, struct walked *kept, struct walked *other) {
    bool unfit = lacks_registers(kept), asked = unfit && c->ir->branches[stage] & IR_KEPT_BY_HINT,
         again = unfit && c->options.opt_level == 0;
    if ((!(c->ir->branches[stage] & IR_KEPT_BY_COST) && !asked && !again) || c->program->status != QPUCC_OK)
        return true;
    bool has_memory = walk_all(c, stage, asked ? FLAT_ALL : FLAT_UNLESS_ASKED, other);
    kept->ok &= c->program->status == QPUCC_OK;
    if (again || (other->ok && (!kept->ok || cost_of(other) < cost_of(kept)))) {
        struct walked flat = *other;
        *other = *kept;
        *kept = flat;
    }
    return has_memory;
}

/* Variants make neither form again where the IR is the same. */
static void keep_trials(struct part *part, const struct part *other) {
    if (other->count)
        memcpy(part->made + part->count, other->made, other->count * sizeof *other->made);
    part->count += other->count;
}

bool attempts_run(struct compile *c, enum qpucc_stage stage, struct stage_ir *ir,
                  struct part_result results[2]) {
    struct walked best, other = {0};
    bool has_memory = walk_all(c, stage, NOT_FLAT, &best) && try_flat(c, stage, &best, &other);
    if (has_memory)
        make_up(c, stage, &best);
    bool ok = has_memory && best.ok;
    *ir = best.ir;
    for (unsigned k = 0; k < ir->parts; k++) {
        const struct outcome *failure = &best.part[k].failure;
        bool fits = is_there(&best.part[k].best), broken = failure->code.status == BE_INTERNAL;
        if (failure->shader && (fits ? broken : !ok))
            complain(c->program, failure, fits);
        keep_trials(&best.part[k], &other.part[k]);
        give(&best.part[k], &results[k]);
    }
    walked_free(&other);
    ir_heap_free(best.part[0].made);
    ir_heap_free(best.part[1].made);
    return has_memory ? ok : compile_stopped(c, NULL);
}
