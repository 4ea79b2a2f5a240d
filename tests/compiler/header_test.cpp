// The public headers compile as C++, and the library links from it.
#include <qpucc/assumptions.h>
#include <qpucc/cache.h>
#include <qpucc/fixed.h>
#include <qpucc/lists.h>
#include <qpucc/qpucc.h>
#include <qpucc/qpusim.h>
#include <qpucc/native.h>

#include <cstring>
#include <string>

int main() {
    const std::string text = "precision mediump float; void main() { gl_FragColor = vec4(1.0); }";
    qpucc_source source{};
    source.name = "white.frag";
    source.data = text.data();
    source.size = text.size();
    source.stage = QPUCC_FRAGMENT;
    source.language = QPUCC_GLSL;
    qpucc_program *program = qpucc_compile(&source, 1, nullptr, nullptr);
    std::size_t count = 0;
    const bool ok = program != nullptr && qpucc_program_status(program) == QPUCC_OK &&
                    qpucc_program_code(program, QPUCC_FRAGMENT, &count) != nullptr && count > 3;
    qpucc_program_free(program);
    const qpucc_fixed fixed{};
    program = qpucc_compile_fixed(&fixed, nullptr, nullptr);
    const bool fixed_ok = program != nullptr && qpucc_program_status(program) == QPUCC_OK;
    qpucc_program_free(program);
    // No struct has a function's name, so that none needs the word struct before it.
    const qpusim_draw_info draw{};
    const qpusim_run_info run{};
    const bool refused = qpusim_draw(nullptr, &draw, nullptr, nullptr) == QPUSIM_BAD_ARGUMENT &&
                         qpusim_run(&run, nullptr, nullptr, nullptr) == QPUSIM_BAD_ARGUMENT;
    return ok && fixed_ok && refused ? 0 : 1;
}
