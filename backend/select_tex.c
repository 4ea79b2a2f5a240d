/* Requests to the texture units, and the thread switches between them and their results.
 *
 * Requires: requests in the order of the IR. Keeps: the FIFOs' order and depth (guide section 4).
 *
 * One thread: a request, later its result, with as many in flight as the FIFOs hold. Two threads (half of
 * each FIFO is the other's): requests go in batches, a thread switch follows each batch, and its results are
 * read after the switch and before the next one. */
#include "backend/select.h"

/* One request to a texture unit: which unit, what has to come before its first and its last write. */
struct request {
    unsigned unit, words;
    uint32_t previous, oldest, first, batch;
};

static bool two_threads(const struct sel *s) {
    return s->m->options.threads == 2;
}

/* Switches that the value of an instruction waits for. */
uint32_t sel_level_of(const struct sel *s, const struct ir_inst *inst) {
    uint32_t level = 0;
    for (uint32_t k = 0; k < inst->nsrc; k++)
        if (s->level[inst->src[k]->id] > level)
            level = s->level[inst->src[k]->id];
    return level;
}

static uint32_t new_switch(struct sel *s) {
    uint32_t op = sel_emit_raw(s, 0, 0, 0, (struct m_src){0}, (struct m_src){0});
    s->m->op[op].sig = QPU_SIG_THRSW;
    if (s->nswitch) {
        m_add_edge(s->m, s->thread_switch[s->nswitch - 1], op, QPU_THREAD_SLOTS + 1, false);
        for (int u = 0; u < 2;
             u++) /* what the last batch asked for is read before the thread gives way again */
            if (s->tmu_last_ld[u] != M_NO_VALUE)
                m_add_edge(s->m, s->tmu_last_ld[u], op, 1, false);
    }
    s->thread_switch[s->nswitch] = op;
    s->batch_words[0] = s->batch_words[1] = 0;
    return s->nswitch++;
}

/* The unit and batch of a request of `words` words, when there are two threads. */
static void join_batch(struct sel *s, struct request *q, uint32_t level) {
    bool fits = s->nswitch && level < s->nswitch;
    q->unit = s->batch_words[0] <= s->batch_words[1] ? 0 : 1;
    if (!fits || s->batch_words[q->unit] + q->words > 4) {
        new_switch(s);
        q->unit = 0;
    }
    s->batch_words[q->unit] += q->words == 1 ? 2 : q->words; /* two results at most */
    q->batch = s->nswitch - 1;
}

static struct request request_begin(struct sel *s, unsigned words, uint32_t level) {
    struct request q = {
        .unit = s->tmu_count[0] <= s->tmu_count[1] ? 0 : 1, .words = words, .first = M_NO_VALUE};
    /* the request FIFO holds eight words and four results, half of that for each of two threads: older
     * requests must have been fetched */
    unsigned most_words = 8, most_results = 4, held = words, results = 1;
    if (two_threads(s)) {
        join_batch(s, &q, level);
        most_words = 4;
        most_results = 2;
    }
    q.previous = s->tmu_last_s[q.unit];
    q.oldest = M_NO_VALUE;
    for (unsigned k = s->tmu_count[q.unit]; k-- > 0 && q.oldest == M_NO_VALUE; results++) {
        uint32_t load = s->tmu_ld[q.unit][k];
        held += s->m->op[load].tmu_words;
        if (held > most_words || results == most_results)
            q.oldest = load;
    }
    return q;
}

/* The switch that ended the batch before: nothing is asked for early, or it would wait through two switches.
 */
static uint32_t request_switch(const struct sel *s, const struct request *q) {
    return two_threads(s) && q->batch ? s->thread_switch[q->batch - 1] : M_NO_VALUE;
}

