/* run_preset.c: draws the passes of a preset one after another, each into a picture that the next one reads.
 *
 * The names by which shaders find sizes and pictures are RetroArch's. All pictures stand on their feet: row 0
 * is the bottom for every pass, the first one too, and a picture is exactly as large as what it shows
 * (TextureSize is InputSize). Earlier frames (PrevTexture, Prev1Texture, …) show the source, which does not
 * move; FeedbackTexture is black in the first frame. */
#include "run_preset.h"
#include "file.h"
#include "preset.h"
#include "scene_cli.h"

#include <stdlib.h>
#include <string.h>

enum { PREVIOUS_FRAMES = 7 };

struct pass {
    struct cli_options options;
    struct cli_sources sources;
    qpucc_program *program;
    unsigned width, height;
    struct picture
        drawn; /* black before the first frame; then the last frame's until this frame's is there */
};

/* One of the preset's own pictures that is larger than the hardware reads, made smaller. */
struct fitted {
    uint8_t *png; /* NULL: the file's will do */
    size_t size;
};

struct machine {
    const struct scene *given;
    const struct render_options *render;
    const struct preset_run *run;
    struct preset preset;
    struct picture source;
    struct fitted fitted[PRESET_MAX_LISTED];
    struct pass pass[PRESET_MAX_PASSES];
    unsigned width, height; /* of the viewport */
};

bool run_preset_is(const struct cli_options *options) {
    const char *dot = options->input_count == 1 ? strrchr(options->inputs[0].path, '.') : NULL;
    return dot && !strcmp(dot, ".glslp") && !options->fixed_path;
}

static void warn(const char *text) {
    fprintf(stderr, "qpucc: warning: %s\n", text);
}

/* --- what a pass reads ---------------------------------------------------------------------------------- */

/* A scene that is being put together, and its document for --keep. */
struct drawing {
    struct scene scene;
    const qpucc_program *program;
    json_t *uniforms, *textures; /* NULL: nothing is kept */
    const struct machine *m;
    char error[400];
    bool ok;
};

static void fail(struct drawing *d, const char *reason) {
    d->ok = false;
    snprintf(d->error, sizeof d->error, "%s", reason);
}

/* Does any stage have a variable of that name? What nobody reads is not made. */
static bool has(const qpucc_program *program, enum qpucc_interface kind, const char *name) {
    for (size_t i = 0; i < qpucc_program_variable_count(program, kind); i++)
        if (!strcmp(qpucc_program_variable(program, kind, i)->name, name))
            return true;
    return false;
}

static void set_uniform(struct drawing *d, const char *name, const float *values, size_t count) {
    char *text = NULL;
    size_t size = 0;
    if (!has(d->program, QPUCC_UNIFORMS, name))
        return;
    FILE *out = open_memstream(&text, &size);
    json_t *list = json_array();
    if (out)
        fprintf(out, "%s=", name);
    for (size_t i = 0; i < count; i++) {
        if (out)
            fprintf(out, "%s%.9g", i ? "," : "", (double)values[i]);
        json_array_append_new(list, json_real((double)values[i]));
    }
    if (d->uniforms)
        json_object_set(d->uniforms, name, list);
    json_decref(list);
    if (!out || fclose(out) != 0)
        fail(d, "out of memory");
    else if (d->ok)
        d->ok = scene_uniform_option(&d->scene, text, d->error, sizeof d->error);
    free(text);
}

static void set_size(struct drawing *d, const char *frame, const char *what, unsigned width,
                     unsigned height) {
    char name[120];
    snprintf(name, sizeof name, "%s%s", frame, what);
    set_uniform(d, name, (float[]){(float)width, (float)height}, 2);
}

static void add_texture(struct drawing *d, struct scene_texture texture) {
    struct scene_texture *grown =
        realloc(d->scene.textures, (d->scene.texture_count + 1) * sizeof *d->scene.textures);
    d->ok = d->ok && grown && texture.name && (texture.file || texture.png);
    if (grown) {
        d->scene.textures = grown;
        grown[d->scene.texture_count++] = texture;
    }
}

/* A picture that lies in memory, under the names `frame`Texture, `frame`TextureSize and `frame`InputSize. */
static void set_picture(struct drawing *d, const char *frame, const struct picture *picture,
                        enum scene_filter filter, enum scene_wrap wrap) {
    char name[120];
    if (!d->ok || !picture->pixels)
        return;
    set_size(d, frame, "TextureSize", picture->width, picture->height);
    set_size(d, frame, "InputSize", picture->width, picture->height);
    snprintf(name, sizeof name, "%sTexture", frame);
    if (!has(d->program, QPUCC_SAMPLERS, name))
        return;
    struct scene_texture t = {.name = strdup(name), .file = strdup(name), .filter = filter, .wrap = wrap};
    t.png = picture_encode_png(picture, true, &t.png_size, d->error, sizeof d->error);
    add_texture(d, t);
}

