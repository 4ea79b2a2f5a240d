/* Patterns of what a program asks of the units around the processor: texture requests and their results, the
 * VPM's set-ups and accesses, the order of tile accesses. */
#include "precedent.h"

#include <stdio.h>
#include <string.h>

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Coordinates of one unit that are written and not yet submitted. */
struct request {
    char order[16];
    size_t length, first, pending;
    size_t submitted[16], submits, loads; /* when each was, as a ring */
};

static void note_textures(const struct scan *s) {
    static const char letter[4] = {'s', 't', 'r', 'b'};
    struct request unit[2] = {0};
    int queue[64]; /* units in the order of their requests */
    size_t asked = 0, taken = 0;
    bool fixed = false; /* the units' names do not swap with the processor's number */
    const char *threads = s->threaded ? " threaded" : "";
    for (size_t i = 0; i < s->count; i++) {
        const struct word *w = &s->words[i];
        if (w->events & EVENT(LOAD)) {
            int u = w->signal == 11;
            struct request *r = &unit[u];
            if (r->loads < r->submits) {
                size_t wait = i - r->submitted[r->loads % 16];
                NOTE(s, i, "texture waits %s%s",
                     wait < 3   ? "below 3"
                     : wait < 9 ? "below 9"
                                : "9 and more",
                     threads);
                r->loads++;
            }
            if (r->pending)
                r->pending--;
            else
                NOTE(s, i, "texture result again"); /* a second load of 64 bits, or a loop's */
            if (taken < asked)
                NOTE(s, i, "texture result %s",
                     queue[taken % 64] == u ? "in order of requests" : "out of order");
            taken++;
            if (unit[!u].length || r->length)
                NOTE(s, i, "texture load between coordinates%s", r->length ? " of its unit" : "");
        }
        for (int k = 0; k < 2; k++) {
            const struct half *h = &w->half[k];
            fixed |= h->busy && h->address == ADDRESS_NOSWAP;
            if (!h->busy || !word_is_tmu(h->address))
                continue;
            int u = h->address >= 60;
            struct request *r = &unit[u];
            if (r->length == 0)
                r->first = i;
            if (r->length < sizeof r->order - 1)
                r->order[r->length++] = letter[h->address % 4];
            if (unit[!u].length)
                NOTE(s, i, "texture coordinates interleaved");
            if (h->address % 4)
                continue;
            r->order[r->length] = 0;
            if (r->length > 1) {
                NOTE(s, i, "texture order %s", r->order);
                NOTE(s, i, "texture coordinates over %s", i - r->first < 8 ? "below 8" : "8 and more");
            } else {
                bool memory = word_takes_uniform(w);
                NOTE(s, i, "texture %s", memory ? "direct" : "s alone");
            }
            r->length = 0;
            r->submitted[r->submits++ % 16] = i;
            r->pending++;
            queue[asked++ % 64] = u;
            NOTE(s, i, "texture pending %zu of a unit, %zu of the other%s", least(r->pending, 9),
                 least(unit[!u].pending, 9), threads);
        }
        if (w->signal == 3 || w->signal == 9)
            NOTE(s, i, "end with %zu results pending%s", unit[0].pending + unit[1].pending, threads);
    }
    if (asked)
        NOTE(s, s->count, "%s texture unit%s%s%s", s->program->fragment ? "fragment" : "vertex",
             unit[0].submits && unit[1].submits ? "s 0 and 1"
             : unit[1].submits                  ? " 1"
                                                : " 0",
             fixed ? " without swap" : "", threads);
}

/* The value that an instruction writes to a set-up register, if the words say it. */
static bool value_written(const struct scan *s, size_t at, int k, const size_t position, uint32_t *value,
                          const char **from) {
    const struct word *w = &s->words[at];
    const struct program *p = s->program;
    *from = "computed";
    if (w->type == WORD_IMMEDIATE && w->kind == 0) {
        *from = "ldi", *value = w->immediate;
        return true;
    }
    if (w->type != WORD_ALU || !w->half[k].move)
        return false;
    unsigned mux = w->half[k].mux[0];
    if (mux == MUX_B && w->signal == SIGNAL_SMALL && w->read_b < 16) {
        *from = "small", *value = w->read_b;
        return true;
    }
    if (strcmp(word_operand(w, mux), "unif") != 0)
        return false;
    *from = "unif", *value = 0;
    if (position >= p->uniform_count || !p->known[position])
        return false;
    *value = p->uniforms[position];
    return true;
}

