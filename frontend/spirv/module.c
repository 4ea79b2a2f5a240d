/* The module into tables: names, decorations, types, constants, variables, functions with their blocks. */
#define SPV_ENABLE_UTILITY_CODE /* SpvHasResultAndType, inline: this file makes the function, under a name   \
                                   of its own */
#define SpvHasResultAndType fe_has_result_and_type
#include "frontend/spirv/reader.h"
void SpvHasResultAndType(SpvOp opcode, bool *result, bool *type);

/* The header defines this constant in every C file that includes it; only this file does, under a name of its
 * own. */
#define kDefaultMaxIdBound fe_spirv_default_max_id_bound
#include <spirv-tools/libspirv.h>
#undef kDefaultMaxIdBound
#include <string.h>

const char *fe_opcode_name(uint32_t op) {
    return spvOpcodeString(op);
}

bool fe_is_constant_op(uint32_t op) {
    switch (op) {
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpConstant:
    case SpvOpConstantComposite:
    case SpvOpConstantNull:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
    case SpvOpSpecConstant:
    case SpvOpSpecConstantComposite:
    case SpvOpSpecConstantOp: return true;
    }
    return false;
}

const char *fe_string(struct fe_reader *r, const struct fe_inst *inst, uint32_t at) {
    if (at >= inst->count)
        return "";
    const char *text = (const char *)(r->words + inst->offset + at);
    return memchr(text, 0, (inst->count - at) * sizeof(uint32_t)) ? text : "";
}

/* --- decorations ---------------------------------------------------------------------------------------- */

static void apply(struct fe_deco *deco, const uint32_t *words, uint32_t count) {
    if (!count)
        return;
    uint32_t value = count > 1 ? words[1] : 0;
    switch (words[0]) {
    case SpvDecorationRelaxedPrecision: deco->relaxed = true; break;
    case SpvDecorationInvariant: deco->invariant = true; break;
    case SpvDecorationNoContraction: deco->no_contraction = true; break;
    case SpvDecorationFlat: deco->flat = true; break;
    case SpvDecorationNoPerspective: deco->no_perspective = true; break;
    case SpvDecorationCentroid: deco->centroid = true; break;
    case SpvDecorationBlock: deco->block = true; break;
    case SpvDecorationBufferBlock: deco->buffer_block = true; break;
    case SpvDecorationIndex: deco->index = value; break;
    case SpvDecorationComponent: deco->component = value; break;
    case SpvDecorationOffset: deco->offset = value; break;
    case SpvDecorationArrayStride: deco->array_stride = value; break;
    case SpvDecorationMatrixStride: deco->matrix_stride = value; break;
    case SpvDecorationRowMajor: deco->row_major = true; break;
    case SpvDecorationLocation: deco->location = value <= INT32_MAX ? (int32_t)value : -1; break;
    case SpvDecorationBinding: deco->binding = value <= INT32_MAX ? (int32_t)value : -1; break;
    case SpvDecorationBuiltIn: deco->builtin = value <= INT32_MAX ? (int32_t)value : -1; break;
    }
}

static void merge(struct fe_deco *to, const struct fe_deco *from) {
    to->relaxed |= from->relaxed;
    to->invariant |= from->invariant;
    to->no_contraction |= from->no_contraction;
    to->flat |= from->flat;
    to->no_perspective |= from->no_perspective;
    to->centroid |= from->centroid;
    to->block |= from->block;
    to->buffer_block |= from->buffer_block;
    to->row_major |= from->row_major;
    to->index |= from->index;
    to->component |= from->component;
    to->offset |= from->offset; /* said once: by the group or at the target */
    to->array_stride |= from->array_stride;
    to->matrix_stride |= from->matrix_stride;
    if (from->location >= 0)
        to->location = from->location;
    if (from->builtin >= 0)
        to->builtin = from->builtin;
    if (from->binding >= 0)
        to->binding = from->binding;
}

static const struct fe_deco no_deco = {.location = -1, .builtin = -1, .binding = -1};

const struct fe_deco *fe_deco(struct fe_reader *r, uint32_t id) {
    return id < r->bound && r->id[id].deco ? r->id[id].deco : &no_deco;
}

