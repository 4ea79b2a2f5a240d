/* link.c: what must agree between a vertex and a fragment shader (GLSL ES 1.00, sections 4.3.4, 4.3.5, 10.27). */
#include "frontend/essl100/essl100.h"

void essl_link(struct run *run, const struct unit *vertex, const struct declarations *vd, const struct unit *fragment,
               const struct declarations *fd) {
    (void)run, (void)vertex, (void)vd, (void)fragment, (void)fd;
}
