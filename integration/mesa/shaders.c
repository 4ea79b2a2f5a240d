/* Shader objects of the driver, programs of two of them, and the code that a draw gets.
 *
 * A shader is read when it is made, so that a draw pays for code alone. A draw whose key is new gets code of
 * level 1 at once; a thread makes level 2 of it, which a later draw takes. What libqpucc refuses goes to
 * Mesa's compiler, and is counted. */
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

static uint64_t processor_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct qpucc_options glue_options(void) {
    struct qpucc_options options = qpucc_options_default();
    options.flags = QPUCC_VALID_SPIRV;
    return options;
}

static void say(const char *what, unsigned number, const char *why) {
    mesa_logw("qpucc: %s %u: %s", what, number, why);
}

static void say_first_error(const char *what, unsigned number, const qpucc_program *program) {
    const struct qpucc_diagnostic *d = NULL;
    for (size_t i = 0; program && !d && i < qpucc_program_diagnostic_count(program); i++)
        if (qpucc_program_diagnostic(program, i)->severity == QPUCC_ERROR)
            d = qpucc_program_diagnostic(program, i);
    say(what, number, d ? d->text : "out of memory");
}

static void read_shader(struct glue_shader *shader) {
    const char *why = NULL, *name = qpucc_stage_name(shader->stage);
    nir_shader *copy = nir_shader_clone(NULL, shader->nir);
    if (nir_spirv_make(copy, &shader->facts, &why)) {
        struct qpucc_options options = glue_options();
        struct qpucc_source source = {.name = name,
                                      .data = shader->facts.words,
                                      .size = 4 * shader->facts.count,
                                      .stage = shader->stage,
                                      .language = QPUCC_SPIRV};
        dump(shader);
        shader->compiled = qpucc_shader_compile(&source, &options);
        if (!shader->compiled || qpucc_shader_status(shader->compiled) != QPUCC_OK) {
            why = shader->compiled && qpucc_shader_diagnostic_count(shader->compiled)
                      ? qpucc_shader_diagnostic(shader->compiled, 0)->text
                      : "out of memory";
            say(name, shader->number, why);
            qpucc_shader_free(shader->compiled);
            shader->compiled = NULL;
        }
        nir_spirv_free(&shader->facts);
    } else {
        say(name, shader->number, why);
    }
    ralloc_free(copy);
}

static void *create(struct pipe_context *pipe, const struct pipe_shader_state *cso, enum qpucc_stage stage) {
    struct qpucc_glue *glue = vc4_context(pipe)->qpucc;
    struct glue_shader *shader = CALLOC_STRUCT(glue_shader);
    uint64_t start = processor_time();
    if (!shader)
        return NULL;
    shader->stage = stage;
    shader->number = glue->count.shaders++;
    shader->nir =
        cso->type == PIPE_SHADER_IR_NIR ? cso->ir.nir : tgsi_to_nir(cso->tokens, pipe->screen, false);
    read_shader(shader);
    glue->count.at_create += processor_time() - start;
    return shader;
}

static void *create_mesas(struct pipe_context *pipe, const struct pipe_shader_state *cso,
                          enum qpucc_stage stage) {
    struct qpucc_glue *glue = vc4_context(pipe)->qpucc;
    uint64_t start = processor_time();
    void *shader = (stage == QPUCC_VERTEX ? glue->create_vs : glue->create_fs)(pipe, cso);
    glue->count.at_create += processor_time() - start;
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

/* --- code ----------------------------------------------------------------------------------------------- */

static void code_free(struct glue_code *code) {
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        vc4_bo_unreference(&code->stage[s].bo);
        free(code->samples[s]);
    }
    qpucc_program_free(code->program);
    memset(code, 0, sizeof *code);
}

