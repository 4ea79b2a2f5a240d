/* Everything that reads files or arguments from outside, on damaged forms of good ones: bytes changed, cut
 * out, doubled, cut off. Each may refuse or accept what it gets; none may crash, leak or loop (run it under
 * the sanitizers, too).
 *
 *     reader_fuzz REPOSITORY [FIRST [COUNT]]
 *
 * Shaders, SPIR-V and IR text have tests of their own (glsl_fuzz, spirv_fuzz, pass_random). */
#include "backend/isa/isa.h"
#include "pairs.h"
#include "tools/code_file.h"
#include "tools/conformance/cases.h"
#include "tools/file.h"
#include "tools/fixed_file.h"
#include "tools/scene_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct bytes {
    char *data;
    size_t size;
};

struct reader {
    const char *name, *seed_file; /* below the repository; NULL: `seed` is the text itself */
    const char *seed;
    unsigned line; /* of the file; 0: all of it */
    size_t size;   /* of a seed that is no text; else 0 */
    /* Reads the damaged bytes, which also stand in the file `path`. True if it took them. */
    bool (*read)(const char *path, const struct bytes *damaged);
};

static uint64_t state;

static uint32_t pick(size_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return n ? (uint32_t)((state >> 33) % n) : 0;
}

/* --- readers -------------------------------------------------------------------------------------------- */

static bool read_scene(const char *path, const struct bytes *damaged) {
    struct scene scene;
    char error[600];
    (void)damaged;
    scene_init(&scene);
    bool ok = scene_read(&scene, path, error, sizeof error) && scene_prepare(&scene, error, sizeof error);
    scene_free(&scene);
    return ok;
}

static bool read_fixed(const char *path, const struct bytes *damaged) {
    struct qpucc_fixed fixed;
    char error[600];
    (void)damaged;
    return fixed_file_read(&fixed, path, error, sizeof error);
}

static bool read_state(const char *path, const struct bytes *damaged) {
    struct qpucc_state key;
    struct qpucc_draw_state values;
    char error[600];
    (void)damaged;
    return state_file_read(&key, &values, path, error, sizeof error);
}

static bool read_mesh(const char *path, const struct bytes *damaged) {
    struct mesh mesh = {0};
    char error[600];
    (void)damaged;
    bool ok = mesh_load(&mesh, path, error, sizeof error);
    for (size_t v = 0; ok && v < mesh.count && v < 50; v++) {
        float value[4];
        mesh_attribute(&mesh, "a_normal", v, value);
    }
    mesh_free(&mesh);
    return ok;
}

static bool read_picture(const char *path, const struct bytes *damaged) {
    struct picture picture = {0};
    char error[600];
    (void)damaged;
    bool ok = picture_read_png(&picture, path, error, sizeof error);
    picture_free(&picture);
    return ok;
}

static bool read_code(const char *path, const struct bytes *damaged) {
    size_t count;
    char error[600];
    (void)damaged;
    struct code_part parts[QPUCC_STAGE_COUNT];
    uint64_t *code = code_read(path, true, parts, &count, error, sizeof error);
    if (!code)
        return false;
    char *listing = qpu_list(code, count, false);
    for (int stage = 0; stage < 3; stage++) {
        struct qpu_check_options options = {.stage = (enum qpucc_stage)stage};
        struct qpu_violation found[4];
        qpu_check(code, count, &options, found, 4);
    }
    free(listing);
    free(code);
    return true;
}

static bool read_case(const char *path, const struct bytes *damaged) {
    struct test_case test;
    char error[600];
    (void)path;
    char *name = case_line_name(damaged->data, damaged->size);
    bool ok =
        case_read(&test, damaged->data, damaged->size, "tests/tools/conformance_cases", error, sizeof error);
    case_free(&test);
    free(name);
    return ok;
}

static void take_pair(void *user, const char *name, struct scene *scene, const char *vertex,
                      const char *fragment, const char *error) {
    *(size_t *)user += scene ? strlen(name) + strlen(vertex) + strlen(fragment) : strlen(error);
}

