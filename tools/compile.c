/* qpucc [options] a.vert b.frag: compile and write what was asked for. */
#include "cli.h"
#include "listing.h"

#include <stdlib.h>
#include <string.h>

enum emit { EMIT_DEFAULT, EMIT_ASM, EMIT_RAW, EMIT_SPIRV, EMIT_IR, EMIT_JSON, EMIT_C, EMIT_QPU, EMIT_TEXT };
enum { OPT_EMIT = CLI_OWN, OPT_STATS, OPT_LISTING };

struct request {
    enum emit emit;
    enum listing_form listing;
    bool stats, stats_json;
    bool objects; /* -c: containers, named after their sources where no output is named */
    const char *output;
    struct dependencies {
        bool only, beside;         /* -M, -MD */
        const char *file, *target; /* -MF, -MT */
    } depend;
};

static bool set_emit(struct request *request, const char *word) {
    static const char *const words[] = {"", "asm", "raw", "spirv", "ir", "json", "c", "qpu"};
    for (int i = EMIT_ASM; i <= EMIT_QPU; i++)
        if (!strcmp(word, words[i])) {
            request->emit = (enum emit)i;
            return true;
        }
    complain("--emit=%s: must be asm, raw, spirv, ir, json, c or qpu", word);
    return false;
}

/* What the program is called: the first file's name without folders and suffixes. */
static void name_of(const struct cli_options *options, char *out, size_t size) {
    const char *path = options->fixed_path    ? options->fixed_path
                       : options->input_count ? options->inputs[0].path
                                              : "",
               *slash = strrchr(path, '/');
    snprintf(out, size, "%s", strcmp(path, "-") ? slash ? slash + 1 : path : "shader");
    for (int tries = 0; tries < 2; tries++) {
        char *dot = strrchr(out, '.');
        if (dot && dot > out &&
            (cli_stage_of_word(dot + 1) >= 0 || !strcmp(dot, ".spv") || !strcmp(dot, ".json") ||
             !strcmp(dot, ".glsl")))
            *dot = 0;
    }
}

static char *join(const char *prefix, const char *stage, const char *suffix) {
    size_t size = strlen(prefix) + strlen(stage) + strlen(suffix) + 3;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s.%s.%s", prefix, stage, suffix);
    return path;
}

/* The tools' files are little-endian whatever the host is. */
static unsigned char *little_endian(const void *words, size_t count, size_t width) {
    unsigned char *bytes = malloc(count * width + 1);
    for (size_t i = 0; bytes && i < count; i++) {
        uint64_t word = width == 8 ? ((const uint64_t *)words)[i] : ((const uint32_t *)words)[i];
        for (size_t b = 0; b < width; b++)
            bytes[i * width + b] = (unsigned char)(word >> 8 * b);
    }
    return bytes;
}

static int write_words(const char *path, const void *words, size_t count, size_t width) {
    unsigned char *bytes = little_endian(words, count, width);
    int code = bytes && path ? cli_write(path, bytes, count * width) : complain("out of memory");
    free(bytes);
    return code;
}

static int emit_raw(const qpucc_program *program, const char *prefix) {
    int code = EXIT_DONE;
    for (int s = 0; s < QPUCC_STAGE_COUNT && code == EXIT_DONE; s++) {
        size_t count;
        const uint64_t *words = qpucc_program_code(program, (enum qpucc_stage)s, &count);
        if (!words)
            continue;
        char *path =
            strcmp(prefix, "-") ? join(prefix, qpucc_stage_name((enum qpucc_stage)s), "bin") : strdup(prefix);
        code = write_words(path, words, count, 8);
        free(path);
    }
    return code;
}

/* A container, which qpucc_program_load reads. */
static int emit_container(const qpucc_program *program, const char *path) {
    size_t size = qpucc_program_save(program, QPUCC_SAVE_IR, NULL, 0);
    void *bytes = size ? malloc(size) : NULL;
    int code = bytes && qpucc_program_save(program, QPUCC_SAVE_IR, bytes, size) == size
                   ? cli_write(path, bytes, size)
                   : (complain("out of memory"), EXIT_INTERNAL);
    free(bytes);
    return code;
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && !strcmp(text + length - tail, end);
}

