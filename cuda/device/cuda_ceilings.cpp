#include "cuda/device/cuda_ceilings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/error.h"
#include "core/ops/dispatch.h"
#include "cuda/device/device_memory.h"
#include "cuda/device/staging_ring.h"
#include "cuda/device/stream.h"

namespace headroom::cuda {
namespace {

#ifdef HEADROOM_CUDA_EMULATED  // the host is slow
constexpr std::array<int64_t, 2> kSizes = {8, 16};
constexpr size_t kCopied = size_t{1} << 20;
constexpr double kSustainedSeconds = 1e-3;
#else
constexpr std::array<int64_t, 3> kSizes = {2048, 4096, 8192};
constexpr size_t kCopied = size_t{1} << 30;
constexpr double kSustainedSeconds = 1;
#endif
constexpr int kRepeats = 10;
constexpr size_t kDifferentNumbers = 1009;

/// A, B and C of a product of n x n matrices.
struct Matrices {
    DType dtype;
    int64_t n;
    DeviceMemory a, b, c;
};

double gflop_of(int64_t n) {
    const auto size = static_cast<double>(n);
    return 2e-9 * size * size * size;
}

class CudaCeilings : public DeviceCeilings {
  public:
    explicit CudaCeilings(std::unique_ptr<GemmLibrary> products)
        : gemms_(std::move(products)), workspace_(static_cast<size_t>(gemms_->workspace_bytes())) {
        gemms_->set_workspace(workspace_.data());
    }

    std::vector<GemmRate> gemm_rates(DType dtype) override {
        CHECK(dtype == DType::kF32 || dtype == DType::kBF16,
              "the ceilings are for float32 or bfloat16");
        GemmRate best{"cuBLASLt", 0, 0};
        for (const int64_t n : kSizes) {
            const std::optional<Matrices> m = try_matrices(dtype, n);
            if (!m) break;
            const double gflops = gflop_of(n) / best_seconds([&] { multiply(*m); });
            if (gflops > best.gflops) best = {best.library, gflops, n};
        }
        if (best.size == 0) throw no_memory();
        if (const auto m = try_matrices(dtype, best.size)) {
            const double once = gflop_of(best.size) / best.gflops;
            best.sustained_gflops =
                gflop_of(best.size) / sustained_seconds(once, [&] { multiply(*m); });
        }
        return {best};
    }

    double memory_rate() override {
        if (!from_) from_ = DeviceMemory::try_allocate(kCopied);
        if (!to_) to_ = DeviceMemory::try_allocate(kCopied);
        if (!from_ || !to_) throw no_memory();
        const double seconds = best_seconds([this] {
            check(cudaMemcpyAsync(to_->data(), from_->data(), kCopied, cudaMemcpyDeviceToDevice,
                                  stream_.get()),
                  "copy memory");
        });
        return 2.0 * static_cast<double>(kCopied) / seconds;
    }

  private:
    static EnvironmentError no_memory() {
        return {"not enough memory on the device to measure how fast it is",
                "close other programs that use it"};
    }

    /// Nothing if there is no memory for them.
    std::optional<Matrices> try_matrices(DType dtype, int64_t n) {
        const size_t bytes = static_cast<size_t>(n * n) * size_of(dtype);
        auto a = DeviceMemory::try_allocate(bytes), b = DeviceMemory::try_allocate(bytes),
             c = DeviceMemory::try_allocate(bytes);
        if (!a || !b || !c) return std::nullopt;
        fill(dtype, *a);
        check(cudaMemcpyAsync(b->data(), a->data(), bytes, cudaMemcpyDeviceToDevice, stream_.get()),
              "copy memory");
        return Matrices{dtype, n, std::move(*a), std::move(*b), std::move(*c)};
    }

    void multiply(const Matrices& m) {
        const GemmShape square{m.n, m.n, m.n, false, false, m.n, m.n, m.n, false};
        gemms_->run(square, m.dtype, m.a.data(), m.b.data(), m.dtype, m.c.data(), stream_.get());
    }

    /// Different numbers about zero: a device draws less power, and clocks higher, on equal ones.
    void fill(DType dtype, const DeviceMemory& memory) {
        dispatch_float(dtype, [&]<class T>(T) {
            std::vector<T> numbers(memory.bytes() / sizeof(T));
            for (size_t i = 0; i < numbers.size(); ++i)
                numbers[i] = static_cast<T>(static_cast<float>(i * 7919 % kDifferentNumbers) /
                                                static_cast<float>(kDifferentNumbers) -
                                            0.5f);
            staging_.send(memory.data(), std::as_bytes(std::span(numbers)), stream_.get());
        });
    }

    /// The first runs choose an algorithm and wake the device.
    template <class F>
    double best_seconds(F work) {
        for (int i = 0; i < 3; ++i) work();
        double best = std::numeric_limits<double>::infinity();
        for (int i = 0; i < kRepeats; ++i) {
            start_.record(stream_.get());
            work();
            stop_.record(stream_.get());
            stop_.wait();
            best = std::min(best, stop_.seconds_since(start_));
        }
        return std::max(best, 1e-9);
    }

    /// Of one `work()`, which takes `once` by itself, among so many that they fill the time.
    template <class F>
    double sustained_seconds(double once, F work) {
        const double count = std::clamp(std::ceil(kSustainedSeconds / once), 1.0, 1e5);
        start_.record(stream_.get());
        for (int64_t i = 0; i < static_cast<int64_t>(count); ++i) work();
        stop_.record(stream_.get());
        stop_.wait();
        return std::max(stop_.seconds_since(start_) / count, 1e-9);
    }

    std::unique_ptr<GemmLibrary> gemms_;
    DeviceMemory workspace_;
    Stream stream_;
    StagingRing staging_;
    Event start_{Event::Kind::kTime}, stop_{Event::Kind::kTime};
    std::optional<DeviceMemory> from_, to_;
};

}  // namespace

std::unique_ptr<DeviceCeilings> make_cuda_ceilings(std::unique_ptr<GemmLibrary> products) {
    return std::make_unique<CudaCeilings>(std::move(products));
}

}  // namespace headroom::cuda
