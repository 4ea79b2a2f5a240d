/* The text form, read. One line each:
 *
 *   ; comment
 *   shader fragment|vertex|coordinate [lowered] [point_size] [discard]
 *   file "name"
 *   uniform|sampler|input|output "name" float|int|uint|bool|sampler2D|samplerCube ROWSxCOLS word N
 *       [highp|mediump|lowp] [flat|linear] [array N] [invariant] [used] [location N] [@file:line:column]
 *   words uniform|sampler|input|output N      when the table has other words than its entries add up to
 *   var "name" f32|i32|bool WORDS [mediump|lowp]
 *   attr SIZE SYMBOL [column N]               after lower_stage: one per attribute
 *   vary WORD|point                           after lower_stage: one per FIFO position
 *   bN:                                       a block; the first is the entry
 *     [%N =] operation[.type] [immediate] [, %source ...] [mediump|lowp] [exact] [@file:line:column]
 *     %N = phi.type bN %source, ...
 *     jump bN  /  branch %cond, bN, bN  /  end
 *
 * Immediates: 1.5, -3, true, #0xbits (const); slots as u[3], tex1.p0, vp_x_scale, stream, array[3], #0xbits
 * or expr(fmul, u[3], 2.0), each with :type where it is not the expected one; v0[2] (variable 0, word 2);
 * u[4+8] (eight words from word 4); s0.cube.bias (texture); a plain number (index).
 *
 * The text is not trusted: ids are bounded, nesting is bounded, and what was read has to pass ir_verify. */
#include "ir/internal.h"

#include <ctype.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ID (1u << 22)
#define MAX_NESTING 64
#define WORD 80 /* longest word, with its zero */

struct line_of {
    const struct ir_inst *inst;
    uint32_t line;
};

/* Numbers in the text to what they name; outside the arena, where it can grow and go. */
struct map {
    void **entry;
    uint32_t capacity, next; /* next: one more than the largest number seen */
};

struct parser {
    const char *at, *end;
    uint32_t line;
    struct ir_shader *shader;
    struct ir_block *block; /* the one being filled */
    struct map values, places;
    struct line_of *lines;
    uint32_t nlines, cap_lines;
    bool started, failed;
    char *error;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct parser *p, const char *format, ...) {
    if (p->failed)
        return false;
    p->failed = true;
    if (!p->error || !p->size)
        return false;
    int n = snprintf(p->error, p->size, "line %u: ", p->line);
    if (n < 0 || (size_t)n >= p->size)
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(p->error + n, p->size - (size_t)n, format, args);
    va_end(args);
    return false;
}

/* --- characters and words
 * ------------------------------------------------------------------------------------------ */

static int peek(const struct parser *p) {
    return p->at < p->end ? (unsigned char)*p->at : -1;
}

static void blanks(struct parser *p) {
    while (peek(p) == ' ' || peek(p) == '\t' || peek(p) == '\r')
        p->at++;
    if (peek(p) == ';')
        while (p->at < p->end && *p->at != '\n')
            p->at++;
}

static bool at_line_end(struct parser *p) {
    blanks(p);
    return peek(p) == -1 || peek(p) == '\n';
}

static bool accept(struct parser *p, char c) {
    blanks(p);
    if (peek(p) != (unsigned char)c)
        return false;
    p->at++;
    return true;
}

static bool expect(struct parser *p, char c) {
    return accept(p, c) || fail(p, "expected '%c'", c);
}

/* A word: letters, digits, '_' and '.', begun by a letter or '_'. Empty where there is none. */
static void word(struct parser *p, char out[WORD]) {
    size_t n = 0;
    blanks(p);
    const char *start = p->at;
    if (isalpha(peek(p)) || peek(p) == '_')
        while (n < WORD - 1 && (isalnum(peek(p)) || peek(p) == '_' || peek(p) == '.'))
            out[n++] = *p->at++;
    if (n == WORD - 1) {
        n = 0;
        p->at = start;
    }
    out[n] = 0;
}

