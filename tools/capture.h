/* Captured submits: a folder with one file for each submit of a program, its arrays, and the contents of its
 * buffers. The layout is the one that qpusim-device --record writes (docs/device.md). */
#ifndef TOOLS_CAPTURE_H
#define TOOLS_CAPTURE_H

#include <qpucc/drm.h>
#include <vc4_drm.h>

#include "tools/file.h"

#include <jansson.h>

/* A buffer as a submit lists it. */
struct capture_buffer {
    unsigned handle, uid;
    uint32_t size, code_size; /* code_size: of shaders */
    bool shader, load;        /* load: new contents before this submit */
    const char *file;         /* with them; NULL: all zero */
};

struct capture_submit {
    struct drm_vc4_submit_cl args; /* pointers are 0 */
    struct file_data bin_cl, shader_rec, uniforms;
    struct capture_buffer *buffers; /* args.bo_handle_count, by handle index */
    json_t *json;                   /* owns the strings */
};

/* Reads submit `number` of a folder. False: the reason is in error. */
bool capture_read(struct capture_submit *submit, const char *folder, unsigned number, char *error,
                  size_t size);
void capture_free(struct capture_submit *submit);

/* A file of the folder; `suffix` as in "k_exec" for submit files. False: the reason is in error. */
bool capture_file(struct file_data *file, const char *folder, const char *name, char *error, size_t size);
bool capture_submit_file(struct file_data *file, const char *folder, unsigned number, const char *suffix,
                         char *error, size_t size);
json_t *capture_json(const char *folder, const char *name, char *error, size_t size);

#endif
