#include "core/ops/route.h"

#include <algorithm>
#include <cmath>

#include "core/graph/backward.h"
#include "core/ops/route_rows.h"

namespace headroom {
namespace {

Shape per_choice(const TensorType& logits, int64_t top_k) {
    Shape shape = logits.shape;
    shape.back() = top_k;
    return shape;
}

}  // namespace

int64_t Route::places(int64_t tokens, int64_t experts) const {
    if (options_.capacity == 0) return tokens;
    const double wanted = std::ceil(options_.capacity * static_cast<double>(options_.top_k) *
                                    static_cast<double>(tokens) / static_cast<double>(experts));
    return wanted < static_cast<double>(tokens) ? static_cast<int64_t>(wanted) : tokens;
}

std::vector<TensorType> Route::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 1);
    require_type(in[0].shape.size() >= 2 && in[0].dtype == accumulator_of(in[0].dtype) &&
                     in[0].columns() >= options_.top_k && in[0].columns() <= kMostRouted,
                 *this, "logits (..., experts) of as many experts as a token chooses", in[0]);
    const int64_t tokens = in[0].rows(), experts = in[0].columns();
    const int64_t rows = std::min(tokens * options_.top_k, experts * places(tokens, experts));
    const Shape choices = per_choice(in[0], options_.top_k);
    return {{in[0].dtype, choices},       {DType::kI32, choices},
            {DType::kI32, choices},       {DType::kI32, {rows}},
            {DType::kI32, {experts + 1}}, {in[0].dtype, {experts + kRouteStats}}};
}

void Route::backward(Backward& b) const {
    CHECK(b.output_grad(0) != kNoValue, "a model reads the weights of its experts");
    if (!b.wants(0)) return;
    b.emit(std::make_shared<RouteBackward>(options_),
           {b.input(0), b.output(0), b.output(1), b.output(5), b.output_grad(0)}, {0});
}

int64_t Route::workspace_bytes(std::span<const TensorType> in, int) const {
    return RouteWorkspace::bytes(in[0].rows(), in[0].columns(), options_.top_k);
}

std::vector<TensorType> RouteBackward::infer(std::span<const TensorType> in) const {
    require_inputs(*this, in, 5);
    const Shape choices = per_choice(in[0], options_.top_k);
    require_type(in[1] == TensorType{in[0].dtype, choices}, *this,
                 "weights of the choices of " + to_string(in[0]), in[1]);
    require_type(in[2] == TensorType{DType::kI32, choices}, *this, "the experts of the weights",
                 in[2]);
    require_type(in[3] == TensorType{in[0].dtype, {in[0].columns() + kRouteStats}}, *this,
                 "statistics of " + to_string(in[0]), in[3]);
    require_type(in[4] == in[1], *this, "a gradient of the weights", in[4]);
    return {in[0]};
}

}  // namespace headroom
