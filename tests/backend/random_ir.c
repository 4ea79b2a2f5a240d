/* Random lowered shaders.
 *
 * A shader is written as structured code over variables, as a front end would, with the lowered operations
 * (inputs at its start, outputs at its end), and then put into SSA form by passes that do no arithmetic.
 * Which passes depends on the seed: some leave control flow as it was written, some turn short conditionals
 * into selections or jump from one condition's known outcome to another's. Every operation on any bits is
 * welcome: the machine defines them all, and the interpreter computes them as the machine does. */
#include "random_ir.h"

#include "passes/passes.h"

enum { FLOATS = 4, INTS = 4, BOOLS = 2, VARS = FLOATS + INTS + BOOLS, DEPTH = 3 };

struct gen {
    uint64_t seed;
    struct ir_shader *shader;
    struct ir_builder b;
    uint32_t var[VARS], returned;       /* floats, integers, booleans */
    struct ir_inst *coordinate[2];      /* fragment shaders: x, y */
    struct ir_block *end, *exit, *next; /* of the shader; of the innermost loop: behind it, its next trip */
    int size, depth, trips; /* statements left; conditionals and loops around; product of the loops' trips */
};

static uint32_t pick(struct gen *g, uint32_t n) {
    g->seed = g->seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(g->seed >> 33) % n;
}

static struct ir_inst *expression(struct gen *g, enum ir_type type, int depth);

static uint32_t some_var(struct gen *g, enum ir_type type) {
    return g->var[type == IR_F32   ? pick(g, FLOATS)
                  : type == IR_I32 ? FLOATS + pick(g, INTS)
                                   : FLOATS + INTS + pick(g, BOOLS)];
}

static struct ir_inst *load(struct gen *g, uint32_t var) {
    return ir_emit(&g->b, IR_VAR_LOAD, (enum ir_type)g->shader->vars[var].type, 0, NULL, var, 0);
}

static void store(struct gen *g, uint32_t var, struct ir_inst *value) {
    ir_emit(&g->b, IR_VAR_STORE, IR_VOID, 1, &value, var, 0);
}

static struct ir_inst *uniform(struct gen *g, enum ir_type type) {
    return ir_uniform(&g->b, type,
                      ir_slot(g->shader, (struct ir_slot){.kind = IR_SLOT_UNIFORM,
                                                          .type = (uint8_t)type,
                                                          .value = pick(g, RANDOM_UNIFORMS)}));
}

/* --- expressions ---------------------------------------------------------------------------------------- */

static struct ir_inst *constant(struct gen *g, enum ir_type type) {
    static const float floats[] = {0, 1, -1, 0.5f, 2, 0.25f, 100, -0.125f, 3.7f, 0.1f};
    static const uint32_t ints[] = {0, 1, 15, 16, 255, 0xffffffff, 0x80000000, 0xfffffff0, 1000, 0x12345678};
    if (type == IR_F32)
        return ir_const_f(&g->b, floats[pick(g, sizeof floats / sizeof *floats)]);
    if (type == IR_BOOL)
        return ir_const_b(&g->b, pick(g, 2));
    return ir_const_i(&g->b, pick(g, 2) ? pick(g, 33) - 16 : ints[pick(g, sizeof ints / sizeof *ints)]);
}

static struct ir_inst *leaf(struct gen *g, enum ir_type type) {
    switch (pick(g, 8)) {
    case 0: return constant(g, type);
    case 1:
        if (type != IR_BOOL)
            return uniform(g, type);
        return load(g, some_var(g, type));
    case 2:
        if (type == IR_I32 && g->coordinate[0])
            return g->coordinate[pick(g, 2)];
        return load(g, some_var(g, type));
    default: return load(g, some_var(g, type));
    }
}

static struct ir_inst *two(struct gen *g, enum ir_op op, enum ir_type type, int depth) {
    struct ir_inst *x = expression(g, type, depth + 1), *y = expression(g, type, depth + 1);
    return ir_op2(&g->b, op, x, y);
}

static struct ir_inst *one(struct gen *g, enum ir_op op, enum ir_type type, int depth) {
    return ir_op1(&g->b, op, expression(g, type, depth + 1));
}

/* Bits for floats (or pairs of halves) that are neither denormals nor infinities: what is left of those
 * depends on whether a value passes an ALU or a move. */
