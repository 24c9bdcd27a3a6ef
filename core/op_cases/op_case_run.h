#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/cpu/cpu_context.h"
#include "core/device/device.h"
#include "core/op_cases/op_cases.h"

namespace headroom {

/// One operator case as a small graph, with the gradients of its differentiable inputs: the
/// operator's node in phase kForward and those of its gradient rule in phase kBackward.
struct CaseGraph {
    explicit CaseGraph(const OpCase& op_case);

    Graph graph;
    std::vector<ValueId> inputs, outputs;
    std::vector<ValueId> seeds;      ///< gradients of the differentiable outputs, made by the host
    std::vector<ValueId> gradients;  ///< one per input, kNoValue where it has none

  private:
    void append_update(const OpCase& op_case, const std::vector<std::string>& names);
};

/// The numbers of value `input` of the case: the same ones for every type, but for rounding.
std::vector<double> case_numbers(const CaseInput& input, uint64_t seed);

/// Calls f(value, numbers) for all that the host fills in before a case runs: inputs in their
/// order, seeds, and the outputs of operators that update them in place.
void each_host_value(const OpCase& op_case, const CaseGraph& graph, uint64_t seed,
                     const std::function<void(ValueId, const std::vector<double>&)>& f);

/// Conversion between a tensor of any type and doubles.
std::vector<double> to_doubles(const Tensor& tensor);
void from_doubles(const std::vector<double>& numbers, const Tensor& tensor);

/// Runs the nodes of a case one by one on the CPU with a buffer for each value, so that a kernel
/// can be looked at alone.
class CaseRun {
  public:
    explicit CaseRun(const OpCase& op_case, uint64_t seed = 1);

    const CaseGraph& graph() const { return graph_; }
    size_t node_count() const { return graph_.graph.nodes().size(); }
    const Node& node(size_t n) const { return graph_.graph.nodes()[n]; }
    Tensor tensor(ValueId id);

    /// Throws InternalError if the kernel writes beyond its outputs or its workspace.
    void run_node(size_t n, Kernels kernels, bool accumulate = false);
    void run_all(Kernels kernels);

    StepContext step;

  private:
    CaseGraph graph_;
    /// Aligned memory full of NaN, with a guard behind it that no kernel may touch.
    class Buffer {
      public:
        explicit Buffer(int64_t bytes);
        std::byte* data() const { return data_.get(); }
        bool intact() const;

      private:
        struct Free {
            void operator()(std::byte* data) const;
        };
        int64_t bytes_, size_;
        std::unique_ptr<std::byte, Free> data_;
    };
    std::vector<Buffer> buffers_;
    CpuContext context_;
};

}  // namespace headroom