static bool accept_word(struct parser *p, const char *want) {
    char text[WORD];
    blanks(p);
    const char *start = p->at;
    word(p, text);
    if (strcmp(text, want) == 0)
        return true;
    p->at = start;
    return false;
}

static bool digits(struct parser *p, uint32_t *out) {
    uint64_t value = 0;
    if (!isdigit(peek(p)))
        return fail(p, "expected a number");
    while (isdigit(peek(p))) {
        value = value * 10 + (uint64_t)(*p->at++ - '0');
        if (value > UINT32_MAX)
            return fail(p, "number too large");
    }
    *out = (uint32_t)value;
    return true;
}

static bool number(struct parser *p, uint32_t *out) {
    blanks(p);
    return digits(p, out);
}

static bool hex(struct parser *p, uint32_t *out) {
    uint64_t value = 0;
    if (p->end - p->at < 3 || p->at[0] != '0' || (p->at[1] | 32) != 'x' || !isxdigit((unsigned char)p->at[2]))
        return fail(p, "expected 0x and hexadecimal digits");
    for (p->at += 2; isxdigit(peek(p)); p->at++) {
        int c = peek(p);
        value = value * 16 + (uint64_t)(isdigit(c) ? c - '0' : (c | 32) - 'a' + 10);
        if (value > UINT32_MAX)
            return fail(p, "number too large");
    }
    *out = (uint32_t)value;
    return true;
}

/* What follows a letter inside a word: "tex12" has 12 behind "tex". */
static bool number_at(const char **text, uint32_t *out) {
    uint64_t value = 0;
    if (!isdigit((unsigned char)**text))
        return false;
    for (; isdigit((unsigned char)**text); ++*text) {
        value = value * 10 + (uint64_t)(**text - '0');
        if (value > UINT32_MAX)
            return false;
    }
    *out = (uint32_t)value;
    return true;
}

static char *string(struct parser *p) {
    if (!expect(p, '"'))
        return NULL;
    const char *scan = p->at;
    while (scan < p->end && *scan != '"' && *scan != '\n')
        scan += *scan == '\\' && p->end - scan > 1 ? 2 : 1;
    if (scan >= p->end || *scan != '"') {
        fail(p, "string without an end");
        return NULL;
    }
    char *text = ir_alloc(p->shader->arena, (size_t)(scan - p->at) + 1);
    size_t n = 0;
    while (p->at < scan) {
        int c = (unsigned char)*p->at++;
        if (c == '\\') {
            c = (unsigned char)*p->at++; /* there is one: the scan above stepped over both */
            if (c == 'x') {
                if (scan - p->at < 2 || !isxdigit((unsigned char)p->at[0]) ||
                    !isxdigit((unsigned char)p->at[1])) {
                    fail(p, "bad escape");
                    return NULL;
                }
                char two[3] = {p->at[0], p->at[1], 0};
                c = (int)strtoul(two, NULL, 16);
                p->at += 2;
            }
        }
        if (c == 0) {
            fail(p, "zero byte in a string");
            return NULL;
        }
        text[n++] = (char)c;
    }
    p->at = scan + 1;
    return text;
}

static int index_of(const char *text, const char *const *names, int count) {
    for (int k = 0; k < count; k++)
        if (strcmp(text, names[k]) == 0)
            return k;
    return -1;
}

static bool type_named(const char *text, enum ir_type *out) {
    static const char *const names[] = {"void", "f32", "i32", "bool"};
    int k = index_of(text, names, 4);
    if (k > 0)
        *out = (enum ir_type)k;
    return k > 0;
}

static bool loc(struct parser *p, struct ir_loc *out) { /* behind the '@' */
    uint32_t file, line, column;
    if (!number(p, &file) || !expect(p, ':') || !number(p, &line) || !expect(p, ':') || !number(p, &column))
        return false;
    if (file > UINT16_MAX || column > UINT16_MAX)
        return fail(p, "position out of range");
    *out = (struct ir_loc){.line = line, .column = (uint16_t)column, .file = (uint16_t)file};
    return true;
}

static const char *const precisions[] = {"highp", "mediump", "lowp"};

