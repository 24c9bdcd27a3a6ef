#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/weights/weight_source.h"

namespace headroom {

/// What makes one model's weights out of another's: a conversion, a surgery.
struct Transformation {
    std::string done;    ///< begins the provenance entries of the metadata, such as "uptrained"
    std::string method;  ///< the entry DONE_with, such as "mean_v"
    ModelConfig config;  ///< of the result
    /// The numbers of one tensor of the result, row-major as in `spec`; none where it is the
    /// source's tensor of that name and shape, which then keeps its bits. Called in the order of
    /// the result's tensors when a model is saved, but any order must do.
    std::function<std::optional<std::vector<double>>(const WeightSource& source,
                                                     const ParameterSpec& spec)>
        tensor;
};

/// Other weights, transformed tensor by tensor when they are read. Being a source itself, it can be
/// transformed again. One thread at a time, since transformations may remember what they made.
///
/// Its metadata are the source's, but step and tokens, which a run of its own counts, become
/// DONE_step and DONE_tokens, and DONE_from names the source. A second transformation of one kind
/// is added to DONE_with after a comma.
class TransformedWeights final : public WeightSource {
  public:
    TransformedWeights(std::shared_ptr<const WeightSource> source, Transformation transformation);

    const WeightSource& source() const { return *source_; }

    /// As the source stores the tensor of that name, or, where it has none, its first tensor.
    StoredType type(std::string_view name) const override;

  private:
    std::vector<float> read_float(const ParameterSpec& spec) const override;
    std::vector<double> read_double(const ParameterSpec& spec) const override;
    template <class T>
    std::vector<T> read_as(const ParameterSpec& spec) const;

    std::shared_ptr<const WeightSource> source_;
    Transformation transformation_;
};

}  // namespace headroom
