/* What the sub-commands that draw share: the options of a scene, its pair of shaders compiled for it. */
#ifndef TOOLS_SCENE_CLI_H
#define TOOLS_SCENE_CLI_H

#include "cli.h"
#include "scene.h"

enum scene_cli_long {
    SCENE_CLI_SIZE = 3000,
    SCENE_CLI_UNIFORM,
    SCENE_CLI_TEXTURE,
    SCENE_CLI_MESH,
    SCENE_CLI_CLEAR,
    SCENE_CLI_INSTANCES
};
/* clang-format off */
#define SCENE_CLI_LONG                                                   \
    {"size", required_argument, NULL, SCENE_CLI_SIZE},                   \
        {"uniform", required_argument, NULL, SCENE_CLI_UNIFORM},         \
        {"texture", required_argument, NULL, SCENE_CLI_TEXTURE},         \
        {"mesh", required_argument, NULL, SCENE_CLI_MESH},               \
        {"clear", required_argument, NULL, SCENE_CLI_CLEAR},             \
        {"instances", required_argument, NULL, SCENE_CLI_INSTANCES}
/* clang-format on */

/* Takes an option that getopt returned, or a file named *.json. False: it is another's. *ok: it was right;
 * else the reason is in `error`. */
bool scene_cli_option(struct scene *scene, int option, const char *argument, bool *ok, char *error,
                      size_t size);

/* After all options: names the pair, the scene's if none was named. Returns an exit code, after a message. */
int scene_cli_inputs(struct cli_options *options, const struct scene *scene);
/* Then: loads the mesh. */
int scene_cli_prepare(struct cli_options *options, struct scene *scene);
/* The pair, compiled for the scene; its code is the exit code. Sources and program are the caller's to free,
 * the program may be NULL. */
qpucc_program *scene_cli_compile(struct cli_options *options, struct scene *scene,
                                 struct cli_sources *sources, int *code);
/* Are the scene's settings right for the program? Says what is not. */
bool scene_cli_check(const struct scene *scene, const qpucc_program *program);

#endif
