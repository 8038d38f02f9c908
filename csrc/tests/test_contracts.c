/* Each kernel of each table against a plain loop of its contract, see kernels.h: test_contracts [cases [first]]
 *
 * Plans reach a kernel with what they choose, here it meets whatever its contract allows. One function draws a case for one
 * kernel, says by a loop what it must write, and calls it. What may be read and written lies at either end of memory
 * between guard pages; nothing else may change.
 */
#include "choices.h"
#include "dispatch/dispatch.h"
#include "guarded.h"
#include "plan/planner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_BYTES = 1 << 16, MOST_BYTES = MEMORY_BYTES - 64, NOISE_BYTES = MEMORY_BYTES + 256 };

static guarded output_memory, input_memory;
static uint8_t expected_memory[MEMORY_BYTES], noise[NOISE_BYTES];
static uint64_t state;   /* of the random choices */
static int64_t prepared; /* cases: some draws are none, and not every table has every kernel */

static int64_t draw(int64_t options) { return (int64_t)(random_bits(&state) % (uint64_t)options); }
static int64_t draw_between(int64_t first, int64_t last) { return first + draw(last - first + 1); }
static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t draw_width(void) { return INT64_C(1) << draw(DMLC_WIDTHS); }

/* Mostly small: bugs hide at borders. */
static int64_t draw_size(int64_t most)
{
    const int64_t limits[] = {4, 20, 70, 300, most};
    return draw_between(1, least(limits[draw(5)], most));
}

/* What a kernel is given, and where the loop writes; `output` and `expected` hold the same at first. */
typedef struct memory {
    char *output, *expected;
    char *input;
    dmlc_pattern patterns[2];
    dmlc_stream stream;
} memory;

static char *place(guarded at, int64_t bytes)
{
    const int64_t apart = draw(2) * draw(64);
    uint8_t *lowest = draw(2) == 0 ? at.end - bytes - apart : at.begin + apart;
    memcpy(at.begin, noise + draw(256), MEMORY_BYTES);
    return (char *)lowest;
}

/* A case of so many bytes of either side. */
static memory prepare(int64_t output_bytes, int64_t input_bytes, int64_t width)
{
    ++prepared;
    memory m = {.output = place(output_memory, output_bytes), .input = place(input_memory, input_bytes)};
    memcpy(expected_memory, output_memory.begin, MEMORY_BYTES);
    m.expected = (char *)expected_memory + (m.output - (char *)output_memory.begin);
    for (int which = 0; which < 2; ++which) {
        m.patterns[which].width = width;
        for (int64_t i = 0; i < DMLC_PATTERN_BYTES; ++i)
            m.patterns[which].bytes[i] = noise[16 * which + i % width];
    }
    return m;
}

/* One in two times past the cache, from the output's start on. */
static dmlc_stream *draw_stream(memory *m)
{
    m->stream = (dmlc_stream){.line = m->output};
    return draw(2) == 0 ? &m->stream : NULL;
}

static void end_stream(const dmlc_kernels *kernels, dmlc_stream *stream)
{
    if (stream != NULL)
        kernels->stream_end(stream);
}

static dmlc_block block_of(memory *m, int64_t output_step, const char *input, int64_t input_step, int64_t count)
{
    return (dmlc_block){m->output, output_step, input, input_step, count, &m->patterns[0], draw_stream(m)};
}

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

/* An axis that reads anywhere, forward and back, or lies outside. */
static dmlc_axis draw_axis(int64_t size, int64_t chunk)
{
    dmlc_axis axis = {.size = size, .output_step = draw(3) == 0 ? chunk + draw(20) : chunk};
    const int64_t segments = draw_between(1, DMLC_MAXIMUM_SEGMENTS);
    for (int64_t i = 0; i < segments; ++i) {
        const int64_t steps[] = {chunk, chunk, -chunk, 0, 2 * chunk, -3 * chunk, draw_between(-50, 50)};
        dmlc_axis_add(&axis, draw_size(size), draw(200), steps[draw(7)], draw(4) == 0);
    }
    axis.phase = draw(axis.cycle);
    return axis;
}

typedef struct extent {
    int64_t low, end; /* bytes; none where low >= end */
} extent;

static void take_in(extent *all, int64_t at, int64_t bytes)
{
    all->low = at < all->low ? at : all->low;
    all->end = at + bytes > all->end ? at + bytes : all->end;
}

