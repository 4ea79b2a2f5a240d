/* Programs that need many registers in other ways than pressure.c's: vectors and matrices that loops carry,
 * state of nested loops, functions that are left early over many values, varyings alive over a discard,
 * functions called several times with arrays of structures.
 *
 * As there, values stay between 0 and 1 and conditions are exact. */
#include "pressure.h"

#include <stdio.h>

/* A coordinate of the pixel as something between 0 and 1, different for each i, the same on every machine. */
static const char *start(struct pressure *p, unsigned i) {
    return pool_text(p->g->pool, "floor(gl_FragCoord.%c) * %u.0 / 1024.0", "xy"[i % 2], i % 50 + 1);
}

static unsigned values_apart(struct pressure *p, unsigned most) {
    unsigned apart = one_in(p->g, 2) ? between(p, 5, most) : 0;
    declare_values(p, apart, pick(p->g, 4));
    return apart;
}

static void loop_vectors(struct pressure *p) {
    unsigned size = between(p, 2, 4), count = between(p, 3, 64 / size), apart = values_apart(p, 40);
    const char *turned = size == 2 ? "yx" : size == 3 ? "zxy" : "wxyz";
    for (unsigned i = 0; i < count; i++)
        SAY(p, p->body, "vec%u a%u = vec%u(%s, %s%s);", size, i, size, start(p, i), start(p, 3 * i + 1),
            size == 2   ? ""
            : size == 3 ? ", 0.25"
                        : ", u_f, 0.75");
    struct node *body = list(p), *yes = list(p), *no = list(p);
    for (unsigned i = 0; i < count; i++) {
        unsigned next = (i + 1) % count;
        switch (pick(p->g, 4)) {
        case 0: SAY(p, body, "a%u = a%u * 0.75 + a%u.%s * 0.25;", i, i, next, turned); break;
        case 1: SAY(p, body, "a%u = mix(a%u, a%u, u_v.%c);", i, i, next, "xyzw"[i % 4]); break;
        case 2: SAY(p, yes, "a%u = a%u * a%u + 0.125;", i, i, next); break;
        default:
            SAY(p, i % 2 ? yes : no, "a%u = vec%u(dot(a%u, a%u) * 0.25) + a%u * 0.5;", i, size, i, next, i);
        }
        SAY(p, body, "a%u = clamp(a%u, 0.0, 1.0);", i, i);
    }
    if (one_in(p->g, 3))
        node_add(p->g->pool, no, small_loop(p, one_in(p->g, 2)));
    node_add(p->g->pool, body, branch(p, !one_in(p->g, 3), yes, no));
    node_add(p->g->pool, p->body, loop(p, !one_in(p->g, 3), body));
    for (unsigned i = 0; i < count; i++)
        SAY(p, p->body, "r = mix(r, a%u.x, 0.2); q = mix(q, dot(a%u, vec%u(0.25)), 0.2);", i, i, size);
    read_all(p, p->body, "q", apart);
}

/* Entries of products are sums of as many products of entries, so they are scaled. */
static void loop_matrices(struct pressure *p) {
    unsigned size = between(p, 2, 4), count = between(p, 1, 60 / (size * size)), apart = values_apart(p, 30);
    for (unsigned i = 0; i < count; i++) {
        SAY(p, p->body, "mat%u m%u = mat%u(%s);", size, i, size, start(p, i));
        SAY(p, p->body, "m%u[0] += vec%u(u_f * 0.25); m%u[1].x += %s;", i, size, i, start(p, i + 7));
    }
    SAY(p, p->body, "vec%u v = vec%u(%s);", size, size, start(p, 5));
    struct node *body = list(p);
    for (unsigned i = 0; i < count; i++) {
        unsigned next = (i + 1) % count;
        switch (pick(p->g, 4)) {
        case 0: SAY(p, body, "m%u = m%u * m%u * 0.25;", i, i, next); break;
        case 1: SAY(p, body, "v = m%u * v * 0.25 + v * 0.125;", i); break;
        case 2: SAY(p, body, "v = v * m%u * 0.25 + 0.125;", i); break;
        default: SAY(p, body, "m%u = matrixCompMult(m%u, m%u) * 0.5 + m%u * 0.25;", i, i, next, i);
        }
        SAY(p, body, "m%u[%u] = m%u[%u] * 0.5 + v * 0.25;", i, i % size, i, (i + 1) % size);
    }
    if (one_in(p->g, 2))
        SAY(p, body, "if (%s) { m0[0] = v; v = v.%s; }", condition(p, true), &"wzyx"[4 - size]);
    node_add(p->g->pool, p->body, loop(p, !one_in(p->g, 3), body));
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < size; k++)
            SAY(p, p->body, "%c = mix(%c, dot(m%u[%u], v) * 0.25, 0.1);", "rq"[k % 2], "rq"[k % 2], i, k);
    read_all(p, p->body, "q", apart);
}

