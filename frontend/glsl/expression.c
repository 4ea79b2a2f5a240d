/* expression.c: the integer expression of #if and #elif (GLSL ES 1.00, section 3.4).
 *
 * Requires: macros and `defined` are already replaced. In ES a remaining identifier is an error, in desktop
 * GLSL only where it is evaluated. In an operand of && or || that is not evaluated no error is reported. */
#include "frontend/glsl/internal.h"

#include <limits.h>
#include <string.h>

#define DEEPEST 100

struct parser {
    const struct token *at, *end;
    struct place end_place;
    struct expression_error *error;
    struct run *run;
    unsigned depth;
    bool es;
};

static void fail(struct parser *p, const char *text) {
    if (p->error->text)
        return;
    p->error->text = text;
    p->error->place = p->at < p->end ? p->at->place : p->end_place;
}

static const struct {
    const char *spelling;
    int level;
} operators[] = {{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
                 {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
                 {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};

static int operator_level(const struct token *token) {
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (token_is(token, operators[i].spelling))
            return operators[i].level;
    }
    return 0;
}

static int apply(struct parser *p, const char *op, int a, int b, bool live) {
    unsigned ua = (unsigned)a, ub = (unsigned)b;
    switch (op[0]) {
    case '|': return op[1] ? a || b : (int)(ua | ub);
    case '&': return op[1] ? a && b : (int)(ua & ub);
    case '^': return (int)(ua ^ ub);
    case '=': return a == b;
    case '!': return a != b;
    case '<': return op[1] == '<' ? (int)(ua << (ub & 31)) : op[1] ? a <= b : a < b;
    case '>': return op[1] == '>' ? a >> (ub & 31) : op[1] ? a >= b : a > b;
    case '+': return (int)(ua + ub);
    case '-': return (int)(ua - ub);
    case '*': return (int)(ua * ub);
    default: break;
    }
    if (b == 0) {
        if (live)
            fail(p, "division by zero in preprocessor expression");
        return 0;
    }
    if (a == INT_MIN && b == -1)
        return op[0] == '/' ? INT_MIN : 0;
    return op[0] == '/' ? a / b : a % b;
}

static int parse_number(struct parser *p) {
    const char *s = p->at->name->text;
    unsigned base = 10;
    unsigned value = 0;
    if (s[0] == '0' && (s[1] | 32) == 'x') {
        base = 16;
        s += 2;
        if (!*s)
            fail(p, "bad hexadecimal number in preprocessor expression");
    } else if (s[0] == '0') {
        base = 8;
    }
    for (; *s; s++) {
        unsigned digit = *s >= '0' && *s <= '9' ? (unsigned)(*s - '0') : ((unsigned)*s | 32) - 'a' + 10;
        if (digit >= base) {
            if ((*s | 32) == 'u' && !s[1] && !p->es)
                break;
            fail(p, "preprocessor expression needs integers");
            break;
        }
        value = value * base + digit;
    }
    p->at++;
    return (int)value;
}

static int parse_binary(struct parser *p, int lowest, bool live);

static int parse_unary(struct parser *p, bool live) {
    if (p->at == p->end) {
        fail(p, "preprocessor expression is incomplete");
        return 0;
    }
    if (++p->depth > DEEPEST) {
        fail(p, "preprocessor expression is nested too deeply");
        return 0;
    }
    int value = 0;
    const struct token *t = p->at;
    if (t->kind == T_NUMBER) {
        value = parse_number(p);
    } else if (t->kind == T_IDENTIFIER) {
        if (live)
            fail(p, run_format(p->run, "'%s' is not defined, and an undefined name has no value in #if",
                               t->name->text));
        p->at++;
        if (!live && p->at < p->end && token_is(p->at, "("))
            value = parse_unary(p, live); /* what would be a macro's call */
    } else if (token_is(t, "(")) {
        p->at++;
        value = parse_binary(p, 1, live);
        if (p->at < p->end && token_is(p->at, ")"))
            p->at++;
        else
            fail(p, "expected ')' in preprocessor expression");
    } else if (strchr("+-!~", t->name->text[0]) && t->name->text[0] && !t->name->text[1]) {
        p->at++;
        int operand = parse_unary(p, live);
        switch (t->name->text[0]) {
        case '-': value = (int)(0u - (unsigned)operand); break;
        case '!': value = !operand; break;
        case '~': value = ~operand; break;
        default: value = operand; break;
        }
    } else {
        fail(p, "expected a number in preprocessor expression");
    }
    p->depth--;
    return value;
}

static int parse_binary(struct parser *p, int lowest, bool live) {
    int left = parse_unary(p, live);
    while (p->at < p->end && !p->error->text) {
        const struct token *op = p->at;
        int level = operator_level(op);
        if (level < lowest || level == 0)
            break;
        p->at++;
        bool matters = live && !(level == 1 && left) && !(level == 2 && !left);
        int right = parse_binary(p, level + 1, matters);
        left = apply(p, op->name->text, left, right, live);
    }
    return left;
}

long long expression_evaluate(struct run *run, const struct token *tokens, size_t count, struct place end,
                              bool es, struct expression_error *error) {
    struct parser p = {.at = tokens,
                       .end = count ? tokens + count : tokens,
                       .end_place = end,
                       .error = error,
                       .run = run,
                       .es = es};
    error->text = NULL;
    if (!count) {
        fail(&p, "#if without an expression");
        return 0;
    }
    int value = parse_binary(&p, 1, true);
    if (p.at < p.end)
        fail(&p, "unexpected tokens after the preprocessor expression");
    return error->text ? 0 : value;
}
