/* rules.txt is whole and every case of it is judged as it says: each rule of an error has, in each of
 * its versions, a case that is refused and a neighbour that is accepted; others have one that is
 * accepted. What it names elsewhere exists. */
#include "tests/frontend/verdict.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const versions[] = {"100", "300", "110", "120", "130", "140", "150", "330"};
enum { VERSIONS = sizeof versions / sizeof *versions };

static struct rule {
    char id[60], kind[12];
    bool in[VERSIONS], good[VERSIONS], bad[VERSIONS], elsewhere, warned;
    unsigned line;
} rule;
static char ids[1000][60];
static size_t id_count;
static unsigned failed, cases, number;
static bool say;      /* what is said about each case that is refused: is it for the rule's reason? */
static char *illegal; /* the text of illegal.def */

static void fail(const char *text, const char *what) {
    printf("line %u: %s: %s\n", number, text, what);
    failed++;
}

static char *read_all(const char *path) {
    FILE *file = fopen(path, "r");
    char *text = file ? calloc(1, 400000) : NULL;
    if (text)
        text[fread(text, 1, 399999, file)] = 0;
    if (file)
        fclose(file);
    return text;
}

static void end_rule(void) {
    if (!*rule.id)
        return;
    bool error = !strcmp(rule.kind, "error");
    if (!strcmp(rule.kind, "warning") && !rule.warned)
        fail(rule.id, "has no case that is warned of");
    for (size_t v = 0; v < VERSIONS; v++) {
        char what[120];
        if (!rule.in[v] || rule.elsewhere || (rule.good[v] && (rule.bad[v] || !error)))
            continue;
        snprintf(what, sizeof what, "%s has no case that %s in version %s", rule.id,
                 rule.good[v] ? "is refused" : "is accepted", versions[v]);
        fail(rule.kind, what);
    }
}

/* @id, kind, sections, rule, what is done */
static void begin_rule(char *line) {
    end_rule();
    rule = (struct rule){.line = number};
    char *fields[5] = {line + 1, "", "", "", ""};
    size_t n = 1;
    for (char *p = line; *p; p++) {
        if (*p == '\n')
            *p = 0;
        if (*p == '\t' && n < 5) {
            *p = 0;
            fields[n++] = p + 1;
        }
    }
    snprintf(rule.id, sizeof rule.id, "%.59s", fields[0]);
    snprintf(rule.kind, sizeof rule.kind, "%.11s", fields[1]);
    for (size_t i = 0; i < id_count; i++)
        if (!strcmp(ids[i], rule.id))
            fail(rule.id, "there is a rule of that name above");
    if (id_count < sizeof ids / sizeof *ids)
        memcpy(ids[id_count++], rule.id, sizeof rule.id);
    bool error = !strcmp(rule.kind, "error"), other = !strcmp(rule.kind, "warning") ||
                                                      !strcmp(rule.kind, "undefined") ||
                                                      !strcmp(rule.kind, "left");
    if (!error && !other)
        fail(rule.kind, "a rule is error, warning, undefined or left");
    if (!*fields[3] || (other && !*fields[4]))
        fail(rule.id, "says too little");
    size_t count = 0;
    for (char *p = strtok(fields[2], " "); p; p = strtok(NULL, " ")) {
        size_t v = 0;
        while (v < VERSIONS && strncmp(p, versions[v], 3))
            v++;
        if (v == VERSIONS || p[3] != ':' || !p[4])
            fail(p, "is no version and section");
        else
            rule.in[v] = true;
        count++;
    }
    if (!count)
        fail(rule.id, "has no section");
}

static bool names(const char *list, size_t v) {
    if (*list == '*')
        return rule.in[v];
    for (const char *p = list; p && *p; p = strchr(p, ' '), p = p ? p + 1 : NULL)
        if (!strncmp(p, versions[v], 3))
            return true;
    return false;
}

static void judge(char *line) {
    const char *fields[VERDICT_FIELDS];
    char copy[4000], list[80], why[800];
    snprintf(copy, sizeof copy, "%s", line);
    verdict_split(line, fields);
    snprintf(list, sizeof list, "%s", fields[0]);
    bool bad = !strcmp(fields[1], "bad"), any = false;
    if (!bad && strcmp(fields[1], "good") && strcmp(fields[1], "warn"))
        fail(fields[1], "is no verdict");
    for (size_t v = 0; v < VERSIONS; v++) {
        if (!names(list, v))
            continue;
        any = true;
        rule.warned |= !strcmp(fields[1], "warn");
        (bad ? rule.bad : rule.good)[v] = true;
        fields[0] = versions[v];
        cases++;
        if (bad && !rule.in[v])
            fail(copy, "is refused in a version without that rule");
        bool right = verdict_is_right(fields, why, sizeof why);
        if (say && bad)
            printf("%s %s: %s", versions[v], why, copy);
        if (right)
            continue;
        printf("%s, version %s: ", rule.id, versions[v]);
        fail(copy, why);
    }
    if (!any)
        fail(copy, "is for no version");
}

/* Each word of a list is refused as a variable's name. */
static void judge_words(char *line) {
    char copy[4000], text[4200], *rest;
    char *list = line, *words = strchr(line, '\t');
    *words = 0;
    words = strchr(words + 1, '\t');
    if (!words)
        return;
    snprintf(copy, sizeof copy, "%s", words + 1);
    for (char *word = strtok_r(copy, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
        snprintf(text, sizeof text, "%s\tbad\t\t\tint %s;", list, word);
        judge(text);
    }
}

/* =FILE, name: a test of another file, or a rule of illegal.def */
static void look_elsewhere(char *line, const char *root) {
    char path[500], *name = strchr(line, '\t');
    line[strcspn(line, "\n")] = 0;
    if (!name) {
        fail(line, "names nothing");
        return;
    }
    *name++ = 0;
    snprintf(path, sizeof path, "%.200s/%.200s", root, line + 1);
    bool of_illegal = strstr(path, "illegal.def") != NULL;
    char quoted[200];
    snprintf(quoted, sizeof quoted, of_illegal ? "RULE(\"%.150s\"" : "%.150s", name);
    char *text = of_illegal ? illegal : read_all(path);
    if (!text || !strstr(text, quoted))
        fail(name, "is not in that file");
    rule.elsewhere |= !of_illegal;
    if (!of_illegal)
        free(text);
}

int main(int argc, char **argv) {
    FILE *file = argc > 2 ? fopen(argv[1], "r") : NULL;
    char line[4000], path[500];
    if (!file) {
        perror("rules.txt");
        return 1;
    }
    snprintf(path, sizeof path, "%s/tests/random/illegal.def", argv[2]);
    illegal = read_all(path);
    say = argc > 3 && !strcmp(argv[3], "--say");
    while (fgets(line, sizeof line, file)) {
        number++;
        if (line[0] == '#' || line[0] == '\n')
            continue;
        if (line[0] == '@')
            begin_rule(line);
        else if (line[0] == '=')
            look_elsewhere(line, argv[2]);
        else if (strstr(line, "\twords\t"))
            judge_words(line);
        else
            judge(line);
    }
    end_rule();
    fclose(file);
    free(illegal);
    printf("%zu rules, %u cases, %u wrong\n", id_count, cases, failed);
    return cases == 0 || failed != 0;
}
