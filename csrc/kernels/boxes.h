/* Boxes, see dmlc_box: `count` of them, `output_step` and `input_step` bytes apart. */
#ifndef DMLC_KERNELS_BOXES_H
#define DMLC_KERNELS_BOXES_H

#include "kernels/moves.h"

/* `move_count` moves of one width in each box. The longer loop is the inner one. */
static void move_in_boxes(const dmlc_box_move *moves, int32_t move_count, int64_t width, char *output,
                          int64_t output_step, const char *input, int64_t input_step, int64_t count)
{
    if (count >= move_count) {
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
        default: move_each_16(moves, move_count, to, from, 16); break;
        }
    }
}

static void boxes_by_moves(const dmlc_box *box, char *output, int64_t output_step, const char *input,
                           int64_t input_step, int64_t count, const dmlc_pattern *pattern)
{
    const dmlc_box_move *moves = dmlc_box_moves(box);
    for (int32_t place = 0; place < DMLC_MOVE_WIDTHS; moves += box->move_counts[place++])
        move_in_boxes(moves, box->move_counts[place], INT64_C(1) << place, output, output_step, input, input_step,
                      count);
    for (int32_t kind = DMLC_MOVE_WIDTHS; kind < 2 * DMLC_MOVE_WIDTHS; moves += box->move_counts[kind++])
        move_in_boxes(moves, box->move_counts[kind], INT64_C(1) << (kind - DMLC_MOVE_WIDTHS), output, output_step,
                      (const char *)pattern->bytes, 0, count);
}

#if defined(__AVX512VBMI__)
static void boxes_by_parts(const dmlc_box *box, char *output, int64_t output_step, const char *input,
                           int64_t input_step, int64_t count, const dmlc_pattern *pattern)
{
    const __m512i fill = _mm512_loadu_si512(pattern->bytes);
    for (int32_t p = 0; p < box->part_count; ++p) {
        const dmlc_box_part *part = &box->parts[p];
        const __m512i index = _mm512_loadu_si512(part->index);
        const __mmask64 low = part->read[0], high = part->read[1], filled = part->filled, written = part->written;
        char *to = output + part->output;
        const char *from = input + part->input;
        for (int64_t i = 0; i < count; ++i) {
            const char *window = from + i * input_step;
            const __m512i bytes = high == 0 ? _mm512_permutexvar_epi8(index, _mm512_maskz_loadu_epi8(low, window))
                                            : _mm512_permutex2var_epi8(_mm512_maskz_loadu_epi8(low, window), index,
                                                                       _mm512_maskz_loadu_epi8(high, window + 64));
            _mm512_mask_storeu_epi8(to + i * output_step, written, _mm512_mask_mov_epi8(bytes, filled, fill));
        }
    }
}
#endif

static void boxes_in_cache(const dmlc_box *box, char *output, int64_t output_step, const char *input,
                           int64_t input_step, int64_t count, const dmlc_pattern *pattern)
{
#if defined(__AVX512VBMI__)
    if (box->part_count > 0) {
        boxes_by_parts(box, output, output_step, input, input_step, count, pattern);
        return;
    }
#endif
    boxes_by_moves(box, output, output_step, input, input_step, count, pattern);
}

/* A few boxes at a time, so that their lines stay in cache. */
static void boxes(const dmlc_box *box, char *output, int64_t output_step, const char *input, int64_t input_step,
                  int64_t count, const dmlc_pattern *pattern, dmlc_stream *stream)
{
    enum { MOST_SCATTERED = 32 };
    char stage[DMLC_BOXES_BYTES];
    const bool staged = stream != NULL && box->dense && output_step == box->bytes;
    int64_t most = box->together;
    if (output_step != box->bytes && most > MOST_SCATTERED)
        most = MOST_SCATTERED;
    for (int64_t i = 0; i < count; i += most) {
        const int64_t some = count - i < most ? count - i : most;
        char *to = output + i * output_step;
        boxes_in_cache(box, staged ? stage : to, staged ? box->bytes : output_step, input + i * input_step, input_step,
                       some, pattern);
        if (staged)
            stream_copy(stream, to, stage, some * box->bytes);
    }
}

#endif
