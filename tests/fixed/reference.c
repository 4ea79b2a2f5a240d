/* Random fixed-function states on the machine and on the system's desktop OpenGL, picture against picture.
 *
 *     fixed_reference [--keep DIR] [--seed N] [--count N] [--level N]
 *
 * A case passes when 99.5 % of its pixels agree within 3/255, times the factor by which the state's own
 * combiners enlarge an error. One that does not is drawn again with an exact W, as the reference has it: the
 * chip's moves coordinates by a 2^14th of their distance from the first corner's. Exit code 77 when there is
 * no such GL here. */
#include "gl_fixed.h"
#include "tools/machine.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77, TOLERANCE = 3 };

struct runner {
    const char *keep;
    int level;
    unsigned passed, failed, refused;
};

/* --- the machine's side --------------------------------------------------------------------------------- */

static void fill_attribute(void *user, const struct qpucc_variable *variable,
                           const struct qpucc_attribute_slot *slot, size_t vertices, float *data) {
    const struct fixed_case *c = user;
    for (size_t v = 0; v < vertices; v++) {
        float value[4] = {0, 0, 0, 1};
        case_attribute(c, variable->name, v, value);
        memcpy(data + v * slot->words, value, slot->words * sizeof *data);
    }
}

static bool set_uniforms(struct machine *m, const struct fixed_case *c) {
    static float words[16 * QPUCC_FIXED_TEXTURES];
    for (size_t k = 0; k < qpucc_program_variable_count(m->program, QPUCC_UNIFORMS); k++) {
        const struct qpucc_variable *u = qpucc_program_variable(m->program, QPUCC_UNIFORMS, k);
        if (!case_uniform(c, u->name, words)) {
            snprintf(m->error, m->size, "a uniform '%s' that is not GL's", u->name);
            return false;
        }
        memcpy(m->uniforms + u->word, words, sizeof(float) * u->rows * u->cols * u->array_length);
    }
    return true;
}

static bool set_textures(struct machine *m, const struct fixed_case *c) {
    for (unsigned n = 0; n < QPUCC_FIXED_TEXTURES; n++) {
        const struct qpucc_fixed_texture *t = &c->fixed.texture[n];
        bool cube = t->target == QPUCC_UNIT_CUBE;
        struct qpusim_image images[6];
        for (unsigned k = 0; k < 6; k++)
            images[k] = (struct qpusim_image){c->texture[n].images[k].pixels, CASE_TEXTURE, CASE_TEXTURE};
        struct qpusim_texture_info info = {.format = QPUSIM_RGBA8888,
                                           .levels = images,
                                           .level_count = 1,
                                           .cube = cube,
                                           .wrap_s = cube ? QPUSIM_CLAMP : QPUSIM_REPEAT,
                                           .wrap_t = cube ? QPUSIM_CLAMP : QPUSIM_REPEAT,
                                           .mag = QPUSIM_MAG_LINEAR,
                                           .min = QPUSIM_MIN_LINEAR};
        if (t->target && !machine_texture(m, n, &info))
            return false;
    }
    return true;
}

static bool draw(const struct fixed_case *c, const qpucc_program *program, unsigned fault,
                 struct picture *out, struct qpusim_counters *counters, char *error, size_t size) {
    struct machine m = {.program = NULL};
    struct qpusim_draw_info how = {
        .mode = c->state.primitive == QPUCC_POINTS ? QPUSIM_POINTS : QPUSIM_TRIANGLES, .count = c->count};
    struct qpusim_options options = {.counters = counters, .fault = fault};
    bool ok = machine_open(&m, program, QPUCC_FIXED_TEXTURES * 6 * 8192, error, size);
    m.state = c->values;
    ok = ok && set_uniforms(&m, c) && set_textures(&m, c) &&
         machine_attributes(&m, &how, c->count, fill_attribute, (void *)c) &&
         machine_draw(&m, &how, CASE_SIZE, CASE_SIZE, c->clear, &options, out);
    machine_close(&m);
    return ok;
}

/* --- pixels that are a matter of rounding --------------------------------------------------------------- */

