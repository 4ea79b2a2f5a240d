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
static const char *compile(const struct request *r, const struct job_limits *limits, struct outcome *out,
                           void (*prepare)(struct cli_options *, void *), void *user) {
    cli_init(&out->options);
    out->options.color = 0;
    out->options.compile.flags |= QPUCC_NO_INCLUDE | (r->explain ? QPUCC_GENERATE_NAMES : 0);
    out->code = EXIT_USAGE;
    bool taken = console_arguments(&out->options, r->arguments, limits, &out->words);
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

/* A listing is a list of JSON, or lines. */
struct listing {
    struct writer *w;
    const struct request *r;
    bool plain;
    size_t lines;
    const char *file; /* of the stage's source; NULL: it has none */
};

static const char *source_of(const struct outcome *out, enum qpucc_stage stage) {
    for (size_t i = out->sources.count; i-- > 0;)
        if ((out->sources.source[i].stage == QPUCC_FRAGMENT) == (stage == QPUCC_FRAGMENT))
            return out->sources.source[i].name;
    return NULL;
}

static void put_source(const struct listing *list, unsigned line) {
    struct writer *w = list->w;
    if (!line || !list->file) {
        write_text(w, ",\"source\":null");
        return;
    }
    bool main = !strcmp(list->file, "<source>");
    write_text(w, ",\"source\":{\"file\":");
    if (main)
        write_text(w, "null");
    else
        write_string(w, list->file, strlen(list->file));
    write_text(w, ",\"line\":");
    write_number(w, (long)line);
    write_text(w, main ? ",\"mainsource\":true}" : ",\"mainsource\":false}");
}

static void put_opcodes(struct writer *w, size_t index, uint64_t word) {
    static const char digits[] = "0123456789abcdef";
    char text[8 * 5], *at = text;
    for (int i = 0; i < 8; i++, at += 5) {
        unsigned byte = word >> 8 * i & 255;
        at[0] = at[3] = '"';
        at[1] = digits[byte >> 4];
        at[2] = digits[byte & 15];
        at[4] = i < 7 ? ',' : ']';
    }
    write_text(w, ",\"address\":");
    write_number(w, (long)(8 * index));
    write_text(w, ",\"opcodes\":[");
    write_bytes(w, text, sizeof text);
}

/* What the instruction costs and uses, and the registers that are alive after it. */
static void put_facts(struct writer *w, enum qpucc_stage stage, size_t index,
                      const struct qpucc_explain_instruction *in) {
    write_text(w, ",\"qpucc\":{\"stage\":\"");
    write_text(w, qpucc_stage_name(stage));
    write_text(w, "\",\"index\":");
    write_number(w, (long)index);
    write_text(w, ",\"cycles\":");
    write_number(w, 1 + (long)in->stall);
    write_text(w, ",\"live\":{\"a\":");
    write_number(w, __builtin_popcount(in->live_a));
    write_text(w, ",\"b\":");
    write_number(w, __builtin_popcount(in->live_b));
    write_text(w, ",\"acc\":");
    write_number(w, __builtin_popcount(in->live_acc));
    write_text(w, "},\"units\":[");
    const char *before = "\"";
    for (unsigned u = 0; u < QPUCC_RESOURCE_COUNT; u++) {
        if (!(in->units >> u & 1))
            continue;
        write_text(w, before);
        write_text(w, qpucc_resource_name((enum qpucc_resource)u));
        before = "\",\"";
    }
    write_text(w, in->units ? "\"]}" : "]}");
}

static void begin_line(struct listing *list, char *text) {
    if (list->r->trim)
        squeeze(text);
    if (list->plain) {
        write_text(list->w, list->lines++ ? "\n" : "");
        write_text(list->w, text);
        return;
    }
    write_text(list->w, list->lines++ ? ",{\"text\":" : "{\"text\":");
    write_string(list->w, text, strlen(text));
    write_text(list->w, ",\"labels\":[]");
}

/* "    text              # word of the stream" */
static void line_text(const struct qpucc_explain_instruction *in, char text[600]) {
    enum { INDENT = 4, COLUMN = 70, MOST = 200 };
    size_t length = strlen(in->text), word = in->word_text ? strnlen(in->word_text, MOST) : 0;
    memset(text, ' ', COLUMN);
    memcpy(text + INDENT, in->text, length);
    length += INDENT;
    if (in->word_text) {
        length = length > COLUMN ? length : COLUMN;
        memcpy(text + length, " # ", 3);
        memcpy(text + length + 3, in->word_text, word);
        length += 3 + word;
    }
    text[length] = 0;
}

static void put_stage(struct listing *list, const struct outcome *out,
                      const struct qpucc_explain_stage *explained) {
    enum qpucc_stage stage = explained->stage;
    char text[600];
    if (!list->r->no_comments) {
        snprintf(text, sizeof text, "# %s shader: %u instructions, %zu uniforms", qpucc_stage_name(stage),
                 explained->count, qpucc_uniforms_size(out->program, stage));
        begin_line(list, text);
        write_text(list->w, list->plain ? "" : ",\"source\":null}");
    }
    list->file = source_of(out, stage);
    for (size_t i = 0; i < explained->count; i++) {
        const struct qpucc_explain_instruction *in = &explained->instruction[i];
        line_text(in, text);
        begin_line(list, text);
        if (list->plain)
            continue;
        put_source(list, in->line);
        put_opcodes(list->w, i, in->word);
        put_facts(list->w, stage, i, in);
        write_text(list->w, "}");
    }
}

static void put_assembly(struct listing *list, const struct outcome *out) {
    bool done = out->program && qpucc_program_status(out->program) == QPUCC_OK && out->code == EXIT_DONE;
    qpucc_explanation *explanation = done ? qpucc_explain(out->program, QPUCC_EXPLAIN_LISTING) : NULL;
    for (int s = 0; explanation && s < QPUCC_STAGE_COUNT; s++) {
        const struct qpucc_explain_stage *stage = qpucc_explanation_stage(explanation, (enum qpucc_stage)s);
        if (stage)
            put_stage(list, out, stage);
    }
    list->w->failed |= done && !explanation;
    qpucc_explain_free(explanation);
    if (done)
        return;
    char failed[] = "<Compilation failed>";
    begin_line(list, failed);
    write_text(list->w, list->plain ? "" : ",\"source\":null}");
}

/* --- answers -------------------------------------------------------------------------------------------- */

/* A member whose value jansson has; takes the value over. */
static void put_member(struct writer *w, const char *name, json_t *value) {
    char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    json_decref(value);
    w->failed |= !text;
    write_text(w, ",\"");
    write_text(w, name);
    write_text(w, "\":");
    write_text(w, text ? text : "");
    free(text);
}

static void put_answer(struct writer *w, struct outcome *out, const struct request *r) {
    struct listing list = {.w = w, .r = r};
    write_text(w, "{\"code\":");
    write_number(w, out->code);
    write_text(w, ",\"okToCache\":true,\"timedOut\":false,\"stdout\":[],\"inputFilename\":\"<source>\","
                  "\"labelDefinitions\":{},\"tools\":[]");
    put_member(w, "compilationOptions",
               r->arguments[0] ? json_pack("[o]", console_string(r->arguments, strlen(r->arguments)))
                               : json_array());
    write_text(w, ",\"asm\":[");
    put_assembly(&list, out);
    write_text(w, "],\"asmSize\":");
    write_number(w, (long)list.lines);
    if (r->explain)
        put_member(w, "qpucc",
                   out->code == EXIT_DONE ? explain_json(out->program, QPUCC_EXPLAIN_DECISIONS)
                                          : json_null());
    console_end(&out->console);
    put_member(w, "stderr", console_lines(out->console.text, out->console.size, out->program));
    write_text(w, "}");
}

/* Compiler Explorer's text form. */
static void put_plain(struct writer *w, struct outcome *out, const struct request *r) {
    struct listing list = {.w = w, .r = r, .plain = true};
    write_text(w, "# Compilation provided by qpucc\n");
    put_assembly(&list, out);
    console_end(&out->console);
    if (out->code) {
        write_text(w, "\n# Compiler exited with result code ");
        write_number(w, out->code);
    }
    write_text(w, out->console.size ? "\nStandard error:\n" : "\n");
    write_bytes(w, out->console.text, out->console.size);
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
        wrong = compile(&r, limits, &out, NULL, NULL);
    if (wrong)
        answer = console_refuse(wrong);
    else {
        struct writer w = {.text = NULL};
        bool plain = job->accept == ANSWER_TEXT;
        (plain ? put_plain : put_answer)(&w, &out, &r);
        answer = console_written(&w, plain ? ANSWER_TEXT : ANSWER_JSON, limits);
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
        wrong = compile(&r, limits, &out, watch_passes, &passes);
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
