/* The machine in the page: draws a compiled program's scene in WebAssembly, by the code that `qpucc run` and
 * the service draw with, so that pictures and counters are the same.
 *
 * One instance of the module has one program and one scene. Arguments that are no numbers are written to the
 * buffer of page_buffer first; names and texts end with a NUL. A function that can fail returns false, and
 * page_text says why. In order: program, scene, mesh, textures; then, for each picture, values, uniforms and
 * draw, or inspect.
 *
 * Several instances share a picture: each bins all of it and draws one of `shares` parts of its tiles. */
#include "runtime/jobs.h"
#include "tools/inspect.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name))) name

enum { TILE = 64, MOST_TILES = 2048 / TILE * (2048 / TILE) };

static struct {
    uint8_t *buffer;
    size_t capacity;
    qpucc_program *program;
    struct qpucc_draw_state state;
    struct scene scene;
    struct picture picture;
    uint8_t tiles[MOST_TILES]; /* of the picture, from its bottom left: was anything drawn here? */
    unsigned share, shares;
    struct qpusim_counters counters, shared; /* of all that was done here; of the tiles alone */
    char *text;
    size_t length, text_capacity;
} page;

/* --- text ----------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
    char piece[700];
    va_list list;
    va_start(list, format);
    int size = vsnprintf(piece, sizeof piece, format, list);
    va_end(list);
    size_t length = size < 0 ? 0 : size < (int)sizeof piece ? (size_t)size : sizeof piece - 1;
    if (page.length + length + 1 > page.text_capacity) {
        size_t capacity = 2 * page.text_capacity + sizeof piece;
        char *grown = realloc(page.text, capacity);
        if (!grown)
            return;
        page.text = grown;
        page.text_capacity = capacity;
    }
    memcpy(page.text + page.length, piece, length);
    page.length += length;
    page.text[page.length] = 0;
}

static bool fail(const char *text) {
    page.length = 0;
    say("%s", text);
    return false;
}

/* What the last call said: why it failed, or JSON. */
const char *EXPORT(page_text)(void) {
    return page.text ? page.text : "out of memory";
}

size_t EXPORT(page_text_size)(void) {
    return page.length;
}

/* --- the program and its scene -------------------------------------------------------------------------- */

/* Room for an argument of `size` bytes; valid until the next call. NULL: out of memory. */
void *EXPORT(page_buffer)(size_t size) {
    if (size > page.capacity) {
        free(page.buffer);
        page.buffer = malloc(size);
        page.capacity = page.buffer ? size : 0;
    }
    return page.buffer;
}

/* The buffer's `size` bytes are a container. */
bool EXPORT(page_program)(size_t size) {
    qpucc_program_free(page.program);
    page.program = qpucc_program_load(page.buffer, size);
    if (page.program && qpucc_program_status(page.program) == QPUCC_OK)
        return true;
    return fail(page.program && qpucc_program_diagnostic_count(page.program)
                    ? qpucc_program_diagnostic(page.program, 0)->text
                    : "out of memory");
}

/* A new scene. The buffer has the words of struct qpucc_draw_state, as far as `size` goes. `clear` is packed,
 * red in the low byte; `flags`: 1, front faces are clockwise; 2, depth test; 4, depth write. */
void EXPORT(page_scene)(unsigned width, unsigned height, uint32_t clear, unsigned instances, unsigned cull,
                        unsigned depth_func, unsigned flags, int primitive, size_t size) {
    struct scene *scene = &page.scene;
    scene_free(scene);
    scene_init(scene);
    scene->width = width;
    scene->height = height;
    for (int i = 0; i < 4; i++)
        scene->clear[i] = (uint8_t)(clear >> 8 * i);
    scene->instances = instances;
    scene->primitive = primitive;
    scene->raster = (struct scene_raster){.cull = (uint8_t)cull,
                                          .depth_func = (uint8_t)depth_func,
                                          .clockwise_front = flags & 1,
                                          .depth_test = flags & 2,
                                          .depth_write = flags & 4};
    memset(&page.state, 0, sizeof page.state);
    memcpy(&page.state, page.buffer, size < sizeof page.state ? size : sizeof page.state);
}

