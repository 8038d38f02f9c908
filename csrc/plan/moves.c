/* Boxes as moves of a few bytes. */
#include "plan/planner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Each run is moves of one kind, of the widest size that fits into it, the last of which overlaps the one before. Moves that fill
 * begin with an element, so each reads the pattern from its start. */
static int32_t kind_of(const dmlc_run_of_bytes *run)
{
    const int64_t most = run->bytes < DMLC_MOST_MOVE_BYTES ? run->bytes : DMLC_MOST_MOVE_BYTES;
    int32_t place = 0;
    while (INT64_C(2) << place <= most)
        ++place;
    return (run->outside ? DMLC_MOVE_WIDTHS : 0) + place;
}

static int32_t place_of(int32_t kind) { return kind < DMLC_MOVE_WIDTHS ? kind : kind - DMLC_MOVE_WIDTHS; }

/* Moves are written by kind: the next one of a kind goes to next[kind], which is then one more. */
static void list_moves(const dmlc_sketch *sketch, int32_t *next, dmlc_move *moves)
{
    const dmlc_runs *runs = &sketch->box.runs;
    for (int32_t i = 0; i < runs->count; ++i) {
        const dmlc_run_of_bytes *some = &runs->list[i];
        if (some->outside && sketch->moves.filled)
            continue;
        const int32_t kind = kind_of(some);
        const int64_t width = INT64_C(1) << place_of(kind);
        for (int64_t at = 0; at < some->bytes; at += width) {
            const int64_t from = at + width <= some->bytes ? at : some->bytes - width;
            moves[next[kind]++] = (dmlc_move){some->output + from, some->outside ? 0 : some->input + from};
        }
    }
}

/* In each box, the lowest input comes first. The order of the outputs does not matter: moves that overlap write the same there. */
static int by_input(const void *one, const void *other)
{
    const int64_t a = ((const dmlc_move *)one)->input, b = ((const dmlc_move *)other)->input;
    return (a > b) - (a < b);
}

/* Most lie in order already. */
static void sort_moves(dmlc_move *moves, int32_t count)
{
    int32_t sorted = 1;
    while (sorted < count && moves[sorted - 1].input <= moves[sorted].input)
        ++sorted;
    if (sorted < count)
        qsort(moves, (size_t)count, sizeof(*moves), by_input);
}

/* Whether a box' moves are a single loop, or fewer than they are: the places of a few wide moves of a kind stay in registers.
 * Narrow moves are a loop each. */
static bool is_few_loops(const dmlc_move_counts *made)
{
    enum { FEW = 4, NARROW = 3 };
    int32_t kinds = 0, narrow = 0;
    for (int32_t kind = 0; kind < 2 * DMLC_MOVE_WIDTHS; ++kind) {
        kinds += made->of[kind] > 0;
        narrow += place_of(kind) < NARROW ? made->of[kind] : 0;
    }
    return made->all == 1 || (!made->filled && made->all <= FEW && made->all > kinds && narrow == 0);
}

/* A move of a longer list took 1.1 times as long. */
enum { LONG_LIST = 128 };
static const double LONG_LIST_TIMES = 1.1;

/* Where the whole box is filled before the moves that copy, which write some of it again. */
static double fill_cost(const dmlc_sketch *sketch)
{
    const int64_t bytes = sketch->box.bytes;
    return (double)bytes * sketch->costs->byte +
           (double)dmlc_lower_of(bytes, DMLC_SMALL_BOX_BYTES) * sketch->costs->written_twice;
}

