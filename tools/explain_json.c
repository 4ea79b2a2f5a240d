/* What is known about a program as one JSON document, for the service and the page. */
#include "explain_json.h"
#include "explain_text.h"

#include <inttypes.h>
#include <string.h>

static void put(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

static json_t *number(uint64_t value) {
    return json_integer((json_int_t)value);
}

/* Names and texts come from users' files: what is not UTF-8 is left out rather than the whole output. */
static json_t *text_or_null(const char *text) {
    json_t *value = text ? json_string(text) : json_null();
    return value ? value : json_string("?");
}

static void put_index(json_t *object, const char *key, uint32_t index) {
    if (index != UINT32_MAX)
        put(object, key, number(index));
}

/* --- instructions --------------------------------------------------------------------------------------- */

static json_t *slot_json(const struct qpucc_explain_slot *slot) {
    json_t *out = json_object();
    put(out, "text", text_or_null(slot->text));
    if (slot->target)
        put(out, "target", json_string(slot->target));
    if (slot->name)
        put(out, "name", text_or_null(slot->name));
    if (slot->idle != QPUCC_IDLE_NONE) {
        put(out, "idle", json_string(qpucc_idle_name(slot->idle, NULL)));
        put_index(out, "waits_for", slot->waits_for);
        if (slot->waits_for != UINT32_MAX)
            put(out, "waits_for_alu", json_string(slot->waits_for_mul ? "mul" : "add"));
        put_index(out, "because_of", slot->because_of);
    }
    return out;
}

static json_t *instruction_json(const struct qpucc_explain_instruction *in) {
    json_t *out = json_object(), *units = json_array();
    char word[24];
    snprintf(word, sizeof word, "%016" PRIx64, in->word);
    put(out, "word", json_string(word));
    put(out, "text", text_or_null(in->text));
    put(out, "add", slot_json(&in->add));
    put(out, "mul", slot_json(&in->mul));
    put(out, "signal", slot_json(&in->signal));
    put(out, "file", text_or_null(in->file));
    put(out, "line", number(in->line));
    put(out, "column", number(in->column));
    put(out, "block", number(in->block));
    put(out, "live",
        json_pack("{s:I, s:I, s:i, s:b, s:i}", "a", (json_int_t)in->live_a, "b", (json_int_t)in->live_b,
                  "acc", in->live_acc, "flags", in->live_flags, "count", in->pressure));
    for (unsigned u = 0; u < QPUCC_RESOURCE_COUNT; u++)
        if (in->units >> u & 1)
            json_array_append_new(units, json_string(qpucc_resource_name((enum qpucc_resource)u)));
    put(out, "units", units);
    if (in->word_index != SIZE_MAX)
        put(out, "uniform",
            json_pack("{s:I, s:o}", "word", (json_int_t)in->word_index, "text", text_or_null(in->word_text)));
    put(out, "stall", number(in->stall));
    if (in->stall) {
        put(out, "stall_cause", json_string(in->stall_cause == QPUCC_STALL_TMU ? "tmu" : "vpm"));
        put_index(out, "stall_for", in->stall_for);
    }
    put_index(out, "target", in->target);
    put(out, "thread_switch", json_boolean(in->thread_switch));
    put(out, "delay_slot", json_boolean(in->delay_slot));
    put(out, "longest_path", json_boolean(in->on_longest_path));
    put(out, "slack", number(in->slack));
    return out;
}

/* --- a stage -------------------------------------------------------------------------------------------- */

static json_t *block_json(const struct qpucc_explain_block *block) {
    json_t *edges = json_array(), *path = json_array();
    for (unsigned e = 0; e < 2; e++)
        if (block->edge[e] != UINT32_MAX)
            json_array_append_new(edges, number(block->edge[e]));
    for (uint32_t k = 0; k < block->path_count; k++)
        json_array_append_new(path, number(block->path[k]));
    return json_pack("{s:i, s:i, s:o, s:i, s:b, s:i, s:i, s:i, s:o}", "first", (int)block->first, "count",
                     (int)block->count, "edges", edges, "loop_depth", (int)block->loop_depth, "loop_header",
                     block->loop_header, "stalls", (int)block->stalls, "dependency_bound",
                     (int)block->dependency_bound, "bound", (int)block->bound, "longest_path", path);
}

static json_t *idle_json(const unsigned count[QPUCC_IDLE_COUNT]) {
    json_t *out = json_object();
    for (unsigned k = QPUCC_IDLE_NONE + 1; k < QPUCC_IDLE_COUNT; k++)
        if (count[k])
            put(out, qpucc_idle_name((enum qpucc_idle)k, NULL), number(count[k]));
    return out;
}

static json_t *units_json(const struct qpucc_explain_stage *stage) {
    json_t *out = json_object();
    for (unsigned u = 0; u < QPUCC_RESOURCE_COUNT; u++)
        put(out, qpucc_resource_name((enum qpucc_resource)u),
            json_pack("{s:i, s:i}", "used", (int)stage->used[u], "bound", (int)stage->unit_bound[u]));
    return out;
}

static json_t *cost_json(const struct qpucc_explain_stage *stage) {
    const struct qpucc_stage_stats *stats = stage->stats;
    json_t *out = json_object();
    put(out, "instructions", number(stage->count));
    put(out, "cycles", number(stage->cycles));
    put(out, "stalls", number(stage->stalls));
    put(out, "thread_switches", number(stage->thread_switches));
    put(out, "loops", number(stage->loops));
    put(out, "threads", number(stats->threads));
    put(out, "registers",
        json_pack("{s:i, s:i, s:i}", "a", (int)stats->regs_a, "b", (int)stats->regs_b, "acc",
                  (int)stats->accumulators));
    put(out, "texture_requests", number(stats->tmu));
    put(out, "special_functions", number(stats->sfu));
    put(out, "uniform_words", number(stats->uniforms));
    put(out, "units", units_json(stage));
    put(out, "alu_bound", number(stage->alu_bound));
    put(out, "dependency_bound", number(stage->dependency_bound));
    put(out, "lower_bound", number(stage->lower_bound));
    put(out, "gap", number(stage->gap));
    put(out, "bound_by", json_string(stage->bound_by));
    put(out, "longest_block", number(stage->longest_block));
    put(out, "peak",
        json_pack("{s:i, s:i, s:i}", "registers", (int)stage->peak, "instruction", (int)stage->peak_at,
                  "line", (int)stage->instruction[stage->peak_at].line));
    put(out, "idle",
        json_pack("{s:o, s:o}", "add", idle_json(stage->idle_add), "mul", idle_json(stage->idle_mul)));
    return out;
}

static json_t *stream_json(const qpucc_program *program, const struct qpucc_explain_stage *explained) {
    enum qpucc_stage stage = explained->stage;
    static const char *const kinds[] = {"constant",   "uniform",        "texture",        "state",
                                        "expression", "stream_address", "uniform_address"};
    json_t *list = json_array();
    for (size_t i = 0; i < qpucc_uniforms_size(program, stage); i++) {
        struct qpucc_slot slot = {0};
        qpucc_uniforms_slot(program, stage, i, &slot);
        json_array_append_new(list, json_pack("{s:s, s:I, s:i, s:o, s:s, s:o}", "kind", kinds[slot.kind],
                                              "value", (json_int_t)slot.value, "part", (int)slot.part, "text",
                                              text_or_null(qpucc_uniform_text(program, stage, i)), "name",
                                              explained->word[i].name, "formula",
                                              text_or_null(explained->word[i].text)));
    }
    return list;
}

static json_t *shared_json(const struct qpucc_explain_stage *stage) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < stage->shared_count; i++)
        json_array_append_new(list, json_pack("{s:s, s:o}", "name", stage->shared[i].name, "text",
                                              text_or_null(stage->shared[i].text)));
    return list;
}

