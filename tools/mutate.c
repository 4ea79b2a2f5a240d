/* Mutants of C sources: each changes one operator, constant, condition or case label. tools/mutate.sh builds
 * and judges them.
 *
 *     mutate list FILE                every mutant: index, line, kind, before, after
 *     mutate draw SEED FILE...        all mutants of all files in an order drawn with SEED: file, index
 *     mutate apply FILE INDEX         the file with that mutant, to standard output
 *
 * Comments, strings, characters, preprocessor lines, assertions and what memory is asked for are left alone.
 * The sources are taken to be formatted by clang-format: an operator with a blank on each side is binary. A
 * program of its own, in no library. */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct token {
    const char *at;
    size_t length;
    enum { WORD, NUMBER, PUNCTUATION } kind;
};

/* Replaces `length` bytes at `at` by `text`; at `close`, if any, `closing` is inserted. */
struct mutant {
    const char *kind, *at, *close, *closing;
    size_t length;
    char text[96];
};

struct source {
    char *text;
    size_t size;
    struct token *tokens;
    size_t token_count;
    struct mutant *mutants;
    size_t mutant_count;
};

static void fail(const char *why, const char *what) {
    fprintf(stderr, "mutate: %s: %s\n", what, why);
    exit(2);
}

static void *grown(void *list, size_t count, size_t each) {
    if (count & (count - 1))
        return list; /* room for a power of two */
    list = realloc(list, (count ? 2 * count : 1) * each);
    if (!list)
        fail("out of memory", "list");
    return list;
}

/* --- tokens --------------------------------------------------------------------------------------------- */

static const char *skip_quoted(const char *c) {
    char quote = *c++;
    while (*c && *c != quote)
        c += *c == '\\' && c[1] ? 2 : 1;
    return *c ? c + 1 : c;
}

static const char *skip_directive(const char *c) {
    while (*c && *c != '\n') {
        if (c[0] == '/' && c[1] == '*') /* a comment may run on */
            return c;
        c += c[0] == '\\' && c[1] ? 2 : 1;
    }
    return c;
}

static size_t punctuation_length(const char *c) {
    static const char *const longer[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>", "<=", ">=", "==",
                                         "!=",  "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^="};
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        if (!strncmp(c, longer[i], strlen(longer[i])))
            return strlen(longer[i]);
    return 1;
}

static void add_token(struct source *s, const char *at, const char *end, int kind) {
    s->tokens = grown(s->tokens, s->token_count, sizeof *s->tokens);
    s->tokens[s->token_count].at = at;
    s->tokens[s->token_count].length = (size_t)(end - at);
    s->tokens[s->token_count++].kind = kind;
}

static void tokenize(struct source *s) {
    bool line_start = true;
    for (const char *c = s->text; *c;) {
        const char *start = c;
        if (*c == '\n') {
            line_start = true;
            c++;
        } else if (isspace((unsigned char)*c))
            c++;
        else if (c[0] == '/' && c[1] == '*') {
            const char *end = strstr(c + 2, "*/");
            c = end ? end + 2 : c + strlen(c);
        } else if (c[0] == '/' && c[1] == '/')
            c += strcspn(c, "\n");
        else if (*c == '#' && line_start)
            c = skip_directive(c);
        else {
            line_start = false;
            if (*c == '"' || *c == '\'') {
                c = skip_quoted(c);
                add_token(s, start, c, WORD); /* a value, but not one to change */
            } else if (isalpha((unsigned char)*c) || *c == '_') {
                while (isalnum((unsigned char)*c) || *c == '_')
                    c++;
                add_token(s, start, c, WORD);
            } else if (isdigit((unsigned char)*c) || (*c == '.' && isdigit((unsigned char)c[1]))) {
                while (isalnum((unsigned char)*c) || *c == '.' ||
                       ((*c == '+' || *c == '-') && strchr("eEpP", c[-1]) && !strchr("xX", start[1])))
                    c++;
                add_token(s, start, c, NUMBER);
            } else {
                c += punctuation_length(c);
                add_token(s, start, c, PUNCTUATION);
            }
        }
    }
}

static bool is(const struct source *s, size_t i, const char *text) {
    return i < s->token_count && s->tokens[i].length == strlen(text) &&
           !strncmp(s->tokens[i].at, text, strlen(text));
}

/* The index of the parenthesis that closes the one at `open`, or the number of tokens. */
static size_t closing_of(const struct source *s, size_t open) {
    int depth = 0;
    for (size_t i = open; i < s->token_count; i++) {
        depth += is(s, i, "(") - is(s, i, ")");
        if (!depth)
            return i;
    }
    return s->token_count;
}

