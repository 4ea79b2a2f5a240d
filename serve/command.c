/* qpucc serve: the service on this machine, with no other server. */
#define _GNU_SOURCE
#include "compiler/sha256.h"
#include "serve.h"
#include "tools/cli.h"
#include "wire.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    OPT_PORT = CLI_OWN,
    OPT_LISTEN,
    OPT_WORKERS,
    OPT_WORKER_JOBS,
    OPT_CPU,
    OPT_WALL,
    OPT_MEMORY,
    OPT_OUTPUT,
    OPT_BUDGET,
    OPT_BODY,
    OPT_BODIES,
    OPT_RATE,
    OPT_QUEUE,
    OPT_CLIENT_CPU,
    OPT_CONNECTIONS,
    OPT_CLIENT_CONNECTIONS,
    OPT_SLOW,
    OPT_CACHE,
    OPT_CACHE_SIZE,
    OPT_LINK_SIZE,
    OPT_CLIENT_LINKS,
    OPT_MEMORY_CACHE,
    OPT_STORE,
    OPT_PASSWORD_FILE,
    OPT_PUBLIC_URL,
    OPT_EMBED,
    OPT_PROXY
};

#define PASSWORD_VARIABLE "QPUCC_STORE_PASSWORD"

static struct serve_options defaults(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return (struct serve_options){
        .address = "127.0.0.1",
        .port = 8080,
        .workers = cores > 0 && cores < 256 ? (unsigned)cores : 2,
        .queue = 64,
        .client_cpu = 25,
        .connections = 512,
        .client_connections = 64,
        .rate = 600,
        .slow_ms = 15000,
        .body = 4 << 20,
        .bodies = 256 << 20,
        .memory_cache = 64 << 20,
        .cache_bytes = 512 << 20,
        .link_bytes = 64 << 20,
        .client_link_bytes = 2 << 20,
        .cache = "",
        .worker = {.job = {.cpu_ms = 5000,
                           .wall_ms = 15000,
                           .memory = 768 << 20,
                           .answer = 32 << 20,
                           .budget = 200000},
                   .jobs = 500},
    };
}

/* --- options -------------------------------------------------------------------------------------------- */

/* A whole number from `least` to `most`, times `unit`. */
static bool number(const char *name, const char *text, uint64_t least, uint64_t most, uint64_t unit,
                   uint64_t *out) {
    char *end = NULL;
    unsigned long long value = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    if (!end || *end || value < least || value > most)
        return complain("--%s=%s: must be a whole number from %llu to %llu", name, text,
                        (unsigned long long)least, (unsigned long long)most),
               false;
    *out = value * unit;
    return true;
}

/* Options that are numbers: where they go, in which unit they are given, and their bounds. */
struct numeric {
    int option;
    const char *name;
    size_t offset, size;
    uint64_t least, most, unit;
};

#define NUMERIC(option, name, member, least, most, unit)                                                     \
    {                                                                                                        \
        option, name, offsetof(struct serve_options, member), sizeof((struct serve_options *)0)->member,     \
            least, most, unit                                                                                \
    }

static const struct numeric numerics[] = {
    NUMERIC(OPT_PORT, "port", port, 0, 65535, 1),
    NUMERIC(OPT_WORKERS, "workers", workers, 1, 256, 1),
    NUMERIC(OPT_WORKER_JOBS, "worker-jobs", worker.jobs, 1, 1000000, 1),
    NUMERIC(OPT_CPU, "cpu-seconds", worker.job.cpu_ms, 1, 3600, 1000),
    NUMERIC(OPT_WALL, "wall-seconds", worker.job.wall_ms, 1, 3600, 1000),
    NUMERIC(OPT_MEMORY, "memory", worker.job.memory, 64, 65536, 1 << 20),
    NUMERIC(OPT_OUTPUT, "output", worker.job.answer, 1, 1024, 1 << 20),
    NUMERIC(OPT_BUDGET, "budget", worker.job.budget, 1000, 100000000, 1),
    NUMERIC(OPT_BODY, "body", body, 1, 65536, 1 << 10),
    NUMERIC(OPT_BODIES, "bodies", bodies, 1, 1 << 16, 1 << 20),
    NUMERIC(OPT_RATE, "rate", rate, 0, 1000000, 1),
    NUMERIC(OPT_QUEUE, "queue", queue, 1, 100000, 1),
    NUMERIC(OPT_CLIENT_CPU, "client-cpu", client_cpu, 1, 100, 1),
    NUMERIC(OPT_CONNECTIONS, "connections", connections, 1, 100000, 1),
    NUMERIC(OPT_CLIENT_CONNECTIONS, "client-connections", client_connections, 0, 100000, 1),
    NUMERIC(OPT_SLOW, "slow-seconds", slow_ms, 1, 600, 1000),
    NUMERIC(OPT_CACHE_SIZE, "cache-size", cache_bytes, 1, 1 << 20, 1 << 20),
    NUMERIC(OPT_LINK_SIZE, "link-size", link_bytes, 1, 1 << 20, 1 << 20),
    NUMERIC(OPT_CLIENT_LINKS, "client-links", client_link_bytes, 1, 1 << 20, 1 << 20),
    NUMERIC(OPT_MEMORY_CACHE, "memory-cache", memory_cache, 1, 1 << 16, 1 << 20),
};

