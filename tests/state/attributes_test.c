/* Vertex attribute formats against a decoder in C: random types, sizes, orders and data, compared bit for
 * bit.
 *
 *     state_attributes [SEED [COUNT]]
 *
 * The decoder says what GL says, in double precision; numbers are cut to 24 bits as the QPU cuts them. What
 * is multiplied by a factor that is itself rounded may be off in the last place, and in two where a sum of it
 * is cut, too; all else is exact. */
#include "lanes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = QPUSIM_LANES, MOST = 3, BYTES = 16 };

static unsigned failures;

/* --- the decoder ---------------------------------------------------------------------------------------- */

static const unsigned type_bytes[QPUCC_ATTR_TYPE_COUNT] = {4, 2, 4, 1, 1, 2, 2, 4, 4, 4, 4};

static bool is_packed(unsigned type) {
    return type >= QPUCC_ATTR_INT_2_10_10_10_REV;
}

/* The component as a whole number; as bits for floats. */
static int64_t whole(unsigned type, const uint8_t *data, unsigned k) {
    uint32_t word;
    uint16_t half;
    memcpy(&word, data + (is_packed(type) ? 0 : type_bytes[type] == 4 ? 4 * k : 0), 4);
    memcpy(&half, data + 2 * k, 2);
    uint32_t field = k == 3 ? word >> 30 : word >> 10 * k & 1023;
    int sign = k == 3 ? 2 : 512;
    switch (type) {
    case QPUCC_ATTR_BYTE: return (int8_t)data[k];
    case QPUCC_ATTR_UBYTE: return data[k];
    case QPUCC_ATTR_SHORT: return (int16_t)half;
    case QPUCC_ATTR_HALF:
    case QPUCC_ATTR_USHORT: return half;
    case QPUCC_ATTR_INT:
    case QPUCC_ATTR_FIXED: return (int32_t)word;
    case QPUCC_ATTR_INT_2_10_10_10_REV: return (int64_t)(field ^ (uint32_t)sign) - sign;
    case QPUCC_ATTR_UINT_2_10_10_10_REV: return field;
    default: return word;
    }
}

static unsigned bits_of(unsigned type, unsigned k) {
    return is_packed(type) ? (k == 3 ? 2 : 10) : 8 * type_bytes[type];
}

static bool is_signed(unsigned type) {
    return type == QPUCC_ATTR_BYTE || type == QPUCC_ATTR_SHORT || type == QPUCC_ATTR_INT ||
           type == QPUCC_ATTR_INT_2_10_10_10_REV;
}

/* *error: how far off it may be, in units of 2^-23 of it; 0 unless a product with a rounded factor is on the
 * way. */
static double number(const struct qpucc_attribute_state *a, const uint8_t *data, unsigned k, double *error) {
    int64_t c = whole(a->type, data, k);
    double range = ldexp(1, (int)bits_of(a->type, k));
    *error = 0;
    switch (a->type) {
    case QPUCC_ATTR_FLOAT: return (double)lanes_float((uint32_t)c);
    case QPUCC_ATTR_FIXED: return (double)lanes_truncate((double)c) / 65536;
    case QPUCC_ATTR_HALF:
        return ldexp((double)(1024 + (c & 1023)), (int)(c >> 10 & 31) - 25) * (c & 0x8000 ? -1 : 1);
    default: break;
    }
    if (!a->normalized) { /* the QPU converts signed numbers: above them 2^32 is added */
        *error = c <= INT32_MAX ? 0 : 1.5;
        return (double)lanes_truncate((double)c);
    }
    *error = a->type == QPUCC_ATTR_UBYTE ? 0 : 1.5;
    if (!is_signed(a->type))
        return (double)c / (range - 1);
    if (a->normalized == QPUCC_ATTR_NORMALIZED_LEGACY) {
        if (a->type == QPUCC_ATTR_INT) /* c is cut to 24 bits, and then c + 0.5 is */
            *error = 2.5;
        return (2 * (double)c + 1) / (range - 1);
    }
    return fmax((double)c / (range / 2 - 1), -1);
}

/* --- random attributes ---------------------------------------------------------------------------------- */

struct attribute {
    struct qpucc_attribute_state state;
    unsigned rows; /* of the shader's vector */
    bool integer;
    uint8_t data[LANES][BYTES];
};

static void random_attribute(struct lanes_random *random, struct attribute *a, unsigned n) {
    *a = (struct attribute){.rows = 1 + lanes_below(random, 4), .integer = lanes_below(random, 4) == 0};
    struct qpucc_attribute_state *s = &a->state;
    s->type = (uint8_t)(n % QPUCC_ATTR_TYPE_COUNT);
    s->normalized = (uint8_t)lanes_below(random, QPUCC_ATTR_NORMALIZED_COUNT);
    s->components = (uint8_t)(is_packed(s->type) ? 4 * lanes_below(random, 2) : lanes_below(random, 5));
    s->bgra = is_packed(s->type)
                  ? lanes_below(random, 2) == 0
                  : s->type == QPUCC_ATTR_UBYTE && s->components == 4 && lanes_below(random, 2);
    if (s->type == QPUCC_ATTR_HALF || s->type == QPUCC_ATTR_FIXED)
        a->integer = false;
    for (unsigned i = 0; i < LANES; i++) {
        for (unsigned k = 0; k < BYTES; k++) /* the ends of each range now and then */
            a->data[i][k] = (uint8_t)(i < 3 ? 0 - i : lanes_word(random));
        for (unsigned k = 0; k < BYTES; k += 4) {
            if (i == 3 || i == 4)
                memcpy(a->data[i] + k, i == 3 ? "\0\200\0\200" : "\377\177\377\177", 4);
            if (s->type == QPUCC_ATTR_FLOAT && !a->integer) {
                float value = (float)((double)lanes_word(random) / 65536 - 30000);
                memcpy(a->data[i] + k, &value, 4);
            }
        }
        for (unsigned k = 1; s->type == QPUCC_ATTR_HALF && k < BYTES;
             k += 2) /* no denormals, no infinities */
            a->data[i][k] = (uint8_t)((a->data[i][k] & 0x83) | (1 + lanes_below(random, 30)) << 2);
    }
}

