/* Values: the scalar words that an id stands for. Constants are created where they are used, at most once in
 * each block; other common subexpressions are left to the passes. */
#include "frontend/spirv/reader.h"

#include <string.h>

struct ir_inst **fe_words(struct fe_reader *r, uint32_t count) {
    r->value_words += count;
    ir_work(r->arena, count / 4);
    if (r->value_words > FE_MAX_VALUE_WORDS)
        fe_fail(r, "limit", "the shader moves more than %d words of composite values", FE_MAX_VALUE_WORDS);
    return ir_alloc(r->arena, (count ? count : 1) * sizeof(struct ir_inst *));
}

/* The basic type that word number `word` of a value belongs to. */
enum ir_type fe_word_type(const struct fe_type *type, uint32_t word) {
    for (;;) {
        if (type->scalar != IR_VOID) /* of a basic type, or of arrays of one */
            return type->scalar;
        if (type->kind == FE_ARRAY) {
            type = type->elem;
            word %= type->words ? type->words : 1;
            continue;
        }
        if (type->kind != FE_STRUCT || !type->count)
            return IR_I32;
        uint32_t low = 0, high = type->count - 1; /* the last member that starts at or before the word */
        while (low < high) {
            uint32_t middle = (low + high + 1) / 2;
            if (type->member_word[middle] <= word)
                low = middle;
            else
                high = middle - 1;
        }
        word -= type->member_word[low];
        type = type->member[low];
    }
}

/* In uniforms booleans are integers, 0 or 1, so a structure with booleans has two types in SPIR-V. Where
 * glslang copies one to the other it converts the members, but it forgets that where a structure of uniforms
 * is chosen with ?: or compared. */
struct ir_inst *fe_as(struct fe_reader *r, struct ir_inst *value, enum ir_type wanted) {
    if (wanted == IR_VOID || value->type == wanted)
        return value;
    if (r->options->trusted && wanted == IR_BOOL && value->type == IR_I32)
        return ir_op2(&r->b, IR_INE, value, ir_const_i(&r->b, 0));
    if (r->options->trusted && wanted == IR_I32 && value->type == IR_BOOL)
        return ir_op1(&r->b, IR_B2I, value);
    fe_malformed(r);
    return NULL;
}

struct ir_inst **fe_undef(struct fe_reader *r, const struct fe_type *type) {
    struct ir_inst **word = fe_words(r, type->words);
    for (uint32_t k = 0; k < type->words && !r->failed; k++)
        word[k] = ir_emit(&r->b, IR_UNDEF, fe_word_type(type, k), 0, NULL, 0, 0);
    return r->failed ? NULL : word;
}

const struct fe_type *fe_value_type(struct fe_reader *r, uint32_t id) {
    if (id >= r->bound || !r->id[id].type || fe_is_type(r->id[id].op)) {
        fe_malformed(r);
        return NULL;
    }
    if (r->id[id].type->why) {
        fe_unsupported(r, r->id[id].type->why);
        return NULL;
    }
    return r->id[id].type;
}

void fe_set(struct fe_reader *r, uint32_t id, const struct fe_type *type, struct ir_inst **word) {
    if (id >= r->bound) {
        fe_malformed(r);
        return;
    }
    r->id[id].type = type;
    r->id[id].word = word;
}

/* Composites are built from their parts, which have to have the right sizes. */
static struct ir_inst **composite_constant(struct fe_reader *r, const struct fe_type *type,
                                           const uint32_t *part, uint32_t parts) {
    struct ir_inst **word = fe_words(r, type->words);
    uint32_t filled = 0;
    for (uint32_t k = 0; k < parts && !r->failed; k++) {
        const struct fe_type *part_type = fe_value_type(r, part[k]);
        struct ir_inst **from = part_type ? fe_value(r, part[k]) : NULL;
        if (!from)
            return NULL;
        if (part_type->words > type->words - filled) {
            fe_malformed(r);
            return NULL;
        }
        memcpy(word + filled, from, part_type->words * sizeof *word);
        filled += part_type->words;
    }
    if (filled != type->words)
        fe_malformed(r);
    return r->failed ? NULL : word;
}