/* 1: taken, 0: not one of these, -1: wrong, said so. */
static int numeric_option(struct serve_options *options, int option, const char *text) {
    for (size_t i = 0; i < sizeof numerics / sizeof *numerics; i++) {
        const struct numeric *n = &numerics[i];
        uint64_t value;
        if (n->option != option)
            continue;
        if (!number(n->name, text, n->least, n->most, n->unit, &value))
            return -1;
        char *at = (char *)options + n->offset;
        if (n->size == sizeof(unsigned))
            *(unsigned *)(void *)at = (unsigned)value;
        else
            *(uint64_t *)(void *)at = value;
        return 1;
    }
    return 0;
}

/* What fits into ",\"" and nothing that could end a string of JSON. */
static bool is_url(const char *text) {
    return (!strncmp(text, "http://", 7) || !strncmp(text, "https://", 8)) && strlen(text) < 200 &&
           !strpbrk(text, "\"\\ <>\n\r\t");
}

/* Sources as the header Content-Security-Policy has them: nothing else can get into it. */
static bool are_sites(const char *text) {
    static const char host[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-.:*";
    const char *at = text;
    while (*at) {
        size_t scheme = !strncmp(at, "https://", 8) ? 8 : !strncmp(at, "http://", 7) ? 7 : 0;
        size_t length = strspn(at + scheme, host);
        if (scheme ? !length : length != 1 || *at != '*')
            return false;
        at += scheme + length;
        if (*at && *at++ != ' ')
            return false;
    }
    return at != text && at - text < MOST_SITES;
}

/* From a file, or the environment, where no process that is started later finds it. */
static bool read_password(struct serve_options *options, const char *path) {
    const char *variable = getenv(PASSWORD_VARIABLE);
    FILE *file = path ? fopen(path, "re") : NULL;
    size_t size = sizeof options->password, length;
    if (path && !file)
        return complain("--store-password-file=%s: cannot be read", path), false;
    if (file) {
        length = fread(options->password, 1, size, file);
        fclose(file);
        while (length && strchr("\r\n", options->password[length - 1]))
            length--;
    } else
        length = variable ? strnlen(variable, size) : 0;
    if (length >= size || (path && !length))
        return complain("the store's password has 1 to %zu bytes", size - 1), false;
    if (!file && length)
        memcpy(options->password, variable, length);
    options->password[length] = 0;
    unsetenv(PASSWORD_VARIABLE);
    return true;
}

static int parse(int argc, char **argv, struct serve_options *options) {
    static const struct option longs[] = {
        {"port", required_argument, NULL, OPT_PORT},
        {"listen", required_argument, NULL, OPT_LISTEN},
        {"workers", required_argument, NULL, OPT_WORKERS},
        {"worker-jobs", required_argument, NULL, OPT_WORKER_JOBS},
        {"cpu-seconds", required_argument, NULL, OPT_CPU},
        {"wall-seconds", required_argument, NULL, OPT_WALL},
        {"memory", required_argument, NULL, OPT_MEMORY},
        {"output", required_argument, NULL, OPT_OUTPUT},
        {"budget", required_argument, NULL, OPT_BUDGET},
        {"body", required_argument, NULL, OPT_BODY},
        {"bodies", required_argument, NULL, OPT_BODIES},
        {"rate", required_argument, NULL, OPT_RATE},
        {"queue", required_argument, NULL, OPT_QUEUE},
        {"client-cpu", required_argument, NULL, OPT_CLIENT_CPU},
        {"connections", required_argument, NULL, OPT_CONNECTIONS},
        {"client-connections", required_argument, NULL, OPT_CLIENT_CONNECTIONS},
        {"slow-seconds", required_argument, NULL, OPT_SLOW},
        {"cache", required_argument, NULL, OPT_CACHE},
        {"cache-size", required_argument, NULL, OPT_CACHE_SIZE},
        {"link-size", required_argument, NULL, OPT_LINK_SIZE},
        {"client-links", required_argument, NULL, OPT_CLIENT_LINKS},
        {"memory-cache", required_argument, NULL, OPT_MEMORY_CACHE},
        {"store", required_argument, NULL, OPT_STORE},
        {"store-password-file", required_argument, NULL, OPT_PASSWORD_FILE},
        {"public-url", required_argument, NULL, OPT_PUBLIC_URL},
        {"embed", required_argument, NULL, OPT_EMBED},
        {"proxy", no_argument, NULL, OPT_PROXY},
        {NULL, 0, NULL, 0}};
    const char *file = NULL;
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
        int taken = numeric_option(options, c, optarg);
        if (taken < 0)
            return EXIT_USAGE;
        switch (taken ? -1 : c) {
        case -1: break;
        case OPT_LISTEN: options->address = optarg; break;
        case OPT_CACHE: options->cache = strcmp(optarg, "none") ? optarg : NULL; break;
        case OPT_STORE: options->store = optarg; break;
        case OPT_PASSWORD_FILE: file = optarg; break;
        case OPT_PROXY: options->proxy = true; break;
        case OPT_PUBLIC_URL:
            if (!is_url(optarg))
                return complain("--public-url=%s: must begin with http:// or https://", optarg);
            options->public_url = optarg;
            break;
        case OPT_EMBED:
            if (!are_sites(optarg))
                return complain("--embed=%s: sites like https://blog.example, with blanks between them, or *",
                                optarg);
            options->embed = optarg;
            break;
        default: return EXIT_USAGE; /* getopt has said why */
        }
    }
    options->worker.body = options->body;
    if (options->store && strchr(options->store, '@'))
        return complain("--store: every user of this machine can read a command line: the password goes into "
                        "--store-password-file or " PASSWORD_VARIABLE);
    if (!read_password(options, file))
        return EXIT_USAGE;
    return optind < argc ? complain("serve takes options only, not '%s'", argv[optind]) : EXIT_DONE;
}