static bool read_pairs(const char *path, const struct bytes *damaged) {
    struct pair_options options = {.pairs = path};
    bool skipped;
    size_t length = 0;
    (void)damaged;
    return pairs_each(&options, take_pair, &length, &skipped) && length > 0;
}

static bool read_exceptions(const char *path, const struct bytes *damaged) {
    struct pair_options options = {0};
    (void)damaged;
    bool ok = pairs_option(&options, 'e', path);
    pairs_excepted(&options, "glmark2/bump-height");
    pairs_excepted(&options, "");
    file_free(&options.exceptions);
    return ok;
}

static bool read_option(const char *path, const struct bytes *damaged) {
    struct scene scene;
    char error[600];
    float values[48];
    (void)path;
    scene_init(&scene);
    bool ok = scene_uniform_option(&scene, damaged->data, error, sizeof error);
    scene_size_option(&scene, damaged->data, error, sizeof error);
    scene_texture_option(&scene, damaged->data, error, sizeof error);
    scene_uniform(&scene, "u_m", QPUCC_FLOAT, 3, 3, 2, values);
    scene_free(&scene);
    return ok;
}

#define CASES "tests/tools/conformance_cases/cases.jsonl"

static const struct reader readers[] = {
    {"scene", NULL,
     "{\"about\": \"a text\", \"vertex\": \"a.vert\", \"fragment\": \"a.frag\", \"mesh\": \"sphere\", "
     "\"size\": \"32x24\",\n"
     "\"uniforms\": {\"u_m\": [1, -2.5, 3e2], \"u_x\": 0.5, \"u_b\": 1}, \"clear\": [214, 228, 236, 255]}\n",
     0, 0, read_scene},
    {"fixed-function state", "examples/fixed/bumps.json", NULL, 0, 0, read_fixed},
    {"state key", NULL,
     "{\"fog\": \"linear\", \"blend\": {\"enable\": true, \"rgb_source\": \"src_alpha\"}, \"clip_planes\": "
     "3,\n"
     "\"texture\": [{\"swizzle\": [\"red\", 2]}], \"values\": {\"fog_color\": [1, 0.5, 0], \"chroma_low\": "
     "7}}\n",
     0, 0, read_state},
    {"mesh", "examples/torus.obj", NULL, 0, 0, read_mesh},
    {"picture", "examples/pictures/blur.png", NULL, 0, 0, read_picture},
    {"code as text", NULL,
     "nop; fmul r0, vary, ra15\nfadd r0, r0, r5; mov rb0, 0\nftoi r1, r0\nmax r1, r1, 0\nmin r1, r1, unif\n"
     "add t0s, r1, unif\nnop; nop; ldtmu0\nnop; mov r0.8abcd, rb0; thrend\nnop; mov r0.8d, r4\nnop; mov "
     "tlbc, r0; sbdone\n",
     0, 0, read_code},
    {"code as numbers", NULL, "0x100049e0203e303e,\n0x15827d80100208a7\n0x009e7000100009e7\n", 0, 0,
     read_code},
    /* nop; fmul r0, vary, ra15 and more: signals, small immediates, branches and loads of constants */
    {"code as bytes", NULL,
     "\x3e\x30\x3e\x20\xe0\x49\x00\x10\xa7\x08\x02\x10\x80\x7d\x82\x15"
     "\xe7\x09\x00\x10\x00\x70\x9e\x00\x3e\x30\x9e\xd0\xe0\x49\x00\xd0"
     "\x00\x00\x80\x3f\x27\x08\x02\xe0\xf8\xff\xff\xff\xe7\x09\xf0\xf0"
     "\xe7\x09\x00\x30\x00\x70\x9e\x00\xe7\x09\x00\x10\x00\x70\x9e\x50",
     0, 64, read_code},
    {"case to render", CASES, NULL, 6, 0, read_case},
    {"case of draws", CASES, NULL, 30, 0, read_case},
    {"pairs", NULL,
     "{\"name\": \"shader-db/a__1\", \"vertex\": \"uniform mat4 m; attribute vec4 p;\\nvoid main() { "
     "gl_Position = m * p; "
     "}\", \"fragment\": \"void main() { gl_FragColor = vec4(\\u0031.0); }\"}\n\n{\"name\": \"b\", "
     "\"vertex\": \"\", "
     "\"fragment\": \"\"}\n",
     0, 0, read_pairs},
    {"exceptions", "tests/tools/gl_exceptions.txt", NULL, 0, 0, read_exceptions},
    {"argument", NULL, "u_m=-0.39,0.90,0.85,0.14,-0.23,0.99,1e9,-0.64,0.18", 0, 0, read_option},
    {"short argument", NULL, "u_m=1", 0, 0, read_option},
};

