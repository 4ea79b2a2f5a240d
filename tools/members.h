/* Structs of bytes from JSON. */
#ifndef TOOLS_MEMBERS_H
#define TOOLS_MEMBERS_H

#include <qpucc/fixed.h>

#include <jansson.h>
#include <stdbool.h>

/* A table of members: NULL after the last. */
typedef const struct qpucc_member *members_at(size_t index);

/* Names are those of the members, values numbers, true and false, or the words of the enumerations in lower
 * case without their prefix; what is left out stays as it is. False: the reason is in error. */
bool members_parse(void *out, members_at *at, const json_t *object, char *error, size_t size);
/* A file with an object; NULL: the reason is in error. */
json_t *members_load(const char *path, char *error, size_t size);

#endif
