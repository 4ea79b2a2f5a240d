/* An inspection as JSON. */
#include "inspect_json.h"

#include <stdio.h>
#include <string.h>

static json_t *write_json(const struct inspect_write *write) {
    char hex[12];
    float number;
    memcpy(&number, &write->value, sizeof number);
    snprintf(hex, sizeof hex, "%08x", write->value);
    bool finite = number == number && number < 3.4e38f && number > -3.4e38f;
    json_t *out =
        json_pack("{s:s, s:b, s:s, s:o, s:I, s:[i, i, i, i]}", "target", write->target, "written",
                  (int)write->written, "bits", hex, "float", finite ? json_real((double)number) : json_null(),
                  "int", (json_int_t)(int32_t)write->value, "bytes", (int)(write->value & 255),
                  (int)(write->value >> 8 & 255), (int)(write->value >> 16 & 255), (int)(write->value >> 24));
    json_t *name = write->name ? json_string(write->name) : NULL;
    if (name)
        json_object_set_new(out, "name", name);
    if (write->part[0])
        json_object_set_new(out, "part", json_string(write->part));
    return out;
}

static json_t *color_json(const uint8_t color[4]) {
    return json_pack("[i, i, i, i]", color[0], color[1], color[2], color[3]);
}

static json_t *run_json(const struct inspect_run *run, const struct qpucc_explain_stage *stage) {
    json_t *steps = json_array();
    for (size_t i = 0; i < run->count; i++) {
        const struct inspect_step *step = &run->step[i];
        const struct qpucc_explain_instruction *in = &stage->instruction[step->instruction];
        json_t *writes = json_array(), *file = in->file ? json_string(in->file) : json_null();
        for (unsigned w = 0; w < step->write_count; w++)
            json_array_append_new(writes, write_json(&step->write[w]));
        json_array_append_new(steps, json_pack("{s:i, s:I, s:s, s:o, s:i, s:i, s:o}", "instruction",
                                               (int)step->instruction, "cycle", (json_int_t)step->cycle,
                                               "text", in->text, "file", file ? file : json_null(), "line",
                                               (int)in->line, "column", (int)in->column, "writes", writes));
    }
    json_t *out =
        json_pack("{s:i, s:b, s:o}", "lane", (int)run->lane, "covered", (int)run->covered, "steps", steps);
    if (stage->stage == QPUCC_FRAGMENT)
        json_object_update_new(out,
                               json_pack("{s:i, s:s, s:o, s:o, s:[I, I]}", "draw", (int)run->draw, "fate",
                                         inspect_fate_name(run->fate), "before", color_json(run->before),
                                         "after", color_json(run->after), "depth",
                                         (json_int_t)run->depth_before, (json_int_t)run->depth_tested));
    return out;
}

json_t *inspect_json(const struct inspection *inspection, const qpucc_explanation *explain) {
    const struct inspect_target *target = &inspection->target;
    const struct qpucc_explain_stage *stage = qpucc_explanation_stage(explain, target->stage);
    json_t *runs = json_array();
    for (size_t i = 0; i < inspection->count; i++)
        json_array_append_new(runs, run_json(&inspection->run[i], stage));
    json_t *out = json_pack("{s:s, s:s, s:b, s:b, s:o}", "schema", INSPECT_SCHEMA, "stage",
                            qpucc_stage_name(target->stage), "truncated", (int)inspection->truncated,
                            "failed", (int)inspection->failed, "runs", runs);
    if (target->stage == QPUCC_FRAGMENT) {
        json_object_set_new(out, "x", json_integer(target->x));
        json_object_set_new(out, "y", json_integer(target->y));
        json_object_set_new(out, "color", color_json(inspection->color));
    } else {
        json_object_set_new(out, "vertex", json_integer(target->vertex));
    }
    return out;
}
