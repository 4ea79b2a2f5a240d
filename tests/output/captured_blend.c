/* What blending adds to a fragment shader: Mesa's code of a captured frame beside ours for the same state.
 *
 *     output_captured CAPTURES
 *
 * The frame (captures/sv-blend) draws sixteen cells with `gl_FragColor = u_col`, each in another blend state,
 * which the capture does not name. Each captured shader runs on the machine over random tile colours, and the
 * state is the one whose formula gives what came out. Ours is the same shader in that state, and no longer.
 */
#include "backend/isa/isa.h"
#include "reference.h"

#include <jansson.h>
#include <qpucc/qpusim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char shader[] =
    "precision mediump float; uniform vec4 u_col; void main() { gl_FragColor = u_col; }";
static const double color[4] = {0.9, 0.35, 0.6, 0.55};
static const float constant[4] = {0.2f, 0.6f, 0.9f, 0.4f};

struct capture {
    const char *folder;
    json_t *json;
    uint8_t *list, *records;
    uint32_t *uniforms;
    size_t list_size, records_size, uniforms_size;
};

static void *read_file(const char *folder, const char *name, size_t *size) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *in = fopen(path, "rb");
    if (!in)
        return NULL;
    fseek(in, 0, SEEK_END);
    *size = (size_t)ftell(in);
    rewind(in);
    void *data = calloc(*size + 8, 1);
    if (data && fread(data, 1, *size, in) != *size)
        *size = 0;
    fclose(in);
    return data;
}

static uint32_t word_at(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Code of the shader that is the buffer with this index. */
static uint64_t *code_of(const struct capture *c, uint32_t index, size_t *count) {
    json_t *bo;
    size_t i, size = 0;
    char name[64];
    json_array_foreach(json_object_get(c->json, "bos"), i, bo) {
        if (json_integer_value(json_object_get(bo, "hindex")) != (json_int_t)index)
            continue;
        snprintf(name, sizeof name, "bo_%d.bin", (int)json_integer_value(json_object_get(bo, "handle")));
        uint64_t *code = read_file(c->folder, name, &size);
        *count = (size_t)json_integer_value(json_object_get(bo, "code_size")) / 8;
        return code;
    }
    return NULL;
}

/* Words of the stream that the code takes. */
static size_t words_of(const uint64_t *code, size_t count) {
    size_t words = 0;
    for (size_t i = 0; i < count; i++) {
        struct qpu_inst inst;
        qpu_decode(code[i], &inst);
        bool alu = inst.sig < QPU_SIG_LDI;
        words += alu && (inst.raddr_a == QPU_R_UNIF ||
                         (inst.raddr_b == QPU_R_UNIF && inst.sig != QPU_SIG_SMALL_IMM));
    }
    return words;
}

/* Length of a packet of the control list. */
static size_t packet_size(uint8_t id) {
    static const uint8_t sizes[][2] = {{32, 14}, {33, 10}, {56, 2},  {64, 5},   {96, 4},
                                       {97, 5},  {98, 5},  {99, 5},  {101, 5},  {102, 9},
                                       {103, 5}, {105, 9}, {106, 9}, {112, 16}, {254, 9}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i][0] == id)
            return sizes[i][1];
    return 1;
}

/* --- which state ---------------------------------------------------------------------------------------- */

/* Do the formula's channels from `first` on fit the machine's words? */
static bool fits(const struct qpucc_state *state, const struct qpucc_draw_state *draw, const uint32_t *tile,
                 const uint32_t *result, unsigned first, unsigned end) {
    for (unsigned lane = 0; lane < QPUSIM_LANES; lane++) {
        double d[4], out[4];
        for (unsigned i = 0; i < 4; i++)
            d[i] = (tile[lane] >> 8 * i & 255) / 255.0;
        reference_blend(state, draw, color, color, d, out);
        for (unsigned i = first; i < end; i++) {
            double x = (out[i] < 0 ? 0 : out[i] > 1 ? 1 : out[i]) * 255 - (result[lane] >> 8 * i & 255);
            if (x < -1.6 || x > 1.6)
                return false;
        }
    }
    return true;
}

