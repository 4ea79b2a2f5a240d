/* glsl.h: GLSL text in, SPIR-V and a side table out. The only header of this folder that others include.
 *
 * fe_glsl_compile() preprocesses the text itself (so that every token keeps its file, line and column, and
 * macro bombs and include loops are fenced) and lets glslang check it as the language it is. The SPIR-V of
 * the tree that was checked is rewritten before it is handed over: it carries the user's own names in OpName
 * and OpMemberName, the user's own positions in OpLine (with columns), and varyings of the two stages that
 * match have the same Location.
 *
 * Languages: GLSL ES 1.00 and 3.00, desktop GLSL 1.10 to 3.30 with the compatibility profile's variables;
 * others are refused by name. Uniform blocks keep their names and std140 offsets, gl_VertexID and
 * gl_InstanceID arrive as VertexIndex and InstanceIndex.
 *
 * Thread-safe. No global state but glslang's (pthread_once here) and the symbols of its built-in names
 * (builtins.h), which shaders add to as they name them and which stay until the process ends; no result
 * depends on what was compiled before.
 *
 * What the SPIR-V looks like beyond the obvious (names are OpName strings):
 * - uniforms are UniformConstant variables in the order of the text, without layout; bools there are uints
 * that are compared with zero where they are loaded. A sampler in a structure stays there.
 * - `gl_FragColor` and `gl_FragData` (an array of one) are Output variables of those names, Location 0.
 * - `gl_DepthRange` is a uniform of that name: a struct of three floats near, far, diff, which the driver
 * fills.
 * - `gl_LastFragData` (GL_EXT_shader_framebuffer_fetch) is such a uniform, too: the colour that the tile
 * buffer holds, and what main begins by giving to an output that is declared inout.
 * - built-in attributes, uniforms and varyings of the compatibility profile are variables of their own names
 * ("gl_Vertex", "gl_ModelViewMatrix", "gl_TexCoord"); what a fragment shader calls gl_Color is
 * "gl_FrontColor". From 1.50 on those between the stages are members of gl_PerVertex and gl_PerFragment; of a
 * vertex shader a validator refuses that, because members beside them are built in.
 * - the initial value of a uniform is the variable's initializer, which SPIR-V has no meaning for.
 * - gl_FragCoord counts from the lower left (OriginLowerLeft), as GL does, unless layout(origin_upper_left)
 * says otherwise. */
#ifndef QPUCC_FRONTEND_GLSL_H
#define QPUCC_FRONTEND_GLSL_H

#include "ir/ir.h"

#include <qpucc/qpucc.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fe_source {
    const char *name; /* for diagnostics and for `#include "…"` relative to its folder; NULL means "shader" */
    const char *text; /* need not end in NUL */
    size_t length;    /* bytes */
    enum qpucc_stage stage;
    /* NULL: the compile's. Of its own ones count defines, include_dirs, no_include, permissive,
     * default_float_precision and the warnings. */
    const struct fe_options *options;
};

enum fe_precision { FE_PRECISION_NONE, FE_LOWP, FE_MEDIUMP, FE_HIGHP };

struct fe_options {
    const char *const *defines; /* "NAME" or "NAME=VALUE", in order */
    size_t define_count;
    const char *const *include_dirs;
    size_t include_dir_count;
    bool preprocess_only; /* stop there: each stage has its text and nothing else */
    /* A vertex shader alone may get a fragment shader later, which decides how many varyings have to fit. */
    bool unlinked;
    bool no_include; /* refuse every #include whatever the folders: for a service that compiles strangers'
                        text */
    /* Called for each file that #include takes in, each time, in order; NULL: never. */
    void (*on_include)(void *user, const char *path, const char *text, size_t length);
    void *user;
    bool permissive;                /* as QPUCC_PERMISSIVE */
    uint32_t warnings, no_warnings; /* as in struct qpucc_options */
    enum qpucc_uniform_precision uniform_precision;
    enum fe_precision
        default_float_precision; /* fragment stage of GLSL ES without a precision statement; NONE: an error */
    /* of the compile: its limits hold (qpucc/limit.h), before glslang, whose parser recurses, sees the text;
     * NULL: one of its own, with the default limits. The result may not outlive it. */
    struct ir_arena *beside;
};

