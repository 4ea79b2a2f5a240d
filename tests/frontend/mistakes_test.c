/* mistakes_test.c: what people are told about typical mistakes (mistakes.txt), word by word, and what
 * with all warnings on about texts that are accepted (warnings.txt).
 *
 *     mistakes_test FILE            compares
 *     mistakes_test --update FILE   writes the messages of now
 *
 * The messages are our own wherever the mistakes are common, so they are the same with any version of
 * glslang. Each of them has a line and a column that are in the text. */
#include "frontend/glsl/glsl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 18);
    if (file && text)
        text[fread(text, 1, (1 << 18) - 1, file)] = 0;
    if (file)
        fclose(file);
    return text;
}

/* Is there such a place in the text? A message may stand behind the last character of its line. */
static int has_place(const char *text, unsigned line, unsigned column) {
    for (; line > 1 && *text; line--)
        text = strchr(text, '\n') ? strchr(text, '\n') + 1 : "";
    return line == 1 && column && column <= strcspn(text, "\n") + 1;
}

/* A mistake is refused. A text with the word "accepted" is accepted, with warnings, or with none if it says
 * so. */
static int compile(const char *title, const char *text, FILE *out) {
    static const char *const words[] = {"note", "warning", "error"};
    struct fe_options options = {.warnings = strstr(title, "accepted") ? UINT32_MAX : 0,
                                 .permissive = strstr(title, "permissive") != NULL};
    enum qpucc_stage stage = strstr(title, "(vertex)") ? QPUCC_VERTEX : QPUCC_FRAGMENT;
    struct fe_source s = {"", text, strlen(text), stage, NULL};
    struct fe_glsl_result *r = fe_glsl_compile(&s, 1, &options);
    int bad = r->ok != (options.warnings != 0);
    bad |= (r->diagnostic_count == 0) != (strstr(title, "without a warning") != NULL);
    for (size_t i = 0; i < r->diagnostic_count; i++) {
        const struct fe_diagnostic *d = &r->diagnostics[i];
        fprintf(out, "%u:%u: %s: %s", d->line, d->column, words[d->severity], d->text);
        fprintf(out, d->warning_name ? " [-W%s]\n" : "\n", d->warning_name);
        bad |= !has_place(text, d->line, d->column);
    }
    fe_glsl_result_free(r);
    if (bad)
        printf("%s: another verdict than the title says, or a message without a place\n", title);
    return bad;
}

int main(int argc, char **argv) {
    int update = argc == 3 && !strcmp(argv[1], "--update"), failed = 0, cases = 0;
    if (argc < 2)
        return 2;
    const char *path = argv[argc - 1];
    char *all = read_file(path), *now = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&now, &size);
    char *at = all ? strstr(all, "=== ") : NULL;
    if (!out || !at)
        return 2;
    fwrite(all, 1, (size_t)(at - all), out);
    while (at) {
        char *title = at, *text = strchr(at, '\n') + 1, *end = strstr(text, "---\n");
        char *next = end ? strstr(end, "\n=== ") : NULL;
        if (!end)
            return 2;
        *end = 0;
        text[-1] = 0;
        fprintf(out, "%s\n%s---\n", title, text);
        failed += compile(title, text, out);
        cases++;
        text[-1] = '\n';
        *end = '-';
        at = next ? next + 1 : NULL;
    }
    fclose(out);
    if (update) {
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(now, 1, size, file) != size || fclose(file))
            return 2;
    } else if (strcmp(all, now)) {
        const char *a = all, *b = now;
        for (; *a && *a == *b; a++, b++)
            continue;
        while (b > now && b[-1] != '\n')
            a--, b--;
        printf("expected: %.*s\ngot:      %.*s\n", (int)strcspn(a, "\n"), a, (int)strcspn(b, "\n"), b);
        failed++;
    }
    printf("%d mistakes, %d failed\n", cases, failed);
    free(now);
    free(all);
    return failed || cases < 12;
}
