/* Inside bytes: the four channels of a colour, looked at together. Sources are seen through ir_value. */
#ifndef QPUCC_PASSES_TUPLE_H
#define QPUCC_PASSES_TUPLE_H

#include "ir/ir.h"

struct tuple {
    struct ir_inst *c[4]; /* NULL: anything will do */
};

/* A scalar: the same for a whole draw; two that are the same; without clamps that saturation does anyway. */
bool tuple_known(const struct ir_inst *x);
bool tuple_same(const struct ir_inst *x, const struct ir_inst *y);
struct ir_inst *tuple_unclamped(struct ir_inst *x);

struct ir_inst *tuple_any(const struct tuple *t);
bool tuple_is_known(const struct tuple *t);
bool tuple_is_unit(const struct tuple *t); /* all lie in 0..1 */
bool tuple_not_negative(const struct tuple *t);
bool tuple_is_lowp(const struct tuple *t);
float tuple_most(const struct tuple *t); /* the largest any of them gets, at most 1 */
bool tuple_alike(const struct tuple *t, enum ir_op op);
enum ir_op tuple_op(const struct tuple *t); /* what most of them are made by, constants aside */

/* First and second operands of `op`; what is not made by it goes with `neutral`. False: too few are. */
bool tuple_operands(const struct tuple *t, enum ir_op op, struct ir_inst *neutral, struct tuple *x,
                    struct tuple *y);
/* a (1 - share) + b share, in any of the ways it is written. */
bool tuple_mixes(const struct tuple *t, struct tuple *a, struct tuple *b, struct tuple *share);

#endif
