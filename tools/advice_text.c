/* What is said of the lines that cost most, of the alternatives that were compiled and of the ways through
 * the code. */
#include "advice.h"
#include "explain_text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* --- sentences ------------------------------------------------------------------------------------------ */

struct sentence {
    char text[1200];
};

static void say(struct sentence *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct sentence *s, const char *format, ...) {
    size_t used = strlen(s->text);
    va_list list;
    va_start(list, format);
    vsnprintf(s->text + used, sizeof s->text - used, format, list);
    va_end(list);
}

static const char *plural(unsigned long n) {
    return n == 1 ? "" : "s";
}

/* "3 products, 2 sums and 1 lookup" */
struct enumeration {
    char part[8][80];
    unsigned count;
};

static void list(struct enumeration *e, unsigned n, const char *one, const char *many) {
    if (n)
        snprintf(e->part[e->count++], sizeof *e->part, "%u %s", n, n == 1 ? one : many);
}

static void say_list(struct sentence *s, const struct enumeration *e) {
    for (unsigned i = 0; i < e->count; i++)
        say(s, "%s%s", !i ? "" : i + 1 < e->count ? ", " : " and ", e->part[i]);
}

/* --- a line --------------------------------------------------------------------------------------------- */

/* Functions of GLSL that cost more than they look, and as what. */
static const struct disguise {
    const char *word, *text;
} disguises[] = {
    {"sin", "The chip has no sine: it is a polynomial."},
    {"cos", "The chip has no cosine: it is a polynomial."},
    {"tan", "A tangent is two polynomials and a division."},
    {"asin", "An arc sine is a polynomial and a root."},
    {"acos", "An arc cosine is a polynomial and a root."},
    {"atan", "An arc tangent is a polynomial and a division."},
    {"pow", "A power is a logarithm, a product and an exponential."},
    {"normalize", "To normalize is a dot product, a reciprocal root and a product for each component."},
    {"length", "A length is a dot product and a root."},
    {"distance", "A distance is a dot product and a root."},
    {"reflect", "A reflection is a dot product, a product and a difference for each component."},
    {"mod", "The chip has no remainder: it is a product, a floor and a difference."},
    {"smoothstep", "A smoothstep is a clamped quotient and three products."},
};

struct line_facts {
    unsigned add, mul, recip, root, exp, log, lookups, waits, loop_depth, varyings;
};

static bool same_place(const struct qpucc_explain_instruction *in, const struct qpucc_explain_line *line) {
    bool file = !in->file == !line->file && (!in->file || !strcmp(in->file, line->file));
    return file && in->line == line->line;
}

static struct line_facts facts_of(const struct qpucc_explain_stage *s,
                                  const struct qpucc_explain_line *line) {
    struct line_facts f = {0};
    for (uint32_t i = 0; i < s->count; i++) {
        const struct qpucc_explain_instruction *in = &s->instruction[i];
        if (!same_place(in, line))
            continue;
        const struct qpucc_explain_slot *slots[] = {&in->add, &in->mul};
        for (unsigned k = 0; k < 2; k++) {
            const char *to = slots[k]->target ? slots[k]->target : "";
            *(k ? &f.mul : &f.add) += slots[k]->text != NULL;
            f.recip += !strcmp(to, "recip");
            f.root += !strcmp(to, "rsqrt");
            f.exp += !strcmp(to, "exp");
            f.log += !strcmp(to, "log");
            f.lookups += !strcmp(to, "t0s") || !strcmp(to, "t1s");
        }
        f.varyings += in->units >> QPUCC_RESOURCE_VARYING & 1;
        f.waits += in->stall;
        unsigned depth = s->block[in->block].loop_depth;
        f.loop_depth = depth > f.loop_depth ? depth : f.loop_depth;
    }
    return f;
}

/* Is the word called there? */
static bool calls(const char *text, size_t length, const char *word) {
    size_t size = strlen(word);
    for (size_t at = 0; at + size < length; at++)
        if (!strncmp(text + at, word, size) && text[at + size] == '(' &&
            (!at || !(isalnum((unsigned char)text[at - 1]) || text[at - 1] == '_')))
            return true;
    return false;
}

