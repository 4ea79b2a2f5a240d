/* The sockets: libmicrohttpd with one thread that never waits for anything. A request is read into memory,
 * within bounds; what can be answered at once is, the rest suspends its connection until its flight has
 * landed.
 *
 * Slow clients: every connection has a deadline for what it does now, which another thread enforces. A byte
 * now and then does not move it. */
#define _GNU_SOURCE
#include "compiler/sha256.h"
#include "serve.h"
#include "tools/web.h"
#include "wire.h"

#include <microhttpd.h>

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { IDLE_MS = 30000, HEADER_BYTES = 32 << 10, PATH_BYTES = 300, SWEEP_MS = 500 };

/* A connection, as long as it is open. */
struct line {
    int fd;
    int64_t deadline; /* wire_now's clock; INT64_MAX: the server's turn */
    struct line *next, **at;
};

struct http {
    struct service *service;
    struct MHD_Daemon *daemon;
    pthread_mutex_t lock; /* of the lines */
    struct line *lines;
    pthread_t sweeper;
    pthread_cond_t ending_now;
    bool ending;
    int listener; /* after http_quiesce; -1: none */
};

/* A request and its answer. */
struct exchange {
    struct http *http;
    struct MHD_Connection *connection;
    struct line *line;
    int64_t since;
    int route;
    struct call call;
    struct plan plan;
    char path[PATH_BYTES];
    size_t room; /* of the body */
    bool reads, landed, queued;
    unsigned status;
    struct answer *answer;
};

/* --- slow clients --------------------------------------------------------------------------------------- */

static void set_deadline(struct http *http, struct line *line, int64_t deadline) {
    if (!line)
        return;
    pthread_mutex_lock(&http->lock);
    line->deadline = deadline;
    pthread_mutex_unlock(&http->lock);
}

static void *sweep(void *user) {
    struct http *http = user;
    pthread_mutex_lock(&http->lock);
    while (!http->ending) {
        struct timespec until;
        int64_t now = wire_now();
        for (struct line *line = http->lines; line; line = line->next)
            if (line->deadline < now) {
                shutdown(line->fd, SHUT_RDWR); /* the daemon sees an end of the stream */
                line->deadline = INT64_MAX;
                metric_count(http->service->metrics, METRIC_REFUSED_SLOW);
            }
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += SWEEP_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&http->ending_now, &http->lock, &until);
    }
    pthread_mutex_unlock(&http->lock);
    return NULL;
}

static void on_connection(void *user, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code) {
    struct http *http = user;
    struct line *line = *context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        line = info ? calloc(1, sizeof *line) : NULL;
        *context = line;
        if (!line)
            return;
        line->fd = info->connect_fd;
        line->deadline = wire_now() + http->service->options->slow_ms;
        pthread_mutex_lock(&http->lock);
        line->next = http->lines;
        line->at = &http->lines;
        if (line->next)
            line->next->at = &line->next;
        http->lines = line;
        pthread_mutex_unlock(&http->lock);
        metric_count(http->service->metrics, METRIC_CONNECTIONS_TOTAL);
        metric_add(http->service->metrics, GAUGE_CONNECTIONS, 1);
    } else if (line) {
        pthread_mutex_lock(&http->lock);
        *line->at = line->next;
        if (line->next)
            line->next->at = line->at;
        pthread_mutex_unlock(&http->lock);
        metric_add(http->service->metrics, GAUGE_CONNECTIONS, -1);
        free(line);
    }
}

/* --- answers -------------------------------------------------------------------------------------------- */

static const char *const answer_types[ANSWER_TYPE_COUNT] = {"application/json", "text/plain; charset=utf-8",
                                                            "image/png", "application/octet-stream"};

static void add_headers(struct MHD_Response *response, const char *type, bool page) {
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Opener-Policy", "same-origin");
    MHD_add_response_header(response, "Content-Security-Policy",
                            page ? WEB_POLICY : "default-src 'none'; frame-ancestors 'none'");
    if (page) {
        MHD_add_response_header(response, "X-Frame-Options", "DENY");
        MHD_add_response_header(response, "Permissions-Policy", "camera=(), geolocation=(), microphone=()");
        MHD_add_response_header(response, "Cache-Control", "no-cache");
        return;
    }
    MHD_add_response_header(response, "Vary", "Accept");
    /* there is nothing private, and no cookie: anybody's page may ask */
    MHD_add_response_header(response, "Access-Control-Allow-Origin", "*");
}

