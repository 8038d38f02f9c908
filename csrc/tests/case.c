#include "case.h"

#include <inttypes.h>
#include <string.h>

static int64_t draw_size(choices *from, int64_t most)
{
    int64_t size = 1;
    switch (choose(from, 16)) {
    case 0:
    case 1: size = 1; break;
    case 2:
    case 3:
    case 4: size = choose_between(from, 15, 70); break;
    case 5: size = choose_between(from, 120, 1100); break;
    case 6: size = choose_between(from, 1, 1 << 18); break;
    case 7: size = once_in(from, 4) ? 0 : 2; break;
    default: size = choose_between(from, 2, 9); break;
    }
    return size < most ? size : most;
}

/* Sizes whose product is at most `most`; any axis may have the largest. */
static void draw_sizes(int64_t *sizes, int32_t rank, int64_t most, choices *from)
{
    const int32_t first = rank > 0 ? (int32_t)choose(from, rank) : 0;
    for (int32_t i = 0; i < rank; ++i) {
        const int32_t axis = (first + i) % rank;
        sizes[axis] = draw_size(from, most);
        most /= sizes[axis] > 0 ? sizes[axis] : 1;
    }
}

static void draw_order(int32_t *order, int32_t rank, choices *from)
{
    const bool shuffled = once_in(from, 2);
    for (int32_t i = 0; i < rank; ++i) {
        const int32_t place = shuffled ? i - (int32_t)choose(from, i + 1) : i;
        order[i] = order[place];
        order[place] = i;
    }
}

/* Each axis steps over all that is inside it, and over a gap. */
static void nest(test_tensor *tensor, int32_t rank, int64_t width, bool gaps, choices *from)
{
    int32_t order[DMLC_MAXIMUM_RANK];
    draw_order(order, rank, from);
    int64_t inside = width;
    for (int32_t i = rank - 1; i >= 0; --i) {
        const int32_t axis = order[i];
        const int64_t size = tensor->sizes[axis] > 0 ? tensor->sizes[axis] : 1;
        if (gaps && once_in(from, 3))
            inside += once_in(from, 2) ? width * choose_between(from, 1, 3) : choose_between(from, 1, 70);
        tensor->strides[axis] = once_in(from, 4) ? -inside : inside;
        inside *= size;
        if (inside > TEST_MOST_BYTES)
            inside = TEST_MOST_BYTES + 1;
    }
}

/* Along a size of 0 or 1 a stride has no meaning. */
static void draw_wild_strides(test_tensor *tensor, int32_t rank, choices *from)
{
    for (int32_t i = 0; i < rank; ++i)
        if (tensor->sizes[i] < 2 && once_in(from, 4))
            tensor->strides[i] = (int64_t)choose_bits(from, 8) >> 2;
}

static void draw_input_layout(test_tensor *tensor, int32_t rank, int64_t width, choices *from)
{
    const int64_t kind = choose(from, 4);
    nest(tensor, rank, width, kind != 0, from);
    for (int32_t i = 0; i < rank; ++i) {
        if (kind == 2 && once_in(from, 3))
            tensor->strides[i] = 0;
        if (kind == 3)
            tensor->strides[i] = choose_between(from, -100, 100);
    }
    draw_wild_strides(tensor, rank, from);
    for (int32_t i = 0; i < rank; ++i) {
        test_tensor_measure(tensor, rank, width);
        if (tensor->bytes <= TEST_MOST_BYTES)
            break;
        if (tensor->sizes[i] > 1)
            tensor->strides[i] = 0;
    }
    test_tensor_measure(tensor, rank, width);
}

static bool elements_are_distinct(const test_tensor *tensor, int32_t rank, int64_t width)
{
    if (tensor->bytes > 1 << 16)
        return false;
    static bool taken[1 << 16];
    memset(taken, 0, sizeof(taken));
    int64_t c[DMLC_MAXIMUM_RANK] = {0};
    if (test_elements(tensor, rank) == 0)
        return true;
    do {
        int64_t at = tensor->below;
        for (int32_t i = 0; i < rank; ++i)
            if (c[i] != 0)
                at += c[i] * tensor->strides[i];
        for (int64_t i = 0; i < width; ++i) {
            if (taken[at + i])
                return false;
            taken[at + i] = true;
        }
    } while (test_next(c, tensor, rank));
    return true;
}

