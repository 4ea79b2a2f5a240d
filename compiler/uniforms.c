/* Uniform streams: the value of every word for a draw, what it is, and who reads it. */
#include "backend/isa/isa.h"
#include "compiler/program.h"
#include "ir/heap.h"
#include "passes/eval.h"

#include <math.h>
#include <string.h>

/* --- values --------------------------------------------------------------------------------------------- */

void qpucc_draw_state_viewport(struct qpucc_draw_state *state, float width, float height, float near_depth,
                               float far_depth, float framebuffer_height, int flip_y) {
    /* screen XY are signed 12.4 numbers relative to the viewport's centre (guide section 9, figure 12) */
    state->viewport_scale[0] = width * 8;
    state->viewport_scale[1] = flip_y ? -height * 8 : height * 8;
    state->viewport_scale[2] = (far_depth - near_depth) / 2;
    state->viewport_offset_z = (far_depth + near_depth) / 2;
    state->depth_range[0] = near_depth;
    state->depth_range[1] = far_depth;
    state->depth_range[2] = far_depth - near_depth;
    state->framebuffer_height = framebuffer_height;
}

size_t qpucc_uniforms_size(const qpucc_program *program, enum qpucc_stage stage) {
    return (unsigned)stage < QPUCC_STAGE_COUNT ? program->stages[stage].stream_count : 0;
}

static inline uint32_t word_of(const char *base, size_t number) {
    uint32_t word;
    memcpy(&word, base + 4 * number, sizeof word);
    return word;
}

/* Everything that reads numbers is compiled twice, for both of their widths. */
#define BOTH_WIDTHS static inline __attribute__((always_inline))

BOTH_WIDTHS const void *behind(const void *numbers, size_t count, bool wide) {
    return (const char *)numbers + count * (wide ? sizeof(uint32_t) : sizeof(uint16_t));
}

/* Words of `base` by their numbers. Unrolled by hand: what compilers make of the plain loop is slower. */
BOTH_WIDTHS void pick(const void *base, const void *numbers, uint32_t count, uint32_t *out, bool wide) {
    uint32_t i = 0;
    for (; count - i >= 4; i += 4, out += 4) {
        uint32_t a = word_of(base, fill_number(numbers, i, wide)),
                 b = word_of(base, fill_number(numbers, i + 1, wide)),
                 c = word_of(base, fill_number(numbers, i + 2, wide)),
                 d = word_of(base, fill_number(numbers, i + 3, wide));
        out[0] = a;
        out[1] = b;
        out[2] = c;
        out[3] = d;
    }
    for (; i < count; i++)
        *out++ = word_of(base, fill_number(numbers, i, wide));
}

/* Loads from the draw, to where the constants end. `numbers`: the fill's, and then those behind. */
BOTH_WIDTHS uint32_t *load_all(const qpucc_program *program, const struct fill *f,
                               const struct qpucc_draw_values *v, const void **numbers, uint32_t *to,
                               bool wide) {
    const void *from = *numbers;
    for (int source = 0; source < FILL_SOURCES; source++) {
        uint32_t count = f->load_count[source];
        if (!count)
            continue;
        switch ((enum fill_source)source) {
        case FILL_UNIFORM:
            if (v->layout == QPUCC_UNIFORMS_PACKED)
                pick(v->uniforms, from, count, to, wide);
            for (uint32_t i = 0; i < count && v->layout == QPUCC_UNIFORMS_STD140; i++)
                to[i] = v->uniforms[program->std140_word[fill_number(from, i, wide)]];
            break;
        case FILL_TEXTURE: pick(v->textures, from, count, to, wide); break;
        case FILL_STATE: pick(&v->state, from, count, to, wide); break;
        case FILL_STREAM: pick(v->stream_address, from, count, to, wide); break;
        default:
            for (uint32_t i = 0; i < count; i++)
                to[i] = v->uniform_address + 4 * fill_number(from, i, wide);
        }
        from = behind(from, count, wide);
        to += count;
    }
    *numbers = from;
    return to;
}

