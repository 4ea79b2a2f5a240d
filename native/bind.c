/* Binding: a stage of a program, and a C function pointer that runs it. */
#include "native/native.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool native_fail(char *error, size_t size, const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (size)
        vsnprintf(error, size, format, list);
    va_end(list);
    return false;
}

/* --- calls ---------------------------------------------------------------------------------------------- */

/* A value that C returns by itself: libffi wants whole numbers widened to a word of the host. */
static void return_value(struct native_type type, const void *value, void *out) {
    ffi_arg wide = 0;
    if (native_components(type) > 1 || type.base == NATIVE_FLOAT) {
        memcpy(out, value, native_component_size(type) * native_components(type));
        return;
    }
    uint32_t word = native_load(value, type, 0);
    wide = type.base == NATIVE_INT ? (ffi_arg)(ffi_sarg)(int32_t)word : (ffi_arg)word;
    memcpy(out, &wide, sizeof wide);
}

static void called(ffi_cif *cif, void *out, void **given, void *user) {
    struct qpucc_native *n = user;
    struct native_type type = n->signature.result.type;
    uint32_t value[NATIVE_COMPONENTS];
    void *arguments[QPUCC_NATIVE_PARAMETERS + 1] = {NULL}, *results = value;
    (void)cif;
    if (type.batch)
        memcpy(&results, *given++, sizeof results);
    for (unsigned i = 0; i < n->signature.count; i++) {
        struct native_type parameter = n->signature.parameters[i].type;
        if (parameter.pointers || parameter.batch)
            memcpy(&arguments[i], given[i], sizeof arguments[i]);
        else
            arguments[i] = given[i];
    }
    native_run(n, results, arguments);
    if (!type.batch && type.base != NATIVE_VOID)
        return_value(type, value, out);
}

static bool make_closure(struct qpucc_native *n, char *error, size_t size) {
    struct native_ffi *ffi = &n->ffi;
    unsigned count = 0;
    if (n->signature.result.type.batch)
        ffi->types[count++] = &ffi_type_pointer;
    for (unsigned i = 0; i < n->signature.count; i++)
        ffi->types[count++] = native_ffi_type(ffi, n->signature.parameters[i].type, i);
    ffi->result = n->signature.result.type.batch
                      ? &ffi_type_void
                      : native_ffi_type(ffi, n->signature.result.type, QPUCC_NATIVE_PARAMETERS);
    n->closure = ffi_closure_alloc(sizeof *n->closure, &n->code);
    return (n->closure &&
            ffi_prep_cif(&ffi->cif, FFI_DEFAULT_ABI, count, ffi->result, ffi->types) == FFI_OK &&
            ffi_prep_closure_loc(n->closure, &ffi->cif, called, n, n->code) == FFI_OK) ||
           native_fail(error, size, "libffi can't make such a function");
}

/* --- binding -------------------------------------------------------------------------------------------- */

static bool is_zero(const struct qpucc_draw_state *state) {
    static const struct qpucc_draw_state zero;
    return !memcmp(state, &zero, sizeof zero);
}

static bool make_machine(struct qpucc_native *n, char *error, size_t size) {
    static const enum qpusim_stage stages[] = {QPUSIM_FRAGMENT, QPUSIM_VERTEX, QPUSIM_COORDINATE};
    const struct qpucc_layout *layout = qpucc_program_layout(n->program);
    struct qpucc_slot slot;
    size_t count = 0;
    const uint64_t *code = qpucc_program_code(n->program, n->stage, &count);
    if (!code)
        return native_fail(error, size, "the program has no %s shader", qpucc_stage_name(n->stage));
    bool threaded = qpucc_program_stats(n->program, n->stage)->threads > 1;
    n->uniform_words = (uint32_t)(qpucc_program_uniform_bytes(n->program, QPUCC_UNIFORMS_PACKED) / 4);
    n->stream_words = (uint32_t)qpucc_uniforms_size(n->program, n->stage);
    n->rows = layout->attribute_bytes[n->stage] / 4u;
    n->varyings = layout->varying_count;
    for (size_t i = 0; qpucc_uniforms_slot(n->program, n->stage, i, &slot); i++)
        n->looks_up |= slot.kind == QPUCC_SLOT_UNIFORM_ADDRESS;
    if (n->looks_up && n->options.memory)
        n->storage_address = qpusim_memory_alloc(n->options.memory, 4 * (size_t)n->uniform_words, 16);
    if (n->looks_up && n->options.memory && !n->storage_address)
        return native_fail(error, size, "the memory has no room for %u words of uniforms", n->uniform_words);
    n->machine = qpusim_program_new(code, count, stages[n->stage], threaded);
    return n->machine || native_fail(error, size, "out of memory");
}

struct qpucc_native *native_bind(const qpucc_program *program, enum qpucc_stage stage,
                                 const struct native_signature *signature,
                                 const struct qpucc_native_options *options, char *error, size_t size) {
    struct qpucc_native *n = calloc(1, sizeof *n);
    if (!n) {
        native_fail(error, size, "out of memory");
        return NULL;
    }
    pthread_mutex_init(&n->lock, NULL);
    pthread_mutex_init(&n->storage, NULL);
    n->program = program;
    n->stage = stage;
    n->signature = *signature;
    n->last_provider = &n->providers;
    if (options)
        n->options = *options;
    if (is_zero(&n->options.state))
        qpucc_draw_state_viewport(&n->options.state, 640, 480, 0, 1, 480, false);
    if (!make_machine(n, error, size) || !native_place_all(n, error, size) || !make_closure(n, error, size)) {
        qpucc_native_free(n);
        return NULL;
    }
    return n;
}

struct qpucc_native *qpucc_native_bind(const qpucc_program *program, enum qpucc_stage stage,
                                       const char *signature, const struct qpucc_native_options *options,
                                       char *error, size_t error_size) {
    struct native_signature parsed;
    if (!program || (unsigned)stage >= QPUCC_STAGE_COUNT) {
        native_fail(error, error_size, "there is no such stage");
        return NULL;
    }
    if (!native_parse(signature, false, &parsed, error, error_size))
        return NULL;
    return native_bind(program, stage, &parsed, options, error, error_size);
}

void qpucc_native_free(struct qpucc_native *n) {
    if (!n)
        return;
    while (n->providers) {
        struct native_provider *next = n->providers->next;
        free(n->providers);
        n->providers = next;
    }
    if (n->closure)
        ffi_closure_free(n->closure);
    qpusim_program_free(n->machine);
    qpucc_program_free(n->owned);
    pthread_mutex_destroy(&n->lock);
    pthread_mutex_destroy(&n->storage);
    free(n);
}

qpucc_native_code *qpucc_native_function(const struct qpucc_native *native) {
    qpucc_native_code
        *function; /* ISO C converts no object pointer to a function's; POSIX says that this works */
    memcpy(&function, &native->code, sizeof function);
    return function;
}

const qpucc_program *qpucc_native_program(const struct qpucc_native *native) {
    return native->program;
}

bool qpucc_native_failed(struct qpucc_native *native, char *error, size_t error_size) {
    pthread_mutex_lock(&native->lock);
    bool failed = native->failed;
    native_fail(error, error_size, "%s", native->failure);
    pthread_mutex_unlock(&native->lock);
    return failed;
}
