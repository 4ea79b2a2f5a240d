/* module.c: turns glslang's SPIR-V into that of the user's text: the user's names, OpLine with the user's
 * file, line and column (a line of the text is a token), no embedded source, structures stored as what the
 * variable is, uniforms in the order of their declarations, the same Location for a varying in both stages.
 * */
#include "frontend/essl100/essl100.h"
#include "frontend/glsl/words.h"
#include "ir/heap.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

/* `fixed` operands, then a string. */
static void put_named(struct run *run, struct words *out, SpvOp op, const uint32_t *fixed, size_t fixed_count,
                      const char *text) {
    size_t length = strlen(text), string_words = length / 4 + 1;
    uint32_t *to = words_extend(run, out, 1 + fixed_count + string_words);
    if (!to)
        return;
    *to++ = (uint32_t)(1 + fixed_count + string_words) << SpvWordCountShift | (uint32_t)op;
    for (size_t i = 0; i < fixed_count; i++)
        *to++ = fixed[i];
    for (size_t i = 0; i < string_words; i++) {
        uint32_t word = 0;
        for (size_t b = 0; b < 4 && i * 4 + b < length; b++)
            word |= (uint32_t)(unsigned char)text[i * 4 + b] << 8 * b;
        *to++ = word;
    }
}

/* What both stages know a variable by. From 1.50 on the fixed pipeline's are members of blocks. */
static const char *user_name(struct run *run, const struct unit *unit, const char *spelling) {
    bool fragment = unit->stage == QPUCC_FRAGMENT;
    if (strcmp(spelling, "qpu_LastFragData") == 0)
        return "gl_LastFragData";
    if (fragment && strcmp(spelling, "gl_Color") == 0)
        return "gl_FrontColor";
    if (fragment && strcmp(spelling, "gl_SecondaryColor") == 0)
        return "gl_FrontSecondaryColor";
    return essl_unalias(run, spelling);
}

static bool ends_block(SpvOp op) {
    switch (op) {
    case SpvOpLabel:
    case SpvOpFunction:
    case SpvOpFunctionEnd:
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpReturn:
    case SpvOpReturnValue:
    case SpvOpKill:
    case SpvOpUnreachable: return true;
    default: return false;
    }
}

/* A literal string inside an instruction, if it ends there. */
static const char *string_at(const uint32_t *words, size_t count) {
    return count && memchr(words, 0, count * sizeof *words) ? (const char *)words : "";
}

/* --- variables ------------------------------------------------------------------------------------------ */

/* glslang declares uniforms in the order of their first uses; programs find them in the order of the text.
 * The language's own inputs and outputs that are not the hardware's get no location from glslang. */
struct variables {
    const struct declarations *declarations;
    uint32_t bound, *variable; /* by id: index in the declarations + 1 */
    bool *placed;              /* by id: it has a location, or is built in */
    const uint32_t **uniform;  /* by index in the declarations: NULL, or the OpVariable */
    size_t functions;          /* where the first function begins */
    uint32_t *unplaced;        /* ids of variables that need a location */
    uint32_t coordinates;      /* gl_FragCoord by its alias; 0: there is none */
    size_t unplaced_count, unplaced_capacity;
};

static bool is_plain_uniform(const struct variable *v) {
    return v->storage == STORE_UNIFORM && strncmp(v->type->text, "sampler", 7) != 0;
}

/* Plain uniforms are found by their names' marks, their index + 1. */
static void mark_uniforms(const struct declarations *d, bool mark) {
    for (size_t i = 0; i < d->variable_count; i++)
        if (is_plain_uniform(&d->variables[i]))
            ((struct name *)d->variables[i].name)->mark = mark ? (uint32_t)i + 1 : 0;
}

static void variables_end(struct variables *u) {
    mark_uniforms(u->declarations, false);
    ir_heap_free(u->unplaced);
}

static void note_unplaced(struct run *run, struct variables *u, uint32_t id) {
    void *array = u->unplaced;
    if (run_grow(run, &array, &u->unplaced_capacity, u->unplaced_count, sizeof *u->unplaced)) {
        u->unplaced = array;
        u->unplaced[u->unplaced_count++] = id;
    }
}

