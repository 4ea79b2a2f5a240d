/* Accept-Encoding. */
#define _GNU_SOURCE
#include "coding.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

/* Of ";q=0.5" in thousandths. A parameter that is none counts as refusal: it is not what was asked for. */
static int quality(const char *at, const char *end) {
    int value = 0, scale = 1000;
    at += strspn(at, " \t");
    if (at >= end)
        return 1000;
    if (*at++ != ';')
        return 0;
    at += strspn(at, " \t");
    if (end - at < 3 || strncasecmp(at, "q=", 2) || (at[2] != '0' && at[2] != '1'))
        return 0;
    value = 1000 * (at[2] - '0');
    at += 3;
    if (at < end && *at == '.')
        for (at++; at < end && *at >= '0' && *at <= '9'; at++)
            value += (scale /= 10) * (*at - '0');
    return value > 1000 ? 1000 : value;
}

void coding_add(struct coding_wishes *wishes, const char *field) {
    for (const char *at = field; *at; at += *at == ',') {
        at += strspn(at, " \t");
        const char *end = strchrnul(at, ',');
        size_t length = strcspn(at, " \t;,");
        int *wish =
            length == 1 && *at == '*'                        ? &wishes->any
            : length == 8 && !strncasecmp(at, "identity", 8) ? &wishes->identity
            : (length == 4 && !strncasecmp(at, "gzip", 4)) || (length == 6 && !strncasecmp(at, "x-gzip", 6))
                ? &wishes->gzip
                : NULL;
        if (wish)
            *wish = quality(at + length, end);
        at = end;
    }
}

enum coding coding_choose(const struct coding_wishes *wishes) {
    int gzip = wishes->gzip >= 0 ? wishes->gzip : wishes->any >= 0 ? wishes->any : 0;
    bool plain = wishes->identity >= 0 ? wishes->identity > 0 : wishes->any != 0;
    if (gzip > 0 && gzip >= wishes->identity)
        return CODING_GZIP;
    return plain ? CODING_IDENTITY : gzip > 0 ? CODING_GZIP : CODING_NONE;
}
