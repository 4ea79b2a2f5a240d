/* Random programs, compared with themselves after passes.
 *
 * A program is what a front end would write for structured code over integers: variables, arrays indexed at
 * run time, conditionals, loops with breaks, continues and early returns. It is run before and after each
 * list of passes, on a few inputs; outputs have to agree to the bit. Damaged text of the same programs may do
 * anything but break the passes. Where all trip counts are constants the whole pipeline has to end with one
 * block. Seeds are fixed: `random_test [first count]` runs others. */
#include "interp.h"
#include "passes/decisions.h"
#include "passes/passes.h"

#include <stdlib.h>
#include <string.h>

enum { INTS = 5, ARRAY = 8, INPUTS = 4 };

struct gen {
    uint64_t seed;
    struct ir_shader *shader;
    struct ir_builder b;
    uint32_t ints[INTS], array, returned;
    struct ir_block *end, *exit,
        *next; /* of the shader; of the innermost loop: after it, its next iteration */
    int size, depth;
    bool runtime; /* some loop's bound is a uniform */
};

static uint32_t pick(struct gen *g, uint32_t n) {
    g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(g->seed >> 33) % n;
}

static struct ir_inst *load(struct gen *g, uint32_t var) {
    return ir_emit(&g->b, IR_VAR_LOAD, IR_I32, 0, NULL, var, 0);
}

static void store(struct gen *g, uint32_t var, struct ir_inst *value) {
    ir_emit(&g->b, IR_VAR_STORE, IR_VOID, 1, &value, var, 0);
}

static struct ir_inst *expression(struct gen *g, int depth);

/* An index into the array, sometimes a constant. */
static struct ir_inst *array_index(struct gen *g) {
    if (pick(g, 3) == 0)
        return ir_const_i(&g->b, pick(g, ARRAY));
    return ir_op2(&g->b, IR_IAND, expression(g, 2), ir_const_i(&g->b, ARRAY - 1));
}

static struct ir_inst *condition(struct gen *g, int depth) {
    static const enum ir_op ops[] = {IR_ILT, IR_IGE, IR_IEQ, IR_INE, IR_ULT};
    if (depth < 2 && pick(g, 4) == 0) {
        struct ir_inst *x = condition(g, depth + 1), *y = condition(g, depth + 1);
        return pick(g, 3) ? ir_op2(&g->b, pick(g, 2) ? IR_BAND : IR_BOR, x, y) : ir_op1(&g->b, IR_BNOT, x);
    }
    struct ir_inst *x = expression(g, depth + 1), *y = expression(g, depth + 1);
    return ir_op2(&g->b, ops[pick(g, 5)], x, y);
}

static struct ir_inst *expression(struct gen *g, int depth) {
    static const enum ir_op ops[] = {IR_IADD, IR_ISUB, IR_IMUL, IR_IAND, IR_IXOR, IR_IMIN, IR_IMAX, IR_USHR};
    switch (pick(g, depth > 2 ? 4 : 9)) {
    case 0: return ir_const_i(&g->b, pick(g, 9) - 3);
    case 1: return ir_emit(&g->b, IR_INPUT, IR_I32, 0, NULL, pick(g, INPUTS), 0);
    case 2:
    case 3: return load(g, g->ints[pick(g, INTS)]);
    case 4: {
        struct ir_inst *at = array_index(g);
        return ir_emit(&g->b, IR_VAR_LOAD, IR_I32, 1, &at, g->array, 0);
    }
    case 5: {
        struct ir_inst *c = condition(g, depth + 1), *x = expression(g, depth + 1),
                       *y = expression(g, depth + 1);
        return ir_op3(&g->b, IR_SELECT, c, x, y);
    }
    default: {
        struct ir_inst *x = expression(g, depth + 1), *y = expression(g, depth + 1);
        return ir_op2(&g->b, ops[pick(g, 8)], x, y);
    }
    }
}

static void go_to(struct gen *g, struct ir_block *block) {
    g->b.block = block;
}

static void statements(struct gen *g);

static void conditional(struct gen *g) {
    struct ir_block *then = ir_block_create(g->shader), *join = ir_block_create(g->shader);
    struct ir_block *otherwise = pick(g, 2) ? ir_block_create(g->shader) : join;
    struct ir_inst *c = condition(g, 0);
    ir_branch(&g->b, c, then, otherwise);
    go_to(g, then);
    statements(g);
    ir_jump(&g->b, join);
    if (otherwise != join) {
        go_to(g, otherwise);
        statements(g);
        ir_jump(&g->b, join);
    }
    go_to(g, join);
}

