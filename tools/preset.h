/* RetroArch's presets of GLSL shaders (.glslp): passes that draw into pictures for the next pass. */
#ifndef TOOLS_PRESET_H
#define TOOLS_PRESET_H

#include "scene.h"

enum { PRESET_MAX_PASSES = 26, PRESET_MAX_LISTED = 64 };

enum preset_scale { PRESET_SOURCE, PRESET_VIEWPORT, PRESET_ABSOLUTE };

struct preset_pass {
    char *shader, *alias;     /* a path; a name or NULL */
    enum scene_filter filter; /* of the picture that the pass reads */
    enum scene_wrap wrap;
    enum preset_scale type[2]; /* of width and height */
    float scale[2];            /* a factor, or pixels of PRESET_ABSOLUTE */
    bool scaled;               /* the preset says so; else the last pass has the viewport's size */
    unsigned frame_modulus;    /* of FrameCount; 0: none */
};

struct preset_texture {
    char *name, *file;
    enum scene_filter filter;
    enum scene_wrap wrap;
};

struct preset_parameter {
    char *name;
    float value;
};

struct preset {
    struct preset_pass pass[PRESET_MAX_PASSES];
    struct preset_texture texture[PRESET_MAX_LISTED];
    struct preset_parameter parameter[PRESET_MAX_LISTED];
    size_t pass_count, texture_count, parameter_count;
};

/* Paths in it are relative to the file. What GLES 2 drivers have not (framebuffers of floats or sRGB) is
 * passed over, which one call of `warn` says, unless it is NULL. False: what is wrong is in error. Free it in
 * any case. */
bool preset_read(struct preset *preset, const char *path, void (*warn)(const char *text), char *error,
                 size_t size);
void preset_free(struct preset *preset);

/* The picture's width (axis 0) or height that pass `index` draws, from that of what it reads and of the
 * viewport: 1 to 2,048. */
unsigned preset_extent(const struct preset *preset, size_t index, unsigned axis, unsigned source,
                       unsigned viewport);

#endif
