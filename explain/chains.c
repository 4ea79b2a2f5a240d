/* The flow of values inside blocks, the longest chain of each, and what no order of its operations can beat.
 *
 * Requires: parts, blocks. Keeps: everything but the fields it fills. Latencies are the issue model's: as the
 * code is (a register file takes two instructions), and the least, had the value been anywhere
 * (sched/model.h). What must stand between an operation and the end of a block is also the model's. */
#include "explain/analysis.h"
#include "sched/model.h"

#include <string.h>

/* --- values --------------------------------------------------------------------------------------------- */

struct builder {
    struct analysis *a;
    uint32_t capacity;
    uint32_t writer[LOC_COUNT]; /* operation that wrote it last in this block, or UINT32_MAX */
    uint32_t r4_next, r4_at; /* an SFU result under way: its operation, the first instruction that has it */
    uint32_t request[2][64]; /* S writes whose results have not been fetched */
    unsigned head[2], count[2];
};

static unsigned latency_of(const struct part *from, unsigned kind, int location) {
    if (location == LOC_R4)
        return kind == PART_SIGNAL ? MODEL_SIGNAL_R4 : QPU_LAT_SFU;
    return location < LOC_ACC ? QPU_LAT_REGFILE : from->write == location ? QPU_LAT_ACC : QPU_LAT_VARY_R5;
}

/* A plain move of what a read port delivers: the port could have fed the reader, too. */
static bool is_port_read(const struct part *part) {
    return part->move && (part->port[0] >= 0 || part->port[1] >= 0) && !part->sets_flags && !part->partial &&
           !part->packs;
}

static void add_edge(struct builder *b, uint32_t from, uint32_t to, int location, unsigned latency,
                     unsigned least) {
    struct analysis *a = b->a;
    if (a->edge_count == b->capacity) {
        uint32_t capacity = b->capacity ? 2 * b->capacity : 1024;
        struct flow_edge *edge = ir_alloc(a->arena, capacity * sizeof *edge);
        if (a->edge_count)
            memcpy(edge, a->edge, a->edge_count * sizeof *edge);
        a->edge = edge;
        b->capacity = capacity;
    }
    a->edge[a->edge_count++] =
        (struct flow_edge){from, to, (uint8_t)location, (uint8_t)latency, (uint8_t)least};
}

static void read_location(struct builder *b, uint32_t to, int location) {
    uint32_t from = b->writer[location];
    if (from == UINT32_MAX)
        return;
    const struct part *part = &b->a->inst[from / PARTS].part[from % PARTS],
                      *reader = &b->a->inst[to / PARTS].part[to % PARTS];
    unsigned latency = latency_of(part, from % PARTS, location);
    unsigned least = latency < QPU_LAT_REGFILE || location == LOC_R4 ? latency : QPU_LAT_ACC;
    if (location < LOC_R4 && is_port_read(part) && !reader->unpacks)
        least = 0;
    if (reader->rotates && location >= LOC_ACC && location < LOC_R4)
        least = latency = QPU_LAT_ACC + MODEL_ROTATE_MORE;
    add_edge(b, from, to, location, latency, least);
}

static void read_part(struct builder *b, uint32_t i, unsigned k) {
    const struct part *part = &b->a->inst[i].part[k];
    uint32_t to = i * PARTS + k;
    if (part->read_a >= 0)
        read_location(b, to, LOC_A + part->read_a);
    if (part->read_b >= 0)
        read_location(b, to, LOC_B + part->read_b);
    for (int n = 0; n < 6; n++)
        if (part->read_acc >> n & 1)
            read_location(b, to, LOC_ACC + n);
    if (part->reads_flags)
        read_location(b, to, LOC_FLAGS);
    if (part->partial && part->write >= 0 && part->write < LOC_R4) { /* what it leaves */
        uint32_t from = b->writer[part->write];
        if (from != UINT32_MAX && from / PARTS < i)
            add_edge(b, from, to, part->write, 1, from % PARTS == PART_SIGNAL ? 1 : 0);
    }
    unsigned sig = b->a->inst[i].q.sig;
    if (k == PART_SIGNAL && (sig == QPU_SIG_LDTMU0 || sig == QPU_SIG_LDTMU1)) {
        unsigned unit = sig == QPU_SIG_LDTMU1;
        if (b->count[unit]) {
            uint32_t from = b->request[unit][b->head[unit]++ % 64];
            b->count[unit]--;
            add_edge(b, from, to, LOC_R4, 1, 1); /* the hardware waits by itself */
        }
    }
}

static void write_part(struct builder *b, uint32_t i, unsigned k) {
    const struct part *part = &b->a->inst[i].part[k];
    uint32_t self = i * PARTS + k;
    if (is_sfu_address(part->special)) {
        b->r4_next = self;
        b->r4_at = i + QPU_LAT_SFU;
    } else if (part->write >= 0) {
        b->writer[part->write] = self;
    }
    if (part->sets_flags)
        b->writer[LOC_FLAGS] = self;
    if (part->port[0] == QPU_R_VARY || part->port[1] == QPU_R_VARY)
        b->writer[LOC_R5] = self;
    if (is_request(part->special)) {
        unsigned unit = part->special == QPU_W_TMU1_S;
        if (b->count[unit] < 64)
            b->request[unit][(b->head[unit] + b->count[unit]++) % 64] = self;
    }
}

