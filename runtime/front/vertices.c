/* Vertex fetch into the VPM (guide section 7, "VPM Vertex Data Formats") and shading in batches of
 * sixteen. */
#include <stdio.h>
#include <stdlib.h>

#include "runtime/front/block.h"

bool sim_worker_fail_address(const struct sim_worker *w, const char *what, uint32_t address, size_t size) {
    char where[160];
    if (w->error->status == QPUSIM_OK) {
        sim_memory_explain(w->memory, address, size, where, sizeof where);
        w->error->status = QPUSIM_BAD_ADDRESS;
        w->error->rule = "address";
        w->error->lane = -1;
        snprintf(w->error->text, sizeof w->error->text, "%s at %s", what, where);
    }
    return false;
}

/* The stage's attributes of each vertex, one column a vertex. */
static bool fetch(const struct sim_worker *w, const struct sim_shader *s, enum qpusim_stage stage,
                  const uint32_t *index, unsigned count) {
    struct qpusim_vertices *v = w->in;
    v->count = count;
    v->row_count = s->rows[stage];
    for (unsigned r = 0; r < v->row_count; r++)
        for (unsigned i = 0; i < count; i++)
            v->rows[r][i] =
                0x9e3779b9u * (i + r + 1); /* bits that no attribute fills: nobody may rely on them */
    for (unsigned a = 0; a < s->attribute_count; a++) {
        if (!(s->select[stage] >> a & 1))
            continue;
        const struct sim_attribute *at = &s->attribute[a];
        unsigned offset = at->offset[stage],
                 bytes = SIM_FAULT(w->options, attribute_words) ? at->bytes & ~3u : at->bytes;
        for (unsigned i = 0; i < count; i++) {
            uint32_t address = at->address + index[i] * at->stride;
            const uint8_t *p = sim_memory_at(w->memory, address, at->bytes);
            if (!p)
                return sim_worker_fail_address(w, "an attribute of a vertex", address, at->bytes);
            for (unsigned k = 0; k < bytes;) {
                unsigned row = (offset + k) / 4, byte = (offset + k) % 4,
                         n = 4 - byte < bytes - k ? 4 - byte : bytes - k;
                if (n == 4)
                    memcpy(&v->rows[row][i], p + k, 4);
                else
                    memcpy((uint8_t *)&v->rows[row][i] + byte, p + k, n);
                k += n;
            }
        }
    }
    return true;
}

bool sim_shade_vertices(const struct sim_worker *w, const struct sim_shader *s, enum qpusim_stage stage,
                        const uint32_t *index, unsigned count) {
    const struct qpusim_shader *shader = &s->stage[stage];
    struct sim_thread *t = w->thread;
    uint64_t start = w->clock->now;
    unsigned outputs = (stage == QPUSIM_COORDINATE ? 7 : 3 + s->varyings) + s->point_size;
    if (!fetch(w, s, stage, index, count))
        return false;
    sim_thread_init(t, shader->program, w->options, w->error, w->shared, w->clock, w->counters);
    sim_thread_set_uniforms(t, &shader->uniforms, w->shader_memory);
    t->fragments = NULL;
    sim_thread_set_vertices(t, w->in);
    sim_trace_select(t, NULL, index, count);
    enum sim_stop stop;
    do
        stop = sim_thread_run(t);
    while (stop == SIM_STOP_SWITCH);
    if (stop != SIM_STOP_END || sim_thread_finish(t, outputs, s->partial[stage]) != SIM_STOP_END)
        return false;
    if (w->costs)
        sim_cost_add(w->costs, t, NULL, 0);
    w->counters->batches++;
    w->counters->stage_batches[stage]++;
    w->counters->instructions += t->executed;
    w->counters->stage_instructions[stage] += t->executed;
    w->counters->cycles += w->clock->now - start;
    w->counters->stage_cycles[stage] += w->clock->now - start;
    return true;
}

/* --- positions that both stages compute ----------------------------------------------------------------- */

static uint32_t place(const struct sim_positions *p, uint32_t packet, uint32_t index) {
    uint32_t hash = index * 0x9e3779b1u ^ packet * 0x85ebca6bu;
    for (uint32_t i = hash ^ hash >> 15;; i++) {
        const struct sim_position *e = &p->entry[i & p->mask];
        if (!e->used || (e->packet == packet && e->index == index))
            return i & p->mask;
    }
}

bool sim_positions_set(struct sim_positions *p, const struct sim_shader *shader, uint32_t index,
                       const uint32_t word[4]) {
    if (!p->entry || p->count >= p->mask / 2) {
        struct sim_positions old = *p;
        p->mask = old.entry ? 2 * old.mask + 1 : 255;
        p->entry = calloc((size_t)p->mask + 1, sizeof *p->entry);
        if (!p->entry) {
            *p = old;
            return false;
        }
        for (uint32_t i = 0; old.entry && i <= old.mask; i++)
            if (old.entry[i].used)
                p->entry[place(p, old.entry[i].packet, old.entry[i].index)] = old.entry[i];
        free(old.entry);
    }
    struct sim_position *e = &p->entry[place(p, shader->packet, index)];
    p->count += !e->used;
    *e = (struct sim_position){shader->packet, index, {word[0], word[1], word[2], word[3]}, true};
    return true;
}

const struct sim_position *sim_positions_get(const struct sim_positions *p, const struct sim_shader *shader,
                                             uint32_t index) {
    if (!p->entry)
        return NULL;
    const struct sim_position *e = &p->entry[place(p, shader->packet, index)];
    return e->used ? e : NULL;
}