static enum MHD_Result send_response(struct exchange *x, unsigned status, struct MHD_Response *response) {
    if (!response)
        return MHD_NO;
    if (status == 429 || status == 503)
        MHD_add_response_header(response, "Retry-After", "1");
    enum MHD_Result result = MHD_queue_response(x->connection, status, response);
    MHD_destroy_response(response);
    x->queued = true;
    x->status = status;
    set_deadline(x->http, x->line, wire_now() + 2 * (int64_t)x->http->service->options->slow_ms);
    return result;
}

static void release_answer(void *answer) {
    answer_release(answer);
}

/* Takes the answer over. */
static enum MHD_Result send_answer(struct exchange *x, struct answer *answer) {
    if (!answer)
        answer = answer_error(503, "memory", "The server is short of memory. Try again later.");
    if (!answer)
        return MHD_NO;
    struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
        answer->size, answer->body, release_answer, answer);
    if (!response) {
        answer_release(answer);
        return MHD_NO;
    }
    add_headers(response, answer_types[answer->type], false);
    return send_response(x, answer->status, response);
}

static enum MHD_Result send_file(struct exchange *x, const struct web_file *file) {
    const char *known = MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, "If-None-Match");
    bool same = known && strstr(known, file->etag);
    struct MHD_Response *response =
        MHD_create_response_from_buffer(same ? 0 : file->size, (void *)file->data, MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    add_headers(response, file->type, true);
    MHD_add_response_header(response, "ETag", file->etag);
    if (!same)
        MHD_add_response_header(response, "Content-Encoding", "gzip");
    return send_response(x, same ? 304 : 200, response);
}

static enum MHD_Result refuse(struct exchange *x, unsigned status, const char *reason, const char *text) {
    return send_answer(x, answer_error(status, reason, text));
}

/* Which methods a path has, for browsers that ask before they send. */
static enum MHD_Result send_options(struct exchange *x) {
    struct MHD_Response *response = MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, "Access-Control-Allow-Origin", "*");
    MHD_add_response_header(response, "Access-Control-Allow-Methods", "GET, POST");
    MHD_add_response_header(response, "Access-Control-Allow-Headers", "Content-Type, Accept");
    MHD_add_response_header(response, "Access-Control-Max-Age", "86400");
    return send_response(x, 204, response);
}

/* --- requests ------------------------------------------------------------------------------------------- */

static const char *header(const struct exchange *x, const char *name) {
    return MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, name);
}

static const char *query(const struct exchange *x, const char *name) {
    return MHD_lookup_connection_value(x->connection, MHD_GET_ARGUMENT_KIND, name);
}

static bool take_tokens(struct exchange *x, unsigned tokens) {
    uint8_t client[CLIENT_BYTES];
    const struct service *service = x->http->service;
    const char *text = service->options->proxy ? header(x, "X-Real-IP") : NULL;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (!text || !client_of_text(text, client))
        client_of(info ? info->client_addr : NULL, client);
    if (client_takes(service->clients, client, tokens, wire_now()))
        return true;
    metric_count(service->metrics, METRIC_REFUSED_RATE);
    return false;
}

/* Text where Compiler Explorer would give text, unless JSON is asked for. */
static enum answer_type accepted(const struct exchange *x) {
    const char *accept = header(x, "Accept");
    if (accept && strcasestr(accept, "json"))
        return ANSWER_JSON;
    if (accept && strcasestr(accept, "image/png"))
        return ANSWER_PNG;
    if (accept && strcasestr(accept, "octet-stream"))
        return ANSWER_BYTES;
    return ANSWER_TEXT;
}

