/* Running rows and telling what came of it. */
#ifndef SELFTEST_RUN_H
#define SELFTEST_RUN_H

#include "device.h"
#include "row.h"

#include <stdio.h>

enum verdict { AGREES, DIFFERS, UNREACHABLE, VERDICTS };

struct result {
    const struct row_section *section;
    const struct row *row;
    enum verdict verdict;
    char reason[FRAME_TEXT]; /* of DIFFERS without words that differ, and of UNREACHABLE */
    uint32_t words, differing;
    /* The first word that differs. */
    unsigned x, y;
    uint32_t expected, got;
    char body[240];         /* the program's part under test; empty when there is one program */
    unsigned operand_count; /* 0 to 2 */
    uint32_t operands[2];
    uint64_t instructions; /* executed by the machine */
};

struct report {
    struct result *results; /* malloc'ed */
    size_t count;
    size_t verdicts[VERDICTS];
    uint32_t ident[3];
    uint64_t instructions, words; /* executed by the machine; compared */
    unsigned submits;
    const char *device;
};

extern const char *const verdict_names[VERDICTS];
extern const struct row_section *const row_sections[];
extern const size_t row_section_count;

/* Whether the row's name begins with `only`, or `only` is an assumption that it tests; NULL is every row. */
bool row_matches(const struct row *row, const char *only);
bool row_tests(const struct row *row, const char *assumption, size_t length);
/* Runs one row; `result` begins zeroed. */
void run_row(const struct row *row, struct device *device, struct device *machine, struct result *result);
/* Runs all rows that match on the device and on the machine, and says on `progress` (may be NULL) which one
 * it is at. False without memory. */
bool run_rows(struct device *device, struct device *machine, const char *only, FILE *progress,
              struct report *report);
void report_free(struct report *report);

/* A run's length as this program counts it: what the machine executes, at COUNTED_RATE instructions a
 * second. A Pi spends most of a run there, not in its graphics chip. */
enum { COUNTED_RATE = 250000 };

/* report.c */
void report_print(const struct report *report, FILE *out);
void report_print_json(const struct report *report, FILE *out);
void report_print_profile(const struct report *report, FILE *out);
/* The rows by section, as tables of Markdown. */
void rows_print(const char *only, FILE *out);

/* The command. Its exit codes: what it says about the device, and usage. */
enum { SELFTEST_AGREES = 0, SELFTEST_USAGE = 1, SELFTEST_NO_DEVICE = 5, SELFTEST_DIFFERS = 6 };
int command_selftest(int argc, char **argv);

#endif
