/* A call: arguments into the machine's rows, varyings and uniforms, one run, and back. */
#include "native/native.h"

#include <stdlib.h>
#include <string.h>

/* Everything that a run needs; too large for the stacks of some callers' threads. */
struct run {
    struct qpusim_vertices vertices;
    struct qpusim_fragments fragments;
    struct qpusim_result result;
    uint32_t words[]; /* uniforms, then the stream */
};

uint32_t native_load(const void *from, struct native_type type, unsigned component) {
    uint32_t word;
    if (type.base == NATIVE_BOOL)
        return ((const unsigned char *)from)[component] != 0;
    memcpy(&word, (const char *)from + 4 * (size_t)component, 4);
    return word;
}

void native_store(void *to, struct native_type type, unsigned component, uint32_t word) {
    if (type.base == NATIVE_BOOL)
        ((unsigned char *)to)[component] = word != 0;
    else
        memcpy((char *)to + 4 * (size_t)component, &word, 4);
}

/* A varying that is no float travels as one: exact up to 2^24. */
static uint32_t number_from(uint32_t word, struct native_type type) {
    float number = type.base == NATIVE_INT ? (float)(int32_t)word : (float)word;
    memcpy(&word, &number, 4);
    return word;
}

static uint32_t number_to(uint32_t word, struct native_type type) {
    float number;
    memcpy(&number, &word, 4);
    if (type.base == NATIVE_BOOL)
        return number != 0;
    return number > -2147483904.0f && number < 4294967296.0f ? (uint32_t)(int64_t)number : 0;
}

/* --- in ------------------------------------------------------------------------------------------------- */

/* A call for one lane fills all sixteen with the same: no lane has numbers that nobody gave, and branches go
 * one way. */
static void take_argument(const struct qpucc_native *n, unsigned i, const void *argument, struct run *run) {
    const struct native_place *place = &n->places[i];
    struct native_type type = n->signature.parameters[i].type;
    unsigned components = native_components(type);
    for (uint32_t k = 0; place->in == NATIVE_UNIFORM && k < place->count; k++)
        run->words[place->first + k] = native_load(argument, type, k);
    for (unsigned k = 0; place->in != NATIVE_UNIFORM && k < components; k++)
        for (unsigned l = 0; l < NATIVE_BATCH && place->in_word[k] != NATIVE_NO_WORD; l++) {
            uint32_t word = native_load(argument, type, (type.batch ? l * components : 0) + k);
            if (place->in_number)
                word = number_from(word, type);
            if (place->in == NATIVE_ROW)
                run->vertices.rows[place->in_word[k]][l] = word;
            else
                memcpy(&run->fragments.vary[place->in_word[k]][l], &word, 4);
        }
}

static void prepare(const struct qpucc_native *n, void *const *arguments, struct run *run) {
    const uint32_t *initial = qpucc_program_uniform_initial(n->program);
    if (initial)
        memcpy(run->words, initial, 4 * (size_t)n->uniform_words);
    run->vertices.count = NATIVE_BATCH;
    run->vertices.row_count = n->rows;
    run->fragments.live = 0xffff;
    run->fragments.coverage = n->signature.batch ? 0xffff : 1;
    run->fragments.varying_count = n->varyings;
    for (unsigned l = 0; l < NATIVE_BATCH; l++) {
        run->fragments.x[l] = (int32_t)(l / 4 * 2 + l % 2);
        run->fragments.y[l] = (int32_t)(l / 2 % 2);
        run->fragments.w[l] = 1;
    }
    for (unsigned i = 0; i < n->signature.count; i++)
        if (n->signature.parameters[i].direction & NATIVE_IN)
            take_argument(n, i, arguments[i], run);
}

/* --- out ------------------------------------------------------------------------------------------------ */

static uint32_t color_word(const struct run *run, struct native_type type, unsigned component,
                           unsigned lane) {
    uint32_t word = run->result.color[lane];
    if (type.base == NATIVE_UINT)
        return word;
    float value = (float)(word >> 8 * component & 255) / 255;
    memcpy(&word, &value, 4);
    return word;
}

