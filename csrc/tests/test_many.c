/* Many plans in one call: each output is what its plan gives alone, whatever they cost and however many threads there are. */
#include "run/run.h"

#include "dispatch/machine.h"

#include "expect.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PLANS = 300, MOST_STACKED = 3000, MOST_BYTES = 1 << 24 };

static dmlc_plan *reflected(int64_t size, int64_t border)
{
    const int64_t sizes[] = {size, size}, input[] = {size, 1}, output[] = {size + 2 * border, 1};
    const int64_t borders[] = {border, border};
    dmlc_plan *plan = NULL;
    EXPECT(dmlc_plan_padding(&plan, 1, 2, sizes, input, output, borders, borders, DMLC_PADDING_REFLECTION) == DMLC_OK);
    return plan;
}

/* `sizes` of images, one plan each, next to each other. */
static void test_images(const int64_t *sizes, int32_t count, int32_t threads)
{
    static unsigned char input[MOST_BYTES], alone[MOST_BYTES], together[MOST_BYTES];
    dmlc_plan *plans[MOST_PLANS];
    dmlc_operands operands[MOST_PLANS];
    for (size_t i = 0; i < sizeof(input); ++i)
        input[i] = (unsigned char)(i * 31 >> 3);
    memset(alone, 0xA5, sizeof(alone));
    memset(together, 0xA5, sizeof(together));
    int64_t at = 0;
    for (int32_t i = 0; i < count; ++i) {
        const int64_t border = i % 3 + 1, side = sizes[i] + 2 * border;
        plans[i] = reflected(sizes[i], border);
        operands[i] = (dmlc_operands){.output = alone + at, .input = input + i};
        dmlc_run(plans[i], &operands[i], 1);
        operands[i].output = together + at;
        at += side * side;
    }
    EXPECT(at <= MOST_BYTES);
    dmlc_run_many((const dmlc_plan *const *)plans, operands, count, threads);
    EXPECT(memcmp(alone, together, sizeof(alone)) == 0);
    for (int32_t i = 0; i < count; ++i)
        dmlc_plan_free(plans[i]);
}

/* Rows of runs of so many bytes, `step` apart, that become columns: run k of row i lies at k * count + i, from the last row to the first
 * where they are turned. One plan is for all, or for all but the last. */
static void test_stack_of_runs(int64_t width, int64_t run, int64_t step, int32_t count, int64_t size, bool turned,
                               int32_t threads)
{
    static unsigned char input[MOST_BYTES], output[MOST_BYTES];
    const int64_t sizes[] = {size, run / width}, dense[] = {step, width}, apart[] = {count * run, width};
    const int64_t offsets[] = {0, 0}, steps[] = {1, 1};
    dmlc_plan *plan = NULL, *other = NULL;
    EXPECT(count * size * step <= MOST_BYTES && run <= step && count <= MOST_STACKED);
    EXPECT(dmlc_plan_slice(&plan, width, 2, sizes, dense, apart, offsets, steps) == DMLC_OK);
    EXPECT(dmlc_plan_slice(&other, width, 2, sizes, dense, apart, offsets, steps) == DMLC_OK);
    const dmlc_plan *plans[MOST_STACKED];
    dmlc_operands operands[MOST_STACKED];
    for (int64_t i = 0; i < count * size * step; ++i)
        input[i] = (unsigned char)(i * 31 >> 3);
    for (int32_t of_one_plan = 0; of_one_plan <= 1; ++of_one_plan) {
        memset(output, 0xA5, sizeof(output));
        for (int32_t i = 0; i < count; ++i) {
            const int32_t column = turned ? count - 1 - i : i;
            plans[i] = i < count - 1 || of_one_plan == 1 ? plan : other;
            operands[i] = (dmlc_operands){.output = output + column * run, .input = input + i * size * step};
        }
        dmlc_run_many(plans, operands, count, threads);
        bool right = true;
        for (int32_t i = 0; i < count; ++i)
            for (int64_t k = 0; k < size; ++k)
                right = right && memcmp(output + (k * count + (turned ? count - 1 - i : i)) * run,
                                        input + (i * size + k) * step, (size_t)run) == 0;
        EXPECT(right && output[count * size * run] == 0xA5);
    }
    dmlc_plan_free(plan);
    dmlc_plan_free(other);
}

static void test_stack(int64_t width, int32_t count, int64_t size, bool turned, int32_t threads)
{
    test_stack_of_runs(width, width, width, count, size, turned, threads);
}

