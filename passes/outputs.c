/* outputs: the words of a shaded vertex are written in the order in which they are ready.
 *
 * requires: a lowered vertex or coordinate shader after the cut, with its VPM_OUTs in one block.
 * keeps:    everything but the order of the VPM_OUTs.
 * breaks:   nothing.
 *
 * Writes go through one FIFO, at most one in an instruction, to addresses that rise by one, or fall where
 * the chip does that (rows_fall; backend/select.c). The screen position, which waits for the reciprocal of
 * W and comes first, would delay everything after it. A write setup moves the address (guide section 7: it
 * is valid for any number of writes, and is executed in order with them). So words that are ready early are
 * written before the late ones, each kind in runs of rising or falling words: often all in one run that
 * falls. Estimated times (the longest path to each value in its block) and the shader's size decide whether
 * that pays.
 *
 * Rows that only rise are seldom one run, and what another setup costs depends on what else is in its
 * instruction. So there are two answers: one by what a setup costs where the stream and the VPM are what is
 * short, and another one (other_outputs) by what it costs beside other work. */
#include "passes/passes.h"

struct outputs {
    struct ir_inst **word; /* the VPM_OUTs in their order */
    uint32_t *ready;       /* when the value of each is there */
    uint32_t *phase[3];    /* a candidate's: which words, and how many */
    uint32_t words[3];
    uint32_t *order; /* a candidate: indices of word[] */
    uint32_t count, setup;
    bool fall;
};

/* In which order: words ready by `first`, those by `second`, and the rest; bits of `down`: of which of these
 * the rows fall. */
struct arrangement {
    uint32_t first, second;
    unsigned down;
};

/* Operations of shaders that wait more than they work. In larger ones every ALU is busy while the reciprocal
 * is made, and another setup costs more than the wait. Measured over the corpus. */
enum { LATE_VERTEX = 60, LATE_COORDINATE = 30 };

/* In halves of instructions, beside the one before its write. */
enum { SETUP_FALL = 3, SETUP_RISE = 5, SETUP_OTHER = 1 };

/* Longest ways within `block`; what comes from other blocks is there. */
static void find_times(const struct ir_block *block, uint32_t *time, uint32_t ids) {
    ir_for_insts(block, inst) {
        if (inst->id >= ids || inst->op == IR_PHI || inst->op == IR_CONST || inst->op == IR_UNIFORM)
            continue;
        uint32_t start = inst->op == IR_ATTR ? inst->imm + 1 : 0;
        for (uint32_t k = 0; k < inst->nsrc; k++)
            if (time[inst->src[k]->id] > start)
                start = time[inst->src[k]->id];
        time[inst->id] = start + ir_ops[inst->op].latency;
    }
}

/* What an order costs. Most of all, in halves of instructions: when the last write is done. A setup takes an
 * instruction before its write and `setup` halves more, because it takes a word of the stream and an ALU
 * where it does not hold up a write. A word that goes through as it is takes one and a half where it is
 * written after a later one, because it then has to be held (backend/select_emit.c). Among equals: how long
 * words wait. */
static uint32_t cost_of(const struct outputs *o) {
    enum { TIME = 2, COPY = 3, SCALE = 1000 };
    uint32_t at = 0, more = 0, wait = 0, read = 0;
    int64_t step = 0; /* a run of rows goes up or down */
    for (uint32_t i = 0; i < o->count; i++) {
        uint32_t k = o->order[i];
        const struct ir_inst *word = o->word[k], *from = word->src[0];
        int64_t by = i ? (int64_t)word->imm - o->word[o->order[i - 1]]->imm : 0;
        bool follows = (by == 1 || (by == -1 && o->fall)) && (!step || by == step);
        step = follows ? by : 0;
        at += follows ? 1 : 2;
        more += follows ? 0 : o->setup;
        if (at < o->ready[k])
            at = o->ready[k];
        wait += at - o->ready[k];
        if (from->op != IR_ATTR)
            continue;
        more += from->imm < read ? COPY : 0;
        read = from->imm;
    }
    return (TIME * at + more) * SCALE + wait;
}

/* Words ready by `first` are of phase 0, then those by `second` of 1, then the rest. Returns of which phases
 * the rows may rise or fall: those of several words. */
