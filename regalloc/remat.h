/* What the files of the rematerialisation within a block share (remat.c, remat_cost.c, remat_repeat.c). */
#ifndef QPUCC_REMAT_H
#define QPUCC_REMAT_H

#include "regalloc/cut.h"
#include "regalloc/regalloc.h"

#define NEVER UINT32_MAX

enum { IS_OPEN = 1, IS_USED = 2 };

/* What may be spent on one value: operations, and how far it may be from what is kept. */
struct limits {
    unsigned ops, depth, cut_depth;
};

struct remat {
    struct mir *m;
    const struct limits *limits;
    bool refetch;    /* requests are gathered: another one fits between any two */
    uint64_t kept;   /* registers that other blocks need all through this one */
    unsigned places; /* no more values than that are to be alive */
    uint32_t nval;   /* values of before */
    /* value -> its cost, the next use for which that was asked, + 1, and which state of `keep` it goes by */
    struct price {
        uint32_t cost, when, state;
    } * price;
    uint32_t keep_state;
    bool *pinned;              /* value -> some op has to find it in r4 */
    uint32_t *counted, query;  /* value -> the last query of a cost that counted it; that query's number */
    uint32_t *first_use, *use; /* positions of readers by value */
    uint32_t *at;              /* value -> index into use of the next reader */
    uint32_t *now;             /* value -> value that is it now */
    uint32_t *keep;            /* value -> position until which others may be made of it */
    uint32_t *overwritten;     /* register -> first position that writes it */
    enum { UNMADE, ALIVE, GONE, OVER } * state;
    uint32_t *out, nout, cap, most;   /* most: no value goes once the order is this long */
    uint32_t alive, alive_a, dropped; /* alive_a: those of them that only file A can serve */
    uint32_t in[PLACE_COUNT];         /* place -> values alive that are there from the start: they share it */
    uint32_t cuts, next_cut; /* how often least cuts may still be asked for; from which position on */
    struct candidate {
        uint32_t v;
        double score; /* the one with most goes first */
    } * candidate;
    uint32_t *live, nlive, *index; /* values that are ALIVE; value -> its index there */
    uint32_t *open, nopen;         /* of these, what may go as far as is known */
    uint32_t *used, nused;         /* of these, what may be used up */
    uint8_t *listed;               /* value -> in which of the two lists it is: IS_OPEN, IS_USED */
    uint32_t *fixed, nfixed;       /* values that overwrite another block's register */
    uint32_t *origin, cap_origin;  /* value made here, less nval -> the one of before that it is */
};

static inline uint32_t original(const struct remat *r, uint32_t v) {
    return v == M_NO_VALUE || v < r->nval ? v : r->origin[v - r->nval];
}

static inline uint32_t next_use(const struct remat *r, uint32_t v) {
    return r->at[v] < r->first_use[v + 1] ? r->use[r->at[v]] : NEVER;
}

/* Somebody wants it at position `when` or later. */
static inline bool stays(const struct remat *r, uint32_t v, uint32_t when) {
    return r->keep[v] >= when ||
           (r->first_use[v] < r->first_use[v + 1] && r->use[r->first_use[v + 1] - 1] >= when);
}

/* Would its place be free without it? */
static inline bool takes_place(const struct remat *r, uint32_t v) {
    int start = r->m->val[v].start, place = start < 0 ? r->m->val[v].fixed : start;
    return place < 0 || place >= PLACE_ACC || !(r->kept >> place & 1);
}

/* Does it take a place in file A that nothing else could serve? */
static inline bool takes_a(const struct remat *r, uint32_t v) {
    int start = r->m->val[v].start;
    return takes_place(r, v) && (start < 0 ? m_only_in_a(r->m, v) : place_in_a(start));
}

/* remat_cost.c: operations that make v at position `when`; more than r->limits->ops when it can't be done. */
unsigned remat_price(struct remat *r, uint32_t v, uint32_t when);
/* Also there: the operands of v for a least cut, or -1 (struct cut_graph); `user` is the struct remat. */
int remat_operands(void *user, uint32_t v, uint32_t out[CUT_OPERANDS]);

/* remat_repeat.c: makes v anew behind what the new order has so far. */
void remat_value(struct remat *r, uint32_t v);
/* Also there: adds an op to the new order. */
void remat_append(struct remat *r, uint32_t op);

/* remat.c: notes that v is alive from here on. */
void remat_begin_life(struct remat *r, uint32_t v);

#endif
