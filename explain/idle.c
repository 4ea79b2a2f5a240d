/* What each idle ALU waits for.
 *
 * Requires: parts, blocks, live locations, the flow of values. For an idle ALU at instruction t every
 * operation that comes later in the block and that this ALU can do is a candidate: could it have stood at t,
 * all else left where it is? The first thing that keeps it out is its reason, and of all candidates the one
 * that comes closest names the slot's. */
#include "explain/analysis.h"
#include "sched/model.h"

#include <string.h>

enum { REACH = 256 }; /* candidates further away are not looked at */

struct reason {
    enum qpucc_idle idle;
    uint32_t candidate, because;
    bool mul;
};

/* Can ALU `k` do what the part does on its own? */
static bool can_do(const struct instruction *in, unsigned from, unsigned k) {
    const struct part *part = &in->part[from];
    if (!part->used || in->q.type != QPU_ALU)
        return false;
    if (from == k)
        return true;
    bool bytes = from == PART_ADD ? part->op == QPU_A_V8ADDS || part->op == QPU_A_V8SUBS
                                  : part->op == QPU_M_V8ADDS || part->op == QPU_M_V8SUBS;
    if (k == PART_ADD && (part->rotates || (part->packs && in->q.pm)))
        return false;
    return part->move || bytes;
}

/* Does it fetch what a request before `at` has asked a texture unit for? */
static bool is_fetch_of_earlier(const struct analysis *a, uint32_t op, uint32_t at) {
    const struct part *part = &a->inst[op / PARTS].part[op % PARTS];
    if (op % PARTS != PART_SIGNAL || !(part->units & 1u << QPUCC_RESOURCE_TMU))
        return false;
    for (uint32_t e = a->edge_first[op]; e < a->edge_first[op + 1]; e++)
        if (a->edge[e].from / PARTS < at)
            return true;
    return false;
}

/* When the operands are there; `at` or before: no reason. */
static bool operands_late(const struct analysis *a, uint32_t op, uint32_t at, struct reason *r) {
    r->idle = QPUCC_IDLE_NONE;
    for (uint32_t e = a->edge_first[op]; e < a->edge_first[op + 1]; e++) {
        const struct flow_edge *edge = &a->edge[e];
        uint32_t from = edge->from / PARTS;
        const struct part *part = &a->inst[from].part[edge->from % PARTS];
        if (from + edge->latency <= at)
            continue;
        enum qpucc_idle idle = QPUCC_IDLE_OPERANDS;
        if (is_fetch_of_earlier(a, edge->from, at))
            idle = QPUCC_IDLE_TMU;
        else if (from < at)
            idle = is_sfu_address(part->special) ? QPUCC_IDLE_SFU : QPUCC_IDLE_LATENCY;
        if (idle > r->idle) { /* of several operands the one furthest away */
            r->idle = idle;
            r->because = from;
        }
    }
    return r->idle != QPUCC_IDLE_NONE;
}

static bool reads_location(const struct part *part, int location) {
    if (location < LOC_B)
        return part->read_a == location || (part->partial && part->write == location);
    if (location < LOC_ACC)
        return part->read_b == location - LOC_B || (part->partial && part->write == location);
    return (part->read_acc >> (location - LOC_ACC) & 1) || (part->partial && part->write == location);
}

/* Does something between use the location otherwise? An operation moves up from `from` to `at`. */
static bool is_taken(const struct analysis *a, int location, uint32_t at, uint32_t op, uint32_t *because) {
    for (uint32_t i = at; i <= op / PARTS; i++)
        for (unsigned k = 0; k < PARTS; k++) {
            const struct part *part = &a->inst[i].part[k];
            bool itself = i * PARTS + k == op;
            bool writes = !itself && part->write == location;
            bool flags = location == LOC_FLAGS;
            if (flags ? (!itself && part->sets_flags) || (i > at && part->reads_flags && !itself)
                      : writes || (i > at && !itself && reads_location(part, location))) {
                *because = i;
                return true;
            }
            if (location == LOC_R5 && i < op / PARTS &&
                (part->port[0] == QPU_R_VARY || part->port[1] == QPU_R_VARY)) {
                *because = i;
                return true;
            }
        }
    return false;
}