/* When streams have to be filled again. */
static uint32_t dirty_bits(const struct glue_code *code, enum qpucc_stage stage) {
    uint32_t bits = 0;
    struct qpucc_slot slot;
    for (uint32_t i = 0; qpucc_uniforms_slot(code->program, stage, i, &slot); i++)
        if (slot.kind == QPUCC_SLOT_TEXTURE)
            bits |= VC4_DIRTY_FRAGTEX | VC4_DIRTY_VERTTEX;
        else if (slot.kind == QPUCC_SLOT_UNIFORM || slot.kind == QPUCC_SLOT_UNIFORM_ADDRESS)
            bits |= VC4_DIRTY_CONSTBUF;
        else if (slot.kind == QPUCC_SLOT_STATE)
            bits |= VC4_DIRTY_VIEWPORT | VC4_DIRTY_CLIP | VC4_DIRTY_BLEND_COLOR | VC4_DIRTY_ZSA |
                    VC4_DIRTY_STENCIL_REF | VC4_DIRTY_SAMPLE_MASK | VC4_DIRTY_FRAMEBUFFER | VC4_DIRTY_FRAGTEX;
        else if (slot.kind == QPUCC_SLOT_EXPRESSION)
            bits |= VC4_DIRTY_CONSTBUF | VC4_DIRTY_FRAGTEX | VC4_DIRTY_VERTTEX | VC4_DIRTY_VIEWPORT |
                    VC4_DIRTY_CLIP | VC4_DIRTY_BLEND_COLOR;
    return bits;
}

/* Takes the program. */
static bool code_install(struct vc4_context *vc4, struct glue_code *code, qpucc_program *program) {
    const struct qpucc_layout *layout = qpucc_program_layout(program);
    memset(code, 0, sizeof *code);
    code->program = program;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        enum qpucc_stage stage = (enum qpucc_stage)s;
        struct vc4_compiled_shader *out = &code->stage[s];
        size_t count, samples = qpucc_texture_samples(program, stage, NULL, 0);
        const uint64_t *words = qpucc_program_code(program, stage, &count);
        code->stream_words[s] = (uint32_t)qpucc_uniforms_size(program, stage);
        code->sample_count[s] = (uint32_t)samples;
        code->samples[s] = calloc(samples + 1, sizeof *code->samples[s]);
        out->bo = vc4_bo_alloc_shader(vc4->screen, words, (uint32_t)(count * sizeof *words));
        if (!code->samples[s] || !out->bo)
            return false;
        qpucc_texture_samples(program, stage, code->samples[s], samples);
        for (size_t i = 0; i < samples; i++)
            code->storage_lookups |= code->samples[s][i].unit == UINT32_MAX;
        out->uniform_dirty_bits = dirty_bits(code, stage);
    }
    code->stage[QPUCC_FRAGMENT].color_inputs = layout->flat_varyings;
    code->stage[QPUCC_FRAGMENT].disable_early_z = !(layout->flags & QPUCC_EARLY_Z_SAFE);
    return true;
}

/* --- better code ---------------------------------------------------------------------------------------- */

static void improve(void *data, void *global, int thread) {
    struct glue_job *job = data;
    uint64_t start = processor_time();
    job->better = qpucc_variant_with(job->variant->code.program, &job->variant->key, &job->options);
    job->cpu = processor_time() - start;
}

static void ask_for_better(struct qpucc_glue *glue, struct glue_variant *variant) {
    struct glue_job *job = CALLOC_STRUCT(glue_job);
    if (!job)
        return;
    job->variant = variant;
    job->options = glue_options();
    job->options.cancel = &job->cancel;
    util_queue_fence_init(&job->done);
    variant->job = job;
    util_queue_add_job(&glue->queue, job, &job->done, improve, NULL, 0);
}

static void end_job(struct qpucc_glue *glue, struct glue_variant *variant) {
    struct glue_job *job = variant->job;
    util_queue_fence_wait(&job->done);
    glue->count.in_queue += job->cpu;
    util_queue_fence_destroy(&job->done);
    qpucc_program_free(job->better);
    FREE(job);
    variant->job = NULL;
}

/* Has the thread's result for this one come? It is asked for when draws have shown that the code will go on
 * being used. */
static bool take_better(struct qpucc_glue *glue, struct glue_variant *variant) {
    struct glue_code better;
    if (glue->level < 0 && ++variant->draws == (glue->wait ? 1 : GLUE_DRAWS_WORTH_MORE))
        ask_for_better(glue, variant);
    if (variant->job && glue->wait && variant == glue->active)
        util_queue_fence_wait(&variant->job->done);
    if (!variant->job || !util_queue_fence_is_signalled(&variant->job->done))
        return false;
    qpucc_program *program = variant->job->better;
    variant->job->better = NULL;
    end_job(glue, variant);
    if (!program || qpucc_program_status(program) != QPUCC_OK || !code_install(glue->vc4, &better, program)) {
        if (program && qpucc_program_status(program) != QPUCC_OK)
            qpucc_program_free(program);
        return false;
    }
    code_free(&variant->code);
    variant->code = better;
    glue->count.better++;
    return true;
}

