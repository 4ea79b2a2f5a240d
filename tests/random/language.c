/* Programs about the front end of the language: scopes in which names hide each other, types, constructors,
 * swizzles, everything that can be written to, functions with all kinds of parameters, loops and switches.
 *
 * All are legal, and nothing undefined happens in them. What they compute is a sum over most of what they
 * declare, in whole numbers. */
#include "illegal.h"

#include "generate.h"

#include <stdio.h>
#include <string.h>

/* --- functions ------------------------------------------------------------------------------------------ */

/* The name of a function: of the user's, in ES 1.00 also the language's with other parameters. */
static const char *function_name(struct language *l, const struct signature *f) {
    static const char *const builtin[] = {"max", "sin", "dot", "mix", "abs", "clamp"};
    static const char *const users[] = {"a", "b", "f", "g", "x", "T"};
    if (!l->modern && f->count && f->type[0].base == RECORD && one_in(&l->g, 2))
        return builtin[pick(&l->g, 6)];
    return users[pick(&l->g, l->mixed ? 6 : 5)];
}

static bool is_taken(const struct language *l, const struct signature *f) {
    for (unsigned i = 0; i < l->count; i++) {
        const struct signature *other = l->entities[i].function;
        if (strcmp(l->entities[i].name, f->name))
            continue;
        if (!other)
            return true;
        bool same = other->count == f->count;
        for (unsigned k = 0; same && k < f->count; k++)
            same = same_type(other->type[k], f->type[k]);
        if (same)
            return true;
    }
    return false;
}

static const char *parameters(struct language *l, const struct signature *f, const char *const *names) {
    const char *list = !f->count && one_in(&l->g, 2) ? "void" : "";
    for (unsigned i = 0; i < f->count; i++) {
        struct type t = f->type[i];
        const char *way = f->in[i] ? (f->out[i] ? "inout " : one_in(&l->g, 3) ? "in " : "") : "out ";
        const char *brackets = t.length ? text(l, "[%u]", t.length) : "";
        const char *name = names ? names[i] : i == 0 && one_in(&l->g, 2) ? "first" : "";
        list = text(l, "%s%s%s%s%s%s%s", list, i ? ", " : "", way, type_name(l, t), *name ? " " : "", name,
                    brackets);
    }
    return list;
}

static struct node *language_function(struct language *l) {
    struct gen *g = &l->g;
    struct signature *f = pool_take(g->pool, sizeof *f);
    struct node *list = list_node(l), *body = list_node(l);
    f->count = pick(g, MOST_PARAMETERS);
    f->result = one_in(g, 5) ? scalar(VOID) : some_type(l, true);
    if (f->result.base != VOID && !is_value(l, f->result))
        f->result = scalar(WHOLE);
    for (unsigned i = 0; i < f->count; i++) {
        unsigned way = pick(g, 6);
        f->type[i] = some_type(l, true);
        f->type[i].length = one_in(g, 6) ? 2 : 0;
        f->in[i] = way > 0;
        f->out[i] = way < 2;
        f->effects |= f->out[i];
    }
    f->name = function_name(l, f);
    if (is_taken(l, f))
        return list;
    const char *result = type_name(l, f->result), *names[MOST_PARAMETERS] = {NULL};
    if (one_in(g, 3))
        node_add(g->pool, list, line(l, text(l, "%s %s(%s);", result, f->name, parameters(l, f, NULL))));
    unsigned around = enter_scope(l);
    introduce(l, (struct entity){.name = "acc", .type = scalar(WHOLE)});
    for (unsigned i = 0; i < f->count; i++) {
        names[i] = fresh_name(l, false);
        for (unsigned k = 0; k < f->count; k++) /* the parameters behind it need their types */
            if (f->type[k].base == RECORD && !strcmp(f->type[k].record->name, names[i]))
                names[i] = new_name(g, "p");
        introduce(
            l, (struct entity){.name = names[i], .type = f->type[i], .writable = true, .unset = !f->in[i]});
    }
    const char *head = text(l, "%s %s(%s)", result, f->name, parameters(l, f, names));
    fill_unset(l, body, l->scope);
    int left = l->statements;
    l->statements = 4;
    l->trips = 3;
    l->result = f->result;
    for (unsigned n = pick(g, 5); n; n--)
        node_add(g->pool, body, language_statement(l));
    note_scope(l, body);
    const char *value = f->result.base == VOID ? NULL : tame_value(l, f->result, 2, false);
    const char *other = f->result.base == VOID ? NULL : tame_value(l, f->result, 1, false);
    l->statements = left;
    l->trips = 1;
    leave_scope(l, around);
    if (f->result.base != VOID && (!value || !other))
        return list_node(l); /* without its prototype */
    const char *end = value ? text(l, "if (acc / 2 * 2 == acc)\nreturn %s;\nreturn %s;\n", other, value) : "";
    node_add(g->pool, list,
             node_new(g->pool, STATEMENT, text(l, "%s {\nint acc = 1;\n%%0%s}", head, end), 1, body));
    introduce(l, (struct entity){.name = f->name, .meaning = A_FUNCTION, .function = f});
    return list;
}