/* Names come before decorations, decorations before variables. */
static void note_variable(struct run *run, struct variables *u, const uint32_t *w, size_t length) {
    SpvOp op = (SpvOp)(w[0] & SpvOpCodeMask);
    uint32_t id = length > 2 ? w[op == SpvOpVariable ? 2 : 1] : 0;
    if (id >= u->bound)
        return;
    if (op == SpvOpName) {
        const char *name = string_at(w + 2, length - 2);
        u->placed[id] = strncmp(name, "gl_", 3) != 0;
        if (strcmp(name, ESSL_HIGHP_COORDINATES) == 0)
            u->coordinates = id;
    } else if (op == SpvOpDecorate && length > 3)
        u->placed[id] |= w[2] == SpvDecorationBuiltIn || w[2] == SpvDecorationLocation;
    else if (op == SpvOpVariable && length > 3 && !u->placed[id] &&
             (w[3] == SpvStorageClassInput || w[3] == SpvStorageClassOutput))
        note_unplaced(run, u, id);
}

static bool variables_begin(struct run *run, const struct declarations *d, const uint32_t *words,
                            size_t count, struct variables *u) {
    *u = (struct variables){.declarations = d, .bound = words[3], .functions = count};
    u->variable = run_zeroed(run, (size_t)u->bound + 1, sizeof *u->variable);
    u->placed = run_zeroed(run, (size_t)u->bound + 1, sizeof *u->placed);
    u->uniform = run_zeroed(run, d->variable_count + 1, sizeof *u->uniform);
    if (!u->variable || !u->placed || !u->uniform)
        return false;
    memset(u->placed, true, u->bound);
    mark_uniforms(d, true);
    size_t line = 0; /* the instruction before, if it says where the function stands */
    for (size_t i = SPIRV_HEADER, length; i < count && (length = words[i] >> SpvWordCountShift);
         i += length) {
        SpvOp op = (SpvOp)(words[i] & SpvOpCodeMask);
        if (op == SpvOpFunction) {
            u->functions = line ? line : i;
            break;
        }
        note_variable(run, u, words + i, length);
        line = op == SpvOpLine ? i : 0;
    }
    return true;
}

static void variables_name(struct run *run, struct variables *u, uint32_t id, const char *name) {
    if (id < u->bound)
        u->variable[id] = run_name_z(run, name)->mark;
}

/* Before the first instruction after the names. Which locations, module_match_locations says. */
static void variables_locate(struct run *run, struct variables *u, struct words *out) {
    for (size_t k = 0; k < u->unplaced_count; k++) {
        const uint32_t location[] = {u->unplaced[k], SpvDecorationLocation, 0};
        words_put(run, out, SpvOpDecorate, location, 3);
    }
    u->unplaced_count = 0;
}

/* True: this is the variable of a uniform, which is put before the functions. */
static bool variables_take(struct variables *u, const uint32_t *instruction) {
    uint32_t id = instruction[2];
    if (id >= u->bound || !u->variable[id] || instruction[3] != SpvStorageClassUniformConstant)
        return false;
    u->uniform[u->variable[id] - 1] = instruction;
    return true;
}

static void variables_put(struct run *run, const struct variables *u, struct words *out) {
    for (size_t k = 0; k < u->declarations->variable_count; k++)
        if (u->uniform[k])
            words_put(run, out, SpvOpVariable, u->uniform[k] + 1,
                      (u->uniform[k][0] >> SpvWordCountShift) - 1);
}

/* --- structures of another layout --- */

/* A structure in a uniform block has a type of its own, with offsets, and numbers for truth. glslang copies
 * it into a variable member by member, but not where `?:` chooses it: there the store is one of another type,
 * which is not valid. Nor is what it makes of such a number inside of a constructor: a part of the number,
 * without a type, and a truth that consists of it. */
struct copies {
    struct makers makers;
    uint32_t number; /* the last one of which a part was taken */
    uint32_t next;   /* the first id that is free */
};

static uint32_t type_of(const struct copies *c, uint32_t id) {
    const uint32_t *w = maker(&c->makers, id);
    return w ? w[1] : 0;
}

static bool is_bool(const struct copies *c, uint32_t type) {
    const uint32_t *vector = maker_by(&c->makers, type, SpvOpTypeVector);
    return maker_by(&c->makers, vector ? vector[2] : type, SpvOpTypeBool);
}

