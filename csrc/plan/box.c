/* Boxes: the small inner axes as one list of runs, so that a box costs a kernel its bytes but no loops over rows and axes. To
 * list the runs takes time itself, so a map has to have some boxes. */
#include "plan/planner.h"

/* Whether a row has several pieces and gathers more than it copies: most of what it reads lies apart in the input, or goes down. */
static bool mostly_gathers(const dmlc_row *row)
{
    int64_t gathered = 0, copied = 0;
    for (int32_t i = 0; i < row->piece_count; ++i) {
        const dmlc_piece *piece = &row->pieces[i];
        gathered += piece->operation == DMLC_GATHER ? piece->count * row->chunk : 0;
        copied += piece->operation == DMLC_COPY ? piece->count : 0;
    }
    return row->piece_count > 1 && gathered > copied;
}

/* Whether the rows of a box read from as many places, far from each other, and lines that have a few times as much as they use: box by box,
 * a processor fetches little of that ahead. Of 400 gathers of 2.5 to 24 MB from arrays in another order, NumPy took less than 0.6 of the
 * time of this library for 12 with AVX-512 and 18 with AVX2 without this rule, for 9 and 11 with it. Those that it makes rows took 0.25 of
 * their time as boxes at best, 2.1 at worst. */
static bool reads_rows_apart(const dmlc_sketch *sketch, int32_t axes)
{
    enum { APART = 64 * 1024, LEAST_ROW = 60, FAR_BYTES = 12 * 1024 * 1024 };
    static const double TIMES = 2.5;
    const dmlc_plan *plan = sketch->plan;
    const int32_t last = plan->axis_count - 1;
    bool are_apart = false;
    for (int32_t i = plan->axis_count - axes; i < last; ++i)
        are_apart = are_apart || sketch->distances[i] > APART;
    const double times = (double)dmlc_minimum(sketch->distances[last], DMLC_LINE_BYTES) / (double)plan->chunk;
    return are_apart && dmlc_row_is_gather(&sketch->row) && plan->chunk > 1 && sketch->row_bytes >= LEAST_ROW &&
           times > TIMES && times * (double)(plan->bytes / 2) > FAR_BYTES;
}

/* Whether a box would be a single row that the ways of rows take in less: one that is copied as a whole, or a long one. Of several
 * long rows most is often filled: such boxes took 0.37 to 0.9 of the time of rows, with AVX-512; single rows 1.1 to 1.7 times as
 * long. But those that mostly gather, of 130 to 1,000 bytes, took 0.16 to 0.9 of the time, up to MOST_GATHERED bytes moved; more of them
 * 0.95 to 1.25, and longer ones 0.4 to 2.2. */
static bool is_left_to_rows(const dmlc_sketch *sketch, int32_t axes)
{
    enum { MOST_GATHERED = 48 * 1024 * 1024 };
    const dmlc_row *row = &sketch->row;
    const bool is_long = sketch->dense_row && sketch->row_bytes > sketch->abilities->box_row_bytes;
    const bool gathers =
        sketch->row_bytes <= DMLC_SMALL_BOX_BYTES && sketch->plan->bytes <= MOST_GATHERED && mostly_gathers(row);
    return reads_rows_apart(sketch, axes) || (axes == 1 && (dmlc_row_is_copy(row) || (is_long && !gathers)));
}

/* Long lists take longer than a few boxes do: there are FEWEST boxes of DMLC_SMALL_BOX_BYTES and of FEW_RUNS at least,
 * MANY of more. */
enum { FEW_RUNS = 128, FEWEST = 4, MANY = 32, PAST_CACHE = 16 * 1024 * 1024 };

/* How many of the innermost axes are a box of so many bytes at most; 0 for none. What may go past the cache has small boxes: large ones
 * took 0.7 to 0.9 of the time of other ways by mean in the cache, but up to 2.5 times as long past it. */
static int32_t choose_axes(const dmlc_sketch *sketch, int64_t most_bytes)
{
    const dmlc_plan *plan = sketch->plan;
    const int64_t output_bytes = dmlc_product(plan->bytes / 2, sketch->times, INT64_MAX);
    const int32_t outermost = sketch->times > 1 ? 0 : 1;
    const int64_t few = dmlc_minimum(output_bytes / FEWEST, DMLC_SMALL_BOX_BYTES);
    const int64_t many = plan->bytes < PAST_CACHE ? output_bytes / MANY : 0;
    const int64_t most = dmlc_minimum(dmlc_maximum(few, many), most_bytes);
    int64_t bytes = sketch->row_bytes;
    int32_t outer = plan->axis_count - 1;
    if (outer < outermost || bytes > most || plan->outside)
        return 0;
    for (; outer > outermost && plan->axes[outer - 1].size <= most / bytes; --outer)
        bytes *= plan->axes[outer - 1].size;
    const int32_t axes = plan->axis_count - outer;
    return is_left_to_rows(sketch, axes) ? 0 : axes;
}

