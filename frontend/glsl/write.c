/* write.c: what preprocessing leaves, as text: every token on its own line of the source, so that messages
 * about it are messages about the source. Compiling it gives the same module. */
#include "frontend/glsl/internal.h"

#include <stdlib.h>
#include <string.h>

enum { FEW_LINES = 8 }; /* skipped by newlines; more by #line */

struct writer {
    struct run *run;
    const struct unit *unit;
    struct buffer text;
    uint32_t file, line; /* where the next character stands in the source */
    bool fresh;          /* nothing is in this line yet */
};

static void newline(struct writer *w) {
    buffer_add(w->run, &w->text, "\n", 1);
    w->line++;
    w->fresh = true;
}

/* The number of a source string: the one that #line gave, or the file's. */
static long long string_number(const struct writer *w, uint32_t file) {
    const char *base = w->run->files[w->unit->file], *name = w->run->files[file];
    size_t length = strlen(base);
    if (file == w->unit->file)
        return 0;
    return !strncmp(name, base, length) && name[length] == '(' ? strtoll(name + length + 1, NULL, 10) : file;
}

/* Under ES and since 3.30 the line after #line has its number, before that the directive's own line has. */
static void line_directive(struct writer *w, struct place place) {
    bool next = w->unit->es || w->unit->version >= 330;
    if (!w->fresh)
        newline(w);
    long long string = string_number(w, place.file);
    buffer_add_z(w->run, &w->text,
                 run_format(w->run, string < 0 ? "#line %u (%lld)" : "#line %u %lld",
                            place.line - (next || !place.line ? 0 : 1), string));
    buffer_add(w->run, &w->text, "\n", 1);
    w->file = place.file;
    w->line = place.line;
}

static void go_to(struct writer *w, struct place place) {
    if (place.file != w->file || place.line < w->line || place.line - w->line > FEW_LINES)
        line_directive(w, place);
    while (w->line < place.line)
        newline(w);
}

/* Do the ends of two operators make another one, or begin a comment? What a macro stands for has the place of
 * its call, so that places do not tell. */
static bool makes_operator(char last, char first) {
    return first == '=' ? strchr("=!<>+-*/%&|^", last) != NULL
                        : (first == last && strchr("+-<>&|^/#", last)) || (last == '/' && first == '*');
}

/* Could the two be read as one token, or as others? Not where the source has them side by side. */
static bool would_merge(const struct token *a, const struct token *b) {
    if (a->kind == T_PUNCTUATION && b->kind == T_PUNCTUATION &&
        makes_operator(a->name->text[a->name->length - 1], b->name->text[0]))
        return true;
    bool beside = a->place.file == b->place.file && a->place.line == b->place.line &&
                  a->place.column + a->name->length == b->place.column;
    bool separate = strchr("(){}[];,", a->name->text[0]) || strchr("(){}[];,", b->name->text[0]);
    return (a->kind != T_PUNCTUATION && b->kind != T_PUNCTUATION) || (!beside && !separate);
}

const char *write_preprocessed(struct run *run, const struct unit *unit) {
    struct writer w = {.run = run, .unit = unit, .file = unit->file, .line = 1, .fresh = true};
    if (unit->version_place.line) {
        const char *profile = unit->es && unit->version > 100               ? " es"
                              : unit->compatibility && unit->version >= 150 ? " compatibility"
                                                                            : "";
        go_to(&w, unit->version_place);
        buffer_add_z(run, &w.text, run_format(run, "#version %d%s", unit->version, profile));
        newline(&w);
    }
    for (size_t i = 0; i < unit->tokens.count && !run->failed; i++) {
        const struct token *t = &unit->tokens.at[i], *before = i ? t - 1 : NULL;
        if (t->kind == T_DIRECTIVE && !w.fresh && w.line == t->place.line)
            newline(&w);
        go_to(&w, t->place);
        if (!w.fresh && before && (t->space || would_merge(before, t)))
            buffer_add(run, &w.text, " ", 1);
        buffer_add(run, &w.text, t->name->text, t->name->length);
        w.fresh = false;
        if (t->kind == T_DIRECTIVE)
            newline(&w);
    }
    if (!w.fresh)
        newline(&w);
    char *text = run->failed ? NULL : ir_alloc(run->arena, w.text.length + 1);
    if (text && w.text.length)
        memcpy(text, w.text.text, w.text.length);
    buffer_free(run, &w.text);
    return ir_arena_oom(run->arena) ? NULL : text;
}
