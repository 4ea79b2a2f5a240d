/* define.c: which macros there are: #define, #undef, -D, and what the language predefines.
 *
 * Each unit starts without macros: macros_end takes them off the names, which are the run's. */
#include "frontend/glsl/macros.h"
#include "ir/heap.h"

#include <string.h>

#define MOST_PARAMETERS 256

/* Only what lies in memory of its own: the list must not come back to a macro. */
static void take_effect(struct preprocessor *pp, struct macro *macro) {
    macro->name->macro = macro;
    macro->before = pp->macros;
    pp->macros = macro;
}

static bool same_definition(const struct macro *a, const struct macro *b) {
    if (a->function != b->function || a->parameter_count != b->parameter_count ||
        a->body_count != b->body_count)
        return false;
    for (size_t i = 0; i < a->parameter_count; i++) {
        if (a->parameters[i] != b->parameters[i])
            return false;
    }
    for (size_t i = 0; i < a->body_count; i++) {
        if (a->body[i].name != b->body[i].name || (i && a->body[i].space != b->body[i].space))
            return false;
    }
    return true;
}

static bool may_name(struct preprocessor *pp, const struct token *t, const char *directive) {
    const char *text = t->name->text;
    if (t->kind != T_IDENTIFIER)
        run_report(pp->run, FE_ERROR, pp->unit->stage, t->place, "#%s needs a name", directive);
    else if (token_is(t, "defined") || (t->name->macro && t->name->macro->predefined))
        run_report(pp->run, FE_ERROR, pp->unit->stage, t->place, "#%s: '%s' is predefined", directive, text);
    else if (strncmp(text, "GL_", 3) == 0)
        run_report(pp->run, FE_ERROR, pp->unit->stage, t->place,
                   "#%s: names that begin with \"GL_\" are reserved", directive);
    else
        return true;
    return false;
}

static size_t read_parameters(struct preprocessor *pp, struct macro *macro, const struct tokens *line) {
    const struct name *list[MOST_PARAMETERS];
    size_t at = 2;
    if (at < line->count && token_is(&line->at[at], ")"))
        return at + 1;
    for (;;) {
        if (at + 1 >= line->count || line->at[at].kind != T_IDENTIFIER ||
            macro->parameter_count == MOST_PARAMETERS) {
            macros_report(pp, at < line->count ? line->at[at].place : line->at[0].place,
                          "bad parameter list of macro '%s'", macro->name->text);
            return 0;
        }
        for (size_t i = 0; i < macro->parameter_count; i++) {
            if (list[i] == line->at[at].name) {
                macros_report(pp, line->at[at].place, "two parameters of a macro have the name '%s'",
                              list[i]->text);
                return 0;
            }
        }
        list[macro->parameter_count++] = line->at[at++].name;
        if (token_is(&line->at[at], ")"))
            break;
        if (!token_is(&line->at[at++], ",")) {
            macros_report(pp, line->at[at - 1].place, "bad parameter list of macro '%s'", macro->name->text);
            return 0;
        }
    }
    macro->parameters = ir_alloc(pp->run->arena, macro->parameter_count * sizeof *macro->parameters);
    memcpy(macro->parameters, list, macro->parameter_count * sizeof *list);
    return at + 1;
}

void macros_define(struct preprocessor *pp, struct place place, const struct tokens *line) {
    if (!line->count) {
        run_report(pp->run, FE_ERROR, pp->unit->stage, place, "#define needs a name");
        return;
    }
    if (!may_name(pp, &line->at[0], "define"))
        return;
    struct name *name = (struct name *)line->at[0].name;
    struct macro *macro = ir_alloc(pp->run->arena, sizeof *macro);
    macro->name = name;
    size_t body = 1;
    if (line->count > 1 && token_is(&line->at[1], "(") && !line->at[1].space) {
        macro->function = true;
        body = read_parameters(pp, macro, line);
        if (!body)
            return;
    }
    macro->body_count = line->count - body;
    size_t bytes = macro->body_count * sizeof *macro->body;
    macro->body = ir_alloc(pp->run->arena, bytes);
    if (ir_arena_oom(pp->run->arena)) {
        pp->run->failed = true;
        return;
    }
    if (bytes)
        memcpy(macro->body, line->at + body, bytes);
    for (size_t i = 0; i < macro->body_count; i++) {
        struct token *t = &macro->body[i];
        bool edge = i == 0 || i + 1 == macro->body_count;
        if (token_is(t, "##") && edge) {
            run_report(pp->run, FE_ERROR, pp->unit->stage, t->place, "'##' needs a token on both sides");
            return;
        }
        if (token_is(t, "##") && pp->unit->es) /* defined all the same: no message for each use */
            run_report(pp->run, FE_ERROR, pp->unit->stage, t->place, "'##' is not part of GLSL ES");
        if (t->kind == T_STRAY || token_is(t, "#")) {
            preprocess_stray(pp, t);
            name->undeclared |= (uint8_t)(1u << pp->unit->stage); /* no message for each use */
            return;
        }
    }
    if (name->macro && !same_definition(name->macro, macro)) {
        macros_report(pp, line->at[0].place, "macro '%s' is defined again, and differently; use #undef first",
                      name->text);
        return;
    }
    take_effect(pp, macro);
}

