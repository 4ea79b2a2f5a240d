/* A scene: which mesh, which size, what the uniforms and textures hold. The machine (render.c) and the GL
 * reference test draw the same scene, so whatever a shader's names suggest is decided here, once. */
#ifndef TOOLS_SCENE_H
#define TOOLS_SCENE_H

#include "mesh.h"
#include "picture.h"

#include <qpucc/qpucc.h>
#include <qpucc/qpusim.h>

#define SCENE_MAX_WORDS 1024 /* of one uniform */
#define SCENE_BY_MESH (-1)

struct scene_value {
    char *name;
    float *values;
    size_t count;
};

enum scene_filter { SCENE_FILTER_DEFAULT, SCENE_NEAREST, SCENE_LINEAR, SCENE_MIPMAP };
enum scene_wrap { SCENE_WRAP_DEFAULT, SCENE_REPEAT, SCENE_CLAMP, SCENE_MIRROR };

struct scene_texture {
    char *name, *file;
    uint8_t *png; /* a PNG's bytes instead of a file; `file` is for messages then */
    size_t png_size;
    enum scene_filter filter;
    enum scene_wrap wrap;
};

/* State of the control list. */
struct scene_raster {
    uint8_t cull, depth_func; /* enum qpusim_cull, enum qpusim_func */
    bool clockwise_front, depth_test, depth_write;
};

/* A shader in a scene from memory. */
struct scene_source {
    char *name, *text; /* name: for messages, NULL if the scene gives none */
};

enum { SCENE_MAX_SET = 16 };

struct scene {
    char *vertex, *fragment; /* paths; NULL until known */
    char *mesh_name;
    char *mesh_text; /* a Wavefront file's text, instead of a name */
    /* scenes from memory only */
    struct scene_source source[2]; /* by enum qpucc_stage */
    struct scene_raster raster;
    unsigned width, height;
    float time;
    uint8_t clear[4];
    unsigned instances; /* 0: one draw */
    bool nearest;       /* textures without filter */
    unsigned variant;   /* other default values of uniforms and textures; 0: those of docs/qpucc.1 */
    int primitive;      /* enum qpucc_primitive; or SCENE_BY_MESH */
    struct scene_value *values;
    size_t value_count;
    struct scene_texture *textures;
    size_t texture_count;
    char *set[SCENE_MAX_SET]; /* "name" and then "name=values": uniforms whose values the code is made for */
    size_t set_count;
    struct mesh mesh; /* by scene_prepare */
};

void scene_init(struct scene *scene);
void scene_free(struct scene *scene);

/* The readers of JSON are in scene_json.h. */

/* Sets a uniform; takes `values`, malloc'ed, over, also when it fails. A later setting wins, also over one of
 * the array that it is an element of: the settings stand in the order in which they were made last. False:
 * out of memory. `name` need not end after `length` characters. */
bool scene_set_value(struct scene *scene, const char *name, size_t length, float *values, size_t count);
/* Sets a texture; `file` may have sampling words after it: "a.png,nearest,repeat". False: out of memory. */
bool scene_add_texture(struct scene *scene, const char *name, size_t length, const char *file);
/* "name=1,2,3"; "name=file.png", after which ",nearest", ",linear" or ",mipmap" and ",repeat", ",clamp" or
 * ",mirror" may follow; "640x480". */
bool scene_uniform_option(struct scene *scene, const char *text, char *error, size_t size);
bool scene_texture_option(struct scene *scene, const char *text, char *error, size_t size);
bool scene_size_option(struct scene *scene, const char *text, char *error, size_t size);
/* A filter or a wrap mode; false: neither. */
bool scene_sampling_word(struct scene_texture *texture, const char *word);
/* Loads the mesh. */
bool scene_prepare(struct scene *scene, char *error, size_t size);
/* Gives the matrices of fixed-function programs the scene's camera where the scene does not set them: their
 * initial values, which would count otherwise, are GL's identity. Prepared scenes. */
bool scene_set_camera(struct scene *scene);
/* What the mesh's vertices are drawn as: what the scene says, or what suits the mesh. */
enum qpucc_primitive scene_primitive(const struct scene *scene);

/* The words of a uniform as numbers, matrices column after column: what the scene sets, or what the name
 * suggests. rows and cols as in struct qpucc_variable; `out` has room for rows * cols * array_length.
 * True if the scene sets it. */
bool scene_uniform(const struct scene *scene, const char *name, enum qpucc_base_type base, unsigned rows,
                   unsigned cols, unsigned array_length, float *out);
/* What is wrong with the scene's settings for this program, a call of `tell` each: a name that no variable
 * has (not an error), more values than the variable takes from there on, an element that the array does not
 * have. False if there was an error. */
typedef void scene_tell(bool error, const char *text);
bool scene_check(const struct scene *scene, const qpucc_program *program, scene_tell *tell);

/* What the scene says of an element of a sampler array; NULL: nothing. */
const struct scene_texture *scene_texture_setting(const struct scene *scene, const char *name,
                                                  unsigned element);
/* "0.5,0.25,1" or "0,0,0,0", and "3". */
bool scene_clear_option(struct scene *scene, const char *text, char *error, size_t size);
bool scene_instances_option(struct scene *scene, const char *text, char *error, size_t size);
/* The picture that an element of a sampler array shows; element 0 of a sampler that is none. */
bool scene_texture(const struct scene *scene, const char *name, unsigned element, struct picture *out,
                   char *error, size_t size);
/* The six that a cube map's sampler shows: a file's picture on every face, or a procedural one. */
bool scene_cube(const struct scene *scene, const char *name, unsigned element, struct picture faces[6],
                char *error, size_t size);

#endif