static bool is_clear(const struct fixed_case *c, const struct picture *p, int x, int y) {
    x = x < 0 ? 0 : x >= CASE_SIZE ? CASE_SIZE - 1 : x;
    y = y < 0 ? 0 : y >= CASE_SIZE ? CASE_SIZE - 1 : y;
    return !memcmp(p->pixels + 4 * (y * CASE_SIZE + x), c->clear, 4);
}

/* On the edge that a clip plane cuts, or with an alpha as large as the test's reference. `alphas` is what the
 * reference draws without the test. */
static bool on_edge(const struct fixed_case *c, const struct picture *theirs, const struct picture *alphas,
                    int x, int y) {
    bool clear = is_clear(c, theirs, x, y);
    for (int k = 0; k < 9 && c->state.clip_planes; k++)
        if (is_clear(c, theirs, x + k % 3 - 1, y + k / 3 - 1) != clear)
            return true;
    float alpha = (float)alphas->pixels[4 * (y * CASE_SIZE + x) + 3] - c->values.alpha_reference * 255;
    return c->state.alpha_func && alpha < TOLERANCE * c->gain && alpha > -TOLERANCE * c->gain;
}

/* --- comparison ----------------------------------------------------------------------------------------- */

static void keep_picture(const struct runner *r, unsigned seed, const char *kind, const struct picture *p) {
    char path[400], error[300];
    snprintf(path, sizeof path, "%s/fixed-%u.%s.png", r->keep, seed, kind);
    if (p->pixels && !picture_write_png(p, path, false, error, sizeof error))
        printf("%s\n", error);
}

static void keep_pictures(const struct runner *r, unsigned seed, const struct picture *ours,
                          const struct picture *theirs) {
    size_t bytes = (size_t)CASE_SIZE * CASE_SIZE * 4;
    struct picture difference = {CASE_SIZE, CASE_SIZE, malloc(bytes)};
    for (size_t i = 0; difference.pixels && i < bytes; i++) {
        int d = abs(ours->pixels[i] - theirs->pixels[i]) * 16;
        difference.pixels[i] = (uint8_t)(d < 255 ? d : 255);
    }
    keep_picture(r, seed, "machine", ours);
    keep_picture(r, seed, "gl", theirs);
    keep_picture(r, seed, "difference", &difference);
    picture_free(&difference);
}

static void tell(const struct fixed_case *c, unsigned seed, const char *verdict, const char *text) {
    char about[200];
    case_describe(c, about, sizeof about);
    printf("seed %5u %s  %s  (%s)\n", seed, verdict, text, about);
    fflush(stdout);
}

/* The state as `qpucc fixed` reads it. */
static void print_state(const struct qpucc_fixed *fixed) {
    const struct qpucc_member *m;
    for (size_t k = 0; (m = qpucc_fixed_member_at(k)); k++)
        for (unsigned n = 0; n < m->structs; n++)
            for (unsigned i = 0; i < m->count; i++) {
                unsigned value = *((const uint8_t *)fixed + m->offset + n * m->stride + i);
                if (value && m->array)
                    printf("    %s[%u].%s[%u] = ", m->array, n, m->name, i);
                else if (value)
                    printf("    %s = ", m->name);
                if (value && m->values)
                    printf("%s\n", m->values[value]);
                else if (value)
                    printf("%u\n", value);
            }
}

struct comparison {
    unsigned bad, edges;
    int worst[4];
};

/* True: the pictures agree. */
static bool compare(const struct fixed_case *c, const struct picture *ours, const struct picture *theirs,
                    const struct picture *alphas, struct comparison *out) {
    *out = (struct comparison){0};
    for (unsigned i = 0; i < CASE_SIZE * CASE_SIZE; i++) {
        int most = 0;
        if (on_edge(c, theirs, alphas, (int)(i % CASE_SIZE), (int)(i / CASE_SIZE))) {
            out->edges++;
            continue;
        }
        for (unsigned k = 0; k < 4; k++) {
            int d = abs(ours->pixels[4 * i + k] - theirs->pixels[4 * i + k]);
            most = d > most ? d : most;
            out->worst[k] = d > out->worst[k] ? d : out->worst[k];
        }
        out->bad += (float)most > TOLERANCE * c->gain;
    }
    return out->bad * 200 <= CASE_SIZE * CASE_SIZE;
}