enum { FACTORS = QPUCC_FACTOR_COUNT, HALVES = 5 * FACTORS * FACTORS };

/* Equation and factors by number. */
static void half_of(unsigned n, uint8_t half[3]) {
    half[0] = (uint8_t)(n / FACTORS / FACTORS);
    half[1] = (uint8_t)(n / FACTORS % FACTORS);
    half[2] = (uint8_t)(n % FACTORS);
}

static unsigned ours(const struct qpucc_state *state, uint32_t flags);

/* Several states may do the same to this colour: the one that is the longest code of ours. */
static bool find_state(const uint32_t *tile, const uint32_t *result, struct qpucc_state *state) {
    struct qpucc_draw_state draw = {.blend_color = {constant[0], constant[1], constant[2], constant[3]}};
    unsigned fit[2][HALVES], count[2] = {0, 0}, most = 0;
    for (unsigned n = 0; n < HALVES; n++) {
        uint8_t h[3];
        half_of(n, h);
        if (h[0] >= QPUCC_BLEND_MIN && (h[1] || h[2]))
            continue; /* factors mean nothing */
        struct qpucc_state s = {.blend = {1, h[0], h[1], h[2], h[0], h[1], h[2]}};
        for (unsigned k = 0; k < 2; k++)
            if (fits(&s, &draw, tile, result, k ? 3 : 0, k ? 4 : 3))
                fit[k][count[k]++] = n;
    }
    bool alike = false; /* glBlendFunc, most likely; otherwise alpha's simplest factors */
    for (unsigned i = 0; i < count[0]; i++)
        for (unsigned k = 0; k < count[1]; k++)
            alike |= fit[0][i] == fit[1][k];
    for (unsigned n = 0; n < count[0] * count[1]; n++) {
        uint8_t rgb[3], alpha[3];
        unsigned of_rgb = fit[0][n / count[1]], of_alpha = fit[1][n % count[1]];
        half_of(of_rgb, rgb);
        half_of(of_alpha, alpha);
        struct qpucc_state s = {.blend = {1, rgb[0], rgb[1], rgb[2], alpha[0], alpha[1], alpha[2]}};
        unsigned length = ours(&s, 0);
        if ((alike ? of_rgb == of_alpha : n % count[1] == 0) && length > most) {
            most = length;
            *state = s;
        }
    }
    return most;
}

static bool run_captured(const uint64_t *code, size_t count, const uint32_t *stream, size_t words,
                         uint32_t *tile, uint32_t *result) {
    static struct qpusim_fragments f;
    static struct qpusim_result out;
    uint32_t seed = 99;
    struct qpusim_program *program = qpusim_program_new(code, count, QPUSIM_FRAGMENT, false);
    struct qpusim_run_info run = {.program = program, .uniforms = {stream, words, 0}, .fragments = &f};
    memset(&f, 0, sizeof f);
    f.live = f.coverage = 0xffff;
    for (unsigned lane = 0; lane < QPUSIM_LANES; lane++) {
        seed = seed * 1664525u + 1013904223u;
        f.color[lane] = tile[lane] = seed ^ seed >> 15;
        f.w[lane] = 1;
    }
    bool ok = program && qpusim_run(&run, NULL, &out, NULL) == QPUSIM_OK;
    memcpy(result, out.color, sizeof out.color);
    qpusim_program_free(program);
    return ok;
}

/* --- ours ----------------------------------------------------------------------------------------------- */

static unsigned ours(const struct qpucc_state *state, uint32_t flags) {
    struct qpucc_source source = {"c.frag", shader, sizeof shader - 1, QPUCC_FRAGMENT, QPUCC_GLSL};
    struct qpucc_options options = qpucc_options_default();
    options.flags |= flags;
    qpucc_program *program = qpucc_compile(&source, 1, state, &options);
    bool ok = program && qpucc_program_status(program) == QPUCC_OK;
    unsigned count = ok ? qpucc_program_stats(program, QPUCC_FRAGMENT)->instructions : 0;
    qpucc_program_free(program);
    return count;
}

