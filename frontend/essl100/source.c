/* source.c: what glslang reads of the user's program, one token a line, so that a line number identifies a
 * token.
 *
 * Requires: preprocessed tokens and their declarations. Keeps: both. The text has the user's own tokens at
 * the user's version, but for what glslang refuses although the language has it. glslang's tree of it is what
 * the user's errors come from, and the code. Where glslang has no code for what it accepts, or a wrong one,
 * the text for code says the same in another way (TEXT_CODE), and is parsed after the check. */
#include "frontend/essl100/essl100.h"
#include "ir/heap.h"

#include <string.h>

/* Names that the language leaves to the user and glslang does not: words of other versions, a member
 * `length`, derivatives without their extension, desktop functions of the language's names, variables that
 * hide a type (glslang reads a second declarator as the type), two underscores in a row in ES 1.00 (reserved,
 * yet programs use them and drivers accept them). The text has an alias there, which spells the name in a way
 * that essl_unalias can undo; what looks like one, too. */
static bool needs_alias(const struct unit *unit, const struct declarations *d, size_t i) {
    const struct token *t = &unit->tokens.at[i];
    enum meaning_kind kind = d->meanings[i].kind;
    if (i + 1 >= unit->tokens.count)
        return false;
    if (name_begins(t->name, "qpud") || token_is(t, "qpu_LastFragData"))
        return true;
    if (memchr(t->name->text, '_', t->name->length) && strstr(t->name->text, "__"))
        return unit->version == 100;
    if (kind == MEANS_NOTHING || kind == MEANS_LAYOUT) /* not the user's */
        return d->meanings[i].hides_type;
    if (token_is(t, "length") && kind == MEANS_MEMBER)
        return !token_is(t + 1, "(");
    if (d->meanings[i].hides_type || essl_is_foreign(unit, t->name))
        return true;
    if (kind == MEANS_TYPE && essl_is_foreign_type(unit, t->name))
        return true;
    if (kind == MEANS_FUNCTION && !unit->es) /* it hides the language's, which glslang does not know */
        return essl_unit_word(unit, t->name) == WORD_FUNCTION || essl_is_foreign_function(unit, t->name);
    if (token_is(t, "dFdx") || token_is(t, "dFdy") || token_is(t, "fwidth"))
        return unit->version == 100 && !unit->derivatives;
    return false;
}

static const char *alias(struct run *run, const struct declarations *d, size_t i, const struct name *name) {
    struct buffer text = {0};
    buffer_add_z(run, &text, d->meanings[i].hides_type ? "qpud_V" : "qpud"); /* the type may have one, too */
    for (const char *p = name->text; *p; p++)
        buffer_add_z(run, &text, *p == '_' ? "_U" : (char[]){*p, 0});
    const char *copy = run->failed ? "qpud" : ir_strdup(run->arena, text.text);
    buffer_free(run, &text);
    return copy;
}

