/* The cache of plans: one layout, one plan; whatever a plan depends on makes another. */
#include "plan/cache.h"

#include "expect.h"

#include <stdbool.h>
#include <string.h>

enum { RANK = 3, LISTS = 5, SCALARS = 4, PLANNERS = 6 };

/* What any of the planners takes. */
typedef struct arguments {
    int64_t width;
    int32_t rank;
    int64_t lists[LISTS][RANK];
    int64_t scalars[SCALARS];
} arguments;

static const arguments some = {
    .width = 4,
    .rank = RANK,
    .lists = {{2, 3, 4}, {48, 16, 4}, {1000, 100, 4}, {1, 1, 1}, {1, 1, 1}},
    .scalars = {1, 1, 1, 1},
};

/* Which of the arguments each planner takes. */
static const int lists_taken[PLANNERS] = {5, 5, 3, 3, 3, 5}, scalars_taken[PLANNERS] = {1, 0, 0, 3, 3, 1};

static dmlc_status share(int planner, const arguments *given, dmlc_shared_plan **shared)
{
    const int64_t (*lists)[RANK] = given->lists, *scalars = given->scalars;
    switch (planner) {
    case 0:
        return dmlc_share_padding(shared, given->width, given->rank, lists[0], lists[1], lists[2], lists[3], lists[4],
                                  (dmlc_padding_mode)scalars[0]);
    case 1:
        return dmlc_share_slice(shared, given->width, given->rank, lists[0], lists[1], lists[2], lists[3], lists[4]);
    case 2: return dmlc_share_copy(shared, given->width, given->rank, lists[0], lists[1], lists[2]);
    case 3:
        return dmlc_share_one_hot(shared, given->width, (dmlc_index_type)scalars[0], (int32_t)(scalars[1] - 1),
                                  given->rank, lists[0], lists[1], lists[2], (int32_t)scalars[2]);
    case 4:
        return dmlc_share_diagonal_matrix(shared, given->width, given->rank, lists[0], lists[1], lists[2], scalars[0],
                                          scalars[1], (dmlc_band_background)scalars[2]);
    default:
        return dmlc_share_window(shared, given->width, given->rank, lists[0], lists[1], lists[2], lists[3], lists[4],
                                 (dmlc_padding_mode)scalars[0]);
    }
}

static const dmlc_shared_plan *shared_plan(int planner, const arguments *given)
{
    dmlc_shared_plan *shared = NULL;
    EXPECT(share(planner, given, &shared) == DMLC_OK);
    dmlc_share_release(shared); /* the cache still owns it */
    return shared;
}

/* Whether `given` has a plan of its own beside that of `some`. */
static bool differs(int planner, const arguments *given)
{
    dmlc_share_clear();
    const dmlc_shared_plan *first = shared_plan(planner, &some);
    return shared_plan(planner, given) != first;
}

static void test_every_argument(int planner)
{
    EXPECT(!differs(planner, &some));
    arguments other = some;
    other.width = 2;
    EXPECT(differs(planner, &other));
    other = some;
    other.rank = 2;
    EXPECT(differs(planner, &other));
    for (int list = 0; list < lists_taken[planner]; ++list) {
        for (int axis = 0; axis < RANK; ++axis) {
            other = some;
            other.lists[list][axis] += 1;
            EXPECT(differs(planner, &other));
        }
    }
    for (int scalar = 0; scalar < scalars_taken[planner]; ++scalar) {
        other = some;
        other.scalars[scalar] += 1;
        EXPECT(differs(planner, &other));
    }
}

static void test_planners_are_apart(void)
{
    dmlc_share_clear();
    const dmlc_shared_plan *plans[PLANNERS];
    for (int planner = 0; planner < PLANNERS; ++planner)
        plans[planner] = shared_plan(planner, &some);
    for (int i = 0; i < PLANNERS; ++i)
        for (int j = 0; j < i; ++j)
            EXPECT(plans[i] != plans[j]);
}

static void test_limits(void)
{
    dmlc_share_clear();
    EXPECT(dmlc_share_kept() == 0);
    arguments given = some;
    const dmlc_shared_plan *first = shared_plan(1, &given);
    EXPECT(dmlc_share_kept() == 1);
    dmlc_shared_plan *held = NULL;
    EXPECT(share(1, &given, &held) == DMLC_OK);
    EXPECT(held == first);
    for (int64_t size = 0; size < 3 * dmlc_share_limit(); ++size) {
        given.lists[0][0] = size;
        shared_plan(1, &given);
        EXPECT(dmlc_share_kept() <= dmlc_share_limit());
    }
    dmlc_share_clear();
    EXPECT(dmlc_share_kept() == 0);
    /* Whoever holds a plan may still run it. */
    float input[24] = {0}, output[1000] = {0};
    input[23] = 7;
    const dmlc_operands operands = {output, input, {NULL, NULL}};
    given = some;
    memset(given.lists[3], 0, sizeof(given.lists[3]));
    dmlc_shared_plan *whole = NULL;
    EXPECT(share(1, &given, &whole) == DMLC_OK);
    dmlc_share_clear();
    dmlc_run(whole->plan, &operands, 1);
    EXPECT(output[(1000 + 200 + 12) / 4] == 7);
    dmlc_share_release(whole);
    dmlc_share_release(held);
    dmlc_share_release(NULL);
}

static void test_errors_are_not_kept(void)
{
    dmlc_share_clear();
    arguments given = some;
    dmlc_shared_plan *shared = NULL;
    for (int planner = 0; planner < PLANNERS; ++planner) {
        given.width = 3;
        EXPECT(share(planner, &given, &shared) == DMLC_INVALID_ARGUMENT);
        given = some;
        given.lists[0][0] = INT64_MAX / 2;
        EXPECT(share(planner, &given, &shared) == DMLC_OVERFLOW);
        given = some;
    }
    given.rank = DMLC_MAXIMUM_RANK + 1;
    for (int planner = 0; planner < PLANNERS; ++planner)
        EXPECT(share(planner, &given, &shared) == DMLC_INVALID_ARGUMENT);
    EXPECT(dmlc_share_kept() == 0);
}

int main(void)
{
    for (int planner = 0; planner < PLANNERS; ++planner)
        test_every_argument(planner);
    test_planners_are_apart();
    test_limits();
    test_errors_are_not_kept();
    dmlc_share_clear();
    return expectations_met();
}
