/* Pieces of assembler text: spaces, separators, numbers. */
#include "backend/isa/text.h"

#include <string.h>

bool qpu_is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

struct qpu_span qpu_trim(struct qpu_span s) {
    while (s.n > 0 && qpu_is_space(s.p[0])) {
        s.p++;
        s.n--;
    }
    while (s.n > 0 && qpu_is_space(s.p[s.n - 1])) {
        s.n--;
    }
    return s;
}

bool qpu_next_piece(struct qpu_span *rest, char separator, struct qpu_span *piece) {
    if (!rest->p) {
        return false;
    }
    const char *cut = rest->n ? memchr(rest->p, separator, rest->n) : NULL;
    *piece = *rest;
    if (cut) {
        piece->n = (size_t)(cut - rest->p);
        rest->n -= piece->n + 1;
        rest->p = cut + 1;
    } else {
        rest->p = NULL;
    }
    *piece = qpu_trim(*piece);
    return true;
}

static int digit_value(char c) {
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    if (c >= 'a' && c <= 'f') {
        return c - 'a' + 10;
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A decimal fraction with optional exponent, without the C library because that reads the locale's decimal
 * point. Exact for what fits 15 digits and powers of ten up to 22, which is more than a float holds. */
static bool parse_float(struct qpu_span s, bool negative, uint32_t *bits) {
    double mantissa = 0, scale = 1;
    int exponent = 0, digits = 0;
    bool point = false;
    size_t i = 0;
    for (; i < s.n; i++) {
        if (s.p[i] == '.' && !point) {
            point = true;
        } else if (s.p[i] >= '0' && s.p[i] <= '9') {
            mantissa = mantissa * 10 + (s.p[i] - '0');
            exponent -= point;
            digits++;
        } else {
            break;
        }
    }
    if (digits == 0 || digits > 40) {
        return false;
    }
    if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
        bool minus = false;
        int power = 0;
        i++;
        if (i < s.n && (s.p[i] == '-' || s.p[i] == '+')) {
            minus = s.p[i++] == '-';
        }
        if (i == s.n) {
            return false;
        }
        for (; i < s.n && s.p[i] >= '0' && s.p[i] <= '9' && power < 1000; i++) {
            power = power * 10 + (s.p[i] - '0');
        }
        exponent += minus ? -power : power;
    }
    if (i != s.n) {
        return false;
    }
    for (int e = exponent < 0 ? -exponent : exponent; e > 0 && scale < 1e300; e--) {
        scale *= 10;
    }
    double value = exponent < 0 ? mantissa / scale : mantissa * scale;
    if (value > 3.4028234663852886e38) {
        return false;
    }
    float single = (float)(negative ? -value : value);
    memcpy(bits, &single, sizeof single);
    return true;
}

bool qpu_parse_number(struct qpu_span s, uint32_t *bits) {
    bool negative = s.n > 0 && s.p[0] == '-';
    if (negative || (s.n > 0 && s.p[0] == '+')) {
        s.p++;
        s.n--;
    }
    uint64_t value = 0;
    unsigned base = 10;
    if (s.n > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'X')) {
        base = 16;
        s.p += 2;
        s.n -= 2;
    }
    if (s.n == 0) {
        return false;
    }
    for (size_t i = 0; i < s.n; i++) {
        int digit = digit_value(s.p[i]);
        if (digit < 0 || (unsigned)digit >= base) {
            return base == 10 && parse_float(s, negative, bits);
        }
        value = value * base + (unsigned)digit;
        if (value > UINT32_MAX) {
            return base == 10 && parse_float(s, negative, bits) && memchr(s.p, '.', s.n);
        }
    }
    if (negative && value > 0x80000000u) {
        return false;
    }
    *bits = negative ? (uint32_t)(0 - value) : (uint32_t)value;
    return true;
}