static struct ir_inst *normal(struct gen *g, uint32_t and, uint32_t or, int depth) {
    struct ir_inst *x = expression(g, IR_I32, depth + 1);
    x = ir_op2(&g->b, IR_IAND, x, ir_const_i(&g->b, and));
    return ir_op2(&g->b, IR_IOR, x, ir_const_i(&g->b, or));
}

static struct ir_inst *part(struct gen *g, enum ir_op op, enum ir_type type, uint32_t parts, int depth) {
    struct ir_inst *x = expression(g, IR_I32, depth + 1);
    return ir_emit(&g->b, op, type, 1, &x, pick(g, parts), 0);
}

static struct ir_inst *choose(struct gen *g, enum ir_type type, int depth) {
    struct ir_inst *c = expression(g, IR_BOOL, depth + 1), *x = expression(g, type, depth + 1),
                   *y = expression(g, type, depth + 1);
    return ir_op3(&g->b, IR_SELECT, c, x, y);
}

static struct ir_inst *float_value(struct gen *g, int depth) {
    static const enum ir_op ops[] = {IR_FADD, IR_FSUB, IR_FMUL,    IR_FADD,    IR_FMUL,
                                     IR_FMIN, IR_FMAX, IR_FMINABS, IR_FMAXABS, IR_FSUB};
    static const enum ir_op unary[] = {IR_FNEG,    IR_FABS,     IR_FSAT,     IR_SFU_RCP,
                                       IR_SFU_RSQ, IR_SFU_EXP2, IR_SFU_LOG2, IR_FSAT};
    switch (pick(g, 14)) {
    case 0:
    case 1: return choose(g, IR_F32, depth);
    case 2:
    case 3: {
        enum ir_op op = unary[pick(g, sizeof unary / sizeof *unary)];
        struct ir_inst *x = expression(g, IR_F32, depth + 1);
        if (op == IR_FSAT) /* a clamp at 0 may leave -0 */
            x = ir_op2(&g->b, IR_FADD, x, ir_const_f(&g->b, 0));
        return ir_op1(&g->b, op, x);
    }
    case 4: return one(g, IR_I2F, IR_I32, depth);
    case 5: return one(g, IR_B2F, IR_BOOL, depth);
    case 6: {
        if (pick(g, 2))
            return part(g, IR_UNPACK_8F, IR_F32, 4, depth);
        struct ir_inst *halves = normal(g, 0xbfffbfff, 0x04000400, depth);
        return ir_emit(&g->b, IR_UNPACK_16F, IR_F32, 1, &halves, pick(g, 2), 0);
    }
    case 7:
        return pick(g, 3) ? leaf(g, IR_F32)
                          : ir_op1(&g->b, IR_IBITS, normal(g, 0xbfffffff, 0x00800000, depth));
    default: {
        enum ir_op op = ops[pick(g, sizeof ops / sizeof *ops)];
        struct ir_inst *x = expression(g, IR_F32, depth + 1),
                       *y = pick(g, 8) ? expression(g, IR_F32, depth + 1) : x;
        if (op == IR_FMIN || op == IR_FMAX) { /* of two zeros the one or the other: no negative ones */
            x = ir_op2(&g->b, IR_FADD, x, ir_const_f(&g->b, 0));
            y = pick(g, 2) ? ir_const_f(&g->b, 0.75f) : ir_op2(&g->b, IR_FADD, y, ir_const_f(&g->b, 0));
        }
        return ir_op2(&g->b, op, x, y);
    }
    }
}

static struct ir_inst *packed_value(struct gen *g, int depth) {
    struct ir_inst *s[4];
    switch (pick(g, 5)) {
    case 0:
        for (int k = 0; k < 4; k++)
            s[k] = k && pick(g, 3) == 0 ? s[k - 1] : expression(g, IR_F32, depth + 1);
        return ir_emit(&g->b, IR_PACK_COLOR, IR_I32, 4, s, 0, 0);
    case 1:
        s[0] = expression(g, IR_I32, depth + 1);
        s[1] = expression(g, IR_F32, depth + 1);
        return ir_emit(&g->b, IR_PACK_8F, IR_I32, 2, s, pick(g, 4), 0);
    case 2: return two(g, IR_PACK_16I, IR_I32, depth);
    case 3: return two(g, IR_PACK_16F, IR_F32, depth);
    default:
        s[0] = expression(g, IR_I32, depth + 1);
        uint32_t first = pick(g, RANDOM_UNIFORMS - 4);
        return ir_emit(&g->b, IR_UNIFORM_AT, IR_I32, 1, s, first, 2 + pick(g, RANDOM_UNIFORMS - first - 1));
    }
}

