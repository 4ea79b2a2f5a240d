/* The sockets: libmicrohttpd with one thread that never waits for anything. A request is read into memory,
 * within bounds; what can be answered at once is, the rest suspends its connection until its flight has
 * landed.
 *
 * Whoever is slow, has too many connections or holds too much memory loses them: lines.c, bodies.c. */
#define _GNU_SOURCE
#include "bodies.h"
#include "coding.h"
#include "lines.h"
#include "serve.h"
#include "tools/web.h"
#include "wire.h"

#include <microhttpd.h>
#include <zlib.h>

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { IDLE_MS = 30000, HEADER_BYTES = 32 << 10, PATH_BYTES = 300, SPARE_LINES = 32 };

struct http {
    struct service *service;
    struct MHD_Daemon *daemon;
    struct lines *lines;
    struct bodies bodies;
    uint8_t **plain;  /* the page's files as they are, made when the first client asks for them so */
    atomic_uint open; /* exchanges */
    atomic_bool ending;
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
    uint8_t client[CLIENT_BYTES];
    struct claim claim; /* of the body, then of the answer */
    size_t capacity;    /* of the body */
    bool reads, landed, queued, closes, dropped;
    unsigned status, retry;
    struct answer *answer;
};

/* --- connections ---------------------------------------------------------------------------------------- */

static void peer(struct MHD_Connection *connection, uint8_t client[CLIENT_BYTES]) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    client_of(info ? info->client_addr : NULL, client);
}

static void on_connection(void *user, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code) {
    struct http *http = user;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    uint8_t client[CLIENT_BYTES];
    peer(connection, client);
    if (code != MHD_CONNECTION_NOTIFY_STARTED)
        line_close(http->lines, *context);
    else if (info)
        *context =
            line_open(http->lines, info->connect_fd, client, wire_now() + http->service->options->slow_ms);
}

/* The flight's end. NULL: out of memory. */
static void landed(void *user, struct answer *answer) {
    struct exchange *x = user;
    x->answer = answer;
    x->landed = true;
    MHD_resume_connection(x->connection);
}

/* Somebody else's request needs the memory. A body that is still read is forgotten and refused when it is
 * over; one that waits for a worker does so no longer; an answer that is being sent ends where it is. */
static bool drop_claim(struct claim *claim) {
    struct exchange *x = (struct exchange *)(void *)((char *)claim - offsetof(struct exchange, claim));
    if (claim->fixed) {
        bool left = flights_leave(x->http->service->flights, x->plan.key, x);
        if (left)
            landed(x, NULL);
        return left;
    }
    x->dropped = true;
    if (x->queued)
        line_cut(x->http->lines, x->line);
    free(x->call.body);
    x->call.body = NULL;
    x->call.size = x->capacity = 0;
    return true;
}

/* --- answers -------------------------------------------------------------------------------------------- */

static const char *const answer_types[ANSWER_TYPE_COUNT] = {"application/json", "text/plain; charset=utf-8",
                                                            "image/png", "application/octet-stream"};

/* `sites`: those that may show the page in a frame; NULL: none. */
static void add_headers(struct MHD_Response *response, const char *type, const struct web_file *page,
                        const char *sites) {
    char policy[sizeof WEB_POLICY + MOST_SITES];
    snprintf(policy, sizeof policy, "%s%s", WEB_POLICY, sites ? sites : "'none'");
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Opener-Policy", "same-origin");
    MHD_add_response_header(response, "Content-Security-Policy",
                            page ? policy : "default-src 'none'; frame-ancestors 'none'");
    if (page) {
        if (!sites)
            MHD_add_response_header(response, "X-Frame-Options", "DENY");
        MHD_add_response_header(response, "Permissions-Policy", "camera=(), geolocation=(), microphone=()");
        MHD_add_response_header(response, "Cache-Control",
                                page->forever ? "public, max-age=31536000, immutable" : "no-cache");
        MHD_add_response_header(response, "Vary", "Accept-Encoding");
        return;
    }
    MHD_add_response_header(response, "Vary", "Accept");
    /* there is nothing private, and no cookie: anybody's page may ask */
    MHD_add_response_header(response, "Access-Control-Allow-Origin", "*");
}

