/* What the memory allows: the seconds that filling or copying n bytes takes, shared over threads.
 *
 * Compiled at run time by limit.py with -O3 -fopenmp for the instruction set that is measured. Independent of dmlc on
 * purpose. Both functions return the seconds of `repeats` repetitions, or -1 where streaming stores are asked for and
 * this machine has none.
 */
#define _POSIX_C_SOURCE 199309L
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { LINE = 64 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Bytes from p up to the next cache line, at most n: streaming stores need aligned lines. */
static size_t bytes_to_line(const char *p, size_t n)
{
    size_t head = (LINE - (uintptr_t)p % LINE) % LINE;
    return head < n ? head : n;
}

#if defined __AVX512F__

static void stream_fill_lines(char *to, size_t lines)
{
    const __m512i value = _mm512_set1_epi8(1);
    for (size_t i = 0; i < lines; i++)
        _mm512_stream_si512((__m512i *)(to + i * LINE), value);
    _mm_sfence();
}

static void stream_copy_lines(char *to, const char *from, size_t lines)
{
    for (size_t i = 0; i < lines; i++)
        _mm512_stream_si512((__m512i *)(to + i * LINE), _mm512_loadu_si512(from + i * LINE));
    _mm_sfence();
}

#elif defined __x86_64__

static void stream_fill_lines(char *to, size_t lines)
{
    const __m128i value = _mm_set1_epi8(1);
    for (size_t i = 0; i < lines * (LINE / 16); i++)
        _mm_stream_si128((__m128i *)to + i, value);
    _mm_sfence();
}

static void stream_copy_lines(char *to, const char *from, size_t lines)
{
    for (size_t i = 0; i < lines * (LINE / 16); i++)
        _mm_stream_si128((__m128i *)to + i, _mm_loadu_si128((const __m128i *)from + i));
    _mm_sfence();
}

#endif

#ifdef __x86_64__

static const int has_streaming = 1;

static void stream_fill(char *to, size_t n)
{
    size_t head = bytes_to_line(to, n), lines = (n - head) / LINE, tail = head + lines * LINE;
    memset(to, 1, head);
    stream_fill_lines(to + head, lines);
    memset(to + tail, 1, n - tail);
}

static void stream_copy(char *to, const char *from, size_t n)
{
    size_t head = bytes_to_line(to, n), lines = (n - head) / LINE, tail = head + lines * LINE;
    memcpy(to, from, head);
    stream_copy_lines(to + head, from + head, lines);
    memcpy(to + tail, from + tail, n - tail);
}

#else

static const int has_streaming = 0;
static void stream_fill(char *to, size_t n) { memset(to, 1, n); }
static void stream_copy(char *to, const char *from, size_t n) { memcpy(to, from, n); }

#endif

/* Where share number k of `threads` begins: at a multiple of a line, and at n for k = threads. */
static size_t share(size_t n, int threads, int k)
{
    size_t begin = (n / (size_t)threads * (size_t)k) & ~(size_t)(LINE - 1);
    return k == threads ? n : begin;
}

/* One share of a fill (from is NULL) or of a copy. */
static void move(char *to, const char *from, size_t n, int streaming)
{
    if (from == NULL && streaming)
        stream_fill(to, n);
    else if (from == NULL)
        memset(to, 1, n);
    else if (streaming)
        stream_copy(to, from, n);
    else
        memcpy(to, from, n);
}

static double repeat(char *to, const char *from, size_t n, int threads, int streaming, long repeats)
{
    if (streaming && !has_streaming)
        return -1;
    double start = now();
    for (long r = 0; r < repeats; r++) {
        if (threads == 1) {
            move(to, from, n, streaming);
        } else {
#pragma omp parallel for num_threads(threads) schedule(static, 1)
            for (int k = 0; k < threads; k++) {
                size_t begin = share(n, threads, k), end = share(n, threads, k + 1);
                move(to + begin, from ? from + begin : NULL, end - begin, streaming);
            }
        }
        __asm__ volatile("" ::: "memory"); /* every repetition happens */
    }
    return now() - start;
}

double limit_fill(char *to, size_t n, int threads, int streaming, long repeats)
{
    return repeat(to, NULL, n, threads, streaming, repeats);
}

double limit_copy(char *to, const char *from, size_t n, int threads, int streaming, long repeats)
{
    return repeat(to, from, n, threads, streaming, repeats);
}
