/* Records that a real driver sent (QPUCC_SHARED/captures): a program with the same layout and inputs with the
 * same addresses and strides give the same bytes, and the public decoder reads them. */
#include "compiler/program.h"
#include "tests/isa/corpus.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned seen, compared, wrong;

static void complain(const char *scene, const char *what) {
    printf("%s: record %u: %s\n", scene, seen, what);
    wrong++;
}

/* A program of which only the layout is there. */
static void set_layout(struct qpucc_program *program, const struct qpucc_record *r) {
    static uint64_t code;
    struct qpucc_layout *layout = &program->layout;
    for (int s = 0; s < QPUCC_STAGE_COUNT; s++)
        program->stages[s].code = &code;
    layout->flags = (r->single_threaded ? QPUCC_SINGLE_THREADED : QPUCC_THREADED) |
                    (r->point_size ? QPUCC_POINT_SIZE : 0);
    layout->varying_words = r->varyings;
    layout->attribute_count = r->attribute_count;
    for (int k = 0; k < 2; k++) {
        enum qpucc_stage stage = k ? QPUCC_COORDINATE : QPUCC_VERTEX;
        layout->attribute_select[stage] = (uint8_t)r->shader[k].attribute_mask;
        layout->attribute_bytes[stage] = (uint8_t)r->shader[k].attribute_bytes;
        for (unsigned i = 0; i < r->attribute_count; i++)
            layout->attributes[i].vpm_offset[stage] =
                (uint8_t)(k ? r->attribute[i].coordinate_offset : r->attribute[i].vertex_offset);
    }
    for (unsigned i = 0; i < r->attribute_count; i++) {
        layout->attributes[i].bytes = (uint8_t)r->attribute[i].bytes;
        layout->attributes[i].words = (uint8_t)(r->attribute[i].bytes / 4);
    }
}

static void check_record(const char *scene, const uint8_t *bytes, unsigned attributes) {
    size_t size = 36 + 8 * (size_t)attributes;
    struct qpucc_record record;
    struct qpucc_record_bytes out;
    bool words = true;
    seen++;
    if (!qpucc_record_decode(bytes, size, &record) || record.attribute_count != attributes) {
        complain(scene, "does not decode");
        return;
    }
    struct qpucc_record_inputs in = {.no_clipping = !record.clipping};
    memcpy(in.code_address, record.code_address, sizeof in.code_address);
    memcpy(in.uniform_address, record.uniform_address, sizeof in.uniform_address);
    for (unsigned i = 0; i < attributes; i++) {
        in.attribute[i].address = record.attribute[i].address;
        in.attribute[i].stride = record.attribute[i].stride;
        words &= record.attribute[i].bytes % 4 == 0;
    }
    if (!words) /* our code reads whole words */
        return;
    struct qpucc_program *program = program_create(NULL, NULL);
    set_layout(program, &record);
    compared++;
    if (!qpucc_record_fill(program, QPUCC_RECORD_GL, &in, &out))
        complain(scene, "is not filled");
    else if (out.size != size || memcmp(out.bytes, bytes, size) != 0 || out.list_bits != (attributes & 7))
        complain(scene, "differs");
    for (size_t i = 0; i < out.relocation_count; i++)
        if (out.relocations[i].offset % 4 || out.relocations[i].offset + 4 > size)
            complain(scene, "has a relocation outside");
    if (out.relocation_count != 3 + attributes) /* three codes; the kernel fills in the uniforms */
        complain(scene, "has other relocations");
    qpucc_program_free(program);
}

/* Lengths of a binner list's packets, with the opcode (captures/README.md). */
static unsigned packet_length(uint8_t opcode) {
    static const uint8_t lengths[256] = {
        [4] = 1,  [6] = 1,  [7] = 1,   [32] = 14, [33] = 10, [56] = 2,  [64] = 5,  [96] = 4,   [97] = 5,
        [98] = 5, [99] = 5, [101] = 5, [102] = 9, [103] = 5, [105] = 9, [106] = 9, [112] = 16, [254] = 9};
    return lengths[opcode];
}

/* The k-th GL shader state packet (64) has the k-th record, after a buffer's number for each address. */
static bool check_submit(const char *scene, unsigned number) {
    char path[PATH_SIZE];
    size_t list_size = 0, records_size = 0, at = 0;
    print_path(path, "%s/submit%u.bin_cl", scene, number);
    char *list = read_file(path, &list_size);
    print_path(path, "%s/submit%u.shader_rec", scene, number);
    char *records = read_file(path, &records_size);
    for (size_t i = 0; list && records && i < list_size && packet_length((uint8_t)list[i]);
         i += packet_length((uint8_t)list[i])) {
        if (list[i] != 64 || i + 1 >= list_size)
            continue;
        unsigned attributes = list[i + 1] & 7 ? list[i + 1] & 7u : 8;
        size_t size = 4 * (3 + attributes) + 36 + 8 * (size_t)attributes;
        if (at + size > records_size) {
            complain(scene, "ends too early");
            break;
        }
        check_record(scene, (const uint8_t *)records + at + 4 * (3 + attributes), attributes);
        at += size;
    }
    free(records);
    free(list);
    return list != NULL;
}

int main(void) {
    char path[PATH_SIZE], scene[PATH_SIZE];
    if (!shared_folder())
        return puts("skipped: QPUCC_SHARED names no folder"), 77;
    print_path(path, "%s/captures", shared_folder());
    DIR *directory = opendir(path);
    if (!directory)
        return puts("skipped: there are no captures"), 77;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        print_path(scene, "%s/%s", path, entry->d_name);
        for (unsigned number = 0; entry->d_name[0] != '.' && check_submit(scene, number);)
            number++;
    }
    closedir(directory);
    printf("%u records, %u of whole words, %u wrong\n", seen, compared, wrong);
    return wrong || compared < 80;
}
