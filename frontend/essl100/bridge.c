/* bridge.c: writes the two texts that glslang reads, one token a line so that a line number names a token.
 *
 * The check text is the user's own tokens at version 100. The translation is GLSL 1.40 for relaxed Vulkan
 * rules: user's names prefixed (names.c), attribute and varying as in and out, the old texture functions as
 * texture…(). 1.40 allows what 1.00 allows (functions that overload built-in ones among it) and obeys
 * precision qualifiers under Vulkan rules. */
#include "frontend/essl100/essl100.h"

#include <stdlib.h>
#include <string.h>

static const char *precision_name(enum fe_precision precision) {
    return precision == FE_LOWP ? "lowp" : precision == FE_MEDIUMP ? "mediump" : "highp";
}

static void add_line(struct run *run, struct pass_text *out, const char *text) {
    buffer_add_z(run, &out->text, text);
    buffer_add_z(run, &out->text, "\n");
    out->first_line++;
}

/* glslang does not fold matrixCompMult(a, b) where a constant is asked for. For the check ((a)*(b)) has the
 * same type and is folded; in the translation the statement's `const` goes, which 1.40 allows at every scope.
 */
static bool in_constant(const struct unit *unit, size_t i) {
    while (i-- > 0) {
        const struct token *t = &unit->tokens.at[i];
        if (token_is(t, "const"))
            return true;
        if (token_is(t, ";") || token_is(t, "{") || token_is(t, "}"))
            return false;
    }
    return false;
}

struct matrix_call {
    size_t open, comma, close;
};

static bool matrix_call(const struct unit *unit, size_t i, struct matrix_call *call) {
    *call = (struct matrix_call){.open = i + 1};
    if (i + 1 >= unit->tokens.count || !token_is(&unit->tokens.at[i + 1], "(") || !in_constant(unit, i))
        return false;
    call->close = essl_matching(&unit->tokens, i + 1);
    size_t depth = 0, commas = 0;
    for (size_t k = i + 1; k < call->close; k++) {
        const struct token *t = &unit->tokens.at[k];
        depth += token_is(t, "(") || token_is(t, "[");
        depth -= token_is(t, ")") || token_is(t, "]");
        if (depth == 1 && token_is(t, ",")) {
            call->comma = k;
            commas++;
        }
    }
    return commas == 1 && call->close < unit->tokens.count;
}

/* Names that 1.00 leaves to the user and glslang does not: two underscores in a row (reserved, yet programs
 * use them and drivers accept them), a variable or member `length`, derivatives without their extension. The
 * check text has an alias there, which spells the name in a way that essl_unalias can undo in messages. */
static bool needs_alias(const struct unit *unit, size_t i, bool own_derivatives) {
    const struct token *t = &unit->tokens.at[i];
    if (strstr(t->name->text, "__"))
        return true;
    bool bracket = i + 1 < unit->tokens.count && token_is(&unit->tokens.at[i + 1], "(");
    if (token_is(t, "length"))
        return !bracket;
    if (token_is(t, "dFdx") || token_is(t, "dFdy") || token_is(t, "fwidth"))
        return !unit->derivatives && (!bracket || own_derivatives);
    return false;
}

/* Is there a definition `type dFdx (`? */
static bool defines_derivatives(const struct unit *unit) {
    for (size_t k = 1; k + 1 < unit->tokens.count; k++) {
        const struct token *t = &unit->tokens.at[k], *type = t - 1;
        if ((token_is(t, "dFdx") || token_is(t, "dFdy") || token_is(t, "fwidth")) &&
            type->kind == T_IDENTIFIER && !token_is(type, "return") && !token_is(type, "else") &&
            token_is(t + 1, "("))
            return true;
    }
    return false;
}

const char *essl_alias(struct run *run, const struct name *name) {
    struct buffer text = {0};
    buffer_add_z(run, &text, "qpud");
    for (const char *p = name->text; *p; p++)
        buffer_add_z(run, &text, *p == '_' ? "_U" : (char[]){*p, 0});
    const char *copy = run->failed ? "qpud" : ir_strdup(run->arena, text.text);
    free(text.text);
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
            p += 3;
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
    free(out.text);
    return copy;
}

