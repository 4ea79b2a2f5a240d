/* The work of a compile grows in proportion to its shader: counted, not timed.
 *
 * The modules are built once more for this test, so that each basic block reports when it is executed.
 * Each of bench_growth's shapes is compiled with n and with 3 n statements. The blocks executed and the
 * bytes taken from arenas may grow 3.6 times (n log n), and no single block may grow faster than that by
 * more than a few executions a statement: what is quadratic shows there long before it shows in the sum.
 * Where something is known to grow faster, the shape has a limit of its own, to be lowered with its cause. */
#include "bench/growth_shapes.h"
#include "ir/ir.h"

#include <qpucc/qpucc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_GROWTH 3.6
/* Level 1: the search of -O2 has budgets, which would only take time here. */
enum { LEVEL = 1, STATEMENTS = 80, TIMES = 3, SLACK = 20 };

/* Shapes in which single blocks grow faster, and what all of them together may do there. */
static const struct known {
    const char *shape;
    double growth;
} known[] = {
    /* an instruction looks at up to 64 ready ops: with few statements there are not so many */
    {"independent", 3.3},
    {"reverse", 3.3},
    {"sum", 3.3},
    {"indices", 3.6},
    {"texels", 3.4},
    {"lines", 3.2}, /* chains of the names' hash table, up to one name long on average */
    /* cross-block registers are bit matrices of blocks and values */
    {"loops", 3.9},
    {"loop-branches", 3.7},
    {"returns", 3.7}, /* and rematerialisation begins */
};

/* Long ones that once took minutes or were refused: they compile, within a number of blocks executed and an
 * amount of memory held at once. */
static const struct long_one {
    const char *shape;
    int statements, level;
    double million_blocks, megabytes;
} long_ones[] = {{"returns", 3000, 1, 120, 70}, {"texels", 2000, 2, 350, 55}, {"loops", 10000, 1, 400, 150}};

/* Executions by address, and the addresses that have any. */
struct work {
    uint32_t *count, *touched, blocks;
    uint64_t total, bytes; /* bytes: of all allocations from arenas */
    uint64_t held;         /* bytes held at once at most */
};

extern char __executable_start[], etext[];
static struct work *counting; /* NULL: nobody counts */

void __sanitizer_cov_trace_pc(void);
void __sanitizer_cov_trace_pc(void) {
    if (!counting)
        return;
    uint32_t at = (uint32_t)((char *)__builtin_return_address(0) - __executable_start);
    counting->total++;
    if (!counting->count[at]++)
        counting->touched[counting->blocks++] = at;
}

void *__real_ir_alloc(struct ir_arena *arena, size_t size);
void *__wrap_ir_alloc(struct ir_arena *arena, size_t size);
void *__wrap_ir_alloc(struct ir_arena *arena, size_t size) {
    if (counting)
        counting->bytes += size;
    return __real_ir_alloc(arena, size);
}

static enum qpucc_status compile(const struct growth_shape *shape, int n, int level, struct work *work) {
    struct growth_text text = {0};
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = level;
    shape->write(&text, n);
    struct qpucc_source source = {"growth.frag", text.at, text.length, QPUCC_FRAGMENT, QPUCC_GLSL};
    for (uint32_t k = 0; k < work->blocks; k++)
        work->count[work->touched[k]] = 0;
    work->blocks = 0;
    work->total = work->bytes = 0;
    counting = work;
    qpucc_program *program = qpucc_compile(&source, 1, NULL, &options);
    counting = NULL;
    enum qpucc_status status = program ? qpucc_program_status(program) : QPUCC_INTERNAL;
    work->held = program ? qpucc_program_usage(program).bytes : 0;
    qpucc_program_free(program);
    free(text.at);
    return status;
}

static const struct known *known_of(const char *shape) {
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(known[k].shape, shape) == 0)
            return &known[k];
    return NULL;
}

/* Says what grows too fast; the number of such things. */
static unsigned compare(const char *shape, const struct work *few, const struct work *many) {
    const struct known *own = known_of(shape);
    double most = own ? own->growth : MOST_GROWTH;
    double total = (double)many->total / (double)few->total, bytes = (double)many->bytes / (double)few->bytes;
    unsigned faults = (total > most) + (bytes > (most > MOST_GROWTH ? most : MOST_GROWTH));
    printf("%-14s %9llu blocks, %.2f times as many (limit %.1f); %8llu bytes, %.2f times as many%s\n", shape,
           (unsigned long long)many->total, total, most, (unsigned long long)many->bytes, bytes,
           faults ? ": too many" : "");
    for (uint32_t k = 0; k < many->blocks && !own; k++) {
        uint32_t at = many->touched[k];
        if (many->count[at] <= MOST_GROWTH * few->count[at] + SLACK * TIMES * STATEMENTS)
            continue;
        if (faults++ < 10)
            printf("    %u executions, then %u of the block before 0x%x (addr2line -f -e compiler_growth)\n",
                   few->count[at], many->count[at], at);
    }
    return faults;
}

static const struct growth_shape *shape_of(const char *name) {
    const struct growth_shape *shape = growth_shapes;
    while (shape->name && strcmp(shape->name, name) != 0)
        shape++;
    return shape;
}

int main(int argc, char **argv) {
    size_t span = (size_t)(etext - __executable_start);
    struct work few = {.count = calloc(span, sizeof(uint32_t)), .touched = malloc(span * sizeof(uint32_t))};
    struct work many = {.count = calloc(span, sizeof(uint32_t)), .touched = malloc(span * sizeof(uint32_t))};
    unsigned faults = 0;
    if (!few.count || !few.touched || !many.count || !many.touched)
        return 1;
    compile(&growth_shapes[0], 1, LEVEL, &few); /* what is made once */
    for (const struct growth_shape *shape = growth_shapes; shape->name; shape++) {
        if (argc > 1 && strcmp(argv[1], shape->name) != 0)
            continue;
        enum qpucc_status first = compile(shape, STATEMENTS, LEVEL, &few);
        enum qpucc_status second = compile(shape, TIMES * STATEMENTS, LEVEL, &many);
        if (first != QPUCC_OK || second != QPUCC_OK) {
            printf("%s: ends with %d, then with %d\n", shape->name, first, second);
            faults++;
        }
        faults += compare(shape->name, &few, &many);
    }
    for (size_t k = 0; k < sizeof long_ones / sizeof *long_ones; k++) {
        const struct long_one *one = &long_ones[k];
        enum qpucc_status status = compile(shape_of(one->shape), one->statements, one->level, &many);
        double megabytes = (double)many.held * 1e-6;
        double blocks = (double)many.total * 1e-6;
        bool too_much = megabytes > one->megabytes || blocks > one->million_blocks;
        printf(
            "%s, %d statements: status %d, %.1f million blocks (limit %.0f), %.1f MB at once (limit %.0f)\n",
            one->shape, one->statements, status, blocks, one->million_blocks, megabytes, one->megabytes);
        faults += status != QPUCC_OK || too_much;
    }
    printf("%u faults, %.2f s\n", faults, (double)clock() / CLOCKS_PER_SEC);
    free(few.count), free(few.touched), free(many.count), free(many.touched);
    return faults != 0;
}
