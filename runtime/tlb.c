/* The tile buffer as one batch sees it: Z and stencil tests, masks and colours of its sixteen pixels (guide
 * section 5). */
#include "runtime/machine.h"

static bool compare(unsigned func, uint32_t a, uint32_t b) {
    switch (func & 7) {
    case QPUSIM_FUNC_NEVER: return false;
    case QPUSIM_FUNC_LESS: return a < b;
    case QPUSIM_FUNC_EQUAL: return a == b;
    case QPUSIM_FUNC_LEQUAL: return a <= b;
    case QPUSIM_FUNC_GREATER: return a > b;
    case QPUSIM_FUNC_NOTEQUAL: return a != b;
    case QPUSIM_FUNC_GEQUAL: return a >= b;
    default: return true;
    }
}

/* Tables 27 and 28. A configuration resets the write mask to its code; the full mask word comes after it. */
void sim_tlb_stencil_setup(struct sim_tlb *tlb, uint32_t word) {
    static const uint8_t masks[4] = {0x01, 0x03, 0x0f, 0xff};
    unsigned select = word >> 30;
    if (!select) {
        tlb->stencil_write[0] = (uint8_t)word;
        tlb->stencil_write[1] = (uint8_t)(word >> 8);
        return;
    }
    for (unsigned side = 0; side < 2; side++) {
        if (select >> side & 1) {
            tlb->stencil_setup[side] = word;
            unsigned code = word >> 28 & 3;
            tlb->stencil_write[side] = masks[SIM_FAULT(tlb, stencil_masks) && code == 1 ? 0 : code];
        }
    }
}

/* Table 27: zero, keep, replace, incsat, decsat, invert, inc, dec. */
static uint8_t stencil_op(const struct sim_tlb *tlb, unsigned op, uint8_t old, uint8_t reference) {
    bool stays = !SIM_FAULT(tlb, stencil_wraps);
    switch (op & 7) {
    case 0: return 0;
    case 2: return reference;
    case 3: return old == 255 && stays ? 255 : (uint8_t)(old + 1);
    case 4: return old == 0 && stays ? 0 : (uint8_t)(old - 1);
    case 5: return (uint8_t)~old;
    case 6: return (uint8_t)(old + 1);
    case 7: return (uint8_t)(old - 1);
    default: return old;
    }
}

enum { STENCIL_PASSES = 1, BOTH_PASS = 2 };

/* Both tests on one sample of a lane; what they change is written back at once. */
static unsigned test_sample(struct sim_tlb *tlb, unsigned sample, unsigned lane, uint32_t value) {
    unsigned side = SIM_FAULT(tlb, stencil_sides) ? 0 : tlb->back >> lane & 1;
    uint32_t setup = tlb->stencil_setup[side], *depth = &tlb->depth[sample][lane];
    bool z_pass = !tlb->depth_test || compare(tlb->depth_func, value, *depth);
    bool s_pass = true;
    if (setup) {
        uint8_t *stencil = &tlb->stencil[sample][lane], old = *stencil;
        uint8_t mask = (uint8_t)setup, reference = (uint8_t)(setup >> 8), write = tlb->stencil_write[side];
        s_pass = compare(setup >> 16 & 7, reference & mask, old & mask);
        unsigned op = !s_pass ? setup >> 19 : z_pass ? setup >> 22 : setup >> 25;
        *stencil = (uint8_t)((old & ~write) | (stencil_op(tlb, op, old, reference) & write));
    }
    if (s_pass && z_pass && tlb->depth_test && tlb->depth_write)
        *depth = value;
    return s_pass ? z_pass ? STENCIL_PASSES | BOTH_PASS : STENCIL_PASSES : 0;
}

/* One bit for each quad with any lane in the mask, at its first lane. */
static unsigned quads_of(unsigned lanes) {
    return (lanes | lanes >> 1 | lanes >> 2 | lanes >> 3) & 0x1111;
}

static unsigned count(unsigned quads) {
    return (quads & 0x1111) * 0x1111 >> 12 & 7;
}

/* test_sample of all lanes in `lanes`, one sample each, without a stencil test: those that pass. */
SIM_VERSIONS
static unsigned test_depth(struct sim_tlb *tlb, const u32x16 *z, unsigned lanes) {
    uint32_t value[SIM_LANES], *depth = tlb->depth[0];
    i32x16 pass = sim_lanemask(lanes), all = {}, less = {}, equal = {};
    if (!tlb->depth_test)
        return lanes;
    for (unsigned i = 0; i < SIM_LANES; i++) {
        value[i] = (*z)[i] & 0xffffff;
        less[i] = -(value[i] < depth[i]);
        equal[i] = -(value[i] == depth[i]);
    }
    switch (tlb->depth_func & 7) {
    case QPUSIM_FUNC_NEVER: pass = all; break;
    case QPUSIM_FUNC_LESS: pass &= less; break;
    case QPUSIM_FUNC_EQUAL: pass &= equal; break;
    case QPUSIM_FUNC_LEQUAL: pass &= less | equal; break;
    case QPUSIM_FUNC_GREATER: pass &= ~(less | equal); break;
    case QPUSIM_FUNC_NOTEQUAL: pass &= ~equal; break;
    case QPUSIM_FUNC_GEQUAL: pass &= ~less; break;
    default: break;
    }
    for (unsigned i = 0; i < SIM_LANES && tlb->depth_write; i++)
        depth[i] = pass[i] ? value[i] : depth[i];
    return sim_movemask(&pass);
}

