/* Commented assembly in three forms. Only the annotated one explains itself: a header with what the code
 * costs, footnotes for whatever is too long to stand beside an instruction, and beside each instruction its
 * source line, the variables that it computes and the uniform that it reads. */
#include "listing.h"
#include "explain_text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Columns: of the code, where comments begin at the latest, and of a name beside the code. */
enum { INDENT = 4, COMMENT = 62, NAME = 34, TEXT = 300 };

int listing_form_of(const char *word) {
    static const char *const words[] = {"annotated", "wide", "plain"};
    for (int i = 0; i < LISTING_FORMS; i++)
        if (!strcmp(word, words[i]))
            return i;
    return -1;
}

/* --- text of limited width ------------------------------------------------------------------------------ */

/* Characters of UTF-8. */
static unsigned width_of(const char *text) {
    unsigned width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* Bytes of the text that fit: up to the last blank, or to the end of the room if there is none. */
static size_t fitting(const char *text, unsigned columns) {
    size_t at = 0, blank = 0;
    for (unsigned used = 0; text[at]; at++) {
        used += ((unsigned char)text[at] & 0xc0) != 0x80;
        if (used > columns)
            return blank ? blank : at;
        if (text[at] == ' ')
            blank = at;
    }
    return at;
}

/* Names of SPIR-V may have anything in them, and a comment ends with its line. */
static void one_line(char *text) {
    for (; *text; text++)
        *text = (unsigned char)*text < 32 ? ' ' : *text;
}

/* "#   name  text" over as many lines as that takes; of width 0 "# - text". */
static void put_note(FILE *out, const char *name, unsigned name_width, const char *text) {
    unsigned left = name_width ? 4 + name_width + 2 : 4;
    for (bool first = true; first || *text; first = false) {
        size_t length = fitting(text, LISTING_COLUMNS - left);
        if (name_width)
            fprintf(out, "#   %-*s  ", (int)name_width, first ? name : "");
        else
            fprintf(out, "# %s ", first ? name : " ");
        explain_put_clipped(out, text, length, UINT_MAX);
        fputc('\n', out);
        text += length;
        text += *text == ' ';
    }
}

/* --- a stage -------------------------------------------------------------------------------------------- */

struct listing {
    const struct qpucc_explain_stage *s;
    const struct cli_sources *sources;
    const char *main_file; /* of most instructions; NULL: not known */
    bool *target;          /* instructions that branches go to, and the end */
    bool *begun;           /* lines whose text has been shown, by row of the stage's table of lines */
    bool *noted;           /* words of the stream that are footnotes */
    const char **long_name;
    unsigned long_names;
    unsigned comment; /* the column in which comments begin */
    FILE *out;
};

static const char *label_prefix(enum qpucc_stage stage) {
    return stage == QPUCC_FRAGMENT ? "fs" : stage == QPUCC_VERTEX ? "vs" : "cs";
}

/* The instruction's text, its branch to a label: numbers would count from the beginning of all stages. */
static void code_text(const struct listing *l, uint32_t at, char text[TEXT]) {
    const struct qpucc_explain_instruction *in = &l->s->instruction[at];
    char number[24];
    snprintf(number, sizeof number, " L%u", in->target);
    const char *place = in->target <= l->s->count ? strstr(in->text, number) : NULL;
    if (place)
        snprintf(text, TEXT, "%.*s %s%u%s", (int)(place - in->text), in->text, label_prefix(l->s->stage),
                 in->target, place + strlen(number));
    else
        snprintf(text, TEXT, "%s", in->text);
}

static void put_label(const struct listing *l, uint32_t at) {
    if (l->target[at])
        fprintf(l->out, "%s%u:\n", label_prefix(l->s->stage), at);
}

/* --- what the annotated form says of an instruction ----------------------------------------------------- */

/* Names that are too long to stand beside code are n1, n2, ... there. */
static unsigned long_name(const struct listing *l, const char *name) {
    for (unsigned i = 0; i < l->long_names; i++)
        if (!strcmp(l->long_name[i], name))
            return i + 1;
    return 0;
}

enum { SLOTS = 3 };

static const struct qpucc_explain_slot *slot_of(const struct qpucc_explain_instruction *in, unsigned k) {
    return k == 0 ? &in->add : k == 1 ? &in->mul : &in->signal;
}

struct remarks {
    char text[SLOTS + 2][NAME + 80];
    unsigned count;
};

static void remark_word(const struct listing *l, const struct qpucc_explain_instruction *in,
                        struct remarks *r) {
    if (in->word_index == SIZE_MAX)
        return;
    const struct qpucc_explain_formula *word = &l->s->word[in->word_index];
    bool reads = strstr(in->text, "unif");
    snprintf(r->text[r->count++], sizeof *r->text, "%s%s", reads ? "unif = " : "set-up ",
             l->noted[in->word_index] ? word->name : word->text);
}

static struct remarks remarks_on(const struct listing *l, uint32_t at) {
    const struct qpucc_explain_instruction *in = &l->s->instruction[at];
    struct remarks r = {.count = 0};
    for (unsigned k = 0; k < SLOTS; k++) {
        const struct qpucc_explain_slot *slot = slot_of(in, k);
        if (!slot->name)
            continue;
        char note[24];
        unsigned number = long_name(l, slot->name);
        snprintf(note, sizeof note, "n%u", number);
        snprintf(r.text[r.count++], sizeof *r.text, "%s%s%s", slot->target ? slot->target : "",
                 slot->target ? " = " : "", number ? note : slot->name);
    }
    remark_word(l, in, &r);
    for (unsigned k = 0; k < r.count; k++)
        one_line(r.text[k]);
    return r;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_main(const struct listing *l, const char *file) {
    return !file || !l->main_file || !strcmp(file, l->main_file);
}

/* "# 24  rb0 = normal.y, unif = u7" in the comments' column, behind wide code on the same line where it all
 * fits and below it where not. */
static void put_remarks(const struct listing *l, uint32_t at, unsigned used) {
    const struct qpucc_explain_instruction *in = &l->s->instruction[at];
    struct remarks r = remarks_on(l, at);
    char head[48] = "   ", number[24] = "";
    if (in->line)
        snprintf(number, sizeof number, "%u", in->line);
    if (in->line && !is_main(l, in->file))
        snprintf(head, sizeof head, "%.20s:%s", base_name(in->file), number);
    else
        snprintf(head, sizeof head, "%3s", number);
    one_line(head);
    unsigned whole = 2 + (unsigned)strlen(head), widest = whole;
    for (unsigned k = 0; k < r.count; k++) {
        unsigned width = 2 + width_of(r.text[k]);
        widest = 2 + strlen(head) + width > widest ? 2 + (unsigned)strlen(head) + width : widest;
        whole += width;
    }
    /* what has no room in the column stands before it */
    unsigned column = l->comment + widest > LISTING_COLUMNS ? LISTING_COLUMNS - widest : l->comment;
    if (used + 2 > column && used + 2 + whole > LISTING_COLUMNS) {
        fputc('\n', l->out);
        used = 0;
    }
    unsigned next = 0;
    for (bool first = true; (first && (r.count || in->line)) || next < r.count; first = false) {
        unsigned begin = used + 2 > column ? used + 2 : column;
        fprintf(l->out, "%s%*s# %*s", first ? "" : "\n", (int)(begin - used), "", (int)strlen(head),
                first ? head : "");
        used = begin + 2 + (unsigned)strlen(head);
        for (bool any = false; next < r.count; any = true, next++) {
            unsigned width = width_of(r.text[next]) + 2;
            if (any && used + width > LISTING_COLUMNS)
                break;
            fprintf(l->out, "%s%s", any ? ", " : "  ", r.text[next]);
            used += width;
        }
        used = 0;
    }
    fputc('\n', l->out);
}

/* --- source lines --------------------------------------------------------------------------------------- */

static void put_source(const struct listing *l, uint32_t at) {
    const struct qpucc_explain_instruction *in = &l->s->instruction[at];
    for (uint32_t k = 0; in->line && k < l->s->line_count; k++) {
        const struct qpucc_explain_line *line = &l->s->line[k];
        const char *text = "";
        if (line->line != in->line || line->file != in->file || l->begun[k])
            continue;
        l->begun[k] = true;
        size_t length = explain_source_line(l->sources, in->file, l->s->stage, in->line, &text);
        char head[64] = "#";
        if (!is_main(l, in->file))
            snprintf(head, sizeof head, "# %.40s,", base_name(in->file));
        one_line(head);
        unsigned used = (unsigned)fprintf(l->out, "%s %u: ", head, in->line);
        explain_put_clipped(l->out, text, length, LISTING_COLUMNS - used);
        fputc('\n', l->out);
    }
}

/* --- header and footnotes ------------------------------------------------------------------------------- */

static const char *plural(unsigned long n) {
    return n == 1 ? "" : "s";
}

static void put_counts(const struct listing *l) {
    const struct qpucc_explain_stage *s = l->s;
    const struct qpucc_stage_stats *stats = s->stats;
    unsigned registers = stats->threads > 1 ? 16 : 32;
    char text[400], bound[160];
    unsigned known = explain_bound_text(s, bound, sizeof bound);
    if (known < s->lower_bound)
        snprintf(bound + strlen(bound), sizeof bound - strlen(bound), ", %u with the other rules of the chip",
                 s->lower_bound);
    snprintf(text, sizeof text, "%u instruction%s, %u cycle%s for 16 %s%s; in no order fewer than %u",
             stats->instructions, plural(stats->instructions), stats->cycles, plural(stats->cycles),
             s->stage == QPUCC_FRAGMENT ? "pixels" : "vertices", s->loops ? " and one turn of each loop" : "",
             s->lower_bound);
    put_note(l->out, "length", 9, text);
    put_note(l->out, "bound by", 9, bound);
    snprintf(text, sizeof text, "%u of %u in file A (ra), %u of %u in file B (rb), %u of 4 accumulators (r)",
             stats->regs_a, registers, stats->regs_b, registers, stats->accumulators);
    put_note(l->out, "registers", 9, text);
    put_note(l->out, "threads", 9,
             stats->threads > 1 ? "2: while one waits for a texture, the other one runs" : "1");
    snprintf(text, sizeof text, "%u word%s, read in this order", stats->uniforms, plural(stats->uniforms));
    put_note(l->out, "uniforms", 9, text);
}

/* What is too long for a comment, and the parts that formulas name. */
static void put_footnotes(const struct listing *l) {
    const struct qpucc_explain_stage *s = l->s;
    bool any = s->shared_count || l->long_names;
    unsigned width = 2;
    for (uint32_t i = 0; i < s->word_count; i++)
        any |= l->noted[i];
    if (!any)
        return;
    fputs("#\n", l->out);
    for (uint32_t i = 0; i < s->shared_count; i++)
        width = strlen(s->shared[i].name) > width ? (unsigned)strlen(s->shared[i].name) : width;
    for (uint32_t i = 0; i < s->word_count; i++)
        if (l->noted[i] && strlen(s->word[i].name) > width)
            width = (unsigned)strlen(s->word[i].name);
    char text[24];
    for (unsigned i = 0; i < l->long_names; i++) {
        snprintf(text, sizeof text, "n%u", i + 1);
        size_t size = strlen(l->long_name[i]) + 3;
        char *line = malloc(size);
        if (line) {
            snprintf(line, size, "= %s", l->long_name[i]);
            put_note(l->out, text, width, line);
        }
        free(line);
    }
    for (int words = 0; words < 2; words++) {
        const struct qpucc_explain_formula *list = words ? s->word : s->shared;
        for (uint32_t i = 0; i < (words ? s->word_count : s->shared_count); i++) {
            if (words && !l->noted[i])
                continue;
            size_t size = strlen(list[i].text) + 3;
            char *line = malloc(size);
            if (line) {
                snprintf(line, size, "= %s", list[i].text);
                put_note(l->out, list[i].name, width, line);
            }
            free(line);
        }
    }
}

/* What the reader has to know of the chip, of what occurs in this code. */
static const struct legend {
    const char *occurs[3]; /* any of these in an instruction; none: always */
    const char *text;
} legends[] = {
    {{NULL},
     "One instruction a line, for 16 pixels or vertices at once: what the add ALU does; what the mul ALU "
     "does; "
     "a signal. The result stands first, its operands behind it. nop: nothing."},
    {{NULL}, "r0 to r3, ra0 to ra31 and rb0 to rb31 hold values."},
    {{"unif"}, "unif is the next word of what the driver has written for this draw."},
    {{"unif_addr"},
     "Writing unif_addr says where unif goes on, after two more instructions: loops read words again."},
    {{"vary"},
     "vary is the next varying over W: times W, which is in ra15, plus r5 it is the value at the pixel."},
    {{"recip", "rsqrt", "exp,"},
     "Whatever is written to recip, rsqrt, exp or log comes back in r4 after two more instructions, as 1/x, "
     "1/sqrt(x), 2^x or log2(x)."},
    {{"ldtmu"},
     "Writing t0s or t1s asks for a texel, at that and t0t, t1t; ldtmu0 or ldtmu1 waits for it and "
     "puts it into r4, a byte a channel. .p0 and .p1 of a sampler are words that describe its texture."},
    {{"thrsw"},
     "thrsw lets the other thread run, after two more instructions; lthrsw does so for the last time."},
    {{".8", ".16"},
     ".8a to .8d are the four bytes of a register, in which 0 to 1 is 0 to 255; .16a and .16b are "
     "its halves."},
    {{".setf"},
     ".setf keeps whether the result is zero or negative; .zs, .zc, .ns, .nc write only where it was "
     "zero, not zero, negative, not negative."},
    {{"brr", "bra"},
     "brr goes on at a label, after three more instructions, .allz if no pixel has a result but "
     "zero, .anynz if some pixel has, and so on."},
    {{"vpm"},
     "Reading vpm takes the next word of the vertices, writing it passes a result on; vr_setup and "
     "vw_setup say where those are."},
    {{"tlb"},
     "Writing tlbc stores the pixels' colours, tlbz their depth. sbwait waits until earlier triangles "
     "have done so in this place, sbdone lets later ones pass."},
    {{"thrend"}, "thrend ends the program, after two more instructions."},
    {{NULL},
     "Behind #: the line of the source; what the result is there; what unif is. u7 is word 7 of the "
     "uniforms, "
     "e1 a part that several have, n1 a long name: they stand above the code. [Brackets] fix bits that have "
     "no effect."},
};

static bool occurs(const qpucc_explanation *explain, const char *what) {
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        const struct qpucc_explain_stage *stage = qpucc_explanation_stage(explain, (enum qpucc_stage)s);
        for (uint32_t i = 0; stage && i < stage->count; i++)
            if (strstr(stage->instruction[i].text, what))
                return true;
    }
    return false;
}

static void put_legend(const qpucc_explanation *explain, FILE *out) {
    fputs("# How to read this (docs/listings.md has more):\n", out);
    for (size_t i = 0; i < sizeof legends / sizeof *legends; i++) {
        bool needed = !legends[i].occurs[0];
        for (unsigned k = 0; k < 3 && legends[i].occurs[k] && !needed; k++)
            needed = occurs(explain, legends[i].occurs[k]);
        if (needed)
            put_note(out, "-", 0, legends[i].text);
    }
    fputc('\n', out);
}

/* --- preparing ------------------------------------------------------------------------------------------ */

static bool prepare(struct listing *l) {
    const struct qpucc_explain_stage *s = l->s;
    l->target = calloc(s->count + 1, sizeof *l->target);
    l->begun = calloc(s->line_count + 1, sizeof *l->begun);
    l->noted = calloc(s->word_count + 1, sizeof *l->noted);
    l->long_name = calloc((size_t)s->count * SLOTS + 1, sizeof *l->long_name);
    if (!l->target || !l->begun || !l->noted || !l->long_name)
        return false;
    for (size_t i = 0; l->sources && i < l->sources->count; i++)
        if ((l->sources->shown[i].stage == QPUCC_FRAGMENT) == (s->stage == QPUCC_FRAGMENT))
            l->main_file = l->sources->shown[i].name;
    for (uint32_t i = 0; i < s->word_count; i++)
        l->noted[i] = width_of(s->word[i].text) > NAME;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct qpucc_explain_instruction *in = &s->instruction[i];
        if (in->target <= s->count)
            l->target[in->target] = true;
        char text[TEXT];
        code_text(l, i, text);
        unsigned column = INDENT + (unsigned)strlen(text) + 2;
        if (column <= COMMENT && column > l->comment)
            l->comment = column;
        for (unsigned k = 0; k < SLOTS; k++) {
            const char *name = slot_of(in, k)->name;
            if (name && width_of(name) > NAME - 6 && !long_name(l, name))
                l->long_name[l->long_names++] = name;
        }
    }
    return true;
}

