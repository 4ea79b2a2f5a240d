#!/usr/bin/env python3
"""Draws modules that another compiler has been at, beside the text that they come from.

    optimised.py --qpucc QPUCC --levels LEVELS [--first SEED] [--count N] [--filter PREFIX] [--keep FOLDER] PAIRS.jsonl

QPUCC makes a pair's modules, passes of SPIR-V Tools drawn at random change them, and LEVELS draws the pair and the modules. So
the reader of SPIR-V gets what glslang never writes: phis in front of any block, selects of whole structures, vectors taken
apart and put together again, loops peeled, split, unrolled in part, functions with one return. PAIRS and the exit code 77 are
as in rewrite.py; there is no test without spirv-opt and spirv-val, either."""
import argparse
import os
import random
import shutil
import subprocess
import sys

from rewrite import Unreadable, draw_beside

# What keeps results. Not among them: relax-float-ops, which makes all of it mediump; graphics-robust-access, which gives reads
# beyond an array's end a value; loop-invariant-code-motion, which moves loads of a variable over stores to parts of it (2023.1).
PASSES = [['--' + name] for name in (
    'ccp', 'cfg-cleanup', 'combine-access-chains', 'compact-ids', 'convert-local-access-chains', 'copy-propagate-arrays',
    'eliminate-dead-branches', 'eliminate-dead-code-aggressive', 'eliminate-dead-const', 'eliminate-dead-functions',
    'eliminate-dead-inserts', 'eliminate-dead-variables', 'eliminate-insert-extract', 'eliminate-local-multi-store',
    'eliminate-local-single-block', 'eliminate-local-single-store', 'fix-func-call-param', 'flatten-decorations', 'if-conversion',
    'inline-entry-points-exhaustive', 'legalize-hlsl', 'local-redundancy-elimination', 'loop-fission=10', 'loop-fusion=20',
    'loop-peeling', 'loop-unroll', 'loop-unroll-partial=2', 'loop-unroll-partial=3', 'loop-unswitch', 'merge-blocks',
    'merge-return', 'private-to-local', 'reduce-load-size=0.9', 'redundancy-elimination', 'remove-duplicates',
    'scalar-replacement=0', 'simplify-instructions', 'ssa-rewrite', 'strength-reduction', 'unify-const', 'vector-dce',
    'wrap-opkill')] + [['-O'], ['-Os']]
MOST = 9  # of them for a module


def succeeds(*command):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def optimised(options, pair, seed):
    """The pair, and the pair as changed modules. A pass that fails, or leaves what is not valid, is left out."""
    r = random.Random('%d %s' % (seed, pair['name']))
    name = '%s.%d' % (pair['name'], seed)
    base = os.path.join(options.folder, name.replace('/', '-'))
    texts = [base + end for end in ('.vert', '.frag')]
    for path, stage in zip(texts, ('vertex', 'fragment')):
        with open(path, 'w') as file:
            file.write(pair[stage])
    if not succeeds(options.qpucc, '-fdefault-precision=highp', '--emit=spirv', '-o', base, *texts):
        raise Unreadable('not compiled')
    made, changed = {'name': name, 'mesh': 'sphere' if 'mat4' in pair['vertex'] else 'quad'}, False
    for stage in ('vertex', 'fragment'):
        module = '%s.%s.spv' % (base, stage)
        for flags in r.choices(PASSES, k=r.randint(1, MOST)):
            if succeeds('spirv-opt', '--skip-validation', *flags, module, '-o', module + '.new') and \
                    succeeds('spirv-val', '--target-env', 'opengl4.5', module + '.new'):
                os.replace(module + '.new', module)
                changed = True
        made[stage] = 'spirv:' + module
    if not changed:
        raise Unreadable('no pass succeeds')
    return {**pair, 'name': name}, made


if __name__ == '__main__':
    if not shutil.which('spirv-opt') or not shutil.which('spirv-val'):
        print('skipped: SPIR-V Tools are not installed')
        sys.exit(77)
    sys.exit(draw_beside(argparse.ArgumentParser(description=__doc__.split('\n')[0]), optimised))
