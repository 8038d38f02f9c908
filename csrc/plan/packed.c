/* Paddings and repeats of what lies apart or in another order: what a leaf reads is packed first, and its output made from there.
 *
 *     input  a.b.c.   ->   stage  abc   ->   output  cb|abc|ba
 *
 * So each chunk is gathered once, however often it is written, and by the ways of copies, transposes among them, which know no border. Of
 * random pads, tiles and repeats of such arrays, 64 bytes to 64 KB read, one in ten took less than 0.9 of the time on Zen 4, 0.04 at best;
 * of 10,400 (AVX2) and 10,700 (AVX-512), 51 and 19 took longer than NumPy's, where 160 and 109 had. Planes of bytes as pixels inside a
 * border took 0.2 to 0.9 of it. A stage of 64 KB made as many better as worse, up to 3 times; one of 16 KB left more as they were. */
#include "plan/planner.h"

#include <math.h>

static void pack_axis(dmlc_draft *draft, const dmlc_axis_reads *reads, int64_t step)
{
    draft->input_offset += reads->lowest;
    dmlc_axis_add(dmlc_draft_add_axis(draft, reads->count, step), reads->count, 0, reads->step, false);
}

/* Of the two, the plan that packs or the other one. The stage is dense, its axes in the order of the output's. */
static dmlc_status make_plan(dmlc_plan **made, const dmlc_packing *found, const dmlc_plan *plan, bool packs)
{
    const int64_t width = plan->width, elements = plan->chunk / width;
    int64_t step = found->bytes;
    dmlc_draft draft;
    dmlc_draft_begin(&draft, plan->kernels, width);
    draft.is_part = true;
    draft.times = found->times;
    draft.outside_value = plan->outside_value;
    for (int32_t i = 0; i < plan->axis_count; ++i) {
        if (!dmlc_is_packed(found, i))
            continue;
        const dmlc_axis axis = dmlc_packed_axis(found, plan, i);
        const dmlc_axis_reads *reads = &found->reads[i];
        step /= reads->count;
        if (packs)
            pack_axis(&draft, reads, step);
        else
            dmlc_draft_add_reread(&draft, &axis, reads, step);
    }
    dmlc_axis_add(dmlc_draft_add_axis(&draft, elements, width), elements, 0, width, false);
    return dmlc_plan_map(made, &draft);
}

static void forget(dmlc_sketch *sketch)
{
    dmlc_plan_free(sketch->packed.pack);
    dmlc_plan_free(sketch->packed.unpack);
}

/* The share of what others cost that this way may cost at most: less than all of it, since costs of two plans are not exact; but to gather
 * each chunk three times or more takes longer than costs say. */
static double most_of_others(const dmlc_packing *found, const dmlc_plan *plan)
{
    enum { MANY_TIMES = 3 };
    return found->chunks * plan->chunk / MANY_TIMES >= found->bytes ? 1 : 0.7;
}

/* To make the two plans takes some microseconds, so they are made only where they may gain that in a few runs. */
static double cost(dmlc_sketch *sketch, double best)
{
    enum { WORTH_PLANNING = 600, CALLS = 4 };
    const dmlc_plan *plan = sketch->plan;
    dmlc_packing *found = &sketch->packing;
    dmlc_packed *packed = &sketch->packed;
    if (sketch->is_part || best < WORTH_PLANNING || plan->outside ||
        !dmlc_find_packing(found, sketch, DMLC_PACKED_BYTES))
        return (double)INFINITY;
    found->times = dmlc_minimum(DMLC_PACKED_BYTES / found->bytes, (int64_t)dmlc_packings_following(found, sketch));
    *packed = (dmlc_packed){.bytes = found->bytes};
    double each = (double)INFINITY;
    if (make_plan(&packed->pack, found, plan, true) == DMLC_OK &&
        make_plan(&packed->unpack, found, plan, false) == DMLC_OK)
        each = packed->pack->cost + packed->unpack->cost + CALLS * sketch->costs->call / (double)found->times;
    const double all = dmlc_packings_cost(found, sketch, each);
    if (all < most_of_others(found, plan) * best)
        return all;
    forget(sketch);
    return (double)INFINITY;
}

static dmlc_status make(dmlc_sketch *sketch)
{
    dmlc_plan *plan = sketch->plan;
    dmlc_order_packed_axes(plan, &sketch->packing);
    plan->way = DMLC_PACKED;
    plan->program.packed = sketch->packed;
    return DMLC_OK;
}

const dmlc_map_way dmlc_packed_way = {cost, make, forget};
