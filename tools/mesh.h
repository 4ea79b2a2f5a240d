/* Geometry to try shaders on: a few built-in meshes and Wavefront files, as plain triangle or point lists. */
#ifndef TOOLS_MESH_H
#define TOOLS_MESH_H

#include <stdbool.h>
#include <stddef.h>

struct mesh_vertex {
    float position[3], normal[3], texcoord[2], tangent[3], color[4];
};

struct mesh {
    struct mesh_vertex *vertices; /* malloc'ed; three in a row are a triangle unless `points` */
    size_t count;
    bool points;
    bool flat; /* a quad in clip space: matrices default to identity */
};

/* "quad", "cube", "sphere", "torus", "points" or a path that ends in .obj. False: the reason is in error. */
bool mesh_load(struct mesh *mesh, const char *name, char *error, size_t size);
/* A Wavefront file's text. */
bool mesh_parse(struct mesh *mesh, const char *text, size_t length, char *error, size_t size);
void mesh_free(struct mesh *mesh);

/* The value of the attribute called `name` at a vertex, found by the names that shaders commonly use
 * (position, a_normal, inTexCoord, vertexColor, ...); an unknown name gets a smooth function of the position.
 * Components that the mesh does not have are 0, 0, 0, 1 as in GL. */
void mesh_attribute(const struct mesh *mesh, const char *name, size_t vertex, float out[4]);

#endif
