/* spirv_cases.c: every file in spirv_cases/ becomes IR, which must be sound and be what the file's directives
 * say.
 *
 *    // CHECK text       a line of the printed IR contains the text, after the line of the CHECK before it
 *    // NOT text         no line does
 *    // ERROR N text     refused, at line N, with a message that contains the text
 *    // VALUES           the shader checks itself: run on the IR interpreter, its first two outputs must be 1
 * and 0, else the second is the number of the check that failed. An input's words count from 4 * location +
 * 1, those of the uniforms from 100.
 *    // OPTION name      vertex, fragment, trusted, lower_left, ignore_locations, blocks_in_buffers
 *    // SYMBOL storage precision type name
 *                        an entry of the side table: uniform, attribute, varying, output, member
 *
 * `;` does instead of `//` in assembly. Runs of blanks count as one. */
#include "frontend/spirv/spirv.h"
#include "spirv_module.h"
#ifdef HAVE_INTERP
#include "tests/passes/interp.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned failures;

static void complain(const char *path, const char *what, const char *text) {
    fprintf(stderr, "%s: %s%s\n", path, what, text);
    failures++;
}

/* The next directive `word` at or after *at: its argument, cut at the line's end into buffer. */
static bool directive(const char **at, char *word, size_t word_size, char *rest, size_t rest_size) {
    for (const char *line = *at; *line;) {
        const char *end = strchr(line, '\n');
        if (!end)
            end = line + strlen(line);
        const char *next = *end ? end + 1 : end;
        const char *p = line;
        if (*p == ';')
            p++;
        else if (p[0] == '/' && p[1] == '/')
            p += 2;
        else
            p = NULL;
        if (p) {
            while (*p == ' ')
                p++;
            size_t length = strspn(p, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
            if (length >= 3 && length < word_size && (p[length] == ' ' || p[length] == '\n')) {
                snprintf(word, word_size, "%.*s", (int)length, p);
                p += length;
                while (*p == ' ')
                    p++;
                snprintf(rest, rest_size, "%.*s", p < end ? (int)(end - p) : 0, p);
                *at = next;
                return true;
            }
        }
        line = next;
    }
    return false;
}

/* Where `what` begins in a line of text, blanks squeezed by the printer already. */
static const char *find_line(const char *text, const char *what) {
    const char *hit = strstr(text, what);
    return hit ? hit + strlen(what) : NULL;
}

static bool parse_symbol(char *text, struct fe_symbol *symbol) {
    static const char *const storages[] = {"uniform", "attribute", "varying", "output", "member"};
    static const char *const precisions[] = {"none", "lowp", "mediump", "highp"};
    char *part[4];
    for (int k = 0; k < 4; k++)
        if (!(part[k] = strtok(k ? NULL : text, " ")))
            return false;
    *symbol = (struct fe_symbol){.name = part[3], .type_name = part[2], .file = "case"};
    bool found = false, graded = false;
    for (int k = 0; k < 5; k++)
        if (strcmp(part[0], storages[k]) == 0)
            symbol->storage = (enum fe_storage)k, found = true;
    for (int k = 0; k < 4; k++)
        if (strcmp(part[1], precisions[k]) == 0)
            symbol->precision = (enum fe_precision)k, graded = true;
    return found && graded;
}

static void check_values(const char *path, const struct ir_shader *shader) {
#ifdef HAVE_INTERP
    struct interp *in = calloc(1, sizeof *in);
    char error[300];
    for (uint32_t k = 0; k < shader->inputs.words && k < INTERP_WORDS; k++) {
        const struct ir_symbol *symbol = ir_symbol_of_word(&shader->inputs, k);
        uint32_t whole = (uint32_t)symbol->location * 4 + (k - symbol->word) + 1;
        float value = (float)whole;
        if (symbol->base == IR_BASE_FLOAT)
            memcpy(&in->input[k], &value, sizeof value);
        else
            in->input[k] = whole;
    }
    for (uint32_t k = 0; k < shader->uniforms.words && k < INTERP_WORDS; k++) {
        float value = (float)(k + 100);
        if (ir_symbol_of_word(&shader->uniforms, k)->base == IR_BASE_FLOAT)
            memcpy(&in->uniform[k], &value, sizeof value);
        else
            in->uniform[k] = k + 100;
    }
    float result[2];
    if (!interp_run(shader, in, 100000, error, sizeof error)) {
        complain(path, "cannot run: ", error);
    } else {
        memcpy(result, in->output, sizeof result);
        if (result[0] != 1.0f || result[1] != 0.0f) {
            snprintf(error, sizeof error, "%g %g", (double)result[0], (double)result[1]);
            complain(path, "wrong value, result: ", error);
        }
    }
    free(in);
#else
    (void)path, (void)shader;
#endif
}

static void check_text(const char *path, const char *source, const struct ir_shader *shader) {
    char *text = ir_print_to_string(shader), word[16], rest[500];
    const char *at = source, *from = text;
    while (directive(&at, word, sizeof word, rest, sizeof rest)) {
        if (strcmp(word, "CHECK") == 0) {
            const char *next = find_line(from, rest);
            if (next)
                from = next;
            else
                complain(path, "not in the IR (or not in this order): ", rest);
        } else if (strcmp(word, "NOT") == 0 && find_line(text, rest)) {
            complain(path, "in the IR, but must not be: ", rest);
        } else if (strcmp(word, "VALUES") == 0) {
            check_values(path, shader);
        } else if (strcmp(word, "ERROR") == 0) {
            complain(path, "accepted, but wants: ", rest);
        }
    }
    free(text);
}

static void check_error(const char *path, const char *source, const struct fe_spirv_error *error) {
    char word[16], rest[500], got[900];
    bool wanted = false;
    snprintf(got, sizeof got, "%u %s", error->diagnostic.line, error->text);
    for (const char *at = source; directive(&at, word, sizeof word, rest, sizeof rest);) {
        if (strcmp(word, "ERROR") != 0)
            continue;
        wanted = true;
        char *end;
        unsigned long line = strtoul(rest, &end, 10);
        if (line != error->diagnostic.line || !strstr(error->text, end + strspn(end, " ")))
            complain(path, "refused differently: ", got);
    }
    if (!wanted)
        complain(path, "refused: ", got);
}

static bool known_directive(const char *word) {
    static const char *const words[] = {"CHECK", "NOT", "ERROR", "VALUES", "OPTION", "SYMBOL"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

static void run(const char *path) {
    size_t size, words = 0, count = 0;
    char *source = spirv_read_text(path, &size), word[16], lines[32][200];
    uint32_t *module = spirv_module_load(path, &words);
    struct fe_symbol symbols[32];
    struct fe_spirv_options options = {
        .stage = strstr(path, ".vert") ? QPUCC_VERTEX : QPUCC_FRAGMENT, .name = "case", .symbols = symbols};
    if (!source || !module) {
        complain(path, "no module", "");
        free(source);
        free(module);
        return;
    }
    char rest[500];
    for (const char *at = source; directive(&at, word, sizeof word, rest, sizeof rest);) {
        if (!known_directive(word)) {
            complain(path, "unknown directive: ", word);
        } else if (strcmp(word, "OPTION") == 0) {
            if (strcmp(rest, "fragment") == 0)
                options.stage = QPUCC_FRAGMENT;
            else if (strcmp(rest, "vertex") == 0)
                options.stage = QPUCC_VERTEX;
            else if (strcmp(rest, "trusted") == 0)
                options.trusted = true;
            else if (strcmp(rest, "lower_left") == 0)
                options.lower_left = true;
            else if (strcmp(rest, "blocks_in_buffers") == 0)
                options.blocks_in_buffers = true;
            else if (strcmp(rest, "ignore_locations") == 0)
                options.ignore_locations = true;
            else
                complain(path, "unknown option: ", rest);
        } else if (strcmp(word, "SYMBOL") == 0) {
            if (count == sizeof symbols / sizeof *symbols) {
                complain(path, "too many SYMBOLs: ", rest);
                continue;
            }
            snprintf(lines[count], sizeof lines[count], "%.199s", rest);
            if (parse_symbol(lines[count], &symbols[count]))
                count++;
            else
                complain(path, "broken SYMBOL: ", rest);
        }
    }
    options.symbol_count = count;
    struct fe_spirv_error error;
    struct ir_shader *shader = fe_spirv_read(module, words, &options, &error);
    if (shader) {
        char fault[300];
        if (!ir_verify(shader, fault, sizeof fault))
            complain(path, "unsound IR: ", fault);
        check_text(path, source, shader);
        if (getenv("SPIRV_CASES_PRINT"))
            ir_print(shader, stdout);
        ir_shader_destroy(shader);
    } else {
        check_error(path, source, &error);
    }
    free(module);
    free(source);
}

int main(int argc, char **argv) {
    size_t count = 0;
    char **list = spirv_case_list(argc > 1 ? argv[1] : "spirv_cases", &count);
    if (!list) /* files, not a folder */
        for (int k = 1; k < argc; k++)
            run(argv[k]);
    for (size_t k = 0; k < count; k++) {
        run(list[k]);
        free(list[k]);
    }
    free(list);
    printf("%zu cases, %u failures\n", count, failures);
    return failures || (!count && argc < 2);
}