/* How many moves of each kind a box takes, and for how long. */
static void count_moves(dmlc_sketch *sketch)
{
    const dmlc_costs *costs = sketch->costs;
    dmlc_move_counts *made = &sketch->moves;
    int32_t copies = 0, fills = 0;
    memset(made->of, 0, sizeof(made->of));
    made->axes = sketch->box.axes;
    for (int32_t i = 0; i < sketch->box.runs.count; ++i) {
        const dmlc_run_of_bytes *run = &sketch->box.runs.list[i];
        const int32_t kind = kind_of(run), place = place_of(kind);
        const int32_t moves = (int32_t)((run->bytes + (INT64_C(1) << place) - 1) >> place);
        made->of[kind] += moves;
        copies += run->outside ? 0 : moves;
        fills += run->outside ? moves : 0;
    }
    const double fill = fill_cost(sketch);
    made->filled = dmlc_box_is_dense(sketch) && fill < fills * costs->move;
    if (made->filled)
        memset(made->of + DMLC_MOVE_WIDTHS, 0, DMLC_MOVE_WIDTHS * sizeof(*made->of));
    made->all = copies + (made->filled ? 0 : fills);
    const double move = (made->all > LONG_LIST ? LONG_LIST_TIMES : 1) * costs->move;
    made->cost = (is_few_loops(made) ? 0 : 0.4 * costs->piece) + made->all * move + (made->filled ? fill : 0);
}

/* Each run is a move at least, and so are so many bytes. */
static double least(const dmlc_sketch *sketch)
{
    const dmlc_listing *box = &sketch->box;
    const dmlc_costs *costs = sketch->costs;
    const double widest = DMLC_MOST_MOVE_BYTES, bytes = (double)box->bytes;
    const double copies = box->copied_bytes / widest, fills = (bytes - box->copied_bytes) / widest * costs->move;
    const double filled = fill_cost(sketch);
    return (copies < box->copied_runs ? box->copied_runs : copies) * costs->move + (fills < filled ? fills : filled);
}

/* Rows of a line and more that are copied as a whole go by wider stores than moves have. In boxes of 2 to 8 rows of 64 to 700 bytes, up
 * to 4 MB, those that are then rows took 0.7 to 0.93 of the time; of two rows of 13 elements of 16 bytes 1.2 to 1.3 times as long. */
static bool are_long_copies(const dmlc_sketch *sketch)
{
    return dmlc_row_is_copy(&sketch->row) && sketch->row_bytes >= DMLC_LINE_BYTES;
}

/* Rows of small elements take longer than their cost says. */
static double times_far(const dmlc_sketch *sketch)
{
    enum { LEAST_CHUNK = 4 };
    return sketch->plan->chunk >= LEAST_CHUNK ? dmlc_times_far(sketch) : 1;
}

static double cost(dmlc_sketch *sketch, double best)
{
    if (are_long_copies(sketch) || !dmlc_find_box(sketch, DMLC_BOX_BYTES, best, least))
        return (double)INFINITY;
    count_moves(sketch);
    return sketch->box.rest + sketch->box.boxes * (sketch->box.call + sketch->moves.cost * times_far(sketch));
}

static dmlc_status make(dmlc_sketch *sketch)
{
    dmlc_plan *plan = sketch->plan;
    dmlc_moves *made = &plan->program.moves;
    const dmlc_move_counts *counts = &sketch->moves;
    dmlc_move *list = dmlc_plan_memory(plan, (size_t)counts->all * sizeof(*list));
    if (list == NULL)
        return DMLC_OUT_OF_MEMORY;
    dmlc_find_box_again(sketch, counts->axes);
    made->box = dmlc_box_of(sketch);
    dmlc_box_read_in_order(&made->box, sketch, false);
    made->filled = counts->filled;
    made->list = list;
    memcpy(made->counts, counts->of, sizeof(made->counts));
    int32_t next[2 * DMLC_MOVE_WIDTHS] = {0};
    for (int32_t kind = 1; kind < 2 * DMLC_MOVE_WIDTHS; ++kind)
        next[kind] = next[kind - 1] + made->counts[kind - 1];
    list_moves(sketch, next, list);
    for (int32_t kind = 0, first = 0; kind < DMLC_MOVE_WIDTHS; first += made->counts[kind++])
        sort_moves(list + first, made->counts[kind]);
    plan->way = DMLC_MOVES;
    plan->leaf_axes = sketch->box.axes;
    return DMLC_OK;
}

const dmlc_map_way dmlc_moves_way = {cost, make};
