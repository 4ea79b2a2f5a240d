# A manual page from public headers: their comments as text, their declarations as they are.
#
#     awk -v title=LIBQPUCC -v name=libqpucc -v version=0.2.0 -v date=2026-11-22 -v summary="..." -f headers_man.awk HEADER...
#
# A comment that begins in the first column is text. In it, lines indented by four blanks more are an example, and
# "- " begins an item. "--- x ---" is a heading. All other lines are code; a blank line ends a block of them.
function escape(s) {
    gsub(/\\/, "\\e", s)
    if (s ~ /^[.']/) s = "\\&" s
    return s
}
function code(s) { s = escape(s); gsub(/-/, "\\-", s); print s }
function end_code() {
    if (in_code) print ".EE\n.RE"
    in_code = 0
}
function begin_code() {
    if (in_code) return
    if (before != "heading") print ".sp"
    print ".RS 4\n.EX"
    in_code = 1
    before = "code"
}
function heading(macro, s) {
    end_code()
    printf "%s %s\n", macro, s
    before = "heading"
}
# One line of a comment, without its leading " * ".
function text(s) {
    if (s ~ /^    /) {
        begin_code()
        code(substr(s, 5))
        return
    }
    end_code()
    if (s ~ /^[ \t]*$/) {
        paragraph = 1
        return
    }
    if (s ~ /^- /) {
        print ".IP \\(bu 3"
        s = substr(s, 3)
    } else if (before == "code" || paragraph && before == "text")
        print ".PP"
    paragraph = 0
    before = "text"
    sub(/^ +/, "", s)
    print escape(s)
}
BEGIN {
    printf ".TH %s 3 %s \"qpucc %s\" \"Library Functions\"\n", title, date, version
    printf ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.nf\n", name, summary
    for (i = 1; i < ARGC; i++) {
        header = ARGV[i]
        sub(/^.*\/qpucc\//, "qpucc/", header)
        if (header !~ /stage\.h|version\.h|limit\.h/) printf ".B #include <%s>\n", header
    }
    printf ".PP\n.BI \"cc \" program.c \" $(pkg\\-config \\-\\-cflags \\-\\-libs %s)\"\n.fi\n", substr(name, 4)
}
FNR == 1 {
    end_code()
    in_comment = guard = 0
    header = FILENAME
    sub(/^.*\/qpucc\//, "qpucc/", header)
    heading(".SH", header)
}
/^#if(n?def| )/ { guard++; next }
/^#endif/ { guard--; next }
guard && /^#define QP[A-Z_]*_H$/ { next }
/^#include/ || /^extern "C" \{/ || guard > 1 { next }
in_comment {
    line = $0
    last = sub(/[ \t]*\*\/$/, "", line)
    sub(/^ \*? ?/, "", line)
    if (line ~ /^--- .* -+$/) { # a heading inside
        gsub(/^--- | -+$/, "", line)
        heading(".SS", line)
    } else if (line !~ /^[ \t]*$/ || !last)
        text(line)
    if (last) { end_code(); in_comment = 0 }
    next
}
/^\/\* --- / {
    line = $0
    gsub(/^\/\* --- | -+( \*\/)?$/, "", line)
    heading(".SS", line)
    in_comment = !/\*\/$/
    next
}
/^\/\*/ {
    end_code()
    paragraph = 1
    line = substr($0, 4)
    in_comment = !sub(/[ \t]*\*\/$/, "", line)
    text(line)
    next
}
/^[ \t]*$/ { end_code(); next }
{ begin_code(); code($0) }
END {
    end_code()
    print ".SH SEE ALSO"
    print ".BR qpucc \"(1), \" libqpucc \"(3), \" libqpucc_rt \"(3), \" libqpusim \"(3), \" libqpusim_drm \"(3), \" libqpucc_native (3)"
}