static void add_methods(struct MHD_Response *response, const struct exchange *x, const char *field) {
    bool post = x->route >= 0 && route_allows((unsigned)x->route, ROUTE_POST);
    MHD_add_response_header(response, field, post ? "POST, OPTIONS" : "GET, HEAD, OPTIONS");
}

static enum MHD_Result send_response(struct exchange *x, unsigned status, struct MHD_Response *response) {
    if (!response)
        return MHD_NO;
    if (status == 429 || status == 503) {
        char seconds[16];
        snprintf(seconds, sizeof seconds, "%u", x->retry ? x->retry : 1);
        MHD_add_response_header(response, "Retry-After", seconds);
    }
    if (status == 405)
        add_methods(response, x, "Allow");
    if (x->closes || atomic_load(&x->http->ending))
        MHD_add_response_header(response, "Connection", "close");
    enum MHD_Result result = MHD_queue_response(x->connection, status, response);
    MHD_destroy_response(response);
    x->queued = true;
    x->status = status;
    line_deadline(x->http->lines, x->line, wire_now() + 2 * (int64_t)x->http->service->options->slow_ms);
    return result;
}

static void release_answer(void *answer) {
    answer_release(answer);
}

/* Takes the answer over. */
static enum MHD_Result send_answer(struct exchange *x, struct answer *answer) {
    x->claim.fixed = false;
    if (answer && !bodies_claim(&x->http->bodies, &x->claim, x->client, answer->size)) {
        answer_release(answer);
        answer = NULL;
    }
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
    x->retry = answer->retry;
    add_headers(response, answer_types[answer->type], NULL, NULL);
    return send_response(x, answer->status, response);
}

static enum MHD_Result refuse(struct exchange *x, unsigned status, const char *reason, const char *text) {
    return send_answer(x, answer_error(status, reason, text));
}

static enum MHD_Result add_wish(void *user, enum MHD_ValueKind kind, const char *key, const char *value) {
    (void)kind;
    if (!strcasecmp(key, "Accept-Encoding") && value)
        coding_add(user, value);
    return MHD_YES;
}

/* The file without compression; NULL: out of memory. */
static const uint8_t *plain_file(struct http *http, const struct web_file *file) {
    uint8_t **copy = &http->plain[file - web_files];
    z_stream stream = {.next_in = (Bytef *)(size_t)file->data,
                       .avail_in = (uInt)file->size,
                       .avail_out = (uInt)file->plain_size};
    if (*copy || !(*copy = malloc(file->plain_size + 1)))
        return *copy;
    stream.next_out = *copy;
    bool ok = inflateInit2(&stream, 15 + 16) == Z_OK; /* 16: gzip's frame */
    ok = ok && inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.total_out == file->plain_size;
    inflateEnd(&stream);
    if (ok)
        return *copy;
    free(*copy);
    return *copy = NULL;
}

/* `status` 404: the page, which itself says what there is none of. */
static enum MHD_Result send_file(struct exchange *x, const struct web_file *file, unsigned status) {
    const char *known = MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, "If-None-Match");
    struct coding_wishes wishes = CODING_NOTHING_SAID;
    MHD_get_connection_values(x->connection, MHD_HEADER_KIND, add_wish, &wishes);
    enum coding coding = coding_choose(&wishes);
    if (coding == CODING_NONE)
        return refuse(x, 406, "coding",
                      "This file is sent as it is or as gzip, and the client wants neither.");
    bool packed = coding == CODING_GZIP;
    const void *data = packed ? file->data : plain_file(x->http, file);
    size_t size = packed ? file->size : file->plain_size;
    char tag[80]; /* of the file in this coding */
    snprintf(tag, sizeof tag, "%.*s%s\"", (int)strlen(file->etag) - 1, file->etag, packed ? "" : "-plain");
    bool same = status == 200 && known && (strstr(known, tag) || !strcmp(known, "*"));
    struct MHD_Response *response =
        !data
            ? NULL
            : MHD_create_response_from_buffer(same ? 0 : size, (void *)(size_t)data, MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    add_headers(response, file->type, file,
                route_is_framed((unsigned)x->route) ? x->http->service->options->embed : NULL);
    if (status == 200)
        MHD_add_response_header(response, "ETag", tag);
    if (packed && !same)
        MHD_add_response_header(response, "Content-Encoding", "gzip");
    return send_response(x, same ? 304 : status, response);
}