void macros_undef(struct preprocessor *pp, struct place place, const struct tokens *line) {
    if (!line->count) {
        run_report(pp->run, FE_ERROR, pp->unit->stage, place, "#undef needs a name");
        return;
    }
    if (line->count > 1)
        macros_report(pp, line->at[1].place, "unexpected '%s' after #undef", line->at[1].name->text);
    if (may_name(pp, &line->at[0], "undef"))
        ((struct name *)line->at[0].name)->macro = NULL;
}

static void predefine(struct preprocessor *pp, const char *name, const char *number, enum special special) {
    struct macro *macro = ir_alloc(pp->run->arena, sizeof *macro);
    struct name *n = run_name_z(pp->run, name);
    struct token *body = ir_alloc(pp->run->arena, sizeof *body);
    *body =
        (struct token){.name = run_name_z(pp->run, number), .place = {pp->base_file, 1, 1}, .kind = T_NUMBER};
    if (ir_arena_oom(pp->run->arena)) {
        pp->run->failed = true;
        return;
    }
    macro->name = n;
    macro->body = body;
    macro->body_count = 1;
    macro->predefined = true;
    macro->special = special;
    take_effect(pp, macro);
}

void macros_define_number(struct preprocessor *pp, const char *name, const char *number) {
    predefine(pp, name, number, SPECIAL_NONE);
}

/* -D NAME or NAME=VALUE */
static void define_option(struct preprocessor *pp, const char *text) {
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    struct buffer source = {0};
    buffer_add(pp->run, &source, text, length);
    buffer_add_z(pp->run, &source, " ");
    buffer_add_z(pp->run, &source, equals ? equals + 1 : "1");
    if (!pp->run->failed) {
        uint32_t file = run_file(pp->run, "<command line>", (struct place){0});
        struct lexer lexer;
        struct tokens line = {0};
        lexer_begin(&lexer, source.text, source.length, file);
        for (;;) {
            struct token t = lexer_next(pp->run, &lexer);
            if (t.kind == T_END || t.kind == T_NEWLINE || !tokens_push(pp->run, &line, t))
                break;
        }
        macros_define(pp, (struct place){file, 1, 1}, &line);
        tokens_free(pp->run, &line);
    }
    ir_heap_free(source.text);
}

void macros_predefine(struct preprocessor *pp) {
    predefine(pp, "__LINE__", "0", SPECIAL_LINE);
    predefine(pp, "__FILE__", "0", SPECIAL_FILE);
    macros_define_number(pp, "__VERSION__", run_format(pp->run, "%d", pp->unit->version));
    if (pp->unit->es)
        macros_define_number(pp, "GL_ES", "1");
    if (pp->unit->es || pp->unit->version >= 130)
        macros_define_number(pp, "GL_FRAGMENT_PRECISION_HIGH", "1");
    if (!pp->unit->es && pp->unit->version >= 150)
        macros_define_number(pp, "GL_core_profile", "1");
    if (pp->unit->compatibility && pp->unit->version >= 150)
        macros_define_number(pp, "GL_compatibility_profile", "1");
    preprocess_define_extensions(pp);
    for (size_t i = 0; i < pp->options->define_count; i++)
        define_option(pp, pp->options->defines[i]);
}

void macros_end(struct preprocessor *pp) {
    for (struct macro *m = pp->macros; m; m = m->before)
        m->name->macro = NULL;
    pp->macros = NULL;
}
