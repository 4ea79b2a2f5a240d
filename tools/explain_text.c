/* The report of qpucc explain: what the code costs, what bounds it, what its idle slots wait for, which lines
 * of the source it belongs to. */
#include "explain_text.h"
#include "advice.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The chip at its usual clock and the number of its QPUs on a Raspberry Pi 1 to 3; four clocks an
 * instruction. */
enum { CLOCK_MHZ = 250, QPU_COUNT = 12, FRAME_WIDTH = 1280, FRAME_HEIGHT = 720 };

struct explain_style explain_style_of(FILE *out, int color) {
    struct explain_style style = {.width = 100};
    struct winsize size;
    const char *no = getenv("NO_COLOR"), *columns = getenv("COLUMNS");
    bool terminal = isatty(fileno(out));
    if (terminal && !ioctl(fileno(out), TIOCGWINSZ, &size) && size.ws_col)
        style.width = size.ws_col;
    if (columns && atoi(columns) > 0)
        style.width = (unsigned)atoi(columns);
    if (style.width < 60)
        style.width = 60;
    style.color = color > 0 || (color < 0 && terminal && !(no && *no));
    return style;
}

/* --- pieces --------------------------------------------------------------------------------------------- */

struct report {
    const struct qpucc_explain_stage *s;
    const struct cli_sources *sources;
    const struct explain_style *style;
    FILE *out;
};

enum shade { PLAIN, BOLD, DIM, HOT };

static const char *shade(const struct report *r, enum shade shade) {
    static const char *const codes[] = {"\033[0m", "\033[1m", "\033[2m", "\033[33m"};
    return r->style->color ? codes[shade] : "";
}

static void head(const struct report *r, const char *text) {
    fprintf(r->out, "  %s%-15s%s ", shade(r, BOLD), text, shade(r, PLAIN));
}

static const char *plural(unsigned long n) {
    return n == 1 ? "" : "s";
}

size_t explain_source_line(const struct cli_sources *sources, const char *file, enum qpucc_stage stage,
                           unsigned line, const char **text) {
    const struct qpucc_source *found = NULL;
    for (size_t i = 0; sources && i < sources->count; i++) {
        const struct qpucc_source *s = &sources->shown[i];
        bool own = (s->stage == QPUCC_FRAGMENT) == (stage == QPUCC_FRAGMENT);
        if (s->language == QPUCC_GLSL && (file ? s->name && !strcmp(s->name, file) : own))
            found = s;
    }
    if (!found || !line)
        return 0;
    const char *at;
    size_t length = cli_source_line(found->data, found->size, line, &at);
    const char *stop = at + length;
    while (at < stop && isspace((unsigned char)*at))
        at++;
    while (stop > at && isspace((unsigned char)stop[-1]))
        stop--;
    *text = at;
    return (size_t)(stop - at);
}

/* What fits of a text in `columns` columns; bytes that continue a character of UTF-8 take none. */
void explain_put_clipped(FILE *out, const char *text, size_t length, unsigned columns) {
    size_t end = 0;
    for (unsigned used = 0; end < length; end++) {
        bool begins = ((unsigned char)text[end] & 0xc0) != 0x80;
        if (begins && used++ == columns)
            break;
    }
    for (size_t i = 0; i < end; i++)
        fputc((unsigned char)text[i] < 32 ? ' ' : text[i], out);
}

static void put_bar(const struct report *r, double part, unsigned columns) {
    unsigned full = (unsigned)(part * columns + 0.5);
    for (unsigned i = 0; i < columns; i++)
        fputs(i < full ? "#" : ".", r->out);
}

/* --- sections ------------------------------------------------------------------------------------------- */

