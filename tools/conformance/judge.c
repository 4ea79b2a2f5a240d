/* What makes a case pass. */
#include "judge.h"
#include "draw.h"
#include "keep.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char vertex_name[] = "shader.vert", fragment_name[] = "shader.frag";

static bool fail(struct judgement *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The first reason stays. Always false, for its caller to return. */
static bool fail(struct judgement *out, const char *format, ...) {
    va_list list;
    if (out->outcome == FAILED)
        return false;
    out->outcome = FAILED;
    va_start(list, format);
    vsnprintf(out->reason, sizeof out->reason, format, list);
    va_end(list);
    for (char *c = out->reason; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return false;
}

/* --- compiling ------------------------------------------------------------------------------------------ */

/* The first error, of one file if `file` is not NULL; with `placed` only one with a line. */
static const struct qpucc_diagnostic *find_error(const qpucc_program *program, const char *file,
                                                 bool placed) {
    for (size_t i = 0; i < qpucc_program_diagnostic_count(program); i++) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, i);
        if (d->severity == QPUCC_ERROR && d->text && d->text[0] &&
            (!file || (d->file && !strcmp(d->file, file))) && (!placed || d->line))
            return d;
    }
    return NULL;
}

static bool judge_refusal(const struct test_case *c, const qpucc_program *program, struct judgement *out) {
    enum qpucc_status status = qpucc_program_status(program);
    const struct qpucc_diagnostic *any = find_error(program, NULL, false);
    if (status == QPUCC_OK)
        return fail(out, "accepted, but must be refused");
    if (!any)
        return fail(out, "refused without a message");
    if (status == QPUCC_INTERNAL || !strcmp(any->code, "internal") || !strcmp(any->code, "registers"))
        return fail(out, "refused by accident: %s: %s", any->code, any->text);
    if (!find_error(program, NULL, true))
        return fail(out, "refused without a line: %s: %s", any->code, any->text);
    /* Where one stage alone is wrong, the complaint is about that stage. */
    if (c->vertex_ok == MUST_NOT && c->fragment_ok == MUST && !find_error(program, vertex_name, true))
        return fail(out, "the vertex shader is wrong, but the message is: %s: %s", any->code, any->text);
    if (c->fragment_ok == MUST_NOT && c->vertex_ok == MUST && !find_error(program, fragment_name, true))
        return fail(out, "the fragment shader is wrong, but the message is: %s: %s", any->code, any->text);
    return true;
}

static bool judge_acceptance(const qpucc_program *program, struct judgement *out) {
    const struct qpucc_diagnostic *error = find_error(program, NULL, false);
    if (qpucc_program_status(program) == QPUCC_OK)
        return true;
    if (!error)
        return fail(out, "compile: refused without a message");
    return fail(out, "compile: %s: %s (%s:%u)", error->code, error->text, error->file ? error->file : "?",
                error->line);
}

static bool judge_rules(const qpucc_program *program, struct judgement *out) {
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        struct qpucc_rule_violation found[8];
        size_t count;
        const uint64_t *code = qpucc_program_code(program, (enum qpucc_stage)s, &count);
        if (!code)
            continue;
        bool threaded = qpucc_program_stats(program, (enum qpucc_stage)s)->threads > 1;
        size_t wrong = qpucc_check(code, count, (enum qpucc_stage)s, threaded, true, found, 8);
        for (size_t i = 0; i < wrong && i < 8; i++)
            if (!found[i].warning)
                return fail(out, "rules: %s: %s (%s shader, instruction %u)", found[i].rule, found[i].text,
                            qpucc_stage_name((enum qpucc_stage)s), found[i].instruction);
    }
    return true;
}

/* --- pictures ------------------------------------------------------------------------------------------- */

static unsigned furthest(const uint8_t *a, const uint8_t *b) {
    unsigned most = 0;
    for (int i = 0; i < 4; i++) {
        unsigned d = (unsigned)abs(a[i] - b[i]);
        most = d > most ? d : most;
    }
    return most;
}

/* Pixels of `picture` that differ by more than `tolerance` from `want` (or from one colour); the first of
 * them. */
static size_t count_off(const struct picture *picture, const struct picture *want, const uint8_t color[4],
                        unsigned tolerance, size_t *first) {
    size_t off = 0, count = (size_t)picture->width * picture->height;
    for (size_t i = 0; i < count; i++)
        if (furthest(picture->pixels + 4 * i, want ? want->pixels + 4 * i : color) > tolerance && off++ == 0)
            *first = i;
    return off;
}

