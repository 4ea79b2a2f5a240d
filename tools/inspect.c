/* The steps of a pixel or a vertex: the machine traces the batches that hold it and no others, so that a
 * picture takes no longer than without. */
#include "inspect.h"

#include <stdlib.h>
#include <string.h>

struct recorder {
    struct inspection *out;
    const struct qpucc_explain_stage *stage;
    int x, y;                   /* as the machine counts: from the bottom */
    struct inspect_run *now[2]; /* by thread */
    const char *r4_name[2];     /* what the special function under way computes */
    unsigned draw;              /* that is under way */
    bool culled;                /* what is drawn now is what culling took away: no steps */
    bool no_memory;
};

/* --- recording ------------------------------------------------------------------------------------------ */

static int lane_of(const struct recorder *r, const struct qpusim_batch *batch) {
    for (int lane = 0; lane < QPUSIM_LANES; lane++) {
        if (!(batch->live >> lane & 1))
            continue;
        if (batch->x ? batch->x[lane] == r->x && batch->y[lane] == r->y
                     : batch->vertex && batch->vertex[lane] == r->out->target.vertex)
            return lane;
    }
    return -1;
}

static bool select_batch(void *user, const struct qpusim_batch *batch) {
    struct recorder *r = user;
    struct inspection *out = r->out;
    int lane = (int)batch->stage == (int)out->target.stage ? lane_of(r, batch) : -1;
    r->now[batch->thread & 1] = NULL;
    if (lane < 0 || r->no_memory)
        return false;
    if (!(out->count & (out->count - 1))) { /* 0, 1, 2, 4, ...: full */
        struct inspect_run *run = realloc(out->run, 2 * (out->count + 1) * sizeof *run);
        if (!run) {
            r->no_memory = true;
            return false;
        }
        ptrdiff_t other = r->now[!(batch->thread & 1)] ? r->now[!(batch->thread & 1)] - out->run : -1;
        out->run = run;
        if (other >= 0)
            r->now[!(batch->thread & 1)] = &run[other];
    }
    struct inspect_run *run = &out->run[out->count++];
    *run =
        (struct inspect_run){.lane = (unsigned)lane, .draw = r->draw, .covered = batch->coverage >> lane & 1};
    if (r->culled) {
        run->fate = INSPECT_CULLED;
        out->count -= !run->covered;
        return false;
    }
    r->now[batch->thread & 1] = run;
    return true;
}

static bool is_function(const char *target) {
    return !strcmp(target, "recip") || !strcmp(target, "rsqrt") || !strcmp(target, "exp") ||
           !strcmp(target, "log");
}

/* "ra0.8a" in "fmul ra0.8a, r0, r1" has part "8a"; saturating and colour packs have another letter. */
static void part_of(const char *text, char part[4]) {
    const char *dot = text ? strchr(text, ' ') : NULL, *comma = dot ? strchr(dot, ',') : NULL;
    dot = dot ? strchr(dot, '.') : NULL;
    part[0] = 0;
    if (!dot || !comma || dot > comma)
        return;
    dot += dot[1] == 'c' ? 2 : 1;
    if (!strncmp(dot, "8abcd", 5))
        snprintf(part, 4, "8");
    else if ((dot[0] == '8' && dot[1] >= 'a' && dot[1] <= 'd') || !strncmp(dot, "16", 2))
        snprintf(part, 4, "%.*s", dot[0] == '8' ? 2 : 3, dot);
}

/* The variable that a write belongs to, and the part of it. */
static const char *name_of(struct recorder *r, const struct qpusim_trace *t, const char *target,
                           char part[4]) {
    const struct qpucc_explain_instruction *in =
        r->stage && t->instruction < r->stage->count ? &r->stage->instruction[t->instruction] : NULL;
    if (!in)
        return NULL;
    const struct qpucc_explain_slot *slots[] = {&in->signal, &in->add, &in->mul};
    for (unsigned k = 0; k < 3; k++)
        if (slots[k]->target && !strcmp(slots[k]->target, target)) {
            part_of(slots[k]->text, part);
            if (!is_function(target))
                return slots[k]->name;
            r->r4_name[t->thread & 1] = slots[k]->name; /* what is written is the operand */
            return NULL;
        }
    return strcmp(target, "r4") ? NULL : r->r4_name[t->thread & 1];
}

static void record(void *user, const struct qpusim_trace *t) {
    struct recorder *r = user;
    struct inspect_run *run = r->now[t->thread & 1];
    size_t most = r->out->target.most ? r->out->target.most : INSPECT_STEPS;
    if (!run || r->no_memory)
        return;
    if (r->out->steps >= most) {
        r->out->truncated = true;
        return;
    }
    if (run->count == run->capacity) {
        size_t capacity = run->capacity ? 2 * run->capacity : 128;
        struct inspect_step *step = realloc(run->step, capacity * sizeof *step);
        if (!step) {
            r->no_memory = true;
            return;
        }
        run->step = step;
        run->capacity = capacity;
    }
    struct inspect_step *step = &run->step[run->count++];
    *step = (struct inspect_step){
        .instruction = t->instruction, .cycle = t->cycle, .write_count = t->write_count};
    r->out->steps++;
    for (unsigned w = 0; w < t->write_count; w++) {
        struct inspect_write *write = &step->write[w];
        memcpy(write->target, t->writes[w].name, sizeof write->target);
        write->written = t->writes[w].lanes >> run->lane & 1;
        write->value = t->writes[w].value[run->lane];
        write->name = name_of(r, t, write->target, write->part);
    }
}

