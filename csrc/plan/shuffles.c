/* Boxes as shuffles: a block of the output at a time, whatever it is made of. */
#include "plan/planner.h"

#include <math.h>
#include <string.h>

enum { WINDOW = 64 };

/* Where the second window begins: right behind the first one where the two then reach far enough, which is cheaper, else at the
 * lowest byte that is read behind it. */
static int64_t second_window(const dmlc_run_of_bytes *runs, int32_t count, int64_t first)
{
    int64_t window = INT64_MAX, end = first;
    for (int32_t i = 0; i < count; ++i) {
        if (runs[i].outside)
            continue;
        const int64_t run_end = runs[i].input + runs[i].bytes;
        const int64_t behind = runs[i].input < first + WINDOW ? first + WINDOW : runs[i].input;
        end = run_end > end ? run_end : end;
        if (run_end > behind && behind < window)
            window = behind;
    }
    return end <= first + 2 * WINDOW ? first + WINDOW : window;
}

/* Whether a run is among the bytes of the two windows, and where; it may begin in the first and end in the second. */
static bool add_to_shuffle(dmlc_shuffle *shuffle, const dmlc_run_of_bytes *run)
{
    const int64_t place = run->output - shuffle->output, from = run->input - shuffle->inputs[0];
    const int64_t first = from >= WINDOW ? 0 : from + run->bytes <= WINDOW ? run->bytes : WINDOW - from;
    const int64_t rest = run->bytes - first, from_second = run->input + first - shuffle->inputs[1];
    if (rest > 0 && (from_second < 0 || from_second + rest > WINDOW))
        return false;
    shuffle->written |= dmlc_bits(place, run->bytes);
    shuffle->read[0] |= dmlc_bits(from, first);
    shuffle->read[1] |= dmlc_bits(from_second, rest);
    for (int64_t byte = 0; byte < run->bytes; ++byte)
        shuffle->index[place + byte] = (uint8_t)(byte < first ? from + byte : WINDOW + from_second + byte - first);
    return true;
}

/* Takes those of a block's runs that are filled, or within two windows from the lowest of them on; the others stay. */
static dmlc_shuffle take_shuffle(dmlc_run_of_bytes *runs, int32_t *count, int64_t at)
{
    dmlc_shuffle shuffle = {.output = at, .inputs = {INT64_MAX}};
    for (int32_t i = 0; i < *count; ++i)
        if (!runs[i].outside && runs[i].input < shuffle.inputs[0])
            shuffle.inputs[0] = runs[i].input;
    if (shuffle.inputs[0] == INT64_MAX)
        shuffle.inputs[0] = 0;
    shuffle.inputs[1] = second_window(runs, *count, shuffle.inputs[0]);
    int32_t left = 0;
    for (int32_t i = 0; i < *count; ++i) {
        if (runs[i].outside) {
            const uint64_t bits = dmlc_bits(runs[i].output - at, runs[i].bytes);
            shuffle.written |= bits;
            shuffle.filled |= bits;
        } else if (!add_to_shuffle(&shuffle, &runs[i])) {
            runs[left++] = runs[i];
        }
    }
    *count = left;
    return shuffle;
}

int32_t dmlc_shuffle_blocks(dmlc_shuffle *shuffles, int32_t most, const dmlc_runs *all, int64_t width)
{
    const dmlc_run_of_bytes *runs = all->list;
    const int32_t run_count = all->count;
    int32_t shuffle_count = 0, next = 0;
    int64_t done = 0; /* bytes of the next run */
    while (next < run_count) {
        const int64_t at = runs[next].output + done;
        dmlc_run_of_bytes block[DMLC_BLOCK_BYTES];
        int32_t count = 0;
        while (next < run_count) {
            const dmlc_run_of_bytes *some = &runs[next];
            const int64_t begin = some->output + done, end = some->output + some->bytes;
            if (begin < at || (some->outside && (begin - at) % width != 0))
                return -1;
            if (begin >= at + DMLC_BLOCK_BYTES)
                break;
            const int64_t cut = end < at + DMLC_BLOCK_BYTES ? end : at + DMLC_BLOCK_BYTES;
            block[count++] = (dmlc_run_of_bytes){begin, some->input + done, cut - begin, some->outside};
            done = cut < end ? cut - some->output : 0;
            if (cut < end)
                break;
            ++next;
        }
        while (count > 0) {
            if (shuffle_count == most)
                return -1;
            shuffles[shuffle_count++] = take_shuffle(block, &count, at);
        }
    }
    return shuffle_count;
}

/* One block from the sources of its bytes, INT64_MIN where they are filled; false where it has too many. */
static bool make_lane(dmlc_lane_shuffle *lane, int64_t at, const int64_t *source, int64_t first, int64_t end)
{
    lane->output = at;
    lane->source_count = 0;
    lane->fills = false;
    memset(lane->index, DMLC_ELSEWHERE, sizeof(lane->index));
    memset(lane->filled, 0, sizeof(lane->filled));
    bool done[DMLC_LANE_BYTES];
    int32_t left = DMLC_LANE_BYTES;
    for (int32_t i = 0; i < DMLC_LANE_BYTES; ++i) {
        done[i] = source[i] == INT64_MIN;
        if (done[i]) {
            lane->filled[i] = 0xFF;
            lane->fills = true;
            --left;
        }
    }
    for (; left > 0; ++lane->source_count) {
        if (lane->source_count == DMLC_LANE_SOURCES)
            return false;
        int64_t window = INT64_MAX;
        for (int32_t i = 0; i < DMLC_LANE_BYTES; ++i)
            if (!done[i] && source[i] < window)
                window = source[i];
        if (window > end - DMLC_LANE_BYTES)
            window = end - DMLC_LANE_BYTES;
        if (window < first)
            return false;
        lane->inputs[lane->source_count] = window;
        for (int32_t i = 0; i < DMLC_LANE_BYTES; ++i) {
            if (done[i] || source[i] < window || source[i] >= window + DMLC_LANE_BYTES)
                continue;
            lane->index[lane->source_count][i] = (uint8_t)(source[i] - window);
            done[i] = true;
            --left;
        }
    }
    return true;
}

