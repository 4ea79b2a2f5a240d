/* Keys whose fragments have more than a picture shows: a second source colour, half-float targets, four
 * samples of a pixel. Random fragments go through the machine, sixteen lanes at a time, and through
 * desktop GL (Mesa's software), one pixel for each lane; all samples of a pixel are covered, so where they
 * lie does not matter.
 *
 *     output_gl_lanes [--seed N] [--count N]
 *
 * Exit code 77 when there is no such GL here. */
#include "batch.h"
#include "gl_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77, ROWS = 4, FRAGMENTS = ROWS * QPUSIM_LANES, SAMPLES = 4 };

/* Four channels of each sample of each fragment. */
typedef float image[SAMPLES][FRAGMENTS][4];

struct lane_case {
    struct qpucc_state state;
    struct qpucc_draw_state draw;
    struct fragment fragments[FRAGMENTS];
};

struct test {
    struct batch_source source;
    GLuint load, draw, read;
    uint32_t seed;
    unsigned failed, changed[3][2]; /* values that differ from the tile's: by kind of key, in it or not */
};

static unsigned samples_of(const struct qpucc_state *s) {
    return s->multisample ? SAMPLES : 1;
}

static bool is_half(const struct qpucc_state *s) {
    return s->target == QPUCC_TARGET_RGBA16F;
}

/* --- cases ---------------------------------------------------------------------------------------------- */

static bool once_in(uint32_t *seed, unsigned times) {
    return batch_below(seed, times) == 0;
}

/* What desktop GL has, and what output_gl does not draw. */
static struct qpucc_state random_key(uint32_t *seed) {
    struct qpucc_state s = {.target = once_in(seed, 2) ? QPUCC_TARGET_RGBA16F : QPUCC_TARGET_RGBA8888};
    s.keep_channels = once_in(seed, 4) ? (uint8_t)batch_below(seed, 16) : 0;
    s.multisample = once_in(seed, 2);
    if (s.multisample) {
        s.sample_mask = once_in(seed, 2);
        s.alpha_to_coverage = once_in(seed, 3);
        s.alpha_to_one = once_in(seed, 3);
    }
    /* Mesa tests alpha before it becomes one, GL after (GL 4.6 compatibility profile, section 17.3). */
    if (!s.alpha_to_one && once_in(seed, 3))
        s.alpha_func = (uint8_t)batch_below(seed, QPUCC_FUNC_COUNT);
    if (!is_half(&s) && once_in(seed, 4)) {
        s.logic_op = (uint8_t)batch_below(seed, QPUCC_LOGIC_OP_COUNT);
    } else if (!once_in(seed, 4)) {
        struct qpucc_blend_state *b = &s.blend;
        b->enable = 1;
        b->rgb_equation = (uint8_t)batch_below(seed, QPUCC_BLEND_MULTIPLY);
        b->alpha_equation = (uint8_t)batch_below(seed, QPUCC_BLEND_MULTIPLY);
        b->rgb_source = (uint8_t)batch_below(seed, QPUCC_FACTOR_COUNT);
        b->rgb_target = (uint8_t)batch_below(seed, QPUCC_FACTOR_COUNT);
        b->alpha_source = (uint8_t)batch_below(seed, QPUCC_FACTOR_COUNT);
        b->alpha_target = (uint8_t)batch_below(seed, QPUCC_FACTOR_COUNT);
    }
    return s;
}

static double step(uint32_t *seed) {
    return (once_in(seed, 4) ? 255 * batch_below(seed, 2) : batch_below(seed, 256)) / 255.0;
}

/* Halves reach beyond what bytes hold: both signs, 2^-7 to 8. */
static uint16_t random_half(uint32_t *seed) {
    return (uint16_t)(batch_below(seed, 2) << 15 | (8 + batch_below(seed, 10)) << 10 |
                      batch_below(seed, 1024));
}

