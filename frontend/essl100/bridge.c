/* bridge.c: writes the two texts that glslang reads, one token a line so that a line number names a token.
 *
 * The check text is the user's own tokens at version 100. The translation is GLSL 1.40 for relaxed Vulkan rules: user's
 * names prefixed (names.c), attribute and varying as in and out, the old texture functions as texture…(). 1.40 allows
 * what 1.00 allows (functions that overload built-in ones among it) and obeys precision qualifiers under Vulkan rules. */
#include "frontend/essl100/essl100.h"

#include <string.h>

static const char *precision_name(enum fe_precision precision) {
    return precision == FE_LOWP ? "lowp" : precision == FE_MEDIUMP ? "mediump" : "highp";
}

static void add_line(struct run *run, struct pass_text *out, const char *text) {
    buffer_add_z(run, &out->text, text);
    buffer_add_z(run, &out->text, "\n");
    out->first_line++;
}

void essl_check_text(struct run *run, const struct unit *unit, enum fe_precision default_float, struct pass_text *out) {
    out->first_line = 1;
    add_line(run, out, "#version 100");
    if (unit->invariant_all)
        add_line(run, out, "#pragma STDGL invariant(all)");
    /* Extensions may come after this line: a declaration of ours must not come before them, so they go first. */
    for (size_t i = 0; i < unit->tokens.count; i++) {
        if (unit->tokens.at[i].kind == T_DIRECTIVE)
            add_line(run, out, unit->tokens.at[i].name->text);
    }
    if (unit->stage == FE_FRAGMENT && default_float)
        add_line(run, out, run_format(run, "precision %s float;", precision_name(default_float)));
    if (unit->framebuffer_fetch) /* read-only and without a partner in the vertex stage: what a uniform is */
        add_line(run, out, "uniform mediump vec4 qpu_LastFragData[1];");
    for (size_t i = 0; i < unit->tokens.count && !run->failed; i++) {
        const struct token *t = &unit->tokens.at[i];
        if (t->kind == T_IDENTIFIER && unit->framebuffer_fetch && token_is(t, "gl_LastFragData"))
            buffer_add_z(run, &out->text, "qpu_LastFragData");
        else if (t->kind != T_DIRECTIVE)
            buffer_add(run, &out->text, t->name->text, t->name->length);
        buffer_add_z(run, &out->text, "\n");
    }
}

static bool uses(const struct unit *unit, const char *name) {
    for (size_t i = 0; i < unit->tokens.count; i++) {
        if (token_is(&unit->tokens.at[i], name))
            return true;
    }
    return false;
}

static void prologue(struct run *run, const struct unit *unit, enum fe_precision default_float, struct pass_text *out) {
    bool fragment = unit->stage == FE_FRAGMENT;
    add_line(run, out, "#version 140");
    if (unit->invariant_all && !fragment)
        add_line(run, out, "#pragma STDGL invariant(all)");
    add_line(run, out,
             run_format(run, "precision %s float; precision %s int; precision lowp sampler2D; precision lowp samplerCube;",
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
    return i >= 2 && token_is(&unit->tokens.at[i - 1], ".") && token_is(&unit->tokens.at[i - 2], "gl_DepthRange");
}

static void add_identifier(struct run *run, const struct unit *unit, size_t i, struct buffer *out) {
    const struct token *t = &unit->tokens.at[i];
    struct word word = essl_word(t->name);
    bool call = i + 1 < unit->tokens.count && token_is(&unit->tokens.at[i + 1], "(");
    if (word.kind == WORD_USER || (word.kind == WORD_FUNCTION && !call)) {
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
    (void)d;
    out->first_line = 1;
    prologue(run, unit, default_float, out);
    bool drop = false; /* `invariant a, b;` of a fragment shader: 1.40 has it for outputs only */
    for (size_t i = 0; i < unit->tokens.count && !run->failed; i++) {
        const struct token *t = &unit->tokens.at[i];
        if (unit->stage == FE_FRAGMENT && token_is(t, "invariant")) {
            drop = i + 1 < unit->tokens.count && !token_is(&unit->tokens.at[i + 1], "varying");
        } else if (drop) {
            drop = !token_is(t, ";");
        } else if (t->kind == T_IDENTIFIER) {
            add_identifier(run, unit, i, &out->text);
        } else if (t->kind != T_DIRECTIVE) {
            buffer_add(run, &out->text, t->name->text, t->name->length);
        }
        buffer_add_z(run, &out->text, "\n");
    }
}
