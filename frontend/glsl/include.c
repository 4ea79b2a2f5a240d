/* include.c: #include finds a file, beside the including one or in the -I folders, and reads it.
 *
 * A file outside of those folders is not opened, whatever links and dots lead to it. How deep files are
 * nested, how many there are and their bytes count against limits. */
#include "frontend/glsl/preprocess.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_inside(const char *path, const char *folder) {
    size_t length = strlen(folder);
    if (strcmp(folder, "/") == 0)
        return true;
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* Opens folder/name if that is a regular file inside the folder, whatever links and dots say. */
static FILE *open_inside(struct run *run, const char *folder, const char *name, const char **path) {
    char root[PATH_MAX], real[PATH_MAX];
    const char *joined = *folder ? run_join(run, run_join(run, folder, "/"), name) : name;
    FILE *file = NULL;
    struct stat st;
    if (realpath(*folder ? folder : ".", root) && realpath(joined, real) && is_inside(real, root) &&
        stat(real, &st) == 0 && S_ISREG(st.st_mode)) {
        file = fopen(real, "rb");
        *path = joined;
    }
    return file;
}

static FILE *find_include(struct preprocessor *pp, const char *name, bool local, const char **path) {
    if (name[0] == '/' || strlen(name) > 300)
        return NULL;
    if (local) {
        const char *slash = strrchr(pp->path, '/');
        const char *folder = slash ? run_name(pp->run, pp->path, (size_t)(slash - pp->path))->text : "";
        if (slash == pp->path)
            folder = "/";
        FILE *file = open_inside(pp->run, folder, name, path);
        if (file)
            return file;
    }
    for (size_t i = 0; i < pp->options->include_dir_count; i++) {
        FILE *file = open_inside(pp->run, pp->options->include_dirs[i], name, path);
        if (file)
            return file;
    }
    return NULL;
}

void preprocess_include(struct preprocessor *pp, struct place place) {
    char close;
    const char *name = lexer_file_name(pp->run, &pp->lexer, &close);
    if (!name) {
        const char *rest = lexer_rest(pp->run, &pp->lexer);
        const char *word = run_format(pp->run, "%.*s", (int)strcspn(rest, " \t"), rest);
        if (*word && !close)
            run_report(pp->run, FE_ERROR, pp->unit->stage, place,
                       "#include needs quotes around the name of the file: write #include \"%s\"", word);
        else
            preprocess_error(pp, place, "#include needs \"file\" or <file>");
        pp->stopped = true; /* what it declares would be missing everywhere */
        return;
    }
    struct tokens line = {0};
    preprocess_read_line(pp, &line);
    preprocess_expect_end(pp, &line, 0, "include");
    tokens_free(pp->run, &line);
    if (pp->options->no_include) {
        preprocess_error(pp, place, "#include is not allowed here");
        return;
    }
    if (pp->include_depth >= pp->run->limits.include_depth) {
        run_limit(pp->run, pp->unit->stage, place, "#include \"%s\" is nested too deeply (limit %u)", name,
                  pp->run->limits.include_depth);
        pp->stopped = true;
        return;
    }
    if (pp->include_count++ >= pp->run->limits.includes) { /* two in each file of a chain make 2^depth */
        run_limit(pp->run, pp->unit->stage, place, "#include \"%s\": too many files (limit %u)", name,
                  pp->run->limits.includes);
        pp->stopped = true;
        return;
    }
    const char *path = name;
    FILE *file = find_include(pp, name, close == '"', &path);
    if (!file) {
        run_report(pp->run, FE_ERROR, pp->unit->stage, place,
                   "cannot open include file '%s' (looked beside the including file and in the -I folders)",
                   name);
        pp->stopped = true;
        return;
    }
    struct buffer content = {0};
    char chunk[4096];
    size_t got;
    while ((got = fread(chunk, 1, sizeof chunk, file)) > 0 &&
           pp->included + content.length <= pp->run->limits.source_bytes && !pp->run->failed)
        buffer_add(pp->run, &content, chunk, got);
    bool broken = ferror(file);
    fclose(file);
    pp->included += content.length;
    if (broken) {
        run_report(pp->run, FE_ERROR, pp->unit->stage, place, "include file '%s' cannot be read", name);
        pp->stopped = true;
    } else if (pp->included > pp->run->limits.source_bytes) {
        run_limit(pp->run, pp->unit->stage, place, "include file '%s' is too large%s: the limit is %zu bytes",
                  name, pp->included == content.length ? "" : " together with those before it",
                  pp->run->limits.source_bytes);
        pp->stopped = true;
    } else if (!pp->run->failed) {
        struct lexer outer = pp->lexer;
        const char *outer_path = pp->path;
        pp->path = path;
        run_name_z(pp->run, path)->included = true;
        if (pp->options->on_include)
            pp->options->on_include(pp->options->user, path, content.text, content.length);
        pp->include_depth++;
        lexer_begin(&pp->lexer, content.text ? content.text : "", content.length,
                    run_file(pp->run, path, place));
        preprocess_text(pp);
        pp->include_depth--;
        pp->path = outer_path;
        pp->lexer = outer;
    }
    buffer_free(pp->run, &content);
}