/* --- mutants -------------------------------------------------------------------------------------------- */

static struct mutant *add(struct source *s, const char *kind, const struct token *t, const char *text) {
    s->mutants = grown(s->mutants, s->mutant_count, sizeof *s->mutants);
    struct mutant *m = &s->mutants[s->mutant_count++];
    *m = (struct mutant){.kind = kind, .at = t->at, .length = t->length};
    snprintf(m->text, sizeof m->text, "%s", text);
    return m;
}

static void mutate_operator(struct source *s, size_t i) {
    static const char *const table[][3] = {
        {"<", "<=", ">="},   {"<=", "<", ">"},   {">", ">=", "<="},  {">=", ">", "<"},   {"==", "!=", NULL},
        {"!=", "==", NULL},  {"+", "-", NULL},   {"-", "+", NULL},   {"*", "+", NULL},   {"/", "*", NULL},
        {"%", "*", NULL},    {"&&", "||", NULL}, {"||", "&&", NULL}, {"&", "|", NULL},   {"|", "&", NULL},
        {"^", "&", NULL},    {"<<", ">>", NULL}, {">>", "<<", NULL}, {"+=", "-=", "="},  {"-=", "+=", "="},
        {"*=", "+=", NULL},  {"|=", "&=", "="},  {"&=", "|=", "="},  {"^=", "|=", NULL}, {"<<=", ">>=", NULL},
        {">>=", "<<=", NULL}};
    const struct token *t = &s->tokens[i];
    bool blanks = isspace((unsigned char)t->at[t->length]) && isspace((unsigned char)t->at[-1]);
    if (is(s, i, "!")) {
        add(s, "operator", t, "");
        return;
    }
    for (size_t k = 0; blanks && k < sizeof table / sizeof *table; k++)
        if (is(s, i, table[k][0]))
            for (int with = 1; with < 3 && table[k][with]; with++)
                add(s, "operator", t, table[k][with]);
    if (blanks && is(s, i, "?")) {
        add(s, "condition", t, "|| 1 ?");
        add(s, "condition", t, "&& 0 ?");
    }
}

/* Small numbers change by one: those are the ones that mean something. Others, which are mostly limits and
 * table entries, are halved; of a mask the lowest bit is turned. */
static void mutate_number(struct source *s, size_t i) {
    const struct token *t = &s->tokens[i];
    char text[40], *end;
    bool dimension = i && is(s, i - 1, "[") && is(s, i + 1, "]");
    snprintf(text, sizeof text, "%.*s", (int)(t->length < 39 ? t->length : 39), t->at);
    unsigned long long value = strtoull(text, &end, 0);
    const char *suffix = end;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    if (!hex && strpbrk(text, ".eEfF")) {
        double real = strtod(text, &end);
        char out[80];
        snprintf(out, sizeof out, "%.9g%s%s", real == 0 ? 1 : real * 0.5, strchr(text, '.') ? "" : ".0", end);
        if (!strpbrk(out, ".e"))
            snprintf(out, sizeof out, "%.9g.0%s", real == 0 ? 1 : real * 0.5, end);
        add(s, "constant", t, out);
        return;
    }
    if (dimension && value > 4)
        return; /* a buffer's size */
    char out[80];
    if (hex) {
        snprintf(out, sizeof out, "0x%llx%s", value ^ 1, suffix);
        add(s, "constant", t, out);
    } else if (value < 16) {
        snprintf(out, sizeof out, "%llu%s", value + 1, suffix);
        add(s, "constant", t, out);
        if (value) {
            snprintf(out, sizeof out, "%llu%s", value - 1, suffix);
            add(s, "constant", t, out);
        }
    } else {
        snprintf(out, sizeof out, "%llu%s", value / 2, suffix);
        add(s, "constant", t, out);
    }
}

static void mutate_word(struct source *s, size_t i) {
    const struct token *t = &s->tokens[i];
    if (is(s, i, "true"))
        add(s, "constant", t, "false");
    else if (is(s, i, "false"))
        add(s, "constant", t, "true");
    else if (is(s, i, "if") && is(s, i + 1, "(")) {
        size_t close = closing_of(s, i + 1);
        static const char *const with[] = {"if (1 || ", "if (0 && "};
        for (int k = 0; k < 2 && close < s->token_count; k++) {
            struct mutant *m = add(s, "condition", t, with[k]);
            m->close = s->tokens[close].at;
            m->closing = ")";
        }
    } else if (is(s, i, "case")) {
        size_t colon = i;
        while (colon < s->token_count && !is(s, colon, ":"))
            colon++;
        if (colon < s->token_count)
            add(s, "case", t, "")->length = (size_t)(s->tokens[colon].at + 1 - t->at);
    }
}

