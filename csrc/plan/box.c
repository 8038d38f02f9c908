/* Boxes: the small inner axes as one list of runs, so that a box costs a kernel its bytes but no loops over rows and axes. To
 * list the runs takes time itself, so a map has to have some boxes. */
#include "plan/planner.h"

enum { MOST_BOX_BYTES = 1024, FEWEST_BOXES = 4 };

/* How many of the innermost axes are a box; 0 for none. */
static int32_t choose_axes(const dmlc_sketch *sketch)
{
    const dmlc_plan *plan = sketch->plan;
    const int64_t longest = plan->kernels->abilities->box_row_bytes;
    const int64_t output_bytes = plan->bytes / 2;
    const int64_t most = output_bytes / FEWEST_BOXES < MOST_BOX_BYTES ? output_bytes / FEWEST_BOXES : MOST_BOX_BYTES;
    int64_t bytes = sketch->row_bytes;
    int32_t outer = plan->axis_count - 1;
    if (outer < 1 || bytes > longest || bytes > most || plan->outside)
        return 0;
    for (; outer > 1 && plan->axes[outer - 1].size <= most / bytes; --outer)
        bytes *= plan->axes[outer - 1].size;
    return plan->axis_count - outer;
}

/* Whether the box would be a row that is copied as a whole, which the way of rows does. */
static bool is_a_row(const dmlc_row *row, int32_t axes)
{
    return axes == 1 && row->piece_count == 1 && row->pieces[0].operation == DMLC_COPY;
}

bool dmlc_find_box(dmlc_sketch *sketch, double best)
{
    const dmlc_plan *plan = sketch->plan;
    dmlc_listing *box = &sketch->box;
    if (box->axes < 0) {
        box->axes = choose_axes(sketch);
        box->listed = false;
    }
    while (box->axes > 0 && !is_a_row(&sketch->row, box->axes)) {
        if (!box->listed) {
            box->bytes = plan->chunk;
            for (int32_t i = plan->axis_count - box->axes; i < plan->axis_count; ++i)
                box->bytes *= plan->axes[i].size;
            box->boxes = dmlc_map_elements(plan) * (double)plan->chunk / (double)box->bytes;
            box->call = sketch->costs->call / (double)plan->axes[plan->axis_count - box->axes - 1].size;
        }
        /* Not even one move would fit: to list the box takes longer than a small tensor's rows do. */
        if (best / box->boxes - box->call < sketch->costs->move)
            return false;
        if (box->listed || dmlc_runs_of_axes(&box->runs, plan, box->axes)) {
            box->listed = true;
            return true;
        }
        --box->axes; /* too many runs */
    }
    return false;
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
