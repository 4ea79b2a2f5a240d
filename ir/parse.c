/* The text form, read. One line each:
 *
 *   ; comment
 *   shader fragment|vertex|coordinate [lowered] [point_size] [discard]
 *   file "name"
 *   uniform|sampler|input|output "name" float|int|uint|bool|sampler2D|... (ir_base_names) ROWSxCOLS word N
 *       [highp|mediump|lowp] [flat|linear] [array N] [invariant] [used]
 *       [location N] [by_location] [@file:line:column]
 *   words uniform|sampler|input|output N      when the table has other words than its entries add up to
 *   var "name" f32|i32|bool WORDS [mediump|lowp]
 *   attr SIZE SYMBOL [column N]               after lower_stage: one per attribute
 *   vary WORD|point                           after lower_stage: one per FIFO position
 *   slot N f32|i32|bool SLOT                  a large expression, slotN below; numbered from 0
 *   bN:                                       a block; the first is the entry
 *     [%N =] operation[.type] [immediate] [, %source ...] [mediump|lowp] [exact] [@file:line:column]
 *     %N = phi.type bN %source, ...
 *     jump bN  /  branch %cond, bN, bN  /  end
 *
 * Immediates: 1.5, -3, true, #0xbits (const); slots as u[3], tex1.p0, viewport.x_scale, stream, array[3],
 * #0xbits, slot0 or expr(fmul, u[3], 2.0), each with :type where it is not the expected one; v0[2] (variable
 * 0, word 2); u[4+8] (eight words from word 4); s0.cube.bias (texture); a plain number (index).
 *
 * The text is not trusted: ids are bounded, nesting is bounded, and what was read has to pass ir_verify. */
#include "ir/heap.h"
#include "ir/parse.h"

#include <ctype.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* --- values and blocks by number ------------------------------------------------------------------------ */

static void **entry(struct parser *p, struct map *map, uint32_t id) {
    if (id >= MAX_ID) {
        ir_text_fail(p, "number %u too large", id);
        return NULL;
    }
    if (id >= map->capacity) {
        uint32_t want = map->capacity ? map->capacity : 256;
        while (want <= id)
            want *= 2;
        void **larger = ir_heap_resize(ir_allocator(p->shader->arena), map->entry, want * sizeof *larger);
        if (!larger) {
            ir_text_fail(p, "out of memory");
            return NULL;
        }
        memset(larger + map->capacity, 0, (want - map->capacity) * sizeof *larger);
        map->entry = larger;
        map->capacity = want;
    }
    if (map->next <= id)
        map->next = id + 1;
    return &map->entry[id];
}

/* The value %id, perhaps one whose line is yet to come (its op is IR_OP_COUNT till then). */
static struct ir_inst *value_numbered(struct parser *p, uint32_t id) {
    void **at = entry(p, &p->values, id);
    if (!at)
        return NULL;
    if (!*at) {
        struct ir_inst *inst = ir_alloc(p->shader->arena, sizeof *inst);
        inst->op = IR_OP_COUNT;
        inst->id = id;
        *at = inst;
    }
    return *at;
}

/* The block bN, perhaps one whose lines are yet to come (its shader is NULL till then). */
static struct ir_block *block_numbered(struct parser *p, uint32_t id) {
    void **at = entry(p, &p->places, id);
    if (!at)
        return NULL;
    if (!*at) {
        struct ir_block *block = ir_alloc(p->shader->arena, sizeof *block);
        block->id = id;
        *at = block;
    }
    return *at;
}

static struct ir_inst *source(struct parser *p) {
    uint32_t id;
    if (!ir_text_expect(p, '%') || !ir_text_digits(p, &id))
        return NULL;
    return value_numbered(p, id);
}

static struct ir_block *block_reference(struct parser *p) {
    char text[WORD];
    uint32_t id;
    ir_text_word(p, text);
    const char *rest = text + 1;
    if (text[0] != 'b' || !ir_text_number_at(&rest, &id) || *rest) {
        ir_text_fail(p, "expected a block");
        return NULL;
    }
    return block_numbered(p, id);
}

/* --- immediates ----------------------------------------------------------------------------------------- */

