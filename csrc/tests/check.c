#include "check.h"

#include "dispatch/dispatch.h"
#include "plan/cache.h"
#include "plan/planner.h"
#include "stage.h"

/* As if what is written were larger than the cache, or smaller. */
static void draw_cache(choices *from) { dmlc_set_cache_bytes(once_in(from, 2) ? 1 : INT64_MAX); }

static dmlc_plan *plan_on(const stage *on)
{
    dmlc_plan *plan = NULL;
    const dmlc_status status = test_plan(on->test, &plan);
    if (status != DMLC_OK)
        stage_report(on, dmlc_isa(), dmlc_status_message(status));
    return plan;
}

/* Boxes that go together past the cache are made in a stage, which holds so much for sure. */
static bool fits_its_stage(const stage *on, const dmlc_plan *plan)
{
    const dmlc_box *box = plan->way == DMLC_MOVES      ? &plan->program.moves.box
                          : plan->way == DMLC_SHUFFLES ? &plan->program.shuffles.box
                                                       : NULL;
    if (plan->empty || box == NULL || box->apart == 0 || box->together_in_memory * box->bytes <= DMLC_BOX_BYTES)
        return true;
    return stage_report(on, dmlc_isa(), "more boxes go together than a stage holds");
}

/* What is a view of its input is a copy too. */
static bool copies(const stage *on)
{
    const test_case *test = on->test;
    int64_t start, view[DMLC_MAXIMUM_RANK];
    if (test->kind != TEST_SLICE || !test_reads_input(test) ||
        !dmlc_slice_view(test->rank, test->output.sizes, test->input.strides, test->offsets, test->steps, &start, view))
        return true;
    stage_reset(on);
    const dmlc_status status =
        dmlc_copy(test->width, test->rank, test->output.sizes, on->operands.output, test->output.strides,
                  (const char *)on->operands.input + start, view, test->threads);
    return status == DMLC_OK ? stage_is_right(on, "copy") : stage_report(on, "copy", dmlc_status_message(status));
}

enum { MOST_TABLES = 8 };
static int64_t counts[MOST_TABLES][DMLC_WAYS];

int64_t check_count(int32_t isa, dmlc_way way) { return counts[isa][way]; }

bool check_case(const uint8_t *bytes, size_t count, int64_t most_elements)
{
    static stage on;
    choices from = {bytes, count};
    test_case test;
    uint64_t contents;
    test_draw(&test, &from, most_elements, &contents);
    stage_set(&on, &test, &from, contents);
    draw_cache(&from);
    for (int32_t i = 0; dmlc_isa_name(i) != NULL; ++i) {
        dmlc_set_isa(dmlc_isa_name(i));
        dmlc_plan *plan = plan_on(&on);
        if (plan == NULL)
            return false;
        if (!plan->empty && i < MOST_TABLES)
            ++counts[i][plan->way];
        stage_reset(&on);
        const bool fits = fits_its_stage(&on, plan);
        if (fits)
            dmlc_run(plan, &on.operands, test.threads);
        dmlc_plan_free(plan);
        if (!fits || !stage_is_right(&on, dmlc_isa()))
            return false;
    }
    return copies(&on);
}

enum { MOST_MEMBERS = 12, MOST_THREADS = 4 };

/* Its members stand each on a stage of its own. One that is as the one before runs by the same plan, as images of one size
 * do. */
typedef struct batch {
    int32_t count, threads;
    bool as_before[MOST_MEMBERS];
    test_case tests[MOST_MEMBERS];
    stage stages[MOST_MEMBERS];
    dmlc_plan *plans[MOST_MEMBERS];
    dmlc_operands operands[MOST_MEMBERS];
} batch;

static void draw_batch(batch *all, choices *from, int64_t most_elements)
{
    all->count = (int32_t)choose_between(from, 1, MOST_MEMBERS);
    all->threads = (int32_t)choose_between(from, 0, MOST_THREADS); /* 0: as many as dmlc_threads() */
    draw_cache(from);
    for (int32_t i = 0; i < all->count; ++i) {
        uint64_t contents;
        all->as_before[i] = i > 0 && once_in(from, 3);
        if (all->as_before[i]) {
            all->tests[i] = all->tests[i - 1];
            contents = choose_bits(from, 2);
        } else {
            test_draw(&all->tests[i], from, most_elements, &contents);
        }
        stage_set(&all->stages[i], &all->tests[i], from, contents);
        all->operands[i] = all->stages[i].operands;
    }
}

static bool batch_is_right(const batch *all)
{
    for (int32_t i = 0; i < all->count; ++i) {
        if (!stage_is_right(&all->stages[i], dmlc_isa())) {
            fprintf(stderr, "  case %d of %d in one call of dmlc_run_many on %d threads\n", (int)i, (int)all->count,
                    (int)all->threads);
            return false;
        }
    }
    return true;
}

/* Returns how many there are plans for. */
static int32_t plan_batch(batch *all)
{
    for (int32_t i = 0; i < all->count; ++i) {
        all->plans[i] = all->as_before[i] ? all->plans[i - 1] : plan_on(&all->stages[i]);
        if (all->plans[i] == NULL)
            return i;
    }
    return all->count;
}

static bool run_batch(batch *all)
{
    const int32_t planned = plan_batch(all);
    if (planned == all->count) {
        for (int32_t i = 0; i < all->count; ++i)
            stage_reset(&all->stages[i]);
        dmlc_run_many((const dmlc_plan *const *)all->plans, all->operands, all->count, all->threads);
    }
    for (int32_t i = 0; i < planned; ++i)
        if (!all->as_before[i])
            dmlc_plan_free(all->plans[i]);
    return planned == all->count && batch_is_right(all);
}

bool check_batch(const uint8_t *bytes, size_t count, int64_t most_elements)
{
    static batch all;
    choices from = {bytes, count};
    draw_batch(&all, &from, most_elements);
    for (int32_t i = 0; dmlc_isa_name(i) != NULL; ++i) {
        dmlc_set_isa(dmlc_isa_name(i));
        if (!run_batch(&all))
            return false;
    }
    return true;
}