/* Runs of so many bytes, `step` apart, in lines that have a gap between them, as have the lines that they are written to. */
static void test_stack_of_images(int64_t run, int64_t step, int64_t runs, int64_t lines, int32_t count, int32_t threads)
{
    enum { GAP = 5 };
    static unsigned char input[MOST_BYTES], output[MOST_BYTES];
    const int64_t line = runs * step + GAP, written = runs * count * run + GAP;
    const int64_t sizes[] = {lines, runs, run}, from[] = {line, step, 1}, to[] = {written, count * run, 1};
    const int64_t offsets[] = {0, 0, 0}, steps[] = {1, 1, 1};
    dmlc_plan *plan = NULL;
    EXPECT(count * lines * line <= MOST_BYTES && lines * written <= MOST_BYTES && count <= MOST_STACKED);
    EXPECT(dmlc_plan_slice(&plan, 1, 3, sizes, from, to, offsets, steps) == DMLC_OK);
    const dmlc_plan *plans[MOST_STACKED];
    dmlc_operands operands[MOST_STACKED];
    for (int64_t i = 0; i < count * lines * line; ++i)
        input[i] = (unsigned char)(i * 31 >> 3);
    memset(output, 0xA5, sizeof(output));
    for (int32_t i = 0; i < count; ++i) {
        plans[i] = plan;
        operands[i] = (dmlc_operands){.output = output + i * run, .input = input + i * lines * line};
    }
    dmlc_run_many(plans, operands, count, threads);
    bool right = true;
    for (int64_t y = 0; y < lines; ++y) {
        for (int64_t x = 0; x < runs; ++x)
            for (int32_t i = 0; i < count; ++i)
                right = right && memcmp(output + y * written + (x * count + i) * run,
                                        input + (i * lines + y) * line + x * step, (size_t)run) == 0;
        for (int64_t i = 0; i < GAP; ++i)
            right = right && output[(y + 1) * written - GAP + i] == 0xA5;
    }
    EXPECT(right);
    dmlc_plan_free(plan);
}

/* In the cache and past it; a pixel is longer than a stage, too. */
static void test_stacks_of_runs(int32_t threads)
{
    for (int32_t past_cache = 0; past_cache <= 1; ++past_cache) {
        dmlc_set_cache_bytes(past_cache == 1 ? 100000 : 0);
        test_stack_of_runs(4, 356, 356, 3, 1000, false, threads);
        test_stack_of_runs(4, 356, 400, 3, 1000, true, threads);
        test_stack_of_runs(8, 112, 120, 4, 2000, false, threads);
        test_stack_of_runs(1, 65, 65, 7, 3001, false, threads);
        test_stack_of_runs(2, 1000, 1002, 70, 20, false, threads);
        test_stack_of_runs(1, 1000, 1000, 300, 3, false, threads); /* fewer runs than there may be tasks */
        test_stack_of_runs(16, 1600, 1600, 3, 300, false, threads);
        test_stack_of_runs(8, 8, 24, 5, 3000, false, threads); /* chunks that lie apart */
        test_stack_of_runs(2, 2, 6, 5, 3000, false, threads);
        test_stack_of_runs(4, 4, 4, 2500, 21, false, threads); /* more columns than are gone through at once */
        test_stack_of_runs(1, 100, 103, 2049, 7, false, threads);
        test_stack_of_runs(2, 2, 6, 1200, 100, true, threads);
        test_stack_of_images(8, 24, 40, 100, 4, threads);
        test_stack_of_images(300, 303, 7, 30, 9, threads);
        test_stack_of_images(8, 8, 4, 3000, 3, threads); /* few runs in each line */
    }
    dmlc_set_cache_bytes(0);
}

static void test_empty(void)
{
    const int64_t none[] = {0, 3}, strides[] = {3, 1}, zeros[] = {0, 0};
    dmlc_plan *plan = NULL;
    EXPECT(dmlc_plan_padding(&plan, 1, 2, none, strides, strides, zeros, zeros, DMLC_PADDING_EDGE) == DMLC_OK);
    const dmlc_plan *const plans[] = {plan, plan};
    const dmlc_operands operands[2] = {{.output = NULL}, {.output = NULL}};
    dmlc_run_many(plans, operands, 2, 4);
    dmlc_run_many(plans, operands, 0, 4);
    dmlc_plan_free(plan);
}

int main(void)
{
    int64_t sizes[MOST_PLANS];
    dmlc_set_isa(NULL);
    dmlc_set_oversubscribe(true);
    for (int32_t threads = 0; threads <= 5; ++threads) {
        for (int32_t i = 0; i < MOST_PLANS; ++i)
            sizes[i] = 4 + i % 7;
        test_images(sizes, MOST_PLANS, threads); /* all are little */
        for (int32_t i = 0; i < 32; ++i)
            sizes[i] = 224;
        test_images(sizes, 32, threads); /* as many as a batch has */
        for (int32_t i = 0; i < MOST_PLANS; ++i)
            sizes[i] = i % 37 == 5 ? 900 : 3 + i % 5;
        test_images(sizes, MOST_PLANS, threads); /* large ones among them, which are cut */
        test_images(sizes + 5, 1, threads);
        test_stack(4, 3, 100, false, threads); /* little */
        test_stack(4, 16, 40000, false, threads);
        test_stack(1, 3, 500001, false, threads); /* pixels */
        test_stack(2, 4, 70000, false, threads);
        test_stack(8, 2, 70000, false, threads);
        test_stack(16, 5, 30000, false, threads);
        test_stack(2, 5, 70000, false, threads);
        test_stack(1, 3, 500001, true, threads);
        test_stack(16, 200, 3000, true, threads); /* apart by more than shares a line */
        test_stacks_of_runs(threads);
    }
    test_empty();
    return expectations_met();
}
