/* Blocks of machine IR made by hand. */
#include "hand.h"

#include <stdlib.h>
#include <string.h>

void hand_open(struct hand *h, unsigned threads, bool whole) {
    static const char text[] = "shader fragment lowered\nb0:\n  end\n";
    char error[200];
    memset(h, 0, sizeof *h);
    struct ir_shader *shader = ir_parse(text, sizeof text - 1, error, sizeof error);
    if (!shader)
        abort();
    h->flow = (struct flow){.shader = shader,
                            .arena = shader->arena,
                            .block = &h->flow_block,
                            .occupied = {&h->occupied[0], &h->occupied[1]}};
    h->m = (struct mir){.shader = shader,
                        .arena = shader->arena,
                        .options = {.threads = threads,
                                    .opt_level = 2,
                                    .end_receives = true}, /* as a chip that does everything */
                        .flow = &h->flow,
                        .block = shader->blocks[0],
                        .entry = whole,
                        .last = whole,
                        .branch_setter = M_NO_VALUE,
                        .branch_to = -1,
                        .branch_to2 = -1};
}

void hand_close(struct hand *h) {
    ir_shader_destroy(h->m.shader);
}

struct m_src hand_value(uint32_t value) {
    return (struct m_src){.kind = M_VAL, .v = value};
}

struct m_src hand_word(struct hand *h, uint32_t bits) {
    return (struct m_src){.kind = M_SLOT, .v = ir_slot_const(h->m.shader, IR_I32, bits)};
}

struct m_src hand_immediate(uint32_t bits) {
    return (struct m_src){.kind = M_IMM, .v = bits};
}

uint32_t hand_start(struct hand *h, int place) {
    uint32_t v = m_new_val(&h->m);
    h->m.val[v].start = (int16_t)place;
    return v;
}

uint32_t hand_op(struct hand *h, unsigned add_op, unsigned mul_op, unsigned nsrc, struct m_src a,
                 struct m_src b) {
    uint32_t i = m_new_op(&h->m);
    struct m_op *op = &h->m.op[i];
    op->add_op = (uint8_t)add_op;
    op->mul_op = (uint8_t)mul_op;
    op->nsrc = (uint8_t)nsrc;
    op->src[0] = a;
    op->src[1] = b;
    h->m.streams |= m_reads_stream(op);
    return i;
}

static uint32_t result_of(struct hand *h, uint32_t op) {
    uint32_t v = m_new_val(&h->m);
    h->m.op[op].dst = v;
    h->m.val[v].def = op;
    return v;
}

uint32_t hand_make(struct hand *h, unsigned add_op, unsigned mul_op, struct m_src a, struct m_src b) {
    return result_of(h, hand_op(h, add_op, mul_op, 2, a, b));
}

uint32_t hand_move(struct hand *h, struct m_src a) {
    return result_of(h, hand_op(h, QPU_A_OR, QPU_M_V8MIN, 1, a, a));
}

uint32_t hand_write(struct hand *h, unsigned waddr, struct m_src a) {
    uint32_t i = hand_op(h, QPU_A_OR, QPU_M_V8MIN, 1, a, a);
    h->m.op[i].waddr = (uint8_t)waddr;
    return i;
}

uint32_t hand_function(struct hand *h, unsigned waddr, struct m_src a) {
    uint32_t op = hand_write(h, waddr, a), v = result_of(h, op);
    h->m.op[op].r4 = true;
    h->m.nsfu++;
    return v;
}

bool hand_schedule(struct hand *h, struct m_code *code) {
    *code = (struct m_code){0};
    h->result = sched_block(&h->m, 1, code);
    return h->result.status == SCHED_OK;
}
