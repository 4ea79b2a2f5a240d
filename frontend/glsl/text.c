/* text.c: memory of one compile, interned names, file names, diagnostics. */
#include "frontend/glsl/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool run_begin(struct run *run) {
    run->arena = ir_arena_create();
    run->bucket_count = 1024;
    run->buckets = calloc(run->bucket_count, sizeof *run->buckets);
    if (!run->arena || !run->buckets)
        return false;
    return true;
}

void run_end(struct run *run) {
    free(run->buckets);
    free(run->files);
    run->buckets = NULL;
    run->files = NULL;
}

bool run_grow(struct run *run, void **array, size_t *capacity, size_t count, size_t element) {
    if (count < *capacity)
        return true;
    size_t larger = *capacity ? *capacity * 2 : 32;
    void *fresh = realloc(*array, larger * element);
    if (!fresh) {
        run->failed = true;
        return false;
    }
    *array = fresh;
    *capacity = larger;
    return true;
}

static void rehash(struct run *run) {
    size_t count = run->bucket_count * 4;
    struct name **fresh = calloc(count, sizeof *fresh);
    if (!fresh)
        return; /* longer chains, nothing worse */
    for (size_t i = 0; i < run->bucket_count; i++) {
        for (struct name *n = run->buckets[i], *next; n; n = next) {
            next = n->next;
            n->next = fresh[n->hash & (count - 1)];
            fresh[n->hash & (count - 1)] = n;
        }
    }
    free(run->buckets);
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

uint32_t run_file(struct run *run, const char *text) {
    struct name *name = run_name_z(run, text);
    void *files = run->files;
    if (name->file)
        return name->file - 1;
    if (run->failed || !run_grow(run, &files, &run->file_capacity, run->file_count, sizeof *run->files))
        return 0;
    run->files = files;
    run->files[run->file_count] = name->text;
    name->file = (uint32_t)++run->file_count;
    return name->file - 1;
}

void run_report(struct run *run, enum fe_severity severity, enum fe_stage stage, struct place place,
                const char *format, ...) {
    if (severity == FE_ERROR)
        run->error_count++;
    if (run->diagnostic_count >= run->limits.errors)
        return;
    va_list list;
    va_start(list, format);
    const char *text = format_list(run, format, list);
    va_end(list);
    const char *file = place.file < run->file_count ? run->files[place.file] : "shader";
    for (size_t i = 0; i < run->diagnostic_count; i++) {
        const struct fe_diagnostic *d = &run->diagnostics[i];
        if (d->line == place.line && d->column == place.column && d->stage == stage &&
            strcmp(d->text, text) == 0 && strcmp(d->file, file) == 0)
            return;
    }
    void *array = run->diagnostics;
    if (!run_grow(run, &array, &run->diagnostic_capacity, run->diagnostic_count, sizeof *run->diagnostics))
        return;
    run->diagnostics = array;
    run->diagnostics[run->diagnostic_count++] = (struct fe_diagnostic){.severity = severity,
                                                                       .stage = stage,
                                                                       .file = file,
                                                                       .line = place.line,
                                                                       .column = place.column,
                                                                       .text = text};
}

bool tokens_push(struct run *run, struct tokens *list, struct token token) {
    void *array = list->at;
    if (!run_grow(run, &array, &list->capacity, list->count, sizeof *list->at))
        return false;
    list->at = array;
    list->at[list->count++] = token;
    return true;
}

void tokens_free(struct tokens *list) {
    free(list->at);
    *list = (struct tokens){0};
}

void buffer_add(struct run *run, struct buffer *buffer, const char *text, size_t length) {
    if (buffer->length + length + 1 > buffer->capacity) {
        size_t larger = (buffer->capacity + length + 64) * 2;
        char *fresh = realloc(buffer->text, larger);
        if (!fresh) {
            run->failed = true;
            return;
        }
        buffer->text = fresh;
        buffer->capacity = larger;
    }
    memcpy(buffer->text + buffer->length, text, length);
    buffer->length += length;
    buffer->text[buffer->length] = 0;
}

void buffer_add_z(struct run *run, struct buffer *buffer, const char *text) {
    buffer_add(run, buffer, text, strlen(text));
}
