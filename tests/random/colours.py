#!/usr/bin/env python3
"""Random fragment shaders: loops and branches, and then a colour of whatever those leave.

    colours.py --levels LEVELS [--first SEED] [--count N] [--keep FOLDER]

What loops and branches leave lies in registers that other blocks chose, and each byte of a colour is packed by an operation of
its own kind. All levels have to take each shader and to draw the same (LEVELS is tests/tools/levels.c)."""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile

VERTEX = '''attribute vec4 position;
attribute vec2 texcoord;
varying vec4 v;
varying vec2 t;
void main() {
    gl_Position = position;
    v = vec4(texcoord, texcoord.x * texcoord.y, 1.0 - texcoord.x);
    t = texcoord;
}
'''
FRAGMENT = '''precision %s float;
varying highp vec4 v;
varying highp vec2 t;
uniform sampler2D s0, s1;
uniform vec4 u;
uniform float k, l;
void main() {
    float f = k, g = v.x;
    vec3 n = v.yzw;
    vec4 c = v, d = u, e = %s;
    %s
    gl_FragColor = %s;
}
'''
NAMES = {1: ['f', 'g'], 3: ['n'], 4: ['c', 'd', 'e']}
TYPES = {1: 'float', 3: 'vec3', 4: 'vec4'}
VECTORS = ['c', 'd', 'e', 'v', 'u']
NUMBERS = ['0.0', '1.0', '2.0', '0.5', '0.25', '0.3', '-1.0']


class Maker:
    """A shader by its seed. Values of loops tend towards something, so that no rounding grows."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.counters = 0

    def chance(self, p):
        return self.r.random() < p

    def components(self, n):
        return self.r.choice(VECTORS) + '.' + ''.join(self.r.choice('xyzw') for k in range(n))

    def source(self, n):
        kind = self.r.randrange(4)
        if kind == 0:
            return self.r.choice(NAMES[n])
        if kind == 1:
            return '%s(%s)' % (TYPES[n], self.r.choice(NUMBERS))
        return self.r.choice(['k', 'l', 'f', 'g', 'n.y']) if n == 1 and kind == 2 else self.components(n)

    def value(self, n, depth=0):
        kind = self.r.randrange(10)
        if depth > 2 or kind < 2:
            return self.source(n)
        a = self.value(n, depth + 1)
        if kind == 2:
            return '(%s %s %s)' % (a, self.r.choice('+*'), a)
        if kind == 3 and n == 4:
            return 'texture2D(%s, t)' % self.r.choice(['s0', 's1'])
        if kind == 3:
            return '(%s ? %s : %s)' % (self.condition(), a, self.value(n, depth + 1))
        if kind == 4:
            return self.r.choice(['clamp(%s, 0.0, 1.0)', 'abs(%s)']) % a
        b = self.value(n, depth + 1) if self.chance(0.7) else self.source(n)
        return '%s(%s, %s)' % (self.r.choice(['min', 'max']), a, b) if kind == 5 else '(%s %s %s)' % (a, self.r.choice('+*-'), b)

    def condition(self):
        return self.r.choice(['k < 0.7', 'l > 0.9', 'u.x < 0.9', 'gl_FragCoord.x < 7.0', 'gl_FragCoord.y > 5.0'])

    def assignment(self, inside):
        n = self.r.choice([1, 3, 4, 4])
        name = self.r.choice(NAMES[n])
        value = self.value(n)
        return '%s = %s;' % (name, 'mix(%s, clamp(%s, 0.0, 1.0), 0.3)' % (name, value) if inside else value)

    def statement(self, depth, inside):
        kind = self.r.randrange(8)
        if depth > 2 or kind < 4:
            return self.assignment(inside)
        body = self.block(depth + 1, inside or kind > 5)
        if kind < 6:
            return 'if (%s) { %s }%s' % (self.condition(), body, ' else { %s }' % self.block(depth + 1, inside) if kind == 5 else '')
        self.counters += 1
        return self.r.choice([
            'for (int I = 0; I < int(l * 6.0); I++) { %s }', 'for (int I = 0; I < 30; I++) { if (%s) break; BODY }' % self.condition(),
            'for (int I = 0; I < 3; I++) { %s }', '{ int I = 0; do { %s I++; } while (I < int(l * 5.0)); }',
        ]).replace('BODY', '%s').replace('I', 'i%d' % self.counters) % body

    def block(self, depth, inside):
        return ' '.join(self.statement(depth, inside) for k in range(self.r.choice([1, 1, 2, 3])))

    def fragment(self):
        body = '\n    '.join(self.statement(0, False) for k in range(self.r.randint(1, 4)))
        colour = self.value(4) if self.chance(0.5) else 'vec4(%s)' % ', '.join(self.value(1, 2 - k % 2) for k in range(4))
        return FRAGMENT % (self.r.choice(['highp', 'mediump', 'lowp']), self.r.choice(['texture2D(s0, t)', 'v.wzyx']), body, colour)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--levels', required=True)
    parser.add_argument('--first', type=int, default=1)
    parser.add_argument('--count', type=int, default=300)
    parser.add_argument('--keep', help='folder for the shaders and the pictures that differ')
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = options.keep or folder
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, 'colours.jsonl')
        with open(path, 'w') as pairs:
            for seed in range(options.first, options.first + options.count):
                pairs.write(json.dumps({'name': 'colours%d' % seed, 'vertex': VERTEX, 'fragment': Maker(seed).fragment()}) + '\n')
        command = [options.levels, '--pairs', path, '--strict', '--levels', 'O0,O1,O2', '--size', '16x12']
        return subprocess.run(command + (['--keep', folder] if options.keep else [])).returncode


if __name__ == '__main__':
    sys.exit(main())
