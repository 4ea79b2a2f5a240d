/* The least that a GL driver does with qpucc, as one program: compile a pair, upload it, and for each draw
 * fill the uniform streams and the shader state record. Nobody waits for good code: the first frame is drawn
 * with what -O1 makes at once, the next ones with what a thread has made meanwhile. libqpusim is the chip:
 * gpu_draw knows nothing but the record and the control list's state, and reads everything else from memory.
 *
 *     cc driver.c $(pkg-config --cflags --libs qpucc qpusim libpng) -lm -pthread -o driver
 *     ./driver driver.png             draws; with a folder behind it, saves its programs there, too
 *
 * A second form has no compiler: it loads these programs and draws the same.
 *
 *     cc -DDRIVER_LOADS driver.c $(pkg-config --cflags --libs qpucc_rt qpusim libpng) -lm -pthread -o loader
 *     ./loader loader.png FOLDER
 *
 * docs/driver-guide.md explains each step. */
#include <qpucc/qpucc.h>
#include <qpucc/qpusim.h>
#include <qpucc/tally.h>

#include <math.h>
#include <png.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 320, HEIGHT = 240, RING = 48, TUBE = 24, VERTICES = (RING + 1) * (TUBE + 1) };
enum { INDICES = 6 * RING * TUBE, TEXELS = 64 };

#ifndef DRIVER_LOADS
static const char vertex_text[] = "attribute vec3 a_position, a_normal;\n"
                                  "attribute vec2 a_coord;\n"
                                  "uniform mat4 u_camera;\n"
                                  "uniform mat3 u_turn;\n"
                                  "varying vec3 v_normal;\n"
                                  "varying vec2 v_coord;\n"
                                  "void main() {\n"
                                  "    v_normal = u_turn * a_normal;\n"
                                  "    v_coord = a_coord;\n"
                                  "    gl_Position = u_camera * vec4(a_position, 1.0);\n"
                                  "}\n";
static const char fragment_text[] = "precision mediump float;\n"
                                    "uniform sampler2D u_picture;\n"
                                    "uniform vec3 u_light[4];\n"
                                    "uniform int u_lights;\n"
                                    "uniform vec4 u_tint;\n"
                                    "varying vec3 v_normal;\n"
                                    "varying vec2 v_coord;\n"
                                    "void main() {\n"
                                    "    float diffuse = 0.0;\n"
                                    "    for (int i = 0; i < 4; i++)\n"
                                    "        if (i < u_lights)\n"
                                    "            diffuse += max(dot(normalize(v_normal), u_light[i]), 0.0);\n"
                                    "    gl_FragColor = texture2D(u_picture, v_coord) * u_tint;\n"
                                    "    gl_FragColor.rgb *= 0.2 + 0.8 * diffuse;\n"
                                    "}\n";
#endif

struct vertex {
    float position[3], normal[3], coord[2];
};

static void die(const char *what) {
    fprintf(stderr, "driver: %s\n", what);
    exit(1);
}

/* --- memory: what the kernel's buffer objects are ------------------------------------------------------- */

static struct qpusim_memory *memory;

/* Copies data into a buffer of its own (NULL: zeros) and returns its address. */
static uint32_t upload(const void *data, size_t size, size_t align) {
    uint32_t address = qpusim_memory_alloc(memory, size ? size : 1, align);
    if (!address)
        die("out of memory");
    if (data)
        memcpy(qpusim_memory_map(memory, address, size), data, size);
    return address;
}

/* --- programs ------------------------------------------------------------------------------------------- */

/* A program for one state, and where its code lies. */
struct shaders {
    qpucc_program *program;
    uint32_t code[QPUCC_STAGE_COUNT];
};

static struct shaders install(qpucc_program *program) {
    struct shaders s = {.program = program};
    if (!program)
        die("out of memory");
    for (size_t i = 0; i < qpucc_program_diagnostic_count(program); i++) {
        const struct qpucc_diagnostic *d = qpucc_program_diagnostic(program, i);
        fprintf(stderr, "%s:%u:%u: %s\n", d->file ? d->file : "program", d->line, d->column, d->text);
    }
    if (qpucc_program_status(program) != QPUCC_OK)
        die("the shaders do not compile");
    for (int stage = 0; stage < QPUCC_STAGE_COUNT; stage++) {
        size_t count;
        const uint64_t *code = qpucc_program_code(program, (enum qpucc_stage)stage, &count);
        s.code[stage] = upload(code, count * sizeof *code, 8);
    }
    return s;
}

