/* Memory and interface: inputs, outputs, uniforms, built-in values, local arrays, discard. */
#include "nir_translate.h"

#include "compiler/nir_types.h"
#include "util/hash_table.h"

/* --- variables ------------------------------------------------------------------------------------------ */

static uint32_t add_variable(struct translation *t, uint32_t storage, uint32_t type) {
    uint32_t id = spirv_id(&t->m);
    SPIRV_PUT(&t->m, SECTION_TYPES, SpvOpVariable, spirv_pointer(&t->m, storage, type), id, storage);
    if (storage == SpvStorageClassInput || storage == SpvStorageClassOutput) {
        if (t->interfaces == sizeof t->interface / sizeof *t->interface)
            return fail(t, "too many inputs and outputs");
        t->interface[t->interfaces++] = id;
    }
    return id;
}

static void decorate(struct translation *t, uint32_t id, uint32_t decoration, uint32_t value) {
    SPIRV_PUT(&t->m, SECTION_DECORATIONS, SpvOpDecorate, id, decoration, value);
}

static void decorate_plain(struct translation *t, uint32_t id, uint32_t decoration) {
    SPIRV_PUT(&t->m, SECTION_DECORATIONS, SpvOpDecorate, id, decoration);
}

static uint32_t built_in(struct translation *t, uint32_t storage, uint32_t type, uint32_t which) {
    uint32_t id = add_variable(t, storage, type);
    decorate(t, id, SpvDecorationBuiltIn, which);
    return id;
}

/* GL's name of a varying, which the library's state may act on. */
static const char *gl_name(unsigned slot) {
    switch (slot) {
    case VARYING_SLOT_COL0: return "gl_FrontColor";
    case VARYING_SLOT_COL1: return "gl_FrontSecondaryColor";
    case VARYING_SLOT_BFC0: return "gl_BackColor";
    case VARYING_SLOT_BFC1: return "gl_BackSecondaryColor";
    case VARYING_SLOT_FOGC: return "gl_FogFragCoord";
    case VARYING_SLOT_CLIP_VERTEX: return "gl_ClipVertex";
    default: return NULL;
    }
}

static bool is_texcoord(unsigned slot) {
    return slot >= VARYING_SLOT_TEX0 && slot <= VARYING_SLOT_TEX7;
}

static void interpolate(struct translation *t, uint32_t id, unsigned slot) {
    uint64_t bit = BITFIELD64_BIT(slot);
    if (t->flat & bit)
        decorate_plain(t, id, SpvDecorationFlat);
    if (t->no_perspective & bit)
        decorate_plain(t, id, SpvDecorationNoPerspective);
    if (t->centroid & bit)
        decorate_plain(t, id, SpvDecorationCentroid);
}

/* A varying, as input or output. Both stages give the same name, type and location. */
static uint32_t varying(struct translation *t, uint32_t storage, unsigned slot) {
    const char *name = gl_name(slot);
    uint32_t *known = storage == SpvStorageClassInput ? t->input : t->output, id;
    uint32_t *texcoord = &t->texcoord[storage == SpvStorageClassOutput];
    if (known[slot])
        return known[slot];
    if (is_texcoord(slot) && *texcoord)
        return *texcoord;
    uint32_t type = type_of(t, KIND_FLOAT, slot == VARYING_SLOT_FOGC ? 1 : 4);
    if (is_texcoord(slot))
        type = spirv_array(&t->m, type, 8);
    id = add_variable(t, storage, type);
    if (is_texcoord(slot)) {
        *texcoord = id;
        spirv_name(&t->m, id, "gl_TexCoord");
        decorate(t, id, SpvDecorationLocation, VARYING_SLOT_TEX0);
        return id;
    }
    known[slot] = id;
    if (name)
        spirv_name(&t->m, id, "%s", name);
    else
        spirv_name(&t->m, id, "v%u", slot - VARYING_SLOT_VAR0);
    decorate(t, id, SpvDecorationLocation, slot);
    interpolate(t, id, slot);
    return id;
}

