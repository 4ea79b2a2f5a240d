/* The back end against the interpreter: random lowered shaders, and shaders of files.
 *
 *     backend_random [--size STATEMENTS] [FIRST [COUNT]]
 *     backend_random FILE.ir...
 *
 * A random shader that fails is made smaller while it fails in the same way, and printed: the text is a file
 * that can be run. Seeds are fixed; exit code 0 when nothing failed. */
#include "passes/passes.h"
#include "random_ir.h"
#include "run_ir.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const outcome_names[RUN_OUTCOMES] = {
    "agree",        "do not fit fewer registers", "refused",
    "without code", "against the rules",          "stopped by the machine",
    "differ",       "cannot be interpreted"};

/* --- reduction ------------------------------------------------------------------------------------------ */

struct failure {
    enum run_outcome outcome;
    char text[500];
};

/* What a message says without the numbers in it, which change while a shader is reduced. Values that differ
 * may differ in any way. */
static void essence(struct failure *f) {
    char *out = f->text;
    for (const char *c = f->outcome == RUN_DIFFERS ? "" : f->text; *c; c++)
        if (!isdigit((unsigned char)*c))
            *out++ = *c;
    *out = 0;
}

static bool same_failure(struct ir_shader *shader, const char *tidy, uint64_t seed,
                         const struct failure *wanted) {
    struct failure f;
    if (!passes_run_named(shader, tidy, NULL, f.text, sizeof f.text) ||
        !ir_verify(shader, f.text, sizeof f.text))
        return false;
    f.outcome = run_ir(shader, seed, f.text, sizeof f.text);
    essence(&f);
    return f.outcome == wanted->outcome && !strcmp(f.text, wanted->text);
}

/* In place of instruction `id`: a constant, or one of its sources. False if there is no such way. */
static bool simplify(struct ir_shader *shader, uint32_t id, uint32_t way) {
    ir_for_blocks(shader, block) ir_for_insts(block, inst) {
        if (inst->id != id)
            continue;
        struct ir_builder b = ir_builder_before(inst);
        if (inst->op == IR_BRANCH && way < 2 && inst->src[0]->op != IR_CONST) {
            inst->src[0] = ir_const_b(&b, way == 0);
            return true;
        }
        if (inst->type == IR_VOID || inst->op == IR_CONST || inst->op == IR_ATTR || inst->op == IR_VARY)
            return false;
        uint32_t sources = inst->op == IR_PHI ? 0 : inst->nsrc; /* a phi's sources may not dominate it */
        struct ir_inst *by = NULL;
        if (way < sources && inst->src[way]->type == inst->type)
            by = inst->src[way];
        else if (way >= sources && way < sources + 2) {
            struct ir_inst *first = shader->blocks[0]->first;
            b = ir_builder_before(first);
            by = ir_const(&b, (enum ir_type)inst->type,
                          way == sources         ? 0
                          : inst->type == IR_F32 ? 0x3f800000u
                                                 : 1);
        }
        if (!by)
            return way < sources + 2; /* the next way may be one */
        ir_replace(inst, by);
        ir_resolve(shader);
        return true;
    }
    return false;
}

static size_t operations(const struct ir_shader *shader) {
    size_t count = 0;
    ir_for_blocks(shader, block) ir_for_insts(block, i) count += i->op != IR_CONST;
    return count;
}

/* Tries everything once. True when something could go. */
static bool reduce_once(struct ir_shader **shader, const char *tidy, uint64_t seed,
                        const struct failure *wanted) {
    bool smaller = false;
    for (uint32_t id = (*shader)->next_id; id-- > 0;)
        for (uint32_t way = 0; way < 8; way++) {
            struct ir_shader *attempt = ir_shader_clone(*shader);
            bool tried = simplify(attempt, id, way);
            bool good = tried && same_failure(attempt, tidy, seed, wanted) &&
                        operations(attempt) < operations(*shader);
            ir_shader_destroy(good ? *shader : attempt);
            if (good) {
                *shader = attempt;
                smaller = true;
            }
            if (good || !tried)
                break;
        }
    return smaller;
}

/* The graph stays as it is as long as something else can go: faults of control flow hang on its shape. */
static struct ir_shader *reduce(struct ir_shader *shader, uint64_t seed, const struct failure *wanted) {
    static const char *const tidy[] = {"dce", "cfg,dce"};
    for (unsigned calm = 0; calm < 2;)
        calm = reduce_once(&shader, tidy[calm], seed, wanted) ? 0 : calm + 1;
    return shader;
}

/* --- running -------------------------------------------------------------------------------------------- */

static enum run_outcome run_seed(uint64_t seed, int size) {
    struct failure f = {RUN_INTERPRETER, ""};
    struct ir_shader *shader = random_ir(seed, size, f.text, sizeof f.text);
    if (shader)
        f.outcome = run_ir(shader, seed, f.text, sizeof f.text);
    if (f.outcome > RUN_DOES_NOT_FIT) {
        printf("seed %llu: %s: %s\n", (unsigned long long)seed, outcome_names[f.outcome], f.text);
        fflush(stdout);
        if (shader) {
            essence(&f);
            shader = reduce(shader, seed, &f);
            run_ir(shader, seed, f.text, sizeof f.text);
            printf("; %s\n", f.text);
            ir_print(shader, stdout);
        }
    }
    ir_shader_destroy(shader);
    return f.outcome;
}

/* A file runs on the inputs of several seeds. */
static enum run_outcome run_file(const char *name) {
    static char source[1 << 18];
    char text[500] = "cannot be read";
    enum run_outcome worst = RUN_INTERPRETER;
    FILE *in = fopen(name, "rb");
    size_t length = in ? fread(source, 1, sizeof source, in) : 0;
    struct ir_shader *shader = length ? ir_parse(source, length, text, sizeof text) : NULL;
    if (shader) {
        worst = RUN_AGREES;
        for (uint64_t seed = 1; worst == RUN_AGREES && seed <= 20; seed++)
            worst = run_ir(shader, seed, text, sizeof text);
    }
    if (worst != RUN_AGREES)
        printf("%s: %s: %s\n", name, outcome_names[worst], text);
    ir_shader_destroy(shader);
    if (in)
        fclose(in);
    return worst;
}

int main(int argc, char **argv) {
    unsigned tally[RUN_OUTCOMES] = {0}, total = 0;
    int size = 0, first_argument = 1;
    bool files = false;
    if (argc > 2 && !strcmp(argv[1], "--size")) {
        size = atoi(argv[2]);
        first_argument = 3;
    }
    for (int k = first_argument; k < argc && strchr(argv[k], '.'); k++, total++) {
        files = true;
        tally[run_file(argv[k])]++;
    }
    if (!files) {
        uint64_t first = argc > first_argument ? strtoull(argv[first_argument], NULL, 10) : 1;
        uint64_t count = argc > first_argument + 1 ? strtoull(argv[first_argument + 1], NULL, 10) : 150;
        for (uint64_t seed = first; seed < first + count; seed++, total++)
            tally[run_seed(seed, size ? size : 1 + (int)(seed % 24))]++;
    }
    for (int k = 0; k < RUN_OUTCOMES; k++)
        if (tally[k])
            printf("%u %s (%.1f %%)\n", tally[k], outcome_names[k], 100.0 * tally[k] / total);
    /* most have to fit, or this would test little */
    return tally[RUN_AGREES] + tally[RUN_DOES_NOT_FIT] != total || tally[RUN_AGREES] * 4 < total * 3;
}
