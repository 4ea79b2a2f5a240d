/* macros.c: expansion of macros.
 *
 * A macro is not expanded inside its own expansion, arguments are expanded before they are put in place (GLSL
 * takes both from C++). A token from a macro's body gets the place of the outermost call, a token from an
 * argument keeps its own. __LINE__ in a body is the line in which the outermost call ends. Frames live on the
 * heap and every token produced is counted: a macro bomb ends as a diagnostic of code "limit". */
#include "frontend/glsl/macros.h"
#include "ir/heap.h"

#include <string.h>

#define DEEPEST_ARGUMENTS 64

struct frame { /* tokens waiting to be read: a macro's expansion or an argument */
    struct tokens tokens;
    size_t next;
    struct macro *macro; /* busy while the frame stands */
};

struct reader {
    struct run *run;
    struct frame *frames;
    size_t count, capacity;
    bool from_lexer;
};

void macros_report(struct preprocessor *pp, struct place place, const char *format, const char *name) {
    run_report(pp->run, FE_ERROR, pp->unit->stage, place, format, name);
}

/* Of macros that expand each other the one that the text calls is at fault, as far as anybody can tell. */
static void grows_too_large(struct preprocessor *pp, const struct macro *macro, struct place place) {
    const struct name *name = pp->outermost ? pp->outermost : macro ? macro->name : NULL;
    if (!pp->stopped)
        run_limit(pp->run, pp->unit->stage, place,
                  "macro '%s' expands to too much: %zu tokens, the limit is %zu", name ? name->text : "",
                  pp->expanded, pp->run->limits.expansion);
    pp->stopped = true;
}

/* --- reading -------------------------------------------------------------------------------------------- */

static void pop_frame(struct reader *reader) {
    struct frame *f = &reader->frames[--reader->count];
    if (f->macro)
        f->macro->busy = false;
    tokens_free(reader->run, &f->tokens);
}

static void reader_end(struct reader *reader) {
    while (reader->count)
        pop_frame(reader);
    run_free(reader->run, reader->frames, reader->capacity * sizeof *reader->frames);
}

/* Takes over `tokens`. */
static bool push_frame(struct preprocessor *pp, struct reader *reader, struct tokens *tokens,
                       struct macro *macro, struct place place) {
    void *array = reader->frames;
    pp->expanded += tokens->count + 1;
    bool too_much = pp->expanded > pp->run->limits.expansion;
    if (too_much)
        grows_too_large(pp, macro, place);
    if (too_much || !run_grow(pp->run, &array, &reader->capacity, reader->count, sizeof *reader->frames)) {
        tokens_free(pp->run, tokens);
        return false;
    }
    reader->frames = array;
    reader->frames[reader->count++] = (struct frame){.tokens = *tokens, .macro = macro};
    if (macro)
        macro->busy = true;
    return true;
}

static struct token read_token(struct preprocessor *pp, struct reader *reader) {
    while (reader->count) {
        struct frame *f = &reader->frames[reader->count - 1];
        if (f->next < f->tokens.count)
            return f->tokens.at[f->next++];
        pop_frame(reader);
    }
    if (reader->from_lexer)
        return lexer_next(pp->run, &pp->lexer);
    return (struct token){.kind = T_END, .name = run_name(pp->run, "", 0)};
}

/* Is the next token, across line ends, an opening bracket? It is taken if so, and nothing moves if not. */
static bool take_bracket(struct preprocessor *pp, struct reader *reader) {
    for (size_t i = reader->count; i-- > 0;) {
        struct frame *f = &reader->frames[i];
        if (f->next == f->tokens.count)
            continue;
        if (!token_is(&f->tokens.at[f->next], "("))
            return false;
        while (reader->count > i + 1)
            pop_frame(reader);
        reader->frames[i].next++;
        return true;
    }
    if (!reader->from_lexer)
        return false;
    struct lexer ahead = pp->lexer;
    struct token t;
    do
        t = lexer_next(pp->run, &ahead);
    while (t.kind == T_NEWLINE);
    if (!token_is(&t, "("))
        return false;
    while (reader->count)
        pop_frame(reader);
    pp->lexer = ahead;
    return true;
}

/* --- calls ---------------------------------------------------------------------------------------------- */

