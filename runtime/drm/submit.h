/* Private to the driver's part of a submit: what its steps share. */
#ifndef DRM_SUBMIT_H
#define DRM_SUBMIT_H

#include <qpucc/drm.h>

#include <stdarg.h>
#include <vc4_drm.h>

#include "backend/isa/isa.h"

enum { DRM_PAGE = 4096, DRM_RECORD_ALIGN = 16, DRM_LARGEST_TEXTURE = 2048 };

/* Memory layouts of surfaces, in the numbers of tile loads and stores. */
enum drm_layout { DRM_LINEAR, DRM_T, DRM_LT };

struct qpusim_drm_shader {
    struct qpu_scan scan;
};

/* A shader record that packet 64 refers to. */
struct drm_record {
    unsigned attributes;
    bool extended; /* with strides of 26 bits behind eight attributes, of which the driver looks at these */
    uint32_t max_index; /* the highest vertex that is drawn with it */
};

/* Bytes of the record, without what aligns the next one. */
uint32_t drm_record_size(const struct drm_record *record);

struct drm_submit {
    const struct qpusim_drm_submit *in;
    const struct drm_vc4_submit_cl *args;
    struct qpusim_drm_lists *out;
    qpusim_drm_place_fn *place;
    void *user;
    char *reason;
    struct drm_record *records; /* args->shader_rec_count */
    uint32_t record_count;
    uint32_t tiles_x, tiles_y; /* of the binning configuration */
    uint32_t tile_lists;       /* address of the first tile's list */
};

/* Writes the reason and returns -EINVAL. */
__attribute__((format(printf, 2, 3))) int drm_refuse(const struct drm_submit *s, const char *format, ...);

/* The buffer of a handle index that is data; NULL when there is none or it is code. */
const struct qpusim_drm_buffer *drm_data_buffer(const struct drm_submit *s, uint32_t index, const char *what);

int drm_place(struct drm_submit *s, enum qpusim_drm_area area, uint32_t size);

/* The steps, in this order. */
int drm_check_binning(struct drm_submit *s);
int drm_check_records(struct drm_submit *s);
int drm_write_rendering(struct drm_submit *s);

/* Checks a lookup's parameter words in `stream` against the texture's buffer and makes addresses of them. */
int drm_check_lookup(const struct drm_submit *s, const struct qpu_lookup *lookup,
                     const struct qpusim_drm_buffer *buffer, uint8_t *stream);

/* Bytes of an image of the given layout; `width` and `height` in pixels of `cpp` bytes. */
uint64_t drm_image_size(enum drm_layout layout, uint32_t width, uint32_t height, uint32_t cpp);
/* Whether an image of this size is stored in LT rather than T format. */
bool drm_image_is_small(uint32_t width, uint32_t height, uint32_t cpp);

/* Little-endian words. */
static inline uint32_t drm_get32(const uint8_t *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline void drm_put16(uint8_t *p, uint32_t value) {
    p[0] = (uint8_t)value;
    p[1] = (uint8_t)(value >> 8);
}

static inline void drm_put32(uint8_t *p, uint32_t value) {
    drm_put16(p, value);
    drm_put16(p + 2, value >> 16);
}

static inline uint32_t drm_round_up(uint32_t value, uint32_t to) {
    return (value + to - 1) / to * to;
}

#endif
