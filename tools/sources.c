/* Inputs from files to programs: which stage each is, what options add to its text, the compile itself. */

#define _GNU_SOURCE /* memmem */
#include "cli.h"
#include "shadertoy.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* --- SPIR-V --------------------------------------------------------------------------------------------- */

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

/* --- GLSL ----------------------------------------------------------------------------------------------- */

/* After blanks and comments. */
static const char *skip_blank(const char *at, const char *end) {
    while (at < end) {
        if (isspace((unsigned char)*at))
            at++;
        else if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
            while (at < end && *at != '\n')
                at++;
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
            for (at += 2; at < end && (at[0] != '*' || at + 1 == end || at[1] != '/');)
                at++;
            at = end - at >= 2 ? at + 2 : end;
        } else
            break;
    }
    return at;
}

/* Where #version stands and where its line ends; the text's beginning if there is none. */
static bool find_version(const char *text, size_t size, size_t *begin, size_t *stop) {
    const char *end = text + size, *at = skip_blank(text, end), *word = at;
    *begin = *stop = 0;
    if (at == end || *at != '#')
        return false;
    for (word++; word < end && (*word == ' ' || *word == '\t');)
        word++;
    if (end - word < 7 || strncmp(word, "version", 7))
        return false;
    *begin = (size_t)(at - text);
    while (word < end && *word != '\n')
        word++;
    *stop = (size_t)(word - text);
    return true;
}

static unsigned lines_before(const char *text, size_t at) {
    unsigned line = 1;
    for (size_t i = 0; i < at; i++)
        line += text[i] == '\n';
    return line;
}

static bool numbers_next_line(const char *version, size_t length) {
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)length, version);
    const char *digits = strpbrk(word, "0123456789");
    long number = digits ? strtol(digits, NULL, 10) : 100;
    return number == 100 || number >= 330 || strstr(word, "es");
}

bool cli_numbers_next_line(const char *text, size_t size) {
    size_t begin, stop;
    bool has = find_version(text, size, &begin, &stop);
    return !has || numbers_next_line(text + begin, stop - begin);
}

/* The text with another version and with definitions after it; positions stay what they were. */
static bool rewrite(const struct file_data *file, const char *version, const char *const *defines,
                    struct file_data *rewritten) {
    size_t begin, stop, size = 0;
    char *text = NULL;
    bool has = find_version(file->data, file->size, &begin, &stop);
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return false;
    char line[64];
    if (version)
        snprintf(line, sizeof line, "#version %s", version);
    else
        snprintf(line, sizeof line, "%.*s", has ? (int)(stop - begin < 60 ? stop - begin : 60) : 0,
                 file->data + begin);
    fwrite(file->data, 1, begin, out);
    fprintf(out, "%s\n", line);
    for (; *defines; defines++)
        fprintf(out, "#define %s\n", *defines);
    unsigned next = lines_before(file->data, stop) + (has && stop < file->size);
    fprintf(out, "#line %u\n", numbers_next_line(line, strlen(line)) || !next ? next : next - 1);
    stop += has && stop < file->size; /* its newline */
    fwrite(file->data + stop, 1, file->size - stop, out);
    if (fclose(out) != 0)
        return false;
    *rewritten = (struct file_data){text, size};
    return true;
}

static bool has_word(const struct file_data *file, const char *word) {
    size_t length = strlen(word);
    const char *end = file->data + file->size;
    for (const char *at = file->data; (at = memmem(at, (size_t)(end - at), word, length)); at++)
        if ((at == file->data || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')) &&
            (at + length == end || (!isalnum((unsigned char)at[length]) && at[length] != '_')))
            return true;
    return false;
}

/* A file for both stages asks which one it is compiled for, as libretro's do. */
static bool is_for_both(const struct file_data *file) {
    return has_word(file, "VERTEX") && has_word(file, "FRAGMENT");
}

static bool add_parameter(struct cli_sources *s, const char *line) {
    struct cli_parameter p = {.step = 0};
    if (sscanf(line, " # pragma parameter %63[A-Za-z0-9_] \"%127[^\"]\" %lf %lf %lf %lf", p.name, p.text,
               &p.initial, &p.least, &p.greatest, &p.step) < 5)
        return true;
    struct cli_parameter *grown = realloc(s->parameters, (s->parameter_count + 1) * sizeof p);
    if (!grown)
        return false;
    s->parameters = grown;
    grown[s->parameter_count++] = p;
    return true;
}

static bool read_parameters(struct cli_sources *s, const struct file_data *file) {
    const char *end = file->data + file->size;
    for (const char *at = file->data; at < end; at++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        char line[400];
        snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1), at);
        if (strstr(line, "parameter") && !add_parameter(s, line))
            return false;
        at += length;
    }
    return true;
}

