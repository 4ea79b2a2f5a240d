/* The routes: which paths there are, and what a request to each of them becomes. */
#include "about.h"
#include "compiler/sha256.h"
#include "serve.h"
#include "tools/builtin.h"
#include "tools/web.h"

#include <qpucc/qpucc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum route {
    COMPILERS,
    LANGUAGES,
    COMPILE,
    CMAKE,
    PASSES,
    RENDER,
    INSPECT,
    ASM,
    SHORTENER,
    LINK_INFO,
    LINK_PAGE,
    STATE_PAGE,
    EMBED,
    LIBRARIES,
    TOOLS,
    FORMATS,
    FORMAT,
    ARGUMENTS,
    VERSION,
    OPENAPI,
    HEALTH,
    METRICS,
    PAGE,
    ROUTE_COUNT
};

/* A path is the route's own, or begins with `more` and ends with `end`. */
static const struct {
    const char *name, *path, *more;
    enum route_method method;
    int job;         /* enum job_kind; -1: none */
    const char *end; /* NULL: any */
} routes[ROUTE_COUNT] = {
    [COMPILERS] = {"compilers", "/api/compilers", "/api/compilers/", ROUTE_GET, -1},
    [LANGUAGES] = {"languages", "/api/languages", NULL, ROUTE_GET, -1},
    [COMPILE] = {"compile", NULL, "/api/compiler/", ROUTE_POST, JOB_COMPILE, "/compile"},
    [CMAKE] = {"cmake", NULL, "/api/compiler/", ROUTE_POST, -1, "/cmake"},
    [PASSES] = {"passes", "/api/passes", NULL, ROUTE_POST, JOB_PASSES},
    [RENDER] = {"render", "/api/render", NULL, ROUTE_POST, JOB_RENDER},
    [INSPECT] = {"inspect", "/api/inspect", NULL, ROUTE_POST, JOB_INSPECT},
    [ASM] = {"asm", "/api/asm/qpu", "/api/asm/qpu/", ROUTE_GET, -1},
    [SHORTENER] = {"shortener", "/api/shortener", NULL, ROUTE_POST, JOB_STATE},
    [LINK_INFO] = {"shortlinkinfo", NULL, "/api/shortlinkinfo/", ROUTE_GET, -1},
    [LINK_PAGE] = {"link", NULL, "/z/", ROUTE_GET, -1},
    [STATE_PAGE] = {"clientstate", NULL, "/clientstate/", ROUTE_GET, -1},
    [EMBED] = {"embed", "/embed", "/embed/", ROUTE_GET, -1},
    [LIBRARIES] = {"libraries", "/api/libraries", "/api/libraries/", ROUTE_GET, -1},
    [TOOLS] = {"tools", "/api/tools", "/api/tools/", ROUTE_GET, -1},
    [FORMATS] = {"formats", "/api/formats", NULL, ROUTE_GET, -1},
    [FORMAT] = {"format", NULL, "/api/format/", ROUTE_POST, -1},
    [ARGUMENTS] = {"arguments", NULL, "/api/popularArguments/", ROUTE_GET, -1},
    [VERSION] = {"version", "/api/version", NULL, ROUTE_GET, -1},
    [OPENAPI] = {"openapi", "/api/openapi.json", NULL, ROUTE_GET, -1},
    [HEALTH] = {"healthz", "/healthz", NULL, ROUTE_GET, -1},
    [METRICS] = {"metrics", "/metrics", NULL, ROUTE_GET, -1},
    [PAGE] = {"page", "/", NULL, ROUTE_GET, -1},
};

/* Of "{id}/compile"; "" if it is too long to be one. */
static void compiler_of(const char *rest, char *id, size_t size) {
    size_t length = strcspn(rest, "/");
    snprintf(id, size, "%.*s", length < size ? (int)length : 0, rest);
}

