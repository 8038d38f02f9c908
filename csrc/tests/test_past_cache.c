/* Which plans write past the cache, and from what size on: as a table, for kernels that any machine can plan for. */
#include "run/past_cache.h"

#include "dispatch/machine.h"
#include "expect.h"
#include "plan/planner.h"

#include <string.h>

enum { CACHE = 1 << 20, LITTLE = 64, UNREAD = CACHE / 16, NEVER = 1000 };

static const dmlc_kernels kernels = {.abilities = &dmlc_abilities_avx2};

/* What runs of floats set: [0] where nothing is read, [1] in bands. */
static void set_patterns(dmlc_pattern patterns[2], float outside, float value)
{
    dmlc_repeat_element(patterns[0].bytes, &outside, sizeof(outside));
    dmlc_repeat_element(patterns[1].bytes, &value, sizeof(value));
}

/* How many times what the cache holds, and so much more, a run of the plan has to move to go past it; NEVER where it does not. */
static int64_t times_the_cache_and(int64_t more, dmlc_status status, dmlc_plan **plan)
{
    dmlc_pattern patterns[2];
    set_patterns(patterns, 0, 1);
    int64_t times = 1;
    EXPECT(status == DMLC_OK);
    while (times < NEVER && !dmlc_goes_past_cache(*plan, patterns, times * CACHE + more, 1))
        ++times;
    dmlc_plan_free(*plan);
    return times;
}

static int64_t times_the_cache(dmlc_status status, dmlc_plan **plan)
{
    return times_the_cache_and(LITTLE, status, plan);
}

/* The same in eighths of the cache, for such values. */
static int64_t eighths_of_values(dmlc_status status, dmlc_plan **plan, float outside, float value, int32_t threads)
{
    dmlc_pattern patterns[2];
    set_patterns(patterns, outside, value);
    int64_t eighths = 1;
    EXPECT(status == DMLC_OK);
    while (eighths < NEVER && !dmlc_goes_past_cache(*plan, patterns, eighths * CACHE / 8 + LITTLE, threads))
        ++eighths;
    dmlc_plan_free(*plan);
    return eighths;
}

/* Diagonals [begin, end) of a matrix of floats, or all but those [end, begin). */
static int64_t eighths_of_band(int64_t begin, int64_t end, float outside, float value, int32_t threads)
{
    static const int64_t sizes[] = {2000, 2000}, input[2], output[] = {8000, 4};
    dmlc_plan *plan = NULL;
    const dmlc_status status =
        dmlc_make_diagonal_matrix(&plan, &kernels, 4, 2, sizes, input, output, begin, end, DMLC_BACKGROUND_VALUE);
    return eighths_of_values(status, &plan, outside, value, threads);
}

/* A triangle of floats that are read, whose rows lie so many bytes apart in the input. */
static int64_t eighths_of_triangle(int64_t input_row, int32_t threads)
{
    const int64_t sizes[] = {2000, 2000}, input[] = {input_row, 4}, output[] = {8000, 4};
    dmlc_plan *plan = NULL;
    const dmlc_status status =
        dmlc_make_diagonal_matrix(&plan, &kernels, 4, 2, sizes, input, output, -2000, 1, DMLC_BACKGROUND_INPUT);
    return eighths_of_values(status, &plan, 0, 0, threads);
}

/* Triangles that are set in place, half of so many columns, by the bytes of the whole matrices. */
static int64_t eighths_of_set_triangles(int64_t columns, int32_t threads)
{
    const int64_t sizes[] = {1000, columns, columns}, input[3] = {0},
                  output[] = {columns * columns * 4, columns * 4, 4};
    dmlc_plan *plan = NULL;
    const dmlc_status status =
        dmlc_make_diagonal_matrix(&plan, &kernels, 4, 3, sizes, input, output, -columns, 1, DMLC_BACKGROUND_KEEP);
    return eighths_of_values(status, &plan, 0, 1, threads);
}

/* So many planes of elements of a width. */
static int64_t eighths_of_planes_of(int64_t width, int64_t depth, float outside, int32_t threads)
{
    const int64_t sizes[] = {depth, 40000}, input[] = {0, 4}, output[] = {40000 * width, width};
    dmlc_plan *plan = NULL;
    const dmlc_status status =
        dmlc_make_one_hot(&plan, &kernels, width, DMLC_INDEX_INT32, 0, 2, sizes, input, output, 0);
    return eighths_of_values(status, &plan, outside, 1, threads);
}

