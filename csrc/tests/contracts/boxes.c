/* Boxes, by moves and by shuffles. */
#include "contracts/contract.h"

#include <math.h>
#include <stdlib.h>

/* A box of runs that follow each other, dense or with gaps, each copied or filled. */
typedef struct box_case {
    int64_t width, span, bytes; /* from the first byte to the last, and of the runs */
    dmlc_runs runs;
} box_case;

static box_case draw_box(bool dense)
{
    box_case box = {.width = draw_width()};
    const int64_t longest = draw_between(1, 64 / box.width);
    const int64_t count = draw_between(1, draw(4) == 0 ? DMLC_MOST_RUNS : 20);
    dmlc_runs_begin(&box.runs);
    for (int64_t i = 0; i < count; ++i) {
        const int64_t at = box.span + (dense || i == 0 ? 0 : draw(2) * draw(30));
        const int64_t bytes = draw_between(1, longest) * box.width;
        if (box.bytes + bytes > DMLC_BOX_BYTES)
            break;
        dmlc_runs_add(&box.runs, at, draw(300), bytes, draw(4) == 0);
        box.bytes += bytes;
        box.span = at + bytes;
    }
    return box;
}

static dmlc_box lie_of(const box_case *box)
{
    const int64_t most = DMLC_BOXES_BYTES / box->bytes;
    const bool fetches = draw(2) == 0 && box->runs.first < box->runs.end;
    return (dmlc_box){
        .bytes = box->bytes,
        .together = draw_between(1, most),
        .together_far = draw_between(1, most),
        .dense = box->bytes == box->span,
        .together_in_memory = draw_between(1, DMLC_BOX_BYTES / box->bytes),
        .fetched_begin = fetches ? box->runs.first : 0,
        .fetched_end = fetches ? box->runs.end : 0,
    };
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
    static dmlc_move list[DMLC_BOX_BYTES];
    const box_case box = draw_box(draw(2) == 0);
    dmlc_moves program = {.box = lie_of(&box), .filled = box.bytes == box.span && draw(2) == 0, .list = list};
    int32_t count = 0;
    for (int32_t kind = 0; kind < 2 * DMLC_MOVE_WIDTHS; ++kind)
        for (int32_t i = 0; i < box.runs.count; ++i) {
            const dmlc_run_of_bytes *run = &box.runs.list[i];
            const int64_t bytes = INT64_C(1) << kind % DMLC_MOVE_WIDTHS;
            int64_t widest = box.width;
            while (run->bytes % (2 * widest) == 0 && 2 * widest <= DMLC_MOST_MOVE_BYTES)
                widest *= 2;
            if (run->outside != (kind >= DMLC_MOVE_WIDTHS) || widest != bytes || (run->outside && program.filled))
                continue;
            for (int64_t at = 0; at < run->bytes; at += bytes, ++program.counts[kind])
                list[count++] = (dmlc_move){run->output + at, run->outside ? 0 : run->input + at};
        }
    memory m;
    const dmlc_block block = prepare_boxes(&box, &m);
    program.box.apart = draw(2) == 0 ? llabs(block.input_step) : 0;
    kernels->moves(&program, &block);
    end_stream(kernels, block.stream);
}

static void shuffles(const dmlc_kernels *kernels)
{
    static dmlc_shuffle blocks[DMLC_MOST_SHUFFLES];
    static dmlc_lane_shuffle lanes[DMLC_MOST_RUNS];
    const bool wide = kernels->abilities->block_bytes == DMLC_BLOCK_BYTES;
    const box_case box = draw_box(!wide || draw(2) == 0);
    if (kernels->abilities->block_bytes == 0)
        return;
    dmlc_shuffles program = {.box = lie_of(&box), .shuffles = {.wide = wide}};
    if (wide) {
        program.shuffles.of.blocks = blocks;
        program.shuffles.count =
            dmlc_shuffle_blocks(blocks, DMLC_MOST_SHUFFLES, &box.runs, box.width, box.runs.first, box.runs.end);
    } else {
        program.shuffles.of.lanes = lanes;
        program.shuffles.count = dmlc_shuffle_lanes(lanes, kernels->abilities->costs, (double)INFINITY, &box.runs,
                                                    box.width, box.runs.first, box.runs.end);
    }
    if (program.shuffles.count < 0)
        return;
    memory m;
    const dmlc_block block = prepare_boxes(&box, &m);
    program.box.apart = draw(2) == 0 ? llabs(block.input_step) : 0;
    kernels->shuffles(&program, &block);
    end_stream(kernels, block.stream);
}

const contract box_contracts[] = {
    {"moves", moves},
    {"shuffles", shuffles},
    {NULL, NULL},
};
