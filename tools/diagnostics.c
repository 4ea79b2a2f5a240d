/* Prints a program's diagnostics on standard error: each with its source line and a caret under the position,
 * or all as one document, of the JSON that --stats=json has or of SARIF 2.1.
 *
 * Lines are found by the numbers that #line gives them, and none is shown where that leaves a doubt. */
#include "cli.h"
#include "file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDEST = 120 }; /* of a line; of a longer one a part is shown */

struct text {
    const char *at;
    size_t size;
};

/* What comes after the line's end at p. As in GLSL, "\r\n", "\n\r", "\r" and "\n" end one. */
static const char *after_end(const char *p, const char *end) {
    bool two = p + 1 < end && (p[1] == '\n' || p[1] == '\r') && p[1] != *p;
    return p < end ? p + 1 + two : end;
}

/* Goes over the line, to know whether the next one begins in a comment. */
static bool ends_in_comment(struct text line, bool inside) {
    for (size_t i = 0; i + 1 < line.size; i++) {
        const char *p = line.at + i;
        if (!inside && p[0] == '/' && p[1] == '/')
            return false;
        if (inside ? p[0] == '*' && p[1] == '/' : p[0] == '/' && p[1] == '*')
            inside = !inside, i++;
    }
    return inside;
}

/* The word of a directive and what follows it; NULL: the line is none. */
static const char *directive(struct text line, char word[8]) {
    const char *p = line.at, *end = p + line.size;
    size_t n = 0;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    if (p == end || *p++ != '#')
        return NULL;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    while (p < end && *p >= 'a' && *p <= 'z' && n < 7)
        word[n++] = *p++;
    word[n] = 0;
    return p;
}

/* The number of a #line; 0: it is no plain number. */
static unsigned next_number(const char *p, const char *end) {
    unsigned long number = 0;
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    const char *first = p;
    for (; p < end && *p >= '0' && *p <= '9' && number < 100000000; p++)
        number = 10 * number + (unsigned long)(*p - '0');
    return p == first || *first == '0' || (p < end && *p != ' ' && *p != '\t') ? 0 : (unsigned)number;
}

/* The line that is called `number`, without its end; empty if none is, or several, or a #line is not to be
 * trusted: under a condition, or with a number that has to be computed. */
static struct text line_of(struct text text, unsigned number) {
    struct text found = {text.at, 0};
    const char *end = text.at + text.size;
    unsigned now = 1, conditions = 0, count = 0;
    bool comment = false, numbers_next = cli_numbers_next_line(text.at, text.size);
    for (const char *at = text.at, *next; at < end; at = next) {
        struct text line = {at, 0};
        char word[8];
        while (at + line.size < end && at[line.size] != '\n' && at[line.size] != '\r')
            line.size++;
        next = after_end(at + line.size, end);
        const char *rest = comment ? NULL : directive(line, word);
        comment = ends_in_comment(line, comment);
        if (now == number)
            found = line, count++;
        now++;
        if (!rest)
            continue;
        conditions += !strncmp(word, "if", 2);
        conditions -= conditions && !strcmp(word, "endif");
        if (strcmp(word, "line"))
            continue;
        now = conditions ? 0 : next_number(rest, at + line.size);
        if (!now)
            return (struct text){text.at, 0};
        now += !numbers_next;
    }
    return count == 1 ? found : (struct text){text.at, 0};
}

size_t cli_source_line(const char *text, size_t size, unsigned number, const char **line) {
    struct text found = line_of((struct text){text, size}, number);
    *line = found.at;
    return found.size;
}

static void print_line(struct text line, unsigned column) {
    size_t caret = column - 1, begin = 0;
    if (caret > line.size)
        return;
    if (line.size > WIDEST && caret > WIDEST / 2)
        begin = caret - WIDEST / 2;
    size_t end = line.size - begin > WIDEST ? begin + WIDEST : line.size;
    for (size_t i = begin; i < end; i++) {
        unsigned char c = (unsigned char)line.at[i];
        fputc(c == '\t' || c >= ' ' ? c : '?', stderr);
    }
    fputc('\n', stderr);
    for (size_t i = begin; i < caret; i++) {
        unsigned char c = (unsigned char)line.at[i];
        if ((c & 0xc0) != 0x80) /* UTF-8's later bytes take no place of their own */
            fputc(c == '\t' ? '\t' : ' ', stderr);
    }
    fputs("^\n", stderr);
}

/* The line of a diagnostic; empty: it is not known. An included file is read again, if files may be included
 * at all, and `included` has to be freed. */
static struct text source_line(const struct qpucc_diagnostic *d, const struct qpucc_source *sources,
                               size_t count, bool files, struct file_data *included) {
    struct text text = {NULL, 0};
    char error[400];
    *included = (struct file_data){0};
    if (!d->line || !d->column)
        return text;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(sources[i].name, d->file))
            continue;
        if (sources[i].language != QPUCC_GLSL)
            return (struct text){NULL, 0};
        text = (struct text){sources[i].data, sources[i].size};
    }
    if (!text.at && files && file_read(d->file, included, error, sizeof error))
        text = (struct text){(const char *)included->data, included->size};
    return text.at && !memchr(text.at, 0, text.size) ? line_of(text, d->line) : (struct text){NULL, 0};
}

/* For a terminal, unless its user wants none (https://no-color.org). */
static bool colored(const struct cli_options *options) {
    const char *terminal = getenv("TERM"), *none = getenv("NO_COLOR");
    if (options->color >= 0)
        return options->color;
    return isatty(2) && terminal && strcmp(terminal, "dumb") && !(none && *none);
}

/* --- documents ------------------------------------------------------------------------------------------ */

