/* The I/O addresses of the register map (guide section 3, table 14) and the signals that move data. */
#include "runtime/machine.h"

/* --- uniforms ------------------------------------------------------------------------------------------- */

void sim_io_locate_uniforms(struct sim_thread *t) {
    uint32_t offset = t->unif_next - QPUSIM_STREAM_ADDRESS, limit = (t->unif_limit - t->unif_next) / 4;
    const struct sim_buffer *b = t->memory ? sim_memory_buffer(t->memory, t->unif_next) : NULL;
    t->unif_left = 0;
    if (t->unif_next - t->unif_base >= t->unif_limit - t->unif_base)
        return;
    if (t->uniforms.words && offset / 4 < t->uniforms.count) {
        t->unif_host = (const uint8_t *)(t->uniforms.words + offset / 4);
        t->unif_left = (uint32_t)(t->uniforms.count - offset / 4);
    } else if (b) {
        t->unif_host = b->bytes + (t->unif_next - b->address);
        t->unif_left = (b->size - (t->unif_next - b->address)) / 4;
    }
    t->unif_left = t->unif_left < limit ? t->unif_left : limit;
}

bool sim_io_uniform(struct sim_thread *t, uint32_t *word) {
    uint32_t offset = t->unif_next - QPUSIM_STREAM_ADDRESS;
    if (t->end && sim_fail(t, SIM_END_UNIFORM, -1, "uniform read in the last three instructions"))
        return false;
    if (t->since_address && t->executed - t->since_address < 2 + 1 &&
        sim_fail(t, SIM_UNIFORM_GAP, -1, "uniform read %u instructions after the address write",
                 (unsigned)(t->executed - t->since_address)))
        return false;
    t->counters->uniforms++;
    if (t->unif_next - t->unif_base >= t->unif_limit - t->unif_base) {
        *word = sim_pattern(&t->poison_state);
        return !sim_fail(t, SIM_UNIFORM_END, -1, "uniform %u is read, the stream has %u words",
                         (t->unif_next - t->unif_base) / 4, (t->unif_limit - t->unif_base) / 4);
    }
    if (t->uniforms.words && offset / 4 < t->uniforms.count) {
        *word = t->uniforms.words[offset / 4];
    } else if (!sim_memory_word(t->memory, t->unif_next, word)) {
        *word = sim_pattern(&t->poison_state);
        return !sim_fail(t, SIM_UNIFORM_END, -1, "the stream address %08x is outside memory", t->unif_next);
    }
    t->unif_next += 4;
    if (t->unif_left) {
        t->unif_left--;
        t->unif_host += 4;
    }
    return true;
}

static bool set_uniform_address(struct sim_thread *t, unsigned file, uint32_t value) {
    uint32_t target = file ? t->unif_next + value : value;
    if (SIM_FAULT(t->options, uniform_address))
        target += 4;
    t->since_address = t->executed;
    t->unif_moved = true;
    if (target & 3 && sim_fail(t, SIM_UNIFORM_ADDRESS, 0, "the address %08x is not a multiple of 4", target))
        return false;
    target &= ~3u;
    uint32_t stream = t->uniforms.words ? QPUSIM_STREAM_ADDRESS : t->uniforms.address;
    uint32_t size = (uint32_t)(4 * t->uniforms.count);
    const struct sim_buffer *buffer = t->memory ? sim_memory_buffer(t->memory, target) : NULL;
    t->unif_next = target;
    if (target - stream <= size) {
        t->unif_base = stream;
        t->unif_limit = stream + size;
    } else if (buffer) {
        t->unif_base = buffer->address;
        t->unif_limit = buffer->address + buffer->size;
    } else {
        return !sim_fail(t, SIM_UNIFORM_ADDRESS, 0, "the address %08x is neither in the stream nor in memory",
                         target);
    }
    return true;
}

static bool write_uniform_address(struct sim_thread *t, unsigned file, uint32_t value) {
    bool on = set_uniform_address(t, file, value);
    sim_io_locate_uniforms(t);
    return on;
}

