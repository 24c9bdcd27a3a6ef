#include "core/ops/attention.h"

#include <cmath>
#include <memory>
#include <optional>

#include "core/base/philox.h"
#include "core/ops/dispatch.h"
#include "core/ops/dropout.h"
#include "cuda/attention/flash.h"
#include "cuda/attention/head_table.h"
#include "cuda/kernels.h"
#include "cuda/primitives/launch.h"
#include "cuda/primitives/number.h"

// The plain kernels: a warp for each row, scores one after the other, sums in a fixed order. They
// take any type and width; bfloat16 and float32 heads that fit go to the tiles (cuda/attention/).

namespace headroom::cuda {
namespace {

/// What all kernels know of one attention. Copied into them.
template <class T>
struct Scores {
    using A = accumulator_t<T>;
    const HeadAt *queries, *keys, *values;
    int64_t n_head, seq_len, d_head, d_value;
    A scale;
    bool causal;
    const StepContext* step;
    uint64_t stream;
    double dropout;
    uint32_t threshold;

    __device__ const T* row(const HeadAt& head, int64_t b, int64_t t) const {
        return static_cast<const T*>(head.data) + (b * seq_len + t) * head.columns;
    }
    __device__ int64_t keys_of(int64_t i) const { return causal ? i + 1 : seq_len; }
    __device__ int64_t first_query(int64_t j) const { return causal ? j : 0; }

    /// scale q_i · k_j by the threads of a warp; all get it.
    __device__ A score(Block& block, int64_t b, int64_t h, int64_t i, int64_t j) const {
        const T *q = row(queries[h], b, i), *k = row(keys[h], b, j);
        A dot = 0;
        for (int64_t c = block.thread(); c < d_head; c += block.threads())
            dot += static_cast<A>(q[c]) * static_cast<A>(k[c]);
        return scale * block.sum(dot);
    }
    /// D(P)_ij / P_ij.
    __device__ A kept(int64_t b, int64_t h, int64_t i, int64_t j) const {
        if (dropout == 0.0) return A(1);
        const auto element = static_cast<uint64_t>(((b * n_head + h) * seq_len + i) * seq_len + j);
        return dropout_stream(*step, stream).word(element) >= threshold
                   ? static_cast<A>(1.0 / (1.0 - dropout))
                   : A(0);
    }
    /// Of column 0 of head h in outputs and their gradients.
    __device__ int64_t out_place(int64_t b, int64_t h, int64_t i) const {
        return ((b * seq_len + i) * n_head + h) * d_value;
    }
    __device__ int64_t row_place(int64_t b, int64_t h, int64_t i) const {
        return (b * n_head + h) * seq_len + i;
    }
};

template <class T>
Scores<T> scores_of(const Call& call, const AttentionOptions& o, const AttentionHeads& heads) {
    return {heads.queries.data(),
            heads.keys.data(),
            heads.values.data(),
            o.n_head,
            call.inputs[0].type.shape[1],
            o.d_head,
            o.value_width(),
            static_cast<accumulator_t<T>>(o.scale),
            o.causal,
            call.step,
            o.stream,
            o.dropout,
            dropout_threshold(o.dropout)};
}

/// Columns of one row, spread over the threads: thread n has those with n = c mod threads.
template <class A>
struct Row {
    A values[kMaxHeadWidth / kWarp];
};

template <class T>
void forward(const Call& call, const AttentionOptions& o, const AttentionHeads& heads) {
    using A = accumulator_t<T>;
    const Scores<T> s = scores_of<T>(call, o, heads);
    T* out = call.outputs[0].as<T>();
    A* lse = call.outputs[1].as<A>();
    const bool add_out = call.accumulate[0] != 0, add_lse = call.accumulate[1] != 0;
    const int64_t rows = call.inputs[0].type.shape[0] * o.n_head * s.seq_len;
    for_rows(call.stream, rows, kWarp, [=] __device__(Block & block, int64_t row) {
        const int64_t i = row % s.seq_len, h = row / s.seq_len % s.n_head;
        const int64_t b = row / s.seq_len / s.n_head;
        const HeadAt value = s.values[h];
        Row<A> sums{};
        A most = -INFINITY, total = 0;
        for (int64_t j = 0; j < s.keys_of(i); ++j) {
            const A score = s.score(block, b, h, i, j), higher = score > most ? score : most;
            const A rescale = exp(most - higher), p = exp(score - higher);
            const A weight = p * s.kept(b, h, i, j);
            total = total * rescale + p;
            most = higher;
            int n = 0;
            for (int64_t c = block.thread(); c < s.d_value; c += block.threads(), ++n) {
                const A v = value.data == nullptr ? A(0) : static_cast<A>(s.row(value, b, j)[c]);
                sums.values[n] = sums.values[n] * rescale + weight * v;
            }
        }
        int n = 0;
        for (int64_t c = block.thread(); c < s.d_value; c += block.threads(), ++n)
            put(out[s.out_place(b, h, i) + c], sums.values[n] / total, add_out);
        if (block.thread() == 0) put(lse[s.row_place(b, h, i)], most + log(total), add_lse);
    });
}

/// What the backward pass reads beside the inputs.
template <class T>
struct Saved {
    using A = accumulator_t<T>;
    Scores<T> s;
    const T *out, *dout;
    const A* lse;
    A* dots;  ///< r_i = dout_i · out_i

