#include "contracts/contract.h"

#include "choices.h"
#include "dispatch/dispatch.h"
#include "guarded.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NOISE_BYTES = MEMORY_BYTES + 256 };

static guarded output_memory, input_memory;
static uint8_t expected_memory[MEMORY_BYTES], noise[NOISE_BYTES];
static uint64_t state; /* of the random choices */
static int64_t prepared;

uint64_t draw_bits(void) { return random_bits(&state); }
int64_t draw(int64_t options) { return (int64_t)(draw_bits() % (uint64_t)options); }
int64_t draw_between(int64_t first, int64_t last) { return first + draw(last - first + 1); }
int64_t draw_width(void) { return INT64_C(1) << draw(DMLC_WIDTHS); }

int64_t draw_size(int64_t most)
{
    const int64_t limits[] = {4, 20, 70, 300, most};
    return draw_between(1, least(limits[draw(5)], most));
}

static char *place(guarded at, int64_t bytes)
{
    const int64_t apart = draw(2) * draw(64);
    uint8_t *lowest = draw(2) == 0 ? at.end - bytes - apart : at.begin + apart;
    memcpy(at.begin, noise + draw(256), MEMORY_BYTES);
    return (char *)lowest;
}

memory prepare(int64_t output_bytes, int64_t input_bytes, int64_t width)
{
    ++prepared;
    memory m = {.output = place(output_memory, output_bytes), .input = place(input_memory, input_bytes)};
    memcpy(expected_memory, output_memory.begin, MEMORY_BYTES);
    m.expected = (char *)expected_memory + (m.output - (char *)output_memory.begin);
    for (int which = 0; which < 2; ++which) {
        m.patterns[which].width = width;
        for (int64_t i = 0; i < DMLC_PATTERN_BYTES; ++i)
            m.patterns[which].bytes[i] = noise[16 * which + i % width];
    }
    return m;
}

dmlc_stream *draw_stream(memory *m)
{
    dmlc_stream_begin(&m->stream, m->output);
    return draw(2) == 0 ? &m->stream : NULL;
}

void end_stream(const dmlc_kernels *kernels, dmlc_stream *stream)
{
    if (stream != NULL)
        kernels->stream_end(stream);
}

dmlc_block block_of(memory *m, int64_t output_step, const char *input, int64_t input_step, int64_t count)
{
    dmlc_stream *stream = draw_stream(m);
    const bool far = draw(2) == 0, writes_in_order = far && draw(2) == 0;
    const bool in_memory = far && draw(2) == 0, stores_wait = draw(2) == 0, reads_down = draw(2) == 0;
    return (dmlc_block){m->output, output_step, input,           input_step, count,       &m->patterns[0],
                        stream,    far,         writes_in_order, in_memory,  stores_wait, reads_down};
}

/* An axis that reads anywhere, forward and back, or lies outside. */
dmlc_axis draw_axis(int64_t size, int64_t chunk)
{
    dmlc_axis axis = {.size = size, .output_step = draw(3) == 0 ? chunk + draw(20) : chunk};
    const int64_t segments = draw_between(1, DMLC_MAXIMUM_SEGMENTS);
    for (int64_t i = 0; i < segments; ++i) {
        const int64_t steps[] = {chunk, chunk, -chunk, 0, 2 * chunk, -3 * chunk, draw_between(-50, 50)};
        dmlc_axis_add(&axis, draw_size(size), draw(200), steps[draw(7)], draw(4) == 0);
    }
    axis.phase = draw(axis.cycle);
    return axis;
}

void begin_contracts(void)
{
    random_bytes(&state, noise, NOISE_BYTES);
    output_memory = guarded_allocate(MEMORY_BYTES);
    input_memory = guarded_allocate(MEMORY_BYTES);
}

void begin_case(uint64_t seed) { state = seed; }

int64_t prepared_cases(void)
{
    const int64_t cases = prepared;
    prepared = 0;
    return cases;
}

bool case_is_right(const char *name)
{
    if (memcmp(output_memory.begin, expected_memory, MEMORY_BYTES) == 0)
        return true;
    int64_t at = 0;
    while (output_memory.begin[at] == expected_memory[at])
        ++at;
    fprintf(stderr, "%s: %s: byte %" PRId64 " of the memory is %02x and must be %02x\n", dmlc_isa(), name, at,
            output_memory.begin[at], expected_memory[at]);
    return false;
}
