/* Leaves of what lies apart in the input and stands several times in the output, or within a border: their core is gathered once, into its
 * place in the output, and the leaf grows from there axis by axis, the innermost first, by copies within the output. Where all else is
 * outside, that is filled before.
 *
 *     input  a.b.   ->   core   |.......|   ->   grown   |.......|   ->   grown   |dcdcdcd|
 *            c.d.               |..ab...|                |bababab|                |bababab|
 *                               |..cd...|                |dcdcdcd|                |dcdcdcd|
 *                               |.......|                |.......|                |bababab|
 *
 * As packed.c does, but without a stage, so that a leaf may read more than one holds; where both fit, the cheaper is taken. On Zen 4,
 * planes of a batch of 16x3x224x224 floats as pixels inside a reflected border took 0.50 of the time, of 3x1080x1920 bytes 0.68, on one
 * thread and on two. Of random pads and repeats of arrays of 64 KB to 4 MB that lie apart, NumPy was ahead of 50 and 40 of some 1,800
 * (AVX2, AVX-512) where it was of 76 and 63. Leaves that read up to 512 KB gained as much. To grow the whole output from one core, plan
 * after plan, took 0.9 of the time by mean on one thread, and on two up to six times as long: each thread went on from what the other had
 * written. */
#include "plan/planner.h"

#include <math.h>

/* Elements [begin, begin + size) of an axis that are read from the input: among them is each element that the axis reads, once, in their
 * order or from the last one to the first. It is the whole axis where nothing is read twice or outside, or no such stretch is found. */
typedef struct core {
    int64_t begin, size;
    bool is_filled; /* the others are outside */
    bool grows;     /* they read the same elements again */
    bool is_back;
    dmlc_axis_reads reads;
} core;

/* Kernels that load whole vectors wait for what was just stored there: boxes of 6 bytes, each read from the 3 before it, took ten times as
 * long as from elsewhere. */
static bool is_near(const dmlc_axis *axis, int64_t size)
{
    enum { LEAST_BYTES = 128 };
    return size * axis->output_step < LEAST_BYTES;
}

static core find_core(const dmlc_axis *axis)
{
    enum { MOST_RUNS = 4 };
    core found = {.size = axis->size};
    const bool is_read_once = dmlc_axis_is_plain(axis) && axis->segments[0].step != 0;
    if (is_read_once || !dmlc_find_reads(axis, &found.reads))
        return found;
    int64_t position = 0;
    for (int32_t i = 0; i < MOST_RUNS && position < axis->size; ++i) {
        const dmlc_segment run = dmlc_axis_run(axis, position, axis->size);
        const int64_t size = run.step == 0 ? 1 : run.size;
        if (!run.outside && size == found.reads.count) {
            const bool is_filled = axis->cycle == axis->size && dmlc_elements_inside(axis) == (double)size;
            if (!is_filled && is_near(axis, size))
                return found;
            found.begin = position;
            found.size = size;
            found.is_filled = is_filled;
            found.grows = !is_filled && size < axis->size;
            found.is_back = run.step < 0;
            return found;
        }
        position += run.size;
    }
    return found;
}

static void begin(dmlc_draft *draft, const dmlc_draft *of)
{
    dmlc_draft_begin(draft, of->kernels, of->width);
    draft->is_part = true;
    draft->times = of->times;
    draft->outside_value = of->outside_value;
}

static void add_plain(dmlc_draft *draft, int64_t size, int64_t output_step, int64_t input_step)
{
    dmlc_axis_add(dmlc_draft_add_axis(draft, size, output_step), size, 0, input_step, false);
}

/* Makes a plan of the draft, to which the leaf's chunk is added as an axis of elements, and appends it. */
static dmlc_status append(dmlc_grown *grown, dmlc_draft *draft, int64_t chunk)
{
    add_plain(draft, chunk / draft->width, draft->width, draft->width);
    const dmlc_status status = dmlc_plan_map(&grown->plans[grown->count], draft);
    grown->count += status == DMLC_OK;
    return status;
}

static dmlc_status fill(dmlc_grown *grown, const dmlc_draft *of)
{
    dmlc_draft draft;
    begin(&draft, of);
    draft.outside = true;
    for (int32_t i = 0; i < of->axis_count; ++i)
        add_plain(&draft, of->axes[i].size, of->axes[i].output_step, of->axes[i].output_step);
    return append(grown, &draft, of->chunk);
}

static dmlc_status read_core(dmlc_grown *grown, const dmlc_draft *of, const core *cores)
{
    dmlc_draft draft;
    begin(&draft, of);
    for (int32_t i = 0; i < of->axis_count; ++i) {
        const dmlc_axis *axis = &of->axes[i];
        const core *here = &cores[i];
        if (!here->grows && !here->is_filled) {
            draft.axes[draft.axis_count++] = *axis;
            continue;
        }
        const dmlc_segment run = dmlc_axis_run(axis, here->begin, here->begin + here->size);
        draft.output_offset += here->begin * axis->output_step;
        draft.input_offset += run.offset;
        add_plain(&draft, here->size, axis->output_step, run.step);
    }
    return append(grown, &draft, of->chunk);
}

/* What it takes besides to come back to lines of the output, for some elements of an axis: to both ends of each run. */
static double lines_cost(const dmlc_draft *of, const core *cores, int32_t axis)
{
    static const double LINE = 0.5, ENDS = 2;
    double runs = 1;
    for (int32_t i = 0; i < axis; ++i)
        runs *= (double)cores[i].size;
    const double apart = axis > 0 ? (double)of->axes[axis - 1].output_step / DMLC_LINE_BYTES : 0;
    return runs * (apart < ENDS ? apart : ENDS) * LINE;
}

