/* What registers and variables hold at a point of a recorded run, and where it came from. */
#include "debug.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_function(const char *target) {
    return !strcmp(target, "recip") || !strcmp(target, "rsqrt") || !strcmp(target, "exp") ||
           !strcmp(target, "log");
}

bool debug_concerns(const struct inspect_write *write, const char *name) {
    size_t length = strlen(name);
    if (!strcmp(write->target, name))
        return true;
    return write->name && !strncmp(write->name, name, length) &&
           (!write->name[length] || write->name[length] == '.' || write->name[length] == '[');
}

const struct inspect_write *debug_find(const struct debugger *d, size_t at, const char *name, size_t *step) {
    for (size_t i = at; d->run && i-- > 0;)
        for (unsigned w = d->run->step[i].write_count; w-- > 0;) {
            const struct inspect_write *write = &d->run->step[i].write[w];
            if (write->written &&
                (!strcmp(write->target, name) || (write->name && !strcmp(write->name, name)))) {
                if (step)
                    *step = i;
                return write;
            }
        }
    return NULL;
}

void debug_value(uint32_t value, char format, char *out, size_t size) {
    float number;
    memcpy(&number, &value, sizeof number);
    float magnitude = fabsf(number);
    bool looks_float = value == 0 || !isfinite(number) || (magnitude > 1e-30f && magnitude < 1e30f);
    switch (format) {
    case 'f': snprintf(out, size, "%.9g", (double)number); break;
    case 'd': snprintf(out, size, "%d", (int32_t)value); break;
    case 'x': snprintf(out, size, "0x%08x", value); break;
    case 'b':
        snprintf(out, size, "%u %u %u %u", value & 255, value >> 8 & 255, value >> 16 & 255, value >> 24);
        break;
    default:
        if (looks_float)
            snprintf(out, size, "%.9g (0x%08x)", (double)number, value);
        else
            snprintf(out, size, "%d (0x%08x)", (int32_t)value, value);
    }
}

/* Of a write: the part that was written. A byte is shown as the number from 0 to 1 that it stands for. */
static void value_of(const struct inspect_write *write, char format, char *out, size_t size) {
    const char *part = write->part;
    unsigned number = part[0] && part[1] ? (unsigned)(part[part[0] == '1' ? 2 : 1] - 'a') : 0;
    if (format || !part[0])
        debug_value(write->value, format, out, size);
    else if (part[0] == '8')
        snprintf(out, size, "%.3g (byte %u of 0x%08x)", (write->value >> 8 * number & 255) / 255.0, number,
                 write->value);
    else
        snprintf(out, size, "0x%04x (half %u of 0x%08x)", write->value >> 16 * number & 0xffff, number,
                 write->value);
}

/* --- variables ------------------------------------------------------------------------------------------ */

/* The names that writes of the run have, each once, in the order of their first write. */
struct names {
    const char **list;
    size_t count, capacity;
};

static void add_name(struct names *names, const char *name) {
    for (size_t i = 0; i < names->count; i++)
        if (names->list[i] == name || !strcmp(names->list[i], name))
            return;
    if (names->count == names->capacity) {
        size_t capacity = names->capacity ? 2 * names->capacity : 32;
        const char **list = realloc(names->list, capacity * sizeof *list);
        if (!list)
            return;
        names->list = list;
        names->capacity = capacity;
    }
    names->list[names->count++] = name;
}

