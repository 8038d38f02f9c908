/* Plans from their allocation to their end. */
#include "plan/planner.h"

#include <stdlib.h>
#include <string.h>

static bool has_outside(const dmlc_draft *draft)
{
    bool outside = draft->outside;
    for (int32_t i = 0; i < draft->axis_count; ++i)
        for (int32_t j = 0; j < draft->axes[i].segment_count; ++j)
            outside = outside || draft->axes[i].segments[j].outside;
    return outside;
}

dmlc_status dmlc_plan_allocate(dmlc_plan **plan, dmlc_way way, const dmlc_draft *draft)
{
    const size_t axes = (size_t)draft->axis_count * sizeof(dmlc_axis), two_more = 2 * sizeof(dmlc_axis);
    dmlc_plan *made = malloc(sizeof(dmlc_plan) + axes + two_more); /* a way may make three of one, see packing.c */
    if (made == NULL)
        return DMLC_OUT_OF_MEMORY;
    const int64_t chunks = dmlc_draft_chunks(draft);
    made->way = way;
    made->kernels = draft->kernels;
    made->width = draft->width;
    made->chunk = draft->chunk;
    made->bytes = dmlc_product(chunks, 2 * draft->chunk, DMLC_REACH_LIMIT);
    made->cost = 0;
    made->output_offset = draft->output_offset;
    made->input_offset = draft->input_offset;
    made->empty = draft->empty;
    made->outside = draft->outside;
    made->fills = way == DMLC_SELECT || way == DMLC_BAND || has_outside(draft);
    made->outside_value = draft->outside_value;
    made->memory = NULL;
    made->before = NULL;
    made->dense = 0;
    made->repeated = 0;
    made->leaf_axes = 0;
    made->axis_count = draft->axis_count;
    if (axes > 0)
        memcpy(made->axes, draft->axes, axes);
    *plan = made;
    return DMLC_OK;
}

void *dmlc_plan_memory(dmlc_plan *plan, size_t bytes)
{
    plan->memory = malloc(bytes);
    return plan->memory;
}

void dmlc_plan_free(dmlc_plan *plan)
{
    if (plan == NULL)
        return;
    dmlc_plan_free(plan->before);
    if (plan->way == DMLC_PACKED) {
        dmlc_plan_free(plan->program.packed.pack);
        dmlc_plan_free(plan->program.packed.unpack);
    }
    for (int32_t i = 0; plan->way == DMLC_GROWN && i < plan->program.grown.count; ++i)
        dmlc_plan_free(plan->program.grown.plans[i]);
    free(plan->memory);
    free(plan);
}

dmlc_status dmlc_plan_finish(dmlc_plan **plan, dmlc_plan *made, dmlc_status status)
{
    if (status == DMLC_OK)
        *plan = made;
    else
        dmlc_plan_free(made);
    return status;
}

int64_t dmlc_plan_bytes(const dmlc_plan *plan) { return plan->bytes; }

const char *dmlc_status_message(dmlc_status status)
{
    static const char *const messages[] = {
        [DMLC_OK] = "success",
        [DMLC_INVALID_ARGUMENT] = "an argument breaks its rule",
        [DMLC_OVERFLOW] = "a size or an offset does not fit into 64 bits",
        [DMLC_OUT_OF_MEMORY] = "out of memory",
    };
    const size_t index = (size_t)status;
    return index < sizeof(messages) / sizeof(messages[0]) ? messages[index] : "unknown status";
}
