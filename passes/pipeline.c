/* The pass driver: the table of passes, and the order in which they prepare a shader for selection.
 *
 * Requires: verified IR, and a list of known passes. Keeps: what each pass keeps; analyses are updated before
 * a pass that needs them.
 *
 * The generic passes come first. They do not depend on the GL state, so their result can be kept and every
 * variant starts from it. Unrolling and if-conversion produce constants, and constants allow more of both, so
 * groups of passes repeat until nothing changes. */
#include "passes/passes.h"

#include <string.h>
#include <time.h>

static const struct pass_info table[] = {
#define PASS(name, flags, description) {#name, sizeof #name - 1, pass_##name, flags, description},
#include "passes/passes.def"
#undef PASS
};

const struct pass_info *passes_table(size_t *count) {
    *count = sizeof table / sizeof *table;
    return table;
}

static const struct pass_info *find(const char *name, size_t length) {
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (table[k].length == length && table[k].name[0] == *name &&
            memcmp(table[k].name, name, length) == 0)
            return &table[k];
    return NULL;
}

const struct pass_info *passes_find(const char *name) {
    return find(name, strlen(name));
}

struct pass_options passes_default_options(void) {
    return (struct pass_options){
        .level = 2,
        .branch_least = 30,
        .unroll_limit = 1200,
        .unroll_total = 6000,
        .unroll_usual = 1200,
        .unroll_hinted = 6000,
        .unroll_hinted_total = 30000,
        .unroll_known = 100000,
        .unroll_trips = 4096,
#ifndef NDEBUG
        .verify = true,
#endif
    };
}

enum {
#define PASS(name, flags, description) NUMBER_##name,
#include "passes/passes.def"
#undef PASS
    PASS_COUNT
};

/* A pass, or an end of a group: the second one says how often the steps between are run at most. */
struct step {
    const struct pass_info *pass;
    bool begins;
    uint32_t times;
};

/* clang-format off */
#define RUN(name) {&table[NUMBER_##name], false, 0}
#define MANY {NULL, true, 0}
#define TIMES(n) {NULL, false, n}
#define TIDY MANY, RUN(fold), RUN(algebraic), RUN(cse), RUN(cfg), RUN(dce), TIMES(8)
#define DEAD MANY, RUN(dce), RUN(deadloop), RUN(cfg), TIMES(8)

/* What each is for says passes.h. */
static const struct step generic[] = {
    RUN(watch), RUN(cfg), RUN(ssa), RUN(dce), RUN(exact),
    MANY, RUN(fold), RUN(algebraic), RUN(cse), RUN(cfg), RUN(dce), RUN(deadloop), RUN(unroll), RUN(ssa),
    TIMES(8),
    RUN(base_index), RUN(index), RUN(ssa),
    MANY, RUN(ifconvert), RUN(cfg), RUN(ssa), TIMES(8),
    MANY, RUN(select_sink), RUN(correlate), RUN(fold), RUN(algebraic), RUN(cse), RUN(dce), TIMES(8),
    TIDY,
};
static const struct step stage[] = {
    RUN(exact), RUN(defined), RUN(lower_stage), DEAD,
    TIDY, RUN(vectorize_bytes), RUN(dce), RUN(share_predicate), RUN(cse), RUN(dce), RUN(relax_precision),
    MANY, RUN(drop_scale), RUN(dce), TIMES(2), RUN(powers_of_two), RUN(dce),
    MANY, RUN(linear), RUN(fold), RUN(algebraic), RUN(cse), RUN(dce), TIMES(4),
    MANY, RUN(factor), RUN(fold), RUN(algebraic), RUN(cse), RUN(dce), TIMES(8),
    RUN(last_factor), RUN(fold), RUN(dce),
    MANY, RUN(uniforms), RUN(product), RUN(fold), RUN(algebraic), RUN(cse), RUN(dce), TIMES(4),
    TIDY, RUN(predicate_add), RUN(share_difference),
    TIDY, RUN(negate), RUN(lower_math),
    TIDY,
};
static const struct step tidy[] = {TIDY};
static const struct step rotated[] = {RUN(rotate), TIDY};
static const struct step hoisted[] = {RUN(rotate), TIDY, RUN(hoist)};
static const struct step sink_varyings[] = {RUN(sink_varyings)};
static const struct step cut_vertex[] = {RUN(cut_vertex), RUN(dce), RUN(outputs)};
static const struct step cut_coordinate[] = {RUN(cut_coordinate), DEAD, RUN(outputs)};
static const struct step outputs[] = {RUN(outputs)};

struct list {
    const struct step *step;
    uint32_t count;
};

