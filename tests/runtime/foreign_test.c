/* Machine code of other compilers (corpus/foreign-code.jsonl of the shared material) runs without a strict
 * error: synthetic seeded uniforms, textures, varyings and attributes, counted by scanning the code. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qpucc/qpusim.h>

#include "backend/isa/isa.h"

#define SEEDS 4 /* sets of synthetic inputs for each program */
#define VERTICES 13
#define MAX_CODE 4096
#define MAX_UNIFORMS 4096

struct program {
    char name[128], compiler[64], stage[32];
    uint64_t code[MAX_CODE];
    size_t count;
    char tokens[MAX_UNIFORMS][24];
    size_t token_count;
    bool has_tokens;
};

static uint32_t seed_state;

static uint32_t next_random(void) {
    seed_state = seed_state * 1664525u + 1013904223u;
    return seed_state >> 8;
}

static float random_float(void) {
    return (float)(next_random() % 4001) / 1000.0f - 2.0f;
}

static uint32_t float_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

/* --- reading a line of the corpus ------------------------------------------------------------- */

static const char *field(const char *line, const char *key) {
    char pattern[64];
    snprintf(pattern, sizeof pattern, "\"%s\": ", key);
    const char *p = strstr(line, pattern);
    return p ? p + strlen(pattern) : NULL;
}

static void string_field(const char *line, const char *key, char *out, size_t size) {
    const char *p = field(line, key);
    size_t n = 0;
    out[0] = 0;
    if (!p || *p != '"')
        return;
    for (p++; *p && *p != '"' && n + 1 < size; p++)
        out[n++] = *p;
    out[n] = 0;
}

static bool parse(const char *line, struct program *p) {
    memset(p, 0, sizeof *p);
    string_field(line, "name", p->name, sizeof p->name);
    string_field(line, "compiler", p->compiler, sizeof p->compiler);
    string_field(line, "stage", p->stage, sizeof p->stage);
    const char *c = field(line, "code");
    if (!c || *c != '[')
        return false;
    while (*c != ']' && p->count < MAX_CODE) {
        if (*c == '"') {
            char *end;
            p->code[p->count++] = strtoull(c + 1, &end, 16);
            c = end;
        }
        c++;
    }
    const char *u = field(line, "uniforms");
    if (u && *u == '[') {
        p->has_tokens = true;
        while (*u != ']' && p->token_count < MAX_UNIFORMS) {
            if (*u == '"') {
                size_t n = 0;
                for (u++; *u != '"'; u++)
                    if (n + 1 < sizeof p->tokens[0])
                        p->tokens[p->token_count][n++] = *u;
                p->token_count++;
            }
            u++;
        }
    }
    return p->count > 0;
}

/* --- what the code expects -------------------------------------------------------------------- */

struct needs {
    unsigned varyings, rows_in, outputs, uniforms;
    bool threaded;
    uint8_t role[MAX_UNIFORMS];   /* per stream word: enum role, or ROLE_PARAM + n: texture parameter n */
    uint32_t setup[MAX_UNIFORMS]; /* for ROLE_SETUP */
};

enum role { ROLE_FLOAT, ROLE_INTEGER, ROLE_SETUP, ROLE_PARAM };

static unsigned tmu_of(const struct qpu_inst *q, unsigned *coord) {
    for (unsigned i = 0; i < 2; i++) {
        unsigned a = i ? q->waddr_mul : q->waddr_add, c = i ? q->cond_mul : q->cond_add;
        if (a >= QPU_W_TMU0_S && c != QPU_COND_NEVER) {
            *coord = a & 3;
            return a >= QPU_W_TMU1_S ? 2 : 1;
        }
    }
    return 0;
}

/* What an instruction does with the uniform it reads: a VPM setup word, an integer operand, otherwise a
 * float. */
static enum role role_of(const struct qpu_inst *q) {
    if (q->waddr_add == QPU_W_VPM_SETUP || q->waddr_mul == QPU_W_VPM_SETUP)
        return ROLE_SETUP;
    unsigned m = q->raddr_a == QPU_R_UNIF ? QPU_MUX_A : QPU_MUX_B;
    if (q->op_add >= QPU_A_ADD && q->op_add <= QPU_A_MAX && (q->add_a == m || q->add_b == m))
        return ROLE_INTEGER;
    return ROLE_FLOAT;
}

