/* verdict.h: a case of verdicts.txt or rules.txt, judged. */
#ifndef QPUCC_TESTS_VERDICT_H
#define QPUCC_TESTS_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

/* Version, verdict, and then what stands where: directives and declarations before all, the fragment shader's
 * declarations and statements, the vertex shader's declarations and statements. */
enum { VERDICT_FIELDS = 7 };

/* Splits a line at its tabs and undoes the escapes, in place: \n is a line's end, \t a tab. */
void verdict_split(char *line, const char *fields[VERDICT_FIELDS]);

/* Is the pair of shaders judged as the verdict says: `good`, `bad`, or `warn` for what is accepted with a
 * warning? Every error of a bad one has to have a place. `why` tells what was said. */
bool verdict_is_right(const char *const fields[VERDICT_FIELDS], char *why, size_t size);

#endif
