/* Texture lookups for any processor that the library is built for, and the choice of the version for this
 * one. */
#define SIM_SAMPLE sim_sample_plain
#include "runtime/sample.h"

bool sim_sample(const struct sim_sampler *s, const struct qpusim_memory *memory, const struct sim_places *at,
                unsigned lanes, struct sim_lines *lines, struct sim_samples *out) {
    if (__builtin_expect(s->fault, 0))
        return sim_sample_faulty(s, memory, at, lanes, lines, out);
    switch (sim_host()) {
#ifdef SIM_X86_LOOPS
    case SIM_HOST_AVX512: return sim_sample_avx512(s, memory, at, lanes, lines, out);
    case SIM_HOST_AVX2: return sim_sample_avx2(s, memory, at, lanes, lines, out);
#endif
    default: return sim_sample_plain(s, memory, at, lanes, lines, out);
    }
}
