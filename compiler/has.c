/* The features by their names, and in which library each is. */
#include "compiler/has.h"

#include <stddef.h>
#include <string.h>

bool has_feature(const char *feature, enum has_library library) {
    static const struct {
        const char *name;
        enum has_library library;
    } features[] = {{"program_load", HAS_RT}, {"records", HAS_RT},
                    {"texture", HAS_RT},      {"compile", HAS_CORE},
                    {"variant", HAS_CORE},    {"program_save", HAS_CORE},
                    {"save_ir", HAS_CORE},    {"cache", HAS_CORE},
                    {"save_spirv", HAS_CORE}, {"link_by_location", HAS_CORE},
                    {"explain", HAS_CORE},    {"policy", HAS_CORE},
                    {"spirv", HAS_CORE},      {"chip", HAS_CORE},
                    {"glsl", HAS_GLSL}};
    for (size_t i = 0; feature && i < sizeof features / sizeof *features; i++)
        if (!strcmp(feature, features[i].name))
            return features[i].library <= library;
    return false;
}
