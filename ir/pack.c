/* A shader in a few bytes an instruction, for the time in which nobody works on it.
 *
 * Requires: a shader before lower_stage that passes ir_verify. Keeps: all that its text says, and labels.
 * Numbers are given anew: values and blocks by their order, uniform slots by their first use. So shaders of
 * the same text come back as one and the same, and what breaks ties by a number (of slots, of values) gives
 * the same code for a shader that was compiled, saved or cached. */
#include "ir/heap.h"
#include "ir/internal.h"

#include <string.h>

/* Of an instruction: what it has beyond its operation. */
enum { HAS_LOC = 1, HAS_AUX = 2, HAS_IMM = 4, HAS_LABEL = 8, IS_EXACT = 16 };

/* --- writing -------------------------------------------------------------------------------------------- */

struct packer {
    const struct ir_shader *shader;
    uint8_t *data; /* NULL when there is no memory */
    size_t size, capacity;
    uint32_t *value, *block, *slot, *stack; /* new numbers by old ones; slot: UINT32_MAX is none yet */
    uint32_t *slot_order, slots;
    struct ir_loc loc; /* of what was written last */
};

static void put(struct packer *p, uint8_t byte) {
    if (p->size == p->capacity) {
        p->capacity *= 2;
        uint8_t *larger = p->data ? ir_heap_resize(NULL, p->data, p->capacity) : NULL;
        if (!larger)
            ir_heap_free(p->data);
        p->data = larger;
    }
    if (p->data)
        p->data[p->size++] = byte;
    else
        p->size = 0, p->capacity = 1; /* nothing is kept any more */
}

static void put_number(struct packer *p, uint32_t n) {
    for (; n >= 128; n >>= 7)
        put(p, (uint8_t)(n | 128));
    put(p, (uint8_t)n);
}

/* Small whatever its sign. */
static void put_difference(struct packer *p, uint32_t to, uint32_t from) {
    uint32_t d = to - from;
    put_number(p, d << 1 ^ (d >> 31 ? UINT32_MAX : 0));
}

static void put_string(struct packer *p, const char *text) {
    for (; *text; text++)
        put(p, (uint8_t)*text);
    put(p, 0);
}

static void put_place(struct packer *p, struct ir_loc loc) {
    put_difference(p, loc.line, p->loc.line);
    put_number(p, loc.column);
    put_number(p, loc.file);
    p->loc = loc;
}

static void put_symbols(struct packer *p, const struct ir_symtab *table) {
    put_number(p, table->count);
    put_number(p, table->words);
    for (uint32_t k = 0; k < table->count; k++) {
        const struct ir_symbol *s = &table->sym[k];
        put_string(p, s->name);
        put(p, s->base);
        put(p, s->rows);
        put(p, s->cols);
        put(p, s->precision);
        put(p, s->interp);
        put(p, (uint8_t)(s->invariant | s->used << 1 | s->is_array << 2 | s->by_location << 3 |
                         s->centroid << 4 | (s->block != NULL) << 5 | (s->initial != NULL) << 6));
        put_number(p, s->array_len);
        put_number(p, s->word);
        put_number(p, (uint32_t)(s->location + 1));
        if (s->block)
            put_string(p, s->block);
        for (uint32_t w = 0; s->initial && w < ir_symbol_words(s); w++)
            put_number(p, s->initial[w]);
        put_place(p, s->loc);
    }
}

static void put_tables(struct packer *p) {
    const struct ir_shader *shader = p->shader;
    put(p, (uint8_t)shader->stage);
    put(p, (uint8_t)(shader->point_size | shader->uses_discard << 1));
    put_number(p, shader->nfiles);
    for (uint32_t k = 0; k < shader->nfiles; k++)
        put_string(p, shader->files[k]);
    put_symbols(p, &shader->uniforms);
    put_symbols(p, &shader->samplers);
    put_symbols(p, &shader->inputs);
    put_symbols(p, &shader->outputs);
    put_number(p, shader->nvars);
    for (uint32_t k = 0; k < shader->nvars; k++) {
        const struct ir_var *var = &shader->vars[k];
        put_string(p, var->name);
        put(p, var->type);
        put(p, var->precision);
        put_number(p, var->label);
        put_number(p, var->words);
    }
    put_number(p, shader->nlabels);
    for (uint32_t k = 0; k < shader->nlabels; k++) {
        const struct ir_labels *label = &shader->labels[k];
        put_string(p, label->text);
        put_number(p, label->first);
        put_number(p, label->words);
        put(p, label->rows);
        put(p, label->cols);
    }
}

