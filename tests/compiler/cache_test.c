/* The compile cache: what it gives is what a compile gives, whatever happens to the directory and whoever
 * else uses it. */
#include "compiler/cache.h"
#include "compiler/sha256.h"
#include "compiler/shader.h"
#include "tests/compiler/program_equal.h"
#include "tests/compiler/shader_objects.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <qpucc/cache.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char vertex[] = "attribute vec4 p; attribute vec2 t; uniform mat4 m; varying vec2 v;\n"
                             "void main() { gl_Position = m * p; v = t; }\n";

/* Shaders that differ in a number. */
static void write_fragment(char text[400], unsigned number) {
    snprintf(text, 400,
             "precision mediump float; varying vec2 v; uniform sampler2D s; uniform vec4 c;\n"
             "void main() { gl_FragColor = texture2D(s, v * %u.5) * c + pow(-2.0 - abs(c.x), v.x); }\n",
             number);
}

static qpucc_program *compile(qpucc_cache *cache, unsigned number, const struct qpucc_state *state) {
    char fragment[400];
    write_fragment(fragment, number);
    struct qpucc_source sources[2] = {{"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    return qpucc_cache_compile(cache, sources, 2, state, NULL);
}

static void expect_same(const qpucc_program *a, const qpucc_program *b) {
    const char *differs = program_difference(a, b);
    ck_assert_msg(!differs, "%s", differs);
}

/* --- a directory of the test's own ---------------------------------------------------------------------- */

static char folder[200];

static void make_folder(void) {
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/qpucc-cache-XXXXXX", base ? base : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

/* Calls `each` with every file; returns the bytes of all. */
static uint64_t for_files(void (*each)(const char *path)) {
    DIR *dir = opendir(folder);
    const struct dirent *file;
    uint64_t bytes = 0;
    ck_assert_ptr_nonnull(dir);
    while ((file = readdir(dir))) {
        char path[600];
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        if (stat(path, &info) || !S_ISREG(info.st_mode))
            continue;
        bytes += (uint64_t)info.st_size;
        if (each)
            each(path);
    }
    closedir(dir);
    return bytes;
}

static void remove_file(const char *path) {
    unlink(path);
}

static void remove_folder(void) {
    for_files(remove_file);
    ck_assert_int_eq(rmdir(folder), 0);
}

static unsigned counted;

static void count_entry(const char *path) {
    counted += strlen(strrchr(path, '/') + 1) == 64;
}

static unsigned entries(void) {
    counted = 0;
    for_files(count_entry);
    return counted;
}

/* --- the same with and without -------------------------------------------------------------------------- */

START_TEST(hits_are_compiles) {
    make_folder();
    struct qpucc_state states[2] = {{0}, {.depth_test = 1}};
    for (int round = 0; round < 3; round++) { /* the first round fills it */
        qpucc_cache *cache = qpucc_cache_open(folder, 0);
        ck_assert_ptr_nonnull(cache);
        for (unsigned k = 0; k < 4; k++) {
            qpucc_program *whole = compile(NULL, k / 2, &states[k % 2]),
                          *program = compile(cache, k / 2, &states[k % 2]);
            ck_assert_int_eq(qpucc_program_status(program), QPUCC_OK);
            expect_same(whole, program);
            qpucc_program_free(whole);
            qpucc_program_free(program);
        }
        struct qpucc_cache_stats stats = qpucc_cache_statistics(cache);
        ck_assert_uint_eq(stats.hits, round ? 4 : 0);
        ck_assert_uint_eq(stats.misses, round ? 0 : 4);
        ck_assert_uint_eq(stats.stored, round ? 0 : 4);
        ck_assert_uint_eq(stats.damaged + stats.bypassed + stats.removed, 0);
        qpucc_cache_close(cache);
    }
    ck_assert_uint_eq(entries(), 4);
    remove_folder();
}
END_TEST

/* A variant has the entry that a compile for its state has. */
START_TEST(variants_share_entries_with_compiles) {
    make_folder();
    qpucc_cache *cache = qpucc_cache_open(folder, 1 << 20);
    struct qpucc_state state = {.primitive = QPUCC_POINTS};
    qpucc_program *from = compile(cache, 1, NULL), *first = qpucc_cache_variant(cache, from, &state),
                  *again = compile(cache, 1, &state), *loaded = compile(cache, 1, NULL),
                  *second = qpucc_cache_variant(cache, loaded, &state),
                  *back = qpucc_cache_variant(cache, second, NULL);
    expect_same(first, again);
    expect_same(first, second);
    expect_same(from, back);
    ck_assert_uint_eq(qpucc_cache_statistics(cache).hits, 4);
    ck_assert_uint_eq(qpucc_cache_statistics(cache).misses, 2);
    qpucc_program *all[] = {from, first, again, loaded, second, back};
    for (int i = 0; i < 6; i++)
        qpucc_program_free(all[i]);
    qpucc_cache_close(cache);
    remove_folder();
}
END_TEST

/* But for one that has warnings which variants do not have: what a compile finds is what it would say. */
START_TEST(variants_say_nothing_of_costs) {
    static const char fragment[] =
        "precision highp float; varying vec2 v; uniform sampler2D s;\n"
        "void main() { vec4 c = texture2D(s, v); if (c.a < 0.5) discard; gl_FragColor = c; }\n";
    struct qpucc_source sources[2] = {{"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                                      {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct qpucc_options options = qpucc_options_default();
    struct qpucc_state state = {.depth_test = 1};
    make_folder();
    qpucc_cache *cache = qpucc_cache_open(folder, 0);
    options.warnings = 1u << QPUCC_WARN_discard_cost;
    qpucc_program *from = qpucc_cache_compile(cache, sources, 2, NULL, &options),
                  *variant = qpucc_variant(from, &state),
                  *program = qpucc_compile(sources, 2, &state, &options);
    for (int k = 0; k < 2; k++) { /* made, then found */
        qpucc_program *first = qpucc_cache_variant(cache, from, &state),
                      *second = qpucc_cache_compile(cache, sources, 2, &state, &options);
        expect_same(variant, first);
        expect_same(program, second);
        qpucc_program_free(first);
        qpucc_program_free(second);
    }
    ck_assert_uint_eq(qpucc_cache_statistics(cache).hits, 2);
    qpucc_program_free(program);
    qpucc_program_free(variant);
    qpucc_program_free(from);
    qpucc_cache_close(cache);
    remove_folder();
}
END_TEST

/* Whatever changes the result changes the key. */
/* Raised ones, too, though a container has none of these. */
START_TEST(limits_are_the_callers) {
    make_folder();
    qpucc_cache *cache = qpucc_cache_open(folder, 0);
    const uint64_t search = 8 * qpucc_limit_default(QPUCC_LIMIT_SEARCH);
    struct qpucc_source source = {"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL};
    struct qpucc_options options = qpucc_options_default();
    struct qpucc_state state = {.flip_y = 1};
    options.limit[QPUCC_LIMIT_SEARCH] = search;
    for (int k = 0; k < 2; k++) { /* made, then found */
        qpucc_program *p = qpucc_cache_compile(cache, &source, 1, NULL, &options);
        qpucc_program *variant = qpucc_cache_variant(cache, p, &state);
        ck_assert_uint_eq(p->kept->account.limit[QPUCC_LIMIT_SEARCH], search / 4);
        ck_assert_uint_eq(variant->kept->account.limit[QPUCC_LIMIT_SEARCH], search / 4);
        qpucc_program_free(variant);
        qpucc_program_free(p);
    }
    ck_assert_uint_eq(qpucc_cache_statistics(cache).hits, 2);
    qpucc_cache_close(cache);
    remove_folder();
}
END_TEST

START_TEST(other_inputs_are_other_entries) {
    make_folder();
    qpucc_cache *cache = qpucc_cache_open(folder, 0);
    char fragment[400];
    write_fragment(fragment, 1);
    const char *defines[] = {"A=1"};
    struct qpucc_options o[15];
    struct qpucc_state state[3] = {{0}, {.flip_y = 1}, {0}};
    state[2].texture[QPUCC_MAX_TEXTURES - 1].format = QPUCC_TEX_BGRA;
    for (int i = 0; i < 15; i++)
        o[i] = qpucc_options_default();
    o[1].opt_level = 1;
    o[2].flags = 0;
    o[3].default_precision = QPUCC_PRECISION_HIGHP;
    o[4].defines = defines;
    o[4].define_count = 1;
    o[5].limit[QPUCC_LIMIT_TOKENS] = 100000;
    o[8].flags |= QPUCC_POLICY_FAST;
    o[9].flags |= QPUCC_POLICY_PRECISE;
    o[10].chip = qpucc_chip_guide();
    o[11].warnings = qpucc_warning_bits("all");
    o[12].no_warnings = qpucc_warning_bits("default");
    o[13].uniform_precision = QPUCC_UNIFORM_PRECISION_HIGHP;
    o[14].unroll = 100;
    unsigned made = 0;
    for (int i = 0; i < 17; i++) {
        struct qpucc_source source = {i == 6 ? "b.frag" : "a.frag", fragment, strlen(fragment) - (i == 7),
                                      QPUCC_FRAGMENT, QPUCC_GLSL};
        qpucc_program *p =
            qpucc_cache_compile(cache, &source, 1, i > 14 ? &state[i - 14] : NULL, &o[i < 15 ? i : 0]);
        ck_assert_int_eq(qpucc_program_status(p), QPUCC_OK);
        ck_assert_uint_eq(qpucc_program_policy(p), o[i < 15 ? i : 0].flags & QPUCC_POLICY_BITS);
        struct qpucc_chip chip = qpucc_program_chip(p);
        ck_assert_str_eq(qpucc_chip_name(&chip), i == 10 ? "guide" : "shipped");
        qpucc_program_free(p);
        ck_assert_uint_eq(entries(), ++made);
    }
    ck_assert_uint_eq(qpucc_cache_statistics(cache).hits, 0);
    qpucc_cache_close(cache);
    remove_folder();
}
END_TEST

static void count_time(void *user, enum qpucc_stage stage, const char *pass, double seconds) {
    (void)stage, (void)pass, (void)seconds;
    ++*(unsigned *)user;
}

START_TEST(what_cannot_be_known_is_compiled) {
    make_folder();
    qpucc_cache *cache = qpucc_cache_open(folder, 0);
    static const char including[] = "#include \"other.h\"\nvoid main() { gl_FragColor = vec4(1.0); }\n",
                      wrong[] = "void main() { gl_FragColor = undeclared; }\n";
    struct qpucc_source source = {"a.frag", including, strlen(including), QPUCC_FRAGMENT, QPUCC_GLSL};
    for (int i = 0; i < 2; i++) { /* there is no such file: an error each time, and no entry */
        qpucc_program *p = qpucc_cache_compile(cache, &source, 1, NULL, NULL);
        ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
        qpucc_program_free(p);
    }
    ck_assert_uint_eq(qpucc_cache_statistics(cache).bypassed, 2);
    source.data = wrong;
    source.size = strlen(wrong);
    for (int i = 0; i < 2; i++) {
        qpucc_program *p = qpucc_cache_compile(cache, &source, 1, NULL, NULL);
        ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
        ck_assert_uint_ge(qpucc_program_diagnostic_count(p), 1);
        qpucc_program_free(p);
    }
    ck_assert_uint_eq(qpucc_cache_statistics(cache).misses, 2);
    ck_assert_uint_eq(entries(), 0);
    unsigned calls = 0, before;
    struct qpucc_options options = qpucc_options_default();
    options.on_pass_time = count_time;
    options.user = &calls;
    char fragment[400];
    write_fragment(fragment, 2);
    source.data = fragment;
    source.size = strlen(fragment);
    for (int i = 0; i < 2; i++) {
        before = calls;
        qpucc_program_free(qpucc_cache_compile(cache, &source, 1, NULL, &options));
        ck_assert_uint_gt(calls, before);
    }
    qpucc_program *none = qpucc_cache_compile(cache, NULL, 0, NULL, NULL);
    ck_assert_int_eq(qpucc_program_status(none), QPUCC_SOURCE_ERROR);
    qpucc_program_free(none);
    qpucc_cache_close(cache);
    qpucc_cache_close(NULL);
    remove_folder();
    ck_assert_ptr_null(qpucc_cache_open("/nowhere/at/all", 0));
    ck_assert_ptr_null(qpucc_cache_open(NULL, 0));
}
END_TEST

/* What no key has, but a compile refuses: an entry of valid arguments changes nothing. */
START_TEST(what_is_refused_is_refused) {
    static const char *const none[] = {NULL};
    char fragment[400];
    make_folder();
    write_fragment(fragment, 1);
    qpucc_shader *v = shader(QPUCC_VERTEX, vertex), *f = shader(QPUCC_FRAGMENT, fragment);
    const qpucc_shader *list[] = {v, f};
    struct qpucc_source *sources = malloc(2 * sizeof *sources); /* and a third is not looked at */
    sources[0] = (struct qpucc_source){"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL};
    sources[1] = (struct qpucc_source){"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL};
    qpucc_cache *cache = qpucc_cache_open(folder, 0);
    qpucc_program_free(qpucc_cache_compile(cache, sources, 2, NULL, NULL));
    qpucc_program_free(qpucc_cache_link(cache, list, 2, NULL, NULL));
    struct qpucc_options wrong[] = {qpucc_options_default(), qpucc_options_default(),
                                    qpucc_options_default()};
    wrong[0].reserved = 1;
    wrong[1].print_after = "dce";
    wrong[2].include_dirs = none;
    wrong[2].include_dir_count = 1;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            qpucc_program *p = k ? qpucc_cache_link(cache, list, 2, NULL, &wrong[i])
                                 : qpucc_cache_compile(cache, sources, 2, NULL, &wrong[i]);
            ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
            ck_assert_str_eq(qpucc_program_diagnostic(p, 0)->code, "usage");
            qpucc_program_free(p);
        }
    qpucc_program *p = qpucc_cache_compile(cache, sources, 3, NULL, NULL);
    ck_assert_str_eq(qpucc_program_diagnostic(p, 0)->code, "usage");
    qpucc_program_free(p);
    ck_assert_uint_eq(qpucc_cache_statistics(cache).bypassed, 7);
    qpucc_cache_close(cache);
    qpucc_shader_free(v);
    qpucc_shader_free(f);
    free(sources);
    remove_folder();
}
END_TEST

/* --- included files ------------------------------------------------------------------------------------- */

static char headers[2][240]; /* folders */

static void write_header(int in, const char *name, const char *text) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", headers[in], name);
    if (!text) {
        ck_assert_int_eq(unlink(path), 0);
        return;
    }
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

/* With the cache the same as without, and whether it was a hit. */
static bool hit_with_includes(qpucc_cache *cache, const char *text, const struct qpucc_options *options) {
    struct qpucc_source source = {"a.frag", text, strlen(text), QPUCC_FRAGMENT, QPUCC_GLSL};
    uint64_t before = qpucc_cache_statistics(cache).hits;
    qpucc_program *a = qpucc_compile(&source, 1, NULL, options),
                  *b = qpucc_cache_compile(cache, &source, 1, NULL, options);
    expect_same(a, b);
    ck_assert_int_eq(qpucc_program_status(b), QPUCC_OK);
    for (size_t i = 0; qpucc_program_included(a, i) || qpucc_program_included(b, i); i++) {
        ck_assert_ptr_nonnull(qpucc_program_included(b, i));
        ck_assert_str_eq(qpucc_program_included(a, i), qpucc_program_included(b, i));
    }
    qpucc_program_free(a);
    qpucc_program_free(b);
    return qpucc_cache_statistics(cache).hits > before;
}

/* A file that changes, one that another comes before, one that another includes, one under a condition. */
START_TEST(included_files_are_part_of_the_key) {
    make_folder();
    for (int k = 0; k < 2; k++) {
        snprintf(headers[k], sizeof headers[k], "%s/headers%d", folder, k);
        ck_assert_int_eq(mkdir(headers[k], 0700), 0);
    }
    const char *dirs[] = {headers[0], headers[1]};
    struct qpucc_options options = qpucc_options_default();
    options.include_dirs = dirs;
    options.include_dir_count = 2;
    qpucc_cache *cache = qpucc_cache_open(folder, 0);
    static const char text[] = "#include <outer.h>\nprecision mediump float; uniform float a;\n"
                               "#if 0\n#include <not there.h>\n#endif\n"
                               "#ifdef WITH\n#include <inner.h>\n#endif\n"
                               "void main() { gl_FragColor = vec4(a * VALUE); }\n";
    write_header(1, "outer.h", "#include \"inner.h\"\n#define VALUE SOME\n");
    write_header(1, "inner.h", "#define SOME 2.0\n");
    ck_assert(!hit_with_includes(cache, text, &options));
    ck_assert(hit_with_includes(cache, text, &options));
    write_header(1, "inner.h", "#define SOME 3.0\n");
    ck_assert(!hit_with_includes(cache, text, &options));
    ck_assert(hit_with_includes(cache, text, &options));
    write_header(1, "inner.h", "#define SOME 2.0\n"); /* as it was */
    ck_assert(hit_with_includes(cache, text, &options));
    write_header(0, "outer.h", "#define VALUE 4.0\n"); /* found first */
    ck_assert(!hit_with_includes(cache, text, &options));
    write_header(0, "outer.h", NULL);
    ck_assert(hit_with_includes(cache, text, &options));
    const char *defines[] = {"WITH"}; /* equal definitions twice are allowed */
    options.defines = defines;
    options.define_count = 1;
    ck_assert(!hit_with_includes(cache, text, &options));
    ck_assert(hit_with_includes(cache, text, &options));
    dirs[0] = headers[1]; /* the same file by another way */
    ck_assert(hit_with_includes(cache, text, &options));
    ck_assert_uint_eq(qpucc_cache_statistics(cache).bypassed, 0);
    /* a word in a comment is no file */
    ck_assert(!hit_with_includes(cache, "// include\nvoid main() { gl_FragColor = vec4(1.0); }\n", NULL));
    ck_assert(hit_with_includes(cache, "// include\nvoid main() { gl_FragColor = vec4(1.0); }\n", NULL));
    qpucc_cache_close(cache);
    write_header(1, "outer.h", NULL);
    write_header(1, "inner.h", NULL);
    for (int k = 0; k < 2; k++)
        ck_assert_int_eq(rmdir(headers[k]), 0);
    remove_folder();
}
END_TEST

/* --- damage --------------------------------------------------------------------------------------------- */

static unsigned kind;

static void damage(const char *path) {
    struct stat info;
    int fd = open(path, O_RDWR);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(fstat(fd, &info), 0);
    static const char junk[] = "junk";
    off_t at = kind == 0 ? 0 : kind == 1 ? info.st_size / 2 : info.st_size - 4;
    int done = kind < 3 ? pwrite(fd, junk, 4, at) == 4 : ftruncate(fd, kind == 3 ? 0 : info.st_size / 3) == 0;
    ck_assert(done);
    close(fd);
}

START_TEST(damaged_entries_are_made_again) {
    make_folder();
    for (kind = 0; kind < 5; kind++) {
        qpucc_cache *cache = qpucc_cache_open(folder, 1 << 20);
        qpucc_program *p = compile(cache, 5, NULL);
        for_files(damage); /* the lock file, too */
        qpucc_program *q = compile(cache, 5, NULL), *r = compile(cache, 5, NULL);
        expect_same(p, q);
        expect_same(p, r);
        struct qpucc_cache_stats stats = qpucc_cache_statistics(cache);
        ck_assert_uint_eq(stats.damaged, kind == 3 ? 0 : 1); /* an empty file is none */
        ck_assert_uint_eq(stats.hits, kind ? 2 : 1);
        qpucc_program_free(p);
        qpucc_program_free(q);
        qpucc_program_free(r);
        qpucc_cache_close(cache);
    }
    remove_folder();
}
END_TEST

/* --- the bound ------------------------------------------------------------------------------------------ */

START_TEST(the_least_recently_used_goes) {
    make_folder();
    qpucc_cache *cache = qpucc_cache_open(folder, 0);
    qpucc_program_free(compile(cache, 0, NULL));
    uint64_t one = for_files(NULL), bound = 6 * one;
    qpucc_cache_close(cache);
    cache = qpucc_cache_open(folder, bound);
    struct timespec tick = {0, 20000000};
    for (unsigned k = 1; k < 16; k++) {
        qpucc_program_free(compile(cache, k, NULL));
        ck_assert_uint_le(for_files(NULL), bound);
        nanosleep(&tick, NULL);
        qpucc_program_free(compile(cache, 0, NULL)); /* is used all the time, and stays */
        nanosleep(&tick, NULL);
    }
    struct qpucc_cache_stats stats = qpucc_cache_statistics(cache);
    ck_assert_uint_eq(stats.hits, 15);
    ck_assert_uint_gt(stats.removed, 5);
    ck_assert_uint_ge(entries(), 3);
    qpucc_program_free(compile(cache, 15, NULL));
    ck_assert_uint_eq(qpucc_cache_statistics(cache).hits, 16);
    qpucc_program_free(compile(cache, 1, NULL));
    ck_assert_uint_eq(qpucc_cache_statistics(cache).hits, 16);
    qpucc_cache_close(cache);
    cache = qpucc_cache_open(folder, one / 2); /* nothing fits */
    qpucc_program *p = compile(cache, 40, NULL);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_OK);
    qpucc_program_free(p);
    qpucc_cache_close(cache);
    remove_folder();
}
END_TEST

/* One that no other entries make room for, because the lock file is beside it. */
START_TEST(what_cannot_fit_removes_nothing) {
    enum { BOUND = 4096 };
    static const uint8_t data[BOUND];
    make_folder();
    struct cache_directory *d = cache_directory_open(folder, BOUND, NULL);
    uint8_t key[QPUCC_CACHE_KEY_BYTES] = {0};
    for (key[0] = 0; key[0] < 3; key[0]++)
        cache_directory_put(d, key, data, BOUND / 8);
    cache_directory_put(d, key, data, BOUND - 20);
    ck_assert_uint_eq(entries(), 3);
    cache_directory_put(d, key, data, BOUND - 21);
    ck_assert_uint_eq(entries(), 1);
    ck_assert_uint_eq(for_files(NULL), BOUND);
    cache_directory_close(d);
    remove_folder();
}
END_TEST

START_TEST(no_entry_is_waited_for) {
    make_folder();
    struct cache_directory *d = cache_directory_open(folder, 0, NULL);
    const uint8_t key[QPUCC_CACHE_KEY_BYTES] = {0};
    char path[300];
    size_t size;
    snprintf(path, sizeof path, "%s/%064d", folder, 0);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_ptr_null(cache_directory_get(d, key, &size));
    cache_directory_put(d, key, "entry", 5);
    char *data = cache_directory_get(d, key, &size);
    ck_assert(data && size == 5);
    free(data);
    cache_directory_close(d);
    remove_folder();
}
END_TEST

/* --- many at once --------------------------------------------------------------------------------------- */

enum { PROCESSES = 6, THREADS = 2, ROUNDS = 12, SHADERS = 5 };
enum { MISSED = 3 }; /* a process' exit code: it found nothing */

static qpucc_program *whole[SHADERS];

static void *use(void *user) {
    qpucc_cache *cache = user;
    for (unsigned k = 0; k < ROUNDS; k++) {
        unsigned number = (k * 7 + (unsigned)getpid()) % SHADERS;
        qpucc_program *p = compile(cache, number, NULL);
        if (program_difference(p, whole[number]))
            return user;
        qpucc_program_free(p);
    }
    return NULL;
}

/* With a bound that is too small for all of them, so that entries come and go; one process damages entries.
 */
START_TEST(many_processes_share_a_directory) {
    make_folder();
    for (unsigned i = 0; i < SHADERS; i++)
        whole[i] = compile(NULL, i, NULL);
    qpucc_cache *probe = qpucc_cache_open(folder, 0);
    qpucc_program_free(compile(probe, 0, NULL));
    qpucc_cache_close(probe);
    uint64_t bound = for_files(NULL) * 4;
    pid_t child[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        ck_assert_int_ge(child[i], 0);
        if (child[i])
            continue;
        qpucc_cache *cache = qpucc_cache_open(folder, bound);
        pthread_t threads[THREADS];
        void *wrong = NULL, *result;
        if (!cache)
            _exit(2);
        for (int t = 0; t < THREADS; t++)
            pthread_create(&threads[t], NULL, use, cache);
        for (int t = 0; t < THREADS; t++) {
            pthread_join(threads[t], &result);
            wrong = wrong ? wrong : result;
        }
        _exit(wrong ? 1 : qpucc_cache_statistics(cache).hits ? 0 : MISSED);
    }
    unsigned hit = 0; /* processes: the bound may take from a single one all that it looks for */
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        ck_assert_int_eq(waitpid(child[i], &status, 0), child[i]);
        ck_assert(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == MISSED));
        hit += WEXITSTATUS(status) == 0;
        ck_assert_uint_le(for_files(NULL), bound + bound / 4); /* and what others may be writing */
    }
    ck_assert_uint_gt(hit, 0);
    ck_assert_uint_le(for_files(NULL), bound);
    for (unsigned i = 0; i < SHADERS; i++)
        qpucc_program_free(whole[i]);
    remove_folder();
}
END_TEST

/* --- a store of the caller's ---------------------------------------------------------------------------- */

struct shelf {
    uint8_t key[8][QPUCC_CACHE_KEY_BYTES];
    void *data[8];
    size_t size[8], count, gets;
};

static void *shelf_get(void *user, const uint8_t key[QPUCC_CACHE_KEY_BYTES], size_t *size) {
    struct shelf *shelf = user;
    shelf->gets++;
    for (size_t i = 0; i < shelf->count; i++)
        if (!memcmp(shelf->key[i], key, QPUCC_CACHE_KEY_BYTES)) {
            void *copy = malloc(shelf->size[i]);
            *size = shelf->size[i];
            return memcpy(copy, shelf->data[i], *size);
        }
    return NULL;
}

static void shelf_put(void *user, const uint8_t key[QPUCC_CACHE_KEY_BYTES], const void *data, size_t size) {
    struct shelf *shelf = user;
    if (shelf->count == 8)
        return;
    memcpy(shelf->key[shelf->count], key, QPUCC_CACHE_KEY_BYTES);
    shelf->data[shelf->count] = memcpy(malloc(size), data, size);
    shelf->size[shelf->count++] = size;
}

/* What is linked has entries of its own: by shaders, state and options. */
START_TEST(linked_shaders_have_entries) {
    char fragment[400];
    make_folder();
    write_fragment(fragment, 1);
    qpucc_shader *v = shader(QPUCC_VERTEX, vertex), *f = shader(QPUCC_FRAGMENT, fragment),
                 *bad = shader(QPUCC_FRAGMENT, "void main() { none; }");
    const qpucc_shader *list[] = {v, f}, *with_bad[] = {v, bad}, *with_none[] = {v, NULL};
    qpucc_cache *cache = qpucc_cache_open(folder, 0);
    const struct qpucc_state state = {.depth_test = 1};
    struct qpucc_options quick = qpucc_options_default();
    quick.opt_level = 1;
    const struct {
        const struct qpucc_state *state;
        const struct qpucc_options *options;
    } ways[] = {{NULL, NULL}, {&state, NULL}, {NULL, &quick}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        for (unsigned again = 0; again < 2; again++) {
            qpucc_program *got = qpucc_cache_link(cache, list, 2, ways[i].state, ways[i].options),
                          *want = qpucc_link(list, 2, ways[i].state, ways[i].options);
            expect_same(got, want);
            ck_assert_uint_eq(qpucc_cache_statistics(cache).misses, i + 1);
            ck_assert_uint_eq(qpucc_cache_statistics(cache).hits, i + again);
            qpucc_program_free(got);
            qpucc_program_free(want);
        }
    qpucc_program *none = qpucc_cache_link(cache, with_bad, 2, NULL, NULL);
    ck_assert_str_eq(qpucc_program_diagnostic(none, 0)->code, "link");
    ck_assert_uint_eq(qpucc_cache_statistics(cache).bypassed, 1);
    qpucc_program_free(none);
    none = qpucc_cache_link(cache, list, 3, NULL, NULL); /* no more than two are looked at */
    ck_assert_str_eq(qpucc_program_diagnostic(none, 0)->code, "usage");
    ck_assert_uint_eq(qpucc_cache_statistics(cache).bypassed, 2);
    qpucc_program_free(none);
    none = qpucc_cache_link(cache, with_none, 2, NULL, NULL);
    ck_assert_str_eq(qpucc_program_diagnostic(none, 0)->code, "usage");
    ck_assert_uint_eq(qpucc_cache_statistics(cache).bypassed, 3);
    qpucc_program_free(none);
    qpucc_cache_close(cache);
    qpucc_shader_free(v);
    qpucc_shader_free(f);
    qpucc_shader_free(bad);
    remove_folder();
}
END_TEST

static bool was_read(const qpucc_shader *shader) {
    return atomic_load(shader->read);
}

/* Shaders whose program is there are not read; what is wrong with others is said. */
START_TEST(what_is_found_is_not_read) {
    char fragment[400];
    make_folder();
    write_fragment(fragment, 1);
    qpucc_cache *cache = qpucc_cache_open(folder, 0);
    const struct qpucc_state state = {.depth_test = 1};
    qpucc_program *first = NULL;
    for (int turn = 0; turn < 3; turn++) { /* the first one is not later */
        qpucc_shader *v = turn ? unread(QPUCC_VERTEX, vertex) : shader(QPUCC_VERTEX, vertex),
                     *f = turn ? unread(QPUCC_FRAGMENT, fragment) : shader(QPUCC_FRAGMENT, fragment);
        const qpucc_shader *list[] = {v, f};
        qpucc_program *got = qpucc_cache_link(cache, list, 2, NULL, NULL);
        ck_assert_uint_eq(qpucc_cache_statistics(cache).hits, turn);
        ck_assert_int_eq(was_read(v), turn == 0);
        ck_assert_int_eq(was_read(f), turn == 0);
        if (turn == 2) { /* another state has to be made, so now they are */
            qpucc_program_free(qpucc_cache_link(cache, list, 2, &state, NULL));
            ck_assert(was_read(v) && was_read(f));
        }
        if (first)
            expect_same(got, first);
        if (first)
            qpucc_program_free(got);
        else
            first = got;
        qpucc_shader_free(v);
        qpucc_shader_free(f);
    }
    qpucc_program_free(first);
    qpucc_shader *v = unread(QPUCC_VERTEX, vertex), *bad = unread(QPUCC_FRAGMENT, "void main() { none; }"),
                 *including = unread(QPUCC_FRAGMENT, "#include \"none.h\"\n");
    const qpucc_shader *with_bad[] = {v, bad}, *with_including[] = {v, including};
    for (uint64_t turn = 0; turn < 2; turn++) {
        qpucc_program *none = qpucc_cache_link(cache, with_bad, 2, NULL, NULL);
        ck_assert_str_eq(qpucc_program_diagnostic(none, 0)->code, "link");
        qpucc_program_free(none);
        ck_assert_uint_eq(qpucc_cache_statistics(cache).bypassed, turn); /* it has been read then */
    }
    qpucc_program_free(qpucc_cache_link(cache, with_including, 2, NULL, NULL));
    ck_assert_uint_eq(qpucc_cache_statistics(cache).bypassed, 2);
    ck_assert(was_read(including)); /* what it includes is not known before */
    qpucc_shader_free(v);
    qpucc_shader_free(bad);
    qpucc_shader_free(including);
    qpucc_cache_close(cache);
    remove_folder();
}
END_TEST

START_TEST(a_store_of_the_callers) {
    struct shelf shelf = {.count = 0};
    struct qpucc_cache_store store = {.user = &shelf, .get = shelf_get, .put = shelf_put},
                             half = {.user = &shelf, .get = shelf_get};
    qpucc_cache *cache = qpucc_cache_open_store(&store);
    qpucc_program *p = compile(cache, 9, NULL), *q = compile(cache, 9, NULL);
    ck_assert_uint_eq(shelf.count, 1);
    ck_assert_uint_eq(shelf.gets, 2);
    ck_assert_uint_eq(qpucc_cache_statistics(cache).hits, 1);
    expect_same(p, q);
    ((uint8_t *)shelf.data[0])[100] ^= 4;
    qpucc_program *r = compile(cache, 9, NULL);
    ck_assert_uint_eq(qpucc_cache_statistics(cache).damaged, 1);
    expect_same(p, r);
    qpucc_program_free(p);
    qpucc_program_free(q);
    qpucc_program_free(r);
    qpucc_cache_close(cache);
    for (size_t i = 0; i < shelf.count; i++)
        free(shelf.data[i]);
    ck_assert_ptr_null(qpucc_cache_open_store(&half));
    ck_assert_ptr_null(qpucc_cache_open_store(NULL));
}
END_TEST

/* --- SHA-256 -------------------------------------------------------------------------------------------- */

/* FIPS 180-4's examples, and a million times "a". */
START_TEST(digests) {
    static const struct {
        const char *text;
        unsigned times;
        const char *hex;
    } cases[] = {
        {"", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sha256 s;
        uint8_t digest[32];
        char hex[65];
        sha256_begin(&s);
        for (unsigned k = 0; k < cases[i].times; k++)
            sha256_add(&s, cases[i].text, strlen(cases[i].text));
        sha256_end(&s, digest);
        for (unsigned k = 0; k < 32; k++)
            snprintf(hex + 2 * k, 3, "%02x", digest[k]);
        ck_assert_str_eq(hex, cases[i].hex);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("cache");
    TCase *tests = tcase_create("cache");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, hits_are_compiles);
    tcase_add_test(tests, variants_share_entries_with_compiles);
    tcase_add_test(tests, what_is_refused_is_refused);
    tcase_add_test(tests, variants_say_nothing_of_costs);
    tcase_add_test(tests, limits_are_the_callers);
    tcase_add_test(tests, other_inputs_are_other_entries);
    tcase_add_test(tests, what_cannot_be_known_is_compiled);
    tcase_add_test(tests, included_files_are_part_of_the_key);
    tcase_add_test(tests, damaged_entries_are_made_again);
    tcase_add_test(tests, the_least_recently_used_goes);
    tcase_add_test(tests, what_cannot_fit_removes_nothing);
    tcase_add_test(tests, no_entry_is_waited_for);
    tcase_add_test(tests, many_processes_share_a_directory);
    tcase_add_test(tests, linked_shaders_have_entries);
    tcase_add_test(tests, what_is_found_is_not_read);
    tcase_add_test(tests, a_store_of_the_callers);
    tcase_add_test(tests, digests);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
