/* nested.c: takes structure definitions out of structures. GLSL 1.10 has them there (1.20 and later do not,
 * section 4.1.8), glslang in no version.
 *
 * Requires: preprocessed tokens within the limits. Keeps: every token with its place, in another order: a
 * definition inside another one becomes a statement before the one that holds it, and its name stays. One
 * without a name gets a name that no text can have. */
#include "frontend/essl100/essl100.h"

#include <stdlib.h>
#include <string.h>

struct hoist {
    struct run *run;
    const struct tokens *from;
    struct tokens out, before; /* before: the definitions that come before the statement */
    const struct name *semicolon;
    unsigned unnamed;
};

static bool is(const struct hoist *h, size_t i, const char *spelling) {
    return i < h->from->count && token_is(&h->from->at[i], spelling);
}

static bool begins_structure(const struct hoist *h, size_t i) {
    return is(h, i, "struct") && (is(h, i + 1, "{") || is(h, i + 2, "{"));
}

static void append(struct hoist *h, struct tokens *to, const struct tokens *from, size_t begin) {
    for (size_t i = begin; i < from->count && !h->run->failed; i++)
        tokens_push(h->run, to, from->at[i]);
}

/* The name of the definition at token `i`. */
static struct token name_of(struct hoist *h, size_t i) {
    struct token name = h->from->at[i + 1];
    if (is(h, i + 1, "{")) {
        name.kind = T_IDENTIFIER;
        name.name = run_name_z(h->run, run_format(h->run, "qpu_nested%u", h->unnamed++));
    }
    return name;
}

/* The definition at token `i` goes to `to`, with `name` if that is not NULL; those inside of it go to
 * h->before, with a name each. Gives the token behind it. */
static size_t definition(struct hoist *h, size_t i, const struct token *name, struct tokens *to) {
    size_t open = is(h, i + 1, "{") ? i + 1 : i + 2, close = essl_matching(h->from, open);
    tokens_push(h->run, to, h->from->at[i]);
    if (name)
        tokens_push(h->run, to, *name);
    for (i = open; i <= close && i < h->from->count && !h->run->failed;) {
        if (!begins_structure(h, i)) {
            tokens_push(h->run, to, h->from->at[i++]);
            continue;
        }
        struct token inner_name = name_of(h, i), end = inner_name;
        struct tokens inner = {0};
        end.kind = T_PUNCTUATION;
        end.name = h->semicolon;
        i = definition(h, i, &inner_name, &inner);
        append(h, &h->before, &inner, 0);
        tokens_push(h->run, &h->before, end);
        tokens_push(h->run, to, inner_name);
        tokens_free(h->run, &inner);
    }
    return i;
}

static bool has_any(const struct hoist *h) {
    size_t close = 0;
    for (size_t i = 0; i < h->from->count; i++) {
        if (!begins_structure(h, i))
            continue;
        if (i < close)
            return true;
        close = essl_matching(h->from, is(h, i + 1, "{") ? i + 1 : i + 2);
    }
    return false;
}

void essl_hoist_structures(struct run *run, struct unit *unit) {
    struct hoist h = {.run = run, .from = &unit->tokens};
    if (unit->version != 110 || !has_any(&h))
        return;
    h.semicolon = run_name_z(run, ";");
    size_t statement = 0; /* where it begins in what is put out */
    for (size_t i = 0; i < unit->tokens.count && !run->failed;) {
        if (!begins_structure(&h, i)) {
            bool ends =
                is(&h, i, ";") || is(&h, i, "{") || is(&h, i, "}") || unit->tokens.at[i].kind == T_DIRECTIVE;
            tokens_push(run, &h.out, unit->tokens.at[i++]);
            statement = ends ? h.out.count : statement;
            continue;
        }
        struct tokens held = {0};
        append(&h, &held, &h.out, statement);
        h.out.count = statement;
        i = definition(&h, i, is(&h, i + 1, "{") ? NULL : &unit->tokens.at[i + 1], &held);
        append(&h, &h.out, &h.before, 0);
        statement = h.out.count;
        append(&h, &h.out, &held, 0);
        h.before.count = 0;
        tokens_free(run, &held);
    }
    tokens_free(run, &h.before);
    tokens_free(run, &unit->tokens);
    unit->tokens = h.out;
}
