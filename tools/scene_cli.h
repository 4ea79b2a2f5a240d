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

/* The command line's next option that is neither the scene's nor the compile's; `own` is the command's
 * although the compile has it, too. All others are taken, as are names of files. -1: that was all, and the
 * pair is named, the scene's if no other was; '?': something is wrong, said so. */
int scene_cli_next(int argc, char **argv, const char *letters, const struct option *longs, int own,
                   struct cli_options *options, struct scene *scene);
/* Then: loads the mesh. */
int scene_cli_prepare(struct cli_options *options, struct scene *scene);
/* The pair, compiled for the scene; its code is the exit code. Sources and program are the caller's to free,
 * the program may be NULL. */
qpucc_program *scene_cli_compile(struct cli_options *options, struct scene *scene,
                                 struct cli_sources *sources, int *code);
/* Are the scene's settings right for the program? Says what is not. */
bool scene_cli_check(const struct scene *scene, const qpucc_program *program);

#endif
