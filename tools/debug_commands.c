/* The debugger's commands. */
#include "debug.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct qpucc_explain_instruction *next_instruction(const struct debugger *d) {
    return d->run && d->at < d->run->count ? &d->stage->instruction[d->run->step[d->at].instruction] : NULL;
}

__attribute__((format(printf, 2, 3))) static void wrong(struct debugger *d, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vfprintf(d->out, format, list);
    va_end(list);
    fputc('\n', d->out);
    d->failed = true;
}

/* --- where it is ---------------------------------------------------------------------------------------- */

static void put_line(struct debugger *d, const char *file, unsigned line, bool mark) {
    const char *text;
    size_t length = explain_source_line(d->sources, file, d->stage->stage, line, &text);
    fprintf(d->out, "%s%4u  %.*s\n", mark ? "=>" : "  ", line, (int)length, length ? text : "");
}

void debug_show(struct debugger *d) {
    const struct qpucc_explain_instruction *in = next_instruction(d);
    if (!d->run) {
        fprintf(d->out, "no primitive covers it\n");
        return;
    }
    if (!in) {
        fprintf(d->out, "step %zu: the end", d->at);
        fprintf(d->out, "%s%s\n",
                d->inspection.failed      ? ": "
                : d->inspection.truncated ? " of what was recorded"
                                          : "",
                d->inspection.failed ? d->error : "");
        return;
    }
    fprintf(d->out, "step %zu, instruction %u: %s\n", d->at, d->run->step[d->at].instruction, in->text);
    if (in->line)
        put_line(d, in->file, in->line, true);
}

/* What the last step wrote. */
static void show_writes(struct debugger *d) {
    const struct inspect_step *step = d->at ? &d->run->step[d->at - 1] : NULL;
    char text[80];
    for (unsigned w = 0; step && w < step->write_count; w++) {
        const struct inspect_write *write = &step->write[w];
        debug_value(write->value, 0, text, sizeof text);
        fprintf(d->out, "  %s = %s%s%s%s\n", write->target, text, write->name ? "  " : "",
                write->name ? write->name : "", write->written ? "" : "  (not written here)");
    }
}

/* --- moving --------------------------------------------------------------------------------------------- */

static bool is_there(const struct debugger *d, const struct debug_stop *stop, size_t at) {
    const struct inspect_run *run = d->run;
    const struct qpucc_explain_instruction *in =
        at < run->count ? &d->stage->instruction[run->step[at].instruction] : NULL;
    const struct qpucc_explain_instruction *before =
        at && at <= run->count ? &d->stage->instruction[run->step[at - 1].instruction] : NULL;
    switch (stop->kind) {
    case STOP_INSTRUCTION: return in && run->step[at].instruction == stop->number;
    case STOP_LINE: {
        bool file = in && (!stop->file[0] || (in->file && !strcmp(in->file, stop->file)));
        bool left = !before || before->line != stop->number; /* a line is entered, not gone through */
        return file && in->line == stop->number && left;
    }
    case STOP_WRITE:
        for (unsigned w = 0; at && w < run->step[at - 1].write_count; w++)
            if (run->step[at - 1].write[w].written && debug_concerns(&run->step[at - 1].write[w], stop->name))
                return true;
        return false;
    case STOP_NONE: break;
    }
    return false;
}

/* The stop that holds at `at`, or -1. */
static int stop_at(const struct debugger *d, size_t at) {
    for (int k = 0; k < DEBUG_MAX_STOPS; k++)
        if (d->stop[k].kind != STOP_NONE && is_there(d, &d->stop[k], at))
            return k;
    return -1;
}

/* One step in a direction; false: it is at the end. */
static bool move(struct debugger *d, bool forward) {
    if (!d->run || (forward ? d->at >= d->run->count : d->at == 0))
        return false;
    d->at += forward ? 1 : (size_t)-1;
    return true;
}

static void told(struct debugger *d, int stop) {
    if (stop >= 0)
        fprintf(d->out, "stop %d\n", stop + 1);
    if (stop >= 0 && d->stop[stop].kind == STOP_WRITE)
        show_writes(d);
    debug_show(d);
}

static void run_on(struct debugger *d, bool forward) {
    int stop = -1;
    while (stop < 0 && move(d, forward))
        stop = stop_at(d, d->at);
    told(d, stop);
}

static void steps(struct debugger *d, const char *rest, bool forward) {
    unsigned long n = *rest ? strtoul(rest, NULL, 10) : 1;
    int stop = -1;
    for (unsigned long k = 0; k < n && stop < 0 && move(d, forward); k++)
        stop = k + 1 < n ? stop_at(d, d->at) : -1;
    if (n == 1 && forward)
        show_writes(d);
    told(d, stop);
}

