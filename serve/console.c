/* Messages, options and JSON of jobs. */
#define _GNU_SOURCE
#include "console.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool console_begin(struct console *console) {
    *console = (struct console){.saved = stderr};
    console->out = open_memstream(&console->text, &console->size);
    if (!console->out)
        return false;
    stderr = console->out;
    return true;
}

void console_end(struct console *console) {
    if (!console->out)
        return;
    stderr = console->saved;
    fclose(console->out);
    console->out = NULL;
}

/* --- options -------------------------------------------------------------------------------------------- */

/* Words in blanks; quotes of both kinds keep blanks, a backslash keeps what follows. Returns their number. */
static int split(char *text, char **words, int most) {
    int count = 0;
    char *out = text, quote = 0;
    for (char *c = text; *c;) {
        while (isspace((unsigned char)*c))
            c++;
        if (!*c || count == most)
            break;
        words[count++] = out;
        for (; *c && (quote || !isspace((unsigned char)*c)); c++) {
            if (*c == quote)
                quote = 0;
            else if (!quote && (*c == '"' || *c == '\''))
                quote = *c;
            else {
                if (*c == '\\' && quote != '\'' && c[1])
                    c++;
                *out++ = *c;
            }
        }
        if (*c)
            c++;
        *out++ = 0;
    }
    words[count] = NULL;
    return count;
}

static bool take(struct cli_options *options, int option, const char *argument) {
    static const char no_files[] = "the service has no files: send texts with the request";
    if (option == 1 || option == 'I')
        return complain("%s%s: %s", option == 'I' ? "-I" : "", argument, no_files), false;
    if (option == 'm' && !strncmp(argument, "chip=", 5) && strcmp(argument, "chip=shipped") &&
        strcmp(argument, "chip=guide"))
        return complain("-m%s: %s", argument, no_files), false;
    if (option == 'S')
        return true; /* what is done anyway */
    int taken = cli_option(options, option, argument);
    return taken > 0; /* else getopt or the option has said why */
}

/* The search for shorter code ends well before a job's time does, on slower machines, too: longer code is
 * better than no answer. */
static void bound_search(struct cli_options *options, const struct job_limits *limits) {
    enum { EACH_MS = 20000 }; /* docs/limits.md */
    uint64_t most = (uint64_t)limits->cpu_ms * EACH_MS, *search = &options->compile.limit[QPUCC_LIMIT_SEARCH];
    if (*search ? *search > most : qpucc_limit_default(QPUCC_LIMIT_SEARCH) > most)
        *search = most;
}

bool console_arguments(struct cli_options *options, const char *arguments, const struct job_limits *limits,
                       char **words) {
    static const struct option longs[] = {{"primitive", required_argument, NULL, CLI_PRIMITIVE},
                                          {"depth", no_argument, NULL, CLI_DEPTH},
                                          {"flip-y", no_argument, NULL, CLI_FLIP_Y},
                                          {"target-env", required_argument, NULL, CLI_TARGET_ENV},
                                          {"set", required_argument, NULL, CLI_SET},
                                          {NULL, 0, NULL, 0}};
    enum { MOST = 128 };
    static char name[] = "qpucc";
    char *argv[MOST + 2] = {name};
    *words = strdup(arguments);
    if (!*words)
        return complain("out of memory"), false;
    int argc = 1 + split(*words, argv + 1, MOST);
    if (argc > MOST)
        return complain("more than %d options", MOST - 1), false;
    optind = 0; /* begin again */
    for (int c; (c = getopt_long(argc, argv, CLI_SHORT "S", longs, NULL)) != -1;)
        if (!take(options, c, optarg))
            return false;
    bound_search(options, limits);
    return optind >= argc || take(options, 1, argv[optind]);
}

/* --- text ----------------------------------------------------------------------------------------------- */

json_t *console_string(const char *text, size_t length) {
    json_t *json = json_stringn(text, length);
    if (json)
        return json;
    char *copy = malloc(length + 1);
    for (size_t i = 0; copy && i < length; i++)
        copy[i] = (unsigned char)text[i] < 0x80 && text[i] ? text[i] : '?';
    json = copy ? json_stringn(copy, length) : NULL;
    free(copy);
    return json;
}

