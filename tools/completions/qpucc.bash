# bash completion for qpucc
_qpucc() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local output='-o -S -c -E -M -MD -MF -MT --emit= --listing= --stats --stats=json'
    local compile='-O0 -O1 -O2 -O3 -Os -D -U -I -x -std= -g -g0 -w -Wall -Wportability -Wperformance -Werror -v
        -fshader-stage= -ffast-math -fprecise -mchip= -fdefault-precision= -funiform-precision= -fpermissive -fno-uniform-expressions -fno-unroll -funroll= -fno-uniform-branches -fdiagnostics-color= -fmax-errors=
        --limit= --set= --spec= --primitive= --depth --flip-y --state= --fixed= --target-env= --diagnostics= --print-after= --time-passes --version --help'
    local run='-o --stats --stats=json --size --mesh --uniform --texture --clear --instances --trace --cycles --timeline --undefined --frames --keep --alpha --lenient --ideal --device'
    local words
    case $command in
    run) words="$compile $run" ;;
    fixed) words="$compile $output $run" ;;
    explain) words="$compile -o --json --html --compare= --stage= --code --passes" ;;
    debug) words="$compile --pixel --vertex --coordinate --batch --json --size --mesh --uniform --texture --clear --instances --lenient" ;;
    dis) words='--words -o' ;;
    as) words='--hex -o' ;;
    check) words='--stage= --threaded --profile= --chip=' ;;
    cl) words='--bcl --rcl --at --memory --json -o' ;;
    opt) words='--list --passes= -o' ;;
    report) words="--pairs --presets --json --code --compare --filter -j $compile" ;;
    selftest) words='--device --json --profile --only --list --help' ;;
    serve) words='--port --listen --workers --worker-jobs --cpu-seconds --wall-seconds --memory --output --budget --body --bodies --rate --queue --client-cpu --client-links
        --connections --client-connections --slow-seconds --cache --cache-size --link-size --memory-cache --store --store-password-file --public-url --embed --proxy' ;;
    *) words="$output $compile" ;;
    esac
    [ "$COMP_CWORD" = 1 ] && words="run explain debug fixed dis as check cl opt report selftest serve compile $words"
    case $before in
    -x) words='glsl spirv none' ;;
    --mesh) words='quad cube sphere torus points' ;;
    esac
    case $word in
    --listing=*) words='--listing=annotated --listing=wide --listing=plain' ;;
    --emit=*) words='--emit=asm --emit=raw --emit=qpu --emit=c --emit=spirv --emit=ir --emit=json' ;;
    --primitive=*) words='--primitive=triangles --primitive=lines --primitive=points' ;;
    -mchip=*) words='-mchip=shipped -mchip=guide' ;;
    -fshader-stage=*) words='-fshader-stage=vertex -fshader-stage=fragment' ;;
    -std=*) words='-std=100 -std=300es -std=330core' ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; compgen -f -- "$word")
    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
}
complete -o filenames -F _qpucc qpucc
