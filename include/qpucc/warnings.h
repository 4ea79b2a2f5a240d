/* Warnings about GLSL text, each with a name by which it is switched: the rows of warnings.def. */
#ifndef QPUCC_WARNINGS_H
#define QPUCC_WARNINGS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rows, in the table's order: QPUCC_WARN_unused_uniform, ... Names stay; numbers change with the
 * table. */
enum qpucc_warning {
#define WARNING(name, option, group, what) QPUCC_WARN_##name,
#include <qpucc/warnings.def>
#undef WARNING
    QPUCC_WARNING_COUNT
};

/* The name of its switch and of its diagnostics' code ("unused-uniform"), and what it says in a few words;
 * NULL for no warning. */
const char *qpucc_warning_name(enum qpucc_warning warning);
const char *qpucc_warning_text(enum qpucc_warning warning);

/* The bits, 1 << enum qpucc_warning, of a warning by its name, or of the groups "default", "all" (which has
 * "default" and "performance" in it), "portability" and "performance"; 0: there is nothing of that name. */
uint32_t qpucc_warning_bits(const char *name);

#ifdef __cplusplus
}
#endif

#endif
