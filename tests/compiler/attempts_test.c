/* The way from the kept IR to code: what is listed, what is made once, what is said. The front end's entry
 * and the back end's are wrapped by the linker (CMakeLists.txt) to count their calls. */
#include "mir/objective.h"
#include "backend/isa/isa.h"
#include "compiler/attempts.h"
#include "compiler/front.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static unsigned reads, lowered; /* runs of the front end, and of lower_stage: levels that were tried */

bool __real_front_read(struct qpucc_program *program, const struct front_glsl *glsl,
                       const struct front_source *sources, size_t count, struct front_interface *interface,
                       struct ir_shader *shaders[2]);
bool __wrap_front_read(struct qpucc_program *program, const struct front_glsl *glsl,
                       const struct front_source *sources, size_t count, struct front_interface *interface,
                       struct ir_shader *shaders[2]);

bool __wrap_front_read(struct qpucc_program *program, const struct front_glsl *glsl,
                       const struct front_source *sources, size_t count, struct front_interface *interface,
                       struct ir_shader *shaders[2]) {
    reads++;
    return __real_front_read(program, glsl, sources, count, interface, shaders);
}

static unsigned made; /* attempts */

void __real_be_compile(struct ir_shader *shader, const struct be_options *options, struct be_result *result);
void __wrap_be_compile(struct ir_shader *shader, const struct be_options *options, struct be_result *result);

void __wrap_be_compile(struct ir_shader *shader, const struct be_options *options, struct be_result *result) {
    made++;
    __real_be_compile(shader, options, result);
}

/* --- shaders that need more registers than there are ---------------------------------------------------- */

/* `count` sines, each needed twice, the second time in reverse order: where they are shared all are alive in
 * the middle. `kept`: a loop changes them all, so that nothing can be done; else each is written down twice.
 */
static char *sines(unsigned count, bool kept, bool vertex) {
    char *text = malloc(600 + (size_t)count * 250), *at = text;
    ck_assert_ptr_nonnull(text);
    at += sprintf(at, "%s\nvoid main() {\n    float s = v.z;\n",
                  vertex ? "attribute vec4 v;" : "precision highp float;\nvarying vec4 v;");
    for (unsigned k = 0; k < count; k++) {
        if (kept)
            at += sprintf(at, "    float a%u = sin(v.x * %u.5 + v.y);\n    s = s * v.w + a%u;\n", k, k, k);
        else
            at += sprintf(at, "    s = s * v.w + sin(v.x * %u.5 + v.y);\n", k);
    }
    if (kept) {
        at += sprintf(at, "    for (int k = 0; k < 4000; k++) {\n        if (float(k) > v.z) break;\n");
        for (unsigned k = 0; k < count; k++)
            at += sprintf(at, "        a%u = a%u * 0.5 + v.y;\n", k, k);
        at += sprintf(at, "    }\n");
    }
    for (unsigned k = count; k-- > 0;) {
        if (kept)
            at += sprintf(at, "    s = s * 0.75 + a%u;\n", k);
        else
            at += sprintf(at, "    s = s * 0.75 + sin(v.x * %u.5 + v.y);\n", k);
    }
    sprintf(at, "    %s = vec4(s);\n}\n", vertex ? "gl_Position" : "gl_FragColor");
    return text;
}

static void count_levels(void *user, enum qpucc_stage stage, const char *pass, double seconds) {
    (void)user, (void)stage, (void)seconds;
    lowered += !strcmp(pass, "lower_stage");
}