static int64_t eighths_of_planes(int64_t depth, float outside, int32_t threads)
{
    return eighths_of_planes_of(4, depth, outside, threads);
}

/* Sequences of so many floats. */
static int64_t eighths_of_sequences(int64_t depth, float outside, int32_t threads)
{
    const int64_t sizes[] = {5000, depth}, input[] = {4, 0}, output[] = {4 * depth, 4};
    dmlc_plan *plan = NULL;
    const dmlc_status status = dmlc_make_one_hot(&plan, &kernels, 4, DMLC_INDEX_INT32, 0, 2, sizes, input, output, 1);
    return eighths_of_values(status, &plan, outside, 1, threads);
}

/* Nothing but what is outside. */
static int64_t eighths_of_fill(float outside, int32_t threads)
{
    static const int64_t input_sizes[] = {1000}, sizes[] = {1000000}, steps[] = {4}, start[] = {5000};
    dmlc_plan *plan = NULL;
    const dmlc_status status =
        dmlc_make_window(&plan, &kernels, 4, 1, input_sizes, steps, sizes, steps, start, DMLC_PADDING_CONSTANT);
    return eighths_of_values(status, &plan, outside, 1, threads);
}

/* `count` rows of so many elements, `step` elements apart within, one behind the other. */
static int64_t times_of_rows(int64_t width, int64_t count, int64_t size, int64_t step)
{
    const int64_t distance = step < 0 ? -step : step, zero[2] = {0, step < 0 ? (size - 1) * distance : 0};
    const int64_t sizes[] = {count, size}, input[] = {(size * distance + 3) * width, distance * width};
    const int64_t output[] = {size * width, width}, steps[] = {1, step < 0 ? -1 : 1};
    dmlc_plan *plan = NULL;
    return times_the_cache(dmlc_make_slice(&plan, &kernels, width, 2, sizes, input, output, zero, steps), &plan);
}

enum { UP = 1, DOWN = -1 };

/* Copied rows of so many bytes, with a gap behind each in the input, through which they go in such a direction. */
static int64_t times_of_copies(int64_t bytes, int64_t gap, int64_t direction)
{
    enum { ROWS = 100 };
    const int64_t first[] = {direction == DOWN ? ROWS - 1 : 0, 0}, steps[] = {direction, 1};
    const int64_t sizes[] = {ROWS, bytes}, input[] = {bytes + gap, 1}, output[] = {bytes, 1};
    dmlc_plan *plan = NULL;
    const dmlc_status status = dmlc_make_slice(&plan, &kernels, 1, 2, sizes, input, output, first, steps);
    EXPECT(plan->way == DMLC_ROWS);
    return times_the_cache(status, &plan);
}

/* `count` copied rows of so many bytes, with a gap behind each in the output. */
static int64_t times_of_gaps(int64_t count, int64_t bytes, int64_t gap)
{
    static const int64_t none[2], ones[] = {1, 1};
    const int64_t sizes[] = {count, bytes}, input[] = {bytes, 1}, output[] = {bytes + gap, 1};
    dmlc_plan *plan = NULL;
    return times_the_cache(dmlc_make_slice(&plan, &kernels, 1, 2, sizes, input, output, none, ones), &plan);
}

/* Rows of so many elements of 16 bytes, every second of the input, so many bytes apart in the output. */
static int64_t times_of_gathers(int64_t size, int64_t gap)
{
    static const int64_t none[2], ones[] = {1, 1};
    const int64_t sizes[] = {1000, size}, input[] = {48 * size, 32}, output[] = {16 * size + gap, 16};
    dmlc_plan *plan = NULL;
    return times_the_cache(dmlc_make_slice(&plan, &kernels, 16, 2, sizes, input, output, none, ones), &plan);
}

/* The columns of matrices of so many rows of two floats, as rows. */
static int64_t times_of_columns(int64_t rows)
{
    static const int64_t none[3], ones[] = {1, 1, 1};
    const int64_t sizes[] = {100000, 2, rows}, input[] = {8 * rows, 4, 8}, output[] = {8 * rows, 4 * rows, 4};
    dmlc_plan *plan = NULL;
    const dmlc_status status = dmlc_make_slice(&plan, &kernels, 4, 3, sizes, input, output, none, ones);
    EXPECT(plan->way == DMLC_ROWS);
    return times_the_cache(status, &plan);
}

