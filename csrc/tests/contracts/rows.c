/* Fills, and rows of every kind. */
#include "contracts/contract.h"
#include "dispatch/dispatch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fill(const dmlc_kernels *kernels)
{
    const int64_t width = draw_width(), bytes = (draw_size(MOST_BYTES / width) - 1) * width;
    memory m = prepare(bytes, 0, width);
    for (int64_t i = 0; i < bytes; ++i)
        m.expected[i] = (char)m.patterns[0].bytes[i % width];
    dmlc_stream *stream = draw_stream(&m);
    kernels->fill(m.output, bytes, &m.patterns[0], stream);
    end_stream(kernels, stream);
}

/* A run that no cache near a core holds, of one byte over and over or of a wider value. */
static void long_fill(const dmlc_kernels *kernels)
{
    enum { MOST = 1024 * 1024 + 4096, MARGIN = 64 };
    static char output[MARGIN + MOST + MARGIN];
    if (draw(20) != 0)
        return;
    const int64_t width = draw_width(), begin = MARGIN + draw(MARGIN);
    const int64_t bytes = draw_between((MOST - 8192) / width, (MOST - MARGIN) / width) * width;
    memory m = prepare(0, 0, width);
    if (draw(2) == 0)
        memset(m.patterns[0].bytes, 7, sizeof(m.patterns[0].bytes));
    memset(output, 1, sizeof(output));
    kernels->fill(output + begin, bytes, &m.patterns[0], NULL);
    for (int64_t i = 0; i < (int64_t)sizeof(output); ++i) {
        const int64_t at = i - begin;
        const char right = at < 0 || at >= bytes ? 1 : (char)m.patterns[0].bytes[at % width];
        if (output[i] == right)
            continue;
        fprintf(stderr, "%s: long_fill: byte %" PRId64 " of %" PRId64 " is %02x and must be %02x\n", dmlc_isa(), at,
                bytes, output[i], right);
        exit(1);
    }
}

/* Half of them longer than what a call of few moves takes, see LONG_RUN; alike in their cache lines and apart, on processors of
 * either kind. */
static void copy(const dmlc_kernels *kernels)
{
    const int64_t machine = dmlc_least_string_bytes;
    const int64_t bytes = draw(2) == 0 ? draw_size(MOST_BYTES - 128) : draw_between(2000, 9000);
    const int64_t to = draw(128), from = draw(2) == 0 ? to : draw(128);
    memory m = prepare(to + bytes, from + bytes, 1);
    memcpy(m.expected + to, m.input + from, (size_t)bytes);
    dmlc_least_string_bytes = draw(2) == 0 ? 1 : INT64_MAX;
    kernels->copy(m.output + to, m.input + from, bytes);
    dmlc_least_string_bytes = machine;
}

/* Rows along an axis, `count` of them. */
typedef struct row_case {
    int64_t width, chunk, begin, end;
    dmlc_axis axis;
    dmlc_row row; /* elements [begin, end) */
    int64_t row_bytes, output_step, input_step, count;
    int64_t more, output_apart, input_apart; /* so many times more, the first ones so far apart */
} row_case;

/* Of at most so many bytes and, where they are `dense`, with no gaps inside. */
static row_case draw_rows(int64_t most_bytes, bool dense)
{
    row_case c = {.width = draw_width()};
    const int64_t most_chunk = least(DMLC_BLOCK_BYTES, most_bytes) / c.width;
    c.chunk = draw_between(1, draw(2) == 0 ? 1 : most_chunk) * c.width;
    const int64_t size = draw_size(most_bytes / (dense ? c.chunk : c.chunk + 20));
    c.begin = draw(size);
    c.end = draw_between(c.begin + 1, size);
    c.axis = draw_axis(size, c.chunk);
    if (dense)
        c.axis.output_step = c.chunk;
    c.row = dmlc_row_of(&c.axis, c.chunk, c.begin, c.end);
    c.row_bytes = (c.end - c.begin - 1) * c.axis.output_step + c.chunk;
    c.output_step = c.row_bytes + draw(2) * draw(40);
    c.input_step = draw_between(-150, 150);
    c.count = draw_size(MOST_BYTES / c.row_bytes / 2);
    return c;
}