/* --- programs ------------------------------------------------------------------------------------------- */

static const char helpers[] = "int tame(highp int x) {\nreturn x - x / 16 * 16;\n}\n"
                              "float tame(highp float x) {\nreturn float(tame(int(x)));\n}\n";
static const char fold[] =
    "int fold(highp int a, highp int b) {\nhighp int r = a * 5 + b + 64;\nreturn r - r / 251 * 251;\n}";
static const char at[] =
    "int at(highp int x, highp int n) {\nint r = x - x / n * n;\nreturn r < 0 ? r + n : r;\n}";

static void add_helpers(struct language *l, struct node *root) {
    node_add(l->g.pool, root, line(l, fold));
    node_add(l->g.pool, root, line(l, at));
    node_add(l->g.pool, root, line(l, helpers));
    for (unsigned base = FLOAT; base <= (l->modern ? UNSIGNED : WHOLE); base++)
        for (unsigned n = base == UNSIGNED ? 1 : 2; n <= 4; n++) {
            const char *name = type_name(l, vector_of((enum base)base, n)), *parts = "";
            for (unsigned i = 0; i < n; i++)
                parts = text(l, "%s%stame(x.%c)", parts, i ? ", " : "", "xyzw"[i]);
            node_add(l->g.pool, root,
                     line(l, n == 1 ? "uint tame(highp uint x) {\nreturn x % 16u;\n}"
                                    : text(l, "%s tame(highp %s x) {\nreturn %s(%s);\n}", name, name, name,
                                           parts)));
        }
    for (unsigned columns = 2; columns <= 4; columns++)
        for (unsigned rows = 2; rows <= 4; rows++) {
            if (rows != columns && !l->modern)
                continue;
            const char *parts = "", *name = type_name(l, (struct type){FLOAT, rows, columns, NULL, 0});
            for (unsigned i = 0; i < columns; i++)
                parts = text(l, "%s%stame(x[%u])", parts, i ? ", " : "", i);
            node_add(l->g.pool, root,
                     line(l, text(l, "%s tame(highp %s x) {\nreturn %s(%s);\n}", name, name, name, parts)));
        }
}

/* From the declarations of the interface to the end of main. */
static struct node *language_shader(struct language *l, const char *interface, const char *start,
                                    const char *end) {
    struct gen *g = &l->g;
    struct node *root = list_node(l), *body = list_node(l);
    l->count = l->scope = l->globals = 0;
    l->main = false;
    l->trips = 1;
    if (!l->modern)
        illegal_add(l, root, PLACE_TOP);
    for (const char *p = interface; *p;) {
        int length = (int)strcspn(p, "\n");
        node_add(g->pool, root, line(l, text(l, "%.*s", length, p)));
        if (p == interface && l->modern) /* the version */
            illegal_add(l, root, PLACE_TOP);
        p += length + (p[length] == '\n');
    }
    introduce(l, (struct entity){.name = "u_n", .type = scalar(WHOLE)});
    introduce(l, (struct entity){.name = "u_iv", .type = vector_of(WHOLE, 3)});
    introduce(l, (struct entity){.name = "u_b", .type = scalar(l->numbers ? WHOLE : TRUTH)});
    add_helpers(l, root);
    for (unsigned n = pick(g, 4); n; n--)
        declare_record(l, root);
    for (unsigned n = pick(g, 4); n; n--)
        declare_constants(l, root);
    for (unsigned n = pick(g, 3); n; n--)
        declare_variables(l, root);
    l->globals = l->count;
    illegal_add(l, root, PLACE_GLOBAL);
    for (unsigned n = pick(g, 5); n; n--)
        node_add(g->pool, root, language_function(l));
    unsigned around = enter_scope(l);
    l->main = true;
    introduce(l, (struct entity){.name = "acc", .type = scalar(WHOLE)});
    introduce(l, (struct entity){.name = "here", .type = vector_of(WHOLE, 2)});
    while (l->statements > 0)
        node_add(g->pool, body, language_statement(l));
    illegal_add(l, body, PLACE_MAIN);
    note_scope(l, body);
    for (unsigned i = 0; i < l->globals; i++)
        if (l->entities[i].writable && lookup(l, l->entities[i].name) == &l->entities[i])
            add_note(l, body, l->entities[i].name, l->entities[i].type);
    leave_scope(l, around);
    node_add(g->pool, root,
             node_new(g->pool, STATEMENT, text(l, "void main() {\n%s\n%%0%s\n}", start, end), 1, body));
    illegal_add(l, root, PLACE_END);
    return root;
}

