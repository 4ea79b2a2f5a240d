/* A stack apart from the caller's. glslang recurses over statements and operators, of which a shader may have
 * tens of thousands; the caller's stack is somebody else's, and may be small (docs/limits.md). */
#ifndef QPUCC_FRONTEND_GLSL_OWN_STACK_H
#define QPUCC_FRONTEND_GLSL_OWN_STACK_H

#ifdef __cplusplus
extern "C" {
#endif

/* NULL: no memory. Address space of which only what is used becomes memory, with a page without access
 * below. */
struct own_stack;
struct own_stack *own_stack_create(void);
void own_stack_destroy(struct own_stack *stack); /* NULL is allowed */

/* Calls `run` there, in the caller's thread. It must not throw, and not use this stack for another call. With
 * sanitizers, which know one stack a thread, it is called as any function. */
void own_stack_run(struct own_stack *stack, void (*run)(void *user), void *user);

#ifdef __cplusplus
}
#endif

#endif
