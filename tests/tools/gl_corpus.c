/* Why the machine's pictures of the corpus differ from the reference's, pair by pair.
 *
 *     gl_corpus [OPTIONS] --pairs FILE.jsonl [--filter PREFIX]
 *
 * A pair agrees when 99.5 % of its pixels are within 3/255; pixels on outlines and folds of depth are left
 * out. For one that does not, the first of these that holds is its class, all with the same share of pixels
 * and the same tolerance. What is changed is changed on both sides.
 *
 * known: it agrees after the change that the file of causes names (gl_causes.h), which is made also where
 * nothing is drawn without it; what still differs then goes on to the other questions.
 *
 * undefined: it agrees when the colour and global vec4s are 0 before the shader runs. They are so in every
 * question below, as well as the reference's vertices rounded to 1/16 pixel.
 *
 * snapped: it agrees.
 *
 * unfiltered: it agrees where textures are not filtered. Filters have weights of 7 bits, and a GLES 3
 * filters across the edges of cube maps. The questions below are asked with filters and without.
 *
 * arithmetic: our code on a machine with ideal arithmetic (qpusim_options.ideal) agrees. What differs is the
 * QPU's rounding, its special functions, or what the shader makes of them.
 *
 * unstable: the ideal machine's pixel lies among those of references with errors of a few float operations:
 * sixteen, or up to 64 where these do not reach. No two float implementations agree.
 *
 * amplified: the QPU's pixel lies among those of as many references with errors of the QPU's size.
 *
 * UNEXPLAINED: none of these, a failure.
 *
 * "Among": within the channel's range over the references, widened on both sides by its own width and the
 * tolerance.
 *
 * Options: --variant N draws other scenes, with other values of uniforms, textures, times, meshes and sizes
 * for each N; --causes FILE.json; --results FILE takes pairs in it for done and appends a line for every
 * other; --table FILE writes the table of all of them; --keep DIR, pictures of what is not explained by the
 * first three. Exit code 77 when there is no such GL here, or no corpus. */
#include "gl_causes.h"
#include "gl_picture.h"
#include "pairs.h"
#include "tools/render.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 3
enum { SAMPLES = 64, AT_ONCE = 16 };
static const double max_bad_share = 0.005;

enum { SKIPPED = 77 };

enum verdict {
    AGREES,
    KNOWN,
    UNDEFINED,
    SNAPPED,
    UNFILTERED,
    ARITHMETIC,
    UNSTABLE,
    AMPLIFIED,
    UNEXPLAINED,
    REFUSED,
    BROKEN,
    VERDICTS
};
static const char *const verdict_names[VERDICTS] = {"agrees",      "known",      "undefined", "snapped",
                                                    "unfiltered",  "arithmetic", "unstable",  "amplified",
                                                    "UNEXPLAINED", "refused",    "BROKEN"};

struct entry {
    char *name;
    enum verdict verdict;
    bool blank;                                       /* nothing is drawn */
    bool unfiltered;                                  /* the answer is about pictures without filters */
    int cause;                                        /* -1: none */
    size_t off, ideal, unstable, amplified, compared; /* pixels beyond tolerance in each question */
};

struct runner {
    FILE *results;
    struct gl *gl;
    struct pair_options options;
    struct causes *causes;
    struct entry *entries;
    size_t count;
};

/* One pair while the questions are asked. */
struct trial {
    struct runner *runner;
    struct scene *scene;
    const char *name, *vertex, *fragment;
    char *changed[2]; /* the sources, when they are not the pair's own */
    qpucc_program *program;
    struct picture machine, reference;
    bool *edges;
    char error[4000];
};

static bool beyond(size_t bad, size_t compared) {
    return (double)bad > max_bad_share * (double)compared;
}

/* --- pictures ------------------------------------------------------------------------------------------- */

static bool draw_machine(struct trial *t, bool ideal, struct picture *out) {
    struct render_options how = {.ideal = ideal};
    struct qpusim_counters counters = {0};
    picture_free(out);
    if (!render_scene(t->scene, t->program, &how, out, &counters, t->error, sizeof t->error))
        return false;
    if (counters.position_mismatches && !ideal)
        snprintf(t->error, sizeof t->error, "vertex and coordinate shader disagree");
    return !counters.position_mismatches || ideal;
}

static bool draw_reference(struct trial *t, struct gl_variation how, struct picture *out) {
    picture_free(out);
    return gl_draw(t->runner->gl, t->scene, t->vertex, t->fragment, &how, out, how.seed ? NULL : t->edges,
                   t->error, sizeof t->error);
}

