/* glslang.c: glslang's use (engine.cpp calls it), and its messages. It reads the user's language as it is,
 * with client NONE and both stages linked in one program. */
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

/* "ERROR: 0:12: 'token' : text", "WARNING: …", or lines without a place such as the linker's. */
static void parse_log(struct run *run, const char *log, struct messages *messages) {
    while (log && *log) {
        const char *end = strchr(log, '\n');
        size_t length = end ? (size_t)(end - log) : strlen(log);
        const char *line = log;
        log = end ? end + 1 : log + length;
        struct message m = {.token = "", .text = ""};
        if (length > 7 && strncmp(line, "ERROR: ", 7) == 0) {
            line += 7;
        } else if (length > 9 && strncmp(line, "WARNING: ", 9) == 0) {
            m.warning = true;
            line += 9;
        } else {
            if (messages->count && length && line[0] == ' ' && !messages->at[messages->count - 1].warning) {
                /* A continued message: the linker's. */
                struct message *last = &messages->at[messages->count - 1];
                while (length && *line == ' ')
                    line++, length--;
                last->text = run_format(run, "%s %.*s", last->text, (int)(length < 300 ? length : 300), line);
            }
            continue;
        }
        length = (size_t)((end ? end : line + strlen(line)) - line);
        char *rest;
        const char *colon = memchr(line, ':', length);
        if (colon && line[0] >= '0' && line[0] <= '9') {
            m.line = strtol(colon + 1, &rest, 10);
            if (rest > colon + 1 && *rest == ':')
                rest++;
            length -= (size_t)(rest - line);
            line = rest;
            while (length && *line == ' ')
                line++, length--;
            const char *close = length && *line == '\'' ? strstr(line + 1, "' : ") : NULL;
            if (close && close < line + length) {
                m.token = run_format(run, "%.*s", (int)(close - line - 1), line + 1);
                length -= (size_t)(close + 4 - line);
                line = close + 4;
            }
        }
        while (length && *line == ' ')
            line++, length--;
        while (length && (line[length - 1] == ' ' || line[length - 1] == '\r'))
            length--;
        m.text = run_format(run, "%.*s", (int)(length < 500 ? length : 500), line);
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

bool glslang_map(struct engine *engine) {
    return engine_map(engine);
}

const uint32_t *glslang_spirv(struct run *run, struct engine *engine, enum qpucc_stage stage, size_t *words) {
    const uint32_t *result = engine_spirv(engine, stage == QPUCC_FRAGMENT, words);
    run->failed |= !result;
    return result;
}

void glslang_end(struct engine *engine) {
    engine_destroy(engine);
}