static uint32_t fragment_input(struct translation *t, unsigned slot) {
    uint32_t vec4 = type_of(t, KIND_FLOAT, 4);
    switch (slot) {
    case VARYING_SLOT_POS:
        if (!t->input[slot])
            t->input[slot] = built_in(t, SpvStorageClassInput, vec4, SpvBuiltInFragCoord);
        return t->input[slot];
    case VARYING_SLOT_PNTC:
        if (!t->input[slot])
            t->input[slot] =
                built_in(t, SpvStorageClassInput, type_of(t, KIND_FLOAT, 2), SpvBuiltInPointCoord);
        return t->input[slot];
    default: return varying(t, SpvStorageClassInput, slot);
    }
}

static uint32_t attribute(struct translation *t, unsigned number) {
    if (!t->input[number]) {
        uint32_t id = add_variable(t, SpvStorageClassInput, type_of(t, KIND_FLOAT, t->input_size[number]));
        t->input[number] = id;
        spirv_name(&t->m, id, "a%u", number);
        decorate(t, id, SpvDecorationLocation, number);
        t->out->attribute_mask |= 1u << number;
    }
    return t->input[number];
}

static uint32_t clip_distances(struct translation *t) {
    if (!t->output[VARYING_SLOT_CLIP_DIST0]) {
        uint32_t count = t->input_size[VARYING_SLOT_CLIP_DIST0];
        uint32_t type = spirv_array(&t->m, type_of(t, KIND_FLOAT, 1), count);
        t->output[VARYING_SLOT_CLIP_DIST0] = built_in(t, SpvStorageClassOutput, type, SpvBuiltInClipDistance);
        SPIRV_PUT(&t->m, SECTION_HEAD, SpvOpCapability, SpvCapabilityClipDistance);
    }
    return t->output[VARYING_SLOT_CLIP_DIST0];
}

static uint32_t vertex_output(struct translation *t, unsigned slot, bool invariant) {
    uint32_t id = 0;
    if (slot == VARYING_SLOT_POS || slot == VARYING_SLOT_PSIZ) {
        uint32_t type = type_of(t, KIND_FLOAT, slot == VARYING_SLOT_POS ? 4 : 1);
        uint32_t which = slot == VARYING_SLOT_POS ? SpvBuiltInPosition : SpvBuiltInPointSize;
        if (!t->output[slot])
            t->output[slot] = built_in(t, SpvStorageClassOutput, type, which);
        id = t->output[slot];
    } else {
        id = varying(t, SpvStorageClassOutput, slot);
    }
    if (invariant && !(t->invariant & BITFIELD64_BIT(slot)))
        decorate_plain(t, id, SpvDecorationInvariant);
    t->invariant |= (uint64_t)invariant << slot;
    return id;
}

static uint32_t fragment_output(struct translation *t, unsigned slot, bool second) {
    uint32_t *id =
        second ? &t->second_color : &t->output[slot == FRAG_RESULT_DEPTH ? slot : FRAG_RESULT_DATA0];
    if (*id)
        return *id;
    if (slot == FRAG_RESULT_DEPTH) {
        *id = built_in(t, SpvStorageClassOutput, type_of(t, KIND_FLOAT, 1), SpvBuiltInFragDepth);
        t->writes_depth = true;
        return *id;
    }
    *id = add_variable(t, SpvStorageClassOutput, type_of(t, KIND_FLOAT, 4));
    spirv_name(&t->m, *id, second ? "color1" : "color0");
    decorate(t, *id, SpvDecorationLocation, 0);
    if (second)
        decorate(t, *id, SpvDecorationIndex, 1);
    return *id;
}

/* A fixed-function fragment shader may read what this vertex shader does not write; GL leaves open what it
 * sees then. */
