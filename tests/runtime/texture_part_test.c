/* Textures in parts (qpucc/texture.h): where they lie, storing and loading rectangles of levels, by what
 * is in the machine's memory when the whole is stored at once. */
#include <check.h>
#include <qpucc/qpusim.h>
#include <qpucc/texture.h>
#include <stdlib.h>
#include <string.h>

struct kind {
    enum qpusim_format format;
    unsigned width, height, levels, step_x, step_y; /* step: texels of an element */
    bool cube;
};

static const struct kind kinds[] = {
    {QPUSIM_RGBA8888, 100, 52, 3, 1, 1, false}, {QPUSIM_RGBA8888, 64, 64, 7, 1, 1, true},
    {QPUSIM_RGB565, 37, 90, 1, 1, 1, false},    {QPUSIM_LUMINANCE, 200, 8, 2, 1, 1, false},
    {QPUSIM_ETC1, 70, 33, 3, 4, 4, false},      {QPUSIM_RGBA64, 33, 33, 1, 1, 1, false},
    {QPUSIM_BW1, 70, 40, 1, 8, 1, false},       {QPUSIM_YUYV422R, 46, 20, 1, 2, 1, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds, FACES = 6, LEVELS = 12 };

static unsigned of_level(unsigned size, unsigned level) {
    return size >> level ? size >> level : 1;
}

static void make_images(const struct kind *k, struct qpusim_image *images) {
    for (unsigned i = 0; i < (k->cube ? FACES : 1) * k->levels; i++) {
        unsigned w = of_level(k->width, i % k->levels), h = of_level(k->height, i % k->levels);
        size_t size = qpusim_image_size(k->format, w, h);
        uint8_t *bytes = malloc(size);
        for (size_t at = 0; at < size; at++)
            bytes[at] = (uint8_t)(at * 37 + i * 11 + at / 251);
        images[i] = (struct qpusim_image){bytes, w, h};
    }
}

/* Rectangles that cover a level: of a size that is no power of two, in rows longer than they are. */
static void store_in_parts(const struct kind *k, const struct qpusim_texture_place *place, unsigned face,
                           unsigned level, const uint8_t *pixels, uint8_t *buffer) {
    unsigned w = of_level(k->width, level), h = of_level(k->height, level),
             row_units = (w + k->step_x - 1) / k->step_x;
    size_t row = qpusim_image_size(k->format, w, k->step_y), unit = row / row_units;
    for (unsigned y = 0; y < h; y += 3 * k->step_y)
        for (unsigned x = 0; x < w; x += 5 * k->step_x) {
            struct qpusim_texture_part part = {
                .face = face, .level = level, .x = x, .y = y, .row_bytes = row};
            part.width = w - x < 5 * k->step_x ? w - x : 5 * k->step_x;
            part.height = h - y < 3 * k->step_y ? h - y : 3 * k->step_y;
            ck_assert(
                qpusim_store_part(place, &part, pixels + y / k->step_y * row + x / k->step_x * unit, buffer));
        }
}

START_TEST(parts_make_the_whole) {
    const struct kind *k = &kinds[_i];
    struct qpusim_image images[FACES * LEVELS];
    struct qpusim_texture_info info = {
        .format = k->format, .levels = images, .level_count = k->levels, .cube = k->cube};
    struct qpusim_texture_place place;
    struct qpusim_texture texture;
    struct qpusim_memory *memory = qpusim_memory_new(4 << 20);
    make_images(k, images);
    ck_assert_int_eq(qpusim_upload_texture(memory, &info, &texture), QPUSIM_OK);
    ck_assert(qpusim_place_texture(&info, &place));
    uint32_t start = texture.address - place.base;
    ck_assert_uint_eq(texture.p0, place.p0 | texture.address);
    ck_assert_uint_eq(texture.p1, place.p1);
    ck_assert_uint_eq(texture.p2, place.p2);

    uint8_t *buffer = calloc(place.size, 1), *whole = calloc(place.size, 1);
    ck_assert(qpusim_store_texture(&info, &place, whole));
    for (unsigned i = 0; i < place.face_count * k->levels; i++)
        store_in_parts(k, &place, i / k->levels, i % k->levels, images[i].pixels, buffer);
    ck_assert_mem_eq(buffer, whole, place.size);
    ck_assert_mem_eq(buffer, qpusim_memory_map(memory, start, place.size), place.size);

    for (unsigned i = 0; i < place.face_count * k->levels; i++) {
        size_t size = qpusim_image_size(k->format, images[i].width, images[i].height);
        struct qpusim_texture_part all = {.face = i / k->levels,
                                          .level = i % k->levels,
                                          .width = images[i].width,
                                          .height = images[i].height};
        uint8_t *back = malloc(size);
        ck_assert(qpusim_load_part(&place, &all, buffer, back));
        ck_assert_mem_eq(back, images[i].pixels, size);
        free(back);
        free((void *)images[i].pixels);
    }
    free(buffer);
    free(whole);
    qpusim_memory_free(memory);
}
END_TEST

START_TEST(what_is_no_part_is_refused) {
    const struct qpusim_image images[2] = {{NULL, 70, 33}, {NULL, 35, 16}};
    struct qpusim_texture_info info = {.format = QPUSIM_ETC1, .levels = images, .level_count = 2};
    struct qpusim_texture_place place;
    uint8_t pixels[8] = {0}, *buffer;
    ck_assert(qpusim_place_texture(&info, &place));
    buffer = calloc(place.size, 1);
    static const struct qpusim_texture_part wrong[] = {
        {.face = 1, .width = 4, .height = 4},      {.level = 2, .width = 4, .height = 4},
        {.x = 2, .width = 4, .height = 4},         {.width = 3, .height = 4},
        {.x = 68, .width = 4, .height = 4},        {.y = 32, .width = 4, .height = 2},
        {.x = 0xfffffffc, .width = 8, .height = 4}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_msg(!qpusim_store_part(&place, &wrong[i], pixels, buffer) &&
                          !qpusim_load_part(&place, &wrong[i], buffer, pixels),
                      "part %zu", i);
    const struct qpusim_texture_part corner = {.x = 68, .y = 32, .width = 2, .height = 1};
    ck_assert(qpusim_store_part(&place, &corner, pixels, buffer));
    ck_assert(!qpusim_store_texture(&info, &place, buffer)); /* an image is missing */
    free(buffer);
}
END_TEST

START_TEST(what_is_no_texture_is_refused) {
    struct qpusim_image image = {NULL, 64, 64};
    struct qpusim_texture_info info = {.levels = &image, .level_count = 8};
    struct qpusim_texture_place place;
    ck_assert(!qpusim_place_texture(&info, &place)); /* 64 has 7 levels */
    info.level_count = 7;
    ck_assert(qpusim_place_texture(&info, &place));
    info.format = (enum qpusim_format)18;
    ck_assert(!qpusim_place_texture(&info, &place));
    info.format = QPUSIM_RGBA64;
    info.generate_mipmaps = true;
    ck_assert(!qpusim_place_texture(&info, &place));
    info.generate_mipmaps = false;
    image.width = 2049;
    ck_assert(!qpusim_place_texture(&info, &place));
    image.width = 0;
    ck_assert(!qpusim_place_texture(&info, &place));
    ck_assert(!place.size);
    ck_assert(!qpusim_place_texture(NULL, &place));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("texture_part");
    TCase *c = tcase_create("texture_part");
    tcase_add_loop_test(c, parts_make_the_whole, 0, KINDS);
    tcase_add_test(c, what_is_no_part_is_refused);
    tcase_add_test(c, what_is_no_texture_is_refused);
    suite_add_tcase(suite, c);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
