#include "cuda/kernels.h"

#include <map>
#include <string>

#include "core/base/error.h"

namespace headroom::cuda {
namespace {

/// Filled while the module is loaded, read-only afterwards.
std::map<std::string_view, KernelMaker>& makers() {
    static std::map<std::string_view, KernelMaker> all;
    return all;
}

}  // namespace

RegisteredKernel::RegisteredKernel(std::string_view op, KernelMaker make) {
    makers()[op] = make;
}

Kernel make_kernel(const Op& op, Types inputs) {
    const auto found = makers().find(op.name());
    CHECK(found != makers().end(), "the CUDA device has no kernel for " + std::string(op.name()));
    return found->second(op, inputs);
}

}  // namespace headroom::cuda
