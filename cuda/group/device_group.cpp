#include "cuda/group/device_group.h"

#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/hash.h"

namespace headroom::cuda {
namespace {

/// A number that tells texts apart and that sums of doubles hold exactly.
double number_of(const std::string& text) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    return static_cast<double>(hash_bytes({bytes, text.size()}) >> 12);
}

/// What every process gives, by rank: each adds its own to zeros.
std::vector<double> gather(double own, ProcessGroup& group) {
    std::vector<double> all(static_cast<size_t>(group.size()));
    all[static_cast<size_t>(group.rank())] = own;
    group.sum(std::span<double>(all));
    return all;
}

}  // namespace

void check_devices(const DeviceIdentity& own, ProcessGroup& group) {
    const std::vector<double> devices = gather(number_of(own.unique), group);
    const std::vector<double> models = gather(number_of(own.model), group);
    for (size_t b = 1; b < devices.size(); ++b) {
        for (size_t a = 0; a < b; ++a)
            if (devices[a] == devices[b])
                throw UserError(fmt::format("processes {} and {} share one CUDA device", a, b),
                                "start no more processes on a machine than it has devices");
        if (models[b] != models[0])
            throw UserError(
                fmt::format("process {} has another model of CUDA device than process 0", b),
                "start processes on devices of one model, or choose them with "
                "CUDA_VISIBLE_DEVICES");
    }
}

}  // namespace headroom::cuda
