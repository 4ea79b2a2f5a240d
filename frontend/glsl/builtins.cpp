/* builtins.cpp: see builtins.h. The steps are those of SetupBuiltinSymbolTable and AddContextSpecificSymbols
 * in glslang's ShaderLang.cpp: three levels, for what all stages have, what this one has, and what depends on
 * the limits of the implementation. */
#include "frontend/glsl/builtins.h"

#include "frontend/glsl/input.h"

#include <cstring>
#include <glslang/MachineIndependent/Initialize.h>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <unordered_map>

namespace {

using names = std::set<std::string>; /* in an order that is the same everywhere */

/* Declarations of glslang's: prototypes by the function's name, and the others. */
struct declarations {
    std::unordered_map<std::string, std::string> functions;
    std::string others;

    /* What the names need. The others go first, because prototypes have types from there. */
    glslang::TString text(const names &wanted) const {
        glslang::TString all(others.c_str(), others.size());
        for (const std::string &name : wanted) {
            auto found = functions.find(name);
            if (found != functions.end())
                all.append(found->second.c_str(), found->second.size());
        }
        return all;
    }
};

bool of_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The word that ends before `end`. */
std::string word_before(const glslang::TString &text, size_t begin, size_t end) {
    while (end > begin && !of_name(text[end - 1]))
        end--;
    size_t first = end;
    while (first > begin && of_name(text[first - 1]))
        first--;
    return std::string(text.c_str() + first, end - first);
}

/* A prototype is what has a bracket that neither a layout's words nor members nor a value come before. */
void sort_out(const glslang::TString &text, declarations &out) {
    size_t begin = 0, depth = 0, open = 0;
    bool other = false;
    for (size_t i = 0; i < text.size(); i++) {
        const char c = text[i];
        if (c == '(' && !open)
            open = i;
        other |= !open && (c == '{' || c == '=');
        depth += c == '{';
        depth -= c == '}' && depth;
        if (c != ';' || depth)
            continue;
        std::string name = open && !other ? word_before(text, begin, open) : "";
        std::string &to = name.empty() || name == "layout" ? out.others : out.functions[name];
        to.append(text.c_str() + begin, i + 1 - begin);
        begin = i + 1;
        open = 0;
        other = false;
    }
}

bool parse_level(const glslang::TString &text, const language &l, EShLanguage stage,
                 glslang::TSymbolTable &symbols) {
    TInfoSink sink;
    glslang::TIntermediate intermediate(stage, l.version, l.profile);
    intermediate.setSource(glslang::EShSourceGlsl);
    intermediate.setEntryPointName("main");
    const glslang::TString entry;
    text_context context(symbols, intermediate, true, l.version, l.profile, glslang::SpvVersion(), stage,
                         sink, true, EShMsgDefault, &entry);
    glslang::TShader::ForbidIncluder includer;
    text_preprocessor preprocessor(context, "", includer);
    glslang::TScanContext scanner(context);
    context.setScanContext(&scanner);
    context.setPpContext(&preprocessor);
    symbols.push();
    const char *strings[] = {text.c_str()};
    size_t lengths[] = {text.size()};
    text_scanner input(1, strings, lengths);
    return text.empty() || context.parse(preprocessor, input);
}

/* What is known of a version: glslang writes the text of all stages at once. */
struct version_text {
    declarations common, stages[EShLangCount];
};

struct stage_text {
    declarations limits;
    std::unordered_map<std::string_view, bool> functions; /* all that there are: is it wanted? */
    names wanted;                                         /* those that `current` has */
    std::shared_ptr<const builtins> current;
};

bool parse_all(const language &l, const version_text &version, const stage_text &stage,
               const TBuiltInResource &resource, glslang::TSymbolTable &symbols) {
    const bool fragment_precision = l.profile == EEsProfile && l.stage == EShLangFragment;
    glslang::TBuiltIns names;
    if (!parse_level(version.common.text(stage.wanted), l,
                     fragment_precision ? EShLangFragment : EShLangVertex, symbols) ||
        !parse_level(version.stages[l.stage].text(stage.wanted), l, l.stage, symbols))
        return false;
    names.identifyBuiltIns(l.version, l.profile, glslang::SpvVersion(), l.stage, symbols);
    if (l.profile == EEsProfile && l.version >= 300)
        symbols.setNoBuiltInRedeclarations();
    if (l.version == 110)
        symbols.setSeparateNameSpaces();
    if (!parse_level(stage.limits.text(stage.wanted), l, l.stage, symbols))
        return false;
    names.identifyBuiltIns(l.version, l.profile, glslang::SpvVersion(), l.stage, symbols, resource);
    symbols.readOnly();
    return true;
}

/* Notes what can be named. What most shaders call is there from the start: each time a shader names something
 * new, everything is parsed again. */
void list_functions(const version_text &version, EShLanguage number, stage_text &stage) {
    const declarations *all[] = {&version.common, &version.stages[number], &stage.limits};
    for (const declarations *d : all)
        for (const auto &function : d->functions)
            stage.functions.emplace(function.first, false);
    for (const char *name :
         {"abs", "clamp", "dot", "fract", "max", "mix", "normalize", "pow", "step", "texture", "texture2D"}) {
        auto found = stage.functions.find(name);
        if (found == stage.functions.end())
            continue;
        stage.wanted.insert(name);
        found->second = true;
    }
}

/* Adds the functions that `text` names; false: they were there. */
bool add_wanted(stage_text &stage, const std::string &text) {
    bool added = false;
    for (const char *at = text.c_str(); *at;) {
        const char *begin = at;
        while (of_name(*at))
            at++;
        if (at == begin) {
            at++;
            continue;
        }
        auto found = stage.functions.find(std::string_view(begin, static_cast<size_t>(at - begin)));
        if (found == stage.functions.end() || found->second)
            continue;
        stage.wanted.insert(std::string(found->first));
        found->second = added = true;
    }
    return added;
}

using version_key = std::pair<int, int>; /* and profile */
struct cache {                           /* until the process ends, like glslang's own */
    std::map<version_key, version_text> versions;
    std::map<std::pair<version_key, int>, stage_text> stages;
};
std::mutex guard;
cache *known;

} // namespace