/* Whether the numbers are not 0. No constant is to be had here. */
static uint32_t put_truth(struct run *run, struct words *out, struct copies *c, uint32_t id, uint32_t from,
                          uint32_t to, uint32_t result) {
    const uint32_t zero[] = {from, c->next++, id, id}, truth[] = {to, result, id, zero[1]};
    words_put(run, out, SpvOpISub, zero, 4);
    words_put(run, out, SpvOpINotEqual, truth, 4);
    return result;
}

/* The same value as one of another type, which has the same parts. */
static uint32_t copied(struct run *run, struct words *out, struct copies *c, uint32_t id, uint32_t from,
                       uint32_t to) {
    if (from == to || run->failed)
        return id;
    if (is_bool(c, to))
        return put_truth(run, out, c, id, from, to, c->next++);
    if (!makers_part(&c->makers, from, 0))
        return id;
    struct words made = {0};
    uint32_t *head = words_extend(run, &made, 2);
    for (uint32_t k = 0, part; head && (part = makers_part(&c->makers, from, k)); k++) {
        const uint32_t extract[] = {part, c->next++, id, k};
        words_put(run, out, SpvOpCompositeExtract, extract, 4);
        uint32_t member = copied(run, out, c, extract[1], part, makers_part(&c->makers, to, k)),
                 *next = words_extend(run, &made, 1);
        if (next)
            *next = member;
    }
    uint32_t result = c->next++;
    if (!run->failed) {
        made.at[0] = to, made.at[1] = result;
        words_put(run, out, SpvOpCompositeConstruct, made.at, made.count);
    }
    ir_heap_free(made.at);
    return result;
}

static void put_store(struct run *run, struct words *out, struct copies *c, const uint32_t *operands,
                      size_t count) {
    const uint32_t *pointer = maker_by(&c->makers, type_of(c, operands[0]), SpvOpTypePointer);
    uint32_t from = type_of(c, operands[1]), to = pointer ? pointer[3] : 0;
    uint32_t value = from && to ? copied(run, out, c, operands[1], from, to) : operands[1];
    const uint32_t store[] = {operands[0], value, count > 2 ? operands[2] : 0};
    words_put(run, out, SpvOpStore, store, count < 3 ? count : 3);
}