static enum MHD_Result begin(struct exchange *x, const char *method) {
    const struct serve_options *options = x->http->service->options;
    bool post = !strcmp(method, "POST"), get = !strcmp(method, "GET") || !strcmp(method, "HEAD");
    const char *length = header(x, "Content-Length"), *type = header(x, "Content-Type"),
               *scheme = options->proxy ? header(x, "X-Forwarded-Proto") : NULL;
    if (x->route < 0)
        return refuse(x, 404, "unknown", "There is nothing here.");
    if (!strcmp(method, "OPTIONS"))
        return send_options(x);
    if (!route_allows((unsigned)x->route, post ? ROUTE_POST : ROUTE_GET) || (!post && !get))
        return refuse(x, 405, "method", "This path takes another method.");
    if (!take_tokens(x, 1))
        return refuse(x, 429, "rate", "There are too many requests from this address.");
    if (length && strtoull(length, NULL, 10) > options->body) {
        metric_count(x->http->service->metrics, METRIC_REFUSED_SIZE);
        return refuse(x, 413, "size", "The request is larger than this server allows.");
    }
    x->reads = post;
    x->call.path = x->path;
    x->call.accept = accepted(x);
    x->call.plain = !type || !strcasestr(type, "json");
    x->call.scheme = scheme && !strcmp(scheme, "https") ? "https" : "http";
    return MHD_YES;
}

static bool append(struct exchange *x, const char *data, size_t size) {
    size_t needed = x->call.size + size + 1;
    if (needed > x->room) {
        size_t room = needed * 2 > 4096 ? needed * 2 : 4096;
        char *grown = realloc(x->call.body, room);
        if (!grown)
            return false;
        x->call.body = grown;
        x->room = room;
    }
    memcpy(x->call.body + x->call.size, data, size);
    x->call.size += size;
    x->call.body[x->call.size] = 0;
    return true;
}

static void landed(void *user, struct answer *answer) {
    struct exchange *x = user;
    x->answer = answer;
    x->landed = true;
    MHD_resume_connection(x->connection);
}

static enum MHD_Result finish(struct exchange *x) {
    struct answer *answer = route_finish(x->http->service, (unsigned)x->route, &x->call, &x->plan, x->answer);
    x->answer = NULL;
    if (x->plan.file && answer && answer->status == 200) {
        answer_release(answer);
        return send_file(x, x->plan.file);
    }
    return send_answer(x, answer);
}

/* The body is here. */
static enum MHD_Result dispatch(struct exchange *x) {
    struct service *service = x->http->service;
    unsigned route = (unsigned)x->route;
    x->call.fields = query(x, "fields");
    x->call.user_options = query(x, "options");
    x->call.host = header(x, "Host");
    if (x->reads && !x->call.body && !append(x, "", 0))
        return MHD_NO;
    route_plan(service, route, &x->call, &x->plan);
    if (x->plan.answer) {
        job_free(&x->plan.task.job);
        return send_answer(x, x->plan.answer);
    }
    bool link = x->plan.task.kind == TASK_RECALL;
    if (x->plan.file && !link)
        return send_file(x, x->plan.file);
    struct answer *known = front_get(service->front, x->plan.key);
    if (known) {
        metric_count(service->metrics, METRIC_REQUESTS_CACHED);
        job_free(&x->plan.task.job);
        x->answer = known;
        return finish(x);
    }
    if (!take_tokens(x, link ? 1 : CLIENT_WORK)) {
        job_free(&x->plan.task.job);
        return refuse(x, 429, "rate", "There are too many requests from this address.");
    }
    struct task task = x->plan.task;
    x->plan.task.job.body = NULL; /* the task's */
    set_deadline(x->http, x->line, INT64_MAX);
    MHD_suspend_connection(x->connection);
    if (!flights_submit(service->flights, x->plan.key, &task, landed, x)) {
        metric_count(service->metrics, METRIC_REFUSED_QUEUE);
        landed(x, answer_error(503, "queue", "The server has too much to do. Try again later."));
    }
    return MHD_YES;
}

/* The daemon's callback: once with the headers, once for each piece of the body, and once when it is over, or
 * when a suspended connection goes on. */
