/* bridge.c: writes the text that glslang translates, one token a line, so that a line number identifies a
 * token (check.c writes the other text, by which it checks).
 *
 * Requires: preprocessed tokens and their declarations, which passed the check. Keeps: both.
 *
 * The translation follows relaxed Vulkan rules: the user's names get a prefix (names*.c), types another one,
 * because glslang's grammar takes the name of a type for that type, attribute and varying become in and out,
 * the old texture functions become texture…(). ES 1.00 becomes 1.40, which allows everything that 1.00 allows
 * (even functions that overload built-in ones) and obeys precision qualifiers under Vulkan rules. ES 3.00
 * becomes ES 3.10. Desktop versions become 3.30, but without the implicit conversions that 1.20 does not
 * have. */
#include "frontend/essl100/essl100.h"

#include <string.h>

const char *essl_precision_name(enum fe_precision precision) {
    return precision == FE_LOWP ? "lowp" : precision == FE_MEDIUMP ? "mediump" : "highp";
}

void essl_add_line(struct run *run, struct pass_text *out, const char *text) {
    buffer_add_z(run, &out->text, text);
    buffer_add_z(run, &out->text, "\n");
    out->first_line++;
}

/* glslang refuses a ';' of its own at global scope, which drivers take, and does not count empty statements,
 * empty blocks and declarations as what has to follow a switch's last label. */
bool essl_add_empty(struct run *run, const struct unit *unit, const struct declarations *d, size_t i,
                    struct buffer *out) {
    if (d->meanings[i].kind != MEANS_EMPTY)
        return false;
    if (token_is(&unit->tokens.at[i], ":"))
        buffer_add_z(run, out, ": 0;");
    return true;
}

/* Is an array of samplers indexed? By more than a constant 1.40 does not allow it, and later versions build
 * larger tables. */
static bool indexes_samplers(const struct unit *unit) {
    for (size_t i = 0; i + 2 < unit->tokens.count; i++) {
        const struct token *t = &unit->tokens.at[i];
        if (t->kind == T_IDENTIFIER && strncmp(t->name->text, "sampler", 7) == 0 &&
            t[1].kind == T_IDENTIFIER && token_is(&t[2], "["))
            return true;
    }
    return false;
}

static const char *target_version(const struct unit *unit) {
    if (unit->es && unit->version != 100)
        return "#version 310 es";
    return indexes_samplers(unit) ? "#version 400" : unit->es ? "#version 140" : "#version 330";
}

static void prologue(struct run *run, const struct unit *unit, const struct declarations *d,
                     const struct unit *other, enum fe_precision default_float, struct pass_text *out) {
    bool fragment = unit->stage == QPUCC_FRAGMENT;
    const char *floats = fragment && unit->es ? essl_precision_name(default_float) : "highp",
               *ints = fragment && unit->es ? "mediump" : "highp", *samplers = unit->es ? "lowp" : "highp",
               *color = unit->es ? "mediump" : "highp";
    essl_add_line(run, out, target_version(unit));
    if (unit->es && unit->version != 100)
        essl_add_line(run, out, "#extension GL_EXT_shader_non_constant_global_initializers : enable");
    if (unit->es && unit->control_flow)
        essl_add_line(run, out, "#extension GL_EXT_control_flow_attributes : enable");
    for (size_t i = 0; !unit->es && i < unit->tokens.count; i++) {
        if (unit->tokens.at[i].kind == T_DIRECTIVE)
            essl_add_line(run, out, unit->tokens.at[i].name->text);
    }
    if (unit->invariant_all && !fragment)
        essl_add_line(run, out, "#pragma STDGL invariant(all)");
    essl_add_line(
        run, out,
        run_format(run,
                   "precision %s float; precision %s int; precision %s sampler2D; precision %s samplerCube;",
                   floats, ints, samplers, samplers));
    essl_declare_builtins(run, unit, d, other, out);
    if (!fragment)
        return;
    if (essl_uses(unit, "gl_FragColor"))
        essl_add_line(run, out, run_format(run, "out %s vec4 qpu_FragColor;", color));
    if (essl_uses(unit, "gl_FragData"))
        essl_add_line(run, out, run_format(run, "out %s vec4 qpu_FragData[1];", color));
    bool fetches = essl_uses(unit, "gl_LastFragData");
    for (size_t i = 0; i < d->variable_count; i++)
        fetches |= d->variables[i].fetched;
    if (unit->framebuffer_fetch && fetches)
        essl_add_line(run, out, run_format(run, "in %s vec4 qpu_LastFragData[1];", color));
}

struct word essl_unit_word(struct run *run, const struct unit *unit, const struct name *name) {
    if (!unit->external_image && name_is(name, "samplerExternalOES")) /* a keyword by the extension only */
        return (struct word){WORD_USER, NULL};
    if (!unit->es)
        return desktop_word(run, unit, name);
    return unit->version == 100 ? essl_word(name) : essl300_word(name);
}

/* A user's function under a name that the target language has for itself. In desktop GLSL it hides all of the
 * language's functions of that name; ES 1.00 overloads them, as the target does. */
