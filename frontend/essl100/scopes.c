/* scopes.c: the meaning of each name in the text. A spelling alone does not distinguish a global from a local
 * that hides it, a component, a structure's member or a word of layout(...).
 *
 * Requires: limits checked (statements nest a bounded number of levels); declarations read. The text may be
 * wrong, because glslang judges it later. Keeps: names' marks, which are 0 before and after. Gives: a meaning
 * for each token, and the globals that are used.
 *
 * A scope ends with its brace, or with the statement that a for, while or function heads; what is declared in
 * it is popped from a stack, and each name's mark leads to its innermost binding. A name is in scope after
 * its initialiser (GLSL ES 1.00 section 4.2.2). In GLSL 1.10 functions have a name space of their own: they
 * are not bound, and what stands before a bracket is one of them or a constructor. */
#include "frontend/essl100/essl100.h"
#include "ir/heap.h"

#include <string.h>

struct binding {
    struct name *name;
    uint32_t hidden; /* the mark before */
    struct meaning meaning;
};

struct resolver {
    struct run *run;
    const struct unit *unit;
    const struct token *at;
    size_t count, i;
    struct declarations *d;
    struct binding *bindings;
    size_t binding_count, binding_capacity;
    size_t next_variable;              /* of d->variables, in the order of their tokens */
    bool qualifies;                    /* `invariant a;` is no use of a */
    size_t scope;                      /* the first binding of the innermost one */
    size_t parameters, parameters_end; /* bindings of the function around */
    unsigned nesting;                  /* of statements in its body, 1: the body itself */
    bool functions_apart;              /* GLSL 1.10 */
    bool body_array;                   /* struct { … }[2] a: the type of what is declared */
};

static bool is(const struct resolver *r, size_t i, const char *spelling) {
    return i < r->count && token_is(&r->at[i], spelling);
}

static bool is_name(const struct resolver *r, size_t i) {
    return i < r->count && r->at[i].kind == T_IDENTIFIER;
}

/* A type that is hidden is hidden for scopes inside, too. In one scope a name has one meaning or is an error,
 * which the check text has to show. */
static bool hides_type(const struct resolver *r, const struct name *name, enum meaning_kind kind) {
    const struct binding *before = name->mark ? &r->bindings[name->mark - 1] : NULL;
    if (!before || name->mark > r->scope)
        return before && before->meaning.hides_type;
    return kind != MEANS_TYPE && (before->meaning.kind == MEANS_TYPE || before->meaning.hides_type);
}

static void declare(struct resolver *r, size_t token, struct meaning meaning) {
    meaning.hides_type = hides_type(r, r->at[token].name, meaning.kind);
    r->d->meanings[token] = meaning;
    void *array = r->bindings;
    if (!run_grow(r->run, &array, &r->binding_capacity, r->binding_count, sizeof *r->bindings))
        return;
    r->bindings = array;
    struct name *name = (struct name *)r->at[token].name;
    if (r->nesting == 1 && name->mark > r->parameters && name->mark <= r->parameters_end && !r->d->redeclared)
        r->d->redeclared = token;
    r->bindings[r->binding_count++] = (struct binding){name, name->mark, meaning};
    name->mark = (uint32_t)r->binding_count;
}

/* Begins a scope; gives the one around it. */
static size_t enter(struct resolver *r) {
    size_t around = r->scope;
    r->scope = r->binding_count;
    return around;
}

static void leave(struct resolver *r, size_t around) {
    while (r->binding_count > r->scope) {
        const struct binding *b = &r->bindings[--r->binding_count];
        b->name->mark = b->hidden;
    }
    r->scope = around;
}

/* What the name means that stands at token `i` and is no member. */
static struct meaning meaning_of(const struct resolver *r, size_t i) {
    const struct name *name = r->at[i].name;
    struct meaning bound = {.kind = MEANS_NOTHING};
    if (name->mark)
        bound = r->bindings[name->mark - 1].meaning;
    if (!r->functions_apart || !is(r, i + 1, "("))
        return bound;
    if (name->function)
        return (struct meaning){.kind = MEANS_FUNCTION};
    return bound.kind == MEANS_TYPE ? bound : (struct meaning){.kind = MEANS_NOTHING};
}