/* Rows of so many pixels of four floats, of an image whose rows lie apart, as planes. */
static int64_t times_of_planes(int64_t pixels)
{
    static const int64_t none[3], ones[] = {1, 1, 1};
    const int64_t sizes[] = {1000, 4, pixels}, input[] = {16 * pixels + 60, 4, 16},
                  output[] = {4 * pixels, 4000 * pixels, 4};
    dmlc_plan *plan = NULL;
    const dmlc_status status = dmlc_make_slice(&plan, &kernels, 4, 3, sizes, input, output, none, ones);
    EXPECT(plan->way == DMLC_TRANSPOSE);
    return times_the_cache(status, &plan);
}

/* And such planes as pixels. */
static int64_t eighths_of_pixels(int32_t threads)
{
    static const int64_t none[3], ones[] = {1, 1, 1};
    static const int64_t sizes[] = {1000, 100, 4}, input[] = {460, 4, 460000}, output[] = {1600, 16, 4};
    dmlc_plan *plan = NULL;
    const dmlc_status status = dmlc_make_slice(&plan, &kernels, 4, 3, sizes, input, output, none, ones);
    EXPECT(plan->way == DMLC_TRANSPOSE);
    return eighths_of_values(status, &plan, 0, 0, threads);
}

/* Chunks of so many elements of 16 bytes, so many bytes apart in the input. */
static int64_t times_of_chunks(int64_t size, int64_t distance)
{
    static const int64_t none[2], ones[] = {1, 1};
    const int64_t sizes[] = {1000, size}, input[] = {distance, 16}, output[] = {16 * size, 16};
    dmlc_plan *plan = NULL;
    return times_the_cache(dmlc_make_slice(&plan, &kernels, 16, 2, sizes, input, output, none, ones), &plan);
}

/* So many columns of chunks of 48 bytes as rows, which are so many bytes apart in the input. */
static int64_t times_of_long_columns(int64_t columns, int64_t distance)
{
    enum { ROWS = 800000 };
    static const int64_t none[3], ones[] = {1, 1, 1};
    const int64_t sizes[] = {ROWS, columns, 6}, input[] = {distance, ROWS * distance, 8};
    const int64_t output[] = {48 * columns, 48, 8};
    dmlc_plan *plan = NULL;
    const dmlc_status status = dmlc_make_slice(&plan, &kernels, 8, 3, sizes, input, output, none, ones);
    EXPECT(plan->way == DMLC_ROWS);
    return times_the_cache(status, &plan);
}

/* Rows and columns turned around, so many bytes between the columns that are read. */
static int64_t eighths_of_transpose(int64_t width, int64_t rows, int64_t columns, int64_t gap, int32_t threads)
{
    static const int64_t none[2], ones[] = {1, 1};
    const int64_t sizes[] = {rows, columns}, input[] = {width, rows * width + gap}, output[] = {columns * width, width};
    dmlc_plan *plan = NULL;
    const dmlc_status status = dmlc_make_slice(&plan, &kernels, width, 2, sizes, input, output, none, ones);
    EXPECT(plan->way == DMLC_TRANSPOSE);
    return eighths_of_values(status, &plan, 0, 0, threads);
}

/* `count` rows of so many elements with as many around each. */
static int64_t times_of_border(int64_t width, int64_t count, int64_t size, int64_t border, dmlc_padding_mode mode)
{
    const int64_t around[] = {0, border}, whole = size + 2 * border;
    const int64_t sizes[] = {count, size}, input[] = {size * width, width}, output[] = {whole * width, width};
    dmlc_plan *plan = NULL;
    /* Of these, what stands in a border may not be read. */
    return times_the_cache_and(
        UNREAD, dmlc_make_padding(&plan, &kernels, width, 2, sizes, input, output, around, around, mode), &plan);
}

