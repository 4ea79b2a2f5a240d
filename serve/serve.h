/* The service's options and its parts, from the command line to the sockets. */
#ifndef SERVE_SERVE_H
#define SERVE_SERVE_H

#include "clients.h"
#include "flight.h"

enum { MOST_SITES = 1000 }; /* characters */

struct serve_options {
    const char *address; /* to listen on */
    unsigned port;       /* 0: any that is free */
    unsigned workers, queue, connections, client_connections;
    unsigned client_cpu; /* percent of the workers' time that a client may use for long */
    unsigned rate;       /* tokens a second of a client; 0: no limit */
    unsigned slow_ms;    /* that a client may take to send a request, or to read an answer */
    size_t body;         /* bytes of a request */
    size_t bodies;       /* bytes of all requests and answers under way */
    size_t memory_cache;
    uint64_t cache_bytes, link_bytes, client_link_bytes; /* the last one a day */
    const char *cache;                                   /* directory; NULL: none */
    const char *store;                                   /* redis://..., NULL: none */
    char password[128];                                  /* of the store; "": none */
    const char *public_url; /* what permalinks begin with; NULL: as the client called the server */
    const char *embed;      /* sites that may frame /embed, as the policy has them; NULL: none */
    bool proxy;             /* X-Real-IP says who the client is */
    struct worker_limits worker;
};

/* What requests are answered with. */
struct service {
    const struct serve_options *options;
    struct metrics *metrics;
    struct clients *clients;
    struct front *front;
    struct store *store;
    struct links *links;
    struct redis *redis;
    struct pool *pool;
    struct flights *flights;
    uint8_t build[KEY_BYTES]; /* digest of the program: other builds have other answers */
};

/* --- http.c --------------------------------------------------------------------------------------------- */

struct http;

/* Listens and answers from now on. NULL: the address is taken or not one. */
struct http *http_start(struct service *service);
unsigned http_port(struct http *http);
/* No more connections, and requests on those that there are get told so. */
void http_quiesce(struct http *http);
/* Is a request under way? */
bool http_busy(struct http *http);
/* No flight may be under way. */
void http_stop(struct http *http);

/* --- routes.c ------------------------------------------------------------------------------------------- */

enum route_method { ROUTE_GET, ROUTE_POST };

/* A request as the routes see it. */
struct call {
    const char *path, *rest; /* rest: after the route's own part */
    const char *fields, *user_options, *host, *scheme;
    enum answer_type accept;
    bool plain;
    char *body;
    size_t size;
};

/* What to do with a call: answer now, or later with a task. */
struct plan {
    struct answer *answer; /* now; or NULL, */
    struct task task;      /* and this */
    uint8_t key[KEY_BYTES];
    const void *file; /* struct web_file, of the page: now, or when the permalink is known */
};

/* The index of the path's route, -1: there is none. `rest`: its variable part. */
int route_find(const char *path, const char **rest);
const char *route_name(unsigned route);
bool route_allows(unsigned route, enum route_method method);
bool route_works(unsigned route);
/* Is it the page for other sites' frames? */
bool route_is_framed(unsigned route);
/* Takes the call's body over. */
void route_plan(struct service *service, unsigned route, struct call *call, struct plan *plan);
/* What a client gets for a task's answer, which is taken over. */
struct answer *route_finish(struct service *service, unsigned route, const struct call *call,
                            const struct plan *plan, struct answer *answer);

#endif