uint32_t *module_rewrite(struct run *run, const struct unit *unit, const struct pass_text *text,
                         const struct declarations *declarations, const uint32_t *words, size_t count,
                         size_t *new_count) {
    struct words out = {0};
    struct variables variables;
    struct copies copies = {.next = 0};
    if (count < SPIRV_HEADER || !makers_read(run, words, count, &copies.makers) ||
        !variables_begin(run, declarations, words, count, &variables))
        return NULL;
    uint32_t first_file = words[3];
    copies.next = first_file + (uint32_t)run->file_count;
    uint32_t *header = words_extend(run, &out, SPIRV_HEADER);
    if (header) {
        memcpy(header, words, SPIRV_HEADER * sizeof *words);
        header[1] = 0x10000; /* the version; glslang has none in mind for a language that is not Vulkan's */
    }
    bool wrote_files = false;
    struct place last = {0};
    for (size_t i = SPIRV_HEADER; i < count && !run->failed;) {
        size_t length = words[i] >> SpvWordCountShift;
        SpvOp op = (SpvOp)(words[i] & SpvOpCodeMask);
        if (!length || i + length > count)
            break;
        const uint32_t *operands = words + i + 1;
        if (i == variables.functions)
            variables_put(run, &variables, &out);
        if (op == SpvOpDecorate || op == SpvOpMemberDecorate || op == SpvOpTypeVoid)
            variables_locate(run, &variables, &out);
        bool debug = op == SpvOpString || op == SpvOpSource || op == SpvOpName || op == SpvOpMemberName;
        if (debug && !wrote_files) {
            wrote_files = true;
            for (size_t f = 0; f < run->file_count; f++) {
                uint32_t id = first_file + (uint32_t)f;
                put_named(run, &out, SpvOpString, &id, 1, run->files[f]);
            }
            const uint32_t source[] = {unit->es ? SpvSourceLanguageESSL : SpvSourceLanguageGLSL,
                                       (uint32_t)unit->version};
            words_put(run, &out, SpvOpSource, source, 2);
        }
        if (op == SpvOpName && length >= 3) {
            const char *name = user_name(run, unit, string_at(operands + 1, length - 2));
            variables_name(run, &variables, operands[0], name);
            put_named(run, &out, op, operands, 1, name);
        } else if (op == SpvOpMemberName && length >= 4) {
            put_named(run, &out, op, operands, 2, user_name(run, unit, string_at(operands + 2, length - 3)));
        } else if (op == SpvOpDecorate && length == 4 && operands[0] == variables.coordinates &&
                   operands[1] == SpvDecorationLocation) {
            const uint32_t built_in[] = {operands[0], SpvDecorationBuiltIn, SpvBuiltInFragCoord};
            words_put(run, &out, op, built_in, 3);
        } else if (op == SpvOpVariable && length >= 4 && variables_take(&variables, words + i)) {
            /* comes with the others */
        } else if (op == SpvOpLine && length == 4) {
            uint32_t line = operands[1];
            struct place place = {0};
            if (line >= text->first_line && line - text->first_line < unit->tokens.count)
                place = unit->tokens.at[line - text->first_line].place;
            if (place.line && memcmp(&place, &last, sizeof place) != 0) {
                const uint32_t fresh[] = {first_file + place.file, place.line, place.column};
                words_put(run, &out, op, fresh, 3);
                last = place;
            }
        } else if (op == SpvOpExecutionMode && length == 3 &&
                   operands[1] == SpvExecutionModeOriginUpperLeft) {
            /* GL counts gl_FragCoord.y from the bottom; glslang knows Vulkan's order only. */
            const uint32_t mode[] = {operands[0], unit->upper_left ? SpvExecutionModeOriginUpperLeft
                                                                   : SpvExecutionModeOriginLowerLeft};
            const uint32_t integer[] = {operands[0], SpvExecutionModePixelCenterInteger};
            words_put(run, &out, op, mode, 2);
            if (unit->pixel_center_integer)
                words_put(run, &out, op, integer, 2);
        } else if (op == SpvOpStore && length >= 3) {
            put_store(run, &out, &copies, operands, length - 1);
        } else if (op == SpvOpCompositeExtract && length == 4) {
            copies.number = operands[1];
        } else if (op == SpvOpCompositeConstruct && length == 4 &&
                   maker_by(&copies.makers, operands[0], SpvOpTypeBool)) {
            put_truth(run, &out, &copies, copies.number, type_of(&copies, copies.number), operands[0],
                      operands[1]);
        } else if (op != SpvOpString && op != SpvOpSource && op != SpvOpSourceContinued &&
                   op != SpvOpSourceExtension && op != SpvOpModuleProcessed) {
            words_put(run, &out, op, operands, length - 1);
            if (ends_block(op) || op == SpvOpNoLine)
                last = (struct place){0};
        }
        i += length;
    }
    variables_end(&variables);
    if (run->failed) {
        ir_heap_free(out.at);
        return NULL;
    }
    out.at[3] = copies.next;
    *new_count = out.count;
    return module_number_truths(run, out.at, new_count);
}

/* --- locations ------------------------------------------------------------------------------------------ */

struct module {
    uint32_t *words;
    size_t count;
    const struct declarations *declarations; /* NULL where they do not matter */
    uint32_t bound;
    uint32_t *name, *definition,
        *location; /* by id: word index of the name, of the instruction, of the location; 0 */
};

static bool module_read(struct run *run, struct module *m, uint32_t *words, size_t count) {
    *m = (struct module){.words = words, .count = count};
    if (!words || count < SPIRV_HEADER)
        return false;
    m->bound = words[3];
    uint32_t *tables = run_zeroed(run, (size_t)m->bound * 3, sizeof *tables);
    if (!tables)
        return false;
    m->name = tables;
    m->definition = tables + m->bound;
    m->location = tables + (size_t)m->bound * 2;
    for (size_t i = SPIRV_HEADER; i < count;) {
        size_t length = words[i] >> SpvWordCountShift;
        SpvOp op = (SpvOp)(words[i] & SpvOpCodeMask);
        if (!length || i + length > count)
            break;
        if (op == SpvOpName && words[i + 1] < m->bound)
            m->name[words[i + 1]] = (uint32_t)i + 2;
        else if (op == SpvOpDecorate && length == 4 && words[i + 2] == SpvDecorationLocation &&
                 words[i + 1] < m->bound)
            m->location[words[i + 1]] = (uint32_t)i + 3;
        else if (op >= SpvOpTypeVoid && op <= SpvOpTypePointer && words[i + 1] < m->bound)
            m->definition[words[i + 1]] = (uint32_t)i;
        else if ((op == SpvOpVariable || op == SpvOpConstant) && words[i + 2] < m->bound)
            m->definition[words[i + 2]] = (uint32_t)i;
        i += length;
    }
    return true;
}

