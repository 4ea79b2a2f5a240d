/* Private to sched/: the state of a block's schedule, and what the files that work on it offer each other.
 *
 * struct sched has the block, which stays, and one partial schedule: how far it has come (`now`) and what is
 * known of each op, value and place (the tables). Only sched_list_step (list.c) extends it, by an
 * instruction. All schedules are walks over it: a run takes one step after the other, by a strategy or by a
 * plan that decides more; the beam (beam.c) keeps many copies of the state side by side. The searches through
 * orders (search.h) make plans, on sets of placements instead of places. */
#ifndef QPUCC_SCHEDULE_H
#define QPUCC_SCHEDULE_H

#include "mir/mir.h"
#include "sched/model.h"
#include "sched/sched.h"

/* Owner of a place whose contents other blocks need. */
#define PLACE_KEPT (M_NO_VALUE - 1)

/* An instruction that has an op already is offered only this many of the ready ops. */
enum { SCHED_LOOK = 64 };

/* A block with fewer ops is small, as most are: less is tried for it. */
enum { SCHED_MEDIUM = 64 };

enum sched_order { BY_SOURCE, BY_DEPTH, BY_PRESSURE, SCHED_ORDERS };

/* How a run weighs decisions that have no right answer. Several are tried, and the shortest result is
 * kept. */
struct sched_strategy {
    double height;   /* weight of the path to the end */
    double order;    /* weight of the source's order */
    double pressure; /* weight of values killed minus made, always */
    double acc;      /* reluctance to use an accumulator */
    double reuse;    /* how far further reads make up for a long life in one */
    double stream;   /* weight of reading a word of the stream */
    double tmu;      /* weight of a texture request */
    uint8_t by;      /* enum sched_order that `order` and `window` refer to */
    uint32_t window; /* how far ahead of the first op that waits to look; 0: everywhere */
};

/* Weights that all strategies share. */
struct sched_weights {
#define WEIGHT(name, value) double name;
#include "sched/weights.def"
#undef WEIGHT
};
extern const struct sched_weights sched_weights;

/* A dive tries ops by falling sums of these (likely.c). */
struct sched_dive_weights {
    int tail;    /* for each instruction that has to follow */
    int order;   /* for each 16 ops before it in the source */
    int either;  /* both ALUs can do it */
    int word;    /* it takes a word of the stream */
    int frees;   /* for each value that it reads last */
    int later;   /* for each read to come of the others */
    int readers; /* for each reader of what it makes */
};

/* What a run looks at often of an op. Where there is no `src`, `tied` or `dst` it is nval, the index of a
 * dummy value that nothing reads. */
struct sched_op {
    double base_priority;
    uint32_t traits, word; /* word: slot that it has to read from the stream, or M_NO_VALUE */
    uint32_t src[2], tied, dst;
    int32_t flags, r5; /* by how many ops more wait to read these once it is issued */
};

/* In place of a register: the op reads none of the file. */
enum { SCHED_NO_READ = 32 };

/* What an op waits for. */
struct sched_wait {
    uint32_t npred;
    uint32_t earliest, late; /* first instruction by its edges; `late`: if the hardware stalls where it can */
    uint32_t arrival;        /* of what it takes out of a FIFO: it stalls until then */
    /* known once its predecessors are issued, and with them the places of its operands */
    union {
        struct {
            uint32_t from, hard; /* as earliest and late, with the latencies of its operands */
        };
        uint32_t due[2]; /* from, hard */
    };
    uint8_t a, b; /* registers of file A and B that it reads, or SCHED_NO_READ */
    bool clash;   /* its operands lie in one file: one has to move first */
    bool issued;
    bool ported; /* a read port can feed it in this instruction, and only in this one */
};

struct sched_value {
    uint32_t available; /* first instruction that may read it */
    uint32_t uses_left;
    uint32_t born; /* instruction that writes it */
    uint16_t pins_left;
    int16_t where; /* enum place */
};

