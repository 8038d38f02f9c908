/* Planning as a table: layouts in, canonical axes and row pieces out. Written as text, outermost axis first:
 *
 *     axis    size@output step, and what it reads: <step, or in brackets a cycle of size<step from its offset, `-` outside
 *     row     chunk, then pieces: operation count, +output offset, from input offset, /step
 *     box     its axes, bytes, and in how many parts; or by so many moves x of so many bytes, - where they fill
 *     tiles   how many of how many positions
 *     transposed   how many axes along the rows and across them; how many places and sources are listed
 */
#include "plan/plan.h"

#include "expect.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

typedef struct text {
    char characters[1024];
    size_t length;
} text;

static void append(text *to, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    const int more = vsnprintf(to->characters + to->length, sizeof(to->characters) - to->length, format, values);
    va_end(values);
    if (more > 0)
        to->length += (size_t)more;
}

static void describe_axis(text *to, const dmlc_axis *axis)
{
    append(to, "%" PRId64 "@%" PRId64, axis->size, axis->output_step);
    if (dmlc_axis_is_plain(axis)) {
        append(to, "<%" PRId64 " ", axis->segments[0].step);
        return;
    }
    append(to, "[");
    for (int32_t i = 0; i < axis->segment_count; ++i) {
        const dmlc_segment *segment = &axis->segments[i];
        append(to, i > 0 ? " %" PRId64 : "%" PRId64, segment->size);
        if (segment->outside)
            append(to, "-");
        else
            append(to, "<%" PRId64 "+%" PRId64, segment->size > 1 ? segment->step : 0, segment->offset);
    }
    if (axis->phase != 0 || axis->cycle != axis->size)
        append(to, " from %" PRId64, axis->phase);
    append(to, "] ");
}

static void describe_row(text *to, const dmlc_row *row)
{
    static const char *const names[] = {"copy", "fill", "fill-each", "repeat", "gather", "replicate"};
    append(to, "row %" PRId64 ":", row->chunk);
    for (int32_t i = 0; i < row->piece_count; ++i) {
        const dmlc_piece *piece = &row->pieces[i];
        const bool known = (size_t)piece->operation < sizeof(names) / sizeof(names[0]);
        append(to, " %s %" PRId64 "+%" PRId64, known ? names[piece->operation] : "other", piece->count, piece->output);
        if (piece->operation == DMLC_COPY || piece->operation == DMLC_REPEAT || piece->operation == DMLC_GATHER)
            append(to, "<%" PRId64, piece->input);
        if (piece->operation == DMLC_GATHER || piece->operation == DMLC_REPLICATE)
            append(to, "/%" PRId64, piece->step);
    }
}

static void describe_box(text *to, const dmlc_box *box)
{
    append(to, " box %d axes %" PRId64 " in %d", (int)box->axes, box->bytes, (int)box->part_count);
    if (!box->by_moves)
        return;
    append(to, " or by");
    for (int32_t kind = 0; kind < 2 * DMLC_MOVE_WIDTHS; ++kind)
        if (box->move_counts[kind] > 0)
            append(to, " %d%s%d", (int)box->move_counts[kind], kind < DMLC_MOVE_WIDTHS ? "x" : "-",
                   1 << kind % DMLC_MOVE_WIDTHS);
}

static void describe_transpose(text *to, const dmlc_transpose *transpose)
{
    append(to, " transposed %d along %d across", (int)transpose->along, (int)transpose->across);
    if (transpose->place_count > 1)
        append(to, ", %" PRId64 " places", transpose->place_count);
    if (transpose->source_count > 0)
        append(to, ", %" PRId64 " sources", transpose->source_count);
}

static text describe(const dmlc_plan *plan)
{
    text to = {.length = 0};
    if (plan->empty) {
        append(&to, "empty");
        return to;
    }
    if (plan->output_offset != 0)
        append(&to, "output%+" PRId64 " ", plan->output_offset);
    if (plan->input_offset != 0)
        append(&to, "input%+" PRId64 " ", plan->input_offset);
    if (plan->outside)
        append(&to, "outside ");
    for (int32_t i = 0; i < plan->axis_count; ++i)
        describe_axis(&to, &plan->axes[i]);
    if (plan->kind == DMLC_MAP)
        describe_row(&to, &plan->program.row);
    if (plan->box != NULL)
        describe_box(&to, plan->box);
    if (plan->transpose != NULL)
        describe_transpose(&to, plan->transpose);
    if (plan->kind == DMLC_SELECT) {
        const dmlc_select *select = &plan->program.select;
        append(&to, "select %" PRId64 "@%" PRId64, select->depth, select->depth_step);
        if (select->tiles != NULL)
            append(&to, " tiles %d of %" PRId64, (int)select->tiles->count,
                   select->tiles->units * select->tiles->inside);
    }
    if (plan->kind == DMLC_BAND) {
        const dmlc_band *band = &plan->program.band;
        append(&to, "%sband %" PRId64 "..%" PRId64 " of %" PRId64 "x%" PRId64 "@%" PRId64 ",%" PRId64,
               band->inverted ? "all but " : "", band->begin, band->end, band->rows, band->columns, band->output_row,
               band->output_column);
    }
    return to;
}