static void put_title(const struct report *r) {
    const struct qpucc_explain_stage *s = r->s;
    fprintf(r->out, "%s%s shader%s: %u instruction%s, %u cycle%s a batch of 16%s", shade(r, BOLD),
            qpucc_stage_name(s->stage), shade(r, PLAIN), s->count, plural(s->count), s->cycles,
            plural(s->cycles), s->loops ? " with one iteration of each loop" : "");
    if (s->stage == QPUCC_FRAGMENT && !s->loops)
        fprintf(r->out, "; %dx%d at %d MHz on %d QPUs: %.1f ms", FRAME_WIDTH, FRAME_HEIGHT, CLOCK_MHZ,
                QPU_COUNT,
                (double)FRAME_WIDTH * FRAME_HEIGHT / 16 * s->cycles * 4 / (CLOCK_MHZ * 1e3 * QPU_COUNT));
    fputs("\n", r->out);
}

static void put_units(const struct report *r) {
    const struct qpucc_explain_stage *s = r->s;
    const char *name = "cycles by unit";
    for (unsigned u = 0; u < QPUCC_RESOURCE_COUNT; u++) {
        const char *unit = qpucc_resource_name((enum qpucc_resource)u);
        bool bound = !strcmp(unit, s->bound_by);
        if (!s->used[u])
            continue;
        head(r, name);
        name = "";
        fprintf(r->out, "%-8s ", unit);
        put_bar(r, (double)s->used[u] / s->count, 24);
        fprintf(r->out, " %4u %3.0f %%%s%s%s\n", s->used[u], 100.0 * s->used[u] / s->count, shade(r, HOT),
                bound ? "  bound" : "", shade(r, PLAIN));
    }
}

unsigned explain_bound_text(const struct qpucc_explain_stage *s, char *out, size_t size) {
    static const char *const units[QPUCC_RESOURCE_COUNT] = {
        [QPUCC_RESOURCE_ADD] = "the add ALU",
        [QPUCC_RESOURCE_MUL] = "the mul ALU",
        [QPUCC_RESOURCE_READ_A] = "reads of register file A",
        [QPUCC_RESOURCE_READ_B] = "reads of register file B",
        [QPUCC_RESOURCE_UNIFORM] = "the uniform stream",
        [QPUCC_RESOURCE_VARYING] = "the interpolator of varyings",
        [QPUCC_RESOURCE_SFU] = "the special function unit",
        [QPUCC_RESOURCE_TMU] = "the texture units",
        [QPUCC_RESOURCE_VPM] = "vertex data (VPM)",
        [QPUCC_RESOURCE_TLB] = "the tile buffer",
        [QPUCC_RESOURCE_SIGNAL] = "signals",
    };
    if (!strcmp(s->bound_by, "dependencies")) {
        snprintf(out, size, "a chain of operations that need each other's results, %u instructions long",
                 s->dependency_bound);
        return s->dependency_bound;
    }
    for (unsigned u = 0; u < QPUCC_RESOURCE_COUNT; u++) {
        bool many = u == QPUCC_RESOURCE_READ_A || u == QPUCC_RESOURCE_READ_B || u == QPUCC_RESOURCE_TMU ||
                    u == QPUCC_RESOURCE_SIGNAL;
        if (strcmp(s->bound_by, qpucc_resource_name((enum qpucc_resource)u)))
            continue;
        snprintf(out, size, "%s, which %s needed for %u instructions", units[u], many ? "are" : "is",
                 s->unit_bound[u]);
        return s->unit_bound[u];
    }
    snprintf(out, size, "the two ALUs, whose work takes %u instructions", s->alu_bound);
    return s->alu_bound;
}

static void put_bounds(const struct report *r) {
    const struct qpucc_explain_stage *s = r->s;
    char text[160] = "";
    explain_bound_text(s, text, sizeof text);
    head(r, "bound by");
    fprintf(r->out, "%s\n", text);
    head(r, "lower bound");
    fprintf(r->out, "%u instructions; ", s->lower_bound);
    if (s->gap)
        fprintf(r->out, "the code has %u more\n", s->gap);
    else
        fprintf(r->out, "the code has no more\n");
}

static void put_registers(const struct report *r) {
    const struct qpucc_stage_stats *stats = r->s->stats;
    const struct qpucc_explain_instruction *peak = &r->s->instruction[r->s->peak_at];
    head(r, "registers");
    if (stats)
        fprintf(r->out, "%u of file A, %u of B (%u each), %u accumulators; ", stats->regs_a, stats->regs_b,
                stats->threads > 1 ? 16 : 32, stats->accumulators);
    fprintf(r->out, "at most %u live, after instruction %u", r->s->peak, r->s->peak_at);
    if (peak->line)
        fprintf(r->out, " (line %u)", peak->line);
    fputc('\n', r->out);
}

