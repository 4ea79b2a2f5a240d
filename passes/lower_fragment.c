/* lower_stage for fragment shaders: varyings from the FIFO, payload registers, the tile buffer. What GL does
 * after the shader is in the files of lower_output.h. */
#include "passes/lower_output.h"

#include <string.h>

struct fragment {
    struct ir_shader *shader;
    const struct qpucc_state *state;
    struct ir_builder head;      /* where the entry's payload reads go */
    struct ir_inst *w, *z;       /* FRAG_W, FRAG_Z; NULL until asked for */
    struct ir_inst **input;      /* VARY (and type fix-up) of each input word, NULL until asked for */
    struct ir_inst *point[2];    /* point coordinates, NULL when this is no point */
    struct ir_inst *across;      /* a line's first varying */
    struct ir_inst *framebuffer; /* TLB_READ */
    const char *refusal;         /* static text, or NULL */
    bool precise;                /* -fprecise */
};

static struct ir_inst *frag_w(struct fragment *f) {
    if (!f->w)
        f->w = ir_emit(&f->head, IR_FRAG_W, IR_F32, 0, NULL, 0, 0);
    return f->w;
}

static struct ir_inst *frag_z(struct fragment *f) {
    if (!f->z)
        f->z = ir_emit(&f->head, IR_FRAG_Z, IR_I32, 0, NULL, 0, 0);
    return f->z;
}

static const char too_many_varyings[] =
    "the shader's varyings and those that fog, line_stipple, two_sided and clip_planes add are more than the "
    "32 words that the hardware interpolates";

/* The hardware interpolates 32 words, beside a point's coordinates or a line's. */
static bool fits(const struct ir_shader *shader) {
    uint32_t words = 0;
    for (uint32_t i = 0; i < shader->nvary; i++)
        words += shader->vary_symbol_word[i] != UINT32_MAX;
    return words <= 32;
}

/* The next FIFO position. The FIFO must be read in order and to its end on every path, hence all in the entry
 * block. */
static struct ir_inst *vary(struct fragment *f, uint32_t word, struct ir_inst *w) {
    struct ir_shader *shader = f->shader;
    uint32_t position = shader->nvary;
    if (position >= sizeof shader->vary_symbol_word / sizeof *shader->vary_symbol_word) {
        f->refusal = too_many_varyings;
        return ir_const_f(&f->head, 0.0f);
    }
    shader->vary_symbol_word[shader->nvary++] = word;
    return ir_emit(&f->head, IR_VARY, IR_F32, w ? 1 : 0, &w, position, 0);
}

static struct ir_inst *input_word(struct fragment *f, const struct ir_inst *inst) {
    uint32_t word = inst->imm;
    if (f->input[word])
        return f->input[word];
    const struct ir_symbol *symbol = ir_symbol_of_word(&f->shader->inputs, word);
    uint8_t interp = symbol ? symbol->interp : IR_SMOOTH;
    f->head.precision = inst->precision;
    f->head.loc = inst->loc;
    struct ir_inst *value = vary(f, word, interp == IR_SMOOTH ? frag_w(f) : NULL);
    if (inst->type == IR_I32) /* whole numbers travel as floats: see lower_vertex */
        value = ir_op1(&f->head, IR_F2I, value);
    else if (inst->type == IR_BOOL)
        value = ir_op2(&f->head, IR_FNE, value, ir_const_f(&f->head, 0.0f));
    return f->input[word] = value;
}

static struct ir_inst *frag_coord(struct fragment *f, struct ir_builder *b, unsigned axis) {
    if (axis == 2) {
        struct ir_inst *z = ir_op1(b, IR_I2F, frag_z(f));
        return ir_op2(b, IR_FMUL, z, ir_const_f(b, 1.0f / 0xffffff));
    }
    if (axis == 3) /* the payload is W itself (guide section 6, "Initial Data"); GL wants 1/Wc */
        return ir_op1(b, f->precise ? IR_FRCP : IR_SFU_RCP, frag_w(f));
    struct ir_inst *raw = ir_emit(b, axis ? IR_FRAG_Y : IR_FRAG_X, IR_I32, 0, NULL, 0, 0);
    struct ir_inst *half = ir_const_f(b, 0.5f), *centre = ir_op2(b, IR_FADD, ir_op1(b, IR_I2F, raw), half);
    if (axis == 0 || !f->state->flip_y)
        return centre;
    struct ir_inst *height = lower_stage_state(b, IR_STATE_FRAME_HEIGHT);
    return ir_op2(b, IR_FSUB, height, centre);
}