/* Which places are taken; owner[] says by whom. */
struct sched_places {
    uint64_t free_files;         /* the free ones as bits: A low, B high; none past nregs */
    uint64_t promised, borrowed; /* registers that are written here for other blocks, and those of them that
                                    hold something else until then */
    uint8_t free_acc;
    uint64_t kept;    /* a hash: equal where the same values are in the same kinds of places */
    unsigned n_free;  /* places */
    int late;         /* place that becomes free in the next instruction, or PLACE_NONE */
    uint64_t used[2]; /* registers ever used, A and B */
    unsigned used_acc;
};

/* What one instruction changed in the tables: ops that went in, values that moved. */
enum { SCHED_TRACE = 6, SCHED_MOVED = 1u << 31 };
struct sched_trace {
    uint32_t count;             /* more than SCHED_TRACE: the rest is not here */
    uint32_t item[SCHED_TRACE]; /* op, or value + SCHED_MOVED */
};

/* The instruction being filled. */
struct slots {
    struct qpu_inst q;
    uint32_t refused; /* traits that it has no more room for */
    bool add_used, mul_used;
    int16_t a_addr, b_addr; /* read port addresses, -1 free */
    bool b_imm;
    bool no_imm;          /* a direct lookup is in: the kernel accepts none beside a small immediate */
    uint32_t slot;        /* uniform pulled by a read, M_NO_VALUE: none */
    uint32_t tmu_slot;    /* pulled by a texture coordinate write */
    bool a_read, r4_read; /* an op reads through file A's port, r4 */
    uint8_t a_unpack, r4_unpack;
    bool a_float;
    int8_t pm, ws; /* -1: open */
    struct ir_loc loc;
    uint16_t label[3]; /* as in m_inst */
    bool any;
};

/* A partial schedule, but for its tables. */
struct sched_progress {
    struct sched_places places;
    uint32_t t;               /* instruction */
    uint32_t nready, nported; /* length of these lists */
    uint32_t n_switches;      /* ready ops that are thread switches */
    uint32_t n_pairs;         /* ready ops that may end two values and make none */
    uint32_t n_switched;      /* thread switches issued */
    uint32_t left, left_add, left_mul, left_stream, left_alu; /* ops not issued yet, as nlive and so on */
    uint32_t end;     /* the block will be no shorter, apart from empty instructions that finish.c removes */
    uint32_t n_empty; /* empty instructions */
    uint32_t n_idle;  /* the last of them, which nothing went into */
    uint32_t stall;
    uint32_t stream_from; /* first instruction that may read the uniform stream */
    uint32_t r4_free_at;  /* first instruction that may start another r4 result */
    uint32_t flags_pending, r5_pending;
    uint32_t switch_done; /* first instruction after the switch under way */
    bool drain;           /* a thread switch is near: nothing new in accumulators, r4, r5 or flags */
    uint64_t issued;      /* a hash: equal for equal sets of ops */
};

/* How an attempt decides, and when it ends. */
struct sched_options {
    const struct sched_strategy *strategy;
    const struct sched_weights *weights;
    const struct sched_dive_weights *dive;
    const int *dive_bias;          /* by op, added to its sum in a dive; or NULL */
    const uint32_t *rank;          /* one of sched's orders */
    const struct sched_plan *plan; /* that the run follows, or NULL */
    const uint32_t *life;          /* value -> lifetime in an earlier attempt, or NULL */
    bool searching;                /* the attempt is optional: its work counts against the search account */
    uint64_t limit;                /* a cost (mir/objective.h): what must cost more is given up */
    uint64_t most_work;            /* of the whole compile: beyond it attempts end; 0: no limit */
};

struct sched {
    struct mir *m;
    struct sched_options options;

    /* --- the block --- */

    unsigned nregs;    /* registers per file: 32, or 16 for two threads */
    uint64_t occupied; /* those that other blocks' values keep, A low, B high */
    /* the dependence graph */
    uint32_t *succ_first; /* edges by the op that they come from ... */
    struct m_edge *edge;
    uint32_t nedge;
    uint32_t *pred_first, *pred; /* ... and by the one that they lead to: where they come from */
    uint32_t *use_first, *use;   /* reading ops by value */
    bool *crosses;    /* by value: a reader depends on a thread switch, its own op does not; or NULL */
    uint32_t nswitch; /* thread switches in the block */
    uint32_t *sorted; /* the ops, topologically */
    uint32_t *height;
    uint32_t *least_head, *least_tail; /* by op: the longest path to it, and from it to the block's end, by
                                          the latencies of files where there is no other way */
    uint16_t *least_distance;          /* and by edge */
    uint32_t *tail;                /* the same by accumulators' latencies, for runs; NULL: none has begun */
    uint32_t *order[SCHED_ORDERS]; /* orders of the ops, as ranks */
    struct sched_op *op;
    uint32_t nlive, nadd, nmul, nstream; /* ops: all, for one ALU only, those that read the stream */
    uint32_t nalu, alu_tail;             /* those that take an ALU, and the shortest tail of these */
    uint32_t imm_slot[48];               /* words of the stream for small immediates, + 1; 0: none made yet */

