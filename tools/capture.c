/* Captured submits: see capture.h. */
#include "tools/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool capture_file(struct file_data *file, const char *folder, const char *name, char *error, size_t size) {
    char path[4096];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) >= sizeof path) {
        snprintf(error, size, "%s: the name is too long", folder);
        return false;
    }
    return file_read(path, file, error, size);
}

bool capture_submit_file(struct file_data *file, const char *folder, unsigned number, const char *suffix,
                         char *error, size_t size) {
    char name[64];
    snprintf(name, sizeof name, "submit%u.%s", number, suffix);
    return capture_file(file, folder, name, error, size);
}

json_t *capture_json(const char *folder, const char *name, char *error, size_t size) {
    struct file_data file;
    json_error_t why;
    if (!capture_file(&file, folder, name, error, size)) {
        return NULL;
    }
    json_t *json = json_loadb(file.data, file.size, 0, &why);
    file_free(&file);
    if (!json || !json_is_object(json)) {
        snprintf(error, size, "%s/%s: %s", folder, name, json ? "no object" : why.text);
        json_decref(json);
        return NULL;
    }
    return json;
}

static uint32_t number_of(const json_t *object, const char *key) {
    return (uint32_t)json_integer_value(json_object_get(object, key));
}

static struct drm_vc4_submit_rcl_surface surface_of(const json_t *object, const char *key) {
    const json_t *s = json_object_get(object, key);
    bool present = json_is_true(json_object_get(s, "present"));
    return (struct drm_vc4_submit_rcl_surface){.hindex = present ? number_of(s, "hindex") : UINT32_MAX,
                                               .offset = number_of(s, "offset"),
                                               .bits = (uint16_t)number_of(s, "bits"),
                                               .flags = (uint16_t)number_of(s, "flags")};
}

static void read_args(struct drm_vc4_submit_cl *a, const json_t *j) {
    const json_t *clear = json_object_get(j, "clear_color");
    *a = (struct drm_vc4_submit_cl){
        .bin_cl_size = number_of(j, "bin_cl_size"),
        .shader_rec_size = number_of(j, "shader_rec_size"),
        .shader_rec_count = number_of(j, "shader_rec_count"),
        .uniforms_size = number_of(j, "uniforms_size"),
        .bo_handle_count = number_of(j, "bo_handle_count"),
        .width = (uint16_t)number_of(j, "width"),
        .height = (uint16_t)number_of(j, "height"),
        .min_x_tile = (uint8_t)number_of(j, "min_x_tile"),
        .min_y_tile = (uint8_t)number_of(j, "min_y_tile"),
        .max_x_tile = (uint8_t)number_of(j, "max_x_tile"),
        .max_y_tile = (uint8_t)number_of(j, "max_y_tile"),
        .color_read = surface_of(j, "color_read"),
        .color_write = surface_of(j, "color_write"),
        .zs_read = surface_of(j, "zs_read"),
        .zs_write = surface_of(j, "zs_write"),
        .msaa_color_write = surface_of(j, "msaa_color_write"),
        .msaa_zs_write = surface_of(j, "msaa_zs_write"),
        .clear_color = {(uint32_t)json_integer_value(json_array_get(clear, 0)),
                        (uint32_t)json_integer_value(json_array_get(clear, 1))},
        .clear_z = number_of(j, "clear_z"),
        .clear_s = (uint8_t)number_of(j, "clear_s"),
        .flags = number_of(j, "flags"),
        .perfmonid = number_of(j, "perfmonid"),
        .in_sync = number_of(j, "in_sync"),
        .out_sync = number_of(j, "out_sync"),
    };
}

static bool read_buffers(struct capture_submit *s, char *error, size_t size) {
    const json_t *bos = json_object_get(s->json, "bos");
    size_t count = json_array_size(bos);
    s->buffers = calloc(count + 1, sizeof *s->buffers);
    if (!s->buffers || count != s->args.bo_handle_count) {
        snprintf(error, size, "%zu buffers, %u handles", count, s->args.bo_handle_count);
        return false;
    }
    for (size_t n = 0; n < count; n++) {
        const json_t *bo = json_array_get(bos, n);
        s->buffers[n] = (struct capture_buffer){
            .handle = number_of(bo, "handle"),
            .uid = number_of(bo, "uid"),
            .size = number_of(bo, "size"),
            .code_size = number_of(bo, "code_size"),
            .shader = json_is_true(json_object_get(bo, "shader")),
            .load = json_is_true(json_object_get(bo, "load")),
            .file = json_string_value(json_object_get(bo, "file")),
        };
    }
    return true;
}

bool capture_read(struct capture_submit *submit, const char *folder, unsigned number, char *error,
                  size_t size) {
    *submit = (struct capture_submit){0};
    char name[64];
    snprintf(name, sizeof name, "submit%u.json", number);
    submit->json = capture_json(folder, name, error, size);
    if (!submit->json) {
        return false;
    }
    struct drm_vc4_submit_cl *args = &submit->args;
    read_args(args, submit->json);
    bool fine = read_buffers(submit, error, size) &&
                capture_submit_file(&submit->bin_cl, folder, number, "bin_cl", error, size) &&
                capture_submit_file(&submit->shader_rec, folder, number, "shader_rec", error, size) &&
                capture_submit_file(&submit->uniforms, folder, number, "uniforms", error, size);
    if (fine &&
        (submit->bin_cl.size != args->bin_cl_size || submit->shader_rec.size != args->shader_rec_size ||
         submit->uniforms.size != args->uniforms_size)) {
        snprintf(error, size, "%s: submit %u: files of other sizes than it says", folder, number);
        fine = false;
    }
    if (!fine) {
        capture_free(submit);
    }
    return fine;
}

void capture_free(struct capture_submit *submit) {
    file_free(&submit->bin_cl);
    file_free(&submit->shader_rec);
    file_free(&submit->uniforms);
    free(submit->buffers);
    json_decref(submit->json);
    *submit = (struct capture_submit){0};
}
