#!/usr/bin/env python3
"""The chart of README.md: our instructions over the better peer's, by the family of programs that a shader is from.

    qpucc report --pairs SHARED/corpus/dev-pairs.jsonl --json | families.py SHARED/corpus/peers-dev.tsv FILE.svg

Geometric means over the fragment shaders that both have without a loop (README.md in this folder). A family is a folder of RetroArch's
collection, a game of shader-db, or glmark2; those of fewer than four shaders are put together as "others".
"""
import collections
import csv
import json
import math
import sys

LEAST = 4


def family_of(name):
    source, _, rest = name.partition('/')
    if source == 'libretro':
        return 'RetroArch: ' + rest.split('__')[0]
    if source == 'shader-db':
        return rest.split('__')[0]
    return source


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def chart(path, rows, count, total):
    step, left, width, scale = 15, 210, 400, 1.25
    height = step * len(rows) + 62
    at = lambda ratio: width * ratio / scale
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">'
           % (left + width + 60, height),
           '<rect width="100%" height="100%" fill="#fff"/>',
           '<text x="%d" y="14" font-weight="bold">fragment shaders\' instructions, qpucc / the better of Mesa and Broadcom</text>' % 20]
    for i, (name, number, ratio) in enumerate(rows + [('all', count, total)]):
        y = 24 + i * step + (6 if name == 'all' else 0)
        out.append('<text x="%d" y="%d" text-anchor="end">%s (%d)</text>' % (left - 6, y + 10, name, number))
        out.append('<rect x="%d" y="%d" width="%.1f" height="11" fill="%s"/>'
                   % (left, y, at(ratio), '#174d74' if name == 'all' else '#2a7ab8'))
        out.append('<text x="%.1f" y="%d">%.2f</text>' % (left + at(ratio) + 4, y + 10, ratio))
    bottom = 24 + step * (len(rows) + 1) + 6
    out.append('<line x1="%.1f" y1="20" x2="%.1f" y2="%d" stroke="#c33"/>' % (left + at(1), left + at(1), bottom))
    out.append('<text x="%.1f" y="%d" fill="#c33" text-anchor="middle">as long</text>' % (left + at(1), bottom + 12))
    with open(path, 'w') as file:
        file.write('\n'.join(out + ['</svg>']) + '\n')


def main():
    peers_path, path = sys.argv[1:]
    peers = {}
    with open(peers_path) as file:
        for row in csv.DictReader(file, delimiter='\t'):
            numbers = [int(row[k]) for k in ('mesa_instructions', 'broadcom_instructions') if (row[k] or '').isdigit()]
            if row['stage'] == 'FS' and numbers:
                peers[row['name']] = min(numbers)
    families = collections.defaultdict(list)
    for line in sys.stdin:
        row = json.loads(line)
        for stage in row.get('stages', []):
            if stage['stage'] == 'fragment' and row['name'] in peers and not stage.get('loops'):
                families[family_of(row['name'])].append(stage['instructions'] / peers[row['name']])
    few = [name for name in families if len(families[name]) < LEAST]
    for name in few:
        families['others'] += families.pop(name)
    rows = sorted(((n, len(v), mean(v)) for n, v in families.items()), key=lambda row: (row[0] == 'others', row[2]))
    everything = [ratio for v in families.values() for ratio in v]
    chart(path, rows, len(everything), mean(everything))
    for name, number, ratio in rows:
        print('%-28s %4d %.3f' % (name, number, ratio))
    print('%-28s %4d %.3f' % ('all', len(everything), mean(everything)))


if __name__ == '__main__':
    main()
