/* Leaves whose input is packed first, as many at a time as the stage has room for. */
#include "run/run.h"

static void packed(const dmlc_job *job, const dmlc_block *block)
{
    const dmlc_packed *program = &job->plan->program.packed;
    _Alignas(DMLC_LINE_BYTES) char stage[DMLC_PACKED_BYTES];
    dmlc_job pack, unpack;
    dmlc_job_begin_within(&pack, job, program->pack);
    dmlc_job_begin_within(&unpack, job, program->unpack);
    pack.stream = NULL;
    pack.writes_in_order = pack.stores_wait = false;
    unpack.far = unpack.reads_down = false;
    const bool is_repeated = block->input_step == 0;
    const int64_t together = is_repeated ? block->count : DMLC_PACKED_BYTES / program->bytes;
    dmlc_block some = *block;
    for (int64_t i = 0; i < block->count; i += together) {
        const int64_t count = dmlc_minimum(block->count - i, together);
        some.output = stage;
        some.output_step = program->bytes;
        some.input = block->input + i * block->input_step;
        some.input_step = block->input_step;
        some.count = is_repeated ? 1 : count;
        dmlc_run_leaves(&pack, &some);
        some.output = block->output + i * block->output_step;
        some.output_step = block->output_step;
        some.input = stage;
        some.input_step = is_repeated ? 0 : program->bytes;
        some.count = count;
        dmlc_run_leaves(&unpack, &some);
    }
}

const dmlc_leaf dmlc_packed_leaf = DMLC_WHOLE_LEAF(packed, NULL);
