/* Shader state records (guide tables 45 and 46) and the programs that they name. */
#include <stdlib.h>

#include "runtime/front/block.h"

static unsigned bucket(uint32_t address, unsigned count) {
    return (address >> 3 ^ address >> 11) % count;
}

/* --- programs ------------------------------------------------------------------------------------------- */

/* Words up to the last one that control flow can reach, as far as it can be seen: past the first thread end
 * that no branch jumps over. 0 when there is none. */
static size_t code_words(const uint8_t *code, size_t limit) {
    size_t far = 0;
    for (size_t i = 0; i < limit; i++) {
        uint64_t word;
        memcpy(&word, code + 8 * i, 8);
        unsigned signal = (unsigned)(word >> 60);
        if (signal == 15 && word >> 51 & 1) { /* relative */
            int64_t target = (int64_t)i + 4 + ((int32_t)(uint32_t)word >> 3);
            if (target > (int64_t)far && target < (int64_t)limit)
                far = (size_t)target;
        }
        if ((signal == 3 || signal == 9) && i >= far)
            return i + 3 <= limit ? i + 3 : 0;
    }
    return 0;
}

struct qpusim_program *sim_program_find(struct qpusim_block *b, uint32_t address, enum qpusim_stage stage,
                                        bool threaded) {
    struct sim_code **head = &b->codes[bucket(address, 64)];
    size_t rest = sim_memory_rest(b->memory, address) / 8;
    const uint8_t *code = sim_memory_at(b->memory, address, 8);
    if (!code) {
        sim_block_fail_address(b, "a shader's code", address, 8);
        return NULL;
    }
    for (struct sim_code **at = head, *c; (c = *at); at = &c->next) {
        const struct qpusim_program *p = c->program;
        if (c->address != address || p->stage != stage || p->threaded != threaded)
            continue;
        bool same = c->run == b->run || p->count <= rest;
        for (size_t i = 0; c->run != b->run && same && i < p->count; i++)
            same = !memcmp(&p->code[i].word, code + 8 * i, 8);
        c->run = b->run;
        if (same)
            return c->program;
        *at = c->next;
        qpusim_program_free(c->program);
        free(c);
        break;
    }
    size_t words = code_words(code, rest < QPUSIM_MAX_INSTRUCTIONS ? rest : QPUSIM_MAX_INSTRUCTIONS);
    if (!words || address & 7) {
        sim_block_fail(b, QPUSIM_BAD_LIST, "code",
                       address & 7 ? "the code at 0x%08x is not on an 8-byte boundary"
                                   : "the code at 0x%08x has no end",
                       (unsigned)address);
        return NULL;
    }
    uint64_t *copy = malloc(words * sizeof *copy);
    struct sim_code *c = calloc(1, sizeof *c);
    if (copy && c) {
        memcpy(copy, code, words * sizeof *copy);
        c->program = qpusim_program_new(copy, words, stage, threaded);
    }
    free(copy);
    if (!c || !c->program) {
        free(c);
        sim_block_no_memory(b);
        return NULL;
    }
    c->address = address;
    c->run = b->run;
    c->next = *head;
    *head = c;
    return c->program;
}

uint32_t sim_code_address(const struct qpusim_block *b, const struct qpusim_program *program) {
    for (unsigned i = 0; i < 64; i++)
        for (const struct sim_code *c = b->codes[i]; c; c = c->next)
            if (c->program == program)
                return c->address;
    return 0;
}

void sim_codes_free(struct qpusim_block *b) {
    for (unsigned i = 0; i < 64; i++) {
        while (b->codes[i]) {
            struct sim_code *next = b->codes[i]->next;
            qpusim_program_free(b->codes[i]->program);
            free(b->codes[i]);
            b->codes[i] = next;
        }
    }
}

/* --- records -------------------------------------------------------------------------------------------- */

static bool bind(struct qpusim_block *b, struct sim_shader *s, enum qpusim_stage stage, uint32_t code,
                 uint32_t uniforms) {
    if (b->direct) {
        s->stage[stage] = b->direct->shader[stage];
        s->partial[stage] = b->direct->partial;
        return true;
    }
    size_t words = sim_memory_rest(b->shader_memory, uniforms & ~3u) / 4;
    s->stage[stage].uniforms = (struct qpusim_stream){
        .words = NULL, .count = words < SIM_MAX_STREAM ? words : SIM_MAX_STREAM, .address = uniforms & ~3u};
    s->partial[stage] = true;
    s->stage[stage].program = sim_program_find(b, code, stage, stage == QPUSIM_FRAGMENT && s->threaded);
    return s->stage[stage].program;
}

static bool read_attribute(struct qpusim_block *b, struct sim_shader *s, uint32_t address, bool extended,
                           unsigned n) {
    struct qpusim_record r, stride;
    uint32_t at = address + 36 + 8 * n, stride_at = address + 100 + 4 * n;
    const uint8_t *bytes = sim_memory_at(b->memory, at, 8);
    if (!qpusim_read_data(QPUSIM_CL_ATTRIBUTE_RECORD, bytes, bytes ? 8 : 0, &r))
        return sim_block_fail_address(b, "an attribute's record", at, 8);
    const struct qpusim_cl_attribute_record *a = &r.u.attribute_record;
    struct sim_attribute *to = &s->attribute[n];
    *to =
        (struct sim_attribute){a->address, a->stride, a->bytes, {0, a->vertex_offset, a->coordinate_offset}};
    if (!extended)
        return true;
    bytes = sim_memory_at(b->memory, stride_at, 4);
    if (!qpusim_read_data(QPUSIM_CL_STRIDE_RECORD, bytes, bytes ? 4 : 0, &stride))
        return sim_block_fail_address(b, "an attribute's stride", stride_at, 4);
    to->stride = stride.u.stride_record.stride;
    return true;
}

