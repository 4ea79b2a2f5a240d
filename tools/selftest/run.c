/* Runs rows: each one's frame on the device and on the machine, and compares the bytes. */
#include "run.h"

#include "rows.h"

#include <stdlib.h>
#include <string.h>

const char *const verdict_names[VERDICTS] = {"agrees", "differs", "unreachable"};

const struct row_section *const row_sections[] = {
#define X(name) &section_##name,
    SECTIONS(X)
#undef X
};
const size_t row_section_count = sizeof row_sections / sizeof *row_sections;

static uint32_t get_word(const uint8_t *bytes, size_t n) {
    const uint8_t *p = bytes + 4 * n;
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

bool row_tests(const struct row *row, const char *assumption, size_t length) {
    for (const char *p = row->assumptions; *p;) {
        size_t here = strcspn(p, " ");
        if (here == length && !strncmp(p, assumption, length)) {
            return true;
        }
        p += here + strspn(p + here, " ");
    }
    return false;
}

bool row_matches(const struct row *row, const char *only) {
    return !only || !strncmp(row->name, only, strlen(only)) || row_tests(row, only, strlen(only));
}

/* --- comparison ----------------------------------------------------------------------------------------- */

/* Says which operands the word at a pixel belongs to: tiles follow each other in rows of eight, and the
 * programs have as many each as their operands have blocks. */
static void find_operands(const struct frame *f, struct result *r) {
    enum { BLOCK = FRAME_TILE * FRAME_TILE };
    if (!f->operand_count) {
        return;
    }
    unsigned across = f->args.width / FRAME_TILE, blocks = f->operand_count / BLOCK;
    unsigned tile = r->y / FRAME_TILE * across + r->x / FRAME_TILE;
    unsigned n = tile % blocks * BLOCK + r->y % FRAME_TILE * FRAME_TILE + r->x % FRAME_TILE;
    for (; r->operand_count < 2 && f->operands[r->operand_count]; r->operand_count++) {
        r->operands[r->operand_count] =
            get_word((const uint8_t *)(const void *)f->operands[r->operand_count], n);
    }
    if (f->body_count > 1 && tile / blocks < f->body_count) {
        snprintf(r->body, sizeof r->body, "%s", f->bodies[tile / blocks]);
    }
}

/* Tile by tile, so that the first difference is one of the first program that differs. */
static void compare(const struct frame *f, const uint8_t *expected, const uint8_t *got, struct result *r) {
    unsigned width = f->args.width, height = f->args.height;
    for (unsigned tile_y = 0; tile_y < height; tile_y += FRAME_TILE) {
        for (unsigned tile_x = 0; tile_x < width; tile_x += FRAME_TILE) {
            for (unsigned n = 0; n < FRAME_TILE * FRAME_TILE; n++) {
                unsigned x = tile_x + n % FRAME_TILE, y = tile_y + n / FRAME_TILE;
                if (x >= width || y >= height) {
                    continue;
                }
                size_t at = (size_t)y * width + x;
                uint32_t e = get_word(expected, at), g = get_word(got, at);
                r->words++;
                if (e != g && !r->differing++) {
                    r->x = x;
                    r->y = y;
                    r->expected = e;
                    r->got = g;
                    find_operands(f, r);
                }
            }
        }
    }
}

/* Results that are no picture of 32 bits: word by word. */
static void compare_words(const struct frame_object *o, const uint8_t *expected, const uint8_t *got,
                          struct result *r) {
    for (uint32_t n = 0; n < o->size / 4; n++) {
        uint32_t e = get_word(expected, n), g = get_word(got, n);
        r->words++;
        if (e != g && !r->differing++) {
            r->x = n;
            r->expected = e;
            r->got = g;
        }
    }
}

/* A frame that draws nothing would agree with anything. */
static bool is_all(const struct frame_object *o, const uint8_t *bytes, uint32_t word) {
    for (uint32_t n = 0; n < o->size / 4; n++) {
        if (get_word(bytes, n) != word) {
            return false;
        }
    }
    return true;
}

/* --- rows ----------------------------------------------------------------------------------------------- */

static void run_unreachable(const struct frame *f, struct device *device, struct device *machine,
                            struct result *r) {
    char error[FRAME_TEXT] = "";
    r->verdict = UNREACHABLE;
    if (!f->refused) {
        r->verdict = DIFFERS;
        snprintf(r->reason, sizeof r->reason,
                 "the machine's driver takes what the kernel's rules forbid%s%.400s", f->error[0] ? ": " : "",
                 f->error);
        return;
    }
    snprintf(r->reason, sizeof r->reason, "%s", f->error);
    const struct frame_object *shader = &f->objects[f->object_count - 1];
    if (device_try_shader(machine, shader->code, shader->size / 8, error) != DEVICE_REFUSED) {
        r->verdict = DIFFERS;
        snprintf(r->reason, sizeof r->reason, "the machine's driver takes the shader");
    } else if (device_try_shader(device, shader->code, shader->size / 8, error) != DEVICE_REFUSED) {
        r->verdict = DIFFERS;
        snprintf(r->reason, sizeof r->reason, "the kernel takes the shader that its rules forbid");
    }
}

static void run_frame(const struct frame *f, struct device *device, struct device *machine,
                      struct result *r) {
    uint8_t *expected[FRAME_MOST_OBJECTS], *got[FRAME_MOST_OBJECTS] = {0};
    char error[FRAME_TEXT];
    r->verdict = AGREES;
    if (device_run(machine, f, expected, error) != DEVICE_DONE) {
        r->verdict = DIFFERS;
        snprintf(r->reason, sizeof r->reason, "the machine gives no result: %.400s", error);
    } else if (device_run(device, f, got, error) != DEVICE_DONE) {
        r->verdict = DIFFERS;
        snprintf(r->reason, sizeof r->reason, "no result: %.450s", error);
    }
    for (unsigned n = 0; n < f->object_count; n++) {
        if (r->verdict == AGREES && f->objects[n].result) {
            bool picture =
                n == f->args.color_write.hindex && f->args.color_write.bits == RASTER_RGBA8888_STORE;
            if (picture) {
                compare(f, expected[n], got[n], r);
            } else {
                compare_words(&f->objects[n], expected[n], got[n], r);
            }
            r->verdict = r->differing ? DIFFERS : AGREES;
            if (is_all(&f->objects[n], expected[n], picture ? FRAME_CLEAR : 0)) {
                r->verdict = DIFFERS;
                snprintf(r->reason, sizeof r->reason, "the machine draws nothing");
            }
        }
        free(expected[n]);
        free(got[n]);
    }
}

void run_row(const struct row *row, struct device *device, struct device *machine, struct result *r) {
    struct frame *f = malloc(sizeof *f);
    uint64_t before = device_instructions(machine);
    if (!f) {
        r->verdict = DIFFERS;
        snprintf(r->reason, sizeof r->reason, "out of memory");
        return;
    }
    frame_init(f);
    row->build(f, row);
    if (row->unreachable) {
        run_unreachable(f, device, machine, r);
    } else if (f->error[0]) {
        r->verdict = DIFFERS;
        snprintf(r->reason, sizeof r->reason, "no program: %.450s", f->error);
    } else {
        run_frame(f, device, machine, r);
    }
    r->instructions = device_instructions(machine) - before;
    frame_free(f);
    free(f);
}

bool run_rows(struct device *device, struct device *machine, const char *only, FILE *progress,
              struct report *report) {
    size_t total = 0;
    for (size_t s = 0; s < row_section_count; s++) {
        total += row_sections[s]->count;
    }
    report->results = calloc(total, sizeof *report->results);
    if (!report->results) {
        return false;
    }
    for (unsigned n = 0; n < 3; n++) {
        report->ident[n] = device_ident(device, n);
    }
    for (size_t s = 0; s < row_section_count; s++) {
        for (size_t n = 0; n < row_sections[s]->count; n++) {
            const struct row *row = &row_sections[s]->rows[n];
            if (!row_matches(row, only)) {
                continue;
            }
            if (progress) {
                fprintf(progress, "\r%4zu of %zu: %-40s", report->count + 1, total, row->name);
                fflush(progress);
            }
            struct result *r = &report->results[report->count++];
            r->section = row_sections[s];
            r->row = row;
            run_row(row, device, machine, r);
            report->verdicts[r->verdict]++;
            report->instructions += r->instructions;
            report->words += r->words;
            report->submits += !row->unreachable;
        }
    }
    if (progress) {
        fprintf(progress, "\r%60s\r", "");
    }
    return true;
}

void report_free(struct report *report) {
    free(report->results);
    *report = (struct report){0};
}
