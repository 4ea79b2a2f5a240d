/* What is unknown is refused: bits, enumerations, counts without their lists, options of a newer header. A
 * driver that asks for what this library does not have shall hear so, and not get something else. */
#include "compiler/usage.h"

#include <inttypes.h>
#include <string.h>

/* The first header whose options have a size ends with the chip's profile. No header's are as long
 * as LARGEST: what is longer was not initialised. */
enum {
    SMALLEST = offsetof(struct qpucc_options, chip) + sizeof(struct qpucc_chip),
    LARGEST = 4096,
};

#define KNOWN_FLAGS                                                                                          \
    ((uint32_t)(QPUCC_GENERATE_LINES | QPUCC_GENERATE_IR | QPUCC_NO_INCLUDE | QPUCC_NO_UNIFORM_EXPRESSIONS | \
                QPUCC_LINK_BY_LOCATION | QPUCC_PREPROCESS_ONLY | QPUCC_GENERATE_NAMES |                      \
                QPUCC_WATCH_UNDEFINED | QPUCC_POLICY_BITS | QPUCC_NO_UNROLL | QPUCC_NO_UNIFORM_BRANCHES |    \
                QPUCC_VALID_SPIRV | QPUCC_PERMISSIVE | QPUCC_BLOCKS_IN_BUFFERS | QPUCC_READ_LATER))
#define KNOWN_WARNINGS ((uint32_t)((UINT64_C(1) << QPUCC_WARNING_COUNT) - 1))

void qpucc_options_init(struct qpucc_options *options, size_t size) {
    const struct qpucc_options defaults = {.size = size, .opt_level = 2, .flags = QPUCC_GENERATE_LINES};
    memset(options, 0, size);
    memcpy(options, &defaults, size < sizeof defaults ? size : sizeof defaults);
}

bool usage_copy_options(const struct qpucc_options *from, struct qpucc_options *to) {
    *to = qpucc_options_default();
    if (!from)
        return true;
    if (from->size < SMALLEST || from->size > LARGEST)
        return false;
    memcpy(to, from, from->size < sizeof *to ? from->size : sizeof *to);
    to->size = sizeof *to;
    to->flags &= ~(uint32_t)QPUCC_READ_LATER;
    bool whole = allocator_is_whole(to->allocator);
    if (!whole)
        *to = qpucc_options_default();
    return whole;
}

/* A list has as many entries as its count says, all of them there. */
static bool check_texts(struct qpucc_program *program, const char *name, const char *count_name,
                        const char *const *list, size_t count) {
    if (!list && count)
        return USAGE_ERROR(program, "options.%s is NULL, but options.%s is %zu", name, count_name, count);
    for (size_t i = 0; i < count; i++)
        if (!list[i])
            return USAGE_ERROR(program, "options.%s[%zu] is NULL", name, i);
    return true;
}

static bool check_pass(struct qpucc_program *program, const struct qpucc_options *o) {
    bool known = !o->print_after || !strcmp(o->print_after, "all");
    for (size_t i = 0; !known && qpucc_pass_name(i, NULL); i++)
        known = !strcmp(o->print_after, qpucc_pass_name(i, NULL));
    if (!known)
        return USAGE_ERROR(program, "options.print_after is '%s', but no pass has that name", o->print_after);
    if (o->print_after && !o->on_ir)
        return USAGE_ERROR(program, "options.print_after is '%s', but options.on_ir is NULL", o->print_after);
    return true;
}

/* Members that this library does not know are what a newer header's defaults are. */
static bool check_rest(struct qpucc_program *program, const struct qpucc_options *from) {
    const uint8_t *bytes = (const uint8_t *)from;
    for (size_t i = sizeof *from; i < from->size; i++)
        if (bytes[i])
            return USAGE_ERROR(program,
                               "options.size is %zu, and byte %zu is not 0: that option of a newer header is "
                               "unknown to version %s of the library",
                               from->size, i, qpucc_version());
    return true;
}

