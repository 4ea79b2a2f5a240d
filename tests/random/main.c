/* Random programs on the machine, at -O0 and -O2, and on the system's OpenGL ES 2.
 *
 *     qpucc-random [--small|--pressure|--state|--interface|--language|--illegal] [--first SEED] [--count N]
 *                  [--desktop] [--size STATEMENTS] [--level N] [--policy NAME] [--keep DIR] [--print]
 *                  [--no-reduce] [--verbose] [FILE.frag ...]
 *
 * What is drawn is a square of 16 x 16 pixels; all pictures of a program have to agree. A program that fails
 * is made smaller while it fails in the same way, printed with its seed and the command that draws it, and
 * with --keep written to DIR/SEED.vert and DIR/SEED.frag. --level: another one than -O2 to compare with -O0;
 * --policy: fast or precise, at that level.
 * --small: programs of a few lines (small.c), at all levels in turn; each of them has to fit the hardware. So
 * have fragment shaders from files, which take small.c's varyings and uniforms. --pressure: programs that
 * need many registers (pressure.c), at all levels in turn; they have to fit, or the refusal has to prove that
 * they can't. --state: the same for other kinds (state.c). --illegal: programs that break a rule of the
 * language (illegal.def); they have to be refused, with an error on the line that breaks it. --desktop: with
 * --language or --illegal, as desktop GLSL: what is written as ES 1.00 as 1.10 or 1.20, what is written as
 * ES 3.00 as 1.30, 1.40 or 1.50; the reference draws it as ES.
 * Without OpenGL ES here the two levels are compared with each other. Exit code 0: nothing failed. */
#include "generate.h"
#include "tools/render.h"
#ifdef HAVE_GL
#include "tests/tools/gl_picture.h"
#endif

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 16, MOST_BAD = 2, MOST_ASKED = 3000 };

enum outcome {
    FINE,
    DOES_NOT_FIT, /* at some level: a fault of small programs only */
    REFUSED,      /* correct GLSL, called an error */
    INTERNAL,
    MACHINE,   /* undefined behaviour, budget */
    REFERENCE, /* the reference does not take it: the generator's fault */
    ACCEPTED,  /* an illegal program */
    WRONG_LINE,
    REFERENCE_DISAGREES, /* it accepts what illegal.def says it refuses, or the other way round */
    LEVELS_DIFFER,
    REFERENCE_DIFFERS,
    OUTCOMES
};

static const char *const outcome_names[OUTCOMES] = {
    "agree",          "do not fit the hardware",     "refused",
    "internal error", "stopped by the machine",      "refused by the reference",
    "accepted",       "refused for another line",    "refused, unlike by the reference",
    "levels differ",  "machine and reference differ"};

/* All but the usual ones have to fit the hardware. */
enum programs { USUAL, SMALL, PRESSURE, STATE, INTERFACE, LANGUAGE, ILLEGAL, FILES };

struct trial {
    struct program program;
    struct scene scene;
    struct gl *gl;
    int level;
    enum qpucc_policy policy; /* at that level; at -O0 the default */
    enum programs programs;
    bool desktop;
    unsigned choice;     /* of versions: the seed */
    enum outcome wanted; /* while reducing: this, */
    bool colored;        /* the program writes gl_FragColor, and has to go on doing so */
    char alike[600];     /* with a text that is like this one */
    bool flat;           /* all of one colour */
    char text[600];      /* more about the last outcome */
};

static unsigned difference(const struct picture *a, const struct picture *b, int tolerance, int *worst) {
    unsigned bad = 0;
    for (size_t i = 0; i < (size_t)SIDE * SIDE; i++) {
        int most = 0;
        for (size_t k = 0; k < 4; k++) {
            int d = abs(a->pixels[4 * i + k] - b->pixels[4 * i + k]);
            most = d > most ? d : most;
        }
        bad += most > tolerance;
        *worst = most > *worst ? most : *worst;
    }
    return bad;
}

