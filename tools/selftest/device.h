/* Where frames run: the kernel's driver behind a device file, or the machine in this process. */
#ifndef SELFTEST_DEVICE_H
#define SELFTEST_DEVICE_H

#include "frame.h"

struct device;

enum device_status {
    DEVICE_DONE,
    DEVICE_REFUSED, /* the driver takes no such shader or submit */
    DEVICE_FAILED,  /* the job did not end as it should, or a call failed that must not */
};

/* The file's device; NULL when it cannot be opened or is no vc4, and `error` says why. */
struct device *device_open(const char *path, char *error, size_t size);
/* The machine, with a fault (qpusim_options.fault; 0: none). NULL without memory. */
struct device *device_machine(unsigned fault);
void device_close(struct device *d);

/* What the driver says of the chip: V3D_IDENT0 to 2. */
uint32_t device_ident(const struct device *d, unsigned number);
/* Instructions that the machine has executed, for 16 lanes each. 0 for a device file. */
uint64_t device_instructions(const struct device *d);

/* Runs the frame. `results` gets for each object that is a result its contents afterwards (malloc'ed, in
 * order), also when the job failed. Otherwise `error` has the reason. */
enum device_status device_run(struct device *d, const struct frame *f, uint8_t *results[FRAME_MOST_OBJECTS],
                              char error[FRAME_TEXT]);
/* Whether the driver takes this code as a shader; nothing runs. */
enum device_status device_try_shader(struct device *d, const uint64_t *code, size_t count,
                                     char error[FRAME_TEXT]);

#endif
