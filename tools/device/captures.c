/* qpusim-captures: runs captured submits on the machine and compares the pictures.
 *
 *     qpusim-captures DIR [--filter TEXT] [--keep-failed OUT] [--strict] [--lenient] [--threads N]
 *                     [--verbose]
 *
 * DIR holds a folder for each capture. Each submit goes through the driver's part (qpucc/drm.h) and the lists
 * that it makes run on the block. A capture passes when its last picture is within 3/255 of what one of two
 * reference renderers drew, on all pixels but 1 % and as many as those in which the two differ (scene.json).
 *
 * At edges, also those of texels, the chip's picture is another one: its screen coordinates have four
 * fraction bits, to which captured code truncates; the references' have eight. So a picture that differs is
 * drawn again with the nearest sixteenths (qpusim_options.nearest_positions); all else stays the chip's. When
 * that one agrees the capture passes, and its line says so and gives both counts. --strict goes without. */
#include "tools/capture.h"
#include "tools/gpu.h"
#include "tools/picture.h"
#include "tools/surface.h"

#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PAGE = 4096, TOLERANCE = 3 };
static const uint32_t first_address = 0x10000000u;

/* --- a capture's memory --------------------------------------------------------------------------------- */

struct buffer {
    unsigned uid;
    struct qpusim_drm_buffer drm;
    uint8_t *bytes;
    struct qpusim_drm_shader *shader;
    struct buffer *next;
};

struct run {
    const char *folder;
    struct gpu *gpu;
    struct buffer *buffers;
    uint32_t next_address;
    char error[512];
};

static bool add_memory(struct run *r, uint32_t size, const char *name, struct qpusim_drm_memory *out) {
    uint32_t rounded = (size + PAGE - 1) / PAGE * PAGE;
    *out = (struct qpusim_drm_memory){.address = r->next_address, .size = size};
    if (rounded < size || r->next_address > 0xc0000000u - rounded ||
        qpusim_memory_add(gpu_memory(r->gpu), out->address, rounded, NULL, name) != QPUSIM_OK) {
        return false;
    }
    r->next_address += rounded;
    out->bytes = qpusim_memory_map(gpu_memory(r->gpu), out->address, rounded);
    return out->bytes != NULL;
}

static bool place_area(void *user, enum qpusim_drm_area area, uint32_t size, struct qpusim_drm_memory *out) {
    static const char *const names[] = {"bin list, records and uniforms", "tile state and tile lists",
                                        "rendering list"};
    return add_memory(user, size, names[area], out);
}

static struct buffer *find_buffer(const struct run *r, unsigned uid) {
    struct buffer *b = r->buffers;
    while (b && b->uid != uid) {
        b = b->next;
    }
    return b;
}

static bool new_buffer(struct run *r, const struct capture_buffer *c) {
    char name[64];
    snprintf(name, sizeof name, "buffer %u%s", c->handle, c->shader ? ", code" : "");
    struct buffer *b = calloc(1, sizeof *b);
    struct qpusim_drm_memory memory;
    if (!b || !add_memory(r, c->size, name, &memory)) {
        snprintf(r->error, sizeof r->error, "no memory for buffer %u of %u bytes", c->handle, c->size);
        free(b);
        return false;
    }
    *b = (struct buffer){.uid = c->uid, .drm = {memory.address, c->size, NULL}, .bytes = memory.bytes};
    b->next = r->buffers;
    r->buffers = b;
    return true;
}

/* New contents before a submit. */
static bool load_buffer(struct run *r, struct buffer *b, const struct capture_buffer *c) {
    struct file_data file = {0};
    if (c->file && !capture_file(&file, r->folder, c->file, r->error, sizeof r->error)) {
        return false;
    }
    bool fine = file.size <= b->drm.size && c->code_size <= b->drm.size;
    if (fine) {
        memset(b->bytes, 0, b->drm.size);
        if (file.size > 0) {
            memcpy(b->bytes, file.data, file.size);
        }
    } else {
        snprintf(r->error, sizeof r->error, "buffer %u: %zu bytes for %u", c->handle, file.size, b->drm.size);
    }
    file_free(&file);
    if (fine && c->shader) {
        char reason[QPUSIM_DRM_TEXT];
        qpusim_drm_shader_free(b->shader);
        b->drm.shader = b->shader = qpusim_drm_shader_new(b->bytes, c->code_size, reason);
        if (!b->shader) {
            snprintf(r->error, sizeof r->error, "buffer %u: %s", c->handle, reason);
            return false;
        }
    }
    return fine;
}

