/* Fixed-function states, state keys and the values of draws from JSON. */
#ifndef TOOLS_FIXED_FILE_H
#define TOOLS_FIXED_FILE_H

#include "members.h"

/* Names and values as in members.h; what is left out is 0. False: the reason is in error. */
bool fixed_file_read(struct qpucc_fixed *fixed, const char *path, char *error, size_t size);
bool fixed_file_parse(struct qpucc_fixed *fixed, const json_t *object, char *error, size_t size);

/* A state key; its member "values" is an object with those of struct qpucc_draw_state, numbers or lists. */
bool state_file_read(struct qpucc_state *state, struct qpucc_draw_state *values, const char *path,
                     char *error, size_t size);
bool state_file_parse(struct qpucc_state *state, struct qpucc_draw_state *values, json_t *object, char *error,
                      size_t size);

#endif