double dmlc_elements_inside(const dmlc_axis *axis)
{
    int64_t outside = 0;
    for (int32_t i = 0; i < axis->segment_count; ++i)
        outside += axis->segments[i].outside ? axis->segments[i].size : 0;
    /* An axis that goes round more than once has nothing outside. */
    return (double)(axis->size - outside);
}

bool dmlc_are_long_copies(const dmlc_sketch *sketch)
{
    return dmlc_row_is_copy(&sketch->row) && sketch->row_bytes >= DMLC_LINE_BYTES;
}

/* Beyond the second-level cache, boxes that are shuffled one shuffle after the other write their lines in parts: 2 to 7 copies of rows of
 * 80 to 500 bytes, 8 and 25 MB of them, took 1.5 to 2.3 times as long with AVX-512 as by moves or rows, box by box; in 0.4 MB 0.8 to 1.0
 * of the time. */
bool dmlc_copies_are_far(const dmlc_sketch *sketch)
{
    enum { FAR_BYTES = 6 * 1024 * 1024 };
    return dmlc_are_long_copies(sketch) && sketch->plan->bytes > FAR_BYTES;
}

static void measure_box(dmlc_sketch *sketch)
{
    const dmlc_plan *plan = sketch->plan;
    const dmlc_row *row = &sketch->row;
    dmlc_listing *box = &sketch->box;
    const int32_t outer = plan->axis_count - box->axes;
    double rows = 1;
    int64_t runs = 0;
    box->bytes = plan->chunk;
    for (int32_t i = outer; i < plan->axis_count; ++i) {
        box->bytes *= plan->axes[i].size;
        if (i < plan->axis_count - 1)
            rows *= dmlc_elements_inside(&plan->axes[i]);
    }
    /* A piece's first run may go on with the one before it. */
    for (int32_t i = 0; i < row->piece_count; ++i)
        if (row->pieces[i].operation == DMLC_GATHER || row->pieces[i].operation == DMLC_REPEAT)
            runs += row->pieces[i].count - 1;
    box->boxes = dmlc_leaves(sketch, outer);
    box->call = dmlc_call_cost(sketch, outer);
    box->rest = dmlc_rest_cost(sketch, outer, box->boxes * (double)(box->bytes / plan->chunk));
    box->copied_bytes = rows * dmlc_elements_inside(&plan->axes[plan->axis_count - 1]) * (double)plan->chunk;
    box->copied_runs = rows * (double)runs;
    box->listed = false;
}

static bool list_box(dmlc_sketch *sketch)
{
    return dmlc_runs_of_axes(&sketch->box.runs, &sketch->listing, sketch->plan, sketch->box.axes);
}

bool dmlc_find_box(dmlc_sketch *sketch, int64_t most_bytes, double best, double (*least)(const dmlc_sketch *sketch))
{
    dmlc_listing *box = &sketch->box;
    if (box->axes < 0 || (box->axes > 0 && box->bytes > most_bytes)) {
        box->axes = choose_axes(sketch, most_bytes);
        if (box->axes > 0)
            measure_box(sketch);
    }
    while (box->axes > 0 && !is_left_to_rows(sketch, box->axes)) {
        /* To list a box takes longer than a small tensor's rows do. With fewer axes it would cost no less. */
        if (box->rest + box->boxes * (box->call + least(sketch)) >= best)
            return false;
        if (box->listed)
            return true;
        box->listed = box->copied_runs <= (box->boxes * (double)sketch->times < MANY ? FEW_RUNS : DMLC_MOST_RUNS) &&
                      list_box(sketch);
        if (!box->listed && --box->axes > 0) /* too many runs */
            measure_box(sketch);
    }
    return false;
}

void dmlc_find_box_again(dmlc_sketch *sketch, int32_t axes)
{
    if (sketch->box.axes == axes)
        return;
    sketch->box.axes = axes;
    measure_box(sketch);
    list_box(sketch);
}

/* Boxes are gone through together that read and write so many bytes, which the first-level cache keeps until their lines are whole:
 * as many as write that much alone took 1.0 to 1.6 times as long with AVX2. Far away it is a quarter of them, so that memory is gone
 * through in its order, since stores are fetched ahead only where line follows line: four times as many took 1.0 to 1.8 times as
 * long. With fewer than LEAST_TOGETHER, what is set up for each shuffle took up to 5 times as long. */
