/* backend_tests [--update] FILE...: lowered IR in, assembly out.
 *
 * A file is comments, one of them `; RUN: backend [threads=1|2] [opt=0..3]`, IR text, a line `----`, the
 * expected listing. Every program is also held to the rule checker under both profiles; --update writes the
 * listings anew (the rules still count). */
#include "backend/backend.h"
#include "backend/isa/chip.h"
#include "backend/isa/isa.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *name) {
    FILE *in = fopen(name, "rb");
    if (!in)
        return NULL;
    fseek(in, 0, SEEK_END);
    long size = ftell(in);
    rewind(in);
    char *text = calloc(1, (size_t)size + 1);
    if (!text || fread(text, 1, (size_t)size, in) != (size_t)size) {
        free(text);
        text = NULL;
    }
    fclose(in);
    return text;
}

static bool rules_kept(const char *name, const struct be_result *r, enum qpucc_stage stage) {
    bool kept = true;
    for (int profile = 0; profile < 2; profile++) {
        struct qpu_check_options options = {
            .stage = stage, .profile = (enum qpu_profile)profile, .threaded = r->threads == 2};
        struct qpu_violation found[4];
        size_t count = qpu_check(r->code, r->count, &options, found, 4);
        for (size_t i = 0; i < count && i < 4; i++)
            printf("%s: instruction %u: %s: %s\n", name, found[i].index, found[i].rule, found[i].text);
        kept &= count == 0;
    }
    return kept;
}

/* A chip that does all that code may do without. */
static const struct qpucc_chip *does_all(void) {
    static struct qpucc_chip chip;
    for (unsigned row = 0; row < QPUCC_ASSUMPTION_COUNT; row++)
        if (!chip_relies_on(NULL, (enum qpucc_assumption)row) &&
            chip_concerns_code((enum qpucc_assumption)row))
            chip.changed[row / 32] |= 1u << row % 32;
    return &chip;
}

/* The options of the RUN line among the comments; false if there is none, or one with a word that is no
 * option. */
static bool read_options(const char *text, struct be_options *options) {
    static const char start[] = "; RUN: backend";
    char line[200];
    while (*text == ';' && strncmp(text, start, sizeof start - 1))
        text += strcspn(text, "\n") + 1;
    if (*text != ';')
        return false;
    snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
    for (char *word = strtok(line + sizeof start - 1, " "); word; word = strtok(NULL, " ")) {
        unsigned value;
        char more;
        if (sscanf(word, "threads=%u%c", &value, &more) == 1 && (value == 1 || value == 2))
            options->threads = value;
        else if (sscanf(word, "opt=%u%c", &value, &more) == 1 && value <= 3)
            options->opt_level = (int)value;
        else if (strcmp(word, "chip=all") == 0)
            options->chip = does_all();
        else
            return false;
    }
    return true;
}

static bool run(const char *name, bool update) {
    char *text = read_file(name);
    char *split = text ? strstr(text, "\n----\n") : NULL;
    if (!split) {
        printf("%s: unreadable, or no line ----\n", name);
        free(text);
        return false;
    }
    struct be_options options = {.opt_level = 2, .threads = 1, .linux_rules = true};
    if (!read_options(text, &options)) {
        printf("%s: no RUN line among the first comments, or one with an unknown option\n", name);
        free(text);
        return false;
    }
    char error[200];
    struct ir_shader *shader = ir_parse(text, (size_t)(split + 1 - text), error, sizeof error);
    if (!shader) {
        printf("%s: %s\n", name, error);
        free(text);
        return false;
    }
    struct be_result result;
    be_compile(shader, &options, &result);
    char *listing =
        result.status == BE_OK ? qpu_list(result.code, result.count, false) : strdup(result.message);
    bool same = listing && strcmp(listing, split + 6) == 0;
    bool ok = (result.status != BE_OK || rules_kept(name, &result, shader->stage)) && (same || update);
    if (!same && update) {
        FILE *out = fopen(name, "wb");
        if (out) {
            fwrite(text, 1, (size_t)(split + 6 - text), out);
            fputs(listing, out);
            fclose(out);
        }
    } else if (!same) {
        printf("%s: other code\n--- expected\n%s--- came out\n%s", name, split + 6, listing ? listing : "");
    }
    free(listing);
    be_result_free(&result);
    ir_shader_destroy(shader);
    free(text);
    return ok;
}

int main(int argc, char **argv) {
    bool update = argc > 1 && strcmp(argv[1], "--update") == 0;
    unsigned failed = 0, passed = 0;
    for (int i = 1 + update; i < argc; i++)
        run(argv[i], update) ? passed++ : failed++;
    printf("%u passed, %u failed\n", passed, failed);
    return failed || !passed;
}
