/* builtins.h: glslang's symbols for the names of a language, for parse.cpp.
 *
 * glslang's own tables hold what every stage of a version has, some thousand prototypes, most of them of
 * functions that no shader calls. These hold one stage's variables and constants and those functions that a
 * shader has named so far. */
#ifndef QPUCC_FRONTEND_GLSL_BUILTINS_H
#define QPUCC_FRONTEND_GLSL_BUILTINS_H

#include <glslang/MachineIndependent/ParseHelper.h>
#include <memory>
#include <string>

struct language {
    int version;
    EProfile profile;
    EShLanguage stage;
};

struct builtins {
    glslang::TPoolAllocator pool;
    glslang::TSymbolTable *symbols; /* in the pool; read-only from the start, by any thread */

    builtins() : symbols(nullptr) {}
    ~builtins() {
        if (symbols)
            symbols->~TSymbolTable(); /* its list of levels is not the pool's */
    }
    builtins(const builtins &) = delete;
    builtins &operator=(const builtins &) = delete;
};

/* The symbols of all functions that `text` names, and of everything else in the language. Trees that were
 * made with them refer to them. `resource` has to be the same in every call. Changes the thread's pool;
 * nullptr: glslang does not understand its own text. Throws std::bad_alloc. Thread-safe. */
std::shared_ptr<const builtins> builtins_for(const language &language, const std::string &text,
                                             const TBuiltInResource &resource);

#endif