/* Compiles and draws on the machine. */
static enum verdict begin(struct trial *t) {
    struct qpucc_source sources[2] = {
        {"a.vert", t->vertex, strlen(t->vertex), QPUCC_VERTEX, QPUCC_GLSL},
        {"a.frag", t->fragment, strlen(t->fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct qpucc_options options = qpucc_options_default();
    struct qpucc_state state = render_state(t->scene);
    options.default_precision = QPUCC_PRECISION_HIGHP;
    qpucc_program_free(t->program);
    t->program = qpucc_compile(sources, 2, &state, &options);
    free(t->edges);
    t->edges = calloc((size_t)t->scene->width * t->scene->height, sizeof *t->edges);
    snprintf(t->error, sizeof t->error, "out of memory");
    if (!t->program || !t->edges)
        return BROKEN;
    if (qpucc_program_status(t->program) != QPUCC_OK) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(t->program, 0);
        snprintf(t->error, sizeof t->error, "%s: %.200s", d->code, d->text);
        return qpucc_program_status(t->program) == QPUCC_INTERNAL ? BROKEN : REFUSED;
    }
    return draw_machine(t, false, &t->machine) ? AGREES : BROKEN;
}

static bool is_blank(const struct trial *t) {
    for (size_t i = 0; i < (size_t)t->scene->width * t->scene->height; i++)
        if (memcmp(t->reference.pixels + 4 * i, t->scene->clear, 4) != 0)
            return false;
    return true;
}

/* --- questions ------------------------------------------------------------------------------------------ */

static size_t pixels_off(const struct trial *t, const struct picture *a, size_t *compared) {
    size_t bad = 0;
    *compared = 0;
    for (size_t i = 0; i < (size_t)a->width * a->height; i++) {
        bool off = false;
        for (size_t k = 4 * i; k < 4 * i + 4; k++)
            off |= abs(a->pixels[k] - t->reference.pixels[k]) > TOLERANCE;
        *compared += !t->edges[i];
        bad += off && !t->edges[i];
    }
    return bad;
}

/* What the channels of a pixel reach over the references. */
struct range {
    uint8_t *low, *high;
};

static bool widen(struct trial *t, unsigned seed, bool rough, const struct range *range,
                  struct picture *disturbed) {
    if (!draw_reference(t, (struct gl_variation){.seed = seed, .rough = rough, .snap = true}, disturbed))
        return false;
    for (size_t k = 0; k < 4 * (size_t)disturbed->width * disturbed->height; k++) {
        uint8_t v = disturbed->pixels[k];
        range->low[k] = v < range->low[k] ? v : range->low[k];
        range->high[k] = v > range->high[k] ? v : range->high[k];
    }
    return true;
}

static size_t count_outside(const struct trial *t, const struct picture *a, const struct range *range) {
    size_t bad = 0;
    for (size_t i = 0; i < (size_t)a->width * a->height; i++) {
        bool off = false;
        for (size_t k = 4 * i; k < 4 * i + 4; k++) {
            int width = range->high[k] - range->low[k] + TOLERANCE;
            off |= a->pixels[k] < range->low[k] - width || a->pixels[k] > range->high[k] + width;
        }
        bad += off && !t->edges[i];
    }
    return bad;
}

/* Pixels that do not lie among the disturbed references, of which there are more while these are too many:
 * where each draws another picture, sixteen do not reach as far as there is to reach. Rows that could not be
 * drawn count as all pixels. */
static size_t pixels_outside(struct trial *t, const struct picture *a, bool rough, size_t compared) {
    size_t bytes = 4 * (size_t)a->width * a->height, bad = bytes / 4;
    struct range range = {malloc(bytes), malloc(bytes)};
    struct picture disturbed = {0};
    bool ok = range.low && range.high;
    if (ok) {
        memcpy(range.low, t->reference.pixels, bytes);
        memcpy(range.high, t->reference.pixels, bytes);
    }
    for (unsigned seed = 1; ok && seed <= SAMPLES && beyond(bad, compared); seed++) {
        ok = widen(t, seed, rough, &range, &disturbed);
        if (ok && seed % AT_ONCE == 0)
            bad = count_outside(t, a, &range);
    }
    if (!ok) {
        fprintf(stderr, "%s: no disturbed reference: %s\n", t->name, t->error);
        bad = bytes / 4;
    }
    picture_free(&disturbed);
    free(range.low);
    free(range.high);
    return bad;
}

static void keep(const struct trial *t, const char *kind, const struct picture *picture) {
    if (t->runner->options.keep && picture->pixels)
        pairs_keep(&t->runner->options, t->name, kind, picture);
}

/* The questions after the first two, which the pair failed. */
static enum verdict ask(struct trial *t, struct entry *e) {
    struct picture ideal = {0};
    size_t compared;
    if (!draw_reference(t, (struct gl_variation){.snap = true}, &t->reference))
        return BROKEN;
    e->off = pixels_off(t, &t->machine, &compared);
    e->compared = compared;
    if (!beyond(e->off, compared))
        return t->scene->nearest ? UNFILTERED : SNAPPED;
    if (!draw_machine(t, true, &ideal))
        return BROKEN;
    keep(t, "ideal", &ideal);
    e->ideal = pixels_off(t, &ideal, &compared);
    enum verdict verdict = ARITHMETIC;
    if (beyond(e->ideal, compared)) {
        verdict = UNSTABLE;
        e->unstable = pixels_outside(t, &ideal, false, compared);
    }
    if (verdict == UNSTABLE && beyond(e->unstable, compared)) {
        verdict = AMPLIFIED;
        e->amplified = pixels_outside(t, &t->machine, true, compared);
        if (beyond(e->amplified, compared))
            verdict = UNEXPLAINED;
    }
    picture_free(&ideal);
    return verdict;
}

/* All of them, with filters and without: in a size in which no pixel lies between two texels. */
static enum verdict explain(struct trial *t, struct entry *e) {
    bool textured = qpucc_program_variable_count(t->program, QPUCC_SAMPLERS) > 0;
    struct entry first = *e;
    enum verdict verdict = ask(t, &first);
    if (verdict == SNAPPED || !textured || t->scene->nearest) {
        *e = first;
        return verdict;
    }
    t->scene->nearest = true;
    t->scene->width = t->scene->width * 157 / 160;
    t->scene->height = t->scene->height * 113 / 120;
    enum verdict without = draw_machine(t, false, &t->machine) ? ask(t, e) : BROKEN;
    e->unfiltered = without < verdict || without == UNFILTERED;
    if (e->unfiltered) {
        e->off = without == UNFILTERED ? first.off : e->off;
        return without;
    }
    *e = first;
    return verdict;
}

/* Does the pair agree as it is? */
static enum verdict compare(struct trial *t, struct entry *e) {
    enum verdict verdict = begin(t);
    if (verdict != AGREES)
        return verdict;
    if (!draw_reference(t, (struct gl_variation){0}, &t->reference))
        return BROKEN;
    e->off = pixels_off(t, &t->machine, &e->compared);
    return beyond(e->off, e->compared) ? UNEXPLAINED : AGREES;
}

/* For a shader that draws nothing on the first. */
static bool take_other_mesh(struct scene *scene) {
    char error[600];
    bool quad = !strcmp(scene->mesh_name, "quad");
    free(scene->mesh_name);
    scene->mesh_name = strdup(quad ? "sphere" : "quad");
    mesh_free(&scene->mesh);
    return scene->mesh_name && scene_prepare(scene, error, sizeof error);
}

/* Goes on with other sources, which it takes over. */
static enum verdict compare_changed(struct trial *t, struct entry *e, char *vertex, char *fragment) {
    free(t->changed[0]);
    free(t->changed[1]);
    t->vertex = t->changed[0] = vertex;
    t->fragment = t->changed[1] = fragment;
    return vertex && fragment ? compare(t, e) : BROKEN;
}

static void judge(struct trial *t, struct entry *e) {
    const struct cause *cause = causes_find(t->runner->causes, t->name);
    e->verdict = compare(t, e);
    bool blank = t->reference.pixels && is_blank(t);
    if (blank && take_other_mesh(t->scene)) {
        e->verdict = compare(t, e);
        blank = t->reference.pixels && is_blank(t);
    }
    if ((e->verdict == UNEXPLAINED || blank) && cause) {
        char *vertex = NULL, *fragment = NULL;
        e->cause = (int)cause_number(cause);
        e->verdict = BROKEN;
        if (cause_remove(cause, t->scene, t->vertex, t->fragment, &vertex, &fragment, t->error,
                         sizeof t->error))
            e->verdict = compare_changed(t, e, vertex, fragment);
        if (e->verdict == AGREES)
            e->verdict = KNOWN;
        else if (e->verdict == REFUSED)
            e->verdict = BROKEN;
    }
    if (e->verdict == UNEXPLAINED) {
        char *vertex = strdup(t->vertex), *fragment = strdup(t->fragment);
        e->verdict = compare_changed(t, e, strdup(t->vertex), with_defined_output(t->fragment));
        if (e->verdict == REFUSED) /* it needs a register more than there are */
            e->verdict = compare_changed(t, e, vertex, fragment);
        else {
            free(vertex);
            free(fragment);
            if (e->verdict == AGREES)
                e->verdict = UNDEFINED;
        }
    }
    if (e->verdict == UNEXPLAINED) {
        keep(t, "machine", &t->machine);
        e->verdict = explain(t, e);
        keep(t, "gl", &t->reference);
    }
    e->blank = t->reference.pixels && is_blank(t);
    if (e->verdict <= UNEXPLAINED)
        snprintf(t->error, sizeof t->error, "%zu of %zu pixels off%s", e->off, e->compared,
                 e->blank ? ", nothing drawn" : "");
}

static struct entry *add_entry(struct runner *runner, const char *name) {
    struct entry *entries = realloc(runner->entries, (runner->count + 1) * sizeof *entries);
    if (!entries)
        return NULL;
    runner->entries = entries;
    struct entry *e = &entries[runner->count++];
    *e = (struct entry){.name = strdup(name), .verdict = BROKEN, .cause = -1};
    return e;
}

static bool is_done(const struct runner *runner, const char *name) {
    for (size_t i = 0; i < runner->count; i++)
        if (!strcmp(runner->entries[i].name, name))
            return true;
    return false;
}

static void write_result(FILE *out, const struct entry *e) {
    fprintf(out, "%s %s %d %d %d %zu %zu %zu %zu %zu\n", e->name, verdict_names[e->verdict], e->blank,
            e->unfiltered, e->cause, e->off, e->ideal, e->unstable, e->amplified, e->compared);
    fflush(out);
}

static bool read_results(struct runner *runner, const char *path) {
    FILE *in = fopen(path, "a+");
    char name[200], verdict[20];
    struct entry r = {0};
    int unfiltered, blank;
    if (!in) {
        perror(path);
        return false;
    }
    rewind(in);
    while (fscanf(in, "%199s %19s %d %d %d %zu %zu %zu %zu %zu", name, verdict, &blank, &unfiltered, &r.cause,
                  &r.off, &r.ideal, &r.unstable, &r.amplified, &r.compared) == 10) {
        struct entry *e = is_done(runner, name) ? NULL : add_entry(runner, name);
        if (!e)
            continue;
        const struct cause *cause = r.cause >= 0 ? causes_find(runner->causes, name) : NULL;
        r.name = e->name;
        r.cause = cause ? (int)cause_number(cause) : -1; /* the file of causes may have changed */
        *e = r;
        e->unfiltered = unfiltered;
        e->blank = blank;
        e->verdict = BROKEN;
        for (int v = 0; v < VERDICTS; v++)
            if (!strcmp(verdict, verdict_names[v]))
                e->verdict = (enum verdict)v;
    }
    runner->results = in;
    return true;
}

static void run_pair(void *user, const char *name, struct scene *scene, const char *vertex,
                     const char *fragment, const char *why) {
    struct runner *runner = user;
    struct trial t = {.runner = runner, .scene = scene, .name = name, .vertex = vertex, .fragment = fragment};
    struct entry *e = is_done(runner, name) ? NULL : add_entry(runner, name);
    if (!e)
        return;
    if (scene)
        judge(&t, e);
    else
        snprintf(t.error, sizeof t.error, "%s", why);
    printf("%-44s %-11s %s", name, verdict_names[e->verdict], t.error);
    if (e->verdict >= ARITHMETIC && e->verdict <= UNEXPLAINED)
        printf("; ideal %zu", e->ideal);
    if (e->verdict >= UNSTABLE && e->verdict <= UNEXPLAINED)
        printf(", outside the disturbed %zu", e->unstable);
    if (e->verdict >= AMPLIFIED && e->verdict <= UNEXPLAINED)
        printf(", machine outside the rough %zu", e->amplified);
    if (e->unfiltered && e->verdict != UNFILTERED)
        printf(", all without filters");
    printf("%s%s\n", e->cause >= 0 ? "; cause: " : "",
           e->cause >= 0 ? cause_text(runner->causes, (unsigned)e->cause) : "");
    fflush(stdout);
    if (runner->results)
        write_result(runner->results, e);
    picture_free(&t.machine);
    picture_free(&t.reference);
    free(t.edges);
    free(t.changed[0]);
    free(t.changed[1]);
    qpucc_program_free(t.program);
}

/* --- the page's table ----------------------------------------------------------------------------------- */

static const char *short_name(const char *name) {
    const char *last = name;
    for (const char *at = name; (at = strpbrk(at, "/_")); at++)
        if (at[0] == '/' || (at[0] == '_' && at[1] == '_' && at[2] && !strchr("0123456789", at[2])))
            last = at + (at[0] == '/' ? 1 : 2);
    return last;
}

/* One row: everything of one verdict and one cause. */
static void write_row(const struct runner *runner, FILE *out, enum verdict verdict, int cause,
                      const char *text) {
    size_t n = 0;
    for (size_t i = 0; i < runner->count; i++)
        n += runner->entries[i].verdict == verdict && runner->entries[i].cause == cause;
    if (!n)
        return;
    fprintf(out, "| %zu | %s | %s |", n, verdict_names[verdict], text);
    const char *separator = " ";
    for (size_t i = 0; i < runner->count && verdict != AGREES; i++) {
        const struct entry *e = &runner->entries[i];
        if (e->verdict != verdict || e->cause != cause)
            continue;
        fprintf(out, "%s%s", separator, short_name(e->name));
        if (verdict == ARITHMETIC)
            fprintf(out, " %zu → %zu", e->off, e->ideal);
        if (verdict == UNSTABLE)
            fprintf(out, " %zu → %zu → %zu", e->off, e->ideal, e->unstable);
        if (verdict == AMPLIFIED || verdict == UNEXPLAINED)
            fprintf(out, " %zu → %zu → %zu, %zu", e->off, e->ideal, e->unstable, e->amplified);
        separator = "; ";
    }
    fprintf(out, " |\n");
}

static bool write_table(const struct runner *runner, const char *path) {
    FILE *out = fopen(path, "w");
    if (!out) {
        perror(path);
        return false;
    }
    fprintf(out, "| Pairs | Class | Cause | Which |\n| ---: | --- | --- | --- |\n");
    for (int v = 0; v < VERDICTS; v++) {
        write_row(runner, out, (enum verdict)v, -1, "");
        for (unsigned c = 0; c < cause_count(runner->causes); c++)
            write_row(runner, out, (enum verdict)v, (int)c, cause_text(runner->causes, c));
    }
    return fclose(out) == 0;
}

int main(int argc, char **argv) {
    static const struct option longs[] = {PAIR_LONG,
                                          {"causes", required_argument, NULL, 'c'},
                                          {"table", required_argument, NULL, 't'},
                                          {"results", required_argument, NULL, 'r'},
                                          {NULL, 0, NULL, 0}};
    struct runner runner = {0};
    const char *table = NULL, *results = NULL;
    char error[600];
    bool skipped = false, ok = true;
    for (int c; ok && (c = getopt_long(argc, argv, "", longs, NULL)) != -1;)
        switch (c) {
        case 'c':
            runner.causes = causes_read(optarg);
            ok = runner.causes != NULL;
            break;
        case 't': table = optarg; break;
        case 'r': results = optarg; break;
        default: ok = pairs_option(&runner.options, c, optarg);
        }
    ok = ok && runner.options.pairs && (!results || read_results(&runner, results));
    runner.gl = ok ? gl_open(error, sizeof error) : NULL;
    if (runner.gl) {
        printf("reference: %s\n", gl_name(runner.gl));
        ok = pairs_each(&runner.options, run_pair, &runner, &skipped);
        ok = ok && (!table || write_table(&runner, table));
    } else if (ok) {
        printf("skipped: %s\n", error);
        skipped = true;
    }
    size_t counts[VERDICTS] = {0}, blank = 0;
    for (size_t i = 0; i < runner.count; i++) {
        counts[runner.entries[i].verdict]++;
        blank += runner.entries[i].blank;
        free(runner.entries[i].name);
    }
    for (int v = 0; v < VERDICTS; v++)
        printf("%zu %s, ", counts[v], verdict_names[v]);
    printf("%zu without anything drawn\n", blank);
    if (runner.results)
        fclose(runner.results);
    gl_close(runner.gl);
    causes_free(runner.causes);
    free(runner.entries);
    file_free(&runner.options.exceptions);
    return skipped ? SKIPPED : !ok || !runner.count || counts[UNEXPLAINED] || counts[BROKEN];
}
