/* text.c: memory of one compile, interned names, file names, diagnostics. */
#include "frontend/glsl/internal.h"
#include "ir/heap.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Beyond these, glslang's recursion may meet the end of a thread's stack, whatever the options say. */
enum { DEEPEST = 400, LONGEST = 8000 };

static unsigned at_most(uint64_t limit, unsigned most) {
    return limit < most ? (unsigned)limit : most;
}

bool run_begin(struct run *run, struct ir_arena *beside) {
    run->arena = beside ? ir_arena_beside(beside) : ir_arena_create(NULL);
    run->bucket_count = 1024;
    if (!run->arena)
        return false;
    run->from = ir_allocator(run->arena);
    run->buckets = ir_heap_zeroed(run->from, run->bucket_count * sizeof *run->buckets);
    if (!run->buckets)
        return false;
    run->limits.tokens = ir_limit(run->arena, QPUCC_LIMIT_TOKENS);
    run->limits.expansion = ir_limit(run->arena, QPUCC_LIMIT_EXPANSION);
    run->limits.nesting = at_most(ir_limit(run->arena, QPUCC_LIMIT_NESTING), DEEPEST);
    run->limits.chain = at_most(ir_limit(run->arena, QPUCC_LIMIT_CHAIN), LONGEST);
    run->limits.includes = at_most(ir_limit(run->arena, QPUCC_LIMIT_INCLUDES), UINT32_MAX);
    run->limits.include_depth = at_most(ir_limit(run->arena, QPUCC_LIMIT_INCLUDE_DEPTH), DEEPEST);
    run->limits.source_bytes = ir_limit(run->arena, QPUCC_LIMIT_SOURCE_BYTES);
    return true;
}

void run_end(struct run *run) {
    if (run->arena)
        ir_release(run->arena, run->held);
    ir_heap_free(run->buckets);
    ir_heap_free(run->files);
    ir_heap_free(run->origin);
    ir_heap_free(run->order);
    run->buckets = NULL;
    run->files = NULL;
    run->origin = run->order = NULL;
}

static void run_hold(struct run *run, size_t bytes) {
    run->held += bytes;
    ir_hold(run->arena, bytes);
    run->failed |= ir_arena_oom(run->arena);
}

bool run_double(struct run *run, void **array, size_t *capacity, size_t element) {
    size_t larger = *capacity ? *capacity * 2 : 32;
    void *fresh = ir_heap_resize(run->from, *array, larger * element);
    if (!fresh) {
        run->failed = true;
        return false;
    }
    run_hold(run, (larger - *capacity) * element);
    *array = fresh;
    *capacity = larger;
    return true;
}

void run_free(struct run *run, void *array, size_t bytes) {
    run->held -= bytes;
    ir_release(run->arena, bytes);
    ir_heap_free(array);
}

void *run_zeroed(struct run *run, size_t count, size_t element) {
    void *memory = run->failed || count > SIZE_MAX / element ? NULL : ir_alloc(run->arena, count * element);
    run->failed |= !memory || ir_arena_oom(run->arena);
    return run->failed ? NULL : memory;
}

static void rehash(struct run *run) {
    size_t count = run->bucket_count * 4;
    struct name **fresh = ir_heap_zeroed(run->from, count * sizeof *fresh);
    if (!fresh)
        return; /* longer chains, nothing worse */
    for (size_t i = 0; i < run->bucket_count; i++) {
        for (struct name *n = run->buckets[i], *next; n; n = next) {
            next = n->next;
            n->next = fresh[n->hash & (count - 1)];
            fresh[n->hash & (count - 1)] = n;
        }
    }
    ir_heap_free(run->buckets);
    run->buckets = fresh;
    run->bucket_count = count;
}

