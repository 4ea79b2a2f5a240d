/* Cycles of fragment shaders, ours and other compilers', on one machine and one model (runtime/cycles.c).
 *
 *     bench_cycles dev-pairs.jsonl foreign-code.jsonl [--only PREFIX] >cycles.tsv
 *
 * Every foreign fragment program whose name is a pair of the corpus runs, and so does what qpucc makes of that pair:
 * DRAWS sets of synthetic uniforms, BATCHES batches of sixteen pixels each, one after the other as a QPU gets them: a
 * two-threaded program has two under way, a new one begins where one ends. The figure is slots for a batch over all of
 * them. Programs without branches take the same time whatever the numbers are; where there are branches the numbers of
 * ours and theirs are of one distribution, not the same. Integers are 5: loops that count to a uniform turn five times.
 *
 * Three columns, for how far a texture's answer is: 9 slots, the guide's best case; 20, with what comes from outside
 * of the cache now and then, as the scheduler assumes; the same with each TMU shared by two QPUs. */
#include "backend/isa/isa.h"
#include "runtime/machine.h"
#include "tests/runtime/foreign.h"

#include <jansson.h>
#include <qpucc/qpucc.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 4, BATCHES = 32, MODELS = 3, LOOP_TURNS = 5 };

static const struct {
    unsigned latency, sharers;
} models[MODELS] = {{QPU_LAT_TMU, 1}, {20, 1}, {20, 2}};

struct bench {
    struct qpusim_memory *memory;
    struct synthetic inputs;
    struct sim_thread *thread[2];
};

struct figures {
    double cycles[MODELS];
    double executed; /* instructions for a batch */
    unsigned threads;
    size_t instructions;
    bool branches;
};

/* --- running -------------------------------------------------------------------------------------------- */

struct draw {
    const struct qpusim_program *program;
    struct qpusim_stream stream;
    unsigned varyings;
    struct qpusim_fragments batch[BATCHES];
};

/* Runs all batches of a draw; false with the error. */
static bool run_draw(struct bench *b, const struct draw *d, struct sim_clock *clock, uint64_t *executed,
                     struct qpusim_error *error) {
    static const struct qpusim_options options = {.budget = 200000};
    struct qpusim_counters counters = {0};
    struct sim_shared shared = {0};
    unsigned next = 0, slots = d->program->threaded ? 2 : 1, turn = 0;
    bool active[2] = {false, false};
    for (;;) {
        for (unsigned i = 0; i < slots; i++) {
            if (active[i] || next == BATCHES)
                continue;
            sim_thread_init(b->thread[i], d->program, &options, error, &shared, clock, &counters);
            b->thread[i]->number = i;
            sim_thread_set_uniforms(b->thread[i], &d->stream, b->memory);
            sim_thread_set_fragments(b->thread[i], &d->batch[next++]);
            active[i] = true;
        }
        if (!active[0] && !active[1])
            return true;
        if (!active[turn])
            turn ^= 1;
        enum sim_stop stop = sim_thread_run(b->thread[turn]);
        if (stop == SIM_STOP_END && sim_thread_finish(b->thread[turn], 0, false) != SIM_STOP_END)
            stop = SIM_STOP_ERROR;
        if (stop == SIM_STOP_ERROR)
            return false;
        if (stop == SIM_STOP_END) {
            active[turn] = false;
            *executed += b->thread[turn]->executed;
        }
        turn = slots == 2 ? turn ^ 1 : 0;
    }
}

/* Fills the stream of draw `number`; returns its words. */
typedef size_t stream_fn(struct bench *b, const void *user, const struct foreign_needs *needs,
                         uint32_t words[FOREIGN_MAX_UNIFORMS]);

