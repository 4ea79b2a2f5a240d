/* Machine code of other compilers, as corpus/foreign-code.jsonl of the shared material has it, and synthetic
 * inputs to run it with: seeded uniforms, varyings and attributes, in the number that the code itself shows
 * to take. */
#ifndef TESTS_RUNTIME_FOREIGN_H
#define TESTS_RUNTIME_FOREIGN_H

#include <stdio.h>

#include <qpucc/qpusim.h>

enum { FOREIGN_MAX_CODE = 4096, FOREIGN_MAX_UNIFORMS = 16384 };

struct foreign_program {
    char name[128], compiler[64];
    enum qpusim_stage stage;
    uint64_t code[FOREIGN_MAX_CODE];
    size_t count;
    char tokens[FOREIGN_MAX_UNIFORMS][24]; /* what each word of the stream is */
    size_t token_count;
    bool has_tokens;
};

/* The next program of a file; false at its end. Lines that hold none are passed over. */
bool foreign_next(FILE *file, struct foreign_program *p);

/* What the code takes, counted by reading it. */
struct foreign_needs {
    unsigned varyings, rows_in, outputs, uniforms;
    bool threaded, branches;
    uint8_t role[FOREIGN_MAX_UNIFORMS];   /* of each stream word: enum foreign_role, or ROLE_PARAM + n */
    uint32_t setup[FOREIGN_MAX_UNIFORMS]; /* for ROLE_SETUP */
};
enum foreign_role { ROLE_FLOAT, ROLE_INTEGER, ROLE_SETUP, ROLE_PARAM };

void foreign_scan(const uint64_t *code, size_t count, struct foreign_needs *needs);

/* Inputs from a seed: the same numbers for the same seed. */
struct synthetic {
    uint32_t state;
    float low, high;  /* floats are within */
    unsigned integer; /* every integer; 0: random ones below 8 */
    struct qpusim_texture texture;
};

float synthetic_float(struct synthetic *s);
uint32_t synthetic_integer(struct synthetic *s);
uint32_t synthetic_bits(float f);
/* Stream words for a program of the corpus; returns their number. */
size_t synthetic_stream(struct synthetic *s, const struct foreign_program *p,
                        const struct foreign_needs *needs, uint32_t words[FOREIGN_MAX_UNIFORMS]);
/* A textured quad's worth: lanes that are live, covered and not, of front and back faces. */
void synthetic_fragments(struct synthetic *s, unsigned varyings, struct qpusim_fragments *f);
void synthetic_vertices(struct synthetic *s, unsigned rows, unsigned count, struct qpusim_vertices *v);
/* 64 x 64 texels of noise with all their levels. */
bool synthetic_texture(struct synthetic *s, struct qpusim_memory *memory, enum qpusim_min min);

#endif
