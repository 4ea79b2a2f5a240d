/* --spec [STAGE:]ID=VALUE: values for the specialisation constants of SPIR-V modules. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 0x07230203, HEADER_WORDS = 5, OP_DECORATE = 71, DECORATION_SPEC_ID = 1 };

/* Does the module have a constant with that number? */
static bool has(const struct qpucc_source *source, uint32_t id) {
    const unsigned char *bytes = source->data;
    size_t words = source->language == QPUCC_SPIRV ? source->size / 4 : 0;
    uint32_t word[4];
    if (words < HEADER_WORDS || (memcpy(word, bytes, 4), word[0] != MAGIC))
        return false;
    for (size_t at = HEADER_WORDS, length; at + 4 <= words; at += length) {
        memcpy(word, bytes + at * 4, sizeof word);
        length = word[0] >> 16;
        if (!length)
            return false;
        if ((word[0] & 0xffff) == OP_DECORATE && length == 4 && word[2] == DECORATION_SPEC_ID &&
            word[3] == id)
            return true;
    }
    return false;
}

/* "true", "false", a whole number, or a number with a point or an exponent, which is a float. */
static bool read_bits(const char *text, uint32_t *bits) {
    char *end = NULL;
    bool hexadecimal = strstr(text, "0x") || strstr(text, "0X");
    if (!strcmp(text, "true") || !strcmp(text, "false")) {
        *bits = *text == 't';
        return true;
    }
    errno = 0;
    if (!hexadecimal && strpbrk(text, ".eE")) {
        float value = strtof(text, &end);
        memcpy(bits, &value, sizeof *bits);
        return end != text && !*end;
    }
    long long value = strtoll(text, &end, 0);
    *bits = (uint32_t)value;
    return end != text && !*end && !errno && value >= INT32_MIN && value <= UINT32_MAX;
}

bool cli_spec_option(struct cli_options *o, const char *argument) {
    const char *colon = strchr(argument, ':'), *equals = strchr(argument, '=');
    struct cli_spec spec = {.stage = -1};
    char stage[16] = "", *end = NULL;
    if (colon && equals && colon < equals) {
        snprintf(stage, sizeof stage, "%.*s", (int)(colon - argument), argument);
        spec.stage = cli_stage_of_word(stage);
        if (spec.stage < 0)
            return complain("--spec=%s: the stage must be vertex or fragment", argument), false;
        argument = colon + 1;
    }
    errno = 0;
    unsigned long id = strtoul(argument, &end, 0);
    if (!equals || end != equals || end == argument || *argument == '-' || errno || id > UINT32_MAX)
        return complain("--spec=%s: must be ID=VALUE or STAGE:ID=VALUE, as in --spec=3=8", argument), false;
    spec.id = (uint32_t)id;
    if (!read_bits(equals + 1, &spec.bits))
        return complain("--spec=%s: the value must be true, false or a number of 32 bits", argument), false;
    if (o->spec_count == CLI_MAX_LIST)
        return complain("more than %d --spec", CLI_MAX_LIST), false;
    o->specs[o->spec_count++] = spec;
    return true;
}

bool cli_spec_constants(const struct cli_options *o, const struct qpucc_source *sources, size_t count,
                        struct qpucc_spec_constant list[2 * CLI_MAX_LIST], size_t *used) {
    *used = 0;
    for (size_t i = 0; i < o->spec_count; i++) {
        const struct cli_spec *spec = &o->specs[i];
        size_t before = *used;
        for (size_t k = 0; k < count && k < 2; k++)
            if ((spec->stage < 0 || spec->stage == (int)sources[k].stage) && has(&sources[k], spec->id))
                list[(*used)++] = (struct qpucc_spec_constant){sources[k].stage, spec->id, spec->bits};
        if (*used == before)
            return complain("--spec: no SPIR-V %sshader has a constant with the id %u",
                            spec->stage < 0                 ? ""
                            : spec->stage == QPUCC_FRAGMENT ? "fragment "
                                                            : "vertex ",
                            spec->id),
                   false;
    }
    return true;
}
