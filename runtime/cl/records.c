/* Reads, writes and prints records, as records.def describes them. */
#include "runtime/cl/cl.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_DATA 256

#define BEGIN(name)                                                                                          \
    static const struct sim_cl_field *fields_of_##name(void) {                                               \
        typedef struct qpusim_cl_##name record;                                                              \
        static const struct sim_cl_field fields[] = {
#define QPUSIM_RECORD(code, NAME, name, where, bytes) BEGIN(name)
#define QPUSIM_FIELD(type, member, low, bits, words)                                                         \
    {#type[0], bits, low, (uint16_t)offsetof(record, member), #member, words},
#define QPUSIM_END                                                                                           \
    { 0 }                                                                                                    \
    }                                                                                                        \
    ;                                                                                                        \
    return fields;                                                                                           \
    }
#define QPUSIM_CODE(code, NAME, name, where)
#define QPUSIM_DATA(code, NAME, name, bytes) BEGIN(name)
#include <qpucc/records.def>

static const struct sim_cl_field *no_fields(void) {
    static const struct sim_cl_field none = {0};
    return &none;
}

static const struct sim_cl_record records[] = {
#define QPUSIM_RECORD(code, NAME, name, where, bytes)                                                        \
    {#name, code, bytes, QPUSIM_WHERE_##where, fields_of_##name},
#define QPUSIM_FIELD(type, member, low, bits, words)
#define QPUSIM_END
#define QPUSIM_CODE(code, NAME, name, where) {#name, code, 1, QPUSIM_WHERE_##where, no_fields},
#define QPUSIM_DATA(code, NAME, name, bytes) {#name, code, bytes, QPUSIM_WHERE_LIST, fields_of_##name},
#include <qpucc/records.def>
};

const struct sim_cl_record *sim_cl_record(unsigned code) {
    unsigned low = 0, high = sizeof records / sizeof *records; /* they are in the order of their codes */
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (records[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sizeof records / sizeof *records && records[low].code == code ? &records[low] : NULL;
}

const char *qpusim_code_name(unsigned code) {
    const struct sim_cl_record *r = sim_cl_record(code);
    return r ? r->name : NULL;
}

enum qpusim_where qpusim_code_where(unsigned code) {
    const struct sim_cl_record *r = sim_cl_record(code);
    return r ? r->where : QPUSIM_WHERE_LIST;
}

/* --- bits ----------------------------------------------------------------------------------------------- */

static uint32_t mask(unsigned bits) {
    return bits == 32 ? UINT32_MAX : (1u << bits) - 1;
}

static uint32_t get_bits(const uint8_t *bytes, unsigned low, unsigned bits) {
    uint64_t value = 0;
    for (unsigned i = 0; 8 * i < low % 8 + bits; i++)
        value |= (uint64_t)bytes[low / 8 + i] << 8 * i;
    return (uint32_t)(value >> low % 8) & mask(bits);
}

static void put_bits(uint8_t *bytes, unsigned low, unsigned bits, uint32_t value) {
    uint64_t shifted = (uint64_t)(value & mask(bits)) << low % 8;
    for (unsigned i = 0; 8 * i < low % 8 + bits; i++)
        bytes[low / 8 + i] |= (uint8_t)(shifted >> 8 * i);
}

/* A member as the record's bits, and back. */
static uint32_t encode(const struct sim_cl_field *f, const void *member) {
    uint32_t value;
    if (f->type == 'B') {
        bool b;
        memcpy(&b, member, sizeof b);
        return b;
    }
    memcpy(&value, member, sizeof value);
    switch (f->type) {
    case 'A': return value >> (32 - f->bits);
    case 'N': return value - 1;
    case 'H': return value >> (32 - f->bits);
    default: return value;
    }
}

static void decode(const struct sim_cl_field *f, uint32_t bits, void *member) {
    if (f->type == 'B') {
        bool b = bits;
        memcpy(member, &b, sizeof b);
        return;
    }
    switch (f->type) {
    case 'A':
    case 'H': bits <<= 32 - f->bits; break;
    case 'N': bits++; break;
    case 'Z': bits = bits ? bits : mask(f->bits) + 1; break;
    case 'S': bits = (uint32_t)((int32_t)(bits << (32 - f->bits)) >> (32 - f->bits)); break;
    }
    memcpy(member, &bits, sizeof bits);
}

/* --- reader and writer ---------------------------------------------------------------------------------- */

static unsigned read_fields(const struct sim_cl_record *r, const uint8_t *bytes, size_t size,
                            struct qpusim_record *record) {
    if (!r || size < r->size)
        return 0;
    memset(record, 0, sizeof *record);
    record->code = (enum qpusim_code)r->code;
    record->size = r->size;
    if (r->code < FIRST_DATA)
        bytes++;
    for (const struct sim_cl_field *f = r->fields(); f->type; f++)
        decode(f, get_bits(bytes, f->low, f->bits), (uint8_t *)&record->u + f->offset);
    return r->size;
}

unsigned qpusim_read_record(const uint8_t *bytes, size_t size, struct qpusim_record *record) {
    return size ? read_fields(sim_cl_record(bytes[0]), bytes, size, record) : 0;
}

unsigned qpusim_read_data(enum qpusim_code code, const uint8_t *bytes, size_t size,
                          struct qpusim_record *record) {
    return code < FIRST_DATA ? 0 : read_fields(sim_cl_record(code), bytes, size, record);
}

void qpusim_list_free(struct qpusim_list *list) {
    const struct qpucc_allocator *from = list->allocator;
    if (!from)
        free(list->bytes);
    else if (list->bytes)
        from->release(from->user, list->bytes);
    *list = (struct qpusim_list){.allocator = from};
}

static uint8_t *resize(struct qpusim_list *list, size_t capacity) {
    const struct qpucc_allocator *from = list->allocator;
    if (!from)
        return realloc(list->bytes, capacity);
    return list->bytes ? from->reallocate(from->user, list->bytes, capacity)
                       : from->allocate(from->user, capacity);
}

static uint8_t *append(struct qpusim_list *list, size_t size) {
    if (size > list->capacity - list->size) {
        size_t capacity = 2 * (list->size + size) + 256;
        uint8_t *bytes = capacity > size ? resize(list, capacity) : NULL;
        if (!bytes) {
            list->no_memory = true;
            return NULL;
        }
        list->bytes = bytes;
        list->capacity = capacity;
    }
    uint8_t *at = list->bytes + list->size;
    memset(at, 0, size);
    list->size += size;
    return at;
}

void qpusim_put_bytes(struct qpusim_list *list, const void *bytes, size_t size) {
    uint8_t *at = size ? append(list, size) : NULL;
    if (at)
        memcpy(at, bytes, size);
}

static void put(struct qpusim_list *list, unsigned code, const void *fields) {
    const struct sim_cl_record *r = sim_cl_record(code);
    uint8_t *bytes = r ? append(list, r->size) : NULL;
    if (!bytes)
        return;
    if (code < FIRST_DATA)
        *bytes++ = (uint8_t)code;
    for (const struct sim_cl_field *f = r->fields(); f->type; f++)
        put_bits(bytes, f->low, f->bits, encode(f, (const uint8_t *)fields + f->offset));
}

void qpusim_put(struct qpusim_list *list, const struct qpusim_record *record) {
    put(list, record->code, &record->u);
}

#define QPUSIM_RECORD(code, NAME, name, where, bytes)                                                        \
    void qpusim_put_##name(struct qpusim_list *list, const struct qpusim_cl_##name *record) {                \
        put(list, code, record);                                                                             \
    }
#define QPUSIM_FIELD(type, member, low, bits, words)
#define QPUSIM_END
#define QPUSIM_CODE(code, NAME, name, where)                                                                 \
    void qpusim_put_##name(struct qpusim_list *list) {                                                       \
        put(list, code, NULL);                                                                               \
    }
#define QPUSIM_DATA(code, NAME, name, bytes)                                                                 \
    void qpusim_put_##name(struct qpusim_list *list, const struct qpusim_cl_##name *record) {                \
        put(list, code, record);                                                                             \
    }