/* --- port reads ----------------------------------------------------------------------------------------- */

static bool read_varying(struct sim_thread *t, u32x16 *value) {
    if (t->end && sim_fail(t, SIM_END_VARYING, -1, "varying read in the last three instructions"))
        return false;
    if (t->varyings_read >= t->fragments->varying_count)
        return !sim_fail(t, SIM_VARYING_END, -1, "varying word %u is read, %u are set up", t->varyings_read,
                         t->fragments->varying_count);
    t->counters->varyings++;
    memcpy(value, t->fragments->vary[t->varyings_read], sizeof *value);
    sim_thread_fill_absent(t, value);
    t->varyings_read++;
    t->vary_c = true;
    return true;
}

static bool read_vpm(struct sim_thread *t, u32x16 *value, sim_poison *poison) {
    struct sim_vpm *v = &t->vpm;
    if (t->end && sim_fail(t, SIM_END_VPM, -1, "VPM read in the last three instructions"))
        return false;
    if (!v->queued)
        return !sim_fail(t, SIM_VPM_READ_EMPTY, -1, "VPM read, but no programmed read is left");
    t->counters->stall_fifo += sim_clock_wait(t->clock, v->ready);
    t->counters->vpm_reads++;
    struct sim_vpm_block *b = &v->read[0];
    uint16_t offset[SIM_LANES];
    unsigned width = sim_vpm_elements(b, offset);
    *poison = 0;
    for (unsigned i = 0; i < SIM_LANES; i++) {
        unsigned row = offset[i] / 64, shift = offset[i] % 4 * 8;
        uint32_t word;
        if (t->shared->user) {
            word = t->shared->user->vpm[row][offset[i] / 4 % 16];
        } else if (row < v->rows_in) {
            word = v->in[row][offset[i] / 4 % 16];
        } else {
            word = sim_pattern(&t->poison_state);
            *poison |= sim_poison_of_lanes(1u << i);
        }
        v->read_rows |= 1ull << row;
        (*value)[i] = width == 4 ? word : word >> shift & ((1u << 8 * width) - 1);
    }
    b->addr = (b->addr + b->stride) & (width == 4 ? 63 : width == 2 ? 127 : 255);
    if (!--b->remaining) {
        v->read[0] = v->read[1];
        v->queued--;
    }
    return true;
}

bool sim_io_read(struct sim_thread *t, unsigned file, unsigned addr, u32x16 *value, sim_poison *poison) {
    *poison = 0;
    switch (addr) {
    case QPU_R_UNIF: {
        uint32_t word;
        if (!sim_io_uniform(t, &word))
            return false;
        *value = SIM_SPLAT(word);
        return true;
    }
    case QPU_R_VARY:
        if (t->program->stage != QPUSIM_FRAGMENT)
            break;
        return read_varying(t, value);
    case QPU_R_ELEM_QPU:
        for (unsigned i = 0; i < SIM_LANES; i++)
            (*value)[i] = !file ? i : t->shared->user ? t->number : 0;
        return true;
    case QPU_R_XY:
        if (t->program->stage != QPUSIM_FRAGMENT)
            break;
        memcpy(value, file ? t->fragments->y : t->fragments->x, sizeof *value);
        sim_thread_fill_absent(t, value);
        return true;
    case QPU_R_MS_REV:
        if (t->program->stage != QPUSIM_FRAGMENT)
            break;
        if (!file && t->since_z && t->executed - t->since_z < 3 &&
            sim_fail(t, SIM_MS_AFTER_Z, -1, "the mask is read too soon after a Z write"))
            return false;
        for (unsigned i = 0; i < SIM_LANES; i++)
            (*value)[i] = file ? t->tlb.back >> i & 1 : t->tlb.mask >> i & 1 ? t->tlb.samples[i] : 0;
        return true;
    case QPU_R_VPM: return read_vpm(t, value, poison);
    case QPU_R_VPM_BUSY:
    case QPU_R_VPM_WAIT: *value = SIM_SPLAT(0); return true;
    case QPU_R_MUTEX:
        if (t->shared->mutex && sim_fail(t, SIM_MUTEX, -1, "the mutex is already taken: a deadlock"))
            return false;
        t->shared->mutex = t->holds_mutex = true;
        for (unsigned i = 0; i < SIM_LANES; i++)
            (*value)[i] = file ? 0 : i;
        return true;
    default: break;
    }
    /* Address 39: leftovers of earlier reads (facts section 4), undefined here. */
    for (unsigned i = 0; i < SIM_LANES; i++)
        (*value)[i] = sim_pattern(&t->poison_state);
    *poison = ~0ull;
    return true;
}