void declare_outputs(struct translation *t) {
    static const uint8_t slot[] = {VARYING_SLOT_COL0, VARYING_SLOT_COL1, VARYING_SLOT_FOGC,
                                   VARYING_SLOT_TEX0};
    for (unsigned k = 0; k < ARRAY_SIZE(slot); k++)
        varying(t, SpvStorageClassOutput, slot[k]);
}

/* --- what is gathered ----------------------------------------------------------------------------------- */

void gather_interface(struct translation *t) {
    if (!t->fragment)
        return;
    nir_foreach_shader_in_variable(var, t->shader) {
        unsigned slots = glsl_count_attribute_slots(var->type, false);
        for (unsigned k = 0; k < slots && var->data.location + k < MAX_SLOTS; k++) {
            uint64_t bit = BITFIELD64_BIT(var->data.location + k);
            if (var->data.interpolation == INTERP_MODE_FLAT)
                t->flat |= bit;
            if (var->data.interpolation == INTERP_MODE_NOPERSPECTIVE)
                t->no_perspective |= bit;
            if (var->data.centroid)
                t->centroid |= bit;
        }
    }
}

/* The slot of an access, or the attribute's number; UINT32_MAX: not known. */
static uint32_t slot_of(struct translation *t, const nir_intrinsic_instr *intr) {
    const nir_src *offset = nir_get_io_offset_src((nir_intrinsic_instr *)intr);
    bool attribute_load = intr->intrinsic == nir_intrinsic_load_input && !t->fragment;
    uint32_t slot = attribute_load ? nir_intrinsic_base(intr) : nir_intrinsic_io_semantics(intr).location;
    if (!nir_src_is_const(*offset))
        return UINT32_MAX;
    slot += nir_src_as_uint(*offset);
    return slot < (attribute_load ? 32 : MAX_SLOTS) ? slot : UINT32_MAX;
}

void gather_accesses(struct translation *t) {
    nir_foreach_block(block, t->impl) {
        nir_foreach_instr(instr, block) {
            if (instr->type != nir_instr_type_intrinsic)
                continue;
            nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
            uint32_t slot, end;
            t->scaled_rectangles |= intr->intrinsic == nir_intrinsic_load_texture_rect_scaling;
            if (t->fragment)
                continue;
            if (intr->intrinsic == nir_intrinsic_load_input) {
                slot = slot_of(t, intr);
                end = nir_intrinsic_component(intr) + intr->dest.ssa.num_components;
                if (slot != UINT32_MAX)
                    t->input_size[slot] = MAX2(t->input_size[slot], end);
            } else if (intr->intrinsic == nir_intrinsic_store_output) {
                slot = slot_of(t, intr);
                if (slot != VARYING_SLOT_CLIP_DIST0 && slot != VARYING_SLOT_CLIP_DIST1)
                    continue;
                end = nir_intrinsic_component(intr) + util_last_bit(nir_intrinsic_write_mask(intr)) +
                      4 * (slot - VARYING_SLOT_CLIP_DIST0);
                t->input_size[VARYING_SLOT_CLIP_DIST0] = MAX2(t->input_size[VARYING_SLOT_CLIP_DIST0], end);
            }
        }
    }
}

/* --- inputs and outputs --------------------------------------------------------------------------------- */

static uint32_t load(struct translation *t, uint32_t type, uint32_t pointer) {
    return SPIRV_OP(&t->m, SpvOpLoad, type, pointer);
}

/* Components of a loaded vector of `size`. */
static uint32_t part_of(struct translation *t, const nir_ssa_def *def, uint32_t vector, uint32_t size,
                        uint32_t first) {
    uint32_t n = def->num_components, operand[6] = {vector, vector};
    if (first + n > size)
        return fail(t, "more components than the input has");
    if (size == n)
        return vector;
    if (n == 1)
        return extract(t, vector, KIND_FLOAT, first);
    for (uint32_t k = 0; k < n; k++)
        operand[2 + k] = first + k;
    return emit(t, def, SpvOpVectorShuffle, type_of(t, KIND_FLOAT, n), 2 + n, operand);
}

