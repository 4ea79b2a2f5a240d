/* lower_stage for vertex shaders: attributes from the VPM, the shaded vertex into it. */
#include "passes/lower_attribute.h"
#include "passes/lower_math.h"
#include "passes/lower_output.h"
#include "passes/lower_position.h"

#include <string.h>

/* One column of an input symbol: what the hardware calls an attribute (up to four words). */
struct attribute {
    uint32_t symbol, column, first; /* first: its first word in the input table */
    uint32_t number;                /* its place in the state key: columns before it, used or not */
    uint32_t size;                  /* words up to the last one that is used */
    uint32_t turn;                  /* when it is first needed: the least of its words' */
};

#define UNUSED UINT32_MAX

static bool is_position(const struct ir_shader *shader, uint32_t word) {
    const struct ir_symbol *symbol = ir_symbol_of_word(&shader->outputs, word);
    return symbol && (strcmp(symbol->name, "gl_Position") == 0 || strcmp(symbol->name, "gl_PointSize") == 0);
}

/* Marks what the position and the size of a point are computed from. */
static void mark_position(struct ir_shader *shader) {
    struct ir_inst **work = ir_alloc_uncleared(shader->arena, shader->next_id * sizeof *work);
    uint32_t count = 0;
    if (ir_arena_oom(shader->arena))
        return;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            inst->mark = inst->op == IR_OUTPUT && is_position(shader, inst->imm);
            if (inst->mark)
                work[count++] = inst;
        }
    }
    while (count) {
        struct ir_inst *inst = work[--count];
        for (uint32_t k = 0; k < inst->nsrc; k++)
            if (!inst->src[k]->mark) {
                inst->src[k]->mark = true;
                work[count++] = inst->src[k];
            }
    }
}

/* turn[word]: in which order input words are first needed, position first; UNUSED for those that nobody
 * reads. A word from the FIFO blocks those after it, and the position's chain, with its reciprocal, is the
 * long one. */
static void find_turns(struct ir_shader *shader, uint32_t *turn) {
    uint32_t next = 0;
    for (uint32_t w = 0; w < shader->inputs.words; w++)
        turn[w] = UNUSED;
    mark_position(shader);
    for (int position = 1; position >= 0; position--) {
        ir_for_blocks(shader, block) {
            ir_for_insts(block, inst) {
                for (uint32_t k = 0; inst->mark == position && k < inst->nsrc; k++) {
                    const struct ir_inst *x = inst->src[k];
                    if (x->op == IR_INPUT && x->imm < shader->inputs.words && turn[x->imm] == UNUSED)
                        turn[x->imm] = next++;
                }
            }
        }
    }
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            inst->mark = false;
            if (inst->op == IR_INPUT && inst->imm < shader->inputs.words && turn[inst->imm] == UNUSED)
                turn[inst->imm] = next++; /* dead, but dce has not been here */
        }
    }
}

static void sort(struct attribute *list, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        struct attribute a = list[i];
        uint32_t at = i;
        for (; at && list[at - 1].turn > a.turn; at--)
            list[at] = list[at - 1];
        list[at] = a;
    }
}

/* Lists the columns that are used, in the order of need; false when there are more than the hardware's eight.
 */
static bool list_attributes(struct ir_shader *shader, const uint32_t *turn, struct attribute *list,
                            uint32_t *count) {
    uint32_t number = 0;
    *count = 0;
    for (uint32_t s = 0; s < shader->inputs.count; s++) {
        const struct ir_symbol *symbol = &shader->inputs.sym[s];
        uint32_t columns = symbol->cols * symbol->array_len;
        for (uint32_t c = 0; c < columns; c++) {
            struct attribute a = {.symbol = s,
                                  .column = c,
                                  .first = symbol->word + c * symbol->rows,
                                  .number = number++,
                                  .turn = UNUSED};
            for (uint32_t w = 0; w < symbol->rows; w++) {
                if (turn[a.first + w] == UNUSED)
                    continue;
                a.size = w + 1;
                a.turn = turn[a.first + w] < a.turn ? turn[a.first + w] : a.turn;
            }
            if (!a.size)
                continue;
            if (*count == 8)
                return false;
            list[(*count)++] = a;
        }
    }
    sort(list, *count);
    return true;
}

