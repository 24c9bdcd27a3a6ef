#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/ops/attention.h"
#include "core/ops/dispatch.h"
#include "core/ops/dropout.h"
#include "core/ops/store.h"

// The specification of attention: the formulas of attention.h, one element at a time, in double.

namespace headroom {
namespace {

/// Reads heads of the sources, element by element.
template <class T>
struct Reader {
    const AttentionOptions& o;
    std::span<const Tensor> inputs;
    int64_t seq_len;
    DropoutStream random;

    Reader(const AttentionOptions& options, const KernelCall& call)
        : o(options),
          inputs(call.inputs),
          seq_len(call.inputs[0].type.shape[1]),
          random(dropout_stream(call.step, options.stream)) {}

    int64_t index(const HeadRef& ref, int64_t b, int64_t t, int64_t c) const {
        const int64_t columns = inputs[static_cast<size_t>(ref.input)].columns();
        return (b * seq_len + t) * columns + ref.head * o.head_width(ref.input) + c;
    }
    /// Of element c of head h in the output.
    int64_t out_index(int64_t h, int64_t b, int64_t t, int64_t c) const {
        return ((b * seq_len + t) * o.n_head + h) * o.value_width() + c;
    }
    double at(const HeadRef& ref, int64_t b, int64_t t, int64_t c) const {
        if (ref.input < 0) return 0.0;
        return static_cast<double>(
            inputs[static_cast<size_t>(ref.input)].as<const T>()[index(ref, b, t, c)]);
    }
    HeadRef query(int64_t h) const { return {0, static_cast<int>(h)}; }
    HeadRef key(int64_t h) const { return o.key_heads[static_cast<size_t>(o.kv_head_of(h))]; }
    HeadRef value(int64_t h) const { return o.value_heads[static_cast<size_t>(o.kv_head_of(h))]; }

    int64_t keys_of(int64_t i) const { return o.causal ? i + 1 : seq_len; }

    double score(int64_t b, int64_t h, int64_t i, int64_t j) const {
        double dot = 0;
        for (int64_t c = 0; c < o.d_head; ++c) dot += at(query(h), b, i, c) * at(key(h), b, j, c);
        return o.scale * dot;
    }
    /// D(P)_ij / P_ij: 0 for a dropped pair, else 1 / (1 - p).
    double kept(int64_t b, int64_t h, int64_t i, int64_t j) const {
        if (o.dropout == 0.0) return 1.0;
        const auto element =
            static_cast<uint64_t>(((b * o.n_head + h) * seq_len + i) * seq_len + j);
        return random.word(element) >= dropout_threshold(o.dropout) ? 1.0 / (1.0 - o.dropout) : 0.0;
    }
};

template <class T>
void forward(const AttentionOptions& o, const KernelCall& call) {
    const Reader<T> in(o, call);
    std::vector<double> scores(static_cast<size_t>(in.seq_len));
    for (int64_t b = 0; b < call.inputs[0].type.shape[0]; ++b)
        for (int64_t h = 0; h < o.n_head; ++h)
            for (int64_t i = 0; i < in.seq_len; ++i) {
                double most = -std::numeric_limits<double>::infinity(), sum = 0;
                for (int64_t j = 0; j < in.keys_of(i); ++j) {
                    scores[static_cast<size_t>(j)] = in.score(b, h, i, j);
                    most = std::max(most, scores[static_cast<size_t>(j)]);
                }
                for (int64_t j = 0; j < in.keys_of(i); ++j)
                    sum += std::exp(scores[static_cast<size_t>(j)] - most);
                const double lse = most + std::log(sum);
                store(call.outputs[1].as<accumulator_t<T>>()[(b * o.n_head + h) * in.seq_len + i],
                      lse, call.accumulate[1] != 0);
                for (int64_t c = 0; c < o.value_width(); ++c) {
                    double out = 0;
                    for (int64_t j = 0; j < in.keys_of(i); ++j)
                        out += std::exp(scores[static_cast<size_t>(j)] - lse) *
                               in.kept(b, h, i, j) * in.at(in.value(h), b, j, c);
                    store(call.outputs[0].as<T>()[in.out_index(h, b, i, c)], out,
                          call.accumulate[0] != 0);
                }
            }
}

/// Gradients of all inputs as doubles, before they are stored.
template <class T>
struct Sums {
    const Reader<T>& in;
    std::vector<std::vector<double>> of_input;

    void add(const HeadRef& ref, int64_t b, int64_t t, int64_t c, double value) {
        if (ref.input < 0) return;
        of_input[static_cast<size_t>(ref.input)][static_cast<size_t>(in.index(ref, b, t, c))] +=
            value;
    }
};

/// Adds what query row (b, h, i) gives to all gradients.
template <class T>
void backward_row(const Reader<T>& in, const Tensor& out, const Tensor& lse, const Tensor& dout,
                  int64_t b, int64_t h, int64_t i, Sums<T>& sums) {
    const AttentionOptions& o = in.o;
    const auto at = [&](const Tensor& tensor, int64_t c) {
        return static_cast<double>(tensor.as<const T>()[in.out_index(h, b, i, c)]);
    };
    const auto lse_i =
        static_cast<double>(lse.as<const accumulator_t<T>>()[(b * o.n_head + h) * in.seq_len + i]);
    double r = 0;
    for (int64_t c = 0; c < o.value_width(); ++c) r += at(dout, c) * at(out, c);
    for (int64_t j = 0; j < in.keys_of(i); ++j) {
        const double p = std::exp(in.score(b, h, i, j) - lse_i), kept = in.kept(b, h, i, j);
        double dp = 0;
        for (int64_t c = 0; c < o.value_width(); ++c)
            dp += kept * at(dout, c) * in.at(in.value(h), b, j, c);
        const double ds = p * (dp - r);
        for (int64_t c = 0; c < o.d_head; ++c) {
            sums.add(in.query(h), b, i, c, o.scale * ds * in.at(in.key(h), b, j, c));
            sums.add(in.key(h), b, j, c, o.scale * ds * in.at(in.query(h), b, i, c));
        }
        for (int64_t c = 0; c < o.value_width(); ++c)
            sums.add(in.value(h), b, j, c, kept * p * at(dout, c));
    }
}

template <class T>
void differentiate(const AttentionOptions& o, const std::vector<size_t>& targets,
                   const KernelCall& call) {
    const Reader<T> in(o, call);
    const auto saved = call.inputs.last(3);
    Sums<T> sums{in, {}};
    for (const Tensor& input : call.inputs)
        sums.of_input.emplace_back(static_cast<size_t>(input.count()), 0.0);
    for (int64_t b = 0; b < call.inputs[0].type.shape[0]; ++b)
        for (int64_t h = 0; h < o.n_head; ++h)
            for (int64_t i = 0; i < in.seq_len; ++i)
                backward_row(in, saved[0], saved[1], saved[2], b, h, i, sums);
    for (size_t n = 0; n < targets.size(); ++n)
        for (int64_t e = 0; e < call.outputs[n].count(); ++e)
            store(call.outputs[n].as<T>()[e], sums.of_input[targets[n]][static_cast<size_t>(e)],
                  call.accumulate[n] != 0);
}

}  // namespace

void Attention::run_reference(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype, [&]<class T>(T) { forward<T>(options_, call); });
}

void AttentionBackward::run_reference(const KernelCall& call) const {
    dispatch_float(call.inputs[0].type.dtype,
                   [&]<class T>(T) { differentiate<T>(options_, targets_, call); });
}

}  // namespace headroom
