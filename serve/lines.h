/* Connections: how long each may take for what it does now, and how many a client may have. A thread of their
 * own cuts off those that are late; a byte now and then does not move a deadline. */
#ifndef SERVE_LINES_H
#define SERVE_LINES_H

#include "clients.h"
#include "metrics.h"

struct lines;
struct line;

/* `most` connections; beyond them whoever has the most loses one that the server is not busy for. A client
 * has at most `most_of_client`; 0: any number, because all come from one proxy. NULL: out of memory. */
struct lines *lines_new(unsigned most, unsigned most_of_client, struct metrics *metrics);
/* No connection may be open. */
void lines_free(struct lines *lines);

/* A new connection, with its deadline in wire_now's clock; it may be cut off at once. NULL: out of memory. */
struct line *line_open(struct lines *lines, int fd, const uint8_t client[CLIENT_BYTES], int64_t deadline);
void line_close(struct lines *lines, struct line *line);
/* INT64_MAX: the server's turn. */
void line_deadline(struct lines *lines, struct line *line, int64_t deadline);
/* Ends the stream; the daemon closes the connection when it sees that. */
void line_cut(struct lines *lines, struct line *line);

#endif