static double random_value(const struct qpucc_state *s, uint32_t *seed) {
    return is_half(s) && once_in(seed, 2) ? (double)half_to_float(random_half(seed)) : step(seed);
}

static void random_case(uint32_t *seed, struct lane_case *c) {
    memset(c, 0, sizeof *c);
    c->state = random_key(seed);
    for (int k = 0; k < 4; k++)
        c->draw.blend_color[k] = (float)step(seed);
    c->draw.alpha_reference = ((float)batch_below(seed, 255) + 0.3f) / 255;
    c->draw.sample_mask_bits = batch_below(seed, 16);
    for (int i = 0; i < FRAGMENTS; i++) {
        struct fragment *f = &c->fragments[i];
        f->w = 1;
        f->x = (unsigned)i % QPUSIM_LANES;
        f->y = (unsigned)i / QPUSIM_LANES;
        for (int k = 0; k < 4; k++) {
            f->color[k] = (float)random_value(&c->state, seed);
            f->second[k] = (float)random_value(&c->state, seed);
        }
        /* How many samples a share means is a GL's own matter; none and all are not. */
        if (c->state.alpha_to_coverage)
            f->color[3] = batch_below(seed, 2);
        /* GL 4.6, section 17.3.1, means the alpha of index 0; Mesa makes that of index 1 one as well. */
        if (c->state.alpha_to_one)
            f->second[3] = 1;
        for (int s = 0; s < SAMPLES; s++)
            for (int k = 0; k < 2; k++)
                f->tile[s][k] = is_half(&c->state) ? (uint32_t)random_half(seed) << 16 | random_half(seed)
                                                   : batch_random(seed);
    }
}

/* --- the machine ---------------------------------------------------------------------------------------- */

static bool machine_image(const struct test *t, const struct lane_case *c, int level, image out, char *text,
                          size_t size) {
    static struct qpusim_result result;
    qpucc_program *program = batch_compile(&t->source, &c->state, level);
    bool ok = program && qpucc_program_status(program) == QPUCC_OK, wide = is_half(&c->state);
    if (!ok)
        snprintf(text, size, "%s", program ? qpucc_program_diagnostic(program, 0)->text : "no memory");
    for (int row = 0; ok && row < ROWS; row++) {
        ok = batch_run(program, &c->state, &c->draw, c->fragments + row * QPUSIM_LANES, &result, text, size);
        for (unsigned s = 0; ok && s < samples_of(&c->state); s++)
            for (int lane = 0; lane < QPUSIM_LANES; lane++) {
                uint32_t words[2] = {result.tile[wide ? 2 * s : s][lane],
                                     wide ? result.tile[2 * s + 1][lane] : 0};
                for (unsigned k = 0; k < 4; k++)
                    out[s][row * QPUSIM_LANES + lane][k] = (float)reference_channel(&c->state, words, k);
            }
    }
    qpucc_program_free(program);
    return ok;
}

/* --- GL ------------------------------------------------------------------------------------------------- */

#define HEAD "#version 330 compatibility\n"
static const char vertex[] = HEAD "void main() { gl_Position = gl_Vertex; }\n";

static bool open_programs(struct test *t) {
    t->load = gl_program(vertex, HEAD "uniform sampler2D tile; uniform int first; out vec4 o;\n"
                                      "void main() { o = texelFetch(tile, ivec2(gl_FragCoord.xy) + "
                                      "ivec2(0, first), 0); }\n");
    t->draw = gl_program(vertex, HEAD "uniform sampler2D c, d; layout(location = 0) out vec4 first;\n"
                                      "layout(location = 0, index = 1) out vec4 second;\n"
                                      "void main() {\n"
                                      "    first = texelFetch(c, ivec2(gl_FragCoord.xy), 0);\n"
                                      "    second = texelFetch(d, ivec2(gl_FragCoord.xy), 0);\n"
                                      "}\n");
    t->read = gl_program(vertex, HEAD "uniform sampler2DMS tile; uniform int rows; out vec4 o;\n"
                                      "void main() {\n"
                                      "    ivec2 p = ivec2(gl_FragCoord.xy);\n"
                                      "    o = texelFetch(tile, ivec2(p.x, p.y % rows), p.y / rows);\n"
                                      "}\n");
    return t->load && t->draw && t->read;
}