static bool constant(struct parser *p, enum ir_type type, uint32_t *out) {
    char text[WORD];
    size_t n = 0;
    ir_text_blanks(p);
    if (ir_text_accept(p, '#'))
        return ir_text_hex(p, out);
    if (type == IR_BOOL) {
        *out = ir_text_accept_word(p, "true");
        return *out || ir_text_accept_word(p, "false") || ir_text_fail(p, "expected true or false");
    }
    if (type == IR_I32 && p->end - p->at > 1 && p->at[0] == '0' && (p->at[1] | 32) == 'x')
        return ir_text_hex(p, out);
    bool point = false;
    const char *decimal = localeconv()->decimal_point;
    while (n < WORD - 1 && (isdigit(ir_text_peek(p)) ||
                            (ir_text_peek(p) && strchr("+-.eE", ir_text_peek(p)) && ir_text_peek(p) != -1))) {
        text[n] = *p->at++;
        point |= !isdigit((unsigned char)text[n]) && n > 0;
        if (text[n] == '.')
            text[n] = decimal[0];
        n++;
    }
    text[n] = 0;
    char *end = text;
    if (type == IR_F32) {
        float value = strtof(text, &end);
        memcpy(out, &value, sizeof value);
    } else if (!point) {
        long long value = strtoll(text, &end, 10);
        if (value > (long long)UINT32_MAX || value < INT32_MIN)
            return ir_text_fail(p, "number out of range");
        *out = (uint32_t)value;
    }
    return n > 0 && *end == 0 ? true : ir_text_fail(p, "expected a constant");
}

static const struct ir_op_info *op_named(const char *text, enum ir_op *op) {
    *op = ir_op_named(text, strlen(text));
    return ir_op_info_of_any(*op);
}

static bool bracketed(struct parser *p, uint32_t *out) {
    return ir_text_expect(p, '[') && ir_text_number(p, out) && ir_text_expect(p, ']');
}

static bool slot(struct parser *p, enum ir_type expected, int depth, uint32_t *out);

/* After "expr". The types of arguments follow from the operation; a result of any type is the expected one.
 */
static bool expression(struct parser *p, enum ir_type expected, int depth, struct ir_slot *s) {
    char text[WORD];
    enum ir_op op;
    if (depth >= MAX_NESTING)
        return ir_text_fail(p, "nested too deep");
    if (!ir_text_expect(p, '('))
        return false;
    ir_text_word(p, text);
    const struct ir_op_info *info = op_named(text, &op);
    if (!info)
        return ir_text_fail(p, "unknown operation '%s'", text);
    s->kind = IR_SLOT_EXPR;
    s->op = (uint16_t)op;
    char result = info->result[0];
    enum ir_type type = result == 'f' ? IR_F32 : result == 'i' ? IR_I32 : result == 'b' ? IR_BOOL : expected;
    s->type = (uint8_t)type;
    ir_text_blanks(p);
    if (ir_text_peek(p) == '[' && !bracketed(p, &s->value))
        return false;
    while (ir_text_accept(p, ',')) {
        if (s->narg == 4)
            return ir_text_fail(p, "more than four arguments");
        char kind = ir_source_kind(info, s->narg);
        enum ir_type want = kind == 'f' ? IR_F32 : kind == 'i' ? IR_I32 : kind == 'b' ? IR_BOOL : type;
        if (!slot(p, want, depth + 1, &s->arg[s->narg]))
            return false;
        s->narg++;
    }
    return ir_text_expect(p, ')');
}

static bool slot(struct parser *p, enum ir_type expected, int depth, uint32_t *out) {
    struct ir_slot s = {.type = (uint8_t)expected};
    char text[WORD];
    uint32_t part;
    ir_text_word(p, text);
    const char *rest = text;
    if (!text[0] || strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        p->at -= strlen(text);
        s.kind = IR_SLOT_CONST;
        if (!constant(p, expected, &s.value))
            return false;
    } else if (strcmp(text, "u") == 0) {
        s.kind = IR_SLOT_UNIFORM;
        if (!bracketed(p, &s.value))
            return false;
    } else if (strcmp(text, "array") == 0) {
        s.kind = IR_SLOT_ARRAY;
        if (!bracketed(p, &s.value))
            return false;
    } else if (strcmp(text, "stream") == 0) {
        s.kind = IR_SLOT_STREAM;
    } else if (strcmp(text, "expr") == 0) {
        if (!expression(p, expected, depth, &s))
            return false;
    } else if (strncmp(text, "slot", 4) == 0 && (rest = text + 4, ir_text_number_at(&rest, &part)) &&
               !*rest) {
        if (part >= p->nslots)
            return ir_text_fail(p, "no slot %u", part);
        s = p->shader->slots[p->slot[part]];
    } else if (strncmp(text, "tex", 3) == 0 && (rest = text + 3, ir_text_number_at(&rest, &s.value)) &&
               rest[0] == '.' && rest[1] == 'p' && (rest += 2, ir_text_number_at(&rest, &part)) && !*rest &&
               part < 4) {
        s.kind = IR_SLOT_TEX;
        s.param = (uint8_t)part;
    } else {
        int state = ir_text_index_of(text, ir_state_names, IR_STATE_COUNT);
        if (state < 0)
            return ir_text_fail(p, "unknown slot '%s'", text);
        s.kind = IR_SLOT_STATE;
        s.value = (uint32_t)state;
    }
    if (ir_text_accept(p, ':')) {
        enum ir_type type;
        ir_text_word(p, text);
        if (!ir_text_type_named(text, &type))
            return ir_text_fail(p, "unknown type '%s'", text);
        s.type = (uint8_t)type;
    }
    *out = ir_slot(p->shader, s);
    return true;
}

