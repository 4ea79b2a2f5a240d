/* Programs about what a shader meets at its borders, and what happens in which order.
 *
 * Varyings of all shapes over a W that differs from vertex to vertex, structures and arrays as uniforms,
 * lookups of all kinds in both stages, built-in variables, colours written piece by piece; effects within
 * expressions, functions that write globals and their own arguments, loops that are left in the middle.
 *
 * As in pressure.c, values stay between 0 and 1 and conditions are exact. Nothing depends on an order that
 * the language leaves open. */
#include "pressure.h"

#include <stdio.h>
#include <string.h>

struct borders {
    struct pressure p;
    struct node *to; /* where statements go now */
    bool fragment, data;
    unsigned depth; /* of branches and loops */
};

#define ADD(b, ...) SAY(&(b)->p, (b)->to, __VA_ARGS__)

static const char *text_of(struct borders *b, const char *const *texts, unsigned count) {
    return texts[pick(b->p.g, count)];
}

#define ONE_OF(b, ...)                                                                                       \
    text_of(b, (const char *const[]){__VA_ARGS__},                                                           \
            sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* Something between 0 and 1, or little more. */
static const char *value(struct borders *b) {
    static const char *const both[] = {
        "r",     "q",    "u_f", "u_v.z", "u_l[1].k", "u_l[n].d.y", "c.g", "u_w[n].x", "u_l[n].m[1].x * 0.5",
        "0.375", "c[n]", "g"};
    static const char *const inside[] = {"v_c.x",
                                         "v_w[1].x",
                                         "v_w[n].y",
                                         "v_m[1].y",
                                         "v_m[n / 2].x",
                                         "v_r[2].z",
                                         "gl_FragCoord.w * 0.5",
                                         "gl_FragCoord.z",
                                         "(gl_FrontFacing ? v_c.y : r)"};
    return b->fragment && one_in(b->p.g, 2) ? text_of(b, inside, sizeof inside / sizeof *inside)
                                            : text_of(b, both, sizeof both / sizeof *both);
}

static const char *decision(struct borders *b) {
    if (b->fragment)
        return condition(&b->p, !one_in(b->p.g, 3));
    return ONE_OF(b, "a_position.x > 0.0", "a_position.x + a_position.y > 1.0", "u_b", "u_n > 2");
}

/* --- lookups -------------------------------------------------------------------------------------------- */

static void lookup(struct borders *b) {
    struct gen *g = b->p.g;
    const char *where = b->fragment ? ONE_OF(b, "v_uv", "v_w[n]", "v_w[2]", "v_m[0]", "vec2(r, q)", "c.xy",
                                             "(v_uv + vec2(r, 0.25) * 0.125)", "gl_FragCoord.xy / 16.0")
                                    : ONE_OF(b, "(a_position.xy * 0.25 + 0.5)", "vec2(r, q)", "u_w[n]");
    const char *sampler = ONE_OF(b, "u_t0", "u_t1", "u_ts[0]", "u_ts[1]"), *texel;
    const char *suffix = b->fragment ? "" : "Lod";
    const char *last = !b->fragment   ? ONE_OF(b, ", 0.0", ", r")
                       : one_in(g, 3) ? ONE_OF(b, ", 0.0", ", -1.0", ", u_f", ", r * 0.5")
                                      : "";
    switch (pick(g, 6)) {
    case 0:
        texel = pool_text(g->pool, "texture2DProj%s(%s, vec3(%s, %s + 0.5)%s)", suffix, sampler, where,
                          value(b), last);
        break;
    case 1:
        texel = pool_text(g->pool, "texture2DProj%s(%s, vec4(%s, %s, 1.25 - %s * 0.5)%s)", suffix, sampler,
                          where, value(b), ONE_OF(b, "r", "q", "u_f"), last);
        break;
    case 2:
        texel = pool_text(g->pool, "textureCube%s(u_cube, vec3(%s * 2.0 - 1.0, %s - 0.25)%s)", suffix, where,
                          value(b), last);
        break;
    case 3: texel = pool_text(g->pool, "fetched(%s, %s)", sampler, where); break;
    default: texel = pool_text(g->pool, "texture2D%s(%s, %s%s)", suffix, sampler, where, last);
    }
    ADD(b, ONE_OF(b, "c = mix(c, %s, 0.5);", "c.ga = %s.rb;", "r = mix(r, %s.g, 0.5);", "a[n].zx = %s.ga;"),
        texel);
}

/* --- who writes what, and when -------------------------------------------------------------------------- */

static void effects(struct borders *b) {
    struct gen *g = b->p.g;
    switch (pick(g, 9)) {
    case 0:
        ADD(b, "if (%s %s moved(%s, %s)) q = q * 0.5 + 0.25;", decision(b), ONE_OF(b, "&&", "||", "^^"),
            ONE_OF(b, "r", "c.b", "a[n].y", "g"), value(b));
        break;
    case 1:
        ADD(b, "r = %s ? nudge(q, %s) : nudge(%s, 0.5);", decision(b), value(b),
            ONE_OF(b, "g", "c.x", "a[1].z"));
        break;
    case 2: ADD(b, "c = (nudge(r, %s), c.wxyz);", value(b)); break;
    case 3: ADD(b, "aliased(g, %s); r = mix(r, g, 0.5);", value(b)); break;
    case 4: ADD(b, "n = 0; counted(a[n].x, %s); q = mix(q, a[0].x, 0.5); n = at(n, 3);", value(b)); break;
    case 5:
        ADD(b, "swap(%s, %s);", ONE_OF(b, "c.xz", "a[0].yx", "m[1]"), ONE_OF(b, "a[1].zy", "c.yw", "m[0]"));
        break;
    case 6: ADD(b, "q = left(%s, n) * 0.5;", value(b)); break;
    case 7:
        ADD(b, "{ bool t = %s; if ((t = !t) || moved(r, 0.25)) c.x = %s; }", decision(b), value(b));
        break;
    default:
        ADD(b, "n = at(n%s, 3); a[n] = a[n] * 0.5 + 0.25;",
            ONE_OF(b, "++", " + 1", " + u_n", " + int(floor(u_f))"));
    }
}

static void pieces(struct borders *b) {
    const char *v = value(b);
    switch (pick(b->p.g, 10)) {
    case 0:
        ADD(b, "a[%s].%s = vec2(%s, r);", ONE_OF(b, "n", "0", "2"), ONE_OF(b, "xy", "zx", "bg"), v);
        break;
    case 1: ADD(b, "m[%s].%s = %s;", ONE_OF(b, "n / 2", "0"), ONE_OF(b, "x", "y"), v); break;
    case 2: ADD(b, "m[n / 2][n - n / 2 * 2] = %s;", v); break;
    case 3: ADD(b, "r = dot(m * vec2(r, %s), vec2(0.25));", v); break;
    case 4: ADD(b, "{ Light x = %s ? l : u_l[n]; l = Light(x.d.zxy, %s, m); }", decision(b), v); break;
    case 5: ADD(b, "l.d[n] = %s; l.m[n / 2] = c.xw; q = mix(q, l.d.y + l.m[1].x * 0.25, 0.5);", v); break;
    case 6: ADD(b, "if (l == u_l[0]) r = %s; l = u_l[n];", v); break;
    case 7:
        ADD(b, "for (int i = 0; i < 3; i++) { Light k = u_l[i]; r = mix(r, k.d[i] * k.k, 0.25); a[i].x = "
               "u_w[i].y; }");
        break;
    case 8: ADD(b, "c = clamp(c %s vec4(%s, r, q, 0.5), 0.0, 1.0);", ONE_OF(b, "*", "+", "-"), v); break;
    default: ADD(b, "%s = mix(r, %s, 0.5);", ONE_OF(b, "r", "q", "g", "c.w", "l.k"), v);
    }
}

static void output(struct borders *b) {
    const char *color = b->data ? "gl_FragData[0]" : "gl_FragColor";
    if (!b->fragment) {
        ADD(b, "v_w[%s] = vec2(%s, q);", ONE_OF(b, "0", "1", "2", "n"), value(b));
        return;
    }
    switch (pick(b->p.g, 4)) {
    case 0: ADD(b, "%s.%s = vec2(%s, r);", color, ONE_OF(b, "rg", "ab", "gr"), value(b)); break;
    case 1: ADD(b, "r = mix(r, %s.g, 0.5);", color); break;
    case 2: ADD(b, "%s *= 0.75;", color); break;
    default: ADD(b, "%s = mix(%s, c, 0.5);", color, color);
    }
}

/* --- control flow --------------------------------------------------------------------------------------- */

static void statements(struct borders *b, unsigned count);

static struct node *within(struct borders *b, unsigned count) {
    struct node *around = b->to, *inner = b->to = list(&b->p);
    b->depth++;
    statements(b, count);
    b->depth--;
    b->to = around;
    return inner;
}

static void leave(struct borders *b, struct node *inner) {
    static const char *const ways[] = {"break", "continue", "discard", "break"};
    SAY(&b->p, inner, "if (%s) %s;", decision(b),
        b->fragment ? ways[pick(b->p.g, 4)] : ways[pick(b->p.g, 2)]);
}

static void repeated(struct borders *b) {
    struct gen *g = b->p.g;
    const char *i = new_name(g, "i"), *form;
    struct node *inner = within(b, between(&b->p, 1, 2));
    leave(b, inner);
    node_add(g->pool, inner, within(b, 1));
    switch (pick(g, 6)) {
    case 0: form = "for (float %s = 0.0; %s < 1.0; %s += 0.375) {\n%%0}"; break;
    case 1: form = "for (int %s = 3; %s != 0; --%s) {\n%%0}"; break;
    case 2: form = "int %s = 0;\nfor (;;) {\nif (%s++ > u_n) break;\n%%0}\nn = at(%s, 3);"; break;
    case 3: form = "int %s = 0;\nwhile (true) {\n%s++;\nif (%s > n + 1) break;\n%%0}"; break;
    case 4: form = "int %s = 0;\ndo {\n%s += 2;\n%%0} while (%s < 5);"; break;
    default:
        form = "for (int %s = 0; %s < 3; %s++)\nfor (int j = 0; j < 3; j++) {\nif (j > n) continue;\n%%0}";
    }
    node_add(g->pool, b->to, node_new(g->pool, STATEMENT, pool_text(g->pool, form, i, i, i), 1, inner));
}

static void parted(struct borders *b) {
    struct gen *g = b->p.g;
    struct node *yes = within(b, between(&b->p, 1, 3)), *no = within(b, between(&b->p, 1, 2));
    if (b->fragment && one_in(g, 4))
        SAY(&b->p, yes, "if (%s) discard;", decision(b));
    else if (one_in(g, 6))
        SAY(&b->p, no, "if (%s) { %s return; }", decision(b), b->fragment ? "" : "finish();");
    node_add(g->pool, b->to,
             node_new(g->pool, STATEMENT, pool_text(g->pool, "if (%s) {\n%%0\n} else {\n%%1\n}", decision(b)),
                      2, yes, no));
}

static void statements(struct borders *b, unsigned count) {
    for (; count; count--)
        switch (pick(b->p.g, b->depth < 2 ? 12 : 9)) {
        case 0:
        case 1: effects(b); break;
        case 2:
        case 3:
        case 4: pieces(b); break;
        case 5:
        case 6: lookup(b); break;
        case 7: output(b); break;
        case 9:
        case 10: parted(b); break;
        case 11: repeated(b); break;
        default: ADD(b, "%s = mix(%s, r, 0.25);", ONE_OF(b, "q", "c.x", "g"), value(b));
        }
}

/* --- the whole ------------------------------------------------------------------------------------------ */

static const char shared[] =
    "uniform Light u_l[3];\nuniform vec2 u_w[3];\nuniform float u_f;\nuniform vec4 u_v;\nuniform bool u_b;\n"
    "uniform int u_n;\nuniform sampler2D u_t0;\nuniform sampler2D u_t1;\nuniform sampler2D u_ts[2];\n"
    "uniform samplerCube u_cube;\n"
    "varying vec2 v_uv;\nvarying vec4 v_c;\nvarying vec2 v_w[3];\nvarying mat2 v_m;\nvarying mat3 v_r;\n"
    "float g;\nint n;\nfloat r;\nfloat q;\n";

static const char functions[] =
    "int at(int x, int k) {\nint y = x - x / k * k;\nreturn y < 0 ? y + k : y;\n}\n"
    "float nudge(inout float x, float k) {\nx = clamp(x * 0.5 + k * 0.25, 0.0, 1.0);\nreturn x * 0.75;\n}\n"
    "bool moved(inout float x, float k) {\nnudge(x, k);\ng = g * 0.5 + 0.25;\nreturn n > 0;\n}\n"
    "void aliased(inout float x, float k) {\nx = mix(x, g, 0.25);\ng = k * 0.5;\nx = x * 0.5 + g * 0.25;\n}\n"
    "void counted(out float x, float k) {\nn = at(n + 2, 3);\nx = k * 0.5;\n}\n"
    "void swap(inout vec2 x, inout vec2 y) {\nvec2 t = x;\nx = y.yx;\ny = t;\n}\n"
    "float left(float x, int k) {\nfor (int i = 0; i < 3; i++) {\nfor (int j = 0; j < 2; j++) {\n"
    "if (i + j > k)\nreturn x;\nx = x * 0.75 + u_l[i].k * 0.125;\n}\nif (i > u_n) {\nreturn x * 0.5;\n}\n}\n"
    "return x + 0.125;\n}\n";

/* Each line is a statement of its own, or each function: what is unused goes when a program is reduced. */
static void add_lines(struct borders *b, const char *text, bool whole) {
    while (*text) {
        const char *end = whole ? strstr(text, "\n}\n") : strchr(text, '\n');
        size_t length = end ? (size_t)(end - text) + (whole ? 2 : 0) : strlen(text);
        SAY(&b->p, b->p.top, "%.*s", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

static struct node *begin(struct borders *b, bool fragment) {
    b->fragment = fragment;
    b->depth = 0;
    b->p.top = list(&b->p);
    b->to = b->p.body = list(&b->p);
    SAY(&b->p, b->p.top, "precision highp float;\nprecision highp int;");
    SAY(&b->p, b->p.top, "struct Light {\nvec3 d;\nfloat k;\nmat2 m;\n};");
    add_lines(b, shared, false);
    add_lines(b, functions, true);
    SAY(&b->p, b->p.top, "vec4 fetched(sampler2D s, vec2 where) {\nreturn texture2D%s(s, where * 0.5%s);\n}",
        fragment ? "" : "Lod", fragment ? "" : ", 0.0");
    return b->p.top;
}

static void end(struct borders *b, const char *first, const char *last) {
    struct gen *g = b->p.g;
    static const char locals[] = "g = u_f;\nr = 0.25;\nq = u_v.x;\nn = at(u_n, 3);\nvec4 c = u_v;\n"
                                 "mat2 m = mat2(0.5, 0.25, 0.125, 0.75);\nLight l = u_l[1];\nvec3 a[3];\n"
                                 "a[0] = vec3(0.5);\na[1] = u_v.xyz;\na[2] = u_v.wzy;\n";
    node_add(g->pool, b->p.top,
             node_new(g->pool, STATEMENT,
                      pool_text(g->pool, "void main() {\n%s%s%%0%s}", locals, first, last), 1, b->p.body));
}

bool program_generate_interface(struct program *program, uint64_t seed) {
    struct gen g = {.seed = (seed + 13) * 0x9e3779b97f4a7c15u};
    struct borders b = {.p = {.g = &g, .program = program}};
    static const char *const uniforms[] = {"u_f=0.4",
                                           "u_v=0.3,0.6,0.8,0.2",
                                           "u_w=0.1,0.2,0.7,0.5,0.4,0.9",
                                           "u_l[0].k=0.6",
                                           "u_l[1].k=0.3",
                                           "u_l[2].k=0.8",
                                           "u_l[0].d=0.5,0.2,0.9",
                                           "u_l[1].d=0.1,0.8,0.4",
                                           "u_l[2].d=0.7,0.6,0.3",
                                           "u_l[0].m=0.25,0.5,0.75,0.125",
                                           "u_l[1].m=0.5,0.5,0.25,0.25",
                                           "u_l[2].m=0.125,0.75,0.5,0.25"};
    memset(program, 0, sizeof *program);
    program->pool = g.pool = pool_new();
    if (!g.pool)
        return false;
    for (int i = 0; i < 4; i++)
        pick(&g, 2);
    const size_t size = sizeof program->uniforms[0];
    for (; program->uniform_count < sizeof uniforms / sizeof *uniforms; program->uniform_count++)
        strcpy(program->uniforms[program->uniform_count], uniforms[program->uniform_count]);
    snprintf(program->uniforms[program->uniform_count++], size, "u_n=%u", pick(&g, 5));
    snprintf(program->uniforms[program->uniform_count++], size, "u_b=%u", pick(&g, 2));

    program->vertex = begin(&b, false);
    SAY(&b.p, b.p.top, "attribute vec4 a_position;");
    SAY(&b.p, b.p.top,
        "void finish() {\nv_c = vec4(a_position.xy * 0.25 + 0.5, clamp(r, 0.0, 1.0), clamp(q, 0.0, "
        "1.0));\n}");
    statements(&b, pick(&g, 4));
    end(&b,
        "float w = 1.0 + a_position.x * 0.25 + a_position.y * 0.125;\n"
        "gl_Position = vec4(a_position.xy * w, a_position.y * 0.25 * w, w);\n"
        "v_uv = a_position.xy * 0.37 + 0.45;\n"
        "v_w[0] = v_uv.yx;\nv_w[1] = vec2(0.25) + v_uv * 0.5;\nv_w[2] = a_position.yx * 0.21 + 0.33;\n"
        "v_m = mat2(v_w[1], v_w[2]);\nv_r = mat3(0.5, v_uv, 0.25, v_uv.yx, v_w[1], 0.75);\n",
        "finish();\n");

    program->fragment = begin(&b, true);
    b.data = one_in(&g, 3);
    statements(&b, between(&b.p, 2, 8));
    const char *color = b.data ? "gl_FragData[0]" : "gl_FragColor";
    end(&b, pool_text(g.pool, "%s = v_c;\n", color),
        pool_text(g.pool, "%s = mix(%s, vec4(r, q, g, a[n].x + l.k * 0.25 + c.z * 0.25), 0.5);\n", color,
                  color));
    return true;
}