static void print_state(const struct qpucc_blend_state *b, char *text, size_t size) {
    static const char *const equations[] = {"add", "subtract", "reverse subtract", "min", "max"};
    static const char *const factors[] = {"0",    "1",    "S",    "1-S",   "D",       "1-D", "Sa",
                                          "1-Sa", "Da",   "1-Da", "K",     "1-K",     "Ka",  "1-Ka",
                                          "S1",   "1-S1", "S1a",  "1-S1a", "saturate"};
    int used = snprintf(text, size, "%s", equations[b->rgb_equation]);
    if (b->rgb_equation < QPUCC_BLEND_MIN)
        used += snprintf(text + used, size - (size_t)used, " %s, %s", factors[b->rgb_source],
                         factors[b->rgb_target]);
    if (b->alpha_equation != b->rgb_equation || b->alpha_source != b->rgb_source ||
        b->alpha_target != b->rgb_target)
        snprintf(text + used, size - (size_t)used, "; alpha %s %s, %s", equations[b->alpha_equation],
                 factors[b->alpha_source], factors[b->alpha_target]);
}

int main(int argc, char **argv) {
    char folder[1024], text[100];
    struct capture c = {.folder = folder};
    snprintf(folder, sizeof folder, "%s/sv-blend", argc > 1 ? argv[1] : ".");
    char path[1100];
    snprintf(path, sizeof path, "%s/submit0.json", folder);
    c.json = json_load_file(path, 0, NULL);
    c.list = read_file(folder, "submit0.bin_cl", &c.list_size);
    c.records = read_file(folder, "submit0.shader_rec", &c.records_size);
    c.uniforms = read_file(folder, "submit0.uniforms", &c.uniforms_size);
    if (!c.json || !c.list || !c.records || !c.uniforms) {
        fprintf(stderr, "%s: no capture\n", folder);
        return 77;
    }
    struct qpucc_state none = {.primitive = QPUCC_TRIANGLES};
    unsigned longer = 0, base = ours(&none, 0), plain_base = ours(&none, QPUCC_NO_UNIFORM_EXPRESSIONS),
             unknown = 0;
    printf("| blend state | Mesa | ours | ours, constants packed in the shader |\n|---|---|---|---|\n");
    printf("| off | | %u | %u |\n", base, plain_base);
    size_t record = 0, stream = 0, number = 0;
    for (size_t at = 0; at < c.list_size; at += packet_size(c.list[at])) {
        if (c.list[at] != 64)
            continue;
        unsigned attributes = c.list[at + 1] & 7 ? c.list[at + 1] & 7 : 8;
        const uint32_t *words = c.uniforms + stream;
        uint64_t *code = NULL;
        size_t count = 0, taken = 0;
        for (int stage = 0; stage < 3; stage++) {
            size_t length = 0;
            uint64_t *of_stage = code_of(&c, word_at(c.records + record + 4 * (size_t)stage), &length);
            size_t used = of_stage ? words_of(of_stage, length) : 0;
            stream += used;
            if (stage == 0) {
                code = of_stage;
                count = length;
                taken = used;
            } else
                free(of_stage);
        }
        record += 4 * (3 + attributes) + 36 + 8 * attributes;
        uint32_t tile[QPUSIM_LANES], result[QPUSIM_LANES];
        struct qpucc_state state = none;
        if (number++ == 0) /* the background, without blending */
            ;
        else if (!code || !run_captured(code, count, words, taken, tile, result) ||
                 !find_state(tile, result, &state)) {
            printf("| ? | %zu | | |\n", count);
            unknown++;
        } else {
            print_state(&state.blend, text, sizeof text);
            longer += ours(&state, 0) > count;
            printf("| %s | %zu | %u | %u |\n", text, count, ours(&state, 0),
                   ours(&state, QPUCC_NO_UNIFORM_EXPRESSIONS));
        }
        free(code);
    }
    free(c.list);
    free(c.records);
    free(c.uniforms);
    json_decref(c.json);
    return unknown || longer;
}
