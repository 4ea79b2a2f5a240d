/* qpusim-device: what its files share. */
#ifndef DEVICE_H
#define DEVICE_H

#include "tools/gpu.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct device_options {
    const char *frames; /* folder for pictures; NULL: none */
    bool raw_frames;    /* not as PNG */
    const char *record; /* folder for captures; NULL: none */
    bool stats;
    bool frame_clock;     /* the program's time follows its frames */
    unsigned frame_limit; /* 0: none; otherwise the program ends after this many frames */
    unsigned width, height;
    struct gpu_options gpu;
};

/* --- folder: the device's files in /dev and /sys, and its socket */

bool folder_make(char path[PATH_MAX], char *error, size_t size);
void folder_remove(const char *path);

/* --- server: programs' calls */

struct server;
struct server *server_new(const char *folder, struct qpusim_drm *device, char *error, size_t size);
void server_free(struct server *server);
/* Serves until the process `child` has ended and nobody is connected. Returns its wait status. */
int server_run(struct server *server, int child);

/* --- frames and records */

bool frame_write(const char *folder, const struct qpusim_drm_frame *frame, bool raw, char *error,
                 size_t size);

struct recorder;
struct recorder *recorder_new(const char *folder, char *error, size_t size);
void recorder_free(struct recorder *recorder);
void recorder_submit(struct recorder *recorder, const struct qpusim_drm_submit *submit,
                     const struct qpusim_drm_view *views);
void recorder_done(struct recorder *recorder, const struct qpusim_drm_submit *submit,
                   const struct qpusim_drm_view *views);
void recorder_shown(struct recorder *recorder, const struct qpusim_drm_frame *frame);

#endif
