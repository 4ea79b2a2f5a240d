/* Where a draw computes what GLSL leaves undefined: a trace of the code that pass `watch` has added. */
#include "undefined.h"
#include <qpucc/watch.h>

#include <stdlib.h>
#include <string.h>

static const char *const kinds[QPUCC_WATCH_KINDS] = {
#define WATCH(name, text) text,
#include <qpucc/watch.def>
#undef WATCH
};

struct counter {
    struct undefined_report *report;
    uint16_t lanes[2]; /* by thread: of the batch, those that count */
    bool no_memory;
};

static bool select_batch(void *user, const struct qpusim_batch *batch) {
    struct counter *c = user;
    bool fragments = batch->stage == QPUSIM_FRAGMENT;
    c->lanes[batch->thread & 1] = fragments ? batch->live & batch->coverage : batch->live;
    return batch->stage != QPUSIM_COORDINATE; /* which is a part of the vertex shader */
}

static struct undefined_use *use_of(struct counter *c, enum qpucc_stage stage, uint32_t pattern) {
    struct undefined_report *r = c->report;
    const char *what = kinds[pattern >> 18 & 15];
    unsigned line = pattern >> 1 & 0x1ffff;
    for (size_t i = 0; i < r->count; i++)
        if (r->use[i].stage == stage && r->use[i].line == line && r->use[i].what == what)
            return &r->use[i];
    struct undefined_use *use = realloc(r->use, (r->count + 1) * sizeof *use);
    if (!use)
        return NULL;
    r->use = use;
    r->use[r->count] = (struct undefined_use){.stage = stage, .line = line, .what = what};
    return &r->use[r->count++];
}

static void record(void *user, const struct qpusim_trace *t) {
    struct counter *c = user;
    for (unsigned w = 0; w < t->write_count; w++) {
        const struct qpusim_write *write = &t->writes[w];
        if (strcmp(write->name, "exp"))
            continue;
        for (unsigned lane = 0; lane < QPUSIM_LANES; lane++) {
            uint32_t bits = write->value[lane];
            bool counts = c->lanes[t->thread & 1] >> lane & write->lanes >> lane & 1;
            bool told = (bits & QPUCC_WATCH_TAG) == QPUCC_WATCH_TAG && bits & 1 &&
                        (bits >> 18 & 15) < QPUCC_WATCH_KINDS;
            struct undefined_use *use = counts && told ? use_of(c, (enum qpucc_stage)t->stage, bits) : NULL;
            if (use)
                use->count++;
            c->no_memory |= counts && told && !use;
        }
    }
}

static int by_place(const void *a, const void *b) {
    const struct undefined_use *x = a, *y = b;
    if (x->stage != y->stage)
        return x->stage == QPUCC_VERTEX ? -1 : 1;
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : strcmp(x->what, y->what);
}

bool undefined_find(const struct scene *scene, const qpucc_program *watching,
                    const struct render_options *options, struct undefined_report *report, char *error,
                    size_t size) {
    struct render_options traced = *options;
    struct counter counter = {.report = report};
    struct picture picture;
    *report = (struct undefined_report){.use = NULL};
    traced.device = NULL;
    traced.timing = NULL;
    traced.trace = NULL;
    traced.on_trace = record;
    traced.select = select_batch;
    traced.trace_user = &counter;
    if (!render_scene(scene, watching, &traced, &picture, NULL, error, size))
        return false;
    picture_free(&picture);
    if (counter.no_memory)
        return snprintf(error, size, "out of memory"), false;
    if (report->count)
        qsort(report->use, report->count, sizeof *report->use, by_place);
    return true;
}

void undefined_free(struct undefined_report *report) {
    free(report->use);
    *report = (struct undefined_report){.use = NULL};
}

static const char *file_of(const struct undefined_use *use, const struct cli_sources *sources) {
    for (size_t i = 0; i < sources->count; i++)
        if (sources->shown[i].stage == use->stage)
            return sources->shown[i].name;
    return "";
}

void undefined_print(const struct undefined_report *report, const struct cli_sources *sources, FILE *out) {
    for (size_t i = 0; i < report->count; i++) {
        const struct undefined_use *use = &report->use[i];
        const char *unit = use->stage == QPUCC_FRAGMENT ? "fragment" : "vertice";
        fprintf(out, "%s:%u: %s: %llu %s%s\n", file_of(use, sources), use->line, use->what,
                (unsigned long long)use->count,
                use->count == 1 && use->stage == QPUCC_VERTEX ? "vertex" : unit, use->count == 1 ? "" : "s");
    }
    if (!report->count)
        fputs("no undefined arithmetic\n", out);
}

json_t *undefined_json(const struct undefined_report *report, const struct cli_sources *sources) {
    json_t *uses = json_array();
    for (size_t i = 0; i < report->count; i++) {
        const struct undefined_use *use = &report->use[i];
        json_array_append_new(uses,
                              json_pack("{s:s, s:o, s:i, s:s, s:I}", "stage", qpucc_stage_name(use->stage),
                                        "file", cli_json_text(file_of(use, sources)), "line", (int)use->line,
                                        "what", use->what, "count", (json_int_t)use->count));
    }
    return json_pack("{s:s, s:o}", "schema", "qpucc-undefined-1", "uses", uses);
}
