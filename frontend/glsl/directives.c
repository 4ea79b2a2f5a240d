/* directives.c: #extension, with the table of the extensions that each language knows, #pragma and #line. */
#include "frontend/glsl/macros.h"
#include "frontend/glsl/preprocess.h"

#include <string.h>

/* --- #extension ----------------------------------------------------------------------------------------- */

enum { IN_100 = 1, IN_300 = 2, IN_DESKTOP = 4 };

/* What each language knows, and whether glslang has to hear of it. */
static const struct extension {
    const char *name;
    unsigned languages, first_version, glslang; /* both sets of languages */
    size_t flag;
    bool fragment_only;
} extensions[] = {
    {"GL_EXT_control_flow_attributes", IN_100 | IN_300 | IN_DESKTOP, 0, IN_100 | IN_300 | IN_DESKTOP,
     offsetof(struct unit, control_flow), false},
    {"GL_OES_standard_derivatives", IN_100 | IN_300, 0, IN_100, offsetof(struct unit, derivatives), true},
    {"GL_EXT_shader_texture_lod", IN_100, 0, IN_100, offsetof(struct unit, texture_lod), true},
    {"GL_EXT_frag_depth", IN_100, 0, IN_100, offsetof(struct unit, frag_depth), true},
    {"GL_OES_EGL_image_external", IN_100, 0, IN_100, offsetof(struct unit, external_image), false},
    {"GL_OES_EGL_image_external_essl3", IN_300, 0, IN_300, offsetof(struct unit, external_image), false},
    {"GL_EXT_shader_framebuffer_fetch", IN_100 | IN_300 | IN_DESKTOP, 0, 0,
     offsetof(struct unit, framebuffer_fetch), true},
    {"GL_EXT_draw_buffers", IN_100, 0, 0, offsetof(struct unit, draw_buffers), true},
    {"GL_ARB_draw_buffers", IN_100 | IN_DESKTOP, 0, 0, offsetof(struct unit, draw_buffers), true},
    {"GL_ARB_shader_texture_lod", IN_DESKTOP, 0, IN_DESKTOP, offsetof(struct unit, texture_lod), false},
    {"GL_ARB_texture_rectangle", IN_DESKTOP, 0, IN_DESKTOP, offsetof(struct unit, texture_rectangle), false},
    {"GL_ARB_separate_shader_objects", IN_DESKTOP, 140, IN_DESKTOP, offsetof(struct unit, separate_objects),
     false},
    {"GL_ARB_explicit_attrib_location", IN_DESKTOP, 0, IN_DESKTOP, offsetof(struct unit, explicit_location),
     false},
    {"GL_ARB_uniform_buffer_object", IN_DESKTOP, 0, IN_DESKTOP, offsetof(struct unit, uniform_blocks), false},
    {"GL_ARB_fragment_coord_conventions", IN_DESKTOP, 150, 0, offsetof(struct unit, coord_conventions), true},
    {"GL_ARB_shader_bit_encoding", IN_DESKTOP, 330, 0, offsetof(struct unit, bit_encoding), false},
    {"GL_ARB_compatibility", IN_DESKTOP, 140, 0, offsetof(struct unit, arb_compatibility), false},
    {"GL_ARB_shading_language_420pack", IN_DESKTOP, 130, IN_DESKTOP, offsetof(struct unit, pack420), false},
};

static bool knows(const struct unit *unit, const struct extension *e) {
    unsigned language = !unit->es ? IN_DESKTOP : unit->version == 100 ? IN_100 : IN_300;
    return (e->languages & language) && unit->version >= (int)e->first_version;
}

void preprocess_define_extensions(struct preprocessor *pp) {
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (knows(pp->unit, &extensions[i]))
            macros_define_number(pp, extensions[i].name, "1");
}

