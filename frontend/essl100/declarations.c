/* declarations.c: lists the declarations at global scope: structs, variables, functions. The list is needed
 * because SPIR-V does not distinguish lowp from mediump and glslang's linker gives no positions. The text may
 * be one that glslang will refuse; anything unexpected is skipped to the next ';'. */
#include "frontend/essl100/essl100.h"
#include "ir/heap.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct run *run;
    const struct unit *unit;
    const struct token *at;
    size_t count, i;
    struct declarations *out;
    enum fe_precision floats, ints, sampler2d, sampler_cube, sampler_external;
};

static bool is(const struct reader *r, size_t i, const char *spelling) {
    return i < r->count && token_is(&r->at[i], spelling);
}

size_t essl_matching(const struct tokens *tokens, size_t open) {
    size_t depth = 0;
    for (size_t i = open; i < tokens->count; i++) {
        const struct token *t = &tokens->at[i];
        if (t->kind != T_PUNCTUATION || t->name->length != 1)
            continue;
        char c = t->name->text[0];
        if (c == '(' || c == '[' || c == '{')
            depth++;
        else if ((c == ')' || c == ']' || c == '}') && --depth == 0)
            return i;
    }
    return tokens->count;
}

size_t essl_after(const struct tokens *tokens, size_t i) {
    size_t questions = 0;
    do {
        const struct token *t = &tokens->at[i];
        bool closes = token_is(t, ")") || token_is(t, "]") || token_is(t, "}") || token_is(t, ";");
        if (questions && closes)
            return i;
        questions += token_is(t, "?");
        questions -= questions && token_is(t, ":");
        bool opens = token_is(t, "(") || token_is(t, "[") || token_is(t, "{");
        i = opens ? essl_matching(tokens, i) + 1 : i + 1;
    } while (questions && i < tokens->count);
    return i < tokens->count ? i : tokens->count;
}

static enum fe_precision precision_word(const struct token *t) {
    if (token_is(t, "lowp"))
        return FE_LOWP;
    if (token_is(t, "mediump"))
        return FE_MEDIUMP;
    return token_is(t, "highp") ? FE_HIGHP : FE_PRECISION_NONE;
}

static enum fe_precision *default_of(struct reader *r, const char *type) {
    if (!r->unit->es && !strncmp(type, "sampler", 7))
        return &r->sampler2d;
    if (!strcmp(type, "float") || !strncmp(type, "vec", 3) || !strncmp(type, "mat", 3))
        return &r->floats;
    if (!strcmp(type, "int") || !strncmp(type, "ivec", 4) || !strcmp(type, "uint") ||
        !strncmp(type, "uvec", 4))
        return &r->ints;
    if (!strcmp(type, "sampler2D"))
        return &r->sampler2d;
    if (!strcmp(type, "samplerCube"))
        return &r->sampler_cube;
    if (!strcmp(type, "samplerExternalOES"))
        return &r->sampler_external;
    return NULL;
}

static const struct structure *find_structure(const struct declarations *d, const struct name *name,
                                              size_t *index) {
    size_t last = name->structure < d->structure_count ? name->structure : d->structure_count;
    while (last && d->structures[last - 1].name != name) /* only if another unit declares it, too */
        last--;
    *index = last;
    return last ? &d->structures[last - 1] : NULL;
}

static void skip_to(struct reader *r, const char *a, const char *b) {
    while (r->i < r->count && !is(r, r->i, a) && !is(r, r->i, b))
        r->i = essl_after(&r->unit->tokens, r->i);
}

static bool add_variable(struct reader *r, struct variable **list, size_t *count, size_t *capacity,
                         struct variable v) {
    void *array = *list;
    if (!run_grow(r->run, &array, capacity, *count, sizeof v))
        return false;
    *list = array;
    (*list)[(*count)++] = v;
    return true;
}

/* Name, brackets and initialisers up to the ';', each one added with `v` as the model. */
static void read_declarators(struct reader *r, struct variable v, bool member) {
    size_t first_added = member ? r->out->member_count : r->out->variable_count;
    while (r->i < r->count && r->at[r->i].kind == T_IDENTIFIER) {
        v.name = r->at[r->i].name;
        v.token = r->i++;
        v.array_open = v.array_close = 0;
        if (is(r, r->i, "[")) {
            v.array_open = r->i;
            v.array_close = essl_matching(&r->unit->tokens, r->i);
            r->i = v.array_close + 1;
        }
        skip_to(r, ",", ";");
        bool added =
            member
                ? add_variable(r, &r->out->members, &r->out->member_count, &r->out->member_capacity, v)
                : add_variable(r, &r->out->variables, &r->out->variable_count, &r->out->variable_capacity, v);
        if (!added || !is(r, r->i, ","))
            break;
        r->i++;
    }
    size_t last = member ? r->out->member_count : r->out->variable_count;
    for (size_t k = first_added; k < last; k++)
        (member ? r->out->members : r->out->variables)[k].end = r->i;
    if (is(r, r->i, ";"))
        r->i++;
}

