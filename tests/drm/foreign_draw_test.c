/* Programs that other compilers made, as real draws: records built for them, attributes fetched, tiles binned
 * and rendered. The words of their streams and the vertices are arbitrary, and so is the picture; every draw
 * must end without an error, in lenient mode where the code does what strict mode refuses. */
#include "tests/runtime/foreign.h"

#include <qpucc/lists.h>

#include <stdlib.h>
#include <string.h>

enum {
    CODE = 0x20000000,
    STREAMS = 0x30000000,
    VERTICES = 0x40000000,
    LISTS = 0x50000000,
    TILES = 0x60000000
};
enum {
    TARGET = 0x70000000,
    STEP = 0x100000,
    SIZE = 128,
    COUNT = 9,
    TILES_BYTES = 1 << 20,
    FIRST_VERTEX_WORDS = 3
};

struct triple {
    char name[128], compiler[64];
    struct foreign_program *stage[3]; /* by enum qpusim_stage */
};

static struct triple *find(struct triple *all, size_t *count, const struct foreign_program *p) {
    for (size_t n = 0; n < *count; n++) {
        if (!strcmp(all[n].name, p->name) && !strcmp(all[n].compiler, p->compiler)) {
            return &all[n];
        }
    }
    struct triple *t = &all[(*count)++];
    memset(t, 0, sizeof *t);
    memcpy(t->name, p->name, sizeof t->name);
    memcpy(t->compiler, p->compiler, sizeof t->compiler);
    return t;
}

static bool add(struct qpusim_memory *memory, uint32_t address, const void *bytes, size_t size,
                size_t capacity) {
    if (qpusim_memory_add(memory, address, capacity, NULL, "test") != QPUSIM_OK) {
        return false;
    }
    if (size > 0) {
        memcpy(qpusim_memory_map(memory, address, size), bytes, size);
    }
    return true;
}

/* Code and stream of a stage. A word that is to hold the stream's own address gets it. */
static bool add_stage(struct qpusim_memory *memory, struct synthetic *s, const struct foreign_program *p,
                      const struct foreign_needs *needs) {
    static uint32_t words[FOREIGN_MAX_UNIFORMS];
    uint32_t stream = STREAMS + (uint32_t)p->stage * STEP;
    size_t count = synthetic_stream(s, p, needs, words);
    for (size_t n = 0; n < count; n++) {
        if (words[n] == QPUSIM_STREAM_ADDRESS) {
            words[n] = stream;
        }
    }
    return add(memory, CODE + (uint32_t)p->stage * STEP, p->code, p->count * 8, p->count * 8) &&
           add(memory, stream, words, count * 4, count * 4 + 64);
}

/* The record's attributes: what both shaders take, then what the vertex shader takes alone. */
static void put_record(struct qpusim_list *list, const struct foreign_needs needs[3]) {
    unsigned both = needs[QPUSIM_COORDINATE].rows_in, all = needs[QPUSIM_VERTEX].rows_in;
    unsigned rest = all > both ? all - both : 0;
    struct qpusim_cl_gl_shader_record record = {.single_threaded = !needs[QPUSIM_FRAGMENT].threaded,
                                                .clipping = true,
                                                .varyings = needs[QPUSIM_FRAGMENT].varyings,
                                                .fragment_code = CODE,
                                                .fragment_uniforms = STREAMS,
                                                .vertex_attributes = rest ? 3 : 1,
                                                .vertex_size = 4 * all & 255,
                                                .vertex_code = CODE + STEP,
                                                .vertex_uniforms = STREAMS + STEP,
                                                .coordinate_attributes = 1,
                                                .coordinate_size = 4 * both & 255,
                                                .coordinate_code = CODE + 2 * STEP,
                                                .coordinate_uniforms = STREAMS + 2 * STEP};
    qpusim_put_gl_shader_record(list, &record);
    qpusim_put_attribute_record(list, &(struct qpusim_cl_attribute_record){
                                          .address = VERTICES, .bytes = 4 * both, .stride = 4 * both});
    if (rest) {
        qpusim_put_attribute_record(list, &(struct qpusim_cl_attribute_record){.address = VERTICES + STEP,
                                                                               .bytes = 4 * rest,
                                                                               .stride = 4 * rest,
                                                                               .vertex_offset = 4 * both});
    }
}

static void put_bin_list(struct qpusim_list *list, uint32_t record, bool rest) {
    qpusim_put_binning_mode(list, &(struct qpusim_cl_binning_mode){.allocation = TILES + 4096,
                                                                   .allocation_size = TILES_BYTES - 4096,
                                                                   .tile_state = TILES,
                                                                   .width = SIZE / 64,
                                                                   .height = SIZE / 64,
                                                                   .initialise = true,
                                                                   .block = 2});
    qpusim_put_start_tile_binning(list);
    qpusim_put_clip_window(list, &(struct qpusim_cl_clip_window){0, 0, SIZE, SIZE});
    qpusim_put_viewport_offset(list, &(struct qpusim_cl_viewport_offset){SIZE * 8, SIZE * 8});
    qpusim_put_clipper_xy_scaling(list, &(struct qpusim_cl_clipper_xy_scaling){SIZE * 8, SIZE * 8});
    qpusim_put_clipper_z_scaling(list, &(struct qpusim_cl_clipper_z_scaling){0.5f, 0.5f});
    qpusim_put_configuration_bits(list, &(struct qpusim_cl_configuration_bits){
                                            .front_facing = true, .reverse_facing = true, .depth_func = 7});
    qpusim_put_gl_shader_state(
        list, &(struct qpusim_cl_gl_shader_state){.attribute_count = rest ? 2 : 1, .address = record});
    qpusim_put_array_primitives(list, &(struct qpusim_cl_array_primitives){.mode = 4, .count = COUNT});
    qpusim_put_flush(list);
}

