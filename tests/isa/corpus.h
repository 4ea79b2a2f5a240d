/* Reads the corpus of machine code that other compilers made ($QPUCC_SHARED/corpus/foreign-code.jsonl). */
#ifndef TEST_CORPUS_H
#define TEST_CORPUS_H

#include "backend/isa/isa.h"

struct foreign_program {
    char *name, *compiler;
    enum qpucc_stage stage;
    uint64_t *code;
    size_t count;
};

struct foreign_corpus {
    struct foreign_program *programs;
    size_t count;
};

/* The folder of the suites, or NULL when this machine has none. */
const char *shared_folder(void);

/* False if there is no corpus or it can't be read. */
bool corpus_load(struct foreign_corpus *corpus);
void corpus_free(struct foreign_corpus *corpus);

/* Prints a path; too long a one is cut and will not open. */
enum { PATH_SIZE = 4096 };
__attribute__((format(printf, 2, 3))) void print_path(char path[PATH_SIZE], const char *format, ...);

/* A whole file, NUL-terminated; NULL if it can't be read. The caller frees. */
char *read_file(const char *path, size_t *length);

#endif
