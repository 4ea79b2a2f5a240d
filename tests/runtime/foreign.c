/* Reads foreign programs, and makes up what they are run with. */
#include "tests/runtime/foreign.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "backend/isa/isa.h"

/* --- reading a line of the corpus ----------------------------------------------------------------------- */

static bool parse(json_t *line, struct foreign_program *p) {
    const char *name = json_string_value(json_object_get(line, "name"));
    const char *compiler = json_string_value(json_object_get(line, "compiler"));
    const char *stage = json_string_value(json_object_get(line, "stage"));
    json_t *code = json_object_get(line, "code"), *uniforms = json_object_get(line, "uniforms"), *item;
    size_t index;
    if (!name || !compiler || !stage || !json_array_size(code) || json_array_size(code) > FOREIGN_MAX_CODE ||
        json_array_size(uniforms) > FOREIGN_MAX_UNIFORMS)
        return false;
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", name);
    snprintf(p->compiler, sizeof p->compiler, "%s", compiler);
    p->stage = stage[0] == 'f' ? QPUSIM_FRAGMENT : stage[0] == 'v' ? QPUSIM_VERTEX : QPUSIM_COORDINATE;
    json_array_foreach(code, index, item) p->code[p->count++] =
        strtoull(json_string_value(item) ? json_string_value(item) : "0", NULL, 16);
    p->has_tokens = json_is_array(uniforms);
    json_array_foreach(uniforms, index, item)
        snprintf(p->tokens[p->token_count++], sizeof p->tokens[0], "%s",
                 json_string_value(item) ? json_string_value(item) : "");
    return true;
}

bool foreign_next(FILE *file, struct foreign_program *p) {
    char *line = NULL;
    size_t capacity = 0;
    bool found = false;
    while (!found && getline(&line, &capacity, file) > 0) {
        json_t *json = json_loads(line, 0, NULL);
        found = json && parse(json, p);
        json_decref(json);
    }
    free(line);
    return found;
}

/* --- what the code expects ------------------------------------------------------------------------------ */

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
static enum foreign_role role_of(const struct qpu_inst *q) {
    if (q->waddr_add == QPU_W_VPM_SETUP || q->waddr_mul == QPU_W_VPM_SETUP)
        return ROLE_SETUP;
    unsigned m = q->raddr_a == QPU_R_UNIF ? QPU_MUX_A : QPU_MUX_B;
    if (q->op_add >= QPU_A_ADD && q->op_add <= QPU_A_MAX && (q->add_a == m || q->add_b == m))
        return ROLE_INTEGER;
    return ROLE_FLOAT;
}

void foreign_scan(const uint64_t *code, size_t count, struct foreign_needs *n) {
    unsigned pending[2] = {0, 0}, last_setup = FOREIGN_MAX_UNIFORMS;
    uint8_t reads[FOREIGN_MAX_UNIFORMS] = {0};
    memset(n, 0, sizeof *n);
    for (size_t i = 0; i < count; i++) {
        struct qpu_inst q;
        if (!qpu_decode(code[i], &q))
            continue;
        if (q.type == QPU_BRANCH) {
            n->branches = true;
            continue;
        }
        if (q.sig == QPU_SIG_THRSW || q.sig == QPU_SIG_LTHRSW)
            n->threaded = true;
        bool b_reads = q.type == QPU_ALU && q.sig != QPU_SIG_SMALL_IMM;
        unsigned a = q.type == QPU_ALU ? q.raddr_a : QPU_R_NOP, b = b_reads ? q.raddr_b : QPU_R_NOP;
        if (a == QPU_R_VARY || b == QPU_R_VARY)
            n->varyings++;
        if ((a == QPU_R_UNIF || b == QPU_R_UNIF) && n->uniforms < FOREIGN_MAX_UNIFORMS) {
            n->role[n->uniforms] = (uint8_t)role_of(&q);
            if (n->role[n->uniforms] == ROLE_SETUP) {
                /* Horizontal, 32 bits, stride 1; the first row, and the number of reads when they are known.
                 */
                bool read_setup =
                    (q.waddr_add == QPU_W_VPM_SETUP && !q.ws) || (q.waddr_mul == QPU_W_VPM_SETUP && q.ws);
                n->setup[n->uniforms] = 0x1a00 | (read_setup ? n->rows_in : 0);
                if (read_setup)
                    last_setup = n->uniforms;
            }
            n->uniforms++;
        }
        if (a == QPU_R_VPM || b == QPU_R_VPM) {
            n->rows_in++;
            if (last_setup < FOREIGN_MAX_UNIFORMS)
                reads[last_setup]++;
        }
        if ((q.waddr_add == QPU_W_VPM && q.cond_add) || (q.waddr_mul == QPU_W_VPM && q.cond_mul))
            n->outputs++;
        unsigned coord, unit = tmu_of(&q, &coord);
        if (!unit)
            continue;
        if ((coord || pending[unit - 1]) && n->uniforms < FOREIGN_MAX_UNIFORMS)
            n->role[n->uniforms++] = (uint8_t)(ROLE_PARAM + pending[unit - 1]);
        pending[unit - 1] = coord ? pending[unit - 1] + 1 : 0;
    }
    for (unsigned i = 0; i < n->uniforms; i++)
        if (n->role[i] == ROLE_SETUP)
            n->setup[i] |= (uint32_t)(reads[i] & 15) << 20;
}

