/* Options, inputs and messages common to the sub-commands. */
#include "cli.h"
#include "fixed_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int complain(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fputs("qpucc: error: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    return EXIT_USAGE;
}

/* --- options -------------------------------------------------------------------------------------------- */

/* Times summed by pass, printed when the compile is over. */
struct timing_row {
    char name[32];
    double seconds;
    unsigned runs;
};

struct timing {
    struct timing_row rows[64];
    size_t count;
};

static void print_ir(void *user, enum qpucc_stage stage, const char *pass, const char *text) {
    (void)user;
    fprintf(stderr, "; %s shader after %s\n%s\n", qpucc_stage_name(stage), pass, text);
}

static void add_time(void *user, enum qpucc_stage stage, const char *pass, double seconds) {
    struct timing *timing = user;
    size_t i = 0;
    (void)stage;
    while (i < timing->count && strcmp(timing->rows[i].name, pass))
        i++;
    if (i == sizeof timing->rows / sizeof *timing->rows)
        return;
    if (i == timing->count)
        snprintf(timing->rows[timing->count++].name, sizeof timing->rows[i].name, "%s", pass);
    timing->rows[i].seconds += seconds;
    timing->rows[i].runs++;
}

static int by_time(const void *a, const void *b) {
    double x = ((const struct timing_row *)a)->seconds, y = ((const struct timing_row *)b)->seconds;
    return x < y ? 1 : x > y ? -1 : 0;
}

static void print_times(struct timing *timing) {
    double total = 0;
    qsort(timing->rows, timing->count, sizeof *timing->rows, by_time);
    for (size_t i = 0; i < timing->count; i++)
        total += timing->rows[i].seconds;
    fprintf(stderr, "%-20s %6s %10s %7s\n", "pass", "runs", "ms", "%");
    for (size_t i = 0; i < timing->count; i++)
        fprintf(stderr, "%-20s %6u %10.3f %6.1f%%\n", timing->rows[i].name, timing->rows[i].runs,
                timing->rows[i].seconds * 1e3, total > 0 ? 100 * timing->rows[i].seconds / total : 0);
    fprintf(stderr, "%-20s %6s %10.3f\n", "total", "", total * 1e3);
}

void cli_init(struct cli_options *options) {
    memset(options, 0, sizeof *options);
    options->compile = qpucc_options_default();
    options->compile.defines = options->defines;
    options->compile.include_dirs = options->includes;
    options->next_stage = -1;
}

static int add(const char **list, size_t *count, const char *item) {
    if (*count == CLI_MAX_LIST) {
        complain("more than %d of one option", CLI_MAX_LIST);
        return -1;
    }
    list[(*count)++] = item;
    return 1;
}

static int feature_option(struct cli_options *o, const char *text) {
    if (!strncmp(text, "shader-stage=", 13)) {
        int stage = cli_stage_of_word(text + 13);
        if (stage != QPUCC_FRAGMENT && stage != QPUCC_VERTEX) {
            complain("-fshader-stage=%s: must be vertex or fragment", text + 13);
            return -1;
        }
        o->next_stage = stage;
        return 1;
    }
    if (!strcmp(text, "default-precision=mediump"))
        o->compile.default_precision = QPUCC_PRECISION_MEDIUMP;
    else if (!strcmp(text, "default-precision=highp"))
        o->compile.default_precision = QPUCC_PRECISION_HIGHP;
    else if (!strcmp(text, "no-uniform-expressions"))
        o->compile.flags |= QPUCC_NO_UNIFORM_EXPRESSIONS;
    else if (!strcmp(text, "uniform-expressions"))
        o->compile.flags &= ~(uint32_t)QPUCC_NO_UNIFORM_EXPRESSIONS;
    else {
        complain("unknown option -f%s", text);
        return -1;
    }
    return 1;
}

