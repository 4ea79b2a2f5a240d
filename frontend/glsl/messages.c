/* messages.c: rewrites glslang's messages with the user's names and positions.
 *
 * Each line of the text that glslang reads is one token (essl100/source.c), so its line numbers give
 * positions. The linker's messages have no line. They name a variable or function, which is looked up in the
 * declarations. */
#include "frontend/glsl/reasons.h"
#include "ir/heap.h"

#include <string.h>

/* The token that a message is about; the number of tokens: it is about the text's end, or has no place. */
static size_t message_token(const struct unit *unit, const struct pass_text *text, const struct message *m) {
    const struct tokens *tokens = &unit->tokens;
    size_t at = (size_t)m->line - text->first_line;
    if (m->line < (long)text->first_line || at >= tokens->count)
        return tokens->count;
    /* glslang often names the token after the one it quotes, or the operator before: look around on the same
     * line. */
    struct place line = tokens->at[at].place;
    for (size_t distance = 0; *m->token && distance < 16; distance++) {
        for (int side = 0; side < 2; side++) {
            size_t k = side ? at + distance : at - distance;
            if (k < tokens->count && tokens->at[k].place.line == line.line &&
                tokens->at[k].place.file == line.file && token_is(&tokens->at[k], m->token))
                return k;
        }
    }
    return at;
}

static struct place message_place(const struct unit *unit, const struct pass_text *text,
                                  const struct message *m) {
    if (m->line < (long)text->first_line)
        return (struct place){.file = unit->file, .line = 1, .column = 1};
    size_t at = message_token(unit, text, m);
    return at < unit->tokens.count ? unit->tokens.at[at].place : unit->end;
}

bool messages_noise(const char *text) {
    static const char *const noise[] = {"compilation terminated", "No code generated",
                                        "Missing entry point: Each stage"};
    if (!*text)
        return true;
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++) {
        if (strstr(text, noise[i]))
            return true;
    }
    return false;
}

static bool is_syntax_error(const struct message *m) {
    return strstr(m->text, "syntax error") != NULL;
}

/* The braces of a structure or a block; those of a statement may be empty. */
static bool is_without_members(const struct unit *unit, const struct pass_text *text,
                               const struct message *m) {
    const struct tokens *tokens = &unit->tokens;
    size_t close = (size_t)(m->line - (long)text->first_line);
    return is_syntax_error(m) && close && close < tokens->count && token_is(&tokens->at[close], "}") &&
           token_is(&tokens->at[close - 1], "{");
}

struct reporter {
    struct run *run;
    const struct unit *unit;
    const struct declarations *d; /* NULL: of the text for code, which is judged by glslang alone */
    bool *said;                   /* by token: of the statement that begins there something was said */
    bool precision_said;
};

static void report_at(const struct reporter *r, const struct finding *f) {
    const struct token *t = &r->unit->tokens.at[f->token];
    struct place place = t->place;
    if (f->after)
        place.column += t->name->length;
    run_report(r->run, FE_ERROR, r->unit->stage, place, "%s", f->text);
}

static void report_syntax(struct reporter *r, size_t at) {
    struct syntax_fault fault = syntax_fault(r->run, r->unit, r->d, at);
    report_at(r, &fault.finding);
}

/* What is wrong with the statement, as far as we see it. A name that is not declared is said once. */
static bool report_reasons(struct reporter *r, size_t begin, size_t end) {
    struct findings found = {.count = 0};
    uint8_t stage = (uint8_t)(1u << r->unit->stage);
    typing_statement(r->run, r->unit, r->d, begin, end, &found);
    for (size_t i = 0; i < found.count; i++) {
        struct name *unknown = (struct name *)found.at[i].unknown;
        bool again = unknown && (unknown->undeclared & stage);
        r->run->error_count += again;
        if (!again)
            report_at(r, &found.at[i]);
        if (unknown)
            unknown->undeclared |= stage;
    }
    return found.count != 0;
}

/* What the statement declares is not known to glslang: no message for each use. */
static void explain_names(const struct unit *unit, size_t begin, size_t end) {
    const struct token *t = unit->tokens.at;
    for (size_t i = begin; i + 1 < end && i + 1 < unit->tokens.count; i++)
        if (t[i].kind == T_IDENTIFIER && t[i + 1].kind == T_IDENTIFIER)
            ((struct name *)t[i + 1].name)->undeclared |= (uint8_t)(1u << unit->stage);
}

