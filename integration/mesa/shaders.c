/* Shader objects of the driver, which compiler a draw gets its code of, and what that takes.
 *
 * A shader is read when it is made, so that a draw pays for code alone (programs.c); with a cache on disk it
 * is read when a draw's code is not there. What libqpucc refuses goes to Mesa's compiler, and is counted. */
#include "glue.h"

#include "compiler/nir/nir.h"
#include "nir/tgsi_to_nir.h"
#include "util/log.h"
#include "util/ralloc.h"
#include "util/u_memory.h"
#include "vc4_screen.h"

#include <time.h>

/* --- the screen ----------------------------------------------------------------------------------------- */

static bool chosen(void) {
    const char *compiler = getenv("VC4_COMPILER");
    return compiler && !strcmp(compiler, "qpucc");
}

static const void *compiler_options(struct pipe_screen *screen, enum pipe_shader_ir ir,
                                    enum pipe_shader_type shader) {
    return &nir_spirv_options;
}

void qpucc_glue_screen(struct pipe_screen *screen) {
    if (chosen())
        screen->get_compiler_options = compiler_options;
}

/* --- shaders -------------------------------------------------------------------------------------------- */

static void dump(const struct glue_shader *shader) {
    const char *folder = getenv("VC4_QPUCC_DUMP");
    char path[1000];
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%s%u.spv", folder, qpucc_stage_name(shader->stage), shader->number);
    FILE *file = fopen(path, "wb");
    if (file) {
        fwrite(shader->facts.words, 4, shader->facts.count, file);
        fclose(file);
    }
}

uint64_t glue_processor_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

struct qpucc_options glue_options(void) {
    struct qpucc_options options = qpucc_options_default();
    options.flags = QPUCC_VALID_SPIRV | QPUCC_BLOCKS_IN_BUFFERS;
    return options;
}

void glue_say(const char *what, unsigned number, const char *why) {
    mesa_logw("qpucc: %s %u: %s", what, number, why);
}

void glue_say_why(const struct glue_shader *shader) {
    const struct qpucc_diagnostic *first =
        shader->compiled ? qpucc_shader_diagnostic(shader->compiled, 0) : NULL;
    glue_say(qpucc_stage_name(shader->stage), shader->number, first ? first->text : "out of memory");
}

/* `shadows` NULL: luminance. */
static void read_shader(const struct qpucc_glue *glue, struct glue_shader *shader, nir_shader *nir,
                        const struct nir_spirv_shadows *shadows) {
    const char *why = NULL, *name = qpucc_stage_name(shader->stage);
    if (nir_spirv_make(nir, shadows, &shader->facts, &why)) {
        struct qpucc_options options = glue_options();
        struct qpucc_source source = {.name = name,
                                      .data = shader->facts.words,
                                      .size = 4 * shader->facts.count,
                                      .stage = shader->stage,
                                      .language = QPUCC_SPIRV};
        dump(shader);
        if (glue->cache)
            options.flags |= QPUCC_READ_LATER;
        shader->compiled = qpucc_shader_compile(&source, &options);
        if (!shader->compiled || (!glue->cache && qpucc_shader_status(shader->compiled) != QPUCC_OK)) {
            glue_say_why(shader);
            qpucc_shader_free(shader->compiled);
            shader->compiled = NULL;
        }
        nir_spirv_free(&shader->facts);
    } else {
        glue_say(name, shader->number, why);
    }
}

static void *create(struct pipe_context *pipe, const struct pipe_shader_state *cso, enum qpucc_stage stage) {
    struct qpucc_glue *glue = vc4_context(pipe)->qpucc;
    struct glue_shader *shader = CALLOC_STRUCT(glue_shader);
    uint64_t start = glue_processor_time();
    if (!shader)
        return NULL;
    shader->stage = stage;
    shader->number = glue->count.shaders++;
    shader->nir =
        cso->type == PIPE_SHADER_IR_NIR ? cso->ir.nir : tgsi_to_nir(cso->tokens, pipe->screen, false);
    nir_spirv_prepare(shader->nir);
    read_shader(glue, shader, shader->nir, NULL);
    glue->count.at_create += glue_processor_time() - start;
    return shader;
}

