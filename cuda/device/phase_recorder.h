#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "core/graph/graph.h"
#include "cuda/device/cuda_graph.h"

namespace headroom::cuda {

/// A phase as it is launched: in a step's first micro-batch gradients are overwritten, in later
/// ones added to.
struct PhaseRun {
    Phase phase;
    bool first_micro;
    size_t part = 0;  ///< of a phase that is launched in several

    auto operator<=>(const PhaseRun&) const = default;
};

/// Decides how a phase is launched. Its first run goes kernel by kernel, since kernels fill their
/// tables and products choose their algorithms in it; the second is recorded; it and all later ones
/// are played. What cannot be recorded goes on kernel by kernel.
class PhaseRecorder {
  public:
    /// `launch` puts the kernels of the phase into the stream, the same ones each time.
    void run(PhaseRun run, cudaStream_t stream, const std::function<void()>& launch);

    /// Why a phase could not be recorded; "" if all could.
    const std::string& problem() const { return problem_; }

  private:
    struct State {
        bool warm = false, unrecordable = false;
        CudaGraph graph;
    };
    void record(State& state, cudaStream_t stream, const std::function<void()>& launch);

    std::map<PhaseRun, State> states_;
    std::string problem_;
};

}  // namespace headroom::cuda
