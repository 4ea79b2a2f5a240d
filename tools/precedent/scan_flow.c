/* Patterns of a program's course: its first instructions and its last, branches, loops, thread switches. */
#include "precedent.h"

#include <stdlib.h>

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

size_t scan_target(const struct scan *s, size_t at) {
    const struct word *w = &s->words[at];
    if (w->type != WORD_BRANCH || !w->relative || w->by_register)
        return SIZE_MAX;
    int64_t to = (int64_t)at + 4 + (int32_t)w->immediate / 8;
    return to >= 0 && to < (int64_t)s->count ? (size_t)to : SIZE_MAX;
}

/* Events whose distance from an end matters: what is still under way there. */
static void note_ends(const struct scan *s) {
    const uint64_t units = ~(EVENT(FLAGS) | EVENT(CONDITION) | EVENT(PACK) | EVENT(R4_READ) |
                             EVENT(IMMEDIATE) | EVENT(SWITCH) | EVENT(PIXEL));
    const char *stage = s->program->fragment ? "fragment" : "vertex";
    uint64_t seen = 0;
    for (size_t i = 0; i < s->count; i++) {
        uint64_t fresh = s->words[i].events & units & ~seen;
        for (int e = 0; e < EVENT_COUNT; e++)
            if ((fresh >> e & 1) && i < 4)
                NOTE(s, i, "start %s %s at %zu", stage, event_name[e], i);
        seen |= fresh;
    }
    seen = 0;
    for (size_t k = 0; k < s->count; k++) {
        size_t i = s->count - 1 - k;
        uint64_t fresh = s->words[i].events & units & ~seen;
        for (int e = 0; e < EVENT_COUNT; e++)
            if ((fresh >> e & 1) && k < 7)
                NOTE(s, i, "end %s %s at -%zu", stage, event_name[e], k);
        seen |= fresh;
    }
    /* what the end and its two slots read and write beside the units */
    size_t first = s->count < 3 ? 0 : s->count - 3;
    for (size_t i = first; i < s->count; i++) {
        const struct word *w = &s->words[i];
        for (int k = 0; k < 2; k++) {
            const struct half *h = &w->half[k];
            if (h->busy && h->address != ADDRESS_NONE)
                NOTE(s, i, "end writes %s at -%zu", word_destination(h->address, h->file), s->count - 1 - i);
        }
        for (unsigned mux = 0; mux <= MUX_B; mux++)
            if (w->type == WORD_ALU && word_reads(w, mux))
                NOTE(s, i, "end reads %s at -%zu", word_operand(w, mux), s->count - 1 - i);
    }
}

static void note_branches(const struct scan *s) {
    static const char *const conditions[16] = {"all-zs", "all-zc", "any-zs", "any-zc", "all-ns", "all-nc",
                                               "any-ns", "any-nc", "all-cs", "all-cc", "any-cs", "any-cc",
                                               "?12",    "?13",    "?14",    "always"};
    const uint64_t units =
        ~(EVENT(FLAGS) | EVENT(CONDITION) | EVENT(PACK) | EVENT(R4_READ) | EVENT(IMMEDIATE));
    size_t before = SIZE_MAX;
    for (size_t i = 0; i < s->count; i++) {
        const struct word *w = &s->words[i];
        if (w->type != WORD_BRANCH)
            continue;
        size_t to = scan_target(s, i);
        const char *way = to == SIZE_MAX ? "unknown" : to <= i ? "back" : "forward";
        NOTE(s, i, "branch %s %s%s%s", conditions[w->branch_condition], way, w->relative ? "" : " absolute",
             w->by_register ? " register" : "");
        NOTE(s, i, "branch %s in %s%s", way, s->program->fragment ? "fragment" : "vertex",
             s->threaded ? " threaded" : "");
        for (int k = 0; k < 2; k++)
            if (w->half[k].address != ADDRESS_NONE)
                NOTE(s, i, "branch links");
        if (before != SIZE_MAX)
            NOTE(s, i, "branch after branch %zu", least(i - before, 6));
        before = i;
        if (to == SIZE_MAX)
            continue;
        if (to == i + 4)
            NOTE(s, i, "branch to next");
        /* what a loop holds, what is jumped over */
        uint64_t inside = 0;
        for (size_t k = to <= i ? to : i + 4; k < (to <= i ? least(i + 4, s->count) : to); k++)
            inside |= s->words[k].events & units;
        for (int e = 0; e < EVENT_COUNT; e++)
            if ((inside >> e & 1) && e != EVENT_NUMBER_BRANCH)
                NOTE(s, i, "%s %s%s", to <= i ? "loop" : "skips", event_name[e],
                     s->threaded ? " threaded" : "");
        if (to < s->count)
            for (size_t k = to; k < least(to + 4, s->count); k++)
                if (s->words[k].events & EVENT(UNIF_ADDRESS))
                    NOTE(s, k, "reset after target %zu", k - to);
    }
    size_t reset = SIZE_MAX;
    for (size_t i = 0; i < s->count; i++) {
        const struct word *w = &s->words[i];
        bool takes = word_takes_uniform(w) || (w->events & (EVENT(TMU) | EVENT(TMU_S)));
        if (takes && reset != SIZE_MAX && reset != i)
            NOTE(s, i, "reset then uniform after %zu", least(i - reset, 6)), reset = SIZE_MAX;
        if (w->events & EVENT(UNIF_ADDRESS)) {
            int k = w->half[ALU_ADD].address == 40 ? ALU_ADD : ALU_MUL;
            NOTE(s, i, "reset %s.%s %s,%s", k ? "mul" : "add", word_op(w, k),
                 word_operand(w, w->half[k].mux[0]), word_operand(w, w->half[k].mux[1]));
            reset = i;
        }
    }
}

