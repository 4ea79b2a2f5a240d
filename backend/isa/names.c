/* Names of the instruction set in both directions, made from isa.def. */
#include "backend/isa/text.h"

#include <stddef.h>
#include <string.h>

bool qpu_span_is(struct qpu_span s, const char *text) {
    return text && s.n && *text == *s.p && strlen(text) == s.n && memcmp(s.p, text, s.n) == 0;
}

static const char *const signal_names[16] = {
#define QPU_SIGNAL(id, code, name) [code] = name,
#include "backend/isa/isa.def"
};
static const char *const cond_names[8] = {
#define QPU_CONDITION(id, code, name) [code] = name,
#include "backend/isa/isa.def"
};
static const char *const branch_cond_names[16] = {
#define QPU_BRANCH_CONDITION(id, code, name) [code] = name,
#include "backend/isa/isa.def"
};
static const char *const unpack_names[8] = {
#define QPU_UNPACK_MODE(id, code, name) [code] = name,
#include "backend/isa/isa.def"
};
static const char *const pack_names[16] = {
#define QPU_PACK_MODE(code, name) [code] = name,
#include "backend/isa/isa.def"
};
static const char *const read_names[2][64] = {{
#define QPU_READ_ADDR(addr, a, b) [addr] = a,
#include "backend/isa/isa.def"
                                              },
                                              {
#define QPU_READ_ADDR(addr, a, b) [addr] = b,
#include "backend/isa/isa.def"
                                              }};
static const char *const write_names[2][64] = {{
#define QPU_WRITE_ADDR(addr, a, b) [addr] = a,
#include "backend/isa/isa.def"
                                               },
                                               {
#define QPU_WRITE_ADDR(addr, a, b) [addr] = b,
#include "backend/isa/isa.def"
                                               }};
static const struct {
    const char *other, *name;
} aliases[] = {
#define QPU_ALIAS(other, name) {other, name},
#include "backend/isa/isa.def"
};

const char *qpu_signal_name(unsigned sig) {
    return signal_names[sig & 15];
}

const char *qpu_cond_name(unsigned cond) {
    return cond_names[cond & 7];
}

const char *qpu_branch_cond_name(unsigned cond) {
    return branch_cond_names[cond & 15];
}

const char *qpu_unpack_name(unsigned unpack) {
    return unpack_names[unpack & 7];
}

const char *qpu_pack_name(unsigned pack) {
    return pack_names[pack & 15];
}

static const char *address_name(const char *const names[2][64], unsigned addr, bool file_b,
                                char buf[QPU_NAME_SIZE]) {
    const char *name = names[file_b][addr & 63];
    if (name) {
        return name;
    }
    char *at = buf;
    addr &= 63;
    *at++ = 'r';
    *at++ = file_b ? 'b' : 'a';
    if (addr >= 10) {
        *at++ = (char)('0' + addr / 10);
    }
    *at++ = (char)('0' + addr % 10);
    *at = 0;
    return buf;
}

static unsigned files_of(const char *const names[2][64], unsigned addr, bool file_b) {
    const char *a = names[0][addr & 63], *b = names[1][addr & 63];
    return a && b && strcmp(a, b) == 0 ? QPU_IN_FILE_A | QPU_IN_FILE_B
           : file_b                    ? QPU_IN_FILE_B
                                       : QPU_IN_FILE_A;
}

const char *qpu_read_name(unsigned addr, bool file_b, char buf[QPU_NAME_SIZE]) {
    return address_name(read_names, addr, file_b, buf);
}

const char *qpu_write_name(unsigned addr, bool file_b, char buf[QPU_NAME_SIZE]) {
    return address_name(write_names, addr, file_b, buf);
}

unsigned qpu_read_files(unsigned addr, bool file_b) {
    return files_of(read_names, addr, file_b);
}

unsigned qpu_write_files(unsigned addr, bool file_b) {
    return files_of(write_names, addr, file_b);
}

