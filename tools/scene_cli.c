/* Scenes on the command line. */
#include "scene_cli.h"
#include "render.h"
#include "scene_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Takes an option of the scene, or a file named *.json. False: it is another's. *ok: it was right; else the
 * reason is in `error`. */
static bool take(struct scene *scene, int option, const char *argument, bool *ok, char *error, size_t size) {
    size_t length = option == 1 ? strlen(argument) : 0;
    *ok = true;
    switch (option) {
    case SCENE_CLI_SIZE: *ok = scene_size_option(scene, argument, error, size); return true;
    case SCENE_CLI_UNIFORM: *ok = scene_uniform_option(scene, argument, error, size); return true;
    case SCENE_CLI_TEXTURE: *ok = scene_texture_option(scene, argument, error, size); return true;
    case SCENE_CLI_CLEAR: *ok = scene_clear_option(scene, argument, error, size); return true;
    case SCENE_CLI_INSTANCES: *ok = scene_instances_option(scene, argument, error, size); return true;
    case SCENE_CLI_MESH:
        free(scene->mesh_name);
        scene->mesh_name = strdup(argument);
        return true;
    }
    if (length <= 5 || strcmp(argument + length - 5, ".json"))
        return false;
    *ok = scene_read(scene, argument, error, size);
    return true;
}

static bool name_pair(struct cli_options *options, const struct scene *scene) {
    if (!options->fixed_path && !options->input_count && scene->vertex && scene->fragment) {
        options->inputs[0] = (struct cli_input){.path = scene->vertex, .stage = QPUCC_VERTEX, .language = -1};
        options->inputs[1] =
            (struct cli_input){.path = scene->fragment, .stage = QPUCC_FRAGMENT, .language = -1};
        options->input_count = 2;
    }
    if (options->fixed_path ? options->input_count == 0
                            : options->input_count == 1 || options->input_count == 2)
        return true;
    complain("a picture needs a vertex and a fragment shader, a scene.json, or a fixed-function state alone");
    return false;
}

int scene_cli_next(int argc, char **argv, const char *letters, const struct option *longs, int own,
                   struct cli_options *options, struct scene *scene) {
    char error[600] = "";
    for (int c; (c = getopt_long(argc, argv, letters, longs, NULL)) != -1;) {
        bool ok = true;
        if (take(scene, c, optarg, &ok, error, sizeof error)) {
            if (!ok)
                return complain("%s", error), '?';
            continue;
        }
        int taken = c == own ? 0 : cli_option(options, c, optarg);
        if (taken < 0)
            return '?';
        if (!taken)
            return c;
    }
    for (int i = optind; i < argc; i++)
        if (cli_option(options, 1, argv[i]) < 0)
            return '?';
    return name_pair(options, scene) ? -1 : '?';
}

int scene_cli_prepare(struct cli_options *options, struct scene *scene) {
    char error[600];
    if (options->state.flip_y)
        return complain(
            "--flip-y is for code that a driver runs; a picture's first row is the top one anyway");
    if (options->primitive_given || options->state.primitive != QPUCC_TRIANGLES)
        scene->primitive = (int)options->state.primitive;
    if (!scene_prepare(scene, error, sizeof error))
        return complain("%s", error);
    if (options->fixed_path && !scene_set_camera(scene))
        return complain("out of memory");
    return EXIT_DONE;
}

static bool read_pair(const struct cli_options *options, struct cli_sources *sources) {
    if (!cli_read(options, sources) || !cli_add_vertex(options, sources))
        return false;
    if (options->fixed_path || sources->count == 2)
        return true;
    return complain("a picture needs a vertex and a fragment shader"), false;
}

static bool has_uniform(const qpucc_program *program, const char *name) {
    for (size_t i = 0; i < qpucc_program_variable_count(program, QPUCC_UNIFORMS); i++)
        if (!strcmp(qpucc_program_variable(program, QPUCC_UNIFORMS, i)->name, name))
            return true;
    return false;
}

static bool is_set(const struct scene *scene, const char *name) {
    for (size_t i = 0; i < scene->value_count; i++)
        if (!strcmp(scene->values[i].name, name))
            return true;
    return false;
}

/* A single-file shader's parameters begin at their initial values. */
static bool set_parameters(struct scene *scene, const qpucc_program *program,
                           const struct cli_sources *sources) {
    for (size_t i = 0; i < sources->parameter_count; i++) {
        const struct cli_parameter *p = &sources->parameters[i];
        char text[120], error[300];
        snprintf(text, sizeof text, "%s=%.9g", p->name, p->initial);
        if (has_uniform(program, p->name) && !is_set(scene, p->name) &&
            !scene_uniform_option(scene, text, error, sizeof error))
            return complain("%s", error), false;
    }
    return true;
}

/* The scene's names of uniforms become options of --set, with the values that the scene has. */
static bool add_sets(struct cli_options *options, struct scene *scene) {
    for (size_t i = 0; i < scene->set_count; i++) {
        const struct scene_value *v = NULL;
        char *text = NULL;
        size_t size = 0;
        for (size_t k = 0; k < scene->value_count; k++)
            if (!strcmp(scene->values[k].name, scene->set[i]))
                v = &scene->values[k];
        if (!v || !v->count)
            return complain("'set' names %s, which has no value in 'uniforms'", scene->set[i]), false;
        if (options->set_count == CLI_MAX_LIST)
            return complain("--set: more than %d of them", CLI_MAX_LIST), false;
        FILE *out = open_memstream(&text, &size);
        if (out)
            fprintf(out, "%s=", v->name);
        for (size_t k = 0; out && k < v->count; k++) {
            float value = v->values[k];
            bool whole = fabsf(value) < 1e15f && value == truncf(value); /* an int's has no exponent */
            fprintf(out, whole ? "%s%.0f" : "%s%.9g", k ? "," : "", (double)value);
        }
        if (!out || fclose(out))
            return complain("out of memory"), false;
        free(scene->set[i]);
        options->sets[options->set_count++] = scene->set[i] = text;
    }
    return true;
}

qpucc_program *scene_cli_compile(struct cli_options *options, struct scene *scene,
                                 struct cli_sources *sources, int *code) {
    struct qpucc_state drawn = render_state(scene);
    *sources = (struct cli_sources){0}; /* the caller frees them, read or not */
    options->state = options->state_given ? options->state : drawn;
    options->state.primitive = drawn.primitive;
    options->state.depth_test = drawn.depth_test;
    qpucc_program *program =
        add_sets(options, scene) && read_pair(options, sources) ? cli_compile(options, sources) : NULL;
    *code = program ? cli_exit_code(program, options) : EXIT_USAGE;
    if (*code == EXIT_DONE && !set_parameters(scene, program, sources))
        *code = EXIT_USAGE;
    return program;
}

static void tell(bool error, const char *text) {
    fprintf(stderr, "qpucc: %s: %s\n", error ? "error" : "warning", text);
}

bool scene_cli_check(const struct scene *scene, const qpucc_program *program) {
    return scene_check(scene, program, tell);
}
