/* Boxes: small inner axes as one list, so that what is repeated over the outer axes costs neither a row nor an axis.
 * Listed run by run of bytes, hence only where it is gone through many times. */
#include "plan/planner.h"

enum { MOST_BOX_BYTES = 1024, MOST_ROW_BYTES = 128, FEWEST_BOXES = 4 };

static void list_chunk(dmlc_listing *list, int64_t chunk, int64_t output, int64_t input, bool outside)
{
    if (!outside) {
        list->first = input < list->first ? input : list->first;
        list->end = input + chunk > list->end ? input + chunk : list->end;
    }
    if (list->count > 0) {
        dmlc_run_of_bytes *last = &list->runs[list->count - 1];
        if (last->outside == outside && last->output + last->bytes == output &&
            (outside || last->input + last->bytes == input)) {
            last->bytes += chunk;
            return;
        }
    }
    list->runs[list->count++] = (dmlc_run_of_bytes){output, outside ? 0 : input, chunk, outside};
}

static void list_axes(dmlc_listing *list, const dmlc_plan *plan, int32_t axis, int64_t output, int64_t input,
                      bool outside)
{
    if (axis == plan->axis_count) {
        list_chunk(list, plan->chunk, output, input, outside);
        return;
    }
    const dmlc_axis *here = &plan->axes[axis];
    for (int64_t position = 0; position < here->size;) {
        const dmlc_segment some = dmlc_axis_run(here, position, here->size);
        for (int64_t i = 0; i < some.size; ++i)
            list_axes(list, plan, axis + 1, output + (position + i) * here->output_step,
                      input + some.offset + i * some.step, outside || some.outside);
        position += some.size;
    }
}

/* How many of the innermost axes are a box; 0 for none. */
static int32_t choose_axes(const dmlc_plan *plan, const dmlc_row *row)
{
    const int64_t chunk = plan->chunk, output_bytes = plan->bytes / 2;
    const int64_t room = DMLC_MOST_RUNS * chunk < MOST_BOX_BYTES ? DMLC_MOST_RUNS * chunk : MOST_BOX_BYTES;
    const int64_t most = output_bytes / FEWEST_BOXES < room ? output_bytes / FEWEST_BOXES : room;
    int64_t bytes = row->size * chunk;
    int32_t outer = plan->axis_count - 1;
    if (outer < 1 || bytes > MOST_ROW_BYTES || bytes > most || plan->outside)
        return 0;
    for (; outer > 1 && plan->axes[outer - 1].size <= most / bytes; --outer)
        bytes *= plan->axes[outer - 1].size;
    const bool one_copy = row->piece_count == 1 && row->pieces[0].operation == DMLC_COPY;
    return one_copy && outer == plan->axis_count - 1 ? 0 : plan->axis_count - outer;
}

bool dmlc_find_box(dmlc_sketch *sketch, double best)
{
    const dmlc_plan *plan = sketch->plan;
    dmlc_listing *box = &sketch->box;
    if (box->axes < 0) {
        box->axes = choose_axes(plan, &sketch->row);
        box->count = 0;
        box->bytes = plan->chunk;
        for (int32_t i = plan->axis_count - box->axes; i < plan->axis_count; ++i)
            box->bytes *= plan->axes[i].size;
        box->first = INT64_MAX;
        box->end = INT64_MIN;
    }
    if (box->axes == 0)
        return false;
    box->boxes = dmlc_map_elements(plan) * (double)plan->chunk / (double)box->bytes;
    box->call = sketch->costs->call / (double)plan->axes[plan->axis_count - box->axes - 1].size;
    /* To list it takes longer than the rows of a small tensor do. */
    if (best / box->boxes - box->call < sketch->costs->move)
        return false;
    if (box->count == 0)
        list_axes(box, plan, plan->axis_count - box->axes, 0, 0, false);
    return true;
}

dmlc_box dmlc_box_of(const dmlc_sketch *sketch)
{
    const dmlc_plan *plan = sketch->plan;
    return (dmlc_box){
        .bytes = sketch->box.bytes,
        .together = DMLC_BOXES_BYTES / sketch->box.bytes,
        .dense = plan->axis_count - sketch->box.axes >= plan->dense_from,
    };
}