static bool has_default_precision(const struct unit *unit, size_t at) {
    const struct token *t = unit->tokens.at;
    for (size_t i = 0; i + 2 < at; i++)
        if (token_is(&t[i], "precision") && token_is(&t[i + 2], "float"))
            return true;
    return false;
}

/* What the statement says and the language lacks: the token of the message, the first word of the statement,
 * a list of values. */
static const char *foreign_word(struct reporter *r, size_t begin, size_t at, const char *token,
                                size_t *place) {
    const struct token *t = r->unit->tokens.at;
    const char *words[] = {token, begin < r->unit->tokens.count ? t[begin].name->text : ""};
    for (size_t i = 0; i < 2; i++) {
        const char *hint = near_hint(r->unit, words[i]);
        struct name *name = run_name_z(r->run, words[i]);
        if (!hint)
            continue;
        name->undeclared |= (uint8_t)(1u << r->unit->stage);
        *place = i ? begin : at;
        return run_format(r->run, "'%s': not in %s; %s", words[i], near_language(r->run, r->unit), hint);
    }
    *place = at;
    return syntax_values(r->run, r->unit, at);
}

/* What a version lacks, by glslang's name for it, and what to do instead. */
static const char *lacking(struct reporter *r, const char *feature) {
    static const char *const instead[][2] = {
        {"uniform block", "; declare its members as uniforms"},
        {"arrayed type", "; write the brackets behind the name"},
    };
    const char *text = "";
    for (size_t i = 0; i < sizeof instead / sizeof *instead; i++)
        if (!strcmp(feature, instead[i][0]))
            text = instead[i][1];
    return run_format(r->run, "not in %s%s", near_language(r->run, r->unit), text);
}

static const char REDEFINITION[] = "redefinition";

/* Of a structure there is one word more. */
static bool is_redefinition(const char *text) {
    return !strncmp(text, REDEFINITION, sizeof REDEFINITION - 1);
}

/* What glslang's words leave out, added; the whole message where they are replaced. */
static const char *complete(struct reporter *r, const struct message *m, const char *plain, size_t at) {
    bool body = !strcmp(plain, "function already has a body");
    const char *whole = NULL;
    if (!strcmp(plain, "not supported for this version or the enabled extensions"))
        plain = lacking(r, m->token);
    else if (body || is_redefinition(plain) || strstr(plain, "redeclaration of existing name"))
        plain = run_format(r->run, "%s%s", is_redefinition(plain) ? REDEFINITION : plain,
                           earlier_place(r->run, r->unit, r->d, at, body));
    else if (!strcmp(plain, "in/out must appear before const")) /* which is the wrong way round */
        whole = "'const' stands before 'in'";
    else if (!strcmp(m->token, "attribute") && strstr(plain, "required extension not requested"))
        whole = "'[[': needs the line '#extension GL_EXT_control_flow_attributes : enable' at the top";
    else if (strstr(plain, "must be a constant integer expression"))
        whole = earlier_array(r->run, r->unit, at);
    else
        whole = earlier_index(r->run, r->unit, at, plain);
    if (whole)
        return whole;
    return *m->token ? run_format(r->run, "'%s': %s", m->token, plain) : plain;
}

/* glslang's own words, but for its types and what they leave out. */
static void report_message(struct reporter *r, const struct pass_text *text, const struct message *m) {
    enum fe_severity severity = m->warning ? FE_WARNING : FE_ERROR;
    const char *plain = reasons_plain(r->run, m->text);
    if (r->d)
        plain = complete(r, m, plain, message_token(r->unit, text, m));
    else if (*m->token)
        plain = run_format(r->run, "'%s': %s", m->token, plain);
    run_report(r->run, severity, r->unit->stage, message_place(r->unit, text, m), "%s", plain);
}

/* Does glslang only say so because of what was said before? A name that was used before it is declared is
 * declared twice for it. */
static bool is_consequence(struct reporter *r, const struct message *m) {
    return is_redefinition(m->text) && *m->token &&
           (run_name_z(r->run, m->token)->undeclared & (uint8_t)(1u << r->unit->stage));
}

/* The labels of a `switch` that the language does not have, which was said. */
static bool is_label(struct reporter *r, const char *token) {
    bool said = run_name_z(r->run, "switch")->undeclared & (uint8_t)(1u << r->unit->stage);
    return said && (!strcmp(token, "case") || !strcmp(token, "default"));
}

/* In a body that a function may not have, because it has one already or its name is another thing's, glslang
 * takes the function for void: what it returns is not wrong. */
