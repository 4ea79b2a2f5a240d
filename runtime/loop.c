/* The fast loop for any processor that the library is built for. */
#define SIM_LOOP sim_loop_plain
#include "runtime/loop.h"
