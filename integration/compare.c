/* Compares two folders of frames: for each frame the pixels that differ by more than 3 and by more than 24 of
 * 255, and the largest difference.
 *
 *     compare_frames NAME OURS REFERENCE [LIMIT]
 *
 * Prints a line of a table. Exit code 1: a frame is missing, has another size, or more than LIMIT percent (1)
 * of its pixels differ by more than 24: more than edges and rounding explain. */
#include "tools/picture.h"

#include <stdio.h>
#include <stdlib.h>

struct difference {
    double small, large; /* percent of the pixels */
    unsigned most;
};

static bool compare(const char *const folders[2], unsigned number, struct difference *d, char *error,
                    size_t size) {
    struct picture pictures[2] = {{0}};
    char path[4096];
    bool fine = true;
    for (int n = 0; n < 2 && fine; n++) {
        snprintf(path, sizeof path, "%s/frame-%05u.png", folders[n], number);
        fine = picture_read_png(&pictures[n], path, error, size);
    }
    if (fine && (pictures[0].width != pictures[1].width || pictures[0].height != pictures[1].height)) {
        snprintf(error, size, "frame %u: %u x %u, the reference has %u x %u", number, pictures[0].width,
                 pictures[0].height, pictures[1].width, pictures[1].height);
        fine = false;
    }
    size_t pixels = (size_t)pictures[0].width * pictures[0].height, small = 0, large = 0;
    for (size_t i = 0; fine && i < pixels; i++) {
        unsigned most = 0;
        for (int c = 0; c < 3; c++) {
            unsigned difference =
                (unsigned)abs(pictures[0].pixels[4 * i + c] - pictures[1].pixels[4 * i + c]);
            most = difference > most ? difference : most;
        }
        small += most > 3;
        large += most > 24;
        d->most = most > d->most ? most : d->most;
    }
    if (fine) {
        double percent = 100.0 / (double)pixels;
        d->small = (double)small * percent > d->small ? (double)small * percent : d->small;
        d->large = (double)large * percent > d->large ? (double)large * percent : d->large;
    }
    picture_free(&pictures[0]);
    picture_free(&pictures[1]);
    return fine;
}

static bool exists(const char *folder, unsigned number) {
    char path[4096];
    snprintf(path, sizeof path, "%s/frame-%05u.png", folder, number);
    FILE *file = fopen(path, "r");
    if (file) {
        fclose(file);
    }
    return file != NULL;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: compare_frames NAME OURS REFERENCE [LIMIT]\n");
        return 2;
    }
    const char *const folders[2] = {argv[2], argv[3]};
    double limit = argc > 4 ? strtod(argv[4], NULL) : 1;
    struct difference d = {0};
    char error[512] = "";
    unsigned frames = 0;
    bool fine = true;
    /* The last frame of one may be missing in the other: programs end by time. */
    while (exists(argv[3], frames) && exists(argv[2], frames) && fine) {
        fine = compare(folders, frames++, &d, error, sizeof error);
    }
    if (frames == 0) {
        snprintf(error, sizeof error, "no frames");
        fine = false;
    }
    if (!fine) {
        printf("| %s | %u | | | | %s |\n", argv[1], frames, error);
        return 1;
    }
    bool close = d.large <= limit;
    printf("| %s | %u | %.2f | %.2f | %u | %s |\n", argv[1], frames, d.small, d.large, d.most,
           close ? "same" : "differs");
    return !close;
}
