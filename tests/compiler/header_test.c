/* The public headers compile as strict C11, whatever comes first, and twice. */
#include <qpucc/qpusim.h>
#include <qpucc/lists.h>
#include <qpucc/cache.h>
#include <qpucc/qpucc.h>
#include <qpucc/fixed.h>
#include <qpucc/assumptions.h>
#include <qpucc/native.h>
#include <qpucc/qpusim.h>
#include <qpucc/cache.h>
#include <qpucc/qpucc.h>

int main(void) {
    struct qpusim_draw_info draw = {0};
    struct qpucc_options options = qpucc_options_default();
    return qpucc_version()[0] && options.opt_level == 2 && !draw.count ? 0 : 1;
}
