/* The switchable warnings by name. */
#include <qpucc/warnings.h>

#include <stddef.h>
#include <string.h>

enum group { DEFAULT = 1, ALL = 2, PORTABILITY = 4, PERFORMANCE = 8 };

static const struct {
    const char *name, *what;
    unsigned group;
} rows[] = {
#define WARNING(name, option, group, what) {option, what, group},
#include <qpucc/warnings.def>
#undef WARNING
};

_Static_assert(QPUCC_WARNING_COUNT <= 32, "the options have a bit for each");

const char *qpucc_warning_name(enum qpucc_warning warning) {
    return (unsigned)warning < QPUCC_WARNING_COUNT ? rows[warning].name : NULL;
}

const char *qpucc_warning_text(enum qpucc_warning warning) {
    return (unsigned)warning < QPUCC_WARNING_COUNT ? rows[warning].what : NULL;
}

uint32_t qpucc_warning_bits(const char *name) {
    unsigned groups = !strcmp(name, "default")       ? DEFAULT
                      : !strcmp(name, "all")         ? DEFAULT | ALL | PERFORMANCE
                      : !strcmp(name, "portability") ? PORTABILITY
                      : !strcmp(name, "performance") ? PERFORMANCE
                                                     : 0;
    uint32_t bits = 0;
    for (unsigned i = 0; i < QPUCC_WARNING_COUNT; i++)
        if ((rows[i].group & groups) || !strcmp(rows[i].name, name))
            bits |= 1u << i;
    return bits;
}