#define MOST_SLOTS 1024

static uint32_t slots_of(const struct module *m, uint32_t type) {
    uint32_t slots = 1;
    for (int depth = 0; depth < 8; depth++) {
        if (type >= m->bound || !m->definition[type])
            return slots;
        const uint32_t *d = m->words + m->definition[type];
        switch ((SpvOp)(d[0] & SpvOpCodeMask)) {
        case SpvOpTypeArray:
            if (d[3] < m->bound && m->definition[d[3]])
                slots *= m->words[m->definition[d[3]] + 3];
            type = d[2];
            break;
        case SpvOpTypeMatrix: return slots * d[3];
        case SpvOpTypeStruct: {
            uint32_t sum =
                0; /* beyond MOST_SLOTS the number does not matter, and small structures can hold very many */
            for (uint32_t k = 2; k < d[0] >> SpvWordCountShift && sum < MOST_SLOTS; k++)
                sum += slots_of(m, d[k]);
            return slots * sum;
        }
        default: return slots;
        }
    }
    return slots;
}

struct placed {
    const char *name;
    uint32_t location;
};

/* Whether the variable that instruction w declares has a location of GL's kind: neither built in nor a block
 * of such. */
static bool is_located(const struct module *m, const uint32_t *w, SpvStorageClass storage) {
    return (SpvOp)(w[0] & SpvOpCodeMask) == SpvOpVariable && w[3] == (uint32_t)storage && w[2] < m->bound &&
           m->location[w[2]] && m->name[w[2]] && w[1] < m->bound && m->definition[w[1]];
}

static const struct variable *declaration(struct run *run, const struct module *m, const uint32_t *w) {
    const char *name = (const char *)(m->words + m->name[w[2]]);
    return m->declarations ? declarations_find(m->declarations, run_name_z(run, name)) : NULL;
}

/* What both stages know it by: a block by the name of its type. */
static const char *common_name(struct run *run, const struct module *m, const uint32_t *w) {
    const char *name = (const char *)(m->words + m->name[w[2]]);
    const struct variable *v = declaration(run, m, w);
    uint32_t type = m->words[m->definition[w[1]] + 3];
    bool block = (v && v->block) || !*name;
    for (int depth = 0; depth < 8 && type < m->bound && m->definition[type] &&
                        (SpvOp)(m->words[m->definition[type]] & SpvOpCodeMask) == SpvOpTypeArray;
         depth++)
        type = m->words[m->definition[type] + 2];
    return block && type < m->bound && m->name[type] ? (const char *)(m->words + m->name[type]) : name;
}

/* The text says where it is, or it is an attribute of the user's, which glslang has numbered. */
static bool keeps_location(struct run *run, const struct module *m, const uint32_t *w) {
    const struct variable *v = declaration(run, m, w);
    return v && (v->location >= 0 || v->storage == STORE_ATTRIBUTE);
}

/* The first location after those that are kept. */
static uint32_t first_free(struct run *run, const struct module *m, SpvStorageClass storage) {
    uint32_t next = 0;
    for (size_t i = SPIRV_HEADER; m->words && i < m->count;) {
        const uint32_t *w = m->words + i;
        if (!(w[0] >> SpvWordCountShift))
            break;
        i += w[0] >> SpvWordCountShift;
        if (!is_located(m, w, storage) || !keeps_location(run, m, w))
            continue;
        uint32_t end = m->words[m->location[w[2]]] + slots_of(m, m->words[m->definition[w[1]] + 3]);
        next = end > next ? end : next;
    }
    return next;
}

/* Gives every located variable of that storage class its place, those in `table` the same as before, and
 * leaves those that have one in the text. */