/* The fog coordinate is a number in the module; as a vector it is (f, 0, 0, 1). */
static uint32_t fog_part(struct translation *t, const nir_ssa_def *def, uint32_t variable, uint32_t first) {
    uint32_t part[4], zero = spirv_float(&t->m, 0, 1), one = spirv_float(&t->m, 1, 1);
    uint32_t value = load(t, type_of(t, KIND_FLOAT, 1), variable);
    for (uint32_t k = 0; k < def->num_components; k++)
        part[k] = first + k == 0 ? value : first + k == 3 ? one : zero;
    return construct(t, def, KIND_FLOAT, def->num_components, part);
}

static void load_front_face(struct translation *t, const nir_ssa_def *def) {
    uint32_t type = type_of(t, KIND_BOOL, 1);
    if (!t->front_facing)
        t->front_facing = built_in(t, SpvStorageClassInput, type, SpvBuiltInFrontFacing);
    uint32_t face = load(t, type, t->front_facing);
    if (def->bit_size == 1)
        define(t, def, face, KIND_BOOL);
    else
        define(t, def,
               SPIRV_OP(&t->m, SpvOpSelect, type_of(t, KIND_UINT, 1), face, spirv_uint(&t->m, UINT32_MAX),
                        spirv_uint(&t->m, 0)),
               KIND_UINT);
}

static void load_input(struct translation *t, const nir_intrinsic_instr *intr) {
    const nir_ssa_def *def = &intr->dest.ssa;
    uint32_t slot = slot_of(t, intr), first = nir_intrinsic_component(intr), size = 4;
    if (slot == UINT32_MAX) {
        define(t, def, fail(t, "an input at a run-time index"), KIND_FLOAT);
        return;
    }
    if (t->fragment && slot == VARYING_SLOT_FACE) {
        load_front_face(t, def);
        return;
    }
    uint32_t variable = t->fragment ? fragment_input(t, slot) : attribute(t, slot);
    if (t->fragment && slot == VARYING_SLOT_FOGC) {
        define(t, def, fog_part(t, def, variable, first), KIND_FLOAT);
        return;
    }
    uint32_t vec4 = type_of(t, KIND_FLOAT, 4);
    if (t->fragment && is_texcoord(slot))
        variable = SPIRV_OP(&t->m, SpvOpAccessChain, spirv_pointer(&t->m, SpvStorageClassInput, vec4),
                            variable, spirv_uint(&t->m, slot - VARYING_SLOT_TEX0));
    if (!t->fragment)
        size = t->input_size[slot];
    else if (slot == VARYING_SLOT_PNTC)
        size = 2;
    define(t, def, part_of(t, def, load(t, type_of(t, KIND_FLOAT, size), variable), size, first), KIND_FLOAT);
}

static void store(struct translation *t, uint32_t pointer, uint32_t value) {
    SPIRV_PUT(&t->m, SECTION_CODE, SpvOpStore, pointer, value);
}

/* The components of `mask` into a vector of four, from component `first` on. */
static void store_parts(struct translation *t, const nir_src *src, uint32_t mask, uint32_t pointer,
                        uint32_t storage, uint32_t base, uint32_t first, uint32_t size) {
    uint32_t part = spirv_pointer(&t->m, storage, type_of(t, KIND_FLOAT, 1));
    for (uint32_t k = 0; k < src->ssa->num_components; k++) {
        uint8_t swizzle = k;
        if (!(mask >> k & 1) || first + k >= size)
            continue;
        uint32_t to = SPIRV_OP(&t->m, SpvOpAccessChain, part, pointer, spirv_uint(&t->m, base + first + k));
        store(t, to, use(t, src->ssa, &swizzle, 1, KIND_FLOAT));
    }
}