/* --- TMU ------------------------------------------------------------------------------------------------ */

static bool submit(struct sim_thread *t, unsigned unit) {
    struct sim_tmu_request *q = &t->tmu[unit];
    unsigned words = (unsigned)__builtin_popcount(q->written);
    unsigned half = t->program->threaded ? 2 : 1;
    if ((t->tmu_words[unit] + words > 8 / half || t->result_count[unit] >= 4 / half) &&
        sim_fail(t, SIM_TMU_FIFO, -1,
                 "TMU%u: %u requests of %u words are under way, no room for %u more words", unit,
                 t->result_count[unit], t->tmu_words[unit], words))
        return false;
    if (t->result_count[unit] == SIM_TMU_DEPTH) { /* lenient: the oldest is lost */
        t->result_head[unit] = (t->result_head[unit] + 1) % SIM_TMU_DEPTH;
        t->result_count[unit]--;
    }
    unsigned slot = (t->result_head[unit] + t->result_count[unit]) % SIM_TMU_DEPTH;
    struct sim_tmu_error error = {.lane = -1};
    q->live = t->live;
    t->shared->samplers.fault = t->options->fault;
    q->asked = t->program->stage == QPUSIM_FRAGMENT ? 0xffff : t->live;
    struct sim_tmu_answer *answer = &t->results[unit][slot].answer;
    if (t->shared->samplers.lines)
        t->shared->samplers.lines->unit = unit;
    unsigned passes = sim_tmu_lookup(t->memory, &t->shared->samplers, q, answer, &error);
    if (!passes) {
        char where[100] = "";
        if (!error.why)
            sim_memory_explain(t->memory, error.address, 4, where, sizeof where);
        if (sim_fail(t, error.rule, error.lane, "TMU%u, parameters %08x %08x %08x: %s", unit, q->param[0],
                     q->param[1], q->param[2], error.why ? error.why : where))
            return false;
        passes = 1;
        answer->words = 1;
        answer->value[0] = SIM_SPLAT(0);
    }
    t->results[unit][slot].loaded = 0;
    t->results[unit][slot].ready = sim_clock_tmu_request(t->clock, unit, passes);
    t->results[unit][slot].switches = t->switches;
    t->results[unit][slot].words = words;
    t->result_count[unit]++;
    t->tmu_words[unit] += words;
    t->counters->tmu_requests++;
    q->written = q->params = 0;
    return true;
}

