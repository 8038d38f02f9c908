/* Compiled once, with all tables' abilities. */
#include "kernels/abilities.h"

/* One thread, GCC 12. What two processors have alike stands before both. */
#define AVX512_COSTS                                                                                                   \
    .byte = 0.01, .call = 15, .move = 0.5, .widest_move = 0.65, .piece = 2, .gather = 0.18, .few = 0.25, .far = 0.3,   \
    .farther = 0.37, .scatter = 0.43, .even_chunk = {0.012, 0.02, 0.05, 0.08}, .long_even_chunk = 1,                   \
    .aligned_even_chunk = 0.35, .setup = 10, .permuted_row = 1.9, .window_source = 0.6, .source = 0.27,                \
    .transpose = 60, .place = 1.1, .tile_pixel = 0.12, .tile_chunk = {0.037, 0.05, 0.07, 0.1},                         \
    .pixel_chunk = {0.011, 0.02, 0.033, 0.11}, .filled_run = 0.8, .one = 0.85, .compared_byte = 0.0063, .table = 8,    \
    .window = 0.35, .select_tile = 0.39, .made_tile = 300, .passages = 4.9, .band_filled = 2.3, .band_copied = 0.9

/* On Zen 4 a shuffle takes 1.6 times as long, a move as long: with next to nothing for what is written twice, boxes that are filled for the
 * most part took 0.97 of the time there by mean in the caches and 0.91 in 1 to 16 MB, 0.34 at best; with nothing at all, a box that is one
 * shuffle 1.1 times as long. A higher price of shuffles gained no more, and made other boxes slow. */
static const dmlc_costs avx512_on_zen_5 = {
    AVX512_COSTS,           .permutation = 0.4,         .shuffle = 1.2,
    .many_shuffles = 2,     .filled_byte = 0.0037,      .near_one = 0.7,
    .plane = 0.8,           .window_byte = 0.006,       .loaded_tile = 1.3,
    .band_set = 2,          .band_window_byte = 0.0053, .copied_byte = 0.0056,
    .blended_byte = 0.0101, .written_twice = 0.002,
};

/* Permutations of bytes differ; and selections, fills and bands in more than the first-level cache holds, of which the second takes
 * 64 bytes a nanosecond, however they were made. */
static const dmlc_costs avx512_on_granite_rapids = {
    AVX512_COSTS,          .permutation = 0.68,        .shuffle = 1.7,
    .many_shuffles = 1,    .filled_byte = 0.005,       .near_one = 1.3,
    .plane = 1.8,          .window_byte = 0.0053,      .loaded_tile = 0.48,
    .band_set = 1.2,       .band_window_byte = 0.0053, .copied_byte = 0.0053,
    .blended_byte = 0.012, .written_twice = 0.01,
};

#define AVX2_COSTS                                                                                                     \
    .byte = 0.01, .call = 15, .move = 0.5, .widest_move = 0.7, .written_twice = 0.01, .piece = 2, .gather = 0.17,      \
    .few = 0.2, .far = 0.18, .farther = 0.37, .scatter = 0.43, .even_chunk = {0.004, 0.01, 0.018, 0.073},              \
    .aligned_even_chunk = 1, .setup = 38, .permuted_row = 2.4, .permutation = 0.25, .window_source = 0.21,             \
    .shuffle = 0.6, .source = 0.12, .transpose = 53, .place = 0.42, .tile_pixel = 0.12,                                \
    .tile_chunk = {0.037, 0.058, 0.053, 0.11}, .pixel_chunk = {0.015, 0.045, 0.1, 0.13}, .filled_run = 1,              \
    .filled_byte = 0.0065, .table = 6, .window = 0.36, .window_byte = 0.0072, .select_tile = 0.27, .made_tile = 300,   \
    .passages = 5.5, .band_filled = 2.7, .band_copied = 2.1, .band_set = 1.3, .band_window_byte = 0.0077,              \
    .copied_byte = 0.0078, .blended_byte = 0.0153

