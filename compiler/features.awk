# The names that qpucc_has knows, one a line, from the text that the C preprocessor makes of the public headers:
# functions, enumeration constants, structures, enumerations and structures' members, without the prefix and in lower
# case. A member's name follows its structure's: options.opt_level. Members of structures without a name are left out.
#
#     cc -E -P all.h | awk -f features.awk | LC_ALL=C sort -u
function is_name(t) { return t ~ /^[A-Za-z_]/ }
function emit(name) {
    name = tolower(name)
    sub(/^qpucc_/, "", name)
    print name
}
{ text = text " " $0 }
END {
    while (match(text, /[A-Za-z_][A-Za-z_0-9]*|[^ \t]/)) {
        token[++count] = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
    }
    for (i = 1; i <= count; i++) {
        t = token[i]
        after = token[i + 1]
        ours = t ~ /^(qpucc|QPUCC)_/
        if (t == "{") {
            kind[++depth] = opens
            tag[depth] = opens ? opened : ""
            opens = ""
        } else if (t == "}") {
            depth--
        } else if (t == "(") {
            round++
        } else if (t == ")") {
            round--
        } else if (t == "struct" || t == "enum" || t == "union") {
            opened = is_name(after) ? after : ""
            opens = after == "{" || token[i + 2] == "{" ? t : ""
            if (opened ~ /^qpucc_/) emit(opened)
            if (opened != "") i++
        } else if (depth == 0 && ours && after == "(") {
            emit(t)
        } else if (depth && kind[depth] == "enum" && ours && (token[i - 1] == "{" || token[i - 1] == ",")) {
            emit(t)
        } else if (depth && kind[depth] == "struct" && tag[depth] ~ /^qpucc_/ && is_name(t)) {
            plain = round == 0 && index(";,[:", after)
            pointer = round == 1 && token[i - 1] == "*" && token[i - 2] == "(" && after == ")"
            if (plain || pointer) emit(tag[depth] "." t)
        }
    }
}
