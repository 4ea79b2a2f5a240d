/* Render requests: a scene's JSON in, pictures out. */
#include "console.h"
#include "tools/base64.h"
#include "tools/fixed_file.h"
#include "tools/inspect_json.h"
#include "tools/render.h"
#include "tools/scene_json.h"
#include "tools/shadertoy.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 64, MOST_PIXELS = 1 << 22 };

/* The clock of the V3D block and the number of its QPUs on a Raspberry Pi 1 to 3; four clocks a cycle. */
enum { CLOCK_MHZ = 250, QPU_COUNT = 12 };

struct request {
    struct scene scene;
    const char *arguments; /* of the JSON document, as is `state`, which may be NULL */
    json_t *state;
    unsigned frames;
    double step;
    bool raw, program, alpha; /* the answer has bytes, or no pictures but the program */
    int x, y, index;          /* of an inspection: a pixel's place, or a vertex' index */
    enum qpucc_stage stage;
};

/* What a compile and its draws need, until the answer is written. */
struct stage {
    struct request request;
    struct cli_options options;
    struct cli_sources sources;
    struct console console;
    qpucc_program *program;
    json_t *root;
    char *words, *vertex; /* of the options; the vertex shader of a scene that has none */
    char error[600];
    int code;
    bool names; /* of the source's variables are wanted */
};

/* --- the request ---------------------------------------------------------------------------------------- */

static bool read_frames(struct request *r, json_t *value) {
    const json_t *count = json_object_get(value, "count"), *step = json_object_get(value, "step");
    json_int_t frames = count ? json_integer_value(count) : 1;
    if (!json_is_object(value) || frames < 1 || frames > MOST_FRAMES || (step && !json_is_number(step)))
        return false;
    r->frames = (unsigned)frames;
    r->step = step ? json_number_value(step) : 1.0 / 60;
    return true;
}

/* What is the service's in a scene. */
static bool read_other(void *user, const char *key, json_t *value, char *error, size_t size) {
    struct request *r = user;
    const char *text = json_string_value(value);
    (void)error, (void)size;
    if (!strcmp(key, "frames"))
        return read_frames(r, value);
    if (!strcmp(key, "format")) {
        r->raw = text && !strcmp(text, "raw");
        r->program = text && !strcmp(text, "program");
        return r->raw || r->program || (text && !strcmp(text, "png"));
    }
    if (!strcmp(key, "alpha")) {
        r->alpha = json_is_true(value);
        return json_is_boolean(value);
    }
    if (!strcmp(key, "x") || !strcmp(key, "y")) {
        json_int_t place = json_integer_value(value);
        *(key[0] == 'x' ? &r->x : &r->y) = place < 0 || place > 4096 ? -1 : (int)place;
        return json_is_integer(value);
    }
    if (!strcmp(key, "index")) {
        json_int_t index = json_integer_value(value);
        r->index = index < 0 || index > INT32_MAX ? -1 : (int)index;
        return r->index >= 0 && json_is_integer(value);
    }
    if (!strcmp(key, "stage")) {
        r->stage = text && !strcmp(text, "coordinate") ? QPUCC_COORDINATE : QPUCC_VERTEX;
        return text && (r->stage == QPUCC_COORDINATE || !strcmp(text, "vertex"));
    }
    if (!strcmp(key, "state")) {
        r->state = value;
        return json_is_object(value);
    }
    if (!strcmp(key, "options")) {
        const json_t *arguments = json_object_get(value, "userArguments");
        r->arguments = json_is_string(arguments) ? json_string_value(arguments) : "";
        return json_is_object(value) && (!arguments || json_is_string(arguments));
    }
    return false;
}

static bool set_options(struct stage *s, const struct job_limits *limits) {
    struct request *r = &s->request;
    const struct scene *scene = &r->scene;
    static const int stages[2] = {QPUCC_VERTEX, QPUCC_FRAGMENT};
    static const char *const names[QPUCC_STAGE_COUNT] = {
        [QPUCC_VERTEX] = "shader.vert", [QPUCC_FRAGMENT] = "shader.frag"};
    const char *fragment = scene->source[QPUCC_FRAGMENT].text;
    if (!fragment)
        return complain("the scene has no fragment shader"), false;
    cli_init(&s->options);
    s->options.color = 0;
    s->options.compile.flags |= QPUCC_NO_INCLUDE | (s->names ? QPUCC_GENERATE_NAMES : 0);
    if (!console_arguments(&s->options, r->arguments, limits, &s->words))
        return false;
    struct qpucc_state drawn = render_state(scene);
    bool depth_given = json_object_get(r->state, "depth_test");
    if (r->state &&
        !state_file_parse(&s->options.state, &s->options.values, r->state, s->error, sizeof s->error))
        return complain("state: %s", s->error), false;
    if (!depth_given)
        s->options.state.depth_test = drawn.depth_test;
    if (!s->options.primitive_given)
        s->options.state.primitive = drawn.primitive;
    s->options.state.flip_y = false; /* a picture's first row is the top one anyway */
    r->scene.primitive = (int)s->options.state.primitive;
    for (int k = 0; k < 2; k++) {
        const struct scene_source *source = &scene->source[stages[k]];
        const char *text = source->text;
        if (!text && stages[k] == QPUCC_VERTEX)
            text = s->vertex = shadertoy_vertex(fragment, strlen(fragment));
        if (!text)
            return complain("out of memory"), false;
        s->options.inputs[s->options.input_count++] =
            cli_text_input(source->name ? source->name : names[stages[k]], text, strlen(text), stages[k]);
    }
    return true;
}