/* --- what became of them -------------------------------------------------------------------------------- */

const char *inspect_fate_name(enum inspect_fate fate) {
    static const char *const names[] = {"seen",   "drawn over", "discarded", "depth",
                                        "helper", "unknown",    "culled"};
    return names[fate];
}

/* The run's last write to a unit whose name begins so; NULL: none. */
static const struct inspect_write *last_write(const struct inspect_run *run, const char *unit) {
    for (size_t i = run->count; i-- > 0;)
        for (unsigned w = run->step[i].write_count; w-- > 0;) {
            const struct inspect_write *write = &run->step[i].write[w];
            if (write->written && !strncmp(write->target, unit, strlen(unit)))
                return write;
        }
    return NULL;
}

static bool depth_passes(unsigned func, uint32_t z, uint32_t before) {
    bool less = func & 1, equal = func & 2, greater = func & 4; /* enum qpusim_func */
    return z < before ? less : z == before ? equal : greater;
}

/* GL's rules on what the runs wrote, in their order. */
static void judge(const struct scene *scene, struct inspection *out) {
    const struct scene_raster *raster = &scene->raster;
    struct inspect_run *seen = NULL;
    uint8_t color[4];
    uint32_t depth = 0xffffff;
    memcpy(color, scene->clear, 4);
    for (size_t i = 0; i < out->count; i++) {
        struct inspect_run *run = &out->run[i];
        const struct inspect_write *written = last_write(run, "tlbc"), *z = last_write(run, "tlbz");
        memcpy(run->before, color, 4);
        run->depth_before = depth;
        run->depth_tested = z ? z->value & 0xffffff : 0;
        bool fails = raster->depth_test && z && !depth_passes(raster->depth_func, z->value & 0xffffff, depth);
        if (run->fate != INSPECT_CULLED)
            run->fate = !run->covered ? INSPECT_HELPER
                        : !written    ? out->truncated ? INSPECT_UNKNOWN : INSPECT_DISCARDED
                        : fails       ? INSPECT_DEPTH
                                      : INSPECT_SEEN;
        if (run->fate == INSPECT_SEEN) {
            for (unsigned k = 0; k < 4; k++)
                color[k] = (uint8_t)(written->value >> 8 * k);
            if (raster->depth_test && raster->depth_write && z)
                depth = z->value & 0xffffff;
            if (seen)
                seen->fate = INSPECT_OVERDRAWN;
            seen = run;
        }
        memcpy(run->after, color, 4);
    }
}

/* What culling took away: the same draw of the other faces. None are known where that fails. */
static void find_culled(const struct scene *scene, const qpucc_program *program, struct recorder *r,
                        const struct render_options *traced) {
    struct scene other = *scene;
    struct render_options again = *traced;
    struct picture picture;
    char error[600];
    again.timing = NULL; /* the picture's alone */
    other.raster.cull = scene->raster.cull == QPUSIM_CULL_BACK    ? QPUSIM_CULL_FRONT
                        : scene->raster.cull == QPUSIM_CULL_FRONT ? QPUSIM_CULL_BACK
                                                                  : QPUSIM_CULL_NONE;
    r->culled = true;
    if (render_scene(&other, program, &again, &picture, NULL, error, sizeof error))
        picture_free(&picture);
}

bool inspect_scene(const struct scene *scene, const qpucc_program *program,
                   const struct qpucc_explain_stage *explained, const struct render_options *options,
                   const struct inspect_target *target, struct inspection *out, char *error, size_t size) {
    struct render_options traced = *options;
    struct qpusim_counters counters = {0};
    struct picture picture;
    *out = (struct inspection){.target = *target};
    struct recorder r = {.out = out, .stage = explained};
    if (target->stage == QPUCC_FRAGMENT && (target->x >= scene->width || target->y >= scene->height))
        return snprintf(error, size, "the picture has %ux%u pixels", scene->width, scene->height), false;
    if (target->stage != QPUCC_FRAGMENT && target->vertex >= scene->mesh.count)
        return snprintf(error, size, "the mesh has %zu vertices", (size_t)scene->mesh.count), false;
    r.x = (int)target->x;
    r.y = (int)(scene->height - 1 - target->y);
    traced.on_trace = record;
    traced.select = select_batch;
    traced.trace_user = &r;
    traced.draw_number = &r.draw;
    error[0] = 0;
    bool drawn = render_scene(scene, program, &traced, &picture, &counters, error, size);
    if (drawn && target->stage == QPUCC_FRAGMENT)
        memcpy(out->color, picture.pixels + 4 * ((size_t)r.y * picture.width + target->x), 4);
    if (drawn)
        picture_free(&picture);
    out->failed = !drawn;
    if (drawn && target->stage == QPUCC_FRAGMENT && scene->raster.cull != QPUSIM_CULL_NONE &&
        scene_primitive(scene) == QPUCC_TRIANGLES)
        find_culled(scene, program, &r, &traced);
    if (target->stage == QPUCC_FRAGMENT)
        judge(scene, out);
    if (r.no_memory)
        return snprintf(error, size, "out of memory"), false;
    return drawn || out->count;
}

void inspect_free(struct inspection *inspection) {
    for (size_t i = 0; i < inspection->count; i++)
        free(inspection->run[i].step);
    free(inspection->run);
    *inspection = (struct inspection){.run = NULL};
}
