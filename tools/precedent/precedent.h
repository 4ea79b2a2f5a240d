/* What qpucc-precedent counts: patterns, texts that name what a program does, each with how often and where
 * it was seen in whose code. */
#ifndef PRECEDENT_H
#define PRECEDENT_H

#include "word.h"

#include <stddef.h>

/* Whose code: all but the last are precedents. */
enum origin { ORIGIN_PI, ORIGIN_BROADCOM, ORIGIN_MESA, ORIGIN_OURS, ORIGIN_COUNT };

extern const char *const origin_name[ORIGIN_COUNT];

struct program {
    char *name;
    enum origin origin;
    bool fragment;
    uint64_t *code;
    size_t count;
    /* The stream's words as far as they are constants, in the order in which straight code reads them. */
    uint32_t *uniforms;
    bool *known;
    size_t uniform_count;
};

void program_free(struct program *p);

struct pattern {
    char *text;
    unsigned long times[ORIGIN_COUNT], programs[ORIGIN_COUNT];
    unsigned long last[ORIGIN_COUNT]; /* number of the program that was counted last */
    char *example[ORIGIN_COUNT];      /* the first program that has it, and the instruction */
};

struct table {
    struct pattern *patterns;
    size_t count, capacity;
    size_t *slots, slot_count; /* open addressing: 1 + index, 0 is free */
    unsigned long programs[ORIGIN_COUNT], instructions[ORIGIN_COUNT];
    unsigned long number; /* of the program that is being scanned, from 1 */
    bool failed;          /* without memory */
};

/* Notes that `program` has a pattern at an instruction. */
__attribute__((format(printf, 4, 5))) void table_note(struct table *t, const struct program *program,
                                                      size_t at, const char *format, ...);
/* The pattern with this text, or NULL. */
const struct pattern *table_find(const struct table *t, const char *text);
void table_sort(struct table *t); /* by text; nothing may be noted afterwards */
void table_free(struct table *t);

bool pattern_has_precedent(const struct pattern *p);

/* --- extractors ----------------------------------------------------------------------------------------- */

/* A program with its words taken apart, up to the two slots of the first thread end. */
struct scan {
    struct table *table;
    const struct program *program;
    const struct word *words;
    size_t count;
    const bool *target; /* branches lead to this instruction */
    bool threaded, branches;
};

#define NOTE(s, at, ...) table_note((s)->table, (s)->program, at, __VA_ARGS__)

/* Where a branch leads; SIZE_MAX when that is not known or outside. */
size_t scan_target(const struct scan *s, size_t at);

void scan_instruction(const struct scan *s, size_t at); /* one word: scan_word.c */
void scan_neighbours(const struct scan *s);             /* distances between a few: scan_near.c */
void scan_flow(const struct scan *s);                   /* branches, switches, both ends: scan_flow.c */
void scan_units(const struct scan *s);                  /* textures, VPM, tile buffer: scan_units.c */

/* All of them, over a whole program. */
void scan_program(struct table *t, const struct program *program);

/* --- inputs --------------------------------------------------------------------------------------------- */

/* Each reads a file or folder and scans its programs; false with a message on standard error. */
bool read_code_lines(struct table *t, const char *path); /* JSON lines: other compilers' code, or ours */
bool read_captures(struct table *t, const char *folder); /* recorded submits */
bool read_listing(struct table *t, const char *path);    /* the sniffer's listings */

/* --- verdicts ------------------------------------------------------------------------------------------- */

/* docs/precedents.tsv: pattern (`*` stands for any text), times, verdict, assumption, reason. */
struct verdict {
    char *pattern, *verdict, *assumption, *reason;
    unsigned long times, patterns; /* what it covers in this run */
};

struct verdicts {
    struct verdict *rows;
    size_t count;
    char *head; /* the lines before the first row */
};

bool verdicts_read(struct verdicts *v, const char *path);
struct verdict *verdicts_find(const struct verdicts *v, const char *pattern);
bool verdicts_write(const struct verdicts *v, const char *path);
void verdicts_free(struct verdicts *v);

#endif
