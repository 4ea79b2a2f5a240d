/* Machine code in files: containers, raw words, or hexadecimal text. */
#ifndef TOOLS_CODE_FILE_H
#define TOOLS_CODE_FILE_H

#include <qpucc/stage.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a container's stage has of all the words; count 0: no such stage, or no container. */
struct code_part {
    size_t first, count;
};

/* A container's code, stage after stage; little-endian 64-bit words; or, when every byte is a hexadecimal
 * digit, white space, a comma, a quote or the x of 0x, words of 16 digits each. With `assembly`, text in the
 * assembler's syntax is taken, too. The words are malloc'ed. NULL: the reason is in error, "path: ..." or
 * "path:line: ...". */
uint64_t *code_read(const char *path, bool assembly, struct code_part parts[QPUCC_STAGE_COUNT], size_t *count,
                    char *error, size_t size);

#endif
