/* What the trace callback sees: the instruction's text and the registers it wrote, in the assembler's names.
 */
#include "runtime/machine.h"

void sim_trace_write(struct sim_thread *t, const char *name, const u32x16 *value, unsigned lanes) {
    struct qpusim_trace *tr = t->trace;
    if (tr->write_count >= sizeof tr->writes / sizeof *tr->writes)
        return;
    struct qpusim_write *w = &tr->writes[tr->write_count++];
    size_t n = strlen(name);
    memcpy(w->name, name, n + 1 <= sizeof w->name ? n + 1 : sizeof w->name);
    w->name[sizeof w->name - 1] = 0;
    w->lanes = (uint16_t)lanes;
    memcpy(w->value, value, sizeof w->value);
}

static const char *io_name(unsigned file, unsigned addr) {
    static const char *const names[] = {
        "tmu_noswap", "r5",    "irq",   "nop",   "unif_addr", "x_coord", "ms_mask",
        "stencil",    "tlbz",  "tlbm",  "tlbc",  "tlbam",     "vpm",     "vr_setup",
        "vr_addr",    "mutex", "recip", "rsqrt", "exp",       "log",     "t0s",
        "t0t",        "t0r",   "t0b",   "t1s",   "t1t",       "t1r",     "t1b",
    };
    if (file) {
        switch (addr) {
        case QPU_W_UNIF_ADDR: return "unif_rel";
        case QPU_W_XY: return "y_coord";
        case QPU_W_MS_REV: return "rev_flag";
        case QPU_W_VPM_SETUP: return "vw_setup";
        case QPU_W_VPM_ADDR: return "vw_addr";
        default: break;
        }
    }
    return addr >= 36 && addr < 64 ? names[addr - 36] : "?";
}

void sim_trace_destination(struct sim_thread *t, const struct sim_inst *in, unsigned alu, unsigned lanes,
                           const u32x16 *io_value) {
    static const char digits[] = "0123456789";
    unsigned d = in->dst[alu];
    if (in->dst_kind[alu] == SIM_DST_IO) {
        sim_trace_write(t, io_name(in->io_file[alu], d), io_value, lanes);
        return;
    }
    char name[8], *p = name;
    *p++ = 'r';
    unsigned n = d;
    if (d < SIM_REG_ACC) {
        *p++ = d < SIM_REG_B ? 'a' : 'b';
        n = d & 31;
        if (n >= 10)
            *p++ = digits[n / 10];
        n %= 10;
    } else {
        n = d - SIM_REG_ACC;
    }
    *p++ = digits[n];
    *p = 0;
    sim_trace_write(t, name, &t->reg[d], lanes);
}

void sim_trace_begin(struct sim_thread *t, const struct sim_inst *in, struct qpusim_trace *tr, char *text,
                     size_t size) {
    memset(tr, 0, sizeof *tr);
    qpu_disassemble(in->word, t->index, text, size);
    tr->text = text;
    tr->stage = t->program->stage;
    tr->thread = t->number;
    tr->instruction = t->index;
    tr->cycle = t->clock->now;
    tr->word = in->word;
    t->trace = tr;
}

void sim_trace_select(struct sim_thread *t, const struct qpusim_fragments *f, const uint32_t *vertex,
                      unsigned count) {
    const struct qpusim_options *options = t->options;
    if (!options->trace || !options->select)
        return;
    struct qpusim_batch batch = {.stage = t->program->stage,
                                 .thread = t->number,
                                 .live = f ? f->live : (uint16_t)((1u << count) - 1),
                                 .x = f ? f->x : NULL,
                                 .y = f ? f->y : NULL,
                                 .vertex = vertex};
    batch.coverage = f ? f->coverage : batch.live;
    t->traced = options->select(options->trace_user, &batch);
}
