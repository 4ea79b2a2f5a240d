/* The table of patterns. */
#include "precedent.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const origin_name[ORIGIN_COUNT] = {"pi", "broadcom", "mesa", "ours"};

void program_free(struct program *p) {
    free(p->name);
    free(p->code);
    free(p->uniforms);
    free(p->known);
    memset(p, 0, sizeof *p);
}

static size_t hash(const char *text) {
    size_t h = 2166136261u;
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 16777619u;
    return h;
}

/* The slot that holds the text, or the free one where it belongs. */
static size_t slot_of(const struct table *t, const char *text) {
    size_t slot = hash(text) & (t->slot_count - 1);
    while (t->slots[slot] && strcmp(t->patterns[t->slots[slot] - 1].text, text) != 0)
        slot = (slot + 1) & (t->slot_count - 1);
    return slot;
}

static bool grow(struct table *t) {
    if (t->count == t->capacity) {
        size_t capacity = t->capacity ? 2 * t->capacity : 1024;
        struct pattern *patterns = realloc(t->patterns, capacity * sizeof *patterns);
        if (!patterns)
            return false;
        t->patterns = patterns, t->capacity = capacity;
    }
    if (2 * (t->count + 1) > t->slot_count) {
        size_t *slots = calloc(t->slot_count ? 2 * t->slot_count : 4096, sizeof *slots);
        if (!slots)
            return false;
        free(t->slots);
        t->slots = slots, t->slot_count = t->slot_count ? 2 * t->slot_count : 4096;
        for (size_t i = 0; i < t->count; i++)
            t->slots[slot_of(t, t->patterns[i].text)] = i + 1;
    }
    return true;
}

void table_note(struct table *t, const struct program *program, size_t at, const char *format, ...) {
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (t->failed || !grow(t)) {
        t->failed = true;
        return;
    }
    size_t slot = slot_of(t, text);
    if (!t->slots[slot]) {
        struct pattern fresh = {.text = strdup(text)};
        if (!fresh.text) {
            t->failed = true;
            return;
        }
        t->patterns[t->count++] = fresh;
        t->slots[slot] = t->count;
    }
    struct pattern *p = &t->patterns[t->slots[slot] - 1];
    enum origin origin = program->origin;
    p->times[origin]++;
    if (p->last[origin] != t->number)
        p->programs[origin]++;
    p->last[origin] = t->number;
    if (!p->example[origin]) {
        char example[300];
        snprintf(example, sizeof example, "%s:%zu", program->name, at);
        p->example[origin] = strdup(example);
        t->failed = !p->example[origin];
    }
}

const struct pattern *table_find(const struct table *t, const char *text) {
    size_t slot = t->slot_count ? slot_of(t, text) : 0;
    return t->slot_count && t->slots[slot] ? &t->patterns[t->slots[slot] - 1] : NULL;
}

static int by_text(const void *a, const void *b) {
    return strcmp(((const struct pattern *)a)->text, ((const struct pattern *)b)->text);
}

void table_sort(struct table *t) {
    if (t->count)
        qsort(t->patterns, t->count, sizeof *t->patterns, by_text);
    free(t->slots);
    t->slots = NULL, t->slot_count = 0;
}

void table_free(struct table *t) {
    for (size_t i = 0; i < t->count; i++) {
        free(t->patterns[i].text);
        for (int o = 0; o < ORIGIN_COUNT; o++)
            free(t->patterns[i].example[o]);
    }
    free(t->patterns);
    free(t->slots);
    memset(t, 0, sizeof *t);
}

bool pattern_has_precedent(const struct pattern *p) {
    return p->times[ORIGIN_PI] || p->times[ORIGIN_BROADCOM] || p->times[ORIGIN_MESA];
}
