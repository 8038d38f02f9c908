/* Boxes as shuffles: a block of the output at a time, whatever it is made of. */
#include "plan/planner.h"

#include <math.h>
#include <string.h>

enum { WINDOW = 64 };

/* The bytes that a block's runs read, and those that it may read besides. */
typedef struct reads {
    int64_t low, end, first, last;
} reads;

static reads reads_of(const dmlc_run_of_bytes *runs, int32_t count, int64_t first, int64_t last)
{
    reads all = {INT64_MAX, INT64_MIN, first, last};
    for (int32_t i = 0; i < count; ++i) {
        if (runs[i].outside)
            continue;
        all.low = dmlc_minimum(runs[i].input, all.low);
        all.end = dmlc_maximum(runs[i].input + runs[i].bytes, all.end);
    }
    return all;
}

/* So many bytes from the window on where these may be read, else the last that may be. */
static int64_t readable(const reads *all, int64_t window, int64_t bytes)
{
    const int64_t latest = all->last - bytes;
    return window > latest && latest >= all->first ? latest : window;
}

/* Two windows, side by side where that is enough, which is cheaper, else the second at the lowest byte that is read behind the
 * first one. */
static void choose_windows(dmlc_shuffle *shuffle, const dmlc_run_of_bytes *runs, int32_t count, const reads *all)
{
    int64_t *inputs = shuffle->inputs;
    if (all->end <= all->low) { /* nothing is read */
        inputs[0] = 0;
        inputs[1] = WINDOW;
        return;
    }
    const int64_t behind = all->low + WINDOW;
    if (all->end <= behind) {
        inputs[0] = readable(all, all->low, WINDOW);
        inputs[1] = inputs[0] + WINDOW;
    } else if (all->end <= behind + WINDOW) {
        inputs[0] = readable(all, all->low, 2 * WINDOW);
        inputs[1] = inputs[0] + WINDOW;
    } else {
        int64_t second = INT64_MAX;
        for (int32_t i = 0; i < count; ++i) {
            const int64_t from = dmlc_maximum(runs[i].input, behind);
            if (!runs[i].outside && runs[i].input + runs[i].bytes > from && from < second)
                second = from;
        }
        inputs[0] = all->low;
        inputs[1] = readable(all, second, WINDOW);
    }
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
    uint8_t *index = shuffle->index + place;
    for (int64_t byte = 0; byte < first; ++byte)
        index[byte] = (uint8_t)(from + byte);
    for (int64_t byte = 0; byte < rest; ++byte)
        index[first + byte] = (uint8_t)(WINDOW + from_second + byte);
    return true;
}

/* Takes those of a block's runs that are filled, or within two windows from the lowest of them on; the others stay. */
static void take_shuffle(dmlc_shuffle *shuffle, dmlc_run_of_bytes *runs, int32_t *count, int64_t at, int64_t first,
                         int64_t last)
{
    shuffle->output = at;
    shuffle->read[0] = shuffle->read[1] = shuffle->written = shuffle->filled = 0;
    memset(shuffle->index, 0, sizeof(shuffle->index));
    const reads all = reads_of(runs, *count, first, last);
    choose_windows(shuffle, runs, *count, &all);
    int32_t left = 0;
    for (int32_t i = 0; i < *count; ++i) {
        if (runs[i].outside) {
            const uint64_t bits = dmlc_bits(runs[i].output - at, runs[i].bytes);
            shuffle->written |= bits;
            shuffle->filled |= bits;
        } else if (!add_to_shuffle(shuffle, &runs[i])) {
            runs[left++] = runs[i];
        }
    }
    *count = left;
    /* What is read at all is read whole where it may be. */
    for (int s = 0; s < 2; ++s)
        if (shuffle->read[s] != 0 && shuffle->inputs[s] <= last - WINDOW)
            shuffle->read[s] = ~UINT64_C(0);
}

