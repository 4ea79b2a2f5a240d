/* Uniform streams: the value of every word for a draw, what it is, and who reads it. */
#include "backend/isa/isa.h"
#include "compiler/program.h"
#include "passes/eval.h"

#include <math.h>
#include <stdlib.h>
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

static void copy(const struct fill_copies *copies, const void *from, uint32_t *to) {
    for (uint32_t i = 0; i < copies->count; i++)
        memcpy(&to[copies->list[i].to], (const char *)from + 4 * (size_t)copies->list[i].from, 4);
}

static void copy_all(const qpucc_program *program, const struct fill_copies *copies,
                     const struct qpucc_draw_values *v, uint32_t *to) {
    const struct fill_copies *uniforms = &copies[FILL_UNIFORM], *arrays = &copies[FILL_ARRAY];
    if (v->layout == QPUCC_UNIFORMS_STD140)
        for (uint32_t i = 0; i < uniforms->count; i++)
            to[uniforms->list[i].to] = v->uniforms[program->std140_word[uniforms->list[i].from]];
    else
        copy(uniforms, v->uniforms, to);
    copy(&copies[FILL_TEXTURE], v->textures, to);
    copy(&copies[FILL_STATE], &v->state, to);
    copy(&copies[FILL_STREAM], v->stream_address, to);
    for (uint32_t i = 0; i < arrays->count; i++)
        to[arrays->list[i].to] = v->uniform_address + 4 * arrays->list[i].from;
}

static inline uint32_t float_result(float value, uint32_t undefined) {
    return isnan(value) ? undefined : ir_flush_denormal(ir_float_to_bits(value));
}

static void evaluate(const struct fill_step *step, const uint32_t *operand, uint32_t *value) {
    uint32_t source[4] = {0}, result = step->undefined;
    for (unsigned k = 0; k < step->narg; k++)
        source[k] = value[operand[1 + k]];
    ir_eval((enum ir_op)step->op, step->imm, source, step->narg, &result);
    value[operand[0]] = result;
}

/* Products and sums are nearly all of the expressions of real shaders. They give the same as ir_eval. */
static void run(const struct fill *f, uint32_t *value) {
    const uint32_t *at = f->operands;
    for (const struct fill_step *step = f->steps; step < f->steps + f->step_count; step++) {
        unsigned size = 1u + step->narg;
        const uint32_t *end = at + (size_t)size * step->count;
        if (step->op == IR_FMUL)
            for (; at < end; at += 3) {
                float a = ir_bits_to_float(ir_flush_denormal(value[at[1]])),
                      b = ir_bits_to_float(ir_flush_denormal(value[at[2]]));
                value[at[0]] =
                    isunordered(a, b) ? step->undefined : float_result(ir_eval_fmul(a, b), step->undefined);
            }
        else if (step->op == IR_FADD)
            for (; at < end; at += 3) {
                float a = ir_bits_to_float(ir_flush_denormal(value[at[1]])),
                      b = ir_bits_to_float(ir_flush_denormal(value[at[2]]));
                if (ir_eval_rounds(a, b))
                    evaluate(step, at, value);
                else
                    value[at[0]] = float_result(a + b, step->undefined);
            }
        else
            for (; at < end; at += size)
                evaluate(step, at, value);
    }
}

static void fill_with(const qpucc_program *program, const struct fill *f, const struct qpucc_draw_values *v,
                      uint32_t *value, uint32_t *const out[QPUCC_STAGE_COUNT]) {
    if (f->constant_count)
        memcpy(value, f->constants, f->constant_count * sizeof *value);
    copy_all(program, f->load, v, value);
    run(f, value);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        if (!f->out[s].preset || !out[s])
            continue;
        memcpy(out[s], f->out[s].preset, f->out[s].count * sizeof *out[s]);
        copy_all(program, f->out[s].copy, v, out[s]);
        copy(&f->out[s].copy[FILL_VALUE], value, out[s]);
    }
}

static bool fill(const qpucc_program *program, const struct fill *f, const struct qpucc_draw_values *v,
                 uint32_t *const out[QPUCC_STAGE_COUNT]) {
    uint32_t few[QPUCC_FILL_WORDS], *value = few;
    bool ok = (v->uniforms || !f->uniforms) && (v->textures || !f->textures) &&
              (unsigned)v->layout <= QPUCC_UNIFORMS_STD140;
    if (ok && f->values > QPUCC_FILL_WORDS)
        ok = (value = malloc(f->values * sizeof *value)) != NULL;
    if (ok)
        fill_with(program, f, v, value, out);
    for (int s = 0; s < QPUCC_STAGE_COUNT && !ok; s++)
        if (f->out[s].preset && out[s])
            memset(out[s], 0, f->out[s].count * sizeof *out[s]);
    if (value != few)
        free(value);
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
    return layout == QPUCC_UNIFORMS_STD140 ? program->std140_bytes : 4 * program->uniform_words;
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
                                            .array_stride = u->array_length > 1 ? 4 * u->rows * u->cols : 0,
                                            .matrix_stride = u->cols > 1 ? 4 * u->rows : 0};
    return true;
}