/* if (c) leave: for the loop's end, its next trip, or (with the flag that says so) out of the shader. */
static void jump_out(struct gen *g) {
    struct ir_block *leave = ir_block_create(g->shader), *stay = ir_block_create(g->shader);
    struct ir_inst *c = condition(g, 0);
    ir_branch(&g->b, c, leave, stay);
    go_to(g, leave);
    store(g, g->ints[pick(g, INTS)], expression(g, 0));
    uint32_t how = pick(g, 3);
    if (how == 0)
        store(g, g->returned, ir_const_i(&g->b, 1));
    ir_jump(&g->b, how == 1 ? g->next : g->exit);
    go_to(g, stay);
}

static void loop(struct gen *g) {
    struct ir_block *head = ir_block_create(g->shader), *body = ir_block_create(g->shader);
    struct ir_block *next = ir_block_create(g->shader), *exit = ir_block_create(g->shader);
    struct ir_block *outer_exit = g->exit, *outer_next = g->next;
    uint32_t counter = ir_add_var(g->shader, "i", IR_I32, 1), step = 1 + pick(g, 2), trips = pick(g, 4);
    bool runtime = pick(g, 12) == 0, at_end = pick(g, 3) == 0;
    store(g, counter, ir_const_i(&g->b, 0));
    ir_jump(&g->b, at_end ? body : head);
    go_to(g, at_end ? next : head);
    if (at_end) {
        store(g, counter, ir_op2(&g->b, IR_IADD, load(g, counter), ir_const_i(&g->b, step)));
    }
    struct ir_inst *bound = ir_const_i(&g->b, trips * step);
    if (runtime) {
        g->runtime = true;
        bound = ir_uniform(&g->b, IR_I32,
                           ir_slot(g->shader, (struct ir_slot){.kind = IR_SLOT_UNIFORM, .type = IR_I32}));
    }
    struct ir_inst *c = ir_op2(&g->b, IR_ILT, load(g, counter), bound);
    ir_branch(&g->b, c, body, exit);
    go_to(g, body);
    g->exit = exit;
    g->next = next;
    g->depth++;
    statements(g);
    if (pick(g, 2)) /* the counter's own value is used */
        store(g, g->ints[pick(g, INTS)], ir_op2(&g->b, IR_IADD, load(g, counter), expression(g, 1)));
    g->depth--;
    g->exit = outer_exit;
    g->next = outer_next;
    ir_jump(&g->b, next);
    if (!at_end) {
        go_to(g, next);
        store(g, counter, ir_op2(&g->b, IR_IADD, load(g, counter), ir_const_i(&g->b, step)));
        ir_jump(&g->b, head);
    }
    go_to(g, exit);
    struct ir_block *on = ir_block_create(g->shader);
    struct ir_inst *out = ir_op2(&g->b, IR_INE, load(g, g->returned), ir_const_i(&g->b, 0));
    ir_branch(&g->b, out, g->exit ? g->exit : g->end, on);
    go_to(g, on);
}

static void statements(struct gen *g) {
    g->depth++;
    for (uint32_t n = 1 + pick(g, 3); n > 0; n--) {
        uint32_t what = g->depth > 4 || g->size <= 0 ? 0 : pick(g, 10);
        g->size--;
        if (what < 4) {
            store(g, g->ints[pick(g, INTS)], expression(g, 0));
        } else if (what < 5) {
            struct ir_inst *value = expression(g, 1), *source[2] = {value, array_index(g)};
            ir_emit(&g->b, IR_VAR_STORE, IR_VOID, 2, source, g->array, 0);
        } else if (what < 7) {
            conditional(g);
        } else if (what < 9) {
            if (g->depth <= 3)
                loop(g);
        } else if (g->exit) {
            jump_out(g);
        }
    }
    g->depth--;
}