static void resolve(struct resolver *r, size_t begin, size_t end) {
    for (size_t i = begin; i < end && i < r->count; i++) {
        if (!is_name(r, i))
            continue;
        struct meaning m = {.kind = MEANS_MEMBER};
        if (!i || !is(r, i - 1, "."))
            m = meaning_of(r, i);
        r->d->meanings[i] = m;
        if (m.kind == MEANS_GLOBAL && !r->qualifies)
            r->d->variables[m.variable].used = true;
    }
}

/* The next token of a kind that ends an expression, outside brackets. */
static size_t end_of(const struct resolver *r, size_t i, const char *a, const char *b) {
    while (i < r->count && !is(r, i, a) && !is(r, i, b) && !is(r, i, ";") && !is(r, i, "}") && !is(r, i, ")"))
        i = essl_after(&r->unit->tokens, i);
    return i;
}

static size_t after_brackets(const struct resolver *r, size_t i) {
    while (is(r, i, "["))
        i = essl_matching(&r->unit->tokens, i) + 1;
    return i < r->count ? i : r->count;
}

/* Words that stand before a type. Some are free in older languages. */
static bool is_qualifier(const struct resolver *r, size_t i) {
    static const char *const words[] = {
        "const",  "in",      "out",           "inout",     "highp",   "mediump", "lowp",      "flat",
        "smooth", "uniform", "noperspective", "attribute", "varying", "layout",  "invariant", "centroid"};
    for (size_t k = 0; is_name(r, i) && !r->at[i].name->mark && k < sizeof words / sizeof *words; k++)
        if (token_is(&r->at[i], words[k]))
            return essl_unit_word(r->unit, r->at[i].name) == WORD_SAME;
    return false;
}

static size_t after_qualifiers(struct resolver *r, size_t i) {
    while (is_qualifier(r, i)) {
        bool layout = is(r, i++, "layout") && is(r, i, "(");
        size_t end = layout ? essl_matching(&r->unit->tokens, i) + 1 : i;
        for (; i < end && i < r->count; i++)
            r->d->meanings[i].kind = MEANS_LAYOUT;
    }
    return i;
}

/* `type`: the token of the type's name, or of the word struct. */
static bool type_is_structure(const struct resolver *r, size_t type) {
    return is(r, type, "struct") || (is_name(r, type) && r->d->meanings[type].kind == MEANS_TYPE);
}

/* The brace before the members of that type, or 0. */
static uint32_t members_of(const struct resolver *r, size_t type) {
    size_t body = type + 1 + !is(r, type + 1, "{");
    if (is(r, type, "struct"))
        return is(r, body, "{") ? (uint32_t)body : 0;
    return type_is_structure(r, type) ? r->d->meanings[type].members : 0;
}

static struct meaning variable_meaning(struct resolver *r, size_t token, size_t type) {
    const struct declarations *d = r->d;
    bool structure = type_is_structure(r, type);
    while (r->next_variable < d->variable_count && d->variables[r->next_variable].token < token)
        r->next_variable++;
    bool global = r->next_variable < d->variable_count && d->variables[r->next_variable].token == token;
    if (!global)
        return (struct meaning){.kind = MEANS_LOCAL,
                                .constant =
                                    is(r, type - 1, "const") || (type > 1 && is(r, type - 2, "const")),
                                .structure = structure,
                                .array = is(r, token + 1, "[") || is(r, type + 1, "[") || r->body_array,
                                .type = is(r, type, "struct") ? NULL : r->at[type].name,
                                .members = members_of(r, type)};
    uint32_t mark =
        r->at[token].name->mark; /* declared again, such as an array with its size: still the first one */
    if (mark && r->bindings[mark - 1].meaning.kind == MEANS_GLOBAL)
        return r->bindings[mark - 1].meaning;
    return (struct meaning){.kind = MEANS_GLOBAL,
                            .variable = (uint32_t)r->next_variable,
                            .structure = structure,
                            .members = members_of(r, type)};
}

static bool names_type(const struct resolver *r, size_t i) {
    const struct binding *b = r->at[i].name->mark ? &r->bindings[r->at[i].name->mark - 1] : NULL;
    return b && (b->meaning.kind == MEANS_TYPE || b->meaning.hides_type); /* an alias hides nothing there */
}

/* Names after a type, with their sizes and initialisers, up to what ends the declaration. `member`: of a
 * structure; the token where the declaration begins, or 0. */
