/* The shader and its tables: files, symbols, variables, uniform slots. */
#include "ir/heap.h"
#include "ir/internal.h"

#include <stddef.h>
#include <string.h>

const char *const ir_stage_names[QPUCC_STAGE_COUNT] = {"fragment", "vertex", "coordinate"};

static struct ir_shader *create(struct ir_arena *arena, enum qpucc_stage stage) {
    if (!arena)
        return NULL;
    struct ir_shader *shader = ir_alloc(arena, sizeof *shader);
    shader->arena = arena;
    shader->stage = stage;
    ir_block_create(shader);
    return shader;
}

struct ir_shader *ir_shader_create(const struct qpucc_allocator *from, enum qpucc_stage stage) {
    return create(ir_arena_create(from), stage);
}

struct ir_shader *ir_shader_beside(struct ir_arena *other, enum qpucc_stage stage) {
    return create(ir_arena_beside(other), stage);
}

void ir_shader_destroy(struct ir_shader *shader) {
    if (shader)
        ir_arena_destroy(shader->arena);
}

struct ir_packed *ir_packed_share(struct ir_packed *packed) {
    if (packed)
        __atomic_fetch_add(&packed->users, 1, __ATOMIC_RELAXED);
    return packed;
}

void ir_packed_free(struct ir_packed *packed) {
    if (packed && __atomic_sub_fetch(&packed->users, 1, __ATOMIC_ACQ_REL) == 0)
        ir_heap_free(packed);
}

size_t ir_packed_bytes(const struct ir_packed *packed) {
    return packed ? packed->size : 0;
}

void *ir_grow(struct ir_arena *arena, void *array, uint32_t count, uint32_t *capacity, size_t element) {
    if (count < *capacity)
        return array;
    uint32_t doubled = *capacity ? *capacity * 2 : 8;
    void *larger = ir_alloc_uncleared(arena, doubled * element);
    if (count)
        memcpy(larger, array, count * element);
    *capacity = doubled;
    return larger;
}

struct ir_block *ir_block_create(struct ir_shader *shader) {
    struct ir_block *block = ir_alloc(shader->arena, sizeof *block);
    block->id = shader->next_block_id++;
    block->shader = shader;
    shader->blocks =
        ir_grow(shader->arena, shader->blocks, shader->nblocks, &shader->cap_blocks, sizeof *shader->blocks);
    shader->blocks[shader->nblocks++] = block;
    return block;
}

uint32_t ir_add_file(struct ir_shader *shader, const char *name) {
    shader->files =
        ir_grow(shader->arena, shader->files, shader->nfiles, &shader->cap_files, sizeof *shader->files);
    shader->files[shader->nfiles] = ir_strdup(shader->arena, name);
    return shader->nfiles++;
}

const char *const ir_hint_names[IR_HINT_COUNT] = {
    [IR_HINT_NONE] = "",
    [IR_HINT_UNROLL] = "unroll",
    [IR_HINT_DONT_UNROLL] = "dont_unroll",
    [IR_HINT_FLATTEN] = "flatten",
    [IR_HINT_DONT_FLATTEN] = "dont_flatten",
};

const char *const ir_base_names[IR_BASE_COUNT] = {
    [IR_BASE_FLOAT] = "float",
    [IR_BASE_INT] = "int",
    [IR_BASE_UINT] = "uint",
    [IR_BASE_BOOL] = "bool",
    [IR_BASE_SAMPLER2D] = "sampler2D",
    [IR_BASE_SAMPLERCUBE] = "samplerCube",
    [IR_BASE_SAMPLER1D] = "sampler1D",
    [IR_BASE_SAMPLER1DSHADOW] = "sampler1DShadow",
    [IR_BASE_SAMPLER2DSHADOW] = "sampler2DShadow",
    [IR_BASE_SAMPLERCUBESHADOW] = "samplerCubeShadow",
    [IR_BASE_SAMPLER2DRECT] = "sampler2DRect",
    [IR_BASE_SAMPLER2DRECTSHADOW] = "sampler2DRectShadow",
    [IR_BASE_SAMPLEREXTERNAL] = "samplerExternalOES",
    [IR_BASE_SAMPLER2DMS] = "sampler2DMS",
    [IR_BASE_UNIFORMBLOCK] = "uniform",
};

struct ir_symbol *ir_add_symbol(struct ir_shader *shader, struct ir_symtab *table, const char *name) {
    table->sym = ir_grow(shader->arena, table->sym, table->count, &table->capacity, sizeof *table->sym);
    struct ir_symbol *symbol = &table->sym[table->count++];
    memset(symbol, 0, sizeof *symbol);
    symbol->name = ir_strdup(shader->arena, name);
    symbol->array_len = 1;
    symbol->location = -1;
    symbol->word = table->words;
    return symbol;
}

