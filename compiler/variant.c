/* Programs made of a program: for another GL state, with other options, and for certain values of uniforms.
 *
 * Requires: a program with its kept IR, or with that IR's text. Keeps: the program; any number of threads may
 * start from it at once. */
#include "compiler/compile.h"
#include "compiler/usage.h"

#include <string.h>

/* --- variants ------------------------------------------------------------------------------------------- */

static bool read_text(struct compile *c, const struct program_kept *kept, enum qpucc_stage stage) {
    const char *text = kept->text[stage];
    char error[200] = "it is not what the front end makes";
    if (!text)
        return true;
    struct ir_shader *shader = ir_parse_in(c->ir->from, text, strlen(text), error, sizeof error);
    bool fits = shader && shader->stage == stage && !shader->lowered &&
                shader->uniforms.words == c->program->uniform_words &&
                shader->samplers.words <= QPUCC_MAX_TEXTURES;
    if (fits)
        c->ir->read[stage] = ir_pack(shader, c->ir->from);
    ir_shader_destroy(shader);
    if (fits)
        return c->ir->read[stage] || compile_stopped(c, NULL);
    program_diagnose(c->program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "container", "container", 0, 0,
                     "the container's IR of the %s shader is refused: %s", ir_stage_names[stage], error);
    return false;
}

/* The kept IR, made of its texts for the first variant of a program that was loaded. Threads may do so at the
 * same time; one of them wins. What it takes is none of the variant's work: the program's has it. NULL:
 * diagnosed. */
static struct kept_ir *open_kept(struct compile *c, struct program_kept *kept) {
    struct kept_ir *known = atomic_load(&kept->ir);
    if (known || !kept->complete)
        return known;
    struct qpucc_usage before = ir_usage(c->home);
    ir_account_rewind(c->home, 0, 0);
    c->ir = kept_ir_create(kept->from);
    bool ok = c->ir || compile_stopped(c, NULL);
    ok =
        ok && read_text(c, kept, QPUCC_VERTEX) && read_text(c, kept, QPUCC_FRAGMENT) && compile_link(c, true);
    ir_account_rewind(c->home, before.work, before.search);
    if (ok && atomic_compare_exchange_strong(&kept->ir, &known, c->ir))
        return c->ir;
    kept_ir_free(c->ir);
    return ok ? known : NULL;
}

/* Those that the program was compiled with. */
static struct qpucc_options options_of(const struct program_kept *kept) {
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = kept->opt_level;
    options.flags = kept->flags;
    options.unroll = kept->unroll;
    options.chip = kept->chip;
    memcpy(options.limit, kept->account.limit, sizeof options.limit);
    return options;
}

/* What a program has from the one that it starts from. */
static void begin(struct compile *c, const qpucc_program *from, const struct qpucc_state *state) {
    static const struct qpucc_state initial;
    c->state = state ? *state : initial;
    program_set_state(c->program, &c->state);
    program_inherit(c->program, from);
    const char *lacks = !from->kept->complete             ? "was saved without its IR, or only preprocessed"
                        : !from->holds_ir || !from->names ? "gave up its IR or its names"
                                                          : NULL;
    if (lacks && c->program->status == QPUCC_OK)
        program_diagnose(c->program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "usage", "container", 0, 0,
                         "the program %s, and has no variants", lacks);
}

qpucc_program *qpucc_variant(const qpucc_program *program, const struct qpucc_state *state) {
    struct program_kept *kept = program->kept;
    struct compile c = {.program = program_create(kept, NULL), .options = options_of(kept)};
    if (!c.program)
        return NULL;
    begin(&c, program, state);
    c.home = c.program->arena;
    /* the text of the IR shows the values' numbers, which differ between states; places are not shared */
    if (!(kept->flags & (QPUCC_GENERATE_IR | QPUCC_GENERATE_NAMES)))
        c.parent = program;
    ir_account_resume(c.program->arena, &kept->account);
    c.ir = c.program->status == QPUCC_OK ? open_kept(&c, kept) : NULL;
    return compile_finish(&c, c.ir && kept->complete && compile_build(&c));
}

/* --- programs that keep IR of their own ----------------------------------------------------------------- */

/* A program with the options of c, which has from `from` what does not depend on them. False: no memory for
 * one that could say so. */
static bool begin_apart(struct compile *c, const qpucc_program *from, const struct qpucc_state *state) {
    const struct qpucc_allocator *own = c->options.allocator;
    c->program = program_create(NULL, own ? own : from->kept->from);
    c->ir = c->program ? kept_ir_create(c->program->kept->from) : NULL;
    if (!c->ir) {
        qpucc_program_free(c->program);
        return false;
    }
    struct program_kept *kept = c->program->kept;
    kept->opt_level = c->options.opt_level;
    kept->flags = c->options.flags;
    kept->unroll = c->options.unroll;
    kept->chip = c->options.chip;
    kept->diagnostics = from->kept->diagnostics;
    kept->diagnostic_count = from->kept->diagnostic_count;
    kept->complete = from->kept->complete;
    atomic_store(&kept->ir, c->ir);
    c->home = kept->arena;
    begin(c, from, state);
    c->program->has_sources_key = false; /* which knows neither values nor options */
    return true;
}

/* The IR that `from` keeps. NULL: diagnosed. */
static const struct kept_ir *open_from(struct compile *c, const qpucc_program *from) {
    struct compile reader = {.program = c->program, .options = options_of(from->kept), .home = c->home};
    const struct kept_ir *ir = open_kept(&reader, from->kept);
    compile_close(&reader);
    return ir;
}