/* --- inputs --------------------------------------------------------------------------------------------- */

static uint32_t next_random(struct synthetic *s) {
    s->state = s->state * 1664525u + 1013904223u;
    return s->state >> 8;
}

float synthetic_float(struct synthetic *s) {
    return s->low + (s->high - s->low) * (float)(next_random(s) % 4001) / 4000.0f;
}

uint32_t synthetic_integer(struct synthetic *s) {
    return s->integer ? s->integer : next_random(s) % 8;
}

uint32_t synthetic_bits(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static uint32_t by_role(struct synthetic *s, const struct foreign_needs *n, size_t i) {
    unsigned role = i < n->uniforms ? n->role[i] : (unsigned)ROLE_FLOAT;
    switch (role) {
    case ROLE_FLOAT: return synthetic_bits(synthetic_float(s));
    case ROLE_INTEGER: return synthetic_integer(s);
    case ROLE_SETUP: return n->setup[i];
    case ROLE_PARAM: return s->texture.p0;
    case ROLE_PARAM + 1: return s->texture.p1;
    default: return 0;
    }
}

/* By what the corpus's README says of the tokens. */
static uint32_t by_token(struct synthetic *s, const char *t, const struct foreign_needs *n, size_t i) {
    if (!strncmp(t, "0x", 2))
        return (uint32_t)strtoul(t, NULL, 16);
    if (!strncmp(t, "tex_p0", 6))
        return s->texture.p0;
    if (!strncmp(t, "tex_p1", 6))
        return s->texture.p1;
    if (!strncmp(t, "tex_p2", 6))
        return QPUSIM_P2_BSLOD;
    if (!strcmp(t, "vp_x_scale"))
        return synthetic_bits(320.0f * 16);
    if (!strcmp(t, "vp_y_scale"))
        return synthetic_bits(240.0f * 16);
    if (!strcmp(t, "vp_z_scale") || !strcmp(t, "vp_z_offset"))
        return synthetic_bits(0.5f);
    if (!strcmp(t, "???"))
        return QPUSIM_STREAM_ADDRESS;
    return by_role(s, n, i);
}

size_t synthetic_stream(struct synthetic *s, const struct foreign_program *p, const struct foreign_needs *n,
                        uint32_t words[FOREIGN_MAX_UNIFORMS]) {
    size_t count = p->has_tokens ? p->token_count : n->uniforms;
    for (size_t i = 0; i < count; i++)
        words[i] = p->has_tokens ? by_token(s, p->tokens[i], n, i) : by_role(s, n, i);
    return count;
}

void synthetic_fragments(struct synthetic *s, unsigned varyings, struct qpusim_fragments *f) {
    memset(f, 0, sizeof *f);
    f->live = 0xfff0;
    f->coverage = 0x7f30;
    f->back = 0x00f0;
    f->varying_count = varyings;
    f->depth_test = f->depth_write = true;
    f->depth_func = QPUSIM_FUNC_LEQUAL;
    for (unsigned i = 0; i < QPUSIM_LANES; i++) {
        f->x[i] = (int32_t)(8 + (i >> 2) * 2 + (i & 1));
        f->y[i] = (int32_t)(20 + (i >> 1 & 1));
        f->w[i] = 0.5f + (float)i / 32;
        f->z[i] = 0x400000 + i * 1000;
        f->depth[i] = 0x800000;
        f->color[i] = 0xff102030;
        for (unsigned k = 0; k < varyings; k++) {
            f->vary[k][i] = synthetic_float(s);
            f->c[k][i] = synthetic_float(s);
        }
    }
}

void synthetic_vertices(struct synthetic *s, unsigned rows, unsigned count, struct qpusim_vertices *v) {
    memset(v, 0, sizeof *v);
    v->count = count;
    v->row_count = rows;
    for (unsigned i = 0; i < QPUSIM_LANES; i++)
        for (unsigned k = 0; k < rows; k++)
            v->rows[k][i] = synthetic_bits(synthetic_float(s));
}

bool synthetic_texture(struct synthetic *s, struct qpusim_memory *memory, enum qpusim_min min) {
    enum { SIDE = 64 };
    uint32_t pixels[SIDE * SIDE];
    for (unsigned i = 0; i < SIDE * SIDE; i++)
        pixels[i] = (i * 2654435761u) | 0xff000000;
    struct qpusim_image image = {pixels, SIDE, SIDE};
    struct qpusim_texture_info info = {
        .levels = &image, .level_count = 1, .generate_mipmaps = true, .min = min};
    return qpusim_upload_texture(memory, &info, &s->texture) == QPUSIM_OK;
}
