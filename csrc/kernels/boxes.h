/* Boxes, see dmlc_box, by moves; shuffles.h has the other way. */
#ifndef DMLC_KERNELS_BOXES_H
#define DMLC_KERNELS_BOXES_H

#include "kernels/moves.h"

/* `move_count` moves of one width in each box. The longer loop is the inner one; but many wide moves, or many in boxes that lie
 * apart, go box by box, so that memory is gone through in its order: beyond the second-level cache, the other order took up to
 * 2.5 times as long. A few moves took up to twice as long box by box. */
static void move_in_boxes(const dmlc_move *moves, int32_t move_count, int64_t width, char *output, int64_t output_step,
                          const char *input, int64_t input_step, int64_t count, bool dense)
{
    enum { MANY_MOVES = 6 };
    if (count >= move_count && (move_count < MANY_MOVES || (width < 8 && dense))) {
        for (int32_t i = 0; i < move_count; ++i)
            move(output + moves[i].output, output_step, input + moves[i].input, input_step, count, width);
        return;
    }
    /* A single box may have any step: none is added behind the last. */
    for (int64_t box = 0; box < count; ++box) {
        char *to = output + box * output_step;
        const char *from = input + box * input_step;
        switch (width) {
        case 1: move_each_1(moves, move_count, to, from, 1); break;
        case 2: move_each_2(moves, move_count, to, from, 2); break;
        case 4: move_each_4(moves, move_count, to, from, 4); break;
        case 8: move_each_8(moves, move_count, to, from, 8); break;
        case 16: move_each_16(moves, move_count, to, from, 16); break;
        default: move_each_32(moves, move_count, to, from, 32); break;
        }
    }
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

/* A few boxes at a time, so that their lines stay in the first-level cache until they are whole. */
static void boxes(const dmlc_box *box, const dmlc_block *block,
                  void (*some_boxes)(const void *program, const dmlc_block *block), const void *program)
{
    char stage[DMLC_BOXES_BYTES];
    const bool staged = block->stream != NULL && box->dense && block->output_step == box->bytes;
    const int64_t together = block->far ? box->together_far : box->together;
    if (!staged && block->count <= together) {
        /* The block itself: to copy one that was just written waits for its stores, as long as some boxes take. */
        some_boxes(program, block);
        return;
    }
    dmlc_block some = *block;
    if (staged) {
        some.output = stage;
        some.output_step = box->bytes;
    }
    some.stream = NULL;
    for (int64_t i = 0; i < block->count; i += together) {
        some.count = block->count - i < together ? block->count - i : together;
        some.input = block->input + i * block->input_step;
        if (!staged)
            some.output = block->output + i * block->output_step;
        some_boxes(program, &some);
        if (staged)
            stream_copy(block->stream, block->output + i * box->bytes, stage, some.count * box->bytes);
    }
}

static void moves(const dmlc_moves *program, const dmlc_block *block)
{
    boxes(&program->box, block, move_boxes, program);
}

#endif
