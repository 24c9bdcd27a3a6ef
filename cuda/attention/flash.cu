#include "cuda/attention/flash.h"

#include <algorithm>
#include <iterator>

#include "cuda/attention/backward_plan.h"
#include "cuda/primitives/aligned_vectors.h"
#include "cuda/primitives/divider.h"
#include "cuda/primitives/groups.h"
#include "cuda/primitives/launch.h"

namespace headroom::cuda {
namespace {

constexpr decltype(FlashKernels::forward) kForward[] = {flash_forward<0>, flash_forward<1>,
                                                        flash_forward<2>, flash_forward<3>,
                                                        flash_forward<4>, flash_forward<5>};
static_assert(std::size(kForward) == std::size(kForwardShapes));

constexpr decltype(FlashKernels::key_gradients) kKeyGradients[] = {
    flash_key_gradients<0>, flash_key_gradients<1>, flash_key_gradients<2>, flash_key_gradients<3>,
    flash_key_gradients<4>, flash_key_gradients<5>, flash_key_gradients<6>};
static_assert(std::size(kKeyGradients) == std::size(kKeyGradientShapes));

constexpr decltype(FlashKernels::query_gradients) kQueryGradients[] = {
    flash_query_gradients<0>, flash_query_gradients<1>, flash_query_gradients<2>,
    flash_query_gradients<3>, flash_query_gradients<4>, flash_query_gradients<5>,
    flash_query_gradients<6>};
static_assert(std::size(kQueryGradients) == std::size(kQueryGradientShapes));

template <int kWidth>
constexpr FlashKernels kFloat{float_forward<kWidth>, float_key_gradients<kWidth>,
                              float_query_gradients<kWidth>};
constexpr FlashKernels kFloatKernels[] = {kFloat<32>, kFloat<64>, kFloat<96>, kFloat<128>};

FlashProblem problem_of(const Call& call, const AttentionOptions& o, const AttentionHeads& heads,
                        int alignment) {
    constexpr double kLn2 = 0.693147180559945309417;
    return {heads.queries.data(),
            heads.keys.data(),
            heads.values.data(),
            static_cast<int>(o.n_head),
            static_cast<int>(call.inputs[0].type.shape[1]),
            static_cast<int>(o.d_head),
            static_cast<int>(o.value_width()),
            static_cast<float>(o.scale),
            static_cast<float>(o.scale / kLn2),
            o.causal,
            alignment,
            call.step,
            o.stream,
            o.dropout > 0 ? static_cast<float>(1.0 / (1.0 - o.dropout)) : 0.0f,
            dropout_threshold(o.dropout)};
}

/// Head `head` of width `width` of a tensor that is read.
HeadAt head_of(const Call& call, const AttentionOptions& o, const HeadRef& ref) {
    if (ref.input < 0) return {};
    return head_at(call.inputs[static_cast<size_t>(ref.input)], ref.head, o.head_width(ref.input));
}

/// dots[b, h, i] = dout_i · out_i, by a few neighbouring threads for each row.
template <class T, int W>
struct RowDots {
    const T *out, *dout;  ///< [batch, seq_len, n_head, width]
    float* dots;
    int n_head, seq_len, width;
    Divider by_n_head, by_seq_len;

