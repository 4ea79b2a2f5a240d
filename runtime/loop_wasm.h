/* The arithmetic of the fast loop (loop.h, which includes this) on WebAssembly's vectors, which round to
 * nearest and know neither another mode nor flushing. What is unusual goes to by_definition. */
#ifndef SIM_LOOP_WASM_H
#define SIM_LOOP_WASM_H

/* What IEEE arithmetic calls the largest number may be infinity here. */
#define UNUSUAL 0x7f7fffffu

/* Denormals and zeros of either sign become +0. */
SIM_INLINE part flushed(part v) {
    return v & (part)((v & EXPONENT) != 0);
}

/* The sum to nearest and its exact error (Knuth's two-sum): where the error points toward zero the sum is one
 * unit too large. A sum that is usual has operands that are numbers. */
SIM_INLINE void vector_fadd(const vec *a, const vec *b, bool subtract, vec *r) {
    vec slow, sum;
    EACH {
        fpart x = (fpart)flushed(a->p[k]), y = (fpart)(flushed(b->p[k]) ^ (subtract ? SIGN : 0));
        fpart s = x + y, late = s - x, error = (x - (s - late)) + (y - late);
        sum.p[k] = (part)s + (part)(((ipart)((part)s ^ (part)error) >> 31) & (ipart)(error != 0));
        slow.p[k] = (part)s;
    }
    if (UNLIKELY(any_from(&slow, UNUSUAL))) {
        by_definition(false, subtract ? QPU_A_FSUB : QPU_A_FADD, a, b, &slow);
        *r = slow;
        return;
    }
    EACH r->p[k] = flushed(sum.p[k]);
}

/* The exact product of two lanes, half a unit of a float's last place added to its magnitude and what is
 * below cut off. */
SIM_INLINE v128_t rounded_product(v128_t x, v128_t y) {
    v128_t exact = wasm_f64x2_mul(wasm_f64x2_promote_low_f32x4(x), wasm_f64x2_promote_low_f32x4(y));
    v128_t up = wasm_i64x2_add(exact, wasm_i64x2_splat(0x10000000));
    return wasm_f32x4_demote_f64x2_zero(wasm_v128_and(up, wasm_i64x2_splat(~0x1fffffffll)));
}

SIM_INLINE v128_t high_half(v128_t v) {
    return wasm_i32x4_shuffle(v, v, 2, 3, 2, 3);
}

SIM_INLINE part both_halves(v128_t low, v128_t high) {
    return (part)wasm_i32x4_shuffle(low, high, 0, 1, 4, 5);
}

/* Either rounding may have made the smallest normal number of less than that. */
SIM_INLINE void vector_fmul(const vec *a, const vec *b, vec *r) {
    vec product;
    ipart odd = {};
    EACH {
        v128_t x = (v128_t)flushed(a->p[k]), y = (v128_t)flushed(b->p[k]);
        part p = both_halves(rounded_product(x, y), rounded_product(high_half(x), high_half(y))),
             size = p & ~SIGN;
        odd |= ((ipart)size > (ipart)SPLAT(UNUSUAL - 1)) | (size == 0x00800000u);
        product.p[k] = flushed(p);
    }
    if (UNLIKELY(wasm_v128_any_true((v128_t)odd)))
        by_definition(true, QPU_M_FMUL, a, b, &product);
    *r = product;
}

SIM_INLINE void vector_ftoi(const vec *a, vec *r) {
    vec value = *a;
    if (UNLIKELY(any_from(a, 0x4f000000u)))
        by_definition(false, QPU_A_FTOI, a, a, &value);
    else
        EACH value.p[k] = (part) __builtin_convertvector((fpart)a->p[k], ipart);
    *r = value;
}

/* Whole numbers of up to 24 bits are floats. */
SIM_INLINE void vector_itof(const vec *a, vec *r) {
    vec value = *a;
    ipart large = {};
    EACH large |= (ipart)((a->p[k] + (1u << 24)) > SPLAT(1u << 25));
    if (UNLIKELY(wasm_v128_any_true((v128_t)large)))
        by_definition(false, QPU_A_ITOF, a, a, &value);
    else
        EACH value.p[k] = (part) __builtin_convertvector((ipart)a->p[k], fpart);
    *r = value;
}

/* n / 255, cut off: the quotient is never so near to a float that its own rounding matters. */
SIM_INLINE v128_t byte_quotient(v128_t n) {
    v128_t exact = wasm_f64x2_div(wasm_f64x2_convert_low_i32x4(n), wasm_f64x2_splat(255.0));
    return wasm_f32x4_demote_f64x2_zero(wasm_v128_and(exact, wasm_i64x2_splat(~0x1fffffffll)));
}

SIM_INLINE void vector_byte(vec *v) {
    EACH v->p[k] = both_halves(byte_quotient((v128_t)v->p[k]), byte_quotient(high_half((v128_t)v->p[k])));
}

/* 255 x + 1/2 has 32 bits and a half: exact in a double. */
SIM_INLINE v128_t to_byte(v128_t x) {
    v128_t exact = wasm_f64x2_mul(wasm_f64x2_promote_low_f32x4(x), wasm_f64x2_splat(255.0));
    return wasm_i32x4_trunc_sat_f64x2_zero(wasm_f64x2_add(exact, wasm_f64x2_splat(0.5)));
}

SIM_INLINE void vector_to_byte(vec *v) {
    EACH {
        part x = flushed(v->p[k]) & (part)((ipart)v->p[k] >= 0);
        x = choose((ipart)x > (ipart)SPLAT(0x3f800000u), SPLAT(0x3f800000u), x);
        v->p[k] = both_halves(to_byte((v128_t)x), to_byte(high_half((v128_t)x)));
    }
}

#endif