static json_t *passes_json(const qpucc_explanation *explain, enum qpucc_stage stage) {
    json_t *list = json_array();
    for (size_t i = 0; i < qpucc_explain_pass_count(explain, stage); i++) {
        const struct qpucc_explain_pass *pass = qpucc_explanation_pass(explain, stage, i);
        json_array_append_new(list,
                              json_pack("{s:s, s:o}", "name", pass->name, "text", text_or_null(pass->text)));
    }
    return list;
}

static json_t *decision_json(const struct qpucc_explain_decision *d) {
    json_t *out = json_object();
    put(out, "kind", json_string(d->loop ? "loop" : "branch"));
    put(out, "file", text_or_null(d->file));
    put(out, "line", number(d->line));
    put(out, "column", number(d->column));
    put(out, "copies", number(d->copies));
    put(out, "choice", json_string(qpucc_choice_name(d->choice)));
    put(out, "why", json_string(qpucc_why_name(d->why)));
    put(out, "hint", json_string(qpucc_hint_name(d->hint)));
    put(out, "heeded", json_boolean(d->heeded));
    put(out, "text", text_or_null(d->text));
    if (!d->loop)
        put(out, "uniform", json_boolean(d->uniform));
    if (d->iterations) {
        put(out, "iterations", number(d->iterations));
        put(out, "at_most", json_boolean(d->at_most));
    }
    if (d->size)
        put(out, "size", number(d->size));
    if (d->limit)
        put(out, "limit", number(d->limit));
    if (d->lookups)
        put(out, "lookups", number(d->lookups));
    if (d->cycles) {
        put(out, "cycles", number(d->cycles));
        put(out, "other_cycles", number(d->other_cycles));
    }
    return out;
}