static bool write_tmu(struct sim_thread *t, unsigned addr, const u32x16 *value, unsigned undefined) {
    unsigned unit = addr >= QPU_W_TMU1_S, coord = (addr - QPU_W_TMU0_S) & 3;
    struct sim_tmu_request *q = &t->tmu[unit];
    if (!t->tmu_used && t->since_noswap && t->executed - t->since_noswap < 3 &&
        sim_fail(t, SIM_TMU_NOSWAP, -1,
                 "the swap is disabled less than three instructions before the first use"))
        return false;
    t->tmu_used = true;
    if (undefined &&
        sim_fail(t, SIM_UNDEF_TEXTURE, sim_first_lane(undefined), "an undefined coordinate is written"))
        return false;
    if (q->written >> coord & 1 && sim_fail(t, SIM_TMU_HALF, -1, "a coordinate is written twice before S"))
        return false;
    if (!q->written) {
        memset(q->coord, 0, sizeof q->coord);
        memset(q->param, 0, sizeof q->param);
        q->params = 0;
    }
    bool direct = coord == 0 && !q->written;
    if (!direct) {
        const struct sim_inst *in = &t->program->code[t->index];
        if ((in->raddr[0] == QPU_R_UNIF || in->raddr[1] == QPU_R_UNIF) &&
            sim_fail(t, SIM_UNIFORM_TMU, -1,
                     "the lookup takes a uniform itself, the instruction reads another"))
            return false;
        uint32_t word;
        if (!sim_io_uniform(t, &word))
            return false;
        q->param[q->params++ & 3] = word;
    }
    q->coord[coord] = *value;
    q->written |= 1u << coord;
    return coord ? true : submit(t, unit);
}

static bool load_tmu(struct sim_thread *t, unsigned unit, u32x16 *r4) {
    if (!t->result_count[unit]) {
        *r4 = SIM_SPLAT(sim_pattern(&t->poison_state));
        return !sim_fail(t, SIM_TMU_EMPTY, -1, "TMU%u is read, but nothing was requested", unit);
    }
    unsigned slot = t->result_head[unit];
    if (t->program->threaded && t->results[unit][slot].switches == t->switches &&
        sim_fail(t, SIM_TMU_SWITCH, -1, "TMU%u is read without a thread switch after the request", unit))
        return false;
    t->counters->stall_tmu += sim_clock_wait(t->clock, t->results[unit][slot].ready);
    *r4 = t->results[unit][slot].answer.value[t->results[unit][slot].loaded++];
    if (t->results[unit][slot].loaded == t->results[unit][slot].answer.words) {
        t->tmu_words[unit] -= t->results[unit][slot].words;
        t->result_head[unit] = (slot + 1) % SIM_TMU_DEPTH;
        t->result_count[unit]--;
    }
    for (unsigned i = 0; i < SIM_LANES && t->live != 0xffff && t->program->stage != QPUSIM_FRAGMENT; i++)
        if (!(t->live >> i & 1))
            (*r4)[i] = sim_pattern(&t->poison_state);
    return true;
}

/* --- tile buffer ---------------------------------------------------------------------------------------- */

/* The scoreboard is waited for explicitly or by the first access. */
static bool scoreboard(struct sim_thread *t, bool access) {
    if (t->sb_unlocked && access &&
        sim_fail(t, SIM_SB_UNLOCKED, -1, "tile buffer access after the scoreboard unlock"))
        return false;
    if (t->sb_locked)
        return true;
    t->sb_locked = true;
    if (t->index == 0 && sim_fail(t, SIM_SB_EARLY, -1, "scoreboard wait in the first instruction"))
        return false;
    if (t->end == 3 && sim_fail(t, SIM_SB_END, -1, "the first scoreboard wait is on the thread end"))
        return false;
    if (t->program->threaded && !t->last_done &&
        sim_fail(t, SIM_SB_SWITCH, -1, "scoreboard wait before the last thread switch"))
        return false;
    return true;
}

