# What libqpucc_rt is made of: of the modules what it takes to load a program and to fill its streams, and of the machine's
# what writes lists and textures. C11 and the C and math libraries alone (tests/package/bare.sh), so that the page's
# module (machine_module.cmake) has it, too.
set(rt_sources)
foreach(file compiler/bytes compiler/chip compiler/fill compiler/keep compiler/layout compiler/load compiler/memory compiler/program
    compiler/record compiler/reflect compiler/stencil compiler/tally compiler/uniforms ir/arena ir/heap ir/names ir/ops ir/shader
    ir/verify passes/constant_math passes/eval runtime/cl/primitives runtime/cl/records runtime/texel runtime/texture)
  list(APPEND rt_sources ${CMAKE_SOURCE_DIR}/${file}.c)
endforeach()
foreach(file check check_chip check_instructions check_linux check_neighbours check_paths chip codec names record)
  list(APPEND rt_sources ${CMAKE_SOURCE_DIR}/backend/isa/${file}.c)
endforeach()
