/* Callbacks of any C signature that give uniforms their values. */
#include "native/native.h"

#include <stdlib.h>
#include <string.h>

static bool is_number(struct native_type type) {
    return !type.pointers && native_components(type) == 1;
}

static enum native_base uniform_base(enum qpucc_base_type base) {
    return base == QPUCC_FLOAT  ? NATIVE_FLOAT
           : base == QPUCC_INT  ? NATIVE_INT
           : base == QPUCC_UINT ? NATIVE_UINT
                                : NATIVE_BOOL;
}

/* --- what a callback gives ------------------------------------------------------------------------------ */

/* A number as C returned it, a whole one in `whole`: libffi widens these to a word of the host. */
static double number_of(struct native_type type, const void *value, int64_t *whole, bool *is_whole) {
    ffi_arg wide;
    float single;
    double number = 0;
    *is_whole = type.base != NATIVE_FLOAT && type.base != NATIVE_DOUBLE;
    if (type.base == NATIVE_FLOAT) {
        memcpy(&single, value, sizeof single);
        return single;
    }
    if (type.base == NATIVE_DOUBLE) {
        memcpy(&number, value, sizeof number);
        return number;
    }
    memcpy(&wide, value, sizeof wide);
    switch ((enum native_base)type.base) {
    case NATIVE_BOOL: *whole = (uint8_t)wide != 0; break;
    case NATIVE_I8: *whole = (int8_t)wide; break;
    case NATIVE_U8: *whole = (uint8_t)wide; break;
    case NATIVE_I16: *whole = (int16_t)wide; break;
    case NATIVE_U16: *whole = (uint16_t)wide; break;
    case NATIVE_INT: *whole = (int32_t)wide; break;
    case NATIVE_UINT: *whole = (uint32_t)wide; break;
    default: memcpy(whole, value, sizeof *whole); break;
    }
    return 0;
}

/* As C converts; a float that does not fit a whole number, where C says nothing, is 0. */
static uint32_t convert(enum qpucc_base_type base, struct native_type type, const void *value) {
    int64_t whole = 0;
    bool is_whole;
    double number = number_of(type, value, &whole, &is_whole);
    float single = !is_whole                 ? (float)number
                   : type.base == NATIVE_U64 ? (float)(uint64_t)whole
                                             : (float)whole;
    uint32_t word;
    switch (base) {
    case QPUCC_FLOAT: memcpy(&word, &single, 4); return word;
    case QPUCC_BOOL: return is_whole ? whole != 0 : number != 0;
    case QPUCC_INT:
        return is_whole                                          ? (uint32_t)whole
               : number > -2147483649.0 && number < 2147483648.0 ? (uint32_t)(int32_t)number
                                                                 : 0;
    default:
        return is_whole ? (uint32_t)whole : number > -1.0 && number < 4294967296.0 ? (uint32_t)number : 0;
    }
}

static void call(const struct native_provider *p, uint32_t *uniforms, unsigned char *buffer) {
    union {
        ffi_arg wide;
        uint64_t words[8];
        const void *pointer;
        float components[NATIVE_COMPONENTS];
    } result = {.words = {0}};
    void *arguments[QPUCC_NATIVE_PARAMETERS], *output = buffer;
    struct native_type components = {.base = (uint8_t)uniform_base(p->base), .rows = 1, .cols = 1},
                       type = p->signature.result.type;
    memcpy(arguments, p->arguments, sizeof arguments);
    if (p->output >= 0)
        arguments[p->output] = &output;
    /* libffi takes the arguments and their array as not const, and leaves them alone */
    ffi_call((ffi_cif *)&p->ffi.cif, p->callback, &result, arguments);
    const void *from = p->output >= 0 ? buffer : type.pointers ? result.pointer : (const void *)&result;
    if (p->output < 0 && is_number(type)) {
        uniforms[p->word] = convert(p->base, type, &result);
        return;
    }
    for (uint32_t k = 0; k < p->count; k++)
        uniforms[p->word + k] = from ? native_load(from, components, k) : 0;
}

bool native_provide_all(const struct qpucc_native *native, uint32_t *uniforms) {
    for (const struct native_provider *p = native->providers; p; p = p->next) {
        unsigned char *buffer = p->output >= 0 ? calloc(p->count, 4) : NULL;
        if (p->output >= 0 && !buffer)
            return false;
        call(p, uniforms, buffer);
        free(buffer);
    }
    return true;
}

