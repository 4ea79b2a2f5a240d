/* How fast the machine runs: QPU instructions per second on one core, for four kinds of fragment program;
 * pixels per second of a textured draw, whose program is so short that the fixed-function part of the machine
 * counts, not instructions; and how long a frame takes, with one thread and with two. All of it in strict
 * mode. Usage: sim_speed [seconds per row] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <qpucc/qpusim.h>

#include "backend/isa/isa.h"

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* All threads' CPU time. */
static double now(void) {
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

static uint32_t bits_of(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static struct qpusim_program *assemble(const char *text, enum qpusim_stage stage) {
    struct qpu_asm_result a = qpu_assemble(text, strlen(text));
    if (!a.code) {
        fprintf(stderr, "line %u: %s\n", a.line, a.error);
        exit(1);
    }
    struct qpusim_program *p = qpusim_program_new(a.code, a.count, stage, false);
    free(a.code);
    return p;
}

/* `body` 100 times in a loop of 200 iterations, on one batch. */
static void rate(const char *name, const char *body, double seconds) {
    size_t size = strlen(body) * 100 + 1000;
    char *text = malloc(size);
    strcpy(
        text,
        "movi ra20, 0xc8\nmov r0, 1.0\nmov r1, 0.5\nmov r2, 0.25\nmov r3, 2.0\nmov ra1, 1.0\nmov rb1, 0.5\n"
        "mov ra2, 0.5\nmov rb2, 0.5\nmov recip, r0\nnop\nnop\nL12:\n");
    for (unsigned i = 0; i < 100; i++)
        strcat(text, body);
    strcat(text, "nop\nsub.setf ra20, ra20, 1\nbrr.allnz L12\nnop\nnop\nnop\nnop; nop; thrend\nnop\nnop\n");
    struct qpusim_program *p = assemble(text, QPUSIM_FRAGMENT);
    free(text);
    static struct qpusim_fragments f = {.live = 0xffff, .coverage = 0xffff};
    static struct qpusim_result result;
    struct qpusim_run_info run = {.program = p, .fragments = &f};
    uint64_t instructions = 0;
    double start = now(), end;
    do {
        struct qpusim_error error;
        if (qpusim_run(&run, NULL, &result, &error) != QPUSIM_OK) {
            fprintf(stderr, "%s: instruction %u: %s\n", name, error.instruction, error.text);
            exit(1);
        }
        instructions += result.instructions;
    } while ((end = now()) - start < seconds);
    printf("%-28s %8.1f million QPU instructions/s\n", name, (double)instructions / (end - start) / 1e6);
    qpusim_program_free(p);
}

static void draw_rate(double seconds) {
    enum { SIZE = 512 };
    const char *position =
        "movi vr_setup, 0x%x\nmovi vw_setup, 0x1a00\nmov ra0, vpm\nmov ra1, vpm\n%s"
        "mov r0, ra0\nfmul r0, r0, unif\nftoi ra2.16a, r0\nmov r1, ra1\nfmul r1, r1, unif\n"
        "ftoi ra2.16b, r1\n%snop\nmov vpm, ra2\nmov vpm, 0.5\nmov vpm, 1.0\n%s"
        "nop; nop; thrend\nnop\nnop\n";
    char text[1024];
    snprintf(text, sizeof text, position, 0x401a00, "mov ra3, vpm\nmov ra4, vpm\n", "",
             "mov vpm, ra3\nmov vpm, ra4\n");
    struct qpusim_program *vs = assemble(text, QPUSIM_VERTEX);
    snprintf(text, sizeof text, position, 0x201a00, "nop\n",
             "mov vpm, ra0\nmov vpm, ra1\nmov vpm, 0\nmov vpm, 1.0\n", "");
    struct qpusim_program *cs = assemble(text, QPUSIM_COORDINATE);
    struct qpusim_program *fs =
        assemble("nop; fmul r0, vary, ra15\nfadd r0, r0, r5; fmul r1, vary, ra15\nfadd t0t, r1, r5\n"
                 "mov t0s, r0\nnop; nop; ldtmu0\nmov tlbc, r4\nnop; nop; thrend\nnop\n"
                 "nop; nop; sbdone\n",
                 QPUSIM_FRAGMENT);
    struct qpusim_memory *memory = qpusim_memory_new(4 << 20);
    uint32_t *pixels = malloc(SIZE * SIZE * 4);
    for (unsigned i = 0; i < SIZE * SIZE; i++)
        pixels[i] = i * 2654435761u;
    struct qpusim_image image = {pixels, SIZE, SIZE};
    struct qpusim_texture_info info = {
        .levels = &image, .level_count = 1, .generate_mipmaps = true, .min = QPUSIM_MIN_LINEAR_MIP_NEAREST};
    struct qpusim_texture texture;
    if (qpusim_upload_texture(memory, &info, &texture) != QPUSIM_OK)
        exit(1);
    free(pixels);
    const float vertices[4][4] = {{-1, -1, 0, 0}, {1, -1, 1, 0}, {-1, 1, 0, 1}, {1, 1, 1, 1}};
    struct qpusim_attribute attributes[2] = {{.data = vertices, .components = 2, .stride = 16},
                                             {.data = &vertices[0][2], .components = 2, .stride = 16}};
    uint32_t scale[2] = {bits_of(SIZE / 2 * 16), bits_of(SIZE / 2 * 16)}, words[2] = {texture.p0, texture.p1};
    struct qpusim_counters counters = {0};
    struct qpusim_options options = {.counters = &counters};
    struct qpusim_draw_info draw = {.fragment = {fs, {words, 2, 0}},
                                    .vertex = {vs, {scale, 2, 0}},
                                    .coordinate = {cs, {scale, 2, 0}},
                                    .attributes = attributes,
                                    .attribute_count = 2,
                                    .coordinate_attributes = 1,
                                    .varying_count = 2,
                                    .mode = QPUSIM_TRIANGLE_STRIP,
                                    .count = 4,
                                    .memory = memory};
    struct qpusim_target *target = qpusim_target_new(SIZE, SIZE);
    struct qpusim_error error;
    double start = now(), end;
    do {
        if (qpusim_draw(target, &draw, &options, &error) != QPUSIM_OK) {
            fprintf(stderr, "draw: stage %d instruction %u: %s\n", error.stage, error.instruction,
                    error.text);
            exit(1);
        }
    } while ((end = now()) - start < seconds);
    double batches = (double)counters.stage_batches[QPUSIM_FRAGMENT];
    printf("%-28s %8.1f million pixels/s: %.0f ns for 16 pixels, a lookup and %.0f instructions\n",
           "textured draw", (double)counters.pixels / (end - start) / 1e6, (end - start) / batches * 1e9,
           (double)counters.stage_instructions[QPUSIM_FRAGMENT] / batches);
    qpusim_target_free(target);
    qpusim_memory_free(memory);
    qpusim_program_free(fs);
    qpusim_program_free(vs);
    qpusim_program_free(cs);
}

/* A frame of 1280x720 pixels, textured and lit, drawn by one thread and by two. Where other work keeps the
 * host's cores busy, the calling thread's share of the CPU time says how well the tiles are divided. */
static void frame(void) {
    enum { WIDTH = 1280, HEIGHT = 720, SIZE = 512 };
    const char *position = "movi vr_setup, 0x%x\nmovi vw_setup, 0x1a00\nmov ra0, vpm\nmov ra1, vpm\n%s"
                           "mov r0, ra0\nfmul r0, r0, unif\nftoi ra2.16a, r0\nmov r1, ra1\n"
                           "fmul r1, r1, unif\nftoi ra2.16b, r1\n%snop\nmov vpm, ra2\nmov vpm, 0.5\n"
                           "mov vpm, 1.0\n%snop; nop; thrend\nnop\nnop\n";
    char text[1024];
    snprintf(text, sizeof text, position, 0x701a00,
             "mov ra3, vpm\nmov ra4, vpm\nmov ra5, vpm\nmov ra6, vpm\nmov ra7, vpm\n", "",
             "mov vpm, ra3\nmov vpm, ra4\nmov vpm, ra5\nmov vpm, ra6\nmov vpm, ra7\n");
    struct qpusim_program *vs = assemble(text, QPUSIM_VERTEX);
    snprintf(text, sizeof text, position, 0x201a00, "nop\n",
             "mov vpm, ra0\nmov vpm, ra1\nmov vpm, 0\nmov vpm, 1.0\n", "");
    struct qpusim_program *cs = assemble(text, QPUSIM_COORDINATE);
    struct qpusim_program *fs = assemble(
        "nop; fmul r0, vary, ra15\nfadd ra0, r0, r5; fmul r1, vary, ra15\nfadd ra1, r1, r5; fmul r0, vary, "
        "ra15\n"
        "fadd ra2, r0, r5; fmul r1, vary, ra15\nfadd ra3, r1, r5; fmul r0, vary, ra15\nfadd ra4, r0, r5\n"
        "mov t0t, ra1\nmov t0s, ra0\nnop; fmul r0, ra2, ra2\nnop; fmul r1, ra3, ra3\n"
        "fadd r0, r0, r1; fmul r1, ra4, ra4\nfadd r0, r0, r1\nmov rsqrt, r0\nnop; fmul r0, ra2, unif\n"
        "nop; fmul r1, ra3, unif\nfadd r0, r0, r1; fmul r1, ra4, unif\nfadd r0, r0, r1\nnop; fmul r0, r0, "
        "r4\n"
        "fmax r0, r0, 0\nfadd r0, r0, 0.25\nnop; mov r1.8abcd, r0\nnop; nop; ldtmu0\n"
        "nop; v8muld r0, r4, r1\nmov tlbz, rb15\nmov tlbc, r0\nnop; nop; thrend\nnop\nnop; nop; sbdone\n",
        QPUSIM_FRAGMENT);
    struct qpusim_memory *memory = qpusim_memory_new(4 << 20);
    uint32_t *pixels = malloc(SIZE * SIZE * 4);
    for (unsigned i = 0; i < SIZE * SIZE; i++)
        pixels[i] = i * 2654435761u;
    struct qpusim_image image = {pixels, SIZE, SIZE};
    struct qpusim_texture_info info = {
        .levels = &image, .level_count = 1, .generate_mipmaps = true, .min = QPUSIM_MIN_LINEAR_MIP_LINEAR};
    struct qpusim_texture texture;
    if (qpusim_upload_texture(memory, &info, &texture) != QPUSIM_OK)
        exit(1);
    free(pixels);
    const float vertices[4][7] = {
        {-1, -1, 0, 0, -1, -1, 1}, {1, -1, 3, 0, 1, -1, 1}, {-1, 1, 0, 2, -1, 1, 1}, {1, 1, 3, 2, 1, 1, 1}};
    struct qpusim_attribute attributes[2] = {{.data = vertices, .components = 2, .stride = 28},
                                             {.data = &vertices[0][2], .components = 5, .stride = 28}};
    uint32_t scale[2] = {bits_of(WIDTH / 2 * 16), bits_of(HEIGHT / 2 * 16)};
    uint32_t words[5] = {texture.p0, texture.p1, bits_of(0.6f), bits_of(0.5f), bits_of(0.6f)};
    struct qpusim_counters counters = {0};
    struct qpusim_draw_info draw = {.fragment = {fs, {words, 5, 0}},
                                    .vertex = {vs, {scale, 2, 0}},
                                    .coordinate = {cs, {scale, 2, 0}},
                                    .attributes = attributes,
                                    .attribute_count = 2,
                                    .coordinate_attributes = 1,
                                    .varying_count = 5,
                                    .mode = QPUSIM_TRIANGLE_STRIP,
                                    .count = 4,
                                    .depth_test = true,
                                    .depth_write = true,
                                    .depth_func = QPUSIM_FUNC_LEQUAL,
                                    .memory = memory};
    struct qpusim_target *target = qpusim_target_new(WIDTH, HEIGHT);
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct qpusim_options options = {.counters = &counters, .threads = threads};
        struct qpusim_error error;
        double start = now(), own = seconds_of(CLOCK_THREAD_CPUTIME_ID), from = seconds_of(CLOCK_MONOTONIC);
        if (qpusim_draw(target, &draw, &options, &error) != QPUSIM_OK) {
            fprintf(stderr, "frame: stage %d instruction %u: %s\n", error.stage, error.instruction,
                    error.text);
            exit(1);
        }
        double end = seconds_of(CLOCK_MONOTONIC), total = now() - start;
        printf("1280x720, %u thread%-13s %8.3f s, %.3f s of CPU time, %.0f%% of it the caller's\n", threads,
               threads > 1 ? "s" : "", end - from, total,
               (seconds_of(CLOCK_THREAD_CPUTIME_ID) - own) / total * 100);
    }
    qpusim_target_free(target);
    qpusim_memory_free(memory);
    qpusim_program_free(fs);
    qpusim_program_free(vs);
    qpusim_program_free(cs);
}

int main(int argc, char **argv) {
    double seconds = argc > 1 ? atof(argv[1]) : 1;
    rate("fadd and fmul", "fadd r0, ra1, r1; fmul r1, rb1, r2\nfadd r2, r0, r3; fmul r3, r1, ra2\n", seconds);
    rate("integer", "add r0, r0, r1; mov r1, r2\nshl r2, r0, r3; mov ra3, r1\nxor r3, r3, r2\n", seconds);
    rate("flags and conditions", "fsub.setf nop, r0, r1\nmov.ns ra3, r2; mov.nc rb3, r1\nfmax r0, ra1, rb1\n",
         seconds);
    rate("mixed, colour packs",
         "fmul r0, r1, ra1\nfadd r1, r0, r2; mov ra4, r3\nfmax r2, r1, 0\nnop; mov r3.8a, r2\nnop; mov "
         "r3.8b, r1\n"
         "fmul r1, ra2, rb2\nfmul r2, ra1.8a, r1\n",
         seconds);
    draw_rate(seconds);
    frame();
    return 0;
}
