/* Signatures as text. */
#ifndef QPUCC_NATIVE_SIGNATURE_H
#define QPUCC_NATIVE_SIGNATURE_H

#include <ffi.h>
#include <qpucc/native.h>

enum { NATIVE_NAME = 64, NATIVE_BATCH = 16, NATIVE_COMPONENTS = 16 };

enum native_base {
    NATIVE_VOID,
    NATIVE_FLOAT,
    NATIVE_INT,
    NATIVE_UINT,
    NATIVE_BOOL,
    /* of callbacks only */
    NATIVE_DOUBLE,
    NATIVE_I8,
    NATIVE_U8,
    NATIVE_I16,
    NATIVE_U16,
    NATIVE_I64,
    NATIVE_U64,
};

struct native_type {
    uint8_t base;       /* enum native_base */
    uint8_t rows, cols; /* 1 and 1 of a scalar */
    uint8_t pointers;   /* number of stars */
    bool batch;
};

enum native_direction { NATIVE_IN = 1, NATIVE_OUT = 2, NATIVE_INOUT = 3 };

struct native_parameter {
    struct native_type type;
    uint8_t direction; /* enum native_direction */
    bool uniform;
    unsigned column;        /* in the text, 1-based */
    char name[NATIVE_NAME]; /* "": none */
    /* of the input and the output that are meant, where the text is not what says so; "": the name */
    char input[NATIVE_NAME], output[NATIVE_NAME];
};

struct native_signature {
    struct native_parameter result; /* direction NATIVE_OUT; its name is the function's */
    struct native_parameter parameters[QPUCC_NATIVE_PARAMETERS];
    unsigned count;
    bool batch;
};

/* Of a shader function or, with `callback`, of a C function. False with "column N: reason" in `error`. */
bool native_parse(const char *text, bool callback, struct native_signature *out, char *error, size_t size);

/* "uvec3", as GLSL writes it; static storage. */
const char *native_glsl_name(struct native_type type);

/* Bytes of one component, and components of one value. */
size_t native_component_size(struct native_type type);
unsigned native_components(struct native_type type);

/* libffi's types: those of structures by value need room. */
struct native_ffi {
    ffi_cif cif;
    ffi_type *types[QPUCC_NATIVE_PARAMETERS + 1], *result;
    ffi_type structures[QPUCC_NATIVE_PARAMETERS + 1];
    ffi_type *elements[QPUCC_NATIVE_PARAMETERS + 1][NATIVE_COMPONENTS + 1];
};

/* How C passes a value of the type: a pointer or batch as a pointer. `slot` is whose room a structure takes.
 */
ffi_type *native_ffi_type(struct native_ffi *ffi, struct native_type type, unsigned slot);

#endif
