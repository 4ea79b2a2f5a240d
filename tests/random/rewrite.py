#!/usr/bin/env python3
"""Rewrites shaders without changing what they compute, and draws both.

    rewrite.py --qpucc QPUCC --levels LEVELS [--first SEED] [--count N] [--density P] [--filter PREFIX]
               [--keep FOLDER] PAIRS.jsonl

Real shaders with what real shaders seldom have: statements under conditions that always hold or in loops that run once, code
that is never executed and has its hands on every variable, values that go through an array by a run-time index. The conditions
are of a draw or of a pixel, and nothing in the text says what they come to, so all of it has to be compiled. QPUCC preprocesses;
LEVELS (tests/tools/levels.c) draws the original and what was made of it.

A statement is wrapped, and an initialiser spread, with probability P. PAIRS may begin with SHARED/, the folder that the
environment variable QPUCC_SHARED names; without it the exit code is 77."""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

TOKEN = re.compile(r'#[^\n]*|[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|<<=?|>>=?|\+\+|--|&&|\|\||\^\^|[-+*/%=!<>&|^]=|\S')
FLOATS = ('float', 'vec2', 'vec3', 'vec4', 'mat2', 'mat3', 'mat4')
SIMPLE = FLOATS + ('int',)
TYPES = SIMPLE + ('bool', 'ivec2', 'ivec3', 'ivec4', 'bvec2', 'bvec3', 'bvec4', 'void')
QUALIFIERS = ('const', 'highp', 'mediump', 'lowp', 'in', 'out', 'inout')
MOST = 40  # changes of a shader

# What the conditions are made of. Uniforms with "scale" in their names are 1, with "bias" 0 (tools/scene_defaults.c).
ONE, ZERO = 'rw_scale', 'rw_bias'
TRUE = ['ZERO < ONE', 'ONE > 0.5', 'ZERO + 0.5 < ONE', '!(ZERO > 0.5)']
FALSE = ['ZERO > ONE', 'ONE < 0.5', '!(ZERO < 0.5)']
TRUE_OF_PIXELS = ['X > ZERO', 'X * ONE >= 0.0', '!(X < ZERO)', 'X + 1.0 > ONE']
FALSE_OF_PIXELS = ['X < ZERO', 'X < 0.0', 'X + ONE < 0.0']


class Unreadable(Exception):
    """Something that this reader of GLSL does not know, or that is no GLSL."""


class Tokens:
    def __init__(self, text):
        self.all = TOKEN.findall(text)
        self.at = 0

    def peek(self, ahead=0):
        return self.all[self.at + ahead] if self.at + ahead < len(self.all) else ''

    def take(self, expected=None):
        token = self.peek()
        if not token or expected not in (None, token):
            raise Unreadable('%r where %r is expected' % (token, expected))
        self.at += 1
        return token

    def until(self, end):
        """Up to an `end` that is in no brackets but, where it closes some, those."""
        taken, depth = [], int(end in ')]}')
        while not taken or taken[-1] != end or depth:
            taken.append(self.take())
            depth += (taken[-1] in '([{') - (taken[-1] in ')]}')
        return taken


def split(tokens):
    """At the commas that are in no brackets."""
    parts, depth = [[]], 0
    for token in tokens:
        depth += (token in '([') - (token in ')]')
        if token == ',' and not depth:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


