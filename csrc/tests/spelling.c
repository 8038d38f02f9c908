/* How plans are spelled, see spelling.h. */
#include "spelling.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static void append(text *to, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const int more = vsnprintf(to->characters + to->length, sizeof(to->characters) - to->length, format, values);
    va_end(values);
    if (more > 0)
        to->length += (size_t)more;
}

static void spell_axis(text *to, const dmlc_axis *axis)
{
    append(to, "%" PRId64 "@%" PRId64, axis->size, axis->output_step);
    if (dmlc_axis_is_plain(axis)) {
        append(to, "<%" PRId64 " ", axis->segments[0].step);
        return;
    }
    append(to, "[");
    for (int32_t i = 0; i < axis->segment_count; ++i) {
        const dmlc_segment *segment = &axis->segments[i];
        append(to, i > 0 ? " %" PRId64 : "%" PRId64, segment->size);
        if (segment->outside)
            append(to, "-");
        else
            append(to, "<%" PRId64 "+%" PRId64, segment->size > 1 ? segment->step : 0, segment->offset);
    }
    if (axis->phase != 0 || axis->cycle != axis->size)
        append(to, " from %" PRId64, axis->phase);
    append(to, "] ");
}

static void spell_row(text *to, const dmlc_row *row)
{
    static const char *const names[] = {"copy", "fill", "fill-each", "repeat", "gather", "replicate"};
    append(to, " %" PRId64 ":", row->chunk);
    for (int32_t i = 0; i < row->piece_count; ++i) {
        const dmlc_piece *piece = &row->pieces[i];
        const bool known = (size_t)piece->operation < sizeof(names) / sizeof(names[0]);
        append(to, " %s %" PRId64 "+%" PRId64, known ? names[piece->operation] : "other", piece->count, piece->output);
        if (piece->operation == DMLC_COPY || piece->operation == DMLC_REPEAT || piece->operation == DMLC_GATHER)
            append(to, "<%" PRId64, piece->input);
        if (piece->operation == DMLC_GATHER || piece->operation == DMLC_REPLICATE)
            append(to, "/%" PRId64, piece->step);
    }
}

/* Eight or more go together where they share no places in a cache, if that has room for them. */
static void spell_order(text *to, const dmlc_box *box)
{
    enum { MANY = 8 };
    if (box->together < MANY && box->together < DMLC_BOXES_BYTES / box->bytes)
        append(to, " by %" PRId64, box->together);
    if (box->apart > 0)
        append(to, " by %" PRId64 ", %" PRId64, box->together_in_memory, box->fetched_end - box->fetched_begin);
}

static void spell_moves(text *to, const dmlc_moves *moves)
{
    if (moves->filled)
        append(to, " filled");
    for (int32_t kind = 0; kind < 2 * DMLC_MOVE_WIDTHS; ++kind)
        if (moves->counts[kind] > 0)
            append(to, " %d%s%d", (int)moves->counts[kind], kind < DMLC_MOVE_WIDTHS ? "x" : "-",
                   1 << kind % DMLC_MOVE_WIDTHS);
    spell_order(to, &moves->box);
}

static void spell_transpose(text *to, const dmlc_transpose *transpose)
{
    append(to, "transpose %d along %d across", (int)transpose->along, (int)transpose->across);
    if (transpose->place_count > 1)
        append(to, ", %" PRId64 " places", transpose->place_count);
    if (transpose->source_count > 0)
        append(to, ", %" PRId64 " sources", transpose->source_count);
}

static void spell_select(text *to, const dmlc_select *select)
{
    static const char *const ways[] = {"planes", "sequences", "tiles", "scatter"};
    append(to, "select %" PRId64 "@%" PRId64 " by %s", select->depth, select->depth_step, ways[select->way]);
    if (select->inside > 1)
        append(to, ", %" PRId64 " inside", select->inside);
}