static void put_counts(const struct report *r) {
    const struct qpucc_explain_stage *s = r->s;
    head(r, "threads");
    fprintf(r->out, "%u", s->stats ? s->stats->threads : 1);
    if (s->thread_switches)
        fprintf(r->out, ", %u switch%s", s->thread_switches, s->thread_switches == 1 ? "" : "es");
    fputc('\n', r->out);
    head(r, "fetches");
    if (s->stats)
        fprintf(r->out, "%u texture request%s, %u special function%s, %u uniform word%s\n", s->stats->tmu,
                plural(s->stats->tmu), s->stats->sfu, plural(s->stats->sfu), s->stats->uniforms,
                plural(s->stats->uniforms));
    if (s->stalls) {
        head(r, "stalls");
        fprintf(r->out, "%u cycle%s:", s->stalls, plural(s->stalls));
        unsigned shown = 0, total = 0;
        for (uint32_t i = 0; i < s->count; i++) {
            const struct qpucc_explain_instruction *in = &s->instruction[i];
            if (!in->stall)
                continue;
            if (total++ < 4)
                fprintf(r->out, "%s %u at instruction %u for %s of %u", shown++ ? "," : "", in->stall, i,
                        in->stall_cause == QPUCC_STALL_TMU ? "the texels" : "the vertex data", in->stall_for);
        }
        fprintf(r->out, "%s\n", total > shown ? ", ..." : "");
    }
}

/* Reasons by number of slots, the first instruction of each as an example. */
static void put_idle(const struct report *r, bool mul) {
    const struct qpucc_explain_stage *s = r->s;
    unsigned left[QPUCC_IDLE_COUNT], total = 0;
    memcpy(left, mul ? s->idle_mul : s->idle_add, sizeof left);
    for (unsigned k = QPUCC_IDLE_NONE + 1; k < QPUCC_IDLE_COUNT; k++)
        total += left[k];
    head(r, mul ? "" : "idle slots");
    fprintf(r->out, "%s ALU: %u of %u\n", mul ? "mul" : "add", total, s->count);
    for (;;) {
        unsigned most = QPUCC_IDLE_NONE;
        for (unsigned k = QPUCC_IDLE_NONE + 1; k < QPUCC_IDLE_COUNT; k++)
            if (left[k] && (most == QPUCC_IDLE_NONE || left[k] > left[most]))
                most = k;
        if (most == QPUCC_IDLE_NONE)
            return;
        const char *text;
        qpucc_idle_name((enum qpucc_idle)most, &text);
        head(r, "");
        fprintf(r->out, "%5u %s", left[most], text);
        for (uint32_t i = 0; i < s->count; i++) {
            const struct qpucc_explain_slot *slot = mul ? &s->instruction[i].mul : &s->instruction[i].add;
            if (slot->idle != (enum qpucc_idle)most || slot->waits_for == UINT32_MAX)
                continue;
            fprintf(r->out, "%s (%u: %u", shade(r, DIM), i, slot->waits_for);
            if (slot->because_of != UINT32_MAX && slot->because_of != i)
                fprintf(r->out, " for %u", slot->because_of);
            fprintf(r->out, ")%s", shade(r, PLAIN));
            break;
        }
        fputc('\n', r->out);
        left[most] = 0;
    }
}

static void put_path(const struct report *r) {
    const struct qpucc_explain_block *block = &r->s->block[r->s->longest_block];
    unsigned column = 18;
    head(r, "longest path");
    if (r->s->block_count > 1)
        column += (unsigned)fprintf(r->out, "block %u: ", r->s->longest_block);
    column += (unsigned)fprintf(r->out, "%u instructions:", block->dependency_bound);
    for (uint32_t k = 0; k < block->path_count; k++) {
        if (column + 7 > r->style->width) {
            fprintf(r->out, "\n%18s", "");
            column = 18;
        }
        column += (unsigned)fprintf(r->out, " %u", block->path[k]);
    }
    fputc('\n', r->out);
}

