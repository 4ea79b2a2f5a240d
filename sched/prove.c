/* Can what is left of a block still end in time?
 *
 * Requires: the graph, heads and tails (bound.c). Keeps everything. The block is relaxed: what units an op
 * takes, the stream's one word, latencies and what must follow at the end count; places and ports do not.
 * What can't end in time here can't in the real block. */
#include "sched/prove.h"

#include <string.h>

/* An op that needs the unit less is left, or one more; by how much shorter its tail is than the longest. */
static void count_out_of(struct prover *p, unsigned u, uint32_t shorter) {
    if (!--p->left[u][shorter])
        p->tails[u][shorter / 64] ^= 1ull << shorter % 64;
    p->of[u]--;
}

static void count_into(struct prover *p, unsigned u, uint32_t shorter) {
    if (!p->left[u][shorter]++)
        p->tails[u][shorter / 64] ^= 1ull << shorter % 64;
    p->of[u]++;
}

static void count_out(struct prover *p, const struct prove_op *op) {
    for (uint32_t units = op->needs; units; units &= units - 1)
        count_out_of(p, (unsigned)__builtin_ctz(units), p->longest - op->tail);
}

static void count_in(struct prover *p, const struct prove_op *op) {
    for (uint32_t units = op->needs; units; units &= units - 1)
        count_into(p, (unsigned)__builtin_ctz(units), p->longest - op->tail);
}

/* What was issued or taken back since the last time. Most of what is tried in an instruction is both. */
static void count(struct prover *p) {
    for (uint32_t w = 0; w < PROVE_MOST / 64; w++)
        for (uint64_t other = p->issued.word[w] ^ p->counted.word[w]; other; other &= other - 1) {
            uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(other);
            if (prove_has(&p->issued, i))
                count_out(p, &p->op[i]);
            else
                count_in(p, &p->op[i]);
        }
    p->counted = p->issued;
}

static bool is_late(const struct prover *p, uint32_t i, uint32_t earliest) {
    return (int32_t)earliest > p->latest[i];
}

bool prove_switches_may_end(const struct prover *p, uint32_t t) {
    for (uint32_t w = 0; w < PROVE_MOST / 64; w++)
        for (uint64_t left = p->switches.word[w] & ~p->issued.word[w]; left; left &= left - 1)
            if (is_late(p, w * 64 + (uint32_t)__builtin_ctzll(left), t))
                return false;
    return true;
}

/* Of a unit's ops those with the longest tails have to be served first: a tail and the ops with none that is
 * shorter fill so much of the room that is left. False: more than there is. Of tails that leave room for all
 * that is left of the unit nothing can be said. */
static bool serve_unit(const struct prover *p, uint32_t t, unsigned u, bool sure, struct prove_must *must) {
    int ops = 0, of = (int)p->of[u], width = (int)model_unit[u].width;
    int slots = ((int)p->target - (int)t - (int)p->longest) * width; /* before the longest tail */
    for (uint32_t w = 0; w <= p->longest / 64; w++)
        for (uint64_t left = p->tails[u][w]; left; left &= left - 1) {
            uint32_t shorter = w * 64 + (uint32_t)__builtin_ctzll(left);
            int free = slots + (int)shorter * width;
            if (free >= of + width)
                return true;
            ops += p->left[u][shorter];
            free -= ops;
            if (free >= width)
                continue;
            if (free < 0)
                return false;
            uint32_t least = p->longest - shorter + 1; /* counted from the next instruction on */
            must->one[u] = must->one[u] ? must->one[u] : least;
            must->units |= 1u << u;
            if (width > 1 && !free && !must->another[u])
                must->another[u] = least;
            if (sure && (width == 1 || must->another[u]))
                return true;
        }
    return true;
}

bool prove_may_end(struct prover *p, uint32_t t, bool sure, struct prove_must *must) {
    count(p);
    *must = (struct prove_must){.units = 0};
    for (unsigned u = 0; u < MODEL_UNITS; u++)
        if (p->of[u] && !serve_unit(p, t, u, sure, must))
            return false;
    return !p->nlate && (!p->s->nswitch || prove_switches_may_end(p, t));
}

