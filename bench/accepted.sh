#!/bin/bash
# The share of the shaders in folders that qpucc accepts: as they are, and with -fpermissive.
#
#     accepted.sh [-v] [-o OPTION]... QPUCC FOLDER...
#
# A row of a Markdown table for each folder. Counted are files that are named as shaders (.vert .frag .vs .fs .vsh .fsh .glsl) and have a
# `main`, a Shadertoy's `mainImage`, or a `transition` of gl-transitions.com, which is wrapped here as that site documents it; anything
# else is a part that other files include. What does not fit the hardware counts as accepted, because its source is right, and is counted
# once more by itself. -v prints each refused file with its first message. -o passes an option on, such as -o -Iinclude.
set -u
verbose=no options=()
while getopts vo: option; do
    case $option in
    v) verbose=yes ;;
    o) options+=("$OPTARG") ;;
    *) exit 1 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -ge 2 ] || { echo "usage: accepted.sh [-v] [-o OPTION]... QPUCC FOLDER..." >&2; exit 1; }
program=$(realpath "$1") || exit 1
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# One file, in one line: "accepted", "unfit" or "refused" by default, the same with -fpermissive, then the last first message.
judge() {
    local file=$1 text stage=() answer verdict='' first='' mode
    text=$(tr -d '\0' <"$file")
    grep -qE '\b(main|mainImage|transition)[[:space:]]*\(' <<<"$text" || return 0
    case $file in
    *.vs | *.vsh) stage=(-fshader-stage=vertex) ;;
    *.fs | *.fsh) stage=(-fshader-stage=fragment) ;;
    esac
    if grep -qE '\btransition[[:space:]]*\(' <<<"$text" && ! grep -qE '\bmain[[:space:]]*\(' <<<"$text"; then
        file=$work/$(tr / _ <<<"$file").frag
        { printf 'precision highp float;\nvarying vec2 _uv;\nuniform sampler2D from, to;\nuniform float progress, ratio;\n'
          printf 'vec4 getFromColor(vec2 uv) { return texture2D(from, uv); }\nvec4 getToColor(vec2 uv) { return texture2D(to, uv); }\n'
          printf '#line 1\n%s\nvoid main() { gl_FragColor = transition(_uv); }\n' "$text"; } >"$file"
    fi
    for mode in -w -fpermissive; do
        answer=$("$program" "${options[@]}" "$mode" -w "${stage[@]}" "$file" -o /dev/null 2>&1)
        case $? in
        0) verdict+='accepted ' ;;
        3) verdict+='unfit ' ;;
        *) verdict+='refused ' first=$(grep -m1 -E 'error: ' <<<"$answer") ;;
        esac
    done
    printf '%s%s: %s\n' "$verdict" "$1" "${first##*error: }"
}
export -f judge
declare -x program work
export option_list="${options[*]:-}"

echo "| set | shaders | accepted | of these too large | with -fpermissive |"
echo "|---|---|---|---|---|"
for folder in "$@"; do
    find -L "$folder" -type f -regextype posix-extended -regex '.*\.(vert|frag|vs|fs|vsh|fsh|glsl)' -print0 | sort -z |
        xargs -0 -r -n 1 -P "$(nproc)" bash -c 'read -ra options <<<"$option_list"; judge "$1"' judge >"$work/rows"
    awk -v name="$(basename "$folder")" '
        NF { all++; first += $1 != "refused"; unfit += $1 == "unfit"; second += $2 != "refused" }
        END { printf "| %s | %d | %d (%.1f %%) | %d | %d (%.1f %%) |\n", name, all, first, all ? 100 * first / all : 0, unfit,
              second, all ? 100 * second / all : 0 }' "$work/rows"
    [ "$verbose" = yes ] && grep -E '^[a-z]+ refused|^refused' "$work/rows" | sort >&2
done
exit 0
