/* What the code of a program compiled with QPUCC_WATCH_UNDEFINED tells a trace of the machine (qpusim_trace):
 * a write to "exp" of an operand with the bits
 *
 *     31..22  all ones (QPUCC_WATCH_TAG): a NaN pattern, which no arithmetic makes
 *     21..18  enum qpucc_watch_kind
 *     17..1   the line of the source, from 1; 0: several
 *     0       1: it happened in this lane, at least once
 *
 * Each run of a vertex or fragment shader makes each of these writes once, at its end. */
#ifndef QPUCC_WATCH_H
#define QPUCC_WATCH_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum qpucc_watch_kind {
#define WATCH(name, text) QPUCC_WATCH_##name,
#include <qpucc/watch.def>
#undef WATCH
    QPUCC_WATCH_KINDS
};

#define QPUCC_WATCH_TAG 0xffc00000u

#ifdef __cplusplus
}
#endif

#endif
