/* frontend/glsl/parse.h against glslang's public interface: the same verdict, the same messages and the same
 * SPIR-V, text by text in one process, so that later texts find symbols which earlier ones asked for. */
#include "frontend/glsl/parse.h"

#include <cstdio>
#include <cstring>
#include <glslang/Public/ResourceLimits.h>
#include <glslang/SPIRV/GlslangToSpv.h>
#include <string>
#include <thread>
#include <vector>

namespace {

int failures;

const std::vector<std::string> heads = {"#version 100\n",
                                        "#version 100\n#extension GL_OES_standard_derivatives : enable\n",
                                        "#version 300 es\n",
                                        "#version 110\n",
                                        "#version 120\n#extension GL_EXT_no_such_thing : enable\n",
                                        "#version 130\n#extension all : warn\n",
                                        "#version 140\n",
                                        "#version 150 compatibility\n",
                                        "#version 330 core\n"};
/* Each is for both stages of every version: most are wrong in some, and have to be in the same way. */
const std::vector<std::string> bodies = {
    "",
    "void main() {}",
    "precision mediump float; uniform vec4 a; void main() { vec4 b = mix(a, a.wzyx, dot(a, a)); }",
    "precision highp float; uniform sampler2D s; vec4 f() { return texture2D(s, vec2(0.5)); } "
    "void main() { f(); }",
    "uniform mediump sampler2D s; mediump vec4 f() { return texture(s, vec2(0.5)); } void main() { f(); }",
    "uniform mediump samplerCube s; mediump vec4 f() { return textureLod(s, vec3(0.5), 1.0); } "
    "void main() { f(); }",
    "precision mediump float; float dot(float a) { return a; } void main() { float x = dot(1.0); }",
    "precision mediump float; vec2 clamp(vec2 a, vec2 b, vec2 c) { return a; } "
    "void main() { clamp(vec2(0.0), vec2(0.0), vec2(1.0)); }",
    "precision mediump float; float distance; void main() { distance = length(vec2(distance)); }",
    "precision mediump float; void main() { float max = 1.0; float y = max(max, 2.0); }",
    "precision mediump float; void main() { int i = 1.5; float f = 1; bvec2 b = not(bvec2(true)); }",
    "precision mediump float; void main() { float x = nosuch(1.0); }",
    "precision mediump float; void main() { vec3 v = refract(vec3(1.0), vec3(0.0), vec3(1.0)); }",
    "precision mediump float; void main() { gl_FragColor = vec4(gl_FragCoord.xy, gl_DepthRange.near, 1.0); }",
    "precision mediump float; void main() { gl_FragData[gl_MaxDrawBuffers - 1] = vec4(0.0); }",
    "precision mediump float; varying vec2 v; attribute vec4 a; void main() { gl_Position = a; v = a.xy; }",
    "precision mediump float; invariant gl_Position; void main() { gl_Position = vec4(0.0); "
    "gl_PointSize = 2.0; }",
    "precision mediump float; uniform float u; void main() { float a = dFdx(u) + fwidth(u); }",
    "precision mediump float; float a[gl_MaxTextureImageUnits]; void main() { a[3] = sin(1.0) + cos(2.0); }",
    "uniform highp ivec4 u; void main() { highp int i = abs(u.x) % 3 << 2; highp uint k = uint(i); }",
    "precision mediump float; struct s { float a; vec3 b; }; uniform s u[2]; void main() { float x = "
    "u[1].b.x; }",
    "precision mediump float; void main() { for (int i = 0; i < 4; i++) { if (i == 2) break; } }",
    "precision mediump float; void main() { float x = 1.0 }",
    "precision mediump float; uniform mat3 m; void main() { mat3 t = matrixCompMult(m, m); mat3 u = "
    "transpose(m); mat3 v = inverse(m); }",
    "void main() { gl_FrontColor = gl_Color; gl_TexCoord[0] = gl_MultiTexCoord0; vec4 p = ftransform(); }",
    "precision mediump float; out vec4 c; in vec2 v; void main() { c = vec4(v, 0.0, 1.0); }",
    "precision mediump float; const float k = max(1.0, 2.0) + step(0.5, 1.0); void main() { float x = k; }",
    "precision mediump float; void main() { vec3 gl_x = cross(vec3(1.0), vec3(2.0)); float a__b = 1.0; }",
    "uniform vec4 u; void main() { precise vec4 a = u * u + u; vec4 precise_b = a * u; }",
    "precision mediump float; void main() { int a=0x1F+017-9;\n a\n++\n;\r\n a--\n; float f = .5e1\n*\n1.\n;"
    "f\n+\n=\n2.0;\n f /= 3.; bool b = a<=1||a!=2^^!(f>\n=.5); }\n",
    "precision mediump float;\n/* a\n comment */ void main() {\n \n// another\n  float\tx\f = 1.0; y = x; }",
    "precision mediump float; void ma\\\nin() { float x = 1\\\n.5; flo\\\nat y = x;\n\\\n z = y; }",
    "#\n  # pragma x(y)\n#pragma\n\n#extension GL_OES_no_such : warn\nvoid main() { q = 1; }\n#",
    "void main() {} # pragma x\n",
    "void main() { int a = 3 \" 4; $ @ ' \\ `\n \303\251 }\n",
    "#pragma STDGL invariant(all)\nprecision mediump float; void main() { float x = pow(2.0, 3.0); }",
};

struct outcome {
    bool good = false;
    std::string log;
    std::vector<unsigned> words;
};

void finish(glslang::TShader &shader, EShMessages messages, bool with_code, outcome &o) {
    o.log = shader.getInfoLog();
    if (!o.good)
        return;
    glslang::TProgram program;
    program.addShader(&shader);
    o.good = program.link(messages) && program.mapIO();
    o.log += program.getInfoLog();
    if (o.good && with_code)
        glslang::GlslangToSpv(*program.getIntermediate(shader.getStage()), o.words);
}

template <typename Shader, typename Parse>
outcome try_text(EShLanguage stage, EShMessages messages, bool with_code, Parse parse) {
    outcome o;
    Shader shader(stage);
    shader.setEnvInput(glslang::EShSourceGlsl, stage, glslang::EShClientNone, 100);
    shader.setAutoMapLocations(true);
    o.good = parse(shader);
    finish(shader, messages, with_code, o);
    return o;
}

void compare(const std::string &text, EShLanguage stage) {
    const TBuiltInResource &resource = *GetDefaultResources();
    const EShMessages messages = EShMsgCascadingErrors;
    /* glslang accepts both, the lookup in the core profile, too, and crashes when it makes code of them
     * (essl100/fixed_names.c) */
    const bool with_code = text.find("ftransform") == text.npos &&
                           (text.find("core") == text.npos || text.find("texture2D(") == text.npos);
    outcome ours = try_text<text_shader>(stage, messages, with_code, [&](text_shader &shader) {
        return shader.parse_text(text, 100, messages, resource);
    });
    outcome theirs = try_text<glslang::TShader>(stage, messages, with_code, [&](glslang::TShader &shader) {
        const char *string = text.c_str();
        shader.setStrings(&string, 1);
        return shader.parse(&resource, 100, false, messages);
    });
    if (ours.good == theirs.good && ours.log == theirs.log && ours.words == theirs.words)
        return;
    failures++;
    std::printf("%s stage:\n%s\nparse_text: %d, %zu words\n%s\nglslang: %d, %zu words\n%s\n\n",
                stage == EShLangVertex ? "vertex" : "fragment", text.c_str(),
                ours.good, ours.words.size(), ours.log.c_str(), theirs.good, theirs.words.size(),
                theirs.log.c_str());
}

void compare_all() {
    for (const std::string &body : bodies)
        for (EShLanguage stage : {EShLangVertex, EShLangFragment}) {
            for (const std::string &head : heads)
                compare(head + body, stage);
        }
    compare("void main() {}", EShLangVertex);
    compare("\n#version 300 es\nvoid main() {}", EShLangVertex);
    compare("#version 460\nvoid main() {}", EShLangVertex);
}

} // namespace

int main() {
    glslang::InitializeProcess();
    /* two threads that want symbols of the same languages at once */
    std::thread other([] {
        for (size_t i = bodies.size(); i-- > 0;) {
            text_shader shader(EShLangFragment);
            shader.setEnvInput(glslang::EShSourceGlsl, EShLangFragment, glslang::EShClientNone, 100);
            shader.parse_text(heads[i % heads.size()] + bodies[i], 100, EShMsgDefault,
                              *GetDefaultResources());
        }
    });
    compare_all();
    other.join();
    glslang::FinalizeProcess();
    return failures != 0;
}
