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

static bool ends_lenient_runs(enum sim_rule rule) {
    return rule == SIM_BUDGET || rule == SIM_RUN_OFF_END || rule == SIM_BAD_INSTRUCTION ||
           rule == SIM_BRANCH_TARGET;
}

static struct qpusim_error describe(const struct sim_thread *t, enum sim_rule rule, int lane,
                                    const char *format, va_list args) {
    struct qpusim_error e = {.status = rule == SIM_BUDGET ? QPUSIM_BUDGET : QPUSIM_STRICT,
                             .stage = t->program->stage,
                             .thread = t->number,
                             .instruction = t->index,
                             .lane = lane,
                             .rule = rules[rule].name};
    int n = vsnprintf(e.text, sizeof e.text, format, args);
    if (n >= 0 && (size_t)n < sizeof e.text)
        snprintf(e.text + n, sizeof e.text - (size_t)n, " (%s)", rules[rule].section);
    return e;
}

bool sim_fail(struct sim_thread *t, enum sim_rule rule, int lane, const char *format, ...) {
    const struct qpusim_options *o = t->options;
    bool ends = !(o->lenient || o->fault) || ends_lenient_runs(rule);
    va_list args;
    va_start(args, format);
    if (!ends && o->tolerated) {
        struct qpusim_error e = describe(t, rule, lane, format, args);
        o->tolerated(o->tolerated_user, &e);
    } else if (ends && t->error->status == QPUSIM_OK) {
        uint32_t record = t->error->record;
        *t->error = describe(t, rule, lane, format, args);
        t->error->record = record;
    }
    va_end(args);
    return ends;
}
