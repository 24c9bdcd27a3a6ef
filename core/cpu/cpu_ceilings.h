#pragma once

#include <memory>

#include "core/device/device_ceilings.h"

namespace headroom {

/// The CPU's, with all threads.
std::unique_ptr<DeviceCeilings> make_cpu_ceilings();

}  // namespace headroom
