/* Uniform streams: the value of every word for a draw, and what it is called. */
#include "backend/isa/isa.h"
#include "compiler/program.h"
#include "passes/eval.h"

#include <math.h>
#include <stdio.h>
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

static uint32_t state_word(const struct qpucc_draw_state *state, uint32_t index) {
    uint32_t word;
    memcpy(&word, (const char *)state + 4 * (size_t)index, sizeof word);
    return word;
}

static uint32_t slot_value(const qpucc_program *program, const struct program_stage *stage, uint32_t index,
                           const struct qpucc_draw_values *v, const uint32_t *known) {
    const struct ir_slot *slot = &stage->slots[index];
    switch ((enum ir_slot_kind)slot->kind) {
    case IR_SLOT_CONST: return slot->value;
    case IR_SLOT_UNIFORM: return slot->value < program->uniform_words ? v->uniforms[slot->value] : 0;
    case IR_SLOT_TEX: return slot->value < QPUCC_MAX_TEXTURES ? v->textures[slot->value][slot->param & 3] : 0;
    case IR_SLOT_STATE: return slot->value < IR_STATE_COUNT ? state_word(&v->state, slot->value) : 0;
    case IR_SLOT_STREAM: return v->stream_address;
    case IR_SLOT_ARRAY: return v->uniform_address + 4 * slot->value;
    case IR_SLOT_EXPR: {
        uint32_t arguments[4] = {0}, result = 0;
        for (unsigned i = 0; i < slot->narg && i < 4; i++)
            arguments[i] = slot->arg[i] < index ? known[slot->arg[i]] : 0;
        if (!ir_eval((enum ir_op)slot->op, slot->value, arguments, slot->narg, &result))
            /* no value in IEEE arithmetic: the hardware has no NaN and ends up at its infinity pattern */
            result = slot->type == IR_F32 ? 0x7f800000u : 0;
        return result;
    }
    }
    return 0;
}

size_t qpucc_uniforms_size(const qpucc_program *program, enum qpucc_stage stage) {
    return (unsigned)stage < QPUCC_STAGE_COUNT ? program->stages[stage].stream_count : 0;
}

/* Does a slot ask for something that the caller did not give? `missing`: the same of the slots before. */
static bool is_missing(const struct ir_slot *slot, uint32_t index, const struct qpucc_draw_values *v,
                       const bool *missing) {
    bool any = (slot->kind == IR_SLOT_UNIFORM && !v->uniforms) || (slot->kind == IR_SLOT_TEX && !v->textures);
    for (unsigned i = 0; slot->kind == IR_SLOT_EXPR && i < slot->narg && i < 4; i++)
        any |= slot->arg[i] < index && missing[slot->arg[i]];
    return any;
}

static bool fill(const qpucc_program *program, const struct program_stage *s,
                 const struct qpucc_draw_values *values, uint32_t *known, bool *missing, uint32_t *out) {
    bool ok = true;
    /* arguments of an expression have lower numbers than the expression */
    for (uint32_t i = 0; i < s->slot_count; i++) {
        missing[i] = is_missing(&s->slots[i], i, values, missing);
        known[i] = missing[i] ? 0 : slot_value(program, s, i, values, known);
    }
    for (size_t i = 0; i < s->stream_count; i++) {
        out[i] = known[s->stream[i]];
        ok &= !missing[s->stream[i]];
    }
    return ok;
}

bool qpucc_uniforms_fill(const qpucc_program *program, enum qpucc_stage stage,
                         const struct qpucc_draw_values *values, uint32_t *out) {
    enum { FEW = 256 };
    if ((unsigned)stage >= QPUCC_STAGE_COUNT || !program->stages[stage].code)
        return false;
    const struct program_stage *s = &program->stages[stage];
    uint32_t few_known[FEW], *known = few_known;
    bool few_missing[FEW], *missing = few_missing;
    if (s->slot_count > FEW) {
        known = malloc(s->slot_count * (sizeof *known + sizeof *missing));
        missing = (bool *)(known + (known ? s->slot_count : 0));
    }
    bool ok = known && fill(program, s, values, known, missing, out);
    if (!ok)
        memset(out, 0, s->stream_count * sizeof *out);
    if (known != few_known)
        free(known);
    return ok;
}

/* --- who reads what ------------------------------------------------------------------------------------- */

size_t program_index_stream(struct qpucc_program *program, struct program_stage *stage) {
    size_t taken = 0;
    bool coordinates[2] = {false,
                           false}; /* T, R or B written since that TMU's last request: S is no address */
    stage->stream_index = ir_alloc(program->arena, (stage->count + 1) * sizeof *stage->stream_index);
    for (size_t i = 0; i < stage->count; i++) {
        struct qpu_inst inst;
        bool takes = false;
        qpu_decode(stage->code[i], &inst);
        /* both files reading it get the same word (docs/hardware.md, Uniforms) */
        if (inst.type == QPU_ALU)
            takes =
                inst.raddr_a == QPU_R_UNIF || (inst.raddr_b == QPU_R_UNIF && inst.sig != QPU_SIG_SMALL_IMM);
        for (int half = 0; inst.type != QPU_BRANCH && half < 2; half++) {
            unsigned waddr = half ? inst.waddr_mul : inst.waddr_add,
                     cond = half ? inst.cond_mul : inst.cond_add;
            if (waddr < QPU_W_TMU0_S || cond == QPU_COND_NEVER)
                continue;
            unsigned tmu = waddr >= QPU_W_TMU1_S;
            bool submits = waddr == QPU_W_TMU0_S || waddr == QPU_W_TMU1_S;
            if (!submits)
                coordinates[tmu] = takes = true;
            else if (coordinates[tmu]) {
                takes = true;
                coordinates[tmu] = false;
            } /* else a direct load: only the addition in front of it reads a uniform */
        }
        stage->stream_index[i] = takes ? (uint32_t)taken++ : UINT32_MAX;
    }
    return taken;
}

