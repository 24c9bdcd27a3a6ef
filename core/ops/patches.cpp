#include "core/ops/patches.h"

#include <fmt/format.h>

#include "core/graph/backward.h"
#include "core/ops/embedding.h"

namespace headroom {

std::vector<TensorType> PlacePatches::infer(std::span<const TensorType> in) const {
    CHECK(options_.class_token || options_.positions, "something to place patches with");
    const bool token = options_.class_token, positions = options_.positions;
    require_inputs(*this, in, size_t{1} + (token ? 1 : 0) + (positions ? 1 : 0));
    const TensorType& patches = in[0];
    require_type(patches.shape.size() == 3, *this, "patches (B, P, d)", patches);
    const DType table = accumulator_of(patches.dtype);
    TensorType out = patches;
    out.shape[1] += token ? 1 : 0;
    const auto rows = [&](size_t input, int64_t count) {
        const TensorType wanted{table, {count, patches.columns()}};
        require_type(in[input] == wanted, *this, to_string(wanted), in[input]);
    };
    if (token) rows(1, 1);
    if (positions) rows(in.size() - 1, out.shape[1]);
    return {out};
}

// Every row of x is one of p, or c, plus one of wpe: each takes the gradient of the rows it is in.
void PlacePatches::backward(Backward& b) const {
    const ValueId dx = b.output_grad(0);
    const size_t last = b.input_count() - 1;
    if (options_.positions && b.wants(last))
        b.emit(std::make_shared<EmbeddingBackwardPositions>(b.input_type(last).shape[0]), {dx},
               {last});
    if (!options_.class_token) {
        if (b.wants(0)) b.pass(0, dx);
        return;
    }
    if (b.wants(1)) b.emit(std::make_shared<PlacePatchesBackwardToken>(), {dx}, {1});
    if (b.wants(0)) b.emit(std::make_shared<PlacePatchesBackwardPatches>(), {dx}, {0});
}

std::vector<TensorType> PlacePatchesBackwardPatches::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 1);
    require_type(in[0].shape.size() == 3 && in[0].shape[1] > 1, *this, "a gradient (B, T, d)",
                 in[0]);
    TensorType out = in[0];
    --out.shape[1];
    return {out};
}

std::vector<TensorType> PlacePatchesBackwardToken::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 1);
    require_type(in[0].shape.size() == 3, *this, "a gradient (B, T, d)", in[0]);
    return {{accumulator_of(in[0].dtype), {1, in[0].columns()}}};
}

}  // namespace headroom
