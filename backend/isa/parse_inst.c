/* Parser of one instruction in assembler syntax (docs/assembler.md).
 *
 * An instruction is up to three components with semicolons between them: add half, mul half, signal. The
 * parser reads each half on its own and notes what both share. complete.c settles what the text leaves open;
 * a trailing annotation "[ws=0 ra=32]" overrides single fields of the encoding. */
#include "backend/isa/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct parser {
    unsigned index;
    const struct qpu_labels *labels;
    char *error;
    size_t error_size;
    struct qpu_shared shared;
};

enum { MAX_ARGS = 4, MAX_COMPONENTS = 3 };

struct component {
    struct qpu_span name;     /* mnemonic without suffixes */
    struct qpu_span suffixes; /* after its first dot */
    struct qpu_span arg[MAX_ARGS];
    unsigned args;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct parser *p, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(p->error, p->error_size, format, args);
    va_end(args);
    return false;
}

/* Precision and pointer for "%.*s"; long names are cut so that the message stays readable. */
#define SHOWN(s) (int)((s).n < 40 ? (s).n : 40), (s).p

static bool starts_number(struct qpu_span s) {
    return s.n > 0 && ((s.p[0] >= '0' && s.p[0] <= '9') || s.p[0] == '-' || s.p[0] == '+' || s.p[0] == '.');
}

static bool read_component(struct parser *p, struct qpu_span text, struct component *c) {
    *c = (struct component){0};
    if (text.n > 5 && memcmp(text.p + text.n - 4, "setf", 4) == 0 && qpu_is_space(text.p[text.n - 5])) {
        p->shared.setf = true; /* "mov r0, r1 setf": the older listings' place for it */
        text = qpu_trim((struct qpu_span){text.p, text.n - 4});
    }
    size_t n = 0;
    while (n < text.n && !qpu_is_space(text.p[n])) {
        n++;
    }
    c->name = (struct qpu_span){text.p, n};
    const char *dot = n ? memchr(text.p, '.', n) : NULL;
    if (dot) {
        c->name.n = (size_t)(dot - text.p);
        c->suffixes = (struct qpu_span){dot + 1, n - c->name.n - 1};
    }
    struct qpu_span rest = qpu_trim((struct qpu_span){text.p + n, text.n - n});
    if (rest.n == 0) {
        return true;
    }
    struct qpu_span arg;
    while (qpu_next_piece(&rest, ',', &arg)) {
        if (c->args == MAX_ARGS || arg.n == 0) {
            return fail(p, "%s operand of %.*s", arg.n ? "too many" : "empty", SHOWN(c->name));
        }
        c->arg[c->args++] = arg;
    }
    return true;
}

/* --- shared fields -------------------------------------------------------------------------------------- */

static bool settle(struct parser *p, int *field, int value, const char *what) {
    if (*field >= 0 && *field != value) {
        return fail(p, "both halves need the same %s", what);
    }
    *field = value;
    return true;
}

/* Suffixes of an ALU or load mnemonic: a condition, setf, rotation. */
static bool read_suffixes(struct parser *p, const struct component *c, unsigned *cond, bool rotates) {
    struct qpu_span rest = c->suffixes, s;
    bool conditional = false;
    if (!rest.p) {
        return true;
    }
    while (qpu_next_piece(&rest, '.', &s)) {
        int value = qpu_find_cond(s);
        if (qpu_span_is(s, "setf")) {
            p->shared.setf = true;
        } else if (value >= 0) {
            if (conditional) {
                return fail(p, "more than one condition of %.*s", SHOWN(c->name));
            }
            conditional = true;
            *cond = (unsigned)value;
        } else if (rotates && s.n > 3 && memcmp(s.p, "rot", 3) == 0) {
            uint32_t amount = 0;
            bool by_r5 = qpu_span_is(s, "rotr5");
            if (!by_r5 && (!qpu_parse_number((struct qpu_span){s.p + 3, s.n - 3}, &amount) || amount < 1 ||
                           amount > 15)) {
                return fail(p, "rotation is .rot1 to .rot15 or .rotr5, not .%.*s", SHOWN(s));
            }
            if (p->shared.rotation >= 0) {
                return fail(p, "more than one rotation of %.*s", SHOWN(c->name));
            }
            p->shared.rotation = by_r5 ? 0 : (int)amount;
        } else {
            return fail(p, "unknown suffix .%.*s", SHOWN(s));
        }
    }
    return true;
}