static void *create_mesas(struct pipe_context *pipe, const struct pipe_shader_state *cso,
                          enum qpucc_stage stage) {
    struct qpucc_glue *glue = vc4_context(pipe)->qpucc;
    uint64_t start = glue_processor_time();
    void *shader = (stage == QPUCC_VERTEX ? glue->create_vs : glue->create_fs)(pipe, cso);
    glue->count.at_create += glue_processor_time() - start;
    glue->count.shaders++;
    return shader;
}

static void *create_vs(struct pipe_context *pipe, const struct pipe_shader_state *cso) {
    return vc4_context(pipe)->qpucc->mesa ? create_mesas(pipe, cso, QPUCC_VERTEX)
                                          : create(pipe, cso, QPUCC_VERTEX);
}

static void *create_fs(struct pipe_context *pipe, const struct pipe_shader_state *cso) {
    return vc4_context(pipe)->qpucc->mesa ? create_mesas(pipe, cso, QPUCC_FRAGMENT)
                                          : create(pipe, cso, QPUCC_FRAGMENT);
}

/* --- Mesa's compiler ------------------------------------------------------------------------------------ */

static struct vc4_uncompiled_shader *mesas(struct qpucc_glue *glue, struct glue_shader *shader) {
    if (!shader->mesa) {
        struct pipe_context *pipe = &glue->vc4->base;
        struct pipe_shader_state cso = {.type = PIPE_SHADER_IR_NIR,
                                        .ir.nir = nir_shader_clone(NULL, shader->nir)};
        nir_shader *nir = cso.ir.nir;
        nir->options = vc4_screen_get_compiler_options(pipe->screen, PIPE_SHADER_IR_NIR, PIPE_SHADER_VERTEX);
        shader->mesa =
            shader->stage == QPUCC_VERTEX ? glue->create_vs(pipe, &cso) : glue->create_fs(pipe, &cso);
    }
    return shader->mesa;
}

/* What the driver does anew for other code. */
#define GLUE_OTHER_CODE                                                                                      \
    (VC4_DIRTY_COMPILED_FS | VC4_DIRTY_COMPILED_VS | VC4_DIRTY_COMPILED_CS | VC4_DIRTY_FLAT_SHADE_FLAGS)

static bool fall_back(struct qpucc_glue *glue, uint8_t mode) {
    struct vc4_context *vc4 = glue->vc4;
    struct vc4_program_stateobj *bound = &vc4->prog;
    void *vertex = bound->bind_vs, *fragment = bound->bind_fs;
    if (glue->active)
        vc4->dirty |= VC4_DIRTY_UNCOMPILED_FS | VC4_DIRTY_UNCOMPILED_VS | GLUE_OTHER_CODE;
    glue->active = NULL;
    glue->count.refused++;
    bound->bind_vs = mesas(glue, vertex);
    bound->bind_fs = mesas(glue, fragment);
    bool ok = vc4_update_compiled_shaders(vc4, mode);
    bound->bind_vs = vertex;
    bound->bind_fs = fragment;
    return ok;
}

/* --- comparisons ---------------------------------------------------------------------------------------- */