/* May it be 1.10, which calls no functions in constants? */
static bool has_plain_constants(const char *text) {
    for (const char *c = text; (c = strstr(c, "const ")); c++)
        if (memchr(c, '(', strcspn(c, "\n")))
            return false;
    return true;
}

/* GLSL 1.10 hands no array out of a function. */
static bool has_array_outputs(const char *text) {
    for (const char *out = strstr(text, "out "); out; out = strstr(out + 1, "out "))
        if (out[strcspn(out, "[,);")] == '[')
            return true;
    return false;
}

/* The same lines as desktop GLSL, whose versions before 1.30 have no words for precision: the options define
 * them away. The caller frees it. */
static char *as_desktop(const struct trial *t, const char *text, bool *old) {
    static const char *const versions[] = {"110", "120", "130", "140", "150"};
    const char *rest = strstr(text, "#version 300 es\n");
    char *copy = NULL;
    size_t size;
    FILE *out = open_memstream(&copy, &size);
    if (!out)
        return NULL;
    *old = rest != text;
    fprintf(out, "#version %s\n",
            versions[!*old                                                   ? 2 + t->choice % 3
                     : has_plain_constants(text) && !has_array_outputs(text) ? t->choice % 2
                                                                             : 1]);
    for (const char *line = strchr(text, '\n'); line && *++line; line = strchr(line, '\n')) {
        bool left_out = *old && !strncmp(line + strspn(line, " "), "precision ", 10);
        fprintf(out, "%.*s\n", left_out ? 0 : (int)strcspn(line, "\n"), line);
    }
    fclose(out);
    return copy;
}

static qpucc_program *compile_text(struct trial *t, const char *vertex, const char *fragment, bool old,
                                   int level, const struct qpucc_state *state, enum outcome *outcome) {
    struct qpucc_source sources[2] = {
        {"random.vert", vertex, strlen(vertex), QPUCC_VERTEX, QPUCC_GLSL},
        {"random.frag", fragment, strlen(fragment), QPUCC_FRAGMENT, QPUCC_GLSL}};
    struct qpucc_options options = qpucc_options_default();
    options.opt_level = level;
    static const char *const none[] = {"highp=", "mediump=", "lowp="};
    options.defines = none;
    options.define_count = old ? 3 : 0;
    options.flags |= level ? t->policy : QPUCC_POLICY_DEFAULT;
    *outcome = FINE;
    qpucc_program *program = qpucc_compile(sources, 2, state, &options);
    enum qpucc_status status = program ? qpucc_program_status(program) : QPUCC_INTERNAL;
    if (status != QPUCC_OK) {
        const struct qpucc_diagnostic *d = program ? qpucc_program_diagnostic(program, 0) : NULL;
        snprintf(t->text, sizeof t->text, "-O%d: %s:%u: %s", level, d ? d->file : "", d ? d->line : 0,
                 d ? d->text : "out of memory");
        *outcome = status == QPUCC_DOES_NOT_FIT ? DOES_NOT_FIT
                   : status == QPUCC_INTERNAL   ? INTERNAL
                                                : REFUSED;
    }
    for (size_t i = 0; status == QPUCC_OK && i < qpucc_program_diagnostic_count(program); i++) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, i);
        if (strcmp(d->code, "internal") == 0) { /* there is code, but not for want of a fault */
            snprintf(t->text, sizeof t->text, "-O%d: %s", level, d->text);
            *outcome = INTERNAL;
        }
    }
    return program;
}

static qpucc_program *compile(struct trial *t, const char *vertex, const char *fragment, int level,
                              const struct qpucc_state *state, enum outcome *outcome) {
    bool old = false;
    char *v = t->desktop ? as_desktop(t, vertex, &old) : NULL,
         *f = t->desktop ? as_desktop(t, fragment, &old) : NULL;
    qpucc_program *program = compile_text(t, v ? v : vertex, f ? f : fragment, old, level, state, outcome);
    free(v);
    free(f);
    return program;
}