static void tell(bool error, const char *text) {
    fprintf(stderr, "qpucc: %s: %s\n", error ? "error" : "warning", text);
}

/* Everything up to the draw. Returns a refusal of the whole request, or NULL: then `code` says how it went
 * and the console why. */
static struct answer *prepare(struct stage *s, const struct job *job, const struct job_limits *limits) {
    struct answer *refusal = NULL;
    struct request *r = &s->request;
    *r = (struct request){.arguments = "", .frames = 1, .x = -1, .y = -1, .index = -1, .stage = QPUCC_VERTEX};
    scene_init(&r->scene);
    s->code = EXIT_USAGE;
    s->root = console_body(job, &refusal);
    if (!s->root)
        return refusal;
    if (!scene_parse(&r->scene, s->root, read_other, r, s->error, sizeof s->error))
        return console_refuse(s->error);
    if ((uint64_t)r->scene.width * r->scene.height * r->frames > MOST_PIXELS)
        return console_refuse("The pictures have more than 4194304 pixels together.");
    if (!console_begin(&s->console))
        return answer_error(422, "memory", "The request needs more memory than this server allows.");
    if (!scene_prepare(&r->scene, s->error, sizeof s->error)) {
        complain("%s", s->error);
        return NULL;
    }
    if (!set_options(s, limits) || !cli_read(&s->options, &s->sources) ||
        !(s->program = cli_compile(&s->options, &s->sources)))
        return NULL;
    s->code = cli_exit_code(s->program, &s->options);
    if (s->code == EXIT_DONE && !scene_check(&r->scene, s->program, tell))
        s->code = EXIT_USAGE;
    return NULL;
}

static void stage_free(struct stage *s) {
    console_end(&s->console);
    qpucc_program_free(s->program);
    cli_sources_free(&s->sources);
    scene_free(&s->request.scene);
    json_decref(s->root);
    free(s->words);
    free(s->vertex);
    free(s->console.text);
}

/* --- answers -------------------------------------------------------------------------------------------- */

static json_t *counters_json(const struct qpusim_counters *c) {
    json_t *stages = json_object();
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        json_object_set_new(stages, qpucc_stage_name((enum qpucc_stage)s),
                            json_pack("{s:I, s:I, s:I}", "instructions", (json_int_t)c->stage_instructions[s],
                                      "cycles", (json_int_t)c->stage_cycles[s], "batches",
                                      (json_int_t)c->stage_batches[s]));
    return json_pack("{s:I, s:I, s:I, s:{s:I, s:I, s:I, s:I}, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:f}",
                     "instructions", (json_int_t)c->instructions, "cycles", (json_int_t)c->cycles, "batches",
                     (json_int_t)c->batches, "stalls", "tmu", (json_int_t)c->stall_tmu, "fifo",
                     (json_int_t)c->stall_fifo, "switch", (json_int_t)c->stall_switch, "branch",
                     (json_int_t)c->stall_branch, "tmu_requests", (json_int_t)c->tmu_requests, "sfu",
                     (json_int_t)c->sfu, "uniforms", (json_int_t)c->uniforms, "varyings",
                     (json_int_t)c->varyings, "tlb_writes", (json_int_t)c->tlb_writes, "primitives",
                     (json_int_t)c->primitives, "pixels", (json_int_t)c->pixels, "stages", stages,
                     "milliseconds", (double)c->cycles * 4 / (CLOCK_MHZ * 1e3 * QPU_COUNT));
}