static bool is_in_refused_body(struct reporter *r, const struct message *m, size_t at) {
    size_t low = 0, high = r->d->function_count; /* the last function that begins before the token */
    if (!strstr(m->text, "void function cannot return a value"))
        return false;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (r->d->functions[middle].token < at)
            low = middle + 1;
        else
            high = middle;
    }
    size_t token = low ? r->d->functions[low - 1].token : 0;
    return token && !token_is(&r->unit->tokens.at[token - 1], "void");
}

static void report_rest(struct reporter *r, const struct pass_text *text, const struct message *m,
                        size_t begin, size_t at) {
    size_t place = at;
    const char *foreign = foreign_word(r, begin, at, m->token, &place);
    if (is_label(r, m->token) || is_in_refused_body(r, m, at))
        r->run->error_count++;
    else if (!foreign)
        report_message(r, text, m);
    else
        run_report(r->run, FE_ERROR, r->unit->stage,
                   place == at ? message_place(r->unit, text, m) : r->unit->tokens.at[place].place, "%s",
                   foreign);
}

static void report_one(struct reporter *r, const struct pass_text *text, const struct message *m) {
    size_t count = r->unit->tokens.count;
    bool placed = m->line >= (long)text->first_line;
    size_t at = placed ? (size_t)m->line - text->first_line : 0;
    at = at < count ? at : count;
    if (!m->warning && r->run->kept_errors >= MOST_ERRORS) {
        r->run->error_count++;
        return;
    }
    size_t begin = reasons_begin(r->unit, at), end = reasons_end(r->unit, at);
    if (m->warning || !placed || !r->d) {
        if (!messages_noise(m->text) && !(placed && r->d && r->said[begin]))
            report_message(r, text, m);
        return;
    }
    if (messages_noise(m->text)) {
        r->said[begin] = true;
        return;
    }
    bool fragment = r->unit->stage == QPUCC_FRAGMENT && r->unit->es;
    if (fragment && !strcmp(m->token, "float") && !has_default_precision(r->unit, at)) {
        if (!r->precision_said)
            run_report(
                r->run, FE_ERROR, r->unit->stage, message_place(r->unit, text, m),
                "'float' has no precision: the fragment language has no default for float; declare one "
                "(precision mediump float;) or pass -fdefault-precision=mediump");
        r->run->error_count += r->precision_said;
        r->precision_said = true;
        return;
    }
    bool said = r->said[begin] || is_consequence(r, m);
    for (size_t i = begin; i <= end && i < count; i++)
        said |= r->unit->tokens.at[i].after_stray;
    r->said[begin] = true;
    if (said)
        r->run->error_count++; /* a consequence */
    else if (is_syntax_error(m) && !is_without_members(r->unit, text, m))
        report_syntax(r, at);
    else if (!report_reasons(r, begin, end))
        report_rest(r, text, m, begin, at);
    explain_names(r->unit, begin, end);
}

void messages_report(struct run *run, const struct unit *unit, const struct declarations *d,
                     const struct pass_text *text, struct messages *messages) {
    struct reporter r = {.run = run, .unit = unit, .d = d};
    r.said = run_zeroed(run, unit->tokens.count + 1, sizeof *r.said);
    for (size_t i = 0; i < messages->count && !run->failed; i++) {
        struct message *m = &messages->at[i];
        m->text = essl_unalias(run, m->text);
        m->token = essl_unalias(run, m->token);
        if (is_without_members(unit, text, m))
            m->text = "a structure or a block needs a member";
        if (!m->warning)
            report_one(&r, text, m);
    }
    for (size_t i = 0; i < messages->count && !run->failed; i++)
        if (messages->at[i].warning) /* none about what is wrong anyway */
            report_one(&r, text, &messages->at[i]);
}

/* The token that a syntax error is at, the number of tokens for the text's end, or -1. */
long messages_syntax_error(const struct messages *messages, const struct pass_text *text, size_t count) {
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *m = &messages->at[i];
        if (!m->warning && is_syntax_error(m) && m->line >= (long)text->first_line)
            return m->line - (long)text->first_line < (long)count ? m->line - (long)text->first_line
                                                                  : (long)count;
    }
    return -1;
}

