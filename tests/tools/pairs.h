/* The corpus's pairs, one JSON object a line: {"name", "vertex", "fragment"}, and maybe a "mesh" to draw; or
 * those of a folder, NAME.vert and NAME.frag. */
#ifndef TESTS_TOOLS_PAIRS_H
#define TESTS_TOOLS_PAIRS_H

#include "tools/file.h"
#include "tools/scene.h"

/* Options of the programs that go through pairs. */
struct pair_options {
    const char *pairs, *filter; /* the file or folder; "" */
    const char *keep;           /* folder for pictures of what failed, or NULL */
    const char *size;           /* "64x48"; NULL: 160x120 */
    unsigned variant; /* scenes with other uniforms, textures, meshes and sizes; 0: the usual ones */
    unsigned part,
        parts; /* "2/4": of what the filter lets through, each fourth pair from the second; 0: all */
    struct file_data exceptions;
};
#define PAIR_LONG                                                                                            \
    {"keep", required_argument, NULL, 'k'}, {"exceptions", required_argument, NULL, 'e'},                    \
        {"size", required_argument, NULL, 's'}, {"part", required_argument, NULL, 'n'},                      \
        {"variant", required_argument, NULL, 'v'}, {"pairs", required_argument, NULL, 'p'}, {                \
        "filter", required_argument, NULL, 'f'                                                               \
    }

/* What getopt_long returned. False, maybe after a message: an error. */
bool pairs_option(struct pair_options *options, int c, const char *argument);

/* Is there a line "name: reason" among the exceptions? */
bool pairs_excepted(const struct pair_options *options, const char *name);

/* Writes KEEP/name.kind.png, with - for every / of the name. */
void pairs_keep(const struct pair_options *options, const char *name, const char *kind,
                const struct picture *picture);

/* What draws a pair; `scene` is prepared, or NULL with a text in `error`. */
typedef void pair_function(void *user, const char *name, struct scene *scene, const char *vertex,
                           const char *fragment, const char *error);

/* Calls `function` for every pair whose name begins with the filter. The file's name may begin with
 * "SHARED/", the folder that the environment variable QPUCC_SHARED names. False after a message when the file
 * cannot be read; *skipped when QPUCC_SHARED is not set. */
bool pairs_each(const struct pair_options *options, pair_function *function, void *user, bool *skipped);

#endif
