/* The fast loop for processors with AVX2; CMake gives this file the options that say so. */
#define SIM_LOOP sim_loop_avx2
#include "runtime/loop.h"
