/* Base64. */
#include "base64.h"

#include <stdlib.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

char *base64_encode(const uint8_t *data, size_t size) {
    char *text = malloc((size + 2) / 3 * 4 + 1), *out = text;
    if (!text)
        return NULL;
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t bits = (uint32_t)data[i] << 16;
        bits |= left > 1 ? (uint32_t)data[i + 1] << 8 : 0;
        bits |= left > 2 ? data[i + 2] : 0;
        *out++ = digits[bits >> 18];
        *out++ = digits[bits >> 12 & 63];
        *out++ = left > 1 ? digits[bits >> 6 & 63] : '=';
        *out++ = left > 2 ? digits[bits & 63] : '=';
    }
    *out = 0;
    return text;
}

static int value_of(char c) {
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

uint8_t *base64_decode(const char *text, size_t length, size_t *size) {
    size_t padding = 0;
    while (padding < 2 && padding < length && text[length - 1 - padding] == '=')
        padding++;
    uint8_t *data = length % 4 == 0 ? malloc(length / 4 * 3 + 1) : NULL, *out = data;
    uint32_t bits = 0;
    for (size_t i = 0; data && i < length; i++) {
        int value = i < length - padding ? value_of(text[i]) : 0;
        if (value < 0) {
            free(data);
            return NULL;
        }
        bits = bits << 6 | (uint32_t)value;
        if (i % 4 == 3) {
            *out++ = (uint8_t)(bits >> 16);
            *out++ = (uint8_t)(bits >> 8);
            *out++ = (uint8_t)bits;
        }
    }
    if (data)
        *size = length / 4 * 3 - padding;
    return data;
}
