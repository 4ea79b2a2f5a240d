/* Small programs: a few texels, varyings and uniforms, three to eight lines that mix them channel by channel.
 *
 * What they are for is not the language but the last steps before the tile buffer: packs into bytes, texels
 * that meet in one operation, conditional writes, orders in which FIFOs and r4 are used. Values stay small
 * and conditions exact, so that every machine draws the same picture. */
#include "generate.h"
#include "generator.h"

#include <stdio.h>
#include <string.h>

enum { TEXELS = 4, SAMPLERS = 3 };

struct small {
    struct gen *g;
    unsigned texels; /* c0 .. */
    bool derivatives;
};

static const char masks[][5] = {"r",  "g",  "b",   "a",   "rg",  "rgb", "rgb",
                                "ra", "gb", "rga", "bgr", "gba", "rgba"};

static const char *const constants[] = {"0.0", "1.0", "0.5", "0.25", "0.3", "0.7", "2.0", "-1.0", "0.1"};

/* `count` components of a vector of `from`, in any order. */
static const char *components(struct small *s, unsigned from, unsigned count) {
    const char *set = one_in(s->g, 2) ? "rgba" : "xyzw";
    char text[5] = "";
    bool straight = one_in(s->g, 2);
    for (unsigned i = 0; i < count; i++)
        text[i] = set[straight && i < from ? i : pick(s->g, from)];
    return pool_text(s->g->pool, "%s", text);
}

/* A condition that every machine decides alike. */
static const char *condition(struct small *s) {
    static const char *const some[] = {"gl_FragCoord.x < 7.0",
                                       "gl_FragCoord.y > 9.0",
                                       "u_f > 0.4",
                                       "u_b",
                                       "u_n == 2",
                                       "gl_FragCoord.x < 9.0 && gl_FragCoord.y < 12.0",
                                       "gl_FragCoord.x + gl_FragCoord.y > 18.0 || u_b"};
    return some[pick(s->g, sizeof some / sizeof *some)];
}

static const char *coordinate(struct small *s, unsigned texels_known) {
    switch (pick(s->g, 11)) {
    case 9: return pool_text(s->g->pool, "(%s ? v_uv : v_st)", condition(s));
    case 10: return pool_text(s->g->pool, "(%s ? vec2(0.5, 0.25) : v_color.zx)", condition(s));
    case 0:
    case 1: return "v_uv";
    case 2: return "v_st";
    case 3: return "v_uv.yx";
    case 4: return "v_color.xy";
    case 5: return "v_uv + u_v.xy";
    case 6: return "v_st * u_f";
    case 7: return "vec2(v_uv.x, v_st.x)";
    default:
        return texels_known ? pool_text(s->g->pool, "v_uv + c%u.%s * 0.03", pick(s->g, texels_known),
                                        components(s, 4, 2))
                            : "v_st.yx";
    }
}

/* Something to read, as a vector of `n`. */
static struct node *source(struct small *s, unsigned n) {
    struct pool *pool = s->g->pool;
    const char *text;
    switch (pick(s->g, 13)) {
    case 12: /* looked up in memory, and chosen by the host */
        text = pool_text(pool,
                         one_in(s->g, 2) ? "u_a[int(gl_FragCoord.x * 0.3)].%s" : "(u_b ? u_a[u_n] : u_v).%s",
                         components(s, 4, n));
        break;
    case 0:
    case 1:
    case 2:
    case 3: text = pool_text(pool, "c%u.%s", pick(s->g, s->texels), components(s, 4, n)); break;
    case 4:
    case 5: text = pool_text(pool, "v_color.%s", components(s, 4, n)); break;
    case 6: text = pool_text(pool, "v_uv.%s", components(s, 2, n)); break;
    case 7: text = pool_text(pool, "u_v.%s", components(s, 4, n)); break;
    case 8: text = n > 1 ? pool_text(pool, "vec%u(u_f)", n) : "u_f"; break;
    case 9:
        text = pool_text(pool, "texture2D(u_t%u, %s).%s", pick(s->g, SAMPLERS), coordinate(s, s->texels),
                         components(s, 4, n));
        break;
    case 10:
        if (s->derivatives) {
            text = pool_text(pool, "(%s(%s.%s) * 4.0)", one_in(s->g, 2) ? "dFdx" : "dFdy",
                             one_in(s->g, 2) ? "v_uv" : "v_st", components(s, 2, n));
            break;
        } /* fall through */
    default:
        text = constants[pick(s->g, sizeof constants / sizeof *constants)];
        text = n > 1 ? pool_text(pool, "vec%u(%s)", n, text) : text;
    }
    return leaf(s->g, vector(FUZZY, n), text);
}