static struct ir_shader *program(uint64_t seed, bool *runtime) {
    struct gen g = {.seed = seed * 0x9e3779b97f4a7c15u + 1, .size = 25};
    g.shader = ir_shader_create(NULL, QPUCC_FRAGMENT);
    struct ir_symbol *in = ir_add_symbol(g.shader, &g.shader->inputs, "in");
    in->base = IR_BASE_INT, in->rows = INPUTS, in->cols = 1, g.shader->inputs.words = INPUTS;
    struct ir_symbol *out = ir_add_symbol(g.shader, &g.shader->outputs, "out");
    out->base = IR_BASE_INT, out->rows = out->cols = 1, out->array_len = INTS + ARRAY,
    g.shader->outputs.words = INTS + ARRAY;
    struct ir_symbol *uniform = ir_add_symbol(g.shader, &g.shader->uniforms, "u");
    uniform->base = IR_BASE_INT, uniform->rows = uniform->cols = 1, g.shader->uniforms.words = 1;
    for (int k = 0; k < INTS; k++)
        g.ints[k] = ir_add_var(g.shader, "x", IR_I32, 1);
    g.array = ir_add_var(g.shader, "a", IR_I32, ARRAY);
    g.returned = ir_add_var(g.shader, "returned", IR_I32, 1);
    g.b = ir_builder_at_end(g.shader->blocks[0]);
    g.end = ir_block_create(g.shader);
    for (int k = 0; k < INTS; k++)
        store(&g, g.ints[k], ir_emit(&g.b, IR_INPUT, IR_I32, 0, NULL, pick(&g, INPUTS), 0));
    for (uint32_t k = 0; k < ARRAY; k++) {
        struct ir_inst *value = ir_const_i(&g.b, k * 3);
        ir_emit(&g.b, IR_VAR_STORE, IR_VOID, 1, &value, g.array, k);
    }
    store(&g, g.returned, ir_const_i(&g.b, 0));
    for (int k = 0; k < 4; k++)
        statements(&g);
    ir_jump(&g.b, g.end);
    go_to(&g, g.end);
    for (uint32_t k = 0; k < INTS + ARRAY; k++) {
        struct ir_inst *value =
            k < INTS ? load(&g, g.ints[k]) : ir_emit(&g.b, IR_VAR_LOAD, IR_I32, 0, NULL, g.array, k - INTS);
        ir_emit(&g.b, IR_OUTPUT, IR_VOID, 1, &value, k, 0);
    }
    ir_end(&g.b);
    ir_cfg_update(g.shader);
    *runtime = g.runtime;
    return g.shader;
}

static bool report(uint64_t seed, const char *list, const char *what, const struct ir_shader *before,
                   const struct ir_shader *after) {
    fprintf(stderr, "seed %llu, %s: %s\n", (unsigned long long)seed, list, what);
    if (getenv("TEST_RANDOM_DUMP")) {
        ir_print(before, stderr);
        fputs("; after\n", stderr);
        ir_print(after, stderr);
    }
    return false;
}

static bool same_results(uint64_t seed, const char *list, const struct ir_shader *before,
                         const struct ir_shader *after) {
    static const uint32_t inputs[][INPUTS] = {
        {0, 0, 0, 0}, {1, 2, 3, 4}, {0xffffffff, 7, 0x80000000, 2}, {5, 1, 0, 99}, {3, 3, 3, 3}};
    struct interp *x = calloc(1, sizeof *x), *y = calloc(1, sizeof *y);
    bool good = x && y;
    char error[200];
    for (size_t k = 0; good && k < sizeof inputs / sizeof *inputs; k++) {
        memcpy(x->input, inputs[k], sizeof inputs[k]);
        x->uniform[0] = (uint32_t)k;
        *y = *x;
        if (!interp_run(before, x, 100000, error, sizeof error) ||
            !interp_run(after, y, 100000, error, sizeof error))
            good = report(seed, list, error, before, after);
        else if (memcmp(x->output, y->output, sizeof x->output) != 0)
            good = report(seed, list, "outputs differ", before, after);
    }
    free(x);
    free(y);
    return good;
}

static bool survives_text(uint64_t seed, const struct ir_shader *shader) {
    char error[200], *text = ir_print_to_string(shader);
    struct ir_shader *back = text ? ir_parse(text, strlen(text), error, sizeof error) : NULL;
    char *again = back ? ir_print_to_string(back) : NULL;
    bool good = again && strcmp(text, again) == 0;
    if (!good)
        fprintf(stderr, "seed %llu: text does not come back: %s\n", (unsigned long long)seed,
                back ? "differs" : error);
    free(text);
    free(again);
    ir_shader_destroy(back);
    return good;
}

/* Text with digits changed: most is refused, but what the parser takes the passes have to survive, and leave
 * sound. */
static bool survives_damage(uint64_t seed, const struct ir_shader *shader) {
    struct gen g = {.seed = seed};
    struct pass_options options = passes_default_options();
    options.verify = true;
    options.unroll_limit = 2000;
    char error[300], *text = ir_print_to_string(shader);
    size_t length = text ? strlen(text) : 0;
    bool good = text != NULL;
    for (int round = 0; good && round < 20; round++) {
        char *copy = strdup(text);
        for (uint32_t k = 1 + pick(&g, 4); copy && k > 0; k--) {
            size_t at = pick(&g, (uint32_t)length);
            while (copy[at] && (copy[at] < '0' || copy[at] > '9'))
                at++;
            if (copy[at])
                copy[at] = (char)('0' + pick(&g, 10));
        }
        struct ir_shader *damaged = copy ? ir_parse(copy, length, error, sizeof error) : NULL;
        if (damaged && !passes_run(damaged, PASSES_GENERIC, &options, error, sizeof error)) {
            fprintf(stderr, "seed %llu, damaged %d: %s\n", (unsigned long long)seed, round, error);
            good = false;
        }
        ir_shader_destroy(damaged);
        free(copy);
    }
    free(text);
    return good;
}