static struct ir_inst *builtin(struct fragment *f, struct ir_inst *inst) {
    struct ir_builder b = ir_builder_before(inst);
    switch (inst->imm) {
    case IR_BUILTIN_FRAG_COORD_X:
    case IR_BUILTIN_FRAG_COORD_Y:
    case IR_BUILTIN_FRAG_COORD_Z:
    case IR_BUILTIN_FRAG_COORD_W: return frag_coord(f, &b, inst->imm - IR_BUILTIN_FRAG_COORD_X);
    case IR_BUILTIN_FRONT_FACING: {
        struct ir_inst *back = ir_emit(&b, IR_FRAG_REV, IR_I32, 0, NULL, 0, 0);
        return ir_op2(&b, IR_IEQ, back, ir_const_i(&b, 0));
    }
    case IR_BUILTIN_POINT_COORD_X:
    case IR_BUILTIN_POINT_COORD_Y: {
        struct ir_inst *p = f->point[inst->imm - IR_BUILTIN_POINT_COORD_X];
        if (!p)
            return ir_const_f(&b, 0.0f); /* section 11: zero for what is not drawn as points */
        /* T grows against the rows of memory: downwards in the picture, as GL wants it at first, unless the
         * picture is stored upside down. */
        bool turn = inst->imm == IR_BUILTIN_POINT_COORD_Y && f->state->flip_y != f->state->point_lower_left;
        return turn ? ir_op2(&b, IR_FSUB, ir_const_f(&b, 1.0f), p) : p;
    }
    case IR_BUILTIN_LAST_FRAG_COLOR:
        if (!f->framebuffer)
            f->framebuffer = ir_emit(&f->head, IR_TLB_READ, IR_I32, 0, NULL, 0, 0);
        if (f->state->multisample || out_is_float(f->state))
            f->refusal = "the shader reads the framebuffer, which has more than one word a pixel with "
                         "multisample and target RGBA16F";
        return target_as_rgba(&b, f->state, f->framebuffer);
    default: return ir_const(&b, (enum ir_type)inst->type, 0);
    }
}

/* What the shader wrote: the last write of each word, gathered in the block that ends the program. */
struct results {
    struct ir_inst *color[4], *second[4], *depth, *drop;
    struct ir_inst *end;
};

static bool named(const struct ir_symbol *symbol, const char *name) {
    return symbol && symbol->name && strcmp(symbol->name, name) == 0;
}

static bool is_depth(const struct ir_symbol *symbol) {
    return named(symbol, "gl_FragDepth") || named(symbol, "gl_FragDepthEXT");
}

/* Only draw buffer 0 exists: gl_FragColor, gl_FragData[0], or the output at location 0 (or without one). The
 * second colour there is a source of blending. */
static uint32_t color_word(const struct ir_shader *shader, bool second) {
    for (uint32_t i = 0; i < shader->outputs.count; i++) {
        const struct ir_symbol *symbol = &shader->outputs.sym[i];
        if (!is_depth(symbol) && symbol->location <= 0 && named(symbol, "gl_SecondaryFragColor") == second)
            return symbol->word;
    }
    return UINT32_MAX;
}