/* Rows of seven bytes, back to front. */
static int64_t times_of_short_rows(void)
{
    static const int64_t first[] = {0, 6}, steps[] = {1, -1}, sizes[] = {1000, 7}, input[] = {9, 1}, output[] = {7, 1};
    dmlc_plan *plan = NULL;
    const dmlc_status status = dmlc_make_slice(&plan, &kernels, 1, 2, sizes, input, output, first, steps);
    EXPECT(plan->way == DMLC_SHORT_ROWS);
    return times_the_cache(status, &plan);
}

/* Six bytes that lie apart, each sixteen times: one is read for sixteen that are written. */
static int64_t times_of_packed(void)
{
    static const int64_t none[3], ones[] = {1, 1, 1};
    static const int64_t sizes[] = {1600, 6, 16}, input[] = {30, 2, 0}, output[] = {96, 16, 1};
    dmlc_plan *plan = NULL;
    const dmlc_status status = dmlc_make_slice(&plan, &kernels, 1, 3, sizes, input, output, none, ones);
    EXPECT(plan->way == DMLC_PACKED);
    return times_the_cache(status, &plan);
}

/* Eighths of the cache that rows of 4000 bytes and their borders are written with, and as many counted as read. */
static int64_t eighths_of_wide_border(int64_t border, dmlc_padding_mode mode)
{
    const int64_t around[] = {0, border}, whole = 4000 + 2 * border;
    const int64_t sizes[] = {300, 4000}, input[] = {4000, 1}, output[] = {whole, 1};
    dmlc_plan *plan = NULL;
    const dmlc_status status = dmlc_make_padding(&plan, &kernels, 1, 2, sizes, input, output, around, around, mode);
    return eighths_of_values(status, &plan, 0, 1, 1);
}

/* Images of so many bytes a side with a border of one around each. */
static int64_t eighths_of_images(int64_t side, dmlc_padding_mode mode, dmlc_way way)
{
    const int64_t around[] = {0, 1, 1}, whole = side + 2, sizes[] = {5000, side, side};
    const int64_t input[] = {side * side, side, 1}, output[] = {whole * whole, whole, 1};
    dmlc_plan *plan = NULL;
    const dmlc_status status = dmlc_make_padding(&plan, &kernels, 1, 3, sizes, input, output, around, around, mode);
    EXPECT(status != DMLC_OK || plan->way == way);
    return eighths_of_values(status, &plan, 0, 1, 1);
}

/* Copies go past it as soon as they do not fit, but for those of a few lines from places that lie apart. */
static void test_copies(void)
{
    EXPECT(times_of_copies(65, 3, UP) == 1);
    EXPECT(times_of_copies(65, 255, UP) == 1);
    EXPECT(times_of_copies(65, 256, UP) == NEVER);
    EXPECT(times_of_copies(65, 175, DOWN) == 1);
    EXPECT(times_of_copies(65, 176, DOWN) == NEVER);
    EXPECT(times_of_copies(127, 383, UP) == NEVER);
    EXPECT(times_of_copies(128, 383, UP) == 1);
    EXPECT(times_of_copies(128, 383, DOWN) == 1);
    EXPECT(times_of_copies(319, 384, UP) == NEVER);
    EXPECT(times_of_copies(319, 5000, DOWN) == NEVER);
    EXPECT(times_of_copies(320, 5000, UP) == 1);
    EXPECT(times_of_copies(192, 3, UP) == 1);
    EXPECT(times_of_rows(4, 100, 100, 1) == 1);
    EXPECT(times_of_rows(4, 100, 5000, 1) == 1);
}