static struct fe_deco *deco_of(struct fe_reader *r, uint32_t id) {
    if (id >= r->bound)
        return NULL;
    if (!r->id[id].deco) {
        r->id[id].deco = ir_alloc(r->arena, sizeof(struct fe_deco));
        *r->id[id].deco = no_deco;
    }
    return r->id[id].deco;
}

static uint32_t member_hash(uint32_t id, uint32_t index) {
    uint32_t hash = id * 2654435761u ^ index * 2246822519u;
    return hash ^ hash >> 15;
}

/* All members that have annotations are in one hash table, chained. */
static bool grow_members(struct fe_reader *r) {
    uint32_t size = r->member_buckets ? 2 * r->member_buckets : 64;
    struct fe_member **bucket = ir_alloc(r->arena, size * sizeof *bucket);
    for (uint32_t k = 0; k < r->member_buckets; k++)
        for (struct fe_member *m = r->member_bucket[k], *chain; m; m = chain) {
            struct fe_member **at = &bucket[member_hash(m->id, m->index) & (size - 1)];
            chain = m->chain;
            m->chain = *at;
            *at = m;
        }
    r->member_bucket = bucket;
    r->member_buckets = size;
    return !ir_arena_oom(r->arena);
}

static struct fe_member *member_of(struct fe_reader *r, uint32_t id, uint32_t index) {
    if (id >= r->bound || (r->members >= r->member_buckets && !grow_members(r)))
        return NULL;
    struct fe_member **at = &r->member_bucket[member_hash(id, index) & (r->member_buckets - 1)];
    for (struct fe_member *m = *at; m; m = m->chain) {
        if (m->id == id && m->index == index)
            return m;
        if (++r->steps > 64 * FE_MAX_STEPS)
            return NULL;
    }
    struct fe_member *m = ir_alloc(r->arena, sizeof *m);
    *m = (struct fe_member){
        .next = r->id[id].members, .chain = *at, .id = id, .index = index, .deco = no_deco};
    r->id[id].members = *at = m;
    r->members++;
    return m;
}

static bool annotation(struct fe_reader *r, const struct fe_inst *inst) {
    const uint32_t *words = fe_operands(r, inst);
    struct fe_deco *deco;
    struct fe_member *member;
    switch (inst->op) {
    case SpvOpName:
        if (words[1] < r->bound)
            r->id[words[1]].name = fe_string(r, inst, 2);
        return true;
    case SpvOpMemberName:
        if ((member = member_of(r, words[1], words[2])))
            member->name = fe_string(r, inst, 3);
        return true;
    case SpvOpDecorate:
        r->decorations++;
        if ((deco = deco_of(r, words[1])))
            apply(deco, words + 2, inst->count - 2);
        return true;
    case SpvOpMemberDecorate:
        r->decorations++;
        if ((member = member_of(r, words[1], words[2])))
            apply(&member->deco, words + 3, inst->count - 3);
        return true;
    case SpvOpGroupDecorate:
        for (uint32_t k = 2; k < inst->count; k++)
            if ((deco = deco_of(r, words[k])))
                merge(deco, fe_deco(r, words[1]));
        return true;
    case SpvOpGroupMemberDecorate:
        for (uint32_t k = 2; k + 1 < inst->count; k += 2)
            if ((member = member_of(r, words[k], words[k + 1])))
                merge(&member->deco, fe_deco(r, words[1]));
        return true;
    }
    return false;
}

/* --- entry point ---------------------------------------------------------------------------------------- */

static const char *model_name(uint32_t model) {
    static const char *const names[] = {
        "vertex", "tessellation control", "tessellation evaluation", "geometry", "fragment", "compute",
        "kernel"};
    return model < sizeof names / sizeof *names ? names[model] : "other";
}

static bool entry_point(struct fe_reader *r, const struct fe_inst *inst) {
    const uint32_t *words = fe_operands(r, inst);
    const char *want = r->options->entry ? r->options->entry : "main";
    if (strcmp(fe_string(r, inst, 3), want) != 0 || r->entry_found)
        return true;
    r->model = words[1];
    r->entry = words[2];
    uint32_t model = r->shader->stage == QPUCC_FRAGMENT ? SpvExecutionModelFragment : SpvExecutionModelVertex;
    r->entry_found = r->model == model;
    return true;
}