/* --- programs ------------------------------------------------------------------------------------------- */

/* The library's numbers before there is a program: units and attributes in the order in which the modules
 * have them, the vertex shader's first. */
static void guess_numbers(struct glue_program *p) {
    const struct glue_shader *shaders[2] = {p->vertex, p->fragment};
    for (int i = 0; i < 2; i++)
        for (uint8_t unit = 0; unit < 32; unit++)
            if (shaders[i]->facts.texture_mask >> unit & 1 && p->unit_count < QPUCC_MAX_TEXTURES)
                p->unit[p->unit_count++] = (struct glue_unit){.vertex = i == 0, .unit = unit};
    for (uint8_t element = 0; element < 32; element++)
        if (p->vertex->facts.attribute_mask >> element & 1 && p->attribute_count < QPUCC_MAX_ATTRIBUTES)
            p->element[p->attribute_count++] = element;
}

static bool number_in(const char *name, const char *before, unsigned *number) {
    size_t length = strlen(before);
    return !strncmp(name, before, length) && sscanf(name + length, "%u", number) == 1;
}

/* Reads them from a program. False if the guess was another one. */
static bool read_numbers(struct glue_program *p, const qpucc_program *from) {
    const struct qpucc_layout *layout = qpucc_program_layout(from);
    const struct qpucc_variable *v;
    bool right = true;
    unsigned number;
    for (size_t i = 0; (v = qpucc_program_variable(from, QPUCC_SAMPLERS, i)); i++) {
        bool vertex = number_in(v->name, "vs_t", &number);
        if ((vertex || number_in(v->name, "fs_t", &number)) && v->word < QPUCC_MAX_TEXTURES) {
            struct glue_unit *u = &p->unit[v->word];
            right = right && v->word < p->unit_count && u->vertex == vertex && u->unit == number;
            *u = (struct glue_unit){.vertex = vertex, .unit = (uint8_t)number};
            p->unit_count = MAX2(p->unit_count, v->word + 1);
        }
    }
    for (uint32_t i = 0; i < layout->attribute_count; i++) {
        const struct qpucc_attribute_slot *slot = &layout->attributes[i];
        v = qpucc_program_variable(from, QPUCC_ATTRIBUTES, slot->variable);
        if (v && number_in(v->name, "a", &number)) {
            right = right && slot->number < p->attribute_count && p->element[slot->number] == number;
            p->element[slot->number] = (uint8_t)number;
            p->attribute_count = MAX2(p->attribute_count, slot->number + 1u);
        }
    }
    return right;
}

static void read_storage(struct qpucc_glue *glue, struct glue_program *p, const qpucc_program *from) {
    const struct qpucc_variable *v;
    p->word[0] = p->word[1] = UINT32_MAX;
    for (size_t i = 0; (v = qpucc_program_variable(from, QPUCC_UNIFORMS, i)); i++)
        if (!strcmp(v->name, "fs_u") || !strcmp(v->name, "vs_u"))
            p->word[v->name[0] == 'v'] = v->word;
    p->storage_words = (uint32_t)(qpucc_program_uniform_bytes(from, QPUCC_UNIFORMS_PACKED) / 4);
    if (p->storage_words > glue->storage_room) {
        uint32_t *more = realloc(glue->storage, 4 * (size_t)p->storage_words);
        if (!more) {
            p->refused = true;
            return;
        }
        memset(more + glue->storage_room, 0, 4 * (p->storage_words - glue->storage_room));
        glue->storage = more;
        glue->storage_room = p->storage_words;
    }
}

static qpucc_program *compile_first(struct qpucc_glue *glue, struct glue_program *p,
                                    const struct qpucc_state *key) {
    struct qpucc_options options = glue_options();
    const qpucc_shader *both[2] = {p->vertex->compiled, p->fragment->compiled};
    options.opt_level = glue->level < 0 ? 1 : glue->level;
    return qpucc_link(both, 2, key, &options);
}