/* The buffer has a mesh's name, or a Wavefront file's text. */
bool EXPORT(page_mesh)(bool is_text) {
    char error[300], *copy = strdup((char *)page.buffer);
    *(is_text ? &page.scene.mesh_text : &page.scene.mesh_name) = copy;
    if (!copy)
        return fail("out of memory");
    return scene_prepare(&page.scene, error, sizeof error) || fail(error);
}

static void forget_texture(const char *name) {
    struct scene *scene = &page.scene;
    for (size_t i = scene->texture_count; i-- > 0;) {
        struct scene_texture *texture = &scene->textures[i];
        if (strcmp(texture->name, name))
            continue;
        free(texture->name);
        free(texture->file);
        free(texture->png);
        *texture = scene->textures[--scene->texture_count];
    }
}

/* A picture takes the place of the sampler's last one.
 * The buffer has a sampler's name, sampling words, a comma before each, and a picture as absent.c reads it,
 * in `size` bytes. */
bool EXPORT(page_texture)(size_t size) {
    const char *name = (char *)page.buffer, *words = name + strlen(name) + 1,
               *picture = words + strlen(words) + 1;
    char file[100];
    snprintf(file, sizeof file, "texture%s", words);
    forget_texture(name);
    if (!scene_add_texture(&page.scene, name, strlen(name), file))
        return fail("out of memory");
    struct scene_texture *texture = &page.scene.textures[page.scene.texture_count - 1];
    texture->png = malloc(size);
    if (!texture->png)
        return fail("out of memory");
    memcpy(texture->png, picture, size);
    texture->png_size = size;
    return true;
}

/* All uniforms have their default values again. */
void EXPORT(page_values)(double time) {
    struct scene *scene = &page.scene;
    for (size_t i = 0; i < scene->value_count; i++) {
        free(scene->values[i].name);
        free(scene->values[i].values);
    }
    scene->value_count = 0;
    scene->time = (float)time;
}

/* The buffer has `count` floats, then the uniform's name. */
bool EXPORT(page_uniform)(size_t count) {
    const char *name = (char *)page.buffer + count * sizeof(float);
    float *values = malloc((count ? count : 1) * sizeof *values);
    if (values)
        memcpy(values, page.buffer, count * sizeof *values);
    return scene_set_value(&page.scene, name, strlen(name), values, count) || fail("out of memory");
}

static void check_tell(bool error, const char *text) {
    say("%s%s: %s", page.length ? "\n" : "", error ? "error" : "warning", text);
}

/* Does the scene fit the program? Either way the text has what is to be said, a message a line. */
bool EXPORT(page_check)(void) {
    fail("");
    return scene_check(&page.scene, page.program, check_tell);
}

/* The values of all uniforms, as JSON: [[number, ...], ...] in the interface's order. */
void EXPORT(page_uniforms)(void) {
    fail("[");
    for (size_t i = 0; i < qpucc_program_variable_count(page.program, QPUCC_UNIFORMS); i++) {
        const struct qpucc_variable *u = qpucc_program_variable(page.program, QPUCC_UNIFORMS, i);
        size_t count = (size_t)u->rows * u->cols * u->array_length;
        float *values = malloc((count ? count : 1) * sizeof *values);
        if (values)
            scene_uniform(&page.scene, u->name, u->base, u->rows, u->cols, u->array_length, values);
        say("%s[", i ? "," : "");
        for (size_t k = 0; values && k < count; k++)
            say("%s%.9g", k ? "," : "", (double)values[k]);
        say("]");
        free(values);
    }
    say("]");
}

/* --- drawing -------------------------------------------------------------------------------------------- */

/* Instead of runtime/jobs.c, which needs threads: the jobs of this instance's share, one after another. */
void sim_jobs_run(const struct sim_jobs *jobs) {
    const struct qpusim_counters before = page.counters;
    size_t sums = offsetof(struct qpusim_counters, branches) / sizeof(uint64_t);
    for (unsigned i = page.share; i < jobs->count; i += page.shares) {
        jobs->work(jobs->user, 0, i);
        if (!jobs->take(jobs->user, 0, i))
            break;
    }
    const uint64_t *from = (const uint64_t *)&before, *to = (const uint64_t *)&page.counters;
    for (size_t i = 0; i < sums; i++)
        ((uint64_t *)&page.shared)[i] += to[i] - from[i];
}