static bool multisampled(const struct sim_tlb *tlb) {
    return tlb->words > tlb->sample_words;
}

/* One Z for all samples of a pixel: the QPU has no other. */
void sim_tlb_z(struct sim_tlb *tlb, const u32x16 *z, unsigned lanes) {
    unsigned pass = 0, stencil = 0, tested = tlb->mask & lanes, left = tested;
    if (!multisampled(tlb) && !(tlb->stencil_setup[0] | tlb->stencil_setup[1])) {
        pass = test_depth(tlb, z, tested);
        stencil = tested;
        left = 0;
        for (unsigned failed = tested & ~pass; failed; failed &= failed - 1)
            tlb->samples[__builtin_ctz(failed)] = 0;
    }
    for (; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left), passing = 0;
        for (unsigned sample = 0; tlb->samples[i] >> sample; sample++) {
            if (!(tlb->samples[i] >> sample & 1))
                continue;
            unsigned result = test_sample(tlb, sample, i, (*z)[i] & 0xffffff);
            stencil |= (result & STENCIL_PASSES) << i;
            passing |= (unsigned)(result >= BOTH_PASS) << sample;
        }
        tlb->samples[i] = (uint8_t)passing;
        pass |= (unsigned)(passing != 0) << i;
    }
    unsigned covered = quads_of(tested), any = quads_of(pass);
    tlb->quads.covered += count(covered);
    tlb->quads.uncovered += count(quads_of(tlb->coverage) & ~covered);
    tlb->quads.failing_stencil += count(covered & ~quads_of(stencil));
    tlb->quads.failing_z += count(covered & ~any);
    tlb->quads.passing += count(any);
    tlb->z_written |= pass;
    tlb->mask = SIM_FAULT(tlb, discard_kept) ? pass | (tlb->mask & ~lanes) : pass;
}

static void write_lanes(uint32_t to[SIM_LANES], const u32x16 *value, unsigned lanes) {
    if (lanes == 0xffff) {
        memcpy(to, value, sizeof *value);
        return;
    }
    for (; lanes; lanes &= lanes - 1)
        to[__builtin_ctz(lanes)] = (*value)[__builtin_ctz(lanes)];
}

/* The words of a pixel have one order, for reading and for writing (guide section 5, "Color Read and Write").
 */
void sim_tlb_color(struct sim_tlb *tlb, const u32x16 *color, unsigned lanes, bool one_sample) {
    bool all = !one_sample || !multisampled(tlb);
    unsigned *next = all ? &tlb->opaques : &tlb->writes;
    unsigned first = (*next)++ % (all ? tlb->sample_words : tlb->words);
    lanes &= tlb->mask;
    tlb->color_written |= lanes;
    if (!multisampled(tlb)) {
        write_lanes(tlb->color[first], color, lanes);
        return;
    }
    for (unsigned w = first; w < (all ? tlb->words : first + 1); w += tlb->sample_words)
        for (unsigned i = 0; i < SIM_LANES; i++)
            if (lanes >> i & 1 && tlb->samples[i] >> w / tlb->sample_words & 1)
                tlb->color[w][i] = (*color)[i];
}

void sim_tlb_read_color(struct sim_tlb *tlb, uint32_t lanes[SIM_LANES]) {
    unsigned word = tlb->reads++ % tlb->words;
    if (SIM_FAULT(tlb, sample_order))
        word = tlb->words - 1 - word;
    memcpy(lanes, tlb->color[word], SIM_LANES * sizeof *lanes);
}

void sim_tlb_alpha(struct sim_tlb *tlb, const u32x16 *value, unsigned lanes) {
    for (unsigned left = tlb->mask & lanes; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        tlb->alpha[i] = (uint8_t)(*value)[i];
    }
}

void sim_tlb_read_coverage(struct sim_tlb *tlb, bool bits, bool left, uint32_t lanes[SIM_LANES]) {
    for (unsigned i = 0; i < SIM_LANES; i++) {
        uint32_t word = tlb->depth[0][i] << 8 | tlb->stencil[0][i], any = 0, covered;
        for (unsigned k = 0; k < 16; k++)
            any |= (uint32_t)((word >> 2 * k & 3) != 0) << k;
        covered = (uint32_t)__builtin_popcount(any);
        lanes[i] = bits ? any : (covered * 255 + 8) / 16 * 0x01010101u;
        if (!left && tlb->mask >> i & 1)
            tlb->depth[0][i] = tlb->stencil[0][i] = 0;
    }
}