/* --- damage --------------------------------------------------------------------------------------------- */

static void damage(struct bytes *b) {
    static const char favourites[] = "\0\377{}[]\",:0-9e.\n/%x";
    for (uint32_t n = 1 + pick(4); n > 0 && b->size > 0; n--) {
        size_t at = pick(b->size), length = 1 + pick(b->size - at < 40 ? b->size - at : 40);
        switch (pick(6)) {
        case 0: b->data[at] = (char)pick(256); break;
        case 1: b->data[at] = favourites[pick(sizeof favourites)]; break;
        case 2: b->data[at] ^= (char)(1 << pick(8)); break;
        case 3: /* a piece less */
            memmove(b->data + at, b->data + at + length, b->size - at - length);
            b->size -= length;
            break;
        case 4: /* a piece again, over what follows */
            if (at + 2 * length <= b->size)
                memcpy(b->data + at + length, b->data + at, length);
            break;
        default:
            if (pick(4) == 0)
                b->size = at;
            break;
        }
    }
    b->data[b->size] = 0;
}

static bool load(const char *folder, const char *name, struct file_data *file) {
    char path[1000], error[1200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    bool ok = file_read(path, file, error, sizeof error);
    if (!ok)
        fprintf(stderr, "%s\n", error);
    return ok;
}

static bool run(const struct reader *r, const char *seed, size_t size, const char *path, uint64_t first,
                uint64_t count) {
    unsigned taken = 0;
    for (uint64_t k = first; k < first + count; k++) {
        struct bytes b = {malloc(size + 1), size};
        FILE *out = fopen(path, "wb");
        if (!b.data || !out)
            return false;
        memcpy(b.data, seed, size);
        b.data[size] = 0;
        state = k * 0x9e3779b97f4a7c15u + 1;
        if (k > first) /* the first is as it should be */
            damage(&b);
        bool written = fwrite(b.data, 1, b.size, out) == b.size;
        written = fclose(out) == 0 && written;
        bool ok = written && r->read(path, &b);
        taken += ok;
        free(b.data);
        if (!written || (k == first && !ok)) {
            printf("%s: the undamaged one is refused\n", r->name);
            return false;
        }
    }
    printf("%s: %u of %llu taken\n", r->name, taken, (unsigned long long)count);
    return true;
}

int main(int argc, char **argv) {
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1,
             count = argc > 3 ? strtoull(argv[3], NULL, 10) : 400;
    char folder[] = "/tmp/reader_fuzz.XXXXXX", path[64];
    bool ok = argc > 1 && mkdtemp(folder);
    for (size_t k = 0; ok && k < sizeof readers / sizeof *readers; k++) {
        const struct reader *r = &readers[k];
        struct file_data file = {NULL, 0};
        if (!r->seed)
            ok = load(argv[1], r->seed_file, &file);
        const char *seed = r->seed ? r->seed : file.data;
        for (unsigned line = 1; ok && line < r->line; line++)
            seed += strcspn(seed, "\n") + 1;
        size_t size = !ok       ? 0
                      : r->line ? strcspn(seed, "\n")
                      : r->size ? r->size
                      : r->seed ? strlen(seed)
                                : file.size;
        /* a mesh is known by the end of its name */
        snprintf(path, sizeof path, "%s/damaged.%s", folder, r->read == read_mesh ? "obj" : "json");
        ok = ok && run(r, seed, size, path, first, count);
        file_free(&file);
        unlink(path);
    }
    rmdir(folder);
    return !ok;
}