/* What a kernel is to be given for them, and what it must write; false where they do not fit into memory. */
static bool prepare_rows(const row_case *c, memory *m, dmlc_block *block)
{
    extent reads = {0, 0};
    for (int64_t o = c->begin; o < c->end; ++o) {
        const dmlc_segment run = dmlc_axis_run(&c->axis, o, o + 1);
        const int64_t chunk = run.outside ? 0 : c->chunk, last = (c->count - 1) * c->input_step;
        take_in(&reads, run.offset, chunk);
        take_in(&reads, run.offset + last, chunk);
        take_in(&reads, run.offset + c->more * c->input_apart, chunk);
        take_in(&reads, run.offset + c->more * c->input_apart + last, chunk);
    }
    const int64_t bytes = c->more * c->output_apart + (c->count - 1) * c->output_step + c->row_bytes;
    if (reads.end - reads.low > MOST_BYTES || bytes > MOST_BYTES)
        return false;
    *m = prepare(bytes, reads.end - reads.low, c->width);
    const char *input = m->input - reads.low;
    for (int64_t i = 0; i < (c->more + 1) * c->count; ++i) {
        const int64_t time = i / c->count, r = i % c->count;
        char *to = m->expected + time * c->output_apart + r * c->output_step;
        const char *read = input + time * c->input_apart + r * c->input_step;
        for (int64_t o = c->begin; o < c->end; ++o) {
            const dmlc_segment run = dmlc_axis_run(&c->axis, o, o + 1);
            const void *from = run.outside ? (const char *)m->patterns[0].bytes : read + run.offset;
            memcpy(to + (o - c->begin) * c->axis.output_step, from, (size_t)c->chunk);
        }
    }
    *block = block_of(m, c->output_step, input, c->input_step, c->count);
    return true;
}

/* On processors of either kind. */
static void run_rows(const dmlc_kernels *kernels, const row_case c)
{
    memory m;
    dmlc_block block;
    if (!prepare_rows(&c, &m, &block))
        return;
    const int64_t string_bytes = dmlc_least_string_bytes, aligned_row_bytes = dmlc_least_aligned_row_bytes;
    dmlc_least_string_bytes = draw(2) == 0 ? 1 : INT64_MAX;
    dmlc_least_aligned_row_bytes = draw(2) == 0 ? 192 : 1024;
    kernels->rows(&c.row, NULL, &block);
    dmlc_least_string_bytes = string_bytes;
    dmlc_least_aligned_row_bytes = aligned_row_bytes;
    end_stream(kernels, block.stream);
}

static void rows(const dmlc_kernels *kernels) { run_rows(kernels, draw_rows(4000, false)); }

static void run_permuted_rows(const dmlc_kernels *kernels, const row_case c)
{
    dmlc_row_permutations permutations = {0};
    memory m;
    dmlc_block block;
    if (kernels->abilities->block_bytes == 0 || !prepare_rows(&c, &m, &block))
        return;
    for (int32_t i = 0; i < c.row.piece_count && permutations.count < DMLC_ROW_PERMUTATIONS; ++i) {
        const dmlc_piece *piece = &c.row.pieces[i];
        dmlc_permutation *permutation = &permutations.list[permutations.count];
        if (piece->operation != DMLC_GATHER)
            continue;
        dmlc_permute_chunks(permutation, kernels->abilities, c.chunk, piece->step);
        if (permutation->units > 0 && piece->count >= permutation->units) {
            dmlc_index_chunks(permutation);
            ++permutations.count;
        }
    }
    kernels->rows(&c.row, &permutations, &block);
    end_stream(kernels, block.stream);
}