    /* --- what every attempt starts from --- */

    const void *first_tables;
    struct sched_places first_places;
    uint32_t nfirst_ready;

    /* --- the attempt under way --- */

    struct m_code code;
    struct sched_progress now;
    /* the tables, which lie in one piece of memory */
    size_t tables_size;
    struct sched_wait *wait;
    struct sched_value *value;
    uint32_t *owner;   /* by place: value, M_NO_VALUE: free, PLACE_KEPT: another block's */
    uint32_t *ready;   /* ops whose predecessors are issued, by falling base priority */
    uint32_t *sorting; /* as large as `ready`; later links between its ops */
    uint32_t *tried;   /* by op: `pass` in which it was found not to fit */
    uint32_t *ported;  /* the ready ops that are ported */
    uint32_t *died;    /* by value: the instruction of its last read, for later estimates of lifetimes */
    uint32_t pass;     /* counts walks through the ready list */
    uint32_t n_picked; /* ops picked for this instruction ... */
    uint32_t skips;    /* ... and bit n: what is picked n-th is left out */
    uint64_t visits;   /* of ready ops: what the attempt's work is counted by */
    struct sched_trace trace; /* of the last step */
};

/* Marsaglia's xorshift: the same numbers on every host. */
#define SCHED_SEED 2463534242u
static inline uint32_t sched_draw(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Has the block more work to spend? */
static inline bool sched_has_work(const struct sched *s) {
    return !s->options.most_work || ir_usage(s->m->arena).work <= s->options.most_work;
}

/* sched/schedule.c, for bench/tune: a block is opened once, then scheduled again and again. sched_try returns
 * the schedule's cost; 0: it failed. */
bool sched_open(struct sched *s, struct mir *m);
double sched_try(struct sched *s, const struct sched_strategy *strategy, uint32_t base);
/* The same by the dive alone. */
double sched_try_dive(struct sched *s, uint32_t base);
/* Later attempts know the lifetimes of the last one's values. */
void sched_learn_lifetimes(struct sched *s);

static inline uint32_t sched_predecessors(const struct sched *s, uint32_t op) {
    return s->pred_first[op + 1] - s->pred_first[op];
}

/* sched/graph.c: edges, readers and heights; false when they make a cycle. */
bool sched_graph(struct sched *s);
/* Which values may have to cross a thread switch. */
void sched_mark_crossing(struct sched *s);

/* Where all readers can take the value (enum m_places). One that may have to cross a switch keeps out of
 * accumulators until the last switch has begun (nor is it left in r4: repair.c). */
static inline unsigned sched_read_in(const struct sched *s, uint32_t value) {
    bool crosses = s->crosses && s->crosses[value] && s->now.n_switched < s->nswitch;
    return s->m->val[value].read_in & (crosses ? ~(unsigned)M_IN_ACC : M_ANYWHERE);
}

/* sched/bound.c: a lower bound of the block's length, its end included, in instructions. */
unsigned sched_bound(const struct sched *s);

/* Also there, after sched_start: heads and tails; the tails that runs need. */
void sched_paths(struct sched *s);
void sched_tails(struct sched *s);

/* How many values can be alive at once. */
static inline unsigned sched_places(const struct sched *s) {
    return 2 * s->nregs + PLACE_COUNT - PLACE_ACC;
}

/* What is left of the search account for optional searches: dives by changed weights and what -O3 adds. They
 * may use three quarters of it, of which a fragment shader leaves half to the vertex and coordinate shader.
 * What is used up leaves the rest of the program without them. */
uint64_t sched_extra_left(const struct mir *m);

/* sched/search.c: tries to prove, within `nodes` nodes, that no schedule of the block is shorter than
 * `length`, places aside. */
bool sched_prove(const struct sched *s, uint32_t length, uint64_t nodes);

/* What a search has decided for a run. Instructions are counted without the block's end. */
struct sched_plan {
    uint32_t length;
    uint32_t *when; /* by op: the instruction that it goes into */
    bool *on_mul;   /* by op, where both ALUs can do it: it tries the mul ALU first */
    uint8_t *kind;  /* by value: places that its op may write (enum m_places), 0: any */
};
/* True: the plan is good enough, and the search ends. */
typedef bool sched_try_plan(void *context, const struct sched_plan *plan);

/* Also there: looks for a schedule shorter than `length`, places included, and hands each plan of one to
 * `try`. True: it is proven, within `nodes` nodes, that there is none. */
bool sched_exact(const struct sched *s, uint32_t length, uint64_t nodes, sched_try_plan *try, void *context);

/* Also there: looks for a schedule about as long as `bound` and shorter than `below`, and hands each plan of
 * one to `try`, until it has refused a few. */
void sched_dive(const struct sched *s, uint32_t bound, uint32_t below, sched_try_plan *try, void *context);

/* sched/start.c: the tables that attempts read and what they start from. Requires: the graph. */
void sched_start(struct sched *s);

/* From now on the tables are in this memory, of tables_size bytes; and where they are. */
static inline void sched_use_tables(struct sched *s, void *memory) {
    s->owner = memory;
    s->value = (void *)(s->owner + PLACE_COUNT);
    s->wait = (void *)(s->value + s->m->nval + 1);
    s->ready = (void *)(s->wait + s->m->nop + 1);
}
static inline void *sched_tables(const struct sched *s) {
    return s->owner;
}
/* Bytes of the tables before the ready list, which is last. */
static inline size_t sched_fixed_size(const struct sched *s) {
    return (size_t)((const char *)s->ready - (const char *)s->owner);
}

enum { SCHED_COPY_BYTES = 64 }; /* copied in the time of one unit of ir_search */

/* sched/list.c: a run by s->options, into s->code, whose memory is used again. False: it failed. */
bool sched_list_run(struct sched *s);
/* A run that follows a plan. False: it failed, or became longer. */
bool sched_list_follow(struct sched *s, const struct sched_plan *plan);

/* A run step by step: the state before the first instruction, and an instruction more. False: it cannot go
 * on. A step leaves out the picks that s->skips marks. */
void sched_list_begin(struct sched *s);
bool sched_list_step(struct sched *s);
/* May the run still cost no more than s->options.limit? */
bool sched_may_win(struct sched *s);

/* sched/beam.c: variants of the options' strategy, `width` of them at once. Those within `reach` instructions
 * of the best have `branching` continuations, 2 or 3, the others one. */
struct sched_beam_size {
    uint32_t width, branching;
    double reach;
};
/* For a block of two ops or more, whose best schedule stalls or does not; and what -O3 tries after that. A
 * width below 2: no beam. */
struct sched_beam_size sched_beam_size(const struct mir *m, bool stalls);
struct sched_beam_size sched_beam_far(const struct sched *s);
/* A schedule by a beam, of at most `longest` instructions and at most the options' limit. False: none was
 * found. */
bool sched_beam(struct sched *s, struct sched_beam_size size, uint32_t longest);

/* Notes what has changed the tables. */
static inline void sched_note(struct sched *s, uint32_t item) {
    if (s->trace.count < SCHED_TRACE)
        s->trace.item[s->trace.count] = item;
    s->trace.count++;
}

/* Puts an op whose predecessors are issued on the ready list. Its waits are settled then, and again when its
 * operands have moved. */
void sched_make_ready(struct sched *s, uint32_t index);
void sched_settle(struct sched *s, uint32_t index);
void sched_settle_readers(struct sched *s, uint32_t value);

/* An op's priority now. */
double sched_priority(const struct sched *s, uint32_t index);

/* sched/repair.c: moves a value out of the way of an op that could not be issued otherwise, or, before a
 * thread switch, out of the accumulators. False: nothing to move, or no room in the instruction. */
bool sched_make_room(struct sched *s, struct slots *w);
/* Where registers are short: gives up copies of values that are still in their cross-block registers, unless
 * an op of the window needs the copy. Takes no instruction. */
void sched_drop_copies(struct sched *s);
/* sched/list.c: the highest rank that an instruction is offered. */
uint32_t sched_window(const struct sched *s);
/* Moves for an empty instruction when nothing can be issued: takes a value out of file A or the
 * accumulators for one that can't be elsewhere. */
bool sched_unblock(struct sched *s, struct slots *w);

/* The operand is a value that its own operation takes off a read port in this very instruction: the port
 * feeds both. */
static inline bool sched_on_port(const struct sched *s, const struct m_src *src) {
    if (src->kind != M_VAL || s->value[src->v].born != s->now.t || src->unpack)
        return false;
    uint32_t def = s->m->val[src->v].def;
    return def != M_NO_VALUE && s->value[src->v].where != PLACE_NONE && s->op[def].traits & T_PORT_READ;
}

/* sched/place.c: the best free place for `value` among those of `places` (enum m_places); PLACE_NONE if
 * there is none. The place that its own op can write, with the sides (enum m_side) that are left to it. */
void place_begin(struct sched *s);
int place_choose(const struct sched *s, uint32_t value, unsigned places);
int place_of_result(const struct sched *s, uint32_t value, unsigned sides);
void place_take(struct sched *s, uint32_t value, int place, uint32_t available);
void place_read(struct sched *s, uint32_t value);
/* All changes of owner[] go through this, but for places that fill.c lends for a moment. */
void place_own(struct sched *s, int place, uint32_t owner);
/* The owner of `place` once its value is dead: none, or another block. */
static inline uint32_t place_vacant(const struct sched *s, int place) {
    if (place >= PLACE_ACC || s->now.places.promised >> place & 1)
        return M_NO_VALUE;
    return s->occupied >> place & 1 ? PLACE_KEPT : M_NO_VALUE;
}

/* Does the value take a place that would be free without it? */
static inline bool place_counts(const struct sched *s, uint32_t value) {
    int start = s->m->val[value].start, place = start < 0 ? s->m->val[value].fixed : start;
    return place < 0 || place_vacant(s, place) != PLACE_KEPT;
}

/* sched/finish.c: adds the block's end: the branch and its slots, or thread end and scoreboard. `base`:
 * instructions of the program before the block. */
bool sched_finish(struct mir *m, struct m_code *code, uint32_t base);

/* sched/tail.c: moves work so that the program's last tile write waits for no register of a file. */
void sched_free_tail(const struct mir *m, struct m_code *code);

/* sched/fill.c: tries to put `op` into the instruction, on that ALU or as its signal. *place: where its
 * result goes. False: it does not fit, and the instruction is as it was. */
bool slots_try(struct sched *s, struct slots *w, uint32_t op, bool on_mul, int *place);
/* Moves `value` to `place` with a free ALU. */
bool slots_try_move(struct sched *s, struct slots *w, uint32_t value, int place);
void slots_begin(const struct sched *s, struct slots *w);
void slots_end(struct slots *w, struct m_inst *inst);
/* File B's port reads a word of the stream, which can come through file A's. */
bool slots_word_in_b(const struct slots *w);

/* sched/rank.c: an order of the ops that keeps few values alive. */
void rank_depth_first(const struct sched *s, uint32_t *rank);

/* sched/rank_pressure.c: another, made from the end backwards. */
void rank_backwards(const struct sched *s, uint32_t *rank);
/* The live ops in topological order, by rank where that leaves a choice. Returns how many there are. */
uint32_t rank_to_order(const struct sched *s, const uint32_t *rank, uint32_t *order);
/* The most values alive at once when the ops follow `order` one by one; *where: there in the source. */
unsigned rank_peak(const struct sched *s, const uint32_t *order, uint32_t count, struct ir_loc *where);

/* sched/rank_exchange.c: changes the order so that fewer values are alive where most are, if it can.
 * Returns how many. Each seed may find another one. */
unsigned rank_exchange(const struct sched *s, uint32_t *order, uint32_t count, uint32_t seed);

#endif