    /// P_ij.
    __device__ A weight(Block& block, int64_t b, int64_t h, int64_t i, int64_t j) const {
        return exp(s.score(block, b, h, i, j) - lse[s.row_place(b, h, i)]);
    }
    /// dP_ij.
    __device__ A weight_gradient(Block& block, int64_t b, int64_t h, int64_t i, int64_t j) const {
        const HeadAt value = s.values[h];
        A dot = 0;
        if (value.data != nullptr) {
            const T* d = dout + s.out_place(b, h, i);
            for (int64_t c = block.thread(); c < s.d_value; c += block.threads())
                dot += static_cast<A>(d[c]) * static_cast<A>(s.row(value, b, j)[c]);
        }
        return block.sum(dot) * s.kept(b, h, i, j);
    }
    /// scale dS_ij.
    __device__ A score_gradient(Block& block, int64_t b, int64_t h, int64_t i, int64_t j) const {
        const A p = weight(block, b, h, i, j), dp = weight_gradient(block, b, h, i, j);
        return s.scale * p * (dp - dots[s.row_place(b, h, i)]);
    }
    __device__ void add(Block& block, Row<A>& sums, A factor, const T* x, int64_t width) const {
        int n = 0;
        for (int64_t c = block.thread(); c < width; c += block.threads(), ++n)
            sums.values[n] += factor * static_cast<A>(x[c]);
    }