/* To where another line begins. */
static void lines(struct debugger *d, const char *rest, bool forward) {
    unsigned long n = *rest ? strtoul(rest, NULL, 10) : 1;
    int stop = -1;
    bool moved = true; /* else it is where the program begins or ends */
    for (unsigned long k = 0; k < n && stop < 0 && moved; k++) {
        const struct qpucc_explain_instruction *in = next_instruction(d);
        unsigned line = in ? in->line : 0;
        while (stop < 0 && (moved = move(d, forward))) {
            in = next_instruction(d);
            stop = stop_at(d, d->at);
            if (in && in->line && in->line != line)
                break;
        }
    }
    told(d, stop);
}

static void do_step(struct debugger *d, const char *rest) {
    steps(d, rest, true);
}
static void do_back(struct debugger *d, const char *rest) {
    steps(d, rest, false);
}
static void do_next(struct debugger *d, const char *rest) {
    lines(d, rest, true);
}
static void do_previous(struct debugger *d, const char *rest) {
    lines(d, rest, false);
}
static void do_continue(struct debugger *d, const char *rest) {
    (void)rest;
    run_on(d, true);
}
static void do_reverse(struct debugger *d, const char *rest) {
    (void)rest;
    run_on(d, false);
}
static void do_start(struct debugger *d, const char *rest) {
    (void)rest;
    d->at = 0;
    debug_show(d);
}
static void do_finish(struct debugger *d, const char *rest) {
    (void)rest;
    d->at = d->run ? d->run->count : 0;
    debug_show(d);
}
static void do_goto(struct debugger *d, const char *rest) {
    size_t to = strtoul(rest, NULL, 10);
    if (!isdigit((unsigned char)*rest) || !d->run || to > d->run->count) {
        wrong(d, "goto STEP: 0 to %zu", d->run ? d->run->count : 0);
        return;
    }
    d->at = to;
    debug_show(d);
}

/* --- stops ---------------------------------------------------------------------------------------------- */

static void describe(struct debugger *d, int k) {
    const struct debug_stop *stop = &d->stop[k];
    if (stop->kind == STOP_WRITE)
        fprintf(d->out, "stop %d: writes of %s\n", k + 1, stop->name);
    else if (stop->kind == STOP_LINE)
        fprintf(d->out, "stop %d: line %u%s%s\n", k + 1, stop->number, stop->file[0] ? " of " : "",
                stop->file);
    else
        fprintf(d->out, "stop %d: instruction %u\n", k + 1, stop->number);
}

static void add_stop(struct debugger *d, struct debug_stop stop) {
    for (int k = 0; k < DEBUG_MAX_STOPS; k++)
        if (d->stop[k].kind == STOP_NONE) {
            d->stop[k] = stop;
            describe(d, k);
            return;
        }
    wrong(d, "there are %d stops already", DEBUG_MAX_STOPS);
}

static void do_break(struct debugger *d, const char *rest) {
    struct debug_stop stop = {.kind = *rest == '*' ? STOP_INSTRUCTION : STOP_LINE};
    const char *colon = strrchr(rest, ':'), *digits = *rest == '*' ? rest + 1 : colon ? colon + 1 : rest;
    bool found = false;
    stop.number = (uint32_t)strtoul(digits, NULL, 10);
    if (colon)
        snprintf(stop.file, sizeof stop.file, "%.*s", (int)(colon - rest), rest);
    for (uint32_t i = 0; i < d->stage->count; i++)
        found |=
            stop.kind == STOP_INSTRUCTION ? i == stop.number : d->stage->instruction[i].line == stop.number;
    if (!isdigit((unsigned char)*digits))
        wrong(d, "break LINE, break FILE:LINE or break *INSTRUCTION");
    else if (!found)
        wrong(d, "there is no code for that %s", stop.kind == STOP_LINE ? "line" : "instruction");
    else
        add_stop(d, stop);
}

static void do_watch(struct debugger *d, const char *rest) {
    struct debug_stop stop = {.kind = STOP_WRITE};
    snprintf(stop.name, sizeof stop.name, "%s", rest);
    if (*rest)
        add_stop(d, stop);
    else
        wrong(d, "watch REGISTER or VARIABLE");
}

static void do_delete(struct debugger *d, const char *rest) {
    unsigned long n = strtoul(rest, NULL, 10);
    if (!*rest)
        memset(d->stop, 0, sizeof d->stop);
    else if (n && n <= DEBUG_MAX_STOPS && d->stop[n - 1].kind != STOP_NONE)
        d->stop[n - 1].kind = STOP_NONE;
    else
        wrong(d, "there is no stop %s", rest);
}

/* --- looking -------------------------------------------------------------------------------------------- */

