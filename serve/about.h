/* What the service says of itself, in Compiler Explorer's shapes: its compiler, its language, and what every
 * word of the assembly means. */
#ifndef SERVE_ABOUT_H
#define SERVE_ABOUT_H

#include "answer.h"

/* `language` NULL: all. `fields` NULL: the usual ones; "all". */
struct answer *about_compilers(const char *language, const char *fields, enum answer_type accept);
struct answer *about_languages(const char *fields, enum answer_type accept);
bool about_is_compiler(const char *id);
/* Options worth offering, by compiler. 404 for another id. */
struct answer *about_arguments(const char *id);

/* Names are looked up without regard to case. 404 for a name that the assembly does not have. */
struct answer *about_opcode(const char *name, enum answer_type accept);
struct answer *about_opcodes(void);

#endif
