#!/usr/bin/env python3
"""Cycles of draws whose shaders are controlled by uniforms: our code, our code made for the values, and Mesa's.

    bench/draws.py BUILD [--only TEXT]                 # prints a table, and the geometric means
    bench/draws.py BUILD --mesa PROGRAM [ENV=VALUE...] # measures Mesa's column anew: bench/draws/mesa.tsv

bench/draws has a shader a file, whose first lines say what it is for and with which values of uniforms it is drawn; others are the same
in each draw ("always", or one and a half). Each draw is two
triangles, by control lists: 128 x 128 pixels for a fragment shader, 4 x 4 for a vertex shader, whose partner does next to nothing.
Cycles are those of all batches of all stages. PROGRAM is integration/draws.c, which draws the same on Mesa's driver and the device
of docs/device.md; ENV=VALUE says where that driver is. Exit code 1: a draw failed, or a must of bench/README.md does not hold.
"""
import math
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'draws')
COLUMN = os.path.join(HERE, 'mesa.tsv')
FRAGMENT_SIZE, VERTEX_SIZE = 128, 4
WITHOUT, WITH, MOST = 0.60, 0.35, 1.00  # of Mesa's cycles: means without and with the values, and any draw without
WIDTH = {'float': 1, 'int': 1, 'bool': 1, 'vec2': 2, 'vec3': 3, 'vec4': 4, 'ivec4': 4}


def declared(kind, text):
    """(type, name, elements; 0: no array) of each uniform, varying or attribute."""
    for type_, names in re.findall(r'^%s (\w+) ([^;]+);' % kind, text, re.M):
        for name in names.split(','):
            name, size = re.match(r'\s*(\w+)(?:\[(\d+)\])?', name).groups()
            yield type_, name, int(size or 0)


def value_of(type_):
    if type_.startswith('mat'):
        n = int(type_[3])
        return ','.join('1' if i % (n + 1) == 0 else '0' for i in range(n * n))
    return ','.join(['0.5' if type_.startswith(('float', 'vec')) else '1'] * WIDTH[type_])


class Shader:
    def __init__(self, file):
        self.name, kind = os.path.splitext(file)
        text = open(os.path.join(HERE, file)).read()
        self.size = FRAGMENT_SIZE if kind == '.frag' else VERTEX_SIZE
        settings = re.search(r'^// draws: (.*(?:\n//  +.*)*)', text, re.M).group(1).replace('\n//', ' ')
        self.settings = [dict(v.strip().split('=') for v in s.split(';')) for s in settings.split('|')]
        always = re.search(r'^// always: (.*)', text, re.M)
        varyings = list(declared('varying', text))
        if kind == '.frag':
            self.fragment = text
            self.vertex = 'attribute vec4 a_position;\n'
            self.vertex += ''.join('attribute %s a%s;\nvarying %s %s;\n' % (t, n[1:], t, n) for t, n, _ in varyings)
            self.vertex += 'void main() { gl_Position = a_position; %s }\n' % ' '.join('%s = a%s;' % (n, n[1:]) for _, n, _ in varyings)
        else:
            self.vertex = text
            self.fragment = 'precision mediump float;\n' + ''.join('varying %s %s;\n' % (t, n) for t, n, _ in varyings)
            self.fragment += 'void main() { gl_FragColor = vec4(%s); }\n' % ' + '.join('%s.x' % n for _, n, _ in varyings)
        self.uniforms = {}
        for type_, name, size in declared('uniform', text):
            if type_.startswith('sampler'):
                continue
            for key in ['%s[%d]' % (name, i) for i in range(size)] if size else [name]:
                self.uniforms[key] = value_of(type_)
        for pair in always.group(1).split(';') if always else []:
            name, value = pair.strip().split('=')
            self.uniforms[name] = value

    def values(self, setting):
        return {**self.uniforms, **setting}

    def label(self, setting):
        return ' '.join('%s=%s' % i for i in setting.items())

    def write(self, folder):
        paths = [os.path.join(folder, self.name + '.' + e) for e in ('vert', 'frag')]
        for path, text in zip(paths, (self.vertex, self.fragment)):
            with open(path, 'w') as out:
                out.write(text)
        return paths


