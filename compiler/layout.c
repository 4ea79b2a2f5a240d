/* What the shader record and the control list have to say of a program.
 *
 * Requires: lowered stages, whose order of varyings and attributes is final; for the traits, stages as
 * selection saw them. Keeps: the stages. */
#include "compiler/layout.h"

#include <string.h>

/* --- varyings ------------------------------------------------------------------------------------------- */

static void find_variable(const struct qpucc_program *program, uint32_t word,
                          struct qpucc_varying_slot *slot) {
    const struct program_table *table = &program->variables[QPUCC_VARYINGS];
    for (size_t i = 0; i < table->count; i++) {
        const struct qpucc_variable *v = &table->list[i];
        if (word >= v->word && word - v->word < v->rows * v->cols * v->array_length) {
            slot->kind = QPUCC_VARYING_USER;
            slot->variable = (uint32_t)i;
            slot->word = word - v->word;
        }
    }
}

static void add_varying(struct qpucc_program *program, const struct ir_symtab *table, uint32_t word,
                        uint8_t hardware) {
    struct qpucc_layout *layout = &program->layout;
    struct qpucc_varying_slot *slot = &layout->varyings[layout->varying_count++];
    *slot = (struct qpucc_varying_slot){.kind = hardware, .variable = UINT32_MAX};
    if (word == UINT32_MAX) /* made by the hardware */
        return;
    const struct ir_symbol *symbol = ir_symbol_of_word(table, word);
    slot->kind = QPUCC_VARYING_STATE;
    find_variable(program, word, slot);
    slot->flat = symbol && symbol->interp == IR_FLAT;
    slot->centroid = symbol && symbol->centroid;
    slot->perspective = symbol && symbol->interp == IR_SMOOTH;
}

void layout_fragment(struct qpucc_program *program, const struct ir_shader *fragment,
                     const struct qpucc_state *state) {
    program->layout.varying_count = 0;
    for (uint32_t i = 0; i < fragment->nvary && i < QPUCC_MAX_VARYINGS; i++)
        add_varying(program, &fragment->inputs, fragment->vary_symbol_word[i],
                    state->primitive == QPUCC_LINES ? QPUCC_VARYING_LINE
                    : i                             ? QPUCC_VARYING_POINT_T
                                                    : QPUCC_VARYING_POINT_S);
}

void layout_vertex_alone(struct qpucc_program *program, const struct ir_shader *vertex, const uint32_t *words,
                         uint32_t count) {
    program->layout.varying_count = 0;
    for (uint32_t i = 0; i < count && i < QPUCC_MAX_VARYINGS; i++)
        add_varying(program, &vertex->outputs, words[i], QPUCC_VARYING_USER);
}

/* --- attributes ----------------------------------------------------------------------------------------- */

static uint32_t attribute_variable(const struct qpucc_program *program, const struct ir_shader *shader,
                                   uint32_t symbol) {
    const struct program_table *table = &program->variables[QPUCC_ATTRIBUTES];
    for (size_t v = 0; symbol < shader->inputs.count && v < table->count; v++)
        if (!strcmp(table->list[v].name, shader->inputs.sym[symbol].name))
            return (uint32_t)v;
    return UINT32_MAX;
}

/* Columns before an attribute, used or not. */
static uint8_t attribute_number(const struct ir_shader *shader, uint32_t symbol) {
    uint32_t number = 0;
    for (uint32_t i = 0; symbol < shader->inputs.count && i < symbol; i++)
        number += shader->inputs.sym[i].cols * shader->inputs.sym[i].array_len;
    return (uint8_t)number;
}

/* The list is the vertex shader's: the coordinate shader loads a subset, in the same order and sizes. */
static bool add_attributes(struct qpucc_program *program, const struct ir_shader *shader, bool extend) {
    struct qpucc_layout *layout = &program->layout;
    uint32_t at = 0;
    for (uint32_t i = 0; i < shader->nattr; i++, at++) {
        uint32_t variable = attribute_variable(program, shader, shader->attr_symbol[i]);
        while (at < layout->attribute_count && (layout->attributes[at].variable != variable ||
                                                layout->attributes[at].column != shader->attr_column[i]))
            at++;
        if (at == layout->attribute_count) {
            if (!extend || at == QPUCC_MAX_ATTRIBUTES)
                return false;
            layout->attributes[layout->attribute_count++] = (struct qpucc_attribute_slot){
                .variable = variable,
                .column = shader->attr_column[i],
                .words = shader->attr_size[i],
                .bytes = shader->attr_bytes[i],
                .number = attribute_number(shader, shader->attr_symbol[i]) + shader->attr_column[i]};
        }
        struct qpucc_attribute_slot *slot = &layout->attributes[at];
        if (slot->words != shader->attr_size[i])
            return false;
        slot->selected[shader->stage] = true;
    }
    return true;
}

