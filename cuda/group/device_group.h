#pragma once

#include <string>

#include "core/device/process_group.h"

namespace headroom::cuda {

/// What tells the device of a process from those of the others.
struct DeviceIdentity {
    std::string unique;  ///< of this very device among all machines
    std::string model;   ///< what equal devices share
};

/// Called by all processes of a group: each must have a device of its own, all of one model, so
/// that none waits for the others and all compute alike. The same UserError on all processes
/// otherwise.
void check_devices(const DeviceIdentity& own, ProcessGroup& group);

}  // namespace headroom::cuda
