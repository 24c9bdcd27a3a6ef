#include "cuda/device/staging_ring.h"

#include <numeric>

#include <gtest/gtest.h>

#include "cuda/device/device_memory.h"
#include "tests/cuda/emulation/emulated_runtime.h"

namespace headroom::cuda {
namespace {

std::vector<std::byte> counting(size_t size, int first) {
    std::vector<std::byte> bytes(size);
    for (size_t i = 0; i < size; ++i)
        bytes[i] = static_cast<std::byte>(first + static_cast<int>(i));
    return bytes;
}

std::vector<std::byte> on_device(const DeviceMemory& memory, const Stream& stream) {
    stream.wait();
    return {memory.data(), memory.data() + memory.bytes()};
}

TEST(StagingRing, SendsWhatTheHostHadAndNotWhatItHasLater) {
    const Stream stream;
    const DeviceMemory device(100);
    StagingRing ring(16, 3);
    std::vector<std::byte> host = counting(100, 1);
    const std::vector<std::byte> sent = host;
    ring.send(device.data(), host, stream.get());
    host.assign(host.size(), std::byte{0});
    EXPECT_EQ(on_device(device, stream), sent);
}

TEST(StagingRing, WaitsOnlyWhereItIsFull) {
    const Stream stream;
    const DeviceMemory device(64);
    StagingRing ring(16, 4);
    const int64_t before = emulated_counts().waits;
    ring.send(device.data(), counting(64, 1), stream.get());
    EXPECT_EQ(emulated_counts().waits, before);
    ring.send(device.data(), counting(16, 2), stream.get());
    EXPECT_EQ(emulated_counts().waits, before + 1);
}

TEST(StagingRing, KeepsTheOrderOfASlotThatIsUsedAgain) {
    const Stream stream;
    const DeviceMemory device(48);
    StagingRing ring(16, 2);
    for (int round = 0; round < 5; ++round)
        ring.send(device.data(), counting(48, 10 * round), stream.get());
    EXPECT_EQ(on_device(device, stream), counting(48, 40));
}

}  // namespace
}  // namespace headroom::cuda