static void put_lines(const struct report *r) {
    const struct qpucc_explain_stage *s = r->s;
    if (!s->line_count || (s->line_count == 1 && !s->line[0].line))
        return;
    fprintf(r->out, "  %s%-7s %12s %10s %6s %5s%s\n", shade(r, BOLD), "share", "instructions", "operations",
            "stalls", "line", shade(r, PLAIN));
    for (uint32_t k = 0; k < s->line_count; k++) {
        const struct qpucc_explain_line *line = &s->line[k];
        const char *text;
        fprintf(r->out, "  %5.1f %% %12u %10u %6u ", 100 * line->weight, line->instructions, line->operations,
                line->stalls);
        if (!line->line) {
            fprintf(r->out, "%5s  %s(the compiler's own)%s\n", "-", shade(r, DIM), shade(r, PLAIN));
            continue;
        }
        size_t length = explain_source_line(r->sources, line->file, s->stage, line->line, &text);
        fprintf(r->out, "%5u  ", line->line);
        if (length)
            explain_put_clipped(r->out, text, length, r->style->width - 47);
        else if (line->file)
            fprintf(r->out, "%s", line->file);
        fputc('\n', r->out);
    }
}

/* What became of loops and branches. */
static void put_decisions(const struct report *r, const qpucc_explanation *explain) {
    size_t count = qpucc_explain_decision_count(explain, r->s->stage);
    for (size_t i = 0; i < count; i++) {
        const struct qpucc_explain_decision *d = qpucc_explanation_decision(explain, r->s->stage, i);
        head(r, i ? "" : "control flow");
        if (d->line)
            fprintf(r->out, "line %u, ", d->line);
        fprintf(r->out, "%s: %s", d->loop ? "loop" : "branch", d->text);
        if (d->copies > 1)
            fprintf(r->out, "%s (%u copies)%s", shade(r, DIM), d->copies, shade(r, PLAIN));
        fputc('\n', r->out);
    }
}

/* Why no schedule helps, or where one might. */
static void put_reasons(const struct report *r) {
    const struct qpucc_explain_stage *s = r->s;
    unsigned most = QPUCC_IDLE_NONE, slots = 0;
    for (unsigned k = QPUCC_IDLE_NONE + 1; k < QPUCC_IDLE_COUNT; k++) {
        unsigned n = s->idle_add[k] + s->idle_mul[k];
        if (k != QPUCC_IDLE_TAIL && k != QPUCC_IDLE_CHOICE && k != QPUCC_IDLE_OTHER_ALU && n > slots)
            most = k, slots = n;
    }
    head(r, "not faster");
    if (!s->gap && !s->stalls) {
        fputs("because no order of these operations is shorter: only fewer operations are\n", r->out);
        return;
    }
    if (s->stalls * 4 > s->cycles)
        fprintf(r->out, "because it waits %u of %u cycles for %s", s->stalls, s->cycles,
                s->used[QPUCC_RESOURCE_TMU] ? "texels" : "vertex data");
    else if (s->gap * 10 <= s->count)
        fprintf(r->out, "because of what bounds it: within %u of the least", s->gap);
    else if (most != QPUCC_IDLE_NONE) {
        const char *text;
        qpucc_idle_name((enum qpucc_idle)most, &text);
        fprintf(r->out, "most of all because in %u slots %s", slots, text);
    } else
        fprintf(r->out, "for want of operations that could fill its idle slots");
    fputc('\n', r->out);
}

/* --- instructions --------------------------------------------------------------------------------------- */

static void put_slot(const struct report *r, const struct qpucc_explain_slot *slot, unsigned columns) {
    char text[160];
    if (slot->text)
        snprintf(text, sizeof text, "%s", slot->text);
    else
        snprintf(text, sizeof text, "(%s)", qpucc_idle_name(slot->idle, NULL));
    fprintf(r->out, "%s%-*s%s ", slot->text ? "" : shade(r, DIM), (int)columns, text,
            slot->text ? "" : shade(r, PLAIN));
}