/* Words that the stage's attributes take in a VPM column; false when they take too many. */
static bool count_rows(struct qpusim_block *b, struct sim_shader *s, enum qpusim_stage stage) {
    unsigned bytes = 0;
    for (unsigned n = 0; n < s->attribute_count; n++) {
        const struct sim_attribute *a = &s->attribute[n];
        if (s->select[stage] >> n & 1 && a->offset[stage] + a->bytes > bytes)
            bytes = a->offset[stage] + a->bytes;
    }
    s->rows[stage] = (bytes + 3) / 4;
    return s->rows[stage] <= QPUSIM_MAX_VPM_ROWS ||
           sim_block_fail(b, QPUSIM_BAD_LIST, "vpm", "attributes of %u bytes do not fit 64 rows of the VPM",
                          bytes);
}

static bool read_gl(struct qpusim_block *b, struct sim_shader *s,
                    const struct qpusim_cl_gl_shader_state *state) {
    struct qpusim_record r;
    const uint8_t *bytes = sim_memory_at(b->memory, state->address, 36);
    if (!qpusim_read_data(QPUSIM_CL_GL_SHADER_RECORD, bytes, bytes ? 36 : 0, &r))
        return sim_block_fail_address(b, "a shader state record", state->address, 36);
    const struct qpusim_cl_gl_shader_record *g = &r.u.gl_shader_record;
    s->point_size = g->point_size;
    s->clipping = g->clipping;
    s->threaded = !g->single_threaded;
    s->varyings = g->varyings;
    s->select[QPUSIM_VERTEX] = g->vertex_attributes;
    s->select[QPUSIM_COORDINATE] = g->coordinate_attributes;
    s->attribute_count = state->attribute_count;
    for (unsigned n = 0; n < s->attribute_count; n++)
        if (!read_attribute(b, s, state->address, state->extended, n))
            return false;
    return bind(b, s, QPUSIM_FRAGMENT, g->fragment_code, g->fragment_uniforms) &&
           bind(b, s, QPUSIM_VERTEX, g->vertex_code, g->vertex_uniforms) &&
           bind(b, s, QPUSIM_COORDINATE, g->coordinate_code, g->coordinate_uniforms) &&
           count_rows(b, s, QPUSIM_VERTEX) && count_rows(b, s, QPUSIM_COORDINATE);
}

static bool read_nv(struct qpusim_block *b, struct sim_shader *s, uint32_t address) {
    struct qpusim_record r;
    const uint8_t *bytes = sim_memory_at(b->memory, address, 16);
    if (!qpusim_read_data(QPUSIM_CL_NV_SHADER_RECORD, bytes, bytes ? 16 : 0, &r))
        return sim_block_fail_address(b, "a shader state record", address, 16);
    const struct qpusim_cl_nv_shader_record *n = &r.u.nv_shader_record;
    s->nv = true;
    s->point_size = n->point_size;
    s->clip_header = n->clip_header;
    s->clipping = n->clipping && n->clip_header; /* without the header there is nothing to clip by */
    s->threaded = !n->single_threaded;
    s->varyings = n->varyings;
    s->vertices = n->vertices;
    s->stride = n->stride;
    return bind(b, s, QPUSIM_FRAGMENT, n->fragment_code, n->fragment_uniforms);
}

struct sim_shader *sim_shader_find(struct qpusim_block *b, const struct qpusim_record *record) {
    bool nv = record->code == QPUSIM_CL_NV_SHADER_STATE;
    const struct qpusim_cl_gl_shader_state *gl = &record->u.gl_shader_state;
    uint32_t packet = nv ? record->u.nv_shader_state.address
                         : gl->address | (uint32_t)gl->extended << 3 | (gl->attribute_count & 7);
    struct sim_shader **head = &b->shaders[bucket(packet, 256)];
    for (struct sim_shader *s = *head; s; s = s->next)
        if (s->packet == packet && s->nv == nv)
            return s;
    struct sim_shader *s = calloc(1, sizeof *s);
    if (!s) {
        sim_block_no_memory(b);
        return NULL;
    }
    s->packet = packet;
    bool ok = nv ? read_nv(b, s, record->u.nv_shader_state.address) : read_gl(b, s, gl);
    if (ok && s->varyings > QPUSIM_MAX_VARYINGS - 2)
        ok = sim_block_fail(b, QPUSIM_BAD_LIST, "varyings", "%u varyings are more than 32", s->varyings);
    if (!ok) {
        free(s);
        return NULL;
    }
    s->next = *head;
    *head = s;
    return s;
}

void sim_shaders_forget(struct qpusim_block *b) {
    for (unsigned i = 0; i < 256; i++) {
        while (b->shaders[i]) {
            struct sim_shader *next = b->shaders[i]->next;
            free(b->shaders[i]);
            b->shaders[i] = next;
        }
    }
    b->control[SIM_BIN].state.shader = b->control[SIM_RENDER].state.shader = NULL;
}