/* The column in characters: ours count bytes. */
static unsigned characters(struct text line, unsigned column) {
    unsigned n = 1;
    for (size_t i = 0; i + 1 < column; i++)
        n += i >= line.size || ((unsigned char)line.at[i] & 0xc0) != 0x80;
    return n;
}

/* A path as a relative reference of RFC 3986. */
static json_t *uri_json(const char *path) {
    char *text = malloc(3 * strlen(path) + 1);
    size_t n = 0;
    for (const unsigned char *p = (const unsigned char *)path; text && *p; p++) {
        bool plain = (*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
                     strchr("-._~/", *p);
        n += (size_t)sprintf(text + n, plain ? "%c" : "%%%02X", *p);
    }
    json_t *uri = json_stringn(text ? text : "", n);
    free(text);
    return uri;
}

static json_t *location_json(const struct qpucc_diagnostic *d, struct text line) {
    json_t *place = json_object();
    json_object_set_new(place, "artifactLocation", json_pack("{s:o}", "uri", uri_json(d->file)));
    if (d->line && d->column)
        json_object_set_new(place, "region",
                            json_pack("{s:i, s:i}", "startLine", (int)d->line, "startColumn",
                                      (int)characters(line, d->column)));
    else if (d->line)
        json_object_set_new(place, "region", json_pack("{s:i}", "startLine", (int)d->line));
    return json_pack("[{s:o}]", "physicalLocation", place);
}

static void add_rule(json_t *rules, const char *code) {
    size_t i;
    json_t *rule;
    json_array_foreach(rules, i, rule) {
        if (!strcmp(json_string_value(json_object_get(rule, "id")), code))
            return;
    }
    json_array_append_new(rules, json_pack("{s:s}", "id", code));
}

static json_t *sarif(json_t *results, json_t *rules) {
    return json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:s, s:o}]}", "$schema",
                     "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs", "tool",
                     "driver", "name", "qpucc", "version", qpucc_version(), "rules", rules, "columnKind",
                     "unicodeCodePoints", "results", results);
}

static json_t *result_json(const struct qpucc_diagnostic *d, const char *level, struct text line) {
    return json_pack("{s:s, s:s, s:{s:o}, s:o}", "ruleId", d->code, "level", level, "message", "text",
                     cli_json_text(d->text), "locations", location_json(d, line));
}

/* --- printing ------------------------------------------------------------------------------------------- */

static const char *const words[] = {"error", "warning", "note"};

struct printer {
    const struct cli_options *options;
    json_t *list, *rules; /* of a document; NULL: text */
};

static void print_one(struct printer *p, const struct qpucc_diagnostic *d, enum qpucc_severity severity,
                      struct text line) {
    static const char *const colors[] = {"31", "35", "36"};
    if (p->options->diagnostics == CLI_JSON) {
        json_array_append_new(p->list, cli_diagnostic_json(d, words[severity]));
        return;
    }
    if (p->options->diagnostics == CLI_SARIF) {
        json_array_append_new(p->list, result_json(d, words[severity], line));
        add_rule(p->rules, d->code);
        return;
    }
    if (d->line && d->column)
        fprintf(stderr, "%s:%u:%u: ", d->file, d->line, d->column);
    else if (d->line)
        fprintf(stderr, "%s:%u: ", d->file, d->line);
    else
        fprintf(stderr, "%s: ", d->file);
    if (colored(p->options))
        fprintf(stderr, "\x1b[1;%sm%s:\x1b[0m %s", colors[severity], words[severity], d->text);
    else
        fprintf(stderr, "%s: %s", words[severity], d->text);
    bool promoted = severity != d->severity,
         named = d->severity != QPUCC_ERROR && qpucc_warning_bits(d->code);
    if (promoted || named)
        fprintf(stderr, " [%s%s%s%s]", promoted ? "-Werror" : "", promoted && named ? "," : "",
                named ? "-W" : "", named ? d->code : "");
    fputc('\n', stderr);
    if (line.size)
        print_line(line, d->column);
}

static void print_document(struct printer *p) {
    json_t *document = p->options->diagnostics == CLI_SARIF ? sarif(p->list, p->rules) : p->list;
    if (document && !json_dumpf(document, stderr, JSON_INDENT(2) | JSON_ENSURE_ASCII))
        fputc('\n', stderr);
    json_decref(document);
}

void cli_print_diagnostics(const qpucc_program *program, const struct cli_options *options,
                           const struct qpucc_source *sources, size_t count) {
    bool text = options->diagnostics == CLI_TEXT, files = !(options->compile.flags & QPUCC_NO_INCLUDE);
    struct printer p = {options, text ? NULL : json_array(), text ? NULL : json_array()};
    unsigned errors = 0;
    for (size_t i = 0; i < qpucc_program_diagnostic_count(program); i++) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, i);
        bool promoted = d->severity == QPUCC_WARNING && cli_warnings_fail(options);
        enum qpucc_severity severity = promoted ? QPUCC_ERROR : d->severity;
        if (options->no_warnings &&
            (severity == QPUCC_WARNING || (severity == QPUCC_NOTE && qpucc_warning_bits(d->code))))
            continue;
        errors += severity == QPUCC_ERROR;
        if (options->max_errors && errors > options->max_errors)
            continue;
        struct file_data included;
        print_one(&p, d, severity, source_line(d, sources, count, files, &included));
        file_free(&included);
    }
    if (text && options->max_errors && errors > options->max_errors)
        fprintf(stderr, "qpucc: %u more error%s (-fmax-errors=%u)\n", errors - options->max_errors,
                errors - options->max_errors == 1 ? "" : "s", options->max_errors);
    if (!text)
        print_document(&p);
    if (options->diagnostics != CLI_SARIF)
        json_decref(p.rules);
}