static qpucc_program *finish_apart(struct compile *c, bool ok) {
    struct program_kept *kept = c->program->kept;
    ir_account_continue(c->program->arena, c->home);
    kept->account = ir_account(c->home);
    kept->complete = ok;
    return compile_finish(c, ok && compile_build(c));
}

/* --- other options -------------------------------------------------------------------------------------- */

/* Flags that are about sources: the program's, whatever the caller says. */
#define SOURCE_FLAGS (QPUCC_NO_INCLUDE | QPUCC_LINK_BY_LOCATION | QPUCC_VALID_SPIRV | QPUCC_BLOCKS_IN_BUFFERS)

static bool check_options(struct compile *c, const struct qpucc_options *from,
                          const struct program_kept *kept) {
    static const struct qpucc_chip none;
    const struct qpucc_options *o = &c->options;
    if (!usage_check_options(c->program, from))
        return false;
    if (o->flags & QPUCC_PREPROCESS_ONLY)
        return USAGE_ERROR(c->program,
                           "options.flags has QPUCC_PREPROCESS_ONLY, but the sources are not read again");
    if (memcmp(&o->chip, &none, sizeof none) && memcmp(&o->chip, &kept->chip, sizeof none))
        return USAGE_ERROR(c->program, "options.chip is another one than the program's");
    return true;
}

/* Does `from` keep what a compile with these options makes of its sources? */
static bool links_alike(const struct compile *c, const struct program_kept *from) {
    return c->options.opt_level == from->opt_level && c->options.flags == from->flags &&
           c->options.unroll == from->unroll;
}

/* Would the attempts that `from` made come to the same, within these limits? */
static bool tries_alike(const struct compile *c, const struct program_kept *from) {
    struct ir_account own = ir_account(c->home);
    return links_alike(c, from) && !memcmp(own.limit, from->account.limit, sizeof own.limit) &&
           !(c->options.flags & (QPUCC_GENERATE_IR | QPUCC_GENERATE_NAMES));
}

/* All that `from` keeps, or what it read, to be linked again. False: diagnosed. */
static bool take_ir(struct compile *c, const qpucc_program *program) {
    const struct kept_ir *from = open_from(c, program);
    if (!from)
        return false;
    for (int i = 0; i < 2; i++)
        c->ir->read[i] = ir_packed_share(from->read[i]);
    if (!links_alike(c, program->kept))
        return compile_link(c, true);
    for (int i = 0; i < 2; i++) {
        c->ir->linked[i] = ir_packed_share(from->linked[i]);
        c->ir->loops[i] = from->loops[i];
        c->ir->branches[i] = from->branches[i];
    }
    c->ir->planned = from->planned;
    return true;
}

qpucc_program *qpucc_variant_with(const qpucc_program *program, const struct qpucc_state *state,
                                  const struct qpucc_options *options) {
    struct compile c = {0};
    if (!options)
        return qpucc_variant(program, state);
    usage_copy_options(options, &c.options);
    c.options.flags = (c.options.flags & ~SOURCE_FLAGS) | (program->kept->flags & SOURCE_FLAGS);
    if (!begin_apart(&c, program, state))
        return NULL;
    bool ok = c.program->status == QPUCC_OK && check_options(&c, options, program->kept);
    c.options.chip = c.program->kept->chip = program->kept->chip;
    program_set_limits(c.home, c.options.limit, c.options.opt_level);
    ir_cancel_by(c.home, c.options.cancel);
    ir_cancel_by(c.program->arena, c.options.cancel);
    if (tries_alike(&c, program->kept))
        c.parent = program;
    return finish_apart(&c, ok && take_ir(&c, program));
}

/* --- specialised programs ------------------------------------------------------------------------------- */

static bool check_constants(struct qpucc_program *program, const struct qpucc_constant *list, size_t count) {
    if (count && !list)
        return USAGE_ERROR(program, "%zu constants, but no list of them", count);
    for (size_t i = 0; i < count; i++)
        if (list[i].word >= program->uniform_words)
            return USAGE_ERROR(program, "constant %zu is for word %u of a uniform storage of %zu", i,
                               list[i].word, program->uniform_words);
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
static bool set_in_ir(struct compile *c, const struct kept_ir *from, const struct qpucc_constant *list,
                      size_t count) {
    for (int i = 0; i < 2; i++) {
        struct ir_shader *shader = from->read[i] ? ir_unpack(from->read[i], c->home) : NULL;
        if (shader) {
            set_constants(shader, list, count);
            c->ir->read[i] = ir_pack(shader, c->ir->from);
        }
        ir_shader_destroy(shader);
        if (from->read[i] && !c->ir->read[i])
            return compile_stopped(c, NULL);
    }
    return true;
}

qpucc_program *qpucc_specialise(const qpucc_program *program, const struct qpucc_state *state,
                                const struct qpucc_constant *constants, size_t count) {
    struct compile c = {.options = options_of(program->kept)};
    if (!begin_apart(&c, program, state))
        return NULL;
    ir_account_resume(c.home, &program->kept->account);
    ir_account_resume(c.program->arena, &program->kept->account);
    bool ok = c.program->status == QPUCC_OK && check_constants(c.program, constants, count);
    const struct kept_ir *from = ok ? open_from(&c, program) : NULL;
    return finish_apart(&c, from && set_in_ir(&c, from, constants, count) && compile_link(&c, true));
}
