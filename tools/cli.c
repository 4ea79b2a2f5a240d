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

static void print_ir(void *user, enum qpucc_stage stage, const char *pass, const char *text) {
    (void)user;
    fprintf(stderr, "; %s shader after %s\n%s\n", qpucc_stage_name(stage), pass, text);
}

void cli_init(struct cli_options *options) {
    memset(options, 0, sizeof *options);
    options->compile = qpucc_options_default();
    options->compile.defines = options->defines;
    options->compile.include_dirs = options->includes;
    options->next_stage = options->next_language = options->color = -1;
}

static int add(const char **list, size_t *count, const char *item) {
    if (*count == CLI_MAX_LIST) {
        complain("more than %d of one option", CLI_MAX_LIST);
        return -1;
    }
    list[(*count)++] = item;
    return 1;
}

static void set_policy(struct cli_options *o, enum qpucc_policy policy) {
    o->compile.flags = (o->compile.flags & ~(uint32_t)QPUCC_POLICY_BITS) | policy;
}

static void drop_policy(struct cli_options *o, enum qpucc_policy policy) {
    if ((o->compile.flags & QPUCC_POLICY_BITS) == policy)
        set_policy(o, QPUCC_POLICY_DEFAULT);
}

static int uniform_precision(struct cli_options *o, const char *text) {
    static const char *const modes[] = {"error", "highp", "warn"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(text, modes[i])) {
            o->compile.uniform_precision = (enum qpucc_uniform_precision)i;
            return 1;
        }
    return complain("-funiform-precision=%s: must be error, highp or warn", text), -1;
}

/* 0 means no copies, as the name says; in the library's options it is the default. */
static int unroll(struct cli_options *o, const char *text) {
    char *end = NULL;
    unsigned long value = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    if (!end || *end || value > QPUCC_UNROLL_MOST)
        return complain("-funroll=%s: must be a number of instructions up to %d; 0 keeps loops", text,
                        QPUCC_UNROLL_MOST),
               -1;
    o->compile.unroll = (uint32_t)value;
    o->compile.flags &= ~(uint32_t)QPUCC_NO_UNROLL;
    o->compile.flags |= value ? 0 : (uint32_t)QPUCC_NO_UNROLL;
    return 1;
}

static int max_errors(struct cli_options *o, const char *text) {
    char *end = NULL;
    unsigned long value = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    if (!end || *end || value > 1000000)
        return complain("-fmax-errors=%s: must be a whole number; 0 shows all", text), -1;
    o->max_errors = (unsigned)value;
    return 1;
}

static int diagnostics_option(struct cli_options *o, const char *form) {
    static const char *const forms[] = {"text", "json", "sarif"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(form, forms[i])) {
            o->diagnostics = (enum cli_form)i;
            return 1;
        }
    return complain("--diagnostics=%s: must be text, json or sarif", form), -1;
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
    else if (!strcmp(text, "fast-math"))
        set_policy(o, QPUCC_POLICY_FAST);
    else if (!strcmp(text, "precise"))
        set_policy(o, QPUCC_POLICY_PRECISE);
    else if (!strcmp(text, "no-fast-math"))
        drop_policy(o, QPUCC_POLICY_FAST);
    else if (!strcmp(text, "no-precise"))
        drop_policy(o, QPUCC_POLICY_PRECISE);
    else if (!strcmp(text, "no-uniform-expressions"))
        o->compile.flags |= QPUCC_NO_UNIFORM_EXPRESSIONS;
    else if (!strcmp(text, "no-unroll"))
        o->compile.flags |= QPUCC_NO_UNROLL;
    else if (!strcmp(text, "unroll")) {
        o->compile.flags &= ~(uint32_t)QPUCC_NO_UNROLL;
        o->compile.unroll = 0;
    } else if (!strcmp(text, "no-uniform-branches"))
        o->compile.flags |= QPUCC_NO_UNIFORM_BRANCHES;
    else if (!strcmp(text, "uniform-branches"))
        o->compile.flags &= ~(uint32_t)QPUCC_NO_UNIFORM_BRANCHES;
    else if (!strcmp(text, "diagnostics-color=always") || !strcmp(text, "diagnostics-color=never"))
        o->color = text[18] == 'a';
    else if (!strcmp(text, "diagnostics-color=auto"))
        o->color = -1;
    else if (!strcmp(text, "permissive"))
        o->compile.flags |= QPUCC_PERMISSIVE;
    else if (!strcmp(text, "no-permissive"))
        o->compile.flags &= ~(uint32_t)QPUCC_PERMISSIVE;
    else if (!strncmp(text, "uniform-precision=", 18))
        return uniform_precision(o, text + 18);
    else if (!strncmp(text, "unroll=", 7))
        return unroll(o, text + 7);
    else if (!strncmp(text, "max-errors=", 11))
        return max_errors(o, text + 11);
    else if (!strcmp(text, "uniform-expressions"))
        o->compile.flags &= ~(uint32_t)QPUCC_NO_UNIFORM_EXPRESSIONS;
    else {
        complain("unknown option -f%s", text);
        return -1;
    }
    return 1;
}

