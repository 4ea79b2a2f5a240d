#!/usr/bin/env python3
"""Finds the polynomial coefficients in passes/lower_trig.c, in plain Python.

Each row is f(x) ~ sum c[k] * basis[k](x) on [a, b] with the largest absolute error made as small as it gets, if wanted
under a cap: a linear program, solved by exchange. Sine and cosine have the cap 1, and bases that give the exact value
at x = 0. Run it to print the coefficients and their error. Rounded to floats, and with the first coefficient moved so
that the machine's own roundings give the exact value (`pin`), they are what the compiler's source holds; there they
may be a few units in the last place away, where that keeps all of the machine's results below the cap.
"""
import math
import struct


def solve(m, v):
    n = len(v)
    a = [row[:] + [v[i]] for i, row in enumerate(m)]
    for i in range(n):
        p = max(range(i, n), key=lambda r: abs(a[r][i]))
        a[i], a[p] = a[p], a[i]
        for r in range(n):
            if r != i:
                q = a[r][i] / a[i][i]
                a[r] = [x - q * y for x, y in zip(a[r], a[i])]
    return [a[i][n] / a[i][i] for i in range(n)]


def fit(f, basis, lo, hi, cap=None, grid=2000):
    """Coefficients and the error e, the least with |f - p| <= e and p <= cap. Constraints are rows a (c, e) >= b; the
    dual simplex method goes from n + 1 of them that hold with equality to those that make e the largest."""
    n = len(basis) + 1
    rows = []
    for i in range(grid):
        x = lo + (hi - lo) * (i + 0.5) / grid
        b = [g(x) for g in basis]
        rows.append(([-k for k in b] + [1.0], -f(x)))
        rows.append((b + [1.0], f(x)))
        if cap is not None:
            rows.append(([-k for k in b] + [0.0], -cap(x)))
    each = len(rows) // grid
    base = [int((1 - math.cos(math.pi * (i + 0.5) / n)) / 2 * grid) * each + i % 2 for i in range(n)]
    for _ in range(500):
        x = solve([rows[i][0] for i in base], [rows[i][1] for i in base])
        columns = [[rows[j][0][i] for j in base] for i in range(n)]
        weight = solve(columns, [0.0] * (n - 1) + [1.0])
        if min(weight) < -1e-9:  # the other sign of all errors
            base = [b - b % each + 1 - b % each for b in base]
            continue
        short, enters = min((sum(p * q for p, q in zip(a, x)) - b, i) for i, (a, b) in enumerate(rows))
        if short > -1e-13:
            break
        step = solve(columns, rows[enters][0])
        leaves = min((max(weight[i], 0) / step[i], i) for i in range(n) if step[i] > 1e-12)[1]
        base[leaves] = enters
    return x[:-1], x[-1]


def to_float(x):
    """Rounded toward zero, as the machine rounds sums."""
    near = struct.unpack("f", struct.pack("f", x))[0]
    if abs(near) > abs(x):
        bits = struct.unpack("I", struct.pack("f", near))[0] - 1
        near = struct.unpack("f", struct.pack("I", bits))[0]
    return near


def nearest(x):
    """As the machine rounds products."""
    return struct.unpack("f", struct.pack("f", x))[0]


def pin(c, square, value):
    """The first coefficient with which c[0] + c[1] square + ... is `value` in the machine's arithmetic."""
    r = c[-1]
    for k in c[-2::-1]:
        r = to_float(nearest(r * square) + k)
    r = nearest(r * square)
    first = to_float(value - r)
    while to_float(first + r) < value:
        bits = struct.unpack("I", struct.pack("f", first))[0] + 1
        first = struct.unpack("f", struct.pack("I", bits))[0]
    return first


def show(name, c, e):
    print(f"{name}: " + ", ".join(f"{x:.9g}f" for x in c) + f"   |error| <= {e:.2e}")


def odd(n):
    return [lambda x, k=k: x ** (2 * k + 1) for k in range(n)]


def power(n, w=lambda x: 1.0):
    return [lambda x, k=k: w(x) * x ** k for k in range(n)]


tau = 2 * math.pi
below_one = 1 - 4e-7  # leaves the machine's roundings room

# -sin(tau v) and 0 at v = 1/2, which is what x = 0 becomes.
for terms in (4, 5):
    basis = [lambda v, k=k: v ** (2 * k + 1) - v * 0.25 ** k for k in range(1, terms)]
    c, e = fit(lambda v: math.sin(tau * v), basis, 0.0, 0.5, lambda v: below_one)
    c = [to_float(-x) for x in c]
    show(f"-sin(tau v), |v| <= 1/2, {terms} terms", [pin(c, 0.25, 0.0)] + c, e)

# sin(tau z) and 1 at z = 1/4.
for terms in (3, 4):
    basis = [lambda v, k=k: v ** (2 * k + 1) - v * 0.0625 ** k for k in range(1, terms)]
    c, e = fit(lambda v: math.sin(tau * v) - 4 * v, basis, 0.0, 0.25, lambda v: 1 - 4 * v)
    c = [to_float(x) for x in c]
    show(f"sin(tau z), |z| <= 1/4, {terms} terms", [pin(c, 0.0625, 4.0)] + c, e)

for terms in (4, 6):
    show(f"atan(t), 0..1, {terms} terms", *fit(math.atan, odd(terms), 0.0, 1.0))

# The first coefficient times the machine's root of 1 is float(pi / 2). Unrefined, that root is low by 7.6e-5; so close
# to 0 the error is the root's own, and the fit starts beside it.
half_pi = struct.unpack("f", struct.pack("f", math.pi / 2))[0]
for terms, root, start in ((4, 0.999923706, 0.05), (5, 1.0, 0.0)):
    first = struct.unpack("f", struct.pack("f", half_pi / root))[0]
    w = lambda x: math.sqrt(max(0.0, 1 - x))
    c, e = fit(lambda x: math.acos(x) - first * w(x), power(terms, w)[1:], start, 1.0)
    show(f"acos(x) / sqrt(1 - x), 0..1, {terms} terms", [first] + c, e)

# -fprecise. 2^f is 1 at 0 and 2 at 1, so that neighbouring pieces meet; log2 is 0 at 1.
c, e = fit(lambda f: 2 ** f - 1 - f, [lambda f, k=k: f ** k - f for k in range(2, 6)], 0.0, 1.0)
show("2^f, 0..1", [1.0, 1.0 - sum(c)] + c, e)
root = math.sqrt(0.5)
for terms in (8, 9):
    show(f"log2(1 + z) / z, sqrt(1/2)..sqrt(2), {terms} terms",
         *fit(lambda z: math.log1p(z) / math.log(2) / z if z else 1 / math.log(2), power(terms), root - 1, 2 * root - 1))