size_t qpucc_uniform_index(const qpucc_program *program, enum qpucc_stage stage, size_t instruction) {
    if ((unsigned)stage >= QPUCC_STAGE_COUNT || !program->stages[stage].code ||
        instruction >= program->stages[stage].count)
        return SIZE_MAX;
    uint32_t index = program->stages[stage].stream_index[instruction];
    return index == UINT32_MAX ? SIZE_MAX : index;
}

/* --- names ---------------------------------------------------------------------------------------------- */

static void uniform_text(const struct qpucc_program *program, uint32_t word, FILE *out) {
    const struct program_table *table = &program->variables[QPUCC_UNIFORMS];
    for (size_t i = 0; i < table->count; i++) {
        const struct qpucc_variable *u = &table->list[i];
        unsigned element = u->rows * u->cols, words = element * u->array_length;
        if (word < u->word || word >= u->word + words)
            continue;
        unsigned at = word - u->word;
        fputs(u->name, out);
        if (u->array_length > 1)
            fprintf(out, "[%u]", at / element);
        at %= element;
        if (u->cols > 1)
            fprintf(out, "[%u]", at / u->rows);
        if (u->rows > 1)
            fprintf(out, ".%c", "xyzw"[at % u->rows & 3]);
        return;
    }
    fprintf(out, "uniform[%u]", word);
}

static void slot_text(const struct qpucc_program *program, const struct program_stage *stage, uint32_t index,
                      FILE *out, unsigned depth) {
    const struct ir_slot *slot = &stage->slots[index];
    switch ((enum ir_slot_kind)slot->kind) {
    case IR_SLOT_CONST: {
        float value = ir_bits_to_float(slot->value), size = fabsf(value);
        if (slot->type == IR_F32 && isfinite(value))
            fprintf(out, "%.9g", (double)value);
        else if (slot->value < 65536)
            fprintf(out, "%u", slot->value);
        else if (size > 1e-9f && size < 1e12f) /* most constants are floats, whatever their slot's type */
            fprintf(out, "0x%08x (%.9g)", slot->value, (double)value);
        else
            fprintf(out, "0x%08x", slot->value);
        break;
    }
    case IR_SLOT_UNIFORM: uniform_text(program, slot->value, out); break;
    case IR_SLOT_TEX: {
        const struct program_table *table = &program->variables[QPUCC_SAMPLERS];
        for (size_t i = 0; i < table->count; i++)
            if (slot->value >= table->list[i].word &&
                slot->value < table->list[i].word + table->list[i].array_length) {
                fputs(table->list[i].name, out);
                if (table->list[i].array_length > 1)
                    fprintf(out, "[%u]", slot->value - table->list[i].word);
            }
        fprintf(out, ".p%u", slot->param);
        break;
    }
    case IR_SLOT_STATE:
        fputs(slot->value < IR_STATE_COUNT ? ir_state_names[slot->value] : "state", out);
        break;
    case IR_SLOT_STREAM: fputs("stream address", out); break;
    case IR_SLOT_ARRAY:
        fputs("address of ", out);
        uniform_text(program, slot->value, out);
        break;
    case IR_SLOT_EXPR:
        fprintf(out, "%s(", ir_op_info((enum ir_op)slot->op)->text);
        for (unsigned i = 0; i < slot->narg && i < 4; i++) {
            if (i)
                fputs(", ", out);
            if (depth == 6 || slot->arg[i] >= index)
                fputs("...", out);
            else
                slot_text(program, stage, slot->arg[i], out, depth + 1);
        }
        fputc(')', out);
        break;
    }
}

/* The texts of all words, pointers in front, in one piece of memory; NULL when there is none. */
static char **name_stream(const struct qpucc_program *program, const struct program_stage *stage) {
    char *text = NULL, **names = NULL;
    size_t size = 0, pointers = stage->stream_count * sizeof *names;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (size_t i = 0; i < stage->stream_count; i++) {
        slot_text(program, stage, stage->stream[i], out, 0);
        fputc(0, out);
    }
    if (fclose(out) == 0 && (names = malloc(pointers + size))) {
        char *at = memcpy((char *)names + pointers, text, size);
        for (size_t i = 0; i < stage->stream_count; i++, at += strlen(at) + 1)
            names[i] = at;
    }
    free(text);
    return names;
}

/* Few ask, and printing takes longer than some passes: the texts are made for the first who asks. Threads may
 * do so at the same time; one of them wins. */
const char *qpucc_uniform_text(const qpucc_program *program, enum qpucc_stage stage, size_t index) {
    if (index >= qpucc_uniforms_size(program, stage))
        return NULL;
    const struct program_stage *s = &program->stages[stage];
    char **names = atomic_load(s->stream_text);
    if (!names) {
        char **made = name_stream(program, s);
        if (atomic_compare_exchange_strong(s->stream_text, &names, made))
            names = made;
        else
            free(made);
    }
    return names ? names[index] : NULL;
}
