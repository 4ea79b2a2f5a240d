/* One GLSL function as a vertex shader of its own: its words go through attributes and varyings, which are
 * whole 32-bit words on both sides. */
#include "native/native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The #version of a text: 300 where it has none. Comments may come before it. */
static int version_of(const char *glsl, bool *stated) {
    const char *at = glsl;
    for (;;) {
        at += strspn(at, " \t\r\n");
        const char *end = at[0] == '/' && at[1] == '/'   ? strchr(at, '\n')
                          : at[0] == '/' && at[1] == '*' ? strstr(at + 2, "*/")
                                                         : NULL;
        if (!end)
            break;
        at = end + (at[1] == '*' ? 2 : 1);
    }
    *stated = *at == '#' && !strncmp(at + 1 + strspn(at + 1, " \t"), "version", 7);
    return *stated ? atoi(at + 1 + strspn(at + 1, " \t") + 7) : 300;
}

/* Booleans come as whole numbers. */
static struct native_type carried_in(struct native_type type) {
    if (type.base == NATIVE_BOOL)
        type.base = NATIVE_INT;
    return type;
}

/* Varyings are floats on this chip: whole numbers go as their bits, booleans as 0.0 or 1.0. */
static struct native_type carried_out(struct native_type type) {
    type.base = NATIVE_FLOAT;
    return type;
}

static const char *packer(struct native_type type) {
    switch ((enum native_base)type.base) {
    case NATIVE_INT: return "intBitsToFloat";
    case NATIVE_UINT: return "uintBitsToFloat";
    case NATIVE_BOOL: return native_glsl_name(carried_out(type));
    default: return "";
    }
}

static void declare(FILE *out, const struct native_parameter *p, unsigned number, int version) {
    bool old = version < 130;
    if (p->direction & NATIVE_IN)
        fprintf(out, "%s %s qpucc_i%u;\n",
                p->uniform ? "uniform"
                : old      ? "attribute"
                           : "in",
                native_glsl_name(carried_in(p->type)), number);
    if (p->direction & NATIVE_OUT)
        fprintf(out, "%s %s qpucc_o%u;\n", old ? "varying" : "out", native_glsl_name(carried_out(p->type)),
                number);
}

static void write_main(FILE *out, const char *name, const struct native_signature *s) {
    fputs("void main() {\n", out);
    for (unsigned i = 0; i < s->count; i++) {
        const struct native_parameter *p = &s->parameters[i];
        const char *type = native_glsl_name(p->type);
        fprintf(out, "    %s qpucc_v%u", type, i);
        if (p->direction & NATIVE_IN)
            fprintf(out, " = %s(qpucc_i%u)", type, i);
        fputs(";\n", out);
    }
    bool is_void = s->result.type.base == NATIVE_VOID;
    fprintf(out, "    %s%s%s%s(", is_void ? "" : "qpucc_o99 = ", is_void ? "" : packer(s->result.type),
            is_void ? "" : "(", name);
    for (unsigned i = 0; i < s->count; i++)
        fprintf(out, "%sqpucc_v%u", i ? ", " : "", i);
    fputs(is_void ? ");\n" : "));\n", out);
    for (unsigned i = 0; i < s->count; i++)
        if (s->parameters[i].direction & NATIVE_OUT)
            fprintf(out, "    qpucc_o%u = %s(qpucc_v%u);\n", i, packer(s->parameters[i].type), i);
    fputs("    gl_Position = vec4(0.0, 0.0, 0.0, 1.0);\n}\n", out);
}

/* The shader's text; NULL: no memory. */
static char *shader_text(const char *glsl, const char *name, const struct native_signature *s) {
    char *text = NULL;
    size_t size = 0;
    bool stated;
    int version = version_of(glsl, &stated);
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (!stated)
        fputs("#version 300 es\nprecision highp float;\nprecision highp int;\n#line 1\n", out);
    fprintf(out, "%s\n", glsl);
    struct native_parameter result = s->result;
    if (result.type.base != NATIVE_VOID)
        declare(out, &result, 99, version);
    for (unsigned i = 0; i < s->count; i++)
        declare(out, &s->parameters[i], i, version);
    write_main(out, name, s);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}

/* --- binding -------------------------------------------------------------------------------------------- */

static bool is_identifier(const char *name) {
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    return length && !name[length] && (*name < '0' || *name > '9');
}

/* The shader's own names take the place of those in the text. */
static void rename_all(struct native_signature *s) {
    snprintf(s->result.output, NATIVE_NAME, "qpucc_o99");
    for (unsigned i = 0; i < s->count; i++) {
        snprintf(s->parameters[i].input, NATIVE_NAME, "qpucc_i%u", i);
        snprintf(s->parameters[i].output, NATIVE_NAME, "qpucc_o%u", i);
    }
}

static qpucc_program *compile(const char *text, const struct qpucc_options *given, char *error, size_t size) {
    struct qpucc_options options = qpucc_options_default();
    struct qpucc_source source = {"function", text, strlen(text), QPUCC_VERTEX, QPUCC_GLSL};
    options.flags |= QPUCC_NO_UNIFORM_EXPRESSIONS;
    qpucc_program *program = qpucc_compile(&source, 1, NULL, given ? given : &options);
    if (program && qpucc_program_status(program) == QPUCC_OK)
        return program;
    native_fail(error, size, "out of memory");
    for (size_t i = 0; program && i < qpucc_program_diagnostic_count(program); i++) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, i);
        if (d->severity != QPUCC_ERROR)
            continue;
        native_fail(error, size, "line %u: %s", d->line, d->text);
        break;
    }
    qpucc_program_free(program);
    return NULL;
}

struct qpucc_native *qpucc_native_bind_function(const char *glsl, const char *name, const char *signature,
                                                const struct qpucc_native_options *options, char *error,
                                                size_t error_size) {
    struct native_signature parsed;
    struct qpucc_native *native = NULL;
    qpucc_program *program = NULL;
    char *text = NULL;
    if (!native_parse(signature, false, &parsed, error, error_size))
        return NULL;
    if (!glsl || !name || !is_identifier(name)) {
        native_fail(error, error_size, "'%.40s' is no function's name", name ? name : "");
        return NULL;
    }
    if (!(text = shader_text(glsl, name, &parsed)))
        native_fail(error, error_size, "out of memory");
    else if ((program = compile(text, options ? options->compile : NULL, error, error_size))) {
        rename_all(&parsed);
        native = native_bind(program, QPUCC_VERTEX, &parsed, options, error, error_size);
        if (native)
            native->owned = program;
        else
            qpucc_program_free(program);
    }
    free(text);
    return native;
}