static bool write_tlb(struct sim_thread *t, unsigned addr, const u32x16 *value, unsigned bad, unsigned lanes,
                      unsigned cond_bad) {
    bool alpha = addr == QPU_W_TLB_ALPHA_MASK;
    if (alpha && (t->program->stage != QPUSIM_FRAGMENT || !t->fragments->alpha_mask) &&
        sim_fail(t, SIM_COVERAGE, -1, "alpha mask write, and the frame has no alpha mask"))
        return false;
    if (addr == QPU_W_TLB_STENCIL) {
        if ((bad | cond_bad) & 1 && sim_fail(t, SIM_UNDEF_ADDRESS, 0, "undefined stencil setup"))
            return false;
        sim_tlb_stencil_setup(&t->tlb, (*value)[0]);
        return true;
    }
    if (!scoreboard(t, true))
        return false;
    unsigned covered = t->tlb.mask;
    bad = ((bad & lanes) | cond_bad) & covered;
    if (bad && sim_fail(t, SIM_UNDEF_PIXEL, sim_first_lane(bad), "an undefined %s is written",
                        addr == QPU_W_TLB_Z ? "depth"
                        : alpha             ? "alpha mask"
                                            : "colour"))
        return false;
    t->counters->tlb_writes++;
    if (addr == QPU_W_TLB_Z) {
        if (t->end == 1 && sim_fail(t, SIM_END_TLB_Z, -1, "Z write in the last instruction"))
            return false;
        t->since_z = t->executed;
        sim_tlb_z(&t->tlb, value, lanes);
    } else if (alpha) {
        sim_tlb_alpha(&t->tlb, value, lanes);
    } else {
        sim_tlb_color(&t->tlb, value, lanes, addr == QPU_W_TLB_COLOR_MS);
    }
    return true;
}

/* --- writes --------------------------------------------------------------------------------------------- */

static bool write_vpm(struct sim_thread *t, const u32x16 *value, unsigned bad) {
    struct sim_vpm *v = &t->vpm;
    if (t->end && sim_fail(t, SIM_END_VPM, -1, "VPM write in the last three instructions"))
        return false;
    if (!v->write_set && sim_fail(t, SIM_VPM_NO_SETUP, -1, "VPM write before any write setup"))
        return false;
    bad &= t->live;
    if (bad && sim_fail(t, SIM_UNDEF_VERTEX, sim_first_lane(bad), "an undefined value is written to the VPM"))
        return false;
    t->counters->vpm_writes++;
    struct sim_user *user = t->shared->user;
    uint16_t offset[SIM_LANES];
    unsigned width = sim_vpm_elements(&v->write, offset);
    for (unsigned i = 0; i < SIM_LANES; i++) {
        unsigned row = offset[i] / 64, shift = offset[i] % 4 * 8;
        if (user && row >= user->rows)
            continue; /* guide section 7: writes outside the window are masked */
        if (!user && !(v->written_rows >> row & 1)) /* what was there before is arbitrary */
            for (unsigned k = 0; k < SIM_LANES; k++)
                v->out[row][k] = sim_pattern(&t->poison_state);
        uint32_t mask = width == 4 ? ~0u : ((1u << 8 * width) - 1) << shift,
                 *word = &(user ? user->vpm : v->out)[row][offset[i] / 4 % 16];
        *word = (*word & ~mask) | ((*value)[i] << shift & mask);
        v->written_rows |= 1ull << row;
        if (row >= v->rows_out)
            v->rows_out = row + 1;
    }
    v->write.addr = (v->write.addr + v->write.stride) & (width == 4 ? 63 : width == 2 ? 127 : 255);
    return true;
}

static bool setup_vpm(struct sim_thread *t, unsigned file, uint32_t word, bool bad) {
    struct sim_vpm *v = &t->vpm;
    if (bad && sim_fail(t, SIM_UNDEF_ADDRESS, 0, "undefined VPM setup"))
        return false;
    if (t->end && sim_fail(t, SIM_END_VPM, -1, "VPM setup in the last three instructions"))
        return false;
    if (word >> 30 && t->shared->user)
        return sim_user_setup(t, file, word);
    if (word >> 30)
        return !sim_fail(t, SIM_VPM_DMA, -1, "setup word %08x", word);
    struct sim_vpm_block b = sim_vpm_decode(word);
    if (SIM_FAULT(t->options, vpm_laned))
        b.laned = false;
    if (SIM_FAULT(t->options, vpm_stride_63) && b.stride == 63)
        b.stride = 1;
    if (b.size == 3) {
        b.size = 2;
        if (sim_fail(t, SIM_VPM_SETUP, -1, "reserved size in setup word %08x", word))
            return false;
    }
    if (file) {
        v->write = b;
        v->write_set = true;
        return true;
    }
    unsigned pending = v->queued ? v->read[0].remaining + (v->queued > 1 ? v->read[1].remaining : 0) : 0;
    if (SIM_FAULT(t->options, vpm_read_setup) && pending)
        return true;
    if (pending > 1) {
        /* The addendum says ignored, the guide says queued. */
        if (sim_fail(t, SIM_VPM_SETUP_QUEUE, -1, "read setup while %u reads are pending", pending))
            return false;
        if (v->queued == 2)
            return true;
    }
    v->read[v->queued++] = b;
    v->ready = sim_clock_vpm_ready(t->clock);
    return true;
}