static void say_why(struct sentence *out, const struct qpucc_explain_stage *s,
                    const struct qpucc_explain_line *line, const struct cli_sources *sources) {
    struct line_facts f = facts_of(s, line);
    struct enumeration e = {.count = 0};
    const char *text = "";
    size_t length = explain_source_line(sources, line->file, s->stage, line->line, &text);
    if (f.add && f.mul)
        say(out, "It takes %u operations, %u on the add ALU and %u on the mul ALU", f.add + f.mul, f.add,
            f.mul);
    else if (f.add + f.mul)
        say(out, "It takes %u operation%s on the %s ALU", f.add + f.mul, plural(f.add + f.mul),
            f.add ? "add" : "mul");
    else
        say(out, "It takes %u instruction%s", line->instructions, plural(line->instructions));
    list(&e, f.recip, "reciprocal", "reciprocals");
    list(&e, f.root, "reciprocal root", "reciprocal roots");
    list(&e, f.exp, "exponential", "exponentials");
    list(&e, f.log, "logarithm", "logarithms");
    list(&e, f.lookups, "texture lookup", "texture lookups");
    list(&e, f.varyings, "component of a varying", "components of varyings");
    if (e.count) {
        say(out, ", with ");
        say_list(out, &e);
    }
    say(out, ".");
    for (size_t i = 0; i < sizeof disguises / sizeof *disguises; i++)
        if (calls(text, length, disguises[i].word))
            say(out, " %s", disguises[i].text);
    if (f.waits)
        say(out, " It waits %u cycle%s for %s%s.", f.waits, plural(f.waits),
            s->used[QPUCC_RESOURCE_TMU] ? "texels" : "vertex data",
            s->used[QPUCC_RESOURCE_TMU] ? "; other work between the lookup and its use would fill them" : "");
    if (f.loop_depth)
        say(out, " It is in %s, and every turn pays for it.",
            f.loop_depth > 1 ? "a loop within a loop" : "a loop");
}

static const struct qpucc_explain_stage *tried(const struct advice_try *t, enum qpucc_stage stage) {
    return qpucc_explanation_stage(t->explain, stage);
}

static unsigned instructions_of(const struct qpucc_explain_stage *s, const struct qpucc_explain_line *line) {
    for (uint32_t k = 0; s && k < s->line_count; k++) {
        bool file = !s->line[k].file == !line->file && (!line->file || !strcmp(s->line[k].file, line->file));
        if (file && s->line[k].line == line->line)
            return s->line[k].instructions;
    }
    return 0;
}

/* Cycles that it saves on the longest way. */
static int saved(const struct advice_try *t, const struct qpucc_explain_stage *s) {
    const struct qpucc_explain_stage *other = tried(t, s->stage);
    return other ? (int)s->longest_path - (int)other->longest_path : 0;
}

/* Of what makes the stage faster, whatever takes most from the line. */
static const struct advice_try *best_for(const struct advice *a, const struct qpucc_explain_stage *s,
                                         const struct qpucc_explain_line *line) {
    const struct advice_try *best = NULL;
    unsigned least = line->instructions;
    for (unsigned i = 0; i < a->count; i++) {
        const struct advice_try *t = &a->list[i];
        unsigned there = instructions_of(tried(t, s->stage), line);
        if (!t->undone && saved(t, s) > 0 && there < least)
            best = t, least = there;
    }
    return best;
}

static void say_help(struct sentence *out, const struct advice *a, const struct qpucc_explain_stage *s,
                     const struct qpucc_explain_line *line) {
    const struct advice_try *best = best_for(a, s, line);
    if (!best)
        return;
    unsigned there = instructions_of(tried(best, s->stage), line);
    if (there)
        say(out, " With %s it is %u instruction%s.", best->option, there, plural(there));
    else
        say(out, " With %s nothing of it is left.", best->option);
}

/* --- the stage ------------------------------------------------------------------------------------------ */

static const char *noun(const struct qpucc_explain_stage *s) {
    return s->stage == QPUCC_FRAGMENT ? "pixels" : "vertices";
}

static void say_paths(struct sentence *out, const struct qpucc_explain_stage *s) {
    if (s->block_count == 1)
        say(out, "16 %s take %u cycles: there is one way through this code, without branches.", noun(s),
            s->longest_path);
    else if (s->shortest_path == s->longest_path)
        say(out, "16 %s take %u cycles, whichever way they go%s.", noun(s), s->longest_path,
            s->loops ? ", with one turn of each loop" : "");
    else
        say(out, "16 %s take from %u to %u cycles, depending on the branches that they take%s.", noun(s),
            s->shortest_path, s->longest_path, s->loops ? " and with one turn of each loop at most" : "");
    for (uint32_t b = 0; b < s->block_count; b++)
        if (s->turn[b]) {
            unsigned line = s->instruction[s->block[b].first].line;
            say(out,
                line ? " A turn of the loop at line %u takes up to %u."
                     : " A turn of the loop%.0u takes up to %u.",
                line, s->turn[b]);
        }
}