/* "work=50000000" */
static int limit_option(struct cli_options *o, const char *text) {
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    for (int k = 0; k < QPUCC_LIMIT_COUNT; k++) {
        const char *name = qpucc_limit_name((enum qpucc_limit)k);
        if (strlen(name) != length || strncmp(name, text, length))
            continue;
        char *end = NULL;
        errno = 0;
        unsigned long long value =
            equals && equals[1] >= '0' && equals[1] <= '9' ? strtoull(equals + 1, &end, 10) : 0;
        if (!value || *end || errno)
            return complain("--limit=%s: a whole number above 0 follows the name, as in --limit=%s=%llu",
                            text, name, (unsigned long long)qpucc_limit_default((enum qpucc_limit)k)),
                   -1;
        o->compile.limit[k] = value;
        return 1;
    }
    char names[400] = "";
    for (int k = 0; k < QPUCC_LIMIT_COUNT; k++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", k ? ", " : "",
                 qpucc_limit_name((enum qpucc_limit)k));
    return complain("--limit=%s: the limits are %s", text, names), -1;
}

int cli_option(struct cli_options *o, int option, const char *argument) {
    switch (option) {
    case 1:
        if (o->input_count == CLI_MAX_LIST)
            return complain("too many files"), -1;
        o->inputs[o->input_count++] = (struct cli_input){argument, o->next_stage};
        return 1;
    case 'D': return add(o->defines, &o->compile.define_count, argument);
    case 'I': return add(o->includes, &o->compile.include_dir_count, argument);
    case 'f': return feature_option(o, argument);
    case 'O':
        if (argument && (argument[0] < '0' || argument[0] > '3' || argument[1]))
            return complain("-O%s: the level must be 0 to 3", argument), -1;
        o->compile.opt_level = argument ? argument[0] - '0' : 2;
        return 1;
    case CLI_PRINT_AFTER: {
        bool known = !strcmp(argument, "all");
        for (size_t i = 0; !known && qpucc_pass_name(i, NULL); i++)
            known = !strcmp(argument, qpucc_pass_name(i, NULL));
        if (!known)
            return complain("no pass is called '%s' (qpucc opt --list names them)", argument), -1;
        o->compile.print_after = argument;
        o->compile.on_ir = print_ir;
        return 1;
    }
    case CLI_TIME_PASSES: o->compile.on_pass_time = add_time; return 1;
    case CLI_PRIMITIVE:
        if (strcmp(argument, "triangles") && strcmp(argument, "lines") && strcmp(argument, "points"))
            return complain("--primitive=%s: must be triangles, lines or points", argument), -1;
        o->state.primitive = argument[0] == 't'   ? QPUCC_TRIANGLES
                             : argument[0] == 'l' ? QPUCC_LINES
                                                  : QPUCC_POINTS;
        o->primitive_given = true;
        return 1;
    case CLI_DEPTH: o->state.depth_test = true; return 1;
    case CLI_FLIP_Y: o->state.flip_y = true; return 1;
    case CLI_LIMIT: return limit_option(o, argument);
    case CLI_STATE: {
        char error[600];
        o->state_given = true;
        return state_file_read(&o->state, &o->values, argument, error, sizeof error)
                   ? 1
                   : (complain("%s", error), -1);
    }
    case CLI_FIXED: {
        char error[600];
        o->fixed_path = argument;
        return fixed_file_read(&o->fixed, argument, error, sizeof error) ? 1 : (complain("%s", error), -1);
    }
    default: return 0;
    }
}

/* --- stages --------------------------------------------------------------------------------------------- */

int cli_stage_of_word(const char *word) {
    static const struct {
        const char *word;
        int stage;
    } words[] = {{"fragment", QPUCC_FRAGMENT},
                 {"frag", QPUCC_FRAGMENT},
                 {"fs", QPUCC_FRAGMENT},
                 {"fsh", QPUCC_FRAGMENT},
                 {"fp", QPUCC_FRAGMENT},
                 {"vertex", QPUCC_VERTEX},
                 {"vert", QPUCC_VERTEX},
                 {"vs", QPUCC_VERTEX},
                 {"vsh", QPUCC_VERTEX},
                 {"vp", QPUCC_VERTEX},
                 {"coordinate", QPUCC_COORDINATE},
                 {"cs", QPUCC_COORDINATE}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(word, words[i].word))
            return words[i].stage;
    return -1;
}

int cli_stage_of_name(const char *path) {
    const char *slash = strrchr(path, '/');
    char name[256];
    snprintf(name, sizeof name, "%s", slash ? slash + 1 : path);
    for (int tries = 0; tries < 2; tries++) {
        char *dot = strrchr(name, '.');
        if (!dot)
            return -1;
        int stage = cli_stage_of_word(dot + 1);
        if (stage >= 0)
            return stage;
        *dot = 0;
    }
    return -1;
}