/* Gathers are made a stage at a time. */
static void test_gathers(void)
{
    EXPECT(times_of_planes(127) == 4);
    EXPECT(times_of_planes(128) == 1);
    EXPECT(eighths_of_pixels(1) == 6);
    EXPECT(eighths_of_pixels(2) == 10);
    EXPECT(times_of_columns(99) == NEVER);
    EXPECT(times_of_columns(100) == 1);
    EXPECT(times_of_rows(4, 100, 5000, 2) == 1);
    EXPECT(times_of_rows(4, 100, 5000, -1) == 1);
    EXPECT(times_of_rows(1, 100, 20, -1) == 1);
    EXPECT(times_of_rows(16, 100, 100, 5) == 1);
    EXPECT(times_of_rows(16, 100, 100, -1) == 1);
    EXPECT(times_of_chunks(3, 144) == 1);
    EXPECT(times_of_long_columns(20, 48) == 1);
    EXPECT(times_of_long_columns(21, 48) == NEVER);
    EXPECT(times_of_long_columns(7, 48) == 1);
    EXPECT(times_of_long_columns(20, 64) == 1);
    EXPECT(times_of_long_columns(20, 72) == NEVER);
    EXPECT(times_of_chunks(1, 128) == 1);
    EXPECT(times_of_chunks(1, 144) == NEVER);
    EXPECT(times_of_chunks(4, 160) == 1);
    EXPECT(times_of_chunks(4, 176) == NEVER);
    EXPECT(times_of_rows(1, 100, 5000, 8) == 1);
    EXPECT(times_of_rows(1, 100, 5000, 9) == NEVER);
    EXPECT(times_of_rows(4, 100, 5000, -8) == 1);
    EXPECT(times_of_rows(4, 100, 5000, -9) == NEVER);
}

/* Short rows are made a stage at a time; what is packed is made in the cache first. */
static void test_small_leaves(void)
{
    EXPECT(times_of_short_rows() == 1);
    EXPECT(times_of_packed() == 8); /* 17 bytes of 32, four times */
}

/* Images that are a box each are made one after the other; of others the first and the last lines lie elsewhere. */
static void test_images(void)
{
    EXPECT(eighths_of_images(12, DMLC_PADDING_CONSTANT, DMLC_SHUFFLES) == 7); /* their border is not read */
    EXPECT(eighths_of_images(12, DMLC_PADDING_EDGE, DMLC_SHUFFLES) == 6);
    EXPECT(eighths_of_images(40, DMLC_PADDING_EDGE, DMLC_SHUFFLES) == NEVER);
}

/* Three planes of rows of 100 bytes as one, with kernels that have lanes and that have whole vectors. */
static void test_stacks(void)
{
    static const struct {
        const dmlc_abilities *abilities;
        dmlc_way way;
        int64_t eighths;
    } tables[] = {{&dmlc_abilities_avx2, DMLC_MOVES, 6}, {&dmlc_abilities_avx512, DMLC_SHUFFLES, 8}};
    static const int64_t sizes[] = {3000, 3, 100}, input[] = {100, 300000, 1}, output[] = {300, 100, 1};
    static const int64_t none[3], ones[] = {1, 1, 1};
    for (int32_t i = 0; i < 2; ++i) {
        const dmlc_kernels of = {.abilities = tables[i].abilities};
        dmlc_plan *plan = NULL;
        const dmlc_status status = dmlc_make_slice(&plan, &of, 1, 3, sizes, input, output, none, ones);
        EXPECT(plan->way == tables[i].way);
        EXPECT(eighths_of_values(status, &plan, 0, 1, 1) == tables[i].eighths);
    }
}

/* Of runs side by side all that moves is asked: chunks are turned in the cache. */
static void test_side_by_side(void)
{
    EXPECT(!dmlc_columns_go_past_cache(64, 2, 9 * CACHE, 1));
    EXPECT(!dmlc_columns_go_past_cache(65, 2, CACHE, 1) && dmlc_columns_go_past_cache(65, 2, CACHE + LITTLE, 1));
    EXPECT(!dmlc_columns_go_past_cache(65, 2, CACHE / 4 * 5, 2) &&
           dmlc_columns_go_past_cache(65, 2, CACHE / 4 * 5 + LITTLE, 2));
    EXPECT(dmlc_columns_go_past_cache(65, 16, 9 * CACHE, 1) && !dmlc_columns_go_past_cache(511, 17, 9 * CACHE, 1));
    EXPECT(dmlc_columns_go_past_cache(512, 17, 9 * CACHE, 1));
}

/* Short rows that lie apart never gain, and longer ones where they lie near each other. */
static void test_copies_with_gaps(void)
{
    EXPECT(times_of_gaps(100, 320, 16) == NEVER);
    EXPECT(times_of_gaps(100, 359, 127) == NEVER);
    EXPECT(times_of_gaps(100, 360, 127) == 1);
    EXPECT(times_of_gaps(100, 320, 128) == 1);
    EXPECT(times_of_gaps(100, 132, 128) == 1);
    EXPECT(times_of_gaps(100, 131, 128) == NEVER);
    EXPECT(times_of_gaps(100, 131, 191) == NEVER);
    EXPECT(times_of_gaps(100, 100, 192) == 1);
    EXPECT(times_of_gaps(100, 99, 192) == NEVER);
    EXPECT(times_of_gaps(100, 99, 5000) == NEVER);
    EXPECT(times_of_gaps(1, 320, 16) == 1);
}

