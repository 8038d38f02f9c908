/* Leaves that grow from their cores, as many at a time as a first-level cache has room for. */
#include "run/run.h"

static void grown(const dmlc_job *job, const dmlc_block *block)
{
    const dmlc_grown *program = &job->plan->program.grown;
    dmlc_job jobs[DMLC_MOST_GROWN];
    for (int32_t i = 0; i < program->count; ++i) {
        dmlc_job_begin_within(&jobs[i], job, program->plans[i]);
        jobs[i].stream = NULL; /* what is written is read again */
        jobs[i].writes_in_order = jobs[i].stores_wait = false;
    }
    dmlc_block some = *block;
    for (int64_t i = 0; i < block->count; i += program->together) {
        const int64_t left = block->count - i;
        some.count = dmlc_minimum(left, program->together);
        some.output = block->output + i * block->output_step;
        for (int32_t j = 0; j < program->count; ++j) {
            const bool from_input = j < program->from_input;
            some.input = from_input ? block->input + i * block->input_step : some.output;
            some.input_step = from_input ? block->input_step : block->output_step;
            dmlc_run_leaves(&jobs[j], &some);
        }
    }
}

const dmlc_leaf dmlc_grown_leaf = DMLC_WHOLE_LEAF(grown, NULL);
