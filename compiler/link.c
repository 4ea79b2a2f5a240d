/* The program linker: what GL calls linking, on the IR of both stages, whatever language they came from. */
#include "compiler/link.h"
#include "passes/lower_stage.h"

#include <stdio.h>
#include <string.h>

static const char *file_of(const struct ir_shader *shader, struct ir_loc loc) {
    return loc.file < shader->nfiles ? shader->files[loc.file] : NULL;
}

#define LINK_ERROR(program, shader, symbol, ...)                                                             \
    program_diagnose(program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "link", file_of(shader, (symbol)->loc),       \
                     (symbol)->loc.line, (symbol)->loc.column, __VA_ARGS__)

static const char *type_text(const struct ir_symbol *s, char out[64]) {
    static const char *const vector[] = {"vec", "ivec", "uvec", "bvec"};
    char base[24];
    if (s->cols > 1 && s->cols == s->rows)
        snprintf(base, sizeof base, "mat%u", s->cols);
    else if (s->cols > 1)
        snprintf(base, sizeof base, "mat%ux%u", s->cols, s->rows);
    else if (s->rows > 1 && s->base <= IR_BASE_BOOL)
        snprintf(base, sizeof base, "%s%u", vector[s->base], s->rows);
    else
        snprintf(base, sizeof base, "%s", ir_base_names[s->base]);
    if (s->is_array)
        snprintf(out, 64, "%s[%u]", base, s->array_len);
    else
        snprintf(out, 64, "%s", base);
    return out;
}

static bool same_type(const struct ir_symbol *a, const struct ir_symbol *b) {
    return a->base == b->base && a->rows == b->rows && a->cols == b->cols && a->array_len == b->array_len &&
           a->is_array == b->is_array;
}

static const struct ir_symbol *find(const struct ir_symtab *table, const char *name) {
    for (uint32_t i = 0; i < table->count; i++)
        if (!strcmp(table->sym[i].name, name))
            return &table->sym[i];
    return NULL;
}

/* --- uniforms and samplers ------------------------------------------------------------------------------ */

struct merge {
    struct qpucc_program *program;
    struct ir_symtab table; /* of the program; lies in the program's arena */
    const char *what;
    bool used_only;        /* what no code uses takes no place */
    uint32_t *initial;     /* QPUCC_MAX_UNIFORM_WORDS of them, or NULL while all are 0 */
    struct ir_names names; /* of the table's entries */
    struct ir_names used;  /* of what the code of either stage uses */
};

static void append(struct merge *merge, const struct ir_symbol *symbol) {
    struct ir_symtab *t = &merge->table;
    if (t->count == t->capacity) {
        uint32_t capacity = t->capacity ? t->capacity * 2 : 16;
        struct ir_symbol *grown = ir_alloc(merge->program->arena, capacity * sizeof *grown);
        if (t->count)
            memcpy(grown, t->sym, t->count * sizeof *grown);
        t->sym = grown;
        t->capacity = capacity;
    }
    struct ir_symbol *copy = &t->sym[t->count];
    *copy = *symbol;
    copy->name = ir_strdup(merge->program->arena, symbol->name);
    ir_names_add(&merge->names, merge->program->arena, copy->name, t->count++);
    copy->word = t->words;
    copy->initial = NULL;
    t->words += ir_symbol_words(symbol);
}

/* The value that the uniform has until somebody sets it. */
static void keep_initial(struct merge *merge, const struct ir_symbol *symbol, uint32_t word) {
    if (!merge->initial) {
        size_t bytes = QPUCC_MAX_UNIFORM_WORDS * sizeof *merge->initial;
        merge->initial = ir_alloc(merge->program->kept->arena, bytes);
        memset(merge->initial, 0, bytes);
    }
    for (uint32_t w = 0; w < ir_symbol_words(symbol) && word + w < QPUCC_MAX_UNIFORM_WORDS; w++)
        merge->initial[word + w] = symbol->initial[w];
}

/* Adds a stage's table; map[old word] = new word. The order inside a table is kept, so that runs of structure
 * members (frontend/spirv/spirv.h) stay runs. */
