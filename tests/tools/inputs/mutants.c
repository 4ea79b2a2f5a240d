/* What tools/mutate.c may change: if (1 < 2) in a comment it may not. */
#include <assert.h>
#define LIMIT (3 + 4)

enum kind { ROUND = 1, SQUARE };

static const char *const words[2] = {"if (a < b)", "'+'"};
static char buffer[200];

int f(int *a, int b, char c) {
    assert(a && b >= 0);
    int sum = -b * 2 + *a++ - 17;
    if (b < 3 && !(c == '<'))
        sum += a[0] << 1;
    switch (b) {
    case ROUND: return sum | 0xf0;
    case SQUARE: return c ? sum & 1 : 0;
    default: return sum >= 1 ? (int)(0.5f * (float)sum) : words[0] != buffer;
    }
}