bool ir_text_slot(struct parser *p, enum ir_type expected, uint32_t *out) {
    return slot(p, expected, 0, out);
}

static bool texture(struct parser *p, struct ir_inst *inst) {
    char text[WORD];
    ir_text_word(p, text);
    const char *rest = text + 1;
    if (text[0] != 's' || !ir_text_number_at(&rest, &inst->imm))
        return ir_text_fail(p, "expected a sampler");
    while (*rest) {
        size_t n = strcspn(rest + 1, ".") + 1;
        if (n == 5 && strncmp(rest, ".cube", n) == 0)
            inst->aux |= IR_TEX_CUBE;
        else if (n == 7 && strncmp(rest, ".border", n) == 0)
            inst->aux |= IR_TEX_BORDER;
        else if (n == 5 && strncmp(rest, ".bias", n) == 0)
            inst->aux |= IR_TEX_BIAS;
        else if (n == 4 && strncmp(rest, ".lod", n) == 0)
            inst->aux |= IR_TEX_LOD;
        else
            return ir_text_fail(p, "unknown texture flag '%s'", rest);
        rest += n;
    }
    return true;
}

static bool immediate(struct parser *p, const struct ir_op_info *info, struct ir_inst *inst) {
    char text[WORD];
    const char *rest;
    switch (info->imm) {
    case IR_IMM_NONE: return true;
    case IR_IMM_BITS: return constant(p, (enum ir_type)inst->type, &inst->imm);
    case IR_IMM_SLOT: return slot(p, (enum ir_type)inst->type, 0, &inst->imm);
    case IR_IMM_BYTE:
    case IR_IMM_HALF:
    case IR_IMM_INPUT:
    case IR_IMM_OUTPUT:
    case IR_IMM_FIFO:
    case IR_IMM_ROW:
        return ir_text_number(p, &inst->imm) && (!ir_text_accept(p, '+') || ir_text_number(p, &inst->aux));
    case IR_IMM_VAR:
        ir_text_word(p, text);
        rest = text + 1;
        if (text[0] != 'v' || !ir_text_number_at(&rest, &inst->imm) || *rest)
            return ir_text_fail(p, "expected a variable");
        return bracketed(p, &inst->aux);
    case IR_IMM_BUILTIN: {
        ir_text_word(p, text);
        int builtin = ir_text_index_of(text, ir_builtin_names, IR_BUILTIN_COUNT);
        inst->imm = (uint32_t)builtin;
        return builtin >= 0 || ir_text_fail(p, "unknown builtin '%s'", text);
    }
    case IR_IMM_RANGE:
        return (ir_text_accept_word(p, "u") || ir_text_fail(p, "expected u[WORD+COUNT]")) &&
               ir_text_expect(p, '[') && ir_text_number(p, &inst->imm) && ir_text_expect(p, '+') &&
               ir_text_number(p, &inst->aux) && ir_text_expect(p, ']');
    case IR_IMM_TEX: return texture(p, inst);
    case IR_IMM_SAMPLER: return texture(p, inst) && (!inst->aux || ir_text_fail(p, "expected a sampler"));
    }
    return ir_text_fail(p, "unknown immediate");
}

/* --- instructions --------------------------------------------------------------------------------------- */

static bool add_source(struct parser *p, struct ir_inst *inst, struct ir_block *from, uint32_t *capacity) {
    struct ir_inst *value = source(p);
    if (!value)
        return false;
    if (inst->op == IR_PHI) {
        ir_phi_add(inst, from, value);
        return true;
    }
    inst->src = ir_grow(p->shader->arena, inst->src, inst->nsrc, capacity, sizeof *inst->src);
    inst->src[inst->nsrc++] = value;
    return true;
}

