/* A frame: everything that one SUBMIT_CL hands over, described once and run on any device.
 *
 * A row of the self-test only describes a frame. Buffers and shaders have handle indices in the order in
 * which they are added. A frame that cannot be described (text that does not assemble, no memory) remembers
 * its first fault in `error`, and everything added later is ignored. */
#ifndef SELFTEST_FRAME_H
#define SELFTEST_FRAME_H

#include <qpucc/drm.h>
#include <qpucc/lists.h>

#include <drm.h>
#include <vc4_drm.h>

enum { FRAME_MOST_OBJECTS = 160, FRAME_TILE = 64, FRAME_TEXT = 480 };
enum { /* bits of colour targets in rows */
       RASTER_RGBA8888_STORE = 0x04,
       RASTER_565_STORE = 0x08,
       RASTER_DITHERED_STORE = 0x00,
       DECIMATED_STORE = 0x10, /* the mean of 2 by 2 pixels */
       SAMPLES_STORE = 0x11,   /* four samples a pixel, their mean is stored */
};
#define FRAME_NONE UINT32_MAX
/* The target's words before anything is drawn: none that a row computes from its operands by accident. */
#define FRAME_CLEAR 0x5ee7c1eau

/* A buffer, or a shader when `code` is not NULL. */
struct frame_object {
    const char *name;
    uint8_t *bytes; /* of a buffer: its contents before the submit */
    uint32_t size;
    bool result; /* the buffer's contents after the submit are what is compared */
    uint64_t *code;
    char *text; /* the shader's, by which the same one is found again */
    struct qpusim_drm_shader *scan;
    uint8_t events[DRM_VC4_MAX_PERF_COUNTERS]; /* counters: the contents afterwards are their values */
    unsigned event_count;
};

struct frame {
    struct frame_object objects[FRAME_MOST_OBJECTS];
    unsigned object_count;
    struct qpusim_list bin, records, uniforms;
    unsigned record_count;
    struct drm_vc4_submit_cl args; /* sizes and flags; arrays and handles are filled in when it runs */
    bool refused;                  /* the driver refuses a shader: why is in `error` */
    char error[FRAME_TEXT];

    /* How a result is told to people. Word n of the target's part of a draw belongs to operand n. */
    const uint32_t *operands[2];
    unsigned operand_count; /* words in each */
    const char *bodies[FRAME_MOST_OBJECTS];
    unsigned body_count;
    char *split; /* what `bodies` points into */
};

void frame_init(struct frame *f);
void frame_free(struct frame *f);
__attribute__((format(printf, 2, 3))) void frame_fail(struct frame *f, const char *format, ...);

/* Takes the programs of a list with | between them for `bodies`. */
void frame_split(struct frame *f, const char *text);

/* A buffer with these contents, NULL: zeros. Returns its handle index. */
uint32_t frame_buffer(struct frame *f, const char *name, const void *bytes, size_t size);
/* A shader, assembled from text; the same text is one shader. */
uint32_t frame_shader(struct frame *f, const char *name, const char *text);

/* The target: `width` by `height` pixels of 32 bits, row after row, whose contents are the result; and the
 * beginning of the binning list: configuration, start, window, viewport (the whole frame) and state in which
 * all faces are drawn and every Z passes. Returns the target's handle index. */
uint32_t frame_target(struct frame *f, unsigned width, unsigned height);
/* The same with other bits of a colour target: four samples a pixel, colours of 16 bits. */
uint32_t frame_target_of(struct frame *f, unsigned width, unsigned height, uint16_t bits);

/* Performance counters of the submit (VC4_PERFCNT_...) as a result: 64 bits each. */
void frame_counters(struct frame *f, const uint8_t *events, unsigned count);

/* One stage of a draw: text, and what its uniform stream reads. `textures` are the handle indices of the
 * lookups' buffers in the order of the lookups. */
struct frame_stage {
    const char *text;
    const uint32_t *words;
    size_t word_count;
    const uint32_t *textures;
    size_t texture_count;
};

struct frame_attribute {
    uint32_t buffer, offset;
    unsigned bytes, stride;
    bool vertex, coordinate; /* which shaders get it */
};

struct frame_draw {
    struct frame_stage fragment, vertex, coordinate;
    const struct frame_attribute *attributes;
    unsigned attribute_count;
    unsigned varyings;
    bool point_size; /* shaded vertices carry one */
    unsigned mode;   /* enum qpusim_mode */
    unsigned first, count;
};

/* A shader record with its streams, the record that selects it, and array primitives. */
void frame_draw(struct frame *f, const struct frame_draw *draw);

/* A rectangle of pixels from (x, y) to (x + width, y + height), with a fragment shader and vertices that pass
 * through what they are given: Z (0 to 1), W (0: 1) and `varyings` words for each of the corners (x, y),
 * (x + width, y), (x, y + height), (x + width, y + height), corner by corner. A negative size makes a back
 * face. */
struct frame_rectangle {
    int x, y, width, height;
    float z[4], w[4];
    unsigned varyings;
    const uint32_t *varying_words;
};
void frame_rectangle(struct frame *f, const struct frame_rectangle *r, const struct frame_stage *fragment);

/* The text of a vertex or coordinate shader that passes `count` words on. */
void frame_copy_text(char *text, size_t size, unsigned count);

/* The list's end. Nothing is drawn after it. */
void frame_finish(struct frame *f);

#endif
