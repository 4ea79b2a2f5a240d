/* Reads code for dis and check. */
#include "code_file.h"
#include "file.h"

#include <qpucc/qpucc.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_hex_text(const struct file_data *file) {
    for (size_t i = 0; i < file->size; i++) {
        unsigned char c = (unsigned char)file->data[i];
        if (!isxdigit(c) && !isspace(c) && !strchr("xX,\"[]", c))
            return false;
        if (!c)
            return false;
    }
    return file->size > 0;
}

static bool is_text(const struct file_data *file) {
    for (size_t i = 0; i < file->size; i++) {
        unsigned char c = (unsigned char)file->data[i];
        if ((c < 32 && !isspace(c)) || c == 127)
            return false;
    }
    return true;
}

static uint64_t *from_hex(const struct file_data *file, size_t *count, char *error, size_t size,
                          const char *path) {
    uint64_t *words = malloc((file->size / 8 + 1) * sizeof *words);
    unsigned line = 1;
    *count = 0;
    for (const char *c = file->data; words && *c;) {
        if (!isxdigit((unsigned char)*c)) {
            line += *c++ == '\n';
            continue;
        }
        if (c[0] == '0' && (c[1] == 'x' || c[1] == 'X'))
            c += 2;
        size_t digits = strspn(c, "0123456789abcdefABCDEF");
        if (digits != 16) {
            snprintf(error, size, "%s:%u: a word has 16 hexadecimal digits, not %zu", path, line, digits);
            free(words);
            return NULL;
        }
        char text[17];
        memcpy(text, c, 16);
        text[16] = 0;
        words[(*count)++] = strtoull(text, NULL, 16);
        c += 16;
    }
    return words;
}

static uint64_t *from_bytes(const struct file_data *file, size_t *count) {
    uint64_t *words = calloc(file->size / 8 + 1, sizeof *words);
    *count = file->size / 8;
    for (size_t i = 0; words && i < *count * 8; i++)
        words[i / 8] |= (uint64_t)(unsigned char)file->data[i] << i % 8 * 8;
    return words;
}

/* All stages of a container, one after the other, with where each begins. */
static uint64_t *from_container(const struct file_data *file, struct code_part parts[QPUCC_STAGE_COUNT],
                                size_t *count, char *error, size_t size, const char *path) {
    qpucc_program *program = qpucc_program_load(file->data, file->size);
    uint64_t *words = NULL;
    size_t at = 0;
    if (program && qpucc_program_status(program) != QPUCC_OK)
        snprintf(error, size, "%s: %s", path, qpucc_program_diagnostic(program, 0)->text);
    else if (program && (words = malloc(file->size + 8))) /* it holds the code */
        for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
            const uint64_t *code = qpucc_program_code(program, (enum qpucc_stage)s, &parts[s].count);
            parts[s].first = at;
            if (code)
                memcpy(words + at, code, parts[s].count * sizeof *words);
            at += code ? parts[s].count : 0;
        }
    *count = at;
    qpucc_program_free(program);
    return words;
}

uint64_t *code_read(const char *path, bool assembly, struct code_part parts[QPUCC_STAGE_COUNT], size_t *count,
                    char *error, size_t size) {
    struct file_data file;
    uint64_t *words = NULL;
    if (!file_read(path, &file, error, size))
        return NULL;
    snprintf(error, size, "%s: out of memory", path);
    memset(parts, 0, QPUCC_STAGE_COUNT * sizeof *parts);
    if (file.size >= 8 && !memcmp(file.data, "QPUCC\r\n\x1a", 8))
        words = from_container(&file, parts, count, error, size, path);
    else if (is_hex_text(&file))
        words = from_hex(&file, count, error, size, path);
    else if (assembly && is_text(&file)) {
        char reason[200];
        words = qpucc_assemble(file.data, file.size, count, reason, sizeof reason);
        if (!words)
            snprintf(error, size, "%s: %s", path, reason);
    } else if (file.size % 8)
        snprintf(error, size, "%s: %zu bytes is not a whole number of 64-bit words", path, file.size);
    else
        words = from_bytes(&file, count);
    if (words && !*count) {
        snprintf(error, size, "%s: no code in it", path);
        free(words);
        words = NULL;
    }
    file_free(&file);
    return words;
}
