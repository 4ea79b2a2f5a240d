/* Programs from files: other compilers' code and ours as JSON lines, recorded submits, the sniffer's
 * listings. */
#include "precedent.h"

#include <ctype.h>
#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool complain(const char *path, const char *what) {
    fprintf(stderr, "qpucc-precedent: %s: %s\n", path, what);
    return false;
}

/* Vertex and coordinate shaders end with writes to the VPM; no fragment shader may touch it (section 7). */
static bool is_fragment(const uint64_t *code, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct word w;
        word_decode(code[i], &w);
        if (w.events & (EVENT(VPM_READ) | EVENT(VPM_WRITE)))
            return false;
    }
    return true;
}

static bool take_words(struct program *p, const json_t *code) {
    p->count = json_array_size(code);
    p->code = calloc(p->count ? p->count : 1, sizeof *p->code);
    for (size_t i = 0; p->code && i < p->count; i++) {
        const char *text = json_string_value(json_array_get(code, i));
        char *end = NULL;
        if (text)
            p->code[i] = strtoull(text, &end, 16);
        if (!text || *end || end == text)
            return false;
    }
    return p->code && json_is_array(code);
}

/* Constants of the stream: "0x601a00", "6656", "0x3f800000 (1)". All else is known at the draw only. */
static bool take_uniforms(struct program *p, const json_t *stream) {
    p->uniform_count = json_array_size(stream);
    p->uniforms = calloc(p->uniform_count + 1, sizeof *p->uniforms);
    p->known = calloc(p->uniform_count + 1, sizeof *p->known);
    for (size_t i = 0; p->uniforms && p->known && i < p->uniform_count; i++) {
        const char *text = json_string_value(json_array_get(stream, i));
        char *end = NULL;
        if (text && isdigit((unsigned char)*text))
            p->uniforms[i] = (uint32_t)strtoul(text, &end, 0);
        p->known[i] = end && (!*end || *end == ' ');
    }
    return p->uniforms && p->known;
}

static enum origin origin_of(const char *compiler) {
    if (!compiler || !strcmp(compiler, "qpucc"))
        return ORIGIN_OURS;
    return strstr(compiler, "captured")   ? ORIGIN_PI
           : strstr(compiler, "broadcom") ? ORIGIN_BROADCOM
                                          : ORIGIN_MESA;
}

static bool scan_code(struct table *t, const char *name, const char *compiler, const json_t *stage) {
    struct program p = {.origin = origin_of(compiler)};
    const char *word = json_string_value(json_object_get(stage, "stage"));
    const json_t *stream = json_object_get(stage, "uniforms");
    char text[300];
    if (!json_is_array(stream))
        stream = json_object_get(stage, "stream");
    snprintf(text, sizeof text, "%s/%s", name ? name : "?", word ? word : "?");
    p.name = strdup(text);
    p.fragment = word && !strcmp(word, "fragment");
    bool ok = p.name && take_words(&p, json_object_get(stage, "code")) && take_uniforms(&p, stream);
    if (ok)
        scan_program(t, &p);
    program_free(&p);
    return ok;
}

bool read_code_lines(struct table *t, const char *path) {
    FILE *file = strcmp(path, "-") ? fopen(path, "r") : stdin;
    if (!file)
        return complain(path, "can't be read");
    bool ok = true;
    json_error_t error;
    for (int c; ok && (c = getc(file)) != EOF;) {
        if (isspace(c))
            continue;
        ungetc(c, file);
        json_t *line = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error);
        const char *name = json_string_value(json_object_get(line, "name"));
        const char *compiler = json_string_value(json_object_get(line, "compiler"));
        const json_t *stages = json_object_get(line, "stages"), *stage;
        size_t index;
        if (!line)
            ok = complain(path, error.text);
        else if (json_object_get(line, "code"))
            ok = scan_code(t, name, compiler, line) ||
                 complain(path, "code is a list of words in hexadecimal");
        else
            json_array_foreach(stages, index, stage) ok =
                ok && (scan_code(t, name, compiler, stage) ||
                       complain(path, "no code: it comes from qpucc report --json --code"));
        json_decref(line);
    }
    if (file != stdin)
        fclose(file);
    return ok;
}

/* --- recorded submits ----------------------------------------------------------------------------------- */