static void do_print(struct debugger *d, const char *rest) {
    char format = 0;
    if (*rest == '/') {
        format = rest[1];
        rest += format ? 2 : 1;
        while (*rest == ' ')
            rest++;
    }
    if (!*rest || (format && !strchr("fdxb", format)))
        wrong(d, "print[/f|/d|/x|/b] REGISTER or VARIABLE");
    else
        debug_print(d, rest, format);
}

static const char *depth_word(unsigned func) { /* enum qpusim_func */
    static const char *const words[] = {"never",     "less than",      "equal to", "at most",
                                        "more than", "different from", "at least", "always"};
    return words[func & 7];
}

/* A pixel's run with its fate, and the colour before and after if it changed that. */
static void put_run(struct debugger *d, size_t i) {
    const struct inspect_run *run = &d->inspection.run[i];
    bool pixel = d->inspection.target.stage == QPUCC_FRAGMENT;
    fprintf(d->out, "%s run %zu: %zu steps, lane %u", run == d->run ? "=>" : "  ", i + 1, run->count,
            run->lane);
    if (pixel && d->scene->instances)
        fprintf(d->out, ", draw %u", run->draw);
    if (pixel)
        fprintf(d->out, ", %s", inspect_fate_name(run->fate));
    if (pixel && run->fate == INSPECT_DEPTH)
        fprintf(d->out, ": %u is not %s %u", run->depth_tested, depth_word(d->scene->raster.depth_func),
                run->depth_before);
    if (pixel && (run->fate == INSPECT_SEEN || run->fate == INSPECT_OVERDRAWN))
        fprintf(d->out, ": %u %u %u %u to %u %u %u %u", run->before[0], run->before[1], run->before[2],
                run->before[3], run->after[0], run->after[1], run->after[2], run->after[3]);
    fputc('\n', d->out);
}

static void do_info(struct debugger *d, const char *rest) {
    size_t length = strlen(rest);
    if (!length) {
        const struct inspect_target *t = &d->inspection.target;
        if (t->stage == QPUCC_FRAGMENT)
            fprintf(d->out, "pixel %u,%u of %ux%u, colour %u %u %u %u\n", t->x, t->y, d->scene->width,
                    d->scene->height, d->inspection.color[0], d->inspection.color[1], d->inspection.color[2],
                    d->inspection.color[3]);
        else
            fprintf(d->out, "vertex %u, %s shader\n", t->vertex, qpucc_stage_name(t->stage));
        for (size_t i = 0; i < d->inspection.count; i++)
            put_run(d, i);
        debug_show(d);
    } else if (!strncmp(rest, "registers", length))
        debug_registers(d);
    else if (!strncmp(rest, "variables", length) || !strncmp(rest, "locals", length))
        debug_variables(d);
    else if (!strncmp(rest, "stops", length) || !strncmp(rest, "breakpoints", length)) {
        unsigned n = 0;
        for (int k = 0; k < DEBUG_MAX_STOPS; k++)
            if (d->stop[k].kind != STOP_NONE)
                describe(d, k), n++;
        if (!n)
            fprintf(d->out, "there are no stops\n");
    } else
        wrong(d, "info [registers|variables|stops]");
}

static void do_where(struct debugger *d, const char *rest) {
    (void)rest;
    do_info(d, "");
}
static void do_regs(struct debugger *d, const char *rest) {
    (void)rest;
    debug_registers(d);
}

static void do_list(struct debugger *d, const char *rest) {
    const struct qpucc_explain_instruction *in = next_instruction(d);
    for (size_t i = d->at; d->run && (!in || !in->line) && i-- > 0;)
        in = &d->stage->instruction[d->run->step[i].instruction];
    unsigned line = *rest ? (unsigned)strtoul(rest, NULL, 10) : in ? in->line : 1;
    const char *file = in ? in->file : NULL, *text;
    for (unsigned k = line > 5 ? line - 5 : 1; k < line + 5; k++)
        if (explain_source_line(d->sources, file, d->stage->stage, k, &text))
            put_line(d, file, k, in && k == in->line);
}

static void do_code(struct debugger *d, const char *rest) {
    uint32_t now = d->run && d->at < d->run->count ? d->run->step[d->at].instruction : 0;
    uint32_t from = *rest ? (uint32_t)strtoul(rest, NULL, 10) : now > 4 ? now - 4 : 0;
    for (uint32_t i = from; i < from + 10 && i < d->stage->count; i++) {
        const struct qpucc_explain_instruction *in = &d->stage->instruction[i];
        fprintf(d->out, "%s%4u  %s", next_instruction(d) && i == now ? "=>" : "  ", i, in->text);
        if (in->word_text)
            fprintf(d->out, "  <- %s", in->word_text);
        fputc('\n', d->out);
    }
}