static size_t declarators(struct resolver *r, size_t i, size_t member, size_t type) {
    while (is_name(r, i)) {
        size_t name = i, end = end_of(r, i + 1, ",", ",");
        resolve(r, i + 1, end);
        if (member)
            r->d->meanings[name] = (struct meaning){.kind = MEANS_MEMBER,
                                                    .variable = names_type(r, name) ? (uint32_t)member : 0};
        else
            declare(r, name, variable_meaning(r, name, type));
        i = is(r, end, ",") ? end + 1 : end;
    }
    return i;
}

/* `{ members }` of a structure or of a block; `open`: a block without a name, whose members are globals. */
static size_t members(struct resolver *r, size_t i, bool open) {
    size_t close = essl_matching(&r->unit->tokens, i++);
    while (i < close && i < r->count) {
        size_t type = after_qualifiers(r, i);
        size_t names = after_brackets(r, type + 1);
        resolve(r, type, names);
        i = declarators(r, names, open ? 0 : i, type);
        i++;
    }
    return close < r->count ? close + 1 : r->count;
}

static size_t structure(struct resolver *r, size_t i) {
    size_t name = i + 1, body = is_name(r, name) ? name + 1 : name;
    if (!is(r, body, "{"))
        return body;
    size_t close = members(r, body, false), after = after_brackets(r, close);
    if (body > name)
        declare(r, name, (struct meaning){.kind = MEANS_TYPE, .members = (uint32_t)body});
    resolve(r, close, after);
    return after;
}

static size_t statement(struct resolver *r, size_t i);

/* Name, parameters, and the body if there is one. */
static size_t function(struct resolver *r, size_t name) {
    size_t close = essl_matching(&r->unit->tokens, name + 1), i = name + 2;
    if (r->functions_apart) {
        r->d->meanings[name] = (struct meaning){.kind = MEANS_FUNCTION};
        ((struct name *)r->at[name].name)->function = true;
    } else
        declare(r, name, (struct meaning){.kind = MEANS_FUNCTION});
    size_t around = enter(r);
    while (i < close && i < r->count) {
        size_t type = after_qualifiers(r, i), parameter = after_brackets(r, type + 1);
        resolve(r, type, parameter);
        size_t end = end_of(r, parameter, ",", ",");
        if (parameter < close && is_name(r, parameter)) {
            resolve(r, parameter + 1, end);
            declare(r, parameter, variable_meaning(r, parameter, type));
        }
        i = end > i ? end + is(r, end, ",") : i + 1;
        if (i == end)
            break;
    }
    i = close < r->count ? close + 1 : r->count;
    r->parameters = r->scope;
    r->parameters_end = r->binding_count;
    r->nesting = 0;
    if (is(r, i, "{")) {
        i = statement(r, i);
        if (is(r, i, ";"))
            r->d->meanings[i].kind = MEANS_EMPTY;
    }
    r->nesting = 0;
    leave(r, around);
    return i;
}

/* A declaration or an expression, up to its ';' or the bracket around it, or a function with its body. */
static size_t simple(struct resolver *r, size_t i) {
    if (is(r, i, ";") && !r->nesting)
        r->d->meanings[i].kind = MEANS_EMPTY;
    size_t type = after_qualifiers(r, i);
    size_t after = is(r, type, "struct") ? structure(r, type) : after_brackets(r, type + 1);
    bool keyword = is(r, type, "return") || is(r, type, "precision") || is(r, type, "case");
    bool block = type > i && is_name(r, type) && is(r, type + 1, "{"), body = block || is(r, type, "struct");
    if (block) {
        size_t close = essl_matching(&r->unit->tokens, type + 1);
        r->d->meanings[type] = (struct meaning){.kind = MEANS_BLOCK};
        after = members(r, type + 1, !is_name(r, close + 1));
    }
    bool declares = !keyword && is_name(r, type) && is_name(r, after);
    if (declares && !body)
        resolve(r, type, after);
    if (declares && is(r, after + 1, "(") && !block)
        return function(r, after);
    r->body_array = body && is(r, after - 1, "]");
    size_t end = declares ? declarators(r, after, 0, type) : body ? after : type;
    r->body_array = false;
    size_t stop = end_of(r, end, ";", ";");
    r->qualifies = type > i && !declares;
    resolve(r, end, stop);
    for (size_t k = end; r->qualifies && k < stop; k++)
        if (r->d->meanings[k].kind == MEANS_GLOBAL && is(r, i, "invariant"))
            r->d->variables[r->d->meanings[k].variable].invariant = true;
    r->qualifies = false;
    return stop;
}