static bool is_own_function(const struct unit *unit, const struct name *name, const struct word *word) {
    return word->kind == WORD_FUNCTION && (!unit->es || essl_is_optional(name));
}

static void add_identifier(struct run *run, const struct unit *unit, const struct declarations *d, size_t i,
                           bool rename_main, struct buffer *out) {
    const struct token *t = &unit->tokens.at[i];
    struct word word = essl_unit_word(run, unit, t->name);
    enum meaning_kind kind = d->meanings[i].kind;
    bool method =
        kind == MEANS_MEMBER && i + 1 < unit->tokens.count && token_is(&unit->tokens.at[i + 1], "(");
    /* A keyword of later versions, or a type's name that is none yet: anything can be called that. */
    bool keyword = word.kind == WORD_SAME && !name_begins(t->name, "gl_") && !token_is(t, "main");
    bool declared =
        kind == MEANS_GLOBAL || kind == MEANS_LOCAL || kind == MEANS_MEMBER || kind == MEANS_FUNCTION;
    bool users = (keyword && declared) ||
                 (kind == MEANS_FUNCTION ? is_own_function(unit, t->name, &word)
                                         : kind != MEANS_NOTHING && word.kind == WORD_FUNCTION);
    if (kind == MEANS_LAYOUT || method) {
        buffer_add(run, out, t->name->text, t->name->length);
    } else if (kind == MEANS_TYPE) {
        buffer_add(run, out, "T", 1);
        buffer_add(run, out, t->name->text, t->name->length);
    } else if (word.kind == WORD_USER || users) {
        bool apart = kind == MEANS_FUNCTION && unit->version == 110; /* a variable may have the same name */
        buffer_add(run, out, apart ? "F" : "Q", 1);
        buffer_add(run, out, t->name->text, t->name->length);
    } else if (token_is(t, "varying")) {
        buffer_add_z(run, out, unit->stage == QPUCC_VERTEX ? "out" : "in");
    } else if (rename_main && token_is(t, "main")) {
        buffer_add_z(run, out, "qpu_main");
    } else {
        buffer_add_z(run, out, word.to);
    }
}

/* --- the translation: what does not go over token by token
 * ------------------------------------------------------------ */

struct translation {
    struct run *run;
    const struct unit *unit;
    const struct declarations *d;
    bool rename_main;
    struct buffer *out;
};

static void add_token(const struct translation *t, size_t i) {
    const struct token *token = &t->unit->tokens.at[i];
    if (token->kind == T_IDENTIFIER)
        add_identifier(t->run, t->unit, t->d, i, t->rename_main, t->out);
    else if (token->kind != T_DIRECTIVE)
        buffer_add(t->run, t->out, token->name->text, token->name->length);
}

static void add_range(const struct translation *t, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) {
        buffer_add_z(t->run, t->out, " ");
        add_token(t, i);
    }
}

/* The statement at token `i` declares a built-in variable once more (gl_TexCoord's size, gl_FragCoord's
 * origin, the block gl_PerVertex): its last token, or 0. */
static size_t redeclaration(const struct translation *t, size_t i) {
    const struct token *at = t->unit->tokens.at;
    size_t count = t->unit->tokens.count;
    if (t->unit->es)
        return 0;
    for (size_t k = 0; k < t->d->variable_count; k++) {
        const struct variable *v = &t->d->variables[k];
        if (v->begin == i && v->storage != STORE_NONE && !strncmp(v->name->text, "gl_", 3))
            return v->end;
    }
    if (i + 2 < count && token_is(&at[i + 1], "gl_PerVertex") && token_is(&at[i + 2], "{")) {
        size_t end = essl_matching(&t->unit->tokens, i + 2);
        while (end < count && !token_is(&at[end], ";"))
            end++;
        return end;
    }
    return 0;
}

static size_t end_of_declarator(const struct variable *v) {
    return 1 + (v->array_close > v->array_open ? v->array_close : v->token);
}

/* The statement at token `i` declares a built-in variable once more: what it declares beside that. */
static void add_others(const struct translation *t, size_t i) {
    bool first = true;
    size_t specifiers_end = 0;
    for (size_t k = 0; k < t->d->variable_count; k++) {
        const struct variable *v = &t->d->variables[k];
        if (v->begin != i || v->storage == STORE_NONE)
            continue;
        specifiers_end = specifiers_end ? specifiers_end : v->token;
        if (!strncmp(v->name->text, "gl_", 3))
            continue;
        if (first)
            add_range(t, i, specifiers_end);
        else
            buffer_add_z(t->run, t->out, ",");
        add_range(t, v->token, end_of_declarator(v));
        first = false;
    }
    if (!first)
        buffer_add_z(t->run, t->out, ";");
}

/* The uniform whose initialiser begins after token `i`, an equals sign. */
static const struct variable *initialised_uniform(const struct translation *t, size_t i) {
    const struct variable *found = NULL;
    for (size_t k = 0; !t->unit->es && k < t->d->variable_count; k++) {
        const struct variable *v = &t->d->variables[k];
        if (v->storage == STORE_UNIFORM && end_of_declarator(v) == i)
            found = v;
    }
    return found;
}

