#include "core/ops/cached_attention.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>

#include "core/base/error.h"
#include "core/ops/dispatch.h"
#include "cuda/attention/tile_shapes.h"
#include "cuda/decode/decode_block.h"
#include "cuda/decode/join_pieces.h"
#include "cuda/decode/prompt_kernels.h"
#include "cuda/decode/prompt_plan.h"
#include "cuda/decode/streaming_block.h"
#include "cuda/kernels.h"
#include "cuda/primitives/launch.h"

// Split over the context, as decode_plan.h says. prompt_block.h is what a block does with the many
// queries of a prompt, streaming_block.h with few, decode_block.h where neither can.

namespace headroom::cuda {
namespace {

struct Segments {
    DeviceTable<SegmentAt> segments;
    DeviceTable<HeadSegments> heads;
    bool vectors;

    explicit Segments(const SegmentList& list)
        : segments(list.segments), heads(list.heads), vectors(list.all_vectors()) {}
};

struct Tables {
    Segments keys, values;
};

template <class Work, class T>
void launch_blocks(cudaStream_t stream, const Decoding<T>& decoding, int64_t blocks,
                   int64_t shared_bytes) {
    const Decoding<T> d = decoding;
    for_blocks<Work::kThreads, Work::kBlocksOfProcessor>(
        stream, {blocks}, shared_bytes,
        [=] __device__(const BlockThread& thread) { Work(d, thread).run(); });
}

template <class T>
void launch_streaming(cudaStream_t stream, const Decoding<T>& d, const DecodePlan& plan) {
    const int64_t blocks = plan.blocks(), bytes = plan.streaming_bytes();
    if (plan.queries == 1)
        launch_blocks<StreamingBlock<T, 1>>(stream, d, blocks, bytes);
    else if (plan.queries == 4)
        launch_blocks<StreamingBlock<T, 4>>(stream, d, blocks, bytes);
    else  // as DecodePlan::may_stream says
        launch_blocks<StreamingBlock<T, 8>>(stream, d, blocks, bytes);
}

template <class T>
void launch_decode_blocks(cudaStream_t stream, const Decoding<T>& d, const DecodePlan& plan) {
    const int64_t blocks = plan.blocks(), bytes = plan.shared_bytes();
    if (plan.per_thread == 1)
        launch_blocks<DecodeBlock<T, 1>>(stream, d, blocks, bytes);
    else
        launch_blocks<DecodeBlock<T, 4>>(stream, d, blocks, bytes);
}

/// As PromptPlan::shape counts them.
constexpr void (*kPromptAttention[])(cudaStream_t, const Decoding<bf16>&, int64_t blocks) = {
    prompt_attention<0>, prompt_attention<1>, prompt_attention<2>,
    prompt_attention<3>, prompt_attention<4>, prompt_attention<5>};
static_assert(std::size(kPromptAttention) == std::size(kForwardShapes));

template <class T>
Decoding<T> decoding_of(const Call& call, const CachedAttentionOptions& o, const DecodePlan& plan,
                        const Tables& tables) {
    using A = accumulator_t<T>;
    return {DecodeNumbers(plan),
            tables.keys.segments.data(),
            tables.values.segments.data(),
            tables.keys.heads.data(),
            tables.values.heads.data(),
            call.inputs[0].as<const T>(),
            call.outputs[0].as<T>(),
            reinterpret_cast<A*>(call.workspace),
            o.has_lambda ? call.inputs.back().as<const A>() : nullptr,
            static_cast<A>(o.scale),
            call.accumulate[0] != 0,
            values_are_keys(o),
            call.step};
}

template <class T>
void join(cudaStream_t stream, const Decoding<T>& d, const DecodePlan& plan) {
    if (plan.pieces == 1) return;
    using Join = JoinPieces<T>;
    for_blocks<Join::kThreads>(stream, {plan.batch * plan.rows * plan.n_kv_head * plan.group},
                               Join::kSharedBytes,
                               [=] __device__(const BlockThread& thread) { Join{d}.run(thread); });
}

/// How one operator attends.
struct CachedAttentionKernel {
    CachedAttentionOptions options;
    DecodePlan plan;
    std::optional<PromptPlan> prompt;
    std::shared_ptr<std::optional<Tables>> tables = std::make_shared<std::optional<Tables>>();

    int64_t workspace_bytes() const {
        const int64_t of_prompt = prompt ? prompt->plan.workspace_bytes() : 0;
        return std::max(plan.workspace_bytes(), of_prompt);
    }

    void operator()(const Call& call) const {
        const CachedAttentionOptions& o = options;
        if (!*tables)
            tables->emplace(Tables{Segments(list_segments(o.keys, o.query_width, call.inputs)),
                                   Segments(list_segments(o.values, o.out_width, call.inputs))});
        const bool vectors = (*tables)->keys.vectors && (*tables)->values.vectors;
        if (prompt && vectors && are_aligned(call.inputs[0].data, call.outputs[0].data))
            attend_to_prompt(call);
        else
            dispatch_float(call.inputs[0].type.dtype,
                           [&]<class T>(T) { attend<T>(call, vectors); });
    }

  private:
    void attend_to_prompt(const Call& call) const {
        const Decoding<bf16> d = decoding_of<bf16>(call, options, prompt->plan, **tables);
        kPromptAttention[prompt->shape](call.stream, d, prompt->plan.blocks());
        join(call.stream, d, prompt->plan);
    }
    template <class T>
    void attend(const Call& call, bool vectors) const {
        const Decoding<T> d = decoding_of<T>(call, options, plan, **tables);
        if (plan.may_stream() && vectors)
            launch_streaming(call.stream, d, plan);
        else
            launch_decode_blocks(call.stream, d, plan);
        join(call.stream, d, plan);
    }
};

}  // namespace

static Kernel cached_attention_kernel(const Op& op, Types inputs) {
    const CachedAttentionOptions options = dynamic_cast<const CachedAttention&>(op).options();
    const CachedAttentionKernel kernel{
        options, plan_decode(options, inputs[0], inputs[1]),
        plan_prompt(options, inputs[0], inputs[1], shared_memory_limit())};
    return {kernel, kernel.workspace_bytes()};
}

const RegisteredKernel kCachedAttentionKernels[] = {{"cached_attention", cached_attention_kernel}};

}  // namespace headroom::cuda
