/* Boxes, see dmlc_box, by moves; shuffles.h has the other way. */
#ifndef DMLC_KERNELS_BOXES_H
#define DMLC_KERNELS_BOXES_H

#include "kernels/moves.h"

/* A box with at most so many moves has no loop over them, see move_boxes. */
enum { MOST_FEW_MOVES = 8 };

#define TEMPLATE "kernels/box_template.inc"
#include "kernels/chunks.inc"

/* `move_count` moves of one width in each box, box by box, so that memory is gone through in its order: move by move, wide ones
 * took 1 to 2.5 times as long. But narrow ones go move by move, whose loop is the longer one, unless they are many in boxes that
 * lie apart: box by box, a few of them took 1.1 to 1.5 times as long. */
static void move_in_boxes(const dmlc_move *moves, int32_t move_count, int64_t width, char *output, int64_t output_step,
                          const char *input, int64_t input_step, int64_t count, bool dense)
{
    enum { MANY = 6 };
    const bool by_moves = move_count == 1 || (width < 8 && (dense || move_count < MANY));
    if (by_moves && count >= move_count) {
        for (int32_t i = 0; i < move_count; ++i)
            move(output + moves[i].output, output_step, input + moves[i].input, input_step, count, width);
        return;
    }
#define MOVE_BOXES(WIDTH) move_boxes_##WIDTH(moves, move_count, output, output_step, input, input_step, count)
    switch (width) {
    case 1: MOVE_BOXES(1); break;
    case 2: MOVE_BOXES(2); break;
    case 4: MOVE_BOXES(4); break;
    case 8: MOVE_BOXES(8); break;
    case 16: MOVE_BOXES(16); break;
    default: MOVE_BOXES(32); break;
    }
#undef MOVE_BOXES
}

static void move_boxes(const void *program, const dmlc_block *block)
{
    const dmlc_moves *moves = program;
    const dmlc_move *list = moves->list;
    const int64_t bytes = moves->box.bytes;
    if (moves->filled && block->output_step == bytes)
        fill_bytes(block->output, block->count * bytes, block->pattern->bytes);
    else if (moves->filled)
        for (int64_t i = 0; i < block->count; ++i)
            fill_bytes(block->output + i * block->output_step, bytes, block->pattern->bytes);
    for (int32_t kind = 0; kind < 2 * DMLC_MOVE_WIDTHS; list += moves->counts[kind++]) {
        if (moves->counts[kind] == 0)
            continue;
        const bool fills = kind >= DMLC_MOVE_WIDTHS;
        move_in_boxes(list, moves->counts[kind], INT64_C(1) << kind % DMLC_MOVE_WIDTHS, block->output,
                      block->output_step, fills ? (const char *)block->pattern->bytes : block->input,
                      fills ? 0 : block->input_step, block->count, block->output_step == bytes);
    }
}

/* From memory, boxes that go down in the input are gone through from the last one: six layouts of 25 to 40 MB took 0.19 to 1.1 of the
 * time with AVX2, 0.45 to 1.3 with AVX-512. */
static bool go_down(const dmlc_box *box, const dmlc_block *block)
{
    return block->in_memory && block->stream == NULL && box->apart > 0 && block->input_step == -box->apart;
}

/* What boxes read that lie apart, the first of them at `input`. */
static ALWAYS_INLINE void fetch_boxes(const dmlc_box *box, const char *input, int64_t count)
{
    const int64_t bytes = box->fetched_end - box->fetched_begin;
    input += box->fetched_begin;
    if (!dmlc_reads_with_gaps(box->apart, bytes))
        fetch(input, (count - 1) * box->apart + bytes);
    else
        for (int64_t i = 0; i < count; ++i)
            fetch(input + i * box->apart, bytes);
}

/* A few boxes at a time, so that their lines stay in the first-level cache until they are whole. */
static void boxes(const dmlc_box *box, const dmlc_block *block,
                  void (*some_boxes)(const void *program, const dmlc_block *block), const void *program)
{
    dmlc_block up;
    if (go_down(box, block)) {
        up = from_its_end(block);
        block = &up;
    }
    const bool staged = block->stream != NULL && box->dense && block->output_step == box->bytes;
    const bool in_order = block->in_memory && box->apart > 0 && block->input_step == box->apart;
    const bool fetches = in_order && box->fetched_end > box->fetched_begin;
    const int64_t together = in_order     ? box->together_in_memory
                             : staged     ? staged_together(box->bytes)
                             : block->far ? box->together_far
                                          : box->together;
    if (!staged && block->count <= together) {
        /* The block itself: to copy one that was just written waits for its stores, as long as some boxes take. */
        some_boxes(program, block);
        return;
    }
    dmlc_block some = *block;
    some.stream = NULL;
    some.writes_in_order = block->writes_in_order && !staged;
    for (int64_t i = 0; i < block->count; i += together) {
        some.count = dmlc_minimum(block->count - i, together);
        some.input = block->input + i * block->input_step;
        some.output = block->output + i * block->output_step;
        if (staged)
            some.output = stream_stage(block->stream, some.output, some.count * box->bytes);
        const int64_t left = block->count - i - some.count, next = dmlc_minimum(left, together);
        if (fetches && next > 0)
            fetch_boxes(box, some.input + together * box->apart, next);
        some_boxes(program, &some);
    }
}

static void moves(const dmlc_moves *program, const dmlc_block *block)
{
    boxes(&program->box, block, move_boxes, program);
}

#endif
