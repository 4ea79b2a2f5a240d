/* numbers.c: numbers that glslang 12 misreads. Of an exponent with a minus sign it takes off the zeros before
 * the point, all of them: 1000.0e-2 becomes 1.
 *
 * Requires: preprocessed tokens. Keeps: what they mean; such a number is spelt without its exponent. */
#include "frontend/essl100/essl100.h"

#include <stdlib.h>
#include <string.h>

static const char *without_exponent(struct run *run, const char *text) {
    size_t whole = strspn(text, "0123456789"), zeros = 0;
    const char *at = text + whole;
    at += *at == '.' ? 1 + strspn(at + 1, "0") : 0;
    if ((*at != 'e' && *at != 'E') || at[1] != '-')
        return NULL;
    size_t digits = strspn(at + 2, "0123456789");
    while (zeros < whole && text[whole - 1 - zeros] == '0')
        zeros++;
    unsigned long off = strtoul(at + 2, NULL, 10);
    if (!digits || zeros == whole || off >= zeros)
        return NULL;
    return run_format(run, "%.*s.0%s", (int)(whole - off), text, at + 2 + digits);
}

void essl_numbers(struct run *run, struct unit *unit) {
    for (size_t i = 0; i < unit->tokens.count && !run->failed; i++) {
        struct token *t = &unit->tokens.at[i];
        const char *other = t->kind == T_NUMBER ? without_exponent(run, t->name->text) : NULL;
        if (other)
            t->name = run_name_z(run, other);
    }
}
