#include "app/study/run_slots.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "app/program_files.h"
#include "core/device/cuda_module.h"

namespace headroom {
namespace {

/// As many as one worker alone would take.
int threads_of_the_processor() {
    const char* wanted = std::getenv("OMP_NUM_THREADS");
    const int number = wanted ? std::atoi(wanted) : 0;
    return std::max(1, number > 0 ? number : static_cast<int>(std::thread::hardware_concurrency()));
}

/// The first `count` GPUs that this process sees, as CUDA_VISIBLE_DEVICES names them.
std::vector<std::string> names_of_gpus(size_t count) {
    std::vector<std::string> names;
    if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
        std::istringstream list(visible);
        for (std::string name; std::getline(list, name, ',');) names.push_back(name);
    }
    for (size_t n = names.size(); n < count; ++n) names.push_back(std::to_string(n));
    names.resize(count);
    return names;
}

}  // namespace

std::vector<RunSlot> run_slots(int count, const RunMachine& machine) {
    if (count == 0) count = std::max(1, static_cast<int>(machine.gpus.size()));
    std::vector<RunSlot> slots(static_cast<size_t>(count));
    for (size_t n = 0; n < slots.size(); ++n) {
        std::vector<std::string>& environment = slots[n].environment;
        if (count > 1)
            environment.push_back(
                fmt::format("OMP_NUM_THREADS={}", std::max(1, machine.threads / count)));
        if (machine.gpus.size() > 1)
            environment.push_back("CUDA_VISIBLE_DEVICES=" + machine.gpus[n % machine.gpus.size()]);
    }
    return slots;
}

RunMachine examine_run_machine(bool on_gpu) {
    RunMachine machine{threads_of_the_processor(), {}};
    if (!on_gpu || !has_cuda_driver()) return machine;
    try {
        machine.gpus = names_of_gpus(examine_cuda_module(program_files().modules).gpus.size());
    } catch (const std::exception&) {  // no module or no device: workers say so if a job insists
        machine.gpus.clear();
    }
    return machine;
}

}  // namespace headroom