/* Textures whose channels lie in memory in other orders take other code: compiled, not drawn. */
static enum outcome compile_swapped(struct trial *t, const char *vertex, const char *fragment) {
    static const uint8_t formats[] = {QPUCC_TEX_BGRA, QPUCC_TEX_RGBX, QPUCC_TEX_ALPHA,
                                      QPUCC_TEX_LUMINANCE_ALPHA, QPUCC_TEX_LUMINANCE};
    struct qpucc_state state = render_state(&t->scene);
    enum outcome outcome;
    for (int i = 0; i < QPUCC_MAX_TEXTURES; i++)
        state.texture[i].format = formats[(i + t->level) % 5];
    qpucc_program_free(compile(t, vertex, fragment, t->level, &state, &outcome));
    return outcome;
}

static enum outcome draw(struct trial *t, const char *vertex, const char *fragment, int level,
                         struct picture *out) {
    struct qpucc_state state = render_state(&t->scene);
    struct render_options how = {0};
    struct qpusim_counters counters = {0};
    enum outcome outcome;
    qpucc_program *program = compile(t, vertex, fragment, level, &state, &outcome);
    if (outcome == FINE) {
        char error[400];
        if (!render_scene(&t->scene, program, &how, out, &counters, error, sizeof error)) {
            snprintf(t->text, sizeof t->text, "-O%d: %s", level, error);
            outcome = MACHINE;
        } else if (counters.position_mismatches) {
            snprintf(t->text, sizeof t->text, "-O%d: vertex and coordinate shader disagree", level);
            outcome = MACHINE;
        }
    }
    qpucc_program_free(program);
    return outcome;
}

static bool on_marked_line(const struct qpucc_diagnostic *d, const char *vertex, const char *fragment) {
    const char *at = strstr(d->file, ".vert") ? vertex : fragment;
    for (unsigned line = 1; at && line < d->line; line++)
        at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    const char *mark = at ? strstr(at, ILLEGAL_MARK) : NULL, *end = at ? strchr(at, '\n') : NULL;
    return d->line && mark && (!end || mark < end);
}

static enum outcome judge(struct trial *t, const char *vertex, const char *fragment) {
    enum outcome outcome;
    if (!strstr(vertex, ILLEGAL_MARK) && !strstr(fragment, ILLEGAL_MARK))
        return FINE; /* what is wrong has been left out while reducing */
    qpucc_program *program = compile(t, vertex, fragment, 0, NULL, &outcome);
    const struct qpucc_diagnostic *d = NULL;
    for (size_t i = 0; !d && i < qpucc_program_diagnostic_count(program); i++)
        if (qpucc_program_diagnostic(program, i)->severity == QPUCC_ERROR)
            d = qpucc_program_diagnostic(program, i);
    /* a function of the user's hides all built-in ones of its name in desktop GLSL */
    bool hidden = t->desktop && d && strstr(d->text, "no function of this name takes");
    if (hidden)
        outcome = FINE;
    else if (outcome != INTERNAL) {
        outcome = outcome != REFUSED || !d              ? ACCEPTED
                  : on_marked_line(d, vertex, fragment) ? FINE
                                                        : WRONG_LINE;
        snprintf(t->text, sizeof t->text, "%s: %s:%u: %s", t->program.rule, d ? d->file : "", d ? d->line : 0,
                 d ? d->text : "");
    }
    qpucc_program_free(program);
#ifdef HAVE_GL
    char error[400] = "";
    bool accepts = t->gl && outcome == FINE && t->program.reference != REFERENCE_EITHER &&
                   gl_accepts(t->gl, vertex, fragment, error, sizeof error);
    /* It may refuse a loose program for something else. */
    if (t->gl && outcome == FINE && t->program.reference != REFERENCE_EITHER &&
        (accepts ? t->program.reference == REFERENCE_REFUSES
                 : t->program.reference == REFERENCE_ACCEPTS && !t->program.loose)) {
        size_t length = strlen(t->text);
        snprintf(t->text + length, sizeof t->text - length, "; the reference: %s",
                 *error ? error : "accepted");
        outcome = REFERENCE_DISAGREES;
    }
#endif
    return outcome;
}

