/* The QPU's arithmetic on single lanes and on sixteen: add ALU, mul ALU, packs and unpacks.
 *
 * Floats round toward zero, denormals are zero, there is no NaN, overflow is infinity; the exact choices and
 * their sources stand in alu.c. Scalar forms are the definition, vector forms the fast path; tests hold one
 * to the other. */
#ifndef SIM_ALU_H
#define SIM_ALU_H

#include "runtime/lanes.h"

/* N, Z and C as lane masks, and the signed overflow that only saturating packs see. */
struct sim_alu_out {
    u32x16 value;
    i32x16 carry;
    i32x16 overflow;
};

/* Runs one opcode over sixteen lanes. False for a reserved opcode. `out` must not be an operand;
 * carry and overflow are set only with `extra`. */
bool sim_add_op(unsigned op, const u32x16 *a, const u32x16 *b, bool extra, struct sim_alu_out *out);
bool sim_mul_op(unsigned op, const u32x16 *a, const u32x16 *b, bool extra, struct sim_alu_out *out);

/* Z and N of a result as lane masks. */
void sim_flags(const u32x16 *value, i32x16 *z, i32x16 *n);
/* into = mask ? value : into. */
void sim_select(const i32x16 *mask, const u32x16 *value, u32x16 *into);

/* Scalar definitions, all in integer arithmetic. */
uint32_t sim_fadd(uint32_t a, uint32_t b);
uint32_t sim_fsub(uint32_t a, uint32_t b);
uint32_t sim_fmul(uint32_t a, uint32_t b);
uint32_t sim_ftoi(uint32_t a);
uint32_t sim_itof(uint32_t a);

uint32_t sim_half_to_float(uint16_t h);
uint16_t sim_float_to_half(uint32_t f);
/* n / 255 rounded toward zero (docs/hardware.md, Packs and unpacks). */
uint32_t sim_byte_to_float(uint8_t n);
/* sat(round(f * 255)), guide section 3, "Pack/Unpack Bits". */
uint8_t sim_float_to_byte(uint32_t f);

/* Unpack of a whole register; `mode` is enum qpu_unpack, `as_float` selects the float variant. */
void sim_unpack(unsigned mode, bool as_float, const u32x16 *in, u32x16 *out);
/* Packs of results, merged into `old` (other bytes stay): file A's (guide table 7) and the mul ALU's (table
 * 9). */
void sim_pack_a(unsigned mode, bool float_result, const struct sim_alu_out *in, const u32x16 *old,
                u32x16 *out);
void sim_pack_mul(unsigned mode, const u32x16 *in, const u32x16 *old, u32x16 *out);

/* Special functions, bit by bit (docs/hardware.md, Special functions). */
uint32_t sim_sfu_recip(uint32_t x);
uint32_t sim_sfu_rsqrt(uint32_t x);
uint32_t sim_sfu_exp2(uint32_t x);
uint32_t sim_sfu_log2(uint32_t x);
/* The same on sixteen lanes; in the order of the write addresses. */
enum sim_sfu_function { SIM_SFU_RECIP, SIM_SFU_RSQRT, SIM_SFU_EXP2, SIM_SFU_LOG2 };
void sim_sfu(enum sim_sfu_function function, const u32x16 *x, u32x16 *out);

/* The operand of an ftoi that makes screen coordinates, so that the result is the nearest (ideal.c). */
void sim_nearest_position(const u32x16 *a, u32x16 *out);
/* The same with ideal arithmetic (ideal.c). */
bool sim_ideal_add_op(unsigned op, const u32x16 *a, const u32x16 *b, bool extra, struct sim_alu_out *out);
bool sim_ideal_mul_op(unsigned op, const u32x16 *a, const u32x16 *b, bool extra, struct sim_alu_out *out);
/* The same with a fault, one of enum sim_fault (faulty.c); and the operand that a small immediate is then. */
bool sim_faulty_add_op(unsigned fault, unsigned op, const u32x16 *a, const u32x16 *b, bool extra,
                       struct sim_alu_out *out);
bool sim_faulty_mul_op(unsigned fault, unsigned op, const u32x16 *a, const u32x16 *b, bool extra,
                       struct sim_alu_out *out);
void sim_faulty_unpack(unsigned fault, unsigned mode, bool as_float, const u32x16 *in, u32x16 *out);
void sim_faulty_pack_a(unsigned fault, unsigned mode, bool float_result, const struct sim_alu_out *in,
                       const u32x16 *old, u32x16 *out);
void sim_faulty_pack_mul(unsigned fault, unsigned mode, const u32x16 *in, const u32x16 *old, u32x16 *out);
void sim_faulty_sfu(unsigned fault, enum sim_sfu_function function, const u32x16 *x, u32x16 *out);
void sim_faulty_immediate(const u32x16 *in, u32x16 *out);
uint32_t sim_ideal_recip(uint32_t x);
uint32_t sim_ideal_rsqrt(uint32_t x);
uint32_t sim_ideal_exp2(uint32_t x);
uint32_t sim_ideal_log2(uint32_t x);

#endif
