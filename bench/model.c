/* Batches of fragments through the machine, one after the other as a QPU gets them. */
#include "bench/model.h"

#include "backend/isa/isa.h"
#include "runtime/machine.h"

#include <stdlib.h>
#include <string.h>

enum { DRAWS = 4, BATCHES = 32, LOOP_TURNS = 5 };

static const struct {
    unsigned latency, sharers;
} models[MODELS] = {[MODEL_BEST] = {QPU_LAT_TMU, 1}, [MODEL_TYPICAL] = {20, 1}, [MODEL_SHARED] = {20, 2}};

struct model {
    struct qpusim_memory *memory;
    struct synthetic inputs;
    struct sim_thread *thread[2];
};

struct model *model_new(void) {
    struct model *m = calloc(1, sizeof *m);
    bool ok = m != NULL;
    for (int i = 0; ok && i < 2; i++)
        ok = (m->thread[i] = aligned_alloc(_Alignof(struct sim_thread), sizeof *m->thread[i])) != NULL;
    ok = ok && (m->memory = qpusim_memory_new(4 << 20)) != NULL;
    if (ok)
        m->inputs = (struct synthetic){.low = 0.25f, .high = 1.25f, .integer = LOOP_TURNS};
    if (ok && synthetic_texture(&m->inputs, m->memory, QPUSIM_MIN_LINEAR_MIP_NEAREST))
        return m;
    model_free(m);
    return NULL;
}

void model_free(struct model *m) {
    if (!m)
        return;
    free(m->thread[0]);
    free(m->thread[1]);
    qpusim_memory_free(m->memory);
    free(m);
}

struct draw {
    const struct qpusim_program *program;
    struct qpusim_stream stream;
    struct qpusim_fragments batch[BATCHES];
};

/* Runs all batches of a draw, `slots` under way at once. */
static bool run_draw(struct model *m, const struct draw *d, unsigned slots, struct sim_clock *clock,
                     uint64_t *executed, struct qpusim_error *error) {
    static const struct qpusim_options options = {.budget = 200000};
    struct qpusim_counters counters = {0};
    struct sim_shared shared = {0};
    unsigned next = 0, turn = 0;
    bool active[2] = {false, false};
    memset(error, 0, sizeof *error);
    for (;;) {
        for (unsigned i = 0; i < slots; i++) {
            if (active[i] || next == BATCHES)
                continue;
            sim_thread_init(m->thread[i], d->program, &options, error, &shared, clock, &counters);
            m->thread[i]->number = i;
            sim_thread_set_uniforms(m->thread[i], &d->stream, m->memory);
            sim_thread_set_fragments(m->thread[i], &d->batch[next++]);
            active[i] = true;
        }
        if (!active[0] && !active[1])
            return true;
        if (!active[turn])
            turn ^= 1;
        enum sim_stop stop = sim_thread_run(m->thread[turn]);
        if (stop == SIM_STOP_END && sim_thread_finish(m->thread[turn], 0, false) != SIM_STOP_END)
            stop = SIM_STOP_ERROR;
        if (stop == SIM_STOP_ERROR)
            return false;
        if (stop == SIM_STOP_END) {
            active[turn] = false;
            *executed += m->thread[turn]->executed;
        }
        turn = slots == 2 ? turn ^ 1 : 0;
    }
}

bool model_run(struct model *m, const uint64_t *code, size_t count, model_stream *stream, const void *user,
               struct model_figures *f, struct qpusim_error *error) {
    static struct foreign_needs needs; /* large; a measuring program has one thread */
    static uint32_t words[FOREIGN_MAX_UNIFORMS];
    static struct draw draw;
    uint64_t executed = 0, again = 0;
    foreign_scan(code, count, &needs);
    *f = (struct model_figures){
        .threads = needs.threaded ? 2 : 1, .instructions = count, .branches = needs.branches};
    struct qpusim_program *program = qpusim_program_new(code, count, QPUSIM_FRAGMENT, needs.threaded);
    bool ok = program != NULL;
    for (uint32_t seed = 1; ok && seed <= DRAWS; seed++) {
        m->inputs.state = seed;
        draw.program = program;
        draw.stream = (struct qpusim_stream){words, stream(&m->inputs, m->memory, user, &needs, words), 0};
        for (unsigned i = 0; i < BATCHES; i++)
            synthetic_fragments(&m->inputs, needs.varyings, &draw.batch[i]);
        for (unsigned k = 0; ok && k < MODELS; k++) {
            struct sim_clock clock = {.tmu_latency = models[k].latency, .tmu_sharers = models[k].sharers};
            ok = run_draw(m, &draw, f->threads, &clock, &executed, error);
            f->cycles[k] += (double)clock.now / (DRAWS * BATCHES);
        }
        struct sim_clock clock = {.tmu_latency = models[MODEL_TYPICAL].latency};
        ok = ok && run_draw(m, &draw, 1, &clock, &again, error);
        f->alone += (double)clock.now / (DRAWS * BATCHES);
        if (!needs.branches && seed == 1) { /* the other draws take the same time */
            for (unsigned k = 0; k < MODELS; k++)
                f->cycles[k] *= DRAWS;
            f->alone *= DRAWS;
            executed *= DRAWS;
            break;
        }
    }
    f->executed = (double)executed / (DRAWS * BATCHES * MODELS);
    qpusim_program_free(program);
    return ok;
}
