/* Damaged submits and random calls: each is refused or harmless.
 *
 * A submit of the captures is changed in a few bytes of its arrays or its arguments, or cut. When it is still
 * accepted, every address in its records must lie where it may: code at the start of a shader, uniforms in
 * the driver's copy, attributes in a buffer of data. Random calls go to a device whose machine does nothing.
 * Build with the sanitizers to see accesses outside the arrays.
 *
 *     drm_fuzz [SECONDS]     default 5 */
#include "tools/capture.h"

#include <dirent.h>
#include <drm.h>
#include <drm_mode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

static uint64_t state = 1;

static uint32_t random_word(void) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 32);
}

static void fail(const char *what) {
    fprintf(stderr, "drm_fuzz: %s\n", what);
    exit(1);
}

/* --- submits -------------------------------------------------------------------------------------------- */

struct seed {
    struct capture_submit submit;
    struct qpusim_drm_buffer *buffers;
    struct seed *next;
};

static void load_seed(const char *folder, unsigned number, struct seed **seeds) {
    char error[512], reason[QPUSIM_DRM_TEXT];
    struct seed *s = calloc(1, sizeof *s);
    if (!s || !capture_read(&s->submit, folder, number, error, sizeof error)) {
        fail("a capture cannot be read");
    }
    uint32_t count = s->submit.args.bo_handle_count, address = 0x10000000;
    s->buffers = calloc(count + 1, sizeof *s->buffers);
    for (uint32_t n = 0; n < count; n++) {
        const struct capture_buffer *b = &s->submit.buffers[n];
        s->buffers[n] = (struct qpusim_drm_buffer){.address = address, .size = b->size};
        address += b->size + 4096;
        if (b->shader) {
            struct file_data code;
            uint8_t *words = calloc(1, b->code_size);
            if (!words || !capture_file(&code, folder, b->file, error, sizeof error)) {
                fail("a capture has no code");
            }
            memcpy(words, code.data, code.size < b->code_size ? code.size : b->code_size);
            s->buffers[n].shader = qpusim_drm_shader_new(words, b->code_size, reason);
            file_free(&code);
            free(words);
        }
    }
    s->next = *seeds;
    *seeds = s;
}

struct placed {
    void *bytes[QPUSIM_DRM_AREAS];
};

static bool place(void *user, enum qpusim_drm_area area, uint32_t size, struct qpusim_drm_memory *out) {
    struct placed *p = user;
    if (size > 64 << 20) {
        return false;
    }
    p->bytes[area] = calloc(1, size ? size : 1);
    *out = (struct qpusim_drm_memory){0x60000000u + ((uint32_t)area << 28), size, p->bytes[area]};
    return p->bytes[area] != NULL;
}

