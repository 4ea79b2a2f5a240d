/* What the words of the assembly mean. The table is opcodes.def; a test holds it to the instruction set's. */
#include "about.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct opcode {
    const char *name, *kind, *text, *section;
} opcodes[] = {
#define OPCODE(name, kind, text, section) {name, kind, text, section},
#include "opcodes.def"
};

/* Registers of both files and accumulators, immediates: one entry for all of a kind. */
static const struct opcode *pattern(const char *name) {
    static const struct opcode register_file = {"", "register",
                                                "A register of the file that its first two letters name: 32 "
                                                "bits for each of 16 elements. One register of "
                                                "each file can be read and one written an instruction; what "
                                                "is written can be read two instructions later. "
                                                "File A can unpack what is read and pack what is written.",
                                                "3, \"Registers\""};
    static const struct opcode accumulator = {
        "", "register",
        "An accumulator: 32 bits for each of 16 elements, read by any operand of any instruction, also by "
        "the one after "
        "that which writes it. r4 is what special functions, texture units and tile buffer deliver to; r5 "
        "holds one "
        "value for all elements or for each quad, and the constant part of a varying.",
        "3, \"Accumulators\""};
    static const struct opcode immediate = {"", "immediate",
                                            "A small immediate, in the field of the read address of file B: "
                                            "whole numbers from -16 to 15 and powers of "
                                            "two from 1/256 to 128.",
                                            "3, table 5"};
    bool file = name[0] == 'r' && (name[1] == 'a' || name[1] == 'b') && isdigit((unsigned char)name[2]);
    if (file) {
        long number = strtol(name + 2, NULL, 10);
        return strspn(name + 2, "0123456789") == strlen(name + 2) && strlen(name) <= 4 && number < 64
                   ? &register_file
                   : NULL;
    }
    if (name[0] == 'r' && name[1] >= '0' && name[1] <= '5' && !name[2])
        return &accumulator;
    char *end = NULL;
    const char *digits = name + (name[0] == '-');
    if (isdigit((unsigned char)digits[0]))
        strtod(digits, &end);
    return end && !*end && strlen(name) < 20 ? &immediate : NULL;
}

static const struct opcode *find(const char *name) {
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (!strcasecmp(opcodes[i].name, name))
            return &opcodes[i];
    return pattern(name);
}

static json_t *opcode_json(const struct opcode *o, const char *name) {
    char html[1200];
    snprintf(
        html, sizeof html,
        "<p><b>%s</b> <i>%s</i></p><p>%s</p><p>VideoCore IV 3D Architecture Reference Guide, section %s.</p>",
        name, o->kind, o->text, o->section);
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "name", name, "kind", o->kind, "tooltip", o->text, "html",
                     html, "url", "https://docs.broadcom.com/doc/12358545");
}

struct answer *about_opcode(const char *name, enum answer_type accept) {
    const struct opcode *o = strlen(name) < 40 ? find(name) : NULL;
    if (!o)
        return answer_error(404, "unknown", "The assembly has no such word.");
    if (accept == ANSWER_TEXT)
        return answer_text(200, ANSWER_TEXT, true, o->text);
    json_t *json = opcode_json(o, o->name[0] ? o->name : name);
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    return answer_new(200, ANSWER_JSON, true, text, text ? strlen(text) : 0);
}

struct answer *about_opcodes(void) {
    json_t *all = json_object();
    char name[8];
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        json_object_set_new(all, opcodes[i].name, opcode_json(&opcodes[i], opcodes[i].name));
    for (int k = 0; k < 32 + 32 + 6; k++) {
        snprintf(name, sizeof name, k < 32 ? "ra%d" : k < 64 ? "rb%d" : "r%d", k % 32);
        json_object_set_new(all, name, opcode_json(pattern(name), name));
    }
    char *text = json_dumps(all, JSON_COMPACT);
    json_decref(all);
    return answer_new(200, ANSWER_JSON, true, text, text ? strlen(text) : 0);
}
