/* The way from NIR to SPIR-V: what the shader is made to look like first, and the module around its code. */
#include "nir_translate.h"

#include "compiler/nir/nir_builder.h"
#include "util/hash_table.h"

#include <stdlib.h>
#include <string.h>

const struct nir_shader_compiler_options nir_spirv_options = {
    /* what the library would do no better */
    .lower_bitfield_extract_to_shifts = true,
    .lower_bitfield_insert_to_shifts = true,
    .lower_uadd_carry = true,
    .lower_usub_borrow = true,
    .lower_mul_high = true,
    .lower_fdph = true,
    .lower_scmp = true,
    .lower_insert_byte = true,
    .lower_insert_word = true,
    .lower_hadd = true,
    .lower_uadd_sat = true,
    .lower_usub_sat = true,
    .lower_iadd_sat = true,
    .lower_mul_32x16 = true,
    .lower_rotate = true,
    .lower_uclz = true,
    .lower_fisnormal = true,
    .lower_pack_split = true,
    /* what is there */
    .has_fsub = true,
    .has_isub = true,
    .has_txs = true,
    .force_indirect_unrolling_sampler = true,
    .max_unroll_iterations = 1, /* the library unrolls; here only what samplers are indexed by */
};

static int slots(const struct glsl_type *type, bool bindless) {
    return glsl_count_attribute_slots(type, false);
}

/* Another round where a block or a constant has changed: copies and dead code alone are done in one. */
static void clean(nir_shader *shader) {
    bool progress;
    do {
        progress = false;
        NIR_PASS_V(shader, nir_copy_prop);
        NIR_PASS(progress, shader, nir_opt_remove_phis);
        NIR_PASS_V(shader, nir_opt_dce);
        NIR_PASS(progress, shader, nir_opt_dead_cf);
        NIR_PASS(progress, shader, nir_opt_constant_folding);
    } while (progress);
}

void nir_spirv_prepare(nir_shader *shader) {
    nir_function_impl *impl = nir_shader_get_entrypoint(shader);
    NIR_PASS_V(shader, nir_lower_io_to_temporaries, impl, true, false);
    NIR_PASS_V(shader, nir_lower_global_vars_to_local);
    NIR_PASS_V(shader, nir_split_var_copies);
    NIR_PASS_V(shader, nir_lower_var_copies);
    NIR_PASS_V(shader, nir_split_struct_vars, nir_var_function_temp);
    NIR_PASS_V(shader, nir_lower_vars_to_ssa);
    NIR_PASS_V(shader, nir_propagate_invariant, false);
    /* uniforms are variables still in the driver's own shaders */
    NIR_PASS_V(shader, nir_lower_io, nir_var_shader_in | nir_var_shader_out | nir_var_uniform, slots,
               (nir_lower_io_options)0);
    NIR_PASS_V(shader, nir_lower_system_values);
    NIR_PASS_V(shader, nir_lower_regs_to_ssa);
    clean(shader);
    if (shader->info.stage == MESA_SHADER_VERTEX && multiply_matrices(impl))
        clean(shader);
    nir_index_ssa_defs(impl);
    nir_index_blocks(impl);
}

bool is_first_block(const nir_intrinsic_instr *intr) {
    return nir_src_is_const(intr->src[0]) && nir_src_as_uint(intr->src[0]) == 0;
}

/* Vectors that uniforms take at most. */
static uint32_t uniform_vectors(const struct translation *t) {
    uint32_t vectors = t->shader->num_uniforms;
    nir_foreach_block(block, t->impl) {
        nir_foreach_instr(instr, block) {
            if (instr->type != nir_instr_type_intrinsic)
                continue;
            nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
            uint32_t end = 0;
            if (intr->intrinsic == nir_intrinsic_load_uniform)
                end = nir_src_is_const(intr->src[0])
                          ? nir_intrinsic_base(intr) + nir_src_as_uint(intr->src[0]) + 1
                          : nir_intrinsic_base(intr) + nir_intrinsic_range(intr);
            else if (intr->intrinsic == nir_intrinsic_load_ubo && is_first_block(intr) &&
                     nir_src_is_const(intr->src[1]))
                end = nir_src_as_uint(intr->src[1]) / 16 + 1;
            else if (intr->intrinsic == nir_intrinsic_load_ubo_vec4 && is_first_block(intr) &&
                     nir_src_is_const(intr->src[1]))
                end = nir_intrinsic_base(intr) + nir_src_as_uint(intr->src[1]) + 1;
            vectors = MAX2(vectors, end);
        }
    }
    return MAX2(vectors, 1);
}