static void gather(struct fragment *f, struct results *r) {
    uint32_t first = color_word(f->shader, false), second = color_word(f->shader, true);
    ir_for_blocks(f->shader, block) {
        ir_for_insts(block, inst) {
            if (inst->op == IR_END)
                r->end = inst;
            struct ir_inst *value = inst->nsrc ? ir_value(inst->src[0]) : NULL;
            if (inst->op == IR_DISCARD) {
                struct ir_builder b = ir_builder_before(inst);
                r->drop = r->drop ? ir_op2(&b, IR_BOR, r->drop, value) : value;
                ir_remove(inst);
            } else if (inst->op == IR_OUTPUT) {
                const struct ir_symbol *symbol = ir_symbol_of_word(&f->shader->outputs, inst->imm);
                if (is_depth(symbol))
                    r->depth = value;
                else if (first != UINT32_MAX && inst->imm - first < 4)
                    r->color[inst->imm - first] = value;
                else if (second != UINT32_MAX && inst->imm - second < 4)
                    r->second[inst->imm - second] = value;
                ir_remove(inst);
            }
        }
    }
}

/* Words of the stencil test's state; it stays off in a shader that writes none. */
static void set_stencil(struct ir_builder *b, const struct qpucc_state *state) {
    static const enum ir_state word[3] = {IR_STATE_STENCIL_FRONT, IR_STATE_STENCIL_BACK,
                                          IR_STATE_STENCIL_MASKS};
    bool wanted[3] = {state->stencil, state->stencil == QPUCC_STENCIL_SEPARATE, state->stencil_masks};
    for (int i = 0; i < 3; i++)
        if (wanted[i]) {
            struct ir_inst *setup = lower_stage_bits(b, word[i]);
            ir_emit(b, IR_TLB_STENCIL, IR_VOID, 1, &setup, 0, 0);
        }
}

/* The inputs that the key's parts take. Varyings of theirs are the last in the FIFO. */
static void output_inputs(struct fragment *f, struct output *o) {
    const struct qpucc_state *state = f->state;
    bool coordinate = state->fog_per_vertex || state->fog_source == QPUCC_FOG_COORDINATE;
    o->across = f->across;
    if (state->fog && coordinate)
        o->fog = vary(f, LOWER_STAGE_FOG, frag_w(f));
    if (state->line_stipple)
        o->line_distance = vary(f, LOWER_STAGE_LINE_DISTANCE, frag_w(f));
    if ((state->fog && state->fog_source == QPUCC_FOG_EYE) || state->line_stipple)
        o->w = frag_w(f);
    if (state->fog && state->fog_source == QPUCC_FOG_DEPTH)
        o->z = frag_z(f);
}

/* A colour never written is undefined; we take 0. */
static void as_floats(struct ir_builder *b, struct ir_inst *const written[4], struct ir_inst *color[4]) {
    for (int i = 0; i < 4; i++) {
        struct ir_inst *c = written[i];
        color[i] = !c || c->op == IR_UNDEF ? ir_const_f(b, 0.0f)
                   : c->type == IR_I32     ? ir_op1(b, IR_I2F, c)
                   : c->type == IR_BOOL    ? ir_op1(b, IR_B2F, c)
                                           : c;
    }
}

static struct ir_inst *depth_word(struct fragment *f, struct ir_builder *b, const struct results *r) {
    if (!r->depth)
        return frag_z(f);
    struct ir_inst *low = out_f(b, IR_FMAX, r->depth, 0.0f), *unit = out_f(b, IR_FMIN, low, 1.0f);
    return ir_op1(b, IR_F2I, out_f(b, IR_FMUL, unit, 0xffffff));
}

static void store(struct fragment *f, struct results *r) {
    if (!r->end)
        return;
    struct output o = {.b = ir_builder_before(r->end), .state = f->state, .drop = r->drop};
    output_inputs(f, &o);
    as_floats(&o.b, r->color, o.color);
    if (blend_uses_second(f->state))
        as_floats(&o.b, r->second, o.second);
    lower_chroma_key(&o);
    lower_fog(&o);
    lower_line_smooth(&o);
    lower_stipple(&o);
    lower_coverage(&o);
    lower_alpha_test(&o);
    struct ir_inst *keep = o.drop ? ir_op1(&o.b, IR_BNOT, o.drop) : NULL;
    f->shader->uses_discard = keep != NULL;
    lower_target_reads(&o, f->framebuffer);
    set_stencil(&o.b, f->state);
    if (keep || r->depth || f->state->depth_test || f->state->stencil) {
        struct ir_inst *z = depth_word(f, &o.b, r);
        ir_emit(&o.b, IR_TLB_Z, IR_VOID, keep ? 2 : 1, (struct ir_inst *[]){z, keep}, 0, 0);
    }
    lower_target(&o, keep);
}