static qpucc_program *compile_within(const char *vertex, const char *fragment, int level, uint64_t search) {
    struct qpucc_source sources[2];
    size_t count = 0;
    if (vertex)
        sources[count++] = (struct qpucc_source){"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL};
    if (fragment)
        sources[count++] =
            (struct qpucc_source){"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL};
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = level;
    options.limit[QPUCC_LIMIT_SEARCH] = search;
    options.on_pass_time = count_levels;
    reads = lowered = 0;
    qpucc_program *program = qpucc_compile(sources, count, NULL, &options);
    ck_assert_ptr_nonnull(program);
    return program;
}

static qpucc_program *compile(const char *vertex, const char *fragment, int level) {
    return compile_within(vertex, fragment, level, 0);
}

/* What is said of attempts that did not fit is not said when a later one does. */
START_TEST(sources_are_read_once_and_only_the_outcome_is_told) {
    char *text = sines(90, false, false);
    static const char vertex[] = "attribute vec4 p; varying vec4 v; void main() { v = p; gl_Position = p; }";
    qpucc_program *easy = compile(vertex, "void main() { gl_FragColor = vec4(1.0); }", 2);
    ck_assert_uint_eq(reads, 1);
    ck_assert_uint_eq(lowered, 2);                /* one level for each stage */
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) { /* nothing is done to loops where there are none */
        ck_assert_uint_ge(easy->stages[s].trial_count, 1);
        ck_assert_int_eq(easy->stages[s].trials[0].attempt.loops, LOOPS_PLAIN);
    }
    qpucc_program_free(easy);
    for (int level = 0; level < 3; level++) {
        qpucc_program *p = compile(vertex, text, level);
        ck_assert_int_eq(qpucc_program_status(p), QPUCC_OK);
        ck_assert_uint_eq(qpucc_program_diagnostic_count(p), 0);
        ck_assert_uint_eq(reads, 1);
        ck_assert_uint_gt(lowered, 2);
        /* sines are computed again instead of kept */
        const struct program_stage *stage = &p->stages[QPUCC_FRAGMENT];
        ck_assert_uint_eq(stage->trials[stage->winner].attempt.level, LEVEL_FIRST);
        ck_assert_uint_gt(stage->trials[stage->winner].attempt.registers, 0);
        /* that one is what -O1 makes: at -O0 there is no more than the first attempt */
        ck_assert(stage->trials[stage->winner].attempt.flat == (level == 0));
        qpucc_program_free(p);
    }
    free(text);
}
END_TEST

/* An array of 160 words, filled by a loop that is too large to be unrolled. Copies need few at once. */
START_TEST(loops_that_do_not_fit_are_unrolled) {
    enum { STEPS = 140, ROOM = STEPS * 40 + 400 };
    static const char vertex[] = "attribute vec4 p; varying vec4 v; void main() { v = p; gl_Position = p; }";
    char *text = malloc(ROOM);
    ck_assert_ptr_nonnull(text);
    size_t at = (size_t)snprintf(text, ROOM,
                                 "precision highp float; varying vec4 v; void main() {\n"
                                 "vec4 a[40]; float s = 0.0, x = v.w;\n"
                                 "for (int i = 0; i < 40; i++) {\n");
    for (int k = 0; k < STEPS; k++)
        at += (size_t)snprintf(text + at, ROOM - at, "x = x * v.x + v.%c;\n", "xyzw"[k % 4]);
    snprintf(text + at, ROOM - at,
             "a[i] = v * x;\n}\n"
             "for (int i = 0; i < 40; i++) s += dot(a[i], v.wzyx);\n"
             "gl_FragColor = vec4(s);\n}\n");
    qpucc_program *p = compile(vertex, text, 2);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_OK);
    const struct program_stage *stage = &p->stages[QPUCC_FRAGMENT];
    ck_assert_uint_eq(stage->trials[stage->winner].attempt.level, LEVEL_LATE);
    qpucc_program_free(p);
    free(text);
}
END_TEST

/* No level helps a loop that never ends: the first attempt says so. */
START_TEST(what_cannot_be_helped_is_said_at_once) {
    qpucc_program *p = compile(NULL,
                               "precision mediump float; uniform float a;\n"
                               "void main() { float b = a; while (true) { b += a; if (b > 4.0) b = 0.0; }\n"
                               "    gl_FragColor = vec4(b); }\n",
                               2);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_SOURCE_ERROR);
    ck_assert_uint_eq(qpucc_program_diagnostic_count(p), 1);
    ck_assert_uint_eq(lowered, 1);
    qpucc_program_free(p);
}
END_TEST

