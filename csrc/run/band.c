/* Bands: rows whose borders move by one per row. */
#include "run/run.h"

static int64_t size(const dmlc_plan *plan) { return plan->program.band.rows; }

static int64_t output_step(const dmlc_plan *plan) { return dmlc_absolute(plan->program.band.output_row); }

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
        .far = job->far,
    };
    job->plan->kernels->band(&rows);
}

static void part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    run_batch(job, begin, end, output, 0, input, 0, 1);
}

/* Matrices of so many bytes are copied from a first-level cache, which takes as little as to fill them; and past the cache from
 * a second-level one, as stores there wait for memory alone. */
enum { NEAR_BYTES = 16 * 1024, STREAMED_BYTES = 256 * 1024 };

/* Whether a batch is the first of its matrices over and over: of nothing but values, where to copy takes no longer than to make
 * them anew. */
static bool is_copied(const dmlc_job *job, const dmlc_block *block, int64_t matrix)
{
    const dmlc_band *band = &job->plan->program.band;
    if (band->background != DMLC_BACKGROUND_VALUE || !band->dense || block->output_step != matrix)
        return false;
    return matrix <= (job->stream != NULL ? STREAMED_BYTES : NEAR_BYTES);
}

static void block(const dmlc_job *job, const dmlc_block *block)
{
    const dmlc_band *band = &job->plan->program.band;
    const int64_t matrix = band->rows * band->columns * job->plan->width;
    if (!is_copied(job, block, matrix)) {
        run_batch(job, 0, band->rows, block->output, block->output_step, block->input, block->input_step, block->count);
        return;
    }
    dmlc_job in_cache = *job;
    in_cache.stream = NULL;
    part(&in_cache, 0, band->rows, block->output, block->input);
    dmlc_replicate(job, block->output, matrix, (block->count - 1) * matrix);
}

const dmlc_leaf dmlc_band_leaf = {
    .size = size, .grain = dmlc_one, .output_step = output_step, .part = part, .block = block};
