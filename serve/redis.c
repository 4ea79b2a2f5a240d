/* Redis through hiredis, with a circuit breaker: when the connection fails, no command is sent for AWAY_MS,
 * so that a server whose Redis is down is as fast as one that has none. */
#include "redis.h"
#include "wire.h"

#include <hiredis/hiredis.h>

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONNECT_MS = 200, COMMAND_MS = 300, AWAY_MS = 1000, MAX_VALUE = 8 << 20 };

struct redis {
    char host[512], password[128];
    int port, database;
    struct metrics *metrics;
    pthread_key_t connection;
    atomic_llong away_until; /* by wire_now's clock */
};

static void disconnect(void *connection) {
    redisFree(connection);
}

static bool read_number(const char *text, long most, int *number) {
    char *end;
    long read = strtol(text, &end, 10);
    *number = (int)read;
    return isdigit((unsigned char)*text) && !*end && read <= most;
}

struct redis *redis_open(const char *url, const char *password, struct metrics *metrics, char *error,
                         size_t size) {
    char rest[512];
    struct redis *redis =
        strncmp(url, "redis://", 8) || strlen(url) >= sizeof rest ? NULL : calloc(1, sizeof *redis);
    if (!redis) {
        snprintf(error, size, "a store is redis://host[:port][/number]");
        return NULL;
    }
    strcpy(rest, url + 8);
    char *host = rest, *slash = strchr(host, '/');
    if (slash)
        *slash++ = 0;
    char *port = strrchr(host, ':');
    if (port)
        *port++ = 0;
    redis->port = 6379;
    bool ok = (!port || read_number(port, 65535, &redis->port)) &&
              (!slash || !*slash || read_number(slash, INT_MAX, &redis->database));
    snprintf(redis->host, sizeof redis->host, "%s", host);
    snprintf(redis->password, sizeof redis->password, "%s", password);
    redis->metrics = metrics;
    if (!*host || !ok || !redis->port || pthread_key_create(&redis->connection, disconnect)) {
        snprintf(error, size, "a store is redis://host[:port][/number]");
        free(redis);
        return NULL;
    }
    return redis;
}

void redis_close(struct redis *redis) {
    if (!redis)
        return;
    redis_end_thread(redis);
    pthread_key_delete(redis->connection);
    free(redis);
}

void redis_end_thread(struct redis *redis) {
    redisContext *context = redis ? pthread_getspecific(redis->connection) : NULL;
    if (context)
        redisFree(context);
    if (redis)
        pthread_setspecific(redis->connection, NULL);
}

bool redis_up(struct redis *redis) {
    return atomic_load(&redis->away_until) <= wire_now();
}

/* --- commands ------------------------------------------------------------------------------------------- */

static void trip_breaker(struct redis *redis, redisContext *context) {
    metric_count(redis->metrics, METRIC_REDIS_ERRORS);
    metric_set(redis->metrics, GAUGE_REDIS_UP, 0);
    atomic_store(&redis->away_until, wire_now() + AWAY_MS);
    pthread_setspecific(redis->connection, NULL);
    if (context)
        redisFree(context);
}

static bool set_up_session(const struct redis *redis, redisContext *context) {
    redisReply *reply;
    bool ok = true;
    if (redis->password[0]) {
        reply = redisCommand(context, "AUTH %s", redis->password);
        ok = reply && reply->type != REDIS_REPLY_ERROR;
        freeReplyObject(reply);
    }
    if (ok && redis->database) {
        reply = redisCommand(context, "SELECT %d", redis->database);
        ok = reply && reply->type != REDIS_REPLY_ERROR;
        freeReplyObject(reply);
    }
    return ok;
}

/* This thread's connection; NULL: Redis is away. */
static redisContext *connection(struct redis *redis) {
    static const struct timeval connect_timeout = {0, CONNECT_MS * 1000},
                                command_timeout = {0, COMMAND_MS * 1000};
    redisContext *context = pthread_getspecific(redis->connection);
    if (!redis_up(redis)) {
        metric_count(redis->metrics, METRIC_REDIS_SKIPPED);
        return NULL;
    }
    if (context)
        return context;
    context = redisConnectWithTimeout(redis->host, redis->port, connect_timeout);
    if (!context || context->err || redisSetTimeout(context, command_timeout) != REDIS_OK ||
        !set_up_session(redis, context)) {
        trip_breaker(redis, context);
        return NULL;
    }
    pthread_setspecific(redis->connection, context);
    return context;
}