/* What a tile shows beside the clear colour somebody has drawn. */
static void find_tiles(void) {
    const struct picture *p = &page.picture;
    unsigned columns = (p->width + TILE - 1) / TILE;
    memset(page.tiles, 0, sizeof page.tiles);
    for (unsigned y = 0; y < p->height; y++)
        for (unsigned x = 0; x < p->width; x++)
            if (memcmp(p->pixels + 4 * ((size_t)y * p->width + x), page.scene.clear, 4))
                page.tiles[y / TILE * columns + x / TILE] = 1;
}

static struct render_options begin(unsigned share, unsigned shares) {
    page.share = share;
    page.shares = shares;
    memset(&page.counters, 0, sizeof page.counters);
    memset(&page.shared, 0, sizeof page.shared);
    return (struct render_options){.values = page.state};
}

/* Draws the tiles of a share; 0 of 1 is all. What is beside the tiles counts in share 0 alone, so that the
 * counters of all shares add up to the draw's. */
bool EXPORT(page_draw)(unsigned share, unsigned shares) {
    char error[600] = "";
    struct render_options options = begin(share, shares);
    picture_free(&page.picture);
    if (!render_scene(&page.scene, page.program, &options, &page.picture, &page.counters, error,
                      sizeof error))
        return fail(error);
    find_tiles();
    return true;
}

/* RGBA, the bottom row first. */
const uint8_t *EXPORT(page_pixels)(void) {
    return page.picture.pixels;
}

const uint8_t *EXPORT(page_tiles)(void) {
    return page.tiles;
}

/* All members of struct qpusim_counters but the last, in their order. */
const uint64_t *EXPORT(page_counters)(void) {
    return (const uint64_t *)(page.share ? &page.shared : &page.counters);
}

/* --- inspection ----------------------------------------------------------------------------------------- */

static void say_step(const struct inspect_step *step, bool first) {
    say("%s{\"instruction\":%u,\"cycle\":%llu,\"writes\":[", first ? "" : ",", (unsigned)step->instruction,
        (unsigned long long)step->cycle);
    for (unsigned w = 0; w < step->write_count; w++)
        say("%s[\"%s\",%d,%u]", w ? "," : "", step->write[w].target, step->write[w].written,
            (unsigned)step->write[w].value);
    say("]}");
}

static void say_fate(const struct inspect_run *run) {
    const uint8_t *b = run->before, *a = run->after;
    say("\"draw\":%u,\"fate\":\"%s\",\"before\":[%d,%d,%d,%d],\"after\":[%d,%d,%d,%d],\"depth\":[%u,%u],",
        run->draw, inspect_fate_name(run->fate), b[0], b[1], b[2], b[3], a[0], a[1], a[2], a[3],
        run->depth_before, run->depth_tested);
}

/* The steps of a pixel, or, with another stage than the fragment's, of vertex `x`, as JSON: what
 * docs/schemas/qpucc-inspect-1.json has that no explanation knows; a write is [target, written, value]. */
bool EXPORT(page_inspect)(unsigned stage, unsigned x, unsigned y) {
    struct inspect_target target = {.stage = (enum qpucc_stage)stage, .x = x, .y = y, .vertex = x};
    struct inspection found;
    struct render_options options = begin(0, 1);
    char error[600];
    bool ok = inspect_scene(&page.scene, page.program, NULL, &options, &target, &found, error, sizeof error);
    if (ok) {
        fail("");
        say("{\"truncated\":%s,\"failed\":%s,\"color\":[%d,%d,%d,%d],\"runs\":[",
            found.truncated ? "true" : "false", found.failed ? "true" : "false", found.color[0],
            found.color[1], found.color[2], found.color[3]);
        for (size_t i = 0; i < found.count; i++) {
            say("%s{\"lane\":%u,\"covered\":%s,", i ? "," : "", found.run[i].lane,
                found.run[i].covered ? "true" : "false");
            if (target.stage == QPUCC_FRAGMENT)
                say_fate(&found.run[i]);
            say("\"steps\":[");
            for (size_t k = 0; k < found.run[i].count; k++)
                say_step(&found.run[i].step[k], !k);
            say("]}");
        }
        say("]}");
    }
    inspect_free(&found);
    return ok || fail(error);
}
