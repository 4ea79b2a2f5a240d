/* ops.def as a table in memory, built by the compiler: nothing to initialise, nothing that changes. */
#include "ir/internal.h"

#include <string.h>

/* Character k of a literal, 0 past its end. */
#define AT(s, k) ((s "\0\0\0\0\0\0\0\0")[k])
#define HAS(s, c) (AT(s, 0) == c || AT(s, 1) == c || AT(s, 2) == c || AT(s, 3) == c || AT(s, 4) == c)
#define KIND(c) ((c) == 'f' || (c) == 'i' || (c) == 'b' || (c) == '*' || (c) == '?')
#define NAMED(s) (KIND(AT(s, 0)) + KIND(AT(s, 1)) + KIND(AT(s, 2)) + KIND(AT(s, 3)) + KIND(AT(s, 4)))

/* The permissions of ops.def. */
enum {
    NOTHING = 0,
    PURE = 1 << 0,
    REMOVABLE = 1 << 1,
    LANEWISE = 1 << 2,
    SAME = 1 << 3,
    FOLDS = 1 << 4,
    COMMUTES = 1 << 5,
    TERMINATOR = 1 << 6,
    REMAT = 1 << 7,
    OPERAND = 1 << 8,
    LAZY = 1 << 9,
    WHOLE = 1 << 10,
    EVEN = 1 << 11,
    BOUNDED = 1 << 12,
    VALUE = PURE | LANEWISE | SAME,
    ARITHMETIC = VALUE | FOLDS,
};
_Static_assert(BOUNDED == PURE + REMOVABLE + LANEWISE + SAME + FOLDS + COMMUTES + TERMINATOR + REMAT +
                              OPERAND + LAZY + WHOLE + EVEN + 1,
               "a bit for each");
enum { SERIES = 8 }; /* slots of what lower_math makes several operations of */

const struct ir_op_info ir_ops[IR_OP_COUNT] = {
#define OP(name, txt, res, srcs, immediate, class, place, slot, wait, may)                                   \
    [IR_##name] = {                                                                                          \
        .text = txt,                                                                                         \
        .result = res,                                                                                       \
        .sources = srcs,                                                                                     \
        .imm = IR_IMM_##immediate,                                                                           \
        .cls = IR_CLASS_##class,                                                                             \
        .where = IR_WHERE_##place,                                                                           \
        .slots = slot,                                                                                       \
        .latency = wait,                                                                                     \
        .min_src = NAMED(srcs) - HAS(srcs, '('),                                                             \
        .max_src = HAS(srcs, '+') ? 255 : NAMED(srcs),                                                       \
        .pure = ((may)&PURE) != 0,                                                                           \
        .effect = !((may) & (PURE | REMOVABLE)),                                                             \
        .gathers = !((may)&LANEWISE),                                                                        \
        .diverges = !((may)&SAME),                                                                           \
        .folds = ((may)&FOLDS) != 0,                                                                         \
        .commutes = ((may)&COMMUTES) != 0,                                                                   \
        .terminator = ((may)&TERMINATOR) != 0,                                                               \
        .remat = ((may)&REMAT) != 0,                                                                         \
        .operand = ((may)&OPERAND) != 0,                                                                     \
        .lazy = ((may)&LAZY) != 0,                                                                           \
        .whole = ((may)&WHOLE) != 0,                                                                         \
        .even = ((may)&EVEN) != 0,                                                                           \
        .bounded = ((may)&BOUNDED) != 0,                                                                     \
    },
#include "ir/ops.def"
#undef OP
};

char ir_source_kind(const struct ir_op_info *info, uint32_t k) {
    char last = 0;
    uint32_t seen = 0;
    for (const char *s = info->sources; *s; s++) {
        if (!KIND(*s))
            continue;
        if (seen++ == k)
            return *s;
        last = *s;
    }
    return last; /* the same for any number; the rest have their number of kinds */
}

const char *ir_type_name(enum ir_type type) {
    switch (type) {
    case IR_VOID: return "void";
    case IR_F32: return "f32";
    case IR_I32: return "i32";
    case IR_BOOL: return "bool";
    }
    return "?";
}

const char *const ir_builtin_names[IR_BUILTIN_COUNT] = {
    [IR_BUILTIN_FRAG_COORD_X] = "frag_coord_x",   [IR_BUILTIN_FRAG_COORD_Y] = "frag_coord_y",
    [IR_BUILTIN_FRAG_COORD_Z] = "frag_coord_z",   [IR_BUILTIN_FRAG_COORD_W] = "frag_coord_w",
    [IR_BUILTIN_FRONT_FACING] = "front_facing",   [IR_BUILTIN_POINT_COORD_X] = "point_coord_x",
    [IR_BUILTIN_POINT_COORD_Y] = "point_coord_y", [IR_BUILTIN_LAST_FRAG_COLOR] = "last_frag_color",
};

enum ir_op ir_op_named(const char *text, size_t length) {
    int op = 0;
    while (op < IR_OP_COUNT && (strlen(ir_ops[op].text) != length || memcmp(ir_ops[op].text, text, length)))
        op++;
    return (enum ir_op)op;
}

enum ir_type ir_builtin_type(enum ir_builtin builtin) {
    switch (builtin) {
    case IR_BUILTIN_FRONT_FACING: return IR_BOOL;
    case IR_BUILTIN_LAST_FRAG_COLOR: return IR_I32;
    default: return IR_F32;
    }
}

const char *const ir_state_names[IR_STATE_COUNT] = {
#define STATE(name, text, member) [IR_STATE_##name] = text,
#include "ir/state.def"
#undef STATE
};