static void set_uniform(const qpucc_program *program, uint32_t *storage, const char *name, const void *values,
                        size_t count) {
    const struct qpucc_variable *v;
    for (size_t i = 0; (v = qpucc_program_variable(program, QPUCC_UNIFORMS, i)); i++)
        if (!strcmp(v->name, name))
            memcpy(storage + v->word, values, count * sizeof *storage);
}

/* The programs of one state that a draw chooses from: uniforms, samplers and attributes have the same places
 * in all of them. */
struct program_of_state {
    const char *name; /* of the file that it is kept in */
    struct qpucc_state state;
    struct shaders now;              /* the draws' thread alone has it */
    _Atomic(qpucc_program *) better; /* a worker has made it: the next draw takes it */
};

/* What the draws have is replaced between two of them. */
static const struct shaders *current(struct program_of_state *p) {
    qpucc_program *better = atomic_exchange(&p->better, NULL);
    if (better) {
        qpucc_program_free(p->now.program);
        p->now = install(better);
    }
    return &p->now;
}

#ifndef DRIVER_LOADS
static void log_shader(const qpucc_shader *shader) {
    for (size_t i = 0; shader && i < qpucc_shader_diagnostic_count(shader); i++) {
        const struct qpucc_diagnostic *d = qpucc_shader_diagnostic(shader, i);
        fprintf(stderr, "%s:%u:%u: %s\n", d->file, d->line, d->column, d->text);
    }
    if (!shader || qpucc_shader_status(shader) != QPUCC_OK)
        die("a shader does not compile");
}

/* glCompileShader twice, glLinkProgram, and another state's variant: all at -O1, because a draw waits. */
static void make_programs(struct program_of_state *opaque, struct program_of_state *glass) {
    struct qpucc_source sources[] = {
        {.name = "torus.vert", .data = vertex_text, .size = sizeof vertex_text - 1, .stage = QPUCC_VERTEX},
        {.name = "torus.frag",
         .data = fragment_text,
         .size = sizeof fragment_text - 1,
         .stage = QPUCC_FRAGMENT}};
    qpucc_shader *shaders[2];
    for (int i = 0; i < 2; i++)
        log_shader(shaders[i] = qpucc_shader_compile(&sources[i], NULL));
    struct qpucc_options quick = qpucc_options_default();
    quick.opt_level = 1;
    opaque->now = install(qpucc_link((const qpucc_shader *const *)shaders, 2, &opaque->state, &quick));
    glass->now = install(qpucc_variant(opaque->now.program, &glass->state));
    for (int i = 0; i < 2; i++)
        qpucc_shader_free(shaders[i]);
}

/* The worker's: programs do not change, so it may start from the one that is being drawn with, which stays
 * until `better` is there. */
static void *improve(void *user) {
    struct program_of_state *p = user;
    struct qpucc_options thorough = qpucc_options_default();
    qpucc_program *better = qpucc_variant_with(p->now.program, &p->state, &thorough);
    if (better && qpucc_program_status(better) == QPUCC_OK)
        atomic_store(&p->better, better);
    else
        qpucc_program_free(better);
    return NULL;
}

/* For the values that draws have had for long: code for these alone. */
static qpucc_program *specialise(const struct program_of_state *p, const uint32_t *uniforms) {
    struct qpucc_control controls[QPUCC_TALLY_WORDS];
    struct qpucc_constant values[QPUCC_TALLY_WORDS];
    struct qpucc_tally tally;
    size_t count = qpucc_program_controls(p->now.program, controls, QPUCC_TALLY_WORDS);
    int set = -1;
    qpucc_tally_init(&tally, controls, count < QPUCC_TALLY_WORDS ? count : QPUCC_TALLY_WORDS);
    for (int draw = 0; draw < QPUCC_TALLY_DUE; draw++) /* a second of frames that look all alike */
        set = qpucc_tally_draw(&tally, uniforms);
    if (!qpucc_tally_is_due(&tally, set))
        return NULL;
    count = qpucc_tally_constants(&tally, set, values);
    return qpucc_specialise(p->now.program, &p->state, values, count);
}

static void save_program(const struct program_of_state *p, const char *folder) {
    char path[1000];
    size_t size = qpucc_program_save(p->now.program, 0, NULL, 0);
    void *bytes = malloc(size + 1);
    snprintf(path, sizeof path, "%s/%s", folder, p->name);
    FILE *file = fopen(path, "wb");
    if (!bytes || !file || qpucc_program_save(p->now.program, 0, bytes, size) != size ||
        fwrite(bytes, 1, size, file) != size || fclose(file))
        die("a program cannot be saved");
    free(bytes);
}
#else
static void load_program(struct program_of_state *p, const char *folder) {
    static char bytes[1 << 16];
    char path[1000];
    snprintf(path, sizeof path, "%s/%s", folder, p->name);
    FILE *file = fopen(path, "rb");
    if (!file)
        die("usage: loader PICTURE.png FOLDER, which the driver has saved its programs in");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    p->now = install(qpucc_program_load(bytes, size));
}
#endif

