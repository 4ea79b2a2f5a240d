/* The kinds of shader program that the QPU runs, for libqpucc's interface and for every module of the
 * compiler.
 * */
#ifndef QPUCC_STAGE_H
#define QPUCC_STAGE_H

/* A coordinate shader is the part of a vertex shader that binning runs. The values are part of the ABI. */
enum qpucc_stage { QPUCC_FRAGMENT, QPUCC_VERTEX, QPUCC_COORDINATE, QPUCC_STAGE_COUNT };

#endif
