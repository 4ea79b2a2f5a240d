/* Shader state records (guide, section 9, tables 45 and 46), little endian. The GL record ties a fragment, a
 * vertex and a coordinate shader together; the NV record has a fragment shader and vertices that are already
 * shaded.
 *
 * A GL record has 36 bytes and 8 for each attribute array; an extended one has eight arrays and after them a
 * word for the stride of each. The addresses are bus addresses for the hardware; in records handed to the
 * Linux driver code addresses are 0, attribute addresses offsets in their buffers, and uniform addresses are
 * filled in by the kernel. The control list's GL shader state item tells the number of attributes and whether
 * the record is extended. */
#ifndef QPU_RECORD_H
#define QPU_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QPU_RECORD_ATTRIBUTES = 8, QPU_RECORD_FIXED_SIZE = 36, QPU_RECORD_ATTRIBUTE_SIZE = 8 };
enum {
    QPU_RECORD_EXTENDED_SIZE = 132,
    QPU_RECORD_LARGEST_STRIDE = (1 << 26) - 1, /* of an extended record; otherwise 255 */
    QPU_NV_RECORD_SIZE = 16
};

/* One attribute array. */
struct qpu_record_attribute {
    uint32_t address;
    uint32_t stride;   /* bytes from one vertex to the next; 0: the same for all */
    uint16_t size;     /* bytes of one element, 1 to 256 */
    uint8_t vs_offset; /* byte offset of the element in the vertex shader's VPM input */
    uint8_t cs_offset; /* ... in the coordinate shader's */
};

/* Vertex or coordinate shader. */
struct qpu_record_vertex_stage {
    uint16_t uniform_count;  /* the hardware does not use it; 0 in drivers' records */
    uint8_t attribute_mask;  /* bit n: attribute array n is loaded for this shader */
    uint8_t attribute_bytes; /* of all its attributes */
    uint32_t code, uniforms; /* addresses */
};

struct qpu_shader_record {
    bool fs_single_threaded;
    bool point_size; /* shaded vertices carry a point size */
    bool clipping;
    uint16_t reserved_flags;  /* bits 3 to 15 of the flags word, kept as they are */
    uint8_t fs_uniform_count; /* not used by the hardware */
    uint8_t fs_varyings;      /* varyings set up for the fragment shader, which must read them all */
    uint32_t fs_code, fs_uniforms;
    struct qpu_record_vertex_stage vertex, coordinate;
    bool extended;
    unsigned attribute_count; /* 0 to 8; of an extended record as read, 8 */
    struct qpu_record_attribute attributes[QPU_RECORD_ATTRIBUTES];
};

/* Bytes of a record with `attributes` attribute arrays. */
size_t qpu_record_size(unsigned attributes);

/* Writes the record. Returns its size, or 0 if it does not fit `size` or a field is out of range. */
size_t qpu_record_pack(const struct qpu_shader_record *record, uint8_t *out, size_t size);

/* Reads a record with `attributes` attribute arrays; false if `size` is too small or there are more than
 * eight. Packing what was read gives the same bytes. */
bool qpu_record_unpack(const uint8_t *bytes, size_t size, unsigned attributes, struct qpu_shader_record *out);

/* Reads an extended record; false if `size` is too small. Packing what was read gives the same bytes, but
 * that the unused short strides and the upper six bits of the long ones become 0. */
bool qpu_record_unpack_extended(const uint8_t *bytes, size_t size, struct qpu_shader_record *out);

/* The NV record. */
struct qpu_nv_record {
    bool fs_single_threaded;
    bool point_size; /* the vertices carry a point size */
    bool clipping;
    bool clip_header;       /* the vertices begin with clip coordinates */
    uint8_t reserved_flags; /* bits 4 to 7, kept as they are */
    uint8_t stride;         /* bytes from one vertex to the next */
    uint8_t fs_uniform_count, fs_varyings;
    uint32_t fs_code, fs_uniforms, vertices; /* addresses */
};

void qpu_nv_record_pack(const struct qpu_nv_record *record, uint8_t out[QPU_NV_RECORD_SIZE]);
/* Any sixteen bytes are a record; packing it gives the same bytes. */
void qpu_nv_record_unpack(const uint8_t bytes[QPU_NV_RECORD_SIZE], struct qpu_nv_record *out);

#endif
