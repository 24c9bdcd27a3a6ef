#include "core/ops/cached_attention.h"

#include <cmath>
#include <memory>
#include <optional>

#include "core/base/error.h"
#include "core/ops/dispatch.h"
#include "cuda/decode/decode_block.h"
#include "cuda/decode/join_pieces.h"
#include "cuda/decode/streaming_block.h"
#include "cuda/kernels.h"
#include "cuda/primitives/launch.h"

// Split over the context, as decode_plan.h says; streaming_block.h is what a block does where it
// can, decode_block.h otherwise.

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

template <class T>
void attend(const Call& call, const CachedAttentionOptions& o, const DecodePlan& plan,
            const Tables& tables) {
    using A = accumulator_t<T>;
    const Decoding<T> d{DecodeNumbers(plan),
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
    if (plan.may_stream() && tables.keys.vectors && tables.values.vectors)
        launch_streaming(call.stream, d, plan);
    else
        launch_decode_blocks(call.stream, d, plan);
    if (plan.pieces == 1) return;
    using Join = JoinPieces<T>;
    for_blocks<Join::kThreads>(call.stream, {plan.batch * plan.rows * o.n_head}, Join::kSharedBytes,
                               [=] __device__(const BlockThread& thread) { Join{d}.run(thread); });
}

}  // namespace

static Kernel cached_attention_kernel(const Op& op, Types inputs) {
    const CachedAttentionOptions options = dynamic_cast<const CachedAttention&>(op).options();
    const DecodePlan plan = plan_decode(options, inputs[0], inputs[1]);
    const auto tables = std::make_shared<std::optional<Tables>>();
    const auto launch = [options, plan, tables](const Call& call) {
        if (!*tables)
            tables->emplace(
                Tables{Segments(list_segments(options.keys, options.query_width, call.inputs)),
                       Segments(list_segments(options.values, options.out_width, call.inputs))});
        dispatch_float(call.inputs[0].type.dtype,
                       [&]<class T>(T) { attend<T>(call, options, plan, **tables); });
    };
    return {launch, plan.workspace_bytes()};
}

const RegisteredKernel kCachedAttentionKernels[] = {{"cached_attention", cached_attention_kernel}};

}  // namespace headroom::cuda