/* Takes the pointer's address, so that the call that sets it may stand among the arguments. */
static void expect_text(const char *name, dmlc_status status, dmlc_plan **plan, const char *wanted)
{
    ++expected;
    if (status != DMLC_OK) {
        ++failed;
        fprintf(stderr, "%s: %s\n", name, dmlc_status_message(status));
        return;
    }
    const text got = describe(*plan);
    if (strcmp(got.characters, wanted) != 0) {
        ++failed;
        fprintf(stderr, "%s:\n  must be %s\n  is      %s\n", name, wanted, got.characters);
    }
    dmlc_plan_free(*plan);
}

enum { MOST_AXES = 4 };

typedef struct slice_row {
    const char *name;
    int64_t width;
    int32_t rank;
    int64_t sizes[MOST_AXES], input[MOST_AXES], output[MOST_AXES];
    const char *wanted;
} slice_row;

/* Windows are their views' strides, so all offsets are 0 and all steps 1. */
/* clang-format off */
static const slice_row slices[] = {
    {"a scalar is a row of one", 4, 0, {0}, {0}, {0}, "1@4<4 row 4: copy 4+0<0"},
    {"nothing", 4, 2, {3, 0}, {0, 4}, {0, 4}, "empty"},
    {"contiguous axes are one", 4, 3, {20, 30, 50}, {6000, 200, 4}, {6000, 200, 4},
     "30000@4<4 row 4: copy 120000+0<0"},
    {"sizes of 1 vanish, whatever their strides", 4, 4, {1, 30, 1, 50}, {-77, 200, 1 << 30, 4}, {9, 200, -3, 4},
     "1500@4<4 row 4: copy 6000+0<0"},
    {"both sides must continue", 4, 2, {30, 50}, {400, 4}, {200, 4}, "30@200<400 50@4<4 row 4: copy 200+0<0"},
    {"pixels are chunks of a row", 1, 3, {40, 50, 3}, {300, 6, 1}, {150, 3, 1},
     "2000@3<6 row 3: gather 2000+0<0/6"},
    {"reversed on both sides is not reversed", 2, 1, {100}, {-2}, {-2},
     "output-198 input-198 100@2<2 row 2: copy 200+0<0"},
    {"a reversed input", 2, 1, {100}, {-2}, {2}, "100@2<-2 row 2: gather 100+0<0/-2"},
    {"a reversed output walks the input back", 2, 1, {100}, {2}, {-2},
     "output-198 input+198 100@2<-2 row 2: gather 100+0<0/-2"},
    {"Fortran order on both sides", 8, 2, {30, 50}, {8, 240}, {8, 240}, "1500@8<8 row 8: copy 12000+0<0"},
    {"a transpose", 4, 2, {30, 50}, {4, 120}, {200, 4}, "30@200<4 50@4<120 row 4: gather 50+0<0/120 transposed 1 along 1 across"},
    {"small axes that are far apart in the input are moves", 2, 3, {50, 2, 4}, {10, 2, 3000}, {16, 8, 2},
     "50@16<10 2@8<2 4@2<3000 row 2: gather 4+0<0/3000 box 2 axes 16 in 0 or by 8x2"},
    {"an axis that continues the input's nearest one lies across too", 4, 3, {4, 50, 100}, {4, 16, 800}, {20000, 400, 4},
     "50@400<16 4@20000<4 100@4<800 row 4: gather 100+0<0/800 transposed 1 along 2 across, 4 places"},
    {"an axis that continues a short row lies along it", 4, 3, {20, 8, 30}, {4, 2400, 80}, {960, 4, 32},
     "20@960<4 30@32<80 8@4<2400 row 4: gather 240+0<0/0 transposed 2 along 1 across, 240 sources"},
    {"the row of a narrow transpose is the longer axis", 16, 4, {4, 15, 24, 3}, {16, 192, 2880, 64},
     {17280, 1152, 48, 16},
     "15@1152<192 3@16<64 4@17280<16 24@48<2880 row 16: gather 24+0<0/2880 transposed 1 along 3 across, 12 places"},
    {"rows with gaps are moves too", 2, 3, {50, 3, 5}, {30, 10, -2}, {40, 12, 2},
     "50@40<30 3@12<10 5@2<-2 row 2: gather 5+0<0/-2 box 2 axes 30 in 1 or by 15x2"},
    {"a broadcast row", 4, 2, {30, 50}, {0, 4}, {200, 4}, "30@200<0 50@4<4 row 4: copy 200+0<0"},
    {"a broadcast element", 4, 1, {50}, {0}, {4}, "50@4<0 row 4: repeat 50+0<0"},
};
/* clang-format on */

