#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/config/model_config.h"
#include "core/graph/graph.h"
#include "core/model/model_graph.h"

namespace headroom {

/// The weights of a model as graph values, by name. In bfloat16 each matrix has a working copy but
/// those of routers, whose choices are made in float32.
class GraphWeights {
  public:
    /// Adds every parameter of `model` to `graph`, in the accumulator type of `precision`.
    GraphWeights(Graph& graph, const ModelConfig& model, DType precision);

    /// The parameter itself (norm gains, embedding tables), or kNoValue.
    ValueId master(const std::string& name) const;
    /// What products read: the working copy in bfloat16, otherwise the parameter.
    ValueId matrix(const std::string& name) const;
    bool has(const std::string& name) const { return by_name_.contains(name); }
    const std::vector<GraphParameter>& parameters() const { return parameters_; }
    /// The working copy, or kNoValue.
    ValueId copy(const std::string& name) const;
    /// Appends the nodes that make the working copies of weights that were written, to
    /// Phase::kPrepare; an update makes its own.
    void append_copies() const;

  private:
    Graph& graph_;
    std::vector<GraphParameter> parameters_;
    std::map<std::string, ValueId, std::less<>> by_name_, copies_;
};

}  // namespace headroom
