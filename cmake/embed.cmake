# Writes OUT, a C file with the bytes of FILES as builtin_file() finds them (tools/builtin.h), each by its name without
# folders.
#
#     cmake -D OUT=builtin.c -D FILES=a.png,b.json -P embed.cmake
string(REPLACE "," ";" files "${FILES}")
set(arrays "")
set(rows "")
set(number 0)
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  file(READ ${file} hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND arrays "static const uint8_t file_${number}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${name}\", file_${number}, ${size}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "/* Made by cmake/embed.cmake. */
#include \"tools/builtin.h\"

#include <string.h>

${arrays}
static const struct builtin_file files[] = {
${rows}};

const struct builtin_file *builtin_file(const char *name) {
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!strcmp(files[i].name, name))
            return &files[i];
    return NULL;
}
")
