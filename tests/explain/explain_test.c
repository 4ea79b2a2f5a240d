/* Explanations of code made by hand, names of variables, and of words that are no program. */
#include <qpucc/explain.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define END "nop; nop; thrend\nnop\nnop\n"

static qpucc_explanation *explain;
static const struct qpucc_explain_stage *stage;

static void open_code(const char *text, bool threaded) {
    char error[200] = "";
    size_t count;
    uint64_t *code = qpucc_assemble(text, strlen(text), &count, error, sizeof error);
    ck_assert_msg(code, "%s\n%s", error, text);
    explain = qpucc_explain_code(code, count, QPUCC_FRAGMENT, threaded);
    ck_assert_ptr_nonnull(explain);
    stage = qpucc_explanation_stage(explain, QPUCC_FRAGMENT);
    ck_assert_ptr_nonnull(stage);
    ck_assert_uint_eq(stage->count, count);
    free(code);
}

static void close_code(void) {
    qpucc_explain_free(explain);
}

/* --- idle slots ----------------------------------------------------------------------------------------- */

enum { ADD, MUL };
#define NOBODY UINT32_MAX

static const struct idle_case {
    const char *text;
    uint32_t at;
    int alu;
    enum qpucc_idle idle;
    uint32_t waits_for, because_of;
} idle_cases[] = {
    {"nop; fmul r2, r3, r3\nfadd r0, r1, r1\n" END, 0, ADD, QPUCC_IDLE_CHOICE, 1, 0},
    {"fadd r0, r1, r1\nnop; fmul r2, r3, r3\n" END, 0, MUL, QPUCC_IDLE_CHOICE, 1, 0},
    /* a move goes to either ALU, a sum does not */
    {"fadd r0, r1, r1\nmov r2, r3\n" END, 0, MUL, QPUCC_IDLE_CHOICE, 1, 0},
    {"fadd r0, r1, r1\nfadd r2, r3, r3\n" END, 0, MUL, QPUCC_IDLE_OTHER_ALU, 1, NOBODY},
    {"fadd r0, r1, r1\nv8adds r2, r3, r3\n" END, 0, MUL, QPUCC_IDLE_CHOICE, 1, 0},
    {"fadd r0, r1, r1\n" END, 0, MUL, QPUCC_IDLE_TAIL, NOBODY, NOBODY},
    {"movi r0, 0x1\nfadd r1, r2, r2\n" END, 0, MUL, QPUCC_IDLE_ENCODING, NOBODY, NOBODY},
    /* operands */
    {"nop; fmul ra1, ra0, ra0\nnop\nfadd r0, ra1, ra1\n" END, 1, ADD, QPUCC_IDLE_LATENCY, 2, 0},
    {"fadd r0, r1, r1\nfadd r2, r0, r0; fmul r3, r0, r0\n" END, 0, MUL, QPUCC_IDLE_OPERANDS, 1, 0},
    {"fadd r0, r1, r1\nfadd r2, r0, r0\nnop; fmul r3, r2, r2\n" END, 0, MUL, QPUCC_IDLE_OPERANDS, 2, 1},
    {"mov recip, ra0\nnop\nnop\nfadd r0, r4, r4\n" END, 1, ADD, QPUCC_IDLE_SFU, 3, 0},
    {"mov recip, ra0\nnop\nnop\nfadd r0, r4, r4\n" END, 2, ADD, QPUCC_IDLE_SFU, 3, 0},
    {"mov t0s, ra0\nnop\nnop; nop; ldtmu0\nfadd r0, r4, r4\n" END, 1, ADD, QPUCC_IDLE_TMU, 3, 2},
    {"fadd r0, r1, r1\nnop; v8subs r2, r3, r0\n" END, 0, MUL, QPUCC_IDLE_OPERANDS, 1, 0},
    /* ports */
    {"fadd r0, ra1, ra1\nnop; fmul r2, ra3, ra3\n" END, 0, MUL, QPUCC_IDLE_READ_A, 1, 0},
    {"fadd r0, ra1, ra1\nnop; fmul r2, ra1, ra1\n" END, 0, MUL, QPUCC_IDLE_CHOICE, 1, 0},
    /* one setting unpacks r4 or file A */
    {"fadd r0, r4.8a, r1\nnop; fmul r2, r4.8b, r3\n" END, 0, MUL, QPUCC_IDLE_PACK, 1, 0},
    {"fadd r0, r4.8a, r1\nnop; fmul r2, r4.8a, r3\n" END, 0, MUL, QPUCC_IDLE_CHOICE, 1, 0},
    {"fadd r0, r4.8a, r1\nnop; fmul r2, r4, r3\n" END, 0, MUL, QPUCC_IDLE_PACK, 1, 0},
    {"fadd r0, rb1, rb1\nnop; fmul r2, rb3, rb3\n" END, 0, MUL, QPUCC_IDLE_READ_B, 1, 0},
    {"fadd r0, r1, 2.0\nnop; fmul r2, rb3, rb3\n" END, 0, MUL, QPUCC_IDLE_SMALL_IMM, 1, 0},
    {"fadd r0, rb1, rb1\nnop; fmul r2, r3, 2.0\n" END, 0, MUL, QPUCC_IDLE_SMALL_IMM, 1, 0},
    {"fadd r0, r1, 2.0\nnop; fmul r2, r3, 2.0\n" END, 0, MUL, QPUCC_IDLE_CHOICE, 1, 0},
    {"fadd r0, r1, 2.0\nnop; fmul r2, r3, 4.0\n" END, 0, MUL, QPUCC_IDLE_SMALL_IMM, 1, 0},
    {"fadd r0, r1, unif\nnop; fmul r2, r3, unif\n" END, 0, MUL, QPUCC_IDLE_UNIFORM, 1, 0},
    /* results */
    {"fadd ra0, r1, r1\nnop; fmul ra2, r3, r3\n" END, 0, MUL, QPUCC_IDLE_WRITE, 1, 0},
    {"fadd ra0, r1, r1\nnop; fmul rb2, r3, r3\n" END, 0, MUL, QPUCC_IDLE_CHOICE, 1, 0},
    {"fadd r0, r1, r1\nfadd r1, r2, r2\nnop; fmul r2, r3, r3\n" END, 0, MUL, QPUCC_IDLE_REGISTER, 2, 1},
    {"fadd r0, r1, r1\nfadd r2, r1, r1\nnop; fmul r2, r3, r3\n" END, 0, MUL, QPUCC_IDLE_REGISTER, 2, 1},
    /* one of a kind */
    {"fadd recip, r1, r1\nnop\nnop\nnop; fmul rsqrt, r2, r2\n" END, 0, MUL, QPUCC_IDLE_UNIT, 3, 0},
    {"fadd r0, vary, r1\nnop; fmul r2, vary, r3\n" END, 0, MUL, QPUCC_IDLE_UNIT, 1, 0},
    {"fadd.setf r0, r1, r1\nsub.setf r2, r3, r3\n" END, 0, MUL, QPUCC_IDLE_OTHER_ALU, 1, NOBODY},
    {"fadd r0, r1, r1\nnop; fmul.setf r2, r3, r3\n" END, 0, MUL, QPUCC_IDLE_FLAGS, 1, 0},
    {"fadd r0, ra1, ra1\nnop; fmul rb2.8a, r1, r1\n" END, 0, MUL, QPUCC_IDLE_CHOICE, 1, 0},
    {"fadd ra0.16a, r2, r2\nnop; fmul rb2.8a, r1, r1\n" END, 0, MUL, QPUCC_IDLE_PACK, 1, 0},
    {"fadd r0, ra1.8b, r2\nnop; fmul r3, ra1, r1\n" END, 0, MUL, QPUCC_IDLE_PACK, 1, 0},
    {"fadd r0, ra1.8b, r2\nnop; fmul r3, unif, r1\n" END, 0, MUL, QPUCC_IDLE_CHOICE, 1, 0},
    {"fadd r0, ra1.8b, rb2\nnop; fmul r3, unif, r1\n" END, 0, MUL, QPUCC_IDLE_PACK, 1, 0},
    {"fadd r0, r2, r2\nnop; fmul r3, ra1.8b, r1\n" END, 0, MUL, QPUCC_IDLE_CHOICE, 1, 0},
    /* what a block before it wrote last to a file */
    {"brr.allz on\nnop\nnop\nfadd ra5, r1, r1\nfadd r0, r1, r1\nnop; fmul r2, ra5, ra5\non:\n" END, 4, MUL,
     QPUCC_IDLE_LATENCY, 5, 3},
    {"brr.allz on\nnop\nnop\nfadd ra5, r1, r1\nfadd r0, r1, r1\nnop; fmul r2, ra6, ra6\non:\n" END, 4, MUL,
     QPUCC_IDLE_CHOICE, 5, 4},
};

