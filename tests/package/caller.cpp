// A C++ program that uses the installed libraries: every header, a compile, a variant, and a run of what they
// made.
#ifdef WITH_NATIVE
#include <qpucc/native.h>
#endif
#include <qpucc/cache.h>
#include <qpucc/fixed.h>
#include <qpucc/qpucc.h>
#include <qpucc/qpusim.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#if !QPUCC_VERSION_AT_LEAST(0, 2, 0) || QPUCC_VERSION_AT_LEAST(QPUCC_VERSION_MAJOR + 1, 0, 0)
#error "the version's macros contradict each other"
#endif

struct free_program {
    void operator()(qpucc_program *p) const { qpucc_program_free(p); }
    void operator()(qpusim_program *p) const { qpusim_program_free(p); }
};

// The colour of a fragment shader without inputs, as the machine computes it.
static bool color(const qpucc_program *program, std::uint32_t background, std::uint32_t &out) {
    std::size_t count = 0;
    const std::uint64_t *code = qpucc_program_code(program, QPUCC_FRAGMENT, &count);
    const std::unique_ptr<qpusim_program, free_program> fragment(
        qpusim_program_new(code, count, QPUSIM_FRAGMENT, false));
    std::vector<std::uint32_t> stream(qpucc_uniforms_size(program, QPUCC_FRAGMENT) + 1);
    const qpucc_draw_values values{};
    if (!fragment || !qpucc_uniforms_fill(program, QPUCC_FRAGMENT, &values, stream.data()))
        return false;
    qpusim_fragments fragments{};
    fragments.live = fragments.coverage = 0xffff;
    for (auto &c : fragments.color)
        c = background;
    qpusim_run_info run{};
    run.program = fragment.get();
    run.uniforms.words = stream.data();
    run.uniforms.count = stream.size() - 1;
    run.fragments = &fragments;
    qpusim_result result{};
    qpusim_error error{};
    const qpusim_status status = qpusim_run(&run, nullptr, &result, &error);
    if (status != QPUSIM_OK)
        std::fprintf(stderr, "%s\n", error.text);
    out = result.color[0];
    return status == QPUSIM_OK;
}

int main() {
    const std::string version = std::to_string(QPUCC_VERSION_MAJOR) + "." +
                                std::to_string(QPUCC_VERSION_MINOR) + "." +
                                std::to_string(QPUCC_VERSION_PATCH);
    if (version != qpucc_version() || version != qpusim_version() || !qpucc_has("variant"))
        return 1;
    const std::string text =
        "precision mediump float; void main() { gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0); }";
    qpucc_source source{};
    source.name = "red.frag";
    source.data = text.data();
    source.size = text.size();
    source.stage = QPUCC_FRAGMENT;
    const std::unique_ptr<qpucc_program, free_program> program(qpucc_compile(&source, 1, nullptr, nullptr));
    qpucc_state state{};
    state.blend.enable = 1;
    state.blend.rgb_source = QPUCC_FACTOR_ONE;
    state.blend.rgb_target = QPUCC_FACTOR_ONE;
    state.blend.alpha_source = QPUCC_FACTOR_ONE;
    const std::unique_ptr<qpucc_program, free_program> added(qpucc_variant(program.get(), &state));
    std::uint32_t plain = 0, sum = 0;
    if (!program || !added || !color(program.get(), 0x00ff4020, plain) ||
        !color(added.get(), 0x00ff4020, sum))
        return 1;
    std::printf("%08x %08x\n", plain, sum);
    return plain == 0xff0000ff && sum == 0xffff40ff ? 0 : 1;
}