static void spell_band(text *to, const dmlc_band *band)
{
    append(to, "%sband %" PRId64 "..%" PRId64 " of %" PRId64 "x%" PRId64 "@%" PRId64 ",%" PRId64,
           band->inverted ? "all but " : "", band->begin, band->end, band->rows, band->columns, band->output_row,
           band->output_column);
    static const char *const ways[] = {"rows", "filled", "windows"};
    append(to, " by %s", ways[band->way]);
}

static void spell_way(text *to, const dmlc_plan *plan)
{
    switch (plan->way) {
    case DMLC_ROWS:
        append(to, "rows");
        spell_row(to, &plan->program.rows.row);
        break;
    case DMLC_PERMUTED_ROWS:
        append(to, "permuted rows");
        spell_row(to, &plan->program.rows.row);
        append(to, " by");
        for (int32_t i = 0; i < plan->program.rows.permutations.count; ++i)
            append(to, " %" PRId64, plan->program.rows.permutations.list[i].units);
        break;
    case DMLC_SHORT_ROWS:
        append(to, "short rows");
        if (plan->program.short_rows.units > 1)
            append(to, " %" PRId64 " together:", plan->program.short_rows.units);
        for (int32_t i = 0; i < plan->program.short_rows.count; ++i)
            append(to, " %" PRId64 " of %" PRId64, plan->program.short_rows.permutations[i].units,
                   plan->program.short_rows.permutations[i].unit_bytes);
        break;
    case DMLC_FILLED_ROWS:
        append(to, "filled rows %" PRId64 ": copy %" PRId64 "+%" PRId64 "<%" PRId64, plan->program.filled_rows.bytes,
               plan->program.filled_rows.copy_bytes, plan->program.filled_rows.copy_output,
               plan->program.filled_rows.copy_input);
        break;
    case DMLC_ENDS:
        append(to, "ends %d, %" PRId64 ", %d", (int)plan->program.ends.head_count, plan->program.ends.copy_bytes,
               (int)(plan->program.ends.shuffles.count - plan->program.ends.head_count));
        break;
    case DMLC_MOVES:
        append(to, "moves %d axes %" PRId64 ":", (int)plan->leaf_axes, plan->program.moves.box.bytes);
        spell_moves(to, &plan->program.moves);
        break;
    case DMLC_SHUFFLES:
        append(to, "shuffles %d axes %" PRId64 ": %d", (int)plan->leaf_axes, plan->program.shuffles.box.bytes,
               (int)plan->program.shuffles.shuffles.count);
        spell_order(to, &plan->program.shuffles.box);
        break;
    case DMLC_TRANSPOSE: spell_transpose(to, &plan->program.transpose); break;
    case DMLC_PACKED:
        append(to, "packed %" PRId64 ": (", plan->program.packed.bytes);
        spell_way(to, plan->program.packed.pack);
        append(to, ") (");
        spell_way(to, plan->program.packed.unpack);
        append(to, ")");
        break;
    case DMLC_GROWN:
        append(to, "grown");
        for (int32_t i = 0; i < plan->program.grown.count; ++i) {
            const dmlc_plan *one = plan->program.grown.plans[i];
            append(to, one->outside ? " (outside " : " (");
            spell_way(to, one);
            append(to, ")");
        }
        break;
    case DMLC_SELECT: spell_select(to, &plan->program.select); break;
    case DMLC_BAND: spell_band(to, &plan->program.band); break;
    }
}

text spell_plan(const dmlc_plan *plan)
{
    text to = {.length = 0};
    if (plan->empty) {
        append(&to, "empty");
        return to;
    }
    if (plan->output_offset != 0)
        append(&to, "output%+" PRId64 " ", plan->output_offset);
    if (plan->input_offset != 0)
        append(&to, "input%+" PRId64 " ", plan->input_offset);
    if (plan->outside)
        append(&to, "outside ");
    for (int32_t i = 0; i < plan->axis_count; ++i)
        spell_axis(&to, &plan->axes[i]);
    if (plan->before != NULL)
        append(&to, "after a copy ");
    spell_way(&to, plan);
    return to;
}
