/* What the excerpts of docs/driver-guide.md take from the driver around them. */
#include <qpucc/cache.h>
#include <qpucc/native.h>
#include <qpucc/qpucc.h>
#include <qpucc/records.h>
#include <qpucc/tally.h>
#include <qpucc/texture.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct buffer {
    uint32_t handle;
};
struct job {
    const qpucc_program *base;
    qpucc_program *result;
    struct qpucc_state key;
};

extern const char *vertex_text, *fragment_text;
extern qpucc_program *program;
extern qpucc_shader *vertex_shader, *fragment_shader;
extern const qpucc_shader *shaders[2];
extern int deleted;
extern struct qpucc_control control[8];
extern size_t count;
extern qpucc_program *pictures;
extern const struct qpucc_layout *layout;
extern struct qpucc_state state;
extern struct qpucc_draw_state numbers_of_draw;
extern struct qpucc_record_bytes record_of_draw;
extern struct qpucc_source one_source[1];
extern struct buffer code_buffer[QPUCC_STAGE_COUNT], stream_buffer[QPUCC_STAGE_COUNT], uniform_buffer,
    texture_buffer;
extern const void *pixels;
extern unsigned unit_of_slot[QPUCC_MAX_TEXTURES];
extern uint32_t setup_words[QPUCC_MAX_TEXTURES][4], *storage;
extern float matrix[16];
extern size_t index_of_matrix, stored_size;
extern const void *stored;
extern const char *cache_directory;
extern struct qpucc_state other_state;
extern bool depth_function_is_ordered;

extern int driver_heap;
void *heap_allocate(void *user, size_t size), *heap_reallocate(void *user, void *memory, size_t size);
void heap_release(void *user, void *memory);
void *buffer_map(struct buffer *buffer, size_t bytes);
uint32_t buffer_address(const struct buffer *buffer);
uint32_t array_address(uint32_t array), array_stride(uint32_t array), array_handle(uint32_t array);
uint32_t texture_handle(uint32_t unit), upload_aligned(const void *data, size_t size, size_t align);
unsigned bound_unit(const char *name, unsigned element);
qpucc_program *table_find(const void *key, size_t size);
struct job *next_job(void);
void job_done(struct job *job);
void store_bytes(const void *bytes, size_t size);
void log_line(const char *file, unsigned line, const char *kind, const char *text);
void log_usage(uint64_t work, uint64_t bytes);
void active_uniform(const char *name, uint32_t type, unsigned size, int location);
void bind_array(uint32_t array, const char *name, unsigned column, unsigned bytes);
void list_flat_shade_flags(uint32_t flags), list_gl_shader_state(uint32_t word);
void list_nv_shader_state(uint32_t word), list_configuration(bool early_z, bool early_z_update);
void tile_must_be_loaded(void), out_of_memory_or_missing_values(void), bad_address_or_stride(void);
void remember_word(size_t word), driver_bug(const char *text), add_handle(uint32_t handle);
void append(const uint8_t *bytes, size_t size), list_indexed_primitives(void);
uint32_t place_of_handle(uint32_t handle);
extern struct buffer index_buffer;
