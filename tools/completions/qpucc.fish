# fish completion for qpucc
set -l commands run explain debug fixed dis as check cl opt report selftest serve compile
complete -c qpucc -n "not __fish_seen_subcommand_from $commands" -a "$commands"
complete -c qpucc -s o -r -d output
complete -c qpucc -s S -d assembly
complete -c qpucc -s c -d containers
complete -c qpucc -s E -d 'preprocess only'
complete -c qpucc -s D -x -d 'define a macro'
complete -c qpucc -s U -x -d 'undefine a macro'
complete -c qpucc -s I -r -d 'folder of include files'
complete -c qpucc -s x -x -a 'glsl spirv none' -d language
complete -c qpucc -s w -d 'no warnings'
complete -c qpucc -s v -d 'say what is done'
complete -c qpucc -o O0 -o O1 -o O2 -o O3 -o Os -d 'level of optimisation'
complete -c qpucc -o ffast-math -o fprecise -d 'how exact arithmetic is'
complete -c qpucc -o mchip=shipped -o mchip=guide -d 'what code relies on of the chip'
complete -c qpucc -o M -o MD -o g -o g0 -o Wall -o Wportability -o Wperformance -o Werror -o fpermissive
complete -c qpucc -l listing -x -a 'annotated wide plain' -d 'form of the assembly'
complete -c qpucc -l emit -x -a 'asm raw qpu c spirv ir json' -d 'what to write'
complete -c qpucc -l stats -d 'figures of each stage'
complete -c qpucc -l primitive -x -a 'triangles lines points'
complete -c qpucc -l state -r -d 'state key'
complete -c qpucc -l fixed -r -d 'fixed-function state'
complete -c qpucc -l depth -l flip-y -l time-passes -l version -l help
complete -c qpucc -l limit -l set -l spec -l print-after -l target-env -x
complete -c qpucc -l diagnostics -x -a "text json sarif"
complete -c qpucc -n '__fish_seen_subcommand_from run fixed debug' -l size -l uniform -l clear -l instances -x
complete -c qpucc -n '__fish_seen_subcommand_from run fixed debug' -l mesh -x -a 'quad cube sphere torus points'
complete -c qpucc -n '__fish_seen_subcommand_from run fixed debug' -l texture -r
complete -c qpucc -n '__fish_seen_subcommand_from run fixed debug' -l lenient
complete -c qpucc -n '__fish_seen_subcommand_from run fixed' -l trace -l cycles -l undefined -l frames -l keep -l alpha -l ideal
complete -c qpucc -n '__fish_seen_subcommand_from run fixed' -l device -r
complete -c qpucc -n '__fish_seen_subcommand_from explain' -l stage -x -a 'fragment vertex coordinate'
complete -c qpucc -n '__fish_seen_subcommand_from explain' -l html -r
complete -c qpucc -n '__fish_seen_subcommand_from explain' -l compare -r
complete -c qpucc -n '__fish_seen_subcommand_from explain' -l json -l code
complete -c qpucc -n '__fish_seen_subcommand_from explain' -l passes
complete -c qpucc -n '__fish_seen_subcommand_from debug' -l pixel -l vertex -x
complete -c qpucc -n '__fish_seen_subcommand_from debug' -l coordinate -l batch
complete -c qpucc -n '__fish_seen_subcommand_from debug' -l json
complete -c qpucc -n '__fish_seen_subcommand_from report' -l pairs -l presets -l compare -r
complete -c qpucc -n '__fish_seen_subcommand_from report' -l json -l code -l filter
complete -c qpucc -n '__fish_seen_subcommand_from serve' -l port -l listen -l workers -l worker-jobs -l cpu-seconds -l wall-seconds -l memory -x
complete -c qpucc -n '__fish_seen_subcommand_from serve' -l output -l budget -l body -l bodies -l rate -l queue -l client-cpu -l client-links -l connections -l client-connections -x
complete -c qpucc -n '__fish_seen_subcommand_from serve' -l slow-seconds -l cache-size -l link-size -l memory-cache -l store -l public-url -l embed -x
complete -c qpucc -n '__fish_seen_subcommand_from serve' -l store-password-file -r
complete -c qpucc -n '__fish_seen_subcommand_from check' -l threaded
complete -c qpucc -n '__fish_seen_subcommand_from check' -l stage -x -a 'fragment vertex coordinate'
complete -c qpucc -n '__fish_seen_subcommand_from check' -l profile -x -a 'hw linux both'
complete -c qpucc -n '__fish_seen_subcommand_from opt' -l list
complete -c qpucc -n '__fish_seen_subcommand_from opt' -l passes -x
complete -c qpucc -n '__fish_seen_subcommand_from check' -l chip -r
complete -c qpucc -n '__fish_seen_subcommand_from dis' -l words
complete -c qpucc -n '__fish_seen_subcommand_from as' -l hex
complete -c qpucc -n '__fish_seen_subcommand_from serve' -l cache -r
complete -c qpucc -n '__fish_seen_subcommand_from serve' -l proxy
complete -c qpucc -n '__fish_seen_subcommand_from selftest' -l json -l list
complete -c qpucc -n '__fish_seen_subcommand_from selftest' -l only -x
complete -c qpucc -n '__fish_seen_subcommand_from selftest' -l device -l profile -r
complete -c qpucc -n '__fish_seen_subcommand_from cl' -l bcl -l rcl -l json
complete -c qpucc -n '__fish_seen_subcommand_from cl' -l at -x
complete -c qpucc -n '__fish_seen_subcommand_from cl' -l memory -r
complete -c qpucc -n '__fish_seen_subcommand_from run fixed' -l timeline -r