/* The VPM's rows: each attribute's bytes in words, whatever is in the rest of the last one. */
static bool fill_rows(struct lanes_random *random, const qpucc_program *program, const struct attribute *list,
                      struct qpusim_vertices *vertices) {
    const struct qpucc_layout *layout = qpucc_program_layout(program);
    const struct qpucc_attribute_slot *slot = layout->attributes;
    for (size_t s = 0; s < layout->attribute_count; s++) {
        const struct attribute *a = &list[slot[s].number];
        unsigned stored = a->state.components ? a->state.components : 4;
        unsigned most = is_packed(a->state.type) ? 4 : type_bytes[a->state.type] * stored;
        if (!slot[s].selected[QPUCC_VERTEX] || slot[s].bytes > most ||
            slot[s].words != (slot[s].bytes + 3) / 4) {
            printf("type %u with %u components takes %u bytes and %u words\n", a->state.type, stored,
                   slot[s].bytes, slot[s].words);
            return false;
        }
        for (unsigned w = 0; w < slot[s].words; w++, vertices->row_count++)
            for (unsigned i = 0; i < LANES; i++) {
                uint32_t word = lanes_word(random);
                unsigned left = slot[s].bytes - 4 * w;
                memcpy(&word, a->data[i] + 4 * w, left < 4 ? left : 4);
                vertices->rows[vertices->row_count][i] = word;
            }
    }
    return true;
}

static void compare(const struct attribute *a, unsigned lane, unsigned k, uint32_t bits) {
    unsigned stored = a->state.components ? a->state.components : 4;
    unsigned from = a->state.bgra && k < 3 ? 2 - k : k;
    double error = 0;
    double want = k == 3, got = (double)lanes_float(bits);
    if (a->integer) { /* a varying of whole numbers travels as a float */
        int64_t value = k < stored ? whole(a->state.type, a->data[lane], from) : k == 3;
        want = (double)lanes_truncate((double)(int32_t)(value & 0xffff));
    } else if (k < stored)
        want = number(&a->state, a->data[lane], from, &error);
    float cut = lanes_truncate(want);
    if (error > 0 ? fabs(got - want) <= fabs(want) * error * 0x1p-23
                  : got == (double)cut || (cut == 0 && got == 0))
        return;
    if (failures++ < 20)
        printf(
            "type %u normalized %u components %u bgra %u%s, vertex %u component %u: %.9g instead of %.9g\n",
            a->state.type, a->state.normalized, a->state.components, a->state.bgra,
            a->integer ? " integer" : "", lane, k, got, want);
}

static void try_attributes(struct lanes_random *random, unsigned n) {
    static const char *const floats[] = {"float", "vec2", "vec3", "vec4"}, *const integers[] = {
                                                                               "int", "ivec2", "ivec3",
                                                                               "ivec4"};
    struct attribute list[MOST];
    struct qpucc_state state = {0};
    char text[1500], body[900] = "";
    unsigned count = 1 + lanes_below(random, MOST), varying = 0, length = 0, declared = 0;
    declared += (unsigned)snprintf(text, sizeof text, "#version 300 es\n");
    for (unsigned k = 0; k < count; k++) {
        struct attribute *a = &list[k];
        random_attribute(random, a, n + k * 5);
        state.attribute[k] = a->state;
        const char *type = a->integer ? integers[a->rows - 1] : floats[a->rows - 1];
        declared += (unsigned)snprintf(text + declared, sizeof text - declared,
                                       "layout(location=%u) in %s a%u;\nout %s v%u;\n", k, type, k,
                                       floats[a->rows - 1], k);
        if (a->integer) /* what a float holds exactly */
            length += (unsigned)snprintf(body + length, sizeof body - length, "v%u = %s(a%u & 0xffff);\n", k,
                                         floats[a->rows - 1], k);
        else
            length += (unsigned)snprintf(body + length, sizeof body - length, "v%u = a%u;\n", k, k);
    }
    snprintf(text + declared, sizeof text - declared, "void main() {\n%sgl_Position = vec4(1.0);\n}\n", body);
    qpucc_program *program = lanes_compile(text, &state, n / QPUCC_ATTR_TYPE_COUNT % 2 ? 2 : 0);
    struct qpusim_vertices vertices = {.count = LANES};
    struct qpucc_draw_values values = {0};
    uint32_t out[LANES_VARYINGS][LANES];
    if (!program || !fill_rows(random, program, list, &vertices) ||
        !lanes_run(program, &values, NULL, &vertices, out)) {
        failures++;
        qpucc_program_free(program);
        return;
    }
    for (unsigned k = 0; k < count; k++)
        for (unsigned c = 0; c < list[k].rows; c++, varying++)
            for (unsigned i = 0; i < LANES; i++)
                compare(&list[k], i, c, out[varying][i]);
    qpucc_program_free(program);
}

int main(int argc, char **argv) {
    struct lanes_random random = {argc > 1 ? strtoull(argv[1], NULL, 0) : 1};
    unsigned count = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 16 * QPUCC_ATTR_TYPE_COUNT;
    for (unsigned n = 0; n < count; n++)
        try_attributes(&random, n);
    printf("%u random sets of attributes: %u wrong\n", count, failures);
    return failures != 0;
}
