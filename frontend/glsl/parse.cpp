/* parse.cpp: see parse.h. The steps are those of ProcessDeferred and DoFullParse in glslang's
 * ShaderLang.cpp. */
#include "frontend/glsl/parse.h"

#ifdef QPUCC_GLSLANG_PARTS

#include "frontend/glsl/builtins.h"
#include "frontend/glsl/input.h"

namespace {

/* The one extension that texts ask for whatever the user wrote (essl100/source.c). */
const char own_extension[] = "GL_EXT_shader_non_constant_global_initializers";

class parse_context : public text_context {
  public:
    using text_context::text_context;

    /* glslang knows 250 extensions and notes of each that it is off. A text needs those that it names. */
    void know_extensions(const std::string &text) {
        static const std::string directive = "#extension ";
        for (size_t at = 0; (at = text.find(directive, at)) != std::string::npos;) {
            at += directive.size();
            if (text.compare(at, sizeof own_extension - 1, own_extension) != 0) {
                initializeExtensionBehavior();
                return;
            }
            extensionBehavior[own_extension] = glslang::EBhDisable;
        }
    }
};

/* What ProcessDeferred makes of the version; false: nothing that is known here. */
bool language_of(const std::string &text, language &l) {
    const char *strings[] = {text.c_str()};
    size_t lengths[] = {text.size()};
    glslang::TInputScanner scanner(1, strings, lengths);
    bool not_first_token = false;
    l.version = 0;
    l.profile = ENoProfile;
    if (scanner.scanVersion(l.version, l.profile, not_first_token) || not_first_token)
        return false;
    switch (l.version) {
    case 100: l.profile = EEsProfile; break;
    case 110:
    case 120:
    case 130:
    case 140: break;
    case 150:
    case 330:
    case 400: l.profile = l.profile == ENoProfile ? ECoreProfile : l.profile; break;
    case 300:
    case 310:
        if (l.profile != EEsProfile)
            return false;
        break;
    default: return false;
    }
    return true;
}

/* As TIntermediate::postProcess. That also looks through the tree for what `precise` affects, which is
 * nothing without that word, and takes as long as a tenth of the parse. */
bool post_process(glslang::TIntermediate &intermediate, EShLanguage stage, const std::string &text) {
    TIntermNode *root = intermediate.getTreeRoot();
    if (text.find("precise") != std::string::npos)
        return intermediate.postProcess(root, stage);
    glslang::TIntermAggregate *sequence = root->getAsAggregate();
    if (sequence && sequence->getOp() == glslang::EOpNull)
        sequence->setOperator(glslang::EOpSequence);
    return true;
}

} // namespace

bool text_shader::parse_text(const std::string &text, int default_version, EShMessages messages,
                             const TBuiltInResource &resource) {
    language l = {};
    l.stage = stage;
    if (!language_of(text, l)) {
        const char *string = text.c_str();
        setStrings(&string, 1);
        return parse(&resource, default_version, false, messages);
    }
    symbols = builtins_for(l, text, resource);
    if (!symbols)
        return false;
    glslang::SetThreadPoolAllocator(pool);
    pool->push();
    intermediate->setSource(glslang::EShSourceGlsl);
    intermediate->setVersion(l.version);
    intermediate->setProfile(l.profile);
    intermediate->setEntryPointName("main");
    glslang::TSymbolTable table;
    table.adoptLevels(*symbols->symbols);
    const glslang::TString entry;
    parse_context context(table, *intermediate, false, l.version, l.profile, glslang::SpvVersion(), stage,
                          *infoSink, false, messages, &entry);
    ForbidIncluder includer;
    text_preprocessor preprocessor(context, "", includer);
    glslang::TScanContext scanner(context);
    context.setScanContext(&scanner);
    context.setPpContext(&preprocessor);
    context.setLimits(resource);
    context.know_extensions(text);
    /* The grammar takes no empty shader. */
    const char *strings[] = {text.c_str(), "\n int;"};
    size_t lengths[] = {text.size(), std::strlen(strings[1])};
    text_scanner input(2, strings, lengths, nullptr, 0, 1);
    table.push();
    bool good = context.parse(preprocessor, input);
    if (good && intermediate->getTreeRoot()) {
        good = post_process(*intermediate, stage, text);
    } else if (!good) {
        infoSink->info.prefix(glslang::EPrefixError);
        infoSink->info << context.getNumErrors() << " compilation errors.  No code generated.\n\n";
    }
    intermediate->setUniqueId(table.getMaxSymbolId());
    return good;
}

#else

bool text_shader::parse_text(const std::string &text, int default_version, EShMessages messages,
                             const TBuiltInResource &resource) {
    const char *string = text.c_str();
    setStrings(&string, 1);
    return parse(&resource, default_version, false, messages);
}

#endif
