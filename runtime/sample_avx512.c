/* Texture lookups for processors with AVX-512; CMake gives this file the options that say so. */
#define SIM_SAMPLE sim_sample_avx512
#include "runtime/sample.h"
