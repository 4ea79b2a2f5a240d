/* glslang.c: glslang's limits and messages; engine.cpp calls it. It reads the user's language as it is, with
 * client NONE and both stages linked in one program. */
#include "frontend/glsl/engine.h"
#include "frontend/glsl/internal.h"

#include <glslang/Public/resource_limits_c.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/essl100/essl100.h"
#include "ir/heap.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool ready;
static glslang_resource_t resource; /* constant after initialisation */

static void initialize(void) {
    ready = glslang_initialize_process() != 0;
    resource = *glslang_default_resource();
    resource.max_vertex_attribs = ESSL_MAX_VERTEX_ATTRIBS;
    resource.max_vertex_uniform_vectors = ESSL_MAX_VERTEX_UNIFORM_VECTORS;
    resource.max_varying_vectors = ESSL_MAX_VARYING_VECTORS;
    resource.max_vertex_texture_image_units = ESSL_MAX_VERTEX_TEXTURE_IMAGE_UNITS;
    resource.max_combined_texture_image_units = ESSL_MAX_COMBINED_TEXTURE_IMAGE_UNITS;
    resource.max_texture_image_units = ESSL_MAX_TEXTURE_IMAGE_UNITS;
    resource.max_fragment_uniform_vectors = ESSL_MAX_FRAGMENT_UNIFORM_VECTORS;
    resource.max_draw_buffers = ESSL_MAX_DRAW_BUFFERS;
    /* desktop GLSL's, as names_desktop.c spells them */
    resource.max_clip_distances = resource.max_lights = resource.max_texture_coords =
        resource.max_texture_units = 8;
    resource.max_clip_planes = 6;
    resource.max_vertex_uniform_components = resource.max_fragment_uniform_components = 1024;
    resource.max_varying_floats = resource.max_varying_components = resource.max_vertex_output_components =
        resource.max_fragment_input_components = 4 * ESSL_MAX_VARYING_VECTORS;
    resource.limits.non_inductive_for_loops = true;
    resource.limits.while_loops = true;
    resource.limits.do_while_loops = true;
    resource.limits.general_uniform_indexing = true;
    resource.limits.general_attribute_matrix_vector_indexing = true;
    resource.limits.general_varying_indexing = true;
    resource.limits.general_sampler_indexing = true;
    resource.limits.general_variable_indexing = true;
    resource.limits.general_constant_matrix_vector_indexing = true;
}

/* What is left of a line of the log. */
struct line {
    const char *at;
    size_t length;
};

static void skip(struct line *line, size_t length) {
    line->at += length;
    line->length -= length;
}

static void skip_spaces(struct line *line) {
    while (line->length && *line->at == ' ')
        skip(line, 1);
}

static bool take(struct line *line, const char *prefix) {
    size_t length = strlen(prefix);
    bool is_there = line->length > length && !strncmp(line->at, prefix, length);
    if (is_there)
        skip(line, length);
    return is_there;
}

/* "0:12: 'token' : " in front of a message; one of the linker's has neither. */
static void take_place(struct run *run, struct line *line, struct message *m) {
    const char *colon = memchr(line->at, ':', line->length);
    char *rest;
    if (!colon || *line->at < '0' || *line->at > '9')
        return;
    m->line = strtol(colon + 1, &rest, 10);
    if (rest > colon + 1 && *rest == ':')
        rest++;
    skip(line, (size_t)(rest - line->at));
    skip_spaces(line);
    const char *close = line->length && *line->at == '\'' ? strstr(line->at + 1, "' : ") : NULL;
    if (close && close < line->at + line->length) {
        m->token = run_format(run, "%.*s", (int)(close - line->at - 1), line->at + 1);
        skip(line, (size_t)(close + 4 - line->at));
    }
}

static const char *text_of(struct run *run, const struct line *line, size_t most) {
    return run_format(run, "%.*s", (int)(line->length < most ? line->length : most), line->at);
}

/* "ERROR: 0:12: 'token' : text", "WARNING: …"; what is indented after an error goes on with it, as the
 * linker's do. Other lines say nothing of the source. */
static void parse_log(struct run *run, const char *log, struct messages *messages) {
    while (log && *log) {
        struct line line = {log, strcspn(log, "\n")};
        log += line.length + (log[line.length] == '\n');
        struct message m = {.token = "", .text = ""};
        m.warning = take(&line, "WARNING: ");
        if (!m.warning && !take(&line, "ERROR: ")) {
            struct message *last = messages->count ? &messages->at[messages->count - 1] : NULL;
            if (last && !last->warning && line.length && *line.at == ' ') {
                skip_spaces(&line);
                last->text = run_format(run, "%s %s", last->text, text_of(run, &line, 300));
            }
            continue;
        }
        take_place(run, &line, &m);
        skip_spaces(&line);
        while (line.length && (line.at[line.length - 1] == ' ' || line.at[line.length - 1] == '\r'))
            line.length--;
        m.text = text_of(run, &line, 500);
        void *array = messages->at;
        if (!run_grow(run, &array, &messages->capacity, messages->count, sizeof *messages->at))
            return;
        messages->at = array;
        messages->at[messages->count++] = m;
    }
}

struct engine *glslang_begin(void) {
    pthread_once(&once, initialize);
    return ready ? engine_create() : NULL;
}

bool glslang_parse(struct run *run, struct engine *engine, const struct pass_text *text,
                   enum qpucc_stage stage, struct messages *messages) {
    bool good = engine_parse(engine, text->text.text, stage == QPUCC_FRAGMENT, &resource);
    parse_log(run, engine_log(engine), messages);
    return good;
}

bool glslang_link(struct run *run, struct engine *engine, struct messages *messages) {
    bool good = engine_link(engine);
    parse_log(run, engine_log(engine), messages);
    return good;
}

bool glslang_map(struct run *run, struct engine *engine, struct messages *messages) {
    bool good = engine_map(engine);
    parse_log(run, engine_log(engine), messages);
    return good;
}

const uint32_t *glslang_spirv(struct run *run, struct engine *engine, enum qpucc_stage stage, size_t *words) {
    const uint32_t *result = engine_spirv(engine, stage == QPUCC_FRAGMENT, words);
    run->failed |= !result;
    return result;
}

void glslang_end(struct engine *engine) {
    engine_destroy(engine);
}
