/* What jobs share: the command's messages as text, options from a request, JSON of both. */
#ifndef SERVE_CONSOLE_H
#define SERVE_CONSOLE_H

#include "job.h"
#include "tools/cli.h"
#include "writer.h"

/* Everything that is printed on stderr in between, as text. Jobs run one at a time in a process of their own,
 * so it is that process' stderr. */
struct console {
    FILE *saved, *out;
    char *text;
    size_t size;
};

bool console_begin(struct console *console);
/* Ends the text with a NUL; it is free's. Safe to call twice. */
void console_end(struct console *console);

/* The options of the command that need no files, in one string as a shell would split it, and what the limits
 * leave the search for short code. False: one is wrong, or needs files; said so on stderr. Words are kept in
 * `words`, which the caller frees after the compile. */
bool console_arguments(struct cli_options *options, const char *arguments, const struct job_limits *limits,
                       char **words);

/* Text in which what is not UTF-8 is a question mark. */
json_t *console_string(const char *text, size_t length);
/* The lines of a text with the places that messages of the command name (docs/api/openapi.json, OutputLine).
 * `program` gives the codes of its diagnostics, NULL: none. */
json_t *console_lines(const char *text, size_t size, const qpucc_program *program);

/* Takes `json` over. NULL json: out of memory. */
struct answer *console_answer(json_t *json, bool keep, const struct job_limits *limits);
/* The same of a text that was written, whose memory it takes. */
struct answer *console_written(struct writer *w, enum answer_type type, const struct job_limits *limits);
/* 400, with what is wrong with the request. */
struct answer *console_refuse(const char *text);
/* The body as an object; NULL: `refusal` says why. */
json_t *console_body(const struct job *job, struct answer **refusal);

#endif