static enum outcome try(struct trial *t) {
    char *vertex = tree_print(t->program.vertex), *fragment = tree_print(t->program.fragment);
    struct picture plain = {0}, optimised = {0}, reference = {0};
    enum outcome outcome = FINE, fits;
    unsigned bad;
    int worst = 0, tolerance = t->program.mediump ? 10 : 4;
    *t->text = 0;
    if (t->programs == ILLEGAL) {
        outcome = vertex && fragment ? judge(t, vertex, fragment) : INTERNAL;
        free(vertex);
        free(fragment);
        return outcome;
    }
    fits = vertex && fragment ? draw(t, vertex, fragment, 0, &plain) : INTERNAL;
    if (fits == REFUSED && t->desktop && strstr(t->text, "no function of this name takes"))
        fits = REFERENCE; /* a function of the user's hides all built-in ones of its name there, not in ES */
    outcome = fits > DOES_NOT_FIT ? fits : draw(t, vertex, fragment, t->level, &optimised);
    if (outcome == FINE && t->program.swapped)
        outcome = compile_swapped(t, vertex, fragment);
    if (outcome == FINE && fits == FINE &&
        (bad = difference(&plain, &optimised, tolerance, &worst)) > MOST_BAD) {
        snprintf(t->text, sizeof t->text, "%u pixels off, worst %d/255", bad, worst);
        outcome = LEVELS_DIFFER;
    }
#ifdef HAVE_GL
    char error[400];
    if (t->gl && outcome == REFUSED &&
        !gl_draw(t->gl, &t->scene, vertex, fragment, &(struct gl_variation){0}, &reference, NULL, error,
                 sizeof error)) {
        snprintf(t->text, sizeof t->text, "%s", error);
        outcome = REFERENCE; /* both refuse it */
    } else if (t->gl && outcome == FINE) {
        if (!gl_draw(t->gl, &t->scene, vertex, fragment, &(struct gl_variation){0}, &reference, NULL, error,
                     sizeof error)) {
            snprintf(t->text, sizeof t->text, "%s", error);
            outcome = t->program.loose ? outcome : REFERENCE;
        } else if ((bad = difference(&optimised, &reference, tolerance, &worst)) > MOST_BAD) {
            snprintf(t->text, sizeof t->text, "%u pixels off, worst %d/255", bad, worst);
            outcome = REFERENCE_DIFFERS;
        }
    }
#endif
    t->flat = outcome == FINE && !memcmp(optimised.pixels, optimised.pixels + 4, 4 * (SIDE * SIDE - 1));
    picture_free(&plain);
    picture_free(&optimised);
    picture_free(&reference);
    free(vertex);
    free(fragment);
    return outcome == FINE ? fits : outcome;
}

/* What a message says without the numbers and quoted names in it, which change while a program is reduced.
 * How far pictures differ is no part of it: smaller programs differ more or less. */
static void essence(const struct trial *t, enum outcome outcome, char *out) {
    bool quoted = false;
    for (const char *c = outcome < LEVELS_DIFFER ? t->text : ""; *c; c++) {
        quoted ^= *c == '\'';
        if (!quoted && !isdigit((unsigned char)*c))
            *out++ = *c;
    }
    *out = 0;
}

/* A picture of no colour is nobody's fault. */
static bool writes_color(const struct trial *t) {
    char *fragment = tree_print(t->program.fragment);
    bool writes = fragment && strstr(fragment, "gl_FragColor");
    free(fragment);
    return writes;
}

static bool still_fails(void *user) {
    struct trial *t = user;
    char text[sizeof t->text];
    if (t->colored && !writes_color(t))
        return false;
    enum outcome outcome = try(t);
    essence(t, outcome, text);
    return outcome == t->wanted && !strcmp(text, t->alike);
}

static void reduce_trial(struct trial *t, enum outcome outcome) {
    struct node *roots[2] = {t->program.fragment, t->program.vertex};
    t->wanted = outcome;
    t->colored = outcome >= LEVELS_DIFFER && writes_color(t);
    essence(t, outcome, t->alike);
    tree_reduce(t->program.pool, roots, 2, still_fails, t, MOST_ASKED);
    try(t);
}

