/* Fixed-function states from JSON. */
#ifndef TOOLS_FIXED_FILE_H
#define TOOLS_FIXED_FILE_H

#include <qpucc/fixed.h>

#include <jansson.h>
#include <stdbool.h>

/* Names are those of the struct's members, values numbers, true and false, or the words of the enumerations
 * in lower case without their prefix; what is left out is 0. False: the reason is in error. */
bool fixed_file_read(struct qpucc_fixed *fixed, const char *path, char *error, size_t size);
bool fixed_file_parse(struct qpucc_fixed *fixed, const json_t *object, char *error, size_t size);

#endif
