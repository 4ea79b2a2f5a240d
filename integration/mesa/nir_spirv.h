/* A NIR shader of Gallium's as SPIR-V that libqpucc_core takes.
 *
 * The names that the module gives are the contract with the glue, XX being "vs" or "fs":
 * - XX_u: a uniform array of vec4; word i of its storage is dword i of constant buffer 0.
 * - XX_b<n>: a uniform block of words, constant buffer n other than 0 (QPUCC_BLOCKS_IN_BUFFERS).
 * - XX_t<n>: the sampler of unit n.
 * - a<n>: the attribute of vertex element n (Location n).
 * - gl_FrontColor, gl_FrontSecondaryColor, gl_BackColor, gl_BackSecondaryColor, gl_FogFragCoord, gl_TexCoord,
 *   gl_ClipVertex: what the compatibility profile calls so, because the library's state acts on these names.
 * - v<n>: the other varyings, in both stages alike. */
#ifndef NIR_SPIRV_H
#define NIR_SPIRV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nir_shader;
struct nir_shader_compiler_options;

/* What NIR should look like for nir_spirv_make: nothing is lowered that SPIR-V can say. */
extern const struct nir_shader_compiler_options nir_spirv_options;

struct nir_spirv {
    uint32_t *words; /* malloc'ed */
    size_t count;
    uint32_t uniform_words;  /* length of XX_u in dwords, 0: there is none */
    uint32_t block_mask;     /* bit n: there is XX_b<n> */
    uint32_t texture_mask;   /* bit n: unit n is sampled */
    uint32_t samples_mask;   /* bit n: and it is a multisample texture */
    uint32_t shadow_mask;    /* bit n: with a comparison, and a result of four components */
    uint32_t attribute_mask; /* vertex: bit n: element n is read */
};

/* What the four components of a comparison's result are, by unit: PIPE_SWIZZLE_X to _W the result, _0 or _1.
 * SPIR-V compares to one number, so GL_DEPTH_TEXTURE_MODE is a part of the module. */
struct nir_spirv_shadows {
    uint8_t swizzle[32][4];
};

/* Lowers accesses to slots, and all else to what SPIR-V can say; once, before nir_spirv_make. The shader
 * means what it meant, so Mesa's compiler takes it, too. */
void nir_spirv_prepare(struct nir_shader *shader);

/* Translates the entry point of a shader that was prepared, and leaves it as it is. `shadows` NULL:
 * luminance. False if something cannot be said, and *why is a string that stays. */
bool nir_spirv_make(struct nir_shader *shader, const struct nir_spirv_shadows *shadows, struct nir_spirv *out,
                    const char **why);

void nir_spirv_free(struct nir_spirv *spirv);

#endif
