/* Texture lookups with a fault. */
#define SIM_SAMPLE sim_sample_faulty
#define SAMPLE_FAULT(s, name) SIM_FAULT(s, name)
#include "runtime/sample.h"