/* Rows along an axis, `count` of them. */
typedef struct row_case {
    int64_t width, chunk, begin, end;
    dmlc_axis axis;
    dmlc_row row; /* elements [begin, end) */
    int64_t row_bytes, output_step, input_step, count;
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
        take_in(&reads, run.offset, run.outside ? 0 : c->chunk);
        take_in(&reads, run.offset + (c->count - 1) * c->input_step, run.outside ? 0 : c->chunk);
    }
    const int64_t bytes = (c->count - 1) * c->output_step + c->row_bytes;
    if (reads.end - reads.low > MOST_BYTES || bytes > MOST_BYTES)
        return false;
    *m = prepare(bytes, reads.end - reads.low, c->width);
    const char *input = m->input - reads.low;
    for (int64_t r = 0; r < c->count; ++r)
        for (int64_t o = c->begin; o < c->end; ++o) {
            const dmlc_segment run = dmlc_axis_run(&c->axis, o, o + 1);
            const void *from =
                run.outside ? (const char *)m->patterns[0].bytes : input + r * c->input_step + run.offset;
            memcpy(m->expected + r * c->output_step + (o - c->begin) * c->axis.output_step, from, (size_t)c->chunk);
        }
    *block = block_of(m, c->output_step, input, c->input_step, c->count);
    return true;
}

static void rows(const dmlc_kernels *kernels)
{
    const row_case c = draw_rows(4000, false);
    memory m;
    dmlc_block block;
    if (!prepare_rows(&c, &m, &block))
        return;
    kernels->rows(&c.row, NULL, &block);
    end_stream(kernels, block.stream);
}

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
        permutations.count += permutation->units > 0 && piece->count >= permutation->units;
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

/* So many bytes of units go by groups of blocks, see permutation_groups.h. */
enum { GROUPED_BYTES = 16 * 1024 };

/* The pixels of images, forward or back, some of them cropped. */
static void permuted_pixels(const dmlc_kernels *kernels)
{
    const int64_t width = draw_width(), chunk = draw_between(1, least(6, DMLC_BLOCK_BYTES / width)) * width;
    const int64_t size = draw_between(1, 2000 / chunk), step = chunk + draw(2) * draw(3) * width;
    dmlc_axis axis = {.size = size, .output_step = chunk};
    dmlc_axis_add(&axis, size, draw(100), draw(4) == 0 ? step : -step, false);
    row_case c = row_of_axis(width, chunk, axis);
    c.count = draw_between(1, draw(2) == 0 ? 5 : GROUPED_BYTES / c.row_bytes + 1);
    c.output_step = c.row_bytes + draw(2) * draw(40);
    c.input_step = (size * step + draw(2) * draw(40)) * (draw(2) == 0 ? 1 : -1);
    run_permuted_rows(kernels, c);
}

static void run_short_rows(const dmlc_kernels *kernels, row_case c)
{
    c.output_step = c.row_bytes;
    dmlc_runs runs;
    if (!dmlc_runs_of_row(&runs, &c.row, 0, c.row_bytes))
        return;
    dmlc_permutation permutation;
    dmlc_permute_row(&permutation, kernels->abilities, &runs, c.row_bytes, c.input_step);
    memory m;
    dmlc_block block;
    if (permutation.units == 0 || !prepare_rows(&c, &m, &block))
        return;
    kernels->short_rows(&permutation, &block);
    end_stream(kernels, block.stream);
}

static void short_rows(const dmlc_kernels *kernels)
{
    if (kernels->abilities->block_bytes > 0)
        run_short_rows(kernels, draw_rows(kernels->abilities->block_bytes, true));
}

/* The channels of pixels, forward or back, some more or less of them. */
static void short_pixels(const dmlc_kernels *kernels)
{
    const int64_t width = draw_width(), most = kernels->abilities->block_bytes / width;
    if (most == 0)
        return;
    const int64_t channels = draw_between(1, least(most, 5)), more = draw(3) == 0 ? draw(2) : 0;
    const bool back = draw(2) == 0, filled = channels + more <= most && more > 0;
    dmlc_axis axis = {.size = channels + filled, .output_step = width};
    dmlc_axis_add(&axis, channels, back ? (channels - 1) * width : 0, back ? -width : width, false);
    dmlc_axis_add(&axis, filled, 0, 0, true);
    row_case c = row_of_axis(width, width, axis);
    c.count = draw_between(1, (draw(2) == 0 ? 1500 : GROUPED_BYTES) / c.row_bytes);
    c.input_step = (channels + (draw(2) == 0 ? draw(3) : 0)) * width * (draw(2) == 0 ? 1 : -1);
    run_short_rows(kernels, c);
}