static bool load_buffers(struct run *r, const struct capture_submit *c, struct qpusim_drm_buffer *out) {
    for (uint32_t n = 0; n < c->args.bo_handle_count; n++) {
        const struct capture_buffer *wanted = &c->buffers[n];
        struct buffer *b = find_buffer(r, wanted->uid);
        bool fresh = !b;
        if (fresh) {
            if (!new_buffer(r, wanted)) {
                return false;
            }
            b = r->buffers;
        }
        if ((fresh || wanted->load) && !load_buffer(r, b, wanted)) {
            return false;
        }
        out[n] = b->drm;
    }
    return true;
}

static bool run_submit(struct run *r, unsigned number) {
    struct capture_submit c;
    if (!capture_read(&c, r->folder, number, r->error, sizeof r->error)) {
        return false;
    }
    struct qpusim_drm_buffer *buffers = calloc(c.args.bo_handle_count + 1, sizeof *buffers);
    struct qpusim_drm_lists lists = {0};
    char reason[QPUSIM_DRM_TEXT];
    bool fine = buffers && load_buffers(r, &c, buffers);
    if (fine) {
        struct qpusim_drm_submit submit = {&c.args, c.bin_cl.data, c.shader_rec.data, c.uniforms.data,
                                           buffers};
        fine = qpusim_drm_prepare(&submit, place_area, r, &lists, reason) == 0;
        if (!fine) {
            snprintf(r->error, sizeof r->error, "submit %u is refused: %s", number, reason);
        } else {
            char why[400];
            fine = gpu_run(r->gpu, &lists, why, sizeof why);
            if (!fine) {
                snprintf(r->error, sizeof r->error, "submit %u: %s", number, why);
            }
        }
    }
    for (int area = 0; area < QPUSIM_DRM_AREAS; area++) {
        if (lists.memory[area].bytes) {
            qpusim_memory_remove(gpu_memory(r->gpu), lists.memory[area].address);
        }
    }
    free(buffers);
    capture_free(&c);
    return fine;
}

/* --- pictures ------------------------------------------------------------------------------------------- */

static unsigned number_of(const json_t *object, const char *key) {
    return (unsigned)json_integer_value(json_object_get(object, key));
}

static bool read_target(struct run *r, const json_t *scene, struct picture *picture) {
    const json_t *target = json_object_get(scene, "target");
    const char *format = json_string_value(json_object_get(target, "format"));
    const char *tiling = json_string_value(json_object_get(target, "tiling"));
    const struct buffer *b = find_buffer(r, number_of(target, "uid"));
    unsigned offset = number_of(target, "offset");
    if (!b || !format || !tiling || offset > b->drm.size) {
        snprintf(r->error, sizeof r->error, "scene.json: no such target");
        return false;
    }
    struct surface surface = {.layout = !strcmp(tiling, "T")    ? SURFACE_T
                                        : !strcmp(tiling, "LT") ? SURFACE_LT
                                                                : SURFACE_RASTER,
                              .format = !strncmp(format, "BGR565", 6) ? SURFACE_BGR565
                                        : !strncmp(format, "BGRA", 4) ? SURFACE_BGRA8888
                                                                      : SURFACE_RGBA8888,
                              .width = number_of(target, "width"),
                              .height = number_of(target, "height"),
                              .stride = number_of(target, "stride_bytes")};
    if (!surface_read(picture, &surface, b->bytes + offset, b->drm.size - offset)) {
        snprintf(r->error, sizeof r->error, "scene.json: the target does not fit its buffer");
        return false;
    }
    if (json_is_true(json_object_get(target, "upper_row_first"))) {
        picture_turn_over(picture);
    }
    return true;
}

static unsigned difference(const struct picture *a, const struct picture *b, size_t pixel) {
    unsigned most = 0;
    for (unsigned c = 0; c < 4; c++) {
        unsigned d = (unsigned)abs(a->pixels[4 * pixel + c] - b->pixels[4 * pixel + c]);
        most = d > most ? d : most;
    }
    return most;
}

