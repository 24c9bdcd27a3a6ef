#include "core/ops/embedding.h"

#include <fmt/format.h>

#include "core/graph/backward.h"

namespace headroom {

std::vector<TensorType> Embedding::infer(std::span<const TensorType> in) const {
    if (in.size() != 3) require_inputs(*this, in, 2);
    const DType table = accumulator_of(out_);
    require_type(in[0].dtype == DType::kI32 && in[0].shape.size() == 2, *this,
                 "tokens int32 [B, T]", in[0]);
    require_type(in[1].dtype == table && in[1].shape.size() == 2, *this,
                 fmt::format("wte {} [vocab_size, d_model]", name_of(table)), in[1]);
    const int64_t tokens = in[0].shape[1], width = in[1].shape[1];
    if (in.size() == 3)
        require_type(in[2].dtype == table && in[2].shape.size() == 2 && in[2].shape[0] >= tokens &&
                         in[2].shape[1] == width,
                     *this, fmt::format("wpe {} [at least {}, {}]", name_of(table), tokens, width),
                     in[2]);
    return {{out_, {in[0].shape[0], tokens, width}}};
}

// Each row of a table is copied, so its gradient is the sum of the gradients of its copies.
void Embedding::backward(Backward& b) const {
    const ValueId dx = b.output_grad(0);
    if (b.input_count() == 3 && b.wants(2))
        b.emit(std::make_shared<EmbeddingBackwardPositions>(b.input_type(2).shape[0]), {dx}, {2});
    if (b.wants(1))
        b.emit(std::make_shared<EmbeddingBackwardTokens>(b.input_type(1).shape[0]),
               {b.input(0), dx}, {1});
}

OpCost Embedding::cost(std::span<const TensorType> in) const {
    const TensorType out = infer(in)[0];
    const auto tables = static_cast<double>(in.size() - 1);
    const auto rows = static_cast<double>(out.count() * static_cast<int64_t>(size_of(in[1].dtype)));
    return {0, static_cast<double>(in[0].bytes() + out.bytes()) + tables * rows};
}

std::vector<TensorType> EmbeddingBackwardTokens::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 2);
    require_type(in[0].dtype == DType::kI32, *this, "tokens int32 [B, T]", in[0]);
    require_type(in[1].rows() == in[0].count(), *this, "a gradient [B, T, d_model]", in[1]);
    std::vector<TensorType> out{{accumulator_of(in[1].dtype), {vocab_size_, in[1].columns()}}};
    if (tells_norm_) out.push_back({DType::kF64, {1}});
    return out;
}

OpPtr EmbeddingBackwardTokens::telling_norm(int) const {
    return std::make_shared<EmbeddingBackwardTokens>(vocab_size_, true);
}

std::vector<TensorType> EmbeddingBackwardPositions::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 1);
    require_type(in[0].shape.size() == 3 && in[0].shape[1] <= block_size_, *this,
                 fmt::format("a gradient [B, at most {}, d_model]", block_size_), in[0]);
    return {{accumulator_of(in[0].dtype), {block_size_, in[0].columns()}}};
}

}  // namespace headroom
