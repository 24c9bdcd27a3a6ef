// The real device, out of the module beside the program.
#include "tests/cuda/tested_device.h"

#include <filesystem>

#include "core/base/error.h"
#include "core/device/cuda_module.h"

namespace headroom {

bool tested_device_is_emulated() {
    return false;
}

std::unique_ptr<Device> tested_cuda_device(std::string& why_not) {
    try {
        return open_cuda_device(std::filesystem::read_symlink("/proc/self/exe").parent_path());
    } catch (const EnvironmentError& error) {
        why_not = error.what();
        if (why_not.find("cannot be loaded") != std::string::npos) throw;
        return nullptr;
    }
}

struct WithRowThreads::State {};

WithRowThreads::WithRowThreads(RowThreads, uint64_t) {}

WithRowThreads::~WithRowThreads() = default;

}  // namespace headroom
