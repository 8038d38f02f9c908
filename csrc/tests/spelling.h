/* A plan as text, outermost axis first:
 *
 *     axis       size@output step, and what it reads: <step, or in brackets a cycle of size<step from its offset, `-` outside
 *     rows       chunk, then pieces: operation count, +output offset, from input offset, /step; how many units are permuted
 *     short      how many rows are a leaf, if more than one; so many rows of so many bytes are a block
 *     ends       how many shuffles, the bytes copied between, how many shuffles
 *     moves      the axes of a box, its bytes; so many moves x of so many bytes, - where they fill
 *     shuffles   the axes of a box, its bytes; how many; so many boxes together where these are few; so many in memory, and the bytes
 *                that are fetched of each
 *     by         the way of a selection or a band; with tiles, bytes of a unit
 *     transpose  how many axes along the rows and across them; how many places and sources are listed
 */
#ifndef DMLC_TESTS_SPELLING_H
#define DMLC_TESTS_SPELLING_H

#include "language/plan.h"

#include <stddef.h>

typedef struct text {
    char characters[1024];
    size_t length;
} text;

text spell_plan(const dmlc_plan *plan);

#endif
