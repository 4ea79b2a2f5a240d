/* Pairs of the corpus, compiled by us, on the model. */
#ifndef BENCH_OWN_H
#define BENCH_OWN_H

#include "bench/model.h"

#include <jansson.h>
#include <qpucc/qpucc.h>

/* A line of dev-pairs.jsonl as a program; NULL when the line holds no pair. Without code it has diagnostics.
 * */
qpucc_program *own_compile(json_t *pair, const struct qpucc_options *options);

/* Runs the fragment shader with inputs that depend on the names of the uniforms alone, not on where they lie:
 * integers are the model's, sizes those of a small picture, other floats between its bounds. False with the
 * reason in error. */
bool own_run(struct model *model, const qpucc_program *program, struct model_figures *figures,
             struct qpusim_error *error);

#endif
