/* Values for uniforms that a scene does not set. */
#ifndef TOOLS_SCENE_DEFAULTS_H
#define TOOLS_SCENE_DEFAULTS_H

#include "scene.h"

/* From the camera to the middle of a mesh that is not flat. */
#define SCENE_CAMERA_DISTANCE 3.4f

/* The value that the uniform's name suggests, in the form that scene_uniform has. It ignores what the scene
 * sets, but depends on its size, time, mesh and variant. */
void scene_default_uniform(const struct scene *scene, const char *name, enum qpucc_base_type base,
                           unsigned rows, unsigned cols, unsigned array_length, float *out);

#endif
