/* Records of control lists: written, read and printed.
 *
 * A driver's lists are bytes in its own memory, which it copies to where the VideoCore IV 3D block reads
 * them (guide sections 8 and 9):
 *
 *     struct qpusim_list list = {0};
 *     qpusim_put_clip_window(&list, &(struct qpusim_cl_clip_window){0, 0, 256, 256});
 *     qpusim_put_flush(&list);
 *     ... list.bytes, list.size ...
 *     qpusim_list_free(&list);
 *
 * These functions are in libqpucc_rt and need neither the compiler nor the machine. Addresses are bus
 * addresses. "Guide" is Broadcom's VideoCore IV 3D Architecture Reference Guide. */
#ifndef QPUCC_RECORDS_H
#define QPUCC_RECORDS_H

#include <qpucc/allocator.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- records -------------------------------------------------------------------------------------------- */

/* All of them are in records.def, which makes of each
 *   - a code, QPUSIM_CL_CLIP_WINDOW (above 255: data that a record points at),
 *   - a struct of its fields, struct qpusim_cl_clip_window, and
 *   - a writer, qpusim_put_clip_window(list, &record), or qpusim_put_flush(list) when it has no fields.
 * Enumerated fields hold the place of their word in the table. Addresses are whole bus addresses; their low
 * bits that the record has no room for must be 0. */
enum qpusim_code {
#define QPUSIM_RECORD(code, NAME, name, where, bytes) QPUSIM_CL_##NAME = code,
#define QPUSIM_FIELD(type, member, low, bits, names)
#define QPUSIM_END
#define QPUSIM_CODE(code, NAME, name, where) QPUSIM_CL_##NAME = code,
#define QPUSIM_DATA(code, NAME, name, bytes) QPUSIM_CL_##NAME = code,
#include <qpucc/records.def>
};

#define QPUSIM_TYPE_U uint32_t
#define QPUSIM_TYPE_A uint32_t
#define QPUSIM_TYPE_N uint32_t
#define QPUSIM_TYPE_Z uint32_t
#define QPUSIM_TYPE_E uint32_t
#define QPUSIM_TYPE_S int32_t
#define QPUSIM_TYPE_F float
#define QPUSIM_TYPE_H float
#define QPUSIM_TYPE_B bool
#define QPUSIM_RECORD(code, NAME, name, where, bytes) struct qpusim_cl_##name {
#define QPUSIM_FIELD(type, member, low, bits, names) QPUSIM_TYPE_##type member;
#define QPUSIM_END                                                                                           \
    }                                                                                                        \
    ;
#define QPUSIM_CODE(code, NAME, name, where)
#define QPUSIM_DATA(code, NAME, name, bytes) struct qpusim_cl_##name {
#include <qpucc/records.def>

/* One record of any kind. */
struct qpusim_record {
    enum qpusim_code code;
    unsigned size; /* bytes in the list, code included; without the primitives that follow 48 and 49 */
    union {
#define QPUSIM_RECORD(code, NAME, name, where, bytes) struct qpusim_cl_##name name;
#define QPUSIM_FIELD(type, member, low, bits, names)
#define QPUSIM_END
#define QPUSIM_CODE(code, NAME, name, where)
#define QPUSIM_DATA(code, NAME, name, bytes) struct qpusim_cl_##name name;
#include <qpucc/records.def>
    } u;
};

/* A list being written: bytes in the host's memory, to be copied to where the block reads them. It begins as
 * {0}, or with an allocator, which it keeps when it is freed. */
struct qpusim_list {
    uint8_t *bytes;
    size_t size, capacity;
    bool no_memory;                          /* a write failed: the list lacks records */
    const struct qpucc_allocator *allocator; /* of the bytes; NULL: the C library's */
};
void qpusim_list_free(struct qpusim_list *list);
/* Appends bytes as they are: what drivers put between the block's records. */
void qpusim_put_bytes(struct qpusim_list *list, const void *bytes, size_t size);

/* Appends a record, or data of 256 and above. A value that its field cannot hold is cut to the field's
 * bits. */
void qpusim_put(struct qpusim_list *list, const struct qpusim_record *record);
#define QPUSIM_RECORD(code, NAME, name, where, bytes)                                                        \
    void qpusim_put_##name(struct qpusim_list *list, const struct qpusim_cl_##name *record);
#define QPUSIM_FIELD(type, member, low, bits, names)
#define QPUSIM_END
#define QPUSIM_CODE(code, NAME, name, where) void qpusim_put_##name(struct qpusim_list *list);
#define QPUSIM_DATA(code, NAME, name, bytes)                                                                 \
    void qpusim_put_##name(struct qpusim_list *list, const struct qpusim_cl_##name *record);
#include <qpucc/records.def>

/* Reads the record at `bytes`. Returns its size; 0 when its code is unknown or `size` bytes do not hold
 * it. */
unsigned qpusim_read_record(const uint8_t *bytes, size_t size, struct qpusim_record *record);
/* The same of data: which one is asked for. */
unsigned qpusim_read_data(enum qpusim_code code, const uint8_t *bytes, size_t size,
                          struct qpusim_record *record);

/* "clip_window"; NULL for an unknown code. Static storage. */
const char *qpusim_code_name(unsigned code);
/* Where a record may stand. */
enum qpusim_where { QPUSIM_WHERE_LIST, QPUSIM_WHERE_BIN, QPUSIM_WHERE_RENDER, QPUSIM_WHERE_VG };
enum qpusim_where qpusim_code_where(unsigned code);

/* The record as text, "clip_window left=0 bottom=0 width=256 height=256", or as the members of a JSON object,
 * "\"record\": \"clip_window\", \"left\": 0, ...". Returns the length; the text is cut where `size` ends, as
 * snprintf does. */
size_t qpusim_record_text(const struct qpusim_record *record, bool json, char *text, size_t size);

/* --- compressed primitives (guide tables 39 to 43) ------------------------------------------------------ */

/* Indices of one primitive after another, each coded by what it shares with the one before. The format's two
 * numbers are those of record 56. A coder belongs to one list: clear `started` where a record 48 or 49
 * begins. Coordinates, format data 3, are x in bits 15:0 and y in bits 31:16 of an index. */
struct qpusim_primitive_coder {
    unsigned primitive, data;
    bool started;
    uint32_t previous[3];
};
enum qpusim_primitive_item {
    QPUSIM_ITEM_BAD,       /* reserved, cut off, or relative to a primitive that is not there */
    QPUSIM_ITEM_PRIMITIVE, /* index[] is filled */
    QPUSIM_ITEM_BRANCH,    /* branch: bytes to add to the address of the item, rounded down to 32 */
    QPUSIM_ITEM_END,       /* the escape code */
};
/* Vertices of a primitive of the format: 1, 2 or 3. */
unsigned qpusim_primitive_vertices(const struct qpusim_primitive_coder *coder);
/* Reads one item; *used gets its bytes. */
enum qpusim_primitive_item qpusim_read_primitive(struct qpusim_primitive_coder *coder, const uint8_t *bytes,
                                                 size_t size, uint32_t index[3], int32_t *branch,
                                                 unsigned *used);
/* Writes a primitive in the shortest form; 13 bytes are always enough. Returns the bytes. */
unsigned qpusim_write_primitive(struct qpusim_primitive_coder *coder, const uint32_t index[3],
                                uint8_t bytes[13]);

#ifdef __cplusplus
}
#endif

#endif
