/* Functions of angles for scenes, the same on every host. C libraries differ in the last bit of sinf, and
 * with it pictures would. In double precision they differ as little, which a float hardly ever shows. */
#ifndef TOOLS_TRIG_H
#define TOOLS_TRIG_H

#include <math.h>

static inline float sin_float(float angle) {
    return (float)sin((double)angle);
}

static inline float cos_float(float angle) {
    return (float)cos((double)angle);
}

static inline float tan_float(float angle) {
    return (float)tan((double)angle);
}

static inline float asin_float(float sine) {
    return (float)asin((double)sine);
}

static inline float atan2_float(float y, float x) {
    return (float)atan2((double)y, (double)x);
}

#endif