class Rewriter:
    """Reads one shader and writes it down again. `scopes` has the types of variables with a value, None for those that junk
    has to leave alone; `loose` says whether the last statement has a break or continue of a loop around it."""

    def __init__(self, text, r, density, pixels):
        self.tokens = Tokens(text)
        self.r = r
        self.density = density
        self.pixels = pixels  # a fragment shader
        self.left = MOST
        self.named = 0
        self.structures = set()
        self.scopes = []
        self.loops = 0
        self.loose = False
        self.returns = 'void'

    def chance(self, p):
        return self.r.random() < p

    def changes(self, p=1.0):
        """Is it this one's turn?"""
        turn = self.left > 0 and self.chance(self.density * p)
        self.left -= turn
        return turn

    def fresh(self):
        self.named += 1
        return 'rw_%d' % self.named

    # --- what is put in ---------------------------------------------------------------------------------------------

    def test(self, of_draws, of_pixels):
        text = self.r.choice(of_draws + (of_pixels if self.pixels else []))
        text = text.replace('X', self.r.choice(['gl_FragCoord.x', 'gl_FragCoord.y', '(gl_FragCoord.x + gl_FragCoord.y)']))
        return text.replace('ONE', ONE).replace('ZERO', ZERO)

    def true(self):
        text = self.test(TRUE, TRUE_OF_PIXELS)
        if self.chance(0.2):
            return '%s && %s' % (text, self.test(TRUE, TRUE_OF_PIXELS))
        return '%s || %s' % (self.false(), text) if self.chance(0.1) else text

    def false(self):
        return self.test(FALSE, FALSE_OF_PIXELS)

    def variables(self, kinds):
        seen = {name: kind for scope in self.scopes for name, kind in scope.items()}  # the innermost of a name
        return [(name, kind) for name, kind in seen.items() if kind in kinds]

    def value(self, kind):
        """Any value of a type, of variables where there are some."""
        same = self.variables([kind])
        if same and self.chance(0.7):
            return self.r.choice(same)[0]
        number = str(self.r.randint(0, 9))
        if kind not in FLOATS:
            return number if kind == 'int' else '%s(%s)' % (kind, number)
        scalars = self.variables(['float'])
        number = self.r.choice(scalars)[0] if scalars and self.chance(0.5) else number + '.0'
        return number if kind == 'float' else '%s(%s)' % (kind, number)

    def junk(self, depth=0):
        """A statement that is never executed."""
        kind = self.r.random()
        if kind < 0.12 and self.pixels:
            return 'discard;'
        if kind < 0.24 and self.returns in TYPES:
            return 'return;' if self.returns == 'void' else 'return %s;' % self.value(self.returns)
        if kind < 0.34 and depth < 2:
            counter = self.fresh()
            return 'for (int %s = 0; %s < %d; %s++) { %s }' % (counter, counter, self.r.randint(1, 4), counter, self.junk(depth + 1))
        if kind < 0.42 and self.loops and not depth:
            return self.r.choice(['break;', 'continue;'])
        if kind < 0.5 and self.color:
            return 'gl_FragColor = %s;' % self.value('vec4')
        known = self.variables(SIMPLE)
        if not known:
            return ';'
        name, kind = self.r.choice(known)
        factor = ' * %s' % self.value('float') if kind in FLOATS and self.chance(0.4) else ''
        return '%s = %s%s;' % (name, self.value(kind), factor)

    def wrapped(self, text):
        """The statement where it is executed once."""
        kind = self.r.randrange(9)
        if kind < 3:
            return 'if (%s) { %s }' % (self.true(), text) + (' else { %s }' % self.junk() if self.chance(0.4) else '')
        if kind == 3:
            return 'if (%s) { %s } else { %s }' % (self.false(), self.junk(), text)
        if self.loose:  # a loop would take its break
            return '{ %s }' % text
        if kind == 4:
            return 'do { %s } while (%s);' % (text, self.false())
        n, body = [(1, text), (3, 'if (COUNTER != 1) continue; %s' % text), (4, '%s if (%s) break;' % (text, self.true())),
                   (2, 'if (COUNTER > int(%s)) break; %s' % (ZERO, text))][kind - 5]
        counter = self.fresh()
        return 'for (int COUNTER = 0; COUNTER < %d; COUNTER++) { %s }'.replace('COUNTER', counter) % (
            n, body.replace('COUNTER', counter))

    def initialised(self, declared, name, kind, value):
        """`declared` = `value`, by some other way."""
        made = self.fresh()
        way = self.r.randrange(6 if kind in FLOATS else 5)
        if way == 0:
            return '%s; if (%s) %s = %s; else %s = %s;' % (declared, self.true(), name, value, name, self.value(kind))
        if way == 1:
            return '%s = %s ? (%s) : (%s);' % (declared, '(%s)' % self.true(), value, self.value(kind))
        if way == 2:
            array = declared[:-len(name)] + made
            return '%s[3]; %s[0] = %s[2] = %s; %s[int(%s)] = %s; %s = %s[int(%s)];' % (
                array, made, made, self.value(kind), made, ONE, value, declared, made, self.r.choice([ONE, '1.0', ONE + ' + ' + ZERO]))
        if way == 3:
            return '%s; for (int %s = 0; %s < 2; %s++) { %s = %s; if (%s) break; %s = %s; }' % (
                declared, made, made, made, name, value, self.true(), name, self.value(kind))
        if way == 4:
            return '%s = %s; { %s%s = %s; %s = %s; }' % (declared, self.value(kind), declared[:-len(name)], made, value, name, made)
        return '%s = (%s) * %s;' % (declared, value, ONE)

    # --- what is there ----------------------------------------------------------------------------------------------

    def statements(self):
        made = []
        while self.tokens.peek() != '}':
            made.append(self.statement())
        return ' '.join(made)

    def block(self):
        """Braces and what is in them."""
        self.tokens.take('{')
        self.scopes.append({})
        made = '{ %s }' % self.statements()
        self.scopes.pop()
        self.tokens.take('}')
        return made

    def body(self, loop=False):
        """What a condition or a loop is in front of, as a block."""
        loose = self.loose
        self.loops += loop
        self.scopes.append({})
        made = self.block() if self.tokens.peek() == '{' else '{ %s }' % self.statement()
        self.scopes.pop()
        self.loops -= loop
        self.loose = loose if loop else self.loose
        return made

    def bracketed(self):
        return ' '.join([self.tokens.take('(')] + self.tokens.until(')'))

    def statement(self):
        before = 'if (%s) { %s } ' % (self.false(), self.junk()) if self.changes(0.4) else ''
        loose, self.loose = self.loose, False
        made = self.declaration() or self.jump()
        if not made:
            made = self.control() or self.expression()
            made = self.wrapped(made) if self.changes() else made
        self.loose |= loose
        return before + made

    def jump(self):
        """Not wrapped: a function's end would seem to be without a value."""
        token = self.tokens.peek()
        if token in ('break', 'continue'):
            self.loose = True
        return ' '.join(self.tokens.until(';')) if token in ('break', 'continue', 'return', 'discard') else None

    def control(self):
        token = self.tokens.peek()
        if token == '{':
            return self.block()
        if token in ('if', 'for', 'while', 'do'):
            self.tokens.take()
        if token == 'if':
            made = 'if %s %s' % (self.bracketed(), self.body())
            if self.tokens.peek() == 'else':
                self.tokens.take()
                made += ' else ' + self.body()
            return made
        if token == 'do':
            made = self.body(True)
            self.tokens.take('while')
            return 'do %s while %s%s' % (made, self.bracketed(), self.tokens.take(';'))
        return '%s %s %s' % (token, self.bracketed(), self.body(True)) if token in ('for', 'while') else None

    def declaration(self):
        n = 0
        while self.tokens.peek(n) in QUALIFIERS:
            n += 1
        kind, constant = self.tokens.peek(n), 'const' in self.tokens.all[self.tokens.at:self.tokens.at + n]
        if kind[0] == '#':
            return '\n%s\n' % self.tokens.take()
        if kind in ('precision', 'struct', 'switch'):
            raise Unreadable(kind + ' in a function')
        if (kind not in TYPES and kind not in self.structures) or not re.match(r'[A-Za-z_]', self.tokens.peek(n + 1)):
            return None
        head, made = self.tokens.all[self.tokens.at:self.tokens.at + n + 1], []
        for part in split(self.tokens.until(';')[n + 1:-1]):
            name, value = part[0], part[2:] if part[1:2] == ['='] else None
            if value and not constant and kind in SIMPLE and name not in value and self.changes():
                made.append(self.initialised(' '.join(head + [name]), name, kind, ' '.join(value)))
            else:
                made.append(' '.join(head + part) + ';')
            self.scopes[-1][name] = kind if value and not constant else None
        return ' '.join(made)

    def expression(self):
        tokens = self.tokens.until(';')
        kind = dict(self.variables(FLOATS)).get(tokens[0])
        if tokens[1:2] != ['='] or not kind or len(split(tokens)) > 1 or not self.changes():
            return ' '.join(tokens)
        value = ' '.join(tokens[2:-1])
        if self.chance(0.6):
            return '%s = (%s) * %s;' % (tokens[0], value, ONE)
        return '%s = (%s) ? (%s) : (%s);' % (tokens[0], self.true(), value, self.value(kind))

    def function(self, head):
        bracket = head.index('(')
        self.returns = head[bracket - 2]
        parameters = {}
        for part in split(head[bracket + 1:-1]):
            words = [word for word in part if word not in QUALIFIERS]
            if len(words) > 1:  # what is `out` has no value yet
                parameters[words[1]] = words[0] if len(words) == 2 and not {'const', 'out'} & set(part) else None
        self.scopes = [parameters]
        body = self.block()
        # what is left of it is anything, and junk may be that
        first = 'gl_FragColor = vec4(0.25);' if head[bracket - 1] == 'main' and self.color else ''
        return '%s { %s %s' % (' '.join(head), first, body[1:])

    def shader(self):
        tokens = self.tokens
        self.color = self.pixels and 'gl_FragColor' in tokens.all
        self.desktop = re.match(r'\s*#version (?!100|.* es)', tokens.peek()) is not None
        made, declared = [], False
        while tokens.peek():
            if tokens.peek()[0] == '#':
                made.append(tokens.take())
                continue
            if not declared and tokens.peek() != 'precision':
                made.append('uniform %s %s, %s;' % ('float' if self.desktop else 'highp float', ONE, ZERO))
                declared = True
            if tokens.peek() == 'struct':
                self.structures.add(tokens.peek(1))
            end = next((k for k in range(tokens.at, len(tokens.all)) if tokens.all[k] in ';={'), len(tokens.all) - 1)
            if tokens.all[end] == '{' and '(' in tokens.all[tokens.at:end]:
                head, tokens.at = tokens.all[tokens.at:end], end
                made.append(self.function(head))
            else:
                made.append(' '.join(tokens.until(';')))
        return '\n'.join(made) + '\n'


