/* Reads signatures. Strict: what the grammar of qpucc/native.h does not have is an error that names the
 * column and the reason. */
#include "native/signature.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *text, *at;
    char *error;
    size_t size;
    bool failed;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct reader *r, const char *format, ...) {
    if (r->failed)
        return false;
    r->failed = true;
    int used = snprintf(r->error, r->size, "column %zu: ", (size_t)(r->at - r->text) + 1);
    if (used < 0 || (size_t)used >= r->size)
        return false;
    va_list list;
    va_start(list, format);
    vsnprintf(r->error + used, r->size - (size_t)used, format, list);
    va_end(list);
    return false;
}

/* --- words ---------------------------------------------------------------------------------------------- */

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static void skip_spaces(struct reader *r) {
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')
        r->at++;
}

/* Length of the identifier that is next, 0: none. */
static size_t next_word(struct reader *r) {
    size_t length = 0;
    skip_spaces(r);
    while (is_letter(r->at[length]) || (length && is_digit(r->at[length])))
        length++;
    return length;
}

static bool take_word(struct reader *r, const char *word) {
    size_t length = next_word(r);
    if (length != strlen(word) || strncmp(r->at, word, length))
        return false;
    r->at += length;
    return true;
}

static bool take(struct reader *r, char c) {
    skip_spaces(r);
    if (*r->at != c)
        return false;
    r->at++;
    return true;
}

/* --- types ---------------------------------------------------------------------------------------------- */

static const struct named {
    const char *name;
    uint8_t base, rows, cols;
    bool callback; /* not of shaders */
} names[] = {
    {"float", NATIVE_FLOAT, 1, 1, false},
    {"int", NATIVE_INT, 1, 1, false},
    {"uint", NATIVE_UINT, 1, 1, false},
    {"bool", NATIVE_BOOL, 1, 1, false},
    {"vec2", NATIVE_FLOAT, 2, 1, false},
    {"vec3", NATIVE_FLOAT, 3, 1, false},
    {"vec4", NATIVE_FLOAT, 4, 1, false},
    {"ivec2", NATIVE_INT, 2, 1, false},
    {"ivec3", NATIVE_INT, 3, 1, false},
    {"ivec4", NATIVE_INT, 4, 1, false},
    {"uvec2", NATIVE_UINT, 2, 1, false},
    {"uvec3", NATIVE_UINT, 3, 1, false},
    {"uvec4", NATIVE_UINT, 4, 1, false},
    {"bvec2", NATIVE_BOOL, 2, 1, false},
    {"bvec3", NATIVE_BOOL, 3, 1, false},
    {"bvec4", NATIVE_BOOL, 4, 1, false},
    {"mat2", NATIVE_FLOAT, 2, 2, false},
    {"mat3", NATIVE_FLOAT, 3, 3, false},
    {"mat4", NATIVE_FLOAT, 4, 4, false},
    {"mat2x2", NATIVE_FLOAT, 2, 2, false},
    {"mat2x3", NATIVE_FLOAT, 3, 2, false},
    {"mat2x4", NATIVE_FLOAT, 4, 2, false},
    {"mat3x2", NATIVE_FLOAT, 2, 3, false},
    {"mat3x3", NATIVE_FLOAT, 3, 3, false},
    {"mat3x4", NATIVE_FLOAT, 4, 3, false},
    {"mat4x2", NATIVE_FLOAT, 2, 4, false},
    {"mat4x3", NATIVE_FLOAT, 3, 4, false},
    {"mat4x4", NATIVE_FLOAT, 4, 4, false},
    {"void", NATIVE_VOID, 1, 1, false},
    {"double", NATIVE_DOUBLE, 1, 1, true},
    {"int8_t", NATIVE_I8, 1, 1, true},
    {"uint8_t", NATIVE_U8, 1, 1, true},
    {"int16_t", NATIVE_I16, 1, 1, true},
    {"uint16_t", NATIVE_U16, 1, 1, true},
    {"int32_t", NATIVE_INT, 1, 1, true},
    {"uint32_t", NATIVE_UINT, 1, 1, true},
    {"int64_t", NATIVE_I64, 1, 1, true},
    {"uint64_t", NATIVE_U64, 1, 1, true},
    {"size_t", sizeof(size_t) == 8 ? NATIVE_U64 : NATIVE_UINT, 1, 1, true},
};

/* C's numbers of several words: [signed|unsigned] [char|short|long|long long] [int]. True if it is one. */
static bool take_c_number(struct reader *r, struct native_type *type) {
    const char *start = r->at;
    bool is_unsigned = take_word(r, "unsigned"), is_signed = !is_unsigned && take_word(r, "signed");
    bool small = take_word(r, "char"), medium = !small && take_word(r, "short");
    unsigned longs = 0;
    while (!small && !medium && longs < 2 && take_word(r, "long"))
        longs++;
    if (!is_unsigned && !is_signed && !small && !medium && !longs) {
        r->at = start;
        return false;
    }
    if (!small)
        take_word(r, "int");
    bool wide = longs == 2 || (longs == 1 && sizeof(long) == 8);
    if (small)
        is_unsigned |= !is_signed && (char)-1 > 0;
    type->base = (uint8_t)(small    ? (is_unsigned ? NATIVE_U8 : NATIVE_I8)
                           : medium ? (is_unsigned ? NATIVE_U16 : NATIVE_I16)
                           : wide   ? (is_unsigned ? NATIVE_U64 : NATIVE_I64)
                                    : (is_unsigned ? NATIVE_UINT : NATIVE_INT));
    type->rows = type->cols = 1;
    return true;
}

