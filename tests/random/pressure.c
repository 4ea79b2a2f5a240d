/* Programs that need many registers: texels that wait for all others, partial sums, state that loops carry,
 * values alive over divergent branches, many truth values.
 *
 * Each is a fragment shader of one kind, whose numbers come from the seed. Values stay between 0 and 1 and
 * conditions are exact, so that every machine draws the same picture. Loops have too many iterations to be
 * unrolled and end by a condition, of the same value in all lanes or not. What loops carry may be more than
 * the hardware has registers, which the refusal has to prove; whatever else there is to keep can be computed
 * again. */
#include "pressure.h"

#include <stdio.h>
#include <string.h>

enum { MOST_CARRIED = 66 };

unsigned between(struct pressure *p, unsigned least, unsigned most) {
    return least + pick(p->g, most - least + 1);
}

struct node *list(struct pressure *p) {
    return node_new(p->g->pool, LIST, NULL, 0);
}

const char *condition(struct pressure *p, bool divergent) {
    unsigned k = between(p, 2, 13);
    if (!divergent)
        return one_in(p->g, 2) ? "u_b" : pool_text(p->g->pool, "u_n > %u", k % 5);
    switch (pick(p->g, 3)) {
    case 0: return pool_text(p->g->pool, "gl_FragCoord.x < %u.0", k);
    case 1: return pool_text(p->g->pool, "gl_FragCoord.x + gl_FragCoord.y > %u.0", 2 * k);
    default: return pool_text(p->g->pool, "gl_FragCoord.y > %u.0", k);
    }
}

struct node *loop(struct pressure *p, bool divergent, struct node *body) {
    const char *name = new_name(p->g, "i");
    const char *until =
        divergent ? pool_text(p->g->pool, "float(%s) * 4.0 > gl_FragCoord.%c", name, "xy"[pick(p->g, 2)])
                  : pool_text(p->g->pool, "%s > u_n", name);
    bool first = one_in(p->g, 2);
    const char *text =
        pool_text(p->g->pool, "for (int %s = 0; %s < %u000; %s++) {\n%s\nif (%s) break;\n%s}", name, name,
                  between(p, 1, 4), name, first ? "" : "%0", until, first ? "%0" : "");
    return node_new(p->g->pool, STATEMENT, text, 1, body);
}

struct node *branch(struct pressure *p, bool divergent, struct node *yes, struct node *no) {
    return node_new(p->g->pool, STATEMENT,
                    pool_text(p->g->pool, "if (%s) {\n%%0\n} else {\n%%1\n}", condition(p, divergent)), 2,
                    yes, no);
}

static const char *texel(struct pressure *p, unsigned i, unsigned columns) {
    return pool_text(p->g->pool, "texture2D(u_t%u, v_uv + vec2(%u.0, %u.0) * s)", i % 7 == 3 ? 1u : 0u,
                     i % columns, i / columns);
}

void declare_values(struct pressure *p, unsigned count, unsigned kind) {
    unsigned columns = between(p, 5, 17), channel = pick(p->g, 5);
    for (unsigned i = 0; i < count; i++)
        switch (kind) {
        case 0:
            SAY(p, p->body, "float x%u = %s.%c;", i, texel(p, i, columns),
                "rgba"[channel < 3 ? channel : i % 3]);
            break;
        case 1:
            if (i % 4 == 0)
                SAY(p, p->body, "float y%u = dot(%s.rgb, vec3(0.3, 0.5, 0.2));", i / 4, texel(p, i, columns));
            SAY(p, p->body, "float x%u = fract(y%u * %u.0 + v_color.%c);", i, i / 4, i % 4 + 1,
                "xyzw"[i % 4]);
            SAY(p, p->body, "x%u = x%u * (1.0 - x%u);", i, i, i);
            break;
        case 2:
            SAY(p, p->body, "float x%u = 0.5 + 0.4 * sin(v_uv.x * %u.0 + v_st.%c * %u.0);", i, i % 9 + 1,
                "xy"[i % 2], i / 9);
            break;
        default:
            if (i % 3 == 0)
                SAY(p, p->body, "vec3 z%u = %s.rgb;", i / 3, texel(p, i / 3, columns));
            SAY(p, p->body, "float x%u = z%u.%c * u_f;", i, i / 3, "rgb"[i % 3]);
        }
}

