/* Answers in memory: what is asked often is answered without asking a store. The least recently used go
 * first. Any thread. */
#ifndef SERVE_FRONT_H
#define SERVE_FRONT_H

#include "answer.h"
#include "metrics.h"

enum { KEY_BYTES = 32 };

struct front;

struct front *front_new(size_t max_bytes, struct metrics *metrics);
void front_free(struct front *front);
/* Held for the caller; NULL: it is not there. */
struct answer *front_get(struct front *front, const uint8_t key[KEY_BYTES]);
void front_put(struct front *front, const uint8_t key[KEY_BYTES], struct answer *answer);

#endif
