/* Bands: rows whose borders move by one per row. */
#include "run/past_cache.h"

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

/* The values of a band that is set in what is there: all else stays as it is. In the cache, the band's lines are fetched to be written,
 * unlike those of one long fill, so that to go past it pays early. Triangles in place on Zen 4 with a cache of 32 MiB, as a share of the
 * time in it, by the bytes that a row sets by mean and all do:
 *
 *     400 and more    8 MB 0.7 to 1.6    12 MB 0.5 to 0.7    16 to 34 MB 0.4 to 0.8      one thread
 *                     8 MB 1.1 to 2.3    12 MB 0.6 to 2.2    16 to 34 MB 0.5 to 0.9      two
 *     250 to 320     13 MB 0.9 to 1.3    23 MB 0.65 to 0.75       to 50 MB 0.6 to 0.8
 *     128 and less   13 MB 1.3 to 3.6                             to 98 MB 1.0 to 2.4
 */
static double set_values_from(const dmlc_plan *plan, int32_t threads)
{
    enum { LEAST_OF_A_ROW = 192, LONG = 384 };
    const dmlc_band *band = &plan->program.band;
    const double of_a_row = (double)(band->columns * plan->width) * band->share_set;
    const double eighths = of_a_row < LONG ? 5 : threads > 1 ? 3 : 2;
    return of_a_row >= LEAST_OF_A_ROW ? eighths / 8 / band->share_set : DMLC_STAYS_IN_CACHE;
}

/* Bands around or within what is read go past the cache earlier, line by line: triangles of 12 MB, as many read, took 0.46 to 1.1 of the
 * time on one thread, of 16 MB 0.45 to 1.2 on two, 0.74 and 0.88 by mean. A band that is set after a copy is asked as the whole is: its
 * bytes are of both. */
static double past_cache_from(const dmlc_plan *plan, const dmlc_pattern *patterns, int32_t threads)
{
    const dmlc_band *band = &plan->program.band;
    if (band->background == DMLC_BACKGROUND_KEEP && plan->before == NULL)
        return set_values_from(plan, threads);
    if (band->background == DMLC_BACKGROUND_VALUE && band->dense)
        return dmlc_values_past_cache_from(patterns, band->share_set, false, threads);
    const bool reads_band = band->background == DMLC_BACKGROUND_INPUT && band->dense;
    return reads_band ? dmlc_past_cache_earlier(threads) : dmlc_past_cache_early(threads);
}

const dmlc_leaf dmlc_band_leaf = {
    .size = size,
    .grain = dmlc_one,
    .output_step = output_step,
    .part = part,
    .block = block,
    .past_cache_from = past_cache_from,
};