/* Half of the loops and branches want something. */
static void give_hints(uint64_t seed, struct ir_shader *shader) {
    struct gen g = {.seed = seed};
    ir_for_blocks(shader, block) {
        block->hint = (uint8_t)(pick(&g, 2) ? IR_HINT_UNROLL + pick(&g, 2) : IR_HINT_NONE);
        if (block->last->op == IR_BRANCH)
            block->last->aux = pick(&g, 2) ? IR_HINT_FLATTEN + pick(&g, 2) : IR_HINT_NONE;
    }
}

/* What is said to stay is what is left. */
static bool tells_what_stays(uint64_t seed, const struct decisions *decisions, struct ir_shader *shader) {
    uint32_t said[2] = {0}, left[2] = {0};
    for (uint32_t k = 0; k < decisions->count; k++) {
        const struct decision *d = &decisions->list[k];
        said[d->loop] += d->choice == QPUCC_CHOICE_LOOP || d->choice == QPUCC_CHOICE_BRANCH;
    }
    ir_for_blocks(shader, block) {
        left[true] += block->loop_header == block;
        left[false] += block->last->op == IR_BRANCH;
    }
    bool good = said[false] == left[false] && said[true] == left[true];
    if (!good)
        fprintf(stderr, "seed %llu: %u branches and %u loops are said to stay, %u and %u do\n",
                (unsigned long long)seed, said[false], said[true], left[false], left[true]);
    return good;
}

static bool run_seed(uint64_t seed) {
    static const char *const lists[] = {
        "ssa",
        "ssa,dce,cfg",
        "cfg,ssa,unroll,dce",
        "ssa,ifconvert,cfg,dce",
        "ssa,unroll,ifconvert,cfg,dce",
        "cfg,ssa,fold,algebraic,cse,dce",
        "(cfg,ssa,fold,algebraic,cse,dce,deadloop,unroll,ifconvert)*3",
        "cfg,ssa,dce,deadloop",
        "cfg,ssa,dce,rotate,hoist,(fold,cse,cfg,dce)*8",
        "ssa,ifconvert,cfg,dce,rotate,(cfg,cse,dce)*2,hoist",
        NULL, /* the pipeline's generic part */
    };
    bool runtime = false, good = true, hints = seed % 3 == 0;
    struct ir_shader *shader = program(seed, &runtime);
    if (hints)
        give_hints(seed, shader);
    char error[300];
    if (!ir_verify(shader, error, sizeof error))
        good = report(seed, "front end", error, shader, shader);
    good = good && survives_text(seed, shader);
    struct pass_options options = passes_default_options();
    options.verify = true;
    options.unroll_limit = options.unroll_total = 400000;
    for (size_t k = 0; good && k < sizeof lists / sizeof *lists; k++) {
        struct ir_shader *copy = ir_shader_clone(shader);
        const char *list = lists[k] ? lists[k] : "generic";
        struct decisions decisions = {.arena = copy->arena};
        options.decisions = lists[k] ? NULL : &decisions;
        bool ran = lists[k] ? passes_run_named(copy, list, &options, error, sizeof error)
                            : passes_run(copy, PASSES_GENERIC, &options, error, sizeof error);
        if (!ran)
            good = report(seed, list, error, shader, copy);
        else if (!lists[k] && !runtime && !hints && copy->nblocks != 1)
            good = report(seed, list, "more than one block is left", shader, copy);
        else
            good = same_results(seed, list, shader, copy) && survives_text(seed, copy);
        if (good && !lists[k]) {
            decisions_finish(&decisions, copy);
            good = tells_what_stays(seed, &decisions, copy);
        }
        if (good && k == 1)
            good = survives_damage(seed, copy);
        ir_shader_destroy(copy);
    }
    ir_shader_destroy(shader);
    return good;
}

int main(int argc, char **argv) {
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1,
             count = argc > 2 ? strtoull(argv[2], NULL, 10) : 150;
    int failures = 0;
    for (uint64_t seed = first; seed < first + count; seed++)
        failures += !run_seed(seed);
    if (failures)
        fprintf(stderr, "%d of %llu programs failed\n", failures, (unsigned long long)count);
    return failures ? 1 : 0;
}