static const struct picture *output_of(const struct machine *m, size_t index) {
    return &m->pass[index].drawn;
}

static void set_pictures(struct drawing *d, size_t index) {
    const struct machine *m = d->m;
    const struct pass *pass = &m->pass[index];
    const struct preset_pass *p = &m->preset.pass[index], *first = &m->preset.pass[0];
    const struct picture *input = index ? output_of(m, index - 1) : &m->source;
    char frame[120];
    set_size(d, "", "OutputSize", pass->width, pass->height);
    set_size(d, "", "TextureSize", input->width, input->height);
    set_size(d, "", "InputSize", input->width, input->height);
    set_picture(d, "", input, p->filter, p->wrap);
    set_picture(d, "Orig", &m->source, first->filter, first->wrap);
    for (unsigned k = 0; k < PREVIOUS_FRAMES; k++) {
        snprintf(frame, sizeof frame, k ? "Prev%u" : "Prev", k);
        set_picture(d, frame, &m->source, first->filter, first->wrap);
    }
    for (size_t k = 0; k < index; k++) { /* what pass k drew is read as the pass behind it says */
        const struct preset_pass *behind = &m->preset.pass[k + 1];
        snprintf(frame, sizeof frame, "Pass%zu", k + 1);
        set_picture(d, frame, output_of(m, k), behind->filter, behind->wrap);
        snprintf(frame, sizeof frame, "PassPrev%zu", index - k);
        set_picture(d, frame, output_of(m, k), behind->filter, behind->wrap);
        if (m->preset.pass[k].alias)
            set_picture(d, m->preset.pass[k].alias, output_of(m, k), behind->filter, behind->wrap);
    }
    snprintf(frame, sizeof frame, "PassPrev%zu", index + 1);
    set_picture(d, frame, &m->source, first->filter, first->wrap);
    set_picture(d, "Feedback", &pass->drawn, p->filter, p->wrap);
}

/* The preset's own pictures, and then those of the command line, since the last one of a name counts. */
static void set_files(struct drawing *d) {
    const struct machine *m = d->m;
    for (size_t i = 0; i < m->preset.texture_count && d->ok; i++) {
        const struct preset_texture *t = &m->preset.texture[i];
        const struct fitted *smaller = &m->fitted[i];
        struct scene_texture texture = {
            .name = strdup(t->name), .file = strdup(t->file), .filter = t->filter, .wrap = t->wrap};
        if (smaller->png && (texture.png = malloc(smaller->size))) {
            memcpy(texture.png, smaller->png, smaller->size);
            texture.png_size = smaller->size;
        }
        add_texture(d, texture);
    }
    for (size_t i = 0; i < m->given->texture_count; i++) {
        const struct scene_texture *t = &m->given->textures[i];
        if (t->file && strcmp(t->name, "source"))
            add_texture(d, (struct scene_texture){.name = strdup(t->name),
                                                  .file = strdup(t->file),
                                                  .filter = t->filter,
                                                  .wrap = t->wrap});
    }
}

/* Parameters begin at what their #pragma says; the preset's values come before that, --uniform's before
 * all. */
static void set_numbers(struct drawing *d, size_t index, unsigned frame) {
    const struct machine *m = d->m;
    const struct cli_sources *s = &m->pass[index].sources;
    unsigned modulus = m->preset.pass[index].frame_modulus;
    set_uniform(d, "FrameCount", (float[]){(float)(modulus ? frame % modulus : frame)}, 1);
    set_uniform(d, "FrameDirection", (float[]){1}, 1);
    for (size_t i = 0; i < s->parameter_count; i++)
        set_uniform(d, s->parameters[i].name, (float[]){(float)s->parameters[i].initial}, 1);
    for (size_t i = 0; i < m->preset.parameter_count; i++)
        set_uniform(d, m->preset.parameter[i].name, &m->preset.parameter[i].value, 1);
    for (size_t i = 0; i < m->given->value_count; i++)
        set_uniform(d, m->given->values[i].name, m->given->values[i].values, m->given->values[i].count);
}

/* --- --keep --------------------------------------------------------------------------------------------- */

static bool keep_text(const struct machine *m, size_t index, const char *suffix, const struct qpucc_source *s,
                      char *error, size_t size) {
    char path[1000];
    snprintf(path, sizeof path, "%s/pass%zu.%s", m->run->keep, index, suffix);
    return file_write(path, s->data, s->size, error, size);
}