static void execution_mode(struct fe_reader *r, const uint32_t *words) {
    if (words[1] != r->entry)
        return;
    if (words[2] == SpvExecutionModeOriginUpperLeft)
        r->upper_left = true;
    else if (words[2] == SpvExecutionModePixelCenterInteger)
        r->pixel_center_integer = true;
}

/* --- functions ------------------------------------------------------------------------------------------ */

static bool is_terminator(uint32_t op) {
    switch (op) {
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpKill:
    case SpvOpReturn:
    case SpvOpReturnValue:
    case SpvOpUnreachable:
    case SpvOpTerminateInvocation: return true;
    }
    return false;
}

static bool begin_function(struct fe_reader *r, const struct fe_inst *inst) {
    if (++r->nfunctions > FE_MAX_FUNCTIONS)
        return fe_fail(r, "limit", "more than %d functions", FE_MAX_FUNCTIONS);
    struct fe_function *f = ir_alloc(r->arena, sizeof *f);
    f->id = inst->result;
    f->loc = r->loc;
    f->result = inst->type < r->bound ? r->id[inst->type].type : NULL;
    if (!f->result || r->current)
        return fe_malformed(r);
    r->id[inst->result].function = f;
    r->current = f;
    return true;
}

/* What the validator would take more than proportional time for. */
static bool bound_constructs(struct fe_reader *r, const struct fe_function *f) {
    if (r->options->trusted || (uint64_t)f->merges * f->nblocks * (f->deepest + 1) <= FE_MAX_CONSTRUCTS)
        return true;
    fe_fail(r, "limit",
            "function '%s' has too much control flow: %u selections and loops, %u deep, in %u blocks",
            fe_name(r, f->id), f->merges, f->deepest, f->nblocks);
    r->fail_loc = f->loc;
    return false;
}

static bool bound_decorations(struct fe_reader *r) {
    return r->options->trusted || (uint64_t)r->decorations * r->nglobals <= FE_MAX_DECORATIONS ||
           fe_fail(r, "limit", "too many decorations: %u, of %u variables and their types", r->decorations,
                   r->nglobals);
}

static void count_merge(struct fe_reader *r, struct fe_function *f, uint32_t label) {
    f->merges++;
    f->deepest = ++f->nesting > f->deepest ? f->nesting : f->deepest;
    if (label < r->bound)
        r->id[label].ends++;
}

static bool in_function(struct fe_reader *r, const struct fe_inst *inst) {
    struct fe_function *f = r->current;
    switch (inst->op) {
    case SpvOpFunctionEnd:
        if (f->nblocks && f->block[f->nblocks - 1].end == UINT32_MAX)
            return fe_malformed(r);
        r->current = NULL;
        return bound_constructs(r, f);
    case SpvOpFunctionParameter:
        f->param = fe_grow(r, f->param, f->nparams, &f->cap_params, sizeof *f->param);
        f->param[f->nparams++] = inst->result;
        return true;
    case SpvOpLabel:
        if (f->nblocks && f->block[f->nblocks - 1].end == UINT32_MAX)
            return fe_malformed(r);
        f->block = fe_grow(r, f->block, f->nblocks, &f->cap_blocks, sizeof *f->block);
        f->block[f->nblocks] =
            (struct fe_block){.label = inst->result, .first = f->ninsts, .end = UINT32_MAX};
        r->id[inst->result].function = f;
        r->id[inst->result].block = f->nblocks++;
        f->nesting -= r->id[inst->result].ends < f->nesting ? r->id[inst->result].ends : f->nesting;
        return true;
    case SpvOpNop: return true;
    }
    if (!f->nblocks || f->block[f->nblocks - 1].end != UINT32_MAX)
        return fe_malformed(r);
    if (inst->op == SpvOpUndef)
        r->id[inst->result].function = f;
    r->loops |= inst->op == SpvOpLoopMerge;
    if (inst->op == SpvOpLoopMerge || inst->op == SpvOpSelectionMerge)
        count_merge(r, f, fe_operands(r, inst)[1]);
    f->inst = fe_grow(r, f->inst, f->ninsts, &f->cap_insts, sizeof *f->inst);
    f->inst[f->ninsts++] = *inst;
    if (is_terminator(inst->op)) {
        f->block[f->nblocks - 1].end = f->ninsts;
        r->loc = (struct ir_loc){0}; /* a line holds to the end of its block */
    }
    return true;
}

