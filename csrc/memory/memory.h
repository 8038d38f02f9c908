/* Memory for outputs. Pages of a fresh large buffer fault in many times slower than a kernel writes them, so buffers that
 * are freed are kept, up to a limit, for the next output of about their size. */
#ifndef DMLC_MEMORY_H
#define DMLC_MEMORY_H

#include <stdint.h>

/* `bytes` of memory, aligned to 64 bytes and, from 128 KiB on, to a page of 4 KiB; NULL where there is none, even after all that was kept
 * is given back. */
void *dmlc_memory_allocate(int64_t bytes);

/* Frees what dmlc_memory_allocate returned, or keeps it. NULL is ignored. */
void dmlc_memory_free(void *memory);

/* A new buffer with the first bytes of an old one, which is freed; NULL, and the old one untouched, where there is no
 * memory. */
void *dmlc_memory_resize(void *memory, int64_t bytes);

/* How many bytes may be kept; what exceeds it is given back. */
void dmlc_memory_set_limit(int64_t bytes);
int64_t dmlc_memory_limit(void);

/* How many bytes are kept. */
int64_t dmlc_memory_kept(void);

/* Gives back all that is kept. */
void dmlc_memory_clear(void);

#endif
