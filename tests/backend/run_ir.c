/* Lowered IR on the machine and on the interpreter, bit by bit. */
#include "run_ir.h"

#include "backend/backend.h"
#include "backend/isa/isa.h"
#include "qpucc/qpusim.h"
#include "tests/passes/interp.h"

#include <stdlib.h>
#include <string.h>

enum { UNIFORMS = 64, INPUTS = 16, BATCHES = 6, MOST_BLOCKS = 200000 };

struct form {
    int opt_level;
    unsigned threads;
    bool fragment_only, search;
    unsigned one_in; /* seeds that it is tried with */
    bool tight;
    unsigned registers;
};

static const struct form forms[] = {{0, 1, false, false, 1, false, 0},
                                    {2, 1, false, true, 1, false, 0},
                                    {2, 2, true, true, 1, false, 0},
                                    {3, 1, false, true, 40, false, 0},
                                    {2, 1, false, false, 2, true, 12}};

/* What a batch of lanes gets. */
struct batch {
    uint32_t uniform[UNIFORMS];
    struct qpusim_fragments fragments;
    struct qpusim_vertices vertices;
    uint32_t poison;
};

struct bench {
    const struct ir_shader *shader;
    struct ir_shader *copy; /* the back end's: it adds slots */
    struct form form;
    struct be_result code;
    size_t shortest, bound; /* of the forms with one thread: instructions, and what none can beat */
    struct qpusim_memory *memory;
    struct qpusim_program *program;
    uint32_t *stream, array; /* words; address of the uniform storage in memory */
    struct interp *lane[QPUSIM_LANES];
    char *text;
    size_t size;
};

static uint32_t pick(uint64_t *seed, uint32_t n) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % n;
}

/* --- inputs --------------------------------------------------------------------------------------------- */

static uint32_t some_word(uint64_t *seed, bool is_float) {
    if (is_float) {
        float f = ((float)pick(seed, 2001) - 1000) / (pick(seed, 3) ? 64 : 1);
        uint32_t bits;
        memcpy(&bits, &f, 4);
        return bits;
    }
    if (pick(seed, 4))
        return pick(seed, 24) - 8;
    uint32_t high = pick(seed, 65536); /* by itself: the order of calls in an expression is not defined */
    return high << 16 | pick(seed, 65536);
}

static float some_float(uint64_t *seed) {
    uint32_t word = some_word(seed, true);
    float f;
    memcpy(&f, &word, 4);
    return f;
}

/* All lanes, some quads, some pixels of quads; few lanes of a batch of vertices. */
static void fill(struct batch *b, uint64_t *seed, int number) {
    memset(b, 0, sizeof *b);
    b->poison = (uint32_t)number * 77;
    for (int k = 0; k < UNIFORMS; k++)
        b->uniform[k] = some_word(seed, pick(seed, 3) == 0);
    struct qpusim_fragments *f = &b->fragments;
    for (int quad = 0; quad < 4; quad++)
        if (number < 2 || pick(seed, 2) || quad == 1) {
            f->live |= (uint16_t)(15 << 4 * quad);
            f->coverage |= (uint16_t)((number % 2 ? 1 + pick(seed, 15) : 15) << 4 * quad);
        }
    f->varying_count = 0;
    f->depth_test = f->depth_write = true;
    f->depth_func = QPUSIM_FUNC_ALWAYS;
    f->back = (uint16_t)pick(seed, 65536);
    int x = 2 * (int)pick(seed, 500), y = 2 * (int)pick(seed, 500);
    for (int lane = 0; lane < QPUSIM_LANES; lane++) {
        f->x[lane] = x + lane / 4 % 2 * 2 + lane % 2;
        f->y[lane] = y + lane / 8 * 2 + lane / 2 % 2;
        f->w[lane] = number == 0 ? 1 : some_float(seed);
        f->z[lane] = pick(seed, 1 << 24);
        f->color[lane] = pick(seed, 1 << 24);
        for (int k = 0; k < INPUTS; k++) {
            f->vary[k][lane] = some_float(seed);
            f->c[k][lane] = some_float(seed);
            b->vertices.rows[k][lane] = some_word(seed, k < 2);
        }
    }
    b->vertices.count = number < 2 ? 16 : 1 + pick(seed, 16);
}

static uint32_t words_read(const struct ir_shader *shader, enum ir_op op) {
    uint32_t words = 0;
    ir_for_blocks(shader, block) ir_for_insts(block, inst) if (inst->op == op && inst->imm >= words) words =
        inst->imm + 1;
    return words;
}

/* --- the machine ---------------------------------------------------------------------------------------- */

static enum run_outcome say(struct bench *b, enum run_outcome outcome, const char *text) {
    snprintf(b->text, b->size, "-O%d, %u thread%s%s: %s", b->form.opt_level, b->form.threads,
             b->form.threads > 1 ? "s" : "", b->form.registers ? ", few registers" : "", text);
    return outcome;
}