/* `( init; condition; step )` of a loop, or a condition. */
static size_t head(struct resolver *r, size_t i) {
    if (!is(r, i, "("))
        return i;
    size_t close = essl_matching(&r->unit->tokens, i++);
    while (i < close && i < r->count) {
        i = simple(r, i);
        if (i < close)
            i++;
    }
    return close < r->count ? close + 1 : r->count;
}

static size_t statements(struct resolver *r, size_t i, size_t end) {
    while (i < end && i < r->count && !r->run->failed)
        i = statement(r, i);
    return i;
}

static size_t scoped(struct resolver *r, size_t i) {
    size_t around = enter(r);
    i = statement(r, i);
    leave(r, around);
    return i;
}

/* A statement's [[unroll, ...]], whose words are nobody's names. */
static size_t after_attributes(struct resolver *r, size_t i) {
    while (r->unit->control_flow && is(r, i, "[") && is(r, i + 1, "[")) {
        size_t close = essl_matching(&r->unit->tokens, i);
        for (; i < close && i < r->count; i++)
            if (r->at[i].kind == T_IDENTIFIER)
                r->d->meanings[i].kind = MEANS_LAYOUT;
        i = close < r->count ? close + 1 : r->count;
    }
    return i;
}

/* A statement that is a scope of its own or heads one, or 0. */
static size_t compound(struct resolver *r, size_t i) {
    i = after_attributes(r, i);
    if (is(r, i, "{")) {
        size_t close = essl_matching(&r->unit->tokens, i), around = enter(r);
        statements(r, i + 1, close);
        leave(r, around);
        return close < r->count ? close + 1 : r->count;
    }
    if (is(r, i, "switch")) { /* its body is a block; without one it is no statement, and does not nest */
        i = head(r, i + 1);
        return is(r, i, "{") ? compound(r, i) : i;
    }
    if (is(r, i, "for") || is(r, i, "while") || is(r, i, "if")) {
        bool branches = is(r, i, "if");
        size_t around = enter(r);
        i = statement(r, head(r, i + 1));
        leave(r, around);
        return branches && is(r, i, "else") ? scoped(r, i + 1) : i;
    }
    if (!is(r, i, "do"))
        return 0;
    i = scoped(r, i + 1);
    i = is(r, i, "while") ? head(r, i + 1) : i;
    return is(r, i, ";") ? i + 1 : i; /* its own: an else may follow */
}

/* Advances by a token at least. */
static size_t statement(struct resolver *r, size_t i) {
    r->nesting++;
    size_t after = compound(r, i);
    r->nesting--;
    if (after)
        return after;
    if ((is(r, i, "case") || is(r, i, "default")) && !r->at[i].name->mark) {
        size_t colon = i + 1;
        for (size_t choices = 0; colon < r->count && !is(r, colon, ";"); colon++) {
            if (is(r, colon, ":") && choices-- == 0)
                break;
            choices += is(r, colon, "?");
        }
        resolve(r, i, colon);
        if (colon < r->count && is(r, colon, ":") && !is(r, colon + 1, "}") && !is(r, colon + 1, "case") &&
            !is(r, colon + 1, "default"))
            r->d->meanings[colon].kind = MEANS_EMPTY;
        return colon + 1;
    }
    if (i >= r->count || r->at[i].kind == T_DIRECTIVE)
        return i + 1;
    size_t end = simple(r, i);
    bool body = end > i && end <= r->count && is(r, end - 1, "}"); /* a function's: no ';' of its own */
    return end > i && body && !is(r, end, ";") ? end : end + 1;
}

void scopes_resolve(struct run *run, const struct unit *unit, struct declarations *d) {
    struct resolver r = {
        .run = run, .unit = unit, .at = unit->tokens.at, .count = unit->tokens.count, .d = d};
    r.functions_apart = unit->version == 110;
    d->meanings = run_zeroed(run, r.count + 1, sizeof *d->meanings);
    if (d->meanings)
        statements(&r, 0, r.count);
    r.scope = 0;
    leave(&r, 0);
    for (size_t i = 0; r.functions_apart && i < r.count; i++)
        ((struct name *)r.at[i].name)->function = false;
    ir_heap_free(r.bindings);
}