static struct qpu_span cut_suffix(struct qpu_span *s) {
    const char *dot = s->n ? memchr(s->p, '.', s->n) : NULL;
    if (!dot) {
        return (struct qpu_span){0};
    }
    struct qpu_span suffix = {dot + 1, s->n - (size_t)(dot - s->p) - 1};
    s->n = (size_t)(dot - s->p);
    return suffix;
}

static bool read_dest(struct parser *p, struct qpu_span text, bool mul, struct qpu_dest *d) {
    struct qpu_span suffix = cut_suffix(&text);
    int found = qpu_find_write(text);
    if (found < 0) {
        return fail(p, "cannot write %.*s", SHOWN(text));
    }
    d->addr = (unsigned)found & 63;
    d->files = (unsigned)found & (QPU_IN_FILE_A | QPU_IN_FILE_B);
    if (d->files == QPU_IN_FILE_A || d->files == QPU_IN_FILE_B) {
        if (!settle(p, &p->shared.ws, mul ^ (d->files == QPU_IN_FILE_B),
                    "file for one of the destinations")) {
            return false;
        }
    }
    if (!suffix.p) {
        return true;
    }
    bool register_a = d->addr < 32 && d->files == QPU_IN_FILE_A;
    d->colour = mul && !register_a;
    if (suffix.n > 1 && suffix.p[0] == 'c') {
        d->colour = true;
        suffix.p++;
        suffix.n--;
    }
    int pack = qpu_find_pack(suffix);
    if (pack < 0) {
        return fail(p, "unknown pack mode .%.*s", SHOWN(suffix));
    }
    if (d->colour && (!mul || pack < QPU_PACK_8888 || pack > QPU_PACK_8D)) {
        return fail(p, "only the mul ALU's result packs this way, to .8a to .8d or .8abcd");
    }
    if (!d->colour && !register_a) {
        return fail(p, "the add ALU packs into registers of file A only");
    }
    d->pack = (unsigned)pack;
    return settle(p, &p->shared.pm, d->colour, "kind of pack") &&
           settle(p, &p->shared.pack, pack, "pack mode");
}

static bool read_operand(struct parser *p, struct qpu_span text, struct qpu_operand *o) {
    *o = (struct qpu_operand){0};
    if (starts_number(text)) {
        o->kind = QPU_OPERAND_IMM;
        uint32_t bits;
        if (!qpu_parse_number(text, &bits)) {
            return fail(p, "not a number: %.*s", SHOWN(text));
        }
        o->value = bits;
        return true;
    }
    struct qpu_span suffix = cut_suffix(&text);
    if (suffix.p) {
        int unpack = qpu_find_unpack(suffix);
        if (unpack < 0) {
            return fail(p, "unknown unpack mode .%.*s", SHOWN(suffix));
        }
        o->unpack = (unsigned)unpack;
    }
    if (text.n == 2 && text.p[0] == 'r' && text.p[1] >= '0' && text.p[1] <= '5') {
        o->kind = QPU_OPERAND_ACC;
        o->value = (unsigned)(text.p[1] - '0');
        if (suffix.p && o->value != 4) {
            return fail(p, "only r4 and file A unpack");
        }
        return !suffix.p || (settle(p, &p->shared.pm, 1, "kind of pack and unpack") &&
                             settle(p, &p->shared.unpack, (int)o->unpack, "unpack mode"));
    }
    int found = qpu_find_read(text);
    if (found < 0) {
        return fail(p, "cannot read %.*s", SHOWN(text));
    }
    o->kind = QPU_OPERAND_ADDRESS;
    o->value = (unsigned)found & 63;
    o->files = (unsigned)found & (QPU_IN_FILE_A | QPU_IN_FILE_B);
    if (!suffix.p) {
        return true;
    }
    if (!(o->files & QPU_IN_FILE_A)) {
        return fail(p, "only r4 and file A unpack");
    }
    o->files = QPU_IN_FILE_A;
    return settle(p, &p->shared.pm, 0, "kind of pack and unpack") &&
           settle(p, &p->shared.unpack, (int)o->unpack, "unpack mode");
}

/* --- ALU instructions ----------------------------------------------------------------------------------- */

/* Takes the component if it is a signal. */
static bool read_signal(struct parser *p, const struct component *c, bool *is_signal) {
    int sig = qpu_find_signal(c->name);
    *is_signal = sig >= 0;
    if (sig < 0) {
        return true;
    }
    if (c->args || c->suffixes.p) {
        return fail(p, "a signal has no operands");
    }
    if (p->shared.signal >= 0) {
        return fail(p, "more than one signal");
    }
    p->shared.signal = sig;
    return true;
}