    template <class Group>
    __device__ void operator()(Group& group, int64_t row, bool exists) const {
        float dot = 0;
        for (int c = group.thread() * W; c < width; c += group.threads() * W) {
            const AlignedVector<float, W> a = load_wide<W>(out + row * width + c);
            const AlignedVector<float, W> b = load_wide<W>(dout + row * width + c);
#pragma unroll
            for (int k = 0; k < W; ++k) dot += a[k] * b[k];
        }
        dot = group.sum(dot);
        if (!exists || group.thread() != 0) return;
        const int64_t token = by_n_head(row), b = by_seq_len(token);
        const int64_t h = row - token * n_head, i = token - b * seq_len;
        dots[(b * n_head + h) * seq_len + i] = dot;
    }
};

template <class T, int W>
void fill_dots(const Call& call, const FlashProblem& p, float* dots) {
    const auto saved = call.inputs.last(3);
    int threads = 1;
    while (threads < 32 && threads * W < p.d_value) threads *= 2;
    for_groups(call.stream, saved[1].count(), threads,
               RowDots<T, W>{saved[0].as<const T>(), saved[2].as<const T>(), dots, p.n_head,
                             p.seq_len, p.d_value, Divider(p.n_head), Divider(p.seq_len)});
}

template <class T>
void fill_dots(const Call& call, const FlashProblem& p, float* dots) {
    const auto saved = call.inputs.last(3);
    if (p.d_value % kFullPack<T> == 0 && are_aligned(saved[0].as<T>(), saved[2].as<T>()))
        fill_dots<T, kFullPack<T>>(call, p, dots);
    else
        fill_dots<T, 1>(call, p, dots);
}

/// f(T) for the type of the heads.
template <class F>
void with_type(const Call& call, F f) {
    if (call.inputs[0].type.dtype == DType::kBF16)
        f(bf16{});
    else
        f(float{});
}

template <class T>
void clear_head(cudaStream_t stream, const HeadGradient& head, int64_t rows, int64_t width) {
    const Divider by_width(width);
    for_each(stream, rows * width, [=] __device__(int64_t i) {
        const int64_t row = by_width(i);
        static_cast<T*>(head.data)[row * head.columns + i - row * width] = T(0.0f);
    });
}

}  // namespace

std::optional<FlashKernels> flash_kernels(const AttentionOptions& o, DType dtype) {
    if (o.scale <= 0) return std::nullopt;
    if (dtype == DType::kF32) {
        const auto n = (std::max(o.d_head, o.value_width()) - 1) / 32;
        if (n >= static_cast<int64_t>(std::size(kFloatKernels))) return std::nullopt;
        return kFloatKernels[n];
    }
    TileChoice tiles{};
    if (dtype != DType::kBF16 ||
        !choose_tiles(o.d_head, o.value_width(), shared_memory_limit(), tiles))
        return std::nullopt;
    return FlashKernels{kForward[tiles.forward], kKeyGradients[tiles.key_gradient],
                        kQueryGradients[tiles.query_gradient]};
}

void flash_forward(const Call& call, const AttentionOptions& o, const AttentionHeads& heads,
                   const FlashKernels& kernels) {
    kernels.forward(call.stream, {problem_of(call, o, heads, heads.alignment),
                                  static_cast<int>(call.inputs[0].type.shape[0]),
                                  call.outputs[0].data, call.outputs[1].as<float>(),
                                  call.accumulate[0] != 0, call.accumulate[1] != 0});
}

FlashBackwardTables::FlashBackwardTables(const Call& call, const AttentionOptions& o,
                                         const std::vector<size_t>& targets) {
    CHECK(targets.size() <= 64, "attention_backward: an accumulate bit for each target");
    std::vector<int> head_counts;
    for (const size_t input : targets)
        head_counts.push_back(
            static_cast<int>(call.inputs[input].columns() / o.head_width(static_cast<int>(input))));
    const BackwardPlan plan(o, targets, head_counts);
    const auto width_of = [&](const BackwardPlan::Target& target) {
        return o.head_width(static_cast<int>(targets[static_cast<size_t>(target.output)]));
    };
    const auto gradient = [&](const BackwardPlan::Target& target) {
        if (target.output < 0) return HeadGradient{};
        const Tensor& output = call.outputs[static_cast<size_t>(target.output)];
        const auto bytes = static_cast<int64_t>(size_of(output.type.dtype));
        return HeadGradient{output.as<std::byte>() + target.head * width_of(target) * bytes,
                            output.columns(), target.output, target.add};
    };
    std::vector<int> readers;
    for (const auto& round : plan.rounds) {
        std::vector<KeyItem> items;
        for (const BackwardPlan::Item& item : round) {
            const auto first = static_cast<int>(readers.size());
            readers.insert(readers.end(), item.readers.begin(), item.readers.end());
            items.push_back({head_of(call, o, item.key), head_of(call, o, item.value),
                             gradient(item.dkey), gradient(item.dvalue), first,
                             static_cast<int>(readers.size()), item.one_target});
        }
        rounds_.push_back({DeviceTable<KeyItem>(items), static_cast<int>(items.size())});
    }
    readers_.emplace(readers);
    std::vector<HeadGradient> queries;
    for (const auto& target : plan.queries) queries.push_back(gradient(target));
    if (!queries.empty()) queries_.emplace(queries);
    for (const auto& target : plan.zeros)
        zeros_.push_back({gradient(target), static_cast<int>(width_of(target))});
}

void FlashBackwardTables::run(const Call& call, const AttentionOptions& o,
                              const AttentionHeads& heads, const FlashKernels& kernels,
                              float* dots) const {
    const auto saved = call.inputs.last(3);
    const HeadAt dout{saved[2].data, o.value_width()};
    uint64_t accumulate = 0;
    for (size_t n = 0; n < call.outputs.size(); ++n)
        accumulate |= static_cast<uint64_t>(call.accumulate[n] != 0) << n;
    const int alignment =
        std::min(heads.alignment, row_alignment({&dout, 1}, size_of(saved[2].type.dtype)));
    const FlashBackward f{problem_of(call, o, heads, alignment),
                          static_cast<int>(call.inputs[0].type.shape[0]),
                          saved[2].data,
                          saved[1].as<const float>(),
                          dots,
                          readers_->data(),
                          accumulate};
    with_type(call, [&]<class T>(T) {
        fill_dots<T>(call, f.problem, dots);
        for (const Zero& zero : zeros_)
            if ((accumulate >> zero.head.output & 1) == 0)
                clear_head<T>(call.stream, zero.head, call.inputs[0].rows(), zero.width);
    });
    for (const Round& round : rounds_)
        kernels.key_gradients(call.stream, f, round.items.data(), round.count);
    if (queries_) kernels.query_gradients(call.stream, f, queries_->data());
}

}  // namespace headroom::cuda