static struct qpu_span resolve_alias(struct qpu_span name) {
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (qpu_span_is(name, aliases[i].other)) {
            return (struct qpu_span){aliases[i].name, strlen(aliases[i].name)};
        }
    }
    return name;
}

static int find(const char *const *names, int count, struct qpu_span name) {
    name = resolve_alias(name);
    for (int i = 0; i < count; i++) {
        if (qpu_span_is(name, names[i])) {
            return i;
        }
    }
    return -1;
}

/* A number of one or two digits after `prefix`, below `limit`; -1 if the name has another form. */
static int numbered(struct qpu_span name, const char *prefix, int limit) {
    size_t skip = strlen(prefix);
    if (name.n <= skip || name.n > skip + 2 || memcmp(name.p, prefix, skip) != 0) {
        return -1;
    }
    int value = 0;
    for (size_t i = skip; i < name.n; i++) {
        if (name.p[i] < '0' || name.p[i] > '9') {
            return -1;
        }
        value = value * 10 + (name.p[i] - '0');
    }
    return value < limit ? value : -1;
}

/* Reserved opcodes print as aop9, a reserved branch condition as br12. */
int qpu_find_add_op(struct qpu_span name) {
    for (int op = 0; op < 32; op++) {
        if (qpu_span_is(name, qpu_add_info((unsigned)op)->name)) {
            return op;
        }
    }
    return numbered(name, "aop", 32);
}

int qpu_find_mul_op(struct qpu_span name) {
    for (int op = 0; op < 8; op++) {
        if (qpu_span_is(name, qpu_mul_info((unsigned)op)->name)) {
            return op;
        }
    }
    return -1;
}

int qpu_find_signal(struct qpu_span name) {
    return find(signal_names, 16, name);
}

int qpu_find_cond(struct qpu_span name) {
    return find(cond_names, 8, name);
}

int qpu_find_branch_cond(struct qpu_span name) {
    int cond = find(branch_cond_names, 16, name);
    return cond >= 0 ? cond : numbered(name, "br", 16);
}

int qpu_find_unpack(struct qpu_span name) {
    return find(unpack_names, 8, name);
}

int qpu_find_pack(struct qpu_span name) {
    return find(pack_names, 16, name);
}

static int find_address(const char *const names[2][64], struct qpu_span name) {
    int addr = numbered(name, "ra", 64);
    if (addr >= 0) {
        return addr | QPU_IN_FILE_A;
    }
    addr = numbered(name, "rb", 64);
    if (addr >= 0) {
        return addr | QPU_IN_FILE_B;
    }
    int in_a = find(names[0], 64, name);
    int in_b = find(names[1], 64, name);
    if (in_a >= 0) {
        return in_a | QPU_IN_FILE_A | (in_b == in_a ? QPU_IN_FILE_B : 0);
    }
    return in_b >= 0 ? in_b | QPU_IN_FILE_B : -1;
}

int qpu_find_read(struct qpu_span name) {
    return find_address(read_names, name);
}

int qpu_find_write(struct qpu_span name) {
    return find_address(write_names, name);
}

#define FIELD(key, member, max)                                                                              \
    { key, offsetof(struct qpu_inst, member), max }
const struct qpu_field qpu_fields[] = {
    FIELD("sig", sig, 15),      FIELD("unpack", unpack, 7), FIELD("pm", pm, 1),      FIELD("pack", pack, 15),
    FIELD("ca", cond_add, 7),   FIELD("cm", cond_mul, 7),   FIELD("sf", sf, 1),      FIELD("ws", ws, 1),
    FIELD("wa", waddr_add, 63), FIELD("wm", waddr_mul, 63), FIELD("oa", op_add, 31), FIELD("om", op_mul, 7),
    FIELD("ra", raddr_a, 63),   FIELD("rb", raddr_b, 63),   FIELD("aa", add_a, 7),   FIELD("ab", add_b, 7),
    FIELD("ma", mul_a, 7),      FIELD("mb", mul_b, 7),
};
const size_t qpu_field_count = sizeof qpu_fields / sizeof *qpu_fields;