/* A register that the last instruction of a block before this one writes. */
static bool written_before_block(const struct analysis *a, const struct part *part, uint32_t at,
                                 uint32_t *because) {
    uint32_t here = a->text[at].block;
    for (uint32_t b = 0; b < a->out->block_count && at == a->block[here].first; b++) {
        const struct qpucc_explain_block *block = &a->block[b];
        uint32_t last = block->first + block->count - 1;
        if (block->edge[0] != here && block->edge[1] != here)
            continue;
        for (unsigned k = PART_ADD; k <= PART_MUL; k++) {
            int write = a->inst[last].part[k].write;
            if (write >= 0 && write < LOC_ACC && reads_location(part, write)) {
                *because = last;
                return true;
            }
        }
    }
    return false;
}

/* One access an instruction and all in order: what is shared with the machine's units. */
static unsigned ordered_units(const struct part *part) {
    return part->units & (1u << QPUCC_RESOURCE_SFU | 1u << QPUCC_RESOURCE_TMU | 1u << QPUCC_RESOURCE_VPM |
                          1u << QPUCC_RESOURCE_TLB | 1u << QPUCC_RESOURCE_VARYING);
}

static bool unit_taken(const struct analysis *a, const struct part *part, uint32_t at, uint32_t op,
                       uint32_t *because) {
    unsigned units = ordered_units(part);
    bool other =
        part->special >= QPU_W_TMU_NOSWAP && part->special != QPU_W_NOP; /* effects keep their order */
    for (uint32_t i = at; i <= op / PARTS && (units || other); i++)
        for (unsigned k = 0; k < PARTS; k++) {
            const struct part *with = &a->inst[i].part[k];
            if (i * PARTS + k == op)
                continue;
            bool signal = k == PART_SIGNAL && with->used &&
                          with->units & (1u << QPUCC_RESOURCE_TMU | 1u << QPUCC_RESOURCE_TLB);
            bool effect = with->special >= QPU_W_TMU_NOSWAP && with->special != QPU_W_NOP;
            if ((ordered_units(with) & units) || (other && (effect || signal))) {
                *because = i;
                return true;
            }
        }
    return false;
}

/* A thread switch takes effect between the two: accumulators, r4, r5 and flags do not survive it. */
static bool switch_between(const struct analysis *a, uint32_t at, uint32_t later, uint32_t *because) {
    for (uint32_t i = at >= QPU_THREAD_SLOTS ? at - QPU_THREAD_SLOTS : 0; i + QPU_THREAD_SLOTS < later; i++)
        if (a->text[i].thread_switch && i + QPU_THREAD_SLOTS >= at) {
            *because = i;
            return true;
        }
    return false;
}

/* What the instruction reads through ports A and B: an address, or -1. */
static void find_ports(const struct instruction *in, int port[2]) {
    port[0] = port[1] = -1;
    for (unsigned k = PART_ADD; k <= PART_MUL; k++) {
        const struct part *with = &in->part[k];
        port[0] = with->read_a >= 0 ? with->read_a : with->port[0] >= 0 ? with->port[0] : port[0];
        port[1] = with->read_b >= 0 ? with->read_b : with->port[1] >= 0 ? with->port[1] : port[1];
    }
}

/* Both ports have it. */
static bool is_on_both(int address) {
    return address == QPU_R_UNIF || address == QPU_R_VARY || address == QPU_R_VPM;
}

/* The read ports of instruction `at` with the candidate's operands in it. */
static enum qpucc_idle port_conflict(const struct analysis *a, const struct part *part, uint32_t at,
                                     const struct instruction *source) {
    const struct instruction *in = &a->inst[at];
    const struct qpu_inst *q = &in->q;
    int port[2];
    bool immediate = q->sig == QPU_SIG_SMALL_IMM;
    find_ports(in, port);
    int port_a = port[0], port_b = port[1];
    if (part->immediate || part->rotates) {
        if (immediate ? q->raddr_b != source->q.raddr_b : port_b >= 0 || q->sig != QPU_SIG_NONE)
            return QPUCC_IDLE_SMALL_IMM;
    }
    if (part->read_a >= 0 && port_a >= 0 && port_a != part->read_a)
        return QPUCC_IDLE_READ_A;
    if (part->read_b >= 0 && immediate)
        return QPUCC_IDLE_SMALL_IMM;
    if (part->read_b >= 0 && port_b >= 0 && port_b != part->read_b)
        return QPUCC_IDLE_READ_B;
    bool free_a = port_a < 0 && part->read_a < 0,
         free_b = port_b < 0 && part->read_b < 0 && !immediate && !part->immediate && !part->rotates;
    for (unsigned file = 0; file < 2; file++) {
        int want = part->port[file];
        bool either = is_on_both(want);
        if (want < 0)
            continue;
        if (want == QPU_R_UNIF && in->word)
            return QPUCC_IDLE_UNIFORM;
        bool own = file ? free_b : free_a, other = either && (file ? free_a : free_b);
        if (!own && !other)
            return file ? immediate ? QPUCC_IDLE_SMALL_IMM : QPUCC_IDLE_READ_B : QPUCC_IDLE_READ_A;
        *((own == !file) ? &free_a : &free_b) = false; /* its own port, or the other file's */
    }
    return QPUCC_IDLE_NONE;
}

