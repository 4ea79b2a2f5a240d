/* Trees: memory, printing, reduction. */
#include "tree.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- memory --------------------------------------------------------------------------------------------- */

struct piece {
    struct piece *next;
    max_align_t data[];
};

struct pool {
    struct piece *pieces;
};

struct pool *pool_new(void) {
    return calloc(1, sizeof(struct pool));
}

void pool_free(struct pool *pool) {
    while (pool && pool->pieces) {
        struct piece *next = pool->pieces->next;
        free(pool->pieces);
        pool->pieces = next;
    }
    free(pool);
}

void *pool_take(struct pool *pool, size_t size) {
    struct piece *p = calloc(1, sizeof *p + size);
    if (!p) { /* a test without memory has nothing to say */
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    p->next = pool->pieces;
    pool->pieces = p;
    return p->data;
}

char *pool_text(struct pool *pool, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    char *text = pool_take(pool, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(arguments);
    return text;
}

void node_add(struct pool *pool, struct node *list, struct node *child) {
    if (list->count == list->capacity) {
        unsigned capacity = list->capacity ? list->capacity * 2 : 4;
        struct node **larger = pool_take(pool, capacity * sizeof *larger);
        if (list->count)
            memcpy(larger, list->child, list->count * sizeof *larger);
        list->child = larger;
        list->capacity = capacity;
    }
    list->child[list->count++] = child;
}

struct node *node_new(struct pool *pool, enum kind kind, const char *text, unsigned count, ...) {
    struct node *node = pool_take(pool, sizeof *node);
    va_list children;
    node->kind = kind;
    node->text = text;
    va_start(children, count);
    for (unsigned i = 0; i < count; i++)
        node_add(pool, node, va_arg(children, struct node *));
    va_end(children);
    return node;
}

/* --- kinds ---------------------------------------------------------------------------------------------- */

const char *kind_name(enum kind kind) {
    static const char *const names[KINDS] = {
        "",      "",      "float", "vec2", "vec3",  "vec4",  "float", "vec2", "vec3", "vec4", "int",
        "ivec2", "ivec3", "ivec4", "bool", "bvec2", "bvec3", "bvec4", "mat2", "mat3", "mat4", "S"};
    return names[kind];
}

const char *kind_literal(enum kind kind) {
    static const char *const texts[KINDS] = {
        NULL,
        NULL,
        "0.5",
        "vec2(0.5, -0.25)",
        "vec3(0.5, -0.25, 0.75)",
        "vec4(0.5, -0.25, 0.75, 1.0)",
        "1.0",
        "vec2(1.0, 2.0)",
        "vec3(1.0, 2.0, 3.0)",
        "vec4(1.0, 2.0, 3.0, 0.0)",
        "1",
        "ivec2(1, 2)",
        "ivec3(1, 2, 3)",
        "ivec4(1, 2, 3, 0)",
        "true",
        "bvec2(true, false)",
        "bvec3(true, false, true)",
        "bvec4(true, false, true, false)",
        "mat2(0.5)",
        "mat3(0.5)",
        "mat4(0.5)",
        NULL,
    };
    return texts[kind];
}

/* --- printing ------------------------------------------------------------------------------------------- */

static void print(const struct node *node, FILE *out) {
    if (!node->text) {
        for (unsigned i = 0; i < node->count; i++)
            print(node->child[i], out);
        return;
    }
    for (const char *c = node->text; *c; c++) {
        if (*c == '%' && c[1] >= '0' && c[1] <= '9') {
            c++;
            if ((unsigned)(*c - '0') < node->count)
                print(node->child[*c - '0'], out);
        } else {
            fputc(*c, out);
        }
    }
    if (node->kind == STATEMENT)
        fputc('\n', out);
}

char *tree_print(const struct node *root) {
    char *flat = NULL, *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&flat, &size);
    if (!out)
        return NULL;
    print(root, out);
    fclose(out);
    out = flat ? open_memstream(&text, &size) : NULL;
    int depth = 0;
    for (const char *line = flat; out && *line;) {
        size_t length = strcspn(line, "\n");
        depth -= *line == '}' && depth > 0;
        if (length)
            fprintf(out, "%*s%.*s\n", depth * 4, "", (int)length, line);
        depth += length && line[length - 1] == '{';
        line += length + (line[length] == '\n');
    }
    if (out)
        fclose(out);
    free(flat);
    return text;
}

/* --- reduction ------------------------------------------------------------------------------------------ */

struct reduction {
    struct pool *pool;
    bool (*fails)(void *user);
    void *user;
    unsigned asked, most;
    bool smaller; /* in this round */
};

static bool still(struct reduction *r) {
    r->asked++;
    bool yes = r->asked <= r->most && r->fails(r->user);
    r->smaller |= yes;
    return yes;
}

/* Leaves out runs of statements, long ones first. */
static void thin_out(struct reduction *r, struct node *list) {
    for (unsigned length = list->count; length; length /= 2)
        for (unsigned from = 0; from + length <= list->count && r->asked < r->most;) {
            struct node **was = list->child;
            unsigned count = list->count;
            struct node *shorter = node_new(r->pool, LIST, NULL, 0);
            for (unsigned i = 0; i < count; i++)
                if (i < from || i >= from + length)
                    node_add(r->pool, shorter, was[i]);
            list->child = shorter->child;
            list->count = list->capacity = shorter->count;
            if (still(r))
                continue;
            list->child = was;
            list->count = list->capacity = count;
            from += length;
        }
}

/* Puts something simpler of its kind in a node's place: its own parts (a loop's body for the loop), a value.
 */
static void simplify(struct reduction *r, struct node *node) {
    struct node was = *node;
    for (unsigned i = 0; i < was.count && r->asked < r->most; i++) {
        const struct node *part = was.child[i];
        if (part->kind != node->kind && !(node->kind == STATEMENT && part->kind == LIST))
            continue;
        enum kind kind = node->kind;
        *node = *part;
        node->kind = kind;
        if (still(r)) {
            was = *node;
            i = (unsigned)-1;
            continue;
        }
        *node = was;
    }
    if (kind_literal(was.kind) && was.text != kind_literal(was.kind) && r->asked < r->most) {
        *node = (struct node){.kind = was.kind, .text = kind_literal(was.kind)};
        if (!still(r))
            *node = was;
    }
}

static void walk(struct reduction *r, struct node *node) {
    if (r->asked >= r->most)
        return;
    if (!node->text)
        thin_out(r, node);
    else
        simplify(r, node);
    for (unsigned i = 0; i < node->count; i++)
        walk(r, node->child[i]);
}

unsigned tree_reduce(struct pool *pool, struct node *const *roots, unsigned root_count,
                     bool (*fails)(void *user), void *user, unsigned most) {
    struct reduction r = {pool, fails, user, 0, most, true};
    while (r.smaller && r.asked < most) {
        r.smaller = false;
        for (unsigned i = 0; i < root_count; i++)
            walk(&r, roots[i]);
    }
    return r.asked;
}
