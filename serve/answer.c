/* Answers, and their form in a store. */
#include "answer.h"
#include "compiler/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct answer *answer_new(unsigned status, enum answer_type type, bool keep, void *body, size_t size) {
    struct answer *answer = body ? calloc(1, sizeof *answer) : NULL;
    if (!answer) {
        free(body);
        return NULL;
    }
    atomic_init(&answer->references, 1);
    answer->status = status;
    answer->type = type;
    answer->keep = keep;
    answer->body = body;
    answer->size = size;
    return answer;
}

struct answer *answer_text(unsigned status, enum answer_type type, bool keep, const char *text) {
    return answer_new(status, type, keep, strdup(text), strlen(text));
}

struct answer *answer_error(unsigned status, const char *reason, const char *text) {
    char body[600];
    snprintf(body, sizeof body, "{\"error\":\"%s\",\"reason\":\"%s\",\"code\":-1,\"timedOut\":%s}\n", text,
             reason, strcmp(reason, "time") ? "false" : "true");
    return answer_text(status, ANSWER_JSON, false, body);
}

struct answer *answer_hold(struct answer *answer) {
    if (answer)
        atomic_fetch_add(&answer->references, 1);
    return answer;
}

void answer_release(struct answer *answer) {
    if (!answer || atomic_fetch_sub(&answer->references, 1) != 1)
        return;
    free(answer->body);
    free(answer);
}

/* --- in a store ----------------------------------------------------------------------------------------- */

static const uint8_t magic[4] = {'Q', 'A', 'N', '1'};
enum { STATUS = 4, TYPE = 6, DIGEST = 8, HEADER = 40 };

static void digest_of(const uint8_t *bytes, const void *body, size_t size, uint8_t out[32]) {
    struct sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, bytes, DIGEST);
    sha256_add(&sha, body, size);
    sha256_end(&sha, out);
}

uint8_t *answer_pack(const struct answer *answer, size_t *size) {
    uint8_t *bytes = malloc(HEADER + answer->size);
    if (!bytes)
        return NULL;
    memcpy(bytes, magic, sizeof magic);
    bytes[STATUS] = (uint8_t)answer->status;
    bytes[STATUS + 1] = (uint8_t)(answer->status >> 8);
    bytes[TYPE] = (uint8_t)answer->type;
    bytes[TYPE + 1] = 0;
    digest_of(bytes, answer->body, answer->size, bytes + DIGEST);
    memcpy(bytes + HEADER, answer->body, answer->size);
    *size = HEADER + answer->size;
    return bytes;
}

struct answer *answer_unpack(const uint8_t *bytes, size_t size) {
    uint8_t digest[32], *body;
    if (size < HEADER || memcmp(bytes, magic, sizeof magic) || bytes[TYPE] >= ANSWER_TYPE_COUNT)
        return NULL;
    digest_of(bytes, bytes + HEADER, size - HEADER, digest);
    if (memcmp(digest, bytes + DIGEST, sizeof digest) || !(body = malloc(size - HEADER + 1)))
        return NULL;
    memcpy(body, bytes + HEADER, size - HEADER);
    return answer_new(bytes[STATUS] | (unsigned)bytes[STATUS + 1] << 8, (enum answer_type)bytes[TYPE], true,
                      body, size - HEADER);
}