static bool merge_table(struct merge *merge, const struct ir_shader *shader, const struct ir_symtab *from,
                        uint32_t *map) {
    char a[64], b[64];
    bool ok = true;
    for (uint32_t i = 0; i < from->count; i++) {
        const struct ir_symbol *s = &from->sym[i];
        uint32_t at = ir_names_find(&merge->names, s->name);
        const struct ir_symbol *known = at == UINT32_MAX ? NULL : &merge->table.sym[at];
        if (known && !same_type(known, s)) {
            LINK_ERROR(merge->program, shader, s,
                       "%s '%s' is %s in the vertex shader and %s in the fragment shader", merge->what,
                       s->name, type_text(known, a), type_text(s, b));
            ok = false;
            continue;
        }
        if (!known && merge->used_only && ir_names_find(&merge->used, s->name) == UINT32_MAX)
            continue;
        if (!known) {
            append(merge, s);
            known = &merge->table.sym[merge->table.count - 1];
        }
        if (s->initial)
            keep_initial(merge, s, known->word);
        for (uint32_t w = 0; w < ir_symbol_words(s); w++)
            map[s->word + w] = known->word + w;
    }
    return ok;
}

/* Gives the shader the program's table and renumbers what refers to the old one. */
static bool renumber(struct qpucc_program *program, struct ir_shader *shader, const struct merge *uniforms,
                     const uint32_t *uniform_map, const struct merge *samplers, const uint32_t *sampler_map) {
    bool ok = true;
    for (uint32_t i = 0; i < shader->nslots; i++) {
        struct ir_slot *slot = &shader->slots[i];
        if (slot->kind == IR_SLOT_UNIFORM || slot->kind == IR_SLOT_ARRAY)
            slot->value = uniform_map[slot->value];
        else if (slot->kind == IR_SLOT_TEX)
            slot->value = sampler_map[slot->value];
    }
    ir_for_blocks(shader, block) ir_for_insts(block, inst) {
        if (inst->op == IR_TEX || inst->op == IR_SHADOW || inst->op == IR_BUFFER_AT)
            inst->imm = sampler_map[inst->imm];
        if (inst->op != IR_UNIFORM_AT)
            continue;
        for (uint32_t w = 1; w < inst->aux; w++)
            if (uniform_map[inst->imm + w] != uniform_map[inst->imm] + w) {
                program_diagnose(
                    program, QPUCC_SOURCE_ERROR, QPUCC_ERROR, "link", file_of(shader, inst->loc),
                    inst->loc.line, inst->loc.column,
                    "a structure that is indexed at run time is laid out differently in the two stages");
                ok = false;
                break;
            }
        inst->imm = uniform_map[inst->imm];
    }
    shader->uniforms.count = shader->uniforms.words = shader->samplers.count = shader->samplers.words = 0;
    for (int which = 0; which < 2; which++) {
        const struct ir_symtab *from = which ? &samplers->table : &uniforms->table;
        struct ir_symtab *to = which ? &shader->samplers : &shader->uniforms;
        for (uint32_t i = 0; i < from->count; i++) {
            struct ir_symbol *s = ir_add_symbol(shader, to, from->sym[i].name);
            const char *name = s->name;
            *s = from->sym[i];
            s->name = name;
            s->block = s->block ? ir_strdup(shader->arena, s->block) : NULL;
            s->loc = (struct ir_loc){0}; /* may be of the other stage's file */
            to->words += ir_symbol_words(s);
        }
    }
    return ok;
}

/* What the hardware takes for itself. The compatibility profile's gl_TexCoord and the like are varyings as
 * any. */
static bool built_in(const struct ir_symbol *symbol) {
    static const char *const names[] = {"gl_Position",  "gl_PointSize",  "gl_FragColor",
                                        "gl_FragDepth", "gl_ClipVertex", LOWER_CLIP_DISTANCE};
    if (strncmp(symbol->name, "gl_", 3))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(symbol->name, names[i]))
            return true;
    return false;
}

_Static_assert((int)IR_BASE_BOOL == QPUCC_BOOL && (int)IR_BASE_SAMPLER2D == QPUCC_SAMPLER2D &&
                   (int)IR_BASE_SAMPLEREXTERNAL == QPUCC_SAMPLER_EXTERNAL &&
                   (int)IR_BASE_UNIFORMBLOCK == QPUCC_UNIFORM_BLOCK &&
                   (int)IR_BASE_COUNT == QPUCC_BASE_TYPE_COUNT,
               "the IR's types of variables are the interface's");

static void reflect(struct qpucc_program *program, enum qpucc_interface which, const struct ir_symtab *table,
                    bool skip_builtins) {
    struct program_table *out = &program->variables[which];
    struct ir_arena *arena = program->kept->arena; /* for variants, too */
    out->list = ir_alloc(arena, (table->count + 1) * sizeof *out->list);
    out->count = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct ir_symbol *s = &table->sym[i];
        if (skip_builtins && built_in(s))
            continue;
        out->list[out->count++] =
            (struct qpucc_variable){.name = ir_strdup(arena, s->name),
                                    .base = (enum qpucc_base_type)s->base,
                                    .rows = s->rows,
                                    .cols = s->cols,
                                    .array_length = s->array_len,
                                    .is_array = s->is_array,
                                    .block_offset = s->block_offset,
                                    .block_array_stride = s->array_stride,
                                    .block_matrix_stride = s->matrix_stride,
                                    .block_row_major = s->row_major,
                                    .block = s->block ? ir_strdup(arena, s->block) : NULL,
                                    .location = s->location,
                                    .word = s->word,
                                    .used = s->used};
    }
}

