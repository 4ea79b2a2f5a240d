/* Fixed-function states from JSON, by the library's own table of the members. */
#include "fixed_file.h"

#include <stdio.h>
#include <string.h>

bool fixed_file_parse(struct qpucc_fixed *fixed, const json_t *object, char *error, size_t size) {
    memset(fixed, 0, sizeof *fixed);
    return members_parse(fixed, qpucc_fixed_member_at, object, error, size);
}

bool fixed_file_read(struct qpucc_fixed *fixed, const char *path, char *error, size_t size) {
    char reason[300];
    json_t *root = members_load(path, error, size);
    bool ok = root && fixed_file_parse(fixed, root, reason, sizeof reason);
    if (root && !ok)
        snprintf(error, size, "%s: %s", path, reason);
    json_decref(root);
    return ok;
}