static json_t *variable_json(const struct qpucc_variable *v, const struct scene *scene) {
    size_t count = (size_t)v->rows * v->cols * v->array_length;
    json_t *json = json_pack("{s:o, s:s, s:i, s:i, s:i, s:i, s:b}", "name", cli_json_text(v->name), "base",
                             qpucc_base_type_name(v->base), "rows", (int)v->rows, "columns", (int)v->cols,
                             "array", (int)v->array_length, "word", (int)v->word, "used", (int)v->used);
    float *values = scene ? malloc((count ? count : 1) * sizeof *values) : NULL;
    if (!values)
        return json;
    json_t *list = json_array();
    scene_uniform(scene, v->name, v->base, v->rows, v->cols, v->array_length, values);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_real((double)values[i]));
    json_object_set_new(json, "value", list);
    free(values);
    return json;
}

static json_t *interface_json(const struct stage *s) {
    static const char *const tables[] = {"uniforms", "samplers", "attributes", "varyings"};
    json_t *json = json_object();
    for (int t = 0; t < 4; t++) {
        json_t *list = json_array();
        size_t count = qpucc_program_variable_count(s->program, (enum qpucc_interface)t);
        for (size_t i = 0; i < count; i++)
            json_array_append_new(
                list, variable_json(qpucc_program_variable(s->program, (enum qpucc_interface)t, i),
                                    t == QPUCC_UNIFORMS ? &s->request.scene : NULL));
        json_object_set_new(json, tables[t], list);
    }
    return json;
}

/* RGBA, the top row first. */
static uint8_t *raw_bytes(const struct picture *picture, size_t *size) {
    size_t row = (size_t)picture->width * 4;
    *size = row * picture->height;
    uint8_t *bytes = malloc(*size + 1);
    for (unsigned y = 0; bytes && y < picture->height; y++)
        memcpy(bytes + y * row, picture->pixels + (picture->height - 1 - y) * row, row);
    return bytes;
}

/* One picture as it goes into the answer; NULL: said why. */
static uint8_t *draw_frame(struct stage *s, unsigned frame, const struct job_limits *limits, bool raw,
                           struct qpusim_counters *counters, size_t *size) {
    struct request *r = &s->request;
    struct render_options how = {.values = s->options.values, .budget = limits->budget};
    struct picture picture;
    float start = r->scene.time;
    r->scene.time = (float)((double)start + r->step * frame);
    bool ok = render_scene(&r->scene, s->program, &how, &picture, counters, s->error, sizeof s->error);
    r->scene.time = start;
    if (!ok) {
        complain("%s", s->error);
        s->code = strncmp(s->error, "machine:", 8) ? EXIT_USAGE : EXIT_INTERNAL;
        return NULL;
    }
    uint8_t *bytes = raw ? raw_bytes(&picture, size)
                         : picture_encode_png(&picture, r->alpha, size, s->error, sizeof s->error);
    picture_free(&picture);
    if (!bytes) {
        complain("out of memory");
        s->code = EXIT_INTERNAL;
    }
    return bytes;
}

static json_t *frames_json(struct stage *s, const struct job_limits *limits) {
    json_t *list = json_array();
    for (unsigned k = 0; k < s->request.frames && s->code == EXIT_DONE; k++) {
        struct qpusim_counters counters = {0};
        size_t size = 0;
        uint8_t *bytes = draw_frame(s, k, limits, s->request.raw, &counters, &size);
        char *text = bytes ? base64_encode(bytes, size) : NULL;
        if (text)
            json_array_append_new(list, json_pack("{s:f, s:s, s:o}", "time",
                                                  (double)s->request.scene.time + s->request.step * k, "data",
                                                  text, "counters", counters_json(&counters)));
        free(text);
        free(bytes);
    }
    return list;
}

/* The program and what its draws need besides a scene: as a container without IR, and the words of its
 * state's values up to the last that is not 0, both in base64. False: out of memory. */
static bool put_program(json_t *json, const struct stage *s) {
    size_t size = qpucc_program_save(s->program, 0, NULL, 0), words = QPUCC_DRAW_STATE_WORDS;
    const uint32_t *values = (const uint32_t *)&s->options.values;
    uint8_t *bytes = size ? malloc(size) : NULL;
    char *program = NULL;
    if (bytes && qpucc_program_save(s->program, 0, bytes, size) == size)
        program = base64_encode(bytes, size);
    while (words && !values[words - 1])
        words--;
    char *state = base64_encode((const uint8_t *)values, 4 * words);
    bool ok = program && state && !json_object_set_new(json, "program", json_string(program)) &&
              !json_object_set_new(json, "values", json_string(state));
    free(state);
    free(program);
    free(bytes);
    return ok;
}

