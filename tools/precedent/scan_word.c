/* Patterns of one instruction: pairs of operations, signals and peripherals side by side, packs, conditions,
 * flags, immediates, rotations, ports. */
#include "precedent.h"

#include <stdio.h>

static bool writes(const struct half *h) {
    return h->busy && h->address != ADDRESS_NONE;
}

static const char *alu_name(int alu) {
    return alu == ALU_ADD ? "add" : "mul";
}

/* Every two things that meet in the instruction. */
static void note_events(const struct scan *s, size_t at) {
    uint64_t events = s->words[at].events;
    for (int a = 0; a < EVENT_COUNT; a++)
        for (int b = a + 1; b < EVENT_COUNT; b++)
            if ((events >> a & 1) && (events >> b & 1))
                NOTE(s, at, "with %s %s", event_name[a], event_name[b]);
    for (int a = 0; a < EVENT_COUNT; a++)
        if (events >> a & 1) {
            NOTE(s, at, "%s %s%s", s->program->fragment ? "fragment" : "vertex", event_name[a],
                 s->threaded ? " threaded" : "");
            if (s->branches)
                NOTE(s, at, "branching %s %s%s", s->program->fragment ? "fragment" : "vertex", event_name[a],
                     s->threaded ? " threaded" : "");
        }
}

static void note_operations(const struct scan *s, size_t at) {
    const struct word *w = &s->words[at];
    const struct half *add = &w->half[ALU_ADD], *mul = &w->half[ALU_MUL];
    for (int k = 0; k < 2; k++) {
        const struct half *h = &w->half[k];
        if (!h->busy) {
            if (h->address != ADDRESS_NONE)
                NOTE(s, at, "idle %s writes", alu_name(k));
            continue;
        }
        NOTE(s, at, "op %s.%s", alu_name(k), word_op(w, k));
        if (h->condition != 1) {
            NOTE(s, at, "condition %s of %s", condition_name[h->condition], alu_name(k));
            NOTE(s, at, "conditional %s.%s", alu_name(k), word_op(w, k));
        }
        if (h->operands == 2 && h->mux[0] == h->mux[1] && !h->move)
            NOTE(s, at, "same-operands %s.%s", alu_name(k), word_op(w, k));
        if (h->operands == 2 && !h->move)
            NOTE(s, at, "ports %s %s,%s", alu_name(k), word_operand(w, h->mux[0]),
                 word_operand(w, h->mux[1]));
        else if (h->operands)
            NOTE(s, at, "ports %s %s", alu_name(k), word_operand(w, h->mux[0]));
    }
    if (add->busy && mul->busy) {
        NOTE(s, at, "pair %s+%s", word_op(w, ALU_ADD), word_op(w, ALU_MUL));
        if (add->condition != 1 && mul->condition != 1)
            NOTE(s, at, "conditions of both, %s",
                 add->condition == mul->condition         ? "equal"
                 : (add->condition ^ mul->condition) == 1 ? "opposite"
                                                          : "of two flags");
        if (writes(add) && writes(mul))
            NOTE(s, at, "destinations %s+%s", word_destination(add->address, add->file),
                 word_destination(mul->address, mul->file));
        for (unsigned mux = MUX_R4; mux <= MUX_B; mux++)
            if (word_reads_by(add, mux) && word_reads_by(mul, mux))
                NOTE(s, at, "shared %s", word_operand(w, mux));
    }
    if (word_reads(w, MUX_A) && word_reads(w, MUX_B))
        NOTE(s, at, "both-files %s,%s", word_operand(w, MUX_A), word_operand(w, MUX_B));
    if (!word_reads(w, MUX_A) && w->read_a != ADDRESS_NONE)
        NOTE(s, at, "unselected-read a %s", w->read_a < 32 ? "register" : "io");
    if (!word_reads(w, MUX_B) && w->signal != SIGNAL_SMALL && w->read_b != ADDRESS_NONE)
        NOTE(s, at, "unselected-read b %s", w->read_b < 32 ? "register" : "io");
}

static void note_writes(const struct scan *s, size_t at) {
    const struct word *w = &s->words[at];
    for (int k = 0; k < 2; k++) {
        const struct half *h = &w->half[k];
        if (!writes(h))
            continue;
        const char *to = word_destination(h->address, h->file);
        const char *by = w->type == WORD_ALU ? alu_name(k) : word_op(w, k);
        if (h->address < 32)
            NOTE(s, at, "write register by %s %s", by, h->condition == 1 ? "always" : "conditional");
        else if (h->address < 36)
            NOTE(s, at, "write acc by %s %s", by, h->condition == 1 ? "always" : "conditional");
        else
            NOTE(s, at, "write %s by %s in %c %s", to, by, h->file, condition_name[h->condition]);
    }
}