/* Ends at the closing bracket. */
static void read_layout(struct reader *r, struct variable *v) {
    size_t end = essl_matching(&r->unit->tokens, ++r->i);
    for (; r->i < end && r->i < r->count; r->i++)
        if (is(r, r->i, "location") && is(r, r->i + 1, "=") && r->i + 2 < end &&
            r->at[r->i + 2].kind == T_NUMBER)
            v->location = (int)(strtoul(r->at[r->i + 2].name->text, NULL, 0) & 0xffff);
}

static void read_qualifiers(struct reader *r, struct variable *v) {
    for (; r->i < r->count; r->i++) {
        const struct token *t = &r->at[r->i];
        enum fe_precision p = precision_word(t);
        if (p)
            v->precision = p;
        else if (token_is(t, "invariant"))
            v->invariant = true;
        else if (token_is(t, "const"))
            v->storage = STORE_CONST;
        else if (token_is(t, "uniform"))
            v->storage = STORE_UNIFORM;
        else if (token_is(t, "attribute"))
            v->storage = STORE_ATTRIBUTE;
        else if (token_is(t, "varying"))
            v->storage = STORE_VARYING;
        else if (r->unit->version == 100)
            return;
        else if (token_is(t, "in"))
            v->storage = r->unit->stage == QPUCC_VERTEX ? STORE_ATTRIBUTE : STORE_VARYING;
        else if (token_is(t, "out"))
            v->storage = r->unit->stage == QPUCC_VERTEX ? STORE_VARYING : STORE_OUTPUT;
        else if (token_is(t, "inout"))
            v->storage = STORE_OUTPUT, v->fetched = true;
        else if (!r->unit->es && r->unit->version < 130 && essl_unit_word(r->unit, t->name) == WORD_USER)
            return; /* "flat" and the like are names there */
        else if (token_is(t, "flat"))
            v->flat = true;
        else if (token_is(t, "noperspective"))
            v->noperspective = true;
        else if (token_is(t, "centroid"))
            v->centroid = true;
        else if (token_is(t, "layout") && is(r, r->i + 1, "("))
            read_layout(r, v);
        else if (!token_is(t, "smooth"))
            return;
    }
}

static void read_structure(struct reader *r, struct variable *v);

/* Behind a type, 3.00: float[3] a */
static void read_type_array(struct reader *r, struct variable *v) {
    v->array_type = is(r, r->i, "[");
    if (v->array_type)
        r->i = essl_matching(&r->unit->tokens, r->i) + 1;
    v->type_end = r->i;
}

static void read_type(struct reader *r, struct variable *v) {
    if (is(r, r->i, "struct")) {
        read_structure(r, v);
        return;
    }
    if (r->i >= r->count)
        return;
    v->type_begin = r->i;
    v->type = r->at[r->i++].name;
    v->structure = find_structure(r->out, v->type, &v->structure_index);
    enum fe_precision *p = default_of(r, v->type->text);
    if (!p || v->structure)
        v->precision = FE_PRECISION_NONE;
    else if (!v->precision)
        v->precision = *p;
    read_type_array(r, v);
}

static bool is_sampler(const struct name *type) {
    return strncmp(type->text, "sampler", 7) == 0;
}

static void read_structure(struct reader *r, struct variable *v) {
    struct structure s = {.first_member = r->out->member_count};
    r->i++;
    if (r->i < r->count && r->at[r->i].kind == T_IDENTIFIER)
        s.name = r->at[r->i++].name;
    if (!is(r, r->i, "{"))
        return;
    s.open = r->i;
    s.close = essl_matching(&r->unit->tokens, r->i);
    r->i++;
    while (r->i < s.close && !r->run->failed) {
        struct variable member = {.begin = r->i, .location = -1};
        size_t before = r->i;
        read_qualifiers(r, &member);
        if (is(r, r->i, "struct"))
            break; /* ES 1.00 has no struct inside a struct's body: glslang refused it */
        read_type(r, &member);
        if (!member.type)
            break;
        s.holds_sampler |= is_sampler(member.type) || (member.structure && member.structure->holds_sampler);
        read_declarators(r, member, true);
        if (r->i == before)
            break;
    }
    s.member_count = r->out->member_count - s.first_member;
    r->i = s.close < r->count ? s.close + 1 : r->count;
    void *array = r->out->structures;
    if (!run_grow(r->run, &array, &r->out->structure_capacity, r->out->structure_count, sizeof s))
        return;
    r->out->structures = array;
    r->out->structures[r->out->structure_count++] = s;
    if (s.name)
        run_name_z(r->run, s.name->text)->structure = (uint32_t)r->out->structure_count;
    v->structure_index = r->out->structure_count;
    v->type = s.name ? s.name : run_name_z(r->run, "struct");
    v->precision = FE_PRECISION_NONE;
    v->type_begin = s.close;
    read_type_array(r, v);
}

