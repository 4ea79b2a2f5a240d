/* The version of these headers and of the libraries that belong to them. */
#ifndef QPUCC_VERSION_H
#define QPUCC_VERSION_H

/* Semantic version. Before 1.0.0 a new minor version may change anything; from then on functions and members
 * are only added, and only a new major version breaks what was compiled before. */
#define QPUCC_VERSION_MAJOR 0
#define QPUCC_VERSION_MINOR 2
#define QPUCC_VERSION_PATCH 0

/* One number that grows with the version, and a test for #if: are these headers of that version or later? */
#define QPUCC_VERSION_NUMBER (QPUCC_VERSION_MAJOR * 10000 + QPUCC_VERSION_MINOR * 100 + QPUCC_VERSION_PATCH)
#define QPUCC_VERSION_AT_LEAST(major, minor, patch)                                                          \
    (QPUCC_VERSION_NUMBER >= (major)*10000 + (minor)*100 + (patch))

#endif