/* --- header
 * -------------------------------------------------------------------------------------------------------- */

static struct ir_symtab *table_named(struct parser *p, const char *text) {
    return strcmp(text, "uniform") == 0   ? &p->shader->uniforms
           : strcmp(text, "sampler") == 0 ? &p->shader->samplers
           : strcmp(text, "input") == 0   ? &p->shader->inputs
           : strcmp(text, "output") == 0  ? &p->shader->outputs
                                          : NULL;
}

static bool symbol_attributes(struct parser *p, struct ir_symbol *s) {
    char text[WORD];
    uint32_t value;
    while (!at_line_end(p)) {
        if (accept(p, '@')) {
            if (!loc(p, &s->loc))
                return false;
            continue;
        }
        word(p, text);
        int precision = index_of(text, precisions, 3);
        if (precision >= 0)
            s->precision = (uint8_t)precision;
        else if (strcmp(text, "flat") == 0)
            s->interp = IR_FLAT;
        else if (strcmp(text, "linear") == 0)
            s->interp = IR_LINEAR;
        else if (strcmp(text, "invariant") == 0)
            s->invariant = true;
        else if (strcmp(text, "used") == 0)
            s->used = true;
        else if (strcmp(text, "noarray") == 0)
            s->is_array = false;
        else if (strcmp(text, "array") == 0) {
            if (!number(p, &s->array_len))
                return false;
            s->is_array = true;
        } else if (strcmp(text, "location") == 0) {
            if (!number(p, &value))
                return false;
            if (value > INT32_MAX)
                return fail(p, "location out of range");
            s->location = (int32_t)value;
        } else
            return fail(p, "unknown attribute '%s'", text);
    }
    return true;
}

static bool symbol(struct parser *p, struct ir_symtab *table) {
    static const char *const bases[] = {"float", "int", "uint", "bool", "sampler2D", "samplerCube"};
    char text[WORD];
    uint32_t rows, cols;
    const char *name = string(p);
    if (!name)
        return false;
    struct ir_symbol *s = ir_add_symbol(p->shader, table, name);
    word(p, text);
    int base = index_of(text, bases, 6);
    if (base < 0)
        return fail(p, "unknown base type '%s'", text);
    if (!number(p, &rows) || peek(p) != 'x')
        return fail(p, "expected ROWSxCOLS");
    p->at++;
    if (!digits(p, &cols))
        return false;
    if (rows > 4 || cols > 4)
        return fail(p, "more than 4 rows or columns");
    s->base = (uint8_t)base;
    s->rows = (uint8_t)rows;
    s->cols = (uint8_t)cols;
    if (accept_word(p, "word") && !number(p, &s->word))
        return false;
    if (!symbol_attributes(p, s))
        return false;
    if (s->array_len > 1u << 24 || table->words > 1u << 28)
        return fail(p, "array too long");
    table->words += ir_symbol_words(s);
    return true;
}

static bool variable(struct parser *p) {
    char text[WORD];
    enum ir_type type;
    uint32_t words;
    const char *name = string(p);
    if (!name)
        return false;
    word(p, text);
    if (!type_named(text, &type))
        return fail(p, "unknown type '%s'", text);
    if (!number(p, &words))
        return false;
    if (words > 1u << 20)
        return fail(p, "variable too large");
    uint32_t v = ir_add_var(p->shader, name, type, words);
    while (!at_line_end(p)) {
        word(p, text);
        int precision = index_of(text, precisions, 3);
        if (precision < 0)
            return fail(p, "unknown attribute '%s'", text);
        p->shader->vars[v].precision = (uint8_t)precision;
    }
    return true;
}

