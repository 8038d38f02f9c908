/* Boxes: small inner axes as one list of moves, so that what is repeated over the outer axes costs neither a row nor an
 * axis. Listed run by run of bytes, hence only where it is gone through many times. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BOX_BYTES = 1024, MOST_ROW_BYTES = 128, MOST_CHUNKS = 128, FEWEST_BOXES = 4, MOST_PARTS = 24 };

/* Bytes that follow each other on both sides. */
typedef struct run {
    int64_t output, input, bytes;
    bool outside;
} run;

typedef struct listing {
    int64_t chunk;
    int32_t count;
    run runs[MOST_CHUNKS]; /* each chunk may be one of its own */
} listing;

static void list_chunk(listing *list, int64_t output, int64_t input, bool outside)
{
    if (list->count > 0) {
        run *last = &list->runs[list->count - 1];
        if (last->outside == outside && last->output + last->bytes == output &&
            (outside || last->input + last->bytes == input)) {
            last->bytes += list->chunk;
            return;
        }
    }
    list->runs[list->count++] = (run){output, outside ? 0 : input, list->chunk, outside};
}

static void list_axes(listing *list, const dmlc_plan *plan, int32_t axis, int64_t output, int64_t input, bool outside)
{
    if (axis == plan->axis_count) {
        list_chunk(list, output, input, outside);
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

/* Runs as moves of the widest that fits, 1 to 16 bytes, the last of a run overlapping the one before it. All begin with
 * an element where they fill, so each reads the pattern from its start. places[kind] is where the next of a kind belongs
 * and moves on; where there are no `moves`, they are but counted. */
static void list_moves(const listing *list, int32_t *places, dmlc_box_move *moves)
{
    for (int32_t i = 0; i < list->count; ++i) {
        const run *some = &list->runs[i];
        int32_t place = DMLC_MOVE_WIDTHS - 1;
        while (INT64_C(1) << place > some->bytes)
            --place;
        const int64_t width = INT64_C(1) << place;
        const int32_t kind = (some->outside ? DMLC_MOVE_WIDTHS : 0) + place;
        for (int64_t at = 0; at < some->bytes; at += width) {
            const int64_t from = at + width <= some->bytes ? at : some->bytes - width;
            const int32_t to = places[kind]++;
            if (moves != NULL)
                moves[to] = (dmlc_box_move){some->output + from, some->outside ? 0 : some->input + from};
        }
    }
}

/* Takes those of a block's runs that are filled, or within a window from the lowest of them on; the others stay. */
static dmlc_box_part take_part(run *runs, int32_t *count, int64_t at)
{
    dmlc_box_part part = {.output = at, .input = INT64_MAX};
    for (int32_t i = 0; i < *count; ++i)
        if (!runs[i].outside && runs[i].input < part.input)
            part.input = runs[i].input;
    int32_t left = 0;
    for (int32_t i = 0; i < *count; ++i) {
        const int64_t place = runs[i].output - at, from = runs[i].input - part.input, bytes = runs[i].bytes;
        if (!runs[i].outside && from + bytes > DMLC_WINDOW_BYTES) {
            runs[left++] = runs[i];
            continue;
        }
        part.written |= dmlc_bits(place, bytes);
        if (runs[i].outside) {
            part.filled |= dmlc_bits(place, bytes);
            continue;
        }
        part.read[0] |= dmlc_bits(from, bytes);
        part.read[1] |= dmlc_bits(from - 64, bytes);
        for (int64_t byte = 0; byte < bytes; ++byte)
            part.index[place + byte] = (uint8_t)(from + byte);
    }
    *count = left;
    if (part.input == INT64_MAX)
        part.input = 0;
    return part;
}

/* A box as parts; 0 where there would be too many, or where what is filled is not in phase with the pattern. */
static int32_t make_parts(const listing *list, int64_t width, int32_t most, dmlc_box_part *parts)
{
    int32_t part_count = 0, next = 0;
    int64_t done = 0; /* bytes of the next run */
    while (next < list->count) {
        const int64_t at = list->runs[next].output + done;
        run block[DMLC_BLOCK_BYTES];
        int32_t count = 0;
        while (next < list->count) {
            const run *some = &list->runs[next];
            const int64_t begin = some->output + done, end = some->output + some->bytes;
            if (begin < at || (some->outside && (begin - at) % width != 0))
                return 0;
            if (begin >= at + DMLC_BLOCK_BYTES)
                break;
            const int64_t cut = end < at + DMLC_BLOCK_BYTES ? end : at + DMLC_BLOCK_BYTES;
            block[count++] = (run){begin, some->input + done, cut - begin, some->outside};
            done = cut < end ? cut - some->output : 0;
            if (cut < end)
                break;
            ++next;
        }
        while (count > 0) {
            if (part_count == most)
                return 0;
            parts[part_count++] = take_part(block, &count, at);
        }
    }
    return part_count;
}

/* How many of the innermost axes are a box; 0 for none. */
static int32_t choose_axes(const dmlc_plan *plan)
{
    const dmlc_row *row = &plan->program.row;
    const int64_t chunk = row->chunk, output_bytes = plan->bytes / 2;
    const int64_t room = MOST_CHUNKS * chunk < MOST_BOX_BYTES ? MOST_CHUNKS * chunk : MOST_BOX_BYTES;
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

/* What a box takes as rows, and in the best way known. */
typedef struct box_costs {
    double rows, best;
} box_costs;

/* The box of so many axes, if it is quicker than the best way known. */
static dmlc_status make_box(dmlc_plan *plan, int32_t axes, const listing *list, int64_t bytes, box_costs costs)
{
    const int32_t outer = plan->axis_count - axes;
    dmlc_box_part parts[MOST_PARTS];
    int32_t counts[2 * DMLC_MOVE_WIDTHS] = {0}, places[2 * DMLC_MOVE_WIDTHS], move_count = 0;
    list_moves(list, counts, NULL);
    for (int32_t kind = 0; kind < 2 * DMLC_MOVE_WIDTHS; move_count += counts[kind++])
        places[kind] = move_count;
    const double moves_cost = move_count * DMLC_MOVE_COST;
    const double most_parts = (moves_cost < costs.best ? moves_cost : costs.best) / DMLC_PART_COST;
    const int32_t part_count =
        make_parts(list, plan->width, most_parts < MOST_PARTS ? (int32_t)most_parts : MOST_PARTS, parts);
    if (part_count == 0 && moves_cost >= costs.best)
        return DMLC_OK;
    const size_t part_bytes = (size_t)part_count * sizeof(*parts);
    dmlc_box *box = malloc(sizeof(*box) + part_bytes + (size_t)move_count * sizeof(dmlc_box_move));
    if (box == NULL)
        return DMLC_OUT_OF_MEMORY;
    box->axes = axes;
    box->bytes = bytes;
    box->together = DMLC_BOXES_BYTES / bytes;
    box->dense = outer >= plan->dense_from;
    box->by_moves = moves_cost < costs.rows;
    box->cost = part_count > 0 ? part_count * DMLC_PART_COST : moves_cost;
    box->part_count = part_count;
    memcpy(box->parts, parts, part_bytes);
    memcpy(box->move_counts, counts, sizeof(counts));
    list_moves(list, places, dmlc_box_moves(box));
    plan->box = box;
    return DMLC_OK;
}

dmlc_status dmlc_plan_box(dmlc_plan *plan, double cost_of_rows)
{
    const int32_t axes = choose_axes(plan);
    if (axes == 0)
        return DMLC_OK;
    int64_t bytes = plan->program.row.chunk;
    for (int32_t i = plan->axis_count - axes; i < plan->axis_count; ++i)
        bytes *= plan->axes[i].size;
    const double boxes = dmlc_map_elements(plan) * (double)plan->program.row.chunk / (double)bytes;
    const double call = DMLC_CALL_COST / (double)plan->axes[plan->axis_count - axes - 1].size;
    const box_costs costs = {cost_of_rows / boxes - call, plan->cost / boxes - call};
    if (costs.best < DMLC_MOVE_COST)
        return DMLC_OK;
    listing list;
    list.chunk = plan->program.row.chunk;
    list.count = 0;
    list_axes(&list, plan, plan->axis_count - axes, 0, 0, false);
    const dmlc_status status = make_box(plan, axes, &list, bytes, costs);
    if (plan->box != NULL)
        plan->cost = boxes * (call + plan->box->cost);
    return status;
}
