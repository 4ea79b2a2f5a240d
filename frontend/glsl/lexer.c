/* lexer.c: characters to tokens, each with its line and column.
 *
 * A backslash before a line's end joins lines (GLSL ES 3.00 and desktop 4.20 say so; everything accepts it),
 * inside tokens too. \r\n, \n\r, \r and \n all end a line (GLSL ES 1.00, section 3.2). */
#include "frontend/glsl/internal.h"

#include <string.h>

void lexer_begin(struct lexer *lexer, const char *text, size_t length, uint32_t file) {
    text = text ? text : ""; /* even nothing may not be added to no address */
    *lexer = (struct lexer){.at = text, .end = text + length, .file = file, .line = 1, .column = 1};
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        lexer->at += 3; /* a byte order mark that an editor left */
}

static int newline_length(const char *at, const char *end) {
    if (at == end || (*at != '\n' && *at != '\r'))
        return 0;
    return at + 1 < end && (at[1] == '\n' || at[1] == '\r') && at[1] != *at ? 2 : 1;
}

static void skip_splices(struct lexer *lexer) {
    while (lexer->at < lexer->end && *lexer->at == '\\') {
        int length = newline_length(lexer->at + 1, lexer->end);
        if (!length)
            return;
        lexer->at += 1 + length;
        lexer->line++;
        lexer->column = 1;
    }
}

/* The character here or -1, without moving; after a splice if there is one. */
static int peek(struct lexer *lexer) {
    skip_splices(lexer);
    return lexer->at < lexer->end ? (unsigned char)*lexer->at : -1;
}

static int peek_second(const struct lexer *lexer) {
    struct lexer copy = *lexer;
    copy.at++;
    return peek(&copy);
}

static void step(struct lexer *lexer) {
    lexer->at++;
    lexer->column++;
}

static void step_newline(struct lexer *lexer) {
    lexer->at += newline_length(lexer->at, lexer->end);
    lexer->line++;
    lexer->column = 1;
}

static bool is_letter(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool is_digit(int c) {
    return c >= '0' && c <= '9';
}

static bool is_punctuation(int c) {
    switch (c) {
    case '(':
    case ')':
    case '{':
    case '}':
    case '[':
    case ']':
    case '.':
    case ',':
    case ';':
    case ':':
    case '?':
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    case '<':
    case '>':
    case '=':
    case '!':
    case '~':
    case '&':
    case '|':
    case '^':
    case '#': return true;
    default: return false;
    }
}

static struct place here(const struct lexer *lexer) {
    return (struct place){.file = lexer->file, .line = lexer->line, .column = lexer->column};
}

static void skip_block_comment(struct lexer *lexer) {
    struct place start = here(lexer);
    step(lexer);
    skip_splices(lexer);
    step(lexer);
    for (int c; (c = peek(lexer)) >= 0;) {
        bool star = c == '*';
        if (c == '\n' || c == '\r')
            step_newline(lexer);
        else
            step(lexer);
        if (star && peek(lexer) == '/') {
            step(lexer);
            return;
        }
    }
    lexer->unterminated_comment = true;
    lexer->comment_place = start;
}

bool lexer_skip_space(struct lexer *lexer) {
    bool any = false;
    if (lexer->at<lexer->end && * lexer->at> ' ' && *lexer->at != '/' && *lexer->at != '\\')
        return false;
    for (;;) {
        int c = peek(lexer);
        if (c == ' ' || c == '\t' || c == '\v' || c == '\f') {
            step(lexer);
        } else if (c == '/' && peek_second(lexer) == '/') {
            while ((c = peek(lexer)) >= 0 && c != '\n' && c != '\r')
                step(lexer);
        } else if (c == '/' && peek_second(lexer) == '*') {
            skip_block_comment(lexer);
        } else {
            return any;
        }
        any = true;
    }
}

/* Longest first. */
static const char *const punctuation[] = {"<<=", ">>=", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&",
                                          "||",  "^^",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"};

#define LONGEST 1023 /* glslang's own limit on a token is 1024 */

struct spelling {
    char text[LONGEST + 1];
    size_t length;
};

static void take(struct lexer *lexer, struct spelling *s) {
    if (s->length < LONGEST)
        s->text[s->length] = *lexer->at;
    s->length++;
    step(lexer);
}

/* How many letters and digits there are before a splice or something else. */
static size_t word_length(const struct lexer *lexer) {
    const char *end = lexer->at;
    while (end < lexer->end && (is_letter((unsigned char)*end) || is_digit((unsigned char)*end)))
        end++;
    return (size_t)(end - lexer->at);
}

static void take_word(struct lexer *lexer, struct spelling *s) {
    size_t length = word_length(lexer), left = s->length < LONGEST ? LONGEST - s->length : 0;
    memcpy(s->text + LONGEST - left, lexer->at, length < left ? length : left);
    s->length += length;
    lexer->at += length;
    lexer->column += (uint32_t)length;
    for (int c; is_letter(c = peek(lexer)) || is_digit(c);)
        take(lexer, s);
}

static void take_number(struct lexer *lexer, struct spelling *s) {
    int c = peek(lexer);
    if (c == '0' && (peek_second(lexer) | 32) == 'x') {
        take(lexer, s);
    } else {
        while (is_digit(peek(lexer)))
            take(lexer, s);
        if (peek(lexer) == '.') {
            take(lexer, s);
            while (is_digit(peek(lexer)))
                take(lexer, s);
        }
        c = peek(lexer);
        if (c == 'e' || c == 'E') {
            take(lexer, s);
            c = peek(lexer);
            if (c == '+' || c == '-')
                take(lexer, s);
        }
    }
    take_word(lexer, s); /* suffixes, right or wrong: glslang judges */
}

/* How many bytes follow the first of the character in UTF-8 that begins here; none if it is not UTF-8. */
static unsigned later_bytes(const struct lexer *lexer) {
    const unsigned char *p = (const unsigned char *)lexer->at;
    unsigned more = p[0] < 0xc2 || p[0] > 0xf4 ? 0 : p[0] >= 0xf0 ? 3 : p[0] >= 0xe0 ? 2 : 1;
    if ((size_t)(lexer->end - lexer->at) <= more)
        return 0;
    for (unsigned i = 1; i <= more; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    /* too long a form, half a pair of UTF-16, beyond the last character */
    bool wrong = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] >= 0xa0) ||
                 (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] >= 0x90);
    return wrong ? 0 : more;
}

