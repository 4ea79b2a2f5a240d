/* A case as a driver would submit it: programs, records, two lists. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draws.h"
#include "tests/runtime/frame.h"

enum { /* bytes of a draw's uniforms; where textures and stored depths are */
       UNIFORM_BYTES = 256,
       VERTEX_BYTES = 4096,
       DEPTHS = 0x13000000,
       DEPTH_BYTES = DRAWS_SIDE * DRAWS_SIDE * 4,
       PADDED = 256, /* pixels along an edge of a picture in T format */
};

struct text {
    char bytes[1 << 15];
    size_t size;
};

static void put(struct text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    t->size += (size_t)vsnprintf(t->bytes + t->size, sizeof t->bytes - t->size, format, args);
    va_end(args);
}

static uint32_t bits_of(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

/* --- programs ------------------------------------------------------------------------------------------- */

static bool is_points(const struct draws_draw *d) {
    return d->mode == QPUSIM_POINTS;
}

static const char *const blends[] = {[DRAWS_ADD] = "v8adds %s, r4, r3\n",
                                     [DRAWS_SUBTRACT] = "v8subs %s, r4, r3\n",
                                     [DRAWS_MULTIPLY] = "nop; v8muld %s, r4, r3\n",
                                     [DRAWS_MINIMUM] = "nop; v8min %s, r4, r3\n",
                                     [DRAWS_MAXIMUM] = "nop; v8max %s, r4, r3\n"};

/* A factor of channel k to r0 or r1; r2 is free. */
static void put_factor(struct text *t, const struct draws_general *g, enum draws_factor factor, unsigned k,
                       unsigned to) {
    static const char *const source[] = {"ra0", "rb1", "ra2", "ra3"};
    if (factor == DRAWS_SATURATE && k < 3) {
        put(t, "fsub r%u, 1.0, ra23\nmov r2, ra3\nfmin r%u, r%u, r2\n", to, to, to);
        return;
    }
    if (factor == DRAWS_ZERO || factor == DRAWS_ONE || factor == DRAWS_SATURATE) {
        put(t, "mov r%u, %s\n", to, factor == DRAWS_ZERO ? "0" : "1.0");
        return;
    }
    unsigned pair = factor & ~1u;
    if (pair == DRAWS_CONSTANT_COLOR || pair == DRAWS_CONSTANT_ALPHA)
        put(t, "movi r%u, 0x%x\n", to, bits_of(g->constant[pair == DRAWS_CONSTANT_ALPHA ? 3 : k]));
    else if (pair == DRAWS_SRC_COLOR || pair == DRAWS_SRC_ALPHA)
        put(t, "mov r%u, %s\n", to, source[pair == DRAWS_SRC_ALPHA ? 3 : k]);
    else
        put(t, "mov r%u, ra%u\n", to, 20 + (pair == DRAWS_DST_ALPHA ? 3 : k));
    if (factor & 1)
        put(t, "fsub r%u, 1.0, r%u\n", to, to);
}

/* The colour that r4 has and the one in ra0, rb1, ra2 and ra3 make r3. */
static void put_general(struct text *t, const struct draws_general *g) {
    static const char *const source[] = {"ra0", "rb1", "ra2", "ra3"}, *const equations[] = {
                                                                          "fadd r0, r0, r1",
                                                                          "fsub r0, r0, r1",
                                                                          "fsub r0, r1, r0",
                                                                          "fmin r0, r0, r1",
                                                                          "fmax r0, r0, r1"};
    for (unsigned k = 0; k < 4; k++)
        put(t, "fmax ra%u, r4.8%c, r4.8%c\n", 20 + k, "abcd"[k], "abcd"[k]);
    put(t, "nop\n");
    for (unsigned k = 0; k < 4; k++) {
        enum draws_equation equation = g->equation[k == 3];
        if (equation < DRAWS_LESSER) {
            put_factor(t, g, g->source[k == 3], k, 0);
            put_factor(t, g, g->destination[k == 3], k, 1);
            put(t, "mov r2, %s\nnop; fmul r0, r0, r2\nnop; fmul r1, r1, ra%u\n", source[k], 20 + k);
        } else {
            put(t, "mov r0, %s\nmov r1, ra%u\n", source[k], 20 + k);
        }
        put(t, "%s\nnop; mov r3.8%c, r0\n", equations[equation], "abcd"[k]);
    }
}

/* The colour in r3, or in four registers, to the tile buffer. */
static void put_color(struct text *t, const struct draws_case *c, const struct draws_draw *d) {
    if (c->hdr) {
        put(t, "fmax ra6.16a, ra0, ra0\nfmax ra7.16a, ra2, ra2\nfmax ra6.16b, rb1, rb1\n"
               "fmax ra7.16b, ra3, ra3\nnop\nmov tlbc, ra6\nmov tlbc, ra7\n");
    } else if (d->blend == DRAWS_REPLACE) {
        put(t, "mov tlbc, r3\n");
    } else {
        for (unsigned i = 0; i < (c->multisample ? 4 : 1); i++) {
            put(t, "nop; nop; loadc\n");
            if (d->blend == DRAWS_GENERAL) {
                put_general(t, &d->general);
                put(t, "mov %s, r3\n", c->multisample ? "tlbm" : "tlbc");
            } else {
                put(t, blends[d->blend], c->multisample ? "tlbm" : "tlbc");
            }
        }
    }
}

/* Varyings to ra0, rb1, ra2, ra3; tests; the colour. Uniforms: stencil words, then those of a lookup, then
 * the samples and the value for discarding. */
static uint32_t fragment_program(struct frame *f, const struct draws_case *c, const struct draws_draw *d) {
    struct text t = {.size = 0};
    unsigned before = is_points(d) ? 2 : d->mode < QPUSIM_TRIANGLES ? 1 : 0;
    put(&t, "nop\nnop\n");
    for (unsigned i = 0; i < before; i++)
        put(&t, "nop; fmul r0, vary, ra15\nfadd ra%u, r0, r5\n", 10 + i);
    for (unsigned i = 0; i < 4; i++)
        put(&t, "nop; fmul r0, vary, ra15\nfadd r%c%u, r0, r5\n", i == 1 ? 'b' : 'a', i);
    if (d->stencil)
        put(&t, "mov stencil, unif\nmov stencil, unif\nmov stencil, unif\n");
    switch (d->kind) {
    case DRAWS_POINT_COORD: put(&t, "mov ra0, ra10\nmov rb1, ra11\nnop\n"); /* fall through */
    case DRAWS_COLOR:
        put(&t, "nop; mov r3.8a, ra0\nnop; mov r3.8b, rb1\nnop; mov r3.8c, ra2\nnop; mov r3.8d, ra3\n");
        break;
    case DRAWS_TEXTURE:
        put(&t, "mov r0, unif\nmov t0t, rb1\nmov t0b, r0\nmov t0s, ra0\nnop; nop; ldtmu0\nmov r3, r4\n");
        break;
    case DRAWS_CUBE:
        put(&t, "fmaxabs r0, ra0, rb1\nfmaxabs r0, r0, ra2\nmov recip, r0\nnop\nnop\n"
                "mov r1, r4\nfmul r2, r0, r1\nfsub r2, 2.0, r2\nfmul r1, r1, r2\n"
                "nop; fmul t0t, rb1, r1\nnop; fmul t0r, ra2, r1\nnop; fmul t0s, ra0, r1\n"
                "nop; nop; ldtmu0\nmov r3, r4\n");
        break;
    }
    if (c->hdr && (d->kind == DRAWS_TEXTURE || d->kind == DRAWS_CUBE))
        put(&t, "fmax ra0, r4.8a, r4.8a\nfmax rb1, r4.8b, r4.8b\nfmax ra2, r4.8c, r4.8c\n"
                "fmax ra3, r4.8d, r4.8d\nnop\n");
    if (d->coverage) {
        put(&t, "mov r1, 0\n");
        for (unsigned s = 0; s < 4; s++)
            put(&t, "movi r0, 0x%x\nfsub.setf nop, r0, ra3\nor.ns r1, r1, %u\n", bits_of((float)s / 4),
                1u << s);
        put(&t, "mov r0, ms_mask\nand r0, r0, r1\n%s ms_mask, r0, %s\n", d->sample_mask != 15 ? "and" : "or",
            d->sample_mask != 15 ? "unif" : "r0");
    } else if (d->sample_mask != 15) {
        put(&t, "mov r0, ms_mask\nand ms_mask, r0, unif\n");
    }
    if (d->discard)
        put(&t, "mov r0, unif\nfsub.setf nop, ra3, r0\nmov.nc tlbz, rb15\n");
    else
        put(&t, "mov tlbz, rb15\n");
    put_color(&t, c, d);
    put(&t, "nop\nnop; nop; thrend\nnop\nnop; nop; sbdone\n");
    return frame_program(f, t.bytes);
}

/* --- data ----------------------------------------------------------------------------------------------- */

/* Writes as little as says it: with equal sides one word serves both, and its code the write masks. */
static unsigned stencil_words(const struct draws_draw *d, uint32_t *out) {
    for (unsigned side = 0; side < 2; side++) {
        const struct draws_stencil *s = &d->side[side];
        out[side] = (side + 1u) << 30 | (uint32_t)s->depth_fail << 25 | (uint32_t)s->depth_pass << 22 |
                    (uint32_t)s->fail << 19 | (uint32_t)s->func << 16 | (uint32_t)s->reference << 8 | s->mask;
    }
    out[2] = d->side[0].write_mask | (uint32_t)d->side[1].write_mask << 8;
    return 3;
}

static bool upload(struct frame *f, const struct draws_texture *t, struct qpusim_texture *out) {
    struct qpusim_image images[6 * 12];
    unsigned faces = t->cube ? 6 : 1;
    for (unsigned i = 0; i < faces * t->levels; i++) {
        unsigned face = i / t->levels, level = i % t->levels, w = draws_level(t->width, level),
                 h = draws_level(t->height, level);
        size_t size = qpusim_image_size(t->format, w, h);
        void *pixels = malloc(size);
        draws_image(t, face, level, pixels, size);
        images[i] = (struct qpusim_image){pixels, w, h};
    }
    const struct qpusim_texture_info info = {.format = t->format,
                                             .levels = images,
                                             .level_count = t->levels,
                                             .cube = t->cube,
                                             .wrap_s = t->wrap_s,
                                             .wrap_t = t->wrap_t,
                                             .mag = t->mag,
                                             .min = t->min};
    enum qpusim_status status = qpusim_upload_texture(f->memory, &info, out);
    for (unsigned i = 0; i < faces * t->levels; i++)
        free((void *)images[i].pixels);
    if (status != QPUSIM_OK)
        fprintf(stderr, "a texture of %u by %u, format %d, is refused\n", t->width, t->height, t->format);
    return status == QPUSIM_OK;
}

static bool put_uniforms(struct frame *f, const struct draws_draw *d, uint32_t address) {
    uint32_t *w = frame_at(f, address, UNIFORM_BYTES);
    frame_vertex_uniforms(w, (unsigned)d->viewport[2], (unsigned)d->viewport[3]);
    w += 16;
    if (d->stencil)
        w += stencil_words(d, w);
    if (d->kind == DRAWS_TEXTURE || d->kind == DRAWS_CUBE) {
        struct qpusim_texture t;
        if (!upload(f, &d->texture, &t))
            return false;
        if (d->kind == DRAWS_TEXTURE)
            *w++ = bits_of(d->texture.bias);
        w[0] = t.p0, w[1] = t.p1, w[2] = t.p2;
        w += 3;
    }
    if (d->sample_mask != 15)
        *w++ = d->sample_mask;
    if (d->discard)
        *w++ = bits_of(DRAWS_LEAST);
    return true;
}

static void put_vertices(struct frame *f, const struct draws_draw *d, uint32_t address) {
    float *out = frame_at(f, address, VERTEX_BYTES);
    for (unsigned i = 0; i < d->vertex_count; i++) {
        memcpy(out, d->vertex[i].position, 16);
        out += 4;
        if (d->sizes)
            *out++ = d->vertex[i].size;
        memcpy(out, d->vertex[i].varying, 16);
        out += 4;
    }
}

/* --- lists ---------------------------------------------------------------------------------------------- */

static void put_record(struct frame *f, const struct draws_case *c, unsigned n) {
    const struct draws_draw *d = &c->draw[n];
    struct qpusim_list l = {0};
    uint32_t uniforms = FRAME_UNIFORMS + n * UNIFORM_BYTES, vertices = FRAME_VERTICES + n * VERTEX_BYTES;
    unsigned place = 16 + 4 * d->sizes;
    const struct qpusim_cl_gl_shader_record record = {
        .single_threaded = true,
        .point_size = d->sizes,
        .clipping = true,
        .varyings = 4,
        .fragment_code = fragment_program(f, c, d),
        .fragment_uniforms = uniforms + 64,
        .vertex_attributes = 3,
        .vertex_size = place + 16,
        .vertex_code = frame_vertex_program(f, 4, d->sizes, false),
        .vertex_uniforms = uniforms,
        .coordinate_attributes = 1,
        .coordinate_size = place,
        .coordinate_code = frame_vertex_program(f, 4, d->sizes, true),
        .coordinate_uniforms = uniforms};
    qpusim_put_gl_shader_record(&l, &record);
    qpusim_put_attribute_record(&l, &(struct qpusim_cl_attribute_record){vertices, place, place + 16, 0, 0});
    qpusim_put_attribute_record(
        &l, &(struct qpusim_cl_attribute_record){vertices + place, 16, place + 16, place, 0});
    memcpy(frame_at(f, FRAME_RECORD + 64 * n, l.size), l.bytes, l.size);
    qpusim_list_free(&l);
}

static void put_state(struct frame *f, const struct draws_draw *d, unsigned n) {
    struct qpusim_list *l = &f->bin;
    const int *v = d->viewport, *w = d->window;
    qpusim_put_clip_window(
        l, &(struct qpusim_cl_clip_window){(unsigned)w[0], (unsigned)w[1], (unsigned)w[2], (unsigned)w[3]});
    qpusim_put_configuration_bits(
        l, &(struct qpusim_cl_configuration_bits){.front_facing = !(d->cull & QPUSIM_CULL_FRONT),
                                                  .reverse_facing = !(d->cull & QPUSIM_CULL_BACK),
                                                  .clockwise = d->clockwise,
                                                  .depth_offset = d->offset_factor || d->offset_units,
                                                  .depth_func = (unsigned)d->depth_func,
                                                  .depth_write = d->depth_write,
                                                  .early_z = d->early,
                                                  .early_z_updates = d->early_updates});
    qpusim_put_depth_offset(l, &(struct qpusim_cl_depth_offset){d->offset_factor, d->offset_units});
    qpusim_put_viewport_offset(
        l, &(struct qpusim_cl_viewport_offset){16 * v[0] + 8 * v[2], 16 * v[1] + 8 * v[3]});
    qpusim_put_clipper_xy_scaling(
        l, &(struct qpusim_cl_clipper_xy_scaling){(float)(8 * v[2]), (float)(8 * v[3])});
    qpusim_put_clipper_z_scaling(l, &(struct qpusim_cl_clipper_z_scaling){0.5f, 0.5f});
    qpusim_put_z_clip_planes(l, &(struct qpusim_cl_z_clip_planes){d->min_z, d->max_z});
    qpusim_put_point_size(l, &(struct qpusim_cl_point_size){d->point_size});
    qpusim_put_line_width(l, &(struct qpusim_cl_line_width){d->line_width});
    qpusim_put_flat_shade_flags(l, &(struct qpusim_cl_flat_shade_flags){d->flat});
    qpusim_put_gl_shader_state(
        l, &(struct qpusim_cl_gl_shader_state){.attribute_count = 2, .address = FRAME_RECORD + 64 * n});
    if (!d->index_bytes) {
        qpusim_put_array_primitives(l, &(struct qpusim_cl_array_primitives){d->mode, d->count, d->first});
        return;
    }
    uint32_t address = FRAME_INDICES + 256 * n;
    uint8_t *out = frame_at(f, address, 256);
    for (unsigned i = 0; i < d->count; i++)
        memcpy(out + i * d->index_bytes, &d->index[i], d->index_bytes); /* little-endian hosts */
    qpusim_put_indexed_primitives(l, &(struct qpusim_cl_indexed_primitives){d->mode, d->index_bytes - 1,
                                                                            d->count, address,
                                                                            d->vertex_count - 1});
}

static unsigned tile_columns(const struct draws_case *c) {
    unsigned width = c->multisample ? 32 : 64;
    return (c->width + width - 1) / width;
}
static unsigned tile_rows(const struct draws_case *c) {
    unsigned height = (c->multisample ? 32 : 64) / (c->hdr ? 2 : 1);
    return (c->height + height - 1) / height;
}

/* n / 255 as a float of 16 bits, rounded toward zero. */
static uint32_t half_of_byte(uint32_t n) {
    uint32_t bits = bits_of((float)n / 255);
    return n ? (bits >> 13 & 0x3ff) | ((bits >> 23) - 112) << 10 : 0;
}
static uint32_t byte_of_half(uint32_t h) {
    if (h >> 15 || !(h & 0x7c00))
        return 0;
    uint32_t bits = ((h >> 10) + 112) << 23 | (h & 0x3ff) << 13;
    float f;
    memcpy(&f, &bits, 4);
    return f >= 1 ? 255 : (uint32_t)(f * 255 + 0.5f);
}

static void put_bin(struct frame *f, const struct draws_case *c) {
    qpusim_put_binning_mode(&f->bin, &(struct qpusim_cl_binning_mode){.allocation = FRAME_TILES,
                                                                      .allocation_size = FRAME_TILE_BYTES,
                                                                      .tile_state = FRAME_STATE,
                                                                      .width = tile_columns(c),
                                                                      .height = tile_rows(c),
                                                                      .multisample = c->multisample,
                                                                      .color64 = c->hdr,
                                                                      .initialise = true,
                                                                      .initial_block = c->seed / 8 % 2,
                                                                      .block = c->seed / 16 % 4});
    qpusim_put_start_tile_binning(&f->bin);
    for (unsigned i = 0; i < c->count; i++) {
        put_record(f, c, i);
        put_vertices(f, &c->draw[i], FRAME_VERTICES + i * VERTEX_BYTES);
        put_state(f, &c->draw[i], i);
    }
    qpusim_put_increment_semaphore(&f->bin);
    qpusim_put_flush(&f->bin);
}

/* The clear colour and the colours of the store in the order of the record's bits. */
static void put_render(struct frame *f, const struct draws_case *c) {
    struct qpusim_list *l = &f->render;
    unsigned columns = tile_columns(c), rows = tile_rows(c);
    uint32_t words[2] = {c->clear, c->clear};
    for (unsigned i = 0; i < 2 && c->hdr; i++)
        words[i] = half_of_byte(c->clear >> 16 * i & 255) | half_of_byte(c->clear >> (16 * i + 8) & 255)
                                                                << 16;
    qpusim_put_rendering_mode(l, &(struct qpusim_cl_rendering_mode){.address = FRAME_PIXELS,
                                                                    .width = c->width,
                                                                    .height = c->height,
                                                                    .multisample = c->multisample,
                                                                    .color64 = c->hdr,
                                                                    .pixel = c->bgr565 ? 2 : 1,
                                                                    .format = c->format,
                                                                    .early_z_direction = c->early_greater});
    qpusim_put_clear_colors(
        l, &(struct qpusim_cl_clear_colors){
               .color = words[0], .color_high = words[1], .z = c->clear_z, .stencil = c->clear_stencil});
    qpusim_put_tile_coordinates(l, &(struct qpusim_cl_tile_coordinates){0, 0});
    qpusim_put_store_general(l, &(struct qpusim_cl_store_general){0});
    for (unsigned i = 0; i < columns * rows; i++) {
        const struct qpusim_cl_tile_coordinates at = {i % columns, i / columns};
        qpusim_put_tile_coordinates(l, &at);
        if (!i)
            qpusim_put_wait_on_semaphore(l);
        qpusim_put_branch_to_sub_list(
            l, &(struct qpusim_cl_branch_to_sub_list){FRAME_TILES + (32u << c->seed / 8 % 2) * i});
        if (!c->multisample) {
            qpusim_put_store_general(
                l, &(struct qpusim_cl_store_general){
                       .buffer = 2, .address = DEPTHS, .no_color_clear = true, .no_zs_clear = true});
            qpusim_put_tile_coordinates(l, &at);
        }
        if (i + 1 < columns * rows)
            qpusim_put_store_resolved(l);
        else
            qpusim_put_store_resolved_last(l);
    }
}

/* --- pictures ------------------------------------------------------------------------------------------- */

/* Byte of a pixel in memory: rows of whole micro-tiles; micro-tiles of 64 bytes; in T format 4 by 4 of them
 * are 1 KiB, 2 by 2 of those are 4 KiB, in rows that run to and fro (guide section 11). */
static size_t pixel_at(unsigned format, unsigned bytes, unsigned width, unsigned x, unsigned y) {
    unsigned tile_w = bytes == 8   ? 2
                      : bytes == 4 ? 4
                                   : 8,
             ux = x / tile_w, uy = y / 4, inside = (y % 4 * tile_w + x % tile_w) * bytes,
             row_bytes = (width + tile_w - 1) / tile_w * tile_w * bytes;
    if (format == 0)
        return (size_t)y * row_bytes + x * bytes;
    if (format == 2)
        return (size_t)uy * row_bytes * 4 + ux * 64 + inside;
    static const uint8_t even[2][2] = {{0, 3}, {1, 2}}, odd[2][2] = {{2, 1}, {3, 0}}; /* [y][x] */
    unsigned across = (width + 8 * tile_w - 1) / (8 * tile_w), row = uy / 8, column = ux / 8;
    unsigned sub = (row & 1 ? odd : even)[uy / 4 % 2][ux / 4 % 2];
    return ((size_t)row * across + (row & 1 ? across - 1 - column : column)) * 4096 + sub * 1024 +
           (uy % 4 * 4 + ux % 4) * 64 + inside;
}

static void read_picture(struct frame *f, const struct draws_case *c, struct draws_picture *out) {
    const uint8_t *pixels = frame_at(f, FRAME_PIXELS, (size_t)PADDED * PADDED * 8);
    const uint8_t *depths = frame_at(f, DEPTHS, DEPTH_BYTES);
    for (unsigned i = 0; i < c->width * c->height; i++) {
        const uint8_t *p = pixels + pixel_at(c->format,
                                             c->hdr      ? 8
                                             : c->bgr565 ? 2
                                                         : 4,
                                             c->width, i % c->width, i / c->width);
        if (c->bgr565) {
            unsigned v = p[0] | (unsigned)p[1] << 8, r = v >> 11, g = v >> 5 & 63, b = v & 31;
            out->color[i] = 0xff000000u | (b << 3 | b >> 2) << 16 | (g << 2 | g >> 4) << 8 | r << 3 | r >> 2;
        } else if (c->hdr) {
            for (unsigned k = 0; k < 4; k++)
                out->color[i] |= byte_of_half(p[2 * k] | (unsigned)p[2 * k + 1] << 8) << 8 * k;
        } else {
            memcpy(&out->color[i], p, 4);
        }
        uint32_t depth;
        memcpy(&depth, depths + pixel_at(0, 4, c->width, i % c->width, i / c->width), 4);
        out->depth[i] = depth >> 8;
        out->stencil[i] = (uint8_t)depth;
    }
}

bool draws_machine(const struct draws_case *c, unsigned threads, struct draws_picture *out) {
    struct frame f;
    bool ok = true;
    memset(out, 0, sizeof *out);
    frame_open(&f, PADDED, 2 * PADDED, 8 << 20);
    qpusim_memory_remove(f.memory, FRAME_RECORD);
    ok &= qpusim_memory_add(f.memory, FRAME_RECORD, 64 * DRAWS_MAX, NULL, "records") == QPUSIM_OK;
    ok &= qpusim_memory_add(f.memory, DEPTHS, DEPTH_BYTES, NULL, "depths") == QPUSIM_OK;
    for (unsigned i = 0; i < c->count && ok; i++)
        ok = put_uniforms(&f, &c->draw[i], FRAME_UNIFORMS + i * UNIFORM_BYTES);
    if (ok) {
        put_bin(&f, c);
        put_render(&f, c);
        f.options.threads = threads;
        ok = frame_run(&f) == QPUSIM_OK;
        if (!ok)
            fprintf(stderr, "%s: %s (record %08x)\n", f.error.rule, f.error.text, (unsigned)f.error.record);
        if (f.counters.position_mismatches) {
            fprintf(stderr, "vertex and coordinate shader disagree\n");
            ok = false;
        }
    }
    if (ok)
        read_picture(&f, c, out);
    frame_close(&f);
    return ok;
}