static bool operands(struct parser *p, const struct ir_op_info *info, struct ir_inst *inst) {
    uint32_t capacity = 0, targets = 0, most = inst->op == IR_BRANCH ? 2 : inst->op == IR_JUMP ? 1 : 0;
    bool comma = info->imm != IR_IMM_NONE;
    for (;; comma = true) {
        ir_text_blanks(p);
        int c = ir_text_peek(p);
        if (comma ? !ir_text_accept(p, ',') : c != '%' && c != 'b')
            break;
        ir_text_blanks(p);
        struct ir_block *block = NULL;
        if (ir_text_peek(p) == 'b' && !(block = block_reference(p)))
            return false;
        if (block && inst->op != IR_PHI) {
            if (targets == most)
                return ir_text_fail(p, "too many blocks");
            p->block->succ[targets++] = block;
            continue;
        }
        if (inst->op == IR_PHI && !block)
            return ir_text_fail(p, "expected a block");
        if (!add_source(p, inst, block, &capacity))
            return false;
    }
    return targets == most || ir_text_fail(p, "expected %u blocks", most);
}

static unsigned hint_named(const char *text) {
    int hint = *text ? ir_text_index_of(text, ir_hint_names, IR_HINT_COUNT) : -1;
    return hint > 0 ? (unsigned)hint : IR_HINT_NONE;
}

static bool attributes(struct parser *p, struct ir_inst *inst) {
    char text[WORD];
    while (!ir_text_at_line_end(p)) {
        if (ir_text_accept(p, '@')) {
            if (!ir_text_loc(p, &inst->loc))
                return false;
            continue;
        }
        ir_text_word(p, text);
        int precision = ir_text_index_of(text, ir_text_precisions, 3);
        if (precision >= 0)
            inst->precision = (uint8_t)precision;
        else if (strcmp(text, "exact") == 0)
            inst->exact = true;
        else if (inst->op == IR_BRANCH && ir_is_branch_hint(hint_named(text)))
            inst->aux = hint_named(text);
        else
            return text[0] ? ir_text_fail(p, "unknown attribute '%s'", text)
                           : ir_text_fail(p, "unexpected character");
    }
    return true;
}

static bool result_type(struct parser *p, const struct ir_op_info *info, const char *suffix,
                        enum ir_type *out) {
    enum ir_type said = IR_VOID;
    if (*suffix && !ir_text_type_named(suffix, &said))
        return ir_text_fail(p, "unknown type '%s'", suffix);
    switch (info->result[0]) {
    case 'f': *out = IR_F32; break;
    case 'i': *out = IR_I32; break;
    case 'b': *out = IR_BOOL; break;
    case '-': *out = IR_VOID; break;
    default: *out = said; return said != IR_VOID || ir_text_fail(p, "%s needs a type", info->text);
    }
    return !*suffix || said == *out || ir_text_fail(p, "%s does not give %s", info->text, suffix);
}

static bool instruction_line(struct parser *p) {
    char text[WORD];
    enum ir_op op;
    enum ir_type type = IR_VOID;
    struct ir_inst *inst = NULL;
    if (p->block->last && ir_op_info(p->block->last->op)->terminator)
        return ir_text_fail(p, "instruction after the end of its block");
    ir_text_blanks(p);
    if (ir_text_peek(p) == '%') {
        inst = source(p);
        if (!inst || !ir_text_expect(p, '='))
            return false;
        if (inst->op != IR_OP_COUNT)
            return ir_text_fail(p, "%%%u is already defined", inst->id);
    }
    ir_text_word(p, text);
    char *dot = strchr(text, '.');
    if (dot)
        *dot = 0;
    const struct ir_op_info *info = op_named(text, &op);
    if (!info)
        return text[0] ? ir_text_fail(p, "unknown operation '%s'", text)
                       : ir_text_fail(p, "expected an operation");
    if (!result_type(p, info, dot ? dot + 1 : "", &type))
        return false;
    if ((type == IR_VOID) == (inst != NULL))
        return ir_text_fail(p, "%s %s", text, inst ? "has no result" : "needs a name for its result");
    if (!inst) { /* numbered when all others are known */
        inst = ir_alloc(p->shader->arena, sizeof *inst);
        inst->id = UINT32_MAX;
    }
    inst->op = (uint16_t)op;
    inst->type = (uint8_t)type;
    ir_link(inst, p->block, NULL);
    if (p->nlines == p->cap_lines) {
        uint32_t want = p->cap_lines ? p->cap_lines * 2 : 256;
        struct line_of *larger =
            ir_heap_resize(ir_allocator(p->shader->arena), p->lines, want * sizeof *larger);
        if (!larger)
            return ir_text_fail(p, "out of memory");
        p->lines = larger;
        p->cap_lines = want;
    }
    p->lines[p->nlines++] = (struct line_of){inst, p->line};
    return immediate(p, info, inst) && operands(p, info, inst) && attributes(p, inst);
}