uint32_t ir_symbol_words(const struct ir_symbol *symbol) {
    if (symbol->base >= IR_BASE_SAMPLER2D)
        return symbol->array_len;
    return (uint32_t)symbol->rows * symbol->cols * symbol->array_len;
}

uint32_t ir_symbol_at(const struct ir_symtab *table, uint32_t word) {
    uint32_t low = 0, high = table->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (table->sym[middle].word + ir_symbol_words(&table->sym[middle]) <= word)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct ir_symbol *ir_symbol_of_word(const struct ir_symtab *table, uint32_t word) {
    uint32_t at = ir_symbol_at(table, word);
    return at < table->count && table->sym[at].word <= word ? &table->sym[at] : NULL;
}

uint32_t ir_add_var(struct ir_shader *shader, const char *name, enum ir_type type, uint32_t words) {
    shader->vars =
        ir_grow(shader->arena, shader->vars, shader->nvars, &shader->cap_vars, sizeof *shader->vars);
    shader->vars[shader->nvars] =
        (struct ir_var){.name = ir_strdup(shader->arena, name), .type = type, .words = words};
    return shader->nvars++;
}

/* --- slots ---------------------------------------------------------------------------------------------- */

/* All before the value. */
static uint64_t slot_head(const struct ir_slot *slot) {
    uint64_t head;
    memcpy(&head, slot, sizeof head);
    return head;
}
_Static_assert(offsetof(struct ir_slot, value) == sizeof(uint64_t), "the head is one word");

static uint32_t slot_hash(const struct ir_slot *slot) {
    /* products that do not wait for each other, and a final mix: floats differ in their upper bits */
    uint64_t hash = slot_head(slot) * 0x9e3779b97f4a7c15u + slot->value * 0xc2b2ae3d27d4eb4fu +
                    (slot->arg[0] | (uint64_t)slot->arg[1] << 32) * 0xff51afd7ed558ccdu +
                    (slot->arg[2] | (uint64_t)slot->arg[3] << 32) * 0xc4ceb9fe1a85ec53u;
    hash = (hash ^ hash >> 32) * 0xd6e8feb86659fd93u;
    return (uint32_t)(hash >> 32);
}

static bool slot_equal(const struct ir_slot *a, const struct ir_slot *b) {
    return slot_head(a) == slot_head(b) && a->value == b->value && a->arg[0] == b->arg[0] &&
           a->arg[1] == b->arg[1] && a->arg[2] == b->arg[2] && a->arg[3] == b->arg[3];
}

static void slot_enter(struct ir_shader *shader, uint32_t index) {
    uint32_t mask = shader->slot_table_size - 1;
    uint32_t at = slot_hash(&shader->slots[index]) & mask;
    while (shader->slot_table[at])
        at = (at + 1) & mask;
    shader->slot_table[at] = index + 1;
}

__attribute__((noinline)) static void grow_slot_table(struct ir_shader *shader) {
    shader->slot_table_size = shader->slot_table_size ? shader->slot_table_size * 2 : 256;
    shader->slot_table = ir_alloc(shader->arena, shader->slot_table_size * sizeof *shader->slot_table);
    for (uint32_t k = 0; k < shader->nslots; k++)
        slot_enter(shader, k);
}

uint32_t ir_slot(struct ir_shader *shader, struct ir_slot slot) {
    if (shader->nslots * 2 >= shader->slot_table_size)
        grow_slot_table(shader);
    uint32_t mask = shader->slot_table_size - 1, at = slot_hash(&slot) & mask;
    for (uint32_t known; (known = shader->slot_table[at]); at = (at + 1) & mask)
        if (slot_equal(&shader->slots[known - 1], &slot))
            return known - 1;
    if (shader->nslots == shader->cap_slots)
        shader->slots =
            ir_grow(shader->arena, shader->slots, shader->nslots, &shader->cap_slots, sizeof *shader->slots);
    shader->slots[shader->nslots] = slot;
    shader->slot_table[at] = ++shader->nslots;
    return shader->nslots - 1;
}

uint32_t ir_slot_const(struct ir_shader *shader, enum ir_type type, uint32_t bits) {
    return ir_slot(shader, (struct ir_slot){.kind = IR_SLOT_CONST, .type = type, .value = bits});
}

uint32_t ir_slot_mask_of(const struct ir_shader *shader, uint32_t slot) {
    const struct ir_slot *mask = &shader->slots[slot];
    if (mask->kind != IR_SLOT_EXPR || mask->op != IR_INEG || mask->arg[0] >= slot)
        return UINT32_MAX;
    const struct ir_slot *word = &shader->slots[mask->arg[0]];
    return word->kind == IR_SLOT_EXPR && word->op == IR_B2I ? word->arg[0] : UINT32_MAX;
}