static struct ir_inst *int_value(struct gen *g, int depth) {
    static const enum ir_op ops[] = {IR_IADD,   IR_ISUB,   IR_UMUL24, IR_IAND,  IR_IOR,  IR_IXOR, IR_ISHL,
                                     IR_USHR,   IR_IASR,   IR_IROR,   IR_IMIN,  IR_IMAX, IR_IADD, IR_IAND,
                                     IR_V8MULD, IR_V8ADDS, IR_V8SUBS, IR_V8MIN, IR_V8MAX};
    static const enum ir_op unary[] = {IR_INOT, IR_ICLZ, IR_INEG, IR_REP_8D};
    switch (pick(g, 16)) {
    case 0:
    case 1: return choose(g, IR_I32, depth);
    case 2: return one(g, unary[pick(g, sizeof unary / sizeof *unary)], IR_I32, depth);
    case 3: return one(g, IR_F2I, IR_F32, depth);
    case 4: return one(g, IR_B2I, IR_BOOL, depth);
    case 5: return one(g, IR_FBITS, IR_F32, depth);
    case 6:
        return pick(g, 2) ? part(g, IR_UNPACK_8I, IR_I32, 4, depth)
                          : part(g, IR_UNPACK_16I, IR_I32, 2, depth);
    case 7: return packed_value(g, depth);
    case 8: return leaf(g, IR_I32);
    default: return two(g, ops[pick(g, sizeof ops / sizeof *ops)], IR_I32, depth);
    }
}

static struct ir_inst *bool_value(struct gen *g, int depth) {
    static const enum ir_op ints[] = {IR_ILT, IR_IGE, IR_IEQ, IR_INE, IR_ULT, IR_UGE};
    static const enum ir_op floats[] = {IR_FLT, IR_FGE, IR_FEQ, IR_FNE};
    static const enum ir_op logic[] = {IR_BAND, IR_BOR, IR_BXOR};
    switch (pick(g, 10)) {
    case 0:
    case 1: return two(g, logic[pick(g, 3)], IR_BOOL, depth);
    case 2: return one(g, IR_BNOT, IR_BOOL, depth);
    case 3: return choose(g, IR_BOOL, depth);
    case 4:
        return ir_op2(&g->b, ints[pick(g, 6)], uniform(g, IR_I32),
                      constant(g, IR_I32)); /* same in all lanes */
    case 5:
    case 6: return two(g, floats[pick(g, 4)], IR_F32, depth);
    default: return two(g, ints[pick(g, 6)], IR_I32, depth);
    }
}

static struct ir_inst *expression(struct gen *g, enum ir_type type, int depth) {
    if (depth >= DEPTH || pick(g, 5) == 0)
        return leaf(g, type);
    return type == IR_F32   ? float_value(g, depth)
           : type == IR_I32 ? int_value(g, depth)
                            : bool_value(g, depth);
}

/* --- statements ----------------------------------------------------------------------------------------- */

static void statements(struct gen *g);

static void assign(struct gen *g, int depth) {
    uint32_t var = g->var[pick(g, VARS)];
    store(g, var, expression(g, (enum ir_type)g->shader->vars[var].type, depth));
}

/* One that differs between lanes, mostly: some lanes go one way, some the other. */
static struct ir_inst *condition(struct gen *g) {
    return expression(g, IR_BOOL, 1);
}

static void conditional(struct gen *g) {
    struct ir_block *then = ir_block_create(g->shader), *join = ir_block_create(g->shader);
    struct ir_block *otherwise = pick(g, 2) ? ir_block_create(g->shader) : join;
    struct ir_inst *c = condition(g);
    ir_branch(&g->b, c, then, otherwise);
    g->b.block = then;
    statements(g);
    ir_jump(&g->b, join);
    if (otherwise != join) {
        g->b.block = otherwise;
        statements(g);
        ir_jump(&g->b, join);
    }
    g->b.block = join;
}

/* if (c) leave: for the loop's end, its next trip, or (with the flag that says so) out of the shader. */
static void jump_out(struct gen *g) {
    struct ir_block *leave = ir_block_create(g->shader), *stay = ir_block_create(g->shader);
    struct ir_inst *c = condition(g);
    ir_branch(&g->b, c, leave, stay);
    g->b.block = leave;
    if (pick(g, 2))
        assign(g, 1);
    uint32_t how = pick(g, 5);
    if (how == 0)
        store(g, g->returned, ir_const_b(&g->b, true));
    ir_jump(&g->b, how < 3 ? g->exit : g->next);
    g->b.block = stay;
}

