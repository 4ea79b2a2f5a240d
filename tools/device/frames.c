/* Frames that a program shows, as PNG or as raw bytes. */
#include "device.h"
#include "tools/file.h"
#include "tools/surface.h"

#include <drm_fourcc.h>

static enum surface_format format_of(uint32_t fourcc) {
    switch (fourcc) {
    case DRM_FORMAT_RGB565: return SURFACE_BGR565;
    case DRM_FORMAT_XBGR8888:
    case DRM_FORMAT_ABGR8888: return SURFACE_RGBA8888;
    default: return SURFACE_BGRA8888;
    }
}

bool frame_write(const char *folder, const struct qpusim_drm_frame *frame, bool raw, char *error,
                 size_t size) {
    char path[PATH_MAX];
    struct picture picture;
    struct surface surface = {
        .layout = frame->modifier == DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED ? SURFACE_T : SURFACE_RASTER,
        .format = format_of(frame->format),
        .width = frame->width,
        .height = frame->height,
        .stride = frame->stride};
    snprintf(path, sizeof path, "%s/frame-%05u.%s", folder, frame->number, raw ? "raw" : "png");
    if (!surface_read(&picture, &surface, frame->bytes, frame->size)) {
        snprintf(error, size, "%s: the frame buffer does not hold %u x %u pixels", path, frame->width,
                 frame->height);
        return false;
    }
    picture_turn_over(&picture); /* a display's first row is the upper one, a picture's the lower one */
    bool fine =
        raw ? file_write(path, picture.pixels, (size_t)picture.width * picture.height * 4, error, size)
            : picture_write_png(&picture, path, false, error, size);
    picture_free(&picture);
    return fine;
}
