/* Maps: which of the ways to go through the axes is quickest.
 *
 *     rows         the last axis, one row of the output after the other
 *     transposed   the same, with rows taken together that lie next to each other in the input    transpose.c
 *     boxes        several small axes as one list of moves                                        box.c
 */
#include "plan.h"

/* A contiguous inner run up to this many bytes moves as one chunk of the row outside it; a longer one is a row
 * itself, so that rows stay worth a kernel's while and work can still be shared along them. */
enum { LONGEST_CHUNK = 64 };

/* Short runs of the input's last axis move as one; returns their bytes. The row is the draft's last axis from then on. */
static int64_t take_chunk(dmlc_draft *draft)
{
    int64_t chunk = draft->width;
    if (draft->axis_count > 1) {
        const dmlc_axis *last = &draft->axes[draft->axis_count - 1];
        const bool contiguous =
            dmlc_axis_is_plain(last) && last->output_step == chunk && last->segments[0].step == chunk;
        if (contiguous && last->size <= LONGEST_CHUNK / chunk) {
            chunk *= last->size;
            --draft->axis_count;
        }
    }
    if (draft->axis_count == 0) {
        /* A single element is a row of one. */
        dmlc_axis_add(dmlc_draft_add_axis(draft, 1, chunk), 1, 0, chunk, draft->outside);
    }
    return chunk;
}

/* Rows as blocks of permuted bytes, which depends on the axis outside them. */
static void permute_whole_rows(dmlc_plan *plan)
{
    dmlc_row *row = &plan->program.row;
    if (plan->axis_count < 2)
        return;
    const dmlc_axis *last = &plan->axes[plan->axis_count - 1], *outer = last - 1;
    const dmlc_segment *longest = &outer->segments[0];
    for (int32_t i = 1; i < outer->segment_count; ++i)
        if (longest->outside || outer->segments[i].size > longest->size)
            longest = &outer->segments[i];
    if (outer->output_step == last->size * row->chunk && last->output_step == row->chunk && !longest->outside)
        dmlc_permute_rows(&row->whole, row, plan->width, longest->step);
}

static void note_dense_axes(dmlc_plan *plan)
{
    int64_t contiguous = plan->program.row.chunk;
    plan->dense_from = plan->axis_count;
    for (int32_t i = plan->axis_count - 1; i >= 0 && plan->axes[i].output_step == contiguous; --i) {
        plan->dense_from = i;
        contiguous *= plan->axes[i].size;
    }
}

/* What the rows as they are take. */
static double cost_of_rows(const dmlc_plan *plan)
{
    const dmlc_row *row = &plan->program.row;
    const double rows = dmlc_map_elements(plan) / (double)row->size;
    const double together = plan->axis_count > 1 ? (double)plan->axes[plan->axis_count - 2].size : 1;
    const double calls = rows / together * DMLC_CALL_COST;
    if (row->whole.units > 0)
        return calls + rows * DMLC_PERMUTATION_COST / (double)row->whole.units;
    if (row->piece_count == 1 && row->pieces[0].operation == DMLC_COPY)
        return calls + rows * (4 + (double)row->pieces[0].count / 32) * DMLC_MOVE_COST;
    double row_cost = 8 * DMLC_MOVE_COST;
    for (int32_t i = 0; i < row->piece_count; ++i) {
        const dmlc_piece *piece = &row->pieces[i];
        row_cost += 4 * DMLC_MOVE_COST;
        if (piece->operation == DMLC_GATHER && piece->permutation < 0)
            row_cost += (double)(piece->count * dmlc_chunk_moves(row->chunk)) * DMLC_GATHER_COST;
        else if (piece->operation == DMLC_GATHER)
            row_cost +=
                (double)piece->count / (double)row->permutations[piece->permutation].units * DMLC_PERMUTATION_COST;
    }
    return calls + rows * row_cost;
}

double dmlc_map_elements(const dmlc_plan *plan)
{
    double elements = 1;
    for (int32_t i = 0; i < plan->axis_count; ++i)
        elements *= (double)plan->axes[i].size;
    return elements;
}

dmlc_status dmlc_plan_map(dmlc_plan **plan, dmlc_draft *draft)
{
    dmlc_draft_canonicalize(draft);
    const int64_t chunk = draft->empty ? draft->width : take_chunk(draft);
    dmlc_plan *made = NULL;
    dmlc_status status = dmlc_plan_allocate(&made, DMLC_MAP, draft);
    if (status != DMLC_OK)
        return status;
    dmlc_row *row = &made->program.row;
    row->chunk = chunk;
    row->piece_count = 0;
    row->whole.units = 0;
    row->middle = -1;
    if (draft->empty)
        return dmlc_plan_finish(plan, made, DMLC_OK);
    const dmlc_axis *last = &made->axes[made->axis_count - 1];
    dmlc_row_build(row, last, 0, last->size);
    note_dense_axes(made);
    if (made->axis_count == 1) {
        made->cost = cost_of_rows(made);
        return dmlc_plan_finish(plan, made, DMLC_OK);
    }
    permute_whole_rows(made);
    if (last->output_step == chunk)
        dmlc_permute_ends(row);
    const double rows = cost_of_rows(made);
    const dmlc_transposition transposition = dmlc_find_transposition(made);
    const bool turned = transposition.across > 0 && transposition.cost < rows;
    made->cost = turned ? transposition.cost : rows;
    status = dmlc_plan_box(made, rows);
    if (status == DMLC_OK && made->box == NULL && turned) {
        status = dmlc_plan_transpose(made, &transposition);
        note_dense_axes(made);
    }
    return dmlc_plan_finish(plan, made, status);
}