static bool shader_line(struct parser *p) {
    static const char *const stages[] = {"vertex", "fragment", "coordinate"};
    char text[WORD];
    word(p, text);
    int stage = index_of(text, stages, 3);
    if (p->started || stage < 0)
        return fail(p, p->started ? "a second shader" : "unknown stage '%s'", text);
    p->shader->stage = (enum ir_stage)stage;
    p->started = true;
    while (!at_line_end(p)) {
        word(p, text);
        if (strcmp(text, "lowered") == 0)
            p->shader->lowered = true;
        else if (strcmp(text, "point_size") == 0)
            p->shader->point_size = true;
        else if (strcmp(text, "discard") == 0)
            p->shader->uses_discard = true;
        else
            return fail(p, "unknown flag '%s'", text);
    }
    return true;
}

static bool header_line(struct parser *p) {
    struct ir_shader *shader = p->shader;
    char text[WORD];
    uint32_t a, b, column = 0;
    word(p, text);
    if (strcmp(text, "shader") == 0)
        return shader_line(p);
    if (!p->started)
        return fail(p, "expected 'shader STAGE' first");
    struct ir_symtab *table = table_named(p, text);
    if (table)
        return symbol(p, table);
    if (strcmp(text, "file") == 0) {
        const char *name = string(p);
        if (name && shader->nfiles < UINT16_MAX)
            ir_add_file(shader, name);
        return name || fail(p, "expected a name");
    }
    if (strcmp(text, "words") == 0) {
        word(p, text);
        table = table_named(p, text);
        return table ? number(p, &table->words) : fail(p, "unknown table '%s'", text);
    }
    if (strcmp(text, "var") == 0)
        return variable(p);
    if (strcmp(text, "attr") == 0) {
        if (!number(p, &a) || !number(p, &b))
            return false;
        if (shader->nattr == 8 || a > UINT8_MAX)
            return fail(p, "more than 8 attributes or one too large");
        if (accept_word(p, "column") && !number(p, &column))
            return false;
        if (column > UINT8_MAX)
            return fail(p, "attribute column too large");
        shader->attr_column[shader->nattr] = (uint8_t)column;
        shader->attr_size[shader->nattr] = (uint8_t)a;
        shader->attr_symbol[shader->nattr++] = b;
        return true;
    }
    if (strcmp(text, "vary") == 0) {
        a = UINT32_MAX;
        if (!accept_word(p, "point") && !number(p, &a))
            return false;
        if (shader->nvary == 64)
            return fail(p, "more than 64 varyings");
        shader->vary_symbol_word[shader->nvary++] = a;
        return true;
    }
    return fail(p, "unknown line '%s'", text);
}

/* --- values and blocks by number
 * ------------------------------------------------------------------------------------- */

static void **entry(struct parser *p, struct map *map, uint32_t id) {
    if (id >= MAX_ID) {
        fail(p, "number %u too large", id);
        return NULL;
    }
    if (id >= map->capacity) {
        uint32_t want = map->capacity ? map->capacity : 256;
        while (want <= id)
            want *= 2;
        void **larger = realloc(map->entry, want * sizeof *larger);
        if (!larger) {
            fail(p, "out of memory");
            return NULL;
        }
        memset(larger + map->capacity, 0, (want - map->capacity) * sizeof *larger);
        map->entry = larger;
        map->capacity = want;
    }
    if (map->next <= id)
        map->next = id + 1;
    return &map->entry[id];
}

/* The value %id, perhaps one whose line is yet to come (its op is IR_OP_COUNT till then). */
static struct ir_inst *value_numbered(struct parser *p, uint32_t id) {
    void **at = entry(p, &p->values, id);
    if (!at)
        return NULL;
    if (!*at) {
        struct ir_inst *inst = ir_alloc(p->shader->arena, sizeof *inst);
        inst->op = IR_OP_COUNT;
        inst->id = id;
        *at = inst;
    }
    return *at;
}

/* The block bN, perhaps one whose lines are yet to come (its shader is NULL till then). */
static struct ir_block *block_numbered(struct parser *p, uint32_t id) {
    void **at = entry(p, &p->places, id);
    if (!at)
        return NULL;
    if (!*at) {
        struct ir_block *block = ir_alloc(p->shader->arena, sizeof *block);
        block->id = id;
        *at = block;
    }
    return *at;
}

static struct ir_inst *source(struct parser *p) {
    uint32_t id;
    if (!expect(p, '%') || !digits(p, &id))
        return NULL;
    return value_numbered(p, id);
}