static uint32_t word_at(const uint8_t *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool is_code(const struct seed *s, uint32_t address) {
    for (uint32_t n = 0; n < s->submit.args.bo_handle_count; n++) {
        if (s->buffers[n].shader && s->buffers[n].address == address) {
            return true;
        }
    }
    return false;
}

static bool is_data(const struct seed *s, uint32_t address, uint32_t size) {
    for (uint32_t n = 0; n < s->submit.args.bo_handle_count; n++) {
        const struct qpusim_drm_buffer *b = &s->buffers[n];
        if (!b->shader && address >= b->address && address - b->address <= b->size &&
            size <= b->size - (address - b->address)) {
            return true;
        }
    }
    return false;
}

/* The records that the list's shader states refer to. */
static void check_accepted(const struct seed *s, const struct qpusim_drm_lists *lists,
                           const struct placed *p) {
    static const uint8_t sizes[256] = {
        [0] = 1,   [1] = 1,   [4] = 1,   [5] = 1,   [6] = 1,   [7] = 1,   [32] = 14,
        [33] = 10, [56] = 2,  [64] = 5,  [96] = 4,  [97] = 5,  [98] = 5,  [99] = 5,
        [100] = 3, [101] = 5, [102] = 9, [103] = 5, [105] = 9, [106] = 9, [112] = 16};
    const struct qpusim_drm_memory *exec = &lists->memory[QPUSIM_DRM_EXEC];
    const uint8_t *list = p->bytes[QPUSIM_DRM_EXEC];
    for (uint32_t at = 0; at < lists->bin_end - lists->bin_start; at += sizes[list[at]]) {
        if (!sizes[list[at]]) {
            fail("an accepted list has an unknown record");
        }
        if (list[at] == 32 && !is_data(s, word_at(list + at + 6), word_at(list + at + 2))) {
            fail("indices lie in no buffer");
        }
        if (list[at] != 64) {
            continue;
        }
        uint32_t word = word_at(list + at + 1), offset = (word & ~15u) - exec->address,
                 n = word & 7 ? word & 7 : 8;
        if (offset > exec->size || 36 + 8 * n > exec->size - offset) {
            fail("a record lies outside the copy");
        }
        const uint8_t *record = list + offset;
        for (unsigned k = 4; k <= 28; k += 12) {
            uint32_t uniforms = word_at(record + k + 4) - exec->address;
            if (!is_code(s, word_at(record + k)) || uniforms > exec->size) {
                fail("code or uniforms lie elsewhere");
            }
        }
        for (unsigned a = 0; a < n; a++) {
            if (!is_data(s, word_at(record + 36 + 8 * a), record[40 + 8 * a] + 1u)) {
                fail("an attribute lies in no buffer");
            }
        }
    }
}

/* Changes some bytes; now and then a whole word to one that matters. */
static void damage(uint8_t *bytes, size_t size) {
    static const uint32_t words[] = {0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 0xffff, 4096, 255};
    for (unsigned n = random_word() % 4; size && n > 0; n--) {
        size_t at = random_word() % size;
        if (random_word() & 1 && at + 4 <= size) {
            memcpy(bytes + at, &words[random_word() % 8], 4);
        } else {
            bytes[at] = (uint8_t)random_word();
        }
    }
}

/* Exactly as many bytes as there are, so that the sanitizers see an access beyond them. */
static uint8_t *copy_of(const struct file_data *file, uint32_t size) {
    uint8_t *copy = malloc(size ? size : 1);
    if (copy && size) {
        memcpy(copy, file->data, size);
    }
    return copy;
}

static bool try_submit(const struct seed *s) {
    struct drm_vc4_submit_cl args = s->submit.args;
    uint32_t *sizes[3] = {&args.bin_cl_size, &args.shader_rec_size, &args.uniforms_size};
    const struct file_data *files[3] = {&s->submit.bin_cl, &s->submit.shader_rec, &s->submit.uniforms};
    uint8_t *arrays[3];
    char reason[QPUSIM_DRM_TEXT];
    struct placed p = {{NULL}};
    if (random_word() % 8 == 0) {
        *sizes[random_word() % 3] >>= random_word() % 3;
    }
    for (int n = 0; n < 3; n++) {
        arrays[n] = copy_of(files[n], *sizes[n]);
        if (random_word() % 2) {
            damage(arrays[n], *sizes[n]);
        }
    }
    if (random_word() % 4 == 0) {
        uint32_t kept[5] = {args.bin_cl_size, args.shader_rec_size, args.shader_rec_count, args.uniforms_size,
                            args.bo_handle_count};
        damage((uint8_t *)&args, sizeof args);
        args.bin_cl_size = kept[0];
        args.shader_rec_size = kept[1];
        args.shader_rec_count = random_word() % 16 ? kept[2] : random_word();
        args.uniforms_size = kept[3];
        args.bo_handle_count = kept[4];
    }
    struct qpusim_drm_submit submit = {&args, arrays[0], arrays[1], arrays[2], s->buffers};
    struct qpusim_drm_lists lists;
    int status = qpusim_drm_prepare(&submit, place, &p, &lists, reason);
    if (status == 0) {
        check_accepted(s, &lists, &p);
    } else if (!reason[0]) {
        fail("a submit is refused without a reason");
    }
    for (int n = 0; n < 3; n++) {
        free(arrays[n]);
        free(p.bytes[n]);
    }
    return status == 0;
}

/* --- calls ---------------------------------------------------------------------------------------------- */

static bool add_memory(void *user, uint32_t address, uint32_t size, void *bytes, const char *owner) {
    (void)user, (void)address, (void)size, (void)bytes, (void)owner;
    return true;
}

static void remove_memory(void *user, uint32_t address) {
    (void)user, (void)address;
}

static bool run(void *user, const struct qpusim_drm_lists *lists, char *error, size_t size) {
    (void)user, (void)lists, (void)error, (void)size;
    return true;
}

static bool client_read(void *user, void *to, uint64_t from, size_t size) {
    (void)user, (void)from;
    for (size_t i = 0; i < size; i++) {
        ((uint8_t *)to)[i] = (uint8_t)(random_word() % 6);
    }
    return random_word() % 16 != 0;
}

static bool client_write(void *user, uint64_t to, const void *from, size_t size) {
    (void)user, (void)to;
    for (size_t i = 0; i < size; i++) {
        state += ((const uint8_t *)from)[i];
    }
    return random_word() % 16 != 0;
}

static int client_fd(void *user, int fd) {
    (void)user, (void)fd;
    return -1;
}

static void client_event(void *user, const void *event, size_t size) {
    (void)user, (void)event, (void)size;
}

static void try_calls(void) {
    struct qpusim_drm_hooks hooks = {.add_memory = add_memory, .remove_memory = remove_memory, .run = run};
    struct qpusim_drm_client client = {NULL, client_read, client_write, client_fd, client_fd, client_event};
    struct qpusim_drm *device = qpusim_drm_new(&hooks);
    struct qpusim_drm_file *file = qpusim_drm_open(device, &client);
    for (unsigned n = 0; n < 400; n++) {
        uint64_t arg[64];
        unsigned nr = random_word() % 2 ? DRM_COMMAND_BASE + random_word() % 16 : random_word() % 256;
        unsigned size = random_word() % 4 ? 8 * (1 + random_word() % 20) : random_word() % 512;
        for (unsigned i = 0; i < 64; i++) {
            arg[i] = random_word() % 2
                         ? (uint64_t)(random_word() % 8) << (random_word() % 2 * 32) | random_word() % 4
                         : (uint64_t)random_word() << 32 | (random_word() & 0xffff);
        }
        /* What a call says of its sizes must be small enough to be made here. */
        if (nr == DRM_COMMAND_BASE + DRM_VC4_CREATE_BO || nr == _IOC_NR(DRM_IOCTL_MODE_CREATE_DUMB)) {
            arg[0] &= 0x3ff000003ff;
        }
        qpusim_drm_ioctl(file, _IOC(_IOC_READ | _IOC_WRITE, DRM_IOCTL_BASE, nr, size), arg);
        qpusim_drm_map(file, arg[0], arg[1]);
    }
    qpusim_drm_close(file);
    qpusim_drm_free(device);
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 5;
    const char *shared = getenv("QPUCC_SHARED");
    struct seed *seeds = NULL;
    char root[2048], folder[4096], error[512];
    if (!shared || !*shared) {
        fprintf(stderr, "QPUCC_SHARED is not set: skipped\n");
        return 77;
    }
    snprintf(root, sizeof root, "%s/captures", shared);
    DIR *dir = opendir(root);
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
        if (e->d_name[0] == '.' || strchr(e->d_name, '.')) {
            continue;
        }
        snprintf(folder, sizeof folder, "%s/%s", root, e->d_name);
        json_t *scene = capture_json(folder, "scene.json", error, sizeof error);
        unsigned count = (unsigned)json_integer_value(json_object_get(scene, "submits"));
        for (unsigned n = 0; n < count; n++) {
            load_seed(folder, n, &seeds);
        }
        json_decref(scene);
    }
    if (dir) {
        closedir(dir);
    }
    if (!seeds) {
        fail("no captures");
    }
    unsigned long tried = 0, accepted = 0;
    const struct seed *s = seeds;
    for (clock_t start = clock(); (double)(clock() - start) < seconds * CLOCKS_PER_SEC; tried++) {
        accepted += try_submit(s);
        s = s->next ? s->next : seeds;
        if (tried % 50 == 0) {
            try_calls();
        }
    }
    printf("%lu submits, %lu accepted\n", tried, accepted);
    while (seeds) {
        struct seed *next = seeds->next;
        for (uint32_t n = 0; n < seeds->submit.args.bo_handle_count; n++) {
            qpusim_drm_shader_free((struct qpusim_drm_shader *)(uintptr_t)seeds->buffers[n].shader);
        }
        capture_free(&seeds->submit);
        free(seeds->buffers);
        free(seeds);
        seeds = next;
    }
    return accepted == 0 || accepted == tried;
}