static GLuint texture_of(unsigned unit, unsigned rows, const float *values) {
    GLuint texture;
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, QPUSIM_LANES, (GLsizei)rows, 0, GL_RGBA, GL_FLOAT, values);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    return texture;
}

/* A target of one sample or four and its framebuffer, which is bound. */
static GLuint framebuffer_of(const struct qpucc_state *s, GLuint *texture) {
    GLuint framebuffer;
    GLenum format = is_half(s) ? GL_RGBA16F : GL_RGBA8;
    GLenum kind = s->multisample ? GL_TEXTURE_2D_MULTISAMPLE : GL_TEXTURE_2D;
    glGenFramebuffers(1, &framebuffer);
    glGenTextures(1, texture);
    glActiveTexture(GL_TEXTURE3);
    glBindTexture(kind, *texture);
    if (s->multisample)
        glTexImage2DMultisample(kind, SAMPLES, format, QPUSIM_LANES, ROWS, GL_TRUE);
    else
        glTexImage2D(kind, 0, (GLint)format, QPUSIM_LANES, ROWS, 0, GL_RGBA, GL_FLOAT, NULL);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, kind, *texture, 0);
    return framebuffer;
}

/* One triangle over all pixels and samples. */
static void cover(unsigned rows) {
    glViewport(0, 0, QPUSIM_LANES, (GLsizei)rows);
    glBegin(GL_TRIANGLES);
    glVertex2f(-1, -1);
    glVertex2f(3, -1);
    glVertex2f(-1, 3);
    glEnd();
}

static void set_state(const struct qpucc_state *s, const struct qpucc_draw_state *draw) {
    gl_blend(s, draw);
    gl_enable(GL_ALPHA_TEST, s->alpha_func != QPUCC_ALWAYS);
    glAlphaFunc(gl_funcs[s->alpha_func], draw->alpha_reference);
    gl_enable(GL_SAMPLE_ALPHA_TO_COVERAGE, s->alpha_to_coverage);
    gl_enable(GL_SAMPLE_ALPHA_TO_ONE, s->alpha_to_one);
    gl_enable(GL_SAMPLE_MASK, s->sample_mask);
    glSampleMaski(0, draw->sample_mask_bits);
}

/* Each sample gets its own value: the others are masked off. */
static void load_tile(const struct test *t, const struct lane_case *c) {
    struct qpucc_state plain = {.multisample = c->state.multisample, .sample_mask = c->state.multisample};
    for (unsigned s = 0; s < samples_of(&c->state); s++) {
        struct qpucc_draw_state draw = {.sample_mask_bits = 1u << s};
        set_state(&plain, &draw);
        glUseProgram(t->load);
        glUniform1i(glGetUniformLocation(t->load, "tile"), 2);
        glUniform1i(glGetUniformLocation(t->load, "first"), (GLint)(s * ROWS));
        cover(ROWS);
    }
}

static void read_samples(const struct test *t, const struct lane_case *c, image out) {
    static const struct qpucc_state plain = {0};
    static const struct qpucc_draw_state nothing = {0};
    GLuint texture = texture_of(4, SAMPLES * ROWS, NULL), framebuffer;
    if (c->state.multisample) {
        set_state(&plain, &nothing);
        glGenFramebuffers(1, &framebuffer);
        glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
        glUseProgram(t->read);
        glUniform1i(glGetUniformLocation(t->read, "tile"), 3);
        glUniform1i(glGetUniformLocation(t->read, "rows"), ROWS);
        cover(SAMPLES * ROWS);
    }
    glReadPixels(0, 0, QPUSIM_LANES, (GLsizei)(samples_of(&c->state) * ROWS), GL_RGBA, GL_FLOAT, out);
    if (c->state.multisample)
        glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(1, &texture);
}