START_TEST(reasons) {
    const struct idle_case *c = &idle_cases[_i];
    open_code(c->text, false);
    const struct qpucc_explain_instruction *in = &stage->instruction[c->at];
    const struct qpucc_explain_slot *slot = c->alu == MUL ? &in->mul : &in->add;
    ck_assert_ptr_null(slot->text);
    ck_assert_msg(slot->idle == c->idle, "%s is %s, not %s", c->text, qpucc_idle_name(slot->idle, NULL),
                  qpucc_idle_name(c->idle, NULL));
    ck_assert_uint_eq(slot->waits_for, c->waits_for);
    ck_assert_uint_eq(slot->because_of, c->because_of);
    close_code();
}
END_TEST

START_TEST(reasons_have_names) {
    for (int k = 0; k < QPUCC_IDLE_COUNT; k++) {
        const char *text = NULL;
        ck_assert_ptr_nonnull(qpucc_idle_name((enum qpucc_idle)k, &text));
        ck_assert_ptr_nonnull(text);
        for (int l = 0; l < k; l++)
            ck_assert_str_ne(qpucc_idle_name((enum qpucc_idle)k, NULL),
                             qpucc_idle_name((enum qpucc_idle)l, NULL));
    }
    ck_assert_ptr_null(qpucc_idle_name(QPUCC_IDLE_COUNT, NULL));
    ck_assert_ptr_null(qpucc_resource_name(QPUCC_RESOURCE_COUNT));
}
END_TEST

