/* Writing a SPIR-V module: sections that grow side by side, and each type and constant once.
 *
 * Values have three kinds only. Integers are unsigned; operations that want signs say so themselves. */
#ifndef SPIRV_WORDS_H
#define SPIRV_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum spirv_kind { KIND_FLOAT, KIND_UINT, KIND_BOOL, KIND_COUNT };

/* In the order of the module. */
enum spirv_section {
    SECTION_HEAD,
    SECTION_NAMES,
    SECTION_DECORATIONS,
    SECTION_TYPES,
    SECTION_CODE,
    SECTION_COUNT
};

struct spirv_words {
    uint32_t *word;
    size_t count, capacity;
};

/* A type, constant or undefined value by what defines it: opcode and operands. */
struct spirv_known {
    uint32_t id, op, count, operand[7];
};

struct spirv_module {
    struct spirv_words section[SECTION_COUNT];
    struct spirv_known *known; /* open addressing; id 0: free */
    uint32_t known_count, known_size;
    uint32_t next_id;
    uint32_t glsl; /* GLSL.std.450 */
    bool oom;
};

void spirv_init(struct spirv_module *m);
void spirv_free(struct spirv_module *m);
/* The whole module, malloc'ed; NULL: out of memory. */
uint32_t *spirv_finish(const struct spirv_module *m, size_t *count);

uint32_t spirv_id(struct spirv_module *m);
/* An instruction from all of its operands, result type and result among them. */
void spirv_put(struct spirv_module *m, enum spirv_section section, uint32_t op, uint32_t count,
               const uint32_t *operand);
#define SPIRV_PUT(m, section, op, ...)                                                                       \
    spirv_put(m, section, op, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                    \
              (const uint32_t[]){__VA_ARGS__})
/* The same with a string after the operands; `behind` follows it. */
void spirv_put_text(struct spirv_module *m, enum spirv_section section, uint32_t op, uint32_t count,
                    const uint32_t *operand, const char *text, uint32_t behind_count, const uint32_t *behind);
void spirv_name(struct spirv_module *m, uint32_t id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* An instruction of the code with a new result. */
uint32_t spirv_op(struct spirv_module *m, uint32_t op, uint32_t type, uint32_t count,
                  const uint32_t *operand);
#define SPIRV_OP(m, op, type, ...)                                                                           \
    spirv_op(m, op, type, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                        \
             (const uint32_t[]){__VA_ARGS__})
/* An instruction of GLSL.std.450. */
uint32_t spirv_ext(struct spirv_module *m, uint32_t which, uint32_t type, uint32_t count,
                   const uint32_t *operand);

/* Types: those of a kind with `count` components, and others by their opcode and operands. */
uint32_t spirv_type(struct spirv_module *m, enum spirv_kind kind, uint32_t count);
uint32_t spirv_other_type(struct spirv_module *m, uint32_t op, uint32_t count, const uint32_t *operand);
#define SPIRV_OTHER_TYPE(m, op, ...)                                                                         \
    spirv_other_type(m, op, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t),                      \
                     (const uint32_t[]){__VA_ARGS__})
uint32_t spirv_pointer(struct spirv_module *m, uint32_t storage, uint32_t type);
uint32_t spirv_array(struct spirv_module *m, uint32_t type, uint32_t length);

/* Constants, by their bits (a boolean: 0 or not). */
uint32_t spirv_constant(struct spirv_module *m, enum spirv_kind kind, uint32_t count, const uint32_t *bits);
uint32_t spirv_float(struct spirv_module *m, float value, uint32_t count); /* all components alike */
uint32_t spirv_uint(struct spirv_module *m, uint32_t value);
uint32_t spirv_uints(struct spirv_module *m, uint32_t value, uint32_t count);
uint32_t spirv_undef(struct spirv_module *m, enum spirv_kind kind, uint32_t count);

#endif