START_TEST(the_closest_attempt_speaks) {
    char *text = sines(90, true, false);
    qpucc_program *p = compile(NULL, text, 2);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_DOES_NOT_FIT);
    ck_assert_uint_eq(qpucc_program_diagnostic_count(p), 1);
    const struct qpucc_diagnostic *d = qpucc_program_diagnostic(p, 0);
    ck_assert_str_eq(d->code, "registers");
    ck_assert_ptr_nonnull(strstr(d->text, "fragment shader"));
    unsigned needed = 0;
    ck_assert_int_eq(sscanf(d->text, "fragment shader: this loop has to keep %u values", &needed), 1);
    /* the sines, the sum, the counter, v and the mask: no count of some order that was tried */
    ck_assert_uint_ge(needed, 90);
    ck_assert_uint_le(needed, 100);
    ck_assert_uint_eq(reads, 1);
    ck_assert_ptr_null(qpucc_program_code(p, QPUCC_FRAGMENT, NULL));
    qpucc_program_free(p);
    free(text);
}
END_TEST

/* Both shaders are cut from one: each tells its own failure, once. */
START_TEST(parts_tell_their_own_failures) {
    char *text = sines(90, true, true);
    qpucc_program *p = compile(text, NULL, 2);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_DOES_NOT_FIT);
    ck_assert_uint_eq(qpucc_program_diagnostic_count(p), 2);
    ck_assert_ptr_nonnull(strstr(qpucc_program_diagnostic(p, 0)->text, "vertex shader"));
    ck_assert_ptr_nonnull(strstr(qpucc_program_diagnostic(p, 1)->text, "coordinate shader"));
    ck_assert_uint_eq(reads, 1);
    qpucc_program_free(p);
    free(text);
}
END_TEST

/* What is too much in the vertex shader is not in the coordinate shader, which is the same at all levels. It
 * fits at once; only the vertex shader's values are rematerialised. */
START_TEST(a_part_that_stays_the_same_fits_again) {
    char *body = sines(90, false, true), *end = strstr(body, "gl_Position");
    char *text = malloc(strlen(body) + 100);
    ck_assert_ptr_nonnull(text);
    sprintf(text, "varying float t; %.*s t = s; gl_Position = v; }", (int)(end - body), body);
    qpucc_program *p = compile(text, "varying mediump float t; void main() { gl_FragColor = vec4(t); }", 2);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_OK);
    static const enum qpucc_stage parts[] = {QPUCC_VERTEX, QPUCC_COORDINATE};
    for (int k = 0; k < 2; k++) {
        const struct program_stage *stage = &p->stages[parts[k]];
        ck_assert_uint_eq(stage->trials[stage->winner].attempt.level, LEVEL_FIRST);
        ck_assert_int_eq(stage->trials[stage->winner].attempt.registers > 0, k == 0);
    }
    qpucc_program_free(p);
    free(text);
    free(body);
}
END_TEST

/* A vertex shader that is built again from what was read: the linker's plan holds for it, too. */
START_TEST(levels_keep_to_the_links_plan) {
    char *body = sines(90, false, true);
    char *text = malloc(strlen(body) + 200);
    ck_assert_ptr_nonnull(text);
    char *open = strstr(body, "void main() {") + strlen("void main() {");
    sprintf(text, "uniform vec2 u; varying vec2 c, d, e; %.*s c = v.xy + u; d = v.xy + u * 2.0; e = v.xy;%s",
            (int)(open - body), body, open);
    static const char fragment[] = "precision mediump float; varying vec2 c, d, e;\n"
                                   "void main() { gl_FragColor = vec4(c, d) * e.xyxy; }";
    qpucc_program *p = compile(text, fragment, 2);
    ck_assert_int_eq(qpucc_program_status(p), QPUCC_OK);
    ck_assert_uint_eq(qpucc_program_layout(p)->varying_words, 2);
    ck_assert_uint_eq(reads, 1);
    ck_assert_uint_gt(lowered, 2);
    qpucc_program_free(p);
    free(text);
    free(body);
}
END_TEST