/* Where results go if nobody says so: systemd's directory for the service, or the user's. */
static bool cache_folder(char *out, size_t size) {
    const char *service = getenv("CACHE_DIRECTORY"), *user = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = service && *service ? snprintf(out, size, "%s", service)
                 : user && *user     ? snprintf(out, size, "%s/qpucc-serve", user)
                 : home && *home     ? snprintf(out, size, "%s/.cache/qpucc-serve", home)
                                     : 0;
    char *slash = length > 0 && length < (int)size ? strrchr(out, '/') : NULL;
    if (!slash)
        return false;
    *slash = 0;
    mkdir(out, 0700); /* the parent, which a new user may not have */
    *slash = '/';
    return true;
}

/* --- the service ---------------------------------------------------------------------------------------- */

/* The digest of this program: another build's answers may differ. */
static bool digest_program(uint8_t out[KEY_BYTES]) {
    static char block[1 << 16];
    struct sha256 sha;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;
    sha256_begin(&sha);
    while (fd >= 0 && (n = read(fd, block, sizeof block)) > 0)
        sha256_add(&sha, block, (size_t)n);
    sha256_end(&sha, out);
    if (fd >= 0)
        close(fd);
    return n == 0;
}

enum { DRAIN_STEP_MS = 20, LAST_MS = 1000 };

/* Until what is under way is answered, as long as that may take: a request is read, waits for another server,
 * is worked on where that one fails, and its answer is read in twice the time. A second signal ends it at
 * once. */
static void drain(struct service *service, struct http *http, const sigset_t *signals) {
    static const struct timespec step = {.tv_nsec = DRAIN_STEP_MS * 1000000L};
    const struct serve_options *options = service->options;
    int64_t until = wire_now() + 2 * (int64_t)options->worker.job.wall_ms + 3 * (int64_t)options->slow_ms;
    while (http_busy(http) && wire_now() < until && sigtimedwait(signals, NULL, &step) < 0)
        ;
}