/* In this instruction it would read port A, and could not read the same through port B. */
static bool needs_port_a(const struct instruction *in, const struct part *part) {
    int port[2];
    find_ports(in, port);
    bool free_b = (port[1] < 0 || port[1] == part->port[0]) && in->q.sig != QPU_SIG_SMALL_IMM &&
                  part->read_b < 0 && !part->immediate && !part->rotates;
    return part->read_a >= 0 || (part->port[0] >= 0 && !(is_on_both(part->port[0]) && free_b));
}

/* One pack and one unpack mode an instruction, for one of the two units that have them. */
static bool pack_conflict(const struct instruction *in, const struct instruction *source,
                          const struct part *part) {
    const struct qpu_inst *q = &in->q, *s = &source->q;
    bool modes = q->pack || q->unpack, own = part->packs || part->unpacks;
    if (modes && own &&
        (q->pm != s->pm || (part->packs && q->pack != s->pack) || (part->unpacks && q->unpack != s->unpack)))
        return true;
    for (unsigned k = PART_ADD; k <= PART_MUL; k++) { /* a mode applies to all that pass */
        const struct part *with = &in->part[k];
        if (part->packs && !q->pack && !s->pm && with->write >= 0 && with->write < LOC_B)
            return true;
        if (part->unpacks && !q->unpack &&
            (s->pm ? with->read_acc >> 4 & 1 : with->read_a >= 0 || with->port[0] >= 0))
            return true;
    }
    if (q->unpack && !part->unpacks && (q->pm ? part->read_acc >> 4 & 1 : needs_port_a(in, part)))
        return true;
    return q->pack && !part->packs && !q->pm && part->write >= 0 && part->write < LOC_B;
}

/* Addresses that mean other things in the two files bind the swap as registers do. */
static bool is_bound(const struct part *part) {
    switch (part->special) {
    case QPU_W_ACC5:
    case QPU_W_UNIF_ADDR:
    case QPU_W_XY:
    case QPU_W_MS_REV:
    case QPU_W_VPM_SETUP:
    case QPU_W_VPM_ADDR: return true;
    default: return part->write >= 0 && part->write < LOC_ACC;
    }
}

static bool is_in_b(const struct part *part) {
    return part->write >= 0 && part->write < LOC_ACC ? part->write >= LOC_B : part->special_b;
}

static bool writes_same_file(const struct instruction *in, const struct part *part) {
    for (unsigned k = PART_ADD; k <= PART_MUL; k++) {
        const struct part *with = &in->part[k];
        if (with->special >= 0 && with->special == part->special)
            return true;
        if (is_bound(with) && is_bound(part) && is_in_b(with) == is_in_b(part))
            return true;
    }
    return false;
}

/* The stream is set to another address, before `at` so late that no word can be read there, or after it. */
static bool stream_moves(const struct analysis *a, const struct part *part, uint32_t at, uint32_t later,
                         uint32_t *because) {
    bool reads = part->port[0] == QPU_R_UNIF || part->port[1] == QPU_R_UNIF || is_tmu_address(part->special);
    for (uint32_t i = at >= QPU_LAT_UNIF_ADDR ? at - QPU_LAT_UNIF_ADDR + 1 : 0; i <= later && reads; i++)
        if (a->inst[i].part[PART_ADD].special == QPU_W_UNIF_ADDR ||
            a->inst[i].part[PART_MUL].special == QPU_W_UNIF_ADDR) {
            *because = i;
            return true;
        }
    return false;
}