/* Numbers what the slot is made of, then itself. */
static void number_slot(struct packer *p, uint32_t slot) {
    uint32_t depth = 0;
    p->stack[depth++] = slot;
    while (depth) {
        uint32_t top = p->stack[depth - 1], missing = UINT32_MAX;
        const struct ir_slot *s = &p->shader->slots[top];
        for (uint32_t k = s->narg; s->kind == IR_SLOT_EXPR && k-- > 0;)
            if (p->slot[s->arg[k]] == UINT32_MAX)
                missing = s->arg[k];
        if (missing != UINT32_MAX) {
            p->stack[depth++] = missing;
            continue;
        }
        depth--;
        if (p->slot[top] == UINT32_MAX) {
            p->slot[top] = p->slots;
            p->slot_order[p->slots++] = top;
        }
    }
}

static void put_slots(struct packer *p) {
    for (uint32_t k = 0; k < p->slots; k++) {
        const struct ir_slot *s = &p->shader->slots[p->slot_order[k]];
        put(p, s->kind);
        put(p, s->param);
        put(p, s->type);
        put_number(p, s->op);
        put_number(p, s->value);
        put(p, s->narg);
        for (uint32_t a = 0; a < s->narg; a++)
            put_number(p, k - p->slot[s->arg[a]]);
    }
}

static void put_inst(struct packer *p, const struct ir_inst *inst) {
    const struct ir_op_info *info = &ir_ops[inst->op];
    uint32_t imm = info->imm == IR_IMM_SLOT ? p->slot[inst->imm] : inst->imm, own = p->value[inst->id];
    bool moved = memcmp(&inst->loc, &p->loc, sizeof p->loc) != 0;
    put_number(p, inst->op);
    put(p, (uint8_t)(inst->type | inst->precision << 4));
    put(p, (uint8_t)((moved ? HAS_LOC : 0) | (inst->aux ? HAS_AUX : 0) | (imm ? HAS_IMM : 0) |
                     (inst->label ? HAS_LABEL : 0) | (inst->exact ? IS_EXACT : 0)));
    if (moved)
        put_place(p, inst->loc);
    if (imm)
        put_number(p, imm);
    if (inst->aux)
        put_number(p, inst->aux);
    if (inst->label)
        put_number(p, inst->label);
    if (info->min_src != info->max_src)
        put_number(p, inst->nsrc);
    for (uint32_t k = 0; k < inst->nsrc; k++) {
        put_difference(p, own, p->value[inst->src[k]->id]);
        if (inst->op == IR_PHI)
            put_number(p, p->block[inst->phi_block[k]->id]);
    }
}

static void put_block(struct packer *p, const struct ir_block *block) {
    uint32_t count = 0;
    for (const struct ir_inst *inst = block->first; inst; inst = inst->next)
        count++;
    put_number(p, count << 1 | (block->hint != IR_HINT_NONE));
    if (block->hint)
        put(p, block->hint);
    for (int s = 0; s < 2; s++)
        put_number(p, block->succ[s] ? p->block[block->succ[s]->id] + 1 : 0);
    for (const struct ir_inst *inst = block->first; inst; inst = inst->next)
        put_inst(p, inst);
}

/* Returns how many sources there are. */
static uint32_t number_all(struct packer *p) {
    uint32_t values = 0, sources = 0;
    for (uint32_t k = 0; k < p->shader->nslots; k++)
        p->slot[k] = UINT32_MAX;
    ir_for_blocks(p->shader, block) {
        p->block[block->id] = block_i;
        for (const struct ir_inst *inst = block->first; inst; inst = inst->next) {
            p->value[inst->id] = values++;
            sources += inst->nsrc;
            if (ir_ops[inst->op].imm == IR_IMM_SLOT)
                number_slot(p, inst->imm);
        }
    }
    return sources;
}

