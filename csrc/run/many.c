/* Many plans, run as one. Neighbours that are little make one task; one that is much is cut as if it were alone. */
#include "run/run.h"

#include <stdlib.h>

typedef struct portion {
    int64_t first_task, tasks;
    int32_t first, count; /* plans; a single one where it is cut */
    dmlc_grid grid;       /* of its tasks, where they are more than one */
    dmlc_job job;
} portion;

typedef struct many {
    const dmlc_plan *const *plans;
    const dmlc_operands *operands;
    int64_t bytes;
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

static void run_plans(const many *all, int32_t first, int32_t count)
{
    for (int32_t i = first; i < first + count; ++i) {
        const dmlc_plan *plan = all->plans[i];
        if (plan->empty)
            continue;
        dmlc_job job;
        if (plan->before != NULL) {
            dmlc_job_begin(&job, plan->before, &all->operands[i], all->bytes, all->threads);
            dmlc_run_whole(&job);
        }
        dmlc_job_begin(&job, plan, &all->operands[i], all->bytes, all->threads);
        dmlc_run_whole(&job);
    }
}

static void run_task_of_many(const void *context, int64_t index)
{
    const many *all = context;
    const portion *mine = all->portions;
    while (index >= mine->first_task + mine->tasks)
        ++mine;
    if (mine->tasks > 1)
        dmlc_run_task(&mine->grid, index - mine->first_task);
    else
        run_plans(all, mine->first, mine->count);
}

/* Portions of about `each` nanoseconds, or cut into tasks of as many; returns how many tasks there are. */
static int64_t portion_out(many *all, int32_t count, double each)
{
    int64_t tasks = 0;
    double gathered = each; /* so that the first plan begins a portion */
    all->portion_count = 0;
    for (int32_t i = 0; i < count; ++i) {
        const dmlc_plan *plan = all->plans[i];
        const double alone = cost_of_all(plan);
        if (gathered < each && alone < 2 * each) {
            gathered += alone;
            ++all->portions[all->portion_count - 1].count;
            continue;
        }
        portion *made = &all->portions[all->portion_count++];
        *made = (portion){.first_task = tasks, .tasks = 1, .first = i, .count = 1};
        gathered = alone;
        if (alone >= 2 * each && plan->before == NULL) {
            dmlc_job_begin(&made->job, plan, &all->operands[i], all->bytes, all->threads);
            made->grid = dmlc_cut_into_tasks(&made->job, (int64_t)(alone / each));
            made->tasks = made->grid.tasks;
        }
        tasks += made->tasks;
    }
    return tasks;
}

void dmlc_run_many(const dmlc_plan *const *plans, const dmlc_operands *operands, int32_t count, int32_t threads)
{
    many all = {.plans = plans, .operands = operands};
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
    dmlc_parallel(portion_out(&all, count, alone / (double)wanted), threads, run_task_of_many, &all);
    free(all.portions);
}