enum fe_severity { FE_NOTE, FE_WARNING, FE_ERROR };

struct fe_diagnostic {
    enum fe_severity severity;
    enum qpucc_stage stage;
    const char *file;         /* never NULL; as given in fe_source.name, or the path of an included file */
    unsigned line;            /* from 1; 0: the whole file */
    unsigned column;          /* from 1, in bytes; 0: unknown */
    const char *text;         /* one line, no trailing stop */
    bool limit;               /* a limit of the compile is met */
    const char *warning_name; /* of a warning that can be switched; NULL: it cannot */
};

enum fe_storage { FE_UNIFORM, FE_ATTRIBUTE, FE_VARYING, FE_OUTPUT, FE_STRUCT_MEMBER };

/* One global declaration as written. SPIR-V knows only "relaxed" precision: this table tells lowp from
 * mediump. */
struct fe_symbol {
    const char
        *name; /* the user's own name; a struct's member is "Type.member" with storage FE_STRUCT_MEMBER */
    const char *type_name; /* as written: "vec4", "sampler2D", a struct's name */
    enum fe_storage storage;
    enum fe_precision precision; /* written or by default; NONE for booleans and structs */
    bool array;
    unsigned array_length; /* where it is written as a number; 0: another way */
    bool invariant, precise, centroid, flat, noperspective;
    bool attribute_location; /* an attribute with layout(location) */
    bool by_location;        /* a varying with layout(location), */
    unsigned location;       /* which is this */
    unsigned line, column;   /* of the name, in `file` */
    const char *file;
};

struct fe_stage_result {
    enum qpucc_stage stage;
    int version;              /* 100, 120, 300 … */
    bool es;                  /* the profile */
    const char *preprocessed; /* with preprocess_only: the text without macros, conditionals and #include */
    uint32_t *spirv;          /* NULL when there were errors */
    size_t spirv_words;
    const struct fe_symbol *symbols;
    size_t symbol_count;
    bool needs_external_sampler; /* a samplerExternalOES is declared */
    bool reads_framebuffer;      /* gl_LastFragData is used */
    bool upper_left;             /* layout(origin_upper_left) in vec4 gl_FragCoord */
    /* what has to agree with the other stage is in the symbols: no blocks, no invariant built-ins */
    bool plain;
};

struct fe_glsl_result {
    bool ok;                          /* no error; every stage has its SPIR-V */
    struct fe_stage_result stages[2]; /* in the order of the sources */
    size_t stage_count;
    const char *const *files; /* that #include took in, each once, in order */
    size_t file_count;
    const struct fe_diagnostic *diagnostics; /* by stage, then by place */
    size_t diagnostic_count;
    void *storage; /* owns everything above */
};

/* Compiles one source, or a vertex and a fragment source and their link (any order; two of a kind is an
 * error). `options` may be NULL. Never NULL unless memory is out; free with fe_glsl_result_free(). */
struct fe_glsl_result *fe_glsl_compile(const struct fe_source *sources, size_t count,
                                       const struct fe_options *options);
void fe_glsl_result_free(struct fe_glsl_result *result);

/* Two shaders that were compiled one by one: surely no error comes up when they are compiled together. False:
 * one may, and only a compile of both can say. Needs no more of each than version, es, plain and symbols. */
bool fe_fits(const struct fe_stage_result *vertex, const struct fe_stage_result *fragment,
             struct ir_arena *scratch);

/* The symbol of that name and storage, or NULL. */
const struct fe_symbol *fe_find_symbol(const struct fe_stage_result *stage, const char *name,
                                       enum fe_storage storage);

#endif