static void note_packs(const struct scan *s, size_t at) {
    const struct word *w = &s->words[at];
    if (w->pack) {
        int alu = w->pm ? ALU_MUL : w->half[ALU_ADD].file == 'a' ? ALU_ADD : ALU_MUL;
        const struct half *h = &w->half[alu];
        NOTE(s, at, "pack %s %s %s.%s", w->pm ? "mul" : "a", pack_name[w->pack], alu_name(alu),
             word_op(w, alu));
        NOTE(s, at, "pack %s %s to %s", w->pm ? "mul" : "a", pack_name[w->pack],
             h->busy ? word_destination(h->address, h->file) : "nothing");
        if (h->condition != 1)
            NOTE(s, at, "pack %s %s conditional", w->pm ? "mul" : "a", pack_name[w->pack]);
        if (w->flags && word_flag_setter(w) == alu)
            NOTE(s, at, "pack %s %s sets flags", w->pm ? "mul" : "a", pack_name[w->pack]);
        if (w->unpack)
            NOTE(s, at, "pack %s %s unpack %s", w->pm ? "mul" : "a", pack_name[w->pack],
                 unpack_name[w->unpack]);
    }
    if (!w->unpack || w->type != WORD_ALU)
        return;
    unsigned from = w->pm ? MUX_R4 : MUX_A;
    const char *name = w->pm ? "r4" : "a";
    bool read = false;
    for (int k = 0; k < 2; k++)
        if (word_reads_by(&w->half[k], from)) {
            NOTE(s, at, "unpack %s %s %s.%s", name, unpack_name[w->unpack], alu_name(k), word_op(w, k));
            if (w->half[k].operands == 2 && w->half[k].mux[0] != w->half[k].mux[1])
                NOTE(s, at, "unpack %s %s beside %s", name, unpack_name[w->unpack],
                     word_operand(w, w->half[k].mux[w->half[k].mux[0] == from]));
            read = true;
        }
    if (read && word_reads_by(&w->half[0], from) && word_reads_by(&w->half[1], from))
        NOTE(s, at, "unpack %s %s both %s+%s", name, unpack_name[w->unpack], word_op(w, 0), word_op(w, 1));
    if (read && w->signal != SIGNAL_NONE)
        NOTE(s, at, "unpack %s %s with %s", name, unpack_name[w->unpack], signal_name[w->signal]);
    if (read && from == MUX_A && w->read_a >= 32)
        NOTE(s, at, "unpack of %s", word_operand(w, MUX_A));
    if (!read)
        NOTE(s, at, "unpack %s of nothing", name);
}

static void note_immediates(const struct scan *s, size_t at) {
    const struct word *w = &s->words[at];
    if (w->signal == SIGNAL_SMALL && w->read_b < 48) {
        bool both = word_reads_by(&w->half[0], MUX_B) && word_reads_by(&w->half[1], MUX_B);
        const char *kind = w->read_b < 32 ? "integer" : "float";
        NOTE(s, at, "small value %s %d", kind, w->read_b < 16 ? (int)w->read_b : (int)w->read_b - 32);
        for (int k = 0; k < 2; k++)
            if (word_reads_by(&w->half[k], MUX_B))
                NOTE(s, at, "small %s %s.%s", kind, alu_name(k), word_op(w, k));
        if (both)
            NOTE(s, at, "small %s both %s+%s", kind, word_op(w, 0), word_op(w, 1));
        if (!word_reads(w, MUX_B))
            NOTE(s, at, "small %s unread", kind);
    }
    if (w->events & EVENT(ROTATE)) {
        const struct half *h = &w->half[ALU_MUL];
        if (w->read_b == 48)
            NOTE(s, at, "rotate by r5");
        else
            NOTE(s, at, "rotate by %u", w->read_b - 48);
        NOTE(s, at, "rotate %s", word_op(w, ALU_MUL));
        NOTE(s, at, "rotate reads %s,%s", word_operand(w, h->mux[0]), word_operand(w, h->mux[1]));
        NOTE(s, at, "rotate to %s%s", word_destination(h->address, h->file),
             h->condition == 1 ? "" : " conditional");
        if (w->half[ALU_ADD].busy)
            NOTE(s, at, "rotate beside %s", word_op(w, ALU_ADD));
        if (w->flags && word_flag_setter(w) == ALU_MUL)
            NOTE(s, at, "rotate sets flags");
    }
    if (w->type == WORD_IMMEDIATE) {
        NOTE(s, at, "ldi %s", w->kind == 0 ? "whole" : w->kind == 1 ? "signed pairs" : "unsigned pairs");
        if (writes(&w->half[0]) && writes(&w->half[1]))
            NOTE(s, at, "ldi two %s+%s", word_destination(w->half[0].address, w->half[0].file),
                 word_destination(w->half[1].address, w->half[1].file));
    }
    if (w->type == WORD_SEMAPHORE)
        NOTE(s, at, "semaphore");
}

void scan_instruction(const struct scan *s, size_t at) {
    const struct word *w = &s->words[at];
    note_events(s, at);
    note_writes(s, at);
    if (w->type == WORD_BRANCH)
        return;
    note_immediates(s, at);
    if (w->flags) {
        int setter = word_flag_setter(w);
        NOTE(s, at, "sets %s.%s", setter == ALU_ADD ? "add" : "mul", word_op(w, setter));
        if (w->half[setter].condition != 1)
            NOTE(s, at, "sets where %s", condition_name[w->half[setter].condition]);
        if (w->half[setter].address == ADDRESS_NONE)
            NOTE(s, at, "sets without write");
        else
            NOTE(s, at, "sets and writes %s",
                 word_destination(w->half[setter].address, w->half[setter].file));
    }
    if (w->type != WORD_ALU)
        return;
    note_operations(s, at);
    note_packs(s, at);
}
