/* parse.h: glslang's parser without what it does anew for each text although it is always the same: half to
 * three quarters of its time for a shader of ordinary size. That is a preamble of some hundred definitions
 * (the text comes from our preprocessor and needs none), the constants of the implementation, parsed from
 * text, and the behaviours of all extensions. Nor does it take the text character by character (input.h). The
 * parser itself, its checks and its tree are glslang's.
 *
 * The classes it needs are those that glslang's library installs under MachineIndependent/, which change from
 * version to version: CMake asks whether they are the ones known here (QPUCC_GLSLANG_PARTS). Where they are
 * not, a shader is parsed by glslang's public interface, with the same result. */
#ifndef QPUCC_FRONTEND_GLSL_PARSE_H
#define QPUCC_FRONTEND_GLSL_PARSE_H

#include <glslang/Public/ShaderLang.h>
#include <memory>
#include <string>

struct builtins;

class text_shader : public glslang::TShader {
  public:
    explicit text_shader(EShLanguage stage) : TShader(stage) {}

    /* As TShader::parse, for a text that begins with its #version and has no macros. The pointers of the
     * shader's environment and `resource` are the same in every call of a process. */
    bool parse_text(const std::string &text, int default_version, EShMessages messages,
                    const TBuiltInResource &resource);

  private:
    std::shared_ptr<const builtins> symbols; /* the tree refers to them */
};

#endif
