#!/usr/bin/env python3
"""Random programs that are control flow and little else, and check themselves as those of checked.py do.

    paths.py [--first SEED] [--count N] [--runner QPUCC-CONFORMANCE] [LEVEL ...]

Loops of all kinds in each other, with their exits, continues and returns anywhere: in front, at the end, as all that a body
is, under conditions that differ between lanes or do not, behind each other; conditionals with empty arms; switches that fall
through; functions that return from loops and are called in loops, where they change what their caller gave them. What is looked
up, in an array by a run-time index and in a texture, asks for something defined in lanes that are elsewhere; so does what was
stored by such an index. In every third program loops and conditionals ask for a form, which changes nothing. Each program is small,
so that most of it is the shape of its graph.

A statement is a tuple whose first word says what it is. `text` writes it down, Machine executes it. A program is a list of
functions, each a block of statements, that may call those in front of them; the last one is run."""
import random
import re
import sys

import checked

LANES = 16
STEPS = 3000
U = 2  # the uniform
TEXEL = 10  # all of the texture
TABLE = [7 * k * k & 255 for k in range(16)]


class Stop(Exception):
    pass


class Maker:
    """A program by its seed. `depth` counts conditionals and loops, `loops` loops."""

    def __init__(self, r):
        self.r = r
        self.counters = 0
        self.functions = []
        self.left = 0
        self.stores = r.random() < 0.3

    def chance(self, p):
        return self.r.random() < p

    def value(self):
        return self.r.choice(['a', 'b', 'c', 'L', 'L', 'u', str(self.r.randint(0, 9))])

    def expression(self):
        op = self.r.choice(['+', '-', '*', '+', '^', '&'])
        return '(%s %s %s)' % (self.value(), op, self.value())

    def condition(self):
        mask = self.r.choice([1, 3, 3, 7])
        value = self.r.choice(['L', 'L', 'u', 'a', self.expression()])
        return '(%s & %d) %s %d' % (value, mask, self.r.choice(['<', '==', '!=', '>=']), self.r.randint(0, mask))

    def assignment(self):
        if self.chance(0.15):
            return ('look', self.r.choice('abc'), self.expression())
        if self.functions and self.chance(0.3):
            target, changed = self.r.sample('abc', 2)
            return ('call', target, self.r.randrange(len(self.functions)), self.value(), self.expression(), changed)
        if self.stores and self.chance(0.4):
            return self.r.choice([('put', self.value(), self.expression()), ('get', self.r.choice('abc'), self.value())])
        return ('set', self.r.choice('abc'), self.expression())

    def jump(self, loops, switches):
        kinds = (['break'] * 3 if loops or switches else []) + (['continue'] * 2 if loops else []) + ['return']
        kind = self.r.choice(kinds)
        return (kind, self.expression()) if kind == 'return' else (kind,)

    def loop(self, depth, loops):
        kind = self.r.choice(['while', 'for', 'do', 'ever', 'ever'])
        counter = 'i%d' % self.counters
        self.counters += 1
        bound = self.r.choice(['3', '(L & 3)', '(u & 3)', '(a & 3)', '(L & 1)', '((L + b) & 3)'])
        body = self.block(depth + 1, loops + 1, False)
        count = ('count', counter)
        leave = ('if', '%s >= %s' % (counter, bound), [('break',)], None)
        if kind in ('ever', 'while'):  # what counts is in front, the test behind it or behind another statement
            body = [count, leave] + body if self.chance(0.7) else [count] + body[:1] + [leave] + body[1:]
            if any(s[0] == 'continue' for s in body[:2]):
                body = [count, leave]
        return ('loop', kind, counter, bound, body)

    def statement(self, depth, loops, switches):
        self.left -= 1
        p = self.r.random()
        if depth > 4 or self.left < 0 or p < 0.3:
            return self.assignment()
        if p < 0.55:
            return self.loop(depth, loops)
        if p < 0.68:
            return ('if', self.condition(), [self.jump(loops, switches)], None)
        if p < 0.9:
            arms = [self.block(depth + 1, loops, switches), self.block(depth + 1, loops, switches)]
            empty = self.r.randint(0, 5)
            return ('if', self.condition(), [] if empty == 0 else arms[0], None if empty > 2 else arms[1])
        cases = [(k, self.block(depth + 1, loops, True) + ([('break',)] if self.chance(0.6) else []))
                 for k in self.r.sample([0, 1, 2, 3, None], self.r.randint(1, 4))]
        return ('switch', '%s & 3' % self.value(), cases)

    def block(self, depth, loops, switches):
        made = [self.statement(depth, loops, switches) for k in range(self.r.choice([0, 1, 1, 1, 2, 2, 3]))]
        return made + ([self.jump(loops, switches)] if depth > 1 and self.chance(0.08) else [])

    def program(self):
        for k in range(self.r.choice([0, 0, 1, 2])):
            self.left = self.r.randint(2, 8)
            self.functions.append(self.block(0, 0, False) + [self.assignment()])
        self.left = self.r.randint(6, 26)
        return self.functions + [self.block(0, 0, False) + [self.loop(1, 0), self.assignment()]]