static bool measure(struct bench *b, const uint64_t *code, size_t count, stream_fn *stream, const void *user,
                    struct figures *f, struct qpusim_error *error) {
    static struct foreign_needs needs;
    static uint32_t words[FOREIGN_MAX_UNIFORMS];
    static struct draw draw;
    uint64_t executed = 0;
    foreign_scan(code, count, &needs);
    *f = (struct figures){.threads = needs.threaded ? 2 : 1, .instructions = count, .branches = needs.branches};
    struct qpusim_program *program = qpusim_program_new(code, count, QPUSIM_FRAGMENT, needs.threaded);
    bool ok = program != NULL;
    for (uint32_t seed = 1; ok && seed <= DRAWS; seed++) {
        b->inputs.state = seed;
        draw.program = program;
        draw.stream = (struct qpusim_stream){words, stream(b, user, &needs, words), 0};
        for (unsigned i = 0; i < BATCHES; i++)
            synthetic_fragments(&b->inputs, needs.varyings, &draw.batch[i]);
        for (unsigned m = 0; ok && m < MODELS; m++) {
            struct sim_clock clock = {.tmu_latency = models[m].latency, .tmu_sharers = models[m].sharers};
            memset(error, 0, sizeof *error);
            ok = run_draw(b, &draw, &clock, &executed, error);
            f->cycles[m] += (double)clock.now / (DRAWS * BATCHES);
        }
    }
    f->executed = (double)executed / (DRAWS * BATCHES * MODELS);
    qpusim_program_free(program);
    return ok;
}

/* --- ours ----------------------------------------------------------------------------------------------- */

static size_t our_stream(struct bench *b, const void *user, const struct foreign_needs *needs,
                         uint32_t words[FOREIGN_MAX_UNIFORMS]) {
    const qpucc_program *program = user;
    size_t count = qpucc_program_uniform_words(program), size = qpucc_uniforms_size(program, QPUCC_FRAGMENT);
    static uint32_t uniforms[FOREIGN_MAX_UNIFORMS], textures[QPUCC_MAX_TEXTURES][4];
    (void)needs;
    for (size_t i = 0; i < count; i++)
        uniforms[i] = synthetic_bits(synthetic_float(&b->inputs));
    for (size_t i = 0; i < qpucc_program_variable_count(program, QPUCC_UNIFORMS); i++) {
        const struct qpucc_variable *v = qpucc_program_variable(program, QPUCC_UNIFORMS, i);
        for (unsigned k = 0; v->base != QPUCC_FLOAT && k < v->rows * v->cols * v->array_length; k++)
            uniforms[v->word + k] = v->base == QPUCC_BOOL ? synthetic_integer(&b->inputs) & 1
                                                          : synthetic_integer(&b->inputs);
    }
    for (unsigned i = 0; i < QPUCC_MAX_TEXTURES; i++) {
        textures[i][0] = b->inputs.texture.p0;
        textures[i][1] = b->inputs.texture.p1;
        textures[i][2] = QPUSIM_P2_BSLOD;
    }
    struct qpucc_draw_values values = {.uniforms = uniforms,
                                       .textures = (const uint32_t(*)[4])textures,
                                       .viewport_width = 640,
                                       .viewport_height = 480,
                                       .depth_far = 1,
                                       .framebuffer_height = 480,
                                       .stream_address = QPUSIM_STREAM_ADDRESS};
    values.uniform_address = qpusim_memory_alloc(b->memory, 4 * count + 4, 16);
    if (!values.uniform_address || size > FOREIGN_MAX_UNIFORMS)
        return 0;
    memcpy(qpusim_memory_map(b->memory, values.uniform_address, 4 * count), uniforms, 4 * count);
    qpucc_uniforms_fill(program, QPUCC_FRAGMENT, &values, words);
    return size;
}

static size_t their_stream(struct bench *b, const void *user, const struct foreign_needs *needs,
                           uint32_t words[FOREIGN_MAX_UNIFORMS]) {
    return synthetic_stream(&b->inputs, user, needs, words);
}

static void print(const char *name, const char *compiler, const struct figures *f) {
    printf("%s\t%s\t%u\t%zu\t%.1f\t%d", name, compiler, f->threads, f->instructions, f->executed, f->branches);
    for (unsigned m = 0; m < MODELS; m++)
        printf("\t%.1f", f->cycles[m]);
    putchar('\n');
}