int32_t dmlc_shuffle_blocks(dmlc_shuffle *shuffles, int32_t most, const dmlc_runs *all, int64_t width, int64_t first,
                            int64_t last)
{
    const dmlc_run_of_bytes *runs = all->list;
    const int32_t run_count = all->count;
    int32_t shuffle_count = 0, next = 0;
    int64_t done = 0; /* bytes of the next run */
    int64_t left = 0; /* bytes to come */
    for (int32_t i = 0; i < run_count; ++i)
        left += runs[i].bytes;
    while (next < run_count) {
        /* Even if a block each were enough for the rest. */
        if (shuffle_count + (left + DMLC_BLOCK_BYTES - 1) / DMLC_BLOCK_BYTES > most)
            return -1;
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
            const int64_t cut = dmlc_minimum(end, at + DMLC_BLOCK_BYTES);
            block[count++] = (dmlc_run_of_bytes){begin, some->input + done, cut - begin, some->outside};
            left -= cut - begin;
            done = cut < end ? cut - some->output : 0;
            if (cut < end)
                break;
            ++next;
        }
        while (count > 0) {
            if (shuffle_count == most)
                return -1;
            take_shuffle(&shuffles[shuffle_count++], block, &count, at, first, last);
        }
    }
    return shuffle_count;
}

/* Bytes of a lane that follow each other in the input too. */
typedef struct part {
    int64_t place, input, bytes;
} part;

/* What a lane reads, its fills being noted at once; returns how many parts. `run` is the one that its first byte is of. */
static int32_t list_parts(part *parts, dmlc_lane_shuffle *lane, const dmlc_run_of_bytes *run)
{
    int32_t count = 0;
    for (int64_t place = 0; place < DMLC_LANE_BYTES; ++run) {
        const int64_t done = lane->output + place - run->output, left = DMLC_LANE_BYTES - place;
        const int64_t bytes = dmlc_minimum(run->bytes - done, left);
        if (run->outside) {
            memset(lane->filled + place, 0xFF, (size_t)bytes);
            lane->fills = true;
        } else {
            parts[count++] = (part){place, run->input + done, bytes};
        }
        place += bytes;
    }
    return count;
}

/* Takes those parts, or what of them begins in it, that lie in the window of 16 bytes; returns how many are left. */
static int32_t take_parts(part *parts, int32_t count, int64_t window, uint8_t *index)
{
    int32_t left = 0;
    for (int32_t i = 0; i < count; ++i) {
        part some = parts[i];
        while (some.bytes > 0 && some.input < window + DMLC_LANE_BYTES) {
            index[some.place++] = (uint8_t)(some.input++ - window);
            --some.bytes;
        }
        if (some.bytes > 0)
            parts[left++] = some;
    }
    return left;
}

/* The lane from byte `at` on; false where it has too many sources. */
static bool make_lane(dmlc_lane_shuffle *lane, int64_t at, const dmlc_run_of_bytes *run, int64_t first, int64_t end)
{
    part parts[DMLC_LANE_BYTES];
    lane->output = at;
    lane->source_count = 0;
    lane->fills = false;
    memset(lane->index, DMLC_ELSEWHERE, sizeof(lane->index));
    memset(lane->filled, 0, sizeof(lane->filled));
    for (int32_t left = list_parts(parts, lane, run); left > 0; ++lane->source_count) {
        if (lane->source_count == DMLC_LANE_SOURCES)
            return false;
        int64_t window = end - DMLC_LANE_BYTES;
        for (int32_t i = 0; i < left; ++i)
            window = dmlc_minimum(parts[i].input, window);
        if (window < first)
            return false;
        lane->inputs[lane->source_count] = window;
        left = take_parts(parts, left, window, lane->index[lane->source_count]);
    }
    return true;
}

double dmlc_lane_cost(const dmlc_lane_shuffle *lane, const dmlc_costs *costs)
{
    return costs->shuffle + (lane->source_count + lane->fills - 1) * costs->source;
}