/* -O3 would like to do more with the fragment shader than the account has. */
START_TEST(search_leaves_enough_to_the_other_stages) {
    static const char vertex[] = "attribute vec4 p, q; uniform mat4 m; varying vec4 v;\n"
                                 "void main() { gl_Position = m * p; v = q; }\n";
    static const char fragment[] = "precision highp float; varying vec4 v; uniform vec4 u[4];\n"
                                   "void main() {\n"
                                   "    vec4 s = v;\n"
                                   "    for (int k = 0; k < 1000; k++) {\n"
                                   "        if (float(k) > u[3].w) break;\n"
                                   "        s = s.yzwx * u[0] + s * s.x * u[1] - u[2] * s.w;\n"
                                   "        s = s.zwxy * s.wxyz - s * u[2].x + s.x * u[1].wzyx;\n"
                                   "    }\n"
                                   "    gl_FragColor = s;\n"
                                   "}\n";
    qpucc_program *less = compile_within(vertex, fragment, 2, 4000000);
    qpucc_program *more = compile_within(vertex, fragment, 3, 4000000);
    for (enum qpucc_stage stage = QPUCC_VERTEX; stage <= QPUCC_COORDINATE; stage++)
        ck_assert_uint_le(qpucc_program_stats(more, stage)->instructions,
                          qpucc_program_stats(less, stage)->instructions);
    qpucc_program_free(less);
    qpucc_program_free(more);
}
END_TEST

/* Half of what it has beyond -O2. */
START_TEST(a_fragment_shader_leaves_search_to_the_others) {
    enum { SEARCH = 4000000, EXTRA = SEARCH / 4 * 3 };
    char *text = malloc(20000), *at = text;
    at +=
        sprintf(at, "precision highp float; varying vec4 v; uniform vec4 u[4];\nvoid main() { vec4 s = v;\n");
    for (int k = 0; k < 8; k++)
        at += sprintf(at, "s = s.yzwx * u[%d] + s * s.x * u[%d] - v * s.w + u[2].x;\n", k % 4, (k + 1) % 4);
    sprintf(at, "gl_FragColor = s; }\n");
    uint64_t used[4];
    for (unsigned level = 2; level <= 3; level++) {
        qpucc_program *program = compile_within(NULL, text, level, SEARCH);
        ck_assert_int_eq(qpucc_program_status(program), QPUCC_OK);
        used[level] = qpucc_program_usage(program).search;
        qpucc_program_free(program);
    }
    ck_assert_uint_gt(used[3], used[2] + EXTRA / 8);
    ck_assert_uint_le(used[3], SEARCH - EXTRA / 2);
    free(text);
}
END_TEST

/* Two instructions less than what strategies, beams and the search of all orders find. */
START_TEST(dives_at_random_find_more) {
    static const char vertex[] =
        "attribute vec3 p, q; uniform mat4 a, b; uniform mat3 c; varying vec3 v, w;\n"
        "void main() {\n"
        "    v = c * q;\n"
        "    w = -vec3(a * vec4(p, 1.0));\n"
        "    gl_Position = b * vec4(p, 1.0);\n"
        "}\n";
    static const char fragment[] = "precision mediump float; varying vec3 v, w;\n"
                                   "void main() { gl_FragColor = vec4(v * w, 1.0); }\n";
    qpucc_program *program = compile(vertex, fragment, 3);
    ck_assert_uint_le(qpucc_program_stats(program, QPUCC_VERTEX)->instructions, 47);
    qpucc_program_free(program);
}
END_TEST

/* What variants of a program may use, compiled or loaded. */
START_TEST(levels_below_the_highest_have_a_quarter_of_the_search) {
    static const char fragment[] = "void main() { gl_FragColor = vec4(1.0); }\n";
    for (int level = 0; level < 4; level++) {
        uint64_t most = qpucc_limit_default(QPUCC_LIMIT_SEARCH) / (level < 3 ? 4 : 1);
        qpucc_program *program = compile(NULL, fragment, level);
        ck_assert_uint_eq(program->kept->account.limit[QPUCC_LIMIT_SEARCH], most);
        size_t size = qpucc_program_save(program, QPUCC_SAVE_IR, NULL, 0);
        void *bytes = malloc(size);
        qpucc_program_save(program, QPUCC_SAVE_IR, bytes, size);
        qpucc_program *loaded = qpucc_program_load(bytes, size);
        ck_assert_uint_eq(loaded->kept->account.limit[QPUCC_LIMIT_SEARCH], most);
        qpucc_program *variants[] = {qpucc_variant(program, NULL), qpucc_variant(loaded, NULL)};
        for (int k = 0; k < 2; k++) {
            ck_assert_int_eq(qpucc_program_status(variants[k]), QPUCC_OK);
            qpucc_program_free(variants[k]);
        }
        qpucc_program_free(program);
        qpucc_program_free(loaded);
        free(bytes);
    }
}
END_TEST