static enum MHD_Result on_request(void *user, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data, size_t *size,
                                  void **context) {
    struct exchange *x = *context;
    (void)version;
    if (!x) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
        *context = x = calloc(1, sizeof *x);
        if (!x)
            return MHD_NO;
        x->http = user;
        x->connection = connection;
        x->line = info ? info->socket_context : NULL;
        x->since = wire_now();
        set_deadline(x->http, x->line, x->since + x->http->service->options->slow_ms);
        snprintf(x->path, sizeof x->path, "%s", url);
        x->route = strlen(url) < sizeof x->path ? route_find(x->path, &x->call.rest) : -1;
        return begin(x, method);
    }
    if (x->queued)
        return MHD_YES;
    if (*size) {
        bool fits = x->call.size + *size <= x->http->service->options->body;
        if (x->reads && (!fits || !append(x, data, *size)))
            return MHD_NO; /* a client that sent no length, or a wrong one */
        *size = 0;
        return MHD_YES;
    }
    return x->landed ? finish(x) : dispatch(x);
}

static void on_completed(void *user, struct MHD_Connection *connection, void **context,
                         enum MHD_RequestTerminationCode code) {
    struct exchange *x = *context;
    (void)user, (void)connection, (void)code;
    if (!x)
        return;
    if (x->route >= 0 && x->queued)
        metric_request(x->http->service->metrics, (unsigned)x->route, x->status,
                       (double)(wire_now() - x->since) / 1000);
    set_deadline(x->http, x->line, wire_now() + IDLE_MS);
    answer_release(x->answer);
    free(x->call.body);
    free(x);
    *context = NULL;
}

/* --- the daemon ----------------------------------------------------------------------------------------- */

static void say_nothing(void *user, const char *format, va_list list) {
    (void)user, (void)format, (void)list;
}

struct http *http_start(struct service *service) {
    const struct serve_options *options = service->options;
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                             .ai_socktype = SOCK_STREAM},
                    *address = NULL;
    char port[16];
    snprintf(port, sizeof port, "%u", options->port);
    struct http *http = calloc(1, sizeof *http);
    if (!http || getaddrinfo(options->address, port, &hints, &address)) {
        free(http);
        return NULL;
    }
    http->service = service;
    http->listener = -1;
    pthread_mutex_init(&http->lock, NULL);
    pthread_cond_init(&http->ending_now, NULL);
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG |
                     (address->ai_family == AF_INET6 ? MHD_USE_IPv6 : 0);
    http->daemon = MHD_start_daemon(
        flags, (uint16_t)options->port, NULL, NULL, on_request, http, MHD_OPTION_EXTERNAL_LOGGER, say_nothing,
        NULL, MHD_OPTION_SOCK_ADDR, address->ai_addr, MHD_OPTION_CONNECTION_LIMIT, options->connections,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, options->proxy ? 0 : options->client_connections,
        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)(IDLE_MS / 1000), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)HEADER_BYTES, MHD_OPTION_NOTIFY_COMPLETED, on_completed, http, MHD_OPTION_NOTIFY_CONNECTION,
        on_connection, http, MHD_OPTION_END);
    freeaddrinfo(address);
    if (http->daemon && pthread_create(&http->sweeper, NULL, sweep, http) == 0)
        return http;
    if (http->daemon)
        MHD_stop_daemon(http->daemon);
    free(http);
    return NULL;
}

unsigned http_port(struct http *http) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

/* The socket's number stays taken as long as the daemon's thread may look at it. */
void http_quiesce(struct http *http) {
    http->listener = MHD_quiesce_daemon(http->daemon);
    if (http->listener >= 0)
        shutdown(http->listener, SHUT_RDWR);
}

void http_stop(struct http *http) {
    MHD_stop_daemon(http->daemon);
    if (http->listener >= 0)
        close(http->listener);
    pthread_mutex_lock(&http->lock);
    http->ending = true;
    pthread_cond_signal(&http->ending_now);
    pthread_mutex_unlock(&http->lock);
    pthread_join(http->sweeper, NULL);
    pthread_cond_destroy(&http->ending_now);
    pthread_mutex_destroy(&http->lock);
    free(http);
}
