/* spirv_module.c: see spirv_module.h. */
#include "spirv_module.h"

#include <dirent.h>
#include <glslang/Include/glslang_c_interface.h>
#include <glslang/Public/resource_limits_c.h>
#define kDefaultMaxIdBound spirv_module_default_max_id_bound
#include <spirv-tools/libspirv.h>
#undef kDefaultMaxIdBound
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *spirv_read_text(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    char *text = NULL;
    size_t used = 0, capacity = 0, got;
    do {
        if (capacity - used < 4096)
            text = realloc(text, capacity = capacity * 2 + 8192);
        got = fread(text + used, 1, capacity - used - 1, file);
        used += got;
    } while (got);
    text[used] = 0;
    *size = used;
    fclose(file);
    return text;
}

static uint32_t *assemble_for(spv_target_env version, const char *path, const char *text, size_t size,
                              size_t *words) {
    spv_context context = spvContextCreate(version);
    spv_binary binary = NULL;
    spv_diagnostic diagnostic = NULL;
    uint32_t *copy = NULL;
    if (spvTextToBinaryWithOptions(context, text, size, SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS,
                                   &binary, &diagnostic) == SPV_SUCCESS) {
        copy = malloc(binary->wordCount * sizeof *copy);
        memcpy(copy, binary->code, binary->wordCount * sizeof *copy);
        *words = binary->wordCount;
    } else if (path) {
        fprintf(stderr, "%s:%zu: %s\n", path, diagnostic ? diagnostic->position.line + 1 : 0,
                diagnostic ? diagnostic->error : "");
    }
    spvDiagnosticDestroy(diagnostic);
    spvBinaryDestroy(binary);
    spvContextDestroy(context);
    return copy;
}

/* As SPIR-V 1.0, or where that has no word for something as 1.4. */
static uint32_t *assemble(const char *path, const char *text, size_t size, size_t *words) {
    bool later = strstr(text, "PartialCount"); /* newer assemblers would take it into 1.0 */
    uint32_t *module = later ? NULL : assemble_for(SPV_ENV_UNIVERSAL_1_0, NULL, text, size, words);
    return module ? module : assemble_for(SPV_ENV_UNIVERSAL_1_4, path, text, size, words);
}

static uint32_t *compile(const char *path, const char *text, size_t *words) {
    static bool ready;
    if (!ready)
        ready = glslang_initialize_process();
    const char *ending = strrchr(path, '.');
    bool fragment = ending && strcmp(ending, ".frag") == 0;
    glslang_input_t input = {
        .language = GLSLANG_SOURCE_GLSL,
        .stage = fragment ? GLSLANG_STAGE_FRAGMENT : GLSLANG_STAGE_VERTEX,
        .client = GLSLANG_CLIENT_VULKAN,
        .client_version = GLSLANG_TARGET_VULKAN_1_0,
        .target_language = GLSLANG_TARGET_SPV,
        .target_language_version = GLSLANG_TARGET_SPV_1_0,
        .code = text,
        .default_version = 450,
        .default_profile = GLSLANG_CORE_PROFILE,
        .messages = GLSLANG_MSG_SPV_RULES_BIT | GLSLANG_MSG_VULKAN_RULES_BIT,
        .resource = glslang_default_resource(),
    };
    glslang_shader_t *shader = glslang_shader_create(&input);
    glslang_program_t *program = glslang_program_create();
    uint32_t *copy = NULL;
    /* Uniforms outside of blocks; glslang 15 makes a sampler more of an element of a parameter then. */
    bool relaxed = !strstr(text, "layout(binding=");
    glslang_shader_set_options(shader, GLSLANG_SHADER_AUTO_MAP_BINDINGS | GLSLANG_SHADER_AUTO_MAP_LOCATIONS |
                                           (relaxed ? GLSLANG_SHADER_VULKAN_RULES_RELAXED : 0));
    if (glslang_shader_preprocess(shader, &input) && glslang_shader_parse(shader, &input)) {
        glslang_program_add_shader(program, shader);
        if (glslang_program_link(program, input.messages) && glslang_program_map_io(program)) {
            glslang_spv_options_t options = {.generate_debug_info = true, .disable_optimizer = true};
            glslang_program_SPIRV_generate_with_options(program, input.stage, &options);
            *words = glslang_program_SPIRV_get_size(program);
            copy = malloc(*words * sizeof *copy);
            glslang_program_SPIRV_get(program, copy);
        }
    }
    if (!copy)
        fprintf(stderr, "%s: %s%s\n", path, glslang_shader_get_info_log(shader),
                glslang_program_get_info_log(program));
    glslang_program_delete(program);
    glslang_shader_delete(shader);
    return copy;
}

uint32_t *spirv_module_load(const char *path, size_t *words) {
    size_t size;
    char *text = spirv_read_text(path, &size);
    const char *ending = strrchr(path, '.');
    uint32_t *module = NULL;
    if (text && ending)
        module =
            strcmp(ending, ".spvasm") == 0 ? assemble(path, text, size, words) : compile(path, text, words);
    free(text);
    return module;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **spirv_case_list(const char *folder, size_t *count) {
    DIR *dir = opendir(folder);
    char **list = NULL;
    *count = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        const char *ending = strrchr(entry->d_name, '.');
        if (!ending || (strcmp(ending, ".frag") && strcmp(ending, ".vert") && strcmp(ending, ".spvasm")))
            continue;
        size_t size = strlen(folder) + strlen(entry->d_name) + 2;
        list = realloc(list, (*count + 1) * sizeof *list);
        list[*count] = malloc(size);
        snprintf(list[(*count)++], size, "%s/%s", folder, entry->d_name);
    }
    if (dir)
        closedir(dir);
    if (*count)
        qsort(list, *count, sizeof *list, by_name);
    return list;
}
