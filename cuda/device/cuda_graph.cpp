#include "cuda/device/cuda_graph.h"

#include "cuda/device/check.h"

namespace headroom::cuda {
namespace {

/// The graph before it is made ready to run; destroyed with it.
struct Capture {
    explicit Capture(cudaStream_t of) : stream(of) {
        // Thread-local: what other threads do with the device does not spoil it.
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "record a graph");
    }
    ~Capture() {
        if (!ended && cudaStreamEndCapture(stream, &graph) != cudaSuccess) cudaGetLastError();
        if (graph != nullptr) cudaGraphDestroy(graph);
    }
    void end() {
        ended = true;
        check(cudaStreamEndCapture(stream, &graph), "record a graph");
    }

    cudaStream_t stream;
    cudaGraph_t graph = nullptr;
    bool ended = false;
};

}  // namespace

CudaGraph CudaGraph::record(cudaStream_t stream, const std::function<void()>& launch) {
    Capture capture(stream);
    launch();
    capture.end();
    CudaGraph recorded;
    check(cudaGraphInstantiate(&recorded.graph_, capture.graph, 0), "make a graph");
    return recorded;
}

void CudaGraph::play(cudaStream_t stream) const {
    check(cudaGraphLaunch(graph_, stream), "run a graph");
}

}  // namespace headroom::cuda
