/* A length that no schedule of a block can beat.
 *
 * Requires: the graph, the ops' traits. Keeps everything.
 *
 * For every unit of the issue model, which serves a fixed number of ops an instruction, the block is
 * relaxed to that unit alone: each op that needs it has a head, the longest path to it, and a tail, the
 * longest path from it to the end of the block with what must follow there. Serving the longest tail first
 * is then optimal, and the worst unit is the bound. Register and port conflicts are left out, so the bound
 * may be out of reach. */
#include "sched/schedule.h"

struct job {
    uint32_t head, tail;
};

/* By edge. */
static uint16_t *distances(const struct sched *s, bool least) {
    const struct mir *m = s->m;
    uint16_t *far = ir_alloc_uncleared(m->arena, (s->nedge + 1) * sizeof *far);
    for (uint32_t e = 0; e < s->nedge; e++) {
        const struct m_edge *edge = &s->edge[e];
        far[e] = (uint16_t)(least ? model_least_distance(m, edge) + edge->more : model_distance(m, edge));
    }
    return far;
}

/* A switch stands for its last slot. After the last one a fragment shader waits for the scoreboard, before
 * the thread end (finish.c). */
static void begin_switch(const struct mir *m, const struct m_op *op, uint32_t *head, uint32_t *tail) {
    *head = QPU_THREAD_SLOTS;
    *tail = m->last && op->sig == QPU_SIG_LTHRSW && m->shader->stage == QPUCC_FRAGMENT ? MODEL_END + 1 : 0;
}

/* By forward and backward relaxation in topological order. */
static void lengthen_heads(const struct sched *s, const uint16_t *far, uint32_t *heads) {
    for (uint32_t k = 0; k < s->m->nop; k++)
        for (uint32_t i = s->sorted[k], e = s->succ_first[i]; e < s->succ_first[i + 1]; e++) {
            uint32_t at = heads[i] + far[e], *head = &heads[s->edge[e].to];
            *head = at > *head ? at : *head;
        }
}

static void lengthen_tails(const struct sched *s, const uint16_t *far, uint32_t *tails) {
    for (uint32_t n = s->m->nop; n--;)
        for (uint32_t i = s->sorted[n], e = s->succ_first[i]; e < s->succ_first[i + 1]; e++) {
            uint32_t after = tails[s->edge[e].to] + far[e];
            tails[i] = after > tails[i] ? after : tails[i];
        }
}

/* First instruction for the op, which may read what is there from the start. */
static uint32_t first_of(const struct sched *s, uint32_t index) {
    const struct m_op *op = &s->m->op[index];
    uint32_t first = s->wait[index].earliest;
    for (unsigned k = 0; k < op->nsrc; k++) {
        if (op->src[k].kind != M_VAL || s->m->val[op->src[k].v].start < 0)
            continue;
        uint32_t from = model_operand_from(model_start(s->m), s->op[index].traits);
        first = from > first ? from : first;
    }
    return first;
}

void sched_paths(struct sched *s) {
    const struct mir *m = s->m;
    s->least_head = ir_alloc_uncleared(m->arena, 2 * (m->nop + 1) * sizeof *s->least_head);
    s->least_tail = s->least_head + m->nop + 1;
    if (ir_arena_oom(m->arena)) /* tables may lie in each other */
        return;
    for (uint32_t i = 0; i < m->nop; i++) {
        s->least_head[i] = first_of(s, i);
        s->least_tail[i] = model_tail(m, i);
        if (m_is_switch(&m->op[i]))
            begin_switch(m, &m->op[i], &s->least_head[i], &s->least_tail[i]);
    }
    s->least_distance = distances(s, true);
    if (ir_arena_oom(m->arena)) /* tables may lie in each other */
        return;
    lengthen_heads(s, s->least_distance, s->least_head);
    lengthen_tails(s, s->least_distance, s->least_tail);
}

void sched_tails(struct sched *s) {
    const struct mir *m = s->m;
    s->tail = ir_alloc_uncleared(m->arena, (m->nop + 1) * sizeof *s->tail);
    const uint16_t *far = distances(s, false);
    if (ir_arena_oom(m->arena)) /* tables may lie in each other */
        return;
    for (uint32_t i = 0; i < m->nop; i++)
        s->tail[i] = model_tail(m, i);
    lengthen_tails(s, far, s->tail);
    s->alu_tail = UINT32_MAX;
    for (uint32_t i = 0; i < m->nop; i++)
        if (!m->op[i].dead && !(s->op[i].traits & T_SIGNAL) && s->tail[i] < s->alu_tail)
            s->alu_tail = s->tail[i];
}

/* Jobs that wait: how many of each tail, and as bits the tails of which there are any. */
struct queue {
    uint32_t *count;
    uint64_t *some;
    uint32_t top, waiting; /* top: no word of `some` above it has bits */
};