static const struct ir_symtab *table_of(const struct ir_shader *shader, bool storage) {
    return storage ? &shader->uniforms : &shader->samplers;
}

/* Says how much too much, and which declaration takes most of it. `storage`: uniforms, not samplers. */
static void too_many(struct qpucc_program *program, struct ir_shader *const stages[2], bool storage,
                     uint32_t words, uint32_t limit) {
    const struct ir_symbol *most = NULL;
    const struct ir_shader *in = NULL;
    for (int k = 0; k < 2; k++) {
        const struct ir_symtab *table = stages[k] ? table_of(stages[k], storage) : NULL;
        for (uint32_t i = 0; table && i < table->count; i++)
            if (!most || ir_symbol_words(&table->sym[i]) > ir_symbol_words(most)) {
                most = &table->sym[i];
                in = stages[k];
            }
    }
    if (!most)
        return;
    program_diagnose(program, QPUCC_DOES_NOT_FIT, QPUCC_ERROR, storage ? "uniforms" : "samplers",
                     file_of(in, most->loc), most->loc.line, most->loc.column,
                     storage ? "%u words of uniforms, but %u are the limit; '%s' takes %u of them"
                             : "%u samplers, but %u are the limit; '%s' takes %u of them",
                     words, limit, most->name, ir_symbol_words(most));
}

/* False: diagnosed. */
static bool fits_units(struct qpucc_program *program, struct ir_shader *stage) {
    struct ir_shader *const alone[2] = {stage, NULL};
    uint32_t words = 0;
    for (uint32_t i = 0; stage && i < stage->samplers.count; i++)
        words += stage->samplers.sym[i].used ? ir_symbol_words(&stage->samplers.sym[i]) : 0;
    if (words > QPUCC_MAX_STAGE_TEXTURES)
        too_many(program, alone, false, words, QPUCC_MAX_STAGE_TEXTURES);
    return words <= QPUCC_MAX_STAGE_TEXTURES;
}

static void name_used(struct merge *merge, const struct ir_symtab *table) {
    for (uint32_t i = 0; i < table->count; i++)
        if (table->sym[i].used)
            ir_names_add(&merge->used, merge->program->arena, table->sym[i].name, i);
}

/* Uniforms or samplers of both stages in one table, without the unused ones if there are more than `limit`
 * words. */
static bool merge_stages(struct merge *merge, struct ir_shader *const stages[2], bool storage, uint32_t limit,
                         uint32_t *maps[2]) {
    bool ok = true;
    for (int attempt = 0; attempt < 2 && ok && (attempt == 0 || merge->table.words > limit); attempt++) {
        merge->used_only = attempt == 1;
        merge->table.count = merge->table.words = 0;
        merge->names = (struct ir_names){0};
        merge->initial = NULL; /* it goes by words, which are other ones now */
        for (int i = 0; i < 2 && merge->used_only; i++)
            if (stages[i])
                name_used(merge, table_of(stages[i], storage));
        for (int i = 0; i < 2; i++) {
            if (!stages[i])
                continue;
            const struct ir_symtab *table = table_of(stages[i], storage);
            maps[i] = ir_alloc(merge->program->arena, (table->words + 1) * sizeof(uint32_t));
            memset(maps[i], 0, (table->words + 1) * sizeof(uint32_t));
            ok &= merge_table(merge, stages[i], table, maps[i]);
        }
    }
    return ok;
}

