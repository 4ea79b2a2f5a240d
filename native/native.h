/* A bound function inside. */
#ifndef QPUCC_NATIVE_NATIVE_H
#define QPUCC_NATIVE_NATIVE_H

#include "native/signature.h"

#include <pthread.h>

/* Where a value lies in a run. */
enum native_where {
    NATIVE_NOWHERE, /* the code does without it */
    NATIVE_ROW,     /* vertex and coordinate shader: row of the VPM, read or written */
    NATIVE_VARYING, /* fragment shader: position in the FIFO */
    NATIVE_UNIFORM, /* word of the packed uniform storage */
    NATIVE_COLOR,   /* fragment shader: a channel of its colour, or with a scalar all of it */
};

enum { NATIVE_NO_WORD = UINT32_MAX };

/* A parameter or the result. Component k is word[k]; of a uniform, which may be an array, first + k. */
struct native_place {
    enum native_where in, out;
    uint32_t in_word[NATIVE_COMPONENTS], out_word[NATIVE_COMPONENTS];
    uint32_t first, count;      /* of a uniform; count: components of all elements */
    bool in_number, out_number; /* a whole number or a truth is the machine's float of that number */
};

struct native_provider {
    struct native_provider *next;
    struct native_signature signature;
    struct native_ffi ffi;
    qpucc_native_code *callback;
    enum qpucc_base_type base;
    uint32_t word, count; /* of the uniform: first word, words */
    void *arguments[QPUCC_NATIVE_PARAMETERS];
    uint64_t values[QPUCC_NATIVE_PARAMETERS][8]; /* what `arguments` point to: numbers, pointers, a mat4 */
    int output;                                  /* parameter that is the output; -1: the result is */
};

struct qpucc_native {
    const qpucc_program *program;
    qpucc_program *owned; /* the same, if it was compiled for this */
    enum qpucc_stage stage;
    struct native_signature signature;
    struct native_place result, places[QPUCC_NATIVE_PARAMETERS];
    struct native_ffi ffi;
    ffi_closure *closure;
    void *code; /* what a caller calls */
    struct qpusim_program *machine;
    struct qpucc_native_options options;
    uint32_t uniform_words, stream_words, rows, varyings;
    bool looks_up;            /* the code reads uniform storage in memory */
    uint32_t storage_address; /* in options.memory, or 0: each run has memory of its own */
    struct native_provider *providers, **last_provider;
    pthread_mutex_t storage; /* of the uniform storage in options.memory */
    pthread_mutex_t lock;    /* of what follows */
    bool failed;
    char failure[300];
};

__attribute__((format(printf, 3, 4))) bool native_fail(char *error, size_t size, const char *format, ...);

/* qpucc_native_bind with a signature that is parsed already. */
struct qpucc_native *native_bind(const qpucc_program *program, enum qpucc_stage stage,
                                 const struct native_signature *signature,
                                 const struct qpucc_native_options *options, char *error, size_t size);

/* Finds the places of a parsed signature's values among the program's inputs and outputs. */
bool native_place_all(struct qpucc_native *native, char *error, size_t size);

/* One component between C's memory, of the type's base, and a word of the machine. */
uint32_t native_load(const void *from, struct native_type type, unsigned component);
void native_store(void *to, struct native_type type, unsigned component, uint32_t word);

/* Calls the providers, which write to the uniform storage. */
bool native_provide_all(const struct qpucc_native *native, uint32_t *uniforms);

/* Runs the code. `arguments[i]` points to parameter i's value or values, `results` to the result's. */
void native_run(struct qpucc_native *native, void *results, void *const *arguments);

#endif
