/* Values for uniforms that a scene does not set. */
#ifndef TOOLS_SCENE_DEFAULTS_H
#define TOOLS_SCENE_DEFAULTS_H

#include "scene.h"

#define SCENE_CAMERA_DISTANCE 3.4f

/* As scene_uniform, from the name alone. */
void scene_default_uniform(const struct scene *scene, const char *name, enum qpucc_base_type base,
                           unsigned rows, unsigned cols, unsigned array_length, float *out);

#endif