static void store_output(struct translation *t, const nir_intrinsic_instr *intr) {
    uint32_t slot = slot_of(t, intr), first = nir_intrinsic_component(intr);
    uint32_t mask = nir_intrinsic_write_mask(intr), vec4 = type_of(t, KIND_FLOAT, 4), pointer;
    const nir_src *value = &intr->src[0];
    static const uint8_t x = 0;
    if (slot == UINT32_MAX) {
        fail(t, "an output at a run-time index");
        return;
    }
    if (nir_src_bit_size(*value) == 1) {
        fail(t, "a boolean output");
        return;
    }
    if (!t->fragment && (slot == VARYING_SLOT_CLIP_DIST0 || slot == VARYING_SLOT_CLIP_DIST1)) {
        store_parts(t, value, mask, clip_distances(t), SpvStorageClassOutput,
                    4 * (slot - VARYING_SLOT_CLIP_DIST0), first, 4);
        return;
    }
    if (!t->fragment && slot == VARYING_SLOT_EDGE)
        return; /* edge flags: the hardware draws filled primitives only */
    if (t->fragment && slot > FRAG_RESULT_DATA0)
        return; /* a colour for a target that no framebuffer of this hardware has */
    if (t->fragment && slot != FRAG_RESULT_COLOR && slot != FRAG_RESULT_DATA0 && slot != FRAG_RESULT_DEPTH) {
        fail(t, "an output that the hardware lacks");
        return;
    }
    pointer = t->fragment ? fragment_output(t, slot, nir_intrinsic_io_semantics(intr).dual_source_blend_index)
                          : vertex_output(t, slot, nir_intrinsic_io_semantics(intr).invariant);
    bool scalar =
        t->fragment ? slot == FRAG_RESULT_DEPTH : slot == VARYING_SLOT_PSIZ || slot == VARYING_SLOT_FOGC;
    if (scalar) {
        if (first == 0 && mask & 1)
            store(t, pointer, use(t, value->ssa, &x, 1, KIND_FLOAT));
        return;
    }
    if (!t->fragment && is_texcoord(slot))
        pointer = SPIRV_OP(&t->m, SpvOpAccessChain, spirv_pointer(&t->m, SpvStorageClassOutput, vec4),
                           pointer, spirv_uint(&t->m, slot - VARYING_SLOT_TEX0));
    if (mask == 15 && first == 0 && value->ssa->num_components == 4)
        store(t, pointer, use_src(t, value, KIND_FLOAT));
    else
        store_parts(t, value, mask, pointer, SpvStorageClassOutput, 0, first, 4);
}

/* --- uniforms ------------------------------------------------------------------------------------------- */

/* `vector` of XX_u, by its index. */
static uint32_t uniform_vector(struct translation *t, uint32_t index) {
    uint32_t vec4 = type_of(t, KIND_FLOAT, 4);
    if (!t->uniforms) {
        t->uniforms =
            add_variable(t, SpvStorageClassUniformConstant, spirv_array(&t->m, vec4, t->uniform_vectors));
        spirv_name(&t->m, t->uniforms, "%s_u", t->prefix);
        t->out->uniform_words = 4 * t->uniform_vectors;
    }
    uint32_t type = spirv_pointer(&t->m, SpvStorageClassUniformConstant, vec4);
    return load(t, vec4, SPIRV_OP(&t->m, SpvOpAccessChain, type, t->uniforms, index));
}

static void load_uniform(struct translation *t, const nir_intrinsic_instr *intr) {
    const nir_ssa_def *def = &intr->dest.ssa;
    uint32_t base = nir_intrinsic_base(intr), index;
    if (nir_src_is_const(intr->src[0]))
        index = spirv_uint(&t->m, base + nir_src_as_uint(intr->src[0]));
    else {
        index = use_src(t, &intr->src[0], KIND_UINT);
        if (base)
            index = SPIRV_OP(&t->m, SpvOpIAdd, type_of(t, KIND_UINT, 1), index, spirv_uint(&t->m, base));
    }
    define(t, def, part_of(t, def, uniform_vector(t, index), 4, 0), KIND_FLOAT);
}

/* What lies in a buffer has no size here: the buffer's end is the limit, so any length that constant offsets
 * stay below will do. */