BOTH_WIDTHS uint32_t evaluate(const struct fill_step *step, const void *operands, size_t first, size_t apart,
                              const uint32_t *value, bool wide) {
    uint32_t source[4] = {0}, result = step->floats ? FILL_UNDEFINED : 0;
    for (unsigned k = 0; k < step->narg; k++)
        source[k] = value[fill_number(operands, first + k * apart, wide)];
    ir_eval((enum ir_op)step->op, step->imm, source, step->narg, &result);
    return result;
}

typedef uint32_t words_of_lanes __attribute__((vector_size(4 * FILL_LANES)));
typedef int32_t signed_of_lanes __attribute__((vector_size(4 * FILL_LANES)));
typedef float floats_of_lanes __attribute__((vector_size(4 * FILL_LANES)));

static inline words_of_lanes flush_lanes(words_of_lanes words) {
    signed_of_lanes size = (signed_of_lanes)(words & 0x7fffffffu);
    return words & ~(words_of_lanes)((size > 0) & (size < 0x00800000));
}

BOTH_WIDTHS words_of_lanes pick_lanes(const uint32_t *value, const void *numbers, size_t first, bool wide) {
    words_of_lanes words = {
        value[fill_number(numbers, first, wide)], value[fill_number(numbers, first + 1, wide)],
        value[fill_number(numbers, first + 2, wide)], value[fill_number(numbers, first + 3, wide)]};
    return flush_lanes(words); /* denormals are zero */
}

/* Does any lane have a bit set? */
static inline bool any_lane(words_of_lanes words) {
    uint64_t half[2];
    memcpy(half, &words, sizeof half);
    return half[0] | half[1];
}

/* A step of products, sums, differences or reciprocals, which are nearly all of the expressions of real
 * shaders: four at once, with what ir_eval gives. Numbers for which that takes more thought, and not a NaN
 * where there is none, are left to it. */
BOTH_WIDTHS void run_lanes(const struct fill_step *step, const void *operands, const uint32_t *value,
                           uint32_t *to, bool wide) {
    const uint32_t rounds = 0x4b400000u; /* IR_ROUNDING_SUMMAND */
    for (uint32_t done = 0; done < step->count; done += FILL_LANES) {
        words_of_lanes a = pick_lanes(value, operands, 2 * done, wide),
                       b = pick_lanes(value, operands, 2 * done + FILL_LANES, wide), r, odd;
        floats_of_lanes x = (floats_of_lanes)a, y = (floats_of_lanes)b, z;
        if (step->op == IR_FMUL) {
            z = x * y;
            odd = (words_of_lanes)(z != z);
            r = (words_of_lanes)z & ~(words_of_lanes)((x == 0) | (y == 0));
        } else if (step->op == IR_FRCP) {
            z = 1 / x;
            odd = (words_of_lanes)(z != z);
            r = (words_of_lanes)z;
        } else {
            z = step->op == IR_FSUB ? x - y : x + y;
            odd = (words_of_lanes)(z != z) | ((a & 0x7fffffffu) == rounds) | ((b & 0x7fffffffu) == rounds);
            r = (words_of_lanes)z;
        }
        r = flush_lanes(r);
        memcpy(to + done, &r, sizeof r);
        for (uint32_t k = 0; any_lane(odd) && k < FILL_LANES; k++)
            to[done + k] = evaluate(step, operands, 2 * done + k, FILL_LANES, value, wide);
    }
}

/* Returns the numbers behind the operands. */
BOTH_WIDTHS const void *run(const struct fill *f, const void *operands, uint32_t *value, uint32_t *to,
                            bool wide) {
    for (const struct fill_step *step = f->steps; step < f->steps + f->step_count; step++) {
        if (step->lanes)
            run_lanes(step, operands, value, to, wide);
        for (uint32_t i = 0; i < step->count && !step->lanes; i++)
            to[i] = evaluate(step, operands, (size_t)i * step->narg, 1, value, wide);
        operands = behind(operands, fill_operands(step), wide);
        to += step->count;
    }
    return operands;
}