/* Each of two or three loops inside each other has its own state and changes some of what is around it. */
static void nested_loops(struct pressure *p) {
    unsigned depth = between(p, 2, 3), count = between(p, 4, 58 / depth), apart = values_apart(p, 30);
    for (unsigned i = 0; i < count; i++)
        SAY(p, p->body, "float a%u = %s;", i, start(p, i));
    struct node *inner = NULL;
    for (unsigned d = depth; d-- > 0;) {
        struct node *body = list(p);
        char own = "abc"[d];
        for (unsigned i = 0; d + 1 < depth && i < count; i++)
            SAY(p, body, "float %c%u = %c%u * 0.5 + 0.%u;", own + 1, i, own, (i + 1) % count, i % 5);
        if (inner)
            node_add(p->g->pool, body, inner);
        for (unsigned i = 0; i < count; i++)
            SAY(p, body, "%c%u = %c%u * 0.5 + %c%u * 0.25 + %c%u * 0.125;", own, i, own, i, own,
                (i + 3) % count, inner ? own + 1 : 'a', (i * 5 + 1) % count);
        if (one_in(p->g, 3))
            SAY(p, body, "if (%s) { %c0 = a1 * 0.5; }", condition(p, true), own);
        inner = loop(p, !one_in(p->g, 3), body);
    }
    node_add(p->g->pool, p->body, inner);
    for (unsigned i = 0; i < count; i++)
        SAY(p, p->body, "%c = mix(%c, a%u, 0.1);", "rq"[i % 2], "rq"[i % 2], i);
    read_all(p, p->body, "q", apart);
}

/* A function that may be left after each of some steps, over all values that its later steps read. */
static void early_returns(struct pressure *p) {
    unsigned count = between(p, 12, 70), calls = between(p, 1, 3), steps = between(p, 2, 6);
    bool loops = one_in(p->g, 2);
    struct pressure inner = *p;
    inner.body = list(p);
    SAY(p, inner.body, "vec2 s = vec2(0.03125, 0.0625); float r = first, q = 0.5;");
    declare_values(&inner, count, pick(p->g, 4));
    for (unsigned i = 0; i < steps; i++) {
        for (unsigned k = i; k < count; k += steps)
            SAY(p, inner.body, "r = r * 0.75 + x%u * 0.25;", (k * 7 + i) % count);
        if (loops && i % 2)
            node_add(p->g->pool, inner.body, small_loop(p, one_in(p->g, 2)));
        SAY(p, inner.body, "if (%s) return r * 0.5 + x%u * 0.5;", condition(p, !one_in(p->g, 4)),
            (i * 3 + 1) % count);
    }
    read_all(&inner, inner.body, "q", count);
    SAY(p, inner.body, "return q;");
    node_add(p->g->pool, p->top,
             node_new(p->g->pool, STATEMENT, "float left(float first) {\n%0}", 1, inner.body));
    for (unsigned i = 0; i < calls; i++)
        SAY(p, p->body, "%c = left(%c * 0.%u);", "rq"[i % 2], "qr"[i % 2], 9 - 2 * i);
}