static struct ir_block *block_reference(struct parser *p) {
    char text[WORD];
    uint32_t id;
    word(p, text);
    const char *rest = text + 1;
    if (text[0] != 'b' || !number_at(&rest, &id) || *rest) {
        fail(p, "expected a block");
        return NULL;
    }
    return block_numbered(p, id);
}

/* --- immediates
 * ------------------------------------------------------------------------------------------------------ */

static bool constant(struct parser *p, enum ir_type type, uint32_t *out) {
    char text[WORD];
    size_t n = 0;
    blanks(p);
    if (accept(p, '#'))
        return hex(p, out);
    if (type == IR_BOOL) {
        *out = accept_word(p, "true");
        return *out || accept_word(p, "false") || fail(p, "expected true or false");
    }
    if (type == IR_I32 && p->end - p->at > 1 && p->at[0] == '0' && (p->at[1] | 32) == 'x')
        return hex(p, out);
    bool point = false, negative = peek(p) == '-';
    const char *decimal = localeconv()->decimal_point;
    while (n < WORD - 1 && (isdigit(peek(p)) || (peek(p) && strchr("+-.eE", peek(p)) && peek(p) != -1))) {
        text[n] = *p->at++;
        point |= !isdigit((unsigned char)text[n]) && n > 0;
        if (text[n] == '.')
            text[n] = decimal[0];
        n++;
    }
    text[n] = 0;
    char *end = text;
    if (type == IR_F32) {
        float value = strtof(text, &end);
        memcpy(out, &value, sizeof value);
    } else if (!point) {
        long long value = strtoll(text, &end, 10);
        if (value > (long long)UINT32_MAX || value < INT32_MIN || (negative && value == 0 && n < 2))
            return fail(p, "number out of range");
        *out = (uint32_t)value;
    }
    return n > 0 && *end == 0 ? true : fail(p, "expected a constant");
}

static const struct ir_op_info *op_named(const char *text, enum ir_op *op) {
    for (int k = 0; k < IR_OP_COUNT; k++)
        if (strcmp(ir_op_info((enum ir_op)k)->text, text) == 0) {
            *op = (enum ir_op)k;
            return ir_op_info(*op);
        }
    return NULL;
}

static bool bracketed(struct parser *p, uint32_t *out) {
    return expect(p, '[') && number(p, out) && expect(p, ']');
}

static bool slot(struct parser *p, enum ir_type expected, int depth, uint32_t *out);

/* Behind "expr". The types of arguments follow from the operation; a result of any type is the expected one.
 */
static bool expression(struct parser *p, enum ir_type expected, int depth, struct ir_slot *s) {
    char text[WORD];
    enum ir_op op;
    if (depth >= MAX_NESTING)
        return fail(p, "nested too deep");
    if (!expect(p, '('))
        return false;
    word(p, text);
    const struct ir_op_info *info = op_named(text, &op);
    if (!info)
        return fail(p, "unknown operation '%s'", text);
    s->kind = IR_SLOT_EXPR;
    s->op = (uint16_t)op;
    char result = info->result[0];
    enum ir_type type = result == 'f' ? IR_F32 : result == 'i' ? IR_I32 : result == 'b' ? IR_BOOL : expected;
    s->type = (uint8_t)type;
    blanks(p);
    if (peek(p) == '[' && !bracketed(p, &s->value))
        return false;
    while (accept(p, ',')) {
        if (s->narg == 4)
            return fail(p, "more than four arguments");
        char kind = ir_source_kind(info, s->narg);
        enum ir_type want = kind == 'f' ? IR_F32 : kind == 'i' ? IR_I32 : kind == 'b' ? IR_BOOL : type;
        if (!slot(p, want, depth + 1, &s->arg[s->narg]))
            return false;
        s->narg++;
    }
    return expect(p, ')');
}