/* An attribute's words from the FIFO, and its components: value[0..size - 1]. */
static void read_attribute(struct ir_builder *b, const struct attribute *a, uint32_t index,
                           const struct qpucc_attribute_state *state, uint32_t *position, val *value) {
    struct ir_shader *shader = b->shader;
    const struct ir_symbol *symbol = &shader->inputs.sym[a->symbol];
    bool integer = symbol->base != IR_BASE_FLOAT;
    bool words_as_floats = !integer && state->type == QPUCC_ATTR_FLOAT;
    uint32_t bytes = lower_attribute_bytes(state, a->size), words = (bytes + 3) / 4;
    val word[4] = {NULL};
    shader->attr_size[index] = (uint8_t)words;
    shader->attr_bytes[index] = (uint8_t)bytes;
    shader->attr_symbol[index] = a->symbol;
    shader->attr_column[index] = (uint8_t)a->column;
    b->precision = symbol->precision;
    for (uint32_t w = 0; w < words; w++)
        word[w] = ir_emit(b, IR_ATTR, words_as_floats ? IR_F32 : IR_I32, 0, NULL, (*position)++, 0);
    for (uint32_t k = 0; k < a->size; k++)
        value[k] = lower_attribute_component(b, state, word, k, integer);
}

/* Reads every word of every attribute loaded, in order, in the entry block: the FIFO wants exactly that
 * (section 12). */
static bool read_attributes(struct ir_shader *shader, const struct qpucc_state *state) {
    static const struct qpucc_attribute_state plain;
    uint32_t *turn = ir_alloc(shader->arena, (shader->inputs.words + 1) * sizeof *turn);
    struct ir_inst **value = ir_alloc(shader->arena, (shader->inputs.words + 1) * sizeof *value);
    struct attribute list[8];
    uint32_t count;
    find_turns(shader, turn);
    if (!list_attributes(shader, turn, list, &count))
        return false;
    struct ir_builder head = ir_builder_before(shader->blocks[0]->first);
    head.exact = false;
    uint32_t position = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct attribute *a = &list[i];
        const struct qpucc_attribute_state *format =
            a->number < QPUCC_MAX_ATTRIBUTES ? &state->attribute[a->number] : &plain;
        read_attribute(&head, a, i, format, &position, &value[a->first]);
    }
    shader->nattr = count;
    if (count == 0) { /* at least one must exist */
        shader->nattr = 1;
        shader->attr_size[0] = 1;
        shader->attr_bytes[0] = 4;
        shader->attr_symbol[0] = UINT32_MAX;
        ir_emit(&head, IR_ATTR, IR_F32, 0, NULL, 0, 0);
    }
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            struct ir_builder b = ir_builder_before(inst);
            if (inst->op == IR_INPUT && inst->imm < shader->inputs.words) {
                struct ir_inst *v = value[inst->imm];
                if (inst->type == IR_BOOL)
                    v = ir_op2(&b, IR_INE, v, ir_const_i(&b, 0));
                ir_replace(inst, v);
            } else if (inst->op == IR_BUILTIN) {
                ir_replace(inst, ir_const(&b, (enum ir_type)inst->type, 0));
            }
        }
    }
    ir_resolve(shader);
    return true;
}

/* Takes the OUTPUTs out; value[word] is the last one written. Returns the program's end. */
static struct ir_inst *gather(struct ir_shader *shader, struct ir_inst **value) {
    struct ir_inst *end = NULL;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (inst->op == IR_END)
                end = inst;
            if (inst->op != IR_OUTPUT)
                continue;
            if (inst->imm < shader->outputs.words)
                value[inst->imm] = inst->src[0];
            ir_remove(inst);
        }
    }
    return end;
}

static const struct ir_symbol *find(const struct ir_shader *shader, const char *name) {
    for (uint32_t i = 0; i < shader->outputs.count; i++)
        if (strcmp(shader->outputs.sym[i].name, name) == 0)
            return &shader->outputs.sym[i];
    return NULL;
}

static void put(struct ir_builder *b, val v, uint32_t position) {
    ir_emit(b, IR_VPM_OUT, IR_VOID, 1, &v, position, 0);
}

static val as_float(struct ir_builder *b, val v) {
    if (!v || v->op == IR_UNDEF)
        return flt(b, 0.0f);
    return v->type == IR_I32 ? ir_op1(b, IR_I2F, v) : v->type == IR_BOOL ? ir_op1(b, IR_B2F, v) : v;
}

/* The first word of an output, 0 where the shader does not write it. */
static val named_value(struct ir_shader *shader, val *value, struct ir_builder *b, const char *name) {
    const struct ir_symbol *symbol = find(shader, name);
    return as_float(b, symbol ? value[symbol->word] : NULL);
}

