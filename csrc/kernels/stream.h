/* Stores that leave the cache alone: measured 1.2 times faster for copies and 1.6 to 2 times for fills where the output is
 * larger than the cache, and 1.5 times slower where it is not.
 *
 * They pay for whole cache lines only. An ordinary store to a line that is on its way to memory has to fetch it back, and
 * those behind it wait: rows of 4, 896 and 4 bytes took twice as long. So what is short is made in the first-level cache, in a
 * stage, as long as it follows what is there, and goes past the cache from there, line by line:
 *
 *     |....aaaa|aaaaaaaa|aaabbbcc|cccccccc|cc......|      runs a, b and c: what of a line is not whole, the first
 *                                                         and the last, goes by ordinary stores
 *
 * Little is made at a time, so that a processor reads what comes next while it stores what is made: with 8 KB, rows of pixels took up
 * to twice as long as with a KB or two. And rows lie in a page where stores may lie anywhere, see STAGE_PAGES: a store
 * across two waits for all that go past the cache before it, which took 100 ns on Zen 4.
 *
 * What is made is not read as soon as it is stored: a read that needs two stores waits for all stores before them, and those past the
 * cache take long. So there are two stages. What was made in one is sent when more has been made in the other:
 *
 *     made in stage 0, in stage 1, sent from stage 0, made in stage 0, sent from stage 1, ...
 *
 * With one stage, of which all was sent before more was made, copied and flipped rows of 65 to 260 bytes took 1.0 to 1.1 times as long
 * with AVX-512, and 0.9 to 1.0 of the time with AVX2; rows of 900 bytes whose ends were copied to it and sent at once 1.7 times as long.
 * An offset into both stages instead of an address took longer.
 *
 * Whoever reads what was streamed, or writes it again, flushes before.
 */
#ifndef DMLC_KERNELS_STREAM_H
#define DMLC_KERNELS_STREAM_H

#include "kernels/bytes.h"
#include "kernels/kernels.h"
#include "kernels/vectors.h"

/* How much is made before it is sent, and how long a row may be that follows it, with a line that may be written behind it. Stores of 64
 * bytes may lie anywhere: with them rows stay in one page, though boxes and windows may be longer. Most stores of 32 bytes are aligned, so
 * that hardly any lies across two pages, and rows may take both. */
#if defined(__AVX512F__)
enum { STAGE_PAGES = 1 };
#else
enum { STAGE_PAGES = 2 };
#endif
enum { SENT_BYTES = 1024 };
enum { LONGEST_STAGED = STAGE_PAGES * DMLC_PAGE_BYTES - DMLC_STAGE_MARGIN - SENT_BYTES - DMLC_LINE_BYTES };
_Static_assert((int)SENT_BYTES + (int)DMLC_WINDOWS_BYTES + DMLC_LINE_BYTES <= (int)DMLC_STAGE_BYTES,
               "windows are staged");
_Static_assert((int)SENT_BYTES + (int)DMLC_BOX_BYTES + DMLC_LINE_BYTES <= (int)DMLC_STAGE_BYTES, "boxes are staged");
_Static_assert((int)SENT_BYTES + (int)LONGEST_STAGED + DMLC_LINE_BYTES <= (int)DMLC_STAGE_BYTES, "rows are staged");

/* Rows of so many bytes are read in the direction of all that is read, even if their units go the other way; shorter ones are as well
 * read as they are. */
enum { LEAST_READ_UP = 256 };

/* How many rows of so many bytes are made together by a kernel that is set up anew each time. Boxes took 0.4 to 1.1 of the time that
 * they took with 16 KB. */
static inline int64_t staged_together(int64_t bytes)
{
    enum { TOGETHER = 2048 };
    return bytes < TOGETHER ? TOGETHER / bytes : 1;
}

static inline int64_t whole_lines(int64_t bytes) { return bytes / DMLC_LINE_BYTES * DMLC_LINE_BYTES; }

/* What is read so far ahead is asked for: a processor's own fetches end with a page. Copies of 26 to 150 MB took 0.81 to 0.96 of the time
 * on one thread, 0.75 to 1.0 on two, and small triangles 0.9 to 1.0; 1.5 or 6 KB ahead gained less. */
enum { FETCHED_AHEAD = 3 * 1024 };

#if defined(__SSE2__)

/* A vector, and a cache line, at their addresses. */
#if defined(__AVX512F__)
#include <immintrin.h>
static inline void stream_vector(char *to, vector value) { _mm512_stream_si512((void *)to, value); }
#elif defined(__AVX2__)
#include <immintrin.h>
static inline void stream_vector(char *to, vector value) { _mm256_stream_si256((void *)to, value); }
#else
static inline void stream_vector(char *to, vector value) { _mm_stream_si128((void *)to, value); }
#endif

