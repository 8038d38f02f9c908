/* Boxes as moves of a few bytes. */
#include "plan/planner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each run as moves of the widest size that fits into it, the last of which overlaps the one before. Moves that fill begin with an
 * element, so each reads the pattern from its start. Moves are written by kind: the next one of a kind goes to next[kind], which
 * is then one more. Without a list to write to they are counted only. */
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

/* In each box, the lowest input comes first. The order of the outputs does not matter: moves that overlap write the same there. */
static int by_input(const void *one, const void *other)
{
    const int64_t a = ((const dmlc_move *)one)->input, b = ((const dmlc_move *)other)->input;
    return (a > b) - (a < b);
}

typedef struct counted {
    int32_t copies, fills;
    bool filled;
    double cost; /* of a box */
} counted;

/* How many moves of each kind a box takes, and for how long. Where the whole box is filled first, no move fills; but its bytes
 * count twice, as the moves that copy write some of them again. */
static counted count_moves(const dmlc_sketch *sketch, int32_t *counts)
{
    const dmlc_costs *costs = sketch->costs;
    counted made = {0};
    list_moves(&sketch->box.runs, sketch->abilities->move_bytes, counts, NULL);
    for (int32_t kind = 0; kind < DMLC_MOVE_WIDTHS; ++kind) {
        made.copies += counts[kind];
        made.fills += counts[DMLC_MOVE_WIDTHS + kind];
    }
    const double fill = 2 * (double)sketch->box.bytes * costs->byte;
    made.filled = dmlc_box_of(sketch).dense && fill < made.fills * costs->move;
    made.cost = made.copies * costs->move + (made.filled ? fill : made.fills * costs->move);
    if (made.filled)
        made.fills = 0;
    return made;
}

static double cost(dmlc_sketch *sketch, double best)
{
    int32_t counts[2 * DMLC_MOVE_WIDTHS] = {0};
    if (!dmlc_find_box(sketch, best))
        return (double)INFINITY;
    return sketch->box.boxes * (sketch->box.call + count_moves(sketch, counts).cost);
}

static dmlc_status make(dmlc_sketch *sketch)
{
    dmlc_plan *plan = sketch->plan;
    dmlc_moves *made = &plan->program.moves;
    *made = (dmlc_moves){.box = dmlc_box_of(sketch)};
    const counted some = count_moves(sketch, made->counts);
    dmlc_move *list = dmlc_plan_memory(plan, (size_t)(some.copies + some.fills) * sizeof(*list));
    if (list == NULL)
        return DMLC_OUT_OF_MEMORY;
    made->filled = some.filled;
    if (some.filled) {
        dmlc_runs *runs = &sketch->box.runs;
        int32_t kept = 0;
        for (int32_t i = 0; i < runs->count; ++i)
            if (!runs->list[i].outside)
                runs->list[kept++] = runs->list[i];
        runs->count = kept;
        memset(made->counts, 0, sizeof(made->counts));
        count_moves(sketch, made->counts);
    }
    int32_t next[2 * DMLC_MOVE_WIDTHS] = {0};
    for (int32_t kind = 1; kind < 2 * DMLC_MOVE_WIDTHS; ++kind)
        next[kind] = next[kind - 1] + made->counts[kind - 1];
    list_moves(&sketch->box.runs, sketch->abilities->move_bytes, next, list);
    for (int32_t kind = 0, first = 0; kind < DMLC_MOVE_WIDTHS; first += made->counts[kind++])
        qsort(list + first, (size_t)made->counts[kind], sizeof(*list), by_input);
    made->list = list;
    plan->way = DMLC_MOVES;
    plan->leaf_axes = sketch->box.axes;
    return DMLC_OK;
}

const dmlc_map_way dmlc_moves_way = {cost, make};