static struct node *small_expression(struct small *s, unsigned n, unsigned depth) {
    enum kind kind = vector(FUZZY, n);
    struct pool *pool = s->g->pool;
    if (!depth || one_in(s->g, 3))
        return source(s, n);
    struct node *a = small_expression(s, n, depth - 1);
    if (one_in(s->g, 6)) {
        static const char *const of_one[] = {"clamp(%0, 0.0, 1.0)", "abs(%0)", "(%0 + %0)", "(%0 * %0)"};
        return node_new(pool, kind, of_one[pick(s->g, sizeof of_one / sizeof *of_one)], 1, a);
    }
    struct node *b = small_expression(s, n, depth - 1);
    switch (pick(s->g, 9)) {
    case 0: return node_new(pool, kind, "mix(%0, %1, u_f)", 2, a, b);
    case 1:
        return node_new(pool, kind, "mix(%0, %1, clamp(%2, 0.0, 1.0))", 3, a, b,
                        small_expression(s, one_in(s->g, 2) ? 1 : n, 0));
    case 2: return node_new(pool, kind, "max(%0, %1)", 2, a, b);
    case 3: return node_new(pool, kind, "(%0 + %1) * 0.5", 2, a, b);
    case 4: return node_new(pool, kind, "(%0 - %1)", 2, a, b);
    case 5: return node_new(pool, kind, pool_text(pool, "(%s ? %%0 : %%1)", condition(s)), 2, a, b);
    default: return node_new(pool, kind, "(%0 * %1)", 2, a, b);
    }
}

/* Channels of a texel written apart from the others. */
static struct node *write(struct small *s) {
    static const char *const assigns[] = {"*=", "*=", "*=", "*=", "=", "=", "+=", "-="};
    const char *mask = masks[pick(s->g, sizeof masks / sizeof *masks)];
    unsigned n = (unsigned)strlen(mask);
    const char *assign = assigns[pick(s->g, sizeof assigns / sizeof *assigns)];
    bool alone = n > 1 && one_in(s->g, 4) && strcmp(assign, "=") != 0; /* vector *= scalar */
    return node_new(s->g->pool, STATEMENT,
                    pool_text(s->g->pool, "c%u.%s %s %%0;", pick(s->g, s->texels), mask, assign), 1,
                    small_expression(s, alone ? 1 : n, 2));
}

/* One for a loop: it goes towards something, so that no error grows. */
static struct node *repeated(struct small *s) {
    const char *mask = masks[pick(s->g, sizeof masks / sizeof *masks)];
    unsigned texel = pick(s->g, s->texels), n = (unsigned)strlen(mask);
    return node_new(
        s->g->pool, STATEMENT,
        pool_text(s->g->pool, "c%u.%s = mix(c%u.%s, clamp(%%0, 0.0, 1.0), 0.3);", texel, mask, texel, mask),
        1, small_expression(s, n, 1));
}

static struct node *line(struct small *s) {
    struct pool *pool = s->g->pool;
    switch (pick(s->g, 14)) {
    case 0: return node_new(pool, STATEMENT, pool_text(pool, "if (%s) {\n%%0\n}", condition(s)), 1, write(s));
    case 1:
        return node_new(pool, STATEMENT, pool_text(pool, "if (%s) {\n%%0\n} else {\n%%1\n}", condition(s)), 2,
                        write(s), write(s));
    case 2: {
        const char *name = new_name(s->g, "i");
        const char *bound = one_in(s->g, 2) ? "u_n" : "3";
        if (one_in(s->g, 2))
            return node_new(pool, STATEMENT,
                            pool_text(pool, "for (int %s = 0; %s < 4; %s++) {\nif (%s >= %s)\nbreak;\n%%0\n}",
                                      name, name, name, name, bound),
                            1, repeated(s));
        return node_new(pool, STATEMENT,
                        pool_text(pool, "for (int %s = 0; %s < 3; %s++) {\n%%0\n}", name, name, name), 1,
                        repeated(s));
    }
    case 3:
        return leaf(s->g, STATEMENT,
                    one_in(s->g, 2) ? pool_text(pool, "if (%s) discard;", condition(s))
                                    : pool_text(pool, "if (!(%s)) c0 = vec4(u_f);", condition(s)));
    default: return write(s);
    }
}

static struct node *result(struct small *s) {
    struct pool *pool = s->g->pool;
    switch (pick(s->g, 6)) {
    case 0:
        return node_new(pool, STATEMENT, "gl_FragColor = vec4(%0, %1, %2, %3);", 4, small_expression(s, 1, 2),
                        small_expression(s, 1, 2), small_expression(s, 1, 2), small_expression(s, 1, 1));
    case 1: return node_new(pool, STATEMENT, "gl_FragColor = %0;", 1, small_expression(s, 4, 2));
    case 2:
        return node_new(pool, STATEMENT, "gl_FragColor = vec4(%0, %1);", 2, small_expression(s, 3, 2),
                        small_expression(s, 1, 1));
    default:
        return leaf(s->g, STATEMENT,
                    pool_text(pool, "gl_FragColor = c%u%s;", pick(s->g, s->texels),
                              one_in(s->g, 4) ? pool_text(pool, ".%s", components(s, 4, 4)) : ""));
    }
}

static const char small_vertex[] =
    "attribute vec4 a_position;\nvarying vec2 v_uv;\nvarying vec2 v_st;\n"
    "varying vec4 v_color;\nvarying vec3 v_normal;\nvoid main() {\ngl_Position = a_position;\n"
    "v_uv = a_position.xy * 0.37 + 0.45;\nv_st = a_position.yx * 0.21 + 0.33;\n"
    "v_color = vec4(a_position.xy * 0.4 + 0.5, 0.6, 0.8 - a_position.x * 0.2);\n"
    "v_normal = vec3(a_position.xy * 0.5, 0.8);\n}";

