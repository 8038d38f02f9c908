/* Rows of a band. */
#include "contracts/contract.h"

#include <string.h>

static void band(const dmlc_kernels *kernels)
{
    const int64_t width = draw_width(), columns = draw_size(MOST_BYTES / 8 / width), row_bytes = columns * width;
    const int64_t count = draw_size(MOST_BYTES / 4 / row_bytes), batch = draw_size(MOST_BYTES / 4 / row_bytes / count);
    const bool dense = draw(2) == 0, dense_input = dense && draw(2) == 0;
    const int64_t begin = draw_between(-columns - 3, columns + 3);
    dmlc_band band = {
        .begin = begin,
        .end = draw_between(begin, columns + 3),
        .inverted = draw(2) == 0,
        .background = (dmlc_band_background)draw(3),
        .columns = columns,
        .output_column = dense ? width : width + draw(width),
        .input_column = dense_input || draw(2) == 0 ? width : draw_between(-20, 20),
        .dense_output = dense,
        .together = draw(2) == 0,
        .together_far = draw(2) == 0,
    };
    band.output_row = dense ? row_bytes : band.output_column * columns + draw(30);
    /* A single row may have any step, and a single matrix. */
    const int64_t any = draw(2) == 0 ? INT64_MAX : INT64_MIN;
    band.input_row = dense_input ? row_bytes : count == 1 ? any : draw_between(-30, 30);
    band.dense = dense && (dense_input || band.background != DMLC_BACKGROUND_INPUT);
    if (band.dense && row_bytes <= DMLC_WINDOWS_BYTES && draw(2) == 0)
        band.way = DMLC_BAND_WINDOWS;
    else if (band.dense && band.background == DMLC_BACKGROUND_VALUE && draw(2) == 0)
        band.way = DMLC_BAND_FILLED;
    band.passages[0] = 1 - band.end;
    band.passages[1] = columns - band.end;
    band.passages[2] = 1 - band.begin;
    band.passages[3] = columns - band.begin;
    const int64_t first = draw(columns + 3);
    band.rows = first + count;
    const int64_t output_batch = count * band.output_row + draw(2) * draw(30),
                  input_batch = dense_input && draw(2) == 0 ? count * row_bytes
                                : batch == 1                ? any
                                                            : draw_between(-40, 40);
    extent reads = {0, 0};
    for (int64_t matrix = 0; matrix < 2; ++matrix)
        for (int64_t y = 0; y < 2; ++y)
            for (int64_t x = 0; x < 2; ++x)
                take_in(&reads,
                        matrix * (batch - 1) * input_batch + y * (count - 1) * band.input_row +
                            x * (columns - 1) * band.input_column,
                        width);
    if (batch * output_batch > MOST_BYTES || reads.end - reads.low > MOST_BYTES)
        return;
    memory m = prepare(batch * output_batch, reads.end - reads.low, width);
    const char *input = m.input - reads.low;
    for (int64_t matrix = 0; matrix < batch; ++matrix)
        for (int64_t y = 0; y < count; ++y)
            for (int64_t x = 0; x < columns; ++x) {
                const bool inside = x >= band.begin + first + y && x < band.end + first + y;
                char *to = m.expected + matrix * output_batch + y * band.output_row + x * band.output_column;
                if (inside != band.inverted)
                    memcpy(to, m.patterns[1].bytes, (size_t)width);
                else if (band.background == DMLC_BACKGROUND_VALUE)
                    memcpy(to, m.patterns[0].bytes, (size_t)width);
                else if (band.background == DMLC_BACKGROUND_INPUT)
                    memcpy(to, input + matrix * input_batch + y * band.input_row + x * band.input_column,
                           (size_t)width);
            }
    const dmlc_band_rows rows = {
        .band = &band,
        .first = first,
        .count = count,
        .batch = batch,
        .output_batch = output_batch,
        .input_batch = input_batch,
        .output = m.output,
        .input = input,
        .width = width,
        .background = &m.patterns[0],
        .value = &m.patterns[1],
        .stream = draw_stream(&m),
        .far = draw(2) == 0,
    };
    kernels->band(&rows);
    end_stream(kernels, rows.stream);
}

const contract band_contracts[] = {
    {"band", band},
    {NULL, NULL},
};