static bool choose_half(struct parser *p, const struct component *c, struct qpu_half half[2], bool *mul) {
    bool move = qpu_span_is(c->name, "mov");
    int add_op = move ? (int)QPU_A_OR : qpu_find_add_op(c->name);
    int mul_op = move ? (int)QPU_M_V8MIN : qpu_find_mul_op(c->name);
    if (add_op < 0 && mul_op < 0) {
        return c->name.n ? fail(p, "unknown operation %.*s", SHOWN(c->name))
                         : fail(p, "unknown operation .%.*s; .word takes 0x and sixteen digits",
                                SHOWN(c->suffixes));
    }
    bool second = half[0].present || half[1].present;
    *mul = add_op < 0 || (second && !half[1].present && mul_op >= 0);
    if (half[*mul].present) {
        return fail(p, "both operations need the %s ALU", *mul ? "mul" : "add");
    }
    half[*mul].op = (unsigned)(*mul ? mul_op : add_op);
    return true;
}

static bool read_half(struct parser *p, const struct component *c, struct qpu_half half[2]) {
    bool mul = false;
    if (!choose_half(p, c, half, &mul)) {
        return false;
    }
    struct qpu_half *h = &half[mul];
    bool nop = h->op == 0;
    h->present = true;
    h->cond = nop ? QPU_COND_NEVER : QPU_COND_ALWAYS;
    if (!read_suffixes(p, c, &h->cond, mul)) {
        return false;
    }
    unsigned sources = mul ? qpu_mul_info(h->op)->nsrc : qpu_add_info(h->op)->nsrc;
    if (!nop && !mul && !qpu_add_info(h->op)->name) {
        sources = 2;
    }
    if (qpu_span_is(c->name, "mov")) {
        sources = 1;
    }
    unsigned wanted = nop ? 0 : sources + 1;
    if (c->args != wanted) {
        return fail(p, "%.*s takes %u operands", SHOWN(c->name), wanted);
    }
    h->dest = (struct qpu_dest){.addr = QPU_W_NOP, .files = QPU_IN_FILE_A | QPU_IN_FILE_B};
    if (nop) {
        return true;
    }
    if (!read_dest(p, c->arg[0], mul, &h->dest)) {
        return false;
    }
    for (unsigned s = 0; s < 2; s++) {
        if (!read_operand(p, c->arg[s < sources ? s + 1 : 1], &h->src[s])) {
            return false;
        }
    }
    return true;
}

static bool parse_alu(struct parser *p, const struct component *c, unsigned count, struct qpu_inst *out) {
    struct qpu_half half[2] = {0};
    for (unsigned i = 0; i < count; i++) {
        bool is_signal;
        if (!read_signal(p, &c[i], &is_signal) || (!is_signal && !read_half(p, &c[i], half))) {
            return false;
        }
    }
    return qpu_complete_alu(half, &p->shared, out, p->error, p->error_size);
}

/* --- load immediate, semaphore, branch ------------------------------------------------------------------ */

static int load_type(struct qpu_span name) {
    if (qpu_span_is(name, "movi") || qpu_span_is(name, "ldi")) {
        return QPU_LDI;
    }
    if (qpu_span_is(name, "movis") || qpu_span_is(name, "ldis")) {
        return QPU_LDI_SIGNED;
    }
    if (qpu_span_is(name, "moviu") || qpu_span_is(name, "ldiu")) {
        return QPU_LDI_UNSIGNED;
    }
    return qpu_span_is(name, "sacq") || qpu_span_is(name, "srel") ? (int)QPU_SEMAPHORE : -1;
}

