/* lower_stage for vertex shaders: attributes from the VPM, the shaded vertex into it. */
#include "passes/lower_attribute.h"
#include "passes/lower_math.h"
#include "passes/lower_output.h"

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
    struct ir_inst **work = ir_alloc(shader->arena, shader->next_id * sizeof *work);
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

/* The scale before the reciprocal: it need not wait for it. A constant reciprocal goes with the scale. */
static val viewport(struct ir_builder *b, val p, val rw, enum ir_state scale) {
    val by = lower_stage_state(b, scale);
    return ir_is_const(rw) ? mul(b, p, mul(b, by, rw)) : mul(b, mul(b, p, by), rw);
}

static bool per_draw(const struct ir_inst *x, uint32_t *budget) {
    if (*budget == 0)
        return false;
    --*budget;
    if (x->op == IR_CONST || x->op == IR_UNIFORM)
        return true;
    if (!ir_op_info(x->op)->folds)
        return false;
    for (uint32_t k = 0; k < x->nsrc; k++)
        if (!per_draw(ir_value(x->src[k]), budget))
            return false;
    return true;
}

/* u v with u known per draw, v not. */
static bool split_product(const struct ir_inst *x, val *u, val *v, uint32_t *budget) {
    if (x->op != IR_FMUL)
        return false;
    for (uint32_t k = 0; k < 2; k++) {
        *u = ir_value(x->src[k]);
        *v = ir_value(x->src[1 - k]);
        if (per_draw(*u, budget))
            return true;
    }
    return false;
}

/* x s + w h in as many operations as x takes, when x is a sum of products with uniforms, a matrix' row most
 * often, and w one of the same values (NULL: 0): factors and sum go into the uniforms, which leave the
 * shader. NULL: they are not of that kind. The question is decided by how x and w are made and by nothing
 * else, so that all programs with this position agree on it; `b` NULL only asks. */
static val scaled(struct ir_builder *b, val x, val s, val w, val h, uint32_t *budget) {
    if (*budget == 0)
        return NULL;
    --*budget;
    val u, v, t, q;
    if (per_draw(x, budget) && (!w || per_draw(w, budget))) {
        val more = b && w ? mul(b, w, h) : NULL;
        return !b ? x : w ? add(b, mul(b, x, s), more) : mul(b, x, s);
    }
    if (x->op == IR_FADD || x->op == IR_FSUB) {
        val y = ir_value(x->src[0]), z = ir_value(x->src[1]);
        bool parallel = w && w->op == x->op && !per_draw(w, budget);
        for (uint32_t k = 0; k < 2; k++) { /* a w known per draw goes with either side */
            val wy = parallel ? ir_value(w->src[k])
                     : k      ? w
                              : NULL,
                wz = parallel ? ir_value(w->src[1 - k])
                     : k      ? NULL
                              : w;
            if (x->op == IR_FSUB && (parallel ? k == 1 : wz != NULL))
                continue;
            u = scaled(NULL, y, s, wy, h, budget);
            v = u ? scaled(NULL, z, s, wz, h, budget) : NULL;
            if (!v)
                continue;
            if (!b)
                return x;
            u = scaled(b, y, s, wy, h, budget);
            v = scaled(b, z, s, wz, h, budget);
            return u && v ? ir_op2(b, (enum ir_op)x->op, u, v) : NULL;
        }
        return NULL;
    }
    if (!split_product(x, &u, &v, budget))
        return NULL;
    if (!w)
        return b ? mul(b, mul(b, u, s), v) : x;
    if (!split_product(w, &t, &q, budget) || q != v)
        return NULL;
    if (!b)
        return x;
    val more = mul(b, t, h);
    return mul(b, add(b, mul(b, u, s), more), v);
}

#define SCALED_NODES 1000

/* One of the position's two coordinates on the screen. */
struct screen {
    val fixed; /* 16.16, sixteenths of pixels above the point, with the half that rounds; or NULL */
    val at;    /* sixteenths of pixels as they are */
    val clip;  /* the clip coordinate, which only the coordinate shader writes */
    val exact; /* the same for whoever else reads it */
};