static void test_slices(void)
{
    static const int64_t zeros[MOST_AXES], ones[MOST_AXES] = {1, 1, 1, 1};
    for (size_t i = 0; i < sizeof(slices) / sizeof(slices[0]); ++i) {
        const slice_row *row = &slices[i];
        dmlc_plan *plan = NULL;
        const dmlc_status status =
            dmlc_plan_slice(&plan, row->width, row->rank, row->sizes, row->input, row->output, zeros, ones);
        expect_text(row->name, status, &plan, row->wanted);
    }
}

typedef struct padding_row {
    const char *name;
    dmlc_padding_mode mode;
    int64_t width;
    int32_t rank;
    int64_t sizes[MOST_AXES], input[MOST_AXES], output[MOST_AXES], start[MOST_AXES], end[MOST_AXES];
    const char *wanted;
} padding_row;

/* clang-format off */
static const padding_row paddings[] = {
    {"constant", DMLC_PADDING_CONSTANT, 4, 1, {5}, {4}, {4}, {2}, {3},
     "10@4[2- 5<4+0 3-] row 4: fill 8+0 copy 20+8<0 fill 12+28"},
    {"constant around nothing", DMLC_PADDING_CONSTANT, 4, 1, {0}, {4}, {4}, {2}, {3},
     "outside 5@4[5-] row 4: fill 20+0"},
    {"edge", DMLC_PADDING_EDGE, 4, 1, {5}, {4}, {4}, {2}, {3},
     "10@4[2<0+0 5<4+0 3<0+16] row 4: repeat 2+0<0 copy 20+8<0 repeat 3+28<16"},
    {"small channels are boxes", DMLC_PADDING_CONSTANT, 4, 3, {16, 7, 7}, {196, 28, 4}, {324, 36, 4}, {0, 1, 1}, {0, 1, 1},
     "16@324<196 9@36[1- 7<28+0 1-] 9@4[1- 7<4+0 1-] row 4: fill 4+0 copy 28+4<0 fill 4+32 box 2 axes 324 in 6 "
     "or by 14x16 6-8 6-16"},
    {"the rows of a few are", DMLC_PADDING_CONSTANT, 4, 3, {3, 7, 7}, {196, 28, 4}, {324, 36, 4}, {0, 1, 1}, {0, 1, 1},
     "3@324<196 9@36[1- 7<28+0 1-] 9@4[1- 7<4+0 1-] row 4: fill 4+0 copy 28+4<0 fill 4+32 box 1 axes 36 in 1"},
    {"reflection within the input", DMLC_PADDING_REFLECTION, 4, 1, {5}, {4}, {4}, {2}, {3},
     "10@4[2<-4+8 5<4+0 3<-4+12] row 4: gather 2+0<8/-4 copy 20+8<0 gather 3+28<12/-4"},
    {"symmetric within the input", DMLC_PADDING_SYMMETRIC, 4, 1, {5}, {4}, {4}, {2}, {3},
     "10@4[2<-4+4 5<4+0 3<-4+16] row 4: gather 2+0<4/-4 copy 20+8<0 gather 3+28<16/-4"},
    {"wrap within the input", DMLC_PADDING_WRAP, 4, 1, {5}, {4}, {4}, {2}, {3},
     "10@4[2<4+12 5<4+0 3<4+0] row 4: copy 8+0<12 copy 20+8<0 copy 12+28<0"},
    {"reflection of one element repeats it", DMLC_PADDING_REFLECTION, 4, 1, {1}, {4}, {4}, {2}, {3},
     "6@4<0 row 4: repeat 6+0<0"},
    {"a wrap beyond the input replicates a turn", DMLC_PADDING_WRAP, 4, 1, {3}, {4}, {4}, {2}, {100},
     "105@4[3<4+0 from 1] row 4: copy 8+0<4 copy 4+8<0 replicate 102+12/12"},
    {"a mirror beyond the input replicates a turn", DMLC_PADDING_SYMMETRIC, 4, 1, {2}, {4}, {4}, {1}, {100},
     "103@4[2<4+0 2<-4+4 from 3] row 4: copy 4+0<0 copy 8+4<0 copy 4+12<4 replicate 99+16/16"},
    {"pixels: the columns and channels of an image are one row", DMLC_PADDING_CONSTANT, 1, 3, {40, 50, 30},
     {1500, 30, 1}, {1560, 30, 1}, {0, 1, 0}, {0, 1, 0},
     "40@1560<1500 1560@1[30- 1500<1+0 30-] row 1: fill 30+0 copy 1500+30<0 fill 30+1530"},
    {"an outer axis keeps its segments", DMLC_PADDING_EDGE, 4, 2, {4, 50}, {200, 4}, {200, 4}, {1, 0}, {2, 0},
     "7@200[1<0+0 4<200+0 2<0+600] 50@4<4 row 4: copy 200+0<0"},
};
/* clang-format on */

