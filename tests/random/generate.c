/* The generator: which programs there are.
 *
 * Nothing undefined happens in them: everything is initialised, indices are in range, loops are bounded, no
 * two effects stand in one expression. And nothing unstable: conditions, indices and roundings see only exact
 * values (enum kind), fuzzy ones stay between -1 and 1 through operations that do not magnify errors much. */
#include "generate.h"
#include "generator.h"

#include <stdio.h>
#include <string.h>

/* A vec4 in -1..1 that depends on the variable; NULL if there is no way. */
static struct node *shown(struct gen *g, const struct variable *v) {
    if (v->kind == STRUCT)
        return NULL; /* its members are variables too */
    const char *name = v->length ? pool_text(g->pool, "%s[at(%s, %u)]", v->name,
                                             g->fragment ? "pixel.x" : "corner", v->length)
                                 : v->name;
    unsigned n = size_of(v->kind);
    static const char *const wide[] = {"%s * vec4(1.0, -1.0, 0.5, 1.0)", "%s.xyxy", "%s.xyzx", "%s"};
    const char *value = v->kind >= MATRIX
                            ? n == 2   ? pool_text(g->pool, "vec4(%s[0], %s[1])", name, name)
                              : n == 3 ? pool_text(g->pool, "vec4(%s[%u], %s[2].x)", name, pick(g, 2), name)
                                       : pool_text(g->pool, "%s[%u]", name, pick(g, 4))
                            : NULL;
    if (!value) {
        const char *plain =
            family(v->kind) == FUZZY ? name
            : family(v->kind) == BOOL
                ? pool_text(g->pool, "%s(%s)", kind_name(vector(FUZZY, n)), name)
                : pool_text(g->pool, "clamp(%s(%s) * 0.0625, -1.0, 1.0)", kind_name(vector(FUZZY, n)), name);
        value = pool_text(g->pool, wide[n - 1], plain);
    }
    return leaf(g, vector(FUZZY, 4), value);
}

static const char wrap[] = "int wrap(int x) {\nreturn x - x / 16 * 16;\n}";
static const char at[] = "int at(int x, int n) {\nint r = x - x / n * n;\nreturn r < 0 ? r + n : r;\n}";

/* Each line a statement of its own, so that the unused ones go when a program is reduced. */
static void add_lines(struct gen *g, struct node *list, const char *text) {
    while (*text) {
        int length = (int)strcspn(text, "\n");
        node_add(g->pool, list, leaf(g, STATEMENT, pool_text(g->pool, "%.*s", length, text)));
        text += length + (text[length] == '\n');
    }
}

static struct node *shader(struct gen *g, const char *globals, const char *first, const char *result,
                           int size) {
    struct node *root = node_new(g->pool, LIST, NULL, 0), *body = node_new(g->pool, LIST, NULL, 0);
    add_lines(g, root, globals);
    if (g->structs)
        node_add(
            g->pool, root,
            leaf(g, STATEMENT,
                 pool_text(g->pool, "struct S {\n%s m0;\n%s m1;\n%s m2;\n%s m3;\n};", kind_name(g->member[0]),
                           kind_name(g->member[1]), kind_name(g->member[2]), kind_name(g->member[3]))));
    node_add(g->pool, root, leaf(g, STATEMENT, wrap));
    node_add(g->pool, root, leaf(g, STATEMENT, at));
    unsigned globals_end = g->count;
    g->trips = 1;
    for (unsigned n = pick(g, MOST_FUNCTIONS); n > 0; n--)
        node_add(g->pool, root, function(g));
    g->statements = size;
    while (g->statements > 0)
        node_add(g->pool, body, statement(g));
    node_add(g->pool, body, leaf(g, STATEMENT, "vec4 sum = vec4(0.0);"));
    unsigned terms = g->fragment, most = 10;
    if (g->fragment)
        node_add(g->pool, body, leaf(g, STATEMENT, "sum += v_color;"));
    for (unsigned i = g->count; i-- > globals_end && terms < most;) {
        struct node *value = shown(g, &g->variables[i]);
        if (!value)
            continue;
        node_add(g->pool, body, node_new(g->pool, STATEMENT, "sum += %0;", 1, value));
        terms++;
    }
    node_add(g->pool, root,
             node_new(g->pool, STATEMENT,
                      pool_text(g->pool, "void main() {\n%s\n%%0%s\n}", first,
                                pool_text(g->pool, result, 1.0 / (terms ? terms : 1))),
                      1, body));
    return root;
}

