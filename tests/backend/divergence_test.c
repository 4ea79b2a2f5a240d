/* Every operation that may differ from lane to lane, as the condition of a branch and as the trip count of a
 * loop.
 *
 * Taken for the same in all lanes, it would make a branch of what has to be predication, and lanes would get
 * what others asked for: the machine and the interpreter, which runs a lane at a time, would differ. Asked
 * are all operations of ops.def that lowered shaders begin from, whatever ops.def says of their divergence,
 * and run-time lookups. */
#include "ir/ir.h"
#include "run_ir.h"

#include <stdio.h>
#include <stdlib.h>

enum { SEEDS = 6 };

struct shape {
    const char *name;
    struct ir_inst *(*build)(struct ir_shader *s, struct ir_inst *source);
};

static struct ir_inst *number(struct ir_builder *b, uint32_t n) {
    return ir_const_i(b, n);
}

/* 0..3, by the source's low bits or its sign. */
static struct ir_inst *small(struct ir_builder *b, struct ir_inst *source) {
    if (source->type == IR_F32)
        return ir_op1(b, IR_B2I, ir_op2(b, IR_FLT, source, ir_const_f(b, 0)));
    return ir_op2(b, IR_IAND, source, number(b, 3));
}

static struct ir_inst *phi(struct ir_block *block, struct ir_block *p, struct ir_inst *x, struct ir_block *q,
                           struct ir_inst *y) {
    struct ir_builder b = ir_builder_at_end(block);
    struct ir_inst *sources[2] = {x, y};
    struct ir_inst *i = ir_emit(&b, IR_PHI, IR_I32, 2, sources, 0, 0);
    i->phi_block[0] = p, i->phi_block[1] = q;
    return i;
}

static struct ir_inst *branch(struct ir_shader *s, struct ir_inst *source) {
    struct ir_block *entry = s->blocks[0], *yes = ir_block_create(s), *no = ir_block_create(s),
                    *end = ir_block_create(s);
    struct ir_builder b = ir_builder_at_end(entry), y = ir_builder_at_end(yes), n = ir_builder_at_end(no);
    ir_branch(&b, ir_op2(&b, IR_INE, ir_op2(&b, IR_IAND, small(&b, source), number(&b, 1)), number(&b, 0)),
              yes, no);
    struct ir_inst *p = ir_op2(&y, IR_IADD, small(&y, source), number(&y, 1000));
    ir_jump(&y, end);
    struct ir_inst *q = ir_op2(&n, IR_ISUB, number(&n, 77), small(&n, source));
    ir_jump(&n, end);
    return phi(end, yes, p, no, q);
}

static struct ir_inst *loop(struct ir_shader *s, struct ir_inst *source) {
    struct ir_block *entry = s->blocks[0], *head = ir_block_create(s), *body = ir_block_create(s),
                    *end = ir_block_create(s);
    struct ir_builder b = ir_builder_at_end(entry), h = ir_builder_at_end(head), i = ir_builder_at_end(body);
    struct ir_inst *trips = small(&b, source), *zero = number(&b, 0), *five = number(&b, 5);
    ir_jump(&b, head);
    struct ir_inst *count = phi(head, entry, zero, body, zero), *sum = phi(head, entry, five, body, five);
    ir_branch(&h, ir_op2(&h, IR_ILT, count, trips), body, end);
    count->src[1] = ir_op2(&i, IR_IADD, count, number(&i, 1));
    sum->src[1] = ir_op2(&i, IR_IADD, ir_op2(&i, IR_IADD, sum, sum), count);
    ir_jump(&i, head);
    return sum;
}

static const struct shape shapes[] = {{"branch", branch}, {"loop", loop}};

/* What a shader of the stage writes. */
static void write(struct ir_shader *s, struct ir_inst *value) {
    struct ir_builder b = ir_builder_at_end(s->blocks[s->nblocks - 1]);
    ir_emit(&b, s->stage == QPUCC_FRAGMENT ? IR_TLB_COLOR : IR_VPM_OUT, IR_VOID, 1, &value, 0, 0);
    ir_end(&b);
    ir_cfg_update(s);
}

static int try(enum ir_op op, enum ir_type type, enum qpucc_stage stage, const struct shape *shape) {
    struct ir_shader *s = ir_shader_create(NULL, stage);
    char text[300] = "";
    int failed = 0;
    s->lowered = true;
    struct ir_builder b = ir_builder_at_end(s->blocks[0]);
    write(s, shape->build(s, ir_emit(&b, op, type, 0, NULL, 0, 0)));
    bool ok = ir_verify(s, text, sizeof text);
    for (uint64_t seed = 1; ok && seed <= SEEDS; seed++)
        ok = run_ir(s, seed, text, sizeof text) == RUN_AGREES;
    if (!ok) {
        char *code = ir_print_to_string(s);
        printf("%s of %s: %s\n%s\n", shape->name, ir_op_info(op)->text, text, code);
        free(code);
        failed = 1;
    }
    ir_shader_destroy(s);
    return failed;
}

int main(void) {
    int failed = 0, tried = 0;
    for (int o = 0; o < IR_OP_COUNT; o++) {
        enum ir_op op = (enum ir_op)o;
        const struct ir_op_info *info = ir_op_info(op);
        bool fragment = info->where & IR_WHERE_LOWERED_FRAGMENT,
             vertex = info->where & IR_WHERE_LOWERED_VERTEX;
        /* in one stage only: what is the same in both is no input of either */
        if (info->min_src > 0 || info->result[0] == '-' || info->terminator || fragment == vertex ||
            (info->where & IR_WHERE_SOURCE))
            continue;
        for (int type = 0; type < 2; type++) {
            char kind = type ? 'i' : 'f';
            if (info->result[0] != kind && info->result[0] != '*')
                continue;
            for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++, tried++)
                failed +=
                    try(op, type ? IR_I32 : IR_F32, fragment ? QPUCC_FRAGMENT : QPUCC_VERTEX, &shapes[k]);
        }
    }
    printf("%d of %d failed\n", failed, tried);
    return failed != 0 || tried < 18;
}
