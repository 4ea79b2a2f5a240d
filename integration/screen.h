/* A picture of GBM on the device's display, for the programs here. */
#ifndef INTEGRATION_SCREEN_H
#define INTEGRATION_SCREEN_H

#include <gbm.h>
#include <stdbool.h>

struct screen {
    int fd;
    unsigned crtc, connector, plane;
    unsigned width, height;
    struct gbm_device *gbm;
    struct gbm_surface *surface;
    struct gbm_bo *shown;
    unsigned fb; /* its frame buffer */
    bool atomic; /* how it is shown: by atomic requests, or by SETCRTC */
    unsigned mode;
};

/* /dev/dri/card0. False: there is none, or it does not do this. */
bool screen_open(struct screen *screen, bool atomic);
/* The surface to draw on, GBM_FORMAT_XRGB8888. */
bool screen_surface(struct screen *screen, unsigned width, unsigned height);
/* Shows what was drawn since the last time, after eglSwapBuffers. */
bool screen_show(struct screen *screen);

#endif
