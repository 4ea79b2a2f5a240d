#!/usr/bin/env python3
"""Random programs that check themselves: an interpreter here, which knows neither the compiler nor Mesa, computes what the
shader has to find in each of 16 places of the picture (of 4 vertices), and the shader writes green where it found that.

    checked.py [--first SEED] [--count N] [--runner QPUCC-CONFORMANCE] [LEVEL ...]

prints the cases in the form of the WebGL suite, or draws them at the levels and prints those that fail. A case is made again
from its seed, which its name ends with.

What the other generators leave out is here: 32-bit integers at their edges (ES 3.00 and desktop), loops of every kind whose
bounds and exits differ between lanes, switches that fall through, with loops in their cases and around them, short circuits
that have effects, overloads, arrays and structures as parameters of all kinds, implicit conversions, every shape of matrix,
names that hide others, comments and line ends in odd places. Programs in which something undefined would happen, or a
float that is no small multiple of 1/16, are drawn again: the interpreter finds that out.

An Expression is its text `s`, a function `f` of the variables that computes it, and its type `t`. A statement is a pair of
its lines and such a function. Variables are kept by a number of their own, so that names may hide each other."""
import argparse
import json
import math
import random
import re
import struct
import subprocess
import sys
import tempfile


class Reject(Exception):
    pass


class Break(Exception):
    pass


class Continue(Exception):
    pass


class Return(Exception):

    def __init__(self, value):
        self.v = value


WORD = 4294967295


def as_signed(v):
    v &= WORD
    return v - (1 << 32) if v & 2147483648 else v
FLOAT, INT, UINT, BOOL = ('float', 'int', 'uint', 'bool')


class Type:

    def __init__(self, base, n=1, cols=0, length=0, rec=None):
        self.base, self.n, self.cols, self.length, self.rec = (base, n, cols, length, rec)

    def key(self):
        return (self.base, self.n, self.cols, self.length, self.rec.name if self.rec else None)

    def __eq__(self, o):
        return isinstance(o, Type) and self.key() == o.key()

    def __hash__(self):
        return hash(self.key())

    def elem(self):
        return Type(self.base, self.n, self.cols, 0, self.rec)

    def arr(self, k):
        return Type(self.base, self.n, self.cols, k, self.rec)

    @property
    def name(self):
        if self.rec:
            return self.rec.name
        if self.cols:
            return 'mat%d' % self.n if self.cols == self.n else 'mat%dx%d' % (self.cols, self.n)
        if self.n == 1:
            return self.base
        return {FLOAT: '', INT: 'i', UINT: 'u', BOOL: 'b'}[self.base] + 'vec%d' % self.n

    def decl(self, nm):
        return '%s %s%s' % (self.name, nm, '[%d]' % self.length if self.length else '')


class Record:

    def __init__(self, name, fields):
        self.name, self.fields = (name, fields)


def has_array(t):
    return bool(t.length) or bool(t.rec and any((has_array(f) for _, f in t.rec.fields)))


def copy(v):
    return [copy(x) for x in v] if isinstance(v, list) else v


class Expression:
    __slots__ = ('s', 'f', 't')

    def __init__(self, s, f, t):
        self.s, self.f, self.t = (s, f, t)


