/* Compiled once per instruction set, with DMLC_ISA its name: everything here is static but the tables at the end. */
#include "kernels/kernels.h"

#include "kernels/bands.h"
#include "kernels/boxes.h"
#include "kernels/ends.h"
#include "kernels/filled_rows.h"
#include "kernels/normalize.h"
#include "kernels/one_hot.h"
#include "kernels/one_hot_tiles.h"
#include "kernels/rows.h"
#include "kernels/short_rows.h"
#include "kernels/shuffles.h"
#include "kernels/stream.h"
#include "kernels/transposes.h"

#define TABLE_ROW(TYPE, WIDER_1, WIDER_2, WIDER_4, WIDER_8)                                                            \
    {normalize_##TYPE##_1, normalize_##TYPE##_2, normalize_##TYPE##_4, normalize_##TYPE##_8},

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

#if defined(DMLC_HAVE_LOOK_UP)
#define BY_LOOK_UP .short_rows = short_rows, .ends = ends, .shuffles = shuffles, .select_tiles = select_tiles
#else
#define BY_LOOK_UP
#endif

#define TABLE(ABILITIES)                                                                                               \
    {.abilities = &(ABILITIES),                                                                                        \
     .fill = fill,                                                                                                     \
     .copy = copy,                                                                                                     \
     .rows = rows,                                                                                                     \
     .filled_rows = filled_rows,                                                                                       \
     .transpose = transpose,                                                                                           \
     .moves = moves,                                                                                                   \
     .stream_end = stream_end,                                                                                         \
     .band = band,                                                                                                     \
     .normalize = {FOR_EACH_INDEX_TYPE(TABLE_ROW)},                                                                    \
     .select_sequences = select_sequences,                                                                             \
     .select_scatter = select_scatter,                                                                                 \
     .select_ones = select_ones,                                                                                       \
     .select_planes = {select_planes_1, select_planes_2, select_planes_4, select_planes_8, select_planes_16},          \
     BY_LOOK_UP}

/* dmlc_kernels_<isa> */
extern const dmlc_kernels JOIN(dmlc_kernels_, DMLC_ISA);
const dmlc_kernels JOIN(dmlc_kernels_, DMLC_ISA) = TABLE(JOIN(dmlc_abilities_, DMLC_ISA));

#if defined(__AVX2__)
/* dmlc_kernels_<isa>_intel */
extern const dmlc_kernels JOIN(JOIN(dmlc_kernels_, DMLC_ISA), _intel);
const dmlc_kernels JOIN(JOIN(dmlc_kernels_, DMLC_ISA), _intel) = TABLE(JOIN(JOIN(dmlc_abilities_, DMLC_ISA), _intel));
#endif