void qpucc_uniforms_pack(const qpucc_program *program, enum qpucc_uniform_layout layout,
                         const uint32_t *source, uint32_t *out) {
    for (size_t i = 0; i < program->uniform_words; i++)
        out[i] = source[layout == QPUCC_UNIFORMS_STD140 ? program->std140_word[i] : i];
}

/* --- slots ---------------------------------------------------------------------------------------------- */

bool qpucc_uniforms_slot(const qpucc_program *program, enum qpucc_stage stage, size_t index,
                         struct qpucc_slot *out) {
    *out = (struct qpucc_slot){QPUCC_SLOT_CONSTANT, 0, 0};
    if (index >= qpucc_uniforms_size(program, stage))
        return false;
    const struct ir_slot *slot = &program->stages[stage].slots[program->stages[stage].stream[index]];
    switch ((enum ir_slot_kind)slot->kind) {
    case IR_SLOT_CONST: out->kind = QPUCC_SLOT_CONSTANT; break;
    case IR_SLOT_UNIFORM: out->kind = QPUCC_SLOT_UNIFORM; break;
    case IR_SLOT_TEX: out->kind = QPUCC_SLOT_TEXTURE; break;
    case IR_SLOT_STATE: out->kind = QPUCC_SLOT_STATE; break;
    case IR_SLOT_EXPR: out->kind = QPUCC_SLOT_EXPRESSION; return true;
    case IR_SLOT_STREAM: out->kind = QPUCC_SLOT_STREAM_ADDRESS; return true;
    case IR_SLOT_ARRAY: out->kind = QPUCC_SLOT_UNIFORM_ADDRESS; break;
    }
    out->value = slot->kind == IR_SLOT_ARRAY ? 4 * slot->value : slot->value;
    out->part = slot->kind == IR_SLOT_TEX ? slot->param & 3u : 0;
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
    stage->stream_index = ir_alloc(program->arena, (stage->count + 1) * sizeof *stage->stream_index);
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
        stage->stream_index[i] = takes ? (uint32_t)taken++ : UINT32_MAX;
    }
    return taken;
}

size_t qpucc_texture_samples(const qpucc_program *program, enum qpucc_stage stage,
                             struct qpucc_texture_sample *out, size_t max) {
    struct qpucc_texture_sample next[2] = {{0}};
    const struct program_stage *s = &program->stages[(unsigned)stage < QPUCC_STAGE_COUNT ? stage : 0];
    size_t count = 0, instructions = (unsigned)stage < QPUCC_STAGE_COUNT && s->code ? s->count : 0;
    for (size_t i = 0; i < instructions; i++) {
        struct qpu_inst inst;
        struct qpucc_slot slot;
        unsigned tmu = 0;
        qpu_decode(s->code[i], &inst);
        for (int half = 0; half < 2; half++) {
            enum tmu_write write = tmu_write(&inst, half, &tmu);
            struct qpucc_texture_sample *sample = &next[tmu];
            if (write != TMU_NO_WRITE && s->stream_index[i] != UINT32_MAX && sample->word_count < 4)
                sample->word[sample->word_count++] = s->stream_index[i];
            if (write != TMU_REQUEST)
                continue;
            bool found = qpucc_uniforms_slot(program, stage, sample->word[0], &slot);
            sample->unit = found && slot.kind == QPUCC_SLOT_TEXTURE ? slot.value : UINT32_MAX;
            sample->instruction = (uint32_t)i;
            if (count++ < max)
                out[count - 1] = *sample;
            *sample = (struct qpucc_texture_sample){0};
        }
    }
    return count;
}

size_t qpucc_uniform_index(const qpucc_program *program, enum qpucc_stage stage, size_t instruction) {
    if ((unsigned)stage >= QPUCC_STAGE_COUNT || !program->stages[stage].code ||
        instruction >= program->stages[stage].count)
        return SIZE_MAX;
    uint32_t index = program->stages[stage].stream_index[instruction];
    return index == UINT32_MAX ? SIZE_MAX : index;
}
