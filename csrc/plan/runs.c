/* What is read as runs of bytes: of a stretch of a row, or of a box. */
#include "plan/planner.h"

bool dmlc_runs_add(dmlc_runs *runs, int64_t output, int64_t input, int64_t bytes, bool outside)
{
    if (!outside) {
        runs->first = dmlc_minimum(input, runs->first);
        runs->end = dmlc_maximum(input + bytes, runs->end);
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
        int64_t at = dmlc_maximum(piece->output, begin);
        const int64_t last = piece->output + piece_bytes(row, piece), stop = dmlc_minimum(last, end);
        while (at < stop && fits) {
            const int64_t into = at - piece->output;
            int64_t bytes = stop - at;
            if (piece->operation == DMLC_REPLICATE) {
                /* The first turn stands at the row's start. */
                const int64_t turned = at % piece->step;
                bytes = dmlc_minimum(piece->step - turned, bytes);
                fits = add_row(runs, row, turned, turned + bytes, shift + at - turned);
            } else if (piece->operation == DMLC_FILL || piece->operation == DMLC_FILL_EACH) {
                fits = dmlc_runs_add(runs, shift + at, 0, bytes, true);
            } else if (piece->operation == DMLC_COPY) {
                fits = dmlc_runs_add(runs, shift + at, piece->input + into, bytes, false);
            } else {
                const int64_t chunk = into / row->chunk, inside = into % row->chunk;
                const int64_t step = piece->operation == DMLC_REPEAT ? 0 : piece->step;
                bytes = dmlc_minimum(row->chunk - inside, bytes);
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

/* So many elements of an axis, which read nothing, and all axes inside it. */
static bool add_outside(dmlc_runs *runs, const dmlc_plan *plan, int32_t axis, int64_t output, int64_t elements)
{
    const int64_t step = plan->axes[axis].output_step;
    if (dmlc_is_dense(plan, axis))
        return dmlc_runs_add(runs, output, 0, elements * step, true);
    const int32_t inner = axis + 1;
    bool fits = true;
    for (int64_t i = 0; i < elements && fits; ++i)
        fits = inner < plan->axis_count ? add_outside(runs, plan, inner, output + i * step, plan->axes[inner].size)
                                        : dmlc_runs_add(runs, output + i * step, 0, plan->chunk, true);
    return fits;
}

/* A list once more, further on. None of its runs but the first can go on with the one before. */
static bool add_listed(dmlc_runs *runs, const dmlc_runs *listed, int64_t output, int64_t input)
{
    const dmlc_run_of_bytes *some = listed->list;
    if (!dmlc_runs_add(runs, output + some->output, input + some->input, some->bytes, some->outside) ||
        listed->count - 1 > DMLC_MOST_RUNS - runs->count)
        return false;
    dmlc_run_of_bytes *to = runs->list + runs->count - 1;
    for (int32_t i = 1; i < listed->count; ++i)
        to[i] = (dmlc_run_of_bytes){some[i].output + output, some[i].input + input, some[i].bytes, some[i].outside};
    runs->count += listed->count - 1;
    if (listed->first < listed->end) {
        runs->first = dmlc_minimum(listed->first + input, runs->first);
        runs->end = dmlc_maximum(listed->end + input, runs->end);
    }
    return true;
}

/* Lists an axis: for each element that reads, the list of what is inside it, moved there, of which those that follow each other on
 * both sides are one run; for what is outside, runs of its own. */
static bool list_axis(dmlc_runs *runs, const dmlc_runs *inner, const dmlc_plan *plan, int32_t i)
{
    const dmlc_axis *axis = &plan->axes[i];
    const dmlc_run_of_bytes *only = &inner->list[0];
    const bool is_run = inner->count == 1 && only->bytes == axis->output_step;
    bool fits = true;
    dmlc_runs_begin(runs);
    for (int64_t position = 0; position < axis->size && fits;) {
        const dmlc_segment some = dmlc_axis_run(axis, position, axis->size);
        const int64_t output = position * axis->output_step;
        if (some.outside)
            fits = add_outside(runs, plan, i, output, some.size);
        else if (is_run && some.step == only->bytes)
            fits = dmlc_runs_add(runs, output + only->output, some.offset + only->input, some.size * only->bytes,
                                 only->outside);
        else
            for (int64_t j = 0; j < some.size && fits; ++j)
                fits = add_listed(runs, inner, output + j * axis->output_step, some.offset + j * some.step);
        position += some.size;
    }
    return fits;
}

/* From a chunk on, axis by axis outwards. Each list is made from the one before, so two places take turns; the last one is `runs`. */
bool dmlc_runs_of_axes(dmlc_runs *runs, dmlc_runs *other, const dmlc_plan *plan, int32_t axes)
{
    dmlc_runs *from = axes % 2 != 0 ? other : runs, *to = axes % 2 != 0 ? runs : other;
    dmlc_runs_begin(from);
    bool fits = dmlc_runs_add(from, 0, 0, plan->chunk, false);
    for (int32_t i = plan->axis_count - 1; i >= plan->axis_count - axes && fits; --i) {
        fits = list_axis(to, from, plan, i);
        dmlc_runs *const listed = to;
        to = from;
        from = listed;
    }
    return fits;
}