def text(block, indent=1):
    lines = []
    at = '    ' * indent
    for s in block:
        if s[0] == 'set':
            lines.append('%s%s = %s & 1023;' % (at, s[1], s[2]))
        elif s[0] == 'look':
            lines.append('%s%s = LOOK(%s);' % (at, s[1], s[2]))
        elif s[0] == 'call':
            lines.append('%s%s = f%d(%s, %s & 1023, %s);' % ((at,) + s[1:]))
        elif s[0] == 'put':
            lines.append('%sm[%s & 3] = %s & 1023;' % (at, s[1], s[2]))
        elif s[0] == 'get':
            lines.append('%s%s = m[%s & 3];' % (at, s[1], s[2]))
        elif s[0] == 'count':
            lines.append('%s%s++;' % (at, s[1]))
        elif s[0] == 'return':
            lines.append('%sreturn %s & 1023;' % (at, s[1]))
        elif s[0] in ('break', 'continue'):
            lines.append('%s%s;' % (at, s[0]))
        elif s[0] == 'if':
            lines += ['%sif (%s) {' % (at, s[1])] + text(s[2], indent + 1)
            lines += ['%s} else {' % at] + text(s[3], indent + 1) if s[3] is not None else []
            lines.append(at + '}')
        elif s[0] == 'switch':
            lines.append('%sswitch (%s) {' % (at, s[1]))
            for label, body in s[2]:
                lines.append('%s%s:' % (at, 'default' if label is None else 'case %d' % label))
                lines += text(body, indent + 1) + ['    ' * (indent + 1) + ';']
            lines.append(at + '}')
        else:
            kind, counter, bound, body = s[1:]
            test = '%s < %s' % (counter, bound)
            head = {'while': 'while (true)', 'ever': 'for (;;)', 'do': 'do',
                    'for': 'for (; %s; %s++)' % (test, counter)}[kind]
            lines += ['%sint %s = 0;' % (at, counter), '%s%s {' % (at, head)] + text(body, indent + 1)
            lines.append('%s}%s' % (at, ' while (++%s < %s);' % (counter, bound) if kind == 'do' else ''))
    return lines


def function(number, block):
    m = ' int m[4]; m[0] = 3; m[1] = L; m[2] = a; m[3] = 0;' if "'put'" in repr(block) or "'get'" in repr(block) else ''
    return ['int f%d(int L, int a, inout int b) {' % number, '    int c = 0;' + m] + text(block) + [
        '    return (a * 5 + b * 3 + c) & 1023;', '}']


class Machine:
    """What the program does with one L."""

    def __init__(self, program):
        self.program = program
        self.v = {}
        self.steps = 0

    def call(self, number, lane, a, b):
        """What it returns, and what it leaves in b."""
        kept, self.v = self.v, {'a': a, 'b': b, 'c': 0, 'L': lane, 'u': U, 'm': [3, lane, a, 0]}
        try:
            self.run(self.program[number])
            returned = (self.v['a'] * 5 + self.v['b'] * 3 + self.v['c']) & 1023
        except checked.Return as r:
            returned = r.v
        b, self.v = self.v['b'], kept
        return returned, b

    def compute(self, expression):
        return eval(expression, {'__builtins__': {}}, self.v)

    def run(self, block):
        for s in block:
            self.steps += 1
            if self.steps > STEPS:
                raise Stop
            if s[0] == 'set':
                self.v[s[1]] = self.compute(s[2]) & 1023
            elif s[0] == 'look':
                self.v[s[1]] = TABLE[self.compute(s[2]) & 15] + TEXEL
            elif s[0] == 'call':
                target, number, lane, a, b = s[1:]
                self.v[target], self.v[b] = self.call(number, self.compute(lane), self.compute(a) & 1023, self.v[b])
            elif s[0] == 'put':
                self.v['m'][self.compute(s[1]) & 3] = self.compute(s[2]) & 1023
            elif s[0] == 'get':
                self.v[s[1]] = self.v['m'][self.compute(s[2]) & 3]
            elif s[0] == 'count':
                self.v[s[1]] += 1
            elif s[0] == 'return':
                raise checked.Return(self.compute(s[1]) & 1023)
            elif s[0] == 'break':
                raise checked.Break
            elif s[0] == 'continue':
                raise checked.Continue
            elif s[0] == 'if':
                self.run(s[2] if self.compute(s[1]) else s[3] or [])
            elif s[0] == 'switch':
                self.switch(self.compute(s[1]), s[2])
            else:
                self.loop(*s[1:])

    def switch(self, value, cases):
        labels = [label for label, body in cases]
        if value not in labels and None not in labels:
            return
        try:
            for label, body in cases[labels.index(value if value in labels else None):]:
                self.run(body)
        except checked.Break:
            pass

    def loop(self, kind, counter, bound, body):
        self.v[counter] = 0
        try:
            while kind != 'for' or self.v[counter] < self.compute(bound):
                self.steps += 1
                if self.steps > STEPS:
                    raise Stop
                try:
                    self.run(body)
                except checked.Continue:
                    pass
                self.v[counter] += kind in ('for', 'do')
                if kind == 'do' and self.v[counter] >= self.compute(bound):
                    break
        except checked.Break:
            pass


