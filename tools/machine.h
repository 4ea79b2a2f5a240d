/* A compiled program bound for a draw on the simulated machine: what a GL driver does between glDrawElements
 * and the hardware. Who draws says what uniforms, textures and attributes hold; the rest is here. */
#ifndef TOOLS_MACHINE_H
#define TOOLS_MACHINE_H

#include "picture.h"

#include <qpucc/qpucc.h>
#include <qpucc/qpusim.h>

struct machine {
    const qpucc_program *program;
    struct qpusim_memory *memory;
    uint32_t *uniforms; /* qpucc_program_uniform_bytes() / 4 of them; at first what the shaders say, or 0 */
    size_t uniform_words;
    uint32_t textures[QPUCC_MAX_TEXTURES][4];
    uint32_t *streams[QPUCC_STAGE_COUNT];
    struct qpusim_program *programs[QPUCC_STAGE_COUNT];
    struct qpusim_attribute attributes[QPUCC_MAX_ATTRIBUTES];
    float *attribute_data[QPUCC_MAX_ATTRIBUTES];
    struct qpucc_draw_state state; /* what the key asks for; the viewport's words are machine_draw's */
    const uint32_t *tile; /* colours that the target has before the draw; NULL: the one it is cleared to */
    struct qpucc_draw_values values; /* of the draw that is under way */
    const char *device;              /* a vc4 device that draws instead of the machine; NULL: the machine */
    unsigned instances;    /* draws, with gl_InstanceID from 0; 0: one, with what the uniform holds */
    unsigned *draw_number; /* set to the instance whose draw begins; may be NULL */
    char *error;
    size_t size;
};

/* In order: open, then uniforms and textures, attributes, draw; close in any case. False: the reason is in
 * the error given to open. texture_bytes: of all textures together, at least. */
bool machine_open(struct machine *m, const qpucc_program *program, size_t texture_bytes, char *error,
                  size_t size);
void machine_close(struct machine *m);
bool machine_fail(struct machine *m, const char *text);

/* A number as a uniform of that type holds it. */
uint32_t machine_word(enum qpucc_base_type base, double value);
bool machine_texture(struct machine *m, unsigned unit, const struct qpusim_texture_info *info);

/* Fills the data of one attribute (or one column of it): slot->words floats a vertex, 0 at first, whatever
 * its type. Not asked for gl_VertexID. */
typedef void machine_attribute(void *user, const struct qpucc_variable *variable,
                               const struct qpucc_attribute_slot *slot, size_t vertices, float *data);
bool machine_attributes(struct machine *m, struct qpusim_draw_info *draw, size_t vertices,
                        machine_attribute *fill, void *user);

/* `draw` needs its mode, vertices and tests, and nothing else. `out` holds what was drawn, also after an
 * error, unless its pixels are NULL. */
bool machine_draw(struct machine *m, struct qpusim_draw_info *draw, unsigned width, unsigned height,
                  const uint8_t clear[4], const struct qpusim_options *options, struct picture *out);

#endif