const char *essl_unalias(struct run *run, const char *text) {
    if (!strstr(text, "qpud"))
        return text;
    struct buffer out = {0};
    bool inside = false;
    for (const char *p = text; *p; p++) {
        if (!inside && strncmp(p, "qpud", 4) == 0) {
            inside = true;
            p += p[4] == '_' && p[5] == 'V' ? 5 : 3;
            continue;
        }
        bool letter =
            (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_';
        inside = inside && letter;
        buffer_add(run, &out, p, 1);
        if (inside && p[0] == '_' && p[1] == 'U')
            p++;
    }
    const char *copy = run->failed ? text : ir_strdup(run->arena, out.text ? out.text : "");
    ir_heap_free(out.text);
    return copy;
}

/* The comma before a member that has the name of a type: glslang would read the type there, so that the
 * member gets a declaration of its own. */
static bool separates_members(const struct unit *unit, const struct declarations *d, size_t comma) {
    const struct meaning *m = &d->meanings[comma + 1];
    return comma + 1 < unit->tokens.count && m->kind == MEANS_MEMBER && m->variable;
}

static const char *alias_or_name(struct run *run, const struct unit *unit, const struct declarations *d,
                                 size_t i) {
    const struct name *name = unit->tokens.at[i].name;
    bool aliased = unit->tokens.at[i].kind == T_IDENTIFIER && needs_alias(unit, d, i);
    return aliased ? alias(run, d, i, name) : name->text;
}

static void add_member_type(struct run *run, const struct unit *unit, const struct declarations *d,
                            size_t member, struct buffer *out) {
    buffer_add_z(run, out, ";");
    for (size_t i = d->meanings[member].variable; d->meanings[i].kind != MEANS_MEMBER; i++) {
        buffer_add_z(run, out, " ");
        buffer_add_z(run, out, alias_or_name(run, unit, d, i));
    }
}

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
static bool add_empty(struct run *run, const struct unit *unit, const struct declarations *d, size_t i,
                      struct buffer *out) {
    if (d->meanings[i].kind != MEANS_EMPTY)
        return false;
    if (token_is(&unit->tokens.at[i], ":"))
        buffer_add_z(run, out, ": 0;");
    return true;
}

/* In ES 1.00 gl_FragCoord is mediump, so that an expression of it and numbers would be. Where a shader's
 * floats are highp it means that, too: then it is a varying of that precision, until the module has its name
 * back. */
static bool has_highp_coordinates(const struct unit *unit, enum fe_precision default_float) {
    const struct token *t = unit->tokens.at;
    bool uses = false, says = false, highp = false; /* says: which precision floats have */
    for (size_t i = 0; unit->version == 100 && unit->stage == QPUCC_FRAGMENT && i < unit->tokens.count; i++) {
        uses |= token_is(&t[i], "gl_FragCoord");
        if (!token_is(&t[i], "precision") || i + 2 >= unit->tokens.count || !token_is(&t[i + 2], "float"))
            continue;
        says = true;
        highp |= token_is(&t[i + 1], "highp");
    }
    return uses && (says ? highp : default_float == FE_HIGHP);
}

int essl_text_version(const struct unit *unit, enum text_use use) {
    return !unit->es && unit->version == 140 && use == TEXT_CODE ? 150 : unit->version;
}

static void prologue(struct run *run, const struct unit *unit, const struct declarations *d,
                     enum fe_precision default_float, enum text_use use, struct pass_text *out) {
    static const char late[] = "#extension GL_EXT_shader_non_constant_global_initializers : enable";
    bool first = unit->version == 100;
    int version = essl_text_version(unit, use);
    const char *profile = first || (!unit->es && version < 150) ? ""
                          : unit->es                            ? " es"
                          : unit->compatibility                 ? " compatibility"
                                                                : " core";
    essl_add_line(run, out, run_format(run, "#version %d%s", version, profile));
    if (unit->invariant_all)
        essl_add_line(run, out, "#pragma STDGL invariant(all)");
    /* Extensions may come after this line: a declaration of ours must not come before them, so they go first.
     */
    for (size_t i = 0; i < unit->tokens.count; i++) {
        bool profile_of_140 =
            version != unit->version && strstr(unit->tokens.at[i].name->text, "GL_ARB_compatibility");
        if (unit->tokens.at[i].kind == T_DIRECTIVE && !profile_of_140)
            essl_add_line(run, out, unit->tokens.at[i].name->text);
    }
    /* Vertex shaders have lookups with a level from the start; glslang has them by the extension that is for
     * fragment shaders. */
    if (!unit->es && unit->version < 130 && unit->stage == QPUCC_VERTEX)
        essl_add_line(run, out, "#extension GL_ARB_shader_texture_lod : enable");
    /* Initialisers of global variables need not be constant: WebGL's tests ask for it, drivers accept it. In
     * code no constant has to be one that glslang knows. */
    if (first || (unit->es && use == TEXT_CODE))
        essl_add_line(run, out, late);
    if (version == 140 && !declarations_defines(d, run_name_z(run, "inverse")))
        for (int n = 2; n <= 4; n++) /* which glslang has since 1.50, and the text for code is that */
            essl_add_line(run, out, run_format(run, "mat%d inverse(mat%d m) { return m; }", n, n));
    if (unit->stage == QPUCC_FRAGMENT && default_float)
        essl_add_line(run, out, run_format(run, "precision %s float;", essl_precision_name(default_float)));
    if (out->highp_coordinates)
        essl_add_line(run, out, "varying highp vec4 " ESSL_HIGHP_COORDINATES ";");
    if (unit->framebuffer_fetch) /* read-only and without a partner in the vertex stage: what a uniform is */
        essl_add_line(run, out, "uniform mediump vec4 qpu_LastFragData[1];");
    if (use == TEXT_CODE)
        essl_add_old_functions(run, unit, d, out);
}

/* Does the code need another text because of that name? */
static bool needs_code_text(const struct unit *unit, const struct declarations *d, size_t i) {
    bool called = i + 1 < unit->tokens.count && token_is(&unit->tokens.at[i + 1], "(");
    bool inverse = !unit->es && unit->version == 140 && token_is(&unit->tokens.at[i], "inverse") &&
                   d->meanings[i].kind == MEANS_NOTHING;
    return called && (inverse || essl_is_old_function(unit, d, i));
}

/* A name as glslang takes it. */
static const char *spelling(struct run *run, const struct unit *unit, const struct declarations *d, size_t i,
                            enum text_use use, const struct pass_text *out) {
    const struct name *name = unit->tokens.at[i].name;
    if (unit->tokens.at[i].kind != T_IDENTIFIER)
        return name->text;
    bool coordinates =
        out->highp_coordinates && d->meanings[i].kind == MEANS_NOTHING && name_is(name, "gl_FragCoord");
    if (coordinates || (use == TEXT_CODE && essl_is_old_function(unit, d, i)))
        return alias(run, d, i, name);
    const char *lookup = essl_core_lookup(run, unit, d, i, use);
    return lookup ? lookup : alias_or_name(run, unit, d, i);
}

/* What the code has in place of constants (constants.c). */
struct rewritten {
    const bool *variable;             /* by token: a `const` that is dropped; NULL: none */
    const struct negation *negations; /* NULL: none */
};

static void add_for_code(struct run *run, const struct unit *unit, const struct declarations *d,
                         const struct rewritten *w, size_t i, struct pass_text *text) {
    struct buffer *out = &text->text;
    const struct token *t = &unit->tokens.at[i];
    const struct negation *n = w->negations ? &w->negations[i] : NULL;
    for (unsigned k = n ? n->opens : 0; k; k--)
        buffer_add_z(run, out, "!(");
    if (n && n->turns)
        buffer_add_z(run, out, token_is(t, "==") ? "!=" : "==");
    else if (!w->variable || !w->variable[i])
        buffer_add_z(run, out, spelling(run, unit, d, i, TEXT_CODE, text));
    for (unsigned k = n ? n->closes : 0; k; k--)
        buffer_add_z(run, out, ")");
}

/* Behind the brace that main begins with: inout outputs begin as what the framebuffer holds. */
static void add_fetches(struct run *run, const struct unit *unit, const struct declarations *d, size_t brace,
                        struct buffer *out) {
    bool begins_main = false;
    for (size_t k = 0; unit->framebuffer_fetch && k < d->function_count; k++)
        begins_main |= name_is(d->functions[k].name, "main") && d->functions[k].body_close &&
                       d->functions[k].body_open == brace;
    for (size_t k = 0; begins_main && k < d->variable_count; k++)
        if (d->variables[k].fetched)
            buffer_add_z(run, out,
                         run_format(run, " %s = %s(qpu_LastFragData[0]);",
                                    alias_or_name(run, unit, d, d->variables[k].token),
                                    d->variables[k].type->text));
}

void essl_text(struct run *run, const struct unit *unit, const struct declarations *d,
               enum fe_precision default_float, const bool *skip, enum text_use use, struct pass_text *out) {
    out->first_line = 1;
    out->highp_coordinates = has_highp_coordinates(unit, default_float);
    prologue(run, unit, d, default_float, use, out);
    struct rewritten rewritten = {NULL, essl_constant_comparisons(run, unit, d)};
    if (use == TEXT_CODE)
        rewritten.variable = essl_unfolded_constants(run, unit, d);
    out->differs = rewritten.negations != NULL;
    struct unfolded_call calls[8];
    size_t depth = 0, round = 0;
    for (size_t i = 0; i < unit->tokens.count && !run->failed; i++) {
        const struct token *t = &unit->tokens.at[i];
        bool is_called = i + 1 < unit->tokens.count && token_is(t + 1, "(");
        round += token_is(t, "(");
        round -= token_is(t, ")") && round;
        struct unfolded_call *call = depth ? &calls[depth - 1] : NULL;
        out->differs |= needs_code_text(unit, d, i);
        if ((skip && skip[i]) || (d->sequence_operands && d->sequence_operands[i])) {
            /* left out */
        } else if (use == TEXT_CHECK && is_called && depth < 8 &&
                   essl_unfolded(run, unit, d, i, &calls[depth])) {
            out->differs = true;
            depth++;
        } else if (call && i == call->open) {
            buffer_add_z(run, &out->text, call->before);
        } else if (call && i == call->comma) {
            buffer_add_z(run, &out->text, call->between);
        } else if (call && i == call->close) {
            buffer_add_z(run, &out->text, call->after);
            depth--;
        } else if (add_empty(run, unit, d, i, &out->text)) {
            /* written */
        } else if (token_is(t, ",") && separates_members(unit, d, i)) {
            add_member_type(run, unit, d, i + 1, &out->text);
        } else if (unit->framebuffer_fetch && unit->version != 100 && !round && token_is(t, "inout")) {
            buffer_add_z(run, &out->text, "out"); /* glslang lets outputs be read */
        } else if (t->kind == T_IDENTIFIER && unit->framebuffer_fetch && token_is(t, "gl_LastFragData")) {
            buffer_add_z(run, &out->text, "qpu_LastFragData");
        } else if (use == TEXT_CODE && t->kind != T_DIRECTIVE) {
            add_for_code(run, unit, d, &rewritten, i, out);
        } else if (t->kind != T_DIRECTIVE) {
            buffer_add_z(run, &out->text, spelling(run, unit, d, i, use, out));
        }
        add_fetches(run, unit, d, i, &out->text);
        buffer_add_z(run, &out->text, "\n");
    }
}
