#pragma once

#include <memory>

#include "core/device/yardstick.h"

namespace headroom {

/// The CPU's, with all threads.
std::unique_ptr<Yardstick> make_cpu_yardstick();

}  // namespace headroom
