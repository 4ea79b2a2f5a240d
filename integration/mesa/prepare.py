#!/usr/bin/env python3
"""Puts libqpucc into an unpacked Mesa tree (22.3): our files as a link to this folder, and the edits below.

    prepare.py MESA            the edits; what is there already is left alone
    prepare.py --undo MESA     takes them out again

Then build as usual, with PKG_CONFIG_PATH so that meson finds qpucc_core. VC4_COMPILER=qpucc in a process'
environment chooses our compiler, anything else Mesa's.
"""
import argparse
import os
import sys

VC4 = 'src/gallium/drivers/vc4/'
# file, the line that has to be there, what is put (before it, after it, or in its place), where
EDITS = [
    (VC4 + 'meson.build', "libvc4_neon = []\n", "subdir('qpucc')\n\n", 'before'),
    (VC4 + 'meson.build', "    idep_nir_headers, idep_mesautil,\n", "    dep_qpucc,\n", 'after'),
    (VC4 + 'meson.build', "  dependencies : idep_nir,\n", "  dependencies : [idep_nir, dep_qpucc],\n", 'instead'),
    (VC4 + 'vc4_context.h', "        uint8_t prim_mode;\n", "        struct qpucc_glue *qpucc;\n\n", 'before'),
    (VC4 + 'vc4_screen.c', '#include "vc4_screen.h"\n', '#include "qpucc/glue.h"\n', 'after'),
    (VC4 + 'vc4_screen.c', "        vc4_resource_screen_init(pscreen);\n", "        qpucc_glue_screen(pscreen);\n", 'after'),
    (VC4 + 'vc4_context.c', '#include "vc4_context.h"\n', '#include "qpucc/glue.h"\n', 'after'),
    (VC4 + 'vc4_context.c', "        vc4_program_init(pctx);\n", "        qpucc_glue_init(pctx);\n", 'after'),
    (VC4 + 'vc4_context.c', "        vc4_program_fini(pctx);\n", "        qpucc_glue_fini(pctx);\n", 'before'),
    (VC4 + 'vc4_draw.c', '#include "vc4_context.h"\n', '#include "qpucc/glue.h"\n', 'after'),
    (VC4 + 'vc4_draw.c', "        if (!vc4_update_compiled_shaders(vc4, info->mode)) {\n",
     "        if (!qpucc_glue_update(vc4, info->mode)) {\n", 'instead'),
    (VC4 + 'vc4_draw.c', "        struct vc4_job *job = vc4->job;\n        /* VC4_DIRTY_VTXSTATE */\n",
     "        if (qpucc_glue_emit(vc4, info, draws, extra_index_bias))\n                return;\n\n", 'before'),
]


def edited(text, line, new, where):
    if where == 'instead':
        return text.replace(line, new, 1)
    return text.replace(line, new + line if where == 'before' else line + new, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--undo', action='store_true')
    parser.add_argument('mesa')
    args = parser.parse_args()
    link = os.path.join(args.mesa, VC4, 'qpucc')
    if not os.path.isdir(os.path.dirname(link)):
        sys.exit('prepare.py: %s has no %s' % (args.mesa, VC4))
    if os.path.islink(link):
        os.remove(link)
    if not args.undo:
        os.symlink(os.path.dirname(os.path.abspath(__file__)), link)
    for name, line, new, where in EDITS:
        path = os.path.join(args.mesa, name)
        with open(path) as file:
            text = file.read()
        done = edited(line, line, new, where)
        if args.undo:
            text = text.replace(done, line, 1)
        elif done not in text:
            if line not in text:
                sys.exit('prepare.py: %s does not have\n%s' % (path, line))
            text = edited(text, line, new, where)
        with open(path, 'w') as file:
            file.write(text)


if __name__ == '__main__':
    main()