static void say_bound(struct sentence *out, const struct qpucc_explain_stage *s) {
    char bound[160] = "";
    explain_bound_text(s, bound, sizeof bound);
    say(out, "What sets its length is %s.", bound);
    if (!strcmp(s->bound_by, "dependencies"))
        say(out, " More work beside that chain would cost nothing; a shorter chain would help.");
    else if (!strcmp(s->bound_by, "alus") || !strcmp(s->bound_by, "add") || !strcmp(s->bound_by, "mul"))
        say(out, " Only less arithmetic makes it faster.");
    else if (!strcmp(s->bound_by, "uniform"))
        say(out, " Fewer different uniforms would help, and values that are constants in the source.");
}

/* One thread and lookups: the registers are why. */
static bool say_threads(struct sentence *out, const struct qpucc_explain_stage *s) {
    if (s->stage != QPUCC_FRAGMENT || !s->stats || s->stats->threads > 1 || !s->stats->tmu || !s->stalls)
        return false;
    unsigned line = s->instruction[s->peak_at].line;
    say(out,
        "It waits %u of its %u cycles for texels. Two threads would fill that time with each other's work, "
        "but have "
        "16 registers of each file; here %u values are alive at once",
        s->stalls, s->cycles, s->peak);
    say(out, line ? ", most of them at line %u." : ".%.0u", line);
    return true;
}

static void say_try(struct sentence *out, const struct advice_try *t, const struct qpucc_explain_stage *s) {
    const struct qpucc_explain_stage *other = tried(t, s->stage);
    int less = saved(t, s);
    if (t->undone)
        say(out, "Arithmetic on uniforms alone is done once for each draw already, which saves %d cycle%s.",
            -less, plural((unsigned)-less));
    else if (other->loops < s->loops)
        say(out, "With %s (%s) %s loop%s left: %u cycles in all, where one turn of each is part of %u now.",
            t->option, t->what, other->loops ? "fewer" : "no", other->loops == 1 ? " is" : "s are",
            other->longest_path, s->longest_path);
    else
        say(out, "With %s (%s) it takes %u cycle%s instead of %u.", t->option, t->what, other->longest_path,
            plural(other->longest_path), s->longest_path);
}

/* Is there something to say about it? */
static bool tells(const struct advice_try *t, const struct qpucc_explain_stage *s) {
    const struct qpucc_explain_stage *other = tried(t, s->stage);
    return other && (t->undone ? saved(t, s) < 0 : saved(t, s) > 0 || other->loops < s->loops);
}

static void say_vain(struct sentence *out, const struct advice *a, const struct qpucc_explain_stage *s) {
    unsigned vain = 0, said = 0;
    for (unsigned i = 0; i < a->count; i++)
        vain += !a->list[i].undone && !tells(&a->list[i], s);
    if (!a->measured)
        say(out, "No alternatives were compiled: the program has more than %d instructions.", ADVICE_MOST);
    for (unsigned i = 0; i < a->count; i++)
        if (!a->list[i].undone && !tells(&a->list[i], s)) {
            say(out, "%s%s", !said ? "No faster: " : said + 1 < vain ? ", " : " and ", a->list[i].option);
            said++;
        }
    if (said)
        say(out, ".");
}

/* The lines of the source that cost most, without the compiler's own instructions. */
static unsigned costly_lines(const struct qpucc_explain_stage *s,
                             const struct qpucc_explain_line *lines[ADVICE_LINES]) {
    unsigned count = 0;
    for (uint32_t k = 0; k < s->line_count && count < ADVICE_LINES; k++)
        if (s->line[k].line)
            lines[count++] = &s->line[k];
    return count;
}

/* --- output --------------------------------------------------------------------------------------------- */

static void put_wrapped(FILE *out, const char *mark, const char *text, unsigned width) {
    unsigned indent = 2 + (unsigned)strlen(mark);
    fprintf(out, "  %s", mark);
    for (unsigned used = indent; *text;) {
        size_t word = strcspn(text, " ");
        if (used > indent && used + 1 + word > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            used = indent;
        }
        used += (unsigned)fprintf(out, "%s%.*s", used > indent ? " " : "", (int)word, text);
        text += word + (text[word] == ' ');
    }
    fputc('\n', out);
}