/* The reply, which the caller frees; NULL: there is none, or it is an error. */
static redisReply *command(struct redis *redis, int count, const char **words, const size_t *sizes) {
    redisContext *context = connection(redis);
    redisReply *reply = context ? redisCommandArgv(context, count, words, sizes) : NULL;
    if (context && !reply)
        trip_breaker(redis, context);
    if (reply && reply->type == REDIS_REPLY_ERROR) { /* full, read-only or loading: the connection is good */
        metric_count(redis->metrics, METRIC_REDIS_ERRORS);
        freeReplyObject(reply);
        return NULL;
    }
    if (reply)
        metric_set(redis->metrics, GAUGE_REDIS_UP, 1);
    return reply;
}

uint8_t *redis_get(struct redis *redis, const char *key, size_t *size) {
    const char *words[] = {"GET", key};
    const size_t sizes[] = {3, strlen(key)};
    redisReply *reply = command(redis, 2, words, sizes);
    uint8_t *data = reply && reply->type == REDIS_REPLY_STRING ? malloc(reply->len + 1) : NULL;
    if (data) {
        memcpy(data, reply->str, reply->len);
        *size = reply->len;
    }
    freeReplyObject(reply);
    return data;
}

bool redis_put(struct redis *redis, const char *key, const void *data, size_t size, unsigned seconds) {
    char ttl[16];
    const char *words[] = {"SET", key, data, "EX", ttl};
    const size_t sizes[] = {3, strlen(key), size, 2, (size_t)snprintf(ttl, sizeof ttl, "%u", seconds)};
    redisReply *reply = size <= MAX_VALUE ? command(redis, seconds ? 5 : 3, words, sizes) : NULL;
    bool ok = reply != NULL;
    freeReplyObject(reply);
    return ok;
}

bool redis_lock(struct redis *redis, const char *key, const char *token, unsigned milliseconds) {
    char ttl[16];
    const char *words[] = {"SET", key, token, "NX", "PX", ttl};
    const size_t sizes[] = {3, strlen(key), strlen(token),
                            2, 2,           (size_t)snprintf(ttl, sizeof ttl, "%u", milliseconds)};
    redisReply *reply = command(redis, 6, words, sizes);
    bool is_taken = reply && reply->type == REDIS_REPLY_NIL;
    freeReplyObject(reply);
    return !is_taken;
}

void redis_unlock(struct redis *redis, const char *key, const char *token) {
    /* the token is compared because the lock may have expired, and another server may hold it now */
    static const char script[] =
        "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
    const char *words[] = {"EVAL", script, "1", key, token};
    const size_t sizes[] = {4, sizeof script - 1, 1, strlen(key), strlen(token)};
    freeReplyObject(command(redis, 5, words, sizes));
}

/* --- permalinks ----------------------------------------------------------------------------------------- */

#define LINK "qpucc:link:"        /* with the name behind it: the link's contents */
#define USES "qpucc:links:uses"   /* names, sorted by the time of their last use */
#define COSTS "qpucc:links:costs" /* bytes that each name counts for */
#define TOTAL "qpucc:links:total" /* the sum of all costs */
/* Seconds by Redis' own clock, which all servers share, to the microsecond: uses within one second keep their
 * order. */
#define NOW "redis.call('TIME')[1] + redis.call('TIME')[2] / 1000000"

/* KEYS: the link; the bytes that its client has added today. ARGV: name, contents, cost, bound on all links,
 * bound on the client's. HSETNX counts a link that was stored before links were counted. */