class Gen:

    def __init__(self, seed):
        self.r = random.Random(seed)
        k_ = self.r.random()
        self.es3 = k_ < 0.65
        self.desk = k_ < 0.2 and self.pick(['330', '330 core', '130', '140', '150 compatibility'])
        self.seed = seed
        self.recs = []
        self.funcs = []
        self.scopes = [[]]
        self.loop = 0
        self.sw = 0
        self.trip = 1
        self.budget = 0
        self.steps = 0
        self.ret = None
        self.flow = self.r.random() < 0.5
        self.nested_continue = True

    # What the type keeps of a value; Reject where the language or the precision leaves it open.
    def checked(self, v, base):
        if base == FLOAT:
            if v != v or abs(v) > 65536 or v * 16 != int(v * 16):
                raise Reject('float %r' % v)
            return v + 0.0
        if base == INT:
            if self.es3:
                return as_signed(v)
            if not -(1 << 31) <= v < 1 << 31:
                raise Reject('int')
            return v
        if base == UINT:
            return v & WORD
        return bool(v)

    def pick(self, l):
        return l[self.r.randrange(len(l))]

    def chance(self, p):
        return self.r.random() < p

    def sbase(self):
        return self.pick([INT, INT, INT, FLOAT, BOOL] + ([UINT, UINT] if self.es3 else []))

    def stype(self, rec=True, arr=True):
        k = self.r.random()
        if rec and self.recs and (k < 0.12):
            t = Type('rec', 1, 0, 0, self.pick(self.recs))
        elif k < 0.22:
            n = self.r.randint(2, 4)
            t = Type(FLOAT, n, self.r.randint(2, 4) if self.es3 else n)
        elif k < 0.6:
            t = Type(self.sbase())
        else:
            t = Type(self.sbase(), self.r.randint(2, 4))
        if arr and self.chance(0.15):
            t = t.arr(self.r.randint(1, 4))
        return t

    def vars(self):
        seen = set()
        out = []
        for sc in reversed(self.scopes):
            for v in reversed(sc):
                if v[0] not in seen:
                    seen.add(v[0])
                    out.append(v)
        return out

    def paths(self, want, write, depth):
        """an l-value/r-value path of type want: (s, getref) with getref(env)->(container,key list) """
        vs = self.vars()
        self.r.shuffle(vs)
        vs.sort(key=lambda v: v[3] in ('u_n', 'u_i', 'u_v', 'u_f', 'u_b', 'u_a') and self.r.random() < 0.6)
        for v in vs[:12]:
            if write and (not v[2]):
                continue
            p = self.path_from(v, want, write, depth)
            if p:
                return p
        return None

    # Members, elements and components down from a variable, until the type is the wanted one; None: it leads elsewhere.
    def path_from(self, v, want, write, depth):
        name, t = (v[0], v[1])
        uid = v[3]
        s = name
        acc = []
        cur = t
        for _ in range(6):
            if cur == want and (self.chance(0.8) or not (cur.length or cur.rec)):
                return (s, uid, acc, cur)
            if cur.length:
                ix = self.index(cur.length, depth)
                s += '[%s]' % ix.s
                acc = acc + [('i', ix.f, cur.length)]
                cur = cur.elem()
                continue
            if cur.rec:
                fi = self.r.randrange(len(cur.rec.fields))
                fn, ft = cur.rec.fields[fi]
                s += '.' + fn
                acc = acc + [('m', fi)]
                cur = ft
                continue
            if cur.cols:
                if want.base != FLOAT or want.cols or want.length or want.rec:
                    return None
                ix = self.index(cur.cols, depth)
                s += '[%s]' % ix.s
                acc = acc + [('i', ix.f, cur.cols)]
                cur = Type(FLOAT, cur.n)
                continue
            if cur.n > 1 and cur.base == want.base and (not (want.cols or want.length or want.rec)):
                if want.n <= cur.n and self.chance(0.15):  # a swizzle of which a part is taken
                    sw = self.r.sample(range(cur.n), self.r.randint(max(2, want.n), cur.n))
                    s += '.' + ''.join((st[i] for st in [self.pick(['xyzw', 'rgba', 'stpq'])] for i in sw))
                    acc = acc + [('s', sw)]
                    cur = Type(cur.base, len(sw))
                    if cur == want:
                        return (s, uid, acc, want)
                    continue
                if want.n == 1 and self.chance(0.4):
                    ix = self.index(cur.n, depth)
                    s += '[%s]' % ix.s
                    acc = acc + [('i', ix.f, cur.n)]
                    cur = Type(cur.base)
                    continue
                if want.n > cur.n and write:
                    return None
                sw = [self.r.randrange(cur.n) for _ in range(want.n)]
                if write and len(set(sw)) != len(sw):
                    sw = self.r.sample(range(cur.n), want.n)
                if want.n == cur.n and self.chance(0.5):
                    return None
                s += '.' + ''.join((st[i] for st in [self.pick(['xyzw', 'rgba', 'stpq'])] for i in sw))
                return (s, uid, acc + [('s', sw)], want)
            return None
        return None

    # Below n, whatever it is computed from.
    def index(self, n, depth):
        k = self.r.random()
        if k < 0.35 or depth <= 0:
            i = self.r.randrange(n)
            return Expression(str(i), lambda e: i, Type(INT))
        x = self.expr(Type(INT), depth - 1)
        if self.es3 and n in (1, 2, 4) and self.chance(0.5):
            return Expression('%s & %d' % (in_brackets(x.s), n - 1), lambda e: x.f(e) & n - 1, Type(INT))
        return Expression('at(%s, %d)' % (x.s, n), lambda e: at(x.f(e), n), Type(INT))

    def lit(self, t):
        if t.n == 1 and (not t.cols) and (not t.length) and (not t.rec):
            if t.base == BOOL:
                v = self.chance(0.5)
                return Expression('true' if v else 'false', lambda e: v, t)
            if t.base == INT:
                if self.es3 and self.chance(0.15):
                    v = self.pick([2147483647, -2147483647, 65535, 65536, 1431655765, -2147483648, 255, 31,
                        123456789])
                    return Expression({-2147483648: '(-2147483647 - 1)'}.get(v, str(v) if v >= 0 else '(%d)' % v)
                        if self.chance(0.6) or v < 0 else hex(v), lambda e: v, t)
                v = self.r.randint(-9, 20)
                return Expression(str(v) if v >= 0 else '(%d)' % v, lambda e: v, t)
            if t.base == UINT:
                v = self.pick([0, 1, 2, 3, 7, 31, 255, 65535, 4294967295, 2147483648, 2147483647,
                    self.r.getrandbits(32)]) if self.chance(0.4) else self.r.randint(0, 20)
                return Expression('%du' % v if self.chance(0.6) else '0x%xU' % v, lambda e: v, t)
            v = self.r.randint(-16, 16) / self.pick([1, 1, 2, 4])
            s = repr(v)
            if v >= 0 and v == int(v):
                s = self.pick(['%d.0', '%d.', '%d.0e0', '%d00.0e-2']) % int(v)
            return Expression(s if v >= 0 else '(%s)' % s, lambda e: v, t)
        return self.cons(t, 0)

    def implicit(self, t, d):
        x = self.expr(t, d)
        return Expression(x.s, lambda e: (lambda v: [self.conv(q, t.base, FLOAT) for q in v] if t.n > 1
            else self.conv(v, t.base, FLOAT))(x.f(e)), Type(FLOAT, t.n))

    def anyx(self, t, d):
        if self.desk and t.base == FLOAT and (not (t.cols or t.length or t.rec)) and self.chance(0.3):
            return self.implicit(Type(self.pick([INT, INT, UINT]), t.n), d)
        return self.expr(t, d)

    def cons(self, t, d):
        if t.length:
            if not self.es3:
                raise Reject('no array constructor')
            xs = [self.expr(t.elem(), d - 1) for _ in range(t.length)]
            br = self.pick(['[%d]' % t.length, '[]'])
            return Expression('%s%s(%s)' % (t.name, br, ', '.join((x.s for x in xs))), lambda e: [x.f(e)
                for x in xs], t)
        if t.rec:
            for _, ft in t.rec.fields:
                if has_array(ft) and (not self.es3):
                    raise Reject('arr')
            xs = [self.expr(ft, d - 1) for _, ft in t.rec.fields]
            return Expression('%s(%s)' % (t.name, ', '.join((x.s for x in xs))), lambda e: [x.f(e) for x in xs], t)
        if t.cols:
            k = self.r.random()
            if k < 0.4:
                xs = [self.expr(Type(FLOAT, t.n), d - 1) for _ in range(t.cols)]
                return Expression('%s(%s)' % (t.name, ', '.join((x.s for x in xs))), lambda e: [x.f(e)
                    for x in xs], t)
            if k < 0.6:
                x = self.expr(Type(FLOAT), d - 1)

                def f(e):
                    v = x.f(e)
                    return [[v if i == j else 0.0 for j in range(t.n)] for i in range(t.cols)]
                return Expression('%s(%s)' % (t.name, x.s), f, t)
            if k < 0.8 and self.es3:
                o = Type(FLOAT, self.r.randint(2, 4), self.r.randint(2, 4))
                x = self.expr(o, d - 1)

                def f(e):
                    m = x.f(e)
                    return [[m[i][j] if i < o.cols and j < o.n else 1.0 if i == j else 0.0 for j in range(t.n)]
                        for i in range(t.cols)]
                return Expression('%s(%s)' % (t.name, x.s), f, t)
            need = t.n * t.cols
            xs = self.parts(need, d)

            def f(e):
                fl = flattened([x.f(e) for x in xs])
                fl = [float(v) for v in fl]
                return [[self.checked(fl[i * t.n + j], FLOAT) for j in range(t.n)] for i in range(t.cols)]
            return Expression('%s(%s)' % (t.name, ', '.join((x.s for x in xs))), f, t)
        if t.n > 1:
            if self.chance(0.3):
                x = self.expr(Type(self.sbase()), d - 1)
                b = x.t.base
                return Expression('%s(%s)' % (t.name, x.s), lambda e: [self.conv(x.f(e), b, t.base)] * t.n, t)
            if self.chance(0.2):
                o = Type(self.sbase(), self.r.randint(t.n, 4))
                x = self.expr(o, d - 1)
                return Expression('%s(%s)' % (t.name, x.s), lambda e: [self.conv(v, o.base, t.base)
                    for v in x.f(e)[:t.n]], t)
            xs = self.parts(t.n, d)

            def f(e):
                return [self.conv(v, x.t.base, t.base) for x in xs for v in flattened([x.f(e)])][:t.n]
            return Expression('%s(%s)' % (t.name, ', '.join((x.s for x in xs))), f, t)
        if d <= 0:
            return self.lit(t)
        o = self.stype(False, False)
        if o.cols and self.chance(0.7):
            o = Type(self.sbase())
        x = self.expr(o, d - 1)
        return Expression('%s(%s)' % (t.name, x.s), lambda e: self.conv(flattened([x.f(e)])[0], o.base, t.base), t)

    def parts(self, need, d):
        xs = []
        left = need
        while left > 0:
            n = self.r.randint(1, min(4, left))
            xs.append(self.expr(Type(self.sbase(), n), d - 1))
            left -= n
        return xs

    def conv(self, v, a, b):
        if a == b:
            return v
        if b == BOOL:
            return v != 0
        if b == FLOAT:
            return self.checked(float(v), FLOAT)
        if b == INT:
            if a == FLOAT:
                return int(v)
            return self.checked(int(v), INT) if a != UINT else as_signed(v)
        if b == UINT:
            if a == FLOAT:
                if v < 0:
                    raise Reject('neg to uint')
                return int(v)
            return int(v) & WORD

    def get(self, p):
        s, uid, acc, t = p

        def f(e):
            v = e.get(uid)
            if v is None:
                raise Reject('unset')
            for a in acc:
                if a[0] == 'i':
                    v = v[a[1](e)]
                elif a[0] == 'm':
                    v = v[a[1]]
                else:
                    v = [v[i] for i in a[1]]
                    if len(v) == 1:
                        v = v[0]
            return copy(v)
        return Expression(s, f, t)

    def set(self, p):
        s, uid, acc, t = p

        def ref(e):
            path = []
            for a in acc:
                place = ('i', a[1](e)) if a[0] == 'i' else a
                if path and path[-1][0] == 's':  # a part of a swizzle
                    sw = path.pop()[1]
                    place = ('i', sw[place[1]]) if place[0] == 'i' else ('s', [sw[i] for i in place[1]])
                path.append(place)

            def store(v):
                v = copy(v)
                if not path:
                    e[uid] = v
                    return
                c = e[uid]
                for a in path[:-1]:
                    c = c[a[1]]
                a = path[-1]
                if a[0] == 's':
                    vv = v if isinstance(v, list) else [v]
                    for i, x in zip(a[1], vv):
                        c[i] = x
                else:
                    c[a[1]] = v

            def load():
                c = e[uid]
                for a in path:
                    if a[0] == 's':
                        c = [c[i] for i in a[1]]
                        if len(c) == 1:
                            c = c[0]
                    else:
                        c = c[a[1]]
                return copy(c)
            return (store, load)
        return ref

    def expr(self, t, d):
        if d <= 0:
            if self.chance(0.75):
                p = self.paths(t, False, 0)
                if p:
                    return self.get(p)
            return self.lit(t)
        for _ in range(3):
            x = self.try_expr(t, d)
            if x and len(x.s) < 400:
                return x
        return self.expr(t, 0)

    def try_expr(self, t, d):
        k = self.r.random()
        if k < 0.25:
            p = self.paths(t, False, d)
            return self.get(p) if p else None
        if k < 0.33:
            return self.cons(t, d)
        if k < 0.41 and (self.es3 or not has_array(t)) and (not (t.length and (not self.es3))):
            c = self.expr(Type(BOOL), d - 1)
            a = self.expr(t, d - 1)
            b = self.expr(t, d - 1)
            return Expression('(%s ? %s : %s)' % (c.s, a.s, b.s), lambda e: a.f(e) if c.f(e) else b.f(e), t)
        if k < 0.49:
            fs = [f for f in self.funcs if f.ret == t and (not f.outs)]
            if not fs:
                return None
            f = self.pick(fs)
            xs = [self.expr(pt, d - 1) for _, pt, _ in f.params]
            return Expression('%s(%s)' % (f.name, ', '.join((x.s for x in xs))), lambda e: f.call(self, e,
                [x.f(e) for x in xs]), t)
        if k < 0.52:
            a = self.expr(self.stype(False, False), d - 1)
            b = self.expr(t, d - 1)
            if t.length or (has_array(t) and (not self.es3)):
                return None
            return Expression('(%s, %s)' % (a.s, b.s), lambda e: (a.f(e), b.f(e))[1], t)
        if t.length or t.rec:
            return None
        if t.cols:
            return self.matexpr(t, d)
        if t.base == BOOL:
            return self.boolexpr(t, d)
        return self.arith(t, d)

    def matexpr(self, t, d):
        k = self.r.random()
        if k < 0.4:
            op = self.pick(['+', '-', '+'])
            a, b = (self.expr(t, d - 1), self.expr(t, d - 1))
            return Expression('(%s %s %s)' % (a.s, op, b.s), lambda e: [[self.checked(p + q if op == '+'
                else p - q, FLOAT) for p, q in zip(u, v)] for u, v in zip(a.f(e), b.f(e))], t)
        if k < 0.6:
            n = self.r.randint(2, 4) if self.es3 else t.n
            a, b = (self.expr(Type(FLOAT, t.n, n), d - 1), self.expr(Type(FLOAT, n, t.cols), d - 1))

            def f(e):
                A, B = (a.f(e), b.f(e))
                return [[self.checked(sum((A[k][r] * B[c][k] for k in range(n))), FLOAT) for r in range(t.n)]
                    for c in range(t.cols)]
            return Expression('(%s * %s)' % (a.s, b.s), f, t)
        if k < 0.7:
            a, b = (self.expr(t, d - 1), self.expr(Type(FLOAT), d - 1))

            def f(e):
                A, v = (a.f(e), b.f(e))
                return [[self.checked(x * v, FLOAT) for x in c] for c in A]
            return Expression('(%s * %s)' % (a.s, b.s) if self.chance(0.5) else '(%s * %s)' % (b.s, a.s), f, t)
        if k < 0.8:
            a, b = (self.expr(t, d - 1), self.expr(t, d - 1))
            return Expression('matrixCompMult(%s, %s)' % (a.s, b.s), lambda e: [[self.checked(p * q, FLOAT) for p,
                q in zip(u, v)] for u, v in zip(a.f(e), b.f(e))], t)
        if self.es3 and k < 0.9:
            a = self.expr(Type(FLOAT, t.cols, t.n), d - 1)
            return Expression('transpose(%s)' % a.s, lambda e: [list(c) for c in zip(*a.f(e))], t)
        if self.es3:
            a, b = (self.expr(Type(FLOAT, t.n), d - 1), self.expr(Type(FLOAT, t.cols), d - 1))
            return Expression('outerProduct(%s, %s)' % (a.s, b.s), lambda e: (lambda u, v: [[self.checked(x * y,
                FLOAT) for x in u] for y in v])(a.f(e), b.f(e)), t)
        a = self.expr(t, d - 1)
        return Expression('(-%s)' % in_brackets(a.s), lambda e: [[-x for x in c] for c in a.f(e)], t)

    def boolexpr(self, t, d):
        if t.n > 1:
            k = self.r.random()
            if k < 0.25:
                a = self.expr(t, d - 1)
                return Expression('not(%s)' % a.s, lambda e: [not x for x in a.f(e)], t)
            b0 = self.sbase()
            fn, op = self.pick([('equal', lambda p, q: p == q), ('notEqual', lambda p, q: p != q)] + ([]
                if b0 == BOOL else [('lessThan', lambda p, q: p < q), ('lessThanEqual', lambda p, q: p <= q),
                    ('greaterThan', lambda p, q: p > q), ('greaterThanEqual', lambda p, q: p >= q)]))
            a, b = (self.expr(Type(b0, t.n), d - 1), self.expr(Type(b0, t.n), d - 1))
            return Expression('%s(%s, %s)' % (fn, a.s, b.s), lambda e: [op(p, q) for p, q in zip(a.f(e), b.f(e))], t)
        k = self.r.random()
        if k < 0.1:
            a = self.expr(t, d - 1)
            return Expression('!%s' % in_brackets(a.s), lambda e: not a.f(e), t)
        if k < 0.35:
            op = self.pick(['&&', '||', '^^'])
            a, b = (self.expr(t, d - 1), self.expr(t, d - 1))
            if self.chance(0.5) and op != '^^' and self.effects:
                a, b = (self.eff(d), self.eff(d))
            f = {'&&': lambda e: a.f(e) and b.f(e), '||': lambda e: a.f(e) or b.f(e),
                '^^': lambda e: a.f(e) != b.f(e)}[op]
            return Expression('(%s %s %s)' % (a.s, op, b.s), f, t)
        if k < 0.7:
            b0 = self.pick([INT, INT, FLOAT] + ([UINT] if self.es3 else []))
            op, fn = self.pick([('<', lambda p, q: p < q), ('<=', lambda p, q: p <= q), ('>', lambda p, q: p > q),
                ('>=', lambda p, q: p >= q), ('==', lambda p, q: p == q), ('!=', lambda p, q: p != q)])
            a, b = (self.expr(Type(b0), d - 1), self.expr(Type(b0), d - 1))
            return Expression('(%s %s %s)' % (a.s, op, b.s), lambda e: fn(a.f(e), b.f(e)), t)
        if k < 0.85:
            o = self.stype()
            if has_array(o) and (not self.es3):
                return None
            a, b = (self.expr(o, d - 1), self.expr(o, d - 1))
            ne = self.chance(0.4)
            return Expression('(%s %s %s)' % (a.s, '!=' if ne else '==', b.s), lambda e: (a.f(e) == b.f(e)) != ne, t)
        a = self.expr(Type(BOOL, self.r.randint(2, 4)), d - 1)
        fn = self.pick(['any', 'all'])
        return Expression('%s(%s)' % (fn, a.s), lambda e: (any if fn == 'any' else all)(a.f(e)), t)
    effects = True

    # A condition with an effect on the global G, which nothing else reads; only where the order is defined.
    def eff(self, d):
        """changes the global G, which nothing else reads; only where the order is defined"""
        x = self.expr(Type(INT), d - 1)

        def f(e):
            v = x.f(e)
            e['G'] = (e['G'] * 3 + (v % 8 if v >= 0 else 1)) % 251
            return e['G'] % 2 == 1
        return Expression('eff(%s)' % x.s, f, Type(BOOL))

    def arith(self, t, d):
        k = self.r.random()
        b = t.base
        n = t.n

        def v2(a, b_, fn):

            def f(e):
                p, q = (a.f(e), b_.f(e))
                if n == 1:
                    return self.checked(fn(p, q), b)
                p = p if isinstance(p, list) else [p] * n
                q = q if isinstance(q, list) else [q] * n
                return [self.checked(fn(x, y), b) for x, y in zip(p, q)]
            return f

        def v1(a, fn):
            return lambda e: (lambda p: self.checked(fn(p), b) if n == 1 else [self.checked(fn(x), b)
                for x in p])(a.f(e))
        lt = rt = t
        if n > 1 and self.chance(0.3):
            if self.chance(0.5):
                lt = Type(b)
            else:
                rt = Type(b)
        if k < 0.4:
            op = self.pick(['+', '-', '*'])
            if b == FLOAT and n > 1 and self.chance(0.2):
                m = self.r.randint(2, 4) if self.es3 else n
                if self.chance(0.5):
                    a, c = (self.expr(Type(FLOAT, n, m), d - 1), self.expr(Type(FLOAT, m), d - 1))
                    return Expression('(%s * %s)' % (a.s, c.s), lambda e: (lambda A,
                        v: [self.checked(sum((A[j][i] * v[j] for j in range(m))), FLOAT)
                            for i in range(n)])(a.f(e), c.f(e)), t)
                a, c = (self.expr(Type(FLOAT, m), d - 1), self.expr(Type(FLOAT, m, n), d - 1))
                return Expression('(%s * %s)' % (a.s, c.s), lambda e: (lambda v,
                    A: [self.checked(sum((A[i][j] * v[j] for j in range(m))), FLOAT) for i in range(n)])(a.f(e),
                        c.f(e)), t)
            a, c = (self.expr(lt, d - 1), self.expr(rt, d - 1))
            if self.desk and b == FLOAT and self.chance(0.4):
                k2 = self.pick([INT, UINT])
                if self.chance(0.5):
                    a = self.implicit(Type(k2, lt.n), d - 1)
                else:
                    c = self.implicit(Type(k2, rt.n), d - 1)
            fn = {'+': lambda x, y: x + y, '-': lambda x, y: x - y, '*': lambda x, y: x * y}[op]
            if self.chance(0.1) and n == 1:
                return Expression('M_%s(%s, %s)' % ({'+': 'ADD', '-': 'SUB', '*': 'MUL'}[op], a.s, c.s), v2(a, c,
                    fn), t)
            return Expression('(%s %s %s)' % (a.s, op, c.s), v2(a, c, fn), t)
        if k < 0.5:
            a = self.expr(t, d - 1)
            if self.es3 and b != FLOAT and self.chance(0.4):
                return Expression('(~%s)' % in_brackets(a.s), v1(a, lambda x: ~x), t)
            return Expression(self.pick(['(-%s)', '(- %s)', '-(%s)', '-(+%s)']) % in_brackets(a.s), v1(a,
                lambda x: -x), t)
        if k < 0.62 and b != FLOAT:
            a, c = (self.expr(lt, d - 1), self.expr(rt, d - 1))
            if self.chance(0.7):
                if b == UINT:
                    c = Expression('(%s | 1u)' % c.s if self.es3 else c.s, (lambda c0: lambda e: odd(c0.f(e)))(c),
                        c.t)
                elif self.es3:
                    c = Expression('(%s | 1)' % c.s, (lambda c0: lambda e: odd(c0.f(e)))(c), c.t)
            if self.es3 and self.chance(0.5):
                if b == INT:
                    a = Expression('(%s & 0x7fffffff)' % a.s, (lambda a0: lambda e: masked(a0.f(e),
                        2147483647))(a), a.t)
                    c = Expression('(%s & 0xffffff | 1)' % c.s, (lambda c0: lambda e: odd(masked(c0.f(e),
                        16777215)))(c), c.t)

                def md(x, y):
                    if y == 0 or (b == INT and (x < 0 or y < 0)):
                        raise Reject('mod')
                    return x % y
                return Expression('(%s %% %s)' % (a.s, c.s), v2(a, c, md), t)

            def dv(x, y):
                if y == 0 or (x == -(1 << 31) and y == -1):
                    raise Reject('div')
                q = abs(x) // abs(y)
                return q if (x < 0) == (y < 0) else -q
            return Expression('(%s / %s)' % (a.s, c.s), v2(a, c, dv), t)
        if k < 0.72 and b != FLOAT and self.es3:
            op = self.pick(['&', '|', '^', '<<', '>>', '>>'])
            if op in '&|^':
                a, c = (self.expr(lt, d - 1), self.expr(rt, d - 1))
                fn = {'&': lambda x, y: x & y, '|': lambda x, y: x | y, '^': lambda x, y: x ^ y}[op]
                return Expression('(%s %s %s)' % (a.s, op, c.s), v2(a, c, fn), t)
            a = self.expr(t, d - 1)
            cb = self.pick([INT, UINT])
            c = self.expr(Type(cb, self.pick([1, n])), d - 1)
            sfx = 'u' if cb == UINT else ''
            c = Expression('(%s & 31%s)' % (c.s, sfx), (lambda c0: lambda e: masked(c0.f(e), 31))(c), c.t)
            fn = (lambda x, y: x << y) if op == '<<' else lambda x, y: x >> y
            return Expression('(%s %s %s)' % (a.s, op, c.s), v2(a, c, fn), t)
        if b == UINT or (b == INT and (not self.es3)):
            if b == UINT and self.chance(0.5):
                c = self.expr(t, d - 1)
                a = self.expr(t, d - 1)
                mm = self.pick(['min', 'max'])
                return Expression('%s(%s, %s)' % (mm, a.s, c.s), v2(a, c, min if mm == 'min' else max), t)
            return None
        fn = self.pick(['abs', 'sign', 'min', 'max', 'clamp'] + (['floor', 'ceil', 'fract', 'mod', 'step', 'dot',
            'mix', 'trunc', 'round'] if b == FLOAT else ['fbits'] if not self.desk or self.desk[0] == '3' else []))
        if fn in ('trunc', 'round') and (not self.es3):
            fn = 'floor'
        if fn in ('abs', 'sign', 'floor', 'ceil', 'fract', 'trunc', 'round'):
            a = self.expr(t, d - 1)

            def rd(x):
                if x - math.floor(x) == 0.5:
                    raise Reject('round')
                return float(math.floor(x + 0.5))
            pf = {'abs': abs, 'sign': lambda x: (x > 0) - (x < 0), 'floor': lambda x: float(math.floor(x)),
                'ceil': lambda x: float(math.ceil(x)), 'fract': lambda x: x - math.floor(x),
                    'trunc': lambda x: float(int(x)), 'round': rd}[fn]
            return Expression('%s(%s)' % (fn, a.s), v1(a, (lambda x: float(pf(x))) if b == FLOAT else pf), t)
        if fn in ('min', 'max'):
            a, c = (self.expr(t, d - 1), self.expr(self.pick([t, Type(b)]), d - 1))
            return Expression('%s(%s, %s)' % (fn, a.s, c.s), v2(a, c, min if fn == 'min' else max), t)
        if fn == 'clamp':
            lo, hi = sorted([self.r.randint(-9, 9), self.r.randint(-9, 9)])
            a = self.expr(t, d - 1)
            f_ = '%d.0' if b == FLOAT else '%d'
            return Expression('clamp(%s, %s, %s)' % (a.s, f_ % lo, f_ % hi), v1(a, lambda x: min(max(x, lo), hi)), t)
        if fn == 'mod':
            a = self.expr(t, d - 1)
            m = self.pick([2.0, 4.0, 0.5, 8.0, 1.0])
            return Expression('mod(%s, %r)' % (a.s, m), v1(a, lambda x: x - m * math.floor(x / m)), t)
        if fn == 'step':
            a, c = (self.expr(self.pick([t, Type(b)]), d - 1), self.expr(t, d - 1))
            return Expression('step(%s, %s)' % (a.s, c.s), v2(a, c, lambda p, q: 0.0 if q < p else 1.0), t)
        if fn == 'dot' and n == 1:
            m = self.r.randint(2, 4)
            a, c = (self.expr(Type(FLOAT, m), d - 1), self.expr(Type(FLOAT, m), d - 1))
            return Expression('dot(%s, %s)' % (a.s, c.s), lambda e: self.checked(sum((x * y for x,
                y in zip(a.f(e), c.f(e)))), FLOAT), t)
        if fn == 'mix' and self.es3:
            a, c = (self.expr(t, d - 1), self.expr(t, d - 1))
            q = self.expr(Type(BOOL, n), d - 1)

            def f(e):
                u, v, w = (a.f(e), c.f(e), q.f(e))
                return (v if w else u) if n == 1 else [y if z else x for x, y, z in zip(u, v, w)]
            return Expression('mix(%s, %s, %s)' % (a.s, c.s, q.s), f, t)
        if fn == 'fbits' and self.es3:
            a = self.expr(Type(FLOAT, n), d - 1)

            def fb(x):
                if x == 0:
                    raise Reject('zero sign')
                return as_signed(struct.unpack('<I', struct.pack('<f', x))[0])
            return Expression('floatBitsToInt(%s)' % a.s, lambda e: (lambda p: fb(p) if n == 1 else [fb(x)
                for x in p])(a.f(e)), t)
        return None
    names = ['a', 'b', 'c', 'd', 'k', 'v', 'w', 't', 'x', 'y']

    def newname(self):
        used = {v[0] for v in self.scopes[-1]} | self.nohide
        l = [n for n in self.names if n not in used]
        if l and self.chance(0.7):
            return self.pick(l)
        self.uidn += 1
        return 'v%d' % self.uidn
    uidn = 0
    nohide = frozenset()

    def uid(self):
        self.uidn += 1
        return self.uidn

    def declare(self, name, t, write=True):
        u = self.uid()
        self.scopes[-1].append((name, t, write, u))
        return u

    def block(self, n):
        self.scopes.append([])
        l = []
        for _ in range(n):
            l.append(self.stmt())
        self.scopes.pop()
        return sequence(l)

    def decl(self):
        t = self.stype()
        nm = self.newname()
        if t.length and (not self.es3) or (has_array(t) and (not self.es3)):
            if t.rec or not t.length:
                u = self.declare(nm, t, True)
                lines = [t.decl(nm) + ';']
                runs = []
                init = self.fill(nm, u, t)
                return (lines + init[0], lambda e: (e.__setitem__(u, blank(t)), init[1](e)))
            xs = [self.expr(t.elem(), 2) for _ in range(t.length)]
            u = self.declare(nm, t)
            return (['%s;' % t.decl(nm)] + ['%s[%d] = %s;' % (nm, i, x.s) for i, x in enumerate(xs)]
                if len({nm} & set(re.findall('\\w+', ' '.join((x.s for x in xs))))) == 0 else self_reject(),
                    lambda e: e.__setitem__(u, [x.f(e) for x in xs]))
        x = self.anyx(t, 3)
        if not t.rec and (not t.length) and self.chance(0.25):
            x2 = None
            nm2 = self.newname()
            if nm2 != nm:
                u = self.declare(nm, t)
                x2 = self.expr(t, 2)
                u2 = self.declare(nm2, t)
                return (['%s = %s, %s = %s;' % (t.decl(nm), x.s, nm2, x2.s)], lambda e: (e.__setitem__(u, x.f(e)),
                    e.__setitem__(u2, x2.f(e))))
        q = self.chance(0.1)
        u = self.declare(nm, t)
        if t.length and self.es3 and self.chance(0.3):
            return (['%s %s[] = %s;' % (t.name, nm, x.s)], lambda e: e.__setitem__(u, x.f(e)))
        if t.length and self.es3 and self.chance(0.4):
            return (['%s[%d] %s = %s;' % (t.name, t.length, nm, x.s)], lambda e: e.__setitem__(u, x.f(e)))
        return (['%s = %s;' % (t.decl(nm), x.s)], lambda e: e.__setitem__(u, x.f(e)))

    def fill(self, s, u, t):
        nm0 = s
        out = []
        runs = []

        def rec(s, path, t):
            if t.length:
                for i in range(t.length):
                    rec('%s[%d]' % (s, i), path + [i], t.elem())
            elif t.rec:
                for i, (fn, ft) in enumerate(t.rec.fields):
                    rec('%s.%s' % (s, fn), path + [i], ft)
            else:
                sv = self.scopes
                self.scopes = [[v for v in l if v[0] != nm0] for l in sv]
                x = self.lit(t)
                self.scopes = sv
                out.append('%s = %s;' % (s, x.s))

                def r(e):
                    c = e[u]
                    for k in path[:-1]:
                        c = c[k]
                    c[path[-1]] = x.f(e)
                runs.append(r)
        rec(s, [], t)
        return (out, lambda e: [r(e) for r in runs])

    def assign(self):
        for _ in range(6):
            t = self.stype()
            if has_array(t) and (not self.es3):
                continue
            p = self.paths(t, True, 2)
            if not p:
                continue
            ref = self.set(p)
            k = self.r.random()
            num = not t.rec and (not t.length) and (t.base != BOOL)
            if num and k < 0.15 and (not t.cols):
                op, dl = self.pick([('++', 1), ('--', -1)])
                pre = self.chance(0.5)

                def run(e):
                    st, ld = ref(e)
                    v = ld()
                    st(self.checked(v + dl, t.base) if t.n == 1 else [self.checked(x + dl, t.base) for x in v])
                return ([(op + p[0] if pre else p[0] + op) + ';'], run)
            if num and k < 0.3 and (not t.cols):
                op = self.pick(['+=', '-=', '*='] + (['&=', '|=', '^='] if self.es3 and t.base != FLOAT else []))
                x = self.expr(self.pick([t, Type(t.base)]), 2)
                fn = {'+': lambda a, b: a + b, '-': lambda a, b: a - b, '*': lambda a, b: a * b, '&': lambda a,
                    b: a & b, '|': lambda a, b: a | b, '^': lambda a, b: a ^ b}[op[0]]

                def run(e):
                    st, ld = ref(e)
                    q = x.f(e)
                    v = ld()
                    if t.n == 1:
                        st(self.checked(fn(v, q), t.base))
                    else:
                        q = q if isinstance(q, list) else [q] * t.n
                        st([self.checked(fn(a, b), t.base) for a, b in zip(v, q)])
                return (['%s %s %s;' % (p[0], op, x.s)], run)
            x = self.anyx(t, 3)

            def run(e):
                v = x.f(e)
                st, ld = ref(e)
                st(v)
            return (['%s = %s;' % (p[0], x.s)], run)
        return ([';'], lambda e: None)

    def call(self):
        fs = [f for f in self.funcs if f.outs]
        if not fs:
            return self.assign()
        f = self.pick(fs)
        args = []
        roots = set()
        ss = []
        for nm, pt, q in f.params:
            if 'out' in q:
                for _ in range(5):
                    p = self.paths(pt, True, 1)
                    if p and p[1] not in roots:
                        break
                    p = None
                if not p:
                    return self.assign()
                roots.add(p[1])
                args.append(('o', self.set(p), q))
                ss.append(p[0])
            else:
                x = self.expr(pt, 2)
                args.append(('i', x.f, q))
                ss.append(x.s)
        target = None
        if f.ret and self.chance(0.5) and (not (has_array(f.ret) and (not self.es3))):
            p = self.paths(f.ret, True, 0)
            if p and p[1] not in roots and (not p[2]):
                target = p
        tset = self.set(target) if target else None

        def run(e):
            vals = []
            stores = []
            for k, a, q in args:
                if k == 'i':
                    vals.append(a(e))
                else:
                    st, ld = a(e)
                    stores.append(st)
                    vals.append(ld() if 'in' in q else None)
            outs = []
            r = f.call(self, e, vals, outs)
            for st, v in zip(stores, outs):
                st(v)
            if tset:
                st, ld = tset(e)
                st(r)
        return (['%s%s(%s);' % (target[0] + ' = ' if target else '', f.name, ', '.join(ss))], run)

    def cond(self, d=2):
        if self.chance(0.15):
            return self.eff(d)
        return self.expr(Type(BOOL), d)

    def stmt(self):
        self.budget -= 1
        k = self.r.random()
        if self.budget < 0:
            k = 0.3 + 0.2 * k
        if k < 0.25:
            return self.decl()
        if k < 0.42:
            return self.assign()
        if k < 0.5:
            return self.call()
        if k < 0.56:
            b = self.block(self.r.randint(1, 3))
            return (['{'] + b[0] + ['}'], b[1])
        if k < 0.7:
            return self.iff()
        if k < 0.84:
            return self.loops()
        if k < 0.9 and self.es3:
            return self.switch()
        if k < 0.96:
            return self.jump()
        return self.note()

    def note(self):
        x = self.expr(Type(INT), 2)

        def run(e):
            e['acc'] = self.fold(e['acc'], x.f(e))
        return (['acc = fold(acc, %s);' % x.s], run)

    def fold(self, a, b):
        if self.es3:
            return as_signed(a * 31 + b)
        if abs(b) > 1 << 20:
            raise Reject('fold')
        r = a * 5 + b + 64
        return r - int(r / 251) * 251

    def iff(self):
        c = self.cond(3)
        a = self.block(self.r.randint(1, 3))
        if self.chance(0.5):
            if self.chance(0.3):
                b = self.iff()
                bl = b[0]
                return (['if (%s) {' % c.s] + a[0] + ['} else ' + bl[0]] + bl[1:], lambda e: a[1](e) if c.f(e)
                    else b[1](e))
            b = self.block(self.r.randint(1, 2))
            return (['if (%s) {' % c.s] + a[0] + ['} else {'] + b[0] + ['}'], lambda e: a[1](e) if c.f(e)
                else b[1](e))
        return (['if (%s) {' % c.s] + a[0] + ['}'], lambda e: a[1](e) if c.f(e) else None)

    def jump(self):
        ks = []
        if self.loop:
            ks += ['break', 'continue', 'break', 'continue']
        elif self.sw:
            ks += ['break']
        if self.ret is not None:
            ks += ['return']
        if not ks:
            return self.note()
        k = self.pick(ks)
        c = self.cond(2)
        if k == 'return':
            if self.ret == 'void':

                def run(e):
                    if c.f(e):
                        raise Return(None)
                return (['if (%s) return;' % c.s], run)
            x = self.expr(self.ret, 2)

            def run(e):
                if c.f(e):
                    raise Return(x.f(e))
            return (['if (%s) return %s;' % (c.s, x.s)], run)
        leave = Break if k == 'break' else Continue
        if self.chance(0.25):
            pre = self.block(self.r.randint(1, 2))

            def run(e):
                if c.f(e):
                    pre[1](e)
                    raise leave()
            return (['if (%s) {' % c.s] + pre[0] + [k + ';', '}'], run)

        def run(e):
            if c.f(e):
                raise leave()
        return (['if (%s) %s;' % (c.s, k)], run)

    # Its counter is written by nothing else, and every bound is at most 4.
    def loops(self):
        if self.loop > 2 or self.trip > 12:
            return self.iff()
        trips = self.r.randint(1, 4)
        old = (self.loop, self.sw, self.trip)
        kind = self.pick(['for', 'for', 'while', 'do', 'forever', 'forc'])
        bound = self.pick(['const', 'uniform', 'lane', 'expr'])
        self.scopes.append([])
        nm = None
        self.uidn += 1
        nm = 'i%d' % self.uidn
        u = self.declare(nm, Type(INT), False)
        if bound == 'const':
            b = Expression(str(trips), lambda e: trips, Type(INT))
        elif bound == 'uniform':
            b = Expression('u_n', lambda e: e['u_n'], Type(INT))
        elif bound == 'lane':
            b = Expression('at(L, 4)', lambda e: at(e['L'], 4), Type(INT))
        else:
            x = self.expr(Type(INT), 1)
            b = Expression('at(%s, 4)' % x.s, lambda e: at(x.f(e), 4), Type(INT))
        extra = self.cond(1) if self.chance(0.25) else None
        self.loop += 1
        self.sw = 0
        self.trip *= 4
        body = self.block(self.r.randint(1, 4))
        self.loop, self.sw, self.trip = old
        self.scopes.pop()
        bs = b.s

        def test(e):
            return e[u] < b.f(e) and (extra is None or extra.f(e))
        ts = '%s < %s%s' % (nm, bs, ' && ' + extra.s if extra else '')

        def inc(e):
            e[u] += 1
            self.tick()

        def once(e):
            try:
                body[1](e)
            except Continue:
                pass
        if kind == 'for' or kind == 'forc':

            def run(e):
                e[u] = 0
                try:
                    while test(e):
                        once(e)
                        inc(e)
                except Break:
                    pass
            if kind == 'forc':
                return (['{', 'int %s = 0;' % nm, 'for (; %s; %s) {' % (ts, self.pick(['%s++', '%s += 1',
                    '++%s']) % nm)] + body[0] + ['}', '}'], run)
            return (['for (int %s = 0; %s; %s) {' % (nm, ts, self.pick(['%s++', '++%s', '%s += 1',
                '%s = %s + 1'.replace('%s = %s', '%s = ' + nm)]) % nm)] + body[0] + ['}'], run)
        if kind == 'while':

            def run(e):
                e[u] = 0
                try:
                    while test(e):
                        inc(e)
                        once(e)
                except Break:
                    pass
            return (['{', 'int %s = 0;' % nm, 'while (%s) {' % ts, nm + '++;'] + body[0] + ['}', '}'], run)
        if kind == 'do':

            def run(e):
                e[u] = 0
                try:
                    while True:
                        inc(e)
                        once(e)
                        if not test(e):
                            break
                except Break:
                    pass
            return (['{', 'int %s = 0;' % nm, 'do {', nm + '++;'] + body[0] + ['} while (%s);' % ts, '}'], run)

        def run(e):
            e[u] = 0
            try:
                while True:
                    inc(e)
                    if not test(e):
                        break
                    once(e)
            except Break:
                pass
        return (['{', 'int %s = 0;' % nm, self.pick(['for (;;) {', 'while (true) {']), nm + '++;',
            'if (!(%s)) break;' % ts] + body[0] + ['}', '}'], run)

    def tick(self):
        self.steps += 1
        if self.steps > 6000:
            raise Reject('steps')

    # Cases in any order, with or without an end, the default anywhere.
    def switch(self):
        uns = self.chance(0.3)
        b0 = UINT if uns else INT
        x = self.expr(Type(b0), 2)
        on = Expression('(%s) & %s' % (x.s, '3u' if uns else '3'), lambda e: x.f(e) & 3,
            Type(b0)) if self.chance(0.8) else x
        n = self.r.randint(1, 5)
        vals = self.r.sample([0, 1, 2, 3, 7], n) if n <= 5 else []
        dflt = self.r.randrange(n + 2)
        self.scopes.append([])
        old = self.sw
        self.sw += 1
        lines = ['switch (%s) {' % on.s]
        entries = []
        stmts = []
        for i, v in enumerate(vals):
            if i == dflt:
                lines.append('default:')
                entries.append((None, len(stmts)))
            lines.append('case %d%s:' % (v, 'u' if uns else ''))
            entries.append((v, len(stmts)))
            if self.chance(0.2) and i + 1 < n:
                continue
            for _ in range(self.r.randint(1, 2)):
                b = self.block(self.r.randint(1, 2))
                lines += ['{'] + b[0] + ['}']
                stmts.append(b[1])
            j = self.r.random()
            if j < 0.5:
                lines.append('break;')
                stmts.append(None)
            elif j < 0.6:
                s = self.jump()
                lines += s[0]
                stmts.append(s[1])
        if dflt == n:
            lines.append('default:')
            entries.append((None, len(stmts)))
            b = self.block(1)
            lines += ['{'] + b[0] + ['}']
            stmts.append(b[1])
        elif lines[-1].startswith(('case', 'default')):
            lines.append('break;')
            stmts.append(None)
        self.sw = old
        self.scopes.pop()

        def run(e):
            v = on.f(e)
            start = None
            for c, k in entries:
                if c == v:
                    start = k
            if start is None:
                for c, k in entries:
                    if c is None:
                        start = k
            if start is None:
                return
            try:
                for s in stmts[start:]:
                    if s is None:
                        raise Break()
                    s(e)
            except Break:
                pass
        return (lines + ['}'], run)

    # With out parameters it is a statement of its own, which writes different variables; without, part of expressions.
    def function(self):
        f = Function()
        f.name = self.pick(['f', 'f', 'g', 'h'])
        f.params = []
        f.outs = False
        for i in range(self.r.randint(0, 4)):
            pt = self.stype()
            q = self.pick(['', '', 'in', 'out', 'inout', 'const in' if self.es3 else 'const', 'inout'])
            if 'out' in q:
                f.outs = True
            f.params.append((self.pick(['p', 'q', 'a', 'x']) + str(i), pt, q))
        key = (f.name, tuple((pt.key() for _, pt, _ in f.params)))
        if key in self.sigs:
            return None
        f.ret = self.stype() if self.chance(0.8) else None
        if f.ret and has_array(f.ret) and (not self.es3):
            f.ret = Type(INT)
        self.sigs.add(key)
        gs = self.scopes
        self.scopes = [gs[0], []]
        f.u = []
        for nm, pt, q in f.params:
            f.u.append(self.declare(nm, pt, 'const' not in q))
        pre = []
        prer = []
        for (nm, pt, q), u in zip(f.params, f.u):
            if q == 'out':
                a = self.fill(nm, u, pt) if pt.length or pt.rec else None
                if a is None:
                    x = self.lit(pt)
                    pre.append('%s = %s;' % (nm, x.s))
                    prer.append(lambda e, u=u, x=x: e.__setitem__(u, x.f(e)))
                else:
                    pre += a[0]
                    prer.append(lambda e, u=u, pt=pt, a=a: (e.__setitem__(u, blank(pt)), a[1](e)))
        oldt = (self.loop, self.sw, self.trip, self.ret)
        self.loop = self.sw = 0
        self.trip = 2
        self.ret = f.ret or 'void'
        self.budget = self.r.randint(1, 6)
        ef = self.effects
        self.effects = False
        if f:
            self.effects = f.outs and ef
            savecond = self.cond
            if not f.outs:
                self.cond = lambda d=2: self.expr(Type(BOOL), d)
            note = self.note
            self.note = self.assign
            body = []
            if self.chance(0.5):
                self.scopes.append([])
            for _ in range(self.r.randint(1, 4)):
                body.append(self.stmt())
            body = sequence(body)
            last = self.expr(f.ret, 2) if f.ret else None
            self.cond = savecond
            self.note = note
        self.effects = ef
        self.loop, self.sw, self.trip, self.ret = oldt
        self.scopes = gs
        head = '%s %s(%s)' % (f.ret.name + ('[%d]' % f.ret.length if f.ret.length else '') if f.ret else 'void',
            f.name, ', '.join(((q + ' ' if q else '') + pt.decl(nm) for nm, pt, q in f.params)) or self.pick(['',
                'void']))
        f.lines = [head + ' {'] + pre + body[0] + (['return %s;' % last.s] if last else []) + ['}']
        if self.chance(0.2):
            f.lines = [head + ';'] + f.lines

        def call(g_, e, vals, outs=None):
            g_.tick()
            saved = {k: e.get(k) for k in f.u}
            for u, v in zip(f.u, vals):
                e[u] = copy(v)
            for r in prer:
                r(e)
            r = None
            try:
                body[1](e)
                r = last.f(e) if last else None
            except Return as x:
                r = x.v
            if outs is not None:
                for (nm, pt, q), u in zip(f.params, f.u):
                    if 'out' in q:
                        outs.append(copy(e[u]))
            return r
        f.call = call
        return f

    def program(self):
        self.sigs = set()
        out = []
        self.globs = []
        for nm in ['u_n', 'u_i', 'L']:
            self.scopes[0].append((nm, Type(INT), False, nm))
        self.scopes[0].append(('u_v', Type(INT, 3), False, 'u_v'))
        self.scopes[0].append(('u_f', Type(FLOAT, 4), False, 'u_f'))
        self.scopes[0].append(('u_b', Type(BOOL), False, 'u_b'))
        self.scopes[0].append(('u_a', Type(FLOAT, 2, 0, 3), False, 'u_a'))
        if self.es3:
            self.scopes[0].append(('u_u', Type(UINT, 2), False, 'u_u'))
        for i in range(self.r.randint(0, 3)):
            fields = []
            for k in range(self.r.randint(1, 4)):
                fields.append((self.pick(['a', 'b', 'c', 'x', 'm']) + str(k), self.stype(bool(self.recs))))
            r = Record('R%d' % i, fields)
            self.recs.append(r)
            out.append('struct %s { %s };' % (r.name, ' '.join((t.decl(n) + ';' for n, t in fields))))
        init = []
        for i in range(self.r.randint(0, 3)):
            t = self.stype()
            if has_array(t) and (not self.es3):
                continue
            nm = 'g%d' % i
            u = self.declare(nm, t)
            out.append(t.decl(nm) + ';')
            x = self.lit(t)
            init.append(('%s = %s;' % (nm, x.s), lambda e, u=u, x=x: e.__setitem__(u, x.f(e))))
        for i in range(self.r.randint(0, 2)):
            t = self.stype()
            if has_array(t) and (not self.es3):
                continue
            nm = 'K%d' % i
            sv = self.scopes
            self.scopes = [[v for v in sv[0] if str(v[0]).startswith('K')]]
            x = self.lit(t)
            self.scopes = sv
            u = self.declare(nm, t, False)
            out.append('const %s = %s;' % (t.decl(nm), x.s))
            init.append(('', lambda e, u=u, x=x: e.__setitem__(u, x.f(e))))
        globals_w = self.scopes[0]
        for _ in range(self.r.randint(0, 5)):
            sv = self.scopes[0]
            self.scopes[0] = [(a, b, False, u) for a, b, w, u in sv]
            f = self.function()
            self.scopes[0] = sv
            if f:
                self.funcs.append(f)
                out += f.lines
        self.ret = Type(INT)
        self.budget = self.r.randint(4, 16)
        self.scopes.append([])
        body = []
        for nm, t, tx, fn in [('ia', Type(INT), 'L', lambda e: e['L']), ('ib', Type(INT), 'L * 7 - u_n',
            lambda e: e['L'] * 7 - e['u_n']), ('fa', Type(FLOAT), 'float(L) * 0.5 - 2.0',
                lambda e: e['L'] * 0.5 - 2), ('iv', Type(INT, 4), 'ivec4(L, u_n, L - 7, L * L)',
                    lambda e: [e['L'], e['u_n'], e['L'] - 7, e['L'] ** 2]), ('ba', Type(BOOL), 'L / 2 * 2 == L',
                        lambda e: e['L'] % 2 == 0), ('fv', Type(FLOAT, 3), 'vec3(L, 3 - L, u_n)',
                            lambda e: [float(e['L']), 3.0 - e['L'], float(e['u_n'])])] + ([('ua', Type(UINT),
                                'uint(L) * 0x9e3779b9u', lambda e: e['L'] * 2654435769 & WORD)] if self.es3 else []):
            if self.chance(0.25):
                continue
            u = self.declare(nm, t)
            body.append((['%s = %s;' % (t.decl(nm), tx)], lambda e, u=u, fn=fn: e.__setitem__(u, fn(e))))
        for nm, t in [('ra', Type(INT).arr(3)), ('rf', Type(FLOAT, 2).arr(4)), ('rm', Type(FLOAT, 3, 3))]:
            if self.chance(0.5):
                continue
            u = self.declare(nm, t)
            if t.cols:
                body.append((['mat3 rm = mat3(L, 1, 2, 3, L, 4, 5, 6, -L);'], lambda e, u=u: e.__setitem__(u,
                    [[float(e['L']), 1.0, 2.0], [3.0, float(e['L']), 4.0], [5.0, 6.0, -float(e['L'])]])))
                continue
            for_ = 'for (int i = 0; i < %d; i++) %s[i] = %s;' % (t.length, nm, 'L + i' if t.n == 1
                else 'vec2(L - i, i)')
            body.append((['%s;' % t.decl(nm), for_], lambda e, u=u, t=t: e.__setitem__(u, [e['L'] + i if t.n == 1
                else [float(e['L'] - i), float(i)] for i in range(t.length)])))
        body += [self.stmt() for _ in range(self.r.randint(3, 8))]
        fin = []
        for v in self.vars():
            if v[3] in ('u_n', 'u_i', 'L', 'u_v', 'u_f', 'u_b', 'u_u', 'u_a') or str(v[0]).startswith('K'):
                continue
            fin += [self.note_path(v)] * 1
        body = sequence(body + fin)
        out += ['int run() {', 'int acc = 1;'] + [a for a, _ in init
            if a] + body[0] + ['return fold(fold(acc, G), 0);', '}']
        ui = {'u_n': self.r.randint(0, 4), 'u_i': self.pick([2147483647, -2147483648, -1, 7, 12345678])
            if self.es3 and self.chance(0.4) else self.r.randint(-9, 20), 'u_v': [self.r.randint(-9, 20)
                for _ in range(3)], 'u_f': [self.r.randint(-8, 8) / 2 for _ in range(4)], 'u_b': self.chance(0.5),
                    'u_a': [[self.r.randint(-8, 8) / 2 for _ in range(2)] for _ in range(3)],
                        'u_u': [self.r.getrandbits(32) if self.chance(0.4) else self.r.randint(0, 40)
                            for _ in range(2)]}
        want = []
        for lane in range(16):
            e = dict(ui)
            e = {k: copy(v) for k, v in e.items()}
            e['L'] = lane
            e['G'] = 0
            e['acc'] = 1
            self.steps = 0
            for _, r in init:
                r(e)
            try:
                body[1](e)
                v = self.fold(self.fold(e['acc'], e['G']), 0)
            except Return as x:
                v = x.v
            want.append(v)
        return (out, want, ui)

    def note_path(self, v):
        x = None
        t = v[1]
        p = None
        for _ in range(8):
            w = Type(self.sbase())
            p = self.path_from(v, w, False, 0)
            if p:
                break
        if not p:
            return ([], lambda e: None)
        q = self.get(p)
        b = p[3].base

        def f(e):
            val = q.f(e)
            if b == FLOAT:
                val = int(val * 4)
            if b == UINT:
                val = as_signed(val)
            e['acc'] = self.fold(e['acc'], int(val))
        s = q.s if b == INT else 'int(%s * 4.0)' % q.s if b == FLOAT else 'int(%s)' % q.s
        return (['acc = fold(acc, %s);' % s], f)


