#include "case.h"

#include "dispatch/dispatch.h"
#include "guarded.h"
#include "plan/cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What a tensor may span. */
enum { MOST_BYTES = 1 << 24 };

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
        if (inside > MOST_BYTES)
            inside = MOST_BYTES + 1;
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
        if (tensor->bytes <= MOST_BYTES)
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
    if (tensor->bytes > MOST_BYTES) {
        nest(tensor, rank, width, false, from);
        test_tensor_measure(tensor, rank, width);
    }
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
    test->kind = (test_operator)choose(from, 5);
    test->width = INT64_C(1) << choose(from, 5);
    test->threads = 1 + (int32_t)choose(from, 2);
    const int32_t least = test->kind == TEST_ONE_HOT ? 1 : test->kind == TEST_DIAGONAL_MATRIX ? 2 : 0;
    test->rank = (int32_t)(once_in(from, 40)  ? choose_between(from, 9, DMLC_MAXIMUM_RANK)
                           : once_in(from, 3) ? choose_between(from, least, 8)
                                              : choose_between(from, least, 4));
    draw_sizes(test->output.sizes, test->rank, most_elements, from);
    switch (test->kind) {
    case TEST_PADDING: draw_padding(test, from); break;
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

/* Indices around both ends of [-depth, depth), and the extremes of their type. */
static void fill_indices(const test_case *test, uint8_t *indices, uint64_t *contents)
{
    const int64_t width = test_input_width(test);
    const int64_t depth = test->output.sizes[test->axis];
    if (test_elements(&test->input, test->rank) == 0)
        return;
    int64_t c[DMLC_MAXIMUM_RANK] = {0};
    do {
        uint64_t index = random_bits(contents);
        switch (index >> 60) {
        case 0: break;
        case 1: index = (uint64_t)depth; break;
        case 2: index = (uint64_t)-depth; break;
        case 3: index = (uint64_t)(-depth - 1); break;
        case 4: index = UINT64_C(1) << (8 * width - 1); break;
        case 5: index = (UINT64_C(1) << (8 * width - 1)) - 1; break;
        case 6:
        case 7:
        case 8: index = -(index % (uint64_t)(depth + 1)); break;
        default: index %= (uint64_t)(depth + 1); break;
        }
        int64_t at = 0;
        for (int32_t i = 0; i < test->rank; ++i)
            if (c[i] != 0)
                at += c[i] * test->input.strides[i];
        for (int64_t i = 0; i < width; ++i)
            indices[at + i] = (uint8_t)(index >> (8 * i));
    } while (test_next(c, &test->input, test->rank));
}

/* `bytes` at one end of the memory, up to 63 bytes away from it; all of them, and those up to the end, filled. */
typedef struct placed {
    uint8_t *memory; /* of the tensor's lowest element */
    uint8_t *filled;
    size_t filled_bytes;
} placed;

static placed place(guarded memory, int64_t bytes, choices *from, uint64_t *contents)
{
    const int64_t apart = once_in(from, 2) ? choose(from, 64) : 0;
    const bool at_end = choose(from, 2) == 0;
    uint8_t *filled = at_end ? memory.end - bytes - apart : memory.begin;
    const placed here = {at_end ? filled : filled + apart, filled, (size_t)(bytes + apart)};
    const uint64_t base = random_bits(contents);
    for (size_t i = 0; i < here.filled_bytes; ++i)
        here.filled[i] = (uint8_t)((base + i * UINT64_C(0x9E3779B97F4A7C15)) >> 32);
    return here;
}

/* What a run reads of the input: so many bytes, from this many before the element whose coordinates are 0. A slice leaves
 * out what is around it, so that no byte there may be read either. */
typedef struct span {
    int64_t below, bytes;
} span;

static span input_span(const test_case *test)
{
    if (!test_reads_input(test) || test_elements(&test->output, test->rank) == 0)
        return (span){0, 0};
    if (test->kind != TEST_SLICE)
        return (span){test->input.below, test->input.bytes};
    test_tensor view = test->output;
    int64_t start = 0;
    for (int32_t i = 0; i < test->rank; ++i) {
        view.strides[i] = view.sizes[i] > 1 ? test->steps[i] * test->input.strides[i] : 0;
        start += test->offsets[i] != 0 ? test->offsets[i] * test->input.strides[i] : 0;
    }
    test_tensor_measure(&view, test->rank, test->width);
    return (span){view.below - start, view.bytes};
}

static bool report(const test_case *test, const char *isa, const char *what, const placed *at, const uint8_t *expected)
{
    fprintf(stderr, "%s: %s", isa, what);
    for (size_t i = 0; expected != NULL && i < at->filled_bytes; ++i) {
        if (at->filled[i] != expected[i]) {
            fprintf(stderr, " byte %td, which is %02x and must be %02x", at->filled + i - at->memory, at->filled[i],
                    expected[i]);
            break;
        }
    }
    fputs("\n", stderr);
    test_print(test, stderr);
    return false;
}

bool test_check(const test_case *test, choices *from, uint64_t contents)
{
    static guarded input_memory, output_memory, value_memory[2];
    static uint8_t *before, *input_before, *expected;
    if (before == NULL) {
        input_memory = guarded_allocate(MOST_BYTES + 64);
        output_memory = guarded_allocate(MOST_BYTES + 64);
        value_memory[0] = guarded_allocate(1);
        value_memory[1] = guarded_allocate(1);
        before = malloc(MOST_BYTES + 64);
        input_before = malloc(MOST_BYTES + 64);
        expected = malloc(MOST_BYTES + 64);
        if (before == NULL || input_before == NULL || expected == NULL)
            exit(1);
    }
    const span read = input_span(test);
    const placed input = place(input_memory, read.bytes, from, &contents);
    const placed output = place(output_memory, test->output.bytes, from, &contents);
    if (test->kind == TEST_ONE_HOT && read.bytes > 0)
        fill_indices(test, input.memory + read.below, &contents);
    memcpy(before, output.filled, output.filled_bytes);
    memcpy(expected, before, output.filled_bytes);
    memcpy(input_before, input.filled, input.filled_bytes);
    test_reference(test, expected + (output.memory - output.filled) + test->output.below, input.memory + read.below);

    dmlc_operands operands = {.output = output.memory + test->output.below};
    if (test_reads_input(test))
        operands.input = input.memory + read.below;
    for (int which = 0; which < 2; ++which) {
        if (!test_reads_value(test, which))
            continue;
        const bool at_end = random_bits(&contents) % 2 == 0;
        uint8_t *value = at_end ? value_memory[which].end - test->width : value_memory[which].begin;
        memcpy(value, test->values[which], (size_t)test->width);
        operands.values[which] = value;
    }
    /* As if the output were larger than the cache, or smaller. */
    dmlc_set_cache_bytes(once_in(from, 2) ? 1 : INT64_MAX);
    bool right = true;
    for (int32_t i = 0; right && dmlc_isa_name(i) != NULL; ++i) {
        dmlc_set_isa(dmlc_isa_name(i));
        dmlc_plan *plan = NULL;
        const dmlc_status status = test_plan(test, &plan);
        if (status != DMLC_OK)
            return report(test, "plan", dmlc_status_message(status), &output, NULL);
        memcpy(output.filled, before, output.filled_bytes);
        dmlc_run(plan, &operands, test->threads);
        dmlc_plan_free(plan);
        if (memcmp(output.filled, expected, output.filled_bytes) != 0)
            right = report(test, dmlc_isa(), "wrong output", &output, expected);
        else if (memcmp(input.filled, input_before, input.filled_bytes) != 0)
            right = report(test, dmlc_isa(), "wrote to the input", &input, input_before);
    }
    int64_t start, view[DMLC_MAXIMUM_RANK];
    if (right && test->kind == TEST_SLICE && test_reads_input(test) &&
        dmlc_slice_view(test->rank, test->output.sizes, test->input.strides, test->offsets, test->steps, &start,
                        view)) {
        memcpy(output.filled, before, output.filled_bytes);
        const dmlc_status status =
            dmlc_copy(test->width, test->rank, test->output.sizes, operands.output, test->output.strides,
                      (const char *)operands.input + start, view, test->threads);
        if (status != DMLC_OK)
            return report(test, "copy", dmlc_status_message(status), &output, NULL);
        if (memcmp(output.filled, expected, output.filled_bytes) != 0)
            right = report(test, "copy", "wrong output", &output, expected);
    }
    return right;
}

bool test_bytes(const uint8_t *bytes, size_t count, int64_t most_elements)
{
    choices from = {bytes, count};
    static test_case test;
    uint64_t contents;
    test_draw(&test, &from, most_elements, &contents);
    return test_check(&test, &from, contents);
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
    static const char *const names[] = {"padding", "slice", "one-hot", "diagonal matrix", "window"};
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