/* Rows of an image with a border, as they are planned. */
static void ends(const dmlc_kernels *kernels)
{
    const int64_t width = draw_width(), columns = draw_between(1, 600 / width), lines = draw_between(2, 40);
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

static void transpose(const dmlc_kernels *kernels)
{
    /* Pixels of three bytes have tiles of their own, and would be drawn too rarely. */
    const bool pixels = draw(4) == 0;
    const int64_t width = pixels ? 1 : draw_width();
    const int64_t chunk = pixels ? 3 : draw_between(1, draw(2) == 0 ? 1 : 64 / width) * width;
    const int64_t columns = draw_size(draw(4) == 0 ? 1024 : 4000 / (chunk + 20));
    const bool listed_sources = draw(2) == 0, listed_places = draw(2) == 0;
    dmlc_axis axis = draw_axis(columns, chunk);
    if (listed_sources || draw(2) == 0) {
        axis = (dmlc_axis){.size = columns, .output_step = axis.output_step};
        dmlc_axis_add(&axis, columns, draw(200), draw(200), false);
    }
    const int64_t row_bytes = (columns - 1) * axis.output_step + chunk;
    const int64_t most_rows = MOST_BYTES / (row_bytes + 40);
    if (most_rows < 1)
        return;
    const int64_t count = draw_size(least(most_rows, DMLC_MOST_PLACES));
    const int64_t output_step = row_bytes + draw(2) * draw(40);
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

/* A box of runs that follow each other, dense or with gaps, each copied or filled. */
typedef struct box_case {
    int64_t width, span, bytes; /* from the first byte to the last, and of the runs */
    dmlc_runs runs;
} box_case;

static box_case draw_box(bool dense)
{
    box_case box = {.width = draw_width()};
    const int64_t longest = draw_between(1, 64 / box.width);
    const int64_t count = draw_between(1, 20);
    dmlc_runs_begin(&box.runs);
    for (int64_t i = 0; i < count; ++i) {
        const int64_t at = box.span + (dense || i == 0 ? 0 : draw(2) * draw(30));
        const int64_t bytes = draw_between(1, longest) * box.width;
        dmlc_runs_add(&box.runs, at, draw(300), bytes, draw(4) == 0);
        box.bytes += bytes;
        box.span = at + bytes;
    }
    return box;
}

static dmlc_box lie_of(const box_case *box)
{
    return (dmlc_box){box->bytes, draw_between(1, DMLC_BOXES_BYTES / box->bytes), box->bytes == box->span};
}

static dmlc_block prepare_boxes(const box_case *box, memory *m)
{
    const int64_t output_step = box->span + draw(2) * draw(40), input_step = draw_between(-100, 100);
    const int64_t count = draw_size(least(MOST_BYTES / output_step, 100));
    extent reads = {0, 0};
    for (int32_t i = 0; i < box->runs.count; ++i) {
        const dmlc_run_of_bytes *run = &box->runs.list[i];
        take_in(&reads, run->input, run->outside ? 0 : run->bytes);
        take_in(&reads, run->input + (count - 1) * input_step, run->outside ? 0 : run->bytes);
    }
    *m = prepare((count - 1) * output_step + box->span, reads.end - reads.low, box->width);
    const char *input = m->input - reads.low;
    for (int64_t b = 0; b < count; ++b)
        for (int32_t i = 0; i < box->runs.count; ++i) {
            const dmlc_run_of_bytes *run = &box->runs.list[i];
            for (int64_t byte = 0; byte < run->bytes; ++byte)
                m->expected[b * output_step + run->output + byte] = run->outside
                                                                        ? (char)m->patterns[0].bytes[byte % box->width]
                                                                        : input[b * input_step + run->input + byte];
        }
    return block_of(m, output_step, input, input_step, count);
}

/* A run of so many bytes is as many moves of one width. */
static void moves(const dmlc_kernels *kernels)
{
    static dmlc_move list[20 * DMLC_BLOCK_BYTES]; /* for the bytes of a box */
    const box_case box = draw_box(draw(2) == 0);
    dmlc_moves program = {.box = lie_of(&box), .filled = box.bytes == box.span && draw(2) == 0, .list = list};
    int32_t count = 0;
    for (int32_t kind = 0; kind < 2 * DMLC_MOVE_WIDTHS; ++kind)
        for (int32_t i = 0; i < box.runs.count; ++i) {
            const dmlc_run_of_bytes *run = &box.runs.list[i];
            const int64_t bytes = INT64_C(1) << kind % DMLC_MOVE_WIDTHS;
            int64_t widest = box.width;
            while (run->bytes % (2 * widest) == 0 && 2 * widest <= kernels->abilities->move_bytes)
                widest *= 2;
            if (run->outside != (kind >= DMLC_MOVE_WIDTHS) || widest != bytes || (run->outside && program.filled))
                continue;
            for (int64_t at = 0; at < run->bytes; at += bytes, ++program.counts[kind])
                list[count++] = (dmlc_move){run->output + at, run->outside ? 0 : run->input + at};
        }
    memory m;
    const dmlc_block block = prepare_boxes(&box, &m);
    kernels->moves(&program, &block);
    end_stream(kernels, block.stream);
}

static void shuffles(const dmlc_kernels *kernels)
{
    static dmlc_shuffle blocks[DMLC_MOST_RUNS];
    static dmlc_lane_shuffle lanes[DMLC_MOST_RUNS];
    const bool wide = kernels->abilities->block_bytes == DMLC_BLOCK_BYTES;
    const box_case box = draw_box(!wide || draw(2) == 0);
    if (kernels->abilities->block_bytes == 0)
        return;
    dmlc_shuffles program = {.box = lie_of(&box), .shuffles = {.wide = wide}};
    if (wide) {
        program.shuffles.of.blocks = blocks;
        program.shuffles.count = dmlc_shuffle_blocks(blocks, DMLC_MOST_RUNS, &box.runs, box.width);
    } else {
        program.shuffles.of.lanes = lanes;
        program.shuffles.count =
            dmlc_shuffle_lanes(lanes, DMLC_MOST_RUNS, &box.runs, box.width, box.runs.first, box.runs.end);
    }
    if (program.shuffles.count < 0)
        return;
    memory m;
    const dmlc_block block = prepare_boxes(&box, &m);
    kernels->shuffles(&program, &block);
    end_stream(kernels, block.stream);
}

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
        .input_column = dense_input ? width : draw_between(-20, 20),
        .dense_output = dense,
    };
    band.output_row = dense ? row_bytes : band.output_column * columns + draw(30);
    band.input_row = dense_input ? row_bytes : draw_between(-30, 30);
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
    const int64_t output_batch = count * band.output_row + draw(2) * draw(30), input_batch = draw_between(-40, 40);
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
    };
    kernels->band(&rows);
    end_stream(kernels, rows.stream);
}