static bool parse_load(struct parser *p, const struct component *c, unsigned count, struct qpu_inst *out) {
    struct qpu_half half[2] = {{.dest.addr = QPU_W_NOP}, {.dest.addr = QPU_W_NOP}};
    int type = -1;
    bool takes = false;
    uint32_t imm = 0;
    if (count > 2) {
        return fail(p, "a load immediate carries no signal");
    }
    for (unsigned i = 0; i < count; i++) {
        if (qpu_span_is(c[i].name, "nop") && c[i].args == 0 && !c[i].suffixes.p) {
            continue;
        }
        int this_type = load_type(c[i].name);
        uint32_t this_imm;
        bool this_takes = qpu_span_is(c[i].name, "sacq");
        if (this_type < 0 || (type >= 0 && (this_type != type || this_takes != takes))) {
            return fail(p, "both halves must load in the same way");
        }
        bool bare = this_type == QPU_SEMAPHORE && c[i].args == 1;
        if (!bare && c[i].args != 2) {
            return fail(p, "%.*s takes a destination and a number", SHOWN(c[i].name));
        }
        half[i].cond = bare ? QPU_COND_NEVER : QPU_COND_ALWAYS;
        if (!read_suffixes(p, &c[i], &half[i].cond, false) ||
            (!bare && !read_dest(p, c[i].arg[0], i == 1, &half[i].dest))) {
            return false;
        }
        if (!qpu_parse_number(c[i].arg[c[i].args - 1], &this_imm) ||
            (this_type == QPU_SEMAPHORE && this_imm > 15)) {
            return fail(p, "not a fitting number: %.*s", SHOWN(c[i].arg[c[i].args - 1]));
        }
        if (type >= 0 && this_imm != imm) {
            return fail(p, "both halves load the same number");
        }
        type = this_type;
        takes = this_takes;
        imm = this_imm;
    }
    *out = (struct qpu_inst){.type = (uint8_t)type};
    qpu_complete_load(half, &p->shared, out);
    if (type == QPU_SEMAPHORE) {
        out->sem = (uint8_t)imm;
        out->sem_down = takes;
    } else {
        out->imm = imm;
    }
    return true;
}

/* A label: the caller's, or L<index> as the disassembler prints it. */
static int64_t find_label(const struct parser *p, struct qpu_span name) {
    int64_t target = p->labels ? p->labels->find(p->labels->data, name) : -1;
    if (target >= 0 || name.n < 2 || name.p[0] != 'L' || name.n > 11) {
        return target;
    }
    int64_t value = 0;
    for (size_t i = 1; i < name.n; i++) {
        if (name.p[i] < '0' || name.p[i] > '9') {
            return -1;
        }
        value = value * 10 + (name.p[i] - '0');
    }
    return value;
}

static bool read_target(struct parser *p, struct qpu_span text, struct qpu_inst *out) {
    struct qpu_span reg = {0};
    if (!starts_number(text)) {
        /* A label may have a register's name, as "vpm". */
        int64_t target = find_label(p, text);
        if (target >= 0 || qpu_find_read(text) < 0) {
            int64_t offset = (target - (int64_t)p->index - 1 - QPU_BRANCH_SLOTS) * 8;
            if (target < 0 || offset != (int32_t)offset) {
                return fail(p, "no label %.*s", SHOWN(text));
            }
            if (!out->br_rel) {
                return fail(p, "a label needs brr, the relative branch");
            }
            out->imm = (uint32_t)(int32_t)offset;
            return true;
        }
        reg = text;
    } else {
        const char *plus = text.n > 1 ? memchr(text.p + 1, '+', text.n - 1) : NULL;
        if (plus) {
            reg = qpu_trim((struct qpu_span){plus + 1, text.n - (size_t)(plus + 1 - text.p)});
            text = qpu_trim((struct qpu_span){text.p, (size_t)(plus - text.p)});
        }
        if (!qpu_parse_number(text, &out->imm)) {
            return fail(p, "not a target: %.*s", SHOWN(text));
        }
    }
    if (reg.p) {
        int found = qpu_find_read(reg);
        if (found < 0 || (found & 63) > 31 || !(found & QPU_IN_FILE_A)) {
            return fail(p, "a branch adds a register of file A, not %.*s", SHOWN(reg));
        }
        out->br_reg = 1;
        out->raddr_a = (uint8_t)(found & 31);
    }
    return true;
}