static bool slot(struct parser *p, enum ir_type expected, int depth, uint32_t *out) {
    struct ir_slot s = {.type = (uint8_t)expected};
    char text[WORD];
    uint32_t part;
    word(p, text);
    const char *rest = text;
    if (!text[0] || strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        p->at -= strlen(text);
        s.kind = IR_SLOT_CONST;
        if (!constant(p, expected, &s.value))
            return false;
    } else if (strcmp(text, "u") == 0) {
        s.kind = IR_SLOT_UNIFORM;
        if (!bracketed(p, &s.value))
            return false;
    } else if (strcmp(text, "array") == 0) {
        s.kind = IR_SLOT_ARRAY;
        if (!bracketed(p, &s.value))
            return false;
    } else if (strcmp(text, "stream") == 0) {
        s.kind = IR_SLOT_STREAM;
    } else if (strcmp(text, "expr") == 0) {
        if (!expression(p, expected, depth, &s))
            return false;
    } else if (strncmp(text, "tex", 3) == 0 && (rest = text + 3, number_at(&rest, &s.value)) &&
               rest[0] == '.' && rest[1] == 'p' && (rest += 2, number_at(&rest, &part)) && !*rest &&
               part < 4) {
        s.kind = IR_SLOT_TEX;
        s.param = (uint8_t)part;
    } else {
        int state = index_of(text, ir_state_names, IR_STATE_COUNT);
        if (state < 0)
            return fail(p, "unknown slot '%s'", text);
        s.kind = IR_SLOT_STATE;
        s.value = (uint32_t)state;
    }
    if (accept(p, ':')) {
        enum ir_type type;
        word(p, text);
        if (!type_named(text, &type))
            return fail(p, "unknown type '%s'", text);
        s.type = (uint8_t)type;
    }
    *out = ir_slot(p->shader, s);
    return true;
}

static bool texture(struct parser *p, struct ir_inst *inst) {
    char text[WORD];
    word(p, text);
    const char *rest = text + 1;
    if (text[0] != 's' || !number_at(&rest, &inst->imm))
        return fail(p, "expected a sampler");
    while (*rest) {
        size_t n = strcspn(rest + 1, ".") + 1;
        if (n == 5 && strncmp(rest, ".cube", n) == 0)
            inst->aux |= IR_TEX_CUBE;
        else if (n == 5 && strncmp(rest, ".bias", n) == 0)
            inst->aux |= IR_TEX_BIAS;
        else if (n == 4 && strncmp(rest, ".lod", n) == 0)
            inst->aux |= IR_TEX_LOD;
        else
            return fail(p, "unknown texture flag '%s'", rest);
        rest += n;
    }
    return true;
}

static bool immediate(struct parser *p, const struct ir_op_info *info, struct ir_inst *inst) {
    char text[WORD];
    const char *rest;
    switch (info->imm) {
    case IR_IMM_NONE: return true;
    case IR_IMM_BITS: return constant(p, (enum ir_type)inst->type, &inst->imm);
    case IR_IMM_SLOT: return slot(p, (enum ir_type)inst->type, 0, &inst->imm);
    case IR_IMM_INDEX: return number(p, &inst->imm) && (!accept(p, '+') || number(p, &inst->aux));
    case IR_IMM_VAR:
        word(p, text);
        rest = text + 1;
        if (text[0] != 'v' || !number_at(&rest, &inst->imm) || *rest)
            return fail(p, "expected a variable");
        return bracketed(p, &inst->aux);
    case IR_IMM_BUILTIN: {
        word(p, text);
        int builtin = index_of(text, ir_builtin_names, IR_BUILTIN_COUNT);
        inst->imm = (uint32_t)builtin;
        return builtin >= 0 || fail(p, "unknown builtin '%s'", text);
    }
    case IR_IMM_RANGE:
        return (accept_word(p, "u") || fail(p, "expected u[WORD+COUNT]")) && expect(p, '[') &&
               number(p, &inst->imm) && expect(p, '+') && number(p, &inst->aux) && expect(p, ']');
    case IR_IMM_TEX: return texture(p, inst);
    }
    return fail(p, "unknown immediate");
}

/* --- instructions
 * ---------------------------------------------------------------------------------------------------- */