static void put_render_list(struct qpusim_list *list) {
    qpusim_put_rendering_mode(list,
                              &(struct qpusim_cl_rendering_mode){
                                  .address = TARGET, .width = SIZE, .height = SIZE, .pixel = 1, .format = 1});
    qpusim_put_clear_colors(list, &(struct qpusim_cl_clear_colors){.z = 0xffffff});
    for (unsigned tile = 0; tile < 4; tile++) {
        qpusim_put_tile_coordinates(list, &(struct qpusim_cl_tile_coordinates){tile & 1, tile >> 1});
        qpusim_put_branch_to_sub_list(list, &(struct qpusim_cl_branch_to_sub_list){TILES + 4096 + 32 * tile});
        if (tile < 3) {
            qpusim_put_store_resolved(list);
        } else {
            qpusim_put_store_resolved_last(list);
        }
    }
}

static bool draw(const struct triple *t, const struct foreign_needs needs[3], bool lenient, uint64_t *pixels,
                 struct qpusim_error *error) {
    struct synthetic s = {.state = 1, .low = 0.1f, .high = 1};
    struct qpusim_counters counters = {0};
    struct qpusim_options options = {.lenient = lenient, .counters = &counters};
    struct qpusim_memory *memory = qpusim_memory_new(1 << 20);
    struct qpusim_list lists[3] = {{0}};
    static float vertices[2][COUNT * 64];
    bool fine = memory && synthetic_texture(&s, memory, QPUSIM_MIN_LINEAR_MIP_NEAREST);
    for (unsigned stage = 0; stage < 3; stage++) {
        fine = fine && add_stage(memory, &s, t->stage[stage], &needs[stage]);
    }
    for (unsigned n = 0; n < 2; n++) {
        for (unsigned i = 0; i < COUNT * 64; i++) {
            vertices[n][i] = synthetic_float(&s) * 2 - 1;
        }
        fine = fine && add(memory, VERTICES + n * STEP, vertices[n], sizeof vertices[n], sizeof vertices[n]);
    }
    put_record(&lists[0], needs);
    put_bin_list(&lists[1], LISTS, needs[QPUSIM_VERTEX].rows_in > needs[QPUSIM_COORDINATE].rows_in);
    put_render_list(&lists[2]);
    for (unsigned n = 0; n < 3; n++) {
        fine = fine && add(memory, LISTS + n * STEP, lists[n].bytes, lists[n].size, lists[n].size);
    }
    fine = fine && add(memory, TILES, NULL, 0, TILES_BYTES) && add(memory, TARGET, NULL, 0, SIZE * SIZE * 4);
    struct qpusim_block *block = fine ? qpusim_block_new(memory) : NULL;
    enum qpusim_status status = QPUSIM_NO_MEMORY;
    if (block) {
        uint32_t bin = LISTS + STEP, render = LISTS + 2 * STEP;
        status = qpusim_run_lists(block, bin, bin + (uint32_t)lists[1].size, render,
                                  render + (uint32_t)lists[2].size, &options, error);
    }
    *pixels = counters.pixels;
    qpusim_block_free(block);
    qpusim_memory_free(memory);
    for (unsigned n = 0; n < 3; n++) {
        qpusim_list_free(&lists[n]);
    }
    return status == QPUSIM_OK;
}

int main(void) {
    const char *shared = getenv("QPUCC_SHARED");
    char path[2048];
    snprintf(path, sizeof path, "%s/corpus/foreign-code.jsonl", shared ? shared : "");
    FILE *file = shared && *shared ? fopen(path, "r") : NULL;
    if (!file) {
        fprintf(stderr, "QPUCC_SHARED is not set: skipped\n");
        return 77;
    }
    struct triple *all = calloc(2000, sizeof *all);
    struct foreign_program *p = malloc(sizeof *p);
    size_t count = 0;
    while (all && p && count < 2000 && foreign_next(file, p)) {
        struct triple *t = find(all, &count, p);
        if (!t->stage[p->stage]) {
            t->stage[p->stage] = p;
            p = malloc(sizeof *p);
        }
    }
    fclose(file);
    free(p);
    unsigned drawn = 0, lenient = 0, failed = 0, visible = 0;
    for (size_t n = 0; n < count; n++) {
        const struct triple *t = &all[n];
        static struct foreign_needs needs[3];
        struct qpusim_error error = {0};
        uint64_t pixels = 0;
        bool whole = t->stage[0] && t->stage[1] && t->stage[2];
        for (unsigned stage = 0; whole && stage < 3; stage++) {
            foreign_scan(t->stage[stage]->code, t->stage[stage]->count, &needs[stage]);
        }
        /* What the vertex shader writes is what the fragment shader reads. */
        if (!whole || needs[QPUSIM_VERTEX].outputs != FIRST_VERTEX_WORDS + needs[QPUSIM_FRAGMENT].varyings ||
            needs[QPUSIM_COORDINATE].rows_in > needs[QPUSIM_VERTEX].rows_in) {
            continue;
        }
        drawn++;
        if (!draw(t, needs, false, &pixels, &error)) {
            struct qpusim_error first = error;
            lenient++;
            if (!draw(t, needs, true, &pixels, &error)) {
                printf("%s (%s): %s; strict: %s\n", t->name, t->compiler, error.text, first.text);
                failed++;
            }
        }
        visible += pixels > 0;
    }
    printf("%u draws, %u of them lenient, %u with pixels, %u fail\n", drawn, lenient, visible, failed);
    for (size_t n = 0; n < count; n++) {
        for (unsigned stage = 0; stage < 3; stage++) {
            free(all[n].stage[stage]);
        }
    }
    free(all);
    return failed || drawn < 20 || visible < drawn / 4;
}
