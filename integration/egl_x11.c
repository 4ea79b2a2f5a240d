/* Preloaded into programs that draw with EGL in X11 windows: the windows' pictures are GBM's, and each one
 * that is swapped is shown on the device's display. Mesa's vc4 needs a server with DRI3 for windows, and
 * Xvfb is none. Everything else of X11 is the server's.
 *
 * One display and one window. */
#include "screen.h"

#include <EGL/egl.h>
#include <X11/Xlib.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define REAL(function) ((__typeof__(&function))dlsym(RTLD_NEXT, #function))

static struct screen screen;
static Display *x11;

static void need(bool fine) {
    if (!fine) {
        exit(1);
    }
}

EGLDisplay eglGetDisplay(EGLNativeDisplayType display) {
    x11 = (Display *)display;
    need(screen.gbm || screen_open(&screen, false));
    return REAL(eglGetDisplay)((EGLNativeDisplayType)screen.gbm);
}

/* The first of those that the display shows. */
EGLBoolean eglChooseConfig(EGLDisplay display, const EGLint *attributes, EGLConfig *configs, EGLint size,
                           EGLint *count) {
    enum { MOST = 256 };
    EGLConfig all[MOST];
    EGLint n = 0;
    *count = 0;
    if (!REAL(eglChooseConfig)(display, attributes, all, MOST, &n)) {
        return EGL_FALSE;
    }
    for (EGLint k = 0; k < n; k++) {
        EGLint format = 0;
        REAL(eglGetConfigAttrib)(display, all[k], EGL_NATIVE_VISUAL_ID, &format);
        if (format == GBM_FORMAT_XRGB8888 && *count < size) {
            configs[(*count)++] = all[k];
        }
    }
    return EGL_TRUE;
}

EGLBoolean eglGetConfigAttrib(EGLDisplay display, EGLConfig config, EGLint attribute, EGLint *value) {
    EGLBoolean fine = REAL(eglGetConfigAttrib)(display, config, attribute, value);
    if (fine && attribute == EGL_NATIVE_VISUAL_ID) {
        *value = (EGLint)XVisualIDFromVisual(XDefaultVisual(x11, XDefaultScreen(x11)));
    }
    return fine;
}

EGLSurface eglCreateWindowSurface(EGLDisplay display, EGLConfig config, EGLNativeWindowType window,
                                  const EGLint *attributes) {
    Window root;
    int x, y;
    unsigned width, height, border, depth;
    need(XGetGeometry(x11, (Window)window, &root, &x, &y, &width, &height, &border, &depth) != 0);
    need(!screen.surface && screen_surface(&screen, width, height));
    return REAL(eglCreateWindowSurface)(display, config, (EGLNativeWindowType)screen.surface, attributes);
}

EGLBoolean eglSwapBuffers(EGLDisplay display, EGLSurface surface) {
    return REAL(eglSwapBuffers)(display, surface) && screen_show(&screen);
}