static void store_integer(char *to, uint64_t value, int64_t width)
{
    const uint8_t one = (uint8_t)value;
    const uint16_t two = (uint16_t)value;
    const uint32_t four = (uint32_t)value;
    const void *from[] = {&one, &two, &four, &value};
    memcpy(to, from[dmlc_width_place(width)], (size_t)width);
}

static void normalize(const dmlc_kernels *kernels)
{
    const int64_t type = draw(DMLC_INDEX_TYPES), bytes = INT64_C(1) << type % 4, width = INT64_C(1) << draw(4);
    const bool is_signed = type < 4, from_end = draw(2) == 0;
    const uint64_t none = ~UINT64_C(0) >> (64 - 8 * width), largest = ~UINT64_C(0) >> (64 - 8 * bytes);
    const int64_t limits[] = {3, 100, 255, 65535, UINT32_MAX, INT64_MAX};
    const int64_t limit = limits[draw(6)],
                  depth = draw_between(1, (uint64_t)limit < none ? limit : (int64_t)(none / 2));
    const int64_t count = draw_size(MOST_BYTES / 64),
                  step = draw(2) == 0 ? bytes : (draw(2) * 2 - 1) * (bytes + draw(40));
    const int64_t lowest = step < 0 ? (count - 1) * step : 0;
    memory m = prepare(count * width, (count - 1) * (step < 0 ? -step : step) + bytes, 1);
    char *indices = m.input - lowest;
    for (int64_t i = 0; i < count; ++i) {
        /* Around both ends of [-depth, depth), the extremes of the type, or anything. */
        const uint64_t around[] = {0, (uint64_t)depth, -(uint64_t)depth, largest / 2, random_bits(&state)};
        const uint64_t index = (around[draw(5)] + (uint64_t)draw_between(-2, 2)) & largest;
        store_integer(indices + i * step, index, bytes);
        const bool negative = is_signed && index > largest / 2;
        const uint64_t below = largest - index + 1; /* how far */
        uint64_t normal = negative ? (uint64_t)depth - below : index;
        if (negative ? !from_end || below > (uint64_t)depth : index >= (uint64_t)depth)
            normal = none;
        store_integer(m.expected + i * width, normal, width);
    }
    kernels->normalize[type][dmlc_width_place(width)](m.output, indices, step, count, depth, from_end);
    for (int64_t i = 0; i < count && width == 1; ++i)
        if ((uint8_t)m.output[i] >= depth)
            m.output[i] = (char)none; /* as a byte, any that is not below depth will do */
}