void read_all(struct pressure *p, struct node *to, const char *into, unsigned count) {
    static const unsigned primes[] = {1, 7, 13, 31, 53};
    unsigned step = primes[pick(p->g, 5)], backwards = pick(p->g, 2), how = pick(p->g, 3);
    while (count % step == 0 && step > 1)
        step = 1;
    for (unsigned i = 0; i < count; i++) {
        unsigned at = (backwards ? count - 1 - i : i) * step % count, next = (at * 3 + 1) % count;
        if (how == 0)
            SAY(p, to, "%s = mix(%s, x%u, 0.1);", into, into, at);
        else if (how == 1)
            SAY(p, to, "%s = %s * 0.9 + x%u * x%u * 0.1;", into, into, at, next);
        else
            SAY(p, to, "%s = max(%s * 0.95, x%u * 0.%u);", into, into, at, i % 6 + 4);
    }
}

struct node *small_loop(struct pressure *p, bool divergent) {
    struct node *body = list(p);
    SAY(p, body, "r = mix(r, q, 0.2);");
    SAY(p, body, "q = q * 0.8 + 0.1;");
    return loop(p, divergent, body);
}

static void over_a_branch(struct pressure *p) {
    bool divergent = !one_in(p->g, 3);
    unsigned count = between(p, 30, 110);
    declare_values(p, count, pick(p->g, 4));
    if (one_in(p->g, 2))
        read_all(p, p->body, "q", count);
    struct node *yes = list(p), *no = list(p);
    read_all(p, yes, "r", count);
    node_add(p->g->pool, yes, small_loop(p, one_in(p->g, 2)));
    if (one_in(p->g, 2))
        read_all(p, no, "r", count);
    node_add(p->g->pool, no, small_loop(p, one_in(p->g, 2)));
    node_add(p->g->pool, p->body, branch(p, divergent, yes, no));
    if (one_in(p->g, 2))
        read_all(p, p->body, "q", count);
}

static void read_twice(struct pressure *p) {
    unsigned count = between(p, 50, 120);
    declare_values(p, count, pick(p->g, 4));
    if (one_in(p->g, 2))
        read_all(p, p->body, "r", count);
    read_all(p, p->body, "q", count);
}

/* a0 .. : loops change all of them in each iteration. */
static struct node *step_state(struct pressure *p, unsigned count) {
    struct node *body = list(p);
    unsigned how = pick(p->g, 3);
    for (unsigned i = 0; i < count; i++) {
        unsigned next = (i + 1) % count;
        if (how == 0)
            SAY(p, body, "a%u = a%u * 0.75 + a%u * 0.25;", i, i, next);
        else if (how == 1)
            SAY(p, body, "a%u = mix(a%u, u_v.%c, 0.%u);", i, i, "xyzw"[i % 4], i % 8 + 1);
        else
            SAY(p, body, "a%u = fract(a%u + %u.0 * 0.125);", i, i, i % 7 + 1);
    }
    return body;
}

static void carried(struct pressure *p) {
    unsigned count = between(p, 16, MOST_CARRIED), apart = one_in(p->g, 2) ? between(p, 10, 60) : 0;
    declare_values(p, apart, pick(p->g, 4));
    for (unsigned i = 0; i < count; i++)
        SAY(p, p->body, "float a%u = floor(gl_FragCoord.%c) * %u.0 / 1024.0;", i, "xy"[i % 2], i % 50 + 1);
    struct node *body = step_state(p, count);
    if (one_in(p->g, 3))
        SAY(p, body, "if (%s) { a0 = a1 * 0.5; a2 = 0.25; }", condition(p, true));
    if (one_in(p->g, 3)) {
        struct node *inner = list(p);
        SAY(p, inner, "a1 = a1 * 0.5 + 0.125;");
        node_add(p->g->pool, body, loop(p, one_in(p->g, 2), inner));
    }
    node_add(p->g->pool, p->body, loop(p, !one_in(p->g, 3), body));
    for (unsigned i = 0; i < count; i++)
        SAY(p, p->body, "%c = mix(%c, a%u, 0.1);", "rq"[i % 2], "rq"[i % 2], i);
    if (apart)
        read_all(p, p->body, "q", apart);
}

