/* Boxes as moves of a few bytes. */
#include "plan/planner.h"

#include <math.h>

/* Runs as moves of the widest that fits, the last of a run overlapping the one before it. All begin with an element where
 * they fill, so each reads the pattern from its start. next[kind] is where the next of a kind belongs and moves on; where
 * there are no `moves`, they are but counted. */
static void list_moves(const dmlc_runs *runs, int64_t widest, int32_t *next, dmlc_move *moves)
{
    for (int32_t i = 0; i < runs->count; ++i) {
        const dmlc_run_of_bytes *some = &runs->list[i];
        int32_t place = 0;
        while (INT64_C(2) << place <= some->bytes && INT64_C(2) << place <= widest)
            ++place;
        const int64_t width = INT64_C(1) << place;
        const int32_t kind = (some->outside ? DMLC_MOVE_WIDTHS : 0) + place;
        for (int64_t at = 0; at < some->bytes; at += width) {
            const int64_t from = at + width <= some->bytes ? at : some->bytes - width;
            const int32_t to = next[kind]++;
            if (moves != NULL)
                moves[to] = (dmlc_move){some->output + from, some->outside ? 0 : some->input + from};
        }
    }
}

static int32_t count_moves(const dmlc_sketch *sketch, int32_t *counts)
{
    int32_t count = 0;
    list_moves(&sketch->box.runs, sketch->abilities->move_bytes, counts, NULL);
    for (int32_t kind = 0; kind < 2 * DMLC_MOVE_WIDTHS; ++kind)
        count += counts[kind];
    return count;
}

static double cost(dmlc_sketch *sketch, double best)
{
    int32_t counts[2 * DMLC_MOVE_WIDTHS] = {0};
    if (!dmlc_find_box(sketch, best))
        return (double)INFINITY;
    return sketch->box.boxes * (sketch->box.call + count_moves(sketch, counts) * sketch->costs->move);
}

static dmlc_status make(dmlc_sketch *sketch)
{
    dmlc_plan *plan = sketch->plan;
    dmlc_moves *made = &plan->program.moves;
    *made = (dmlc_moves){.box = dmlc_box_of(sketch)};
    const int32_t count = count_moves(sketch, made->counts);
    dmlc_move *list = dmlc_plan_memory(plan, (size_t)count * sizeof(*list));
    if (list == NULL)
        return DMLC_OUT_OF_MEMORY;
    int32_t next[2 * DMLC_MOVE_WIDTHS] = {0};
    for (int32_t kind = 1; kind < 2 * DMLC_MOVE_WIDTHS; ++kind)
        next[kind] = next[kind - 1] + made->counts[kind - 1];
    list_moves(&sketch->box.runs, sketch->abilities->move_bytes, next, list);
    made->list = list;
    plan->way = DMLC_MOVES;
    plan->leaf_axes = sketch->box.axes;
    return DMLC_OK;
}

const dmlc_map_way dmlc_moves_way = {cost, make};
