/* Base64 (RFC 4648), as JSON documents carry bytes. */
#ifndef TOOLS_BASE64_H
#define TOOLS_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* malloc'ed text with a NUL; NULL: out of memory. */
char *base64_encode(const uint8_t *data, size_t size);
/* malloc'ed bytes; NULL: not base64 (blanks are not allowed), or out of memory. */
uint8_t *base64_decode(const char *text, size_t length, size_t *size);

#endif
