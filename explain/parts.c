/* Instruction words taken apart: what each ALU and the signal read, write and occupy. Section numbers are the
 * guide's.
 *
 * Requires: nothing of the words; a reserved pattern is an instruction that does nothing. */
#include "backend/isa/text.h"
#include "explain/analysis.h"

#include <stdio.h>
#include <string.h>

#define UNIT(name) (1u << QPUCC_RESOURCE_##name)

static void read_operand(const struct qpu_inst *q, struct part *part, unsigned mux) {
    if (mux < QPU_MUX_A) {
        part->read_acc |= (uint8_t)(1u << mux);
        part->unpacks |= q->unpack && q->pm && mux == QPU_MUX_R4;
        return;
    }
    unsigned file = mux == QPU_MUX_B, address = file ? q->raddr_b : q->raddr_a;
    if (file && q->sig == QPU_SIG_SMALL_IMM) {
        part->immediate = true;
        part->units |= UNIT(READ_B);
        return;
    }
    part->unpacks |= q->unpack && !q->pm && !file;
    if (address < 32) {
        *(file ? &part->read_b : &part->read_a) = (int8_t)address;
        part->units |= file ? UNIT(READ_B) : UNIT(READ_A);
    } else if (is_io((int)address)) {
        part->port[file] = (int8_t)address;
        part->units |= address == QPU_R_UNIF   ? UNIT(UNIFORM)
                       : address == QPU_R_VARY ? UNIT(VARYING)
                       : address == QPU_R_VPM  ? UNIT(VPM)
                                               : 0;
    }
}

static unsigned units_of_write(int address) {
    if (is_sfu_address(address))
        return UNIT(SFU);
    if (is_tmu_address(address))
        return UNIT(TMU);
    if (is_tile_address(address))
        return UNIT(TLB);
    return address >= QPU_W_VPM && address <= QPU_W_VPM_ADDR ? UNIT(VPM) : 0;
}

/* What a half writes, under which condition, and where to. */
static void write_result(const struct qpu_inst *q, struct part *part, bool mul) {
    unsigned address = mul ? q->waddr_mul : q->waddr_add, cond = mul ? q->cond_mul : q->cond_add;
    bool file_b = (bool)q->ws != mul;
    if (cond == QPU_COND_NEVER || address == QPU_W_NOP)
        return;
    part->partial = cond != QPU_COND_ALWAYS;
    part->reads_flags = part->partial;
    if (address < 32) {
        part->write = (int8_t)((file_b ? LOC_B : LOC_A) + (int)address);
        unsigned pack = q->pack & ~(unsigned)QPU_PACK_SAT;
        if (q->type != QPU_BRANCH && !q->pm && !file_b && q->pack) {
            part->packs = true;
            part->partial |= pack != QPU_PACK_NONE && pack != QPU_PACK_8888;
        }
    } else if (address <= QPU_W_ACC3) {
        part->write = (int8_t)(LOC_ACC + (int)address - QPU_W_ACC0);
    } else {
        part->special = (int8_t)address;
        part->special_b = file_b;
        part->units |= units_of_write((int)address);
        if (address == QPU_W_ACC5)
            part->write = LOC_R5;
        if (is_sfu_address((int)address))
            part->write = LOC_R4;
    }
    if (q->type == QPU_ALU && mul && q->pm && q->pack) {
        part->packs = true;
        part->partial |= q->pack >= QPU_PACK_8A && part->write >= 0;
    }
}

static void alu_part(const struct qpu_inst *q, struct part *part, bool mul) {
    unsigned op = mul ? q->op_mul : q->op_add, x = mul ? q->mul_a : q->add_a, y = mul ? q->mul_b : q->add_b;
    const struct qpu_op_info *info = mul ? qpu_mul_info(op) : qpu_add_info(op);
    if (!op)
        return;
    part->used = true;
    part->op = (uint8_t)op;
    part->units = mul ? UNIT(MUL) : UNIT(ADD);
    part->move = x == y && (mul ? op == QPU_M_V8MIN : op == QPU_A_OR);
    read_operand(q, part, x);
    if (info->nsrc != 1)
        read_operand(q, part, y);
    part->rotates = mul && q->sig == QPU_SIG_SMALL_IMM && q->raddr_b >= 48;
    if (mul && q->sig == QPU_SIG_SMALL_IMM && q->raddr_b == 48)
        part->read_acc |= 1u << 5;
    part->sets_flags = q->sf && (mul ? !q->op_add : true);
    write_result(q, part, mul);
    if (part->port[0] == QPU_R_VARY || part->port[1] == QPU_R_VARY)
        part->units |= UNIT(VARYING);
}

static void signal_part(const struct qpu_inst *q, struct part *part) {
    part->used = q->sig != QPU_SIG_NONE;
    if (part->used)
        part->units = UNIT(SIGNAL);
    if (q->sig == QPU_SIG_LDTMU0 || q->sig == QPU_SIG_LDTMU1)
        part->units |= UNIT(TMU);
    if (q->sig >= QPU_SIG_LOADCV && q->sig <= QPU_SIG_LDCEND)
        part->units |= UNIT(TLB);
    if (q->sig == QPU_SIG_LOADAM)
        part->units |= UNIT(TLB);
    if (q->sig >= QPU_SIG_LOADCV && q->sig <= QPU_SIG_LOADAM)
        part->write = LOC_R4;
}