static void give_value(const struct qpucc_native *n, const struct native_parameter *p,
                       const struct native_place *place, const struct run *run, void *to) {
    unsigned components = native_components(p->type), lanes = n->signature.batch ? NATIVE_BATCH : 1;
    for (unsigned l = 0; l < lanes; l++)
        for (unsigned k = 0; k < components; k++) {
            uint32_t word = 0;
            if (run && place->out == NATIVE_COLOR)
                word = color_word(run, p->type, k, l);
            else if (run && place->out_word[k] != NATIVE_NO_WORD)
                word = run->result.rows[place->out_word[k]][l];
            if (place->out_number)
                word = number_to(word, p->type);
            native_store(to, p->type, l * components + k, word);
        }
}

static void give_all(const struct qpucc_native *n, const struct run *run, void *results,
                     void *const *arguments) {
    if (n->signature.result.type.base != NATIVE_VOID)
        give_value(n, &n->signature.result, &n->result, run, results);
    for (unsigned i = 0; i < n->signature.count; i++)
        if (n->signature.parameters[i].direction & NATIVE_OUT)
            give_value(n, &n->signature.parameters[i], &n->places[i], run, arguments[i]);
}

/* --- the run -------------------------------------------------------------------------------------------- */

static bool set_failure(struct qpucc_native *n, const char *rule, const char *text) {
    pthread_mutex_lock(&n->lock);
    if (!n->failed)
        native_fail(n->failure, sizeof n->failure, "%s%s%s", rule ? rule : "", rule ? ": " : "", text);
    n->failed = true;
    pthread_mutex_unlock(&n->lock);
    return false;
}

static bool run_machine(struct qpucc_native *n, struct run *run, struct qpusim_memory *memory,
                        uint32_t address) {
    uint32_t *stream = run->words + n->uniform_words;
    struct qpusim_error error = {.status = QPUSIM_OK};
    if (address)
        memcpy(qpusim_memory_map(memory, address, 4 * (size_t)n->uniform_words), run->words,
               4 * (size_t)n->uniform_words);
    struct qpucc_draw_values values = {
        .uniforms = run->words,
        .textures = n->options.textures,
        .state = n->options.state,
        .stream_address = {QPUSIM_STREAM_ADDRESS, QPUSIM_STREAM_ADDRESS, QPUSIM_STREAM_ADDRESS},
        .uniform_address = address};
    if (!qpucc_uniforms_fill(n->program, n->stage, &values, stream))
        return set_failure(n, NULL, "the shader samples textures, and there are none");
    struct qpusim_run_info job = {.program = n->machine,
                                  .memory = memory,
                                  .uniforms = {.words = stream, .count = n->stream_words},
                                  .fragments = &run->fragments,
                                  .vertices = &run->vertices};
    if (qpusim_run(&job, n->options.machine, &run->result, &error) != QPUSIM_OK)
        return set_failure(n, error.rule, error.text);
    return true;
}

/* Uniform storage that the code reads from memory: one in the user's memory, for one run at a time, or else
 * one of the run's own. */
static bool run_with_storage(struct qpucc_native *n, struct run *run) {
    bool ok;
    if (!n->looks_up)
        return run_machine(n, run, n->options.memory, 0);
    if (n->options.memory) {
        pthread_mutex_lock(&n->storage);
        ok = run_machine(n, run, n->options.memory, n->storage_address);
        pthread_mutex_unlock(&n->storage);
        return ok;
    }
    size_t bytes = 4 * (size_t)n->uniform_words;
    struct qpusim_memory *own = qpusim_memory_new(bytes + 4096);
    uint32_t address = own ? qpusim_memory_alloc(own, bytes, 16) : 0;
    ok = address ? run_machine(n, run, own, address) : set_failure(n, NULL, "out of memory");
    qpusim_memory_free(own);
    return ok;
}

void native_run(struct qpucc_native *n, void *results, void *const *arguments) {
    struct run *run = calloc(1, sizeof *run + 4 * ((size_t)n->uniform_words + n->stream_words + 1));
    bool ok = run != NULL;
    if (!ok)
        set_failure(n, NULL, "out of memory");
    if (ok) {
        prepare(n, arguments, run);
        ok = native_provide_all(n, run->words) || set_failure(n, NULL, "a callback could not be called");
    }
    ok = ok && run_with_storage(n, run);
    give_all(n, ok ? run : NULL, results, arguments);
    free(run);
}
