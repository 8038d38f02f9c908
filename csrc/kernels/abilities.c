/* Compiled once, with all tables' abilities. */
#include "kernels/abilities.h"

/* Zen 5, one thread, GCC 12. */
const dmlc_abilities dmlc_abilities_avx512 = {
    .isa = "avx512",
    .move_bytes = 16,
    .block_bytes = 64,
    .window_bytes = 128,
    .costs =
        {
            .byte = 0.01,
            .call = 10,
            .move = 0.5,
            .piece = 2,
            .gather = 0.35,
            .scatter = 0.45,
            .even_chunk = {0.04, 0.06, 0.12, 0.2},
            .setup = 6,
            .permutation = 1,
            .shuffle = 1.2,
            .source = 0.6,
            .transpose = 40,
            .place = 1.5,
            .tile_chunk = {0.07, 0.1, 0.18, 0.3},
        },
};

const dmlc_abilities dmlc_abilities_avx2 = {
    .isa = "avx2",
    .move_bytes = 16,
    .block_bytes = 16,
    .window_bytes = 64,
    .costs =
        {
            .byte = 0.01,
            .call = 10,
            .move = 0.5,
            .piece = 2,
            .gather = 0.35,
            .scatter = 0.45,
            .even_chunk = {0.02, 0.04, 0.08, 0.15},
            .setup = 12,
            .permutation = 0.5,
            .shuffle = 0.6,
            .source = 0.5,
            .transpose = 40,
            .place = 1.5,
            .tile_chunk = {0.07, 0.1, 0.18, 0.3},
        },
};

/* AVX2's: never timed. */
const dmlc_abilities dmlc_abilities_neon = {
    .isa = "neon",
    .move_bytes = 16,
    .block_bytes = 16,
    .window_bytes = 64,
    .costs =
        {
            .byte = 0.01,
            .call = 10,
            .move = 0.5,
            .piece = 2,
            .gather = 0.35,
            .scatter = 0.45,
            .even_chunk = {0.02, 0.04, 0.08, 0.15},
            .setup = 12,
            .permutation = 0.5,
            .shuffle = 0.6,
            .source = 0.5,
            .transpose = 40,
            .place = 1.5,
            .tile_chunk = {0.07, 0.1, 0.18, 0.3},
        },
};

const dmlc_abilities dmlc_abilities_baseline = {
    .isa = "baseline",
    .move_bytes = 16,
    .costs =
        {
            .byte = 0.01,
            .call = 10,
            .move = 0.5,
            .piece = 2,
            .gather = 0.35,
            .scatter = 0.45,
            .even_chunk = {0.02, 0.04, 0.08, 0.15},
            .transpose = 40,
            .place = 1.5,
            .tile_chunk = {0.07, 0.1, 0.18, 0.3},
        },
};