/* Changes what the unit may use; `how` is the behaviour's name. */
static void set_extension(struct preprocessor *pp, struct place place, const struct extension *e, bool on,
                          const char *how) {
    *(bool *)((char *)pp->unit + e->flag) = on;
    if (e->glslang && !pp->options->preprocess_only && !(e->fragment_only && pp->unit->stage == QPUCC_VERTEX))
        preprocess_keep_line(pp, place, run_format(pp->run, "#extension %s : %s", e->name, how));
}

void preprocess_extension(struct preprocessor *pp, const struct token *word, const struct tokens *line) {
    if (line->count < 3 || line->at[0].kind != T_IDENTIFIER || !token_is(&line->at[1], ":") ||
        line->at[2].kind != T_IDENTIFIER) {
        preprocess_error(pp, word->place, "#extension needs the form '#extension NAME : behaviour'");
        return;
    }
    preprocess_expect_end(pp, line, 3, "extension");
    /* Section 3.4 of both; desktop drivers are lenient, and programs rely on it. */
    if (pp->unit->es && pp->seen_token && pp->options->permissive)
        run_warn(pp->run, QPUCC_WARN_permissive, pp->unit->stage, word->place,
                 "#extension should come before any code; -fpermissive takes it here");
    else if (pp->unit->es && pp->seen_token)
        preprocess_error(pp, word->place, "#extension must come before any code");
    const struct token *name = &line->at[0], *how = &line->at[2];
    bool require = token_is(how, "require"), enable = token_is(how, "enable"), warn = token_is(how, "warn");
    if (!require && !enable && !warn && !token_is(how, "disable")) {
        run_report(pp->run, FE_ERROR, pp->unit->stage, how->place,
                   "'%s' is not an extension behaviour: use require, enable, warn or disable",
                   how->name->text);
        return;
    }
    bool all = token_is(name, "all");
    if (all) {
        if (require || enable)
            preprocess_error(pp, how->place, "#extension all allows warn and disable only");
        if (!require && !enable && !warn) {
            for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
                if (knows(pp->unit, &extensions[i]))
                    set_extension(pp, word->place, &extensions[i], false, how->name->text);
        }
        return;
    }
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        if (strcmp(extensions[i].name, name->name->text) != 0 || !knows(pp->unit, &extensions[i]))
            continue; /* later versions have them built in */
        set_extension(pp, word->place, &extensions[i], require || enable || warn, how->name->text);
        return;
    }
    if (strcmp(name->name->text, "GL_GOOGLE_cpp_style_line_directive") == 0) {
        pp->line_names = require || enable || warn;
        return;
    }
    if (require)
        run_report(pp->run, FE_ERROR, pp->unit->stage, name->place, "extension %s is not supported",
                   name->name->text);
    else if (enable || warn)
        run_warn(pp->run, QPUCC_WARN_unknown_extension, pp->unit->stage, name->place,
                 "extension %s is not supported", name->name->text);
}

/* --- #pragma -------------------------------------------------------------------------------------------- */

/* Does the text so far end inside a function's body? */
static bool is_in_function(struct preprocessor *pp) {
    const struct tokens *tokens = &pp->unit->tokens;
    for (size_t i = pp->scanned; i < tokens->count; i++) {
        if (token_is(&tokens->at[i], "{") && !pp->braces++)
            pp->in_body = i && token_is(&tokens->at[i - 1], ")");
        pp->braces -= token_is(&tokens->at[i], "}") && pp->braces;
    }
    pp->scanned = tokens->count;
    return pp->braces && pp->in_body;
}

void preprocess_pragma(struct preprocessor *pp, const struct token *word, const struct tokens *line) {
    bool late = pp->unit->version >= 120; /* ES 1.00 lets a fragment shader have it */
    bool settings = line->count && (token_is(&line->at[0], "optimize") || token_is(&line->at[0], "debug"));
    if (line->count >= 5 && token_is(&line->at[0], "STDGL") && token_is(&line->at[1], "invariant") &&
        token_is(&line->at[3], "all")) {
        if (late && pp->unit->stage == QPUCC_FRAGMENT)
            preprocess_error(pp, word->place, "#pragma STDGL invariant(all) is for vertex shaders");
        pp->unit->invariant_all = true;
    } else if (settings && pp->unit->version != 300 && is_in_function(pp)) {
        run_report(pp->run, FE_ERROR, pp->unit->stage, word->place, "#pragma %s stands outside of functions",
                   line->at[0].name->text);
    }
    /* Any other pragma is ignored, as section 3.4 asks. ES 3.00 (section 3.5) wants no error for these two.
     */
}

