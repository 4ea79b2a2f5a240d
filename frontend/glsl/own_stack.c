/* own_stack.c: see own_stack.h. */
#define _GNU_SOURCE
#include "frontend/glsl/own_stack.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <ucontext.h>

/* The deepest texts within the default limits take an eighth of it (docs/limits.md). */
#define ROOM ((size_t)32 << 20)
#define GUARD ((size_t)64 << 10) /* a page, of whatever size */

#if defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ONE_STACK 1
#endif
#endif
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define ONE_STACK 1
#endif

/* Lies at the upper end of its own memory. */
struct own_stack {
    unsigned char *memory;
    ucontext_t caller, own;
    void (*run)(void *user);
    void *user;
};

struct own_stack *own_stack_create(void) {
    unsigned char *memory =
        mmap(NULL, GUARD + ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    if (mprotect(memory + GUARD, ROOM, PROT_READ | PROT_WRITE) != 0) {
        munmap(memory, GUARD + ROOM);
        return NULL;
    }
    struct own_stack *stack = (struct own_stack *)(memory + GUARD + ROOM) - 1;
    stack->memory = memory;
    return stack;
}

void own_stack_destroy(struct own_stack *stack) {
    if (stack)
        munmap(stack->memory, GUARD + ROOM);
}

#ifdef ONE_STACK
void own_stack_run(struct own_stack *stack, void (*run)(void *user), void *user) {
    (void)stack;
    run(user);
}
#else
/* makecontext passes numbers of type int. */
static void begin(unsigned high, unsigned low) {
    struct own_stack *stack = (struct own_stack *)(uintptr_t)((uint64_t)high << 32 | low);
    stack->run(stack->user);
}

void own_stack_run(struct own_stack *stack, void (*run)(void *user), void *user) {
    uint64_t address = (uintptr_t)stack;
    stack->run = run;
    stack->user = user;
    getcontext(&stack->own);
    stack->own.uc_stack.ss_sp = stack->memory + GUARD;
    stack->own.uc_stack.ss_size = ((size_t)((unsigned char *)stack - stack->memory) - GUARD) & ~(size_t)63;
    stack->own.uc_link = &stack->caller;
    makecontext(&stack->own, (void (*)(void))begin, 2, (unsigned)(address >> 32), (unsigned)address);
    swapcontext(&stack->caller, &stack->own);
}
#endif