/* Blocks follow each other, and the last one ends where the runs do: what it shares with the one before is written twice. */
int32_t dmlc_shuffle_lanes(dmlc_lane_shuffle *lanes, const dmlc_costs *costs, double most, const dmlc_runs *all,
                           int64_t width, int64_t first, int64_t end)
{
    const dmlc_run_of_bytes *run = all->list;
    const int64_t begin = all->count > 0 ? run->output : 0;
    int64_t bytes = 0;
    for (int32_t i = 0; i < all->count; ++i) {
        if (run[i].output != begin + bytes || bytes + run[i].bytes > DMLC_LANES_BOX_BYTES)
            return -1;
        bytes += run[i].bytes;
    }
    if (bytes == 0)
        return 0;
    if (bytes < DMLC_LANE_BYTES)
        return -1;
    int32_t count = 0;
    /* As if all were of one source. */
    double cost = (double)((bytes + DMLC_LANE_BYTES - 1) / DMLC_LANE_BYTES) * costs->shuffle;
    for (int64_t at = 0; at < bytes && cost <= most; at += DMLC_LANE_BYTES) {
        const int64_t from = at + DMLC_LANE_BYTES <= bytes ? at : bytes - DMLC_LANE_BYTES;
        while (run->output + run->bytes <= begin + from)
            ++run;
        /* The pattern has to begin with an element. */
        if (from % width != 0 || !make_lane(&lanes[count], begin + from, run, first, end))
            return -1;
        cost += dmlc_lane_cost(&lanes[count++], costs) - costs->shuffle;
    }
    return cost <= most ? count : -1;
}

dmlc_status dmlc_keep_shuffles(dmlc_plan *plan, dmlc_shuffle_list *list, const void *shuffles)
{
    const size_t count = (size_t)list->count;
    const size_t bytes = count * (list->wide ? sizeof(*list->of.blocks) : sizeof(*list->of.lanes));
    void *memory = dmlc_plan_memory(plan, bytes);
    if (memory == NULL)
        return DMLC_OUT_OF_MEMORY;
    memcpy(memory, shuffles, bytes);
    if (list->wide)
        list->of.blocks = memory;
    else
        list->of.lanes = memory;
    return DMLC_OK;
}

/* The fewest vectors of the input that a full block is made of. It has at least one whole part of the output, half as long, that begins
 * with a row: as many elements of each of the innermost axes as that holds. No vector has two chunks that begin `far` bytes apart. What was
 * counted reaches over `span` bytes, and its vectors begin `gap` apart at least; an axis whose elements would fall among them is left
 * out. */
static int64_t fewest_sources(const dmlc_sketch *sketch)
{
    const dmlc_plan *plan = sketch->plan;
    const int64_t block = sketch->abilities->block_bytes, far = block + plan->chunk - 1;
    if (!dmlc_box_is_dense(sketch) || sketch->box.copied_bytes < (double)sketch->box.bytes)
        return 1;
    int64_t sources = 1, span = 0, gap = INT64_MAX, left = block / 2 / plan->chunk;
    for (int32_t i = plan->axis_count - 1; i >= plan->axis_count - sketch->box.axes && left > 1; --i) {
        const int64_t size = dmlc_minimum(plan->axes[i].size, left), distance = sketch->distances[i];
        left /= size;
        if (!dmlc_axis_is_plain(&plan->axes[i]) || distance > INT32_MAX)
            continue;
        const int64_t reach = (size - 1) * distance;
        if (distance >= span + far) {
            sources *= size;
            gap = dmlc_minimum(gap, distance - span);
        } else if (reach <= gap - far) {
            sources *= (size - 1) / ((far - 1) / distance + 1) + 1;
            gap = dmlc_minimum(gap - reach, distance);
        } else {
            continue;
        }
        span += reach;
    }
    return sources;
}

/* All blocks full, each from as few sources as it can have. As if each had one, plans for transposes of five small axes took 1.2 times as
 * long: boxes were listed and shuffled to be given up. */