BOTH_WIDTHS void fill_in(const qpucc_program *program, const struct fill *f,
                         const struct qpucc_draw_values *v, uint32_t *value,
                         uint32_t *const out[QPUCC_STAGE_COUNT], bool wide) {
    const void *numbers = f->numbers;
    memcpy(value, f->constants, f->constant_count * sizeof *value);
    uint32_t *to = load_all(program, f, v, &numbers, value + f->constant_count, wide);
    numbers = run(f, numbers, value, to, wide);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        if (!f->out_count[s])
            continue;
        if (out[s])
            pick(value, numbers, f->out_count[s], out[s], wide);
        numbers = behind(numbers, f->out_count[s], wide);
    }
}

static void fill_with(const qpucc_program *program, const struct fill *f, const struct qpucc_draw_values *v,
                      uint32_t *value, uint32_t *const out[QPUCC_STAGE_COUNT]) {
    if (f->wide)
        fill_in(program, f, v, value, out, true);
    else
        fill_in(program, f, v, value, out, false);
}

enum { FEW = 512 };

/* Not inlined: only streams that need it should pay for so large a frame. */
__attribute__((noinline)) static void fill_many(const qpucc_program *program, const struct fill *f,
                                                const struct qpucc_draw_values *v,
                                                uint32_t *const out[QPUCC_STAGE_COUNT]) {
    uint32_t value[QPUCC_FILL_WORDS + FILL_LANES];
    fill_with(program, f, v, value, out);
}

static bool fill_from_heap(const qpucc_program *program, const struct fill *f,
                           const struct qpucc_draw_values *v, uint32_t *const out[QPUCC_STAGE_COUNT]) {
    uint32_t *value = ir_heap_get(program->kept->from, (f->values + FILL_LANES) * sizeof *value);
    if (value)
        fill_with(program, f, v, value, out);
    ir_heap_free(value);
    return value != NULL;
}

static bool fill(const qpucc_program *program, const struct fill *f, const struct qpucc_draw_values *v,
                 uint32_t *const out[QPUCC_STAGE_COUNT]) {
    uint32_t value[FEW + FILL_LANES];
    bool ok = (v->uniforms || !f->load_count[FILL_UNIFORM]) &&
              (v->textures || !f->load_count[FILL_TEXTURE]) && (unsigned)v->layout <= QPUCC_UNIFORMS_STD140;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        ok &= out[s] || !f->out_count[s];
    if (ok && f->values <= FEW)
        fill_with(program, f, v, value, out);
    else if (ok && f->values <= QPUCC_FILL_WORDS)
        fill_many(program, f, v, out);
    else if (ok)
        ok = fill_from_heap(program, f, v, out);
    for (int s = 0; s < QPUCC_STAGE_COUNT && !ok; s++)
        if (out[s])
            memset(out[s], 0, f->out_count[s] * sizeof *out[s]);
    return ok;
}

bool qpucc_uniforms_fill(const qpucc_program *program, enum qpucc_stage stage,
                         const struct qpucc_draw_values *values, uint32_t *out) {
    if ((unsigned)stage >= QPUCC_STAGE_COUNT || !program->stages[stage].code)
        return false;
    uint32_t *outs[QPUCC_STAGE_COUNT] = {NULL};
    outs[stage] = out;
    return fill(program, program->stages[stage].fill, values, outs);
}

bool qpucc_uniforms_fill_all(const qpucc_program *program, const struct qpucc_draw_values *values,
                             uint32_t *const out[QPUCC_STAGE_COUNT]) {
    return program->status == QPUCC_OK && fill(program, program->fill, values, out);
}

/* --- uniform storage ------------------------------------------------------------------------------------ */

