/* Reading the corpus, and the scene that each of its pairs is drawn in. */
#include "pairs.h"
#include "pair_folder.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool pairs_option(struct pair_options *options, int c, const char *argument) {
    char error[600];
    switch (c) {
    case 'k': options->keep = argument; return true;
    case 'p': options->pairs = argument; return true;
    case 'f': options->filter = argument; return true;
    case 's': options->size = argument; return true;
    case 'v': options->variant = (unsigned)strtoul(argument, NULL, 10); return options->variant != 0;
    case 'n':
        return sscanf(argument, "%u/%u", &options->part, &options->parts) == 2 &&
               options->part - 1 < options->parts;
    case 'e':
        if (file_read(argument, &options->exceptions, error, sizeof error))
            return true;
        fprintf(stderr, "%s\n", error);
        return false;
    default: return false;
    }
}

bool pairs_excepted(const struct pair_options *options, const char *name) {
    size_t length = strlen(name);
    for (const char *at = options->exceptions.data; at && *at;) {
        if (!strncmp(at, name, length) && at[length] == ':')
            return true;
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return false;
}

void pairs_keep(const struct pair_options *options, const char *name, const char *kind,
                const struct picture *picture) {
    char path[600], error[700];
    int length = snprintf(path, sizeof path, "%s/", options->keep);
    if (length < 0 || (size_t)length >= sizeof path)
        return;
    snprintf(path + length, sizeof path - (size_t)length, "%s.%s.png", name, kind);
    for (char *c = path + length; *c; c++)
        if (*c == '/')
            *c = '-';
    if (!picture_write_png(picture, path, false, error, sizeof error))
        fprintf(stderr, "%s\n", error);
}

static void one(json_t *line, const struct pair_options *options, unsigned *count, pair_function *function,
                void *user) {
    const char *filter = options->filter ? options->filter : "";
    const char *name = json_string_value(json_object_get(line, "name"));
    const char *vertex = json_string_value(json_object_get(line, "vertex"));
    const char *fragment = json_string_value(json_object_get(line, "fragment"));
    char error[600] = "out of memory";
    if (!name || !vertex || !fragment || strncmp(name, filter, strlen(filter)) != 0)
        return;
    if (options->parts && (*count)++ % options->parts != options->part - 1)
        return;
    static const char *const sizes[] = {"160x120", "131x97", "96x144", "200x88"};
    struct scene scene;
    scene_init(&scene);
    scene.variant = options->variant;
    scene.time += 0.37f * (float)options->variant;
    /* a shader that transforms gets something to look at, one that does not a full screen */
    const char *mesh = json_string_value(json_object_get(line, "mesh"));
    if (!mesh)
        mesh = !strstr(vertex, "mat4") ? "quad" : options->variant % 2 ? "cube" : "sphere";
    scene.mesh_name = strdup(mesh);
    bool ok = scene_size_option(&scene, options->size ? options->size : sizes[options->variant % 4], error,
                                sizeof error) &&
              scene.mesh_name && scene_prepare(&scene, error, sizeof error);
    function(user, name, ok ? &scene : NULL, vertex, fragment, error);
    scene_free(&scene);
}

/* What goes through a folder. */
struct folder_walk {
    const struct pair_options *options;
    pair_function *function;
    void *user;
    unsigned count;
};

static void one_of_folder(void *user, const char *name, const char *vertex, const char *fragment) {
    struct folder_walk *walk = user;
    json_t *line = json_pack("{s:s, s:s, s:s}", "name", name, "vertex", vertex, "fragment", fragment);
    one(line, walk->options, &walk->count, walk->function, walk->user);
    json_decref(line);
}

static bool is_folder(const char *path) {
    struct stat about;
    return !stat(path, &about) && S_ISDIR(about.st_mode);
}

bool pairs_each(const struct pair_options *options, pair_function *function, void *user, bool *skipped) {
    char error[600], full[600];
    const char *shared = getenv("QPUCC_SHARED"), *path = options->pairs;
    struct file_data file;
    unsigned count = 0;
    *skipped = false;
    if (!strncmp(path, "SHARED/", 7)) {
        if (!shared || !*shared) {
            printf("skipped: QPUCC_SHARED is not set\n");
            *skipped = true;
            return true;
        }
        snprintf(full, sizeof full, "%s/%s", shared, path + 7);
        path = full;
    }
    if (is_folder(path)) {
        struct folder_walk walk = {options, function, user, 0};
        return pair_folder_each(path, one_of_folder, &walk);
    }
    if (!file_read(path, &file, error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        return false;
    }
    for (char *at = file.data; *at;) {
        char *stop = strchr(at, '\n');
        size_t length = stop ? (size_t)(stop - at) : strlen(at);
        json_t *line = json_loadb(at, length, 0, NULL);
        one(line, options, &count, function, user);
        json_decref(line);
        at += length + (stop != NULL);
    }
    file_free(&file);
    return true;
}