int route_find(const char *path, const char **rest) {
    for (int r = 0; r < ROUTE_COUNT; r++) {
        size_t length = routes[r].more ? strlen(routes[r].more) : 0;
        *rest = "";
        if (routes[r].path && !strcmp(path, routes[r].path))
            return r;
        if (!length || strncmp(path, routes[r].more, length) || !path[length])
            continue;
        *rest = path + length;
        if (!routes[r].end || !strcmp(*rest + strcspn(*rest, "/"), routes[r].end))
            return r;
    }
    return web_file(path) ? PAGE : -1;
}

const char *route_name(unsigned route) {
    return route < ROUTE_COUNT ? routes[route].name : NULL;
}

bool route_allows(unsigned route, enum route_method method) {
    return routes[route].method == method;
}

bool route_works(unsigned route) {
    return routes[route].job >= 0;
}

bool route_is_framed(unsigned route) {
    return route == EMBED;
}

/* --- plans ---------------------------------------------------------------------------------------------- */

static void add_text(struct sha256 *sha, const char *text) {
    sha256_add(sha, text, strlen(text) + 1);
}

/* All that an answer depends on: a search, a draw and an answer's size are bounded by the limits. */
static void make_key(const struct service *service, unsigned route, const struct task *task,
                     uint8_t key[KEY_BYTES]) {
    const uint8_t what[4] = {(uint8_t)task->kind, (uint8_t)task->job.kind, (uint8_t)task->job.accept,
                             task->job.plain};
    const struct job_limits *limits = &service->options->worker.job;
    const uint64_t most[] = {limits->cpu_ms, limits->answer, limits->budget};
    struct sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, service->build, sizeof service->build);
    add_text(&sha, routes[route].name);
    sha256_add(&sha, what, sizeof what);
    sha256_add(&sha, most, sizeof most);
    add_text(&sha, task->job.compiler);
    add_text(&sha, task->job.options);
    add_text(&sha, task->link);
    if (task->job.size)
        sha256_add(&sha, task->job.body, task->job.size);
    sha256_end(&sha, key);
}

static void plan_job(struct plan *plan, unsigned route, struct call *call) {
    struct job *job = &plan->task.job;
    *job = (struct job){.kind = (enum job_kind)routes[route].job,
                        .accept = ANSWER_JSON,
                        .body = call->body,
                        .size = call->size};
    call->body = NULL;
    plan->task.kind = TASK_WORK;
    if (route == COMPILE) {
        job->accept = call->accept == ANSWER_JSON ? ANSWER_JSON : ANSWER_TEXT;
        job->plain = call->plain;
        compiler_of(call->rest, job->compiler, sizeof job->compiler);
        if (!about_is_compiler(job->compiler))
            plan->answer = answer_error(404, "unknown", "There is no compiler of this id.");
        const char *options = call->plain && call->user_options ? call->user_options : "";
        if (strlen(options) >= sizeof job->options)
            plan->answer = answer_error(400, "request", "The options are longer than 479 bytes.");
        else
            strcpy(job->options, options);
    } else if (route == RENDER)
        job->accept = call->accept;
    else if (route == SHORTENER) {
        plan->task.kind = TASK_KEEP;
        link_name(job->body, job->size, plan->task.link);
    }
    if (route == RENDER && job->accept == ANSWER_TEXT)
        job->accept = ANSWER_JSON;
}

static void plan_recall(struct plan *plan, const char *link) {
    plan->task.kind = TASK_RECALL;
    if (link_is_name(link))
        memcpy(plan->task.link, link, LINK_CHARS);
    else
        plan->answer = answer_error(404, "unknown", "There is no permalink of this name.");
}

static struct answer *health(struct service *service) {
    bool works = pool_works(service->pool);
    const char *store = service->redis            ? redis_up(service->redis) ? "redis" : "redis away"
                        : service->options->cache ? "directory"
                                                  : "none";
    char text[200];
    snprintf(text, sizeof text, "{\"status\":\"%s\",\"version\":\"%s\",\"workers\":%u,\"store\":\"%s\"}\n",
             works ? "ok" : "down", qpucc_version(), service->options->workers, store);
    return answer_text(works ? 200 : 503, ANSWER_JSON, false, text);
}