/* What the bound textures make of the shader's comparisons (GL_DEPTH_TEXTURE_MODE). False: luminance. */
static bool other_shadows(const struct qpucc_glue *glue, const struct glue_shader *shader,
                          struct nir_spirv_shadows *shadows) {
    static const uint8_t luminance[4] = {PIPE_SWIZZLE_X, PIPE_SWIZZLE_X, PIPE_SWIZZLE_X, PIPE_SWIZZLE_1};
    bool other = false;
    memset(shadows, 0, sizeof *shadows);
    for (uint8_t unit = 0; unit < 32; unit++) {
        struct glue_unit place = {.vertex = shader->stage == QPUCC_VERTEX, .unit = unit};
        if (!(shader->facts.shadow_mask >> unit & 1))
            continue;
        const struct vc4_sampler_view *view = glue_view(glue->vc4, place);
        const uint8_t swizzle[4] = {
            view ? view->base.swizzle_r : PIPE_SWIZZLE_X, view ? view->base.swizzle_g : PIPE_SWIZZLE_X,
            view ? view->base.swizzle_b : PIPE_SWIZZLE_X, view ? view->base.swizzle_a : PIPE_SWIZZLE_1};
        memcpy(shadows->swizzle[unit], swizzle, sizeof swizzle);
        other |= memcmp(swizzle, luminance, sizeof swizzle) != 0;
    }
    return other;
}

/* The shader as the bound textures want it. */
static struct glue_shader *shader_for(const struct qpucc_glue *glue, struct glue_shader *shader) {
    struct nir_spirv_shadows shadows;
    if (!shader->facts.shadow_mask || !other_shadows(glue, shader, &shadows))
        return shader;
    for (struct glue_shader *s = shader->other; s; s = s->other)
        if (!memcmp(&s->shadows, &shadows, sizeof shadows))
            return s;
    struct glue_shader *s = CALLOC_STRUCT(glue_shader);
    if (!s)
        return shader;
    s->stage = shader->stage;
    s->number = shader->number;
    s->shadows = shadows;
    s->other = shader->other;
    shader->other = s;
    read_shader(glue, s, shader->nir, &shadows);
    return s;
}

/* --- the driver's calls --------------------------------------------------------------------------------- */

#define KEY_BITS                                                                                             \
    (VC4_DIRTY_PRIM_MODE | VC4_DIRTY_BLEND | VC4_DIRTY_FRAMEBUFFER | VC4_DIRTY_ZSA | VC4_DIRTY_FRAGTEX |     \
     VC4_DIRTY_VERTTEX | VC4_DIRTY_RASTERIZER | VC4_DIRTY_SAMPLE_MASK | VC4_DIRTY_VTXSTATE |                 \
     VC4_DIRTY_UNCOMPILED_VS | VC4_DIRTY_UNCOMPILED_FS)

static void activate(struct qpucc_glue *glue, struct glue_variant *v) {
    struct vc4_context *vc4 = glue->vc4;
    glue->active = v;
    vc4->prog.fs = &v->code.stage[QPUCC_FRAGMENT];
    vc4->prog.vs = &v->code.stage[QPUCC_VERTEX];
    vc4->prog.cs = &v->code.stage[QPUCC_COORDINATE];
    vc4->dirty |= GLUE_OTHER_CODE;
}

/* For compare.sh, and for whoever wonders: a line whenever a draw took code that it did not have, because
 * programs do not always end by destroying their contexts. */
static void print_counts(const struct qpucc_glue *g) {
    if (getenv("VC4_QPUCC_STATS"))
        fprintf(stderr,
                "%s: %u shaders, %u programs, %u variants, %u replaced, %u specialised, %u compiled twice, "
                "%u refused; "
                "%.1f ms reading, %.1f ms at draws (longest %.1f), %.1f ms in the thread\n",
                g->mesa ? "mesa" : "qpucc", g->count.shaders, g->count.programs, g->count.variants,
                g->count.better, g->count.special, g->count.again, g->count.refused,
                (double)g->count.at_create / 1e6, (double)g->count.at_draw / 1e6,
                (double)g->count.longest / 1e6, (double)g->count.in_queue / 1e6);
}