static void test_paddings(void)
{
    for (size_t i = 0; i < sizeof(paddings) / sizeof(paddings[0]); ++i) {
        const padding_row *row = &paddings[i];
        dmlc_plan *plan = NULL;
        const dmlc_status status = dmlc_plan_padding(&plan, row->width, row->rank, row->sizes, row->input, row->output,
                                                     row->start, row->end, row->mode);
        expect_text(row->name, status, &plan, row->wanted);
    }
}

static void test_one_hots(void)
{
    const int64_t sizes[] = {20, 30, 5}, indices[] = {240, 8, 0}, last[] = {600, 20, 4};
    const int64_t first_sizes[] = {5, 20, 30}, first_indices[] = {0, 240, 8}, first[] = {2400, 120, 4};
    dmlc_plan *plan = NULL;
    expect_text("one-hot: the positions are one axis",
                dmlc_plan_one_hot(&plan, 4, DMLC_INDEX_INT64, 1, 3, sizes, indices, last, 2), &plan,
                "600@20<8 select 5@4 tiles 5 of 16");
    expect_text("one-hot along the first axis",
                dmlc_plan_one_hot(&plan, 4, DMLC_INDEX_INT64, 1, 3, first_sizes, first_indices, first, 0), &plan,
                "600@4<8 select 5@2400");
    const int64_t inside_sizes[] = {256, 5, 3}, inside_indices[] = {24, 0, 8}, inside[] = {60, 12, 4};
    expect_text("one-hot with a few positions inside",
                dmlc_plan_one_hot(&plan, 4, DMLC_INDEX_INT64, 1, 3, inside_sizes, inside_indices, inside, 1), &plan,
                "256@60<24 3@4<8 select 5@12 tiles 15 of 48");
    expect_text("one-hot of a scalar",
                dmlc_plan_one_hot(&plan, 4, DMLC_INDEX_INT64, 1, 1, &sizes[2], &indices[2], &last[2], 0), &plan,
                "1@0<0 select 5@4");
}

static void test_bands(void)
{
    const int64_t sizes[] = {3, 4, 5}, strides[] = {80, 20, 4}, columns_apart[] = {80, 4, 16};
    dmlc_plan *plan = NULL;
    expect_text("a band", dmlc_plan_diagonal_matrix(&plan, 4, 3, sizes, NULL, strides, -1, 2, DMLC_BACKGROUND_VALUE),
                &plan, "3@80<0 band -1..2 of 4x5@20,4");
    expect_text("a band's end before its begin",
                dmlc_plan_diagonal_matrix(&plan, 4, 3, sizes, NULL, strides, 2, -1, DMLC_BACKGROUND_VALUE), &plan,
                "3@80<0 all but band -1..2 of 4x5@20,4");
    expect_text("a band in columns that lie apart",
                dmlc_plan_diagonal_matrix(&plan, 4, 3, sizes, NULL, columns_apart, -1, 3, DMLC_BACKGROUND_VALUE), &plan,
                "3@80<0 band -2..2 of 5x4@16,4");
}

int main(void)
{
    test_slices();
    test_paddings();
    test_one_hots();
    test_bands();
    return expectations_met();
}
