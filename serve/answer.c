/* Answers, and their form in a store. */
#include "answer.h"

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

static const uint8_t magic[4] = {'Q', 'A', 'N', '3'};
enum { STATUS = 4, TYPE = 6, SUM = 8, HEADER = 16 };

static uint64_t mix(uint64_t sum, uint64_t word) {
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u;
    return sum ^ sum >> 32;
}

/* Against accidents, not against malice: whoever can write to a store can write this, too. Four sums side by
 * side, because each step waits for its multiplication. */
static uint64_t sum_of(const uint8_t *at, size_t size, uint64_t sum) {
    uint64_t part[4] = {sum ^ size, 1, 2, 3}, word[4];
    for (; size >= sizeof word; at += sizeof word, size -= sizeof word) {
        memcpy(word, at, sizeof word);
        for (int i = 0; i < 4; i++)
            part[i] = mix(part[i], word[i]);
    }
    memset(word, 0, sizeof word);
    memcpy(word, at, size);
    for (int i = 0; i < 4; i++)
        part[0] = mix(mix(part[0], word[i]), i ? part[i] : 0);
    return part[0];
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
    uint64_t sum = sum_of(answer->body, answer->size, sum_of(bytes, SUM, 0));
    memcpy(bytes + SUM, &sum, sizeof sum);
    memcpy(bytes + HEADER, answer->body, answer->size);
    *size = HEADER + answer->size;
    return bytes;
}

struct answer *answer_unpack(const uint8_t *bytes, size_t size) {
    uint64_t sum;
    uint8_t *body;
    if (size < HEADER || memcmp(bytes, magic, sizeof magic) || bytes[TYPE] >= ANSWER_TYPE_COUNT)
        return NULL;
    memcpy(&sum, bytes + SUM, sizeof sum);
    if (sum != sum_of(bytes + HEADER, size - HEADER, sum_of(bytes, SUM, 0)) ||
        !(body = malloc(size - HEADER + 1)))
        return NULL;
    memcpy(body, bytes + HEADER, size - HEADER);
    return answer_new(bytes[STATUS] | (unsigned)bytes[STATUS + 1] << 8, (enum answer_type)bytes[TYPE], true,
                      body, size - HEADER);
}