static char *joined(const char *stem, const char *suffix) {
    char *out = malloc(strlen(stem) + strlen(suffix) + 1);
    if (out)
        sprintf(out, "%s%s", stem, suffix);
    return out;
}

/* "dir/a.frag": "a.frag.qpu" */
static char *container_name(const char *path) {
    const char *slash = strrchr(path, '/'), *name = strcmp(path, "-") ? slash ? slash + 1 : path : "shader";
    return joined(name, ".qpu");
}

static int emit_spirv(const qpucc_program *program, const char *output, const char *name) {
    size_t counts[QPUCC_STAGE_COUNT], modules = 0;
    int code = EXIT_DONE;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        modules += qpucc_program_spirv(program, (enum qpucc_stage)s, &counts[s]) != NULL;
    if (!modules)
        return complain("a fixed-function state has no SPIR-V");
    if (modules > 1 && output && !strcmp(output, "-"))
        return complain("two SPIR-V modules can't share standard output; -o NAME writes a file each");
    for (int s = 0; s < QPUCC_STAGE_COUNT && code == EXIT_DONE; s++) {
        const uint32_t *words = qpucc_program_spirv(program, (enum qpucc_stage)s, NULL);
        if (!words)
            continue;
        if (modules == 1 && output) {
            code = write_words(output, words, counts[s], 4);
            continue;
        }
        char *path = join(output ? output : name, qpucc_stage_name((enum qpucc_stage)s), "spv");
        code = write_words(path, words, counts[s], 4);
        free(path);
    }
    return code;
}

static int emit_ir(const qpucc_program *program, const char *output) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return complain("out of memory"), EXIT_INTERNAL;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        const char *ir = qpucc_program_ir(program, (enum qpucc_stage)s);
        if (ir)
            fprintf(out, "%s%s", ftell(out) ? "\n" : "", ir);
    }
    fclose(out);
    int code = cli_write(output, text, size);
    free(text);
    return code;
}

/* What -E gives: the text of one stage, or of both with a line between them. */
static int emit_text(const qpucc_program *program, const char *output) {
    const char *texts[2];
    size_t count = 0;
    for (int s = 0; s < 2; s++)
        if (qpucc_program_preprocessed(program, (enum qpucc_stage)s))
            texts[count++] = qpucc_program_preprocessed(program, (enum qpucc_stage)s);
    if (count > 1)
        return complain("-E takes one shader: two texts can't share an output");
    if (!count)
        return complain("-E: there is no text to preprocess");
    return cli_write(output, texts[0], strlen(texts[0]));
}

/* --- dependencies --------------------------------------------------------------------------------------- */

/* A name as make reads it, to which a backslash is one but before a character that it quotes. */
static void put_name(FILE *out, const char *name) {
    for (unsigned slashes = 0; *name; name++) {
        if (strchr(" \t#:", *name))
            for (slashes++; slashes; slashes--)
                fputc('\\', out);
        if (*name == '$')
            fputc('$', out);
        fputc(*name, out);
        slashes = *name == '\\' ? slashes + 1 : 0;
    }
}

/* "target: sources and what they include", for make and ninja. Without -o a container's name is that of its
 * source, with the stage. */
static int write_dependencies(const qpucc_program *program, const struct cli_options *options,
                              const struct request *request, const char *name) {
    bool container = request->emit == EMIT_QPU && !request->output && options->input_count;
    char *text = NULL;
    char *made = container ? container_name(options->inputs[0].path) : joined(name, ".asm");
    char *beside = joined(request->output ? request->output : container && made ? made : name, ".d");
    size_t size = 0;
    FILE *out = made && beside ? open_memstream(&text, &size) : NULL;
    if (!out) {
        free(made), free(beside);
        return complain("out of memory"), EXIT_INTERNAL;
    }
    put_name(out, request->depend.target                     ? request->depend.target
                  : request->output && !request->depend.only ? request->output
                                                             : made);
    fputc(':', out);
    for (size_t i = 0; i < options->input_count; i++) {
        fputc(' ', out);
        put_name(out, options->inputs[i].path);
    }
    for (size_t i = 0; qpucc_program_included(program, i); i++) {
        fputs(" \\\n  ", out);
        put_name(out, qpucc_program_included(program, i));
    }
    fputc('\n', out);
    fclose(out);
    const char *path = request->depend.file   ? request->depend.file
                       : request->depend.only ? request->output
                                              : beside;
    int code = cli_write(path, text, size);
    free(text), free(made), free(beside);
    return code;
}