static void block_values(struct builder *b, const struct qpucc_explain_block *block) {
    struct analysis *a = b->a;
    memset(b->writer, 0xff, sizeof b->writer);
    memset(b->count, 0, sizeof b->count);
    b->r4_next = UINT32_MAX;
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        if (b->r4_next != UINT32_MAX && i >= b->r4_at) {
            b->writer[LOC_R4] = b->r4_next;
            b->r4_next = UINT32_MAX;
        }
        for (unsigned k = 0; k < PARTS; k++) {
            a->edge_first[i * PARTS + k] = a->edge_count;
            read_part(b, i, k);
        }
        for (unsigned k = 0; k < PARTS; k++)
            write_part(b, i, k);
    }
}

/* --- paths and bounds ----------------------------------------------------------------------------------- */

/* What an operation needs of the end of its block. */
struct ending {
    bool program;    /* the block ends the program */
    uint32_t setter; /* operation whose flags the first branch reads, or UINT32_MAX */
    unsigned branches;
};

static struct ending ending_of(const struct analysis *a, const struct qpucc_explain_block *block) {
    struct ending end = {.setter = UINT32_MAX};
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        end.program |= a->inst[i].q.sig == QPU_SIG_THREND;
        if (a->inst[i].q.type != QPU_BRANCH)
            continue;
        if (!end.branches++)
            for (uint32_t e = a->edge_first[i * PARTS + PART_SIGNAL]; e < a->edge_first[i * PARTS + PARTS];
                 e++)
                if (a->edge[e].location == LOC_FLAGS)
                    end.setter = a->edge[e].from;
    }
    return end;
}

/* Instructions that have to follow it; model_tail for code. */
static uint32_t tail_of(const struct part *part, uint32_t index, const struct ending *end) {
    if (end->program) {
        bool io = part->port[0] == QPU_R_UNIF || part->port[1] == QPU_R_UNIF || part->port[0] == QPU_R_VARY ||
                  part->port[1] == QPU_R_VARY || part->port[0] == QPU_R_VPM || part->port[1] == QPU_R_VPM ||
                  is_tmu_address(part->special) ||
                  (part->special >= QPU_W_VPM && part->special <= QPU_W_VPM_SETUP);
        return io ? MODEL_END : 0;
    }
    uint32_t second = end->branches > 1 ? MODEL_BRANCH : 0;
    return index == end->setter ? second + MODEL_BRANCH : second;
}

static uint32_t head_of(const struct analysis *a, const struct part *part,
                        const struct qpucc_explain_block *block) {
    bool entry = block == a->block;
    bool late = is_tmu_address(part->special) || is_tile_address(part->special);
    return entry && late ? MODEL_ENTRY : 0;
}

struct paths {
    uint32_t *head, *tail; /* by operation: instructions before, from its own on to the end */
};

static void find_paths(struct analysis *a, struct qpucc_explain_block *block, struct paths *p) {
    uint32_t first = block->first * PARTS, end = (block->first + block->count) * PARTS;
    struct ending ending = ending_of(a, block);
    for (uint32_t op = first; op < end; op++) {
        const struct part *part = &a->inst[op / PARTS].part[op % PARTS];
        p->head[op] = part->used ? head_of(a, part, block) : 0;
        p->tail[op] = part->used ? tail_of(part, op, &ending) + 1 : 0;
        for (uint32_t e = a->edge_first[op]; e < a->edge_first[op + 1]; e++) {
            uint32_t at = p->head[a->edge[e].from] + a->edge[e].least;
            p->head[op] = at > p->head[op] ? at : p->head[op];
        }
    }
    for (uint32_t op = end; op-- > first;)
        for (uint32_t e = a->edge_first[op]; e < a->edge_first[op + 1]; e++) {
            uint32_t *tail = &p->tail[a->edge[e].from], after = p->tail[op] + a->edge[e].least;
            *tail = after > *tail ? after : *tail;
        }
}

