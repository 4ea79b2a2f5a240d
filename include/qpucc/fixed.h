/* GL without shaders: vertex and fragment programs of the fixed-function pipeline.
 *
 * The chip has none of it. A driver of GLES 1.1, or of a desktop GL of that age, describes the state here and
 * gets an ordinary program back. The members are what selects code. What only fills numbers in (matrices,
 * colours, light positions) is a uniform with the name that GLSL's compatibility profile gives it,
 * "gl_LightSource[0].diffuse", with GL's initial value in qpucc_program_uniform_initial. What depends on
 * uniforms alone, such as the product of two matrices or of a light's colour with a material's, is computed
 * once for each draw. docs/fixed-function.md lists the uniforms and says what each program computes.
 *
 * A struct of all zeros is GL's initial state: nothing is lit, no texture, every vertex has the current
 * colour. State that programs with shaders have as well is in struct qpucc_state and is not repeated here:
 * formats of attributes and textures, two-sided colours, flat shading, clip planes, point sprites; fog, alpha
 * test, blending and what follows. Texture slot n of such a program is GL's texture unit n, a sampler called
 * gl_Texture<n>. */
#ifndef QPUCC_FIXED_H
#define QPUCC_FIXED_H

#include <qpucc/qpucc.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QPUCC_FIXED_LIGHTS 8
#define QPUCC_FIXED_TEXTURES 8
#define QPUCC_FIXED_PALETTE 32

/* --- transformation and lighting ------------------------------------------------------------------------ */

struct qpucc_fixed_light {
    uint8_t enabled;
    uint8_t positional;  /* 0: the position's w is 0, a direction; 1: it is a place */
    uint8_t spot;        /* 1: the cutoff is not 180 degrees */
    uint8_t attenuation; /* 1: of a positional light, the factors are not 1, 0, 0 */
};

/* What becomes of normals after the transformation. */
enum qpucc_fixed_normals { QPUCC_NORMALS_AS_THEY_ARE, QPUCC_NORMALS_RESCALED, QPUCC_NORMALS_NORMALIZED };

/* Which of the material's colours are the vertex's (GLES has the first only). */
enum qpucc_fixed_color_material {
    QPUCC_MATERIAL_OWN,
    QPUCC_MATERIAL_AMBIENT_AND_DIFFUSE,
    QPUCC_MATERIAL_AMBIENT,
    QPUCC_MATERIAL_DIFFUSE,
    QPUCC_MATERIAL_SPECULAR,
    QPUCC_MATERIAL_EMISSION,
    QPUCC_MATERIAL_COUNT
};

/* --- textures ------------------------------------------------------------------------------------------- */

enum qpucc_fixed_unit { QPUCC_UNIT_OFF, QPUCC_UNIT_2D, QPUCC_UNIT_CUBE, QPUCC_UNIT_COUNT };

/* GL's base internal format, which decides what an environment does with the texture. */
enum qpucc_fixed_base_format {
    QPUCC_BASE_RGBA,
    QPUCC_BASE_RGB,
    QPUCC_BASE_ALPHA,
    QPUCC_BASE_LUMINANCE,
    QPUCC_BASE_LUMINANCE_ALPHA,
    QPUCC_BASE_INTENSITY,
    QPUCC_BASE_COUNT
};

enum qpucc_fixed_env {
    QPUCC_ENV_MODULATE,
    QPUCC_ENV_REPLACE,
    QPUCC_ENV_DECAL,
    QPUCC_ENV_BLEND,
    QPUCC_ENV_ADD,
    QPUCC_ENV_COMBINE,
    QPUCC_ENV_COUNT
};

/* The two dot products are for colours only. */
enum qpucc_fixed_combine {
    QPUCC_COMBINE_MODULATE,
    QPUCC_COMBINE_REPLACE,
    QPUCC_COMBINE_ADD,
    QPUCC_COMBINE_ADD_SIGNED,
    QPUCC_COMBINE_INTERPOLATE,
    QPUCC_COMBINE_SUBTRACT,
    QPUCC_COMBINE_DOT3_RGB,
    QPUCC_COMBINE_DOT3_RGBA,
    QPUCC_COMBINE_COUNT
};

/* Where an argument comes from. INITIAL is GL's initial value, which differs by argument: the unit's own
 * texture, the previous unit, the unit's constant. TEXTURE0 + n is another unit's texture; with a unit that
 * has none, this unit does nothing (GL 1.4, "texture environment crossbar"). */
enum qpucc_fixed_source {
    QPUCC_SOURCE_INITIAL,
    QPUCC_SOURCE_TEXTURE,
    QPUCC_SOURCE_PREVIOUS,
    QPUCC_SOURCE_CONSTANT,
    QPUCC_SOURCE_PRIMARY_COLOR,
    QPUCC_SOURCE_TEXTURE0,
    QPUCC_SOURCE_COUNT = QPUCC_SOURCE_TEXTURE0 + QPUCC_FIXED_TEXTURES
};

/* What is taken of it. INITIAL: of colours SRC_COLOR for the first two arguments and SRC_ALPHA for the third,
 * of alphas SRC_ALPHA. An alpha's argument has the last two only. */
enum qpucc_fixed_operand {
    QPUCC_OPERAND_INITIAL,
    QPUCC_OPERAND_SRC_ALPHA,
    QPUCC_OPERAND_ONE_MINUS_SRC_ALPHA,
    QPUCC_OPERAND_SRC_COLOR,
    QPUCC_OPERAND_ONE_MINUS_SRC_COLOR,
    QPUCC_OPERAND_COUNT
};