static void test_gathers_with_gaps(void)
{
    EXPECT(times_of_gathers(20, 0) == 1);
    EXPECT(times_of_gathers(20, 16) == NEVER);
    EXPECT(times_of_gathers(20, 112) == NEVER);
    EXPECT(times_of_gathers(20, 128) == 1);
    EXPECT(times_of_gathers(9, 128) == 1);
    EXPECT(times_of_gathers(8, 128) == NEVER);
    EXPECT(times_of_gathers(7, 512) == 1);
    EXPECT(times_of_gathers(6, 512) == NEVER);
    EXPECT(times_of_gathers(22, 16) == NEVER);
    EXPECT(times_of_gathers(23, 16) == 1);
}

/* Whatever stands at a row's ends. */
static void test_borders(void)
{
    static const dmlc_padding_mode modes[] = {DMLC_PADDING_CONSTANT, DMLC_PADDING_EDGE, DMLC_PADDING_REFLECTION,
                                              DMLC_PADDING_SYMMETRIC, DMLC_PADDING_WRAP};
    for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); ++i) {
        EXPECT(times_of_border(4, 30, 10000, 100, modes[i]) == 1);
        EXPECT(times_of_border(4, 1, 100000, 100, modes[i]) == 1);
        EXPECT(times_of_border(1, 30, 100000, 1000, modes[i]) == 1);
        EXPECT(times_of_border(4, 300, 1000, 2, modes[i]) == 1);
        EXPECT(times_of_border(4, 3000, 100, 2, modes[i]) == 1);
    }
}

/* The same rows with a border that is short, `gap` elements apart in the output: what is a little more than the cache by one thread, and
 * by two or much more. */
static void test_short_borders(void)
{
    static const struct {
        const dmlc_abilities *abilities;
        int64_t size, gap;
        bool gains_soon, gains;
    } rows[] = {
        {&dmlc_abilities_avx2, 55, 0, false, false},   {&dmlc_abilities_avx2, 56, 0, false, true},
        {&dmlc_abilities_avx2, 59, 0, false, true},    {&dmlc_abilities_avx2, 60, 0, true, true},
        {&dmlc_abilities_avx2, 100, 4, false, false},  {&dmlc_abilities_avx2, 100, 32, true, true},
        {&dmlc_abilities_avx2, 123, 4, false, false},  {&dmlc_abilities_avx2, 124, 4, true, true},
        {&dmlc_abilities_avx512, 59, 0, false, true},  {&dmlc_abilities_avx512, 60, 0, true, true},
        {&dmlc_abilities_avx512, 100, 0, true, true},  {&dmlc_abilities_avx512, 100, 4, false, false},
        {&dmlc_abilities_avx512, 100, 32, true, true}, {&dmlc_abilities_avx512, 123, 4, false, false},
        {&dmlc_abilities_avx512, 124, 4, true, true},
    };
    static const int64_t around[] = {0, 2};
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); ++i) {
        const dmlc_kernels of = {.abilities = rows[i].abilities};
        const int64_t size = rows[i].size, sizes[] = {3000, size}, input[] = {4 * size, 4},
                      output[] = {4 * (size + 4 + rows[i].gap), 4};
        dmlc_plan *plan = NULL;
        dmlc_pattern patterns[2];
        set_patterns(patterns, 0, 1);
        EXPECT(dmlc_make_padding(&plan, &of, 4, 2, sizes, input, output, around, around, DMLC_PADDING_EDGE) == DMLC_OK);
        EXPECT(plan->way == DMLC_ENDS);
        EXPECT(dmlc_goes_past_cache(plan, patterns, 2 * CACHE, 1) == rows[i].gains_soon);
        EXPECT(dmlc_goes_past_cache(plan, patterns, 3 * CACHE, 2) == rows[i].gains);
        EXPECT(dmlc_goes_past_cache(plan, patterns, 9 * CACHE, 1) == rows[i].gains);
        dmlc_plan_free(plan);
    }
}