static void release(struct listing *l) {
    free(l->target);
    free(l->begun);
    free(l->noted);
    free(l->long_name);
}

/* --- the forms ------------------------------------------------------------------------------------------ */

static void put_title(const struct listing *l) {
    const char *file = l->main_file ? l->main_file : "";
    char title[64];
    snprintf(title, sizeof title, "# %s shader%s", qpucc_stage_name(l->s->stage), *file ? " of " : "");
    title[2] = (char)(title[2] - 'a' + 'A');
    unsigned used = (unsigned)fprintf(l->out, "%s", title);
    explain_put_clipped(l->out, file, strlen(file), LISTING_COLUMNS - used);
    fputc('\n', l->out);
}

/* Code that is too wide for the page is a word, its text above it. */
static unsigned put_code(const struct listing *l, uint32_t at) {
    char text[TEXT];
    code_text(l, at, text);
    if (strlen(text) > LISTING_COLUMNS - INDENT) {
        put_note(l->out, " ", 1, text);
        snprintf(text, sizeof text, ".word 0x%016llx", (unsigned long long)l->s->instruction[at].word);
    }
    return (unsigned)fprintf(l->out, "%*s%s", INDENT, "", text);
}

static void put_annotated(const struct listing *l) {
    put_title(l);
    put_counts(l);
    put_footnotes(l);
    fputs("#\n", l->out);
    for (uint32_t i = 0; i < l->s->count; i++) {
        put_label(l, i);
        put_source(l, i);
        put_remarks(l, i, put_code(l, i));
    }
    put_label(l, l->s->count);
}