/* How a texture coordinate is made when it is not the vertex's own. */
enum qpucc_fixed_generate {
    QPUCC_GENERATE_OFF,
    QPUCC_GENERATE_EYE_LINEAR,
    QPUCC_GENERATE_OBJECT_LINEAR,
    QPUCC_GENERATE_SPHERE_MAP,     /* s and t only */
    QPUCC_GENERATE_REFLECTION_MAP, /* s, t and r only, as the next */
    QPUCC_GENERATE_NORMAL_MAP,
    QPUCC_GENERATE_COUNT
};

/* What is known of a texture matrix. */
enum qpucc_fixed_matrix {
    QPUCC_MATRIX_IDENTITY,
    QPUCC_MATRIX_AFFINE, /* the last row is 0 0 0 1 */
    QPUCC_MATRIX_ANY,
    QPUCC_MATRIX_COUNT
};

/* The fog coordinate gl_FogFragCoord, where the state's fog_source asks for it. (Its other sources need
 * nothing of the vertex program.) */
enum qpucc_fixed_fog {
    QPUCC_FOG_FROM_Z, /* the distance from the eye's plane */
    QPUCC_FOG_FROM_DISTANCE,
    QPUCC_FOG_FROM_ARRAY, /* the attribute gl_FogCoord */
    QPUCC_FOG_FROM_COUNT
};

struct qpucc_fixed_texture {
    uint8_t target;      /* enum qpucc_fixed_unit; the others matter only if it is not 0 */
    uint8_t base_format; /* enum qpucc_fixed_base_format */
    /* words of the attribute gl_MultiTexCoord<n>, 1 to 4; 0: the current coordinates, a uniform of that name
     */
    uint8_t coord_words;
    uint8_t matrix;                           /* enum qpucc_fixed_matrix */
    uint8_t generate[4];                      /* of s, t, r, q: enum qpucc_fixed_generate */
    uint8_t env;                              /* enum qpucc_fixed_env; the rest is COMBINE's */
    uint8_t combine_rgb, combine_alpha;       /* enum qpucc_fixed_combine */
    uint8_t source_rgb[3], source_alpha[3];   /* enum qpucc_fixed_source */
    uint8_t operand_rgb[3], operand_alpha[3]; /* enum qpucc_fixed_operand */
    uint8_t scale_rgb, scale_alpha;           /* 0: 1, 1: 2, 2: 4 */
};

/* --- the whole ------------------------------------------------------------------------------------------ */

struct qpucc_fixed {
    /* Attributes. gl_Vertex is always one. What the arrays do not give is the current value, a uniform of the
     * same name. */
    uint8_t vertex_words;    /* 2, 3 or 4; 0 is 4. With 2 or 3, z and w are 0 and 1 */
    uint8_t normal_array;    /* gl_Normal, three words */
    uint8_t color_array;     /* gl_Color, four */
    uint8_t secondary_array; /* gl_SecondaryColor, its first three: with color_sum and without lighting */

    uint8_t lighting;
    uint8_t local_viewer;      /* 0: the viewer is infinitely far, as in GLES */
    uint8_t separate_specular; /* specular light joins after texturing */
    uint8_t color_material;    /* enum qpucc_fixed_color_material */
    uint8_t normals;           /* enum qpucc_fixed_normals */
    uint8_t color_sum;         /* without lighting: a secondary colour joins after texturing */

    uint8_t fog_coord; /* enum qpucc_fixed_fog */

    /* Points, where the state's primitive is points. */
    uint8_t point_size_array;  /* 1: the attribute "gl_PointSizeOES" instead of the uniform gl_Point.size */
    uint8_t point_attenuation; /* 1: the factors are not 1, 0, 0 */
    uint8_t point_sprite;      /* 1: sizes are not rounded to whole pixels */
    /* 1: points smaller than gl_Point.fadeThresholdSize are drawn in that size and fade instead, as GL has it
     * with multisampling: for programs that draw nothing but points */
    uint8_t point_fade;

    /* OES_matrix_palette. Matrices that each vertex is transformed by, at most 4; 0: the modelview matrix.
     * Their numbers and weights are the attributes gl_MatrixIndexOES and gl_WeightOES of as many words each,
     * the matrices gl_MatrixPaletteOES and, for normals, gl_NormalPaletteOES. */
    uint8_t palette_units;
    uint8_t palette_size; /* matrices in the palette, at most QPUCC_FIXED_PALETTE; 0: 9, GL's least */

    struct qpucc_fixed_light light[QPUCC_FIXED_LIGHTS];
    struct qpucc_fixed_texture texture[QPUCC_FIXED_TEXTURES];
};

/* Compiles the programs of a fixed-function state. The result is as qpucc_compile's in every respect. A
 * struct that holds a number out of range, or asks for more attributes or varyings than the chip has, gives a
 * diagnostic of code "state" that names the member. `state` and `options` may be NULL for the defaults. */
qpucc_program *qpucc_compile_fixed(const struct qpucc_fixed *fixed, const struct qpucc_state *state,
                                   const struct qpucc_options *options);

/* The state that glDrawTex of OES_draw_texture draws with when `now` is GL's: the current colour, the
 * textures and their environments, and no lighting. Its vertices are the corners of the rectangle: gl_Vertex
 * of three words, x and y in pixels from the lower left corner of the viewport and the depth from 0 to 1, and
 * gl_MultiTexCoord<n> of two for each texture, which the driver makes of its crop rectangle. With
 * gl_ModelViewMatrix the identity, gl_ProjectionMatrix is 2/width, 2/height and 2 in the diagonal, -1, -1 and
 * -1 in the last column. `now` and `out` may be the same. */
void qpucc_fixed_draw_texture(const struct qpucc_fixed *now, struct qpucc_fixed *out);

/* The members of struct qpucc_fixed one by one; NULL after the last. Static storage. */
const struct qpucc_member *qpucc_fixed_member_at(size_t index);

#ifdef __cplusplus
}
#endif

#endif