/* Elements share no memory: nested, or interleaved where that happens to come out. */
static void draw_output_layout(test_tensor *tensor, int32_t rank, int64_t width, choices *from)
{
    const int64_t kind = choose(from, 4);
    if (kind == 3) {
        for (int32_t i = 0; i < rank; ++i)
            tensor->strides[i] = width * choose_between(from, -12, 12);
        test_tensor_measure(tensor, rank, width);
        if (elements_are_distinct(tensor, rank, width))
            return;
    }
    nest(tensor, rank, width, kind != 0, from);
    draw_wild_strides(tensor, rank, from);
    test_tensor_measure(tensor, rank, width);
    if (tensor->bytes > TEST_MOST_BYTES) {
        nest(tensor, rank, width, false, from);
        test_tensor_measure(tensor, rank, width);
    }
}

/* Many rows of which most is filled: a way of its own is for such, and few other draws come to it. */
static void draw_filled_rows(test_case *test, int64_t most_elements, choices *from)
{
    const int32_t last = test->rank - 1;
    const int64_t row = choose_between(from, 65, 256) / test->width, kept = choose_between(from, 1, row < 6 ? row : 6);
    for (int32_t i = 0; i < last; ++i)
        test->output.sizes[i] = test->input.sizes[i] = i == 0 ? most_elements / row : 1;
    test->mode = DMLC_PADDING_CONSTANT;
    test->output.sizes[last] = row;
    test->input.sizes[last] = kept;
    test->start[last] = choose_between(from, 0, row - kept);
    test->end[last] = row - kept - test->start[last];
}

/* Inside the input, overlapping it on either side, or some turns away. */
static void draw_window(test_case *test, choices *from)
{
    test->mode = (dmlc_padding_mode)choose(from, 5);
    for (int32_t i = 0; i < test->rank; ++i) {
        const int64_t size = test->output.sizes[i];
        int64_t n = once_in(from, 2) ? choose_between(from, 1, 9) : choose_between(from, 1, size + 9);
        if (test->mode == DMLC_PADDING_CONSTANT && once_in(from, 32))
            n = 0;
        const int64_t far = once_in(from, 3) ? 3 * n + 5 : 3;
        test->input.sizes[i] = n;
        test->start[i] = choose_between(from, -size - far, n + far);
    }
}

static void draw_padding(test_case *test, choices *from)
{
    test->mode = (dmlc_padding_mode)choose(from, 5);
    for (int32_t i = 0; i < test->rank; ++i) {
        const int64_t size = test->output.sizes[i];
        int64_t kept = size;
        if (size > 0 && once_in(from, 2))
            kept = once_in(from, 3) ? choose_between(from, 1, size) : size - choose(from, size < 6 ? size : 6);
        if (test->mode == DMLC_PADDING_CONSTANT && once_in(from, 32))
            kept = 0;
        test->input.sizes[i] = kept;
        test->start[i] = choose_between(from, 0, size - kept);
        test->end[i] = size - kept - test->start[i];
    }
}

static void draw_slice(test_case *test, choices *from)
{
    static const int64_t steps[] = {1, 1, 1, -1, 2, 3, 4, -2, -3, -4, 5, 7, -7, 0, 17, -1};
    for (int32_t i = 0; i < test->rank; ++i) {
        const int64_t size = test->output.sizes[i];
        const int64_t step = steps[choose(from, sizeof(steps) / sizeof(steps[0]))];
        const int64_t reach = size > 0 ? (size - 1) * (step < 0 ? -step : step) : -1;
        const int64_t before = once_in(from, 3) ? choose(from, 9) : 0;
        const int64_t after = once_in(from, 3) ? choose(from, 9) : 0;
        test->steps[i] = step;
        test->offsets[i] = before + (step < 0 && size > 0 ? reach : 0);
        test->input.sizes[i] = before + reach + 1 + after;
    }
}

static void draw_one_hot(test_case *test, choices *from)
{
    test->axis = (int32_t)choose(from, test->rank);
    test->index_type = (dmlc_index_type)choose(from, 8);
    test->from_end = (int32_t)choose(from, 2);
    memcpy(test->input.sizes, test->output.sizes, sizeof(test->input.sizes));
    test->input.sizes[test->axis] = 1;
}

