/* Case files as a whole: reading, the list of known failures, summaries. */
#include "suite.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* --- reading -------------------------------------------------------------------------------------------- */

static bool matches(const char *pattern, const char *name) {
    return strpbrk(pattern, "*?[") ? fnmatch(pattern, name, 0) == 0 : strstr(name, pattern) != NULL;
}

static int by_name(const void *a, const void *b) {
    const struct suite_case *x = *(const struct suite_case *const *)a,
                            *y = *(const struct suite_case *const *)b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->line < y->line ? -1 : 1;
}

/* Appends "#2" and so on to names that occur again. */
static bool number_names(struct suite *suite) {
    struct suite_case **sorted = malloc((suite->count + 1) * sizeof(struct suite_case *));
    if (!sorted)
        return false;
    for (size_t i = 0; i < suite->count; i++)
        sorted[i] = &suite->cases[i];
    qsort(sorted, suite->count, sizeof(struct suite_case *), by_name);
    for (size_t first = 0, next; first < suite->count; first = next) {
        for (next = first + 1; next < suite->count && !strcmp(sorted[first]->name, sorted[next]->name);)
            next++;
        for (size_t i = first + 1; i < next; i++) {
            size_t capacity = strlen(sorted[i]->name) + 24;
            char *name = malloc(capacity);
            if (!name) {
                free(sorted);
                return false;
            }
            snprintf(name, capacity, "%s#%zu", sorted[i]->name, i - first + 1);
            free(sorted[i]->name);
            sorted[i]->name = name;
        }
    }
    free(sorted);
    return true;
}

static bool split(struct suite *suite) {
    const char *end = suite->file.data + suite->file.size;
    size_t capacity = 0, number = 0;
    for (const char *at = suite->file.data; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t length = (size_t)((stop ? stop : end) - at);
        number++;
        if (suite->count == capacity) {
            capacity = capacity ? capacity * 2 : 256;
            struct suite_case *grown = realloc(suite->cases, capacity * sizeof *grown);
            if (!grown)
                return false;
            suite->cases = grown;
        }
        if (length) {
            struct suite_case c = {.name = case_line_name(at, length), .line = at, .length = length};
            if (!c.name && (c.name = malloc(32)))
                snprintf(c.name, 32, "line %zu", number);
            if (!c.name)
                return false;
            suite->cases[suite->count++] = c;
        }
        at = stop ? stop + 1 : end;
    }
    return true;
}

bool suite_read(struct suite *suite, const char *path, const char *filter, char *error, size_t size) {
    memset(suite, 0, sizeof *suite);
    if (!file_read(path, &suite->file, error, size))
        return false;
    const char *slash = strrchr(path, '/');
    suite->path = strdup(path);
    suite->folder = slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    if (!suite->path || !suite->folder || !split(suite) || !number_names(suite)) {
        snprintf(error, size, "out of memory");
        return false;
    }
    size_t kept = 0;
    for (size_t i = 0; i < suite->count; i++) {
        if (filter && !matches(filter, suite->cases[i].name))
            free(suite->cases[i].name);
        else
            suite->cases[kept++] = suite->cases[i];
    }
    suite->count = kept;
    return true;
}

void suite_keep_part(struct suite *suite, unsigned part, unsigned parts) {
    size_t kept = 0;
    for (size_t i = 0; i < suite->count; i++) {
        if (i % parts != part - 1)
            free(suite->cases[i].name);
        else
            suite->cases[kept++] = suite->cases[i];
    }
    suite->count = kept;
}

void suite_free(struct suite *suite) {
    for (size_t i = 0; i < suite->count; i++)
        free(suite->cases[i].name);
    free(suite->cases);
    free(suite->path);
    free(suite->folder);
    file_free(&suite->file);
    memset(suite, 0, sizeof *suite);
}

/* --- known failures ------------------------------------------------------------------------------------- */

/* A line of the list that fits cases, none of which fails, has become pointless: a note says so. */
static void apply(struct suite *suite, const char *name, const char *reason, FILE *notes) {
    size_t fits = 0, needed = 0;
    for (size_t i = 0; i < suite->count; i++) {
        struct suite_case *c = &suite->cases[i];
        if (fnmatch(name, c->name, 0))
            continue;
        fits++;
        if (c->known || c->result.outcome == FAILED)
            needed++;
        if (c->result.outcome == FAILED) {
            c->known = true;
            c->result.outcome = SKIPPED;
            snprintf(c->result.reason, sizeof c->result.reason, "known: %s", reason);
        }
    }
    if (fits && !needed)
        fprintf(notes, "note: on the list of known failures, but passes: %s\n", name);
}