/* pass<N>.json draws the pass by itself: its shaders, uniforms and pictures lie beside it. */
static bool keep_pass(struct drawing *d, size_t index) {
    const struct machine *m = d->m;
    const struct pass *pass = &m->pass[index];
    char path[1000], name[200], size[40];
    for (size_t i = 0; i < d->scene.texture_count && d->ok; i++) {
        const struct scene_texture *t = &d->scene.textures[i];
        static const char *const filters[] = {"", ",nearest", ",linear", ",mipmap"}, *const wraps[] = {
                                                                                         "", ",repeat",
                                                                                         ",clamp", ",mirror"};
        char *real = t->png ? NULL : realpath(t->file, NULL); /* the scene's paths are relative to it */
        snprintf(name, sizeof name, "pass%zu_%s.png", index, t->name);
        snprintf(path, sizeof path, "%s/%s", m->run->keep, name);
        if (t->png)
            d->ok = file_write(path, t->png, t->png_size, d->error, sizeof d->error);
        json_object_set_new(d->textures, t->name,
                            json_sprintf("%s%s%s",
                                         t->png ? name
                                         : real ? real
                                                : t->file,
                                         filters[t->filter], wraps[t->wrap]));
        free(real);
    }
    for (size_t i = 0; i < pass->sources.count && d->ok; i++) {
        const struct qpucc_source *s = &pass->sources.source[i];
        d->ok = keep_text(m, index, s->stage == QPUCC_VERTEX ? "vert" : "frag", s, d->error, sizeof d->error);
    }
    snprintf(size, sizeof size, "%ux%u", pass->width, pass->height);
    json_t *scene = json_pack("{s:o, s:o, s:s, s:s, s:O, s:O}", "vertex", json_sprintf("pass%zu.vert", index),
                              "fragment", json_sprintf("pass%zu.frag", index), "mesh", "quad", "size", size,
                              "uniforms", d->uniforms, "textures", d->textures);
    snprintf(path, sizeof path, "%s/pass%zu.json", m->run->keep, index);
    d->ok = d->ok && cli_write_json(path, scene, JSON_INDENT(2)) == EXIT_DONE;
    json_decref(scene);
    snprintf(path, sizeof path, "%s/pass%zu.png", m->run->keep, index);
    return d->ok && picture_write_png(&pass->drawn, path, true, d->error, sizeof d->error);
}

/* --- passes --------------------------------------------------------------------------------------------- */

/* An exit code. */
static int draw_pass(struct machine *m, size_t index, unsigned frame) {
    struct pass *pass = &m->pass[index];
    bool last = frame + 1 == m->run->frames, keeps = last && m->run->keep;
    struct drawing d = {.m = m, .program = pass->program, .ok = true};
    struct qpusim_counters counters = {0};
    scene_init(&d.scene);
    d.scene.width = pass->width;
    d.scene.height = pass->height;
    d.uniforms = keeps ? json_object() : NULL;
    d.textures = keeps ? json_object() : NULL;
    set_pictures(&d, index);
    set_files(&d);
    set_numbers(&d, index, frame);
    picture_free(&pass->drawn);
    d.ok = d.ok && scene_prepare(&d.scene, d.error, sizeof d.error) &&
           render_scene(&d.scene, pass->program, m->render, &pass->drawn, &counters, d.error, sizeof d.error);
    if (d.ok && keeps)
        d.ok = keep_pass(&d, index);
    int code = d.ok ? EXIT_DONE : !strncmp(d.error, "machine:", 8) ? EXIT_INTERNAL : EXIT_USAGE;
    if (!d.ok)
        complain("pass %zu: %s", index, d.error);
    else if (counters.position_mismatches) {
        complain("pass %zu: vertex and coordinate shader disagree on %llu vertices", index,
                 (unsigned long long)counters.position_mismatches);
        code = EXIT_INTERNAL;
    } else if (last && m->run->cycles)
        printf("pass %-2zu %5ux%-5u %12llu instructions %12llu cycles  %s\n", index, pass->width,
               pass->height, (unsigned long long)counters.instructions, (unsigned long long)counters.cycles,
               m->preset.pass[index].shader);
    json_decref(d.uniforms);
    json_decref(d.textures);
    scene_free(&d.scene);
    return code;
}

static int compile_pass(struct machine *m, const struct cli_options *options, size_t index) {
    struct pass *pass = &m->pass[index];
    const struct picture *source = &m->source;
    struct scene scene;
    int code;
    pass->options = *options;
    pass->options.inputs[0] =
        (struct cli_input){.path = m->preset.pass[index].shader, .stage = -1, .language = -1};
    pass->options.input_count = 1;
    scene_init(&scene);
    pass->program = scene_cli_compile(&pass->options, &scene, &pass->sources, &code);
    scene_free(&scene);
    unsigned width = index ? pass[-1].width : source->width,
             height = index ? pass[-1].height : source->height;
    pass->width = preset_extent(&m->preset, index, 0, width, m->width);
    pass->height = preset_extent(&m->preset, index, 1, height, m->height);
    pass->drawn = (struct picture){pass->width, pass->height, calloc(pass->width, 4 * (size_t)pass->height)};
    return code == EXIT_DONE && !pass->drawn.pixels ? complain("out of memory") : code;
}