def draw(qpucc, paths, shader, setting, fixed):
    command = [qpucc, 'run', *paths, '--cycles', '--mesh', 'quad', '--size', '%dx%d' % (shader.size, shader.size)]
    for name, value in shader.values(setting).items():
        command += ['--uniform', '%s=%s' % (name, value)]
    if fixed:
        for name, value in setting.items():
            command += ['--set', '%s=%s' % (name, value)]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command + ['-o', os.path.join(folder, 'out.png')], capture_output=True, text=True)
    found = re.search(r'^all +\d+ +(\d+)', done.stdout + done.stderr, re.M)
    if done.returncode or not found:
        sys.exit('%s %s: %s' % (shader.name, shader.label(setting), done.stderr))
    return int(found.group(1))


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def compare(build, shaders):
    mesa = {tuple(line.split('\t')[:2]): int(line.split('\t')[2]) for line in open(COLUMN) if line[0] != '#'}
    qpucc, plain, fixed, over = os.path.join(build, 'qpucc'), [], [], []
    print('| shader | Mesa | ours | with the values | ours over Mesa | with the values |\n|---|---|---|---|---|---|')
    with tempfile.TemporaryDirectory() as folder:
        for shader in shaders:
            paths = shader.write(folder)
            labels = [shader.label(s) for s in shader.settings]
            theirs = [mesa[shader.name, label] for label in labels]
            ours, special = ([draw(qpucc, paths, shader, s, f) for s in shader.settings] for f in (False, True))
            ratios, specials = ([a / b for a, b in zip(column, theirs)] for column in (ours, special))
            over += ['%s %s' % (shader.name, label) for label, r in zip(labels, ratios) if r > MOST]
            plain += ratios
            fixed += specials
            columns = [shader.name] + [' '.join(map(str, c)) for c in (theirs, ours, special)]
            columns += [' '.join('%.2f' % r for r in c) for c in (ratios, specials)]
            print('| %s |' % ' | '.join(columns), flush=True)
    print('\n%d draws of %d shaders, over Mesa\'s: geometric mean %.3f, with the values %.3f, most %.2f' %
          (len(plain), len(shaders), mean(plain), mean(fixed), max(plain)))
    for name in over:
        print('slower than Mesa\'s:', name)
    return 0 if not over and mean(plain) <= WITHOUT and mean(fixed) <= WITH else 1


def measure(build, shaders, program, environment):
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, 'jobs'), 'w') as jobs:
        for shader in shaders:
            vertex, fragment = shader.write(folder)
            for setting in shader.settings:
                jobs.write('draw %s\t%s\n%s\n%s\n%d\n' %
                           (shader.name, shader.label(setting), vertex, fragment, shader.size))
                jobs.writelines('%s %s\n' % i for i in shader.values(setting).items())
                jobs.write('.\n')
        jobs.flush()
        done = subprocess.run([os.path.join(build, 'qpusim-device'), '--stats', '--', 'env', *environment, program, jobs.name],
                              capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    name, lines = None, []
    for line in done.stderr.split('\n'):
        begins, job = re.match(r'draw (.*)', line), re.match(r'job \d+: \d+ instructions, (\d+) cycles', line)
        if begins:
            name = begins.group(1)
        elif job and name:
            lines.append('%s\t%s\n' % (name, job.group(1)))
            name = None
    if len(lines) != sum(len(s.settings) for s in shaders):
        sys.exit('%d draws were measured:\n%s' % (len(lines), done.stderr))
    with open(COLUMN, 'w') as out:
        out.write('# Cycles of the draws of bench/draws by Mesa 22.3.6\'s vc4 driver on qpusim-device (bench/draws.py --mesa)\n')
        out.writelines(lines)
    return 0


def main(arguments):
    if not arguments or (len(arguments) > 1 and arguments[1] not in ('--only', '--mesa')) or len(arguments) == 2:
        sys.exit(__doc__)
    only = arguments[2] if arguments[1:2] == ['--only'] else ''
    shaders = [Shader(f) for f in sorted(os.listdir(HERE)) if f.endswith(('.vert', '.frag')) and only in f]
    if arguments[1:2] == ['--mesa']:
        return measure(arguments[0], shaders, arguments[2], arguments[3:])
    return compare(arguments[0], shaders)


sys.exit(main(sys.argv[1:]))