struct ir_packed *ir_pack(const struct ir_shader *shader, const struct qpucc_allocator *from) {
    uint32_t slots = shader->nslots + 1, capacity = shader->next_id + shader->next_block_id + 3 * slots;
    uint32_t *numbers = ir_heap_get(from, capacity * sizeof *numbers);
    struct packer p = {.shader = shader, .capacity = 1024 + 12 * (size_t)shader->ninsts};
    p.data = numbers ? ir_heap_get(from, p.capacity) : NULL;
    struct ir_packed *packed = NULL;
    if (p.data) {
        p.slot = numbers;
        p.stack = numbers + slots;
        p.slot_order = p.stack + slots;
        p.block = p.slot_order + slots;
        p.value = p.block + shader->next_block_id;
        uint32_t sources = number_all(&p);
        put_tables(&p);
        put_slots(&p);
        ir_for_blocks(shader, block) {
            put_block(&p, block);
        }
        packed = p.data ? ir_heap_get(from, sizeof *packed + p.size) : NULL;
        if (packed) {
            memset(packed, 0, sizeof *packed);
            packed->users = 1;
            packed->size = (uint32_t)(sizeof *packed + p.size);
            packed->blocks = shader->nblocks;
            packed->insts = shader->ninsts;
            packed->sources = sources;
            packed->slots = p.slots;
            packed->unrolled = shader->unrolled;
            memcpy(packed->data, p.data, p.size);
        }
    }
    ir_heap_free(p.data);
    ir_heap_free(numbers);
    return packed;
}

bool ir_packed_equal(const struct ir_packed *a, const struct ir_packed *b) {
    size_t from = offsetof(struct ir_packed, size);
    return a->size == b->size && !memcmp((const char *)a + from, (const char *)b + from, a->size - from);
}

/* --- reading: what was written here, in this process ---------------------------------------------------- */

struct unpacker {
    struct ir_shader *shader;
    const uint8_t *at;
    struct ir_loc loc;
    struct ir_inst *inst; /* all of them, in order */
    struct ir_inst **source;
};

static uint32_t get_number(struct unpacker *u) {
    uint32_t n = *u->at & 127;
    for (unsigned shift = 7; *u->at++ & 128; shift += 7)
        n |= (uint32_t)(*u->at & 127) << shift;
    return n;
}

/* What put_difference was told of `to` and `from`: to - from. */
static uint32_t get_difference(struct unpacker *u) {
    uint32_t d = get_number(u);
    return d >> 1 ^ (d & 1 ? UINT32_MAX : 0);
}

static char *get_string(struct unpacker *u) {
    size_t length = strlen((const char *)u->at);
    char *copy = ir_alloc_uncleared(u->shader->arena, length + 1);
    memcpy(copy, u->at, length + 1);
    u->at += length + 1;
    return copy;
}

static struct ir_loc get_place(struct unpacker *u) {
    u->loc.line += get_difference(u);
    u->loc.column = (uint16_t)get_number(u);
    u->loc.file = (uint16_t)get_number(u);
    return u->loc;
}

/* A table of `count`, all of which are read next. */
static void *get_table(struct unpacker *u, uint32_t *count, uint32_t *capacity, size_t element) {
    *count = *capacity = get_number(u);
    return *count ? ir_alloc(u->shader->arena, *count * element) : NULL;
}

static void get_symbols(struct unpacker *u, struct ir_symtab *table) {
    table->sym = get_table(u, &table->count, &table->capacity, sizeof *table->sym);
    table->words = get_number(u);
    for (uint32_t k = 0; k < table->count; k++) {
        struct ir_symbol *s = &table->sym[k];
        s->name = get_string(u);
        s->base = *u->at++;
        s->rows = *u->at++;
        s->cols = *u->at++;
        s->precision = *u->at++;
        s->interp = *u->at++;
        uint8_t bits = *u->at++;
        s->invariant = bits & 1;
        s->used = bits >> 1 & 1;
        s->is_array = bits >> 2 & 1;
        s->by_location = bits >> 3 & 1;
        s->centroid = bits >> 4 & 1;
        s->array_len = get_number(u);
        s->word = get_number(u);
        s->location = (int32_t)get_number(u) - 1;
        s->block = bits >> 5 & 1 ? get_string(u) : NULL;
        uint32_t words = ir_symbol_words(s);
        s->initial = bits >> 6 & 1 ? ir_alloc(u->shader->arena, words * sizeof *s->initial) : NULL;
        for (uint32_t w = 0; s->initial && w < words; w++)
            s->initial[w] = get_number(u);
        s->loc = get_place(u);
    }
}

