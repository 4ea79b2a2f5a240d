/* Runs pass tests: IR in, IR out.
 *
 * A file holds one or more cases. A case is
 *     ; RUN: pass,pass,...       what passes_run_named takes; "-" runs none
 *     ; SAME                     (optional) the passes must report nothing to do: the output is the input
 *     ; OPTION unroll_limit 100  (optional) options by name: branch_least, unroll_limit, unroll_total,
 *                                unroll_hinted, unroll_hinted_total, unroll_known, unroll_trips,
 *                                level with a number; flip_y, depth_test, points, lines, fast, precise,
 *                                unroll_all, any_branch_flat without
 *     input
 *     ----
 *     expected output, or "error: text" where a run has to fail with that text in its message
 *     ====                       between cases
 * Other comments are free, but do not begin with a word in capitals, which would be a directive that nobody
 * knows. Expected text is compared with what ir_print makes, comments and blank lines left out on both sides.
 * The shader is verified after every pass. `pass_tests --update file...` writes what came out in place of
 * what was expected. */
#include "passes/passes.h"

#include <stdlib.h>
#include <string.h>

struct text {
    char *data;
    size_t size;
};

static struct text read_file(const char *name) {
    struct text t = {NULL, 0};
    FILE *in = fopen(name, "rb");
    if (!in)
        return t;
    size_t capacity = 1 << 16;
    t.data = malloc(capacity + 1);
    size_t n;
    while (t.data && (n = fread(t.data + t.size, 1, capacity - t.size, in)) > 0) {
        t.size += n;
        if (t.size == capacity)
            t.data = realloc(t.data, (capacity *= 2) + 1);
    }
    fclose(in);
    if (t.data)
        t.data[t.size] = 0;
    return t;
}

static const char *next_line(const char *at) {
    const char *end = strchr(at, '\n');
    return end ? end + 1 : at + strlen(at);
}

/* The start of the line that is `mark` and nothing else, NULL if there is none. */
static char *find_mark(char *text, const char *mark) {
    size_t n = strlen(mark);
    for (char *at = text; *at; at = (char *)next_line(at))
        if (strncmp(at, mark, n) == 0 && (at[n] == '\n' || at[n] == 0))
            return at;
    return NULL;
}

