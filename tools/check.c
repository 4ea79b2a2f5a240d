/* qpucc check: machine code against the hardware's rules and the Linux kernel's. */
#include "cli.h"
#include "code_file.h"

#include <stdlib.h>
#include <string.h>

enum { OPT_STAGE = CLI_OWN, OPT_THREADED, OPT_PROFILE, OPT_CHIP };
enum { MAX_SHOWN = 1000 };

/* By the hardware's rules, the kernel's, or `chip`'s. */
static unsigned report(const char *path, const uint64_t *code, size_t count, enum qpucc_stage stage,
                       bool threaded, bool kernel, const struct qpucc_chip *chip) {
    struct qpucc_rule_violation *found = calloc(MAX_SHOWN, sizeof *found);
    const char *profile = chip ? qpucc_chip_name(chip) : kernel ? "linux" : "hw";
    unsigned errors = 0;
    if (!found)
        return 1;
    size_t total = chip ? qpucc_check_chip(code, count, stage, chip, found, MAX_SHOWN)
                        : qpucc_check(code, count, stage, threaded, kernel, found, MAX_SHOWN);
    for (size_t i = 0; i < total && i < MAX_SHOWN; i++) {
        char text[300];
        errors += !found[i].warning;
        qpucc_disassemble(code[found[i].instruction < count ? found[i].instruction : 0], found[i].instruction,
                          text, sizeof text);
        printf("%s: instruction %u: %s: %s (%s, %s)\n    %s\n", path, found[i].instruction,
               found[i].warning ? "warning" : "error", found[i].text, found[i].rule, profile, text);
    }
    free(found);
    return errors;
}

/* Only a program for two threads has a reason to switch between them. */
static bool switches(const uint64_t *code, size_t count) {
    char text[300];
    for (size_t i = 0; i < count; i++) {
        qpucc_disassemble(code[i], (unsigned)i, text, sizeof text);
        if (strstr(text, "thrsw"))
            return true;
    }
    return false;
}

/* The errors of one stage under the profiles asked for. */
static unsigned check(const char *path, const uint64_t *code, size_t count, enum qpucc_stage stage,
                      bool threaded, int profiles, const struct qpucc_chip *chip) {
    bool two = threaded || switches(code, count);
    unsigned errors = 0;
    if (profiles & 1)
        errors += report(path, code, count, stage, two, false, NULL);
    if (profiles & 2)
        errors += report(path, code, count, stage, two, true, NULL);
    if (chip)
        errors += report(path, code, count, stage, two, false, chip);
    if (!errors)
        printf("%s: %zu instructions, %s shader: fine\n", path, count, qpucc_stage_name(stage));
    return errors;
}

int command_check(int argc, char **argv) {
    static const struct option longs[] = {{"stage", required_argument, NULL, OPT_STAGE},
                                          {"threaded", no_argument, NULL, OPT_THREADED},
                                          {"profile", required_argument, NULL, OPT_PROFILE},
                                          {"chip", required_argument, NULL, OPT_CHIP},
                                          {NULL, 0, NULL, 0}};
    int stage = -1, profiles = 3;
    bool threaded = false, with_chip = false;
    struct qpucc_chip chip;
    char error[500];
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;)
        switch (c) {
        case OPT_STAGE:
            stage = cli_stage_of_word(optarg);
            if (stage < 0)
                return complain("--stage=%s: must be fragment, vertex or coordinate", optarg);
            break;
        case OPT_THREADED: threaded = true; break;
        case OPT_PROFILE:
            profiles = !strcmp(optarg, "hw")      ? 1
                       : !strcmp(optarg, "linux") ? 2
                       : !strcmp(optarg, "both")  ? 3
                                                  : 0;
            if (!profiles)
                return complain("--profile=%s: must be hw, linux or both", optarg);
            break;
        case OPT_CHIP:
            with_chip = true;
            if (!cli_read_chip(optarg, &chip))
                return EXIT_USAGE;
            break;
        default: return EXIT_USAGE;
        }
    if (optind == argc)
        return complain("check takes files of machine code or assembly");
    unsigned errors = 0;
    for (int i = optind; i < argc; i++) {
        size_t count;
        struct code_part parts[QPUCC_STAGE_COUNT];
        int kind = stage < 0 ? cli_stage_of_name(argv[i]) : stage;
        uint64_t *code = code_read(argv[i], true, parts, &count, error, sizeof error);
        if (!code)
            return complain("%s", error);
        bool container = false;
        for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
            if (parts[s].count) {
                container = true;
                errors += check(argv[i], code + parts[s].first, parts[s].count, (enum qpucc_stage)s, threaded,
                                profiles, with_chip ? &chip : NULL);
            }
        if (!container)
            errors += check(argv[i], code, count, (enum qpucc_stage)(kind < 0 ? QPUCC_FRAGMENT : kind),
                            threaded, profiles, with_chip ? &chip : NULL);
        free(code);
    }
    return errors ? EXIT_SOURCE : EXIT_DONE;
}