static bool parse_branch(struct parser *p, const struct component *c, unsigned count, struct qpu_inst *out) {
    *out = (struct qpu_inst){.type = QPU_BRANCH,
                             .sig = QPU_SIG_BRANCH,
                             .cond_br = QPU_BR_ALWAYS,
                             .br_rel = qpu_span_is(c->name, "brr"),
                             .waddr_add = QPU_W_NOP,
                             .waddr_mul = QPU_W_NOP};
    if (count != 1) {
        return fail(p, "a branch stands alone");
    }
    if (p->shared.setf) {
        return fail(p, "a branch sets no flags");
    }
    if (c->suffixes.p) {
        int cond = qpu_find_branch_cond(c->suffixes);
        if (cond < 0) {
            return fail(p, "unknown branch condition .%.*s", SHOWN(c->suffixes));
        }
        out->cond_br = (uint8_t)cond;
    }
    if (c->args < 1 || c->args > 3) {
        return fail(p, "a branch takes at most two link registers and a target");
    }
    struct qpu_dest dest = {0};
    if (c->args > 1) {
        if (!read_dest(p, c->arg[0], false, &dest)) {
            return false;
        }
        out->waddr_add = (uint8_t)dest.addr;
    }
    if (c->args > 2) {
        if (!read_dest(p, c->arg[1], true, &dest)) {
            return false;
        }
        out->waddr_mul = (uint8_t)dest.addr;
    }
    if (p->shared.pack > 0) {
        return fail(p, "a branch does not pack");
    }
    out->ws = p->shared.ws > 0;
    return read_target(p, c->arg[c->args - 1], out);
}

/* --- whole ---------------------------------------------------------------------------------------------- */

/* Sets a field. False: the instruction has none, or one with fewer bits; a word would not keep the value. */
static bool set_field(struct qpu_inst *out, const struct qpu_field *field, uint8_t value) {
    struct qpu_inst kept;
    ((uint8_t *)out)[field->offset] = value;
    qpu_decode(qpu_encode(out), &kept);
    return kept.type == out->type && ((uint8_t *)&kept)[field->offset] == value;
}

static bool apply_annotation(struct parser *p, struct qpu_span text, struct qpu_inst *out) {
    struct qpu_span item;
    text = qpu_trim(text);
    while (qpu_next_piece(&text, ' ', &item)) {
        const char *equals = item.n ? memchr(item.p, '=', item.n) : NULL;
        uint32_t value;
        if (!equals) {
            return fail(p, "an annotation is [field=value ...]");
        }
        struct qpu_span key = {item.p, (size_t)(equals - item.p)};
        if (!qpu_parse_number((struct qpu_span){equals + 1, item.n - key.n - 1}, &value)) {
            return fail(p, "not a number: %.*s", SHOWN(item));
        }
        size_t f = 0;
        while (f < qpu_field_count && !qpu_span_is(key, qpu_fields[f].key)) {
            f++;
        }
        if (qpu_span_is(key, "imm") && out->type != QPU_ALU && !(out->type == QPU_SEMAPHORE && value & 31)) {
            out->imm = value; /* the semaphore's five bits stand in the text */
        } else if (f == qpu_field_count || value > qpu_fields[f].max ||
                   !set_field(out, &qpu_fields[f], (uint8_t)value)) {
            return fail(p, "bad annotation %.*s", SHOWN(item));
        }
    }
    return true;
}

bool qpu_parse_inst(struct qpu_span text, unsigned index, const struct qpu_labels *labels,
                    struct qpu_inst *out, char *error, size_t error_size) {
    struct parser p = {.index = index, .labels = labels, .error = error, .error_size = error_size};
    p.shared = qpu_nothing_shared();
    struct qpu_span annotation = {0};
    text = qpu_trim(text);
    if (text.n > 0 && text.p[text.n - 1] == ']') {
        const char *open = memchr(text.p, '[', text.n);
        if (!open) {
            return fail(&p, "] without [");
        }
        annotation = (struct qpu_span){open + 1, text.n - (size_t)(open - text.p) - 2};
        text = qpu_trim((struct qpu_span){text.p, (size_t)(open - text.p)});
    }
    struct component c[MAX_COMPONENTS];
    unsigned count = 0;
    bool load = false;
    struct qpu_span rest = text, piece;
    while (qpu_next_piece(&rest, ';', &piece)) {
        if (count == MAX_COMPONENTS || piece.n == 0) {
            return fail(&p, piece.n ? "more than three components" : "empty component");
        }
        if (!read_component(&p, piece, &c[count])) {
            return false;
        }
        load |= load_type(c[count].name) >= 0;
        count++;
    }
    if (count == 0) {
        return fail(&p, "empty instruction");
    }
    bool fine;
    if (qpu_span_is(c[0].name, "bra") || qpu_span_is(c[0].name, "brr")) {
        fine = parse_branch(&p, c, count, out);
    } else if (load) {
        fine = parse_load(&p, c, count, out);
    } else {
        fine = parse_alu(&p, c, count, out);
    }
    return fine && (!annotation.p || apply_annotation(&p, annotation, out));
}
