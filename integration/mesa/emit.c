/* The record and the streams of a draw, in the form that the kernel takes: offsets, with the buffers that
 * they are in before them. */
#include "glue.h"

#include "util/u_upload_mgr.h"
#include "vc4_cl.h"
#include "vc4_resource.h"

static void put_buffer(struct vc4_cl *list, struct vc4_bo *bo) {
    cl_pack_emit_reloc(list, &(struct vc4_cl_reloc){.bo = bo});
}

/* --- the record ----------------------------------------------------------------------------------------- */

struct array {
    struct vc4_bo *bo;
    uint32_t offset, stride, last; /* last: the greatest index that it has */
};

static struct array array_of(struct vc4_context *vc4, unsigned element, uint32_t first) {
    const struct pipe_vertex_element *e = &vc4->vtx->pipe[element];
    const struct pipe_vertex_buffer *vb = &vc4->vertexbuf.vb[e->vertex_buffer_index];
    struct vc4_resource *resource = vc4_resource(vb->buffer.resource);
    struct array a = {resource->bo, vb->buffer_offset + e->src_offset + vb->stride * first, vb->stride,
                      0xffff};
    uint32_t bytes = util_format_get_blocksize(e->src_format), all = resource->bo->size;
    if (vb->stride && a.offset + bytes <= all)
        a.last = MIN2(a.last, (all - a.offset - bytes) / vb->stride);
    return a;
}

/* The kernel wants a buffer for the array of a shader that has none, for those that an extended record has
 * beyond its own, and for a lookup where nothing is bound. */
static struct vc4_bo *scratch(struct vc4_context *vc4) {
    return vc4_bo_alloc(vc4->screen, 4096, "scratch VBO");
}

/* Any offset and stride of GL's makes a record. */
static void emit_record(struct vc4_context *vc4, const struct glue_variant *variant, uint32_t first) {
    const struct qpucc_layout *layout = qpucc_program_layout(variant->code.program);
    struct qpucc_record_inputs inputs = {0};
    struct qpucc_record_bytes record;
    struct array arrays[QPUCC_MAX_ATTRIBUTES] = {0};
    vc4->max_index = 0xffff;
    for (uint32_t i = 0; i < layout->attribute_count; i++) {
        const struct qpucc_attribute_slot *slot = &layout->attributes[i];
        if (slot->variable == UINT32_MAX)
            continue;
        arrays[i] = array_of(vc4, variant->program->element[slot->number], first);
        inputs.attribute[i].address = arrays[i].offset;
        inputs.attribute[i].stride = arrays[i].stride;
        vc4->max_index = MIN2(vc4->max_index, arrays[i].last);
    }
    bool filled = qpucc_record_fill(variant->code.program, QPUCC_RECORD_GL, &inputs, &record);
    assert(filled);
    (void)filled;

    struct vc4_job *job = vc4->job;
    struct vc4_bo *filler = NULL;
    uint32_t buffers = 3 + (record.list_bits & 8 ? QPUCC_MAX_ATTRIBUTES : layout->attribute_count);
    cl_ensure_space(&job->shader_rec, buffers * 4 + (uint32_t)record.size);
    struct vc4_cl_out *out = cl_start_shader_reloc(&job->shader_rec, buffers);
    put_buffer(&job->shader_rec, variant->code.stage[QPUCC_FRAGMENT].bo);
    put_buffer(&job->shader_rec, variant->code.stage[QPUCC_VERTEX].bo);
    put_buffer(&job->shader_rec, variant->code.stage[QPUCC_COORDINATE].bo);
    for (uint32_t i = 0; i < buffers - 3; i++) {
        if (!arrays[i].bo && !filler)
            filler = scratch(vc4);
        put_buffer(&job->shader_rec, arrays[i].bo ? arrays[i].bo : filler);
    }
    vc4_bo_unreference(&filler);
    memcpy(out, record.bytes, record.size);
    cl_advance(&out, (uint32_t)record.size);
    cl_end(&job->shader_rec, out);
    job->shader_rec_count++;

    struct vc4_cl_out *list = cl_start(&job->bcl);
    cl_u8(&list, VC4_PACKET_GL_SHADER_STATE);
    cl_u32(&list, record.list_bits);
    cl_end(&job->bcl, list);
}

