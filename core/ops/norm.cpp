#include "core/ops/norm.h"

#include <fmt/format.h>

#include "core/graph/backward.h"
#include "core/ops/column_sums.h"

namespace headroom {
namespace {

/// `grouped`: the gain may be that of one head of several.
void require_norm_inputs(const Op& op, std::span<const TensorType> in, bool grouped) {
    const TensorType gain{accumulator_of(in[0].dtype), {in[0].columns()}};
    const bool of_head = grouped && in[1].dtype == gain.dtype && in[1].shape.size() == 1 &&
                         in[1].count() > 0 && in[0].columns() % in[1].count() == 0;
    require_type(in[1] == gain || of_head, op, "a gain " + to_string(gain), in[1]);
}

int64_t rows_of(const TensorType& x, const TensorType& gain) {
    return x.count() / gain.count();
}

TensorType statistic_of(const TensorType& x, const TensorType& gain) {
    return {accumulator_of(x.dtype), {rows_of(x, gain)}};
}

/// `saved`: the number of saved statistics between the gain and dy.
std::vector<TensorType> infer_backward(const Op& op, std::span<const TensorType> in, size_t saved,
                                       NormTargets targets) {
    require_inputs(op, in, 3 + saved);
    require_norm_inputs(op, in, saved == 1);
    const TensorType statistic = statistic_of(in[0], in[1]);
    for (size_t i = 0; i < saved; ++i)
        require_type(in[2 + i] == statistic, op, "saved statistics " + to_string(statistic),
                     in[2 + i]);
    require_type(in[2 + saved] == in[0], op, "a gradient " + to_string(in[0]), in[2 + saved]);
    std::vector<TensorType> out;
    if (targets.input) out.push_back(in[0]);
    if (targets.gain) out.push_back(in[1]);
    return out;
}

/// The targets of a backward node, {} if nothing is wanted.
std::vector<size_t> wanted(const Backward& b) {
    std::vector<size_t> targets;
    for (const size_t i : {size_t{0}, size_t{1}})
        if (b.wants(i)) targets.push_back(i);
    return targets;
}

int64_t partial_sums_bytes(const TensorType& x, const TensorType& gain, NormTargets targets) {
    if (!targets.gain) return 0;
    return block_sums_bytes(rows_of(x, gain), gain.count(), accumulator_of(x.dtype));
}

}  // namespace

std::vector<TensorType> LayerNorm::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 2);
    require_norm_inputs(*this, in, false);
    const TensorType statistic = statistic_of(in[0], in[1]);
    return {in[0], statistic, statistic};
}

void LayerNorm::backward(Backward& b) const {
    const std::vector<size_t> targets = wanted(b);
    if (targets.empty()) return;
    b.emit(std::make_shared<LayerNormBackward>(NormTargets{b.wants(0), b.wants(1)}),
           {b.input(0), b.input(1), b.output(1), b.output(2), b.output_grad(0)}, targets);
}

std::vector<TensorType> RmsNorm::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 2);
    require_norm_inputs(*this, in, true);
    return {in[0], statistic_of(in[0], in[1])};
}

void RmsNorm::backward(Backward& b) const {
    const std::vector<size_t> targets = wanted(b);
    if (targets.empty()) return;
    b.emit(std::make_shared<RmsNormBackward>(NormTargets{b.wants(0), b.wants(1)}),
           {b.input(0), b.input(1), b.output(1), b.output_grad(0)}, targets);
}

std::vector<TensorType> LayerNormBackward::infer(std::span<const TensorType> in) const {
    return infer_backward(*this, in, 2, targets_);
}

int64_t LayerNormBackward::workspace_bytes(std::span<const TensorType> in, int) const {
    return partial_sums_bytes(in[0], in[1], targets_);
}

// dx may take the place of x or dy: a row is read before it is written.
bool LayerNormBackward::may_overwrite(int input, int output) const {
    return targets_.input && output == 0 && (input == 0 || input == 4);
}

std::vector<TensorType> RmsNormBackward::infer(std::span<const TensorType> in) const {
    return infer_backward(*this, in, 1, targets_);
}

int64_t RmsNormBackward::workspace_bytes(std::span<const TensorType> in, int) const {
    return partial_sums_bytes(in[0], in[1], targets_);
}

bool RmsNormBackward::may_overwrite(int input, int output) const {
    return targets_.input && output == 0 && (input == 0 || input == 3);
}

}  // namespace headroom