static bool complain_pixels(struct judgement *out, const struct picture *picture, const uint8_t *want,
                            size_t off, size_t first) {
    const uint8_t *p = picture->pixels + 4 * first;
    return fail(out,
                "picture: %zu of %zu pixels are off; at %zu,%zu is %u,%u,%u,%u and should be %u,%u,%u,%u",
                off, (size_t)picture->width * picture->height, first % picture->width, first / picture->width,
                p[0], p[1], p[2], p[3], want[0], want[1], want[2], want[3]);
}

static bool judge_picture(const struct test_case *c, size_t draw, const struct picture *picture,
                          struct picture *reference, struct judgement *out) {
    static const uint8_t white[4] = {255, 255, 255, 255};
    char error[400];
    size_t first = 0, off, count = (size_t)picture->width * picture->height;
    if (c->check != CHECK_IMAGE) {
        const uint8_t *color = c->check == CHECK_WHITE ? white : c->color;
        off = count_off(picture, NULL, color, c->tolerance, &first);
        return !off || complain_pixels(out, picture, color, off, first);
    }
    if (draw + 1 < c->draw_count)
        return true;
    if (!picture_read_png(reference, c->reference, error, sizeof error))
        return fail(out, "runner: %s", error);
    /* The file's first row is already the bottom one, and reading turned it over. */
    for (unsigned y = 0; y < reference->height / 2; y++)
        for (size_t x = 0; x < (size_t)reference->width * 4; x++) {
            uint8_t *a = reference->pixels + (size_t)y * reference->width * 4 + x,
                    *b = reference->pixels + (size_t)(reference->height - 1 - y) * reference->width * 4 + x,
                    t = *a;
            *a = *b;
            *b = t;
        }
    if (reference->width != picture->width || reference->height != picture->height)
        return fail(out, "runner: the reference picture has another size than the viewport");
    off = count_off(picture, reference, NULL, 18, &first);
    return off * 50 <= count || complain_pixels(out, picture, reference->pixels + 4 * first, off, first);
}

/* --- a case --------------------------------------------------------------------------------------------- */

static void judge_case(const struct test_case *c, const struct judge_options *options, struct kept *kept,
                       struct judgement *out) {
    struct qpucc_source sources[2];
    struct qpucc_state state = draw_state(c->draw_count ? c->draws[0].mode : 4);
    size_t count = 0;
    if (c->vertex)
        sources[count++] =
            (struct qpucc_source){vertex_name, c->vertex, strlen(c->vertex), QPUCC_VERTEX, QPUCC_GLSL};
    if (c->fragment)
        sources[count++] = (struct qpucc_source){fragment_name, c->fragment, strlen(c->fragment),
                                                 QPUCC_FRAGMENT, QPUCC_GLSL};
    out->outcome = PASSED;
    if (!count || c->ignored || (c->link_ok == MAY && c->vertex_ok == MAY && c->fragment_ok == MAY)) {
        out->outcome = SKIPPED;
        snprintf(out->reason, sizeof out->reason, "%s",
                 c->ignored ? "ignored by its own suite"
                 : count    ? "nothing is expected"
                            : "no shaders");
        return;
    }
    bool refuse = c->link_ok == MUST_NOT || c->vertex_ok == MUST_NOT || c->fragment_ok == MUST_NOT;
    kept->program = qpucc_compile(sources, count, &state, &options->compile);
    if (!kept->program) {
        fail(out, "out of memory");
        return;
    }
    if (refuse ? !judge_refusal(c, kept->program, out) : !judge_acceptance(kept->program, out))
        return;
    if (refuse || (options->rules && !judge_rules(kept->program, out)))
        return;
    struct draw_options how = {.seed = options->seed};
    memcpy(how.clear, c->clear, sizeof how.clear);
    for (size_t i = 0; i < c->draw_count && out->outcome == PASSED; i++) {
        char error[400];
        picture_free(&kept->picture);
        if (!draw_run(&c->draws[i], kept->program, &how, &kept->picture, error, sizeof error))
            fail(out, "%s%s", c->draw_count > 1 && i ? "later draw: " : "", error);
        else
            judge_picture(c, i, &kept->picture, &kept->reference, out);
    }
}

void judge(const char *line, size_t length, const char *name, const char *folder,
           const struct judge_options *options, struct judgement *out) {
    struct test_case c;
    struct kept kept = {0};
    char error[400];
    memset(out, 0, sizeof *out);
    if (!case_read(&c, line, length, folder, error, sizeof error))
        fail(out, "runner: %s", error);
    else
        judge_case(&c, options, &kept, out);
    if (out->outcome == FAILED && options->keep &&
        !keep_failed(&c, &kept, name, out->reason, options->keep, error, sizeof error))
        fprintf(stderr, "qpucc-conformance: %s\n", error);
    picture_free(&kept.picture);
    picture_free(&kept.reference);
    qpucc_program_free(kept.program);
    case_free(&c);
}