static bool read_base(struct reader *r, bool callback, struct native_type *type) {
    size_t length = next_word(r);
    if (length == 0)
        return fail(r, *r->at ? "a type is expected here" : "the signature ends where a type is expected");
    if (callback && take_c_number(r, type))
        return true;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct named *n = &names[i];
        if (strlen(n->name) != length || strncmp(n->name, r->at, length) || (n->callback && !callback))
            continue;
        *type = (struct native_type){.base = n->base, .rows = n->rows, .cols = n->cols};
        r->at += length;
        return true;
    }
    return fail(r, "there is no type '%.*s' here", (int)(length < 40 ? length : 40), r->at);
}

static bool read_type(struct reader *r, bool callback, struct native_type *type) {
    *type = (struct native_type){.base = NATIVE_VOID};
    if (!read_base(r, callback, type))
        return false;
    while (callback && take_word(r, "const")) /* "char const*" */
        ;
    for (skip_spaces(r); *r->at == '*'; skip_spaces(r)) {
        if (type->pointers == (callback ? 4 : 1))
            return fail(r, callback ? "at most four stars"
                                    : "a pointer to a pointer is no parameter of a shader");
        type->pointers++;
        r->at++;
        while (callback && take_word(r, "const"))
            ;
    }
    if (*r->at == '[') {
        char *end;
        if (callback)
            return fail(r, "a callback takes no batches");
        if (type->base == NATIVE_VOID)
            return fail(r, "there is no batch of void");
        if (type->pointers)
            return fail(r, "a batch is a pointer already");
        r->at++;
        skip_spaces(r);
        long length = is_digit(*r->at) ? strtol(r->at, &end, 10) : 0;
        if (length != NATIVE_BATCH)
            return fail(r, "a batch has [16] values");
        r->at = end;
        if (!take(r, ']'))
            return fail(r, "']' is expected here");
        type->batch = true;
    }
    return true;
}

/* --- signatures ----------------------------------------------------------------------------------------- */

static bool read_name(struct reader *r, char name[NATIVE_NAME]) {
    size_t length = next_word(r);
    if (length >= NATIVE_NAME)
        return fail(r, "the name is longer than %d characters", NATIVE_NAME - 1);
    memcpy(name, r->at, length);
    name[length] = 0;
    r->at += length;
    /* members and elements, as reflection names them: "u_light[1].position" */
    while (length && (*r->at == '.' || *r->at == '[')) {
        size_t more = strcspn(r->at, " \t\r\n,()*");
        if (length + more >= NATIVE_NAME)
            return fail(r, "the name is longer than %d characters", NATIVE_NAME - 1);
        memcpy(name + length, r->at, more);
        name[length += more] = 0;
        r->at += more;
    }
    return true;
}

static bool read_parameter(struct reader *r, bool callback, struct native_parameter *p) {
    *p = (struct native_parameter){.direction = NATIVE_IN};
    skip_spaces(r);
    p->column = (unsigned)(r->at - r->text) + 1;
    for (bool more = true; more;) {
        more = false;
        if (take_word(r, "const"))
            more = true;
        else if (take_word(r, "out"))
            p->direction = NATIVE_OUT;
        else if (!callback && take_word(r, "inout"))
            p->direction = NATIVE_INOUT;
        else if (!callback && take_word(r, "in"))
            p->direction = NATIVE_IN;
        else if (!callback && take_word(r, "uniform"))
            p->uniform = true;
    }
    skip_spaces(r);
    const char *start = r->at;
    if (!read_type(r, callback, &p->type))
        return false;
    if (p->type.base == NATIVE_VOID && !(callback && p->type.pointers)) {
        r->at = start;
        return fail(r, "void is no parameter's type");
    }
    if (p->direction & NATIVE_OUT && (callback ? p->type.pointers != 1 || p->type.base == NATIVE_VOID
                                               : !p->type.pointers && !p->type.batch)) {
        r->at = start;
        return fail(r, callback ? "an output is a pointer to numbers" : "an output is a pointer or a batch");
    }
    if (p->uniform && p->type.batch) {
        r->at = start;
        return fail(r, "a uniform has one value for the whole batch");
    }
    return read_name(r, p->name);
}