/* Pixels that differ from each reference by more than the tolerance; `marked` shows them. */
static unsigned long count_differences(const struct picture *drawn, const struct picture references[2],
                                       struct picture *marked, unsigned *largest) {
    unsigned long count = 0;
    *marked = (struct picture){drawn->width, drawn->height, calloc((size_t)drawn->width * drawn->height, 4)};
    for (size_t i = 0; i < (size_t)drawn->width * drawn->height; i++) {
        unsigned most = difference(drawn, &references[0], i);
        if (references[1].pixels) {
            unsigned other = difference(drawn, &references[1], i);
            most = other < most ? other : most;
        }
        *largest = most > *largest ? most : *largest;
        count += most > TOLERANCE;
        if (marked->pixels) {
            marked->pixels[4 * i] = (uint8_t)(most > TOLERANCE ? 128 + most / 2 : most);
            marked->pixels[4 * i + 3] = 255;
        }
    }
    return count;
}

static void keep(const char *folder, const char *name, const char *what, const struct picture *picture) {
    char path[4096], error[512];
    snprintf(path, sizeof path, "%s/%s%s.png", folder, name, what);
    if (picture->pixels && !picture_write_png(picture, path, true, error, sizeof error)) {
        fprintf(stderr, "qpusim-captures: %s\n", error);
    }
}

/* DIFFERS: FAILED, and the picture was drawn. */
enum verdict { PASSED, EDGES, FAILED, SKIPPED, VERDICTS, DIFFERS };

static bool read_reference(struct run *r, const char *file, struct picture *picture) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", r->folder, file);
    return picture_read_png(picture, path, r->error, sizeof r->error);
}

static bool same_size(const struct picture *a, const struct picture *b) {
    return a->width == b->width && a->height == b->height;
}

static enum verdict compare(struct run *r, const char *name, const json_t *scene, const char *keep_failed) {
    const json_t *expected = json_object_get(scene, "expected");
    const char *file = json_string_value(json_object_get(expected, "file")),
               *second = json_string_value(json_object_get(expected, "second"));
    struct picture drawn = {0}, references[2] = {{0}}, marked = {0};
    if (!file) {
        snprintf(r->error, sizeof r->error, "no expected picture");
        return SKIPPED;
    }
    enum verdict verdict = FAILED;
    if (read_target(r, scene, &drawn) && read_reference(r, file, &references[0]) &&
        (!second || read_reference(r, second, &references[1]))) {
        unsigned largest = 0;
        size_t pixels = (size_t)drawn.width * drawn.height;
        size_t differ = number_of(json_object_get(expected, "llvmpipe_vs_softpipe"), "differ_by_more_than_2");
        size_t allowed = pixels / 100 + differ;
        if (!same_size(&drawn, &references[0]) || (second && !same_size(&drawn, &references[1]))) {
            snprintf(r->error, sizeof r->error, "a picture of %u x %u", references[0].width,
                     references[0].height);
        } else {
            unsigned long found = count_differences(&drawn, references, &marked, &largest);
            verdict = found <= allowed ? PASSED : DIFFERS;
            snprintf(r->error, sizeof r->error, "%lu of %zu pixels differ (%zu may), by %u at most", found,
                     pixels, allowed, largest);
        }
    }
    if (verdict != PASSED && keep_failed) {
        keep(keep_failed, name, "", &drawn);
        keep(keep_failed, name, "-expected", &references[0]);
        keep(keep_failed, name, "-difference", &marked);
    }
    picture_free(&drawn);
    picture_free(&references[0]);
    picture_free(&references[1]);
    picture_free(&marked);
    return verdict;
}

/* --- captures ------------------------------------------------------------------------------------------- */

struct request {
    const char *filter, *keep_failed;
    bool verbose, strict;
    struct gpu_options gpu;
};

static void end_run(struct run *r) {
    for (struct buffer *b = r->buffers; b;) {
        struct buffer *next = b->next;
        qpusim_drm_shader_free(b->shader);
        free(b);
        b = next;
    }
    gpu_free(r->gpu);
}

static enum verdict draw_capture(const char *folder, const char *name, const char *keep_failed,
                                 const struct gpu_options *options, char *text, size_t size) {
    struct run r = {.folder = folder, .gpu = gpu_new(options), .next_address = first_address};
    json_t *scene = capture_json(folder, "scene.json", r.error, sizeof r.error);
    enum verdict verdict = FAILED;
    if (!r.gpu) {
        snprintf(r.error, sizeof r.error, "no memory for the machine");
    } else if (scene) {
        unsigned count = number_of(scene, "submits");
        bool fine = true;
        for (unsigned n = 0; fine && n < count; n++) {
            fine = run_submit(&r, n);
        }
        if (fine) {
            verdict = compare(&r, name, scene, keep_failed);
        }
    }
    snprintf(text, size, "%s", r.error);
    json_decref(scene);
    end_run(&r);
    return verdict;
}

