/* SPIR-V types as GL sees them: their words and leaves, and why some cannot be used. */
#include "frontend/spirv/reader.h"

#include <stdio.h>
#include <string.h>

static const struct fe_type *lookup(struct fe_reader *r, uint32_t id) {
    if (id >= r->bound || !fe_is_type(r->id[id].op) || !r->id[id].type) {
        fe_malformed(r);
        return NULL;
    }
    return r->id[id].type;
}

const struct fe_type *fe_type(struct fe_reader *r, uint32_t id) {
    const struct fe_type *type = lookup(r, id);
    if (type && type->why) {
        fe_unsupported(r, type->why);
        return NULL;
    }
    return type;
}

static const char *print(struct fe_reader *r, const char *format, uint32_t value) {
    char text[100];
    snprintf(text, sizeof text, format, value);
    return ir_strdup(r->arena, text);
}

static uint32_t most_words(const struct fe_reader *r) {
    uint64_t most = ir_limit(r->arena, QPUCC_LIMIT_VALUES);
    return most < 1 << 24 ? (uint32_t)most : 1 << 24; /* two of them make no overflow */
}

static const char *too_many(struct fe_reader *r, const char *name) {
    char text[200];
    snprintf(text, sizeof text, "more than %u words in one variable%s%.100s%s", most_words(r),
             name[0] == '(' ? "" : ", of structure '", name[0] == '(' ? "" : name, name[0] == '(' ? "" : "'");
    return ir_strdup(r->arena, text);
}

static void make_number(struct fe_reader *r, struct fe_type *type, const uint32_t *words, bool is_float) {
    uint32_t width = words[2];
    type->words = type->leaves = 1;
    type->scalar = is_float ? IR_F32 : IR_I32;
    type->kind = is_float ? FE_FLOAT : words[3] ? FE_INT : FE_UINT;
    if (width != 32)
        type->why = print(r, is_float ? "%u-bit floating point" : "%u-bit integer", width);
}

static void make_image(struct fe_type *type, const uint32_t *words) {
    static const char *const dims[] = {NULL,           NULL, "3D texture", NULL, NULL, "buffer texture",
                                       "subpass input"};
    uint32_t dim = words[3];
    type->dim = dim;
    type->shadow = words[4] == 1;
    type->samples = words[6] != 0;
    if (type->elem->kind != FE_FLOAT)
        type->why = "integer texture";
    else if (dim > SpvDimSubpassData)
        type->why = "texture of an unknown dimension";
    else if (dims[dim])
        type->why = dims[dim];
    else if (words[5])
        type->why = "array texture";
    else if (words[6] && (dim != SpvDim2D || type->shadow))
        type->why = "multisample texture of this kind";
    else if (words[7] != 1)
        type->why = "storage image";
}

static bool make_struct(struct fe_reader *r, struct fe_type *type, const uint32_t *words, uint32_t count) {
    type->kind = FE_STRUCT;
    type->count = count;
    size_t n = count ? count : 1;
    type->member = ir_alloc(r->arena, n * sizeof *type->member);
    type->member_word = ir_alloc(r->arena, n * sizeof *type->member_word);
    type->member_leaf = ir_alloc(r->arena, n * sizeof *type->member_leaf);
    type->member_deco = ir_alloc(r->arena, n * sizeof *type->member_deco);
    type->member_name = ir_alloc(r->arena, n * sizeof *type->member_name);
    for (uint32_t k = 0; k < count; k++) {
        const struct fe_type *member = lookup(r, words[k]);
        if (!member)
            return false;
        type->member[k] = member;
        type->member_word[k] = type->words;
        type->member_leaf[k] = type->leaves;
        type->member_deco[k] = (struct fe_deco){.location = -1, .builtin = -1, .binding = -1};
        type->member_name[k] = "";
        type->words += member->words;
        type->leaves += member->leaves;
        if (member->depth >= type->depth)
            type->depth = member->depth + 1;
        if (!type->why)
            type->why = member->why;
        if (member->kind == FE_POINTER)
            type->why = "pointer inside a structure";
        uint32_t most = most_words(r);
        if (type->words > most || type->leaves > most) {
            type->why = too_many(r, fe_name(r, type->id));
            type->words = type->leaves = most;
        }
    }
    for (const struct fe_member *m = r->id[type->id].members; m; m = m->next) {
        if (m->index >= count)
            continue;
        if (m->name)
            type->member_name[m->index] = m->name;
        type->member_deco[m->index] = m->deco;
    }
    return true;
}

