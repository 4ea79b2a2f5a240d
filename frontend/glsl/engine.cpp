/* engine.cpp: see engine.h. */
#include "frontend/glsl/engine.h"

#include "frontend/glsl/own_stack.h"
#include "frontend/glsl/parse.h"

#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>
#include <memory>
#include <vector>

struct engine {
    own_stack *stack;                                  /* what recurses runs there */
    std::vector<std::unique_ptr<text_shader>> shaders; /* outlive the program, which refers to them */
    glslang::TProgram program;
    std::string log;
    std::vector<unsigned> spirv;
};

static EShLanguage stage_of(bool fragment) {
    return fragment ? EShLangFragment : EShLangVertex;
}

static const EShMessages messages = EShMsgCascadingErrors;

/* The C side has no exceptions: out of memory is a failure like others. */
template <typename Result, typename Body> static Result guarded(Result failure, Body body) {
    try {
        return body();
    } catch (...) {
        return failure;
    }
}

/* The same on the engine's own stack. */
template <typename Result, typename Body> static Result apart(engine *e, Result failure, Body body) {
    struct call {
        Result result;
        Body *body;
    } c = {failure, &body};
    own_stack_run(
        e->stack,
        [](void *user) {
            call *own = static_cast<call *>(user);
            own->result = guarded(own->result, *own->body);
        },
        &c);
    return c.result;
}

engine *engine_create(void) {
    own_stack *stack = own_stack_create();
    engine *e = stack ? guarded(static_cast<engine *>(nullptr), [] { return new engine; }) : nullptr;
    if (e)
        e->stack = stack;
    else
        own_stack_destroy(stack);
    return e;
}

void engine_destroy(engine *e) {
    if (!e)
        return;
    own_stack *stack = e->stack;
    delete e;
    own_stack_destroy(stack);
}

bool engine_parse(engine *e, const char *text, bool fragment, const glslang_resource_t *resource) {
    return apart(e, false, [&] {
        const int version = 100; /* where the text does not say */
        auto shader = std::make_unique<text_shader>(stage_of(fragment));
        shader->setEnvInput(glslang::EShSourceGlsl, stage_of(fragment), glslang::EShClientNone, version);
        shader->setEnvClient(glslang::EShClientNone, static_cast<glslang::EShTargetClientVersion>(0));
        shader->setEnvTarget(glslang::EShTargetNone, static_cast<glslang::EShTargetLanguageVersion>(0));
        shader->setAutoMapLocations(true);
        const bool good = shader->parse_text(text, version, messages,
                                             *reinterpret_cast<const TBuiltInResource *>(resource));
        e->log = shader->getInfoLog();
        if (good) {
            e->program.addShader(shader.get());
            e->shaders.push_back(std::move(shader));
        }
        return good;
    });
}

bool engine_link(engine *e) {
    return apart(e, false, [&] {
        const bool good = e->program.link(messages);
        e->log = e->program.getInfoLog();
        return good;
    });
}

bool engine_map(engine *e) {
    return apart(e, false, [&] {
        const bool good = e->program.mapIO();
        e->log = e->program.getInfoLog();
        return good;
    });
}

const char *engine_log(const engine *e) {
    return e->log.c_str();
}

const uint32_t *engine_spirv(engine *e, bool fragment, size_t *words) {
    const bool good = apart(e, false, [&] {
        spv::SpvBuildLogger logger;
        glslang::SpvOptions options;
        options.generateDebugInfo = true; /* positions: tokens stand on lines of their own */
        options.disableOptimizer = true;
        e->spirv.clear();
        glslang::GlslangToSpv(*e->program.getIntermediate(stage_of(fragment)), e->spirv, &logger, &options);
        return !e->spirv.empty();
    });
    *words = e->spirv.size();
    return good ? e->spirv.data() : nullptr;
}