static double least(const dmlc_sketch *sketch)
{
    const dmlc_costs *costs = sketch->costs;
    const int64_t bytes = sketch->box.bytes, block = sketch->abilities->block_bytes, sources = fewest_sources(sketch);
    const double full = dmlc_is_wide(sketch) ? (double)((sources + 1) / 2) * costs->shuffle
                                             : costs->shuffle + (double)(sources - 1) * costs->source;
    return (double)(bytes / block) * full + (double)(bytes % block) / (double)block * costs->shuffle;
}

/* Of what comes from memory, blocks that are not whole are loaded with masks, from which the processor fetches nothing ahead,
 * see the kernels. Rows of 18 to 40 bytes then took twice as long as by permutations, which fetch; for longer rows, each way has
 * masks. What is written with masks between other bytes took 1.4 to 1.8 times as long as by stores, and chunks that lie apart 2 to 3
 * times as long as one by one, in rows of 70 to 400 bytes in 29 to 48 MB. */
static const double NOT_FETCHED = 1.9, NOT_FETCHED_APART = 4;

/* Bytes that a run touches: of the input what is moved, and of an output that lies apart whole cache lines, since these are read before
 * they are written. */
static double bytes_touched(const dmlc_sketch *sketch)
{
    const dmlc_plan *plan = sketch->plan;
    const double span = (double)plan->axes[0].size * (double)plan->axes[0].output_step,
                 lines = DMLC_LINE_BYTES * sketch->elements;
    return dmlc_box_is_dense(sketch) ? (double)plan->bytes : (double)plan->bytes / 2 + (span < lines ? span : lines);
}

/* A shuffle is longer than what it moves, and each box reads all of them anew, which takes longest in boxes of many rows that are copies.
 * On Zen 4, 20 KB to 4 MB of rows of 80 to 2,000 bytes, so many as make boxes of 2 to 2.9 KB, took 0.96 to 0.99 of the time by rows by
 * mean, of 2.9 to 4 KB 0.91 to 0.95, 0.61 at best; smaller boxes up to 1.6 times as long, and so did boxes of three axes, which rows take
 * a few at a time. */
static double times_many(const dmlc_sketch *sketch)
{
    enum { MOST_BYTES = 2 * 1024 };
    const bool are_many = dmlc_row_is_copy(&sketch->row) && sketch->box.axes == 2 && sketch->box.bytes > MOST_BYTES;
    return are_many ? sketch->costs->many_shuffles : 1;
}

static double times_from_memory(const dmlc_sketch *sketch)
{
    enum { FROM_MEMORY = 24 * 1024 * 1024 };
    if (dmlc_copies_are_far(sketch))
        return 2;
    if ((sketch->dense_row && sketch->row_bytes > DMLC_BLOCK_BYTES) || bytes_touched(sketch) < FROM_MEMORY)
        return 1;
    for (int32_t i = 0; i < sketch->shuffle_count; ++i)
        if (sketch->shuffles.blocks[i].written != ~UINT64_C(0))
            return sketch->dense_row ? NOT_FETCHED : NOT_FETCHED_APART;
    return 1;
}

/* Of a box' blocks, or lanes, of which sketch->shuffle_count is negative where they do not fit or cost more than `most`. */
static double blocks_cost(dmlc_sketch *sketch, double most)
{
    const dmlc_runs *runs = &sketch->box.runs;
    const double one = sketch->costs->shuffle, count = most / one;
    const int32_t fitting = count < DMLC_MOST_SHUFFLES ? (int32_t)count : DMLC_MOST_SHUFFLES;
    sketch->shuffle_count =
        dmlc_shuffle_blocks(sketch->shuffles.blocks, fitting, runs, sketch->plan->width, runs->first, runs->end);
    return sketch->shuffle_count * one * times_from_memory(sketch) * times_many(sketch);
}

