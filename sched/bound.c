/* A length that no schedule of a block can beat.
 *
 * Requires: the graph. For every unit of the machine that serves so many ops an instruction (add, mul, both
 * ALUs, the stream's one word, signals) the block is relaxed to that unit alone: each op that needs it has a
 * head, the longest path to it, and a tail, the longest path from it to the end of the block with what must
 * follow there. Serving the longest tail first is then optimal, and the worst unit is the bound. Register and
 * port conflicts are left out, so the bound may be out of reach. */
#include "sched/schedule.h"

#include <stdlib.h>

struct job {
    uint32_t head, tail;
};

/* Instructions that have to follow an op at the end of its block (finish.c). */
static uint32_t end_of(const struct mir *m, uint32_t index) {
    const struct m_op *op = &m->op[index];
    if (m->last) {
        bool io = m_reads_stream(op) || op->tmu_slot != M_NO_VALUE || op->reads_vary || op->reads_vpm ||
                  op->waddr == QPU_W_VPM || op->waddr == QPU_W_VPM_SETUP;
        return io ? 3 : 0;
    }
    uint32_t branches = m->branch_to < 0 ? 0 : m->branch_to2 < 0 ? 4 : 8;
    return index == m->branch_setter ? branches : branches > 4 ? 4 : 0;
}

/* The least that lies between two ops. finish.c may move a thread switch up over empty instructions, up to
 * the whole of its shadow. */
uint32_t sched_distance(const struct mir *m, const struct m_edge *edge) {
    uint32_t latency = edge->soft ? 1 : edge->latency;
    if (!m_is_switch(&m->op[edge->from]) && !m_is_switch(&m->op[edge->to]))
        return latency;
    return latency > QPU_THREAD_SLOTS + 1 ? latency - (QPU_THREAD_SLOTS + 1) : 0;
}

/* Heads by forward, tails by backward relaxation in topological order. */
void sched_paths(const struct sched *s, uint32_t *head, uint32_t *tail) {
    const struct mir *m = s->m;
    uint32_t *npred = ir_alloc(m->arena, (m->nop + 1) * sizeof *npred),
             *order = ir_alloc(m->arena, (m->nop + 1) * sizeof *order), n = 0;
    for (uint32_t e = 0; e < s->nedge; e++)
        npred[s->edge[e].to]++;
    for (uint32_t i = 0; i < m->nop; i++) {
        const struct m_op *op = &m->op[i];
        bool late = m->entry && (op->tmu_slot != M_NO_VALUE || op->sig == QPU_SIG_LOADC ||
                                 (op->waddr >= QPU_W_TLB_STENCIL && op->waddr <= QPU_W_TLB_ALPHA_MASK));
        head[i] = m->reset ? (m_reads_stream(op) || op->tmu_slot != M_NO_VALUE ? 4 : 2) : late ? 2 : 0;
        tail[i] = end_of(m, i);
        if (!npred[i])
            order[n++] = i;
    }
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = order[k], e = s->succ_first[i]; e < s->succ_first[i + 1]; e++) {
            const struct m_edge *edge = &s->edge[e];
            uint32_t at = head[i] + sched_distance(m, edge);
            if (at > head[edge->to])
                head[edge->to] = at;
            if (!--npred[edge->to])
                order[n++] = edge->to;
        }
    while (n--)
        for (uint32_t i = order[n], e = s->succ_first[i]; e < s->succ_first[i + 1]; e++) {
            const struct m_edge *edge = &s->edge[e];
            uint32_t after = tail[edge->to] + sched_distance(m, edge);
            if (after > tail[i])
                tail[i] = after;
        }
}

