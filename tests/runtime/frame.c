#include "frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/isa/isa.h"

static void must(bool ok, const char *what) {
    if (!ok) {
        fprintf(stderr, "frame: %s\n", what);
        abort();
    }
}

void frame_open(struct frame *f, unsigned width, unsigned height, size_t textures) {
    memset(f, 0, sizeof *f);
    f->options.counters = &f->counters;
    f->memory = qpusim_memory_new(textures);
    must(f->memory, "no memory");
    const size_t tiles = (size_t)((width + 31) / 32) * ((height + 15) / 16);
    const struct {
        uint32_t address;
        size_t size;
        const char *owner;
    } buffers[] = {{FRAME_RECORD, 4096, "records"},
                   {FRAME_CODE, 1 << 16, "code"},
                   {FRAME_UNIFORMS, 4096, "uniforms"},
                   {FRAME_VERTICES, 4 << 20, "vertices"},
                   {FRAME_INDICES, 1 << 16, "indices"},
                   {FRAME_STATE, 48 * tiles, "tile state"},
                   {FRAME_TILES, FRAME_TILE_BYTES, "tiles"},
                   {FRAME_PIXELS, (size_t)width * height * 4, "pixels"}};
    for (unsigned i = 0; i < sizeof buffers / sizeof *buffers; i++)
        must(qpusim_memory_add(f->memory, buffers[i].address, buffers[i].size, NULL, buffers[i].owner) ==
                 QPUSIM_OK,
             buffers[i].owner);
    f->block = qpusim_block_new(f->memory);
    must(f->block, "no block");
    f->code = FRAME_CODE;
}

void frame_close(struct frame *f) {
    qpusim_block_free(f->block);
    qpusim_memory_free(f->memory);
    qpusim_list_free(&f->bin);
    qpusim_list_free(&f->render);
}

void *frame_at(struct frame *f, uint32_t address, size_t size) {
    void *p = qpusim_memory_map(f->memory, address, size);
    must(p, "an address outside all buffers");
    return p;
}

uint32_t frame_program(struct frame *f, const char *text) {
    struct qpu_asm_result a = qpu_assemble(text, strlen(text));
    if (!a.code)
        fprintf(stderr, "line %u: %s in\n%s", a.line, a.error, text);
    must(a.code, "a program that does not assemble");
    uint32_t address = f->code;
    memcpy(frame_at(f, address, 8 * a.count), a.code, 8 * a.count);
    f->code += (uint32_t)(8 * a.count + 64);
    free(a.code);
    return address;
}

enum qpusim_status frame_run(struct frame *f) {
    qpusim_memory_remove(f->memory, FRAME_BIN);
    qpusim_memory_remove(f->memory, FRAME_RENDER);
    if (f->bin.size)
        qpusim_memory_add(f->memory, FRAME_BIN, f->bin.size, f->bin.bytes, "bin list");
    if (f->render.size)
        qpusim_memory_add(f->memory, FRAME_RENDER, f->render.size, f->render.bytes, "render list");
    return qpusim_run_lists(f->block, FRAME_BIN, FRAME_BIN + (uint32_t)f->bin.size, FRAME_RENDER,
                            FRAME_RENDER + (uint32_t)f->render.size, &f->options, &f->error);
}

void frame_run_well(struct frame *f) {
    if (frame_run(f) == QPUSIM_OK)
        return;
    fprintf(stderr, "%s: %s (record %08x)\n", f->error.rule, f->error.text, (unsigned)f->error.record);
    must(false, "the lists fail");
}
