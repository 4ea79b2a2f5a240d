#include <qpucc/qpusim.h>

#define TEXT(x) #x
#define VERSION_TEXT(a, b, c) TEXT(a) "." TEXT(b) "." TEXT(c)

const char *qpusim_version(void) {
    return VERSION_TEXT(QPUCC_VERSION_MAJOR, QPUCC_VERSION_MINOR, QPUCC_VERSION_PATCH);
}