/* Behind x and w, where a coordinate made of both can stand; false: there is no such place. */
static bool behind(struct ir_builder *b, val x, val w) {
    val last = x;
    if (w && w->block == x->block)
        for (val i = x; i; i = i->next)
            last = i == w ? w : last;
    else if (w && !ir_is_const(w))
        return false;
    b->block = last->block;
    b->before = last->next;
    return true;
}

/* x S, S the viewport's scale, with S in the uniforms of x's row. The coordinate shader takes it back. */
static bool in_row(struct screen *s, struct ir_builder *b, val x, val rw, enum ir_state scale) {
    uint32_t budget = SCALED_NODES;
    if (!scaled(NULL, x, NULL, NULL, NULL, &budget))
        return false;
    struct ir_builder at = *b;
    behind(&at, x, NULL);
    val by = lower_stage_state(&at, scale);
    if (ir_is_const(rw))
        by = mul(&at, by, flt(&at, ir_float(rw)));
    budget = UINT32_MAX;
    val row = scaled(&at, x, by, NULL, NULL, &budget);
    s->clip = s->exact = mul(&at, row, ir_op1(&at, IR_FRCP, by));
    s->at = ir_is_const(rw) ? row : mul(b, row, rw);
    return true;
}

/* (x S + w/2) 2^16 in the same way: divided by w and made whole that is 16.16, whose upper half is the
 * coordinate rounded. What stays in the clip coordinate is half a sixteenth of a pixel, by which the screen
 * coordinate is rounded as well. */
static bool in_fixed_row(struct screen *s, struct ir_builder *b, val x, val w, val rw, enum ir_state scale) {
    uint32_t budget = SCALED_NODES;
    struct ir_builder at = *b;
    if (!scaled(NULL, x, NULL, w, NULL, &budget) || !behind(&at, x, w))
        return false;
    val unit = flt(&at, 65536.0f), by = mul(&at, lower_stage_state(&at, scale), unit),
        half = flt(&at, 32768.0f);
    if (ir_is_const(rw)) {
        by = mul(&at, by, flt(&at, ir_float(rw)));
        half = flt(&at, 32768.0f * ir_float(rw));
        w = flt(&at, ir_float(w));
    }
    budget = UINT32_MAX;
    val row = scaled(&at, x, by, w, half, &budget), back = ir_op1(&at, IR_FRCP, by);
    s->clip = mul(&at, row, back);
    s->exact = sub(&at, s->clip, mul(&at, w, mul(&at, half, back)));
    s->fixed = ir_is_const(rw) ? row : mul(b, row, rw);
    return true;
}

/* Whether the viewport may go into the rows of the matrix, which rounds in other places. */
static bool folds(const struct pass_options *options) {
    return options->level > 0 && !options->no_uniform_expressions && options->policy != QPUCC_POLICY_PRECISE;
}

/* A position's X or Y on the screen. Points on the very edge of the view are in it, so their clip coordinates
 * stay as they are. */
static struct screen on_screen(struct ir_builder *b, val x, val w, val rw, enum ir_state scale,
                               const struct pass_options *options) {
    struct screen s = {.clip = x, .exact = x};
    uint32_t budget = SCALED_NODES;
    bool fold = folds(options) && !per_draw(x, &budget);
    if (fold && options->state.primitive != QPUCC_POINTS && in_fixed_row(&s, b, x, w, rw, scale))
        return s;
    if (!fold || !in_row(&s, b, x, rw, scale))
        s.at = viewport(b, x, rw, scale);
    return s;
}

/* (z S + w O) / w in the same way, S and O the depth range's. Only the vertex shader has it: the
 * coordinate shader needs z itself to clip, and would have to take it back out of the row. So their Zs
 * differ in the last bits; the binner uses its own only where it clips. */