static void do_backtrace(struct debugger *d, const char *rest) {
    char name[DEBUG_NAME];
    unsigned depth = 4;
    int n = sscanf(rest, "%127s %u", name, &depth);
    if (n < 1)
        wrong(d, "backtrace REGISTER or VARIABLE [DEPTH]");
    else
        debug_backtrace(d, name, depth < 20 ? depth : 20);
}

/* --- other runs ----------------------------------------------------------------------------------------- */

static void do_run(struct debugger *d, const char *rest) {
    size_t n = strtoul(rest, NULL, 10);
    if (!n || n > d->inspection.count) {
        wrong(d, "run N: there are %zu", d->inspection.count);
        return;
    }
    d->run = &d->inspection.run[n - 1];
    d->at = 0;
    debug_show(d);
}

static void again(struct debugger *d, struct inspect_target target) {
    char error[sizeof d->error];
    if (debug_open(d, &target, error, sizeof error))
        debug_show(d);
    else
        wrong(d, "%s", error);
}

static void do_pixel(struct debugger *d, const char *rest) {
    struct inspect_target target = {.stage = QPUCC_FRAGMENT, .most = d->inspection.target.most};
    char end;
    if (sscanf(rest, "%u,%u%c", &target.x, &target.y, &end) != 2)
        wrong(d, "pixel X,Y: from the picture's upper left corner");
    else
        again(d, target);
}

static void do_vertex(struct debugger *d, const char *rest) {
    struct inspect_target target = {.stage = QPUCC_VERTEX, .most = d->inspection.target.most};
    char end;
    if (d->inspection.target.stage == QPUCC_COORDINATE)
        target.stage = QPUCC_COORDINATE;
    if (sscanf(rest, "%u%c", &target.vertex, &end) != 1)
        wrong(d, "vertex INDEX");
    else
        again(d, target);
}

/* --- the table ------------------------------------------------------------------------------------------ */

static void do_help(struct debugger *d, const char *rest);
static void do_quit(struct debugger *d, const char *rest) {
    (void)rest;
    d->quit = true;
}

/* A beginning of a name is enough; of several the first is meant. */
static const struct command {
    const char *name, *arguments, *help;
    void (*run)(struct debugger *d, const char *rest);
} commands[] = {
    {"step", "[N]", "execute instructions", do_step},
    {"next", "[N]", "go to another line of the source", do_next},
    {"print", "[/f|/d|/x|/b] NAME", "a register or variable: as float, integer, bits, bytes", do_print},
    {"previous", "[N]", "go back to another line", do_previous},
    {"break", "LINE|FILE:LINE|*INSTRUCTION", "stop before it", do_break},
    {"back", "[N]", "take them back", do_back},
    {"backtrace", "NAME [DEPTH]", "where a value came from", do_backtrace},
    {"bt", "NAME [DEPTH]", "the same", do_backtrace},
    {"continue", "", "go on to a stop or the end", do_continue},
    {"code", "[INSTRUCTION]", "the instructions", do_code},
    {"reverse", "", "go back to a stop or the start", do_reverse},
    {"run", "N", "another primitive at the same pixel", do_run},
    {"watch", "NAME", "stop after a write of a register or variable", do_watch},
    {"where", "", "which pixel or vertex, which of its runs, and where that is", do_where},
    {"regs", "", "the registers", do_regs},
    {"delete", "[N]", "remove a stop, or all", do_delete},
    {"info", "[registers|variables|stops]", "what is looked at, or what there is", do_info},
    {"list", "[LINE]", "the source", do_list},
    {"goto", "STEP", "any step", do_goto},
    {"start", "", "the first step", do_start},
    {"finish", "", "the end", do_finish},
    {"pixel", "X,Y", "another pixel", do_pixel},
    {"vertex", "INDEX", "a vertex", do_vertex},
    {"help", "", "this list", do_help},
    {"quit", "", "leave", do_quit},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void do_help(struct debugger *d, const char *rest) {
    (void)rest;
    for (int k = 0; k < COMMANDS; k++)
        fprintf(d->out, "%-10s %-28s %s\n", commands[k].name, commands[k].arguments, commands[k].help);
}

void debug_command(struct debugger *d, const char *line) {
    char text[512];
    while (isspace((unsigned char)*line))
        line++;
    if (!*line || *line == '#')
        return;
    snprintf(text, sizeof text, "%s", line);
    size_t length = strlen(text), word = 0;
    while (length && isspace((unsigned char)text[length - 1]))
        text[--length] = 0;
    while (isalpha((unsigned char)text[word]))
        word++;
    const char *rest = text + word;
    while (isspace((unsigned char)*rest))
        rest++;
    for (int k = 0; word && k < COMMANDS; k++)
        if (!strncmp(commands[k].name, text, word)) {
            commands[k].run(d, rest);
            return;
        }
    wrong(d, "no command '%.*s'; help lists them", (int)(word ? word : length), text);
}
