/* Known causes of differences between the machine's pictures and a reference's, and the change to the pair
 * that takes each of them away: a cause is believed only as long as its change makes the pictures agree. */
#ifndef TESTS_GL_CAUSES_H
#define TESTS_GL_CAUSES_H

#include "tools/scene.h"

struct causes;
struct cause;

/* A JSON array of {"cause": text, "pairs": [names], ...} with any of
 *     "mesh": name, "size": [w, h], "nearest": true       of the scene
 *     "insert": text              into both shaders, after their #version
 *     "replace": [from, to, ...]  texts of either shader, all occurrences; each `from` must occur
 * NULL after a message. */
struct causes *causes_read(const char *path);
void causes_free(struct causes *causes);

/* What is known of a pair; NULL: nothing. */
const struct cause *causes_find(const struct causes *causes, const char *name);
/* Its place in the file. */
unsigned cause_number(const struct cause *cause);
unsigned cause_count(const struct causes *causes);
const char *cause_text(const struct causes *causes, unsigned number);

/* Changes the scene and makes changed sources, which the caller frees. False: the reason is in error. */
bool cause_remove(const struct cause *cause, struct scene *scene, const char *old_vertex,
                  const char *old_fragment, char **vertex, char **fragment, char *error, size_t size);

/* The fragment shader with its colour and its global vec4s set to 0 before its own main: what it leaves
 * unwritten is defined then. malloc'ed. */
char *with_defined_output(const char *fragment);

#endif