/* Which methods a path has, for browsers that ask before they send. */
static enum MHD_Result send_options(struct exchange *x) {
    struct MHD_Response *response = MHD_create_response_from_buffer(0, (void *)"", MHD_RESPMEM_PERSISTENT);
    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, "Access-Control-Allow-Origin", "*");
    add_methods(response, x, "Allow");
    add_methods(response, x, "Access-Control-Allow-Methods");
    MHD_add_response_header(response, "Access-Control-Allow-Headers",
                            "Content-Type, Accept, X-Requested-With");
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

static void find_client(struct exchange *x) {
    const char *text = x->http->service->options->proxy ? header(x, "X-Real-IP") : NULL;
    if (!text || !client_of_text(text, x->client))
        peer(x->connection, x->client);
}

static bool take_tokens(struct exchange *x, unsigned tokens) {
    const struct service *service = x->http->service;
    if (client_takes(service->clients, x->client, tokens, wire_now()))
        return true;
    metric_count(service->metrics, METRIC_REFUSED_RATE);
    return false;
}

/* What decides where a request ends and whom it is for. */
struct framing {
    unsigned hosts, lengths, codings;
    bool wrong;
};

/* Is there more of the name? A line that goes on with a blank is put behind its name by libmicrohttpd. */
static bool is_longer(const char *key, const char *name) {
    size_t length = strlen(name);
    return !strncasecmp(key, name, length) && key[length];
}

static enum MHD_Result look_at_field(void *user, enum MHD_ValueKind kind, const char *key,
                                     const char *value) {
    struct framing *f = user;
    (void)kind;
    /* others leave a blank before the colon out, here it is of the name (RFC 9112, section 5.1) */
    f->wrong |=
        strpbrk(key, " \t") || is_longer(key, "Content-Length") || is_longer(key, "Transfer-Encoding");
    if (!strcasecmp(key, "Host"))
        f->hosts++;
    else if (!strcasecmp(key, "Content-Length")) {
        f->lengths++;
        f->wrong |= !value || !*value || strlen(value) > 18 || value[strspn(value, "0123456789")];
    } else if (!strcasecmp(key, "Transfer-Encoding")) {
        f->codings++;
        f->wrong |= !value || strcasecmp(value, "chunked");
    }
    return MHD_YES;
}

