#include "stage.h"

#include <stdlib.h>
#include <string.h>

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

static uint8_t *allocate(size_t bytes)
{
    uint8_t *memory = malloc(bytes);
    if (memory == NULL)
        exit(1);
    return memory;
}

static void build(stage *on)
{
    enum { APART = 64 };
    on->input_memory = guarded_allocate(TEST_MOST_BYTES + APART);
    on->output_memory = guarded_allocate(TEST_MOST_BYTES + APART);
    on->value_memory[0] = guarded_allocate(1);
    on->value_memory[1] = guarded_allocate(1);
    on->output_before = allocate(TEST_MOST_BYTES + APART);
    on->input_before = allocate(TEST_MOST_BYTES + APART);
    on->expected = allocate(TEST_MOST_BYTES + APART);
}

void stage_set(stage *on, const test_case *test, choices *from, uint64_t contents)
{
    if (on->expected == NULL)
        build(on);
    const span read = input_span(test);
    on->test = test;
    on->input = place(on->input_memory, read.bytes, from, &contents);
    on->output = place(on->output_memory, test->output.bytes, from, &contents);
    uint8_t *const input = on->input.memory + read.below;
    if (test->kind == TEST_ONE_HOT && read.bytes > 0)
        fill_indices(test, input, &contents);
    memcpy(on->output_before, on->output.filled, on->output.filled_bytes);
    memcpy(on->input_before, on->input.filled, on->input.filled_bytes);
    memcpy(on->expected, on->output.filled, on->output.filled_bytes);
    test_reference(test, on->expected + (on->output.memory - on->output.filled) + test->output.below, input);

    on->operands = (dmlc_operands){.output = on->output.memory + test->output.below};
    if (test_reads_input(test))
        on->operands.input = input;
    for (int which = 0; which < 2; ++which) {
        if (!test_reads_value(test, which))
            continue;
        const bool at_end = random_bits(&contents) % 2 == 0;
        const guarded *memory = &on->value_memory[which];
        uint8_t *value = at_end ? memory->end - test->width : memory->begin;
        memcpy(value, test->values[which], (size_t)test->width);
        on->operands.values[which] = value;
    }
}

void stage_reset(const stage *on) { memcpy(on->output.filled, on->output_before, on->output.filled_bytes); }

bool stage_report(const stage *on, const char *who, const char *what)
{
    fprintf(stderr, "%s: %s\n", who, what);
    test_print(on->test, stderr);
    return false;
}

static bool is_as(const stage *on, const placed *here, const uint8_t *wanted, const char *who, const char *what)
{
    if (memcmp(here->filled, wanted, here->filled_bytes) == 0)
        return true;
    size_t i = 0;
    while (here->filled[i] == wanted[i])
        ++i;
    fprintf(stderr, "byte %td is %02x and must be %02x\n", here->filled + i - here->memory, here->filled[i], wanted[i]);
    return stage_report(on, who, what);
}

bool stage_is_right(const stage *on, const char *who)
{
    return is_as(on, &on->output, on->expected, who, "wrong output") &&
           is_as(on, &on->input, on->input_before, who, "wrote to the input");
}
