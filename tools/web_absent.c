/* A build without the page. */
#include "web.h"

const struct web_file web_files[1];
const unsigned web_file_count = 0;
const struct web_piece web_report_pieces[5];
