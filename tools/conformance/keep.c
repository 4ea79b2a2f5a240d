/* The files of a failed case. */
#include "keep.h"
#include "tools/file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void write_assembly(FILE *out, const qpucc_program *program) {
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t count;
        const uint64_t *code = qpucc_program_code(program, (enum qpucc_stage)s, &count);
        const uint32_t *lines = qpucc_program_lines(program, (enum qpucc_stage)s);
        fprintf(out, "# %s shader: %zu instructions\n", qpucc_stage_name((enum qpucc_stage)s),
                code ? count : 0);
        for (size_t i = 0; code && i < count; i++) {
            char text[400];
            size_t uniform = qpucc_uniform_index(program, (enum qpucc_stage)s, i);
            qpucc_disassemble(code[i], (unsigned)i, text, sizeof text);
            fprintf(out, "%-72s # %4zu", text, i);
            if (lines && lines[i])
                fprintf(out, " line %u", lines[i]);
            if (uniform != SIZE_MAX)
                fprintf(out, " uniform %s", qpucc_uniform_text(program, (enum qpucc_stage)s, uniform));
            fputc('\n', out);
        }
    }
}

static char *make_log(const struct kept *kept, const char *reason, bool assembly, size_t *bytes) {
    char *text = NULL;
    FILE *out = open_memstream(&text, bytes);
    if (!out)
        return NULL;
    if (assembly) {
        write_assembly(out, kept->program);
    } else {
        fprintf(out, "%s\n", reason);
        for (size_t i = 0; kept->program && i < qpucc_program_diagnostic_count(kept->program); i++) {
            const struct qpucc_diagnostic *d = qpucc_program_diagnostic(kept->program, i);
            fprintf(out, "%s:%u:%u: %s: %s\n", d->file ? d->file : "?", d->line, d->column, d->code, d->text);
        }
    }
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

bool keep_failed(const struct test_case *c, const struct kept *kept, const char *name, const char *reason,
                 const char *folder, char *error, size_t size) {
    char path[4200], base[160];
    size_t length = 0, bytes = 0;
    unsigned long hash = 5381;
    mkdir(folder, 0777); /* that it may be there already is fine: writing will tell */
    for (const char *n = name; *n; n++) {
        hash = hash * 33 + (unsigned char)*n;
        if (length + 1 < sizeof base)
            base[length++] = isalnum((unsigned char)*n) || strchr("._-", *n) ? *n : '_';
    }
    base[length] = 0;
    if (length + 1 == sizeof base) /* cut off: keep names apart */
        snprintf(base + sizeof base - 10, 10, "%08lx", hash & 0xfffffffful);
    bool ok = true;
    const char *const sources[][2] = {{"vert", c->vertex}, {"frag", c->fragment}};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, base, sources[i][0]);
        ok = ok && (!sources[i][1] || file_write(path, sources[i][1], strlen(sources[i][1]), error, size));
    }
    for (int i = 0; ok && i < (kept->program ? 2 : 1); i++) {
        char *text = make_log(kept, reason, i == 1, &bytes);
        snprintf(path, sizeof path, "%s/%s.%s", folder, base, i ? "asm" : "log");
        if (!text)
            snprintf(error, size, "out of memory");
        ok = text && file_write(path, text, bytes, error, size);
        free(text);
    }
    const struct picture *const pictures[] = {&kept->picture, &kept->reference};
    for (int i = 0; ok && i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, base, i ? "ref.png" : "png");
        ok = !pictures[i]->pixels || picture_write_png(pictures[i], path, true, error, size);
    }
    return ok;
}