static void add_uniform(struct program *program, struct gen *g, const char *name, unsigned count,
                        bool whole) {
    char *text = program->uniforms[program->uniform_count++];
    const size_t size = sizeof program->uniforms[0];
    snprintf(text, size, "%s=", name);
    for (unsigned i = 0; i < count; i++) {
        if (whole)
            snprintf(text + strlen(text), size - strlen(text), "%s%d", i ? "," : "", (int)pick(g, 9) - 3);
        else
            snprintf(text + strlen(text), size - strlen(text), "%s%.2f", i ? "," : "",
                     (double)((int)pick(g, 201) - 100) / 100);
    }
}

static const char *uniform_text(struct gen *g, const char *p) {
    return pool_text(
        g->pool,
        "uniform %s int u_n;\nuniform %s int u_i;\nuniform %s ivec3 u_iv;\nuniform %s float u_f;\n"
        "uniform %s vec4 u_v;\nuniform %s vec3 u_a[3];\nuniform %s mat3 u_m;\nuniform bool u_b;\n",
        p, p, p, p, p, p, p);
}

static void declare_uniforms(struct gen *g) {
    g->count = g->function_count = 0;
    declare(g, "u_n", INT, 0, false);
    declare(g, "u_i", INT, 0, false);
    declare(g, "u_iv", vector(INT, 3), 0, false);
    declare(g, "u_f", FUZZY, 0, false);
    declare(g, "u_v", vector(FUZZY, 4), 0, false);
    declare(g, "u_a", vector(FUZZY, 3), 3, false);
    declare(g, "u_m", (enum kind)(MATRIX + 1), 0, false);
    declare(g, "u_b", BOOL, 0, false);
}

bool program_generate(struct program *program, uint64_t seed, unsigned size) {
    struct gen g = {.seed = (seed + 1) * 0x9e3779b97f4a7c15u};
    static const enum kind members[] = {FUZZY, FUZZY + 1, FUZZY + 2, FUZZY + 3, INT,
                                        BOOL,  EXACT,     INT + 1,   MATRIX,    FUZZY + 2};
    memset(program, 0, sizeof *program);
    program->pool = g.pool = pool_new();
    if (!g.pool)
        return false;
    for (int i = 0; i < 4; i++)
        pick(&g, 2);
    program->mediump = one_in(&g, 5);
    g.structs = !one_in(&g, 3);
    for (unsigned i = 0; i < MEMBERS; i++)
        g.member[i] = members[pick(&g, sizeof members / sizeof *members)];
    snprintf(program->uniforms[program->uniform_count++], sizeof program->uniforms[0], "u_n=%u", pick(&g, 5));
    add_uniform(program, &g, "u_i", 1, true);
    add_uniform(program, &g, "u_iv", 3, true);
    add_uniform(program, &g, "u_f", 1, false);
    add_uniform(program, &g, "u_v", 4, false);
    add_uniform(program, &g, "u_a", 9, false);
    add_uniform(program, &g, "u_m", 9, false);
    snprintf(program->uniforms[program->uniform_count++], sizeof program->uniforms[0], "u_b=%u", pick(&g, 2));
    int statements = size ? (int)size : 4 + (int)pick(&g, 12);

    const char *precision = program->mediump ? "mediump" : "highp";
    const char *uniforms = uniform_text(&g, precision);
    declare_uniforms(&g);
    declare(&g, "a_position.xy", FUZZY + 1, 0, false);
    declare(&g, "corner", INT, 0, false);
    program->vertex =
        shader(&g,
               pool_text(g.pool,
                         "precision highp float;\nprecision highp int;\n%sattribute vec4 a_position;\n"
                         "varying %s vec2 v_uv;\nvarying %s vec4 v_color;\nint corner;",
                         uniforms, precision, precision),
               "corner = int(a_position.x) * 2 + int(a_position.y);\n"
               "gl_Position = a_position;\nv_uv = a_position.xy;",
               "v_color = sum * %.4f;", one_in(&g, 2) ? 1 : statements / 3);

    g.fragment = true;
    declare_uniforms(&g);
    declare(&g, "v_uv", FUZZY + 1, 0, false);
    declare(&g, "v_color", FUZZY + 3, 0, false);
    declare(&g, "pixel", INT + 1, 0, false);
    declare(&g, "place", EXACT + 1, 0, false);
    program->fragment =
        shader(&g,
               pool_text(g.pool,
                         "precision %s float;\nprecision %s int;\n%suniform sampler2D u_picture;\n"
                         "varying vec2 v_uv;\nvarying vec4 v_color;\nivec2 pixel;\nvec2 place;",
                         precision, precision, uniforms),
               "pixel = ivec2(gl_FragCoord.xy);\nplace = floor(gl_FragCoord.xy) * 0.25;",
               "gl_FragColor = sum * %.4f * 0.5 + 0.5;", statements);
    return true;
}

void program_free(struct program *program) {
    pool_free(program->pool);
}