static bool update(struct qpucc_glue *glue, uint8_t mode) {
    struct vc4_context *vc4 = glue->vc4;
    struct glue_variant *v = glue->active ? glue->general : NULL;
    if (!v || vc4->dirty & KEY_BITS) {
        struct glue_shader *vertex = (struct glue_shader *)vc4->prog.bind_vs,
                           *fragment = (struct glue_shader *)vc4->prog.bind_fs;
        struct glue_program *p = glue_program_of(glue, shader_for(glue, vertex), shader_for(glue, fragment));
        v = p && !p->refused ? glue_variant_for(glue, p, mode) : NULL;
        if (!v)
            return fall_back(glue, mode);
    }
    bool renewed = glue_take_better(glue, v);
    struct glue_variant *special = glue_specialised(glue, v);
    glue->general = v;
    if (renewed || special != glue->active)
        activate(glue, special);
    return true;
}

bool qpucc_glue_update(struct vc4_context *vc4, uint8_t mode) {
    struct qpucc_glue *glue = vc4->qpucc;
    if (!glue)
        return vc4_update_compiled_shaders(vc4, mode);
    uint64_t start = glue_processor_time();
    bool ok = glue->mesa ? vc4_update_compiled_shaders(vc4, mode) : update(glue, mode);
    start = glue_processor_time() - start;
    glue->count.at_draw += start;
    glue->count.longest = MAX2(glue->count.longest, start);
    if (start > 20000)
        print_counts(glue);
    return ok;
}

static void delete_shader(struct pipe_context *pipe, void *cso) {
    struct qpucc_glue *glue = vc4_context(pipe)->qpucc;
    struct glue_shader *shader = cso;
    if (shader->other)
        delete_shader(pipe, shader->other);
    list_for_each_entry_safe(struct glue_program, p, &glue->programs, next) {
        if (p->vertex == shader || p->fragment == shader)
            glue_program_free(glue, p);
    }
    if (shader->mesa)
        (shader->stage == QPUCC_VERTEX ? glue->delete_vs : glue->delete_fs)(pipe, shader->mesa);
    qpucc_shader_free(shader->compiled);
    ralloc_free(shader->nir);
    FREE(shader);
}

void qpucc_glue_init(struct pipe_context *pipe) {
    struct vc4_context *vc4 = vc4_context(pipe);
    const char *level = getenv("VC4_QPUCC_LEVEL");
    struct qpucc_glue *glue = CALLOC_STRUCT(qpucc_glue);
    if (!glue)
        return;
    glue->vc4 = vc4;
    glue->mesa = !chosen();
    glue->wait = getenv("VC4_QPUCC_WAIT") != NULL;
    glue->refuse = getenv("VC4_QPUCC_REFUSE") != NULL;
    glue->level = level && *level >= '0' && *level <= '3' ? *level - '0' : -1;
    list_inithead(&glue->programs);
    if (!util_queue_init(&glue->queue, "qpucc", 64, 1,
                         UTIL_QUEUE_INIT_RESIZE_IF_FULL | UTIL_QUEUE_INIT_USE_MINIMUM_PRIORITY, NULL)) {
        FREE(glue);
        return;
    }
    glue->create_vs = pipe->create_vs_state;
    glue->create_fs = pipe->create_fs_state;
    glue->delete_vs = pipe->delete_vs_state;
    glue->delete_fs = pipe->delete_fs_state;
    pipe->create_vs_state = create_vs;
    pipe->create_fs_state = create_fs;
    if (!glue->mesa)
        pipe->delete_vs_state = pipe->delete_fs_state = delete_shader;
    vc4->qpucc = glue;
    if (!glue->mesa)
        glue_cache_open(glue);
}

void qpucc_glue_fini(struct pipe_context *pipe) {
    struct vc4_context *vc4 = vc4_context(pipe);
    struct qpucc_glue *glue = vc4->qpucc;
    if (!glue)
        return;
    list_for_each_entry_safe(struct glue_program, p, &glue->programs, next) glue_program_free(glue, p);
    print_counts(glue);
    util_queue_destroy(&glue->queue);
    glue_cache_close(glue);
    free(glue->storage);
    FREE(glue);
    vc4->qpucc = NULL;
}