/* Elements [from, to) of one axis, read from its core: of the axes outside it the cores, of those inside it all. */
static dmlc_status grow(dmlc_grown *grown, const dmlc_draft *of, const core *cores, int32_t axis, int64_t from,
                        int64_t to)
{
    if (from == to)
        return DMLC_OK;
    dmlc_draft draft;
    begin(&draft, of);
    for (int32_t i = 0; i < of->axis_count; ++i) {
        const core *here = &cores[i];
        dmlc_axis part = of->axes[i];
        const int64_t step = part.output_step, first = i < axis ? here->begin : 0;
        if (i != axis) {
            draft.output_offset += first * step;
            draft.input_offset += first * step;
            add_plain(&draft, i < axis ? here->size : part.size, step, step);
            continue;
        }
        part.size = to - from;
        part.phase = dmlc_axis_place(&part, from);
        draft.output_offset += from * step;
        draft.input_offset += (here->is_back ? here->begin + here->size - 1 : here->begin) * step;
        dmlc_draft_add_reread(&draft, &part, &here->reads, here->is_back ? -step : step);
    }
    const dmlc_status status = append(grown, &draft, of->chunk);
    if (status == DMLC_OK)
        grown->plans[grown->count - 1]->cost += lines_cost(of, cores, axis);
    return status;
}

static dmlc_status make_plans(dmlc_grown *grown, const dmlc_draft *of, const core *cores)
{
    bool is_filled = false;
    for (int32_t i = 0; i < of->axis_count; ++i)
        is_filled = is_filled || cores[i].is_filled;
    dmlc_status status = is_filled ? fill(grown, of) : DMLC_OK;
    if (status == DMLC_OK)
        status = read_core(grown, of, cores);
    grown->from_input = grown->count;
    for (int32_t i = of->axis_count - 1; i >= 0 && status == DMLC_OK; --i) {
        if (!cores[i].grows)
            continue;
        const int64_t end = cores[i].begin + cores[i].size, size = of->axes[i].size;
        status = grow(grown, of, cores, i, 0, cores[i].begin);
        if (status == DMLC_OK)
            status = grow(grown, of, cores, i, end, size);
    }
    return status;
}

/* The cores of a leaf's axes; false where there are none, or too many for the plans that they need. */
static bool find_cores(core *cores, const dmlc_draft *of)
{
    int32_t plans = 2;
    bool any = false;
    for (int32_t i = 0; i < of->axis_count; ++i) {
        cores[i] = find_core(&of->axes[i]);
        plans += cores[i].grows ? 2 : 0;
        any = any || cores[i].grows || cores[i].is_filled;
    }
    return any && plans <= DMLC_MOST_GROWN;
}

static void begin_leaf(dmlc_draft *leaf, const dmlc_packing *found, const dmlc_plan *plan)
{
    dmlc_draft_begin(leaf, plan->kernels, plan->width);
    leaf->chunk = plan->chunk;
    leaf->outside_value = plan->outside_value;
    leaf->times = found->times;
    for (int32_t i = 0; i < plan->axis_count; ++i)
        if (dmlc_is_packed(found, i))
            leaf->axes[leaf->axis_count++] = dmlc_packed_axis(found, plan, i);
}

static void forget(dmlc_sketch *sketch)
{
    for (int32_t i = 0; i < sketch->grown.count; ++i)
        dmlc_plan_free(sketch->grown.plans[i]);
}

/* The share of what others cost that this way may cost at most. Threads do not share a leaf. */
static double most_of_others(double leaves)
{
    enum { FEWEST_TO_SHARE = 4 };
    return leaves < FEWEST_TO_SHARE ? 0.5 : 1;
}

static double cost(dmlc_sketch *sketch, double best)
{
    enum { WORTH_PLANNING = 5000, CALLS = 2, MOST_READ = 96 * 1024 };
    const dmlc_plan *plan = sketch->plan;
    dmlc_packing *found = &sketch->growth;
    dmlc_grown *grown = &sketch->grown;
    dmlc_draft leaf;
    core cores[DMLC_MAXIMUM_RANK];
    *grown = (dmlc_grown){.count = 0};
    if (sketch->is_part || best < WORTH_PLANNING || plan->outside || !dmlc_find_packing(found, sketch, MOST_READ))
        return (double)INFINITY;
    const int64_t bytes = found->chunks * plan->chunk, following = (int64_t)dmlc_packings_following(found, sketch);
    grown->together = bytes < DMLC_TOGETHER_BYTES ? DMLC_TOGETHER_BYTES / bytes : 1;
    found->times = dmlc_minimum(grown->together, following);
    begin_leaf(&leaf, found, plan);
    if (!find_cores(cores, &leaf))
        return (double)INFINITY;
    double each = (double)INFINITY;
    if (make_plans(grown, &leaf, cores) == DMLC_OK) {
        each = 0;
        for (int32_t i = 0; i < grown->count; ++i)
            each += grown->plans[i]->cost + CALLS * sketch->costs->call / (double)found->times;
    }
    const double all = dmlc_packings_cost(found, sketch, each);
    if (all < most_of_others(dmlc_packings(found, sketch)) * best)
        return all;
    forget(sketch);
    return (double)INFINITY;
}

static dmlc_status make(dmlc_sketch *sketch)
{
    dmlc_plan *plan = sketch->plan;
    dmlc_order_packed_axes(plan, &sketch->growth);
    plan->way = DMLC_GROWN;
    plan->program.grown = sketch->grown;
    return DMLC_OK;
}

const dmlc_map_way dmlc_grown_way = {cost, make, forget};
