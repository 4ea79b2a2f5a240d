/* Random programs by seed. */
#ifndef TESTS_RANDOM_GENERATE_H
#define TESTS_RANDOM_GENERATE_H

#include "tree.h"

/* What the reference does with an illegal program. */
enum reference { REFERENCE_REFUSES, REFERENCE_ACCEPTS, REFERENCE_EITHER };

struct program {
    struct pool *pool;
    struct node *vertex, *fragment;
    bool mediump;     /* the fragment shader's floats */
    bool loose;       /* the reference's grammar may not take it: its scopes are not the language's */
    bool swapped;     /* has to compile, too, for textures of other orders of channels */
    const char *rule; /* that an illegal program breaks */
    bool desktop_rule;
    enum reference reference;
    char uniforms[16][96]; /* "name=value,value" */
    unsigned uniform_count;
};

/* The same seed gives the same program everywhere. size: about how many statements; 0: the usual. */
bool program_generate(struct program *program, uint64_t seed, unsigned size);
/* A fragment shader of a few lines over texels, varyings and uniforms (small.c). */
bool program_generate_small(struct program *program, uint64_t seed);
/* Both shaders about the front end: scopes, types, constructors, l-values, functions (language.c). Half of
 * them are GLSL ES 3.00. */
bool program_generate_language(struct program *program, uint64_t seed);
/* One of those, which breaks a rule of the language (illegal.c): another one for each seed. */
bool program_generate_illegal(struct program *program, uint64_t seed);
/* In the line that is wrong. */
#define ILLEGAL_MARK "/*!*/"
/* A fragment shader that needs many registers (pressure.c). */
bool program_generate_pressure(struct program *program, uint64_t seed);
/* The same, of other kinds (state.c). */
bool program_generate_state(struct program *program, uint64_t seed);
/* Both shaders about varyings, uniforms, lookups, built-in variables and the order of effects (interface.c).
 */
bool program_generate_interface(struct program *program, uint64_t seed);
/* A fragment shader as it is, with the vertex shader and the uniforms of small programs and more of them. */
bool program_around(struct program *program, const char *fragment);
void program_free(struct program *program);

#endif