/* --- #line ---------------------------------------------------------------------------------------------- */

void preprocess_line_directive(struct preprocessor *pp, const struct token *word, const struct tokens *line) {
    struct tokens expanded = {0};
    bool quoted = false;
    const char *file = NULL;
    struct tokens head = *line;
    for (size_t i = 0; i < line->count; i++) {
        if (token_is(&line->at[i], "\"") &&
            pp->line_names) { /* GL_GOOGLE_cpp_style_line_directive: #line 3 "name" */
            head.count = i;
            quoted = true;
            break;
        }
    }
    if (!macros_expand_list(pp, &head, &expanded)) {
        tokens_free(pp->run, &expanded);
        return;
    }
    struct expression_error error;
    size_t split = expanded.count;
    for (size_t i = 1, depth = 0; i < expanded.count; i++) {
        /* Two expressions follow each other: the second starts where a value follows a value. */
        depth += token_is(&expanded.at[i - 1], "(");
        depth -= token_is(&expanded.at[i - 1], ")") && depth;
        bool ends = expanded.at[i - 1].kind == T_NUMBER || token_is(&expanded.at[i - 1], ")");
        bool begins = expanded.at[i].kind == T_NUMBER || token_is(&expanded.at[i], "(");
        if (ends && begins && depth == 0) {
            split = i;
            break;
        }
    }
    if (!expanded.count) {
        preprocess_error(pp, word->place, "#line needs the number of a line");
        tokens_free(pp->run, &expanded);
        return;
    }
    long long number = expression_evaluate(pp->run, expanded.at, split, word->place, pp->unit->es, &error);
    if (error.text) {
        run_report(pp->run, FE_ERROR, pp->unit->stage, error.place, "#line: %s", error.text);
        tokens_free(pp->run, &expanded);
        return;
    }
    if (split < expanded.count && !quoted) {
        long long string = expression_evaluate(pp->run, expanded.at + split, expanded.count - split,
                                               word->place, pp->unit->es, &error);
        if (error.text) {
            run_report(pp->run, FE_ERROR, pp->unit->stage, error.place, "#line: %s", error.text);
        } else {
            pp->source_string = string;
            const char *base = pp->run->files[pp->base_file];
            file = string == 0 ? base : run_join(pp->run, base, run_format(pp->run, "(%lld)", string));
        }
    }
    if (quoted && head.count < line->count) {
        struct buffer name = {0};
        for (size_t i = head.count + 1; i < line->count && !token_is(&line->at[i], "\""); i++) {
            if (line->at[i].space && name.length)
                buffer_add_z(pp->run, &name, " ");
            buffer_add_z(pp->run, &name, line->at[i].name->text);
        }
        for (char *c = name.text; c && *c; c++)
            *c = (unsigned char)*c < ' ' ? ' ' : *c; /* messages begin with it */
        if (name.text && !pp->run->failed)
            file = run_join(pp->run, name.text, "");
        buffer_free(pp->run, &name);
    }
    tokens_free(pp->run, &expanded);
    if (number < 0 || number > 0x3fffffff) {
        preprocess_error(pp, word->place, "#line: the number is out of range");
        return;
    }
    /* The newline that ends this directive is still to come and adds one. Under ES and since 3.30 the next
     * line has the number, before that it is the line of the directive. */
    bool next = pp->unit->es || pp->unit->version >= 330;
    bool newline = pp->lexer.at < pp->lexer.end;
    pp->lexer.line = (uint32_t)number - (next && (number > 0 || newline)); /* 0 - 1 + 1 is 0 again */
    if (file)
        pp->lexer.file = run_file(pp->run, file, word->place);
}
