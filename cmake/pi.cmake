# Cross-builds for the Pi's own processors, whose programs run under qemu-user:
#
#     tools/sysroots.sh FOLDER armhf arm64
#     cmake -S . -B build-armhf -DCMAKE_TOOLCHAIN_FILE=cmake/pi.cmake -DPI_ARCHITECTURE=armhf -DPI_SYSROOTS=FOLDER
#
# tools/pi.sh does all of it and runs the tests. The compilers bring the C library; what else is needed lies in the folder.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PI_ARCHITECTURE PI_SYSROOTS)
set(CMAKE_SYSTEM_NAME Linux)
if(PI_ARCHITECTURE STREQUAL "armhf")
  set(triplet arm-linux-gnueabihf)
  set(CMAKE_SYSTEM_PROCESSOR armv7l)
  set(emulator qemu-arm-static)
else()
  set(triplet aarch64-linux-gnu)
  set(CMAKE_SYSTEM_PROCESSOR aarch64)
  set(emulator qemu-aarch64-static)
endif()
set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_CXX_COMPILER ${triplet}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
set(root ${PI_SYSROOTS}/${PI_ARCHITECTURE})
set(CMAKE_FIND_ROOT_PATH ${root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${root})
set(ENV{PKG_CONFIG_LIBDIR} ${root}/usr/lib/${triplet}/pkgconfig:${root}/usr/share/pkgconfig)
set(libraries ${root}/lib/${triplet}:${root}/usr/lib/${triplet})
set(CMAKE_CROSSCOMPILING_EMULATOR ${emulator} -L /usr/${triplet} -E LD_LIBRARY_PATH=${libraries})
foreach(kind EXE SHARED) # glslang's targets name some of what they need by -l
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-L${root}/usr/lib/${triplet} -Wl,-rpath-link,${libraries}")
endforeach()
foreach(language C CXX) # pkg-config takes this one for the system's
  set(CMAKE_${language}_FLAGS_INIT "-isystem ${root}/usr/include/${triplet}")
endforeach()
