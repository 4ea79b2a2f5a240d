/* Answers: what a request gets, from whichever process or store it comes. */
#ifndef SERVE_ANSWER_H
#define SERVE_ANSWER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Also what a client may ask for with Accept. */
enum answer_type { ANSWER_JSON, ANSWER_TEXT, ANSWER_PNG, ANSWER_BYTES, ANSWER_TYPE_COUNT };

struct answer {
    atomic_uint references;
    unsigned status; /* of HTTP */
    unsigned retry;  /* seconds until it is worth while to ask again; 0: the usual */
    enum answer_type type;
    bool keep; /* the same request gets the same answer: it may be stored */
    uint8_t *body;
    size_t size;
};

/* Takes `body` over, which is malloc'ed. NULL: out of memory, or body is NULL. */
struct answer *answer_new(unsigned status, enum answer_type type, bool keep, void *body, size_t size);
struct answer *answer_text(unsigned status, enum answer_type type, bool keep, const char *text);
/* {"error": text, "reason": reason, "code": -1, "timedOut": reason is "time"}; `reason` is a word of
 * docs/api/openapi.json, Error. */
struct answer *answer_error(unsigned status, const char *reason, const char *text);
struct answer *answer_hold(struct answer *answer);
/* NULL is allowed. */
void answer_release(struct answer *answer);

/* As bytes for a store of hosts of one byte order, with a check sum; malloc'ed. */
uint8_t *answer_pack(const struct answer *answer, size_t *size);
/* NULL: damaged. */
struct answer *answer_unpack(const uint8_t *bytes, size_t size);

#endif
