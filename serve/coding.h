/* Which coding of a file a client takes (RFC 9110, section 12.5.3). */
#ifndef SERVE_CODING_H
#define SERVE_CODING_H

/* How much a client wants each, in thousandths; -1: not said. */
struct coding_wishes {
    int gzip, identity, any;
};

enum coding { CODING_IDENTITY, CODING_GZIP, CODING_NONE };

/* Nothing said: whoever cannot name a coding gets none. */
#define CODING_NOTHING_SAID ((struct coding_wishes){-1, -1, -1})

/* One field of Accept-Encoding; there may be several. */
void coding_add(struct coding_wishes *wishes, const char *field);
/* CODING_NONE: the client refuses both. */
enum coding coding_choose(const struct coding_wishes *wishes);

#endif