/* A proxy may read one and we the other where a request says two things (RFC 9112, sections 3.2 and 6.3). */
static bool is_clear(const struct exchange *x, const char *version) {
    struct framing f = {0};
    MHD_get_connection_values(x->connection, MHD_HEADER_KIND, look_at_field, &f);
    return !f.wrong && f.lengths + f.codings <= 1 && f.hosts <= 1 &&
           (f.hosts || !strcmp(version, "HTTP/1.0"));
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

static enum MHD_Result begin(struct exchange *x, const char *method, const char *version) {
    const struct serve_options *options = x->http->service->options;
    bool post = !strcmp(method, "POST"), get = !strcmp(method, "GET") || !strcmp(method, "HEAD");
    const char *length = header(x, "Content-Length"), *type = header(x, "Content-Type"),
               *scheme = options->proxy ? header(x, "X-Forwarded-Proto") : NULL;
    find_client(x);
    if (!is_clear(x, version)) {
        x->closes = true; /* nobody knows where the next request begins */
        return refuse(x, 400, "request",
                      "The request does not say in one way where it ends and whom it is for.");
    }
    if (atomic_load(&x->http->ending))
        return refuse(x, 503, "queue", "The server is going down.");
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
    if (needed > x->capacity) {
        size_t capacity = needed * 2 > 4096 ? needed * 2 : 4096;
        char *grown = bodies_claim(&x->http->bodies, &x->claim, x->client, capacity)
                          ? realloc(x->call.body, capacity)
                          : NULL;
        if (!grown) {
            bodies_release(&x->http->bodies, &x->claim);
            drop_claim(&x->claim);
            return true; /* refused when it is over: a client that still sends does not read */
        }
        x->call.body = grown;
        x->capacity = capacity;
    }
    memcpy(x->call.body + x->call.size, data, size);
    x->call.size += size;
    x->call.body[x->call.size] = 0;
    return true;
}

static enum MHD_Result finish(struct exchange *x) {
    struct answer *answer = route_finish(x->http->service, (unsigned)x->route, &x->call, &x->plan, x->answer);
    x->answer = NULL;
    if (x->plan.file && answer && (answer->status == 200 || answer->status == 404)) {
        unsigned status = answer->status;
        answer_release(answer);
        return send_file(x, x->plan.file, status);
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
    if (x->reads && !x->call.body && !x->dropped && !append(x, "", 0))
        return MHD_NO;
    if (x->dropped)
        return refuse(x, 503, "memory", "The server is short of memory. Try again later.");
    route_plan(service, route, &x->call, &x->plan);
    if (x->plan.answer) {
        job_free(&x->plan.task.job);
        x->answer = x->plan.answer;
        return finish(x);
    }
    bool link = x->plan.task.kind == TASK_RECALL;
    if (x->plan.file && !link)
        return send_file(x, x->plan.file, 200);
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
    memcpy(task.client, x->client, CLIENT_BYTES);
    x->plan.task.job.body = NULL; /* the task's */
    x->claim.fixed = true;
    line_deadline(x->http->lines, x->line, INT64_MAX);
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
        atomic_fetch_add(&x->http->open, 1);
        line_deadline(x->http->lines, x->line, x->since + x->http->service->options->slow_ms);
        snprintf(x->path, sizeof x->path, "%s", url);
        x->route = strlen(url) < sizeof x->path ? route_find(x->path, &x->call.rest) : -1;
        return begin(x, method, version);
    }
    if (x->queued)
        return MHD_YES;
    if (*size) {
        bool fits = x->call.size + *size <= x->http->service->options->body;
        if (x->reads && !x->dropped && (!fits || !append(x, data, *size)))
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
    line_deadline(x->http->lines, x->line, wire_now() + IDLE_MS);
    bodies_release(&x->http->bodies, &x->claim);
    atomic_fetch_sub(&x->http->open, 1);
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
    http->bodies = (struct bodies){.most = options->bodies, .metrics = service->metrics, .drop = drop_claim};
    http->plain = calloc(web_file_count + 1, sizeof *http->plain);
    http->lines =
        lines_new(options->connections, options->proxy ? 0 : options->client_connections, service->metrics);
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG |
                     (address->ai_family == AF_INET6 ? MHD_USE_IPv6 : 0);
    http->daemon =
        !http->plain || !http->lines
            ? NULL
            : MHD_start_daemon(
                  flags, (uint16_t)options->port, NULL, NULL, on_request, http, MHD_OPTION_EXTERNAL_LOGGER,
                  say_nothing, NULL, MHD_OPTION_SOCK_ADDR, address->ai_addr, MHD_OPTION_CONNECTION_LIMIT,
                  options->connections + SPARE_LINES, /* those that are being cut off */
                  MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)(IDLE_MS / 1000),
                  MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADER_BYTES, MHD_OPTION_NOTIFY_COMPLETED,
                  on_completed, http, MHD_OPTION_NOTIFY_CONNECTION, on_connection, http, MHD_OPTION_END);
    freeaddrinfo(address);
    if (http->daemon)
        return http;
    lines_free(http->lines);
    free(http->plain);
    free(http);
    return NULL;
}

unsigned http_port(struct http *http) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

/* The socket's number stays taken as long as the daemon's thread may look at it. */
void http_quiesce(struct http *http) {
    atomic_store(&http->ending, true);
    http->listener = MHD_quiesce_daemon(http->daemon);
    if (http->listener >= 0)
        shutdown(http->listener, SHUT_RDWR);
}

bool http_busy(struct http *http) {
    return atomic_load(&http->open) > 0;
}

void http_stop(struct http *http) {
    MHD_stop_daemon(http->daemon);
    if (http->listener >= 0)
        close(http->listener);
    lines_free(http->lines);
    for (unsigned i = 0; i < web_file_count; i++)
        free(http->plain[i]);
    free(http->plain);
    free(http);
}