static bool add_source(struct parser *p, struct ir_inst *inst, struct ir_block *from, uint32_t *capacity) {
    struct ir_inst *value = source(p);
    if (!value)
        return false;
    if (inst->op == IR_PHI) {
        ir_phi_add(inst, from, value);
        return true;
    }
    inst->src = ir_grow(p->shader->arena, inst->src, inst->nsrc, capacity, sizeof *inst->src);
    inst->src[inst->nsrc++] = value;
    return true;
}

static bool operands(struct parser *p, const struct ir_op_info *info, struct ir_inst *inst) {
    uint32_t capacity = 0, targets = 0, most = inst->op == IR_BRANCH ? 2 : inst->op == IR_JUMP ? 1 : 0;
    bool comma = info->imm != IR_IMM_NONE;
    for (;; comma = true) {
        blanks(p);
        int c = peek(p);
        if (comma ? !accept(p, ',') : c != '%' && c != 'b')
            break;
        blanks(p);
        struct ir_block *block = NULL;
        if (peek(p) == 'b' && !(block = block_reference(p)))
            return false;
        if (block && inst->op != IR_PHI) {
            if (targets == most)
                return fail(p, "too many blocks");
            p->block->succ[targets++] = block;
            continue;
        }
        if (inst->op == IR_PHI && !block)
            return fail(p, "expected a block");
        if (!add_source(p, inst, block, &capacity))
            return false;
    }
    return targets == most || fail(p, "expected %u blocks", most);
}

static bool attributes(struct parser *p, struct ir_inst *inst) {
    char text[WORD];
    while (!at_line_end(p)) {
        if (accept(p, '@')) {
            if (!loc(p, &inst->loc))
                return false;
            continue;
        }
        word(p, text);
        int precision = index_of(text, precisions, 3);
        if (precision >= 0)
            inst->precision = (uint8_t)precision;
        else if (strcmp(text, "exact") == 0)
            inst->exact = true;
        else
            return text[0] ? fail(p, "unknown attribute '%s'", text) : fail(p, "unexpected character");
    }
    return true;
}

static bool result_type(struct parser *p, const struct ir_op_info *info, const char *suffix,
                        enum ir_type *out) {
    enum ir_type said = IR_VOID;
    if (*suffix && !type_named(suffix, &said))
        return fail(p, "unknown type '%s'", suffix);
    switch (info->result[0]) {
    case 'f': *out = IR_F32; break;
    case 'i': *out = IR_I32; break;
    case 'b': *out = IR_BOOL; break;
    case '-': *out = IR_VOID; break;
    default: *out = said; return said != IR_VOID || fail(p, "%s needs a type", info->text);
    }
    return !*suffix || said == *out || fail(p, "%s does not give %s", info->text, suffix);
}

static bool instruction_line(struct parser *p) {
    char text[WORD];
    enum ir_op op;
    enum ir_type type = IR_VOID;
    struct ir_inst *inst = NULL;
    if (p->block->last && ir_op_info(p->block->last->op)->terminator)
        return fail(p, "instruction behind the end of its block");
    blanks(p);
    if (peek(p) == '%') {
        inst = source(p);
        if (!inst || !expect(p, '='))
            return false;
        if (inst->op != IR_OP_COUNT)
            return fail(p, "%%%u is there already", inst->id);
    }
    word(p, text);
    char *dot = strchr(text, '.');
    if (dot)
        *dot = 0;
    const struct ir_op_info *info = op_named(text, &op);
    if (!info)
        return text[0] ? fail(p, "unknown operation '%s'", text) : fail(p, "expected an operation");
    if (!result_type(p, info, dot ? dot + 1 : "", &type))
        return false;
    if ((type == IR_VOID) == (inst != NULL))
        return fail(p, "%s %s", text, inst ? "has no result" : "needs a name for its result");
    if (!inst) { /* numbered when all others are known */
        inst = ir_alloc(p->shader->arena, sizeof *inst);
        inst->id = UINT32_MAX;
    }
    inst->op = (uint16_t)op;
    inst->type = (uint8_t)type;
    ir_link(inst, p->block, NULL);
    if (p->nlines == p->cap_lines) {
        uint32_t want = p->cap_lines ? p->cap_lines * 2 : 256;
        struct line_of *larger = realloc(p->lines, want * sizeof *larger);
        if (!larger)
            return fail(p, "out of memory");
        p->lines = larger;
        p->cap_lines = want;
    }
    p->lines[p->nlines++] = (struct line_of){inst, p->line};
    return immediate(p, info, inst) && operands(p, info, inst) && attributes(p, inst);
}