/* What the left-out tokens named is now unknown for no fault of the user's. */
void messages_drop_consequences(struct run *run, const struct unit *unit, const bool *skip,
                                struct messages *messages) {
    for (size_t t = 0; t < unit->tokens.count; t++) {
        if (skip[t] && unit->tokens.at[t].kind == T_IDENTIFIER)
            ((struct name *)unit->tokens.at[t].name)->mark = 1;
    }
    for (size_t i = 0; i < messages->count; i++) {
        struct message *m = &messages->at[i];
        bool consequence = (*m->token && run_name_z(run, essl_unalias(run, m->token))->mark) ||
                           strstr(m->text, "function does not return a value");
        if (consequence && !is_syntax_error(m))
            m->text = "";
    }
    for (size_t t = 0; t < unit->tokens.count; t++)
        ((struct name *)unit->tokens.at[t].name)->mark = 0;
}

/* --- the linker's --------------------------------------------------------------------------------------- */

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

static const struct name *name_at(struct run *run, const char *text) {
    return run_name(run, text, strspn(text, LETTERS));
}

static const struct token *function_token(const struct stage_module *s, const struct name *name) {
    for (size_t f = 0; f < s->declarations->function_count; f++)
        if (s->declarations->functions[f].name == name)
            return &s->unit->tokens.at[s->declarations->functions[f].token];
    return NULL;
}

static const struct token *block_token(const struct stage_module *s, const struct name *name) {
    const struct declarations *d = s->declarations;
    for (size_t i = 0; i < d->structure_count; i++)
        if (d->structures[i].name == name && d->structures[i].open)
            return &s->unit->tokens.at[d->structures[i].open - 1];
    return NULL;
}

/* Has the block whose name is at `block` a name for its instance? A structure has none. */
static bool has_instance(const struct stage_module *s, const struct token *block) {
    const struct tokens *tokens = &s->unit->tokens;
    if (block > tokens->at && token_is(block - 1, "struct"))
        return false;
    size_t after = essl_matching(tokens, (size_t)(block - tokens->at) + 1) + 1;
    return after < tokens->count && tokens->at[after].kind == T_IDENTIFIER;
}

/* The global that glslang's rendering of a declaration is about: its last name, such as ` uniform vec2[3] a`.
 * */
static const struct variable *variable_in(struct run *run, const struct stage_module *s, const char *text) {
    const struct variable *found = NULL;
    while (*text) {
        size_t n = strspn(text, LETTERS);
        const struct variable *v = n ? declarations_find(s->declarations, run_name(run, text, n)) : NULL;
        found = v ? v : found;
        text += n ? n : 1;
    }
    return found;
}

/* The last use of a built-in variable that the text names; after it the conflict is complete. */
static const struct token *builtin_token(const struct stage_module *s, const char *text) {
    const struct tokens *tokens = &s->unit->tokens;
    for (size_t i = tokens->count; i-- > 0;) {
        const struct token *t = &tokens->at[i];
        if (t->kind == T_IDENTIFIER && !strncmp(t->name->text, "gl_", 3) && strstr(text, t->name->text))
            return t;
    }
    return NULL;
}

/* A call of `callee` in the body of a function named `caller` (NULL: in any). */
static const struct token *call_token(const struct stage_module *s, const struct name *caller,
                                      const struct name *callee) {
    const struct declarations *d = s->declarations;
    for (size_t f = 0; f < d->function_count; f++) {
        if (caller && d->functions[f].name != caller)
            continue;
        for (size_t i = d->functions[f].body_open; i < d->functions[f].body_close; i++)
            if (d->meanings[i].kind == MEANS_FUNCTION && s->unit->tokens.at[i].name == callee)
                return &s->unit->tokens.at[i];
    }
    return NULL;
}

