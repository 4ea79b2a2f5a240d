/* recover.c: chooses the tokens to leave out after a syntax error, so that one compile also shows the errors
 * after it. */
#include "frontend/essl100/essl100.h"

static bool is_statement_edge(const struct token *t) {
    return token_is(t, ";") || token_is(t, "{") || token_is(t, "}");
}

static bool balanced(const struct tokens *tokens, size_t begin, size_t end) {
    int round = 0, square = 0, curly = 0;
    for (size_t i = begin; i < end; i++) {
        const struct token *t = &tokens->at[i];
        round += token_is(t, "(") - token_is(t, ")");
        square += token_is(t, "[") - token_is(t, "]");
        curly += token_is(t, "{") - token_is(t, "}");
        if (curly < 0)
            return false;
    }
    return round == 0 && square == 0 && curly == 0;
}

/* The body of the function around `at`: *open its brace, *close the matching one. */
static bool body_around(const struct tokens *tokens, size_t at, size_t *open, size_t *close) {
    size_t depth = 0;
    for (size_t i = 0; i <= at && i < tokens->count; i++) {
        if (token_is(&tokens->at[i], "{") && depth++ == 0) {
            *open = i;
            /* Curly brackets alone: a round one may be what is missing. */
            size_t inner = 0, k = i;
            for (; k < tokens->count; k++) {
                inner += token_is(&tokens->at[k], "{");
                if (token_is(&tokens->at[k], "}") && --inner == 0)
                    break;
            }
            if (k >= tokens->count)
                return false;
            if (k >= at) {
                *close = k;
                return true;
            }
        } else if (token_is(&tokens->at[i], "}") && depth) {
            depth--;
        }
    }
    return false;
}

static bool mark(const struct tokens *tokens, size_t begin, size_t end, bool *skip) {
    bool fresh = false;
    for (size_t i = begin; i < end && i < tokens->count; i++) {
        fresh |= !skip[i];
        skip[i] = true;
    }
    return fresh;
}

bool essl_recover(const struct unit *unit, size_t at, bool *skip) {
    const struct tokens *tokens = &unit->tokens;
    if (at >= tokens->count)
        return false;
    size_t open = 0, close = 0;
    bool inside = body_around(tokens, at, &open, &close);
    size_t begin = at, end = at;
    while (begin > 0 && !is_statement_edge(&tokens->at[begin - 1]))
        begin--;
    while (end < tokens->count && !is_statement_edge(&tokens->at[end]))
        end++;
    bool whole = end < tokens->count && token_is(&tokens->at[end], ";");
    if (inside && whole && begin > open && balanced(tokens, begin, end) && mark(tokens, begin, end, skip))
        return true; /* the ';' stays: an empty statement */
    if (inside)
        return mark(tokens, open + 1, close, skip);
    return whole && balanced(tokens, begin, end + 1) && mark(tokens, begin, end + 1, skip);
}
