/* Many plans in one call: each output is what its plan gives alone, whatever they cost and however many threads there are. */
#include "run/run.h"

#include "expect.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PLANS = 300, MOST_BYTES = 1 << 24 };

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
    }
    test_empty();
    return expectations_met();
}