static void find_mutants(struct source *s) {
    for (size_t i = 0; i < s->token_count; i++) {
        bool allocates = s->tokens[i].kind == WORD && s->tokens[i].length > 5 &&
                         !strncmp(s->tokens[i].at + s->tokens[i].length - 5, "alloc", 5);
        if (allocates && is(s, i + 1, "(")) /* room for one more, or one less */
            i = closing_of(s, i + 1);
        else if ((is(s, i, "assert") || is(s, i, "static_assert") || is(s, i, "_Static_assert")) &&
                 is(s, i + 1, "("))
            i = closing_of(s, i + 1);
        else if (s->tokens[i].kind == NUMBER)
            mutate_number(s, i);
        else if (s->tokens[i].kind == PUNCTUATION)
            mutate_operator(s, i);
        else
            mutate_word(s, i);
    }
}

/* --- commands ------------------------------------------------------------------------------------------- */

static struct source load(const char *path) {
    struct source s = {0};
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END))
        fail("can't be read", path);
    long size = ftell(file);
    rewind(file);
    s.text = size < 0 ? NULL : malloc((size_t)size + 2);
    if (!s.text)
        fail("can't be read", path);
    s.text[0] = '\n'; /* so that every token has something before it */
    s.size = fread(s.text + 1, 1, (size_t)size, file) + 1;
    s.text[s.size] = 0;
    fclose(file);
    tokenize(&s);
    find_mutants(&s);
    return s;
}

static void unload(struct source *s) {
    free(s->text);
    free(s->tokens);
    free(s->mutants);
}

static unsigned line_of(const struct source *s, const char *at) {
    unsigned line = 0;
    for (const char *c = s->text; c < at; c++)
        line += *c == '\n';
    return line;
}

static void list(const char *path) {
    struct source s = load(path);
    for (size_t i = 0; i < s.mutant_count; i++) {
        const struct mutant *m = &s.mutants[i];
        printf("%zu\t%u\t%s\t%.*s\t%s\n", i, line_of(&s, m->at), m->kind, (int)m->length, m->at, m->text);
    }
    unload(&s);
}

static void apply(const char *path, size_t index) {
    struct source s = load(path);
    if (index >= s.mutant_count)
        fail("has no such mutant", path);
    const struct mutant *m = &s.mutants[index];
    const char *c = s.text + 1;
    fwrite(c, 1, (size_t)(m->at - c), stdout);
    fputs(m->text, stdout);
    c = m->at + m->length;
    if (m->close) {
        fwrite(c, 1, (size_t)(m->close - c), stdout);
        fputs(m->closing, stdout);
        c = m->close;
    }
    fwrite(c, 1, (size_t)(s.text + s.size - c), stdout);
    unload(&s);
}

/* xorshift64*: the same order on every machine. */
static uint64_t random_next(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dull;
}

static void draw(uint64_t seed, char **paths, int count) {
    struct drawn {
        const char *path;
        size_t index;
    } *all = NULL;
    size_t total = 0;
    for (int p = 0; p < count; p++) {
        struct source s = load(paths[p]);
        for (size_t i = 0; i < s.mutant_count; i++) {
            all = grown(all, total, sizeof *all);
            all[total++] = (struct drawn){paths[p], i};
        }
        unload(&s);
    }
    uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
    for (size_t i = total; i > 1; i--) {
        size_t k = (size_t)(random_next(&state) % i);
        struct drawn swap = all[i - 1];
        all[i - 1] = all[k];
        all[k] = swap;
    }
    for (size_t i = 0; i < total; i++)
        printf("%s %zu\n", all[i].path, all[i].index);
    free(all);
}

int main(int argc, char **argv) {
    if (argc == 3 && !strcmp(argv[1], "list"))
        list(argv[2]);
    else if (argc == 4 && !strcmp(argv[1], "apply"))
        apply(argv[2], (size_t)strtoull(argv[3], NULL, 10));
    else if (argc > 3 && !strcmp(argv[1], "draw"))
        draw(strtoull(argv[2], NULL, 10), argv + 3, argc - 3);
    else {
        fputs("usage: mutate list FILE | draw SEED FILE... | apply FILE INDEX\n", stderr);
        return 2;
    }
    return fflush(stdout) || ferror(stdout) ? 2 : 0;
}
