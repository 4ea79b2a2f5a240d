/* Texture lookups for processors with AVX2; CMake gives this file the options that say so. */
#define SIM_SAMPLE sim_sample_avx2
#include "runtime/sample.h"