/* Lines "name -- reason"; the name may be a pattern; "#" begins a comment line. */
bool suite_apply_known(struct suite *suite, const char *path, FILE *notes, char *error, size_t size) {
    struct file_data file;
    unsigned number = 0;
    if (!file_read(path, &file, error, size))
        return false;
    bool ok = true;
    char *rest = file.data;
    for (char *line; ok && (line = strsep(&rest, "\n"));) {
        char *separator = strstr(line, " -- ");
        number++;
        if (!line[0] || line[0] == '#')
            continue;
        ok = separator && separator != line;
        if (ok) {
            *separator = 0;
            apply(suite, line, separator + 4, notes);
        } else {
            snprintf(error, size, "%s:%u: not \"name -- reason\"", path, number);
        }
    }
    file_free(&file);
    return ok;
}

/* --- summaries ------------------------------------------------------------------------------------------ */

static void write_xml_text(FILE *out, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
        }
    }
}

bool suite_write_junit(const struct suite *suite, const char *path, char *error, size_t size) {
    size_t bytes = 0, tally[3] = {0};
    char *text = NULL;
    FILE *out = open_memstream(&text, &bytes);
    double seconds = 0;
    if (!out) {
        snprintf(error, size, "out of memory");
        return false;
    }
    for (size_t i = 0; i < suite->count; i++) {
        tally[suite->cases[i].result.outcome]++;
        seconds += suite->cases[i].seconds;
    }
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"", out);
    write_xml_text(out, suite->path);
    fprintf(out, "\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\" errors=\"0\" time=\"%.3f\">\n",
            suite->count, tally[FAILED], tally[SKIPPED], seconds);
    for (size_t i = 0; i < suite->count; i++) {
        const struct suite_case *c = &suite->cases[i];
        fputs("  <testcase classname=\"conformance\" name=\"", out);
        write_xml_text(out, c->name);
        fprintf(out, "\" time=\"%.3f\"", c->seconds);
        if (c->result.outcome == PASSED) {
            fputs("/>\n", out);
            continue;
        }
        fprintf(out, "><%s message=\"", c->result.outcome == FAILED ? "failure" : "skipped");
        write_xml_text(out, c->result.reason);
        fputs("\"/></testcase>\n", out);
    }
    fputs("</testsuite>\n", out);
    bool ok = fclose(out) == 0;
    if (!ok)
        snprintf(error, size, "out of memory");
    ok = ok && file_write(path, text, bytes, error, size);
    free(text);
    return ok;
}

enum { REASON_LENGTH = 60 };

struct reason {
    char text[REASON_LENGTH + 1];
    const char *example;
    size_t count;
};

static int by_text(const void *a, const void *b) {
    return strcmp(((const struct reason *)a)->text, ((const struct reason *)b)->text);
}

static int by_count(const void *a, const void *b) {
    size_t x = ((const struct reason *)a)->count, y = ((const struct reason *)b)->count;
    return x < y ? 1 : x > y ? -1 : by_text(a, b);
}

void suite_print_reasons(const struct suite *suite, FILE *out) {
    struct reason *reasons = calloc(suite->count + 1, sizeof *reasons);
    size_t count = 0, kinds = 0;
    if (!reasons)
        return;
    for (size_t i = 0; i < suite->count; i++) {
        const struct suite_case *c = &suite->cases[i];
        if (c->result.outcome != FAILED)
            continue;
        struct reason *r = &reasons[count++];
        size_t length = 0;
        /* a run of digits becomes one #, so that the same fault at two places counts as one */
        for (const char *t = c->result.reason; *t && length < REASON_LENGTH; t++)
            if (!isdigit((unsigned char)*t))
                r->text[length++] = *t;
            else if (!length || r->text[length - 1] != '#')
                r->text[length++] = '#';
        r->example = c->name;
        r->count = 1;
    }
    qsort(reasons, count, sizeof *reasons, by_text);
    for (size_t i = 0; i < count; i++) {
        if (kinds && !strcmp(reasons[kinds - 1].text, reasons[i].text))
            reasons[kinds - 1].count++;
        else
            reasons[kinds++] = reasons[i];
    }
    qsort(reasons, kinds, sizeof *reasons, by_count);
    for (size_t i = 0; i < kinds; i++)
        fprintf(out, "%6zu  %-60s  %s\n", reasons[i].count, reasons[i].text, reasons[i].example);
    free(reasons);
}
