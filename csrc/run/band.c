/* Bands: rows whose borders move by one per row. */
#include "run/run.h"

static int64_t size(const dmlc_plan *plan) { return plan->program.band.rows; }

/* Rows [begin, end) of each matrix of a batch. */
static void run_batch(const dmlc_job *job, int64_t begin, int64_t end, char *output, int64_t output_batch,
                      const char *input, int64_t input_batch, int64_t batch)
{
    const dmlc_band *band = &job->plan->program.band;
    const dmlc_band_rows rows = {
        .band = band,
        .first = begin,
        .count = end - begin,
        .batch = batch,
        .output_batch = output_batch,
        .input_batch = input_batch,
        .output = output + begin * band->output_row,
        .input = input + begin * band->input_row,
        .width = job->plan->width,
        .background = &job->patterns[0],
        .value = &job->patterns[1],
        .stream = job->stream,
    };
    job->plan->kernels->band(&rows);
}

static void part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    run_batch(job, begin, end, output, 0, input, 0, 1);
}

static void block(const dmlc_job *job, const dmlc_block *block)
{
    const dmlc_band *band = &job->plan->program.band;
    const int64_t width = job->plan->width, matrix = band->rows * band->columns * width;
    if (band->background == DMLC_BACKGROUND_VALUE && block->output_step == matrix && band->dense) {
        /* A batch of nothing but values is one matrix over and over. */
        part(job, 0, band->rows, block->output, block->input);
        dmlc_replicate(job, block->output, matrix, (block->count - 1) * matrix);
        return;
    }
    run_batch(job, 0, band->rows, block->output, block->output_step, block->input, block->input_step, block->count);
}

const dmlc_leaf dmlc_band_leaf = {size, dmlc_one, part, block};