bool usage_check_options(struct qpucc_program *program, const struct qpucc_options *from) {
    struct qpucc_options o;
    bool known = usage_copy_options(from, &o);
    if (!known && from->size >= SMALLEST && from->size <= LARGEST)
        return USAGE_ERROR(program, "options.allocator lacks a function: it has to have all three");
    if (!known)
        return USAGE_ERROR(program,
                           "options.size is %zu, but options have %zu bytes: qpucc_options_default() sets it",
                           from->size, sizeof o);
    if (o.opt_level < 0 || o.opt_level > 3)
        return USAGE_ERROR(program, "options.opt_level is %d, but levels are 0 to 3", o.opt_level);
    if (o.flags & ~KNOWN_FLAGS)
        return USAGE_ERROR(program, "options.flags is 0x%" PRIx32 ", but 0x%" PRIx32 " is no flag", o.flags,
                           o.flags & ~KNOWN_FLAGS);
    if ((unsigned)o.default_precision > QPUCC_PRECISION_HIGHP)
        return USAGE_ERROR(program, "options.default_precision is %u, but %d is the largest that there is",
                           (unsigned)o.default_precision, QPUCC_PRECISION_HIGHP);
    if ((o.warnings | o.no_warnings) & ~KNOWN_WARNINGS)
        return USAGE_ERROR(program, "options.%s has 0x%" PRIx32 ", which is no warning",
                           o.warnings & ~KNOWN_WARNINGS ? "warnings" : "no_warnings",
                           (o.warnings | o.no_warnings) & ~KNOWN_WARNINGS);
    if ((unsigned)o.uniform_precision > QPUCC_UNIFORM_PRECISION_WARN)
        return USAGE_ERROR(program, "options.uniform_precision is %u, but %d is the largest that there is",
                           (unsigned)o.uniform_precision, QPUCC_UNIFORM_PRECISION_WARN);
    if (o.reserved)
        return USAGE_ERROR(program, "options.reserved is %" PRIu32 ", but has to be 0", o.reserved);
    if (o.unroll > QPUCC_UNROLL_MOST)
        return USAGE_ERROR(program, "options.unroll is %" PRIu32 ", but %d is the most", o.unroll,
                           QPUCC_UNROLL_MOST);
    if (!o.spec_constants && o.spec_constant_count)
        return USAGE_ERROR(program, "options.spec_constants is NULL, but options.spec_constant_count is %zu",
                           o.spec_constant_count);
    for (size_t i = 0; i < o.spec_constant_count; i++)
        if (o.spec_constants[i].stage != QPUCC_FRAGMENT && o.spec_constants[i].stage != QPUCC_VERTEX)
            return USAGE_ERROR(
                program,
                "options.spec_constants[%zu].stage is %u, but a source is QPUCC_FRAGMENT or QPUCC_VERTEX", i,
                (unsigned)o.spec_constants[i].stage);
    return check_texts(program, "defines", "define_count", o.defines, o.define_count) &&
           check_texts(program, "include_dirs", "include_dir_count", o.include_dirs, o.include_dir_count) &&
           check_pass(program, &o) && (!from || check_rest(program, from));
}

static bool check_source(struct qpucc_program *program, const struct qpucc_source *sources, size_t i) {
    const struct qpucc_source *s = &sources[i];
    if (s->stage != QPUCC_FRAGMENT && s->stage != QPUCC_VERTEX)
        return USAGE_ERROR(program,
                           "sources[%zu].stage is %u, but a source is QPUCC_FRAGMENT or QPUCC_VERTEX", i,
                           (unsigned)s->stage);
    if (s->language != QPUCC_GLSL && s->language != QPUCC_SPIRV)
        return USAGE_ERROR(program,
                           "sources[%zu].language is %u, but languages are QPUCC_GLSL and QPUCC_SPIRV", i,
                           (unsigned)s->language);
    if (!s->data && s->size)
        return USAGE_ERROR(program, "sources[%zu].data is NULL, but sources[%zu].size is %zu", i, i, s->size);
    if (i && s->stage == sources[0].stage)
        return USAGE_ERROR(program, "sources[0].stage and sources[%zu].stage are both the %s stage", i,
                           qpucc_stage_name(s->stage));
    return true;
}

bool usage_check_sources(struct qpucc_program *program, const struct qpucc_source *sources, size_t count) {
    if (!sources && count)
        return USAGE_ERROR(program, "sources is NULL, but count is %zu", count);
    if (count < 1 || count > 2)
        return USAGE_ERROR(
            program, "count is %zu, but a program is one vertex shader, one fragment shader, or both", count);
    for (size_t i = 0; i < count; i++)
        if (!check_source(program, sources, i))
            return false;
    return true;
}
