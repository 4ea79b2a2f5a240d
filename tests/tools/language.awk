# Files of sections ("--- vertex", "--- fragment", "--- uniforms", "--- textures") to case lines in the form of the
# WebGL suite: the picture must come out green. Without a vertex section the usual one of the fragment shader's version
# is added: vPosition passes, texCoord0 is passed on as uv. What stands before the first section is a comment.
function text(s) {
    gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); gsub(/\t/, "\\t", s); gsub(/\n/, "\\n", s)
    return "\"" s "\""
}
function flush_case() {
    if (name == "")
        return
    if (!("vertex" in part)) {
        version = match(part["fragment"], /^#version [^\n]*\n/) ? substr(part["fragment"], 1, RLENGTH) : ""
        old = version == "" || version ~ /^#version 1[0-2]0/
        part["vertex"] = version (old ? "attribute vec4 vPosition; attribute vec2 texCoord0; varying vec2 uv;\n" \
                                      : "in vec4 vPosition; in vec2 texCoord0; out vec2 uv;\n") \
                         "void main() { uv = texCoord0; gl_Position = vPosition; }\n"
    }
    printf "{\"name\": %s, \"vertex\": %s, \"fragment\": %s, \"vs_ok\": true, \"fs_ok\": true, \"link_ok\": true, \"render\": true", \
           text(name), text(part["vertex"]), text(part["fragment"])
    for (key in part)
        if (key == "uniforms" || key == "textures") {
            gsub(/\n/, " ", part[key])
            printf ", \"%s\": %s", key, part[key]
        }
    print "}"
}
FNR == 1 {
    flush_case()
    split("", part)
    name = FILENAME; sub(/.*\//, "", name); sub(/\.glsl$/, "", name)
    section = ""
}
/^--- / {
    section = $2
    if (section !~ /^(vertex|fragment|uniforms|textures)$/) {
        print FILENAME ":" FNR ": unknown section " section > "/dev/stderr"
        broken = 1
        exit
    }
    next
}
section != "" { part[section] = part[section] $0 "\n" }
END {
    if (broken)
        exit 1
    flush_case()
}
