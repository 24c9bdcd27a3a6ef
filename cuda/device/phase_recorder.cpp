#include "cuda/device/phase_recorder.h"

#include "core/base/error.h"

namespace headroom::cuda {

void PhaseRecorder::run(PhaseRun run, cudaStream_t stream, const std::function<void()>& launch) {
    State& state = states_[run];
    if (state.warm && !state.graph && !state.unrecordable) record(state, stream, launch);
    if (state.graph) {
        state.graph.play(stream);
        return;
    }
    launch();
    state.warm = true;
}

void PhaseRecorder::record(State& state, cudaStream_t stream, const std::function<void()>& launch) {
    try {
        state.graph = CudaGraph::record(stream, launch);
    } catch (const EnvironmentError& error) {
        state.unrecordable = true;
        if (problem_.empty()) problem_ = error.what();
    }
}

}  // namespace headroom::cuda