static void take_apart(struct instruction *in, uint64_t word) {
    struct qpu_inst *q = &in->q;
    if (!qpu_decode(word, q))
        *q = qpu_nop();
    for (unsigned k = 0; k < PARTS; k++)
        in->part[k] = (struct part){.read_a = -1, .read_b = -1, .port = {-1, -1}, .write = -1, .special = -1};
    signal_part(q, &in->part[PART_SIGNAL]);
    if (q->type == QPU_ALU) {
        alu_part(q, &in->part[PART_ADD], false);
        alu_part(q, &in->part[PART_MUL], true);
        return;
    }
    for (unsigned k = PART_ADD; k <= PART_MUL; k++) { /* both halves of a load write the same value */
        struct part *part = &in->part[k];
        write_result(q, part, k == PART_MUL);
        part->used = q->type != QPU_BRANCH && (k == PART_MUL ? q->waddr_mul : q->waddr_add) != QPU_W_NOP;
        part->sets_flags = q->type != QPU_BRANCH && q->sf && k == PART_ADD;
        part->units |= part->used ? k == PART_MUL ? UNIT(MUL) : UNIT(ADD) : 0;
        if (part->sets_flags)
            part->used = true;
    }
    if (q->type == QPU_BRANCH) {
        struct part *part = &in->part[PART_SIGNAL];
        part->reads_flags = q->cond_br != QPU_BR_ALWAYS;
        part->read_a = q->br_reg ? (int8_t)(q->raddr_a & 31) : -1;
    }
}

/* Which instructions take a word of the stream: as uniforms.c counts them, from the bits. A direct lookup's S
 * takes none. */
static void find_words(struct analysis *a) {
    bool coordinates[2] = {false, false};
    for (uint32_t i = 0; i < a->count; i++) {
        struct instruction *in = &a->inst[i];
        for (unsigned k = PART_ADD; k <= PART_MUL; k++) {
            const struct part *part = &in->part[k];
            in->word |= part->port[0] == QPU_R_UNIF || part->port[1] == QPU_R_UNIF;
            if (!is_tmu_address(part->special))
                continue;
            unsigned unit = part->special >= QPU_W_TMU1_S;
            in->word |= !is_request(part->special) || coordinates[unit];
            coordinates[unit] = !is_request(part->special);
        }
    }
}

/* --- texts ---------------------------------------------------------------------------------------------- */

static const char *copy(struct ir_arena *arena, const char *text, size_t length) {
    char *out = ir_alloc(arena, length + 1);
    memcpy(out, text, length);
    out[length] = 0;
    return out;
}

/* The parts of an ALU instruction or a load immediate; the last one has the annotation. */
static void split_text(struct analysis *a, uint32_t i, const struct qpu_text *text) {
    struct qpucc_explain_instruction *out = &a->text[i];
    const struct instruction *in = &a->inst[i];
    struct qpucc_explain_slot *slot[PARTS] = {&out->add, &out->mul, &out->signal};
    if (in->q.type == QPU_BRANCH || in->q.type == QPU_SEMAPHORE) {
        out->signal.text = out->text;
        return;
    }
    size_t end = text->length;
    for (unsigned k = PARTS; k-- > 0;) {
        if (!text->end[k])
            continue;
        if (in->part[k].used)
            slot[k]->text = copy(a->arena, text->text + text->begin[k], end - text->begin[k]);
        end = text->begin[k] - 2; /* "; " */
    }
}

/* What is no operation and two halves stands whole at each part that it has. */
static void whole_text(struct analysis *a, uint32_t i) {
    struct qpucc_explain_instruction *out = &a->text[i];
    struct qpucc_explain_slot *slot[] = {&out->add, &out->mul};
    for (unsigned k = PART_ADD; k <= PART_MUL; k++)
        if (a->inst[i].part[k].used && !slot[k]->text)
            slot[k]->text = out->text;
}

/* The assembler's name of what a part writes; both files' r5 is one register. */
static const char *target_of(struct analysis *a, uint32_t i, unsigned k) {
    const struct qpu_inst *q = &a->inst[i].q;
    const struct part *part = &a->inst[i].part[k];
    char name[QPU_NAME_SIZE];
    if (k == PART_SIGNAL)
        return part->write == LOC_R4 ? "r4" : NULL;
    if (part->write < 0 && part->special < 0)
        return NULL;
    if (part->write == LOC_R5)
        return "r5";
    bool file_b = (bool)q->ws != (k == PART_MUL);
    return ir_strdup(a->arena, qpu_write_name(k == PART_MUL ? q->waddr_mul : q->waddr_add, file_b, name));
}

void explain_parts(struct analysis *a, const uint64_t *code) {
    struct qpu_text text;
    a->inst = ir_alloc(a->arena, (a->count + 1) * sizeof *a->inst);
    for (uint32_t i = 0; i < a->count; i++) {
        struct qpucc_explain_instruction *out = &a->text[i];
        take_apart(&a->inst[i], code[i]);
        qpu_print(code[i], i, &text);
        out->word = code[i];
        out->text = copy(a->arena, text.text, text.length);
        out->word_index = SIZE_MAX;
        out->stall_for = out->target = UINT32_MAX;
        out->add.waits_for = out->add.because_of = UINT32_MAX;
        out->mul.waits_for = out->mul.because_of = UINT32_MAX;
        out->signal.waits_for = out->signal.because_of = UINT32_MAX;
        if (a->listing)
            continue;
        split_text(a, i, &text);
        whole_text(a, i);
        out->add.target = target_of(a, i, PART_ADD);
        out->mul.target = target_of(a, i, PART_MUL);
        out->signal.target = target_of(a, i, PART_SIGNAL);
    }
    find_words(a);
    for (uint32_t i = 0; i < a->count; i++) {
        for (unsigned k = 0; k < PARTS; k++)
            a->text[i].units |= a->inst[i].part[k].units;
        if (a->inst[i].word)
            a->text[i].units |= UNIT(UNIFORM);
    }
}
