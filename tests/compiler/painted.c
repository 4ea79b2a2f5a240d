#define _GNU_SOURCE
#include "tests/compiler/painted.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { ROOM = 2 << 20 };
#define PAINT 0x5ca1ab1e5ca1ab1eu

struct start {
    void (*run)(void *user);
    void *user;
    const uint8_t *top;
};

static void *begin(void *user) {
    struct start *s = user;
    s->top = __builtin_frame_address(0);
    s->run(s->user);
    return NULL;
}

size_t painted_stack(void (*run)(void *user), void *user) {
    static uint64_t *words; /* pages that nobody wrote keep the paint of the last time */
    struct start s = {.run = run, .user = user};
    pthread_attr_t attributes;
    pthread_t thread;
    size_t low = 0;
    if (!words) {
        words = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (words == MAP_FAILED)
            abort();
        for (size_t i = 0; i < ROOM / sizeof *words; i++)
            words[i] = PAINT;
    }
    if (pthread_attr_init(&attributes) || pthread_attr_setstack(&attributes, words, ROOM) ||
        pthread_create(&thread, &attributes, begin, &s) || pthread_join(thread, NULL)) {
        fprintf(stderr, "there is no thread with a stack of its own\n");
        abort();
    }
    pthread_attr_destroy(&attributes);
    while (words[low] == PAINT)
        low++;
    for (size_t i = low; i < ROOM / sizeof *words; i++)
        words[i] = PAINT;
    return (size_t)(s.top - (const uint8_t *)&words[low]);
}
