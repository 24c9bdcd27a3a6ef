#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include "cuda/device/check.h"

namespace headroom::cuda {

/// Memory of the device, given back with it. Move-only.
class DeviceMemory {
  public:
    DeviceMemory() = default;
    /// EnvironmentError if the device has not so much left.
    explicit DeviceMemory(size_t bytes) : bytes_(bytes) {
        if (bytes > 0) check(cudaMalloc(&data_, bytes), "allocate memory");
    }
    /// Nothing if the device has not so much left, or not in one piece.
    static std::optional<DeviceMemory> try_allocate(size_t bytes) {
        DeviceMemory memory;
        const cudaError_t status = cudaMalloc(&memory.data_, bytes);
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();  // the next kernel is not to be blamed
            return std::nullopt;
        }
        check(status, "allocate memory");
        memory.bytes_ = bytes;
        return memory;
    }
    ~DeviceMemory() {
        if (data_ != nullptr) cudaFree(data_);
    }
    DeviceMemory(DeviceMemory&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    DeviceMemory& operator=(DeviceMemory&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }

    std::byte* data() const { return static_cast<std::byte*>(data_); }
    size_t bytes() const { return bytes_; }

  private:
    void* data_ = nullptr;
    size_t bytes_ = 0;
};

/// A small table that kernels read, such as where the heads of a layer lie; copied once.
template <class T>
class DeviceTable {
  public:
    explicit DeviceTable(const std::vector<T>& entries) : memory_(entries.size() * sizeof(T)) {
        if (!entries.empty())
            check(
                cudaMemcpy(memory_.data(), entries.data(), memory_.bytes(), cudaMemcpyHostToDevice),
                "copy a table");
    }
    const T* data() const { return reinterpret_cast<const T*>(memory_.data()); }

  private:
    DeviceMemory memory_;
};

/// A table that is shared by the copies of a kernel function.
template <class T>
std::shared_ptr<const DeviceTable<T>> make_table(const std::vector<T>& entries) {
    return std::make_shared<const DeviceTable<T>>(entries);
}

}  // namespace headroom::cuda
