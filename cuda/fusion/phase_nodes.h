#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "core/graph/graph.h"
#include "cuda/fusion/fusion.h"

namespace headroom::cuda {

/// The nodes of one phase in their order, in which fusions are looked for.
class PhaseNodes {
  public:
    PhaseNodes(const Graph& graph, Phase phase);

    const Graph& graph() const { return graph_; }
    size_t count() const { return order_.size(); }
    const Node& at(size_t place) const { return graph_.nodes()[order_[place]]; }
    bool is(size_t place, std::string_view op) const {
        return place < count() && at(place).op->name() == op;
    }
    /// Whether the node at `place` is all that ever looks at the value.
    bool only_reader(size_t place, ValueId value) const;

    /// Nodes `first` .. `end` as a fusion: what it is called, its nodes, and the node that stands
    /// for them. `cost`: their products, and nothing moved yet.
    Fusion joined(size_t first, size_t end) const;

  private:
    const Graph& graph_;
    std::vector<size_t> order_;
    std::vector<int> readers_;  ///< nodes that read each value, in any phase
};

/// Each finds the fusion that begins at `place`: none if there is but one node.
std::vector<Fusion> adamw_run(const PhaseNodes& nodes, size_t place);
std::vector<Fusion> linear_fusion(const PhaseNodes& nodes, size_t place);

}  // namespace headroom::cuda