/* -M, -MM: dependencies only; -MD, -MMD: beside the output; -MF FILE, -MT TARGET. */
static bool dependency_option(struct dependencies *d, const char *word, char **argv) {
    bool file = word && !strcmp(word, "F"), target = word && !strcmp(word, "T");
    if (!word || !strcmp(word, "M"))
        d->only = true;
    else if (!strcmp(word, "D") || !strcmp(word, "MD"))
        d->beside = true;
    else if ((file || target) && argv[optind])
        *(file ? &d->file : &d->target) = argv[optind++];
    else
        return complain("-M%s: the options are -M, -MD, -MF FILE and -MT TARGET", word), false;
    return true;
}

static int emit(const qpucc_program *program, const struct cli_options *options,
                const struct cli_sources *sources, const struct request *request) {
    char name[256];
    name_of(options, name, sizeof name);
    switch (request->emit) {
    case EMIT_DEFAULT:
    case EMIT_ASM: {
        size_t size = 0;
        char *text = listing_write(program, sources, request->listing, &size);
        int code = text ? cli_write(request->output, text, size) : complain("out of memory");
        free(text);
        return code;
    }
    case EMIT_RAW: return emit_raw(program, request->output ? request->output : name);
    case EMIT_SPIRV: return emit_spirv(program, request->output, name);
    case EMIT_IR: return emit_ir(program, request->output);
    case EMIT_QPU: {
        char *fallback = container_name(options->fixed_path ? options->fixed_path : options->inputs[0].path);
        int code = fallback ? emit_container(program, request->output ? request->output : fallback)
                            : complain("out of memory");
        free(fallback);
        return code;
    }
    case EMIT_TEXT: return emit_text(program, request->output);
    case EMIT_C: {
        size_t size = 0;
        char *text = cli_c_header(program, name, &size);
        int code = text ? cli_write(request->output, text, size) : complain("out of memory");
        free(text);
        return code;
    }
    case EMIT_JSON: {
        json_t *json = cli_program_json(program, name);
        int code = cli_write_json(request->output, json, JSON_INDENT(2));
        json_decref(json);
        return code;
    }
    }
    return EXIT_INTERNAL;
}

/* Everything that was asked of a compiled program. */
static int finish(const qpucc_program *program, const struct cli_options *options,
                  const struct cli_sources *sources, const struct request *request) {
    int code = cli_exit_code(program, options), wrote = EXIT_DONE;
    char name[256];
    name_of(options, name, sizeof name);
    if ((request->depend.only || request->depend.beside) && code == EXIT_DONE)
        code = write_dependencies(program, options, request, name);
    if (request->depend.only)
        return code;
    bool anything = request->emit != EMIT_DEFAULT || request->output || !request->stats;
    if (anything && (code == EXIT_DONE || request->emit == EMIT_JSON))
        wrote = emit(program, options, sources, request);
    if (wrote == EXIT_DONE && request->stats_json) {
        json_t *json = cli_stats_json(program, name);
        wrote = cli_write_json(NULL, json, JSON_INDENT(2));
        json_decref(json);
    } else if (wrote == EXIT_DONE && request->stats && code == EXIT_DONE)
        cli_print_stats(program, stdout);
    return wrote != EXIT_DONE ? wrote : code;
}