static void push(uint32_t *heap, uint32_t *n, uint32_t tail) {
    uint32_t at = (*n)++;
    for (; at && heap[(at - 1) / 2] < tail; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = tail;
}

static uint32_t pop(uint32_t *heap, uint32_t *n) {
    uint32_t top = heap[0], last = heap[--*n], at = 0;
    for (uint32_t child; (child = 2 * at + 1) < *n; at = child) {
        child += child + 1 < *n && heap[child + 1] > heap[child];
        if (heap[child] <= last)
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return top;
}

static int by_head(const void *a, const void *b) {
    const struct job *x = a, *y = b;
    return (x->head > y->head) - (x->head < y->head);
}

/* Jobs of one instruction each on a unit that serves `width` an instruction. */
static uint32_t serve(struct job *job, uint32_t n, unsigned width, uint32_t *heap) {
    uint32_t bound = 0, waiting = 0, next = 0;
    qsort(job, n, sizeof *job, by_head);
    for (uint32_t t = 0; next < n || waiting; t++) {
        if (!waiting && job[next].head > t)
            t = job[next].head;
        while (next < n && job[next].head <= t)
            push(heap, &waiting, job[next++].tail);
        for (unsigned k = 0; k < width && waiting; k++) {
            uint32_t end = t + 1 + pop(heap, &waiting);
            bound = end > bound ? end : bound;
        }
    }
    return bound;
}

enum unit { UNIT_ADD, UNIT_MUL, UNIT_ALU, UNIT_SIGNAL, UNIT_STREAM, UNITS };

static bool needs(const struct m_op *op, enum unit unit) {
    switch (unit) {
    case UNIT_ADD: return op->sig == QPU_SIG_NONE && op->add_op && !op->mul_op;
    case UNIT_MUL: return op->sig == QPU_SIG_NONE && op->mul_op && !op->add_op;
    case UNIT_ALU: return op->sig == QPU_SIG_NONE;
    case UNIT_SIGNAL: return op->sig != QPU_SIG_NONE;
    default: return m_reads_stream(op) || op->tmu_slot != M_NO_VALUE;
    }
}

/* The word of the stream that an op reads, as a key: two ops of one instruction can share it. */
static uint64_t word_of(const struct m_op *op) {
    for (unsigned k = 0; k < op->nsrc; k++) {
        if (op->src[k].kind == M_SLOT)
            return op->src[k].v;
        if (op->src[k].kind == M_IMM && qpu_small_imm_code(op->src[k].v) < 0)
            return 1ull << 32 | op->src[k].v;
    }
    return 2ull << 32;
}

struct word {
    uint64_t key;
    struct job job;
};

static int by_key(const void *a, const void *b) {
    const struct word *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

/* Readers of the same word may share an instruction: one job, as early and with as little behind it as any.
 */
static uint32_t merge_words(struct word *word, uint32_t n, struct job *job) {
    uint32_t count = 0;
    qsort(word, n, sizeof *word, by_key);
    for (uint32_t i = 0; i < n; i++) {
        struct job *last = count ? &job[count - 1] : NULL;
        if (!i || word[i].key != word[i - 1].key || word[i].key == 2ull << 32) {
            job[count++] = word[i].job;
            continue;
        }
        last->head = word[i].job.head < last->head ? word[i].job.head : last->head;
        last->tail = word[i].job.tail < last->tail ? word[i].job.tail : last->tail;
    }
    return count;
}

unsigned sched_bound(const struct sched *s) {
    const struct mir *m = s->m;
    size_t n = m->nop + 1;
    uint32_t *head = ir_alloc(m->arena, n * sizeof *head), *tail = ir_alloc(m->arena, n * sizeof *tail),
             *heap = ir_alloc(m->arena, n * sizeof *heap);
    struct job *job = ir_alloc(m->arena, n * sizeof *job);
    struct word *word = ir_alloc(m->arena, n * sizeof *word);
    sched_paths(s, head, tail);
    uint32_t bound = m->last ? 3 : 0;
    for (unsigned unit = 0; unit < UNITS; unit++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < m->nop; i++)
            if (!m->op[i].dead && needs(&m->op[i], unit)) {
                struct job one = {head[i], tail[i]};
                if (unit == UNIT_STREAM)
                    word[count] = (struct word){word_of(&m->op[i]), one};
                job[count++] = one;
            }
        if (unit == UNIT_STREAM)
            count = merge_words(word, count, job);
        uint32_t end = serve(job, count, unit == UNIT_ALU ? 2 : 1, heap);
        bound = end > bound ? end : bound;
    }
    return bound;
}
