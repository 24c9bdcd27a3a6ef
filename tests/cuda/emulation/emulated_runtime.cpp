#include "tests/cuda/emulation/emulated_runtime.h"

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

using Work = std::function<void()>;

struct EmulatedGraph {
    std::vector<Work> work;
};
struct EmulatedGraphExec {
    std::shared_ptr<const EmulatedGraph> graph;
};
struct EmulatedStream {
    std::unique_ptr<EmulatedGraph> recorded;  ///< while it is being recorded
    bool spoilt = false;                      ///< by a call that cannot be recorded
};
struct EmulatedEvent {
    int64_t asked = 0, done = 0;  ///< records put into a stream, and reached
    double ms = 0;                ///< when the last one was
};

namespace {

constexpr size_t kMemory = size_t{1} << 33;

/// Memory belongs to the machine; all else to the thread that uses the device.
struct Memory {
    std::mutex mutex;
    std::map<const std::byte*, size_t> device, pinned;
    size_t used = 0, limit = kMemory;
    bool in_pieces = false;
};
Memory& memory() {
    static Memory instance;
    return instance;
}

/// Whatever order the streams' own orders leave open: here that in which work was put into them.
thread_local std::deque<Work> queue;
thread_local EmulatedStream* recording = nullptr;
thread_local cudaError_t last_error = cudaSuccess;
thread_local headroom::EmulatedCounts counts;
thread_local cudaError_t device_error = cudaSuccess;
thread_local bool refuses_graphs = false;

cudaError_t fail(cudaError_t error) {
    last_error = error;
    return error;
}

/// Calls that wait or allocate spoil a recording that is under way.
bool spoils_recording() {
    if (recording == nullptr) return false;
    recording->spoilt = true;
    return true;
}

void run_first() {
    const Work work = std::move(queue.front());
    queue.pop_front();
    work();
}

void run_all() {
    while (!queue.empty()) run_first();
}

void put(cudaStream_t stream, Work work) {
    if (stream != nullptr && stream->recorded)
        stream->recorded->work.push_back(std::move(work));
    else
        queue.push_back(std::move(work));
}

bool is_in(const std::map<const std::byte*, size_t>& blocks, const void* data) {
    const auto* at = static_cast<const std::byte*>(data);
    auto after = blocks.upper_bound(at);
    return after != blocks.begin() && at < std::prev(after)->first + std::prev(after)->second;
}

/// Full of NaN, so that what reads it unwritten is found.
cudaError_t allocate(std::map<const std::byte*, size_t>& blocks, void** data, size_t bytes) {
    const size_t size = (bytes + 255) / 256 * 256;
    *data = std::aligned_alloc(256, size);
    if (*data == nullptr) return fail(cudaErrorMemoryAllocation);
    std::memset(*data, 0xff, size);
    blocks.emplace(static_cast<const std::byte*>(*data), size);
    return cudaSuccess;
}

}  // namespace

const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
        case cudaErrorMemoryAllocation:
            return "out of memory";
        case cudaErrorInsufficientDriver:
            return "CUDA driver version is insufficient for CUDA runtime version";
        case cudaErrorNoDevice:
            return "no CUDA-capable device is detected";
        case cudaErrorStreamCaptureUnsupported:
            return "operation not permitted when stream is capturing";
        case cudaErrorStreamCaptureInvalidated:
            return "operation failed due to a previous error during capture";
        default:
            return "invalid argument";
    }
}

cudaError_t cudaGetLastError() {
    return std::exchange(last_error, cudaSuccess);
}

cudaError_t cudaMalloc(void** data, size_t bytes) {
    if (spoils_recording()) return fail(cudaErrorStreamCaptureUnsupported);
    Memory& m = memory();
    const std::lock_guard lock(m.mutex);
    if (m.in_pieces || m.used + bytes > m.limit) return fail(cudaErrorMemoryAllocation);
    const cudaError_t error = allocate(m.device, data, bytes);
    if (error == cudaSuccess) m.used += m.device.at(static_cast<std::byte*>(*data));
    return error;
}

cudaError_t cudaFree(void* data) {
    run_all();
    Memory& m = memory();
    const std::lock_guard lock(m.mutex);
    const auto found = m.device.find(static_cast<std::byte*>(data));
    if (found == m.device.end()) return fail(cudaErrorInvalidValue);
    m.used -= found->second;
    m.device.erase(found);
    std::free(data);
    return cudaSuccess;
}

cudaError_t cudaMallocHost(void** data, size_t bytes) {
    if (spoils_recording()) return fail(cudaErrorStreamCaptureUnsupported);
    const std::lock_guard lock(memory().mutex);
    return allocate(memory().pinned, data, bytes);
}

