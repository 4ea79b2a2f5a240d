/* engine.h: glslang as this folder uses it, in C.
 *
 * glslang's own C interface (12.0) takes no text but from its preprocessor, which costs half of what it costs
 * to parse: built-in names, the definitions it makes for every extension, the text itself, all twice. What
 * comes here has been through a preprocessor, so engine.cpp uses the C++ classes, and parse.cpp leaves out
 * what is the same for every text. */
#ifndef QPUCC_FRONTEND_GLSL_ENGINE_H
#define QPUCC_FRONTEND_GLSL_ENGINE_H

#include <glslang/Include/glslang_c_interface.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A program and the shaders that went into it; NULL: no memory. Nothing here throws. */
struct engine;
struct engine *engine_create(void);
void engine_destroy(struct engine *engine);
/* Parses a stage; one that is in order becomes part of the program. The log holds until the next call. */
bool engine_parse(struct engine *engine, const char *text, bool fragment, const glslang_resource_t *resource);
bool engine_link(struct engine *engine);
/* Gives what linked stages have in common locations; before engine_spirv. */
bool engine_map(struct engine *engine);
const char *engine_log(const struct engine *engine);
/* SPIR-V of a stage of a linked program, which the engine has until the next call; NULL: no memory. */
const uint32_t *engine_spirv(struct engine *engine, bool fragment, size_t *words);

#ifdef __cplusplus
}
#endif

#endif