static bool line(struct fe_reader *r, const uint32_t *words) {
    if (words[1] >= r->bound || r->id[words[1]].op != SpvOpString)
        return fe_malformed(r);
    struct fe_id *file = &r->id[words[1]];
    if (!file->block) {
        struct fe_inst string = {
            .op = SpvOpString, .offset = file->offset, .count = r->words[file->offset] >> 16};
        if (r->shader->nfiles < UINT16_MAX)
            ir_add_file(r->shader, fe_string(r, &string, 2));
        file->block = r->shader->nfiles;
    }
    r->loc = (struct ir_loc){
        .line = words[2],
        .column = words[3] < UINT16_MAX ? (uint16_t)words[3] : UINT16_MAX,
        .file = (uint16_t)(file->block - 1),
    };
    return true;
}

static bool instruction(struct fe_reader *r, const struct fe_inst *inst) {
    const uint32_t *words = fe_operands(r, inst);
    switch (inst->op) {
    case SpvOpLine: return line(r, words);
    case SpvOpNoLine: r->loc = (struct ir_loc){0}; return true;
    case SpvOpEntryPoint: return entry_point(r, inst);
    case SpvOpSource: r->desktop = words[1] == SpvSourceLanguageGLSL; return true;
    case SpvOpExecutionMode: execution_mode(r, words); return true;
    case SpvOpMemoryModel:
        if (words[1] != SpvAddressingModelLogical)
            return fe_fail(r, "unsupported", "SPIR-V with physical addressing");
        return true;
    case SpvOpExtInstImport:
        if (strcmp(fe_string(r, inst, 2), "GLSL.std.450") == 0)
            r->glsl_set = inst->result;
        return true;
    case SpvOpFunction: return begin_function(r, inst);
    }
    if (annotation(r, inst))
        return true;
    if (r->current)
        return in_function(r, inst);
    if (fe_is_type(inst->op) && inst->result)
        return fe_make_type(r, inst);
    if (inst->op == SpvOpVariable) {
        r->globals = fe_grow(r, r->globals, r->nglobals, &r->cap_globals, sizeof *r->globals);
        r->globals[r->nglobals++] = inst->result;
    }
    if (inst->result && inst->type)
        fe_fold_constant(r, inst);
    return true;
}

static bool take(struct fe_reader *r, uint32_t op, uint32_t count, uint32_t type, uint32_t result) {
    struct fe_inst inst = {.op = (uint16_t)op,
                           .count = (uint16_t)count,
                           .type = type,
                           .result = result,
                           .offset = r->parse_at,
                           .loc = r->loc};
    r->parse_at += count;
    if (result) {
        if (result >= r->bound || r->id[result].op)
            return fe_malformed(r);
        struct fe_id *id = &r->id[result];
        id->op = inst.op;
        id->offset = inst.offset;
        if (type) {
            if (type >= r->bound || !fe_is_type(r->id[type].op))
                return fe_malformed(r);
            id->type = r->id[type].type;
        }
    }
    if (!instruction(r, &inst) || r->failed)
        return false;
    if (ir_arena_oom(r->arena))
        return fe_too_large(r);
    return true;
}

/* Words that an instruction has at least; of those whose operands somebody counts, type and result. */
static uint32_t least_words(uint32_t op, uint32_t ids) {
    switch (op) {
    case SpvOpFunctionEnd: return 1;
    case SpvOpBranch:
    case SpvOpReturnValue: return 2;
    case SpvOpName:
    case SpvOpMemberName:
    case SpvOpDecorate:
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
    case SpvOpExecutionMode:
    case SpvOpSource:
    case SpvOpMemoryModel:
    case SpvOpExtInstImport:
    case SpvOpTypeFloat:
    case SpvOpTypeFunction:
    case SpvOpTypeSampledImage:
    case SpvOpSelectionMerge:
    case SpvOpSwitch:
    case SpvOpStore:
    case SpvOpCopyMemory: return 3;
    case SpvOpMemberDecorate:
    case SpvOpEntryPoint:
    case SpvOpLine:
    case SpvOpTypeInt:
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
    case SpvOpTypeArray:
    case SpvOpTypePointer:
    case SpvOpConstant:
    case SpvOpSpecConstant:
    case SpvOpSpecConstantOp:
    case SpvOpVariable:
    case SpvOpBranchConditional:
    case SpvOpFunctionCall:
    case SpvOpLoad:
    case SpvOpCopyObject:
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain: return 4;
    case SpvOpExtInst: return 5;
    case SpvOpTypeImage: return 9;
    default: return 1 + ids;
    }
}

