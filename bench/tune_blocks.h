/* The corpus as blocks that the scheduler can try strategies on: compiled once, selected once, kept. */
#ifndef BENCH_TUNE_BLOCKS_H
#define BENCH_TUNE_BLOCKS_H

#include "backend/backend.h"
#include "sched/schedule.h"

#include <jansson.h>

/* Which table a block takes its strategies from. */
enum tune_kind { TUNE_VERTICES, TUNE_FRAGMENTS, TUNE_KINDS };

/* A block with all that an attempt needs. */
struct tune_block {
    struct mir m;
    struct sched s;
    unsigned base;   /* instructions before it, about: 0 for the first block */
    unsigned weight; /* its cycles count so often: loops */
    uint32_t stage;  /* index of tune_corpus.stage */
    enum tune_kind kind;
};

/* One stage of one pair; equal stages are there once. */
struct tune_stage {
    char *family;          /* "shader-db/tesseract" */
    uint64_t hash;         /* of its IR */
    bool judged;           /* belongs to the families that nothing is tuned on */
    uint32_t first, count; /* blocks */
    struct be_options options;
    struct flow flow;
    struct ir_shader *shader;
    struct ir_arena *arena;
};

struct tune_corpus {
    struct tune_stage **stage;
    uint32_t nstages, cap_stages;
    struct tune_block **block;
    uint32_t nblocks, cap_blocks;
    uint32_t pairs, refused, doubles;
};

/* Adds the stages of a line of dev-pairs.jsonl. */
void tune_add_pair(struct tune_corpus *corpus, json_t *pair);

/* Deals the families to the two halves, the largest first and each to the smaller half. `swap`: the other
 * way. */
void tune_deal(struct tune_corpus *corpus, bool swap);

#endif
