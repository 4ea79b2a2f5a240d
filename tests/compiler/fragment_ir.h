/* For tests of what the passes make of a fragment shader's text. */
#ifndef QPUCC_TESTS_FRAGMENT_IR_H
#define QPUCC_TESTS_FRAGMENT_IR_H

#include "frontend/glsl/glsl.h"
#include "frontend/spirv/spirv.h"
#include "passes/passes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As the front end leaves it. A text that it refuses ends the program. */
static inline struct ir_shader *fragment_ir(const char *text) {
    struct fe_source source = {"text", text, strlen(text), QPUCC_FRAGMENT, NULL};
    struct fe_glsl_result *front = fe_glsl_compile(&source, 1, NULL);
    if (!front || !front->ok) {
        printf("%s\n%s\n", text, front && front->diagnostic_count ? front->diagnostics[0].text : "no memory");
        exit(1);
    }
    const struct fe_stage_result *stage = &front->stages[0];
    struct fe_spirv_options read = {.stage = QPUCC_FRAGMENT,
                                    .trusted = true,
                                    .symbols = stage->symbols,
                                    .symbol_count = stage->symbol_count,
                                    .ignore_locations = true};
    struct ir_shader *shader = fe_spirv_read(stage->spirv, stage->spirv_words, &read, NULL);
    fe_glsl_result_free(front);
    return shader;
}

#endif