static json_t *decisions_json(const qpucc_explanation *explain, enum qpucc_stage stage) {
    json_t *list = json_array();
    for (size_t i = 0; i < qpucc_explain_decision_count(explain, stage); i++)
        json_array_append_new(list, decision_json(qpucc_explanation_decision(explain, stage, i)));
    return list;
}

static json_t *stage_json(const qpucc_program *program, const qpucc_explanation *explain,
                          const struct qpucc_explain_stage *stage, uint32_t flags) {
    json_t *out = json_object(), *code = json_array(), *blocks = json_array(), *lines = json_array();
    for (uint32_t i = 0; i < stage->count; i++)
        json_array_append_new(code, instruction_json(&stage->instruction[i]));
    for (uint32_t b = 0; b < stage->block_count; b++)
        json_array_append_new(blocks, block_json(&stage->block[b]));
    for (uint32_t k = 0; k < stage->line_count; k++) {
        const struct qpucc_explain_line *line = &stage->line[k];
        json_array_append_new(
            lines, json_pack("{s:o, s:i, s:i, s:i, s:i, s:f}", "file", text_or_null(line->file), "line",
                             (int)line->line, "operations", (int)line->operations, "instructions",
                             (int)line->instructions, "stalls", (int)line->stalls, "share", line->weight));
    }
    put(out, "stage", json_string(qpucc_stage_name(stage->stage)));
    put(out, "names", json_boolean(stage->has_names));
    put(out, "code", code);
    put(out, "blocks", blocks);
    put(out, "lines", lines);
    put(out, "cost", cost_json(stage));
    put(out, "stream", stream_json(program, stage));
    put(out, "shared", shared_json(stage));
    put(out, "paths",
        json_pack("{s:i, s:i}", "shortest", (int)stage->shortest_path, "longest", (int)stage->longest_path));
    if (flags & QPUCC_EXPLAIN_DECISIONS)
        put(out, "decisions", decisions_json(explain, stage->stage));
    if (flags & QPUCC_EXPLAIN_PASSES)
        put(out, "passes", passes_json(explain, stage->stage));
    return out;
}

/* --- the program ---------------------------------------------------------------------------------------- */

