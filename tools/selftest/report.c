/* What a run found: a table for people, JSON for programs, a chip profile for the compiler. */
#include "run.h"

#include <qpucc/version.h>

#include <string.h>

/* --- text ----------------------------------------------------------------------------------------------- */

static void print_how(const struct result *r, FILE *out) {
    if (r->verdict != DIFFERS || r->reason[0]) {
        fprintf(out, "%s", r->reason);
        return;
    }
    fprintf(out, "%u of %u words", r->differing, r->words);
    for (unsigned n = 0; n < r->operand_count; n++) {
        fprintf(out, "%s%c 0x%08x", n ? ", " : "; first: ", 'a' + (int)n, r->operands[n]);
    }
    if (!r->operand_count) {
        fprintf(out, "; first: pixel %u, %u", r->x, r->y);
    }
    fprintf(out, ": expected 0x%08x, got 0x%08x", r->expected, r->got);
    if (r->body[0]) {
        fputs(" (", out);
        for (const char *c = r->body; *c; c++) {
            fputs(*c == '\n' ? "; " : (char[]){*c, 0}, out);
        }
        fputs(")", out);
    }
}

void report_print(const struct report *report, FILE *out) {
    const struct row_section *section = NULL;
    for (size_t n = 0; n < report->count; n++) {
        const struct result *r = &report->results[n];
        if (r->section != section) {
            section = r->section;
            fprintf(out, "%s%s: %s\n", n ? "\n" : "", section->name, section->what);
        }
        fprintf(out, "  %-34s %-12s", r->row->name, verdict_names[r->verdict]);
        print_how(r, out);
        fputc('\n', out);
    }
    fprintf(out,
            "\n%zu rows: %zu agree, %zu differ, %zu not reachable under the kernel's rules\n"
            "%u frames, %llu words compared, %llu instructions executed by the machine: counted as %llu s\n",
            report->count, report->verdicts[AGREES], report->verdicts[DIFFERS], report->verdicts[UNREACHABLE],
            report->submits, (unsigned long long)report->words, (unsigned long long)report->instructions,
            (unsigned long long)(report->instructions + COUNTED_RATE - 1) / COUNTED_RATE);
}

/* --- JSON ----------------------------------------------------------------------------------------------- */

static void print_string(const char *text, FILE *out) {
    fputc('"', out);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c);
        } else if ((unsigned char)*c < 32) {
            fprintf(out, "\\u%04x", (unsigned char)*c);
        } else {
            fputc(*c, out);
        }
    }
    fputc('"', out);
}

static void print_member(const char *name, const char *text, FILE *out) {
    fprintf(out, ", \"%s\": ", name);
    print_string(text, out);
}

static void print_assumptions(const char *names, FILE *out) {
    fputc('[', out);
    for (const char *p = names; *p;) {
        size_t length = strcspn(p, " ");
        fprintf(out, "%s\"%.*s\"", p == names ? "" : ", ", (int)length, p);
        p += length + strspn(p + length, " ");
    }
    fputc(']', out);
}

static void print_result(const struct result *r, FILE *out) {
    fputs("    {\"name\": ", out);
    print_string(r->row->name, out);
    print_member("section", r->section->name, out);
    fputs(", \"assumptions\": ", out);
    print_assumptions(r->row->assumptions, out);
    print_member("verdict", verdict_names[r->verdict], out);
    fprintf(out, ", \"words\": %u, \"differing\": %u", r->words, r->differing);
    if (r->reason[0]) {
        print_member("reason", r->reason, out);
    }
    if (r->differing) {
        fprintf(out, ", \"first\": {\"x\": %u, \"y\": %u, \"expected\": \"0x%08x\", \"got\": \"0x%08x\"",
                r->x, r->y, r->expected, r->got);
        for (unsigned n = 0; n < r->operand_count; n++) {
            fprintf(out, ", \"%c\": \"0x%08x\"", 'a' + (int)n, r->operands[n]);
        }
        if (r->body[0]) {
            print_member("program", r->body, out);
        }
        fputc('}', out);
    }
    fputc('}', out);
}

void report_print_json(const struct report *report, FILE *out) {
    fputs("{\n  \"schema\": \"qpucc-selftest-1\"", out);
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", QPUCC_VERSION_MAJOR, QPUCC_VERSION_MINOR,
             QPUCC_VERSION_PATCH);
    fputs(",\n  \"version\": ", out);
    print_string(version, out);
    fputs(",\n  \"device\": ", out);
    print_string(report->device, out);
    fprintf(out, ",\n  \"ident\": [\"0x%08x\", \"0x%08x\", \"0x%08x\"]", report->ident[0], report->ident[1],
            report->ident[2]);
    fprintf(out, ",\n  \"frames\": %u,\n  \"words\": %llu,\n  \"instructions\": %llu", report->submits,
            (unsigned long long)report->words, (unsigned long long)report->instructions);
    for (unsigned v = 0; v < VERDICTS; v++) {
        fprintf(out, ",\n  \"%s\": %zu", verdict_names[v], report->verdicts[v]);
    }
    fputs(",\n  \"rows\": [\n", out);
    for (size_t n = 0; n < report->count; n++) {
        print_result(&report->results[n], out);
        fputs(n + 1 < report->count ? ",\n" : "\n", out);
    }
    fputs("  ]\n}\n", out);
}

/* --- profiles ------------------------------------------------------------------------------------------- */

/* An assumption differs when any of its rows does; what no program can reach says nothing beside one that
 * agrees. */
static const char *judge(const struct report *report, const char *assumption, size_t length) {
    bool seen[VERDICTS] = {false};
    for (size_t n = 0; n < report->count; n++) {
        if (row_tests(report->results[n].row, assumption, length)) {
            seen[report->results[n].verdict] = true;
        }
    }
    return seen[DIFFERS]       ? "differs"
           : seen[AGREES]      ? "agrees"
           : seen[UNREACHABLE] ? "unreachable"
                               : "untested";
}

void report_print_profile(const struct report *report, FILE *out) {
    static const char *const assumptions[] = {
#define ASSUMPTION(name, section, grade, use, what, evidence, relies, tests) #name,
#include <qpucc/assumptions.def>
#undef ASSUMPTION
    };
    fputs("qpucc-chip-profile 1\n", out);
    for (size_t n = 0; n < sizeof assumptions / sizeof *assumptions; n++) {
        fprintf(out, "%s %s\n", assumptions[n], judge(report, assumptions[n], strlen(assumptions[n])));
    }
}

/* --- tables --------------------------------------------------------------------------------------------- */

void rows_print(const char *only, FILE *out) {
    for (size_t s = 0; s < row_section_count; s++) {
        bool begun = false;
        for (size_t n = 0; n < row_sections[s]->count; n++) {
            const struct row *row = &row_sections[s]->rows[n];
            if (!row_matches(row, only)) {
                continue;
            }
            if (!begun) {
                fprintf(out, "%s### %s: %s\n\n| row | what | assumptions |\n|---|---|---|\n", s ? "\n" : "",
                        row_sections[s]->name, row_sections[s]->what);
                begun = true;
            }
            fprintf(out, "| %s | %s | %s |\n", row->name, row->what, row->assumptions);
        }
    }
}