static bool expand_all(struct preprocessor *pp, struct reader *reader, struct tokens *out);

struct arguments {
    struct tokens *raw, *expanded;
    bool *done;
    size_t count;
};

static void arguments_free(struct run *run, struct arguments *a) {
    for (size_t i = 0; a->raw && i < a->count; i++)
        tokens_free(run, &a->raw[i]);
    for (size_t i = 0; a->expanded && i < a->count; i++)
        tokens_free(run, &a->expanded[i]);
    ir_heap_free(a->raw);
    ir_heap_free(a->expanded);
    ir_heap_free(a->done);
}

static uint32_t line_of(const struct token *t) {
    return t->call_line ? t->call_line : t->place.line;
}

/* Reads up to the bracket that ends the call, whose line is given back. */
static bool collect(struct preprocessor *pp, struct reader *reader, const struct macro *macro,
                    struct place place, struct arguments *a, uint32_t *line) {
    struct run *run = pp->run;
    size_t slots = macro->parameter_count ? macro->parameter_count : 1;
    a->raw = ir_heap_zeroed(run->from, slots * sizeof *a->raw);
    a->expanded = ir_heap_zeroed(run->from, slots * sizeof *a->expanded);
    a->done = ir_heap_zeroed(run->from, slots * sizeof *a->done);
    a->count = slots;
    if (!a->raw || !a->expanded || !a->done) {
        run->failed = true;
        return false;
    }
    size_t given = 0, depth = 0;
    bool fresh_line = false;
    for (;;) {
        struct token t = read_token(pp, reader);
        if (run->failed)
            return false;
        if (t.kind == T_NEWLINE) {
            fresh_line = true;
            continue;
        }
        if (t.kind == T_END) {
            macros_report(pp, place, "the call of macro '%s' is not closed", macro->name->text);
            return false;
        }
        if (fresh_line && token_is(&t, "#")) {
            macros_report(pp, t.place, "a directive inside the call of macro '%s'", macro->name->text);
            return false;
        }
        if (t.kind == T_STRAY) {
            macros_report(pp, t.place, "unexpected character in the call of macro '%s'", macro->name->text);
            return false;
        }
        if (reader->from_lexer && (token_is(&t, "#") || token_is(&t, "##"))) {
            preprocess_stray(pp, &t);
            if (pp->stopped)
                return false;
            continue;
        }
        t.space |= fresh_line;
        fresh_line = false;
        *line = line_of(&t);
        if (token_is(&t, ")") && depth-- == 0)
            break;
        if (token_is(&t, "("))
            depth++;
        if (token_is(&t, ",") && depth == 0) {
            given++;
            continue;
        }
        if (t.kind == T_IDENTIFIER && t.name->macro && t.name->macro->busy)
            t.no_expand = true;
        if (++pp->expanded > run->limits.expansion) {
            grows_too_large(pp, macro, place);
            return false;
        }
        if (given < slots && !tokens_push(run, &a->raw[given], t))
            return false;
    }
    given++;
    bool none = given == 1 && a->raw[0].count == 0;
    if (given != macro->parameter_count && !(none && macro->parameter_count == 0)) {
        run_report(run, FE_ERROR, pp->unit->stage, place, "macro '%s' takes %zu arguments, %zu given",
                   macro->name->text, macro->parameter_count, none ? 0 : given);
        return false;
    }
    if (macro->parameter_count == 0 && a->raw[0].count) {
        macros_report(pp, place, "macro '%s' takes no arguments", macro->name->text);
        return false;
    }
    return true;
}

static const struct tokens *argument(struct preprocessor *pp, struct arguments *a, size_t index) {
    if (a->done[index])
        return &a->expanded[index];
    a->done[index] = true;
    if (++pp->argument_depth > DEEPEST_ARGUMENTS) {
        pp->stopped = true;
        run_limit(pp->run, pp->unit->stage,
                  a->raw[index].count ? a->raw[index].at[0].place : (struct place){0},
                  "the arguments of macro calls are nested more than %d deep, in '%s'", DEEPEST_ARGUMENTS,
                  pp->outermost ? pp->outermost->text : "");
        return NULL;
    }
    struct reader reader = {.run = pp->run};
    struct tokens copy = {0};
    bool good = true;
    for (size_t i = 0; i < a->raw[index].count && good; i++)
        good = tokens_push(pp->run, &copy, a->raw[index].at[i]);
    if (!good)
        tokens_free(pp->run, &copy);
    good = good && push_frame(pp, &reader, &copy, NULL, (struct place){pp->base_file, 0, 0}) &&
           expand_all(pp, &reader, &a->expanded[index]);
    reader_end(&reader);
    pp->argument_depth--;
    return good ? &a->expanded[index] : NULL;
}