static json_t *variables_json(const qpucc_program *program, enum qpucc_interface which) {
    static const char *const precisions[] = {NULL, "highp", "mediump", "lowp"};
    json_t *list = json_array();
    for (size_t i = 0; i < qpucc_program_variable_count(program, which); i++) {
        const struct qpucc_variable *v = qpucc_program_variable(program, which, i);
        const char *precision = precisions[qpucc_explain_precision(program, which, i)];
        json_t *item =
            json_pack("{s:o, s:s, s:i, s:i, s:i, s:i, s:b, s:i, s:o}", "name", text_or_null(v->name), "base",
                      qpucc_base_type_name(v->base), "rows", (int)v->rows, "columns", (int)v->cols, "array",
                      (int)v->array_length, "word", (int)v->word, "used", (int)v->used, "location",
                      v->location, "block", text_or_null(v->block));
        if (precision)
            put(item, "precision", json_string(precision));
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *record_json(const qpucc_program *program) {
    struct qpucc_record_bytes bytes;
    struct qpucc_record record;
    char hex[2 * QPUCC_RECORD_MAX_BYTES + 1] = "";
    if (!qpucc_record_fill(program, QPUCC_RECORD_GL, NULL, &bytes) ||
        !qpucc_record_decode(bytes.bytes, bytes.size, &record))
        return json_null();
    for (size_t i = 0; i < bytes.size; i++)
        snprintf(hex + 2 * i, 3, "%02x", bytes.bytes[i]);
    json_t *out = json_object(), *attributes = json_array();
    for (unsigned i = 0; i < record.attribute_count; i++)
        json_array_append_new(attributes,
                              json_pack("{s:i, s:i, s:i, s:i}", "bytes", (int)record.attribute[i].bytes,
                                        "stride", (int)record.attribute[i].stride, "vertex_offset",
                                        (int)record.attribute[i].vertex_offset, "coordinate_offset",
                                        (int)record.attribute[i].coordinate_offset));
    put(out, "bytes", json_string(hex));
    put(out, "single_threaded", json_boolean(record.single_threaded));
    put(out, "point_size", json_boolean(record.point_size));
    put(out, "clipping", json_boolean(record.clipping));
    put(out, "extended", json_boolean(record.extended));
    put(out, "fragment_uniforms", number(record.fragment_uniforms));
    put(out, "varyings", number(record.varyings));
    for (unsigned s = 0; s < 2; s++)
        put(out, s ? "coordinate" : "vertex",
            json_pack("{s:i, s:i, s:i}", "uniforms", (int)record.shader[s].uniforms, "attribute_mask",
                      (int)record.shader[s].attribute_mask, "attribute_bytes",
                      (int)record.shader[s].attribute_bytes));
    put(out, "attributes", attributes);
    return out;
}

json_t *explain_json(const qpucc_program *program, uint32_t flags) {
    static const char *const tables[] = {"uniforms", "samplers", "attributes", "varyings"};
    static const char *const statuses[] = {[QPUCC_OK] = "ok",
                                           [QPUCC_SOURCE_ERROR] = "source_error",
                                           [QPUCC_DOES_NOT_FIT] = "does_not_fit",
                                           [QPUCC_INTERNAL] = "internal",
                                           [QPUCC_CANCELLED] = "cancelled"};
    qpucc_explanation *explain = qpucc_explain(program, flags);
    if (!explain)
        return NULL;
    json_t *out = json_object(), *stages = json_array();
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        const struct qpucc_explain_stage *stage = qpucc_explanation_stage(explain, (enum qpucc_stage)s);
        if (stage)
            json_array_append_new(stages, stage_json(program, explain, stage, flags));
    }
    put(out, "schema", json_string(EXPLAIN_SCHEMA));
    put(out, "compiler", json_string(qpucc_version()));
    put(out, "policy", json_string(qpucc_policy_name(qpucc_program_policy(program))));
    put(out, "chip", json_string(cli_chip_name(program)));
    put(out, "status", json_string(statuses[qpucc_program_status(program)]));
    put(out, "diagnostics", cli_diagnostics_json(program));
    put(out, "stages", stages);
    for (int t = 0; t < 4; t++)
        put(out, tables[t], variables_json(program, (enum qpucc_interface)t));
    put(out, "controls", explain_controls_json(program));
    if (qpucc_program_status(program) == QPUCC_OK)
        put(out, "record", record_json(program));
    qpucc_explain_free(explain);
    return out;
}

void explain_json_add_sources(json_t *document, const struct cli_sources *sources) {
    const json_t *stages = json_object_get(document, "stages");
    for (size_t i = 0; i < json_array_size(stages); i++) {
        json_t *stage = json_array_get(stages, i), *lines = json_object_get(stage, "lines");
        const char *name = json_string_value(json_object_get(stage, "stage"));
        enum qpucc_stage number =
            !strcmp(name, qpucc_stage_name(QPUCC_FRAGMENT)) ? QPUCC_FRAGMENT : QPUCC_VERTEX;
        for (size_t k = 0; k < json_array_size(lines); k++) {
            json_t *line = json_array_get(lines, k);
            const char *text = "", *file = json_string_value(json_object_get(line, "file"));
            size_t length = explain_source_line(
                sources, file, number, (unsigned)json_integer_value(json_object_get(line, "line")), &text);
            json_t *source = length ? json_stringn(text, length) : NULL;
            if (source)
                put(line, "source", source);
        }
    }
}