/* Blocks follow each other, and the last one ends where the runs do: what it shares with the one before is written twice. */
int32_t dmlc_shuffle_lanes(dmlc_lane_shuffle *lanes, int32_t most, const dmlc_runs *all, int64_t width, int64_t first,
                           int64_t end)
{
    const dmlc_run_of_bytes *runs = all->list;
    const int32_t run_count = all->count;
    int64_t source[DMLC_MOST_LANE_BYTES];
    const int64_t begin = run_count > 0 ? runs[0].output : 0;
    int64_t bytes = 0;
    for (int32_t i = 0; i < run_count; ++i) {
        if (runs[i].output != begin + bytes || bytes + runs[i].bytes > DMLC_MOST_LANE_BYTES)
            return -1;
        for (int64_t byte = 0; byte < runs[i].bytes; ++byte)
            source[bytes++] = runs[i].outside ? INT64_MIN : runs[i].input + byte;
    }
    if (bytes == 0)
        return 0;
    if (bytes < DMLC_LANE_BYTES || (bytes + DMLC_LANE_BYTES - 1) / DMLC_LANE_BYTES > most)
        return -1;
    int32_t count = 0;
    for (int64_t at = 0; at < bytes; at += DMLC_LANE_BYTES) {
        const int64_t from = at + DMLC_LANE_BYTES <= bytes ? at : bytes - DMLC_LANE_BYTES;
        /* The pattern has to begin with an element. */
        if (from % width != 0 || !make_lane(&lanes[count++], begin + from, source + from, first, end))
            return -1;
    }
    return count;
}

double dmlc_lane_cost(const dmlc_lane_shuffle *lane, const dmlc_costs *costs)
{
    return costs->shuffle + (lane->source_count + lane->fills - 1) * costs->source;
}

dmlc_status dmlc_keep_shuffles(dmlc_plan *plan, dmlc_shuffle_list *list, const dmlc_shuffle_sketch *sketch)
{
    const size_t count = (size_t)list->count;
    const size_t bytes = count * (list->wide ? sizeof(*list->of.blocks) : sizeof(*list->of.lanes));
    void *memory = dmlc_plan_memory(plan, bytes);
    if (memory == NULL)
        return DMLC_OUT_OF_MEMORY;
    memcpy(memory, list->wide ? (const void *)sketch->blocks : sketch->lanes, bytes);
    if (list->wide)
        list->of.blocks = memory;
    else
        list->of.lanes = memory;
    return DMLC_OK;
}

/* How many shuffles may cost less than the best way so far does, but no more than `most`. */
static int32_t most_of(double best, double each, int32_t most)
{
    const double some = best / each;
    return some < most ? (int32_t)some : most;
}

static double cost(dmlc_sketch *sketch, double best)
{
    const dmlc_costs *costs = sketch->costs;
    const bool wide = sketch->abilities->block_bytes == DMLC_BLOCK_BYTES;
    if (sketch->abilities->block_bytes == 0 || !dmlc_find_box(sketch, best))
        return (double)INFINITY;
    const dmlc_listing *box = &sketch->box;
    dmlc_shuffle_sketch *made = &sketch->shuffles;
    const double best_box = best / box->boxes - box->call;
    double box_cost = 0;
    made->wide = wide;
    if (wide) {
        made->count = dmlc_shuffle_blocks(made->blocks, most_of(best_box, costs->shuffle, DMLC_MOST_SHUFFLES),
                                          &box->runs, sketch->plan->width);
        box_cost = made->count * costs->shuffle;
    } else {
        made->count = dmlc_shuffle_lanes(made->lanes, most_of(best_box, costs->shuffle, DMLC_MOST_LANES), &box->runs,
                                         sketch->plan->width, box->runs.first, box->runs.end);
        for (int32_t i = 0; i < made->count; ++i)
            box_cost += dmlc_lane_cost(&made->lanes[i], costs);
    }
    return made->count <= 0 ? (double)INFINITY : box->boxes * (box->call + box_cost);
}

static dmlc_status make(dmlc_sketch *sketch)
{
    dmlc_plan *plan = sketch->plan;
    dmlc_shuffles *made = &plan->program.shuffles;
    plan->way = DMLC_SHUFFLES;
    plan->leaf_axes = sketch->box.axes;
    made->box = dmlc_box_of(sketch);
    made->shuffles = (dmlc_shuffle_list){.wide = sketch->shuffles.wide, .count = sketch->shuffles.count};
    return dmlc_keep_shuffles(plan, &made->shuffles, &sketch->shuffles);
}

const dmlc_map_way dmlc_shuffles_way = {cost, make};
