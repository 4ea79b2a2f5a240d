/* What reflection does not say: precisions, which only the IR's tables have.
 *
 * Requires: a program with its IR. Keeps it. */
#include "compiler/program.h"

#include <qpucc/explain.h>
#include <string.h>

/* The table of a stage that holds variables of that kind; varyings are the vertex shader's outputs and the
 * fragment shader's inputs. */
static const struct ir_symtab *table_of(const struct ir_shader *shader, enum qpucc_interface which) {
    bool vertex = shader->stage == QPUCC_VERTEX;
    switch (which) {
    case QPUCC_UNIFORMS: return &shader->uniforms;
    case QPUCC_ATTRIBUTES: return vertex ? &shader->inputs : NULL;
    case QPUCC_VARYINGS: return vertex ? &shader->outputs : &shader->inputs;
    default: return NULL;
    }
}

enum qpucc_precision qpucc_explain_precision(const qpucc_program *program, enum qpucc_interface which,
                                             size_t index) {
    const struct qpucc_variable *variable = qpucc_program_variable(program, which, index);
    const struct kept_ir *kept = program_ir(program);
    enum qpucc_precision found = QPUCC_UNKNOWN_PRECISION;
    struct ir_arena *arena = variable && kept ? ir_arena_create(program->kept->from) : NULL;
    for (int s = 0; arena && s < 2; s++) {
        struct ir_shader *shader = kept->read[s] ? ir_unpack(kept->read[s], arena) : NULL;
        const struct ir_symtab *table = shader ? table_of(shader, which) : NULL;
        for (uint32_t k = 0; table && k < table->count; k++) {
            const struct ir_symbol *symbol = &table->sym[k];
            enum qpucc_precision own = (enum qpucc_precision)(QPUCC_HIGHP + symbol->precision - IR_HIGHP);
            bool same = !strcmp(symbol->name, variable->name);
            if (same && (found == QPUCC_UNKNOWN_PRECISION || own < found))
                found = own;
        }
        ir_shader_destroy(shader);
    }
    ir_arena_destroy(arena);
    return found;
}
