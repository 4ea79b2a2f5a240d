/* What was decided about loops and branches, for readers: sorted by place, what is equal together, in words.
 *
 * Requires: the passes' notes of a replayed compile (passes/decisions.h). Keeps them. Nothing is found out
 * here that the passes did not say, but for what the attempts showed: what the stage costs with and without
 * branches on uniforms (compiler/attempts.c), and which of the two was taken. */
#include "explain/decisions.h"
#include "compiler/attempts.h"
#include "ir/writer.h"
#include "mir/objective.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const choice_names[QPUCC_CHOICE_COUNT] = {"unrolled", "loop",   "branch", "selections",
                                                             "joined",   "folded", "removed"};

static const struct {
    const char *name, *text; /* the text where no figures are part of it */
} whys[QPUCC_WHY_COUNT] = {
    [QPUCC_WHY_FITS] = {"fits", ""},
    [QPUCC_WHY_HINT] = {"hint", "the source asks for it"},
    [QPUCC_WHY_OPTION] = {"option", "by an option"},
    [QPUCC_WHY_REGISTERS] = {"registers", "the other form finds no registers"},
    [QPUCC_WHY_COUNT_UNKNOWN] = {"count_unknown", "the number of iterations is not known"},
    [QPUCC_WHY_TOO_LARGE] = {"too_large", ""},
    [QPUCC_WHY_SHADER_TOO_LARGE] = {"shader_too_large", ""},
    [QPUCC_WHY_TOO_MANY] = {"too_many", "more iterations than are counted"},
    [QPUCC_WHY_PAYS] = {"pays", ""},
    [QPUCC_WHY_SHORT] = {"short", ""},
    [QPUCC_WHY_FORM] = {"form", "the stage is expected to be faster without branches on uniforms"},
    [QPUCC_WHY_DIVERGENT] = {"divergent", "lanes may go different ways"},
    [QPUCC_WHY_MASKED] = {"masked", "all lanes that are there go one way, but some may be away"},
    [QPUCC_WHY_LOOP_INSIDE] = {"loop_inside", "a loop lies on one side"},
    [QPUCC_WHY_LEAVES_LOOP] = {"leaves_loop", "one side leaves a loop"},
    [QPUCC_WHY_ENTERED] = {"entered", "its sides meet others before each other"},
    [QPUCC_WHY_ENDS] = {"ends", "one side ends the shader"},
    [QPUCC_WHY_EFFECT] = {"effect", "one side does what no lane may do in vain"},
    [QPUCC_WHY_INSIDE] = {"inside", "a branch on one side stays"},
    [QPUCC_WHY_CONSTANT] = {"constant", "the condition is known"},
    [QPUCC_WHY_UNUSED] = {"unused", "nothing needs it"},
    [QPUCC_WHY_NO_BRANCHES] = {"no_branches", ""},
};

static const char *const hint_names[QPUCC_HINT_COUNT] = {"none", "unroll", "dont_unroll", "flatten",
                                                         "dont_flatten"};

const char *qpucc_choice_name(enum qpucc_choice choice) {
    return (unsigned)choice < QPUCC_CHOICE_COUNT ? choice_names[choice] : NULL;
}

const char *qpucc_why_name(enum qpucc_why why) {
    return (unsigned)why < QPUCC_WHY_COUNT ? whys[why].name : NULL;
}

const char *qpucc_hint_name(enum qpucc_hint hint) {
    return (unsigned)hint < QPUCC_HINT_COUNT ? hint_names[hint] : NULL;
}

_Static_assert(QPUCC_HINT_DONT_FLATTEN == (int)IR_HINT_DONT_FLATTEN && QPUCC_HINT_COUNT == (int)IR_HINT_COUNT,
               "the IR's hints by the same numbers");

/* --- what the attempts showed --------------------------------------------------------------------------- */

/* Expected cycles of the stage's best attempt with such branches or without; 0: there is none. */
static unsigned best_of(const qpucc_program *program, enum qpucc_stage stage, bool flat) {
    const struct program_stage *s = &program->stages[stage];
    uint64_t best = 0;
    for (size_t k = 0; k < s->trial_count; k++) {
        const struct trial *t = &s->trials[k];
        bool same = (t->attempt.flat != NOT_FLAT) == flat;
        if (same && t->status == BE_OK && (!best || t->cost < best))
            best = t->cost;
    }
    return (unsigned)(best / objective(OBJECTIVE_ALWAYS, 0));
}

struct forms {
    enum qpucc_why why_flat; /* no branch on uniforms stays that could be selections */
    unsigned cycles, other_cycles;
};