/* `rule`: of illegal.def that is broken, or -1. */
static bool generate(struct program *program, uint64_t seed, int rule) {
    struct language l = {.g = {.seed = (seed + 7) * 0x9e3779b97f4a7c15u}};
    struct gen *g = &l.g;
    memset(program, 0, sizeof *program);
    program->pool = g->pool = pool_new();
    if (!g->pool)
        return false;
    for (int i = 0; i < 4; i++)
        pick(g, 2);
    l.modern = one_in(g, 2);
    l.mixed = one_in(g, 4);
    if (rule >= 0) {
        l.rule = illegal_rule(&l, (unsigned)rule);
        l.wait = pick(g, 4);
        program->rule = l.rule->name;
        program->desktop_rule = l.rule->versions % 10 == 5;
        program->reference = (enum reference)l.rule->reference;
    }
    snprintf(program->uniforms[program->uniform_count++], sizeof program->uniforms[0], "u_n=%u", pick(g, 5));
    snprintf(program->uniforms[program->uniform_count++], sizeof program->uniforms[0], "u_iv=%u,%u,%u",
             pick(g, 9), pick(g, 9), pick(g, 9));
    snprintf(program->uniforms[program->uniform_count++], sizeof program->uniforms[0], "u_b=%u", pick(g, 2));
    /* A shader with truths in uniforms becomes SPIR-V by way of another text (frontend/glsl/glsl.c). */
    l.numbers = rule < 0 && seed % 2;
    const char *uniforms = l.numbers
                               ? "uniform highp int u_n;\nuniform highp ivec3 u_iv;\nuniform highp int u_b;"
                               : "uniform highp int u_n;\nuniform highp ivec3 u_iv;\nuniform bool u_b;";
    const char *version = l.modern ? "#version 300 es\n" : "";
    l.statements = one_in(g, 2) ? 0 : 4;
    l.stage = 1;
    program->vertex = language_shader(
        &l,
        text(&l,
             "%sprecision highp float;\nprecision highp int;\n%s\n%s vec4 a_position;\n%s highp float v_acc;",
             version, uniforms, l.modern ? "in" : "attribute", l.modern ? "out" : "varying"),
        "int acc = 0;\nivec2 here = u_iv.yx;", "gl_Position = a_position;\nv_acc = float(acc);");
    l.statements = 3 + (int)pick(g, rule >= 0 ? 5 : 12);
    l.stage = 2;
    program->fragment = language_shader(
        &l,
        text(&l, "%sprecision highp float;\nprecision highp int;\n%s\n%s highp float v_acc;\n%s", version,
             uniforms, l.modern ? "in" : "varying", l.modern ? "out vec4 color;" : ""),
        "int acc = int(v_acc + 0.5);\nivec2 here = ivec2(gl_FragCoord.xy);",
        text(&l, "%s = vec4(float(acc) / 255.0, float(acc - acc / 16 * 16) / 15.0, v_acc / 255.0, 1.0);",
             l.modern ? "color" : "gl_FragColor"));
    program->loose = l.mixed || l.loose;
    return true;
}

bool program_generate_language(struct program *program, uint64_t seed) {
    return generate(program, seed, -1);
}

bool program_generate_illegal(struct program *program, uint64_t seed) {
    return generate(program, seed, (int)(seed % illegal_count()));
}