/* A key's code is made from any other's: the interface is the same. */
static qpucc_program *compile(struct qpucc_glue *glue, struct glue_program *p, struct qpucc_state *key,
                              uint8_t mode) {
    if (!list_is_empty(&p->variants)) {
        struct qpucc_options options = glue_options();
        options.opt_level = glue->level < 0 ? 1 : glue->level;
        return qpucc_variant_with(list_first_entry(&p->variants, struct glue_variant, next)->code.program,
                                  key, &options);
    }
    qpucc_program *program = compile_first(glue, p, key);
    if (!program || qpucc_program_status(program) != QPUCC_OK)
        return program;
    bool right = read_numbers(p, program);
    read_storage(glue, p, program);
    if (right)
        return program;
    glue->count.again++;
    qpucc_program_free(program);
    glue_key(glue->vc4, p, mode, key);
    return compile_first(glue, p, key);
}

static struct glue_variant *new_variant(struct qpucc_glue *glue, struct glue_program *p,
                                        struct qpucc_state *key, uint8_t mode) {
    struct glue_variant *v = CALLOC_STRUCT(glue_variant);
    qpucc_program *program = v ? compile(glue, p, key, mode) : NULL;
    bool ok = program && qpucc_program_status(program) == QPUCC_OK && !p->refused;
    if (ok)
        ok = code_install(glue->vc4, &v->code, program);
    else
        say_first_error("program", p->fragment->number, program);
    if (!ok) {
        p->refused = true;
        glue->count.refused++;
        if (v && v->code.program)
            code_free(&v->code);
        else
            qpucc_program_free(program);
        FREE(v);
        return NULL;
    }
    glue->count.variants++;
    v->program = p;
    v->key = *key;
    list_add(&v->next, &p->variants);
    return v;
}

static struct glue_variant *variant_for(struct qpucc_glue *glue, struct glue_program *p, uint8_t mode) {
    struct qpucc_state key;
    glue_key(glue->vc4, p, mode, &key);
    list_for_each_entry(struct glue_variant, v, &p->variants, next) {
        if (!memcmp(&v->key, &key, sizeof key)) {
            list_move_to(&v->next, &p->variants);
            return v;
        }
    }
    return new_variant(glue, p, &key, mode);
}

static void free_program(struct qpucc_glue *glue, struct glue_program *p) {
    list_for_each_entry_safe(struct glue_variant, v, &p->variants, next) {
        if (v->job) {
            p_atomic_set(&v->job->cancel, 1);
            end_job(glue, v);
        }
        if (glue->active == v)
            glue->active = NULL;
        code_free(&v->code);
        list_del(&v->next);
        FREE(v);
    }
    list_del(&p->next);
    FREE(p);
}

