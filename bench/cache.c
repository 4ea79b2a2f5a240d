/* What a cached program costs, beside a compile: CPU time, one process, one thread.
 *
 *     bench_cache dev-pairs.jsonl [--only PREFIX] [--rounds N] >cache.tsv
 *
 * Every pair is compiled without a cache, with one that has nothing (compile, save and write) and with one
 * that has it (read, check and load), in turn, in a directory of its own under TMPDIR; the least of N times
 * counts. A line: name, milliseconds of the three, size of the entry with the IR and SPIR-V in bytes, and
 * without. The last lines are a table. */
#define _GNU_SOURCE
#include <dirent.h>
#include <jansson.h>
#include <qpucc/cache.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MAX_PAIRS = 2000, COLUMNS = 3 };

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void empty(const char *folder) {
    DIR *dir = opendir(folder);
    const struct dirent *file;
    while (dir && (file = readdir(dir)))
        if (file->d_name[0] != '.')
            unlinkat(dirfd(dir), file->d_name, 0);
    if (dir)
        closedir(dir);
}

static bool once(qpucc_cache *cache, const struct qpucc_source sources[2], double *least, size_t sizes[2]) {
    double start = now();
    qpucc_program *program = qpucc_cache_compile(cache, sources, 2, NULL, NULL);
    double time = now() - start;
    bool ok = program && qpucc_program_status(program) == QPUCC_OK;
    if (*least == 0 || time < *least)
        *least = time;
    if (ok && sizes) {
        sizes[0] = qpucc_program_save(program, QPUCC_SAVE_IR | QPUCC_SAVE_SPIRV, NULL, 0);
        sizes[1] = qpucc_program_save(program, 0, NULL, 0);
    }
    qpucc_program_free(program);
    return ok;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

int main(int argc, char **argv) {
    const char *only = "", *base = getenv("TMPDIR");
    int rounds = 3;
    bool usage = argc < 2 || argc % 2;
    for (int i = 2; i + 1 < argc; i += 2)
        if (!strcmp(argv[i], "--only"))
            only = argv[i + 1];
        else if (!strcmp(argv[i], "--rounds"))
            rounds = atoi(argv[i + 1]);
        else
            usage = true;
    FILE *file = usage ? NULL : fopen(argv[1], "r");
    char folder[300];
    snprintf(folder, sizeof folder, "%s/bench-cache-XXXXXX", base ? base : "/tmp");
    qpucc_cache *cache = file && mkdtemp(folder) ? qpucc_cache_open(folder, 0) : NULL;
    if (!cache || rounds < 1) {
        fprintf(stderr, "usage: %s dev-pairs.jsonl [--only PREFIX] [--rounds N]\n", argv[0]);
        return 1;
    }
    static double fill[MAX_PAIRS], hit[MAX_PAIRS], time[MAX_PAIRS], bytes[MAX_PAIRS], bare[MAX_PAIRS];
    size_t count = 0, capacity = 0;
    char *line = NULL;
    while (getline(&line, &capacity, file) > 0 && count < MAX_PAIRS) {
        json_t *json = json_loads(line, 0, NULL);
        const char *name = json_string_value(json_object_get(json, "name")),
                   *vertex = json_string_value(json_object_get(json, "vertex")),
                   *fragment = json_string_value(json_object_get(json, "fragment"));
        bool good = name && vertex && fragment && !strncmp(name, only, strlen(only));
        double least[COLUMNS] = {0};
        size_t sizes[2] = {0, 0};
        for (int i = 0; i < rounds && good; i++) {
            struct qpucc_source sources[2] = {
                {"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
            if (count == 0 && i == 0) /* glslang builds its tables */
                once(NULL, sources, &(double){0}, NULL);
            empty(folder);
            good = once(NULL, sources, &least[0], NULL) && once(cache, sources, &least[1], NULL) &&
                   once(cache, sources, &least[2], sizes);
        }
        if (good) {
            printf("%s\t%.3f\t%.3f\t%.3f\t%zu\t%zu\n", name, least[0], least[1], least[2], sizes[0],
                   sizes[1]);
            fill[count] = least[1] / least[0];
            hit[count] = least[2] / least[0];
            time[count] = least[2] * 1e3;
            bytes[count] = (double)sizes[0];
            bare[count++] = (double)sizes[1];
        }
        json_decref(json);
    }
    free(line);
    fclose(file);
    struct qpucc_cache_stats stats = qpucc_cache_statistics(cache);
    qpucc_cache_close(cache);
    empty(folder);
    rmdir(folder);
    if (!count || stats.damaged)
        return 1;
    printf("\n%zu pairs, %llu hits, medians\n\n| | |\n|---|---|\n", count, (unsigned long long)stats.hits);
    printf("| hit / compile | %.3f |\n| hit, microseconds | %.0f |\n", median(hit, count),
           median(time, count));
    printf("| compile that fills the cache / compile | %.3f |\n", median(fill, count));
    printf("| bytes of an entry | %.0f |\n| bytes of a container without IR and SPIR-V | %.0f |\n",
           median(bytes, count), median(bare, count));
    return 0;
}