static bool write_sfu(struct sim_thread *t, unsigned addr, const u32x16 *value, sim_poison poison,
                      unsigned lanes, unsigned cond_poison) {
    if (t->sfu && sim_fail(t, SIM_SFU_R4_WRITE, -1, "SFU write while another result is on its way"))
        return false;
    t->counters->sfu++;
    static uint32_t (*const ideal[4])(uint32_t) = {sim_ideal_recip, sim_ideal_rsqrt, sim_ideal_exp2,
                                                   sim_ideal_log2};
    if (t->options->ideal)
        for (unsigned i = 0; i < SIM_LANES; i++)
            t->sfu_value[i] = ideal[addr - QPU_W_SFU_RECIP]((*value)[i]);
    else if (t->options->fault)
        sim_faulty_sfu(t->options->fault, (enum sim_sfu_function)(addr - QPU_W_SFU_RECIP), value,
                       &t->sfu_value);
    else
        sim_sfu((enum sim_sfu_function)(addr - QPU_W_SFU_RECIP), value, &t->sfu_value);
    /* A masked lane still sends something to the SFU: nobody says what. */
    t->sfu_poison = sim_poison_of_lanes(sim_poison_lanes(poison) | cond_poison | (~lanes & 0xffff));
    t->sfu = 3;
    return true;
}

bool sim_io_write(struct sim_thread *t, unsigned file, unsigned addr, const u32x16 *value, sim_poison poison,
                  unsigned lanes, unsigned cond_poison) {
    unsigned bad = sim_poison_lanes(poison);
    /* Peripherals other than the tile buffer take all lanes, with garbage in masked ones (facts section 3).
     */
    unsigned garbage = bad | cond_poison | (~lanes & 0xffff);
    if (addr >= QPU_W_TMU0_S)
        return write_tmu(t, addr, value, garbage & t->live);
    switch (addr) {
    case QPU_W_TLB_STENCIL:
    case QPU_W_TLB_Z:
    case QPU_W_TLB_COLOR_MS:
    case QPU_W_TLB_COLOR:
    case QPU_W_TLB_ALPHA_MASK: return write_tlb(t, addr, value, bad, lanes, cond_poison);
    case QPU_W_SFU_RECIP:
    case QPU_W_SFU_RSQRT:
    case QPU_W_SFU_EXP:
    case QPU_W_SFU_LOG: return write_sfu(t, addr, value, poison, lanes, cond_poison);
    case QPU_W_VPM: return write_vpm(t, value, garbage);
    case QPU_W_VPM_SETUP: return setup_vpm(t, file, (*value)[0], garbage & 1);
    case QPU_W_VPM_ADDR:
        if (!t->shared->user)
            return !sim_fail(t, SIM_VPM_DMA, -1, "VPM DMA address");
        if (garbage & 1 && sim_fail(t, SIM_UNDEF_ADDRESS, 0, "undefined VPM DMA address"))
            return false;
        return sim_user_dma(t, file, (*value)[0]);
    case QPU_W_UNIF_ADDR:
        if (garbage & 1 && sim_fail(t, SIM_UNDEF_ADDRESS, 0, "undefined uniform address"))
            return false;
        return write_uniform_address(t, file, (*value)[0]);
    case QPU_W_TMU_NOSWAP:
        if (garbage & 1 && sim_fail(t, SIM_UNDEF_ADDRESS, 0, "undefined swap disable"))
            return false;
        if (t->tmu_used && sim_fail(t, SIM_TMU_NOSWAP, -1, "the swap is disabled after a TMU was used"))
            return false;
        t->since_noswap = t->executed;
        return true;
    case QPU_W_MS_REV:
        if (garbage & t->live &&
            sim_fail(t, SIM_UNDEF_PIXEL, sim_first_lane(garbage & t->live), "undefined mask"))
            return false;
        *(file ? &t->tlb.back : &t->tlb.mask) = 0;
        for (unsigned i = 0; i < SIM_LANES; i++)
            if (file)
                t->tlb.back |= ((*value)[i] & 1) << i;
            else {
                t->tlb.samples[i] = (*value)[i] & (t->tlb.words > t->tlb.sample_words ? 15 : 1);
                t->tlb.mask |= (t->tlb.samples[i] != 0) << i;
            }
        if (!file) /* the multisample mask of a lane outside the primitive must stay clear */
            t->tlb.mask &= t->live;
        return true;
    case QPU_W_XY: return !sim_fail(t, SIM_QUAD_XY, -1, "write of a quad coordinate");
    case QPU_W_MUTEX:
        if (!t->holds_mutex && sim_fail(t, SIM_MUTEX, -1, "the mutex is released but was not taken"))
            return false;
        t->shared->mutex = t->holds_mutex = false;
        return true;
    case QPU_W_HOST_INT: /* takes a value other than 0 (facts section 12) */
        if (t->shared->user && (*value)[0])
            *t->shared->user->interrupts |= 1u << t->number;
        return true;
    default: return !sim_fail(t, SIM_WRITE_ADDRESS, -1, "write address %u", addr);
    }
}

