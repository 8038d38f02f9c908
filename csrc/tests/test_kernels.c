/* Rows and transposes of every table, called as no plan may come to call them: gathers of each chunk size and step, the planes
 * of pixels, pixels of planes, and tiles of all sizes, between pages that no one may touch. */
#include "dispatch/dispatch.h"
#include "expect.h"
#include "guarded.h"

#include <inttypes.h>
#include <string.h>

/* Bytes beside the output's own are looked at too. */
enum { MEMORY = 1 << 20, BESIDE = 256, UNTOUCHED = 0x5A };

/* output[r * output_row + c * chunk] = input[r * input_row + c * step] */
typedef struct gather {
    int64_t chunk, rows, columns;
    int64_t output_row, input_row, step;
} gather;

static guarded output, input, wanted;

static int64_t least(int64_t count, int64_t step) { return step < 0 ? (count - 1) * step : 0; }
static int64_t most(int64_t count, int64_t step) { return step > 0 ? (count - 1) * step : 0; }

/* Both operands begin, or end, with the memory that may be touched. */
static bool is_right(const gather *some, bool transposed, bool at_the_end)
{
    const int64_t below = least(some->rows, some->input_row) + least(some->columns, some->step);
    const int64_t above = most(some->rows, some->input_row) + most(some->columns, some->step) + some->chunk;
    const int64_t bytes = (some->rows - 1) * some->output_row + some->columns * some->chunk;
    const char *from = at_the_end ? (char *)input.end - above : (char *)input.begin - below;
    char *to = at_the_end ? (char *)output.end - bytes : (char *)output.begin;
    char *expected_to = at_the_end ? (char *)wanted.end - bytes : (char *)wanted.begin;
    const int64_t before = at_the_end ? BESIDE : 0;
    const size_t looked_at = (size_t)(bytes + BESIDE);
    memset(to - before, UNTOUCHED, looked_at);
    memset(expected_to - before, UNTOUCHED, looked_at);
    for (int64_t r = 0; r < some->rows; ++r)
        for (int64_t c = 0; c < some->columns; ++c)
            memcpy(expected_to + r * some->output_row + c * some->chunk, from + r * some->input_row + c * some->step,
                   (size_t)some->chunk);
    const dmlc_axis axis = {
        .size = some->columns,
        .output_step = some->chunk,
        .cycle = some->columns,
        .segment_count = 1,
        .segments = {{.size = some->columns, .step = some->step}},
    };
    const dmlc_row row = dmlc_row_of(&axis, some->chunk, 0, some->columns);
    const dmlc_pattern pattern = {.width = some->chunk};
    const dmlc_kernels *kernels = dmlc_kernels_in_use();
    const dmlc_block block = {
        .output = to,
        .output_step = some->output_row,
        .input = from,
        .input_step = some->input_row,
        .count = some->rows,
        .pattern = &pattern,
    };
    if (transposed)
        kernels->transpose(&row, NULL, NULL, &block);
    else
        kernels->rows(&row, NULL, &block);
    return memcmp(to - before, expected_to - before, looked_at) == 0;
}

static void test_gather(const char *name, gather some, bool transposed)
{
    for (int at_the_end = 0; at_the_end < 2; ++at_the_end) {
        ++expected;
        if (is_right(&some, transposed, at_the_end))
            continue;
        ++failed;
        fprintf(stderr,
                "%s, %s: %" PRId64 " rows of %" PRId64 " chunks of %" PRId64 ", from %" PRId64 " and %" PRId64
                " apart\n",
                dmlc_isa(), name, some.rows, some.columns, some.chunk, some.input_row, some.step);
    }
}

/* 1, 2, 3 .. and then a few that are not small. */
static int64_t next_count(int64_t count) { return count < 70 ? count + 1 : count + 61; }
enum { MOST_COUNT = 320 };

static void test_steps(int64_t chunk)
{
    for (int64_t step = -4; step <= 5; ++step)
        for (int64_t count = 1; count < MOST_COUNT; count = next_count(count))
            for (int64_t rows = 1; rows <= 3; rows += 2) {
                const gather forward = {chunk, rows, count, count * chunk + 1, count * 5 * chunk + 3, step * chunk};
                gather back = forward;
                back.input_row = -forward.input_row;
                test_gather("steps", forward, false);
                test_gather("steps", back, false);
            }
}

static void test_pixels(int64_t chunk)
{
    for (int64_t planes = 2; planes <= 5; ++planes)
        for (int64_t pixels = 1; pixels < MOST_COUNT; pixels = next_count(pixels)) {
            const int64_t plane = pixels * chunk + 5;
            const gather from_pixels = {chunk, planes, pixels, plane, chunk, planes * chunk};
            const gather to_pixels = {chunk, pixels, planes, planes * chunk, chunk, plane};
            gather back = from_pixels, to_back = to_pixels;
            back.input_row = -chunk;
            to_back.step = -plane;
            test_gather("pixels to planes", from_pixels, false);
            test_gather("pixels to planes", from_pixels, true);
            test_gather("pixels to planes, back to front", back, false);
            test_gather("planes to pixels", to_pixels, false);
            test_gather("planes to pixels", to_pixels, true);
            test_gather("planes to pixels, back to front", to_back, true);
        }
}

static void test_tiles(int64_t chunk)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 23, 31, 32, 33, 47, 64, 65, 100, 102, 125};
    enum { SIZES = sizeof(sizes) / sizeof(sizes[0]) };
    for (int r = 0; r < SIZES; ++r)
        for (int c = 0; c < SIZES; ++c) {
            const int64_t rows = sizes[r], columns = sizes[c];
            test_gather("tiles", (gather){chunk, rows, columns, columns * chunk, chunk, rows * chunk + 3}, true);
            test_gather("tiles", (gather){chunk, rows, columns, columns * chunk + 7, chunk, -rows * chunk}, true);
        }
}

int main(void)
{
    output = guarded_allocate(MEMORY / 4);
    wanted = guarded_allocate(MEMORY / 4);
    input = guarded_allocate(MEMORY);
    for (int64_t i = 0; i < input.end - input.begin; ++i)
        input.begin[i] = (uint8_t)((uint64_t)i * UINT64_C(0x9E3779B97F4A7C15) >> 32);
    static const int64_t chunks[] = {1, 2, 3, 4, 6, 8, 12, 16};
    for (int32_t isa = 0; dmlc_isa_name(isa) != NULL; ++isa) {
        dmlc_set_isa(dmlc_isa_name(isa));
        for (size_t i = 0; i < sizeof(chunks) / sizeof(chunks[0]); ++i) {
            test_steps(chunks[i]);
            test_pixels(chunks[i]);
            test_tiles(chunks[i]);
        }
    }
    return expectations_met();
}
