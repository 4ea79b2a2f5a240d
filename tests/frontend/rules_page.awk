# Writes docs/rules.md from rules.txt.

function cell(text) {
    gsub(/\|/, "\\|", text)
    return text
}

function flush_rule(    row, v, cases) {
    if (id == "")
        return
    row = "| " cell(rule) " |"
    for (v = 1; v <= n; v++)
        row = row " " section[v] " |"
    row = row " " (kind == "error" ? "error" : kind == "left" ? cell(done) : kind ": " cell(done))
    body = body row " | `" id "` | " (bad ? bad " refused" : "") (bad && good ? ", " : "") \
           (good ? good " accepted" : "") (bad + good ? "" : "elsewhere") (broken ? ", " broken " kind" (broken == 1 ? "" : "s") " of breach" : "") " |\n"
    id = ""
}

function head() {
    return "| rule | ES 1.00 | ES 3.00 | 1.10 | 1.20 | 1.30 | 1.40 | 1.50 | 3.30 | qpucc | name | cases |\n" \
           "|---|---|---|---|---|---|---|---|---|---|---|---|\n"
}

# How many versions does a list of them name?
function versions_of(list,    a) {
    return list == "*" ? in_rule : split(list, a, " ")
}

BEGIN {
    FS = "\t"
    n = split("100 300 110 120 130 140 150 330", name, " ")
}

/^## / {
    flush_rule()
    body = body "\n" $0 "\n\n" head()
}

/^@/ {
    flush_rule()
    id = substr($1, 2)
    kind = $2
    rule = $4
    done = $5
    good = bad = broken = 0
    for (v = 1; v <= n; v++)
        section[v] = ""
    in_rule = split($3, places, " ")
    for (p = 1; p <= in_rule; p++) {
        split(places[p], pair, ":")
        for (v = 1; v <= n; v++)
            if (name[v] == pair[1]) {
                section[v] = pair[2]
                rows[v]++
                of_kind[kind, v]++
            }
    }
    rules++
}

/^=tests.random.illegal.def/ {
    broken++
}

/^[*0-9]/ {
    times = versions_of($1)
    if ($2 == "words")
        times *= split($3, words, " ")
    if ($2 == "bad" || $2 == "words")
        bad += times
    else
        good += times
    cases += times
}

END {
    flush_rule()
    print "# The rules, section by section"
    print ""
    print "What the specifications say \"must\", \"error\", \"illegal\", \"undefined\" or \"cannot\" of, as far as a compiler or a linker can"
    print "decide it: GLSL ES 1.00 (revision 17), GLSL ES 3.00 (revision 4), and GLSL 1.10 (revision 59), 1.20, 1.30, 1.40, 1.50 and 3.30."
    print "A row is a rule in our words, with its section in each version that has it. **error**: a shader that breaks it is refused."
    print "**warning**: it is accepted and warned of. **undefined**: the specification leaves it open, and the row says what happens here."
    print "Without one of these words the row says what we do instead, and why."
    print ""
    print "This page is made of tests/frontend/rules.txt (`ninja update_rules`), which has the cases: small pairs of shaders, each judged"
    print "in every version that it names (ctest `glsl_rules`). A rule of an error has in each of its versions a case that is refused"
    print "and a neighbour that is accepted. Kinds of breach are those of tests/random/illegal.def, which `qpucc-random --illegal`"
    print "puts into random programs. Errors of the API at run time, precisions of results ([numerics.md](numerics.md)) and"
    print "geometry shaders, which this hardware has not, are left out."
    print ""
    printf "%d rules, %d cases. Rows and what they are, by version:\n\n", rules, cases
    print "| | ES 1.00 | ES 3.00 | 1.10 | 1.20 | 1.30 | 1.40 | 1.50 | 3.30 |"
    print "|---|---|---|---|---|---|---|---|---|"
    kinds = split("error warning undefined left", k, " ")
    for (i = 1; i <= kinds; i++) {
        line = "| " (k[i] == "left" ? "done otherwise" : k[i]) " |"
        for (v = 1; v <= n; v++)
            line = line " " of_kind[k[i], v] + 0 " |"
        print line
    }
    line = "| all |"
    for (v = 1; v <= n; v++)
        line = line " " rows[v] " |"
    print line
    printf "%s", body
}
