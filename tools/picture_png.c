/* PNG files in and out. */
#include "file.h"
#include "picture.h"

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool decode(struct picture *picture, unsigned most, const char *name, const void *data, size_t bytes,
                   char *error, size_t size) {
    png_image image = {.version = PNG_IMAGE_VERSION};
    memset(picture, 0, sizeof *picture);
    bool ok = png_image_begin_read_from_memory(&image, data, bytes) != 0;
    if (ok && (image.width > most || image.height > most)) {
        snprintf(error, size, "%s: %u x %u texels, but %u is the %s limit", name, image.width, image.height,
                 most, most == PICTURE_MAX_PIXELS ? "hardware's" : "reader's");
        png_image_free(&image);
        return false;
    }
    if (ok) {
        image.format = PNG_FORMAT_RGBA;
        picture->width = image.width;
        picture->height = image.height;
        picture->pixels = malloc(PNG_IMAGE_SIZE(image));
        /* a negative stride reverses the rows: a PNG's first row is the top one */
        ok = picture->pixels &&
             png_image_finish_read(&image, NULL, picture->pixels, -(png_int_32)image.width * 4, NULL);
    }
    if (!ok) {
        snprintf(error, size, "%s: %s", name, image.message[0] ? image.message : "out of memory");
        picture_free(picture);
    }
    png_image_free(&image);
    return ok;
}

bool picture_decode_png(struct picture *picture, const char *name, const void *data, size_t bytes,
                        char *error, size_t size) {
    return decode(picture, PICTURE_MAX_PIXELS, name, data, bytes, error, size);
}

static bool read_png(struct picture *picture, unsigned most, const char *path, char *error, size_t size) {
    struct file_data file;
    memset(picture, 0, sizeof *picture);
    if (!file_read(path, &file, error, size))
        return false;
    bool ok = decode(picture, most, path, file.data, file.size, error, size);
    file_free(&file);
    return ok;
}

bool picture_read_png(struct picture *picture, const char *path, char *error, size_t size) {
    return read_png(picture, PICTURE_MAX_PIXELS, path, error, size);
}

bool picture_read_large_png(struct picture *picture, const char *path, char *error, size_t size) {
    return read_png(picture, 4 * PICTURE_MAX_PIXELS, path, error, size);
}

struct encoder {
    jmp_buf failed;
    const char *message;
    uint8_t *bytes;
    size_t size, capacity;
};

static void encoder_fails(png_structp png, png_const_charp message) {
    struct encoder *e = png_get_error_ptr(png);
    e->message = message;
    longjmp(e->failed, 1);
}

static void encoder_writes(png_structp png, png_bytep bytes, size_t count) {
    struct encoder *e = png_get_io_ptr(png);
    if (count > e->capacity - e->size) {
        size_t capacity = 2 * e->capacity + count;
        uint8_t *grown = realloc(e->bytes, capacity);
        if (!grown)
            png_error(png, "out of memory");
        e->bytes = grown;
        e->capacity = capacity;
    }
    memcpy(e->bytes + e->size, bytes, count);
    e->size += count;
}

/* Differences of neighbours at zlib's first level: a fifth of the default's time, for about 1.2 times the
 * bytes. */
static void encode_rows(png_structp png, png_infop info, const struct picture *picture, bool alpha) {
    png_set_IHDR(png, info, picture->width, picture->height, 8,
                 alpha ? PNG_COLOR_TYPE_RGBA : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, 1);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    if (!alpha)
        png_set_filler(png, 0, PNG_FILLER_AFTER);
    for (unsigned y = picture->height; y-- > 0;) /* a PNG's first row is the top one */
        png_write_row(png, picture->pixels + (size_t)y * picture->width * 4);
    png_write_end(png, info);
}

/* Apart from the caller, whose encoder changes between setjmp and longjmp. */
static bool encode(struct encoder *e, png_structp png, png_infop info, const struct picture *picture,
                   bool alpha) {
    if (setjmp(e->failed))
        return false;
    png_set_write_fn(png, e, encoder_writes, NULL);
    encode_rows(png, info, picture, alpha);
    return true;
}

uint8_t *picture_encode_png(const struct picture *picture, bool alpha, size_t *bytes, char *error,
                            size_t size) {
    struct encoder e = {.message = "out of memory"};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &e, encoder_fails, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool ok = info && encode(&e, png, info, picture, alpha);
    png_destroy_write_struct(&png, &info);
    if (!ok) {
        snprintf(error, size, "%s", e.message);
        free(e.bytes);
        return NULL;
    }
    *bytes = e.size;
    return e.bytes;
}

bool picture_write_png(const struct picture *picture, const char *path, bool alpha, char *error,
                       size_t size) {
    char reason[120];
    size_t bytes = 0;
    uint8_t *png = picture_encode_png(picture, alpha, &bytes, reason, sizeof reason);
    bool ok = png && file_write(path, png, bytes, error, size);
    if (!png)
        snprintf(error, size, "%s: %s", path, reason);
    free(png);
    return ok;
}
