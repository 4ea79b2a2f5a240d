/* qpucc-precedent: which patterns of our code no program has that is known to run on the chip.
 *
 *     qpucc-precedent [--foreign FILE.jsonl] [--captures FOLDER] [--listing FILE]
 *                     [--verdicts FILE.tsv [--update]] [--all] CODE.jsonl...
 *
 * docs/precedents.md says what the patterns and verdicts mean. */
#include "precedent.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { EXIT_CLEAN, EXIT_TROUBLE, EXIT_FOUND };

static const char usage[] =
    "qpucc-precedent names each pattern of our code that no other program has.\n\n"
    "  qpucc-precedent [options] CODE.jsonl...    ours: what qpucc report --json --code prints; - is "
    "standard input\n\n"
    "  --foreign FILE.jsonl   other compilers' code: name, compiler, stage, code, uniforms\n"
    "  --captures FOLDER      recorded submits, a folder each\n"
    "  --listing FILE         text with the sniffer's listings\n"
    "  --verdicts FILE.tsv    only patterns without a verdict are printed\n"
    "  --update               and the file's counts are written anew\n"
    "  --all                  every pattern of every origin\n\n"
    "Exit codes: 0 every pattern has a precedent or a verdict, 1 usage or file trouble, 2 some has "
    "neither.\n";

struct options {
    const char *verdicts;
    bool update, all;
};

static void print_row(const struct pattern *p) {
    printf("%s\t%lu\t%lu\t%s\n", p->text, p->times[ORIGIN_OURS], p->programs[ORIGIN_OURS],
           p->example[ORIGIN_OURS] ? p->example[ORIGIN_OURS] : "");
}

static void print_all(const struct table *t) {
    printf("pattern");
    for (int o = 0; o < ORIGIN_COUNT; o++)
        printf("\t%s\t%s programs", origin_name[o], origin_name[o]);
    printf("\texample\n");
    for (size_t i = 0; i < t->count; i++) {
        const struct pattern *p = &t->patterns[i];
        const char *example = NULL;
        printf("%s", p->text);
        for (int o = 0; o < ORIGIN_COUNT; o++) {
            printf("\t%lu\t%lu", p->times[o], p->programs[o]);
            if (!example)
                example = p->example[o];
        }
        printf("\t%s\n", example ? example : "");
    }
}

static int judge(const struct table *t, struct verdicts *v, const struct options *options) {
    size_t ours = 0, without = 0, open = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct pattern *p = &t->patterns[i];
        if (!p->times[ORIGIN_OURS])
            continue;
        ours++;
        if (pattern_has_precedent(p))
            continue;
        without++;
        struct verdict *verdict = verdicts_find(v, p->text);
        if (verdict)
            verdict->times += p->times[ORIGIN_OURS], verdict->patterns++;
        else
            print_row(p), open++;
    }
    for (int o = 0; o < ORIGIN_COUNT; o++)
        fprintf(stderr, "%s: %lu programs, %lu instructions\n", origin_name[o], t->programs[o],
                t->instructions[o]);
    fprintf(stderr, "%zu patterns of ours: %zu with precedent, %zu with a verdict, %zu with neither\n", ours,
            ours - without, without - open, open);
    if (options->update) {
        for (size_t i = 0; i < v->count; i++)
            if (!v->rows[i].patterns)
                fprintf(stderr, "no such pattern any more: %s\n", v->rows[i].pattern);
        if (!verdicts_write(v, options->verdicts))
            return EXIT_TROUBLE;
    }
    return open ? EXIT_FOUND : EXIT_CLEAN;
}

int main(int argc, char **argv) {
    enum { FOREIGN = 256, CAPTURES, LISTING, VERDICTS, UPDATE, ALL, HELP };
    static const struct option longs[] = {{"foreign", required_argument, NULL, FOREIGN},
                                          {"captures", required_argument, NULL, CAPTURES},
                                          {"listing", required_argument, NULL, LISTING},
                                          {"verdicts", required_argument, NULL, VERDICTS},
                                          {"update", no_argument, NULL, UPDATE},
                                          {"all", no_argument, NULL, ALL},
                                          {"help", no_argument, NULL, HELP},
                                          {NULL, 0, NULL, 0}};
    struct table table = {0};
    struct verdicts verdicts = {0};
    struct options options = {0};
    bool ok = true;
    for (int c; ok && (c = getopt_long(argc, argv, "", longs, NULL)) != -1;)
        switch (c) {
        case FOREIGN: ok = read_code_lines(&table, optarg); break;
        case CAPTURES: ok = read_captures(&table, optarg); break;
        case LISTING: ok = read_listing(&table, optarg); break;
        case VERDICTS:
            options.verdicts = optarg;
            ok = verdicts_read(&verdicts, optarg);
            break;
        case UPDATE: options.update = true; break;
        case ALL: options.all = true; break;
        case HELP: fputs(usage, stdout); return EXIT_CLEAN;
        default: ok = false;
        }
    for (int i = optind; ok && i < argc; i++)
        ok = read_code_lines(&table, argv[i]);
    int code = EXIT_TROUBLE;
    if (ok && table.failed)
        fputs("qpucc-precedent: out of memory\n", stderr);
    else if (ok && (optind == argc && !options.all))
        fputs("qpucc-precedent takes code to judge; --help says more\n", stderr);
    else if (ok && optind < argc && !table.programs[ORIGIN_OURS])
        fputs("qpucc-precedent: there is no program of ours in that code\n", stderr);
    else if (ok && options.update && !options.verdicts)
        fputs("qpucc-precedent: --update takes --verdicts\n", stderr);
    else if (ok) {
        table_sort(&table);
        if (options.all)
            print_all(&table);
        code = options.all ? EXIT_CLEAN : judge(&table, &verdicts, &options);
    }
    table_free(&table);
    verdicts_free(&verdicts);
    return code;
}