static inline void stream_line(char *to, const char *from)
{
    for (int i = 0; i < DMLC_LINE_BYTES; i += VECTOR_BYTES)
        stream_vector(to + i, load_vector(from + i));
}

/* Whole lines, from memory. */
static inline void stream_lines_of(char *output, const char *input, int64_t bytes)
{
    int64_t at = 0;
    for (; at + FETCHED_AHEAD < bytes; at += DMLC_LINE_BYTES) {
        fetch_line(input + at + FETCHED_AHEAD);
        stream_line(output + at, input + at);
    }
    for (; at < bytes; at += DMLC_LINE_BYTES)
        stream_line(output + at, input + at);
}

/* Sends so many bytes of lines that are made at `stage`. The first may have bytes before `begin` that are not its own. */
static inline void send_lines(char *line, const char *stage, int64_t begin, int64_t lines)
{
    int64_t at = 0;
    if (begin > 0 && lines > 0) {
        copy_short(line + begin, stage + begin, DMLC_LINE_BYTES - begin);
        at = DMLC_LINE_BYTES;
    }
    for (; at < lines; at += DMLC_LINE_BYTES)
        stream_line(line + at, stage + at);
}

static inline char *other_stage(dmlc_stream *stream)
{
    return stream->stages[stream->stage == stream->stages[0].bytes].bytes;
}

/* What the other stage has, at least a line. The line that it ends in goes on in this one. */
static APART void send_before(dmlc_stream *stream)
{
    const char *const before = other_stage(stream);
    const int64_t lines = whole_lines(stream->before_end);
    send_lines(stream->line - lines, before, stream->before_begin, lines);
    copy_short(stream->stage, before + lines, stream->before_end - lines);
    stream->begin = stream->before_end = 0;
}

/* Past the cache go the lines that are whole. */
static inline void stream_send(dmlc_stream *stream)
{
    if (stream->before_end > 0)
        send_before(stream);
    const int64_t lines = whole_lines(stream->end);
    if (lines == 0)
        return;
    send_lines(stream->line, stream->stage, stream->begin, lines);
    stream->begin = 0;
    stream->line += lines;
    stream->end -= lines;
    if (stream->end > 0)
        store64(stream->stage, load64(stream->stage + lines));
}

/* What is made next is so in the other stage, of which all is sent first. */
static inline void turn_stages(dmlc_stream *stream)
{
    if (stream->before_end > 0)
        send_before(stream);
    stream->before_begin = stream->begin;
    stream->before_end = stream->end;
    stream->stage = other_stage(stream);
    stream->line += whole_lines(stream->end);
    stream->begin = stream->end %= DMLC_LINE_BYTES;
}

static inline void stream_flush(dmlc_stream *stream)
{
    stream_send(stream);
    copy_short(stream->line + stream->begin, stream->stage + stream->begin, stream->end - stream->begin);
    stream->begin = stream->end;
}

/* The line at an address that a run begins or ends at, unless a line begins there. */
static inline void fetch_to_end_at(uintptr_t at)
{
    if (at % DMLC_LINE_BYTES != 0)
        fetch_to_write((char *)at);
}

/* From the last run to one at `output`. Where runs lie at a constant step, the lines that one will begin and end in are asked for, a KB
 * before. An ordinary store to a line that is far holds up all that go past the cache behind it. */
static APART void stream_next_run(dmlc_stream *stream, char *output)
{
    const char *const end = stream->line + stream->end;
    const int64_t bytes = end - stream->run, step = output - stream->run;
    stream_flush(stream);
    if (step == stream->step && bytes > 0) {
        const int64_t ahead = (SENT_BYTES / bytes + 1) * step;
        fetch_to_end_at((uintptr_t)output + (uintptr_t)ahead);
        fetch_to_end_at((uintptr_t)end + (uintptr_t)step + (uintptr_t)ahead);
    }
    dmlc_stream_begin_run(stream, output, step);
}

/* Called before bytes are streamed to `output`. Whether or not they follow what is made, fewer than SENT_BYTES are in the stage then. */
static inline void stream_turn_to(dmlc_stream *stream, char *output)
{
    if (output != stream->line + stream->end)
        stream_next_run(stream, output);
    else if (stream->end >= SENT_BYTES)
        turn_stages(stream);
}

/* Where to make so many bytes that belong at `output`, LONGEST_STAGED, DMLC_WINDOWS_BYTES or DMLC_BOX_BYTES at most, before anything else
 * is streamed: in the stage, or at `output` itself where there is no stream. Vectors may begin DMLC_STAGE_MARGIN before it and end a line
 * behind it, if what they write into bytes of the run is what the output has there. */