static void request_write(struct sel *s, struct request *q, uint32_t op) {
    if (request_switch(s, q) != M_NO_VALUE)
        m_add_edge(s->m, request_switch(s, q), op, QPU_THREAD_SLOTS + 1, false);
    if (q->previous != M_NO_VALUE)
        m_add_edge(s->m, q->previous, op, 1, false);
    if (q->first == M_NO_VALUE && q->oldest != M_NO_VALUE)
        m_add_edge(s->m, q->oldest, op, 1, false);
    s->m->op[op].request = q->first == M_NO_VALUE ? M_NO_VALUE : q->previous;
    q->first = q->previous = op;
}

static uint32_t request_end(struct sel *s, struct request *q) {
    uint32_t load = sel_emit_raw(s, 0, 0, 0, (struct m_src){0}, (struct m_src){0});
    s->m->op[load].sig = q->unit ? QPU_SIG_LDTMU1 : QPU_SIG_LDTMU0;
    s->m->op[load].r4 = true;
    s->m->op[load].request = q->previous;
    s->m->op[load].tmu_words = (uint8_t)q->words;
    if (two_threads(s)) {
        m_add_edge(s->m, q->previous, s->thread_switch[q->batch], 1, false);
        m_add_edge(s->m, s->thread_switch[q->batch], load, QPU_THREAD_SLOTS + 1, false);
    } else {
        m_add_edge(s->m, q->previous, load, QPU_LAT_TMU, true);
    }
    sel_chain(s, &s->tmu_last_ld[q->unit], load);
    s->tmu_last_s[q->unit] = q->previous;
    s->tmu_ld[q->unit][s->tmu_count[q->unit]++] = load;
    s->m->ntmu++;
    return sel_emit_to_new(s, load);
}

/* Coordinates go T, R, B, S: S last submits. Each pulls the next set-up word (guide section 4). */
void select_tex(struct sel *s, struct ir_inst *i) {
    bool lod = i->aux & IR_TEX_LOD;
    uint32_t nplain = ir_tex_coordinates(i);
    const struct ir_inst *extra = i->nsrc > nplain ? i->src[nplain] : NULL;
    struct {
        unsigned reg;
        const struct ir_inst *coord;
    } write[4];
    unsigned n = 0;
    write[n].reg = 1, write[n++].coord = i->src[1];
    if (nplain == 3) /* a cube's third coordinate, or the border's colour */
        write[n].reg = 2, write[n++].coord = i->src[2];
    if (extra)
        write[n].reg = 3, write[n++].coord = extra;
    write[n].reg = 0, write[n++].coord = i->src[0];
    struct request q = request_begin(s, n, sel_level_of(s, i));
    for (unsigned k = 0; k < n; k++) {
        uint32_t after[3] = {q.previous, q.first == M_NO_VALUE ? q.oldest : M_NO_VALUE,
                             request_switch(s, &q)};
        uint32_t op =
            sel_write_peripheral(s, write[k].coord, QPU_W_TMU0_S + 4 * q.unit + write[k].reg, after, true);
        struct ir_slot slot = {.kind = IR_SLOT_TEX, .param = (uint8_t)k, .type = IR_I32, .value = i->imm};
        uint32_t word = ir_slot(s->m->shader, slot);
        if (k == 2 && lod) { /* type 1 with BSLOD: the bias is the level (guide table 17) */
            uint32_t bits = ir_slot_const(s->m->shader, IR_I32, 0x40000001u);
            word = ir_slot(
                s->m->shader,
                (struct ir_slot){
                    .kind = IR_SLOT_EXPR, .op = IR_IOR, .narg = 2, .type = IR_I32, .arg = {word, bits}});
        }
        s->m->op[op].tmu_slot = word;
        request_write(s, &q, op);
    }
    s->val[i->id] = request_end(s, &q);
    s->level[i->id] = two_threads(s) ? q.batch + 1 : 0;
}

/* The validator follows a limited index from register to register through these operations only: no copies,
 * and a switch makes it forget accumulators. */
static uint32_t keep_limited(struct sel *s, uint32_t value) {
    s->m->val[value].no_copy = true;
    if (two_threads(s))
        m_restrict_reads(s->m, value, M_IN_FILES);
    return value;
}