void essl_check_text(struct run *run, const struct unit *unit, enum fe_precision default_float,
                     const bool *skip, struct pass_text *out) {
    out->first_line = 1;
    bool first = unit->version == 100;
    add_line(run, out, first ? "#version 100" : "#version 300 es");
    if (unit->invariant_all)
        add_line(run, out, "#pragma STDGL invariant(all)");
    /* Extensions may come after this line: a declaration of ours must not come before them, so they go first.
     */
    for (size_t i = 0; i < unit->tokens.count; i++) {
        if (unit->tokens.at[i].kind == T_DIRECTIVE)
            add_line(run, out, unit->tokens.at[i].name->text);
    }
    /* Initialisers of global variables need not be constant: WebGL's tests ask for it, drivers accept it. */
    if (first)
        add_line(run, out, "#extension GL_EXT_shader_non_constant_global_initializers : enable");
    if (unit->stage == FE_FRAGMENT && default_float)
        add_line(run, out, run_format(run, "precision %s float;", precision_name(default_float)));
    if (unit->framebuffer_fetch) /* read-only and without a partner in the vertex stage: what a uniform is */
        add_line(run, out, "uniform mediump vec4 qpu_LastFragData[1];");
    bool own_derivatives = defines_derivatives(unit);
    struct matrix_call calls[8];
    size_t depth = 0;
    for (size_t i = 0; i < unit->tokens.count && !run->failed; i++) {
        const struct token *t = &unit->tokens.at[i];
        struct matrix_call *call = depth ? &calls[depth - 1] : NULL;
        if (skip && skip[i]) {
            /* left out */
        } else if (first && token_is(t, "matrixCompMult") && depth < 8 &&
                   matrix_call(unit, i, &calls[depth])) {
            depth++;
        } else if (call && i == call->open) {
            buffer_add_z(run, &out->text, "((");
        } else if (call && i == call->comma) {
            buffer_add_z(run, &out->text, ")*(");
        } else if (call && i == call->close) {
            buffer_add_z(run, &out->text, "))");
            depth--;
        } else if (t->kind == T_IDENTIFIER && unit->framebuffer_fetch && token_is(t, "gl_LastFragData")) {
            buffer_add_z(run, &out->text, "qpu_LastFragData");
        } else if (first && t->kind == T_IDENTIFIER && needs_alias(unit, i, own_derivatives)) {
            buffer_add_z(run, &out->text, essl_alias(run, t->name));
        } else if (t->kind != T_DIRECTIVE) {
            buffer_add(run, &out->text, t->name->text, t->name->length);
        }
        buffer_add_z(run, &out->text, "\n");
    }
}

static bool folds_matrix(const struct unit *unit, size_t constant) {
    for (size_t i = constant; i < unit->tokens.count && !token_is(&unit->tokens.at[i], ";"); i++) {
        if (token_is(&unit->tokens.at[i], "{"))
            return false;
        if (token_is(&unit->tokens.at[i], "matrixCompMult"))
            return true;
    }
    return false;
}

static bool uses(const struct unit *unit, const char *name) {
    for (size_t i = 0; i < unit->tokens.count; i++) {
        if (token_is(&unit->tokens.at[i], name))
            return true;
    }
    return false;
}

/* Is an array of samplers indexed? By more than a constant 1.40 does not allow it, and later versions build larger
 * tables. */
static bool indexes_samplers(const struct unit *unit) {
    for (size_t i = 0; i + 2 < unit->tokens.count; i++) {
        const struct token *t = &unit->tokens.at[i];
        if (t->kind == T_IDENTIFIER && strncmp(t->name->text, "sampler", 7) == 0 && t[1].kind == T_IDENTIFIER &&
            token_is(&t[2], "["))
            return true;
    }
    return false;
}