/* What the options raise, a container does not. */
START_TEST(containers_raise_no_limits) {
    static const char fragment[] = "void main() { gl_FragColor = vec4(1.0); }\n";
    uint64_t most = qpucc_limit_default(QPUCC_LIMIT_SEARCH) / 4;
    for (int k = 0; k < 3; k++) {
        uint64_t search = k == 0 ? 4000 : k == 1 ? 16 * most : UINT64_MAX;
        qpucc_program *program = compile_within(NULL, fragment, 2, search);
        size_t size = qpucc_program_save(program, QPUCC_SAVE_IR, NULL, 0);
        void *bytes = malloc(size);
        qpucc_program_save(program, QPUCC_SAVE_IR, bytes, size);
        qpucc_program *loaded = qpucc_program_load(bytes, size);
        ck_assert_uint_eq(loaded->kept->account.limit[QPUCC_LIMIT_SEARCH], k == 0 ? 1000 : most);
        qpucc_program_free(program);
        qpucc_program_free(loaded);
        free(bytes);
    }
}
END_TEST

/* --- the list ------------------------------------------------------------------------------------------- */

static bool same(const struct attempt *a, const struct attempt *b) {
    return a->level == b->level && a->loops == b->loops && a->threads == b->threads &&
           a->registers == b->registers && a->search == b->search;
}

START_TEST(the_list_has_no_attempt_twice) {
    for (int k = 0; k < 32; k++) {
        struct attempt_facts facts = {
            .opt_level = k / 8, .branches = k & 1, .threads = k & 2, .small = k & 4};
        struct attempt list[ATTEMPTS_MAX];
        size_t count = attempts_list(&facts, list);
        if (!facts.opt_level) { /* what -O0 does not fit into registers is made as at -O1 */
            ck_assert_uint_eq(count, 1);
            continue;
        }
        ck_assert_uint_ge(count, PRESSURE_LEVELS);
        ck_assert(list[count - 2].registers > list[count - 1].registers); /* falling */
        ck_assert_uint_le(count, ATTEMPTS_MAX);
        for (size_t i = 0; i < count; i++) {
            for (size_t j = 0; j < i; j++)
                ck_assert(!same(&list[i], &list[j]));
            if (i && !list[i].registers)
                ck_assert_int_le(list[i - 1].level, list[i].level);
            ck_assert(!list[i].registers || (list[i].threads == 1 && list[i].loops == LOOPS_PLAIN));
            ck_assert(list[i].threads == 1 || facts.threads);
            ck_assert(!list[i].search || facts.opt_level > 1);
            ck_assert(facts.branches || list[i].level || list[i].loops == LOOPS_PLAIN);
        }
        ck_assert_int_eq(list[0].level, 0);
        ck_assert_int_eq(list[count - 1].level, LEVEL_LATE);
        ck_assert_uint_eq(list[count - 1].registers, 1); /* as few as it takes */
    }
}
END_TEST

START_TEST(small_textured_code_begins_with_two_threads) {
    struct attempt_facts facts = {.opt_level = 2, .threads = true};
    struct attempt list[ATTEMPTS_MAX];
    attempts_list(&facts, list);
    ck_assert(list[0].threads == 1 && !list[0].search);
    ck_assert(list[1].threads == 2 && list[1].search);
    facts.small = true;
    attempts_list(&facts, list);
    ck_assert(list[0].threads == 2 && list[0].search);
    ck_assert(list[1].threads == 1 && list[1].search);
}
END_TEST