static bool make_repeated(struct fe_reader *r, struct fe_type *type, uint8_t kind, uint32_t elem,
                          uint32_t count) {
    type->kind = kind;
    type->elem = lookup(r, elem);
    type->count = count;
    if (!type->elem)
        return false;
    type->depth = type->elem->depth < 255 ? type->elem->depth + 1 : 255;
    type->scalar = type->elem->scalar;
    type->why = type->elem->why;
    type->leaves = type->elem->leaves;
    uint64_t words = (uint64_t)type->elem->words * count;
    if (!count && !type->why)
        type->why = "array without a size";
    if (type->elem->kind == FE_POINTER)
        type->why = "array of pointers";
    if (words > most_words(r)) {
        type->why = too_many(r, fe_name(r, type->elem->id));
        words = most_words(r);
    }
    type->words = (uint32_t)words;
    return true;
}

bool fe_make_type(struct fe_reader *r, const struct fe_inst *inst) {
    struct fe_type *type = ir_alloc(r->arena, sizeof *type);
    const uint32_t *words = fe_operands(r, inst);
    uint32_t length = 0;
    type->id = inst->result;
    type->kind = FE_OTHER;
    bool ok = true;
    switch (inst->op) {
    case SpvOpTypeVoid: type->kind = FE_VOID; break;
    case SpvOpTypeBool:
        type->kind = FE_BOOL;
        type->scalar = IR_BOOL;
        type->words = type->leaves = 1;
        break;
    case SpvOpTypeInt: make_number(r, type, words, false); break;
    case SpvOpTypeFloat: make_number(r, type, words, true); break;
    case SpvOpTypeVector:
        ok = make_repeated(r, type, FE_VECTOR, words[2], words[3]);
        if (words[3] < 2 || words[3] > 4)
            type->why = "vector of more than four components";
        break;
    case SpvOpTypeMatrix:
        ok = make_repeated(r, type, FE_MATRIX, words[2], words[3]);
        if (words[3] < 2 || words[3] > 4)
            type->why = "matrix of more than four columns";
        break;
    case SpvOpTypeArray:
        if (!fe_constant_u32(r, words[3], &length)) {
            if (r->failed)
                return false;
            length = 1;
            type->why = "array sized by an expression whose value is not known";
        }
        const char *why = type->why;
        ok = make_repeated(r, type, FE_ARRAY, words[2], length);
        if (why)
            type->why = why;
        break;
    case SpvOpTypeRuntimeArray: type->why = "array without a size"; break;
    case SpvOpTypeStruct: ok = make_struct(r, type, words + 2, inst->count - 2); break;
    case SpvOpTypePointer:
        type->kind = FE_POINTER;
        type->storage = words[2];
        type->elem = lookup(r, words[3]);
        if (type->elem) {
            type->depth = type->elem->depth < 255 ? type->elem->depth + 1 : 255;
            type->why = type->elem->why;
        } else {
            ok = false;
        }
        break;
    case SpvOpTypeFunction:
        type->kind = FE_FUNCTION;
        type->elem = lookup(r, words[2]);
        type->count = inst->count - 3;
        ok = type->elem;
        break;
    case SpvOpTypeImage:
        type->kind = FE_IMAGE;
        type->elem = lookup(r, words[2]);
        if (type->elem)
            make_image(type, words);
        else
            ok = false;
        type->scalar = IR_I32;
        type->words = type->leaves = 1;
        break;
    case SpvOpTypeSampledImage:
        type->kind = FE_SAMPLED_IMAGE;
        type->elem = lookup(r, words[2]);
        ok = type->elem && (type->elem->kind == FE_IMAGE || fe_malformed(r));
        type->why = type->elem ? type->elem->why : NULL;
        type->scalar = IR_I32;
        type->words = type->leaves = 1;
        break;
    case SpvOpTypeSampler:
        type->kind = FE_SAMPLER;
        type->why = "sampler apart from its texture";
        type->words = type->leaves = 1;
        type->scalar = IR_I32;
        break;
    default: type->why = ir_strdup(r->arena, fe_opcode_name(inst->op)); break;
    }
    if (!ok)
        return false;
    if (type->depth > FE_MAX_TYPE_DEPTH)
        return fe_fail(r, "limit", "type nested more than %d levels deep", FE_MAX_TYPE_DEPTH);
    r->id[inst->result].type = type;
    return true;
}