static uint32_t place_all(struct run *run, struct module *m, SpvStorageClass storage, struct placed **table,
                          size_t *table_count, size_t *table_capacity, uint32_t next) {
    for (size_t i = SPIRV_HEADER; i < m->count;) {
        const uint32_t *w = m->words + i;
        size_t length = w[0] >> SpvWordCountShift;
        if (!length)
            break;
        i += length;
        if (!is_located(m, w, storage) || keeps_location(run, m, w))
            continue;
        const char *name = common_name(run, m, w);
        struct placed *found = NULL;
        for (size_t k = 0; k < *table_count && !found; k++) {
            if (strcmp((*table)[k].name, name) == 0)
                found = &(*table)[k];
        }
        if (!found) {
            void *array = *table;
            if (!run_grow(run, &array, table_capacity, *table_count, sizeof **table))
                return next;
            *table = array;
            found = &(*table)[(*table_count)++];
            *found = (struct placed){name, next};
            next += slots_of(m, m->words[m->definition[w[1]] + 3]);
        }
        m->words[m->location[w[2]]] = found->location;
    }
    return next;
}

void module_match_locations(struct run *run, bool keep_attributes, const struct stage_module *vertex,
                            const struct stage_module *fragment) {
    struct module v, f;
    bool has_vertex = module_read(run, &v, (uint32_t *)vertex->words, vertex->count);
    bool has_fragment = module_read(run, &f, (uint32_t *)fragment->words, fragment->count);
    if (keep_attributes) { /* later versions; 1.00 has no locations in its text */
        v.declarations = vertex->declarations;
        f.declarations = fragment->declarations;
    }
    struct placed *varyings = NULL, *attributes = NULL;
    size_t counts[2] = {0, 0}, capacities[2] = {0, 0};
    uint32_t of_vertex = has_vertex ? first_free(run, &v, SpvStorageClassOutput) : 0,
             of_fragment = has_fragment ? first_free(run, &f, SpvStorageClassInput) : 0;
    uint32_t next = of_vertex > of_fragment ? of_vertex : of_fragment;
    if (has_vertex) {
        place_all(run, &v, SpvStorageClassInput, &attributes, &counts[0], &capacities[0],
                  first_free(run, &v, SpvStorageClassInput));
        next = place_all(run, &v, SpvStorageClassOutput, &varyings, &counts[1], &capacities[1], next);
    }
    if (has_fragment) {
        place_all(run, &f, SpvStorageClassInput, &varyings, &counts[1], &capacities[1], next);
        for (uint32_t id = 0; id < f.bound; id++) { /* gl_FragColor or gl_FragData: one colour target */
            uint32_t d = f.definition[id];
            if (d && f.location[id] && (SpvOp)(f.words[d] & SpvOpCodeMask) == SpvOpVariable &&
                f.words[d + 3] == SpvStorageClassOutput)
                f.words[f.location[id]] = 0;
        }
    }
    ir_heap_free(attributes);
    ir_heap_free(varyings);
}

static uint32_t columns_of(const struct module *m, uint32_t type) {
    for (int depth = 0; depth < 8 && type < m->bound && m->definition[type]; depth++) {
        const uint32_t *d = m->words + m->definition[type];
        SpvOp op = (SpvOp)(d[0] & SpvOpCodeMask);
        if (op == SpvOpTypeVector)
            return d[3];
        if (op != SpvOpTypeArray && op != SpvOpTypeMatrix)
            return 1;
        type = d[2];
        if (op == SpvOpTypeMatrix && d[3] == 2)
            return 4; /* Appendix A, section 7: a mat2 takes two whole rows */
    }
    return 1;
}

size_t module_interface(struct run *run, const uint32_t *words, size_t count, int storage,
                        struct interface_slot *out, size_t most) {
    struct module m;
    size_t n = 0;
    if (!module_read(run, &m, (uint32_t *)words, count))
        return 0;
    for (size_t i = SPIRV_HEADER; i < count && n < most;) {
        const uint32_t *w = words + i;
        size_t length = w[0] >> SpvWordCountShift;
        if (!length)
            break;
        i += length;
        if (is_located(&m, w, (SpvStorageClass)storage)) {
            uint32_t type = words[m.definition[w[1]] + 3];
            out[n++] = (struct interface_slot){(const char *)(words + m.name[w[2]]), slots_of(&m, type),
                                               columns_of(&m, type)};
        }
    }
    return n;
}