cudaError_t cudaFreeHost(void* data) {
    run_all();
    const std::lock_guard lock(memory().mutex);
    memory().pinned.erase(static_cast<std::byte*>(data));
    std::free(data);
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
    const std::lock_guard lock(memory().mutex);
    *free = memory().limit - memory().used;
    *total = kMemory;
    return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
    if (spoils_recording()) return fail(cudaErrorStreamCaptureUnsupported);
    ++counts.waits;
    run_all();
    std::memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
    const void* on_host = kind == cudaMemcpyHostToDevice ? from : to;
    bool deferred = kind == cudaMemcpyDeviceToDevice;
    if (!deferred) {
        const std::lock_guard lock(memory().mutex);
        deferred = is_in(memory().pinned, on_host);
    }
    if (!deferred) return cudaMemcpy(to, from, bytes, kind);
    put(stream, [=] { std::memcpy(to, from, bytes); });
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* data, int value, size_t bytes, cudaStream_t stream) {
    put(stream, [=] { std::memset(data, value, bytes); });
    return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    *stream = new EmulatedStream;
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    run_all();
    delete stream;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t) {
    if (spoils_recording()) return fail(cudaErrorStreamCaptureUnsupported);
    ++counts.waits;
    run_all();
    return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
    return cudaStreamSynchronize(nullptr);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    *event = new EmulatedEvent;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    run_all();
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    if (stream != nullptr && stream->recorded) {  // an event of the graph, of no use outside
        stream->spoilt = true;
        return fail(cudaErrorStreamCaptureUnsupported);
    }
    ++event->asked;
    put(stream, [event] {
        ++event->done;
        event->ms = std::chrono::duration<double, std::milli>(
                        std::chrono::steady_clock::now().time_since_epoch())
                        .count();
    });
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    if (spoils_recording()) return fail(cudaErrorStreamCaptureUnsupported);
    if (event->done < event->asked) ++counts.waits;
    while (event->done < event->asked && !queue.empty()) run_first();
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
    if (start->asked == 0 || end->asked == 0) return fail(cudaErrorInvalidValue);
    if (start->done < start->asked || end->done < end->asked) return fail(cudaErrorNotReady);
    *ms = static_cast<float>(end->ms - start->ms);
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    if (recording != nullptr || refuses_graphs) return fail(cudaErrorStreamCaptureUnsupported);
    stream->recorded = std::make_unique<EmulatedGraph>();
    stream->spoilt = false;
    recording = stream;
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    const bool active = stream != nullptr && stream->recorded;
    *status = active ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    *graph = nullptr;
    if (!stream->recorded) return fail(cudaErrorInvalidValue);
    recording = nullptr;
    std::unique_ptr<EmulatedGraph> recorded = std::move(stream->recorded);
    if (stream->spoilt) return fail(cudaErrorStreamCaptureInvalidated);
    *graph = recorded.release();
    ++counts.graphs;
    return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
    *exec = new EmulatedGraphExec{std::make_shared<const EmulatedGraph>(*graph)};
    return cudaSuccess;
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    ++counts.graph_launches;
    put(stream, [graph = exec->graph] {
        for (const Work& work : graph->work) work();
    });
    return cudaSuccess;
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return cudaSuccess;
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    delete exec;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return device_error == cudaSuccess ? cudaSuccess : fail(device_error);
}

cudaError_t cudaSetDevice(int) {
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
    *device = 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
    *value = static_cast<int>(headroom::cuda::simt::settings().shared_limit);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
    *properties = {};
    properties->totalGlobalMem = kMemory;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
    *version = device_error == cudaErrorInsufficientDriver ? 0 : 13000;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
    *version = 13000;
    return cudaSuccess;
}

void emulate_launch(cudaStream_t stream, std::function<void()> work) {
    if (stream == nullptr || !stream->recorded) ++counts.launches;
    put(stream, std::move(work));
}

namespace headroom {

EmulatedCounts emulated_counts() {
    const std::lock_guard lock(memory().mutex);
    counts.device_bytes = static_cast<int64_t>(memory().used);
    return counts;
}

ScarceMemory::ScarceMemory(size_t free, bool in_pieces) {
    const std::lock_guard lock(memory().mutex);
    memory().limit = memory().used + free;
    memory().in_pieces = in_pieces;
}
ScarceMemory::~ScarceMemory() {
    const std::lock_guard lock(memory().mutex);
    memory().limit = kMemory;
    memory().in_pieces = false;
}

NoDevice::NoDevice(bool driver) {
    device_error = driver ? cudaErrorNoDevice : cudaErrorInsufficientDriver;
}
NoDevice::~NoDevice() {
    device_error = cudaSuccess;
}

NoGraphs::NoGraphs() {
    refuses_graphs = true;
}
NoGraphs::~NoGraphs() {
    refuses_graphs = false;
}

}  // namespace headroom