static int run(struct service *service, const sigset_t *signals) {
    struct http *http = http_start(service);
    if (!http)
        return complain("cannot listen on %s, port %u", service->options->address, service->options->port);
    printf("qpucc %s serves http://%s:%u/\n", qpucc_version(), service->options->address, http_port(http));
    fflush(stdout);
    while (sigwaitinfo(signals, NULL) < 0) /* stopped and continued */
        ;
    http_quiesce(http);
    drain(service, http, signals);
    flights_end(service->flights); /* resumes whoever still waits */
    for (int64_t until = wire_now() + LAST_MS; http_busy(http) && wire_now() < until;)
        usleep(10000);
    http_stop(http);
    return EXIT_DONE;
}

/* Does a worker get as far as an answer? Not where its sandbox cannot be set up. */
static bool workers_work(struct service *service) {
    struct job job = {.kind = JOB_STATE, .accept = ANSWER_JSON, .body = strdup("{}"), .size = 2};
    uint64_t used;
    struct answer *answer =
        job.body ? pool_run(service->pool, &job, wire_now() + service->options->worker.job.wall_ms, &used)
                 : NULL;
    bool ok = answer && answer->status == 200;
    answer_release(answer);
    job_free(&job);
    return ok;
}

static int start(struct service *service, struct zygote *zygote, const sigset_t *signals) {
    const struct serve_options *options = service->options;
    char error[400], folder[4000];
    const char *cache = options->cache;
    int code = EXIT_USAGE;
    if (cache && !*cache)
        cache = cache_folder(folder, sizeof folder) ? folder : NULL;
    if (options->store && !(service->redis = redis_open(options->store, options->password, service->metrics,
                                                        error, sizeof error)))
        return complain("--store=%s: %s", options->store, error);
    service->store =
        store_new(cache, options->cache_bytes, service->redis, service->metrics, error, sizeof error);
    if (service->store)
        service->links = links_new(cache, options->link_bytes, options->client_link_bytes, service->redis,
                                   service->metrics, error, sizeof error);
    if (!service->links)
        complain("--cache: %s", error);
    else if (!(service->pool = pool_new(zygote, &options->worker, options->workers, service->metrics)))
        complain("workers cannot be started");
    else if (!workers_work(service))
        complain("a worker ends at once: is seccomp available, and --memory enough?");
    else {
        const struct flight_limits limits = {.workers = options->workers,
                                             .waiting = options->queue,
                                             .wall_ms = options->worker.job.wall_ms,
                                             .share = options->client_cpu};
        service->flights = flights_new(service->front, service->store, service->links, service->redis,
                                       service->pool, &limits, service->metrics);
        code = service->flights ? run(service, signals) : complain("out of memory");
    }
    flights_free(service->flights);
    pool_free(service->pool);
    links_free(service->links);
    store_free(service->store);
    redis_close(service->redis);
    return code;
}

/* As many connections as the options allow need descriptors. */
static void raise_descriptors(const struct serve_options *options) {
    struct rlimit limit;
    rlim_t wanted = options->connections + 4 * options->workers + 64;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

int command_serve(int argc, char **argv) {
    struct serve_options options = defaults();
    struct zygote zygote;
    sigset_t signals;
    if (argc == 2 && !strcmp(argv[1], ZYGOTE_OPTION))
        return zygote_main();
    int code = parse(argc, argv, &options);
    if (code != EXIT_DONE)
        return code;
    struct service service = {.options = &options};
    /* Bodies and answers come and go in all sizes, and not in the threads that made them: large ones go back
     * to the kernel at once, and small ones do not lie about in an arena for each thread. */
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_TRIM_THRESHOLD, 1 << 20); /* what the next answer needs stays */
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    raise_descriptors(&options);
    service.metrics = metrics_new();
    service.clients = clients_new(options.rate);
    service.front = service.metrics ? front_new(options.memory_cache, service.metrics) : NULL;
    if (!service.clients || !service.front)
        code = complain("out of memory");
    else if (!digest_program(service.build))
        code = complain("the program cannot be read");
    else if (!zygote_start(&zygote, &options.worker, service.metrics))
        code = complain("workers cannot be started");
    else {
        code = start(&service, &zygote, &signals);
        zygote_stop(&zygote);
    }
    front_free(service.front);
    clients_free(service.clients);
    metrics_free(service.metrics);
    return code;
}