def preprocessed(qpucc, text, stage):
    run = subprocess.run([qpucc, '-E', '-fshader-stage=' + stage, '-'], input=text, capture_output=True, text=True)
    if run.returncode:
        raise Unreadable('not preprocessed')
    return run.stdout


def rewritten(options, pair, seed):
    """The pair, and the pair with changes. What is the same in both is written by the same rewriter."""
    r = random.Random('%d %s' % (seed, pair['name']))
    stages = {stage: preprocessed(options.qpucc, pair[stage], stage) for stage in ('vertex', 'fragment')}
    density = {'fragment': options.density, 'vertex': options.density if r.random() < 0.4 else 0}
    original, changed = {'name': '%s.%d' % (pair['name'], seed)}, {'name': '%s.%d' % (pair['name'], seed)}
    for stage, text in stages.items():
        original[stage] = Rewriter(text, r, 0, stage == 'fragment').shader()
        changed[stage] = Rewriter(text, r, density[stage], stage == 'fragment').shader()
    return original, changed


def draw_beside(parser, make):
    """The command: what make(options, pair, seed) returns, a pair and what was made of it, drawn for each pair and seed. What the
    process ends with."""
    for option in ('--qpucc', '--levels'):
        parser.add_argument(option, required=True)
    parser.add_argument('--first', type=int, default=1)
    parser.add_argument('--count', type=int, default=1)
    parser.add_argument('--filter', default='')
    parser.add_argument('--keep', help='folder for both files and the pictures that differ')
    parser.add_argument('pairs')
    options = parser.parse_args()
    path, shared = options.pairs, os.environ.get('QPUCC_SHARED')
    if path.startswith('SHARED/'):
        if not shared:
            print('skipped: QPUCC_SHARED is not set')
            return 77
        path = os.path.join(shared, path[len('SHARED/'):])
    with tempfile.TemporaryDirectory() as folder, open(path) as lines:
        options.folder = folder = options.keep or folder
        os.makedirs(folder, exist_ok=True)
        files = [os.path.join(folder, name) for name in ('originals.jsonl', 'made.jsonl')]
        unread = 0
        with open(files[0], 'w') as originals, open(files[1], 'w') as changed:
            for pair in map(json.loads, lines):
                for seed in range(options.first, options.first + options.count):
                    if not pair['name'].startswith(options.filter):
                        continue
                    try:
                        for file, made in zip((originals, changed), make(options, pair, seed)):
                            file.write(json.dumps(made) + '\n')
                    except Unreadable as why:
                        unread += 1
                        print('%s: %s' % (pair['name'], why))
        print('%d pairs left out' % unread, flush=True)
        command = [options.levels, '--pairs', files[1], '--against', files[0], '--strict', '--levels', 'O2', '--size', '48x32']
        return subprocess.run(command + (['--keep', folder] if options.keep else [])).returncode


if __name__ == '__main__':
    command = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    command.add_argument('--density', type=float, default=0.2)
    sys.exit(draw_beside(command, rewritten))