static enum run_outcome compile(struct bench *b) {
    static const enum qpusim_stage stages[] = {QPUSIM_FRAGMENT, QPUSIM_VERTEX, QPUSIM_COORDINATE};
    struct be_options options = {.opt_level = b->form.opt_level,
                                 .threads = b->form.threads,
                                 .search = b->form.search,
                                 .tight = b->form.tight,
                                 .registers = b->form.registers,
                                 .linux_rules = true};
    b->copy = ir_shader_clone(b->shader);
    be_compile(b->copy, &options, &b->code);
    if (b->code.status == BE_UNSUPPORTED && b->form.threads > 1)
        return RUN_NOT_ASKED; /* two threads are for some shaders only */
    enum run_outcome refused = b->form.threads > 1 || b->form.registers ? RUN_DOES_NOT_FIT : RUN_REFUSED;
    if (b->code.status != BE_OK)
        return say(b, b->code.status == BE_DOES_NOT_FIT ? refused : RUN_NO_CODE, b->code.message);
    for (int profile = 0; profile < 2; profile++) {
        struct qpu_check_options rules = {.stage = b->shader->stage,
                                          .profile = (enum qpu_profile)profile,
                                          .threaded = b->code.threads == 2};
        struct qpu_violation found[1];
        if (qpu_check(b->code.code, b->code.count, &rules, found, 1))
            return say(b, RUN_RULES, found[0].text);
    }
    bool comparable =
        b->form.threads == 1 && !b->form.registers; /* others have copies of their own to make */
    if (comparable && (!b->shortest || b->code.count < b->shortest))
        b->shortest = b->code.count;
    if (comparable && b->code.lower_bound > b->bound)
        b->bound = b->code.lower_bound;
    if (b->bound > b->shortest)
        return say(b, RUN_RULES, "a schedule is shorter than the bound that was proven");
    b->program =
        qpusim_program_new(b->code.code, b->code.count, stages[b->shader->stage], b->code.threads == 2);
    b->stream = calloc(b->code.uniform_count + 1, sizeof *b->stream);
    return b->program && b->stream ? RUN_AGREES : say(b, RUN_NO_CODE, "no program");
}

static void fill_stream(struct bench *b, const struct batch *batch, const struct interp *in) {
    memcpy(qpusim_memory_map(b->memory, b->array, sizeof batch->uniform), batch->uniform,
           sizeof batch->uniform);
    for (size_t k = 0; k < b->code.uniform_count; k++) {
        uint32_t index = b->code.uniforms[k].slot;
        const struct ir_slot *slot = &b->copy->slots[index];
        b->stream[k] = slot->kind == IR_SLOT_STREAM  ? QPUSIM_STREAM_ADDRESS
                       : slot->kind == IR_SLOT_ARRAY ? b->array + 4 * slot->value
                                                     : interp_slot(b->copy, in, index);
    }
}

/* --- lane by lane --------------------------------------------------------------------------------------- */

static bool interpret(struct bench *b, const struct batch *batch, unsigned lane) {
    struct interp *in = b->lane[lane];
    const struct qpusim_fragments *f = &batch->fragments;
    char error[200];
    memset(in, 0, sizeof *in);
    in->machine = true;
    memcpy(in->uniform, batch->uniform, sizeof batch->uniform);
    memcpy(&in->w, &f->w[lane], 4);
    in->z = f->z[lane];
    in->x = (uint32_t)f->x[lane];
    in->y = (uint32_t)f->y[lane];
    in->back = f->back >> lane & 1;
    in->mask = f->coverage >> lane & 1;
    in->framebuffer = f->color[lane];
    for (int k = 0; k < INPUTS; k++) {
        memcpy(&in->vary[k], &f->vary[k][lane], 4);
        memcpy(&in->c[k], &f->c[k][lane], 4);
        in->input[k] = batch->vertices.rows[k][lane];
    }
    if (interp_run(b->shader, in, MOST_BLOCKS, error, sizeof error))
        return true;
    say(b, RUN_INTERPRETER, error);
    return false;
}

static enum run_outcome lane_differs(struct bench *b, unsigned lane, const char *what, uint32_t machine,
                                     uint32_t expected) {
    char text[120];
    snprintf(text, sizeof text, "lane %u: %s is %08x, expected %08x", lane, what, machine, expected);
    return say(b, RUN_DIFFERS, text);
}

