#pragma once

// Stands in the place of CUDA's own header where the kernels are compiled for the host: the few
// functions of the runtime that cuda/ uses, on host memory, each done when it returns.

#include <cstdlib>
#include <cstring>

#include <math.h>

#define __host__
#define __device__

enum cudaError_t { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
using cudaStream_t = void*;

struct cudaDeviceProp {
    char name[256] = "emulated";
    int major = 0, minor = 0, multiProcessorCount = 1;
};

inline const char* cudaGetErrorString(cudaError_t) {
    return "out of memory";
}
inline cudaError_t cudaMalloc(void** data, size_t bytes) {
    *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    return *data == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
inline cudaError_t cudaFree(void* data) {
    std::free(data);
    return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                   cudaStream_t) {
    return cudaMemcpy(to, from, bytes, kind);
}
/// New memory of a device holds anything: here NaN, so that what reads it is found.
inline cudaError_t cudaMemsetAsync(void* data, int value, size_t bytes, cudaStream_t) {
    std::memset(data, value, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    *stream = nullptr;
    return cudaSuccess;
}
inline cudaError_t cudaStreamDestroy(cudaStream_t) {
    return cudaSuccess;
}
inline cudaError_t cudaStreamSynchronize(cudaStream_t) {
    return cudaSuccess;
}
inline cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    *free = *total = size_t{1} << 33;
    return cudaSuccess;
}
inline cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return cudaSuccess;
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
    *properties = {};
    return cudaSuccess;
}
