/* The records of control lists as a table. */
#ifndef SIM_CL_H
#define SIM_CL_H

#include <qpucc/records.h>

struct sim_cl_field {
    char type; /* as in records.def; 0 ends a record's fields */
    uint8_t bits;
    uint16_t low;    /* bit, counted after the code */
    uint16_t offset; /* in the record's struct */
    const char *name;
    const char *words; /* of type E */
};

struct sim_cl_record {
    const char *name;
    unsigned code, size; /* size with the code, if it has one */
    enum qpusim_where where;
    const struct sim_cl_field *(*fields)(void);
};

/* NULL for a code that no record has. */
const struct sim_cl_record *sim_cl_record(unsigned code);

#endif