enum { BLOCK_WORDS = 1 << 14 };

static uint32_t block_variable(struct translation *t, uint32_t number) {
    struct spirv_module *m = &t->m;
    if (t->block_variable[number])
        return t->block_variable[number];
    uint32_t words = spirv_array(m, type_of(t, KIND_UINT, 1), BLOCK_WORDS);
    uint32_t block = spirv_id(m), id;
    if (!t->out->block_mask)
        SPIRV_PUT(m, SECTION_DECORATIONS, SpvOpDecorate, words, SpvDecorationArrayStride, 4);
    SPIRV_PUT(m, SECTION_TYPES, SpvOpTypeStruct, block, words); /* each its own: the name is the type's */
    SPIRV_PUT(m, SECTION_DECORATIONS, SpvOpDecorate, block, SpvDecorationBlock);
    SPIRV_PUT(m, SECTION_DECORATIONS, SpvOpMemberDecorate, block, 0, SpvDecorationOffset, 0);
    spirv_name(m, block, "%s_b%u", t->prefix, number);
    id = add_variable(t, SpvStorageClassUniform, block);
    decorate(t, id, SpvDecorationDescriptorSet, 0);
    decorate(t, id, SpvDecorationBinding, number);
    t->out->block_mask |= 1u << number;
    return t->block_variable[number] = id;
}

/* Words of another constant buffer, from a run-time word (0: none) and a constant one on. */
static uint32_t block_words(struct translation *t, const nir_ssa_def *def, uint32_t number, uint32_t run,
                            uint32_t first) {
    uint32_t uint = type_of(t, KIND_UINT, 1), part[4], variable = block_variable(t, number);
    if (def->num_components > 4 || first >= BLOCK_WORDS - 4)
        return fail(t, "a uniform block of more words than there can be");
    for (uint32_t k = 0; k < def->num_components; k++) {
        uint32_t index = spirv_uint(&t->m, first + k);
        if (run)
            index = first + k ? SPIRV_OP(&t->m, SpvOpIAdd, uint, run, index) : run;
        part[k] = load(t, uint,
                       SPIRV_OP(&t->m, SpvOpAccessChain, spirv_pointer(&t->m, SpvStorageClassUniform, uint),
                                variable, spirv_uint(&t->m, 0), index));
    }
    return construct(t, def, KIND_UINT, def->num_components, part);
}

static void load_block(struct translation *t, const nir_intrinsic_instr *intr) {
    const nir_ssa_def *def = &intr->dest.ssa;
    bool vectors = intr->intrinsic == nir_intrinsic_load_ubo_vec4;
    uint32_t uint = type_of(t, KIND_UINT, 1), first = 0, run = 0;
    if (!nir_src_is_const(intr->src[0]) || nir_src_as_uint(intr->src[0]) >= MAX_BLOCKS) {
        define(t, def, fail(t, "a uniform block that is chosen at run time"), KIND_UINT);
        return;
    }
    if (vectors)
        first = 4 * nir_intrinsic_base(intr) + nir_intrinsic_component(intr);
    if (nir_src_is_const(intr->src[1]))
        first += vectors ? 4 * nir_src_as_uint(intr->src[1]) : nir_src_as_uint(intr->src[1]) / 4;
    else
        run = SPIRV_OP(&t->m, vectors ? SpvOpShiftLeftLogical : SpvOpShiftRightLogical, uint,
                       use_src(t, &intr->src[1], KIND_UINT), spirv_uint(&t->m, 2));
    define(t, def, block_words(t, def, nir_src_as_uint(intr->src[0]), run, first), KIND_UINT);
}