static size_t parameter_index(const struct macro *macro, const struct token *t) {
    size_t i = 0;
    while (i < macro->parameter_count && macro->parameters[i] != t->name)
        i++;
    return t->kind == T_IDENTIFIER ? i : macro->parameter_count;
}

static bool paste(struct preprocessor *pp, struct tokens *out, const struct token *right) {
    struct token *left = out->count ? &out->at[out->count - 1] : NULL;
    if (!left || left->kind == T_PLACEMARKER) {
        if (left)
            out->count--;
        return tokens_push(pp->run, out, *right);
    }
    if (right->kind == T_PLACEMARKER)
        return true;
    const char *text = run_join(pp->run, left->name->text, right->name->text);
    struct lexer lexer;
    lexer_begin(&lexer, text, strlen(text), left->place.file);
    struct token joined = lexer_next(pp->run, &lexer);
    bool none = joined.kind == T_STRAY || joined.kind == T_END || joined.kind == T_NEWLINE; /* a comment */
    if (lexer.at != lexer.end || none) {
        macros_report(pp, left->place, "'##' makes no token: '%s'", text);
        return false;
    }
    joined.place = left->place;
    joined.call_line = left->call_line;
    joined.space = left->space;
    *left = joined;
    return true;
}

static bool substitute(struct preprocessor *pp, const struct macro *macro, struct arguments *a,
                       struct place place, uint32_t line, struct tokens *out) {
    struct run *run = pp->run;
    bool join = false;
    for (size_t i = 0; i < macro->body_count; i++) {
        struct token t = macro->body[i];
        if (token_is(&t, "##")) {
            join = true;
            continue;
        }
        bool join_next = i + 1 < macro->body_count && token_is(&macro->body[i + 1], "##");
        size_t p = a ? parameter_index(macro, &t) : macro->parameter_count;
        struct token own = t;
        own.place = place;
        own.call_line = line;
        if (p == macro->parameter_count) {
            if (!(join ? paste(pp, out, &own) : tokens_push(run, out, own)))
                return false;
        } else {
            const struct tokens *list = join || join_next ? &a->raw[p] : argument(pp, a, p);
            if (!list)
                return false;
            if (!list->count && (join || join_next)) {
                own.kind = T_PLACEMARKER;
                if (!(join ? paste(pp, out, &own) : tokens_push(run, out, own)))
                    return false;
            }
            for (size_t k = 0; k < list->count; k++) {
                struct token v = list->at[k];
                if (!(join && k == 0 ? paste(pp, out, &v) : tokens_push(run, out, v)))
                    return false;
                if (out->count > run->limits.expansion) {
                    grows_too_large(pp, macro, place);
                    return false;
                }
            }
        }
        join = false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < out->count; i++) {
        if (out->at[i].kind != T_PLACEMARKER)
            out->at[kept++] = out->at[i];
    }
    out->count = kept;
    return true;
}

/* Expands if `t` is a live macro's name: pushes the frame and says so in *did. */
static bool call(struct preprocessor *pp, struct reader *reader, const struct token *t, bool *did) {
    struct macro *macro = t->name->macro;
    struct tokens result = {0};
    *did = false;
    if (macro->special) {
        long long value = macro->special == SPECIAL_LINE ? (long long)line_of(t) : pp->source_string;
        struct token number = {.kind = T_NUMBER, .place = t->place, .space = t->space};
        number.name = run_name_z(pp->run, run_format(pp->run, "%lld", value));
        *did = true;
        return tokens_push(pp->run, &result, number) && push_frame(pp, reader, &result, NULL, t->place);
    }
    bool good;
    if (macro->function) {
        if (!take_bracket(pp, reader))
            return true;
        struct arguments a = {0};
        uint32_t line = line_of(t);
        good = collect(pp, reader, macro, t->place, &a, &line) &&
               substitute(pp, macro, &a, t->place, line, &result);
        arguments_free(pp->run, &a);
        if (!good && !pp->stopped && !pp->run->failed) {
            tokens_free(pp->run,
                        &result); /* reported; what is left of the call makes no sense to glslang either */
            *did = true;
            return true;
        }
    } else {
        good = substitute(pp, macro, NULL, t->place, line_of(t), &result);
    }
    if (!good) {
        tokens_free(pp->run, &result);
        return false;
    }
    if (result.count)
        result.at[0].space = t->space;
    *did = true;
    return push_frame(pp, reader, &result, macro, t->place);
}

