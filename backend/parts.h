/* The driver's own parts; those in other modules have headers there. */
#ifndef QPUCC_BACKEND_PARTS_H
#define QPUCC_BACKEND_PARTS_H

#include "backend/backend.h"
#include "mir/mir.h"

/* select.c: tables by IR id, made once a shader; they need the flow's registers. */
const struct sel_tables *select_begin(const struct mir *m);

/* select.c: fills ops, values and the edges that are not plain value flow. False: result holds why. */
bool select_block(struct mir *m, struct be_result *result);

/* encode.c: words, lines and stream into the result. `start`: first instruction of each block. False: out of
 * memory. */
bool encode_program(struct ir_shader *shader, struct m_code *code, const uint32_t *start,
                    struct be_result *result);

#endif