/* By bytes, or by vectors from a base on. */
static void load_ubo(struct translation *t, const nir_intrinsic_instr *intr) {
    const nir_ssa_def *def = &intr->dest.ssa;
    bool vectors = intr->intrinsic == nir_intrinsic_load_ubo_vec4;
    uint32_t first = vectors ? nir_intrinsic_component(intr) : 0, uint = type_of(t, KIND_UINT, 1), index;
    if (!is_first_block(intr)) {
        load_block(t, intr);
        return;
    }
    if (vectors && nir_src_is_const(intr->src[1])) {
        index = spirv_uint(&t->m, nir_src_as_uint(intr->src[1]) + nir_intrinsic_base(intr));
    } else if (vectors) {
        index = SPIRV_OP(&t->m, SpvOpIAdd, uint, use_src(t, &intr->src[1], KIND_UINT),
                         spirv_uint(&t->m, nir_intrinsic_base(intr)));
    } else if (nir_src_is_const(intr->src[1])) {
        first = nir_src_as_uint(intr->src[1]) / 4 % 4;
        index = spirv_uint(&t->m, nir_src_as_uint(intr->src[1]) / 16);
    } else {
        if (nir_intrinsic_align_mul(intr) >= 16)
            first = nir_intrinsic_align_offset(intr) / 4 % 4;
        else if (def->num_components != 4)
            fail(t, "uniforms at a run-time offset that is not of vectors");
        index = SPIRV_OP(&t->m, SpvOpShiftRightLogical, uint, use_src(t, &intr->src[1], KIND_UINT),
                         spirv_uint(&t->m, 4));
    }
    define(t, def, part_of(t, def, uniform_vector(t, index), 4, first), KIND_FLOAT);
}

/* --- local variables ------------------------------------------------------------------------------------ */

static enum spirv_kind kind_of_type(const struct glsl_type *type) {
    switch (glsl_get_base_type(type)) {
    case GLSL_TYPE_FLOAT:
    case GLSL_TYPE_FLOAT16: return KIND_FLOAT;
    case GLSL_TYPE_BOOL: return KIND_BOOL;
    default: return KIND_UINT;
    }
}

static uint32_t memory_type(struct translation *t, const struct glsl_type *type) {
    if (glsl_type_is_vector_or_scalar(type))
        return type_of(t, kind_of_type(type), glsl_get_vector_elements(type));
    if (glsl_type_is_array_or_matrix(type))
        return spirv_array(&t->m, memory_type(t, glsl_get_array_element(type)), glsl_get_length(type));
    return fail(t, "a local variable that is a structure");
}

void translate_deref(struct translation *t, nir_deref_instr *deref) {
    uint32_t id = 0;
    if (!nir_deref_mode_is_one_of(deref, nir_var_function_temp | nir_var_shader_temp))
        return;
    if (deref->deref_type == nir_deref_type_var) {
        struct hash_entry *entry = _mesa_hash_table_search(t->variable, deref->var);
        if (!entry) {
            id = add_variable(t, SpvStorageClassPrivate, memory_type(t, deref->type));
            _mesa_hash_table_insert(t->variable, deref->var, (void *)(uintptr_t)id);
        } else {
            id = (uint32_t)(uintptr_t)entry->data;
        }
    } else if (deref->deref_type == nir_deref_type_array) {
        uint32_t parent = t->value[deref->parent.ssa->index].id;
        uint32_t type = spirv_pointer(&t->m, SpvStorageClassPrivate, memory_type(t, deref->type));
        id = SPIRV_OP(&t->m, SpvOpAccessChain, type, parent, use_src(t, &deref->arr.index, KIND_UINT));
    } else {
        id = fail(t, "a reference of an unknown kind");
    }
    t->value[deref->dest.ssa.index].id = id;
}

