#!/usr/bin/env python3
"""The table of compare.sh's runs: cycles of a frame and the time that compiling takes, with Mesa's compiler and with libqpucc.

    table.py FOLDER [--chart FILE.svg]

A frame's cycles are those of the last frame's jobs: by then code of level 2 is there ("first": of the second frame with what
level 1 made). Exit code 1: a frame differs, a draw was refused, a program is slower, or the mean is above the must.
"""
import argparse
import math
import os
import re
import sys

MUST, MOST = 0.70, 1.00  # of Mesa's cycles: geometric mean over glmark2's scenes, if all SCENES are there, and any of them
SCENES = 33


class Run:
    def __init__(self, folder):
        with open(os.path.join(folder, 'log'), errors='replace') as file:
            text = file.read()
        each = [sum(map(int, re.findall(r'job \d+: \d+ instructions, (\d+) cycles', part)))
                for part in re.split(r'frame \d+\n', text)]
        self.cycles = each[-2] if len(each) > 1 else 0
        counts = re.findall(r'(?:qpucc|mesa): (\d+) shaders.* (\d+) refused; ([\d.]+) ms reading, ([\d.]+) ms at draws '
                            r'\(longest ([\d.]+)\), ([\d.]+) ms', text)
        # The last line of the context with most shaders: EGL makes others.
        _, refused, reading, draws, longest, thread = max(reversed(counts), key=lambda c: int(c[0]), default=('0',) * 6)
        self.refused, self.cpu, self.longest = int(refused), float(reading) + float(draws) + float(thread), float(longest)
        took = re.findall(r'the program took ([\d.]+) ms of processor time, and ([\d.]+) in the kernel', text)
        self.user, self.kernel = map(float, took[-1]) if took else (0.0, 0.0)
        self.failed = re.search(r'exit code|\bfails:', text) is not None


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else 1.0


def chart(path, rows):
    """Bars: our cycles as a part of Mesa's, which are the line at 1."""
    step, left, width = 16, 330, 420
    height = step * len(rows) + 50
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">' % (left + width + 70, height),
           '<rect width="100%" height="100%" fill="#fff"/>',
           '<text x="%d" y="14" font-weight="bold">cycles of a frame, libqpucc / Mesa\'s compiler</text>' % left]
    for i, (name, ratio) in enumerate(rows):
        y = 24 + i * step
        out.append('<text x="%d" y="%d" text-anchor="end">%s</text>' % (left - 6, y + 10, name))
        out.append('<rect x="%d" y="%d" width="%.1f" height="11" fill="#2a7ab8"/>' % (left, y, width * ratio))
        out.append('<text x="%.1f" y="%d">%.2f</text>' % (left + width * ratio + 4, y + 10, ratio))
    out.append('<line x1="%d" y1="20" x2="%d" y2="%d" stroke="#c33"/>' % (left + width, left + width, 24 + step * len(rows)))
    out.append('<text x="%d" y="%d" fill="#c33">Mesa</text>' % (left + width - 12, 24 + step * len(rows) + 14))
    with open(path, 'w') as file:
        file.write('\n'.join(out + ['</svg>']) + '\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('folder')
    parser.add_argument('--chart')
    args = parser.parse_args()
    with open(os.path.join(args.folder, 'programs')) as file:
        names = file.read().split()
    wrong, ratios, first, rows = 0, [], [], []
    cpu, longest, whole = [0.0, 0.0], [0.0, 0.0], [0.0] * 4
    print('| program | cycles of a frame, Mesa | libqpucc | ratio | ratio, level 1 | compiling, Mesa (ms) | libqpucc (ms) | frames |')
    print('|---|---|---|---|---|---|---|---|')
    for name in names:
        mesa, ours, quick = (Run(os.path.join(args.folder, name, c)) for c in ('mesa', 'qpucc', 'first'))
        with open(os.path.join(args.folder, name, 'compared')) as file:
            compared = file.read()
        verdict = ('differ' if mesa.failed or ours.failed or quick.failed else "llvmpipe's, not Mesa's" if compared.strip().endswith('llvmpipe') else
                   'same' if compared.strip().endswith('same |') else 'differ')
        ratio, level1 = (r.cycles / mesa.cycles if mesa.cycles else 1.0 for r in (ours, quick))
        refused = ours.refused + quick.refused
        print('| %s | %d | %d | %.3f | %.3f | %.1f | %.1f | %s%s |' %
              (name, mesa.cycles, ours.cycles, ratio, level1, mesa.cpu, quick.cpu, verdict,
               ', %d refused' % refused if refused else ''))
        wrong += refused + (ratio > MOST) + (verdict == 'differ')
        if name.startswith('glmark2'):
            ratios.append(ratio)
            first.append(level1)
            rows.append((name[len('glmark2-'):], ratio))
        cpu = [cpu[0] + mesa.cpu, cpu[1] + quick.cpu]
        longest = [max(longest[0], mesa.longest), max(longest[1], quick.longest)]
        whole = [sum(pair) for pair in zip(whole, (mesa.user, mesa.kernel, quick.user, quick.kernel))]
    print()
    print('%d programs; glmark2: geometric mean of the cycles %.3f (level 1: %.3f), most %.3f' %
          (len(names), mean(ratios), mean(first), max(ratios, default=0)))
    print('compiling: %.1f ms with Mesa, %.1f ms with libqpucc; longest wait of a draw %.1f and %.1f ms' % (*cpu, *longest))
    print('the programs in all: %.0f ms with Mesa and %.0f in the kernel, %.0f and %.0f ms with libqpucc' % tuple(whole))
    if args.chart:
        chart(args.chart, rows)
    sys.exit(1 if wrong or (len(ratios) == SCENES and mean(ratios) > MUST) else 0)


if __name__ == '__main__':
    main()