static void put_plain(const struct listing *l) {
    put_title(l);
    for (uint32_t i = 0; i < l->s->count; i++) {
        put_label(l, i);
        put_code(l, i);
        fputc('\n', l->out);
    }
    put_label(l, l->s->count);
}

static void put_wide(const struct listing *l) {
    const struct qpucc_explain_stage *s = l->s;
    unsigned last = 0;
    fprintf(l->out, "# %s shader: %u instructions, %u uniforms\n", qpucc_stage_name(s->stage), s->count,
            s->stats->uniforms);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct qpucc_explain_instruction *in = &s->instruction[i];
        const char *source = "";
        char text[TEXT];
        put_label(l, i);
        if (in->line && in->line != last) {
            size_t length = explain_source_line(l->sources, in->file, s->stage, in->line, &source);
            fprintf(l->out, "# %u: ", last = in->line);
            explain_put_clipped(l->out, source, length, 90);
            fputc('\n', l->out);
        }
        code_text(l, i, text);
        fprintf(l->out, in->word_text ? "    %-66s # " : "    %s", text);
        if (in->word_text)
            explain_put_clipped(l->out, in->word_text, strlen(in->word_text), UINT_MAX);
        fputc('\n', l->out);
    }
    put_label(l, s->count);
}

char *listing_write(const qpucc_program *program, const struct cli_sources *sources, enum listing_form form,
                    size_t *size) {
    qpucc_explanation *explain =
        qpucc_explain(program, form == LISTING_ANNOTATED ? 0 : (uint32_t)QPUCC_EXPLAIN_LISTING);
    char *buffer = NULL;
    FILE *out = explain ? open_memstream(&buffer, size) : NULL;
    bool fine = out != NULL;
    if (fine && form == LISTING_ANNOTATED)
        put_legend(explain, out);
    for (int s = 0; fine && s < QPUCC_STAGE_COUNT; s++) {
        struct listing l = {
            .s = qpucc_explanation_stage(explain, (enum qpucc_stage)s), .sources = sources, .out = out};
        if (!l.s)
            continue;
        fputs(s && ftell(out) ? "\n" : "", out);
        fine = prepare(&l);
        if (fine && form == LISTING_ANNOTATED)
            put_annotated(&l);
        else if (fine && form == LISTING_WIDE)
            put_wide(&l);
        else if (fine)
            put_plain(&l);
        release(&l);
    }
    if (out && fclose(out) != 0)
        fine = false;
    qpucc_explain_free(explain);
    if (fine)
        return buffer;
    free(buffer);
    return NULL;
}