/* Set-ups by their fields (guide section 7, tables 32 and 33), and how accesses follow them. */
static void note_vpm(const struct scan *s) {
    size_t read_setup = SIZE_MAX, write_setup = SIZE_MAX, reads = 0, writes = 0, position = 0, promised = 0;
    size_t read_setups = 0, write_setups = 0, all_reads = 0, all_writes = 0;
    bool straight = true, known_reads = false;
    for (size_t i = 0; i < s->count; i++) {
        const struct word *w = &s->words[i];
        straight &= w->type != WORD_BRANCH;
        if (w->events & EVENT(VPM_READ)) {
            if (reads == 0 && read_setup != SIZE_MAX)
                NOTE(s, i, "vpm read after set-up %zu", least(i - read_setup, 6));
            if (all_writes)
                NOTE(s, i, "vpm read after writes began");
            reads++, all_reads++;
        }
        if (w->events & EVENT(VPM_WRITE)) {
            if (writes == 0 && write_setup != SIZE_MAX)
                NOTE(s, i, "vpm write after set-up %zu", least(i - write_setup, 6));
            if (known_reads && reads < promised)
                NOTE(s, i, "vpm write with reads left");
            writes++, all_writes++;
        }
        for (int k = 0; k < 2; k++) {
            const struct half *h = &w->half[k];
            if (!h->busy || h->address != ADDRESS_SETUP)
                continue;
            uint32_t v = 0;
            const char *from;
            bool known = value_written(s, i, k, straight ? position : SIZE_MAX, &v, &from);
            const char *name = h->file == 'a' ? "vr_setup" : "vw_setup";
            NOTE(s, i, "%s from %s", name, from);
            if (known)
                NOTE(s, i, "%s stride %u, %s, %s, size %u, %s", name, v >> 12 & 63,
                     v & 0x800 ? "horizontal" : "vertical", v & 0x400 ? "laned" : "packed", v >> 8 & 3,
                     v & 255 ? "elsewhere" : "at 0");
            if (h->file == 'a') {
                unsigned number = v >> 20 & 15;
                if (known)
                    NOTE(s, i, "vr_setup of %u", number ? number : 16);
                if (read_setup != SIZE_MAX && known_reads)
                    NOTE(s, i, "vr_setup again with %zu left", promised > reads ? promised - reads : 0);
                read_setup = i, reads = 0, promised = number ? number : 16, known_reads = known;
                read_setups++;
            } else {
                if (writes)
                    NOTE(s, i, "vw_setup after writes");
                if (read_setup != SIZE_MAX)
                    NOTE(s, i, "vw_setup %s", reads ? "after reads" : "before reads");
                write_setup = i, writes = 0, write_setups++;
            }
        }
        if (word_takes_uniform(w))
            position++;
        if (w->events & (EVENT(TMU) | EVENT(TMU_S)) && !word_takes_uniform(w))
            position++;
    }
    if (read_setups)
        NOTE(s, s->count, "vr_setups %zu", least(read_setups, 5));
    if (write_setups)
        NOTE(s, s->count, "vw_setups %zu", least(write_setups, 5));
    if (all_reads)
        NOTE(s, s->count, "vpm reads up to %d", all_reads <= 16 ? 16 : all_reads <= 32 ? 32 : 48);
}

/* Tile accesses in their order, equal ones once; the scoreboard around them. */
static void note_tile(const struct scan *s) {
    const uint64_t accesses = EVENT(LOADC) | EVENT(COLOUR) | EVENT(COLOUR_MS) | EVENT(DEPTH) | EVENT(STENCIL);
    char sequence[120] = "";
    uint64_t last = 0;
    size_t last_at = SIZE_MAX, wait = SIZE_MAX, unlock = SIZE_MAX;
    for (size_t i = 0; i < s->count; i++) {
        uint64_t events = s->words[i].events;
        if (events & EVENT(WAIT)) {
            if (last_at != SIZE_MAX)
                NOTE(s, i, "sbwait after a tile access");
            wait = i;
        }
        if (events & EVENT(UNLOCK)) {
            if (events & accesses)
                NOTE(s, i, "sbdone at a tile access");
            else
                NOTE(s, i, "sbdone after tile access %zu", last_at == SIZE_MAX ? 99 : least(i - last_at, 4));
            unlock = i;
        }
        if (!(events & accesses))
            continue;
        if (unlock != SIZE_MAX && unlock < i)
            NOTE(s, i, "tile access after sbdone");
        if (last_at == SIZE_MAX)
            NOTE(s, i, "tile first %s %s",
                 wait == SIZE_MAX ? "waits by"
                 : wait == i      ? "at sbwait"
                                  : "after sbwait",
                 events & EVENT(LOADC)     ? "loadc"
                 : events & EVENT(DEPTH)   ? "tlbz"
                 : events & EVENT(STENCIL) ? "stencil"
                                           : "colour");
        if (last_at != SIZE_MAX)
            NOTE(s, i, "tile access after tile access %zu", least(i - last_at, 3));
        for (int e = 0; e < EVENT_COUNT; e++)
            if ((events & accesses) >> e & 1) {
                size_t used = strlen(sequence);
                if (last != EVENT_COUNT && last == (uint64_t)1 << e)
                    continue;
                snprintf(sequence + used, sizeof sequence - used, "%s%s", used ? "," : "", event_name[e]);
                last = (uint64_t)1 << e;
            }
        last_at = i;
    }
    if (*sequence)
        NOTE(s, last_at, "tile order %s", sequence);
    if (*sequence && unlock == SIZE_MAX)
        NOTE(s, last_at, "tile without sbdone");
}

void scan_units(const struct scan *s) {
    note_textures(s);
    note_vpm(s);
    note_tile(s);
}