static void print_program(const struct trial *t, uint64_t seed) {
    char *vertex = tree_print(t->program.vertex), *fragment = tree_print(t->program.fragment);
    printf("// qpucc run %llu.vert %llu.frag --size %dx%d", (unsigned long long)seed,
           (unsigned long long)seed, SIDE, SIDE);
    for (unsigned i = 0; i < t->program.uniform_count; i++)
        printf(" --uniform %s", t->program.uniforms[i]);
    printf("\n// --- vertex\n%s// --- fragment\n%s// ---\n", vertex ? vertex : "", fragment ? fragment : "");
    free(vertex);
    free(fragment);
}

static void keep_shader(const struct node *root, const char *folder, uint64_t seed, const char *suffix) {
    char path[600], *text = tree_print(root);
    snprintf(path, sizeof path, "%s/%llu.%s", folder, (unsigned long long)seed, suffix);
    FILE *file = text ? fopen(path, "w") : NULL;
    bool ok = file && fputs(text, file) >= 0;
    ok = file && fclose(file) == 0 && ok;
    if (!ok)
        fprintf(stderr, "%s: cannot be written\n", path);
    free(text);
}

static char *read_file(const char *path) {
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    bool ok = file && getdelim(&text, &size, 0, file) > 0;
    if (file)
        fclose(file);
    if (!ok)
        free(text);
    return ok ? text : NULL;
}

static bool generate(struct trial *t, uint64_t seed, unsigned size, const char *path) {
    switch (t->programs) {
    case USUAL: return program_generate(&t->program, seed, size);
    case SMALL: return program_generate_small(&t->program, seed);
    case PRESSURE: return program_generate_pressure(&t->program, seed);
    case STATE: return program_generate_state(&t->program, seed);
    case INTERFACE: return program_generate_interface(&t->program, seed);
    case LANGUAGE: return program_generate_language(&t->program, seed);
    case ILLEGAL: return program_generate_illegal(&t->program, seed);
    case FILES: break;
    }
    char *text = read_file(path);
    bool ok = text && program_around(&t->program, text);
    free(text);
    return ok;
}

static bool prepare(struct trial *t, uint64_t seed, unsigned size, const char *path) {
    char error[400] = "out of memory, or no such file";
    bool ok = generate(t, seed, size, path);
    scene_init(&t->scene);
    t->scene.width = t->scene.height = SIDE;
    t->scene.mesh_name = strdup("quad");
    for (unsigned i = 0; ok && i < t->program.uniform_count; i++)
        ok = scene_uniform_option(&t->scene, t->program.uniforms[i], error, sizeof error);
    ok = ok && t->scene.mesh_name && scene_prepare(&t->scene, error, sizeof error);
    if (!ok)
        fprintf(stderr, "%s\n", error);
    return ok;
}

int main(int argc, char **argv) {
    static const struct option longs[] = {{"small", no_argument, NULL, 'S'},
                                          {"pressure", no_argument, NULL, 'P'},
                                          {"state", no_argument, NULL, 'T'},
                                          {"interface", no_argument, NULL, 'B'},
                                          {"language", no_argument, NULL, 'L'},
                                          {"illegal", no_argument, NULL, 'I'},
                                          {"first", required_argument, NULL, 'f'},
                                          {"count", required_argument, NULL, 'c'},
                                          {"size", required_argument, NULL, 's'},
                                          {"level", required_argument, NULL, 'l'},
                                          {"keep", required_argument, NULL, 'k'},
                                          {"print", no_argument, NULL, 'p'},
                                          {"no-reduce", no_argument, NULL, 'n'},
                                          {"policy", required_argument, NULL, 'y'},
                                          {"verbose", no_argument, NULL, 'v'},
                                          {"desktop", no_argument, NULL, 'D'},
                                          {NULL, 0, NULL, 0}};
    uint64_t first = 0, count = 150;
    unsigned size = 0, tally[OUTCOMES] = {0}, failed = 0, flat = 0;
    bool show = false, desktop = false, reduce = true, verbose = false, ok = true;
    enum programs programs = USUAL;
    int level = 2;
    enum qpucc_policy policy = QPUCC_POLICY_DEFAULT;
    const char *keep = NULL;
    struct gl *gl = NULL;
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;)
        switch (c) {
        case 'S': programs = SMALL; break;
        case 'P': programs = PRESSURE; break;
        case 'T': programs = STATE; break;
        case 'B': programs = INTERFACE; break;
        case 'L': programs = LANGUAGE; break;
        case 'I': programs = ILLEGAL; break;
        case 'f': first = strtoull(optarg, NULL, 10); break;
        case 'c': count = strtoull(optarg, NULL, 10); break;
        case 's': size = (unsigned)strtoul(optarg, NULL, 10); break;
        case 'l': level = atoi(optarg); break;
        case 'y':
            for (policy = QPUCC_POLICY_FAST; strcmp(optarg, qpucc_policy_name(policy)); policy *= 2)
                if (policy == QPUCC_POLICY_PRECISE)
                    return 1;
            break;
        case 'k': keep = optarg; break;
        case 'p': show = true; break;
        case 'n': reduce = false; break;
        case 'D': desktop = true; break;
        case 'v': verbose = true; break;
        default: return 1;
        }