static struct forms forms_of(const qpucc_program *program, enum qpucc_stage stage) {
    const struct program_stage *s = &program->stages[stage];
    bool flat = s->winner < s->trial_count && s->trials[s->winner].attempt.flat != NOT_FLAT;
    unsigned own = best_of(program, stage, flat), other = best_of(program, stage, !flat);
    bool both = own && other;
    if (stage != QPUCC_FRAGMENT) {
        enum qpucc_stage twin = stage == QPUCC_VERTEX ? QPUCC_COORDINATE : QPUCC_VERTEX;
        unsigned own_twin = best_of(program, twin, flat), other_twin = best_of(program, twin, !flat);
        both &= own_twin && other_twin;
        own += own_twin;
        other += other_twin;
    }
    return (struct forms){.why_flat = !flat || !program->kept->opt_level ? QPUCC_WHY_OPTION
                                      : both                             ? QPUCC_WHY_FORM
                                                                         : QPUCC_WHY_REGISTERS,
                          .cycles = both ? own : 0,
                          .other_cycles = both ? other : 0};
}

/* --- in words ------------------------------------------------------------------------------------------- */

static const char *plural(unsigned n) {
    return n == 1 ? "" : "s";
}

static void say_iterations(const struct qpucc_explain_decision *d, struct ir_writer *out) {
    ir_write(out, "%s%u iteration%s", d->at_most ? "at most " : "", d->iterations, plural(d->iterations));
}

static void say_loop(const struct qpucc_explain_decision *d, struct ir_writer *out) {
    if (d->choice == QPUCC_CHOICE_UNROLLED) {
        ir_write_text(out, "unrolled: ");
        say_iterations(d, out);
        ir_write(out, ", %u instruction%s", d->size, plural(d->size));
        if (d->why == QPUCC_WHY_FITS)
            ir_write(out, " of at most %u", d->limit);
        else
            ir_write(out, ", because %s", whys[d->why].text);
        return;
    }
    ir_write_text(out, "stays a loop: ");
    if (d->why == QPUCC_WHY_TOO_LARGE || d->why == QPUCC_WHY_SHADER_TOO_LARGE)
        ir_write(out, "its iterations have more than %s%u instructions",
                 d->why == QPUCC_WHY_TOO_LARGE ? "" : "what is left of the shader's limit, ", d->limit);
    else if (d->why == QPUCC_WHY_REGISTERS && d->limit)
        ir_write(out, "more than %u instructions find no registers", d->limit);
    else
        ir_write_text(out, whys[d->why].text);
    if (d->iterations) {
        ir_write_text(out, "; ");
        say_iterations(d, out);
    }
}

static void say_slots(const struct qpucc_explain_decision *d, struct ir_writer *out) {
    ir_write(out, "%u slot%s", d->size, plural(d->size));
    if (d->lookups)
        ir_write(out, " with %u lookup%s", d->lookups, plural(d->lookups));
}

static void say_branch(const struct qpucc_explain_decision *d, struct ir_writer *out) {
    bool joined = d->choice == QPUCC_CHOICE_JOINED;
    ir_write_text(out, d->choice == QPUCC_CHOICE_BRANCH ? "stays a branch: "
                       : joined                         ? "computed up to the next branch, which tests both: "
                                                        : "selections: ");
    switch (d->why) {
    case QPUCC_WHY_PAYS:
        ir_write_text(out, "all lanes go one way, and it may skip ");
        say_slots(d, out);
        ir_write(out, " (%u are enough)", d->limit);
        break;
    case QPUCC_WHY_SHORT:
        ir_write_text(out, joined ? "it has " : "it would skip ");
        say_slots(d, out);
        ir_write(out, " (%u would be enough)", d->limit);
        break;
    default:
        ir_write_text(out, whys[d->why].text);
        if (d->size) {
            ir_write_text(out, "; ");
            say_slots(d, out);
        }
    }
    if (d->cycles)
        ir_write(out, "; expected cycles of the stage: %u, and %u %s branches on uniforms", d->cycles,
                 d->other_cycles, d->choice == QPUCC_CHOICE_BRANCH ? "without" : "with");
}

static const char *say(struct ir_arena *arena, const struct qpucc_explain_decision *d) {
    struct ir_writer writer = {.from = ir_allocator(arena)}, *out = &writer;
    if (d->choice == QPUCC_CHOICE_FOLDED || d->choice == QPUCC_CHOICE_REMOVED)
        ir_write(out, "%s: %s", d->choice == QPUCC_CHOICE_FOLDED ? "folded away" : "removed",
                 whys[d->why].text);
    else if (d->loop)
        say_loop(d, out);
    else
        say_branch(d, out);
    if (!d->heeded)
        ir_write(out, "; the source asks for %s", hint_names[d->hint]);
    char *text = ir_written(out);
    const char *kept = text ? ir_strdup(arena, text) : NULL;
    if (!text)
        ir_arena_fail(arena);
    ir_heap_free(text);
    return kept;
}