static void permuted_rows(const dmlc_kernels *kernels) { run_permuted_rows(kernels, draw_rows(4000, true)); }

/* Of an axis that is the whole row. */
static row_case row_of_axis(int64_t width, int64_t chunk, dmlc_axis axis)
{
    row_case c = {.width = width, .chunk = chunk, .axis = axis, .end = axis.size, .row_bytes = axis.size * chunk};
    c.row = dmlc_row_of(&c.axis, chunk, 0, c.end);
    return c;
}

/* Rows so far apart in the input that kernels ask for the next ones: dense copies of a few lines, and chunks at a constant step. */
static void rows_apart(const dmlc_kernels *kernels)
{
    const int64_t width = draw_width(), step = width * (draw(2) == 0 ? 1 : draw_between(2, 4));
    const int64_t size = draw_size(4000 / width), read = size * step;
    dmlc_axis axis = {.size = size, .output_step = width};
    dmlc_axis_add(&axis, size, draw(200), step, false);
    row_case c = row_of_axis(width, width, axis);
    c.output_step = c.row_bytes + draw(2) * draw(40);
    c.input_step = (read + draw_between(900, 2500)) * (draw(4) == 0 ? -1 : 1);
    c.count = draw_size(MOST_BYTES / (read + 2500));
    run_rows(kernels, c);
}

/* Copies that are very long, so that those whose output's place in a page is a little behind the input's begin at their end. */
static void very_long_rows(const dmlc_kernels *kernels)
{
    enum { VERY_LONG = 64 * 1024, MOST_MORE = 4096, ROWS = 3 };
    if (draw(20) != 0)
        return;
    const int64_t chunk = draw_between(40, 64), size = draw_between(VERY_LONG - 200, VERY_LONG + MOST_MORE) / chunk;
    dmlc_axis axis = {.size = size, .output_step = chunk};
    dmlc_axis_add(&axis, size, 0, chunk, false);
    row_case c = row_of_axis(1, chunk, axis);
    c.input_step = c.row_bytes + draw_between(64, 200);
    c.output_step = c.input_step + draw_between(-64, 600);
    c.count = ROWS;
    run_rows(kernels, c);
}

/* Elements that lie apart in the output, forward or back, at steps that are shorter or longer than those. */
static void elements_apart(const dmlc_kernels *kernels)
{
    const int64_t width = draw_width(), size = draw_between(1, 100), distance = draw_between(1, 40) * width;
    dmlc_axis axis = {.size = size, .output_step = width + draw_between(1, 40)};
    dmlc_axis_add(&axis, size, draw(200), draw(2) == 0 ? distance : -distance, false);
    row_case c = row_of_axis(width, width, axis);
    c.row_bytes = (size - 1) * axis.output_step + width;
    c.output_step = c.row_bytes + draw(2) * draw(40);
    c.input_step = draw(2) == 0 ? draw_between(-150, 150) : draw_between(-3000, 3000);
    c.count = draw_size(MOST_BYTES / c.row_bytes / 2);
    run_rows(kernels, c);
}

/* So many bytes of units go by groups of blocks, see permutation_groups.h. */
enum { GROUPED_BYTES = 16 * 1024 };

/* The pixels of images, forward or back, some of them cropped. */
static void permuted_pixels(const dmlc_kernels *kernels)
{
    const int64_t width = draw_width(), most = least(6, DMLC_BLOCK_BYTES / width);
    const int64_t chunk = (draw(2) == 0 ? least(3, most) : draw_between(1, most)) * width;
    /* What groups load beyond them reaches into a few pixels more than whole groups. */
    const int64_t drawn = draw_between(1, draw(2) == 0 ? 2000 / chunk : 50);
    const int64_t size = draw(2) == 0 ? drawn : drawn / 16 * 16 + draw_between(1, 9);
    const int64_t step = chunk + draw(2) * draw(3) * width;
    dmlc_axis axis = {.size = size, .output_step = chunk};
    dmlc_axis_add(&axis, size, draw(100), draw(4) == 0 ? step : -step, false);
    row_case c = row_of_axis(width, chunk, axis);
    c.count = draw_between(1, draw(2) == 0 ? 5 : GROUPED_BYTES / c.row_bytes + 1);
    c.output_step = c.row_bytes + draw(2) * draw(40);
    c.input_step = (size * step + draw(2) * draw(40)) * (draw(2) == 0 ? 1 : -1);
    run_permuted_rows(kernels, c);
}

