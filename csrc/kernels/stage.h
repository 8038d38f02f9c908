/* What goes past the cache and is not made of long runs is made in the cache first, a stage at a time, and goes past it from there.
 *
 * A stage is small, so that a processor reads what comes next while it stores what is made: with stages of 8 KB rows of pixels took
 * up to twice as long as with a KB or two. And it lies in a page: a store across two of them waits for all that go past the cache
 * before it, which took 100 ns on Zen 4. */
#ifndef DMLC_KERNELS_STAGE_H
#define DMLC_KERNELS_STAGE_H

#include "kernels/stream.h"

enum { PAGE_BYTES = 4096, LINE_BYTES = 64 };

/* A vector of 32 bytes that is aligned lies in one page; one of 64 that is not may lie across two. */
#if defined(__AVX512F__)
enum { STAGE_BYTES = PAGE_BYTES };
#else
enum { STAGE_BYTES = 2 * PAGE_BYTES };
#endif

/* Rows of up to LONGEST_STAGED_ROW bytes follow each other in a stage until STAGED_LINES of them go past the cache as whole lines. */
enum { STAGED_LINES = 1024, LONGEST_STAGED_ROW = STAGE_BYTES - STAGED_LINES - LINE_BYTES };

/* How many rows of so many bytes are made together by a kernel that is set up anew for each stage. Boxes took 0.4 to 1.1 of the time
 * that they took with 16 KB. */
static inline int64_t staged_together(int64_t bytes)
{
    enum { TOGETHER = 2048 };
    return bytes < TOGETHER ? TOGETHER / bytes : 1;
}

/* Bytes [begin, end) of the output from `line` on, where a cache line begins. */
typedef struct stage {
    dmlc_stream *stream;
    char *line;
    int64_t begin, end;
    _Alignas(PAGE_BYTES) char bytes[STAGE_BYTES];
} stage;

static inline void stage_open(stage *stage, dmlc_stream *stream, char *output)
{
    stage->stream = stream;
    stage->begin = stage->end = (int64_t)((uintptr_t)output % LINE_BYTES);
    stage->line = output - stage->begin;
}

static inline void stage_flush(stage *stage)
{
    stream_copy(stage->stream, stage->line + stage->begin, stage->bytes + stage->begin, stage->end - stage->begin);
}

static inline void stage_send_lines(stage *stage)
{
    const int64_t lines = stage->end / LINE_BYTES * LINE_BYTES;
    const vector64 rest = load64(stage->bytes + lines);
    stream_copy(stage->stream, stage->line + stage->begin, stage->bytes + stage->begin, lines - stage->begin);
    store64(stage->bytes, rest);
    stage->line += lines;
    stage->end -= lines;
    stage->begin = 0;
}

/* Rows of so many bytes are read up even if their units go back; shorter ones are as well read as they are. */
enum { LEAST_READ_UP = 256 };

/* Where to make a row of at most LONGEST_STAGED_ROW bytes that belongs at `output`: there, where there is no stage. */
static inline char *stage_row(stage *stage, char *output, int64_t bytes)
{
    if (stage == NULL)
        return output;
    if (output != stage->line + stage->end) {
        stage_flush(stage);
        stage_open(stage, stage->stream, output);
    } else if (stage->end >= STAGED_LINES) {
        stage_send_lines(stage);
    }
    char *made = stage->bytes + stage->end;
    stage->end += bytes;
    return made;
}

#endif