static struct answer *metrics(struct service *service) {
    size_t size = 0;
    if (service->redis)
        metric_set(service->metrics, GAUGE_REDIS_UP, redis_up(service->redis));
    char *text = metrics_text(service->metrics, route_name, &size);
    return answer_new(200, ANSWER_TEXT, false, text, size);
}

static struct answer *builtin(const char *name) {
    const struct builtin_file *file = builtin_file(name);
    uint8_t *copy = file ? malloc(file->size) : NULL;
    if (copy)
        memcpy(copy, file->data, file->size);
    return answer_new(200, ANSWER_JSON, true, copy, file ? file->size : 0);
}

void route_plan(struct service *service, unsigned route, struct call *call, struct plan *plan) {
    memset(plan, 0, sizeof *plan);
    switch (route) {
    case COMPILERS:
        plan->answer = about_compilers(call->rest[0] ? call->rest : NULL, call->fields, call->accept);
        break;
    case LANGUAGES: plan->answer = about_languages(call->fields, call->accept); break;
    /* what a client of Compiler Explorer may ask for and find none of */
    case LIBRARIES:
    case TOOLS:
    case FORMATS: plan->answer = answer_text(200, ANSWER_JSON, true, "[]"); break;
    case FORMAT: plan->answer = answer_error(501, "unsupported", "This server has no formatters."); break;
    case CMAKE:
        plan->answer =
            answer_error(501, "unsupported", "Shaders are compiled from their sources, not with CMake.");
        break;
    case ARGUMENTS: plan->answer = about_arguments(call->rest); break;
    case VERSION: plan->answer = answer_text(200, ANSWER_TEXT, true, qpucc_version()); break;
    case ASM: plan->answer = call->rest[0] ? about_opcode(call->rest, call->accept) : about_opcodes(); break;
    case OPENAPI: plan->answer = builtin("openapi.json"); break;
    case HEALTH: plan->answer = health(service); break;
    case METRICS: plan->answer = metrics(service); break;
    case LINK_PAGE: plan->file = web_file("/"); /* fall through */
    case LINK_INFO: plan_recall(plan, call->rest); break;
    case STATE_PAGE: /* what the address names, the page reads */
    case EMBED:
    case PAGE:
        plan->file = web_file(route == PAGE ? call->path : "/");
        if (!plan->file)
            plan->answer =
                answer_text(200, ANSWER_TEXT, false,
                            "This qpucc was built without its page, which needs npm (tools/packages.sh "
                            "installs it; then cmake and ninja again). The service itself is here: "
                            "/api/openapi.json describes it.\n");
        break;
    default: plan_job(plan, route, call);
    }
    if (!plan->answer)
        make_key(service, route, &plan->task, plan->key);
}

/* --- after a task --------------------------------------------------------------------------------------- */

/* What the client called us, if that is a host's name. */
static bool is_host(const char *text) {
    size_t length = text ? strlen(text) : 0;
    return length && length < 200 &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._:[]") == length;
}

struct answer *route_finish(struct service *service, unsigned route, const struct call *call,
                            const struct plan *plan, struct answer *answer) {
    char text[600];
    const char *url = service->options->public_url;
    if (route != SHORTENER || !answer || answer->status != 200)
        return answer;
    answer_release(answer);
    if (url)
        snprintf(text, sizeof text, "{\"url\":\"%s/z/%s\",\"id\":\"%s\"}", url, plan->task.link,
                 plan->task.link);
    else
        snprintf(text, sizeof text, "{\"url\":\"%s://%s/z/%s\",\"id\":\"%s\"}", call->scheme,
                 is_host(call->host) ? call->host : "localhost", plan->task.link, plan->task.link);
    return answer_text(200, ANSWER_JSON, false, text);
}