static bool is_spirv(const struct file_data *file) {
    static const unsigned char magic[2][4] = {{0x03, 0x02, 0x23, 0x07}, {0x07, 0x23, 0x02, 0x03}};
    return file->size >= 4 && (!memcmp(file->data, magic[0], 4) || !memcmp(file->data, magic[1], 4));
}

/* The execution model of a module's first entry point; -1 if it has none for us. */
static int stage_of_module(const struct file_data *file) {
    size_t words = file->size / 4;
    for (size_t at = 5; at < words;) {
        uint32_t word[2] = {0, 0};
        memcpy(word, file->data + at * 4, at + 1 < words ? 8 : 4);
        if ((word[0] & 0xffff) == 15) /* OpEntryPoint */
            return word[1] == 0 ? QPUCC_VERTEX : word[1] == 4 ? QPUCC_FRAGMENT : -1;
        if (!(word[0] >> 16))
            return -1;
        at += word[0] >> 16;
    }
    return -1;
}

/* --- compiling ------------------------------------------------------------------------------------------ */

int cli_exit_code(const qpucc_program *program) {
    return (int)qpucc_program_status(program); /* the two enumerations agree on purpose */
}

qpucc_program *cli_compile(struct cli_options *o) {
    struct qpucc_source sources[CLI_MAX_LIST];
    struct file_data files[CLI_MAX_LIST];
    struct timing *timing = NULL;
    qpucc_program *program = NULL;
    size_t read = 0;
    char error[400];
    for (; read < o->input_count; read++) {
        const struct cli_input *in = &o->inputs[read];
        struct qpucc_source *s = &sources[read];
        if (!file_read(in->path, &files[read], error, sizeof error)) {
            complain("%s", error);
            goto out;
        }
        int stage = in->stage;
        bool module = is_spirv(&files[read]);
        const char *dot = strrchr(in->path, '.');
        if (stage < 0)
            stage = cli_stage_of_name(in->path);
        if (stage < 0 && module)
            stage = stage_of_module(&files[read]);
        *s = (struct qpucc_source){.name = strcmp(in->path, "-") ? in->path : "<stdin>",
                                   .data = files[read].data,
                                   .size = files[read].size,
                                   .stage = (enum qpucc_stage)stage,
                                   .language =
                                       module || (dot && !strcmp(dot, ".spv")) ? QPUCC_SPIRV : QPUCC_GLSL};
        if (stage != QPUCC_FRAGMENT && stage != QPUCC_VERTEX) {
            complain("%s: unknown stage: name it .vert or .frag, or put -fshader-stage= before it", s->name);
            read++;
            goto out;
        }
    }
    for (size_t i = 0; i < read; i++)
        for (size_t k = 0; k < i; k++)
            if (sources[i].stage == sources[k].stage) {
                complain("%s and %s are both %s shaders; a program has one of each", sources[k].name,
                         sources[i].name, qpucc_stage_name(sources[i].stage));
                goto out;
            }
    if (o->compile.on_pass_time) {
        timing = calloc(1, sizeof *timing);
        if (!timing)
            goto out;
        o->compile.user = timing;
    }
    program = o->fixed_path ? qpucc_compile_fixed(&o->fixed, &o->state, &o->compile)
                            : qpucc_compile(sources, o->input_count, &o->state, &o->compile);
    if (!program)
        complain("out of memory");
    else
        cli_print_diagnostics(program, sources, o->input_count);
    if (timing)
        print_times(timing);
out:
    free(timing);
    for (size_t i = 0; i < read; i++)
        file_free(&files[i]);
    return program;
}

/* --- output --------------------------------------------------------------------------------------------- */

int cli_write(const char *path, const void *data, size_t size) {
    char error[400];
    if (file_write(path ? path : "-", data, size, error, sizeof error))
        return EXIT_DONE;
    return complain("%s", error);
}

int cli_write_json(const char *path, const json_t *json, size_t flags) {
    char *text = json ? json_dumps(json, flags) : NULL;
    if (!text)
        return complain("out of memory"), EXIT_INTERNAL;
    size_t length = strlen(text);
    text[length] = '\n'; /* in place of the NUL */
    int code = cli_write(path, text, length + 1);
    free(text);
    return code;
}