/* How many trips: the same for all lanes and known, known per draw, or up to each lane. */
static struct ir_inst *bound(struct gen *g, uint32_t most) {
    switch (pick(g, 4)) {
    case 0: return ir_const_i(&g->b, 1 + pick(g, most));
    case 1: return ir_op2(&g->b, IR_IMIN, uniform(g, IR_I32), ir_const_i(&g->b, most));
    default: return ir_op2(&g->b, IR_IMIN, expression(g, IR_I32, 2), ir_const_i(&g->b, most));
    }
}

static void loop(struct gen *g) {
    struct ir_block *head = ir_block_create(g->shader), *body = ir_block_create(g->shader);
    struct ir_block *next = ir_block_create(g->shader), *exit = ir_block_create(g->shader);
    struct ir_block *outer_exit = g->exit, *outer_next = g->next, *on = ir_block_create(g->shader);
    uint32_t counter = ir_add_var(g->shader, "i", IR_I32, 1), last = ir_add_var(g->shader, "n", IR_I32, 1);
    bool at_end = pick(g, 3) == 0;
    int around = g->trips, most = around > 20 ? 1 : around > 5 ? 2 : 5;
    store(g, last, bound(g, (uint32_t)most));
    store(g, counter, ir_const_i(&g->b, 0));
    ir_jump(&g->b, at_end ? body : head);
    g->b.block = at_end ? next : head;
    if (at_end)
        store(g, counter, ir_op2(&g->b, IR_IADD, load(g, counter), ir_const_i(&g->b, 1)));
    struct ir_inst *c = ir_op2(&g->b, IR_ILT, load(g, counter), load(g, last));
    if (pick(g, 3) == 0)
        c = ir_op2(&g->b, IR_BAND, c, condition(g));
    ir_branch(&g->b, c, body, exit);
    g->b.block = body;
    g->exit = exit;
    g->next = next;
    g->trips *= most;
    statements(g);
    if (pick(g, 2)) /* the counter's own value is used */
        store(g, g->var[FLOATS], ir_op2(&g->b, IR_IADD, load(g, counter), load(g, g->var[FLOATS])));
    g->trips = around;
    g->exit = outer_exit;
    g->next = outer_next;
    ir_jump(&g->b, next);
    if (!at_end) {
        g->b.block = next;
        store(g, counter, ir_op2(&g->b, IR_IADD, load(g, counter), ir_const_i(&g->b, 1)));
        ir_jump(&g->b, head);
    }
    g->b.block = exit;
    ir_branch(&g->b, load(g, g->returned), g->exit ? g->exit : g->end, on);
    g->b.block = on;
}

static void statements(struct gen *g) {
    g->depth++;
    for (uint32_t n = 1 + pick(g, 3); n > 0; n--) {
        uint32_t what = g->depth > 5 || g->size <= 0 ? 0 : pick(g, 10);
        g->size--;
        if (what < 5)
            assign(g, 0);
        else if (what < 7)
            conditional(g);
        else if (what < 9 && g->depth <= 4)
            loop(g);
        else if (g->exit)
            jump_out(g);
    }
    g->depth--;
}

/* --- shaders -------------------------------------------------------------------------------------------- */

static void begin(struct gen *g) {
    struct ir_inst *in[RANDOM_INPUTS], *w = NULL;
    bool fragment = g->shader->stage == QPUCC_FRAGMENT;
    if (fragment) {
        w = ir_emit(&g->b, IR_FRAG_W, IR_F32, 0, NULL, 0, 0);
        g->coordinate[0] = ir_emit(&g->b, IR_FRAG_X, IR_I32, 0, NULL, 0, 0);
        g->coordinate[1] = ir_emit(&g->b, IR_FRAG_Y, IR_I32, 0, NULL, 0, 0);
    }
    for (uint32_t k = 0; k < RANDOM_INPUTS; k++) {
        enum ir_type type = fragment || k < 2 ? IR_F32 : IR_I32;
        in[k] = fragment ? ir_emit(&g->b, IR_VARY, type, 1, &w, k, 0)
                         : ir_emit(&g->b, IR_ATTR, type, 0, NULL, k, 0);
    }
    for (uint32_t k = 0; k < VARS; k++) {
        struct ir_inst *value = in[pick(g, RANDOM_INPUTS)];
        if (k < FLOATS && value->type == IR_I32)
            value = ir_op1(&g->b, IR_I2F, value);
        else if (k >= FLOATS && value->type == IR_F32)
            value = ir_op1(&g->b, pick(g, 2) ? IR_F2I : IR_FBITS, value);
        if (k >= FLOATS + INTS)
            value = ir_op2(&g->b, IR_ILT, value, constant(g, IR_I32));
        g->var[k] = ir_add_var(g->shader, "x", k < FLOATS ? IR_F32 : k < FLOATS + INTS ? IR_I32 : IR_BOOL, 1);
        store(g, g->var[k], value);
    }
    g->returned = ir_add_var(g->shader, "returned", IR_BOOL, 1);
    store(g, g->returned, ir_const_b(&g->b, false));
}

