/* The corpus as blocks. */
#include "bench/tune_blocks.h"

#include "backend/parts.h"
#include "bench/own.h"
#include "regalloc/regalloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *family_of(const char *name) {
    const char *slash = strchr(name, '/'), *end = slash ? strstr(slash, "__") : NULL;
    size_t length = end ? (size_t)(end - name) : slash ? (size_t)(slash - name) : strlen(name);
    char *family = calloc(length + 1, 1);
    return family ? memcpy(family, name, length) : NULL;
}

/* Of the IR's text but for where it came from: the files' names, the places in them. */
static uint64_t hash_of(const char *text) {
    uint64_t hash = 14695981039346656037u;
    for (const char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        const char *place = strstr(line, " @");
        const char *stop = place && place < end ? place : end;
        for (const char *c = line; c < stop && strncmp(line, "file ", 5) != 0; c++)
            hash = (hash ^ (unsigned char)*c) * 1099511628211u;
        end += *end == '\n';
    }
    return hash;
}

static bool is_double(const struct tune_corpus *corpus, uint64_t hash) {
    for (uint32_t i = 0; i < corpus->nstages; i++)
        if (corpus->stage[i]->hash == hash)
            return true;
    return false;
}

static void *grown(void *list, uint32_t count, uint32_t *capacity) {
    if (count < *capacity)
        return list;
    *capacity = *capacity * 2 + 64;
    return realloc(list, *capacity * sizeof(void *));
}

/* Selects the blocks as the driver does (backend/backend.c). */
static bool add_blocks(struct tune_corpus *corpus, struct tune_stage *stage) {
    struct ir_shader *shader = stage->shader;
    struct flow_peak peak;
    struct be_result result = {0};
    unsigned regs = stage->options.threads == 2 ? 16 : 32;
    bool known = true;
    flow_analyse(&stage->flow, shader, stage->arena, false);
    if (!cross_block_assign(&stage->flow, regs, &peak))
        return false;
    flow_define(&stage->flow);
    struct mir all = {.shader = shader,
                      .arena = stage->arena,
                      .options = {.threads = stage->options.threads,
                                  .opt_level = stage->options.opt_level,
                                  .search = stage->options.search},
                      .flow = &stage->flow};
    all.tables = select_begin(&all);
    stage->first = corpus->nblocks;
    for (uint32_t b = 0; b < shader->nblocks; b++) {
        struct tune_block *block = calloc(1, sizeof *block);
        const struct flow_block *flow = &stage->flow.block[b];
        if (!block)
            return false;
        block->m = all;
        block->m.block = shader->blocks[b];
        block->m.entry = b == 0;
        block->m.last = b + 1 == shader->nblocks;
        known = known && !flow->target && !flow->after_branch;
        if (!select_block(&block->m, &result))
            return false;
        block->m.reset = block->m.streams && !known;
        block->m.no_stream = !block->m.streams && !known;
        known |= block->m.reset;
        block->base = b ? 100 : 0;
        block->weight = 1u << 3 * (block->m.block->loop_depth < 4 ? block->m.block->loop_depth : 4);
        block->stage = corpus->nstages;
        if (!sched_open(&block->s, &block->m))
            return false;
        block->kind = shader->stage == QPUCC_FRAGMENT ? TUNE_FRAGMENTS : TUNE_VERTICES;
        corpus->block = grown(corpus->block, corpus->nblocks, &corpus->cap_blocks);
        corpus->block[corpus->nblocks++] = block;
        stage->count++;
    }
    return true;
}

static void add_stage(struct tune_corpus *corpus, const char *name, const char *text, unsigned threads) {
    char error[200];
    struct ir_shader *shader = ir_parse(text, strlen(text), error, sizeof error);
    if (!shader)
        return;
    struct tune_stage *stage = calloc(1, sizeof *stage);
    uint32_t before = corpus->nblocks;
    bool twice = is_double(corpus, hash_of(text));
    corpus->doubles += twice;
    *stage = (struct tune_stage){
        .family = family_of(name),
        .hash = hash_of(text),
        .options = {.opt_level = 2, .threads = threads, .search = true, .linux_rules = true},
        .shader = shader,
        .arena = ir_arena_beside(shader->arena)};
    if (twice || !add_blocks(corpus, stage)) {
        corpus->refused += !twice;
        corpus->nblocks = before;
        ir_arena_destroy(stage->arena);
        ir_shader_destroy(shader);
        free(stage->family);
        free(stage);
        return;
    }
    corpus->stage = grown(corpus->stage, corpus->nstages, &corpus->cap_stages);
    corpus->stage[corpus->nstages++] = stage;
}

void tune_add_pair(struct tune_corpus *corpus, json_t *pair) {
    struct qpucc_options options = qpucc_options_default();
    options.flags |= QPUCC_GENERATE_IR;
    qpucc_program *program = own_compile(pair, &options);
    const char *name = json_string_value(json_object_get(pair, "name"));
    corpus->pairs += program != NULL;
    for (int s = 0; program && s < QPUCC_STAGE_COUNT; s++) {
        const struct qpucc_stage_stats *stats = qpucc_program_stats(program, (enum qpucc_stage)s);
        const char *text = qpucc_program_ir(program, (enum qpucc_stage)s);
        if (stats && text)
            add_stage(corpus, name, text, stats->threads);
    }
    qpucc_program_free(program);
}

void tune_deal(struct tune_corpus *corpus, bool swap) {
    uint32_t in[2] = {0, 0};
    bool *dealt = calloc(corpus->nstages + 1, 1);
    for (;;) { /* the largest family that is left */
        uint32_t best = UINT32_MAX, most = 0;
        for (uint32_t i = 0; i < corpus->nstages; i++) {
            uint32_t size = 0;
            for (uint32_t k = i; k < corpus->nstages && !dealt[i]; k++)
                size += !dealt[k] && strcmp(corpus->stage[k]->family, corpus->stage[i]->family) == 0;
            if (size > most)
                most = size, best = i;
        }
        if (best == UINT32_MAX)
            break;
        int half = in[1] < in[0];
        const char *family = corpus->stage[best]->family;
        for (uint32_t k = 0; k < corpus->nstages; k++)
            if (!dealt[k] && strcmp(corpus->stage[k]->family, family) == 0) {
                dealt[k] = true;
                corpus->stage[k]->judged = (half == 1) != swap;
            }
        in[half] += most;
    }
    free(dealt);
}
