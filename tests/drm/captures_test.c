/* What the driver makes of a submit, byte for byte: every captured submit has the kernel's own lists beside
 * it, for buffers at given addresses. */
#include "tools/capture.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct placed {
    uint32_t address[QPUSIM_DRM_AREAS], size[QPUSIM_DRM_AREAS];
    uint8_t *bytes[QPUSIM_DRM_AREAS];
};

static bool place(void *user, enum qpusim_drm_area area, uint32_t size, struct qpusim_drm_memory *out) {
    struct placed *p = user;
    p->size[area] = size;
    p->bytes[area] = calloc(1, size + 1);
    *out = (struct qpusim_drm_memory){.address = p->address[area], .size = size, .bytes = p->bytes[area]};
    return p->bytes[area] != NULL;
}

static uint32_t number_of(const json_t *object, const char *key) {
    return (uint32_t)json_integer_value(json_object_get(object, key));
}

static void compare(const char *folder, unsigned number, const char *suffix, const uint8_t *bytes,
                    size_t size) {
    char error[512] = "";
    struct file_data file;
    ck_assert_msg(capture_submit_file(&file, folder, number, suffix, error, sizeof error), "%s", error);
    ck_assert_msg(file.size == size, "%s: submit %u: %s has %zu bytes, ours %zu", folder, number, suffix,
                  file.size, size);
    for (size_t i = 0; i < size; i++) {
        ck_assert_msg((uint8_t)file.data[i] == bytes[i], "%s: submit %u: %s at %zu: 0x%02x, ours 0x%02x",
                      folder, number, suffix, i, (uint8_t)file.data[i], bytes[i]);
    }
    file_free(&file);
}

static void check_submit(const char *folder, unsigned number, const struct capture_submit *c,
                         const json_t *k) {
    char reason[QPUSIM_DRM_TEXT], error[512] = "";
    uint32_t count = c->args.bo_handle_count;
    struct qpusim_drm_buffer *buffers = calloc(count + 1, sizeof *buffers);
    struct qpusim_drm_shader **shaders = calloc(count + 1, sizeof *shaders);
    ck_assert(buffers && shaders);
    for (uint32_t n = 0; n < count; n++) {
        const struct capture_buffer *b = &c->buffers[n];
        buffers[n].address = (uint32_t)json_integer_value(json_array_get(json_object_get(k, "bo_paddr"), n));
        buffers[n].size = b->size;
        if (b->shader) {
            struct file_data code;
            ck_assert_msg(capture_file(&code, folder, b->file, error, sizeof error), "%s", error);
            /* Words of zero at the end of the code are not stored, but they are part of it. */
            uint8_t *words = calloc(1, b->code_size);
            ck_assert(words);
            memcpy(words, code.data, code.size < b->code_size ? code.size : b->code_size);
            buffers[n].shader = shaders[n] = qpusim_drm_shader_new(words, b->code_size, reason);
            ck_assert_msg(shaders[n] != NULL, "%s: submit %u, buffer %u: %s", folder, number, n, reason);
            free(words);
            file_free(&code);
        }
    }
    struct placed p = {
        .address = {number_of(k, "exec_paddr"), number_of(k, "tile_bo_paddr"), number_of(k, "rcl_paddr")}};
    struct qpusim_drm_submit submit = {&c->args, c->bin_cl.data, c->shader_rec.data, c->uniforms.data,
                                       buffers};
    struct qpusim_drm_lists lists;
    int status = qpusim_drm_prepare(&submit, place, &p, &lists, reason);
    ck_assert_msg(status == 0, "%s: submit %u: %s", folder, number, reason);
    if (c->args.bin_cl_size) {
        ck_assert_uint_eq(p.size[QPUSIM_DRM_EXEC], number_of(k, "exec_size"));
        ck_assert_uint_eq(p.size[QPUSIM_DRM_TILES], number_of(k, "tile_bo_size"));
        ck_assert_uint_eq(lists.bin_end - lists.bin_start, number_of(k, "bin_cl_bytes"));
        ck_assert_uint_eq(lists.records_offset, number_of(k, "shader_rec_offset"));
        ck_assert_uint_eq(lists.uniforms_offset, number_of(k, "uniforms_offset"));
        ck_assert_uint_eq(lists.tile_alloc_offset, number_of(k, "tile_alloc_offset"));
        compare(folder, number, "k_exec", p.bytes[QPUSIM_DRM_EXEC], p.size[QPUSIM_DRM_EXEC]);
    }
    compare(folder, number, "k_rcl", p.bytes[QPUSIM_DRM_RENDERING], p.size[QPUSIM_DRM_RENDERING]);
    for (uint32_t n = 0; n < count; n++) {
        qpusim_drm_shader_free(shaders[n]);
    }
    for (int area = 0; area < QPUSIM_DRM_AREAS; area++) {
        free(p.bytes[area]);
    }
    free(shaders);
    free(buffers);
}

static unsigned check_folder(const char *folder) {
    char error[512] = "", name[64];
    json_t *scene = capture_json(folder, "scene.json", error, sizeof error);
    ck_assert_msg(scene != NULL, "%s", error);
    unsigned count = number_of(scene, "submits");
    for (unsigned n = 0; n < count; n++) {
        struct capture_submit submit;
        ck_assert_msg(capture_read(&submit, folder, n, error, sizeof error), "%s", error);
        snprintf(name, sizeof name, "submit%u.k.json", n);
        json_t *k = capture_json(folder, name, error, sizeof error);
        ck_assert_msg(k != NULL, "%s", error);
        check_submit(folder, n, &submit, k);
        json_decref(k);
        capture_free(&submit);
    }
    json_decref(scene);
    return count;
}

START_TEST(kernel_lists) {
    char root[2048], folder[4096];
    snprintf(root, sizeof root, "%s/captures", getenv("QPUCC_SHARED"));
    DIR *dir = opendir(root);
    ck_assert_msg(dir != NULL, "%s", root);
    unsigned folders = 0, submits = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (entry->d_name[0] == '.' || strchr(entry->d_name, '.')) {
            continue;
        }
        snprintf(folder, sizeof folder, "%s/%s", root, entry->d_name);
        submits += check_folder(folder);
        folders++;
    }
    closedir(dir);
    ck_assert_msg(folders >= 70 && submits >= folders, "%u folders, %u submits", folders, submits);
    printf("%u submits of %u captures\n", submits, folders);
}
END_TEST

int main(void) {
    const char *shared = getenv("QPUCC_SHARED");
    if (!shared || !*shared) {
        fprintf(stderr, "QPUCC_SHARED is not set: skipped\n");
        return 77;
    }
    Suite *suite = suite_create("drm_captures");
    TCase *tcase = tcase_create("captures");
    tcase_add_test(tcase, kernel_lists);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