def outcome(program, lane):
    return Machine(program).call(len(program) - 1, lane, 1, lane)[0]


def with_hints(lines, r):
    """Half of the loops and selections ask for a form, which changes nothing that they compute."""
    out = []
    for line in lines:
        word = re.match(r' *(if|switch|for|while|do)\b', line)
        choices = ['flatten', 'branch'] if word and word[1] in ('if', 'switch') else ['unroll', 'loop']
        hint = '[[%s]] ' % r.choice(choices) if word and r.random() < 0.5 else ''
        out.append(line[:word.start(1)] + hint + line[word.start(1):] if word else line)
    return out


SHADER = '''#version 300 es
%sprecision highp float;
precision highp int;
uniform highp int u, want[16], table[16];
%s
%s
int run(int L) {
    int b = L;
    return f%d(L, 1, b);
}
'''


def case(seed):
    """The case of a seed; None: no program of this seed ends."""
    r = random.Random(seed)
    for attempt in range(100):
        program = Maker(r).program()
        try:
            want = [outcome(program, lane) for lane in range(LANES)]
        except Stop:
            continue
        in_vertex = r.random() < 0.3
        look = '#define LOOK(i) (table[(i) & 15] + %d)' % TEXEL if in_vertex else '''uniform sampler2D tex;
#define LOOK(i) (table[(i) & 15] + int(texture(tex, vec2(i, c)).x * 255.0 + 0.5))'''
        functions = sum((function(k, block) for k, block in enumerate(program)), [])
        hints = seed % 3 == 0
        if hints:
            functions = with_hints(functions, random.Random(-seed))
        shader = SHADER % ('#extension GL_EXT_control_flow_attributes : enable\n' if hints else '', look, '\n'.join(functions), len(program) - 1)
        vertex, fragment = ('', shader) if not in_vertex else (shader, '')
        vertex = (vertex or '#version 300 es\n') + '''in vec4 vPosition; in vec2 texCoord0; out vec2 uv; out float good;
void main() {
    uv = texCoord0; gl_Position = vPosition; good = 1.0;
''' + ('''    int L = (vPosition.x > 0.0 ? 1 : 0) + (vPosition.y > 0.0 ? 2 : 0);
    good = run(L) == want[L] ? 1.0 : 0.0;
''' if in_vertex else '') + '}\n'
        fragment = (fragment or '#version 300 es\nprecision highp float;\n') + '''in vec2 uv; in float good;
out vec4 color;
void main() {
    bool ok = good > 0.999;
''' + ('''    int L = int(floor(uv.x * 4.0)) + 4 * int(floor(uv.y * 4.0));
    ok = ok && run(L) == want[L];
''' if not in_vertex else '') + '    color = ok ? vec4(0, 1, 0, 1) : vec4(1, 0, 0, 1);\n}\n'
        return {'name': 'paths%d' % seed, 'vertex': vertex, 'fragment': fragment, 'vs_ok': True, 'fs_ok': True,
                'link_ok': True, 'render': True, 'essl3': True,
                'uniforms': [{'name': 'u', 'value': U}, {'name': 'want[0]', 'value': want},
                             {'name': 'table[0]', 'value': TABLE}] + ([] if in_vertex else [{'name': 'tex', 'value': 0}]),
                'textures': [{'unit': 0, 'params': [[10241, 9728]],
                              'levels': [{'target': 3553, 'level': 0, 'w': 1, 'h': 1, 'fmt': 6409, 'type': 5121,
                                          'data': [TEXEL]}]}]}
    return None


if __name__ == '__main__':
    sys.exit(checked.draw(case))