/* "name:line:column: error: text", as diagnostics.c prints it; NULL: not a message. */
static json_t *tag_of(const char *line, size_t length, const struct qpucc_diagnostic *diagnostic) {
    static const char *const words[] = {"error: ", "warning: ", "note: "};
    char text[400];
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), line);
    for (int severity = 0; severity < 3; severity++) {
        char *found = strstr(text, words[severity]);
        if (!found || found < text + 2 || found[-1] != ' ' || found[-2] != ':')
            continue;
        found[-2] = 0;
        size_t message = (size_t)(found - text) + strlen(words[severity]);
        unsigned place[2] = {0, 0};
        char *colon;
        for (int k = 1; k >= 0 && (colon = strrchr(text, ':')) && isdigit((unsigned char)colon[1]); k--) {
            place[k] = (unsigned)strtoul(colon + 1, NULL, 10);
            *colon = 0;
        }
        if (place[1] && !place[0]) { /* one number is the line */
            place[0] = place[1];
            place[1] = 0;
        }
        return json_pack("{s:i, s:i, s:o, s:i, s:o, s:s*}", "line", (int)place[0], "column", (int)place[1],
                         "text", console_string(line + message, length - message), "severity", 3 - severity,
                         "file", console_string(text, strlen(text)), "code",
                         diagnostic ? diagnostic->code : NULL);
    }
    return NULL;
}

/* The next diagnostic that a line shows, in order. */
static const struct qpucc_diagnostic *shown(const qpucc_program *program, size_t *next, const char *line,
                                            size_t length) {
    for (size_t i = *next; program && i < qpucc_program_diagnostic_count(program); i++) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, i);
        if (memmem(line, length, d->text, strcspn(d->text, "\n"))) {
            *next = i + 1;
            return d;
        }
    }
    return NULL;
}

json_t *console_lines(const char *text, size_t size, const qpucc_program *program) {
    json_t *lines = json_array();
    size_t next = 0;
    for (const char *at = text, *end = text + size; at && at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        json_t *line = json_pack("{s:o}", "text", console_string(at, length));
        json_t *tag = tag_of(at, length, shown(program, &next, at, length));
        if (tag)
            json_object_set_new(line, "tag", tag);
        json_array_append_new(lines, line);
        at += length + 1;
    }
    return lines;
}

/* --- answers -------------------------------------------------------------------------------------------- */

static struct answer *too_large(void) {
    struct answer *error = answer_error(422, "output", "The answer is larger than this server allows.");
    if (error)
        error->keep = true;
    return error;
}

struct answer *console_answer(json_t *json, bool keep, const struct job_limits *limits) {
    char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;
    size_t size = text ? strlen(text) : 0;
    json_decref(json);
    if (size > limits->answer) {
        free(text);
        return too_large();
    }
    return answer_new(200, ANSWER_JSON, keep, text, size);
}

struct answer *console_written(struct writer *w, enum answer_type type, const struct job_limits *limits) {
    if (w->size <= limits->answer && !w->failed)
        return answer_new(200, type, true, w->text, w->size);
    bool failed = w->failed;
    free(w->text);
    return failed ? NULL : too_large();
}

struct answer *console_refuse(const char *text) {
    json_t *json = json_pack("{s:o, s:s, s:i, s:b}", "error", console_string(text, strlen(text)), "reason",
                             "request", "code", -1, "timedOut", 0);
    char *body = json ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    return body ? answer_new(400, ANSWER_JSON, true, body, strlen(body)) : NULL;
}

json_t *console_body(const struct job *job, struct answer **refusal) {
    json_error_t where;
    char text[300];
    json_t *root = json_loadb(job->body, job->size, JSON_REJECT_DUPLICATES, &where);
    if (json_is_object(root))
        return root;
    if (root)
        snprintf(text, sizeof text, "The body is not a JSON object.");
    else
        snprintf(text, sizeof text, "The body is not JSON: line %d, column %d: %s.", where.line, where.column,
                 where.text);
    json_decref(root);
    *refusal = console_refuse(text);
    return NULL;
}