/* --- binding -------------------------------------------------------------------------------------------- */

static const struct qpucc_variable *uniform_called(const struct qpucc_native *n, const char *name) {
    for (size_t i = 0; i < qpucc_program_variable_count(n->program, QPUCC_UNIFORMS); i++) {
        const struct qpucc_variable *v = qpucc_program_variable(n->program, QPUCC_UNIFORMS, i);
        if (!strcmp(v->name, name))
            return v;
    }
    return NULL;
}

static bool is_bound(const struct qpucc_native *n, uint32_t word) {
    for (unsigned i = 0; i < n->signature.count; i++)
        if (n->places[i].in == NATIVE_UNIFORM && n->places[i].first == word)
            return true;
    for (const struct native_provider *p = n->providers; p; p = p->next)
        if (p->word == word)
            return true;
    return false;
}

static bool fits(const struct native_provider *p, const struct qpucc_variable *v, char *error, size_t size) {
    struct native_type type = p->signature.result.type, real = {.base = (uint8_t)uniform_base(v->base),
                                                                .rows = (uint8_t)v->rows,
                                                                .cols = (uint8_t)v->cols};
    if (p->output >= 0)
        type = p->signature.parameters[p->output].type;
    bool by_value = !type.pointers;
    if (by_value && v->array_length > 1)
        return native_fail(error, size, "'%s' is an array: a pointer is needed", v->name);
    if (by_value && native_components(type) == 1 && native_components(real) == 1)
        return true; /* numbers are converted */
    bool components = !by_value && type.base == real.base && native_components(type) == 1,
         whole = type.base == real.base && type.rows == real.rows && type.cols == real.cols;
    if (components || whole)
        return true;
    return native_fail(error, size, "'%s' is %s in the shader", v->name, native_glsl_name(real));
}

/* Prepares the call and keeps copies of the arguments. */
static bool prepare(struct native_provider *p, const void *const *arguments, char *error, size_t size) {
    struct native_ffi *ffi = &p->ffi;
    for (unsigned i = 0; i < p->signature.count; i++) {
        struct native_type type = p->signature.parameters[i].type;
        ffi->types[i] = native_ffi_type(ffi, type, i);
        p->arguments[i] = p->values[i];
        if ((int)i == p->output)
            continue;
        if (!arguments || !arguments[i])
            return native_fail(error, size, "parameter %u has no argument", i + 1);
        memcpy(p->values[i], arguments[i],
               type.pointers ? sizeof(void *) : native_component_size(type) * native_components(type));
    }
    ffi->result = native_ffi_type(ffi, p->signature.result.type, QPUCC_NATIVE_PARAMETERS);
    return ffi_prep_cif(&ffi->cif, FFI_DEFAULT_ABI, p->signature.count, ffi->result, ffi->types) == FFI_OK ||
           native_fail(error, size, "libffi can't call such a function");
}

bool qpucc_native_provide(struct qpucc_native *native, const char *uniform, const char *signature,
                          qpucc_native_code *callback, const void *const *arguments, char *error,
                          size_t error_size) {
    struct native_provider *p = calloc(1, sizeof *p);
    const struct qpucc_variable *v = uniform_called(native, uniform);
    bool ok = p || native_fail(error, error_size, "out of memory");
    if (ok && !v)
        ok = native_fail(error, error_size, "the shader has no uniform '%s'", uniform);
    if (ok && !callback)
        ok = native_fail(error, error_size, "there is no callback");
    if (ok && is_bound(native, v->word))
        ok = native_fail(error, error_size, "'%s' has its value from elsewhere already", uniform);
    ok = ok && native_parse(signature, true, &p->signature, error, error_size);
    if (ok) {
        p->callback = callback;
        p->base = v->base;
        p->word = v->word;
        p->count = v->rows * v->cols * v->array_length;
        p->output = -1;
        for (unsigned i = 0; i < p->signature.count; i++)
            if (p->signature.parameters[i].direction == NATIVE_OUT)
                p->output = (int)i;
        ok = fits(p, v, error, error_size) && prepare(p, arguments, error, error_size);
    }
    if (!ok) {
        free(p);
        return false;
    }
    *native->last_provider = p;
    native->last_provider = &p->next;
    return true;
}
