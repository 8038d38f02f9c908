/* Transposes, see kernels/transposes.h. */
#include "contracts/contract.h"

#include <string.h>

static void transpose(const dmlc_kernels *kernels)
{
    /* Pixels of three bytes have tiles of their own, and those of bytes are the largest: both would be drawn too rarely. */
    const int64_t kind = draw(4);
    const bool pixels = kind == 0, bytes = kind == 1;
    const int64_t width = pixels || bytes ? 1 : draw_width();
    const int64_t chunk = pixels ? 3 : bytes ? 1 : draw_between(1, draw(2) == 0 ? 1 : 64 / width) * width;
    const int64_t columns = bytes ? draw_between(1, 600) : draw_size(draw(4) == 0 ? 1024 : 4000 / (chunk + 20));
    const bool listed_sources = draw(2) == 0, listed_places = draw(2) == 0;
    dmlc_axis axis = draw_axis(columns, chunk);
    if (listed_sources || draw(2) == 0) {
        axis = (dmlc_axis){.size = columns, .output_step = axis.output_step};
        dmlc_axis_add(&axis, columns, draw(200), draw(200), false);
    }
    const int64_t row_bytes = (columns - 1) * axis.output_step + chunk;
    /* Rows a part of 4 KiB apart share places in the cache, and are transposed fewer at a time. */
    const int64_t part = 4096 / draw_between(5, 24);
    const bool shared = draw(2) == 0 && part >= row_bytes;
    const int64_t output_step = shared ? part : row_bytes + draw(2) * draw(40);
    const int64_t most_rows = MOST_BYTES / output_step;
    if (most_rows < 1)
        return;
    const int64_t most = least(most_rows, DMLC_MOST_PLACES), count = shared ? draw(most) + 1 : draw_size(most);
    const int64_t input_step = draw(2) == 0 ? chunk : draw_between(-20, 20);
    dmlc_row row = dmlc_row_of(&axis, chunk, 0, columns);
    if (listed_sources) {
        row.piece_count = 1;
        row.pieces[0] = (dmlc_piece){.operation = DMLC_GATHER, .count = columns};
    }
    int64_t places[DMLC_MOST_PLACES], sources[DMLC_MOST_PLACES];
    for (int64_t r = 0; r < count; ++r) {
        const int64_t other = draw(r + 1);
        places[r] = places[other];
        places[other] = r * output_step;
    }
    extent reads = {0, 0};
    for (int64_t c = 0; c < columns; ++c) {
        const dmlc_segment run = dmlc_axis_run(&axis, c, c + 1);
        sources[c] = listed_sources ? draw_between(-3000, 3000) : run.offset;
        take_in(&reads, sources[c], run.outside ? 0 : chunk);
        take_in(&reads, sources[c] + (count - 1) * input_step, run.outside ? 0 : chunk);
    }
    if (reads.end - reads.low > MOST_BYTES)
        return;
    memory m = prepare((count - 1) * output_step + row_bytes, reads.end - reads.low, width);
    const char *input = m.input - reads.low;
    for (int64_t r = 0; r < count; ++r)
        for (int64_t c = 0; c < columns; ++c) {
            const bool outside = dmlc_axis_run(&axis, c, c + 1).outside;
            const void *from = outside ? (const char *)m.patterns[0].bytes : input + r * input_step + sources[c];
            memcpy(m.expected + (listed_places ? places[r] : r * output_step) + c * axis.output_step, from,
                   (size_t)chunk);
        }
    const dmlc_block block = block_of(&m, output_step, input, input_step, count);
    kernels->transpose(&row, listed_places ? places : NULL, listed_sources ? sources : NULL, &block);
    end_stream(kernels, block.stream);
}

/* Runs that are longer than chunks of plans are, side by side. */
static void transpose_runs(const dmlc_kernels *kernels)
{
    const int64_t width = draw_width(), bytes = draw_between(64 / width + 1, 1024 / width) * width;
    const int64_t columns = draw_between(1, draw(2) == 0 ? 4 : 20), output_step = columns * bytes + draw(2) * draw(40);
    const int64_t count = draw_size(MOST_BYTES / 4 / output_step), input_step = draw_between(-bytes, 2 * bytes);
    int64_t sources[DMLC_MOST_PLACES];
    extent reads = {0, 0};
    for (int64_t c = 0; c < columns; ++c) {
        sources[c] = draw_between(-3000, 3000);
        take_in(&reads, sources[c], bytes);
        take_in(&reads, sources[c] + (count - 1) * input_step, bytes);
    }
    memory m = prepare((count - 1) * output_step + columns * bytes, reads.end - reads.low, width);
    const char *input = m.input - reads.low;
    for (int64_t r = 0; r < count; ++r)
        for (int64_t c = 0; c < columns; ++c)
            memcpy(m.expected + r * output_step + c * bytes, input + r * input_step + sources[c], (size_t)bytes);
    const dmlc_row row = {.chunk = bytes,
                          .output_step = bytes,
                          .size = columns,
                          .piece_count = 1,
                          .pieces = {{.operation = DMLC_GATHER, .count = columns}}};
    const dmlc_block block = block_of(&m, output_step, input, input_step, count);
    kernels->transpose(&row, NULL, sources, &block);
    end_stream(kernels, block.stream);
}