static void scan(const struct program *p, struct needs *n) {
    unsigned pending[2] = {0, 0}, *last_setup_reads = NULL;
    static unsigned reads[MAX_UNIFORMS];
    memset(n, 0, sizeof *n);
    memset(reads, 0, sizeof reads);
    for (size_t i = 0; i < p->count; i++) {
        struct qpu_inst q;
        if (!qpu_decode(p->code[i], &q) || q.type == QPU_BRANCH)
            continue;
        if (q.sig == QPU_SIG_THRSW || q.sig == QPU_SIG_LTHRSW)
            n->threaded = true;
        bool b_reads = q.type == QPU_ALU && q.sig != QPU_SIG_SMALL_IMM;
        unsigned a = q.type == QPU_ALU ? q.raddr_a : QPU_R_NOP, b = b_reads ? q.raddr_b : QPU_R_NOP;
        if (a == QPU_R_VARY || b == QPU_R_VARY)
            n->varyings++;
        if ((a == QPU_R_UNIF || b == QPU_R_UNIF) && n->uniforms < MAX_UNIFORMS) {
            n->role[n->uniforms] = (uint8_t)role_of(&q);
            if (n->role[n->uniforms] == ROLE_SETUP) {
                /* Horizontal, 32 bits, stride 1; the first row, and the number of reads when they are known.
                 */
                bool read_setup =
                    (q.waddr_add == QPU_W_VPM_SETUP && !q.ws) || (q.waddr_mul == QPU_W_VPM_SETUP && q.ws);
                n->setup[n->uniforms] = 0x1a00 | (read_setup ? n->rows_in : 0);
                if (read_setup)
                    last_setup_reads = &reads[n->uniforms], *last_setup_reads = 0;
            }
            n->uniforms++;
        }
        if (a == QPU_R_VPM || b == QPU_R_VPM) {
            n->rows_in++;
            if (last_setup_reads)
                ++*last_setup_reads;
        }
        if ((q.waddr_add == QPU_W_VPM && q.cond_add) || (q.waddr_mul == QPU_W_VPM && q.cond_mul))
            n->outputs++;
        unsigned coord, unit = tmu_of(&q, &coord);
        if (!unit)
            continue;
        if ((coord || pending[unit - 1]) && n->uniforms < MAX_UNIFORMS)
            n->role[n->uniforms++] = (uint8_t)(ROLE_PARAM + pending[unit - 1]);
        pending[unit - 1] = coord ? pending[unit - 1] + 1 : 0;
    }
    for (unsigned i = 0; i < n->uniforms; i++)
        if (n->role[i] == ROLE_SETUP)
            n->setup[i] |= (reads[i] & 15) << 20;
}

/* --- running ----------------------------------------------------------------------------------
 */

static uint32_t synthetic(const struct needs *n, size_t i, const struct qpusim_texture *tex) {
    unsigned role = i < n->uniforms ? n->role[i] : (unsigned)ROLE_FLOAT;
    switch (role) {
    case ROLE_FLOAT: return float_bits(random_float());
    case ROLE_INTEGER: return next_random() % 8;
    case ROLE_SETUP: return n->setup[i];
    case ROLE_PARAM: return tex->p0;
    case ROLE_PARAM + 1: return tex->p1;
    default: return 0;
    }
}

static uint32_t token_value(const char *t, const struct needs *n, size_t i,
                            const struct qpusim_texture *tex) {
    if (!strncmp(t, "0x", 2))
        return (uint32_t)strtoul(t, NULL, 16);
    if (!strncmp(t, "tex_p0", 6))
        return tex->p0;
    if (!strncmp(t, "tex_p1", 6))
        return tex->p1;
    if (!strncmp(t, "tex_p2", 6))
        return QPUSIM_P2_BSLOD;
    if (!strcmp(t, "vp_x_scale"))
        return float_bits(320.0f * 16);
    if (!strcmp(t, "vp_y_scale"))
        return float_bits(240.0f * 16);
    if (!strcmp(t, "vp_z_scale") || !strcmp(t, "vp_z_offset"))
        return float_bits(0.5f);
    if (!strcmp(t, "???"))
        return QPUSIM_STREAM_ADDRESS;
    return synthetic(n, i, tex);
}

static struct qpusim_memory *memory;
static struct qpusim_texture texture;