static val fog(struct ir_shader *shader, val *value, struct ir_builder *b, val wc,
               const struct qpucc_state *state) {
    bool by_shader = state->fog_source == QPUCC_FOG_COORDINATE;
    val coordinate = by_shader ? named_value(shader, value, b, "gl_FogFragCoord") : wc;
    return state->fog_per_vertex ? fog_factor(b, state, coordinate) : coordinate;
}

/* The fragment shader divides by Wc again, for distances are linear on the screen. */
static val line_distance(struct ir_shader *shader, val *value, struct ir_builder *b, val wc) {
    val distance = named_value(shader, value, b, "qpucc_LineDistance");
    return ir_op2(b, IR_FMUL, distance, wc);
}

/* HW-2726, HW-2903: the binner hangs on points of no size. */
static val point_size(struct ir_builder *b, val s, const struct qpucc_state *state) {
    if (state->point_size_clamp) {
        s = ir_op2(b, IR_FMAX, s, lower_stage_state(b, IR_STATE_POINT_SIZE_MIN));
        s = ir_op2(b, IR_FMIN, s, lower_stage_state(b, IR_STATE_POINT_SIZE_MAX));
    }
    return ir_op2(b, IR_FMAX, s, flt(b, 0.125f));
}

bool lower_vertex(struct ir_shader *shader, const struct pass_options *options) {
    if (!read_attributes(shader, &options->state)) {
        shader->refused = "more than eight attributes (a matrix counts one for each column)";
        return false;
    }
    struct ir_inst **value = ir_alloc(shader->arena, (shader->outputs.words + 1) * sizeof *value);
    struct ir_inst *end = gather(shader, value);
    if (!end)
        return true;
    const struct ir_symbol *position = find(shader, "gl_Position"), *size = find(shader, "gl_PointSize");
    struct ir_builder b = ir_builder_before(end);
    b.precision = IR_HIGHP;
    b.exact = true;
    val p[4];
    for (uint32_t i = 0; i < 4; i++)
        p[i] = as_float(&b, position ? value[position->word + i] : NULL);
    struct lower_position on_screen = lower_position(shader, &b, value, p, options);
    for (uint32_t i = 0; i < 4; i++)
        put(&b, on_screen.clip[i], LOWER_STAGE_CLIP + i);
    uint32_t at = 0;
    put(&b, on_screen.xy, at++);
    if (on_screen.own_z)
        put(&b, on_screen.z, LOWER_STAGE_OWN_ZS);
    put(&b, on_screen.own_z ? on_screen.own_z : on_screen.z, at++);
    put(&b, on_screen.rw, at++);
    const struct qpucc_state *state = &options->state;
    /* a shader that does not say a size leaves it to the control list */
    val given = size ? value[size->word] : NULL;
    shader->point_size = state->primitive == QPUCC_POINTS && state->point_size == QPUCC_POINT_SIZE_SHADER &&
                         given && given->op != IR_UNDEF;
    if (shader->point_size)
        put(&b, point_size(&b, given, state), at++);
    b.exact = false;
    if (options->varying_words) {
        const struct ir_symbol *distances = find(shader, LOWER_CLIP_DISTANCE);
        for (uint32_t i = 0; i < options->varying_count; i++) {
            uint32_t word = options->varying_words[i];
            if (word == UINT32_MAX) /* point coordinates are the hardware's */
                continue;
            if (distances && word - LOWER_STAGE_CLIP_DISTANCE < QPUCC_MAX_CLIP_PLANES)
                word = distances->word + word - LOWER_STAGE_CLIP_DISTANCE;
            if (word == LOWER_STAGE_FOG)
                put(&b, fog(shader, value, &b, on_screen.w, &options->state), at++);
            else if (word == LOWER_STAGE_LINE_DISTANCE)
                put(&b, line_distance(shader, value, &b, on_screen.w), at++);
            else
                put(&b, as_float(&b, word < shader->outputs.words ? value[word] : NULL), at++);
        }
        return true;
    }
    for (uint32_t i = 0; i < shader->outputs.count; i++) {
        const struct ir_symbol *symbol = &shader->outputs.sym[i];
        if (symbol != position && symbol != size)
            for (uint32_t w = 0; w < ir_symbol_words(symbol); w++)
                put(&b, as_float(&b, value[symbol->word + w]), at++);
    }
    return true;
}
