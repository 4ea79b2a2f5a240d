/* glslang.c: the only file that calls glslang.
 *
 * Two uses. PASS_CHECK: the user's language as it is, client NONE, both stages linked in one program: the
 * user's diagnostics. PASS_TRANSLATE: what the bridge wrote, mostly GLSL 1.40 under relaxed Vulkan rules.
 * Measured start-up of the candidates for the second pass (built-in tables, first pair): 1.40 23-33 ms and 16
 * MB, 3.30 34 ms, ES 3.10 55 ms and 29 MB, 4.50 65 ms and 34 MB; later pairs cost 0.65 ms with 1.40 and 1.3
 * ms with 4.50. */
#include "frontend/glsl/internal.h"

#include <glslang/Include/glslang_c_interface.h>
#include <glslang/Public/resource_limits_c.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/essl100/essl100.h"

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

static glslang_stage_t stage_of(enum fe_stage stage) {
    return stage == FE_VERTEX ? GLSLANG_STAGE_VERTEX : GLSLANG_STAGE_FRAGMENT;
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

static bool parse(struct run *run, glslang_shader_t **shader, const glslang_input_t *input, int options,
                  struct messages *messages) {
    *shader = glslang_shader_create(input);
    if (!*shader) {
        run->failed = true;
        return false;
    }
    glslang_shader_set_options(*shader, options);
    bool good = glslang_shader_preprocess(*shader, input) && glslang_shader_parse(*shader, input);
    parse_log(run, glslang_shader_get_info_log(*shader), messages);
    return good;
}

struct checked {
    glslang_program_t *program;
    glslang_shader_t *shaders[2];
    size_t count;
};

struct checked *glslang_check_begin(void) {
    pthread_once(&once, initialize);
    if (!ready)
        return NULL;
    struct checked *c = calloc(1, sizeof *c);
    if (c && !(c->program = glslang_program_create())) {
        free(c);
        c = NULL;
    }
    return c;
}

bool glslang_check_stage(struct run *run, struct checked *checked, const struct pass_text *text,
                         enum fe_stage stage, struct messages *messages) {
    const glslang_input_t input = {
        .language = GLSLANG_SOURCE_GLSL,
        .stage = stage_of(stage),
        .client = GLSLANG_CLIENT_NONE,
        .target_language = GLSLANG_TARGET_NONE,
        .code = text->text.text,
        .default_version = 100,
        .default_profile = GLSLANG_ES_PROFILE,
        .messages = GLSLANG_MSG_CASCADING_ERRORS_BIT,
        .resource = &resource,
    };
    glslang_shader_t *shader;
    bool good = parse(run, &shader, &input, 0, messages);
    if (good && checked->count < 2) {
        checked->shaders[checked->count++] = shader;
        glslang_program_add_shader(checked->program, shader);
    } else if (shader) {
        glslang_shader_delete(shader);
    }
    return good;
}

bool glslang_check_link(struct run *run, struct checked *checked, struct messages *messages) {
    bool good = glslang_program_link(checked->program, GLSLANG_MSG_CASCADING_ERRORS_BIT);
    parse_log(run, glslang_program_get_info_log(checked->program), messages);
    return good;
}

void glslang_check_end(struct checked *checked) {
    if (!checked)
        return;
    glslang_program_delete(checked->program); /* first: it refers to the shaders */
    for (size_t i = 0; i < checked->count; i++)
        glslang_shader_delete(checked->shaders[i]);
    free(checked);
}

uint32_t *glslang_translate(struct run *run, const struct pass_text *text, enum fe_stage stage, size_t *words,
                            struct messages *messages) {
    const int rules =
        GLSLANG_MSG_CASCADING_ERRORS_BIT | GLSLANG_MSG_VULKAN_RULES_BIT | GLSLANG_MSG_SPV_RULES_BIT;
    const glslang_input_t input = {
        .language = GLSLANG_SOURCE_GLSL,
        .stage = stage_of(stage),
        .client = GLSLANG_CLIENT_VULKAN,
        .client_version = GLSLANG_TARGET_VULKAN_1_0,
        .target_language = GLSLANG_TARGET_SPV,
        .target_language_version = GLSLANG_TARGET_SPV_1_0,
        .code = text->text.text,
        .default_version = 140,
        .default_profile = GLSLANG_NO_PROFILE,
        .messages = rules,
        .resource = &resource,
    };
    pthread_once(&once, initialize);
    uint32_t *result = NULL;
    glslang_shader_t *shader = NULL;
    glslang_program_t *program = ready ? glslang_program_create() : NULL;
    if (!program) {
        run->failed = true;
        return NULL;
    }
    const int options = GLSLANG_SHADER_AUTO_MAP_BINDINGS | GLSLANG_SHADER_AUTO_MAP_LOCATIONS |
                        GLSLANG_SHADER_VULKAN_RULES_RELAXED;
    if (parse(run, &shader, &input, options, messages)) {
        glslang_program_add_shader(program, shader);
        if (glslang_program_link(program, rules) && glslang_program_map_io(program)) {
            glslang_spv_options_t spv = {.generate_debug_info = true, .disable_optimizer = true};
            glslang_program_SPIRV_generate_with_options(program, stage_of(stage), &spv);
            *words = glslang_program_SPIRV_get_size(program);
            if (*words && (result = malloc(*words * sizeof *result)))
                glslang_program_SPIRV_get(program, result);
        } else {
            parse_log(run, glslang_program_get_info_log(program), messages);
        }
    }
    glslang_program_delete(program);
    if (shader)
        glslang_shader_delete(shader);
    return result;
}
