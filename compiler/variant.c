/* Programs made of a program: for another GL state, and for certain values of uniforms.
 *
 * Requires: a program with its kept IR, or with that IR's text. Keeps: the program; any number of threads may
 * start from it at once. */
#include "compiler/compile.h"

#include <stdlib.h>
#include <string.h>

/* --- variants ------------------------------------------------------------------------------------------- */

static bool read_text(struct compile *c, const struct program_kept *kept, enum qpucc_stage stage) {
    const char *text = kept->text[stage];
    char error[200] = "it is not what the front end makes";
    if (!text)
        return true;
    struct ir_shader *shader = ir_parse(text, strlen(text), error, sizeof error);
    bool fits = shader && shader->stage == stage && !shader->lowered &&
                shader->uniforms.words == c->program->uniform_words &&
                shader->samplers.words <= QPUCC_MAX_TEXTURES;
    if (fits)
        c->ir->read[stage] = ir_pack(shader);
    ir_shader_destroy(shader);
    if (fits)
        return c->ir->read[stage] || compile_stopped(c, NULL);
    program_diagnose(c->program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "container", "container", 0, 0,
                     "the container's IR of the %s shader is refused: %s", ir_stage_names[stage], error);
    return false;
}

/* The kept IR, made of its texts for the first variant of a program that was loaded. Threads may do so at the
 * same time; one of them wins. NULL: diagnosed. */
static struct kept_ir *open_kept(struct compile *c, struct program_kept *kept) {
    struct kept_ir *known = atomic_load(&kept->ir);
    if (known || !kept->complete)
        return known;
    c->ir = kept_ir_create();
    bool ok = c->ir || compile_stopped(c, NULL);
    ok =
        ok && read_text(c, kept, QPUCC_VERTEX) && read_text(c, kept, QPUCC_FRAGMENT) && compile_link(c, true);
    if (ok && atomic_compare_exchange_strong(&kept->ir, &known, c->ir))
        return c->ir;
    kept_ir_free(c->ir);
    return ok ? known : NULL;
}

/* The compile's options are those that the program was compiled with. */
static struct qpucc_options options_of(const struct program_kept *kept) {
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = kept->opt_level;
    options.flags = kept->flags;
    options.chip = kept->chip;
    for (unsigned k = 0; k < QPUCC_LIMIT_COUNT; k++)
        options.limit[k] = ir_limit(kept->arena, (enum qpucc_limit)k);
    return options;
}

/* What a program has from the one that it starts from. False: no memory for a program that could say so. */
static bool begin(struct compile *c, const qpucc_program *from, const struct qpucc_state *state) {
    static const struct qpucc_state initial;
    if (!c->program)
        return false;
    c->options = options_of(from->kept);
    c->state = state ? *state : initial;
    c->program->state = c->state;
    c->program->has_state = true;
    program_inherit(c->program, from);
    if (!from->kept->complete && c->program->status == QPUCC_OK)
        program_diagnose(c->program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "usage", "container", 0, 0,
                         "the program was saved without its IR, or only preprocessed, and has no variants");
    return true;
}

qpucc_program *qpucc_variant(const qpucc_program *program, const struct qpucc_state *state) {
    struct program_kept *kept = program->kept;
    struct compile c = {.program = program_create(kept)};
    if (!begin(&c, program, state))
        return NULL;
    c.home = c.program->arena;
    /* the text of the IR shows the values' numbers, which differ between states; places are not shared */
    if (!(kept->flags & (QPUCC_GENERATE_IR | QPUCC_GENERATE_NAMES)))
        c.parent = program;
    ir_account_continue(c.program->arena, kept->arena);
    c.ir = open_kept(&c, kept);
    return compile_finish(&c, c.ir && kept->complete && compile_build(&c));
}

/* --- specialised programs ------------------------------------------------------------------------------- */

static bool check_constants(struct qpucc_program *program, const struct qpucc_constant *list, size_t count) {
    if (count && !list)
        return program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "usage", NULL, 0, 0,
                                "%zu constants, but no list of them", count),
               false;
    for (size_t i = 0; i < count; i++)
        if (list[i].word >= program->uniform_words)
            return program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "usage", NULL, 0, 0,
                                    "constant %zu is for word %u of a uniform storage of %zu", i,
                                    list[i].word, program->uniform_words),
                   false;
    return true;
}

/* The last one for a word counts. */
static const struct qpucc_constant *constant_of(const struct qpucc_constant *list, size_t count,
                                                uint32_t word) {
    while (count-- > 0)
        if (list[count].word == word)
            return &list[count];
    return NULL;
}

/* What an index reaches at run time stays as it is: it is read from the storage. */
static void set_constants(struct ir_shader *shader, const struct qpucc_constant *list, size_t count) {
    ir_for_blocks(shader, block) ir_for_insts(block, inst) {
        const struct ir_slot *slot = inst->op == IR_UNIFORM ? &shader->slots[inst->imm] : NULL;
        const struct qpucc_constant *constant =
            slot && slot->kind == IR_SLOT_UNIFORM ? constant_of(list, count, slot->value) : NULL;
        if (!constant)
            continue;
        ir_become(inst, IR_CONST);
        inst->imm = inst->type == IR_BOOL ? constant->bits != 0 : constant->bits;
    }
}

/* The IR as read with the constants in it. False: diagnosed. */
static bool specialise(struct compile *c, const struct kept_ir *from, const struct qpucc_constant *list,
                       size_t count) {
    for (int i = 0; i < 2; i++) {
        struct ir_shader *shader = from->read[i] ? ir_unpack(from->read[i], c->home) : NULL;
        if (shader) {
            set_constants(shader, list, count);
            c->ir->read[i] = ir_pack(shader);
        }
        ir_shader_destroy(shader);
        if (from->read[i] && !c->ir->read[i])
            return compile_stopped(c, NULL);
    }
    return true;
}

/* What a specialised program keeps is its own, but for what does not depend on values. */
static bool keep_apart(struct compile *c, struct program_kept *from) {
    struct program_kept *kept = c->program->kept;
    atomic_fetch_add(&from->users, 1);
    kept->from = from;
    kept->opt_level = from->opt_level;
    kept->flags = from->flags;
    kept->chip = from->chip;
    kept->diagnostics = from->diagnostics;
    kept->diagnostic_count = from->diagnostic_count;
    kept->complete = from->complete;
    c->home = kept->arena;
    c->ir = kept_ir_create();
    atomic_store(&kept->ir, c->ir);
    ir_account_continue(kept->arena, from->arena);
    ir_account_continue(c->program->arena, from->arena);
    return c->ir != NULL;
}

qpucc_program *qpucc_specialise(const qpucc_program *program, const struct qpucc_state *state,
                                const struct qpucc_constant *constants, size_t count) {
    struct compile c = {.program = program_create(NULL)}, reader = {.program = c.program};
    if (!c.program || !keep_apart(&c, program->kept) || !begin(&c, program, state)) {
        qpucc_program_free(c.program);
        return NULL;
    }
    c.program->has_sources_key = false; /* which knows nothing of the values */
    reader.options = c.options;
    reader.home = c.home;
    bool ok = c.program->status == QPUCC_OK && check_constants(c.program, constants, count);
    const struct kept_ir *from = ok ? open_kept(&reader, program->kept) : NULL;
    compile_close(&reader);
    ok = from && specialise(&c, from, constants, count) && compile_link(&c, true);
    ir_account_continue(c.program->arena, c.home);
    c.program->kept->complete = ok;
    return compile_finish(&c, ok && compile_build(&c));
}