/* Normalized indices, so many of a width; one in four of none. */
static void draw_indices(char *indices, int64_t *values, int64_t count, int64_t depth, int64_t width)
{
    for (int64_t i = 0; i < count; ++i) {
        values[i] = draw(4) == 0 ? -1 : draw(depth);
        const int64_t stored = width == 1 && values[i] < 0 ? draw_between(depth, UINT8_MAX) : values[i];
        store_integer(indices + i * width, (uint64_t)stored, width);
    }
}

enum { MOST_POSITIONS = 2048 };

/* By a kernel that takes so wide indices and reads so far past them. */
static void select_by(const dmlc_kernels *kernels, void (*kernel)(const dmlc_select_block *block),
                      dmlc_select_block block, int64_t index_width, int64_t beyond)
{
    static int64_t values[MOST_POSITIONS];
    const int64_t bytes = (block.count - 1) * block.position_step + (block.depth - 1) * block.depth_step + block.width;
    memory m = prepare(bytes, block.count * index_width + beyond, block.width);
    m.input -= (uintptr_t)m.input % (uintptr_t)index_width; /* as those of a run are */
    draw_indices(m.input, values, block.count, block.depth, index_width);
    for (int64_t i = 0; i < block.count; ++i)
        for (int64_t k = 0; k < block.depth; ++k)
            if (values[i] == k || kernel != kernels->select_ones)
                memcpy(m.expected + i * block.position_step + k * block.depth_step, m.patterns[values[i] == k].bytes,
                       (size_t)block.width);
    block.output = m.output;
    block.indices = m.input;
    block.off = &m.patterns[0];
    block.on = &m.patterns[1];
    block.stream = draw_stream(&m);
    kernel(&block);
    end_stream(kernels, block.stream);
}

/* Sequences or planes. */
static dmlc_select_block draw_selection(void)
{
    dmlc_select_block block = {.width = draw_width()};
    const int64_t width = block.width, apart = draw(2) * draw(3) * width;
    block.depth = draw_size(MOST_BYTES / 4 / width);
    block.count = draw_size(least(MOST_BYTES / 4 / width / block.depth, MOST_POSITIONS));
    const bool planes = draw(2) == 0;
    block.position_step = planes ? width : block.depth * width + apart;
    block.depth_step = planes ? block.count * width + apart : width;
    if (draw(2) == 0)
        block.count = (block.count + 1) / 2;
    return block;
}

static void select_scatter(const dmlc_kernels *kernels)
{
    select_by(kernels, kernels->select_scatter, draw_selection(), 8, 0);
}

static void select_ones(const dmlc_kernels *kernels)
{
    select_by(kernels, kernels->select_ones, draw_selection(), 8, 0);
}

static void select_sequences(const dmlc_kernels *kernels)
{
    dmlc_select_block block = {.width = draw_width()};
    block.depth = draw_between(1, DMLC_SEQUENCE_BYTES / block.width);
    block.depth_step = block.width;
    block.position_step = block.depth * block.width;
    block.count = draw_size(least(MOST_BYTES / block.position_step, MOST_POSITIONS));
    select_by(kernels, kernels->select_sequences, block, 4, 0);
}

static void select_planes(const dmlc_kernels *kernels)
{
    dmlc_select_block block = {.width = draw_width()};
    const int64_t width = block.width;
    block.count = draw_size(MOST_BYTES / 64);
    block.position_step = width;
    block.depth_step = block.count * width + draw(2) * draw(40);
    const int64_t most = MOST_BYTES / block.depth_step;
    block.depth = draw_size(width == 1 && most > UINT8_MAX ? UINT8_MAX : most > 0 ? most : 1);
    select_by(kernels, kernels->select_planes[dmlc_width_place(width)], block, width < 8 ? width : 8, 64);
}