    __device__ void add_query(Block& block, Row<A>& sums, int64_t b, int64_t h, int64_t i) const {
        for (int64_t j = 0; j < s.keys_of(i); ++j)
            add(block, sums, score_gradient(block, b, h, i, j), s.row(s.keys[h], b, j), s.d_head);
    }
    __device__ void add_key(Block& block, Row<A>& sums, int64_t b, int64_t h, int64_t j) const {
        for (int64_t i = s.first_query(j); i < s.seq_len; ++i)
            add(block, sums, score_gradient(block, b, h, i, j), s.row(s.queries[h], b, i),
                s.d_head);
    }
    __device__ void add_value(Block& block, Row<A>& sums, int64_t b, int64_t h, int64_t j) const {
        for (int64_t i = s.first_query(j); i < s.seq_len; ++i)
            add(block, sums, weight(block, b, h, i, j) * s.kept(b, h, i, j),
                dout + s.out_place(b, h, i), s.d_value);
    }
};

/// What a head of an input tensor is to query head `head`.
struct Reader {
    int32_t head;
    int32_t part;  ///< 0 its query, 1 its key, 2 its value
};

/// The gradient of one input: its heads, and who reads each.
struct TargetTable {
    int64_t heads = 0, width = 0;
    DeviceTable<Reader> readers;
    DeviceTable<int32_t> first;  ///< per head, and the end of the last
};

TargetTable target_table(const AttentionOptions& o, std::span<const Tensor> inputs, size_t input) {
    const int64_t width = o.head_width(static_cast<int>(input));
    const int64_t heads = inputs[input].columns() / width;
    std::vector<Reader> readers;
    std::vector<int32_t> first;
    for (int64_t slot = 0; slot < heads; ++slot) {
        first.push_back(static_cast<int32_t>(readers.size()));
        const HeadRef own{static_cast<int>(input), static_cast<int>(slot)};
        for (int32_t h = 0; h < static_cast<int32_t>(o.n_head); ++h) {
            const auto group = static_cast<size_t>(o.kv_head_of(h));
            if (input == 0 && slot == h) readers.push_back({h, 0});
            if (o.key_heads[group] == own) readers.push_back({h, 1});
            if (o.value_heads[group] == own) readers.push_back({h, 2});
        }
    }
    first.push_back(static_cast<int32_t>(readers.size()));
    return {heads, width, DeviceTable<Reader>(readers), DeviceTable<int32_t>(first)};
}

struct BackwardTables {
    AttentionHeads heads;
    std::vector<TargetTable> targets;
    std::optional<FlashBackwardTables> flash;  ///< in the place of `targets`
};

BackwardTables make_tables(const Call& call, const AttentionOptions& o,
                           const std::vector<size_t>& targets) {
    BackwardTables tables{AttentionHeads(o, call.inputs), {}, {}};
    if (flash_kernels(o, call.inputs[0].type.dtype))
        tables.flash.emplace(call, o, targets);
    else
        for (const size_t input : targets)
            tables.targets.push_back(target_table(o, call.inputs, input));
    return tables;
}

template <class T>
void fill_dots(const Call& call, const Saved<T>& saved, int64_t rows) {
    using A = accumulator_t<T>;
    const Saved<T> in = saved;
    for_rows(call.stream, rows, kWarp, [=] __device__(Block & block, int64_t row) {
        const Scores<T>& s = in.s;
        const int64_t i = row % s.seq_len, h = row / s.seq_len % s.n_head;
        const int64_t at = s.out_place(row / s.seq_len / s.n_head, h, i);
        A dot = 0;
        for (int64_t c = block.thread(); c < s.d_value; c += block.threads())
            dot += static_cast<A>(in.dout[at + c]) * static_cast<A>(in.out[at + c]);
        dot = block.sum(dot);
        if (block.thread() == 0) in.dots[row] = dot;
    });
}

template <class T>
void differentiate(const Call& call, const Saved<T>& saved, const TargetTable& table,
                   const Tensor& output, bool accumulate) {
    using A = accumulator_t<T>;
    const Saved<T> in = saved;
    const Reader* readers = table.readers.data();
    const int32_t* first = table.first.data();
    const int64_t heads = table.heads, width = table.width, columns = output.columns();
    T* dx = output.as<T>();
    for_rows(call.stream, output.rows() * heads, kWarp, [=] __device__(Block & block, int64_t row) {
        const int64_t slot = row % heads, t = row / heads % in.s.seq_len;
        const int64_t b = row / heads / in.s.seq_len;
        Row<A> sums{};
        for (int32_t n = first[slot]; n < first[slot + 1]; ++n) {
            const Reader reader = readers[n];
            if (reader.part == 0) in.add_query(block, sums, b, reader.head, t);
            if (reader.part == 1) in.add_key(block, sums, b, reader.head, t);
            if (reader.part == 2) in.add_value(block, sums, b, reader.head, t);
        }
        T* to = dx + row / heads * columns + slot * width;
        int n = 0;
        for (int64_t c = block.thread(); c < width; c += block.threads(), ++n)
            put(to[c], sums.values[n], accumulate);
    });
}

template <class T>
void backward(const Call& call, const AttentionOptions& o, const BackwardTables& tables) {
    using A = accumulator_t<T>;
    const auto saved = call.inputs.last(3);
    const Saved<T> in{scores_of<T>(call, o, tables.heads), saved[0].as<const T>(),
                      saved[2].as<const T>(), saved[1].as<const A>(),
                      reinterpret_cast<A*>(call.workspace)};
    if constexpr (std::is_same_v<A, float>)
        if (tables.flash)
            return tables.flash->run(call, o, tables.heads,
                                     *flash_kernels(o, call.inputs[0].type.dtype), in.dots);
    fill_dots<T>(call, in, saved[1].count());
    for (size_t n = 0; n < tables.targets.size(); ++n)
        differentiate<T>(call, in, tables.targets[n], call.outputs[n], call.accumulate[n] != 0);
}

}  // namespace

static Kernel attention_kernel(const Op& op, Types) {
    const AttentionOptions options = dynamic_cast<const Attention&>(op).options();
    const auto heads = std::make_shared<std::optional<AttentionHeads>>();
    return [options, heads](const Call& call) {
        if (!*heads) heads->emplace(options, call.inputs);
        if (const auto kernels = flash_kernels(options, call.inputs[0].type.dtype))
            return flash_forward(call, options, **heads, *kernels);
        dispatch_float(call.inputs[0].type.dtype,
                       [&]<class T>(T) { forward<T>(call, options, **heads); });
    };
}

static Kernel attention_backward_kernel(const Op& op, Types inputs) {
    const auto& attention = dynamic_cast<const AttentionBackward&>(op);
    const AttentionOptions options = attention.options();
    const auto targets = attention.targets();
    const auto tables = std::make_shared<std::optional<BackwardTables>>();
    const int64_t dots_bytes = inputs.last(3)[1].bytes();
    return {[options, targets, tables](const Call& call) {
                if (!*tables) *tables = make_tables(call, options, targets);
                dispatch_float(call.inputs[0].type.dtype,
                               [&]<class T>(T) { backward<T>(call, options, **tables); });
            },
            dots_bytes};
}

const RegisteredKernel kAttentionKernels[] = {{"attention", attention_kernel},
                                              {"attention_backward", attention_backward_kernel}};

}  // namespace headroom::cuda