static void tile_image(const struct lane_case *c, image out) {
    for (unsigned s = 0; s < SAMPLES; s++)
        for (int i = 0; i < FRAGMENTS; i++)
            for (unsigned k = 0; k < 4; k++)
                out[s][i][k] = (float)reference_channel(&c->state, c->fragments[i].tile[s], k);
}

static bool gl_image(const struct test *t, const struct lane_case *c, image tile, image out) {
    static float first[FRAGMENTS][4], second[FRAGMENTS][4];
    GLuint textures[4];
    for (int i = 0; i < FRAGMENTS; i++)
        for (int k = 0; k < 4; k++) {
            first[i][k] = (float)c->fragments[i].color[k];
            second[i][k] = (float)c->fragments[i].second[k];
        }
    textures[0] = texture_of(0, ROWS, first[0]);
    textures[1] = texture_of(1, ROWS, second[0]);
    textures[2] = texture_of(2, SAMPLES * ROWS, tile[0][0]);
    GLuint framebuffer = framebuffer_of(&c->state, &textures[3]);
    bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    glDisable(GL_DITHER);
    load_tile(t, c);
    set_state(&c->state, &c->draw);
    glUseProgram(t->draw);
    glUniform1i(glGetUniformLocation(t->draw, "c"), 0);
    glUniform1i(glGetUniformLocation(t->draw, "d"), 1);
    cover(ROWS);
    read_samples(t, c, out);
    glDeleteFramebuffers(1, &framebuffer);
    glDeleteTextures(4, textures);
    return complete && glGetError() == GL_NO_ERROR;
}

/* --- comparison ----------------------------------------------------------------------------------------- */

/* Bytes: the products of one draw round, here and there. Halves: one step, and the QPU writes 0 for
 * those that are denormal, below 2^-14. */
static float tolerance(const struct qpucc_state *s, float value) {
    if (!is_half(s))
        return s->blend.enable ? 1.1f / 255 : 0.1f / 255;
    return fabsf(value) / 1024 + (s->blend.enable ? 0x1p-14f : 0);
}

static bool uses_second(const struct qpucc_state *s) {
    const uint8_t f[] = {s->blend.rgb_source, s->blend.rgb_target, s->blend.alpha_source,
                         s->blend.alpha_target};
    bool any = false;
    for (int i = 0; i < 4 && s->blend.enable; i++)
        any |= f[i] >= QPUCC_FACTOR_SRC1_COLOR && f[i] <= QPUCC_FACTOR_ONE_MINUS_SRC1_ALPHA;
    return any;
}

static void count_change(struct test *t, const struct qpucc_state *s, bool changed) {
    const bool kinds[3] = {uses_second(s), is_half(s), s->multisample};
    for (int k = 0; k < 3; k++)
        t->changed[k][changed] += kinds[k];
}

static void run_case(struct test *t, uint32_t seed) {
    static struct lane_case c;
    static image tile, ours, theirs;
    char text[400] = "";
    int level = (int)(seed % 3);
    uint32_t state = seed * 2654435761u | 1;
    random_case(&state, &c);
    tile_image(&c, tile);
    bool ok = machine_image(t, &c, level, ours, text, sizeof text);
    if (ok && !gl_image(t, &c, tile, theirs)) {
        snprintf(text, sizeof text, "GL error");
        ok = false;
    }
    unsigned bad = 0;
    for (unsigned s = 0; ok && s < samples_of(&c.state); s++)
        for (unsigned i = 0; i < FRAGMENTS; i++)
            for (unsigned k = 0; k < 4; k++) {
                float is = ours[s][i][k], should = theirs[s][i][k];
                count_change(t, &c.state, should != tile[s][i][k]);
                if (fabsf(is - should) <= tolerance(&c.state, should) || bad++)
                    continue;
                snprintf(text, sizeof text,
                         "fragment %u sample %u channel %u is %.5f, should be %.5f; tile %.5f, fragment %.5f "
                         "alpha %.5f, second %.5f alpha %.5f",
                         i, s, k, (double)is, (double)should, (double)tile[s][i][k], c.fragments[i].color[k],
                         c.fragments[i].color[3], c.fragments[i].second[k], c.fragments[i].second[3]);
            }
    if (ok && !bad)
        return;
    t->failed++;
    printf("seed %u -O%d: %u values off: %s\n", seed, level, bad, text);
    batch_print_state(&c.state);
}