static const struct list lists[] = {
#define LIST(steps) {steps, sizeof steps / sizeof *steps}
    [PASSES_GENERIC] = LIST(generic),
    [PASSES_STAGE] = LIST(stage),
    [PASSES_TIDY] = LIST(tidy),
    [PASSES_ROTATED] = LIST(rotated),
    [PASSES_HOISTED] = LIST(hoisted),
    [PASSES_SINK_VARYINGS] = LIST(sink_varyings),
    [PASSES_CUT_VERTEX] = LIST(cut_vertex),
    [PASSES_CUT_COORDINATE] = LIST(cut_coordinate),
    [PASSES_OUTPUTS] = LIST(outputs),
};
/* clang-format on */

enum kind { KIND_ANY, KIND_DEAD, KIND_MARKS, KIND_MERGED, KINDS };

_Static_assert(PASS_COUNT <= 64, "a bit for each pass");

struct driver {
    struct ir_shader *shader;
    const struct pass_options *options;
    uint32_t valid; /* PASS_NEEDS_ORDER, _DOMINATORS, _LOOPS: analyses that are true now */
    /* By number: nothing has changed that concerns the pass since it last left nothing to do. It is not run
     * on the same again, but to see whether that is true (verify). */
    uint64_t settled;
    char *error;
    size_t size;
};

static bool fail(struct driver *d, const char *what, const char *name, size_t length, const char *why) {
    if (d->error && d->size)
        snprintf(d->error, d->size, "%s%.*s%s%s", what, (int)length, name, *why ? ": " : "", why);
    return false;
}

static double seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void analyse(struct driver *d, uint32_t wanted) {
    wanted &= PASS_NEEDS_ORDER | PASS_NEEDS_DOMINATORS | PASS_NEEDS_LOOPS;
    if (!(wanted & ~d->valid))
        return;
    if (wanted & PASS_NEEDS_LOOPS)
        wanted |= PASS_NEEDS_DOMINATORS;
    if (wanted & PASS_NEEDS_DOMINATORS)
        wanted |= PASS_NEEDS_ORDER;
    if (wanted & ~d->valid & PASS_NEEDS_ORDER) {
        ir_cfg_update(d->shader);
        d->valid = 0;
    }
    if (wanted & ~d->valid & PASS_NEEDS_DOMINATORS)
        ir_dominators(d->shader);
    if (wanted & ~d->valid & PASS_NEEDS_LOOPS)
        ir_loops(d->shader);
    d->valid |= wanted;
}

static enum kind kind_of(uint32_t flags) {
    return flags & PASS_REMOVES_DEAD ? KIND_DEAD
           : flags & PASS_MARKS      ? KIND_MARKS
           : flags & PASS_MERGES     ? KIND_MERGED
                                     : KIND_ANY;
}

/* A pass has changed something: which ones have something to do again? */
static void unsettle(struct driver *d, uint32_t flags) {
    static const uint32_t ignores[KINDS] = {[KIND_DEAD] = PASS_IGNORES_DEAD,
                                            [KIND_MARKS] = PASS_IGNORES_MARKS,
                                            [KIND_MERGED] = PASS_IGNORES_MERGED};
    uint32_t ignore = ignores[kind_of(flags)];
    for (uint64_t left = d->settled; left; left &= left - 1)
        if (!(table[__builtin_ctzll(left)].flags & ignore))
            d->settled &= ~(left & -left);
}

/* Is there nothing more to do for the pass that has just changed something? */
static bool is_done(const struct driver *d, uint32_t flags) {
    return flags & PASS_REMOVES_DEAD || (flags & PASS_AT_ONCE && d->shader->nblocks == 1);
}

/* What a pass over the shader costs, before it is run: passes that do more than go through it count that
 * themselves. */
static bool account(struct driver *d) {
    const struct ir_shader *shader = d->shader;
    return ir_size(shader->arena, shader->ninsts) &&
           ir_work(shader->arena, (uint64_t)shader->ninsts + shader->nblocks);
}

static bool run(struct driver *d, const struct pass_info *pass, bool *changed) {
    const struct pass_options *options = d->options;
    uint64_t self = (uint64_t)1 << (pass - table);
    bool again = d->settled & self;
    if ((again && !options->verify) || d->shader->refused) /* what lower_stage gave up is left half done */
        return true;
    if (!account(d))
        return fail(d, "stopped before pass ", pass->name, pass->length, "");
    double start = options->after ? seconds() : 0;
    analyse(d, pass->flags);
    bool did = pass->run(d->shader, options);
    if ((did && !(pass->flags & PASS_KEEPS_CFG)) || pass->flags & PASS_BREAKS_ANALYSES)
        d->valid = 0;
    if (did && !(pass->flags & PASS_MARKS)) {
        ir_forget_facts(d->shader);
        if (d->shader->next_id > 2 * d->shader->ninsts) /* everybody's tables by number grow with them */
            ir_renumber(d->shader);
    }
    *changed |= did;
    if (did)
        unsettle(d, pass->flags);
    if (!did || is_done(d, pass->flags))
        d->settled |= self;
    if (options->after)
        options->after(options->user, pass->name, d->shader, did, seconds() - start);
    if (ir_arena_oom(d->shader->arena))
        return fail(d, "stopped in pass ", pass->name, pass->length, "");
    if (options->verify && !d->shader->refused) {
        char text[200];
        if (again && did)
            return fail(d, "a run that could have been skipped changed something: pass ", pass->name,
                        strlen(pass->name), "");
        if (!ir_verify(d->shader, text, sizeof text))
            return fail(d, "after pass ", pass->name, strlen(pass->name), text);
    }
    return true;
}