size_t qpucc_program_uniform_bytes(const qpucc_program *program, enum qpucc_uniform_layout layout) {
    return layout == QPUCC_UNIFORMS_STD140   ? program->std140_bytes
           : layout == QPUCC_UNIFORMS_PACKED ? 4 * program->uniform_words
                                             : 0;
}

bool qpucc_program_uniform_place(const qpucc_program *program, enum qpucc_uniform_layout layout, size_t index,
                                 struct qpucc_uniform_place *out) {
    const struct qpucc_variable *u = qpucc_program_variable(program, QPUCC_UNIFORMS, index);
    *out = (struct qpucc_uniform_place){0};
    if (!u || (unsigned)layout > QPUCC_UNIFORMS_STD140 || !program->std140)
        return false;
    if (layout == QPUCC_UNIFORMS_STD140)
        *out = program->std140[index];
    else
        *out = (struct qpucc_uniform_place){.offset = 4 * u->word,
                                            .array_stride = u->is_array ? 4 * u->rows * u->cols : 0,
                                            .matrix_stride = u->cols > 1 ? 4 * u->rows : 0};
    return true;
}

void qpucc_uniforms_pack(const qpucc_program *program, enum qpucc_uniform_layout layout,
                         const uint32_t *source, uint32_t *out) {
    const uint16_t *from = layout == QPUCC_UNIFORMS_STD140 ? program->std140_word : NULL;
    bool known = layout == QPUCC_UNIFORMS_PACKED || from;
    for (size_t i = 0; i < program->uniform_words; i++)
        out[i] = known ? source[from ? from[i] : i] : 0;
}

/* --- slots ---------------------------------------------------------------------------------------------- */

/* By the fill: which value it is tells what it is made of. */
bool qpucc_uniforms_slot(const qpucc_program *program, enum qpucc_stage stage, size_t index,
                         struct qpucc_slot *out) {
    static const enum qpucc_slot_kind kinds[FILL_SOURCES] = {
        [FILL_UNIFORM] = QPUCC_SLOT_UNIFORM,       [FILL_TEXTURE] = QPUCC_SLOT_TEXTURE,
        [FILL_STATE] = QPUCC_SLOT_STATE,           [FILL_STREAM] = QPUCC_SLOT_STREAM_ADDRESS,
        [FILL_ARRAY] = QPUCC_SLOT_UNIFORM_ADDRESS,
    };
    *out = (struct qpucc_slot){QPUCC_SLOT_CONSTANT, 0, 0};
    if (index >= qpucc_uniforms_size(program, stage) || !program->stages[stage].fill)
        return false;
    const struct fill *f = program->stages[stage].fill;
    uint32_t value = fill_number(f->numbers, f->number_count - f->out_count[stage] + index, f->wide);
    if (value < f->constant_count) {
        out->value = f->constants[value];
        return true;
    }
    value -= f->constant_count;
    uint32_t end = 0;
    for (int source = 0; source < FILL_SOURCES; source++) {
        end += f->load_count[source];
        if (value >= end)
            continue;
        uint32_t from = fill_number(f->numbers, value, f->wide);
        out->kind = kinds[source];
        out->value = source == FILL_TEXTURE ? from / 4 : source == FILL_ARRAY ? 4 * from : from;
        out->part = source == FILL_TEXTURE ? from % 4 : 0;
        if (source == FILL_STREAM)
            out->value = 0;
        return true;
    }
    out->kind = QPUCC_SLOT_EXPRESSION;
    return true;
}

/* --- who reads what ------------------------------------------------------------------------------------- */

enum tmu_write { TMU_NO_WRITE, TMU_COORDINATE, TMU_REQUEST };

/* What one half of an instruction does to a TMU, and to which of the two. */
static enum tmu_write tmu_write(const struct qpu_inst *inst, int half, unsigned *tmu) {
    unsigned waddr = half ? inst->waddr_mul : inst->waddr_add, cond = half ? inst->cond_mul : inst->cond_add;
    if (inst->type == QPU_BRANCH || waddr < QPU_W_TMU0_S || cond == QPU_COND_NEVER)
        return TMU_NO_WRITE;
    *tmu = waddr >= QPU_W_TMU1_S;
    return waddr == QPU_W_TMU0_S || waddr == QPU_W_TMU1_S ? TMU_REQUEST : TMU_COORDINATE;
}

