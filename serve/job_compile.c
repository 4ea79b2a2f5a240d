/* Compile requests: Compiler Explorer's shape in, its shape out. */
#include "console.h"
#include "tools/explain_json.h"
#include "tools/fixed_file.h"

#include <stdlib.h>
#include <string.h>

struct request {
    const char *source; /* NULL: files only */
    size_t source_size;
    json_t *files;
    const char *arguments;
    bool no_comments, trim, explain;
    json_t *state;
};

/* What a compile made, until the answer is written. */
struct outcome {
    struct cli_options options;
    struct cli_sources sources;
    struct console console;
    qpucc_program *program;
    char *words; /* of the options */
    int code;
};

static bool flag(const json_t *object, const char *name, bool otherwise) {
    const json_t *value = json_object_get(object, name);
    return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

/* What the request says; anything else in it is for Compiler Explorer's other compilers. */
static const char *read_request(struct request *r, const struct job *job, json_t *root) {
    *r = (struct request){.arguments = job->options, .source = job->body, .source_size = job->size};
    if (job->plain)
        return NULL;
    const json_t *options = json_object_get(root, "options"), *filters = json_object_get(options, "filters"),
                 *own = json_object_get(options, "qpucc"), *source = json_object_get(root, "source"),
                 *arguments = json_object_get(options, "userArguments");
    if (source && !json_is_null(source) && !json_is_string(source))
        return "The member \"source\" is not a text.";
    r->source = json_string_length(source) ? json_string_value(source) : NULL;
    r->source_size = json_string_length(source);
    r->files = json_object_get(root, "files");
    if (r->files && !json_is_array(r->files) && !json_is_null(r->files))
        return "The member \"files\" is not a list.";
    if (arguments && !json_is_null(arguments) && !json_is_string(arguments))
        return "The member \"options.userArguments\" is not a text.";
    r->arguments = json_is_string(arguments) ? json_string_value(arguments) : "";
    r->no_comments = flag(filters, "commentOnly", false);
    r->trim = flag(filters, "trim", false);
    r->explain = flag(own, "explain", false);
    r->state = json_object_get(own, "state");
    return r->state && !json_is_object(r->state) ? "The member \"options.qpucc.state\" is not an object."
                                                 : NULL;
}

static const char *add_inputs(struct cli_options *options, const struct request *r) {
    enum { MOST_FILES = 16 };
    size_t index;
    json_t *file;
    if (r->source)
        options->inputs[options->input_count++] =
            cli_text_input("<source>", r->source, r->source_size, options->next_stage);
    if (json_array_size(r->files) > MOST_FILES)
        return "There are more than 16 files.";
    json_array_foreach(r->files, index, file) {
        const json_t *name = json_object_get(file, "filename"), *contents = json_object_get(file, "contents");
        if (!json_is_string(name) || !json_is_string(contents) || json_string_length(name) > 200)
            return "An entry of \"files\" is not {\"filename\": text, \"contents\": text}.";
        options->inputs[options->input_count++] =
            cli_text_input(json_string_value(name), json_string_value(contents), json_string_length(contents),
                           cli_stage_of_name(json_string_value(name)));
    }
    return options->input_count ? NULL : "There is no source: neither \"source\" nor \"files\" has any.";
}

static bool set_state(struct cli_options *options, json_t *state) {
    char error[300];
    if (!state)
        return true;
    options->state_given = true;
    if (state_file_parse(&options->state, &options->values, state, error, sizeof error))
        return true;
    return complain("state: %s", error), false;
}

/* Returns what is wrong with the request, or NULL: then `out` has a code and messages. */
static const char *compile(const struct request *r, struct outcome *out,
                           void (*prepare)(struct cli_options *, void *), void *user) {
    cli_init(&out->options);
    out->options.color = 0;
    out->options.compile.flags |= QPUCC_NO_INCLUDE | (r->explain ? QPUCC_GENERATE_NAMES : 0);
    out->code = EXIT_USAGE;
    bool taken = console_arguments(&out->options, r->arguments, &out->words);
    const char *wrong = add_inputs(&out->options, r);
    if (wrong || !taken || !set_state(&out->options, r->state))
        return wrong;
    if (prepare)
        prepare(&out->options, user);
    if (cli_read(&out->options, &out->sources) && (out->program = cli_compile(&out->options, &out->sources)))
        out->code = cli_exit_code(out->program, &out->options);
    return NULL;
}

static void outcome_free(struct outcome *out) {
    console_end(&out->console);
    qpucc_program_free(out->program);
    cli_sources_free(&out->sources);
    free(out->words);
    free(out->console.text);
}

/* --- assembly ------------------------------------------------------------------------------------------- */

/* Blanks in a row become one. */
static void squeeze(char *text) {
    char *out = text;
    for (const char *c = text; *c; c++)
        if (*c != ' ' || c == text || c[-1] != ' ')
            *out++ = *c;
    *out = 0;
}

static json_t *opcodes_of(uint64_t word) {
    json_t *list = json_array();
    for (int i = 0; i < 8; i++) {
        char text[3];
        snprintf(text, sizeof text, "%02x", (unsigned)(word >> 8 * i & 255));
        json_array_append_new(list, json_string(text));
    }
    return list;
}

static json_t *source_of(const struct outcome *out, int stage, unsigned line) {
    if (!line)
        return json_null();
    for (size_t i = 0; i < out->sources.count; i++) {
        const struct qpucc_source *s = &out->sources.source[i];
        if ((s->stage == QPUCC_FRAGMENT) != (stage == QPUCC_FRAGMENT))
            continue;
        bool main = !strcmp(s->name, "<source>");
        return json_pack("{s:s?, s:i, s:b}", "file", main ? NULL : s->name, "line", (int)line, "mainsource",
                         main);
    }
    return json_null();
}

static void add_line(json_t *list, char *text, const struct request *r, json_t *more) {
    if (r->trim)
        squeeze(text);
    json_object_set_new(more, "text", console_string(text, strlen(text)));
    json_object_set_new(more, "labels", json_array());
    json_array_append_new(list, more);
}

/* What an instruction costs and uses, and the registers that are alive after it. */
static json_t *facts_of(enum qpucc_stage stage, size_t index, const struct qpucc_explain_instruction *in) {
    json_t *units = json_array();
    for (unsigned u = 0; u < QPUCC_RESOURCE_COUNT; u++)
        if (in->units >> u & 1)
            json_array_append_new(units, json_string(qpucc_resource_name((enum qpucc_resource)u)));
    return json_pack("{s:s, s:i, s:i, s:o, s:{s:i, s:i, s:i}}", "stage", qpucc_stage_name(stage), "index",
                     (int)index, "cycles", 1 + (int)in->stall, "units", units, "live", "a",
                     __builtin_popcount(in->live_a), "b", __builtin_popcount(in->live_b), "acc",
                     __builtin_popcount(in->live_acc));
}

static void add_stage(json_t *list, const struct outcome *out, const struct request *r,
                      enum qpucc_stage stage, const struct qpucc_explain_stage *explained) {
    char text[600];
    size_t count;
    const uint64_t *code = qpucc_program_code(out->program, stage, &count);
    const uint32_t *lines = qpucc_program_lines(out->program, stage);
    snprintf(text, sizeof text, "# %s shader: %zu instructions, %zu uniforms", qpucc_stage_name(stage), count,
             qpucc_uniforms_size(out->program, stage));
    if (!r->no_comments)
        add_line(list, text, r, json_pack("{s:n}", "source"));
    for (size_t i = 0; i < count; i++) {
        const struct qpucc_explain_instruction *in = &explained->instruction[i];
        if (in->word_text)
            snprintf(text, sizeof text, "    %-66s # %.200s", in->text, in->word_text);
        else
            snprintf(text, sizeof text, "    %s", in->text);
        add_line(list, text, r,
                 json_pack("{s:o, s:i, s:o, s:o}", "source", source_of(out, (int)stage, lines ? lines[i] : 0),
                           "address", (int)(8 * i), "opcodes", opcodes_of(code[i]), "qpucc",
                           facts_of(stage, i, in)));
    }
}

static json_t *assembly(const struct outcome *out, const struct request *r) {
    json_t *list = json_array();
    qpucc_explanation *explanation = qpucc_explain(out->program, 0);
    for (int s = 0; explanation && s < QPUCC_STAGE_COUNT; s++) {
        const struct qpucc_explain_stage *stage = qpucc_explain_stage(explanation, (enum qpucc_stage)s);
        if (stage)
            add_stage(list, out, r, (enum qpucc_stage)s, stage);
    }
    qpucc_explain_free(explanation);
    return list;
}

/* --- answers -------------------------------------------------------------------------------------------- */

static json_t *answer_json(struct outcome *out, const struct request *r) {
    static const char *const nothing = "<Compilation failed>";
    bool done = out->program && qpucc_program_status(out->program) == QPUCC_OK && out->code == EXIT_DONE;
    json_t *asm_lines =
        done ? assembly(out, r) : json_pack("[{s:s, s:n, s:[]}]", "text", nothing, "source", "labels");
    console_end(&out->console);
    json_t *document = done && r->explain ? explain_json(out->program, 0) : NULL;
    return json_pack("{s:i, s:b, s:b, s:[], s:o, s:s, s:[s*], s:o, s:i, s:{}, s:[], s:o*}", "code", out->code,
                     "okToCache", 1, "timedOut", 0, "stdout", "stderr",
                     console_lines(out->console.text, out->console.size, out->program), "inputFilename",
                     "<source>", "compilationOptions", r->arguments[0] ? r->arguments : NULL, "asm",
                     asm_lines, "asmSize", (int)json_array_size(asm_lines), "labelDefinitions", "tools",
                     "qpucc", document);
}

/* Compiler Explorer's text form. */
static struct answer *answer_plain(const json_t *json) {
    char *text = NULL;
    size_t size = 0, index;
    FILE *out = open_memstream(&text, &size);
    json_t *line;
    if (!out)
        return NULL;
    fputs("# Compilation provided by qpucc\n", out);
    json_array_foreach(json_object_get(json, "asm"), index, line)
        fprintf(out, "%s%s", index ? "\n" : "", json_string_value(json_object_get(line, "text")));
    json_int_t code = json_integer_value(json_object_get(json, "code"));
    if (code)
        fprintf(out, "\n# Compiler exited with result code %d", (int)code);
    if (json_array_size(json_object_get(json, "stderr")))
        fputs("\nStandard error:", out);
    json_array_foreach(json_object_get(json, "stderr"), index, line)
        fprintf(out, "\n%s", json_string_value(json_object_get(line, "text")));
    fputc('\n', out);
    fclose(out);
    return answer_new(200, ANSWER_TEXT, true, text, size);
}

struct answer *job_compile(const struct job *job, const struct job_limits *limits) {
    struct request r;
    struct outcome out = {.program = NULL};
    struct answer *answer = NULL;
    json_t *root = job->plain ? json_object() : console_body(job, &answer);
    if (!root)
        return answer;
    const char *wrong = read_request(&r, job, root);
    if (!wrong && console_begin(&out.console))
        wrong = compile(&r, &out, NULL, NULL);
    if (wrong)
        answer = console_refuse(wrong);
    else {
        json_t *json = answer_json(&out, &r);
        if (job->accept == ANSWER_TEXT && json) {
            answer = answer_plain(json);
            json_decref(json);
        } else
            answer = console_answer(json, true, limits);
    }
    outcome_free(&out);
    json_decref(root);
    return answer;
}

/* --- passes --------------------------------------------------------------------------------------------- */

struct passes {
    json_t *list;
    size_t left; /* bytes that the answer may still take */
    bool complete;
};

static void add_pass(void *user, enum qpucc_stage stage, const char *pass, const char *text) {
    struct passes *passes = user;
    size_t length = strlen(text), last = json_array_size(passes->list);
    const char *before = "";
    while (last && !before[0]) {
        const json_t *step = json_array_get(passes->list, --last);
        if (!strcmp(json_string_value(json_object_get(step, "stage")), qpucc_stage_name(stage)))
            before = json_string_value(json_object_get(step, "text"));
    }
    if (!strcmp(before, text))
        return;
    if (length + 200 > passes->left) {
        passes->complete = false;
        passes->left = 0;
        return;
    }
    passes->left -= length + 200;
    json_array_append_new(passes->list, json_pack("{s:s, s:s, s:o}", "stage", qpucc_stage_name(stage), "pass",
                                                  pass, "text", console_string(text, length)));
}

static void watch_passes(struct cli_options *options, void *user) {
    options->compile.print_after = "all";
    options->compile.on_ir = add_pass;
    options->compile.user = user;
}

struct answer *job_passes(const struct job *job, const struct job_limits *limits) {
    struct request r;
    struct outcome out = {.program = NULL};
    struct answer *answer = NULL;
    struct passes passes = {.left = limits->answer / 2, .complete = true};
    json_t *root = console_body(job, &answer);
    if (!root)
        return answer;
    passes.list = json_array();
    const char *wrong = read_request(&r, job, root);
    if (!wrong && console_begin(&out.console))
        wrong = compile(&r, &out, watch_passes, &passes);
    console_end(&out.console);
    if (wrong) {
        answer = console_refuse(wrong);
        json_decref(passes.list);
    } else
        answer = console_answer(json_pack("{s:i, s:o, s:o, s:b}", "code", out.code, "stderr",
                                          console_lines(out.console.text, out.console.size, out.program),
                                          "passes", passes.list, "complete", (int)passes.complete),
                                true, limits);
    outcome_free(&out);
    json_decref(root);
    return answer;
}
