/* The table of verdicts: read, asked, written again with new counts. */
#include "precedent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 5 };

static const char *const classes[] = {"independent", "guide", "claim", "rule", "risk"};

static bool is_class(const char *word) {
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!strcmp(word, classes[i]))
            return true;
    return false;
}

static bool add_row(struct verdicts *v, char *line) {
    char *column[COLUMNS], *at = line;
    for (int c = 0; c < COLUMNS; c++) {
        column[c] = at;
        at += strcspn(at, "\t\n");
        if (c + 1 < COLUMNS && *at != '\t')
            return false;
        *at++ = 0;
    }
    if (!is_class(column[2]) || !*column[0] || !*column[4])
        return false;
    struct verdict *rows = realloc(v->rows, (v->count + 1) * sizeof *rows);
    if (!rows)
        return false;
    v->rows = rows;
    struct verdict *row = &v->rows[v->count];
    *row = (struct verdict){strdup(column[0]), strdup(column[2]), strdup(column[3]), strdup(column[4]), 0, 0};
    v->count++;
    return row->pattern && row->verdict && row->assumption && row->reason;
}

bool verdicts_read(struct verdicts *v, const char *path) {
    FILE *in = fopen(path, "r");
    char line[2000];
    size_t number = 0, head = 0;
    bool ok = in != NULL;
    memset(v, 0, sizeof *v);
    while (ok && fgets(line, sizeof line, in)) {
        number++;
        if (*line == '#' || !strncmp(line, "pattern\t", 8)) {
            char *grown = realloc(v->head, head + strlen(line) + 1);
            ok = grown != NULL;
            if (ok) {
                v->head = grown;
                strcpy(v->head + head, line);
                head += strlen(line);
            }
        } else {
            ok = add_row(v, line);
        }
    }
    if (!in)
        fprintf(stderr, "qpucc-precedent: %s can't be read\n", path);
    else if (!ok)
        fprintf(
            stderr,
            "qpucc-precedent: %s:%zu: a row is pattern, times, verdict (independent, guide, claim, rule or "
            "risk), assumption and reason, with tabs between\n",
            path, number);
    if (in)
        fclose(in);
    return ok;
}

/* `*` stands for any text, also an empty one. */
static bool matches(const char *glob, const char *text) {
    const char *star = NULL, *retry = NULL;
    while (*text) {
        if (*glob == '*')
            star = glob++, retry = text;
        else if (*glob == *text)
            glob++, text++;
        else if (star)
            glob = star + 1, text = ++retry;
        else
            return false;
    }
    while (*glob == '*')
        glob++;
    return !*glob;
}

struct verdict *verdicts_find(const struct verdicts *v, const char *pattern) {
    for (size_t i = 0; i < v->count; i++)
        if (matches(v->rows[i].pattern, pattern))
            return &v->rows[i];
    return NULL;
}

bool verdicts_write(const struct verdicts *v, const char *path) {
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    fputs(v->head ? v->head : "", out);
    for (size_t i = 0; i < v->count; i++)
        fprintf(out, "%s\t%lu\t%s\t%s\t%s\n", v->rows[i].pattern, v->rows[i].times, v->rows[i].verdict,
                v->rows[i].assumption, v->rows[i].reason);
    return fclose(out) == 0;
}

void verdicts_free(struct verdicts *v) {
    for (size_t i = 0; i < v->count; i++) {
        free(v->rows[i].pattern);
        free(v->rows[i].verdict);
        free(v->rows[i].assumption);
        free(v->rows[i].reason);
    }
    free(v->rows);
    free(v->head);
    memset(v, 0, sizeof *v);
}
