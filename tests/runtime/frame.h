/* A frame as a driver submits it: memory with buffers at known places, programs, two control lists. What
 * cannot fail in a sound test ends the process with a message. */
#ifndef RUNTIME_FRAME_H
#define RUNTIME_FRAME_H

#include <qpucc/lists.h>

enum { /* where buffers are; those that a test needs besides are its own */
       FRAME_BIN = 0x10100000,
       FRAME_RENDER = 0x10200000,
       FRAME_RECORD = 0x10300000,
       FRAME_CODE = 0x10400000,
       FRAME_UNIFORMS = 0x10500000,
       FRAME_VERTICES = 0x10600000,
       FRAME_INDICES = 0x10a00000,
       FRAME_STATE = 0x10b00000,
       FRAME_TILES = 0x10c00000,
       FRAME_PIXELS = 0x11000000,
       FRAME_TILE_BYTES = 1 << 16,
};

struct frame {
    struct qpusim_memory *memory;
    struct qpusim_block *block;
    struct qpusim_list bin, render;
    struct qpusim_error error;
    struct qpusim_counters counters;
    struct qpusim_options options;
    unsigned width, height;
    uint32_t code; /* where the next program goes */
};

/* With memory for a picture of width by height pixels and the tiles of any configuration, and `textures`
 * bytes that qpusim_memory_alloc gives. */
void frame_open(struct frame *f, unsigned width, unsigned height, size_t textures);
void frame_close(struct frame *f);
/* The bytes at [address, address + size). */
void *frame_at(struct frame *f, uint32_t address, size_t size);
/* Assembles a program into memory; returns its address. */
uint32_t frame_program(struct frame *f, const char *text);
/* A vertex or coordinate shader: position, point size if there is one, varyings. Screen coordinates are
 * rounded to nearest. Its uniforms are for a viewport of that many pixels; depths go from 0 to 1. */
uint32_t frame_vertex_program(struct frame *f, unsigned varyings, bool sizes, bool coordinate);
void frame_vertex_uniforms(uint32_t words[6], unsigned width, unsigned height);
/* Puts the state record of a fragment program and those two in front of the primitives of the binning list.
 * Each vertex has `stride` bytes: position, point size if there is one, varyings. `words` are the fragment
 * shader's uniforms; the others' are at FRAME_UNIFORMS. */
void frame_use_shader(struct frame *f, const char *fs, unsigned varyings, bool sizes, unsigned stride,
                      const uint32_t *words, unsigned count);
/* Puts both lists where the block reads them, and runs them. */
enum qpusim_status frame_run(struct frame *f);
void frame_run_well(struct frame *f);

/* Lists of tiles of 64 pixels: the records up to the shader state, with `allocation` bytes of tile memory in
 * blocks of that size code; the end of binning; a rendering list that clears to a colour and stores it. */
void frame_begin_bin(struct frame *f, uint32_t allocation, unsigned block);
void frame_end_bin(struct frame *f);
void frame_write_render(struct frame *f, uint32_t clear);

#endif