struct name *run_name(struct run *run, const char *text, size_t length) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    for (struct name *n = run->buckets[hash & (run->bucket_count - 1)]; n; n = n->next) {
        if (n->hash == hash && n->length == length && memcmp(n->text, text, length) == 0)
            return n;
    }
    if (run->name_count > run->bucket_count * 2)
        rehash(run);
    struct name *n = ir_alloc(run->arena, sizeof *n);
    char *copy = ir_alloc(run->arena, length + 1);
    if (ir_arena_oom(run->arena)) {
        run->failed = true;
        length = length < 64 ? length : 64; /* what comes back may be the arena's scratch page */
    }
    memcpy(copy, text, length);
    copy[length] = 0;
    n->text = copy;
    n->length = (uint32_t)length;
    n->hash = hash;
    if (run->failed)
        return n;
    n->next = run->buckets[hash & (run->bucket_count - 1)];
    run->buckets[hash & (run->bucket_count - 1)] = n;
    run->name_count++;
    return n;
}

struct name *run_name_z(struct run *run, const char *text) {
    return run_name(run, text, strlen(text));
}

static const char *format_list(struct run *run, const char *format, va_list list) {
    char text[600];
    int length = vsnprintf(text, sizeof text, format, list);
    if (length < 0)
        return "";
    if ((size_t)length >= sizeof text)
        memcpy(text + sizeof text - 4, "...", 4);
    for (char *p = text; *p; p++) {
        if ((unsigned char)*p < ' ')
            *p = ' '; /* one line, whatever the source held */
    }
    return ir_strdup(run->arena, text);
}

const char *run_format(struct run *run, const char *format, ...) {
    va_list list;
    va_start(list, format);
    const char *text = format_list(run, format, list);
    va_end(list);
    return text;
}

const char *run_join(struct run *run, const char *first, const char *second) {
    size_t a = strlen(first), b = strlen(second);
    char *text = run_zeroed(run, a + b + 1, 1);
    if (!text)
        return "";
    memcpy(text, first, a);
    memcpy(text + a, second, b);
    return text;
}

uint32_t run_file(struct run *run, const char *text, struct place origin) {
    struct name *name = run_name_z(run, text);
    void *files = run->files, *origins = run->origin;
    if (name->file)
        return name->file - 1;
    if (run->failed || !run_grow(run, &files, &run->file_capacity, run->file_count, sizeof *run->files))
        return 0;
    run->files = files;
    if (!run_grow(run, &origins, &run->origin_capacity, run->file_count, sizeof *run->origin))
        return 0;
    run->origin = origins;
    run->origin[run->file_count] = origin;
    run->files[run->file_count] = name->text;
    name->file = (uint32_t)++run->file_count;
    return name->file - 1;
}

#define DEEPEST_ORIGIN 32

/* From the source to the place itself; returns how many. */
static size_t way_to(const struct run *run, struct place place, struct place way[DEEPEST_ORIGIN]) {
    struct place back[DEEPEST_ORIGIN];
    size_t n = 0;
    while (n < DEEPEST_ORIGIN) {
        back[n++] = place;
        if (place.file >= run->file_count || !run->origin[place.file].line)
            break;
        place = run->origin[place.file];
    }
    for (size_t i = 0; i < n; i++)
        way[i] = back[n - 1 - i];
    return n;
}

/* What an included file holds comes where it is included. */
static int compare_places(const struct run *run, struct place a, struct place b) {
    struct place wa[DEEPEST_ORIGIN], wb[DEEPEST_ORIGIN];
    size_t na = way_to(run, a, wa), nb = way_to(run, b, wb);
    for (size_t i = 0; i < na && i < nb; i++) {
        if (wa[i].file != wb[i].file)
            return wa[i].file < wb[i].file ? -1 : 1;
        if (wa[i].line != wb[i].line)
            return wa[i].line < wb[i].line ? -1 : 1;
        if (wa[i].column != wb[i].column)
            return wa[i].column < wb[i].column ? -1 : 1;
    }
    return na < nb ? -1 : na > nb;
}

void run_sort(struct run *run) {
    for (size_t i = 1; i < run->diagnostic_count; i++) {
        struct fe_diagnostic d = run->diagnostics[i];
        struct place place = run->order[i];
        size_t k = i;
        for (; k; k--) {
            const struct fe_diagnostic *before = &run->diagnostics[k - 1];
            if (before->stage > d.stage || /* QPUCC_VERTEX, the greater, comes first */
                (before->stage == d.stage && compare_places(run, run->order[k - 1], place) <= 0))
                break;
            run->diagnostics[k] = run->diagnostics[k - 1];
            run->order[k] = run->order[k - 1];
        }
        run->diagnostics[k] = d;
        run->order[k] = place;
    }
}