bool link_uniforms(struct qpucc_program *program, struct ir_shader *vertex, struct ir_shader *fragment) {
    struct merge uniforms = {.program = program, .what = "uniform"},
                 samplers = {.program = program, .what = "sampler"};
    struct ir_shader *stages[2] = {vertex, fragment};
    _Static_assert(2 * QPUCC_MAX_STAGE_TEXTURES <= QPUCC_MAX_TEXTURES, "what fits each stage fits both");
    if (!fits_units(program, vertex) || !fits_units(program, fragment))
        return false;
    uint32_t *uniform_maps[2] = {NULL, NULL}, *sampler_maps[2] = {NULL, NULL};
    bool ok = merge_stages(&uniforms, stages, true, QPUCC_MAX_UNIFORM_WORDS, uniform_maps);
    ok &= merge_stages(&samplers, stages, false, QPUCC_MAX_TEXTURES, sampler_maps);
    if (!ok)
        return false;
    if (uniforms.table.words > QPUCC_MAX_UNIFORM_WORDS) {
        too_many(program, stages, true, uniforms.table.words, QPUCC_MAX_UNIFORM_WORDS);
        return false;
    }
    for (int i = 0; i < 2; i++)
        if (stages[i])
            ok &= renumber(program, stages[i], &uniforms, uniform_maps[i], &samplers, sampler_maps[i]);
    program->uniform_words = uniforms.table.words;
    program->uniform_initial = uniforms.initial;
    reflect(program, QPUCC_UNIFORMS, &uniforms.table, false);
    reflect(program, QPUCC_SAMPLERS, &samplers.table, false);
    return ok;
}

/* --- varyings ------------------------------------------------------------------------------------------- */

/* By the location that GLSL gives, or else by name; SPIR-V from elsewhere may use other names in each stage,
 * and then locations decide. (Not the other way round: modules that were translated one by one number their
 * varyings each for itself.) */
const struct ir_symbol *link_partner(const struct ir_symtab *outputs, const struct ir_symbol *input) {
    const struct ir_symbol *named = input->by_location ? NULL : find(outputs, input->name);
    if (named && named->by_location)
        named = NULL;
    if (named || input->location < 0)
        return named;
    for (uint32_t i = 0; i < outputs->count; i++)
        if (outputs->sym[i].location == input->location)
            return &outputs->sym[i];
    return NULL;
}

/* Words of varyings that the shader's code reads (fragment) or writes (vertex): the others take no place. */
static uint32_t varying_words(const struct ir_shader *shader, const struct ir_symtab *table, enum ir_op op) {
    uint8_t *seen = ir_alloc(shader->arena, table->words + 1);
    uint32_t words = 0;
    ir_for_blocks(shader, block) ir_for_insts(block, inst) {
        const struct ir_symbol *symbol = inst->op == op ? ir_symbol_of_word(table, inst->imm) : NULL;
        if (!symbol || built_in(symbol))
            continue;
        bool indexed = op == IR_INPUT && inst->nsrc;
        uint32_t first = indexed ? symbol->word : inst->imm, count = indexed ? ir_symbol_words(symbol) : 1;
        for (uint32_t w = first; w < first + count; w++) {
            words += !seen[w];
            seen[w] = 1;
        }
    }
    return words;
}

static uint32_t attribute_columns(const struct ir_symbol *symbol) {
    return built_in(symbol) ? 0 : (uint32_t)symbol->cols * symbol->array_len;
}

/* GL counts active attributes only (OpenGL ES 2.0 section 2.10.4): what no code reads is none. */
void link_attributes(struct ir_shader *vertex) {
    struct ir_symtab *table = &vertex->inputs;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < table->count; i++)
        if (table->sym[i].used)
            table->sym[kept++] = table->sym[i];
    table->count = kept;
}

static bool input_used(const struct ir_shader *shader, const struct ir_symbol *symbol) {
    ir_for_blocks(shader, block) ir_for_insts(block, inst) {
        if (inst->op == IR_INPUT && inst->imm >= symbol->word &&
            inst->imm < symbol->word + ir_symbol_words(symbol))
            return true; /* a run-time index stays in the symbol that it begins in */
    }
    return false;
}

static bool locate(struct qpucc_program *program, const struct ir_shader *shader, struct ir_symtab *table) {
    bool ok = true;
    for (uint32_t i = 0; i < table->count; i++) {
        struct ir_symbol *s = &table->sym[i];
        if (built_in(s))
            continue;
        s->by_location = true;
        if (s->location >= 0)
            continue;
        LINK_ERROR(program, shader, s, "varying '%s' has no location, and the program is linked by location",
                   s->name);
        ok = false;
    }
    return ok;
}

bool link_locations(struct qpucc_program *program, struct ir_shader *vertex, struct ir_shader *fragment) {
    bool ok = !vertex || !fragment || locate(program, vertex, &vertex->outputs);
    return (!vertex || !fragment || locate(program, fragment, &fragment->inputs)) && ok;
}

