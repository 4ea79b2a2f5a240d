/* spirv_module.h: SPIR-V for the tests of frontend/spirv, from GLSL 4.50 (through glslang, Vulkan rules
 * relaxed) or from assembly. */
#ifndef QPUCC_TESTS_SPIRV_MODULE_H
#define QPUCC_TESTS_SPIRV_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* malloc'ed words, NULL with the reason on stderr. The file name ends in .frag, .vert or .spvasm. */
uint32_t *spirv_module_load(const char *path, size_t *words);
/* malloc'ed contents with a NUL after them, NULL if unreadable. */
char *spirv_read_text(const char *path, size_t *size);
/* Sorted names of the case files in a folder, malloc'ed strings in a malloc'ed array. */
char **spirv_case_list(const char *folder, size_t *count);

#endif
