/* Shader state records (guide section 9, tables 45 and 46) of a program, and back. */
#include "backend/isa/record.h"
#include "compiler/program.h"

#include <string.h>

/* The addresses of tables 45 and 46, with the alignment that the hardware or its caches ask for. */
enum { AT_CODE = 4, AT_UNIFORMS = 8, AT_STAGE = 12, AT_NV_VERTICES = 12, CODE_ALIGN = 8, WORD_ALIGN = 4 };
enum { CLIP_HEADER_ALIGN = 16 };

/* "Number of Uniforms (not used currently)": what fits is told anyway. */
static unsigned clamp(size_t value, unsigned max) {
    return value < max ? (unsigned)value : max;
}

static void relocate(struct qpucc_record_bytes *out, uint32_t offset, enum qpucc_relocation_kind kind,
                     uint32_t index, uint32_t alignment) {
    out->relocations[out->relocation_count++] =
        (struct qpucc_relocation){.offset = offset, .kind = kind, .index = index, .alignment = alignment};
}

static void relocate_stage(const struct qpucc_program *program, enum qpucc_stage stage, uint32_t at,
                           struct qpucc_record_bytes *out) {
    if (!program->stages[stage].code)
        return;
    relocate(out, at + AT_CODE, QPUCC_RELOCATE_CODE, stage, CODE_ALIGN);
    if (program->stages[stage].stream_count)
        relocate(out, at + AT_UNIFORMS, QPUCC_RELOCATE_UNIFORMS, stage, WORD_ALIGN);
}

static bool aligned(const struct qpucc_record_inputs *in) {
    uint32_t bad = in->clip_header ? in->vertex_address % CLIP_HEADER_ALIGN : in->vertex_address % WORD_ALIGN;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        bad |= in->code_address[s] % CODE_ALIGN | in->uniform_address[s] % WORD_ALIGN;
    return !bad;
}

static void set_vertex_stage(const struct qpucc_program *program, enum qpucc_stage which,
                             const struct qpucc_record_inputs *in, struct qpu_shader_record *record) {
    const struct program_stage *stage = &program->stages[which];
    const struct qpucc_layout *layout = &program->layout;
    struct qpu_record_vertex_stage *out = which == QPUCC_VERTEX ? &record->vertex : &record->coordinate;
    out->uniform_count = (uint16_t)clamp(stage->stream_count, 65535);
    out->code = in->code_address[which];
    out->uniforms = in->uniform_address[which];
    out->attribute_mask = layout->attribute_select[which];
    out->attribute_bytes = layout->attribute_bytes[which];
    for (uint32_t i = 0; i < layout->attribute_count; i++)
        *(which == QPUCC_VERTEX ? &record->attributes[i].vs_offset : &record->attributes[i].cs_offset) =
            layout->attributes[i].vpm_offset[which];
}

static bool fill_gl(const struct qpucc_program *program, const struct qpucc_record_inputs *in,
                    struct qpucc_record_bytes *out) {
    const struct program_stage *fragment = &program->stages[QPUCC_FRAGMENT];
    struct qpu_shader_record record = {
        .fs_single_threaded = program->layout.flags & QPUCC_SINGLE_THREADED,
        .point_size = program->layout.flags & QPUCC_POINT_SIZE,
        .clipping = !in->no_clipping,
        .extended = in->extended,
        .fs_uniform_count = (uint8_t)clamp(fragment->stream_count, 255),
        .fs_varyings = (uint8_t)program->layout.varying_words,
        .fs_code = in->code_address[QPUCC_FRAGMENT],
        .fs_uniforms = in->uniform_address[QPUCC_FRAGMENT],
        .attribute_count = program->layout.attribute_count,
    };
    for (size_t i = 0; i < program->layout.attribute_count; i++) {
        record.attributes[i].address = in->attribute[i].address;
        record.attributes[i].stride = in->attribute[i].stride;
        record.attributes[i].size = program->layout.attributes[i].bytes;
        record.extended |= in->attribute[i].stride > 255;
    }
    set_vertex_stage(program, QPUCC_VERTEX, in, &record);
    set_vertex_stage(program, QPUCC_COORDINATE, in, &record);
    out->size = qpu_record_pack(&record, out->bytes, sizeof out->bytes);
    out->list_bits = record.extended ? 8 : program->layout.attribute_count & 7;
    relocate_stage(program, QPUCC_FRAGMENT, 0, out);
    relocate_stage(program, QPUCC_VERTEX, AT_STAGE, out);
    relocate_stage(program, QPUCC_COORDINATE, 2 * AT_STAGE, out);
    for (uint32_t i = 0; i < program->layout.attribute_count; i++)
        relocate(out, (uint32_t)qpu_record_size(i), QPUCC_RELOCATE_ATTRIBUTE, i, 1);
    return out->size != 0;
}

