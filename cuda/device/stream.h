#pragma once

#include <cuda_runtime.h>

#include "cuda/device/check.h"

namespace headroom::cuda {

/// A stream of the device: what is put into it runs in order. It must stay a blocking one, not
/// cudaStreamNonBlocking: DeviceTable copies on the legacy stream, which waits for blocking streams
/// and they for it.
class Stream {
  public:
    Stream() { check(cudaStreamCreate(&stream_), "make a stream"); }
    ~Stream() { cudaStreamDestroy(stream_); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    cudaStream_t get() const { return stream_; }
    /// Until all of it is done; EnvironmentError if a kernel failed.
    void wait() const { check(cudaStreamSynchronize(stream_), "run a kernel"); }

  private:
    cudaStream_t stream_ = nullptr;
};

/// A place in a stream that one can wait for. Times are taken only where they are asked for, since
/// they cost the device something.
class Event {
  public:
    enum class Kind { kOrder, kTime };
    explicit Event(Kind kind = Kind::kOrder) {
        const unsigned flags = kind == Kind::kTime ? cudaEventDefault : cudaEventDisableTiming;
        check(cudaEventCreateWithFlags(&event_, flags), "make an event");
    }
    ~Event() {
        if (event_ != nullptr) cudaEventDestroy(event_);
    }
    Event(Event&& other) noexcept : event_(other.event_) { other.event_ = nullptr; }
    Event& operator=(Event&&) = delete;

    /// Moves it to the present end of the stream.
    void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "mark a stream"); }
    /// Until the device has come to where it was recorded; at once if it never was.
    void wait() const { check(cudaEventSynchronize(event_), "run a kernel"); }
    /// Seconds that the device took from there to here. REQUIRES: both were waited for.
    double seconds_since(const Event& start) const {
        float ms = 0;
        check(cudaEventElapsedTime(&ms, start.event_, event_), "measure a time");
        return 1e-3 * static_cast<double>(ms);
    }

  private:
    cudaEvent_t event_ = nullptr;
};

}  // namespace headroom::cuda