/* How many times as long lanes take in boxes whose rows are copies, of which those that go together do not stay in the first-level cache
 * until their lines are whole. On Zen 3, two to nine planes of rows of 100 to 280 bytes as one took 1.1 to 1.5 times as long as by rows in
 * 0.2 to 3 MB, 1.5 to 2.8 times in 13 to 24 MB. Smaller boxes took 0.5 to 0.9 of the time in the cache; what moves more goes past it box by
 * box, which took half as long as rows where it is reversed. Boxes with borders took up to 1.4 times as long by rows.
 *
 * Boxes of more than two axes may be larger, since without them rows, or boxes of fewer axes, go by calls of a few rows each. Two by two
 * rows of 240 bytes took, on Zen 4, 0.44 of the time as one box that they took by boxes of two rows, and by rows 0.55. */
static double times_crowded(const dmlc_sketch *sketch)
{
    enum { MOST_BYTES = 1024, MOST_BYTES_OF_AXES = 3 * 1024, PAST_CACHE_BYTES = 24 * 1024 * 1024 };
    const double moved = (double)sketch->box.bytes + sketch->box.copied_bytes;
    const bool is_crowded = moved > (sketch->box.axes > 2 ? MOST_BYTES_OF_AXES : MOST_BYTES);
    return is_crowded && dmlc_row_is_copy(&sketch->row) && sketch->plan->bytes <= PAST_CACHE_BYTES ? 1.5 : 1;
}

static double lanes_cost(dmlc_sketch *sketch, double most)
{
    const dmlc_runs *runs = &sketch->box.runs;
    double cost = 0;
    sketch->shuffle_count = dmlc_shuffle_lanes(sketch->shuffles.lanes, sketch->costs, most, runs, sketch->plan->width,
                                               runs->first, runs->end);
    for (int32_t i = 0; i < sketch->shuffle_count; ++i)
        cost += dmlc_lane_cost(&sketch->shuffles.lanes[i], sketch->costs);
    return cost * times_crowded(sketch) * dmlc_times_far(sketch);
}

/* With the largest box of so many bytes at most. */
static double cost_within(dmlc_sketch *sketch, int64_t most_bytes, double best)
{
    if (!dmlc_find_box(sketch, most_bytes, best, least) || dmlc_boxes_are_sparse(sketch))
        return (double)INFINITY;
    const dmlc_listing *box = &sketch->box;
    const double most = (best - box->rest) / box->boxes - box->call;
    const double cost = dmlc_is_wide(sketch) ? blocks_cost(sketch, most) : lanes_cost(sketch, most);
    return sketch->shuffle_count <= 0 ? (double)INFINITY : box->rest + box->boxes * (box->call + cost);
}

static double cost(dmlc_sketch *sketch, double best)
{
    if (sketch->abilities->block_bytes == 0)
        return (double)INFINITY;
    double cost = cost_within(sketch, dmlc_is_wide(sketch) ? DMLC_BOX_BYTES : DMLC_LANES_BOX_BYTES, best);
    /* What a block of a box reads may be too far apart, but not in a smaller box. */
    while (cost >= best && sketch->box.axes > 1)
        cost = cost_within(sketch, sketch->box.bytes - 1, best);
    return cost;
}

static dmlc_status make(dmlc_sketch *sketch)
{
    dmlc_plan *plan = sketch->plan;
    dmlc_shuffles *made = &plan->program.shuffles;
    plan->way = DMLC_SHUFFLES;
    plan->leaf_axes = sketch->box.axes;
    made->box = dmlc_box_of(sketch);
    dmlc_box_read_in_order(&made->box, sketch, !dmlc_is_wide(sketch));
    made->shuffles = (dmlc_shuffle_list){.wide = dmlc_is_wide(sketch), .count = sketch->shuffle_count};
    return dmlc_keep_shuffles(plan, &made->shuffles, &sketch->shuffles);
}

const dmlc_map_way dmlc_shuffles_way = {cost, make, NULL};