/* What no single parameter can tell. */
static bool agree(struct reader *r, bool callback, struct native_signature *s) {
    unsigned outputs = 0;
    for (unsigned i = 0; i < s->count; i++) {
        const struct native_parameter *p = &s->parameters[i];
        s->batch |= p->type.batch;
        outputs += p->direction & NATIVE_OUT ? 1 : 0;
        for (unsigned k = 0; k < i && *p->name; k++)
            if (!strcmp(p->name, s->parameters[k].name)) {
                r->at = r->text + p->column - 1;
                return fail(r, "'%s' is the name of two parameters", p->name);
            }
    }
    s->batch |= s->result.type.batch;
    bool is_void = s->result.type.base == NATIVE_VOID && !s->result.type.pointers;
    r->at = r->text;
    if (callback) {
        if (is_void ? outputs != 1 : outputs != 0)
            return fail(r, "a callback has a result, or one output and no result");
        if (s->result.type.pointers > 1 || (s->result.type.pointers && s->result.type.base == NATIVE_VOID))
            return fail(r, "a result that is a pointer points to numbers");
        return true;
    }
    if (is_void && !outputs)
        return fail(r, "nothing comes back: no result and no output");
    if (s->result.type.pointers)
        return fail(r, "a result is a value or a batch, not a pointer");
    for (unsigned i = 0; i < s->count && s->batch; i++)
        if (s->parameters[i].direction & NATIVE_OUT && !s->parameters[i].type.batch) {
            r->at = r->text + s->parameters[i].column - 1;
            return fail(r, "the outputs of a batch are batches");
        }
    if (s->batch && !is_void && !s->result.type.batch)
        return fail(r, "the result of a batch is a batch");
    if (s->batch && s->count == QPUCC_NATIVE_PARAMETERS && !is_void)
        return fail(r, "more than %d parameters, with the pointer to the results", QPUCC_NATIVE_PARAMETERS);
    return true;
}

bool native_parse(const char *text, bool callback, struct native_signature *out, char *error, size_t size) {
    struct reader r = {.text = text ? text : "", .error = error, .size = size};
    r.at = r.text;
    *out = (struct native_signature){.result = {.direction = NATIVE_OUT, .column = 1}};
    if (size)
        *error = 0;
    take_word(&r, "const");
    if (!read_type(&r, callback, &out->result.type) || !read_name(&r, out->result.name))
        return false;
    if (!take(&r, '('))
        return fail(&r, "'(' is expected here");
    if (!take(&r, ')')) {
        const char *start = r.at;
        bool nothing = take_word(&r, "void") && take(&r, ')'); /* as C writes an empty list */
        if (!nothing)
            r.at = start;
        for (bool more = !nothing; more;) {
            if (out->count == QPUCC_NATIVE_PARAMETERS)
                return fail(&r, "more than %d parameters", QPUCC_NATIVE_PARAMETERS);
            if (!read_parameter(&r, callback, &out->parameters[out->count++]))
                return false;
            more = take(&r, ',');
            if (!more && !take(&r, ')'))
                return fail(&r, "',' or ')' is expected here");
        }
    }
    skip_spaces(&r);
    if (*r.at)
        return fail(&r, "nothing is expected after the signature");
    return agree(&r, callback, out);
}

/* --- facts about types ---------------------------------------------------------------------------------- */

const char *native_glsl_name(struct native_type type) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].base == type.base && names[i].rows == type.rows && names[i].cols == type.cols &&
            !names[i].callback)
            return names[i].name;
    return "void";
}

unsigned native_components(struct native_type type) {
    return (unsigned)type.rows * type.cols;
}

static ffi_type *component_type(struct native_type type) {
    switch ((enum native_base)type.base) {
    case NATIVE_VOID: return &ffi_type_void;
    case NATIVE_FLOAT: return &ffi_type_float;
    case NATIVE_INT: return &ffi_type_sint32;
    case NATIVE_UINT: return &ffi_type_uint32;
    case NATIVE_BOOL: return &ffi_type_uint8;
    case NATIVE_DOUBLE: return &ffi_type_double;
    case NATIVE_I8: return &ffi_type_sint8;
    case NATIVE_U8: return &ffi_type_uint8;
    case NATIVE_I16: return &ffi_type_sint16;
    case NATIVE_U16: return &ffi_type_uint16;
    case NATIVE_I64: return &ffi_type_sint64;
    case NATIVE_U64: return &ffi_type_uint64;
    }
    return &ffi_type_void;
}

size_t native_component_size(struct native_type type) {
    return component_type(type)->size;
}

ffi_type *native_ffi_type(struct native_ffi *ffi, struct native_type type, unsigned slot) {
    unsigned count = native_components(type);
    if (type.pointers || type.batch)
        return &ffi_type_pointer;
    if (count == 1)
        return component_type(type);
    for (unsigned i = 0; i < count; i++)
        ffi->elements[slot][i] = component_type(type);
    ffi->elements[slot][count] = NULL;
    ffi->structures[slot] = (ffi_type){.type = FFI_TYPE_STRUCT, .elements = ffi->elements[slot]};
    return &ffi->structures[slot];
}