static const dmlc_costs avx2_on_zen_5 = {
    AVX2_COSTS,   .long_even_chunk = 2.6,  .one = 1.1,          .near_one = 0.55,
    .plane = 0.5, .compared_byte = 0.0125, .loaded_tile = 0.56,
};

static const dmlc_costs avx2_on_granite_rapids = {
    AVX2_COSTS,   .long_even_chunk = 1,    .one = 1.3,         .near_one = 1.2,
    .plane = 2.6, .compared_byte = 0.0078, .loaded_tile = 0.5,
};

static const dmlc_costs baseline_on_zen_5 = {
    .byte = 0.01,
    .call = 27,
    .move = 0.5,
    .widest_move = 0.8,
    .written_twice = 0.01,
    .piece = 2,
    .gather = 0.18,
    .few = 0.11,
    .far = 0.09,
    .farther = 0.56,
    .scatter = 0.43,
    .even_chunk = {0.02, 0.04, 0.08, 0.067},
    .long_even_chunk = 1,
    .aligned_even_chunk = 1,
    .transpose = 82,
    .place = 1.35,
    .tile_chunk = {0.057, 0.044, 0.12, 0.37},
    .filled_run = 0.7,
    .filled_byte = 0.011,
    .one = 1,
    .near_one = 0.9,
    .plane = 0.45,
    .compared_byte = 0.0175,
    .table = 4,
    .window = 0.42,
    .window_byte = 0.014,
    .passages = 7.5,
    .band_filled = 2,
    .band_copied = 1.2,
    .band_set = 0.7,
    .band_window_byte = 0.014,
    .copied_byte = 0.0091,
    .blended_byte = 0.0317,
};

#define AVX512_ABILITIES(COSTS)                                                                                        \
    {                                                                                                                  \
        .isa = "avx512",                                                                                               \
        .box_row_bytes = 128,                                                                                          \
        .block_bytes = 64,                                                                                             \
        .window_bytes = 128,                                                                                           \
        .tile_bytes = 32,                                                                                              \
        .even_steps = true,                                                                                            \
        .select_bytes = 64,                                                                                            \
        .select_reach = 64,                                                                                            \
        .costs = &(COSTS),                                                                                             \
    }

const dmlc_abilities dmlc_abilities_avx512 = AVX512_ABILITIES(avx512_on_zen_5);
const dmlc_abilities dmlc_abilities_avx512_intel = AVX512_ABILITIES(avx512_on_granite_rapids);

#define AVX2_ABILITIES(COSTS)                                                                                          \
    {                                                                                                                  \
        .isa = "avx2",                                                                                                 \
        .box_row_bytes = 512,                                                                                          \
        .block_bytes = 16,                                                                                             \
        .window_bytes = 64,                                                                                            \
        .words_bytes = 32,                                                                                             \
        .tile_bytes = 32,                                                                                              \
        .even_steps = true,                                                                                            \
        .select_bytes = 32,                                                                                            \
        .select_reach = 16,                                                                                            \
        .costs = &(COSTS),                                                                                             \
    }

const dmlc_abilities dmlc_abilities_avx2 = AVX2_ABILITIES(avx2_on_zen_5);
const dmlc_abilities dmlc_abilities_avx2_intel = AVX2_ABILITIES(avx2_on_granite_rapids);

/* Never timed: AVX2's costs. */
const dmlc_abilities dmlc_abilities_neon = {
    .isa = "neon",
    .box_row_bytes = 512,
    .block_bytes = 16,
    .window_bytes = 64,
    .tile_bytes = 16,
    .even_steps = true,
    .select_bytes = 16,
    .select_reach = 16,
    .costs = &avx2_on_zen_5,
};

const dmlc_abilities dmlc_abilities_baseline = {
    .isa = "baseline",
    .box_row_bytes = 512,
    .tile_bytes = 16,
    .costs = &baseline_on_zen_5,
};
