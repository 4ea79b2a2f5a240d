/* What the sub-commands share: exit codes, messages, compile options from the command line, sources from
 * files. */
#ifndef TOOLS_CLI_H
#define TOOLS_CLI_H

#include "file.h"

#include <qpucc/fixed.h>

#include <getopt.h>
#include <jansson.h>
#include <stdio.h>

enum exit_code { EXIT_DONE = 0, EXIT_USAGE = 1, EXIT_SOURCE = 2, EXIT_NO_FIT = 3, EXIT_INTERNAL = 4 };

/* Sub-commands: argv[0] is the sub-command's own name. */
int command_compile(int argc, char **argv);
int command_run(int argc, char **argv);
int command_dis(int argc, char **argv);
int command_as(int argc, char **argv);
int command_cl(int argc, char **argv);
int command_check(int argc, char **argv);
int command_opt(int argc, char **argv);
int command_debug(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_fixed(int argc, char **argv);
int command_report(int argc, char **argv);
int command_selftest(int argc, char **argv);
int command_serve(int argc, char **argv);

/* "qpucc: error: text" on standard error; returns EXIT_USAGE. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- compile options ------------------------------------------------------------------------------------ */

#define CLI_MAX_LIST 256

struct cli_input {
    const char *path; /* of a text in memory: its name, for messages and for the stage */
    const char *text; /* NULL: the file's */
    size_t size;
    int stage;    /* enum qpucc_stage, or -1: by name or contents */
    int language; /* enum qpucc_language, or -1: by contents */
};

/* A text in memory has a stage in any case: what its name and its contents do not say is a fragment shader.
 */
struct cli_input cli_text_input(const char *name, const char *text, size_t size, int stage);

/* A value for specialisation constants; stage -1: of every module that has the id. */
struct cli_spec {
    int stage;
    uint32_t id, bits;
};

/* Of diagnostics: --diagnostics. */
enum cli_form { CLI_TEXT, CLI_JSON, CLI_SARIF };

struct cli_options {
    struct qpucc_options compile;
    struct qpucc_state state;
    struct qpucc_draw_state values; /* of a draw, from the state's file */
    bool primitive_given, state_given;
    const char *defines[CLI_MAX_LIST], *includes[CLI_MAX_LIST];
    struct cli_input inputs[CLI_MAX_LIST];
    size_t input_count;
    const char *sets[CLI_MAX_LIST]; /* of --set */
    size_t set_count;
    struct cli_spec specs[CLI_MAX_LIST]; /* of --spec */
    size_t spec_count;
    struct qpucc_fixed fixed; /* instead of sources, if fixed_path is not NULL */
    const char *fixed_path;
    int next_stage;      /* of the inputs that follow: -fshader-stage */
    int next_language;   /* -x */
    const char *version; /* -std=: "300 es"; NULL: each source's own */
    bool no_warnings, warnings_are_errors, verbose, time_passes;
    int color; /* of diagnostics: 1 always, 0 never, -1 on a terminal */
    enum cli_form diagnostics;
    unsigned max_errors; /* printed; 0: all */
};

/* Short options of every command that compiles; getopt_long's long ones are made by the command. */
#define CLI_SHORT "-D:U:I:O::f:m:x:g::s:vwW:"
enum cli_long {
    CLI_PRINT_AFTER = 1000,
    CLI_TIME_PASSES,
    CLI_PRIMITIVE,
    CLI_DEPTH,
    CLI_FLIP_Y,
    CLI_LIMIT,
    CLI_FIXED,
    CLI_STATE,
    CLI_TARGET_ENV,
    CLI_SET,
    CLI_SPEC,
    CLI_DIAGNOSTICS,
    CLI_HELP,
    CLI_OWN
};
#define CLI_LONG                                                                                             \
    {"print-after", required_argument, NULL, CLI_PRINT_AFTER},                                               \
        {"time-passes", no_argument, NULL, CLI_TIME_PASSES},                                                 \
        {"primitive", required_argument, NULL, CLI_PRIMITIVE}, {"depth", no_argument, NULL, CLI_DEPTH},      \
        {"flip-y", no_argument, NULL, CLI_FLIP_Y}, {"limit", required_argument, NULL, CLI_LIMIT},            \
        {"state", required_argument, NULL, CLI_STATE}, {"fixed", required_argument, NULL, CLI_FIXED},        \
        {"target-env", required_argument, NULL, CLI_TARGET_ENV}, {"set", required_argument, NULL, CLI_SET},  \
        {"spec", required_argument, NULL, CLI_SPEC},                                                         \
        {"diagnostics", required_argument, NULL, CLI_DIAGNOSTICS}, {                                         \
        "help", no_argument, NULL, CLI_HELP                                                                  \
    }

/* "shipped", "guide", or a profile's file. False: said what is wrong. */
bool cli_read_chip(const char *name, struct qpucc_chip *chip);

void cli_init(struct cli_options *options);
/* Takes an option that getopt returned (or a file name: 1). 1: taken, 0: not one of these, -1: wrong, said
 * so. */
int cli_option(struct cli_options *options, int option, const char *argument);
/* After all options: takes the names that are left. False: there is nothing to compile, or too much, and that
 * was said. */
bool cli_inputs(struct cli_options *options, int argc, char **argv);

/* --- compiling (sources.c) ------------------------------------------------------------------------------ */

/* A line of a single-file shader that says how a user may set a uniform:
 * #pragma parameter NAME "what it is" INITIAL LEAST GREATEST STEP (libretro's form). */
struct cli_parameter {
    char name[64], text[128];
    double initial, least, greatest, step;
};

/* The inputs as they go to the compiler: read, with the version and the definitions that options ask for. A
 * file for both stages is two sources. */
struct cli_sources {
    struct qpucc_source source[CLI_MAX_LIST];
    struct qpucc_source shown[CLI_MAX_LIST]; /* the same with the files' own texts, for messages */
    struct file_data file[CLI_MAX_LIST], rewritten[CLI_MAX_LIST];
    size_t count;
    struct cli_parameter *parameters;
    size_t parameter_count;
};

/* False: a file's fault, said so. Free it in any case. */
bool cli_read(const struct cli_options *options, struct cli_sources *sources);
/* The vertex shader of a picture whose only source is a Shadertoy's mainImage; nothing if it is not. */
bool cli_add_vertex(const struct cli_options *options, struct cli_sources *sources);
void cli_sources_free(struct cli_sources *sources);

/* Compiles sources [first, first + count). Diagnostics are printed on standard error, and with --time-passes
 * the times. NULL: out of memory or a wrong --set or --spec, said so. */
qpucc_program *cli_compile_sources(struct cli_options *options, const struct cli_sources *sources,
                                   size_t first, size_t count);
/* The program for the values that --set gives, instead of the one that it takes; that one without such
 * options, or if it has errors. NULL: a fault of an option, said so. */
qpucc_program *cli_specialise(const struct cli_options *options, qpucc_program *program);
/* spec.c: takes what --spec gives. False: said what is wrong. */
bool cli_spec_option(struct cli_options *options, const char *argument);
/* The same for these sources, into the list, *used of them. False: none has a constant with that id, said so.
 */
bool cli_spec_constants(const struct cli_options *options, const struct qpucc_source *sources, size_t count,
                        struct qpucc_spec_constant list[2 * CLI_MAX_LIST], size_t *used);
/* All inputs as one program, which has one source a stage. NULL: a fault of the call, said so. */
qpucc_program *cli_compile(struct cli_options *options, const struct cli_sources *sources);
/* Does the line after #line have its number (ES, and since 3.30), or the line of the directive itself? */
bool cli_numbers_next_line(const char *text, size_t size);
/* Whether warnings count as errors: -Werror, unless -w drops them all. */
bool cli_warnings_fail(const struct cli_options *options);
/* The program's status, or a source error where a warning counts as one. */
int cli_exit_code(const qpucc_program *program, const struct cli_options *options);
/* diagnostics.c: with the lines of the sources, or as one document of JSON or SARIF 2.1 */
void cli_print_diagnostics(const qpucc_program *program, const struct cli_options *options,
                           const struct qpucc_source *sources, size_t count);

/* The length of the line that is called `number`, as #line counts; 0: none is, or more than one. */
size_t cli_source_line(const char *text, size_t size, unsigned number, const char **line);

/* The stage that a file's name says, or -1. Compound suffixes (a.frag.spv) count. */
int cli_stage_of_name(const char *path);
/* The stage that a word or its usual abbreviation says, or -1. */
int cli_stage_of_word(const char *word);

/* Writes text or JSON to `path`, standard output if NULL. Returns an exit code. */
int cli_write(const char *path, const void *data, size_t size);
int cli_write_json(const char *path, const json_t *json, size_t flags);

/* --- programs as JSON (stats.c) ------------------------------------------------------------------------- */

#define CLI_STATS_SCHEMA "qpucc-stats-1"
#define CLI_PROGRAM_SCHEMA "qpucc-program-1"

json_t *cli_stage_json(const qpucc_program *program, enum qpucc_stage stage);
json_t *cli_stages_json(const qpucc_program *program, bool code); /* with words and streams */
json_t *cli_diagnostics_json(const qpucc_program *program);
json_t *cli_diagnostic_json(const struct qpucc_diagnostic *diagnostic, const char *severity);
/* Of the chip profile that it was compiled for. */
const char *cli_chip_name(const qpucc_program *program);
/* A text of the user's, such as a file's name; one that is not UTF-8 is left out, not the whole document. */
json_t *cli_json_text(const char *text);
json_t *cli_stats_json(const qpucc_program *program, const char *name);
json_t *cli_program_json(const qpucc_program *program, const char *name);
/* What goes into record and control list, as members of `out`. */
void cli_layout_json(const qpucc_program *program, json_t *out);
void cli_print_stats(const qpucc_program *program, FILE *out);
/* The loops of a stage: the indices of the branches that go back, in order. Returns their number; writes at
 * most `max`. */
size_t cli_loops(const qpucc_program *program, enum qpucc_stage stage, size_t *out, size_t max);
/* The index that the branch at `index` goes to. */
size_t cli_branch_target(const qpucc_program *program, enum qpucc_stage stage, size_t index);
/* A C header: code, streams and layouts as static arrays, for firmware and tests. `name` begins all names. */
char *cli_c_header(const qpucc_program *program, const char *name, size_t *size);

#endif
