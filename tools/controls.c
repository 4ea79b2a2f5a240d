/* Uniforms whose values decide what is drawn: what `--set` is for. */
#include "advice.h"
#include "explain_json.h"
#include "explain_text.h"

enum { SHOWN = 8 };

struct controls {
    struct qpucc_control list[SHOWN];
    size_t count;
};

static struct controls controls_of(const qpucc_program *program) {
    struct controls c;
    c.count = qpucc_program_controls(program, c.list, SHOWN);
    c.count = c.count < SHOWN ? c.count : SHOWN;
    return c;
}

void advice_control_name(const qpucc_program *program, const struct qpucc_control *control, char *out,
                         size_t capacity) {
    const struct qpucc_variable *v = qpucc_program_variable(program, QPUCC_UNIFORMS, control->variable);
    unsigned words = v->rows * v->cols, at = control->word - v->word;
    char element[16] = "", component[32] = "";
    if (v->is_array)
        snprintf(element, sizeof element, "[%u]", at / words);
    if (v->cols > 1)
        snprintf(component, sizeof component, "[%u][%u]", at % words / v->rows, at % v->rows);
    else if (v->rows > 1)
        snprintf(component, sizeof component, ".%c", "xyzw"[at % v->rows]);
    snprintf(out, capacity, "%s%s%s", v->name, element, component);
}

void explain_print_controls(const qpucc_program *program, FILE *out) {
    struct controls controls = controls_of(program);
    if (!controls.count)
        return;
    fprintf(out, "\nuniforms that decide (--set NAME=VALUE makes code for one value):\n");
    for (size_t i = 0; i < controls.count; i++) {
        const struct qpucc_control *c = &controls.list[i];
        char name[200];
        advice_control_name(program, c, name, sizeof name);
        fprintf(out, "  %-24s %u condition%s%s, on which %u operation%s", name, c->conditions,
                c->conditions == 1 ? "" : "s", c->trips ? " (ends a loop)" : "", c->instructions,
                c->instructions == 1 ? "" : "s");
        if (c->lookups)
            fprintf(out, " and %u lookup%s", c->lookups, c->lookups == 1 ? "" : "s");
        fprintf(out, " hang%s\n", c->instructions + c->lookups == 1 ? "s" : "");
    }
}

json_t *explain_controls_json(const qpucc_program *program) {
    struct controls controls = controls_of(program);
    json_t *out = json_array();
    for (size_t i = 0; i < controls.count; i++) {
        const struct qpucc_control *c = &controls.list[i];
        char name[200];
        advice_control_name(program, c, name, sizeof name);
        json_array_append_new(out, json_pack("{s:o, s:i, s:i, s:i, s:i, s:b}", "name", cli_json_text(name),
                                             "word", (int)c->word, "conditions", (int)c->conditions,
                                             "instructions", (int)c->instructions, "lookups", (int)c->lookups,
                                             "trips", (int)c->trips));
    }
    return out;
}