static int64_t draw_diagonal(choices *from)
{
    switch (choose(from, 8)) {
    case 0: return -(INT64_C(1) << 62);
    case 1: return INT64_C(1) << 62;
    case 2: return choose_between(from, -1200, 1200);
    case 3:
    case 4: return choose_between(from, -80, 80);
    default: return choose_between(from, -5, 5);
    }
}

static void draw_diagonal_matrix(test_case *test, choices *from)
{
    test->band_begin = draw_diagonal(from);
    test->band_end = draw_diagonal(from);
    test->background = (dmlc_band_background)choose(from, 3);
    memcpy(test->input.sizes, test->output.sizes, sizeof(test->input.sizes));
}

void test_draw(test_case *test, choices *from, int64_t most_elements, uint64_t *contents)
{
    memset(test, 0, sizeof(*test));
    *contents = choose_bits(from, 2);
    test->kind = (test_operator)choose(from, TEST_OPERATORS);
    test->width = INT64_C(1) << choose(from, 5);
    test->threads = 1 + (int32_t)choose(from, 2);
    const int32_t least = test->kind == TEST_ONE_HOT ? 1 : test->kind == TEST_DIAGONAL_MATRIX ? 2 : 0;
    test->rank = (int32_t)(once_in(from, 40)  ? choose_between(from, 9, DMLC_MAXIMUM_RANK)
                           : once_in(from, 3) ? choose_between(from, least, 8)
                                              : choose_between(from, least, 4));
    draw_sizes(test->output.sizes, test->rank, most_elements, from);
    switch (test->kind) {
    case TEST_PADDING:
        if (test->rank > 1 && once_in(from, 4))
            draw_filled_rows(test, most_elements, from);
        else
            draw_padding(test, from);
        break;
    case TEST_WINDOW: draw_window(test, from); break;
    case TEST_SLICE: draw_slice(test, from); break;
    case TEST_ONE_HOT: draw_one_hot(test, from); break;
    case TEST_DIAGONAL_MATRIX: draw_diagonal_matrix(test, from); break;
    }
    draw_output_layout(&test->output, test->rank, test->width, from);
    draw_input_layout(&test->input, test->rank, test_input_width(test), from);
    if (test->kind == TEST_ONE_HOT)
        test->input.strides[test->axis] = choose_between(from, -1000, 1000); /* ignored */
    uint64_t values = *contents ^ UINT64_C(0x5555);
    random_bytes(&values, (uint8_t *)test->values, sizeof(test->values));
}

static void print_integers(FILE *file, const char *name, const int64_t *values, int32_t count)
{
    fprintf(file, "  %s", name);
    for (int32_t i = 0; i < count; ++i)
        fprintf(file, "%s%" PRId64, i == 0 ? " {" : ", ", values[i]);
    fputs(count == 0 ? " {}\n" : "}\n", file);
}

void test_print(const test_case *test, FILE *file)
{
    static const char *const names[TEST_OPERATORS] = {
        [TEST_PADDING] = "padding", [TEST_SLICE] = "slice",
        [TEST_ONE_HOT] = "one-hot", [TEST_DIAGONAL_MATRIX] = "diagonal matrix",
        [TEST_WINDOW] = "window",
    };
    fprintf(file, "%s of width %" PRId64 ", rank %d, %d threads\n", names[test->kind], test->width, (int)test->rank,
            (int)test->threads);
    print_integers(file, "output sizes", test->output.sizes, test->rank);
    print_integers(file, "output strides", test->output.strides, test->rank);
    print_integers(file, "input sizes", test->input.sizes, test->rank);
    print_integers(file, "input strides", test->input.strides, test->rank);
    switch (test->kind) {
    case TEST_WINDOW:
    case TEST_PADDING:
        print_integers(file, "start", test->start, test->rank);
        print_integers(file, "end", test->end, test->rank);
        fprintf(file, "  mode %d\n", (int)test->mode);
        break;
    case TEST_SLICE:
        print_integers(file, "offsets", test->offsets, test->rank);
        print_integers(file, "steps", test->steps, test->rank);
        break;
    case TEST_ONE_HOT:
        fprintf(file, "  axis %d, index type %d, from_end %d\n", (int)test->axis, (int)test->index_type,
                (int)test->from_end);
        break;
    case TEST_DIAGONAL_MATRIX:
        fprintf(file, "  begin %" PRId64 ", end %" PRId64 ", background %d\n", test->band_begin, test->band_end,
                (int)test->background);
        break;
    }
}