/* Visits what a value is made of, backwards: a lookup's S is written last, after T (docs/hardware.md,
 * Textures), and folds into the varying's own addition when it comes last from the FIFO too. The second visit
 * gives places.
 */
static void visit_inputs(struct fragment *f, struct ir_inst *inst, uint8_t *visits, uint8_t visit,
                         unsigned depth) {
    if (visits[inst->id] == visit || depth == 0)
        return;
    visits[inst->id] = visit;
    if (visit == 2 && inst->op == IR_INPUT && inst->nsrc == 0 && inst->imm < f->shader->inputs.words)
        input_word(f, inst);
    for (uint32_t k = inst->nsrc; inst->op != IR_PHI && k-- > 0;)
        visit_inputs(f, inst->src[k], visits, visit, depth - 1);
}

static void visit_lookups(struct fragment *f, uint8_t *visits, uint8_t visit) {
    ir_for_blocks(f->shader, block) {
        ir_for_insts(block, inst) {
            if (inst->op == IR_TEX)
                visit_inputs(f, inst, visits, visit, 64);
        }
    }
}

/* Places in the FIFO: what lookups need comes early, but the texture units may not be written in the first
 * two instructions (guide, "Summary of Instruction Restrictions"), which leaves time for one other varying.
 */
static void place_inputs(struct fragment *f) {
    struct ir_shader *shader = f->shader;
    uint32_t known = shader->next_id;
    uint8_t *visits = ir_alloc(shader->arena, known);
    if (ir_arena_oom(shader->arena))
        return;
    visit_lookups(f, visits, 1);
    struct ir_inst *other = NULL;
    uint32_t lookups = 0;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            lookups += inst->op == IR_TEX;
            if (!other && inst->id < known && !visits[inst->id] && inst->op == IR_INPUT && inst->nsrc == 0 &&
                inst->imm < shader->inputs.words)
                other = inst;
        }
    }
    if (!lookups || (!other && lookups == 1)) /* with nothing else to read, S keeps that time filled */
        return;
    if (other)
        input_word(f, other);
    visit_lookups(f, visits, 2);
}

bool lower_fragment(struct ir_shader *shader, const struct pass_options *options) {
    const struct qpucc_state *state = &options->state;
    struct fragment f = {
        .shader = shader, .state = state, .precise = options->policy == QPUCC_POLICY_PRECISE};
    f.head = ir_builder_before(shader->blocks[0]->first);
    f.head.exact = false;
    /* Whatever stands first now may go; this stays until all reads are placed. */
    struct ir_inst *anchor = ir_emit(&f.head, IR_UNDEF, IR_I32, 0, NULL, 0, 0);
    f.head.before = anchor;
    f.input = ir_alloc(shader->arena, (shader->inputs.words + 1) * sizeof *f.input);
    shader->nvary = 0;
    if (state->primitive == QPUCC_POINTS) /* section 11: these two come first, read or not */
        for (int i = 0; i < 2; i++)
            f.point[i] = vary(&f, UINT32_MAX, frag_w(&f));
    else if (state->primitive == QPUCC_LINES)
        f.across = vary(&f, UINT32_MAX, NULL);
    place_inputs(&f);
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            struct ir_inst *by = NULL;
            switch (inst->op) {
            case IR_INPUT: by = inst->imm < shader->inputs.words ? input_word(&f, inst) : NULL; break;
            case IR_BUILTIN: by = builtin(&f, inst); break;
            default: break;
            }
            if (by)
                ir_replace(inst, by);
        }
    }
    ir_resolve(shader);
    struct results results = {0};
    gather(&f, &results);
    store(&f, &results);
    ir_remove(anchor);
    if (!f.refusal && !fits(shader))
        f.refusal = too_many_varyings;
    shader->refused = f.refusal;
    return !f.refusal;
}