static bool fill_nv(const struct qpucc_program *program, const struct qpucc_record_inputs *in,
                    struct qpucc_record_bytes *out) {
    const struct program_stage *fragment = &program->stages[QPUCC_FRAGMENT];
    /* screen coordinates, depth and 1/w; the two options; the varyings (guide, figure 12) */
    unsigned words = 3 + (in->point_size ? 1 : 0) + (in->clip_header ? 4 : 0) + program->layout.varying_words,
             stride = in->vertex_stride ? in->vertex_stride : 4 * words;
    if (stride < 4 * words || stride > 255 || !fragment->code)
        return false;
    struct qpu_nv_record record = {
        .fs_single_threaded = program->layout.flags & QPUCC_SINGLE_THREADED,
        .point_size = in->point_size,
        .clipping = !in->no_clipping,
        .clip_header = in->clip_header,
        .stride = (uint8_t)stride,
        .fs_uniform_count = (uint8_t)clamp(fragment->stream_count, 255),
        .fs_varyings = (uint8_t)program->layout.varying_words,
        .fs_code = in->code_address[QPUCC_FRAGMENT],
        .fs_uniforms = in->uniform_address[QPUCC_FRAGMENT],
        .vertices = in->vertex_address,
    };
    qpu_nv_record_pack(&record, out->bytes);
    out->size = QPU_NV_RECORD_SIZE;
    relocate_stage(program, QPUCC_FRAGMENT, 0, out);
    relocate(out, AT_NV_VERTICES, QPUCC_RELOCATE_VERTICES, 0,
             in->clip_header ? CLIP_HEADER_ALIGN : WORD_ALIGN);
    return true;
}

bool qpucc_record_fill(const qpucc_program *program, enum qpucc_record_mode mode,
                       const struct qpucc_record_inputs *inputs, struct qpucc_record_bytes *out) {
    struct qpucc_record_inputs packed = {.no_clipping = false};
    for (size_t i = 0; i < program->layout.attribute_count && !inputs; i++)
        packed.attribute[i].stride = program->layout.attributes[i].bytes;
    const struct qpucc_record_inputs *in = inputs ? inputs : &packed;
    *out = (struct qpucc_record_bytes){.size = 0};
    bool ok = program->status == QPUCC_OK && aligned(in);
    ok = ok && (mode == QPUCC_RECORD_GL   ? fill_gl(program, in, out)
                : mode == QPUCC_RECORD_NV ? fill_nv(program, in, out)
                                          : false);
    if (!ok)
        *out = (struct qpucc_record_bytes){.size = 0};
    return ok;
}

/* --- back ----------------------------------------------------------------------------------------------- */

static void decode_stage(const struct qpu_record_vertex_stage *stage, enum qpucc_stage which,
                         struct qpucc_record *out) {
    out->code_address[which] = stage->code;
    out->uniform_address[which] = stage->uniforms;
    out->shader[which == QPUCC_COORDINATE].uniforms = stage->uniform_count;
    out->shader[which == QPUCC_COORDINATE].attribute_mask = stage->attribute_mask;
    out->shader[which == QPUCC_COORDINATE].attribute_bytes = stage->attribute_bytes;
}

bool qpucc_record_decode(const uint8_t *bytes, size_t size, struct qpucc_record *out) {
    struct qpu_shader_record record;
    size_t attributes = (size - QPU_RECORD_FIXED_SIZE) / QPU_RECORD_ATTRIBUTE_SIZE;
    memset(out, 0, sizeof *out);
    if (size == QPU_RECORD_EXTENDED_SIZE) {
        if (!qpu_record_unpack_extended(bytes, size, &record))
            return false;
    } else if (size < QPU_RECORD_FIXED_SIZE || attributes > QPU_RECORD_ATTRIBUTES ||
               qpu_record_size((unsigned)attributes) != size ||
               !qpu_record_unpack(bytes, size, (unsigned)attributes, &record)) {
        return false;
    }
    out->single_threaded = record.fs_single_threaded;
    out->point_size = record.point_size;
    out->clipping = record.clipping;
    out->extended = record.extended;
    out->fragment_uniforms = record.fs_uniform_count;
    out->varyings = record.fs_varyings;
    out->code_address[QPUCC_FRAGMENT] = record.fs_code;
    out->uniform_address[QPUCC_FRAGMENT] = record.fs_uniforms;
    decode_stage(&record.vertex, QPUCC_VERTEX, out);
    decode_stage(&record.coordinate, QPUCC_COORDINATE, out);
    out->attribute_count = record.attribute_count;
    for (unsigned i = 0; i < record.attribute_count; i++) {
        out->attribute[i].address = record.attributes[i].address;
        out->attribute[i].bytes = record.attributes[i].size;
        out->attribute[i].stride = record.attributes[i].stride;
        out->attribute[i].vertex_offset = record.attributes[i].vs_offset;
        out->attribute[i].coordinate_offset = record.attributes[i].cs_offset;
    }
    return true;
}

bool qpucc_nv_record_decode(const uint8_t *bytes, size_t size, struct qpucc_nv_record *out) {
    struct qpu_nv_record record;
    memset(out, 0, sizeof *out);
    if (size != QPU_NV_RECORD_SIZE)
        return false;
    qpu_nv_record_unpack(bytes, &record);
    out->single_threaded = record.fs_single_threaded;
    out->point_size = record.point_size;
    out->clipping = record.clipping;
    out->clip_header = record.clip_header;
    out->stride = record.stride;
    out->fragment_uniforms = record.fs_uniform_count;
    out->varyings = record.fs_varyings;
    out->code_address = record.fs_code;
    out->uniform_address = record.fs_uniforms;
    out->vertex_address = record.vertices;
    return true;
}