static unsigned divide(struct outputs *o, uint32_t first, uint32_t second) {
    for (unsigned phase = 0; phase < 3; phase++)
        o->words[phase] = 0;
    for (uint32_t k = 0; k < o->count; k++) {
        unsigned phase = o->ready[k] <= first ? 0 : o->ready[k] <= second ? 1 : 2;
        o->phase[phase][o->words[phase]++] = k;
    }
    return (o->words[0] > 1) | (o->words[1] > 1) << 1 | (o->words[2] > 1) << 2;
}

/* One phase after the other, those in `down` from the last one. */
static void arrange(struct outputs *o, unsigned down) {
    uint32_t n = 0;
    for (unsigned phase = 0; phase < 3; phase++)
        for (uint32_t i = 0, words = o->words[phase]; i < words; i++)
            o->order[n++] = o->phase[phase][down >> phase & 1 ? words - 1 - i : i];
}

/* An earlier word is ready at the same time. */
static bool is_repeated(const struct outputs *o, uint32_t i) {
    for (uint32_t k = 0; k < i; k++)
        if (o->ready[k] == o->ready[i])
            return true;
    return false;
}

static bool reorder(struct outputs *o) {
    struct arrangement best = {UINT32_MAX, UINT32_MAX, 0};
    divide(o, best.first, best.second);
    arrange(o, best.down);
    uint32_t least = cost_of(o);
    bool found = false;
    for (uint32_t i = 0; i < o->count; i++)
        for (uint32_t j = is_repeated(o, i) ? o->count : 0; j < o->count; j++) {
            if (o->ready[j] < o->ready[i] || is_repeated(o, j))
                continue;
            unsigned several = divide(o, o->ready[i], o->ready[j]), free = o->fall ? several : 0;
            for (unsigned down = 0; down < 8; down++) {
                if (down & ~free) /* the same as without */
                    continue;
                struct arrangement a = {o->ready[i], o->ready[j], down};
                arrange(o, down);
                uint32_t now = cost_of(o);
                if (now < least) {
                    least = now;
                    best = a;
                    found = true;
                }
            }
        }
    divide(o, best.first, best.second);
    arrange(o, best.down);
    return found;
}

bool pass_outputs(struct ir_shader *shader, const struct pass_options *options) {
    if (!shader->lowered || shader->stage == QPUCC_FRAGMENT || options->level < 1)
        return false;
    struct outputs o = {.fall = options->rows_fall,
                        .setup = options->rows_fall       ? SETUP_FALL
                                 : options->other_outputs ? SETUP_OTHER
                                                          : SETUP_RISE};
    struct ir_block *last_block = NULL;
    uint32_t work = 0;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            work += inst->op != IR_CONST && inst->op != IR_UNIFORM && inst->op != IR_ATTR;
            if (inst->op != IR_VPM_OUT)
                continue;
            if (last_block && last_block != block)
                return false;
            last_block = block;
            o.count++;
        }
    }
    if (o.count < 2 || work > (shader->stage == QPUCC_VERTEX ? LATE_VERTEX : LATE_COORDINATE))
        return false;
    o.word = ir_alloc(shader->arena, o.count * sizeof *o.word);
    o.ready = ir_alloc(shader->arena, o.count * sizeof *o.ready);
    o.order = ir_alloc(shader->arena, o.count * sizeof *o.order);
    for (unsigned phase = 0; phase < 3; phase++)
        o.phase[phase] = ir_alloc(shader->arena, o.count * sizeof **o.phase);
    uint32_t *time = ir_alloc(shader->arena, (size_t)(shader->next_id + 1) * sizeof *time);
    if (ir_arena_oom(shader->arena))
        return false;
    find_times(last_block, time, shader->next_id);
    uint32_t n = 0;
    ir_for_insts(last_block, inst) {
        if (inst->op != IR_VPM_OUT)
            continue;
        if (n && inst->imm <= o.word[n - 1]->imm && !options->other_outputs)
            return false; /* done already */
        uint32_t at = n++;
        for (; at && o.word[at - 1]->imm > inst->imm; at--)
            o.word[at] = o.word[at - 1];
        o.word[at] = inst;
    }
    for (uint32_t k = 0; k < n; k++)
        o.ready[k] = time[o.word[k]->id];
    if (!reorder(&o) && !options->other_outputs)
        return false;
    for (uint32_t i = 0; i < o.count; i++)
        ir_move_to_end(o.word[o.order[i]], last_block);
    return true;
}
