/* Programs of two shaders, and the code that a draw gets.
 *
 * A draw whose key is new gets code of level 1 at once. What goes on being drawn with gets better code from a
 * thread: of level 2 at the 64th draw, and then for the values of uniforms that stay (qpucc/tally.h). */
#include "glue.h"

#include "util/u_atomic.h"
#include "util/u_memory.h"

/* --- code ----------------------------------------------------------------------------------------------- */

static void code_free(struct glue_code *code) {
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        vc4_bo_unreference(&code->stage[s].bo);
        free(code->samples[s]);
    }
    qpucc_program_free(code->program);
    memset(code, 0, sizeof *code);
}

#define TEXTURE_BITS (VC4_DIRTY_FRAGTEX | VC4_DIRTY_VERTTEX)
#define STATE_BITS                                                                                           \
    (VC4_DIRTY_VIEWPORT | VC4_DIRTY_CLIP | VC4_DIRTY_BLEND_COLOR | VC4_DIRTY_ZSA | VC4_DIRTY_STENCIL_REF |   \
     VC4_DIRTY_SAMPLE_MASK | VC4_DIRTY_FRAMEBUFFER | TEXTURE_BITS)

/* When streams have to be filled again. */
static uint32_t dirty_bits(const struct glue_code *code, enum qpucc_stage stage) {
    uint32_t bits = 0;
    struct qpucc_slot slot;
    for (uint32_t i = 0; qpucc_uniforms_slot(code->program, stage, i, &slot); i++)
        if (slot.kind == QPUCC_SLOT_TEXTURE) /* or a block's buffer */
            bits |= TEXTURE_BITS | VC4_DIRTY_CONSTBUF;
        else if (slot.kind == QPUCC_SLOT_UNIFORM || slot.kind == QPUCC_SLOT_UNIFORM_ADDRESS)
            bits |= VC4_DIRTY_CONSTBUF;
        else if (slot.kind == QPUCC_SLOT_STATE)
            bits |= STATE_BITS;
        else if (slot.kind == QPUCC_SLOT_EXPRESSION) /* over any of these */
            bits |= VC4_DIRTY_CONSTBUF | STATE_BITS;
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

/* A program's code for a key from its shaders, or from the disk. */
static qpucc_program *link_code(qpucc_cache *cache, const struct glue_program *p,
                                const struct qpucc_state *key, const struct qpucc_options *options) {
    const qpucc_shader *both[2] = {p->vertex->compiled, p->fragment->compiled};
    return qpucc_cache_link(cache, both, 2, key, options);
}

/* In the thread. What controls a program is found there, too: that takes a tenth of a compile. */
static void improve(void *data, void *global, int thread) {
    struct glue_job *job = data;
    uint64_t start = glue_processor_time();
    if (job->constant_count) {
        job->better = qpucc_specialise(job->from, &job->variant->key, job->constants, job->constant_count);
    } else {
        job->better = job->cache
                          ? link_code(job->cache, job->variant->program, &job->variant->key, &job->options)
                          : qpucc_variant_with(job->from, &job->variant->key, &job->options);
        if (job->better)
            job->control_count = qpucc_program_controls(job->better, job->controls, QPUCC_TALLY_WORDS);
    }
    job->cpu = glue_processor_time() - start;
}

/* `from` has to stay until the job has ended. */
static struct glue_job *new_job(struct qpucc_glue *glue, struct glue_variant *variant,
                                const qpucc_program *from) {
    struct glue_job *job = CALLOC_STRUCT(glue_job);
    if (!job)
        return NULL;
    job->variant = variant;
    job->from = from;
    job->cache = glue->cache;
    job->options = glue_options();
    job->options.cancel = &job->cancel;
    util_queue_fence_init(&job->done);
    return variant->job = job;
}

static void start_job(struct qpucc_glue *glue, struct glue_job *job) {
    if (job)
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

static void begin_tally(struct glue_program *p, const struct glue_job *job) {
    if (p->tally || !job->control_count)
        return;
    p->tally = CALLOC_STRUCT(qpucc_tally);
    if (p->tally)
        qpucc_tally_init(p->tally, job->controls, MIN2(job->control_count, QPUCC_TALLY_WORDS));
}

/* Takes what the thread has made, if it is there. */
static bool take_result(struct qpucc_glue *glue, struct glue_variant *variant) {
    struct glue_code better;
    if (!variant->job || !util_queue_fence_is_signalled(&variant->job->done))
        return false;
    qpucc_program *program = variant->job->better;
    variant->job->better = NULL;
    variant->settled = true;
    begin_tally(variant->program, variant->job);
    end_job(glue, variant);
    if (!program || qpucc_program_status(program) != QPUCC_OK) {
        qpucc_program_free(program);
        return false;
    }
    if (!code_install(glue->vc4, &better, program)) {
        code_free(&better);
        return false;
    }
    code_free(&variant->code);
    variant->code = better;
    return true;
}

bool glue_take_better(struct qpucc_glue *glue, struct glue_variant *variant) {
    if (glue->level < 0 && ++variant->draws == (glue->wait ? 1 : GLUE_DRAWS_WORTH_MORE))
        start_job(glue, new_job(glue, variant, variant->code.program));
    if (variant->job && glue->wait && variant->draws > 1)
        util_queue_fence_wait(&variant->job->done);
    bool taken = take_result(glue, variant);
    glue->count.better += taken;
    return taken;
}

/* --- values of uniforms --------------------------------------------------------------------------------- */

static struct glue_variant *find_special(const struct glue_variant *v, int set, uint32_t age) {
    list_for_each_entry(struct glue_variant, s, &v->program->variants, next) {
        if (s->set == set && s->age == age && !memcmp(&s->key, &v->key, sizeof v->key))
            return s;
    }
    return NULL;
}

/* Nothing of the driver's may point to it any more. */
static void free_variant(struct qpucc_glue *glue, struct glue_variant *v) {
    struct vc4_program_stateobj *bound = &glue->vc4->prog;
    if (glue->active == v) {
        glue->active = NULL;
        bound->fs = bound->vs = bound->cs = NULL;
    }
    code_free(&v->code);
    list_del(&v->next);
    FREE(v);
}

/* The tally has given the set's place to other values. */
static void free_special(struct qpucc_glue *glue, struct glue_program *p, int set) {
    list_for_each_entry_safe(struct glue_variant, s, &p->variants, next) {
        if (s->set == set && !s->job)
            free_variant(glue, s);
    }
}

static void ask_for_special(struct qpucc_glue *glue, const struct glue_variant *v, int set) {
    struct glue_variant *s = CALLOC_STRUCT(glue_variant);
    struct glue_job *job = s ? new_job(glue, s, v->code.program) : NULL;
    if (!job) {
        FREE(s);
        return;
    }
    s->program = v->program;
    s->key = v->key;
    s->set = set;
    s->age = qpucc_tally_age(v->program->tally, set);
    list_addtail(&s->next, &v->program->variants);
    job->constant_count = (uint32_t)qpucc_tally_constants(v->program->tally, set, job->constants);
    start_job(glue, job);
}

/* Only from code that stays: a job needs its program until it has ended. */
struct glue_variant *glue_specialised(struct qpucc_glue *glue, struct glue_variant *v) {
    struct qpucc_tally *tally = v->program->tally;
    int set = tally && v->settled ? qpucc_tally_draw(tally, glue_storage(glue, v->program)) : -1;
    if (set < 0)
        return v;
    if (qpucc_tally_is_due(tally, set)) {
        free_special(glue, v->program, set);
        ask_for_special(glue, v, set);
    }
    struct glue_variant *s = find_special(v, set, qpucc_tally_age(tally, set));
    if (!s)
        return v;
    if (s->job && glue->wait)
        util_queue_fence_wait(&s->job->done);
    glue->count.special += take_result(glue, s);
    return s->code.program ? s : v;
}

/* --- programs ------------------------------------------------------------------------------------------- */

/* The library's numbers before there is a program: units and attributes in the order in which the modules
 * have them, the vertex shader's first. */
static void guess_numbers(struct glue_program *p) {
    const struct glue_shader *shaders[2] = {p->vertex, p->fragment};
    for (int i = 0; i < 2; i++) {
        const struct nir_spirv *facts = &shaders[i]->facts;
        for (uint8_t unit = 0; unit < 32; unit++) {
            uint8_t kind = facts->samples_mask >> unit & 1 ? GLUE_SAMPLES : GLUE_TEXTURE;
            if (facts->texture_mask >> unit & 1 && p->unit_count < QPUCC_MAX_TEXTURES)
                p->unit[p->unit_count++] = (struct glue_unit){i == 0, kind, unit};
        }
        for (uint8_t number = 0; number < 32; number++)
            if (facts->block_mask >> number & 1 && p->unit_count < QPUCC_MAX_TEXTURES)
                p->unit[p->unit_count++] = (struct glue_unit){i == 0, GLUE_BLOCK, number};
    }
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
        bool block = v->base == QPUCC_UNIFORM_BLOCK;
        bool vertex = number_in(v->name, block ? "vs_b" : "vs_t", &number);
        if ((vertex || number_in(v->name, block ? "fs_b" : "fs_t", &number)) &&
            v->word < QPUCC_MAX_TEXTURES) {
            struct glue_unit *u = &p->unit[v->word], was = *u;
            *u = (struct glue_unit){vertex,
                                    block                           ? GLUE_BLOCK
                                    : v->base == QPUCC_SAMPLER2D_MS ? GLUE_SAMPLES
                                                                    : GLUE_TEXTURE,
                                    (uint8_t)number};
            right = right && v->word < p->unit_count && !memcmp(u, &was, sizeof was);
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

/* Shaders that were not read before the link may be what is wrong. */
static void say_why_refused(const struct glue_program *p, const qpucc_program *program) {
    const struct glue_shader *shaders[2] = {p->vertex, p->fragment};
    const struct qpucc_diagnostic *d = NULL;
    for (size_t i = 0; program && !d && i < qpucc_program_diagnostic_count(program); i++)
        if (qpucc_program_diagnostic(program, i)->severity == QPUCC_ERROR)
            d = qpucc_program_diagnostic(program, i);
    glue_say("program", p->fragment->number, d ? d->text : "out of memory");
    for (int i = 0; i < 2; i++)
        if (qpucc_shader_status(shaders[i]->compiled) != QPUCC_OK)
            glue_say_why(shaders[i]);
}

static qpucc_program *compile_first(struct qpucc_glue *glue, struct glue_program *p,
                                    const struct qpucc_state *key) {
    struct qpucc_options options = glue_options();
    options.opt_level = glue->level < 0 ? 1 : glue->level;
    return link_code(glue->cache, p, key, &options);
}

/* A key's code is made from any other's: the interface is the same. On disk are those that were linked. */
static qpucc_program *compile(struct qpucc_glue *glue, struct glue_program *p, struct qpucc_state *key,
                              uint8_t mode) {
    if (!list_is_empty(&p->variants) && glue->cache)
        return compile_first(glue, p, key);
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
    bool ok = program && qpucc_program_status(program) == QPUCC_OK && !p->refused && !glue->refuse;
    if (ok)
        ok = code_install(glue->vc4, &v->code, program);
    else if (glue->refuse)
        glue_say("program", p->fragment->number, "refused by VC4_QPUCC_REFUSE");
    else
        say_why_refused(p, program);
    if (!ok) {
        p->refused = true;
        if (v && v->code.program)
            code_free(&v->code);
        else
            qpucc_program_free(program);
        FREE(v);
        return NULL;
    }
    glue->count.variants++;
    v->program = p;
    v->set = -1;
    v->key = *key;
    list_add(&v->next, &p->variants);
    return v;
}

struct glue_variant *glue_variant_for(struct qpucc_glue *glue, struct glue_program *p, uint8_t mode) {
    struct qpucc_state key;
    glue_key(glue->vc4, p, mode, &key);
    list_for_each_entry(struct glue_variant, v, &p->variants, next) {
        if (v->set < 0 && !memcmp(&v->key, &key, sizeof key)) {
            list_move_to(&v->next, &p->variants);
            return v;
        }
    }
    return new_variant(glue, p, &key, mode);
}

void glue_program_free(struct qpucc_glue *glue, struct glue_program *p) {
    list_for_each_entry(struct glue_variant, v, &p->variants, next) {
        if (v->job) {
            p_atomic_set(&v->job->cancel, 1);
            end_job(glue, v);
        }
    }
    list_for_each_entry_safe(struct glue_variant, v, &p->variants, next) free_variant(glue, v);
    list_del(&p->next);
    FREE(p->tally);
    FREE(p);
}

struct glue_program *glue_program_of(struct qpucc_glue *glue, struct glue_shader *vertex,
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
    return p;
}
