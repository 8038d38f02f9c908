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
    if (outside && dmlc_is_dense(plan, axis))
        return some->size;
    const bool dense = axis == plan->axis_count - 1 && plan->axes[axis].output_step == plan->chunk;
    return dense && some->step == plan->chunk ? some->size : 1;
}

/* The last axis by itself. */
static bool add_last_axis(dmlc_runs *runs, const dmlc_plan *plan, int64_t output, bool outside)
{
    const int32_t last = plan->axis_count - 1;
    const dmlc_axis *axis = &plan->axes[last];
    bool fits = true;
    for (int64_t position = 0; position < axis->size && fits;) {
        const dmlc_segment some = dmlc_axis_run(axis, position, axis->size);
        const bool nothing = outside || some.outside;
        const int64_t together = elements_together(plan, last, &some, nothing);
        for (int64_t i = 0; i < some.size && fits; i += together)
            fits = dmlc_runs_add(runs, output + (position + i) * axis->output_step, some.offset + i * some.step,
                                 together * plan->chunk, nothing);
        position += some.size;
    }
    return fits;
}

/* A row that is listed already, further on. None of its runs but the first can go on with the one before. */
static bool add_listed(dmlc_runs *runs, const dmlc_runs *row, int64_t output, int64_t input)
{
    const dmlc_run_of_bytes *some = row->list;
    if (!dmlc_runs_add(runs, output + some->output, input + some->input, some->bytes, some->outside) ||
        row->count - 1 > DMLC_MOST_RUNS - runs->count)
        return false;
    dmlc_run_of_bytes *to = runs->list + runs->count - 1;
    for (int32_t i = 1; i < row->count; ++i)
        to[i] = (dmlc_run_of_bytes){some[i].output + output, some[i].outside ? 0 : some[i].input + input, some[i].bytes,
                                    some[i].outside};
    runs->count += row->count - 1;
    if (row->first < row->end) {
        runs->first = row->first + input < runs->first ? row->first + input : runs->first;
        runs->end = row->end + input > runs->end ? row->end + input : runs->end;
    }
    return true;
}

/* The axes from that one on, outside the last one. */
static bool add_axes(dmlc_runs *runs, const dmlc_runs *row, const dmlc_plan *plan, int32_t axis, int64_t output,
                     int64_t input, bool outside)
{
    const dmlc_axis *here = &plan->axes[axis];
    if (axis == plan->axis_count - 1)
        return outside ? add_last_axis(runs, plan, output, true) : add_listed(runs, row, output, input);
    bool fits = true;
    for (int64_t position = 0; position < here->size && fits;) {
        const dmlc_segment some = dmlc_axis_run(here, position, here->size);
        const bool nothing = outside || some.outside;
        const int64_t to = output + position * here->output_step, from = input + some.offset;
        if (elements_together(plan, axis, &some, nothing) > 1)
            fits = dmlc_runs_add(runs, to, 0, some.size * here->output_step, true);
        else
            for (int64_t i = 0; i < some.size && fits; ++i)
                fits = add_axes(runs, row, plan, axis + 1, to + i * here->output_step, from + i * some.step, nothing);
        position += some.size;
    }
    return fits;
}

bool dmlc_runs_of_axes(dmlc_runs *runs, const dmlc_plan *plan, int32_t axes)
{
    dmlc_runs row;
    dmlc_runs_begin(runs);
    if (axes == 1)
        return add_last_axis(runs, plan, 0, false);
    dmlc_runs_begin(&row);
    return add_last_axis(&row, plan, 0, false) && add_axes(runs, &row, plan, plan->axis_count - axes, 0, 0, false);
}
