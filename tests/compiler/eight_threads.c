/* Eight threads compile the same pairs at the same time, each pair twice: the same code comes out.
 *
 *     eight_threads [--part N/M] FILE.jsonl
 *
 * Made for the thread sanitizer (-DQPUCC_SANITIZE=thread, docs/limits.md), of use without it, too. A file's
 * name may begin with SHARED/; without QPUCC_SHARED 77 is returned. */
#include <qpucc/qpucc.h>

#include <inttypes.h>
#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, TWICE = 2, MOST = 4096 };

static json_t *pair[MOST];
static unsigned count;
static atomic_uint next;
static _Atomic uint64_t seen[MOST]; /* what one of the two compiles came to; 0: none yet */
static atomic_uint differ;

static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * 1099511628211u;
    return hash;
}

static uint64_t compile(const json_t *line) {
    struct qpucc_source sources[2] = {{.name = "a.vert", .stage = QPUCC_VERTEX},
                                      {.name = "a.frag", .stage = QPUCC_FRAGMENT}};
    static const char *const keys[] = {"vertex", "fragment"};
    for (int k = 0; k < 2; k++) {
        const json_t *text = json_object_get(line, keys[k]);
        sources[k].data = json_string_value(text);
        sources[k].size = json_string_length(text);
    }
    qpucc_program *program = qpucc_compile(sources, 2, NULL, NULL);
    uint64_t hash = 14695981039346656037u;
    for (int s = 0; program && s < QPUCC_STAGE_COUNT; s++) {
        size_t n;
        const uint64_t *code = qpucc_program_code(program, (enum qpucc_stage)s, &n);
        hash = mix(hash, code, code ? n * sizeof *code : 0);
        for (size_t i = 0; i < qpucc_uniforms_size(program, (enum qpucc_stage)s); i++) {
            const char *text = qpucc_uniform_text(program, (enum qpucc_stage)s, i);
            hash = mix(hash, text, text ? strlen(text) : 0);
        }
    }
    for (size_t i = 0; program && i < qpucc_program_diagnostic_count(program); i++) {
        const char *text = qpucc_program_diagnostic(program, i)->text;
        hash = mix(hash, text, strlen(text));
    }
    qpucc_program_free(program);
    return hash | 1;
}

static void *work(void *unused) {
    (void)unused;
    for (unsigned i; (i = atomic_fetch_add(&next, 1)) < TWICE * count;) {
        uint64_t hash = compile(pair[i / TWICE]), before = atomic_exchange(&seen[i / TWICE], hash);
        if (before && before != hash) {
            atomic_fetch_add(&differ, 1);
            printf("%s: two threads do not agree\n",
                   json_string_value(json_object_get(pair[i / TWICE], "name")));
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    unsigned part = 1, parts = 1, lines = 0;
    const char *shared = getenv("QPUCC_SHARED"), *name = argv[argc - 1];
    if (argc == 4 && (strcmp(argv[1], "--part") || sscanf(argv[2], "%u/%u", &part, &parts) != 2 || !parts))
        return fprintf(stderr, "eight_threads [--part N/M] FILE.jsonl\n"), 1;
    bool is_shared = strncmp(name, "SHARED/", 7) == 0;
    if (is_shared && (!shared || !*shared))
        return 77;
    char path[1000];
    snprintf(path, sizeof path, "%s%s", is_shared ? shared : "", name + (is_shared ? 6 : 0));
    FILE *file = fopen(path, "r");
    if (!file)
        return perror(path), 1;
    char *text = NULL;
    size_t room = 0;
    while (getline(&text, &room, file) > 0 && count < MOST)
        if (lines++ % parts == part - 1 && (pair[count] = json_loads(text, 0, NULL)) != NULL)
            count++;
    free(text);
    fclose(file);
    pthread_t thread[THREADS];
    for (int k = 0; k < THREADS; k++)
        if (pthread_create(&thread[k], NULL, work, NULL))
            return perror("pthread_create"), 1;
    for (int k = 0; k < THREADS; k++)
        pthread_join(thread[k], NULL);
    for (unsigned k = 0; k < count; k++)
        json_decref(pair[k]);
    printf("%u pairs in %d threads, %u differ\n", count, THREADS, atomic_load(&differ));
    return !count || atomic_load(&differ);
}
