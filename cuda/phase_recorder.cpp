#include "cuda/phase_recorder.h"

#include "core/base/error.h"

namespace headroom::cuda {

void PhaseRecorder::run(PhaseRun run, cudaStream_t stream, const std::function<void()>& launch) {
    const auto phase = static_cast<size_t>(run.phase);
    CHECK(phase < kPhases, "a phase of the graph");
    State& state = states_[2 * phase + (run.first_micro ? 0 : 1)];
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
        state.graph = RecordedGraph::record(stream, launch);
    } catch (const EnvironmentError& error) {
        state.unrecordable = true;
        if (problem_.empty()) problem_ = error.what();
    }
}

}  // namespace headroom::cuda
