/* How much each client asks for: a bucket of tokens that fills with time. A request takes one token, one that
 * needs a worker takes more. Used by one thread. */
#ifndef SERVE_CLIENTS_H
#define SERVE_CLIENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

enum { CLIENT_BYTES = 16, CLIENT_WORK = 10 };

struct clients;

/* `rate` tokens a second, at most three seconds' worth at once, or what a request for a worker takes; 0: no
 * limit. */
struct clients *clients_new(unsigned rate);
void clients_free(struct clients *clients);

/* Who it is: an IPv4 address, or the first half of an IPv6 one, which is what one customer has. */
void client_of(const struct sockaddr *address, uint8_t client[CLIENT_BYTES]);
/* The same from a proxy's header; false: not an address. */
bool client_of_text(const char *text, uint8_t client[CLIENT_BYTES]);
uint32_t client_hash(const uint8_t client[CLIENT_BYTES]);
/* Takes tokens, or does not: then there were too few. `now`: wire_now. */
bool client_takes(struct clients *clients, const uint8_t client[CLIENT_BYTES], unsigned tokens, int64_t now);

#endif
