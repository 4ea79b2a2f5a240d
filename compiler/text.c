/* The library's entry points for the IR as text, and for the names of stages and passes. */
#include "ir/ir.h"
#include "passes/passes.h"

#include <qpucc/qpucc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *qpucc_opt(const char *text, size_t length, const char *passes, char *error, size_t error_size) {
    struct ir_shader *shader = ir_parse(text, length, error, error_size);
    if (!shader)
        return NULL;
    char *out = NULL;
    struct pass_options options = passes_default_options();
    options.verify = true;
    char fault[200];
    if (!ir_verify(shader, fault, sizeof fault)) {
        if (error_size)
            snprintf(error, error_size, "before any pass: %s", fault);
    } else if (passes_run_named(shader, passes, &options, error, error_size)) {
        out = ir_print_to_string(shader);
        if (!out && error_size)
            snprintf(error, error_size, "out of memory");
    }
    ir_shader_destroy(shader);
    return out;
}

const char *qpucc_stage_name(enum qpucc_stage stage) {
    return (unsigned)stage < QPUCC_STAGE_COUNT ? ir_stage_names[stage] : NULL;
}

const char *qpucc_pass_name(size_t index, const char **description) {
    size_t count;
    const struct pass_info *table = passes_table(&count);
    if (index >= count)
        return NULL;
    if (description)
        *description = table[index].description;
    return table[index].name;
}
