/* Breaches of the language's rules, for language.c. Inside of tests/random only. */
#ifndef TESTS_RANDOM_ILLEGAL_H
#define TESTS_RANDOM_ILLEGAL_H

#include "language.h"

/* LINK: one part in each shader. */
enum place { PLACE_TOP, PLACE_GLOBAL, PLACE_STATEMENT, PLACE_MAIN, PLACE_END, PLACE_LINK };

struct rule {
    const char *name;
    int versions, stages; /* as illegal.def has them */
    enum place place;
    int reference; /* enum reference */
    const char *before, *breach;
};

unsigned illegal_count(void);
/* Also chooses version and stage, and the breach's names. */
const struct rule *illegal_rule(struct language *l, unsigned index);
/* Adds what the rule has for this place, if this is the shader that it breaks. */
void illegal_add(struct language *l, struct node *list, enum place place);

#endif