static int by_text(const void *x, const void *y) {
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* Of variables written so far that the name is or contains; NULL: all. Sorted. */
static struct names names_of(const struct debugger *d, const char *name) {
    struct names names = {NULL, 0, 0};
    for (size_t i = 0; d->run && i < d->at; i++)
        for (unsigned w = 0; w < d->run->step[i].write_count; w++) {
            const struct inspect_write *write = &d->run->step[i].write[w];
            if (write->name && write->written && (!name || debug_concerns(write, name)))
                add_name(&names, write->name);
        }
    if (names.count)
        qsort(names.list, names.count, sizeof *names.list, by_text);
    return names;
}

static void print_one(struct debugger *d, const char *name, char format) {
    size_t step = 0;
    char text[80];
    const struct inspect_write *write = debug_find(d, d->at, name, &step);
    if (!write)
        return;
    value_of(write, format, text, sizeof text);
    fprintf(d->out, "%s = %s", name, text);
    if (strcmp(write->target, name))
        fprintf(d->out, "  in %s", write->target);
    else if (write->name)
        fprintf(d->out, "  %s", write->name);
    fprintf(d->out, "  step %zu\n", step);
}

void debug_print(struct debugger *d, const char *name, char format) {
    bool registered = debug_find(d, d->at, name, NULL) != NULL;
    struct names names = {NULL, 0, 0};
    if (!registered)
        names = names_of(d, name);
    if (registered)
        print_one(d, name, format);
    for (size_t i = 0; i < names.count; i++)
        print_one(d, names.list[i], format);
    if (!registered && !names.count) {
        fprintf(d->out, "nothing has been written to %s yet\n", name);
        d->failed = true;
    }
    free(names.list);
}

void debug_variables(struct debugger *d) {
    struct names names = names_of(d, NULL);
    for (size_t i = 0; i < names.count; i++)
        print_one(d, names.list[i], 0);
    if (!names.count)
        fprintf(d->out, "no variable has been written yet\n");
    free(names.list);
}

void debug_registers(struct debugger *d) {
    static const char *const files[] = {"r", "ra", "rb"};
    unsigned printed = 0;
    for (unsigned f = 0; f < 3; f++)
        for (unsigned n = 0; n < (f ? 32u : 6u); n++) {
            char name[12];
            snprintf(name, sizeof name, "%s%u", files[f], n);
            if (debug_find(d, d->at, name, NULL)) {
                print_one(d, name, 0);
                printed++;
            }
        }
    if (!printed)
        fprintf(d->out, "no register has been written yet\n");
}

/* --- backtraces ----------------------------------------------------------------------------------------- */

/* The operands of a half's text, "fmul r0, ra3.8a, unif": names without their unpack modes. Returns how
 * many. */
static unsigned operands_of(const char *text, char names[3][DEBUG_NAME]) {
    const char *at = text ? strchr(text, ',') : NULL;
    unsigned count = 0;
    while (at && count < 3) {
        char *name = names[count];
        size_t n = 0;
        for (at++; *at == ' ';)
            at++;
        while (at[n] && at[n] != ',' && at[n] != '.' && at[n] != ' ' && n + 1 < DEBUG_NAME) {
            name[n] = at[n];
            n++;
        }
        name[n] = 0;
        bool again = false;
        for (unsigned k = 0; k < count; k++)
            again |= !strcmp(names[k], name);
        count += n && !again;
        at = strchr(at, ',');
    }
    return count;
}

static bool is_register(const char *name) {
    if (name[0] != 'r')
        return false;
    const char *digits = name + (name[1] == 'a' || name[1] == 'b' ? 2 : 1);
    return isdigit((unsigned char)*digits);
}

/* The S write that asked for what the signal at `step` loads: the first request that no load before has
 * taken. */
static bool request_of(const struct debugger *d, size_t step, unsigned unit, size_t *asked) {
    const char *request = unit ? "t1s" : "t0s", *signal = unit ? "ldtmu1" : "ldtmu0";
    size_t loads = 0, requests = 0;
    for (size_t i = 0; i < step; i++) {
        const char *text = d->stage->instruction[d->run->step[i].instruction].signal.text;
        loads += text && !strcmp(text, signal);
    }
    for (size_t i = 0; i < step; i++)
        for (unsigned w = 0; w < d->run->step[i].write_count; w++)
            if (!strcmp(d->run->step[i].write[w].target, request) && requests++ == loads) {
                *asked = i;
                return true;
            }
    return false;
}

enum { WRITES = sizeof((struct inspect_step *)0)->write / sizeof(struct inspect_write) };

/* A value may have several uses, so that the ways back double at each level: what made it is shown once. */
struct trace {
    struct debugger *d;
    unsigned depth;
    unsigned char (*shown)[WRITES]; /* of each step's writes: 1 more than the level where it was shown */
};

static void trace_name(const struct trace *t, const char *name, size_t at, unsigned level);

/* What made the value that `step` wrote to `target`. */
static void trace_step(const struct trace *t, size_t step, const char *target, unsigned level) {
    struct debugger *d = t->d;
    const struct qpucc_explain_instruction *in = &d->stage->instruction[d->run->step[step].instruction];
    const struct qpucc_explain_slot *slots[] = {&in->add, &in->mul};
    char names[3][DEBUG_NAME];
    size_t asked;
    for (unsigned k = 0; k < 2; k++) {
        if (!slots[k]->target || strcmp(slots[k]->target, target))
            continue;
        unsigned count = operands_of(slots[k]->text, names);
        for (unsigned n = 0; n < count; n++)
            trace_name(t, names[n], step, level);
        return;
    }
    if (strcmp(target, "r4"))
        return;
    const char *signal = in->signal.text;
    if (signal && !strncmp(signal, "ldtmu", 5)) {
        if (request_of(d, step, signal[5] == '1', &asked))
            trace_name(t, signal[5] == '1' ? "t1s" : "t0s", asked + 1, level);
        return;
    }
    for (size_t i = step; i-- > 0;) /* a special function, two steps before */
        for (unsigned w = 0; w < d->run->step[i].write_count; w++)
            if (is_function(d->run->step[i].write[w].target)) {
                trace_name(t, d->run->step[i].write[w].target, i + 1, level);
                return;
            }
}

static void trace_name(const struct trace *t, const char *name, size_t at, unsigned level) {
    struct debugger *d = t->d;
    size_t step = 0;
    char text[80];
    if (level > t->depth)
        return;
    const struct inspect_write *write = debug_find(d, at, name, &step);
    fprintf(d->out, "%*s%s", (int)(2 * level), "", name);
    if (!write) {
        const struct qpucc_explain_instruction *in =
            at < d->run->count ? &d->stage->instruction[d->run->step[at].instruction] : NULL;
        if (!strcmp(name, "unif") && in && in->word_text)
            fprintf(d->out, " = %s", in->word_text);
        else if (is_register(name))
            fprintf(d->out, ", there from the start");
        fputc('\n', d->out);
        return;
    }
    const struct qpucc_explain_instruction *in = &d->stage->instruction[d->run->step[step].instruction];
    value_of(write, 0, text, sizeof text);
    fprintf(d->out, " = %s", text);
    if (write->name && strcmp(write->name, name))
        fprintf(d->out, " %s", write->name);
    fprintf(d->out, "  step %zu, instruction %u: %s", step, d->run->step[step].instruction, in->text);
    if (in->line)
        fprintf(d->out, "  line %u", in->line);
    unsigned char *shown = &t->shown[step][write - d->run->step[step].write];
    bool again = *shown && *shown <= level + 1;
    fputs(again ? "  (above)\n" : "\n", d->out);
    if (again)
        return;
    *shown = (unsigned char)(level + 1);
    trace_step(t, step, write->target, level + 1);
}

void debug_backtrace(struct debugger *d, const char *name, unsigned depth) {
    struct trace t = {d, depth, d->run ? calloc(d->run->count + 1, sizeof *t.shown) : NULL};
    bool registered = debug_find(d, d->at, name, NULL) != NULL;
    struct names names = {NULL, 0, 0};
    if (d->run && !t.shown)
        complain("out of memory");
    if (!registered)
        names = names_of(d, name);
    if (t.shown && registered)
        trace_name(&t, name, d->at, 0);
    for (size_t i = 0; t.shown && i < names.count; i++)
        trace_name(&t, names.list[i], d->at, 0);
    if (!registered && !names.count) {
        fprintf(d->out, "nothing has been written to %s yet\n", name);
        d->failed = true;
    }
    free(names.list);
    free(t.shown);
}
