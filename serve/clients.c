/* Buckets of clients in a table of fixed size. A client that finds no room takes the place of the one that
 * has used least, which loses nothing by it: its bucket was the fullest. */
#include "clients.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 1024, WAYS = 8, SECONDS = 3 };

struct bucket {
    uint8_t client[CLIENT_BYTES];
    int64_t since; /* when `tokens` was right; 0: unused */
    double tokens;
};

struct clients {
    double rate;
    struct bucket bucket[SETS][WAYS];
};

struct clients *clients_new(unsigned rate) {
    struct clients *clients = calloc(1, sizeof *clients);
    if (clients)
        clients->rate = rate;
    return clients;
}

void clients_free(struct clients *clients) {
    free(clients);
}

void client_of(const struct sockaddr *address, uint8_t client[CLIENT_BYTES]) {
    memset(client, 0, CLIENT_BYTES);
    if (address && address->sa_family == AF_INET)
        memcpy(client + 12, &((const struct sockaddr_in *)(const void *)address)->sin_addr, 4);
    else if (address && address->sa_family == AF_INET6) {
        const struct in6_addr *a = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
        if (IN6_IS_ADDR_V4MAPPED(a))
            memcpy(client + 12, a->s6_addr + 12, 4);
        else
            memcpy(client, a->s6_addr, 8);
    }
}

bool client_of_text(const char *text, uint8_t client[CLIENT_BYTES]) {
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &four.sin_addr) == 1)
        client_of((const struct sockaddr *)&four, client);
    else if (inet_pton(AF_INET6, text, &six.sin6_addr) == 1)
        client_of((const struct sockaddr *)&six, client);
    else
        return false;
    return true;
}

uint32_t client_hash(const uint8_t client[CLIENT_BYTES]) {
    uint32_t hash = 2166136261u;
    for (int i = 0; i < CLIENT_BYTES; i++)
        hash = (hash ^ client[i]) * 16777619u;
    return hash ^ hash >> 15;
}

/* Three seconds' worth, but never less than one request for a worker takes. */
static double most_tokens(const struct clients *clients) {
    double most = clients->rate * SECONDS;
    return most > 1 + CLIENT_WORK ? most : 1 + CLIENT_WORK;
}

static double filled(const struct clients *clients, const struct bucket *b, int64_t now) {
    double most = most_tokens(clients), tokens = b->tokens + (double)(now - b->since) * clients->rate / 1000;
    return !b->since || tokens > most ? most : tokens;
}

bool client_takes(struct clients *clients, const uint8_t client[CLIENT_BYTES], unsigned tokens, int64_t now) {
    if (clients->rate <= 0)
        return true;
    struct bucket *set = clients->bucket[client_hash(client) % SETS], *b = &set[0];
    for (int i = 0; i < WAYS; i++) {
        if (set[i].since && !memcmp(set[i].client, client, CLIENT_BYTES)) {
            b = &set[i];
            break;
        }
        if (filled(clients, &set[i], now) > filled(clients, b, now))
            b = &set[i];
    }
    double left = filled(clients, b, now);
    if (memcmp(b->client, client, CLIENT_BYTES) || !b->since) {
        memcpy(b->client, client, CLIENT_BYTES);
        left = most_tokens(clients);
    }
    bool enough = left >= tokens;
    b->tokens = enough ? left - tokens : left;
    b->since = now;
    return enough;
}