void advice_print(const struct advice *a, enum qpucc_stage stage, const struct cli_sources *sources,
                  unsigned width, FILE *out) {
    const struct qpucc_explain_stage *s = qpucc_explanation_stage(a->now, stage);
    const struct qpucc_explain_line *lines[ADVICE_LINES];
    unsigned count = s ? costly_lines(s, lines) : 0;
    if (!s)
        return;
    struct sentence sentence = {""};
    say_paths(&sentence, s);
    say(&sentence, " ");
    say_bound(&sentence, s);
    put_wrapped(out, "", sentence.text, width);
    for (unsigned k = 0; k < count; k++) {
        char mark[16];
        const char *text = "";
        size_t length = explain_source_line(sources, lines[k]->file, stage, lines[k]->line, &text);
        sentence.text[0] = 0;
        snprintf(mark, sizeof mark, "%u. ", k + 1);
        fprintf(out, "  %sLine %u, %.0f %% of the time: ", mark, lines[k]->line, 100 * lines[k]->weight);
        explain_put_clipped(out, text, length, width - 36);
        fputc('\n', out);
        say_why(&sentence, s, lines[k], sources);
        say_help(&sentence, a, s, lines[k]);
        put_wrapped(out, "   ", sentence.text, width);
    }
    sentence.text[0] = 0;
    if (say_threads(&sentence, s))
        put_wrapped(out, "-> ", sentence.text, width);
    for (unsigned i = 0; i < a->count; i++) {
        sentence.text[0] = 0;
        if (!tells(&a->list[i], s))
            continue;
        say_try(&sentence, &a->list[i], s);
        put_wrapped(out, "-> ", sentence.text, width);
    }
    sentence.text[0] = 0;
    say_vain(&sentence, a, s);
    if (*sentence.text)
        put_wrapped(out, "-> ", sentence.text, width);
    fputc('\n', out);
}

static json_t *string_of(const char *text, size_t length) {
    json_t *value = json_stringn(text, length);
    return value ? value : json_string("?");
}

json_t *advice_json(const struct advice *a, enum qpucc_stage stage, const struct cli_sources *sources) {
    const struct qpucc_explain_stage *s = qpucc_explanation_stage(a->now, stage);
    const struct qpucc_explain_line *lines[ADVICE_LINES];
    unsigned count = s ? costly_lines(s, lines) : 0;
    json_t *list = json_array(), *tries = json_array(), *notes = json_array();
    struct sentence sentence = {""};
    for (unsigned k = 0; k < count; k++) {
        const char *text = "";
        size_t length = explain_source_line(sources, lines[k]->file, stage, lines[k]->line, &text);
        sentence.text[0] = 0;
        say_why(&sentence, s, lines[k], sources);
        say_help(&sentence, a, s, lines[k]);
        json_array_append_new(list, json_pack("{s:i, s:f, s:o, s:o}", "line", (int)lines[k]->line, "share",
                                              lines[k]->weight, "source", string_of(text, length), "text",
                                              string_of(sentence.text, strlen(sentence.text))));
    }
    for (unsigned i = 0; s && i < a->count; i++) {
        const struct advice_try *t = &a->list[i];
        const struct qpucc_explain_stage *other = tried(t, stage);
        sentence.text[0] = 0;
        if (tells(t, s))
            say_try(&sentence, t, s);
        if (other)
            json_array_append_new(
                tries,
                json_pack("{s:o, s:i, s:i, s:i, s:b, s:o}", "option", string_of(t->option, strlen(t->option)),
                          "cycles", (int)other->longest_path, "now", (int)s->longest_path, "loops",
                          (int)other->loops, "undone", t->undone, "text",
                          *sentence.text ? string_of(sentence.text, strlen(sentence.text)) : json_null()));
    }
    void (*const says[])(struct sentence *, const struct qpucc_explain_stage *) = {say_paths, say_bound};
    for (unsigned k = 0; s && k < 2; k++) {
        sentence.text[0] = 0;
        says[k](&sentence, s);
        json_array_append_new(notes, json_string(sentence.text));
    }
    sentence.text[0] = 0;
    if (s && say_threads(&sentence, s))
        json_array_append_new(notes, json_string(sentence.text));
    return json_pack("{s:b, s:o, s:o, s:o}", "measured", a->measured, "notes", notes, "lines", list, "tries",
                     tries);
}
