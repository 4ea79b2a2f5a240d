/* Records submits in the layout that qpusim-captures reads: see docs/device.md.
 *
 * A buffer's contents are written when a submit lists it for the first time, and again when they are no
 * longer what the last submit that listed it left behind: then the program has changed them.
 *
 * The scene's expected picture is what the last submit with a colour target drew. */
#include "device.h"
#include "tools/file.h"
#include "tools/surface.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <vc4_drm.h>

struct known {
    uint64_t uid, sum;
    struct known *next;
};

/* The colour target of the last submit that had one. */
struct target {
    struct surface surface;
    unsigned submit, handle, offset;
    uint64_t uid;
    uint8_t *drawn; /* a copy, from the target's offset on */
    size_t size;
    bool shown; /* on the display, which has the upper row first */
};

struct recorder {
    char folder[PATH_MAX];
    unsigned submits;
    struct known *buffers;
    struct target target;
    bool failed;
};

struct recorder *recorder_new(const char *folder, char *error, size_t size) {
    struct recorder *r = calloc(1, sizeof *r);
    if (!r || strlen(folder) + 64 > sizeof r->folder || (mkdir(folder, 0777) != 0 && errno != EEXIST)) {
        snprintf(error, size, "%s: %s", folder, r ? strerror(errno) : "no memory");
        free(r);
        return NULL;
    }
    strcpy(r->folder, folder);
    return r;
}

static void put(struct recorder *r, const char *name, const void *bytes, size_t size) {
    char path[PATH_MAX + 128], error[512];
    snprintf(path, sizeof path, "%s/%s", r->folder, name);
    if (!r->failed && !file_write(path, bytes, size, error, sizeof error)) {
        fprintf(stderr, "qpusim-device: %s\n", error);
        r->failed = true;
    }
}

/* FNV-1a over words. */
static uint64_t sum_of(const uint8_t *bytes, size_t size) {
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        sum = (sum ^ word) * UINT64_C(0x100000001b3);
        sum ^= sum >> 29;
    }
    return sum;
}

static struct known *find(struct recorder *r, uint64_t uid) {
    struct known *k = r->buffers;
    while (k && k->uid != uid) {
        k = k->next;
    }
    return k;
}

static void put_surface(FILE *out, const char *name, const struct drm_vc4_submit_rcl_surface *s) {
    bool present = s->hindex != UINT32_MAX;
    fprintf(out, " \"%s\": {\"present\": %s, \"hindex\": %d, \"offset\": %u, \"bits\": %u, \"flags\": %u},\n",
            name, present ? "true" : "false", present ? (int)s->hindex : -1, s->offset, s->bits, s->flags);
}

static void put_args(FILE *out, unsigned index, const struct drm_vc4_submit_cl *a) {
    fprintf(out, "{\n \"index\": %u,\n", index);
    fprintf(out,
            " \"bin_cl_size\": %u, \"shader_rec_size\": %u, \"shader_rec_count\": %u, \"uniforms_size\": %u, "
            "\"bo_handle_count\": %u,\n",
            a->bin_cl_size, a->shader_rec_size, a->shader_rec_count, a->uniforms_size, a->bo_handle_count);
    fprintf(out,
            " \"width\": %u, \"height\": %u, \"min_x_tile\": %u, \"min_y_tile\": %u, \"max_x_tile\": %u, "
            "\"max_y_tile\": %u,\n",
            a->width, a->height, a->min_x_tile, a->min_y_tile, a->max_x_tile, a->max_y_tile);
    put_surface(out, "color_read", &a->color_read);
    put_surface(out, "color_write", &a->color_write);
    put_surface(out, "zs_read", &a->zs_read);
    put_surface(out, "zs_write", &a->zs_write);
    put_surface(out, "msaa_color_write", &a->msaa_color_write);
    put_surface(out, "msaa_zs_write", &a->msaa_zs_write);
    fprintf(out, " \"clear_color\": [%u, %u], \"clear_z\": %u, \"clear_s\": %u, \"flags\": %u,\n",
            a->clear_color[0], a->clear_color[1], a->clear_z, a->clear_s, a->flags);
    fprintf(out, " \"perfmonid\": %u, \"in_sync\": %u, \"out_sync\": %u,\n", a->perfmonid, a->in_sync,
            a->out_sync);
}

static void put_buffer(struct recorder *r, FILE *out, unsigned index, const struct qpusim_drm_view *v,
                       uint32_t size) {
    char name[64] = "null";
    struct known *k = find(r, v->uid);
    uint32_t whole = v->code_size ? v->code_size : size, stored = whole;
    bool load = !k || k->sum != sum_of(v->bytes, size);
    if (!k && (k = calloc(1, sizeof *k)) != NULL) {
        *k = (struct known){.uid = v->uid, .next = r->buffers};
        r->buffers = k;
    }
    const uint8_t *bytes = v->bytes;
    while (stored > 0 && !bytes[stored - 1]) {
        stored--;
    }
    stored = (stored + 3) & ~3u;
    if (load && stored > 0) {
        snprintf(name, sizeof name, "submit%u_bo_%u.bin", r->submits, v->handle);
        put(r, name, bytes, stored);
    }
    fprintf(
        out,
        "  {\"hindex\": %u, \"handle\": %u, \"uid\": %llu, \"size\": %u, \"shader\": %s, \"code_size\": %u, ",
        index, v->handle, (unsigned long long)v->uid, size, v->code_size ? "true" : "false", v->code_size);
    fprintf(out, "\"load\": %s, \"file\": %s%s%s, \"stored_bytes\": %u}", load ? "true" : "false",
            load && stored ? "\"" : "", load && stored ? name : "null", load && stored ? "\"" : "",
            load ? stored : 0);
}

