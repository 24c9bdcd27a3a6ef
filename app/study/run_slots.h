#pragma once

#include <string>
#include <vector>

namespace headroom {

inline constexpr int kMostRunSlots = 64;

/// A place at which a study trains one run at a time.
struct RunSlot {
    std::vector<std::string> environment;  ///< of its worker: "OMP_NUM_THREADS=1"
};

/// What a study's runs are trained on.
struct RunMachine {
    int threads = 1;                ///< of the processor, for all runs together
    std::vector<std::string> gpus;  ///< as CUDA_VISIBLE_DEVICES names them; none: the processor
};

/// `count` places; 0: one for each GPU, and one where there is none. Runs on the processor share
/// its threads equally, those on GPUs take turns at the GPUs.
std::vector<RunSlot> run_slots(int count, const RunMachine& machine);

/// This machine, for jobs of which one at least may run on a GPU, or none may.
RunMachine examine_run_machine(bool on_gpu);

}  // namespace headroom