/* --- texts, live registers, blocks ---------------------------------------------------------------------- */

START_TEST(halves_and_targets) {
    open_code("fadd ra1, r0, unif; fmul rb2, r1, r2; ldtmu1\nmov rsqrt, r0\nmov tlbc, r0; nop; sbwait\n" END,
              false);
    const struct qpucc_explain_instruction *in = stage->instruction;
    ck_assert_str_eq(in[0].add.text, "fadd ra1, r0, unif");
    ck_assert_str_eq(in[0].mul.text, "fmul rb2, r1, r2");
    ck_assert_str_eq(in[0].signal.text, "ldtmu1");
    ck_assert_str_eq(in[0].add.target, "ra1");
    ck_assert_str_eq(in[0].mul.target, "rb2");
    ck_assert_str_eq(in[0].signal.target, "r4");
    ck_assert_str_eq(in[1].add.target, "rsqrt");
    ck_assert_str_eq(in[2].signal.text, "sbwait");
    ck_assert_ptr_null(in[2].signal.target);
    ck_assert(in[0].units & 1u << QPUCC_RESOURCE_UNIFORM && in[0].units & 1u << QPUCC_RESOURCE_TMU);
    ck_assert(in[1].units & 1u << QPUCC_RESOURCE_SFU && in[2].units & 1u << QPUCC_RESOURCE_TLB);
    close_code();
}
END_TEST

START_TEST(live_registers) {
    open_code("fadd ra1, r0, r0; fmul rb2, r1, r1\n" /* ra1, rb2 and r3 live after it */
              "nop\n"
              "fadd.zs ra1, rb2, r3\n" /* keeps what is in ra1 where the condition fails */
              "nop\n"
              "mov tlbc, ra1\n" END,
              false);
    const struct qpucc_explain_instruction *in = stage->instruction;
    ck_assert_uint_eq(in[0].live_a, 1u << 1);
    ck_assert_uint_eq(in[0].live_b, 1u << 2);
    ck_assert_uint_eq(in[0].live_acc, 1u << 3);
    ck_assert(in[0].live_flags);
    ck_assert_uint_eq(in[0].pressure, 3);
    ck_assert_uint_eq(in[2].live_a, 1u << 1);
    ck_assert_uint_eq(in[2].live_b, 0);
    ck_assert(!in[2].live_flags);
    ck_assert_uint_eq(in[4].live_a, 0);
    ck_assert_uint_eq(stage->peak, 3);
    ck_assert_uint_eq(stage->peak_at, 0);
    close_code();
    /* so does one that packs all four bytes */
    open_code("fadd ra1, r0, r0\nnop\nfadd.zs ra1.8abcd, r2, r3\nnop\nmov tlbc, ra1\n" END, false);
    ck_assert_uint_eq(stage->instruction[0].live_a, 1u << 1);
    close_code();
}
END_TEST

START_TEST(loops_and_delay_slots) {
    open_code("mov r0, 15\n" /* block 0 */
              "L1:\n"        /* block 1 */
              "sub.setf r0, r0, 1\n"
              "brr.anynz L1\n"
              "nop\nnop\nnop\n"
              "mov r1, r0\n" /* block 2 */
              END,
              false);
    ck_assert_uint_eq(stage->block_count, 3);
    ck_assert_uint_eq(stage->loops, 1);
    ck_assert_uint_eq(stage->block[1].first, 1);
    ck_assert_uint_eq(stage->block[1].count, 5);
    ck_assert(stage->block[1].loop_header && !stage->block[0].loop_header);
    ck_assert_uint_eq(stage->block[1].loop_depth, 1);
    ck_assert_uint_eq(stage->block[1].edge[0], 1);
    ck_assert_uint_eq(stage->block[1].edge[1], 2);
    ck_assert_uint_eq(stage->block[2].edge[0], UINT32_MAX);
    ck_assert_uint_eq(stage->instruction[2].target, 1);
    ck_assert_str_eq(stage->instruction[2].signal.text, "brr.anynz L1");
    for (uint32_t i = 0; i < stage->count; i++)
        ck_assert_int_eq(stage->instruction[i].delay_slot, (i >= 3 && i <= 5) || i >= 8);
    ck_assert_uint_eq(stage->longest_block, 1); /* an iteration counts eight times */
    ck_assert(stage->instruction[1].live_acc & 1);
    /* flags, the branch, its slots: no shorter */
    ck_assert_uint_eq(stage->block[1].bound, 5);
    ck_assert_uint_eq(stage->block[1].dependency_bound, 5);
    close_code();
    open_code("L0:\nsub.setf r0, r0, 1\nbrr.anynz L0\nnop\nnop\nnop\n" END, false);
    ck_assert_uint_eq(stage->block[0].dependency_bound, 5);
    close_code();
}
END_TEST

START_TEST(switches) {
    open_code("mov t0s, ra0\nnop; nop; thrsw\nnop\nnop\nnop; nop; ldtmu0\nmov tlbc, r4\n" END, true);
    ck_assert_uint_eq(stage->thread_switches, 1);
    ck_assert(stage->instruction[1].thread_switch);
    ck_assert(stage->instruction[2].delay_slot && stage->instruction[3].delay_slot);
    ck_assert(!stage->instruction[4].delay_slot);
    close_code();
}
END_TEST

