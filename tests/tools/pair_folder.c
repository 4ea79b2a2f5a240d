/* Folders of pairs. */
#include "pair_folder.h"
#include "tools/file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PAIRS = 4096 };

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t read_names(const char *folder, char *names[MAX_PAIRS]) {
    size_t count = 0;
    DIR *dir = opendir(folder);
    if (!dir) {
        perror(folder);
        return 0;
    }
    for (struct dirent *entry; (entry = readdir(dir)) != NULL && count < MAX_PAIRS;) {
        size_t length = strlen(entry->d_name);
        if (length > 5 && !strcmp(entry->d_name + length - 5, ".vert"))
            names[count++] = strndup(entry->d_name, length - 5);
    }
    closedir(dir);
    qsort(names, count, sizeof *names, by_name);
    return count;
}

bool pair_folder_each(const char *folder, folder_function *function, void *user) {
    static char *names[MAX_PAIRS];
    size_t count = read_names(folder, names);
    bool ok = count > 0;
    for (size_t i = 0; i < count; i++) {
        struct file_data text[2] = {{NULL, 0}, {NULL, 0}};
        char path[1200], error[1400];
        for (int k = 0; k < 2 && ok; k++) {
            snprintf(path, sizeof path, "%s/%s.%s", folder, names[i], k ? "frag" : "vert");
            ok = file_read(path, &text[k], error, sizeof error);
            if (!ok)
                fprintf(stderr, "%s\n", error);
        }
        if (ok)
            function(user, names[i], text[0].data, text[1].data);
        file_free(&text[0]);
        file_free(&text[1]);
        free(names[i]);
    }
    return ok;
}