static struct answer *answer_scene(struct stage *s, const struct job_limits *limits) {
    bool draws = s->code == EXIT_DONE && !s->request.program;
    json_t *frames = draws ? frames_json(s, limits) : json_array();
    bool linked = s->program && qpucc_program_status(s->program) == QPUCC_OK;
    console_end(&s->console);
    json_t *json = json_pack("{s:i, s:b, s:o, s:i, s:i, s:s, s:o}", "code", s->code, "timedOut", 0, "stderr",
                             console_lines(s->console.text, s->console.size, s->program), "width",
                             (int)s->request.scene.width, "height", (int)s->request.scene.height, "format",
                             s->request.raw       ? "raw"
                             : s->request.program ? "program"
                                                  : "png",
                             "frames", frames);
    if (json && linked)
        json_object_set_new(json, "interface", interface_json(s));
    if (json && s->request.program && s->code == EXIT_DONE && !put_program(json, s)) {
        json_decref(json);
        json = NULL;
    }
    return console_answer(json, true, limits);
}

/* The first picture as a PNG, or the bytes of all; NULL: there is none, so the answer is JSON. */
static struct answer *answer_bytes(struct stage *s, const struct job_limits *limits, enum answer_type type) {
    bool raw = type == ANSWER_BYTES;
    unsigned count = raw ? s->request.frames : 1;
    uint8_t *all = NULL;
    size_t each = 0;
    for (unsigned k = 0; k < count && s->code == EXIT_DONE; k++) {
        struct qpusim_counters counters = {0};
        uint8_t *bytes = draw_frame(s, k, limits, raw, &counters, &each);
        uint8_t *grown = bytes ? realloc(all, each * (k + 1)) : NULL;
        if (grown) {
            all = grown;
            memcpy(all + each * k, bytes, each);
        }
        free(bytes);
        if (!grown)
            break;
        if (k + 1 == count)
            return answer_new(200, type, true, all, each * count);
    }
    free(all);
    return NULL;
}

struct answer *job_render(const struct job *job, const struct job_limits *limits) {
    struct stage s = {.program = NULL};
    struct answer *answer = prepare(&s, job, limits);
    bool bytes = job->accept == ANSWER_PNG || job->accept == ANSWER_BYTES;
    if (!answer && s.code == EXIT_DONE && bytes)
        answer = answer_bytes(&s, limits, job->accept);
    if (!answer)
        answer = answer_scene(&s, limits);
    stage_free(&s);
    return answer;
}

/* The vertex shader is ours: its lines are in no text that the client has. */
static void forget_lines(json_t *inspection) {
    size_t r, k;
    json_t *run, *step;
    json_array_foreach(json_object_get(inspection, "runs"), r, run)
        json_array_foreach(json_object_get(run, "steps"), k, step) {
        json_object_set_new(step, "file", json_null());
        json_object_set_new(step, "line", json_integer(0));
        json_object_set_new(step, "column", json_integer(0));
    }
}

/* The steps of the pixel or the vertex as JSON; NULL: said why. */
static json_t *inspection(struct stage *s, const struct job_limits *limits) {
    const struct request *r = &s->request;
    struct render_options how = {.values = s->options.values, .budget = limits->budget};
    struct inspect_target target = {.stage = QPUCC_FRAGMENT, .x = (unsigned)r->x, .y = (unsigned)r->y};
    if (r->index >= 0)
        target = (struct inspect_target){.stage = r->stage, .vertex = (unsigned)r->index};
    struct inspection found = {.run = NULL};
    qpucc_explanation *explain = qpucc_explain(s->program, 0);
    json_t *json = NULL;
    if (explain && inspect_scene(&r->scene, s->program, qpucc_explanation_stage(explain, target.stage), &how,
                                 &target, &found, s->error, sizeof s->error))
        json = inspect_json(&found, explain);
    else
        complain("%s", explain ? s->error : "out of memory");
    if (!json)
        s->code = EXIT_USAGE;
    else if (s->vertex && r->index >= 0)
        forget_lines(json);
    inspect_free(&found);
    qpucc_explain_free(explain);
    return json;
}

struct answer *job_inspect(const struct job *job, const struct job_limits *limits) {
    struct stage s = {.program = NULL, .names = true};
    struct answer *answer = prepare(&s, job, limits);
    if (!answer && s.request.index < 0 && (s.request.x < 0 || s.request.y < 0))
        answer =
            console_refuse("\"x\" and \"y\" have to name a pixel of the picture, or \"index\" a vertex.");
    if (!answer) {
        json_t *found = s.code == EXIT_DONE ? inspection(&s, limits) : NULL;
        console_end(&s.console);
        json_t *json = json_pack("{s:i, s:o}", "code", s.code, "stderr",
                                 console_lines(s.console.text, s.console.size, s.program));
        if (found)
            json_object_set_new(json, "inspect", found);
        answer = console_answer(json, true, limits);
    }
    stage_free(&s);
    return answer;
}