/* Pictures larger than the hardware reads are halved until they fit, as people do by hand. */
static bool fit_texture(struct machine *m, size_t index, char *error, size_t size) {
    const char *file = m->preset.texture[index].file;
    struct fitted *fitted = &m->fitted[index];
    struct picture picture;
    if (!picture_read_large_png(&picture, file, error, size))
        return false;
    unsigned width = picture.width, height = picture.height;
    while (picture.width > PICTURE_MAX_PIXELS || picture.height > PICTURE_MAX_PIXELS)
        picture_halve(&picture);
    bool ok = true;
    if (picture.width != width || picture.height != height) {
        fprintf(stderr, "qpucc: warning: %s: %u x %u texels, %d are the limit: drawn smaller\n", file, width,
                height, PICTURE_MAX_PIXELS);
        ok = (fitted->png = picture_encode_png(&picture, true, &fitted->size, error, size));
    }
    picture_free(&picture);
    return ok;
}

/* Settings of the command line that no pass has. */
static void warn_unknown(const struct machine *m, enum qpucc_interface kind, const char *name) {
    size_t length = strcspn(name, "[.");
    for (size_t i = 0; i < m->preset.pass_count; i++)
        for (size_t k = 0; k < qpucc_program_variable_count(m->pass[i].program, kind); k++) {
            const char *known = qpucc_program_variable(m->pass[i].program, kind, k)->name;
            if (!strncmp(known, name, length) && strchr("[.", known[length]))
                return;
        }
    fprintf(stderr, "qpucc: warning: no pass has a %s '%s'\n", kind == QPUCC_SAMPLERS ? "sampler" : "uniform",
            name);
}

static void warn_all_unknown(const struct machine *m) {
    for (size_t i = 0; i < m->given->value_count; i++)
        if (strcmp(m->given->values[i].name, "time"))
            warn_unknown(m, QPUCC_UNIFORMS, m->given->values[i].name);
    for (size_t i = 0; i < m->given->texture_count; i++)
        if (strcmp(m->given->textures[i].name, "source"))
            warn_unknown(m, QPUCC_SAMPLERS, m->given->textures[i].name);
}

static bool read_source(struct machine *m, char *error, size_t size) {
    for (size_t i = 0; i < m->given->texture_count; i++)
        if (!strcmp(m->given->textures[i].name, "source") && m->given->textures[i].file)
            return picture_read_png(&m->source, m->given->textures[i].file, error, size);
    return picture_procedural(&m->source, "source") || (snprintf(error, size, "out of memory"), false);
}

static int draw_all(struct machine *m, struct cli_options *options) {
    char error[600];
    int code = EXIT_DONE;
    size_t count = m->preset.pass_count;
    if (!read_source(m, error, sizeof error))
        return complain("%s", error);
    for (size_t i = 0; i < m->preset.texture_count; i++)
        if (!fit_texture(m, i, error, sizeof error))
            return complain("%s", error);
    for (size_t i = 0; i < count && code == EXIT_DONE; i++)
        code = compile_pass(m, options, i);
    if (code == EXIT_DONE)
        warn_all_unknown(m);
    for (unsigned frame = 0; frame < m->run->frames && code == EXIT_DONE; frame++)
        for (size_t i = 0; i < count && code == EXIT_DONE; i++)
            code = draw_pass(m, i, frame);
    if (code == EXIT_DONE &&
        !picture_write_png(output_of(m, count - 1), m->run->output, m->run->alpha, error, sizeof error))
        code = complain("%s", error);
    return code;
}

int run_preset(struct cli_options *options, const struct scene *scene, const struct render_options *render,
               const struct preset_run *run) {
    char error[600];
    int code = EXIT_USAGE;
    struct machine *m = calloc(1, sizeof *m);
    if (!m)
        return complain("out of memory");
    m->given = scene;
    m->render = render;
    m->run = run;
    m->width = scene->width;
    m->height = scene->height;
    if (preset_read(&m->preset, options->inputs[0].path, warn, error, sizeof error))
        code = draw_all(m, options);
    else
        complain("%s", error);
    for (size_t i = 0; i < m->preset.pass_count; i++) {
        qpucc_program_free(m->pass[i].program);
        cli_sources_free(&m->pass[i].sources);
        picture_free(&m->pass[i].drawn);
    }
    for (size_t i = 0; i < m->preset.texture_count; i++)
        free(m->fitted[i].png);
    picture_free(&m->source);
    preset_free(&m->preset);
    free(m);
    return code;
}