/* Rows of twenty bytes that are filled, a border on either side, and then copied to. */
static void test_filled_rows(void)
{
    static const struct {
        const dmlc_abilities *abilities;
        int64_t border;
        bool gains_on_one, gains_on_two;
    } rows[] = {{&dmlc_abilities_avx2, 20, false, true}, {&dmlc_abilities_avx2, 85, false, true},
                {&dmlc_abilities_avx2, 86, true, true},  {&dmlc_abilities_neon, 20, false, true},
                {&dmlc_abilities_neon, 86, true, true},  {&dmlc_abilities_avx512, 66, false, false}};
    dmlc_pattern patterns[2];
    set_patterns(patterns, 0, 1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); ++i) {
        const dmlc_kernels of = {.abilities = rows[i].abilities};
        const int64_t around[] = {0, rows[i].border}, whole = 20 + 2 * rows[i].border;
        const int64_t sizes[] = {3000, 20}, input[] = {20, 1}, output[] = {whole, 1};
        dmlc_plan *plan = NULL;
        EXPECT(dmlc_make_padding(&plan, &of, 1, 2, sizes, input, output, around, around, DMLC_PADDING_CONSTANT) ==
               DMLC_OK);
        EXPECT(plan->way == DMLC_FILLED_ROWS);
        EXPECT(dmlc_goes_past_cache(plan, patterns, 2 * CACHE, 1) == rows[i].gains_on_one);
        EXPECT(dmlc_goes_past_cache(plan, patterns, 3 * CACHE, 2) == rows[i].gains_on_two);
        EXPECT(!dmlc_goes_past_cache(plan, patterns, CACHE, 1));
        EXPECT(dmlc_goes_past_cache(plan, patterns, 9 * CACHE, 1));
        dmlc_plan_free(plan);
    }
}

/* What stands in a border is no more to read. */
static void test_wide_borders(void)
{
    EXPECT(eighths_of_wide_border(0, DMLC_PADDING_EDGE) == 8);
    EXPECT(eighths_of_wide_border(2000, DMLC_PADDING_EDGE) == 11); /* 8000 bytes of 4002 */
    EXPECT(eighths_of_wide_border(2000, DMLC_PADDING_CONSTANT) == 11);
    EXPECT(eighths_of_wide_border(6000, DMLC_PADDING_WRAP) == 13); /* 16000 of 4000 */
    EXPECT(eighths_of_wide_border(2000, DMLC_PADDING_REFLECTION) == 8);
}

/* Rows and columns that are turned in a stage. Others are short runs, but for elements of 16 bytes, which go past the cache row by row. */
static void test_transposes(void)
{
    for (int64_t width = 1; width <= 8; width *= 2) {
        const int64_t columns = 512 / width;
        EXPECT(eighths_of_transpose(width, 60, columns, 0, 1) == (width == 1 ? 32 : 6));
        EXPECT(eighths_of_transpose(width, 100, columns, 0, 1) == 6);
        EXPECT(eighths_of_transpose(width, 100, columns, 40, 1) == 6);
        EXPECT(eighths_of_transpose(width, 100, columns, 0, 2) == 8);
        EXPECT(eighths_of_transpose(width, 60, columns - 1, 0, 1) == 32);
    }
    EXPECT(eighths_of_transpose(4, 128, 17, 0, 1) == 6);
    EXPECT(eighths_of_transpose(4, 128, 17, 40, 1) == 6);
    EXPECT(eighths_of_transpose(4, 127, 17, 0, 1) == 32);
    EXPECT(eighths_of_transpose(4, 128, 16, 0, 1) == 32);
    EXPECT(eighths_of_transpose(1, 600, 500, 0, 1) == 32);
    EXPECT(eighths_of_transpose(16, 100, 200, 0, 1) == 6);
    EXPECT(eighths_of_transpose(16, 1022, 1992, 0, 2) == 8);
}

