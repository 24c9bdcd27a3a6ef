#pragma once

#include <cstddef>
#include <cstdint>

namespace headroom {

/// What has been asked of the emulated runtime by this thread.
struct EmulatedCounts {
    int64_t launches = 0;        ///< kernels and products, neither recorded nor played
    int64_t graphs = 0;          ///< recorded
    int64_t graph_launches = 0;  ///< played
    int64_t waits = 0;           ///< times that the host waited for the device
    int64_t device_bytes = 0;    ///< allocated now, by all threads
};
EmulatedCounts emulated_counts();

/// A device with little memory, or with all of it in pieces, as long as this lives.
class ScarceMemory {
  public:
    /// `free` bytes are left. With `in_pieces` the device says so but can give none of them.
    explicit ScarceMemory(size_t free, bool in_pieces = false);
    ~ScarceMemory();
    ScarceMemory(const ScarceMemory&) = delete;
    ScarceMemory& operator=(const ScarceMemory&) = delete;
};

/// A machine without a driver or without a device, as long as this lives.
class NoDevice {
  public:
    explicit NoDevice(bool driver);
    ~NoDevice();
    NoDevice(const NoDevice&) = delete;
    NoDevice& operator=(const NoDevice&) = delete;
};

/// Streams that refuse to be recorded, as long as this lives.
class NoGraphs {
  public:
    NoGraphs();
    ~NoGraphs();
    NoGraphs(const NoGraphs&) = delete;
    NoGraphs& operator=(const NoGraphs&) = delete;
};

}  // namespace headroom