/* --- signals -------------------------------------------------------------------------------------------- */

static bool read_tile(struct sim_thread *t, unsigned sig, uint32_t out[SIM_LANES]) {
    const struct qpusim_fragments *f = t->fragments;
    if (sig == QPU_SIG_LOADC || sig == QPU_SIG_LDCEND) {
        sim_tlb_read_color(&t->tlb, out);
        return true;
    }
    bool coverage = sig == QPU_SIG_LOADCV;
    memset(out, 0, SIM_LANES * sizeof *out);
    if (t->program->stage != QPUSIM_FRAGMENT || !(coverage ? f->coverage_buffer : f->alpha_mask))
        return !sim_fail(t, SIM_COVERAGE, -1, "%s load, and the frame has none",
                         coverage ? "coverage" : "alpha mask");
    if (coverage && f->multisample &&
        sim_fail(t, SIM_COVERAGE, -1, "coverage load, and pixels have four samples"))
        return false;
    if (coverage)
        sim_tlb_read_coverage(&t->tlb, f->coverage_bits, f->coverage_left, out);
    for (unsigned i = 0; i < SIM_LANES && !coverage; i++)
        out[i] = t->tlb.alpha[i];
    return true;
}

bool sim_io_signal(struct sim_thread *t, unsigned sig, u32x16 *r4, sim_poison *poison, bool *loads_r4) {
    uint32_t color[SIM_LANES];
    *poison = 0;
    *loads_r4 = false;
    switch (sig) {
    case QPU_SIG_SBWAIT:
        if (t->program->stage != QPUSIM_FRAGMENT)
            return !sim_fail(t, SIM_FRAGMENT_ONLY, -1, "scoreboard wait");
        return scoreboard(t, false);
    case QPU_SIG_SBDONE:
        if (t->program->stage != QPUSIM_FRAGMENT)
            return !sim_fail(t, SIM_FRAGMENT_ONLY, -1, "scoreboard unlock");
        t->sb_done = true; /* the access in this very instruction still counts */
        return true;
    case QPU_SIG_LOADC:
    case QPU_SIG_LDCEND:
    case QPU_SIG_LDTMU0:
    case QPU_SIG_LDTMU1:
    case QPU_SIG_LOADCV:
    case QPU_SIG_LOADAM:
        if (t->sfu && sim_fail(t, SIM_SFU_R4_WRITE, -1, "r4 is loaded while an SFU result is on its way"))
            return false;
        *loads_r4 = true;
        if (sig == QPU_SIG_LDTMU0 || sig == QPU_SIG_LDTMU1)
            return load_tmu(t, sig == QPU_SIG_LDTMU1, r4);
        if (!scoreboard(t, true) || !read_tile(t, sig, color))
            return false;
        for (unsigned i = 0; i < SIM_LANES; i++)
            (*r4)[i] = t->live >> i & 1 ? color[i] : sim_pattern(&t->poison_state);
        return true;
    default: return true;
    }
}

