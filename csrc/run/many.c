/* Many plans, run as one. Neighbours that are little make one task; one that is much is cut as if it were alone, and so are those that
 * write between each other's elements, all in the same ranges:
 *
 *     output   |abcabcabcabcabcabc|      a, b and c are plans, as of a stack along the last axis
 *     tasks    |  0  |  1  |  2   |      each runs its range of a, then of b, then of c
 */
#include "run/run.h"

#include <stdlib.h>

typedef struct portion {
    int64_t first_task, tasks;
    int32_t first, count; /* plans; where it is cut, one or those that are woven */
    dmlc_grid grid;       /* of its tasks, where they are more than one: of the first plan */
    dmlc_job job;
} portion;

typedef struct many {
    const dmlc_plan *const *plans;
    const dmlc_operands *operands;
    int64_t bytes;
    int32_t count;
    int32_t threads;
    int32_t portion_count;
    portion *portions;
} many;

/* With the copy that goes before a band. */
static double cost_of_all(const dmlc_plan *plan)
{
    if (plan->empty)
        return 0;
    return dmlc_run_cost(plan) + (plan->before != NULL ? dmlc_run_cost(plan->before) : 0);
}

/* Whether a plan and the next one are alike and write between each other's elements. */
static bool is_woven(const many *all, int32_t i)
{
    const dmlc_plan *plan = all->plans[i];
    const uintptr_t one = (uintptr_t)all->operands[i].output, next = (uintptr_t)all->operands[i + 1].output;
    const uintptr_t apart = one < next ? next - one : one - next;
    if (plan != all->plans[i + 1] || plan->empty || plan->before != NULL || apart >= DMLC_LEAST_APART)
        return false;
    int64_t largest = 0;
    for (int32_t axis = 0; axis < plan->axis_count; ++axis)
        if (plan->axes[axis].output_step > largest)
            largest = plan->axes[axis].output_step;
    return (int64_t)apart < largest;
}

/* How many plans from one on are woven, at least that one. */
static int32_t woven_from(const many *all, int32_t first)
{
    int32_t i = first;
    while (i + 1 < all->count && is_woven(all, i))
        ++i;
    return i + 1 - first;
}

/* Whether plans that are woven copy dense rows to columns that lie side by side: they are a transpose, whose sources are listed. */
static bool are_columns(const many *all, int32_t first, int32_t count)
{
    const dmlc_plan *plan = all->plans[first];
    const dmlc_row *row = &plan->program.rows.row;
    const dmlc_piece *only = &row->pieces[0];
    if (plan->way != DMLC_ROWS || plan->axis_count != 1 || count > DMLC_MOST_PLACES || row->piece_count != 1 ||
        only->operation != DMLC_GATHER || only->input != 0 || only->output != 0 || only->step != row->chunk ||
        row->output_step != count * row->chunk)
        return false;
    int32_t i = first;
    while (i + 1 < first + count && (char *)all->operands[i + 1].output == (char *)all->operands[i].output + row->chunk)
        ++i;
    return i + 1 == first + count;
}

/* Elements [begin, end) of each of them. */
static void run_columns(const many *all, int32_t first, int32_t count, int64_t begin, int64_t end)
{
    const dmlc_plan *plan = all->plans[first];
    const int64_t chunk = plan->chunk, pixel = count * chunk;
    const dmlc_row row = {.chunk = chunk,
                          .output_step = chunk,
                          .size = count,
                          .piece_count = 1,
                          .pieces = {{.operation = DMLC_GATHER, .count = count}}};
    int64_t sources[DMLC_MOST_PLACES];
    for (int32_t i = 0; i < count; ++i)
        sources[i] = (int64_t)((uintptr_t)all->operands[first + i].input - (uintptr_t)all->operands[first].input);
    dmlc_job job;
    dmlc_job_begin(&job, plan, &all->operands[first], all->bytes, all->threads);
    dmlc_block block = dmlc_one_leaf(&job, job.output + begin * pixel, job.input + begin * chunk);
    block.output_step = pixel;
    block.input_step = chunk;
    block.count = end - begin;
    plan->kernels->transpose(&row, NULL, sources, &block);
}

/* Into about so many tasks, and at least so many that a cache keeps what each writes until it is whole: the first-level one of what
 * goes plan after plan. Without, sixteen arrays of 65,536 floats took four times as long to be stacked along the last axis, and
 * eight times on two threads. */
static dmlc_grid cut_woven(const many *all, int32_t first, int32_t count, const dmlc_job *job, int64_t wanted)
{
    static const double NEAR_BYTES = 32 * 1024, COLUMNS_BYTES = 256 * 1024, MOST = 1e9;
    const double together = are_columns(all, first, count) ? COLUMNS_BYTES : NEAR_BYTES;
    const double near = (double)job->plan->bytes * count / together;
    const int64_t least = 1 + (int64_t)(near < MOST ? near : MOST);
    return dmlc_cut_into_tasks(job, wanted > least ? wanted : least);
}

