#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/surgery/basis_plan.h"
#include "core/surgery/stream_basis.h"
#include "core/weights/weight_source.h"

namespace headroom {

/// The tensors of a model in the bases of a plan: readers of the residual stream become Theta^-1 W,
/// writers W Theta. Keeps the few bases that neighbouring tensors need, so that memory is bounded
/// by the largest tensor and three bases. One thread at a time.
class RebasedTensors {
  public:
    explicit RebasedTensors(std::shared_ptr<const BasisPlan> plan) : plan_(std::move(plan)) {}

    /// None where the tensor is the source's.
    std::optional<std::vector<double>> operator()(const WeightSource& source,
                                                  const ParameterSpec& spec);

    /// Rows of the residual stream of `place`, [n, d_model], in the basis of the result.
    Matrix stream(const WeightSource& source, int place, const Matrix& rows);

  private:
    /// Null where the place keeps its basis.
    const StreamBasis* basis(const WeightSource& source, int place);
    std::optional<std::vector<double>> reader(const WeightSource& source, int place,
                                              const std::string& name);
    std::optional<std::vector<double>> writer(const WeightSource& source, int place,
                                              const std::string& name);
    std::optional<std::vector<double>> query(const WeightSource& source, int layer);
    std::optional<std::vector<double>> head(const WeightSource& source);
    std::optional<std::vector<double>> bias(const WeightSource& source, const ParameterSpec& spec);

    using Kept = std::pair<std::string, StreamBasis>;  ///< by what makes it
    std::shared_ptr<const BasisPlan> plan_;
    std::list<Kept> kept_;  ///< the last used in front
};

/// What the attention of a layer adds to the residual stream besides W_O's products once its biases
/// of removed matrices are gone from their places: b_O + b_V W_O, [1, d_model]; empty where the
/// model has no biases or nothing moves.
Matrix moved_bias(const WeightSource& source, const BasisPlan& plan, int layer);

}  // namespace headroom