static bool scan_buffer(struct table *t, const char *folder, const char *file) {
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *in = fopen(path, "rb");
    if (!in)
        return complain(path, "can't be read");
    struct program p = {.origin = ORIGIN_MESA, .name = strdup(path), .code = NULL};
    size_t capacity = 0;
    unsigned char bytes[8];
    bool ok = p.name != NULL;
    while (ok && fread(bytes, 1, 8, in) == 8) {
        if (p.count == capacity) {
            capacity = capacity ? 2 * capacity : 256;
            uint64_t *code = realloc(p.code, capacity * sizeof *code);
            ok = code != NULL;
            if (!ok)
                break;
            p.code = code;
        }
        uint64_t word = 0;
        for (int k = 7; k >= 0; k--)
            word = word << 8 | bytes[k];
        p.code[p.count++] = word;
    }
    fclose(in);
    if (ok && p.count) {
        p.fragment = is_fragment(p.code, p.count);
        scan_program(t, &p);
    }
    program_free(&p);
    return ok;
}

/* The shader buffers of one submit that are new or changed. */
static bool read_submit(struct table *t, const char *folder, const char *name) {
    char path[1200];
    json_error_t error;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    json_t *submit = json_load_file(path, 0, &error);
    if (!submit)
        return complain(path, error.text);
    const json_t *buffer;
    size_t index;
    bool ok = true;
    json_array_foreach(json_object_get(submit, "bos"), index, buffer) {
        const char *file = json_string_value(json_object_get(buffer, "file"));
        if (ok && file && json_is_true(json_object_get(buffer, "shader")) &&
            json_is_true(json_object_get(buffer, "load")))
            ok = scan_buffer(t, folder, file);
    }
    json_decref(submit);
    return ok;
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a folder that begin and end so, sorted: the same order on every machine. */
static char **names_in(const char *folder, const char *begin, const char *end, size_t *count) {
    DIR *dir = opendir(folder);
    char **names = NULL;
    *count = 0;
    for (const struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        size_t length = strlen(entry->d_name), tail = strlen(end);
        char **grown;
        if (entry->d_name[0] == '.' || strncmp(entry->d_name, begin, strlen(begin)) != 0 || length < tail ||
            strcmp(entry->d_name + length - tail, end) != 0 || strstr(entry->d_name, ".k."))
            continue;
        grown = realloc(names, (*count + 1) * sizeof *names);
        if (!grown)
            break;
        names = grown;
        names[*count] = strdup(entry->d_name);
        if (!names[*count])
            break;
        ++*count;
    }
    if (dir)
        closedir(dir);
    if (*count)
        qsort(names, *count, sizeof *names, by_name);
    return names;
}

static void free_names(char **names, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

bool read_captures(struct table *t, const char *folder) {
    size_t scenes, submits, found = 0;
    char **scene = names_in(folder, "", "", &scenes);
    bool ok = true;
    for (size_t i = 0; ok && i < scenes; i++) {
        char inner[1000];
        snprintf(inner, sizeof inner, "%s/%s", folder, scene[i]);
        char **submit = names_in(inner, "submit", ".json", &submits);
        for (size_t k = 0; ok && k < submits; k++, found++)
            ok = read_submit(t, inner, submit[k]);
        free_names(submit, submits);
    }
    free_names(scene, scenes);
    return ok && (found || complain(folder, "no submits"));
}

/* --- listings ------------------------------------------------------------------------------------------- */

/* A line "00000002: 01827c00 40020867 ...": address, low word, high word. Address 0 begins a program. */
static bool listed_word(const char *line, uint64_t *word, bool *begins) {
    unsigned address, low, high;
    int used = 0;
    if (sscanf(line, "%8x: %8x %8x%n", &address, &low, &high, &used) != 3 || used < 26)
        return false;
    *word = (uint64_t)high << 32 | low, *begins = address == 0;
    return true;
}

static void scan_listed(struct table *t, struct program *p) {
    p->fragment = is_fragment(p->code, p->count);
    if (p->count)
        scan_program(t, p);
    p->count = 0;
}

bool read_listing(struct table *t, const char *path) {
    FILE *in = fopen(path, "r");
    if (!in)
        return complain(path, "can't be read");
    uint64_t code[1024];
    struct program p = {.origin = ORIGIN_PI, .name = (char *)path, .code = code};
    char line[2000];
    size_t found = 0;
    while (fgets(line, sizeof line, in)) {
        bool begins;
        uint64_t word;
        if (!listed_word(line, &word, &begins))
            continue;
        if (begins)
            scan_listed(t, &p);
        if (p.count < sizeof code / sizeof *code)
            code[p.count++] = word, found++;
    }
    scan_listed(t, &p);
    fclose(in);
    return found || complain(path, "no listing");
}