/* --- alpha to coverage ---------------------------------------------------------------------------------- */

/* GL leaves open which samples a share of coverage means (GL 4.6, section 17.3.1). This holds both
 * renderers to none at 0, all at 1, as many as are proportional to alpha within one, and a larger alpha
 * drops no sample. */
static bool proportional(const image out, const struct lane_case *c, const char *who) {
    bool ok = true;
    unsigned before = 0;
    for (unsigned i = 0; i < FRAGMENTS; i++) {
        double alpha = c->fragments[i].color[3];
        unsigned set = 0, count = 0;
        for (unsigned s = 0; s < SAMPLES; s++) {
            bool written = out[s][i][0] > 0.5f;
            set |= (unsigned)written << s;
            count += written;
        }
        bool end = i > 0 && i < FRAGMENTS - 1;
        bool fits = end ? fabs(count - 4 * alpha) <= 1 : count == (i ? SAMPLES : 0);
        if (fits && (before & ~set) == 0) {
            before = set;
            continue;
        }
        printf("alpha to coverage, %s: alpha %.4f has samples %x after %x\n", who, alpha, set, before);
        ok = false;
    }
    return ok;
}

/* White over black, alpha from 0 to 1. */
static void run_coverage(struct test *t, uint8_t target, int level) {
    static struct lane_case c;
    static image tile, ours, theirs;
    char text[400] = "";
    c = (struct lane_case){.state = {.target = target, .multisample = 1, .alpha_to_coverage = 1}};
    for (int i = 0; i < FRAGMENTS; i++) {
        double share = (float)((double)i / (FRAGMENTS - 1));
        c.fragments[i] = (struct fragment){.w = 1, .color = {1, 1, 1, share}};
    }
    tile_image(&c, tile);
    bool ok = machine_image(t, &c, level, ours, text, sizeof text) && gl_image(t, &c, tile, theirs);
    if (!ok)
        printf("alpha to coverage, target %u, -O%d: %s\n", target, level, text);
    t->failed += !(ok && proportional(ours, &c, "machine") && proportional(theirs, &c, "GL"));
}

int main(int argc, char **argv) {
    static const char *const kinds[3] = {"second source colour", "half floats", "four samples"};
    struct test t = {.seed = 1};
    unsigned count = 300;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--seed"))
            t.seed = (uint32_t)strtoul(argv[i + 1], NULL, 0);
        else if (!strcmp(argv[i], "--count"))
            count = (unsigned)strtoul(argv[i + 1], NULL, 0);
    }
    if (!gl_open() || !open_programs(&t)) {
        printf("skipped: no surfaceless desktop GL with two source colours and samples here\n");
        return SKIPPED;
    }
    if (!batch_open(&t.source))
        return 1;
    for (unsigned i = 0; i < count; i++)
        run_case(&t, t.seed + i);
    for (int level = 0; level < 3; level++) {
        run_coverage(&t, QPUCC_TARGET_RGBA8888, level);
        run_coverage(&t, QPUCC_TARGET_RGBA16F, level);
    }
    printf("%u keys, %u failed\n", count, t.failed);
    bool blind = false;
    for (int k = 0; k < 3; k++) {
        printf("%s: %u values changed, %u as they were\n", kinds[k], t.changed[k][1], t.changed[k][0]);
        blind |= t.changed[k][1] < t.changed[k][0] / 4;
    }
    batch_close(&t.source);
    gl_close();
    return t.failed || blind;
}