static void varyings_and_discard(struct pressure *p) {
    unsigned count = between(p, 2, 5), apart = values_apart(p, 40), carried = between(p, 0, 25);
    char *vertex = pool_text(p->g->pool, "%s", "");
    for (unsigned i = 0; i < count; i++) {
        SAY(p, p->top, "varying vec4 w%u;", i);
        vertex = pool_text(p->g->pool, "%sw%u = vec4(a_position.xy * 0.%u + 0.5, 0.%u, 0.75);\n", vertex, i,
                           i + 1, i + 2);
    }
    struct node *root = p->program->vertex = list(p);
    SAY(p, root, "attribute vec4 a_position;\nvarying vec2 v_uv;\nvarying vec2 v_st;\nvarying vec4 v_color;");
    for (unsigned i = 0; i < count; i++)
        SAY(p, root, "varying vec4 w%u;", i);
    SAY(p, root,
        "void main() {\ngl_Position = a_position;\nv_uv = a_position.xy * 0.37 + 0.45;\n"
        "v_st = a_position.yx * 0.21 + 0.33;\nv_color = vec4(a_position.xy * 0.4 + 0.5, 0.6, 0.7);\n%s}",
        vertex);
    for (unsigned i = 0; i < carried; i++)
        SAY(p, p->body, "float a%u = %s;", i, start(p, i));
    struct node *body = list(p), *yes = list(p), *no = list(p);
    for (unsigned i = 0; i < carried; i++)
        SAY(p, body, "a%u = a%u * 0.5 + w%u.%c * 0.25;", i, (i + 1) % carried, i % count, "xyzw"[i % 4]);
    SAY(p, body, "r = r * 0.5 + w0.y * 0.25;");
    node_add(p->g->pool, p->body, loop(p, !one_in(p->g, 3), body));
    SAY(p, yes, "if (%s) discard;", condition(p, true));
    node_add(p->g->pool, yes, small_loop(p, one_in(p->g, 2)));
    SAY(p, no, "if (%s) discard;", condition(p, true));
    for (unsigned i = 0; i < count; i++)
        SAY(p, no, "q = mix(q, dot(w%u, u_v) * 0.5, 0.25);", i);
    node_add(p->g->pool, p->body, branch(p, true, yes, no));
    for (unsigned i = 0; i < count; i++)
        SAY(p, p->body, "r = mix(r, w%u.x * w%u.z, 0.2); q = mix(q, w%u.y + w%u.w * 0.25, 0.2);", i,
            (i + 1) % count, i, (i + 1) % count);
    for (unsigned i = 0; i < carried; i++)
        SAY(p, p->body, "q = mix(q, a%u, 0.1);", i);
    read_all(p, p->body, "r", apart);
}

static void arrays_of_structures(struct pressure *p) {
    unsigned count = between(p, 2, 9), calls = between(p, 2, 4), apart = values_apart(p, 30);
    bool stays = one_in(p->g, 2);
    SAY(p, p->top, "struct S { float a; vec2 b; vec3 c; };");
    SAY(p, p->top,
        "float weigh(S t[%u], float x) {\nfor (int i = 0; i < %u; i++)\n"
        "x = x * 0.5 + dot(t[i].c, vec3(0.1)) + t[i].b.x * t[i].a * 0.125;\nreturn x;\n}",
        count, count);
    SAY(p, p->top,
        "void turn(inout S t[%u], float x) {\nS old = t[0];\nfor (int i = 0; i < %u; i++) {\n"
        "t[i].a = t[i + 1].a * 0.5 + x * 0.25; t[i].b = t[i + 1].b.yx; t[i].c = mix(t[i].c, t[i + 1].c.zxy, "
        "x);\n}\n"
        "t[%u] = old;\n}",
        count, count - 1, count - 1);
    SAY(p, p->body, "S t[%u];", count);
    for (unsigned i = 0; i < count; i++)
        SAY(p, p->body, "t[%u] = S(%s, vec2(%s, u_f), vec3(%s, 0.5, u_v.x));", i, start(p, i),
            start(p, i + 3), start(p, 2 * i + 1));
    for (unsigned i = 0; i < calls; i++) {
        struct node *body = list(p);
        SAY(p, body, "turn(t, clamp(%c, 0.0, 1.0)); %c = weigh(t, %c * 0.5) * 0.5;", "rq"[i % 2], "qr"[i % 2],
            "qr"[i % 2]);
        if (stays && i == 0)
            node_add(p->g->pool, p->body, loop(p, !one_in(p->g, 3), body));
        else
            node_add(p->g->pool, p->body,
                     one_in(p->g, 2) ? branch(p, true, body, small_loop(p, true)) : body);
    }
    SAY(p, p->body, "r = clamp(r * 0.5 + weigh(t, q) * 0.25, 0.0, 1.0); q = clamp(q, 0.0, 1.0);");
    read_all(p, p->body, "q", apart);
}

bool program_generate_state(struct program *program, uint64_t seed) {
    static void (*const kinds[])(struct pressure *) = {
        loop_vectors, loop_matrices, nested_loops, early_returns, varyings_and_discard, arrays_of_structures};
    return pressure_program(program, seed, kinds, sizeof kinds / sizeof *kinds);
}