static struct queue queue_for(const struct mir *m, const uint32_t *tail) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < m->nop; i++)
        most = tail[i] > most ? tail[i] : most;
    return (struct queue){.count = ir_alloc(m->arena, (most + 1) * sizeof(uint32_t)),
                          .some = ir_alloc(m->arena, (most / 64 + 1) * sizeof(uint64_t))};
}

static void push(struct queue *q, uint32_t tail) {
    q->count[tail]++;
    q->some[tail / 64] |= 1ull << tail % 64;
    q->top = tail / 64 > q->top ? tail / 64 : q->top;
    q->waiting++;
}

/* The longest tail. */
static uint32_t pop(struct queue *q) {
    while (!q->some[q->top])
        q->top--;
    uint32_t bit = 63 - (uint32_t)__builtin_clzll(q->some[q->top]), tail = q->top * 64 + bit;
    if (!--q->count[tail])
        q->some[q->top] ^= 1ull << bit;
    q->waiting--;
    return tail;
}

/* Jobs of one instruction each, by head, on a unit that serves `width` an instruction. The queue's tables are
 * empty before and after. */
static uint32_t serve(const struct job *job, uint32_t n, unsigned width, struct queue empty) {
    uint32_t bound = 0, next = 0;
    struct queue q = empty;
    for (uint32_t t = 0; next < n || q.waiting; t++) {
        if (!q.waiting) { /* what comes alone is served at once */
            t = job[next].head > t ? job[next].head : t;
            if (next + 1 == n || job[next + 1].head > t) {
                uint32_t end = t + 1 + job[next++].tail;
                bound = end > bound ? end : bound;
                continue;
            }
        }
        while (next < n && job[next].head <= t)
            push(&q, job[next++].tail);
        for (unsigned k = width; k && q.waiting; k--) {
            uint32_t end = t + 1 + pop(&q);
            bound = end > bound ? end : bound;
        }
    }
    return bound;
}

/* The live ops by head. Returns how many. */
static uint32_t sort_by_head(const struct mir *m, const uint32_t *head, uint32_t *order) {
    uint32_t most = 0, live = 0;
    for (uint32_t i = 0; i < m->nop; i++)
        most = head[i] > most ? head[i] : most;
    uint32_t *at = ir_alloc(m->arena, (most + 2) * sizeof *at);
    if (ir_arena_oom(m->arena)) /* tables may lie in each other */
        return 0;
    for (uint32_t i = 0; i < m->nop; i++)
        at[head[i] + 1] += !m->op[i].dead;
    for (uint32_t h = 0; h < most; h++)
        at[h + 1] += at[h];
    for (uint32_t i = 0; i < m->nop; i++)
        if (!m->op[i].dead)
            order[at[head[i]]++] = i, live++;
    return live;
}

/* Readers of the same word may share an instruction: one job, as early and with as little after it as any.
 * `reader`: word -> its job + 1. */
static uint32_t add_reader(struct job *job, uint32_t count, struct job of, uint32_t word, uint32_t *reader) {
    if (word != M_NO_VALUE && reader[word]) {
        struct job *first = &job[reader[word] - 1];
        first->tail = of.tail < first->tail ? of.tail : first->tail;
        return count;
    }
    job[count++] = of;
    if (word != M_NO_VALUE)
        reader[word] = count;
    return count;
}

unsigned sched_bound(const struct sched *s) {
    const struct mir *m = s->m;
    size_t n = m->nop + 1;
    const uint32_t *head = s->least_head, *tail = s->least_tail;
    uint32_t *order = ir_alloc_uncleared(m->arena, n * sizeof *order), count[MODEL_UNITS] = {0};
    struct job *job = ir_alloc_uncleared(m->arena, MODEL_UNITS * n * sizeof *job);
    struct queue queue = queue_for(m, tail);
    uint32_t *reader = ir_alloc(m->arena, m->shader->nslots * sizeof *reader);
    if (ir_arena_oom(m->arena)) /* tables may lie in each other */
        return model_least(m);
    uint32_t live = sort_by_head(m, head, order), bound = model_least(m);
    for (uint32_t k = 0; k < live; k++) {
        const struct sched_op *op = &s->op[order[k]];
        struct job of = {head[order[k]], tail[order[k]]};
        for (uint32_t units = model_units(op->traits); units; units &= units - 1) {
            unsigned unit = (unsigned)__builtin_ctz(units);
            count[unit] = add_reader(&job[unit * n], count[unit], of,
                                     unit == MODEL_UNIT_STREAM ? op->word : M_NO_VALUE, reader);
        }
    }
    for (unsigned unit = 0; unit < MODEL_UNITS; unit++) {
        uint32_t end = serve(&job[unit * n], count[unit], model_unit[unit].width, queue);
        bound = end > bound ? end : bound;
    }
    return bound;
}
