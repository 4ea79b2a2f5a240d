/* Scenes from JSON. */
#ifndef TOOLS_SCENE_JSON_H
#define TOOLS_SCENE_JSON_H

#include "scene.h"

#include <jansson.h>

/* Reads a scene's JSON file (docs/qpucc.1 has the format). Paths in it are relative to the file. */
bool scene_read(struct scene *scene, const char *path, char *error, size_t size);
/* Reads a scene that says nothing of files: shaders are texts, textures built-in pictures or PNG files in
 * base64, the mesh is built in or a Wavefront file's text (docs/api/openapi.json, Scene). Members that are
 * not a scene's are the caller's: `other` is called for each of them, returns false if it does not know it
 * either, and may write why what it knows is wrong. */
typedef bool scene_other(void *user, const char *key, json_t *value, char *error, size_t size);
bool scene_parse(struct scene *scene, json_t *root, scene_other *other, void *user, char *error, size_t size);
/* For both readers: members that files and memory share (size, instances, uniforms, clear, title, about). */
bool scene_plain_member(struct scene *scene, const char *key, json_t *value, char *error, size_t size);

#endif
