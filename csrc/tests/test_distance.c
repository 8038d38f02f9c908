/* How far away plans read and write, as a run sees it: as a table, for kernels that any machine can plan for. */
#include "run/distance.h"

#include "expect.h"
#include "plan/planner.h"

enum { CACHE = 1 << 20, NEVER = 1000 };

static const dmlc_kernels kernels = {.abilities = &dmlc_abilities_avx2};

/* Eighths of the cache that a column of so many bytes, 160 bytes apart, is read and written with when some of it comes from memory. */
static int64_t eighths_of_column(int64_t width, int32_t threads)
{
    static const int64_t none[1], ones[] = {1};
    const int64_t sizes[] = {10000}, input[] = {160}, output[] = {width};
    dmlc_plan *plan = NULL;
    EXPECT(dmlc_make_slice(&plan, &kernels, width, 1, sizes, input, output, none, ones) == DMLC_OK);
    int64_t eighths = 0, bytes = 0;
    while (eighths < NEVER && !is_in_memory(plan, bytes, threads)) {
        ++eighths;
        bytes = 2 * width * (eighths * CACHE / 8 / (2 * width + 64) + 1);
    }
    dmlc_plan_free(plan);
    return eighths;
}

/* Rows of 2-byte elements, `step` bytes apart in the input and `apart` in the output, whose next one begins `row` bytes further on. */
static bool elements_are_in_memory(int64_t rows, int64_t row, int64_t size, int64_t step, int64_t apart, dmlc_way way)
{
    static const int64_t none[2], ones[] = {1, 1};
    const int64_t sizes[] = {rows, size}, input[] = {row, step}, output[] = {size * apart, apart};
    dmlc_plan *plan = NULL;
    EXPECT(dmlc_make_slice(&plan, &kernels, 2, 2, sizes, input, output, none, ones) == DMLC_OK && plan->way == way);
    const bool in_memory = is_in_memory(plan, plan->bytes, 1);
    dmlc_plan_free(plan);
    return in_memory;
}

/* Lines count once, though each row reads them again. Where the output lies apart, half the cache is enough. */
static void test_elements(void)
{
    EXPECT(elements_are_in_memory(1, 0, 15600, 150, 2, DMLC_ROWS));
    EXPECT(!elements_are_in_memory(3, 2, 5200, 150, 2, DMLC_ROWS));
    EXPECT(!elements_are_in_memory(1, 0, 5000, 150, 20, DMLC_ROWS));
    EXPECT(elements_are_in_memory(1, 0, 5000, 150, 50, DMLC_ROWS));
    EXPECT(!elements_are_in_memory(40, 2, 1000, 80, 8, DMLC_TRANSPOSE));
    EXPECT(elements_are_in_memory(40, 2, 1000, 80, 12, DMLC_TRANSPOSE));
}

/* Rows whose elements are 24 bytes apart in the input, downward, and two axes of rows. */
static bool rows_read_down(int64_t elements, int64_t outer, int64_t inner)
{
    static const int64_t none[3], ones[] = {1, 1, 1};
    const int64_t sizes[] = {5, 7, elements}, input[] = {outer, inner, -24};
    const int64_t output[] = {7 * 8 * elements, 8 * elements, 8};
    dmlc_plan *plan = NULL;
    EXPECT(dmlc_make_slice(&plan, &kernels, 8, 3, sizes, input, output, none, ones) == DMLC_OK &&
           plan->way == DMLC_ROWS);
    const bool down = reads_down(plan);
    dmlc_plan_free(plan);
    return down;
}

/* The innermost axis tells whose elements are near. */
static void test_direction(void)
{
    EXPECT(rows_read_down(100, 1000000, -4000));
    EXPECT(!rows_read_down(100, 1000000, 4000));
    EXPECT(rows_read_down(100, -4000, 1000000));
    EXPECT(!rows_read_down(100, 4000, -1000000));
    EXPECT(!rows_read_down(100, -2400, 4000));
    EXPECT(rows_read_down(100, 1000000, -4800) && !rows_read_down(100, 1000000, -4801));
    EXPECT(rows_read_down(50, -1200, -2400) && !rows_read_down(50, -1200, -2401));
}

/* Quarters of the cache that boxes of bytes, whichever way they go, reach when some of it comes from memory. */
static int64_t quarters_of_boxes(int64_t rows, int64_t columns, int64_t apart, int64_t row, int64_t column,
                                 dmlc_way way)
{
    static const int64_t none[3], ones[] = {1, 1, 1};
    const int64_t sizes[] = {1000, rows, columns}, input[] = {apart, row, column};
    const int64_t output[] = {rows * columns, columns, 1};
    dmlc_plan *plan = NULL;
    EXPECT(dmlc_make_slice(&plan, &kernels, 1, 3, sizes, input, output, none, ones) == DMLC_OK && plan->way == way);
    int64_t quarters = 0, bytes = 0;
    while (quarters < NEVER && !is_in_memory(plan, bytes, 1)) {
        ++quarters;
        bytes = 2 * rows * columns * (quarters * CACHE / 4 / (rows * columns + apart) + 1);
    }
    dmlc_plan_free(plan);
    return quarters;
}

static void test_boxes(void)
{
    EXPECT(quarters_of_boxes(6, 6, 459, 81, 3, DMLC_SHUFFLES) == 3);
    EXPECT(quarters_of_boxes(7, 3, 260, 30, 33, DMLC_MOVES) == 3);
}

static void test_columns(void)
{
    EXPECT(eighths_of_column(1, 1) == 8);
    EXPECT(eighths_of_column(16, 1) == 8);
    EXPECT(eighths_of_column(16, 2) == NEVER);
}

/* Only where the processor's stores wait, and a thread moves more than its first-level cache holds. */
static void test_lines_that_are_written(void)
{
    enum { KB = 1024 };
    const bool machine = dmlc_stores_wait;
    dmlc_stores_wait = true;
    EXPECT(!waits_for_lines(44 * KB, 1));
    EXPECT(waits_for_lines(45 * KB, 1));
    EXPECT(!waits_for_lines(45 * KB, 2));
    EXPECT(waits_for_lines(90 * KB, 2));
    dmlc_stores_wait = false;
    EXPECT(!waits_for_lines(CACHE, 1));
    dmlc_stores_wait = machine;
}

int main(void)
{
    dmlc_set_cache_bytes(CACHE);
    test_boxes();
    test_columns();
    test_elements();
    test_direction();
    test_lines_that_are_written();
    return expectations_met();
}
