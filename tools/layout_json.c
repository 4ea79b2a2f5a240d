/* A program's layout as JSON: what goes into the shader state record and the control list. */
#include "cli.h"

#include <stdio.h>

static json_t *attribute_json(const qpucc_program *program, const struct qpucc_attribute_slot *slot) {
    const struct qpucc_variable *v = qpucc_program_variable(program, QPUCC_ATTRIBUTES, slot->variable);
    return json_pack("{s:o, s:i, s:i, s:i, s:i, s:b, s:b, s:i, s:i}", "attribute",
                     v ? cli_json_text(v->name) : json_null(), "column", (int)slot->column, "words",
                     (int)slot->words, "bytes", (int)slot->bytes, "number", (int)slot->number, "vertex",
                     (int)slot->selected[QPUCC_VERTEX], "coordinate", (int)slot->selected[QPUCC_COORDINATE],
                     "vertex_offset", (int)slot->vpm_offset[QPUCC_VERTEX], "coordinate_offset",
                     (int)slot->vpm_offset[QPUCC_COORDINATE]);
}

static json_t *varying_json(const qpucc_program *program, const struct qpucc_varying_slot *slot) {
    static const char *const kinds[] = {[QPUCC_VARYING_POINT_S] = "point_s",
                                        [QPUCC_VARYING_POINT_T] = "point_t",
                                        [QPUCC_VARYING_LINE] = "line",
                                        [QPUCC_VARYING_USER] = "user",
                                        [QPUCC_VARYING_STATE] = "state"};
    const struct qpucc_variable *v = qpucc_program_variable(program, QPUCC_VARYINGS, slot->variable);
    return json_pack("{s:s, s:o, s:i, s:b, s:b, s:b}", "kind", kinds[slot->kind], "varying",
                     v ? cli_json_text(v->name) : json_null(), "word", (int)slot->word, "flat",
                     (int)slot->flat, "centroid", (int)slot->centroid, "perspective", (int)slot->perspective);
}

static json_t *traits_json(uint32_t flags) {
    static const struct {
        enum qpucc_trait bit;
        const char *name;
    } traits[] = {{QPUCC_THREADED, "threaded"},         {QPUCC_SINGLE_THREADED, "single_threaded"},
                  {QPUCC_WRITES_Z, "writes_z"},         {QPUCC_DISCARDS, "discards"},
                  {QPUCC_READS_TILE, "reads_tile"},     {QPUCC_EARLY_Z_TEST_SAFE, "early_z_test_safe"},
                  {QPUCC_EARLY_Z_SAFE, "early_z_safe"}, {QPUCC_POINT_SIZE, "point_size"}};
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof traits / sizeof *traits; i++)
        if (flags & traits[i].bit)
            json_array_append_new(list, json_string(traits[i].name));
    return list;
}

static json_t *stage_json(const struct qpucc_layout *layout, enum qpucc_stage stage) {
    json_t *units = json_array();
    for (int n = 0; n < QPUCC_MAX_TEXTURES; n++)
        if (layout->textures[stage] >> n & 1)
            json_array_append_new(units, json_integer(n));
    return json_pack("{s:o, s:i, s:i}", "textures", units, "attribute_select",
                     (int)layout->attribute_select[stage], "attribute_bytes",
                     (int)layout->attribute_bytes[stage]);
}

static json_t *record_json(const qpucc_program *program, json_t *out) {
    struct qpucc_record_bytes bytes;
    struct qpucc_record record = {0};
    char hex[2 * QPUCC_RECORD_MAX_BYTES + 1] = "";
    if (qpucc_record_fill(program, QPUCC_RECORD_GL, NULL, &bytes))
        qpucc_record_decode(bytes.bytes, bytes.size, &record);
    for (size_t i = 0; i < bytes.size; i++)
        snprintf(hex + 2 * i, 3, "%02x", bytes.bytes[i]);
    json_object_set_new(out, "shader_record", json_string(hex));
    return json_pack("{s:b, s:b, s:b, s:b}", "single_threaded", (int)record.single_threaded, "point_size",
                     (int)record.point_size, "clipping", (int)record.clipping, "extended",
                     (int)record.extended);
}

void cli_layout_json(const qpucc_program *program, json_t *out) {
    const struct qpucc_layout *layout = qpucc_program_layout(program);
    json_t *attributes = json_array(), *varyings = json_array(), *stages = json_object();
    for (uint32_t i = 0; i < layout->attribute_count; i++)
        json_array_append_new(attributes, attribute_json(program, &layout->attributes[i]));
    for (uint32_t i = 0; i < layout->varying_count; i++)
        json_array_append_new(varyings, varying_json(program, &layout->varyings[i]));
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        if (qpucc_program_code(program, (enum qpucc_stage)s, NULL))
            json_object_set_new(stages, qpucc_stage_name((enum qpucc_stage)s),
                                stage_json(layout, (enum qpucc_stage)s));
    size_t bytes = qpucc_program_uniform_bytes(program, QPUCC_UNIFORMS_PACKED);
    json_object_set_new(out, "attribute_slots", attributes);
    json_object_set_new(out, "varying_slots", varyings);
    json_object_set_new(out, "stage_layouts", stages);
    json_object_set_new(out, "traits", traits_json(layout->flags));
    json_object_set_new(out, "uniform_words", json_integer((json_int_t)(bytes / 4)));
    json_object_set_new(out, "varying_words", json_integer(layout->varying_words));
    json_object_set_new(out, "flat_varyings", json_integer(layout->flat_varyings));
    json_object_set_new(out, "point_size", json_boolean(layout->flags & QPUCC_POINT_SIZE));
    json_object_set_new(out, "record_flags", record_json(program, out));
}