static void note_switches(const struct scan *s) {
    size_t last = SIZE_MAX, count = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (!(s->words[i].events & (EVENT(SWITCH) | EVENT(LAST_SWITCH))))
            continue;
        if (last != SIZE_MAX)
            NOTE(s, i, "switch after switch %zu", least(i - last, 6));
        last = i, count++;
        size_t load = i + 1;
        while (load < s->count && !(s->words[load].events & EVENT(LOAD)))
            load++;
        if (load < s->count)
            NOTE(s, i, "switch then ldtmu after %zu", least(load - i, 6));
        for (size_t slot = i; slot < least(i + 3, s->count); slot++)
            for (int k = 0; k < 2; k++) {
                const struct half *h = &s->words[slot].half[k];
                if (h->busy && h->address != ADDRESS_NONE)
                    NOTE(s, slot, "switch writes %s at +%zu", word_destination(h->address, h->file),
                         slot - i);
            }
        if (i + 3 < s->count)
            for (unsigned mux = 0; mux <= MUX_B; mux++)
                if (s->words[i + 3].type == WORD_ALU && word_reads(&s->words[i + 3], mux))
                    NOTE(s, i + 3, "switch reads %s at +3", word_operand(&s->words[i + 3], mux));
    }
    if (count)
        NOTE(s, last, "switches %zu", least(count, 9));
}

static void note_size(const struct scan *s) {
    size_t limit = 64;
    while (limit < s->count)
        limit *= 2;
    NOTE(s, s->count, "%s up to %zu instructions%s", s->program->fragment ? "fragment" : "vertex", limit,
         s->threaded ? " threaded" : "");
}

void scan_flow(const struct scan *s) {
    note_ends(s);
    note_branches(s);
    note_switches(s);
    note_size(s);
}

void scan_program(struct table *t, const struct program *program) {
    struct word *words = calloc(program->count ? program->count : 1, sizeof *words);
    bool *target = calloc(program->count + 1, sizeof *target);
    struct scan s = {.table = t, .program = program, .words = words, .target = target};
    if (!words || !target) {
        t->failed = true;
    } else {
        size_t end = SIZE_MAX;
        for (size_t i = 0; i < program->count && (end == SIZE_MAX || i < end + 3); i++, s.count++) {
            word_decode(program->code[i], &words[i]);
            if (end == SIZE_MAX && (words[i].events & EVENT(END)))
                end = i;
            s.threaded |= (words[i].events & (EVENT(SWITCH) | EVENT(LAST_SWITCH))) != 0;
            s.branches |= words[i].type == WORD_BRANCH;
        }
        for (size_t i = 0; i < s.count; i++) {
            size_t to = scan_target(&s, i);
            if (to != SIZE_MAX)
                target[to] = true;
        }
        t->number++;
        t->programs[program->origin]++;
        t->instructions[program->origin] += s.count;
        for (size_t i = 0; i < s.count; i++)
            scan_instruction(&s, i);
        scan_neighbours(&s);
        scan_flow(&s);
        scan_units(&s);
    }
    free(words);
    free(target);
}