/* An index in bytes, at most what the slot `most` says, in the one form that the kernel accepts
 * (docs/hardware.md, Kernel): max(x, 0), min(that, uniform), add ALU only, operands in this order. What reads
 * an element's words asks for the same one several times, what reads its neighbours for other ends. */
static uint32_t limited_index(struct sel *s, struct ir_inst *index, bool words, uint32_t most) {
    enum { KEPT = sizeof s->limited / sizeof *s->limited };
    uint32_t low = M_NO_VALUE;
    for (uint32_t k = 0; k < KEPT; k++) {
        if (s->limited[k].index != index || s->limited[k].words != words)
            continue;
        if (s->limited[k].most == most)
            return s->limited[k].value;
        low = s->limited[k].low;
    }
    if (low == M_NO_VALUE) {
        struct m_src x = sel_in_register(s, sel_operand(s, index, false));
        if (words)
            x = src_val(sel_value2(s, QPU_A_SHL, 0, x, src_imm(2)));
        low = keep_limited(s, sel_value2(s, QPU_A_MAX, 0, x, src_imm(0)));
        s->m->op[s->m->val[low].def].small_imm_only = true;
    }
    uint32_t value = keep_limited(s, sel_value2(s, QPU_A_MIN, 0, src_val(low), src_slot(most)));
    struct limited_index *kept = &s->limited[s->nlimited++ % KEPT];
    *kept = (struct limited_index){index, words, most, low, value};
    return value;
}

/* A word from memory: the limited index and an address, in this order, to S. */
static void select_direct(struct sel *s, struct ir_inst *i, uint32_t safe, struct ir_slot address) {
    struct m_src base = src_slot(ir_slot(s->m->shader, address));
    struct request q = request_begin(s, 1, sel_level_of(s, i));
    uint32_t op = sel_emit_raw(s, QPU_A_ADD, 0, 2, src_val(safe), base);
    s->m->op[op].waddr = (uint8_t)(QPU_W_TMU0_S + 4 * q.unit);
    request_write(s, &q, op);
    s->val[i->id] = request_end(s, &q);
    s->level[i->id] = two_threads(s) ? q.batch + 1 : 0;
}

void select_uniform_at(struct sel *s, struct ir_inst *i) {
    uint32_t most = ir_slot_const(s->m->shader, IR_I32, i->aux ? 4 * (i->aux - 1) : 0);
    struct ir_slot address = {.kind = IR_SLOT_ARRAY, .type = IR_I32, .value = i->imm};
    select_direct(s, i, limited_index(s, i->src[0], true, most), address);
}

void select_buffer_at(struct sel *s, struct ir_inst *i) {
    struct ir_slot address = {.kind = IR_SLOT_TEX, .type = IR_I32, .value = i->imm}, last = address;
    last.param = 1;
    uint32_t most = ir_slot(s->m->shader, last);
    select_direct(s, i, limited_index(s, i->src[0], false, most), address);
}

/* The last switch says so, and the tile buffer is touched only after it (guide section 3, "Thread control").
 * What lives across a switch does so in a file. */
void sel_last_switch(struct sel *s) {
    struct mir *m = s->m;
    if (!m->last)
        return;
    if (!s->nswitch && two_threads(s)) /* what was fetched was fetched in other blocks */
        new_switch(s);
    if (!s->nswitch)
        return;
    uint32_t last = s->thread_switch[s->nswitch - 1];
    m->op[last].sig = QPU_SIG_LTHRSW;
    for (uint32_t i = 0; i < m->nop; i++)
        if (!m->op[i].dead && (m->op[i].sig == QPU_SIG_LOADC || (m->op[i].waddr >= QPU_W_TLB_STENCIL &&
                                                                 m->op[i].waddr <= QPU_W_TLB_ALPHA_MASK)))
            m_add_edge(m, last, i, QPU_THREAD_SLOTS + 1, false);
}