bool prove_has_units(const struct prover *p, const struct prove_must *must, const uint32_t *op, uint32_t n) {
    for (uint32_t units = must->units; units; units &= units - 1) {
        unsigned u = (unsigned)__builtin_ctz(units), one = 0, another = 0;
        for (uint32_t k = 0; k < n; k++) {
            const struct prove_op *of = &p->op[op[k]];
            if (!(of->needs >> u & 1))
                continue;
            one += of->tail + 1 >= must->one[u];
            another += of->tail + 1 >= must->another[u];
        }
        if (!one || (must->another[u] && another < 2))
            return false;
    }
    return true;
}

uint64_t prove_state(const struct prover *p, uint32_t t) {
    uint64_t h = (t + 1) * 0x9e3779b97f4a7c15u; /* times and sets are not to cancel */
    for (uint32_t w = 0; w < PROVE_MOST / 64; w++)
        h = (h ^ h >> 32 ^ p->issued.word[w]) * 0xff51afd7ed558ccdu, h ^= h >> 29;
    for (uint32_t w = 0; w < PROVE_MOST / 64; w++)
        for (uint64_t left = p->raised.word[w] & ~p->issued.word[w]; left; left &= left - 1) {
            uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(left);
            if (p->earliest[i] > t)
                h = (h ^ ((uint64_t)i << 20 | p->earliest[i])) * 0xc4ceb9fe1a85ec53u, h ^= h >> 31;
        }
    return h | 1;
}

struct prove_row prove_row_at(const struct prover *p, uint32_t t) {
    struct prove_row row = {.word = M_NO_VALUE};
    bool fragment = p->s->m->shader->stage == QPUCC_FRAGMENT;
    if (p->s->m->last && (t + MODEL_END == p->target || (fragment && t + 1 == p->target)))
        row.refused = T_SIGNAL; /* the thread end, the scoreboard's unlock */
    return row;
}

struct prove_row prove_row_with(const struct prove_row *row, const struct prove_op *op) {
    struct prove_row with = *row;
    with.word = op->word != M_NO_VALUE ? op->word : row->word;
    with.alus += !!(op->traits & T_ALUS);
    with.refused |= op->excludes | (with.alus == 2 ? T_ALUS : 0);
    return with;
}

static void set_earliest(struct prover *p, uint32_t i, uint32_t at) {
    p->nlate += (uint32_t)is_late(p, i, at) - (uint32_t)is_late(p, i, p->earliest[i]);
    p->earliest[i] = at;
}

void prove_issue(struct prover *p, uint32_t i, uint32_t t, struct prove_undo *undo, uint8_t *ready,
                 uint32_t *n) {
    const struct sched *s = p->s;
    undo->count = 0;
    prove_flip(&p->issued, i);
    prove_flip(&p->free, i);
    p->nleft--;
    for (uint32_t e = s->succ_first[i]; e < s->succ_first[i + 1]; e++) {
        uint32_t to = s->edge[e].to, at = t + s->least_distance[e];
        if (at > p->earliest[to]) {
            if (undo->count == PROVE_MOST_UNDO || p->earliest[to] > UINT16_MAX)
                p->nodes = 0; /* more than is kept track of: give up */
            else {
                undo->entry[undo->count].op = (uint16_t)to;
                undo->entry[undo->count++].earliest = (uint16_t)p->earliest[to];
            }
            set_earliest(p, to, at);
            prove_put(&p->raised, to);
        }
        if (--p->npred[to] || !p->op[to].live)
            continue;
        prove_flip(&p->free, to);
        if (p->earliest[to] <= t)
            ready[(*n)++] = (uint8_t)to;
    }
}

void prove_take_back(struct prover *p, uint32_t i, const struct prove_undo *undo) {
    const struct sched *s = p->s;
    for (uint32_t e = s->succ_first[i]; e < s->succ_first[i + 1]; e++)
        if (!p->npred[s->edge[e].to]++ && p->op[s->edge[e].to].live)
            prove_flip(&p->free, s->edge[e].to);
    for (uint32_t k = undo->count; k--;) {
        uint32_t to = undo->entry[k].op, at = undo->entry[k].earliest;
        set_earliest(p, to, at);
        if (at == p->s->least_head[to])
            prove_flip(&p->raised, to);
    }
    prove_flip(&p->issued, i);
    prove_flip(&p->free, i);
    p->nleft++;
}