/* "bN:" opens a block; false, and nothing read, if the line is something else. */
static bool block_line(struct parser *p) {
    char text[WORD];
    uint32_t id;
    blanks(p);
    const char *start = p->at;
    word(p, text);
    const char *rest = text + 1;
    if (text[0] != 'b' || !number_at(&rest, &id) || *rest || !accept(p, ':')) {
        p->at = start;
        return false;
    }
    struct ir_shader *shader = p->shader;
    struct ir_block *block = block_numbered(p, id);
    if (!block)
        return true;
    if (!p->started || block->shader) {
        fail(p, block->shader ? "b%u is there already" : "expected 'shader STAGE' before b%u", id);
        return true;
    }
    block->shader = shader;
    shader->blocks =
        ir_grow(shader->arena, shader->blocks, shader->nblocks, &shader->cap_blocks, sizeof *shader->blocks);
    shader->blocks[shader->nblocks++] = block;
    p->block = block;
    return true;
}

static bool line(struct parser *p) {
    if (at_line_end(p))
        return true;
    if (!block_line(p) && !(p->block ? instruction_line(p) : header_line(p)))
        return false;
    if (p->failed)
        return false;
    return at_line_end(p) || fail(p, "unexpected text at the end of the line");
}

/* All lines are read: nothing may be missing, and it has to be a sound shader. */
static bool finish(struct parser *p) {
    struct ir_shader *shader = p->shader;
    char text[256];
    if (!p->started)
        return fail(p, "no shader");
    for (uint32_t id = 0; id < p->places.next; id++) {
        struct ir_block *block = p->places.entry[id];
        if (block && !block->shader)
            return fail(p, "no block b%u", id);
    }
    for (uint32_t id = 0; id < p->values.next; id++) {
        struct ir_inst *inst = p->values.entry[id];
        if (inst && inst->op == IR_OP_COUNT)
            return fail(p, "no value %%%u", id);
    }
    shader->next_id = p->values.next;
    shader->next_block_id = p->places.next;
    ir_for_blocks(shader, block) {
        ir_for_insts(block, inst) {
            if (inst->id == UINT32_MAX)
                inst->id = shader->next_id++;
        }
    }
    const struct ir_inst *where;
    if (!ir_verify_where(shader, text, sizeof text, &where)) {
        for (uint32_t k = 0; k < p->nlines; k++)
            if (p->lines[k].inst == where)
                p->line = p->lines[k].line;
        return fail(p, "%s", text);
    }
    ir_fill_preds(shader);
    return true;
}

struct ir_shader *ir_parse(const char *text, size_t length, char *error, size_t size) {
    struct parser p = {.at = text, .end = text + length, .line = 1, .error = error, .size = size};
    if (error && size)
        error[0] = 0;
    p.shader = ir_shader_create(IR_FRAGMENT);
    bool good = p.shader || fail(&p, "out of memory");
    if (good) {
        p.shader->nblocks = p.shader->next_block_id = 0; /* the text brings its own entry */
        for (; good && p.at < p.end; p.line++) {
            good = line(&p);
            if (good && ir_arena_oom(p.shader->arena))
                good = fail(&p, "too large");
            if (good && p.at < p.end)
                p.at++; /* the newline */
        }
        good = good && finish(&p);
    }
    free(p.values.entry);
    free(p.places.entry);
    free(p.lines);
    if (good)
        return p.shader;
    ir_shader_destroy(p.shader);
    return NULL;
}