static struct reason judge(const struct analysis *a, uint32_t at, unsigned alu, uint32_t op) {
    const struct instruction *in = &a->inst[at], *source = &a->inst[op / PARTS];
    const struct part *part = &source->part[op % PARTS];
    struct reason r = {QPUCC_IDLE_NONE, op / PARTS, at, op % PARTS == PART_MUL};
    if (operands_late(a, op, at, &r))
        return r;
    r.because = at;
    if (written_before_block(a, part, at, &r.because))
        return r.idle = QPUCC_IDLE_LATENCY, r;
    if (part->sets_flags) {
        bool there = (in->part[PART_ADD].used || in->part[PART_MUL].used) && alu == PART_MUL;
        if (there || in->q.sf || is_taken(a, LOC_FLAGS, at, op, &r.because))
            return r.idle = QPUCC_IDLE_FLAGS, r;
    } else if (in->q.sf && alu == PART_ADD && !in->part[PART_ADD].used) {
        return r.idle = QPUCC_IDLE_FLAGS, r; /* the add ALU would set them instead */
    }
    if (unit_taken(a, part, at, op, &r.because))
        return r.idle = QPUCC_IDLE_UNIT, r;
    bool early = is_tmu_address(part->special) || is_tile_address(part->special);
    if (early && at < MODEL_ENTRY)
        return r.idle = QPUCC_IDLE_UNIT, r;
    if ((is_tile_address(part->special) || part->special == QPU_W_MS_REV || part->special == QPU_W_XY) &&
        op / PARTS != at)
        return r.idle = QPUCC_IDLE_UNIT, r; /* not before the scoreboard and the mask allow */
    if (stream_moves(a, part, at, op / PARTS, &r.because))
        return r.idle = QPUCC_IDLE_UNIFORM, r;
    r.because = at;
    if (pack_conflict(in, source, part))
        return r.idle = QPUCC_IDLE_PACK, r;
    r.idle = port_conflict(a, part, at, source);
    if (r.idle != QPUCC_IDLE_NONE)
        return r;
    if (is_tmu_address(part->special) && in->word)
        return r.idle = QPUCC_IDLE_UNIFORM, r;
    if (writes_same_file(in, part))
        return r.idle = QPUCC_IDLE_WRITE, r;
    bool fragile = part->write >= LOC_ACC || part->sets_flags;
    bool varying = part->port[0] == QPU_R_VARY || part->port[1] == QPU_R_VARY;
    if ((part->write >= 0 && is_taken(a, part->write, at, op, &r.because)) ||
        (varying && is_taken(a, LOC_R5, at, op, &r.because)) ||
        (a->threaded && (fragile || varying) && switch_between(a, at, op / PARTS, &r.because)))
        return r.idle = QPUCC_IDLE_REGISTER, r;
    if (part->write >= 0 && part->write < LOC_ACC &&
        at + 1 < a->count) { /* not read by the next instruction */
        const struct instruction *next = &a->inst[at + 1];
        for (unsigned k = 0; k < PARTS; k++)
            if (part->write < LOC_B ? next->part[k].read_a == part->write
                                    : next->part[k].read_b == part->write - LOC_B)
                return r.idle = QPUCC_IDLE_REGISTER, r.because = at + 1, r;
    }
    r.idle = QPUCC_IDLE_CHOICE;
    return r;
}

static struct reason find_reason(const struct analysis *a, uint32_t at, unsigned alu, uint32_t end) {
    struct reason best = {QPUCC_IDLE_TAIL, UINT32_MAX, UINT32_MAX, false};
    uint32_t stop = end - at > REACH ? at + REACH : end;
    for (uint32_t i = at + 1; i < stop && best.idle != QPUCC_IDLE_CHOICE; i++)
        for (unsigned k = PART_ADD; k <= PART_MUL; k++) {
            const struct instruction *in = &a->inst[i];
            if (!in->part[k].used || in->q.type != QPU_ALU)
                continue;
            struct reason r = {QPUCC_IDLE_OTHER_ALU, i, UINT32_MAX, k == PART_MUL};
            if (can_do(in, k, alu))
                r = judge(a, at, alu, i * PARTS + k);
            if (r.idle < best.idle)
                best = r;
        }
    return best;
}

void explain_idle(struct analysis *a) {
    for (uint32_t i = 0; i < a->count; i++) {
        const struct qpucc_explain_block *block = &a->block[a->text[i].block];
        struct qpucc_explain_slot *slot[2] = {&a->text[i].add, &a->text[i].mul};
        for (unsigned k = PART_ADD; k <= PART_MUL; k++) {
            if (a->inst[i].part[k].used)
                continue;
            struct reason r = {QPUCC_IDLE_ENCODING, UINT32_MAX, UINT32_MAX, false};
            if (a->inst[i].q.type == QPU_ALU)
                r = find_reason(a, i, k, block->first + block->count);
            slot[k]->idle = r.idle;
            slot[k]->waits_for = r.candidate;
            slot[k]->waits_for_mul = r.mul;
            slot[k]->because_of = r.because;
            (k == PART_ADD ? a->out->idle_add : a->out->idle_mul)[r.idle]++;
        }
    }
}