enum { NEAR_BYTES = 16 * 1024, FAR_TIMES = 4, LEAST_TOGETHER = 16 };

static int64_t together(int64_t boxes, int64_t most) { return dmlc_minimum(dmlc_maximum(boxes, LEAST_TOGETHER), most); }

bool dmlc_box_is_dense(const dmlc_sketch *sketch)
{
    return dmlc_is_dense(sketch->plan, sketch->plan->axis_count - sketch->box.axes);
}

/* How far boxes lie apart in the input; INT64_MAX where all read the same. */
static int64_t input_distance(const dmlc_sketch *sketch)
{
    const int32_t outer = sketch->plan->axis_count - sketch->box.axes - 1;
    return outer >= 0 ? sketch->distances[outer] : 0;
}

/* How many bytes the lines have that all boxes read. */
static double bytes_read(const dmlc_sketch *sketch)
{
    const dmlc_runs *runs = &sketch->box.runs;
    if (runs->first >= runs->end)
        return 0;
    const int64_t apart = input_distance(sketch), span = runs->end - runs->first;
    const int64_t lines = (int64_t)runs->count * DMLC_LINE_BYTES, read = dmlc_minimum(span, lines);
    return sketch->box.boxes * (double)(apart > 0 ? dmlc_minimum(read, apart) : read);
}

/* Shuffles come back to the lines that a box reads, which pays where the lines are used up; here most of each is not used. Of 140 copies of
 * every second to hundredth element of rows, from 12 to 60 MB, those that this makes rows took 0.53 to 0.9 of the time. */
bool dmlc_boxes_are_sparse(const dmlc_sketch *sketch)
{
    enum { FAR_BYTES = 12 * 1024 * 1024, LEAST_TIMES = 4 };
    const double read = bytes_read(sketch);
    return read > FAR_BYTES && read > LEAST_TIMES * sketch->box.boxes * sketch->box.copied_bytes;
}

double dmlc_times_far(const dmlc_sketch *sketch)
{
    enum { FAR_BYTES = 16 * 1024 * 1024 };
    static const double TIMES = 1.5;
    const bool is_far = sketch->plan->bytes > FAR_BYTES && input_distance(sketch) <= sketch->box.bytes;
    return is_far && !dmlc_is_wide(sketch) && dmlc_row_is_gather(&sketch->row) ? TIMES : 1;
}

/* How many bytes the lines have that a box reads, by mean of where it begins: each run is as if it were a line longer, but for a
 * byte. Boxes read at most so much. */
enum { MOST_READ = 16 * 1024, UNIT = 16 };

static int64_t bytes_of_lines(const dmlc_runs *runs)
{
    bool is_read[(MOST_READ + DMLC_LINE_BYTES) / UNIT] = {false};
    int64_t units = 0;
    for (int32_t i = 0; i < runs->count; ++i) {
        const dmlc_run_of_bytes *run = &runs->list[i];
        const int64_t begin = run->input - runs->first, end = begin + run->bytes + DMLC_LINE_BYTES - 1;
        for (int64_t unit = begin / UNIT; unit < end / UNIT && !run->outside; ++unit) {
            units += !is_read[unit];
            is_read[unit] = true;
        }
    }
    return units * UNIT;
}

/* Shuffles come back to each line that they read, so no more boxes go together than the first-level cache has room for: FEWEST_TOGETHER
 * where they lie nearly whole pages apart in the input, and so share places there; else, where they read from more lines than they fill,
 * as many as have ROOM, but no fewer. On Zen 4 with AVX2, small matrices in others of 4, 8, 12 and 16 KiB, transposed, took 0.36 to 0.4 of
 * the time that they take by sixteens, their rows copied 0.55 to 1.0, by fours or eights 1.0 to 1.1 times as long; a few columns of
 * matrices of 30 to 50 rows, an element to a line, 0.6 to 0.93. What is read whole took up to 1.1 times as long with less than ROOM. With
 * AVX-512, boxes that share places took 0.75 to 0.92 by mean and 0.35 at best, others as long. */