/* --- chains and stalls ---------------------------------------------------------------------------------- */

START_TEST(longest_path) {
    open_code("fadd r0, r1, r1; fmul r2, r3, r3\nfadd r0, r0, r0\nfadd r0, r0, r0; fmul r2, r2, r2\n" END,
              false);
    const struct qpucc_explain_block *block = stage->block;
    ck_assert_uint_eq(block->path_count, 3);
    for (uint32_t k = 0; k < 3; k++)
        ck_assert_uint_eq(block->path[k], k);
    ck_assert_uint_eq(block->dependency_bound, 3);
    ck_assert(stage->instruction[0].on_longest_path && !stage->instruction[3].on_longest_path);
    ck_assert_uint_eq(stage->instruction[1].slack, 0);
    close_code();
    open_code("mov recip, r0\nnop\nnop\nmov r1, r4; fmul r2, r4, r3\nnop; fmul r3, r2, r2\n" END, false);
    ck_assert_uint_eq(stage->block->dependency_bound,
                      5); /* three for the function, the product, its square */
    ck_assert_uint_eq(stage->block->path[0], 0);
    close_code();
    open_code("fadd r0, ra1, unif\n" END, false); /* no word in the last three, through either port */
    ck_assert_uint_eq(stage->block->dependency_bound, 4);
    close_code();
}
END_TEST

START_TEST(stalls) {
    /* answered nine slots after the S write at best, each unit takes a request every four */
    open_code("mov t0s, ra0\nnop; nop; ldtmu0\nmov r0, r4\n" END, false);
    ck_assert_uint_eq(stage->instruction[1].stall, 8);
    ck_assert_int_eq(stage->instruction[1].stall_cause, QPUCC_STALL_TMU);
    ck_assert_uint_eq(stage->instruction[1].stall_for, 0);
    ck_assert_uint_eq(stage->cycles, stage->count + 8);
    close_code();
    open_code("mov t0s, ra0\nmov t0s, ra1\nnop; nop; ldtmu0\nnop; nop; ldtmu0\n" END, false);
    ck_assert_uint_eq(stage->instruction[2].stall, 7);
    ck_assert_uint_eq(stage->instruction[3].stall, 3); /* 13 after 9, one of which this instruction was */
    close_code();
    open_code("mov t0s, ra0\nmov t1s, ra1\nnop; nop; ldtmu0\nnop; nop; ldtmu1\n" END, false);
    ck_assert_uint_eq(stage->instruction[3].stall, 0);
    close_code();
    open_code("mov t0s, ra0\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop\nnop; nop; ldtmu0\n" END, false);
    ck_assert_uint_eq(stage->stalls, 0);
    close_code();
}
END_TEST

/* --- names ---------------------------------------------------------------------------------------------- */

static bool has_name(enum qpucc_stage which, const char *name) {
    const struct qpucc_explain_stage *s = qpucc_explanation_stage(explain, which);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct qpucc_explain_slot *slots[] = {&s->instruction[i].add, &s->instruction[i].mul,
                                                    &s->instruction[i].signal};
        for (int k = 0; k < 3; k++)
            if (slots[k]->name && !strcmp(slots[k]->name, name))
                return true;
    }
    return false;
}