static void read_function(struct reader *r, size_t name, enum fe_precision precision) {
    struct function f = {.name = r->at[name].name, .token = name, .open = name + 1, .precision = precision};
    f.close = essl_matching(&r->unit->tokens, f.open);
    r->i = f.close + 1;
    if (is(r, r->i, "{")) {
        f.body_open = r->i;
        f.body_close = essl_matching(&r->unit->tokens, r->i);
        r->i = f.body_close + 1;
    } else if (is(r, r->i, ";")) {
        r->i++;
    }
    void *array = r->out->functions;
    if (!run_grow(r->run, &array, &r->out->function_capacity, r->out->function_count, sizeof f))
        return;
    r->out->functions = array;
    r->out->functions[r->out->function_count++] = f;
}

static void read_precision(struct reader *r) {
    if (r->i + 2 < r->count) {
        enum fe_precision *p = default_of(r, r->at[r->i + 2].name->text);
        if (p)
            *p = precision_word(&r->at[r->i + 1]);
    }
    skip_to(r, ";", ";");
    r->i++;
}

void declarations_read(struct run *run, const struct unit *unit, enum fe_precision default_float,
                       struct declarations *out) {
    /* Desktop GLSL has no precisions but those that are asked for. */
    bool vertex = unit->stage == QPUCC_VERTEX || !unit->es;
    enum fe_precision samplers = unit->es ? FE_LOWP : FE_HIGHP;
    struct reader r = {.run = run,
                       .unit = unit,
                       .at = unit->tokens.at,
                       .count = unit->tokens.count,
                       .out = out,
                       .floats = vertex ? FE_HIGHP : default_float,
                       .ints = vertex ? FE_HIGHP : FE_MEDIUMP,
                       .sampler2d = samplers,
                       .sampler_cube = samplers,
                       .sampler_external = samplers};
    while (r.i < r.count && !run->failed) {
        size_t begin = r.i;
        if (r.at[r.i].kind == T_DIRECTIVE || is(&r, r.i, ";")) {
            r.i++;
            continue;
        }
        if (is(&r, r.i, "precision")) {
            read_precision(&r);
            continue;
        }
        struct variable v = {.begin = begin, .location = -1};
        read_qualifiers(&r, &v);
        if (v.invariant && v.storage == STORE_NONE) { /* `invariant a, b;` */
            for (; r.i < r.count && !is(&r, r.i, ";"); r.i++) {
                void *array = out->invariants;
                if (!run_grow(run, &array, &out->invariant_capacity, out->invariant_count,
                              sizeof *out->invariants))
                    break;
                out->invariants = array;
                out->invariants[out->invariant_count++] = r.i;
            }
            continue;
        }
        if (r.i > begin && is(&r, r.i + 1, "{")) { /* a uniform block is a struct with its variable */
            r.i--;
            read_structure(&r, &v);
            v.block = true;
        } else if (!is(&r, r.i, ";")) { /* layout(std140) uniform; */
            read_type(&r, &v);
        }
        if (r.i < r.count && r.at[r.i].kind == T_IDENTIFIER && is(&r, r.i + 1, "(") && v.type)
            read_function(&r, r.i, v.precision);
        else if (r.i < r.count && r.at[r.i].kind == T_IDENTIFIER && v.type)
            read_declarators(&r, v, false);
        if (r.i == begin)
            r.i++;
    }
    scopes_resolve(run, unit, out);
    /* The arrays may have moved while they grew. */
    for (size_t i = 0; i < out->variable_count; i++) {
        struct variable *v = &out->variables[i];
        v->structure = v->structure_index ? &out->structures[v->structure_index - 1] : NULL;
    }
    for (size_t i = 0; i < out->member_count; i++) {
        struct variable *v = &out->members[i];
        v->structure = v->structure_index ? &out->structures[v->structure_index - 1] : NULL;
    }
    out->sequence_operands = essl_sequence_operands(run, unit, out);
}

void declarations_free(struct declarations *d) {
    ir_heap_free(d->structures);
    ir_heap_free(d->members);
    ir_heap_free(d->variables);
    ir_heap_free(d->functions);
    ir_heap_free(d->invariants);
    *d = (struct declarations){0};
}

const struct variable *declarations_find(const struct declarations *d, const struct name *name) {
    for (size_t i = 0; i < d->variable_count; i++) {
        if (d->variables[i].name == name)
            return &d->variables[i];
    }
    return NULL;
}

bool declarations_invariant(const struct unit *unit, const struct declarations *d, const char *name) {
    for (size_t i = 0; i < d->invariant_count; i++) {
        if (token_is(&unit->tokens.at[d->invariants[i]], name))
            return true;
    }
    return unit->invariant_all && unit->stage == QPUCC_VERTEX;
}

bool declarations_defines(const struct declarations *d, const struct name *function) {
    for (size_t i = 0; i < d->function_count; i++) {
        if (d->functions[i].name == function)
            return true;
    }
    return false;
}