std::shared_ptr<const builtins> builtins_for(const language &l, const std::string &text,
                                             const TBuiltInResource &resource) {
    std::lock_guard<std::mutex> lock(guard);
    if (!known)
        known = new cache;
    const version_key key(l.version, static_cast<int>(l.profile));
    version_text &version = known->versions[key];
    stage_text &stage = known->stages[{key, static_cast<int>(l.stage)}];
    glslang::TPoolAllocator scratch;
    glslang::SetThreadPoolAllocator(&scratch);
    if (version.common.others.empty() && version.common.functions.empty()) {
        glslang::TBuiltIns text_of;
        version_text fresh;
        text_of.initialize(l.version, l.profile, glslang::SpvVersion());
        sort_out(text_of.getCommonString(), fresh.common);
        for (EShLanguage s : {EShLangVertex, EShLangFragment})
            sort_out(text_of.getStageString(s), fresh.stages[s]);
        version = std::move(fresh);
    }
    if (!stage.current) {
        glslang::TBuiltIns text_of;
        text_of.initialize(resource, l.version, l.profile, glslang::SpvVersion(), l.stage);
        stage.limits = {};
        sort_out(text_of.getCommonString(), stage.limits);
        stage.functions.clear(); /* their names are in what was there before */
        list_functions(version, l.stage, stage);
    }
    if (!add_wanted(stage, text) && stage.current)
        return stage.current;
    stage.current = nullptr; /* whatever happens below: not with these names */
    auto made = std::make_shared<builtins>();
    glslang::SetThreadPoolAllocator(&made->pool);
    made->symbols = new (made->pool.allocate(sizeof *made->symbols)) glslang::TSymbolTable;
    if (!parse_all(l, version, stage, resource, *made->symbols))
        return nullptr;
    stage.current = made;
    return made;
}