static const struct {
    const char *name;
    bool on; /* by default */
} warnings[] = {
#define DEFAULT true
#define ALL false
#define PORTABILITY false
#define PERFORMANCE false
#define WARNING(name, option, group, what) {option, group},
#include <qpucc/warnings.def>
#undef WARNING
#undef DEFAULT
#undef ALL
#undef PORTABILITY
#undef PERFORMANCE
};

uint32_t run_warnings_of(const struct fe_options *options) {
    uint32_t on = options->warnings;
    for (unsigned i = 0; i < QPUCC_WARNING_COUNT; i++)
        on |= (uint32_t)warnings[i].on << i;
    return on & ~options->no_warnings;
}

static void report(struct run *run, enum fe_severity severity, enum qpucc_stage stage, struct place place,
                   bool limit, const char *warning_name, const char *format, va_list list) {
    bool error = severity == FE_ERROR; /* warnings take no error's place: a refusal has its reason */
    run->error_count += error;
    if ((error ? run->kept_errors : run->diagnostic_count - run->kept_errors) >= MOST_ERRORS)
        return;
    const char *text = format_list(run, format, list);
    const char *name = run->reading ? run->reading->name : NULL;
    const char *file = place.file < run->file_count ? run->files[place.file] : name ? name : "shader";
    for (size_t i = 0; i < run->diagnostic_count; i++) {
        const struct fe_diagnostic *d = &run->diagnostics[i];
        if (d->line == place.line && d->column == place.column && d->stage == stage &&
            strcmp(d->text, text) == 0 && strcmp(d->file, file) == 0)
            return;
    }
    void *array = run->diagnostics, *order = run->order;
    if (!run_grow(run, &array, &run->diagnostic_capacity, run->diagnostic_count, sizeof *run->diagnostics))
        return;
    run->diagnostics = array;
    if (!run_grow(run, &order, &run->order_capacity, run->diagnostic_count, sizeof *run->order))
        return;
    run->order = order;
    run->order[run->diagnostic_count] = place;
    run->kept_errors += error;
    run->diagnostics[run->diagnostic_count++] = (struct fe_diagnostic){.severity = severity,
                                                                       .stage = stage,
                                                                       .file = file,
                                                                       .line = place.line,
                                                                       .column = place.column,
                                                                       .text = text,
                                                                       .limit = limit,
                                                                       .warning_name = warning_name};
}

void run_report(struct run *run, enum fe_severity severity, enum qpucc_stage stage, struct place place,
                const char *format, ...) {
    va_list list;
    va_start(list, format);
    report(run, severity, stage, place, false, NULL, format, list);
    va_end(list);
}

void run_warn(struct run *run, enum qpucc_warning warning, enum qpucc_stage stage, struct place place,
              const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (run_warns(run, warning, stage))
        report(run, FE_WARNING, stage, place, false, warnings[warning].name, format, list);
    va_end(list);
}

void run_limit(struct run *run, enum qpucc_stage stage, struct place place, const char *format, ...) {
    va_list list;
    va_start(list, format);
    report(run, FE_ERROR, stage, place, true, NULL, format, list);
    va_end(list);
}

void tokens_free(struct run *run, struct tokens *list) {
    run_free(run, list->at, list->capacity * sizeof *list->at);
    *list = (struct tokens){0};
}

bool buffer_grow(struct run *run, struct buffer *buffer, size_t length) {
    size_t larger = (buffer->capacity + length + 64) * 2;
    char *fresh = ir_heap_resize(run->from, buffer->text, larger);
    if (!fresh) {
        run->failed = true;
        return false;
    }
    run_hold(run, larger - buffer->capacity);
    buffer->text = fresh;
    buffer->capacity = larger;
    return true;
}

void buffer_free(struct run *run, struct buffer *buffer) {
    run_free(run, buffer->text, buffer->capacity);
    *buffer = (struct buffer){0};
}