static struct ir_inst **make_constant(struct fe_reader *r, uint32_t id) {
    struct fe_id *entry = &r->id[id];
    const struct fe_type *type = fe_value_type(r, id);
    if (!type)
        return NULL;
    const uint32_t *words = r->words + entry->offset;
    uint32_t count = words[0] >> 16;
    struct ir_inst **word;
    switch (entry->op) {
    case SpvOpConstantTrue:
    case SpvOpSpecConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpSpecConstantFalse:
    case SpvOpConstant:
    case SpvOpSpecConstant:
        if (type->words != 1) {
            fe_malformed(r);
            return NULL;
        }
        word = fe_words(r, 1);
        if (entry->op == SpvOpConstant || entry->op == SpvOpSpecConstant)
            word[0] = ir_const(&r->b, type->scalar, words[3]);
        else
            word[0] = ir_const_b(&r->b, entry->op == SpvOpConstantTrue || entry->op == SpvOpSpecConstantTrue);
        return word;
    case SpvOpConstantNull:
        word = fe_words(r, type->words);
        for (uint32_t k = 0; k < type->words && !r->failed; k++)
            word[k] = ir_const(&r->b, fe_word_type(type, k), 0);
        return word;
    case SpvOpUndef: return fe_undef(r, type);
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite: return composite_constant(r, type, words + 3, count - 3);
    case SpvOpSpecConstantOp: {
        struct fe_op op = {.op = words[3], .type = type, .result = id, .arg = words + 4, .nargs = count - 4};
        bool known = true;
        word = fe_arithmetic(r, &op, &known);
        if (!known)
            fe_fail(r, "unsupported", "specialization constant operation %s is not supported",
                    fe_opcode_name(op.op));
        return word;
    }
    }
    fe_malformed(r);
    return NULL;
}

struct ir_inst **fe_value(struct fe_reader *r, uint32_t id) {
    if (r->failed)
        return NULL;
    if (id >= r->bound || !r->id[id].op) {
        fe_malformed(r);
        return NULL;
    }
    struct fe_id *entry = &r->id[id];
    if (fe_is_constant_op(entry->op) || (entry->op == SpvOpUndef && !entry->function)) {
        if (!entry->word || entry->where != r->b.block || r->b.before) {
            if (++r->steps > FE_MAX_STEPS || r->call_depth > FE_MAX_CALL_DEPTH * 2) {
                fe_fail(r, "limit", "constants are nested too deeply");
                return NULL;
            }
            uint8_t precision = r->b.precision;
            r->b.precision = IR_HIGHP;
            r->call_depth++;
            struct ir_inst **word = make_constant(r, id);
            r->call_depth--;
            r->b.precision = precision;
            if (r->b.before)
                return r->failed ? NULL : word;
            entry->word = word;
            entry->where = r->b.block;
        }
    } else if (!entry->word) {
        fe_malformed(r);
    }
    return r->failed ? NULL : entry->word;
}

struct ir_inst **fe_value_n(struct fe_reader *r, uint32_t id, uint32_t count) {
    const struct fe_type *type = fe_value_type(r, id);
    if (!type)
        return NULL;
    if (type->words != count) {
        fe_malformed(r);
        return NULL;
    }
    return fe_value(r, id);
}

/* word[index], the last one if the index is out of range. */
struct ir_inst *fe_select_index(struct fe_reader *r, struct ir_inst *const *word, uint32_t count,
                                struct ir_inst *index) {
    if (ir_is_const(index))
        return word[index->imm < count ? index->imm : count - 1];
    struct ir_inst *result = word[count - 1];
    for (uint32_t k = count - 1; k-- > 0;) {
        struct ir_inst *is = ir_op2(&r->b, IR_IEQ, index, ir_const_i(&r->b, k));
        result = ir_op3(&r->b, IR_SELECT, is, word[k], result);
    }
    return result;
}
