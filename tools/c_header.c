/* --emit=c: a program as a C header, for firmware and tests that link no compiler. */
#include "cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    const qpucc_program *program;
    FILE *out;
    char name[200]; /* an identifier, with which all names begin */
    bool no_memory;
};

/* Within a comment: names of SPIR-V may have anything in them, also its end. */
static void put_text(const struct writer *w, const char *text) {
    for (char last = 0; *text; last = *text++) {
        if ((last == '*' && *text == '/') || (last == '/' && *text == '*'))
            fputc(' ', w->out);
        fputc(iscntrl((unsigned char)*text) ? ' ' : *text, w->out);
    }
}

static void put_code(const struct writer *w, enum qpucc_stage stage) {
    size_t count;
    const uint64_t *code = qpucc_program_code(w->program, stage, &count);
    fprintf(w->out, "\nstatic const uint64_t %s_%s_code[%zu] = {\n", w->name, qpucc_stage_name(stage), count);
    for (size_t i = 0; i < count; i++) {
        char text[300];
        qpucc_disassemble(code[i], (unsigned)i, text, sizeof text);
        fprintf(w->out, "    0x%016llx, /* %s */\n", (unsigned long long)code[i], text);
    }
    fputs("};\n", w->out);
}

static void put_stream(const struct writer *w, enum qpucc_stage stage) {
    size_t count = qpucc_uniforms_size(w->program, stage);
    const char *name = qpucc_stage_name(stage);
    fprintf(w->out, "enum { %s_%s_words = %zu };\n", w->name, name, count);
    if (!count)
        return;
    fprintf(w->out, "static const struct qpucc_word %s_%s_stream[%zu] = {\n", w->name, name, count);
    for (size_t i = 0; i < count; i++) {
        struct qpucc_slot slot;
        const char *text = qpucc_uniform_text(w->program, stage, i);
        if (!qpucc_uniforms_slot(w->program, stage, i, &slot))
            continue;
        fprintf(w->out, "    {%d, %u, 0x%08x}, /* ", (int)slot.kind, (unsigned)slot.part,
                (unsigned)slot.value);
        put_text(w, text ? text : "");
        fputs(" */\n", w->out);
    }
    fputs("};\n", w->out);
}

/* What the header has besides uniforms, behind the same beginning. */
static bool is_own(const char *name) {
    static const char *const parts[] = {"code", "words", "stream"};
    bool own = !strcmp(name, "uniform_words") || !strcmp(name, "record");
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        for (int k = 0; k < 3; k++) {
            char text[40];
            snprintf(text, sizeof text, "%s_%s", qpucc_stage_name((enum qpucc_stage)s), parts[k]);
            own |= !strcmp(name, text);
        }
    return own;
}

static bool is_among(char **list, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(list[i], name))
            return true;
    return false;
}

/* The name as C has it, with more underscores where another one has it already: "u.a" is not "u_a". */
static char *identifier(const char *name, char **taken, size_t count) {
    enum { OWN = 16 };
    size_t length = strlen(name);
    char *out = malloc(length + count + OWN);
    for (size_t i = 0; out && i <= length; i++)
        out[i] = isalnum((unsigned char)name[i]) || !name[i] ? name[i] : '_';
    while (out && (is_own(out) || is_among(taken, count, out)))
        strcat(out, "_");
    return out;
}

static void put_uniforms(struct writer *w) {
    size_t count = qpucc_program_variable_count(w->program, QPUCC_UNIFORMS), named = 0;
    char **names = calloc(count + 1, sizeof *names);
    fprintf(w->out, "\n/* Words of the packed uniform storage. */\nenum {\n    %s_uniform_words = %zu,\n",
            w->name, qpucc_program_uniform_bytes(w->program, QPUCC_UNIFORMS_PACKED) / 4);
    for (; names && named < count; named++) {
        const struct qpucc_variable *u = qpucc_program_variable(w->program, QPUCC_UNIFORMS, named);
        names[named] = identifier(u->name, names, named);
        if (!names[named])
            break;
        fprintf(w->out, "    %s_%s = %u, /* ", w->name, names[named], u->word);
        put_text(w, u->name);
        fprintf(w->out, ": %u x %u", u->rows, u->cols);
        fprintf(w->out, u->array_length > 1 ? ", %u of them */\n" : " */\n", u->array_length);
    }
    fputs("};\n", w->out);
    w->no_memory |= !names || named < count;
    while (named)
        free(names[--named]);
    free(names);
}

static void put_record(const struct writer *w) {
    struct qpucc_record_bytes record;
    if (!qpucc_record_fill(w->program, QPUCC_RECORD_GL, NULL, &record))
        return;
    fprintf(w->out,
            "\n/* The GL shader state record, addresses 0. */\nstatic const uint8_t %s_record[%zu] = {",
            w->name, record.size);
    for (size_t i = 0; i < record.size; i++)
        fprintf(w->out, "%s0x%02x,", i % 12 ? " " : "\n    ", record.bytes[i]);
    fputs("\n};\n", w->out);
}

char *cli_c_header(const qpucc_program *program, const char *name, size_t *size) {
    struct writer w = {.program = program};
    char *text = NULL;
    w.out = open_memstream(&text, size);
    if (!w.out)
        return NULL;
    snprintf(w.name, sizeof w.name, "%s%s", isdigit((unsigned char)*name) ? "_" : "", name);
    for (char *c = w.name; *c; c++)
        *c = isalnum((unsigned char)*c) ? *c : '_';
    fprintf(w.out,
            "/* %s: VideoCore IV code, by qpucc %s. */\n"
            "#ifndef %s_QPUCC_H\n#define %s_QPUCC_H\n\n#include <stdint.h>\n\n"
            "#ifndef QPUCC_WORD\n#define QPUCC_WORD\n"
            "/* A word of a uniform stream. kind 0: value itself; 1: word `value` of the uniform storage; 2: "
            "set-up word\n"
            " * `part` of texture `value`; 3: word `value` of struct qpucc_draw_state; 5: the stream's own "
            "address;\n"
            " * 6: `value` bytes after the uniform storage's address. */\n"
            "struct qpucc_word {\n    uint8_t kind, part;\n    uint32_t value;\n};\n#endif\n",
            name, qpucc_version(), w.name, w.name);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        if (qpucc_program_code(program, (enum qpucc_stage)s, NULL)) {
            put_code(&w, (enum qpucc_stage)s);
            put_stream(&w, (enum qpucc_stage)s);
        }
    put_uniforms(&w);
    put_record(&w);
    fputs("\n#endif\n", w.out);
    if (fclose(w.out) != 0 || w.no_memory) {
        free(text);
        return NULL;
    }
    return text;
}
