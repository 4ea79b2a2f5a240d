/* spirv_fuzz.c: the modules of spirv_cases/, damaged at random, must neither crash nor leak nor make unsound
 * IR. Half of them go past the validator of SPIRV-Tools, so that our own checks stand alone; those need not
 * come out sound, only safely.
 *
 *    spirv_fuzz FOLDER [ROUNDS [SEED]] */
#include "frontend/spirv/spirv.h"
#include "spirv_module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint32_t random_number(uint32_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below ? (uint32_t)(state >> 20) % below : 0;
}

/* A few of: a word replaced by another of the module, a small number, a bit flipped; instructions swapped,
 * dropped or doubled (by words, so lengths mostly stay right); the end cut off. Returns the new length. */
static size_t damage(uint32_t *words, size_t count) {
    uint32_t changes = 1 + random_number(4);
    size_t starts[4096], n = 0;
    for (size_t at = 5; at < count && n < 4096 && words[at] >> 16; at += words[at] >> 16)
        starts[n++] = at;
    while (changes--) {
        size_t at = 5 + random_number((uint32_t)count - 5);
        switch (random_number(8)) {
        case 0: words[at] = words[5 + random_number((uint32_t)count - 5)]; break;
        case 1: words[at] = random_number(64); break;
        case 2: words[at] ^= 1u << random_number(32); break;
        case 3: words[at] = random_number(words[3]); break;
        case 4:
            if (n) { /* another operation of the same length */
                uint32_t *word = &words[starts[random_number((uint32_t)n)]];
                *word = (*word & 0xffff0000u) | random_number(400);
            }
            break;
        case 5:
            if (n > 1) { /* an instruction's operands from another of the same length */
                size_t a = starts[random_number((uint32_t)n)], b = starts[random_number((uint32_t)n)];
                if (words[a] >> 16 == words[b] >> 16 && (words[a] >> 16) + a <= count &&
                    (words[b] >> 16) + b <= count)
                    memmove(words + a, words + b, (words[b] >> 16) * sizeof *words);
            }
            break;
        case 6:
            if (n) { /* an operand of an instruction becomes some id */
                size_t a = starts[random_number((uint32_t)n)], length = words[a] >> 16;
                if (length > 1 && a + length <= count)
                    words[a + 1 + random_number((uint32_t)length - 1)] = random_number(words[3]);
            }
            break;
        default:
            if (random_number(10) == 0)
                count = at;
        }
        if (count <= 6)
            break;
    }
    return count;
}

int main(int argc, char **argv) {
    size_t files, accepted = 0, refused = 0, unsound = 0;
    unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 300;
    uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    char **list = spirv_case_list(argc > 1 ? argv[1] : "spirv_cases", &files);
    for (size_t f = 0; f < files; f++) {
        size_t count;
        uint32_t *module = spirv_module_load(list[f], &count);
        uint32_t *copy = module ? malloc(count * sizeof *copy) : NULL;
        for (unsigned long round = 0; copy && round < rounds; round++) {
            state = (seed * 1000003 + f) * 1000003 + round + 88172645463325252ull;
            for (int k = 0; k < 8; k++)
                random_number(1);
            memcpy(copy, module, count * sizeof *copy);
            size_t length = damage(copy, count);
            uint32_t *exact =
                malloc((length ? length : 1) * sizeof *exact); /* so that a read past the end is seen */
            memcpy(exact, copy, length * sizeof *exact);
            struct fe_spirv_options options = {.stage =
                                                   strstr(list[f], ".vert") ? QPUCC_VERTEX : QPUCC_FRAGMENT,
                                               .trusted = round & 1,
                                               .lower_left = round & 2,
                                               .blocks_in_buffers = round & 4};
            struct fe_spirv_error error;
            struct ir_shader *shader = fe_spirv_read(exact, length, &options, &error);
            char fault[300];
            if (!shader) {
                refused++;
                if (!error.text[0] || !error.code) {
                    fprintf(stderr, "%s round %lu: refused without a reason\n", list[f], round);
                    unsound++;
                }
            } else {
                accepted++;
                if (!options.trusted && !ir_verify(shader, fault, sizeof fault)) {
                    fprintf(stderr, "%s round %lu: valid module, unsound IR: %s\n", list[f], round, fault);
                    unsound++;
                }
            }
            ir_shader_destroy(shader);
            free(exact);
        }
        free(copy);
        free(module);
        free(list[f]);
    }
    free(list);
    printf("%zu accepted, %zu refused, %zu wrong\n", accepted, refused, unsound);
    return unsound != 0 || !accepted;
}
