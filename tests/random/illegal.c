/* Programs that break one rule of the language: legal ones (language.c), into which a breach is put from the
 * table in illegal.def. */
#include "illegal.h"

#include "generate.h"

#include <string.h>

enum stages { V = 1, F = 2, B = 3 };
enum { REFUSES = REFERENCE_REFUSES, ACCEPTS = REFERENCE_ACCEPTS, ANY = REFERENCE_EITHER };

static const struct rule rules[] = {
#define RULE(name, versions, stages, place, reference, before, breach)                                       \
    {name, versions, stages, PLACE_##place, reference, before, breach},
#include "illegal.def"
#undef RULE
};

unsigned illegal_count(void) {
    return sizeof rules / sizeof *rules;
}

const struct rule *illegal_rule(struct language *l, unsigned index) {
    const struct rule *r = &rules[index];
    unsigned es = r->versions % 10 == 5 ? r->versions / 10 : r->versions;
    l->modern = es == 3 || (es == 13 && l->modern);
    l->breach_stage = r->stages == B ? (one_in(&l->g, 2) ? V : F) : (unsigned)r->stages;
    for (unsigned i = 0; i < 2; i++)
        l->breach_name[i] = new_name(&l->g, "q");
    return r;
}

static const char *reserved(struct language *l) {
    static const char *const both[] = {
        "asm",    "class",     "union",    "enum",          "typedef",       "template",
        "this",   "goto",      "inline",   "noinline",      "volatile",      "public",
        "static", "extern",    "external", "interface",     "long",          "short",
        "double", "half",      "fixed",    "unsigned",      "superp",        "input",
        "output", "hvec2",     "hvec3",    "hvec4",         "dvec2",         "dvec3",
        "dvec4",  "fvec2",     "fvec3",    "fvec4",         "sampler1D",     "sizeof",
        "cast",   "namespace", "using",    "sampler3DRect", "sampler2DRect", "sampler1DShadow"};
    static const char *const first[] = {"packed", "switch",    "default",
                                        "flat",   "sampler3D", "sampler2DShadow"};
    static const char *const later[] = {
        "attribute", "varying",     "coherent",      "restrict", "readonly",      "writeonly",
        "resource",  "atomic_uint", "noperspective", "patch",    "sample",        "subroutine",
        "common",    "partition",   "active",        "filter",   "image1D",       "image2D",
        "image3D",   "imageCube",   "iimage2D",      "uimage2D", "samplerBuffer", "sampler2DMS"};
    unsigned more = l->modern ? sizeof later / sizeof *later : sizeof first / sizeof *first;
    unsigned k = pick(&l->g, sizeof both / sizeof *both + more);
    return k >= more ? both[k - more] : l->modern ? later[k] : first[k];
}

static const char *hole(struct language *l, char c) {
    static const struct type types[] = {{.base = WHOLE, .rows = 1}, {.base = FLOAT, .rows = 1},
                                        {.base = TRUTH, .rows = 1}, {.base = FLOAT, .rows = 3},
                                        {.base = WHOLE, .rows = 2}, {.base = FLOAT, .rows = 2, .columns = 2}};
    static const char letters[] = "ifbvwm";
    if (c == 'n' || c == 'N')
        return l->breach_name[c == 'N'];
    if (c == 'k')
        return reserved(l);
    const char *letter = strchr(letters, c);
    if (!letter || !c)
        return NULL;
    return some_value(l, types[letter - letters], (int)pick(&l->g, 3), l->scope == 0).text;
}

/* With the holes filled; `marked`: each line that may have the error gets a comment. */
static const char *fill(struct language *l, const char *form, bool marked) {
    static const char mark[] = " " ILLEGAL_MARK;
    const char *all = "";
    bool implicit = marked && !strchr(form, '@');
    for (; *form; form++) {
        const char *value = *form == '$' ? hole(l, form[1]) : NULL;
        if (value) {
            all = text(l, "%s%s", all, value);
            form++;
        } else if (*form == '@' || (*form == '\n' && implicit)) {
            all = text(l, "%s%s%s", all, mark, *form == '\n' ? "\n" : "");
            implicit = false;
        } else {
            all = text(l, "%s%c", all, *form);
        }
    }
    return implicit ? text(l, "%s%s", all, mark) : all;
}

void illegal_add(struct language *l, struct node *list, enum place place) {
    const struct rule *r = l->rule;
    if (r && r->place == PLACE_LINK) {
        if (place == PLACE_GLOBAL)
            node_add(l->g.pool, list, line(l, fill(l, l->stage == V ? r->before : r->breach, true)));
        return;
    }
    if (!r || l->breached || l->stage != l->breach_stage)
        return;
    if (place == PLACE_GLOBAL && *r->before)
        node_add(l->g.pool, list, line(l, fill(l, r->before, false)));
    bool at_last = place == PLACE_MAIN && r->place == PLACE_STATEMENT;
    if (r->place != place && !at_last)
        return;
    if (place == PLACE_STATEMENT && (!l->main || l->wait-- > 0))
        return;
    node_add(l->g.pool, list, line(l, fill(l, r->breach, true)));
    l->breached = true;
}