static void truths(struct pressure *p) {
    unsigned count = between(p, 30, 100), apart = one_in(p->g, 2) ? between(p, 10, 40) : 0;
    bool texels = one_in(p->g, 2);
    declare_values(p, apart, pick(p->g, 4));
    SAY(p, p->body, "float fx = floor(gl_FragCoord.x), fy = floor(gl_FragCoord.y), fn = 0.0;");
    if (texels) /* the conditions depend on what a loop found */
        node_add(p->g->pool, p->body, loop(p, true, leaf(p->g, STATEMENT, "fn += 1.0;")));
    for (unsigned i = 0; i < count; i++)
        SAY(p, p->body, "bool b%u = fx * %u.0 + fy * %u.0 + fn > %u.0;", i, i % 5, i / 5 % 4, 3 * i % 40);
    if (one_in(p->g, 2))
        SAY(p, p->body, "b0 = b%u != b1;", count - 1);
    struct node *yes = list(p), *no = list(p);
    for (unsigned i = 0; i < count; i++) {
        SAY(p, yes, "if (b%u) r = mix(r, 0.%u, 0.1);", i, i % 9 + 1);
        SAY(p, no, "if (b%u && !b%u) q = q * 0.9 + 0.1;", count - 1 - i, i * 7 % count);
    }
    if (apart)
        read_all(p, no, "q", apart);
    node_add(p->g->pool, yes, small_loop(p, one_in(p->g, 2)));
    node_add(p->g->pool, p->body, branch(p, true, yes, no));
    for (unsigned i = 0; i < count; i += 3)
        SAY(p, p->body, "r = b%u ? r * 0.9 : r * 0.95 + 0.05;", i);
}

static void ray_marcher(struct pressure *p) {
    /* With 10 to 14 lights these loops carry 61 values and more beside much work. */
    unsigned apart = between(p, 0, 30), lights = between(p, 2, 14);
    declare_values(p, apart, pick(p->g, 4));
    SAY(p, p->body, "vec3 o = vec3(floor(gl_FragCoord.xy) / 16.0, 0.0), d = vec3(0.0625, 0.03125, 0.125);");
    SAY(p, p->body, "vec3 c = vec3(0.0), h = vec3(0.5), k = v_color.rgb;");
    for (unsigned i = 0; i < lights; i++)
        SAY(p, p->body, "vec3 l%u = vec3(0.%u, 0.%u, u_f), m%u = vec3(0.0);", i, i % 9, (i + 4) % 9, i);
    struct node *body = list(p), *yes = list(p), *no = list(p);
    SAY(p, body, "o += d;");
    for (unsigned i = 0; i < lights; i++) {
        SAY(p, yes, "m%u = mix(m%u, abs(o - l%u) * k, 0.25);", i, i, i);
        SAY(p, i % 2 ? yes : no, "l%u = l%u * 0.75 + h * 0.125;", i, i);
    }
    SAY(p, no, "h = h * 0.5 + c * 0.25; d.xy = d.yx;");
    SAY(p, no, "c = mix(c, texture2D(u_t0, h.xy).rgb, 0.2);");
    if (one_in(p->g, 2))
        node_add(p->g->pool, no, small_loop(p, one_in(p->g, 2)));
    SAY(p, yes, "c = c * 0.9 + 0.05;");
    node_add(p->g->pool, body, branch(p, true, yes, no));
    node_add(p->g->pool, p->body, loop(p, true, body));
    SAY(p, p->body, "r = dot(c, h) * 0.3; q = fract(o.x) * 0.5;");
    for (unsigned i = 0; i < lights; i++)
        SAY(p, p->body, "r = mix(r, m%u.%c + l%u.%c * 0.1, 0.3); q = mix(q, m%u.z, 0.3);", i, "xy"[i % 2], i,
            "yz"[i % 2], i);
    if (apart)
        read_all(p, p->body, "q", apart);
}

