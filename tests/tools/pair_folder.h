/* Pairs of shaders in a folder: NAME.vert and NAME.frag. */
#ifndef TESTS_TOOLS_PAIR_FOLDER_H
#define TESTS_TOOLS_PAIR_FOLDER_H

#include <stdbool.h>

typedef void folder_function(void *user, const char *name, const char *vertex, const char *fragment);

/* Calls `function` for every pair, by name in rising order; the texts are the caller's while it runs. False
 * after a message: a file that can't be read, or no pair. */
bool pair_folder_each(const char *folder, folder_function *function, void *user);

#endif