START_TEST(cycles_decide_and_instructions_break_ties) {
    ck_assert_uint_lt(objective(310, 281), objective(369, 257));
    ck_assert_uint_lt(objective(310, 257), objective(310, 281));
    ck_assert_uint_eq(objective_of_block(5, 0, OBJECTIVE_ALWAYS), 5 * OBJECTIVE_ALWAYS);
    ck_assert_uint_eq(objective_of_block(5, 2, OBJECTIVE_ALWAYS), 320 * OBJECTIVE_ALWAYS);
    ck_assert_uint_eq(objective_of_side(OBJECTIVE_ALWAYS, OBJECTIVE_SIDE), 96);
    ck_assert_uint_eq(objective_of_side(OBJECTIVE_ALWAYS, OBJECTIVE_SIDE) +
                          objective_of_side(OBJECTIVE_ALWAYS, OBJECTIVE_PAST),
                      OBJECTIVE_ALWAYS);
    ck_assert_uint_eq(objective_of_side(1, OBJECTIVE_SIDE), 1);
    ck_assert_uint_eq(objective_of_block(8, 1, OBJECTIVE_ALWAYS / 2), 32 * OBJECTIVE_ALWAYS);
}
END_TEST

static unsigned count_branches(const qpucc_program *program, bool backward) {
    size_t count = 0;
    unsigned branches = 0;
    const uint64_t *code = qpucc_program_code(program, QPUCC_FRAGMENT, &count);
    for (size_t i = 0; i < count; i++) {
        struct qpu_inst inst;
        branches +=
            qpu_decode(code[i], &inst) && inst.type == QPU_BRANCH && (!backward || (int32_t)inst.imm < 0);
    }
    return branches;
}

static void expect_same_code(const qpucc_program *a, const qpucc_program *b) {
    size_t count[2];
    const uint64_t *code[2] = {qpucc_program_code(a, QPUCC_FRAGMENT, &count[0]),
                               qpucc_program_code(b, QPUCC_FRAGMENT, &count[1])};
    ck_assert_uint_eq(count[0], count[1]);
    ck_assert_mem_eq(code[0], code[1], count[0] * sizeof *code[0]);
}

/* The parent tells of both forms of its stage, with branches and without, and at -O0 of the attempt that did
 * not fit and of what was made instead. What it tells the cost of but has no code of is made, if that is the
 * best. */
START_TEST(an_unchanged_stage_is_not_made_again) {
    char *registers = sines(90, false, false);
    static const char branch[] =
        "precision mediump float; uniform bool b; uniform sampler2D t; varying vec2 v;\n"
        "void main() { vec4 c = vec4(v, 0.0, 1.0);\n"
        "  if (b) for (int i = 0; i < 5; i++) c += texture2D(t, v + float(i) * 0.1);\n"
        "  gl_FragColor = c; }\n";
    const struct {
        const char *text;
        int level;
    } cases[] = {{branch, 1}, {branch, 2}, {registers, 0}, {registers, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        made = 0;
        qpucc_program *p = compile(NULL, cases[k].text, cases[k].level);
        ck_assert_int_eq(qpucc_program_status(p), QPUCC_OK);
        struct program_stage *stage = &p->stages[QPUCC_FRAGMENT];
        bool seen[2] = {false, false};
        for (size_t i = 0; i < stage->trial_count; i++)
            seen[stage->trials[i].attempt.flat] = true;
        ck_assert(cases[k].text == registers && cases[k].level ? !seen[true] : seen[true] && seen[false]);
        ck_assert_uint_ge(made, stage->trial_count);
        made = 0;
        qpucc_program *variant = qpucc_variant(p, NULL);
        ck_assert_uint_eq(made, 0);
        expect_same_code(p, variant);
        ck_assert_uint_eq(qpucc_program_usage(variant).work, qpucc_program_usage(p).work);
        stage->winner = stage->trial_count;
        qpucc_program *again = qpucc_variant(p, NULL);
        ck_assert_uint_gt(made, 0);
        expect_same_code(p, again);
        ck_assert_uint_eq(qpucc_program_usage(again).work, qpucc_program_usage(p).work);
        qpucc_program_free(again);
        qpucc_program_free(variant);
        qpucc_program_free(p);
    }
    free(registers);
}
END_TEST

/* Branches of all lanes stay where they are expected to be faster, from -O1 on. */
START_TEST(a_branch_that_all_lanes_take_stays_where_it_pays) {
    static const char
        much[] = "precision mediump float; uniform bool b; uniform sampler2D t; varying vec2 v;\n"
                 "void main() { vec4 c = vec4(v, 0.0, 1.0);\n"
                 "  if (b) for (int i = 0; i < 5; i++) c += texture2D(t, v + float(i) * 0.1);\n"
                 "  gl_FragColor = c; }\n",
        little[] = "precision mediump float; uniform bool b; varying vec4 v;\n"
                   "void main() { vec4 c = v; if (b) c *= v.y; gl_FragColor = c; }\n",
        varies[] = "precision mediump float; uniform sampler2D t; varying vec2 v;\n"
                   "void main() { vec4 c = vec4(v, 0.0, 1.0);\n"
                   "  if (v.x > 0.5) for (int i = 0; i < 5; i++) c += texture2D(t, v + float(i) * 0.1);\n"
                   "  gl_FragColor = c; }\n";
    for (int level = 0; level <= 3; level++) {
        qpucc_program *p[3] = {compile(NULL, much, level), compile(NULL, little, level),
                               compile(NULL, varies, level)};
        ck_assert_int_eq(count_branches(p[0], false) > 0, level > 0);
        ck_assert_uint_eq(count_branches(p[1], false), 0);
        ck_assert_uint_eq(count_branches(p[2], false), 0);
        for (int k = 0; k < 3; k++)
            qpucc_program_free(p[k]);
    }
}
END_TEST

static qpucc_program *compile_flags(const char *fragment, uint32_t flags) {
    struct qpucc_source source = {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL};
    struct qpucc_options options = qpucc_options_default();
    options.flags |= flags;
    qpucc_program *program = qpucc_compile(&source, 1, NULL, &options);
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_OK);
    return program;
}