/* --- streams -------------------------------------------------------------------------------------------- */

const uint32_t *glue_storage(struct qpucc_glue *glue, const struct glue_program *program) {
    static const enum pipe_shader_type types[2] = {PIPE_SHADER_FRAGMENT, PIPE_SHADER_VERTEX};
    const struct glue_shader *shaders[2] = {program->fragment, program->vertex};
    for (int i = 0; i < 2; i++) {
        const struct pipe_constant_buffer *cb = &glue->vc4->constbuf[types[i]].cb[0];
        size_t bytes = 4 * (size_t)shaders[i]->facts.uniform_words;
        if (program->word[i] == UINT32_MAX || !cb->user_buffer)
            continue;
        memcpy(glue->storage + program->word[i], cb->user_buffer, MIN2(bytes, cb->buffer_size));
    }
    return glue->storage;
}

/* A sample's texture or block, or the copy of the storage in which it looks an element up. */
static struct vc4_bo *buffer_of(const struct vc4_context *vc4, const struct glue_program *program,
                                const struct qpucc_texture_sample *sample, struct pipe_resource *storage) {
    return sample->unit == UINT32_MAX ? vc4_resource(storage)->bo
                                      : glue_buffer(vc4, program->unit[sample->unit]);
}

static void emit_streams(struct vc4_context *vc4, const struct glue_variant *variant) {
    static const enum qpucc_stage order[] = {QPUCC_FRAGMENT, QPUCC_VERTEX, QPUCC_COORDINATE};
    const struct glue_code *code = &variant->code;
    uint32_t textures[QPUCC_MAX_TEXTURES][4] = {0}, *out[QPUCC_STAGE_COUNT] = {NULL}, words = 0;
    struct qpucc_draw_values values = {.textures = (const uint32_t(*)[4])textures};
    struct pipe_resource *copy = NULL;
    struct vc4_bo *filler = NULL;
    struct vc4_cl *list = &vc4->job->uniforms;
    glue_values(vc4, variant->program, &values, textures);
    values.uniforms = glue_storage(vc4->qpucc, variant->program);
    if (code->storage_lookups)
        u_upload_data(vc4->uploader, 0, 4 * variant->program->storage_words, 16, values.uniforms,
                      &values.uniform_address, &copy);
    for (int i = 0; i < QPUCC_STAGE_COUNT; i++)
        words += code->sample_count[i] + code->stream_words[i];
    cl_ensure_space(list, words * 4);
    for (int i = 0; i < QPUCC_STAGE_COUNT; i++) {
        enum qpucc_stage stage = order[i];
        struct vc4_cl_out *stream = cl_start_shader_reloc(list, code->sample_count[stage]);
        for (uint32_t k = 0; k < code->sample_count[stage]; k++) {
            struct vc4_bo *bo = buffer_of(vc4, variant->program, &code->samples[stage][k], copy);
            if (!bo && !filler)
                filler = scratch(vc4);
            put_buffer(list, bo ? bo : filler);
        }
        out[stage] = (uint32_t *)stream;
        cl_advance(&stream, 4 * code->stream_words[stage]);
        cl_end(list, stream);
    }
    qpucc_uniforms_fill_all(code->program, &values, out);
    pipe_resource_reference(&copy, NULL);
    vc4_bo_unreference(&filler);
}

bool qpucc_glue_emit(struct vc4_context *vc4, const struct pipe_draw_info *info,
                     const struct pipe_draw_start_count_bias *draw, uint32_t extra_index_bias) {
    if (!vc4->qpucc || !vc4->qpucc->active)
        return false;
    uint32_t first = (info->index_size ? (uint32_t)draw->index_bias : 0) + extra_index_bias;
    emit_record(vc4, vc4->qpucc->active, first);
    emit_streams(vc4, vc4->qpucc->active);
    vc4->last_index_bias = first;
    return true;
}
