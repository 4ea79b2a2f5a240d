/* Chip profiles: their text, and what is said about them. backend/isa/chip.c says what they mean for code. */
#include "compiler/chip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADING "qpucc-chip-profile 1"

static void set(struct qpucc_chip *chip, enum qpucc_assumption row, bool relies) {
    uint32_t bit = 1u << row % 32;
    chip->changed[row / 32] &= ~bit;
    if (chip_relies_on(chip, row) != relies && chip_concerns_code(row))
        chip->changed[row / 32] |= bit;
}

struct qpucc_chip qpucc_chip_guide(void) {
    struct qpucc_chip chip = {{0}};
    for (unsigned i = 0; i < QPUCC_ASSUMPTION_COUNT; i++) {
        enum qpucc_assumption row = (enum qpucc_assumption)i;
        if (chip_is_choice(row))
            set(&chip, row, chip_guide_has(row));
    }
    return chip;
}

const char *qpucc_chip_name(const struct qpucc_chip *chip) {
    static const struct qpucc_chip shipped;
    struct qpucc_chip guide = qpucc_chip_guide();
    return !memcmp(chip, &shipped, sizeof shipped) ? "shipped"
           : !memcmp(chip, &guide, sizeof guide)   ? "guide"
                                                   : "profile";
}

bool qpucc_chip_relies_on(const struct qpucc_chip *chip, enum qpucc_assumption assumption) {
    return (unsigned)assumption < QPUCC_ASSUMPTION_COUNT && chip_relies_on(chip, assumption);
}

/* --- text ----------------------------------------------------------------------------------------------- */

size_t qpucc_chip_text(const struct qpucc_chip *chip, char *text, size_t size) {
    size_t length = (size_t)snprintf(text, size, HEADING "\n");
    for (unsigned i = 0; i < QPUCC_ASSUMPTION_COUNT; i++) {
        enum qpucc_assumption row = (enum qpucc_assumption)i;
        if (chip_is_changed(chip, row) && chip_concerns_code(row))
            length += (size_t)snprintf(length < size ? text + length : NULL,
                                       length < size ? size - length : 0, "%s %s\n", chip_row_name(row),
                                       chip_relies_on(chip, row) ? "agrees" : "differs");
    }
    return length;
}

/* One line of the text, without comment and blanks at its ends. */
struct line {
    char text[120];
    unsigned number;
    bool too_long;
};

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* False: there is none left. */
static bool next_line(const char **at, const char *end, struct line *line) {
    size_t length = 0;
    bool comment = false;
    if (*at == end)
        return false;
    line->number++;
    line->too_long = false;
    for (; *at < end && **at != '\n'; ++*at) {
        comment |= **at == '#';
        if (comment || (!length && is_blank(**at)))
            continue;
        if (length + 1 < sizeof line->text)
            line->text[length++] = **at ? **at : '?';
        else
            line->too_long = true;
    }
    *at += *at < end;
    while (length && is_blank(line->text[length - 1]))
        length--;
    line->text[length] = 0;
    return true;
}

/* "NAME agrees". NULL, or what is wrong with it. */
static const char *read_row(const char *text, struct qpucc_chip *chip, char *message, size_t size) {
    static const char *const states[] = {"differs", "agrees", "unreachable", "untested"};
    char name[120];
    size_t length = strcspn(text, " \t"), blanks = strspn(text + length, " \t"), state = 0;
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    enum qpucc_assumption row = chip_row_named(name);
    while (state < 4 && strcmp(text + length + blanks, states[state]) != 0)
        state++;
    if (row == QPUCC_ASSUMPTION_COUNT)
        snprintf(message, size, "no assumption is called \"%s\"", name);
    else if (state == 4)
        snprintf(message, size, "\"agrees\", \"differs\", \"unreachable\" or \"untested\" follows a name");
    else if (state < 2)
        set(chip, row, state);
    return row == QPUCC_ASSUMPTION_COUNT || state == 4 ? message : NULL;
}

bool qpucc_chip_parse(const char *text, size_t size, struct qpucc_chip *chip, char *message,
                      size_t message_size) {
    char why[240] = "";
    struct line line = {.number = 0};
    const char *at = text, *end = text + size;
    bool heading = false;
    *chip = (struct qpucc_chip){{0}};
    while (!*why && next_line(&at, end, &line)) {
        if (line.too_long)
            snprintf(why, sizeof why, "the line is too long");
        else if (!line.text[0])
            continue;
        else if (!heading && strcmp(line.text, HEADING) != 0)
            snprintf(why, sizeof why, "a chip profile begins with the line \"" HEADING "\"");
        else if (heading)
            read_row(line.text, chip, why, sizeof why);
        heading = true;
    }
    if (!heading && !*why)
        snprintf(why, sizeof why, "a chip profile begins with the line \"" HEADING "\"");
    if (message_size)
        *message = '\0';
    if (*why && message_size)
        snprintf(message, message_size, "line %u: %s", line.number ? line.number : 1, why);
    if (*why)
        *chip = (struct qpucc_chip){{0}};
    return !*why;
}

struct qpucc_chip qpucc_program_chip(const qpucc_program *program) {
    return program->kept->chip;
}
