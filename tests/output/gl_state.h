/* Another GL beside the machine: Mesa's desktop GL without a window, and members of a key as its state. */
#ifndef TESTS_OUTPUT_GL_STATE_H
#define TESTS_OUTPUT_GL_STATE_H

#include <qpucc/qpucc.h>

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdbool.h>

/* False when there is no such GL here. One context, current until it is closed. */
bool gl_open(void);
void gl_close(void);

/* 0 when it does not compile or link. */
GLuint gl_program(const char *vertex, const char *fragment);

void gl_enable(GLenum what, bool on);
extern const GLenum gl_funcs[QPUCC_FUNC_COUNT];     /* by enum qpucc_func */
extern const GLenum gl_factors[QPUCC_FACTOR_COUNT]; /* by enum qpucc_blend_factor */
extern const GLenum gl_equations[]; /* by enum qpucc_blend_equation, those that are not advanced */
/* Blending, logic operation and channel mask. Advanced equations want a program that declares them. */
void gl_blend(const struct qpucc_state *state, const struct qpucc_draw_state *draw);

#endif