/* output[r * output_step + c * chunk] = input[r * chunk + c * step], the columns in that order or from the last to the first. */
static void transpose_evenly(const dmlc_kernels *kernels, int64_t chunk, int64_t count, int64_t output_step,
                             int64_t columns, int64_t step, bool back)
{
    dmlc_axis axis = {.size = columns, .output_step = chunk};
    dmlc_axis_add(&axis, columns, back ? (columns - 1) * step : 0, back ? -step : step, false);
    const dmlc_row row = dmlc_row_of(&axis, chunk, 0, columns);
    /* So many chunks behind the place that is drawn, which is aligned more often than others are. */
    const int64_t behind = draw(8) * chunk;
    memory m =
        prepare(behind + (count - 1) * output_step + columns * chunk, (columns - 1) * step + count * chunk, chunk);
    m.output += behind;
    m.expected += behind;
    for (int64_t r = 0; r < count; ++r)
        for (int64_t c = 0; c < columns; ++c)
            memcpy(m.expected + r * output_step + c * chunk, m.input + r * chunk + (back ? columns - 1 - c : c) * step,
                   (size_t)chunk);
    const dmlc_block block = block_of(&m, output_step, m.input, chunk, count);
    kernels->transpose(&row, NULL, NULL, &block);
    end_stream(kernels, block.stream);
}

/* Lines a power of two apart push each other out of the cache. */
static void transpose_powers_of_two(const dmlc_kernels *kernels)
{
    const int64_t chunk = INT64_C(1) << draw(4), output_step = INT64_C(1024) << draw(3), step = INT64_C(512) << draw(4);
    const int64_t columns = draw_between(1, least(MOST_BYTES / step, output_step / chunk));
    const int64_t output_row = draw(4) == 0 ? columns * chunk : output_step; /* or side by side */
    const int64_t count = draw_between(1, least(MOST_BYTES / output_row, step / chunk));
    transpose_evenly(kernels, chunk, count, output_row, columns, step, false);
}

/* As many rows and columns as go past the cache by a stage: long rows, and short ones that follow each other. */
static void transpose_by_stage(const dmlc_kernels *kernels)
{
    const int64_t chunk = INT64_C(1) << draw(5);
    const bool are_long = draw(2) == 0;
    const int64_t columns = are_long ? draw_between(448 / chunk, 1400 / chunk) : draw_between(14, 520 / chunk);
    const int64_t output_row = columns * chunk + (are_long ? draw(2) * draw(100) : 0), gap = draw(2) * draw(64);
    const int64_t most = least((MOST_BYTES - 2048) / output_row, (MOST_BYTES / columns - 64) / chunk);
    const int64_t count = draw_between(1, draw(2) == 0 ? most : 64 / chunk + 8);
    transpose_evenly(kernels, chunk, count, output_row, columns, count * chunk + gap, draw(2) == 0);
}

/* Planes to pixels and back, some of them longer than what stores of whole vectors begin with. */
static void transpose_pixels(const dmlc_kernels *kernels)
{
    const int64_t chunk = INT64_C(1) << draw(4), planes = draw_between(2, 8), gap = draw(2) * draw(40);
    const int64_t most = (MOST_BYTES / 2 - 8 * gap) / (planes * chunk), lists = most / DMLC_MOST_PLACES;
    /* A list holds so many places; a few pixels more are a list of their own. */
    const int64_t listed = DMLC_MOST_PLACES * draw_between(1, lists) - draw(2 * DMLC_FEW_CHUNKS) + DMLC_FEW_CHUNKS;
    const int64_t of_a_stage = draw_between(1, 10000 / (planes * chunk));
    const int64_t pixels = draw(3) == 0 ? of_a_stage : draw(2) == 0 ? least(listed, most) : draw_size(most);
    const int64_t plane = pixels * chunk + gap;
    if (draw(2) == 0)
        transpose_evenly(kernels, chunk, pixels, planes * chunk, planes, plane, false);
    else
        transpose_evenly(kernels, chunk, planes, plane, pixels, planes * chunk, draw(2) == 0);
}

const contract transpose_contracts[] = {
    {"transpose", transpose},
    {"transpose_runs", transpose_runs},
    {"transpose_powers_of_two", transpose_powers_of_two},
    {"transpose_by_stage", transpose_by_stage},
    {"transpose_pixels", transpose_pixels},
    {NULL, NULL},
};