class Function:
    pass


def self_reject():
    raise Reject('hide')


def blank(t):
    if t.length:
        return [blank(t.elem()) for _ in range(t.length)]
    if t.rec:
        return [blank(ft) for _, ft in t.rec.fields]
    if t.cols:
        return [[None] * t.n for _ in range(t.cols)]
    return [None] * t.n if t.n > 1 else None


def at(x, n):
    q = abs(x) // n
    r = abs(x) - q * n
    return (n - r) % n if x < 0 else r


def odd(v):
    return [x | 1 for x in v] if isinstance(v, list) else v | 1


def masked(v, m):
    return [x & m for x in v] if isinstance(v, list) else v & m


def in_brackets(s):
    return s if re.fullmatch('[\\w.]+|\\(.*\\)|\\w+\\(.*\\)', s) and (not falls_apart(s)) else '(%s)' % s


def falls_apart(s):
    d = 0
    for i, c in enumerate(s):
        d += c in '(['
        d -= c in ')]'
        if d == 0 and c == ')' and (i < len(s) - 1):
            return True
    return False


def flattened(v):
    o = []
    for x in v:
        if isinstance(x, list):
            o += flattened(x)
        else:
            o.append(x)
    return o


def sequence(l):
    lines = [x for s in l for x in s[0]]
    runs = [s[1] for s in l]

    def run(e):
        for r in runs:
            r(e)
    return (lines, run)