size_t program_index_stream(struct qpucc_program *program, struct program_stage *stage) {
    size_t taken = 0;
    /* T, R or B written since that TMU's last request: S is no address */
    bool coordinates[2] = {false, false};
    stage->takes = ir_alloc(program->arena, program_take_words(stage) * sizeof *stage->takes);
    for (size_t i = 0; i < stage->count; i++) {
        struct qpu_inst inst;
        bool takes = false;
        unsigned tmu = 0;
        qpu_decode(stage->code[i], &inst);
        /* both files reading it get the same word (docs/hardware.md, Uniforms) */
        if (inst.type == QPU_ALU)
            takes =
                inst.raddr_a == QPU_R_UNIF || (inst.raddr_b == QPU_R_UNIF && inst.sig != QPU_SIG_SMALL_IMM);
        for (int half = 0; half < 2; half++) {
            enum tmu_write write = tmu_write(&inst, half, &tmu);
            if (write == TMU_NO_WRITE)
                continue;
            /* a request without coordinates is a direct load: only the addition in front of it reads a
             * uniform */
            takes |= write == TMU_COORDINATE || coordinates[tmu];
            coordinates[tmu] = write == TMU_COORDINATE;
        }
        stage->takes[i / 64] |= (uint64_t)takes << i % 64;
        taken += takes;
    }
    return taken;
}

size_t qpucc_texture_samples(const qpucc_program *program, enum qpucc_stage stage,
                             struct qpucc_texture_sample *out, size_t max) {
    struct qpucc_texture_sample next[2] = {{0}};
    const struct program_stage *s = &program->stages[(unsigned)stage < QPUCC_STAGE_COUNT ? stage : 0];
    size_t count = 0, word = 0, instructions = (unsigned)stage < QPUCC_STAGE_COUNT && s->code ? s->count : 0;
    for (size_t i = 0; i < instructions; i++) {
        struct qpu_inst inst;
        struct qpucc_slot slot;
        unsigned tmu = 0;
        bool takes = s->takes[i / 64] >> i % 64 & 1;
        qpu_decode(s->code[i], &inst);
        for (int half = 0; half < 2; half++) {
            enum tmu_write write = tmu_write(&inst, half, &tmu);
            struct qpucc_texture_sample *sample = &next[tmu];
            if (write != TMU_NO_WRITE && takes && sample->word_count < 4)
                sample->word[sample->word_count++] = (uint32_t)word;
            if (write != TMU_REQUEST)
                continue;
            bool found = qpucc_uniforms_slot(program, stage, sample->word[0], &slot);
            sample->unit = found && slot.kind == QPUCC_SLOT_TEXTURE ? slot.value : UINT32_MAX;
            sample->instruction = (uint32_t)i;
            if (count++ < max)
                out[count - 1] = *sample;
            *sample = (struct qpucc_texture_sample){0};
        }
        word += takes;
    }
    return count;
}

static size_t count_bits(uint64_t bits) {
    size_t count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

size_t qpucc_uniform_index(const qpucc_program *program, enum qpucc_stage stage, size_t instruction) {
    if ((unsigned)stage >= QPUCC_STAGE_COUNT || !program->stages[stage].code ||
        instruction >= program->stages[stage].count)
        return SIZE_MAX;
    const uint64_t *takes = program->stages[stage].takes;
    uint64_t own = (uint64_t)1 << instruction % 64;
    size_t index = count_bits(takes[instruction / 64] & (own - 1));
    for (size_t i = 0; i < instruction / 64; i++)
        index += count_bits(takes[i]);
    return takes[instruction / 64] & own ? index : SIZE_MAX;
}