/* Weights, weighted texels, and the range of what they came from. */
static void filter(struct pressure *p) {
    unsigned side = between(p, 4, 9), count = side * side;
    bool jinc = one_in(p->g, 2);
    SAY(p, p->body, "vec2 f = fract(v_uv * 8.0); vec3 sum = vec3(0.0), low = vec3(1.0), high = vec3(0.0);");
    SAY(p, p->body, "float all = 0.01;");
    for (unsigned i = 0; i < count; i++) {
        SAY(p, p->body, "vec3 t%u = %s.rgb;", i, texel(p, i, side));
        if (jinc)
            SAY(p, p->body, "float w%u = 0.5 + 0.5 * cos(length(f - vec2(%u.0, %u.0)) * 0.4);", i, i % side,
                i / side);
        else
            SAY(p, p->body, "float w%u = 0.5 + 0.5 * sin(f.x * %u.0 + f.y * %u.0);", i, i % side, i / side);
    }
    for (unsigned i = 0; i < count; i++)
        SAY(p, p->body, "low = min(low, t%u); high = max(high, t%u);", i, i);
    SAY(p, p->body, "vec3 span = high - low + 0.1;");
    for (unsigned i = 0; i < count; i++)
        SAY(p, p->body, "sum += (t%u - low) * span * w%u; all += w%u;", count - 1 - i, count - 1 - i, i);
    SAY(p, p->body, "sum = sum / all; r = sum.r; q = sum.g + sum.b * 0.1;");
}

/* Neighbours compared with each other by rounded luma, and mixed by what that shows. */
static void scaler(struct pressure *p) {
    unsigned side = between(p, 4, 8), count = side * side;
    bool branches = one_in(p->g, 2);
    SAY(p, p->body, "vec3 c = vec3(0.5), e = vec3(0.0); float px = floor(gl_FragCoord.x);");
    for (unsigned i = 0; i < count; i++) {
        SAY(p, p->body, "vec3 t%u = %s.rgb;", i, texel(p, i, side));
        SAY(p, p->body, "float n%u = abs(px - %u.0) + %u.0;", i, i % side * 2, i / side);
    }
    for (unsigned i = 0; i + side + 1 < count; i++)
        SAY(p, p->body, "bool d%u = n%u + n%u < n%u + %u.0;", i, i, i + side + 1, i + 1, between(p, 0, 6));
    for (unsigned i = 0; i + side + 1 < count; i++) {
        unsigned o = (i * 5 + 2) % (count - side - 1);
        if (branches && i % 9 == 0) {
            struct node *yes = list(p), *no = list(p);
            SAY(p, yes, "c = mix(c, t%u, 0.2);", o);
            node_add(p->g->pool, yes, small_loop(p, false));
            SAY(p, no, "e = mix(e, t%u, 0.3);", i);
            node_add(p->g->pool, p->body, branch(p, true, yes, no));
        }
        SAY(p, p->body, "if (d%u && !d%u) c = mix(c, t%u, 0.25); else e = mix(e, t%u, 0.1);", i, o, i + side,
            i);
    }
    SAY(p, p->body, "r = mix(r, c.r + c.b * 0.2, 0.5); q = mix(q, c.g + e.g + e.b * 0.2, 0.5);");
}

bool pressure_program(struct program *program, uint64_t seed, void (*const *kinds)(struct pressure *),
                      size_t count) {
    static const char top[] =
        "precision %s float;\nuniform sampler2D u_t0;\nuniform sampler2D u_t1;\nuniform float u_f;\n"
        "uniform vec4 u_v;\nuniform bool u_b;\nuniform int u_n;\nvarying vec2 v_uv;\nvarying vec2 v_st;\n"
        "varying vec4 v_color;";
    struct gen g = {.seed = (seed + 11) * 0x9e3779b97f4a7c15u};
    struct pressure p = {.g = &g, .program = program};
    if (!program_around(program, ""))
        return false;
    g.pool = program->pool;
    p.body = list(&p);
    for (int i = 0; i < 4; i++)
        pick(&g, 2);
    program->mediump = one_in(&g, 3);
    struct node *root = program->fragment = p.top = list(&p);
    SAY(&p, root, top, program->mediump ? "mediump" : "highp");
    SAY(&p, p.body, "float r = 0.25, q = u_f; vec2 s = vec2(0.03125, 0.0625);");
    kinds[seed % count](&p);
    SAY(&p, p.body, "gl_FragColor = vec4(r, q, r * q, 1.0);");
    node_add(g.pool, root, node_new(g.pool, STATEMENT, "void main() {\n%0}", 1, p.body));
    return true;
}

bool program_generate_pressure(struct program *program, uint64_t seed) {
    static void (*const kinds[])(struct pressure *) = {over_a_branch, carried,     truths, read_twice,
                                                       over_a_branch, ray_marcher, filter, scaler};
    return pressure_program(program, seed, kinds, sizeof kinds / sizeof *kinds);
}