# Comments and line ends where a space was.
def noise(r, lines):
    out = []
    for l in lines:
        if l.startswith('#'):
            out.append(l)
            continue
        toks = re.findall('\\s+|[\\w.]+|.', l)
        s = ''
        for t in toks:
            s += t
            if t == ' ' and r.random() < 0.04:
                s += r.choice(['/* x */', '// "#\n', '\\\n', '\n', '\t', '/**//***/', '/* \n#error */'])
        out.append(s)
    return out


def case(seed):
    for k in range(60):
        g = Gen(seed * 1000 + k)
        try:
            lines, want, ui = g.program()
        except (Reject, RecursionError, TypeError) as x:
            if isinstance(x, TypeError) and 'NoneType' not in str(x):
                raise
            continue
        if g.r.random() < 0.25:
            lines = noise(g.r, lines)
        es3 = g.es3
        pre = ['#define M_ADD(a, b) ((a) + (b))', '#define M_SUB(a, b) \\', '  ((a) - \\', '(b))',
            '#define M_ID(x) x', '#define M_MUL(a,b) M_ID((M_ID((a)) * (b)))', 'uniform highp int u_n, u_i;',
                'uniform highp ivec3 u_v;', 'uniform highp vec4 u_f;', 'uniform bool u_b;',
                    'uniform highp vec2 u_a[3];'] + (['uniform highp uvec2 u_u;'] if es3
                        else []) + ['uniform highp int want[16];', 'int L, G;',
                            'int at(int x, int n) { int r = x - x / n * n; return r < 0 ? r + n : r; }',
                                'int fold(int a, int b) { return a * 31 + b; }' if es3
                                    else 'int fold(int a, int b) { int r = a * 5 + b + 64; return r - r / 251 * 251; }', 'bool eff(int x) { G = G * 3 + (x >= 0 ? x - x / 8 * 8 : 1); G = G - G / 251 * 251; return G - G / 2 * 2 == 1; }']
        ver = '#version %s\n' % g.desk if g.desk else '#version 300 es\n' if es3 else ''
        inv, outv, fin = ('in', 'out', 'in') if es3 else ('attribute', 'varying', 'varying')
        vcode = g.chance(0.5)
        head = 'precision highp float;\nprecision highp int;\n'
        vs = ver + head + '%s vec4 vPosition; %s vec2 texCoord0; %s vec2 uv; %s float good;\n' % (inv, inv, outv,
            outv)
        fs = ver + head + '%s vec2 uv; %s float good;\n' % (fin, fin) + ('out vec4 color;\n' if es3 else '')
        if vcode:
            vs += '\n'.join(pre + lines) + '\n'
        else:
            fs += '\n'.join(pre + lines) + '\n'
        vs += 'void main() { uv = texCoord0; gl_Position = vPosition; good = 1.0;\n'
        if vcode:
            vs += 'L = (vPosition.x > 0.0 ? 1 : 0) + (vPosition.y > 0.0 ? 2 : 0); G = 0; good = run() == want[L] ? 1.0 : 0.0;\n'
        vs += '}\n'
        fs += 'void main() { bool ok = good > 0.999;\n'
        if not vcode:
            fs += 'L = int(floor(uv.x * 4.0)) + 4 * int(floor(uv.y * 4.0)); G = 0; ok = ok && run() == want[L];\n'
        fs += '%s = ok ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);\n}\n' % ('color' if es3 else 'gl_FragColor')
        u = [{'name': 'u_n', 'value': ui['u_n']}, {'name': 'u_i', 'value': ui['u_i']}, {'name': 'u_v',
            'value': ui['u_v']}, {'name': 'u_f', 'value': ui['u_f']}, {'name': 'u_b', 'value': int(ui['u_b'])},
                {'name': 'u_a[0]', 'value': flattened(ui['u_a'])}, {'name': 'want[0]', 'value': want}]
        if es3:
            u.append({'name': 'u_u', 'value': ui['u_u']})
        return {'name': 'checked%d' % seed, 'vertex': vs, 'fragment': fs, 'vs_ok': True, 'fs_ok': True,
            'link_ok': True, 'render': True, 'uniforms': u, 'essl3': es3}
    return None

def draw(case):
    """The command: cases by their seeds, printed or drawn. What the process ends with."""
    parser = argparse.ArgumentParser()
    parser.add_argument('--first', type=int, default=0)
    parser.add_argument('--count', type=int, default=100)
    parser.add_argument('--runner')
    options, levels = parser.parse_known_args()
    cases = [c for c in map(case, range(options.first, options.first + options.count)) if c]
    text = ''.join(json.dumps(c) + '\n' for c in cases)
    if not options.runner:
        sys.stdout.write(text)
        return 0
    failed = False
    with tempfile.NamedTemporaryFile('w', suffix='.jsonl') as file:
        file.write(text)
        file.flush()
        for level in levels or ['-O2']:
            run = subprocess.run([options.runner, file.name, level, '--failures'], capture_output=True, text=True)
            print(level, run.stdout + run.stderr, end='')
            # what a loop has to keep in any order no compiler could place
            faults = [x for x in run.stdout.splitlines() if x.startswith('fail ') and 'has to keep' not in x]
            failed |= bool(faults) or run.returncode not in (0, 2) or ' passed, ' not in run.stdout
    return failed or not cases


if __name__ == '__main__':
    sys.exit(draw(case))
