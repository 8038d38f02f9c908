/* Many plans, run as one. Neighbours that are little make one task. One that is much is cut as if it were alone, and so are those that are
 * woven; but a band that follows a copy is one task, since all of the copy has to be written first. */
#include "run/run.h"

#include <stdlib.h>

typedef struct portion {
    int64_t first_task, tasks;
    int32_t first, count; /* plans; where it is cut, one or those that are woven */
    dmlc_grid grid;       /* of its tasks, where they are more than one: of the first plan */
    dmlc_job job;
} portion;

typedef struct many {
    dmlc_batch batch;
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

static void run_plan(const dmlc_batch *all, int32_t i)
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

static void run_plans(const dmlc_batch *all, int32_t first, int32_t count)
{
    for (int32_t i = first, woven; i < first + count; i += woven) {
        woven = dmlc_woven_from(all, i);
        if (woven > 1)
            dmlc_run_woven(all, i, woven);
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
        run_plans(&all->batch, mine->first, mine->count);
    else
        dmlc_run_woven_task(&all->batch, mine->first, mine->count, &mine->grid, index - mine->first_task);
}

/* Portions of about `each` nanoseconds, or cut into tasks of as many; returns how many tasks there are. */
static int64_t portion_out(many *all, double each)
{
    const dmlc_batch *batch = &all->batch;
    int64_t tasks = 0;
    double gathered = each; /* so that the first plan begins a portion */
    all->portion_count = 0;
    for (int32_t i = 0, woven; i < batch->count; i += woven) {
        const dmlc_plan *plan = batch->plans[i];
        woven = dmlc_woven_from(batch, i);
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
            dmlc_job_begin(&made->job, plan, &batch->operands[i], batch->bytes, batch->threads);
            made->grid = dmlc_cut_woven(batch, i, woven, &made->job, (int64_t)(alone / each));
            made->tasks = made->grid.tasks;
        }
        tasks += made->tasks;
    }
    return tasks;
}

void dmlc_run_many(const dmlc_plan *const *plans, const dmlc_operands *operands, int32_t count, int32_t threads)
{
    many all = {.batch = {.plans = plans, .operands = operands, .count = count}};
    dmlc_batch *batch = &all.batch;
    double alone = 0;
    for (int32_t i = 0; i < count; ++i) {
        alone += cost_of_all(plans[i]);
        /* Plans may write to the same memory, so their sum need not fit. */
        batch->bytes += dmlc_minimum(plans[i]->bytes, DMLC_REACH_LIMIT - batch->bytes);
    }
    threads = batch->threads = dmlc_team_for(alone, threads < 0 ? 1 : threads);
    const int64_t wanted = threads == 1 ? 1 : dmlc_tasks_for(alone, threads);
    /* Each portion has what one task is to have, or is the last one, or stands before one that is much. */
    if (wanted > 1)
        all.portions = malloc((size_t)(2 * wanted + 2) * sizeof(*all.portions));
    if (all.portions == NULL) {
        run_plans(batch, 0, count);
        dmlc_worked_alone();
        return;
    }
    dmlc_parallel(portion_out(&all, alone / (double)wanted), threads, run_task_of_many, &all);
    free(all.portions);
}