static enum run_outcome compare_pixel(struct bench *b, const struct batch *batch,
                                      const struct qpusim_result *result, unsigned lane) {
    const struct interp *in = b->lane[lane];
    bool covered = batch->fragments.coverage >> lane & 1;
    bool color = covered && in->color_written, depth = covered && in->depth_written;
    uint32_t expected_color = color ? in->color : batch->fragments.color[lane];
    uint32_t expected_depth = depth ? in->depth & 0xffffff : batch->fragments.depth[lane];
    if (result->color[lane] != expected_color)
        return lane_differs(b, lane, "colour", result->color[lane], expected_color);
    if (result->depth[lane] != expected_depth)
        return lane_differs(b, lane, "depth", result->depth[lane], expected_depth);
    return RUN_AGREES;
}

static enum run_outcome compare_vertex(struct bench *b, const struct qpusim_result *result, unsigned lane) {
    const struct interp *in = b->lane[lane];
    char name[20];
    for (unsigned row = 0; row < QPUSIM_MAX_VPM_ROWS; row++) {
        if (in->written[row] && row >= result->row_count)
            return lane_differs(b, lane, "number of words", result->row_count, row + 1);
        snprintf(name, sizeof name, "word %u", row);
        if (in->written[row] && result->rows[row][lane] != in->output[row])
            return lane_differs(b, lane, name, result->rows[row][lane], in->output[row]);
    }
    return RUN_AGREES;
}

static enum run_outcome run_batch(struct bench *b, struct batch *batch) {
    bool fragment = b->shader->stage == QPUCC_FRAGMENT;
    struct qpusim_result result;
    struct qpusim_error fault = {0};
    struct qpusim_options how = {.poison_seed = batch->poison};
    enum run_outcome outcome = RUN_AGREES;
    batch->fragments.varying_count = words_read(b->shader, IR_VARY);
    batch->vertices.row_count = words_read(b->shader, IR_ATTR);
    unsigned lanes = fragment ? batch->fragments.live : (1u << batch->vertices.count) - 1;
    for (unsigned lane = 0; lane < QPUSIM_LANES; lane++)
        if ((lanes >> lane & 1) && !interpret(b, batch, lane))
            return RUN_INTERPRETER;
    fill_stream(b, batch, b->lane[fragment ? 4 : 0]); /* a lane of every batch: all have the same uniforms */
    struct qpusim_run_info run = {.program = b->program,
                                  .memory = b->memory,
                                  .uniforms = {.words = b->stream, .count = b->code.uniform_count},
                                  .fragments = fragment ? &batch->fragments : NULL,
                                  .vertices = fragment ? NULL : &batch->vertices};
    bool ran = qpusim_run(&run, &how, &result, &fault) == QPUSIM_OK;
    if (!ran) {
        char text[300];
        snprintf(text, sizeof text, "instruction %u, lane %d: %s: %s", fault.instruction, fault.lane,
                 fault.rule ? fault.rule : "stopped", fault.text);
        return say(b, RUN_MACHINE, text);
    }
    for (unsigned lane = 0; outcome == RUN_AGREES && lane < QPUSIM_LANES; lane++)
        if (lanes >> lane & 1)
            outcome = fragment ? compare_pixel(b, batch, &result, lane) : compare_vertex(b, &result, lane);
    return outcome;
}

static enum run_outcome run_form(struct bench *b, uint64_t seed) {
    struct batch batch;
    enum run_outcome outcome = compile(b);
    for (int number = 0; outcome == RUN_AGREES && number < BATCHES; number++) {
        fill(&batch, &seed, number);
        outcome = run_batch(b, &batch);
    }
    qpusim_program_free(b->program);
    b->program = NULL;
    free(b->stream);
    b->stream = NULL;
    be_result_free(&b->code);
    ir_shader_destroy(b->copy);
    return outcome;
}

enum run_outcome run_ir(const struct ir_shader *shader, uint64_t seed, char *text, size_t size) {
    struct bench b = {.shader = shader, .text = text, .size = size};
    bool ok = (b.memory = qpusim_memory_new(1 << 16)) != NULL;
    enum run_outcome worst = RUN_AGREES;
    b.array = ok ? qpusim_memory_alloc(b.memory, UNIFORMS * 4, 16) : 0;
    for (int lane = 0; lane < QPUSIM_LANES; lane++)
        ok &= (b.lane[lane] = calloc(1, sizeof *b.lane[lane])) != NULL;
    if (!ok)
        worst = say(&b, RUN_INTERPRETER, "out of memory");
    for (size_t k = 0; ok && worst <= RUN_DOES_NOT_FIT && k < sizeof forms / sizeof *forms; k++) {
        if ((forms[k].fragment_only && shader->stage != QPUCC_FRAGMENT) || seed % forms[k].one_in)
            continue;
        b.form = forms[k];
        enum run_outcome outcome = run_form(&b, seed);
        worst = outcome > worst && outcome != RUN_NOT_ASKED ? outcome : worst;
    }
    for (int lane = 0; lane < QPUSIM_LANES; lane++)
        free(b.lane[lane]);
    qpusim_memory_free(b.memory);
    return worst;
}