/* Rows of a few pixels and rows that are longer than a stage, see staged_rows.h, with their permutation and without. */
static void staged_rows(const dmlc_kernels *kernels)
{
    enum { LONGEST = 16 * 1024 };
    const int64_t width = draw_width(), most = DMLC_BLOCK_BYTES / width;
    const int64_t chunk = draw_between(1, draw(2) == 0 ? least(4, most) : most) * width;
    const int64_t size = draw_between(1, draw(2) == 0 ? 1 + 600 / chunk : LONGEST / chunk);
    const int64_t step = (draw(2) == 0 ? chunk : chunk + draw(2 * chunk / width) * width) * (draw(3) == 0 ? 1 : -1);
    dmlc_axis axis = {.size = size, .output_step = chunk};
    dmlc_axis_add(&axis, size, draw(100), step, false);
    row_case c = row_of_axis(width, chunk, axis);
    c.output_step = c.row_bytes + draw(2) * draw(40);
    const int64_t apart = size * (step < 0 ? -step : step) + draw(2) * draw(40);
    c.count = draw_between(1, 1 + MOST_BYTES / 2 / apart);
    c.input_step = draw(2) == 0 ? apart : -apart;
    if (draw(2) == 0)
        run_rows(kernels, c);
    else
        run_permuted_rows(kernels, c);
}

static void run_short_rows(const dmlc_kernels *kernels, row_case c)
{
    c.output_step = c.row_bytes;
    if (draw(2) == 0) {
        c.more = draw_size(MOST_BYTES / (c.count * c.row_bytes)) - 1;
        c.output_apart = c.count * c.row_bytes + draw(2) * draw(40);
        c.input_apart = draw(2) == 0 ? c.count * c.input_step : draw_between(-400, 400);
    }
    dmlc_runs runs;
    if (!dmlc_runs_of_row(&runs, &c.row, 0, c.row_bytes))
        return;
    dmlc_permutation permutation;
    dmlc_permute_row(&permutation, kernels->abilities, &runs, c.row_bytes, c.input_step);
    memory m;
    dmlc_block block;
    if (permutation.units == 0 || !prepare_rows(&c, &m, &block))
        return;
    dmlc_index_row(&permutation, &runs);
    block.output_step = c.output_apart;
    block.input_step = c.input_apart;
    kernels->short_rows(&permutation, c.more + 1, c.count, &block);
    end_stream(kernels, block.stream);
}

static void short_rows(const dmlc_kernels *kernels)
{
    if (kernels->abilities->block_bytes > 0)
        run_short_rows(kernels, draw_rows(kernels->abilities->block_bytes, true));
}

static void filled_rows(const dmlc_kernels *kernels)
{
    const int64_t width = draw_width(), chunks = draw_size(DMLC_MOST_FILLED_BYTES / width);
    const int64_t copied = draw_size(chunks), before = draw(chunks - copied + 1);
    dmlc_axis axis = {.size = chunks, .output_step = width};
    dmlc_axis_add(&axis, before, 0, 0, true);
    dmlc_axis_add(&axis, copied, draw(200), width, false);
    dmlc_axis_add(&axis, chunks - copied - before, 0, 0, true);
    row_case c = row_of_axis(width, width, axis);
    c.output_step = c.row_bytes;
    c.input_step = draw_between(-150, 150);
    c.count = draw_size(MOST_BYTES / c.row_bytes);
    memory m;
    dmlc_block block;
    if (!prepare_rows(&c, &m, &block))
        return;
    const dmlc_filled_rows program = {c.row_bytes, before * width, axis.segments[before > 0].offset, copied * width};
    kernels->filled_rows(&program, &block);
    end_stream(kernels, block.stream);
}

