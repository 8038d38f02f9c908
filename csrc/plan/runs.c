/* What is read as runs of bytes: of a stretch of a row, or of a box. */
#include "plan/planner.h"

bool dmlc_runs_add(dmlc_runs *runs, int64_t output, int64_t input, int64_t bytes, bool outside)
{
    if (!outside) {
        runs->first = input < runs->first ? input : runs->first;
        runs->end = input + bytes > runs->end ? input + bytes : runs->end;
    }
    if (runs->count > 0) {
        dmlc_run_of_bytes *last = &runs->list[runs->count - 1];
        if (last->outside == outside && last->output + last->bytes == output &&
            (outside || last->input + last->bytes == input)) {
            last->bytes += bytes;
            return true;
        }
    }
    if (runs->count == DMLC_MOST_RUNS)
        return false;
    runs->list[runs->count++] = (dmlc_run_of_bytes){output, outside ? 0 : input, bytes, outside};
    return true;
}

void dmlc_runs_begin(dmlc_runs *runs)
{
    runs->count = 0;
    runs->first = INT64_MAX;
    runs->end = INT64_MIN;
}

static int64_t piece_bytes(const dmlc_row *row, const dmlc_piece *piece)
{
    return piece->operation == DMLC_COPY || piece->operation == DMLC_FILL ? piece->count : piece->count * row->chunk;
}

/* Bytes [begin, end) of the row, `shift` bytes further on in the output. */
static bool add_row(dmlc_runs *runs, const dmlc_row *row, int64_t begin, int64_t end, int64_t shift)
{
    bool fits = true;
    for (int32_t i = 0; i < row->piece_count && fits; ++i) {
        const dmlc_piece *piece = &row->pieces[i];
        int64_t at = piece->output > begin ? piece->output : begin;
        const int64_t last = piece->output + piece_bytes(row, piece), stop = last < end ? last : end;
        while (at < stop && fits) {
            const int64_t into = at - piece->output;
            int64_t bytes = stop - at;
            if (piece->operation == DMLC_REPLICATE) {
                /* The first turn stands at the row's start. */
                const int64_t turned = at % piece->step;
                bytes = piece->step - turned < bytes ? piece->step - turned : bytes;
                fits = add_row(runs, row, turned, turned + bytes, shift + at - turned);
            } else if (piece->operation == DMLC_FILL || piece->operation == DMLC_FILL_EACH) {
                fits = dmlc_runs_add(runs, shift + at, 0, bytes, true);
            } else if (piece->operation == DMLC_COPY) {
                fits = dmlc_runs_add(runs, shift + at, piece->input + into, bytes, false);
            } else {
                const int64_t chunk = into / row->chunk, inside = into % row->chunk;
                const int64_t step = piece->operation == DMLC_REPEAT ? 0 : piece->step;
                bytes = row->chunk - inside < bytes ? row->chunk - inside : bytes;
                fits = dmlc_runs_add(runs, shift + at, piece->input + chunk * step + inside, bytes, false);
            }
            at += bytes;
        }
    }
    return fits;
}

bool dmlc_runs_of_row(dmlc_runs *runs, const dmlc_row *row, int64_t begin, int64_t end)
{
    dmlc_runs_begin(runs);
    return add_row(runs, row, begin, end, 0);
}

/* What of a segment is one run: all of it where both sides are dense, or nothing is read and the output is dense; else an
 * element. */
static int64_t elements_together(const dmlc_plan *plan, int32_t axis, const dmlc_segment *some, bool outside)
{
    if (outside && axis >= plan->dense_from)
        return some->size;
    const bool dense = axis == plan->axis_count - 1 && plan->axes[axis].output_step == plan->chunk;
    return dense && some->step == plan->chunk ? some->size : 1;
}

static bool add_axes(dmlc_runs *runs, const dmlc_plan *plan, int32_t axis, int64_t output, int64_t input, bool outside)
{
    const dmlc_axis *here = &plan->axes[axis];
    const bool last = axis == plan->axis_count - 1;
    bool fits = true;
    for (int64_t position = 0; position < here->size && fits;) {
        const dmlc_segment some = dmlc_axis_run(here, position, here->size);
        const bool nothing = outside || some.outside;
        const int64_t together = elements_together(plan, axis, &some, nothing);
        for (int64_t i = 0; i < some.size && fits; i += together) {
            const int64_t to = output + (position + i) * here->output_step, from = input + some.offset + i * some.step;
            if (last || together > 1)
                fits = dmlc_runs_add(runs, to, from,
                                     nothing && !last ? together * here->output_step : together * plan->chunk, nothing);
            else
                fits = add_axes(runs, plan, axis + 1, to, from, nothing);
        }
        position += some.size;
    }
    return fits;
}

bool dmlc_runs_of_axes(dmlc_runs *runs, const dmlc_plan *plan, int32_t axes)
{
    dmlc_runs_begin(runs);
    return add_axes(runs, plan, plan->axis_count - axes, 0, 0, false);
}