static const char keep_script[] =
    "local name, cost, most = ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])\n"
    "if redis.call('EXISTS', KEYS[1]) == 1 then\n"
    "  redis.call('ZADD', '" USES "', " NOW ", name)\n"
    "  if redis.call('HSETNX', '" COSTS "', name, cost) == 1 then redis.call('INCRBY', '" TOTAL
    "', cost) end\n"
    "  return 0\n"
    "end\n"
    "if cost > most then return -3 end\n"
    "if tonumber(redis.call('GET', KEYS[2]) or 0) + cost > tonumber(ARGV[5]) then return -2 end\n"
    "local total, removed = tonumber(redis.call('GET', '" TOTAL "') or 0), 0\n"
    "while total + cost > most do\n"
    "  local oldest = redis.call('ZRANGE', '" USES "', 0, 0)[1]\n"
    "  if not oldest then total = 0 break end\n"
    "  total = total - tonumber(redis.call('HGET', '" COSTS "', oldest) or 0)\n"
    "  redis.call('ZREM', '" USES "', oldest)\n"
    "  redis.call('HDEL', '" COSTS "', oldest)\n"
    "  redis.call('DEL', '" LINK "' .. oldest)\n"
    "  removed = removed + 1\n"
    "end\n"
    "redis.call('SET', KEYS[1], ARGV[2])\n"
    "redis.call('ZADD', '" USES "', " NOW ", name)\n"
    "redis.call('HSET', '" COSTS "', name, cost)\n"
    "redis.call('SET', '" TOTAL "', total + cost)\n"
    "redis.call('INCRBY', KEYS[2], cost)\n"
    "redis.call('EXPIRE', KEYS[2], 172800)\n"
    "return removed\n";

/* KEYS: the link. ARGV: name, cost. */
static const char touch_script[] =
    "if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end\n"
    "redis.call('ZADD', '" USES "', " NOW ", ARGV[1])\n"
    "if redis.call('HSETNX', '" COSTS "', ARGV[1], ARGV[2]) == 1 then redis.call('INCRBY', '" TOTAL
    "', ARGV[2]) end\n"
    "return 1\n";

static size_t put_number(char out[24], uint64_t number) {
    return (size_t)snprintf(out, 24, "%" PRIu64, number);
}

long redis_keep_link(struct redis *redis, const struct redis_link *link, const void *body, size_t size) {
    char key[40], day_key[100], cost[24], most[24], client_most[24];
    int length = snprintf(day_key, sizeof day_key, "qpucc:links:day:%" PRId64 ":", link->now / 86400);
    for (size_t i = 0; i < link->client_size && length + 3 < (int)sizeof day_key; i++)
        length += snprintf(day_key + length, 3, "%02x", link->client[i]);
    const char *words[] = {"EVAL", keep_script, "2", key, day_key, link->name, body, cost, most, client_most};
    const size_t sizes[] = {4,
                            sizeof keep_script - 1,
                            1,
                            (size_t)snprintf(key, sizeof key, LINK "%s", link->name),
                            (size_t)length,
                            strlen(link->name),
                            size,
                            put_number(cost, link->cost),
                            put_number(most, link->most),
                            put_number(client_most, link->client_most)};
    redisReply *reply = command(redis, sizeof words / sizeof *words, words, sizes);
    long result = reply && reply->type == REDIS_REPLY_INTEGER ? (long)reply->integer : REDIS_LINK_AWAY;
    freeReplyObject(reply);
    return result;
}

char *redis_get_link(struct redis *redis, const char *name, size_t *size) {
    char key[40];
    snprintf(key, sizeof key, LINK "%s", name);
    char *body = (char *)redis_get(redis, key, size);
    if (body)
        body[*size] = 0; /* redis_get allocates a byte more */
    return body;
}

void redis_touch_link(struct redis *redis, const struct redis_link *link) {
    char key[40], cost[24];
    const char *words[] = {"EVAL", touch_script, "1", key, link->name, cost};
    const size_t sizes[] = {4,
                            sizeof touch_script - 1,
                            1,
                            (size_t)snprintf(key, sizeof key, LINK "%s", link->name),
                            strlen(link->name),
                            put_number(cost, link->cost)};
    freeReplyObject(command(redis, sizeof words / sizeof *words, words, sizes));
}
