/* Shuffles that make what a list of runs says, a block of the output at a time, whatever it is made of. */
#include "plan/planner.h"

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