/* --- the chip: what it reads of a draw ------------------------------------------------------------------ */

static void gpu_draw(struct qpusim_target *target, const qpucc_program *program, uint32_t record_address,
                     uint32_t record_size, const uint32_t *indices, uint32_t index_count, bool write_depth) {
    struct qpucc_record record;
    if (!qpucc_record_decode(qpusim_memory_map(memory, record_address, record_size), record_size, &record))
        die("no record");
    struct qpusim_shader shaders[QPUCC_STAGE_COUNT];
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++) {
        size_t count; /* the chip stops at the program's end; the machine wants to know where memory ends */
        qpucc_program_code(program, (enum qpucc_stage)s, &count);
        const uint64_t *code = qpusim_memory_map(memory, record.code_address[s], count * sizeof *code);
        bool threaded = s == QPUCC_FRAGMENT && !record.single_threaded;
        shaders[s].program = code ? qpusim_program_new(code, count, (enum qpusim_stage)s, threaded) : NULL;
        shaders[s].uniforms = (struct qpusim_stream){
            .count = qpucc_uniforms_size(program, (enum qpucc_stage)s), .address = record.uniform_address[s]};
    }
    struct qpusim_attribute arrays[QPUSIM_MAX_ATTRIBUTES];
    for (unsigned i = 0; i < record.attribute_count; i++)
        arrays[i] =
            (struct qpusim_attribute){.data = qpusim_memory_map(memory, record.attribute[i].address, 1),
                                      .components = (record.attribute[i].bytes + 3) / 4,
                                      .stride = record.attribute[i].stride,
                                      .bytes = record.attribute[i].bytes};
    struct qpusim_draw_info draw = {
        .fragment = shaders[QPUCC_FRAGMENT],
        .vertex = shaders[QPUCC_VERTEX],
        .coordinate = shaders[QPUCC_COORDINATE],
        .attributes = arrays,
        .attribute_count = record.attribute_count,
        .vertex_attributes = (uint8_t)record.shader[0].attribute_mask,
        .coordinate_attributes = (uint8_t)record.shader[1].attribute_mask,
        .varying_count = record.varyings,
        .point_size_written = record.point_size,
        .flat_varyings = qpucc_program_layout(program)->flat_varyings, /* from here: the control list's */
        .mode = QPUSIM_TRIANGLES,
        .indices = indices,
        .count = index_count,
        .cull = QPUSIM_CULL_BACK,
        .depth_test = true,
        .depth_write = write_depth,
        .depth_func = QPUSIM_FUNC_LESS,
        .memory = memory,
    };
    struct qpusim_error error;
    if (qpusim_draw(target, &draw, NULL, &error) != QPUSIM_OK)
        die(error.text);
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        qpusim_program_free((struct qpusim_program *)shaders[s].program);
}

/* --- one draw ------------------------------------------------------------------------------------------- */

/* What the application has set: the driver's own. */
struct scene {
    uint32_t vertices; /* address */
    const uint32_t *indices;
    struct qpusim_texture picture;
};

