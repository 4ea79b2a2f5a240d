/* Patterns of instructions near one another: what follows what, how long results are waited for, what flags
 * are asked. Everything is taken in the order of the words; flags and results of r4 are forgotten where
 * branches meet. */
#include "precedent.h"

#include <stdio.h>
#include <string.h>

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Is this the last delay slot of a branch that is always taken? */
static bool leaves(const struct scan *s, size_t at) {
    return at >= 3 && s->words[at - 3].type == WORD_BRANCH && s->words[at - 3].branch_condition == 15;
}

static void note_pair(const struct scan *s, size_t at, const char *what, uint64_t first, uint64_t second) {
    for (int a = 0; a < EVENT_COUNT; a++)
        for (int b = 0; b < EVENT_COUNT; b++)
            if ((first >> a & 1) && (second >> b & 1))
                NOTE(s, at, "%s %s %s", what, event_name[a], event_name[b]);
}

/* What the delay slots, and the instructions in which something is not ready yet, hold. */
static void note_next(const struct scan *s) {
    const uint64_t slow = EVENT(SWITCH) | EVENT(LAST_SWITCH) | EVENT(END) | EVENT(BRANCH) |
                          EVENT(UNIF_ADDRESS) | EVENT(SFU) | EVENT(DEPTH) | EVENT(READ_SETUP) |
                          EVENT(WRITE_SETUP) | EVENT(MASK_WRITE);
    for (size_t i = 0; i < s->count; i++) {
        uint64_t events = s->words[i].events;
        if (i + 1 < s->count && !leaves(s, i))
            note_pair(s, i, "next", events, s->words[i + 1].events);
        size_t to = i >= 3 && s->words[i - 3].type == WORD_BRANCH ? scan_target(s, i - 3) : SIZE_MAX;
        if (to != SIZE_MAX)
            note_pair(s, i, "jump", events, s->words[to].events);
        if (i + 2 < s->count)
            note_pair(s, i, "second-after", events & slow, s->words[i + 2].events);
        if (i + 3 < s->count)
            note_pair(s, i, "third-after", events & (EVENT(BRANCH) | EVENT(UNIF_ADDRESS)),
                      s->words[i + 3].events);
    }
}

/* The operation that set the flags, what asks them, and how soon. */
static void note_flags(const struct scan *s) {
    size_t set = SIZE_MAX;
    for (size_t i = 0; i < s->count; i++) {
        const struct word *w = &s->words[i];
        if (s->target[i])
            set = SIZE_MAX;
        const char *by = set == SIZE_MAX ? NULL : word_op(&s->words[set], word_flag_setter(&s->words[set]));
        const char *alu = set == SIZE_MAX || word_flag_setter(&s->words[set]) == ALU_ADD ? "add" : "mul";
        for (int k = 0; k < 2 && by && w->type != WORD_BRANCH; k++)
            if (w->half[k].busy && w->half[k].condition > 1)
                NOTE(s, i, "asks %s.%s %s", alu, by, condition_name[w->half[k].condition]);
        if (by && (w->events & EVENT(CONDITION)))
            NOTE(s, i, "asks after %zu", least(i - set, 3));
        if (by && w->type == WORD_BRANCH && w->branch_condition != 15) {
            NOTE(s, i, "branch asks %s.%s %c", alu, by, "zzzznnnncccc????"[w->branch_condition]);
            NOTE(s, i, "branch after flags %zu", least(i - set, 5));
        }
        if (w->flags)
            set = i;
    }
}

