# A manual page from public headers: their comments as text, their declarations as they are.
#
#     awk -v title=LIBQPUCC -v name=libqpucc -v version=0.2.0 -v summary="..." -f headers_man.awk HEADER...
#
# A comment that begins in the first column is text. In it, lines indented by four blanks more are an example, and
# "- " begins an item. "--- x ---" is a heading. All other lines are code; a blank line ends a block of them.
function escape(s) {
    gsub(/\\/, "\\e", s)
    if (s ~ /^[.']/) s = "\\&" s
    return s
}
function code(s) { s = escape(s); gsub(/-/, "\\-", s); print s }
function end_code() { if (in_code) print ".EE\n.RE"; in_code = 0 }
function begin_code() { if (!in_code) print ".sp\n.RS 4\n.EX"; in_code = 1 }
# One line of a comment, without its leading " * ".
function text(s) {
    if (s ~ /^    /) {
        begin_code()
        code(substr(s, 5))
        return
    }
    end_code()
    if (s ~ /^[ \t]*$/) print ".PP"
    else if (s ~ /^- /) print ".IP \\(bu 3\n" escape(substr(s, 3))
    else { sub(/^ +/, "", s); print escape(s) }
}
BEGIN {
    printf ".TH %s 3 \"\" \"qpucc %s\" \"Library Functions\"\n", title, version
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
    printf ".SH %s\n", header
}
/^#if(n?def| )/ { guard++; next }
/^#endif/ { guard--; next }
guard && /^#define QP[A-Z]*_H$/ { next }
/^#include/ || /^extern "C" \{/ || guard > 1 { next }
in_comment {
    line = $0
    last = sub(/[ \t]*\*\/$/, "", line)
    sub(/^ \*? ?/, "", line)
    if (line ~ /^--- .* -+$/) { # a heading inside
        end_code()
        gsub(/^--- | -+$/, "", line)
        printf ".SS %s\n", line
    } else if (line !~ /^[ \t]*$/ || !last)
        text(line)
    if (last) { end_code(); in_comment = 0 }
    next
}
/^\/\* --- / {
    end_code()
    line = $0
    gsub(/^\/\* --- | -+( \*\/)?$/, "", line)
    printf ".SS %s\n", line
    in_comment = !/\*\/$/
    next
}
/^\/\*/ {
    end_code()
    print ".PP"
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
    print ".BR qpucc (1), libqpucc (3), libqpusim (3), libqpucc_native (3)"
}
