#include "core/ops/attention.h"

#include <utility>

#include <fmt/format.h>

#include "core/graph/backward.h"
#include "core/ops/attention_schedule.h"
#include "core/ops/dropout.h"

namespace headroom {
namespace {

void check_options(const AttentionOptions& o) {
    if (o.n_head < 1 || o.d_head < 1 || o.d_value < 0 || o.n_kv_head < 1 ||
        o.n_head % o.n_kv_head != 0)
        throw UserError(fmt::format("attention: {} query heads of width {} for {} key/value heads",
                                    o.n_head, o.d_head, o.n_kv_head),
                        "n_kv_head must divide n_head");
    const auto heads = static_cast<size_t>(o.n_kv_head);
    if (o.key_heads.size() != heads || o.value_heads.size() != heads)
        throw UserError(fmt::format("attention: {} key and {} value sources for {} heads",
                                    o.key_heads.size(), o.value_heads.size(), heads));
    for (const HeadRef& key : o.key_heads)
        for (const HeadRef& value : o.value_heads)
            CHECK(o.value_width() == o.d_head || (value.input != 0 && key.input != value.input),
                  "attention: keys and values of different widths in one tensor");
    check_dropout("attention", o.dropout, o.stream);
}

void check_head(const Op& op, const HeadRef& ref, std::span<const TensorType> sources,
                int64_t d_head) {
    if (ref.input < 0 || static_cast<size_t>(ref.input) >= sources.size() || ref.head < 0)
        throw UserError(
            fmt::format("{}: head {} of input {} does not exist", op.name(), ref.head, ref.input));
    const TensorType& source = sources[static_cast<size_t>(ref.input)];
    require_type((ref.head + 1) * d_head <= source.columns(), op,
                 fmt::format("a source with head {} of width {}", ref.head, d_head), source);
}

/// Checks q and the sources; `sources` includes q.
void check_sources(const Op& op, const AttentionOptions& o, std::span<const TensorType> sources) {
    if (sources.empty()) require_inputs(op, sources, 1);
    const TensorType& q = sources[0];
    require_type(q.shape.size() == 3 && q.columns() == o.n_head * o.d_head, op,
                 fmt::format("q [B, T, {}]", o.n_head * o.d_head), q);
    for (size_t i = 0; i < sources.size(); ++i) {
        const TensorType& source = sources[i];
        const int64_t width = o.head_width(static_cast<int>(i));
        require_type(source.dtype == q.dtype && source.shape.size() == 3 &&
                         source.shape[0] == q.shape[0] && source.shape[1] == q.shape[1] &&
                         source.columns() % width == 0,
                     op,
                     fmt::format("a source {} [{}, {}, n * {}]", name_of(q.dtype), q.shape[0],
                                 q.shape[1], width),
                     source);
    }
    for (const HeadRef& ref : o.key_heads) check_head(op, ref, sources, o.d_head);
    for (const HeadRef& ref : o.value_heads)
        if (ref.input != -1) check_head(op, ref, sources, o.value_width());
}

TensorType lse_of(const AttentionOptions& o, const TensorType& q) {
    return {accumulator_of(q.dtype), {q.shape[0], o.n_head, q.shape[1]}};
}

TensorType out_of(const AttentionOptions& o, const TensorType& q) {
    return {q.dtype, {q.shape[0], q.shape[1], o.n_head * o.value_width()}};
}

/// Multiply-adds of products of the scores with so many matrices as wide as keys and as values,
/// counting pairs below the diagonal only.
OpCost attention_cost(const AttentionOptions& o, const TensorType& q, int of_keys, int of_values) {
    const auto seq_len = static_cast<double>(q.shape[1]);
    const double pairs = o.causal ? seq_len * (seq_len + 1) / 2 : seq_len * seq_len;
    const auto width = static_cast<double>(of_keys * o.d_head + of_values * o.value_width());
    return {2.0 * width * pairs * static_cast<double>(q.shape[0] * o.n_head), 0};
}

}  // namespace

int64_t AttentionOptions::head_width(int input) const {
    for (const HeadRef& ref : value_heads)
        if (ref.input == input) return value_width();
    return d_head;
}

Attention::Attention(AttentionOptions options) : options_(std::move(options)) {
    check_options(options_);
}

std::vector<TensorType> Attention::infer(std::span<const TensorType> in) const {
    check_sources(*this, options_, in);
    return {out_of(options_, in[0]), lse_of(options_, in[0])};
}

void Attention::backward(Backward& b) const {
    std::vector<ValueId> inputs;
    std::vector<size_t> targets;
    for (size_t i = 0; i < b.input_count(); ++i) {
        inputs.push_back(b.input(i));
        if (b.wants(i)) targets.push_back(i);
    }
    if (targets.empty()) return;
    inputs.insert(inputs.end(), {b.output(0), b.output(1), b.output_grad(0)});
    b.emit(std::make_shared<AttentionBackward>(options_, targets), inputs, targets);
}

OpCost Attention::cost(std::span<const TensorType> in) const {
    OpCost cost = attention_cost(options_, in[0], 1, 1);
    cost.bytes = Op::cost(in).bytes;
    return cost;
}

AttentionBackward::AttentionBackward(AttentionOptions options, std::vector<size_t> targets)
    : options_(std::move(options)), targets_(std::move(targets)) {
    check_options(options_);
    schedule_ = std::make_shared<AttentionSchedule>(options_, targets_);
}

std::vector<TensorType> AttentionBackward::infer(std::span<const TensorType> in) const {
    if (in.size() < 4) require_inputs(*this, in, 4);
    const auto sources = in.first(in.size() - 3);
    check_sources(*this, options_, sources);
    const auto saved = in.last(3);
    const TensorType out = out_of(options_, in[0]);
    require_type(saved[0] == out, *this, "out " + to_string(out), saved[0]);
    const TensorType lse = lse_of(options_, in[0]);
    require_type(saved[1] == lse, *this, "lse " + to_string(lse), saved[1]);
    require_type(saved[2] == out, *this, "a gradient " + to_string(out), saved[2]);
    std::vector<TensorType> gradients;
    for (const size_t i : targets_) {
        CHECK(i < sources.size(), "attention_backward: a target that is no source");
        gradients.push_back(in[i]);
    }
    return gradients;
}

OpCost AttentionBackward::cost(std::span<const TensorType> in) const {
    OpCost cost = attention_cost(options_, in[0], 3, 2);
    cost.bytes = Op::cost(in).bytes;
    return cost;
}

}  // namespace headroom
