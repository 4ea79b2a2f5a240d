# Writes OUT, a header with a digest of the library's sources: what the compile cache's keys begin with. The same sources
# give the same code whatever built them, so the compiler and its flags do not matter.
#
#     cmake -D OUT=build_id.h -D LIST=file_with_names -D FOLDER=sources -P build_id.cmake
file(STRINGS ${LIST} names)
list(SORT names)
set(digests "")
foreach(name ${names})
  file(SHA256 ${name} digest)
  file(RELATIVE_PATH short ${FOLDER} ${name})
  string(APPEND digests "${short} ${digest}\n")
endforeach()
string(SHA256 id "${digests}")
file(WRITE ${OUT} "#define QPUCC_BUILD_ID \"${id}\"\n")