static val depth_in_row(struct ir_builder *b, val z, val w, val rw, const struct pass_options *options) {
    uint32_t budget = SCALED_NODES;
    if (!folds(options) || per_draw(z, &budget))
        return NULL;
    struct ir_builder at = *b;
    budget = SCALED_NODES;
    if (!scaled(NULL, z, NULL, w, NULL, &budget) || !behind(&at, z, w))
        return NULL;
    val by = lower_stage_state(&at, IR_STATE_VIEWPORT_Z_SCALE),
        offset = lower_stage_state(&at, IR_STATE_VIEWPORT_Z_OFFSET);
    if (ir_is_const(rw)) {
        by = mul(&at, by, flt(&at, ir_float(rw)));
        offset = mul(&at, offset, flt(&at, ir_float(rw)));
        w = flt(&at, ir_float(w));
    }
    budget = UINT32_MAX;
    val row = scaled(&at, z, by, w, offset, &budget);
    return ir_is_const(rw) ? row : mul(b, row, rw);
}

/* Viewport-relative pixels in 12.4 (section 12; guide section 7, figure 10), to the nearest sixteenth.
 * Negative ones occur and f2i truncates, so without the fixed point 2^16 goes with the half that rounds: the
 * pack keeps the low 16 bits only. Beyond +-2048 pixels the word is nothing; what lies that far outside is
 * clipped before anybody uses it. */
static val whole(struct ir_builder *b, const struct screen *s) {
    if (!s->fixed)
        return ir_op1(b, IR_F2I, add(b, s->at, flt(b, 65536.5f)));
    val half = num(b, 16);
    return ir_op2(b, IR_IASR, ir_op1(b, IR_F2I, s->fixed), half);
}

/* Whoever else wants the coordinate takes it from the row with the viewport in it: two rows would cost more.
 */
static void share_clip(struct ir_shader *shader, val *value, val p, const struct screen *s) {
    if (p == s->exact)
        return;
    for (uint32_t w = 0; w < shader->outputs.words; w++)
        if (value[w] == p)
            value[w] = s->exact;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            for (uint32_t k = 0; k < inst->nsrc; k++)
                if (inst->src[k] == p && !inst->exact)
                    inst->src[k] = s->exact;
        }
    }
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
    /* Two-dimensional shaders write a constant W, most often 1. */
    bool flat = ir_is_const(p[3]) && ir_float(p[3]) != 0.0f;
    val rw = flat ? flt(&b, 1.0f / ir_float(p[3])) : lower_rcp_newton(&b, p[3]);
    static const enum ir_state scale[2] = {IR_STATE_VIEWPORT_X_SCALE, IR_STATE_VIEWPORT_Y_SCALE};
    struct screen on[2];
    for (uint32_t i = 0; i < 2; i++)
        on[i] = on_screen(&b, p[i], p[3], rw, scale[i], options);
    val xs = whole(&b, &on[0]), ys = whole(&b, &on[1]);
    const val clip[4] = {on[0].clip, on[1].clip, p[2], p[3]};
    for (uint32_t i = 0; i < 2; i++)
        share_clip(shader, value, p[i], &on[i]);
    val offset = lower_stage_state(&b, IR_STATE_VIEWPORT_Z_OFFSET);
    val zs = add(&b, viewport(&b, p[2], rw, IR_STATE_VIEWPORT_Z_SCALE), offset);
    for (uint32_t i = 0; i < 4; i++)
        put(&b, clip[i], LOWER_STAGE_CLIP + i);
    uint32_t at = 0;
    put(&b, ir_op2(&b, IR_PACK_16I, xs, ys), at++);
    val own = depth_in_row(&b, p[2], p[3], rw, options);
    if (own)
        put(&b, zs, LOWER_STAGE_OWN_ZS);
    put(&b, own ? own : zs, at++);
    put(&b, rw, at++);
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
                put(&b, fog(shader, value, &b, p[3], &options->state), at++);
            else if (word == LOWER_STAGE_LINE_DISTANCE)
                put(&b, line_distance(shader, value, &b, p[3]), at++);
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