struct token lexer_next(struct run *run, struct lexer *lexer) {
    struct token token = {.space = lexer_skip_space(lexer)};
    int c = peek(lexer);
    token.place = here(lexer);
    struct spelling s;
    s.length = 0;
    if (c < 0) {
        token.kind = T_END;
    } else if (c == '\n' || c == '\r') {
        step_newline(lexer);
        token.kind = T_NEWLINE;
    } else if (is_letter(c)) {
        size_t length = word_length(lexer);
        bool whole = lexer->at + length == lexer->end || lexer->at[length] != '\\';
        token.kind = T_IDENTIFIER;
        if (whole && length <= LONGEST) {
            token.name = run_name(run, lexer->at, length);
            lexer->at += length;
            lexer->column += (uint32_t)length;
            return token;
        }
        take_word(lexer, &s);
    } else if (is_digit(c) || (c == '.' && is_digit(peek_second(lexer)))) {
        token.kind = T_NUMBER;
        take_number(lexer, &s);
    } else {
        token.kind = is_punctuation(c) ? T_PUNCTUATION : T_STRAY;
        for (unsigned more = token.kind == T_STRAY ? later_bytes(lexer) + 1 : 1; more; more--)
            take(lexer, &s);
        int next = token.kind == T_PUNCTUATION ? peek(lexer) : -1;
        bool longer = next == '=' || next == c; /* all of those below */
        for (size_t i = 0; longer && i < sizeof punctuation / sizeof *punctuation; i++) {
            const char *p = punctuation[i];
            if (p[0] != c)
                continue;
            struct lexer ahead = *lexer;
            size_t n = 1;
            while (p[n] && peek(&ahead) == p[n]) {
                step(&ahead);
                n++;
            }
            if (!p[n]) {
                *lexer = ahead;
                memcpy(s.text, p, n);
                s.length = n;
                break;
            }
        }
    }
    if (s.length > LONGEST) {
        token.kind = T_STRAY; /* reported as too long by whoever meets it */
        s.length = LONGEST;
    }
    token.name = run_name(run, s.text, s.length);
    return token;
}

const char *lexer_file_name(struct run *run, struct lexer *lexer, char *close) {
    lexer_skip_space(lexer);
    struct lexer ahead = *lexer;
    struct buffer name = {0};
    int c = peek(&ahead);
    *close = c == '"' ? '"' : c == '<' ? '>' : 0;
    if (!*close)
        return NULL;
    for (step(&ahead); (c = peek(&ahead)) >= 0 && c != '\n' && c != '\r' && c != *close; step(&ahead)) {
        char text = (char)c;
        buffer_add(run, &name, &text, 1);
    }
    const char *text = c == *close && name.length && !run->failed ? run_name_z(run, name.text)->text : NULL;
    buffer_free(run, &name);
    if (!text)
        return NULL;
    step(&ahead);
    *lexer = ahead;
    return text;
}

const char *lexer_rest(struct run *run, struct lexer *lexer) {
    char text[400];
    size_t length = 0;
    int c;
    while ((c = peek(lexer)) >= 0 && c != '\n' && c != '\r') {
        if (length < sizeof text - 1)
            text[length++] = (char)c;
        step(lexer);
    }
    text[length] = 0;
    const char *start = text;
    while (*start == ' ' || *start == '\t')
        start++;
    return ir_strdup(run->arena, start);
}
