/* Reads the corpus of machine code that other compilers made. */
#include "corpus.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *shared_folder(void) {
    const char *folder = getenv("QPUCC_SHARED");
    return folder && *folder ? folder : NULL;
}

void print_path(char path[PATH_SIZE], const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(path, PATH_SIZE, format, args);
    va_end(args);
}

char *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        return NULL;
    }
    size_t capacity = 1 << 16, used = 0;
    char *text = malloc(capacity + 1);
    while (text) {
        size_t n = fread(text + used, 1, capacity - used, file);
        used += n;
        if (n == 0) {
            break;
        }
        if (used == capacity) {
            capacity *= 2;
            char *grown = realloc(text, capacity + 1);
            if (!grown) {
                free(text);
            }
            text = grown;
        }
    }
    fclose(file);
    if (text) {
        text[used] = 0;
        *length = used;
    }
    return text;
}

static enum qpucc_stage stage_of(const char *name) {
    if (strcmp(name, "vertex") == 0) {
        return QPUCC_VERTEX;
    }
    return strcmp(name, "coordinate") == 0 ? QPUCC_COORDINATE : QPUCC_FRAGMENT;
}

static bool read_program(const char *line, size_t length, struct foreign_program *p) {
    json_t *object = json_loadb(line, length, 0, NULL);
    const char *name, *compiler, *stage;
    json_t *code;
    if (json_unpack(object, "{s:s, s:s, s:s, s:o}", "name", &name, "compiler", &compiler, "stage", &stage,
                    "code", &code) != 0) {
        json_decref(object);
        return false;
    }
    p->name = strdup(name);
    p->compiler = strdup(compiler);
    p->stage = stage_of(stage);
    p->count = json_array_size(code);
    p->code = calloc(p->count ? p->count : 1, sizeof *p->code);
    for (size_t i = 0; i < p->count; i++) {
        p->code[i] = strtoull(json_string_value(json_array_get(code, i)), NULL, 16);
    }
    json_decref(object);
    return true;
}

bool corpus_load(struct foreign_corpus *corpus) {
    *corpus = (struct foreign_corpus){0};
    const char *folder = shared_folder();
    if (!folder) {
        return false;
    }
    char path[PATH_SIZE];
    print_path(path, "%s/corpus/foreign-code.jsonl", folder);
    size_t length;
    char *text = read_file(path, &length);
    if (!text) {
        return false;
    }
    size_t lines = 0;
    for (size_t i = 0; i < length; i++) {
        lines += text[i] == '\n';
    }
    corpus->programs = calloc(lines + 1, sizeof *corpus->programs);
    bool fine = true;
    for (char *line = text; fine && line < text + length;) {
        char *end = memchr(line, '\n', (size_t)(text + length - line));
        size_t n = end ? (size_t)(end - line) : (size_t)(text + length - line);
        if (n > 0) {
            fine = read_program(line, n, &corpus->programs[corpus->count]);
            corpus->count += fine;
        }
        line += n + 1;
    }
    free(text);
    if (!fine) {
        corpus_free(corpus);
    }
    return fine;
}

void corpus_free(struct foreign_corpus *corpus) {
    for (size_t i = 0; i < corpus->count; i++) {
        free(corpus->programs[i].name);
        free(corpus->programs[i].compiler);
        free(corpus->programs[i].code);
    }
    free(corpus->programs);
    *corpus = (struct foreign_corpus){0};
}