static void run_case(struct runner *r, unsigned seed) {
    static struct fixed_case c;
    struct qpusim_counters counters = {0};
    struct picture ours = {0}, theirs = {0}, alphas = {0};
    struct qpucc_options options = qpucc_options_default();
    const char *verdict = "ok     ";
    char text[600] = "";
    bool ok = false;
    options.opt_level = r->level;
    case_make(&c, seed);
    qpucc_program *program = qpucc_compile_fixed(&c.fixed, &c.state, &options);
    if (!program || qpucc_program_status(program) != QPUCC_OK) {
        const struct qpucc_diagnostic *d = program ? qpucc_program_diagnostic(program, 0) : NULL;
        snprintf(text, sizeof text, "%s: %.300s", d ? d->code : "", d ? d->text : "out of memory");
    } else if (draw(&c, program, 0, &ours, &counters, text, sizeof text) &&
               gl_fixed_draw(&c, false, &theirs, text, sizeof text) &&
               gl_fixed_draw(&c, true, &alphas, text, sizeof text)) {
        struct comparison found;
        ok = compare(&c, &ours, &theirs, &alphas, &found);
        if (!ok) {
            picture_free(&ours);
            ok = draw(&c, program, qpusim_fault_find("raster_w"), &ours, &counters, text, sizeof text) &&
                 compare(&c, &ours, &theirs, &alphas, &found);
            verdict = ok ? "exact W" : verdict;
        }
        ok &= !counters.position_mismatches;
        snprintf(text, sizeof text, "%4u pixels off, %4u on edges, worst %3d %3d %3d %3d%s", found.bad,
                 found.edges, found.worst[0], found.worst[1], found.worst[2], found.worst[3],
                 counters.position_mismatches ? ", vertex and coordinate shader disagree" : "");
        if (r->keep && !ok)
            keep_pictures(r, seed, &ours, &theirs);
    }
    tell(&c, seed, ok ? verdict : "FAILED ", text);
    if (r->keep && !ok) {
        print_state(&c.fixed);
        printf("    state: fog %d of %d%s, alpha test %d, planes %02x, sprites %02x, blend %d\n", c.state.fog,
               c.state.fog_source, c.state.fog_per_vertex ? " per vertex" : "", c.state.alpha_func,
               c.state.clip_planes, c.state.coord_replace, c.state.blend.enable);
    }
    r->passed += ok;
    r->failed += !ok;
    picture_free(&ours);
    picture_free(&theirs);
    picture_free(&alphas);
    qpucc_program_free(program);
    case_free(&c);
}

int main(int argc, char **argv) {
    static const struct option longs[] = {{"keep", required_argument, NULL, 'k'},
                                          {"seed", required_argument, NULL, 's'},
                                          {"count", required_argument, NULL, 'n'},
                                          {"level", required_argument, NULL, 'l'},
                                          {NULL, 0, NULL, 0}};
    struct runner runner = {.level = 2};
    unsigned seed = 1, count = 20;
    char error[300];
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;)
        switch (c) {
        case 'k': runner.keep = optarg; break;
        case 's': seed = (unsigned)strtoul(optarg, NULL, 10); break;
        case 'n': count = (unsigned)strtoul(optarg, NULL, 10); break;
        case 'l': runner.level = (int)strtol(optarg, NULL, 10); break;
        default: return 1;
        }
    if (!gl_fixed_open(error, sizeof error)) {
        printf("skipped: %s\n", error);
        return SKIPPED;
    }
    for (unsigned k = 0; k < count; k++)
        run_case(&runner, seed + k);
    gl_fixed_close();
    printf("%u passed, %u failed\n", runner.passed, runner.failed);
    return runner.failed != 0 || !runner.passed;
}