bool cli_read_chip(const char *name, struct qpucc_chip *chip) {
    struct file_data file;
    char error[500];
    *chip = (struct qpucc_chip){{0}};
    if (!strcmp(name, "guide"))
        *chip = qpucc_chip_guide();
    if (!strcmp(name, "guide") || !strcmp(name, "shipped"))
        return true;
    if (!file_read(name, &file, error, sizeof error))
        return complain("the chip is neither shipped nor guide, nor a file: %s", error), false;
    bool ok = qpucc_chip_parse(file.data, file.size, chip, error, sizeof error);
    if (!ok)
        complain("%s: %s", name, error);
    file_free(&file);
    return ok;
}

static int machine_option(struct cli_options *o, const char *text) {
    if (strncmp(text, "chip=", 5) || !text[5])
        return complain("-m%s: the option is -mchip=shipped, -mchip=guide or -mchip=FILE", text), -1;
    return cli_read_chip(text + 5, &o->compile.chip) ? 1 : -1;
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

/* As in cc: takes back the -D of that name so far. */
static int undefine(struct cli_options *o, const char *name) {
    size_t length = strlen(name), left = 0;
    for (size_t i = 0; i < o->compile.define_count; i++) {
        const char *define = o->defines[i];
        if (strncmp(define, name, length) ||
            (define[length] && define[length] != '=' && define[length] != '('))
            o->defines[left++] = define;
    }
    o->compile.define_count = left;
    return 1;
}

static int language_option(struct cli_options *o, const char *name) {
    o->next_language = !strcmp(name, "glsl")                            ? QPUCC_GLSL
                       : !strcmp(name, "spirv") || !strcmp(name, "spv") ? QPUCC_SPIRV
                                                                        : -1;
    if (o->next_language >= 0 || !strcmp(name, "none"))
        return 1;
    if (!strcmp(name, "hlsl"))
        return complain("-x hlsl: HLSL is not supported; compile it to SPIR-V for OpenGL first"), -1;
    return complain("-x %s: must be glsl, spirv or none", name), -1;
}

/* glslc's form, "330core", to that of #version. */
static int version_option(struct cli_options *o, const char *text) {
    static const char *const versions[][2] = {
        {"100", "100"},
        {"100es", "100"},
        {"110", "110"},
        {"120", "120"},
        {"130", "130"},
        {"140", "140"},
        {"150", "150"},
        {"150core", "150 core"},
        {"150compatibility", "150 compatibility"},
        {"300es", "300 es"},
        {"330", "330"},
        {"330core", "330 core"},
        {"330compatibility", "330 compatibility"},
    };
    if (strncmp(text, "td=", 3))
        return complain("unknown option -s%s", text), -1;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (!strcmp(text + 3, versions[i][0])) {
            o->version = versions[i][1];
            return 1;
        }
    return complain("-s%s: the versions are 100, 300es, 110, 120, 130, 140, 150 and 330; 150 and 330 "
                    "also with core or compatibility",
                    text),
           -1;
}

/* "unused-uniform", "all", "no-portability": the last one counts. */
static int named_warning(struct cli_options *o, const char *text) {
    bool on = strncmp(text, "no-", 3) != 0;
    uint32_t bits = qpucc_warning_bits(on ? text : text + 3);
    o->compile.warnings = on ? o->compile.warnings | bits : o->compile.warnings & ~bits;
    o->compile.no_warnings = on ? o->compile.no_warnings & ~bits : o->compile.no_warnings | bits;
    if (bits)
        return 1;
    char names[800] = "";
    for (unsigned i = 0; i < QPUCC_WARNING_COUNT; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), ", %s",
                 qpucc_warning_name((enum qpucc_warning)i));
    return complain("-W%s: the warnings are all, portability, performance%s; also error, no-error, and no- "
                    "before a name",
                    text, names),
           -1;
}

