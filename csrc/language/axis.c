/* Axes: cycles of segments. */
#include "language/axis.h"

void dmlc_axis_add(dmlc_axis *axis, int64_t size, int64_t offset, int64_t step, bool outside)
{
    if (size == 0)
        return;
    if (outside)
        offset = step = 0;
    axis->cycle += size;
    if (axis->segment_count > 0) {
        dmlc_segment *last = &axis->segments[axis->segment_count - 1];
        if (last->outside && outside) {
            last->size += size;
            return;
        }
        if (!last->outside && !outside) {
            /* A segment of one element has no step of its own and takes its neighbour's. */
            const int64_t between = offset - (last->offset + (last->size - 1) * last->step);
            if ((last->size == 1 || between == last->step) && (size == 1 || between == step)) {
                last->size += size;
                last->step = between;
                return;
            }
        }
    }
    axis->segments[axis->segment_count++] = (dmlc_segment){size, offset, step, outside};
}

bool dmlc_axis_is_plain(const dmlc_axis *axis)
{
    return axis->segment_count == 1 && !axis->segments[0].outside && axis->cycle == axis->size;
}

int64_t dmlc_axis_place(const dmlc_axis *axis, int64_t position)
{
    /* The sum itself may not fit: a turn of a mirrored axis is up to twice as long as the axis. */
    const int64_t left = axis->cycle - axis->phase;
    if (position >= axis->cycle)
        position %= axis->cycle;
    return position < left ? axis->phase + position : position - left;
}

dmlc_segment dmlc_axis_run_among(const dmlc_axis *axis, int64_t position, int64_t end)
{
    int64_t at = dmlc_axis_place(axis, position);
    const dmlc_segment *segment = axis->segments;
    while (at >= segment->size)
        at -= (segment++)->size;
    dmlc_segment run = *segment;
    run.offset += at * run.step;
    run.size -= at;
    if (run.size > end - position)
        run.size = end - position;
    return run;
}

int64_t dmlc_axis_distance(const dmlc_axis *axis)
{
    int64_t distance = INT64_MAX;
    for (int32_t i = 0; i < axis->segment_count; ++i) {
        const dmlc_segment *segment = &axis->segments[i];
        const int64_t step = dmlc_absolute(segment->step);
        if (!segment->outside && segment->size > 1 && step != 0 && step < distance)
            distance = step;
    }
    return distance;
}