/* --- reading -------------------------------------------------------------------------------------------- */

static bool add_source(struct cli_sources *s, const struct cli_options *o, const struct cli_input *in,
                       struct file_data *file, int stage, bool both) {
    static const char *const stage_defines[] = {"FRAGMENT", "VERTEX"};
    const char *defines[3] = {both ? stage_defines[stage] : NULL, "PARAMETER_UNIFORM", NULL};
    const char *dot = strrchr(in->path, '.');
    bool module =
        in->language >= 0 ? in->language == QPUCC_SPIRV : is_spirv(file) || (dot && !strcmp(dot, ".spv"));
    size_t at = s->count++;
    s->file[at] = *file;
    s->rewritten[at] = (struct file_data){NULL, 0};
    if (!module && !both && stage == QPUCC_FRAGMENT && shadertoy_is(file->data, file->size)) {
        s->rewritten[at].data = shadertoy_wrap(file->data, file->size, &s->rewritten[at].size);
        if (!s->rewritten[at].data)
            return complain("out of memory"), false;
    } else if (!module && (both || o->version) && !rewrite(file, o->version, defines, &s->rewritten[at]))
        return complain("out of memory"), false;
    struct qpucc_source source = {.name = strcmp(in->path, "-") ? in->path : "<stdin>",
                                  .data = file->data,
                                  .size = file->size,
                                  .stage = (enum qpucc_stage)stage,
                                  .language = module ? QPUCC_SPIRV : QPUCC_GLSL};
    s->shown[at] = source;
    if (s->rewritten[at].data)
        source.data = s->rewritten[at].data, source.size = s->rewritten[at].size;
    s->source[at] = source;
    return true;
}

/* What the contents say of a text without a name; it is a fragment shader if it is anything. */
static int stage_of_text(const struct file_data *file) {
    return has_word(file, "gl_Position") ? QPUCC_VERTEX : QPUCC_FRAGMENT;
}

struct cli_input cli_text_input(const char *name, const char *text, size_t size, int stage) {
    return (struct cli_input){.path = name, .text = text, .size = size, .stage = stage, .language = -1};
}

static bool take_input(const struct cli_input *in, struct file_data *file, char *error, size_t size) {
    if (!in->text)
        return file_read(in->path, file, error, size);
    *file = (struct file_data){malloc(in->size + 1), in->size};
    if (!file->data) {
        snprintf(error, size, "out of memory");
        return false;
    }
    memcpy(file->data, in->text, in->size);
    file->data[in->size] = 0;
    return true;
}

static bool read_input(const struct cli_options *o, const struct cli_input *in, struct cli_sources *s) {
    struct file_data file, copy = {NULL, 0};
    char error[400];
    if (s->count + 2 > CLI_MAX_LIST)
        return complain("too many files"), false;
    if (!take_input(in, &file, error, sizeof error))
        return complain("%s", error), false;
    int stage = in->stage >= 0 ? in->stage : cli_stage_of_name(in->path);
    if (stage < 0 && is_spirv(&file))
        stage = stage_of_module(&file);
    bool both = stage < 0 && is_for_both(&file);
    if (stage < 0 && !both && shadertoy_is(file.data, file.size))
        stage = QPUCC_FRAGMENT;
    if (stage < 0 && !both && in->text)
        stage = stage_of_text(&file);
    if (both) {
        bool ok = read_parameters(s, &file);
        copy.data = ok ? malloc(file.size + 1) : NULL;
        if (!copy.data)
            return file_free(&file), complain("out of memory"), false;
        copy.size = file.size;
        memcpy(copy.data, file.data, file.size + 1);
        stage = QPUCC_VERTEX;
        if (!add_source(s, o, in, &copy, QPUCC_FRAGMENT, true))
            return file_free(&file), false;
    }
    if (stage == QPUCC_FRAGMENT || stage == QPUCC_VERTEX)
        return add_source(s, o, in, &file, stage, both);
    complain("%s: unknown stage: name it .vert or .frag, or put -fshader-stage= before it",
             strcmp(in->path, "-") ? in->path : "<stdin>");
    file_free(&file);
    return false;
}

bool cli_read(const struct cli_options *o, struct cli_sources *s) {
    memset(s, 0, sizeof *s);
    for (size_t i = 0; i < o->input_count; i++)
        if (!read_input(o, &o->inputs[i], s))
            return false;
    return true;
}