static void draw_torus(struct qpusim_target *target, const struct shaders *s, const struct scene *scene,
                       float angle, float size, const float tint[4], bool write_depth) {
    const qpucc_program *program = s->program;

    /* Uniforms: glUniform writes into the packed storage. */
    float c = cosf(angle), n = sinf(angle), tilt_c = cosf(0.6f), tilt_s = sinf(0.6f);
    float turn[9] = {c, n * tilt_s, -n * tilt_c, 0, tilt_c, tilt_s, n, -c * tilt_s, c * tilt_c};
    float camera[16] = {0}, focal = 2.2f, near_z = 1, far_z = 10, distance = 4;
    for (int column = 0; column < 3; column++) { /* perspective * move by -distance * turn * size */
        camera[4 * column + 0] = focal * HEIGHT / WIDTH * size * turn[3 * column];
        camera[4 * column + 1] = focal * size * turn[3 * column + 1];
        camera[4 * column + 2] = (far_z + near_z) / (near_z - far_z) * size * turn[3 * column + 2];
        camera[4 * column + 3] = -size * turn[3 * column + 2];
    }
    camera[14] = ((far_z + near_z) * -distance + 2 * far_z * near_z) / (near_z - far_z);
    camera[15] = distance;
    size_t bytes = qpucc_program_uniform_bytes(program, QPUCC_UNIFORMS_PACKED);
    uint32_t storage = upload(NULL, bytes, 16), *uniforms = qpusim_memory_map(memory, storage, bytes);
    set_uniform(program, uniforms, "u_camera", camera, 16);
    set_uniform(program, uniforms, "u_turn", turn, 9);
    set_uniform(program, uniforms, "u_light", (const float[12]){0.48f, 0.6f, 0.64f}, 12);
    set_uniform(program, uniforms, "u_lights", (const int32_t[]){1}, 1);
    set_uniform(program, uniforms, "u_tint", tint, 4);

    /* Streams: what the QPUs read of all that. */
    uint32_t textures[QPUCC_MAX_TEXTURES][4] = {
        {scene->picture.p0, scene->picture.p1, scene->picture.p2}}; /* unit 0: the one sampler */
    struct qpucc_draw_values values = {
        .uniforms = uniforms,
        .layout = QPUCC_UNIFORMS_PACKED,
        .textures = (const uint32_t(*)[4])textures,
        .uniform_address = storage,
    };
    qpucc_draw_state_viewport(&values.state, WIDTH, HEIGHT, 0, 1, HEIGHT, 0);
    uint32_t *stream[QPUCC_STAGE_COUNT];
    for (int stage = 0; stage < QPUCC_STAGE_COUNT; stage++) {
        size_t size = 4 * qpucc_uniforms_size(program, (enum qpucc_stage)stage);
        values.stream_address[stage] = upload(NULL, size, 16);
        stream[stage] = qpusim_memory_map(memory, values.stream_address[stage], size);
    }
    if (!qpucc_uniforms_fill_all(program, &values, stream))
        die("a uniform or texture has no value");

    /* The record: what belongs to the program, with the arrays' strides. Addresses are left to the kernel. */
    const struct qpucc_layout *layout = qpucc_program_layout(program);
    struct qpucc_record_inputs inputs = {0};
    uint32_t array[QPUCC_MAX_ATTRIBUTES];
    for (uint32_t i = 0; i < layout->attribute_count; i++) {
        const struct qpucc_variable *v =
            qpucc_program_variable(program, QPUCC_ATTRIBUTES, layout->attributes[i].variable);
        size_t offset = !v || !strcmp(v->name, "a_position") ? offsetof(struct vertex, position)
                        : !strcmp(v->name, "a_normal")       ? offsetof(struct vertex, normal)
                                                             : offsetof(struct vertex, coord);
        array[i] = scene->vertices + (uint32_t)offset;
        inputs.attribute[i].stride = sizeof(struct vertex);
    }
    struct qpucc_record_bytes record;
    if (!qpucc_record_fill(program, QPUCC_RECORD_GL, &inputs, &record))
        die("no record for this program");

    /* The kernel: checks where each address points to and writes it. */
    for (size_t i = 0; i < record.relocation_count; i++) {
        const struct qpucc_relocation *r = &record.relocations[i];
        uint32_t address = r->kind == QPUCC_RELOCATE_CODE       ? s->code[r->index]
                           : r->kind == QPUCC_RELOCATE_UNIFORMS ? values.stream_address[r->index]
                                                                : array[r->index];
        for (int byte = 0; byte < 4; byte++)
            record.bytes[r->offset + byte] = (uint8_t)(address >> 8 * byte);
    }
    uint32_t address = upload(record.bytes, record.size, QPUCC_RECORD_ALIGNMENT);
    gpu_draw(target, program, address, (uint32_t)record.size, scene->indices, INDICES, write_depth);
}

/* --- the application ------------------------------------------------------------------------------------ */

static void torus(struct vertex *vertices, uint32_t *indices) {
    for (int i = 0; i <= RING; i++)
        for (int k = 0; k <= TUBE; k++, vertices++) {
            float u = 6.2831853f * (float)i / RING, v = 6.2831853f * (float)k / TUBE;
            float normal[3] = {cosf(u) * cosf(v), sinf(v), sinf(u) * cosf(v)};
            for (int n = 0; n < 3; n++)
                vertices->normal[n] = normal[n];
            vertices->position[0] = cosf(u) + 0.4f * normal[0];
            vertices->position[1] = 0.4f * normal[1];
            vertices->position[2] = sinf(u) + 0.4f * normal[2];
            vertices->coord[0] = 6 * (float)i / RING;
            vertices->coord[1] = 2 * (float)k / TUBE;
        }
    for (uint32_t i = 0; i < RING; i++)
        for (uint32_t k = 0; k < TUBE; k++) {
            uint32_t a = i * (TUBE + 1) + k, b = a + TUBE + 1;
            uint32_t quad[6] = {a, a + 1, b, b, a + 1, b + 1};
            memcpy(indices, quad, sizeof quad);
            indices += 6;
        }
}