void recorder_submit(struct recorder *r, const struct qpusim_drm_submit *submit,
                     const struct qpusim_drm_view *views) {
    const struct drm_vc4_submit_cl *a = submit->args;
    char name[64], *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return;
    }
    put_args(out, r->submits, a);
    fprintf(out, " \"bo_handles\": [");
    for (uint32_t n = 0; n < a->bo_handle_count; n++) {
        fprintf(out, "%s%u", n ? ", " : "", views[n].handle);
    }
    fprintf(out, "],\n \"bos\": [\n");
    for (uint32_t n = 0; n < a->bo_handle_count; n++) {
        put_buffer(r, out, n, &views[n], submit->buffers[n].size);
        fprintf(out, n + 1 < a->bo_handle_count ? ",\n" : "\n");
    }
    fprintf(out, " ]\n}\n");
    fclose(out);
    const struct {
        const char *suffix;
        const void *bytes;
        size_t size;
    } files[] = {{"json", text, size},
                 {"bin_cl", submit->bin_cl, a->bin_cl_size},
                 {"shader_rec", submit->shader_rec, a->shader_rec_size},
                 {"uniforms", submit->uniforms, a->uniforms_size}};
    for (size_t n = 0; n < sizeof files / sizeof *files; n++) {
        snprintf(name, sizeof name, "submit%u.%s", r->submits, files[n].suffix);
        put(r, name, files[n].bytes, files[n].size);
    }
    free(text);
}

static void keep_target(struct recorder *r, const struct qpusim_drm_submit *submit,
                        const struct qpusim_drm_view *views) {
    static const enum surface_layout layouts[] = {SURFACE_RASTER, SURFACE_T, SURFACE_LT};
    const struct drm_vc4_submit_cl *a = submit->args;
    const struct drm_vc4_submit_rcl_surface *s = &a->color_write;
    unsigned layout = s->bits >> 6 & 3;
    if (s->hindex == UINT32_MAX || layout > 2 || s->offset > submit->buffers[s->hindex].size) {
        return;
    }
    struct target *t = &r->target;
    free(t->drawn);
    *t = (struct target){.surface = {.layout = layouts[layout],
                                     .format = (s->bits >> 2 & 3) == 1 ? SURFACE_RGBA8888 : SURFACE_BGR565,
                                     .width = a->width,
                                     .height = a->height},
                         .submit = r->submits,
                         .handle = views[s->hindex].handle,
                         .offset = s->offset,
                         .uid = views[s->hindex].uid,
                         .size = submit->buffers[s->hindex].size - s->offset};
    unsigned cpp = surface_cpp(t->surface.format), across = (layout == 1 ? 128 : 16) / cpp;
    t->surface.stride = (a->width + across - 1) / across * across * cpp;
    t->drawn = malloc(t->size);
    if (t->drawn) {
        memcpy(t->drawn, (const uint8_t *)views[s->hindex].bytes + s->offset, t->size);
    }
}

static bool put_expected(struct recorder *r) {
    const struct target *t = &r->target;
    struct picture picture;
    char path[PATH_MAX + 16], error[512];
    snprintf(path, sizeof path, "%s/expected.png", r->folder);
    if (!t->drawn || !surface_read(&picture, &t->surface, t->drawn, t->size)) {
        return false;
    }
    if (t->shown) {
        picture_turn_over(&picture);
    }
    bool fine = picture_write_png(&picture, path, true, error, sizeof error);
    if (!fine) {
        fprintf(stderr, "qpusim-device: %s\n", error);
    }
    picture_free(&picture);
    return fine;
}

/* Written with each submit, in case that the last one does not come; the picture only at the end. */
static void put_scene(struct recorder *r, bool last) {
    static const char *const layouts[] = {"linear", "T", "LT"};
    const struct target *t = &r->target;
    const bool expected = last && put_expected(r);
    char text[1024];
    if (!t->surface.width) {
        return;
    }
    int length = snprintf(
        text, sizeof text,
        "{\n \"name\": \"recorded\",\n \"submits\": %u,\n \"target\": {\"width\": %u, \"height\": %u, "
        "\"submit\": %u, \"handle\": %u, \"uid\": %llu, \"offset\": %u, \"format\": \"%s\", \"cpp\": %u, "
        "\"tiling\": \"%s\", \"stride_bytes\": %u, \"upper_row_first\": %s}%s\n}\n",
        t->submit + 1, t->surface.width, t->surface.height, t->submit, t->handle, (unsigned long long)t->uid,
        t->offset, t->surface.format == SURFACE_BGR565 ? "BGR565" : "RGBA8888",
        surface_cpp(t->surface.format), layouts[t->surface.layout], t->surface.stride,
        t->shown ? "true" : "false", expected ? ",\n \"expected\": {\"file\": \"expected.png\"}" : "");
    put(r, "scene.json", text, (size_t)length);
}

void recorder_done(struct recorder *r, const struct qpusim_drm_submit *submit,
                   const struct qpusim_drm_view *views) {
    for (uint32_t n = 0; n < submit->args->bo_handle_count; n++) {
        struct known *k = find(r, views[n].uid);
        if (k) {
            k->sum = sum_of(views[n].bytes, submit->buffers[n].size);
        }
    }
    keep_target(r, submit, views);
    put_scene(r, false);
    r->submits++;
}

void recorder_shown(struct recorder *r, const struct qpusim_drm_frame *frame) {
    r->target.shown |= frame->uid == r->target.uid && frame->offset == r->target.offset;
}

void recorder_free(struct recorder *r) {
    if (r) {
        put_scene(r, true);
        free(r->target.drawn);
    }
    while (r && r->buffers) {
        struct known *next = r->buffers->next;
        free(r->buffers);
        r->buffers = next;
    }
    free(r);
}
