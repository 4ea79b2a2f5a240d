/* How undefined bytes spread through rotations, unpacks, operations and packs. Off the fast path: nothing
 * here runs while all operands are defined. */
#include "runtime/machine.h"

sim_poison sim_poison_rotated(sim_poison p, unsigned n, bool full) {
    sim_poison r = 0;
    for (unsigned byte = 0; byte < 4; byte++) {
        for (unsigned i = 0; i < SIM_LANES; i++) {
            unsigned from = full ? (i - n) & 15 : (i & ~3u) | ((i - n) & 3);
            r |= (p >> (16 * byte + from) & 1) << (16 * byte + i);
        }
    }
    return r;
}

sim_poison sim_poison_unpacked(unsigned mode, sim_poison p) {
    switch (mode) {
    case QPU_UNPACK_16A: return sim_poison_of_lanes((unsigned)(p | p >> 16));
    case QPU_UNPACK_16B: return sim_poison_of_lanes((unsigned)(p >> 32 | p >> 48));
    case QPU_UNPACK_8D_REP:
    case QPU_UNPACK_8D: return sim_poison_of_lanes((unsigned)(p >> 48));
    case QPU_UNPACK_8A:
    case QPU_UNPACK_8B:
    case QPU_UNPACK_8C: return sim_poison_of_lanes((unsigned)(p >> (16 * (mode - QPU_UNPACK_8A))));
    default: return p;
    }
}

/* Bytes of lanes that a defined operand byte decides whatever the other is. */
static sim_poison decided_bytes(const u32x16 *v, sim_poison defined, uint8_t deciding) {
    sim_poison r = 0;
    for (unsigned i = 0; i < SIM_LANES; i++)
        for (unsigned byte = 0; byte < 4; byte++)
            if (((*v)[i] >> (8 * byte) & 0xff) == deciding)
                r |= 1ull << (16 * byte + i);
    return r & defined;
}

sim_poison sim_poison_result(const struct sim_inst *in, unsigned alu, const u32x16 *a, const u32x16 *b,
                             sim_poison pa, sim_poison pb) {
    unsigned op = in->op[alu];
    sim_poison p = pa | pb;
    if (alu == 0) {
        switch (op) {
        case QPU_A_XOR:
        case QPU_A_SUB:
            if (in->same[0])
                return 0;
            if (op == QPU_A_XOR)
                return p;
            break;
        case QPU_A_AND: return p & ~decided_bytes(a, ~pa, 0) & ~decided_bytes(b, ~pb, 0);
        case QPU_A_OR: return p & ~decided_bytes(a, ~pa, 0xff) & ~decided_bytes(b, ~pb, 0xff);
        case QPU_A_NOT:
        case QPU_A_V8ADDS:
        case QPU_A_V8SUBS: return p;
        default: break;
        }
    } else if (op >= QPU_M_V8MULD) {
        if (in->same[1] && op == QPU_M_V8SUBS)
            return 0;
        return p;
    }
    return sim_poison_of_lanes(sim_poison_lanes(p));
}

sim_poison sim_poison_packed(unsigned mode, sim_poison value, sim_poison old) {
    if (mode == 0)
        return value;
    uint64_t lanes = sim_poison_lanes(value);
    switch (mode & 7) {
    case QPU_PACK_16A: return (old & 0xffffffff00000000ull) | lanes | lanes << 16;
    case QPU_PACK_16B: return (old & 0x00000000ffffffffull) | lanes << 32 | lanes << 48;
    case QPU_PACK_8A:
    case QPU_PACK_8B:
    case QPU_PACK_8C:
    case QPU_PACK_8D: {
        unsigned shift = 16 * ((mode & 7) - QPU_PACK_8A);
        return (old & ~(0xffffull << shift)) | lanes << shift;
    }
    default: return sim_poison_of_lanes((unsigned)lanes);
    }
}