bool link_interfaces(struct qpucc_program *program, struct ir_shader *vertex, struct ir_shader *fragment) {
    bool ok = true;
    char a[64], b[64];
    if (vertex && !find(&vertex->outputs, "gl_Position")) /* legal: what is drawn is undefined */
        program_diagnose(program, QPUCC_OK, QPUCC_WARNING, "link", vertex->nfiles ? vertex->files[0] : NULL,
                         0, 0, "the vertex shader does not write gl_Position");
    for (uint32_t i = 0; vertex && fragment && i < fragment->inputs.count; i++) {
        const struct ir_symbol *input = &fragment->inputs.sym[i];
        if (built_in(input))
            continue;
        const struct ir_symbol *output = link_partner(&vertex->outputs, input);
        if (output && !same_type(output, input)) {
            LINK_ERROR(program, fragment, input,
                       "varying '%s' is %s in the vertex shader and %s in the fragment shader", input->name,
                       type_text(output, a), type_text(input, b));
            ok = false;
        } else if (!output && input_used(fragment, input)) {
            LINK_ERROR(program, fragment, input,
                       "varying '%s' is read here but the vertex shader does not declare it", input->name);
            ok = false;
        }
    }
    if (vertex) {
        uint32_t slots = 0;
        struct ir_loc over = {0}; /* of the first one that does not fit; what GL declares has none */
        for (uint32_t i = 0; i < vertex->inputs.count; i++) {
            const struct ir_symbol *s = &vertex->inputs.sym[i];
            over = slots <= QPUCC_MAX_ATTRIBUTES && s->loc.line ? s->loc : over;
            slots += attribute_columns(s);
        }
        if (slots > QPUCC_MAX_ATTRIBUTES) {
            program_diagnose(program, QPUCC_DOES_NOT_FIT, QPUCC_ERROR, "attributes", file_of(vertex, over),
                             over.line, over.column,
                             "%u vertex attributes (a matrix takes one a column), but the hardware has %u",
                             slots, QPUCC_MAX_ATTRIBUTES);
            ok = false;
        }
    }
    return ok;
}

bool link_capacity(struct qpucc_program *program, const struct ir_shader *vertex,
                   const struct ir_shader *fragment) {
    const struct ir_shader *shader = fragment ? fragment : vertex;
    uint32_t words = fragment ? varying_words(shader, &shader->inputs, IR_INPUT)
                              : varying_words(shader, &shader->outputs, IR_OUTPUT);
    if (words > QPUCC_MAX_VARYING_WORDS) {
        const struct ir_symtab *table = fragment ? &shader->inputs : &shader->outputs;
        struct ir_loc last = table->sym[table->count - 1].loc; /* of the declarations */
        program_diagnose(program, QPUCC_DOES_NOT_FIT, QPUCC_ERROR, "varyings", file_of(shader, last),
                         last.line, last.column, "%u words of varyings, but the hardware interpolates %u",
                         words, QPUCC_MAX_VARYING_WORDS);
        return false;
    }
    return true;
}

unsigned link_vertex_outputs(const struct ir_shader *vertex, const struct ir_shader *fragment,
                             uint32_t words[64]) {
    unsigned count = 0;
    if (!fragment) {
        for (uint32_t i = 0; i < vertex->outputs.count; i++)
            for (uint32_t w = 0;
                 !built_in(&vertex->outputs.sym[i]) && w < ir_symbol_words(&vertex->outputs.sym[i]); w++)
                if (count < 64)
                    words[count++] = vertex->outputs.sym[i].word + w;
        return count;
    }
    for (uint32_t v = 0; v < fragment->nvary && v < 64; v++) {
        uint32_t word = fragment->vary_symbol_word[v];
        const struct ir_symbol *input =
            word == UINT32_MAX ? NULL : ir_symbol_of_word(&fragment->inputs, word);
        const struct ir_symbol *output = input ? link_partner(&vertex->outputs, input) : NULL;
        if (input && !strcmp(input->name, LOWER_CLIP_DISTANCE) &&
            (!output || word - input->word >= ir_symbol_words(output)))
            words[count++] = output ? UINT32_MAX - 1 : LOWER_STAGE_CLIP_DISTANCE + (word - input->word);
        else
            /* what no shader declares stays as it is (passes/lower_stage.h); UINT32_MAX - 1: nobody writes it
             */
            words[count++] = output ? output->word + (word - input->word) : input ? UINT32_MAX - 1 : word;
    }
    return count;
}

void link_reflect(struct qpucc_program *program, const struct ir_shader *vertex,
                  const struct ir_shader *fragment) {
    if (vertex)
        reflect(program, QPUCC_ATTRIBUTES, &vertex->inputs, true);
    if (fragment || vertex)
        reflect(program, QPUCC_VARYINGS, fragment ? &fragment->inputs : &vertex->outputs, true);
}
