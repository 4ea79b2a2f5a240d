/* Names to numbers, in constant time: a hash table with open addressing, in the arena. */
#include "ir/ir.h"

#include <string.h>

static uint32_t hash_of(const char *text) {
    uint32_t hash = 2166136261u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

/* The name's entry, or the free one where it belongs. Never full: see ir_names_add. */
static struct ir_name *entry_of(const struct ir_names *names, const char *text) {
    uint32_t at = hash_of(text);
    while (names->entry[at &= names->size - 1].text && strcmp(names->entry[at].text, text) != 0)
        at++;
    return &names->entry[at];
}

static void grow(struct ir_names *names, struct ir_arena *arena) {
    struct ir_names larger = {.size = names->size ? names->size * 2 : 32, .count = names->count};
    larger.entry = ir_alloc(arena, larger.size * sizeof *larger.entry);
    for (uint32_t k = 0; k < names->size; k++)
        if (names->entry[k].text)
            *entry_of(&larger, names->entry[k].text) = names->entry[k];
    *names = larger;
}

uint32_t ir_names_add(struct ir_names *names, struct ir_arena *arena, const char *text, uint32_t number) {
    if (names->count * 2 >= names->size)
        grow(names, arena);
    struct ir_name *entry = entry_of(names, text);
    if (!entry->text) {
        *entry = (struct ir_name){text, number};
        names->count++;
    }
    return entry->number;
}

uint32_t ir_names_find(const struct ir_names *names, const char *text) {
    const struct ir_name *entry = names->size ? entry_of(names, text) : NULL;
    return entry && entry->text ? entry->number : UINT32_MAX;
}
