/* Prints a program's diagnostics on standard error, each with its source line and a caret under the position.
 * Where #line renumbers the lines none is shown, because it would be the wrong one. */
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

static bool renumbers(struct text text) {
    for (size_t i = 0; i + 5 < text.size; i++) {
        if (text.at[i] != '#')
            continue;
        do
            i++;
        while (i < text.size && (text.at[i] == ' ' || text.at[i] == '\t'));
        if (text.size - i >= 4 && !memcmp(text.at + i, "line", 4))
            return true;
    }
    return false;
}

/* Line `number` without its end. As in GLSL, "\r\n", "\n\r", "\r" and "\n" end one. */
static struct text line_of(struct text text, unsigned number) {
    struct text line = {text.at, 0};
    const char *end = text.at + text.size;
    for (const char *p = text.at; p < end; p++) {
        if (*p != '\n' && *p != '\r')
            continue;
        if (number-- == 1) {
            line.size = (size_t)(p - line.at);
            return line;
        }
        p += p + 1 < end && (p[1] == '\n' || p[1] == '\r') && p[1] != *p;
        line.at = p + 1;
    }
    line.size = number == 1 ? (size_t)(end - line.at) : 0;
    return line;
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

/* An included file is read again, if files may be included at all. */
static void show_source(const struct qpucc_diagnostic *d, const struct qpucc_source *sources, size_t count,
                        bool files) {
    struct text text = {NULL, 0};
    struct file_data included = {0};
    char error[400];
    for (size_t i = 0; i < count; i++) {
        if (strcmp(sources[i].name, d->file))
            continue;
        if (sources[i].language != QPUCC_GLSL)
            return;
        text = (struct text){sources[i].data, sources[i].size};
    }
    if (!text.at && files && file_read(d->file, &included, error, sizeof error))
        text = (struct text){(const char *)included.data, included.size};
    if (text.at && !renumbers(text) && !memchr(text.at, 0, text.size)) {
        struct text line = line_of(text, d->line);
        if (line.size)
            print_line(line, d->column);
    }
    file_free(&included);
}

/* For a terminal, unless its user wants none (https://no-color.org). */
static bool colored(const struct cli_options *options) {
    const char *terminal = getenv("TERM"), *none = getenv("NO_COLOR");
    if (options->color >= 0)
        return options->color;
    return isatty(2) && terminal && strcmp(terminal, "dumb") && !(none && *none);
}

void cli_print_diagnostics(const qpucc_program *program, const struct cli_options *options,
                           const struct qpucc_source *sources, size_t count) {
    static const char *const words[] = {"error", "warning", "note"}, *const colors[] = {"31", "35", "36"};
    for (size_t i = 0; i < qpucc_program_diagnostic_count(program); i++) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, i);
        bool promoted = d->severity == QPUCC_WARNING && options->warnings_are_errors;
        enum qpucc_severity severity = promoted ? QPUCC_ERROR : d->severity;
        if (severity == QPUCC_WARNING && options->no_warnings)
            continue;
        if (d->line && d->column)
            fprintf(stderr, "%s:%u:%u: ", d->file, d->line, d->column);
        else if (d->line)
            fprintf(stderr, "%s:%u: ", d->file, d->line);
        else
            fprintf(stderr, "%s: ", d->file);
        if (colored(options))
            fprintf(stderr, "\x1b[1;%sm%s:\x1b[0m %s", colors[severity], words[severity], d->text);
        else
            fprintf(stderr, "%s: %s", words[severity], d->text);
        fputs(promoted ? " [-Werror]\n" : "\n", stderr);
        if (d->line && d->column)
            show_source(d, sources, count, !(options->compile.flags & QPUCC_NO_INCLUDE));
    }
}