/* -c without -o: each file on its own, as a compiler of C does it. The worst outcome is the command's. */
static int compile_each(const struct cli_options *options, const struct request *request) {
    int worst = EXIT_DONE;
    for (size_t i = 0; i < options->input_count; i++) {
        struct cli_options one = *options;
        struct cli_sources sources;
        one.inputs[0] = options->inputs[i];
        one.input_count = 1;
        one.compile.defines = one.defines;
        one.compile.include_dirs = one.includes;
        int code = EXIT_USAGE;
        if (cli_read(&one, &sources)) {
            qpucc_program *program = cli_compile(&one, &sources);
            code = program ? finish(program, &one, &sources, request) : EXIT_USAGE;
            qpucc_program_free(program);
        }
        cli_sources_free(&sources);
        worst = code > worst ? code : worst;
    }
    return worst;
}

int command_compile(int argc, char **argv) {
    static const struct option longs[] = {{"emit", required_argument, NULL, OPT_EMIT},
                                          {"listing", required_argument, NULL, OPT_LISTING},
                                          {"stats", optional_argument, NULL, OPT_STATS},
                                          CLI_LONG,
                                          {NULL, 0, NULL, 0}};
    struct cli_options options;
    struct request request = {0};
    cli_init(&options);
    for (int c; (c = getopt_long(argc, argv, CLI_SHORT "o:cSEM::", longs, NULL)) != -1;) {
        int taken = cli_option(&options, c, optarg);
        if (taken < 0)
            return EXIT_USAGE;
        if (taken)
            continue;
        switch (c) {
        case 'o': request.output = optarg; break;
        case 'c':
            request.emit = EMIT_RAW;
            request.objects = true;
            break;
        case 'S': request.emit = EMIT_ASM; break;
        case 'E': request.emit = EMIT_TEXT; break;
        case 'M':
            if (!dependency_option(&request.depend, optarg, argv))
                return EXIT_USAGE;
            break;
        case OPT_EMIT:
            if (!set_emit(&request, optarg))
                return EXIT_USAGE;
            break;
        case OPT_LISTING: {
            int form = listing_form_of(optarg);
            if (form < 0)
                return complain("--listing=%s: must be annotated, wide or plain", optarg);
            request.listing = (enum listing_form)form;
            break;
        }
        case OPT_STATS:
            request.stats = true;
            request.stats_json = optarg && !strcmp(optarg, "json");
            if (optarg && !request.stats_json)
                return complain("--stats=%s: must be json, or nothing for a table", optarg);
            break;
        default: return EXIT_USAGE; /* getopt has said why */
        }
    }
    if (!cli_inputs(&options, argc, argv))
        return EXIT_USAGE;
    if ((request.depend.file || request.depend.target) && !request.depend.only && !request.depend.beside)
        return complain("-MF and -MT say where dependencies go: -M or -MD writes them");
    if (request.emit <= EMIT_ASM && request.listing == LISTING_ANNOTATED &&
        (options.compile.flags & QPUCC_GENERATE_LINES))
        options.compile.flags |= QPUCC_GENERATE_NAMES;
    if (request.emit == EMIT_IR)
        options.compile.flags |= QPUCC_GENERATE_IR;
    if (request.emit == EMIT_C) /* whoever fills those streams has no evaluator */
        options.compile.flags |= QPUCC_NO_UNIFORM_EXPRESSIONS;
    if (request.emit == EMIT_TEXT || request.depend.only)
        options.compile.flags |= QPUCC_PREPROCESS_ONLY;
    if (request.emit == EMIT_RAW && request.objects)
        request.emit = !request.output || ends_with(request.output, ".qpu") ? EMIT_QPU : EMIT_RAW;
    struct cli_sources sources;
    int code = EXIT_USAGE;
    if (request.objects && !request.output && !options.fixed_path)
        return compile_each(&options, &request);
    if (cli_read(&options, &sources)) {
        qpucc_program *program = cli_compile(&options, &sources);
        code = program ? finish(program, &options, &sources, &request) : EXIT_USAGE;
        qpucc_program_free(program);
    }
    cli_sources_free(&sources);
    return code;
}