static enum qpusim_status run(const struct program *p, uint32_t seed, uint32_t poison,
                              struct qpusim_error *error, struct qpusim_result *result, struct needs *n,
                              uint64_t *instructions) {
    static uint32_t words[MAX_UNIFORMS + 1];
    scan(p, n);
    seed_state = seed;
    size_t count = p->has_tokens ? p->token_count : n->uniforms;
    for (size_t i = 0; i < count; i++) {
        words[i] = p->has_tokens ? token_value(p->tokens[i], n, i, &texture) : synthetic(n, i, &texture);
    }
    enum qpusim_stage stage = p->stage[0] == 'f'   ? QPUSIM_FRAGMENT
                              : p->stage[0] == 'v' ? QPUSIM_VERTEX
                                                   : QPUSIM_COORDINATE;
    struct qpusim_program *program = qpusim_program_new(p->code, p->count, stage, n->threaded);
    ck_assert_ptr_nonnull(program);
    static struct qpusim_fragments f;
    static struct qpusim_vertices v;
    memset(&f, 0, sizeof f);
    memset(&v, 0, sizeof v);
    f.live = 0xfff0;
    f.coverage = 0x7f30;
    f.back = 0x00f0;
    f.varying_count = n->varyings;
    f.depth_test = f.depth_write = true;
    f.depth_func = QPUSIM_FUNC_LEQUAL;
    v.count = VERTICES;
    v.row_count = n->rows_in;
    for (unsigned i = 0; i < QPUSIM_LANES; i++) {
        f.x[i] = (int32_t)(8 + (i >> 2) * 2 + (i & 1));
        f.y[i] = (int32_t)(20 + (i >> 1 & 1));
        f.w[i] = 0.5f + (float)i / 32;
        f.z[i] = 0x400000 + i * 1000;
        f.depth[i] = 0x800000;
        f.color[i] = 0xff102030;
        for (unsigned k = 0; k < n->varyings; k++) {
            f.vary[k][i] = random_float();
            f.c[k][i] = random_float();
        }
        for (unsigned k = 0; k < n->rows_in; k++)
            v.rows[k][i] = float_bits(random_float());
    }
    struct qpusim_run r = {.program = program,
                           .memory = memory,
                           .uniforms = {words, count, 0},
                           .fragments = &f,
                           .vertices = &v,
                           .expected_outputs = n->outputs};
    struct qpusim_counters counters = {0};
    struct qpusim_options options = {.poison_seed = poison, .budget = 200000, .counters = &counters};
    enum qpusim_status status = qpusim_run(&r, &options, result, error);
    *instructions += counters.instructions;
    qpusim_program_free(program);
    return status;
}

/* Pixels, and output rows in the lanes in use. */
static bool same(const struct qpusim_result *a, const struct qpusim_result *b) {
    if (a->color_written != b->color_written || memcmp(a->color, b->color, sizeof a->color) ||
        memcmp(a->depth, b->depth, sizeof a->depth) || a->row_count != b->row_count)
        return false;
    for (unsigned r = 0; r < a->row_count; r++)
        if (memcmp(a->rows[r], b->rows[r], VERTICES * sizeof a->rows[r][0]))
            return false;
    return true;
}

START_TEST(all_programs) {
    const char *shared = getenv("QPUCC_SHARED");
    char path[4096];
    snprintf(path, sizeof path, "%s/corpus/foreign-code.jsonl", shared);
    FILE *f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    memory = qpusim_memory_new(4 << 20);
    static uint32_t pixels[64 * 64];
    for (unsigned i = 0; i < 64 * 64; i++)
        pixels[i] = (i * 2654435761u) | 0xff000000;
    struct qpusim_image image = {pixels, 64, 64};
    struct qpusim_texture_info info = {
        .levels = &image, .level_count = 1, .generate_mipmaps = true, .min = QPUSIM_MIN_LINEAR_MIP_LINEAR};
    ck_assert_int_eq(qpusim_upload_texture(memory, &info, &texture), QPUSIM_OK);
    struct program *p = malloc(sizeof *p);
    struct needs *n = malloc(sizeof *n);
    struct qpusim_result *a = malloc(sizeof *a), *b = malloc(sizeof *b);
    char *line = NULL;
    size_t capacity = 0;
    unsigned total = 0, failed = 0, unequal = 0, pixels_written = 0;
    uint64_t instructions = 0;
    while (getline(&line, &capacity, f) > 0) {
        if (!parse(line, p))
            continue;
        total++;
        struct qpusim_error error;
        for (uint32_t seed = 1; seed <= SEEDS; seed++) {
            enum qpusim_status status = run(p, seed, 0, &error, a, n, &instructions);
            if (status != QPUSIM_OK) {
                failed++;
                printf("%s %s %s: seed %u, instruction %u lane %d: %s: %s\n", p->compiler, p->stage, p->name,
                       seed, error.instruction, error.lane, error.rule, error.text);
                break;
            }
            pixels_written += a->color_written != 0;
            /* Another pattern in undefined and unused places must not change anything that counts. */
            if (run(p, seed, 99, &error, b, n, &instructions) != QPUSIM_OK || !same(a, b)) {
                unequal++;
                printf("%s %s %s: seed %u, unused bits matter\n", p->compiler, p->stage, p->name, seed);
                break;
            }
        }
    }
    printf("%u programs, %u failed, %u differ, %llu instructions\n", total, failed, unequal,
           (unsigned long long)instructions);
    ck_assert_uint_eq(total, 421);
    ck_assert_uint_eq(failed, 0);
    ck_assert_uint_eq(unequal, 0);
    ck_assert_uint_ge(pixels_written, 163 * SEEDS * 9 / 10);
    free(line);
    free(p);
    free(n);
    free(a);
    free(b);
    fclose(f);
    qpusim_memory_free(memory);
}
END_TEST

int main(void) {
    const char *shared = getenv("QPUCC_SHARED");
    if (!shared || !*shared) {
        printf("skipped: QPUCC_SHARED is not set\n");
        return 77;
    }
    Suite *s = suite_create("foreign");
    TCase *c = tcase_create("programs");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, all_programs);
    suite_add_tcase(s, c);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_NORMAL);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? 1 : 0;
}
