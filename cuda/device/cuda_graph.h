#pragma once

#include <functional>
#include <utility>

#include <cuda_runtime.h>

namespace headroom::cuda {

/// What was put into a stream while it was recorded, to be put there again with one call.
/// Move-only.
class CudaGraph {
  public:
    /// Records what `launch` puts into the stream; none of it runs. EnvironmentError if it cannot
    /// be recorded; the stream is then as it was before.
    static CudaGraph record(cudaStream_t stream, const std::function<void()>& launch);

    CudaGraph() = default;
    ~CudaGraph() {
        if (graph_ != nullptr) cudaGraphExecDestroy(graph_);
    }
    CudaGraph(CudaGraph&& other) noexcept : graph_(std::exchange(other.graph_, nullptr)) {}
    CudaGraph& operator=(CudaGraph&& other) noexcept {
        std::swap(graph_, other.graph_);
        return *this;
    }

    explicit operator bool() const { return graph_ != nullptr; }
    void play(cudaStream_t stream) const;

  private:
    cudaGraphExec_t graph_ = nullptr;
};

}  // namespace headroom::cuda