/* Words that somebody vouches for need no more than to be told apart. */
static bool take_trusted(struct fe_reader *r) {
    while (r->parse_at < r->count) {
        const uint32_t *words = r->words + r->parse_at;
        uint32_t op = words[0] & SpvOpCodeMask, count = words[0] >> SpvWordCountShift;
        bool result, type;
        SpvHasResultAndType((SpvOp)op, &result, &type);
        if (count < least_words(op, result + type) || count > r->count - r->parse_at)
            return fe_malformed(r);
        if (!take(r, op, count, type ? words[1] : 0, result ? words[1 + type] : 0))
            return false;
    }
    return true;
}

static spv_result_t on_instruction(void *user, const spv_parsed_instruction_t *parsed) {
    return take(user, parsed->opcode, parsed->num_words, parsed->type_id, parsed->result_id)
               ? SPV_SUCCESS
               : SPV_ERROR_INVALID_BINARY;
}

/* Anybody else's go through a parser that knows every operation's operands. */
static bool take_foreign(struct fe_reader *r) {
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    if (!context)
        return fe_fail(r, "internal", "out of memory");
    spv_diagnostic diagnostic = NULL;
    if (spvBinaryParse(context, r, r->words, r->count, NULL, on_instruction, &diagnostic) != SPV_SUCCESS &&
        !r->failed) {
        const char *text = diagnostic && diagnostic->error ? diagnostic->error : "refused by the parser";
        fe_fail(r, "invalid", "invalid SPIR-V: %.*s", (int)strcspn(text, "\n"), text);
    }
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    return !r->failed;
}

bool fe_parse_module(struct fe_reader *r) {
    r->parse_at = 5;
    if (!(r->options->trusted || r->options->valid ? take_trusted(r) : take_foreign(r)))
        return false;
    if (r->current)
        return fe_malformed(r);
    if (!bound_decorations(r))
        return false;
    r->loc = (struct ir_loc){0};
    const char *want = r->options->entry ? r->options->entry : "main";
    if (!r->entry)
        return fe_fail(r, "unsupported", "the module has no entry point \"%s\"", want);
    if (!r->entry_found)
        return fe_fail(r, "unsupported", "entry point \"%s\" is a %s shader, not a %s shader", want,
                       model_name(r->model), ir_stage_names[r->shader->stage]);
    r->steps = 0;
    return r->entry < r->bound || fe_malformed(r);
}

bool fe_validate(struct fe_reader *r) {
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
    spv_validator_options options = spvValidatorOptionsCreate();
    if (!context || !options) {
        spvContextDestroy(context);
        if (options)
            spvValidatorOptionsDestroy(options);
        return fe_fail(r, "internal", "out of memory");
    }
    /* glslang passes pointers to structures that match but are distinct types; layouts in memory are not ours
     * to use. */
    spvValidatorOptionsSetBeforeHlslLegalization(options, true);
    spvValidatorOptionsSetSkipBlockLayout(options, true);
    spvValidatorOptionsSetUniversalLimit(options, spv_validator_limit_max_id_bound,
                                         (uint32_t)ir_limit(r->arena, QPUCC_LIMIT_IDS));
    spv_diagnostic diagnostic = NULL;
    spv_const_binary_t binary = {.code = r->words, .wordCount = r->count};
    if (spvValidateWithOptions(context, options, &binary, &diagnostic) != SPV_SUCCESS) {
        const char *text = diagnostic && diagnostic->error ? diagnostic->error : "refused by the validator";
        fe_fail(r, "invalid", "invalid SPIR-V: %.*s", (int)strcspn(text, "\n"), text);
    }
    spvDiagnosticDestroy(diagnostic);
    spvValidatorOptionsDestroy(options);
    spvContextDestroy(context);
    return !r->failed;
}