/* `defined X` or `defined(X)` becomes 1 or 0, X unexpanded. A macro may have written part of it or all. */
static bool evaluate_defined(struct preprocessor *pp, struct reader *reader, struct token *t) {
    struct token name = read_token(pp, reader);
    bool bracket = token_is(&name, "(");
    if (bracket)
        name = read_token(pp, reader);
    bool good = name.kind == T_IDENTIFIER;
    if (good && bracket) {
        struct token close = read_token(pp, reader);
        good = token_is(&close, ")");
    }
    if (!good) {
        macros_report(pp, t->place, "'%s' needs a name: defined NAME or defined(NAME)", "defined");
        return false;
    }
    t->kind = T_NUMBER;
    t->name = run_name_z(pp->run, name.name->macro ? "1" : "0");
    return true;
}

static bool expand_all(struct preprocessor *pp, struct reader *reader, struct tokens *out) {
    for (;;) {
        struct token t = read_token(pp, reader);
        if (t.kind == T_END)
            return true;
        if (pp->run->failed || pp->stopped)
            return false;
        if (pp->in_condition && t.kind == T_IDENTIFIER && token_is(&t, "defined") &&
            !evaluate_defined(pp, reader, &t))
            return false;
        if (t.kind == T_IDENTIFIER && t.name->macro && !t.no_expand) {
            if (t.name->macro->busy) {
                t.no_expand = true;
            } else {
                bool did;
                if (!call(pp, reader, &t, &did))
                    return false;
                if (did)
                    continue;
            }
        }
        if (!tokens_push(pp->run, out, t))
            return false;
    }
}

static void pop_exhausted(struct reader *reader) {
    while (reader->count &&
           reader->frames[reader->count - 1].next == reader->frames[reader->count - 1].tokens.count)
        pop_frame(reader);
}

bool macros_expand(struct preprocessor *pp, struct token token, struct tokens *out) {
    if (token.kind != T_IDENTIFIER || !token.name->macro)
        return tokens_push(pp->run, out, token);
    struct reader reader = {.run = pp->run, .from_lexer = true};
    pp->outermost = token.name;
    bool did, good = call(pp, &reader, &token, &did);
    if (good && !did)
        good = tokens_push(pp->run, out, token);
    /* Only frames are read here; a name at the end of one may still find its brackets in the text: call()
     * looks. */
    for (pop_exhausted(&reader); good && reader.count && out->count <= pp->run->limits.tokens;
         pop_exhausted(&reader)) {
        struct token t = read_token(pp, &reader);
        if (t.kind == T_IDENTIFIER && t.name->macro && !t.no_expand) {
            if (t.name->macro->busy) {
                t.no_expand = true;
            } else {
                good = call(pp, &reader, &t, &did);
                if (did || !good)
                    continue;
            }
        }
        good = tokens_push(pp->run, out, t);
    }
    reader_end(&reader);
    if (out->count > pp->run->limits.tokens)
        grows_too_large(pp, token.name->macro, token.place);
    pp->outermost = NULL;
    return good && !pp->stopped && !pp->run->failed;
}

bool macros_expand_list(struct preprocessor *pp, const struct tokens *in, struct tokens *out) {
    struct reader reader = {.run = pp->run};
    struct tokens copy = {0};
    bool good = true;
    for (size_t i = 0; i < in->count && good; i++)
        good = tokens_push(pp->run, &copy, in->at[i]);
    if (!good)
        tokens_free(pp->run, &copy);
    good = good && push_frame(pp, &reader, &copy, NULL, (struct place){pp->base_file, 0, 0}) &&
           expand_all(pp, &reader, out);
    reader_end(&reader);
    return good;
}