/* --- the module ----------------------------------------------------------------------------------------- */

/* What comes before the names; capabilities stand in SECTION_HEAD already. */
static void write_head(struct translation *t, uint32_t function) {
    struct spirv_module *m = &t->m;
    uint32_t model[2] = {t->fragment ? SpvExecutionModelFragment : SpvExecutionModelVertex, function};
    SPIRV_PUT(m, SECTION_HEAD, SpvOpCapability, SpvCapabilityShader);
    if (t->kills)
        spirv_put_text(m, SECTION_HEAD, SpvOpExtension, 0, NULL, "SPV_EXT_demote_to_helper_invocation", 0,
                       NULL);
    spirv_put_text(m, SECTION_HEAD, SpvOpExtInstImport, 1, &m->glsl, "GLSL.std.450", 0, NULL);
    SPIRV_PUT(m, SECTION_HEAD, SpvOpMemoryModel, SpvAddressingModelLogical, SpvMemoryModelGLSL450);
    spirv_put_text(m, SECTION_HEAD, SpvOpEntryPoint, 2, model, "main", t->interfaces, t->interface);
    if (t->fragment)
        SPIRV_PUT(m, SECTION_HEAD, SpvOpExecutionMode, function, SpvExecutionModeOriginUpperLeft);
    if (t->writes_depth)
        SPIRV_PUT(m, SECTION_HEAD, SpvOpExecutionMode, function, SpvExecutionModeDepthReplacing);
}

static void translate(struct translation *t) {
    struct spirv_module *m = &t->m;
    uint32_t nothing = spirv_other_type(m, SpvOpTypeVoid, 0, NULL);
    uint32_t type = SPIRV_OTHER_TYPE(m, SpvOpTypeFunction, nothing), function = spirv_id(m);
    SPIRV_PUT(m, SECTION_CODE, SpvOpFunction, nothing, function, SpvFunctionControlMaskNone, type);
    translate_body(t);
    if (!t->fragment)
        declare_outputs(t);
    SPIRV_PUT(m, SECTION_CODE, SpvOpFunctionEnd);
    write_head(t, function);
}

bool nir_spirv_make(struct nir_shader *shader, const struct nir_spirv_shadows *shadows, struct nir_spirv *out,
                    const char **why) {
    struct translation t = {.shader = shader, .shadows = shadows, .out = out};
    memset(out, 0, sizeof *out);
    t.fragment = shader->info.stage == MESA_SHADER_FRAGMENT;
    t.prefix = t.fragment ? "fs" : "vs";
    t.impl = nir_shader_get_entrypoint(shader);
    spirv_init(&t.m);
    gather_interface(&t);
    note_input_precision(&t);
    gather_accesses(&t);
    t.uniform_vectors = uniform_vectors(&t);
    t.value = calloc(t.impl->ssa_alloc + 1, sizeof *t.value);
    t.precision = calloc(t.impl->ssa_alloc + 1, 1);
    t.block = calloc(t.impl->num_blocks + 1, sizeof *t.block);
    t.phi_source = _mesa_pointer_hash_table_create(NULL);
    t.variable = _mesa_pointer_hash_table_create(NULL);
    if (t.value && t.precision && t.block && t.phi_source && t.variable && choose_kinds(&t)) {
        gather_precision(&t);
        translate(&t);
    } else {
        t.m.oom = true;
    }
    if (!t.why && !t.m.oom)
        out->words = spirv_finish(&t.m, &out->count);
    if (!out->words && !t.why)
        t.why = "out of memory";
    *why = t.why;
    free(t.value);
    free(t.precision);
    free(t.block);
    _mesa_hash_table_destroy(t.phi_source, NULL);
    _mesa_hash_table_destroy(t.variable, NULL);
    spirv_free(&t.m);
    return out->words != NULL;
}

void nir_spirv_free(struct nir_spirv *spirv) {
    free(spirv->words);
    spirv->words = NULL;
    spirv->count = 0;
}