/* "bN:", or "bN: unroll" where a loop begins, opens a block; false, and nothing read, if the line is
 * something else. */
static bool block_line(struct parser *p) {
    char text[WORD];
    uint32_t id;
    ir_text_blanks(p);
    const char *start = p->at;
    ir_text_word(p, text);
    const char *rest = text + 1;
    if (text[0] != 'b' || !ir_text_number_at(&rest, &id) || *rest || !ir_text_accept(p, ':')) {
        p->at = start;
        return false;
    }
    struct ir_shader *shader = p->shader;
    struct ir_block *block = block_numbered(p, id);
    if (!block)
        return true;
    if (!p->started || block->shader) {
        ir_text_fail(p, block->shader ? "b%u is already defined" : "expected 'shader STAGE' before b%u", id);
        return true;
    }
    block->shader = shader;
    shader->blocks =
        ir_grow(shader->arena, shader->blocks, shader->nblocks, &shader->cap_blocks, sizeof *shader->blocks);
    shader->blocks[shader->nblocks++] = block;
    p->block = block;
    if (!ir_text_at_line_end(p)) {
        ir_text_word(p, text);
        block->hint = (uint8_t)hint_named(text);
        if (!ir_is_loop_hint(block->hint))
            ir_text_fail(p, "unknown hint '%s'", text);
    }
    return true;
}

static bool line(struct parser *p) {
    if (ir_text_at_line_end(p))
        return true;
    if (!block_line(p) && !(p->block ? instruction_line(p) : ir_text_header_line(p)))
        return false;
    if (p->failed)
        return false;
    return ir_text_at_line_end(p) || ir_text_fail(p, "unexpected text at the end of the line");
}

/* All lines are read: nothing may be missing, and it has to be a sound shader. */
static bool finish(struct parser *p) {
    struct ir_shader *shader = p->shader;
    char text[256];
    if (!p->started)
        return ir_text_fail(p, "no shader");
    for (uint32_t id = 0; id < p->places.next; id++) {
        struct ir_block *block = p->places.entry[id];
        if (block && !block->shader)
            return ir_text_fail(p, "no block b%u", id);
    }
    for (uint32_t id = 0; id < p->values.next; id++) {
        struct ir_inst *inst = p->values.entry[id];
        if (inst && inst->op == IR_OP_COUNT)
            return ir_text_fail(p, "no value %%%u", id);
    }
    shader->next_id = p->values.next;
    shader->next_block_id = p->places.next;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (inst->id == UINT32_MAX)
                inst->id = shader->next_id++;
        }
    }
    const struct ir_inst *where;
    if (!ir_verify_where(shader, text, sizeof text, &where)) {
        for (uint32_t k = 0; k < p->nlines; k++)
            if (p->lines[k].inst == where)
                p->line = p->lines[k].line;
        return ir_text_fail(p, "%s", text);
    }
    ir_fill_preds(shader);
    return true;
}

struct ir_shader *ir_parse_in(const struct qpucc_allocator *from, const char *text, size_t length,
                              char *error, size_t size) {
    struct parser p = {.at = text, .end = text + length, .line = 1, .error = error, .size = size};
    if (error && size)
        error[0] = 0;
    p.shader = ir_shader_create(from, QPUCC_FRAGMENT);
    bool good = p.shader || ir_text_fail(&p, "out of memory");
    if (good) {
        p.shader->nblocks = p.shader->next_block_id = 0; /* the text brings its own entry */
        for (; good && p.at < p.end; p.line++) {
            good = line(&p);
            if (good && ir_arena_oom(p.shader->arena))
                good = ir_text_fail(&p, "too large");
            if (good && p.at < p.end)
                p.at++; /* the newline */
        }
        good = good && finish(&p);
    }
    ir_heap_free(p.values.entry);
    ir_heap_free(p.places.entry);
    ir_heap_free(p.lines);
    if (good)
        return p.shader;
    ir_shader_destroy(p.shader);
    return NULL;
}

struct ir_shader *ir_parse(const char *text, size_t length, char *error, size_t size) {
    return ir_parse_in(NULL, text, length, error, size);
}