START_TEST(flags_keep_loops_and_convert_branches) {
    static const char text[] =
        "precision mediump float; uniform bool b; uniform sampler2D t; varying vec2 v;\n"
        "void main() { vec4 c = vec4(v, 0.0, 1.0);\n"
        "  if (b) for (int i = 0; i < 5; i++) c += texture2D(t, v + float(i) * 0.1);\n"
        "  gl_FragColor = c; }\n";
    static const uint32_t flags[] = {0, QPUCC_NO_UNIFORM_BRANCHES, QPUCC_NO_UNROLL};
    unsigned branches[3], loops[3];
    for (int k = 0; k < 3; k++) {
        qpucc_program *p = compile_flags(text, flags[k]);
        branches[k] = count_branches(p, false);
        loops[k] = count_branches(p, true);
        qpucc_program_free(p);
    }
    ck_assert_uint_gt(branches[0], 0);
    ck_assert_uint_eq(branches[1], 0);
    ck_assert_uint_eq(loops[0], 0);
    ck_assert_uint_eq(loops[1], 0);
    ck_assert_uint_eq(loops[2], 1);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("attempts");
    TCase *tests = tcase_create("attempts");
    tcase_set_timeout(tests, 600);
    tcase_add_test(tests, sources_are_read_once_and_only_the_outcome_is_told);
    tcase_add_test(tests, what_cannot_be_helped_is_said_at_once);
    tcase_add_test(tests, the_closest_attempt_speaks);
    tcase_add_test(tests, parts_tell_their_own_failures);
    tcase_add_test(tests, a_part_that_stays_the_same_fits_again);
    tcase_add_test(tests, levels_keep_to_the_links_plan);
    tcase_add_test(tests, loops_that_do_not_fit_are_unrolled);
    tcase_add_test(tests, search_leaves_enough_to_the_other_stages);
    tcase_add_test(tests, a_fragment_shader_leaves_search_to_the_others);
    tcase_add_test(tests, dives_at_random_find_more);
    tcase_add_test(tests, levels_below_the_highest_have_a_quarter_of_the_search);
    tcase_add_test(tests, containers_raise_no_limits);
    tcase_add_test(tests, the_list_has_no_attempt_twice);
    tcase_add_test(tests, small_textured_code_begins_with_two_threads);
    tcase_add_test(tests, cycles_decide_and_instructions_break_ties);
    tcase_add_test(tests, a_branch_that_all_lanes_take_stays_where_it_pays);
    tcase_add_test(tests, an_unchanged_stage_is_not_made_again);
    tcase_add_test(tests, flags_keep_loops_and_convert_branches);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