static void place_attributes(struct qpucc_layout *layout, enum qpucc_stage stage) {
    uint32_t select = 0, bytes = 0;
    for (uint32_t i = 0; i < layout->attribute_count; i++) {
        struct qpucc_attribute_slot *slot = &layout->attributes[i];
        slot->vpm_offset[stage] = (uint8_t)bytes;
        if (slot->selected[stage]) {
            select |= 1u << i;
            bytes += 4 * slot->words;
        }
    }
    layout->attribute_select[stage] = (uint8_t)select;
    layout->attribute_bytes[stage] = (uint8_t)bytes;
}

void layout_place(struct qpucc_program *program) {
    struct qpucc_layout *layout = &program->layout;
    place_attributes(layout, QPUCC_VERTEX);
    place_attributes(layout, QPUCC_COORDINATE);
    layout->varying_words = layout->flat_varyings = 0;
    for (uint32_t i = 0; i < layout->varying_count; i++) {
        const struct qpucc_varying_slot *slot = &layout->varyings[i];
        if (slot->kind < QPUCC_VARYING_USER) /* made by the hardware */
            continue;
        if (slot->flat && layout->varying_words < 32)
            layout->flat_varyings |= 1u << layout->varying_words;
        layout->varying_words++;
    }
}

bool layout_attributes(struct qpucc_program *program, const struct ir_shader *vertex,
                       const struct ir_shader *coordinate) {
    struct qpucc_layout *layout = &program->layout;
    layout->attribute_count = 0;
    if (!add_attributes(program, vertex, true) || !add_attributes(program, coordinate, false))
        return false;
    return true;
}

/* --- traits --------------------------------------------------------------------------------------------- */

uint32_t layout_traits(const struct ir_shader *shader, unsigned threads) {
    bool writes = false, replaces = false, reads = false, drops = false;
    if (shader->stage != QPUCC_FRAGMENT)
        return shader->stage == QPUCC_VERTEX && shader->point_size ? QPUCC_POINT_SIZE : 0;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            reads |= inst->op == IR_TLB_READ;
            bool color = inst->op == IR_TLB_COLOR || inst->op == IR_TLB_SAMPLE;
            drops |= inst->op == IR_TLB_MASK || ((color || inst->op == IR_TLB_Z) && inst->nsrc > 1);
            writes |= inst->op == IR_TLB_Z;
            replaces |= inst->op == IR_TLB_Z && ir_through_bits(inst->src[0])->op != IR_FRAG_Z;
        }
    }
    return (threads > 1 ? QPUCC_THREADED : 0) | (writes ? QPUCC_WRITES_Z : 0) | (drops ? QPUCC_DISCARDS : 0) |
           (reads ? QPUCC_READS_TILE : 0) | (writes && !replaces ? QPUCC_EARLY_Z_TEST_SAFE : 0) |
           (writes && !replaces && !drops ? QPUCC_EARLY_Z_SAFE : 0);
}

/* Texture units by the streams, which is what the code really asks for. */
static uint32_t textures_of(const struct program_stage *stage) {
    uint32_t units = 0;
    for (size_t i = 0; i < stage->stream_count; i++) {
        const struct ir_slot *slot = &stage->slots[stage->stream[i]];
        if (slot->kind == IR_SLOT_TEX && slot->value < QPUCC_MAX_TEXTURES)
            units |= UINT32_C(1) << slot->value;
    }
    return units;
}

void layout_finish(struct qpucc_program *program) {
    struct qpucc_layout *layout = &program->layout;
    layout_place(program);
    layout->flags = 0;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        layout->flags |= program->stages[s].traits;
        layout->textures[s] = textures_of(&program->stages[s]);
    }
    if (!(layout->flags & QPUCC_THREADED))
        layout->flags |= QPUCC_SINGLE_THREADED;
}
