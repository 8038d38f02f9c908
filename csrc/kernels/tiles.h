/* Tiles turned in registers: n vectors, whose halves are interleaved log2(n) times.
 *
 *     new[2i]     = the low halves of old[i] and old[i + n/2], element by element in turn
 *     new[2i + 1] = the high halves, likewise
 *
 * Count all elements, vector after vector. Each time the highest bit of an element's number moves to the lowest place: after log2(n) times
 * element e of vector v is element e * n + v of all.
 */
#ifndef DMLC_KERNELS_TILES_H
#define DMLC_KERNELS_TILES_H

#include "kernels/lanes.h"

#if defined(__SSE2__)
#define LOW_1(a, b) _mm_unpacklo_epi8(a, b)
#define HIGH_1(a, b) _mm_unpackhi_epi8(a, b)
#define LOW_2(a, b) _mm_unpacklo_epi16(a, b)
#define HIGH_2(a, b) _mm_unpackhi_epi16(a, b)
#define LOW_4(a, b) _mm_unpacklo_epi32(a, b)
#define HIGH_4(a, b) _mm_unpackhi_epi32(a, b)
#define LOW_8(a, b) _mm_unpacklo_epi64(a, b)
#define HIGH_8(a, b) _mm_unpackhi_epi64(a, b)
#define DMLC_HAVE_TILES 1
#elif defined(DMLC_NEON)
#define ZIP(half, type, a, b)                                                                                          \
    vreinterpretq_u8_##type(vzip##half##q_##type(vreinterpretq_##type##_u8(a), vreinterpretq_##type##_u8(b)))
#define LOW_1(a, b) vzip1q_u8(a, b)
#define HIGH_1(a, b) vzip2q_u8(a, b)
#define LOW_2(a, b) ZIP(1, u16, a, b)
#define HIGH_2(a, b) ZIP(2, u16, a, b)
#define LOW_4(a, b) ZIP(1, u32, a, b)
#define HIGH_4(a, b) ZIP(2, u32, a, b)
#define LOW_8(a, b) ZIP(1, u64, a, b)
#define HIGH_8(a, b) ZIP(2, u64, a, b)
#define DMLC_HAVE_TILES 1
#endif

/* Where the tile of so many elements that would begin at `at` begins: the last one ends where all do. */
static inline int64_t tile_begin(int64_t at, int64_t tile, int64_t size)
{
    return at + tile <= size ? at : size - tile;
}

#ifdef DMLC_HAVE_TILES