bool program_generate_small(struct program *program, uint64_t seed) {
    static const char *const precisions[] = {"mediump", "mediump", "highp", "lowp"};
    struct gen g = {.seed = (seed + 7) * 0x9e3779b97f4a7c15u};
    struct small s = {.g = &g};
    memset(program, 0, sizeof *program);
    program->pool = g.pool = pool_new();
    if (!g.pool)
        return false;
    for (int i = 0; i < 4; i++)
        pick(&g, 2);
    const char *precision = precisions[pick(&g, 4)];
    program->mediump = strcmp(precision, "highp") != 0;
    program->swapped = one_in(&g, 3);
    s.derivatives = one_in(&g, 6);
    const size_t size = sizeof program->uniforms[0];
    snprintf(program->uniforms[0], size, "u_f=%.2f", 0.2 + pick(&g, 70) / 100.0);
    snprintf(program->uniforms[1], size, "u_v=%.2f,%.2f,%.2f,%.2f", pick(&g, 100) / 100.0,
             pick(&g, 100) / 100.0, pick(&g, 100) / 100.0, pick(&g, 100) / 100.0);
    snprintf(program->uniforms[2], size, "u_b=%u", pick(&g, 2));
    snprintf(program->uniforms[3], size, "u_n=%u", pick(&g, 5));
    program->uniform_count = 5;
    strcpy(program->uniforms[4],
           "u_a=0.1,0.2,0.3,0.4,0.9,0.8,0.7,0.6,0.5,0.0,1.0,0.3,0.2,0.6,0.1,0.9,0.7,0.4,0.8,0.5");
    program->vertex = node_new(g.pool, LIST, NULL, 0);
    node_add(g.pool, program->vertex, leaf(&g, STATEMENT, small_vertex));

    struct node *root = program->fragment = node_new(g.pool, LIST, NULL, 0),
                *body = node_new(g.pool, LIST, NULL, 0);
    node_add(
        g.pool, root,
        leaf(&g, STATEMENT,
             pool_text(g.pool,
                       "%sprecision %s float;\nuniform sampler2D u_t0;\nuniform sampler2D u_t1;\n"
                       "uniform sampler2D u_t2;\nuniform float u_f;\nuniform vec4 u_v;\n"
                       "uniform bool u_b;\nuniform int u_n;\nuniform vec4 u_a[5];\nvarying vec2 "
                       "v_uv;\nvarying vec2 v_st;\n"
                       "varying vec4 v_color;",
                       s.derivatives ? "#extension GL_OES_standard_derivatives : enable\n" : "", precision)));
    unsigned texels = 1 + pick(&g, TEXELS);
    for (; s.texels < texels; s.texels++) {
        const char *where = coordinate(&s, s.texels);
        const char *text =
            one_in(&g, 8) ? "v_color" : pool_text(g.pool, "texture2D(u_t%u, %s)", pick(&g, SAMPLERS), where);
        if (one_in(&g, 3)) {
            struct node *factor =
                s.texels ? source(&s, 4) : leaf(&g, vector(FUZZY, 4), one_in(&g, 2) ? "v_color" : "u_v");
            node_add(g.pool, body,
                     node_new(g.pool, STATEMENT, pool_text(g.pool, "vec4 c%u = %s * %%0;", s.texels, text), 1,
                              factor));
        } else {
            node_add(g.pool, body, leaf(&g, STATEMENT, pool_text(g.pool, "vec4 c%u = %s;", s.texels, text)));
        }
    }
    for (unsigned lines = 1 + pick(&g, 6); lines; lines--)
        node_add(g.pool, body, line(&s));
    node_add(g.pool, body, result(&s));
    node_add(g.pool, root, node_new(g.pool, STATEMENT, "void main() {\n%0}", 1, body));
    return true;
}

bool program_around(struct program *program, const char *fragment) {
    static const char *const uniforms[] = {"u_grid=24,20", "u_f=0.4", "u_v=0.3,0.6,0.8,0.2",
                                           "u_n=3",        "u_b=1",   "u_k=0.9,0.7,0.4,0.2,0.1"};
    memset(program, 0, sizeof *program);
    struct pool *pool = program->pool = pool_new();
    if (!pool)
        return false;
    for (size_t i = 0; i < sizeof uniforms / sizeof *uniforms; i++)
        snprintf(program->uniforms[program->uniform_count++], sizeof program->uniforms[0], "%s", uniforms[i]);
    program->mediump = strstr(fragment, "mediump") != NULL;
    program->vertex = node_new(pool, LIST, NULL, 0);
    program->fragment = node_new(pool, LIST, NULL, 0);
    node_add(pool, program->vertex, node_new(pool, STATEMENT, small_vertex, 0));
    node_add(pool, program->fragment, node_new(pool, STATEMENT, pool_text(pool, "%s", fragment), 0));
    return true;
}