/* The operations of the longest chain, from its beginning. */
static void follow_path(struct analysis *a, struct qpucc_explain_block *block, const struct paths *p) {
    uint32_t first = block->first * PARTS, end = (block->first + block->count) * PARTS, at = UINT32_MAX,
             n = 0;
    for (uint32_t op = first; op < end; op++)
        if (a->inst[op / PARTS].part[op % PARTS].used) {
            uint32_t length = p->head[op] + p->tail[op];
            if (length > block->dependency_bound)
                block->dependency_bound = length;
        }
    for (uint32_t op = end; op-- > first && at == UINT32_MAX;)
        if (p->head[op] + p->tail[op] == block->dependency_bound && p->tail[op])
            at = op; /* the last one on it */
    uint32_t *path = ir_alloc(a->arena, (block->count + 1) * sizeof *path);
    while (at != UINT32_MAX) {
        uint32_t next = UINT32_MAX;
        if (!n || path[n - 1] != at / PARTS)
            path[n++] = at / PARTS;
        a->text[at / PARTS].on_longest_path = true;
        for (uint32_t e = a->edge_first[at]; e < a->edge_first[at + 1] && next == UINT32_MAX; e++)
            if (p->head[a->edge[e].from] + a->edge[e].least == p->head[at])
                next = a->edge[e].from;
        at = next;
    }
    for (uint32_t k = 0; k < n / 2; k++) {
        uint32_t other = path[k];
        path[k] = path[n - 1 - k];
        path[n - 1 - k] = other;
    }
    block->path = path;
    block->path_count = n;
}

/* Operations that need a unit, served `width` an instruction, between the least head and the least tail. */
static unsigned serve(struct analysis *a, const struct qpucc_explain_block *block, const struct paths *p,
                      unsigned units, unsigned width, bool by_instruction) {
    uint32_t jobs = 0, head = UINT32_MAX, tail = UINT32_MAX;
    for (uint32_t i = block->first; i < block->first + block->count; i++) {
        bool counted = false;
        for (unsigned k = 0; k < PARTS; k++) {
            const struct part *part = &a->inst[i].part[k];
            uint32_t op = i * PARTS + k;
            if (!part->used || !(part->units & units))
                continue;
            jobs += !(counted && by_instruction);
            counted = true;
            head = p->head[op] < head ? p->head[op] : head;
            tail = p->tail[op] - 1 < tail ? p->tail[op] - 1 : tail;
        }
    }
    return jobs ? head + (jobs + width - 1) / width + tail : 0;
}

/* Can the other ALU do it, too? */
static bool is_either(const struct part *part, unsigned k) {
    bool bytes = k == PART_ADD ? part->op == QPU_A_V8ADDS || part->op == QPU_A_V8SUBS
                               : part->op == QPU_M_V8ADDS || part->op == QPU_M_V8SUBS;
    return part->move || bytes || !part->op; /* no op: a load immediate */
}

static void bound_block(struct analysis *a, struct qpucc_explain_block *block, const struct paths *p) {
    struct qpucc_explain_stage *out = a->out;
    unsigned alus = (1u << QPUCC_RESOURCE_ADD) | (1u << QPUCC_RESOURCE_MUL), most = block->dependency_bound;
    unsigned both = serve(a, block, p, alus, 2, false);
    out->alu_bound += both;
    most = both > most ? both : most;
    for (unsigned u = 0; u < QPUCC_RESOURCE_COUNT; u++) {
        uint32_t saved = 0, either = 0;
        if (u == QPUCC_RESOURCE_ADD || u == QPUCC_RESOURCE_MUL) { /* what only this one can do */
            for (uint32_t i = block->first; i < block->first + block->count; i++)
                either += a->inst[i].part[u].used && is_either(&a->inst[i].part[u], u);
            saved = either;
        }
        unsigned bound = serve(a, block, p, 1u << u, 1, true);
        bound = bound > saved ? bound - saved : 0;
        out->unit_bound[u] += bound;
        bool ports =
            u == QPUCC_RESOURCE_READ_A || u == QPUCC_RESOURCE_READ_B; /* values might have been elsewhere */
        bool signal = u == QPUCC_RESOURCE_SIGNAL; /* a small immediate might have been a word of the stream */
        if (!ports && !signal && u != QPUCC_RESOURCE_UNIFORM && bound > most)
            most = bound;
    }
    block->bound = most;
    out->dependency_bound += block->dependency_bound;
    out->lower_bound += most;
}

void explain_chains(struct analysis *a) {
    struct builder b = {.a = a};
    struct paths p;
    size_t ops = (size_t)a->count * PARTS + 1;
    a->edge_first = ir_alloc(a->arena, ops * sizeof *a->edge_first);
    p.head = ir_alloc(a->arena, ops * sizeof *p.head);
    p.tail = ir_alloc(a->arena, ops * sizeof *p.tail);
    for (uint32_t k = 0; k < a->out->block_count; k++)
        block_values(&b, &a->block[k]);
    a->edge_first[ops - 1] = a->edge_count;
    for (uint32_t k = 0; k < a->out->block_count; k++) {
        struct qpucc_explain_block *block = &a->block[k];
        find_paths(a, block, &p);
        follow_path(a, block, &p);
        bound_block(a, block, &p);
        for (uint32_t i = block->first; i < block->first + block->count; i++) {
            uint32_t longest = 0;
            for (unsigned n = 0; n < PARTS; n++) {
                uint32_t length = p.head[i * PARTS + n] + p.tail[i * PARTS + n];
                longest = a->inst[i].part[n].used && length > longest ? length : longest;
            }
            a->text[i].slack = longest ? block->dependency_bound - longest : block->dependency_bound;
        }
    }
}
