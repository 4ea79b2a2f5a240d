#!/usr/bin/env python3
"""Finds the polynomial coefficients in passes/lower_trig.c: Remez exchange in plain Python.

Each row is f(x) ~ sum c[k] * basis[k](x) on [a, b] with the largest absolute error made as small as it gets.
Run it to print the coefficients and their error; the compiler's source holds the printed numbers.
"""
import math


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


def remez(f, basis, lo, hi, steps=40, grid=6000):
    n = len(basis) + 1
    xs = [lo + (hi - lo) * (1 - math.cos(math.pi * (i + 0.5) / n)) / 2 for i in range(n)]
    pts = [lo + (hi - lo) * i / grid for i in range(grid + 1)]
    for _ in range(steps):
        m = [[b(x) for b in basis] + [(-1) ** i] for i, x in enumerate(xs)]
        c = solve(m, [f(x) for x in xs])[:-1]
        err = [(f(x) - sum(k * b(x) for k, b in zip(c, basis)), x) for x in pts]
        best = []  # one extremum per run of equal sign
        for e in err:
            if best and (e[0] > 0) == (best[-1][0] > 0):
                if abs(e[0]) > abs(best[-1][0]):
                    best[-1] = e
            else:
                best.append(e)
        while len(best) > n:
            best.pop(0 if abs(best[0][0]) < abs(best[-1][0]) else -1)
        if len(best) < n:
            break
        new = [x for _, x in best]
        if new == xs:
            break
        xs = new
    return c, max(abs(e[0]) for e in err)


def odd(n):
    return [lambda x, k=k: x ** (2 * k + 1) for k in range(n)]


def power(n, w=lambda x: 1.0):
    return [lambda x, k=k: w(x) * x ** k for k in range(n)]


def show(name, f, basis, lo, hi):
    c, e = remez(f, basis, lo, hi)
    print(f"{name}: " + ", ".join(f"{x:.9g}f" for x in c) + f"   |error| <= {e:.2e}")


tau = 2 * math.pi
# The first basis function vanishes at 0 for odd ones: start just beside it.
for terms in (4, 5, 6):
    show(f"-sin(tau v), |v| <= 1/2, {terms} terms", lambda v: -math.sin(tau * v), odd(terms), 1e-6, 0.5)
for terms in (3, 4):
    show(f"sin(tau z), |z| <= 1/4, {terms} terms", lambda z: math.sin(tau * z), odd(terms), 1e-6, 0.25)
for terms in (3, 4, 5, 6):
    show(f"atan(t), 0..1, {terms} terms", math.atan, odd(terms), 1e-6, 1.0)
for terms in (3, 4, 5):
    w = lambda x: math.sqrt(max(0.0, 1 - x))
    show(f"acos(x) / sqrt(1 - x), 0..1, {terms} terms", math.acos, power(terms, w), 0.0, 1.0 - 1e-9)
