/* What a table of kernels can do and what its ways cost: all that the planner knows of it. Nothing here depends on the
 * processor that runs, so that the choices for each table can be listed on any machine. What the ways cost depends on the
 * processor's maker as well: `_intel` are of tables of the same kernels, which dispatch takes there. */
#ifndef DMLC_KERNELS_ABILITIES_H
#define DMLC_KERNELS_ABILITIES_H

#include "language/numbers.h"

#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds, measured on the processor that they have their name from in abilities.c. */
typedef struct dmlc_costs {
    double byte;          /* moved in a long run */
    double call;          /* a call of a kernel */
    double move;          /* a listed move */
    double widest_move;   /* one of 32 bytes */
    double written_twice; /* a byte of a box that is filled, besides, as moves write some of it again */
    double piece;         /* a piece of a row */
    double gather;        /* at most 16 bytes of a chunk, from even steps to even ones */
    double few;           /* the same, in rows of a few chunks */
    double far; /* a chunk besides, in a row of so many lines that the next row finds none in the first-level cache */
    double farther;         /* the same, and none in the second-level cache */
    double scatter;         /* at most 16 bytes of a chunk, to or from listed places */
    double even_chunk[4];   /* a chunk of 1, 2, 4 or 8 bytes from a constant step, for each chunk that it steps over */
    double long_even_chunk; /* how much more that is in rows of more than a few vectors, but for reversed ones */
    double aligned_even_chunk; /* how much of that in rows whose stores are aligned */
    double setup;              /* of a permutation, at each call and piece */
    double permuted_row;       /* a row of one gather that is permuted, besides its piece and its blocks */
    double permutation;        /* a block of it, from one source */
    double shuffle;            /* a shuffle of a box, the same */
    double many_shuffles;      /* how much more one takes in a box of many, see plan/shuffles.c; of wide blocks alone */
    double source;             /* each further source of it */
    double window_source;      /* each further source of it, as large as a block */
    double transpose;          /* a call that transposes */
    double place;              /* a listed row of it */
    double tile_pixel;         /* a chunk of 3 bytes, in tiles; 0 where there are none */
    double tile_chunk[4];      /* a chunk of 1, 2, 4 or 8 bytes, in tiles */
    double pixel_chunk[4];     /* the same, from planes to pixels or back; 0 where that is no way of its own */

    /* Of one-hot and bands, each besides the bytes that are moved. */
    double filled_run;       /* a run filled, one after the other */
    double filled_byte;      /* of it */
    double one;              /* an element stored where an index says */
    double near_one;         /* the same, each behind the one before it */
    double plane;            /* a plane begun */
    double compared_byte;    /* of it */
    double table;            /* one made, of which rows are windows */
    double window;           /* a row copied from there */
    double window_byte;      /* of it */
    double select_tile;      /* a tile of sequences, one of few */
    double loaded_tile;      /* one of more */
    double made_tile;        /* what it takes to plan one */
    double passages;         /* a matrix begun */
    double band_filled;      /* of a row that a band crosses: a run filled */
    double band_copied;      /* a run copied from the input */
    double band_set;         /* the band set in a row that is filled already */
    double band_window_byte; /* of a row that is a window: the next one begins beside it */
    double copied_byte;      /* of the input */
    double blended_byte;     /* of the input, with a band on it */
} dmlc_costs;

typedef struct dmlc_abilities {
    const char *isa;
    int64_t block_bytes;   /* what a permutation writes at once; 0 where there are none */
    int64_t window_bytes;  /* what it reads at most */
    int64_t words_bytes;   /* what a permutation of words of 4 bytes reads and writes at once; 0 where there are none */
    int64_t box_row_bytes; /* of the longest dense row that is a box by itself; permutations take others in less */
    int64_t tile_bytes;    /* of a row of the widest tile; 0 where there are none */
    bool even_steps;       /* steps of -2, 2, 3 and 4 chunks are vectors, besides that of -1 */
    int64_t select_bytes;  /* of a tile of one-hot sequences; 0 where there are none */
    int64_t select_reach;  /* how many positions a look-up reaches, for as many bytes of it */
    const dmlc_costs *costs;
} dmlc_abilities;

/* Rows of at most so many chunks have a loop for each number of them. */
enum { DMLC_FEW_CHUNKS = 7 };

/* So many planes are woven into pixels, and pixels of so many elements parted, by kernels of their own. */
enum { DMLC_MOST_PLANES = 4 };

/* Pixels of nearly as many chunks as a wide one has go as if they had so many, where those are not wider than a tile. */
enum { DMLC_WIDE_PIXEL = 8 };

static inline bool dmlc_are_nearly_wide(int64_t pixel_step, int64_t pixels, int64_t chunks, int64_t chunk,
                                        int64_t tile_bytes)
{
    enum { LEAST_PIXELS = 16 };
    return DMLC_WIDE_PIXEL * chunk <= tile_bytes && (chunk & (chunk - 1)) == 0 && chunks > DMLC_WIDE_PIXEL / 2 &&
           chunks < DMLC_WIDE_PIXEL && pixel_step == chunks * chunk && pixels > LEAST_PIXELS;
}

/* Rows that go back by one, and others of a constant step, have aligned stores from so many bytes on. */
enum { DMLC_ALIGNED_REVERSED_BYTES = 768, DMLC_ALIGNED_STEPS_BYTES = 2048 };

/* How many lines, up to `most`, that lie `apart` bytes from each other are in a first-level cache at once. Lines whose addresses differ by
 * `span` share a place, which has room for WAYS of them. Where some times `apart` is a multiple of `span`, give or take `nearly` bytes, all
 * lines share as many places. Where it misses by 8 bytes, lines that are read have room: they move on by a line in WAYS rounds. Runs that
 * are written may touch two lines each, and what is read lies beside them: on Granite Rapids tiles for which 8 bytes were enough took up to
 * twice as long, and asking for more took 0.94 of the time by mean. */
enum { DMLC_NEARLY_READ = 7, DMLC_NEARLY_WRITTEN = 8 };

static inline int64_t dmlc_lines_in_ways(int64_t span, int64_t apart, int64_t most, int64_t nearly)
{
    enum { WAYS = 8 };
    for (int64_t places = 1; places * WAYS < most; ++places) {
        const int64_t over = places * (apart & (span - 1)) & (span - 1);
        if (dmlc_minimum(over, span - over) <= nearly)
            return places * WAYS;
    }
    return most;
}

static inline int64_t dmlc_lines_in_cache(int64_t apart, int64_t most, int64_t nearly)
{
    return dmlc_lines_in_ways(4 * 1024, apart, most, nearly);
}

/* The same of a small second-level cache. */
static inline int64_t dmlc_lines_in_farther_cache(int64_t apart, int64_t most, int64_t nearly)
{
    return dmlc_lines_in_ways(64 * 1024, apart, most, nearly);
}

extern const dmlc_abilities dmlc_abilities_baseline;
extern const dmlc_abilities dmlc_abilities_avx2;
extern const dmlc_abilities dmlc_abilities_avx2_intel;
extern const dmlc_abilities dmlc_abilities_avx512;
extern const dmlc_abilities dmlc_abilities_avx512_intel;
extern const dmlc_abilities dmlc_abilities_neon;

#endif