static void access_deref(struct translation *t, const nir_intrinsic_instr *intr, bool stores) {
    nir_deref_instr *deref = nir_src_as_deref(intr->src[0]);
    uint32_t pointer = t->value[deref->dest.ssa.index].id;
    enum spirv_kind kind = kind_of_type(deref->type);
    uint32_t count = glsl_get_vector_elements(deref->type), mask;
    if (!pointer || !glsl_type_is_vector_or_scalar(deref->type)) {
        fail(t, "an access to memory of an unknown kind");
        return;
    }
    if (!stores) {
        define(t, &intr->dest.ssa, load(t, type_of(t, kind, count), pointer), kind);
        return;
    }
    mask = nir_intrinsic_write_mask(intr);
    if (mask == BITFIELD_MASK(count)) {
        store(t, pointer, use_src(t, &intr->src[1], kind));
        return;
    }
    for (uint32_t k = 0; k < count; k++) {
        uint8_t swizzle = k;
        if (mask >> k & 1)
            store(t,
                  SPIRV_OP(&t->m, SpvOpAccessChain,
                           spirv_pointer(&t->m, SpvStorageClassPrivate, type_of(t, kind, 1)), pointer,
                           spirv_uint(&t->m, k)),
                  use(t, intr->src[1].ssa, &swizzle, 1, kind));
    }
}

/* --- discard -------------------------------------------------------------------------------------------- */

static void drop(struct translation *t, const nir_src *condition) {
    if (!condition) {
        if (!t->kills) {
            SPIRV_PUT(&t->m, SECTION_HEAD, SpvOpCapability, SpvCapabilityDemoteToHelperInvocationEXT);
            t->kills = true;
        }
        SPIRV_PUT(&t->m, SECTION_CODE, SpvOpDemoteToHelperInvocationEXT);
        return;
    }
    uint32_t dropped = spirv_id(&t->m), after = spirv_id(&t->m);
    uint32_t value = use_src(t, condition, KIND_BOOL);
    SPIRV_PUT(&t->m, SECTION_CODE, SpvOpSelectionMerge, after, SpvSelectionControlMaskNone);
    SPIRV_PUT(&t->m, SECTION_CODE, SpvOpBranchConditional, value, dropped, after);
    start_block(t, dropped);
    SPIRV_PUT(&t->m, SECTION_CODE, SpvOpKill);
    start_block(t, after);
}

/* --- all of them ---------------------------------------------------------------------------------------- */

static void load_vector(struct translation *t, const nir_ssa_def *def, unsigned slot, uint32_t size) {
    uint32_t value = load(t, type_of(t, KIND_FLOAT, size), fragment_input(t, slot));
    define(t, def, part_of(t, def, value, size, 0), KIND_FLOAT);
}

void translate_intrinsic(struct translation *t, const nir_intrinsic_instr *intr) {
    switch (intr->intrinsic) {
    case nir_intrinsic_load_input: load_input(t, intr); break;
    case nir_intrinsic_store_output: store_output(t, intr); break;
    case nir_intrinsic_load_uniform: load_uniform(t, intr); break;
    case nir_intrinsic_load_ubo:
    case nir_intrinsic_load_ubo_vec4: load_ubo(t, intr); break;
    case nir_intrinsic_load_deref: access_deref(t, intr, false); break;
    case nir_intrinsic_store_deref: access_deref(t, intr, true); break;
    case nir_intrinsic_discard:
    case nir_intrinsic_demote:
    case nir_intrinsic_terminate: drop(t, NULL); break;
    case nir_intrinsic_discard_if:
    case nir_intrinsic_demote_if:
    case nir_intrinsic_terminate_if: drop(t, &intr->src[0]); break;
    case nir_intrinsic_load_front_face: load_front_face(t, &intr->dest.ssa); break;
    case nir_intrinsic_load_frag_coord: load_vector(t, &intr->dest.ssa, VARYING_SLOT_POS, 4); break;
    case nir_intrinsic_load_point_coord: load_vector(t, &intr->dest.ssa, VARYING_SLOT_PNTC, 2); break;
    case nir_intrinsic_load_texture_rect_scaling: translate_rectangle_scale(t, intr); break;
    default: {
        const nir_intrinsic_info *info = &nir_intrinsic_infos[intr->intrinsic];
        uint32_t id = fail(t, info->name);
        if (info->has_dest)
            define(t, &intr->dest.ssa, id, KIND_FLOAT);
    }
    }
}