static void run_woven_task(const many *all, int32_t first, int32_t count, const dmlc_grid *grid, int64_t index)
{
    if (count > 1 && are_columns(all, first, count)) {
        const int64_t size = all->plans[first]->program.rows.row.size;
        run_columns(all, first, count, dmlc_part_begin(size, grid->ranges, index),
                    dmlc_part_begin(size, grid->ranges, index + 1));
        return;
    }
    for (int32_t i = first; i < first + count; ++i) {
        dmlc_job job;
        dmlc_job_begin(&job, all->plans[i], &all->operands[i], all->bytes, all->threads);
        dmlc_grid mine = *grid;
        mine.job = &job;
        dmlc_run_task(&mine, index);
    }
}

static void run_woven(const many *all, int32_t first, int32_t count)
{
    dmlc_job job;
    dmlc_job_begin(&job, all->plans[first], &all->operands[first], all->bytes, all->threads);
    const dmlc_grid grid = cut_woven(all, first, count, &job, 1);
    for (int64_t index = 0; index < grid.tasks; ++index)
        run_woven_task(all, first, count, &grid, index);
}

static void run_plan(const many *all, int32_t i)
{
    const dmlc_plan *plan = all->plans[i];
    if (plan->empty)
        return;
    dmlc_job job;
    if (plan->before != NULL) {
        dmlc_job_begin(&job, plan->before, &all->operands[i], all->bytes, all->threads);
        dmlc_run_whole(&job);
    }
    dmlc_job_begin(&job, plan, &all->operands[i], all->bytes, all->threads);
    dmlc_run_whole(&job);
}

static void run_plans(const many *all, int32_t first, int32_t count)
{
    for (int32_t i = first, woven; i < first + count; i += woven) {
        woven = woven_from(all, i);
        if (woven > 1)
            run_woven(all, i, woven);
        else
            run_plan(all, i);
    }
}

static void run_task_of_many(const void *context, int64_t index)
{
    const many *all = context;
    const portion *mine = all->portions;
    while (index >= mine->first_task + mine->tasks)
        ++mine;
    if (mine->tasks == 1)
        run_plans(all, mine->first, mine->count);
    else
        run_woven_task(all, mine->first, mine->count, &mine->grid, index - mine->first_task);
}

/* Portions of about `each` nanoseconds, or cut into tasks of as many; returns how many tasks there are. */
static int64_t portion_out(many *all, double each)
{
    int64_t tasks = 0;
    double gathered = each; /* so that the first plan begins a portion */
    all->portion_count = 0;
    for (int32_t i = 0, woven; i < all->count; i += woven) {
        const dmlc_plan *plan = all->plans[i];
        woven = woven_from(all, i);
        const double alone = woven * cost_of_all(plan);
        if (gathered < each && alone < 2 * each) {
            gathered += alone;
            all->portions[all->portion_count - 1].count += woven;
            continue;
        }
        portion *made = &all->portions[all->portion_count++];
        *made = (portion){.first_task = tasks, .tasks = 1, .first = i, .count = woven};
        gathered = alone;
        if (alone >= 2 * each && plan->before == NULL) {
            const int64_t wanted = (int64_t)(alone / each);
            dmlc_job_begin(&made->job, plan, &all->operands[i], all->bytes, all->threads);
            made->grid =
                woven > 1 ? cut_woven(all, i, woven, &made->job, wanted) : dmlc_cut_into_tasks(&made->job, wanted);
            made->tasks = made->grid.tasks;
        }
        tasks += made->tasks;
    }
    return tasks;
}

void dmlc_run_many(const dmlc_plan *const *plans, const dmlc_operands *operands, int32_t count, int32_t threads)
{
    many all = {.plans = plans, .operands = operands, .count = count};
    double alone = 0;
    for (int32_t i = 0; i < count; ++i) {
        alone += cost_of_all(plans[i]);
        all.bytes += plans[i]->bytes < INT64_MAX - all.bytes ? plans[i]->bytes : INT64_MAX - all.bytes;
    }
    threads = all.threads = dmlc_team_for(alone, threads < 0 ? 1 : threads);
    const int64_t wanted = threads == 1 ? 1 : dmlc_tasks_for(alone, threads);
    /* A portion is cut, or it is the last of those that are not, or it has `each`, or the next one is cut. */
    if (wanted > 1)
        all.portions = malloc((size_t)(2 * wanted + 2) * sizeof(*all.portions));
    if (all.portions == NULL) {
        run_plans(&all, 0, count);
        dmlc_worked_alone();
        return;
    }
    dmlc_parallel(portion_out(&all, alone / (double)wanted), threads, run_task_of_many, &all);
    free(all.portions);
}
