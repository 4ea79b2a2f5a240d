/* The page of qpucc serve and the report of qpucc explain --html. web/build.mjs bundles both from web/ and
 * CMake compiles them in; a build without npm has neither. */
#ifndef TOOLS_WEB_H
#define TOOLS_WEB_H

#include <stdbool.h>
#include <stddef.h>

struct web_file {
    const char *path;          /* "/", "/app.js" ... */
    const char *type;          /* Content-Type */
    const char *etag;          /* with its quotes; changes with the contents */
    const unsigned char *data; /* compressed: Content-Encoding gzip */
    size_t size;               /* of data */
    size_t plain_size;         /* of the file */
    bool forever;              /* the path changes with the contents, so whoever has the file may keep it */
};

/* The header Content-Security-Policy of the page, before the sites that may frame it. It needs nothing but
 * its own scripts, its own style, the machine as WebAssembly and the service's answers: CodeMirror's styles
 * are constructed style sheets, and pictures are drawn on a canvas. */
#define WEB_POLICY                                                                                           \
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self'; "           \
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "

/* A file of the page by the path of its URL; "/" is the page itself. NULL: there is none. */
const struct web_file *web_file(const char *path);
/* Was the page built in? */
bool web_present(void);

/* The report: one HTML file that fetches nothing. `title` is plain text. `data` is the text of a JSON object:
 * explain, an explain document; sources, a list of {file, text}; machine, what the machine in the page draws,
 * if `machine` says that the file is to have it. The caller frees the result. NULL: out of memory, or the
 * page was not built in. */
char *web_report(const char *title, const char *data, bool machine, size_t *size);

/* What build.mjs generates. */
struct web_piece {
    const unsigned char *data;
    size_t size;
};
extern const struct web_file web_files[];
extern const unsigned web_file_count;
/* The title goes behind the first and the data behind the second; the fourth is the machine. */
extern const struct web_piece web_report_pieces[5];

#endif
