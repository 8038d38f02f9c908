/* A picture of characters with a border that mirrors it: rows and columns at once, no seam. */
#include <dmlc.h>

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 5, COLUMNS = 12, ABOVE = 2, LEFT = 4, RIGHT = 8 };

static const char picture[ROWS][COLUMNS + 1] = {
    "....o.......", "...ooo...#..", "..ooooo.###.", ".ooooooo####", "ooooooooo###",
};

int main(void)
{
    const int64_t sizes[] = {ROWS, COLUMNS}, start[] = {ABOVE, LEFT}, end[] = {0, RIGHT};
    /* Each row of the input ends with a zero that is stepped over; each row of the output with a line feed. */
    enum { OUTPUT_ROW = LEFT + COLUMNS + RIGHT + 1 };
    const int64_t input_strides[] = {sizeof(picture[0]), 1}, output_strides[] = {OUTPUT_ROW, 1};
    char framed[(ABOVE + ROWS) * OUTPUT_ROW];
    for (int row = 0; row < ABOVE + ROWS; ++row)
        framed[row * OUTPUT_ROW + OUTPUT_ROW - 1] = '\n';

    dmlc_set_isa(NULL);
    dmlc_plan *plan;
    const dmlc_status status = dmlc_plan_padding(&plan, sizeof(char), 2, sizes, input_strides, output_strides, start,
                                                 end, DMLC_PADDING_REFLECTION);
    if (status != DMLC_OK) {
        fprintf(stderr, "padding: %s\n", dmlc_status_message(status));
        return EXIT_FAILURE;
    }
    const dmlc_operands operands = {.output = framed, .input = picture};
    dmlc_run(plan, &operands, dmlc_threads());
    dmlc_plan_free(plan);
    fwrite(framed, 1, sizeof(framed), stdout);
    return EXIT_SUCCESS;
}