static inline char *stream_stage(dmlc_stream *stream, char *output, int64_t bytes)
{
    if (stream == NULL)
        return output;
    stream_turn_to(stream, output);
    char *made = stream->stage + stream->end;
    stream->end += bytes;
    return made;
}

/* output[i] = source[i], or source[i % 64] of 128 bytes where they are `repeated`. */
static inline void stream_run(dmlc_stream *stream, char *output, const char *source, int64_t bytes, bool repeated)
{
    stream_turn_to(stream, output);
    char *stage = stream->stage, *made = stage + stream->end;
    const int64_t begun = stream->end % DMLC_LINE_BYTES;
    int64_t at = begun == 0 ? 0 : dmlc_minimum(DMLC_LINE_BYTES - begun, bytes);
    copy_short(made, source, at);
    stream->end += at;
    if (at == bytes)
        return;
    if (stream->before_end == 0 && stream->begin == 0 && stream->end == DMLC_LINE_BYTES)
        stream_line(stream->line, stage);
    else
        stream_send(stream);
    const int64_t end = at + whole_lines(bytes - at);
    const char *from = source + (repeated ? at % DMLC_LINE_BYTES : at);
    if (repeated) {
        for (; at < end; at += DMLC_LINE_BYTES)
            stream_line(output + at, from);
    } else {
        stream_lines_of(output + at, from, end - at);
        from = source + end;
    }
    stream->line = output + end;
    stream->begin = 0;
    stream->end = bytes - end;
    copy_short(stage, from, bytes - end);
}

static inline void stream_copy(dmlc_stream *stream, char *output, const char *input, int64_t bytes)
{
    stream_run(stream, output, input, bytes, false);
}

/* Of so many bytes at `output`, where a line begins, those of whole lines. The stream goes on behind these: the caller sends them itself,
 * vector by vector, as it makes them. */
static inline int64_t stream_skip_lines(dmlc_stream *stream, char *output, int64_t bytes)
{
    const int64_t lines = whole_lines(bytes);
    if (lines > 0) {
        stream_turn_to(stream, output);
        stream_send(stream);
        stream->line = output + lines;
    }
    return lines;
}

/* Fills of at most so many bytes are made in the stage like all that is short. A fill that is sent at once sends what was made just before
 * it, too. On Zen 4 with AVX2, images of rows of 10 to 256 bytes with a border, 25 to 70 MB in all, took 0.93 of the time of fills sent at
 * once by mean and 0.76 to 1.12; with AVX-512 1.06 by mean, and 1.6 at worst. Short copies that were made in the stage instead of being
 * sent took as long: 0.99 to 1.02 by mean. */
#if defined(__AVX512F__)
enum { MOST_STAGED_FILL = 0 };
#else
enum { MOST_STAGED_FILL = 512 };
#endif

/* As fill_bytes; from a line's start on, the pattern begins somewhere inside an element. */
static inline void stream_fill(dmlc_stream *stream, char *output, int64_t bytes, const unsigned char *pattern)
{
    if (bytes <= MOST_STAGED_FILL) {
        fill_bytes(stream_stage(stream, output, bytes), bytes, pattern);
        return;
    }
    char twice[128];
    memcpy(twice, pattern, 64);
    memcpy(twice + 64, pattern, 64);
    stream_run(stream, output, twice, bytes, true);
}

static inline void stream_end(dmlc_stream *stream)
{
    stream_flush(stream);
    _mm_sfence();
}

#else

static inline void stream_flush(dmlc_stream *stream) { (void)stream; }

static inline char *stream_stage(dmlc_stream *stream, char *output, int64_t bytes)
{
    (void)stream;
    (void)bytes;
    return output;
}

static inline void stream_vector(char *to, vector value) { store_vector(to, value); }

static inline void stream_lines_of(char *output, const char *input, int64_t bytes) { copy_bytes(output, input, bytes); }

static inline int64_t stream_skip_lines(dmlc_stream *stream, char *output, int64_t bytes)
{
    (void)stream;
    (void)output;
    return whole_lines(bytes);
}

static inline void stream_copy(dmlc_stream *stream, char *output, const char *input, int64_t bytes)
{
    (void)stream;
    copy_bytes(output, input, bytes);
}

static inline void stream_fill(dmlc_stream *stream, char *output, int64_t bytes, const unsigned char *pattern)
{
    (void)stream;
    fill_bytes(output, bytes, pattern);
}

static inline void stream_end(dmlc_stream *stream) { (void)stream; }

#endif

#endif