/* Without comments, blanks at line ends and empty lines. */
static char *plain(const char *text) {
    char *out = malloc(strlen(text) + 2), *to = out;
    while (out && *text) {
        const char *end = text + strcspn(text, ";\n");
        while (end > text && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
            end--;
        if (end > text) {
            memcpy(to, text, (size_t)(end - text));
            to += end - text;
            *to++ = '\n';
        }
        text = next_line(text);
    }
    if (out)
        *to = 0;
    return out;
}

struct directives {
    char passes[512];
    bool same;
    struct pass_options options;
};

/* "name value" or "name"; the rest of an OPTION line. */
static bool read_option(const char *text, struct pass_options *o) {
    const struct {
        const char *name;
        uint32_t *value;
    } numbers[] = {{"branch_least", &o->branch_least},
                   {"unroll_limit", &o->unroll_limit},
                   {"unroll_total", &o->unroll_total},
                   {"unroll_hinted", &o->unroll_hinted},
                   {"unroll_hinted_total", &o->unroll_hinted_total},
                   {"unroll_known", &o->unroll_known},
                   {"unroll_trips", &o->unroll_trips},
                   {"level", NULL}};
    char name[64], more;
    unsigned value;
    int read = sscanf(text, " %63s %u %c", name, &value, &more);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (read == 2 && strcmp(name, numbers[i].name) == 0) {
            if (numbers[i].value)
                *numbers[i].value = value;
            else
                o->level = (int)value;
            return true;
        }
    if (sscanf(text, " %63s %c", name, &more) != 1)
        return false;
    if (strcmp(name, "flip_y") == 0)
        o->state.flip_y = true;
    else if (strcmp(name, "depth_test") == 0)
        o->state.depth_test = true;
    else if (strcmp(name, "points") == 0)
        o->state.primitive = QPUCC_POINTS;
    else if (strcmp(name, "lines") == 0)
        o->state.primitive = QPUCC_LINES;
    else if (strcmp(name, "fast") == 0)
        o->policy = QPUCC_POLICY_FAST;
    else if (strcmp(name, "precise") == 0)
        o->policy = QPUCC_POLICY_PRECISE;
    else if (strcmp(name, "rows_fall") == 0)
        o->rows_fall = true;
    else if (strcmp(name, "other_outputs") == 0)
        o->other_outputs = true;
    else if (strcmp(name, "unroll_all") == 0)
        o->unroll_all = true;
    else if (strcmp(name, "any_branch_flat") == 0)
        o->any_branch_flat = true;
    else
        return false;
    return true;
}

/* NULL, or what is wrong with the directives: `line` is then the line that is. */
static const char *read_directives(const char *text, struct directives *d, const char **line) {
    d->options = passes_default_options();
    d->options.verify = true;
    for (; *text; text = next_line(text)) {
        char rest[600];
        *line = text;
        if (sscanf(text, " ; %599[^\n]", rest) != 1)
            continue;
        size_t capitals = strspn(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        bool word = capitals >= 3 && strchr(" :\r", rest[capitals]); /* the end of the line, too */
        if (!word)
            continue;
        if (strncmp(rest, "RUN: ", 5) == 0 && sscanf(rest + 5, " %511[^\n]", d->passes) == 1)
            continue;
        if (strcmp(rest, "SAME") == 0)
            d->same = true;
        else if (strncmp(rest, "OPTION ", 7) != 0)
            return "unknown directive";
        else if (!read_option(rest + 7, &d->options))
            return "unknown option";
    }
    *line = "";
    return d->passes[0] ? NULL : "no ; RUN: line";
}

static void count_change(void *user, const char *pass, struct ir_shader *shader, bool changed,
                         double seconds) {
    (void)pass;
    (void)shader;
    (void)seconds;
    *(bool *)user |= changed;
}

/* What the case's input turns into: the shader as text, or "error: ...". */
static char *run(const char *input, struct directives *d, bool *changed) {
    char error[400];
    d->options.after = count_change;
    d->options.user = changed;
    struct ir_shader *shader = ir_parse(input, strlen(input), error, sizeof error);
    char *out = NULL;
    if (shader && (strcmp(d->passes, "-") == 0 ||
                   passes_run_named(shader, d->passes, &d->options, error, sizeof error))) {
        ir_renumber(shader); /* expected texts don't depend on how many values a pass made and dropped */
        out = ir_print_to_string(shader);
    } else {
        out = malloc(strlen(error) + 16);
        if (out)
            sprintf(out, "error: %s\n", error);
    }
    ir_shader_destroy(shader);
    return out;
}

static bool matches(const char *got, const char *want) {
    char *a = plain(got), *b = plain(want);
    bool same;
    if (strncmp(want, "error: ", 7) == 0 && b) {
        b[strcspn(b, "\n")] = 0;
        same = a && strncmp(a, "error: ", 7) == 0 && strstr(a, b + 7);
    } else {
        same = a && b && strcmp(a, b) == 0;
    }
    free(a);
    free(b);
    return same;
}

static void show(const char *name, int number, const char *what, const char *got, const char *want) {
    fprintf(stderr, "%s: case %d: %s\n--- expected\n%s--- came out\n%s", name, number, what, want, got);
}

/* Runs one case; writes it, as it is or updated, to out if there is one. */
static bool run_case(const char *name, int number, char *text, FILE *out) {
    struct directives d = {0};
    char *mark = find_mark(text, "----");
    const char *line = "", *wrong = mark ? NULL : "no ---- line";
    if (mark) {
        *mark = 0; /* what is expected has no directives */
        wrong = read_directives(text, &d, &line);
        *mark = '-';
    }
    if (wrong) {
        fprintf(stderr, "%s: case %d: %s%s%.*s\n", name, number, wrong, *line ? ": " : "",
                (int)strcspn(line, "\n"), line);
        if (out)
            fputs(text, out);
        return false;
    }
    const char *want = next_line(mark);
    *mark = 0;
    bool changed = false;
    char *got = run(text, &d, &changed);
    bool good = got && matches(got, want);
    if (out)
        fprintf(out, "%s----\n%s", text, good || !got ? want : got);
    else if (!good)
        show(name, number, "wrong result", got ? got : "(nothing)\n", want);
    if (d.same && changed) {
        fprintf(stderr, "%s: case %d: reported a change\n", name, number);
        good = false;
    }
    free(got);
    return good;
}

static bool run_file(const char *name, bool update) {
    struct text t = read_file(name);
    if (!t.data) {
        fprintf(stderr, "%s: can't be read\n", name);
        return false;
    }
    char *result = NULL;
    size_t size = 0;
    FILE *out = update ? open_memstream(&result, &size) : NULL;
    bool good = true;
    int number = 1;
    for (char *at = t.data; at; number++) {
        char *mark = find_mark(at, "====");
        char *next = mark ? (char *)next_line(mark) : NULL;
        if (mark)
            *mark = 0;
        good &= run_case(name, number, at, out);
        if (out && next)
            fputs("====\n", out);
        at = next;
    }
    if (out) {
        fclose(out);
        FILE *file = fopen(name, "wb");
        good = file && fwrite(result, 1, size, file) == size;
        if (file)
            good &= fclose(file) == 0;
        free(result);
    }
    free(t.data);
    return good;
}

int main(int argc, char **argv) {
    bool update = argc > 1 && strcmp(argv[1], "--update") == 0, good = true;
    if (argc < 2 + update) {
        fprintf(stderr, "usage: pass_tests [--update] file.ir...\n");
        return 1;
    }
    for (int k = 1 + update; k < argc; k++)
        good &= run_file(argv[k], update);
    return good ? 0 : 1;
}
