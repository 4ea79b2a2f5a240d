/* Rules of strict mode and how a broken one is reported. */
#include <stdarg.h>
#include <stdio.h>

#include "runtime/machine.h"

static const struct {
    const char *name, *section;
} rules[] = {
#define SIM_RULE(id, name, section) {name, section},
#include "runtime/rules.def"
#undef SIM_RULE
};

const char *sim_rule_name(enum sim_rule rule) {
    return rules[rule].name;
}

const char *sim_rule_section(enum sim_rule rule) {
    return rules[rule].section;
}

bool sim_fail(struct sim_thread *t, enum sim_rule rule, int lane, const char *format, ...) {
    if (t->options->lenient && rule != SIM_BUDGET && rule != SIM_RUN_OFF_END && rule != SIM_BAD_INSTRUCTION &&
        rule != SIM_BRANCH_TARGET)
        return false;
    struct qpusim_error *e = t->error;
    if (e->status == QPUSIM_OK) {
        e->status = rule == SIM_BUDGET ? QPUSIM_BUDGET : QPUSIM_STRICT;
        e->stage = t->program->stage;
        e->thread = t->number;
        e->instruction = t->index;
        e->lane = lane;
        e->rule = rules[rule].name;
        va_list args;
        va_start(args, format);
        int n = vsnprintf(e->text, sizeof e->text, format, args);
        va_end(args);
        if (n >= 0 && (size_t)n < sizeof e->text)
            snprintf(e->text + n, sizeof e->text - (size_t)n, " (%s)", rules[rule].section);
    }
    return true;
}