/* All variables in one word, and each of them in a word of its own. */
static void finish(struct gen *g) {
    struct ir_inst *word[VARS], *all = NULL;
    for (uint32_t k = 0; k < VARS; k++) {
        word[k] = load(g, g->var[k]);
        if (word[k]->type != IR_I32)
            word[k] = ir_op1(&g->b, word[k]->type == IR_F32 ? IR_FBITS : IR_B2I, word[k]);
        all = all ? ir_op2(&g->b, IR_IXOR, ir_op2(&g->b, IR_IROR, all, ir_const_i(&g->b, 7)), word[k])
                  : word[k];
    }
    if (g->shader->stage != QPUCC_FRAGMENT) {
        for (uint32_t k = 0; k < RANDOM_OUTPUTS; k++)
            ir_emit(&g->b, IR_VPM_OUT, IR_VOID, 1, &word[k], k, 0);
    } else {
        struct ir_inst *s[2] = {all, load(g, g->var[VARS - 1])};
        bool some = pick(g, 3) == 0; /* only where a boolean says so */
        if (pick(g, 2)) {
            struct ir_inst *z[2] = {ir_op2(&g->b, IR_USHR, word[FLOATS], ir_const_i(&g->b, 8)), s[1]};
            ir_emit(&g->b, IR_TLB_Z, IR_VOID, 1 + some, z, 0, 0);
        }
        ir_emit(&g->b, IR_TLB_COLOR, IR_VOID, 1 + some, s, 0, 0);
        g->shader->uses_discard = some;
    }
    ir_end(&g->b);
}

/* In some shaders most branches stay branches, in others most become selections. */
static void keep_some_branches(struct gen *g) {
    uint32_t kept = pick(g, 12);
    ir_for_blocks(g->shader, b) {
        if (b->last->op == IR_BRANCH && pick(g, 12) < kept)
            b->last->aux = IR_HINT_DONT_FLATTEN;
    }
}

struct ir_shader *random_ir(uint64_t seed, int size, char *error, size_t error_size) {
    static const char *const lists[] = {
        "ssa,dce",
        "cfg,ssa,dce,cfg,dce",
        "(cfg,ssa,ifconvert,dce)*3",
        "cfg,ssa,cse,dce,(cfg,ssa)*3,dce",
        "cfg,ssa,cse,dce,ifconvert,cfg,ssa,dce,rotate,(cse,cfg,dce)*3",
        "cfg,ssa,cse,dce,ifconvert,cfg,ssa,dce,rotate,(fold,cse,cfg,dce)*3,hoist"};
    struct gen g = {.seed = seed * 0x9e3779b97f4a7c15u + 1, .size = size, .trips = 1};
    struct pass_options options = passes_default_options();
    g.shader = ir_shader_create(NULL, pick(&g, 3) ? QPUCC_FRAGMENT : QPUCC_VERTEX);
    struct ir_symbol *u = ir_add_symbol(g.shader, &g.shader->uniforms, "u");
    u->base = IR_BASE_INT, u->rows = u->cols = 1, u->array_len = RANDOM_UNIFORMS,
    u->used = u->is_array = true;
    g.shader->uniforms.words = RANDOM_UNIFORMS;
    g.b = ir_builder_at_end(g.shader->blocks[0]);
    g.end = ir_block_create(g.shader);
    begin(&g);
    while (g.size > 0)
        statements(&g);
    ir_jump(&g.b, g.end);
    g.b.block = g.end;
    finish(&g);
    ir_cfg_update(g.shader);
    g.shader->lowered = true;
    options.verify = true;
    keep_some_branches(&g);
    if (passes_run_named(g.shader, lists[pick(&g, sizeof lists / sizeof *lists)], &options, error,
                         error_size))
        return g.shader;
    ir_shader_destroy(g.shader);
    return NULL;
}