/* As the chip draws, and, if that is not what the references drew, with their finer positions and filters.
 * That machine is not strict, so what the strict one stopped is not drawn again. */
static enum verdict run_capture(const char *folder, const char *name, const struct request *request,
                                char *text, size_t size) {
    enum verdict verdict = draw_capture(folder, name, request->keep_failed, &request->gpu, text, size);
    if (verdict == DIFFERS && !request->strict) {
        char again[256];
        struct gpu_options finer = request->gpu;
        finer.nearest_positions = true;
        finer.fault = qpusim_fault_find("texture_weights"); /* of 8 bits, as the references have them */
        enum verdict second = draw_capture(folder, name, NULL, &finer, again, sizeof again);
        size_t length = strlen(text);
        snprintf(text + length, size - length, "; with the references' positions and filters %s", again);
        verdict = second == PASSED ? EDGES : FAILED;
    }
    return verdict == DIFFERS ? FAILED : verdict;
}

static int is_capture(const struct dirent *entry) {
    return entry->d_name[0] != '.' && !strchr(entry->d_name, '.');
}

static int usage(void) {
    fprintf(stderr, "usage: qpusim-captures DIR [--filter TEXT] [--keep-failed OUT] [--strict] [--lenient] "
                    "[--threads N] [--verbose]\n");
    return 1;
}

static bool read_number(const char *text, unsigned *number) {
    char rest;
    return *text >= '0' && *text <= '9' && sscanf(text, "%9u%c", number, &rest) == 1;
}

static bool read_options(int argc, char **argv, struct request *request) {
    static const struct option options[] = {{"filter", required_argument, NULL, 'f'},
                                            {"keep-failed", required_argument, NULL, 'k'},
                                            {"strict", no_argument, NULL, 's'},
                                            {"lenient", no_argument, NULL, 'l'},
                                            {"threads", required_argument, NULL, 't'},
                                            {"verbose", no_argument, NULL, 'v'},
                                            {0}};
    for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (c) {
        case 'f': request->filter = optarg; break;
        case 'k': request->keep_failed = optarg; break;
        case 's': request->strict = true; break;
        case 'l': request->gpu.lenient = true; break;
        case 't':
            if (!read_number(optarg, &request->gpu.threads)) {
                fprintf(stderr, "qpusim-captures: --threads takes a number, not %s\n", optarg);
                return false;
            }
            break;
        case 'v': request->verbose = true; break;
        default: return false;
        }
    }
    return optind + 1 == argc;
}

int main(int argc, char **argv) {
    struct request request = {.gpu = {.log = stderr}};
    if (!read_options(argc, argv, &request)) {
        return usage();
    }
    struct dirent **entries;
    if (request.keep_failed && mkdir(request.keep_failed, 0777) != 0 && errno != EEXIST) {
        perror(request.keep_failed);
        return 1;
    }
    int count = scandir(argv[optind], &entries, is_capture, alphasort);
    if (count < 0) {
        perror(argv[optind]);
        return 1;
    }
    unsigned verdicts[VERDICTS] = {0};
    for (int n = 0; n < count; n++) {
        const char *name = entries[n]->d_name;
        char folder[4096], text[512];
        snprintf(folder, sizeof folder, "%s/%s", argv[optind], name);
        if (!request.filter || strstr(name, request.filter)) {
            static const char *const words[] = {"passed", "passed", "FAILED", "skipped"};
            enum verdict verdict = run_capture(folder, name, &request, text, sizeof text);
            verdicts[verdict]++;
            if (verdict != PASSED || request.verbose) {
                printf("%s %s: %s\n", words[verdict], name, text);
                fflush(stdout);
            }
        }
        free(entries[n]);
    }
    free(entries);
    unsigned passed = verdicts[PASSED] + verdicts[EDGES];
    if (verdicts[EDGES]) {
        printf("%u of them with the references' positions and filters\n", verdicts[EDGES]);
    }
    printf("%u passed, %u failed, %u skipped\n", passed, verdicts[FAILED], verdicts[SKIPPED]);
    return verdicts[FAILED] || !(passed + verdicts[SKIPPED]);
}