static bool run_ours(struct bench *b, const char *name, json_t *pair, struct figures *f,
                     struct qpusim_error *error) {
    json_t *vertex = json_object_get(pair, "vertex"), *fragment = json_object_get(pair, "fragment");
    struct qpucc_source sources[2] = {
        {name, json_string_value(vertex), json_string_length(vertex), QPUCC_VERTEX, QPUCC_GLSL},
        {name, json_string_value(fragment), json_string_length(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    qpucc_program *program = qpucc_compile(sources, 2, NULL, NULL);
    size_t count = 0;
    const uint64_t *code =
        program && qpucc_program_status(program) == QPUCC_OK ? qpucc_program_code(program, QPUCC_FRAGMENT, &count) : NULL;
    if (code && qpucc_program_uniform_words(program) > FOREIGN_MAX_UNIFORMS)
        code = NULL;
    bool ok = code && measure(b, code, count, our_stream, program, f, error);
    if (!code)
        snprintf(error->text, sizeof error->text, "does not compile");
    qpucc_program_free(program);
    return ok;
}

/* --- the corpus ----------------------------------------------------------------------------------------- */

static json_t *read_pairs(const char *path, const char *only) {
    FILE *file = fopen(path, "r");
    json_t *pairs = json_object();
    char *line = NULL;
    size_t capacity = 0;
    while (file && getline(&line, &capacity, file) > 0) {
        json_t *pair = json_loads(line, 0, NULL);
        const char *name = json_string_value(json_object_get(pair, "name"));
        if (name && !strncmp(name, only, strlen(only)))
            json_object_set(pairs, name, pair);
        json_decref(pair);
    }
    free(line);
    if (file)
        fclose(file);
    else
        perror(path);
    return pairs;
}

int main(int argc, char **argv) {
    const char *only = argc == 5 && !strcmp(argv[3], "--only") ? argv[4] : "";
    if (argc != 3 && argc != 5) {
        fprintf(stderr, "usage: %s dev-pairs.jsonl foreign-code.jsonl [--only PREFIX]\n", argv[0]);
        return 1;
    }
    struct bench b = {.memory = qpusim_memory_new(16 << 20), .inputs = {.low = 0.25f, .high = 1.25f, .integer = LOOP_TURNS}};
    json_t *pairs = read_pairs(argv[1], only), *done = json_object();
    FILE *foreign = fopen(argv[2], "r");
    struct foreign_program *p = malloc(sizeof *p);
    for (int i = 0; i < 2; i++)
        b.thread[i] = aligned_alloc(_Alignof(struct sim_thread), sizeof *b.thread[i]);
    int code = 1;
    if (!foreign)
        perror(argv[2]);
    else if (b.memory && p && b.thread[0] && b.thread[1] &&
             synthetic_texture(&b.inputs, b.memory, QPUSIM_MIN_LINEAR_MIP_NEAREST))
        code = 0;
    while (!code && foreign_next(foreign, p)) {
        struct figures f;
        struct qpusim_error error = {0};
        json_t *pair = json_object_get(pairs, p->name);
        if (p->stage != QPUSIM_FRAGMENT || !pair)
            continue;
        if (measure(&b, p->code, p->count, their_stream, p, &f, &error))
            print(p->name, p->compiler, &f);
        else
            fprintf(stderr, "%s %s: instruction %u: %s\n", p->compiler, p->name, error.instruction, error.text);
        if (json_object_get(done, p->name))
            continue;
        json_object_set_new(done, p->name, json_true());
        if (run_ours(&b, p->name, pair, &f, &error))
            print(p->name, "qpucc", &f);
        else
            fprintf(stderr, "qpucc %s: instruction %u: %s\n", p->name, error.instruction, error.text);
    }
    if (foreign)
        fclose(foreign);
    json_decref(pairs);
    json_decref(done);
    free(p);
    free(b.thread[0]);
    free(b.thread[1]);
    qpusim_memory_free(b.memory);
    return code;
}