bool sim_io_semaphore(struct sim_thread *t, unsigned number, bool down) {
    uint8_t *s = &t->shared->semaphore[number & 15];
    if (*s == (down ? 0 : 15))
        return !sim_fail(t, SIM_SEMAPHORE, -1, "semaphore %u cannot go %s and nobody else will change it",
                         number, down ? "below 0" : "above 15");
    *s = (uint8_t)(down ? *s - 1 : *s + 1);
    return true;
}

/* --- the end -------------------------------------------------------------------------------------------- */

enum sim_stop sim_thread_finish(struct sim_thread *t, unsigned expected_outputs, bool partial_inputs) {
    const struct qpusim_program *p = t->program;
    if (t->sfu && sim_fail(t, SIM_END_SFU, -1, "an SFU result is on its way at the end"))
        return SIM_STOP_ERROR;
    for (unsigned u = 0; u < 2; u++) {
        if (t->tmu[u].written &&
            sim_fail(t, SIM_TMU_HALF, -1, "TMU%u has coordinates but no S at the end", u))
            return SIM_STOP_ERROR;
        if (t->result_count[u] &&
            sim_fail(t, SIM_TMU_LEFT, -1, "TMU%u: %u results were not read", u, t->result_count[u]))
            return SIM_STOP_ERROR;
    }
    if (t->holds_mutex && sim_fail(t, SIM_MUTEX, -1, "the mutex is still taken at the end"))
        return SIM_STOP_ERROR;
    if (!partial_inputs && !p->has_branch && !t->unif_moved && t->unif_next != t->unif_limit &&
        sim_fail(t, SIM_UNIFORM_LEFT, -1, "%u of %u uniform words were not read",
                 (t->unif_limit - t->unif_next) / 4, (t->unif_limit - t->unif_base) / 4))
        return SIM_STOP_ERROR;
    if (p->stage == QPUSIM_FRAGMENT) {
        if (t->varyings_read != t->fragments->varying_count &&
            sim_fail(t, SIM_VARYING_LEFT, -1, "%u of %u varying words were read", t->varyings_read,
                     t->fragments->varying_count))
            return SIM_STOP_ERROR;
        if (t->sb_locked && !t->sb_unlocked && !t->sb_done &&
            sim_fail(t, SIM_SB_LEFT, -1, "the scoreboard was locked and not unlocked"))
            return SIM_STOP_ERROR;
        return SIM_STOP_END;
    }
    const struct sim_vpm *v = &t->vpm;
    if (v->queued &&
        sim_fail(t, SIM_VPM_READ_LEFT, -1, "%u programmed VPM reads were not done", v->read[0].remaining))
        return SIM_STOP_ERROR;
    for (unsigned r = 0; r < v->rows_in && !partial_inputs; r++)
        if (!(v->read_rows >> r & 1) &&
            sim_fail(t, SIM_ATTRIBUTE_LEFT, -1, "attribute word %u of %u was not read", r, v->rows_in))
            return SIM_STOP_ERROR;
    for (unsigned r = 0; r < expected_outputs; r++)
        if (!(v->written_rows >> r & 1) &&
            sim_fail(t, SIM_VPM_OUTPUT, -1, "output word %u of %u was not written", r, expected_outputs))
            return SIM_STOP_ERROR;
    return SIM_STOP_END;
}
