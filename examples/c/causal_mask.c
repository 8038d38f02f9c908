/* Attention scores of a batch, masked in place on all threads: no token sees one that comes after it. */
#include <dmlc.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 8, TOKENS = 512, SHOWN = 6 };

int main(void)
{
    float (*scores)[TOKENS][TOKENS] = malloc(BATCH * sizeof(*scores));
    if (scores == NULL)
        return EXIT_FAILURE;
    for (int b = 0; b < BATCH; ++b)
        for (int y = 0; y < TOKENS; ++y)
            for (int x = 0; x < TOKENS; ++x)
                scores[b][y][x] = (float)((b + 3 * y + 5 * x) % 10);

    /* The diagonals x - y = 1, 2, ... are set, all else is kept. */
    const int64_t sizes[] = {BATCH, TOKENS, TOKENS};
    const int64_t strides[] = {sizeof(scores[0]), sizeof(scores[0][0]), sizeof(float)};
    const float hidden = -INFINITY;
    dmlc_set_isa(NULL);
    dmlc_plan *plan;
    const dmlc_status status =
        dmlc_plan_diagonal_matrix(&plan, sizeof(float), 3, sizes, NULL, strides, 1, TOKENS, DMLC_BACKGROUND_KEEP);
    if (status != DMLC_OK) {
        fprintf(stderr, "causal mask: %s\n", dmlc_status_message(status));
        free(scores);
        return EXIT_FAILURE;
    }
    const dmlc_operands operands = {.output = scores, .values = {NULL, &hidden}};
    dmlc_run(plan, &operands, dmlc_threads());
    dmlc_plan_free(plan);

    int wrong = 0;
    for (int b = 0; b < BATCH; ++b)
        for (int y = 0; y < TOKENS; ++y)
            for (int x = 0; x < TOKENS; ++x)
                wrong += scores[b][y][x] != (x > y ? hidden : (float)((b + 3 * y + 5 * x) % 10));
    for (int y = 0; y < SHOWN; ++y)
        for (int x = 0; x < SHOWN; ++x)
            printf("%5.0f%c", (double)scores[BATCH - 1][y][x], x + 1 < SHOWN ? ' ' : '\n');
    printf("%d x %d x %d scores, %d wrong\n", BATCH, TOKENS, TOKENS, wrong);
    free(scores);
    return wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