static int64_t most_together(const dmlc_sketch *sketch)
{
    enum { FEWEST_TOGETHER = 6, LEAST_FOR_ONE_PLACE = 8, ROOM = 24 * 1024 };
    const dmlc_runs *runs = &sketch->box.runs;
    const int64_t bytes = sketch->box.bytes, apart = input_distance(sketch), span = runs->end - runs->first;
    if (apart > bytes && dmlc_lines_in_cache(apart, LEAST_TOGETHER, bytes / LEAST_FOR_ONE_PLACE) < LEAST_TOGETHER)
        return FEWEST_TOGETHER;
    if (span <= 2 * bytes || span > MOST_READ || LEAST_TOGETHER * (bytes + span) <= ROOM)
        return INT64_MAX;
    const int64_t fitting = ROOM / (bytes + bytes_of_lines(runs));
    return dmlc_maximum(fitting, FEWEST_TOGETHER);
}

dmlc_box dmlc_box_of(const dmlc_sketch *sketch)
{
    const int64_t bytes = sketch->box.bytes, most = dmlc_minimum(DMLC_BOXES_BYTES / bytes, most_together(sketch));
    const int64_t apart = input_distance(sketch), read = dmlc_minimum(apart, 4 * bytes);
    const int64_t near = NEAR_BYTES / (bytes + read);
    return (dmlc_box){
        .bytes = bytes,
        .together = together(near, most),
        .together_far = together(near / FAR_TIMES, most),
        .dense = dmlc_box_is_dense(sketch),
    };
}

/* From memory, together go as many as read LONG_REACH bytes, or SHORT_REACH where little of that is used, and where they are
 * FETCHED_APART, the next ones are fetched meanwhile. Shuffles and narrow moves come back to the lines of all boxes that go together, an
 * order in which processors fetch little ahead; wide moves go box by box and gained nothing.
 *
 * Of some 600 random layouts with each instruction set, those of 25 MB and more that are fetched, 110, took 0.62 (AVX2) and 0.68
 * (AVX-512) of the time by mean, 150 closer ones 0.91 and 0.84. Whole vectors and moves with gaps between what boxes read took up to 2
 * times as long, and so did what is in the cache; those that go down did, too, before they were read upward. Boxes that leave out more
 * than five lines of nine took 1.08 times as long by mean and 2 at most, those that use less than a MOST_TIMES of more than LONG_REACH
 * up to 1.9, moves closer than lines 1.25. All others that use less, and moves, 80 of 16 to 80 MB, took 0.82 (AVX2) and 0.88 (AVX-512)
 * by mean, 0.3 to 1.4.
 *
 * Shuffles of lanes pass gaps, where the boxes are fetched one by one, GAP_REACH bytes of them together: transposes of 5 to 25 MB, which
 * other images lie between, took 0.55 to 0.8 of the time on Zen 3, 240 random layouts of 1 to 30 MB 0.95 by mean. Four boxes at least,
 * since to set a shuffle up takes as long as two; twice as many bytes gained nothing. Boxes that use less than half of what they read
 * took up to 2.6 times as long. */
void dmlc_box_read_in_order(dmlc_box *box, const dmlc_sketch *sketch, bool passes_gaps)
{
    enum {
        LONG_REACH = 2048,
        SHORT_REACH = 1024,
        GAP_REACH = 3072,
        FETCHED_APART = 300,
        MOST_TIMES = 8,
        FEWEST_PAST_GAPS = 4
    };
    const dmlc_runs *runs = &sketch->box.runs;
    const int64_t apart = input_distance(sketch);
    if (!box->dense || apart < box->bytes || apart <= DMLC_LINE_BYTES || apart > 4 * MOST_READ ||
        runs->first >= runs->end)
        return;
    const int64_t read = runs->end - runs->first, reach = 2 * apart > 5 * box->bytes ? SHORT_REACH : LONG_REACH;
    const bool fetched = apart >= FETCHED_APART, has_gaps = dmlc_reads_with_gaps(apart, read);
    const bool passes = passes_gaps && has_gaps && 2 * box->bytes >= read;
    if (read > apart || read > MOST_READ || (apart > LONG_REACH && apart / MOST_TIMES > box->bytes))
        return;
    const bool leaves_much = (fetched && has_gaps) || 9 * bytes_of_lines(runs) < 4 * apart;
    if (leaves_much && !passes)
        return;
    const int64_t passing = dmlc_minimum(dmlc_maximum(GAP_REACH / read, FEWEST_PAST_GAPS), box->together);
    const int64_t in_order = passes ? passing : apart < reach ? reach / apart : 1;
    box->together_in_memory = dmlc_minimum(in_order, DMLC_BOX_BYTES / box->bytes);
    box->apart = apart;
    box->fetched_begin = fetched ? runs->first : 0;
    box->fetched_end = fetched ? runs->end : 0;
}