static void select_tiles(const dmlc_kernels *kernels)
{
    const int64_t width = draw_width(), depth = draw_between(1, 300 / width), inside = draw(2) == 0 ? 1 : draw_size(32);
    const int64_t unit_bytes = depth * inside * width;
    const int64_t sizes[] = {1000, depth, inside}, output[] = {unit_bytes, inside * width, width};
    const int64_t indices[] = {inside, 0, 1};
    dmlc_plan *plan = NULL;
    if (kernels->select_tiles == NULL ||
        dmlc_make_one_hot(&plan, kernels, width, DMLC_INDEX_UINT8, 0, 3, sizes, indices, output, 1) != DMLC_OK)
        return;
    dmlc_select_tiles *tiles = plan->program.select.tiles;
    if (tiles != NULL && (tiles->inside == 1 || kernels->abilities->block_bytes == DMLC_BLOCK_BYTES)) {
        static int64_t values[MOST_BYTES];
        const int64_t most = MOST_BYTES / tiles->unit_bytes, count = draw_size(most < 2 ? 1 : most);
        memory m = prepare(count * tiles->unit_bytes, count * tiles->inside + 64, width);
        draw_indices(m.input, values, count * tiles->inside, depth, 1);
        char *to = m.expected;
        for (int64_t unit = 0; unit < count; ++unit)
            for (int64_t k = 0; k < depth; ++k)
                for (int64_t i = 0; i < tiles->inside; ++i, to += width)
                    memcpy(to, m.patterns[values[unit * tiles->inside + i] == k].bytes, (size_t)width);
        const dmlc_select_block block = {
            .output = m.output,
            .count = count,
            .depth = depth,
            .width = width,
            .indices = m.input,
            .tiles = tiles,
            .off = &m.patterns[0],
            .on = &m.patterns[1],
            .stream = draw_stream(&m),
        };
        kernels->select_tiles(&block);
        end_stream(kernels, block.stream);
    }
    dmlc_plan_free(plan);
}

static const struct {
    const char *name;
    void (*test)(const dmlc_kernels *kernels);
} tests[] = {
    {"fill", fill},
    {"long_fill", long_fill},
    {"rows", rows},
    {"permuted_rows", permuted_rows},
    {"permuted_pixels", permuted_pixels},
    {"short_rows", short_rows},
    {"short_pixels", short_pixels},
    {"ends", ends},
    {"transpose", transpose},
    {"moves", moves},
    {"shuffles", shuffles},
    {"band", band},
    {"normalize", normalize},
    {"select_scatter", select_scatter},
    {"select_ones", select_ones},
    {"select_sequences", select_sequences},
    {"select_tiles", select_tiles},
    {"select_planes", select_planes},
};

int main(int argc, char **argv)
{
    const int64_t cases = argc > 1 ? strtoll(argv[1], NULL, 10) : 2000;
    const int64_t first = argc > 2 ? strtoll(argv[2], NULL, 10) : 0;
    random_bytes(&state, noise, NOISE_BYTES);
    output_memory = guarded_allocate(MEMORY_BYTES);
    input_memory = guarded_allocate(MEMORY_BYTES);
    for (size_t t = 0; t < sizeof(tests) / sizeof(tests[0]); ++t) {
        prepared = 0;
        for (int64_t i = first; i < first + cases; ++i)
            for (int32_t table = 0; dmlc_isa_name(table) != NULL; ++table) {
                dmlc_set_isa(dmlc_isa_name(table));
                state = (uint64_t)i * UINT64_C(1000003) + t;
                tests[t].test(dmlc_kernels_in_use());
                if (memcmp(output_memory.begin, expected_memory, MEMORY_BYTES) == 0)
                    continue;
                int64_t at = 0;
                while (output_memory.begin[at] == expected_memory[at])
                    ++at;
                fprintf(stderr, "%s: %s: byte %" PRId64 " of the memory is %02x and must be %02x\n", dmlc_isa(),
                        tests[t].name, at, output_memory.begin[at], expected_memory[at]);
                fprintf(stderr, "again: %s 1 %" PRId64 "\n", argv[0], i);
                return 1;
            }
        printf("%s: %" PRId64 " cases\n", tests[t].name, prepared);
    }
    printf("each on");
    for (int32_t i = 0; dmlc_isa_name(i) != NULL; ++i)
        printf(" %s", dmlc_isa_name(i));
    printf("\n");
    return 0;
}