bool cli_add_vertex(const struct cli_options *o, struct cli_sources *s) {
    if (s->count != 1 || s->source[0].stage != QPUCC_FRAGMENT || s->source[0].language != QPUCC_GLSL ||
        !shadertoy_is(s->shown[0].data, s->shown[0].size))
        return true;
    char *text = shadertoy_vertex(s->shown[0].data, s->shown[0].size);
    if (!text)
        return complain("out of memory"), false;
    struct cli_input in = cli_text_input("mainImage.vert", text, strlen(text), QPUCC_VERTEX);
    bool ok = read_input(o, &in, s);
    free(text);
    return ok;
}

void cli_sources_free(struct cli_sources *s) {
    for (size_t i = 0; i < s->count; i++)
        file_free(&s->file[i]), file_free(&s->rewritten[i]);
    free(s->parameters);
    s->count = s->parameter_count = 0;
    s->parameters = NULL;
}

/* --- compiling ------------------------------------------------------------------------------------------ */

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

bool cli_warnings_fail(const struct cli_options *options) {
    return options->warnings_are_errors && !options->no_warnings;
}

int cli_exit_code(const qpucc_program *program, const struct cli_options *o) {
    int code = (int)qpucc_program_status(program); /* the two enumerations agree on purpose */
    for (size_t i = 0; cli_warnings_fail(o) && i < qpucc_program_diagnostic_count(program); i++)
        if (code == EXIT_DONE && qpucc_program_diagnostic(program, i)->severity == QPUCC_WARNING)
            code = EXIT_SOURCE;
    return code;
}

static void tell_inputs(const struct cli_options *o, const struct qpucc_source *source, size_t count) {
    uint32_t policy = o->compile.flags & QPUCC_POLICY_BITS;
    const char *chip = qpucc_chip_name(&o->compile.chip);
    fprintf(stderr, "qpucc %s, -O%d%s", qpucc_version(), o->compile.opt_level,
            policy == QPUCC_POLICY_FAST      ? ", -ffast-math"
            : policy == QPUCC_POLICY_PRECISE ? ", -fprecise"
                                             : "");
    fprintf(stderr, strcmp(chip, "shipped") ? ", chip %s\n" : "\n", chip);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "%s: %s shader, %s, %zu bytes\n", source[i].name, qpucc_stage_name(source[i].stage),
                source[i].language == QPUCC_SPIRV ? "SPIR-V" : "GLSL", source[i].size);
    for (size_t i = 0; i < o->compile.define_count; i++)
        fprintf(stderr, "defined: %s\n", o->defines[i]);
    for (size_t i = 0; i < o->compile.include_dir_count; i++)
        fprintf(stderr, "includes from: %s\n", o->includes[i]);
}

qpucc_program *cli_compile_sources(struct cli_options *o, const struct cli_sources *s, size_t first,
                                   size_t count) {
    struct timing timing = {.count = 0};
    struct qpucc_spec_constant constants[2 * CLI_MAX_LIST];
    size_t used;
    if (!cli_spec_constants(o, s->source + first, count, constants, &used))
        return NULL;
    o->compile.spec_constants = used ? constants : NULL;
    o->compile.spec_constant_count = used;
    if (o->time_passes) {
        o->compile.on_pass_time = add_time;
        o->compile.user = &timing;
    }
    if (o->verbose)
        tell_inputs(o, s->source + first, count);
    qpucc_program *program = o->fixed_path ? qpucc_compile_fixed(&o->fixed, &o->state, &o->compile)
                                           : qpucc_compile(s->source + first, count, &o->state, &o->compile);
    o->compile.user = NULL;
    o->compile.spec_constants = NULL;
    o->compile.spec_constant_count = 0;
    if (!program)
        complain("out of memory");
    else
        program = cli_specialise(o, program);
    if (program)
        cli_print_diagnostics(program, o, s->shown + first, count);
    if (o->time_passes)
        print_times(&timing);
    return program;
}

qpucc_program *cli_compile(struct cli_options *o, const struct cli_sources *s) {
    for (size_t i = 0; i < s->count; i++)
        for (size_t k = 0; k < i; k++)
            if (s->source[i].stage == s->source[k].stage)
                return complain("%s and %s are both %s shaders; a program has one of each", s->source[k].name,
                                s->source[i].name, qpucc_stage_name(s->source[i].stage)),
                       NULL;
    return cli_compile_sources(o, s, 0, s->count);
}
