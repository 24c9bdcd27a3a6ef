#include "core/ops/cached_attention.h"

#include <cmath>
#include <memory>
#include <optional>

#include "core/base/error.h"
#include "core/ops/dispatch.h"
#include "cuda/device_memory.h"
#include "cuda/head_table.h"
#include "cuda/kernels.h"
#include "cuda/launch.h"
#include "cuda/number.h"

namespace headroom::cuda {
namespace {

/// A segment with its address: position j of sequence b begins at data + b sequence + j stride.
struct SegmentAt {
    const void* data;
    int64_t sequence, stride, width, at;
    double constant, slope;
};

/// The segments of every key/value head, one list behind the other.
struct SegmentList {
    DeviceTable<SegmentAt> segments;
    DeviceTable<int32_t> first;  ///< per head, and the end of the last

    SegmentList(const std::vector<std::vector<CacheSegment>>& heads, std::span<const Tensor> inputs)
        : segments(flat(heads, inputs)), first(starts(heads)) {}

  private:
    static std::vector<SegmentAt> flat(const std::vector<std::vector<CacheSegment>>& heads,
                                       std::span<const Tensor> inputs) {
        std::vector<SegmentAt> all;
        for (const std::vector<CacheSegment>& head : heads)
            for (const CacheSegment& s : head) {
                const Tensor& cache = inputs[static_cast<size_t>(1 + s.cache)];
                const Shape& shape = cache.type.shape;
                const auto size = static_cast<int64_t>(size_of(cache.type.dtype));
                const int64_t of_head = shape[2] * shape[3];
                all.push_back(
                    {cache.as<const std::byte>() + (s.head * of_head + s.first) * size,
                     shape[1] * of_head, shape[3], s.width, s.at, s.constant, s.slope});
            }
        return all;
    }
    static std::vector<int32_t> starts(const std::vector<std::vector<CacheSegment>>& heads) {
        std::vector<int32_t> places{0};
        for (const std::vector<CacheSegment>& head : heads)
            places.push_back(places.back() + static_cast<int32_t>(head.size()));
        return places;
    }
};

struct Segments {
    SegmentList keys, values;
};

template <class A>
__device__ A factor_of(const SegmentAt& s, const A* lambda) {
    return static_cast<A>(s.constant) +
           (lambda != nullptr ? static_cast<A>(s.slope) * *lambda : A(0));
}

/// A warp for each query row, as in attention.cu.
template <class T>
void attend(const Call& call, const CachedAttentionOptions& o, const Segments& tables) {
    using A = accumulator_t<T>;
    const T* q = call.inputs[0].as<const T>();
    T* out = call.outputs[0].as<T>();
    const A* lambda = o.has_lambda ? call.inputs.back().as<const A>() : nullptr;
    const SegmentAt *keys = tables.keys.segments.data(), *values = tables.values.segments.data();
    const int32_t *key_first = tables.keys.first.data(), *value_first = tables.values.first.data();
    const int64_t seq_len = call.inputs[0].type.shape[1], batch = call.inputs[0].type.shape[0];
    const StepContext* step = call.step;
    const int64_t n_head = o.n_head, n_kv_head = o.n_kv_head;
    const int64_t query_width = o.query_width, out_width = o.out_width;
    const A scale = static_cast<A>(o.scale);
    const bool accumulate = call.accumulate[0] != 0;
    for_rows(call.stream, batch * seq_len * n_head, kWarp,
             [=] __device__(Block & block, int64_t row) {
        const int64_t h = row % n_head, t = row / n_head % seq_len, b = row / n_head / seq_len;
        const int64_t g = h * n_kv_head / n_head;
        const T* query = q + row * query_width;
        A sums[kMaxHeadWidth / kWarp] = {};
        A most = -INFINITY, total = 0;
        const int64_t rows = step->rows < 0 ? seq_len : step->rows;
        const int64_t seen = t < rows ? step->position + t + 1 : 0;
        for (int64_t j = 0; j < seen; ++j) {
            A dot = 0;
            for (int32_t n = key_first[g]; n < key_first[g + 1]; ++n) {
                const SegmentAt s = keys[n];
                const T* k = static_cast<const T*>(s.data) + b * s.sequence + j * s.stride;
                A part = 0;
                for (int64_t c = block.thread(); c < s.width; c += block.threads())
                    part += static_cast<A>(query[s.at + c]) * static_cast<A>(k[c]);
                dot += factor_of(s, lambda) * part;
            }
            const A score = scale * block.sum(dot), higher = score > most ? score : most;
            const A rescale = exp(most - higher), p = exp(score - higher);
            total = total * rescale + p;
            most = higher;
            int place = 0;
            for (int64_t c = block.thread(); c < out_width; c += block.threads(), ++place) {
                A value = 0;
                for (int32_t n = value_first[g]; n < value_first[g + 1]; ++n) {
                    const SegmentAt s = values[n];
                    if (c < s.at || c >= s.at + s.width) continue;
                    const T* v = static_cast<const T*>(s.data) + b * s.sequence + j * s.stride;
                    value += factor_of(s, lambda) * static_cast<A>(v[c - s.at]);
                }
                sums[place] = sums[place] * rescale + p * value;
            }
        }
        int place = 0;
        for (int64_t c = block.thread(); c < out_width; c += block.threads(), ++place)
            put(out[row * out_width + c], seen > 0 ? sums[place] / total : A(0), accumulate);
    });
}

}  // namespace

Kernel cached_attention_kernel(const Op& op, Types) {
    const CachedAttentionOptions options = dynamic_cast<const CachedAttention&>(op).options();
    CHECK(options.out_width <= kMaxHeadWidth, "heads of at most 1024 columns");
    const auto tables = std::make_shared<std::optional<Segments>>();
    return [options, tables](const Call& call) {
        if (!*tables)
            tables->emplace(Segments{SegmentList(options.keys, call.inputs),
                                     SegmentList(options.values, call.inputs)});
        dispatch_float(call.inputs[0].type.dtype,
                       [&]<class T>(T) { attend<T>(call, options, **tables); });
    };
}

}  // namespace headroom::cuda