#include <qpucc/records.def>

/* --- printer -------------------------------------------------------------------------------------------- */

/* Word number `n` of a list; its length is 0 when there is none or it is "-". */
static int word(const char *words, uint32_t n, const char **start) {
    while (n && *words)
        n -= *words++ == ' ';
    *start = words;
    int length = (int)strcspn(words, " ");
    return n || (length == 1 && *words == '-') ? 0 : length;
}

static int print_field(const struct sim_cl_field *f, const void *member, bool json, char *text, size_t size) {
    const char *format = json ? ", \"%s\": " : " %s=", *start;
    char value[64];
    uint32_t bits = 0;
    float number;
    if (f->type == 'B') {
        bool b;
        memcpy(&b, member, sizeof b);
        if (!b && !json)
            return 0;
        snprintf(value, sizeof value, "%s", b ? "true" : "false");
        if (!json)
            return snprintf(text, size, " %s", f->name);
    } else {
        memcpy(&bits, member, sizeof bits);
        memcpy(&number, member, sizeof number);
        if (f->type == 'F' || f->type == 'H') {
            snprintf(value, sizeof value, isfinite(number) || !json ? "%.9g" : "null", (double)number);
            char *comma = strchr(value, ','); /* some locale's decimal point */
            if (comma)
                *comma = '.';
        } else if (f->type == 'A')
            snprintf(value, sizeof value, json ? "%u" : "0x%08x", (unsigned)bits);
        else if (f->type == 'S')
            snprintf(value, sizeof value, "%d", (int)bits);
        else if (f->type == 'E' && word(f->words, bits, &start))
            snprintf(value, sizeof value, json ? "\"%.*s\"" : "%.*s", word(f->words, bits, &start), start);
        else
            snprintf(value, sizeof value, "%u", (unsigned)bits);
    }
    int n = snprintf(text, size, format, f->name);
    return n +
           snprintf((size_t)n < size ? text + n : NULL, (size_t)n < size ? size - (size_t)n : 0, "%s", value);
}

size_t qpusim_record_text(const struct qpusim_record *record, bool json, char *text, size_t size) {
    const struct sim_cl_record *r = sim_cl_record(record->code);
    if (!r) {
        if (size)
            *text = 0;
        return 0;
    }
    size_t used = (size_t)snprintf(text, size, json ? "\"record\": \"%s\"" : "%s", r->name);
    for (const struct sim_cl_field *f = r->fields(); f->type; f++)
        used += (size_t)print_field(f, (const uint8_t *)&record->u + f->offset, json,
                                    used < size ? text + used : NULL, used < size ? size - used : 0);
    return used;
}