static int warning_option(struct cli_options *o, const char *text) {
    if (!strcmp(text, "error"))
        o->warnings_are_errors = true;
    else if (!strcmp(text, "no-error"))
        o->warnings_are_errors = false;
    else if (!strcmp(text, "extra"))
        o->compile.warnings |= qpucc_warning_bits("all");
    else
        return named_warning(o, text);
    return 1;
}

static int target_option(const char *text) {
    if (!strcmp(text, "opengl") || !strcmp(text, "opengl_compat"))
        return 1;
    if (!strncmp(text, "vulkan", 6))
        return complain("--target-env=%s: the hardware has OpenGL ES 2's features; Vulkan needs more", text),
               -1;
    return complain("--target-env=%s: must be opengl or opengl_compat", text), -1;
}

static int level_option(struct cli_options *o, const char *level) {
    if (level && !strcmp(level, "s"))
        level = NULL; /* every level counts instructions: -Os is the default */
    if (level && (level[0] < '0' || level[0] > '3' || level[1]))
        return complain("-O%s: the level must be 0 to 3, or s", level), -1;
    o->compile.opt_level = level ? level[0] - '0' : 2;
    return 1;
}

static int lines_option(struct cli_options *o, const char *level) {
    if (level && (level[0] < '0' || level[0] > '3' || level[1]))
        return complain("-g%s: must be -g, or -g0 for a program without source lines", level), -1;
    o->compile.flags &= ~(uint32_t)QPUCC_GENERATE_LINES;
    o->compile.flags |= level && *level == '0' ? 0 : QPUCC_GENERATE_LINES;
    return 1;
}

int cli_option(struct cli_options *o, int option, const char *argument) {
    switch (option) {
    case 1:
        if (o->input_count == CLI_MAX_LIST)
            return complain("too many files"), -1;
        o->inputs[o->input_count++] =
            (struct cli_input){.path = argument, .stage = o->next_stage, .language = o->next_language};
        return 1;
    case 'D': return add(o->defines, &o->compile.define_count, argument);
    case 'I': return add(o->includes, &o->compile.include_dir_count, argument);
    case 'f': return feature_option(o, argument);
    case 'm': return machine_option(o, argument);
    case 'O': return level_option(o, argument);
    case 'U': return undefine(o, argument);
    case 'x': return language_option(o, argument);
    case 's': return version_option(o, argument);
    case 'W': return warning_option(o, argument);
    case 'w': o->no_warnings = true; return 1;
    case 'v': o->verbose = true; return 1;
    case 'g': return lines_option(o, argument);
    case CLI_DIAGNOSTICS: return diagnostics_option(o, argument);
    case CLI_TARGET_ENV: return target_option(argument);
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
    case CLI_TIME_PASSES: o->time_passes = true; return 1;
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
    case CLI_SET:
        if (o->set_count == CLI_MAX_LIST)
            return complain("more than %d --set", CLI_MAX_LIST), -1;
        o->sets[o->set_count++] = argument;
        return 1;
    case CLI_SPEC: return cli_spec_option(o, argument) ? 1 : -1;
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

bool cli_inputs(struct cli_options *options, int argc, char **argv) {
    for (int i = optind; i < argc; i++)
        if (cli_option(options, 1, argv[i]) < 0)
            return false;
    if (options->fixed_path && options->input_count)
        complain("a fixed-function state has no shaders");
    else if (!options->fixed_path && !options->input_count)
        complain("no input files");
    else
        return true;
    return false;
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