static void put_code(const struct report *r) {
    const struct qpucc_explain_stage *s = r->s;
    unsigned last = 0, add = 3, mul = 3;
    const char *last_file = NULL;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct qpucc_explain_instruction *in = &s->instruction[i];
        unsigned a = in->add.text ? (unsigned)strlen(in->add.text) : 12,
                 m = in->mul.text ? (unsigned)strlen(in->mul.text) : 12;
        add = a > add ? a : add;
        mul = m > mul ? m : mul;
    }
    add = add > 36 ? 36 : add;
    mul = mul > 36 ? 36 : mul;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct qpucc_explain_instruction *in = &s->instruction[i];
        const struct qpucc_explain_block *block = &s->block[in->block];
        const char *text;
        if (block->first == i && s->block_count > 1) {
            fprintf(r->out, "%sblock %u%s", shade(r, BOLD), in->block, shade(r, PLAIN));
            for (unsigned e = 0; e < 2; e++)
                if (block->edge[e] != UINT32_MAX)
                    fprintf(r->out, " -> %u", block->edge[e]);
            fprintf(r->out, "%s\n", block->loop_header ? "  (loop)" : "");
        }
        if (in->line && (in->line != last || in->file != last_file)) {
            size_t length = explain_source_line(r->sources, in->file, s->stage, in->line, &text);
            fprintf(r->out, "%s# %u: ", shade(r, DIM), in->line);
            explain_put_clipped(r->out, text, length, r->style->width - 10);
            fprintf(r->out, "%s\n", shade(r, PLAIN));
            last = in->line;
            last_file = in->file;
        }
        fprintf(r->out, "%c%4u ", in->on_longest_path ? '*' : ' ', i);
        put_slot(r, &in->add, add);
        put_slot(r, &in->mul, mul);
        fprintf(r->out, "%-7s %2u", in->signal.text ? in->signal.text : "", in->pressure);
        if (in->stall)
            fprintf(r->out, "%s +%u%s", shade(r, HOT), in->stall, shade(r, PLAIN));
        const char *names[] = {in->add.name, in->mul.name, in->signal.name};
        const char *before = "  ";
        for (unsigned k = 0; k < 3; k++)
            if (names[k] && (!k || names[k] != names[k - 1])) {
                fprintf(r->out, "%s%s", before, names[k]);
                before = ", ";
            }
        if (in->word_index < s->word_count)
            fprintf(r->out, "%s  <- %s%s", shade(r, DIM), s->word[in->word_index].text, shade(r, PLAIN));
        fputc('\n', r->out);
    }
    for (uint32_t i = 0; i < s->shared_count; i++)
        fprintf(r->out, "%s      %s = %s%s\n", shade(r, DIM), s->shared[i].name, s->shared[i].text,
                shade(r, PLAIN));
}

static void put_passes(const struct report *r, const qpucc_explanation *explain) {
    for (size_t i = 0; i < qpucc_explain_pass_count(explain, r->s->stage); i++) {
        const struct qpucc_explain_pass *pass = qpucc_explanation_pass(explain, r->s->stage, i);
        fprintf(r->out, "\n%s%s shader after %s%s\n%s", shade(r, BOLD), qpucc_stage_name(r->s->stage),
                pass->name, shade(r, PLAIN), pass->text);
    }
}

void explain_print(const qpucc_explanation *explain, enum qpucc_stage stage, const struct advice *advice,
                   const struct cli_sources *sources, const struct explain_style *style, FILE *out) {
    struct report r = {qpucc_explanation_stage(explain, stage), sources, style, out};
    if (!r.s)
        return;
    put_title(&r);
    advice_print(advice, stage, sources, style->width, out);
    put_units(&r);
    put_bounds(&r);
    put_registers(&r);
    put_counts(&r);
    put_idle(&r, false);
    put_idle(&r, true);
    put_path(&r);
    put_reasons(&r);
    put_decisions(&r, explain);
    put_lines(&r);
    if (style->code) {
        fputc('\n', out);
        put_code(&r);
    }
    if (style->passes)
        put_passes(&r, explain);
}