/* glslang's reason in a few words of ours. */
static const char *reason_of(const char *text) {
    static const char *const reasons[][2] = {
        {"Types must match", "the types differ"},
        {"Array sizes must be", "the arrays' sizes differ"},
        {"Member names and types", "its members differ"},
        {"block member has no corresponding member", "its members differ"},
        {"Precision qualifiers", "the precisions differ"},
        {"Storage qualifiers", "the storage qualifiers differ"},
        {"Interpolation and auxiliary", "the interpolation differs"},
        {"Presence of invariant", "only one is invariant"},
        {"Layout", "the layouts differ"},
        {"Interface block member layout", "the layouts differ"},
        {"Initializers must match", "the initial values differ"},
        {"Matched Uniform or Storage blocks", "only one has a name for its instance"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strstr(text, reasons[i][0]))
            return reasons[i][1];
    return text;
}

struct found {
    const struct stage_module *stage;
    const struct token *token;
    const char *text; /* NULL: nothing to say */
};

static struct found function_message(struct run *run, const struct stage_module *stages, size_t count,
                                     const char *text, bool recursion) {
    const char *calling = strstr(text, " calling ");
    const struct name *caller = name_at(run, text), *callee = calling ? name_at(run, calling + 9) : caller;
    struct found f = {
        .text = !recursion ? run_format(run, "function '%s' is called but has no body", caller->text)
                : caller == callee
                    ? run_format(run, "'%s' calls itself: GLSL has no recursion", caller->text)
                    : run_format(run, "'%s' calls '%s', which leads back to '%s': GLSL has no recursion",
                                 caller->text, callee->text, caller->text)};
    for (size_t s = count; s-- > 0 && !f.token;) {
        f.stage = &stages[s];
        f.token = call_token(f.stage, recursion ? caller : NULL, callee);
        if (!f.token)
            f.token = function_token(f.stage, caller);
    }
    return f;
}

/* The first block that both stages have, and only one of them with a name for its instance. */
static const struct token *common_block(const struct stage_module *s, const struct stage_module *other) {
    const struct declarations *d = s->declarations;
    for (size_t i = 0; i < d->structure_count; i++) {
        const struct name *name = d->structures[i].name;
        const struct token *own = name ? block_token(s, name) : NULL,
                           *theirs = own ? block_token(other, name) : NULL;
        if (theirs && has_instance(s, own) != has_instance(other, theirs))
            return own;
    }
    return NULL;
}

static struct found interface_message(struct run *run, const struct stage_module *stages, size_t count,
                                      const char *text) {
    const char *block = strstr(text, "Block: "), *quoted = strchr(text, '"');
    const char *first = quoted ? strchr(quoted + 1, '"') : NULL,
               *second = first ? strchr(first + 1, '"') : NULL;
    for (size_t s = count; s-- > 0;) {
        const struct stage_module *stage = &stages[s];
        bool fragment = stage->unit->stage == QPUCC_FRAGMENT; /* quoted first is the vertex shader's */
        const char *own = fragment && second ? second : quoted ? quoted : text;
        const struct variable *v = block ? NULL : variable_in(run, stage, own);
        const struct token *t = block ? block_token(stage, name_at(run, block + 7))
                                : v   ? &stage->unit->tokens.at[v->token]
                                      : builtin_token(stage, text);
        if (v && v->storage == STORE_VARYING && v->location >= 0)
            return (struct found){0}; /* by location, which glslang does not know: link.c has judged */
        if (!t && count == 2 && strstr(text, "blocks must all be"))
            t = common_block(stage, &stages[1 - s]);
        if (t)
            return (struct found){
                stage, t,
                run_format(run, "'%s' is not the same in both shaders: %s", t->name->text, reason_of(text))};
    }
    return (struct found){&stages[count - 1], NULL, text};
}

/* "Linking X and Y stages: text" */
static const char *after_stages(const char *text) {
    const char *end = strncmp(text, "Linking ", 8) ? NULL : strstr(text, ": ");
    return end ? end + 2 : text;
}

bool messages_report_link(struct run *run, const struct stage_module *stages, size_t count,
                          const struct messages *messages) {
    bool said = false;
    for (size_t i = 0; i < messages->count; i++) {
        const struct message *m = &messages->at[i];
        const char *text = after_stages(essl_unalias(run, m->text));
        if (stages->unit->es && strstr(text, "Precision qualifiers must match"))
            continue; /* link.c has judged: only what both stages use must agree */
        if (!stages->unit->es && strstr(text, "Anonymous member name used"))
            continue; /* glslang takes the compatibility profile's gl_PerVertex for one block */
        if (messages_noise(text) || strstr(text, "are using different instance names"))
            continue;
        size_t length = strlen(text);
        if (length && text[length - 1] == ':' && i + 1 < messages->count &&
            !strstr(text, "blocks must all be"))
            continue; /* the next one is about the same pair and shows it */
        bool recursion = !strncmp(text, "Recursion detected: ", 20),
             body = !strncmp(text, "No function definition (body) found: ", 37);
        struct found f = recursion || body
                             ? function_message(run, stages, count, text + (recursion ? 20 : 37), recursion)
                             : interface_message(run, stages, count, text);
        if (!f.text)
            continue;
        const struct unit *unit = f.stage->unit;
        struct place start = {.file = unit->file, .line = 1, .column = 1};
        said = true;
        run_report(run, m->warning ? FE_WARNING : FE_ERROR, unit->stage, f.token ? f.token->place : start,
                   "link: %s", f.text);
    }
    return said;
}
