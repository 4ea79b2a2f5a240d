/* Eight threads compile the same pairs at the same time, each pair twice: the same code comes out.
 *
 *     eight_threads [--part N/M] [FILE.jsonl] [A.vert ...]      beside A.vert there is A.frag
 *
 * Made for the thread sanitizer (threads.sh), of use without it, too. A file's name may begin with SHARED/:
 * without QPUCC_SHARED it is left out, and 77 is returned where it was all. */
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

/* The lines of a file that belong to the part. */
static bool read_lines(const char *name, unsigned part, unsigned parts) {
    unsigned lines = 0;
    FILE *file = fopen(name, "r");
    char *text = NULL;
    size_t capacity = 0;
    while (file && getline(&text, &capacity, file) > 0 && count < MOST)
        if (lines++ % parts == part - 1 && (pair[count] = json_loads(text, 0, NULL)) != NULL)
            count++;
    free(text);
    return file && fclose(file) == 0;
}

static json_t *read_text(const char *name) {
    static char text[1 << 16];
    FILE *file = fopen(name, "rb");
    size_t size = file ? fread(text, 1, sizeof text, file) : 0;
    if (file)
        fclose(file);
    return file ? json_stringn(text, size) : NULL;
}

static bool read_pair(const char *vertex) {
    char fragment[1000];
    snprintf(fragment, sizeof fragment, "%.*s.frag", (int)strlen(vertex) - 5, vertex);
    json_t *a = read_text(vertex), *b = read_text(fragment);
    if (!a || !b || count == MOST) {
        json_decref(a);
        json_decref(b);
        return false;
    }
    pair[count++] = json_pack("{s:s, s:o, s:o}", "name", vertex, "vertex", a, "fragment", b);
    return true;
}

int main(int argc, char **argv) {
    unsigned part = 1, parts = 1;
    const char *shared = getenv("QPUCC_SHARED");
    bool left_out = false;
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        char path[1000];
        if (!strcmp(name, "--part") && i + 1 < argc && sscanf(argv[i + 1], "%u/%u", &part, &parts) == 2 &&
            parts) {
            i++;
            continue;
        }
        bool is_shared = strncmp(name, "SHARED/", 7) == 0,
             is_pair = strlen(name) > 5 && strcmp(name + strlen(name) - 5, ".vert") == 0;
        if (is_shared && (!shared || !*shared)) {
            left_out = true;
            continue;
        }
        snprintf(path, sizeof path, "%s%s", is_shared ? shared : "", name + (is_shared ? 6 : 0));
        if (is_pair ? !read_pair(path) : !read_lines(path, part, parts))
            return perror(path), 1;
    }
    if (!count)
        return left_out ? 77 : (fprintf(stderr, "eight_threads [--part N/M] [FILE.jsonl] [A.vert ...]\n"), 1);
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