/* --- together ------------------------------------------------------------------------------------------- */

static int compare_places(const struct decision *x, const struct decision *y) {
    return x->loc.file != y->loc.file   ? (x->loc.file > y->loc.file) - (x->loc.file < y->loc.file)
           : x->loc.line != y->loc.line ? (x->loc.line > y->loc.line) - (x->loc.line < y->loc.line)
           : x->loop != y->loop         ? y->loop - x->loop
                                        : (x->loc.column > y->loc.column) - (x->loc.column < y->loc.column);
}

/* By place, loops first; then by all that may not differ between copies. */
static int compare(const void *a, const void *b) {
    const struct decision *x = a, *y = b;
    int place = compare_places(x, y);
    return place                    ? place
           : x->choice != y->choice ? (int)x->choice - y->choice
           : x->why != y->why       ? (int)x->why - y->why
           : x->hint != y->hint     ? (int)x->hint - y->hint
                                    : (int)x->uniform - y->uniform;
}

/* The test of a loop of the same line, which stands before it in the list: it is part of that. */
static bool is_loops_test(const struct decision *d, const struct decision *loop) {
    bool test = !d->loop && d->why == QPUCC_WHY_LEAVES_LOOP;
    return test && loop && loop->loc.file == d->loc.file && loop->loc.line == d->loc.line;
}

static bool is_heeded(const struct decision *d) {
    bool gone = d->choice == QPUCC_CHOICE_FOLDED || d->choice == QPUCC_CHOICE_REMOVED;
    switch (d->hint) {
    case IR_HINT_UNROLL: return gone || d->choice == QPUCC_CHOICE_UNROLLED;
    case IR_HINT_DONT_UNROLL: return gone || d->choice == QPUCC_CHOICE_LOOP;
    case IR_HINT_FLATTEN: return gone || d->choice != QPUCC_CHOICE_BRANCH;
    case IR_HINT_DONT_FLATTEN: return gone || d->choice == QPUCC_CHOICE_BRANCH;
    }
    return true;
}

static unsigned most(unsigned a, unsigned b) {
    return a > b ? a : b;
}

/* Was this one decided by comparing both forms of the stage? */
static bool by_form(enum qpucc_why why) {
    return why == QPUCC_WHY_PAYS || why == QPUCC_WHY_FORM;
}

static void begin_group(struct qpucc_explain_decision *out, const struct decision *d,
                        const struct decisions *all, const struct forms *forms) {
    enum qpucc_why why = (enum qpucc_why)d->why;
    if (why == QPUCC_WHY_NO_BRANCHES)
        why = forms->why_flat;
    *out = (struct qpucc_explain_decision){.loop = d->loop,
                                           .file = d->loc.file < all->nfiles ? all->files[d->loc.file] : NULL,
                                           .line = d->loc.line,
                                           .column = d->loc.column,
                                           .choice = (enum qpucc_choice)d->choice,
                                           .why = why,
                                           .hint = (enum qpucc_hint)d->hint,
                                           .heeded = is_heeded(d),
                                           .uniform = d->uniform,
                                           .iterations = d->trips,
                                           .limit = d->limit};
    if (by_form(why)) {
        out->cycles = forms->cycles;
        out->other_cycles = forms->other_cycles;
    }
}

struct qpucc_explain_decision *explain_decisions(struct ir_arena *arena, const qpucc_program *program,
                                                 enum qpucc_stage stage, const struct decisions *decisions,
                                                 uint32_t *count) {
    struct qpucc_explain_decision *out = ir_alloc(arena, (decisions->count + 1) * sizeof *out), *at = NULL;
    struct decision *list = ir_alloc(arena, (decisions->count + 1) * sizeof *list);
    const struct decision *loop = NULL, *before = NULL;
    const struct forms forms = forms_of(program, stage);
    *count = 0;
    if (ir_arena_oom(arena))
        return out;
    if (decisions->count)
        memcpy(list, decisions->list, decisions->count * sizeof *list);
    qsort(list, decisions->count, sizeof *list, compare);
    for (uint32_t k = 0; k < decisions->count; k++) {
        const struct decision *d = &list[k];
        if (d->loop)
            loop = d;
        if (is_loops_test(d, loop))
            continue;
        if (!before || compare(d, before)) {
            at = &out[(*count)++];
            begin_group(at, d, decisions, &forms);
        }
        before = d;
        at->copies++;
        at->at_most |= d->at_most || at->iterations != d->trips;
        at->iterations = most(at->iterations, d->trips);
        at->size = most(at->size, d->size);
        at->limit = most(at->limit, d->limit);
        at->lookups = most(at->lookups, d->lookups);
    }
    for (uint32_t k = 0; k < *count; k++)
        out[k].text = say(arena, &out[k]);
    return out;
}
