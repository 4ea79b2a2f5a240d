/* What a step of the list scheduler changes in its tables, so that it can be undone, and made again
 * on a copy.
 *
 * Requires: every change goes through sched_change_wait and sched_change_value. Keeps everything. The rest of
 * a run's state is small and copied (struct sched_progress). */
#include "sched/schedule.h"

#include <stdlib.h>

bool undo_open(const struct sched *s, struct sched_undo *u) {
    size_t nop = s->m->nop + 1, nval = s->m->nval + 1;
    *u = (struct sched_undo){0};
    u->wait_noted = calloc(nop, sizeof *u->wait_noted);
    u->value_noted = calloc(nval, sizeof *u->value_noted);
    return u->wait_noted && u->value_noted;
}

void undo_close(struct sched_undo *u) {
    free(u->wait_noted);
    free(u->value_noted);
}

void undo_begin(struct sched *s, struct sched_changes *before) {
    before->nwait = before->nvalue = 0;
    s->undo->before = before;
    s->undo->step++;
}

void undo_note_wait(struct sched *s, uint32_t index) {
    struct sched_undo *u = s->undo;
    if (u->wait_noted[index] == u->step)
        return;
    u->wait_noted[index] = u->step;
    u->before->wait[u->before->nwait++] = (struct sched_changed_wait){index, s->wait[index]};
}

void undo_note_value(struct sched *s, uint32_t index) {
    struct sched_undo *u = s->undo;
    if (u->value_noted[index] == u->step)
        return;
    u->value_noted[index] = u->step;
    u->before->value[u->before->nvalue++] = (struct sched_changed_value){index, s->value[index]};
}

void undo_list_changes(const struct sched *s, struct sched_changes *after) {
    const struct sched_changes *before = s->undo->before;
    after->nwait = before->nwait, after->nvalue = before->nvalue;
    for (uint32_t k = 0; k < before->nwait; k++)
        after->wait[k] = (struct sched_changed_wait){before->wait[k].index, s->wait[before->wait[k].index]};
    for (uint32_t k = 0; k < before->nvalue; k++)
        after->value[k] =
            (struct sched_changed_value){before->value[k].index, s->value[before->value[k].index]};
}

void undo_apply(const struct sched_changes *c, struct sched_wait *wait, struct sched_value *value) {
    for (uint32_t k = 0; k < c->nwait; k++)
        wait[c->wait[k].index] = c->wait[k].wait;
    for (uint32_t k = 0; k < c->nvalue; k++)
        value[c->value[k].index] = c->value[k].value;
}

void undo_step(struct sched *s) {
    undo_apply(s->undo->before, s->wait, s->value);
}