static struct glue_program *program_of(struct qpucc_glue *glue, struct glue_shader *vertex,
                                       struct glue_shader *fragment) {
    list_for_each_entry(struct glue_program, p, &glue->programs, next) {
        if (p->vertex == vertex && p->fragment == fragment) {
            list_move_to(&p->next, &glue->programs);
            return p;
        }
    }
    struct glue_program *p = CALLOC_STRUCT(glue_program);
    if (!p)
        return NULL;
    p->vertex = vertex;
    p->fragment = fragment;
    p->refused = !vertex->compiled || !fragment->compiled;
    list_inithead(&p->variants);
    list_add(&p->next, &glue->programs);
    guess_numbers(p);
    glue->count.programs++;
    glue->count.refused += p->refused;
    return p;
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

static bool fall_back(struct qpucc_glue *glue, uint8_t mode) {
    struct vc4_context *vc4 = glue->vc4;
    struct vc4_program_stateobj *bound = &vc4->prog;
    void *vertex = bound->bind_vs, *fragment = bound->bind_fs;
    if (glue->active)
        vc4->dirty |= VC4_DIRTY_UNCOMPILED_FS | VC4_DIRTY_UNCOMPILED_VS | VC4_DIRTY_COMPILED_FS |
                      VC4_DIRTY_COMPILED_VS | VC4_DIRTY_COMPILED_CS;
    glue->active = NULL;
    bound->bind_vs = mesas(glue, vertex);
    bound->bind_fs = mesas(glue, fragment);
    bool ok = vc4_update_compiled_shaders(vc4, mode);
    bound->bind_vs = vertex;
    bound->bind_fs = fragment;
    return ok;
}

/* --- the driver's calls --------------------------------------------------------------------------------- */

#define KEY_BITS                                                                                             \
    (VC4_DIRTY_PRIM_MODE | VC4_DIRTY_BLEND | VC4_DIRTY_FRAMEBUFFER | VC4_DIRTY_ZSA | VC4_DIRTY_FRAGTEX |     \
     VC4_DIRTY_VERTTEX | VC4_DIRTY_RASTERIZER | VC4_DIRTY_SAMPLE_MASK | VC4_DIRTY_VTXSTATE |                 \
     VC4_DIRTY_UNCOMPILED_VS | VC4_DIRTY_UNCOMPILED_FS)

static void activate(struct qpucc_glue *glue, struct glue_variant *v) {
    struct vc4_context *vc4 = glue->vc4;
    uint32_t flat = vc4->prog.fs ? vc4->prog.fs->color_inputs : 0;
    glue->active = v;
    vc4->prog.fs = &v->code.stage[QPUCC_FRAGMENT];
    vc4->prog.vs = &v->code.stage[QPUCC_VERTEX];
    vc4->prog.cs = &v->code.stage[QPUCC_COORDINATE];
    vc4->dirty |= VC4_DIRTY_COMPILED_FS | VC4_DIRTY_COMPILED_VS | VC4_DIRTY_COMPILED_CS;
    if (vc4->prog.fs->color_inputs != flat)
        vc4->dirty |= VC4_DIRTY_FLAT_SHADE_FLAGS;
}

/* For compare.sh, and for whoever wonders: a line whenever a draw took code that it did not have, because
 * programs do not always end by destroying their contexts. */
static void print_counts(const struct qpucc_glue *g) {
    if (getenv("VC4_QPUCC_STATS"))
        fprintf(stderr,
                "%s: %u shaders, %u programs, %u variants, %u replaced, %u compiled twice, %u refused; "
                "%.1f ms reading, %.1f ms at draws (longest %.1f), %.1f ms in the thread\n",
                g->mesa ? "mesa" : "qpucc", g->count.shaders, g->count.programs, g->count.variants,
                g->count.better, g->count.again, g->count.refused, (double)g->count.at_create / 1e6,
                (double)g->count.at_draw / 1e6, (double)g->count.longest / 1e6,
                (double)g->count.in_queue / 1e6);
}

static bool update(struct qpucc_glue *glue, uint8_t mode) {
    struct vc4_context *vc4 = glue->vc4;
    struct glue_variant *v = glue->active;
    if (!v || vc4->dirty & KEY_BITS) {
        struct glue_program *p = program_of(glue, (struct glue_shader *)vc4->prog.bind_vs,
                                            (struct glue_shader *)vc4->prog.bind_fs);
        v = p && !p->refused ? variant_for(glue, p, mode) : NULL;
        if (!v)
            return fall_back(glue, mode);
    }
    if (take_better(glue, v) || v != glue->active)
        activate(glue, v);
    return true;
}

bool qpucc_glue_update(struct vc4_context *vc4, uint8_t mode) {
    struct qpucc_glue *glue = vc4->qpucc;
    if (!glue)
        return vc4_update_compiled_shaders(vc4, mode);
    uint64_t start = processor_time();
    bool ok = glue->mesa ? vc4_update_compiled_shaders(vc4, mode) : update(glue, mode);
    start = processor_time() - start;
    glue->count.at_draw += start;
    glue->count.longest = MAX2(glue->count.longest, start);
    if (start > 20000)
        print_counts(glue);
    return ok;
}

static void delete_shader(struct pipe_context *pipe, void *cso) {
    struct qpucc_glue *glue = vc4_context(pipe)->qpucc;
    struct glue_shader *shader = cso;
    list_for_each_entry_safe(struct glue_program, p, &glue->programs, next) {
        if (p->vertex == shader || p->fragment == shader)
            free_program(glue, p);
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
}

void qpucc_glue_fini(struct pipe_context *pipe) {
    struct vc4_context *vc4 = vc4_context(pipe);
    struct qpucc_glue *glue = vc4->qpucc;
    if (!glue)
        return;
    list_for_each_entry_safe(struct glue_program, p, &glue->programs, next) free_program(glue, p);
    print_counts(glue);
    util_queue_destroy(&glue->queue);
    free(glue->storage);
    FREE(glue);
    vc4->qpucc = NULL;
}
