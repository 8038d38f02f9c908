/* Bands: rows whose borders move by one per row. */
#include "run/run.h"

static void part(const dmlc_job *job, int64_t begin, int64_t end, char *output, const char *input)
{
    const dmlc_band *band = &job->plan->program.band;
    const dmlc_band_rows rows = {
        .band = band,
        .first = begin,
        .count = end - begin,
        .output = output + begin * band->output_row,
        .input = input + begin * band->input_row,
        .width = job->plan->width,
        .background = &job->patterns[0],
        .value = &job->patterns[1],
        .stream = job->stream,
    };
    job->kernels->band(&rows);
}

static void block(const dmlc_job *job, char *output, int64_t output_step, const char *input, int64_t input_step,
                  int64_t count)
{
    const dmlc_band *band = &job->plan->program.band;
    const int64_t width = job->plan->width, matrix = band->rows * band->columns * width;
    if (band->background == DMLC_BACKGROUND_VALUE && output_step == matrix && band->output_column == width &&
        band->output_row == band->columns * width) {
        /* A batch of nothing but values is one matrix over and over. */
        part(job, 0, band->rows, output, input);
        dmlc_replicate(job, output, matrix, (count - 1) * matrix);
        return;
    }
    for (int64_t i = 0; i < count; ++i)
        part(job, 0, job->leaf_size, output + i * output_step, input + i * input_step);
}

const dmlc_leaf dmlc_band_leaf = {part, block};