/* `count` vectors turned around, at most 16, a power of two; of elements of so many bytes. Both are constants. */
#define OF_WIDTH(HALF, a, b, width)                                                                                    \
    ((width) == 1 ? HALF##_1(a, b) : (width) == 2 ? HALF##_2(a, b) : (width) == 4 ? HALF##_4(a, b) : HALF##_8(a, b))
#define DEFINE_RIFFLE(NAME, VECTOR, KIND)                                                                              \
    static ALWAYS_INLINE void NAME(VECTOR *tile, const int count, const int width)                                     \
    {                                                                                                                  \
        VECTOR riffled[16];                                                                                            \
        UNROLL_ALL                                                                                                     \
        for (int turned = 1; turned < count; turned *= 2) {                                                            \
            UNROLL_ALL                                                                                                 \
            for (int i = 0; i < count / 2; ++i) {                                                                      \
                const VECTOR a = tile[i], b = tile[i + count / 2];                                                     \
                riffled[2 * i] = OF_WIDTH(KIND##LOW, a, b, width);                                                     \
                riffled[2 * i + 1] = OF_WIDTH(KIND##HIGH, a, b, width);                                                \
            }                                                                                                          \
            UNROLL_ALL                                                                                                 \
            for (int i = 0; i < count; ++i)                                                                            \
                tile[i] = riffled[i];                                                                                  \
        }                                                                                                              \
    }

DEFINE_RIFFLE(riffle, vector16, )
#if defined(__AVX2__)
DEFINE_RIFFLE(riffle_lanes, lanes, LANES_)
#endif

#undef DEFINE_RIFFLE
#undef OF_WIDTH

/* 2, 4, 8 or 16 bytes, the rest zero. */
static inline vector16 load_part(const char *from, const int bytes)
{
    if (bytes == 16)
        return load16(from);
    uint64_t low = 0;
    memcpy(&low, from, (size_t)bytes);
    return from_halves(low, 0);
}

/* Bytes [at, at + bytes) of a vector, which do not lie in both halves unless they are all. */
static inline void store_part(char *to, vector16 value, const int at, const int bytes)
{
    if (bytes == 16) {
        store16(to, value);
        return;
    }
    const uint64_t part = (at < 8 ? low_half(value) : high_half(value)) >> at % 8 * 8;
    memcpy(to, &part, (size_t)bytes);
}

/* `columns` runs of `rows` elements become rows of columns, from their sources to their places. Both counts are powers of
 * two and constants, from 2 to the elements of a vector. */
static ALWAYS_INLINE void turn(char *output, const int64_t *places, const char *input, const int64_t *sources,
                               const int rows, const int columns, const int width)
{
    vector16 tile[16];
    UNROLL_ALL
    for (int i = 0; i < columns; ++i)
        tile[i] = load_part(input + sources[i], rows * width);
    riffle(tile, columns, width);
    const int row_bytes = columns * width;
    UNROLL_ALL
    for (int row = 0; row < rows; ++row)
        store_part(output + places[row], tile[row * row_bytes / 16], row * row_bytes % 16, row_bytes);
}

#if defined(DMLC_HAVE_LOOK_UP)

static inline vector16 load12(const char *from)
{
    uint64_t low;
    uint32_t high;
    memcpy(&low, from, sizeof(low));
    memcpy(&high, from + 8, sizeof(high));
    return from_halves(low, high);
}

static inline void store12(char *to, vector16 value)
{
    const uint64_t low = low_half(value);
    const uint32_t high = (uint32_t)high_half(value);
    memcpy(to, &low, sizeof(low));
    memcpy(to + 8, &high, sizeof(high));
}

/* Where the bytes of four pixels of three go, and come from, when each has a fourth byte. */
#define WIDENED(i) ((i) % 4 < 3 ? (i) / 4 * 3 + (i) % 4 : ELSEWHERE)
#define NARROWED(i) ((i) < 12 ? (i) / 3 * 4 + (i) % 3 : ELSEWHERE)

/* Four rows and columns of three bytes each, which turn as elements of four would. Of six bytes, two rows and columns took as
 * long as moves one by one. */
static ALWAYS_INLINE void turn_3(char *output, const int64_t *places, const char *input, const int64_t *sources,
                                 const int rows, const int columns, const int width)
{
    (void)rows;
    (void)columns;
    (void)width;
    const vector16 none = from_halves(0, 0), widened = LANE(WIDENED), narrowed = LANE(NARROWED);
    const vector16 a = look_up(none, load12(input + sources[0]), widened);
    const vector16 b = look_up(none, load12(input + sources[1]), widened);
    const vector16 c = look_up(none, load12(input + sources[2]), widened);
    const vector16 d = look_up(none, load12(input + sources[3]), widened);
    const vector16 low_ac = LOW_4(a, c), high_ac = HIGH_4(a, c), low_bd = LOW_4(b, d), high_bd = HIGH_4(b, d);
    store12(output + places[0], look_up(none, LOW_4(low_ac, low_bd), narrowed));
    store12(output + places[1], look_up(none, HIGH_4(low_ac, low_bd), narrowed));
    store12(output + places[2], look_up(none, LOW_4(high_ac, high_bd), narrowed));
    store12(output + places[3], look_up(none, HIGH_4(high_ac, high_bd), narrowed));
}

#endif

#if defined(__AVX2__)

enum { TILE_ROW_BYTES = 32 };

/* Tiles of two lanes: as many rows as there are elements in 16 bytes, as many columns as in 32, half of them in each lane, so
 * that rows are stored whole. Where stores wait, the line that a row of the tile ends in is asked for first: the one that it begins
 * in is there from the tile before. Asked for after the loads, tiles of bytes took 1.3 to 1.9 times as long, as their addresses found no
 * registers; asked for a tile earlier, all took 1.05 to 1.15. */
static ALWAYS_INLINE void turn_lanes(char *output, const int64_t *places, const char *input, const int64_t *sources,
                                     const int width, const bool stores_wait)
{
    const int lane = 16 / width;
    lanes tile[16];
    if (stores_wait) {
        UNROLL_ALL
        for (int i = 0; i < lane; ++i)
            fetch_to_write(output + places[i] + TILE_ROW_BYTES - 1);
    }
    UNROLL_ALL
    for (int i = 0; i < lane; ++i)
        tile[i] = load_lanes(input + sources[i], input + sources[lane + i]);
    riffle_lanes(tile, lane, width);
    UNROLL_ALL
    for (int i = 0; i < lane; ++i)
        store_side_by_side(output + places[i], tile[i]);
}

/* Where row or column i is, of those that lie evenly apart: pointers to every fourth, and a distance of at most three from
 * there. With a distance for each, too many for the registers, it took 1.1 to 1.5 times as long. */
#define EVENLY(pointers, step, step_3, i) (pointers[(i) / 4] + ((i) % 4 == 3 ? step_3 : (i) % 4 * step))

/* So many of these tiles, each below the one before it, of rows and columns that lie evenly apart. */
static ALWAYS_INLINE void turn_lanes_evenly(char *output, int64_t output_row, const char *input, int64_t step,
                                            int64_t tiles, const int width, const bool stores_wait)
{
    const int lane = 16 / width;
    const int64_t row_3 = 3 * output_row, step_3 = 3 * step;
    char *to[4];
    const char *from[8];
    UNROLL_ALL
    for (int i = 0; i < lane; i += 4)
        to[i / 4] = output + i * output_row;
    UNROLL_ALL
    for (int i = 0; i < 2 * lane; i += 4)
        from[i / 4] = input + i * step;
    for (int64_t t = 0; t < tiles; ++t) {
        lanes tile[16];
        if (stores_wait) {
            UNROLL_ALL
            for (int i = 0; i < lane; ++i)
                fetch_to_write(EVENLY(to, output_row, row_3, i) + TILE_ROW_BYTES - 1);
        }
        UNROLL_ALL
        for (int i = 0; i < lane; ++i)
            tile[i] = load_lanes(EVENLY(from, step, step_3, i), EVENLY(from, step, step_3, lane + i));
        riffle_lanes(tile, lane, width);
        UNROLL_ALL
        for (int i = 0; i < lane; ++i)
            store_side_by_side(EVENLY(to, output_row, row_3, i), tile[i]);
        UNROLL_ALL
        for (int i = 0; i < lane; i += 4)
            to[i / 4] += lane * output_row;
        UNROLL_ALL
        for (int i = 0; i < 2 * lane; i += 4)
            from[i / 4] += 16;
    }
}

#undef EVENLY

/* Eight rows and four columns of three bytes each, turn_3 in either lane, by whole loads and stores: what is read too much is
 * thrown away, four bytes too much are written behind each row. Their lines asked for first, as those of turn_lanes, images took 0.46
 * to 0.81 of the time. */
enum { PIXEL_ROWS = 8, PIXEL_COLUMNS = 4 };

static ALWAYS_INLINE void turn_lanes_3(char *output, const int64_t *places, const char *input, const int64_t *sources,
                                       const bool stores_wait)
{
    enum { HALF = PIXEL_ROWS / 2, STORED = 16 };
    const lanes widened = repeat_lane(LANE(WIDENED)), narrowed = repeat_lane(LANE(NARROWED));
    lanes columns[PIXEL_COLUMNS], rows[HALF];
    if (stores_wait) {
        UNROLL_ALL
        for (int i = 0; i < PIXEL_ROWS; ++i)
            fetch_to_write(output + places[i] + STORED - 1);
    }
    UNROLL_ALL
    for (int i = 0; i < PIXEL_COLUMNS; ++i)
        columns[i] = pick(load_lanes(input + sources[i], input + sources[i] + HALF * 3), widened);
    const lanes low_ac = LANES_LOW_4(columns[0], columns[2]), high_ac = LANES_HIGH_4(columns[0], columns[2]);
    const lanes low_bd = LANES_LOW_4(columns[1], columns[3]), high_bd = LANES_HIGH_4(columns[1], columns[3]);
    rows[0] = LANES_LOW_4(low_ac, low_bd);
    rows[1] = LANES_HIGH_4(low_ac, low_bd);
    rows[2] = LANES_LOW_4(high_ac, high_bd);
    rows[3] = LANES_HIGH_4(high_ac, high_bd);
    UNROLL_ALL
    for (int i = 0; i < HALF; ++i)
        store_lanes(output + places[i], output + places[HALF + i], pick(rows[i], narrowed));
}

#define DMLC_HAVE_TILE_LANES 1

#else

enum { TILE_ROW_BYTES = 16 };

#endif

#undef NARROWED
#undef WIDENED

#endif

#endif
