/* Files: read whole, written whole or not at all. */
#ifndef TOOLS_FILE_H
#define TOOLS_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct file_data {
    char *data; /* malloc'ed, a NUL after the last byte */
    size_t size;
};

/* "-" is standard input. False: "path: reason" in error. */
bool file_read(const char *path, struct file_data *file, char *error, size_t size);
void file_free(struct file_data *file);

/* "-" is standard output. Anything that is not a regular file (a terminal, /dev/null, a pipe) is written in
 * place, and so is what a link names that is not there yet; otherwise a temporary file beside the one that
 * `path` leads to takes its name when it is complete, and its permissions. */
bool file_write(const char *path, const void *data, size_t bytes, char *error, size_t size);

#endif
