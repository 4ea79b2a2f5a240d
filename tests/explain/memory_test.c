/* Memory that runs out: each allocation of an explanation fails in turn, alone or with all after it, and
 * those of a compile that keeps names. There is an explanation then or none, nothing breaks and nothing
 * stays. */
#include <qpucc/explain.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long calls, failing;
static bool all_after, counting;
static long held;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);

/* The blocks that were asked for here: a stream's text is the C library's own. */
enum { TABLE = 1 << 16 };
static void *table[TABLE];

static void **place_of(void *block) {
    size_t at = (size_t)((uintptr_t)block >> 4) * 2654435761u;
    for (unsigned tries = 0; tries < 64; tries++)
        if (table[(at + tries) % TABLE] == block)
            return &table[(at + tries) % TABLE];
    return NULL;
}

static void *note(void *block) {
    size_t at = (size_t)((uintptr_t)block >> 4) * 2654435761u;
    for (unsigned tries = 0; block && tries < 64; tries++)
        if (!table[(at + tries) % TABLE]) {
            table[(at + tries) % TABLE] = block;
            held++;
            break;
        }
    return block;
}

static void forget(void *block) {
    void **place = block ? place_of(block) : NULL;
    if (place) {
        *place = NULL;
        held--;
    }
}

static bool fails(void) {
    return counting && (++calls == failing || (all_after && calls > failing));
}
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size) {
    return fails() ? NULL : note(__real_malloc(size));
}
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : note(__real_calloc(count, size));
}
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size) {
    if (fails())
        return NULL;
    forget(old);
    return note(__real_realloc(old, size));
}
void __wrap_free(void *block);
void __wrap_free(void *block) {
    forget(block);
    __real_free(block);
}

static const char vertex_text[] = "attribute vec4 a; uniform mat4 m; varying vec2 v;\n"
                                  "void main() { v = a.xy * 0.5; gl_Position = m * a; }\n";
static const char fragment_text[] =
    "precision highp float; varying vec2 v; uniform sampler2D s; uniform float last;\n"
    "void main() { float sum = 0.0;\n"
    "  for (float i = 0.0; i < last; i += 1.0) sum += v.x * i;\n"
    "  gl_FragColor = texture2D(s, v) * sqrt(sum); }\n";

static qpucc_program *compile(void) {
    struct qpucc_source sources[] = {
        {"a.vert", vertex_text, sizeof vertex_text - 1, QPUCC_VERTEX, QPUCC_GLSL},
        {"a.frag", fragment_text, sizeof fragment_text - 1, QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct qpucc_options options = qpucc_options_default();
    options.flags |= QPUCC_GENERATE_NAMES;
    return qpucc_compile(sources, 2, NULL, &options);
}

/* Everything that it has can be read. */
static unsigned look(const qpucc_explanation *explain) {
    unsigned sum = 0;
    for (int k = 0; k < QPUCC_STAGE_COUNT; k++) {
        const struct qpucc_explain_stage *s = qpucc_explanation_stage(explain, (enum qpucc_stage)k);
        for (uint32_t i = 0; s && i < s->count; i++) {
            const struct qpucc_explain_instruction *in = &s->instruction[i];
            sum += (unsigned)strlen(in->text) + (in->add.name ? (unsigned)strlen(in->add.name) : 0);
        }
        for (size_t i = 0; i < qpucc_explain_pass_count(explain, (enum qpucc_stage)k); i++)
            sum += (unsigned)strlen(qpucc_explanation_pass(explain, (enum qpucc_stage)k, i)->text);
        for (size_t i = 0; i < qpucc_explain_decision_count(explain, (enum qpucc_stage)k); i++)
            sum += (unsigned)strlen(qpucc_explanation_decision(explain, (enum qpucc_stage)k, i)->text);
    }
    return sum;
}

int main(void) {
    int wrong = 0;
    qpucc_program *program = compile();
    if (qpucc_program_status(program) != QPUCC_OK)
        return printf("the shaders do not compile\n"), 1;
    qpucc_explanation *whole = qpucc_explain(program, QPUCC_EXPLAIN_PASSES | QPUCC_EXPLAIN_DECISIONS);
    unsigned expected = whole ? look(whole) : 0;
    qpucc_explain_free(whole);
    for (int mode = 0; mode < 2; mode++) {
        unsigned long n = 1, given = 0;
        for (bool more = true; more; n += mode ? 5 : 1)
            for (int after = 0; after < 2; after++) {
                long before = held;
                calls = 0, failing = n, all_after = after;
                counting = true;
                qpucc_program *made = mode ? compile() : NULL;
                qpucc_explanation *explain =
                    mode ? NULL : qpucc_explain(program, QPUCC_EXPLAIN_PASSES | QPUCC_EXPLAIN_DECISIONS);
                counting = false;
                more = calls >= n;
                given += explain != NULL;
                if (explain && !more && look(explain) != expected)
                    wrong += printf("an explanation differs\n") > 0;
                if (explain && look(explain) > expected)
                    wrong += printf("allocation %lu: more than there is\n", n) > 0;
                qpucc_explain_free(explain);
                qpucc_program_free(made);
                if (held != before)
                    wrong += printf("allocation %lu fails: %ld blocks stay\n", n, held - before) > 0;
                held = before;
            }
        printf("%s: %lu allocations, %lu explanations all the same\n", mode ? "compile" : "explain", n,
               given);
    }
    qpucc_program_free(program);
    return wrong != 0;
}