static const char *skip(const char *at) {
    return at + strspn(at, " \t\n,");
}

/* What stands behind a group: "*8", or nothing for once. */
static const char *read_times(const char *at, uint32_t *times) {
    enum { MOST = 1000 };
    *times = *at != '*';
    if (*at == '*')
        for (at++; *at >= '0' && *at <= '9'; at++)
            *times = *times < MOST ? *times * 10 + (uint32_t)(*at - '0') : *times;
    return at;
}

/* Reads a list up to its end or ')'; NULL: it is wrong. */
static const char *read_list(struct driver *d, struct step *step, uint32_t *count, const char *at,
                             unsigned depth) {
    enum { DEEPEST = 8 };
    for (at = skip(at); *at && *at != ')'; at = skip(at)) {
        struct step *next = &step[(*count)++];
        *next = (struct step){.begins = *at == '('};
        if (next->begins) {
            if (depth == DEEPEST)
                return fail(d, "pass list: nested too deep", "", 0, ""), NULL;
            at = read_list(d, step, count, at + 1, depth + 1);
            if (at && *at != ')')
                return fail(d, "pass list: missing ')'", "", 0, ""), NULL;
            if (!at)
                return NULL;
            next = &step[(*count)++];
            *next = (struct step){0};
            at = read_times(at + 1, &next->times);
            continue;
        }
        size_t length = strcspn(at, " \t\n,()*");
        next->pass = find(at, length);
        if (!next->pass)
            return fail(d, "unknown pass ", at, length, ""), NULL;
        at += length;
    }
    return at;
}

/* The end of the group that begins with step k. */
static uint32_t end_of(const struct list *list, uint32_t k) {
    for (uint32_t depth = 0;; k++)
        if (!list->step[k].pass && !(depth += list->step[k].begins ? 1 : UINT32_MAX))
            return k;
}

/* Runs steps once; *changed: they did something. */
static bool run_steps(struct driver *d, const struct list *list, uint32_t from, uint32_t to, bool *changed) {
    for (uint32_t k = from; k < to; k++) {
        if (list->step[k].pass) {
            if (!run(d, list->step[k].pass, changed))
                return false;
            continue;
        }
        uint32_t end = end_of(list, k);
        bool again = true;
        for (uint32_t round = 0; again && round < list->step[end].times; round++) {
            again = false;
            if (!run_steps(d, list, k + 1, end, &again))
                return false;
            *changed |= again;
        }
        k = end;
    }
    return true;
}

static bool run_list(struct driver *d, const struct list *list) {
    bool changed = false;
    if (!run_steps(d, list, 0, list->count, &changed))
        return false;
    analyse(d, PASS_NEEDS_ORDER);
    return true;
}

static struct driver begin(struct ir_shader *shader, const struct pass_options *options, char *error,
                           size_t size) {
    if (error && size)
        error[0] = 0;
    ir_forget_facts(shader);
    return (struct driver){.shader = shader, .options = options, .error = error, .size = size};
}

bool passes_run_named(struct ir_shader *shader, const char *names, const struct pass_options *options,
                      char *error, size_t size) {
    struct pass_options defaults = passes_default_options();
    struct driver d = begin(shader, options ? options : &defaults, error, size);
    struct step *step = ir_alloc_uncleared(shader->arena, (strlen(names) + 1) * sizeof *step);
    struct list list = {step, 0};
    if (ir_arena_oom(shader->arena))
        return fail(&d, "no memory", "", 0, "");
    const char *end = read_list(&d, step, &list.count, names, 0);
    if (!end)
        return false;
    if (*end)
        return fail(&d, "pass list: stray ')'", "", 0, "");
    return run_list(&d, &list);
}

bool passes_run(struct ir_shader *shader, enum passes_list list, const struct pass_options *options,
                char *error, size_t size) {
    struct driver d = begin(shader, options, error, size);
    return run_list(&d, &lists[list]);
}

bool passes_run_pipeline(struct ir_shader *shader, const struct pass_options *options, char *error,
                         size_t size) {
    return passes_run(shader, PASSES_GENERIC, options, error, size) &&
           passes_run(shader, PASSES_STAGE, options, error, size) &&
           passes_run(shader, PASSES_HOISTED, options, error, size);
}
