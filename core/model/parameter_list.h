#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/model/parameters.h"

namespace headroom {

/// Collects the tensors of a model. Every part of a model adds its own, in the file of its builder.
class ParameterList {
  public:
    explicit ParameterList(const ModelConfig& model);

    const ModelConfig& model() const { return model_; }
    /// Deviation of initial matrices, and of those that write into the residual stream.
    double init_std() const { return model_.init_std; }
    double residual_std() const { return residual_std_; }

    /// What is added from now on belongs to this layer; -1 to none.
    void set_layer(int layer) { layer_ = layer; }
    /// The same of an expert.
    void set_expert(int expert) { expert_ = expert; }

    /// init_std 0: all of `init_value`.
    void add(std::string name, Shape shape, ParameterRole role, double init_std,
             double init_value = 1.0);
    void add_values(std::string name, Shape shape, ParameterRole role, std::vector<double> values);
    /// NAME.weight and, where the model has biases, NAME.bias.
    void add_projection(const std::string& name, Shape shape, ParameterRole role, double init_std);
    void add_projection(const std::string& name, Shape shape, ParameterRole role) {
        add_projection(name, std::move(shape), role, init_std());
    }
    /// The tensors of a norm over d_model columns; none for kNone.
    void add_norm(const std::string& name, NormKind kind);

    std::vector<ParameterSpec> take() && { return std::move(specs_); }

  private:
    const ModelConfig& model_;
    double residual_std_;
    int layer_ = -1, expert_ = -1;
    std::vector<ParameterSpec> specs_;
};

}  // namespace headroom