static void prologue(struct run *run, const struct unit *unit, enum fe_precision default_float,
                     struct pass_text *out) {
    bool fragment = unit->stage == FE_FRAGMENT;
    add_line(run, out, unit->version != 100 ? "#version 310 es" : indexes_samplers(unit) ? "#version 400" : "#version 140");
    if (unit->invariant_all && !fragment)
        add_line(run, out, "#pragma STDGL invariant(all)");
    add_line(
        run, out,
        run_format(
            run,
            "precision %s float; precision %s int; precision lowp sampler2D; precision lowp samplerCube;",
            fragment ? precision_name(default_float) : "highp", fragment ? "mediump" : "highp"));
    if (uses(unit, "gl_DepthRange") || uses(unit, "gl_DepthRangeParameters"))
        add_line(run, out,
                 "struct qpu_DepthRangeParameters { highp float near; highp float far; highp float diff; };"
                 "uniform qpu_DepthRangeParameters qpu_DepthRange;");
    if (!fragment)
        return;
    if (uses(unit, "gl_FragColor"))
        add_line(run, out, "out mediump vec4 qpu_FragColor;");
    if (uses(unit, "gl_FragData"))
        add_line(run, out, "out mediump vec4 qpu_FragData[1];");
    if (unit->framebuffer_fetch && uses(unit, "gl_LastFragData"))
        add_line(run, out, "in mediump vec4 qpu_LastFragData[1];");
}

static bool is_member_near_far(const struct unit *unit, size_t i) {
    /* gl_DepthRange.near: the members keep their names. */
    return i >= 2 && token_is(&unit->tokens.at[i - 1], ".") &&
           token_is(&unit->tokens.at[i - 2], "gl_DepthRange");
}

/* Between the brackets of layout(…)? */
static bool in_layout(const struct unit *unit, size_t i) {
    for (size_t k = i; k-- > 0;) {
        const struct token *t = &unit->tokens.at[k];
        if (token_is(t, "layout"))
            return true;
        if (token_is(t, ")") || token_is(t, ";") || token_is(t, "{"))
            return false;
    }
    return false;
}

static void add_identifier(struct run *run, const struct unit *unit, const struct declarations *d, size_t i,
                           struct buffer *out) {
    const struct token *t = &unit->tokens.at[i];
    struct word word = unit->version == 100 ? essl_word(t->name) : essl300_word(t->name);
    bool call = i + 1 < unit->tokens.count && token_is(&unit->tokens.at[i + 1], "(");
    bool own = unit->version == 100 && word.kind == WORD_FUNCTION && essl_is_optional(t->name) &&
               declarations_defines(d, t->name);
    if (unit->version != 100 && essl300_is_layout_word(t->name) && in_layout(unit, i)) {
        buffer_add(run, out, t->name->text, t->name->length);
        return;
    }
    if (word.kind == WORD_USER || (word.kind == WORD_FUNCTION && !call) || own) {
        if (!is_member_near_far(unit, i))
            buffer_add(run, out, "Q", 1);
        buffer_add(run, out, t->name->text, t->name->length);
    } else if (token_is(t, "varying")) {
        buffer_add_z(run, out, unit->stage == FE_VERTEX ? "out" : "in");
    } else {
        buffer_add_z(run, out, word.to);
    }
}

void essl_translate_text(struct run *run, const struct unit *unit, const struct declarations *d,
                         enum fe_precision default_float, struct pass_text *out) {
    out->first_line = 1;
    prologue(run, unit, default_float, out);
    bool drop = false; /* `invariant a, b;` of a fragment shader: 1.40 has it for outputs only */
    for (size_t i = 0; i < unit->tokens.count && !run->failed; i++) {
        const struct token *t = &unit->tokens.at[i];
        if (unit->version == 100 && unit->stage == FE_FRAGMENT && token_is(t, "invariant")) {
            drop = i + 1 < unit->tokens.count && !token_is(&unit->tokens.at[i + 1], "varying");
        } else if (drop) {
            drop = !token_is(t, ";");
        } else if (unit->version == 100 && token_is(t, "const") && folds_matrix(unit, i)) {
            /* dropped: see folds_matrix */
        } else if (t->kind == T_IDENTIFIER) {
            add_identifier(run, unit, d, i, &out->text);
        } else if (t->kind != T_DIRECTIVE) {
            buffer_add(run, &out->text, t->name->text, t->name->length);
        }
        buffer_add_z(run, &out->text, "\n");
    }
}
