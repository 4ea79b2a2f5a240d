/* --set NAME=VALUE,...: the values of uniforms that code is made for. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "u_type", "light[1].on", "weights", "weights[2]". NULL: there is none. *element: 0 where the name has no
 * index of its own. */
static const struct qpucc_variable *find(const qpucc_program *program, const char *name, size_t length,
                                         unsigned *element) {
    *element = 0;
    for (size_t i = 0; i < qpucc_program_variable_count(program, QPUCC_UNIFORMS); i++) {
        const struct qpucc_variable *v = qpucc_program_variable(program, QPUCC_UNIFORMS, i);
        size_t own = strlen(v->name);
        if (own > length || strncmp(v->name, name, own) != 0)
            continue;
        int end = 0;
        if (own == length)
            return v;
        if (sscanf(name + own, "[%u]%n", element, &end) == 1 && own + (size_t)end == length &&
            *element < v->array_length)
            return v;
    }
    return NULL;
}

static void complain_of_name(const qpucc_program *program, const char *name, int length) {
    char known[400] = "";
    for (size_t i = 0; i < qpucc_program_variable_count(program, QPUCC_UNIFORMS); i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                 qpucc_program_variable(program, QPUCC_UNIFORMS, i)->name);
    }
    complain(*known ? "--set: no uniform is named %.*s; there are %s" : "--set: no uniform is named %.*s%s",
             length, name, known);
}

static bool read_value(const struct qpucc_variable *v, const char **text, uint32_t *bits) {
    char *end = NULL;
    if (v->base == QPUCC_FLOAT) {
        float value = strtof(*text, &end);
        memcpy(bits, &value, sizeof *bits);
    } else if (v->base == QPUCC_BOOL && (!strncmp(*text, "true", 4) || !strncmp(*text, "false", 5))) {
        *bits = **text == 't';
        end = (char *)*text + (*bits ? 4 : 5);
    } else {
        errno = 0;
        long long value = strtoll(*text, &end, 0);
        if (errno || value < INT32_MIN || value > UINT32_MAX)
            return false;
        *bits = (uint32_t)value;
    }
    bool read = end != *text && ((*end == ',' && end[1]) || !*end);
    *text = end + (*end == ',');
    return read;
}

/* One option's constants, behind those that there are. False: said what is wrong. */
static bool add(const qpucc_program *program, const char *text, struct qpucc_constant *list, size_t *count) {
    const char *equals = strchr(text, '=');
    if (!equals)
        return complain("--set=%s: a value follows the name, as in --set=%s=2", text, text), false;
    unsigned element, given = 0;
    const struct qpucc_variable *v = find(program, text, (size_t)(equals - text), &element);
    if (!v)
        return complain_of_name(program, text, (int)(equals - text)), false;
    unsigned most = v->rows * v->cols * (v->array_length - element);
    const char *at = equals + 1;
    do {
        uint32_t bits;
        if (given == most)
            return complain("--set=%s: there are %u numbers at most", text, most), false;
        if (*count == CLI_MAX_LIST)
            return complain("--set: more than %d numbers", CLI_MAX_LIST), false;
        if (!read_value(v, &at, &bits))
            return complain("--set=%s: a number is wrong", text), false;
        list[(*count)++] = (struct qpucc_constant){v->word + element * v->rows * v->cols + given++, bits};
    } while (*at);
    return true;
}

qpucc_program *cli_specialise(const struct cli_options *options, qpucc_program *program) {
    struct qpucc_constant list[CLI_MAX_LIST];
    size_t count = 0;
    if (!options->set_count || qpucc_program_status(program) != QPUCC_OK)
        return program;
    qpucc_program *special = NULL;
    bool ok = true;
    for (size_t i = 0; i < options->set_count && ok; i++)
        ok = add(program, options->sets[i], list, &count);
    if (ok && !(special = qpucc_specialise(program, &options->state, list, count)))
        complain("out of memory");
    qpucc_program_free(program);
    return special;
}