/* The channels of pixels, forward or back, some more or less of them. */
static void short_pixels(const dmlc_kernels *kernels)
{
    const int64_t width = draw_width(), most = kernels->abilities->block_bytes / width;
    if (most == 0)
        return;
    const int64_t channels = draw_between(1, least(most, 5)), more = draw(3) == 0 ? draw(2) : 0;
    const bool back = draw(2) == 0, filled = channels + more <= most && more > 0;
    /* What is filled stands behind some of them, instead of another channel. */
    const int64_t inside = channels + filled, before = draw_between(1, channels), step = back ? -width : width;
    const int64_t offset = back ? (inside - 1) * width : 0;
    dmlc_axis axis = {.size = inside, .output_step = width};
    dmlc_axis_add(&axis, before, offset, step, false);
    dmlc_axis_add(&axis, filled, 0, 0, true);
    dmlc_axis_add(&axis, channels - before, offset + (before + filled) * step, step, false);
    row_case c = row_of_axis(width, width, axis);
    c.count = draw_between(1, (draw(2) == 0 ? 1500 : GROUPED_BYTES) / c.row_bytes);
    c.input_step = (inside + (draw(2) == 0 ? draw(3) : 0)) * width * (draw(2) == 0 ? 1 : -1);
    run_short_rows(kernels, c);
}

/* Rows of an image with a border, as they are planned. */
static void ends(const dmlc_kernels *kernels)
{
    /* Rows of a few KB, too, whose copies go by another loop. */
    const bool is_long = draw(4) == 0;
    const int64_t width = draw_width(), columns = draw_between(1, (is_long ? 6000 : 600) / width);
    const int64_t lines = draw_between(2, is_long ? 6 : 40);
    const int64_t sizes[] = {lines, columns}, input[] = {columns * width + draw(40), width};
    /* Ends of some vectors, whatever the width. */
    const int64_t most = draw(2) == 0 ? 20 : 300 / width;
    const int64_t start[] = {0, draw(least(columns, most))}, end[] = {0, draw(least(columns, most))};
    const int64_t all = start[1] + columns + end[1], output[] = {all * width + draw(2) * draw(40), width};
    dmlc_plan *plan = NULL;
    if (dmlc_make_padding(&plan, kernels, width, 2, sizes, input, output, start, end, (dmlc_padding_mode)draw(5)) !=
        DMLC_OK)
        return;
    if (!plan->empty && plan->way == DMLC_ENDS) {
        row_case c = {.width = width, .chunk = plan->chunk, .axis = plan->axes[plan->axis_count - 1]};
        c.end = c.axis.size;
        c.row_bytes = plan->program.ends.bytes;
        c.output_step = output[0];
        c.input_step = input[0];
        c.count = lines;
        memory m;
        dmlc_block block;
        if (prepare_rows(&c, &m, &block)) {
            kernels->ends(&plan->program.ends, &block);
            end_stream(kernels, block.stream);
        }
    }
    dmlc_plan_free(plan);
}

const contract row_contracts[] = {
    {"fill", fill},
    {"long_fill", long_fill},
    {"copy", copy},
    {"rows", rows},
    {"rows_apart", rows_apart},
    {"very_long_rows", very_long_rows},
    {"elements_apart", elements_apart},
    {"permuted_rows", permuted_rows},
    {"permuted_pixels", permuted_pixels},
    {"staged_rows", staged_rows},
    {"short_rows", short_rows},
    {"short_pixels", short_pixels},
    {"filled_rows", filled_rows},
    {"ends", ends},
    {NULL, NULL},
};