static size_t end_of_expression(const struct unit *unit, size_t i) {
    const struct token *at = unit->tokens.at;
    while (i < unit->tokens.count && !token_is(&at[i], ",") && !token_is(&at[i], ";"))
        i = essl_after(&unit->tokens, i);
    return i;
}

/* A uniform's initialiser becomes that of a variable beside it, from which frontend/spirv reads the values:
 * glslang drops it otherwise. */
static void add_initialisers(const struct translation *t, size_t end) {
    for (size_t k = 0; !t->unit->es && k < t->d->variable_count; k++) {
        const struct variable *v = &t->d->variables[k];
        size_t equals = end_of_declarator(v);
        if (v->storage != STORE_UNIFORM || v->end != end || equals >= end ||
            !token_is(&t->unit->tokens.at[equals], "="))
            continue;
        if (v->type_end > v->type_begin)
            add_range(t, v->type_begin, v->type_end);
        else
            buffer_add_z(t->run, t->out, run_format(t->run, " T%s", v->type->text));
        buffer_add_z(t->run, t->out, run_format(t->run, " qpu_initial_%s", v->name->text));
        add_range(t, v->token + 1, end_of_expression(t->unit, equals + 1));
        buffer_add_z(t->run, t->out, ";");
    }
}

bool essl_needs_prologue(const struct unit *unit, const struct declarations *d) {
    const struct token *at = unit->tokens.at;
    for (size_t i = 0; i < unit->tokens.count; i++) {
        bool function = name_begins(at[i].name, "shadow") || token_is(&at[i], "ftransform");
        if (at[i].kind == T_IDENTIFIER &&
            (essl_is_fixed_name(at[i].name->text) || (function && d->meanings[i].kind == MEANS_NOTHING)))
            return true;
    }
    for (size_t k = 0; k < d->variable_count; k++)
        if (d->variables[k].storage == STORE_UNIFORM &&
            token_is(&at[end_of_declarator(&d->variables[k])], "="))
            return true;
    return false;
}

void essl_translate_text(struct run *run, const struct unit *unit, const struct declarations *d,
                         const struct unit *other, enum fe_precision default_float, struct pass_text *out) {
    const char *frame = essl_main_frame(run, unit, d);
    const struct translation t = {run, unit, d, frame != NULL, &out->text};
    out->first_line = 1;
    prologue(run, unit, d, other, default_float, out);
    bool *unfolded = essl_unfolded_constants(run, unit, d);
    struct negation *negations = essl_constant_comparisons(run, unit, d);
    bool drop = false; /* `invariant a, b;` of a fragment shader: the targets have it for outputs only */
    size_t left_out = 0, round = 0; /* up to this token; open brackets */
    for (size_t i = 0; i < unit->tokens.count && !run->failed; i++) {
        const struct token *token = &unit->tokens.at[i];
        round += token_is(token, "(");
        round -= token_is(token, ")") && round;
        size_t last = i < left_out ? 0 : redeclaration(&t, i);
        if (last)
            add_others(&t, i);
        left_out = last ? last + 1 : left_out;
        if (i < left_out || (d->sequence_operands && d->sequence_operands[i])) {
            /* declared in the prologue, or an initialiser, or without effect */
        } else if ((unit->version == 100 || !unit->es) && unit->stage == QPUCC_FRAGMENT &&
                   token_is(token, "invariant") && d->meanings[i].kind == MEANS_NOTHING) {
            drop = i + 1 < unit->tokens.count && essl_unit_word(run, unit, token[1].name).kind == WORD_USER;
            drop |= i + 1 < unit->tokens.count && !strncmp(token[1].name->text, "gl_", 3);
        } else if (drop) {
            drop = !token_is(token, ";");
        } else if (essl_add_empty(run, unit, d, i, &out->text)) {
            /* written */
        } else if (unfolded && unfolded[i]) {
            /* a `const`: see constants.c */
        } else if (unit->framebuffer_fetch && unit->version != 100 && !round && token_is(token, "inout")) {
            buffer_add_z(run, &out->text, "out");
        } else if (token_is(token, "=") && initialised_uniform(&t, i)) {
            left_out = end_of_expression(unit, i + 1);
        } else {
            for (unsigned k = negations ? negations[i].opens : 0; k; k--)
                buffer_add_z(run, &out->text, "!(");
            if (negations && negations[i].turns)
                buffer_add_z(run, &out->text, token_is(token, "==") ? "!=" : "==");
            else
                add_token(&t, i);
            for (unsigned k = negations ? negations[i].closes : 0; k; k--)
                buffer_add_z(run, &out->text, ")");
            if (token_is(token, ";"))
                add_initialisers(&t, i);
        }
        buffer_add_z(run, &out->text, "\n");
    }
    if (frame)
        buffer_add_z(run, &out->text, frame);
}
