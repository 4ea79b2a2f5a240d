/* The fast loop for processors with AVX-512; CMake gives this file the options that say so. */
#define SIM_LOOP sim_loop_avx512
#include "runtime/loop.h"
