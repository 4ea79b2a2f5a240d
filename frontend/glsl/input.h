/* input.h: how glslang's preprocessor gets the characters of a text, for parse.cpp and builtins.cpp.
 *
 * glslang takes each character through several functions, for comments, line continuations and other line
 * ends than \n, and gives back newlines that its loop throws away. A text that comes here is mostly words and
 * single characters, with one token on each line, so those are taken at once and newlines left out. What may
 * be something else is glslang's to scan, from the same place. */
#ifndef QPUCC_FRONTEND_GLSL_INPUT_H
#define QPUCC_FRONTEND_GLSL_INPUT_H

#include <cstring>
#include <glslang/MachineIndependent/ScanContext.h>
#include <glslang/MachineIndependent/preprocessor/PpContext.h>

int yyparse(glslang::TParseContext *); /* glslang's headers have it among bison's macros */

class text_scanner : public glslang::TInputScanner {
  public:
    using TInputScanner::TInputScanner;

    /* How many characters of the current string come after the next one: what moves on to another string is
     * glslang's. */
    size_t after_next() const {
        return currentSource < numSources && currentChar < lengths[currentSource]
                   ? lengths[currentSource] - currentChar - 1
                   : 0;
    }
    const unsigned char *next() const { return sources[currentSource] + currentChar; }
    void skip(size_t length) {
        currentChar += length;
        loc[currentSource].column += static_cast<int>(length);
        logicalSourceLoc.column += static_cast<int>(length);
    }
    void skip_newline() {
        currentChar++;
        loc[currentSource].line++;
        logicalSourceLoc.line++;
        loc[currentSource].column = logicalSourceLoc.column = 0;
    }
};

namespace text_characters {
enum class character : unsigned char { other, letter, digit, token, operation };

struct characters {
    character of[256] = {};
    constexpr characters() {
        for (unsigned c = 'a'; c <= 'z'; c++)
            of[c] = of[c - 'a' + 'A'] = character::letter;
        of[static_cast<unsigned char>('_')] = character::letter;
        for (unsigned c = '0'; c <= '9'; c++)
            of[c] = character::digit;
        for (const char *c = "(){}[],;?~"; *c; c++)
            of[static_cast<unsigned char>(*c)] = character::token; /* begins nothing longer */
        for (const char *c = "+-*/%<>=!.:&|^"; *c; c++)
            of[static_cast<unsigned char>(*c)] = character::operation; /* may begin something longer */
    }
};
inline constexpr characters kinds;
} // namespace text_characters

class text_preprocessor : public glslang::TPpContext {
  public:
    using TPpContext::TPpContext;

    void set_text(text_scanner &scanner) {
        setInput(scanner, false);
        pushInput(new text_input(this, scanner)); /* when it has nothing more, neither has the other */
    }

  private:
    class text_input : public tStringInput {
      public:
        text_input(TPpContext *context, text_scanner &s) : tStringInput(context, s), scanner(s) {}

        int scan(glslang::TPpToken *token) override {
            bool newline = false;
            size_t after = in_directive ? 0 : scanner.after_next();
            for (int c; after && ((c = *scanner.next()) == '\n' || c == ' '); after--) {
                if (c == '\n')
                    scanner.skip_newline();
                else
                    scanner.skip(1);
                newline |= c == '\n';
            }
            if (newline && *scanner.next() == '#')
                return '\n';
            if (!after)
                return by_glslang(token);
            const unsigned char *begin = scanner.next(), *end = begin + after;
            using namespace text_characters;
            switch (kinds.of[*begin]) {
            case character::letter: {
                const unsigned char *at = begin;
                while (at < end && (kinds.of[*at] == character::letter || kinds.of[*at] == character::digit))
                    at++;
                const size_t length = static_cast<size_t>(at - begin);
                if (at == end || *at == '\\' || length > glslang::MaxTokenLength)
                    return by_glslang(token);
                std::memcpy(token->name, begin, length);
                token->name[length] = '\0';
                return taken(token, length, glslang::PpAtomIdentifier);
            }
            case character::token: return taken(token, 1, *begin);
            case character::operation: return begin[1] == '\n' ? taken(token, 1, *begin) : by_glslang(token);
            default: return by_glslang(token);
            }
        }

      private:
        /* All of a directive is glslang's, with the newline that ends it. */
        int by_glslang(glslang::TPpToken *token) {
            int result = tStringInput::scan(token);
            in_directive = result == '#' || (in_directive && result != '\n');
            return result;
        }

        int taken(glslang::TPpToken *token, size_t length, int result) {
            token->i64val = 0;
            token->space = false; /* matters in macros only */
            scanner.skip(length);
            token->loc = scanner.getSourceLoc();
            return result;
        }

        text_scanner &scanner;
        bool in_directive = false;
    };
};

class text_context : public glslang::TParseContext {
  public:
    using TParseContext::TParseContext;

    /* As parseShaderStrings. */
    bool parse(text_preprocessor &preprocessor, text_scanner &scanner) {
        setScanner(&scanner);
        preprocessor.set_text(scanner);
        yyparse(this);
        finish();
        return getNumErrors() == 0;
    }
};

#endif
