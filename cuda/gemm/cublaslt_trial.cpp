#include "cuda/gemm/cublaslt_trial.h"

#include <algorithm>
#include <limits>

#include "core/base/dtype.h"
#include "core/base/error.h"
#include "cuda/device/check.h"
#include "cuda/device/device_memory.h"

namespace headroom::cuda {
namespace {

constexpr int kWarmUps = 2, kRuns = 3;
/// Timed together: of one launch on an idle device the time is partly that of the host's call.
constexpr int kLaunches = 8;
constexpr double kNever = std::numeric_limits<double>::infinity();

class Event {
  public:
    Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDefault), "make an event"); }
    ~Event() { cudaEventDestroy(event_); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "record an event"); }
    double ms_until(const Event& end) const {
        check(cudaEventSynchronize(end.event_), "run a trial");
        float ms = 0;
        check(cudaEventElapsedTime(&ms, event_, end.event_), "time a trial");
        return static_cast<double>(ms);
    }

  private:
    cudaEvent_t event_ = nullptr;
};

/// Milliseconds of one of several `work()` in a row.
template <class Work>
double time_of(cudaStream_t stream, Work&& work) {
    Event begin, end;
    begin.record(stream);
    for (int i = 0; i < kLaunches; ++i) work();
    end.record(stream);
    return begin.ms_until(end) / kLaunches;
}

/// Memory for a trial alone; nullopt if the device has none left.
std::optional<DeviceMemory> try_allocate(size_t bytes) {
    try {
        return DeviceMemory(bytes);
    } catch (const EnvironmentError&) {
        static_cast<void>(cudaGetLastError());  // which the next check would take for its own
        return {};
    }
}

size_t bytes_of_c(const Gemm& product) {
    return static_cast<size_t>(span_of_c(product)) * size_of(product.out);
}

size_t aligned(size_t bytes) {
    return (bytes + 255) / 256 * 256;
}

/// How many copies of C take as long as the nodes of the epilogue would.
double copies_of(const Gemm& product, const Epilogue& epilogue) {
    double copies = 0;
    if (epilogue.bias != nullptr) copies += 1;
    if (epilogue.gelu) copies += 1;
    if (epilogue.slope_at != nullptr || epilogue.add != nullptr) copies += 1.5;  // reads two
    if (epilogue.column_sums != nullptr)                                         // reads B
        copies += 0.5 * static_cast<double>(product.shape.k * product.shape.n) *
                  static_cast<double>(size_of(product.in)) /
                  static_cast<double>(aligned(bytes_of_c(product)));
    return copies;
}

}  // namespace

std::optional<Fastest> fastest_of(LibraryGemm& library_gemm, const Library& library,
                                  const std::vector<Algorithm>& algorithms, const Gemm& product,
                                  const Epilogue& epilogue, Scratch scratch, cudaStream_t stream) {
    const size_t c_bytes = aligned(bytes_of_c(product));
    // What is kept lies behind C, what is summed last.
    const size_t sums_at = epilogue.before_gelu != nullptr ? 2 * c_bytes : c_bytes;
    const size_t sums_bytes = epilogue.column_sums != nullptr
                                  ? static_cast<size_t>(product.shape.n) * size_of(product.out)
                                  : 0;
    const auto memory = try_allocate(sums_at + sums_bytes);
    if (!memory) return {};
    check(cudaMemsetAsync(memory->data(), 0, memory->bytes(), stream), "clear memory");
    // As aligned as C itself, which the algorithms were chosen for, or better.
    Gemm trial = product;
    trial.c = memory->data();
    Epilogue trial_epilogue = epilogue;
    if (epilogue.before_gelu != nullptr) trial_epilogue.before_gelu = memory->data() + c_bytes;
    if (epilogue.column_sums != nullptr) trial_epilogue.column_sums = memory->data() + sums_at;

    const auto run = [&](const Algorithm& algorithm) {
        return library_gemm.launch(library, algorithm, trial, trial_epilogue, scratch, stream);
    };
    std::vector<Fastest> runners;
    for (const Algorithm& algorithm : algorithms) {
        cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
        for (int i = 0; status == CUBLAS_STATUS_SUCCESS && i < kWarmUps; ++i)
            status = run(algorithm);
        if (status == CUBLAS_STATUS_SUCCESS)
            runners.push_back({algorithm, kNever});
        else
            static_cast<void>(cudaGetLastError());
    }
    // In rounds, so that a clock that rises meanwhile favours none.
    for (int round = 0; round < kRuns; ++round)
        for (Fastest& runner : runners)
            runner.ms = std::min(runner.ms, time_of(stream, [&] { run(runner.algorithm); }));
    check(cudaStreamSynchronize(stream), "run a trial");  // before its memory goes
    const auto fastest =
        std::min_element(runners.begin(), runners.end(),
                         [](const Fastest& a, const Fastest& b) { return a.ms < b.ms; });
    return fastest == runners.end() ? std::nullopt : std::optional(*fastest);
}

std::optional<double> epilogue_apart_ms(const Gemm& product, const Epilogue& epilogue,
                                        cudaStream_t stream) {
    const double copies = copies_of(product, epilogue);
    if (copies == 0) return 0;
    const size_t c_bytes = aligned(bytes_of_c(product));
    const auto memory = try_allocate(2 * c_bytes);
    if (!memory) return {};
    const auto copy = [&] {
        check(cudaMemcpyAsync(memory->data() + c_bytes, memory->data(), c_bytes,
                              cudaMemcpyDeviceToDevice, stream),
              "copy memory");
    };
    copy();
    double copy_ms = kNever;
    for (int run = 0; run < kRuns; ++run) copy_ms = std::min(copy_ms, time_of(stream, copy));
    check(cudaStreamSynchronize(stream), "run a trial");
    return copies * copy_ms;
}

}  // namespace headroom::cuda
