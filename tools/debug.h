/* The debugger: a recorded run of one pixel or vertex, looked at step by step in both directions. */
#ifndef TOOLS_DEBUG_H
#define TOOLS_DEBUG_H

#include "explain_text.h"
#include "inspect_json.h"

enum { DEBUG_MAX_STOPS = 64, DEBUG_NAME = 128 };

/* Where a run stops: before an instruction, before a line of the source, or after a write of what is
 * watched. */
struct debug_stop {
    enum debug_stop_kind { STOP_NONE, STOP_INSTRUCTION, STOP_LINE, STOP_WRITE } kind;
    uint32_t number;
    char file[DEBUG_NAME],
        name[DEBUG_NAME]; /* of a line, empty: the stage's own; of a register or variable */
};

struct debugger {
    struct scene *scene;
    const qpucc_program *program;
    const qpucc_explanation *explain;
    const struct cli_sources *sources;
    struct render_options render;
    struct inspection inspection;
    const struct qpucc_explain_stage *stage;
    const struct inspect_run *run; /* NULL: nothing covers the target */
    size_t at;                     /* steps that have been executed */
    struct debug_stop stop[DEBUG_MAX_STOPS];
    FILE *out;
    char error[600];   /* the machine's, if it stopped */
    bool quit, failed; /* failed: some command was wrong */
};

/* Records the target. False: the reason is in error, and what was recorded before stays. */
bool debug_open(struct debugger *d, const struct inspect_target *target, char *error, size_t size);

/* debug_commands.c: one line of input. */
void debug_command(struct debugger *d, const char *line);
/* Where it is, as after every move. */
void debug_show(struct debugger *d);

/* debug_values.c */

/* What a register or a variable's component holds after `at` steps, and the step that wrote it last. */
const struct inspect_write *debug_find(const struct debugger *d, size_t at, const char *name, size_t *step);
/* Does the write concern the name: a register, a variable or one of its components? */
bool debug_concerns(const struct inspect_write *write, const char *name);
/* "0.5 (0x3f000000)", or by the letter: f, d, x, b. */
void debug_value(uint32_t value, char format, char *out, size_t size);
void debug_print(struct debugger *d, const char *name, char format);
void debug_registers(struct debugger *d);
void debug_variables(struct debugger *d);
/* Where the value of a register or variable came from, `depth` levels back. */
void debug_backtrace(struct debugger *d, const char *name, unsigned depth);

#endif