static void get_tables(struct unpacker *u) {
    struct ir_shader *shader = u->shader;
    shader->stage = (enum qpucc_stage) * u->at++;
    shader->point_size = *u->at & 1;
    shader->uses_discard = *u->at++ >> 1;
    shader->files = get_table(u, &shader->nfiles, &shader->cap_files, sizeof *shader->files);
    for (uint32_t k = 0; k < shader->nfiles; k++)
        shader->files[k] = get_string(u);
    get_symbols(u, &shader->uniforms);
    get_symbols(u, &shader->samplers);
    get_symbols(u, &shader->inputs);
    get_symbols(u, &shader->outputs);
    shader->vars = get_table(u, &shader->nvars, &shader->cap_vars, sizeof *shader->vars);
    for (uint32_t k = 0; k < shader->nvars; k++) {
        struct ir_var *var = &shader->vars[k];
        var->name = get_string(u);
        var->type = *u->at++;
        var->precision = *u->at++;
        var->label = (uint16_t)get_number(u);
        var->words = get_number(u);
    }
    shader->labels = get_table(u, &shader->nlabels, &shader->cap_labels, sizeof *shader->labels);
    for (uint32_t k = 0; k < shader->nlabels; k++) {
        struct ir_labels *label = &shader->labels[k];
        label->text = get_string(u);
        label->first = get_number(u);
        label->words = get_number(u);
        label->rows = *u->at++;
        label->cols = *u->at++;
    }
}

static void get_slots(struct unpacker *u, uint32_t count) {
    for (uint32_t k = 0; k < count; k++) {
        struct ir_slot s = {.kind = u->at[0], .param = u->at[1], .type = u->at[2]};
        u->at += 3;
        s.op = (uint16_t)get_number(u);
        s.value = get_number(u);
        s.narg = *u->at++;
        for (uint32_t a = 0; a < s.narg; a++)
            s.arg[a] = k - get_number(u);
        ir_slot(u->shader, s);
    }
}

static void get_inst(struct unpacker *u, struct ir_inst *inst, uint32_t own) {
    inst->op = (uint16_t)get_number(u);
    inst->type = *u->at & 15;
    inst->precision = *u->at++ >> 4;
    inst->id = own;
    uint8_t has = *u->at++;
    inst->loc = has & HAS_LOC ? get_place(u) : u->loc;
    inst->imm = has & HAS_IMM ? get_number(u) : 0;
    inst->aux = has & HAS_AUX ? get_number(u) : 0;
    inst->label = has & HAS_LABEL ? (uint16_t)get_number(u) : 0;
    inst->exact = has & IS_EXACT;
    const struct ir_op_info *info = &ir_ops[inst->op];
    inst->nsrc = info->min_src != info->max_src ? get_number(u) : info->min_src;
    if (inst->op == IR_PHI)
        ir_alloc_sources(u->shader->arena, inst, inst->nsrc);
    else if (inst->nsrc)
        inst->src = u->source, u->source += inst->nsrc;
    for (uint32_t k = 0; k < inst->nsrc; k++) {
        inst->src[k] = &u->inst[own - get_difference(u)];
        if (inst->op == IR_PHI)
            inst->phi_block[k] = u->shader->blocks[get_number(u)];
    }
    u->shader->nops[inst->op]++;
}

static void get_block(struct unpacker *u, struct ir_block *block) {
    uint32_t head = get_number(u), count = head >> 1, first = u->shader->ninsts;
    block->hint = head & 1 ? *u->at++ : IR_HINT_NONE;
    for (int s = 0; s < 2; s++) {
        uint32_t to = get_number(u);
        block->succ[s] = to ? u->shader->blocks[to - 1] : NULL;
    }
    for (uint32_t k = first; k < first + count; k++) {
        struct ir_inst *inst = &u->inst[k];
        inst->block = block;
        inst->prev = k > first ? inst - 1 : NULL;
        inst->next = k + 1 < first + count ? inst + 1 : NULL;
        get_inst(u, inst, k);
    }
    u->shader->ninsts += count;
    block->first = count ? &u->inst[first] : NULL;
    block->last = count ? &u->inst[first + count - 1] : NULL;
}

struct ir_shader *ir_unpack(const struct ir_packed *packed, struct ir_arena *beside) {
    struct ir_arena *arena = ir_arena_beside(beside);
    struct ir_shader *shader = ir_alloc(arena, sizeof *shader);
    struct unpacker u = {.shader = shader, .at = packed->data};
    shader->arena = arena;
    get_tables(&u);
    get_slots(&u, packed->slots);
    for (uint32_t k = 0; k < packed->blocks; k++)
        ir_block_create(shader);
    u.inst = ir_alloc(arena, (packed->insts + 1) * sizeof *u.inst);
    u.source = ir_alloc_uncleared(arena, (packed->sources + 1) * sizeof *u.source);
    if (ir_arena_oom(arena)) {
        ir_arena_destroy(arena);
        return NULL;
    }
    ir_for_blocks(shader, block) {
        get_block(&u, block);
    }
    shader->next_id = packed->insts;
    shader->unrolled = packed->unrolled;
    ir_fill_preds(shader);
    if (ir_arena_oom(arena)) {
        ir_arena_destroy(arena);
        return NULL;
    }
    return shader;
}