static void draw_frame(struct qpusim_target *target, struct program_of_state *opaque,
                       struct program_of_state *glass, const struct scene *scene) {
    qpusim_target_clear(target, 0xff402818, 1, 0);
    draw_torus(target, current(opaque), scene, 0.5f, 0.6f, (const float[]){1, 1, 1, 1}, true);
    draw_torus(target, current(glass), scene, 2.0f, 0.95f, (const float[]){0.6f, 1, 0.7f, 0.45f}, false);
}

int main(int argc, char **argv) {
    static struct vertex vertices[VERTICES];
    static uint32_t indices[INDICES], texels[TEXELS * TEXELS];
    memory = qpusim_memory_new((size_t)4 << 20);
    struct qpusim_target *target = qpusim_target_new(WIDTH, HEIGHT);
    if (!memory || !target)
        die("out of memory");
    torus(vertices, indices);
    for (unsigned i = 0; i < TEXELS * TEXELS; i++)
        texels[i] = ((i / 32 ^ i / (32 * TEXELS)) & 1) ? 0xfff0e0c0 : 0xff3060d0; /* red in the low byte */

    struct scene scene = {.vertices = upload(vertices, sizeof vertices, 16), .indices = indices};
    struct qpusim_image image = {.pixels = texels, .width = TEXELS, .height = TEXELS};
    struct qpusim_texture_info info = {
        .levels = &image, .level_count = 1, .generate_mipmaps = true, .min = QPUSIM_MIN_LINEAR_MIP_LINEAR};
    if (qpusim_upload_texture(memory, &info, &scene.picture) != QPUSIM_OK)
        die("no texture");

    /* One program, two states: the second blends with what the first has drawn. */
    struct program_of_state opaque = {.name = "opaque.qpucc", .state = {.depth_test = 1}}, glass = opaque;
    glass.name = "glass.qpucc";
    glass.state.blend = (struct qpucc_blend_state){.enable = 1,
                                                   .rgb_source = QPUCC_FACTOR_SRC_ALPHA,
                                                   .rgb_target = QPUCC_FACTOR_ONE_MINUS_SRC_ALPHA,
                                                   .alpha_source = QPUCC_FACTOR_ONE,
                                                   .alpha_target = QPUCC_FACTOR_ONE_MINUS_SRC_ALPHA};
#ifdef DRIVER_LOADS
    load_program(&opaque, argc > 2 ? argv[2] : ".");
    load_program(&glass, argc > 2 ? argv[2] : ".");
    draw_frame(target, &opaque, &glass, &scene);
#else
    make_programs(&opaque, &glass);
    pthread_t worker;
    if (pthread_create(&worker, NULL, improve, &opaque))
        die("no thread");
    draw_frame(target, &opaque, &glass, &scene); /* whichever code is there */
    pthread_join(worker, NULL);
    draw_frame(target, &opaque, &glass, &scene);
    size_t bytes = qpucc_program_uniform_bytes(glass.now.program, QPUCC_UNIFORMS_PACKED);
    uint32_t *uniforms = calloc(1, bytes);
    if (!uniforms)
        die("out of memory");
    set_uniform(glass.now.program, uniforms, "u_lights", (const int32_t[]){1}, 1);
    atomic_store(&glass.better, specialise(&glass, uniforms));
    free(uniforms);
    draw_frame(target, &opaque, &glass, &scene);
    if (argc > 2) {
        save_program(&opaque, argv[2]);
        save_program(&glass, argv[2]);
    }
#endif

    png_image png = {
        .version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT, .format = PNG_FORMAT_RGBA};
    const char *path = argc > 1 ? argv[1] : "driver.png"; /* a negative stride: row 0 is the bottom one */
    if (!png_image_write_to_file(&png, path, 0, qpusim_target_pixels(target), -4 * WIDTH, NULL))
        die(png.message);
    qpucc_program_free(glass.now.program); /* in any order */
    qpucc_program_free(opaque.now.program);
    qpusim_target_free(target);
    qpusim_memory_free(memory);
    return 0;
}
