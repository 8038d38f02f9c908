/* Boxes as moves of a few bytes. */
#include "plan/planner.h"

#include <math.h>
#include <string.h>

enum { WIDEST = DMLC_MOVE_WIDTHS - 1 };

/* Each run is moves of one kind, of the widest size up to that of a place that fits into it, the last of which overlaps the one
 * before. Moves that fill begin with an element, so each reads the pattern from its start. They are not of the widest size: where there
 * are many, the whole box had better be filled first, which took 0.7 of the time. */
static int32_t kind_of(const dmlc_run_of_bytes *run, int32_t widest)
{
    const int32_t most = run->outside && widest == WIDEST ? WIDEST - 1 : widest;
    const int64_t bytes = run->bytes;
    const int32_t fitting = (bytes >= 2) + (bytes >= 4) + (bytes >= 8) + (bytes >= 16) + (bytes >= 32);
    _Static_assert(WIDEST == 5, "a comparison for each width but the first");
    const int32_t place = fitting < most ? fitting : most;
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
        const int32_t kind = kind_of(some, sketch->moves.widest);
        const int64_t width = INT64_C(1) << place_of(kind);
        for (int64_t at = 0; at < some->bytes; at += width) {
            const int64_t from = at + width <= some->bytes ? at : some->bytes - width;
            moves[next[kind]++] = (dmlc_move){some->output + from, some->outside ? 0 : some->input + from};
        }
    }
}

/* In each box, the lowest input comes first. The order of the outputs does not matter: moves that overlap write the same there. Most lie
 * in order already, the others in a few stretches that go up or down: by Shell's method. With the library's sort, to plan pads by
 * edge, reflection and symmetry took 1.1 times as long for AVX2. */
static void sort_moves(dmlc_move *moves, int32_t count)
{
    int32_t sorted = 1;
    while (sorted < count && moves[sorted - 1].input <= moves[sorted].input)
        ++sorted;
    for (int32_t gap = sorted < count ? count / 2 : 0; gap > 0; gap /= 2)
        for (int32_t i = gap; i < count; ++i) {
            const dmlc_move move = moves[i];
            int32_t place = i;
            for (; place >= gap && moves[place - gap].input > move.input; place -= gap)
                moves[place] = moves[place - gap];
            moves[place] = move;
        }
}

/* Whether boxes are gone through in a single loop, or in fewer loops than a box has moves: a few wide moves of a kind are one loop, in
 * which their places stay in registers. Narrow moves are a loop each. */
static bool is_few_loops(const dmlc_move_counts *made, int32_t kinds)
{
    enum { FEW = 4, NARROW = 3 };
    int32_t narrow = 0;
    for (int32_t kind = 0; kind < 2 * DMLC_MOVE_WIDTHS; ++kind)
        narrow += place_of(kind) < NARROW ? made->of[kind] : 0;
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
           (double)dmlc_minimum(bytes, DMLC_SMALL_BOX_BYTES) * sketch->costs->written_twice;
}

/* How many moves of each kind a box takes, of the widest size up to that of a place, and for how long. Boxes of some of the widest moves
 * and others are gone through kind by kind: rows of a line, 16 and 48 bytes of it, took 1.3 times as long as by four narrower ones. */
static dmlc_move_counts count_moves(const dmlc_sketch *sketch, int32_t widest)
{
    const dmlc_costs *costs = sketch->costs;
    dmlc_move_counts made = {.axes = sketch->box.axes, .widest = widest};
    double copies = 0, fills = 0;
    for (int32_t i = 0; i < sketch->box.runs.count; ++i) {
        const dmlc_run_of_bytes *run = &sketch->box.runs.list[i];
        const int32_t kind = kind_of(run, widest), place = place_of(kind);
        const int32_t moves = (int32_t)((run->bytes + (INT64_C(1) << place) - 1) >> place);
        made.of[kind] += moves;
        *(run->outside ? &fills : &copies) += moves * (place == WIDEST ? costs->widest_move : costs->move);
    }
    const double fill = fill_cost(sketch);
    made.filled = dmlc_box_is_dense(sketch) && fill < fills;
    if (made.filled)
        memset(made.of + DMLC_MOVE_WIDTHS, 0, DMLC_MOVE_WIDTHS * sizeof(*made.of));
    int32_t kinds = 0;
    for (int32_t kind = 0; kind < 2 * DMLC_MOVE_WIDTHS; ++kind) {
        made.all += made.of[kind];
        kinds += made.of[kind] > 0;
    }
    const double all = (made.all > LONG_LIST ? LONG_LIST_TIMES : 1) * (copies + (made.filled ? 0 : fills));
    const int32_t loops = widest == WIDEST && kinds > 1 ? kinds : is_few_loops(&made, kinds) ? 0 : 1;
    made.cost = loops * 0.4 * costs->piece + all + (made.filled ? fill : 0);
    return made;
}

/* A move for each run, or the widest moves for all bytes, whichever costs more; for what is filled, the cheaper of moves and one fill. */
static double least(const dmlc_sketch *sketch)
{
    const dmlc_listing *box = &sketch->box;
    const dmlc_costs *costs = sketch->costs;
    const double byte = costs->widest_move / DMLC_MOST_MOVE_BYTES, bytes = (double)box->bytes;
    const double copies = box->copied_bytes * byte, fills = (bytes - box->copied_bytes) * byte;
    const double runs = box->copied_runs * costs->move, filled = fill_cost(sketch);
    return (copies < runs ? runs : copies) + (fills < filled ? fills : filled);
}

/* Whether a box is left to other ways. A row that is one vector over and over is made once and stored by rows, which took 0.75 of the time.
 * Rows that are copies took 0.35 to 0.9 of the time of lanes and of rows in boxes of up to MOST_OF_COPIES bytes; in larger ones 1.0 to 1.4
 * times as long as rows, whose stores need no list. Where the copies are near, shuffles of whole vectors do better. */
static bool are_left(const dmlc_sketch *sketch)
{
    enum { MOST_OF_COPIES = 896 };
    if (sketch->box.axes == 1 && dmlc_row_repeats_by_vectors(&sketch->row))
        return true;
    return dmlc_are_long_copies(sketch) &&
           (sketch->box.bytes > MOST_OF_COPIES || (dmlc_is_wide(sketch) && !dmlc_copies_are_far(sketch)));
}

/* The same factor, but for small elements: rows of these take longer than their cost says. */
static double times_far(const dmlc_sketch *sketch)
{
    enum { LEAST_CHUNK = 4 };
    return sketch->plan->chunk >= LEAST_CHUNK ? dmlc_times_far(sketch) : 1;
}

static double cost(dmlc_sketch *sketch, double best)
{
    if (!dmlc_find_box(sketch, DMLC_BOX_BYTES, best, least) || are_left(sketch))
        return (double)INFINITY;
    const dmlc_move_counts narrow = count_moves(sketch, WIDEST - 1);
    sketch->moves = narrow;
    if (narrow.of[WIDEST - 1] > 0) {
        const dmlc_move_counts wide = count_moves(sketch, WIDEST);
        sketch->moves = wide.cost < narrow.cost ? wide : narrow;
    }
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

const dmlc_map_way dmlc_moves_way = {cost, make, NULL};