static qpucc_program *open_pair(const char *vertex, const char *fragment, uint32_t flags) {
    struct qpucc_source sources[] = {{"a.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
                                     {"a.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct qpucc_options options = qpucc_options_default();
    options.flags |= flags;
    qpucc_program *program = qpucc_compile(sources, 2, NULL, &options);
    ck_assert_int_eq(qpucc_program_status(program), QPUCC_OK);
    explain = qpucc_explain(program, 0);
    ck_assert_ptr_nonnull(explain);
    return program;
}

static const char vertex_text[] = "attribute vec4 a; attribute vec2 at; uniform mat4 m; varying vec2 v;\n"
                                  "void main() { vec4 moved = m * a; v = at * 3.0; gl_Position = moved; }\n";

START_TEST(names_of_variables) {
    qpucc_program *program =
        open_pair(vertex_text,
                  "precision highp float; varying vec2 v; uniform float u; uniform sampler2D s;\n"
                  "struct Light { vec3 way; float power; };\n"
                  "float squared(float amount) { float twice = amount * amount; return twice + u; }\n"
                  "void main() {\n"
                  "  Light light; light.way = vec3(v * u, 1.0); light.power = v.x - u;\n"
                  "  float list[2]; list[0] = light.power * light.way.y; list[1] = sqrt(light.way.x + v.y);\n"
                  "  vec4 texel = texture2D(s, light.way.xy);\n"
                  "  gl_FragColor = vec4(squared(list[0] + 0.25), list[1], texel.x * light.power, texel.y);\n"
                  "}\n",
                  QPUCC_GENERATE_NAMES);
    static const char *const fragment[] = {"v.x",     "v.y",     "light.way.x", "light.way.y", "light.power",
                                           "list[0]", "list[1]", "amount",      "twice"};
    for (size_t k = 0; k < sizeof fragment / sizeof *fragment; k++)
        ck_assert_msg(has_name(QPUCC_FRAGMENT, fragment[k]), "no %s", fragment[k]);
    ck_assert(has_name(QPUCC_VERTEX, "v.x"));
    ck_assert(!has_name(QPUCC_FRAGMENT, "param"));
    const struct qpucc_explain_stage *s = qpucc_explanation_stage(explain, QPUCC_FRAGMENT);
    ck_assert(s->has_names);
    bool columns = false;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct qpucc_explain_instruction *in = &s->instruction[i];
        ck_assert(!in->line || (in->file && !strcmp(in->file, "a.frag")));
        columns |= in->column > 1;
    }
    ck_assert(columns);
    qpucc_explain_free(explain);
    qpucc_program_free(program);
}
END_TEST

/* A uniform that the texture unit looks up comes with a signal. */
START_TEST(names_of_what_signals_load) {
    qpucc_program *program =
        open_pair(vertex_text,
                  "precision highp float; varying vec2 v; uniform float list[20];\n"
                  "void main() { float picked = list[int(v.x)]; gl_FragColor = vec4(picked * v.y); }\n",
                  QPUCC_GENERATE_NAMES);
    const struct qpucc_explain_stage *s = qpucc_explanation_stage(explain, QPUCC_FRAGMENT);
    bool found = false;
    for (uint32_t i = 0; i < s->count; i++) {
        const char *name = s->instruction[i].signal.name;
        found |= name && !strcmp(name, "picked");
    }
    ck_assert(found);
    qpucc_explain_free(explain);
    qpucc_program_free(program);
}
END_TEST

/* The position has the viewport in it where nothing keeps it as it is. */
START_TEST(names_of_the_position) {
    for (unsigned precise = 0; precise < 2; precise++) {
        qpucc_program *program = open_pair(
            vertex_text, "precision highp float; varying vec2 v; void main() { gl_FragColor = v.xyxy; }\n",
            QPUCC_GENERATE_NAMES | (precise ? QPUCC_POLICY_PRECISE : 0));
        ck_assert_int_eq(has_name(QPUCC_VERTEX, "moved.w"), precise);
        qpucc_explain_free(explain);
        qpucc_program_free(program);
    }
}
END_TEST

/* glslang's own, which hold what a '?' chose. */
START_TEST(no_names_of_temporaries) {
    qpucc_program *program = open_pair(
        vertex_text,
        "precision highp float; varying vec2 v; uniform bool b; uniform float u; float kept = 3.0;\n"
        "void main() { kept = v.x * 2.0; if ((b ? u : kept) != v.y) kept += 1.0; gl_FragColor = "
        "vec4(kept); }\n",
        QPUCC_GENERATE_NAMES);
    ck_assert(has_name(QPUCC_FRAGMENT, "kept"));
    ck_assert(!has_name(QPUCC_FRAGMENT, "(unnamed)"));
    qpucc_explain_free(explain);
    qpucc_program_free(program);
}
END_TEST

START_TEST(no_names_unless_asked) {
    qpucc_program *program = open_pair(
        vertex_text, "precision highp float; varying vec2 v; void main() { gl_FragColor = v.xyxy; }\n", 0);
    for (int k = 0; k < QPUCC_STAGE_COUNT; k++) {
        const struct qpucc_explain_stage *s = qpucc_explanation_stage(explain, (enum qpucc_stage)k);
        ck_assert(!s->has_names);
        for (uint32_t i = 0; i < s->count; i++)
            ck_assert(!s->instruction[i].add.name && !s->instruction[i].mul.name && !s->instruction[i].file);
    }
    qpucc_explain_free(explain);
    qpucc_program_free(program);
}
END_TEST

START_TEST(programs_without_code) {
    static const char text[] = "void main() { nothing; }\n";
    struct qpucc_source source = {"a.frag", text, strlen(text), QPUCC_FRAGMENT, QPUCC_GLSL};
    qpucc_program *program = qpucc_compile(&source, 1, NULL, NULL);
    explain = qpucc_explain(program, QPUCC_EXPLAIN_PASSES);
    ck_assert_ptr_nonnull(explain);
    for (int k = 0; k <= QPUCC_STAGE_COUNT; k++) {
        ck_assert_ptr_null(qpucc_explanation_stage(explain, (enum qpucc_stage)k));
        ck_assert_uint_eq(qpucc_explain_pass_count(explain, (enum qpucc_stage)k), 0);
    }
    qpucc_explain_free(explain);
    qpucc_program_free(program);
    qpucc_explain_free(NULL);
}
END_TEST

/* --- ways through the code ------------------------------------------------------------------------------ */

static const struct way_case {
    const char *text;
    unsigned shortest, longest, turn; /* turn: of the first block */
} way_cases[] = {
    {"nop\nnop\n" END, 5, 5, 0},
    /* a branch over three instructions; one that is always taken; sides of different lengths */
    {"mov.setf r0, ra0\nbrr.allz there\nnop\nnop\nnop\nnop\nnop\nnop\nthere:\n" END, 8, 11, 0},
    {"brr there\nnop\nnop\nnop\nnop\nnop\nnop\nthere:\n" END, 7, 7, 0},
    {"brr.allz other\nnop\nnop\nnop\nnop\nnop\nbrr there\nnop\nnop\nnop\n"
     "other:\nnop\nthere:\n" END,
     8, 13, 0},
    /* a loop of five instructions, and one that has a branch over two of its nine */
    {"again:\nnop\nbrr.anynz again\nnop\nnop\nnop\n" END, 8, 8, 5},
    {"again:\nbrr.allz less\nnop\nnop\nnop\nnop\nnop\nless:\nbrr.anynz again\nnop\nnop\nnop\n" END, 11, 13,
     10},
};

START_TEST(ways) {
    const struct way_case *c = &way_cases[_i];
    open_code(c->text, false);
    ck_assert_uint_eq(stage->shortest_path, c->shortest);
    ck_assert_uint_eq(stage->longest_path, c->longest);
    ck_assert_uint_eq(stage->turn[0], c->turn);
    close_code();
}
END_TEST

/* --- formulas ------------------------------------------------------------------------------------------- */

START_TEST(formulas) {
    static const char text[] =
        "precision highp float; varying vec2 v; uniform float a, b, c; uniform vec3 d; uniform int n;\n"
        "void main() {\n"
        "  float x = v.x * ((a - (b - c)) * -d.x), y = v.y * max(a + b * c, 0.1) * float(n + 3000);\n"
        "  float z = v.x * (a < b ? c : d.z), w = v.y * (sqrt(d.y) + 1.0);\n"
        "  gl_FragColor = vec4(x, y, z, w) * (sqrt(d.y) + 1.0);\n"
        "}\n";
    qpucc_program *program = open_pair(vertex_text, text, 0);
    const struct qpucc_explain_stage *s = qpucc_explanation_stage(explain, QPUCC_FRAGMENT);
    ck_assert_uint_eq(s->word_count, qpucc_uniforms_size(program, QPUCC_FRAGMENT));
    for (uint32_t i = 0; i < s->word_count; i++) {
        char name[24];
        snprintf(name, sizeof name, "u%u", i);
        ck_assert_str_eq(s->word[i].name, name);
    }
    ck_assert_uint_eq(s->shared_count, 1); /* the root, which two words have */
    ck_assert_str_eq(s->shared[0].name, "e1");
    ck_assert_str_eq(s->shared[0].text, "sqrt(max(d.y, 0.0)) + 1.0");
    static const char *const parts[] = {"(a - (b - c)) * d.x", "max(a + b * c, 0.1)", "(a < b ? c : d.z)",
                                        "e1 * e1", "n + 3000"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        bool found = false;
        for (uint32_t i = 0; i < s->word_count; i++)
            found |= strstr(s->word[i].text, parts[k]) != NULL;
        ck_assert_msg(found, "no word has %s", parts[k]);
    }
    qpucc_explain_free(explain);
    qpucc_program_free(program);
}
END_TEST

/* A footnote's name is no uniform's, and a part has only earlier ones in it. */
START_TEST(formulas_have_their_own_names) {
    qpucc_program *program =
        open_pair(vertex_text,
                  "precision highp float; varying vec2 v; uniform float u1, e1, a;\n"
                  "void main() { float s = sin(a) * u1 + e1; gl_FragColor = vec4(v * s, v * (s + a)); }\n",
                  0);
    for (int k = 0; k < QPUCC_STAGE_COUNT; k++) {
        const struct qpucc_explain_stage *s = qpucc_explanation_stage(explain, (enum qpucc_stage)k);
        for (uint32_t i = 0; i < s->word_count; i++)
            ck_assert_int_eq(strncmp(s->word[i].name, "word", 4), 0);
        for (uint32_t i = 0; i < s->shared_count; i++) {
            ck_assert_int_eq(strncmp(s->shared[i].name, "part", 4), 0);
            for (uint32_t later = i; later < s->shared_count; later++) {
                const char *at = strstr(s->shared[i].text, s->shared[later].name);
                size_t length = strlen(s->shared[later].name);
                ck_assert(!at || (at[length] >= '0' && at[length] <= '9'));
            }
        }
    }
    ck_assert_uint_gt(qpucc_explanation_stage(explain, QPUCC_FRAGMENT)->shared_count, 0);
    qpucc_explain_free(explain);
    qpucc_program_free(program);
}
END_TEST

/* A listing says of its instructions what the whole explanation says. */
START_TEST(listings) {
    qpucc_program *program = open_pair(vertex_text,
                                       "precision highp float; varying vec2 v; uniform sampler2D s;\n"
                                       "void main() { gl_FragColor = texture2D(s, v) * sin(v.x); }\n",
                                       0);
    qpucc_explanation *listing = qpucc_explain(program, QPUCC_EXPLAIN_LISTING);
    unsigned stalls = 0, words = 0;
    for (int k = 0; k < QPUCC_STAGE_COUNT; k++) {
        const struct qpucc_explain_stage *whole = qpucc_explanation_stage(explain, (enum qpucc_stage)k),
                                         *brief = qpucc_explanation_stage(listing, (enum qpucc_stage)k);
        ck_assert_uint_eq(whole->count, brief->count);
        ck_assert_uint_eq(whole->peak, brief->peak);
        ck_assert_ptr_null(brief->line);
        for (uint32_t i = 0; i < whole->count; i++) {
            const struct qpucc_explain_instruction *x = &whole->instruction[i], *y = &brief->instruction[i];
            ck_assert_str_eq(x->text, y->text);
            ck_assert(x->word == y->word && x->units == y->units && x->stall == y->stall);
            ck_assert(x->live_a == y->live_a && x->live_b == y->live_b && x->live_acc == y->live_acc);
            ck_assert(x->line == y->line && x->word_index == y->word_index && x->word_text == y->word_text);
            stalls += y->stall;
            words += y->word_text != NULL;
        }
    }
    ck_assert_uint_gt(stalls, 0);
    ck_assert_uint_gt(words, 0);
    qpucc_explain_free(listing);
    qpucc_explain_free(explain);
    qpucc_program_free(program);
}
END_TEST

/* A variant has its own names, and its own passes; a program that was loaded has neither. */
START_TEST(variants_and_containers) {
    qpucc_program *program = open_pair(vertex_text,
                                       "precision highp float; varying vec2 v; void main() { float sum = v.x "
                                       "* v.y + 0.3; gl_FragColor = vec4(sum); }\n",
                                       QPUCC_GENERATE_NAMES);
    qpucc_explain_free(explain);
    struct qpucc_state state = {.depth_test = true};
    qpucc_program *variant = qpucc_variant(program, &state);
    explain = qpucc_explain(variant, QPUCC_EXPLAIN_PASSES);
    ck_assert(has_name(QPUCC_FRAGMENT, "sum"));
    ck_assert_uint_gt(qpucc_explain_pass_count(explain, QPUCC_FRAGMENT), 2);
    ck_assert_uint_gt(qpucc_explain_pass_count(explain, QPUCC_COORDINATE), 2);
    qpucc_explain_free(explain);
    size_t size = qpucc_program_save(variant, 0, NULL, 0);
    void *bytes = malloc(size);
    qpucc_program_save(variant, 0, bytes, size);
    qpucc_program *loaded = qpucc_program_load(bytes, size);
    ck_assert_int_eq(qpucc_program_status(loaded), QPUCC_OK);
    explain = qpucc_explain(loaded, QPUCC_EXPLAIN_PASSES);
    ck_assert(!has_name(QPUCC_FRAGMENT, "sum"));
    ck_assert_uint_eq(qpucc_explain_pass_count(explain, QPUCC_FRAGMENT), 0);
    ck_assert_uint_gt(qpucc_explanation_stage(explain, QPUCC_FRAGMENT)->instruction[0].line, 0);
    qpucc_explain_free(explain);
    free(bytes);
    qpucc_program_free(loaded);
    qpucc_program_free(variant);
    qpucc_program_free(program);
}
END_TEST

START_TEST(precisions) {
    qpucc_program *program =
        open_pair("attribute highp vec4 a; uniform mediump vec4 common, vertex_one; varying lowp vec4 v;\n"
                  "void main() { v = a * common; gl_Position = a + vertex_one; }\n",
                  "precision lowp float; uniform mediump vec4 common; uniform lowp float own; uniform "
                  "sampler2D s; varying lowp vec4 v;\n"
                  "void main() { gl_FragColor = v * own + common + texture2D(s, v.xy); }\n",
                  0);
    static const struct {
        enum qpucc_interface which;
        const char *name;
        enum qpucc_precision precision;
    } cases[] = {{QPUCC_UNIFORMS, "common", QPUCC_MEDIUMP}, {QPUCC_UNIFORMS, "vertex_one", QPUCC_MEDIUMP},
                 {QPUCC_UNIFORMS, "own", QPUCC_LOWP},       {QPUCC_ATTRIBUTES, "a", QPUCC_HIGHP},
                 {QPUCC_VARYINGS, "v", QPUCC_LOWP},         {QPUCC_SAMPLERS, "s", QPUCC_UNKNOWN_PRECISION}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        size_t i = 0;
        while (strcmp(qpucc_program_variable(program, cases[k].which, i)->name, cases[k].name))
            i++;
        ck_assert_msg(qpucc_explain_precision(program, cases[k].which, i) == cases[k].precision, "%s",
                      cases[k].name);
    }
    ck_assert_int_eq(qpucc_explain_precision(program, QPUCC_UNIFORMS, 99), QPUCC_UNKNOWN_PRECISION);
    qpucc_explain_free(explain);
    qpucc_program_free(program);
}
END_TEST

/* --- any words ------------------------------------------------------------------------------------------ */

static uint32_t seed = 20140228;

static uint32_t next(void) {
    seed ^= seed << 13;
    seed ^= seed >> 17;
    return seed ^= seed << 5;
}

/* A word at random, more often one that means something: a branch to nearby, an ALU instruction. */
static uint64_t draw_word(void) {
    uint64_t word = (uint64_t)next() << 32 | next();
    switch (next() % 4) {
    case 0: return (word & 0x00ffffff00000000) | 0xf000000000000000 | (uint32_t)((int)(next() % 80 - 40) * 8);
    case 1: return (word & 0x0fffffffffffffff) | 0x1000000000000000;
    case 2: return (word & 0x0fffffffffffffff) | (uint64_t)(2 + next() % 12) << 60;
    default: return word;
    }
}

/* Loops are what lies from a block to the last one that goes back to it. */
static void expect_loops(void) {
    unsigned depth[48] = {0};
    for (uint32_t h = 0; h < stage->block_count; h++) {
        uint32_t last = UINT32_MAX;
        for (uint32_t b = h; b < stage->block_count; b++)
            if (stage->block[b].edge[0] == h || stage->block[b].edge[1] == h)
                last = b;
        ck_assert_int_eq(stage->block[h].loop_header, last != UINT32_MAX);
        for (uint32_t b = h; last != UINT32_MAX && b <= last; b++)
            depth[b]++;
        ck_assert_uint_eq(stage->block[h].loop_depth, depth[h]);
    }
}

/* Blocks of which the last goes back to the first, the last but one to the second, and so on. */
START_TEST(loops_in_loops) {
    enum { BLOCKS = 120000, SIZE = 4 }; /* a branch and its slots */
    char error[200];
    size_t count;
    uint64_t *branch = qpucc_assemble("brr.anynz L0", 12, &count, error, sizeof error);
    uint64_t *nop = qpucc_assemble("nop", 3, &count, error, sizeof error);
    uint64_t *code = calloc(BLOCKS * SIZE, sizeof *code);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        uint32_t to = b < BLOCKS / 2 ? b + 1 : BLOCKS - 1 - b;
        code[b * SIZE] = (*branch & 0xffffffff00000000) | (uint32_t)(to - b - 1) * SIZE * 8;
        for (uint32_t k = 1; k < SIZE; k++)
            code[b * SIZE + k] = *nop;
    }
    explain = qpucc_explain_code(code, BLOCKS * SIZE, QPUCC_FRAGMENT, false);
    stage = qpucc_explanation_stage(explain, QPUCC_FRAGMENT);
    ck_assert_uint_eq(stage->loops, BLOCKS / 2);
    ck_assert_uint_eq(stage->block[BLOCKS / 2].loop_depth, BLOCKS / 2);
    ck_assert_uint_gt(stage->turn[63], 0);
    ck_assert_uint_eq(stage->turn[64], 0);
    close_code();
    free(code);
    free(branch);
    free(nop);
}
END_TEST

START_TEST(any_words) {
    uint64_t code[48];
    for (int round = 0; round < 3000; round++) {
        size_t count = next() % 48;
        for (size_t i = 0; i < count; i++)
            code[i] = draw_word();
        enum qpucc_stage which = (enum qpucc_stage)(next() % QPUCC_STAGE_COUNT);
        explain = qpucc_explain_code(code, count, which, next() & 1);
        ck_assert_ptr_nonnull(explain);
        stage = qpucc_explanation_stage(explain, which);
        ck_assert(!stage == !count);
        uint32_t sum = 0;
        for (uint32_t b = 0; stage && b < stage->block_count; b++) {
            sum += stage->block[b].count;
            for (unsigned e = 0; e < 2; e++)
                ck_assert(stage->block[b].edge[e] == UINT32_MAX ||
                          stage->block[b].edge[e] < stage->block_count);
        }
        ck_assert_uint_eq(sum, count);
        if (stage)
            expect_loops();
        for (uint32_t i = 0; i < count; i++) {
            ck_assert_int_eq(!stage->instruction[i].add.text,
                             stage->instruction[i].add.idle != QPUCC_IDLE_NONE);
            ck_assert_int_eq(!stage->instruction[i].mul.text,
                             stage->instruction[i].mul.idle != QPUCC_IDLE_NONE);
        }
        qpucc_explain_free(explain);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("explain");
    TCase *c = tcase_create("code");
    tcase_add_loop_test(c, reasons, 0, (int)(sizeof idle_cases / sizeof *idle_cases));
    tcase_add_test(c, reasons_have_names);
    tcase_add_test(c, halves_and_targets);
    tcase_add_test(c, live_registers);
    tcase_add_test(c, loops_and_delay_slots);
    tcase_add_test(c, switches);
    tcase_add_test(c, longest_path);
    tcase_add_test(c, stalls);
    tcase_add_test(c, names_of_variables);
    tcase_add_test(c, names_of_what_signals_load);
    tcase_add_test(c, names_of_the_position);
    tcase_add_test(c, no_names_of_temporaries);
    tcase_add_test(c, no_names_unless_asked);
    tcase_add_test(c, programs_without_code);
    tcase_add_loop_test(c, ways, 0, (int)(sizeof way_cases / sizeof *way_cases));
    tcase_add_test(c, formulas);
    tcase_add_test(c, formulas_have_their_own_names);
    tcase_add_test(c, listings);
    tcase_add_test(c, variants_and_containers);
    tcase_add_test(c, precisions);
    tcase_add_test(c, any_words);
    suite_add_tcase(suite, c);
    TCase *large = tcase_create("large code");
    tcase_set_timeout(large, 20);
    tcase_add_test(large, loops_in_loops);
    suite_add_tcase(suite, large);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