#ifdef HAVE_GL
    char error[400];
    gl = gl_open(error, sizeof error);
    printf("reference: %s\n", gl ? gl_name(gl) : error);
#else
    printf("reference: none, built without EGL and GLES 2\n");
#endif
    char **files = optind < argc ? argv + optind : NULL;
    if (files)
        first = 0, count = (uint64_t)(argc - optind), programs = FILES, reduce = false;
    for (uint64_t seed = first; ok && seed < first + count; seed++) {
        /* -O3 takes its time: one program in eight */
        struct trial t = {.gl = gl, .programs = programs, .level = level, .policy = policy};
        t.desktop = desktop;
        t.choice = (unsigned)seed;
        if (programs == SMALL || programs == PRESSURE || programs == STATE)
            t.level = seed % 8 ? 1 + (int)(seed % 2) : 3;
        ok = prepare(&t, seed, size, files ? files[seed] : NULL);
        if (verbose) {
            printf("seed %llu\n", (unsigned long long)seed);
            fflush(stdout);
        }
        if (ok && show)
            print_program(&t, seed);
        bool concerned = programs != ILLEGAL || !desktop || t.program.desktop_rule;
        enum outcome outcome = ok && concerned ? try(&t) : FINE;
        tally[outcome]++;
        flat += t.flat;
        if (outcome == DOES_NOT_FIT && verbose && programs == USUAL)
            printf("seed %llu does not fit: %s\n", (unsigned long long)seed, t.text);
        bool may_be_refused = programs == USUAL || programs == LANGUAGE || programs == INTERFACE ||
                              ((programs == PRESSURE || programs == STATE) && strstr(t.text, "has to keep"));
        bool hidden = desktop && outcome == REFERENCE;
        if (!hidden && outcome > (may_be_refused ? DOES_NOT_FIT : FINE)) {
            failed++;
            printf("%s %llu%s: %s: %s\n", files ? files[seed] : "seed", (unsigned long long)seed,
                   t.program.mediump ? " (mediump)" : "", outcome_names[outcome], t.text);
            fflush(stdout);
            if (reduce) {
                reduce_trial(&t, outcome);
                printf("%s\n", t.text);
                print_program(&t, seed);
            }
            if (keep) {
                keep_shader(t.program.vertex, keep, seed, "vert");
                keep_shader(t.program.fragment, keep, seed, "frag");
            }
        }
        fflush(stdout);
        scene_free(&t.scene);
        program_free(&t.program);
    }
    for (int i = 0; i < OUTCOMES; i++)
        if (tally[i])
            printf("%u %s (%.1f %%)\n", tally[i], outcome_names[i], 100.0 * tally[i] / (double)count);
    if (programs != ILLEGAL)
        printf("%u pictures are of one colour\n", flat);
#ifdef HAVE_GL
    gl_close(gl);
#endif
    return !ok || failed || !tally[FINE];
}