/* r4: from its producers to the reads, and to the next producer. */
static void note_r4(const struct scan *s) {
    const uint64_t producers = EVENT(LOAD) | EVENT(LOADC) | EVENT(SFU);
    size_t made = SIZE_MAX;
    bool read = false;
    for (size_t i = 0; i < s->count; i++) {
        uint64_t events = s->words[i].events;
        if (s->target[i])
            made = SIZE_MAX;
        const char *by = made == SIZE_MAX                       ? NULL
                         : s->words[made].events & EVENT(LOAD)  ? "ldtmu"
                         : s->words[made].events & EVENT(LOADC) ? "loadc"
                                                                : "sfu";
        if (by && (events & EVENT(R4_READ))) {
            if (!read)
                NOTE(s, i, "r4 %s first read after %zu%s", by, least(i - made, 4),
                     s->words[i].unpack && s->words[i].pm ? " unpacked" : "");
            for (int k = 0; k < 2; k++)
                if (word_reads_by(&s->words[i].half[k], MUX_R4))
                    NOTE(s, i, "r4 %s read by %s.%s", by, k ? "mul" : "add", word_op(&s->words[i], k));
            read = true;
        }
        if (events & producers) {
            if (by)
                NOTE(s, i, "r4 %s then %s after %zu%s", by,
                     events & EVENT(LOAD)    ? "ldtmu"
                     : events & EVENT(LOADC) ? "loadc"
                                             : "sfu",
                     least(i - made, 4), read ? "" : " unread");
            made = i, read = false;
        }
    }
}

/* r5: the C coefficient of a varying, and values that programs write. */
static void note_r5(const struct scan *s) {
    size_t made = SIZE_MAX;
    const char *by = "?";
    for (size_t i = 0; i < s->count; i++) {
        const struct word *w = &s->words[i];
        if (s->target[i])
            made = SIZE_MAX;
        if (made != SIZE_MAX && word_reads(w, MUX_R5))
            NOTE(s, i, "r5 %s read after %zu", by, least(i - made, 4));
        for (int k = 0; k < 2; k++)
            if (word_reads_by(&w->half[k], MUX_R5))
                NOTE(s, i, "r5 read by %s.%s", k ? "mul" : "add", word_op(w, k));
        if (w->events & (EVENT(VARY) | EVENT(R5_WRITE)))
            made = i, by = w->events & EVENT(VARY) ? "vary" : "written";
    }
}

/* Registers of the files and accumulators, 0 to 31 of A, of B, and r0 to r3. */
enum { PLACES = 68 };

static int place_of_write(const struct half *h) {
    if (!h->busy || h->address > 35)
        return -1;
    return h->address >= 32 ? 64 + (int)h->address - 32 : (h->file == 'a' ? 0 : 32) + (int)h->address;
}

static const char *file_of(int place) {
    return place < 32 ? "a" : place < 64 ? "b" : "acc";
}

/* A write of a part: of some lanes, or of a byte or a half. */
static const char *share_of(const struct word *w, int alu) {
    const struct half *h = &w->half[alu];
    bool packs = w->type == WORD_ALU && w->pack % 8 && w->pack % 8 != 3 &&
                 (w->pm ? alu == ALU_MUL : h->file == 'a' && h->address < 32);
    return packs               ? (h->condition == 1 ? "pack" : "conditional-pack")
           : h->condition == 1 ? "whole"
                               : "conditional";
}

/* Writes that follow one another in the same place within two instructions, and what rotations wait for. */
static void note_places(const struct scan *s) {
    size_t written[PLACES];
    const char *how[PLACES];
    for (int p = 0; p < PLACES; p++)
        written[p] = SIZE_MAX, how[p] = "?";
    for (size_t i = 0; i < s->count; i++) {
        const struct word *w = &s->words[i];
        if (w->events & EVENT(ROTATE))
            for (int k = 0; k < 2; k++) {
                unsigned mux = w->half[ALU_MUL].mux[k];
                if (mux < 4 && written[64 + mux] != SIZE_MAX)
                    NOTE(s, i, "rotate after write %zu", least(i - written[64 + mux], 4));
            }
        for (int k = 0; k < 2; k++) {
            int place = place_of_write(&w->half[k]);
            if (place < 0)
                continue;
            if (written[place] != SIZE_MAX && written[place] != i && i - written[place] <= 2)
                NOTE(s, i, "rewrite %s %s then %s after %zu", file_of(place), how[place], share_of(w, k),
                     i - written[place]);
        }
        for (int k = 0; k < 2; k++) {
            int place = place_of_write(&w->half[k]);
            if (place >= 0)
                written[place] = i, how[place] = share_of(w, k);
        }
    }
}

void scan_neighbours(const struct scan *s) {
    note_next(s);
    note_flags(s);
    note_r4(s);
    note_r5(s);
    note_places(s);
}