uint32_t prove_ready(const struct prover *p, uint32_t t, uint8_t *ready, uint32_t *left) {
    uint32_t n = 0;
    *left = p->nleft;
    for (uint32_t w = 0; w < PROVE_MOST / 64; w++)
        for (uint64_t all = p->free.word[w]; all; all &= all - 1) {
            uint32_t i = w * 64 + (uint32_t)__builtin_ctzll(all);
            if (p->earliest[i] <= t)
                ready[n++] = (uint8_t)i;
        }
    return n;
}

/* A schedule that is shorter than the target is one as long: with empty instructions before its end. */
bool prove_aim(struct prover *p, uint32_t target) {
    const struct mir *m = p->s->m;
    uint32_t branches = m->branch_to < 0 ? 0 : m->branch_to2 < 0 ? 1 : 2;
    if (target < MODEL_BRANCH * branches)
        return false;
    p->target = target;
    p->branch = branches ? target - MODEL_BRANCH * branches : UINT32_MAX;
    p->nlate = 0;
    for (uint32_t i = 0; i < m->nop; i++) {
        p->latest[i] = p->op[i].live ? (int32_t)(target - 1 - p->op[i].tail) : INT32_MAX;
        p->nlate += is_late(p, i, p->earliest[i]);
    }
    return true;
}

static struct prove_op op_of(const struct sched *s, uint32_t i) {
    const struct m_op *op = &s->m->op[i];
    uint32_t traits = s->op[i].traits & T_SWITCH ? 0 : s->op[i].traits;
    struct prove_op of = {
        .tail = s->least_tail[i],
        .word = op->tmu_slot != M_NO_VALUE ? op->tmu_slot : s->op[i].word,
        .traits = traits,
        .excludes = model_excludes(traits) | (traits & (T_ADD_ONLY | T_MUL_ONLY)),
        .needs = (uint8_t)(model_units(traits) & ~(1u << MODEL_UNIT_STREAM)), /* words may be shared */
        .live = !op->dead,
        .switches = s->op[i].traits & T_SWITCH,
        .r4 = op->r4,
    };
    if (op->r4 && op->sig == QPU_SIG_NONE)
        of.r4_latency = (uint8_t)model_latency(op, PLACE_R4);
    for (unsigned k = 0; k <= op->nsrc; k++) {
        uint32_t v = m_reads(op, k);
        if (v != M_NO_VALUE)
            of.read[of.nread++] = (uint16_t)v;
        of.nsource = k < op->nsrc ? of.nread : of.nsource;
    }
    if (op->pinned_to != M_NO_VALUE)
        of.read[of.nread++] = (uint16_t)op->pinned_to;
    return of;
}

bool prove_open(struct prover *p, const struct sched *s, uint32_t length) {
    const struct mir *m = s->m;
    if (m->nop > PROVE_MOST || !length)
        return false;
    *p = (struct prover){.s = s, .n = m->nop};
    p->op = ir_alloc_uncleared(m->arena, (m->nop + 1) * sizeof *p->op);
    if (ir_arena_oom(m->arena))
        return false;
    for (uint32_t i = 0; i < m->nop; i++) {
        p->op[i] = op_of(s, i);
        p->longest = p->op[i].tail > p->longest ? p->op[i].tail : p->longest;
    }
    for (unsigned u = 0; u < MODEL_UNITS; u++)
        p->left[u] = ir_alloc(m->arena, (p->longest + 1) * sizeof *p->left[u]),
        p->tails[u] = ir_alloc(m->arena, (p->longest / 64 + 1) * sizeof *p->tails[u]);
    if (ir_arena_oom(m->arena))
        return false;
    for (uint32_t i = 0; i < m->nop; i++) {
        p->npred[i] = sched_predecessors(s, i);
        p->earliest[i] = s->least_head[i];
        if (!p->op[i].live)
            continue;
        count_in(p, &p->op[i]);
        p->nleft++;
        if (!p->npred[i])
            prove_flip(&p->free, i);
        if (p->op[i].switches)
            prove_put(&p->switches, i);
    }
    return prove_aim(p, length - 1);
}