/* Zeros go past it early, other values late, and what is half of each in between. */
static void test_values(void)
{
    EXPECT(eighths_of_fill(0, 1) == 4);
    EXPECT(eighths_of_fill(0, 2) == 6);
    EXPECT(eighths_of_fill(1, 1) == 10);
    EXPECT(eighths_of_fill(1, 2) == 16);
    EXPECT(eighths_of_fill(-0.0f, 1) == 10); /* whose bits are not all zero */
    EXPECT(eighths_of_planes(19, 0, 1) == 4);
    EXPECT(eighths_of_planes(19, 0, 2) == 5);
    EXPECT(eighths_of_planes(19, -1, 2) == 16);
    EXPECT(eighths_of_planes(4, 0, 1) == 8);   /* of which each line has some of another value */
    EXPECT(eighths_of_planes(500, 0, 1) == 4); /* scattered, in the cache */
    EXPECT(eighths_of_planes(500, 0, 2) == 5);
    EXPECT(eighths_of_planes_of(1, 255, 0, 1) == 4);
    EXPECT(eighths_of_planes_of(1, 256, 0, 1) == 32); /* indices do not fit into a byte */
    EXPECT(eighths_of_sequences(30, 0, 1) == 10);
    EXPECT(eighths_of_sequences(30, 0, 2) == 16);
    EXPECT(eighths_of_sequences(100, 0, 1) == 7);
    EXPECT(eighths_of_sequences(100, 0, 2) == 8);
    EXPECT(eighths_of_sequences(100, -1, 1) == 10);
    EXPECT(eighths_of_sequences(210, 0, 1) == 7);
    EXPECT(eighths_of_sequences(215, 0, 1) == 5);
    EXPECT(eighths_of_sequences(215, 0, 2) == 7);
    EXPECT(eighths_of_sequences(1000, 0, 1) == 4);
    EXPECT(eighths_of_sequences(1000, 0, 2) == 6);
    for (int32_t threads = 1; threads <= 2; ++threads) {
        const int64_t zeros = threads == 1 ? 4 : 6, most = threads == 1 ? 5 : 7, half = threads == 1 ? 7 : 8,
                      others = threads == 1 ? 10 : 16;
        EXPECT(eighths_of_band(-2000, 1, 0, 1, threads) == half);
        EXPECT(eighths_of_band(-2000, 1, 1, 0, threads) == half);
        EXPECT(eighths_of_band(1, -2000, 0, 1, threads) == half);
        EXPECT(eighths_of_band(-2000, 2000, 0, 1, threads) == others);
        EXPECT(eighths_of_band(-2000, 2000, 1, 0, threads) == zeros);
        EXPECT(eighths_of_band(1800, -1800, 0, 1, threads) == zeros);
        EXPECT(eighths_of_band(-2000, 1, 0, 0, threads) == zeros);
        EXPECT(eighths_of_band(-2000, 1, 1, 2, threads) == others);
        EXPECT(eighths_of_band(0, 1, 0, 1, threads) == zeros);
        EXPECT(eighths_of_band(0, 1, 1, 0, threads) == others);
        EXPECT(eighths_of_band(50, 0, 1, 0, threads) == zeros);
        EXPECT(eighths_of_band(100, 0, 1, 0, threads) == most);
        EXPECT(eighths_of_band(300, 0, 1, 0, threads) == most);
        EXPECT(eighths_of_band(350, 0, 1, 0, threads) == half);
    }
}

static void test_triangles(void)
{
    EXPECT(eighths_of_triangle(8000, 1) == 6);
    EXPECT(eighths_of_triangle(8000, 2) == 8);
    EXPECT(eighths_of_triangle(8100, 1) == 8);
    EXPECT(eighths_of_triangle(8100, 2) == 10);
    EXPECT(eighths_of_set_triangles(2000, 1) == 4);
    EXPECT(eighths_of_set_triangles(2000, 2) == 6);
    EXPECT(eighths_of_set_triangles(100, 1) == 10);
    EXPECT(eighths_of_set_triangles(100, 2) == 10);
    EXPECT(eighths_of_set_triangles(90, 1) == NEVER);
}

int main(void)
{
    dmlc_set_cache_bytes(CACHE);
    test_copies();
    test_gathers();
    test_small_leaves();
    test_images();
    test_stacks();
    test_side_by_side();
    test_copies_with_gaps();
    test_gathers_with_gaps();
    test_borders();
    test_short_borders();
    test_filled_rows();
    test_wide_borders();
    test_transposes();
    test_values();
    test_triangles();
    return expectations_met();
}
